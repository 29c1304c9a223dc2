// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/notice_row.h"

namespace stagecraft {

class ConfigModel;

/// Above the findings: who fills in "auto". DeepSpeed's own launcher does not, the Hugging Face Trainer does; one click says which of the
/// two starts the file. Hidden while it makes no difference.
class LauncherRow : public NoticeRow {
    Q_OBJECT
public:
    explicit LauncherRow(ConfigModel& config, QWidget* parent = nullptr);

    /// Says that the Trainer starts it, or that it does not any more.
    [[nodiscard]] QPushButton* chooseButton() const { return m_choose; }
    [[nodiscard]] QPushButton* importButton() const { return m_import; }

signals:
    void launcherRequested(bool trainer);
    /// The Trainer's arguments are to be imported.
    void importRequested();

private:
    void refresh() override;

    ConfigModel& m_config;
    QPushButton* m_choose;
    QPushButton* m_import;
};

}  // namespace stagecraft
