// SPDX-License-Identifier: GPL-3.0-or-later
// ZeRO when the engine is built (R24, R26-R32, R37-R39, R47, R71).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::rules {

namespace {

const std::string kAt = "/zero_optimization";

/// SuperOffload's own Adam takes its numbers from the groups of the optimizer it is given (superoffload_stage3.py).
void checkSuperOffload(Judge& judge, const EnginePlan& plan, const ConfigValue& offload)
{
    const std::string name = plan.optimizerClass.empty() && !plan.client ? judge.parsed.optimizerName : plan.optimizerClass;
    const bool lacks = name == "FusedAdam" || name.ends_with("SGD") || name.ends_with("RMSprop") || name.find("Lion") != std::string::npos || name.find("Adagrad") != std::string::npos;
    if (lacks) {
        judge.refuse(CheckLevel::Engine, "R29", "R29.optimizer", kAt + "/offload_optimizer/super_offload", {{"optimizer", name}},
                     name == "FusedAdam" ? patchAdd(kAt + "/offload_optimizer/device", "\"cpu\"") : patchRemove(kAt + "/offload_optimizer/super_offload"));
    }
    const ConfigValue* cores = offload.find("cpuadam_cores_perc");
    if (cores != nullptr && cores->isNumber() && cores->asDouble() == 0.0) {
        judge.refuse(CheckLevel::Engine, "R29", "R29.cores", kAt + "/offload_optimizer/cpuadam_cores_perc", {}, patchRemove(kAt + "/offload_optimizer/cpuadam_cores_perc"));
    }
}

void checkOffload(Judge& judge, const EnginePlan& plan)
{
    const Parsed& parsed = judge.parsed;
    const int stage = parsed.stage();
    const std::string device = parsed.offloadDevice("offload_optimizer");
    const bool own = plan.optimizerClass == "DeepSpeedCPUAdam" || plan.optimizerClass == "DeepSpeedCPUAdagrad" || plan.optimizerClass == "DeepSpeedCPULion";
    const ConfigValue* zenflow = parsed.zero.find("zenflow");
    const bool answered = zenflow != nullptr && zenflow->isObject();  // which needs the offload, and says of the stage itself
    if (stage == 0 && plan.cpuOffload && own && !answered && judge.context.device == "cuda") {
        judge.refuse(CheckLevel::Engine, "R28", "R28", kAt + "/offload_optimizer", {}, patchRemove(kAt + "/offload_optimizer"));
    }
    if (device == "nvme" && (stage == 1 || stage == 2)) {
        if (CheckFinding* told = judge.change(CheckLevel::Engine, "R26", "R26", kAt + "/offload_optimizer/device", "\"cpu\"", {{"stage", std::to_string(stage)}})) {
            told->fix = patchReplace(kAt + "/offload_optimizer/device", "\"cpu\"");  // the stage may be what is wrong: no safe one
        }
    }
    if (stage != 3) {
        return;
    }
    const ConfigValue* offload = parsed.zero.find("offload_optimizer");
    const ConfigValue* path = offload == nullptr || !offload->isObject() ? nullptr : offload->find("nvme_path");
    if (device == "nvme" && plan.hasOptimizer && (path == nullptr || path->isNull())) {
        judge.refuse(CheckLevel::Engine, "R27", "R27", kAt + "/offload_optimizer", {}, patchAdd(kAt + "/offload_optimizer/nvme_path", "\"/local_nvme\""));
    }
    const ConfigValue* params = parsed.zero.find("offload_param");
    const ConfigValue* paramPath = params == nullptr || !params->isObject() ? nullptr : params->find("nvme_path");
    if (parsed.offloadDevice("offload_param") == "nvme" && (paramPath == nullptr || paramPath->isNull())) {
        judge.refuse(CheckLevel::Engine, "R27", "R27", kAt + "/offload_param", {}, patchAdd(kAt + "/offload_param/nvme_path", "\"/local_nvme\""));
    }
    const ConfigValue* ratio = offload == nullptr ? nullptr : offload->find("ratio");
    if (plan.cpuOffload && ratio != nullptr && ratio->asDouble() != 1.0 && plan.hasOptimizer && !plan.optimizerClass.empty() &&
        plan.optimizerClass != "DeepSpeedCPUAdam") {
        judge.refuse(CheckLevel::Engine, "R24", "R24.class", kAt + "/offload_optimizer/ratio", {{"optimizer", plan.shownName}},
                     patchRemove(kAt + "/offload_optimizer/ratio"));
    }
    if (offload != nullptr && parsed.flag(*offload, "super_offload") && judge.context.device != "cuda") {
        judge.refuse(CheckLevel::Engine, "R29", "R29", kAt + "/offload_optimizer/super_offload", {}, patchRemove(kAt + "/offload_optimizer/super_offload"));
    } else if (offload != nullptr && parsed.stage() == 3 && plan.hasOptimizer && parsed.flag(*offload, "super_offload")) {
        checkSuperOffload(judge, plan, *offload);
    }
}

/// Offload to files makes aio_handle, a C++ class: its numbers are 32-bit whole numbers, its switches no text (csrc/aio/py_lib/py_ds_aio.cpp).
void checkAioHandle(Judge& judge, const EnginePlan& plan)
{
    const ConfigValue* section = judge.root.find("aio");
    const bool optimizer = judge.parsed.offloadDevice("offload_optimizer") == "nvme" && plan.hasOptimizer;
    if (section == nullptr || !section->isObject() || judge.parsed.stage() != 3 || (!optimizer && judge.parsed.offloadDevice("offload_param") != "nvme")) {
        return;
    }
    for (const char* key : {"block_size", "queue_depth", "intra_op_parallelism"}) {
        const ConfigValue* value = section->find(key);
        const bool whole = value != nullptr && (value->isBool() || (value->isIntLike() && value->asDouble() >= -2147483648.0 && value->asDouble() <= 2147483647.0));
        if (value != nullptr && !whole && judge.facts.reads("/aio", key)) {
            const auto number = value->isString() ? pythonFloat(value->text) : value->asDouble();
            const bool meant = number.has_value() && *number >= 1 && *number <= 2147483647.0 && std::trunc(*number) == *number;
            judge.refuse(CheckLevel::Engine, "R71", "R71.whole", "/aio/" + std::string(key), {{"key", key}, {"value", toJson(*value)}},
                         meant ? patchReplace("/aio/" + std::string(key), std::to_string(static_cast<std::int64_t>(*number))) : std::string());
        }
    }
    for (const char* key : {"single_submit", "overlap_events"}) {
        const ConfigValue* value = section->find(key);
        if (value != nullptr && value->isString()) {
            const std::string meant = switchMeant(*value);
            judge.refuse(CheckLevel::Engine, "R71", "R71.switch", "/aio/" + std::string(key), {{"key", key}, {"value", toJson(*value)}},
                         meant.empty() ? std::string() : patchReplace("/aio/" + std::string(key), meant));
        }
    }
}

/// Stages 1 and 2 gather from places aligned to two elements, and want a bucket of an even number of them.
/// Gradients are gathered in a buffer of the bucket's size: torch counts its bytes with 64 bits.
void checkReduceBucket(Judge& judge, const EnginePlan& plan)
{
    const Parsed& parsed = judge.parsed;
    const ConfigValue* bucket = parsed.zero.find("reduce_bucket_size");
    const bool onHost = plan.cpuOffload && parsed.stage() < 3;  // which takes the buffer whatever "contiguous_gradients" is
    if (parsed.stage() == 0 || !plan.hasOptimizer || wrapsBf16(judge) || bucket == nullptr || !bucket->isNumber() || !(onHost || parsed.flag(parsed.zero, "contiguous_gradients"))) {
        return;
    }
    constexpr double kLimit = 9223372036854775808.0;  // 2^63
    const int element = parsed.flag(parsed.fp16, "enabled") || parsed.flag(parsed.bf16, "enabled") ? 2 : 4;
    if (bucket->asDouble() * element < kLimit) {
        return;
    }
    const bool before = judge.stepping;
    judge.stepping = parsed.stage() < 3;  // made in the first backward there, with the optimizer in stage 3
    judge.refuse(CheckLevel::Engine, "R13", "zero.bucket.large", kAt + "/reduce_bucket_size", {{"value", shortNumber(bucket->asDouble())}, {"error", bucket->asDouble() < kLimit ? "RuntimeError" : "TypeError"}},
                 patchRemove(kAt + "/reduce_bucket_size"));
    judge.stepping = before;
}

/// Stage 3 makes one piece of each module whose parameters, divided by the modules in it, are at most the threshold, the outermost first. It
/// hooks on the gradients of a piece's inputs, and those of the model itself have none (parameter_offload.py, _set_z3_leaf_modules_by_threshold).
void checkGranularity(Judge& judge)
{
    const ConfigValue* threshold = judge.parsed.zero.find("module_granularity_threshold");
    if (judge.parsed.stage() != 3 || threshold == nullptr || !threshold->isNumber() || threshold->asDouble() <= 0.0) {
        return;
    }
    constexpr double kNeverSmall = 9223372036854775807.0;  // sys.maxsize, the size of a module of more than 1e9 parameters
    const ConfigValue* written = judge.root.find("zero_optimization");
    const std::string key = written->find("module_granularity_threshold") != nullptr ? "module_granularity_threshold" : "stage3_module_granularity_threshold";
    const MessageArguments words{{"key", key}, {"value", shortNumber(threshold->asDouble())}};
    if (threshold->asDouble() < kNeverSmall) {
        judge.unwise("R13", "zero.granularity", kAt + "/" + key, words);
        return;
    }
    const bool before = judge.stepping;
    judge.stepping = true;
    judge.refuse(CheckLevel::Engine, "R13", "zero.granularity.all", kAt + "/" + key, words, patchRemove(kAt + "/" + key));
    judge.stepping = before;
}

void checkGatherBucket(Judge& judge, const EnginePlan& plan)
{
    const Parsed& parsed = judge.parsed;
    const ConfigValue* bucket = parsed.zero.find("allgather_bucket_size");
    if (parsed.stage() == 3 || !plan.hasOptimizer || wrapsBf16(judge) || bucket == nullptr || !bucket->isIntLike() || bucket->asInt() % 2 == 0) {
        return;
    }
    const ConfigValue* section = judge.root.find("zero_optimization");
    const std::string at = section != nullptr && section->isBool() ? "/allgather_size" : kAt + "/allgather_bucket_size";
    judge.refuse(CheckLevel::Engine, "R13", "zero.even", at, {{"key", at.substr(at.rfind('/') + 1)}, {"value", toJson(*bucket)}}, patchReplace(at, std::to_string(bucket->asInt() + 1)));
}

/// Averaging of gradients against reduce_scatter (R32).
void checkReduceScatter(Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    const int stage = parsed.stage();
    if (stage < 2 || !parsed.flag(parsed.zero, "reduce_scatter")) {
        return;
    }
    const ConfigValue* op = judge.root.find("gradient_allreduce_op");
    if (stage == 2 && op != nullptr && op->isString() && (op->text == "sum" || op->text == "SUM" || op->text == "Sum") && judge.facts.reads("", "gradient_allreduce_op")) {
        return;
    }
    const MessageArguments stageText{{"stage", std::to_string(stage)}};
    const auto refuse = [&](const char* key) {
        MessageArguments all = stageText;
        all.emplace_back("key", key);
        judge.refuse(CheckLevel::Engine, "R32", "R32", "/" + std::string(key), all, patchRemove("/" + std::string(key)));
    };
    if (const ConfigValue* prescale = judge.root.find("prescale_gradients"); prescale != nullptr && pythonTruth(*prescale)) {
        refuse("prescale_gradients");
    }
    if (const ConfigValue* factor = judge.root.find("gradient_predivide_factor"); factor != nullptr && !(factor->isNumber() && factor->asDouble() == 1.0)) {
        refuse("gradient_predivide_factor");
    }
}

void checkPlusPlus(Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    for (const char* key : {"zero_quantized_weights", "zero_quantized_nontrainable_weights"}) {
        if (parsed.stage() == 3 && judge.context.device == "cpu" && parsed.flag(parsed.zero, key)) {
            judge.refuse(CheckLevel::Engine, "R37", "R37.cpu", kAt + "/" + key, {{"key", key}}, patchRemove(kAt + "/" + key));
        }
    }
    const ConfigValue* size = parsed.zero.find("zero_hpz_partition_size");
    if (parsed.stage() != 3 || size == nullptr || size->asInt() <= 1) {
        return;
    }
    const int ranks = judge.context.ranks.value_or(judge.context.world);
    const std::string at = kAt + "/zero_hpz_partition_size";
    if (size->asInt() > ranks) {
        judge.overrule("R37", "R37.cap", at, CheckSeverity::Warning, {{"ranks", std::to_string(ranks)}});  // the groups are smaller, the number in the config stays
    } else if (ranks % size->asInt() != 0) {
        judge.refuse(CheckLevel::Engine, "R37", "R37.divide", at, {{"value", toJson(*size)}, {"ranks", std::to_string(ranks)}});
    }
}

/// MiCS shards among groups of ranks, each as large as the others.
void checkMics(Judge& judge)
{
    const ConfigValue* size = judge.parsed.zero.find("mics_shard_size");
    if (judge.parsed.stage() != 3 || size == nullptr || size->asInt() < 1) {
        return;
    }
    const std::string at = kAt + "/mics_shard_size";
    const int ranks = judge.context.ranks.value_or(judge.context.world);
    if (ranks % size->asInt() != 0) {
        judge.refuse(CheckLevel::Engine, "R37", "R37.mics", at, {{"value", toJson(*size)}, {"ranks", std::to_string(ranks)}}, patchRemove(at));
    } else if (judge.context.device == "cpu") {
        judge.refuse(CheckLevel::Engine, "R37", "R37.mics.cpu", at, {}, patchRemove(at));
    }
    // how many devices a node has only the job knows; one rank lies inside a node in any case
    static const std::string kGather = kAt + "/mics_hierarchical_params_gather";
    if (!judge.parsed.flag(judge.parsed.zero, "mics_hierarchical_params_gather")) {
        return;
    }
    if (size->asInt() == 1) {
        judge.refuse(CheckLevel::Engine, "R37", "R37.mics.nodes", kGather, {{"value", toJson(*size)}}, patchRemove(kGather));
    } else {
        judge.warn(CheckLevel::Engine, "R37", "R37.mics.nodes", kGather, {{"value", toJson(*size)}}, patchRemove(kGather));
    }
}

void checkMasterWeights(Judge& judge, const EnginePlan& plan)
{
    const Parsed& parsed = judge.parsed;
    const bool fits = plan.cpuOffload && (plan.optimizerClass == "DeepSpeedCPUAdam" || plan.optimizerClass.empty());
    const bool fp16 = parsed.flag(parsed.fp16, "fp16_master_weights_and_grads");
    const bool bf16 = parsed.flag(parsed.bf16, "bf16_master_weights_and_grads") && judge.facts.sectionModel("bf16") != nullptr;
    const bool states = parsed.flag(parsed.bf16, "bf16_optimizer_states");
    if (parsed.stage() == 0 || !plan.hasOptimizer) {
        return;
    }
    if (fp16 && bf16) {
        judge.refuse(CheckLevel::Engine, "R45", "R45.both", "/fp16/fp16_master_weights_and_grads", {}, patchRemove("/fp16/fp16_master_weights_and_grads"));
    }
    const bool adam = plan.optimizerClass == "DeepSpeedCPUAdam" || (!plan.client && plan.optimizerClass == "FusedAdam");  // which the offload makes the other
    const char* message = adam ? "R47" : plan.client ? (plan.cpuOffload ? "R47.client" : "R47.client.both") : plan.cpuOffload ? "R47.class" : "R47.both";
    const auto refuse = [&](const std::string& at, const char* key, const std::string& fix) { judge.refuse(CheckLevel::Engine, "R47", message, at, {{"key", key}, {"optimizer", plan.shownName}}, fix); };
    if (fp16 && !fits) {
        refuse("/fp16/fp16_master_weights_and_grads", "fp16_master_weights_and_grads", patchRemove("/fp16/fp16_master_weights_and_grads"));
    }
    if (bf16 && (!states || (plan.cpuOffload && judge.facts.atLeast(0, 19, 0))) && !fits) {  // 0.18 asks only where states are fp32
        // States in bf16 are refused without it (R46), and go with it.
        const std::string fix = patchRemove("/bf16/bf16_master_weights_and_grads");
        refuse("/bf16/bf16_master_weights_and_grads", "bf16_master_weights_and_grads", states ? fix.substr(0, fix.size() - 1) + ", " + patchRemove("/bf16/bf16_optimizer_states").substr(1) : fix);
    }
}

void checkMuon(Judge& judge, const EnginePlan& plan)
{
    if (plan.optimizerClass != "MuonWithAuxAdam") {
        return;
    }
    const int stage = judge.parsed.stage();
    if (stage == 3 && judge.parsed.flag(judge.parsed.zero, "zero_quantized_gradients")) {
        judge.refuse(CheckLevel::Engine, "R38", "R38.quantized", kAt + "/zero_quantized_gradients", {}, patchReplace(kAt + "/zero_quantized_gradients", "false"));
    }
    if (!judge.parsed.flag(judge.parsed.zero, "reduce_scatter")) {
        return;
    }
    const bool offloaded = stage > 0 && plan.cpuOffload && judge.facts.atLeast(0, 19, 0) && !judge.facts.atLeast(0, 19, 7);  // others gather whole gradients there
    if (stage == 3 || offloaded) {
        judge.refuse(CheckLevel::Engine, "R38", "R38", kAt, {{"stage", std::to_string(stage)}}, patchAdd(kAt + "/reduce_scatter", "false"));
    }
}

/// ZenFlow steps the CPU Adam made for it, and gives a second AdamW, for the chosen columns, all that the config gives the first.
void checkZenflowOptimizer(Judge& judge, const EnginePlan& plan)
{
    const std::string at = plan.client ? kAt + "/zenflow" : "/optimizer/type";
    const ConfigValue* params = judge.parsed.optimizerParams;
    const auto adam = judge.facts.signatures.find("torch.optim.AdamW");
    if (plan.client) {
        judge.refuse(CheckLevel::Engine, "R39", "R39.client", at, {{"optimizer", plan.shownName}});
        return;
    }
    const bool own = judge.parsed.stage() == 3;  // takes the parameters from the first one's groups
    for (const ConfigMember& member : own || params == nullptr || adam == judge.facts.signatures.end() ? std::vector<ConfigMember>() : params->members) {
        const std::vector<std::string>& takes = adam->second.takes;
        const std::string place = "/optimizer/params/" + pointerToken(member.key);
        if (!judge.facts.atLeast(0, 19, 0) && (member.key == "torch_adam" || member.key == "adam_w_mode")) {
            continue;  // taken out of the very object that is handed on
        }
        if (std::find(takes.begin(), takes.end(), member.key) == takes.end() && !judge.settled(place)) {
            judge.refuse(CheckLevel::Engine, "R39", "R39.parameter", place, {{"key", member.key}}, patchRemove(place), Judge::At::Key);
        }
    }
    const bool stepped = plan.optimizerClass == "DeepSpeedCPUAdam" || (plan.optimizerClass == "MuonWithAuxAdam" && judge.facts.atLeast(0, 19, 0));
    if (!stepped && !plan.optimizerClass.empty() && !judge.settled(at)) {
        judge.refuse(CheckLevel::Engine, "R39", "R39.optimizer", at, {{"optimizer", plan.shownName}});
    }
}

/// In stage 3 nothing looks for an optimizer on the CPU before the first update, which hands it the number of the step (stage3.py,
/// zenflow_cpu_optimizer_step). With an interval of "auto" it comes late, but for a warm-up before 0.19.8.
void checkStepsWithoutHost(Judge& judge, const ConfigValue& zenflow, const std::string& fix)
{
    const auto number = [&](const char* key) {
        const ConfigValue* value = zenflow.find(key);
        return value != nullptr && value->isIntLike() ? value->asDouble() : 0.0;
    };
    const bool soon = number("update_interval") >= 1.0 || (number("full_warm_up_rounds") >= 1.0 && !judge.facts.atLeast(0, 19, 7));
    if (!soon) {
        judge.warn(CheckLevel::Engine, "R39", "R39.offload.later", kAt + "/zenflow", {}, fix);
        return;
    }
    const bool before = judge.stepping;
    judge.stepping = true;
    judge.refuse(CheckLevel::Engine, "R39", "R39.offload.step", kAt + "/zenflow", {}, fix);
    judge.stepping = before;
}

/// Columns are chosen in the step in which the warm-up ends, counted from 0, and at an interval of steps: below 0 the first never comes.
/// An interval of epochs is counted by the training data, which a script may hand to DeepSpeed or not.
void checkWarmUp(Judge& judge, const EnginePlan& plan, const ConfigValue& zenflow)
{
    const ConfigValue* rounds = zenflow.find("full_warm_up_rounds");
    if (rounds == nullptr || !rounds->isIntLike() || rounds->asDouble() >= 0.0 || judge.parsed.stage() == 0 || !plan.cpuOffload || !plan.hasOptimizer) {
        return;
    }
    static const std::string kRounds = kAt + "/zenflow/full_warm_up_rounds";
    const ConfigValue* select = zenflow.find("select_interval");
    const double interval = judge.parsed.word(zenflow, "select_strategy") == "step" && select != nullptr && select->isIntLike() ? select->asDouble() : 0.0;
    const bool still = judge.parsed.stage() < 3 && !judge.facts.atLeast(0, 19, 0);  // 0.18 counts no steps there: each is the one before the first, -1
    const bool chosen = still ? rounds->asDouble() == -1.0 || std::fabs(interval) == 1.0 : interval != 0.0;
    const MessageArguments words{{"value", toJson(*rounds)}};
    if (chosen) {
        judge.unwise("R39", "R39.rounds.shift", kRounds, words, patchReplace(kRounds, "0"));
        return;
    }
    const bool before = judge.stepping;
    judge.stepping = true;
    judge.refuse(CheckLevel::Engine, "R39", "R39.rounds", kRounds, words, patchReplace(kRounds, "0"));
    judge.stepping = before;
}

/// The number of each step is divided by the interval, and so is every loss.
void tellIntervalBelowOne(Judge& judge, const ConfigValue& update)
{
    static const std::string kUpdate = kAt + "/zenflow/update_interval";
    const MessageArguments words{{"value", toJson(update)}, {"release", judge.facts.version}};
    if (update.asDouble() == 0.0) {
        const bool before = judge.stepping;
        judge.stepping = true;
        judge.refuse(CheckLevel::Engine, "R39", "R39.zero", kUpdate, words);
        judge.stepping = before;
    } else {
        judge.change(CheckLevel::Engine, "R39", "R39.negative", "/gradient_accumulation_steps", toJson(update), words);
    }
}

/// The update interval takes the place of the accumulation: what to write so that the sizes of the file say so too.
void tellAccumulation(Judge& judge, const ConfigValue& update)
{
    CheckFinding* const finding = judge.change(CheckLevel::Engine, "R39", "R39.steps", "/gradient_accumulation_steps", toJson(update));
    if (finding == nullptr) {
        return;
    }
    const ResolvedBatch& batch = judge.parsed.batch;
    const ConfigValue* train = judge.root.find("train_batch_size");
    const bool trainer = judge.context.launcher == CheckLauncher::Transformers;
    const bool product = judge.parsed.batchKnown && train != nullptr && train->isNumber();
    finding->message += messageText(judge.context.language, trainer ? "R39.both.trainer" : product ? "R39.both.batch" : "R39.both",
                                    {{"becomes", toJson(update)}, {"product", product ? shortNumber(batchNumberValue(batch.trainBatchSize) / batchNumberValue(batch.gas) * update.asDouble()) : std::string()}});
}

void checkZenflow(Judge& judge, const EnginePlan& plan)
{
    const ConfigValue* zenflow = judge.parsed.zero.find("zenflow");
    if (zenflow == nullptr || !zenflow->isObject()) {
        return;
    }
    const std::string at = kAt + "/zenflow";
    const auto refuse = [&](const char* key, const char* message, const MessageArguments& details, const std::string& fix) { judge.refuse(CheckLevel::Engine, "R39", message, at + key, details, fix); };
    const std::string strategy = judge.parsed.word(*zenflow, "select_strategy");
    const ConfigValue* select = zenflow->find("select_interval");
    const ConfigValue* update = zenflow->find("update_interval");
    const bool numberSelect = select != nullptr && select->isIntLike();
    const bool numberUpdate = update != nullptr && update->isIntLike();
    if (strategy == "auto" && numberSelect) {
        refuse("/select_interval", "R39.select.auto", {{"value", toJson(*select)}}, patchReplace(at + "/select_interval", "\"auto\""));
    } else if (strategy != "auto" && !numberSelect) {
        const std::string least = strategy == "step" && numberUpdate ? toJson(*update) : "1";
        refuse("/select_strategy", "R39.select.number", {{"value", strategy}, {"least", least}}, patchAdd(at + "/select_interval", least));
    } else if (strategy == "step" && numberSelect && numberUpdate && select->asDouble() != 0.0 && select->asDouble() < update->asDouble()) {
        refuse("/update_interval", "R39.select.small", {{"update", toJson(*update)}, {"select", toJson(*select)}}, patchReplace(at + "/select_interval", toJson(*update)));
    }
    if (judge.parsed.stage() == 0 && !judge.context.pipelineModel) {
        refuse("", "R39.stage", {}, patchAdd(kAt + "/stage", "2"));  // its first step asks a ZeRO optimizer what no other has
        return;
    }
    if (!plan.cpuOffload && judge.parsed.stage() > 0) {
        const ConfigValue* offload = judge.parsed.zero.find("offload_optimizer");
        const std::string fix = offload != nullptr && offload->isObject() ? patchAdd(kAt + "/offload_optimizer/device", "\"cpu\"") : patchAdd(kAt + "/offload_optimizer", R"({"device": "cpu"})");
        if (judge.parsed.stage() < 3) refuse("", "R39.offload", {}, fix);
        else if (plan.hasOptimizer) checkStepsWithoutHost(judge, *zenflow, plan.optimizerClass == "FusedAdam" && judge.facts.atLeast(0, 19, 0) ? fix : std::string());   // the one that becomes what ZenFlow steps; 0.18 calls that untested
    }
    if (judge.parsed.flag(*zenflow, "offload") && !judge.parsed.flag(judge.parsed.zero, "overlap_comm")) {
        refuse("/offload", "R39.overlap", {}, patchAdd(kAt + "/overlap_comm", "true"));
    }
    if (judge.parsed.stage() > 0 && plan.cpuOffload && plan.hasOptimizer) {
        checkZenflowOptimizer(judge, plan);
    }
    checkWarmUp(judge, plan, *zenflow);
    if (numberUpdate && update->asDouble() < 1.0) {  // 0.18 alone comes so far
        tellIntervalBelowOne(judge, *update);
        return;
    }
    const bool asWritten = judge.parsed.batchKnown && numberUpdate && batchNumberValue(judge.parsed.batch.gas) == update->asDouble();
    if (numberUpdate && !asWritten) {
        tellAccumulation(judge, *update);
    } else if (!numberUpdate && plan.cpuOffload && plan.hasOptimizer && !judge.context.pipelineModel) {  // which pipe.cpp tells of
        judge.change(CheckLevel::Engine, "R39", "R39.auto", "/gradient_accumulation_steps", "0");
    }
}

}  // namespace

