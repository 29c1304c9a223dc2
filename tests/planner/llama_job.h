// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/device_sheet.h"
#include "planner/training_case.h"

namespace stagecraft::test {

/// LLaMA 70B's sizes at 4,096 tokens on a node of eight; the caller divides the ranks.
inline TrainingCase llama70B(Framework framework, const char* device)
{
    TrainingCase c;
    c.framework = framework;
    ModelSpec spec;
    spec.family = Family::Llama;
    spec.hidden = 8192;
    spec.layers = 80;
    spec.heads = 64;
    spec.kvHeads = 8;
    spec.headSize = 128;
    spec.ffn = 28672;
    spec.vocab = 128256;
    spec.seq = 4096;
    c.model = shapeOf(spec);
    c.device = device;
    c.sheet = findDevice(device);
    c.devicesPerNode = 8;
    return c;
}

}  // namespace stagecraft::test
