// SPDX-License-Identifier: GPL-3.0-or-later
// The page follows the chosen release: form, completion and help; presets are judged before they are merged; verdict and surroundings
// are said.
#include "config_owner.h"

#include "config/key_releases.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_form_model.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_presets.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QtTest>

using namespace stagecraft;

namespace {

const QByteArray kPlain = "{\n  \"train_batch_size\": 64,\n  \"train_micro_batch_size_per_gpu\": 4,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 0.001}}\n}\n";

}  // namespace

class TstConfigRelease : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!theme::Theme::instance())
            theme::Theme::install(*qApp);
    }
    void init();
    void cleanup();
    void keysAreThoseOfTheRelease_data();
    void keysAreThoseOfTheRelease();
    void valuesAreThoseOfTheRelease();
    void formFollowsTheRelease();
    void completionFollowsTheRelease();
    void completionBeginsWithWhatFits();
    void completedBatchSizesFit();
    void helpSaysOnlyWhatIsKnownOfReleases();
    void helpOfABrokenTextHasNoPlaces();
    void enterGoesOnWhereTheLineBegan_data();
    void enterGoesOnWhereTheLineBegan();
    void presetsSayWhatBecomesOfTheFile();
    void presetsTakeOutWhatNoLongerFits_data();
    void presetsTakeOutWhatNoLongerFits();
    void whatWasRefusedBeforeIsNotThePresets();
    void findingsBeginWithTheKeyAndTheVerdict();
    void findingsCanBeReadWhereThereIsLittleRoom();
    void inferenceNeedsNoOptimizer();
    void longLinesShowWhatIsMeant();
    void surroundingsAreSaid();
    void panelsKeepTheirWidths();
    void searchPutsFirstWhatTheReleaseKnows();

private:
    void choose(const char* release) { m_page->findChild<QComboBox*>(QStringLiteral("release"))->setCurrentText(QString::fromUtf8(release)); }
    [[nodiscard]] QString noteOf(const char* pointer) const
    {
        const int row = m_page->form()->view()->rows().makeVisible(QString::fromUtf8(pointer));
        return row < 0 ? QStringLiteral("no row") : m_page->form()->view()->rows().note(row);
    }
    [[nodiscard]] QString help(const char* pointer) const
    {
        m_page->showKey(QString::fromUtf8(pointer));
        return m_page->keyHelp()->plainText();
    }
    [[nodiscard]] QStringList offered(const QByteArray& text);
    void showPreset(const char* id);

    std::unique_ptr<ConfigPage> m_page;
    std::unique_ptr<Owner> m_owner;
};

void TstConfigRelease::init()
{
    m_page = std::make_unique<ConfigPage>();
    m_owner = std::make_unique<Owner>(*m_page);
    CheckContext context;
    context.world = 2;
    m_page->setContext(context);
    m_page->setText(kPlain);
    m_page->resize(1280, 800);
    m_page->move(-500, 0);  // the offscreen screen is 800 wide; a list needs a screen below the cursor
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
}

void TstConfigRelease::cleanup()
{
    m_owner.reset();
    m_page.reset();
}

/// What is offered behind the word that `text` has a '|' after.
QStringList TstConfigRelease::offered(const QByteArray& text)
{
    QByteArray plain = text;
    const auto at = plain.indexOf('|');
    plain.remove(at, 1);
    m_page->setText(plain);
    m_page->editor()->setFocus();
    m_page->editor()->setCursorOffset(static_cast<int>(at));
    m_page->editor()->complete(true);
    QStringList entries;
    for (QWidget* window : QApplication::topLevelWidgets())
        if (auto* list = qobject_cast<QListWidget*>(window); list && list->isVisible() && list->inherits("QsciSciListBox"))
            for (int row = 0; row < list->count(); ++row)
                entries << list->item(row)->text();
    QTest::keyClick(m_page->editor(), Qt::Key_Escape);
    return entries;
}

