// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/training_case.h"

#include "hardware/device_sheet.h"
#include "planner/autotp_plans.h"
#include "planner/batch_faults.h"
#include "planner/case_arguments.h"
#include "planner/expert_targets.h"
#include "planner/findings.h"
#include "planner/layout_faults.h"
#include "planner/litgpt_script.h"
#include "planner/loss_kernel.h"
#include "planner/optimizer_states.h"
#include "planner/pipeline_batch.h"
#include "planner/transfers.h"
#include "planner/transformers_block.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace stagecraft {

namespace {

// Transformers' own word for the kernel of attention; where nothing is said, sdpa if the family has it (modeling_utils.py,
// get_correct_attn_implementation). It raises an error where a family is asked for what it has not.
void readAttention(CaseArguments& a, TrainingCase& c, std::vector<PlanFinding>& findings)
{
    const BlockCode& code = c.model.code;
    const bool eager = code.attention == BlockCode::Attention::Eager;
    const std::string kernel = a.word("attn_implementation", eager ? "eager" : "sdpa");
    c.flashAttention = kernel != "eager";
    c.eagerScores = kernel == "eager";
    c.flashLibrary = kernel.starts_with("flash_attention");
    c.hiddenDropout = a.fraction("hidden_dropout", code.dropout);
    c.attentionDropout = a.fraction("attention_dropout", code.attentionDropout);
    // A name with "/" is of a kernel on the Hub; what else Transformers does not know it refuses (modeling_utils.py, ALL_ATTENTION_FUNCTIONS).
    const bool known = kernel == "eager" || kernel == "sdpa" || kernel == "flex_attention" || c.flashLibrary || kernel.find('/') != std::string::npos;
    if (!known || (kernel == "sdpa" && !code.hasSdpa) || (c.flashLibrary && !code.hasFlash)) {
        a.complain("plan.argument.attention", "attn_implementation", "is \"{}\", which Transformers has not for {}; use {}", {kernel, code.family, code.hasSdpa ? "sdpa" : code.hasFlash ? "eager or flash_attention_2" : "eager"});
    } else if (eager && c.eagerScores && !a.has("attn_implementation")) {
        findings.push_back(makeFinding("plan.attention_eager", "info", "/framework/arguments", "Attention is taken as eager, as Transformers chooses for {}: every layer keeps all its scores for the backward pass", {code.family}));
    }
}

// sdpa falls back to a kernel of its own where no fused one takes the heads.
void settleMathKernel(TrainingCase& c, std::vector<PlanFinding>& findings)
{
    if (c.statesOnly || !c.model.isKnown() || !sdpaNeedsMath(c)) return;
    c.mathScores = c.eagerScores = true;
    c.flashAttention = false;
    findings.push_back(makeFinding("plan.attention_math", "warning", "/framework/arguments", "No fused kernel of sdpa takes {} query heads over {} key heads in this type on {}: PyTorch makes and keeps all scores in fp32; use 16 bits on a device with bf16, or flash_attention_2",
                                   {std::to_string(c.model.heads), std::to_string(c.model.kvHeads), c.sheet ? c.sheet->id : c.device}));
}

// Where nothing is said sdpa is assumed; in older code the same job is eager, which is worth a word where its scores take more than a GiB.
void tellAssumedAttention(const CaseArguments& a, const TrainingCase& c, std::vector<PlanFinding>& findings)
{
    if (a.names("attn_implementation") || !c.model.code.hasSdpa || !c.flashAttention || c.flashLibrary) return;
    const double scores = 6.0 * static_cast<double>(c.microBatch * c.model.layers * c.model.heads) * static_cast<double>(c.model.seq) * static_cast<double>(c.model.seq);
    if (scores <= static_cast<double>(std::int64_t{1} << 30)) return;
    findings.push_back(makeFinding("plan.attention_sdpa", "info", "/framework/arguments", "Attention is taken as sdpa, Transformers' default since December 2023 (4.36), which keeps no scores; say \"attn_implementation\": \"eager\" for older code or models that ask for it"));
}

void readDeepSpeed(CaseArguments& a, const Workspace& w, TrainingCase& c, std::vector<PlanFinding>& findings)
{
    const std::string code = a.word("model_code", "transformers");
    c.looseLayers = code == "gpt-neox" || code == "neox";
    c.megatronCode = code == "megatron" || c.looseLayers;
    if (code == "litgpt") readLitGpt(a, c);
    if (!c.megatronCode) settleAutoTpTables(w, c);
    // A script's own tables, each rank with its part of the vocabulary.
    if (a.flag("vocab_parallel")) c.lossParallel = c.embeddingParallel = true;
    c.compiled = a.flag("torch_compile");
    if (c.compiled) findings.push_back(makeFinding("plan.compile_memory", "info", "/framework/arguments/torch_compile", "torch.compile shortens the planned step; memory is planned as without it, of which compiled blocks mostly need less"));
    // Of a ds_config without an optimizer the Trainer makes its own.
    if (const std::string optim = a.word("optim", ""); !optim.empty() && !(w.dsConfig.is_object() && w.dsConfig.contains("optimizer"))) {
        c.optimizer = c.settings.optimizer = ofTrainersWord(optim);
        c.settings.stateBytes = optimizerStateBytes(c.optimizer);
        if (!knownOptimizer(c.optimizer)) findings.push_back(makeFinding("plan.optimizer", "warning", "/framework/arguments/optim", "The states of the optimizer \"{}\" are not known: they are counted as Adam's, 8 bytes a parameter", {c.optimizer}));
    }
    if (c.model.part.packed() && c.model.experts > 0 && packsExperts(c.model.code.family, a.word("release", ""))) c.model.part.packedMatrices = c.model.layerMatrices;
    // Decoders turn their logits to fp32 (loss/loss_utils.py, ForCausalLMLoss), encoders and encoder-decoders do not.
    c.fp32Loss = a.word("loss_dtype", c.model.code.bidirectional ? "bfloat16" : "float32") != "bfloat16";
    // Accelerate's word for it; Transformers' Trainer makes the model inside.
    c.weightsKept = !a.flag("zero3_init_flag", true);
    if (!c.megatronCode) {
        readLoss(a, c);
        readAttention(a, c, findings);
    } else {
        // Megatron's is unfused but for the softmax.
        const std::string kernel = a.word("attn_implementation", "megatron");
        c.flashAttention = kernel != "eager" && kernel != "megatron";
        c.eagerScores = kernel == "eager";
    }
    // Megatron-DeepSpeed's releases of 2021-22 stand on PyTorch 1.12 and older; from 1.13 (October 2022) on PyTorch asks for lazy loading.
    const std::string release = a.word("release", c.megatronCode ? "2021" : "");
    c.lazyKernels = release.empty() || release >= "2022-11";
    if (c.megatronCode) {
        c.transformerEngine = false;
        c.embeddingNorm = a.flag("embed_layernorm");
        c.attentionDropout = a.fraction("attention_dropout", 0.1);
        c.hiddenDropout = a.fraction("hidden_dropout", 0.1);
    }
    // The pipeline module's partition that counts an embedding as a layer: the first and the last stage have one layer less.
    const std::string partition = a.word("partition_method", "");
    if (c.pp > 1 && partition.find("embed") != std::string::npos && (c.model.layers + 2) % c.pp == 0 && (c.model.layers + 2) / c.pp > 1) {
        c.firstStageLayers = c.lastStageLayers = (c.model.layers + 2) / c.pp - 1;
    }
}

/// Words of Transformers' Trainer and of Accelerate: who says one trains Transformers' own models.
bool saysTrainer(CaseArguments& a)
{
    return a.has("attn_implementation") || a.has("optim") || a.has("fsdp_auto_wrap_policy") || a.has("use_liger_kernel");
}

// Transformers' blocks, each a group of FSDP2's: where the script is Transformers', and of families torchtitan has no model of.
void readOtherModel(CaseArguments& a, TrainingCase& c, bool transformers, std::vector<PlanFinding>& findings)
{
    c.transformersBlock = true;
    c.transformersScript = transformers;
    if (!a.has("embedding_group")) c.embeddingApart = false;   // Accelerate's policy makes units of the blocks alone
    readAttention(a, c, findings);
    const bool titans = isTorchtitanFamily(c.model.code);
    if (!titans) findings.push_back(makeFinding("plan.fsdp2_model", "info", "/model", "torchtitan has no model of the family {}: Transformers' own blocks are planned, each sharded by FSDP2 as a group", {c.model.code.family}));
    if (c.policy != ActivationPolicy::SelectiveOp) return;
    c.policy = ActivationPolicy::None;
    // Unsaid, it is torchtitan's default, which nobody asked for here.
    if (!titans || a.has("ac")) findings.push_back(makeFinding("plan.fsdp2_selective", "warning", "/framework/arguments/ac", "\"selective op\" chooses among the products of torchtitan's blocks: for {} it is planned as \"none\"; use \"full\"", {c.model.code.family}));
}

}  // namespace

