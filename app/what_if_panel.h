// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/what_if.h"
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
    /// There is something that reset would take back.
    /// @param why  what stands in its way where it is not merely that nothing was changed, one sentence; empty otherwise
    void setResettable(bool resettable, const QString& why = {});
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
