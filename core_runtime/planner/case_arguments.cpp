// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/case_arguments.h"

#include "planner/findings.h"
#include "workspace/host_shards.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

namespace stagecraft {

namespace {

using nlohmann::json;

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// What changes neither memory nor time: of data, logs, files, learning rates, and how numbers are scaled. With "-" for "_"; the second
// list are beginnings.
constexpr std::string_view kIdle[]{
    "seed", "name", "split", "train-iters", "train-samples", "steps", "clip-grad", "max-norm", "clip-norm", "norm-epsilon", "layernorm-epsilon", "num-workers", "mock-data", "eps", "beta1", "beta2",
    "use-mcore-models", "use-checkpoint-args", "ckpt-format", "swiglu-limit", "moe-aux-loss-coeff", "moe-z-loss-coeff", "moe-router-load-balancing-type",
    "moe-router-score-function", "moe-router-pre-softmax", "moe-router-topk-scaling-factor", "moe-router-num-groups", "moe-router-group-topk", "moe-router-enable-expert-bias", "moe-router-bias-update-rate",
    "mtp-loss-scaling-factor", "rotary-base", "rotary-percent", "rotary-scaling-factor", "mscale", "mscale-all-dim", "original-max-position-embeddings", "max-position-embeddings", "loss-scale", "initial-loss-scale", "min-loss-scale",
    "warmup",
    "async-save", "auto-detect-ckpt-format", "dataloader-type", "distributed-backend", "finetune", "manual-gc", "manual-gc-interval", "manual-gc-eval", "gc-freq", "te-rng-tracker", "hysteresis",
    "no-create-attention-mask-in-dataloader", "reset-position-ids", "reset-attention-mask", "eod-mask-loss", "start-weight-decay", "end-weight-decay", "no-check-for-nan-in-loss-and-grad", "dump-folder",
    "fp8-margin", "fp8-interval", "fp8-amax-history-len", "fp8-amax-compute-algo", "tp-only-amax-red", "check-for-nan-in-loss-and-grad", "check-for-nan-in-grad", "check-for-large-grads",
    "ddp-average-in-collective", "no-gradient-reduce-div-fusion", "decoupled-lr", "decoupled-min-lr", "use-cpu-initialization", "glu-linear-offset",
    "moe-per-layer-logging", "moe-input-jitter-eps", "calculate-per-token-loss", "attention-softmax-in-fp32", "apply-query-key-layer-scaling", "tp-comm-bootstrap-backend",
    "rotary-interleaved", "rotary-seq-len-interpolation-factor", "config-logger-dir", "local-rank", "lazy-mpu-init", "barrier-with-l1-time", "no-barrier-with-level-1-timing", "use-dist-ckpt", "disable-gloo-process-groups",
    "enable-gloo-process-groups", "use-persistent-ckpt-worker", "use-mp-args-from-checkpoint-args", "no-mmap-bin-files", "num-dataset-builder-threads", "full-validation", "skip-train", "vocab-extra-ids", "legacy-tokenizer", "sft",
    "no-initialization", "no-perform-initialization", "perform-initialization", "trust-remote-code", "object-storage-cache-path", "no-weight-decay-cond-type", "enable-msc", "disable-jit-fuser",
    "enable-wandb", "enable-tensorboard", "enable-checkpoint", "enable-profiling", "checkpoint-folder", "checkpoint-interval", "checkpoint-dir", "checkpoint-path", "hf-assets-path", "train-sync-interval"};
// Those that say how another one is meant, with that other one: not looked at, because it is not there.
constexpr std::pair<std::string_view, std::string_view> kBesideOthers[]{
    {"use-flash-attn", "transformer-impl local"}, {"recompute-method", "recompute-granularity full"}, {"recompute-num-layers", "recompute-granularity full"}, {"recompute-modules", "recompute-granularity selective"},
    {"recompute-activations", "recompute-granularity"}, {"num-query-groups", "group-query-attention"}, 
    
    {"q-lora-rank", "multi-latent-attention"}, {"kv-lora-rank", "multi-latent-attention"},
    {"qk-head-dim", "multi-latent-attention"}, {"qk-pos-emb-head-dim", "multi-latent-attention"}, {"v-head-dim", "multi-latent-attention"}, {"moe-router-topk", "num-experts"},
    {"moe-ffn-hidden-size", "num-experts"}, {"moe-shared-expert-intermediate-size", "num-experts"}, {"moe-layer-freq", "num-experts"}, {"main-grads-dtype", "use-precision-aware-optimizer"},
    {"main-params-dtype", "use-precision-aware-optimizer"}, {"exp-avg-dtype", "use-precision-aware-optimizer"}, {"exp-avg-sq-dtype", "use-precision-aware-optimizer"},
    {"cross-entropy-fusion-impl", "cross-entropy-loss-fusion"}, {"fp8-param-gather", "fp8-format"}, {"keep-fp8-transpose-cache", "fp8-param-gather under use-megatron-fsdp"}, {"sgd-momentum", "optimizer sgd"},
    {"data-parallel-sharding-strategy", "use-megatron-fsdp"}, {"optimizer-offload-fraction", "optimizer-cpu-offload"}, {"overlap-cpu-optimizer-d2h-h2d", "optimizer-cpu-offload"},
    {"cpu-offloading", "cpu-offloading-num-layers"}, {"cpu-offloading-activations", "cpu-offloading-num-layers"}, {"use-torch-optimizer-for-cpu-offload", "optimizer-cpu-offload"}, {"tp-comm-overlap-cfg", "tp-comm-overlap"}, {"ac-every", "ac selective layer"}, {"pp-microbatches", "pp"}, {"pp-microbatch-size", "pp"}, {"pipeline-parallel-microbatch-size", "pp"}, {"pp-chunks", "pp"},
    {"pp-schedule", "pp"}, {"float8-recipe", "float8"}, {"float8-all-gather", "float8"}, {"enable-fsdp-float8-all-gather", "float8"}, {"float8-recompute-weight", "float8"},
    {"force-recompute-fp8-weight-in-bwd", "float8"}};
// What makes up a model on Megatron's command line.
constexpr std::string_view kOfModel[]{
    "num-layers", "hidden-size", "num-attention-heads", "group-query-attention", "num-query-groups", "kv-channels", "ffn-hidden-size", "swiglu", "squared-relu",
    "normalization", "untie-embeddings-and-output-weights", "vocab-size", "add-qkv-bias", "qk-layernorm", "num-experts", "moe-router-topk", "moe-ffn-hidden-size",
    "moe-shared-expert-intermediate-size", "moe-layer-freq", "multi-latent-attention", "q-lora-rank", "kv-lora-rank", "qk-head-dim", "qk-pos-emb-head-dim", "v-head-dim",
    "mtp-num-layers", "max-position-embeddings"};
// Looked at only where another one leaves it open: what is said twice is planned by the other.
constexpr std::string_view kSaidOtherwise[]{"num-layers-per-virtual-pipeline-stage", "num-virtual-stages-per-pipeline-rank", "accumulate-allreduce-grads-in-fp32", "release", "loss"};
// Known, and what they change is not planned: buffers of graphs, other ways of sending tokens, windows, activations of single modules on the host, ranks
// in another order. The second list are beginnings. Source: megatron/training/arguments.py, megatron/core/transformer/transformer_config.py
constexpr std::string_view kUnplanned[]{
    "optimizer-cuda-graph", "window-size", "window-attn-skip-freq", "moe-token-dispatcher-type", "moe-flex-dispatcher-backend", "moe-enable-deepep", "moe-router-fusion",
    "moe-router-dtype", "moe-router-padding-for-fp8", "moe-router-padding-for-quantization", "moe-shared-expert-overlap", "moe-pad-expert-input-to-capacity", "moe-token-drop-policy", "moe-layer-recompute",
    "moe-use-legacy-grouped-gemm", "moe-grouped-gemm", "cp-comm-type", "hierarchical-context-parallel-sizes", "use-tp-pp-dp-mapping", "no-overlap-p2p-communication", "overlap-p2p-communication-warmup-flush", "defer-embedding-wgrad-compute",
    "wgrad-deferral-limit", "delay-wgrad-compute", "ddp-bucket-size", "ddp-num-buckets", "ddp-pad-buckets-for-high-nccl-busbw", "use-nccl-ub", "nccl-communicator-config-path", "high-priority-stream-groups", "no-align-grad-reduce",
    "no-align-param-gather", "align-grad-reduce", "align-param-gather", "no-masked-softmax-fusion", "no-bias-gelu-fusion", "no-bias-dropout-fusion", "no-persist-layer-norm", "no-async-tensor-model-parallel-allreduce",
    "first-last-layers-bf16", "num-layers-at-start-in-bf16", "num-layers-at-end-in-bf16", "fp4-format", "fp4", "fp8-wgrad", "no-fp8-wgrad", "cpu-offloading-weights", "fine-grained-activation-offloading", "offload-modules",
    "empty-unused-memory-level", "standalone-embedding-stage", "rampup-batch-size", "use-sharp", "sharp-enabled-group", "overlap-param-gather-with-optimizer-step", "outer-dp-sharding-strategy", "init-model-with-meta-device",
    "decoder-seq-length", "encoder-seq-length", "spec", "is-hybrid-model", "heterogeneous-layers-config-path", "qk-clip", "qk-l2-norm", "moe-upcycling-granularity"};
constexpr std::string_view kUnplannedBeginnings[]{"cuda-graph-", "tp-comm-overlap-", "disable-tp-comm-", "hybrid-", "mamba-", "linear-attention", "experimental-attention", "muon-tp-mode"};
constexpr std::string_view kIdleBeginnings[]{
    "log-", "tensorboard", "wandb-", "save", "load", "lr", "min-lr", "learning-rate", "weight-decay", "adam-", "data-", "dataset", "tokenizer", "vocab-file", "merge-file", "eval-", "exit-", "init-method",
    "no-load-", "no-save-", "train-data", "valid-data", "test-data", "per-split-", "distributed-timeout", "timing-log", "rope-", "use-rope-scaling", "apply-layernorm-1p", "override-opt", "use-checkpoint-opt",
    "ckpt-", "rerun-", "error-injection", "enable-ft-", "calc-ft-", "inprocess-", "async-", "fim-", "retro-", "muon-", "metrics", "warmup-", "profil", "dist-ckpt-", "non-persistent-", "one-logger-"};

// Whose code the model is, in words of this program; then words that Megatron-LM's arguments.py takes (choices, AttnBackend), in lower case; with what its own configuration classes write for "not at
// all". Any other it refuses when it starts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kChoices{{
    {"model_code", "transformers, megatron, torchtitan, gpt-neox, neox, litgpt"},
    {"attention-backend", "auto, flash, fused, unfused, local"}, {"recompute-granularity", "full, selective, none"}, {"recompute-method", "uniform, block, none"},
    {"data-parallel-sharding-strategy", "no_shard, optim, optim_grads, optim_grads_params"}, {"position-embedding-type", "learned_absolute, rope, mrope, yarn, relative, none"},
    {"transformer-impl", "local, transformer_engine, inference_optimized"}, {"cross-entropy-fusion-impl", "native, te"}, {"normalization", "layernorm, rmsnorm"},
    {"fp8-format", "e4m3, hybrid, none"}, {"fp8", "e4m3, hybrid, none"}, {"fp8-recipe", "tensorwise, delayed, mxfp8, blockwise, custom"},
    {"main-grads-dtype", "fp32, bf16"}, {"main-params-dtype", "fp32, fp16"}, {"exp-avg-dtype", "fp32, fp16, bf16, fp8"}, {"exp-avg-sq-dtype", "fp32, fp16, bf16, fp8"}}};

