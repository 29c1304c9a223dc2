// SPDX-License-Identifier: GPL-3.0-or-later
// A report in both languages.
#include "exporters/report_html.h"
#include "exporters/report_words.h"
#include "record/run_record.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace stagecraft;

namespace {

bool hasHan(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
}

QString placesOf(std::string_view words)
{
    static const QRegularExpression place(QStringLiteral("\\{[0-9]*\\}"));
    return QString::number(QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size())).count(place));
}

/// A run of two ranks that was stopped, or lost, with all that a page can show.
RunRecord recordOf(RunStatus status, int steps)
{
    RunRecord record;
    record.folder = "/runs/x";
    record.badRecords = 3;
    record.info.name = "x";
    record.info.status = status;
    record.info.world = 2;
    record.info.startedNs = 1;
    record.info.endedNs = 9'000'000'000;
    record.info.resumedFrom = 1;
    record.info.plannedSteps = 500;
    record.info.workspace = {{"dsConfig", {{"train_batch_size", 2}}}};
    record.info.ranks = {{11, 0, std::nullopt, "stopped"}, {12, std::nullopt, 9, "failed"}};
    if (status == RunStatus::Failed) record.info.failure = RunFailure{1, "signal", "–", "–", 1};
    record.ranks.resize(2);
    for (int rank = 0; rank < 2; ++rank) {
        for (int i = 0; i < steps; ++i) {
            StepMetrics m;
            m.rank = rank;
            m.step = 2 + i;
            m.timeNs = 10 + i;
            m.loss = m.gradNorm = m.stepSeconds = m.tokensPerSecond = 1 + i;
            m.phaseSeconds.fill(0.1);
            m.peakRssBytes = 1 << 20;
            record.ranks[static_cast<std::size_t>(rank)].push_back(m);
        }
    }
    record.events.push_back({12, 0, "eval", {{"step", "3"}, {"loss", "1.5"}}});
    record.events.push_back({13, 0, "log", {{"level", "\"\""}, {"text", "\"\""}}});
    return record;
}

}  // namespace

class TstReportWords : public QObject {
    Q_OBJECT
private slots:
    void everyTextIsTranslatedWithItsValues()
    {
        const ReportWords chinese("zh"), english("en");
        for (const auto& [en, zh] : ReportWords::all()) {
            const QString text = QString::fromStdString(chinese(en));
            QVERIFY2(hasHan(text) || en == "rank" || en == "{} of {}", en.data());
            QCOMPARE(placesOf(en), placesOf(zh));
            QCOMPARE(english(en), std::string(en));
        }
        QCOMPARE(chinese("no text of a report"), std::string("no text of a report"));
    }

    void aChinesePageHasNoEnglish_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<int>("steps");
        QTest::newRow("stopped") << static_cast<int>(RunStatus::Stopped) << 200;
        QTest::newRow("failed") << static_cast<int>(RunStatus::Failed) << 3;
        QTest::newRow("lost") << static_cast<int>(RunStatus::Lost) << 3;
        QTest::newRow("without a step") << static_cast<int>(RunStatus::Running) << 0;
    }
    void aChinesePageHasNoEnglish()
    {
        QFETCH(const int, status);
        QFETCH(const int, steps);
        const RunRecord record = recordOf(static_cast<RunStatus>(status), steps);
        const nlohmann::json peak = {{"process", 1e9}, {"allocated", 1e8}}, role = {{"peak", peak}}, roles = nlohmann::json::array({role}), plan = {{"ledger", {{"roles", roles}}}};
        const auto words = [&](const char* language) {
            QString html = QString::fromStdString(reportHtml(record, plan, language));
            static const QRegularExpression style(QStringLiteral("<style>.*</style>"), QRegularExpression::DotMatchesEverythingOption);
            static const QRegularExpression attributes(QStringLiteral("aria-label=\"([^\"]*)\"")), tags(QStringLiteral("<[^>]*>")), json(QStringLiteral("<pre>.*?</pre>"), QRegularExpression::DotMatchesEverythingOption);
            html.remove(style).remove(json);
            QString said;
            for (auto it = attributes.globalMatch(html); it.hasNext();) said += it.next().captured(1) + QLatin1Char('\n');
            return said + html.replace(tags, QStringLiteral("\n"));
        };
        const QString english = words("en"), chinese = words("zh");
        QVERIFY(QString::fromStdString(reportHtml(record, plan, "zh")).contains(QStringLiteral("<html lang=\"zh-CN\"")));
        QVERIFY(!hasHan(english) && hasHan(chinese));
        // What is left are names, units and keys.
        static const QRegularExpression word(QStringLiteral("[A-Za-z_]{3,}"));
        const QStringList kept{"rank", "ranks", "token", "tokens", "FLOP", "FLOPs", "ZeRO", "stage", "MiB", "GiB", "KiB", "ds_config", "min", "html", "DOCTYPE", "runs"};
        for (auto it = word.globalMatch(chinese); it.hasNext();) {
            const QString left = it.next().captured();
            QVERIFY2(kept.contains(left), qPrintable(left + QStringLiteral(" is left in ") + chinese));
        }
    }
};

QTEST_GUILESS_MAIN(TstReportWords)
#include "tst_report_words.moc"
