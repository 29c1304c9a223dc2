// SPDX-License-Identifier: GPL-3.0-or-later
// Muon looks its parameters up by name (engine.py of each release, _configure_basic_optimizer), and the Adam of other types some of them.
#include "config/check.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;

class TstMuonParameters : public QObject {
    Q_OBJECT

private slots:
    void droppedByMuon_data();
    void droppedByMuon();
};

void TstMuonParameters::droppedByMuon_data()
{
    QTest::addColumn<QString>("release");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<QString>("zero");
    QTest::addColumn<QString>("ignored");
    const auto row = [](const char* name, const char* release, const char* type, const char* parameters, const char* ignored, const char* zero = R"({"stage": 2, "reduce_scatter": false})") { QTest::addRow("%s in %s of %s", name, type, release) << release << type << parameters << zero << ignored; };
    const char* host = R"({"stage": 2, "reduce_scatter": false, "offload_optimizer": {"device": "cpu"}})";
    for (const char* release : {"0.18.9", "0.19.6", "0.19.8"}) {
        row("torch's parameters", release, "Muon", R"("nesterov": true, "ns_steps": 5, "momentum": 0.9, "weight_decay": 0.1)", "nesterov ns_steps");
        row("other names", release, "Muon", R"("adamw_lr": 1e-4, "adamw_betas": [0.9, 0.95], "betas": [0.9, 0.95], "eps": 1e-8)", "adamw_lr adamw_betas");
        row("an Adam's", release, "Muon", R"("amsgrad": true, "bias_correction": false)", "amsgrad bias_correction");
        row("a rate for both halves", release, "Muon", R"("muon_lr": 0.02)", "");
        row("a rate beside those of the halves", release, "Muon", R"("muon_lr": 0.02, "adam_lr": 1e-4)", "lr");
    }
    row("what the Adam beside it takes", "0.18.9", "Muon", R"("ns_method": "standard", "adam_w_mode": false, "torch_adam": true, "foreach": false)", "ns_method adam_w_mode torch_adam foreach");
    for (const char* release : {"0.19.6", "0.19.8"}) {
        row("what the Adam beside it takes", release, "Muon", R"("ns_method": "standard", "adam_w_mode": false, "torch_adam": true, "foreach": false)", "");
        row("foreach of no Adam of torch's", release, "Muon", R"("foreach": false)", "foreach");
        for (const char* type : {"Muon", "AdamW"}) {
            row("states of fewer bits on the device", release, type, R"("fp32_optimizer_states": false)", "fp32_optimizer_states");
            row("states of fewer bits on the CPU", release, type, R"("fp32_optimizer_states": false)", "", host);
        }
    }
}

void TstMuonParameters::droppedByMuon()
{
    QFETCH(QString, release);
    QFETCH(QString, type);
    QFETCH(QString, parameters);
    QFETCH(QString, zero);
    QFETCH(QString, ignored);
    CheckContext context;
    context.release = release.toStdString();
    const QString text = QStringLiteral(R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}, "optimizer": {"type": "%1", "params": {"lr": 1e-3, %2}}, "zero_optimization": %3})").arg(type, parameters, zero);
    const auto checked = checkConfig(text.toStdString(), context);
    QVERIFY(checked.hasValue());
    const CheckAnswer& answer = *checked;
    QString listed, told;
    for (const std::string& pointer : answer.ignored) {
        const QString at = QString::fromStdString(pointer);
        if (at.startsWith("/optimizer"))
            listed += (listed.isEmpty() ? "" : " ") + at.mid(at.lastIndexOf('/') + 1);
        told += std::any_of(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.pointer == pointer && finding.effect == CheckEffect::Ignored; }) ? QString() : at;
    }
    QCOMPARE(listed, ignored);
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

QTEST_APPLESS_MAIN(TstMuonParameters)
#include "tst_muon_parameters.moc"
