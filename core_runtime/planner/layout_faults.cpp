// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/layout_faults.h"

#include "planner/findings.h"

#include <algorithm>
#include <string_view>

namespace stagecraft {

namespace {

const char* frameworkTitle(Framework framework)
{
    return framework == Framework::Fsdp2 ? "FSDP2" : framework == Framework::Megatron ? "Megatron-LM" : "DeepSpeed";
}

std::string number(std::int64_t value) { return std::to_string(value); }

}  // namespace

bool tellLayoutFaults(const TrainingCase& c, std::vector<PlanFinding>& findings)
{
    bool any = false;
    const auto tell = [&](const char* id, const char* pointer, const char* pattern, std::vector<std::string> args = {}) {
        findings.push_back(makeFinding(id, "error", pointer, pattern, std::move(args)));
        any = true;
    };
    const ModelShape& m = c.model;
    const bool deepspeed = c.framework == Framework::DeepSpeed;
    // deepspeed/runtime/pipe/engine.py: "ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism".
    if (deepspeed && c.pp > 1 && c.settings.stage > 1) {
        tell("plan.layout.zero_pipeline", "/dsConfig/zero_optimization/stage", "DeepSpeed refuses ZeRO stage {} with {} pipeline stages; use stage 1 at most, or layout.pp 1", {number(c.settings.stage), number(c.pp)});
    }
    // Megatron can count the embedding and the loss as a layer each (account-for-embedding-in-pipeline-split).
    const std::int64_t places = m.layers + (c.framework == Framework::Megatron ? 2 : 0);
    if (c.pp > 1 && c.chunks > 1 && c.chunks * c.pp > places) {
        tell("plan.layout.chunks", "/layout/chunks", "{} chunks on each of {} pipeline stages for {} layers; use fewer chunks, so that each has a layer", {number(c.chunks), number(c.pp), number(m.layers)});
    }
    if (c.cp > 1 && deepspeed) {
        // Ulysses: each rank has a part of the sequence outside attention and a part of the heads inside.
        if (m.seq % c.cp != 0) tell("plan.layout.sequence", "/layout/cp", "A sequence of {} tokens cannot be divided over {} context-parallel ranks; use a divisor, or another model.seq", {number(m.seq), number(c.cp)});
        if (m.heads % (c.tp * c.cp) != 0) tell("plan.layout.ulysses", "/layout/cp", "{} heads cannot be divided over cp {} x tp {} ranks, as Ulysses does; use a divisor", {number(m.heads), number(c.cp), number(c.tp)});
        if (c.pp > 1) tell("plan.layout.sequence_pipeline", "/layout/cp", "DeepSpeed's pipeline engine has no sequence parallelism; use layout.cp 1 or layout.pp 1");
    } else if (c.cp > 1 && m.seq % (2 * c.cp) != 0) {
        // Ring attention gives each rank a piece from the front and one from the back, so that all have as much to do.
        tell("plan.layout.ring", "/layout/cp", "A sequence of {} tokens cannot be cut into 2 x {} equal pieces for context parallelism; use another layout.cp or model.seq", {number(m.seq), number(c.cp)});
    }
    if (c.framework == Framework::Megatron) {
        // megatron/training/arguments.py, validate_args; core/transformer/transformer_config.py; core/pipeline_parallel/schedules.py.
        const std::int64_t evenLayers = m.layers - c.firstStageLayers - c.lastStageLayers, evenStages = c.pp - (c.firstStageLayers > 0) - (c.lastStageLayers > 0);
        if (c.pp > 1 && (evenStages > 0 ? evenLayers % evenStages != 0 : evenLayers != 0)) {
            // It has more arguments than those read here that say how (pipeline-model-parallel-layout): no reason to plan nothing.
            findings.push_back(makeFinding("plan.layout.stage_layers", "warning", "/layout/pp", "Megatron-LM divides {} layers over {} pipeline stages only where its arguments say how: the plan gives the first stages one more; use a divisor, or decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers", {number(m.layers), number(c.pp)}));
        } else if (c.pp > 1 && c.chunks > 1 && c.chunks * c.pp <= places && c.firstStageLayers == 0 && c.lastStageLayers == 0 && m.layers / c.pp % c.chunks != 0) {
            tell("plan.layout.chunk_layers", "/layout/chunks", "{} layers of a pipeline stage cannot be divided over {} chunks; use a divisor", {number(m.layers / c.pp), number(c.chunks)});
        }
        if (c.pp > 1 && c.chunks > 1 && c.microBatches % c.pp != 0) {
            tell("plan.layout.interleaved", "/layout/schedule", "Megatron-LM's interleaved schedule takes groups of {} micro-batches, one for each stage: {} are no multiple; use another batch, or the schedule 1f1b", {number(c.pp), number(c.microBatches)});
        }
        if (m.experts > 0 && c.ep > 1 && c.tp > 1 && !c.sequenceParallel) {
            tell("plan.layout.experts_sequence", "/layout/sequenceParallel", "Megatron-LM refuses expert parallelism beside tensor parallelism without sequence parallelism; set layout.sequenceParallel, or use layout.tp 1");
        }
        if (m.ffn % c.tp != 0) tell("plan.layout.width", "/layout/tp", "An MLP of width {} cannot be divided over {} tensor-parallel ranks; use a divisor", {number(m.ffn), number(c.tp)});
        if (c.sequenceParallel && m.seq / std::max<std::int64_t>(1, c.cp) % c.tp != 0) tell("plan.layout.slices", "/layout/tp", "A sequence of {} tokens cannot be cut into {} slices for sequence parallelism; use a divisor, or another model.seq", {number(m.seq / std::max<std::int64_t>(1, c.cp)), number(c.tp)});
    }
    // torchtitan gives each rank whole heads of keys and values.
    if (c.framework == Framework::Fsdp2 && m.keyRank == 0 && m.kvHeads % c.tp != 0) {
        tell("plan.layout.key_heads", "/layout/tp", "{} heads of keys and values cannot be divided over {} tensor-parallel ranks; use a divisor", {number(m.kvHeads), number(c.tp)});
    }
    if (c.ep > 1 && m.experts == 0) tell("plan.layout.dense", "/layout/ep", "Expert parallelism of {} for a model without experts; use layout.ep 1", {number(c.ep)});
    if (c.ep > 1 && m.experts > 0 && (c.dp * c.cp * c.tp) % (c.ep * c.expertTensor()) != 0) {
        tell("plan.layout.expert_ranks", "/layout/ep", "Expert parallelism of {} does not divide the {} ranks that hold a pipeline stage; use a divisor", {number(c.ep), number(c.dp * c.cp * c.tp / c.expertTensor())});
    }
    return any;
}

void settleSchedule(TrainingCase& c, std::vector<PlanFinding>& findings)
{
    using Names = std::vector<std::string_view>;
    static const Names kDeepSpeed{"1f1b", "deepspeed_train"};
    static const Names kMegatron{"1f1b", "interleaved_1f1b"};
    static const Names kTorch{"1f1b", "gpipe", "interleaved_1f1b", "looped_bfs", "zb_v", "dualpipev"};
    const Names& has = c.framework == Framework::DeepSpeed ? kDeepSpeed : c.framework == Framework::Megatron ? kMegatron : kTorch;
    const std::string asked = c.schedule;
    const std::int64_t chunks = c.chunks;
    // Interleaved means several chunks on a rank, and several chunks mean interleaved where it is the only schedule of that kind.
    const bool vShaped = asked == "zb_v" || asked == "dualpipev";
    const bool known = std::find(has.begin(), has.end(), asked) != has.end();
    if (!known) c.schedule = c.framework != Framework::DeepSpeed && c.chunks > 1 ? "interleaved_1f1b" : "1f1b";
    if (c.framework == Framework::DeepSpeed) c.chunks = 1;
    else if (c.schedule == "interleaved_1f1b" && c.chunks < 2 && c.pp > 1) c.chunks = 2;
    else if (c.schedule == "1f1b" && c.chunks > 1) c.schedule = "interleaved_1f1b";
    else if (c.schedule == "gpipe") c.chunks = 1;
    else if (known && vShaped) c.chunks = 2;
    if (c.pp == 1) return;
    if (!known) findings.push_back(makeFinding("plan.schedule", "warning", "/layout/schedule", "{} has no schedule {}: the plan is made for {}", {frameworkTitle(c.framework), asked, c.schedule}));
    else if (c.chunks < chunks) findings.push_back(makeFinding("plan.schedule.chunks", "warning", "/layout/chunks", "{} runs {} with {} chunks on a rank, not {}: so is the plan", {frameworkTitle(c.framework), c.schedule, number(c.chunks), number(chunks)}));
}

}  // namespace stagecraft
