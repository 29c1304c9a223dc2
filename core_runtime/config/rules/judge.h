// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/config_value.h"
#include "config/finding_text.h"
#include "config/json_document.h"
#include "config/release_facts.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft::rules {

/// What DeepSpeedConfig holds after parsing, as far as later rules ask for it. Pydantic sections are objects of field
/// names with defaults filled in.
struct Parsed {
    ConfigValue zero = ConfigValue::ofObject();
    ConfigValue fp16 = ConfigValue::ofObject();
    ConfigValue bf16 = ConfigValue::ofObject();
    ConfigValue tensorParallel = ConfigValue::ofObject();
    ConfigValue hybridEngine = ConfigValue::ofObject();
    ConfigValue compile = ConfigValue::ofObject();
    ConfigValue csvMonitor = ConfigValue::ofObject();
    const ConfigValue* optimizerParams = nullptr;  ///< into the document; null = none
    const ConfigValue* schedulerParams = nullptr;
    std::string optimizerName;  ///< lower case for DeepSpeed's own; empty = none
    std::string schedulerName;
    ResolvedBatch batch;
    bool batchKnown = true;     ///< false where the elastic search is too large to be gone through
    bool elastic = false;

    [[nodiscard]] int stage() const;
    [[nodiscard]] bool flag(const ConfigValue& section, std::string_view field) const;
    [[nodiscard]] std::string word(const ConfigValue& section, std::string_view field) const;
    /// "none", "cpu" or "nvme".
    [[nodiscard]] std::string offloadDevice(std::string_view block) const;
};

/// The state one check works on; rules add what they find. Nothing outlives the check.
class Judge {
public:
    Judge(const ConfigValue& root, const CheckContext& context, const ReleaseFacts& facts, CheckAnswer& answer);

    const ConfigValue& root;
    const CheckContext& context;
    const ReleaseFacts& facts;
    Parsed parsed;

    enum class At { Key, Value };

    /// DeepSpeed refuses the config at `level`.
    /// @return the finding, for the rule to add to at once; null when it was dropped
    CheckFinding* refuse(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer,
                const MessageArguments& arguments = {}, std::string fix = {}, At at = At::Value);
    /// DeepSpeed logs a warning and goes on.
    /// @return the finding, for the rule to add to at once; null when it was dropped
    CheckFinding* warn(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer,
              const MessageArguments& arguments = {}, std::string fix = {});
    /// Legal, and rarely meant.
    void unwise(std::string rule, std::string_view message, const std::string& pointer, const MessageArguments& arguments = {},
                std::string fix = {});
    /// DeepSpeed never uses the key; a fix that takes exactly it out is safe. Told once per pointer; `quiet` lists the pointer without a finding of its own.
    /// @return the finding, for the rule to add to at once; null when there is none
    CheckFinding* ignore(std::string rule, std::string_view message, const std::string& pointer, const MessageArguments& arguments = {},
                         std::string fix = {}, bool quiet = false);
    /// Lists `pointer` and everything below it as ignored, with one finding.
    CheckFinding* ignoreSection(std::string rule, std::string_view message, const std::string& pointer, const ConfigValue& section,
                                const MessageArguments& arguments = {}, std::string fix = {});
    /// Lists `pointer` and everything below it as ignored; another finding has said why.
    void ignoreQuietly(const std::string& pointer, const ConfigValue& value);
    /// DeepSpeed works with `json` in place of what is written.
    CheckFinding* change(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer, std::string json,
                const MessageArguments& arguments = {}, CheckSeverity severity = CheckSeverity::Warning);
    /// The config keeps the text that is written at `pointer`, and what looks at it acts as on `json`.
    CheckFinding* actAs(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer, std::string json, const MessageArguments& arguments);
    /// DeepSpeed reads what is written as `json`, which says the same plainly: no more than a hint, with a safe fix.
    void respell(std::string rule, std::string_view message, const std::string& pointer, const std::string& json, const MessageArguments& arguments);

    /// Takes back what was said of a value that `pointer` would have become: it is refused where it stands. With `list` false only the words go: the
    /// parser makes that value all the same.
    void takeBackChange(const std::string& pointer, bool list = true);

