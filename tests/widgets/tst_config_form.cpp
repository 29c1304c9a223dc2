// SPDX-License-Identifier: GPL-3.0-or-later
// What is typed into a field of the form over a value that shows the same and is another.
#include "config_owner.h"

#include "widgets/config_editor.h"
#include "widgets/config_form.h"
#include "widgets/config_form_delegate.h"
#include "widgets/config_form_model.h"
#include "widgets/config_model.h"
#include "widgets/config_presets.h"
#include "widgets/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QtTest>

using namespace stagecraft;

class TstConfigForm : public QObject {
    Q_OBJECT

private slots:
    void aNumberInQuotesIsRetyped_data();
    void aNumberInQuotesIsRetyped();
    void aKeySaysWhatItIsByDefault();
    void aLongNumberIsReadWhole();
    void aDefaultIsCompletedAsItsHelpHasIt();
    void aTextThatIsNoObjectTakesNoEdit_data();
    void aTextThatIsNoObjectTakesNoEdit();
};

void TstConfigForm::aNumberInQuotesIsRetyped_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QByteArray>("after");   // empty: nothing is edited
    QTest::newRow("a micro-batch") << QByteArray("{\"train_micro_batch_size_per_gpu\": \"4\"}") << "/train_micro_batch_size_per_gpu" << "4" << QByteArray("4");
    QTest::newRow("a learning rate") << QByteArray("{\"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": \"1e-4\"}}}") << "/optimizer/params/lr" << "1e-4" << QByteArray("1e-4");
    QTest::newRow("the number itself") << QByteArray("{\"train_micro_batch_size_per_gpu\": 4}") << "/train_micro_batch_size_per_gpu" << "4" << QByteArray();
    QTest::newRow("a spelling of one's own") << QByteArray("{\"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1E-04}}}") << "/optimizer/params/lr" << "1E-04" << QByteArray();
}

void TstConfigForm::aNumberInQuotesIsRetyped()
{
    QFETCH(QByteArray, before);
    QFETCH(QString, pointer);
    QFETCH(QString, typed);
    QFETCH(QByteArray, after);
    if (!theme::Theme::instance())
        theme::Theme::install(*qApp);
    ConfigPage page;
    const Owner owner(page);
    page.setText(before);
    page.resize(1280, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    ConfigFormView* view = page.form()->view();
    view->setCurrentIndex(view->rows().index(view->rows().makeVisible(pointer)));
    const auto opened = [view] { return view->viewport()->findChild<QLineEdit*>(); };
    for (const bool types : {false, true}) {
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Return);
        QLineEdit* field = opened();
        QVERIFY(field);
        // Quotes that are the mistake are seen, and are not taken for an edit.
        const bool quoted = !after.isEmpty();
        QCOMPARE(field->text(), quoted ? QLatin1Char('"') + typed + QLatin1Char('"') : typed);
        QCOMPARE(field->property("invalid").toBool(), quoted);
        if (types)
            QTest::keyClicks(field, typed);   // over all of it, which is selected
        QCOMPARE(field->isModified(), types);
        QTest::keyClick(field, quoted && !types ? Qt::Key_Escape : Qt::Key_Return);
        QTRY_VERIFY(!opened());
        QCOMPARE(owner.stack.count(), types && !after.isEmpty() ? 1 : 0);
    }
    const int node = page.model().document().find(pointer.toStdString());
    QVERIFY(node >= 0);
    QCOMPARE(QByteArray::fromStdString(std::string(page.model().document().spelling(node))), after.isEmpty() ? typed.toUtf8() : after);
}

// An empty field would leave it open whether the default is unknown, nothing, or none at all.
void TstConfigForm::aKeySaysWhatItIsByDefault()
{
    if (!theme::Theme::instance())
        theme::Theme::install(*qApp);
    ConfigPage page;
    const Owner owner(page);
    page.setText("{}");
    const ConfigFormModel& rows = page.form()->view()->rows();
    page.form()->view()->rows().setShow(ConfigFormModel::Show::All);
    int keys = 0;
    for (int row = 0; row < rows.rowCount(); ++row) {
        if (rows.row(row).header || !rows.row(row).applies)
            continue;
        ++keys;
        QVERIFY2(!rows.note(row).isEmpty(), qPrintable(rows.row(row).pointer));
    }
    QVERIFY(keys > 100);
    const int path = page.form()->view()->rows().makeVisible(QStringLiteral("/zero_optimization/offload_optimizer/nvme_path"));
    QCOMPARE(rows.note(path), QStringLiteral("no default"));
    QCOMPARE(rows.note(page.form()->view()->rows().makeVisible(QStringLiteral("/gradient_clipping"))), QStringLiteral("default"));
    QCOMPARE(rows.note(page.form()->view()->rows().makeVisible(QStringLiteral("/zero_optimization/overlap_comm"))), QStringLiteral("depends"));   // on the stage
}

