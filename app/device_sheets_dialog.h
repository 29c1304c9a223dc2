// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/own_sheets.h"

#include <QDialog>

#include <filesystem>
#include <optional>
#include <vector>

class QPushButton;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

class ChoiceList;
class SheetForm;

/// The data sheets of devices: all of them to be read, and those of the person's own file to be made, corrected and removed.
class DeviceSheetsDialog : public QDialog {
    Q_OBJECT
public:
    /// @param file  the person's own sheets; read again for every change, and never overwritten where it cannot be read
    DeviceSheetsDialog(std::filesystem::path file, QWidget* parent);

    /// Shows the sheet of a device, the person's own where there is one.
    void choose(const QString& id);
    /// Why the file of own sheets, or what is being edited, is not taken; empty where all is well.
    [[nodiscard]] QString told() const;
    [[nodiscard]] ChoiceList* sheets() const { return m_list; }
    [[nodiscard]] SheetForm* form() const { return m_form; }
    [[nodiscard]] bool isEditing() const { return m_editing; }
    void reject() override;

signals:
    /// The file has changed, and its sheets are those that plans are made with from now on.
    void sheetsChanged();

protected:
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] const OwnSheet* ownOf(const QString& row) const;
    void read();
    void fill();
    void showRow(const QString& row);
    void edit(bool copy);
    void stopEditing();
    bool judge();
    void save();
    void remove();
    void changed(const QString& id);
    void tell(const QString& sentence);
    void showButtons();
    void retranslate();

    std::filesystem::path m_file;
    std::vector<OwnSheet> m_own;
    std::optional<Error> m_unreadable;                  ///< why there are none of the person's own
    QString m_row;                                      ///< id of the row that is shown
    bool m_editing = false;
    std::optional<nlohmann::ordered_json> m_before;     ///< what is edited, as it is in the file; nothing for a new one
    ChoiceList* m_list;
    SheetForm* m_form;
    ToneLabel* m_where;
    ToneLabel* m_told;
    QPushButton* m_copy;
    QPushButton* m_edit;
    QPushButton* m_remove;
    QPushButton* m_save;
    QPushButton* m_cancel;
    QPushButton* m_close;
};

}  // namespace stagecraft::app
