// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_help.h"

#include "config/key_releases.h"
#include "widgets/config_fix.h"
#include "widgets/config_model.h"
#include "widgets/config_value.h"
#include "widgets/panel.h"
#include "widgets/step_curve_view.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <nlohmann/json.hpp>

#include <QClipboard>
#include <QEvent>
#include <QFrame>
#include <QGridLayout>
#include <QGuiApplication>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr QChar kMayBreak(0x200B);   ///< has no width, and a line may end at it

bool isRefused(const CheckAnswer& answer, const QString& pointer)
{
    return std::any_of(answer.findings.begin(), answer.findings.end(), [at = pointer.toStdString()](const CheckFinding& finding) {
        return finding.pointer == at && finding.severity == CheckSeverity::Error && finding.effect == CheckEffect::Refused;
    });
}

/// A text whose long names may go on in the next line at any place: behind a mark in them, or else behind a few letters.
QString breakable(const QString& text)
{
    constexpr qsizetype kWhole = 24, kPiece = 12;   // characters
    constexpr char32_t kFirstOfEastAsia = 0x2E80;   // those break anywhere by themselves
    static const QString kMarks = QStringLiteral("/\\_.,:;=-");
    QString made;
    for (qsizetype at = 0; at < text.size();) {
        qsizetype end = at;
        while (end < text.size() && !text[end].isSpace() && text[end].unicode() < kFirstOfEastAsia)
            ++end;
        if (end == at) {
            made += text[at++];
            continue;
        }
        for (qsizetype piece = 0, whole = end - at; at < end; ++at) {
            made += text[at];
            piece = kMarks.contains(text[at]) ? 0 : piece + 1;
            if (whole > kWhole && at + 1 < end && (piece == 0 || piece % kPiece == 0))
                made += kMayBreak;
        }
    }
    return made;
}

}  // namespace

QString describedKey(const ConfigModel& config, const QString& pointer)
{
    const JsonDocument& document = config.document();
    const std::string asked = pointer.toStdString();
    int list = -1;
    for (int at = KeyCatalog::standard().find(asked, &document) < 0 ? document.find(asked) : -1; at > 0; at = document.node(at).parent)
        if (document.node(document.node(at).parent).kind == JsonKind::Array)
            list = document.node(at).parent;
    return list > 0 ? QString::fromStdString(document.pointerOf(list)) : pointer;
}

KeyHelp::KeyHelp(ConfigModel& config, QWidget* parent)
    : QWidget(parent), m_config(config), m_header(new PanelHeader(QString(), this)), m_scroll(new QScrollArea(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_scroll, 1);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QToolButton* copy = m_header->addTool(QStringLiteral("edit-copy"), tr("Copy this help"));
    connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(plainText()); });
    connect(&config, &ConfigModel::changed, this, &KeyHelp::refresh);
    connect(&config, &ConfigModel::currentChanged, this, &KeyHelp::refresh);
    refresh();
}

ToneLabel* KeyHelp::words(const QString& text, Role role, Token token, QWidget* parent) const
{
    const QString shown = breakable(text);
    auto* label = new ToneLabel(shown, role, token, parent);
    label->setWordWrap(true);
    // Who copies a part would copy the breaks of a name with it; the button copies without.
    if (shown == text)
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    else
        label->setAccessibleName(text);
    return label;
}

void KeyHelp::addRule()
{
    if (m_column->count() == 0)
        return;
    auto* line = new QFrame(m_body);
    line->setFixedHeight(1);
    line->setAutoFillBackground(true);
    line->setBackgroundRole(QPalette::Mid);
    m_column->addWidget(line);
}

void KeyHelp::addSection(const QString& title, QWidget* content)
{
    addRule();
    auto* section = new QWidget(m_body);
    auto* column = new QVBoxLayout(section);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    if (!title.isEmpty())
        column->addWidget(new ToneLabel(title, Role::BodyBold, Token::Text, section));
    column->addWidget(content);
    m_column->addWidget(section);
}

void KeyHelp::addText(const QString& title, const QString& text)
{
    if (text.isEmpty())
        return;
    auto* body = words(text, Role::Body, Token::Text, m_body);
    if (body->textInteractionFlags() & Qt::TextSelectableByMouse)
        body->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    addSection(title, body);
}

