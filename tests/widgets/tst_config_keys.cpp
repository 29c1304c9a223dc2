// SPDX-License-Identifier: GPL-3.0-or-later
// Every key of the catalog through the form, and what the page says of keys: texts compared, releases, effect on the plan.
#include "config_owner.h"
#include "config_sample.h"

#include "widgets/config_curve.h"
#include "widgets/config_diff.h"
#include "widgets/config_editor.h"
#include "widgets/config_fix.h"
#include "widgets/config_form.h"
#include "widgets/config_form_delegate.h"
#include "widgets/config_form_model.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_text_diff.h"
#include "widgets/config_value.h"
#include "widgets/step_curve_view.h"
#include "widgets/text_find.h"
#include "widgets/theme.h"

#include <QLineEdit>
#include <QTabWidget>
#include <QTableWidget>
#include <QScrollBar>
#include <QtTest>

#include <nlohmann/json.hpp>

using namespace stagecraft;

namespace {

/// Text a person may type for `key`.
QString legalText(const CatalogKey& key)
{
    if (!key.values.empty() && key.types.front() != KeyType::StringList)
        return shownValue(QByteArray::fromStdString(key.values.front()));
    switch (key.types.front()) {
    case KeyType::Bool: return QStringLiteral("true");
    case KeyType::Int:
    case KeyType::Float:
        if (key.maxExcluded)
            return QString::number((key.min.value_or(0) + *key.max) / 2);
        return QString::number(std::min(std::max(key.min.value_or(1), 1.0), key.max.value_or(1e18)));
    case KeyType::IntList: return QStringLiteral("1, 2");
    case KeyType::FloatList: return QStringLiteral("0.5, 0.9");
    case KeyType::StringList: return QStringLiteral("[\"a\"]");
    case KeyType::List: return QStringLiteral("[1]");
    case KeyType::Object: return QStringLiteral("{}");
    case KeyType::Null: return QStringLiteral("null");
    case KeyType::Path: return QStringLiteral("/data/file");
    case KeyType::String: return QStringLiteral("word");
    default: return QStringLiteral("1");
    }
}

/// Text that none of the key's types takes; empty where every text is one.
QString illegalText(const CatalogKey& key)
{
    for (const KeyType type : key.types)
        if (type == KeyType::String || type == KeyType::Path)
            return {};
    if (key.types.size() == 1 && key.types.front() == KeyType::Int && key.min)
        return QString::number(*key.min - 1);
    switch (key.types.front()) {
    case KeyType::Object: return QStringLiteral("[1");
    case KeyType::StringList: return QStringLiteral("7");
    case KeyType::List:
    case KeyType::Any: return QStringLiteral("{");
    default: return QStringLiteral("no such word");
    }
}

}  // namespace

class TstConfigKeys : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void everyKeyHasAnEditorForLegalValuesOnly();
    void keysBelowANameAreAddedInTheForm();
    void diffShowsTheTextsToo();
    void helpTellsTheReleases();
    void aFixOfTheWholeFileIsNamedByWhatItDoes();
    void helpDrawsWhatAKeyDoesInThePlan();
    void helpDrawsSchedulesOverTheSteps();
    void whatARunRecordedLiesOverItsSchedule();
    void completionKnowsWhatIsThere();
    void selectedKeyOutlivesTheText();
    void searchGoesThroughTheText();
    void searchNeverCoversWhatItFound();

private:
    [[nodiscard]] int rowOf(const char* pointer) const { return m_page->form()->view()->rows().makeVisible(QString::fromUtf8(pointer)); }
    void select(const char* pointer) const
    {
        ConfigFormView* view = m_page->form()->view();
        view->setCurrentIndex(view->rows().index(rowOf(pointer)));
    }
    [[nodiscard]] QLineEdit* openEditor() const { return m_page->form()->view()->viewport()->findChild<QLineEdit*>(); }

    std::unique_ptr<ConfigPage> m_page;
    std::unique_ptr<Owner> m_owner;
};

void TstConfigKeys::init()
{
    if (!theme::Theme::instance())
        theme::Theme::install(*qApp);
    m_page = std::make_unique<ConfigPage>();
    m_owner = std::make_unique<Owner>(*m_page);
    CheckContext context;
    context.world = 4;
    m_page->setContext(context);
    m_page->setText(kConfig);
    m_page->setSavedText(kConfig);
    m_page->resize(1280, 800);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
}

