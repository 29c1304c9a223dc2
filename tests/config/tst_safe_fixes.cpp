// SPDX-License-Identifier: GPL-3.0-or-later
// Every safe fix at once: as many checks as fixes depend on one another, not one for each.
#include "verdict_rows.h"

#include "config/safe_fixes.h"

#include "config/json_edit.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

using namespace stagecraft;

namespace {

const std::string kJob = R"(  "train_micro_batch_size_per_gpu": 1,
  "optimizer": {"type": "AdamW", "params": {"lr": 3e-4}},
  "zero_optimization": {"stage": 2})";

std::vector<CheckFinding> findingsOf(const std::string& text)
{
    return checkConfig(text, {}).value().findings;
}

/// The same where somebody has said that the keys called "..._unread_setting_..." can go: more of them than DeepSpeed has dead keys.
std::vector<CheckFinding> allowedFindingsOf(const std::string& text)
{
    std::vector<CheckFinding> findings = findingsOf(text);
    for (CheckFinding& finding : findings)
        if (finding.pointer.find("_unread_setting_") != std::string::npos) {
            finding.safe = true;
            finding.fix = R"([{"op": "remove", "path": ")" + finding.pointer + "\"}]";
        }
    return findings;
}

struct Outcome {
    std::string text;
    int checks = 0;
};

Outcome fixed(const std::string& text, std::vector<CheckFinding> (*find)(const std::string&) = findingsOf)
{
    Outcome outcome;
    outcome.text = withSafeFixes(JsonDocument::parse(text).value(), find(text), [&outcome, find](const std::string& now) {
        ++outcome.checks;
        return std::optional(find(now));
    });
    return outcome;
}

/// The job with `count` keys that nothing reads, before it, behind it, and in its last section.
std::string withUnknownKeys(int count, const char* separator)
{
    std::string before, behind;
    for (int i = 0; i < count; ++i) {
        before += "  \"my_unread_setting_" + std::to_string(i) + "\": " + std::to_string(i) + "," + separator;
        behind += std::string(",") + separator + "  \"other_unread_setting_" + std::to_string(i) + "\": [" + std::to_string(i) + ", {\"a\": 1}]";
    }
    return "{" + std::string(separator) + before + kJob + behind + separator + "}";
}

}  // namespace

class TstSafeFixes : public QObject {
    Q_OBJECT
private slots:
    void punctuationIsMended();
    void otherSpellingsAreMended_data();
    void otherSpellingsAreMended();
    void manyAreAppliedTogether_data();
    void manyAreAppliedTogether();
    void whatTouchesComesInTheNextRound();
    void quotedNumbersLoseTheirQuotes();
    void whatIsNotSafeStays();
    void whatAScriptMayReadStays();
    void whatWasMovedStays();
    void nothingToFixAsksNobody();
    void oneLineStaysOne_data();
    void oneLineStaysOne();
};

void TstSafeFixes::oneLineStaysOne_data()
{
    QTest::addColumn<QString>("file");
    for (const char* file : {"habits", "mixed", "users", "projects"}) QTest::newRow(file) << QString(file);
}

/// Of every listing, safe or not: what a fix adds to a text on one line joins it.
void TstSafeFixes::oneLineStaysOne()
{
    QFETCH(QString, file);
    const std::filesystem::path rows = std::filesystem::path(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString()) / "tests/data/verdicts" / (file.toStdString() + ".jsonl");
    int tried = 0;
    for (const nlohmann::ordered_json& row : verdictRows(rows.string())) {
        const auto config = nlohmann::ordered_json::parse(row["text"].get<std::string>(), nullptr, false);
        if (!config.is_object() || config.empty()) continue;
        std::vector<std::string> warnings;
        CheckContext context = readCheckContext(row.value("context", nlohmann::ordered_json::object()).dump(), warnings).value();
        context.release = row["release"];
        const JsonDocument document = JsonDocument::parse(config.dump()).value();
        const CheckAnswer answer = checkConfig(document.text(), context).value();
        for (const CheckFinding& finding : answer.findings) {
            const auto edits = finding.fix.empty() ? Result<std::vector<TextEdit>>(Error{}) : patchEdits(document, nlohmann::json::parse(finding.fix));
            if (!edits.hasValue()) continue;
            const std::string after = applyEdits(document.text(), *edits);
            QVERIFY2(after.find('\n') == std::string::npos, (finding.fix + "\n" + after).c_str());
            ++tried;
        }
    }
    QVERIFY(tried > 20);
}

