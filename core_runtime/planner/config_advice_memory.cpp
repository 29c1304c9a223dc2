// SPDX-License-Identifier: GPL-3.0-or-later
// Stage, offload, precision and batch: what fits, and what of that is fastest.
#include "planner/config_advice_ground.h"

#include "base/units.h"
#include "planner/fit.h"
#include "planner/framework_ledger.h"
#include "planner/init_phase.h"
#include "planner/layout_faults.h"
#include "planner/traffic.h"
#include "planner/transfers.h"
#include "planner/workspace_model.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft::advice {

namespace {

struct Choice {
    int stage = 0;
    OffloadDevice optimizer = OffloadDevice::None, param = OffloadDevice::None;
    friend bool operator==(const Choice&, const Choice&) = default;
};

// From the fastest to the smallest, as in the advisor's tree.
constexpr std::array kChoices{
    Choice{1, OffloadDevice::None, OffloadDevice::None}, Choice{2, OffloadDevice::None, OffloadDevice::None}, Choice{3, OffloadDevice::None, OffloadDevice::None},
    Choice{2, OffloadDevice::Cpu, OffloadDevice::None},  Choice{3, OffloadDevice::Cpu, OffloadDevice::None},  Choice{3, OffloadDevice::Cpu, OffloadDevice::Cpu},
    Choice{3, OffloadDevice::Nvme, OffloadDevice::None}, Choice{3, OffloadDevice::Nvme, OffloadDevice::Nvme}};

/// In the ds_config's own words, so that it reads the same in every language.
std::string words(const Choice& choice)
{
    std::string text = fmt::format("\"stage\": {}", choice.stage);
    if (choice.optimizer != OffloadDevice::None) text += fmt::format(" + offload_optimizer {}", deviceWord(choice.optimizer));
    if (choice.param != OffloadDevice::None) text += fmt::format(" + offload_param {}", deviceWord(choice.param));
    return text;
}

Choice choiceOf(const Ground& g)
{
    return {g.job.settings.stage, g.job.settings.offloadOptimizer, g.job.settings.offloadParam};
}

/// Puts a choice into the ds_config; what it says of the same device already stays.
std::string patchTo(const Ground& g, const Choice& choice)
{
    const Choice mine = choiceOf(g);
    std::vector<std::pair<std::string, std::string>> values{{"stage", std::to_string(choice.stage)}};
    const auto place = [&values](const char* key, OffloadDevice device, OffloadDevice now) {
        if (device != now) values.emplace_back(key, device == OffloadDevice::None ? "" : fmt::format(R"({{"device": "{}"}})", deviceWord(device)));
    };
    place("offload_optimizer", choice.optimizer, mine.optimizer);
    place("offload_param", choice.param, mine.param);
    return g.zeroPatch(values);
}

/// Bytes that offload puts on the fullest host, as a plan counts them: what goes to files has its buffers there.
double hostBytes(const TrainingCase& c) { return static_cast<double>(needOf(c).hostPerNode); }

/// Memory of one host that trains: as the workspace says, or this machine's where its devices are meant.
std::optional<double> hostMemory(const Ground& g)
{
    const auto known = g.workspace.hardware.device == "cpu" ? std::nullopt : hostMemoryOf(g.workspace, g.context);
    return known ? std::optional(static_cast<double>(*known)) : std::nullopt;
}

/// Whether a job needs more of its hosts than such hosts commonly have, and nobody has said what they have.
bool wantsUnsaidHost(const Ground& g, const TrainingCase& c)
{
    return !hostMemory(g) && hostProbability(std::llround(hostBytes(c)), std::nullopt, commonHost(&g.device, c.devicesPerNode)) < kSurely;
}

/// Whether the ranks of a node have room for the models that they build before the first step, as a plan judges it.
bool comesToItsFirstStep(const Ground& g, const TrainingCase& c) { return buildProbability(initHostPerNode(c), hostMemoryOf(g.workspace, g.context)) >= kSurely; }

}  // namespace

