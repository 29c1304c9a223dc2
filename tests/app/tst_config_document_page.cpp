// SPDX-License-Identifier: GPL-3.0-or-later
// The Config page on a document: what one undo takes back, and a ds_config file that cannot be read.
#include "app/config_document_page.h"

#include "app/session/workspace_document.h"
#include "base/atomic_file.h"
#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/theme.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::app;
namespace fs = std::filesystem;

namespace {

const std::string kConfig = "{\n  \"train_micro_batch_size_per_gpu\": 4,\n  \"zero_optimization\": {\"stage\": 1}\n}\n";

}  // namespace

class TstConfigDocumentPage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        if (!theme::Theme::instance()) theme::Theme::install(*qApp);
    }

    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_document = std::make_unique<WorkspaceDocument>();
        m_page = std::make_unique<ConfigDocumentPage>(*m_document, nullptr);
        m_page->resize(1200, 800);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        QVERIFY(writeFileAtomically(path("w.json"), R"({"stagecraft": 1, "model": {"params": 1e9}, "layout": {"dp": 2}, "dsConfig": "ds.json"})").hasValue());
    }
    void cleanup()
    {
        m_page.reset();
        m_document.reset();
    }

    void oneUndoTakesBackOneStretchOfTyping()
    {
        QVERIFY(writeFileAtomically(path("ds.json"), kConfig).hasValue());
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QUndoStack& undo = m_document->undoStack();
        type(1, "  // one");
        QCOMPARE(undo.count(), 1);
        const std::string one = m_document->configText();
        type(kConfig.size() + 8, "// two");
        QCOMPARE(undo.count(), 2);
        const std::string two = m_document->configText();
        type(one.find("\"train"), "  ");   // among its likes
        QCOMPARE(undo.count(), 3);
        QTest::keyClick(&editor(), Qt::Key_Backspace);
        editor().flush();
        QCOMPARE(undo.count(), 3);
        QTest::keyClick(&editor(), Qt::Key_Return);
        editor().flush();
        QTest::keyClicks(&editor(), "// new");
        editor().flush();
        QCOMPARE(undo.count(), 4);
        undo.undo();
        undo.undo();
        QCOMPARE(m_document->configText(), two);
        undo.undo();
        QCOMPARE(m_document->configText(), one);
        // What is typed there now belongs to no older step.
        type(one.size(), "// three");
        QCOMPARE(undo.count(), 2);
        undo.undo();
        QCOMPARE(m_document->configText(), one);
        undo.undo();
        QCOMPARE(m_document->configText(), kConfig);
    }

    void aConfigThatCannotBeReadStaysAsItIs_data()
    {
        QTest::addColumn<bool>("folder");
        QTest::newRow("larger than a config may be") << false;
        QTest::newRow("a folder") << true;
    }
    void aConfigThatCannotBeReadStaysAsItIs()
    {
        QFETCH(bool, folder);
        const std::string large = "{\"train_batch_size\": 4 /* " + std::string(WorkspaceDocument::kMaxBytes, 'x') + " */}";
        if (folder) fs::create_directory(path("ds.json"));
        else QVERIFY(writeFileAtomically(path("ds.json"), large).hasValue());
        const std::string workspace = readFile(path("w.json")).value();
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QVERIFY(m_document->configProblem());
        // The page says why.
        QVERIFY(m_page->view().model().syntaxError());
        QVERIFY(QString::fromStdString(m_page->view().model().syntaxError()->message).contains("ds.json"));
        // Nothing says that it was checked.
        QCOMPARE(m_page->facts().size(), 1);
        QStringList said;
        for (const QLabel* label : m_page->view().findings()->findChildren<QLabel*>())
            if (label->isVisibleTo(m_page.get())) said << label->text();
        QVERIFY2(!said.join('|').contains("takes this file") && said.join('|').contains("ds.json"), qPrintable(said.join('|')));
        // No edit reaches it, from whichever page, and none takes its place in the workspace.
        const QSignalSpy noted(m_page.get(), &Page::noted);
        type(0, "{}");
        QVERIFY(!noted.isEmpty());
        QVERIFY(m_document->configText().empty() && editor().bytes().isEmpty());
        QVERIFY(!m_document->setValue("/dsConfig/train_batch_size", "8", "Set").hasValue());
        QVERIFY(!m_document->isModified());
        QTemporaryDir copy;
        QVERIFY(!m_document->writeLaunchCopy(copy.path().toStdString()).hasValue());
        QVERIFY(m_document->setValue("/layout/dp", "4", "Ranks").hasValue());
        QVERIFY(m_document->save().hasValue());
        QVERIFY(folder ? fs::is_directory(path("ds.json")) : readFile(path("ds.json")).value() == large);
        QVERIFY(readFile(path("w.json")).value() != workspace);
        // Once it can be read it is.
        fs::remove(path("ds.json"));
        QVERIFY(writeFileAtomically(path("ds.json"), kConfig).hasValue());
        m_document->checkOutside();
        QVERIFY(!m_document->configProblem());
        QCOMPARE(m_page->view().text(), QByteArray::fromStdString(kConfig));
        QVERIFY(!m_page->view().model().syntaxError());
        QVERIFY(!m_document->isModified());
    }

    void aConfigThatIsNotThereIsMadeByTheFirstEdit()
    {
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QCOMPARE(m_document->configProblem()->code, ErrorCode::NotFound);
        QVERIFY(m_page->view().model().syntaxError());
        type(0, "{\"train_batch_size\": 4}");
        QVERIFY(!m_document->configProblem());
        QVERIFY(m_document->save().hasValue());
        QCOMPARE(readFile(path("ds.json")).value(), m_document->configText());
        QVERIFY(m_document->configText().starts_with("{\"train_batch_size\": 4"));
    }

    void whatBecameUnreadableIsNotOverwrittenUnasked()
    {
        QVERIFY(writeFileAtomically(path("ds.json"), kConfig).hasValue());
        QVERIFY(m_document->open(path("w.json")).hasValue());
        QVERIFY(m_document->setValue("/dsConfig/train_micro_batch_size_per_gpu", "2", "Set").hasValue());
        const std::string theirs(WorkspaceDocument::kMaxBytes + 1, ' ');
        QVERIFY(writeFileAtomically(path("ds.json"), theirs).hasValue());
        QCOMPARE(m_document->save().error().code, ErrorCode::Refused);
        QCOMPARE(readFile(path("ds.json")).value(), theirs);
        m_document->keepMine();
        QVERIFY(m_document->save().hasValue());
        QCOMPARE(readFile(path("ds.json")).value(), m_document->configText());
    }

private:
    [[nodiscard]] fs::path path(const char* name) const { return fs::path(m_dir->path().toStdString()) / name; }
    [[nodiscard]] ConfigEditor& editor() const { return *m_page->view().editor(); }
    void type(std::size_t place, const char* text) const
    {
        editor().setFocus();
        editor().setCursorOffset(static_cast<int>(place));
        for (const char* letter = text; *letter != 0; ++letter) {
            QTest::keyClick(&editor(), *letter);
            editor().flush();   // as the event loop does between two keys
        }
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<WorkspaceDocument> m_document;
    std::unique_ptr<ConfigDocumentPage> m_page;
};

QTEST_MAIN(TstConfigDocumentPage)
#include "tst_config_document_page.moc"
