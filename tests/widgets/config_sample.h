// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

namespace stagecraft {

/// A ds_config as people write them: a comment, a sum that is wrong, a key that is misspelt.
inline const QByteArray kConfig = R"({
  // the demo
  "train_batch_size": 60,
  "train_micro_batch_size_per_gpu": 2,
  "gradient_accumulation_steps": 8,
  "bf16": { "enabled": true },
  "optimizer": {
    "type": "AdamW",
    "params": {
      "lr": 3e-4,
      "betas": [0.9, 0.95]
    }
  },
  "zero_optimization": {
    "stage": 2,
    "reduce_buket_size": 5e8,
    "contiguous_gradients": true
  }
}
)";

}  // namespace stagecraft