// A number that lacks its last digits reads as another one. In the file the digits stay: DeepSpeed's reader takes 2e10 for no whole number.
void TstConfigForm::aLongNumberIsReadWhole()
{
    if (!theme::Theme::instance())
        theme::Theme::install(*qApp);
    ConfigPage page;
    const Owner owner(page);
    page.setText(R"({"zero_optimization": {"stage": 3, "reduce_bucket_size": 5e8}})");
    ConfigFormModel& rows = page.form()->view()->rows();
    auto* fields = qobject_cast<ConfigFormDelegate*>(page.form()->view()->itemDelegate());
    QVERIFY(fields);
    constexpr int kInside = 110;   // px of a field of 124
    const auto typed = [&](const char* number) {
        const int row = rows.makeVisible(QStringLiteral("/zero_optimization/reduce_bucket_size"));
        fields->setTyped(row, QString::fromLatin1(number));
        return fields->fieldWords(row, kInside);
    };
    QCOMPARE(typed("20000").value, QStringLiteral("20000"));
    QVERIFY(!typed("20000").unit.isEmpty());
    const auto words = typed("2e10");
    QVERIFY2(page.text().contains("\"reduce_bucket_size\": 20000000000"), page.text().constData());
    QCOMPARE(words.value, QStringLiteral("2e10"));
    QVERIFY(!words.unit.isEmpty());
    // What no exponent makes shorter takes the room of its unit.
    QCOMPARE(typed("12345678901").value, QStringLiteral("12345678901"));
    QVERIFY(typed("12345678901").unit.isEmpty());
}

void TstConfigForm::aDefaultIsCompletedAsItsHelpHasIt()
{
    ConfigPage page;
    const Owner owner(page);
    const QByteArray text = "{\n  \"zero_optimization\": {\n    \"stage\": 3,\n    \"stage3_prefetch\"\n  }\n}\n";
    page.setText(text);
    page.resize(1280, 800);
    page.move(-500, 0);  // the offscreen screen is 800 wide; a list needs a screen below the cursor
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    page.editor()->setFocus();
    page.editor()->setCursorOffset(static_cast<int>(text.indexOf("prefetch\"")) + 8);
    page.editor()->complete(true);
    QTRY_VERIFY(page.editor()->completionVisible());
    QTest::keyClick(page.editor(), Qt::Key_Return);
    QTRY_VERIFY2(page.text().contains("\"stage3_prefetch_bucket_size\": 5e7\n"), page.text().constData());
}

void TstConfigForm::aTextThatIsNoObjectTakesNoEdit_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("a number") << QByteArray("5");
    QTest::newRow("a list") << QByteArray("[{\"train_batch_size\": 8}]");
    QTest::newRow("a word") << QByteArray("\"zero\"");
}

void TstConfigForm::aTextThatIsNoObjectTakesNoEdit()
{
    QFETCH(QByteArray, text);
    if (!theme::Theme::instance())
        theme::Theme::install(*qApp);
    ConfigPage page;
    const Owner owner(page);
    page.setText(text);
    page.resize(1280, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    // The form says why, and cannot be clicked; a preset cannot be applied.
    const auto* notice = page.form()->findChild<QLabel*>(QStringLiteral("formNotice"));
    QVERIFY(notice && notice->isVisible() && !notice->text().isEmpty());
    QVERIFY(!page.form()->view()->isEnabled());
    page.showPresets();
    page.presets()->list()->setCurrentRow(2);
    QString said;
    for (const QLabel* label : page.presets()->findChildren<QLabel*>())
        said += label->text() + QLatin1Char('|');
    QVERIFY2(!said.contains(QStringLiteral("Changes ")) && !said.contains(QStringLiteral("accepts the result")), qPrintable(said));
    for (QPushButton* button : page.presets()->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Apply"))
            QVERIFY(!button->isEnabled());
    QCOMPARE(owner.stack.count(), 0);
}

QTEST_MAIN(TstConfigForm)
#include "tst_config_form.moc"