bool wrapsBf16(const Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    const ConfigValue* types = judge.root.find("data_types");
    const ConfigValue* sums = types == nullptr ? nullptr : types->find("grad_accum_dtype");
    return parsed.stage() == 1 && parsed.flag(parsed.bf16, "enabled") && parsed.offloadDevice("offload_optimizer") == "none" && sums != nullptr &&
           (sums->isString("fp32") || sums->isString("float32") || sums->isString("float") || sums->isString("torch.float32"));
}

void checkEngineZero(Judge& judge, const EnginePlan& plan)
{
    const Parsed& parsed = judge.parsed;
    const int stage = parsed.stage();
    checkOffload(judge, plan);
    checkZenflow(judge, plan);
    if (stage == 0) {
        return;
    }
    if (parsed.flag(parsed.zero, "legacy_stage1")) {
        judge.refuse(CheckLevel::Engine, "R30", "R30", kAt + "/legacy_stage1", {}, patchRemove(kAt + "/legacy_stage1"));
    }
    const ConfigValue* norm = parsed.zero.find("compute_grad_norm");
    if (norm != nullptr && !pythonTruth(*norm)) {
        const ConfigValue* clipping = judge.root.find("gradient_clipping");
        const ConfigValue& value = clipping == nullptr ? judge.facts.gradientClippingDefault : *clipping;
        if (plan.cpuOffload) {  // whatever is clipped
            judge.refuse(CheckLevel::Engine, "R13", "clipping.norm.offload", kAt + "/compute_grad_norm", {}, patchRemove(kAt + "/compute_grad_norm"));
        } else if (value.isNumber() && value.asDouble() > 0.0) {
            judge.refuse(CheckLevel::Engine, "R13", clipping == nullptr ? "clipping.norm.default" : "clipping.norm", kAt + "/compute_grad_norm", {{"value", toJson(value)}}, patchRemove(kAt + "/compute_grad_norm"));
        }
    }
    // releases that allow 0 divide by it when they report how full the bucket is
    if (const ConfigValue* bucket = parsed.zero.find("reduce_bucket_size"); bucket != nullptr && bucket->isNumber() && bucket->asDouble() == 0.0 && plan.hasOptimizer) {
        judge.refuse(CheckLevel::Engine, "R13", "zero.bucket", kAt + "/reduce_bucket_size", {{"release", judge.facts.version}}, patchRemove(kAt + "/reduce_bucket_size"));
    }
    checkReduceBucket(judge, plan);
    checkAioHandle(judge, plan);
    checkGranularity(judge);
    checkGatherBucket(judge, plan);
    checkReduceScatter(judge);
    checkPlusPlus(judge);
    checkMics(judge);
    checkMasterWeights(judge, plan);
    checkMuon(judge, plan);
}

}  // namespace stagecraft::rules
