// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/partly_trained.h"

#include "model/parameter_builder.h"
#include "planner/expert_targets.h"
#include "planner/findings.h"
#include "planner/kept_inputs.h"
#include "planner/module_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace stagecraft {

namespace {

constexpr std::size_t kMostNamesTold = 24;

/// A parameter, or one that layers repeat, with the layers that have it.
struct Row {
    const ParameterRow* row;
    std::int64_t first, count;          ///< layers; count 1 outside them
    bool layered;
    std::int64_t base = 0;              ///< layers before the one that its names call 0: an encoder's before a decoder's
    bool tiedOutput = false;            ///< the output matrix, which is the token table, or its bias, which is that of the module around it

    [[nodiscard]] bool bias() const { return row->name.ends_with(".bias"); }
    [[nodiscard]] bool relative() const { return row->name.ends_with(".relative_attention_bias.weight"); }
    [[nodiscard]] bool table() const { return !layered && (row->kind == ParameterKind::Embedding || row->kind == ParameterKind::Position); }
    [[nodiscard]] std::string_view module() const { return std::string_view(row->name).substr(0, row->name.rfind('.') == std::string::npos ? 0 : row->name.rfind('.')); }
    [[nodiscard]] WideCount size() const
    {
        WideCount size = 1;
        for (const std::int64_t extent : row->shape) size *= extent;
        return size;
    }
};

/// Layers that a row was named for.
struct Layers {
    bool all = false;
    std::set<std::int64_t> some;
    [[nodiscard]] bool any() const { return all || !some.empty(); }
    [[nodiscard]] bool has(std::int64_t layer) const { return all || some.contains(layer); }
    [[nodiscard]] std::int64_t count(std::int64_t of) const { return all ? of : static_cast<std::int64_t>(some.size()); }
    /// @return whether the match is of a layer that the row has
    bool take(const NameMatch& match, const Row& row)
    {
        if (!match.found) return false;
        const std::int64_t layer = match.layer + row.base;
        if (match.layer < 0) all = true;
        else if (layer >= row.first && layer < row.first + row.count) some.insert(layer);
        else return false;
        return true;
    }
};

std::int64_t clamped(WideCount value)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 57;  // beyond that no plan is made, whatever the sum
    return value > kMost ? kMost : static_cast<std::int64_t>(value);
}

double real(WideCount value) { return static_cast<double>(value); }
double part(WideCount some, WideCount all) { return all > 0 ? real(some) / real(all) : 0.0; }

// nn.Embedding outside the token and position tables: T5's bias of positions, SigLIP's table of patches.
bool isOtherTable(const Row& r) { return r.relative() || (r.row->kind == ParameterKind::Vision && r.row->name.ends_with(".position_embedding.weight")); }

bool isLinearWeight(const Row& r)
{
    using K = ParameterKind;
    if (isOtherTable(r)) return false;
    return r.row->shape.size() == 2 && r.row->name.ends_with(".weight") && (r.row->kind == K::Attention || r.row->kind == K::Mlp || r.row->kind == K::SharedExpert || r.row->kind == K::Head || r.row->kind == K::Vision || r.row->name.ends_with(".shared_expert_gate.weight")
        || r.row->name.ends_with(".project_in.weight") || r.row->name.ends_with(".project_out.weight"));
}

std::vector<Row> rowsOf(const ModelShape& s, const std::vector<ParameterRow>& rows)
{
    std::int64_t encoder = 0;
    for (const ParameterRow& row : rows)
        if (row.name.ends_with("encoder.block.{}.layer.0.layer_norm.weight")) encoder = row.copies;
    std::vector<Row> out;
    for (const ParameterRow& row : rows) {
        const bool layered = row.name.find("{}") != std::string::npos;
        const std::int64_t base = row.name.find("decoder.block.{}.") != std::string::npos ? encoder : 0;
        // As in the table of tensors: what not all layers have is the first ones' where it is a plain MLP, and the others' where not.
        const bool last = layered && encoder == 0 && row.kind != ParameterKind::Mlp && row.kind != ParameterKind::Vision;
        out.push_back({&row, last ? std::max<std::int64_t>(0, s.layers - row.copies) : base, layered ? row.copies : 1, layered, base});
    }
    return out;
}

