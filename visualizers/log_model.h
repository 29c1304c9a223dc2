// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QRegularExpression>
#include <QString>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error };

struct LogLine {
    std::int64_t timeNs = 0;   ///< wall clock
    int rank = -1;             ///< -1 = the supervisor
    LogLevel level = LogLevel::Info;
    QString text;
};

/// Which lines are shown.
struct LogFilter {
    LogLevel least = LogLevel::Debug;
    int rank = kAllRanks;
    QString text;              ///< part of the line, any case; or a regular expression
    bool regex = false;
    static constexpr int kAllRanks = -2;
    bool operator==(const LogFilter&) const = default;
};

/// The merged log of all ranks, as far as it passes the filter.
///
/// Lines are kept packed in blocks; beyond `maxBytes` the oldest block goes. Filtering a long log happens in slices, by
/// filterSome(), so that a million lines never hold up a frame; lines arriving meanwhile are in order.
class LogModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { TimeRole = Qt::UserRole + 1, RankRole, LevelRole, LineRole };

    explicit LogModel(std::size_t maxBytes = std::size_t{192} << 20, QObject* parent = nullptr);

    void append(const std::vector<LogLine>& lines);
    void clear();
    /// The lines that follow are of another start of the run.
    void beginPart();

    /// @return false, and nothing changes, when the text is not a valid regular expression; problem() says why
    bool setFilter(const LogFilter& filter);
    [[nodiscard]] const LogFilter& filter() const { return m_filter; }
    [[nodiscard]] QString problem() const { return m_problem; }
    /// Looks at up to `lines` more lines that the filter has not seen. Call once per frame while isFiltering().
    void filterSome(int lines = 20'000);
    [[nodiscard]] bool isFiltering() const { return m_seen < m_end; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] LogLine line(int row) const;
    /// Lines held, before filtering; and lines that had to go.
    [[nodiscard]] std::int64_t lineCount() const { return m_end - m_first; }
    [[nodiscard]] std::int64_t droppedLines() const { return m_first; }
    /// Number of the first error of the newest start that has one: of `rank` where that one has an error there, else of any.
    /// Looks at hidden lines too. -1 if no line held is an error.
    [[nodiscard]] std::int64_t firstError(int rank = LogFilter::kAllRanks) const;
    /// Row of a line by its number, -1 while the filter hides it or has not seen it.
    [[nodiscard]] int rowOf(std::int64_t number) const;
    /// Whether any line held is an error, shown or not.
    [[nodiscard]] bool hasErrors() const { return m_errors > 0; }
    /// Ranks that have spoken, rising.
    [[nodiscard]] const std::vector<int>& ranks() const { return m_ranks; }
    [[nodiscard]] std::size_t memoryBytes() const { return m_bytes; }

signals:
    void filterChanged();
    void ranksChanged();

private:
    static constexpr std::size_t kBlockLines = 2048;
    struct Head {
        std::int64_t timeNs = 0;
        std::uint32_t begin = 0;   // of the text in the block
        std::int32_t rank = -1;
        LogLevel level = LogLevel::Info;
    };
    struct Block {
        std::vector<Head> heads;
        std::string text;          // UTF-8, one line after the other
    };

    [[nodiscard]] std::pair<const Block*, std::size_t> find(std::int64_t number) const;
    [[nodiscard]] std::string_view textOf(const Block& block, std::size_t index) const;
    [[nodiscard]] bool passes(const Head& head, std::string_view text) const;
    void addRows(const std::vector<std::int64_t>& numbers);
    void trim();

    std::size_t m_maxBytes;
    std::size_t m_bytes = 0;
    std::deque<Block> m_blocks;        // all but the last hold kBlockLines
    std::int64_t m_first = 0;          // number of the first line held; numbers never change
    std::int64_t m_end = 0;            // one past the last
    std::int64_t m_seen = 0;           // the filter has looked at all before
    std::deque<std::int64_t> m_rows;   // numbers of the lines that pass
    std::int64_t m_errors = 0;
    std::vector<std::int64_t> m_parts;   // number of the first line of each start but the first
    std::vector<int> m_ranks;
    LogFilter m_filter;
    QRegularExpression m_pattern;
    QString m_problem;
};

}  // namespace stagecraft
