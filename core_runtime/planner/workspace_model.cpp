// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/workspace_model.h"

#include "hardware/device_sheet.h"
#include "model/parameter_table.h"
#include "planner/expert_targets.h"
#include "planner/findings.h"
#include "planner/partly_trained.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

namespace {

bool hasWeights(const std::filesystem::path& folder)
{
    std::error_code failed;
    if (std::filesystem::exists(folder / "model.safetensors", failed) || std::filesystem::exists(folder / "model.safetensors.index.json", failed)) return true;
    for (std::filesystem::directory_iterator it(folder, failed); !failed && it != std::filesystem::directory_iterator(); it.increment(failed))
        if (it->path().extension() == ".safetensors") return true;
    return false;
}

// Packed weights take no gradients: a plan of training all of them is one of the same model unpacked.
void tellPacked(const Workspace& w, std::vector<PlanFinding>& findings)
{
    const nlohmann::json& config = w.model.huggingFaceConfig;
    const auto packed = config.find("quantization_config");
    if (packed == config.end() || packed->is_null() || (w.model.adapter && w.model.adapter->base != AdapterSection::Base::SixteenBit)) return;
    const auto method = packed->is_object() ? packed->find("quant_method") : packed->end();
    const std::string name = packed->is_object() && method != packed->end() && method->is_string() ? method->get<std::string>() : "quantization_config";
    findings.push_back(makeFinding("plan.quantized", "warning", "/model", "config.json says that the weights are quantised ({}), and such weights cannot be trained: the plan is of the same model unpacked; for adapters on packed weights set model.adapter.base to nf4 or int8", {name}));
}

// Whose class is counted where config.json names none, or has no list of names where it should.
void tellClass(const nlohmann::json& config, const ParameterCounts& counts, std::vector<PlanFinding>& findings)
{
    if (!counts.assumedClass) return;
    const auto named = config.find("architectures");
    const bool silent = named == config.end() || named->is_null() || (named->is_array() && named->empty());
    if (silent) {
        findings.push_back(makeFinding("plan.class_assumed", "info", "/model", "config.json names no class: counted as {}", {counts.className}));
        return;
    }
    constexpr std::size_t kMost = 60;
    std::string written = named->dump(-1, ' ', true);
    if (written.size() > kMost) written = written.substr(0, kMost) + "...";
    findings.push_back(makeFinding("plan.class_written", "warning", "/model", "\"architectures\" of config.json is {}, no list of names of classes: counted as {}, the language model of its model_type; write [\"{}\"], or the class that is trained", {written, counts.className, counts.className}));
}

// Of a class and a model_type of two families the class is counted: AutoModel would build the other.
void tellContradiction(const nlohmann::json& config, const std::string& className, std::vector<PlanFinding>& findings)
{
    const auto type = config.find("model_type");
    if (type == config.end() || !type->is_string()) return;
    const auto usual = countParameters({{"model_type", *type}});
    if (!usual.hasValue()) return;
    static constexpr std::array<std::string_view, 6> kHeads{"For", "LMHeadModel", "DoubleHeadsModel", "EncoderModel", "Model", "TextFor"};
    std::string family = usual->className;
    family.erase(std::min({family.find("TextFor"), family.find("For"), family.find("LMHeadModel")}));
    const std::string_view head = std::string_view(className).starts_with(family) ? std::string_view(className).substr(family.size()) : std::string_view();
    if (std::any_of(kHeads.begin(), kHeads.end(), [&](std::string_view start) { return head.starts_with(start); })) return;
    findings.push_back(makeFinding("plan.class_contradicts", "warning", "/model", "config.json names the class {} under \"architectures\" and \"model_type\": \"{}\": the class is counted, but AutoModel builds what model_type says; correct one of them", {className, type->get<std::string>()}));
}

// T5 1.1 and mT5 have an output of their own in Transformers 4, and in 5 where the weights do (T5Config.__init__; modeling_utils.py, tie_weights).
// A tied one is the embedding turned around. Counted on the meta device by 4.57 and 5.24: t5-v1_1-base 247,577,856 and 222,903,552.
void tellTiedOutput(const nlohmann::json& config, const ParameterCounts& counts, std::vector<PlanFinding>& findings)
{
    const bool generates = counts.className == "T5ForConditionalGeneration" || counts.className == "MT5ForConditionalGeneration";
    if (!generates || counts.rows.empty() || config.value("tie_word_embeddings", nlohmann::json()) != false) return;
    for (const ParameterRow& row : counts.rows) {
        if (row.kind != ParameterKind::Embedding || row.shape.size() != 2) continue;
        findings.push_back(makeFinding("plan.tied_output", "info", "/model", "Transformers 5 ties T5's output to its embedding whatever tie_word_embeddings says, and so it is counted; Transformers 4, and weights that have an lm_head of their own, train {} parameters more", {std::to_string(row.shape[0] * row.shape[1])}));
        return;
    }
}

// Sizes that names and counts of adapters depend on, of a model whose activations nobody plans.
ModelShape namedSizes(const std::vector<ParameterRow>& rows, std::string_view className, std::int64_t params)
{
    ModelShape s;
    s.params = params;
    const auto isOne = [&](std::initializer_list<std::string_view> ends) { return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return className.ends_with(end); }); };
    const bool predicts = isOne({"ForCausalLM", "LMHeadModel", "DoubleHeadsModel", "ForConditionalGeneration", "ForMaskedLM", "ForPreTraining"});
    std::int64_t stacks = 0;
    for (const ParameterRow& row : rows) {
        if (row.kind == ParameterKind::Embedding && row.shape.size() == 2 && s.hidden == 0) {
            s.hidden = row.shape[1];
            if (predicts) s.vocab = row.shape[0];
        }
        if (row.name.find("{}") != std::string::npos && row.kind != ParameterKind::Vision) s.layers = std::max(s.layers, row.copies);
        if (row.name.ends_with("block.{}.layer.0.layer_norm.weight")) stacks += row.copies;
    }
    s.layers = std::max<std::int64_t>({1, s.layers, stacks});
    return s;
}