namespace {

constexpr double kOfDevice = 0.95;  // part of the usable memory that an advised choice may take

/// Whether a plan of it says that it fits; our engine's own ledger has no doubt beside its peak, and leaves a twentieth.
bool certain(const Ground& g, const TrainingCase& job, const Score& score) { return g.ours() ? g.fits(score, kOfDevice) : g.surely(job); }

/// Whether the bucket that is written is what does not fit: with DeepSpeed's own size, or a tenth of it, the job would.
bool adviseBucketMemory(Ground& g)
{
    static const std::string kAt = "/zero_optimization/reduce_bucket_size";
    if (g.job.settings.stage < 1 || !g.isNumber(kAt)) return false;
    for (const std::int64_t smaller : {std::int64_t{500'000'000}, std::int64_t{50'000'000}}) {
        if (smaller >= g.job.settings.reduceBucket) continue;
        const std::string patch = g.zeroPatch({{"reduce_bucket_size", std::to_string(smaller)}});
        const auto job = g.patched(patch);
        if (!job) continue;
        const Score score = g.scored(*job);
        if (!certain(g, *job, score)) continue;
        g.tell("plan.bucket_memory", CheckSeverity::Warning, kAt,
               {{"value", formatCount(g.job.settings.reduceBucket)}, {"need", formatBytes(g.now.memory)}, {"usable", formatBytes(g.usable)}, {"buffers", formatBytes(g.now.memory - score.memory)},
                {"better", std::to_string(smaller)}, {"takes", formatBytes(score.memory)}},
               patch);
        return true;
    }
    return false;
}

/// A stage and an offload under which the job does not fit.
struct Tried {
    Choice choice;
    TrainingCase job;
    std::int64_t memory = 0;  ///< of the fullest device
};

/// What makes a choice fit that does not as the job is written: activations made again, smaller micro-batches with more of them in a step,
/// or both.
struct Relief {
    const Tried* of = nullptr;
    bool remade = false;
    std::int64_t micro = 0, accumulation = 0;   ///< 0 = as they are
    Score score;
};

/// The job under a choice with micro-batches of another size, as many more of them in a step: with what accumulation adds, where there was none.
std::optional<TrainingCase> inMicroBatches(const Ground& g, const Choice& choice, std::int64_t micro, std::int64_t accumulation)
{
    nlohmann::json patch = nlohmann::json::parse(patchTo(g, choice));
    patch.push_back({{"op", "add"}, {"path", "/train_micro_batch_size_per_gpu"}, {"value", micro}});
    patch.push_back({{"op", "add"}, {"path", "/gradient_accumulation_steps"}, {"value", accumulation}});
    return g.patched(patch.dump());
}

/// The fastest that surely fits with a relief, at the same global batch.
std::optional<Relief> fastestRelief(Ground& g, const std::vector<Tried>& tried)
{
    std::optional<Relief> best;
    for (const Tried& one : tried) {
        for (const bool remade : {false, true}) {
            if (remade && one.job.policy == ActivationPolicy::Full) continue;
            // Halved, and where that ends sample by sample.
            for (std::int64_t micro = one.job.microBatch; micro >= 1; micro = micro == 1 ? 0 : micro % 2 == 0 ? micro / 2 : 1) {
                const bool smaller = micro != one.job.microBatch;
                if (!remade && !smaller) continue;
                const std::int64_t accumulation = one.job.microBatches * (one.job.microBatch / micro);
                auto job = smaller ? inMicroBatches(g, one.choice, micro, accumulation) : std::optional(one.job);
                if (!job || job->microBatch != micro) continue;
                if (remade) job->policy = ActivationPolicy::Full;
                const Score score = g.scored(*job);
                if (!certain(g, *job, score)) continue;
                if (!best || score.time.stepTime < best->score.time.stepTime) best = Relief{&one, remade, smaller ? micro : 0, smaller ? accumulation : 0, score};
                break;   // still smaller ones are slower
            }
        }
    }
    return best;
}

std::string textOf(const Ground& g, const Relief& relief)
{
    const char* message = relief.micro == 0 ? "plan.nothing_fits.recompute" : relief.remade ? "plan.nothing_fits.both" : "plan.nothing_fits.micro";
    return rules::messageText(g.language, message, {{"takes", formatBytes(relief.score.memory)}, {"micro", std::to_string(relief.micro)}, {"accumulation", std::to_string(relief.accumulation)}, {"then", seconds(relief.score.time.stepTime)}});
}

/// The job at its smallest under a choice.
TrainingCase leastOf(const Tried& one)
{
    TrainingCase job = one.job;
    job.policy = ActivationPolicy::Full;
    job.microBatch = 1;
    return job;
}

/// What stands in the way of the choice that comes nearest: the host where the device has room, else the device.
std::string lackOf(Ground& g, const Tried& nearest)
{
    const TrainingCase least = leastOf(nearest);
    const Score score = g.scored(least);
    if (g.fits(score, kOfDevice)) {
        const std::int64_t onHost = std::llround(hostBytes(least));
        if (const auto host = hostMemory(g); host && hostProbability(onHost, std::llround(*host)) < kSurely)
            return rules::messageText(g.language, "plan.nothing_fits.host", {{"need", formatBytes(onHost)}, {"memory", formatBytes(std::llround(*host))}});
        if (wantsUnsaidHost(g, least)) return rules::messageText(g.language, "plan.nothing_fits.host.unsaid", {{"need", formatBytes(onHost)}});
    }
    return rules::messageText(g.language, g.fits(score, 1.0) ? "plan.nothing_fits.tight" : "plan.nothing_fits.more", {{"takes", formatBytes(score.memory)}, {"usable", formatBytes(g.usable)}});
}

/// @param relief  the fastest of `tried`, where there is one
void tellNothingFits(Ground& g, const std::vector<Tried>& tried, const std::optional<Relief>& relief)
{
    // None can be run at all: what stands in the way is told where the plan tells it.
    if (tried.empty()) return;
    // The nearest is the one that needs the least once everything else is at its smallest: what is left to do is said of it.
    const auto atLeast = [](const Tried& one) { return needOf(leastOf(one)).process; };
    const Tried& nearest = relief ? *relief->of : *std::min_element(tried.begin(), tried.end(), [&](const Tried& a, const Tried& b) { return atLeast(a) < atLeast(b); });
    std::string all;
    for (const Tried& one : tried) all += (all.empty() ? "" : "; ") + words(one.choice);
    const std::string reason = relief ? textOf(g, *relief) : lackOf(g, nearest);
    const rules::MessageArguments arguments{{"need", formatBytes(g.now.memory)}, {"usable", formatBytes(g.usable)}, {"micro", std::to_string(g.job.microBatch)}, {"words", all},
                                            {"nearest", words(nearest.choice)}, {"takes", formatBytes(nearest.memory)}, {"reason", reason}};
    g.tell("plan.nothing_fits", CheckSeverity::Warning, "/train_micro_batch_size_per_gpu", arguments);
    if (relief) g.findings.back().message = rules::messageText(g.language, "plan.nothing_fits.relieved", arguments);
}

/// What also fits, moves less off the devices than `than`, and takes less time: activations made again, or smaller micro-batches. Empty where
/// neither does.
std::string insteadOf(Ground& g, const Choice& than, const Score& offloaded)
{
    std::vector<Tried> less;
    for (const Choice& choice : kChoices) {
        if (choice == than) break;
        if (g.job.pp > 1 && choice.stage > 1) continue;
        auto job = g.patched(patchTo(g, choice));
        if (job && !layoutIsRefused(*job) && comesToItsFirstStep(g, *job)) less.push_back({choice, std::move(*job), 0});
    }
    const auto best = fastestRelief(g, less);
    if (!best || best->score.time.stepTime >= 0.98 * offloaded.time.stepTime) return {};
    const bool away = best->of->choice.optimizer != OffloadDevice::None;
    const char* how = best->micro == 0 ? "recompute" : best->remade ? "both" : "micro";
    return rules::messageText(g.language, std::string("plan.stage.instead.") + (away ? "less." : "") + how,
                              {{"words", words(best->of->choice)}, {"takes", formatBytes(best->score.memory)}, {"then", seconds(best->score.time.stepTime)}, {"slow", seconds(offloaded.time.stepTime)},
                               {"micro", std::to_string(best->micro)}, {"accumulation", std::to_string(best->accumulation)}});
}

}  // namespace

