// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/launcher.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

/// The first stage of DeepSpeed at which a rule bites.
enum class CheckLevel {
    Load,    ///< reading the text
    Parse,   ///< building DeepSpeedConfig
    Engine,  ///< deepspeed.initialize or the first two optimizer steps
    Pipe,    ///< a rule that exists only with a PipelineModule
};

enum class CheckSeverity { Error, Warning, Info };

/// What really happens to the affected key.
enum class CheckEffect {
    Refused,
    Ignored,  ///< DeepSpeed never uses it
    Changed,  ///< DeepSpeed silently works with another value
    Warned,   ///< DeepSpeed logs a warning and goes on
    Unwise,   ///< legal, but rarely what was meant
};

using TrainerValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// What only the surroundings of a ds_config know.
struct CheckContext {
    std::string release;  ///< a DeepSpeed version or series; empty = the newest known
    int world = 1;        ///< ranks the batch rule starts from; for a pipeline model the data-parallel size
    CheckLauncher launcher = CheckLauncher::DeepSpeed;
    bool pipelineModel = false;         ///< the model is a PipelineModule
    std::string device = "cuda";        ///< "cuda" or "cpu"
    std::string optimizer;              ///< class name the script passes; empty = none
    std::string scheduler;              ///< class name the script passes; empty = none
    std::optional<int> pipeStages;
    std::optional<int> ranks;           ///< all ranks of the job
    bool mpu = false;                   ///< the script passes a model-parallel unit
    std::optional<std::int64_t> hiddenSize;
    std::optional<int> tpModelInit;     ///< tensor-parallel size of the script's own tp_model_init call
    /// What fills "auto", by name: TrainingArguments, of which accelerate takes those that its loops have too, and options of `accelerate launch`
    std::map<std::string, TrainerValue> trainer;
    std::string language = "en";        ///< of the messages: "en" or "zh"
};

/// One thing to know about a config.
struct CheckFinding {
    std::string rule;  ///< "R11", "text.syntax", "release.removed", ...
    CheckSeverity severity = CheckSeverity::Error;
    CheckEffect effect = CheckEffect::Refused;
    CheckLevel level = CheckLevel::Parse;
    std::string pointer;  ///< JSON Pointer; "" is the whole document
    int line = 0;         ///< 1-based place in the text; 0 when there is none
    int column = 0;       ///< 1-based, in characters
    std::string message;  ///< what is wrong, why DeepSpeed does that, what to write instead
    std::string fix;      ///< JSON Patch (RFC 6902) as text that removes the finding; empty when there is none
    /// Applying the fix cannot change what a run does: it takes out what DeepSpeed never uses, or says the same value in the form
    /// or at the place in which DeepSpeed takes it. Said by the rule that offers the fix; a guess at what was meant is not safe.
    bool safe = false;
    bool inStep = false;  ///< refused at CheckLevel::Engine: deepspeed.initialize passes, one of the first steps fails; not in the answer's JSON
};

/// A whole number that 64 bits do not hold.
struct WideNumber {
    std::string digits;  ///< decimal
    explicit operator double() const;  ///< the nearest float; infinity beyond the largest
    bool operator==(const WideNumber&) const = default;
};

/// A batch size as DeepSpeed has it: Python's int or float. A size that is written as true stays True, and counts as 1.
using BatchNumber = std::variant<std::int64_t, double, bool, WideNumber>;

[[nodiscard]] double batchNumberValue(const BatchNumber& number);
/// The number as people read it: 8, 2.5, true, all digits of a wide one.
[[nodiscard]] std::string batchNumberText(const BatchNumber& number);

struct ResolvedBatch {
    BatchNumber trainBatchSize;
    BatchNumber micro;
    BatchNumber gas;
};

struct ChangedValue {
    std::string pointer;
    std::string json;  ///< the value DeepSpeed ends up with, as JSON text
    bool kept = false;  ///< the config keeps what is written, and code that looks at it acts as on this value; not in the answer's JSON
};

/// The verdict DeepSpeed would give (CONTRACT, "check").
struct CheckAnswer {
    std::string release;                ///< the release judged by, e.g. "0.19.8"
    bool ok = false;                    ///< accepted through the first two optimizer steps
    bool parseOk = false;               ///< loading and parsing alone
    std::optional<CheckLevel> level;    ///< the first stage that refuses
    std::optional<ResolvedBatch> resolved;  ///< absent only when load or parse fail
    std::vector<CheckFinding> findings;     ///< in document order
    std::vector<std::string> ignored;       ///< pointers, in document order
    std::vector<ChangedValue> changed;
};

/// Judges the text of a ds_config as DeepSpeed `context.release` would. Pure and reentrant; a few milliseconds for the
/// largest real configs. Whatever the text holds, there is an answer: hostile or unreadable text is refused at Load.
/// @error InvalidArgument when the release or the device is not known, NotFound when the release data is missing
[[nodiscard]] Result<CheckAnswer> checkConfig(std::string_view text, const CheckContext& context);

/// Who refuses a config that is not ok: "DeepSpeed 0.19.8", or the launcher, which stops before DeepSpeed sees anything.
[[nodiscard]] std::string whoRefuses(const CheckAnswer& answer, CheckLauncher launcher);

/// The answer as `stagecraft check --json` prints it, pretty-printed, without a trailing newline.
[[nodiscard]] std::string checkAnswerJson(const CheckAnswer& answer);

/// Releases whose facts are known exactly, oldest first.
[[nodiscard]] std::vector<std::string> knownDeepSpeedReleases();

/// The context of a --context file: one JSON object, all keys optional (CONTRACT). Keys that are not known are
/// reported in `warnings`, one sentence each.
/// @error InvalidInput for text that is not a JSON object or a value of the wrong type
[[nodiscard]] Result<CheckContext> readCheckContext(std::string_view json, std::vector<std::string>& warnings);

[[nodiscard]] const char* checkLevelName(CheckLevel level);
[[nodiscard]] const char* checkSeverityName(CheckSeverity severity);
[[nodiscard]] const char* checkEffectName(CheckEffect effect);

}  // namespace stagecraft
