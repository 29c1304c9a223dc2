// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config_curve.h"
#include "widgets/recorded_curve.h"
#include "widgets/theme.h"

#include <QPointer>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <string>

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace stagecraft {

class ConfigModel;
class PanelHeader;
class StepCurveView;
class ToneLabel;
struct CatalogKey;
struct KeyInRelease;
struct StepCurve;

/// The key whose help belongs to `pointer`: that itself, or the list it is in where no element of it has a meaning of its own.
[[nodiscard]] QString describedKey(const ConfigModel& config, const QString& pointer);

/// All that is known about the current key: meaning, type, default, value, who fills "auto", findings, what it does in DeepSpeed
/// and in the Stagecraft engine, when to change it.
class KeyHelp : public QWidget {
    Q_OBJECT
public:
    explicit KeyHelp(ConfigModel& config, QWidget* parent = nullptr);

    /// Everything shown, as plain text (also what Copy puts on the clipboard).
    [[nodiscard]] QString plainText() const;
    /// What the key does in the plan at hand; shown while that key is. The owner answers currentChanged of the model with it.
    void setCurve(const KeyCurve& curve);
    /// Steps of the run, where the owner knows them: schedules show where it ends.
    void setRunSteps(std::int64_t steps);
    /// What a run of this config has recorded of its learning rate: drawn over the planned one. None takes it away.
    void setRecorded(const RecordedCurve& recorded);

signals:
    /// A link to another key was clicked.
    void keyRequested(const QString& pointer);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    /// A label whose lines break anywhere, so that no name is wider than the panel.
    [[nodiscard]] ToneLabel* words(const QString& text, theme::Role role, theme::Token token, QWidget* parent) const;
    void addSection(const QString& title, QWidget* content);
    void addText(const QString& title, const QString& text);
    void addPairs(const QList<QPair<QString, QString>>& pairs);
    void addRule();
    void addCurve();
    void addSchedule();
    void showSchedule();
    [[nodiscard]] std::optional<StepCurve> schedule() const;
    /// Where the chosen release differs from the newest, which the texts are about; empty where it does not.
    [[nodiscard]] QString releaseNote(const CatalogKey& key, const KeyInRelease& here, const std::string& byDefault) const;

    ConfigModel& m_config;
    KeyCurve m_curve;
    std::int64_t m_runSteps = 0;
    RecordedCurve m_recorded;
    QPointer<StepCurveView> m_schedule;   ///< while the current key has one
    PanelHeader* m_header;
    QScrollArea* m_scroll;
    QWidget* m_body = nullptr;
    QVBoxLayout* m_column = nullptr;
};

}  // namespace stagecraft
