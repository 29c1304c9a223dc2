// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_strip.h"

#include "app/core_errors.h"
#include "app/fit_words.h"
#include "app/formats.h"
#include "app/plan_evidence.h"
#include "app/plan_explain.h"
#include "planner/fit.h"

#include <QEvent>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr double kFull = 0.97;  // of the usable memory: a process that shows as much looks as if it would not fit

}  // namespace

std::int64_t peakBytes(const Plan& plan)
{
    std::int64_t most = 0;
    if (plan.ledger)
        for (const LedgerRole& role : *plan.ledger)
            most = std::max(most, role.peak.process);
    // On a CPU what is offloaded lies in the same memory, and only the verdict counts it.
    return plan.ledger && plan.fit ? std::max(most, plan.fit->least) : most;
}

bool fillsDevice(std::int64_t peak, const Fit& fit)
{
    constexpr std::int64_t kMiB = std::int64_t{1} << 20;
    return fit.least > 0 && fit.least < peak && peak <= fit.usable && fit.usable - peak < kMiB;
}

bool onGpus(const Workspace& workspace)
{
    return workspace.hardware.device != "cpu";
}

PlanStrip::PlanStrip(QWidget* parent) : FigureStrip(parent)
{
    rebuild();
}

void PlanStrip::show(const std::shared_ptr<const PlanSet>& plan)
{
    m_plan = plan;
    if (!plan || plan->plan)
        m_last = plan;
    if (plan && !m_savedText.empty() && plan->text == m_savedText)
        m_saved = plan;
    rebuild();
}

bool PlanStrip::asksHostMemory() const
{
    const Plan* plan = m_plan && !m_plan->problem && !m_refusal && m_plan->plan ? &*m_plan->plan : nullptr;
    return plan && plan->fit && plan->fit->hostNeed > 0 && plan->fit->hostUsable <= 0;
}

void PlanStrip::forget()
{
    m_last.reset();
    m_assumed.clear();
}

void PlanStrip::setFindings(const FindingCounts& counts)
{
    if (counts == m_findings)
        return;
    m_findings = counts;
    rebuild();
}

void PlanStrip::setRefusal(const std::optional<ConfigRefusal>& refusal)
{
    if (refusal == m_refusal)
        return;
    m_refusal = refusal;
    rebuild();
}

void PlanStrip::setAssumed(const QString& subject)
{
    if (subject == m_assumed)
        return;
    m_assumed = subject;
    rebuild();
}

void PlanStrip::markSaved(const std::string& text)
{
    m_savedText = text;
    const auto is = [&text](const std::shared_ptr<const PlanSet>& plan) { return plan && !text.empty() && plan->text == text; };
    if (is(m_plan))
        m_saved = m_plan;
    else if (!is(m_saved))
        m_saved.reset();
    rebuild();
}

void PlanStrip::preview(const std::shared_ptr<const PlanSet>& plan, bool enterApplies)
{
    m_preview = plan;
    m_enterApplies = enterApplies;
    rebuild();
}

