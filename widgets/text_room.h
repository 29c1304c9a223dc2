// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QSplitter;

namespace stagecraft {

/// Width for the text of the Config page: a line of a ds_config is read without scrolling aside. Where there is too little for all,
/// what stands beside it gives what it can do without, and takes it back with the next width there is. What somebody pulls stays.
class TextRoom : public QObject {
    Q_OBJECT
public:
    static constexpr int kTextWidth = 420, kFormWidth = 376;           ///< px: the text as it should be, the form at the least
    static constexpr int kKeysWidth = 196, kLeastKeysWidth = 156;      ///< px, of the list of keys
    static constexpr int kHelpWidth = 312, kLeastHelpWidth = 252;      ///< px, of the key help

    /// @param columns  list of keys, what is worked on, side column
    /// @param above    form, text
    TextRoom(QSplitter& columns, QSplitter& above, QObject* parent);

    /// @param help  the key help is what the side column holds: it has no width of its own otherwise
    void give(bool help);

private:
    void giveColumns();

    QSplitter& m_columns;
    QSplitter& m_above;
    int m_keysWidth = 0, m_helpWidth = 0;   ///< px, as they are where there is room; 0 until they are known
    bool m_pulled = false;
};

}  // namespace stagecraft
