// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs.h"

#include "app/actions.h"
#include "app/main_window.h"
#include "app/settings_store.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFile>
#include <QFormLayout>
#include <QHeaderView>
#include <QLibraryInfo>
#include <QLocale>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QToolTip>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <functional>
#include <utility>

// The texts are compiled into a static library: the linker would drop them if nothing named them.
static void keepAboutResources()
{
    Q_INIT_RESOURCE(about);
}

namespace stagecraft::app {

namespace {

using theme::Role;
using theme::Token;

struct DialogWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::DialogWords)
};

/// Says its words again when the language changes: it may be chosen in one of these dialogs.
class WordedDialog : public QDialog {
public:
    WordedDialog(MainWindow& window, const char* name) : QDialog(&window)
    {
        setObjectName(QString::fromLatin1(name));
        setAttribute(Qt::WA_DeleteOnClose);
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(16, 16, 16, 12);
        column->setSpacing(12);
    }

    /// @param words  sets every text of the dialog; called now and in each new language
    void say(std::function<void()> words)
    {
        m_words = std::move(words);
        m_words();
    }

protected:
    void changeEvent(QEvent* event) override
    {
        QDialog::changeEvent(event);
        if (event->type() == QEvent::LanguageChange && m_words)
            m_words();
    }

private:
    std::function<void()> m_words;
};

void addCloseButton(QDialog* made)
{
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, made);
    QObject::connect(buttons, &QDialogButtonBox::rejected, made, &QDialog::close);
    made->layout()->addWidget(buttons);
}

QString readResource(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QPlainTextEdit* textPage(const QString& text, QWidget* parent)
{
    auto* page = new QPlainTextEdit(text, parent);
    page->setReadOnly(true);
    page->setFont(theme::font(Role::FixedSmall));
    page->setFrameShape(QFrame::NoFrame);
    return page;
}

}  // namespace

void showSettings(MainWindow& window, const SettingsStore& settings)
{
    auto* made = new WordedDialog(window, "settingsDialog");
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(8);
    auto* themes = new QComboBox(made);
    themes->addItems({{}, {}, {}});
    themes->setCurrentIndex(static_cast<int>(settings.now().theme));
    auto* themeLabel = new QLabel(made);
    themeLabel->setBuddy(themes);
    form->addRow(themeLabel, themes);
    auto* languages = new QComboBox(made);
    languages->addItems({QStringLiteral("English"), QStringLiteral("简体中文")});
    languages->setCurrentIndex(window.actions().chinese->isChecked() ? 1 : 0);
    auto* languageLabel = new QLabel(made);
    languageLabel->setBuddy(languages);
    form->addRow(languageLabel, languages);
    static_cast<QVBoxLayout*>(made->layout())->addLayout(form);
    auto* where = new ToneLabel({}, Role::Small, Token::Text2, made);
    where->setTextInteractionFlags(Qt::TextSelectableByMouse);
    made->layout()->addWidget(where);
    addCloseButton(made);
    made->say([=, file = settings.file()] {
        made->setWindowTitle(DialogWords::tr("Settings"));
        themeLabel->setText(DialogWords::tr("&Theme"));
        const QStringList names{DialogWords::tr("As the system"), DialogWords::tr("Light"), DialogWords::tr("Dark")};
        for (int i = 0; i < names.size(); ++i)
            themes->setItemText(i, names[i]);
        languageLabel->setText(DialogWords::tr("&Language"));
        where->setText(DialogWords::tr("Kept in %1").arg(file));
        where->setHidden(file.isEmpty());
    });
    QObject::connect(themes, &QComboBox::activated, &window, [&window](int index) { window.setThemeMode(static_cast<theme::Mode>(index)); });
    QObject::connect(languages, &QComboBox::activated, &window, [&window](int index) { window.setLanguage(static_cast<Language>(index)); });
    made->open();
}

