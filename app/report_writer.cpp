// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_writer.h"

#include "record/run_folder.h"
#include "widgets/config_model.h"

#include <QDesktopServices>
#include <QProcess>
#include <QUrl>

namespace stagecraft::app {

ReportWriter::ReportWriter(const std::filesystem::path& program, QObject* parent) : QObject(parent), m_program(program) {}

void ReportWriter::write(const QString& runFolder)
{
    const QString file = QString::fromStdString(RunFolder{runFolder.toStdString()}.report().string());
    start({QStringLiteral("report"), runFolder, QStringLiteral("--out"), file, QStringLiteral("--language"), contentLanguage()}, [this, file] {
        if (m_opens)
            QDesktopServices::openUrl(QUrl::fromLocalFile(file));
        emit written(file);
    });
}

void ReportWriter::writeFiles(const QString& runFolder, const QString& outFolder)
{
    start({QStringLiteral("export"), runFolder, QStringLiteral("--to"), QStringLiteral("metrics"), QStringLiteral("--out"), outFolder}, [this, outFolder] { emit filesWritten(outFolder); });
}

void ReportWriter::start(const QStringList& arguments, const std::function<void()>& done)
{
    if (m_busy)
        return;
    m_busy = true;
    auto* process = new QProcess(this);
    process->setProcessChannelMode(QProcess::SeparateChannels);
    const auto end = [this, process, done](const QString& problem) {
        if (!std::exchange(m_busy, false))
            return;   // errorOccurred and finished may both come
        process->deleteLater();
        if (problem.isEmpty())
            done();
        else
            emit failed(problem);
    };
    const bool report = arguments.first() == QLatin1String("report");
    connect(process, &QProcess::errorOccurred, this, [end, process, report](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end((report ? tr("Cannot write the report: %1.") : tr("Cannot export the run: %1.")).arg(process->errorString()));
    });
    connect(process, &QProcess::finished, this, [end, process, report](int code, QProcess::ExitStatus status) {
        const QString said = QString::fromUtf8(process->readAllStandardError()).trimmed();
        if (status == QProcess::NormalExit && code == 0)
            end({});
        else
            end(!said.isEmpty() ? said : (report ? tr("Cannot write the report: the program ended with code %1.") : tr("Cannot export the run: the program ended with code %1.")).arg(code));
    });
    process->start(QString::fromStdString(m_program.string()), arguments);
}

}  // namespace stagecraft::app
