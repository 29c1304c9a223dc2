// SPDX-License-Identifier: GPL-3.0-or-later
// The worker as a process, as other launchers start it: training, resume, stop, lost peers, the control socket.
#include "checkpoint/checkpoint.h"
#include "record/control_message.h"
#include "record/run_folder.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include <csignal>
#include <map>
#include <memory>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace stagecraft;

namespace {

nlohmann::json workspaceOf(int world, int stage, std::int64_t steps)
{
    const std::string data = qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString() + "/tests/data/equivalence/";
    nlohmann::json config = {{"train_batch_size", 24}, {"train_micro_batch_size_per_gpu", 24 / world / 2}, {"gradient_accumulation_steps", 2}, {"gradient_clipping", 1.0},
                             {"zero_optimization", {{"stage", stage}, {"stage3_param_persistence_threshold", 0}}},
                             {"optimizer", {{"type", "AdamW"}, {"params", {{"lr", 1e-3}, {"betas", {0.9, 0.95}}, {"eps", 1e-8}, {"weight_decay", 0.1}}}}}};
    return {{"stagecraft", 1}, {"name", "worker test"},
            {"model", {{"hf", data + "llama"}, {"init", data + "llama/init.safetensors"}, {"seq", 48}}},
            {"data", {{"source", data + "tokens.u16"}, {"order", "sequential"}, {"validationFraction", 0.0}}},
            {"hardware", {{"nodes", 1}, {"devicesPerNode", world}, {"device", "cpu"}}}, {"layout", {{"dp", world}}},
            {"training", {{"steps", steps}}}, {"dsConfig", config}};
}

/// Some ranks of one run as child processes.
class Ranks {
public:
    Ranks(const QString& folder, int world, const nlohmann::json& workspace) : m_folder(folder), m_world(world)
    {
        QFile file(folder + "/workspace.json");
        file.open(QIODevice::WriteOnly);
        file.write(QByteArray::fromStdString(workspace.dump()));
    }
    ~Ranks()
    {
        for (auto& process : processes) process->kill(), process->waitForFinished();
    }

    void start(int attempt, const QStringList& more = {})
    {
        processes.clear();
        QDir(m_folder).mkpath(QString("attempt_%1").arg(attempt));
        for (int rank = 0; rank < m_world; ++rank) {
            auto process = std::make_unique<QProcess>();
            process->start(qEnvironmentVariable("STAGECRAFT_BIN_DIR") + "/stagecraft-worker",
                           QStringList{"--run-dir", m_folder, "--rank", QString::number(rank), "--world", QString::number(m_world), "--attempt", QString::number(attempt)} + more);
            processes.push_back(std::move(process));
        }
    }

    /// Exit codes; -1 for one that a signal ended or that did not end.
    QList<int> wait()
    {
        QList<int> codes;
        for (auto& process : processes) {
            const bool ended = process->waitForFinished(60'000) && process->exitStatus() == QProcess::NormalExit;
            codes << (ended ? process->exitCode() : -1);
        }
        return codes;
    }

    std::vector<double> losses() const
    {
        QFile file(QString::fromStdString(RunFolder{m_folder.toStdString()}.metrics(0).string()));
        std::vector<double> result;
        if (!file.open(QIODevice::ReadOnly)) return result;
        while (!file.atEnd()) result.push_back(nlohmann::json::parse(file.readLine().toStdString())["loss"]);
        return result;
    }

    std::vector<std::unique_ptr<QProcess>> processes;

private:
    QString m_folder;
    int m_world;
};

std::vector<double> truth()
{
    QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/equivalence/truth.json");
    if (!file.open(QIODevice::ReadOnly)) return {};
    return nlohmann::json::parse(file.readAll().toStdString())["models"]["llama"]["float64"]["losses"].get<std::vector<double>>();
}

}  // namespace

class TstWorker : public QObject {
    Q_OBJECT

private slots:
    void trainsFromSafetensorsLikePyTorch()
    {
        QTemporaryDir folder;
        Ranks ranks(folder.path(), 2, workspaceOf(2, 3, 8));
        ranks.start(0);
        QCOMPARE(ranks.wait(), (QList<int>{0, 0}));
        const std::vector<double> losses = ranks.losses(), expected = truth();
        QCOMPARE(losses.size(), std::size_t{8});
        for (std::size_t s = 0; s < losses.size(); ++s) QVERIFY(std::abs(losses[s] - expected[s]) < 2e-5);
        QVERIFY(QFile::exists(QString::fromStdString(RunFolder{folder.path().toStdString()}.spans(1).string())));
    }

    void resumesToTheBit_data()
    {
        QTest::addColumn<int>("stage");
        for (int stage = 0; stage <= 3; ++stage) QTest::addRow("stage %d", stage) << stage;
    }

