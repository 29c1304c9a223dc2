// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of every page in dark and light, English and Chinese, and the three sizes the window is designed for.
// Usage: stagecraft-screenshots OUT [RUN-FOLDER | WORKSPACE.json]; with a run folder the Run page shows that run, with a workspace
// the other pages show that one instead of the demo.
#include "app/actions.h"
#include "app/claims_dialog.h"
#include "app/command_palette.h"
#include "app/config_document_page.h"
#include "app/device_sheets_dialog.h"
#include "app/fact_table.h"
#include "app/features_dialog.h"
#include "app/file_flow.h"
#include "app/import_panel.h"
#include "app/main_window.h"
#include "app/page.h"
#include "app/plan_page.h"
#include "app/plan_search.h"
#include "app/plan_service.h"
#include "app/run_flow.h"
#include "app/session/workspace_document.h"
#include "app/sheet_form.h"
#include "app/subject_flow.h"
#include "app/traffic_view.h"
#include "hardware/user_sheets.h"
#include "widgets/theme.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

struct Variant {
    const char* name;
    theme::Mode mode;
    Language language;
    QSize size;
};

void settle(MainWindow& window)
{
    // Plans, probes and rebuilt pages come through the event loop; pictures are for eyes, so a short fixed wait will do.
    (void)QTest::qWaitFor([&window] { return !window.plans().isBusy(); }, 3000);
    QTest::qWait(250);
}

void shoot(QWidget& widget, const QString& folder, const QString& page, const Variant& variant)
{
    const QString file = QStringLiteral("%1/%2_%3.png").arg(folder, page, QLatin1String(variant.name));
    if (!widget.grab().save(file))
        std::fprintf(stderr, "cannot write %s\n", qPrintable(file));
}

