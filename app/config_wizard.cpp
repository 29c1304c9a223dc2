// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_wizard.h"

#include "app/config_alone.h"
#include "app/core_errors.h"
#include "app/formats.h"
#include "app/layout_edits.h"
#include "app/session/workspace_document.h"
#include "app/subject_words.h"
#include "app/wizard_changes.h"
#include "config/json_edit.h"
#include "planner/config_advice.h"
#include "widgets/config_model.h"
#include "widgets/config_value.h"
#include "widgets/panel.h"
#include "widgets/step_name.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>
#include <QTableWidget>
#include <QThreadPool>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr std::string_view kConfig = "/dsConfig", kOfExperts = "moe";

/// The operations of `patch` on one part of the document, paths from that part's root.
nlohmann::json partOf(const nlohmann::json& patch, bool config)
{
    nlohmann::json part = nlohmann::json::array();
    for (nlohmann::json step : patch) {
        const auto path = step.at("path").get<std::string>();
        if (path.starts_with(kConfig) != config)
            continue;
        if (config)
            step["path"] = path.substr(kConfig.size());
        part.push_back(std::move(step));
    }
    return part;
}

/// An offload to NVMe that `workspace` gives no path: DeepSpeed refuses it.
bool lacksNvmePath(const nlohmann::json& workspace)
{
    const auto lacks = [&workspace](const char* section) {
        const auto offload = nlohmann::json::json_pointer("/dsConfig/zero_optimization") / section;
        return workspace.value(offload / "device", nlohmann::json()) == "nvme" && !workspace.contains(offload / "nvme_path");
    };
    return lacks("offload_optimizer") || lacks("offload_param");
}

}  // namespace

