// SPDX-License-Identifier: GPL-3.0-or-later
// A real run, what it teaches, and the plans that use it, by the commands people type.
#include "command_line.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cmath>

class TstRunCalibration : public QObject, stagecraft::test::CommandLine {
    Q_OBJECT

    struct Answer {
        int exitCode = -1;
        QJsonObject json;
        QString error;
    };
    Answer call(const QStringList& arguments) const
    {
        const stagecraft::test::Answer answer = CommandLine::call(arguments);
        return {answer.code, answer.json(), answer.err};
    }
    Answer plan(const QStringList& more = {}) { return call(QStringList{"plan", "w.json", "--json"} + more); }
    QJsonArray kept() { return call({"runs", "calibrations", "--json"}).json["calibrations"].toArray(); }

    /// How steady a busy machine's steps are is chance: the recorded ones are made so, 50 ms each.
    void makeSteady(const QString& run)
    {
        const QString file = run + "/ranks/00000/metrics.ndjson";
        QByteArray out;
        for (const QByteArray& line : read(file).trimmed().split('\n')) {
            QJsonObject step = QJsonDocument::fromJson(line).object();
            step["stepTime"] = 0.05;
            step["phases"] = QJsonObject{{"data", 0.001}, {"forward", 0.015}, {"backward", 0.03}, {"communication", 0.0}, {"optimizer", 0.003}, {"wait", 0.001}};
            out += QJsonDocument(step).toJson(QJsonDocument::Compact) + '\n';
        }
        write(file, out);
    }

private slots:
    void initTestCase()
    {
        write("w.json", R"({"stagecraft": 1, "model": {"family": "llama", "hidden": 32, "layers": 2, "heads": 2, "kvHeads": 2, "ffn": 64, "vocab": 256, "seq": 32},
            "hardware": {"devicesPerNode": 1}, "training": {"steps": 12}, "dsConfig": {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 1}}})");
        const Answer run = call({"run", "w.json", "--run-dir", "observed", "--json"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.error));
        QVERIFY(call({"run", "w.json", "--run-dir", "short", "--set", "/training/steps=3", "--json"}).exitCode == 0);
        makeSteady("observed");
    }

    void aRunIsKeptAndUsedAndForgotten()
    {
        QCOMPARE(plan().json["forecast"].toObject()["basis"].toString(), QString("data_sheet"));
        QVERIFY(kept().isEmpty());

        const Answer calibrated = call({"runs", "calibrate", "observed", "--json"});
        QVERIFY2(calibrated.exitCode == 0, qPrintable(QJsonDocument(calibrated.json).toJson()));
        QVERIFY(calibrated.json["usedHere"].toBool());
        // The parts' own medians, what they make together, and what that has to do with the step.
        const QByteArray shown = CommandLine::call({"runs", "calibrate", "observed"}).out;
        QVERIFY2(shown.contains("together            0.05 s, each part the median of its own steps; forecasts take 1 times of each"), shown);
        const QJsonObject evidence = calibrated.json["calibration"].toObject();
        QCOMPARE(evidence["steps"].toInt(), 10);
        QCOMPARE(evidence["stepTime"].toObject()["median"].toDouble(), 0.05);
        QCOMPARE(evidence["layout"].toObject()["stage"].toInt(), 1);
        QCOMPARE(evidence["run"].toObject()["folder"].toString(), QFileInfo(path("observed")).canonicalFilePath());
        QVERIFY(evidence["parts"].toArray()[0].toObject()["factor"].toDouble() > 0);
        QVERIFY(QFile::exists(calibrated.json["file"].toString()));
        QCOMPARE(kept().size(), 1);
        QVERIFY(call({"runs", "calibrate", "observed", "--json"}).exitCode == 0);
        QCOMPARE(kept().size(), 1);  // a run is kept once

        const QJsonObject forecast = plan().json["forecast"].toObject();
        QCOMPARE(forecast["basis"].toString(), QString("calibrated"));
        QCOMPARE(forecast["calibration"].toString(), evidence["id"].toString());
        QVERIFY2(std::abs(forecast["stepTime"].toDouble() - 0.05) < 1e-9, qPrintable(QString::number(forecast["stepTime"].toDouble())));
        QCOMPARE(plan({"--no-calibration"}).json["forecast"].toObject()["basis"].toString(), QString("data_sheet"));
        QCOMPARE(plan({"--set", "/model/ffn=96"}).json["forecast"].toObject()["basis"].toString(), QString("data_sheet"));
        const QJsonObject twice = plan({"--set", "/dsConfig/gradient_accumulation_steps=2"}).json["forecast"].toObject();
        QCOMPARE(twice["basis"].toString(), QString("calibrated"));
        // Twice the visits and the same update; how much of the step each is, the real spans say.
        QVERIFY2(twice["stepTime"].toDouble() > 0.0501 && twice["stepTime"].toDouble() < 0.1, qPrintable(QString::number(twice["stepTime"].toDouble())));

        // A file that another program left there is passed over and told; the rest is used.
        QFile broken(QFileInfo(calibrated.json["file"].toString()).path() + "/broken.json");
        QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("{") == 1);
        broken.close();
        const Answer despite = plan();
        QCOMPARE(despite.json["forecast"].toObject()["basis"].toString(), QString("calibrated"));
        QVERIFY2(despite.error.contains("broken.json"), qPrintable(despite.error));

        QCOMPARE(call({"runs", "calibrations", "--remove", "nothing", "--json"}).exitCode, 2);
        const Answer removed = call({"runs", "calibrations", "--remove", "observed", "--json"});
        QCOMPARE(removed.exitCode, 0);
        QCOMPARE(removed.json["removed"].toArray().size(), 1);
        QVERIFY(kept().isEmpty());
        QCOMPARE(plan().json["forecast"].toObject()["basis"].toString(), QString("data_sheet"));
    }

    void aRunThatTeachesNothingIsRefused()
    {
        const Answer refused = call({"runs", "calibrate", "short", "--json"});
        QCOMPARE(refused.exitCode, 1);
        const QJsonObject error = refused.json["error"].toObject();
        QCOMPARE(error["code"].toString(), QString("refused"));
        QVERIFY2(error["message"].toString().contains("1 steps after 2 of warm-up"), qPrintable(error["message"].toString()));
        QCOMPARE(call({"runs", "calibrate", "nowhere", "--json"}).exitCode, 2);
        QVERIFY(kept().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TstRunCalibration)
#include "tst_run_calibration.moc"
