// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/foreign_config.h"
#include "widgets/side_panel.h"

#include <optional>
#include <string>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTabWidget;
class QToolButton;

namespace stagecraft {
class PanelHeader;
class ToneLabel;
}

namespace stagecraft::app {

class TransferList;
struct WizardEffects;
class WorkspaceDocument;

/// "A ds_config", "accelerate's config", ... in the language of the window.
[[nodiscard]] QString foreignFormatTitle(ForeignFormat format);

/// The import of another tool's file in the side panel of the Config page: what the file is, what is taken, changed and dropped
/// and why, the ds_config that comes out. Nothing changes before one of the two buttons is pressed; each is one undo step.
class ImportPanel : public SidePanel {
    Q_OBJECT
public:
    ImportPanel(WorkspaceDocument& document, QWidget* parent);

    /// Reads `path` anew with nothing said beside it. @param opened  the document was opened for this: closing gives it up
    void start(const QString& path, bool opened);
    [[nodiscard]] QString path() const { return m_path; }
    /// The command line that does what "Take over" does. Empty while nothing is shown.
    [[nodiscard]] QString command() const;
    /// What came out; nothing while it is read, or when it cannot be imported.
    [[nodiscard]] const std::optional<ImportedConfig>& imported() const { return m_imported; }
    [[nodiscard]] QString problem() const;
    /// What taking it over does to memory and step time, and whether DeepSpeed takes the result.
    [[nodiscard]] const ToneLabel* effect() const { return m_effect; }
    void setRelease(const std::string& release) { m_release = release; }
    [[nodiscard]] TransferList* notes() const { return m_notes; }
    [[nodiscard]] QPushButton* takeButton() const { return m_take; }
    [[nodiscard]] QPushButton* newButton() const { return m_new; }
    [[nodiscard]] QPushButton* closeButton() const { return m_close; }
    [[nodiscard]] QLineEdit* ranksField() const { return m_ranks; }
    [[nodiscard]] QLineEdit* argumentsField() const { return m_arguments; }
    [[nodiscard]] QComboBox* formatField() const { return m_format; }
    [[nodiscard]] QPlainTextEdit* preview() const { return m_text; }
    /// Sets what was imported in the open workspace: one undo step. Where that is no longer the one it was read for, it is read
    /// anew first, since "auto" is filled with the workspace's ranks and hidden size. @return false with a message when it cannot
    bool takeOver();
    [[nodiscard]] QSize sizeHint() const override { return {400, 500}; }
    void dismiss() override;

signals:
    /// A result or a reason why there is none is shown.
    void shown();
    void effectShown();
    /// Closed without taking anything, and the workspace had been opened for it.
    void givenUp();
    /// "As a new workspace": to be opened, then takeOver() called.
    void newWorkspaceRequested(const QString& path);
    void noted(const QString& sentence);
    void commandChanged();
    void copyRequested(const QString& command);

protected:
    void changeEvent(QEvent* event) override;

private:
    void read();
    /// @param ranksKnown  somebody gave the number of ranks, or chose it in the workspace
    void showResult(const Result<ImportedConfig>& result, bool ranksKnown);
    /// Asks for what the workspace comes to with what was read.
    void requestEffect();
    void showEffect(const WizardEffects& effects);
    void retranslate();
    [[nodiscard]] Result<ImportOptions> options() const;

    WorkspaceDocument& m_document;
    QString m_path;
    bool m_opened = false;
    quint64 m_job = 0;
    quint64 m_effectJob = 0;
    std::string m_release;        ///< of DeepSpeed; empty = the newest known
    std::string m_target;         ///< the workspace it was last read for
    bool m_reading = false;       ///< the file is being read with what the fields say now
    bool m_fresh = false;   ///< it waits for the first reading of a file that somebody just chose
    bool m_takeWhenRead = false;
    std::optional<ImportedConfig> m_imported;
    bool m_ranksAssumed = false;  ///< nothing says the number of ranks, 1 stands for it

    PanelHeader* m_header;
    QToolButton* m_copy;
    QComboBox* m_format;
    QLineEdit* m_ranks;
    QLineEdit* m_hidden;
    QLineEdit* m_arguments;
    QCheckBox* m_keepAuto;
    ToneLabel* m_ranksLabel;
    ToneLabel* m_hiddenLabel;
    ToneLabel* m_argumentsLabel;
    ToneLabel* m_problem;
    ToneLabel* m_summary;
    ToneLabel* m_effect;
    QTabWidget* m_tabs;
    TransferList* m_notes;
    QPlainTextEdit* m_text;
    QPlainTextEdit* m_rest;
    QPushButton* m_close;
    QPushButton* m_new;
    QPushButton* m_take;
};

}  // namespace stagecraft::app
