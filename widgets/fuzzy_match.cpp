// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/fuzzy_match.h"

#include <algorithm>
#include <vector>

namespace stagecraft {

namespace {

constexpr int kLetter = 1;
constexpr int kInARow = 8;
constexpr int kWordStart = 10;
constexpr int kRun = 12;      ///< for all letters one behind the other from the start of a word, and again where they are all of a name
constexpr int kNever = -1'000'000;

bool startsWord(const QString& text, int i)
{
    if (i == 0)
        return true;
    const QChar before = text[i - 1];
    return !before.isLetterOrNumber() || (before.isLower() && text[i].isUpper());
}

/// The letters one behind the other from the start of a word, marks between words left out: "bucketsize" in "reduce_bucket_size".
std::optional<FuzzyMatch> runIn(const QString& text, const QString& wanted)
{
    const int n = static_cast<int>(wanted.size()), m = static_cast<int>(text.size());
    const auto isName = [&text](int i) { return text[i].isLetterOrNumber(); };
    std::optional<FuzzyMatch> best;
    for (int start = 0; start < m; ++start) {
        if (!startsWord(text, start))
            continue;
        FuzzyMatch run;
        int at = start;
        for (; at < m && run.positions.size() < n; ++at) {
            if (text[at].toCaseFolded() == wanted[run.positions.size()])
                run.positions << at;
            else if (run.positions.isEmpty() || isName(at))
                break;
        }
        if (run.positions.size() < n)
            continue;
        const bool endsWord = at == m || !isName(at), wholeName = endsWord && (at == m || text[at] == QLatin1Char('.')) && (start == 0 || text[start - 1] == QLatin1Char('.'));
        run.score = kWordStart + n * kLetter + (n - 1) * kInARow - std::min(3, start) + kRun + (endsWord ? kRun / 2 : 0) + (wholeName ? kRun : 0);
        if (!best || run.score > best->score)
            best = run;
    }
    return best;
}

/// Whether the letters are found one here and one there: nearly every long name has them so.
bool isScattered(const QString& text, const QList<int>& positions)
{
    constexpr qsizetype kFew = 4;   // of so few letters nobody can tell
    qsizetype pieces = 0;
    bool initials = true;
    for (qsizetype i = 0; i < positions.size(); ++i) {
        if (i > 0 && positions[i] == positions[i - 1] + 1)
            continue;
        ++pieces;
        initials = initials && startsWord(text, positions[i]);
    }
    return positions.size() >= kFew && !initials && 2 * pieces > positions.size();
}

}  // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString& query, const QString& text)
{
    QString wanted;
    for (const QChar c : query)
        if (!c.isSpace())
            wanted += c.toCaseFolded();
    const int n = static_cast<int>(wanted.size());
    const int m = static_cast<int>(text.size());
    if (n == 0)
        return FuzzyMatch{};
    if (n > m)
        return std::nullopt;

    // best[i][j]: best score with letter i of the query at letter j of the text. A letter in a row beats a jump.
    std::vector<std::vector<int>> best(static_cast<std::size_t>(n), std::vector<int>(static_cast<std::size_t>(m), kNever));
    std::vector<std::vector<int>> from(static_cast<std::size_t>(n), std::vector<int>(static_cast<std::size_t>(m), -1));
    for (int i = 0; i < n; ++i) {
        int bestBefore = i == 0 ? 0 : kNever;
        int bestBeforeAt = -1;
        for (int j = 0; j < m; ++j) {
            const auto row = static_cast<std::size_t>(i);
            const auto column = static_cast<std::size_t>(j);
            if (i > 0 && j > 0 && best[row - 1][column - 1] > bestBefore) {
                bestBefore = best[row - 1][column - 1];
                bestBeforeAt = j - 1;
            }
            if (text[j].toCaseFolded() != wanted[i])
                continue;
            const int here = kLetter + (startsWord(text, j) ? kWordStart : 0);
            if (bestBefore > kNever) {
                best[row][column] = bestBefore + here - (i > 0 ? std::min(3, j - bestBeforeAt - 1) : std::min(3, j));
                from[row][column] = bestBeforeAt;
            }
            if (i > 0 && j > 0 && best[row - 1][column - 1] > kNever) {
                const int inARow = best[row - 1][column - 1] + here + kInARow;
                if (inARow >= best[row][column]) {
                    best[row][column] = inARow;
                    from[row][column] = j - 1;
                }
            }
        }
    }
    int end = -1;
    for (int j = 0; j < m; ++j)
        if (best.back()[static_cast<std::size_t>(j)] > kNever && (end < 0 || best.back()[static_cast<std::size_t>(j)] > best.back()[static_cast<std::size_t>(end)]))
            end = j;
    if (end < 0)
        return std::nullopt;
    // Who writes a name out means it, and no initials of others.
    if (auto run = runIn(text, wanted); run && run->score >= best.back()[static_cast<std::size_t>(end)])
        return run;
    FuzzyMatch match;
    match.score = best.back()[static_cast<std::size_t>(end)];
    for (int i = n - 1, j = end; i >= 0 && j >= 0; --i) {
        match.positions.prepend(j);
        j = from[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
    if (isScattered(text, match.positions))
        return std::nullopt;
    return match;
}

}  // namespace stagecraft
