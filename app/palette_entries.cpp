// SPDX-License-Identifier: GPL-3.0-or-later
// What the palette lists: every action, the stages with their effect, every key of the ds_config, the recorded runs.
#include "app/actions.h"
#include "app/calibration_keeper.h"
#include "app/command_palette.h"
#include "app/config_launcher.h"
#include "app/config_document_page.h"
#include "app/config_refusal.h"
#include "app/formats.h"
#include "app/main_window.h"
#include "app/plan_page.h"
#include "app/plan_service.h"
#include "app/plan_strip.h"
#include "app/run_flow.h"
#include "app/run_list.h"
#include "app/session/workspace_document.h"
#include "app/what_if.h"
#include "config/check.h"
#include "config/key_catalog.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"

#include <nlohmann/json.hpp>

#include <QAction>
#include <QCoreApplication>
#include <QPointer>
#include <QPushButton>

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::app {

namespace {

struct PaletteWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::PaletteWords)
};

void addStages(std::vector<PaletteEntry>& entries, MainWindow& window)
{
    const auto& plan = window.plans().current();
    if (!plan || !plan->plan || !plan->settings || !readsDsConfig(*plan))
        return;
    PlanPage* page = window.findChild<PlanPage*>();
    const auto* config = window.findChild<ConfigDocumentPage*>();
    const CheckContext given = config ? config->view().model().givenContext() : CheckContext();
    for (std::size_t stage = 0; stage < plan->stages.size(); ++stage) {
        if (static_cast<int>(stage) == plan->settings->stage)
            continue;
        PaletteEntry entry{PaletteGroup::Commands, QStringLiteral("plan"), PaletteWords::tr("Set ZeRO stage to %1").arg(stage), {}, {}, 4, QStringLiteral("Set ZeRO stage to %1").arg(stage)};
        const auto edits = knobEdits(plan->text, *plan, Knob::Stage, static_cast<std::int64_t>(stage));
        if (wouldBeRefused(withEdits(plan->text, edits), plan->folder, given)) {
            entry.right = PaletteWords::tr("refused");
        } else if (plan->stages[stage]) {
            QStringList effects{bytesDelta(peakBytes(*plan->stages[stage]) - peakBytes(*plan->plan))};
            if (plan->stages[stage]->forecast && plan->plan->forecast)
                effects << secondsDelta(plan->stages[stage]->forecast->stepTime - plan->plan->forecast->stepTime);
            if (plan->stages[stage]->fit && plan->stages[stage]->fit->verdict == Fit::Verdict::No)
                effects << PaletteWords::tr("does not fit");
            entry.right = effects.join(QStringLiteral("  "));
        }
        entry.action = [page, stage] {
            if (page)
                page->setStage(static_cast<int>(stage));
        };
        Lever change;
        change.id = "stage";
        change.before = plan->settings->stage;
        change.after = static_cast<std::int64_t>(stage);
        for (const WorkspaceEdit& edit : edits)
            change.changes.emplace_back(edit.pointer, edit.json.empty() ? nlohmann::json() : nlohmann::json::parse(edit.json));
        if (page)
            entry.preview = [&window, page, change] {
                window.actions().pages().front()->trigger();
                window.setFocus(Qt::OtherFocusReason);   // from a field Enter would not apply it
                page->previewLever(change);
            };
        entries.push_back(std::move(entry));
    }
}

void addCalibrations(std::vector<PaletteEntry>& entries, MainWindow& window)
{
    PaletteEntry take{PaletteGroup::Commands, QStringLiteral("plan"), PaletteWords::tr("Calibrate plans from a run"), {}, {}, 4, QStringLiteral("Calibrate plans from a run")};
    auto* button = window.findChild<QPushButton*>(QStringLiteral("runCalibrate"));
    const bool chosen = button != nullptr && !button->isHidden();
    take.right = chosen ? PaletteWords::tr("the chosen run") : PaletteWords::tr("choose a finished one on the Run page");
    take.action = [&window, button = QPointer(button), chosen] {
        window.actions().pages().back()->trigger();
        if (button && chosen)
            button->click();
    };
    entries.push_back(std::move(take));
    for (const Calibration& c : machineContext().calibrations) {
        const QString name = QString::fromStdString(c.name);
        PaletteEntry entry{PaletteGroup::Commands, QStringLiteral("edit-clear"), PaletteWords::tr("Forget the calibration from run %1").arg(name), {}, {}, 4, QStringLiteral("Forget the calibration from run %1").arg(name)};
        entry.right = seconds(c.step.median).text();
        entry.action = [&window, id = QString::fromStdString(c.id)] { window.calibrations().forget(id); };
        entries.push_back(std::move(entry));
    }
}

