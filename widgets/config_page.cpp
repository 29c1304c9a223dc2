// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_page.h"

#include "config/json_edit.h"
#include "widgets/comparing_room.h"
#include "widgets/config_diff.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_presets.h"
#include "widgets/config_resolved.h"
#include "widgets/icons.h"
#include "widgets/launcher_row.h"
#include "widgets/optimizer_row.h"
#include "widgets/text_find.h"
#include "widgets/text_room.h"
#include "widgets/text_tools.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kReadingWidth = 400;   ///< px
constexpr int kRoomyWidth = 1080;    ///< px, of a page that has room for all its columns
constexpr int kReadingRoom = TextRoom::kKeysWidth + TextRoom::kFormWidth + TextRoom::kTextWidth + TextRoom::kHelpWidth;   ///< the same with what is read closely

QSplitter* lineSplitter(Qt::Orientation orientation, QWidget* parent)
{
    auto* splitter = new QSplitter(orientation, parent);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

}  // namespace

ConfigPage::ConfigPage(QWidget* parent)
    : QWidget(parent), m_model(new ConfigModel(this)), m_title(new ToneLabel(Role::Title, Token::Text, this)), m_subject(new ToneLabel(Role::Body, Token::Text2, this)),
      m_release(new QComboBox(this)), m_surroundings(new QPushButton(this)), m_takeRanks(new QPushButton(this)), m_turn(new QPushButton(this)), m_presetsButton(new QPushButton(this)), m_wizardButton(new QPushButton(this)), m_checklistButton(new QPushButton(this)), m_importButton(new QPushButton(this)),
      m_form(new ConfigForm(*m_model, this)),
      m_groups(new ConfigGroups(*m_model, *m_form->view(), this)), m_editor(new ConfigEditor(*m_model, this)), m_resolved(new ResolvedView(*m_model, this)),
      m_diff(new ConfigDiff(*m_model, this)), m_views(new QTabWidget(this)), m_find(new TextFind(*m_editor)), m_tools(new TextTools(*m_model, *m_editor, this)), m_findButton(new QToolButton(this)), m_findings(new FindingsList(*m_model, this)), m_help(new KeyHelp(*m_model, this)),
      m_presets(new ConfigPresets(*m_model, this)), m_side(new QStackedWidget(this)), m_columns(lineSplitter(Qt::Horizontal, this))
{
    auto* title = new QHBoxLayout;
    title->setContentsMargins(12, 0, 12, 0);
    title->setSpacing(8);
    title->addWidget(m_title);
    title->addWidget(m_subject);
    title->addWidget(m_release);
    title->addWidget(m_surroundings);
    title->addWidget(m_takeRanks);
    title->addStretch(1);
    title->addWidget(m_turn);
    title->addWidget(m_presetsButton);
    title->addWidget(m_wizardButton);
    title->addWidget(m_checklistButton);
    title->addWidget(m_importButton);
    offer(false, false);
    auto* bar = new QWidget(this);
    bar->setFixedHeight(36);
    bar->setLayout(title);
    m_subject->setElided(true);

    m_views->setDocumentMode(true);
    m_views->setUsesScrollButtons(false);
    m_findButton->setIcon(theme::icon(QStringLiteral("edit-find")));
    m_tools->addButton(m_findButton);
    m_views->setCornerWidget(m_tools);
    connect(m_findButton, &QToolButton::clicked, this, &ConfigPage::findInView);
    connect(m_views, &QTabWidget::currentChanged, this, &ConfigPage::retranslate);
    connect(m_find, &TextFind::replaceRequested, this, [this](const QByteArray& text, const QString& name) { emit editRequested(editBetween(m_model->text().toStdString(), text.toStdString()), name, false); });
    m_views->setElideMode(Qt::ElideRight);
    m_views->addTab(m_editor, QString());
    m_views->addTab(m_resolved, QString());
    m_views->addTab(m_diff, QString());

    auto* above = lineSplitter(Qt::Horizontal, this);
    above->addWidget(m_form);
    above->addWidget(m_views);
    // A wide window has room for long keys on one line, too.
    above->setStretchFactor(0, 1);
    above->setStretchFactor(1, 2);
    above->setSizes({452, 420});
    auto* middle = lineSplitter(Qt::Vertical, this);
    middle->addWidget(above);
    middle->addWidget(m_findings);
    middle->setStretchFactor(0, 1);
    middle->setStretchFactor(1, 0);
    middle->setSizes({520, 188});
    m_room = new ComparingRoom(*middle, *above, this);
    connect(m_views, &QTabWidget::currentChanged, this, &ConfigPage::compare);
    m_side->addWidget(m_help);
    m_side->addWidget(m_presets);
    m_groups->setMinimumWidth(TextRoom::kLeastKeysWidth);
    m_form->setMinimumWidth(TextRoom::kFormWidth);   // most keys in two lines
    m_views->setMinimumWidth(260);
    m_side->setMinimumWidth(240);
    m_columns->addWidget(m_groups);
    m_columns->addWidget(middle);
    m_columns->addWidget(m_side);
    m_columns->setStretchFactor(1, 1);
    m_columns->setSizes({TextRoom::kKeysWidth, 820, TextRoom::kHelpWidth});
    m_textRoom = new TextRoom(*m_columns, *above, this);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(m_columns, 1);

    for (const std::string& release : knownDeepSpeedReleases())
        m_release->insertItem(0, QString::fromStdString(release));
    m_release->setCurrentIndex(0);
    m_release->setObjectName(QStringLiteral("release"));
    m_release->setMinimumWidth(92);
    connect(m_release, &QComboBox::currentTextChanged, this, [this](const QString& release) {
        CheckContext context = m_model->givenContext();
        context.release = release.toStdString();
        m_model->setContext(context);
    });
    m_surroundings->setProperty("compact", true);
    m_surroundings->setObjectName(QStringLiteral("surroundings"));
    connect(m_surroundings, &QPushButton::clicked, this, &ConfigPage::surroundingsRequested);
    m_takeRanks->setProperty("compact", true);
    m_takeRanks->setObjectName(QStringLiteral("takeRanks"));
    connect(m_takeRanks, &QPushButton::clicked, m_model, &ConfigModel::requestRanks);
    connect(m_findings, &FindingsList::deepSpeedRequested, this, &ConfigPage::deepSpeedRequested);
    connect(m_findings->launcher(), &LauncherRow::launcherRequested, this, &ConfigPage::launcherRequested);
    connect(m_findings->optimizer(), &OptimizerRow::optimizerRequested, this, &ConfigPage::optimizerRequested);
    connect(m_findings->launcher(), &LauncherRow::importRequested, this, &ConfigPage::importRequested);
    m_turn->setObjectName(QStringLiteral("keysOrHelp"));
    connect(m_turn, &QPushButton::clicked, this, &ConfigPage::takeTurn);
    connect(m_presetsButton, &QPushButton::clicked, this, &ConfigPage::showPresets);
    connect(m_presets, &ConfigPresets::closed, this, [this] { showSidePanel(nullptr); });
    connect(m_model, &ConfigModel::editRequested, this, &ConfigPage::editRequested);
    connect(m_model, &ConfigModel::messageChanged, this, &ConfigPage::messageChanged);
    connect(m_model, &ConfigModel::ranksRequested, this, &ConfigPage::ranksRequested);
    connect(m_model, &ConfigModel::surroundingsRequested, this, &ConfigPage::surroundingsRequested);
    connect(m_model, &ConfigModel::changed, this, &ConfigPage::refresh);
    connect(m_model, &ConfigModel::revealRequested, this, [this] { m_views->setCurrentWidget(m_editor); });
    connect(m_findings, &FindingsList::elsewhereRequested, this, &ConfigPage::elsewhereRequested);
    connect(m_form, &ConfigForm::complained, this, &ConfigPage::messageChanged);
    connect(m_diff, &ConfigDiff::complained, this, &ConfigPage::messageChanged);
    connect(m_wizardButton, &QPushButton::clicked, this, &ConfigPage::wizardRequested);
    connect(m_checklistButton, &QPushButton::clicked, this, &ConfigPage::checklistRequested);
    connect(m_importButton, &QPushButton::clicked, this, &ConfigPage::importRequested);
    connect(m_editor, &ConfigEditor::positionChanged, this, &ConfigPage::positionChanged);

    // By keyboard as the eye goes: buttons, keys, form, text.
    setTabOrder(m_importButton, m_groups->searchField());
    setTabOrder(m_groups->searchField(), m_groups->list());
    setTabOrder(m_groups->list(), m_form->view());
    for (QWidget* region : std::initializer_list<QWidget*>{m_groups, m_form, m_views, m_findings, m_side})
        region->setProperty("region", true);   // a stop of the keys that go from panel to panel

    const auto addKey = [this](const QList<QKeySequence>& keys, void (ConfigPage::*pressed)()) {
        auto* action = new QAction(this);
        action->setShortcuts(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, pressed);
        addAction(action);
    };
    addKey({QKeySequence(QKeySequence::Find)}, &ConfigPage::find);
    addKey({Qt::ALT | Qt::Key_Return, Qt::CTRL | Qt::Key_Period}, &ConfigPage::fixCurrent);
    addKey({Qt::CTRL | Qt::Key_H}, &ConfigPage::replaceInText);
    addActions({m_tools->wrapAction(), m_tools->formatAction()});
    retranslate();
}

