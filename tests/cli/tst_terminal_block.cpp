// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/terminal_block.h"

#include <QtTest>
#include <algorithm>

using namespace stagecraft::cli;

namespace {

/// A terminal: lines that wrap at its right edge, scroll at its bottom, and the two sequences that the block uses.
class Screen {
public:
    explicit Screen(TerminalSize size) : m_size(size), m_rows(1) {}

    void write(std::string_view told)
    {
        std::string text(told);   // one byte a column
        for (std::size_t at = text.find("…"); at != std::string::npos; at = text.find("…")) text.replace(at, std::string_view("…").size(), "~");
        for (std::size_t at = 0; at < text.size();) {
            if (text.compare(at, 3, "\x1b[J") == 0) {
                m_rows.resize(static_cast<std::size_t>(m_row) + 1);
                m_rows.back().resize(std::min(m_rows.back().size(), static_cast<std::size_t>(m_column)));
                at += 3;
            } else if (text[at] == '\x1b') {
                const int up = std::atoi(std::string(text.substr(at + 2)).c_str());
                m_row = std::max({0, m_row - up, static_cast<int>(m_rows.size()) - m_size.rows});
                at = text.find('A', at) + 1;
            } else {
                put(text[at++]);
            }
        }
    }

    [[nodiscard]] TerminalSize size() const { return m_size; }
    [[nodiscard]] QStringList rows() const
    {
        QStringList all;
        for (const std::string& row : m_rows) all << QString::fromStdString(row);
        return all;
    }
    /// As a narrower window shows it: what is longer wraps.
    void narrow(int columns)
    {
        std::vector<std::string> rows;
        for (const std::string& row : m_rows)
            for (std::size_t at = 0; at == 0 || at < row.size(); at += static_cast<std::size_t>(columns)) rows.push_back(row.substr(at, static_cast<std::size_t>(columns)));
        m_rows = std::move(rows);
        m_row = static_cast<int>(m_rows.size()) - 1;
        m_size.columns = columns;
    }

private:
    void put(char c)
    {
        if (c == '\r') m_column = 0;
        if (c == '\r') return;
        if (c == '\n' || m_column == m_size.columns) {
            ++m_row;
            m_column = 0;
            if (m_row == static_cast<int>(m_rows.size())) m_rows.emplace_back();
        }
        if (c == '\n') return;
        std::string& row = m_rows[static_cast<std::size_t>(m_row)];
        row.resize(static_cast<std::size_t>(m_column));
        row += c;
        ++m_column;
    }

    TerminalSize m_size;
    std::vector<std::string> m_rows;   // with what has scrolled out
    int m_row = 0, m_column = 0;
};

const std::string kStep = "step 12 of 100  loss 2.3531  lr 1.00e-03  grad norm 0.812  49,200 tokens/s  192 samples/s  3.42 TFLOP/s per rank  0.21 s a step  18.5 s left";

}  // namespace

class TstTerminalBlock : public QObject {
    Q_OBJECT
private slots:
    void drawnOverItIsThereOnce_data()
    {
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("lines");
        QTest::newRow("a wide terminal") << 200 << 24 << 3;
        QTest::newRow("80 columns") << 80 << 24 << 3;
        QTest::newRow("20 columns") << 20 << 24 << 3;
        QTest::newRow("one column") << 1 << 24 << 3;
        QTest::newRow("fewer rows than lines") << 80 << 5 << 17;
        QTest::newRow("as many rows as lines") << 80 << 17 << 17;
        QTest::newRow("two rows") << 80 << 2 << 4;
    }
    void drawnOverItIsThereOnce()
    {
        QFETCH(int, columns);
        QFETCH(int, rows);
        QFETCH(int, lines);
        Screen screen({columns, rows});
        TerminalBlock block([&](std::string_view text) { screen.write(text); }, [&] { return screen.size(); });
        const QStringList before = screen.rows();
        for (int round = 0; round < 50; ++round) {
            std::vector<std::string> drawn{kStep};
            for (int i = 1; i < lines; ++i) drawn.push_back("  rank " + std::to_string(i) + (round % 2 == 0 ? "  ReduceScatter of something with a long name, so that it may wrap" : ""));
            block.draw(drawn);
            QVERIFY2(screen.rows().size() <= std::min(lines, std::max(1, rows - 1)) + 1, qPrintable(screen.rows().join('\n')));
        }
        block.clear();
        QCOMPARE(screen.rows(), before);
    }

    void linesThatStayAreKept()
    {
        Screen screen({40, 10});
        TerminalBlock block([&](std::string_view text) { screen.write(text); }, [&] { return screen.size(); });
        for (int i = 0; i < 30; ++i) {
            block.draw({kStep, "  rank 0"});
            block.clear();
            screen.write("said " + std::to_string(i) + "\n");
        }
        block.draw({"end"});
        block.leave();
        block.clear();
        QStringList wanted;
        for (int i = 0; i < 30; ++i) wanted << QString("said %1").arg(i);
        QCOMPARE(screen.rows(), wanted << "end" << "");
    }

    void aNarrowerWindowLeavesNothingBehind()
    {
        Screen screen({150, 24});
        TerminalBlock block([&](std::string_view text) { screen.write(text); }, [&] { return screen.size(); });
        screen.write("kept\n");
        for (const int columns : {150, 80, 33}) {
            screen.narrow(columns);
            block.draw({kStep, "  rank 0  running", "  rank 1  running"});
            QCOMPARE(screen.rows().size(), 5);
        }
        block.clear();
        QCOMPARE(screen.rows(), (QStringList{"kept", ""}));
    }

    void fieldsStayWhole()
    {
        QCOMPARE(foldFields(kStep, 200), std::vector<std::string>{kStep});
        for (const int columns : {24, 40, 79, 80, 120}) {
            std::string joined;
            for (const std::string& line : foldFields(kStep, columns)) {
                QVERIFY2(columnsOf(line) <= columns, line.c_str());
                joined += line;
            }
            QCOMPARE(joined, kStep);
        }
        QVERIFY(foldFields("", 80).empty());
        QCOMPARE(foldFields("one field that is too long", 5).size(), std::size_t{1});
    }

    void textIsCutAtItsColumns()
    {
        QCOMPARE(cutToColumns("rank 0", 6), std::string("rank 0"));
        QCOMPARE(cutToColumns("rank 10", 6), std::string("rank …"));
        QCOMPARE(cutToColumns("rank", 0), std::string());
        QCOMPARE(columnsOf("演示 ü"), 6);
        QCOMPARE(cutToColumns("演示演示", 6), std::string("演示…"));
        QCOMPARE(cutToColumns("演示演示", 2), std::string("…"));
        QCOMPARE(columnsOf("\xff\xe6\xbc"), 3);  // not UTF-8
        QCOMPARE(columnsOf("e\xcc\x81"), 1);       // combining
    }
};

QTEST_GUILESS_MAIN(TstTerminalBlock)
#include "tst_terminal_block.moc"