void TstConfigRelease::keysAreThoseOfTheRelease_data()
{
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("release");
    QTest::addColumn<bool>("known");
    QTest::addColumn<int>("reading");
    const auto row = [](const char* name, const char* pointer, const char* release, bool known, KeyReading reading) { QTest::newRow(name) << QByteArray(pointer) << QByteArray(release) << known << static_cast<int>(reading); };
    row("the stage is in all of them", "/zero_optimization/stage", "0.14.5", true, KeyReading::Read);
    row("autocast is not in the oldest", "/torch_autocast", "0.14.5", false, KeyReading::Ignored);
    row("nor are its keys", "/torch_autocast/dtype", "0.14.5", false, KeyReading::Ignored);
    row("autocast is in the newest", "/torch_autocast", "", true, KeyReading::Read);
    row("the newest refuses what it has dropped", "/sparse_gradients", "", false, KeyReading::Refused);
    row("the one before takes it", "/sparse_gradients", "0.19.6", true, KeyReading::Read);
    row("graph harvesting went with it", "/graph_harvesting", "0.19.8", false, KeyReading::Refused);
    row("the oldest reads the threads of aio", "/aio/thread_count", "0.14.5", true, KeyReading::Read);
    row("the newest does not", "/aio/thread_count", "", false, KeyReading::Ignored);
    row("their other name is not in the oldest", "/aio/intra_op_parallelism", "0.14.5", false, KeyReading::Ignored);
    row("parameters of a class are not of a release", "/optimizer/params/lr", "0.14.5", true, KeyReading::Read);
}

void TstConfigRelease::keysAreThoseOfTheRelease()
{
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, release);
    const KeyCatalog& catalog = KeyCatalog::standard();
    const int id = catalog.find(pointer.toStdString());
    QVERIFY(id >= 0);
    const KeyInRelease here = keyIn(catalog.key(id), release.toStdString());
    QTEST(here.known, "known");
    QTEST(static_cast<int>(here.reading), "reading");
}

void TstConfigRelease::valuesAreThoseOfTheRelease()
{
    const CatalogKey& type = KeyCatalog::standard().key(KeyCatalog::standard().find("/optimizer/type"));
    QVERIFY(takesValue(type, "\"OneBitAdam\"", "0.19.6") && !takesValue(type, "\"OneBitAdam\"", "0.19.8"));
    QVERIFY(takesValue(type, "\"AdamW\"", "0.14.5") && takesValue(type, "\"AdamW\"", ""));
    QVERIFY(takesValue(type, "\"Muon\"", "0.19.8") && !takesValue(type, "\"Muon\"", "0.16.9"));
    QVERIFY(offered("{\"optimizer\": {\"type\": \"One|\"}}").isEmpty());
    choose("0.19.6");
    QVERIFY(offered("{\"optimizer\": {\"type\": \"One|\"}}").contains(QStringLiteral("OneBitAdam")));
}

void TstConfigRelease::formFollowsTheRelease()
{
    m_page->form()->view()->rows().setShow(ConfigFormModel::Show::All);
    QVERIFY2(!noteOf("/torch_autocast/lower_precision_safe_modules").contains(QStringLiteral("not in")), qPrintable(noteOf("/torch_autocast/lower_precision_safe_modules")));
    QCOMPARE(noteOf("/aio/thread_count"), QStringLiteral("not in 0.19.8"));
    QCOMPARE(noteOf("/sparse_gradients"), QStringLiteral("refused"));
    choose("0.14.5");
    QCOMPARE(noteOf("/torch_autocast/enabled"), QStringLiteral("not in 0.14.5"));
    QCOMPARE(noteOf("/aio/intra_op_parallelism"), QStringLiteral("not in 0.14.5"));
    QVERIFY2(noteOf("/aio/thread_count") == QStringLiteral("default"), qPrintable(noteOf("/aio/thread_count")));
}

void TstConfigRelease::completionFollowsTheRelease()
{
    const QStringList newest = offered("{\n  \"grad|\n}\n");
    QVERIFY2(newest.contains(QStringLiteral("gradient_clipping")), qPrintable(newest.join(' ')));
    QVERIFY2(!newest.contains(QStringLiteral("sparse_gradients")) && !newest.contains(QStringLiteral("graph_harvesting")), qPrintable(newest.join(' ')));
    QVERIFY(offered("{\n  \"torch|\n}\n").contains(QStringLiteral("torch_autocast")));
    choose("0.14.5");
    QVERIFY(offered("{\n  \"grad|\n}\n").contains(QStringLiteral("sparse_gradients")));
    QVERIFY(!offered("{\n  \"torch|\n}\n").contains(QStringLiteral("torch_autocast")));
}