QWidget* ConfigPage::sidePanel() const { return m_side; }

void ConfigPage::setText(const QByteArray& text, const std::optional<Error>& broken) { m_model->setText(text, broken); }

QByteArray ConfigPage::text() const { return m_model->text(); }

void ConfigPage::setSavedText(const QByteArray& text) { m_diff->setSavedText(text); }

void ConfigPage::setFileName(const QString& name)
{
    m_fileName = name;
    retranslate();
}

void ConfigPage::setContext(const CheckContext& context)
{
    CheckContext whole = context;
    whole.release = m_release->currentText().toStdString();
    m_model->setContext(whole);
}

void ConfigPage::showKey(const QString& pointer) { m_model->setCurrent(pointer); }

void ConfigPage::showStart()
{
    m_model->setCurrent(QString());
    m_form->view()->setCurrentIndex({});
    m_findings->showStart();
    for (QAbstractScrollArea* area : findChildren<QAbstractScrollArea*>()) {
        area->verticalScrollBar()->setValue(0);
        area->horizontalScrollBar()->setValue(0);
    }
    m_editor->showStart();
}

bool ConfigPage::showHelpHere()
{
    const QWidget* focus = focusWidget();
    if (m_editor->hasFocus()) {
        m_editor->flush();
        if (m_editor->keyAtCursor().isEmpty())
            return false;
        m_editor->tellPlace();
    } else if (m_model->current().isEmpty() || !(m_form->isAncestorOf(focus) || m_findings->isAncestorOf(focus))) {
        return false;
    }
    showSidePanel(nullptr);
    if (!m_side->isVisible())
        takeTurn();
    return true;
}

