// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_states.h"

#include "app/chart_theme.h"
#include "app/core_words.h"
#include "app/formats.h"
#include "app/phrase_words.h"
#include "app/plan_strip.h"
#include "visualizers/list_text.h"
#include "widgets/theme.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <array>
#include <map>

namespace stagecraft::app {

namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("stagecraft::app::ModelStates", text);
}

QString kindName(MemoryKind kind)
{
    switch (kind) {
    case MemoryKind::Weights: return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Weights"));
    case MemoryKind::Gradients: return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients"));
    case MemoryKind::Optimizer: return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Optimizer states"));
    case MemoryKind::Buckets: return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Buckets"));
    case MemoryKind::Gathered: return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gathered"));
    case MemoryKind::Activations: return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Activations"));
    case MemoryKind::Logits: return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Logits and loss"));
    case MemoryKind::Context: return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Process and libraries"));
    case MemoryKind::Rounding: return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Rounding"));
    }
    return {};
}

MemorySegment segmentOf(const LedgerItem& item)
{
    MemorySegment segment;
    segment.id = QString::fromStdString(item.what);
    segment.name = itemName(segment.id);
    segment.kind = memoryKind(item.what);
    segment.bytes = item.bytes;
    QStringList lines;
    for (const QString& line : {formulaText(item.formula), QString::fromStdString(item.numbers), whyText(item.source)})
        if (!line.isEmpty())
            lines << line;
    segment.tip = lines.join(QLatin1Char('\n'));
    return segment;
}

QString stageLabel(std::size_t stage)
{
    return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Stage %1")).arg(stage);
}

// Everything alive at the peak of one role.
MemoryBarRow peakRow(const LedgerRole& role)
{
    MemoryBarRow row;
    std::int64_t sum = 0;
    for (const LedgerItem& item : role.items)
        if (item.where == Place::Device && aliveIn(item, role.peak.phase)) {
            row.segments.push_back(segmentOf(item));
            sum += item.bytes;
        }
    std::stable_sort(row.segments.begin(), row.segments.end(), [](const MemorySegment& a, const MemorySegment& b) { return a.kind < b.kind; });
    // What the allocator and the process take on top closes the bar, so that its end is the process's peak.
    const std::int64_t rounding = role.peak.reserved - sum;
    const std::int64_t process = role.peak.process - std::max(role.peak.reserved, sum);
    if (rounding > 0)
        row.segments.push_back({QStringLiteral("rounding"), itemName(QStringLiteral("rounding")), MemoryKind::Rounding, rounding, {}});
    if (process > 0)
        row.segments.push_back({QStringLiteral("process"), itemName(QStringLiteral("process")), MemoryKind::Context, process, {}});
    return row;
}

int chosenIn(const MemoryBarsData& data)
{
    const auto at = std::find_if(data.rows.begin(), data.rows.end(), [](const MemoryBarRow& row) { return row.chosen; });
    return at == data.rows.end() ? -1 : static_cast<int>(at - data.rows.begin());
}

void setUnit(MemoryBarsData& data)
{
    const ByteUnit unit = byteUnitFor(memoryBarsReach(data));
    data.unit = byteUnitName(unit);
    data.bytesPerUnit = 1;
    for (int i = 0; i < static_cast<int>(unit); ++i)
        data.bytesPerUnit *= 1024;
}

}  // namespace

