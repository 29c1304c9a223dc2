// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display_probe.h"
#include "app/file_flow.h"
#include "app/main_window.h"
#include "app/render_svg.h"
#include "app/session/recovery_journal.h"
#include "hardware/cpu_sheet.h"
#include "hardware/user_sheets.h"
#include "record/run_folder.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QScreen>
#include <QTimer>

#include <cstdio>
#include <optional>
#include <string>

int main(int argc, char** argv)
{
    using namespace stagecraft;
    QElapsedTimer sinceStart;
    sinceStart.start();
    QCoreApplication::setApplicationName(QStringLiteral("stagecraft"));
    QCoreApplication::setApplicationVersion(QStringLiteral(STAGECRAFT_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("dev.stagecraft.Stagecraft"));
    // --version and --help must work where there is no display.
    for (int i = 1; i < argc; ++i)
        if (qstrcmp(argv[i], "--version") == 0) {
            std::puts("stagecraft-gui " STAGECRAFT_VERSION " (Qt " QT_VERSION_STR ", GPL-3.0-or-later; third-party notices: Help > About)");
            return 0;
        }
    if (argc == 4 && qstrcmp(argv[1], "--render") == 0) {   // for `stagecraft export --to metrics`: needs no display
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qputenv("QT_LOGGING_RULES", "default.warning=false");   // of a missing session, which is none of its concern
        const QGuiApplication drawing(argc, argv);
        return app::renderSvg(QString::fromLocal8Bit(argv[2]), QString::fromLocal8Bit(argv[3]));
    }
    bool platformGiven = false;   // Qt's own option: then it knows better than we do
    for (int i = 1; i < argc; ++i) {
        if (qstrcmp(argv[i], "-h") == 0 || qstrcmp(argv[i], "--help") == 0 || qstrcmp(argv[i], "--help-all") == 0)
            qputenv("QT_QPA_PLATFORM", "offscreen");
        platformGiven = platformGiven || qstrcmp(argv[i], "-platform") == 0 || qstrcmp(argv[i], "--platform") == 0;
    }
    const std::optional<std::string> noDisplay = platformGiven ? std::nullopt : app::displayProblem();
    const bool onlyAsked = argc == 2 && qstrcmp(argv[1], "--check-display") == 0;   // by ./workbench run
    if (noDisplay) {
        std::fprintf(stderr, "stagecraft-gui: Cannot open the window: %s%s\n", noDisplay->c_str(), onlyAsked ? "" : ", or train in the terminal with `stagecraft run WORKSPACE`");
        return 1;
    }
    if (onlyAsked)
        return 0;
    QApplication application(argc, argv);

    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Plan, configure, run and watch sharded training."));
    parser.addHelpOption();
    const QCommandLineOption demo(QStringLiteral("demo"), QStringLiteral("Open the embedded demo workspace."));
    const QCommandLineOption run(QStringLiteral("run"), QStringLiteral("Launch what is opened."));
    const QCommandLineOption runs(QStringLiteral("runs"), QStringLiteral("Folder of runs."), QStringLiteral("DIR"));
    const QCommandLineOption timing(QStringLiteral("print-start-time"), QStringLiteral("Print the milliseconds from the start to the first usable frame, then quit."));
    parser.addOptions({demo, run, runs, timing});
    parser.addPositionalArgument(QStringLiteral("WORKSPACE"), QStringLiteral("A workspace, a ds_config or a Hugging Face model folder."), QStringLiteral("[WORKSPACE]"));
    if (!parser.parse(QCoreApplication::arguments())) {
        std::fprintf(stderr, "stagecraft-gui: %s; see stagecraft-gui --help\n", qPrintable(parser.errorText()));
        return 2;
    }
    parser.process(application);

    useSheetOfThisCpu();
    for (const Error& problem : loadUserDeviceSheets(userDeviceSheetFile()))   // the window tells them too, beside each plan
        std::fprintf(stderr, "stagecraft-gui: warning: %s\n", problem.message.c_str());
    theme::Theme::install(application);
    app::WindowOptions options;
    options.program = (QCoreApplication::applicationDirPath() + QStringLiteral("/stagecraft")).toStdString();
    options.runsRoot = parser.isSet(runs) ? std::filesystem::path(QFileInfo(parser.value(runs)).absoluteFilePath().toStdString()) : defaultRunsRoot();
    options.recovery = app::RecoveryJournal::defaultFolder();
    options.settingsFile = app::settingsPath();
    app::MainWindow window(options);
    if (parser.isSet(timing))
        QObject::connect(&window, &app::MainWindow::usable, &window, [&] {
            std::printf("%.1f\n", static_cast<double>(sinceStart.nsecsElapsed()) / 1e6);
            QTimer::singleShot(0, &application, &QCoreApplication::quit);
        });
    if (const QScreen* screen = window.screen())
        window.fitInto(screen->availableSize());
    window.show();
    if (!parser.positionalArguments().isEmpty())
        window.files().openPath(parser.positionalArguments().constFirst());
    else if (parser.isSet(demo) || parser.isSet(run))
        window.files().openDemo();
    if (parser.isSet(run))
        QTimer::singleShot(0, &window, [&window] { window.launch(); });
    return QApplication::exec();
}
