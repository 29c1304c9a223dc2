// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_model.h"

#include "config/finding_text.h"
#include "config/json_edit.h"
#include "config/present_form.h"
#include "widgets/text_encoding.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>
#include <tuple>

namespace stagecraft {

namespace {

constexpr const char* kTooMany = "window.too_many";   ///< the rule of a text with more than kMostValues

/// A field more in the context is one more name here, or this does not compile.
bool same(const CheckContext& a, const CheckContext& b)
{
    const auto all = [](const CheckContext& context) {
        const auto& [release, world, launcher, pipelineModel, device, optimizer, scheduler, pipeStages, ranks, mpu, hiddenSize, tpModelInit, trainer, language] = context;
        return std::tie(release, world, launcher, pipelineModel, device, optimizer, scheduler, pipeStages, ranks, mpu, hiddenSize, tpModelInit, trainer, language);
    };
    return all(a) == all(b);
}

std::string_view viewOf(const QByteArray& text) { return {text.constData(), static_cast<std::size_t>(text.size())}; }

/// What stops a run comes before what only warns; among their likes findings keep the order of the file.
bool isWorse(const CheckFinding& a, const CheckFinding& b)
{
    return a.severity < b.severity;
}

JsonDocument emptyDocument()
{
    return std::move(JsonDocument::parse("{}")).value();
}

}  // namespace

QString contentLanguage()
{
    //: The language of this translation: "zh" for Chinese. It selects the texts of the data files.
    return QCoreApplication::translate("ContentLanguage", "en");
}

std::string checkLanguage()
{
    return contentLanguage().toStdString() + ".window";
}

QString catalogText(const CatalogText& text)
{
    return QString::fromStdString(text.in(contentLanguage().toStdString()));
}

ConfigModel::ConfigModel(QObject* parent) : QObject(parent), m_document(std::make_unique<JsonDocument>(emptyDocument()))
{
    check();
}

void ConfigModel::setText(const QByteArray& text, const std::optional<Error>& broken)
{
    const auto wordsOf = [](const std::optional<Error>& error) { return error ? error->message : std::string(); };
    if (text == m_text && broken.has_value() == m_broken.has_value() && wordsOf(broken) == wordsOf(m_broken))
        return;
    m_text = text;
    m_broken = broken;
    check();
    emit changed();
}

void ConfigModel::setContext(const CheckContext& context)
{
    CheckContext whole = context;
    whole.language = checkLanguage();
    if (same(whole, m_context))
        return;
    m_context = std::move(whole);
    check();
    emit changed();
}

void ConfigModel::setAdvice(const std::vector<CheckFinding>& advice, int elsewhere)
{
    const auto same = [](const CheckFinding& a, const CheckFinding& b) { return a.rule == b.rule && a.severity == b.severity && a.pointer == b.pointer && a.message == b.message && a.fix == b.fix; };
    if (elsewhere == m_elsewhere && std::equal(advice.begin(), advice.end(), m_advice.begin(), m_advice.end(), same))
        return;
    m_advice = advice;
    m_elsewhere = elsewhere;
    if (!m_broken)
        addAdvice();
    emit changed();
}

void ConfigModel::addAdvice()
{
    m_answer.findings = m_found;
    if (m_advice.empty() || m_error)
        return;
    std::vector<CheckFinding> placed = m_advice;
    placeFindings(viewOf(m_text), placed);
    m_answer.findings.insert(m_answer.findings.end(), placed.begin(), placed.end());
    std::stable_sort(m_answer.findings.begin(), m_answer.findings.end(), [](const CheckFinding& a, const CheckFinding& b) { return std::tie(a.severity, a.line, a.column) < std::tie(b.severity, b.line, b.column); });
}

void ConfigModel::leaveAsTooMany(int values)
{
    // Neither views nor forecasts are made of it, for each would make somebody wait. DeepSpeed's verdict comes when it is there.
    CheckFinding finding;
    finding.rule = kTooMany;
    finding.severity = CheckSeverity::Warning;
    finding.effect = CheckEffect::Warned;
    finding.line = finding.column = 1;
    finding.message = tr("There are %L1 values; above %L2 this window shows a ds_config as text alone and plans nothing with it, and the largest in use has a few hundred. Is this the right file?").arg(values).arg(static_cast<int>(kMostValues)).toStdString();
    m_error = Error{ErrorCode::InvalidInput, finding.message, {{"offset", "0"}, {"rule", kTooMany}}};
    m_answer = {};
    m_answer.findings = {finding};
    m_found = m_answer.findings;
    m_context.language = checkLanguage();
    const QPointer<ConfigModel> self(this);
    QThreadPool::globalInstance()->start([self, text = m_text, context = m_context] {
        QElapsedTimer timer;
        timer.start();
        const auto answer = checkConfig(viewOf(text), context);
        const double taken = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, text, context, answer, taken] {
                if (!self || !answer.hasValue() || self->m_text != text || !same(self->m_context, context) || !self->m_error || self->m_error->context.count("rule") == 0)
                    return;
                const std::vector<CheckFinding> own = self->m_found;
                self->m_answer = *answer;
                self->m_checkMs = taken;
                self->m_answer.findings.clear();
                // Of what DeepSpeed refuses the first is enough: there may be thousands.
                const auto first = std::find_if(answer->findings.begin(), answer->findings.end(), [&answer](const CheckFinding& f) { return f.severity == CheckSeverity::Error && f.level == answer->level; });
                if (first != answer->findings.end()) {
                    self->m_answer.findings.push_back(*first);
                    self->m_answer.findings.back().fix.clear();
                }
                self->m_answer.findings.insert(self->m_answer.findings.end(), own.begin(), own.end());
                self->m_found = self->m_answer.findings;
                emit self->changed();
            },
            Qt::QueuedConnection);
    });
}