// The output over the vocabulary.
bool isOutput(const ModelShape& s, const ParameterRow& row) { return row.kind == ParameterKind::Head && row.shape.size() == 2 && s.vocab > 0 && s.classes < 0 && row.shape[0] == s.vocab; }

// The module of an output matrix that is the token table; "" = it has one of its own, or there is none. A bias of its own it may have all
// the same (Phi).
std::string tiedOutputOf(const ModelShape& s, const std::vector<ParameterRow>& rows)
{
    if (s.vocab <= 0 || s.classes >= 0) return {};
    std::string name = "lm_head";
    for (const ParameterRow& row : rows) {
        if (isOutput(s, row)) return {};
        if (row.name == "cls.predictions.bias") name = "cls.predictions.decoder";
        if (row.name == "lm_head.dense.weight") name = "lm_head.decoder";
        if (row.name == "vocab_projector.bias") name = "vocab_projector";
    }
    return name;
}

// Other names of tables and biases: modules that share a parameter.
std::vector<ParameterRow> tiedRows(const ModelShape& s, const std::vector<ParameterRow>& rows)
{
    std::vector<ParameterRow> tied;
    if (const std::string output = tiedOutputOf(s, rows); !output.empty()) {
        tied.push_back({output + ".weight", {s.vocab, s.outputWidth()}, 1, ParameterKind::Head});
        // An encoder's output has a bias, which is that of the module around it.
        if (output.ends_with(".decoder")) tied.push_back({output + ".bias", {s.vocab}, 1, ParameterKind::Head});
    }
    // T5's stacks look up in the one table.
    for (const ParameterRow& row : rows) {
        if (!row.name.ends_with("shared.weight") || row.kind != ParameterKind::Embedding) continue;
        const std::string before = row.name.substr(0, row.name.size() - std::string_view("shared.weight").size());
        for (const char* stack : {"encoder.", "decoder."}) {
            const bool there = std::any_of(rows.begin(), rows.end(), [&](const ParameterRow& other) { return other.name.starts_with(before + stack); });
            if (there) tied.push_back({before + stack + "embed_tokens.weight", row.shape, 1, ParameterKind::Embedding});
        }
    }
    return tied;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == kMostNamesTold) return list + ", ...";
        list += (i > 0 ? ", " : "") + names[i];
    }
    return list;
}

void addOnce(std::vector<std::string>& names, std::string_view name)
{
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

/// What of a list of names has been found.
struct Unfound {
    std::vector<std::string> names;
    explicit Unfound(const std::vector<std::string>& all) : names(all) {}
    void found(const std::string& name) { std::erase(names, name); }
};

bool isLinear(ModelTensor::Linear linear, const AdapterSection& a) { return (a.attention && linear == ModelTensor::Linear::Attention) || (a.mlp && linear == ModelTensor::Linear::Mlp); }

/// Sums of what is trained beside a model, as modules are gone through.
struct Added {
    WideCount layers = 0, embedding = 0, output = 0, biases = 0, biasesOfLayers = 0, biasesBehind = 0;
    WideCount toWeights = 0, rebuilt = 0;
    double ranks = 0, modules = 0, outputs = 0, dropped = 0, droppedProjections = 0, droppedProjection = 0;
    std::int64_t firstLayer = std::numeric_limits<std::int64_t>::max();
    void seen(const Row& r, const Layers& layers_)
    {
        if (r.layered) firstLayer = std::min(firstLayer, layers_.all ? r.first : *layers_.some.begin());
    }
    // OPT's projections beside the table count with the layers.
    void place(const Row& r, WideCount size) { (r.table() && !isLinearWeight(r) ? embedding : r.row->kind == ParameterKind::Head && !r.layered ? output : layers) += size; }
};

}  // namespace

