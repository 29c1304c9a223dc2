// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/preset_outcome.h"
#include "widgets/side_panel.h"
#include "widgets/theme.h"

#include <optional>

class QCheckBox;
class QListWidget;
class QPushButton;
class QTableWidget;

namespace stagecraft {

class ConfigModel;
class PanelHeader;
class ToneLabel;

/// Presets with the sentence when to use each and a preview of every value that merging would set. Stands where the key help
/// stands; nothing changes before Apply, which is one undo step.
class ConfigPresets : public SidePanel {
    Q_OBJECT
public:
    explicit ConfigPresets(ConfigModel& config, QWidget* parent = nullptr);

    [[nodiscard]] QListWidget* list() const { return m_list; }
    [[nodiscard]] QTableWidget* preview() const { return m_preview; }
    /// What DeepSpeed says to the file with the preset in it.
    [[nodiscard]] const ToneLabel* verdict() const { return m_verdict; }
    /// What the owner says the preset does to memory and time, and what these numbers are of; hidden while it says nothing.
    void setEffect(const QString& sentence, theme::Token token, const QString& ground = {});
    [[nodiscard]] const ToneLabel* effect() const { return m_effect; }
    [[nodiscard]] const ToneLabel* effectGround() const { return m_ground; }
    /// Takes out, with the merge, what of the file the preset leaves without a use that DeepSpeed accepts; hidden where there is none.
    [[nodiscard]] QCheckBox* dropBox() const { return m_drop; }
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }

signals:
    /// The ds_config as Apply would write it; nothing while no preset is looked at, or none can be merged.
    void outcomeShown(const std::optional<std::string>& merged);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void retranslate();
    void showPreview();
    void giveRoom();
    void apply();
    void showOutcome();
    /// Whether Apply takes out what no longer fits.
    [[nodiscard]] bool drops() const;
    /// What Apply writes, and the preview tells of.
    [[nodiscard]] Result<std::string> result() const;

    ConfigModel& m_config;
    PanelHeader* m_header;
    QListWidget* m_list;
    ToneLabel* m_when;
    ToneLabel* m_summary;
    ToneLabel* m_verdict;
    ToneLabel* m_effect;
    ToneLabel* m_ground;
    QCheckBox* m_drop;
    QTableWidget* m_preview;
    QPushButton* m_apply;
    QPushButton* m_close;
    std::optional<PresetOutcome> m_outcome;   ///< of the preset that is shown; empty while nobody looks
};

}  // namespace stagecraft
