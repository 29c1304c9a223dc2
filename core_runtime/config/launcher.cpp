// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/launcher.h"

namespace stagecraft {

const char* checkLauncherName(CheckLauncher launcher)
{
    switch (launcher) {
    case CheckLauncher::DeepSpeed: return "deepspeed";
    case CheckLauncher::Transformers: return "transformers";
    case CheckLauncher::Accelerate: return "accelerate";
    }
    return "";
}

std::optional<CheckLauncher> checkLauncherFromName(std::string_view name)
{
    for (const CheckLauncher launcher : {CheckLauncher::DeepSpeed, CheckLauncher::Transformers, CheckLauncher::Accelerate}) {
        if (name == checkLauncherName(launcher)) {
            return launcher;
        }
    }
    return std::nullopt;
}

// The Trainer runs on accelerate and shares its reader (utils/deepspeed.py, HfDeepSpeedConfig), so that all three hold for both.
bool fillsAuto(CheckLauncher launcher) { return launcher != CheckLauncher::DeepSpeed; }
bool readsStrictly(CheckLauncher launcher) { return launcher != CheckLauncher::DeepSpeed; }
bool bringsOptimizer(CheckLauncher launcher) { return launcher != CheckLauncher::DeepSpeed; }

std::string accelerateWords(std::string_view option)
{
    const bool device = option == "offload_optimizer_device" || option == "offload_param_device";
    return option == "mixed_precision" ? "no, fp16, bf16, fp8" : device ? "none, cpu, nvme" : "";
}

bool isAccelerateWord(std::string_view option, std::string_view word)
{
    const std::string words = ", " + accelerateWords(option) + ",";
    return !word.empty() && word.find(',') == std::string_view::npos && words.find(", " + std::string(word) + ",") != std::string::npos;
}

}  // namespace stagecraft