void TstConfigRelease::completionBeginsWithWhatFits()
{
    const QByteArray zero = "{\n  \"zero_optimization\": {\"stage\": 2, \"offl|}\n}\n";
    QCOMPARE(offered(zero), (QStringList{QStringLiteral("offload_optimizer"), QStringLiteral("offload_param")}));
    QCOMPARE(offered(QByteArray(zero).replace('2', '3')).size(), 2);
}

void TstConfigRelease::completedBatchSizesFit()
{
    // 64 = 4 x 8 x 2 ranks: 1 would be refused at once.
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(kPlain.indexOf("  \"optimizer\"")));
    QTest::keyClicks(editor, "  \"gradient_acc");
    QTRY_VERIFY(editor->completionVisible());
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_VERIFY2(m_page->text().contains("\"gradient_accumulation_steps\": 8"), m_page->text().constData());
    QVERIFY(m_page->model().answer().ok);
}

void TstConfigRelease::helpSaysOnlyWhatIsKnownOfReleases()
{
    QVERIFY2(help("/torch_autocast").contains(QStringLiteral("first seen in 0.18.9, not in 0.16.9")), qPrintable(help("/torch_autocast")));
    QVERIFY2(help("/zero_optimization/stage").contains(QStringLiteral("DeepSpeed 0.14.5 or before")), qPrintable(help("/zero_optimization/stage")));
    QVERIFY2(help("/sparse_gradients").contains(QStringLiteral("gone in 0.19.8, still in 0.19.6")), qPrintable(help("/sparse_gradients")));
    QVERIFY(help("/sparse_gradients").contains(QStringLiteral("DeepSpeed 0.19.8 does not have this key and refuses it.")));
    // What DeepSpeed refuses no DeepSpeed run starts with.
    m_page->setText(QByteArray(kPlain).replace("\"lr\": 0.001", "\"lr\": 0.001, \"max_grad_norm\": 1.0"));
    const QString norm = help("/optimizer/params/max_grad_norm");
    QVERIFY2(!norm.contains(QStringLiteral("DeepSpeed runs do")) && norm.contains(QStringLiteral("gradient_clipping")), qPrintable(norm));
    m_page->setText(kPlain);
    choose("0.14.5");
    QVERIFY2(help("/gradient_clipping").contains(QStringLiteral("DeepSpeed 0.14.5 takes 0.0 where it is missing; the texts here are about 0.19.8, which takes 1.0.")), qPrintable(help("/gradient_clipping")));
    QVERIFY(help("/torch_autocast/enabled").contains(QStringLiteral("DeepSpeed 0.14.5 does not have this key.")));
    QVERIFY(help("/aio/thread_count").contains(QStringLiteral("DeepSpeed 0.14.5 reads this key; the texts here are about 0.19.8.")));
    QVERIFY(!help("/zero_optimization/stage").contains(QStringLiteral("the texts here are about")));
}

void TstConfigRelease::helpOfABrokenTextHasNoPlaces()
{
    QVERIFY(help("/optimizer/type").contains(QStringLiteral("line 4")));
    m_page->setText(QByteArray(kPlain).replace("64,", "64,, {"));
    QVERIFY2(!m_page->keyHelp()->plainText().contains(QStringLiteral("line 4")), qPrintable(m_page->keyHelp()->plainText()));
}