void TstConfigKeys::cleanup()
{
    m_owner.reset();
    m_page.reset();
}

void TstConfigKeys::everyKeyHasAnEditorForLegalValuesOnly()
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    ConfigFormModel& rows = m_page->form()->view()->rows();
    ConfigFormDelegate& controls = m_page->form()->view()->controls();
    QLineEdit* field = m_page->groups()->searchField();
    int edited = 0;
    for (const CatalogKey& key : catalog.keys()) {
        if (key.isSection() || key.pointer.empty())
            continue;
        // The file that the key can stand in: the optimizer or scheduler type that has it.
        QByteArray text = "{}";
        for (const auto& [pointer, values] : key.when) {
            const auto document = JsonDocument::parse(text.toStdString());
            text = QByteArray::fromStdString(applyEdits(text.toStdString(), {setEdit(*document, pointer, quoteJson(values.front())).value()}));
        }
        m_page->setText(text);
        field->setText(QString::fromStdString(key.pointer).mid(1).replace('/', '.'));
        QString pointer = QString::fromStdString(key.pointer);
        const auto rowOfKey = [&] {
            for (int row = 0; row < rows.rowCount(); ++row)
                if (!rows.row(row).header && rows.row(row).pointer == pointer && rows.catalogKey(row) == &key && (rows.row(row).applies || rows.isPattern(row)))
                    return row;
            return -1;
        };
        int row = rowOfKey();
        QVERIFY2(row >= 0, key.pointer.c_str());
        QVERIFY2(rows.isEditable(row) && controls.controlOf(row) != ConfigFormDelegate::Control::None, key.pointer.c_str());
        if (rows.isPattern(row)) {
            const bool list = rows.isListPattern(row);
            if (!list)
                controls.setTyped(row, "mine");
            pointer.replace(QStringLiteral("*"), list ? QStringLiteral("0") : QStringLiteral("mine"));
            if (!list) {
                row = rowOfKey();
                QVERIFY2(row >= 0, qPrintable(pointer));
            }
        }
        m_owner->messages.clear();
        if (const QString bad = illegalText(key); !bad.isEmpty()) {
            const QByteArray before = m_page->text();
            controls.setTyped(row, bad);
            QVERIFY2(m_page->text() == before && !m_owner->messages.isEmpty(), qPrintable(pointer + " took " + bad));
        }
        m_owner->messages.clear();
        const QByteArray before = m_page->text();
        controls.setTyped(row, legalText(key));
        QVERIFY2(m_page->text() != before, qPrintable(pointer + " refused " + legalText(key) + ": " + m_owner->messages.join(' ')));
        QVERIFY2(!m_page->model().syntaxError() && m_page->model().document().find(pointer.toStdString()) >= 0, qPrintable(pointer));
        ++edited;
    }
    QCOMPARE(edited, static_cast<int>(std::count_if(catalog.keys().begin(), catalog.keys().end(), [](const CatalogKey& key) { return !key.isSection(); })));
}

void TstConfigKeys::keysBelowANameAreAddedInTheForm()
{
    ConfigFormView* view = m_page->form()->view();
    const char* pattern = "/compression_training/weight_quantization/different_groups/*/params/start_bits";
    m_page->groups()->searchField()->setText("start_bits");
    select(pattern);
    view->setFocus();
    QTest::keyClick(view, Qt::Key_Return);
    QLineEdit* field = openEditor();
    QVERIFY(field);
    QVERIFY(!field->placeholderText().isEmpty());
    QTest::keyClicks(field, "wq1");
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY(m_page->model().document().find("/compression_training/weight_quantization/different_groups/wq1") >= 0);
    QCOMPARE(m_owner->stack.count(), 1);
    const int row = rowOf("/compression_training/weight_quantization/different_groups/wq1/params/start_bits");
    QVERIFY(row >= 0);
    view->controls().setTyped(row, "8");
    const int value = m_page->model().document().find("/compression_training/weight_quantization/different_groups/wq1/params/start_bits");
    QVERIFY(value >= 0);
    QCOMPARE(std::string(m_page->model().document().spelling(value)), std::string("8"));
    // The same name again is no second one.
    m_owner->messages.clear();
    view->controls().setTyped(rowOf(pattern), "wq1");
    QVERIFY(!m_owner->messages.isEmpty());
    QCOMPARE(m_owner->stack.count(), 2);
}