QString itemName(const QString& id)
{
    static const std::map<QString, const char*> kNames{
        {QStringLiteral("weights"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Weights")},
        {QStringLiteral("gradients"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients")},
        {QStringLiteral("master"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Master weights, fp32")},
        {QStringLiteral("optimizer_states"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Optimizer states")},
        {QStringLiteral("gathered_weights"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gathered weights")},
        {QStringLiteral("gradients_16"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "16-bit gradients")},
        {QStringLiteral("gathered_gradients"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Full gradients, pooled")},
        {QStringLiteral("buckets_sent"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Bucket in the type it is sent in")},
        {QStringLiteral("buckets_sorted"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Bucket, sorted by ranks")},
        {QStringLiteral("logits_kept"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Logits, still named")},
        {QStringLiteral("logits_joined"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Logits, joined")},
        {QStringLiteral("autocast_weights"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Weights, cast for products")},
        {QStringLiteral("logits_capped"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Logits, their caps' tanh")},
        {QStringLiteral("buckets"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Buckets")},
        {QStringLiteral("communication"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Communication buffers")},
        {QStringLiteral("activations.outputs"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Unit outputs")},
        {QStringLiteral("activations.saved"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Saved activations")},
        {QStringLiteral("activations.scratch"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Activation work space")},
        {QStringLiteral("logits"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Logits and loss")},
        {QStringLiteral("loss"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Loss in fp32")},
        {QStringLiteral("loss_head"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Output matrix in the loss")},
        {QStringLiteral("loss_gradient"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradient of the loss")},
        {QStringLiteral("workspace"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Work space of the libraries")},
        {QStringLiteral("allgather"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gather buffer")},
        {QStringLiteral("allocated"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Allocated")},
        {QStringLiteral("total"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Process, as the system sees it")},
        {QStringLiteral("gradients_host"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients")},
        {QStringLiteral("pinned_rounding"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Rounding of pinned memory")},
        {QStringLiteral("shards_moving"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Shards on their way")},
        {QStringLiteral("gradients_moving"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients on their way")},
        {QStringLiteral("gradients_nvme"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients")},
        {QStringLiteral("gradients_device"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients kept on the device, fp32")},
        {QStringLiteral("gradient_partitions_host"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Reduced gradients on the host")},
        {QStringLiteral("master_device"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Master weights kept on the device")},
        {QStringLiteral("optimizer_states_device"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Optimizer states kept on the device")},
        {QStringLiteral("optimizer_scratch"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Work space of the optimizer")},
        {QStringLiteral("secondary_weights"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Second copy of the weights in the node")},
        {QStringLiteral("quantised_gradients"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Quantised gradients")},
        {QStringLiteral("quantised_weights"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Quantised weights")},
        {QStringLiteral("nvme_buffers"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Buffers for NVMe")},
        {QStringLiteral("activations.blocks"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Activations of the blocks")},
        {QStringLiteral("activations.kept"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Activations kept")},
        {QStringLiteral("activations.recomputed"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Activations made again")},
        {QStringLiteral("activations.gradients_held"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients of block inputs")},
        {QStringLiteral("activations.checkpoints"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Block inputs")},
        {QStringLiteral("activations.host"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Activations on the host")},
        {QStringLiteral("activations.norm_inputs"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Inputs of the norms")},
        {QStringLiteral("activations.norm_outputs"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Outputs of the norms")},
        {QStringLiteral("activations.qkv"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Queries, keys, values")},
        {QStringLiteral("activations.attention"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Attention output")},
        {QStringLiteral("activations.scores"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Attention scores")},
        {QStringLiteral("activations.mlp"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "MLP activations")},
        {QStringLiteral("activations.masks"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Dropout masks")},
        {QStringLiteral("activations.norm_statistics"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Statistics of the norms")},
        {QStringLiteral("activations.lse"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Log-sum-exp of the scores")},
        {QStringLiteral("activations.residual"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Residual stream")},
        {QStringLiteral("activations.mlp_gate"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "MLP gate")},
        {QStringLiteral("activations.mlp_activated"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "MLP after its non-linearity")},
        {QStringLiteral("activations.mlp_up"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "MLP up")},
        {QStringLiteral("activations.mlp_product"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Input of the MLP's last product")},
        {QStringLiteral("activations.mlp_output"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "MLP output")},
        {QStringLiteral("activations.head_norms"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Norms of queries and keys")},
        {QStringLiteral("activations.latent"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Compressed queries and keys")},
        {QStringLiteral("activations.router"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Routing scores")},
        {QStringLiteral("activations.router_inputs"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Inputs of the router")},
        {QStringLiteral("activations.experts_in"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Tokens in order of experts")},
        {QStringLiteral("activations.experts_out"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Outputs of the experts")},
        {QStringLiteral("activations.shared_out"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Output of the shared expert")},
        {QStringLiteral("activations.mask"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Attention mask")},
        {QStringLiteral("activations.adapters"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Inside the adapters")},
        {QStringLiteral("activations.adapter_dropout"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Dropout of the adapters")},
        {QStringLiteral("activations.dora"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Two results of DoRA")},
        {QStringLiteral("activations.rebuilt_weights"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Weights with adapters")},
        {QStringLiteral("gradient_of_rebuilt"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradient of such weights")},
        {QStringLiteral("dora_norms"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Norms of DoRA")},
        {QStringLiteral("inputs_held"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Inputs of the micro-batch before")},
        {QStringLiteral("dora_logits"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "DoRA of the output")},
        {QStringLiteral("allocator.fragmentation"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Fragmentation")},
        {QStringLiteral("allocator.hole"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Holes")},
        {QStringLiteral("allocator.kept"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Blocks of other phases")},
        {QStringLiteral("allocator.pages"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Rounded buffers")},
        {QStringLiteral("context.device"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Device context")},
        {QStringLiteral("context.products"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "16-bit products")},
        {QStringLiteral("context.groups"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Collective library")},
        {QStringLiteral("activations.head"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Input of the output layer")},
        {QStringLiteral("activations.embedding"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Embedding output")},
        {QStringLiteral("activations.next_token"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Heads for further tokens")},
        {QStringLiteral("model_host"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Whole model while it is built")},
        {QStringLiteral("weights_init"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Largest parameter while it is divided")},
        {QStringLiteral("gradients_init"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Zero gradients that make the moments")},
        {QStringLiteral("frozen_weights"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Frozen weights")},
        {QStringLiteral("quantisation_constants"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Constants of packed weights")},
        {QStringLiteral("dequantised"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Dequantised weights")},
        {QStringLiteral("gradients_fp32"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients in fp32")},
        {QStringLiteral("weights_fp8"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "8-bit copies of the weights")},
        {QStringLiteral("buckets_weights_host"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Weights on their way back")},
        {QStringLiteral("buckets_sums_host"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradient sums of micro-batches")},
        {QStringLiteral("weights_host"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Weights kept on the host")},
        {QStringLiteral("weights_host_free"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Empty buffer for weights on the host")},
        {QStringLiteral("server_error"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Compression errors of the server")},
        {QStringLiteral("nvme_buffers_optimizer"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Buffers for NVMe, optimizer")},
        {QStringLiteral("pipeline_buffers"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Pipeline buffers")},
        {QStringLiteral("float8_weights"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Weights in 8 bits")},
        {QStringLiteral("gathered_keys"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gathered keys and values")},
        {QStringLiteral("block_gradients"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients of a block")},
        {QStringLiteral("gradient_of_table"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradient of the embedding")},
        {QStringLiteral("gradient_of_parameter"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradient of one parameter")},
        {QStringLiteral("gradients_flat"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients, joined")},
        {QStringLiteral("pipeline_gradients"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Gradients between stages")},
        {QStringLiteral("pipeline_outputs"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Outputs between stages")},
        {QStringLiteral("whole_gradients"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Whole gradients")},
        {QStringLiteral("tables"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Rotary tables")},
        {QStringLiteral("batch"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Batch")},
        {QStringLiteral("process"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Process and libraries")},
        {QStringLiteral("rounding"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Allocator rounding")},
        {QStringLiteral("context"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Context")},
    };
    if (const auto known = kNames.find(id); known != kNames.end())
        return words(known->second);
    // An id this window has no word for is shown as it is, readable: "activations.norm" becomes "activations, norm".
    QString readable = id;
    readable.replace(QLatin1Char('.'), QStringLiteral(", ")).replace(QLatin1Char('_'), QLatin1Char(' '));
    return readable;
}

QString memoryPhaseName(const QString& id)
{
    static const std::map<QString, const char*> kNames{
        {QStringLiteral("all"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "all")},
        {QStringLiteral("init"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "init")},
        {QStringLiteral("forward"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "forward")},
        {QStringLiteral("backward"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "backward")},
        {QStringLiteral("step"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "step")},
        {QStringLiteral("save"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "save")},
        {QStringLiteral("eval"), QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "eval")},
    };
    if (id == QLatin1String("forward|backward|step|save|eval"))
        return words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "all but init"));
    QStringList names;
    const QStringList phases = id.split(QLatin1Char('|'));
    for (const QString& phase : phases) {
        const auto known = kNames.find(phase);
        names << (known == kNames.end() ? phase : words(known->second));
    }
    // Three and more that follow each other are told by the first and the last.
    static const QStringList kOrder{QStringLiteral("init"), QStringLiteral("forward"), QStringLiteral("backward"), QStringLiteral("step"), QStringLiteral("save"), QStringLiteral("eval")};
    const qsizetype first = kOrder.indexOf(phases.first());
    if (phases.size() >= 3 && first >= 0 && kOrder.mid(first, phases.size()) == phases)
        return names.first() + QChar(0x2013) + names.last();
    return listText(names);
}

bool aliveIn(const LedgerItem& item, const std::string& phase)
{
    return item.phase == "all" || item.phase.empty() || item.phase.find(phase) != std::string::npos;
}

const LedgerRole* fullestRole(const Plan& plan)
{
    if (!plan.ledger || plan.ledger->empty())
        return nullptr;
    return &*std::max_element(plan.ledger->begin(), plan.ledger->end(), [](const LedgerRole& a, const LedgerRole& b) { return a.peak.process < b.peak.process; });
}

MemoryBarsData modelStateBars(const PlanSet& plan)
{
    MemoryBarsData data;
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
        const LedgerRole* role = plan.stages[stage] ? fullestRole(*plan.stages[stage]) : nullptr;
        if (!role)
            continue;
        MemoryBarRow row;
        row.label = stageLabel(stage);
        row.chosen = plan.settings && plan.settings->stage == static_cast<int>(stage);
        for (const LedgerItem& item : role->items)
            if (item.where == Place::Device && (item.what == "weights" || item.what == "gradients" || item.what == "master" || item.what == "optimizer_states"))
                row.segments.push_back(segmentOf(item));
        data.rows.push_back(std::move(row));
    }
    setUnit(data);
    return data;
}

std::optional<MemoryBarRow> peakBar(const Plan& plan, const QString& label)
{
    const LedgerRole* role = fullestRole(plan);
    if (!role)
        return std::nullopt;
    MemoryBarRow row = peakRow(*role);
    row.label = label;
    return row;
}

namespace {

/// On a CPU what is offloaded lies in the same memory: part of the bar that has to fit.
void addOwnHost(MemoryBarRow& row, const Plan& plan, const LedgerRole& role)
{
    if (plan.fit && plan.fit->least > role.peak.process)
        row.segments.push_back({QStringLiteral("offloaded"), words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Offloaded, in the same memory")), MemoryKind::Optimizer, plan.fit->least - role.peak.process, {}});
}

}  // namespace

MemoryBarsData peakBars(const PlanSet& plan)
{
    MemoryBarsData data;
    for (std::size_t i = 0; i < plan.variants.size(); ++i) {
        const PlanVariant& variant = plan.variants[i];
        const LedgerRole* role = variant.plan ? fullestRole(*variant.plan) : nullptr;
        if (!role)
            continue;
        MemoryBarRow row = peakRow(*role);
        addOwnHost(row, *variant.plan, *role);
        row.id = static_cast<int>(i);
        row.label = plannedName(variant);
        row.chosen = variant.chosen;
        data.rows.push_back(std::move(row));
    }
    if (chosenIn(data) < 0 && plan.plan)
        if (const LedgerRole* role = fullestRole(*plan.plan)) {
            MemoryBarRow row = peakRow(*role);
            addOwnHost(row, *plan.plan, *role);
            row.label = words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "Now"));
            row.chosen = true;
            data.rows.insert(data.rows.begin(), std::move(row));
        }
    if (plan.plan && plan.plan->fit && plan.plan->fit->usable > 0) {
        data.limitBytes = plan.plan->fit->usable;
        data.limitLabel = words(QT_TRANSLATE_NOOP("stagecraft::app::ModelStates", "usable %1")).arg(bytes(data.limitBytes).text());
    }
    setUnit(data);
    return data;
}

std::vector<std::pair<MemoryKind, QString>> legendOf(const MemoryBarsData& data)
{
    std::array<bool, kMemoryKinds> present{};
    for (const MemoryBarRow& row : data.rows)
        for (const MemorySegment& segment : row.segments)
            if (segment.bytes > 0)
                present.at(static_cast<std::size_t>(segment.kind)) = true;
    constexpr std::array kOrder{MemoryKind::Weights, MemoryKind::Gradients, MemoryKind::Optimizer, MemoryKind::Gathered, MemoryKind::Buckets,
                                MemoryKind::Activations, MemoryKind::Logits, MemoryKind::Rounding, MemoryKind::Context};
    std::vector<std::pair<MemoryKind, QString>> entries;
    for (const MemoryKind kind : kOrder)
        if (present.at(static_cast<std::size_t>(kind)))
            entries.emplace_back(kind, kindName(kind));
    return entries;
}

MemoryLegend::MemoryLegend(const std::vector<std::pair<MemoryKind, QString>>& entries, QWidget* parent) : QWidget(parent), m_entries(entries)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void MemoryLegend::setEntries(const std::vector<std::pair<MemoryKind, QString>>& entries)
{
    if (entries == m_entries)
        return;
    m_entries = entries;
    updateGeometry();
    update();
}

int MemoryLegend::flow(int width, QPainter* painter) const
{
    const QFontMetrics metrics(theme::font(theme::Role::Small));
    const ChartColors colours = chartColors();
    int x = 12;
    int y = 4;
    for (const auto& [kind, name] : m_entries) {
        const int needed = 15 + metrics.horizontalAdvance(name);
        if (x > 12 && x + needed > width - 12) {
            x = 12;
            y += 20;
        }
        if (painter) {
            painter->fillRect(QRect(x, y + 5, 10, 10), colours.memoryOf(kind));
            painter->setPen(theme::color(theme::Token::Text2));
            painter->drawText(QRect(x + 15, y, needed, 20), Qt::AlignVCenter, name);
        }
        x += needed + 14;
    }
    return y + 26;
}

QSize MemoryLegend::sizeHint() const
{
    return {300, flow(std::max(width(), 300), nullptr)};
}

int MemoryLegend::heightForWidth(int width) const
{
    return flow(width, nullptr);
}

void MemoryLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setFont(theme::font(theme::Role::Small));
    (void)flow(width(), &painter);
}

}  // namespace stagecraft::app
