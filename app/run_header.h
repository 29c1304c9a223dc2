// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/run_states.h"

#include <QWidget>

class QAction;
class QHBoxLayout;
class QPushButton;

namespace stagecraft {
class FigureStrip;
}

namespace stagecraft::app {

class RunModel;

/// The strip of the Run page: state and step, loss, throughput, step time beside the planned one, time left; when a run failed,
/// who and why. The buttons for the run stand at its right end.
class RunHeader : public QWidget {
    Q_OBJECT
public:
    /// @param stop, kill  the window's actions; null hides their buttons
    RunHeader(QAction* stop, QAction* kill, QWidget* parent = nullptr);

    void refresh(const RunModel& model, RunState state, bool reportable);
    [[nodiscard]] FigureStrip* figures() const { return m_figures; }
    [[nodiscard]] static QString durationText(double seconds);

signals:
    void reportRequested();
    void calibrationRequested();

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void retranslate();

    FigureStrip* m_figures;
    QPushButton* m_stop;
    QPushButton* m_kill;
    QPushButton* m_report;
    QPushButton* m_calibrate;
    QAction* m_stopAction;
    QAction* m_killAction;
};

}  // namespace stagecraft::app