// Classifiers are trained whole beside adapters where a script says that it classifies.
void tellHead(std::string_view className, const AdapterSection& adapter, std::vector<PlanFinding>& findings)
{
    const bool classifies = className.ends_with("ForSequenceClassification") || className.ends_with("ForTokenClassification");
    if (!classifies || !adapter.modulesToSave.empty()) return;
    findings.push_back(makeFinding("plan.adapter.head", "info", "/model/adapter/modulesToSave", "Counted as PEFT does without a task_type: with SEQ_CLS or TOKEN_CLS it trains a copy of the whole classifier too; then say \"modulesToSave\": [\"classifier\", \"score\"]"));
}

// What of the model is trained: adapters beside it, or what is left of it.
void countTrained(const Workspace& w, const std::vector<ParameterRow>& rows, std::string_view className, CountedModel& model, std::vector<PlanFinding>& findings)
{
    if (model.params) model.size.params = *model.params;
    if (!w.model.trainsPart()) return;
    const auto refuse = [&](const char* id, const char* pointer, const char* message) {
        findings.push_back(makeFinding(id, "error", pointer, message));
        // Of another training than the one asked for nothing is said.
        model.trainable = std::nullopt;
    };
    if (!model.params || rows.empty()) {
        if (w.model.adapter) refuse("plan.adapter.sizes", "/model/adapter", "Adapters need a model whose modules are known by name; give its sizes, a preset or a config.json of a known family");
        else refuse("plan.freeze.sizes", "/model/freeze", "Frozen parts need a model whose modules are known by name; give its sizes, a preset or a config.json of a known family");
        return;
    }
    const bool decodes = model.shape && !model.shape->code.bidirectional;
    ModelShape named = model.shape ? *model.shape : namedSizes(rows, className, *model.params);
    if (w.model.freeze) {
        model.trainable = freezeParts(named, rows, *w.model.freeze, findings);
    } else {
        const AdapterSection& adapter = *w.model.adapter;
        if (!decodes && adapter.base != AdapterSection::Base::SixteenBit) return refuse("plan.adapter.base", "/model/adapter/base", "A quantised base is planned for decoders alone: which matrices of an encoder or a classifier Transformers leaves unpacked is not known here; use base 16bit");
        const nlohmann::json& config = w.model.huggingFaceConfig;
        std::string type = config.is_object() ? config.value("model_type", nlohmann::json()).is_string() ? config["model_type"].get<std::string>() : std::string() : w.model.spec ? familyName(w.model.spec->family) : "";
        if (type.empty()) type = named.code.family;
        const auto before = findings.size();
        model.trainable = addAdapters(named, rows, adapter, type, findings);
        tellHead(className, adapter, findings);
        const bool told = std::any_of(findings.begin() + static_cast<std::ptrdiff_t>(before), findings.end(), [](const PlanFinding& finding) { return finding.severity == "error"; });
        const std::int64_t added = named.part.added;
        if (added == 0 && !told) findings.push_back(makeFinding("plan.adapter.targets", "error", "/model/adapter/targets", "This model has no such linear layers for adapters: its experts are packed into one tensor; use \"all-linear\" or \"attention\""));
        else if (const std::int64_t ofExperts = named.part.addedToWeights; ofExperts > 0) findings.push_back(makeFinding("plan.adapter.experts", "info", "/model/adapter/targets", "PEFT 0.21 adapts packed experts and routers too where their projections are named or \"all-linear\" is said: {} of the trained parameters are theirs, and it makes their weights anew in each forward pass and keeps them whole for the backward pass; PEFT 0.18 and older adapt none of them", {std::to_string(ofExperts)}));
        else if (added > 0 && named.experts > 0 && adapter.mlp && !adapter.usual && expertNames(type).empty()) findings.push_back(makeFinding("plan.adapter.experts_none", "info", "/model/adapter/targets", "The routed experts have no adapters: Transformers packs them into one tensor, and PEFT 0.21 converts no names of experts in models of the type \"{}\"", {type}));
        const nlohmann::json& arguments = w.framework.arguments;
        const std::string release = arguments.is_object() && arguments.contains("release") && arguments["release"].is_string() ? arguments["release"].get<std::string>() : std::string();
        if (added > 0 && named.experts > 0 && adapter.base != AdapterSection::Base::SixteenBit && !packsExperts(named.code.family, release)) findings.push_back(makeFinding("plan.adapter.experts_plain", "info", "/model/adapter/base", "A quantised base leaves the routed experts in 16 bits: Transformers has packed them into one tensor since its release 5, which is no linear layer. Where yours is older say its month in framework.arguments, as in \"release\": \"2025-06\""));
        *model.params += added;
        if (model.active) *model.active += added;
    }
    if (model.shape) {
        model.shape = std::move(named);
        return;
    }
    TrainedPart& part = model.size.part;
    part.partly = true;
    part.added = named.part.added;
    part.adapters = std::move(named.part.adapters);
    // Of the model's own parameters, wherever they stand.
    part.layers = static_cast<double>(*model.trainable - part.added) / static_cast<double>(model.size.params);
    part.embedding = part.output = part.norm = part.experts = 0;
}

}  // namespace