namespace {

/// A choice that fits, or may, more likely than not.
struct Fitting {
    Tried tried;
    Score score;
    std::string patch;
    double odds = 0;
};

struct Found {
    std::optional<Fitting> sure;      ///< the fastest
    std::optional<Fitting> perhaps;   ///< the likeliest where nothing surely fits
    std::vector<Tried> tried;         ///< what does not surely fit
};

/// Looks through the stages and offloads for one under which the job fits as it is written. @param below  bytes: those that take as much on a device are left out
Found lookForChoice(Ground& g, std::int64_t below = std::numeric_limits<std::int64_t>::max())
{
    Found found;
    for (const Choice& choice : kChoices) {
        if ((g.job.pp > 1 && choice.stage > 1) || (g.ours() && choice.optimizer != OffloadDevice::None)) continue;   // our engine does not offload
        const std::string patch = patchTo(g, choice);
        auto job = g.patched(patch);
        if (!job || layoutIsRefused(*job)) continue;
        const Score score = g.scored(*job);
        if (score.memory >= below) continue;
        if (certain(g, *job, score)) {
            if (!found.sure || score.time.stepTime < found.sure->score.time.stepTime) found.sure = Fitting{{choice, *job, score.memory}, score, patch, 1};
            continue;
        }
        if (!g.ours() && comesToItsFirstStep(g, *job)) {
            const double odds = g.probability(*job);
            if (odds >= kEvenOdds && (!found.perhaps || odds > found.perhaps->odds)) found.perhaps = Fitting{{choice, *job, score.memory}, score, patch, odds};
        }
        found.tried.push_back({choice, std::move(*job), score.memory});
    }
    return found;
}

/// Says that the hosts have no room for what is offloaded, and what has.
void tellHostMemory(Ground& g, const std::string& pointer, double host)
{
    const Found found = lookForChoice(g);
    const auto relief = found.sure ? std::nullopt : fastestRelief(g, found.tried);
    std::string reason, fix;
    if (found.sure) {
        const Tried& other = found.sure->tried;
        reason = rules::messageText(g.language, "plan.host_memory.other", {{"other", words(other.choice)}, {"takes", formatBytes(other.memory)}, {"onHost", formatBytes(std::llround(hostBytes(other.job)))}});
        if (other.choice.optimizer != OffloadDevice::None) reason += insteadOf(g, other.choice, found.sure->score);
        if (other.choice.optimizer != OffloadDevice::Nvme) fix = found.sure->patch;
    } else if (relief) {
        reason = rules::messageText(g.language, "plan.host_memory.relief", {{"other", words(relief->of->choice)}}) + textOf(g, *relief);
    } else {
        reason = rules::messageText(g.language, "plan.host_memory.more", {});
    }
    g.tell("plan.host_memory", CheckSeverity::Warning, pointer, {{"need", formatBytes(std::llround(hostBytes(g.job)))}, {"host", formatBytes(std::llround(host))}, {"reason", reason}}, fix);
}

/// Whether the device may have too little though the forecast stays within it, as the plan says.
bool isTight(const Ground& g) { return !g.ours() && probabilityWithin(g.job, needOf(g.job).least, g.usable) < kSurely; }

/// Says that the job wants memory, and which choice has room for it. @param doubt  what is unsure of that, a sentence
void tellStage(Ground& g, const Tried& better, const Score& score, const std::string& patch, const std::string& doubt = {})
{
    // A path on this machine's disks is not ours to make up.
    const std::string fix = better.choice.optimizer == OffloadDevice::Nvme ? std::string() : patch;
    // As the plan says it: beyond its doubt, or within.
    const bool surely = verdictOf(probabilityWithin(g.job, g.now.memory, g.usable)) == Fit::Verdict::No;
    g.tell(surely ? "plan.stage_small" : "plan.stage_tight", CheckSeverity::Warning, "/zero_optimization/stage",
           {{"now", words(choiceOf(g))}, {"need", formatBytes(g.now.memory)}, {"usable", formatBytes(g.usable)}, {"other", words(better.choice)}, {"takes", formatBytes(better.memory)}}, fix);
    g.findings.back().message += doubt;
    if (better.choice.optimizer != OffloadDevice::None) g.findings.back().message += insteadOf(g, better.choice, score);
}

}  // namespace

