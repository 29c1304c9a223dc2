// SPDX-License-Identifier: GPL-3.0-or-later
#include "launch/blame.h"
#include "launch/log_follower.h"

#include <QtTest>
#include <csignal>

using namespace stagecraft;

namespace {

RankEvidence fine(int rank)
{
    RankEvidence evidence;
    evidence.rank = rank;
    return evidence;
}
RankEvidence ended(int rank, ProcessEnd end, std::int64_t at) { auto e = fine(rank); e.end = end; e.endNs = at; return e; }
RankEvidence spoke(int rank, std::string message, std::int64_t at, bool peer = false)
{
    auto e = fine(rank);
    e.failureMessage = std::move(message);
    e.failureNs = at;
    e.peerLost = peer;
    return e;
}

}  // namespace

class TstBlame : public QObject {
    Q_OBJECT
private slots:
    void namesTheCulprit_data()
    {
        QTest::addColumn<std::vector<RankEvidence>>("ranks");
        QTest::addColumn<int>("rank");
        QTest::addColumn<QString>("kind");
        const auto row = [](const char* name, std::vector<RankEvidence> ranks, int rank, const char* kind) { QTest::newRow(name) << std::move(ranks) << rank << QString(kind); };
        row("nobody", {fine(0), fine(1)}, -1, "");
        row("one killed", {fine(0), ended(1, {true, SIGKILL}, 5)}, 1, "signal");
        row("a victim speaks before the killed one is seen", {spoke(0, "Connection closed by peer", 1), ended(1, {true, SIGKILL}, 5)}, 1, "signal");
        row("a victim that says so itself", {spoke(0, "lost rank 1", 1, true), spoke(1, "out of memory", 5)}, 1, "error");
        row("a victim in a hurry without the flag", {spoke(0, "[gloo] Connection reset by peer", 1), spoke(1, "out of memory", 5)}, 1, "error");
        row("own words, the earlier", {spoke(0, "b", 7), spoke(1, "a", 5)}, 1, "error");
        row("a crash beats words", {spoke(0, "something odd", 1), ended(1, {true, SIGSEGV}, 2)}, 1, "signal");
        row("only victims: the first", {spoke(0, "Broken pipe", 7), spoke(1, "Broken pipe", 5)}, 1, "error");
        row("an exit without a word", {fine(0), ended(1, {false, 7}, 5)}, 1, "exit");
        row("exit 0 too early", {ended(0, {false, 0}, 5), fine(1)}, 0, "exit");
        auto done = ended(0, {false, 0}, 5);
        done.endedWell = true;
        row("one finished well", {done, fine(1)}, -1, "");
        auto aborted = ended(0, {true, SIGABRT}, 1);
        aborted.lastErrorLine = "what():  [gloo/transport/tcp/pair.cc:534] Connection closed by peer [127.0.0.1]:1";
        row("an uncaught peer error is a victim's", {aborted, ended(1, {true, SIGKILL}, 9)}, 1, "signal");
        auto traced = ended(0, {true, SIGABRT}, 1);
        traced.lastErrorLine = "frame #7: clone + 0x3f";
        traced.lastPeerLine = "what():  Connection reset by peer";
        row("also with a stack behind it", {traced, spoke(1, "out of memory", 9)}, 1, "error");
        row("an abort whose words are lost may be a victim's", {ended(0, {true, SIGABRT}, 1), ended(1, {true, SIGKILL}, 9)}, 1, "signal");
        row("an abort of its own", {spoke(0, "lost", 1, true), ended(1, {true, SIGABRT}, 5)}, 1, "signal");
        auto silent = fine(1);
        silent.silentNs = 7;
        row("one that is going down and its victim", {spoke(0, "lost", 1, true), silent}, 1, "exit");
        row("a victim that aborted and one that is going down", {traced, silent}, 1, "exit");
        auto over = ended(1, {true, SIGKILL}, 9);
        over.silentNs = 7;
        row("all give the same reason", {spoke(0, "loss is not finite", 7), spoke(1, "loss is not finite", 5)}, -1, "error");
        row("all but one give it", {spoke(0, "loss is not finite", 7), spoke(1, "loss is not finite", 5), fine(2)}, 1, "error");
        row("two reasons", {spoke(0, "loss is not finite", 7), spoke(1, "out of memory", 5)}, 1, "error");
        row("all miss a peer", {spoke(0, "lost", 7, true), spoke(1, "lost", 5, true)}, 1, "error");
        row("one rank alone", {spoke(0, "loss is not finite", 7)}, 0, "error");
        row("the same reason, and a crash", {spoke(0, "odd", 7), ended(1, {true, SIGSEGV}, 9)}, 1, "signal");
        row("one that went down by now", {spoke(0, "lost", 1, true), over}, 1, "signal");
    }
    void namesTheCulprit()
    {
        QFETCH(std::vector<RankEvidence>, ranks);
        QFETCH(int, rank);
        QFETCH(QString, kind);
        const auto blame = blameOf(ranks);
        QCOMPARE(blame ? blame->rank : -1, rank);
        if (blame) QCOMPARE(QString::fromStdString(blame->kind), kind);
        if (blame) QVERIFY(blame->message.starts_with(rank < 0 ? "every rank failed: loss" : "rank " + std::to_string(rank)));
    }

    void saysHowItEnded()
    {
        QVERIFY(ProcessEnd({true, SIGKILL}).inWords().find("SIGKILL") != std::string::npos);
        QVERIFY(ProcessEnd({true, SIGSEGV}).inWords().find("SIGSEGV") != std::string::npos);
        QCOMPARE(ProcessEnd({false, 7}).inWords(), std::string("exited with code 7"));
        QVERIFY(ProcessEnd({true, 40}).inWords().find("40") != std::string::npos);
    }

    void levelsOfOutput()
    {
        QCOMPARE(QString(logLevelOf("step 5", false)), QString("info"));
        QCOMPARE(QString(logLevelOf("step 5", true)), QString("warning"));
        QCOMPARE(QString(logLevelOf("RuntimeError: no", false)), QString("error"));
        // What a rank says of another's end is no error of its own, in whichever words of the transport.
        QCOMPARE(QString(logLevelOf("worker: Rank 0 lost a peer: pair.cc:538] Read error [127.0.0.1]:2254: Connection reset by peer.", true)), QString("warning"));
        QCOMPARE(QString(logLevelOf("worker: Rank 0 lost a peer: pair.cc:547] Connection closed by peer [127.0.0.1]:12510.", true)), QString("warning"));
    }
};

QTEST_APPLESS_MAIN(TstBlame)
#include "tst_blame.moc"