void KeyHelp::addPairs(const QList<QPair<QString, QString>>& pairs)
{
    addRule();
    auto* section = new QWidget(m_body);
    auto* grid = new QGridLayout(section);
    grid->setContentsMargins(12, 10, 12, 10);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const auto& [name, value] : pairs) {
        auto* left = new ToneLabel(name, Role::Body, Token::Text2, section);
        auto* right = words(value, Role::Body, Token::Text, section);
        right->setAlignment(Qt::AlignRight | Qt::AlignTop);
        grid->addWidget(left, row, 0, Qt::AlignTop);
        grid->addWidget(right, row++, 1);
    }
    m_column->addWidget(section);
}

void KeyHelp::setCurve(const KeyCurve& curve)
{
    m_curve = curve;
    refresh();
}

void KeyHelp::addCurve()
{
    if (m_curve.pointer != m_config.current() || m_curve.values.isEmpty())
        return;
    const QString title = tr("In this plan");
    if (!m_curve.changesMemory() && !m_curve.changesTime()) {
        addText(title, tr("From %1 to %2 the plan's memory and time stay the same.").arg(m_curve.values.front(), m_curve.values.back()));
        return;
    }
    addSection(title, new ConfigCurve(m_curve, m_body));
}

void KeyHelp::setRunSteps(std::int64_t steps)
{
    if (steps == m_runSteps)
        return;
    m_runSteps = steps;
    refresh();
}

void KeyHelp::setRecorded(const RecordedCurve& recorded)
{
    m_recorded = recorded;
    showSchedule();   // in place: the help stays as it was scrolled, and the cursor where it reads
}

std::optional<StepCurve> KeyHelp::schedule() const
{
    if (m_config.syntaxError())
        return std::nullopt;
    return stepCurveOf(m_config.document().toJson(0, true), m_config.current().toStdString(), m_runSteps, m_recorded.sampleSteps());
}

void KeyHelp::showSchedule()
{
    if (!m_schedule)
        return;
    if (const auto curve = schedule(); curve && !curve->waitsForTrainer)
        m_schedule->setCurve(*curve, curve->what == StepCurve::What::LearningRate ? m_recorded : RecordedCurve());
}

void KeyHelp::addSchedule()
{
    const auto curve = schedule();
    if (!curve)
        return;
    const QString title = curve->what == StepCurve::What::LearningRate ? tr("Learning rate over the steps") : tr("Difficulty over the steps");
    if (curve->waitsForTrainer) {
        addText(title, tr("\"auto\" is filled in when the training starts; numbers in its place show the curve here."));
        return;
    }
    m_schedule = new StepCurveView(*curve, m_runSteps, m_body);
    addSection(title, m_schedule);
    showSchedule();
}

QString KeyHelp::releaseNote(const CatalogKey& key, const KeyInRelease& here, const std::string& byDefault) const
{
    const std::vector<std::string> known = knownDeepSpeedReleases();
    if (known.empty() || here.release.empty())
        return {};
    const QString release = QString::fromStdString(here.release), newest = QString::fromStdString(known.back());
    if (!here.known)
        return here.reading == KeyReading::Refused ? tr("DeepSpeed %1 does not have this key and refuses it.").arg(release) : tr("DeepSpeed %1 does not have this key.").arg(release);
    if (here.release == known.back())
        return {};
    if (here.reading == KeyReading::Read && key.reading != KeyReading::Read)
        return tr("DeepSpeed %1 reads this key; the texts here are about %2.").arg(release, newest);
    const std::string now = defaultIn(key, {});
    if (byDefault != now)
        return tr("DeepSpeed %1 takes %2 where it is missing; the texts here are about %3, which takes %4.")
            .arg(release, byDefault.empty() ? tr("nothing") : briefValue(QByteArray::fromStdString(byDefault)), newest, now.empty() ? tr("nothing") : briefValue(QByteArray::fromStdString(now)));
    return {};
}