    void resumesToTheBit()
    {
        QFETCH(int, stage);
        nlohmann::json workspace = workspaceOf(2, stage, 6);
        // Sizes, not the Hugging Face folder, whose dropout is 0: the masks of a step must be drawn as if nothing had happened.
        workspace["model"] = {{"family", "llama"}, {"hidden", 32}, {"layers", 2}, {"heads", 4}, {"kvHeads", 2}, {"ffn", 48}, {"vocab", 256}, {"seq", 48}, {"attentionDropout", 0.2}};
        QTemporaryDir straight, broken;
        Ranks whole(straight.path(), 2, workspace);
        whole.start(0);
        QCOMPARE(whole.wait(), (QList<int>{0, 0}));
        workspace["training"] = {{"steps", 3}, {"saveEvery", 3}};
        {
            Ranks first(broken.path(), 2, workspace);
            first.start(0);
            QCOMPARE(first.wait(), (QList<int>{0, 0}));
        }
        workspace["training"] = {{"steps", 6}};
        Ranks second(broken.path(), 2, workspace);
        second.start(1, {"--resume", "auto"});
        QCOMPARE(second.wait(), (QList<int>{0, 0}));
        QCOMPARE(second.losses(), whole.losses());  // metrics are appended: three steps of each attempt
    }

    void resumesAtAnotherLayout()
    {
        nlohmann::json workspace = workspaceOf(2, 3, 3);
        workspace["training"]["saveEvery"] = 3;
        QTemporaryDir folder;
        {
            Ranks two(folder.path(), 2, workspace);
            two.start(0);
            QCOMPARE(two.wait(), (QList<int>{0, 0}));
        }
        Ranks three(folder.path(), 3, workspaceOf(3, 1, 6));
        three.start(1, {"--resume", "3"});
        QCOMPARE(three.wait(), (QList<int>{0, 0, 0}));
        const std::vector<double> losses = three.losses(), expected = truth();
        QCOMPARE(losses.size(), std::size_t{6});
        for (std::size_t s = 0; s < 6; ++s) QVERIFY(std::abs(losses[s] - expected[s]) < 2e-5);
    }