void TstConfigKeys::diffShowsTheTextsToo()
{
    m_page->views()->setCurrentWidget(m_page->diff());
    QByteArray text = kConfig;
    text.replace("\"stage\": 2", "\"stage\": 1");
    m_page->setText(text);
    QCOMPARE(m_page->diff()->textDiff()->added(), 1);
    QCOMPARE(m_page->diff()->textDiff()->removed(), 1);
    QVERIFY(m_page->diff()->textDiff()->toPlainText().contains("-     \"stage\": 2,"));
    QVERIFY(m_page->diff()->textDiff()->toPlainText().contains("+     \"stage\": 1,"));
    // Blanks count in the text and not in the meaning.
    m_page->diff()->compareWith(QByteArray(text).replace("\n", "\n\n"), "other.json");
    QVERIFY(m_page->diff()->table()->isHidden());
    QVERIFY(m_page->diff()->textDiff()->removed() > 0);
    m_page->diff()->compareWith("not JSON {", "broken.json");
    QVERIFY(m_page->diff()->textDiff()->removed() == 1);
    m_page->diff()->compareWith({}, {});
    QCOMPARE(m_page->diff()->table()->rowCount(), 1);
}

/// "Fix the file" would not tell which step it was that is taken back.
void TstConfigKeys::aFixOfTheWholeFileIsNamedByWhatItDoes()
{
    CheckFinding whole;
    whole.fix = R"([{"op": "add", "path": "/scheduler", "value": {"type": "WarmupLR"}}])";
    m_page->model().applyFix(whole);
    QVERIFY(m_page->text().contains("WarmupLR"));
    QCOMPARE(m_owner->stack.undoText(), fixLabel(whole));
    QCOMPARE(m_owner->stack.undoText(), QString("Add scheduler"));
}

void TstConfigKeys::helpTellsTheReleases()
{
    m_page->showKey("/zero_optimization/stage");
    QVERIFY(m_page->keyHelp()->plainText().contains("0.14.5"));
    m_page->showKey("/curriculum_learning");
    const QString help = m_page->keyHelp()->plainText();
    QVERIFY2(help.contains("0.19.8"), qPrintable(help));
}

void TstConfigKeys::helpDrawsWhatAKeyDoesInThePlan()
{
    m_page->showKey("/zero_optimization/stage");
    QVERIFY(!m_page->keyHelp()->findChild<ConfigCurve*>());
    const KeyCurve curve{"/zero_optimization/stage", {"0", "1", "2", "3"}, {40e9, 30e9, 25e9, 20e9}, {1.0, 1.0, 1.0, 1.4}, 2};
    m_page->keyHelp()->setCurve(curve);
    auto* shown = m_page->keyHelp()->findChild<ConfigCurve*>();
    QVERIFY(shown);
    QVERIFY(shown->accessibleDescription().contains("GiB"));
    QCOMPARE(shown->readings(), QStringList({QString("2 → 23.28 GiB"), QString("2 → 1 s")}));
    // A value that is none of them leaves the ends, which are named below.
    const ConfigCurve none({"/zero_optimization/stage", {"0", "1", "2", "3"}, {40e9, 30e9, 25e9, 20e9}, {1.0, 1.0, 1.0, 1.4}, -1}, nullptr);
    QCOMPARE(none.readings(), QStringList({QString("37.25 GiB – 18.63 GiB"), QString("1 s – 1.4 s")}));
    QTest::keyClick(shown, Qt::Key_Right);
    QVERIFY(!shown->grab().isNull());
    // Of another key it says nothing here; without an effect it is a sentence.
    m_page->showKey("/zero_optimization/overlap_comm");
    QVERIFY(!m_page->keyHelp()->findChild<ConfigCurve*>());
    m_page->keyHelp()->setCurve({"/zero_optimization/overlap_comm", {"false", "true"}, {1e9, 1e9}, {1.0, 1.0}, 0});
    QVERIFY(!m_page->keyHelp()->findChild<ConfigCurve*>());
    QVERIFY(m_page->keyHelp()->plainText().contains("stay the same"));
}

