// SPDX-License-Identifier: GPL-3.0-or-later
// What is read on the Config page in a window of 1280 x 800: keys are not cut, and a comparison has room.
#include "config_sample.h"

#include "widgets/config_curve.h"
#include "widgets/config_diff.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_form_delegate.h"
#include "widgets/config_form_model.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/config_presets.h"
#include "widgets/finding_delegate.h"
#include "widgets/key_lines.h"
#include "widgets/text_room.h"
#include "widgets/theme.h"
#include "widgets/word_lines.h"

#include <QAbstractButton>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QtTest>

#include <memory>

using namespace stagecraft;

class TstConfigSight : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { theme::Theme::install(*qApp); }
    void init();
    void cleanup() { m_page.reset(); }
    void longKeysAreNeverCutInTheForm();
    void notesAndGroupsAreReadWhole();
    void namesOfGroupsLoseTheScrollBarAgain();
    void aSentenceWithoutAFixHasItsRoom();
    void chineseNamesBreakBetweenWords();
    void aTextNeverReadSetsNobodyKnowsWhat();
    void theKeyboardStaysOnThePage();
    void sumsOfAGroupLeaveTheirEndReadable();
    void aLongLineTakesItsScrollBarAlong();
    void aReadingIsNotPrintedOverTheNameOfItsChart();
    void comparingGetsTheRoom();
    void withoutFindingsTheTextHasTheirRoom();
    void theButtonOfAFixKeepsWhatItDoes();
    void numbersOfTheHelpAreWrittenInOneWay();
    void aLateKeyIsNoFurtherAsideThanItNeeds();
    void textHasTheWidthOfItsLines_data();
    void textHasTheWidthOfItsLines();

private:
    std::unique_ptr<ConfigPage> m_page;
};

void TstConfigSight::init()
{
    m_page = std::make_unique<ConfigPage>();
    m_page->setText(kConfig);
    m_page->setSavedText(kConfig);
    m_page->resize(1200, 630);   // what a window of 1280 x 800 leaves it
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
}

void TstConfigSight::withoutFindingsTheTextHasTheirRoom()
{
    m_page->resize(940, 560);
    const QByteArray fine = "{\n  \"train_micro_batch_size_per_gpu\": 4,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}},\n  \"bf16\": {\"enabled\": true}\n}\n";
    m_page->setText(fine);
    QVERIFY(m_page->model().answer().findings.empty());
    QTRY_VERIFY2(m_page->findings()->height() < 90, qPrintable(QString::number(m_page->findings()->height())));
    QTRY_COMPARE(m_page->findings()->geometry().bottom(), m_page->findings()->parentWidget()->rect().bottom());
    const auto last = m_page->findings()->findChildren<QLabel*>();
    QVERIFY(std::all_of(last.begin(), last.end(), [this](const QLabel* label) { return !label->isVisible() || m_page->findings()->rect().contains(QRect(label->mapTo(m_page->findings(), QPoint()), label->size())); }));
    // With the first finding they have their own height again, and so each time.
    m_page->setText(QByteArray(fine).replace("\"bf16\"", "\"bf_16\""));
    QVERIFY(!m_page->model().answer().findings.empty());
    QTRY_VERIFY2(m_page->findings()->height() > 140, qPrintable(QString::number(m_page->findings()->height())));
    m_page->setText(fine);
    QTRY_VERIFY(m_page->findings()->height() < 90);
}