std::vector<ParameterRow> parameterRows(const ModelSpec& spec)
{
    std::vector<ParameterRow> rows;
    for (const UnitInfo& unit : unitsOf(spec)) {
        if (unit.kind == UnitKind::Block && unit.name != "block.0") continue;
        for (const ParameterInfo& p : unit.parameters) {
            ParameterRow row{p.name, p.shape, unit.kind == UnitKind::Block ? spec.layers : 1, ParameterKind::Mlp};
            if (const std::size_t at = row.name.find(".0."); unit.kind == UnitKind::Block && at != std::string::npos) row.name.replace(at, 3, ".{}.");
            const bool norm = row.name.find("norm") != std::string::npos || row.name.find(".ln_") != std::string::npos;
            if (unit.kind == UnitKind::Embedding) row.kind = row.name.find("wpe") != std::string::npos ? ParameterKind::Position : ParameterKind::Embedding;
            else if (norm) row.kind = ParameterKind::Norm;
            else if (unit.kind == UnitKind::Head) row.kind = ParameterKind::Head;
            else if (row.name.find("attn.") != std::string::npos) row.kind = ParameterKind::Attention;
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::int64_t addAdapters(ModelShape& s, const std::vector<ParameterRow>& table, const AdapterSection& adapter, std::string_view modelType, std::vector<PlanFinding>& findings)
{
    std::vector<std::string> targets = adapter.modules;
    if (adapter.usual) {
        targets = usualTargets(modelType);
        if (targets.empty()) findings.push_back(makeFinding("plan.adapter.usual", "error", "/model/adapter/targets", "PEFT has no modules of its own for models of the type \"{}\"; name them, or use \"all-linear\"", {std::string(modelType)}));
        if (targets.empty()) return 0;
    }
    const bool byName = !targets.empty();
    std::vector<Row> rows = rowsOf(s, table);
    // By the type alone: where none of its layers is sparse, the names are taken away all the same.
    const ExpertTargets packed = expertTargets(modelType, adapter, targets);
    if (packed.converts) targets = packed.modules;
    const std::vector<std::string_view> ofExperts = packed.converts ? expertNames(modelType) : std::vector<std::string_view>{};
    const std::vector<ParameterRow> tied = tiedRows(s, table);
    for (const ParameterRow& row : tied) rows.push_back({&row, 0, 1, false, 0, true});

    Unfound unfound(targets), unsaved(adapter.modulesToSave);
    std::vector<std::string> known, unfit;
    std::vector<std::string> rankKeys;
    for (const auto& [key, rank] : adapter.ranks) rankKeys.push_back(key);
    Unfound unranked(rankKeys);
    TrainedPart p;
    p.partly = true;
    p.embedding = p.output = p.norm = p.layers = p.experts = p.products = 0;
    Added sum;
    KeptInputs inputs(s.code, s.layers);
    bool twoRanks = false, adaptsTable = false;
    std::set<const ParameterRow*> copied;
    // Ranks that are given by name. @return of all `modules` together
    const auto ranksOf = [&](std::string_view module, const Row& r, const Layers& adapted, std::int64_t general) {
        std::map<std::int64_t, std::int64_t> others;
        std::int64_t matches = 0;
        for (const auto& [key, rank] : adapter.ranks) {
            const NameMatch match = matchName(module, key);
            if (!match.found) continue;
            unranked.found(key);
            const std::int64_t layer = match.layer + r.base;
            if (match.layer < 0) general = rank, ++matches;
            else if (adapted.has(layer) && layer >= r.first && layer < r.first + r.count) others[layer] = rank;
        }
        twoRanks = twoRanks || matches > 1 || (matches == 1 && !others.empty());
        WideCount ranks = WideCount{general} * adapted.count(r.count);
        for (const auto& [layer, rank] : others) ranks += rank - general;
        return ranks;
    };
    for (const Row& r : rows) {
        if (r.layered) inputs.has(*r.row, r.first);
        const std::string_view module = r.module();
        const std::vector<std::string_view> around = modulesAround(r.row->name);
        // Copies of modules: of the parameter whichever of the modules around it is named.
        Layers saved;
        bool guarded = false;
        for (const std::string& name : adapter.modulesToSave)
            for (const std::string_view outer : around) {
                // A copy of all that holds a bias and its other name has one of it.
                if (r.tiedOutput && r.bias() && outer != module) continue;
                if (saved.take(matchName(outer, name, true), r)) unsaved.found(name);
                guarded = guarded || matchName(outer, name).found;
            }
        if (guarded) copied.insert(r.row);
        if (saved.any()) {
            sum.place(r, r.size() * saved.count(r.count));
            sum.seen(r, saved);
            adaptsTable = adaptsTable || r.table();
            p.adapters.push_back({real(r.size()), real(saved.count(r.count))});
            inputs.keeps(*r.row, saved.count(r.count));
        }
        // Adapters of packed experts and routers: their product is added to the weight, which is so made anew (peft, ParamWrapper).
        const bool expert = r.layered && r.row->kind == ParameterKind::Expert, router = r.layered && r.row->name.ends_with(".mlp.gate.weight") && r.row->kind == ParameterKind::Router;
        const bool gateUp = expert && r.row->name.ends_with("gate_up_proj");
        if ((expert && (gateUp ? packed.gateUp : packed.down)) || (router && packed.router)) {
            Layers all;
            all.all = true;
            // One rank for each of the two that are packed together.
            const WideCount ranks = ranksOf(r.row->name, r, all, (gateUp ? 2 : 1) * adapter.rank);
            const std::size_t last = r.row->shape.size() - 1;
            const WideCount copies = expert ? r.row->shape[0] : 1, sides = WideCount{r.row->shape[last]} + r.row->shape[last - 1];
            const WideCount size = ranks * copies * sides;
            sum.layers += size;
            sum.toWeights += size;
            sum.modules += real(r.count);
            sum.seen(r, all);
            for (const std::int64_t side : {r.row->shape[last], r.row->shape[last - 1]}) p.adapters.push_back({real(ranks * copies) / real(std::max<std::int64_t>(1, r.count)) * real(side), real(r.count)});
            inputs.keeps(*r.row, r.count);
            if (expert || !s.code.floatRouter) {
                sum.rebuilt += r.size() * r.count;
                p.largestRebuilt = std::max(p.largestRebuilt, real(r.size()));
            }
        }
        // Adapters beside linear layers and tables.
        const bool embeds = r.row->shape.size() == 2 && ((r.table() && !isLinearWeight(r)) || isOtherTable(r));
        const bool fits = (isLinearWeight(r) || embeds) && std::find(ofExperts.begin(), ofExperts.end(), lastPart(module)) == ofExperts.end();
        Layers adapted;
        if (byName) {
            if (fits) addOnce(known, lastPart(module));
            for (const std::string& name : targets)
                for (const std::string_view outer : around) {
                    if (outer == module && fits && !guarded && adapted.take(matchName(outer, name), r)) unfound.found(name);
                    else if (outer == module && fits && guarded && matchName(outer, name).found) unfound.found(name);
                    else if ((outer != module || (!fits && r.row->name.ends_with(".weight"))) && matchName(outer, name).found) addOnce(unfit, name);
                }
        } else if (!guarded && !r.tiedOutput && fits && !embeds) {
            // Of what stands before and behind the layers "all-linear" leaves out the output over the vocabulary.
            const bool outside = !r.layered || r.row->kind == ParameterKind::Vision;
            const bool attention = r.row->kind == ParameterKind::Attention;
            adapted.all = outside ? adapter.attention && adapter.mlp && !isOutput(s, *r.row) : isLinear(attention ? ModelTensor::Linear::Attention : ModelTensor::Linear::Mlp, adapter);
        }
        const std::int64_t modules = adapted.count(r.count);
        if (modules == 0) continue;
        const WideCount ranks = ranksOf(module, r, adapted, adapter.rank);
        static constexpr std::array<std::string_view, 4> kConv1D{"c_attn", "c_proj", "c_fc", "q_attn"};
        const bool conv = std::find(kConv1D.begin(), kConv1D.end(), lastPart(module)) != kConv1D.end();
        const std::int64_t out = embeds || conv ? r.row->shape[1] : r.row->shape[0], in = embeds || conv ? r.row->shape[0] : r.row->shape[1];
        const WideCount sides = WideCount{r.row->shape[0]} + r.row->shape[1];
        sum.place(r, ranks * sides + (adapter.dora ? WideCount{out} * modules : 0));
        sum.seen(r, adapted);
        adaptsTable = adaptsTable || r.table();
        for (const std::int64_t side : r.row->shape) p.adapters.push_back({real(ranks) / real(modules) * real(side), real(modules)});
        if (r.layered) {
            sum.ranks += real(ranks);
            sum.modules += real(modules);
            sum.outputs += adapter.dora ? real(modules) * real(out) : 0.0;
            const double dropped = adapter.dropout > 0 ? real(modules) * real(in) : 0.0;
            sum.dropped += dropped;
            if (inputs.goesIntoAttention(*r.row)) sum.droppedProjections += dropped, sum.droppedProjection = std::max(sum.droppedProjection, dropped);
        } else if (adapter.dora && r.row->kind == ParameterKind::Head) {
            p.headOutputs = real(out);
        }
        // The product of the two, made from a square of ones, and twice the weight's size for its norm (peft/tuners/lora/dora.py).
        if (adapter.dora && !embeds) p.doraScratch = std::max(p.doraScratch, real(in) * real(in) + (adapter.base == AdapterSection::Base::SixteenBit ? 3 : 4) * real(in) * real(out));
        // What is dropped is another tensor, and nothing else reads it.
        if (!(adapter.dropout > 0)) inputs.keeps(*r.row, modules);
        if (adapter.bias == AdapterSection::Bias::Adapted)
            for (const Row& other : rows)
                if (other.bias() && other.module() == module && other.row->name.ends_with(".bias")) {
                    sum.biases += other.size() * modules;
                    if (r.layered) sum.biasesOfLayers += other.size() * modules;
                }
    }
    if (adapter.bias == AdapterSection::Bias::All)
        for (const Row& r : rows)
            // Of modules that have a copy the original is frozen.
            if (r.bias() && !r.tiedOutput && !copied.contains(r.row)) {
                sum.biases += r.size() * r.count;
                (r.layered ? sum.biasesOfLayers : sum.biasesBehind) += r.size() * r.count;
                if (r.layered) sum.firstLayer = std::min(sum.firstLayer, r.first);
            }

    p.added = clamped(sum.layers + sum.embedding + sum.output);
    p.addedEmbedding = real(sum.embedding);
    p.addedOutput = real(sum.output);
    p.addedLayer = clamped((sum.layers + s.layers - 1) / s.layers);
    p.adapterModules = sum.modules / real(s.layers);
    p.layers = part(sum.biasesOfLayers, WideCount{s.params} - s.embedding - s.head - s.finalNorm);
    p.norm = std::min(1.0, part(sum.biasesBehind, s.finalNorm));
    p.frozenLayers = std::min(sum.firstLayer, s.layers);
    // A quantised base has its embedding's output made to need a gradient (peft, prepare_model_for_kbit_training).
    p.silentBelow = p.frozenLayers > 0 && !adaptsTable && adapter.base == AdapterSection::Base::SixteenBit;
    const double above = real(s.layers - p.silentLayers());
    const auto ofLayer = [&](double all) { return above > 0 ? all / above : 0.0; };
    p.adapterRanks = ofLayer(sum.ranks);
    p.adapterOutputs = ofLayer(sum.outputs);
    p.adapterInputs = ofLayer(sum.dropped);
    p.adapterInputsFused = ofLayer(sum.dropped - sum.droppedProjections + sum.droppedProjection);
    p.rebuiltWeights = ofLayer(real(sum.rebuilt));
    p.addedToWeights = clamped(sum.toWeights);
    // A weight that is made anew has a gradient of its own, of which its adapters' are made.
    p.products = std::min(1.0, part(sum.rebuilt, WideCount{s.layerMatrices} * s.layers));
    p.kept = inputs.parts(p.silentLayers());
    // bitsandbytes packs modules of the classes Linear and Conv1D alone (transformers/integrations/bitsandbytes.py): experts stay as they are.
    p.packedMatrices = s.layerMatrices - s.layerExperts;
    constexpr double kBlock = 64, kSecondBlock = 256;
    switch (adapter.base) {
    case AdapterSection::Base::Nf4: p.packedBytes = 0.5 + (adapter.doubleQuantization ? 1 / kBlock + 4 / (kBlock * kSecondBlock) : 4 / kBlock); break;
    case AdapterSection::Base::Int8: p.packedBytes = 1 + 4 / static_cast<double>(std::max<std::int64_t>(s.hidden, 1)); break;
    case AdapterSection::Base::SixteenBit: p.packedBytes = 2; break;
    }
    // Products of 8 bits keep their inputs all the same, those of 4 bits the packed weight alone (bitsandbytes, autograd/_functions.py,
    // MatMul8bitLt and MatMul4Bit: ctx.tensors).
    if (adapter.base == AdapterSection::Base::Int8)
        for (double* input : {&p.kept.attention, &p.kept.attentionReads, &p.kept.mlpReads, &p.kept.queryLatent, &p.kept.keyLatent, &p.kept.output, &p.kept.mlp, &p.kept.product, &p.kept.sharedProduct}) *input = 1;
    s.part = std::move(p);

    if (!packed.missing.empty()) findings.push_back(makeFinding("plan.adapter.pair", "error", "/model/adapter/targets", "PEFT adapts {} only together with {}, as the experts have them packed into one tensor; name both", {joined(packed.present), joined(packed.missing)}));
    if (sum.toWeights > 0 && (adapter.dora || adapter.dropout > 0)) findings.push_back(makeFinding("plan.adapter.packed_experts", "error", adapter.dora ? "/model/adapter/dora" : "/model/adapter/dropout", "PEFT refuses {} where packed experts or routers have adapters; leave it out, or name targets without them such as [\"q_proj\", \"v_proj\"]", {adapter.dora ? "dora" : "dropout"}));
    if (byName) {
        for (const std::string_view name : ofExperts) addOnce(known, name);
        std::erase_if(unfound.names, [&](const std::string& name) { return std::find(unfit.begin(), unfit.end(), name) != unfit.end(); });
        if (!unfit.empty()) findings.push_back(makeFinding("plan.adapter.unfit", "error", "/model/adapter/targets", "No adapter can stand beside {}: PEFT adapts linear layers and embeddings alone; this model has {}", {joined(unfit), joined(known)}));
        if (!unfound.names.empty()) findings.push_back(makeFinding("plan.adapter.names", sum.layers + sum.embedding + sum.output > 0 ? "warning" : "error", "/model/adapter/targets", "No linear layer or embedding of this model is called {}; it has {}", {joined(unfound.names), joined(known)}));
    }
    if (!unsaved.names.empty()) findings.push_back(makeFinding("plan.adapter.saved", "warning", "/model/adapter/modulesToSave", "No module of this model is called {}: no copy of it is trained", {joined(unsaved.names)}));
    if (!unranked.names.empty()) findings.push_back(makeFinding("plan.adapter.ranks", "warning", "/model/adapter/rankPattern", "No adapted module is called {}: its rank has no effect", {joined(unranked.names)}));
    if (twoRanks) findings.push_back(makeFinding("plan.adapter.two_ranks", "error", "/model/adapter/rankPattern", "Two names of rankPattern stand for the same module, and which of them holds is a matter of their order; name each module once"));
    return clamped(WideCount{s.part.added} + sum.biases);
}

std::int64_t freezeParts(ModelShape& s, const std::vector<ParameterRow>& table, const FreezeSection& freeze, std::vector<PlanFinding>& findings)
{
    const std::vector<Row> rows = rowsOf(s, table);
    Unfound unfound(freeze.modules);
    std::vector<std::string> known;
    std::vector<Layers> frozen(rows.size());
    if (freeze.firstLayers > s.layers) findings.push_back(makeFinding("plan.freeze.layers", "error", "/model/freeze/firstLayers", "model.freeze.firstLayers is {}, and the model has {} layers; use fewer", {std::to_string(freeze.firstLayers), std::to_string(s.layers)}));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& r = rows[i];
        if (freeze.embeddings && r.table()) frozen[i].all = true;
        std::vector<std::string_view> around = modulesAround(r.row->name);
        for (const std::string_view outer : around)
            if (const std::string_view name = lastPart(outer); name != "{}") addOnce(known, name);
        around.insert(around.begin(), r.row->name);
        for (const std::string& name : freeze.modules)
            for (const std::string_view outer : around) {
                // A number alone at the end of a path is of the layer: "layers.3" is all of it.
                if (frozen[i].take(matchName(outer, name), r)) unfound.found(name);
            }
        if (r.layered) {
            for (std::int64_t layer = r.first; r.row->kind != ParameterKind::Vision && layer < std::min({r.first + r.count, freeze.firstLayers, s.layers}); ++layer) frozen[i].some.insert(layer);
            if (!frozen[i].some.empty() && static_cast<std::int64_t>(frozen[i].some.size()) == r.count) frozen[i].all = true;
        }
    }
    const bool tied = !tiedOutputOf(s, table).empty();
    // The output matrix is the token table: frozen as one it is frozen as the other.
    for (const ParameterRow& other : tiedRows(s, table)) {
        bool named = false;
        for (const std::string& name : freeze.modules) {
            bool found = matchName(other.name, name).found;
            for (const std::string_view outer : modulesAround(other.name)) found = found || matchName(outer, name).found;
            if (!found) continue;
            unfound.found(name);
            named = true;
        }
        addOnce(known, lastPart(std::string_view(other.name).substr(0, other.name.rfind('.'))));
        for (std::size_t i = 0; i < rows.size() && named; ++i)
            if (rows[i].row->shape == other.shape && (other.shape.size() == 1 ? rows[i].row->kind == ParameterKind::Head : rows[i].table() && rows[i].row->kind == ParameterKind::Embedding)) frozen[i].all = true;
    }

    // The first layer in which something is trained.
    std::int64_t first = s.layers;
    bool anyTable = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& r = rows[i];
        if (frozen[i].all) continue;
        if (r.table()) anyTable = true;
        if (!r.layered) continue;
        std::int64_t layer = r.first;
        while (layer < r.first + r.count && frozen[i].has(layer)) ++layer;
        if (layer < r.first + r.count) first = std::min(first, layer);
    }
    TrainedPart p;
    p.partly = true;
    p.frozenLayers = first;
    p.silentBelow = !anyTable && first > 0;
    struct Sum {
        WideCount all = 0, trained = 0;
        [[nodiscard]] double share() const { return part(trained, all); }
    } tables, token, output, norm, layers, experts, products;
    WideCount trainable = 0;
    KeptInputs inputs(s.code, s.layers);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& r = rows[i];
        const std::int64_t left = r.count - frozen[i].count(r.count);
        const WideCount size = r.size();
        trainable += size * left;
        if (!r.layered) {
            Sum& sum = r.table() ? tables : r.row->kind == ParameterKind::Head ? output : norm;
            sum.all += size;
            sum.trained += size * left;
            if (r.table() && r.row->kind == ParameterKind::Embedding && tied) token.all += size, token.trained += size * left;
            continue;
        }
        const WideCount here = size * std::max<std::int64_t>(0, r.first + r.count - std::max(r.first, first));
        Sum& sum = r.row->kind == ParameterKind::Expert ? experts : layers;
        sum.all += here;
        sum.trained += size * left;
        if (r.row->shape.size() >= 2) products.all += here, products.trained += size * left;
        inputs.has(*r.row, r.first);
        inputs.keeps(*r.row, left);
    }
    // An encoder's layers are smaller than a decoder's, and what is frozen counts as so many of their mean.
    if (s.encoderLayers > 0) {
        layers.all = 0;
        for (const Row& r : rows) layers.all += r.layered ? r.size() * r.count : 0;
        layers.all = layers.all * (s.layers - first) / s.layers;
    }
    p.embedding = tables.all > 0 ? tables.share() : 1;
    // Before an encoder's output stand matrices of its own.
    p.output = tied && !s.code.bidirectional ? token.share() : output.all > 0 ? output.share() : 1;
    p.norm = norm.all > 0 ? norm.share() : 1;
    p.layers = layers.share();
    p.experts = experts.share();
    p.products = products.share();
    p.kept = inputs.parts(p.silentLayers());
    s.part = p;
    if (!unfound.names.empty()) findings.push_back(makeFinding("plan.freeze.names", "error", "/model/freeze/modules", "Nothing in this model is called {}; it has {}", {joined(unfound.names), joined(known)}));
    if (trainable == 0) findings.push_back(makeFinding("plan.freeze.all", "error", "/model/freeze", "Everything is frozen: nothing is left to train; freeze less, or plan adapters with model.adapter"));
    return clamped(trainable);
}

}  // namespace stagecraft
