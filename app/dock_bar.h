// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <vector>

class QButtonGroup;
class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

/// The 26 px row of tabs under a page, with the command line of the page at its right. A tab opens its panel above the
/// row; the same tab closes it again.
class DockBar : public QWidget {
    Q_OBJECT
public:
    /// @param panels  the stack the row opens and closes; it is hidden while no tab is open
    DockBar(QStackedWidget* panels, QWidget* parent);

    /// Adds a tab for `panel`, which the stack takes.
    int addTab(const QString& iconName, QWidget* panel);
    void setTab(int index, const QString& text, const QString& tip);
    void setTabVisible(int index, bool visible);
    void open(int index);
    void close();
    [[nodiscard]] int current() const;
    /// @param saved  whether the files that it reads hold what the window shows
    void setCommand(const QString& command, bool saved);
    /// What stands at the right, with what is said of it.
    [[nodiscard]] const ToneLabel& commandLabel() const { return *m_command; }
    [[nodiscard]] QString command() const { return m_commandText; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void toggle(int index);

    QStackedWidget* m_panels;
    QHBoxLayout* m_row;
    std::vector<QToolButton*> m_tabs;
    ToneLabel* m_command;
    QString m_commandText;
};

}  // namespace stagecraft::app
