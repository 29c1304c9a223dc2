// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/finding_rows.h"

#include <QStackedWidget>
#include <QString>

#include <vector>

class QAction;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QToolButton;
class QTreeWidget;

namespace stagecraft {
class Panel;
}

namespace stagecraft::app {

/// What opens above the dock row: the window's own log, the findings of plan and ds_config, the command line of the page.
class OutputPanels : public QStackedWidget {
    Q_OBJECT
public:
    explicit OutputPanels(QWidget* parent = nullptr);

    [[nodiscard]] QWidget* log() const;
    [[nodiscard]] QWidget* findings() const;
    [[nodiscard]] QWidget* command() const;
    void addLogLine(const QString& sentence, bool isError);
    void setFindings(const std::vector<FindingRow>& rows);
    /// @param launch  what Launch does, on whatever page. Of an empty one there is no row.
    void setCommands(const QString& ofPage, const QString& launch);
    /// Whether the files that the command reads hold what the window shows.
    void setSaved(bool saved);
    [[nodiscard]] int findingCount() const;

signals:
    void copyCommandRequested();
    void copyRequested(const QString& command);
    /// A finding was chosen: its place in the workspace.
    void findingActivated(const QString& pointer);

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    stagecraft::Panel* m_logPanel;
    QPlainTextEdit* m_log;
    stagecraft::Panel* m_findingsPanel;
    QTreeWidget* m_findings;
    std::vector<FindingRow> m_rows;
    stagecraft::Panel* m_commandPanel;
    QLabel *m_pageLabel, *m_launchLabel;
    QLineEdit *m_command, *m_launch;
    QToolButton* m_copy;
    QAction* m_copyLaunch;
    bool m_saved = true;
};

}  // namespace stagecraft::app