void PlanStrip::rebuild()
{
    std::vector<Figure> figures;
    const bool stale = m_plan && m_plan->problem && m_last;
    const PlanSet* set = stale ? m_last.get() : m_plan.get();
    const Plan* plan = set && set->plan ? &*set->plan : nullptr;
    const Fit* fit = plan && plan->fit ? &*plan->fit : nullptr;

    Figure verdict{tr("Verdict"), {}, {}, QStringLiteral("verdict"), false, true};
    if (!m_plan) {
        verdict.parts = {{{}, tr("No plan"), Role::Figure, Token::Text2}};
    } else if (m_plan->problem && m_plan->problem->context.count("rule") != 0) {
        verdict.parts = {{{}, tr("No plan"), Role::Title, Token::Text2}, {{}, tr("too many values"), Role::Small, Token::Text2}};
        verdict.tip = errorText(*m_plan->problem);
    } else if (m_plan->problem) {
        verdict.parts = {{QStringLiteral("dialog-error"), tr("Invalid"), Role::Title, Token::Error}, {{}, stale ? tr("figures of the last text that could be planned") : tr("cannot be planned"), Role::Small, Token::Text2}};
        verdict.tip = errorText(*m_plan->problem);
    } else if (m_refusal && m_refusal->ranksThatFit > 0) {
        verdict.parts = {{QStringLiteral("dialog-warning"), tr("Ranks not known"), Role::Title, Token::Warn}, {{}, tr("taken for %1, not for 1").arg(m_refusal->ranksThatFit), Role::Small, Token::Text2}};
        verdict.tip = m_refusal->why;
    } else if (m_refusal) {
        verdict.parts = {{QStringLiteral("dialog-error"), tr("Refused"), Role::Title, Token::Error}, {{}, m_refusal->by, Role::Small, Token::Text2}};
        verdict.tip = m_refusal->why;
    } else if (!fit) {
        verdict.parts = {{{}, tr("Unknown"), Role::Title, Token::Text2}};
        const bool impossible = plan && std::any_of(plan->findings.begin(), plan->findings.end(), [](const PlanFinding& finding) { return finding.rule == "plan.batch_impossible"; });
        verdict.tip = impossible ? tr("No job can have this batch: what a step takes cannot be told, and the findings say which size to write.") : plan && plan->ledger ? tr("How much memory the device has is not known: whether it fits cannot be told.") : tr("Memory cannot be planned for this model; the findings say why.");
    } else {
        // "79.6 of 79.6" beside a yes needs the number that it is judged by.
        const std::int64_t shown = peakBytes(*plan);
        const bool full = fit->verdict == Fit::Verdict::Yes && !fit->statesOnly && fit->least < shown && static_cast<double>(shown) > kFull * static_cast<double>(fit->usable);
        const QString odds = full ? tr("%1, needs %2").arg(fitOdds(*fit), bytes(fit->least).text()) : fitOdds(*fit);
        switch (fit->verdict) {
        case Fit::Verdict::Yes: verdict.parts = {{QStringLiteral("emblem-ok"), tr("Fits"), Role::Title, Token::Ok}, {{}, odds, Role::Small, Token::Text2}}; break;
        case Fit::Verdict::No: verdict.parts = {{QStringLiteral("dialog-error"), tr("Does not fit"), Role::Title, Token::Error}, {{}, odds, Role::Small, Token::Text2}}; break;
        case Fit::Verdict::Unsure: verdict.parts = {{QStringLiteral("dialog-warning"), tr("Unsure"), Role::Title, Token::Warn}, {{}, odds, Role::Small, Token::Text2}}; break;
        }
        verdict.tip = fit->statesOnly ? tr("Only the model states are known: what a step needs beside them decides.") : tr("Probability that the peak stays within the usable memory of one rank.");
        if (full)
            verdict.tip += QLatin1Char('\n') + tr("The process will show %1, %2 of which it needs: its allocator gives the rest back where the device is full.").arg(bytes(shown).text(), bytes(fit->least).text());
        if (fit->hostNeed > 0)
            verdict.tip += QLatin1Char('\n') + (fit->hostUsable > 0 ? tr("Host memory: %1 of %2 per node.").arg(bytes(fit->hostNeed).text(), bytes(fit->hostUsable).text())
                                                                     : tr("Host memory: %1 per node; what a node has is not said. Click to say it.").arg(bytes(fit->hostNeed).text()));
    }
    if (!m_assumed.isEmpty())
        figures.push_back({tr("Assumed"), {{{}, m_assumed, Role::Body, Token::Warn}}, tr("The file says nothing of model and hardware, and nobody has chosen this: all figures here are of it. Click to choose it, or to confirm it."), QStringLiteral("assumed"), false});
    figures.push_back(verdict);

    if (plan && plan->ledger) {
        const bool gpu = set->workspace && onGpus(*set->workspace);
        const std::int64_t peak = peakBytes(*plan);
        const Quantity shown = bytes(peak);
        const bool states = statesAlone(*plan);
        Figure memory{states ? (gpu ? tr("Model states per GPU") : tr("Model states per rank")) : gpu ? tr("Peak memory per GPU") : tr("Peak memory per rank"), {{{}, shown.value, Role::Figure, Token::Text}}, {}, QStringLiteral("memory"), false};
        if (fit && fit->usable > 0) {
            memory.parts.push_back({{}, tr("%1 of %2").arg(shown.unit, bytes(fit->usable).text()), Role::Small, Token::Text2});
            const double share = static_cast<double>(peak) / static_cast<double>(fit->usable);
            memory.parts.push_back({{}, {}, Role::Small, fit->verdict == Fit::Verdict::No ? Token::Error : fit->verdict == Fit::Verdict::Unsure ? Token::Warn : Token::Ok, share, true});
        } else {
            memory.parts.push_back({{}, shown.unit, Role::Small, Token::Text2});
        }
        memory.tip = states ? tr("Model states of the fullest rank: %1 B. What a step adds to them is not known.").arg(count(peak)) : tr("Process of the fullest rank at the peak, context and libraries included: %1 B.").arg(count(peak));
        figures.push_back(memory);
    }
    if (plan && plan->forecast) {
        const StepForecast& forecast = *plan->forecast;
        const Quantity step = seconds(forecast.stepTime);
        Figure time{tr("Step time"), {{{}, step.value, Role::Figure, Token::Text}, {{}, step.unit, Role::Small, Token::Text2}}, {}, QStringLiteral("time"), false};
        if (forecast.interval90[1] > 0) {
            const double factor = step.unit == QLatin1String("ms") ? 1e3 : step.unit == QLatin1String("µs") ? 1e6 : step.unit == QLatin1String("min") ? 1.0 / 60 : step.unit == QLatin1String("h") ? 1.0 / 3600 : 1;
            const double low = forecast.interval90[0] * factor;
            const int decimals = low >= 99.95 ? 0 : 1;
            time.parts.push_back({{}, QStringLiteral("%1–%2").arg(fixed(low, decimals), fixed(forecast.interval90[1] * factor, decimals)), Role::Small, Token::Text2, -1, true});
            time.tip = tr("90 % interval: %1 to %2").arg(seconds(forecast.interval90[0]).text(), seconds(forecast.interval90[1]).text());
        }
        if (const QString word = basisWord(forecast); !word.isEmpty()) {
            time.parts.push_back({{}, word, Role::Small, Token::Text2, -1, true});
            time.tip += QLatin1Char('\n') + basisText(forecast);
        }
        figures.push_back(time);
        figures.push_back({tr("Throughput"), {{{}, shortCount(forecast.tokensPerSecond), Role::Figure, Token::Text}, {{}, QStringLiteral("tokens/s"), Role::Small, Token::Text2}},
                           tr("Tokens of the global batch divided by the step time."), QStringLiteral("throughput"), false});
        if (forecast.mfu > 0 && m_assumed.isEmpty())   // of an assumed model it says nothing, and what is found needs the room
            figures.push_back({QStringLiteral("MFU"), {{{}, fixed(forecast.mfu * 100, 1), Role::Figure, Token::Text}, {{}, QStringLiteral("%"), Role::Small, Token::Text2}},
                               tr("Model FLOPs utilisation: FLOPs of the model alone, against the peak of the devices."), QStringLiteral("mfu"), false});
    }
    if (m_plan) {
        Figure findings{tr("Findings"), {}, {}, QStringLiteral("findings"), false, true};
        const auto add = [&findings](int number, const char* icon, Token token) {
            if (number > 0)
                findings.parts.push_back({QString::fromLatin1(icon), QString::number(number), Role::Body, token});
        };
        add(m_findings.errors, "dialog-error", Token::Error);
        add(m_findings.warnings, "dialog-warning", Token::Warn);
        add(m_findings.notes, "dialog-information", Token::Info);
        if (findings.parts.empty())
            findings.parts.push_back({{}, tr("none"), Role::Body, Token::Text2});
        findings.tip = tr("Errors, warnings and notes of the plan and the ds_config; a click lists them.");
        figures.push_back(findings);
    }
    // What is tried against what is, or what is against what was saved.
    const bool trying = m_preview && m_preview->plan;
    const Plan* after = trying ? &*m_preview->plan : plan;
    if (stale)
        after = nullptr;
    const Plan* before = trying ? plan : m_saved && m_saved->plan ? &*m_saved->plan : nullptr;
    if (after && before && after->ledger && before->ledger) {
        const std::int64_t delta = peakBytes(*after) - peakBytes(*before);
        Figure since{!trying ? tr("Since last save") : m_enterApplies ? tr("Preview: Enter applies, Esc ends") : tr("Preview: Esc ends"),
                     {{{}, bytesDelta(delta), Role::Body, delta < 0 ? Token::Ok : delta > 0 ? Token::Error : Token::Text2}}, {}, QStringLiteral("since"), true};
        if (after->forecast && before->forecast)
            since.parts.push_back({{}, secondsDelta(after->forecast->stepTime - before->forecast->stepTime), Role::Body, Token::Text2});
        since.tip = trying ? tr("Peak memory and step time of the change that is tried, against the workspace as it is.")
                           : tr("Peak memory and step time against the workspace as it was opened or last saved.");
        figures.push_back(since);
    }
    if (plan)
        for (Figure& figure : figures)
            if (const QString formula = figureFormula(*plan, figure.id); !formula.isEmpty())
                figure.tip += QLatin1Char('\n') + formula;
    if (stale)
        for (Figure& figure : figures)
            if (figure.id != QLatin1String("verdict") && figure.id != QLatin1String("findings"))
                for (auto& part : figure.parts)
                    part.token = Token::Text2;
    setFigures(std::move(figures));
}

void PlanStrip::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        rebuild();
    FigureStrip::changeEvent(event);
}

}  // namespace stagecraft::app
