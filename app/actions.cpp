// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/actions.h"

#include "app/pending_edit.h"
#include "widgets/icons.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QWidget>

namespace stagecraft::app {

Actions::Actions(QWidget* window) : QObject(window), m_window(window), m_pageGroup(new QActionGroup(this))
{
    newWorkspace = make(QStringLiteral("document-new"), QKeySequence::New, Qt::CTRL | Qt::Key_N);
    open = make(QStringLiteral("document-open"), QKeySequence::Open, Qt::CTRL | Qt::Key_O);
    openDemo = make(QStringLiteral("run"), {});
    claims = make(QStringLiteral("compare"), {});
    save = make(QStringLiteral("document-save"), QKeySequence::Save, Qt::CTRL | Qt::Key_S);
    saveAs = make(QStringLiteral("document-save"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
    closeWorkspace = make(QStringLiteral("window-close"), QKeySequence::Close, Qt::CTRL | Qt::Key_W);
    importConfig = make(QStringLiteral("document-open"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_I));
    exportConfig = make(QStringLiteral("document-export"), QKeySequence(Qt::CTRL | Qt::Key_E));
    quit = make(QStringLiteral("window-close"), QKeySequence::Quit, Qt::CTRL | Qt::Key_Q);
    quit->setMenuRole(QAction::QuitRole);

    undo = make(QStringLiteral("edit-undo"), QKeySequence::Undo, Qt::CTRL | Qt::Key_Z);
    redo = make(QStringLiteral("edit-redo"), QKeySequence::Redo, Qt::CTRL | Qt::SHIFT | Qt::Key_Z);
    QList<QKeySequence> keys = redo->shortcuts();   // each half of the programs has one of the two
    for (const QKeyCombination other : {QKeyCombination(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeyCombination(Qt::CTRL | Qt::Key_Y)})
        if (!keys.contains(QKeySequence(other)))
            keys << QKeySequence(other);
    redo->setShortcuts(keys);
    find = make(QStringLiteral("edit-find"), QKeySequence::Find, Qt::CTRL | Qt::Key_F);
    copyCommand = make(QStringLiteral("edit-copy"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
    settings = make(QStringLiteral("configure"), QKeySequence(Qt::CTRL | Qt::Key_Comma));
    settings->setMenuRole(QAction::PreferencesRole);

    inspector = make(QStringLiteral("dialog-information"), QKeySequence(Qt::CTRL | Qt::Key_I));
    inspector->setCheckable(true);
    inspector->setChecked(true);
    resetLayout = make(QStringLiteral("view-refresh"), {});
    fillPanel = make(QStringLiteral("view-fullscreen"), QKeySequence(Qt::Key_F11));
    fillPanel->setCheckable(true);
    nextPanel = make(QStringLiteral("go-next"), QKeySequence(Qt::CTRL | Qt::Key_Tab));
    previousPanel = make({}, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab));
    fullScreen = make(QStringLiteral("view-fullscreen"), QKeySequence(Qt::SHIFT | Qt::Key_F11));
    fullScreen->setCheckable(true);
    auto* themes = new QActionGroup(this);
    for (QAction** action : {&themeSystem, &themeLight, &themeDark}) {
        *action = make({}, {});
        (*action)->setCheckable(true);
        themes->addAction(*action);
    }
    auto* languages = new QActionGroup(this);
    for (QAction** action : {&english, &chinese}) {
        *action = make({}, {});
        (*action)->setCheckable(true);
        languages->addAction(*action);
    }

    launch = make(QStringLiteral("media-playback-start"), QKeySequence(Qt::Key_F5));
    stop = make(QStringLiteral("media-playback-stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5));
    kill = make(QStringLiteral("process-stop"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F5));
    reattach = make(QStringLiteral("view-refresh"), QKeySequence(Qt::Key_F6));

    palette = make(QStringLiteral("edit-find"), QKeySequence(Qt::CTRL | Qt::Key_K));
    subject = make(QStringLiteral("chip"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M));
    sheets = make(QStringLiteral("chip"), {});
    wizard = make(QStringLiteral("config"), {});
    checklist = make(QStringLiteral("emblem-ok"), {});
    diffSaved = make(QStringLiteral("compare"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D));
    diffFile = make(QStringLiteral("compare"), {});
    help = make(QStringLiteral("help-contents"), QKeySequence(Qt::Key_F1));
    shortcuts = make(QStringLiteral("dialog-information"), QKeySequence(Qt::CTRL | Qt::Key_Slash));
    features = make(QStringLiteral("help-contents"), {});
    about = make(QStringLiteral("dialog-information"), {});
    about->setMenuRole(QAction::AboutRole);
    m_pageGroup->setExclusive(true);
    retranslate();
}

QAction* Actions::make(const QString& iconName, const QKeySequence& key)
{
    auto* action = new QAction(this);
    if (!iconName.isEmpty())
        action->setIcon(theme::icon(iconName));
    action->setShortcut(key);
    m_window->addAction(action);
    m_all.push_back(action);
    return action;
}

QAction* Actions::make(const QString& iconName, QKeySequence::StandardKey key, const QKeySequence& otherwise)
{
    // Where a platform theme knows no key for it (offscreen, bare window managers), the documented one serves.
    QKeySequence chosen(key);
    return make(iconName, chosen.isEmpty() ? otherwise : chosen);
}

void Actions::whenTaken(QAction* action, QObject* receiver, const std::function<void()>& next)
{
    connect(action, &QAction::triggered, receiver, [this, next] {
        if (const QString why = takePendingEdit(*m_window); why.isEmpty())
            next();
        else
            emit editRefused(why);
    });
}

QAction* Actions::addPage(const QString& iconName)
{
    auto* action = make(iconName, QKeySequence(static_cast<int>(Qt::CTRL) | (Qt::Key_1 + static_cast<int>(m_pages.size()))));
    action->setCheckable(true);
    m_pageGroup->addAction(action);
    m_pages.push_back(action);
    return action;
}

void Actions::setTip(QAction* action, const QString& sentence)
{
    const QString key = action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(key.isEmpty() ? sentence : QStringLiteral("%1 (%2)").arg(sentence, key));
    action->setStatusTip({});
}

void Actions::retranslate()
{
    const auto name = [](QAction* action, const char* text, const char* tip) {
        action->setText(tr(text));
        action->setProperty("english", QString::fromUtf8(text));   // the palette finds it by both names
        setTip(action, tr(tip));
    };
    name(newWorkspace, QT_TR_NOOP("&New workspace"), QT_TR_NOOP("Plan for a model and hardware"));
    name(open, QT_TR_NOOP("&Open…"), QT_TR_NOOP("Open a workspace or a config"));
    name(openDemo, QT_TR_NOOP("Open the &demo"), QT_TR_NOOP("Open the demo workspace"));
    name(claims, QT_TR_NOOP("&Published claims…"), QT_TR_NOOP("Recommendations and claims of tutorials, held against the plan; any opens as a workspace"));
    name(save, QT_TR_NOOP("&Save"), QT_TR_NOOP("Save"));
    name(saveAs, QT_TR_NOOP("Save &as…"), QT_TR_NOOP("Save under another name"));
    name(closeWorkspace, QT_TR_NOOP("&Close workspace"), QT_TR_NOOP("Close the workspace"));
    name(importConfig, QT_TR_NOOP("&Import…"), QT_TR_NOOP("Import a file of accelerate, HF Trainer, LLaMA-Factory, axolotl or a launch script"));
    name(exportConfig, QT_TR_NOOP("&Export…"), QT_TR_NOOP("Export for other tools"));
    exportConfig->setIconText(tr("Export"));
    name(quit, QT_TR_NOOP("&Quit"), QT_TR_NOOP("Quit"));
    name(undo, QT_TR_NOOP("&Undo"), QT_TR_NOOP("Undo"));
    name(redo, QT_TR_NOOP("&Redo"), QT_TR_NOOP("Redo"));
    name(find, QT_TR_NOOP("&Find…"), QT_TR_NOOP("Find in the panel"));
    name(copyCommand, QT_TR_NOOP("&Copy the command line"), QT_TR_NOOP("Copy the command line of this page"));
    name(settings, QT_TR_NOOP("&Settings…"), QT_TR_NOOP("Settings"));
    settings->setIconText(QString());
    name(inspector, QT_TR_NOOP("&Inspector"), QT_TR_NOOP("Show or hide the inspector"));
    name(resetLayout, QT_TR_NOOP("&Reset layout"), QT_TR_NOOP("Reset the layout of the window"));
    name(fillPanel, QT_TR_NOOP("&Fill the page with the panel"), QT_TR_NOOP("Let the panel fill the page, or put it back"));
    name(nextPanel, QT_TR_NOOP("&Next panel"), QT_TR_NOOP("Go to the next panel"));
    name(previousPanel, QT_TR_NOOP("&Previous panel"), QT_TR_NOOP("Go to the previous panel"));
    name(fullScreen, QT_TR_NOOP("F&ull screen"), QT_TR_NOOP("Full screen"));
    name(themeSystem, QT_TR_NOOP("&System"), QT_TR_NOOP("Theme of the system"));
    name(themeLight, QT_TR_NOOP("&Light"), QT_TR_NOOP("Light theme"));
    name(themeDark, QT_TR_NOOP("&Dark"), QT_TR_NOOP("Dark theme"));
    // Languages are named in themselves, so that a person finds the way back.
    english->setText(QStringLiteral("English"));
    chinese->setText(QStringLiteral("简体中文"));
    setTip(english, english->text());
    setTip(chinese, chinese->text());
    name(launch, QT_TR_NOOP("&Launch"), QT_TR_NOOP("Launch"));
    name(stop, QT_TR_NOOP("&Stop"), QT_TR_NOOP("Stop after the running step"));
    name(kill, QT_TR_NOOP("&Kill…"), QT_TR_NOOP("Kill all ranks at once"));
    name(reattach, QT_TR_NOOP("&Re-attach"), QT_TR_NOOP("Re-attach to a running run"));
    name(palette, QT_TR_NOOP("&Search or run a command…"), QT_TR_NOOP("Search or run a command"));
    name(subject, QT_TR_NOOP("&Model and hardware…"), QT_TR_NOOP("Choose model and hardware"));
    name(sheets, QT_TR_NOOP("&Device sheets…"), QT_TR_NOOP("Every figure that plans take of a device, with its source; your own sheets"));
    name(wizard, QT_TR_NOOP("Config &wizard…"), QT_TR_NOOP("Ask for the ds_config question by question"));
    name(checklist, QT_TR_NOOP("Config chec&klist"), QT_TR_NOOP("Hold good practices against this workspace"));
    name(diffSaved, QT_TR_NOOP("Config diff: &compare with the saved file"), QT_TR_NOOP("What differs from the saved ds_config, by meaning and by text"));
    name(diffFile, QT_TR_NOOP("Config diff: compare with another &file…"), QT_TR_NOOP("What differs from another ds_config, by meaning and by text"));
    name(help, QT_TR_NOOP("&Help"), QT_TR_NOOP("Help on what has the focus"));
    name(shortcuts, QT_TR_NOOP("&Keyboard shortcuts"), QT_TR_NOOP("All keyboard shortcuts"));
    name(features, QT_TR_NOOP("&DeepSpeed and FSDP2…"), QT_TR_NOOP("What DeepSpeed and FSDP2 have, feature by feature"));
    name(about, QT_TR_NOOP("&About Stagecraft"), QT_TR_NOOP("About Stagecraft"));
}

void Actions::nameSaveAs(bool configAlone)
{
    const char* text = configAlone ? QT_TR_NOOP("Save workspace &as…") : QT_TR_NOOP("Save &as…");
    saveAs->setText(tr(text));
    saveAs->setProperty("english", QString::fromUtf8(text));
    setTip(saveAs, configAlone ? tr("Make a workspace around this ds_config: model, hardware and layout are kept in it") : tr("Save under another name"));
}

QString plainName(QString text)
{
    static const QRegularExpression key(QStringLiteral("\\s*\\(&\\w\\)"));
    return text.remove(key).remove(QLatin1Char('&')).remove(QChar(0x2026));
}

void Actions::fillMenus(QMenuBar* bar, QMenu* recent)
{
    // Taken off the bar they would stay its children, one set more with each change of language.
    for (QMenu* menu : bar->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly))
        menu->deleteLater();
    bar->clear();
    QMenu* file = bar->addMenu(tr("&File"));
    file->addActions({newWorkspace, open});
    recent->setTitle(tr("Open &recent"));
    file->addMenu(recent);
    file->addActions({openDemo, claims});
    file->addSeparator();
    file->addActions({save, saveAs, closeWorkspace});
    file->addSeparator();
    file->addActions({importConfig, exportConfig});
    file->addSeparator();
    file->addAction(quit);

    QMenu* edit = bar->addMenu(tr("&Edit"));
    edit->addActions({undo, redo});
    edit->addSeparator();
    edit->addActions({find, copyCommand});
    edit->addSeparator();
    edit->addAction(settings);

    QMenu* view = bar->addMenu(tr("&View"));
    for (QAction* page : m_pages)
        view->addAction(page);
    view->addSeparator();
    view->addActions({nextPanel, previousPanel, fillPanel});
    view->addSeparator();
    view->addActions({inspector, fullScreen, resetLayout});
    view->addSeparator();
    QMenu* theme = view->addMenu(tr("&Theme"));
    theme->addActions({themeSystem, themeLight, themeDark});
    QMenu* language = view->addMenu(tr("&Language"));
    language->addActions({english, chinese});

    QMenu* run = bar->addMenu(tr("&Run"));
    run->addActions({launch, stop, kill});
    run->addSeparator();
    run->addAction(reattach);

    QMenu* tools = bar->addMenu(tr("&Tools"));
    tools->addActions({palette, subject, sheets, wizard, checklist, diffSaved, diffFile});

    QMenu* helpMenu = bar->addMenu(tr("&Help"));
    helpMenu->addActions({help, shortcuts, features});
    helpMenu->addSeparator();
    helpMenu->addAction(about);
}

}  // namespace stagecraft::app
