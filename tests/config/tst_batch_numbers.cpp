// SPDX-License-Identifier: GPL-3.0-or-later
// Batch sizes as Python has them: integers without an end, floats, and true.
#include "config/check.h"
#include "config/rules/whole_number.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <fstream>
#include <random>
#include <sstream>

using namespace stagecraft;
using rules::WholeNumber;
using Json = nlohmann::ordered_json;

class TstBatchNumbers : public QObject {
    Q_OBJECT

private slots:
    void asEachReleaseAnswers();
    void printedWithAllDigits_data();
    void printedWithAllDigits();
    void wholeNumbersAreExact();
    void floatsBecomeTheirExactValue();
};

/// Rows of tests/oracle/deepspeed_verdicts.py: what each release made of the sizes, spelled as Python's json does.
void TstBatchNumbers::asEachReleaseAnswers()
{
    std::ifstream stream(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString() + "/tests/data/batch_numbers.jsonl");
    std::string line;
    int rows = 0;
    while (std::getline(stream, line)) {
        const Json row = Json::parse(line);
        CheckContext context;
        context.release = row["release"].get<std::string>();
        context.world = row["world"].get<int>();
        const auto answer = checkConfig(row["text"].get<std::string>(), context);
        QVERIFY(answer.hasValue());
        QVERIFY2(answer->parseOk == (row["parse"] == "ok"), line.c_str());
        const std::string text = checkAnswerJson(answer.value());
        // beyond the largest float it is JSON still, which this library does not read
        QVERIFY2((line.size() > 800 || Json::accept(text)) && text.find("discarded") == std::string::npos && text.find("wide:") == std::string::npos, text.c_str());
        std::string resolved;
        for (const char* key : {"\"train_batch_size\": ", "\"micro\": ", "\"gas\": "}) {
            const std::size_t from = text.find(key);
            if (from != std::string::npos && answer->resolved.has_value()) {
                const std::size_t begin = from + std::string(key).size();
                resolved += (resolved.empty() ? "" : " ") + text.substr(begin, text.find_first_of(",\n", begin) - begin);
            }
        }
        // integers digit by digit; floats as numbers, which each writer spells in its own way
        std::istringstream ours(resolved), real(row["resolved"].get<std::string>());
        std::string one, other;
        while (real >> other) {
            QVERIFY2(ours >> one, line.c_str());
            const bool exact = other.find_first_not_of("0123456789") == std::string::npos || other == "true";
            QVERIFY2(exact ? one == other : Json::parse(one) == Json::parse(other) && Json::parse(one).is_number_float(), (line + " ours " + resolved).c_str());
        }
        ++rows;
    }
    QVERIFY(rows > 300);
}

void TstBatchNumbers::printedWithAllDigits_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shown");  // batch, micro-batch, accumulation
    QTest::newRow("2^63 + 1") << R"({"train_micro_batch_size_per_gpu": 9223372036854775809})" << "9223372036854775809 9223372036854775809 1";
    QTest::newRow("a product beyond 64 bits") << R"({"train_micro_batch_size_per_gpu": 9223372036854775807, "gradient_accumulation_steps": 9223372036854775807})"
                                              << "85070591730234615847396907784232501249 9223372036854775807 9223372036854775807";
    QTest::newRow("true") << R"({"train_batch_size": true})" << "true 1 1";
    QTest::newRow("a fraction") << R"({"train_micro_batch_size_per_gpu": 2.5})" << "2.5 2.5 1";
}

void TstBatchNumbers::printedWithAllDigits()
{
    QFETCH(QString, text);
    QFETCH(QString, shown);
    const auto answer = checkConfig(text.toStdString(), CheckContext());
    QVERIFY(answer.hasValue() && answer->resolved.has_value());
    QCOMPARE(QString::fromStdString(batchNumberText(answer->resolved->trainBatchSize) + " " + batchNumberText(answer->resolved->micro) + " " + batchNumberText(answer->resolved->gas)), shown);
    const std::string json = checkAnswerJson(answer.value());
    QVERIFY2(Json::accept(json) && json.find("wide") == std::string::npos, json.c_str());
}

void TstBatchNumbers::wholeNumbersAreExact()
{
    std::mt19937_64 random(20);
    const auto number = [&] {
        std::string digits(1 + random() % 60, '0');
        for (char& digit : digits)
            digit = static_cast<char>('0' + random() % 10);
        return WholeNumber::ofDigits(digits);
    };
    for (int i = 0; i < 500; ++i) {
        const WholeNumber a = number(), b = number(), c = number();
        if (b.isZero())
            continue;
        const auto [quotient, rest] = a.dividedBy(b);
        QVERIFY(rest < b);
        QCOMPARE(a.times(b).dividedBy(b).first.digits(), a.digits());
        QCOMPARE(a.times(b).times(c).digits(), c.times(b).times(a).digits());
        // a = quotient * b + rest, without an addition: (a - rest) divides
        QCOMPARE(quotient.times(b).dividedBy(b).first.digits(), quotient.digits());
        QVERIFY(quotient.times(b) <= a);
    }
    for (int i = 0; i < 500; ++i) {
        const std::uint64_t a = random() >> (random() % 64), b = (random() >> (random() % 64)) | 1;
        const auto [quotient, rest] = WholeNumber(a).dividedBy(WholeNumber(b));
        QCOMPARE(quotient.digits(), std::to_string(a / b));
        QCOMPARE(rest.digits(), std::to_string(a % b));
        QCOMPARE(WholeNumber(a) < WholeNumber(b), a < b);
        QCOMPARE(WholeNumber::ofDigits(std::to_string(a)).digits(), std::to_string(a));
    }
    QCOMPARE(WholeNumber::ofDigits("000").digits(), std::string("0"));
}

void TstBatchNumbers::floatsBecomeTheirExactValue()
{
    QCOMPARE(WholeNumber::ofFloat(0.0).digits(), std::string("0"));
    QCOMPARE(WholeNumber::ofFloat(1e30).digits(), std::string("1000000000000000019884624838656"));
    QCOMPARE(WholeNumber::ofDigits("1000000000000000019884624838656").asDouble(), 1e30);
    QCOMPARE(WholeNumber::ofFloat(1.7976931348623157e308).digits().size(), std::size_t{309});
    QVERIFY(std::isinf(WholeNumber::ofDigits(std::string(400, '9')).asDouble()));
}

QTEST_APPLESS_MAIN(TstBatchNumbers)
#include "tst_batch_numbers.moc"