void adviseStage(Ground& g)
{
    const int stage = g.job.settings.stage;
    const bool over = g.now.memory > g.usable;
    if (g.usable > 0 && (over || isTight(g))) {
        if (over && !g.ours() && adviseBucketMemory(g)) return;
        const Found found = lookForChoice(g, over ? std::numeric_limits<std::int64_t>::max() : g.now.memory - g.now.memory / 50);   // what is told for more room leaves more, in the figures that are shown too
        if (found.sure) {
            tellStage(g, found.sure->tried, found.sure->score, found.sure->patch);
            return;
        }
        if (!over) return;   // the plan says how likely it fits, and nothing surely does
        const auto relief = fastestRelief(g, found.tried);
        if (const auto& perhaps = found.perhaps; perhaps && !relief) {
            const Tried& tried = perhaps->tried;
            const bool unsaid = tried.choice.optimizer != OffloadDevice::None && wantsUnsaidHost(g, tried.job);
            tellStage(g, tried, perhaps->score, perhaps->patch,
                      rules::messageText(g.language, unsaid ? "plan.stage.perhaps.host" : "plan.stage.perhaps", {{"odds", fmt::format("{:.2f}", perhaps->odds)}, {"host", formatBytes(std::llround(hostBytes(tried.job)))}}));
        } else {
            tellNothingFits(g, found.tried, relief);
        }
        return;
    }
    if (stage < 2 || g.ranks < 2 || choiceOf(g).param != OffloadDevice::None) return;
    std::optional<std::pair<int, Score>> best;
    for (int other = 1; other < stage; ++other) {
        const auto job = g.patched(g.zeroPatch({{"stage", std::to_string(other)}}));
        if (!job || !comesToItsFirstStep(g, *job)) continue;
        const Score score = g.scored(*job);
        if (g.fits(score, kSpare) && g.surely(*job) && (!best || score.time.stepTime < best->second.time.stepTime)) best = {other, score};
    }
    if (!best) return;
    const double saved = g.now.time.stepTime - best->second.time.stepTime;
    if (saved < 0.03 * g.now.time.stepTime) return;
    // The sentence about stage 2 is of its gradients alone.
    const Traffic sent = trafficOf(g.job, g.device);
    const double traffic = sent.bytesOf("gradients") + (stage == 3 ? sent.bytesOf("weights.") : 0.0);
    g.tell(stage == 3 ? "plan.stage_large" : "plan.stage_2_reduces", CheckSeverity::Info, "/zero_optimization/stage",
           {{"now", seconds(g.now.time.stepTime)}, {"other", std::to_string(best->first)}, {"then", seconds(best->second.time.stepTime)}, {"less", percent(saved, g.now.time.stepTime)},
            {"takes", formatBytes(best->second.memory)}, {"usable", formatBytes(g.usable)}, {"traffic", formatBytes(std::llround(traffic))}, {"steps", std::to_string(g.job.microBatches)}},
           g.zeroPatch({{"stage", std::to_string(best->first)}}));
}