void TstConfigSight::theButtonOfAFixKeepsWhatItDoes()
{
    const QRect cell(0, 0, 171, 42);
    QVERIFY(FindingDelegate::buttonWords(cell, QStringLiteral("Remove gradient_accumulation_steps")).startsWith(QStringLiteral("Remove gradient_")));
    QVERIFY(FindingDelegate::buttonWords(cell, QStringLiteral("Remove gradient_accumulation_steps")).endsWith(QStringLiteral("…")));
    const QString set = FindingDelegate::buttonWords(cell, QStringLiteral("Set gradient_accumulation_steps to 16"));
    QVERIFY2(set.startsWith(QStringLiteral("Set gradient_")) && set.endsWith(QStringLiteral("… to 16")), qPrintable(set));
    QCOMPARE(FindingDelegate::buttonWords(cell, QStringLiteral("Remove it")), QStringLiteral("Remove it"));
    // The tool tip has all of it.
    m_page->setText("{\"train_batch_size\": 16, \"train_micro_batch_size_per_gpu\": 3, \"gradient_accumulation_steps\": 4}");
    const QAbstractItemModel* model = m_page->findings()->view()->model();
    int offered = 0;
    for (int row = 0; row < model->rowCount(); ++row) {
        const QModelIndex fix = model->index(row, FindingsModel::Fix);
        if (fix.data().toString().isEmpty())
            continue;
        ++offered;
        QCOMPARE(fix.data(Qt::ToolTipRole).toString(), fix.data().toString());
    }
    QVERIFY(offered > 0);
}

void TstConfigSight::numbersOfTheHelpAreWrittenInOneWay()
{
    for (const char* spelled : {"20000000000", "2e10"}) {
        m_page->setText(QByteArray("{\"zero_optimization\": {\"stage\": 2, \"reduce_bucket_size\": ") + spelled + "}}");
        m_page->showKey(QStringLiteral("/zero_optimization/reduce_bucket_size"));
        const QString help = m_page->keyHelp()->plainText();
        QVERIFY2(help.contains(QStringLiteral("500,000,000 elem.")) && help.contains(QStringLiteral("20,000,000,000 elem., line 1")), qPrintable(help));
    }
    // What is no whole number stands as it was typed.
    m_page->setText(R"({"gradient_clipping": 1.0, "fp16": {"enabled": "auto"}})");
    m_page->showKey(QStringLiteral("/gradient_clipping"));
    QVERIFY2(m_page->keyHelp()->plainText().contains(QStringLiteral("1.0, line 1")), qPrintable(m_page->keyHelp()->plainText()));
    m_page->showKey(QStringLiteral("/fp16/enabled"));
    QVERIFY2(m_page->keyHelp()->plainText().contains(QStringLiteral("\"auto\", line 1")), qPrintable(m_page->keyHelp()->plainText()));
}

void TstConfigSight::aLateKeyIsNoFurtherAsideThanItNeeds()
{
    const QByteArray text = "{\"train_batch_size\": 64, \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 0.001}}, \"zero_optimization\": {\"stage\": 3, \"zero_hpz_partition_size\": 16}, \"steps_per_print\": 100}\n";
    m_page->setText(text);
    ConfigEditor* editor = m_page->editor();
    const auto aside = [editor] { return editor->SendScintilla(QsciScintillaBase::SCI_GETXOFFSET); };
    const auto end = static_cast<long>(text.indexOf("16}") + 2);
    const auto xOf = [editor](long at) { return editor->SendScintilla(QsciScintillaBase::SCI_POINTXFROMPOSITION, 0UL, at); };
    const auto unused = [editor, xOf](long at) { return editor->viewport()->width() - xOf(at); };
    m_page->resize(940, 560);
    m_page->showKey(QStringLiteral("/zero_optimization/zero_hpz_partition_size"));
    QCoreApplication::processEvents();
    QVERIFY(aside() > 0);
    QVERIFY2(unused(end) >= 2 && unused(end) <= 12, qPrintable(QString::number(unused(end))));
    // A section needs no more than its first value.
    m_page->showKey(QStringLiteral("/zero_optimization"));
    QCoreApplication::processEvents();
    const auto stage = static_cast<long>(text.indexOf("\"stage\": 3") + 10);
    QVERIFY2(unused(stage) >= 2 && unused(stage) <= 12, qPrintable(QString::number(unused(stage))));
    // From a finding, where the keyboard goes to the text: the value is in sight, and not its first letter alone.
    m_page->showKey(QStringLiteral("/train_batch_size"));
    QTRY_COMPARE(aside(), 0L);
    editor->setFocus();
    QVERIFY(editor->hasFocus());
    emit m_page->model().revealRequested(static_cast<int>(end) - 2, static_cast<int>(end));
    QCoreApplication::processEvents();
    QVERIFY2(unused(end) >= 2 && unused(end) <= 12, qPrintable(QString::number(unused(end))));
}

