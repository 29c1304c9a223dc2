// SPDX-License-Identifier: GPL-3.0-or-later
// Buckets, stage 3's sizes and what else decides how long the ranks wait for each other.
#include "planner/config_advice_ground.h"

#include "base/units.h"
#include "planner/parameter_groups.h"
#include "planner/traffic.h"
#include "planner/transfers.h"
#include "workspace/autotp_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft::advice {

namespace {

const std::string kZero = "/zero_optimization/";

std::string count(double value)
{
    return formatCount(std::llround(value));
}

}  // namespace

void adviseBuckets(Ground& g)
{
    const DsSettings& s = g.job.settings;
    if (g.ranks < 2 || g.ours()) return;
    const std::string at = kZero + "reduce_bucket_size";
    if (s.stage >= 1 && g.isNumber(at) && !g.told("plan.bucket_memory")) {
        const double bucket = static_cast<double>(s.reduceBucket);
        const double buffers = s.contiguousGradients ? (s.overlapComm && s.stage < 3 ? 2 : 1) * g.bytes * bucket : 0;
        const std::string better = roundNumber(std::max(g.trainable / 10, std::min(g.trainable, 1e6)));
        if (bucket > g.trainable && (s.overlapComm || (s.stage == 3 && !s.overlapForbidden) || buffers > 0.05 * static_cast<double>(g.usable)) && g.usable > 0) {
            g.tell("plan.bucket_large", CheckSeverity::Info, at,
                   {{"value", count(bucket)}, {"params", count(g.trainable)}, {"buffers", formatBytes(std::llround(buffers))}, {"better", better}}, rules::patchReplace(at, better));
        } else if (bucket < g.trainable) {
            // Each group of ranks fills buckets of its own.
            double calls = 0, extra = 0;
            const double times = s.stage >= 2 ? static_cast<double>(g.job.microBatches) : 1;
            for (const ParameterGroup& group : parameterGroups(g.job, 0, layersOfStages(g.job).front())) {
                if (!group.trained || group.replicas() < 2) continue;
                const double here = bucketReductions(g.job, group, bucket);
                calls += here;
                extra += times * (here - 1) * ringSeconds(g.job, g.device, 0, group.replicas(), group.stride);  // each call waits for its ring once more
            }
            // Nothing speaks for smaller ones but their buffers, so that little is worth saying.
            const double enough = std::min(5e7, std::max(g.trainable / 10, 1e6));
            if (bucket < enough && extra > 0.005 * g.now.time.stepTime) {
                const std::string wanted = roundNumber(enough);
                g.tell("plan.bucket_small", CheckSeverity::Info, at,
                       {{"value", count(bucket)}, {"calls", count(calls * times)}, {"extra", seconds(extra)}, {"step", seconds(g.now.time.stepTime)}, {"better", wanted}}, rules::patchReplace(at, wanted));
            }
        }
    }
}