void settleSplit(TrainingCase& c)
{
    if (c.framework != Framework::Megatron) return;
    const std::int64_t wanted = c.layersPerChunk > 0 ? std::max<std::int64_t>(1, c.places() / c.pp / c.layersPerChunk) : c.chunksAsked;
    if (wanted > 0) c.chunks = c.pp > 1 ? wanted : 1;
    c.firstStageLayers = c.pp > 1 ? c.firstAsked : 0;
    c.lastStageLayers = c.pp > 1 ? c.lastAsked : 0;
    const std::int64_t parts = c.pp * c.chunks;
    if (c.pp == 1 || c.places() % parts != 0 || c.places() / c.pp < 2) return;
    if (c.embeddingPlace && c.firstStageLayers == 0) c.firstStageLayers = c.places() / c.pp - 1;
    if (c.lossPlace && c.lastStageLayers == 0) c.lastStageLayers = c.places() / c.pp - 1;
}

std::vector<std::int64_t> layersOfStages(std::int64_t layers, std::int64_t stages)
{
    std::vector<std::int64_t> out(static_cast<std::size_t>(stages), layers / stages);
    for (std::int64_t i = 0; i < layers % stages; ++i) ++out[static_cast<std::size_t>(i)];
    return out;
}

std::vector<std::int64_t> layersOfStages(const TrainingCase& c)
{
    const std::int64_t first = c.pp > 1 ? c.firstStageLayers : 0;
    const std::int64_t last = c.pp > 1 ? c.lastStageLayers : 0;
    const std::int64_t others = c.pp - (first > 0) - (last > 0);
    const std::int64_t rest = c.model.layers - first - last;
    if ((first == 0 && last == 0) || rest < others || (others == 0 && rest != 0)) return layersOfStages(c.model.layers, c.pp);
    std::vector<std::int64_t> out;
    if (first > 0) out.push_back(first);
    if (others > 0) for (const std::int64_t own : layersOfStages(rest, others)) out.push_back(own);
    if (last > 0) out.push_back(last);
    return out;
}