void TstConfigSight::longKeysAreNeverCutInTheForm()
{
    // In the rows' own geometry: every key is written out, no line is wider than its room or cut by its row, and words stay whole.
    ConfigFormView* view = m_page->form()->view();
    const QFontMetrics whole(theme::font(theme::Role::Fixed)), half(theme::font(theme::Role::FixedSmall));
    const int narrow = m_page->form()->minimumWidth() - 12;   // beside the scroll bar
    const auto breaksBehindMarks = [](const QStringList& parts) {
        for (qsizetype i = 0; i + 1 < parts.size(); ++i)
            if (!parts[i].endsWith(QLatin1Char('_')) && !parts[i].endsWith(QLatin1Char('.')))
                return false;
        return true;
    };
    view->rows().setShow(ConfigFormModel::Show::All);
    for (const char* query : {"", "e"}) {   // groups go without their section, what is searched has it
        view->rows().setQuery(QLatin1String(query));
        for (const int formWidth : {narrow, narrow + 150}) {
            view->viewport()->resize(formWidth, 600);
            int shown = 0, tall = 0;
            for (int at = 0; at < view->rows().rowCount(); ++at) {
                if (view->rows().row(at).header)
                    continue;
                const QString name = view->rows().name(at);
                const KeyLines& lines = view->controls().linesOf(at, formWidth);
                QCOMPARE(lines.joined(), name);
                QStyleOptionViewItem option;
                option.widget = view;
                const QRect row(0, 0, formWidth, view->controls().sizeHint(option, view->rows().index(at)).height());
                const QRect control = view->controls().controlRect(at, row);
                QVERIFY(row.adjusted(0, 3, 0, -3).contains(control.adjusted(0, 0, -control.width() + 1, 0)));
                QVERIFY2(row.height() >= lines.size() * half.height(), qPrintable(name));
                const bool onControl = view->controls().controlOf(at) != ConfigFormDelegate::Control::None;
                for (const QString& line : lines.key)
                    QVERIFY2((lines.small ? half : whole).horizontalAdvance(line) <= (onControl ? control.left() - 30 : formWidth), qPrintable(line));
                for (const QString& line : lines.section)
                    QVERIFY2(half.horizontalAdvance(line) <= formWidth - 34, qPrintable(line));
                QVERIFY2(breaksBehindMarks(lines.section) && breaksBehindMarks(lines.key), qPrintable(lines.key.join(QLatin1Char('|'))));
                ++shown;
                tall += row.height() > 36 ? 1 : 0;
            }
            QVERIFY(shown > 600);
            QVERIFY2(*query != 0 || formWidth == narrow || tall * 6 < shown, qPrintable(QString::number(tall)));
        }
    }
    view->rows().setQuery({});
    const auto lines = [&](const QString& name, int width) { return keyLines(name, width, 330, whole, half); };
    QCOMPARE(lines(QStringLiteral("a.b"), 1000).key, QStringList{QStringLiteral("a.b")});
    QCOMPARE(lines(QString(), 10).key, QStringList{QString()});
    const int room = half.horizontalAdvance(QStringLiteral("offload_optimizer."));
    QCOMPARE(lines(QStringLiteral("offload_optimizer.device"), room).key, (QStringList{QStringLiteral("offload_optimizer."), QStringLiteral("device")}));
    QCOMPARE(lines(QStringLiteral("gradient_accumulation_steps"), room).key, (QStringList{QStringLiteral("gradient_"), QStringLiteral("accumulation_steps")}));
    // What would not do so has its section above it, from its beginning.
    const KeyLines deep = lines(QStringLiteral("data_efficiency.data_sampling.curriculum_learning.curriculum_metrics.seqlen.min_difficulty"), 150);
    QVERIFY2(deep.section.front().startsWith(QStringLiteral("data_efficiency.")) && deep.section.join(QString()).endsWith(QStringLiteral(".seqlen.")), qPrintable(deep.section.join(QLatin1Char('|'))));
    QCOMPARE(deep.key, QStringList{QStringLiteral("min_difficulty")});
    // A name that a person made may have no place to break at, and no end.
    const KeyLines endless = lines(QStringLiteral("a") + QString(3000, QLatin1Char('b')) + QStringLiteral("end"), 120);
    QVERIFY(endless.key.size() == 4 && endless.key.back().endsWith(QStringLiteral("end")));
}