void TstConfigKeys::helpDrawsSchedulesOverTheSteps()
{
    QByteArray text = R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}},
 "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_max_lr": 1e-5, "warmup_num_steps": 1000, "total_num_steps": 50000}}})";
    m_page->setText(text);
    m_page->keyHelp()->setRunSteps(100);
    const auto curve = [this] { return m_page->keyHelp()->findChild<StepCurveView*>(); };
    m_page->showKey("/train_batch_size");
    QVERIFY(!curve());
    for (const char* key : {"/scheduler/params/warmup_num_steps", "/scheduler", "/optimizer/params/lr"}) {
        m_page->showKey(key);
        QVERIFY2(curve(), key);
        QVERIFY2(curve()->accessibleDescription().contains("50,000"), qPrintable(curve()->accessibleDescription()));
    }
    QVERIFY2(curve()->readout().contains("1e-5"), qPrintable(curve()->readout()));
    QTest::keyClick(curve(), Qt::Key_End);
    QVERIFY2(curve()->readout().contains("50,000") && !curve()->grab().isNull(), qPrintable(curve()->readout()));
    // It follows the text, and says what it waits for.
    m_page->setText(text.replace("50000", "20000"));
    QVERIFY(curve() && curve()->accessibleDescription().contains("20,000"));
    m_page->setText(text.replace("20000", "\"auto\""));
    QVERIFY(!curve());
    QVERIFY2(m_page->keyHelp()->plainText().contains("training starts"), qPrintable(m_page->keyHelp()->plainText()));
    m_page->setText("{\"scheduler\": ");
    QVERIFY(!curve());
}

void TstConfigKeys::whatARunRecordedLiesOverItsSchedule()
{
    const QByteArray text = R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
 "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_max_lr": 1e-3, "warmup_num_steps": 10, "total_num_steps": 5000}}})";
    m_page->setText(text);
    m_page->showKey("/scheduler");
    const auto view = [this] { return m_page->keyHelp()->findChild<StepCurveView*>(); };
    const int without = view()->sizeHint().height();
    const auto planned = stepCurveOf(nlohmann::json::parse(text.toStdString()), "/scheduler", 0, {41, 77, 6000});
    const auto plannedAt = [&](std::int64_t step) -> std::optional<double> {
        const auto found = std::find(planned->steps.begin(), planned->steps.end(), step);
        return found == planned->steps.end() ? 1e-6 : planned->values[static_cast<std::size_t>(found - planned->steps.begin())];
    };
    RecordedCurve run{QStringLiteral("demo-20261121-210000"), 0, 41, plannedAt};
    m_page->keyHelp()->setRecorded(run);
    QVERIFY(view()->sizeHint().height() > without);
    // In place, with what it has come to; the newest step has its value though the schedule is a hundred times as long.
    const QString newest = QString::number(*plannedAt(41), 'g', 3);
    QVERIFY2(view()->readout().contains("demo-20261121-210000: step 41 → " + newest), qPrintable(view()->readout()));
    QVERIFY2(view()->accessibleDescription().contains(newest), qPrintable(view()->accessibleDescription()));
    QVERIFY(view()->toolTip().contains("from 0"));
    QTest::keyClick(view(), Qt::Key_Home);
    QVERIFY2(view()->readout().startsWith("step 0 → 0; ") && view()->readout().endsWith(": 0"), qPrintable(view()->readout()));
    QTest::keyClick(view(), Qt::Key_End);   // the run is not there yet
    QVERIFY2(view()->readout().startsWith("step 5,000") && view()->readout().endsWith(QStringLiteral("–")), qPrintable(view()->readout()));
    QVERIFY(!view()->grab().isNull());
    // Live: the same chart goes on, with the cursor where it reads.
    const StepCurveView* same = view();
    run.last = 77;
    m_page->keyHelp()->setRecorded(run);
    QVERIFY(view() == same && view()->readout().startsWith("step 5,000"));
    // Longer than its schedule: both are drawn to its end, and read out there.
    run.last = 6000;
    m_page->keyHelp()->setRecorded(run);
    QTest::keyClick(view(), Qt::Key_End);
    QVERIFY2(view()->readout().startsWith("step 6,000 → 0; ") && view()->readout().endsWith(": 0"), qPrintable(view()->readout()));
    // What the record has no number for has none here.
    run.valueAt = [](std::int64_t step) { return step == 6000 ? std::optional<double>() : std::optional(1e-4); };
    m_page->keyHelp()->setRecorded(run);
    QVERIFY2(view()->readout().endsWith(QStringLiteral("–")), qPrintable(view()->readout()));
    // Another key and back: it is there again. Taken away, the chart is as it was.
    m_page->showKey("/train_batch_size");
    m_page->showKey("/optimizer/params/lr");
    QVERIFY2(view()->readout().contains("demo-20261121-210000"), qPrintable(view()->readout()));
    m_page->keyHelp()->setRecorded({});
    QVERIFY2(!view()->readout().contains("demo") && view()->toolTip().isEmpty(), qPrintable(view()->readout()));
    QCOMPARE(view()->sizeHint().height(), without);
}

