// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exporters/workspace_export.h"
#include "widgets/side_panel.h"

#include <optional>

class QListWidget;
class QPushButton;
class QTabWidget;

namespace stagecraft {
class PanelHeader;
class ToneLabel;
}

namespace stagecraft::app {

class TransferList;
class WorkspaceDocument;

/// The export in the side panel of the Config page: the tools there are files for, each with the text that would be written
/// and what the tool has no place for. Nothing is written before Save.
class ExportPanel : public SidePanel {
    Q_OBJECT
public:
    ExportPanel(WorkspaceDocument& document, QWidget* parent);

    /// Shows what `target` (a name of workspaceExportTargets()) takes; the one chosen last when it is empty.
    void start(const QString& target = {});
    [[nodiscard]] QString target() const;
    /// The command line that writes the same files. Empty while nothing is open.
    [[nodiscard]] QString command() const;
    /// What would be written now; nothing when it cannot be exported.
    [[nodiscard]] const std::optional<WorkspaceExport>& made() const { return m_made; }
    [[nodiscard]] QString problem() const;
    /// The text shown for one of the files; a null string when there is no such file.
    [[nodiscard]] QString preview(const QString& fileName) const;
    [[nodiscard]] QListWidget* list() const { return m_list; }
    [[nodiscard]] TransferList* notes() const { return m_notes; }
    [[nodiscard]] QPushButton* saveButton() const { return m_save; }
    [[nodiscard]] QPushButton* copyButton() const { return m_copy; }
    [[nodiscard]] QPushButton* closeButton() const { return m_close; }
    [[nodiscard]] QSize sizeHint() const override { return {400, 500}; }

signals:
    /// Save: to be written where the user says.
    void saveRequested(const std::vector<stagecraft::ExportedFile>& files, const QString& title);
    void copyRequested(const QString& command);
    void commandChanged();

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void retranslate();

    WorkspaceDocument& m_document;
    std::optional<WorkspaceExport> m_made;

    PanelHeader* m_header;
    QListWidget* m_list;
    ToneLabel* m_what;
    ToneLabel* m_problem;
    QTabWidget* m_tabs;
    TransferList* m_notes;
    ToneLabel* m_hint;
    QPushButton* m_close;
    QPushButton* m_copy;
    QPushButton* m_save;
};

}  // namespace stagecraft::app