bool ConfigPage::showFindings()
{
    QTableView* list = m_findings->view();
    if (m_model->answer().findings.empty())
        return false;
    if (list->selectionModel()->selectedRows().isEmpty())
        list->selectRow(0);
    list->setFocus();
    return true;
}

void ConfigPage::showPresets()
{
    showSidePanel(m_presets);
    m_presets->list()->setFocus();
}

void ConfigPage::addSidePanel(QWidget* panel)
{
    m_side->addWidget(panel);
}

void ConfigPage::offer(bool wizard, bool importing)
{
    m_wizardButton->setVisible(wizard);
    m_checklistButton->setVisible(wizard);
    m_importButton->setVisible(importing);
    m_findings->launcher()->importButton()->setVisible(importing);
}

QWidget* ConfigPage::shownPanel() const { return m_side->currentWidget() == m_help ? nullptr : m_side->currentWidget(); }

void ConfigPage::showSidePanel(QWidget* panel)
{
    QWidget* next = panel ? panel : m_help;
    m_sideInstead = next != m_help;
    if (next == m_side->currentWidget()) {
        fold();
        return;
    }
    const bool fromHelp = m_side->currentWidget() == m_help;
    const bool leaves = !fromHelp && next == m_help && m_side->isAncestorOf(QApplication::focusWidget());
    if (fromHelp && m_side->isVisible())
        m_helpWidth = m_side->width();
    m_side->setCurrentWidget(next);
    fold();
    m_columns->refresh();   // the list of keys may have gone
    if (leaves)
        m_form->view()->setFocus();   // and not wherever Qt finds the next in its chain
    // What is shown instead of the help is read closely: it gets more width, the same whatever it is, and gives it back.
    QList<int> sizes = m_columns->sizes();
    if (m_side->parentWidget() != m_columns || sizes.size() != 3)
        return;
    const int room = sizes[1] + sizes[2] - (m_form->isVisibleTo(this) ? TextRoom::kFormWidth + TextRoom::kTextWidth + 1 : m_views->minimumWidth());
    const int wanted = next == m_help ? (m_helpWidth > 0 ? m_helpWidth : TextRoom::kHelpWidth) : std::clamp(room, TextRoom::kHelpWidth, kReadingWidth);
    sizes[1] += sizes[2] - wanted;
    sizes[2] = wanted;
    m_columns->setSizes(sizes);
    giveRoom();
}

