// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <nlohmann/json.hpp>

#include <vector>

class QGridLayout;
class QLabel;
class QLineEdit;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

/// Every figure of a device's data sheet: its name, a field, its unit, what it means. Read, or edited.
class SheetForm : public QWidget {
    Q_OBJECT
public:
    explicit SheetForm(QWidget* parent);

    /// @param sheet  as a file of sheets has it; parts that no sheet has are kept
    void show(const nlohmann::ordered_json& sheet, bool editable);
    /// What was shown, with what was typed since. Where no number stands the text itself does, for the reader of sheets to refuse.
    [[nodiscard]] nlohmann::ordered_json sheet() const;
    [[nodiscard]] bool isChanged() const { return sheet() != m_sheet; }
    /// Says below the field why what is in it is refused, and marks it; an empty sentence takes it back. Of all others it is taken back.
    /// @param key  "link.perDirectionGBs"; of a part as a whole the first field of it
    /// @return the name of the field; empty where there is none
    QString complain(const QString& key, const QString& sentence);
    [[nodiscard]] QLineEdit* field(const QString& key) const;
    void retranslate();

signals:
    void edited();

private:
    struct Row {
        const char* key;
        bool number;
        QLabel* name;
        QLineEdit* field;
        ToneLabel* unit;
        ToneLabel* meaning;
        ToneLabel* complaint;
        QString shown;   ///< what the sheet has
    };
    void addSection(QGridLayout* grid, const char* title);

    nlohmann::ordered_json m_sheet = nlohmann::ordered_json::object();
    std::vector<Row> m_rows;
    std::vector<std::pair<const char*, ToneLabel*>> m_sections;
    QLabel* m_links;   ///< what the source leads to
};

}  // namespace stagecraft::app
