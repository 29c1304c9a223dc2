// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/dataset.h"
#include "data/training_length.h"
#include "workspace/workspace.h"

#include <QtTest>

#include <QDir>
#include <QTemporaryDir>

#include <numeric>
#include <set>

using namespace stagecraft;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const QByteArray& content)
{
    QFile out(QString::fromStdString(file.string()));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(content);
}

template <class Token>
QByteArray counting(int count)
{
    std::vector<Token> tokens(static_cast<std::size_t>(count));
    std::iota(tokens.begin(), tokens.end(), Token{0});
    return {reinterpret_cast<const char*>(tokens.data()), static_cast<qsizetype>(tokens.size() * sizeof(Token))};
}

DataRequest request(const fs::path& folder, const char* source, std::int64_t seq, std::int64_t vocab)
{
    DataRequest r;
    r.folder = folder;
    r.source = source;
    r.seq = seq;
    r.vocab = vocab;
    r.sequential = true;
    return r;
}

}  // namespace

class TstDataset : public QObject {
    Q_OBJECT
private slots:
    void init() { m_temporary = std::make_unique<QTemporaryDir>(); }
    void cleanup() { m_temporary.reset(); }

    void everyTokenFormatReadsTheSame_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("u16") << QString("a.u16") << counting<std::uint16_t>(100);
        QTest::newRow("bin is u16") << QString("a.bin") << counting<std::uint16_t>(100);
        QTest::newRow("u32") << QString("a.u32") << counting<std::uint32_t>(100);
        const auto npy = [](const char* type, const QByteArray& content) {
            QByteArray header = QByteArray("{'descr': '") + type + "', 'fortran_order': False, 'shape': (100,), }";
            header = header.leftJustified(117, ' ') + '\n';
            return QByteArray("\x93NUMPY\x01\x00\x76\x00", 10) + header + content;
        };
        QTest::newRow("npy of uint8") << QString("a.npy") << npy("|u1", counting<std::uint8_t>(100));
        QTest::newRow("npy of int16") << QString("a.npy") << npy("<i2", counting<std::int16_t>(100));
        QTest::newRow("npy of uint32") << QString("a.npy") << npy("<u4", counting<std::uint32_t>(100));
        QTest::newRow("npy of int64") << QString("a.npy") << npy("<i8", counting<std::int64_t>(100));
        QTest::newRow("text as bytes") << QString("a.txt") << counting<std::uint8_t>(101).mid(1);
    }
    void everyTokenFormatReadsTheSame()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        write(path(name.toStdString()), content);
        const auto data = Dataset::open(request(folder(), name.toStdString().c_str(), 9, 200));
        QVERIFY2(data.hasValue(), data.hasValue() ? "" : data.error().message.c_str());
        const std::int64_t first = name == "a.txt" ? 1 : 0;
        QCOMPARE(data.value().tokens(), std::int64_t{100});
        QCOMPARE(data.value().trainingWindows(), std::int64_t{11});
        std::vector<std::int64_t> inputs(2 * 9), labels(2 * 9);
        data.value().fillBatch(1, 1, 1, {2, 2, 2}, inputs.data(), labels.data());
        // sample (1*2+1)*2 + 8 = 14 and 15: windows 3 and 4
        for (std::int64_t i = 0; i < 18; ++i) {
            QCOMPARE(inputs[static_cast<std::size_t>(i)], first + 27 + i);
            QCOMPARE(labels[static_cast<std::size_t>(i)], first + 28 + i);
        }
    }

    void folderOfTextIsOneText()
    {
        fs::create_directories(path("t/b"));
        fs::create_directories(path("t/.git"));
        write(path("t/b/2.txt"), "cdefg");
        write(path("t/a.txt"), "ab");
        write(path("t/empty.txt"), "");
        write(path("t/z.md"), "hij");
        write(path("t/picture.png"), QByteArray("\x89PNG\0\0", 6));
        write(path("t/.hidden"), "xxxx");
        write(path("t/.git/x"), "yyyy");
        fs::create_directories(path("t/run1"));
        write(path("t/run1/run.json"), "{\"stagecraftRun\": 1}");
        write(path("t/run1/events.ndjson"), "a record that grows");
        const auto data = Dataset::open(request(folder(), "t", 9, 256));
        QVERIFY2(data.hasValue(), data.hasValue() ? "" : data.error().message.c_str());
        QCOMPARE(data.value().tokens(), std::int64_t{10});
        QCOMPARE(data.value().skipped().size(), std::size_t{2});
        std::vector<std::int64_t> inputs(9), labels(9);
        data.value().fillBatch(0, 0, 0, {1, 1, 1}, inputs.data(), labels.data());
        QCOMPARE(QByteArray("abcdefghi"), bytes(inputs));
        QCOMPARE(QByteArray("bcdefghij"), bytes(labels));
    }

    void linksInAFolderOfTextAreFollowed()
    {
        fs::create_directories(path("w/elsewhere/deep"));
        fs::create_directories(path("w/linked"));
        write(path("w/elsewhere/deep/1.txt"), "abcdefghijkl");
        fs::create_directory_symlink("../elsewhere", path("w/linked/a"));
        fs::create_directory_symlink("../elsewhere/deep", path("w/linked/b"));  // the same once more
        fs::create_directory_symlink("..", path("w/elsewhere/up"));             // and round in a circle: all of the folder above
        write(path("w/linked/c.txt"), "xyz");
        const auto data = Dataset::open(request(folder(), "w/linked", 8, 256));
        QVERIFY2(data.hasValue(), data.hasValue() ? "" : data.error().message.c_str());
        std::vector<std::int64_t> inputs(8), labels(8);
        data.value().fillBatch(0, 0, 0, {1, 1, 1}, inputs.data(), labels.data());
        QCOMPARE(bytes(inputs), QByteArray("abcdefgh"));
        QCOMPARE(data.value().tokens(), std::int64_t{15});

        if (::geteuid() == 0)
            return;  // whom nothing is closed to
        fs::permissions(path("w/elsewhere/deep"), fs::perms::none);
        const auto closed = Dataset::open(request(folder(), "w/linked", 8, 256));
        fs::permissions(path("w/elsewhere/deep"), fs::perms::owner_all);
        QVERIFY(!closed.hasValue());
        QVERIFY2(closed.error().message.find("deep") != std::string::npos, closed.error().message.c_str());
    }

    void demoIsProseOfSomeLength()
    {
        const auto data = Dataset::open(request("/nowhere", "builtin:demo", 256, 256));
        QVERIFY2(data.hasValue(), data.hasValue() ? "" : data.error().message.c_str());
        QVERIFY2(data.value().tokens() > 100'000, qPrintable(QString::number(data.value().tokens())));
        std::vector<std::int64_t> inputs(256), labels(256);
        data.value().fillBatch(0, 0, 0, {1, 1, 1}, inputs.data(), labels.data());
        QVERIFY(bytes(inputs).contains("GNU GENERAL PUBLIC LICENSE"));
    }

    void validationIsTheTailAndNeverTrained()
    {
        write(path("a.u16"), counting<std::uint16_t>(401));
        DataRequest r = request(folder(), "a.u16", 4, 1000);
        r.validationFraction = 0.1;
        for (const bool sequential : {true, false}) {
            r.sequential = sequential;
            const auto data = Dataset::open(r);
            QVERIFY(data.hasValue());
            QCOMPARE(data.value().trainingWindows(), std::int64_t{90});
            QCOMPARE(data.value().validationWindows(), std::int64_t{10});
            std::vector<std::int64_t> inputs(4), labels(4);
            std::set<std::int64_t> trained;
            for (std::int64_t step = 0; step < 200; ++step) {
                data.value().fillBatch(step, 0, 0, {1, 1, 1}, inputs.data(), labels.data());
                trained.insert(inputs[0]);
                QVERIFY(labels[3] <= 360);
            }
            QCOMPARE(trained.size(), std::size_t{90});
            // Three ranks, two at a time: each window once, in total ten.
            std::multiset<std::int64_t> seen;
            std::vector<std::int64_t> pairInputs(8), pairLabels(8);
            QCOMPARE(data.value().validationBatches(3, 2), std::int64_t{2});
            for (std::int64_t batch = 0; batch < 2; ++batch) {
                for (int rank = 0; rank < 3; ++rank) {
                    const std::int64_t counted = data.value().fillValidation(batch, rank, 3, 2, pairInputs.data(), pairLabels.data());
                    for (std::int64_t item = 0; item < counted; ++item) seen.insert(pairInputs[static_cast<std::size_t>(item * 4)]);
                }
            }
            std::multiset<std::int64_t> expected;
            for (std::int64_t k = 90; k < 100; ++k) expected.insert(k * 4);
            QVERIFY(seen == expected);
        }
    }

    void aTinyFractionStillValidates()
    {
        write(path("a.u16"), counting<std::uint16_t>(41));
        DataRequest r = request(folder(), "a.u16", 4, 1000);
        r.validationFraction = 0.001;
        QCOMPARE(Dataset::open(r).value().validationWindows(), std::int64_t{1});
        r.validationFraction = 0;
        QCOMPARE(Dataset::open(r).value().validationWindows(), std::int64_t{0});
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        QTest::newRow("an empty text") << QString("a.txt") << QByteArray() << QString("is empty");
        QTest::newRow("fewer tokens than one sequence") << QString("a.txt") << QByteArray("12345678") << QString("needs 9");
        QTest::newRow("a vocabulary too small") << QString("a.u16") << counting<std::uint16_t>(101) << QString("at least 101");
        QTest::newRow("a vocabulary too small for the bytes") << QString("a.txt") << QByteArray("plain text with \xc3\xa9") << QString("at least 196");
        QTest::newRow("half a token") << QString("a.u32") << counting<std::uint16_t>(101) << QString("4-byte tokens");
        QTest::newRow("zero bytes in a text") << QString("a.txt") << QByteArray("abcdefghijk\0lmnop", 17) << QString("no text");
        QTest::newRow("a damaged npy") << QString("a.npy") << QByteArray("\x93NUMPY\x01\x00", 8) << QString(".npy");
        QTest::newRow("a Megatron index") << QString("a.idx") << QByteArray("MMIDIDX\0\0", 9) << QString("Megatron");
        QTest::newRow("a negative token") << QString("a.npy")
                                          << QByteArray("\x93NUMPY\x01\x00\x76\x00", 10) + QByteArray("{'descr': '<i2', 'fortran_order': False, 'shape': (9,), }").leftJustified(117, ' ') + '\n'
                + QByteArray(18, '\xff')
                                          << QString("negative");
    }
    void refuses()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(QString, says);
        write(path(name.toStdString()), content);
        const auto data = Dataset::open(request(folder(), name.toStdString().c_str(), 8, 100));
        QVERIFY(!data.hasValue());
        const QString message = QString::fromStdString(data.error().message);
        QVERIFY2(message.contains(says) && message.contains(name), qPrintable(message));
        QCOMPARE(data.error().context.at("pointer"), std::string("/data/source"));
    }

    void refusesWhatIsNotThere()
    {
        const auto missing = Dataset::open(request(folder(), "no.txt", 8, 256));
        QCOMPARE(missing.error().code, ErrorCode::NotFound);
        QVERIFY(!Dataset::open(request(folder(), "builtin:poems", 8, 256)).hasValue());
        fs::create_directory(path("void"));
        QVERIFY(!Dataset::open(request(folder(), "void", 8, 256)).hasValue());
        QVERIFY(!Dataset::open(request("/dev", "null", 8, 256)).hasValue());
        write(path("a.txt"), QByteArray(100, 'a'));
        DataRequest r = request(folder(), "a.txt", 8, 256);
        r.tokenizer = "tokenizer.json";
        QCOMPARE(Dataset::open(r).error().code, ErrorCode::Refused);
        r.tokenizer = "bytes";
        r.validationFraction = 0.99;
        r.seq = 90;
        QVERIFY(!Dataset::open(r).hasValue());
    }

    void refusesMoreRanksThanSamples()
    {
        write(path("a.txt"), QByteArray(25, 'a'));
        const auto data = Dataset::open(request(folder(), "a.txt", 8, 256));
        QCOMPARE(data.value().trainingWindows(), std::int64_t{3});
        QVERIFY(data.value().checkRanks(3).hasValue());
        const auto refused = data.value().checkRanks(4);
        QVERIFY(!refused.hasValue());
        QVERIFY(refused.error().message.find("4 ranks") != std::string::npos);
    }

    void epochsAreSteps_data()
    {
        QTest::addColumn<double>("epochs");
        QTest::addColumn<std::int64_t>("windows");
        QTest::addColumn<std::int64_t>("batch");
        QTest::addColumn<std::int64_t>("steps");
        const auto row = [](const char* name, double epochs, std::int64_t windows, std::int64_t batch, std::int64_t steps) { QTest::newRow(name) << epochs << windows << batch << steps; };
        row("three whole epochs", 3.0, 100, 10, 30);
        row("a last batch that is not full", 1.0, 101, 10, 11);
        row("the rest of one epoch begins the next batch", 3.0, 101, 10, 31);
        row("a tenth that binary numbers miss", 0.1, 30, 1, 3);
        row("less than one batch", 0.001, 100, 64, 1);
        row("half an epoch", 0.5, 100, 8, 7);
        row("more than can be counted", 1e6, std::int64_t{1} << 60, 1, kMostTrainingSteps);
    }
    void epochsAreSteps()
    {
        QFETCH(double, epochs);
        QFETCH(std::int64_t, windows);
        QFETCH(std::int64_t, batch);
        QFETCH(std::int64_t, steps);
        TrainingSection training;
        training.steps = 77;
        QCOMPARE(stepsOfTraining(training, windows, batch), std::int64_t{77});
        training.epochs = epochs;
        QCOMPARE(stepsOfTraining(training, windows, batch), steps);
    }

private:
    [[nodiscard]] fs::path folder() const { return m_temporary->path().toStdString(); }
    [[nodiscard]] fs::path path(const std::string& name) const { return folder() / name; }
    static QByteArray bytes(const std::vector<std::int64_t>& tokens)
    {
        QByteArray text;
        for (const std::int64_t token : tokens) text += static_cast<char>(token);
        return text;
    }

    std::unique_ptr<QTemporaryDir> m_temporary;
};

QTEST_APPLESS_MAIN(TstDataset)
#include "tst_dataset.moc"
