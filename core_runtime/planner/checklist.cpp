// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/checklist.h"

#include "base/units.h"
#include "planner/config_advice_ground.h"
#include "planner/transfers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace stagecraft {

namespace {

using advice::Ground;
using Verdict = ChecklistItem::Verdict;

const std::string kZero = "/zero_optimization";

/// Fills the items in. Without a ground only what the text itself says is known.
class Practices {
public:
    Practices(const Workspace& workspace, const Ground* ground, std::string language, const PracticeSight& sight)
        : m_workspace(workspace), m_ground(ground), m_language(std::move(language)), m_sight(sight)
    {
    }

    std::vector<ChecklistItem> all()
    {
        stage();
        offload();
        overlap();
        precision();
        recompute();
        bucket();
        clock();
        gather();
        for (ChecklistItem& item : m_items) {
            if (m_sight.check) heed(item, *m_sight.check);
        }
        return std::move(m_items);
    }

private:
    std::string text(const std::string& id, const rules::MessageArguments& arguments = {}) const { return rules::messageText(m_language, "practice." + id, arguments); }

    ChecklistItem& add(const char* id, Verdict verdict, const std::string& pointer, const std::string& reason, const std::string& fix = {})
    {
        return m_items.emplace_back(ChecklistItem{id, verdict, text(id), reason, pointer, fix});
    }

    /// What the check says about the item, or its key, comes before what the numbers say.
    void heed(ChecklistItem& item, const CheckAnswer& check) const
    {
        // An optimizer may come from the script; all else that refuses the file stands in it.
        // A practice that the file alone decides rests on its own section; the others on the plan, which a refused file has none of.
        const bool ofItsSection = item.id == "clock" || item.id == "gather";
        const std::string section = item.pointer.substr(0, item.pointer.find('/', 1));
        const auto refuses = [&](const CheckFinding& finding) {
            return finding.severity == CheckSeverity::Error && finding.effect == CheckEffect::Refused && finding.rule != "R31" && (!ofItsSection || finding.pointer.empty() || (finding.pointer + "/").starts_with(section + "/"));
        };
        if (!check.ok && std::any_of(check.findings.begin(), check.findings.end(), refuses)) {
            item.verdict = Verdict::Unknown;
            item.reason = text("refused", {{"release", check.release}});
            item.fix.clear();
            return;
        }
        const auto isAbout = [&item](const CheckFinding& finding) {
            const bool changes = finding.effect == CheckEffect::Ignored || finding.effect == CheckEffect::Changed;
            return changes && finding.severity != CheckSeverity::Info && !finding.rule.starts_with("plan.") && !finding.pointer.empty() && (item.pointer + "/").starts_with(finding.pointer + "/");
        };
        const auto found = std::find_if(check.findings.begin(), check.findings.end(), isAbout);
        if (found == check.findings.end()) return;
        item.verdict = Verdict::NotFollowed;
        item.pointer = found->pointer;
        item.reason = found->message;
        item.fix = found->fix;
    }

    /// The item as the first of these rules of the advice speaks against it. @return whether one does
    bool advised(const char* id, std::initializer_list<std::string_view> rulesOfIt)
    {
        for (const CheckFinding& finding : m_ground->findings)
            if (std::find(rulesOfIt.begin(), rulesOfIt.end(), finding.rule) != rulesOfIt.end()) {
                add(id, Verdict::NotFollowed, finding.pointer, finding.message, finding.fix);
                return true;
            }
        return false;
    }

    bool unknown(const char* id, const std::string& pointer)
    {
        if (m_ground) return false;
        add(id, Verdict::Unknown, pointer, text(m_sight.assumed ? "assumed" : "unknown"));
        return true;
    }

    const nlohmann::json* valueAt(const std::string& pointer) const
    {
        const nlohmann::json::json_pointer at(pointer);
        return m_workspace.dsConfig.contains(at) ? &m_workspace.dsConfig.at(at) : nullptr;
    }

    /// Patch that sets `key` of zero_optimization to true.
    std::string turnOn(const char* key) const
    {
        const nlohmann::json* zero = valueAt(kZero);
        return zero && zero->is_object() ? rules::patchAdd(kZero + "/" + key, "true") : std::string();
    }

    rules::MessageArguments needs() const
    {
        return {{"stage", std::to_string(m_ground->job.settings.stage)}, {"need", formatBytes(m_ground->now.memory)},
                {"usable", formatBytes(m_ground->usable)}, {"step", advice::seconds(m_ground->now.time.stepTime)}};
    }