/// The argument as command lines write it ("use-flash-attn") or as Python does ("use_flash_attn"); the end where it is not there.
json::const_iterator located(const json& object, const std::string& name)
{
    if (const auto found = object.find(name); found != object.end()) return found;
    std::string other = name;
    const bool dashes = name.find('-') != std::string::npos;
    std::replace(other.begin(), other.end(), dashes ? '-' : '_', dashes ? '_' : '-');
    return object.find(other);
}

std::string withDashes(std::string name)
{
    std::replace(name.begin(), name.end(), '_', '-');
    return lower(std::move(name));
}

template <typename Names, typename Beginnings>
bool isAmong(std::string_view name, const Names& names, const Beginnings& beginnings)
{
    return std::find(std::begin(names), std::end(names), name) != std::end(names) || std::any_of(std::begin(beginnings), std::end(beginnings), [&](std::string_view start) { return name.starts_with(start); });
}

bool isIdle(std::string_view name)
{
    if (std::find(std::begin(kSaidOtherwise), std::end(kSaidOtherwise), name) != std::end(kSaidOtherwise)) return true;
    // How ranks divide is no matter of data.
    return !name.starts_with("data-parallel") && isAmong(name, kIdle, kIdleBeginnings);
}

// A year, or a year and a month, or a day.
bool isMonth(const std::string& text)
{
    const std::string_view pattern = "0000-00-00";
    if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (pattern[i] == '-' ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
    return text.size() == 4 || (text.substr(5, 2) >= "01" && text.substr(5, 2) <= "12");
}

void addTo(std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; }

}  // namespace

