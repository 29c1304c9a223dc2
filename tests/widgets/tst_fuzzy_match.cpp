// SPDX-License-Identifier: GPL-3.0-or-later
// Which of two names a search puts first.
#include "widgets/fuzzy_match.h"

#include <QTest>

using namespace stagecraft;

class TstFuzzyMatch : public QObject {
    Q_OBJECT
private slots:
    void theBetterComesFirst_data();
    void theBetterComesFirst();
    void lettersAreFoundInOrder();
};

void TstFuzzyMatch::theBetterComesFirst_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    QTest::newRow("a name that is written out, and initials") << "eps" << "optimizer.params.eps" << "expert_parallel.autoep_size";
    QTest::newRow("the whole name, and the start of one") << "lr" << "optimizer.params.lr" << "optimizer.params.lr_decay";
    QTest::newRow("the start of a name, and its end") << "stage3" << "zero_optimization.stage3_param_persistence_threshold" << "other.my_stage3x";
    QTest::newRow("words with a space between") << "reduce bucket" << "zero_optimization.reduce_bucket_size" << "red_using_checkpoint_bucket";
    QTest::newRow("initials, and letters anywhere") << "tmb" << "train_micro_batch" << "atomkb";
}

void TstFuzzyMatch::theBetterComesFirst()
{
    QFETCH(QString, query);
    QFETCH(QString, first);
    QFETCH(QString, second);
    const auto a = fuzzyMatch(query, first);
    const auto b = fuzzyMatch(query, second);
    QVERIFY(a);
    QVERIFY2(!b || a->score > b->score, qPrintable(QStringLiteral("%1 and %2").arg(a->score).arg(b ? b->score : 0)));
}

void TstFuzzyMatch::lettersAreFoundInOrder()
{
    QCOMPARE(fuzzyMatch(QStringLiteral("bucket size"), QStringLiteral("reduce_bucket_size"))->positions, (QList<int>{7, 8, 9, 10, 11, 12, 14, 15, 16, 17}));
    QCOMPARE(fuzzyMatch(QStringLiteral("EPS"), QStringLiteral("params.eps"))->positions, (QList<int>{7, 8, 9}));
    QVERIFY(!fuzzyMatch(QStringLiteral("spe"), QStringLiteral("eps")));
    QVERIFY(!fuzzyMatch(QStringLiteral("long"), QStringLiteral("lo")));
    QCOMPARE(fuzzyMatch(QString(), QStringLiteral("any"))->score, 0);
    // Letters from all over a name are no match; initials, and a word with a letter left out, are.
    QVERIFY(!fuzzyMatch(QStringLiteral("format"), QStringLiteral("flops_profiler.module_depth_at_start")));
    QVERIFY(!fuzzyMatch(QStringLiteral("format"), QStringLiteral("zero_optimization.offload_param.max_in_cpu_data")));
    QVERIFY(fuzzyMatch(QStringLiteral("tmbs"), QStringLiteral("train_micro_batch_size_per_gpu")));
    QVERIFY(fuzzyMatch(QStringLiteral("zrostage"), QStringLiteral("Set ZeRO stage to 3")));
    QVERIFY(fuzzyMatch(QStringLiteral("format"), QStringLiteral("comms_logger.format")));
}

QTEST_MAIN(TstFuzzyMatch)
#include "tst_fuzzy_match.moc"
