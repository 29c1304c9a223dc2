// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/stage_options.h"

#include "base/units.h"
#include "planner/ledger.h"
#include "planner/model_states.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

// Bytes on the device per parameter, as a whole and per rank: whole + shared / N.
struct PerParameter {
    double whole, shared;
};

// @param away  part of the optimizer that lies elsewhere, where it is offloaded at all: the rest stays, with its gradients in fp32
PerParameter perParameter(const StageChoice& choice, const DsSettings& s, double away)
{
    const bool mixed = s.precision != Precision::Fp32;
    const double weight = mixed ? 2 : 4;
    const double gradient = mixed && !s.fp32Gradients ? 2 : 4;
    const double optimizer = s.stateBytes + (mixed ? s.masterBytes : 0);
    PerParameter p{0, 0};
    if (choice.param == OffloadDevice::None) (choice.stage >= 3 ? p.shared : p.whole) += weight;
    if (choice.optimizer == OffloadDevice::None) {
        (choice.stage >= 2 ? p.shared : p.whole) += gradient;
        (choice.stage >= 1 ? p.shared : p.whole) += optimizer;
    } else {
        p.shared += (1 - away) * (s.masterBytes + optimizer);
    }
    return p;
}

}  // namespace

Weighed weigh(const CountedModel& model, const DsSettings& settings, const LayoutSection& layout)
{
    Weighed out;
    const double all = static_cast<double>(*model.params);
    const bool adapted = model.shape && model.shape->part.partly;
    out.wholeTrained = adapted && model.trainable ? static_cast<double>(*model.trainable) : all;
    out.wholeFrozen = all - out.wholeTrained;
    const double share = static_cast<double>(layout.tp) * layout.pp;
    out.sharedTrained = out.trained = out.wholeTrained / share;
    out.sharedFrozen = out.frozen = out.wholeFrozen / share;
    if (model.shape && model.shape->experts > 0 && layout.ep > 1) {
        // A rank holds 1 / ep of the experts, which N / ep ranks share: divided by N in the end, like the rest.
        const double experts = static_cast<double>((model.shape->layers - model.shape->denseLayers) * model.shape->layerExperts) / share;
        const double gone = experts * (1.0 - 1.0 / layout.ep), trained = adapted ? gone * model.shape->part.experts : gone;
        out.trained -= std::min(out.trained, trained);
        out.frozen -= gone - trained;
    }
    const double plain = settings.precision == Precision::Fp32 ? 4 : 2;
    out.frozenBytes = plain;
    if (adapted && model.shape->part.packed() && out.wholeFrozen > 0) {
        // Only the linear layers' matrices are packed.
        const double packed = std::min(out.wholeFrozen, static_cast<double>(model.shape->layers * model.shape->part.packedMatrices));
        out.frozenBytes = (packed * model.shape->part.packedBytes + (out.wholeFrozen - packed) * plain) / out.wholeFrozen;
    }
    return out;
}

StageOption optionOf(const StageChoice& choice, const DsSettings& settings, const Weighed& model, std::int64_t replicas, std::int64_t usable, bool dividesAtZero)
{
    const double params = model.trained;
    StageOption o;
    o.id = choice.id;
    o.name = choice.name;
    o.stage = choice.stage;
    o.offloadOptimizer = choice.optimizer;
    o.offloadParam = choice.param;
    StageChoice divided = choice;
    if (dividesAtZero && choice.stage == 0) divided.stage = 1;
    // MiCS divides among the ranks of one group.
    const bool groups = choice.stage == 3 && settings.micsShard > 0 && replicas % settings.micsShard == 0;
    const std::int64_t ranks = groups ? settings.micsShard : replicas;
    const double n = static_cast<double>(ranks);
    DsSettings chosen = settings;
    chosen.stage = choice.stage;
    chosen.offloadOptimizer = choice.optimizer;
    const PerParameter p = perParameter(divided, settings, offloadedPart(chosen, model.sharedTrained / n));
    const double frozen = choice.param != OffloadDevice::None ? 0 : (choice.stage >= 3 ? model.sharedFrozen / n : model.frozen) * model.frozenBytes;
    const double states = params * p.whole + model.sharedTrained * p.shared / n + frozen;
    o.stateBytes = toBytes(states);
    const double each = o.stateBytes > 0 ? states / (params + model.frozen) : 0;
    o.maxParams = each > 0 ? static_cast<double>(usable) / each : 0;
    if (p.shared == 0) {
        o.formula = p.whole > 0 ? fmt::format("{:.6g} Φ", p.whole) : "gathered layers only";
        o.numbers = fmt::format("{:.6g} · {}", p.whole, formatCount(toBytes(params)));
    } else if (p.whole == 0) {
        o.formula = fmt::format("{:.6g} Φ / N", p.shared);
        o.numbers = fmt::format("{:.6g} · {} / {}", p.shared, formatCount(toBytes(model.sharedTrained)), ranks);
    } else {
        o.formula = fmt::format("{:.6g} Φ + {:.6g} Φ / N", p.whole, p.shared);
        o.numbers = fmt::format("{:.6g} · {} + {:.6g} · {} / {}", p.whole, formatCount(toBytes(params)), p.shared, formatCount(toBytes(model.sharedTrained)), ranks);
    }
    if (frozen > 0) {
        o.formula += choice.stage >= 3 ? fmt::format(" + {:.4g} F / N", model.frozenBytes) : fmt::format(" + {:.4g} F", model.frozenBytes);
        o.numbers += choice.stage >= 3 ? fmt::format(" + {:.4g} · {} / {}", model.frozenBytes, formatCount(toBytes(model.sharedFrozen)), ranks) : fmt::format(" + {:.4g} · {}", model.frozenBytes, formatCount(toBytes(model.frozen)));
    }
    o.statesFit = o.stateBytes <= usable;
    return o;
}

StageOption optionOf(const FrameworkBranch& branch)
{
    StageOption o;
    o.id = branch.id;
    o.name = branch.name;
    o.stage = branch.stage;
    o.recompute = branch.recompute;
    if (branch.onHost) o.offloadOptimizer = o.offloadParam = OffloadDevice::Cpu;
    o.edits = branch.edits;
    return o;
}

void weighStates(StageOption& o, const Weighed& model, std::int64_t usable)
{
    if (o.refused) return;
    o.statesFit = o.stateBytes <= usable;
    const double each = o.stateBytes > 0 ? static_cast<double>(o.stateBytes) / (model.trained + model.frozen) : 0;
    o.maxParams = each > 0 ? static_cast<double>(usable) / each : 0;
}

}  // namespace stagecraft