CountedModel countWorkspaceModel(const Workspace& w, std::vector<PlanFinding>& findings)
{
    CountedModel model;
    if (w.model.form == ModelSection::Form::ParameterCount) {
        const double params = w.model.parameterCount;
        // Sixteen bytes and more for each, on several ranks of a node, must stay far below 2^63.
        if (!(params >= 1) || !(params <= 1e16)) {
            findings.push_back(makeFinding("plan.params", "error", "/model/params", "A model of {} parameters cannot be planned; use 1 to 1e16", {fmt::format("{}", params)}));
            return model;
        }
        model.params = model.trainable = model.active = std::llround(params);
        countTrained(w, {}, {}, model, findings);
        return model;
    }
    bool noDecoder = false;
    std::vector<ParameterRow> rows;
    std::string className;
    if (w.model.huggingFaceConfig.is_object()) {
        auto counts = countParameters(w.model.huggingFaceConfig);
        if (!counts.hasValue() && counts.error().code == ErrorCode::NotFound && !w.model.huggingFaceFolder.empty()) {
            if (auto fromFiles = countParametersFromSafetensors(w.model.huggingFaceFolder); fromFiles.hasValue()) {
                counts = std::move(fromFiles);
                findings.push_back(makeFinding("plan.params_from_files", "info", "/model/hf", "The family is not known: parameters are counted from the headers of its safetensors files"));
            } else if (hasWeights(w.model.huggingFaceFolder)) {
                // What is wrong with the files says more than that there should be some.
                counts = fromFiles.error();
            }
        }
        tellPacked(w, findings);
        if (!counts.hasValue()) {
            findings.push_back({"plan.params_unknown", "warning", "/model", counts.error().message});
        } else {
            model.params = counts->params;
            model.trainable = counts->trainable;
            model.active = counts->active;
            tellClass(w.model.huggingFaceConfig, *counts, findings);
            if (const std::string activation = unknownActivation(w.model.huggingFaceConfig, counts->className); !activation.empty())
                findings.push_back(makeFinding("plan.activation_unknown", "warning", "/model", "config.json calls the activation function {}, and Transformers has none of that name: it would not build this model. Parameters are counted all the same; memory and time are planned as of one that keeps its input, as gelu and silu do. Write a name that it has, such as \"silu\", \"gelu\", \"gelu_new\" or \"relu\"", {activation}));
            tellContradiction(w.model.huggingFaceConfig, counts->className, findings);
            tellTiedOutput(w.model.huggingFaceConfig, *counts, findings);
            model.shape = shapeOf(w.model.huggingFaceConfig, *counts);
            // What other frameworks than DeepSpeed make of encoders and classifiers is not known.
            if (model.shape && (model.shape->code.bidirectional || model.shape->classes >= 0) && w.framework.name != "deepspeed") model.shape.reset();
            // Its sizes are not those of a language model that the workspace may have beside it.
            noDecoder = !model.shape;
            if (model.shape && w.model.seq > 0) model.shape->seq = w.model.seq;
            rows = counts->rows;
            className = counts->className;
            for (const ParameterRow& row : counts->rows) {
                // Rotary and ALiBi models run beyond the length they were made for; one with a table of positions cannot.
                if (!model.shape || row.kind != ParameterKind::Position || row.shape.empty()) continue;
                const nlohmann::json written = w.model.huggingFaceConfig.value("max_position_embeddings", nlohmann::json());
                const std::int64_t positions = written.is_number_integer() ? std::min(row.shape[0], written.get<std::int64_t>()) : row.shape[0];
                if (model.shape->seq > positions) findings.push_back(makeFinding("plan.positions", "error", "/model/seq", "A sequence of {} tokens for a model with {} learned positions; use a shorter one", {std::to_string(model.shape->seq), std::to_string(positions)}));
            }
        }
    }
    if (w.model.spec) {
        const std::int64_t seq = w.model.spec->seq;
        // Of a class that is not known, the family beside it says nothing: what it adds or leaves out nobody has told.
        const bool unknown = w.model.huggingFaceConfig.is_object() && !model.params;
        if (!model.shape && !unknown && (!noDecoder || w.framework.name == "stagecraft")) {
            model.shape = shapeOf(*w.model.spec);
            rows = parameterRows(*w.model.spec);
        }
        if (model.shape) model.shape->seq = seq;
        if (!model.params && model.shape) model.params = model.trainable = model.active = model.shape->params;
    }
    countTrained(w, rows, className, model, findings);
    return model;
}

