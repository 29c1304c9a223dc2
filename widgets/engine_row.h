// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/notice_row.h"

namespace stagecraft {

/// Above the findings: who else would train the file and does not take it, with the way out. Hidden while there is nobody.
class EngineRow : public NoticeRow {
    Q_OBJECT
public:
    explicit EngineRow(QWidget* parent = nullptr);

    /// @param sentence     who, and why; empty: nobody
    /// @param byDeepSpeed  DeepSpeed takes it: the button that plans with DeepSpeed is a way out
    void setRefusal(const QString& sentence, bool byDeepSpeed);
    [[nodiscard]] QPushButton* deepSpeedButton() const { return m_deepSpeed; }

signals:
    /// DeepSpeed is to be planned with instead.
    void deepSpeedRequested();

private:
    void refresh() override;

    QPushButton* m_deepSpeed;
};

}  // namespace stagecraft
