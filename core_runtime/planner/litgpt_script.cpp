// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/litgpt_script.h"

#include "planner/case_arguments.h"

namespace stagecraft {

void readLitGpt(CaseArguments& a, TrainingCase& c)
{
    // One projection, with one dropout before its adapters, and rotated parts joined head by head. Every nn.Linear is packed, the output among them.
    c.model.code.qkv = BlockCode::Qkv::FusedRotated;
    c.model.code.queriesByHead = true;
    TrainedPart& part = c.model.part;
    part.adapterInputs = part.adapterInputsFused;
    if (!(c.packedOutput = part.packed())) return;
    // Its figures are of bitsandbytes 0.41 and 0.42, whose products of 4 bits keep their inputs too (autograd/_functions.py, MatMul4Bit: ctx.tensors =
    // (A, B)); since 0.43 they keep the weight alone.
    for (KeptForWeights& kept = part.kept; double* input : {&kept.attention, &kept.attentionReads, &kept.mlpReads, &kept.output, &kept.mlp, &kept.product}) *input = 1;
    // What hangs on a context is freed with the graph, not by the backward pass, and the loop names its loss until it has the next. Until 2024 the longest
    // sample came first (longest_seq_ix): nothing was there before it.
    c.inputsStay = c.policy != ActivationPolicy::Full && a.word("release", "2024-04") >= "2024-04";
}

}  // namespace stagecraft
