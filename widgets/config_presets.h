// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/side_panel.h"

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
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void showPreview();
    void apply();

    ConfigModel& m_config;
    PanelHeader* m_header;
    QListWidget* m_list;
    ToneLabel* m_when;
    ToneLabel* m_summary;
    QTableWidget* m_preview;
    QPushButton* m_apply;
    QPushButton* m_close;
};

}  // namespace stagecraft
