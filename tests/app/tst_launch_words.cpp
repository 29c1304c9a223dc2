// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch from the window is refused with, and what is said of ranks that failed: in the window's language, and with advice
// that a window can follow.
#include "app/core_errors.h"
#include "app/failure_words.h"
#include "app/core_words.h"
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

int wordsOf(const QString& text)
{
    static const QRegularExpression word(QStringLiteral("(?:^|[\\s(\"])[A-Za-z]{2,}(?=[\\s,;:.)\"]|$)"));
    int words = 0;
    for (auto it = word.globalMatch(text); it.hasNext(); it.next())
        ++words;
    return words;
}

/// Advice that only somebody at a terminal can follow.
bool isForTerminals(const QString& text)
{
    static const QRegularExpression advice(QStringLiteral("--[a-z]|`|\\./workbench"));
    return text.contains(advice);
}

// Where sentences are written that keep a launch from happening or end one.
const char* const kSources[] = {"launch", "data", "workspace/workspace.cpp", "workspace/model_section.cpp", "workspace/field_reader.cpp", "config/engine_batch.cpp", "config/engine_config.cpp", "config/engine_optimizer.cpp",
                                "config/engine_other_keys.cpp", "config/engine_zero.cpp", "checkpoint/checkpoint.cpp", "checkpoint/manifest.cpp", "checkpoint/safetensors.cpp", "record/run_folder.cpp",
                                "record/run_lock.cpp", "record/run_contents.cpp", "record/run_info.cpp", "record/append_file.cpp", "base/atomic_file.cpp", "base/mapped_file.cpp", "base/file_lock.cpp",
                                "schedule/compile.cpp", "model/hf_config.cpp", "hardware/gpu_probe.cpp"};

// Of those, what no window shows as a reason. Each is here by name: what is new is a reason until somebody says otherwise.
const QStringList kNotShown = {
    // Lines of the log, which is English in every window.
    QStringLiteral("{} lines not repeated here: rank {} prints faster than {} lines a second; its files have them all"),
    QStringLiteral("stop asked: the ranks finish their step"),
    QStringLiteral("kill asked: the ranks end now"),
    QStringLiteral("the run goes on from step {}: {} ({}) are of a training that is given up, and --resume auto does not continue them"), QStringLiteral("its later checkpoints"),
    QStringLiteral("checkpoints beside its training"), QStringLiteral("no field of a workspace is called {}: it is kept, and has no effect"),
    QStringLiteral("training.evalEvery is {} and there is nothing to evaluate on: set a share of the data aside with --set /data/validationFraction=0.05"),
    QStringLiteral("{} of the {} tensors of \"{}\" are not used, such as \"{}\": the model of the workspace has no place for them, and what is trained is another model than the file's"),
    QStringLiteral("it is the folder of a run"), QStringLiteral("it holds no text"),
    QStringLiteral("the checkpoint of step {} is passed over: {}"),
    QStringLiteral("the run starts over: the checkpoints of its earlier start are set aside beside \"checkpoints\""),
    QStringLiteral("there is no checkpoint in \"{}\" to continue from: the run starts at step 0"),
    QStringLiteral("{} ranks x {} threads share {:g} cores: the run is slower than it would be with a core for each thread"),
    QStringLiteral("{}, and only {} are free now: close other programs, or the kernel may kill a rank"),
    QStringLiteral("{} checkpoints of {} do not fit into the {} free at \"{}\": later saves will fail unless old ones are deleted"),
    // Known with a place for each of its words.
    QStringLiteral("is \"{}\"; the engine has \"silu\" for this family"), QStringLiteral("is \"{}\"; the engine has \"gelu_new\" for this family"),
    // What transports write, to know it again.
    QStringLiteral("Connection closed by peer"), QStringLiteral("Connection reset by peer"), QStringLiteral("Software caused connection abort"), QStringLiteral("Application timeout caused pair closure"),
    QStringLiteral("Timed out waiting"), QStringLiteral("remote process exited"), QStringLiteral("NCCL communicator was aborted"),
    // Of a measurement, which a terminal asks for.
    QStringLiteral("The measurement was cancelled; nothing was kept."), QStringLiteral("The worker says more than a measurement is long."), QStringLiteral("The worker {} while it measured{}."),
    QStringLiteral("The worker's measurement cannot be read: {}; use the worker of this release."),
    // Parts that are told by app/failure_words.cpp.
    QStringLiteral(" before it was done"), QStringLiteral("; its last words: {}"),
    // Of reading and writing tensors by a program that asks for what is not there: never a user's doing.
    QStringLiteral("Cannot read elements [{}, {}) of {} of \"{}\": the checkpoint \"{}\" does not have them."), QStringLiteral("{} of \"{}\" is of type {}, not {}"), QStringLiteral("Stopped verifying the checkpoint."),
    QStringLiteral("Cannot read \"{}\": it is not in \"{}\"."), QStringLiteral("Cannot read elements [{}, {}) of \"{}\": it has {} of type {}."),
    QStringLiteral("Cannot write \"{}\": its shape {} does not fit its {} bytes, or its name is there twice.")};

}  // namespace

