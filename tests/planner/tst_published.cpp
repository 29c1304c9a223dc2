// SPDX-License-Identifier: GPL-3.0-or-later
// Forecasts beside the published measurements of tests/data/published, in two halves. The calibration half may set
// constants; the check half may not. Both errors are printed; only the calibration half and gross failures can fail the test.
#include "published_points.h"

#include <QDir>
#include <QtTest>
#include <cmath>
#include <map>

using namespace stagecraft;
using nlohmann::json;
using published::Errors;
using published::measuredStep;

namespace {

QString sourceDir() { return qEnvironmentVariable("STAGECRAFT_SOURCE_DIR"); }

Workspace workspaceOf(const json& point) { return published::workspaceOf(point, sourceDir().toStdString()); }

/// The check publications whose kinds of job the rules are made for: they keep their targets. The others are kinds of job no
/// rule was made for before they were met.
bool isSettled(const QString& file) { return file == "megatron_functional_tests.json" || (file.startsWith("torchtitan_") && !file.contains("qwen3") && !file.contains("pulls") && !file.contains("chunked")); }

json readJson(const QString& path) { return published::readJson(path.toStdString()); }

}  // namespace

class TstPublished : public QObject {
    Q_OBJECT
private slots:
    void forecastsBesideMeasurements()
    {
        std::map<std::string, Errors> memory, time;
        std::map<std::string, int> covered, coveredMemory;
        const QDir folder(sourceDir() + "/tests/data/published");
        QVERIFY(!folder.entryList({"*.json"}).isEmpty());
        for (const QString& name : folder.entryList({"*.json"})) {
            const json publication = readJson(folder.filePath(name));
            QVERIFY2(publication.is_object(), qPrintable(name));
            const std::string half = publication["half"].get<std::string>();
            Errors ofFile[2];
            for (const json& point : publication["points"]) {
                const auto plan = makePlan(workspaceOf(point));
                QVERIFY(plan.hasValue());
                QString line = QString("%1 %2").arg(QString::fromStdString(half), -12).arg(QString::fromStdString(point["id"].get<std::string>()), -42);
                QVERIFY2(plan->ledger.has_value(), qPrintable(line + QString::fromStdString(planToJson(*plan)["findings"].dump())));
                if (const auto peak = published::measuredPeak(point, *plan)) {
                    const double error = peak->forecast / peak->truth - 1;
                    const bool holds = std::abs(1 / (1 + error) - 1) <= plan->ledger->front().peak.relative90;
                    const std::string kind = published::lengthsVary(point) ? "varied" : half;
                    memory[kind].values.push_back(error);
                    if (kind == "check" && peak->truth > 10 * 1073741824.0) memory["above 10 GiB"].values.push_back(error);
                    coveredMemory[kind] += holds;
                    if (isSettled(name)) memory["settled"].values.push_back(error), coveredMemory["settled"] += holds;
                    ofFile[1].values.push_back(error);
                    line += QString("  memory %1 of %2 GiB (%3 %)").arg(peak->forecast / 1073741824.0, 7, 'f', 2).arg(peak->truth / 1073741824.0, 7, 'f', 2).arg(100 * error, 6, 'f', 1);
                }
                if (const double truth = measuredStep(point, *plan); truth > 0 && plan->forecast) {
                    const double error = plan->forecast->stepTime / truth - 1;
                    time[half].values.push_back(error);
                    if (isSettled(name)) time["settled"].values.push_back(error);
                    ofFile[0].values.push_back(error);
                    const bool inside = truth >= plan->forecast->interval90[0] && truth <= plan->forecast->interval90[1];
                    covered[half] += inside;
                    line += QString("  step %1 of %2 s (%3 %)%4").arg(plan->forecast->stepTime, 8, 'f', 3).arg(truth, 8, 'f', 3).arg(100 * error, 6, 'f', 1).arg(inside ? "" : " OUTSIDE");
                    line += QString(" [%1, %2]").arg(plan->forecast->interval90[0], 0, 'g', 3).arg(plan->forecast->interval90[1], 0, 'g', 3);
                    for (const auto& [name, seconds] : plan->forecast->split) if (seconds > 0.02 * plan->forecast->stepTime) line += QString(" %1=%2").arg(QString::fromStdString(name)).arg(seconds, 0, 'f', 2);
                }
                if (published::ranOutOfMemory(point) && plan->fit) {
                    line += QString("  out of memory: forecast fit %1").arg(plan->fit->probability, 0, 'f', 3);
                }
                qInfo("%s", qPrintable(line));
            }
            for (const auto& [what, errors] : {std::pair{"step time", &ofFile[0]}, {"memory", &ofFile[1]}}) {
                if (errors->values.empty()) continue;
                qInfo("PUBLICATION  %-40s %-10s %3d points: median %.1f %%, 90th percentile %.1f %%, worst %.1f %%", qPrintable(name), what, static_cast<int>(errors->values.size()),
                      100 * errors->quantile(0.5), 100 * errors->quantile(0.9), 100 * errors->quantile(1));
            }
        }
        for (const char* half : {"calibration", "check", "above 10 GiB", "varied"}) {
            for (const auto& [what, errors] : {std::pair{"peak memory", &memory[half]}, {"step time", &time[half]}}) {
                if (errors->values.empty()) continue;
                qInfo("%-12s %-12s %3d points: median %.1f %%, 90th percentile %.1f %%, worst %.1f %%", half, what, static_cast<int>(errors->values.size()),
                      100 * errors->quantile(0.5), 100 * errors->quantile(0.9), 100 * errors->quantile(1));
            }
            if (!time[half].values.empty()) qInfo("%-12s 90 %% intervals of the step time hold %d of %d", half, covered[half], static_cast<int>(time[half].values.size()));
            if (coveredMemory[half] > 0) qInfo("%-12s 90 %% intervals of the memory hold %d of %d", half, coveredMemory[half], static_cast<int>(memory[half].values.size()));
        }
        QVERIFY(memory["check"].values.size() + time["calibration"].values.size() + time["check"].values.size() >= 60);
        // The check half is what it is: these bounds only keep it from getting worse unseen.
        // Publications that were met unseen in November 2026 moved it from 5.2 % (README.md of the data): twenty-four to 5.6, fourteen to 6.0.
        QVERIFY(time["calibration"].quantile(0.5) <= 0.059);
        QVERIFY(memory["settled"].quantile(0.5) <= 0.025 && memory["settled"].quantile(0.9) <= 0.055 && memory["settled"].quantile(1) <= 0.109);
        QVERIFY(time["settled"].quantile(0.5) <= 0.08 && time["settled"].quantile(0.9) <= 0.25);
        QVERIFY(coveredMemory["settled"] >= 0.85 * static_cast<double>(memory["settled"].values.size()));
        // Gradients inside blocks with frozen products, as autograd has them, moved it from 2.1 to 2.4 % (README.md of the data);
        // what the output takes and its norm keeps, which DeepSpeed's ledger left out, from there to 2.6.
        // Together's five peaks of 70B (+10 to +14 %) moved it from 1.7 to 1.9.
        QVERIFY(memory["calibration"].quantile(0.5) <= 0.019);
        // The fourteen moved the 90th percentiles from 7.9 %, and the worst from 13.4; the seven (Megatron's tests of experts, torchtitan's chunks) the median from 2.5;
        // LitGPT's three QLoRA jobs (-16 to -17 %) the 90th percentiles from 8.3 and 8.2, and the worst from 14.4; what their products hold took these back.
        QVERIFY(memory["check"].quantile(0.5) <= 0.026 && memory["check"].quantile(0.9) <= 0.084 && memory["check"].quantile(1) <= 0.145);
        QVERIFY(memory["above 10 GiB"].quantile(0.5) <= 0.026 && memory["above 10 GiB"].quantile(0.9) <= 0.08 && memory["above 10 GiB"].quantile(1) <= 0.145);
        // And these from 6.5 and 19.5 %: the MI300X, then the MI325X and layers of experts; from 7.4 and 21.0 Megatron's twelve tests of experts; from
        // 23.0 back came uneven experts, documents for whole sequences, and norms of heads, then what AMD's cards reach in training, and their backward
        // attention; what compilers make of unfused attention.
        QVERIFY(time["check"].quantile(0.5) <= 0.075 && time["check"].quantile(0.9) <= 0.2);
        // The widths are the calibration half's, kind by kind; a kind that it has no figures of keeps the wider one (fit.cpp).
        for (const auto& [held, of] : {std::pair{covered["check"], time["check"].values.size()}, {coveredMemory["check"], memory["check"].values.size()}}) {
            QVERIFY2(held >= 0.85 * static_cast<double>(of) && held <= 0.96 * static_cast<double>(of), qPrintable(QString::number(held)));
        }
    }

