// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/config_refusal.h"
#include "app/session/run_states.h"
#include "app/settings_store.h"
#include "app/start_page.h"

#include <QMainWindow>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <vector>

class QDockWidget;
class QMenu;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace stagecraft {
class FigureStrip;
class Inspector;
class PageRail;
class RailButton;
class ToneLabel;
struct InspectorContent;
}  // namespace stagecraft

namespace stagecraft::app {

class Actions;
class CalibrationKeeper;
class CommandLine;
class ConfigDocumentPage;
class DockBar;
class InspectorDrawer;
class LaunchJudge;
class LayoutMemory;
class DiskBanner;
class LiveBanner;
class MendBanner;
class PanelTour;
class FileFlow;
class OutputPanels;
class Page;
class PlanPage;
class PlanService;
class PlanStrip;
class RecoveryBanner;
class RecoveryJournal;
class ReportWriter;
class RunController;
class RunFlow;
class SubjectFlow;
class RunPage;
class TitleRow;
class Translations;
class WorkspaceDocument;
struct LaunchSubject;

/// What a window is started with.
struct WindowOptions {
    std::filesystem::path program;      ///< the `stagecraft` executable that runs are started with
    std::filesystem::path runsRoot;     ///< where new runs are made
    std::filesystem::path recovery;     ///< folder of recovery journals
    QString settingsFile;               ///< empty = settings are neither read nor kept
};

/// The window: creates the parts and connects them. Decisions are made in FileFlow (documents) and RunFlow (runs).
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const WindowOptions& options, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Makes a window that has not been shown small enough for a screen. @param available  what the desktop leaves free of it
    void fitInto(const QSize& available);

    [[nodiscard]] WorkspaceDocument& document() { return *m_document; }
    [[nodiscard]] RunController& runController() { return *m_runs; }
    [[nodiscard]] Actions& actions() { return *m_actions; }
    [[nodiscard]] FileFlow& files() { return *m_files; }
    [[nodiscard]] RunFlow& runFlow() { return *m_runFlow; }
    [[nodiscard]] SubjectFlow& subject() { return *m_subject; }
    [[nodiscard]] PlanService& plans() { return *m_plans; }
    [[nodiscard]] Inspector& inspector() { return *m_inspector; }
    [[nodiscard]] CalibrationKeeper& calibrations() { return *m_calibrations; }
    [[nodiscard]] OutputPanels& output() { return *m_output; }
    /// Null while the start page is shown.
    [[nodiscard]] Page* currentPage() const;
    [[nodiscard]] const std::vector<Page*>& pages() const { return m_pages; }
    /// Shows a page by its index in the rail; -1 is the start page.
    void showPage(int index);
    void setLanguage(Language language);
    void setThemeMode(theme::Mode mode);
    /// Launches what is open; the demo when nothing is.
    void launch();
    /// The recorded runs as last looked at.
    [[nodiscard]] const std::vector<RecordedRun>& runs() const { return m_recorded; }
    /// Whether there is a page that shows keys of the ds_config.
    [[nodiscard]] bool canShowKeys() const { return m_configIndex >= 0; }
    /// Goes to a key of the ds_config on the Config page.
    void showKey(const QString& pointer);
    /// A sentence in the status bar for six seconds, and in the log.
    void note(const QString& sentence);
    void noteFailure(const QString& sentence);
    void recordFailure(const QString& sentence);   // without opening the log

signals:
    /// showKey() was called: the Config page selects the key.
    void keyRequested(const QString& pointer);
    /// The first frame with its content is on the screen.
    void usable();

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeToolBar();
    void makeCentre();
    void makeStatusBar();
    void makePages();
    void makeSubject();
    void connectActions();
    void connectReference();
    void exportAs(const QString& framework);
    void connectParts();
    int addPage(Page* page, const QString& iconName);
    void retranslate();
    void documentOpened();
    void documentEdited();
    void askWhoTrains();
    void judged(const LaunchSubject& subject, const std::optional<Error>& refusal);
    void updateLaunch();
    void openAssumed();
    [[nodiscard]] LaunchSubject launchSubject() const;
    void runStateChanged();
    void planned();
    void showFindings();
    void goTo(const QString& pointer);
    void markSaved();
    void fold();
    void fillPanel();
    void exportWhatIsShown();
    void importFile(const QString& path);
    void showCommands();
    void copyCommand(const QString& command);
    void exportRun(const QString& runFolder);
    void tellDesktop(RunState state);
    [[nodiscard]] QString runFailure() const;
    void lookAround();
    void updateNames();
    void updateFacts();
    void updateLive();
    void runsChanged();
    void keepNote(const QString& sentence, bool ofStep = false);
    void updateRecent();
    /// Whether long lines of the text are wrapped is kept between starts.
    void keepWrapping();
    void resetLayout();

    SettingsStore m_settings;
    WindowOptions m_options;
    Translations* m_translations;
    WorkspaceDocument* m_document;
    RecoveryJournal* m_journal;
    PlanService* m_plans;
    RunController* m_runs;
    Actions* m_actions;
    FileFlow* m_files;
    RunFlow* m_runFlow;

    QMenu* m_recentMenu;
    ToneLabel* m_workspaceName;
    ToneLabel* m_modifiedMark;
    QPushButton* m_search;
    QPushButton* m_export;
    QPushButton* m_launch;
    PageRail* m_rail;
    RailButton* m_runEntry = nullptr;
    QStackedWidget* m_strips;
    PlanStrip* m_planStrip;
    TitleRow* m_titleRow;
    MendBanner* m_mend;
    DiskBanner* m_disk;
    RecoveryBanner* m_recovery;
    LiveBanner* m_live;
    QStackedWidget* m_stack;
    QMainWindow* m_inner;
    QDockWidget* m_inspectorDock = nullptr;   // the event filter is there before it
    QStackedWidget* m_inspectorPlace;   ///< the inspector, or what stands in its place
    Inspector* m_inspector;
    OutputPanels* m_output;
    DockBar* m_dockBar;
    ToneLabel* m_status;
    std::optional<ConfigRefusal> m_refusal;   ///< of the ds_config, by whom it is planned for
    QString m_note;                     ///< what the status bar says instead of the newest step, for a while
    bool m_noteOfStep = false;          ///< it tells the newest step: Undo stands beside it
    QTimer m_noteTime;
    QPushButton* m_undoLink;
    ToneLabel* m_facts;
    QWidget* m_dropFrame;
    QSplitter* m_outputSplit;
    InspectorDrawer* m_drawer;
    std::unique_ptr<LayoutMemory> m_layout;
    PanelTour* m_tour;
    ReportWriter* m_reports;
    LaunchJudge* m_judge;
    CalibrationKeeper* m_calibrations;

    StartPage* m_start;
    std::vector<Page*> m_pages;
    std::vector<RecordedRun> m_recorded;
    PlanPage* m_planPage = nullptr;
    SubjectFlow* m_subject = nullptr;
    RunPage* m_runPage = nullptr;
    ConfigDocumentPage* m_configPage = nullptr;
    int m_configIndex = -1;
    int m_runIndex = -1;
    bool m_closing = false;
    bool m_shown = false;
    bool m_narrow = false;
    int m_inspectorWidth;               ///< px, as last pulled or kept
};

}  // namespace stagecraft::app