    /// What is written does not act as written, and nobody says so: the learning rate that a schedule writes over. Not among the answer's
    /// `changed`, which holds what parsing makes of values.
    void overrule(std::string rule, std::string_view message, const std::string& pointer, CheckSeverity severity, const MessageArguments& arguments, std::string fix = {});

    [[nodiscard]] bool refusedAt(CheckLevel level) const { return m_refused.count(level) > 0; }
    /// The first stage that refuses. A pipeline's own rules come after the building of the engine and before its steps.
    [[nodiscard]] std::optional<CheckLevel> firstRefused() const;
    /// Whether a finding refuses what stands at `pointer`, or DeepSpeed uses nothing of it.
    [[nodiscard]] bool settled(const std::string& pointer) const;

    /// As many findings as one answer holds: what a further one would say need not be worked out.
    [[nodiscard]] bool full() const;
    /// Whether what an unknown key means is still worked out: a file with more of them than this is mended in several rounds.
    [[nodiscard]] bool asksMeaning() { return m_asked < kMostAsked && ++m_asked > 0 && !full(); }
    /// Findings that did not find room.
    [[nodiscard]] std::size_t leftOut() const { return m_leftOut; }

    /// True while a type is only tried (members of a union): findings are then dropped.
    bool trying = false;
    /// True while rules speak that bite in a step of the engine, not in its building.
    bool stepping = false;

private:
    CheckFinding* add(CheckFinding finding, std::string_view message, const MessageArguments& arguments, At at);

    /// Orders places in the answer's list of ignored pointers by what stands there: the pointers of a deep file are large, and are held once.
    struct ByPointer {
        using is_transparent = void;
        const std::vector<std::string>* pointers;
        bool operator()(std::size_t a, std::size_t b) const { return (*pointers)[a] < (*pointers)[b]; }
        bool operator()(std::size_t a, std::string_view b) const { return (*pointers)[a] < b; }
        bool operator()(std::string_view a, std::size_t b) const { return a < (*pointers)[b]; }
    };

    CheckAnswer& m_answer;
    static constexpr std::size_t kMostAsked = 60;
    std::size_t m_asked = 0;
    std::size_t m_leftOut = 0;
    std::set<CheckLevel> m_refused;
    bool m_engineBuilt = true;
    std::set<std::size_t, ByPointer> m_ignored;
};

/// The place of `pointer` in `root`, or of its nearest parent there.
[[nodiscard]] TextPlace placeOf(const ConfigValue& root, const std::string& pointer, Judge::At at);

/// What stands at `pointer` in `root`, through objects alone; null where nothing does.
[[nodiscard]] const ConfigValue* configAt(const ConfigValue& root, const std::string& pointer);

/// The key a pointer token stands for.
[[nodiscard]] std::string unescaped(std::string_view token);

/// Validates `value` as pydantic class `model` and returns field name -> value, defaults filled in. Findings go to `judge`.
[[nodiscard]] ConfigValue validateModel(Judge& judge, const ModelFacts& model, const ConfigValue& value, const std::string& pointer);
/// The fields' defaults alone.
[[nodiscard]] ConfigValue modelDefaults(const ReleaseFacts& facts, const ModelFacts& model);

