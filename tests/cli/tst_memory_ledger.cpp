// SPDX-License-Identifier: GPL-3.0-or-later
// What the ranks of a real run take against what the plan said, at every stage, on a model whose states dwarf the rest.
#include "command_line.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cmath>

class TstMemoryLedger : public QObject, stagecraft::test::CommandLine {
    Q_OBJECT

    struct Measured {
        double peakBytes = 0;        ///< of the fullest rank's process
        double allocatedBytes = 0;   ///< by the engine's own count
        double ledgerBytes = 0;      ///< what the plan says the buffers take
        double stateBytes = 0;       ///< of these, weights, gradients, master weights and optimizer states
    };

    int m_runs = 0;
    double m_base = 0;

    /// Two ranks of one thread; two steps, so that every buffer has been touched.
    Measured run(const char* model, int stage, bool bf16 = false)
    {
        const QString name = QString("r%1").arg(++m_runs);
        write("w.json", QByteArray(R"({"stagecraft": 1, "model": )") + model + R"(, "hardware": {"devicesPerNode": 2}, "training": {"steps": 2},
            "dsConfig": {"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": )" + QByteArray::number(stage)
                   + R"(, "stage3_param_persistence_threshold": 0}, "bf16": {"enabled": )" + (bf16 ? "true" : "false") + R"(}, "optimizer": {"type": "AdamW", "params": {"lr": 0.001}}}})");
        const stagecraft::test::Answer answer = call({"run", "w.json", "--run-dir", name, "--json"});
        if (answer.code != 0) qFatal("%s", answer.err.constData());
        Measured measured;
        for (const auto& bytes : answer.json()["peakRssBytes"].toArray()) measured.peakBytes = std::max(measured.peakBytes, bytes.toDouble());
        measured.allocatedBytes = QJsonDocument::fromJson(read(name + "/ranks/00001/metrics.ndjson").trimmed().split('\n').last()).object()["peakAllocatedBytes"].toDouble();
        static const QStringList kStates{"weights", "gradients", "master", "optimizer_states"};
        const QJsonObject role = readJson(name + "/plan.json")["ledger"].toObject()["roles"].toArray()[0].toObject();
        for (const auto& item : role["items"].toArray()) {
            const QString phase = item.toObject()["phase"].toString();
            if (phase != "reserved" && phase != "process") measured.ledgerBytes += item.toObject()["bytes"].toDouble();
            if (kStates.contains(item.toObject()["what"].toString())) measured.stateBytes += item.toObject()["bytes"].toDouble();
        }
        return measured;
    }

private slots:
    void initTestCase()
    {
        // The process without a model worth naming: program, LibTorch, Gloo's threads. Its own few buffers taken off.
        const Measured small = run(R"({"family": "llama", "hidden": 32, "layers": 2, "heads": 2, "kvHeads": 2, "ffn": 64, "vocab": 256, "seq": 32})", 0);
        m_base = small.peakBytes - small.ledgerBytes;
        QVERIFY2(m_base > 20e6 && m_base < 400e6, qPrintable(QString("the process alone takes %1 MB").arg(m_base / 1e6)));
    }

    void processesTakeWhatThePlanSays_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<bool>("bf16");
        QTest::addColumn<double>("bytesPerParameter");  // of the model states on one of two ranks
        for (int stage = 0; stage <= 3; ++stage) QTest::addRow("stage %d, fp32", stage) << stage << false << std::array{16.0, 12.0, 10.0, 8.0}[static_cast<std::size_t>(stage)];
        QTest::newRow("stage 0, bf16") << 0 << true << 18.0;
    }
    void processesTakeWhatThePlanSays()
    {
        QFETCH(int, stage);
        QFETCH(bool, bf16);
        QFETCH(double, bytesPerParameter);
        // 22 million parameters: 350 MB of states at stage 0 beside 60 MB of the process itself.
        const Measured large = run(R"({"family": "llama", "hidden": 512, "layers": 6, "heads": 8, "kvHeads": 8, "ffn": 1376, "vocab": 4096, "seq": 64})", stage, bf16);
        const double params = 2.0 * 4096 * 512 + 6.0 * (4.0 * 512 * 512 + 3.0 * 512 * 1376 + 2.0 * 512) + 512;
        // Padding to whole shards is all that may come on top.
        QVERIFY2(std::abs(large.stateBytes / params - bytesPerParameter) < 0.01 * bytesPerParameter, qPrintable(QString("the plan has %1 bytes a parameter").arg(large.stateBytes / params)));
        QCOMPARE(large.allocatedBytes, large.ledgerBytes);
        const double off = large.peakBytes - m_base - large.ledgerBytes;
        QVERIFY2(std::abs(off) < 0.10 * large.stateBytes, qPrintable(QString("measured %1 MB over the plan; the states are %2 MB").arg(off / 1e6).arg(large.stateBytes / 1e6)));
        qInfo("%.1f MB over the plan's %.1f MB (%.1f %% of the states)", off / 1e6, large.ledgerBytes / 1e6, 100 * off / large.stateBytes);
    }
};

QTEST_GUILESS_MAIN(TstMemoryLedger)
#include "tst_memory_ledger.moc"