double layersInFlight(const TrainingCase& c, std::int64_t stage, std::int64_t stageLayers)
{
    const double layers = static_cast<double>(stageLayers);
    const double m = static_cast<double>(c.microBatchesOfFlush());
    const double p = static_cast<double>(c.pp);
    const double i = static_cast<double>(stage);
    if (c.pp == 1) return layers;
    if (c.schedule.starts_with("gpipe") || c.schedule == "looped_bfs") return layers * m;
    if (c.schedule == "dualpipev") return layers * std::min(m, p + 0.5);
    if (c.schedule == "zb_h2") return layers * std::min(m, 2 * (p - i) - 1);
    // A warm-up of half the length, and weight gradients that wait for `stage` micro-batches more (PyTorch, ScheduleInterleavedZeroBubble).
    if (c.schedule == "zb_v" || c.schedule == "interleaved_zb1p") return layers * std::min(m, p);
    if (c.chunks > 1) {
        const double v = static_cast<double>(c.chunks);
        // Warm-up plus the one in hand. Older Megatron took all of them as warm-up when m = p; newer ones do not.
        const double chunks = std::min(m * v, (p - i - 1) * 2 + (v - 1) * p + 1);
        return layers / v * chunks;
    }
    return layers * std::min(m, p - i);
}

std::optional<TrainingCase> readTrainingCase(const Workspace& w, const std::optional<ModelShape>& shape, const DsSettings& settings,
                                             std::vector<PlanFinding>& findings, CaseUse use)
{
    if (batchIsImpossible(w)) return std::nullopt;
    TrainingCase c;
    c.settings = settings;
    if (shape) c.model = *shape;
    c.statesOnly = shape && !shape->isKnown() && shape->params > 0;
    c.tp = w.layout.tp;
    c.pp = w.layout.pp;
    c.cp = w.layout.cp;
    c.ep = w.layout.ep;
    c.dp = w.layout.dp;
    c.chunks = w.layout.chunks;
    c.schedule = w.layout.schedule;
    c.lossChunks = w.layout.lossChunks;
    c.sequenceParallel = w.layout.sequenceParallel && c.tp > 1;
    c.microBatch = settings.microBatch;
    c.microBatches = settings.accumulation;
    c.precision = settings.precision;
    c.modules.core = true;
    c.policy = w.layout.recompute == "full" ? ActivationPolicy::Full : w.layout.recompute == "selective" ? ActivationPolicy::SelectiveCore : ActivationPolicy::None;
    c.fp32Gradients = settings.fp32Gradients || settings.precision == Precision::Fp32;
    c.optimizer = settings.optimizer;
    // With "torch_adam" DeepSpeed takes torch.optim's, which runs kernel by kernel (engine.py, _configure_basic_optimizer).
    const nlohmann::json::json_pointer torchAdam("/optimizer/params/torch_adam");
    c.foreachOptimizer = w.dsConfig.is_object() && w.dsConfig.contains(torchAdam) && w.dsConfig[torchAdam] == true;
    c.ownFusedAdam = (c.optimizer == "adam" || c.optimizer == "adamw") && !c.foreachOptimizer && w.dsConfig.is_object() && w.dsConfig.contains("optimizer");
    c.device = w.hardware.device;
    c.saves = w.training.saveEvery > 0;
    c.evaluates = w.training.evalEvery > 0;
    c.nodes = w.hardware.nodes;
    c.devicesPerNode = w.hardware.devicesPerNode;
    c.hiddenDropout = c.model.dropout;
    c.rotary = c.model.rmsNorm && !c.model.code.positionBias;
    c.biases = !c.model.gated;

    if (w.framework.name == "stagecraft") {
        // Our engine has one copy of each shard and sends nothing quantised.
        c.settings.hpzPartition = 1;
        c.settings.micsShard = 0;
        c.settings.quantizedWeights = c.settings.quantizedGradients = false;
        c.settings.sentBytes = 0;
    }
    CaseArguments arguments(w.framework.arguments, findings);
    arguments.checkRelease();
    if (w.framework.name == "megatron") {
        c.framework = Framework::Megatron;
        readMegatron(arguments, c, findings);
    } else if (w.framework.name == "fsdp2") {
        c.framework = Framework::Fsdp2;
        readFsdp2(arguments, c, findings);
        const bool transformers = arguments.word("model_code", saysTrainer(arguments) ? "transformers" : "") == "transformers";
        if (c.model.isKnown() && (transformers || !isTorchtitanFamily(c.model.code))) readOtherModel(arguments, c, transformers, findings);
        // torch.nn.RMSNorm, which torchtitan's blocks call, is one kernel on devices since PyTorch 2.9 (pytorch/pytorch, pull request 153666).
        else if (!arguments.has("fused_kernels")) c.normKernel = c.normKernel || arguments.word("release", "") >= "2025-10";
    } else if (w.framework.name == "deepspeed") {
        c.autoTpRefused = autoTpAnswer(w) != AutoTpAnswer::Divides;
        readDeepSpeed(arguments, w, c, findings);
    }
    // torch.backends.cuda.matmul.allow_tf32 is off by default, and neither DeepSpeed, Transformers nor Megatron's own layers set it.
    // Transformer Engine calls cuBLAS with CUBLAS_COMPUTE_32F_FAST_TF32 itself (common/gemm/cublaslt_gemm.cu).
    c.tensorFloat = arguments.flag("tf32", c.framework == Framework::Megatron && c.transformerEngine);
    c.launchBlocking = arguments.flag("cuda_launch_blocking");
    c.sheet = findDevice(c.device);
    if (!c.sheet) c.sheet = findDevice(w.hardware.device);
    // PyTorch for ROCm says that they are not supported, and goes on without (c10/cuda/CUDACachingAllocator.cpp: they need the CUDA driver's interface).
    c.expandableSegments = arguments.flag("expandable_segments", c.framework == Framework::Fsdp2 && !c.transformersBlock && !(c.sheet && c.sheet->vendor == "AMD"));
    c.networkBytes = 1e9 * arguments.real("network_gb_per_s", 0);
    if (c.framework == Framework::Fsdp2 && c.compiled && !c.compiledLoss && !c.lossStated && c.fp32Loss) {
        findings.push_back(makeFinding("plan.loss_eager", "info", "/framework/arguments", "The loss is taken as not compiled, with fp32 copies of the logits, as before April 2025; say \"compile_loss\": true, or \"release\": \"2025-06\", where it is compiled"));
    }
    if (c.framework == Framework::Fsdp2 && !c.transformersBlock && !arguments.has("release"))
        findings.push_back(makeFinding("plan.release_assumed", "info", "/framework/arguments", "Without a \"release\" what torchtitan keeps is planned as its code of 2024 kept it, which is the most; say the month of yours, as in \"release\": \"2026-04\". Where Transformers' own code is trained, as under Accelerate, say \"model_code\": \"transformers\""));
    if (c.framework == Framework::Fsdp2 && settings.precision != Precision::Bf16 && !namesType(w.framework.arguments)) {
        findings.push_back(makeFinding("plan.fsdp2_precision", "info", "/framework/arguments", "FSDP2 reads no ds_config: it is planned as torchtitan trains, with fp32 shards and bf16 for computing. Where it computes in another type, say \"mixed_precision_param\": \"float16\" or \"float32\" in framework.arguments"));
    }
    if (c.framework != Framework::DeepSpeed && !arguments.wrong() && !knownOptimizer(c.optimizer)) {
        findings.push_back(makeFinding("plan.optimizer", "warning", "/framework/arguments/optimizer", "The states of the optimizer \"{}\" are not known: they are counted as Adam's, 8 bytes a parameter", {c.optimizer}));
    }
    // Megatron's layers and FSDP2's policy have types of their own.
    if (c.framework != Framework::DeepSpeed || c.megatronCode) c.settings.autocast = Precision::Fp32;
    settleSchedule(c, findings);
    if (c.framework != Framework::DeepSpeed || dependsOnShapes(c.settings.optimizer)) c.settings.stateBytes = meanStateBytes(c);
    if (c.optimizerOffload > 0) findings.push_back(makeFinding("plan.optimizer_offload", "info", "/framework/arguments/optimizer-cpu-offload", "The optimizer of {} % of the parameters steps on the host: its cores and memory, which no data sheet of a device names, set the time of that update", {fmt::format("{:g}", 100 * c.optimizerOffload)}));
    if (shardsOnHost(c)) findings.push_back(makeFinding("plan.shards_on_host", "info", "/framework/arguments", "The optimizer steps on the host: its cores and memory, which no data sheet of a device names, set the time of that update. torchrun gives each of several ranks one thread of them, unless OMP_NUM_THREADS says more"));
    const bool onHost = shardsOnHost(c);
    if (onHost && ofBitsAndBytes(c.optimizer)) findings.push_back(makeFinding("plan.optimizer_of_device", "warning", "/framework/arguments", "bitsandbytes, whose optimizer \"{}\" is, steps on the host only since March 2026; an older one fails in the first step where the shards lie there. Use adamw, or keep the shards on the devices", {c.optimizer}));
    if (!onHost && c.optimizer.starts_with("paged") && knownOptimizer(c.optimizer)) findings.push_back(makeFinding("plan.optimizer_paged", "info", "/framework/arguments", "States of \"{}\" lie in memory that CUDA moves to the host where the device is full: they are planned on the device", {c.optimizer}));
    arguments.reportRest();
    if ((c.framework == Framework::DeepSpeed && !c.megatronCode) || c.transformersBlock) {
        settleMathKernel(c, findings);
        tellAssumedAttention(arguments, c, findings);
    }
    if (arguments.wrong()) return std::nullopt;
    const auto refuse = [&](const char* id, const char* pointer, const char* pattern, std::vector<std::string> args = {}) {
        findings.push_back(makeFinding(id, "error", pointer, pattern, std::move(args)));
        return std::optional<TrainingCase>{};
    };
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    if (c.statesOnly && c.model.isKnown()) c.statesOnly = false;
    const std::int64_t devices = c.nodes * c.devicesPerNode;
    if (c.ranks() > devices && c.ranks() > w.layout.ranks() && w.hardware.device != "cpu") {
        return refuse("plan.argument.devices", "/framework/arguments", "The arguments make {} ranks for {} devices; change them or the hardware", {number(c.ranks()), number(devices)});
    }
    const std::int64_t domain = c.sheet && c.sheet->link && c.sheet->link->maxDevices > 16 ? c.sheet->link->maxDevices : c.devicesPerNode;
    if (c.networkBytes > 0 && devices <= domain) {
        findings.push_back(makeFinding("plan.network_unused", "info", "/framework/arguments/network_gb_per_s", "network_gb_per_s has no effect: all {} devices reach each other without the network", {number(devices)}));
    }
    if (!c.statesOnly && c.products() == Precision::Fp32 && !c.tensorFloat && c.sheet && c.sheet->peak.contains("tf32")) {
        findings.push_back(makeFinding("plan.fp32_products", "info", c.framework == Framework::DeepSpeed ? "/dsConfig" : "/framework/arguments", "Products in fp32 run without tensor cores, as PyTorch has it unless told otherwise: at {} TFLOP/s, not at the {} of TF32; say \"tf32\": true in framework.arguments where the script allows it, or train in bf16",
                                       {fmt::format("{:.4g}", c.sheet->peakFor("fp32") / 1e12), fmt::format("{:.4g}", c.sheet->peakFor("tf32") / 1e12)}));
    }
    if (c.framework == Framework::DeepSpeed && c.model.part.packed() && c.settings.stage == 0 && c.precision != Precision::Fp32)
        findings.push_back(makeFinding("plan.adapter.kbit", "info", "/model/adapter/base", "A quantised base without ZeRO is mostly trained without DeepSpeed: then PEFT keeps embedding, norms, output and adapters in fp32, and autocast copies what they make. How much that adds nobody has measured for this plan, so its interval is wide; with \"torch_autocast\" in place of \"bf16\" or \"fp16\" such a job is planned"));
    // DeepSpeed's precision stands in the ds_config, whose advice says the same and how to write it.
    if (c.framework != Framework::DeepSpeed && c.precision == Precision::Bf16 && c.sheet && c.sheet->id != "cpu" && !c.sheet->peak.contains("bf16")) {
        const auto teraflops = [&](const char* type) { return fmt::format("{:.4g}", c.sheet->peakFor(type) / 1e12); };
        findings.push_back(makeFinding("plan.bf16_emulated", "warning", "/framework/arguments",
                                       "{} has no bf16 arithmetic: PyTorch emulates it, at no more than the {} TFLOP/s of fp32, where fp16 reaches {}; train in fp16 (FSDP2: \"param_dtype\": \"float16\", Megatron: \"fp16\"), or use another device", {c.sheet->id, teraflops("fp32"), teraflops("fp16")}));
    }
    if (c.framework == Framework::DeepSpeed && !c.megatronCode && c.policy == ActivationPolicy::SelectiveCore) {
        c.policy = ActivationPolicy::None;
        findings.push_back(makeFinding("plan.recompute_selective", "warning", "/layout/recompute", "Transformers' models make whole blocks again, or nothing: \"selective\" is planned as \"none\"; use \"full\", or framework.arguments \"model_code\": \"megatron\""));
    }
    // 2^62 is where sums of bytes end: no number that stands for more is shown.
    if (c.model.params > std::int64_t{1} << 56) return refuse("plan.layout.model", "/model", "The sizes are larger than any machine; use smaller ones");
    if (c.statesOnly) {
        if (c.tp > 4096 || c.pp > 4096 || c.cp > 65536 || c.ranks() > 100'000'000) return refuse("plan.layout.large", "/layout", "The layout is larger than any machine; use smaller sizes");
        return c;
    }
    if (!c.model.isKnown()) return refuse("plan.layout.unknown", "/model", "The sizes of this model are not known: no ledger or step time can be made");
    if (tellImpossibleSizes(c, findings) && use == CaseUse::Job) return std::nullopt;
    if (c.tp > 4096 || c.pp > 4096 || c.cp > 65536 || c.ranks() > 100'000'000) return refuse("plan.layout.large", "/layout", "The layout is larger than any machine; use smaller sizes");
    const double kept = static_cast<double>(c.model.layers) * (static_cast<double>(c.model.hidden + c.model.ffn) + (c.flashAttention ? 0.0 : static_cast<double>(c.model.heads * c.model.seq)));
    if (c.tokens() * std::max(static_cast<double>(c.model.vocab), kept) > 2e16) return refuse("plan.layout.model", "/model", "The sizes are larger than any machine; use smaller ones");
    return c;
}

}  // namespace stagecraft
