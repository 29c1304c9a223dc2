// SPDX-License-Identifier: GPL-3.0-or-later
// How far a release gets with a config on a number of ranks, and what is said, listed and offered of it.
#include "config/check.h"
#include "config/json_context.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

/// A job with an optimizer that starts, and `more` beside it.
QString with(const QString& more)
{
    return R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, )" + more + "}";
}

CheckAnswer answerFor(const QString& text, const QString& release, const QString& context, int ranks, const char* language = "en")
{
    std::vector<std::string> warnings;
    CheckContext surroundings = readCheckContext(context.toStdString(), warnings).value();
    surroundings.release = release.toStdString();
    surroundings.language = language;
    if (ranks > 0) {
        surroundings.world = ranks;
        if (!surroundings.pipelineModel)
            surroundings.ranks = ranks;
    }
    auto answer = checkConfig(text.toStdString(), surroundings);
    if (!answer.hasValue())
        qFatal("%s", answer.error().message.c_str());
    return std::move(answer.value());
}

}  // namespace

class TstCheckReleases : public QObject {
    Q_OBJECT

private slots:
    void verdicts_data();
    void verdicts();
    void nothingIsDerivedFromWhatIsRefused_data();
    void nothingIsDerivedFromWhatIsRefused();
};

void TstCheckReleases::verdicts_data()
{
    QTest::addColumn<QString>("release");
    QTest::addColumn<int>("ranks");  // 0 = nobody gave them
    QTest::addColumn<QString>("context");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("level");    // of the answer; empty = it starts
    QTest::addColumn<QString>("pointer");  // where `says` is said
    QTest::addColumn<QString>("says");     // that the messages there hold, separated by |; empty = no message there
    const auto row = [](const QString& name, const char* release, int ranks, const QString& text, const char* level, const char* pointer, const char* says, const char* context = "{}") {
        QTest::newRow(qPrintable(name + " on " + release)) << QString(release) << ranks << QString(context) << text << QString(level) << QString(pointer) << QString(says);
    };
    row("a job that starts", "0.19.8", 2, with(R"("bf16": {"enabled": true})"), "", "", "");
}

void TstCheckReleases::verdicts()
{
    QFETCH(QString, release);
    QFETCH(int, ranks);
    QFETCH(QString, context);
    QFETCH(QString, text);
    QFETCH(QString, level);
    QFETCH(QString, pointer);
    QFETCH(QString, says);
    for (const char* language : {"en", "zh"}) {
        const CheckAnswer answer = answerFor(text, release, context, ranks, language);
        QString all, messages;
        for (const CheckFinding& finding : answer.findings) {
            const QString told = QString::fromStdString(finding.message) + "\n";
            all += QString::fromStdString(finding.rule + " " + finding.pointer + ": ") + told;
            messages += finding.pointer == pointer.toStdString() ? told : QString();
        }
        QVERIFY2(QString(answer.level ? checkLevelName(*answer.level) : "") == level, qPrintable(all));
        QVERIFY2(!all.contains('{') || !all.contains("{release}"), qPrintable(all));
        if (language == std::string("zh")) {
            QVERIFY2(says.isEmpty() == messages.isEmpty() || pointer.isEmpty(), qPrintable(all));
            continue;
        }
        QVERIFY2(!says.isEmpty() || pointer.isEmpty() || messages.isEmpty(), qPrintable(all));
        for (const QString& words : says.split('|', Qt::SkipEmptyParts))
            QVERIFY2(messages.contains(words), qPrintable(words + " is missing in\n" + all));
    }
}

void TstCheckReleases::nothingIsDerivedFromWhatIsRefused_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("ignored");  // of what the answer lists; DeepSpeed's reader stops, so a key is listed only where its place is certain
    QTest::addColumn<QString>("never");    // that no message says
    const auto row = [](const char* name, const QString& more, const char* ignored, const char* never) { QTest::newRow(name) << with(more) << QString(ignored) << QString(never); };
    const QString section = R"("zero_optimization": {"stage": 3, "%1": %2})";
    for (const char* block : {"offload_optimizer", "offload_param"}) {
        const QString at = QStringLiteral("/zero_optimization/%1/nvme_path").arg(block);
        row(qPrintable(QString("an unknown key beside nvme in ") + block), section.arg(block, R"({"device": "nvme", "nvme_path": "/local_nvme", "buffer_counts": 4})"), "", "the device is");
        row(qPrintable(QString("a count in words beside nvme in ") + block), section.arg(block, R"({"device": "nvme", "nvme_path": "/local_nvme", "buffer_count": "many"})"), "", "the device is");
        row(qPrintable(QString("an unknown key beside cpu in ") + block), section.arg(block, R"({"device": "cpu", "nvme_path": "/local_nvme", "buffer_counts": 4})"), qPrintable(at), R"(the device is "none")");
        row(qPrintable(QString("a device that is none in ") + block), section.arg(block, R"({"device": "nvm", "nvme_path": "/local_nvme"})"), "", "the device is");
    }
    row("a ratio above 1", section.arg("offload_optimizer", R"({"device": "nvme", "nvme_path": "/local_nvme", "ratio": 1.5})"), "", "the device is");
    row("a switch of bf16 in words", R"("bf16": {"enabled": "perhaps"}, "zero_optimization": {"allgather_bucket_size": 5000})", "", "allgather_bucket_size");
    row("a switch of DeepCompile in words", R"("compile": {"deepcompile": "perhaps"}, "zero_optimization": {"reduce_bucket_size": 5000})", "", "reduce_bucket_size");
}

void TstCheckReleases::nothingIsDerivedFromWhatIsRefused()
{
    QFETCH(QString, text);
    QFETCH(QString, ignored);
    QFETCH(QString, never);
    const CheckAnswer answer = answerFor(text, "0.19.8", "{}", 0);
    QVERIFY(answer.level == CheckLevel::Parse);
    std::string listed;
    for (const std::string& pointer : answer.ignored)
        listed += (listed.empty() ? "" : " ") + pointer;
    QCOMPARE(QString::fromStdString(listed), ignored);
    for (const CheckFinding& finding : answer.findings)
        QVERIFY2(!QString::fromStdString(finding.message).contains(never), finding.message.c_str());
}

QTEST_APPLESS_MAIN(TstCheckReleases)
#include "tst_check_releases.moc"