void TstConfigKeys::completionKnowsWhatIsThere()
{
    m_page->move(-500, 0);  // the offscreen screen is 800 wide; a list needs a screen below the cursor
    ConfigEditor* editor = m_page->editor();
    const QByteArray text = "{\n  \"train_micro_batch_size_per_gpu\": 1,\n  \n  \"gradient_clipping\": 1.0\n}\n";
    m_page->setText(text);
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(text.indexOf("\n  \n")) + 3);
    // The first of the list is taken: not gradient_clipping, which is there, though the text cannot be read while this is typed.
    QTest::keyClicks(editor, "\"gradient_");
    QTRY_VERIFY(editor->completionVisible());
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_VERIFY2(m_page->text().contains("\"gradient_accumulation_steps\": 1,"), m_page->text().constData());   // a number, to be typed over
    QCOMPARE(editor->selectedText(), QStringLiteral("1"));
    QTest::keyClicks(editor, "8");
    editor->flush();
    QVERIFY2(m_page->text().contains("\"gradient_accumulation_steps\": 8,"), m_page->text().constData());
    QVERIFY(!m_page->model().syntaxError());
    editor->setCursorOffset(static_cast<int>(m_page->text().indexOf("8,")) + 2);
    QTest::keyClick(editor, Qt::Key_Return);
    QTest::keyClicks(editor, "\"gradient_");
    QTRY_VERIFY(editor->completionVisible());
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_VERIFY(m_page->text().count("gradient_") == 3);
    QCOMPARE(m_page->text().count("\"gradient_accumulation_steps\""), 1);
    QCOMPARE(m_page->text().count("\"gradient_clipping\""), 1);
}

void TstConfigKeys::selectedKeyOutlivesTheText()
{
    ConfigFormView* view = m_page->form()->view();
    m_page->showKey("/zero_optimization/reduce_bucket_size");
    const auto shown = [view] { return view->currentIndex().isValid() ? view->rows().row(view->currentIndex().row()).pointer : QString(); };
    QCOMPARE(shown(), QStringLiteral("/zero_optimization/reduce_bucket_size"));
    // Rows come and go: the key in the form, the help and the text stays the one that was chosen.
    for (const char* text : {"{\"train_batch_size\": 8}", "{\"fp16\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": 3, \"reduce_bucket_size\": 5}, \"train_batch_size\": 8}", "{\"zero_optimization\": {\"stage\": 1}}"}) {
        m_page->setText(text);
        QCOMPARE(m_page->model().current(), QStringLiteral("/zero_optimization/reduce_bucket_size"));
        QCOMPARE(shown(), QStringLiteral("/zero_optimization/reduce_bucket_size"));
    }
}

