// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

/// Models that several tests and benchmarks plan, schedule or train.
namespace stagecraft::testing {

/// LLaMA-3-8B at 8,192 tokens.
inline ModelSpec llama3Of8B()
{
    ModelSpec spec;
    spec.hidden = 4096;
    spec.layers = 32;
    spec.heads = 32;
    spec.kvHeads = 8;
    spec.headSize = 128;
    spec.ffn = 14336;
    spec.vocab = 128256;
    spec.seq = 8192;
    return spec;
}

/// The LLaMA of 5.0 M parameters that the peers train too.
inline ModelSpec llamaOf5M()
{
    ModelSpec spec;
    spec.hidden = 256;
    spec.layers = 4;
    spec.heads = 8;
    spec.kvHeads = 4;
    spec.headSize = 32;
    spec.ffn = 688;
    spec.vocab = 4096;
    spec.seq = 256;
    return spec;
}

}  // namespace stagecraft::testing