void adviseOffload(Ground& g)
{
    if (g.ours()) return;
    const DsSettings& s = g.job.settings;
    const bool optimizer = s.offloadOptimizer != OffloadDevice::None;
    const bool param = s.offloadParam != OffloadDevice::None && s.stage == 3;
    if (!optimizer && !param) return;
    const std::string block = optimizer ? "offload_optimizer" : "offload_param";
    const auto needless = [&](bool dropOptimizer, bool dropParam) {
        std::vector<std::pair<std::string, std::string>> values;
        std::string keys;
        if (dropOptimizer) {
            values.emplace_back("offload_optimizer", "");
            keys = "offload_optimizer";
        }
        if (dropParam) {
            values.emplace_back("offload_param", "");
            keys += keys.empty() ? "offload_param" : " + offload_param";
        }
        const std::string patch = g.zeroPatch(values);
        const auto job = g.patched(patch);
        if (!job) return false;
        const Score score = g.scored(*job);
        const double saved = g.now.time.stepTime - score.time.stepTime;
        if (!g.fits(score, kSpare) || !g.surely(*job) || saved < 0.05 * g.now.time.stepTime) return false;
        g.tell("plan.offload_needless", CheckSeverity::Info, "/zero_optimization/" + values.front().first,
               {{"keys", keys}, {"now", seconds(g.now.time.stepTime)}, {"then", seconds(score.time.stepTime)}, {"less", percent(saved, g.now.time.stepTime)},
                {"takes", formatBytes(score.memory)}, {"usable", formatBytes(g.usable)}},
               patch);
        return true;
    };
    if (!needless(optimizer, param) && optimizer && param) needless(false, true);

    const double need = hostBytes(g.job);
    if (const auto host = hostMemory(g)) {
        if (need > *host) {
            tellHostMemory(g, "/zero_optimization/" + block, *host);
        } else if (s.pinMemory && need > 0.7 * *host) {
            const std::string at = "/zero_optimization/" + block + "/pin_memory";
            g.tell("plan.pinned_memory", CheckSeverity::Warning, at, {{"need", formatBytes(std::llround(need))}, {"host", formatBytes(std::llround(*host))}}, g.isWritten(at) ? rules::patchReplace(at, "false") : std::string());
        }
    } else if (g.device.id != "cpu" && wantsUnsaidHost(g, g.job)) {
        g.tell("plan.host_memory.unsaid", CheckSeverity::Warning, "/zero_optimization/" + block, {{"need", formatBytes(std::llround(need))}});
    }

    if (s.stage == 3 && (s.offloadOptimizer == OffloadDevice::Nvme || s.offloadParam == OffloadDevice::Nvme)) {
        const double moved = trafficOf(g.job, g.device).bytesOf("files.") * static_cast<double>(g.job.devicesPerNode);
        const double computing = g.now.part("compute");
        const FileRates rates = fileRates(g.job);
        const double disks = 2 / (1 / rates.read + 1 / rates.write) * static_cast<double>(std::max<std::int64_t>(1, g.job.devicesPerNode));
        if (computing > 0 && moved / computing > 1.5 * disks) {
            const auto toHost = [](OffloadDevice device) { return device == OffloadDevice::Nvme ? OffloadDevice::Cpu : device; };
            const auto job = g.patched(patchTo(g, {s.stage, toHost(s.offloadOptimizer), toHost(s.offloadParam)}));
            const Score onHost = job ? g.scored(*job) : Score{};
            const bool room = job && !layoutIsRefused(*job) && certain(g, *job, onHost) && comesToItsFirstStep(g, *job) && onHost.time.stepTime < g.now.time.stepTime;
            g.tell("plan.nvme_rate", CheckSeverity::Warning, "/zero_optimization/" + block,
                   {{"moved", formatBytes(std::llround(moved))}, {"computing", seconds(computing)}, {"rate", fmt::format("{:.3g} GB/s", moved / computing / 1e9)}, {"disks", fmt::format("{:.3g} GB/s", disks / 1e9)},
                    {"step", seconds(g.now.time.stepTime)}, {"reason", room ? rules::messageText(g.language, "plan.nvme_rate.cpu", {{"then", seconds(onHost.time.stepTime)}}) : std::string()}});
        }
    }
}

