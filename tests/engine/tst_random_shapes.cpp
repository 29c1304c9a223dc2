// SPDX-License-Identifier: GPL-3.0-or-later
// Random models, divided in random ways: trained and evaluated, they say what one rank says that keeps everything. A few in every
// test run; STAGECRAFT_LONG=1 (./workbench test --long) tries many. STAGECRAFT_SEED repeats a run.
#include "../base/test_seed.h"
#include "run_ranks.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <random>

using namespace stagecraft;
using namespace stagecraft::testing;

class TstRandomShapes : public QObject {
    Q_OBJECT

    std::mt19937 m_random;

    template <typename T>
    T oneOf(std::initializer_list<T> values)
    {
        return values.begin()[m_random() % values.size()];
    }

    ModelSpec randomModel()
    {
        ModelSpec model;
        model.family = oneOf({Family::Gpt2, Family::Llama});
        model.layers = oneOf<std::int64_t>({1, 2, 3});
        model.heads = oneOf<std::int64_t>({1, 2, 4, 6});
        model.headSize = oneOf<std::int64_t>({4, 8, 10});
        model.hidden = model.heads * model.headSize;
        model.kvHeads = model.family == Family::Gpt2 ? model.heads : model.heads % 2 == 0 ? oneOf<std::int64_t>({model.heads, model.heads / 2, 1}) : 1;
        model.ffn = oneOf<std::int64_t>({7, 24, 65});
        model.vocab = oneOf<std::int64_t>({123, 128, 257, 1000});
        model.seq = oneOf<std::int64_t>({3, 16, 33});
        if (model.family == Family::Gpt2) model.positions = model.seq + oneOf<std::int64_t>({0, 5});
        model.tieEmbeddings = oneOf({false, true});
        model.attentionBias = model.family == Family::Llama && oneOf({false, true});
        model.mlpBias = model.family == Family::Llama && oneOf({false, true});
        model.attentionDropout = oneOf({0.0, 0.1, 0.4});
        if (model.family == Family::Gpt2) model.embeddingDropout = oneOf({0.0, 0.2}), model.residualDropout = oneOf({0.0, 0.1});
        return model;
    }

private slots:
    void initTestCase()
    {
        m_random.seed(stagecraft::testing::testSeed());
    }

    /// fp32 sums in another order: 1e-5 relative over four steps, as for the fixed cases.
    void everyDivisionGivesTheSame()
    {
        QTemporaryDir scratch;
        const int models = qEnvironmentVariableIntValue("STAGECRAFT_LONG") == 1 ? 100 : 6;
        for (int m = 0; m < models; ++m) {
            RunShape whole;
            whole.model = randomModel();
            whole.family = whole.model->family;
            whole.steps = 4;
            QVERIFY2(checkModelSpec(*whole.model).hasValue(), "the test makes impossible models");
            const RunResult truth = runRanks(whole, scratch.path().toStdString());
            QVERIFY2(truth.error.empty(), truth.error.c_str());
            for (int division = 0; division < 4; ++division) {
                RunShape shape = whole;
                shape.world = oneOf({1, 2, 3, 4});
                shape.stage = oneOf({0, 1, 2, 3, 3});
                shape.accumulation = oneOf<std::int64_t>({1, 2});
                shape.recompute = oneOf({false, true});
                shape.threads = oneOf({1, 1, 2});
                shape.overlap = oneOf({false, true});
                shape.persistenceThreshold = oneOf<std::int64_t>({0, 100, 1000, 100'000});
                shape.prefetchElements = oneOf<std::int64_t>({0, 500, 50'000'000});
                shape.maxLiveElements = oneOf<std::int64_t>({0, 2000, 1'000'000'000});
                const ModelSpec& spec = *shape.model;
                const QString about = QString("%1: layers %2, heads %3 of %4 (kv %5), ffn %6, vocab %7, seq %8, tied %9, ")
                                          .arg(QString::fromStdString(shape.name())).arg(spec.layers).arg(spec.heads).arg(spec.headSize).arg(spec.kvHeads).arg(spec.ffn).arg(spec.vocab).arg(spec.seq).arg(spec.tieEmbeddings)
                    + QString("overlap %1, threshold %2, prefetch %3, live %4, threads %5, dropout %6 %7 %8: ").arg(shape.overlap).arg(shape.persistenceThreshold).arg(shape.prefetchElements).arg(shape.maxLiveElements).arg(shape.threads).arg(spec.attentionDropout).arg(spec.embeddingDropout).arg(spec.residualDropout);
                const RunResult run = runRanks(shape, scratch.path().toStdString());
                QVERIFY2(run.error.empty(), qPrintable(about + QString::fromStdString(run.error)));
                QCOMPARE(run.losses.size(), truth.losses.size());
                for (std::size_t s = 0; s < truth.losses.size(); ++s)
                    QVERIFY2(std::abs(run.losses[s] - truth.losses[s]) < 1e-5 * truth.losses[s], qPrintable(about + QString("step %1: %2, not %3").arg(s).arg(run.losses[s], 0, 'g', 9).arg(truth.losses[s], 0, 'g', 9)));
                QVERIFY2(std::abs(run.evaluation - truth.evaluation) < 1e-5 * truth.evaluation, qPrintable(about + QString("evaluation %1, not %2").arg(run.evaluation, 0, 'g', 9).arg(truth.evaluation, 0, 'g', 9)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TstRandomShapes)
#include "tst_random_shapes.moc"
