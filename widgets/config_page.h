// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_document.h"
#include "config/launcher.h"

#include <QWidget>

class QComboBox;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace stagecraft {

class ComparingRoom;
class ConfigDiff;
class ConfigEditor;
class ConfigForm;
class ConfigGroups;
class ConfigModel;
class ConfigPresets;
class FindingsList;
class KeyHelp;
class ResolvedView;
class TextFind;
class TextRoom;
class TextTools;
class ToneLabel;
struct CheckContext;

/// The Config page: one ds_config as form, text, resolved values and differences, with findings and the help of the key at hand.
///
/// The page changes nothing by itself. An edit leaves as `editRequested`; the owner applies it to its document, puts it on its
/// undo stack (merging those with `typing` set that touch each other) and answers with setText(). Undo is a setText() too.
class ConfigPage : public QWidget {
    Q_OBJECT
public:
    explicit ConfigPage(QWidget* parent = nullptr);

    void setText(const QByteArray& text, const std::optional<Error>& broken = {});   ///< as ConfigModel::setText
    [[nodiscard]] QByteArray text() const;
    /// What Diff compares with; the file as it was loaded or last saved.
    void setSavedText(const QByteArray& text);
    void setFileName(const QString& name);
    /// Ranks, launcher and the rest of what the check needs to know. The release shown in the page's field wins.
    void setContext(const CheckContext& context);
    /// Selects a key in all views, e.g. from the palette or a finding elsewhere.
    void showKey(const QString& pointer);
    /// No key selected, and every view at its beginning: another text is shown.
    void showStart();
    /// The help of the key at the cursor of the text, of the form or of the findings, wherever the keyboard is.
    /// @return false when it is at none
    bool showHelpHere();
    /// The keyboard in the list of findings, at the first unless one is selected.
    /// @return false when nothing was found here
    bool showFindings();

    [[nodiscard]] ConfigModel& model() const { return *m_model; }
    [[nodiscard]] ConfigEditor* editor() const { return m_editor; }
    [[nodiscard]] ConfigForm* form() const { return m_form; }
    [[nodiscard]] ConfigGroups* groups() const { return m_groups; }
    /// The button that says for which ranks and devices the file is judged.
    [[nodiscard]] QPushButton* surroundings() const { return m_surroundings; }
    /// Beside it while the file is judged for a number of ranks that its sizes ask for, and the plan has another: the plan takes it over.
    [[nodiscard]] QPushButton* takeRanksButton() const { return m_takeRanks; }
    [[nodiscard]] FindingsList* findings() const { return m_findings; }
    /// The side panel (key help, or presets while they are chosen). An owner with an inspector of its own may move it there.
    [[nodiscard]] QWidget* sidePanel() const;
    /// Adds a panel that stands where the key help stands while it is shown: the owner's wizard, import, export. All are of one
    /// width.
    void addSidePanel(QWidget* panel);
    /// Shows the buttons that ask the owner for its wizard and checklist, and for its import.
    void offer(bool wizard, bool importing);
    /// The panel that stands in the place of the key help; null while that is there itself.
    [[nodiscard]] QWidget* shownPanel() const;
    /// Null brings the key help back.
    void showSidePanel(QWidget* panel);
    [[nodiscard]] ConfigDiff* diff() const { return m_diff; }
    [[nodiscard]] KeyHelp* keyHelp() const { return m_help; }
    [[nodiscard]] ConfigPresets* presets() const { return m_presets; }
    [[nodiscard]] QTabWidget* views() const { return m_views; }
    [[nodiscard]] ResolvedView* resolved() const { return m_resolved; }
    [[nodiscard]] TextFind* textFind() const { return m_find; }
    [[nodiscard]] TextTools* textTools() const { return m_tools; }

public slots:
    void showPresets();
    /// Goes to the search for a key; with the focus in the text, to the search in the text; while the resolved values are shown
    /// and the focus is not among the keys, to the search in them.
    void find();
    void findKey();
    void findInText();
    void findInView();
    void replaceInText();
    void fixCurrent();
    /// The text, at byte `offset` or, without one, at the place that cannot be read.
    void showProblem(int offset = -1);

signals:
    void editRequested(const stagecraft::TextEdit& edit, const QString& name, bool typing);
    /// A sentence for the status bar.
    void messageChanged(const QString& message);
    void positionChanged(int line, int column);
    void wizardRequested();
    void checklistRequested();
    void importRequested();
    /// Ranks and devices that the check starts from are to be chosen.
    void surroundingsRequested();
    /// DeepSpeed is to be planned with instead of what does not take the file.
    void deepSpeedRequested();
    /// Who hands the file to DeepSpeed is chosen.
    void launcherRequested(CheckLauncher launcher);
    /// The training script gives the optimizer, or does not any more.
    void optimizerRequested(bool byScript);
    /// The file is to be judged for so many ranks instead of an assumed one.
    void ranksRequested(int ranks);
    /// The findings about other parts of the workspace are to be shown.
    void elsewhereRequested();
    /// The verdict or the number of findings may be different.
    void checked();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void retranslate();
    void refresh();
    void showSurroundings();
    void fold();
    void giveRoom();
    void takeTurn();
    void compare();
    /// Files are compared, with the key help in the side column: that gives way to them unless it is asked for.
    [[nodiscard]] bool isHelpOptional() const;

    ConfigModel* m_model;
    ToneLabel* m_title;
    ToneLabel* m_subject;
    QComboBox* m_release;
    QPushButton* m_surroundings;
    QPushButton* m_takeRanks;
    QPushButton* m_turn;   ///< in a narrow window: the list of keys or what stands in the side column; while files are compared: the key help
    QPushButton* m_presetsButton;
    QPushButton* m_wizardButton;
    QPushButton* m_checklistButton;
    QPushButton* m_importButton;
    ConfigForm* m_form;
    ConfigGroups* m_groups;
    ConfigEditor* m_editor;
    ResolvedView* m_resolved;
    ConfigDiff* m_diff;
    QTabWidget* m_views;
    TextFind* m_find;
    TextTools* m_tools;
    QToolButton* m_findButton;
    FindingsList* m_findings;
    KeyHelp* m_help;
    ConfigPresets* m_presets;
    QStackedWidget* m_side;
    QSplitter* m_columns;
    ComparingRoom* m_room = nullptr;
    TextRoom* m_textRoom = nullptr;
    QString m_fileName;
    bool m_sideInstead = false;   ///< in a narrow window the side column stands in the place of the list of keys
    bool m_helpBesideDiff = false;
    int m_helpWidth = 0;   ///< of the side column while the key help is in it
};

}  // namespace stagecraft
