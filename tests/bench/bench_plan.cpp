// SPDX-License-Identifier: GPL-3.0-or-later
// A what-if slider dragged at 60 events a second: how long after each event the memory bars are painted with a plan of its value. A frame
// is the edit, the plan with every branch of the tree, and the window painted anew. And how soon a running search stops.
#include "bench_row.h"

#include "app/main_window.h"
#include "app/plan_page.h"
#include "app/plan_service.h"
#include "app/search_service.h"
#include "app/session/workspace_document.h"
#include "visualizers/memory_bars_view.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

constexpr int kRounds = 7, kEvents = 40;

std::string workspaceOf(int nodes)
{
    return QStringLiteral(R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096},
"hardware": {"nodes": %1, "devicesPerNode": 8, "device": "H100-SXM-80GB"}, "layout": {"dp": %2},
"dsConfig": {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}},
"framework": {"name": "deepspeed"}})")
        .arg(nodes)
        .arg(8 * nodes)
        .toStdString();
}

void waitFor(const std::function<bool()>& done)
{
    while (!done())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);   // sleeps: a spinning wait would take the worker its core
}

/// Says which text's plan the bars have been painted with.
class PaintWatch : public QObject {
public:
    PaintWatch(MainWindow& window, std::function<void(const std::string&)> painted) : m_window(window), m_painted(std::move(painted)) { bars()->installEventFilter(this); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Paint && m_window.plans().current())
            QTimer::singleShot(0, this, [this, text = m_window.plans().current()->text] { m_painted(text); });   // once the frame is out
        return QObject::eventFilter(watched, event);
    }

private:
    [[nodiscard]] MemoryBarsView* bars() const { return m_window.findChild<PlanPage*>()->findChild<MemoryBarsView*>(); }   // the start page has some too
    MainWindow& m_window;
    std::function<void(const std::string&)> m_painted;
};

/// One drag of the accumulation, every event another value; median milliseconds from an event to a frame with its value or a newer one.
double drag(MainWindow& window)
{
    auto* page = window.findChild<PlanPage*>();
    struct Turn {
        std::string text;
        qint64 at = 0, painted = -1;   // ns
    };
    std::vector<Turn> turns;
    QElapsedTimer clock;
    clock.start();
    const PaintWatch watch(window, [&](const std::string& text) {
        const auto at = std::find_if(turns.begin(), turns.end(), [&text](const Turn& turn) { return turn.text == text; });
        if (at == turns.end())
            return;
        for (auto turn = turns.begin(); turn <= at; ++turn)
            if (turn->painted < 0)
                turn->painted = clock.nsecsElapsed();
    });
    QTimer hand;
    hand.setTimerType(Qt::PreciseTimer);
    QObject::connect(&hand, &QTimer::timeout, page, [&] {
        const auto n = static_cast<int>(turns.size()) + 1;
        const qint64 now = clock.nsecsElapsed();
        page->turnKnob(Knob::Accumulation, 4 + n, n == kEvents);
        turns.push_back({window.plans().text(), now, -1});
        if (n == kEvents)
            hand.stop();
    });
    hand.start(1000 / 60);
    waitFor([&] { return turns.size() == kEvents && turns.back().painted >= 0; });
    page->turnKnob(Knob::Accumulation, 4, true);
    waitFor([&window] { return !window.plans().isBusy(); });
    std::vector<double> times;
    for (const Turn& turn : turns)
        times.push_back(static_cast<double>(turn.painted - turn.at) * 1e-6);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    theme::Theme::install(application);
    const std::string filter = argc > 1 ? argv[1] : "";
    QTemporaryDir scratch;
    WindowOptions options;
    options.runsRoot = scratch.filePath(QStringLiteral("runs")).toStdString();
    options.recovery = scratch.filePath(QStringLiteral("recovery")).toStdString();
    MainWindow window(options);
    window.show();
    window.document().openText(workspaceOf(1), QStringLiteral("bench"));
    waitFor([&window] { return window.plans().current() && !window.plans().isBusy(); });

    bench::measureRow("app/plan_slider_frame", filter, kRounds, 1, "lower", "a slider dragged at 60 events a second: from the event to its plan painted, median, to 16 ms", [&] { return drag(window) / 16.0; });

    const PlanSet large = planText(workspaceOf(512), scratch.path().toStdString(), PlanDepth::One);
    const auto job = searchJobOf(large, {});
    if (!job.hasValue())
        return 1;
    bench::measureRow("app/search_cancel", filter, kRounds, 1, "lower", "from Cancel to the last result of a running search; to 100 ms", [&] {
        SearchJob endless{job->base, job->limits};
        endless.limits.score = [](TrainingCase& scratch_, ScoredLayout& point) {
            for (int i = 0; i < 20; ++i)
                scoreLayout(scratch_, point);
            return true;
        };
        SearchService service;
        bool done = false;
        QObject::connect(&service, &SearchService::finished, &service, [&done] { done = true; });
        service.start(endless);
        waitFor([&service] { return service.result() && service.result()->scored > 0; });
        QElapsedTimer timer;
        timer.start();
        service.cancel();
        waitFor([&done] { return done; });
        return static_cast<double>(timer.nsecsElapsed()) * 1e-6 / 100.0;
    });
    return 0;
}
