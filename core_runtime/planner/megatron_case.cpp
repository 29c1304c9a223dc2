// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/case_arguments.h"

#include "base/units.h"
#include "planner/findings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace stagecraft {

namespace {

double bytesOfType(const std::string& type, double otherwise)
{
    if (type == "fp32") return 4;
    if (type == "fp16" || type == "bf16") return 2;
    return type.starts_with("fp8") || type == "mxfp8" ? 1 : otherwise;
}

// What the sizes of a model are where the command line does not say them.
struct ShapeDefaults {
    ModelShape shape;
    bool whole = true;       ///< they are Megatron's own: the command line describes the model alone
    bool bias = true, qkvBias = true, queryNorm = false;
    std::int64_t vocab = 50257;  ///< where the tokenizer says how many words there are and nobody else does: GPT-2's
};

// The model that Megatron's command line describes; Megatron pads the vocabulary to 128 x tp.
ModelShape megatronShape(CaseArguments& a, std::int64_t tp, const ShapeDefaults& otherwise)
{
    const ModelShape& d = otherwise.shape;
    ModelShape s;
    s.layers = a.size("num-layers", d.layers);
    s.hidden = a.size("hidden-size", d.hidden);
    s.heads = a.size("num-attention-heads", d.heads);
    if (s.layers == 0 || s.hidden == 0 || s.heads == 0) {
        a.complain("plan.argument.sizes", s.layers == 0 ? "num-layers" : s.hidden == 0 ? "hidden-size" : "num-attention-heads", "is missing: the workspace's model has no sizes, so that Megatron's arguments must give num-layers, hidden-size and num-attention-heads");
        // The rest is read all the same, so that what is known is not called unknown.
        for (std::int64_t* size : {&s.layers, &s.hidden, &s.heads}) *size = std::max<std::int64_t>(1, *size);
    }
    // Groups count only where the switch is on; older command lines give the number alone.
    const std::int64_t groups = otherwise.whole || d.kvHeads == d.heads ? s.heads : d.kvHeads;
    s.kvHeads = a.has("group-query-attention") && !a.flag("group-query-attention") ? s.heads : a.size("num-query-groups", groups);
    if (s.heads % s.kvHeads != 0) a.complain("plan.argument.groups", "num-query-groups", "is {}, which does not divide the {} heads; use a divisor", {std::to_string(s.kvHeads), std::to_string(s.heads)});
    const bool sameHeads = !otherwise.whole && s.hidden == d.hidden && s.heads == d.heads;
    const bool latent = a.flag("multi-latent-attention", d.keyRank > 0);
    if (!a.has("kv-channels") && !latent && !sameHeads && s.hidden % s.heads != 0) {
        a.complain("plan.argument.heads", "num-attention-heads", "is {}, which does not divide hidden-size {}; use a divisor, or give kv-channels", {std::to_string(s.heads), std::to_string(s.hidden)});
    }
    s.headSize = s.valueSize = a.size("kv-channels", sameHeads ? d.headSize : std::max<std::int64_t>(1, s.hidden / s.heads));
    if (latent) {
        const bool known = d.keyRank > 0;
        s.queryRank = a.has("q-lora-rank") ? a.size("q-lora-rank", 1) : d.queryRank;
        s.keyRank = a.size("kv-lora-rank", known ? d.keyRank : 512);
        s.rotarySize = a.size("qk-pos-emb-head-dim", known ? d.rotarySize : 64);
        s.headSize = a.size("qk-head-dim", known ? d.headSize - d.rotarySize : 128) + s.rotarySize;
        s.valueSize = a.size("v-head-dim", known ? d.valueSize : 128);
        s.kvHeads = s.heads;
    }
    // A squared ReLU keeps what any other single kernel keeps: its input, and its output for the last projection.
    const bool squared = a.flag("squared-relu");
    s.gated = a.flag("swiglu", !otherwise.whole && d.gated && !squared);
    // Megatron rounds the gated default to a multiple of 64.
    s.ffn = a.size("ffn-hidden-size", !otherwise.whole ? d.ffn : s.gated ? std::max<std::int64_t>(64, 4 * s.hidden * 2 / 3 / 64 * 64) : 4 * s.hidden);
    s.rmsNorm = a.word("normalization", !otherwise.whole && d.rmsNorm ? "rmsnorm" : "layernorm") == "rmsnorm";
    s.tied = !a.flag("untie-embeddings-and-output-weights", !otherwise.whole && !d.tied);
    s.seq = a.size("seq-length", d.seq > 0 ? d.seq : 1024);
    const std::int64_t vocab = a.size("vocab-size", otherwise.vocab);
    s.vocab = roundUp(vocab, a.size("make-vocab-size-divisible-by", 128) * tp);
    const bool table = !a.flag("use-rotary-position-embeddings", !otherwise.whole && d.positions == 0);
    const std::string position = a.word("position-embedding-type", table ? "learned_absolute" : "rope");
    const std::int64_t positions = position == "learned_absolute" ? a.size("max-position-embeddings", d.positions > 0 ? d.positions : s.seq) : 0;
    s.positions = positions;
    const bool bias = !a.flag("disable-bias-linear", !otherwise.bias);
    const bool qkvBias = bias || a.flag("add-qkv-bias", otherwise.qkvBias && !otherwise.bias);

    const double widest = static_cast<double>(std::max({3 * s.ffn, s.heads, s.headSize, s.vocab, positions})) * static_cast<double>(s.hidden);
    const double most = widest * static_cast<double>(s.layers) * static_cast<double>(a.size("num-experts", 1)) * static_cast<double>(s.headSize);
    if (!(most < 1e18)) {
        a.complain("plan.argument.large", "hidden-size", "and the other sizes make a model beyond any machine");
        return {};
    }
    const std::int64_t norm = s.rmsNorm ? s.hidden : 2 * s.hidden;
    const std::int64_t queries = s.heads * s.headSize;
    const std::int64_t keys = s.kvHeads * s.headSize;
    std::int64_t attention = s.hidden * (queries + 2 * keys) + queries * s.hidden;
    std::int64_t rest = 2 * norm + (qkvBias ? queries + 2 * keys : 0) + (bias ? s.hidden : 0);
    if (s.keyRank > 0) {
        // Down-projections and their norms are on every rank, up-projections are divided by heads.
        s.layerReplicated = s.hidden * (s.queryRank + s.keyRank + s.rotarySize);
        attention = s.layerReplicated + (s.queryRank > 0 ? s.queryRank : s.hidden) * queries + s.keyRank * s.heads * (s.headSize - s.rotarySize + s.valueSize) + s.heads * s.valueSize * s.hidden;
        rest += s.queryRank + s.keyRank;
    } else if (a.flag("qk-layernorm", otherwise.queryNorm)) {
        rest += 2 * (s.rmsNorm ? s.headSize : 2 * s.headSize);
    }
    const std::int64_t perExpertWidth = s.gated ? 3 : 2;
    if (a.has("num-experts") || d.experts > 0) {
        s.experts = a.size("num-experts", d.experts);
        const std::int64_t wanted = a.size("moe-router-topk", d.experts > 0 ? d.expertsPerToken : 2);
        if (wanted > s.experts && a.has("moe-router-topk")) a.complain("plan.argument.topk", "moe-router-topk", "is {}, and there are {} experts; use no more than these", {std::to_string(wanted), std::to_string(s.experts)});
        s.expertsPerToken = std::min(s.experts, wanted);
        s.expertFfn = a.size("moe-ffn-hidden-size", d.experts > 0 ? d.expertFfn : s.ffn);
        s.sharedFfn = a.has("moe-shared-expert-intermediate-size") ? a.size("moe-shared-expert-intermediate-size", 1) : d.sharedFfn;
        s.layerExperts = s.experts * perExpertWidth * s.hidden * s.expertFfn;
        const std::int64_t shared = perExpertWidth * s.hidden * s.sharedFfn + s.experts * s.hidden;
        s.layerReplicated += s.experts * s.hidden;
        s.denseLayers = std::min(s.layers, d.denseLayers);
        if (const auto* frequency = a.find("moe-layer-freq")) {
            if (const auto dense = denseLayersOf(*frequency, s.layers)) s.denseLayers = *dense;
            else a.complain("plan.argument.frequency", "moe-layer-freq", "is {}; use a whole number, or a list of 0 and 1 for the {} layers, such as \"([0]*3+[1]*5)\"", {frequency->dump(), std::to_string(s.layers)});
        }
        s.layerMatrices = attention + s.layerExperts + shared;
        s.layerActive = attention + s.expertsPerToken * perExpertWidth * s.hidden * s.expertFfn + shared;
    } else {
        rest += bias ? (s.gated ? 2 : 1) * s.ffn + s.hidden : 0;
        s.layerMatrices = s.layerActive = attention + perExpertWidth * s.hidden * s.ffn;
    }
    s.perLayer = s.layerMatrices + rest;
    s.embedding = s.vocab * s.hidden + positions * s.hidden;
    s.head = s.tied ? 0 : s.vocab * s.hidden;
    s.finalNorm = norm;
    s.nextTokenLayers = a.has("mtp-num-layers") ? a.size("mtp-num-layers", 1) : d.nextTokenLayers;
    // A layer of multi-token prediction joins two hidden states: two norms, a projection of twice the width, and its own final norm.
    const std::int64_t next = s.nextTokenLayers * (s.perLayer + 2 * s.hidden * s.hidden + 3 * norm);
    const std::int64_t denseLess = s.experts > 0 ? s.denseLayers * (s.layerExperts + perExpertWidth * s.hidden * (s.sharedFfn - s.ffn) + s.experts * s.hidden) : 0;
    s.params = s.layers * s.perLayer - denseLess + s.embedding + s.head + norm + next;
    return s;
}

// A model that the workspace names: its tables get rows until tensor-parallel ranks have whole shares of them, and routers are not divided.
void asMegatronKeeps(CaseArguments& a, ModelShape& s, std::int64_t tp)
{
    const std::int64_t multiple = a.size("make-vocab-size-divisible-by", 128);
    if (s.classes < 0 && multiple <= (std::int64_t{1} << 30) && s.vocab > 0 && s.vocab <= (std::int64_t{1} << 40) && s.hidden <= (std::int64_t{1} << 20)) {
        const std::int64_t more = roundUp(s.vocab, multiple * tp) - s.vocab;
        s.vocab += more;
        s.embedding += more * s.outputWidth();
        if (s.head > 0) s.head += more * s.outputWidth();
    }
    if (s.experts > 0 && s.layerReplicated == 0 && s.hidden <= (std::int64_t{1} << 20)) s.layerReplicated = s.experts * s.hidden;
}

// Megatron's arguments that say no other than `s`: the sizes of a model as it pads no table.
bool isSameModel(const ModelShape& s, const ModelShape& other)
{
    const auto sizes = [](const ModelShape& m) {
        return std::array{m.layers, m.hidden, m.heads, m.kvHeads, m.headSize, m.valueSize, m.ffn, m.experts, m.expertsPerToken, m.expertFfn, m.sharedFfn, m.denseLayers, m.queryRank, m.keyRank, m.nextTokenLayers,
                          m.positions, m.perLayer, m.layerMatrices, m.layerActive, m.layerExperts, m.finalNorm, std::int64_t{m.gated}, std::int64_t{m.rmsNorm}, std::int64_t{m.tied}};
    };
    return sizes(s) == sizes(other);
}

// What the workspace's model is in Megatron's words, where its layers are such as those words make: then arguments may change some of them.
std::optional<ShapeDefaults> defaultsOf(const ModelShape& s)
{
    if (!s.isKnown() || s.part.partly || s.part.adapted() || s.classes >= 0 || s.encoderLayers > 0 || s.tableWidth > 0) return std::nullopt;
    for (const int way : {0, 1, 2, 3, 4, 5}) {
        ShapeDefaults d{.shape = s, .whole = false, .bias = way % 3 == 2, .qkvBias = way % 3 != 0, .queryNorm = way >= 3, .vocab = s.vocab};
        const nlohmann::json nothing = nlohmann::json::object();
        std::vector<PlanFinding> unheard;
        CaseArguments none(nothing, unheard);
        if (isSameModel(megatronShape(none, 1, d), s)) return d;
    }
    return std::nullopt;
}

// A switch that makes the workspace's model another one, though it is no size; empty where there is none.
std::string contrarySwitch(CaseArguments& a, const TrainingCase& c)
{
    if (!c.model.isKnown()) return {};
    if (c.biases && a.flag("disable-bias-linear")) return "disable-bias-linear";
    const bool table = c.model.positions > 0;
    if (table && a.flag("use-rotary-position-embeddings")) return "use-rotary-position-embeddings";
    const std::string position = a.word("position-embedding-type", "");
    const bool other = position == "learned_absolute" ? !table : table && !position.empty();
    return other ? "position-embedding-type" : "";
}

// The model of a command line that says some of its sizes: the workspace's, but for those.
// @param first  the argument that is to blame where Megatron has no words for the rest
void overrideModel(CaseArguments& a, const std::string& first, TrainingCase& c)
{
    const auto defaults = defaultsOf(c.model);
    if (!c.model.isKnown()) {
        (void)megatronShape(a, c.tp, {});
        return;
    }
    if (!defaults) {
        a.complain("plan.argument.part", first, "changes the workspace's model, whose layers Megatron's arguments cannot describe; leave it out and change \"model\", or give num-layers, hidden-size, num-attention-heads and what else the model has");
        return;
    }
    const ModelShape said = megatronShape(a, c.tp, *defaults);
    // Transformers' own tensors are known where nothing is another.
    if (!a.wrong() && isSameModel(said, c.model) && said.vocab == roundUp(c.model.vocab, a.size("make-vocab-size-divisible-by", 128) * c.tp)) {
        c.model.seq = said.seq;
        asMegatronKeeps(a, c.model, c.tp);
        return;
    }
    const double dropout = c.model.dropout;
    c.model = said;
    c.model.dropout = dropout;
}

// Of Megatron-FSDP, by its strategy: 1 optimizer, 2 and gradients, 3 and weights; 0 without it.
int fsdpStage(CaseArguments& a)
{
    if (!a.flag("use-megatron-fsdp") && !a.flag("use-custom-fsdp")) return 0;
    const std::string sharded = a.word("data-parallel-sharding-strategy", "no_shard");
    return sharded == "optim_grads_params" ? 3 : sharded == "optim_grads" ? 2 : sharded == "optim" ? 1 : 0;
}

// The embedding and the loss may count as a layer each: then the first and the last stage have one less.
// Source: megatron/core/transformer/transformer_block.py, get_num_layers_to_build.
void readSplit(CaseArguments& a, TrainingCase& c)
{
    c.embeddingPlace = a.flag("account-for-embedding-in-pipeline-split");
    c.lossPlace = a.flag("account-for-loss-in-pipeline-split");
    if (a.has("virtual-pipeline-model-parallel-size")) c.chunksAsked = a.size("virtual-pipeline-model-parallel-size", 1);
    else if (a.has("num-virtual-stages-per-pipeline-rank")) c.chunksAsked = a.size("num-virtual-stages-per-pipeline-rank", 1);
    else if (a.has("num-layers-per-virtual-pipeline-stage")) c.layersPerChunk = a.size("num-layers-per-virtual-pipeline-stage", 1);
    if (a.has("decoder-first-pipeline-num-layers")) c.firstAsked = a.size("decoder-first-pipeline-num-layers", 1);
    if (a.has("decoder-last-pipeline-num-layers")) c.lastAsked = a.size("decoder-last-pipeline-num-layers", 1);
    if (a.has("microbatch-group-size-per-virtual-pipeline-stage")) c.microBatchGroup = a.size("microbatch-group-size-per-virtual-pipeline-stage", 1);
    // Its layers are not read, and said to be unknown; that they can be divided is not for us to deny.
    c.customSplit = a.names("pipeline-model-parallel-layout");
    settleSplit(c);
    if (c.pp == 1 || (!c.embeddingPlace && !c.lossPlace)) return;
    const std::int64_t parts = c.pp * c.chunks;
    if (c.places() % parts != 0 || c.places() / c.pp < 2) {
        a.complain("plan.argument.split", c.embeddingPlace ? "account-for-embedding-in-pipeline-split" : "account-for-loss-in-pipeline-split", "makes {} layers, which {} pipeline stages cannot share evenly; use a divisor",
                   {std::to_string(c.places()), std::to_string(parts)});
    }
}

}  // namespace

