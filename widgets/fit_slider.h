// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

class QLineEdit;
class QSlider;

namespace stagecraft {

class ToneLabel;

/// A what-if row: name, slider over given values with a coloured track below it, value field with its unit.
/// Dragging emits valueTurned() for each position and one valueSettled() at the end; the keyboard and the field settle at once. Esc takes back what is typed.
class FitSlider : public QWidget {
    Q_OBJECT
public:
    explicit FitSlider(QWidget* parent = nullptr);

    void setName(const QString& name, const QString& tip);
    void setUnit(const QString& unit);
    /// What may be typed; 1 and more unless told otherwise.
    /// @param multiple  every value is one of it
    void setBounds(std::int64_t lowest, std::int64_t highest, std::int64_t multiple = 1);
    /// @param values  rising  @param value  one of them
    void setValues(const std::vector<std::int64_t>& values, std::int64_t value);
    /// A colour for each position; empty = none known.
    void setTrack(const std::vector<theme::Token>& track, const QStringList& words);
    [[nodiscard]] std::int64_t value() const { return m_value; }
    [[nodiscard]] QSlider* slider() const { return m_slider; }
    [[nodiscard]] QLineEdit* field() const { return m_field; }

signals:
    void valueTurned(std::int64_t value);
    void valueSettled(std::int64_t value);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void choose(std::int64_t value, bool settled);
    void fieldEdited();
    void fitUnit();

    ToneLabel* m_name;
    QSlider* m_slider;
    QLineEdit* m_field;
    ToneLabel* m_unit;
    std::vector<std::int64_t> m_values;
    std::vector<theme::Token> m_track;
    std::int64_t m_value = 0;
    std::int64_t m_lowest = 1;
    std::int64_t m_highest = std::int64_t{1} << 53;
    std::int64_t m_multiple = 1;
    bool m_pressing = false;   ///< the slider moves under the mouse, before it says that it is down
};

/// 8,192; from a million on in millions where that is exact: "500 M".
[[nodiscard]] QString countText(std::int64_t value);
/// A whole number as people write it: "8,192", "8192", "5e8", "500M", "8k" (thousand), "8Ki". Nothing when it is none or negative.
[[nodiscard]] std::optional<std::int64_t> parseCount(const QString& text);

}  // namespace stagecraft