void showShortcuts(MainWindow& window, const Actions& actions)
{
    auto* made = new WordedDialog(window, "shortcutSheet");
    auto* list = new QTreeWidget(made);
    list->setRootIsDecorated(false);
    list->setAlternatingRowColors(true);
    list->setUniformRowHeights(true);
    made->layout()->addWidget(list);
    addCloseButton(made);
    made->say([made, list, shown = actions.all()] {
        made->setWindowTitle(DialogWords::tr("Keyboard shortcuts"));
        list->clear();
        list->setHeaderLabels({DialogWords::tr("Action"), DialogWords::tr("Keys")});
        list->setAccessibleName(made->windowTitle());
        const auto add = [list](const QString& what, const QString& keys) {
            auto* item = new QTreeWidgetItem(list, {what, keys});
            item->setFont(1, theme::font(Role::Fixed));
            item->setSizeHint(0, QSize(0, 24));
        };
        for (const QAction* action : shown)
            if (!action->shortcut().isEmpty())
                add(plainName(action->text()), action->shortcut().toString(QKeySequence::NativeText));
        add(DialogWords::tr("In the ds_config: quick fix"), QStringLiteral("Alt+Enter, Ctrl+."));
        add(DialogWords::tr("In painted views: move, choose"), DialogWords::tr("Arrow keys, Enter"));
        add(DialogWords::tr("Timeline: zoom, pan, fit"), QStringLiteral("W S, A D, F"));
    });
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list->header()->setStretchLastSection(false);
    list->header()->resizeSection(1, 180);
    made->resize(520, 620);
    made->open();
}

void showAbout(MainWindow& window)
{
    keepAboutResources();
    auto* made = new WordedDialog(window, "aboutDialog");
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    auto* mark = new QLabel(made);
    mark->setPixmap(QIcon(QStringLiteral(":/icons/stagecraft.svg")).pixmap(QSize(56, 56), made->devicePixelRatioF()));
    row->addWidget(mark, 0, Qt::AlignTop);
    auto* lines = new QVBoxLayout;
    lines->setSpacing(4);
    lines->addWidget(new ToneLabel(QStringLiteral("Stagecraft ") + QCoreApplication::applicationVersion(), Role::StartTitle, Token::Text, made));
    auto* what = new ToneLabel({}, Role::Body, Token::Text2, made);
    lines->addWidget(what);
    auto* builtWith = new ToneLabel({}, Role::Small, Token::Text2, made);
    lines->addWidget(builtWith);
    row->addLayout(lines, 1);
    static_cast<QVBoxLayout*>(made->layout())->addLayout(row);
    auto* tabs = new QTabWidget(made);
    tabs->addTab(textPage(readResource(QStringLiteral(":/about/third_party.txt")), tabs), {});
    tabs->addTab(textPage(readResource(QStringLiteral(":/about/LICENSE")), tabs), {});
    made->layout()->addWidget(tabs);
    addCloseButton(made);
    made->say([=] {
        made->setWindowTitle(DialogWords::tr("About Stagecraft"));
        what->setText(DialogWords::tr("Plan, run and explain sharded training"));
        builtWith->setText(DialogWords::tr("Qt %1, built with %2; free software under the GPL, version 3 or later").arg(QLatin1String(qVersion()), QStringLiteral(QT_VERSION_STR)));
        tabs->setTabText(0, DialogWords::tr("Third-party notices"));
        tabs->setTabText(1, DialogWords::tr("Licence"));
    });
    made->resize(640, 520);
    made->open();
}

void showHelp(MainWindow& window)
{
    QWidget* focus = QApplication::focusWidget();
    if (!focus)
        focus = &window;
    QString name = focus->accessibleName();
    QString text = focus->accessibleDescription().isEmpty() ? focus->toolTip() : focus->accessibleDescription();
    if (text.isEmpty() && focus->parentWidget())
        text = focus->parentWidget()->toolTip();
    if (name.isEmpty() && text.isEmpty()) {
        showShortcuts(window, window.actions());
        return;
    }
    QToolTip::showText(focus->mapToGlobal(QPoint(8, focus->height() + 4)), text.isEmpty() ? name : name.isEmpty() ? text : name + QLatin1Char('\n') + text, focus);
}

}  // namespace stagecraft::app
