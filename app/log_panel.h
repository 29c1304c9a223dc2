// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/panel.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace stagecraft {
class LogModel;
class LogView;
struct ChartColors;
}  // namespace stagecraft

namespace stagecraft::app {

/// The merged log with its filters: level, rank, text or pattern; first error; following or paused.
class LogPanel : public Panel {
    Q_OBJECT
public:
    explicit LogPanel(LogModel* model, QWidget* parent = nullptr);

    void setColors(const ChartColors& colors);
    void frameTick();
    /// Shows the first error of the newest start, lifting filters that hide it.
    void showFirstError();
    /// The rank whose failure ended the run: its error is the one to show, not that of a rank that only missed it. -1 = none.
    void setFailedRank(int rank) { m_failedRank = rank; }
    void focusFilter();
    /// Only the lines of one rank; kAllRanks for all.
    void filterRank(int rank);
    [[nodiscard]] LogView* view() const { return m_view; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void applyFilter();
    void fillRanks();
    void updateFollowing();
    void updateSubtitle();

    LogModel* m_model;
    LogView* m_view;
    QComboBox* m_level;
    QComboBox* m_rank;
    QLineEdit* m_text;
    QToolButton* m_regex;
    QPushButton* m_firstError;
    QPushButton* m_follow;
    int m_failedRank = -1;
};

}  // namespace stagecraft::app
