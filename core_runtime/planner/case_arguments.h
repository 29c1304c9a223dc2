// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// framework.arguments with the names that were looked at, so that the rest can be reported.
class CaseArguments {
public:
    CaseArguments(const nlohmann::json& object, std::vector<PlanFinding>& findings);

    [[nodiscard]] const nlohmann::json* find(const std::string& name);
    [[nodiscard]] bool has(const std::string& name) { return find(name) != nullptr; }
    /// A whole number from 1, at most 1e9 (1e6 for degrees of parallelism): no product of two overflows. `otherwise` when absent or wrong.
    [[nodiscard]] std::int64_t size(const std::string& name, std::int64_t otherwise);
    /// A number from 0 to 1e6.
    [[nodiscard]] double real(const std::string& name, double otherwise);
    /// A number from 0 to 1.
    [[nodiscard]] double fraction(const std::string& name, double otherwise);
    /// A switch that names nothing: what is no yes and no no is complained about, and off.
    [[nodiscard]] bool plainSwitch(const std::string& name);
    [[nodiscard]] bool flag(const std::string& name, bool otherwise = false);
    /// A word in lower case; complains of a number, a list or an object.
    [[nodiscard]] std::string word(const std::string& name, const std::string& otherwise);
    /// Words of a list, or of one text with spaces or commas between them, in lower case.
    [[nodiscard]] std::vector<std::string> words(const std::string& name);

    /// Whether it is there, without counting it as looked at.
    [[nodiscard]] bool names(const std::string& name) const;

    /// As modelArgumentOf().
    [[nodiscard]] std::string modelArgument() const;

    /// Counts `name` as looked at where it has that very value, which the plan is made for anyhow.
    void knowIf(const std::string& name, const nlohmann::json& value);

    /// Says once what is wrong with `name`, however often it is read.
    void complain(const char* id, const std::string& name, const char* what, std::vector<std::string> args = {});
    [[nodiscard]] bool wrong() const { return m_wrong; }
    /// What they say together is told elsewhere, and cannot be.
    void refuse() { m_wrong = true; }
    /// Complains of a "release" that is no year, month or day.
    void checkRelease();
    /// Says once which arguments were not looked at: those that play no part in memory and time, and those that may.
    void reportRest();

private:
    nlohmann::json m_empty = nlohmann::json::object();
    const nlohmann::json& m_object;
    std::vector<PlanFinding>& m_findings;
    std::vector<std::string> m_known;
    bool m_wrong = false;
};

/// The first of Megatron's arguments that says a size or a kind of part of the model; empty = none does, and the workspace's model is trained.
[[nodiscard]] std::string modelArgumentOf(const nlohmann::json& arguments);

/// Whether FSDP2's arguments say what it computes in: in torchtitan's word, FSDP2's own or Accelerate's.
[[nodiscard]] bool namesType(const nlohmann::json& arguments);

/// Whether Megatron-LM divides its optimizer, whoever says so: its own arguments, its FSDP's strategy, or the ds_config's stage.
[[nodiscard]] bool dividesOptimizer(CaseArguments& arguments, const DsSettings& settings);

/// Layers without experts by Megatron-LM's `moe-layer-freq`: a number n makes every n-th layer sparse, from the first; a list of Python, such
/// as "([0]*3+[1]*11)" or "([1]*3+[0]*2)*2", tells it of each layer.
/// @return nothing when it is neither, or the list is not as long as there are layers
[[nodiscard]] std::optional<std::int64_t> denseLayersOf(const nlohmann::json& frequency, std::int64_t layers);

/// Puts FSDP2's arguments into the case: layout, batch, precision, recomputation, what is sharded and where it lies, optimizer.
void readFsdp2(CaseArguments& arguments, TrainingCase& c, std::vector<PlanFinding>& findings);

/// Puts Megatron-LM's command line into the case: model, layout, precision, recomputation, optimizer.
void readMegatron(CaseArguments& arguments, TrainingCase& c, std::vector<PlanFinding>& findings);

}  // namespace stagecraft
