// SPDX-License-Identifier: GPL-3.0-or-later
// What runs taught, in the window: the step time says where it comes from, shows its evidence and lets go of it.
#include "app/calibration_keeper.h"
#include "app/command_palette.h"
#include "app/plan_evidence.h"
#include "app/plan_explain.h"
#include "app/plan_search.h"
#include "app/plan_strip.h"
#include "app/run_header.h"
#include "app/run_model.h"
#include "app/start_page.h"
#include "hardware/machine_measure.h"
#include "hardware/machine_probe.h"
#include "plan_page_fixture.h"
#include "planner/calibration_store.h"
#include "planner/ds_settings.h"
#include "widgets/figure_strip.h"
#include "widgets/inspector.h"
#include "widgets/tone_label.h"

#include <QApplication>
#include <QPushButton>
#include <QSignalSpy>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

const char* const kWorkspace = R"({"stagecraft": 1, "name": "probe",
  "model": {"family": "llama", "hidden": 64, "layers": 3, "heads": 4, "kvHeads": 2, "ffn": 160, "vocab": 512, "seq": 32},
  "hardware": {"devicesPerNode": 2}, "dsConfig": {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}}})";

/// As `runs calibrate` would keep it: 80 ms a step, half of it computing blocks.
Calibration observed()
{
    const Workspace w = parseWorkspace(kWorkspace, ".").value();
    std::vector<PlanFinding> findings;
    const EngineJob job = engineJobOf(w, readDsSettings(w, w.model.spec->hidden, findings)).value();
    Calibration c;
    c.id = "feed0123";
    c.name = "nightly";
    c.folder = "/runs/nightly";
    c.startedNs = 1'795'274'999'000'000'000;
    c.machine = thisHost(QCoreApplication::applicationVersion().toStdString());
    c.model = modelKey(job.model);
    c.layout = calibratedLayoutOf(job);
    c.work = engineWorkOf(job).value();
    c.steps = 38;
    c.step = {0.078, 0.080, 0.084};
    c.forward = {0.001, 0.005, 0.002};
    c.backward = {0.002, 0.010, 0.004};
    c.phases[static_cast<std::size_t>(Phase::Optimizer)] = {0.01, 0.01, 0.01};
    c.phases[static_cast<std::size_t>(Phase::Communication)] = {0.005, 0.005, 0.005};
    c.allocatedBytes = 80'000'000;
    c.processBytes = 200'000'000;
    c.parts = {{"compute", 0.06, 0.05}, {"communication", 0.005, 0}};
    return c;
}

}  // namespace

class TstCalibrations : public PlanPageTest {
    Q_OBJECT

