// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cursor_chart.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace stagecraft {

/// What the plan comes to for some values of one key, the others as they are.
struct KeyCurve {
    QString pointer;
    QStringList values;           ///< as text, in order
    std::vector<double> memory;   ///< bytes of the fullest rank; 0 = no plan
    std::vector<double> time;     ///< seconds a step; 0 = no forecast
    int now = -1;                 ///< index of the value in force; -1 = none of them
    [[nodiscard]] bool changesMemory() const;
    [[nodiscard]] bool changesTime() const;
};

/// Two small charts, one below the other: peak memory and step time over the values of a key. The value in force is marked.
class ConfigCurve : public CursorChart {
    Q_OBJECT
public:
    ConfigCurve(const KeyCurve& curve, QWidget* parent);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, sizeHint().height()}; }

    /// What stands beside the name of each chart.
    [[nodiscard]] QStringList readings() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] int pointCount() const override { return static_cast<int>(m_curve.values.size()); }
    [[nodiscard]] int pointAt(double x) const override;
    [[nodiscard]] int startPoint() const override { return m_curve.now; }

private:
    struct Series {
        QString title;
        const std::vector<double>* values;
        bool isMemory;
    };
    [[nodiscard]] std::vector<Series> series() const;
    [[nodiscard]] double xOf(int index) const;
    [[nodiscard]] QString reading(const Series& each) const;
    [[nodiscard]] QString shown(double value, bool isMemory) const;

    KeyCurve m_curve;
};

}  // namespace stagecraft