void TstConfigRelease::enterGoesOnWhereTheLineBegan_data()
{
    QTest::addColumn<QByteArray>("before");   // '|' is the caret
    QTest::addColumn<QByteArray>("after");
    QTest::newRow("behind a bracket") << QByteArray("{|") << QByteArray("{\n  |");
    QTest::newRow("between brackets") << QByteArray("{\n  \"bf16\": {|}\n}") << QByteArray("{\n  \"bf16\": {\n    |\n  }\n}");
    QTest::newRow("within a list") << QByteArray("{\n    \"a\": [ | 1]\n}") << QByteArray("{\n    \"a\": [ \n        | 1]\n}");
    QTest::newRow("behind a value") << QByteArray("{\n    \"a\": 1,|\n}") << QByteArray("{\n    \"a\": 1,\n    |\n}");
    QTest::newRow("in front of the line") << QByteArray("{\n|    \"a\": 1\n}") << QByteArray("{\n\n|    \"a\": 1\n}");
    QTest::newRow("with tabs") << QByteArray("{\n\t\"a\": {|\n}") << QByteArray("{\n\t\"a\": {\n\t\t|\n}");
    QTest::newRow("with the line ends of Windows") << QByteArray("{\r\n  \"a\": 1,|\r\n}") << QByteArray("{\r\n  \"a\": 1,\r\n  |\r\n}");
}

void TstConfigRelease::enterGoesOnWhereTheLineBegan()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    const auto at = before.indexOf('|');
    m_page->setText(before.remove(at, 1));
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(at));
    QTest::keyClick(editor, Qt::Key_Return);
    editor->flush();
    QByteArray now = m_page->text();
    QCOMPARE(now.insert(editor->cursorOffset(), '|'), after);
    QCOMPARE(m_owner->stack.count(), 1);
}

void TstConfigRelease::showPreset(const char* id)
{
    m_page->showPresets();
    QListWidget* list = m_page->presets()->list();
    for (int i = 0; i < list->count(); ++i)
        if (list->item(i)->data(Qt::UserRole).toString() == QLatin1String(id))
            list->setCurrentRow(i);
    QCOMPARE(list->currentItem()->data(Qt::UserRole).toString(), QString::fromUtf8(id));
}

void TstConfigRelease::presetsSayWhatBecomesOfTheFile()
{
    const ConfigPresets* presets = m_page->presets();
    showPreset("zero2");
    QCOMPARE(presets->verdict()->text(), QStringLiteral("DeepSpeed 0.19.8 accepts the result."));
    QVERIFY(!presets->dropBox()->isVisible());
    // Keys that stay and mean nothing any more are named.
    m_page->setText(QByteArray(kPlain).replace("\n}\n", ",\n  \"zero_optimization\": {\"stage\": 2, \"overlap_comm\": true, \"reduce_bucket_size\": 5e8}\n}\n"));
    showPreset("zero0");
    const QString said = presets->verdict()->text();
    QVERIFY2(said.contains(QStringLiteral("then never read:")) && said.contains(QStringLiteral("overlap_comm")), qPrintable(said));
    QVERIFY2(!said.contains(QStringLiteral("train_")), qPrintable(said));
    m_page->setText(kPlain);
    // What a release no longer has is not offered for it.
    const auto isOffered = [this](const char* id) {
        const QListWidget* list = m_page->presets()->list();
        for (int i = 0; i < list->count(); ++i)
            if (list->item(i)->data(Qt::UserRole).toString() == QLatin1String(id))
                return !list->isRowHidden(i);
        return false;
    };
    QVERIFY(isOffered("zero2") && !isOffered("onebit-adam"));
    choose("0.19.6");
    QVERIFY(isOffered("onebit-adam"));
    showPreset("onebit-adam");
    QVERIFY2(presets->verdict()->text().startsWith(QStringLiteral("DeepSpeed 0.19.6 ")), qPrintable(presets->verdict()->text()));
    choose("0.19.8");
    QCOMPARE(m_page->presets()->list()->currentRow(), 0);
}

void TstConfigRelease::presetsTakeOutWhatNoLongerFits_data()
{
    QTest::addColumn<QByteArray>("section");
    QTest::addColumn<QString>("preset");
    QTest::addColumn<QString>("misfit");
    const QByteArray zenflow = "\"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\"}, \"zenflow\": {\"topk_ratio\": 0.1}}";
    QTest::newRow("ZenFlow without its offload") << zenflow << QString("zero2") << QString("zenflow");
    QTest::newRow("ZenFlow without its offload, another stage") << zenflow << QString("zero1") << QString("zenflow");
}

