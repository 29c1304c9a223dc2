// SPDX-License-Identifier: GPL-3.0-or-later
// The command line called as a script calls it, in a scratch folder of its own.
#pragma once

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <map>
#include <memory>

namespace stagecraft::test {

/// What a command left behind when it ended.
struct Answer {
    int code = -1;   ///< -1: killed by a signal
    QByteArray out, err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

/// Runs of the built `stagecraft`, each in this object's folder, their records and the user's own data beside it.
class CommandLine {
public:
    using Variables = std::map<QString, QString>;

    [[nodiscard]] QString path(const QString& name = {}) const { return name.isEmpty() ? m_dir->path() : m_dir->filePath(name); }
    [[nodiscard]] QString dataPath(const QString& name) const { return path("data/stagecraft/" + name); }
    static QString program() { return qEnvironmentVariable("STAGECRAFT_BIN_DIR") + "/stagecraft"; }

    /// Another folder, with nothing in it.
    void freshFolder() { m_dir = std::make_unique<QTemporaryDir>(); }

    void write(const QString& name, const QByteArray& content) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("cannot write %s", qPrintable(name));
    }

    [[nodiscard]] QByteArray read(const QString& name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    [[nodiscard]] QJsonObject readJson(const QString& name) const { return QJsonDocument::fromJson(read(name)).object(); }

    /// `redirect` is the shell's, behind the command: "2>&-".
    [[nodiscard]] std::unique_ptr<QProcess> start(const QStringList& arguments, const Variables& variables = {}, const QString& redirect = {}) const
    {
        auto process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_DATA_HOME", path("data"));
        for (const auto& [name, value] : variables) environment.insert(name, value);
        process->setProcessEnvironment(environment);
        process->setWorkingDirectory(path());
        if (redirect.isEmpty()) process->start(program(), arguments);
        else process->start("/bin/sh", QStringList{"-c", "exec \"$0\" \"$@\" " + redirect, program()} + arguments);
        return process;
    }

    /// Waits for its end. The guard bounds a test that hangs; it is no promise of speed.
    static bool ended(QProcess& process, int guardMs = 60'000) { return process.state() == QProcess::NotRunning || process.waitForFinished(guardMs); }

    static Answer end(QProcess& process, int guardMs = 60'000)
    {
        if (!ended(process, guardMs)) qFatal("%s does not end", qPrintable(process.arguments().join(' ')));
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
    }

    [[nodiscard]] Answer call(const QStringList& arguments, const Variables& variables = {}, int guardMs = 200'000) const { return end(*start(arguments, variables), guardMs); }

private:
    std::unique_ptr<QTemporaryDir> m_dir = std::make_unique<QTemporaryDir>();
};

}  // namespace stagecraft::test