/// A colon, a quote or a bracket that can stand in one place alone, one behind another.
void TstSafeFixes::punctuationIsMended()
{
    const std::string whole = "{\n" + kJob + ",\n  \"bf16\": {\"enabled\": true},\n  \"steps_per_print\": 10\n}\n";
    for (const auto& [right, wrong] : {std::pair<const char*, const char*>{"\"steps_per_print\": 10", "\"steps_per_print\" 10"}, {"\"bf16\": {", "\"bf16\" {"}, {"\"steps_per_print\":", "\"steps_per_print\" ="}, {"\"steps_per_print\":", "\"steps_per_print:"}, {"true},", "true}},"}, {"3e-4}}", "3e-4]}"}}) {
        std::string text = whole;
        text.replace(text.find(right), std::string(right).size(), wrong);
        const auto mended = withEverySafeFix(text, {});
        QVERIFY(mended.hasValue());
        QCOMPARE(QString::fromStdString(mended->text), QString::fromStdString(whole));
    }
}

void TstSafeFixes::otherSpellingsAreMended_data()
{
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("json");   // empty where somebody has to decide
    const auto row = [](const char* value, const char* json) { QTest::newRow(value) << QString::fromUtf8(value) << QString::fromUtf8(json); };
    row("4_000", "4000");
    row("500_000_000", "500000000");
    row(".0001", "0.0001");
    row("1.e-4", "1.0e-4");
    row("+8", "8");
    row("08", "8");
    row("TRUE", "true");
    row("NULL", "null");
    row("\uff18", "8");
    row("\u201cAdamW\u201d", "\"AdamW\"");
    row("\u201ctwo words\u201d", "\"two words\"");
    row("`AdamW`", "\"AdamW\"");
    row("1E-4", "");
    row("4,000", "");
    row("8 of 9", "");
}

/// Where a number, a word or a text can be but one, at the end of a line, before a comma, before a bracket and in a list.
void TstSafeFixes::otherSpellingsAreMended()
{
    QFETCH(QString, value);
    QFETCH(QString, json);
    for (const char* around : {"{\n%1  \"job\": %2\n}\n", "{\n%1  \"job\": %2,\n  \"steps_per_print\": 10\n}\n", "{\n%1  \"job\": {\"a\": %2}\n}\n", "{\n%1  \"job\": [1, %2]\n}\n"}) {
        const QString job = QString::fromStdString(kJob) + ",\n";
        const QString text = QString(around).arg(job, value), expected = QString(around).arg(job, json.isEmpty() ? value : json);
        const auto mended = withEverySafeFix(text.toStdString(), {});
        QVERIFY(mended.hasValue());
        QVERIFY2(!json.isEmpty() || QString::fromStdString(mended->text).contains(value), mended->text.c_str());
        if (!json.isEmpty()) QCOMPARE(QString::fromStdString(mended->text), expected);
    }
}

void TstSafeFixes::manyAreAppliedTogether_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<QByteArray>("separator");
    QTest::newRow("two keys on lines of their own") << 1 << QByteArray("\n");
    QTest::newRow("six on one line") << 3 << QByteArray(" ");
    QTest::newRow("more than the check lists at once") << 300 << QByteArray("\n");
    QTest::newRow("hundreds on one line") << 200 << QByteArray(" ");
}

void TstSafeFixes::manyAreAppliedTogether()
{
    QFETCH(int, count);
    QFETCH(QByteArray, separator);
    const std::string text = withUnknownKeys(count, separator.constData());
    int safe = 0;
    for (const CheckFinding& finding : allowedFindingsOf(text))
        safe += isSafeFix(finding);
    QVERIFY2(safe >= std::min(2 * count, 400), "the check offers a fix for each of them, as far as it lists them");
    Outcome outcome = fixed(text, allowedFindingsOf);
    if (safe < 2 * count) outcome = fixed(outcome.text, allowedFindingsOf);  // what found no room in the list was not shown, and waits
    QVERIFY2(outcome.text.find("unread_setting") == std::string::npos, outcome.text.substr(0, 2000).c_str());
    QVERIFY2(outcome.checks <= 4, qPrintable(QString::number(outcome.checks)));
    // What DeepSpeed reads stands as it was written.
    QVERIFY2(outcome.text.find(kJob) != std::string::npos, outcome.text.c_str());
    for (const CheckFinding& finding : allowedFindingsOf(outcome.text))
        QVERIFY2(!isSafeFix(finding), finding.message.c_str());
}

