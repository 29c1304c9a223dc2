// SPDX-License-Identifier: GPL-3.0-or-later
// Memory: the peak, one item of the ledger, and what its totals have beyond the items.
#include "app/core_words.h"
#include "app/fit_words.h"
#include "app/formats.h"
#include "app/model_states.h"
#include "app/phrase_words.h"
#include "app/plan_explain.h"
#include "app/plan_sections.h"
#include "planner/fit.h"

#include <cmath>

namespace stagecraft::app {

namespace {

// What the process takes at most and at least, where that is known.
void addInterval(InspectorSection& section, const LedgerRole& role, const LedgerPeak& totals, std::int64_t usable)
{
    if (totals.relative90 <= 0)
        return;
    const auto interval = processInterval90(role, totals, usable);
    section.pairs.push_back({PlanWords::tr("90 % interval"), intervalText(bytes(interval[0]).text(), bytes(interval[1]).text())});
}

}  // namespace

QString intervalText(const QString& low, const QString& high)
{
    return QStringLiteral("%1 – %2").arg(low, high);
}

QString sourceLine(const QString& source)
{
    return PlanWords::tr("Source") + QStringLiteral(": ") + source;
}

InspectorSection memorySection(const Plan& plan, const LedgerRole& role)
{
    InspectorSection peak;
    peak.heading = PlanWords::tr("At the peak");
    peak.value = bytes(role.peak.process).text();
    const LedgerItem* largest = nullptr;
    std::int64_t host = 0, pinned = 0, nvme = 0;
    for (const LedgerItem& item : role.items) {
        if (item.where == Place::Device && aliveIn(item, role.peak.phase) && (!largest || item.bytes > largest->bytes))
            largest = &item;
        host += item.where == Place::Host && item.phase != "init" ? item.bytes : 0;
        pinned += item.where == Place::Pinned ? item.bytes : 0;
        nvme += item.where == Place::Nvme ? item.bytes : 0;
    }
    if (statesAlone(plan)) {
        peak.heading = PlanWords::tr("Model states");
        peak.pairs = {{PlanWords::tr("What a step adds"), PlanWords::tr("not known")}, {PlanWords::tr("Process"), PlanWords::tr("not known")}};
    } else {
        peak.pairs = {{PlanWords::tr("Phase"), memoryPhaseName(QString::fromStdString(role.peak.phase))},
                      {PlanWords::tr("Allocated"), bytes(role.peak.allocated).text()},
                      {PlanWords::tr("Reserved"), bytes(role.peak.reserved).text()},
                      {PlanWords::tr("Process"), bytes(role.peak.process).text()}};
        addInterval(peak, role, role.peak, plan.fit ? plan.fit->usable : 0);
    }
    if (plan.fit) {
        const Fit& fit = *plan.fit;
        if (!fit.statesOnly)
            peak.pairs.push_back({PlanWords::tr("Stays within %1").arg(bytes(fit.usable).text()), fitOdds(fit)});
        if (fit.hostNeed > 0)
            peak.pairs.push_back({PlanWords::tr("Host memory per node"), fit.hostUsable > 0 ? PlanWords::tr("%1 of %2").arg(bytes(fit.hostNeed).text(), bytes(fit.hostUsable).text()) : bytes(fit.hostNeed).text()});
    }
    if (largest)
        peak.pairs.push_back({PlanWords::tr("Largest item"), QStringLiteral("%1, %2").arg(itemName(QString::fromStdString(largest->what)), bytes(largest->bytes).text())});
    for (const auto& [name, size] : {std::pair{PlanWords::tr("Host memory"), host}, std::pair{PlanWords::tr("Pinned host memory"), pinned}, std::pair{QStringLiteral("NVMe"), nvme}})
        if (size > 0)
            peak.pairs.push_back({name, bytes(size).text()});
    return peak;
}

InspectorContent explainOverhead(const LedgerRole& role, const LedgerPeak& totals, const QString& id, const QString& where, bool onGpus, std::int64_t usable)
{
    InspectorContent content;
    content.title = itemName(id);
    InspectorSection section;
    section.heading = where;
    const auto say = [&](std::int64_t size, const QString& symbols, const QString& numbers, const QString& text) {
        section.value = bytes(size).text();
        section.formula = {symbols, numbers, QStringLiteral("= %1 B").arg(count(size))};
        section.formula.removeAll(QString());
        section.text = text;
    };
    const auto difference = [](std::int64_t a, std::int64_t b) { return QStringLiteral("%1 − %2").arg(count(a), count(b)); };
    if (id == QLatin1String("allocated")) {
        say(totals.allocated, PlanWords::tr("sum of the tensors held in this phase"), {}, PlanWords::tr("The rows above it; each says where its formula comes from."));
    } else if (id == QLatin1String("rounding")) {
        say(totals.reserved - totals.allocated, PlanWords::tr("reserved − allocated"), difference(totals.reserved, totals.allocated),
            PlanWords::tr("What the allocator holds beyond the tensors: rounded sizes, and gaps that nothing fits into."));
        if (totals.phase != role.peak.phase)
            section.text += QLatin1Char('\n') + PlanWords::tr("Below are its parts at the peak, in %1. In other phases the allocator holds the same blocks, and other tensors fill them.").arg(memoryPhaseName(QString::fromStdString(role.peak.phase)));
    } else if (id == QLatin1String("process")) {
        say(totals.process - totals.reserved, PlanWords::tr("process − reserved"), difference(totals.process, totals.reserved),
            onGpus ? PlanWords::tr("What the process takes outside the allocator: device context, kernels, buffers of the collective library.") : PlanWords::tr("What a worker holds beside its buffers: libraries, stacks and heaps."));
    } else {
        say(totals.process, PlanWords::tr("allocated + rounding + process"), QStringLiteral("%1 + %2 + %3").arg(count(totals.allocated), count(totals.reserved - totals.allocated), count(totals.process - totals.reserved)),
            onGpus ? PlanWords::tr("What nvidia-smi shows of the process.") : PlanWords::tr("The resident memory of the process."));
    }
    if (id == QLatin1String("total"))
        addInterval(section, role, totals, usable);
    content.sections.push_back(section);
    for (const LedgerItem& item : role.items) {
        if (id != (item.phase == "reserved" ? QLatin1String("rounding") : item.phase == "process" ? QLatin1String("process") : QLatin1String()))
            continue;
        InspectorSection part = explainItem(role, item, itemName(QString::fromStdString(item.what))).sections.front();
        part.pairs = {part.pairs.back()};  // it lies where the total does
        part.text += QLatin1Char('\n') + sourceLine(whyText(item.source));
        content.sections.push_back(part);
    }
    return content;
}

InspectorContent explainItem(const LedgerRole& role, const LedgerItem& item, const QString& where)
{
    InspectorContent content;
    content.title = itemName(QString::fromStdString(item.what));
    InspectorSection formula;
    formula.heading = where;
    formula.value = bytes(item.bytes).text();
    formula.formula = {formulaText(item.formula), QString::fromStdString(item.numbers), QStringLiteral("= %1 B").arg(count(item.bytes))};
    formula.formula.removeAll(QString());
    formula.text = whyText(item.why);
    const QString place = item.where == Place::Device  ? PlanWords::tr("memory of the rank's device")
                          : item.where == Place::Host   ? PlanWords::tr("host memory")
                          : item.where == Place::Pinned ? PlanWords::tr("pinned host memory")
                                                        : PlanWords::tr("NVMe");
    formula.pairs = {{PlanWords::tr("Held in"), memoryPhaseName(QString::fromStdString(item.phase))},
                     {PlanWords::tr("Lies in"), place},
                     {PlanWords::tr("In GB = 10⁹ B"), fixed(static_cast<double>(item.bytes) / 1e9, 3)}};
    const auto interval = itemInterval90(role, item);
    formula.pairs.push_back({PlanWords::tr("90 % interval"), interval[0] == interval[1] ? PlanWords::tr("none: counted from sizes") : intervalText(bytes(interval[0]).text(), bytes(interval[1]).text())});
    content.sections.push_back(formula);
    if (!item.source.empty()) {
        InspectorSection source;
        source.heading = PlanWords::tr("Source");
        source.text = whyText(item.source);
        content.sections.push_back(source);
    }
    return content;
}

}  // namespace stagecraft::app
