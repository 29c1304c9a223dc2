// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "hardware/disk_measure.h"
#include "hardware/machine_measure.h"
#include "planner/calibration.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// Where bytes lie.
enum class Place { Device, Host, Pinned, Nvme };

/// One owner of bytes on one rank. Every tensor of a run belongs to exactly one item.
struct LedgerItem {
    std::string what;     ///< stable id: weights, gradients, master, optimizer_states, gathered_weights, buckets, activations.*, logits, ...
    Place where = Place::Device;
    std::int64_t bytes = 0;
    std::string phase;    ///< when it is alive: all | init | forward | backward | step | save | eval, or several joined by '|'; or the total it leads to from the tensors' sum at the peak: reserved | process
    std::string why;      ///< one sentence
    std::string formula;  ///< in symbols: "2 Φ / N"
    std::string numbers;  ///< the same with numbers put in: "2 · 4,999,424 / 2"
    std::string source;   ///< where the formula comes from
};

struct LedgerPeak {
    std::string phase;
    std::int64_t allocated = 0;  ///< sum of the items alive in that phase
    std::int64_t reserved = 0;   ///< plus allocator rounding and fragmentation
    std::int64_t process = 0;    ///< plus context and libraries: what nvidia-smi or RSS shows
    double relative90 = 0;       ///< half the width of each total's 90 % interval, relative to it
};

struct LedgerRole {
    std::string role;            ///< "pp0.tp0"
    std::int64_t ranks = 0;
    std::vector<LedgerItem> items;
    LedgerPeak peak;
    std::vector<LedgerPeak> phases;  ///< the same totals for every phase, in order
    std::int64_t hostBytes = 0;      ///< of its items in host memory, pinned or not, per rank
};

/// What a forecast of time was made from; each is better than the one before.
enum class ForecastBasis {
    DataSheet,   ///< the device's sheet alone
    Measured,    ///< this machine's rates (`stagecraft doctor --measure`)
    Calibrated,  ///< a run of the same model on this machine
};

/// "data_sheet", "measured", "calibrated": the words of the JSON answer.
[[nodiscard]] const char* forecastBasisName(ForecastBasis basis);

/// A sentence with what stands in it, for telling it in another language: each "{}" is the next argument.
struct Phrase {
    std::string pattern;
    std::vector<std::string> args = {};
};

/// How one figure of a forecast came about: a part of the step time, or "mfu".
struct ForecastFigure {
    std::string what;            ///< the part's name in `split`, or "mfu"
    double value = 0;            ///< seconds, or a share
    std::string formula;         ///< in symbols
    std::string numbers;         ///< the same with numbers put in
    std::string source;          ///< where rates and formula come from
    Phrase formulaPhrase = {}, numbersPhrase = {}, sourcePhrase = {};  ///< of the three
};

struct StepForecast {
    double stepTime = 0;         ///< seconds
    double tokensPerSecond = 0;
    double mfu = 0;              ///< model FLOPs utilisation, 0..1
    std::array<double, 2> interval90{0, 0};  ///< of stepTime, seconds
    std::vector<std::pair<std::string, double>> split;  ///< compute, communication_exposed, offload, optimizer, bubble, ...: seconds, adding up to stepTime
    double forward = 0, backward = 0;        ///< how the split's "compute" divides, seconds; recomputation is backward
    ForecastBasis basis = ForecastBasis::DataSheet;
    std::string source;                      ///< the basis in words, with its date where it has one
    std::string calibration;                 ///< id of the calibration used, else empty
    double modelFlops = 0;                   ///< of one step of all devices, without what is computed again
    double devicePeak = 0;                   ///< FLOP/s of one device that `mfu` is a share of; 0 = not known
    std::string peakType;                    ///< its number type: bf16, fp16, tf32, fp32, fp8
    std::vector<ForecastFigure> figures;     ///< of `split` and `mfu`; empty where many layouts are scored
};

/// What a token budget costs.
struct BudgetForecast {
    double tokens = 0;
    double seconds = 0;
    double joules = 0;           ///< of the devices at their rated power: an upper bound, hosts and cooling not included
    double wattsPerDevice = 0;   ///< 0 = not in the device's sheet; then `joules` is 0 too
    std::int64_t devices = 0;
    std::string source;          ///< of the power
};

struct Fit {
    enum class Verdict { Yes, No, Unsure };
    Verdict verdict = Verdict::Unsure;
    double probability = 0;      ///< that the peak stays within `usable`, and what is offloaded within the host; at most 0.5 where a part is not known
    std::int64_t usable = 0;     ///< bytes per rank
    std::int64_t least = 0;      ///< bytes of the fullest rank without what its allocator gives back where the device is full: what `probability` is of
    bool statesOnly = false;     ///< the ledger has model states alone: the peak is above it, and the verdict never Yes
    std::int64_t hostNeed = 0;   ///< bytes of host memory that offloading takes on the fullest node; 0 = none
    std::int64_t hostUsable = 0; ///< bytes of host memory of one node; 0 = not known
};

/// One thing the plan has to say, same shape as a finding of `check`.
struct PlanFinding {
    std::string rule;            ///< "plan.*"
    std::string severity;        ///< error | warning | info
    std::string pointer;         ///< JSON Pointer into the workspace, may be empty
    std::string message;
    std::string id = {};                  ///< of the message, for telling it in another language; empty when it is told in English alone
    std::vector<std::string> args = {};   ///< what stands in it, in order
};

struct Plan {
    std::optional<std::int64_t> params, trainable, active;
    nlohmann::json config;       ///< resolved ds_config
    nlohmann::json mesh;
    std::optional<std::vector<LedgerRole>> ledger;
    std::optional<StepForecast> forecast;
    std::optional<Fit> fit;
    std::optional<BudgetForecast> budget;  ///< where there is a forecast
    std::vector<PlanFinding> findings;
};

class MeasuredMachine;

/// What a plan may use beside the workspace: facts of the machine it is made on. Left out, they are unknown.
struct PlanContext {
    std::optional<std::int64_t> hostMemoryBytes = std::nullopt;  ///< memory of one host: bounds CPU ranks and offload
    std::optional<double> usableCores = std::nullopt;            ///< of this machine, by affinity and container quota: what CPU ranks share
    std::string gpu = {};        ///< sheet of this machine's GPUs: what the device "cuda" is planned as; empty = not known
    std::optional<double> tokenBudget = std::nullopt;  ///< tokens to train on; without it those of the workspace's training steps
    std::optional<MachineMeasure> machine = std::nullopt;  ///< rates of this machine: times on "cpu" are forecast from them
    std::shared_ptr<const MeasuredMachine> prepared = nullptr;  ///< of `machine`, shared by many plans, each of which would else make it anew
    std::vector<DiskMeasure> disks = {};   ///< of this machine's folders: what is swapped to one of them is forecast from it
    std::vector<Calibration> calibrations = {};  ///< of this machine: where one is of the workspace's model, times of our engine come from it
};

/// Everything known before a run about memory and time. Pure: the same workspace and context give the same plan.
/// What cannot be planned is null with a finding that says why; the rest is still there.
/// @error InvalidInput when the workspace itself cannot be planned at all
[[nodiscard]] Result<Plan> makePlan(const Workspace& workspace, const PlanContext& context = {});

/// The answer of `stagecraft plan --json` (CONTRACT, "plan").
[[nodiscard]] nlohmann::json planToJson(const Plan& plan);

}  // namespace stagecraft