bool namesType(const json& arguments)
{
    if (!arguments.is_object()) return false;
    static constexpr std::array<const char*, 3> kNames{"mixed_precision_param", "param_dtype", "mixed_precision"};
    return std::any_of(kNames.begin(), kNames.end(), [&](const char* name) { const auto found = located(arguments, name); return found != arguments.end() && !found->is_null(); });
}

std::string modelArgumentOf(const json& arguments)
{
    if (!arguments.is_object()) return {};
    for (const std::string_view name : kOfModel)
        if (const auto found = located(arguments, std::string(name)); found != arguments.end() && !found->is_null()) return found.key();
    return {};
}

CaseArguments::CaseArguments(const json& object, std::vector<PlanFinding>& findings) : m_object(object.is_object() ? object : m_empty), m_findings(findings) {}

const json* CaseArguments::find(const std::string& name)
{
    const auto found = located(m_object, name);
    m_known.push_back(found == m_object.end() ? name : found.key());
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

std::int64_t CaseArguments::size(const std::string& name, std::int64_t otherwise)
{
    const json* value = find(name);
    if (!value) return otherwise;
    double number = NAN;
    if (value->is_number()) number = value->get<double>();
    else if (value->is_string()) number = numberOfText(value->get<std::string>());
    const double most = name.find("parallel") != std::string::npos || name == "tp" || name == "pp" || name == "cp" ? 1e6 : 1e9;
    if (!(number >= 1) || !(number <= most) || number != std::floor(number)) {
        complain("plan.argument.whole", name, "is {}; it must be a whole number from 1 to {}", {value->dump(), fmt::format("{:.0e}", most)});
        return otherwise;
    }
    return static_cast<std::int64_t>(number);
}

double CaseArguments::real(const std::string& name, double otherwise)
{
    const json* value = find(name);
    if (!value) return otherwise;
    const double number = value->is_number() ? value->get<double>() : value->is_string() ? numberOfText(value->get<std::string>()) : NAN;
    if (!(number >= 0) || !(number <= 1e6)) {
        complain("plan.argument.number", name, "is {}; it must be a number from 0", {value->dump()});
        return otherwise;
    }
    return number;
}

double CaseArguments::fraction(const std::string& name, double otherwise)
{
    const double number = real(name, otherwise);
    if (number <= 1) return number;
    complain("plan.argument.fraction", name, "is {}; it must be a number from 0 to 1", {find(name)->dump()});
    return otherwise;
}

bool CaseArguments::flag(const std::string& name, bool otherwise)
{
    const json* value = find(name);
    return value ? argumentIsOn(*value, otherwise) : otherwise;
}

bool CaseArguments::plainSwitch(const std::string& name)
{
    static constexpr std::array<std::string_view, 12> kWords{"true", "yes", "on", "1", "false", "no", "off", "0", "none", "null", "never", ""};
    const json* value = find(name);
    if (!value) return false;
    const bool plain = value->is_boolean() || value->is_number() || (value->is_string() && std::find(kWords.begin(), kWords.end(), lower(value->get<std::string>())) != kWords.end());
    if (!plain) complain("plan.argument.choice", name, "is {}; it must be one of {}", {value->dump(), "true, false"});
    return plain && argumentIsOn(*value);
}

std::string CaseArguments::word(const std::string& name, const std::string& otherwise)
{
    const json* value = find(name);
    if (!value || value->is_boolean()) return otherwise;
    if (!value->is_string()) {
        complain("plan.argument.word", name, "is {}; it must be a word in quotes", {value->dump()});
        return otherwise;
    }
    std::string said = lower(value->get<std::string>());
    const auto choice = std::find_if(kChoices.begin(), kChoices.end(), [&](const auto& one) { return one.first == name; });
    if (choice == kChoices.end() || (said.find(',') == std::string::npos && fmt::format(", {},", choice->second).find(fmt::format(", {},", said)) != std::string::npos)) return said;
    complain("plan.argument.choice", name, "is {}; it must be one of {}", {value->dump(), std::string(choice->second)});
    return otherwise;
}

std::vector<std::string> CaseArguments::words(const std::string& name)
{
    std::vector<std::string> out;
    const json* value = find(name);
    if (!value) return out;
    std::string text;
    if (value->is_string()) text = value->get<std::string>();
    if (value->is_array()) {
        for (const json& item : *value) text += (item.is_string() ? item.get<std::string>() : std::string()) + " ";
    }
    std::string word;
    for (const char c : lower(text) + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-') {
            word += c;
        } else if (!word.empty()) {
            out.push_back(std::exchange(word, {}));
        }
    }
    return out;
}

