// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison by meaning and the resolved view: what DeepSpeed makes of the text, as the real widgets show it.
#include "widgets/config_diff.h"

#include "widgets/config_model.h"
#include "widgets/config_resolved.h"
#include "widgets/config_text_diff.h"
#include "widgets/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QShortcut>
#include <QTableView>
#include <QTableWidget>
#include <QTest>

using namespace stagecraft;

namespace {

const QByteArray kSaved = R"({
  "train_micro_batch_size_per_gpu": 2,
  "gradient_clipping": 0.5,
  "zero_optimization": {"stage": 2}
}
)";

}  // namespace

class TstConfigDiff : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { theme::Theme::install(*qApp); }
    void showsWhatItMeans_data();
    void showsWhatItMeans();
    void refusedIsComparedAsWritten();
    void unreadableIsSaid();
    void resolvedSaysThatItIsRefused();
    void resolvedIsCopiedWhole();
    void aGapOfOneLineIsThatLine();
};

// The mark of what is left out takes a line: where that is one line, it stands there itself.
void TstConfigDiff::aGapOfOneLineIsThatLine()
{
    const auto shown = [](int unchanged) {
        QByteArray before = "{\n", after = "{\n";
        for (int i = 0; i < unchanged; ++i) {
            const QByteArray line = "  \"k" + QByteArray::number(i) + "\": 1,\n";
            before += line;
            after += line;
        }
        ConfigTextDiff diff;
        diff.setTexts("first\n" + before + "last\n", "First\n" + after + "Last\n");
        return diff.toPlainText();
    };
    for (const int unchanged : {5, 6}) {   // and the bracket
        const QString text = shown(unchanged);
        QVERIFY2(!text.contains(QStringLiteral("⋯")), qPrintable(text));
        for (int i = 0; i < unchanged; ++i)
            QVERIFY2(text.contains(QStringLiteral("\"k%1\"").arg(i)), qPrintable(text));
    }
    const QString text = shown(7);
    QVERIFY2(text.count(QStringLiteral("⋯")) == 1 && !text.contains(QStringLiteral("\"k2\"")) && !text.contains(QStringLiteral("\"k3\"")), qPrintable(text));
}

void TstConfigDiff::resolvedIsCopiedWhole()
{
    ConfigModel model;
    ResolvedView view(model);
    for (const int width : {260, 900}) {   // where a row has two lines its columns are hidden, and are copied all the same
        view.resize(width, 400);
        view.show();
        model.setText(R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 2}})");
        emit view.table()->findChild<QShortcut*>()->activated();
        const QStringList lines = QGuiApplication::clipboard()->text().split('\n');
        QCOMPARE(lines.size(), view.table()->model()->rowCount() + 1);
        QCOMPARE(lines[0], QString("Key\tIn the file\tDeepSpeed uses\tWhy"));
        QVERIFY2(lines[1].startsWith("train_batch_size\tnot set\t2\t"), qPrintable(lines[1]));
    }
}

void TstConfigDiff::showsWhatItMeans_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QStringList>("rows");
    QTest::newRow("a default that is written out") << QByteArray("\"stage\": 2") << QByteArray("\"stage\": 2, \"reduce_bucket_size\": 500000000") << QStringList{};
    QTest::newRow("a batch that makes accumulation follow") << QByteArray("\"gradient_clipping\": 0.5") << QByteArray("\"gradient_clipping\": 0.5, \"train_batch_size\": 8")
        << QStringList{"gradient_accumulation_steps | not set: 1 | not set: 4", "train_batch_size | not set: 2 | 8"};
    QTest::newRow("a key that goes, and its default") << QByteArray("  \"gradient_clipping\": 0.5,\n") << QByteArray() << QStringList{"gradient_clipping | 0.5 | not set: 1"};
    QTest::newRow("a word that acts as another value") << QByteArray("\"stage\": 2") << QByteArray("\"stage\": 2, \"contiguous_gradients\": \"no\"")
        << QStringList{"zero_optimization.contiguous_gradients | not set: true | no, acts as false"};
}