void ConfigModel::check()
{
    const int last = m_fit ? m_fit->ranks : 0;
    m_mends.clear();
    m_trainerTakesIt.reset();
    m_fit.reset();
    m_judged = m_context;
    m_encodings = likelyEncodings(m_text, contentLanguage() == QLatin1String("zh"));
    if (m_broken) {
        m_found.clear();
        m_error = m_broken;
        m_answer = {};
        return;
    }
    QElapsedTimer timer;
    timer.start();
    Result<JsonDocument> parsed = JsonDocument::parse(m_text.toStdString());
    if (parsed.hasValue() && parsed->nodes().size() > kMostValues) {
        *m_document = emptyDocument();
        leaveAsTooMany(static_cast<int>(parsed->nodes().size()));
        return;
    }
    if (parsed.hasValue()) {
        *m_document = std::move(parsed).value();
        m_error.reset();
    } else {
        m_error = parsed.error();
    }
    m_context.language = checkLanguage();
    // While the text cannot be read, its sizes ask for as many ranks as they did before.
    const int kept = m_error && ranksAssumed() ? last : 0;
    m_judged = kept > 0 ? onRanks(m_context, kept) : m_context;
    Result<CheckAnswer> answer = checkConfig(viewOf(m_text), m_judged);
    if (answer.hasValue()) {
        m_answer = std::move(answer).value();
    } else {
        m_answer = {};
        emit messageChanged(QString::fromStdString(answer.error().message));
    }
    if (kept > 0) {
        std::erase_if(m_answer.findings, refusesRanks);   // other sizes ask for others, which is told once they can be read
        m_fit = FittingRanks{kept, m_answer};
    } else {
        lookForRanks();
    }
    std::stable_sort(m_answer.findings.begin(), m_answer.findings.end(), isWorse);
    // What is said of a text that cannot be read, and where it is marked, are of one place: the one that is told.
    if (const CheckFinding* told = loadFinding(); m_error && told)
        m_error->context["offset"] = std::to_string(offsetAt(viewOf(m_text), told->line, told->column));
    m_found = m_answer.findings;
    leaveWithoutKeys();
    addAdvice();
    askForTrainer();
    m_checkMs = static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

void ConfigModel::leaveWithoutKeys()
{
    // No edit of a key fits into a number or a list: what the check says of it is said beforehand, where such an edit begins.
    if (m_error || m_document->nodes().empty() || m_document->node(m_document->root()).kind == JsonKind::Object)
        return;
    const auto told = std::find_if(m_found.begin(), m_found.end(), [](const CheckFinding& finding) { return finding.severity == CheckSeverity::Error && finding.pointer.empty(); });
    if (told == m_found.end())
        return;
    m_error = Error{ErrorCode::InvalidInput, told->message, {{"offset", std::to_string(offsetAt(viewOf(m_text), told->line, told->column))}, {"rule", told->rule}}};
    *m_document = emptyDocument();
}

void ConfigModel::askForTrainer()
{
    if (m_error || !m_text.contains("auto"))
        return;
    CheckContext context = m_judged;
    context.launcher = CheckLauncher::Transformers;
    const auto answer = checkConfig(viewOf(m_text), context);
    if (!answer.hasValue())
        return;
    // What it fills in it tells at the key: R103, and R104 where the model's width decides and is not known.
    const bool fills = std::any_of(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& finding) { return (finding.rule == "R103" || finding.rule == "R104") && !finding.pointer.empty(); });
    if (fills)
        m_trainerTakesIt = answer->ok;
}