std::optional<std::int64_t> hostMemoryOf(const Workspace& w, const PlanContext& context)
{
    if (w.hardware.hostMemoryBytes > 0) return w.hardware.hostMemoryBytes;
    return w.hardware.device == "cpu" || w.hardware.device == "cuda" ? context.hostMemoryBytes : std::nullopt;
}

bool machineIsMeant(const Workspace& w, const PlanContext& context) { return w.hardware.device == "cuda" && !context.gpu.empty() && findDevice(context.gpu); }

Workspace onThisMachine(const Workspace& w, const PlanContext& context)
{
    Workspace here = w;
    if (!machineIsMeant(w, context)) return here;
    here.hardware.hostMemoryBytes = hostMemoryOf(w, context).value_or(0);
    here.hardware.device = context.gpu;
    return here;
}

bool adapterIsPlanned(const Workspace& w, std::vector<PlanFinding>& findings)
{
    if (!w.model.trainsPart() || w.framework.name == "deepspeed") return true;
    const bool fsdp2 = w.framework.name == "fsdp2";
    if (w.model.adapter && fsdp2 && w.model.adapter->base == AdapterSection::Base::Int8) {
        findings.push_back(makeFinding("plan.adapter.packed", "error", "/model/adapter/base", "FSDP2 cannot divide weights that bitsandbytes packs in 8 bits, for they are whole numbers; use base nf4, which it divides where it is stored in a float type, or base 16bit, or DeepSpeed (--set /framework/name=deepspeed)"));
        return false;
    }
    if (w.model.adapter && fsdp2 && w.model.adapter->base == AdapterSection::Base::Nf4)
        findings.push_back(makeFinding("plan.adapter.storage", "info", "/model/adapter/base", "FSDP2 divides 4-bit weights only where they are stored in the float type of the others: load the base with bnb_4bit_quant_storage the same as its dtype, such as torch.bfloat16, and say \"dtype\": \"bfloat16\" in framework.arguments"));
    if (fsdp2) return true;
    if (w.framework.name == "megatron") {
        if (w.model.adapter) findings.push_back(makeFinding("plan.adapter.megatron", "error", "/model/adapter", "Megatron-LM has no low-rank adapters: no option of its pretrain_gpt.py adds them; use --set /framework/name=deepspeed or fsdp2, or remove model.adapter"));
        else findings.push_back(makeFinding("plan.freeze.megatron", "error", "/model/freeze", "Megatron-LM has no option that freezes parts of a language model; use --set /framework/name=deepspeed or fsdp2, or remove model.freeze"));
        return false;
    }
    if (w.model.adapter) findings.push_back(makeFinding("plan.adapter.framework", "error", "/model/adapter", "Adapters are planned as DeepSpeed and FSDP2 train them; use --set /framework/name=deepspeed, or remove model.adapter"));
    else findings.push_back(makeFinding("plan.freeze.framework", "error", "/model/freeze", "Frozen parts are planned as DeepSpeed and FSDP2 train them; use --set /framework/name=deepspeed, or remove model.freeze"));
    return false;
}

