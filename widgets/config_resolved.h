// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QWidget>

#include <vector>

class QLineEdit;
class QTableView;

namespace stagecraft {

class ConfigModel;
class ToneLabel;
class TwoLineDelegate;

/// One value as DeepSpeed ends up with it.
struct ResolvedRow {
    QString pointer;
    QString inFile;  ///< as written; empty = not set
    QString used;    ///< what DeepSpeed works with; empty = nothing (never read)
    QString why;
    bool refused = false;
};

class ResolvedModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Key, InFile, Used, Why, ColumnCount };

    ResolvedModel(ConfigModel& config, QObject* parent);
    [[nodiscard]] const ResolvedRow& row(int at) const { return m_rows[static_cast<std::size_t>(at)]; }
    void refresh();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    ConfigModel& m_config;
    std::vector<ResolvedRow> m_rows;
};

/// What DeepSpeed will see: the batch triangle filled, values it changes, keys it never reads. Differences come first; above them,
/// whole, why it refuses the config while it does. Where there is no room for a column each, a row has two lines.
class ResolvedView : public QWidget {
    Q_OBJECT
public:
    explicit ResolvedView(ConfigModel& config, QWidget* parent = nullptr);

    [[nodiscard]] QTableView* table() const { return m_table; }
    /// Opens the search: only rows that hold the words, in key, value or reason, stay in sight. Escape ends it.
    void find();
    [[nodiscard]] QLineEdit* searchField() const { return m_search; }

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void showVerdict();
    void giveRoom();
    void filter();
    void retranslate();

    ConfigModel& m_config;
    ResolvedModel* m_rows;
    QWidget* m_verdict;
    ToneLabel* m_refusal;
    ToneLabel* m_reason;
    ToneLabel* m_last;
    TwoLineDelegate* m_cells;
    QTableView* m_table;
    QWidget* m_bar;
    QLineEdit* m_search;
    ToneLabel* m_count;
    bool m_stale = false;
};

}  // namespace stagecraft
