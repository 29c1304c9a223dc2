// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/key_catalog.h"

#include <QAbstractListModel>
#include <QSet>
#include <QString>

#include <vector>

namespace stagecraft {

class ConfigModel;

/// One row of the form: a group's header or a key.
struct ConfigRow {
    int group = -1;
    int key = -1;        ///< catalog id; -1 for a header or a key DeepSpeed does not know
    bool header = false;
    bool applies = true; ///< false: a name is missing ("*") or another type would be needed; not editable
    QString pointer;     ///< empty for headers
    friend bool operator==(const ConfigRow&, const ConfigRow&) = default;
};

/// The form as a flat list: every key of the catalog that applies, by group, set keys first.
class ConfigFormModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum class Show { Applicable, InFile, All };
    enum Roles { PointerRole = Qt::UserRole + 1, HeaderRole, JsonRole, NoteRole };

    ConfigFormModel(ConfigModel& config, QObject* parent);

    void setShow(Show show);
    [[nodiscard]] Show show() const { return m_show; }
    /// Words to search for; empty shows everything.
    void setQuery(const QString& query);
    /// The rows are those that a query finds.
    [[nodiscard]] bool isSearching() const { return !m_query.isEmpty(); }
    void toggleGroup(int group);
    [[nodiscard]] bool isFolded(int group) const { return m_folded.contains(group); }

    [[nodiscard]] const ConfigRow& row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }
    [[nodiscard]] int rowOfPointer(const QString& pointer) const;
    [[nodiscard]] int rowOfGroup(int group) const;
    /// Unfolds and leaves filters as far as needed, so that the pointer has a row. @return the row, or -1
    int makeVisible(const QString& pointer);

    [[nodiscard]] const CatalogKey* catalogKey(int index) const;
    /// The row's key for ConfigModel::setCurrent(): -1 where its pointer says enough.
    [[nodiscard]] int keyOfRow(int index) const { return row(index).applies ? -1 : row(index).key; }
    /// The value's own bytes; empty when not in the file.
    [[nodiscard]] QByteArray json(int index) const;
    [[nodiscard]] QString name(int index) const;
    [[nodiscard]] QString note(int index) const;
    [[nodiscard]] int severity(int index) const;
    [[nodiscard]] QString headerSubtitle(int group) const;
    [[nodiscard]] int setCount(int group) const;  ///< keys of the group in the file; -1 = of all groups
    [[nodiscard]] int worstSeverity(int group) const;
    [[nodiscard]] bool isEditable(int index) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// The row stands for keys below a name of the user's own ("*"): what is typed there adds a name, or an entry of a list.
    [[nodiscard]] bool isPattern(int index) const;
    [[nodiscard]] bool isListPattern(int index) const;
    /// Adds it: for a name, an empty object of that name; for a list, an entry that holds the typed value.
    /// @return the complaint; empty when the edit was asked for
    QString addInstance(int index, const QString& typed);

    void refresh();

    /// Rows are being replaced: what a view makes its current row meanwhile is nobody's choice.
    [[nodiscard]] bool isPlacing() const { return m_placing; }

signals:
    /// The rows are those of the text of now.
    void placed();

private:
    [[nodiscard]] std::vector<ConfigRow> computeRows() const;
    void place(std::vector<ConfigRow> rows);
    [[nodiscard]] std::vector<QString> instances(const std::string& pattern) const;
    void countValues();
    [[nodiscard]] QString fixNote(int finding) const;

    ConfigModel& m_config;
    bool m_placing = false;
    const KeyCatalog& m_catalog;
    std::vector<ConfigRow> m_rows;
    std::vector<int> m_setCounts;
    std::vector<int> m_severities;
    std::vector<std::pair<QString, int>> m_values;  ///< every value in the file that is no section: pointer and catalog id
    QSet<QString> m_first;                          ///< set when the order was made: they lead their group
    QSet<int> m_folded;
    Show m_show = Show::Applicable;
    QString m_query;
};

}  // namespace stagecraft
