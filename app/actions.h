// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

class QAction;
class QActionGroup;
class QMenu;
class QMenuBar;
class QWidget;

namespace stagecraft::app {

/// What an action is called outside of a menu: "Open" of "&Open…", and in a script without letters of "打开(&O)…" what stands before it.
[[nodiscard]] QString plainName(QString text);

/// Every action of the window, in one place: text, icon, tip, key, menu.
class Actions : public QObject {
    Q_OBJECT
public:
    explicit Actions(QWidget* window);

    // File
    QAction* newWorkspace;
    QAction* open;
    QAction* openDemo;
    QAction* claims;
    QAction* save;
    QAction* saveAs;
    QAction* closeWorkspace;
    QAction* importConfig;
    QAction* exportConfig;
    QAction* quit;
    // Edit
    QAction* undo;
    QAction* redo;
    QAction* find;
    QAction* copyCommand;
    QAction* settings;
    // View
    QAction* inspector;
    QAction* resetLayout;
    QAction* fillPanel;
    QAction* nextPanel;
    QAction* previousPanel;
    QAction* fullScreen;
    QAction* themeSystem;
    QAction* themeLight;
    QAction* themeDark;
    QAction* english;
    QAction* chinese;
    // Run
    QAction* launch;
    QAction* stop;
    QAction* kill;
    QAction* reattach;
    // Tools
    QAction* palette;
    QAction* subject;
    QAction* sheets;
    QAction* wizard;
    QAction* checklist;
    QAction* diffSaved;
    QAction* diffFile;
    // Help
    QAction* help;
    QAction* shortcuts;
    QAction* features;
    QAction* about;

    /// The checkable action of page `index` (Ctrl+1..9); the window fills in its name.
    QAction* addPage(const QString& iconName);
    [[nodiscard]] const std::vector<QAction*>& pages() const { return m_pages; }
    /// Every action with a text, in menu order: what the palette and the shortcut sheet list.
    [[nodiscard]] const std::vector<QAction*>& all() const { return m_all; }

    /// Does `next` when `action` is triggered, once what is still being typed is taken over; where a field refuses it, says so instead.
    void whenTaken(QAction* action, QObject* receiver, const std::function<void()>& next);

    /// Puts the actions into menus, made anew on each call.
    void fillMenus(QMenuBar* bar, QMenu* recent);
    void retranslate();
    /// Of a ds_config alone, Save writes that file and Save as makes a workspace around it.
    void nameSaveAs(bool configAlone);

    /// A tip with its key: "Save (Ctrl+S)".
    static void setTip(QAction* action, const QString& sentence);

signals:
    void editRefused(const QString& why);

private:
    QAction* make(const QString& iconName, const QKeySequence& key);
    QAction* make(const QString& iconName, QKeySequence::StandardKey key, const QKeySequence& otherwise);

    QWidget* m_window;
    QActionGroup* m_pageGroup;
    std::vector<QAction*> m_pages;
    std::vector<QAction*> m_all;
};

}  // namespace stagecraft::app
