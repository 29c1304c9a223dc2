// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/page.h"
#include "config/launcher.h"

#include <QTimer>

namespace stagecraft {
class ConfigPage;
struct TextEdit;
}

namespace stagecraft::app {

class ChecklistPanel;
class ConfigWizard;
class ExportPanel;
class ImportPanel;
class KeyCurveService;
class PresetEffect;
class WorkspaceDocument;

/// The Config page on the document: its edits go onto the one undo stack, the document's text comes back.
class ConfigDocumentPage : public Page {
    Q_OBJECT
public:
    ConfigDocumentPage(WorkspaceDocument& document, QWidget* parent);

    [[nodiscard]] QString name() const override;
    [[nodiscard]] QString command() const override;
    [[nodiscard]] bool framesItself() const override { return true; }
    bool find() override;
    bool help() override;
    [[nodiscard]] QStringList facts() const override;
    void showKey(const QString& pointer);
    /// The text of the config, where it cannot be read.
    void showProblem();
    /// Why our engine, for which the workspace plans, does not train the config; empty when it does, or another is planned for.
    /// @param byDeepSpeed  DeepSpeed trains it: planning with it is offered
    void setEngineRefusal(const QString& sentence, bool byDeepSpeed = true);
    /// Who hands the ds_config to DeepSpeed; one undo step.
    void setLauncher(CheckLauncher launcher);
    /// Shows in Diff how the ds_config differs from what its file holds now, whoever wrote that.
    void compareWithFile();
    /// What differs from the saved file.
    void showDiff();
    /// Asks for another file, and shows what differs from that.
    void chooseFileToCompare();
    /// Opens the wizard in the side panel, from its first question.
    void showWizard();
    /// Opens the checklist of good practices in the side panel.
    void showChecklist();
    /// Opens the import of another tool's file in the side panel. @param opened  the workspace was opened for it
    void showImport(const QString& path, bool opened);
    /// Opens the export in the side panel, at one of its targets or at the last.
    void showExport(const QString& target = {});
    [[nodiscard]] ImportPanel& importPanel() const { return *m_import; }
    [[nodiscard]] ExportPanel& exportPanel() const { return *m_export; }
    [[nodiscard]] ChecklistPanel& checklist() const { return *m_checklist; }
    [[nodiscard]] ConfigWizard& wizard() const { return *m_wizard; }
    [[nodiscard]] ConfigPage& view() const { return *m_view; }

signals:
    /// The Import button: a file is to be asked for.
    void importRequested();
    /// Model and hardware are to be chosen.
    void subjectRequested();
    /// What is only assumed of them is to be chosen.
    void assumedRequested();
    void copyRequested(const QString& command);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void planWithDeepSpeed();
    void documentOpened();
    void documentChanged();
    /// Where the caret goes in the text that takes the place of the one before. @return false where it has no place there
    [[nodiscard]] bool keepCaret();
    void showSubject();
    void requestCurve();
    /// The undo step that this typing belongs to: one with what was typed right before it in the same place and line.
    [[nodiscard]] int typingStep(const TextEdit& edit);

    WorkspaceDocument& m_document;
    ConfigPage* m_view;
    ConfigWizard* m_wizard;
    ChecklistPanel* m_checklist;
    ImportPanel* m_import;
    ExportPanel* m_export;
    KeyCurveService* m_curves;
    PresetEffect* m_presetEffect;
    QTimer m_rest;   ///< runs while the page, unseen, has not taken in the newest text
    bool m_whole = false;   ///< the text is all of a workspace that cannot be read
    bool m_comparesWithDisk = false;
    int m_line = 1;      ///< of the cursor in the text, from 1
    int m_column = 1;
    int m_typingStep = 0, m_typedIndex = -1;
    std::size_t m_typedTo = 0;   ///< where the last typing ended
};

}  // namespace stagecraft::app
