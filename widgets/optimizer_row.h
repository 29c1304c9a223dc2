// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/notice_row.h"

namespace stagecraft {

class ConfigModel;

/// Above the findings, where nobody gives an optimizer: a training script may pass its own, which no file shows. One click says that it
/// does. Hidden while it makes no difference.
class OptimizerRow : public NoticeRow {
    Q_OBJECT
public:
    explicit OptimizerRow(ConfigModel& config, QWidget* parent = nullptr);

    /// Says that the script gives one, or that it does not any more.
    [[nodiscard]] QPushButton* chooseButton() const { return m_choose; }

signals:
    void optimizerRequested(bool byScript);

private:
    void refresh() override;

    ConfigModel& m_config;
    QPushButton* m_choose;
};

}  // namespace stagecraft