void adviseStage3Sizes(Ground& g)
{
    const DsSettings& s = g.job.settings;
    if (s.stage != 3 || g.ranks < 2 || g.ours()) return;
    const double all = g.stage.all();
    const double block = g.stage.block;
    const std::string prefetch = kZero + "stage3_prefetch_bucket_size";
    const std::string live = kZero + "stage3_max_live_parameters";
    // What one step waits for gathers when none runs ahead, beyond what shows when a block of them does.
    const auto shown = [&](double bucket) {
        return g.with([=](TrainingCase& c) { c.settings.prefetchBucket = std::llround(bucket); }).part("communication_exposed.weights");
    };
    const double waits = std::max(0.0, shown(0) - shown(block));
    const bool costly = waits > 0.05 * g.now.time.stepTime;
    const rules::MessageArguments cost{{"waits", seconds(waits)}, {"step", seconds(g.now.time.stepTime)}, {"block", count(block)}, {"better", roundNumber(block)}};
    const auto with = [](rules::MessageArguments arguments, const rules::MessageArguments& more) {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    if (g.isNumber(prefetch)) {
        const double value = static_cast<double>(s.prefetchBucket);
        if (value >= all) {
            g.tell("plan.prefetch_large", CheckSeverity::Info, prefetch,
                   {{"value", count(value)}, {"params", count(all)}, {"gathered", formatBytes(std::llround(g.bytes * all))}, {"block", count(block)}, {"better", roundNumber(block)}},
                   rules::patchReplace(prefetch, roundNumber(block)));
        } else if (value == 0 && costly) {
            g.tell("plan.prefetch_none", CheckSeverity::Info, prefetch, cost, rules::patchReplace(prefetch, roundNumber(block)));
        }
    }
    if (g.isNumber(live)) {
        const double value = static_cast<double>(s.maxLive);
        const double kept = g.bytes * all;
        const double least = std::min(all, 2 * block + std::max(g.stage.head, g.stage.embedding));
        if (value >= all && kept > 0.05 * static_cast<double>(g.usable) && g.usable > 0 && least < 0.7 * all) {
            const std::string better = roundNumber(least * 1.5);
            g.tell("plan.live_large", CheckSeverity::Info, live,
                   {{"value", count(value)}, {"params", count(all)}, {"kept", formatBytes(std::llround(kept))}, {"better", better}}, rules::patchReplace(live, better));
        } else if (value < block && costly && !g.told("plan.prefetch_none")) {
            const std::string better = roundNumber(least * 1.5);
            g.tell("plan.live_small", CheckSeverity::Info, live, with(cost, {{"value", count(value)}, {"live", better}}), rules::patchReplace(live, better));
        }
    }
    const std::string group = kZero + "sub_group_size";
    if (g.isNumber(group) && s.offloadOptimizer == OffloadDevice::None && g.usable > 0) {
        const double share = g.trainable / g.ranks;
        const double value = std::min(share, static_cast<double>(s.subGroup));
        const Score smaller = g.with([](TrainingCase& c) { c.settings.subGroup = 100'000'000; });
        const std::int64_t less = g.now.memory - smaller.memory;
        // Worth saying only where memory is short and the step is what needs most of it.
        if (value > 1e8 && g.fits(g.now, 1.0) && !g.fits(g.now, kSpare) && static_cast<double>(less) > 0.02 * static_cast<double>(g.usable)) {
            g.tell("plan.sub_group_large", CheckSeverity::Info, group,
                   {{"value", count(static_cast<double>(s.subGroup))}, {"share", count(share)}, {"less", formatBytes(less)}, {"need", formatBytes(g.now.memory)}, {"usable", formatBytes(g.usable)}},
                   rules::patchReplace(group, "100000000"));
        }
    }
    if (g.isNumber(group) && s.offloadOptimizer == OffloadDevice::Nvme) {
        const double piece = 4 * std::min(g.trainable / g.ranks, static_cast<double>(s.subGroup));
        if (piece < 32.0 * static_cast<double>(kMiB) && g.trainable / g.ranks > 10 * static_cast<double>(s.subGroup)) {
            g.tell("plan.sub_group_small", CheckSeverity::Info, group, {{"value", count(static_cast<double>(s.subGroup))}, {"piece", formatBytes(std::llround(piece))}}, rules::patchReplace(group, "100000000"));
        }
    }
    const std::string hpz = kZero + "zero_hpz_partition_size";
    if (s.hpzPartition > 1 && g.isNumber(hpz) && s.hpzPartition != g.job.devicesPerNode) {
        const double copy = g.bytes * all / static_cast<double>(s.hpzPartition);
        const bool oneNode = g.job.nodes == 1;
        g.tell(oneNode ? "plan.hpz_one_node" : "plan.hpz_node", CheckSeverity::Warning, hpz,
               {{"value", std::to_string(s.hpzPartition)}, {"node", std::to_string(g.job.devicesPerNode)}, {"copy", formatBytes(std::llround(copy))}},
               rules::patchReplace(hpz, oneNode ? "1" : std::to_string(g.job.devicesPerNode)));
    }
}

double hiddenByOverlap(const Ground& g)
{
    const auto at = [&](bool on) {
        return g.with([on](TrainingCase& c) {
            c.settings.overlapComm = on;
            c.settings.overlapForbidden = !on;
        }).time.stepTime;
    };
    return std::max(0.0, at(false) - at(true));
}

double exchangedBytes(const Ground& g)
{
    const Traffic traffic = trafficOf(g.job, g.device);
    return traffic.bytesOf("gradients") + traffic.bytesOf("weights.");
}

void adviseTraffic(Ground& g)
{
    const DsSettings& s = g.job.settings;
    if (g.ranks < 2) return;

    const std::string overlap = kZero + "overlap_comm";
    if (s.overlapForbidden && s.stage >= 1) {
        const double hidden = hiddenByOverlap(g);
        const Score score = g.with([](TrainingCase& c) {
            c.settings.overlapComm = true;
            c.settings.overlapForbidden = false;
        });
        if (hidden > 0.03 * g.now.time.stepTime && g.fits(score, 0.95)) {
            const double buffer = s.stage < 3 && s.contiguousGradients ? g.bytes * static_cast<double>(s.reduceBucket) : 0;
            g.tell("plan.overlap_off", CheckSeverity::Info, overlap, {{"hidden", seconds(hidden)}, {"step", seconds(g.now.time.stepTime)}, {"more", formatBytes(std::llround(buffer))}},
                   rules::patchReplace(overlap, "true"));
        }
    }

    const auto word = g.workspace.dsConfig.find("communication_data_type");
    if (word != g.workspace.dsConfig.end() && word->is_string() && (*word == "fp32" || *word == "float32") && g.bytes < 4) {
        TrainingCase plain = g.job;
        plain.settings.sentBytes = 0;
        const double wide = trafficOf(g.job, g.device).bytesOf("gradients"), narrow = trafficOf(plain, g.device).bytesOf("gradients");
        const double extra = g.now.time.stepTime - g.with([](TrainingCase& c) { c.settings.sentBytes = 0; }).time.stepTime;
        if (extra > 0.02 * g.now.time.stepTime) {
            g.tell("plan.communication_fp32", CheckSeverity::Info, "/communication_data_type",
                   {{"wide", formatBytes(std::llround(wide))}, {"narrow", formatBytes(std::llround(narrow))}, {"extra", seconds(extra)}, {"step", seconds(g.now.time.stepTime)},
                    {"type", g.job.precision == Precision::Bf16 ? "bf16" : "fp16"}},
                   rules::patchReplace("/communication_data_type", g.job.precision == Precision::Bf16 ? "\"bf16\"" : "\"fp16\""));
        }
    }

    const double waits = g.now.part("communication_exposed.weights");
    if (s.stage == 3 && g.job.microBatches >= 4 && waits > 0.15 * g.now.time.stepTime && !g.told("plan.stage_large") && !g.told("plan.micro_batch_small")) {
        const double traffic = exchangedBytes(g);
        g.tell("plan.accumulation_traffic", CheckSeverity::Info, g.isNumber("/gradient_accumulation_steps") ? "/gradient_accumulation_steps" : "/zero_optimization/stage",
               {{"steps", std::to_string(g.job.microBatches)}, {"traffic", formatBytes(std::llround(traffic))}, {"waits", seconds(waits)}, {"step", seconds(g.now.time.stepTime)}});
    }
}

// A layout that nobody tells DeepSpeed of: deepspeed/runtime/engine.py divides a model's layers where autotp_size is above 1.
void adviseTensorParallel(Ground& g)
{
    const std::int64_t tp = g.job.tp;
    if (g.ours() || tp < 2 || g.job.pp > 1 || g.job.megatronCode || autoTpSize(g.workspace).value_or(1) > 1) return;
    const std::string at = "/tensor_parallel", size = std::to_string(tp);
    const nlohmann::json& config = g.workspace.dsConfig;
    const bool section = config.contains("tensor_parallel") && config["tensor_parallel"].is_object();
    g.tell("plan.autotp", CheckSeverity::Warning, section ? at : std::string(), {{"size", size}},
           !section ? rules::patchAdd(at, "{\"autotp_size\": " + size + "}") : config["tensor_parallel"].contains("autotp_size") ? rules::patchReplace(at + "/autotp_size", size) : rules::patchAdd(at + "/autotp_size", size));
}

}  // namespace stagecraft::advice