void TstConfigRelease::presetsTakeOutWhatNoLongerFits()
{
    QFETCH(QByteArray, section);
    QFETCH(QString, preset);
    QFETCH(QString, misfit);
    m_page->setText(QByteArray(kPlain).replace("\n}\n", ",\n  " + section + "\n}\n"));
    QVERIFY2(m_page->model().answer().ok, m_page->model().answer().findings.empty() ? "" : m_page->model().answer().findings.front().message.c_str());
    showPreset(preset.toUtf8().constData());
    ConfigPresets* presets = m_page->presets();
    QVERIFY(presets->dropBox()->isVisible() && presets->dropBox()->isChecked());
    QVERIFY2(presets->dropBox()->text().contains(misfit), qPrintable(presets->dropBox()->text()));
    QCOMPARE(presets->verdict()->text(), QStringLiteral("DeepSpeed 0.19.8 accepts the result."));
    QStringList removed;
    for (int row = 0; row < presets->preview()->rowCount(); ++row)
        if (presets->preview()->item(row, 2)->text() == QStringLiteral("removed"))
            removed << presets->preview()->item(row, 0)->text();
    QVERIFY2(removed.contains(QStringLiteral("zero_optimization.") + misfit), qPrintable(removed.join(' ')));
    presets->dropBox()->setChecked(false);
    QVERIFY2(presets->verdict()->text().contains(QStringLiteral("refuses the result")), qPrintable(presets->verdict()->text()));
    presets->dropBox()->setChecked(true);
    QTest::mouseClick(presets->applyButton(), Qt::LeftButton);
    QCOMPARE(m_owner->stack.count(), 1);
    QVERIFY2(!m_page->text().contains(misfit.toUtf8()), m_page->text().constData());
    QVERIFY(m_page->model().answer().ok);
}

void TstConfigRelease::whatWasRefusedBeforeIsNotThePresets()
{
    m_page->setText(QByteArray(kPlain).replace("64", "63"));
    QVERIFY(!m_page->model().answer().ok);
    showPreset("zero2");
    QVERIFY(!m_page->presets()->dropBox()->isVisible());
    QVERIFY2(m_page->presets()->verdict()->text().contains(QStringLiteral("The preset adds no error.")), qPrintable(m_page->presets()->verdict()->text()));
}

void TstConfigRelease::findingsBeginWithTheKeyAndTheVerdict()
{
    FindingsList* list = m_page->findings();
    const auto header = [list] {
        QStringList words;
        for (const QLabel* label : list->findChildren<QLabel*>())
            words << label->text();
        return words.join(QLatin1Char('|'));
    };
    QVERIFY2(header().contains(QStringLiteral("DeepSpeed 0.19.8 accepts it")) && !header().contains(QStringLiteral("may show")), qPrintable(header()));
    m_page->setText(QByteArray(kPlain).replace("64", "63").replace("\"optimizer\"", "\"my_script\": 1,\n  \"optimizer\""));
    QVERIFY2(header().contains(QStringLiteral("DeepSpeed 0.19.8 refuses it when it is parsed")) && !header().contains(QStringLiteral("more may show")), qPrintable(header()));
    const QAbstractItemModel* rows = list->view()->model();
    QStringList keys;
    for (int row = 0; row < rows->rowCount(); ++row) {
        const QModelIndex sentence = rows->index(row, FindingsModel::Message);
        const QString key = sentence.data(FindingsModel::KeyRole).toString();
        keys << key;
        QVERIFY2(!key.isEmpty(), qPrintable(sentence.data().toString()));
        QVERIFY2(!sentence.data(FindingsModel::SentenceRole).toString().startsWith('"' + key + '"'), qPrintable(sentence.data(FindingsModel::SentenceRole).toString()));
    }
    QVERIFY2(keys.contains(QStringLiteral("my_script")), qPrintable(keys.join(' ')));
    // What stops a run stands first.
    QCOMPARE(m_page->model().answer().findings.front().severity, CheckSeverity::Error);
    QVERIFY(m_page->model().answer().findings.back().severity != CheckSeverity::Error);
    // Somebody else's refusal stands below it, with its reason and the way out.
    QVERIFY(!list->otherRefusal()->isVisible());
    list->setOtherRefusal(QStringLiteral("Our engine: no."));
    QVERIFY(list->otherRefusal()->isVisible() && list->deepSpeedButton()->isVisible());
    QSignalSpy asked(m_page.get(), &ConfigPage::deepSpeedRequested);
    QTest::mouseClick(list->deepSpeedButton(), Qt::LeftButton);
    QCOMPARE(asked.count(), 1);
    // The button goes with the line; nothing else is selected by that.
    const QString current = m_page->model().current();
    list->deepSpeedButton()->setFocus();
    list->setOtherRefusal({});
    QVERIFY(!list->otherRefusal()->isVisible());
    QCOMPARE(m_page->model().current(), current);
    QVERIFY(!list->view()->hasFocus());
    list->setOtherRefusal(QStringLiteral("Our engine: no."), false);
    QVERIFY(list->otherRefusal()->isVisible() && !list->deepSpeedButton()->isVisible());
}

