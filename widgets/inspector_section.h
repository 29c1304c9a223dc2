// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/inspector.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;

namespace stagecraft {

/// One section of the inspector. While a slider moves the same section comes again with other figures, sixty times a second: then only
/// the words that changed are set, and nothing is made anew.
class InspectorSectionView : public QWidget {
    Q_OBJECT
public:
    InspectorSectionView(const InspectorSection& section, QWidget* parent);

    /// Shows another section in place.
    /// @return false, and nothing changed, when it has other parts than the one shown
    [[nodiscard]] bool showInPlace(const InspectorSection& section);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void fill(QWidget* parent);
    void setReason(QLabel* mark, const InspectorReason& reason) const;

    InspectorSection m_section;
    QLabel* m_heading = nullptr;
    QLabel* m_value = nullptr;
    QLabel* m_text = nullptr;
    std::vector<QLabel*> m_formula;
    struct Reason {
        QLabel* mark;
        QLabel* words;
    };
    std::vector<Reason> m_reasons;
    struct Pair {
        QLabel* name;
        QLabel* value;
    };
    std::vector<Pair> m_pairs;
    std::vector<QPushButton*> m_buttons;
};

}  // namespace stagecraft
