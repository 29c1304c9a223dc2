// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/misnomers.h"

#include <algorithm>
#include <array>

namespace stagecraft::rules {

namespace {

struct Misnomer {
    std::string_view key;
    std::string_view meant;
};

constexpr std::array kAtTop{
    Misnomer{"gradient_accumulation_dtype", "data_types.grad_accum_dtype"},
    Misnomer{"grad_accum_dtype", "data_types.grad_accum_dtype"},
    Misnomer{"monitor_config", "tensorboard, wandb, csv_monitor, comet"},
    Misnomer{"zero", "zero_optimization"},
    Misnomer{"zero_stage", "zero_optimization.stage"},
    Misnomer{"zero_optimization_stage", "zero_optimization.stage"},
    Misnomer{"lr_scheduler", "scheduler"},
    Misnomer{"global_batch_size", "train_batch_size"},
    Misnomer{"micro_batch_size", "train_micro_batch_size_per_gpu"},
    Misnomer{"train_micro_batch_size", "train_micro_batch_size_per_gpu"},
    Misnomer{"micro_batch_size_per_gpu", "train_micro_batch_size_per_gpu"},
    Misnomer{"per_device_train_batch_size", "train_micro_batch_size_per_gpu"},
    Misnomer{"per_device_batch_size", "train_micro_batch_size_per_gpu"},
    Misnomer{"per_gpu_train_batch_size", "train_micro_batch_size_per_gpu"},
    Misnomer{"batch_size_per_gpu", "train_micro_batch_size_per_gpu"},
    Misnomer{"grad_accumulation_steps", "gradient_accumulation_steps"},
    Misnomer{"gradient_accumulation_step", "gradient_accumulation_steps"},
    Misnomer{"gradient_accumulation", "gradient_accumulation_steps"},
    Misnomer{"grad_accum_steps", "gradient_accumulation_steps"},
    Misnomer{"accumulate_grad_batches", "gradient_accumulation_steps"},
    Misnomer{"learning_rate", "optimizer.params.lr"},
    Misnomer{"max_grad_norm", "gradient_clipping"},
    Misnomer{"grad_clip", "gradient_clipping"},
    Misnomer{"gradient_clip", "gradient_clipping"},
    Misnomer{"gradient_clip_val", "gradient_clipping"},
    Misnomer{"clip_grad", "gradient_clipping"},
    Misnomer{"clip_grad_norm", "gradient_clipping"},
    Misnomer{"bf16_enabled", "bf16.enabled"},
    Misnomer{"use_bf16", "bf16.enabled"},
    Misnomer{"fp16_enabled", "fp16.enabled"},
    Misnomer{"use_fp16", "fp16.enabled"},
    Misnomer{"activation_checkpoint", "activation_checkpointing"},
    Misnomer{"activation_checkpoints", "activation_checkpointing"},
    Misnomer{"checkpoint_activations", "activation_checkpointing"},
};

/// Of optimizers first, then of schedules. A name stands for the first of its meanings that is taken.
constexpr std::array kParameters{
    Misnomer{"learning_rate", "lr"},
    Misnomer{"epsilon", "eps"},
    Misnomer{"adam_epsilon", "eps"},
    Misnomer{"adam_eps", "eps"},
    Misnomer{"wd", "weight_decay"},
    Misnomer{"adam_weight_decay", "weight_decay"},
    Misnomer{"weight_decay_rate", "weight_decay"},
    Misnomer{"adam_betas", "betas"},
    Misnomer{"warmup_steps", "warmup_num_steps"},
    Misnomer{"num_warmup_steps", "warmup_num_steps"},
    Misnomer{"warmup_iters", "warmup_num_steps"},
    Misnomer{"total_steps", "total_num_steps"},
    Misnomer{"max_steps", "total_num_steps"},
    Misnomer{"training_steps", "total_num_steps"},
    Misnomer{"num_training_steps", "total_num_steps"},
    Misnomer{"max_lr", "warmup_max_lr"},
    Misnomer{"max_lr", "cycle_max_lr"},
    Misnomer{"peak_lr", "warmup_max_lr"},
    Misnomer{"min_lr", "warmup_min_lr"},
    Misnomer{"min_lr", "cycle_min_lr"},
    Misnomer{"min_lr", "lr_range_test_min_lr"},
    Misnomer{"min_lr_ratio", "cos_min_ratio"},
};

}  // namespace

std::string_view meantAtTop(std::string_view key)
{
    const auto found = std::find_if(kAtTop.begin(), kAtTop.end(), [&](const Misnomer& misnomer) { return misnomer.key == key; });
    return found == kAtTop.end() ? std::string_view() : found->meant;
}

std::string meantByParameter(std::string_view key, const std::vector<std::string>& takes)
{
    const auto found = std::find_if(kParameters.begin(), kParameters.end(), [&](const Misnomer& misnomer) {
        return misnomer.key == key && std::find(takes.begin(), takes.end(), misnomer.meant) != takes.end();
    });
    return found == kParameters.end() ? std::string() : std::string(found->meant);
}

int oneOfBetas(std::string_view key)
{
    static constexpr std::array kFirst{"beta1", "beta_1", "adam_beta1", "b1"};
    static constexpr std::array kSecond{"beta2", "beta_2", "adam_beta2", "b2"};
    return std::find(kFirst.begin(), kFirst.end(), key) != kFirst.end() ? 0 : std::find(kSecond.begin(), kSecond.end(), key) != kSecond.end() ? 1 : -1;
}

std::string withoutTypographicQuotes(std::string_view key)
{
    std::string plain(key);
    for (const std::string_view quote : {std::string_view("\u201c"), std::string_view("\u201d"), std::string_view("\u2018"), std::string_view("\u2019"), std::string_view("\u201e")}) {
        for (std::size_t at = plain.find(quote); at != std::string::npos; at = plain.find(quote)) {
            plain.erase(at, quote.size());
        }
    }
    return plain;
}

bool belongsInScript(std::string_view key)
{
    static constexpr std::array kOfScript{
        "seed",          "gradient_checkpointing", "num_train_epochs", "num_epochs", "epochs",      "max_steps",   "max_train_steps", "output_dir",         "logging_steps",
        "logging_dir",   "save_steps",             "save_interval",    "eval_steps", "eval_interval", "max_seq_length", "max_seq_len", "seq_length",       "model_name_or_path",
        "model_name",    "dataset",                "dataset_name",     "data_path",  "num_workers", "dataloader_num_workers",       "local_rank",      "resume_from_checkpoint"};
    return std::find(kOfScript.begin(), kOfScript.end(), key) != kOfScript.end();
}

bool namesPrecision(std::string_view key)
{
    static constexpr std::array kNames{"mixed_precision", "precision", "torch_dtype", "dtype", "amp_dtype"};
    return std::find(kNames.begin(), kNames.end(), key) != kNames.end();
}

std::string_view precisionSection(const ConfigValue& value)
{
    if (value.kind == ConfigValue::Kind::Int && value.asInt() == 16) {
        return "fp16";
    }
    if (!value.isString()) {
        return {};
    }
    std::string word = value.text;
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c); });
    for (const std::string_view tail : {std::string_view("-mixed"), std::string_view("-true")}) {
        word = word.ends_with(tail) ? word.substr(0, word.size() - tail.size()) : word;
    }
    word = word.starts_with("torch.") ? word.substr(6) : word;
    if (word == "bf16" || word == "bfloat16") {
        return "bf16";
    }
    return word == "fp16" || word == "float16" || word == "half" || word == "16" ? "fp16" : "";
}

}  // namespace stagecraft::rules
