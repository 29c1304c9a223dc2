// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/engine_config.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace stagecraft {

/// Reads sections of a ds_config for the engine and keeps the first thing that is wrong. With it set, every further
/// value is a default, so that a section reads like the list of its keys.
class EngineReader {
public:
    explicit EngineReader(EngineConfig& config) : m_config(config) {}

    /// A value DeepSpeed itself refuses.
    void invalid(const std::string& pointer, const std::string& why) { keep(ErrorCode::InvalidInput, pointer, why); }
    /// A value DeepSpeed takes and this engine does not.
    void refuse(const std::string& pointer, const std::string& why) { keep(ErrorCode::Refused, pointer, why); }
    void withoutEffect(const std::string& pointer, const std::string& reason) { m_config.withoutEffect.push_back({pointer, reason}); }

    /// Typed values with pydantic's coercions, used in the strict sections: 5e8 and "500000000" are integers, "yes", 1 and
    /// "on" truth values; "auto" and a missing key are the default.
    [[nodiscard]] std::int64_t integer(const nlohmann::json& section, const std::string& parent, const char* key, std::int64_t fallback, std::int64_t least);
    [[nodiscard]] bool boolean(const nlohmann::json& section, const std::string& parent, const char* key, bool fallback);

    /// A plain number as Python's arithmetic needs it, used for optimizer and scheduler parameters: text is refused.
    [[nodiscard]] double number(const nlohmann::json& section, const std::string& parent, const char* key, double fallback);
    /// True only for JSON true (and numbers that are not 0), as Python's `if` has it.
    [[nodiscard]] bool truth(const nlohmann::json& section, const char* key, bool fallback);

    [[nodiscard]] EngineConfig& config() { return m_config; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    void keep(ErrorCode code, const std::string& pointer, const std::string& why);

    EngineConfig& m_config;
    std::optional<Error> m_error;
};

/// What pydantic makes of a value for a boolean: true and false, 1 and 0, "true", "yes", "on", "t", "y", "1" and their opposites in any
/// case. Nothing for all else, which it refuses.
[[nodiscard]] std::optional<bool> coercedBoolean(const nlohmann::json& value);

/// A value for a message: one line, about forty characters at most.
[[nodiscard]] std::string shownConfigValue(const nlohmann::json& value);

/// "zero_optimization.stage" of "/zero_optimization/stage".
[[nodiscard]] std::string dottedConfigName(const std::string& pointer);

/// The batch triangle (ds_config rules R4 to R8) for `ranks` data-parallel ranks.
void readBatch(const nlohmann::json& dsConfig, int ranks, EngineReader& reader);
void readZero(const nlohmann::json& dsConfig, EngineReader& reader);
void readOptimizer(const nlohmann::json& dsConfig, EngineReader& reader);
/// @pre readOptimizer has run: schedules start from its learning rate
void readScheduler(const nlohmann::json& dsConfig, EngineReader& reader);
void readPrecision(const nlohmann::json& dsConfig, EngineReader& reader);
/// Keys outside the sections above: those without effect here and those that would change the training.
void readOtherKeys(const nlohmann::json& dsConfig, EngineReader& reader);

}  // namespace stagecraft
