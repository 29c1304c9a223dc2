// SPDX-License-Identifier: GPL-3.0-or-later
// The learning rates of a run beside those that the ds_config plans: the record is of a real run, with the config it was made by.
#include "app/config_document_page.h"
#include "app/run_page.h"
#include "config/config_value.h"
#include "config/step_curve.h"
#include "run_folder_maker.h"
#include "widgets/config_help.h"
#include "widgets/config_page.h"
#include "widgets/step_curve_view.h"
#include "window_fixture.h"

#include <QFileInfo>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

using namespace stagecraft;
using namespace stagecraft::app;
using nlohmann::json;
using stagecraft::testing::RunFolderMaker;

namespace {

constexpr int kConfig = 1, kRun = 2;   // pages

/// The runs of tests/data/recorded_rates.json: "dsConfig", and "learningRates" of steps 1, 2, ...
json recordedRuns()
{
    std::ifstream file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString() + "/tests/data/recorded_rates.json");
    return json::parse(file)["runs"];
}

}  // namespace

class TstRecordedRate : public WindowTest {
    Q_OBJECT
private slots:
    void init() override;
    void liesOnThePlanAndFollowsTheRun();
    void isOfThisWorkspaceOnly();

private:
    StepCurveView* view() { return m_window->findChild<ConfigDocumentPage*>()->view().keyHelp()->findChild<StepCurveView*>(); }
    QString readAt(Qt::Key key)
    {
        QTest::keyClick(view(), key);
        return view()->readout();
    }
    void openWorkspace();

    json m_run;
    QString m_path;
    std::unique_ptr<RunFolderMaker> m_record;
};

void TstRecordedRate::init()
{
    freshFolder();
    m_run = recordedRuns().front();
    json workspace = json::parse(FileFlow::demoText(), nullptr, true, true);
    workspace["dsConfig"] = m_run["dsConfig"];
    m_path = fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(workspace.dump(2)));
    m_record = std::make_unique<RunFolderMaker>(m_options.runsRoot / "demo-run", 2, RunStatus::Running);
    m_record->info.workspaceFile = m_path.toStdString();
    m_record->setStatus(RunStatus::Running);
    m_record->rate = [rates = m_run["learningRates"].get<std::vector<double>>()](std::int64_t step) { return rates.at(static_cast<std::size_t>(step - 1)); };
    m_record->addSteps(1, 6);
    openWindow();
}

void TstRecordedRate::openWorkspace()
{
    openFile(m_path);
    auto* run = m_window->findChild<RunPage*>();
    run->follow(m_record->folder);
    QTRY_VERIFY(run->model().newest() && run->model().newest()->step == 6);
    m_window->showPage(kConfig);
    m_window->showKey(QStringLiteral("/scheduler"));
    QVERIFY(view());
}

void TstRecordedRate::liesOnThePlanAndFollowsTheRun()
{
    openWorkspace();
    QTRY_VERIFY2(view()->readout().contains(QStringLiteral("demo-run: step 5")), qPrintable(view()->readout()));
    // The first update, recorded as step 1, is step 0 of the schedule; value beside value they are one.
    const auto planned = stepCurveOf(m_run["dsConfig"], "/scheduler");
    QVERIFY(planned);
    view()->setFocus();
    (void)readAt(Qt::Key_Home);
    for (std::size_t i = 0; i < 6; ++i) {
        QCOMPARE(planned->steps[i], static_cast<std::int64_t>(i));
        const QString value = QString::fromStdString(shortExponent(QString::number(planned->values[i], 'g', 3).toStdString()));
        QCOMPARE(view()->readout(), QStringLiteral("step %1 → %2; demo-run: %2").arg(QString::number(i), value));
        (void)readAt(Qt::Key_Right);
    }
    QVERIFY2(view()->readout().startsWith(QStringLiteral("step 6 →")) && view()->readout().endsWith(QStringLiteral("–")), qPrintable(view()->readout()));
    // The cursor stays where it reads until the run is there.
    m_record->addSteps(7, 8);
    QTRY_VERIFY2(view()->readout().startsWith(QStringLiteral("step 6 →")) && !view()->readout().endsWith(QStringLiteral("–")), qPrintable(view()->readout()));
    // Nobody looks: nothing is drawn. Longer than its schedule, seen again.
    m_window->showPage(kRun);
    m_record->addSteps(9, static_cast<std::int64_t>(m_run["learningRates"].size()));
    QTRY_COMPARE(m_window->findChild<RunPage*>()->model().newest()->step, static_cast<std::int64_t>(m_run["learningRates"].size()));
    QVERIFY(readAt(Qt::Key_End).endsWith(QStringLiteral("–")));
    m_window->showPage(kConfig);
    const auto last = static_cast<qlonglong>(m_run["learningRates"].size()) - 1;
    QVERIFY(last > planned->steps.back());
    QTRY_VERIFY2(readAt(Qt::Key_End).startsWith(QStringLiteral("step %1 →").arg(last)), qPrintable(view()->readout()));
    QVERIFY2(view()->readout().endsWith(QStringLiteral(": ") + QString::fromStdString(shortExponent(QString::number(m_run["learningRates"].back().get<double>(), 'g', 3).toStdString()))), qPrintable(view()->readout()));
}

void TstRecordedRate::isOfThisWorkspaceOnly()
{
    openWorkspace();
    QTRY_VERIFY(view()->readout().contains(QStringLiteral("demo-run")));
    QFile copy(m_path);
    const QString other = m_scratch->filePath(QStringLiteral("other.json"));
    QVERIFY(copy.copy(other));
    openFile(other);
    m_window->showPage(kConfig);
    m_window->showKey(QStringLiteral("/scheduler"));
    QTRY_VERIFY(view() && !view()->readout().contains(QStringLiteral("demo-run")));
    openFile(m_path);
    m_window->showPage(kConfig);
    m_window->showKey(QStringLiteral("/scheduler"));
    QTRY_VERIFY(view() && view()->readout().contains(QStringLiteral("demo-run")));
}

QTEST_MAIN(TstRecordedRate)
#include "tst_recorded_rate.moc"
