// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch from the window is refused with, and what is said of ranks that failed: in the window's language, and with advice
// that a window can follow.
#include "app/core_errors.h"
#include "app/failure_words.h"
#include "app/file_flow.h"
#include "app/launch_judge.h"
#include "app/plan_service.h"
#include "app/translations.h"
#include "launch/blame.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

bool hasHan(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
}

/// English that a translation left, beside what is quoted.
QString leftEnglish(QString text)
{
    static const QRegularExpression quoted(QStringLiteral("\"[^\"]*\"|'[^']*'|“[^”]*”"));
    static const QRegularExpression word(QStringLiteral("\\b(use|is|are|must|give|which|found|expected|missing|the|from|launch|choose|needs?|has|it|its|and|with|of|to|this|cannot|remove|number)\\b"), QRegularExpression::CaseInsensitiveOption);
    text.remove(quoted);
    return word.match(text).captured();
}

/// Advice that only somebody at a terminal can follow.
bool isForTerminals(const QString& text)
{
    static const QRegularExpression advice(QStringLiteral("--[a-z]|`|\\./workbench"));
    return text.contains(advice);
}

}  // namespace

class TstLaunchWords : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanup() { m_translations.apply(Language::English); }
    void everyKnownSentenceSpeaksBothLanguages();
    void refusalsSpeakBothLanguages_data();
    void refusalsSpeakBothLanguages();
    void failuresSpeakBothLanguages_data();
    void failuresSpeakBothLanguages();

private:
    Translations m_translations;
    QTemporaryDir m_folder;
};

void TstLaunchWords::initTestCase()
{
    const auto write = [this](const char* name, const QByteArray& bytes) {
        QFile file(m_folder.filePath(QLatin1String(name)));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    };
    write("empty.txt", "");
    write("short.txt", "eleven byte");
    write("odd.u16", "123");
    write("zeros.txt", QByteArray("a\0b", 3));
    write("broken.npy", "no array");
    write("broken.safetensors", "no tensors here");
    write("list.safetensors", QByteArray("\x02\0\0\0\0\0\0\0[]", 10));
    QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("nothing")));
}

void TstLaunchWords::everyKnownSentenceSpeaksBothLanguages()
{
    QStringList wrong;
    for (const QString& sentence : knownErrors()) {
        m_translations.apply(Language::English);
        const QString english = errorText(sentence.toStdString());
        m_translations.apply(Language::SimplifiedChinese);
        const QString chinese = errorText(sentence.toStdString());
        // Frames such as "%1: %2" and words such as "true" are the same in each language.
        if ((sentence.count(QLatin1Char(' ')) >= 3 && !hasHan(chinese)) || isForTerminals(english) || isForTerminals(chinese) || !leftEnglish(chinese).isEmpty())
            wrong << sentence + QStringLiteral(" -> ") + english + QStringLiteral(" -> ") + chinese;
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
}

void TstLaunchWords::refusalsSpeakBothLanguages_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("kept");
    const auto row = [](const char* name, const char* pointer, const char* value, const char* kept) { QTest::newRow(name) << QString(pointer) << QString(value) << QString(kept); };
    row("a vocabulary too small", "/model/vocab", "100", "100");
    row("an empty text", "/data/source", R"("empty.txt")", "empty.txt");
    row("a text too short", "/data/source", R"("short.txt")", "short.txt");
    row("a sequence longer than the data", "/model/seq", "100000000", "builtin:demo");
    row("no text", "/data/source", R"("zeros.txt")", "zeros.txt");
    row("half a token", "/data/source", R"("odd.u16")", "odd.u16");
    row("no array", "/data/source", R"("broken.npy")", "broken.npy");
    row("an empty folder", "/data/source", R"("nothing")", "nothing");
    row("no data", "/data/source", R"("none.txt")", "none.txt");
    row("another built-in text", "/data/source", R"("builtin:none")", "builtin:none");
    row("another tokenizer", "/data/tokenizer", R"("gpt2")", "gpt2");
    row("all data for validation", "/data", R"({"source": "builtin:demo", "validationFraction": 0.99999999})", "1");
    row("weights that are not there", "/model/init", R"("none.safetensors")", "none.safetensors");
    row("broken weights", "/model/init", R"("broken.safetensors")", "broken.safetensors");
    row("weights without tensors", "/model/init", R"("list.safetensors")", "list.safetensors");
    row("no steps", "/training/steps", "0", "\"training.steps\"");
    row("an unknown device", "/hardware/device", R"("H1000")", "H1000");
    row("an absent device", "/hardware/device", R"("MI300X")", "MI300X");
    row("too many ranks", "/layout/dp", "100000", "100000");
    row("two nodes", "/hardware", R"({"nodes": 2, "devicesPerNode": 1})", "2");
    row("tensor parallelism", "/layout", R"({"dp": 1, "tp": 2})", "\"layout.tp\"");
    row("selective recomputation", "/layout/recompute", R"("selective")", "selective");
    row("another backend", "/launch/backend", R"("slurm")", "slurm");
    row("an adapter", "/model/adapter", R"({"rank": 8})", "adapter");
    row("fp16", "/dsConfig/fp16", R"({"enabled": true})", "fp16.enabled");
    row("another optimizer", "/dsConfig/optimizer", R"({"type": "Muon", "params": {}})", "Muon");
    row("batches that do not agree", "/dsConfig/train_batch_size", "7", "train_batch_size");
    row("offloading", "/dsConfig/zero_optimization", R"({"stage": 2, "offload_optimizer": {"device": "cpu"}})", "offload_optimizer");
    row("more memory than there is", "/model", R"({"preset": "llama-3-8b"})", "");
}

