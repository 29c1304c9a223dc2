// SPDX-License-Identifier: GPL-3.0-or-later
// What the tutorials do with their systems, done with ours through the command line: one test a row of what is promised.
#include "command_line.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <algorithm>
#include <arpa/inet.h>
#include <cmath>
#include <set>
#include <sys/socket.h>
#include <unistd.h>

class TstSeedRows : public QObject, stagecraft::test::CommandLine {
    Q_OBJECT

    struct Answer {
        int code = -1;
        QString err;
        QJsonObject json;
        std::vector<double> losses, norms;
    };

    int m_runs = 0;

    QString lastRun() const { return path(QString("r%1").arg(m_runs)); }

    Answer call(const QStringList& arguments)
    {
        const stagecraft::test::Answer ended = CommandLine::call(arguments);
        Answer answer{ended.code, ended.err, ended.json(), {}, {}};
        for (const auto& value : answer.json["losses"].toArray()) answer.losses.push_back(value.toDouble());
        for (const auto& value : answer.json["gradNorms"].toArray()) answer.norms.push_back(value.toDouble());
        return answer;
    }

    /// A run of the small model; `config` replaces the whole ds_config.
    Answer train(int world, const QByteArray& config, const QStringList& sets = {})
    {
        write("w.json", R"({"stagecraft": 1, "model": {"family": "llama", "hidden": 32, "layers": 2, "heads": 2, "kvHeads": 2, "ffn": 64, "vocab": 256, "seq": 32},
            "data": {"source": "builtin:demo", "order": "sequential"}, "hardware": {"devicesPerNode": )" + QByteArray::number(world) + R"(}, "training": {"steps": 6}, "dsConfig": )" + config + "}");
        ++m_runs;
        QStringList arguments{"run", "w.json", "--json", "--run-dir", lastRun()};
        for (const QString& set : sets) arguments << "--set" << set;
        Answer answer = call(arguments);
        if (answer.code != 0) qWarning("%s%s", qPrintable(answer.err), QJsonDocument(answer.json).toJson().constData());
        return answer;
    }

    std::vector<QJsonObject> metrics(int rank)
    {
        QFile file(lastRun() + QString("/ranks/%1/metrics.ndjson").arg(rank, 5, 10, QChar('0')));
        std::vector<QJsonObject> lines;
        if (file.open(QIODevice::ReadOnly))
            for (const QByteArray& line : file.readAll().split('\n'))
                if (!line.isEmpty()) lines.push_back(QJsonDocument::fromJson(line).object());
        return lines;
    }

    /// Bytes of one kind of buffer in the last run's plan.
    double planned(const QString& what)
    {
        QFile file(lastRun() + "/plan.json");
        if (!file.open(QIODevice::ReadOnly)) return -1;
        double bytes = 0;
        for (const auto& item : QJsonDocument::fromJson(file.readAll()).object()["ledger"].toObject()["roles"].toArray()[0].toObject()["items"].toArray())
            if (item.toObject()["what"].toString() == what) bytes += item.toObject()["bytes"].toDouble();
        return bytes;
    }

    struct Span {
        QString name;
        double begin = 0, end = 0;
        int thread = 0;
    };

    /// Rank 0's spans of one step of the last run, by start.
    std::vector<Span> trace(int step)
    {
        const QString out = path("trace.json");
        if (call({"runs", "trace", lastRun(), "--out", out}).code != 0) return {};
        QFile file(out);
        if (!file.open(QIODevice::ReadOnly)) return {};
        const QJsonDocument document = QJsonDocument::fromJson(file.readAll());
        std::vector<Span> spans;
        for (const auto& value : document.isArray() ? document.array() : document.object()["traceEvents"].toArray()) {
            const QJsonObject e = value.toObject();
            if (e["ph"].toString() != "X" || e["pid"].toInt() != 0 || e["args"].toObject()["step"].toInt() != step) continue;
            spans.push_back({e["name"].toString(), e["ts"].toDouble(), e["ts"].toDouble() + e["dur"].toDouble(), e["tid"].toInt()});
        }
        std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
        return spans;
    }

    static bool close(const std::vector<double>& a, const std::vector<double>& b, double relative)
    {
        if (a.size() != b.size() || a.empty()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (std::abs(a[i] - b[i]) > relative * std::abs(b[i])) return false;
        return true;
    }

private slots:
    void S17_batchTriangle_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<int>("world");
        QTest::addColumn<QJsonArray>("resolved");  // batch, micro, accumulation; empty = refused
        const auto row = [](const char* name, const char* config, int world, QJsonArray resolved) { QTest::newRow(name) << QByteArray(config) << world << resolved; };
        row("accumulation follows", R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 4})", 4, {128, 4, 8});
        row("batch follows", R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 128})", 4, {512, 1, 128});
        row("micro batch follows", R"({"train_batch_size": 512, "gradient_accumulation_steps": 128})", 4, {512, 1, 128});
        row("all three agree", R"({"train_batch_size": 512, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 128})", 4, {512, 1, 128});
        row("they disagree", R"({"train_batch_size": 500, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 128})", 4, {});
    }
    void S17_batchTriangle()
    {
        QFETCH(QByteArray, config);
        QFETCH(int, world);
        QFETCH(QJsonArray, resolved);
        write("ds.json", config);
        const Answer answer = call({"check", "ds.json", "--world", QString::number(world), "--context", contextWithOptimizer(), "--json"});
        QCOMPARE(answer.code, resolved.isEmpty() ? 1 : 0);
        if (resolved.isEmpty()) {
            const QByteArray text = QJsonDocument(answer.json).toJson();
            for (const char* number : {"500", "128", "512"}) QVERIFY2(text.contains(number), text);
            return;
        }
        const QJsonObject r = answer.json["resolved"].toObject();
        QCOMPARE((QJsonArray{r["train_batch_size"], r["micro"], r["gas"]}), resolved);
    }

    void S33_S81_gradientClipping()
    {
        const QByteArray without = R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 0.01}}, "zero_optimization": {"stage": %S}})";
        const auto at = [&](int stage, int world, const char* clip) {
            QByteArray config = QByteArray(without).replace("%S", QByteArray::number(stage)).replace("_gpu\": 2", world == 1 ? "_gpu\": 4" : "_gpu\": 2");
            if (clip) config.replace("\"zero_opt", QByteArray("\"gradient_clipping\": ") + clip + ", \"zero_opt");
            return train(world, config);
        };
        const Answer clipped = at(0, 1, "0.5"), unclipped = at(0, 1, "1000");
        QCOMPARE(clipped.norms[0], unclipped.norms[0]);  // told before clipping
        QVERIFY(clipped.norms[0] > 0.5);
        QVERIFY(std::abs(clipped.losses[5] - unclipped.losses[5]) > 1e-6);
        for (int stage = 0; stage <= 3; ++stage) {
            const Answer sharded = at(stage, 2, "0.5");
            QVERIFY(close(sharded.norms, clipped.norms, 1e-4));  // the norm over all shards is the whole one
            QVERIFY(close(sharded.losses, clipped.losses, 1e-5));
        }
    }

    void S36_memoryOfEachStageAtOnce()
    {
        train(2, R"({"train_micro_batch_size_per_gpu": 1})");
        double before = 1e300;
        for (int stage = 0; stage <= 3; ++stage) {
            const Answer plan = call({"plan", "w.json", "--set", QString("/dsConfig/zero_optimization/stage=%1").arg(stage), "--set", R"(/model={"preset": "llama-3-8b"})", "--set", "/layout/dp=8", "--set", "/hardware/devicesPerNode=8", "--json"});
            QCOMPARE(plan.code, 0);
            const double bytes = plan.json["ledger"].toObject()["roles"].toArray()[0].toObject()["peak"].toObject()["allocated"].toDouble();
            QVERIFY2(bytes > 8e9 && bytes < before, qPrintable(QString("stage %1: %2 after %3").arg(stage).arg(bytes).arg(before)));
            before = bytes;
        }
    }

    void S49_theOptimizerBlockDrivesTheEngine()
    {
        std::set<double> ends;
        for (const char* params : {R"({"lr": 3e-5, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0.01})", R"({"lr": 1e-5, "betas": [0.9, 0.95], "eps": 1e-8, "weight_decay": 0.1})",
                                   R"({"lr": 1e-3, "betas": [0.8, 0.999], "eps": 1e-8, "weight_decay": 3e-7})", R"({"lr": 1e-3, "betas": [0.8, 0.999], "eps": 1e-8, "weight_decay": 0.3})",
                                   R"({"lr": 1e-3, "betas": [0.8, 0.999], "eps": 1e-2, "weight_decay": 3e-7})", R"({"lr": 1e-3, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 3e-7})"}) {
            const Answer answer = train(1, QByteArray(R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": )") + params + "}}");
            QCOMPARE(answer.code, 0);
            const double lr = QJsonDocument::fromJson(params).object()["lr"].toDouble();
            for (const QJsonObject& step : metrics(0)) QCOMPARE(step["learningRate"].toDouble(), lr);
            ends.insert(answer.losses.back());
        }
        QCOMPARE(ends.size(), std::size_t{6});  // each number changes the training
    }

    void S50_schedulers()
    {
        // DeepSpeed's formulas, and its order: a step is done at the rate that was set after the one before it, the first at 0.
        // Linear warm-up over n steps, i/n of the rate; then constant, or falling to 0 at the last step.
        const Answer warm = train(1, R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW", "params": {"lr": 0.001}},
            "scheduler": {"type": "WarmupLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 0.001, "warmup_num_steps": 4, "warmup_type": "linear"}}})");
        QCOMPARE(warm.code, 0);
        const double expectedWarm[] = {0, 0, 0.25e-3, 0.5e-3, 0.75e-3, 1e-3};
        auto lines = metrics(0);
        for (std::size_t i = 0; i < 6; ++i) QVERIFY2(std::abs(lines[i]["learningRate"].toDouble() - expectedWarm[i]) < 1e-12, qPrintable(QString("step %1: %2").arg(i).arg(lines[i]["learningRate"].toDouble())));
        const Answer decay = train(1, R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW", "params": {"lr": 0.001}},
            "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 0.001, "warmup_num_steps": 2, "total_num_steps": 6, "warmup_type": "linear"}}})");
        QCOMPARE(decay.code, 0);
        const double expectedDecay[] = {0, 0, 0.5e-3, 1e-3, 0.75e-3, 0.5e-3};
        lines = metrics(0);
        for (std::size_t i = 0; i < 6; ++i) QVERIFY2(std::abs(lines[i]["learningRate"].toDouble() - expectedDecay[i]) < 1e-12, qPrintable(QString("step %1: %2").arg(i).arg(lines[i]["learningRate"].toDouble())));
    }

    /// S68 to S71: thirty steps of each stage on two ranks give the losses of one rank, and each stage shards what it says.
    void S68_S71_stages()
    {
        const auto config = [](int stage, int micro) { return QString(R"({"train_micro_batch_size_per_gpu": %1, "optimizer": {"type": "AdamW", "params": {"lr": 0.003}}, "zero_optimization": {"stage": %2, "stage3_param_persistence_threshold": 0}})").arg(micro).arg(stage).toUtf8(); };
        const Answer one = train(1, config(0, 4), {"/training/steps=30"});
        QCOMPARE(one.losses.size(), std::size_t{30});
        const double states = planned("optimizer_states"), gradients = planned("gradients"), weights = planned("weights");
        double measuredBefore = 1e300;
        for (int stage = 0; stage <= 3; ++stage) {
            const Answer two = train(2, config(stage, 2), {"/training/steps=30"});
            QVERIFY2(close(two.losses, one.losses, 1e-5), qPrintable(QString("stage %1").arg(stage)));
            // Both ranks tell the same loss of every step: their weights are the same.
            const auto first = metrics(0), second = metrics(1);
            for (std::size_t i = 0; i < 30; ++i) QCOMPARE(first[i]["loss"].toDouble(), second[i]["loss"].toDouble());
            const auto share = [&](const char* what, double whole) { return planned(what) / whole; };
            const auto isAbout = [](double value, double expected) { return std::abs(value - expected) < 0.02; };  // padding
            QVERIFY(isAbout(share("optimizer_states", states), stage >= 1 ? 0.5 : 1));
            QVERIFY(isAbout(share("gradients", gradients), stage >= 2 ? 0.5 : 1));
            QVERIFY(isAbout(share("weights", weights), stage >= 3 ? 0.5 : 1));
            QFile file(lastRun() + "/plan.json");
            QVERIFY(file.open(QIODevice::ReadOnly));
            const double allocated = QJsonDocument::fromJson(file.readAll()).object()["ledger"].toObject()["roles"].toArray()[0].toObject()["peak"].toObject()["allocated"].toDouble();
            QCOMPARE(first.back()["peakAllocatedBytes"].toDouble(), allocated);  // the plan's, to the byte
            if (stage == 1) QVERIFY(allocated < measuredBefore);
            measuredBefore = allocated;
        }
        // Stage 3, the last run: gathered before use and released after, in the trace.
        const auto spans = trace(20);
        const auto when = [&](const QString& name) { return std::find_if(spans.begin(), spans.end(), [&](const Span& span) { return span.name == name; }); };
        for (const QString unit : {"block.0", "block.1"}) {
            const auto gather = when("Gather " + unit + " micro 0"), forward = when("Forward " + unit + " micro 0"), release = when("Release " + unit + " micro 0");
            QVERIFY(gather != spans.end() && forward != spans.end() && release != spans.end());
            QVERIFY(gather->end <= forward->begin && forward->end <= release->begin);
            const auto again = when("Gather again " + unit + " micro 0"), backward = when("BackwardInput " + unit + " micro 0");
            QVERIFY(again != spans.end() && release->end <= again->begin && again->end <= backward->begin);
        }
        QVERIFY(planned("gathered_weights") < weights);  // never the whole model at once
    }

    void S79_bf16()
    {
        const Answer full = train(2, R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 0.003}}, "zero_optimization": {"stage": 2}})");
        QCOMPARE(planned("master"), 0.0);
        const Answer half = train(2, R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 0.003}}, "zero_optimization": {"stage": 2}, "bf16": {"enabled": true}})");
        QVERIFY(planned("master") > 0);  // fp32 master weights, and no loss scale to be seen
        QVERIFY(close(half.losses, full.losses, 0.01));
        QVERIFY(half.losses != full.losses);
    }

    void S80_accumulation()
    {
        const Answer whole = train(1, R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 8, "optimizer": {"type": "AdamW", "params": {"lr": 0.003}}})");
        const Answer parts = train(1, R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 8, "optimizer": {"type": "AdamW", "params": {"lr": 0.003}}})");
        QVERIFY(close(parts.losses, whole.losses, 1e-5));
        QVERIFY(close(parts.norms, whole.norms, 1e-4));
    }

    void S94_overlap()
    {
        const auto config = [](const char* overlap) { return QByteArray(R"({"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2, "overlap_comm": )") + overlap + "}}"; };
        const Answer on = train(2, config("true"));
        // Somewhere in a few steps a sum of gradients runs under a backward; when it is off, never.
        const auto under = [&] {
            int found = 0;
            for (int step = 1; step <= 6; ++step) {
                const auto spans = trace(step);
                for (const Span& sum : spans)
                    for (const Span& other : spans)
                        if (sum.thread == 1 && sum.name.startsWith("ReduceScatter") && other.thread == 0 && other.name.startsWith("Backward") && other.begin < sum.end && sum.begin < other.end) ++found;
            }
            return found;
        };
        QVERIFY(under() > 0);
        const Answer off = train(2, config("false"));
        QCOMPARE(under(), 0);
        QCOMPARE(off.losses, on.losses);
    }

    /// Four processes meet, also where the port the tutorials use is taken: ranks of one machine meet through a file.
    void S146_rendezvous()
    {
        const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(29500);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        // Whether by us or by someone else: it is taken.
        if (::bind(taken, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) (void)::listen(taken, 1);
        const Answer answer = train(4, R"({"train_micro_batch_size_per_gpu": 1})", {"/training/steps=2"});
        QCOMPARE(answer.code, 0);
        QFile info(lastRun() + "/run.json");
        QVERIFY(info.open(QIODevice::ReadOnly));
        const QJsonArray ranks = QJsonDocument::fromJson(info.readAll()).object()["ranks"].toArray();
        QCOMPARE(ranks.size(), 4);
        for (const auto& rank : ranks) QCOMPARE(rank.toObject()["exitCode"].toInt(-1), 0);
        ::close(taken);
    }

    void S161_gptParameters_data()
    {
        QTest::addColumn<int>("hidden");
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("heads");
        QTest::newRow("1.3B") << 2048 << 24 << 16;
        QTest::newRow("175B") << 12288 << 96 << 96;
    }
    void S161_gptParameters()
    {
        QFETCH(int, hidden);
        QFETCH(int, layers);
        QFETCH(int, heads);
        write("gpt.json", QString(R"({"stagecraft": 1, "model": {"family": "gpt2", "hidden": %1, "layers": %2, "heads": %3, "vocab": 50257, "seq": 2048}})").arg(hidden).arg(layers).arg(heads).toUtf8());
        const Answer plan = call({"plan", "gpt.json", "--json"});
        QCOMPARE(plan.code, 0);
        const double h = hidden;
        const double expected = 50257 * h + 2048 * h + layers * (12 * h * h + 13 * h) + 2 * h;
        QCOMPARE(plan.json["model"].toObject()["params"].toDouble(), expected);
        // And it trains: the same family, small.
        if (layers == 24) QCOMPARE(train(2, R"({"train_micro_batch_size_per_gpu": 1})", {R"(/model={"family": "gpt2", "hidden": 32, "layers": 2, "heads": 2, "vocab": 256, "seq": 32})"}).code, 0);
    }

    void S167_sampler()
    {
        QByteArray text;
        for (int i = 0; text.size() < 12 * 32 + 1; ++i) text += "line " + QByteArray::number(i * i) + "\n";
        write("twelve.txt", text.left(12 * 32 + 1));  // twelve windows of 32
        // A learning rate of 0: each window always gives the same loss, so that losses tell which windows were seen.
        const QByteArray config = R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 0.0, "weight_decay": 0.0}}})";
        const QStringList sets{"/data/source=twelve.txt", "/data/order=shuffled"};
        const Answer two = train(2, config, sets);                                     // 3 steps an epoch, two epochs
        const auto sum = [](const std::vector<double>& losses, std::size_t from) { return losses[from] + losses[from + 1] + losses[from + 2]; };
        QVERIFY(std::abs(sum(two.losses, 0) - sum(two.losses, 3)) < 1e-5 * sum(two.losses, 0));  // every window once: the ranks' parts are disjoint
        QVERIFY(std::abs(two.losses[0] - two.losses[3]) > 1e-6);                           // in another order each epoch
        const Answer one = train(1, QByteArray(config).replace("_gpu\": 2", "_gpu\": 4"), sets);
        QVERIFY(close(one.losses, two.losses, 1e-5));                                      // whatever the number of ranks
        const Answer sequential = train(2, config, {sets[0], "/data/order=sequential"});
        QVERIFY(std::abs(sequential.losses[0] - sequential.losses[3]) < 1e-6);
        QVERIFY(std::abs(sum(sequential.losses, 0) - sum(two.losses, 0)) < 1e-5 * sum(two.losses, 0));
        // A resumed run goes on where the first ended, in the middle of an epoch.
        const Answer first = train(2, config, QStringList(sets) << "/training/steps=4" << "/training/saveEvery=4");
        const Answer rest = call({"run", "w.json", "--json", "--run-dir", lastRun(), "--resume", "auto", "--set", sets[0], "--set", sets[1]});
        QVERIFY2(rest.code == 0, qPrintable(rest.err));
        QCOMPARE(rest.losses, (std::vector<double>{two.losses[4], two.losses[5]}));
    }

private:
    QString contextWithOptimizer()
    {
        write("context.json", R"({"optimizer": "AdamW"})");
        return "context.json";
    }
};

QTEST_GUILESS_MAIN(TstSeedRows)
#include "tst_seed_rows.moc"