bool CaseArguments::names(const std::string& name) const
{
    const auto found = located(m_object, name);
    return found != m_object.end() && !found->is_null() && *found != json(false);
}

std::string CaseArguments::modelArgument() const { return modelArgumentOf(m_object); }

void CaseArguments::knowIf(const std::string& name, const json& value)
{
    const auto found = located(m_object, name);
    if (found != m_object.end() && *found == value) m_known.push_back(found.key());
}

void CaseArguments::complain(const char* id, const std::string& name, const char* what, std::vector<std::string> args)
{
    m_wrong = true;
    const std::string pointer = "/framework/arguments/" + name;
    if (std::any_of(m_findings.begin(), m_findings.end(), [&](const PlanFinding& told) { return told.id == id && told.pointer == pointer; })) return;
    args.insert(args.begin(), name);
    m_findings.push_back(makeFinding(id, "error", pointer, std::string("\"{}\" ") + what, std::move(args)));
}

void CaseArguments::checkRelease()
{
    const std::string release = word("release", "");
    if (!release.empty() && !isMonth(release)) complain("plan.argument.release", "release", "is \"{}\"; write the year and the month of the framework's code, as in 2025-04", {release});
}

void CaseArguments::reportRest()
{
    std::string idle, alone, unplanned, unknown;
    for (const auto& [name, value] : m_object.items()) {
        if (std::find(m_known.begin(), m_known.end(), name) != m_known.end()) continue;
        const std::string plain = withDashes(name);
        const auto other = std::find_if(std::begin(kBesideOthers), std::end(kBesideOthers), [&](const auto& one) { return one.first == plain; });
        // What is switched off is as if it were not written.
        if (value.is_null() || value == json(false)) addTo(idle, name);
        else if (other != std::end(kBesideOthers)) addTo(alone, fmt::format("{} ({})", name, other->second));
        else if (isAmong(plain, kUnplanned, kUnplannedBeginnings)) addTo(unplanned, name);
        else addTo(isIdle(plain) ? idle : unknown, name);
    }
    if (!idle.empty()) m_findings.push_back(makeFinding("plan.arguments_unused", "info", "/framework/arguments", "These arguments do not matter to the plan: {}", {idle}));
    if (!alone.empty()) m_findings.push_back(makeFinding("plan.arguments_alone", "warning", "/framework/arguments", "These arguments have no effect without the one in brackets, which is not there: {}", {alone}));
    if (!unplanned.empty()) m_findings.push_back(makeFinding("plan.arguments_unplanned", "warning", "/framework/arguments", "What these arguments change is not planned: {}; memory and time may be others", {unplanned}));
    if (!unknown.empty()) {
        m_findings.push_back(makeFinding("plan.arguments_unknown", "warning", "/framework/arguments",
                                         "The plan does not know these arguments, and is made as if they were not written: {}; memory and time may be others", {unknown}));
    }
}

}  // namespace stagecraft