void advisePrecision(Ground& g)
{
    const bool bf16 = g.device.peak.contains("bf16");
    const auto peak = [&](const char* type) { return fmt::format("{:.3g} TFLOP/s", g.device.peakFor(type) / 1e12); };
    if (g.job.precision == Precision::Bf16 && !bf16) {
        const std::string at = g.workspace.dsConfig.contains("bf16") ? "/bf16/enabled" : "/bfloat16/enabled";
        const bool section = g.workspace.dsConfig.contains("fp16") && g.workspace.dsConfig["fp16"].is_object();
        nlohmann::json fix = {{{"op", "replace"}, {"path", at}, {"value", false}}};
        if (section) fix.push_back({{"op", "add"}, {"path", "/fp16/enabled"}, {"value", true}});
        else fix.push_back({{"op", "add"}, {"path", "/fp16"}, {"value", {{"enabled", true}}}});
        g.tell("plan.bf16_missing", CheckSeverity::Warning, at, {{"device", g.device.id}, {"fp16", peak("fp16")}, {"fp32", peak("fp32")}}, fix.dump());
    } else if (g.job.precision == Precision::Fp16 && bf16 && g.device.peakFor("bf16") >= 0.95 * g.device.peakFor("fp16")) {
        const bool section = g.workspace.dsConfig.contains("bf16") && g.workspace.dsConfig["bf16"].is_object();
        nlohmann::json fix = {{{"op", "replace"}, {"path", "/fp16/enabled"}, {"value", false}}};
        if (section) fix.push_back({{"op", "add"}, {"path", "/bf16/enabled"}, {"value", true}});
        else fix.push_back({{"op", "add"}, {"path", "/bf16"}, {"value", {{"enabled", true}}}});
        g.tell("plan.fp16_for_bf16", CheckSeverity::Info, "/fp16/enabled", {{"device", g.device.id}, {"peak", peak("bf16")}}, fix.dump());
    } else if (g.job.products() == Precision::Fp32 && g.device.id != "cpu" && (bf16 || !g.ours())) {
        const char* type = bf16 ? "bf16" : "fp16";
        const Score score = g.with([&](TrainingCase& c) {
            c.precision = bf16 ? Precision::Bf16 : Precision::Fp16;
            c.settings.precision = c.precision;
        });
        const double saved = g.now.time.stepTime - score.time.stepTime;
        // "auto" is the launcher's to fill, and autocast keeps fp32 weights on purpose.
        const auto waits = [&](const char* key) { return g.workspace.dsConfig.contains(key) && g.workspace.dsConfig[key].is_object() && g.workspace.dsConfig[key].value("enabled", nlohmann::json()) == "auto"; };
        if (saved < 0.2 * g.now.time.stepTime || waits("fp16") || waits("bf16") || waits("bfloat16") || g.workspace.dsConfig.contains("amp")) return;
        const bool section = g.workspace.dsConfig.contains(type) && g.workspace.dsConfig[type].is_object();
        g.tell("plan.fp32", CheckSeverity::Info, section ? std::string("/") + type + "/enabled" : std::string(),
               {{"type", type}, {"now", seconds(g.now.time.stepTime)}, {"then", seconds(score.time.stepTime)}, {"need", formatBytes(g.now.memory)}, {"takes", formatBytes(score.memory)}},
               section ? rules::patchAdd(std::string("/") + type + "/enabled", "true") : rules::patchAdd(std::string("/") + type, R"({"enabled": true})"));
    }
}