    // Of two published layouts of one model on the same devices the faster one must be forecast as the faster one.
    void namesTheWinner()
    {
        int pairs = 0, right = 0, settledPairs = 0, settledRight = 0;
        std::map<std::string, std::vector<std::pair<double, double>>> alike;  // measured and forecast seconds per token
        const QDir folder(sourceDir() + "/tests/data/published");
        for (const QString& name : folder.entryList({"*.json"})) {
            const json publication = readJson(folder.filePath(name));
            if (publication["half"] != "check") continue;
            for (const json& point : publication["points"]) {
                const auto plan = makePlan(workspaceOf(point));
                QVERIFY(plan.hasValue() && plan->forecast);
                const double step = measuredStep(point, *plan);
                if (!(step > 0)) continue;
                const json& a = point["arguments"];
                json model = point.value("model", json());
                for (const char* key : {"num-layers", "hidden-size", "num-experts"}) if (a.contains(key)) model[key] = a[key];
                const double tokens = plan->forecast->tokensPerSecond * plan->forecast->stepTime;
                // The same sequence: another length is another job. Float8 products are another arithmetic, and that is a choice of layout here.
                const std::string key = name.toStdString() + model.dump() + point["hardware"].dump() + a.value("seq", json()).dump() + point.value("series", json()).dump();
                alike[key].push_back({step / tokens, plan->forecast->stepTime / tokens});
            }
        }
        for (const auto& [key, points] : alike) {
            for (std::size_t i = 0; i < points.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    const double ratio = points[i].first / points[j].first;
                    if (ratio < 1.05 && ratio > 1 / 1.05) continue;
                    ++pairs;
                    const bool named = (ratio > 1) == (points[i].second > points[j].second);
                    right += named;
                    if (isSettled(QString::fromStdString(key.substr(0, key.find(".json") + 5)))) {
                        ++settledPairs, settledRight += named;
                    }
                    if (!named) qInfo("wrong winner in %s: measured ratio %.3f, forecast %.3f", key.c_str(), ratio, points[i].second / points[j].second);
                }
            }
        }
        qInfo("check        right winner in %d of %d pairs that differ by over 5 %%", right, pairs);
        QVERIFY(pairs >= 10);
        // 193 of 200 before the fourteen, 206 of 217 with them: of ten layouts of Qwen3-235B those of larger micro-batches are said to be slower than they are.
        // Of torchtitan's chunks of the loss one run was slow beside the card's limit, which no plan knows: with two others it is said to be alike.
        QVERIFY(right >= 0.95 * pairs);
        QVERIFY2(settledPairs >= 10 && settledRight == settledPairs, qPrintable(QString("%1 of %2").arg(settledRight).arg(settledPairs)));
    }

    // "Fits" must never be said of a device that holds less than what the job was seen to need.
    void noFalseFits()
    {
        const QDir folder(sourceDir() + "/tests/data/published");
        int judged = 0, doubted = 0;
        for (const QString& name : folder.entryList({"*.json"})) {
            const json publication = readJson(folder.filePath(name));
            for (const json& point : publication["points"]) {
                const auto plan = makePlan(workspaceOf(point));
                QVERIFY(plan.hasValue() && plan->ledger);
                const char* id = point["id"].get_ref<const std::string&>().c_str();
                if (published::ranOutOfMemory(point)) {
                    // One run out of memory stands beside a larger one that ran: the file says which.
                    if (point.contains("doubted")) {
                        ++doubted;
                        continue;
                    }
                    QVERIFY2(plan->fit && plan->fit->verdict != Fit::Verdict::Yes, id);
                    ++judged;
                    continue;
                }
                const auto peak = published::measuredPeak(point, *plan);
                if (!peak || published::lengthsVary(point)) continue;
                // They ran: the answer for their own device is not no.
                QVERIFY2(plan->fit && plan->fit->verdict != Fit::Verdict::No, id);
                // A device with 95 % of what was seen: a yes would need the whole interval below it.
                QVERIFY2(peak->forecast * (1 + plan->ledger->front().peak.relative90) > 0.95 * peak->truth, id);
                ++judged;
            }
        }
        QVERIFY(judged >= 25);
        QCOMPARE(doubted, 1);
    }
};

QTEST_APPLESS_MAIN(TstPublished)
#include "tst_published.moc"