void TstConfigKeys::searchNeverCoversWhatItFound()
{
    QByteArray text = "{\n  \"train_micro_batch_size_per_gpu\": 4, \"x\": \"";
    text += QByteArray(40, ' ') + "far\",\n";
    for (int i = 0; i < 200; ++i)
        text += "  \"line" + QByteArray::number(i) + "\": \"" + QByteArray(60, 'y') + "\",\n";
    text += "  \"last\": \"A" + QByteArray(1, '\0') + "B" + QByteArray(40, ' ') + "end\"\n}";
    m_page->setText(text);
    ConfigEditor* editor = m_page->editor();
    editor->resize(420, editor->height());
    editor->setFocus();
    m_page->find();
    TextFind* find = m_page->textFind();
    QTRY_VERIFY(find->isVisible());
    for (const char* words : {"micro", "far", "line150", "line199", "B\u0020", "end", "micro"}) {
        find->field()->selectAll();
        QTest::keyClicks(find->field(), QString::fromUtf8(words));
        QCOMPARE(find->countText(), QStringLiteral("1 of 1"));
        const auto at = [&](unsigned int message, long position) { return static_cast<int>(editor->SendScintilla(message, 0UL, position)); };
        const long begin = editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART), end = editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONEND);
        const QRect match(editor->viewport()->pos() + QPoint(at(QsciScintilla::SCI_POINTXFROMPOSITION, begin), at(QsciScintilla::SCI_POINTYFROMPOSITION, begin)),
            QSize(at(QsciScintilla::SCI_POINTXFROMPOSITION, end) - at(QsciScintilla::SCI_POINTXFROMPOSITION, begin), 12));
        QVERIFY2(end > begin && !find->geometry().intersects(match), words);
        QVERIFY2(editor->rect().contains(find->geometry()), words);
        // Nor anything else: it has room of its own, which the text has again without it.
        QVERIFY2(!find->geometry().intersects(editor->viewport()->geometry()), words);
    }
    // From the text as well.
    const int divided = editor->viewport()->height();
    editor->setFocus();
    QTest::keyClick(editor, Qt::Key_Escape);
    QVERIFY(!find->isVisible() && editor->viewport()->height() > divided);
    const int mark = 5;
    QCOMPARE(editor->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, static_cast<unsigned long>(mark), static_cast<long>(text.indexOf("micro"))), 0L);
    m_page->find();
    find->field()->selectAll();
    QTest::keyClicks(find->field(), QStringLiteral("line1"));
    QCOMPARE(find->countText(), QStringLiteral("1 of 111"));   // 1, 10 to 19, 100 to 199
    for (const char* words : {"line1\"", "line17\"", "line199"}) QVERIFY2(editor->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, static_cast<unsigned long>(mark), static_cast<long>(text.indexOf(words))) != 0, words);
    QCOMPARE(editor->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, static_cast<unsigned long>(mark), static_cast<long>(text.indexOf("line20"))), 0L);
    // Nothing of it is below the bar that scrolls the text, however narrow that is.
    m_page->textFind()->openReplace();
    for (const int width : {700, 420, 300}) {
        editor->resize(width, editor->height());
        QCoreApplication::processEvents();
        const QScrollBar* bar = editor->verticalScrollBar();
        QVERIFY(bar->isVisible() && find->isVisible());
        const int end = bar->mapTo(editor, QPoint()).x();
        for (const QWidget* part : find->findChildren<QWidget*>()) {
            if (part->isVisible()) {
                const int right = part->mapTo(editor, QPoint(part->width(), 0)).x();
                QVERIFY2(right <= end && part->width() > 0, qPrintable(QStringLiteral("%1 at %2: %3 of %4").arg(part->metaObject()->className()).arg(width).arg(right).arg(end)));
            }
        }
    }
    QTest::keyClick(find->field(), Qt::Key_Escape);
}

void TstConfigKeys::searchGoesThroughTheText()
{
    ConfigEditor* editor = m_page->editor();
    editor->setFocus();
    m_page->find();
    TextFind* find = m_page->textFind();
    QTRY_VERIFY(find->isVisible() && find->field()->hasFocus());
    QTest::keyClicks(find->field(), QStringLiteral("BATCH"));
    QCOMPARE(find->countText(), QStringLiteral("1 of 2"));
    QCOMPARE(editor->selectedText(), QStringLiteral("batch"));
    int first = -1, second = -1, column = 0, end = 0;
    editor->getSelection(&first, &column, &end, &end);
    QTest::keyClick(find->field(), Qt::Key_Return);
    editor->getSelection(&second, &column, &end, &end);
    QCOMPARE(second, first + 1);
    QTest::keyClick(find->field(), Qt::Key_Return);   // round the end
    editor->getSelection(&second, &column, &end, &end);
    QCOMPARE(second, first);
    QTest::keyClick(find->field(), Qt::Key_Return, Qt::ShiftModifier);
    editor->getSelection(&second, &column, &end, &end);
    QCOMPARE(second, first + 1);
    // What is found is the key that is told of.
    const QString there = m_page->model().current();
    QVERIFY(there.contains(QLatin1String("batch")));
    QTest::keyClick(find->field(), Qt::Key_Return);
    QVERIFY(m_page->model().current().contains(QLatin1String("batch")) && m_page->model().current() != there);
    QTest::keyClick(find->field(), Qt::Key_Return);
    QTest::keyClicks(find->field(), QStringLiteral("x"));
    QCOMPARE(find->countText(), QStringLiteral("none"));
    QTest::keyClick(find->field(), Qt::Key_Escape);
    QVERIFY(!find->isVisible() && editor->hasFocus());
    QCOMPARE(m_page->text(), kConfig);
    m_page->form()->view()->setFocus();
    m_page->find();
    QVERIFY(!find->isVisible() && m_page->groups()->searchField()->hasFocus());
}

QTEST_MAIN(TstConfigKeys)
#include "tst_config_keys.moc"