void adviseBatch(Ground& g)
{
    if (g.job.microBatch != 1 || g.job.microBatches < 2 || g.job.pp > 1 || !g.isNumber("/train_micro_batch_size_per_gpu")) return;
    std::optional<std::pair<std::int64_t, Score>> best;
    for (std::int64_t micro = 2; micro <= g.job.microBatches && g.job.microBatches % micro == 0; micro *= 2) {
        TrainingCase larger = g.job;
        larger.microBatch = micro;
        larger.microBatches = g.job.microBatches / micro;
        const Score score = g.scored(larger);
        if (!g.fits(score, 0.85) || !g.surely(larger)) break;
        best = {micro, score};
    }
    if (!best) return;
    const double saved = g.now.time.stepTime - best->second.time.stepTime;
    if (saved < 0.05 * g.now.time.stepTime) return;
    nlohmann::json fix = {{{"op", "replace"}, {"path", "/train_micro_batch_size_per_gpu"}, {"value", best->first}}};
    const std::int64_t steps = g.job.microBatches / best->first;
    if (g.isNumber("/gradient_accumulation_steps")) fix.push_back({{"op", "replace"}, {"path", "/gradient_accumulation_steps"}, {"value", steps}});
    g.tell("plan.micro_batch_small", CheckSeverity::Info, "/train_micro_batch_size_per_gpu",
           {{"need", formatBytes(g.now.memory)}, {"usable", formatBytes(g.usable)}, {"micro", std::to_string(best->first)}, {"steps", std::to_string(steps)}, {"takes", formatBytes(best->second.memory)},
            {"now", seconds(g.now.time.stepTime)}, {"then", seconds(best->second.time.stepTime)}, {"less", percent(saved, g.now.time.stepTime)}},
           fix.dump());
}

}  // namespace stagecraft::advice