void KeyHelp::refresh()
{
    m_schedule.clear();
    m_body = new QWidget;
    m_body->setAutoFillBackground(false);
    m_column = new QVBoxLayout(m_body);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);

    const KeyCatalog& catalog = KeyCatalog::standard();
    const JsonDocument& document = m_config.document();
    // A key that is no DeepSpeed's, and no longer in the file, is none to describe.
    const std::string current = m_config.current().toStdString();
    const bool nowhere = !current.empty() && !m_config.syntaxError() && document.find(current) < 0 && catalog.find(current, &document) < 0;
    const QString pointer = nowhere ? QString() : describedKey(m_config, m_config.current());
    int id = pointer.isEmpty() ? -1 : catalog.find(pointer.toStdString(), &document);
    if (const int shown = m_config.currentKey(); shown >= 0 && id >= 0 && !catalog.applies(id, pointer.toStdString(), document))
        id = shown;
    m_header->setTitle(pointer.isEmpty() ? tr("Key help") : pointer.section(QLatin1Char('/'), -1));
    m_header->setSubtitle({});

    if (pointer.isEmpty()) {
        addText({}, tr("Select a key in the form, in the text or in a finding: its meaning, default and effect stand here."));
    } else {
        auto* path = words(pointer, Role::FixedSmall, Token::Text2, m_body);
        path->setContentsMargins(12, 10, 12, 0);
        m_column->addWidget(path);
        for (const CheckFinding& finding : m_config.answer().findings) {
            if (finding.pointer != current && QString::fromStdString(finding.pointer) != pointer)
                continue;
            auto* label = words(QString::fromStdString(finding.message), Role::Body, severityToken(finding.severity), m_body);
            label->setContentsMargins(12, 8, 12, 0);
            m_column->addWidget(label);
        }
        if (id < 0) {
            auto* unknown = new ToneLabel(tr("DeepSpeed does not know a key of this name here."), Role::Body, Token::Text, m_body);
            unknown->setWordWrap(true);
            unknown->setContentsMargins(12, 8, 12, 10);
            m_column->addWidget(unknown);
        }
    }
    if (id >= 0) {
        const CatalogKey& key = catalog.key(id);
        auto* what = words(catalogText(key.what), Role::Body, Token::Text, m_body);
        what->setContentsMargins(12, 6, 12, 10);
        m_column->addWidget(what);

        const KeyInRelease here = keyIn(key, m_config.context().release);
        const std::string inRelease = defaultIn(key, m_config.context().release);
        if (const QString note = releaseNote(key, here, inRelease); !note.isEmpty()) {
            auto* label = words(note, Role::Body, Token::Warn, m_body);
            label->setContentsMargins(12, 0, 12, 10);
            m_column->addWidget(label);
        }
        QList<QPair<QString, QString>> pairs;
        pairs.append({tr("Type"), typeWords(key, m_config.context().release)});
        const QByteArray byDefault = here.known ? QByteArray::fromStdString(inRelease) : QByteArray();
        const QString unit = key.unit.empty() ? QString() : QStringLiteral(" ") + unitWord(key);
        pairs.append({tr("Default"), byDefault.isEmpty() ? (key.unset.empty() || !here.known ? tr("none") : catalogText(key.unset)) : groupedNumber(byDefault) + unit});
        const auto place = document.locate(pointer.toStdString());
        if (m_config.syntaxError()) {
            // The last text that could be read may have had the key elsewhere, or not at all.
            pairs.append({tr("In this file"), tr("cannot be read now")});
        } else if (place) {
            const std::string_view spelled = document.spelling(place->node);
            const bool whole = !spelled.empty() && spelled.find_first_not_of("-0123456789eE+") == std::string_view::npos;   // 5.0 stays a fraction
            const QString shown = key.isSection() ? (document.node(place->node).childCount == 1 ? tr("1 key") : tr("%1 keys").arg(document.node(place->node).childCount))
                : whole                           ? groupedNumber(QByteArray(spelled.data(), static_cast<qsizetype>(spelled.size()))) + unit
                                                  : QString::fromUtf8(spelled.data(), static_cast<qsizetype>(std::min<std::size_t>(spelled.size(), 60)));
            pairs.append({tr("In this file"), tr("%1, line %2").arg(shown).arg(place->keyPosition.line)});
        } else {
            pairs.append({tr("In this file"), tr("not set")});
        }
        for (const ChangedValue& changed : m_config.answer().changed)
            if (QString::fromStdString(changed.pointer) == pointer)
                pairs.append({tr("DeepSpeed uses"), groupedNumber(QByteArray::fromStdString(changed.json))});
        if (key.acceptsAuto)
            pairs.append({tr("\"auto\""), key.autoFilledBy.empty() ? tr("chosen by DeepSpeed") : tr("filled by %1").arg(QString::fromStdString(key.autoFilledBy))});
        if (!key.when.empty()) {
            QStringList values;
            for (const std::string& value : key.when.begin()->second)
                values << QString::fromStdString(value);
            pairs.append({tr("Exists for"), QStringLiteral("%1 %2").arg(QString::fromStdString(key.when.begin()->first).section(QLatin1Char('/'), -1), values.join(QStringLiteral(", ")))});
        }
        if (key.required)
            pairs.append({tr("Required"), tr("yes, where its section is used")});
        const std::optional<KeyReleases> releases = keyReleases(key.pointer);
        if (releases) {
            // The facts are of a few releases: what came or went did so somewhere between two of them.
            const QString since = QString::fromStdString(releases->since());
            pairs.append({tr("Since"), releases->releases.front().known ? tr("DeepSpeed %1 or before").arg(since) : tr("first seen in %1, not in %2").arg(since, QString::fromStdString(releases->before(releases->since())))});
            if (const std::string deprecated = releases->deprecatedIn(); !deprecated.empty())
                pairs.append({tr("Deprecated"), releases->releases.front().deprecated ? tr("DeepSpeed %1 or before").arg(QString::fromStdString(deprecated))
                                                                                      : tr("first seen in %1, not in %2").arg(QString::fromStdString(deprecated), QString::fromStdString(releases->before(deprecated)))});
        }
        const std::string gone = !key.removedIn.empty() ? key.removedIn : releases ? releases->goneIn() : std::string();
        const std::string last = releases ? releases->before(gone) : std::string();
        if (!gone.empty())
            pairs.append({tr("Removed"), last.empty() ? tr("gone in %1").arg(QString::fromStdString(gone)) : tr("gone in %1, still in %2").arg(QString::fromStdString(gone), QString::fromStdString(last))});
        if (!key.replacedBy.empty())
            pairs.append({tr("Use instead"), QString::fromStdString(key.replacedBy)});
        else if (key.deprecated)
            pairs.append({tr("Deprecated"), tr("yes, nothing replaces it")});
        for (const std::string& alias : key.aliases)
            pairs.append({tr("Also written"), QString::fromStdString(alias).section(QLatin1Char('/'), -1)});
        addPairs(pairs);

        QString engine = catalogText(key.engineText);
        if (engine.isEmpty()) {
            switch (key.engine) {
            case EngineSupport::Same: engine = tr("Same meaning."); break;
            case EngineSupport::Partial: engine = tr("Acts in part."); break;
            case EngineSupport::None: engine = tr("No effect in this engine yet."); break;
            case EngineSupport::Refused:
                // "DeepSpeed runs do" is no word about what DeepSpeed refuses here.
                engine = here.reading == KeyReading::Refused || isRefused(m_config.answer(), pointer) ? tr("This engine does not start with it either.") : tr("This engine does not start with it yet; DeepSpeed runs do.");
                break;
            }
        }
        addSchedule();
        addCurve();
        addText(tr("In the Stagecraft engine"), engine);
        addText(tr("When to change it"), catalogText(key.changeText));
    }
    m_column->addStretch(1);
    m_scroll->setWidget(m_body);  // deletes the old body
    m_body->setBackgroundRole(QPalette::Window);
    setAccessibleName(tr("Key help"));
}

QString KeyHelp::plainText() const
{
    QStringList lines;
    for (const QLabel* label : m_body->findChildren<QLabel*>())
        if (!label->text().isEmpty())
            lines << label->text().remove(kMayBreak);
    return lines.join(QLatin1Char('\n'));
}

void KeyHelp::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        refresh();
}

}  // namespace stagecraft