void TstConfigRelease::findingsCanBeReadWhereThereIsLittleRoom()
{
    FindingsList* list = m_page->findings();
    m_page->setText(QByteArray(kPlain).replace("\"optimizer\"", "\"gradient_accumulation_step\": 2,\n  \"zero_optimization\": {\"stage\": 2, \"overlap_com\": true},\n  \"optimizer\""));
    QTableView* view = list->view();
    const auto words = [view] { return view->columnWidth(FindingsModel::Message); };
    QVERIFY(list->width() < 860);
    QVERIFY2(words() * 2 > list->width(), qPrintable(QStringLiteral("%1 of %2").arg(words()).arg(list->width())));
    QVERIFY(view->isColumnHidden(FindingsModel::Effect));
    QVERIFY(view->rowHeight(0) > 24);
    // Every line of the longest sentence has room: nothing of what is to be done is cut.
    const QFontMetrics metrics(theme::font(theme::Role::Body));
    for (int row = 0; row < view->model()->rowCount(); ++row) {
        const int width = metrics.horizontalAdvance(view->model()->index(row, FindingsModel::Message).data(FindingsModel::SentenceRole).toString());
        QVERIFY2(view->rowHeight(row) / 18 >= std::min(4, width / words()), qPrintable(QString::number(row)));
    }
    m_page->resize(2400, 900);
    QTRY_VERIFY(!view->isColumnHidden(FindingsModel::Effect));
    QVERIFY(words() > 800);
}

void TstConfigRelease::inferenceNeedsNoOptimizer()
{
    showPreset("inference");
    const QString said = m_page->presets()->verdict()->text();
    QVERIFY2(said.contains(QStringLiteral("accepts the result for inference")), qPrintable(said));
    // The last of the list stays in sight below its longer sentence.
    QListWidget* list = m_page->presets()->list();
    QTRY_VERIFY(list->viewport()->rect().contains(list->visualItemRect(list->currentItem())));
    // What is wrong with it besides is said as ever.
    m_page->setText(QByteArray(kPlain).replace("\"optimizer\"", "\"zero_optimization\": {\"overlap_com\": true},\n  \"optimizer\""));
    QVERIFY2(m_page->presets()->verdict()->text().contains(QStringLiteral("refuses")), qPrintable(m_page->presets()->verdict()->text()));
}

void TstConfigRelease::longLinesShowWhatIsMeant()
{
    const QByteArray text = "{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 4, \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 0.001}}, \"zero_optimization\": {\"stage\": 3, \"zero_hpz_partition_size\": 16}, \"steps_per_print\": 100}\n";
    m_page->setText(text);
    ConfigEditor* editor = m_page->editor();
    const auto xOf = [editor](qsizetype at) { return editor->SendScintilla(QsciScintillaBase::SCI_POINTXFROMPOSITION, 0UL, static_cast<long>(at)); };
    m_page->showKey(QStringLiteral("/zero_optimization/zero_hpz_partition_size"));
    QCoreApplication::processEvents();
    const auto end = text.indexOf("16}") + 2;
    QVERIFY2(xOf(end) <= editor->viewport()->width() && xOf(end) > editor->viewport()->width() - 80, qPrintable(QString::number(xOf(end))));
    // What fits from the left stands there.
    m_page->showKey(QStringLiteral("/train_batch_size"));
    QCoreApplication::processEvents();
    QCOMPARE(editor->SendScintilla(QsciScintillaBase::SCI_GETXOFFSET), 0L);
}