void TstConfigSight::notesAndGroupsAreReadWhole()
{
    // What should stand in a field is the last word of its note.
    m_page->setText("{\"train_batch_size\": 16, \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}}, \"zero_optimization\": {\"stage\": \"too\", \"reduce_bucket_size\": \"500_000_000x\"}}");
    ConfigFormView* view = m_page->form()->view();
    view->rows().setShow(ConfigFormModel::Show::All);
    const QFontMetrics small(theme::font(theme::Role::Small));
    const int width = m_page->form()->minimumWidth() - 12;
    view->viewport()->resize(width, 600);
    int wrapped = 0;
    for (int at = 0; at < view->rows().rowCount(); ++at) {
        if (view->rows().row(at).header)
            continue;
        QStyleOptionViewItem option;
        option.widget = view;
        const QRect row(0, 0, width, view->controls().sizeHint(option, view->rows().index(at)).height());
        const QStringList lines = view->controls().noteLines(at, row);
        QString joined = lines.join(QString()), note = view->rows().note(at);
        QCOMPARE(joined.remove(QLatin1Char(' ')), note.remove(QLatin1Char(' ')));
        for (const QString& line : lines)
            QVERIFY2(small.horizontalAdvance(line) <= view->controls().noteRect(at, row).width(), qPrintable(line));
        QVERIFY2(small.size(0, lines.join(QLatin1Char('\n'))).height() <= view->controls().noteRect(at, row).height(), qPrintable(note));
        wrapped += lines.size() > 1 ? 1 : 0;
    }
    QVERIFY(wrapped > 0);
    // Names of groups take other lines before they are cut.
    QListView* groups = m_page->groups()->list();
    m_page->groups()->setFixedWidth(TextRoom::kLeastKeysWidth);
    const QFontMetrics body(theme::font(theme::Role::Body));
    int tall = 0;
    for (int at = 0; at < groups->model()->rowCount(); ++at) {
        const QModelIndex index = groups->model()->index(at, 0);
        const bool longName = body.horizontalAdvance(index.data().toString()) > TextRoom::kLeastKeysWidth - 50;
        QTRY_VERIFY2(!longName || groups->visualRect(index).height() > 24, qPrintable(index.data().toString()));
        tall += longName ? 1 : 0;
    }
    QVERIFY(tall > 0);
    // What the search looks through is said where its field has room for it, and not cut where it has not.
    auto* field = m_page->groups()->searchField();
    QTRY_COMPARE(field->placeholderText(), QStringLiteral("Find a key"));
    m_page->groups()->setFixedWidth(TextRoom::kKeysWidth);
    QTRY_VERIFY2(field->placeholderText().startsWith(QStringLiteral("Find among ")), qPrintable(field->placeholderText()));
    QVERIFY(body.horizontalAdvance(field->placeholderText()) < field->width() - 30);
}