void TstConfigDiff::showsWhatItMeans()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QStringList, rows);
    ConfigModel model;
    ConfigDiff diff(model);
    diff.setSavedText(kSaved);
    diff.show();
    model.setText(QByteArray(kSaved).replace(from, to));
    QStringList shown;
    for (int row = 0; row < diff.table()->rowCount(); ++row)
        shown << diff.table()->item(row, 0)->text() + " | " + diff.table()->item(row, 1)->text() + " | " + diff.table()->item(row, 2)->text();
    QCOMPARE(shown, rows);
    QCOMPARE(diff.table()->isVisibleTo(&diff), !rows.isEmpty());
}

void TstConfigDiff::refusedIsComparedAsWritten()
{
    ConfigModel model;
    ConfigDiff diff(model);
    diff.setSavedText(kSaved);
    diff.show();
    model.setText(QByteArray(kSaved).replace("\"stage\": 2", "\"stage\": 9"));
    QCOMPARE(diff.table()->rowCount(), 1);
    QCOMPARE(diff.table()->item(0, 1)->text(), QString("2"));
    QCOMPARE(diff.table()->item(0, 2)->text(), QString("9"));
    // A text is told from the number that it spells.
    model.setText(QByteArray(kSaved).replace("\"stage\": 2", "\"stage\": 9").replace("clipping\": 0.5", "clipping\": \"0.5\""));
    QCOMPARE(diff.table()->rowCount(), 2);
    QCOMPARE(diff.table()->item(0, 1)->text(), QString("0.5"));
    QCOMPARE(diff.table()->item(0, 2)->text(), QString("\"0.5\""));
}

void TstConfigDiff::unreadableIsSaid()
{
    ConfigModel model;
    ConfigDiff diff(model);
    diff.setSavedText(kSaved);
    diff.show();
    model.setText("{");
    QCOMPARE(diff.table()->rowCount(), 0);
    QVERIFY(!diff.table()->isVisibleTo(&diff));
}

void TstConfigDiff::resolvedSaysThatItIsRefused()
{
    ConfigModel model;
    ResolvedView view(model);
    view.show();
    model.setText(R"({"train_micro_batch_size_per_gpu": 2, "bf16": true, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 2}})");
    const QAbstractItemModel* rows = view.table()->model();
    QString told;
    for (int row = 0; row < rows->rowCount(); ++row) {
        const QString key = rows->index(row, ResolvedModel::Key).data().toString();
        const QString used = rows->index(row, ResolvedModel::Used).data().toString();
        QVERIFY2(used != "true" && used != "2", qPrintable(key + ": " + used));
        told += rows->index(row, ResolvedModel::Why).data().toString();
    }
    QCOMPARE(rows->index(0, ResolvedModel::Key).data().toString(), QString("bf16"));
    QVERIFY2(told.contains("refused"), qPrintable(told));
    QCOMPARE(rows->index(0, ResolvedModel::Used).data(Qt::ForegroundRole).value<QColor>(), theme::color(theme::Token::Error));   // as in form and findings
    // Why stands above the table, in as many lines as it needs; in a narrow window too.
    auto* reason = view.findChild<QLabel*>("refusalReason");
    QVERIFY(reason && reason->isVisibleTo(&view));
    QCOMPARE(reason->text(), QString::fromStdString(model.answer().findings.front().message));
    for (const int width : {260, 700}) {
        view.resize(width, 420);
        view.show();
        QTRY_VERIFY(reason->height() >= reason->heightForWidth(reason->width()) && reason->width() <= width);
        QVERIFY(view.table()->height() >= view.table()->minimumHeight());
    }
    // What DeepSpeed reads, and refuses when it builds its engine, is resolved and refused.
    model.setText(R"({"train_micro_batch_size_per_gpu": 2, "fp16": {"enabled": true}, "optimizer": {"type": "OneBitAdam"}, "zero_optimization": {"stage": 3}})");
    QVERIFY(!model.answer().ok && model.answer().parseOk);
    QVERIFY(reason->isVisibleTo(&view) && !reason->text().isEmpty());
    QCOMPARE(rows->index(0, ResolvedModel::Used).data().toString(), QString("2"));
    model.setText(R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 2}})");
    QCOMPARE(rows->index(0, ResolvedModel::Key).data().toString(), QString("train_batch_size"));
    QCOMPARE(rows->index(0, ResolvedModel::Used).data().toString(), QString("2"));
    QVERIFY(!reason->isVisibleTo(&view));
}

QTEST_MAIN(TstConfigDiff)
#include "tst_config_diff.moc"