void addLauncher(std::vector<PaletteEntry>& entries, MainWindow& window)
{
    auto* page = window.findChild<ConfigDocumentPage*>();
    if (page == nullptr || !window.document().isOpen() || !window.canShowKeys())
        return;
    const CheckLauncher now = launcherOf(window.document());
    const auto add = [&](CheckLauncher launcher, const QString& words, const QString& english) {
        PaletteEntry entry{PaletteGroup::Commands, QStringLiteral("config"), words, {}, {}, 4, english};
        entry.right = launcher == CheckLauncher::DeepSpeed ? PaletteWords::tr("\"auto\" is not filled in") : PaletteWords::tr("fills in \"auto\"");
        entry.action = [page, launcher] { page->setLauncher(launcher); };
        entries.push_back(std::move(entry));
    };
    if (now == CheckLauncher::Transformers)
        add(CheckLauncher::DeepSpeed, PaletteWords::tr("The Hugging Face Trainer does not start this ds_config"), QStringLiteral("The Hugging Face Trainer does not start this ds_config"));
    else
        add(CheckLauncher::Transformers, PaletteWords::tr("The Hugging Face Trainer starts this ds_config"), QStringLiteral("The Hugging Face Trainer starts this ds_config"));
    if (now == CheckLauncher::Accelerate)
        add(CheckLauncher::DeepSpeed, PaletteWords::tr("accelerate does not start this ds_config"), QStringLiteral("accelerate does not start this ds_config"));
    else
        add(CheckLauncher::Accelerate, PaletteWords::tr("accelerate starts this ds_config"), QStringLiteral("accelerate starts this ds_config"));
}

/// It stands there also where it has nothing to do, and says so.
void addFixes(std::vector<PaletteEntry>& entries, MainWindow& window)
{
    auto* page = window.findChild<ConfigDocumentPage*>();
    if (page == nullptr || !window.document().isOpen() || !window.canShowKeys())
        return;
    ConfigModel& config = page->view().model();
    const int safe = config.safeFixCount(), open = config.openFixCount();
    PaletteEntry entry{PaletteGroup::Commands, QStringLiteral("quick-fix"), PaletteWords::tr("Fix all safe"), {}, {}, 4, QStringLiteral("Fix all safe")};
    entry.right = safe > 0 ? PaletteWords::tr("fixes: %1").arg(safe) : PaletteWords::tr("nothing to fix");
    entry.action = [&window, page, safe, open] {
        window.actions().pages().at(1)->trigger();
        ConfigModel& model = page->view().model();
        if (safe > 0)
            model.fixAllSafe();
        else
            emit model.messageChanged(open > 0 ? PaletteWords::tr("No fix is safe to make unseen: the findings below have %1 to choose from").arg(open) : PaletteWords::tr("No finding has a fix"));
    };
    entries.push_back(std::move(entry));
}