// A bar makes names take more lines, for which it would be needed then.
void TstConfigSight::namesOfGroupsLoseTheScrollBarAgain()
{
    QListView* groups = m_page->groups()->list();
    m_page->groups()->setFixedWidth(TextRoom::kLeastKeysWidth);
    m_page->resize(1200, 1000);
    const auto end = [groups] { return groups->visualRect(groups->model()->index(groups->model()->rowCount() - 1, 0)).bottom(); };
    QTRY_VERIFY(!groups->verticalScrollBar()->isVisible() && end() < groups->height());
    const int enough = m_page->height() - groups->height() + end() + 2;
    m_page->resize(1200, enough);
    QTRY_VERIFY(!groups->verticalScrollBar()->isVisible() && groups->height() < end() + 8);
    m_page->resize(1200, enough - 100);
    QTRY_VERIFY(groups->verticalScrollBar()->isVisible());
    m_page->resize(1200, enough);
    QTRY_VERIFY(!groups->verticalScrollBar()->isVisible());
    QTRY_VERIFY(end() < groups->height());
}

void TstConfigSight::aSentenceWithoutAFixHasItsRoom()
{
    m_page->setText(R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 1, "overlap_com": true}, "fp16": {"enabled": "perhaps"}})");
    FindingsList* findings = m_page->findings();
    findings->setFixedWidth(700);
    QTRY_COMPARE(findings->view()->width(), 700);
    const QAbstractItemModel* rows = findings->view()->model();
    int alone = 0, beside = 0;
    for (int row = 0; row < rows->rowCount(); ++row) {
        const bool fix = !rows->index(row, FindingsModel::Fix).data().toString().isEmpty();
        const int end = findings->view()->visualRect(rows->index(row, FindingsModel::Message)).right();
        QCOMPARE(end > findings->view()->viewport()->width() - 20, !fix);
        ++(fix ? beside : alone);
    }
    QVERIFY2(alone > 0 && beside > 0, qPrintable(QStringLiteral("%1 %2").arg(alone).arg(beside)));
}

void TstConfigSight::chineseNamesBreakBetweenWords()
{
    const QFont body = theme::font(theme::Role::Body);
    const auto linesAt = [&body](const char* text, int characters) { return wordLines(QString::fromUtf8(text), body, QFontMetrics(body).horizontalAdvance(QString(characters, QChar(0x5bb6))) + 1, 3).join(QLatin1Char('|')); };
    QCOMPARE(linesAt("张量、序列、专家并行", 7), QStringLiteral("张量、序列、|专家并行"));
    QCOMPARE(linesAt("课程学习与数据效率", 7), QStringLiteral("课程学习|与数据效率"));
    QCOMPARE(linesAt("张量、序列", 7), QStringLiteral("张量、序列"));
    QCOMPARE(linesAt("课程学习数据效率", 7), QStringLiteral("课程学习数据效|率"));   // no mark to break at
}

// Nothing is set in it, as far as anybody knows: that is no 0.
void TstConfigSight::aTextNeverReadSetsNobodyKnowsWhat()
{
    ConfigPage page;
    page.resize(1200, 630);
    page.show();
    const auto count = [&page] {
        const QModelIndex first = page.groups()->list()->model()->index(0, 0);
        return first.data(Qt::AccessibleTextRole).toString();
    };
    page.setText("{\"train_batch_size\": 16,, ");
    QCOMPARE(count(), QStringLiteral("Set in this file, not known while the text cannot be read"));
    QCOMPARE(page.form()->view()->rows().headerSubtitle(0), QString());
    page.setText("{}");
    QCOMPARE(count(), QStringLiteral("Set in this file, 0 keys"));
    page.setText("{\"train_batch_size\": 16}");
    QCOMPARE(count(), QStringLiteral("Set in this file, 1 keys"));
    page.setText("{\"train_batch_size\": 16");   // the form shows what could be read last
    QCOMPARE(count(), QStringLiteral("Set in this file, 1 keys"));
}

