// SPDX-License-Identifier: GPL-3.0-or-later
// Imports with the files that are named at hand, and what came of them.
#pragma once

#include "importers/foreign_config.h"

#include <nlohmann/json.hpp>

#include <QByteArray>
#include <QString>

#include <algorithm>

namespace stagecraft {

inline const char* const kAutoConfig = R"({
  "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
  "gradient_clipping": "auto", "bf16": {"enabled": "auto"},
  "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto", "eps": "auto", "weight_decay": "auto"}},
  "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_min_lr": "auto", "warmup_max_lr": "auto", "warmup_num_steps": "auto", "total_num_steps": "auto"}},
  "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto", "stage3_param_persistence_threshold": "auto"}
})";

inline Result<ImportedConfig> import(const QString& name, const QByteArray& text, ImportOptions options = {})
{
    if (!options.readFile) {
        options.readFile = [](const std::string& path) -> Result<std::string> {
            if (path == "ds.json" || path == "./ds.json") return std::string(kAutoConfig);
            if (path == "/models/llama/config.json") return std::string(R"({"hidden_size": 64})");
            return Error{ErrorCode::NotFound, "no such file", {}};
        };
    }
    return importForeignConfig({name.toStdString(), text.toStdString()}, options);
}

inline nlohmann::json configOf(const ImportedConfig& imported) { return nlohmann::json::parse(imported.dsConfigText); }

inline nlohmann::json workspaceOf(const ImportedConfig& imported)
{
    nlohmann::json all = nlohmann::json::object();
    for (const WorkspaceValue& value : imported.workspace) all[value.pointer] = nlohmann::json::parse(value.json);
    return all;
}

inline bool hasNote(const ImportedConfig& imported, TransferKind kind, const std::string& key)
{
    return std::any_of(imported.notes.begin(), imported.notes.end(), [&](const TransferNote& note) { return note.kind == kind && note.key == key && !note.reason.empty(); });
}

}  // namespace stagecraft