ConfigWizard::ConfigWizard(WorkspaceDocument& document, QWidget* parent)
    : SidePanel(parent), m_document(document), m_header(new PanelHeader(QString(), this)), m_column(new QVBoxLayout(this)), m_close(new QPushButton(this)),
      m_back(new QPushButton(this)), m_next(new QPushButton(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_column->addWidget(m_header);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(12, 8, 12, 8);
    buttons->setSpacing(8);
    buttons->addWidget(m_close);
    buttons->addStretch(1);
    buttons->addWidget(m_back);
    buttons->addWidget(m_next);
    m_column->addLayout(buttons);
    connect(m_close, &QPushButton::clicked, this, &ConfigWizard::dismiss);
    connect(m_back, &QPushButton::clicked, this, &ConfigWizard::back);
    connect(m_next, &QPushButton::clicked, this, [this] { questionId().isEmpty() ? apply() : next(); });
    // An edit on any page changes what the answers start from; the answers themselves stay.
    connect(&document, &WorkspaceDocument::textChanged, this, [this] {
        // Typing in the text passes through moments in which it cannot be read.
        if (isVisible() && (!m_questions.empty() || !m_problem.isEmpty()))
            resume();
    });
    connect(&document, &WorkspaceDocument::opened, this, [this] {
        m_answers.clear();
        m_at = 0;
        if (isVisible())
            start();
    });
}

void ConfigWizard::resume()
{
    const WizardAnswers kept = m_answers;
    const std::size_t at = m_at;
    const QString id = questionId();
    const bool atEnd = id.isEmpty() && !m_questions.empty();
    start();
    m_answers = kept;
    m_at = at;
    // Another workspace may ask other questions before it.
    const std::vector<WizardQuestion> open = questions();
    const auto same = std::find_if(open.begin(), open.end(), [&id](const WizardQuestion& question) { return QString::fromStdString(question.id) == id; });
    if (same != open.end() || atEnd)
        m_at = static_cast<std::size_t>(same - open.begin());
    showPage();
}

void ConfigWizard::start()
{
    m_answers.clear();
    m_at = 0;
    m_base.reset();
    m_shown.reset();
    m_toldRefusal.clear();
    m_problem.clear();
    const auto text = selfContained(m_document.text(), m_document.configFileText());
    const auto read = text.hasValue() ? JsonDocument::parse(*text) : Result<JsonDocument>(text.error());
    m_text = text.hasValue() ? *text : std::string();
    m_workspace = read.hasValue() ? read->toJson(0, true) : nlohmann::json::object();
    const auto workspace = readAroundConfig(m_text, m_document.folder());
    m_dense = workspace.hasValue() && isDense(*workspace) && !assumedOf(m_document).model;
    if (!read.hasValue())
        m_problem = errorText(read.error());
    showPage();
}

void ConfigWizard::setRelease(const std::string& release)
{
    if (release == m_release)
        return;
    m_release = release;
    m_base.reset();
    if (isVisible() && !m_questions.empty())
        requestEffects();
}

QString ConfigWizard::questionId() const
{
    return m_at < m_questions.size() ? QString::fromStdString(m_questions[m_at].id) : QString();
}

bool ConfigWizard::answer(const std::string& json)
{
    if (m_at >= m_questions.size() || !isAnswer(m_questions[m_at], json))
        return false;
    m_answers[m_questions[m_at].id] = json;
    m_questions = questions();   // one answer opens questions behind it, another closes them
    showCount();
    return true;
}

std::vector<WizardQuestion> ConfigWizard::questions()
{
    if (!m_problem.isEmpty())
        return {};
    // What the file spreads already can be taken back, whatever the model is.
    const WizardAnswers now = answersOf(m_workspace);
    const auto spread = now.find(kOfExperts);
    const bool asked = !m_dense || (spread != now.end() && spread->second == "true");
    if (!asked)
        m_answers.erase(std::string(kOfExperts));   // given for another model
    std::vector<WizardQuestion> open = openQuestions(m_workspace, m_answers);
    if (!asked)
        std::erase_if(open, [](const WizardQuestion& question) { return question.id == kOfExperts; });
    return open;
}

void ConfigWizard::showCount()
{
    const bool last = m_at >= m_questions.size();
    m_header->setSubtitle(!m_problem.isEmpty() ? QString() : last ? tr("what changes") : tr("question %1 of %2").arg(m_at + 1).arg(m_questions.size()));
}

void ConfigWizard::back()
{
    if (m_at > 0)
        --m_at;
    showPage();
}

void ConfigWizard::next()
{
    if (m_at >= m_questions.size())
        return;
    const WizardQuestion& question = m_questions[m_at];
    const WizardAnswers stands = answersOf(m_workspace.patch(wizardPatch(m_workspace, m_answers)));
    if (const auto found = stands.find(question.id); found != stands.end() && !isAnswer(question, found->second))
        if (const std::optional<std::string> shown = shownAnswer(question))
            answer(*shown);   // what is shown in place of it is taken with the step
    ++m_at;
    showPage();
}

void ConfigWizard::apply()
{
    const nlohmann::json patch = wizardPatch(m_workspace, m_answers);
    const bool file = !m_document.configPath().empty();
    const auto workspace = patched(m_document.text(), file ? partOf(patch, false) : patch);
    const auto config = file ? patched(m_document.configText(), partOf(patch, true)) : Result<std::string>(std::string());
    if (!workspace.hasValue() || !config.hasValue()) {
        emit noted(errorText(workspace.hasValue() ? config.error() : workspace.error()));
        return;
    }
    // The panel goes first: the new text is no reason to begin again.
    m_questions.clear();
    m_answers.clear();
    m_at = 0;
    const QString name = stepName([] { return tr("Wizard"); });
    m_document.undoStack().beginMacro(name);
    auto applied = m_document.applyEdit(WorkspaceDocument::Part::Workspace, editBetween(m_document.text(), *workspace), name);
    if (file && applied.hasValue())
        applied = m_document.applyEdit(WorkspaceDocument::Part::DsConfig, editBetween(m_document.configText(), *config), name);
    m_document.undoStack().endMacro();
    emit closed();
    if (!applied.hasValue())
        emit noted(errorText(applied.error()));
}

void ConfigWizard::addLabel(ToneLabel* label, int top)
{
    label->setWordWrap(true);
    label->setContentsMargins(12, top, 12, 0);
    m_page->addWidget(label);
}

void ConfigWizard::addGround(int top)
{
    m_baseLabel = new ToneLabel(QString(), Role::Small, Token::Text2, m_body);
    addLabel(m_baseLabel, top);
    m_groundLabel = new ToneLabel(QString(), Role::Small, Token::Text2, m_body);
    addLabel(m_groundLabel, 4);
}

void ConfigWizard::showPage()
{
    m_questions = questions();
    if (m_problem.isEmpty())
        m_at = std::min(m_at, m_questions.size());
    // Who goes through the questions by keyboard goes on: with the old page its focus would leave the wizard.
    const bool focused = isAncestorOf(QApplication::focusWidget());
    if (m_body) {
        // The page may go because of a key or click in it, which is still being delivered.
        m_body->hide();
        m_body->setParent(nullptr);
        m_body->deleteLater();
    }
    m_body = new QWidget(this);
    m_page = new QVBoxLayout(m_body);
    m_page->setContentsMargins(0, 0, 0, 0);
    m_page->setSpacing(0);
    m_column->insertWidget(1, m_body, 1);
    m_effectLabels.clear();
    m_effects.clear();
    m_baseLabel = m_groundLabel = nullptr;
    m_field = nullptr;
    m_header->setTitle(tr("Wizard"));
    const bool last = m_at >= m_questions.size();
    showCount();
    m_close->setText(tr("Close"));
    m_back->setText(tr("Back"));
    m_back->setEnabled(m_at > 0 && m_problem.isEmpty());
    m_next->setText(last ? tr("Apply") : tr("Next"));
    m_next->setEnabled(m_problem.isEmpty());
    setAccessibleName(tr("Wizard"));
    if (!m_problem.isEmpty())
        addLabel(new ToneLabel(tr("The text cannot be read, so there is nothing to ask about: %1").arg(m_problem), Role::Body, Token::Error, m_body), 12);
    else if (last)
        showChanges();
    else
        showQuestion(m_questions[m_at]);
    if (!last || !m_problem.isEmpty())
        m_page->addStretch(1);
    m_body->show();
    requestEffects();
    if (m_field) {
        m_field->setFocus();
    } else if (focused) {
        const QList<QRadioButton*> choices = m_body->findChildren<QRadioButton*>();
        const auto chosen = std::find_if(choices.begin(), choices.end(), [](const QRadioButton* button) { return button->isChecked(); });
        QWidget* first = chosen != choices.end() ? *chosen : choices.isEmpty() ? nullptr : choices.front();
        // Where nothing can be applied, "Apply" takes no focus, and Qt would leave it on "Back".
        (first ? first : m_next->isEnabled() ? m_next : m_close)->setFocus();
    }
}

std::optional<std::string> ConfigWizard::shownAnswer(const WizardQuestion& question) const
{
    if (const auto given = m_answers.find(question.id); given != m_answers.end() && isAnswer(question, given->second))
        return given->second;
    // As the answers so far leave it: a lower stage takes an offload to NVMe to host memory.
    const WizardAnswers now = answersOf(m_workspace.patch(wizardPatch(m_workspace, m_answers)));
    const auto found = now.find(question.id);
    if (found == now.end())
        return std::nullopt;
    if (isAnswer(question, found->second))
        return found->second;
    // An earlier answer has ruled it out, as several machines do what starts the ranks of one.
    return question.options.empty() ? std::nullopt : std::optional(question.options.front().json);
}

void ConfigWizard::showQuestion(const WizardQuestion& question)
{
    addLabel(new ToneLabel(catalogText(question.title), Role::BodyBold, Token::Text, m_body), 12);
    addLabel(new ToneLabel(catalogText(question.why), Role::Body, Token::Text2, m_body), 6);
    m_page->addSpacing(12);
    const std::optional<std::string> now = shownAnswer(question);
    const auto addEffect = [this](int left) {
        auto* label = new ToneLabel(QString(), Role::Small, Token::Text2, m_body);
        label->setContentsMargins(left, 0, 12, 8);
        label->setWordWrap(true);
        m_page->addWidget(label);
        m_effectLabels.push_back(label);
    };
    if (question.kind == WizardKind::Choice) {
        auto* group = new QButtonGroup(m_body);
        for (const WizardOption& option : question.options) {
            auto* button = new QRadioButton(catalogText(option.title), m_body);
            button->setObjectName(QString::fromStdString(option.json));
            button->setChecked(now == option.json);
            group->addButton(button);
            auto* row = new QHBoxLayout;
            row->setContentsMargins(12, 2, 12, 2);
            row->addWidget(button);
            m_page->addLayout(row);
            addEffect(34);
            connect(button, &QRadioButton::toggled, this, [this, json = option.json](bool on) {
                if (on)
                    answer(json);
            });
        }
    } else {
        m_field = new QLineEdit(m_body);
        m_field->setAccessibleName(catalogText(question.title));
        m_field->setText(now ? shownValue(QByteArray::fromStdString(*now)) : QString());
        const nlohmann::json::json_pointer at(question.pointer);
        const bool open = !question.pointer.empty() && m_workspace.contains(at) && m_workspace.at(at) == "auto";
        m_field->setPlaceholderText(open ? tr("auto: stays as it is") : tr("stays as it is"));
        m_field->selectAll();
        auto* row = new QHBoxLayout;
        row->setContentsMargins(12, 2, 12, 6);
        row->addWidget(m_field);
        m_page->addLayout(row);
        addEffect(12);
        connect(m_field, &QLineEdit::textChanged, this, [this, question](const QString& text) {
            const std::string json = question.kind == WizardKind::Path ? quoteJson(text.trimmed().toStdString()) : text.trimmed().toStdString();
            const bool empty = text.trimmed().isEmpty();
            const bool good = empty || answer(json);
            if (empty)
                m_answers.erase(question.id);
            m_field->setProperty("invalid", !good);
            m_field->update();
            m_next->setEnabled(good);
            if (good)
                requestEffects();
            else if (!m_effectLabels.empty())
                m_effectLabels.front()->setText(question.kind == WizardKind::Count ? tr("A whole number from %1 to %2.").arg(question.min).arg(question.max, 0, 'f', 0)
                                                                                   : tr("A number from %1 to %2.").arg(question.min).arg(question.max, 0, 'f', 0));
        });
    }
    // The path that stands in the field is the answer where nothing else gives one.
    if (question.kind == WizardKind::Path && now && lacksNvmePath(m_workspace.patch(wizardPatch(m_workspace, m_answers))))
        m_answers[question.id] = *now;
    addGround(8);
}

void ConfigWizard::showChanges()
{
    const nlohmann::json patch = wizardPatch(m_workspace, m_answers);
    const auto after = textUnder(m_text, m_answers);
    auto* summary = new ToneLabel(patch.empty() ? tr("The workspace says all of this already.") : tr("One undo step. All other values stay."), Role::Body, Token::Text, m_body);
    addLabel(summary, 12);
    auto* effect = new ToneLabel(QString(), Role::Small, Token::Text2, m_body);
    addLabel(effect, 4);
    m_effectLabels.push_back(effect);
    addGround(4);
    m_page->addSpacing(8);
    QTableWidget* table = wizardChanges(m_workspace, patch, m_body);
    table->setVisible(!patch.empty());
    m_page->addWidget(table, 1);
    if (patch.empty())
        m_page->addStretch(1);
    for (const std::string& note : wizardNotes(m_workspace, m_answers, contentLanguage().toStdString()))
        addLabel(new ToneLabel(QString::fromStdString(note), Role::Body, Token::Info, m_body), 8);
    if (!after.hasValue()) {
        addLabel(new ToneLabel(errorText(after.error()), Role::Body, Token::Error, m_body), 8);
        m_next->setEnabled(false);
    }
    if (patch.empty())
        m_next->setEnabled(false);
}

void ConfigWizard::requestEffects()
{
    if (!m_problem.isEmpty())
        return;
    // One text for each option, or one for what is typed; the workspace as it is, once.
    std::vector<WizardAnswers> variants;
    if (m_at < m_questions.size() && m_questions[m_at].kind == WizardKind::Choice) {
        const WizardQuestion& question = m_questions[m_at];
        const std::optional<std::string> now = shownAnswer(question);
        for (const WizardOption& option : question.options) {
            variants.push_back(m_answers);
            if (now != option.json)   // the one that stands is what the text says already, with all that it lacks
                variants.back()[question.id] = option.json;
        }
    } else {
        variants.push_back(m_answers);
    }
    m_effects.assign(variants.size(), std::nullopt);
    std::string base = baseText();
    if (base != m_baseText)
        m_base.reset();
    m_baseText = base;
    showEffects();
    const QPointer<ConfigWizard> self(this);
    QThreadPool::globalInstance()->start([self, job = ++m_job, variants, text = m_text, base = std::move(base), folder = m_document.folder(), check = WizardCheck{m_release, m_at >= m_questions.size()}] {
        std::vector<Result<std::string>> texts;
        for (const WizardAnswers& answers : variants)
            texts.push_back(textUnder(text, answers));
        const WizardEffects effects = effectsOf(base, texts, folder, check);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, job, effects] {
                if (!self || job != self->m_job)
                    return;
                self->m_base = effects.base;
                self->m_effects.assign(effects.answers.begin(), effects.answers.end());
                self->m_shown = effects;
                self->showEffects();
                emit self->effectsChanged();
            },
            Qt::QueuedConnection);
    });
}

std::string ConfigWizard::baseText() const
{
    WizardAnswers others = m_answers;
    if (m_at < m_questions.size())
        others.erase(m_questions[m_at].id);
    else
        others.clear();
    auto text = textUnder(m_text, others);
    return text.hasValue() ? std::move(text).value() : m_text;
}

void ConfigWizard::changeEvent(QEvent* event)
{
    SidePanel::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && m_body)
        showPage();
}

void ConfigWizard::keyPressEvent(QKeyEvent* event)
{
    // Enter goes on, unless one of the buttons has the keyboard: then it presses that.
    auto* button = qobject_cast<QPushButton*>(QApplication::focusWidget());
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        (button && isAncestorOf(button) ? button : m_next)->click();
    else
        SidePanel::keyPressEvent(event);
}

}  // namespace stagecraft::app
