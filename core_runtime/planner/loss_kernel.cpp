// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/loss_kernel.h"

#include "planner/case_arguments.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace stagecraft {

void readLoss(CaseArguments& a, TrainingCase& c)
{
    const std::string said = a.word("loss", "");
    if (said == "fused") c.lossKernel = LossKernel::Fused;
    else if (said == "fused_linear" || (said.empty() && a.flag("use_liger_kernel"))) c.lossKernel = LossKernel::Linear;
    else if (!said.empty() && said != "eager" && (said != "compiled" || c.framework != Framework::Fsdp2)) a.complain("plan.argument.loss", "loss", "is \"{}\"; use eager, fused or fused_linear, or under FSDP2 compiled", {said});
    // Liger replaces norms, rotation and gates too (liger_kernel/transformers/monkey_patch.py); foak and Unsloth the first two.
    const bool liger = a.flag("use_liger_kernel");
    c.normKernel = c.rotationKernel = c.gateKernel = liger;
    for (const std::string& kernel : a.words("fused_kernels")) {
        if (kernel == "norm") c.normKernel = true;
        else if (kernel == "rotation") c.rotationKernel = true;
        else if (kernel == "gate") c.gateKernel = true;
        else if (kernel != "none") a.complain("plan.argument.fused_kernels", "fused_kernels", "has \"{}\"; use norm, rotation and gate, or none", {kernel});
    }
    if (c.framework != Framework::Fsdp2) return;
    if (c.lossKernel != LossKernel::Own) {
        c.compiledLoss = false;
        c.lossStated = true;
    } else if (!a.has("compile_loss") && !said.empty()) {
        c.compiledLoss = said == "compiled";
        c.lossStated = true;
    }
}

bool lossInPieces(const TrainingCase& c) { return c.lossKernel == LossKernel::Linear || c.lossChunks > 1; }

double tokensOfLoss(const TrainingCase& c)
{
    const double tokens = c.tokens();
    if (c.lossKernel == LossKernel::Linear) {
        const double pieces = std::max(1.0, std::ceil(static_cast<double>(c.model.outputs()) / std::max(1.0, static_cast<double>(c.model.hidden))));
        return std::min(tokens, std::exp2(std::ceil(std::log2(std::max(1.0, std::ceil(tokens / pieces))))));
    }
    return tokens / std::min(static_cast<double>(std::max<std::int64_t>(1, c.lossChunks)), std::max(1.0, tokens));
}

double lossTensors(const TrainingCase& c, double own)
{
    // Its gradient is written where the logits stood; what the model handed out stays beside the copy without the last token.
    return c.lossKernel == LossKernel::Fused ? 1 : c.lossKernel == LossKernel::Linear ? 0 : own;
}

}  // namespace stagecraft
