// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

namespace stagecraft {

class CaseArguments;

/// Puts into `c` how LitGPT's own script finetunes: its blocks, the dropout of its adapters, and what bitsandbytes packs and holds.
/// Sources: litgpt/model.py, lora.py and finetune/lora.py; lightning/fabric/plugins/precision/bitsandbytes.py.
void readLitGpt(CaseArguments& arguments, TrainingCase& c);

}  // namespace stagecraft