void closeDialogs()
{
    for (QWidget* top : QApplication::topLevelWidgets())
        if (auto* dialog = qobject_cast<QDialog*>(top))
            dialog->close();
    QTest::qWait(20);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fputs("usage: stagecraft-screenshots OUT [RUN-FOLDER | WORKSPACE.json]\n", stderr);
        return 2;
    }
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QApplication::setApplicationVersion(QStringLiteral("0.1.0"));
    theme::Theme::install(application);
    const QString out = QString::fromLocal8Bit(argv[1]);
    QDir().mkpath(out);
    QTemporaryDir scratch;
    WindowOptions options;
    options.program = (QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/stagecraft")).toStdString();
    const QString subject = argc > 2 ? QString::fromLocal8Bit(argv[2]) : QString();
    const bool isWorkspace = subject.endsWith(QLatin1String(".json"));
    options.runsRoot = argc > 2 && !isWorkspace ? std::filesystem::path(argv[2]).parent_path() : std::filesystem::path((scratch.path() + QStringLiteral("/runs")).toStdString());
    options.recovery = (scratch.path() + QStringLiteral("/recovery")).toStdString();

    const Variant variants[] = {
        {"dark", theme::Mode::Dark, Language::English, {1440, 900}},        {"light", theme::Mode::Light, Language::English, {1440, 900}},
        {"zh", theme::Mode::Light, Language::SimplifiedChinese, {1440, 900}}, {"medium", theme::Mode::Dark, Language::English, {1280, 800}},
        {"wide", theme::Mode::Light, Language::English, {1920, 1080}},
        {"narrow", theme::Mode::Dark, Language::English, {1024, 700}},      {"narrow_zh", theme::Mode::Light, Language::SimplifiedChinese, {1024, 700}},
    };
    for (const Variant& variant : variants) {
        MainWindow window(options);
        window.setThemeMode(variant.mode);
        window.setLanguage(variant.language);
        window.resize(variant.size);
        window.show();
        QTest::qWait(600);
        shoot(window, out, QStringLiteral("start"), variant);
        if (isWorkspace)
            window.files().openPath(subject);
        else
            window.files().openDemo();
        settle(window);
        if (!subject.isEmpty() && !isWorkspace)
            window.runFlow().attach(QString::fromLocal8Bit(argv[2]));
        for (std::size_t i = 0; i < window.pages().size(); ++i) {
            window.showPage(static_cast<int>(i));
            settle(window);
            shoot(window, out, QStringLiteral("page%1").arg(i + 1), variant);
        }
        // What stands beside the text of the Config page: the wizard, the export, another tool's file.
        auto* config = window.findChild<ConfigDocumentPage*>();
        window.actions().wizard->trigger();
        settle(window);
        shoot(window, out, QStringLiteral("wizard"), variant);
        window.actions().exportConfig->trigger();
        config->showExport(QStringLiteral("llama-factory"));
        settle(window);
        shoot(window, out, QStringLiteral("export"), variant);
        const QString foreign = scratch.filePath(QStringLiteral("train.yaml"));
        if (QFile file(foreign); file.open(QIODevice::WriteOnly))
            file.write("model_name_or_path: meta-llama/Llama-2-7b-hf\nstage: sft\nfinetuning_type: full\ntemplate: llama2\ndataset: alpaca\nper_device_train_batch_size: 2\n"
                       "gradient_accumulation_steps: 8\nlearning_rate: 1.0e-5\nnum_train_epochs: 3\nlr_scheduler_type: cosine\nbf16: true\n"
                       "deepspeed:\n  train_micro_batch_size_per_gpu: auto\n  gradient_clipping: auto\n  bf16: {enabled: auto}\n  zero_optimization: {stage: 3, reduce_bucket_size: auto}\n");
        window.files().openPath(foreign);
        settle(window);
        shoot(window, out, QStringLiteral("import"), variant);
        config->importPanel().closeButton()->click();
        window.showPage(0);
        auto* plan = window.findChild<PlanPage*>();
        plan->showSearch(true);
        (void)QTest::qWaitFor([plan] { return !plan->search().service().isRunning(); }, 10000);
        plan->search().table()->selectRow(2);
        settle(window);
        shoot(window, out, QStringLiteral("search"), variant);
        plan->showTraffic();
        (void)QTest::qWaitFor([plan] { return !plan->traffic().exchange()->facts().rows().empty(); }, 10000);
        plan->traffic().items()->selectRow(0);
        settle(window);
        shoot(window, out, QStringLiteral("traffic"), variant);
        plan->showSearch(false);
        // Model and hardware in the inspector's place, on the plan that is open and on a new one.
        SubjectPanel& subjectPanel = window.subject().panel();
        const auto shootSubject = [&](const char* name) {
            settle(window);
            (void)QTest::qWaitFor([&] { return !subjectPanel.effects().isBusy(); }, 20000);
            shoot(window, out, QString::fromLatin1(name), variant);
        };
        window.actions().subject->trigger();
        subjectPanel.model().setSource(ModelChoice::Sizes);
        shootSubject("model_sizes");
        subjectPanel.tabs()->setCurrentIndex(1);
        shootSubject("hardware_cpu");
        window.document().openText(newPlanText({}), QStringLiteral("untitled"));
        window.subject().begin();
        shootSubject("model");
        subjectPanel.tabs()->setCurrentIndex(1);
        shootSubject("hardware");
        window.subject().close();
        CommandPalette* palette = CommandPalette::open(window);
        palette->field()->setText(QStringLiteral("zero st"));
        QTest::qWait(50);
        shoot(window, out, QStringLiteral("palette"), variant);
        palette->close();
        window.actions().shortcuts->trigger();
        QTest::qWait(50);
        if (QWidget* dialog = QApplication::activeModalWidget())
            shoot(*dialog, out, QStringLiteral("shortcuts"), variant);
        closeDialogs();
        for (QAction* action : {window.actions().claims, window.actions().features}) {
            action->trigger();
            if (auto* claims = window.findChild<ClaimsDialog*>())
                (void)QTest::qWaitFor([claims] { return claims->isJudged(); }, 10000);
            QTest::qWait(50);
            if (QWidget* dialog = QApplication::activeModalWidget())
                shoot(*dialog, out, action == window.actions().claims ? QStringLiteral("claims") : QStringLiteral("features"), variant);
            closeDialogs();
        }
        {
            auto* sheets = new DeviceSheetsDialog(userDeviceSheetFile(), &window);
            sheets->choose(QStringLiteral("H100-SXM-80GB"));
            sheets->open();
            QTest::qWait(50);
            shoot(*sheets, out, QStringLiteral("device_sheets"), variant);
            sheets->findChild<QPushButton*>(QStringLiteral("copySheet"))->click();
            sheets->form()->field(QStringLiteral("memoryUsableGiB"))->selectAll();
            QTest::keyClicks(sheets->form()->field(QStringLiteral("memoryUsableGiB")), QStringLiteral("81"));
            QTest::qWait(50);
            shoot(*sheets, out, QStringLiteral("device_sheet_edited"), variant);
            delete sheets;
        }
        window.actions().about->trigger();
        QTest::qWait(50);
        if (QWidget* dialog = QApplication::activeModalWidget())
            shoot(*dialog, out, QStringLiteral("about"), variant);
        closeDialogs();
    }
    return 0;
}
