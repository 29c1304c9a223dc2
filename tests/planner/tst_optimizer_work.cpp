// SPDX-License-Identifier: GPL-3.0-or-later
// What an update reads, writes and computes, optimizer by optimizer; and the communicators that ZeRO++ and MiCS add.
#include "plan_documents.h"

#include "planner/optimizer_work.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

double partOf(const Plan& plan, const std::string& name)
{
    for (const auto& [part, seconds] : plan.forecast->split)
        if (part == name) return seconds;
    return 0;
}

const ForecastFigure& figureOf(const Plan& plan)
{
    for (const ForecastFigure& figure : plan.forecast->figures)
        if (figure.what == "optimizer") return figure;
    qFatal("no optimizer");
}

json trainedWith(const json& optimizer, const char* device = "A100-SXM-80GB")
{
    return with(with(document("llama-3-8b", "deepspeed", 2, 1, 8, 1), "/hardware/device", device), "/dsConfig/optimizer", optimizer);
}

}  // namespace

class TstOptimizerWork : public QObject {
    Q_OBJECT
private slots:
    // Bytes of a parameter by the operands of every kernel, and the seconds that the formula shown comes to.
    void everyOptimizerMovesItsOwn_data()
    {
        QTest::addColumn<QByteArray>("optimizer");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* optimizer, double bytes, const char* said) { QTest::newRow(optimizer) << QByteArray(optimizer) << bytes << QString::fromLatin1(said); };
        row(R"({"type": "AdamW"})", 28, "\"adamw\" in one kernel");   // reads g p m v, writes p m v
        row(R"({"type": "Adam"})", 28, "\"adam\" in one kernel");
        row(R"({"type": "Lion"})", 20, "\"lion\" in one kernel");     // reads g p m, writes p m
        row(R"({"type": "SGD"})", 12, "\"sgd\" of torch.optim");      // reads g p, writes p
        row(R"({"type": "SGD", "params": {"momentum": 0.9}})", 32, "\"sgd\" of torch.optim");
        row(R"({"type": "Adagrad"})", 52, "\"adagrad\" of torch.optim");
        row(R"({"type": "AdamW", "params": {"torch_adam": true}})", 80, "\"adamw\" of torch.optim");
        row(R"({"type": "AdamW", "params": {"torch_adam": false}})", 28, "\"adamw\" in one kernel");
        row(R"({"type": "Lamb"})", 40, "moments read and moments written");
    }
    void everyOptimizerMovesItsOwn()
    {
        QFETCH(QByteArray, optimizer);
        QFETCH(double, bytes);
        QFETCH(QString, said);
        const Plan adam = planOf(trainedWith({{"type", "AdamW"}})), plan = planOf(trainedWith(json::parse(optimizer.toStdString())));
        QVERIFY(near(partOf(plan, "optimizer") / partOf(adam, "optimizer"), bytes / 28, 1e-9));
        const ForecastFigure& figure = figureOf(plan);
        QVERIFY2(QString::fromStdString(figure.source).contains(said), figure.source.c_str());
        QCOMPARE(QString::fromStdString(figure.formula), QStringLiteral("%1 · Φ_updated / memory").arg(bytes));
        // "28 · 1.004e+09 / 1733 GB/s"
        const QStringList parts = QString::fromStdString(figure.numbers).split(QLatin1Char(' '));
        QVERIFY2(near(parts[0].toDouble() * parts[2].toDouble() / (parts[4].toDouble() * 1e9), figure.value, 1e-3), figure.numbers.c_str());
    }

    // Five Newton-Schulz steps over every matrix: those of h x 3.5 h, h x h and h x h / 4 of a LLaMA layer by hand.
    void muonMultipliesMatrices()
    {
        const Plan adam = planOf(trainedWith({{"type", "AdamW"}})), plan = planOf(trainedWith({{"type", "Muon"}}));
        QVERIFY(partOf(plan, "optimizer") > 3 * partOf(adam, "optimizer"));
        const double h = 4096, f = 14336, k = 1024, layers = 32, params = 8030261248.0;
        const auto gram = [](double m, double n) { return 4 * 2 * m * m * n + 14 * 2 * m * m * m; };
        const double flops = layers * (2 * 5 * 6 * h * h * h + 2 * gram(k, h) + 3 * gram(h, f)), matrices = layers * (2 * h * h + 2 * h * k + 3 * h * f);
        const QStringList parts = QString::fromStdString(figureOf(plan).numbers).split(QLatin1Char(' '));
        QVERIFY2(near(parts[0].toDouble(), 28 + 28 * matrices / params, 1e-3), figureOf(plan).numbers.c_str());
        QVERIFY2(near(parts[7].toDouble(), flops / params, 1e-3), figureOf(plan).numbers.c_str());
        const double seconds = parts[0].toDouble() * parts[2].toDouble() / (parts[4].toDouble() * 1e9) + parts[7].toDouble() * parts[9].toDouble() / (parts[11].toDouble() * 1e12);
        QVERIFY2(near(seconds, figureOf(plan).value, 1e-3), figureOf(plan).numbers.c_str());
        QVERIFY(figureOf(plan).source.find("Newton-Schulz") != std::string::npos);
    }

    // On the host 22 bytes come beside what the kernel moves.
    void theHostHasKernelsOfItsOwn()
    {
        const auto offloaded = [](const json& optimizer) { return planOf(with(trainedWith(optimizer), "/dsConfig/zero_optimization/offload_optimizer", {{"device", "cpu"}})); };
        const Plan adam = offloaded({{"type", "AdamW"}});
        QVERIFY(figureOf(adam).formula.starts_with("50 · Φ_updated · ratio"));
        // "50 · 1.004e+09 · 1 · 8 / 100 GB/s + 0 s"
        const QStringList parts = QString::fromStdString(figureOf(adam).numbers).split(QLatin1Char(' '));
        const double said = parts[0].toDouble() * parts[2].toDouble() * parts[4].toDouble() * parts[6].toDouble() / (parts[8].toDouble() * 1e9) + parts[11].toDouble();
        QVERIFY2(near(said, figureOf(adam).value, 2e-3), figureOf(adam).numbers.c_str());
        for (const auto& [name, bytes] : {std::pair{"Lion", 42.0}, {"Adagrad", 42.0}, {"SGD", 34.0}}) {
            const Plan plan = offloaded({{"type", name}});
            QVERIFY2(near(partOf(plan, "optimizer") / partOf(adam, "optimizer"), bytes / 50, 1e-9), name);
            QVERIFY2(figureOf(plan).formula.starts_with(std::to_string(static_cast<int>(bytes)) + " · "), figureOf(plan).formula.c_str());
        }
    }

    // Each group of more than one rank whose collectives are used has buffers of its own.
    void everyCommunicatorIsCounted_data()
    {
        QTest::addColumn<int>("nodes");
        QTest::addColumn<QByteArray>("zero");
        QTest::addColumn<int>("groups");
        const auto row = [](const char* name, int nodes, const char* zero, int groups) { QTest::newRow(name) << nodes << QByteArray(zero) << groups; };
        row("stage 3", 2, "{}", 1);
        row("hpZ", 2, R"({"zero_hpz_partition_size": 8})", 2);
        row("qwZ", 2, R"({"zero_quantized_weights": true})", 1);
        row("qgZ", 2, R"({"zero_quantized_gradients": true})", 3);
        row("qgZ in one node", 1, R"({"zero_quantized_gradients": true})", 1);
        row("hpZ and qgZ", 2, R"({"zero_hpz_partition_size": 8, "zero_quantized_gradients": true})", 4);
        row("MiCS", 2, R"({"mics_shard_size": 8})", 3);
        row("MiCS over all", 2, R"({"mics_shard_size": 16})", 2);
    }
    void everyCommunicatorIsCounted()
    {
        QFETCH(int, nodes);
        QFETCH(QByteArray, zero);
        QFETCH(int, groups);
        json w = document("llama-3-8b", "deepspeed", 3, nodes, 8, 1);
        w["dsConfig"]["zero_optimization"].update(json::parse(zero.toStdString()));
        const Plan plan = planOf(w);
        QVERIFY(plan.ledger);
        QCOMPARE(itemOf(plan, "context.groups"), groups * 300.0 * 1024 * 1024);
    }

    // What is quantised lies beside what it is made of: the embedding of 128256 x 4096 is the largest.
    void quantisedBuffersAreCounted()
    {
        const auto of = [](int nodes, const char* key) {
            json w = document("llama-3-8b", "deepspeed", 3, nodes, 8, 1);
            w["dsConfig"]["zero_optimization"][key] = true;
            return planOf(w);
        };
        const double largest = 128256.0 * 4096;
        QVERIFY(near(itemOf(of(2, "zero_quantized_gradients"), "quantised_gradients"), (1 + 3.0 / 8) * largest));
        QCOMPARE(itemOf(of(1, "zero_quantized_gradients"), "quantised_gradients"), 0.0);   // inside a node they are reduced as they are
        QVERIFY(near(itemOf(of(2, "zero_quantized_weights"), "quantised_weights"), largest + 5e7));
        QCOMPARE(itemOf(of(2, "contiguous_gradients"), "quantised_weights"), 0.0);
        // They are part of the passes that make them.
        const auto inPasses = [](const Plan& plan) {
            std::int64_t sum = 0;
            for (const LedgerPeak& phase : plan.ledger->front().phases) sum += phase.allocated;
            return sum;
        };
        QVERIFY(inPasses(of(2, "zero_quantized_gradients")) > inPasses(of(2, "contiguous_gradients")));
    }

    // Megatron's part of the optimizer that is on the host: its gradients go down and its weights up, at once or under the update.
    void partOnTheHost()
    {
        const auto plan = [](double part, bool overlaps) {
            json arguments = json::object();
            if (part > 0) arguments = {{"optimizer-cpu-offload", true}, {"optimizer-offload-fraction", part}, {"overlap-cpu-optimizer-d2h-h2d", overlaps}};
            return planOf(with(with(document("llama-3-8b", "megatron", 2, 1, 8, 1), "/hardware/device", "H100-SXM-80GB"), "/framework/arguments", arguments));
        };
        const Plan device = plan(0, false), half = plan(0.5, false), host = plan(1, false), under = plan(1, true);
        QVERIFY(partOf(half, "optimizer") > 2 * partOf(device, "optimizer"));
        QVERIFY(near(partOf(host, "optimizer") - partOf(half, "optimizer"), partOf(half, "optimizer") - partOf(device, "optimizer")));
        QCOMPARE(partOf(device, "offload"), 0.0);
        QVERIFY(partOf(half, "offload") > 0 && near(partOf(host, "offload"), 2 * partOf(half, "offload")));
        QVERIFY(partOf(under, "offload") < partOf(host, "offload"));
        QCOMPARE(partOf(under, "optimizer"), partOf(host, "optimizer"));
    }

    // States by the shapes of tensors: 32 layers of 6.98 billion matrix elements; two tables of 128,256 x 4096; 65 norms of 4096.
    void statesFollowShapes()
    {
        const double phi = 8'030'261'248, matrices = 32.0 * (2.0 * 4096 * 4096 + 2.0 * 4096 * 1024 + 3.0 * 4096 * 14336), table = 128'256.0 * 4096, norms = 65.0 * 4096;
        const auto states = [](const char* framework, const char* optimizer) {
            json w = with(document("llama-3-8b", framework, 2, 1, 8, 1), "/hardware/device", "A100-SXM-80GB");
            w["framework"]["arguments"] = {{"optimizer", optimizer}};
            return itemOf(planOf(w), "optimizer_states");
        };
        for (const char* framework : {"fsdp2", "megatron"}) QVERIFY(near(states(framework, "muon"), (4 * matrices + 8 * (phi - matrices)) / 8));
        QVERIFY(near(states("megatron", "dist_muon"), states("megatron", "muon")));
        // A byte a moment and an fp32 constant for 256; norms are above 4096 elements only where they are not below.
        const double packed = 2 * (1 + 4.0 / 256);
        QVERIFY(near(states("fsdp2", "adamw8bit"), packed * phi / 8));
        QVERIFY(near(states("fsdp2", "paged_adamw_8bit"), (packed * (phi - table) + 8 * table) / 8));
        QVERIFY(near(states("fsdp2", "lion8bit"), packed / 2 * phi / 8));
        // A row and a column of each matrix, whole on each rank, and all of a vector.
        const double factored = 32.0 * (2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14336)) + 2 * (128'256.0 + 4096) + norms;
        QVERIFY(near(states("fsdp2", "adafactor"), 4 * factored));
        // DeepSpeed gives an optimizer of the script's flat partitions.
        const auto own = [](const char* word) {
            json w = document("llama-3-8b", "deepspeed", 2, 1, 8, 1);
            w["dsConfig"].erase("optimizer");
            w["framework"]["arguments"] = {{"optim", word}};
            return itemOf(planOf(w), "optimizer_states");
        };
        QVERIFY(near(own("adafactor"), 4 * phi / 8) && near(own("adamw_bnb_8bit"), packed * phi / 8) && near(own("adamw_torch_fused"), 8 * phi / 8));
    }
};

QTEST_APPLESS_MAIN(TstOptimizerWork)
#include "tst_optimizer_work.moc"
