// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/launcher.h"
#include "widgets/notice_row.h"

namespace stagecraft {

class ConfigModel;

/// Above the findings: who fills in "auto". DeepSpeed's own launcher does not, the Hugging Face Trainer and accelerate do; one click says which
/// of the three starts the file. Hidden while it makes no difference.
class LauncherRow : public NoticeRow {
    Q_OBJECT
public:
    explicit LauncherRow(ConfigModel& config, QWidget* parent = nullptr);

    /// Says that the Trainer starts it, or that it does not any more.
    [[nodiscard]] QPushButton* chooseButton() const { return m_trainer; }
    /// The same of accelerate.
    [[nodiscard]] QPushButton* accelerateButton() const { return m_accelerate; }
    [[nodiscard]] QPushButton* importButton() const { return m_import; }

signals:
    void launcherRequested(CheckLauncher launcher);
    /// The launcher's arguments are to be imported.
    void importRequested();

private:
    void refresh() override;
    [[nodiscard]] QString sentence() const;

    ConfigModel& m_config;
    QPushButton* m_trainer;
    QPushButton* m_accelerate;
    QPushButton* m_import;
};

}  // namespace stagecraft