void ConfigModel::lookForRanks()
{
    m_judged = m_context;
    if (!m_error)
        m_fit = fittingRanks(viewOf(m_text), m_context, m_answer);
    if (!m_fit)
        return;
    // A number of ranks that nobody gave is no fault of the file.
    CheckFinding told = *std::find_if(m_answer.findings.begin(), m_answer.findings.end(), refusesRanks);
    told.rule = kForRanks;
    told.severity = CheckSeverity::Warning;
    told.effect = CheckEffect::Warned;
    told.message = tr("Judged for %1 ranks, which this asks for: nobody has said how many there are.").arg(m_fit->ranks).toStdString();
    told.fix.clear();
    told.safe = false;
    m_judged = onRanks(m_context, m_fit->ranks);
    m_answer = m_fit->answer;
    m_answer.findings.push_back(std::move(told));
}

void ConfigModel::request(const Result<TextEdit>& edit, const QString& name)
{
    if (!edit.hasValue() || m_broken) {
        emit messageChanged(QString::fromStdString(m_broken ? m_broken->message : edit.error().message));
        return;
    }
    const QByteArray now = m_text.mid(static_cast<qsizetype>(edit->begin), static_cast<qsizetype>(edit->end - edit->begin));
    if (now.toStdString() == edit->replacement)
        return;
    emit editRequested(*edit, name, false);
}

void ConfigModel::setValue(const QString& pointer, const QByteArray& json, const QString& name)
{
    if (!m_error)
        request(setKeyEdit(*m_document, pointer.toStdString(), json.toStdString()), name);
}

void ConfigModel::unset(const QString& pointer, const QString& name)
{
    if (!m_error)
        request(removeEdit(*m_document, pointer.toStdString()), name);
}

void ConfigModel::applyPatch(const QByteArray& patch, const QString& name)
{
    if (m_error)
        return;
    const nlohmann::json steps = nlohmann::json::parse(patch.toStdString(), nullptr, false);
    const Result<std::vector<TextEdit>> edits = patchEdits(*m_document, steps);
    if (!edits.hasValue()) {
        emit messageChanged(QString::fromStdString(edits.error().message));
        return;
    }
    request(editBetween(m_document->text(), applyEdits(m_document->text(), *edits)), name);
}

void ConfigModel::replaceText(const QByteArray& text, const QString& name)
{
    request(editBetween(m_text.toStdString(), text.toStdString()), name);
}

void ConfigModel::requestTyping(const TextEdit& edit, bool pasted)
{
    emit editRequested(edit, pasted ? stepName([] { return tr("Paste"); }) : stepName([] { return tr("Typing"); }), !pasted);
}

void ConfigModel::convert(const QString& encoding)
{
    const auto text = utf8From(m_text, encoding);
    if (text && *text != m_text)
        emit editRequested(editBetween(m_text.toStdString(), text->toStdString()), stepName([encoding] { return tr("Convert to UTF-8 from %1").arg(encoding); }), false);
}

std::optional<std::size_t> ConfigModel::pointedAt(const CheckFinding& finding) const
{
    if (!finding.pointer.empty() || finding.line <= 0 || (finding.line == 1 && finding.column <= 1))
        return std::nullopt;
    return offsetAt(viewOf(m_text), finding.line, finding.column);
}

QString ConfigModel::syntaxMessage() const
{
    if (!m_error)
        return {};
    // The check reads with DeepSpeed's own reader and speaks the window's language; the document's reader stands in where only
    // that one gave up.
    if (const CheckFinding* told = loadFinding())
        return tr("line %1, column %2: %3").arg(told->line).arg(told->column).arg(QString::fromStdString(told->message));
    return QString::fromStdString(m_error->message);
}

const CheckFinding* ConfigModel::loadFinding() const
{
    for (const CheckFinding& finding : m_answer.findings)
        if (finding.level == CheckLevel::Load && finding.severity == CheckSeverity::Error && finding.line > 0)
            return &finding;
    return nullptr;
}

void ConfigModel::setCurrent(const QString& pointer, int key)
{
    if (pointer == m_current && key == m_currentKey)
        return;
    m_current = pointer;
    m_currentKey = key;
    if (m_mended != pointer)
        m_mended.clear();
    emit currentChanged(pointer);
}

int ConfigModel::findingAt(const QString& pointer) const
{
    const std::string at = pointer.toStdString();
    for (std::size_t i = 0; i < m_answer.findings.size(); ++i)
        if (m_answer.findings[i].pointer == at)
            return static_cast<int>(i);
    return -1;
}

int ConfigModel::severityAt(const QString& pointer) const
{
    int worst = 0;
    const std::string at = pointer.toStdString();
    for (const CheckFinding& finding : m_answer.findings)
        if (finding.pointer == at)
            worst = std::max(worst, finding.severity == CheckSeverity::Error ? 3 : finding.severity == CheckSeverity::Warning ? 2 : 1);
    return worst;
}

}  // namespace stagecraft
