// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QSplitter;

namespace stagecraft {

/// While two files are compared the rows below the comparison keep their least height and the panel beside it its width, so that all
/// other room is the comparison's. Afterwards everything is as it was; what was pulled meanwhile is there again with the next comparison.
class ComparingRoom : public QObject {
    Q_OBJECT
public:
    /// On both splitters while something is compared: the QSplitter::saveState() to be remembered instead of what is shown.
    static constexpr const char* kUsualState = "usualState";

    /// @param rows   the comparison's row, and one below it
    /// @param above  a panel, and the comparison
    ComparingRoom(QSplitter& rows, QSplitter& above, QObject* parent);

    void set(bool comparing);

private:
    QSplitter& m_rows;
    QSplitter& m_above;
    bool m_on = false;
    int m_lowerHeight = 0;   ///< px, as pulled by hand while something is compared; 0 = the least
    int m_besideWidth = 0;   ///< px, the same; 0 = as wide as it was
};

}  // namespace stagecraft