// What had the keyboard goes: it is not wherever Qt finds the next widget of the window.
void TstConfigSight::theKeyboardStaysOnThePage()
{
    m_page->activateWindow();
    m_page->showPresets();
    QTRY_VERIFY(m_page->presets()->list()->hasFocus());
    QTest::keyClick(m_page->presets()->list(), Qt::Key_Escape);
    QVERIFY(m_page->keyHelp()->isVisible());
    QCOMPARE(QApplication::focusWidget(), m_page->form()->view());
    const QList<QAbstractButton*> buttons = m_page->keyHelp()->findChildren<QAbstractButton*>();
    QVERIFY(!buttons.isEmpty());
    buttons.front()->setFocus();
    QVERIFY(m_page->keyHelp()->isAncestorOf(QApplication::focusWidget()));
    m_page->views()->setCurrentIndex(2);
    QTRY_VERIFY(!m_page->keyHelp()->isVisible());
    QVERIFY2(m_page->views()->isAncestorOf(QApplication::focusWidget()), QApplication::focusWidget() ? QApplication::focusWidget()->metaObject()->className() : "nothing");
}

void TstConfigSight::aLongLineTakesItsScrollBarAlong()
{
    const QScrollBar* bar = m_page->editor()->horizontalScrollBar();
    m_page->setText("{\n  \"wandb\": {\"group\": \"" + QByteArray(200, 'x') + "\"}\n}\n");
    QTRY_VERIFY(bar->isVisible());
    m_page->setText("{\n  \"train_batch_size\": 16\n}\n");
    QTRY_VERIFY(!bar->isVisible());
}

void TstConfigSight::sumsOfAGroupLeaveTheirEndReadable()
{
    const QString sum = QStringLiteral("16 = micro 2 × accumulation 8 × ranks 1, assumed");
    const QFontMetrics small(theme::font(theme::Role::Small));
    QCOMPARE(ConfigFormDelegate::headerWords(sum, small.horizontalAdvance(sum)), sum);
    QCOMPARE(ConfigFormDelegate::headerWords(sum, small.horizontalAdvance(sum) - 2), QStringLiteral("micro 2 × accumulation 8 × ranks 1, assumed"));
    QVERIFY(ConfigFormDelegate::headerWords(sum, 100).endsWith(QChar(0x2026)));
    QCOMPARE(ConfigFormDelegate::headerWords(QStringLiteral("1 of 37 set"), 200), QStringLiteral("1 of 37 set"));
}

void TstConfigSight::aReadingIsNotPrintedOverTheNameOfItsChart()
{
    ConfigCurve curve({"/zero_optimization/reduce_bucket_size", {"1,250,000,000", "320,000,000,000"}, {40e9, 640e9}, {0.0, 0.0}, 1}, nullptr);
    const QFontMetrics small(theme::font(theme::Role::Small));
    const int reading = small.horizontalAdvance(curve.readings().front());
    curve.resize(reading + 30, curve.sizeHint().height());
    const QImage image = curve.grab().toImage();
    for (int x = curve.width() - reading - 7; x < curve.width() - reading - 1; ++x)
        for (int y = 0; y < small.height(); ++y)
            QCOMPARE(image.pixelColor(x, y), image.pixelColor(curve.width() - 1, 0));
}