void ConfigPage::giveRoom()
{
    // The comparison has a room of its own.
    if (m_textRoom && isVisible() && m_side->parentWidget() == m_columns && m_views->currentWidget() != m_diff)
        m_textRoom->give(m_side->currentWidget() == m_help);
}

bool ConfigPage::isHelpOptional() const { return m_views->currentWidget() == m_diff && m_side->currentWidget() == m_help && width() >= kRoomyWidth; }

void ConfigPage::takeTurn()
{
    bool& turn = isHelpOptional() ? m_helpBesideDiff : m_sideInstead;
    turn = !turn;
    fold();
    m_columns->refresh();
    giveRoom();
}

void ConfigPage::compare()
{
    const bool comparing = m_views->currentWidget() == m_diff;
    if (comparing)
        m_room->set(true);
    fold();
    m_columns->refresh();   // the help takes its width back from the comparison
    m_room->set(comparing);
    giveRoom();
}

void ConfigPage::find()
{
    const QWidget* focus = focusWidget();
    const bool keys = m_groups->isAncestorOf(focus) || m_form->isAncestorOf(focus);
    if (m_editor->hasFocus() || m_find->isAncestorOf(focus))
        findInText();
    else if (!keys && m_views->currentWidget() == m_resolved)
        m_resolved->find();
    else
        findKey();
}

void ConfigPage::findInView()
{
    if (m_views->currentWidget() == m_resolved)
        m_resolved->find();
    else
        findInText();
}

void ConfigPage::findInText()
{
    m_views->setCurrentWidget(m_editor);
    m_find->open();
}

void ConfigPage::replaceInText()
{
    m_views->setCurrentWidget(m_editor);
    m_find->openReplace();
}

void ConfigPage::findKey()
{
    if (m_groups->isHidden())
        takeTurn();
    m_groups->searchField()->setFocus();
    m_groups->searchField()->selectAll();
}

void ConfigPage::fixCurrent()
{
    m_editor->flush();
    if (m_editor->hasFocus())
        m_editor->openFixes();
    else if (m_findings->isAncestorOf(focusWidget()))
        m_findings->fixCurrent();
    else if (const int finding = m_model->findingAt(m_model->current()); finding >= 0)
        m_model->fix(finding);
}

void ConfigPage::showProblem(int offset)
{
    m_views->setCurrentWidget(m_editor);
    if (const auto& error = m_model->syntaxError(); error && error->context.count("offset"))
        offset = std::stoi(error->context.at("offset"));
    if (offset >= 0)
        emit m_model->revealRequested(offset, offset);
    m_editor->setFocus();
}

void ConfigPage::showSurroundings()
{
    const CheckContext& context = m_model->context();
    const int ranks = context.ranks.value_or(context.world);
    const bool cpu = context.device == "cpu";
    const QString one = cpu ? tr("for 1 CPU rank") : tr("for 1 GPU"), some = cpu ? tr("for %1 CPU ranks") : tr("for %1 GPUs");
    const QString given = ranks == 1 ? one : some.arg(ranks);
    const auto inferred = m_model->ranksThatFit();
    m_surroundings->setText(inferred ? tr("%1, inferred").arg(given) : m_model->ranksAssumed() ? tr("%1, assumed").arg(given) : given);
    m_surroundings->setToolTip(inferred ? tr("Nobody has said how many ranks there are. The plan assumes %1, for which DeepSpeed refuses the sizes in the file; %2 is the number that they ask for, and the file is judged for it. Choose model and hardware to judge and plan for others.")
                                              .arg(m_model->givenContext().world).arg(*inferred)
                                        : tr("The ranks and the kind of device that the check starts from (data-parallel size %1). Choose model and hardware to judge for others.").arg(context.world));
    // Another number than the plan's is one click away from being the plan's as well.
    if (!inferred && m_takeRanks->hasFocus())
        m_surroundings->setFocus();   // which says what was taken over
    m_takeRanks->setVisible(inferred.has_value());
    if (inferred) {
        m_takeRanks->setText(tr("Plan for %1").arg(*inferred));
        m_takeRanks->setToolTip(tr("The plan still has %1: sets hardware and data-parallel size of the workspace to %2 ranks; one undo step").arg(m_model->givenContext().world).arg(*inferred));
    }
}

