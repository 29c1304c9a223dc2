// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout_edits.h"
#include "app/plan_service.h"
#include "config/check.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::app {

enum class Knob : std::uint8_t { DataParallel, MicroBatch, Accumulation, Sequence, Stage, ReduceBucket, Offload };
inline constexpr int kKnobCount = 7;
using KnobValues = std::array<std::optional<std::int64_t>, kKnobCount>;

/// The value of a knob in a plan; nothing when its framework does not have it. Offload counts in percent of the optimizer states.
[[nodiscard]] std::optional<std::int64_t> knobValue(const PlanSet& plan, Knob knob);
/// Tokens of a sample as they are planned: the framework's own argument comes before the workspace's model.
[[nodiscard]] std::optional<std::int64_t> plannedSequence(const PlanSet& plan);
/// The positions of a knob's slider round its value now, rising: powers of two, and the value itself.
[[nodiscard]] std::vector<std::int64_t> knobPositions(const PlanSet& plan, Knob knob);
/// The largest value that may be typed: beyond it the workspace would be no workspace.
[[nodiscard]] std::int64_t knobMost(const PlanSet& plan, Knob knob);
/// What every value of a knob is a multiple of: ranks that expert parallelism or a group of shards does not divide are no layout.
[[nodiscard]] std::int64_t knobMultiple(const PlanSet& plan, Knob knob);
/// What turning a knob changes in the workspace text: the value itself, and whatever must follow so that DeepSpeed's batch
/// rule still holds (train_batch_size) and the devices match the ranks.
/// @param turned  what knobs were turned to since `plan` was asked for: the text has it, the plan does not know of it
[[nodiscard]] std::vector<WorkspaceEdit> knobEdits(const std::string& text, const PlanSet& plan, Knob knob, std::int64_t value, const KnobValues& turned = {});
/// What brings the values that knobs change back to those of another text.
/// @param text, saved  workspace texts, self-contained
[[nodiscard]] std::vector<WorkspaceEdit> resetEdits(const std::string& text, const std::string& saved);
/// What the planner says of each position of each knob.
struct KnobTracks {
    using Position = std::optional<Fit::Verdict>;               ///< nothing where the framework refuses the workspace there
    std::array<std::vector<Position>, kKnobCount> verdicts;   ///< as knobPositions; empty = nothing is known
};

/// Plans every position of every knob in the background, once no newer request has come for a moment; only the newest is answered.
class WhatIfService : public QObject {
    Q_OBJECT
public:
    explicit WhatIfService(QObject* parent = nullptr);
    void request(const std::string& text, const std::filesystem::path& folder, const std::shared_ptr<const PlanSet>& plan);
    /// What is around the ds_config where it is judged; until it is told nothing counts as refused.
    void setGiven(const CheckContext& given);

signals:
    void tracked(const stagecraft::app::KnobTracks& tracks);

private:
    void start();

    std::string m_text;
    std::filesystem::path m_folder;
    std::shared_ptr<const PlanSet> m_plan;
    std::optional<CheckContext> m_given;
    quint64 m_wanted = 0;
    bool m_busy = false;
    QTimer m_rest;   ///< while a slider moves only the plan itself is made; the tracks follow when it rests
};

}  // namespace stagecraft::app
