// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace stagecraft {

struct FuzzyMatch {
    int score = 0;          ///< higher is better
    QList<int> positions;   ///< of the letters of `text` that matched, rising
};

/// Finds the letters of `query` in `text` in order, ignoring case and the query's spaces. Starts of words and letters in a
/// row count more, gaps less; a name that is written out comes before initials of others. Letters that lie about, in more pieces than
/// one for two of them and not all at starts of words, are no match. An empty query matches with score 0.
[[nodiscard]] std::optional<FuzzyMatch> fuzzyMatch(const QString& query, const QString& text);

}  // namespace stagecraft
