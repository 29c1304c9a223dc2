// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/page.h"
#include "app/run_model.h"
#include "app/session/run_states.h"

#include <QTimer>

#include <filesystem>

class QComboBox;
class QScrollArea;
class QSplitter;
class QStackedWidget;

namespace stagecraft {
class CursorModel;
class ToneLabel;
}

namespace stagecraft::app {

class Actions;
class LogPanel;
class RunCharts;
class RunController;
class RunHeader;
class RunNotice;
class RunSelector;
class RunWatch;

/// The Run page: one run, live or recorded, read from its folder. Charts, ranks and log; what a run that is starting, failed
/// or lost has to say stands above them. Data only marks; one timer per page paints.
class RunPage : public Page {
    Q_OBJECT
public:
    /// @param controller  the run the window started or attached to; may be null
    /// @param actions  launch, stop, kill and re-attach of the window; may be null
    /// @param runsRoot  where recorded runs are listed from; may be empty
    RunPage(RunController* controller, Actions* actions, const std::filesystem::path& runsRoot, QWidget* parent = nullptr);

    [[nodiscard]] QString name() const override;
    [[nodiscard]] QString subject() const override;
    [[nodiscard]] QWidget* titleControls() override;
    [[nodiscard]] QWidget* strip() override;
    [[nodiscard]] QString command() const override;
    [[nodiscard]] InspectorContent overview() const override;
    bool find() override;
    bool exportFiles() override;

    /// Shows the run in a folder, live or recorded.
    void follow(const std::filesystem::path& runFolder);
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    [[nodiscard]] RunState shownState() const;
    [[nodiscard]] const RunModel& model() const { return *m_model; }
    [[nodiscard]] LogPanel* log() const { return m_log; }
    [[nodiscard]] RunCharts* charts() const { return m_charts; }
    [[nodiscard]] RunNotice* notice() const { return m_notice; }
    /// The recorded runs, kept up to date.
    [[nodiscard]] RunWatch* runs() const { return m_runs; }
    /// The page itself offers what should be done next: its button is the filled one of the window.
    [[nodiscard]] bool hasPrimaryButton() const;
    /// Applies what arrived and repaints what it changed; called by the page's own timer, and by tests.
    void frameTick();
    /// Reads the list of recorded runs again, in the background.
    void refreshRuns();

signals:
    /// The run on the page is live and should be the one that the window stops, kills and reports on.
    void attachRequested(const QString& runFolder);
    /// Start the run on the page anew, as another run.
    void againRequested(const QString& runFolder);
    /// Let the run on the page go on from its newest checkpoint, which the page shows to be of `step`.
    void continueRequested(const QString& runFolder, qint64 step);
    /// Write the report of this run and open it. The button is there while somebody listens.
    void reportRequested(const QString& runFolder);
    void calibrationRequested(const QString& runFolder);
    /// Write the series of this run for other programs.
    void filesRequested(const QString& runFolder);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void arrived(const std::shared_ptr<const RunBatch>& batch);
    void controllerChanged();
    void refresh();
    void updateNotice();
    void updateColors();
    void retranslate();
    void fillRuns();
    void chooseRun(int row);
    [[nodiscard]] bool isControlled() const;
    void fillRanks();
    void fold();
    void showRank(int rank);
    void inspectStep(std::int64_t step);
    void inspectRank(int rank);
    void noticeClicked(const QString& id);

    RunController* m_controller;
    Actions* m_actions;
    std::filesystem::path m_runsRoot;
    std::filesystem::path m_folder;
    std::filesystem::path m_controlled;   // the controller's run, when it was last looked at
    RunModel* m_model;
    RunFollower* m_follower;
    CursorModel* m_cursor;
    QWidget* m_controls;
    RunWatch* m_runs;
    RunSelector* m_runBox;
    QComboBox* m_rankBox;
    ToneLabel* m_ranksLabel;
    RunHeader* m_header;
    QStackedWidget* m_stack;
    RunNotice* m_empty;
    RunNotice* m_notice;
    QSplitter* m_splitter;
    QScrollArea* m_scroll;
    RunCharts* m_charts;
    LogPanel* m_log;
    ToneLabel* m_lastLine;
    QTimer m_timer;
    QString m_problem;          // why the folder cannot be read
    bool m_dirty = true;
    bool m_inspectorEmpty = true;
    bool m_logAsked = false;    // somebody searches it: it is shown however short the page is
    qint64 m_lastSecond = 0;
};

}  // namespace stagecraft::app
