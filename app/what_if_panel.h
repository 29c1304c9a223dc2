// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/what_if.h"
#include "base/result.h"
#include "widgets/panel.h"

#include <array>

class QCheckBox;
class QPushButton;

namespace stagecraft {
class FitSlider;
class ToneLabel;
}  // namespace stagecraft

namespace stagecraft::app {

/// The what-if sliders with their tracks, the loss in chunks, and the way back. It shows a plan and says what the user wants.
class WhatIfPanel : public Panel {
    Q_OBJECT
public:
    explicit WhatIfPanel(QWidget* parent = nullptr);

    void show(const PlanSet& plan);
    void showTracks(const KnobTracks& tracks);
    /// What speaks against the ds_config that the sliders turn; empty where nothing does.
    void setNote(const QString& note);
    /// Whether there is something that reset would take back, and what stands in its way where that cannot be known.
    /// @param now    the workspace with its ds_config, empty where none is open, or why it cannot be read
    /// @param saved  the same as it was last saved; empty where that could not be read
    void tellReset(const Result<std::string>& now, const std::string& saved);
    void retranslate();
    [[nodiscard]] static QString knobName(Knob knob);
    /// Of the undo step: "Micro-batch 1 → 8".
    [[nodiscard]] static QString turnName(Knob knob, const std::optional<std::int64_t>& from, std::int64_t to);
    [[nodiscard]] QCheckBox* chunksBox() const { return m_chunks; }
    [[nodiscard]] QPushButton* resetButton() const { return m_reset; }

signals:
    void turned(stagecraft::app::Knob knob, qlonglong value, bool settled);
    void lossChunksChosen(int chunks);
    void resetRequested();

private:
    std::array<FitSlider*, kKnobCount> m_knobs{};
    ToneLabel* m_note;
    QWidget* m_foot;
    QCheckBox* m_chunks;
    QPushButton* m_reset;
    int m_lossChunks = 8;   ///< what checking the box asks for
};

}  // namespace stagecraft::app