void TstConfigSight::comparingGetsTheRoom()
{
    auto* diff = m_page->findChild<ConfigDiff*>();
    auto* help = m_page->keyHelp();
    auto* button = m_page->findChild<QPushButton*>("keysOrHelp");
    auto* rows = qobject_cast<QSplitter*>(m_page->findings()->parentWidget());
    QVERIFY(rows);
    rows->setSizes({330, 250});   // as somebody pulled it
    const auto isPulled = [&] { return std::abs(m_page->findings()->height() - 250) < 20 && help->isVisible() && help->width() > 250; };
    QTRY_VERIFY(isPulled());
    const int formWidth = m_page->form()->width(), textWidth = m_page->views()->width();
    m_page->views()->setCurrentIndex(2);
    QTRY_VERIFY2(diff->width() >= 600 && diff->height() >= 400, qPrintable(QStringLiteral("%1 x %2").arg(diff->width()).arg(diff->height())));
    QVERIFY(!help->isVisible());
    QCOMPARE(m_page->form()->width(), formWidth);
    QVERIFY(m_page->findings()->height() >= 70);   // one finding is still read
    // The help is one button away, and stays for the next comparison; so does what is pulled meanwhile.
    QVERIFY(button->isVisible());
    QCOMPARE(button->text(), QStringLiteral("Key help"));
    button->click();
    QTRY_VERIFY(help->isVisible());
    rows->setSizes({400, 180});
    emit rows->splitterMoved(400, 1);
    const int pulled = m_page->findings()->height();
    m_page->views()->setCurrentIndex(0);
    QTRY_VERIFY2(isPulled(), qPrintable(QString::number(m_page->findings()->height())));
    QCOMPARE(m_page->views()->width(), textWidth);
    QVERIFY(!button->isVisible());
    m_page->views()->setCurrentIndex(2);
    QTRY_VERIFY(help->isVisible() && std::abs(m_page->findings()->height() - pulled) < 3);
    button->click();
    QTRY_VERIFY(!help->isVisible());
    // What was asked for stands beside the comparison.
    m_page->showPresets();
    QTRY_VERIFY(m_page->presets()->isVisible());
    m_page->showSidePanel(nullptr);
    QTRY_VERIFY(!m_page->sidePanel()->isVisible());
    m_page->views()->setCurrentIndex(1);
    QTRY_VERIFY(isPulled());
}

void TstConfigSight::textHasTheWidthOfItsLines_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("text");
    QTest::addColumn<bool>("help");
    // What a window leaves the page: the rail has no words below 1200.
    QTest::newRow("1024 x 700") << 976 << 420 << false;
    QTest::newRow("1280 x 800") << 1200 << 410 << true;
    QTest::newRow("1440 x 900") << 1360 << 420 << true;
    QTest::newRow("1920 x 1080") << 1840 << 600 << true;
}

void TstConfigSight::textHasTheWidthOfItsLines()
{
    QFETCH(int, width);
    QFETCH(int, text);
    QFETCH(bool, help);
    m_page->resize(width, 630);
    QTRY_VERIFY2(m_page->views()->width() >= text, qPrintable(QString::number(m_page->views()->width())));
    QCOMPARE(m_page->keyHelp()->isVisible(), help);
    QVERIFY(m_page->groups()->isVisible() && m_page->groups()->width() >= 156);
    QVERIFY(m_page->form()->width() >= m_page->form()->minimumWidth());
    QVERIFY(!help || m_page->keyHelp()->width() >= 252);
    QWidget* last = help ? m_page->sidePanel() : m_page->views();
    QVERIFY(last->mapTo(m_page.get(), QPoint(last->width(), 0)).x() <= m_page->width());   // a narrow one is as wide as its buttons
    // What the text took comes back with the width.
    m_page->resize(1840, 630);
    QTRY_VERIFY(m_page->groups()->width() == 196 && m_page->keyHelp()->width() == 312);
    QVERIFY2(m_page->views()->width() > m_page->form()->width() && m_page->form()->width() > 420, qPrintable(QString::number(m_page->form()->width())));
    // What is read closely beside it leaves it its width, too.
    m_page->resize(width, 630);
    m_page->showPresets();
    QTRY_VERIFY2(m_page->views()->width() >= std::min(text, 410), qPrintable(QString::number(m_page->views()->width())));
    QVERIFY(m_page->presets()->width() >= 300);
    m_page->showSidePanel(nullptr);
    QTRY_VERIFY(m_page->views()->width() >= text && m_page->keyHelp()->isVisible() == help);
}

QTEST_MAIN(TstConfigSight)
#include "tst_config_sight.moc"
