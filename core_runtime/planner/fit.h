// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"
#include "planner/training_case.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stagecraft {

struct LayoutNeed;

/// From this probability on a plan says yes, and up to one minus it no.
inline constexpr double kSurely = 0.95;
/// Relative error of a forecast of host memory: the processes, their loaders and the system share it with what is offloaded.
inline constexpr double kHostSigma = 0.10;
/// Hosts of eight accelerators have at least that much; whether they have more only who has them can say.
inline constexpr std::int64_t kCommonHost = std::int64_t{256} << 30;
/// Two modules of 32 GB, what machines that people train on at their desk are commonly built with.
inline constexpr std::int64_t kDesktopHost = std::int64_t{64} << 30;

/// What a host commonly has, where nobody has said. Of GeForce cards, which are a desktop's: twice what they have
/// together, as hosts for rent of cards of 24 GB have (g5.12xlarge, g6.12xlarge and g2-standard-24: 192, 192 and 96 GB for 4, 4 and 2 of them), at
/// least kDesktopHost and at most kCommonHost. Else kCommonHost, or in nodes of four or more devices that reach eight of their kind over links of
/// their own what these devices have together. Such nodes are sold whole, with more: the least of makers and clouds are 1.3 (GB200 NVL72), 1.4
/// (p6-b200.48xlarge) and 1.2 times (ND MI300X v5), others 1.8 to 3.8 (DGX H100, p4d, p4de, p5, p5en, a2-ultragpu-8g, ND H100 v5).
/// @param sheet  nullptr where the device is not known
[[nodiscard]] std::int64_t commonHost(const DeviceSheet* sheet, std::int64_t devicesPerNode);

/// Relative error of the ledger's peak, by whose ledger it is.
/// Megatron's buffers are its own and few; FSDP2 adds the allocator's holes, and DeepSpeed runs model code that differs by release.
/// @param framework  as in framework.name
[[nodiscard]] double peakSigma(std::string_view framework);
[[nodiscard]] double peakSigma(Framework framework);
/// The same of one job: narrower for a kind of job whose residuals on the calibration half are known, never for one that none is known of.
[[nodiscard]] double peakSigma(const TrainingCase& c);

/// peakSigma() towards less than the forecast: what widens it beyond the framework's own was seen above the forecast alone.
[[nodiscard]] double peakSigmaBelow(const TrainingCase& c);

/// Probability that what is forecast as `need` with a relative error of `sigma` stays within `usable`.
[[nodiscard]] double probabilityWithin(std::int64_t need, std::int64_t usable, double sigma);
/// The same of a job's peak.
[[nodiscard]] double probabilityWithin(const TrainingCase& c, std::int64_t need, std::int64_t usable);

/// Probability that the hosts have room for `need` bytes a node.
/// @param host    memory of one node; nothing where nobody has said: then what nodes commonly have is enough, and more is a guess of 0.5
/// @param common  as commonHost()
[[nodiscard]] double hostProbability(std::int64_t need, std::optional<std::int64_t> host, std::int64_t common = kCommonHost);

/// Probability that a job comes to its first step on hosts where building the model takes `need` bytes a node. `need` is that
/// of fp32. Who builds it in 16 bits needs half, who builds it straight onto the device nothing, which no plan can see: hosts that cannot
/// hold `need` leave a half, and hosts that cannot hold half of it a tenth.
/// @param host  memory of one node; where nobody has said, nothing is held against the job
[[nodiscard]] double buildProbability(std::int64_t need, std::optional<std::int64_t> host);

/// Probability that a job fits, of the ledgers that are not our engine's: what its allocator cannot give back stays within the device, what
/// it offloads within the host, and the model can be built.
/// @param usable  bytes of one device
/// @param host    memory of one node
[[nodiscard]] double fitProbability(const TrainingCase& c, const LayoutNeed& need, std::int64_t usable, std::optional<std::int64_t> host);

[[nodiscard]] Fit::Verdict verdictOf(double probability);

/// Below this what is unsure is called improbable, not possible: what is shown as 0.50 is no less.
inline constexpr double kEvenOdds = 0.495;
/// The two digits that are shown of a probability: what does not surely fit is not rounded up to what does, nor down to what does not.
[[nodiscard]] double shownProbability(double probability);
/// "fits", "may fit, p = 0.72", "probably does not fit, p = 0.10" or "does not fit": of what fits surely, or may, and how likely that is.
[[nodiscard]] std::string fitPhrase(bool fits, bool mayFit, double probability);

/// Whether a plan's ledger has model states alone: of what the allocator and the process take on top nothing is known, and its totals are
/// those of the states.
[[nodiscard]] bool statesAlone(const Plan& plan);

/// The 90 % interval of what the process takes, in bytes: [low, high]. An allocator frees what it keeps before it asks for more than the
/// device has, so that above the device lies only what it cannot give back; `high` is within `usable` where that surely is.
///
/// @param role    of which `totals` are the peak's or a phase's
/// @param usable  bytes of the device; 0 = not known
[[nodiscard]] std::array<std::int64_t, 2> processInterval90(const LedgerRole& role, const LedgerPeak& totals, std::int64_t usable);

/// The 90 % intervals of a peak's or a phase's three totals, in bytes: [low, high].
struct TotalIntervals {
    std::array<std::int64_t, 2> allocated{}, reserved{}, process{};
};
/// processInterval90(), and with it what the allocator has reserved, which is the process without its context, and what tensors take, which
/// is their items' intervals added up. Arguments as there.
[[nodiscard]] TotalIntervals totalIntervals90(const LedgerRole& role, const LedgerPeak& totals, std::int64_t usable);

/// The 90 % interval of one item, in bytes: [low, high]. States and buffers are counted from sizes that are known, so that what the peak
/// is uncertain by lies in the others: each has it in proportion to its bytes. Highs of all that the peak is made of add up to the peak's
/// own, and so do lows, down to nothing.
[[nodiscard]] std::array<std::int64_t, 2> itemInterval90(const LedgerRole& role, const LedgerItem& item);

/// Ranks that follow each other in the mesh, and what each of them has on its host.
struct RanksOnHost {
    std::int64_t ranks = 0, bytes = 0;
};

/// Bytes on the host of the fullest node: nodes are filled one after another, in the order given.
[[nodiscard]] std::int64_t fullestNode(std::span<const RanksOnHost> stages, std::int64_t devicesPerNode);
/// Bytes of host memory that offloading takes on the fullest node: ranks stand in the order of the mesh, all of one role before
/// those of the next (pipeline stages are the outermost axis in DeepSpeed and Megatron), and nodes are filled one after another.
[[nodiscard]] std::int64_t fullestNodeHost(std::span<const LedgerRole> roles, std::int64_t devicesPerNode);

}  // namespace stagecraft