// Every size an int of the layout may have, so that no later product overflows.
bool layoutIsPossible(const Workspace& w, std::vector<PlanFinding>& findings)
{
    const LayoutSection& l = w.layout;
    bool possible = true;
    const auto check = [&](const char* pointer, int value) {
        if (value >= 1 && value <= 10'000'000) return;
        if (value > 1) {
            findings.push_back(makeFinding("plan.size.most", "error", pointer, "{} is {}; use at most 10000000", {pointer + 1, std::to_string(value)}));
            possible = false;
            return;
        }
        findings.push_back(makeFinding("plan.size.least", "error", pointer, "{} is {}; use 1 or more", {pointer + 1, std::to_string(value)}));
        possible = false;
    };
    check("/layout/dp", l.dp);
    check("/layout/tp", l.tp);
    check("/layout/pp", l.pp);
    check("/layout/cp", l.cp);
    check("/layout/ep", l.ep);
    check("/layout/chunks", l.chunks);
    check("/hardware/nodes", w.hardware.nodes);
    check("/hardware/devicesPerNode", w.hardware.devicesPerNode);
    if (!possible) return false;
    const double ranks = static_cast<double>(l.dp) * l.tp * l.pp * l.cp;
    const double devices = static_cast<double>(w.hardware.nodes) * w.hardware.devicesPerNode;
    if (ranks > 1e9) {
        findings.push_back(makeFinding("plan.size.ranks", "error", "/layout", "The layout has more than a billion ranks; use smaller sizes"));
        return false;
    }
    if (ranks > devices && w.hardware.device != "cpu") {
        findings.push_back(makeFinding("plan.ranks", "error", "/layout", "The layout has {} ranks for {} devices; change the layout or the hardware", {fmt::format("{}", ranks), fmt::format("{}", devices)}));
    }
    return true;
}

std::vector<PlanFinding> unknownFieldFindings(const Workspace& w)
{
    std::vector<PlanFinding> findings;
    for (const std::string& pointer : w.unknownFields) findings.push_back(makeFinding("plan.unknown_field", "warning", pointer, "No field of a workspace is called {}: it is kept, and has no effect", {pointer}));
    return findings;
}

}  // namespace stagecraft