    void stopsAllRanksAfterTheSameStep()
    {
        QTemporaryDir folder;
        nlohmann::json workspace = workspaceOf(2, 2, 1'000'000);
        workspace["training"]["saveEvery"] = 1'000'000;
        Ranks ranks(folder.path(), 2, workspace);
        ranks.start(0);
        QTRY_VERIFY_WITH_TIMEOUT(ranks.losses().size() > 3, 30'000);
        ranks.processes[1]->terminate();  // only one rank hears it
        QCOMPARE(ranks.wait(), (QList<int>{3, 3}));
        // A graceful stop of a run that saves leaves a checkpoint of its last step.
        const auto point = findResumePoint(RunFolder{folder.path().toStdString()}.checkpoints(), "auto");
        QVERIFY(point.hasValue());
        QCOMPARE(point->step, static_cast<std::int64_t>(ranks.losses().size()));
    }

    void aLostPeerEndsTheOthersInWords()
    {
        QTemporaryDir folder;
        Ranks ranks(folder.path(), 2, workspaceOf(2, 3, 1'000'000));
        ranks.start(0);
        QTRY_VERIFY_WITH_TIMEOUT(ranks.losses().size() > 3, 30'000);
        ::kill(static_cast<pid_t>(ranks.processes[1]->processId()), SIGKILL);
        // Gloo nearly always hears of it within a second; in a run the supervisor does not rely on that, so neither does this test.
        if (!ranks.processes[0]->waitForFinished(10'000)) QSKIP("Gloo did not notice in time, as it sometimes does not");
        QCOMPARE(ranks.processes[0]->exitCode(), 1);
        const QString words = QString::fromUtf8(ranks.processes[0]->readAllStandardError());
        QVERIFY2(words.contains("lost a peer") && words.contains("(at "), qPrintable(words));
    }

    void saysWhatItCannotDo_data()
    {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        QTest::newRow("more ranks than laid out") << QString("/layout/dp") << QString("1") << QString("\"layout\" has dp 1");
        QTest::newRow("tensor parallelism") << QString("/layout/tp") << QString("2") << QString("tp");
        QTest::newRow("a GPU") << QString("/hardware/device") << QString("\"cuda\"") << QString("cuda");
        QTest::newRow("selective recomputation") << QString("/layout/recompute") << QString("\"selective\"") << QString("selective");
        QTest::newRow("fp16") << QString("/dsConfig/fp16") << QString("{\"enabled\": true}") << QString("fp16");
        QTest::newRow("no such data") << QString("/data/source") << QString("\"/nowhere.u16\"") << QString("/nowhere.u16");
        QTest::newRow("no such weights") << QString("/model/init") << QString("\"/nowhere.safetensors\"") << QString("/nowhere.safetensors");
    }

    void saysWhatItCannotDo()
    {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, says);
        nlohmann::json workspace = workspaceOf(2, 1, 3);
        workspace[nlohmann::json::json_pointer(pointer.toStdString())] = nlohmann::json::parse(value.toStdString());
        QTemporaryDir folder;
        Ranks ranks(folder.path(), 2, workspace);
        ranks.start(0);
        QCOMPARE(ranks.wait(), (QList<int>{1, 1}));
        const QString words = QString::fromUtf8(ranks.processes[0]->readAllStandardError());
        QVERIFY2(words.contains(says), qPrintable(words));
        QCOMPARE(words.count('\n'), 1);
    }

    void speaksOnTheControlSocket()
    {
        QTemporaryDir folder;
        const Ranks ranks(folder.path(), 1, workspaceOf(1, 0, 1'000'000));
        Supervised worker(folder.path());
        QVERIFY(worker.pid > 0);
        QTRY_VERIFY_WITH_TIMEOUT(worker.count("step") > 2 && worker.count("heartbeat") > 0, 30'000);
        QVERIFY(worker.lines.front().contains("\"hello\""));
        worker.say(SaveMessage{});
        QTRY_VERIFY_WITH_TIMEOUT(worker.count("event", "checkpoint_saved") == 1, 30'000);
        worker.say(StopMessage{});
        QTRY_VERIFY_WITH_TIMEOUT(worker.ended(), 30'000);
        QVERIFY(WIFEXITED(worker.status));
        QCOMPARE(WEXITSTATUS(worker.status), 3);
        QVERIFY2(worker.lines.back().contains("\"bye\"") && worker.lines.back().contains("stopped"), qPrintable(worker.lines.back()));
    }

    void endsWhenTheSupervisorIsGone()
    {
        QTemporaryDir folder;
        const Ranks ranks(folder.path(), 1, workspaceOf(1, 0, 1'000'000));
        Supervised worker(folder.path());
        QTRY_VERIFY_WITH_TIMEOUT(worker.count("step") > 2, 30'000);
        worker.hangUp();
        QElapsedTimer timer;
        timer.start();
        QTRY_VERIFY_WITH_TIMEOUT(worker.ended(), 10'000);
        QVERIFY2(timer.elapsed() < 10'000, "the worker outlived its supervisor");
    }

private:
    /// One rank with a control socket whose other end is ours.
    struct Supervised {
        explicit Supervised(const QString& folder)
        {
            int ends[2];
            if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
            const QByteArray program = (qEnvironmentVariable("STAGECRAFT_BIN_DIR") + "/stagecraft-worker").toUtf8();
            const QByteArray run = folder.toUtf8(), fd = QByteArray::number(ends[1]);
            pid = ::fork();
            if (pid == 0) {
                ::close(ends[0]);
                ::execl(program.data(), program.data(), "--run-dir", run.data(), "--rank", "0", "--world", "1", "--control-fd", fd.data(), nullptr);
                ::_exit(127);
            }
            ::close(ends[1]);
            m_fd = ends[0];
        }
        ~Supervised()
        {
            hangUp();
            if (pid > 0 && !m_ended) {
                ::kill(pid, SIGKILL);
                ::waitpid(pid, &status, 0);
            }
        }
        void hangUp()
        {
            if (m_fd >= 0) ::close(m_fd);
            m_fd = -1;
        }
        void say(const ControlMessage& message)
        {
            const std::string line = toControlLine(message);
            (void)!::write(m_fd, line.data(), line.size());
        }
        void read()
        {
            char bytes[65536];
            for (ssize_t n; m_fd >= 0 && (n = ::recv(m_fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;) m_buffer.append({bytes, static_cast<std::size_t>(n)});
            while (const auto line = m_buffer.next()) lines << QString::fromStdString(*line);
        }
        int count(const QString& type, const QString& also = {})
        {
            read();
            int found = 0;
            for (const QString& line : lines) found += line.contains("\"type\":\"" + type + "\"") && line.contains(also) ? 1 : 0;
            return found;
        }
        bool ended()
        {
            if (!m_ended) m_ended = ::waitpid(pid, &status, WNOHANG) == pid;
            read();
            return m_ended;
        }
        pid_t pid = -1;
        int status = 0;
        QStringList lines;

    private:
        int m_fd = -1;
        bool m_ended = false;
        LineBuffer m_buffer;
    };
};

QTEST_GUILESS_MAIN(TstWorker)
#include "tst_worker.moc"
