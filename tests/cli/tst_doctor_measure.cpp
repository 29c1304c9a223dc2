// SPDX-License-Identifier: GPL-3.0-or-later
// The measurement of this machine end to end: a short one by the real worker, what is kept of it, and what is not.
#include "command_line.h"

#include <QDir>
#include <QRegularExpression>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QtTest>

#include <csignal>

class TstDoctorMeasure : public QObject, stagecraft::test::CommandLine {
    Q_OBJECT
    using Answer = stagecraft::test::Answer;

    [[nodiscard]] QString file() const { return dataPath("machine.json"); }
    /// What lies in the folder of runs, hidden names included.
    [[nodiscard]] QStringList left() const { return QDir(dataPath("runs")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot); }

private slots:
    void initTestCase() { QVERIFY(!qEnvironmentVariable("STAGECRAFT_BIN_DIR").isEmpty()); }

    void measuresKeepsAndForgets()
    {
        QVERIFY(call({"doctor", "--json"}).json()["measurement"].isNull());
        const Answer measured = call({"doctor", "--measure", "--seconds", "2", "--json"});
        QVERIFY2(measured.code == 0, measured.err.constData());
        QVERIFY2(measured.err.contains("matrix products") && measured.err.contains("collectives"), measured.err.constData());
        // On a busy machine the first word comes late, and what is left is by what the first part took.
        static const QRegularExpression begins(QStringLiteral("(^|\\n) *0 %  memory, about [2-9] s left\\n"));
        QVERIFY2(begins.match(QString::fromUtf8(measured.err)).hasMatch() && measured.err.contains("100 %  done\n"), measured.err.constData());
        const QJsonObject told = measured.json()["measurement"].toObject();
        QVERIFY(told["holds"].toBool());
        QVERIFY(left().isEmpty());
        // One that took far longer than was asked for says so, and no other.
        const auto findings = measured.json()["findings"].toArray();
        const bool said = std::any_of(findings.begin(), findings.end(), [](const auto& f) { return f.toObject()["message"].toString().contains("where 2 s were asked for"); });
        QCOMPARE(said, told["seconds"].toDouble() > 8);

        QFile kept(file());
        QVERIFY(kept.open(QIODevice::ReadOnly));
        const QJsonObject whole = QJsonDocument::fromJson(kept.readAll()).object();
        QCOMPARE(whole["measuredAt"], told["measuredAt"]);
        QVERIFY(whole["gemms"].toArray().size() >= 48);
        // More arithmetic takes longer: 512 cubed against 64 cubed is 512 times the work.
        QHash<QString, double> seconds;
        for (const auto& entry : whole["gemms"].toArray()) {
            const QJsonObject g = entry.toObject();
            if (g["threads"].toInt() != 1 || g["copies"].toInt() != 1) continue;
            if (g["m"] == g["n"] && g["n"] == g["k"]) seconds[QString("%1.%2.%3").arg(g["type"].toString(), g["kind"].toString()).arg(g["m"].toInt())] = g["seconds"].toDouble();
        }
        for (const QString& type : {"fp32", "bf16"})
            for (const QString& kind : {"nn", "nt", "tn"}) {
                const double small = seconds.value(QString("%1.%2.64").arg(type, kind)), large = seconds.value(QString("%1.%2.512").arg(type, kind));
                QVERIFY2(small > 0 && large > small, qPrintable(type + " " + kind));
            }
        QSet<QString> kernels, collectives, rates;
        for (const auto& entry : whole["kernelRates"].toArray()) kernels.insert(entry.toObject()["name"].toString());
        for (const auto& entry : whole["collectives"].toArray()) collectives.insert(entry.toObject()["kind"].toString());
        for (const auto& entry : whole["rates"].toArray()) rates.insert(entry.toObject()["id"].toString());
        for (const char* name : {"rms_norm", "layer_norm_backward", "swiglu", "gelu_backward", "cross_entropy", "attention", "attention_backward", "adam", "copy", "dropout", "embed"}) QVERIFY2(kernels.contains(name), name);
        for (const char* name : {"all_gather", "reduce_scatter", "all_reduce_scalars"}) QVERIFY2(collectives.contains(name), name);
        for (const char* name : {"memory.copy.1", "memory.triad.1", "disk.write", "disk.read"}) QVERIFY2(rates.contains(name), name);

        QVERIFY(whole["steps"].toArray().size() >= 4);
        for (const auto& entry : whole["steps"].toArray()) QVERIFY(entry.toObject()["seconds"].toDouble() > 0);

        // A plan made here uses it, and says so; asked to, it goes by the data sheet.
        QFile workspace(path("w.json"));
        QVERIFY(workspace.open(QIODevice::WriteOnly));
        workspace.write(R"({"stagecraft": 1, "model": {"family": "llama", "hidden": 128, "layers": 2, "heads": 4, "kvHeads": 4, "ffn": 344, "vocab": 512, "seq": 64}, "layout": {"dp": 2},
            "hardware": {"devicesPerNode": 2}, "dsConfig": {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}}})");
        workspace.close();
        const QJsonObject here = call({"plan", workspace.fileName(), "--json"}).json()["forecast"].toObject();
        QCOMPARE(here["basis"].toString(), "measured");
        QVERIFY(here["source"].toString().contains(told["measuredAt"].toString().left(10)));
        const QJsonObject sheet = call({"plan", workspace.fileName(), "--json", "--from-data-sheet"}).json()["forecast"].toObject();
        QCOMPARE(sheet["basis"].toString(), "data_sheet");
        QVERIFY(call({"plan", workspace.fileName()}).out.contains("measured on"));

        const Answer seen = call({"doctor"});
        QVERIFY2(seen.out.contains("Measured  " + told["measuredAt"].toString().toUtf8()), seen.out.constData());
        QVERIFY(call({"doctor", "--forget-measure", "--json"}).json()["measurement"].isNull());
        QVERIFY(!QFile::exists(file()));
        QCOMPARE(call({"doctor", "--forget-measure", "--json"}).code, 0);  // nothing to forget is no mistake
    }

    // A folder's own speed is what a plan counts with that swaps to it here.
    void aFolderIsMeasuredForSwapping()
    {
        QTemporaryDir folder;
        const QString swap = folder.path() + "/swap";
        QVERIFY(QDir().mkpath(swap));
        const auto diskOf = [&](const QByteArray& nvmePath) {
            QTemporaryFile workspace;
            if (!workspace.open()) qFatal("no room for a workspace");
            workspace.write(R"({"stagecraft": 1, "model": {"preset": "gpt2"}, "hardware": {"device": "cpu", "devicesPerNode": 2}, "framework": {"name": "deepspeed"}, "dsConfig": {"train_micro_batch_size_per_gpu": 1,
                "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme", "nvme_path": ")" + nvmePath + R"("}}}})");
            workspace.close();
            double rate = 0;
            for (const QJsonValue& item : call({"plan", workspace.fileName(), "--json"}).json()["traffic"].toObject()["items"].toArray())
                if (item["operation"] == "file_read") rate = item["bytes"].toDouble() / item["seconds"].toDouble();
            return rate;
        };
        QVERIFY(qAbs(diskOf(swap.toUtf8()) / 3e9 - 1) < 1e-6);   // two devices share 6 GB/s
        const Answer measured = call({"doctor", "--disk", folder.path() + "/", "--json"});
        QVERIFY2(measured.code == 0, measured.err.constData());
        const QJsonObject disk = measured.json()["measuredDisks"].toArray().first().toObject();
        QCOMPARE(disk["folder"].toString(), folder.path());
        const double read = disk["readBytesPerSecond"].toDouble();
        QVERIFY(read > 1e6 && disk["writeBytesPerSecond"].toDouble() > 1e5);
        QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList{"swap"});
        QVERIFY(qAbs(diskOf(swap.toUtf8()) * 2 / read - 1) < 1e-6);
        QVERIFY(qAbs(diskOf("/elsewhere") / 3e9 - 1) < 1e-6);
        QVERIFY(call({"doctor"}).out.contains(folder.path().toUtf8()));
        // Once a folder, however often it is measured.
        QCOMPARE(call({"doctor", "--disk", folder.path(), "--json"}).json()["measuredDisks"].toArray().size(), 1);
        const Answer missing = call({"doctor", "--disk", folder.path() + "/missing"});
        QVERIFY(missing.code == 1 && missing.err.contains("missing") && missing.err.contains("No such file"));
        QCOMPARE(call({"doctor", "--forget-measure"}).code, 0);
        QVERIFY(qAbs(diskOf(swap.toUtf8()) / 3e9 - 1) < 1e-6);
    }

    void whatIsKeptMayBeBroken()
    {
        QVERIFY(QDir().mkpath(dataPath("")));
        QFile kept(file());
        QVERIFY(kept.open(QIODevice::WriteOnly));
        kept.write("{\"format\": 1, ");
        kept.close();
        const Answer answer = call({"doctor", "--json"});
        QCOMPARE(answer.code, 0);
        const QJsonObject told = answer.json()["measurement"].toObject();
        QVERIFY(!told["holds"].toBool() && told["problem"].toString().contains(file()));
        QVERIFY(call({"doctor"}).out.contains("--forget-measure"));
        QCOMPARE(call({"doctor", "--forget-measure"}).code, 0);
    }

    void cancelledKeepsNothing()
    {
        const auto process = start({"doctor", "--measure", "--seconds", "300"});
        process->setReadChannel(QProcess::StandardError);
        QByteArray err;
        while (!err.contains("matrix products") && process->waitForReadyRead(60'000)) err += process->readAllStandardError();
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(process->waitForFinished(60'000));
        QCOMPARE(process->exitStatus(), QProcess::NormalExit);
        QCOMPARE(process->exitCode(), 130);
        QVERIFY((err + process->readAllStandardError()).contains("cancelled"));
        QVERIFY(!QFile::exists(file()));
        QVERIFY(left().isEmpty());
    }

    void wrongUseIsTold()
    {
        QCOMPARE(call({"doctor", "--seconds", "5"}).code, 2);
        QCOMPARE(call({"doctor", "--measure", "--seconds", "0"}).code, 2);
        QCOMPARE(call({"doctor", "--measure", "--forget-measure"}).code, 2);
        QCOMPARE(call({"doctor", "--disk", ""}).code, 2);
    }
};

QTEST_GUILESS_MAIN(TstDoctorMeasure)
#include "tst_doctor_measure.moc"