bool dividesOptimizer(CaseArguments& a, const DsSettings& settings)
{
    // A layer-wise one gives whole tensors to ranks: on the mean, as much to each.
    const bool layerWise = a.flag("use-layer-wise-distributed-optimizer") || a.word("optimizer", "").starts_with("dist_");
    return a.flag("use-distributed-optimizer", settings.stage >= 1) || layerWise || fsdpStage(a) > 0;
}

void readMegatron(CaseArguments& a, TrainingCase& c, std::vector<PlanFinding>& findings)
{
    c.tp = a.size("tensor-model-parallel-size", c.tp);
    c.pp = a.size("pipeline-model-parallel-size", c.pp);
    c.cp = a.size("context-parallel-size", c.cp);
    c.ep = a.size("expert-model-parallel-size", c.ep);
    if (a.has("expert-tensor-parallel-size")) c.expertTp = a.size("expert-tensor-parallel-size", c.tp);
    const bool described = a.has("num-layers") && a.has("hidden-size") && a.has("num-attention-heads");
    if (described) {
        // How long the samples are is no part of a model.
        ShapeDefaults defaults{.shape = {}, .vocab = c.model.vocab > 0 ? c.model.vocab : 50257};
        defaults.shape.seq = c.model.seq;
        if (c.model.isKnown()) findings.push_back(makeFinding("plan.model_replaced", "info", "/framework/arguments/num-layers", "num-layers, hidden-size and num-attention-heads describe a model of their own: \"model\" is not planned, and what they leave out is Megatron's default", {}));
        c.model = megatronShape(a, c.tp, defaults);
    } else if (const std::string first = a.modelArgument(); !first.empty() && !(c.model.positions == 0 && first.starts_with("max"))) {
        overrideModel(a, first, c);  // a length of the position table, which stands last, changes only a model that has one
    } else if (const std::string contrary = contrarySwitch(a, c); !contrary.empty()) {
        overrideModel(a, contrary, c);
    } else {
        c.model.seq = a.size("seq-length", c.model.seq);
        asMegatronKeeps(a, c.model, c.tp);
    }
    const std::int64_t world = a.size("world_size", c.nodes * c.devicesPerNode);
    const std::int64_t modelRanks = c.tp * c.pp * c.cp;
    if (world % modelRanks != 0) {
        a.complain("plan.argument.ranks", "tensor-model-parallel-size", "x pipeline x context = {} does not divide the {} ranks", {std::to_string(modelRanks), std::to_string(world)});
    }
    // The rest is read whatever is wrong, so that what is known is not called unknown.
    c.dp = std::max<std::int64_t>(1, world / modelRanks);
    if (a.has("hardware")) c.device = a.word("hardware", c.device);
    c.microBatch = a.size("micro-batch-size", c.microBatch);
    const std::int64_t global = a.size("global-batch-size", c.microBatch * c.dp * c.microBatches);
    // Where the ranks themselves are wrong the batch is no mistake of its own.
    if (global % (c.microBatch * c.dp) != 0 && !a.wrong()) {
        a.complain("plan.argument.batch", "global-batch-size", "is {}, no multiple of micro batch {} x {} data-parallel ranks", {std::to_string(global), std::to_string(c.microBatch), std::to_string(c.dp)});
    }
    c.microBatches = std::max<std::int64_t>(1, global / (c.microBatch * c.dp));
    c.sequenceParallel = (a.has("sequence-parallel") ? a.flag("sequence-parallel") : c.sequenceParallel) && c.tp > 1;
    if (a.flag("fp16") && a.flag("bf16")) a.complain("plan.argument.both", "fp16", "and \"bf16\" are both true, which Megatron refuses; use one of them");
    if (a.has("fp16") || a.has("bf16")) c.precision = a.flag("fp16") ? Precision::Fp16 : a.flag("bf16") ? Precision::Bf16 : Precision::Fp32;
    // bf16 sums its gradients in fp32 unless told not to (megatron/training/arguments.py; NeMo's grad_reduce_in_fp32: false).
    c.fp32Gradients = (c.precision != Precision::Fp16 && !(c.precision == Precision::Bf16 && a.flag("grad-reduce-in-bf16"))) || a.flag("accumulate-allreduce-grads-in-fp32");
    c.shardStage = fsdpStage(a);
    c.distributedOptimizer = dividesOptimizer(a, c.settings);
    if (a.flag("use-precision-aware-optimizer")) {
        c.gradientBytes = bytesOfType(a.word("main-grads-dtype", "fp32"), 4);
        // Transformer Engine's Adam keeps of an fp32 master only what its bf16 weight has lost.
        const double master = bytesOfType(a.word("main-params-dtype", "fp32"), 4);
        c.masterBytes = c.precision == Precision::Bf16 && master == 4 ? 2 : master;
        c.momentBytes = bytesOfType(a.word("exp-avg-dtype", "fp32"), 4) + bytesOfType(a.word("exp-avg-sq-dtype", "fp32"), 4);
    }
    // Groups that each hold the divided optimizer once more (core/distributed: intra_distributed_optimizer_instance_group).
    c.optimizerInstances = a.size("num-distributed-optimizer-instances", 1);
    if ((c.dp * c.cp) % c.optimizerInstances != 0 && !a.wrong()) {
        a.complain("plan.argument.instances", "num-distributed-optimizer-instances", "is {}, no divisor of the {} data-parallel ranks", {std::to_string(c.optimizerInstances), std::to_string(c.dp * c.cp)});
        c.optimizerInstances = 1;
    }
    // core/optimizer/cpu_offloading: weights, gradients and moments of that part in fp32 in pinned host memory.
    if (a.flag("optimizer-cpu-offload")) {
        c.optimizerOffload = a.fraction("optimizer-offload-fraction", 1);
        c.offloadOverlaps = a.flag("overlap-cpu-optimizer-d2h-h2d");
    }
    readSplit(a, c);
    c.deterministic = a.flag("deterministic-mode");
    c.cudaGraphs = a.flag("enable-cuda-graph") || a.flag("external-cuda-graph") || a.word("cuda-graph-impl", "none") != "none";
    // Both are off unless asked for; a job that was described in other words is planned with them.
    c.overlapGradients = a.flag("overlap-grad-reduce", !described) || c.shardStage >= 2;
    c.overlapWeights = a.flag("overlap-param-gather", !described) || c.shardStage == 3;
    if (c.cudaGraphs) findings.push_back(makeFinding("plan.cuda_graphs", "info", "/framework/arguments", "CUDA graphs take launching from the planned step; the buffers that they hold are not in the planned memory"));
    if (!described && c.dp * c.cp > 1 && c.shardStage < 2 && !a.names("overlap-grad-reduce") && !a.names("overlap-param-gather")) {
        findings.push_back(makeFinding("plan.megatron_overlap", "info", "/framework/arguments", "Gradients and weights are taken as exchanged while the model computes, as jobs are mostly run; Megatron does so only with --overlap-grad-reduce and --overlap-param-gather: say false for both to plan without"));
    }
    c.fp32Residual = a.flag("fp32-residual-connection");
    // Megatron's own engine has no config of DeepSpeed's to ask (tensor_parallel/random.py, CheckpointFunction).
    const bool distributed = a.flag("distribute-saved-activations");
    c.settings.partitionActivations = distributed || (c.framework == Framework::DeepSpeed && c.settings.partitionActivations);
    c.fusedAccumulation = !a.flag("no-gradient-accumulation-fusion");
    c.fusedGate = !a.flag("no-bias-swiglu-fusion");
    c.asyncTensor = a.flag("tp-comm-overlap") && c.sequenceParallel;
    // What the plan is made for anyhow.
    a.knowIf("moe-token-dispatcher-type", "alltoall");
    a.knowIf("cp-comm-type", "p2p");
    for (const char* key : {"apply-rope-fusion", "bias-swiglu-fusion", "bias-gelu-fusion", "bias-dropout-fusion", "masked-softmax-fusion", "gradient-accumulation-fusion", "pin-cpu-grads", "pin-cpu-params", "overlap-p2p-comm"}) a.knowIf(key, true);
    c.overlapExperts = a.flag("overlap-moe-expert-parallel-comm");
    c.looseRouting = !a.flag("moe-permute-fusion");
    // Off unless asked for (megatron/core/transformer/moe/experts.py: SequentialMLP, not TEGroupedMLP).
    const bool grouped = a.flag("moe-grouped-gemm");
    c.expertsOneByOne = c.framework == Framework::Megatron && c.model.experts > 0 && !grouped;
    c.rotationKernel = !a.flag("no-rope-fusion");
    c.balancedExperts = a.flag("moe-router-force-load-balancing");
    c.expertCapacity = a.real("moe-expert-capacity-factor", 0);
    const bool fusesLoss = a.flag("cross-entropy-loss-fusion");
    c.fusedLoss = fusesLoss && a.word("cross-entropy-fusion-impl", "native") == "te";
    c.jitLoss = fusesLoss && !c.fusedLoss;
    c.transformerEngine = a.word("transformer-impl", "transformer_engine") != "local";
    const std::string backend = a.word("attention-backend", "auto");
    c.flashAttention = c.transformerEngine ? backend != "unfused" && backend != "local" : a.flag("use-flash-attn") || backend == "flash";
    // Transformer Engine prefers cuDNN's kernels on Hopper since May 2024 (NVIDIA/NeMo, pull request 9188); before, and where "flash" is asked for, it
    // calls FlashAttention-2.
    const std::string release = a.word("release", "");
    c.flashLibrary = c.transformerEngine && c.flashAttention && (backend == "flash" || (backend == "auto" && !release.empty() && release < "2024-05"));
    // Megatron's own defaults go with a model of its command line; one that the workspace names has its own.
    c.hiddenDropout = a.fraction("hidden-dropout", described ? 0.1 : c.model.dropout);
    c.attentionDropout = a.fraction("attention-dropout", described ? 0.1 : c.model.dropout);
    const bool rotary = a.has("use-rotary-position-embeddings") ? a.flag("use-rotary-position-embeddings") : !described && c.rotary;
    c.rotary = a.word("position-embedding-type", rotary ? "rope" : "learned_absolute") == "rope";
    c.biases = !a.flag("disable-bias-linear", !described && !c.biases);
    // Words that it does not have are no switch.
    for (const char* format : {"fp8-format", "fp8"}) (void)a.word(format, "");
    c.float8 = a.flag("fp8-format") || a.flag("fp8");
    c.float8Weights = c.float8 && a.flag("fp8-param-gather");
    if (c.float8Weights && c.shardStage == 3) c.float8Kept = a.flag("keep-fp8-transpose-cache");
    c.blockScaled = a.word("fp8-recipe", "delayed") == "mxfp8" && c.float8;
    const std::string granularity = a.word("recompute-granularity", a.flag("recompute-activations") ? "selective" : "none");
    if (granularity == "full") {
        if (!a.has("recompute-method")) findings.push_back(makeFinding("plan.recompute_method", "warning", "/framework/arguments/recompute-granularity", "Megatron refuses recompute-granularity full without recompute-method: add \"recompute-method\": \"uniform\", as it is planned", {}));
        c.policy = ActivationPolicy::Full;
        c.recomputeFirstLayersOnly = a.word("recompute-method", "uniform") == "block";
        c.policyLayers = a.size("recompute-num-layers", 1);
    } else if (granularity == "selective") {
        c.policy = ActivationPolicy::SelectiveCore;
        const auto modules = a.words("recompute-modules");
        static constexpr std::array kModules{"core_attn", "moe_act", "layernorm", "mla_up_proj", "mlp", "moe", "shared_experts"};
        const auto unknown = std::find_if(modules.begin(), modules.end(), [](const std::string& name) { return std::find(kModules.begin(), kModules.end(), name) == kModules.end(); });
        if (unknown != modules.end()) a.complain("plan.argument.modules", "recompute-modules", "has \"{}\"; use core_attn, moe_act, layernorm, mla_up_proj, mlp, moe and shared_experts", {*unknown});
        const auto named = [&](const char* name) { return std::find(modules.begin(), modules.end(), name) != modules.end(); };
        c.modules = {modules.empty() || named("core_attn"), named("moe_act"), named("layernorm"), named("mla_up_proj"), named("mlp"), named("moe"), named("shared_experts")};
    }
    // core/transformer/transformer_block.py hands them to Transformer Engine's get_cpu_offload_context. Weights are another switch.
    if (a.real("cpu-offloading-num-layers", 0) > 0 && a.flag("cpu-offloading", true) && a.flag("cpu-offloading-activations", true)) c.hostLayers = a.size("cpu-offloading-num-layers", 1);
    c.optimizer = a.word("optimizer", described ? "adam" : c.optimizer);
    // Megatron's SGD has momentum unless it is taken away.
    if (c.optimizer == "sgd" && a.real("sgd-momentum", 0.9) > 0) c.momentBytes = c.momentBytes > 0 ? c.momentBytes : 4;
}

}  // namespace stagecraft
