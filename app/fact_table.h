// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <QTableView>

#include <vector>

namespace stagecraft::app {

/// A row of facts as they are shown.
struct FactRow {
    QStringList cells;
    QString tip;
    bool bold = false;
};

/// Facts in rows, told once and never edited.
class FactModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    /// @param numbers  from this column on cells stand at the right
    void setHeaders(const QStringList& headers, int numbers);
    void setRows(std::vector<FactRow> rows);
    [[nodiscard]] const std::vector<FactRow>& rows() const { return m_rows; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_headers;
    int m_numbers = 1;
    std::vector<FactRow> m_rows;
};

/// A table of facts: the first column takes the room that the others leave; Ctrl+C copies all of it as tab-separated text.
class FactTable : public QTableView {
    Q_OBJECT
public:
    explicit FactTable(QWidget* parent = nullptr);
    [[nodiscard]] FactModel& facts() const { return *m_facts; }
    void copyAsTable() const;
    /// Columns that go, the first of these first, where the first column has no room for its words.
    void setDispensable(const std::vector<int>& columns);

signals:
    /// A row was chosen, by mouse or keys.
    void rowChosen(int row);

protected:
    [[nodiscard]] int sizeHintForColumn(int column) const override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();

    FactModel* m_facts;
    std::vector<int> m_dispensable;
};

}  // namespace stagecraft::app