// The parts of the verdict, in the order in which DeepSpeed meets them.
/// Where the launcher of `context` fills "auto": does so in `document` from the arguments (R103-R108), and sets in `context` what
/// it passes to DeepSpeed. `judge` works on both.
void fillAuto(Judge& judge, ConfigValue& document, CheckContext& context);
void fillByTrainer(Judge& judge, ConfigValue& document, CheckContext& context);
void fillByAccelerate(Judge& judge, ConfigValue& document, CheckContext& context);
void checkRemovedKeys(Judge& judge);
void checkZero(Judge& judge);
void checkPrecision(Judge& judge);
void checkModelSections(Judge& judge);
void checkOptimizerSections(Judge& judge);
void checkPlainSections(Judge& judge);
void checkDataSections(Judge& judge);
void checkExpertParallel(Judge& judge);
void checkOlderSections(Judge& judge);
void checkElasticity(Judge& judge);
void checkOlderEngine(Judge& judge);
void checkBatch(Judge& judge);
void checkParsedWhole(Judge& judge);
/// All of the above, what DeepSpeedConfig does, and with `ignored` also what DeepSpeed never reads.
void checkParse(Judge& judge, bool ignored);
/// How the engine will train, worked out once for the engine rules.
struct EnginePlan {
    bool hasOptimizer = false;
    bool client = false;        ///< the script passes the optimizer
    std::string optimizerClass; ///< class that will be built or was passed, e.g. "FusedAdam", "torch.optim.SGD"; empty = unknown or none
    std::string shownName;      ///< how the user wrote it
    bool cpuOffload = false;    ///< the optimizer runs on the CPU
    bool rateWritten = false;   ///< the config's schedule sets the learning rate as soon as it is made, whatever "lr" says
    bool betasWritten = false;  ///< and so "betas"
};
/// bf16 weights with fp32 sums of gradients in stage 1: DeepSpeed takes its bf16 wrapper in place of an optimizer of ZeRO.
[[nodiscard]] bool wrapsBf16(const Judge& judge);
void checkEngine(Judge& judge);
void checkEngineParallel(Judge& judge);
void checkEngineSections(Judge& judge);
void checkEngineOptimizer(Judge& judge, EnginePlan& plan);
/// Parameters of an optimizer of torch.
void checkTorchOptimizer(Judge& judge, const EnginePlan& plan, const ConfigValue& params);
/// Parameters of Muon and of the Adam beside it.
void checkMuonParameters(Judge& judge, const EnginePlan& plan, const ConfigValue& params);
/// What the config's schedule will do to the optimizer before the first step.
void foreseeSchedule(const Judge& judge, EnginePlan& plan);
/// `value` is no number, and the optimizer calculates with it.
void refuseOptimizerValue(Judge& judge, const EnginePlan& plan, const std::string& key, const ConfigValue& value);
void checkEngineScheduler(Judge& judge, const EnginePlan& plan);
void checkEngineScaling(Judge& judge, const EnginePlan& plan);
void checkEngineZero(Judge& judge, const EnginePlan& plan);
void checkPipeline(Judge& judge);
void collectIgnored(Judge& judge);
/// Of sections whose keys are looked up by name: those that nobody looks up, and those that a switch of the section leaves unread.
void collectReadByHand(Judge& judge);
/// Texts in the place of switches that DeepSpeed reads as Python reads a condition.
void tellSwitches(Judge& judge);
/// Sections that are written without "enabled", which is off by default.
void tellMissingSwitches(Judge& judge);
/// Paths in which JSON has made control characters of single backslashes.
void tellPaths(Judge& judge);
/// Whether the Hugging Face Trainer, or accelerate for it, fills in an "auto" at `pointer`.
[[nodiscard]] bool trainerFills(const Judge& judge, std::string_view pointer);
/// Two names of one setting, with no value there yet: each says so of the other, and where they differ neither is moved.
void tellRivals(const ConfigValue& document, std::string_view language, CheckAnswer& answer);
/// Where a fix of `answer` moves a value to a place at which DeepSpeed refuses it, or stops the config earlier, its message says so
/// in `language`, and the fix mends the value as well; where nobody can tell how, there is none. `judge` gives the verdict on a changed document; it is asked a few times at most.
void replaceFixesThatHarm(const ConfigValue& document, std::string_view language, const std::function<CheckAnswer(ConfigValue)>& judge, CheckAnswer& answer);
/// Applies the steps of a fix; false where one does not apply.
[[nodiscard]] bool applySteps(ConfigValue& document, const ConfigValue& patch);
/// DeepSpeed has stopped at reading or parsing `document` (`doubled`: keys that are written twice): adds the errors of later levels that hold
/// whatever is written in the refused places; of those, without `whatever`, only that they are left out is tried. The verdict stays what it is.
/// @return false where it was not looked at: too much is refused, or does not parse for the rest
[[nodiscard]] bool lookBeyond(const ConfigValue& document, const std::vector<std::string>& doubled, std::string_view language,
                              const std::function<CheckAnswer(ConfigValue)>& judge, bool whatever, CheckAnswer& answer);
/// Fixes that would undo each other get tests, so that of two only one applies to the file as it is; the other is offered anew by the next check.
/// One that rests on ZeRO's stage or a device is withheld while another finding leaves open what that is, and its message says so in `language`.
void guardFixes(const ConfigValue& document, std::string_view language, CheckAnswer& answer);

}  // namespace stagecraft::rules
