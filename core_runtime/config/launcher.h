// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// Who reads a ds_config and hands it to DeepSpeed.
enum class CheckLauncher {
    DeepSpeed,     ///< the training script itself, as DeepSpeed's own launcher starts it
    Transformers,  ///< the Hugging Face Trainer
    Accelerate,    ///< accelerate's Accelerator.prepare(), in a training loop of the script's own
};

/// The word of `check --launcher` and of a workspace's "launch.launcher".
[[nodiscard]] const char* checkLauncherName(CheckLauncher launcher);
/// The launcher of that word; nothing for another one.
[[nodiscard]] std::optional<CheckLauncher> checkLauncherFromName(std::string_view name);

/// Whether values are put in the place of "auto" before DeepSpeed sees the file.
[[nodiscard]] bool fillsAuto(CheckLauncher launcher);
/// Whether the file is read as strict JSON (Python's json.load), where DeepSpeed's own reader takes Hjson.
[[nodiscard]] bool readsStrictly(CheckLauncher launcher);
/// Whether an optimizer is handed over where the file has none.
[[nodiscard]] bool bringsOptimizer(CheckLauncher launcher);

/// The words that accelerate takes for an option of that name, as people read them: "no, fp16, bf16, fp8". Empty for one that takes any.
[[nodiscard]] std::string accelerateWords(std::string_view option);
[[nodiscard]] bool isAccelerateWord(std::string_view option, std::string_view word);

}  // namespace stagecraft