    [[nodiscard]] std::filesystem::path folder() const { return calibrationsFolder(m_scratch->filePath(QStringLiteral("runs")).toStdString()); }
    void look()
    {
        QSignalSpy changed(&m_window->calibrations(), &CalibrationKeeper::changed);
        m_window->calibrations().look();
        QVERIFY(changed.count() > 0 || changed.wait(30'000));
    }
    [[nodiscard]] ForecastBasis basis() const { return plan().plan->forecast->basis; }

private slots:
    void aKeptRunIsUsedShownAndForgotten()
    {
        openText(kWorkspace);
        QCOMPARE(basis(), ForecastBasis::DataSheet);
        const auto plain = explainFigure(plan(), QStringLiteral("time")).sections;
        QVERIFY(!plain.empty());
        QVERIFY(std::none_of(plain.begin(), plain.end(), [](const InspectorSection& section) { return section.text.contains(QStringLiteral("nightly")) || !section.buttons.empty(); }));

        QVERIFY(keepCalibration(folder(), observed()).hasValue());
        look();
        QTRY_COMPARE(basis(), ForecastBasis::Calibrated);
        QCOMPARE(plan().plan->forecast->stepTime, 0.080);
        const QString strip = m_window->findChild<PlanStrip*>()->shownTexts().join(QLatin1Char(' '));
        QVERIFY2(strip.contains(QStringLiteral("calibrated")), qPrintable(strip));

        page().explain(QStringLiteral("time"));
        const QString text = m_window->inspector().plainText();
        for (const char* words : {"Calibrated from run nightly", "2 ranks, stage 2, batch 2 × 1, fp32", "38 steps", "×1.20", "same model on this machine"})
            QVERIFY2(text.contains(QString::fromUtf8(words)), qPrintable(QStringLiteral("%1 is not in\n%2").arg(QString::fromUtf8(words), text)));
        m_window->setLanguage(Language::SimplifiedChinese);
        page().explain(QStringLiteral("time"));
        QTRY_VERIFY2(m_window->inspector().plainText().contains(QStringLiteral("按运行 nightly 校准")), qPrintable(m_window->inspector().plainText()));
        m_window->setLanguage(Language::English);

        // The button of the evidence.
        const InspectorContent content = explainFigure(plan(), QStringLiteral("time"), [this](const QString& id) { m_window->calibrations().forget(id); });
        QCOMPARE(content.sections.back().buttons.size(), std::size_t{1});
        content.sections.back().buttons.front().action();
        QTRY_COMPARE(basis(), ForecastBasis::DataSheet);
        QVERIFY(loadCalibrations(folder()).calibrations.empty());
        QVERIFY(!m_window->findChild<PlanStrip*>()->shownTexts().join(QLatin1Char(' ')).contains(QStringLiteral("calibrated")));
    }

    /// `runs calibrate`, `runs calibrations --remove` and `doctor --measure` in a terminal, while the window is open.
    void whatATerminalChangesIsNoticed()
    {
        openText(kWorkspace);
        QSignalSpy changed(&m_window->calibrations(), &CalibrationKeeper::changed);
        QCOMPARE(basis(), ForecastBasis::DataSheet);
        QVERIFY(keepCalibration(folder(), observed()).hasValue());   // the folder itself is new
        QTRY_COMPARE_WITH_TIMEOUT(basis(), ForecastBasis::Calibrated, 20'000);
        Calibration slower = observed();
        slower.step = {0.098, 0.100, 0.104};
        QVERIFY(keepCalibration(folder(), slower).hasValue());
        QTRY_COMPARE_WITH_TIMEOUT(plan().plan->forecast->stepTime, 0.100, 20'000);
        QVERIFY(removeCalibration(folder(), observed().id).hasValue());
        QTRY_COMPARE_WITH_TIMEOUT(basis(), ForecastBasis::DataSheet, 20'000);
        // A measurement that cannot be used is at least looked at, and says why.
        QSignalSpy failed(&m_window->calibrations(), &CalibrationKeeper::failed);
        QFile measure(QString::fromStdString(machineMeasureFile(m_scratch->filePath(QStringLiteral("runs")).toStdString()).string()));
        QVERIFY(measure.open(QIODevice::WriteOnly) && measure.write("{") == 1);
        measure.close();
        QTRY_VERIFY_WITH_TIMEOUT(failed.count() >= 1, 20'000);
        const qsizetype before = changed.count();
        QVERIFY(measure.remove());   // doctor --forget-measure
        QTRY_VERIFY_WITH_TIMEOUT(changed.count() > before, 20'000);
    }

    /// Whether CPU forecasts are of this machine stands where the machine is told of, with the command that makes them so.
    void theStartPageTellsWhatWasMeasured()
    {
        const auto* start = m_window->findChild<StartPage*>();
        const auto says = [start](const QString& words) {
            const auto labels = start->findChildren<ToneLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&words](const ToneLabel* label) { return label->text().startsWith(words); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(says(QStringLiteral("not measured; stagecraft doctor --measure")), 20'000);
        MachineMeasure measure;
        measure.measuredAt = "2026-11-21T15:40:00Z";
        measure.host = thisHost(QCoreApplication::applicationVersion().toStdString());
        const auto file = machineMeasureFile(m_scratch->filePath(QStringLiteral("runs")).toStdString());
        QVERIFY(saveMachineMeasure(file, measure).hasValue());
        look();
        QTRY_VERIFY_WITH_TIMEOUT(says(QStringLiteral("measured ")), 20'000);
        QVERIFY(std::filesystem::remove(file));
        look();
        QTRY_VERIFY_WITH_TIMEOUT(says(QStringLiteral("not measured; ")), 20'000);
    }

    /// Rows of the search are of the machine as it is known now, like the plan beside them.
    void theSearchFollowsWhatIsLearned()
    {
        openText(kWorkspace);
        page().showSearch(true);
        const SearchService& service = page().search().service();
        const auto timeNow = [&]() -> double {   // of the row that is the workspace
            if (service.isRunning() || !service.result() || !plan().now)
                return -1;
            for (const ScoredLayout& row : service.result()->best)
                if (row.dp == plan().now->dp && row.stage == plan().now->stage && row.microBatch == plan().now->microBatch && row.policy == plan().now->policy)
                    return row.stepTime;
            return -2;
        };
        const auto agrees = [&] { return !m_window->plans().isBusy() && std::abs(timeNow() - plan().plan->forecast->stepTime) < 1e-9; };
        QTRY_VERIFY2(agrees(), qPrintable(QString::number(timeNow())));
        QVERIFY(keepCalibration(folder(), observed()).hasValue());
        look();
        QTRY_COMPARE(basis(), ForecastBasis::Calibrated);
        QTRY_VERIFY2(agrees(), qPrintable(QString::number(timeNow())));
        m_window->calibrations().forget(QString::fromStdString(observed().id));
        QTRY_COMPARE(basis(), ForecastBasis::DataSheet);
        QTRY_VERIFY2(agrees(), qPrintable(QString::number(timeNow())));
    }

    void aRunThatTeachesNothingIsTold()
    {
        QSignalSpy failed(&m_window->calibrations(), &CalibrationKeeper::failed);
        m_window->calibrations().keep(m_scratch->filePath(QStringLiteral("runs/nowhere")));
        QVERIFY(failed.count() > 0 || failed.wait(30'000));
        QVERIFY(!failed.front().front().toString().isEmpty());
        QVERIFY(machineContext().calibrations.empty());
    }

    void brokenFilesAreToldAndTheRestIsUsed()
    {
        QVERIFY(keepCalibration(folder(), observed()).hasValue());
        QFile broken(QString::fromStdString((folder() / "broken.json").string()));
        QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("{") == 1);
        broken.close();
        QSignalSpy failed(&m_window->calibrations(), &CalibrationKeeper::failed);
        look();
        QVERIFY(failed.count() >= 1);   // the folder itself may have told as well
        openText(kWorkspace);
        QTRY_COMPARE(basis(), ForecastBasis::Calibrated);
    }

    void onlyAFinishedRunOffersIt()
    {
        RunHeader header(nullptr, nullptr);
        RunModel model;
        QSignalSpy wanted(&header, &RunHeader::calibrationRequested);
        auto* button = header.findChild<QPushButton*>(QStringLiteral("runCalibrate"));
        for (const auto& [state, offered] : {std::pair{RunState::Running, false}, {RunState::Finished, true}, {RunState::Failed, false}, {RunState::Stopped, true}, {RunState::Lost, false}}) {
            header.refresh(model, state, true);
            QCOMPARE(button->isVisibleTo(&header), offered);
        }
        button->click();
        QCOMPARE(wanted.count(), 1);
    }
};

QTEST_MAIN(TstCalibrations)
#include "tst_calibrations.moc"
