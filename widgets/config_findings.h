// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"

#include <QAbstractTableModel>
#include <QTableView>
#include <QWidget>

#include <optional>
#include <set>
#include <string>
#include <vector>

class QPushButton;

namespace stagecraft {

class ConfigModel;
class EngineRow;
class LauncherRow;
class OptimizerRow;
class PanelHeader;
class ToneLabel;

/// Findings as rows: mark, rule, line, sentence, effect, fix.
class FindingsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Mark, Rule, Line, Message, Effect, Fix, ColumnCount };
    /// Of Message: the key it is about, which stands before the sentence; and the sentence behind it, which does not name it again:
    /// with the longest names shortened, and whole.
    static constexpr int KeyRole = Qt::UserRole + 1, SentenceRole = Qt::UserRole + 2, WholeRole = Qt::UserRole + 3;

    FindingsModel(ConfigModel& config, QObject* parent);

    [[nodiscard]] const CheckFinding& finding(int row) const { return m_findings[static_cast<std::size_t>(row)]; }
    /// The row of that finding, after its words may have changed; -1 where it is gone.
    [[nodiscard]] int rowOf(const CheckFinding& finding) const;
    /// While rows come and go: what Qt makes current then nobody has chosen.
    [[nodiscard]] bool isRefreshing() const { return m_refreshing; }
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    void refresh();

    ConfigModel& m_config;
    std::vector<CheckFinding> m_findings;
    bool m_refreshing = false;
};

/// The panel of findings. A click selects the key everywhere, a double click goes to its place, the button or Alt+Enter fixes.
class FindingsList : public QWidget {
    Q_OBJECT
public:
    explicit FindingsList(ConfigModel& config, QWidget* parent = nullptr);

    [[nodiscard]] QTableView* view() const { return m_view; }
    [[nodiscard]] QPushButton* fixAllButton() const { return m_fixAll; }
    /// Fixes the selected finding and goes on to the next.
    void fixCurrent();
    /// Nothing selected, the first finding in sight.
    void showStart();
    [[nodiscard]] QPushButton* elsewhereButton() const { return m_elsewhere; }
    /// Who else would train the file, and does not take it: one sentence with the reason, below DeepSpeed's verdict. Empty: nobody.
    /// @param byDeepSpeed  DeepSpeed takes it: the button that plans with DeepSpeed is a way out
    void setOtherRefusal(const QString& sentence, bool byDeepSpeed = true);
    [[nodiscard]] const ToneLabel* otherRefusal() const;
    [[nodiscard]] LauncherRow* launcher() const { return m_launcher; }
    [[nodiscard]] OptimizerRow* optimizer() const { return m_optimizer; }
    [[nodiscard]] QPushButton* deepSpeedButton() const;

signals:
    /// The button that counts the findings about other parts of the workspace.
    void elsewhereRequested();
    /// The button beside the other's refusal: DeepSpeed is to be planned with instead.
    void deepSpeedRequested();

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;
    /// A button that goes when it was pressed leaves the keyboard in the list.
    bool focusNextPrevChild(bool next) override;
    void resizeEvent(QResizeEvent* event) override;
    /// Rows above the list that come or go.
    bool event(QEvent* event) override;

private:
    void refresh();
    /// Without findings it is no higher than what it says instead: the room is that of the file.
    void limitHeight();
    void fix(int row);
    /// Selects the finding after the one that was fixed last, where none is selected.
    bool goOn();
    /// Selects what was selected before the findings changed.
    void selectAgain();
    /// Selects the first finding of the current key, unless one of it is selected.
    void selectCurrent();
    /// Columns and heights of the rows for the width there is.
    void giveRoom();
    /// DeepSpeed's own yes or no; empty while there is nothing to judge.
    [[nodiscard]] QString verdict() const;

    ConfigModel& m_config;
    FindingsModel* m_rows;
    PanelHeader* m_header;
    QPushButton* m_elsewhere;
    QPushButton* m_fixAll;
    LauncherRow* m_launcher;
    OptimizerRow* m_optimizer;
    EngineRow* m_engine;
    ToneLabel* m_empty;
    QTableView* m_view;
    int m_fixWidth = 0;   ///< px, of the longest fix
    int m_pressed = -1;   ///< row of the button that the mouse was pressed on
    std::optional<CheckFinding> m_chosen;   ///< the one that is selected
    std::vector<CheckFinding> m_following;  ///< those after the one that was fixed last, then those before it: there the arrow goes on
    std::set<std::string> m_opened;   ///< messages that have all of their lines, since they were selected: none folds under the mouse
};

}  // namespace stagecraft