void addActions(std::vector<PaletteEntry>& entries, MainWindow& window)
{
    const Actions& actions = window.actions();
    const auto isHelp = [&actions](const QAction* action) { return action == actions.help || action == actions.shortcuts || action == actions.features || action == actions.about; };
    for (QAction* action : actions.all()) {
        if (action == actions.palette || !action->isEnabled() || action->text().isEmpty())
            continue;
        PaletteEntry entry;
        entry.group = isHelp(action) ? PaletteGroup::Help : PaletteGroup::Commands;
        entry.icon = action->icon().isNull() ? QStringLiteral("go-next") : action->icon().name();
        entry.english = plainName(action->property("english").toString());
        entry.text = plainName(action->text());
        const bool isTheme = action == actions.themeSystem || action == actions.themeLight || action == actions.themeDark;
        if (isTheme)
            entry.text = PaletteWords::tr("Theme: %1").arg(entry.text), entry.english.prepend(QStringLiteral("Theme: "));
        if (action == actions.english || action == actions.chinese)
            entry.text = PaletteWords::tr("Language: %1").arg(entry.text), entry.english = action == actions.english ? QStringLiteral("Language: English") : QStringLiteral("Language: Chinese");
        if (std::find(actions.pages().begin(), actions.pages().end(), action) != actions.pages().end())
            entry.text = PaletteWords::tr("Go to %1").arg(entry.text);
        entry.right = action->shortcut().toString(QKeySequence::NativeText);
        entry.action = [action] { action->trigger(); };
        entries.push_back(std::move(entry));
    }
}

/// Under which types a parameter exists: "with AdamW, Lion and 3 more".
QString typeWords(const std::vector<std::string>& types)
{
    constexpr std::size_t kMost = 3;
    QStringList shown;
    for (std::size_t i = 0; i < std::min(types.size(), types.size() == kMost + 1 ? kMost + 1 : kMost); ++i)
        shown << QString::fromStdString(types[i]);
    const auto more = types.size() - static_cast<std::size_t>(shown.size());
    const QString names = shown.join(PaletteWords::tr(", "));
    return more == 0 ? PaletteWords::tr("with %1").arg(names) : PaletteWords::tr("with %1 and %2 more").arg(names).arg(more);
}

void addKeys(std::vector<PaletteEntry>& entries, MainWindow& window)
{
    if (!window.document().isOpen() || !window.canShowKeys())
        return;
    const std::string config = window.document().configText();
    const auto parsed = JsonDocument::parse(config);
    const KeyCatalog& catalog = KeyCatalog::standard();
    // One place, one entry: the parameters of fourteen optimizers are the same keys.
    std::map<std::string, std::vector<std::string>> typesAt;
    for (const CatalogKey& key : catalog.keys())
        for (const auto& [holder, values] : key.when)
            if (holder == "/optimizer/type" || holder == "/scheduler/type")
                typesAt[key.pointer].insert(typesAt[key.pointer].end(), values.begin(), values.end());
    std::set<std::string> listed;
    for (const CatalogKey& key : catalog.keys()) {
        if (key.isSection() || key.pointer.find('*') != std::string::npos || !listed.insert(key.pointer).second)
            continue;
        PaletteEntry entry;
        entry.group = PaletteGroup::Keys;
        entry.icon = QStringLiteral("config");
        QString name = QString::fromStdString(key.pointer).mid(1);
        entry.text = name.replace(QLatin1Char('/'), QLatin1Char('.'));
        const auto place = parsed.hasValue() ? parsed->locate(key.pointer) : std::nullopt;
        if (place && place->value.size() < 40)
            entry.right = PaletteWords::tr("%1, line %2").arg(QString::fromStdString(config.substr(place->value.begin, place->value.size())), QString::number(place->valuePosition.line));
        else if (const auto types = typesAt.find(key.pointer); !place && types != typesAt.end())
            entry.right = typeWords(types->second);
        entry.action = [&window, pointer = QString::fromStdString(key.pointer)] { window.showKey(pointer); };
        entries.push_back(std::move(entry));
    }
}

void addRuns(std::vector<PaletteEntry>& entries, MainWindow& window)
{
    for (const RecordedRun& run : window.runs()) {
        PaletteEntry entry;
        entry.group = PaletteGroup::Runs;
        entry.icon = QStringLiteral("run");
        entry.text = run.name;
        entry.right = run.text;
        entry.action = [&window, folder = run.folder] { window.runFlow().attach(folder); };
        entries.push_back(std::move(entry));
    }
}

}  // namespace

std::vector<PaletteEntry> paletteEntries(MainWindow& window)
{
    std::vector<PaletteEntry> entries;
    addStages(entries, window);
    addCalibrations(entries, window);
    addLauncher(entries, window);
    addFixes(entries, window);
    addActions(entries, window);
    addKeys(entries, window);
    addRuns(entries, window);
    return entries;
}

}  // namespace stagecraft::app