void TstLaunchWords::refusalsSpeakBothLanguages()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, kept);
    const std::filesystem::path folder = m_folder.path().toStdString();
    const auto refusal = refusalOfOwnEngine({withValue(FileFlow::demoText(), pointer.toStdString(), value.toStdString()), folder, folder / "runs", folder / "stagecraft", "0"});
    QVERIFY(refusal.has_value());
    m_translations.apply(Language::English);
    const QString english = errorText(*refusal);
    m_translations.apply(Language::SimplifiedChinese);
    const QString chinese = errorText(*refusal);
    const QString both = english + QStringLiteral(" -> ") + chinese;
    QVERIFY2(!isForTerminals(english) && !isForTerminals(chinese), qPrintable(both));
    QVERIFY2(hasHan(chinese) && leftEnglish(chinese).isEmpty(), qPrintable(leftEnglish(chinese) + QStringLiteral(" in ") + both));
    QVERIFY2(chinese.contains(kept), qPrintable(both));
}

void TstLaunchWords::failuresSpeakBothLanguages_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<bool>("bySignal");
    QTest::addColumn<QString>("lastOp");
    QTest::addColumn<QString>("lastWords");
    for (const int number : {SIGKILL, SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTERM})
        QTest::addRow("signal %d", number) << number << true << QStringLiteral("Forward block.2") << QString();
    QTest::newRow("an exit") << 7 << false << QString() << QString();
    QTest::newRow("an early exit") << 0 << false << QStringLiteral("Load the data") << QStringLiteral("OSError: during a long; night");
    QTest::newRow("no word") << -1 << false << QStringLiteral("Forward block.2") << QString();
}

void TstLaunchWords::failuresSpeakBothLanguages()
{
    QFETCH(int, code);
    QFETCH(bool, bySignal);
    QFETCH(QString, lastOp);
    QFETCH(QString, lastWords);
    RankEvidence evidence;
    evidence.rank = 3;
    evidence.lastOp = lastOp.toStdString();
    evidence.lastErrorLine = lastWords.toStdString();
    evidence.silentNs = 1;
    if (code >= 0)
        evidence.end = ProcessEnd{bySignal, code};
    const auto blame = blameOf({evidence});
    QVERIFY(blame.has_value());
    const RunFailure failure{blame->rank, blame->kind, blame->message, blame->lastOp, 0};
    m_translations.apply(Language::English);
    QCOMPARE(failureText(failure), QString::fromStdString(blame->message));
    m_translations.apply(Language::SimplifiedChinese);
    QString chinese = failureText(failure);
    const QString kind = failureKindText(failure.kind);
    m_translations.apply(Language::English);
    for (const QString& kept : {lastOp, lastWords}) {
        QVERIFY2(chinese.contains(kept), qPrintable(chinese));
        if (!kept.isEmpty())
            chinese.remove(kept);
    }
    static const QRegularExpression english(QStringLiteral("\\b(was|died|by|exited|code|during|before|words|the|without)\\b"));
    QVERIFY2(hasHan(chinese) && !chinese.contains(english), qPrintable(chinese));
    QVERIFY2(hasHan(kind), qPrintable(kind));
}

QTEST_MAIN(TstLaunchWords)
#include "tst_launch_words.moc"