void TstSafeFixes::whatTouchesComesInTheNextRound()
{
    // The same place twice, and a place inside another: the outer fix is taken, the rest is asked for again.
    const JsonDocument document = JsonDocument::parse(R"({"a": {"b": 1, "c": 2}, "d": 3})").value();
    const auto removes = [](const char* pointer) {
        CheckFinding finding;
        finding.safe = true;
        finding.pointer = pointer;
        finding.fix = std::string(R"([{"op": "remove", "path": ")") + pointer + "\"}]";
        return finding;
    };
    std::vector<std::string> seen;
    const std::string text = withSafeFixes(document, {removes("/a"), removes("/a"), removes("/a/b")}, [&seen, &removes](const std::string& now) {
        seen.push_back(now);
        return std::optional(now.find("\"d\"") != std::string::npos ? std::vector{removes("/a/b"), removes("/d")} : std::vector<CheckFinding>());
    });
    QCOMPARE(seen.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(seen.front()), QStringLiteral(R"({"d": 3})"));
    QCOMPARE(QString::fromStdString(text), QStringLiteral(R"({"d": 3})"));  // nobody was shown that this goes, too
}

/// A number in quotes is the number that is meant, wherever it stands; and only what had a fix to be seen is fixed.
void TstSafeFixes::quotedNumbersLoseTheirQuotes()
{
    const std::string text = R"({"train_batch_size": "32", "steps_per_print": "100", "gradient_clipping": "0.5", "lr": 1e-4, "optimizer": {"type": "AdamW", "params": {"lr": "1e-4"}}})";
    const auto now = nlohmann::json::parse(fixed(text).text);
    QCOMPARE(QString::fromStdString(now.dump()), QStringLiteral(R"({"gradient_clipping":0.5,"lr":0.0001,"optimizer":{"params":{"lr":0.0001},"type":"AdamW"},"steps_per_print":100,"train_batch_size":32})"));
}

void TstSafeFixes::whatIsNotSafeStays()
{
    const std::string text = R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 2, "reduce_buket_size": 1}})";
    QCOMPARE(QString::fromStdString(fixed(text).text), QString::fromStdString(text));
}

/// DeepSpeed tolerates keys it does not know, and scripts read theirs from the same file: none of that goes unasked, nor what was meant by it.
void TstSafeFixes::whatAScriptMayReadStays()
{
    const std::string own = R"("mixed_precision": "bf16", "bf16_enabled": true, "activation_checkpoint": {"enabled": true}, "my_script": {"epochs": 3}, "seed": 42,
        "pipeline": {"stages": 2}, "flops_profiler": {"enabled": false, "my_note": 1}, "bfloat16": {"enabled": true}, "bf16": {"enabled": false})";
    const std::string text = "{" + kJob + ", " + own + "}";
    QCOMPARE(QString::fromStdString(fixed(text).text), QString::fromStdString(text));
    // Only what the catalogue knows as dead goes.
    QCOMPARE(QString::fromStdString(fixed("{" + kJob + R"(, "disable_allgather": true, "fp32_allreduce": false})").text), QString::fromStdString("{" + kJob + "}"));
}

/// What stands in the wrong section is moved first and last without effect in between: nothing of it is taken out.
void TstSafeFixes::whatWasMovedStays()
{
    const std::string text = R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "bf16": {"enabled": true, "overlap_comm": true, "reduce_bucket_size": 5e8, "stage": 2}})";
    const auto now = nlohmann::json::parse(fixed(text).text);
    QCOMPARE(QString::fromStdString(now["bf16"].dump()), QStringLiteral(R"({"enabled":true})"));
    QCOMPARE(QString::fromStdString(now["zero_optimization"].dump()), QStringLiteral(R"({"overlap_comm":true,"reduce_bucket_size":500000000.0,"stage":2})"));
    // A rate without an optimizer does nothing, and is not thrown away unasked.
    const std::string rate = R"({"train_batch_size": 8, "lr": 1e-5})";
    QCOMPARE(QString::fromStdString(fixed(rate).text), QString::fromStdString(rate));
}

void TstSafeFixes::nothingToFixAsksNobody()
{
    const Outcome outcome = fixed("{" + kJob + "}");
    QCOMPARE(outcome.checks, 0);
}

QTEST_GUILESS_MAIN(TstSafeFixes)
#include "tst_safe_fixes.moc"