class TstLaunchWords : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanup() { m_translations.apply(Language::English); }
    void everyKnownSentenceSpeaksBothLanguages();
    void everySentenceOfALaunchIsKnown();
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
        if ((wordsOf(sentence) >= 3 && !hasHan(chinese)) || isForTerminals(english) || isForTerminals(chinese) || !leftEnglish(chinese).isEmpty())
            wrong << sentence + QStringLiteral(" -> ") + english + QStringLiteral(" -> ") + chinese;
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
}

void TstLaunchWords::everySentenceOfALaunchIsKnown()
{
    const QDir core(QDir(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR")).filePath(QStringLiteral("core_runtime")));
    QStringList files;
    for (const char* source : kSources) {
        const QString path = core.filePath(QLatin1String(source));
        if (QFileInfo(path).isDir())
            for (const QString& name : QDir(path).entryList({QStringLiteral("*.cpp")}))
                files << path + QLatin1Char('/') + name;
        else
            files << path;
    }
    const QStringList known = knownErrors();
    static const QRegularExpression literal(QStringLiteral("\"((?:[^\"\\\\]|\\\\.)*)\""));
    static const QRegularExpression place(QStringLiteral("\\{[^{}]*\\}"));
    m_translations.apply(Language::SimplifiedChinese);
    int sentences = 0;
    QStringList unknown;
    for (const QString& path : files) {
        QFile file(path);
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
        int number = 0;
        for (QString line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
            ++number;
            if (const QString start = line.trimmed(); start.startsWith(QLatin1String("//")) || start.startsWith(QLatin1String("#include")) || start.startsWith(QLatin1String("static_assert")))
                continue;
            if (const auto comment = line.lastIndexOf(QLatin1String("  // ")); comment >= 0)
                line.truncate(comment);
            for (auto it = literal.globalMatch(line); it.hasNext();) {
                QString text = it.next().captured(1);
                text.replace(QLatin1String("\\\""), QLatin1String("\"")).replace(QLatin1String("\\\\"), QLatin1String("\\"));
                if (wordsOf(text) < 3)
                    continue;   // a name, a key, a word
                ++sentences;
                if (kNotShown.contains(text) || hasHan(whyText(text.toStdString())))
                    continue;
                // Put together from known parts.
                if (const QString told = errorText(QString(text).replace(place, QStringLiteral("7")).toStdString()); hasHan(told) && leftEnglish(told).isEmpty())
                    continue;
                // Or a part of a known sentence, with anything at its places.
                QStringList pieces;
                for (const QString& piece : QString(text).replace(place, QStringLiteral("\n")).replace(QLatin1String("{{"), QLatin1String("{")).replace(QLatin1String("}}"), QLatin1String("}")).split(QLatin1Char('\n')))
                    pieces << QRegularExpression::escape(piece.endsWith(QLatin1Char('.')) ? piece.chopped(1) : piece);
                const QRegularExpression part(pieces.join(QStringLiteral(".*")));
                if (std::none_of(known.begin(), known.end(), [&part](const QString& sentence) { return sentence.contains(part); }))
                    unknown << QStringLiteral("%1:%2 %3").arg(core.relativeFilePath(path)).arg(number).arg(text);
            }
        }
    }
    QVERIFY2(sentences > 200, qPrintable(QString::number(sentences)));
    for (const QString& sentence : unknown)
        qWarning("%s", qPrintable(sentence));
    QVERIFY2(unknown.isEmpty(), "Write these in app/launch_sentences.cpp, with a translation (what no window shows, in kNotShown here)");
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