    void stage()
    {
        const std::string pointer = kZero + "/stage";
        if (unknown("stage", pointer) || advised("stage", {"plan.stage_small", "plan.stage_tight", "plan.nothing_fits", "plan.stage_large", "plan.stage_2_reduces"})) return;
        if (m_ground->usable > 0 && m_ground->now.memory > m_ground->usable) add("stage", Verdict::NotFollowed, pointer, text("stage.over", needs()));
        else if (m_ground->ranks < 2) add("stage", Verdict::NotNeeded, pointer, text("stage.alone"));
        else add("stage", Verdict::Followed, pointer, text("stage.fits", needs()));
    }

    void offload()
    {
        const std::string pointer = kZero + "/offload_optimizer";
        if (unknown("offload", pointer) || advised("offload", {"plan.offload_needless", "plan.host_memory", "plan.pinned_memory", "plan.nvme_rate"})) return;
        const DsSettings& s = m_ground->job.settings;
        const bool any = s.offloadOptimizer != OffloadDevice::None || (s.offloadParam != OffloadDevice::None && s.stage == 3);
        add("offload", Verdict::Followed, pointer, text(any ? "offload.needed" : "offload.none", needs()));
    }

    void overlap()
    {
        const std::string pointer = kZero + "/overlap_comm";
        if (unknown("overlap", pointer) || advised("overlap", {"plan.overlap_off"})) return;
        const DsSettings& s = m_ground->job.settings;
        if (m_ground->ranks < 2 || s.stage == 0) {
            add("overlap", Verdict::NotNeeded, pointer, text(s.stage == 0 ? "overlap.stage_0" : "overlap.alone"));
            return;
        }
        // Stage 3 overlaps unless told not to; a pipeline never does.
        if (reducesBesides(m_ground->job) || (s.stage == 3 && !s.overlapForbidden)) {
            add("overlap", Verdict::Followed, pointer, text(valueAt(pointer) ? "overlap.on" : "overlap.default", needs()));
            return;
        }
        const double hidden = advice::hiddenByOverlap(*m_ground);
        const rules::MessageArguments gain{{"hidden", advice::seconds(hidden)}, {"step", advice::seconds(m_ground->now.time.stepTime)}, {"stage", std::to_string(s.stage)}};
        // As with the advice: less than 3 % of a step is within the model's own error.
        if (hidden > 0.03 * m_ground->now.time.stepTime) add("overlap", Verdict::NotFollowed, pointer, text("overlap.off", gain), turnOn("overlap_comm"));
        else add("overlap", Verdict::NotNeeded, pointer, text("overlap.little", gain));
    }

    void precision()
    {
        if (unknown("precision", "/bf16/enabled") || advised("precision", {"plan.bf16_missing", "plan.fp16_for_bf16", "plan.fp32"})) return;
        const rules::MessageArguments device{{"device", m_ground->device.id}};
        const bool autocasts = m_ground->job.autocasts();
        switch (m_ground->job.products()) {
        case Precision::Bf16: add("precision", Verdict::Followed, autocasts ? "/torch_autocast/dtype" : "/bf16/enabled", text("precision.bf16", device)); break;
        case Precision::Fp16: add("precision", Verdict::NotNeeded, autocasts ? "/torch_autocast/dtype" : "/fp16/enabled", text("precision.fp16", device)); break;
        case Precision::Fp32: add("precision", Verdict::NotNeeded, "/bf16/enabled", text("precision.fp32", device)); break;
        }
    }

    void recompute()
    {
        const char* pointer = "layout.recompute";
        if (unknown("recompute", pointer)) return;
        const bool on = m_ground->job.policy != ActivationPolicy::None;
        const advice::Score other = m_ground->with([on](TrainingCase& c) {
            c.policy = on ? ActivationPolicy::None : ActivationPolicy::Full;
            c.policyLayers = 1;
        });
        const rules::MessageArguments compared{{"need", formatBytes(m_ground->now.memory)}, {"usable", formatBytes(m_ground->usable)}, {"takes", formatBytes(other.memory)},
                                               {"now", advice::seconds(m_ground->now.time.stepTime)}, {"then", advice::seconds(other.time.stepTime)}};
        if (m_ground->usable <= 0) add("recompute", Verdict::Unknown, pointer, text("unknown"));
        else if (on && m_ground->fits(other, advice::kSpare)) add("recompute", Verdict::NotFollowed, pointer, text("recompute.needless", compared));
        else if (on) add("recompute", Verdict::Followed, pointer, text("recompute.on", compared));
        else if (m_ground->fits(m_ground->now, 1.0)) add("recompute", Verdict::NotNeeded, pointer, text("recompute.fits", compared));
        else add("recompute", Verdict::NotFollowed, pointer, text("recompute.off", compared));
    }