void TstConfigRelease::surroundingsAreSaid()
{
    QCOMPARE(m_page->surroundings()->text(), QStringLiteral("for 2 GPUs"));
    CheckContext context;
    context.device = "cpu";
    m_page->setContext(context);
    QCOMPARE(m_page->surroundings()->text(), QStringLiteral("for 1 CPU rank, assumed"));
    context.ranks = 1;
    m_page->setContext(context);
    QCOMPARE(m_page->surroundings()->text(), QStringLiteral("for 1 CPU rank"));
    context.ranks = 8;
    m_page->setContext(context);
    QCOMPARE(m_page->surroundings()->text(), QStringLiteral("for 8 CPU ranks"));
    QSignalSpy asked(m_page.get(), &ConfigPage::surroundingsRequested);
    QTest::mouseClick(m_page->surroundings(), Qt::LeftButton);
    QCOMPARE(asked.count(), 1);
}

void TstConfigRelease::panelsKeepTheirWidths()
{
    m_page->resize(1600, 900);
    QTRY_COMPARE(m_page->width(), 1600);
    const int groups = m_page->groups()->width();
    m_page->resize(1090, 700);
    QTRY_COMPARE(m_page->width(), 1090);
    m_page->resize(1600, 900);
    QTRY_COMPARE(m_page->groups()->width(), groups);   // what a small window took is given back
    // Whatever takes the place of the help has one width: the middle does not jump from one to the next.
    auto* own = new QListWidget;
    m_page->addSidePanel(own);
    for (const int width : {1600, 1224}) {
        m_page->resize(width, 900);
        m_page->showSidePanel(m_page->presets());
        const int shown = m_page->presets()->width();
        m_page->showSidePanel(own);
        QCOMPARE(own->width(), shown);
        QVERIFY(shown >= 312);
        m_page->showSidePanel(nullptr);
    }
}

void TstConfigRelease::searchPutsFirstWhatTheReleaseKnows()
{
    ConfigFormModel& rows = m_page->form()->view()->rows();
    rows.setQuery(QStringLiteral("tensor parallel"));
    QVERIFY2(rows.row(0).pointer.startsWith(QStringLiteral("/tensor_parallel")), qPrintable(rows.row(0).pointer));
    choose("0.14.5");   // which has none for training
    QVERIFY2(!rows.row(0).pointer.startsWith(QStringLiteral("/tensor_parallel")), qPrintable(rows.row(0).pointer));
    QVERIFY(rows.rowOfPointer(QStringLiteral("/tensor_parallel")) > 0);
    // Of keys that share a name each row tells its own.
    m_page->groups()->searchField()->setText(QStringLiteral("freeze_step"));
    QStringList told;
    for (int row = 0; row < rows.rowCount(); ++row)
        if (rows.row(row).pointer == QLatin1String("/optimizer/params/freeze_step")) {
            m_page->form()->view()->setCurrentIndex(rows.index(row));
            QCOMPARE(m_page->form()->view()->currentIndex().row(), row);
            told << m_page->keyHelp()->plainText().section(QLatin1Char('\n'), 1, 1);
        }
    QVERIFY2(told.size() == 2 && told[0] != told[1] && told.join(' ').contains(QStringLiteral("OneBitLamb")), qPrintable(told.join('|')));
    // The one key that is found is the one to read about.
    m_page->groups()->searchField()->setText(QStringLiteral("zero_quantized_nontrainable_weights"));
    QCOMPARE(rows.rowCount(), 1);
    QVERIFY2(m_page->keyHelp()->plainText().contains(rows.row(0).pointer), qPrintable(m_page->keyHelp()->plainText()));
}

QTEST_MAIN(TstConfigRelease)
#include "tst_config_release.moc"