void ConfigPage::refresh()
{
    showSurroundings();
    emit checked();
}

void ConfigPage::retranslate()
{
    m_title->setText(tr("Config"));
    m_subject->setText(m_fileName.isEmpty() ? tr("checked as DeepSpeed") : tr("%1 · checked as DeepSpeed").arg(m_fileName));
    m_release->setAccessibleName(tr("DeepSpeed release to check against"));
    m_release->setToolTip(tr("The release whose rules the check follows"));
    showSurroundings();
    m_presetsButton->setText(tr("Presets…"));
    m_wizardButton->setText(tr("Wizard…"));
    m_wizardButton->setToolTip(tr("Questions one after the other, each answer with its effect"));
    m_checklistButton->setText(tr("Checklist"));
    m_checklistButton->setToolTip(tr("Good practices held against this workspace, each with the numbers that decide"));
    m_findButton->setToolTip(m_views->currentWidget() == m_resolved ? tr("Find among the resolved values (Ctrl+F)") : tr("Find in the text (Ctrl+F with the cursor in it; Ctrl+H replaces)"));
    m_findButton->setAccessibleName(m_findButton->toolTip());
    m_tools->setShown(m_views->currentWidget() == m_editor);
    m_importButton->setText(tr("Import…"));
    fold();
    m_importButton->setToolTip(tr("From accelerate, HF Trainer, LLaMA-Factory, axolotl or a launch script"));
    m_views->setTabText(0, tr("Text"));
    m_views->setTabText(1, tr("Resolved"));
    m_views->setTabToolTip(1, tr("What DeepSpeed works with; nothing is edited here. Enter or a double click goes to the value in the text"));
    m_views->setTabText(2, tr("Diff"));
}

void ConfigPage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        m_model->setContext(m_model->givenContext());  // messages of findings in the new language
        QMetaObject::invokeMethod(this, &ConfigPage::fold, Qt::QueuedConnection);   // the panels' names follow after the page's
    }
}

void ConfigPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fold();
    giveRoom();
}

void ConfigPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    QMetaObject::invokeMethod(this, &ConfigPage::giveRoom, Qt::QueuedConnection);   // once all has its first size
}

void ConfigPage::fold()
{
    // Where there is no room for all, keys and side column take turns, and a button says whose turn is next. The help of a key
    // leaves the form beside it; what is read closely takes its place as well.
    if (m_side->parentWidget() != m_columns)
        return;
    const bool help = m_side->currentWidget() == m_help;
    const bool roomy = width() >= (help ? kRoomyWidth : kReadingRoom), optional = isHelpOptional(), side = optional ? m_helpBesideDiff : roomy || m_sideInstead;
    const int needed = m_form->minimumWidth() + m_views->minimumWidth() + m_side->minimumWidth() + 2 * m_columns->handleWidth();
    const bool beside = help ? width() >= needed : width() >= kRoomyWidth;
    if (!side && m_side->isVisible() && m_side->isAncestorOf(QApplication::focusWidget()))
        m_views->setFocus();   // before what has the keyboard goes
    m_side->setVisible(side);
    m_groups->setVisible(roomy || !side);
    m_form->setVisible(roomy || !side || beside);
    m_turn->setVisible(!roomy || optional);
    if (optional) {
        m_turn->setText(side ? tr("Hide key help") : m_help->accessibleName());
        m_turn->setToolTip(side ? tr("Gives the comparison its room") : tr("Shows the help of the selected key beside the comparison"));
        return;
    }
    m_turn->setText(side ? (beside ? tr("Key list") : tr("Form")) : help ? m_help->accessibleName() : tr("Back to %1").arg(m_side->currentWidget()->accessibleName()));
    m_turn->setToolTip(side ? tr("Shows form and list of keys in the place of the column at the right") : tr("Shows the column at the right in the place of the list of keys"));
}

}  // namespace stagecraft