    void bucket()
    {
        const std::string pointer = kZero + "/reduce_bucket_size";
        if (unknown("bucket", pointer) || advised("bucket", {"plan.bucket_small", "plan.bucket_large"})) return;
        const DsSettings& s = m_ground->job.settings;
        if (m_ground->ranks < 2 || s.stage == 0) {
            add("bucket", Verdict::NotNeeded, pointer, text(s.stage == 0 ? "bucket.stage_0" : "overlap.alone"));
            return;
        }
        double reductions = 0;
        for (const ParameterGroup& group : parameterGroups(m_ground->job, 0, layersOfStages(m_ground->job).front()))
            if (group.trained && group.replicas() > 1) reductions += bucketReductions(m_ground->job, group, static_cast<double>(s.reduceBucket));
        add("bucket", Verdict::Followed, pointer, text("bucket.fits", {{"value", formatCount(s.reduceBucket)}, {"params", formatCount(std::llround(m_ground->trainable))}, {"calls", formatCount(std::llround(reductions))}}));
    }

    void clock()
    {
        const std::string pointer = "/wall_clock_breakdown";
        const nlohmann::json* value = valueAt(pointer);
        if (m_workspace.framework.name == "stagecraft") add("clock", Verdict::NotNeeded, pointer, text("clock.ours"));
        else if (value && *value == true) add("clock", Verdict::Followed, pointer, text("clock.on"));
        else add("clock", Verdict::NotFollowed, pointer, text("clock.off"), m_workspace.dsConfig.is_object() ? rules::patchAdd(pointer, "true") : std::string());
    }

    void gather()
    {
        const std::string pointer = kZero + "/stage3_gather_16bit_weights_on_model_save";
        const nlohmann::json* stage = valueAt(kZero + "/stage");
        if (!stage || *stage != 3) {
            add("gather", Verdict::NotNeeded, pointer, text("gather.stage"));
            return;
        }
        if (m_workspace.framework.name == "stagecraft") {
            add("gather", Verdict::NotNeeded, pointer, text("gather.ours"));
            return;
        }
        const nlohmann::json* value = valueAt(pointer);
        for (const char* alias : {"/gather_16bit_weights_on_model_save", "/stage3_gather_fp16_weights_on_model_save"})
            if (!value) value = valueAt(kZero + alias);
        if (value && *value == true) {
            add("gather", Verdict::Followed, pointer, m_ground ? text("gather.on", {{"bytes", formatBytes(std::llround(2 * static_cast<double>(m_ground->job.model.params)))}}) : text("gather.on_unknown"));
            return;
        }
        add("gather", Verdict::NotFollowed, pointer, text("gather.off"), turnOn("stage3_gather_16bit_weights_on_model_save"));
    }

    const Workspace& m_workspace;
    const Ground* m_ground;
    std::string m_language;
    const PracticeSight& m_sight;
    std::vector<ChecklistItem> m_items;
};

/// The workspace with the values that DeepSpeed works with in the place of those it changes.
Workspace asResolved(Workspace workspace, const CheckAnswer& check)
{
    for (const ChangedValue& changed : check.changed) {
        const nlohmann::json::json_pointer at(changed.pointer);
        const auto value = nlohmann::json::parse(changed.json, nullptr, false);
        if (!value.is_discarded() && workspace.dsConfig.contains(at)) workspace.dsConfig[at] = value;
    }
    return workspace;
}

}  // namespace

std::vector<ChecklistItem> checkPractices(const Workspace& workspace, const PlanContext& context, const std::string& language, const PracticeSight& sight)
{
    const bool reads = workspace.framework.name != "fsdp2" && workspace.framework.name != "megatron";
    const PracticeSight seen{sight.assumed, reads ? sight.check : nullptr};
    const Workspace resolved = advice::meantWorkspace(seen.check ? asResolved(workspace, *seen.check) : workspace, context);
    auto ground = seen.assumed ? std::nullopt : advice::groundOf(resolved, context, language);
    if (ground) advice::adviseAll(*ground);
    return Practices(resolved, ground ? &*ground : nullptr, language, seen).all();
}

const char* checklistVerdictName(ChecklistItem::Verdict verdict)
{
    switch (verdict) {
    case Verdict::Followed: return "followed";
    case Verdict::NotFollowed: return "not_followed";
    case Verdict::NotNeeded: return "not_needed";
    case Verdict::Unknown: break;
    }
    return "unknown";
}

}  // namespace stagecraft
