// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/shell_words.h"

#include <QtTest>

using namespace stagecraft;

class TstShellWords : public QObject {
    Q_OBJECT
private slots:
    void splits_data();
    void splits();
    void readsHereDocuments();
    void boundsExpansion();
};

void TstShellWords::splits_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("commands");  // words joined by '|', commands by '/', unknown words marked '?'
    const auto row = [](const char* name, const char* script, const char* commands) { QTest::newRow(name) << QString(script) << QString(commands); };
    row("plain words", "deepspeed train.py --x 1", "deepspeed|train.py|--x|1");
    row("quotes", R"(run 'a b' "c d" e\ f)", "run|a b|c d|e f");
    row("a continued line", "run a \\\n  b", "run|a|b");
    row("a comment", "run a # b\n# c\nrun d", "run|a/run|d");
    row("several commands", "cd x && run a; run b | tee log", "cd|x/run|a/run|b/tee|log");
    row("a variable", "N=4\nrun $N ${N}x \"$N\"", "run|4|4x|4");
    row("a variable with a default", "run ${N:-8} ${M-9}", "run|8|9");
    row("an unset variable", "run $N", "run|?");
    row("a variable of several words", "A=\"--x 1 --y\"\nrun $A \"$A\"", "run|--x|1|--y|--x 1 --y");
    row("an array", "A=(--x 1 'b c')\nrun \"${A[@]}\" z", "run|--x|1|b c|z");
    row("an array that grows", "A=(1)\nA+=(2)\nrun \"${A[@]}\"", "run|1|2");
    row("a substitution", "run $(nproc) `nproc` 5", "run|?|?|5");
    row("the script's folder", "here=$(dirname \"$0\")\nrun \"$here/a\" `dirname $0`/b", "run|./a|./b");
    row("the script's folder, in full", "here=$(CDPATH='' cd -- \"$(dirname -- \"$0\")\" && pwd)\nrun $here/a", "run|./a");
    row("the script's folder in bash", "D=\"$( cd \"$( dirname \"${BASH_SOURCE[0]}\" )\" >/dev/null 2>&1 && pwd )\"\nrun $D/a ${0%/*}/b", "run|./a|./b");
    row("the folder above the script", "D=$(cd \"$(dirname \"$0\")/..\"; pwd)\nE=$(dirname $(dirname $(readlink -f $0)))\nrun $D/a $E/a", "run|./../a|./../a");
    row("the folder it is started in", "run $(pwd)/a ${PWD}/b", "run|./a|./b");
    row("another folder", "D=$(dirname \"$1\")\nrun $D/a $(cd /opt && pwd)/b $(dirname $(which x))/c", "run|?|?|?");
    row("a changed value", "A=x.json\nrun ${A%.json} ${A//x/y} ${#A} ${A:0:1} ${A:?none}", "run|?|?|?|?|x.json");
    row("an element", "A=(1 2)\nrun ${A[1]} ${A[7]} ${A[*]}", "run|2|?|1|2");
    row("export", "export N=3\nrun $N", "run|3");
    row("an assignment before a command", "CUDA_VISIBLE_DEVICES=0,1 run a", "run|a");
    row("an assignment for one command alone", "N=1\nN=2 M=3 run $N\nrun $N $M", "run|2/run|1|?");
    row("redirections", "run a > log.txt 2>&1 &", "run|a");
    row("a condition", "if [ x ]; then\n  run a\nfi", "[|x|]/run|a/fi");
    row("the branches of a case", "case $1 in\na)\n  run a ;;\n(b) run b;;\nesac\n(cd x && run c)", "case|?|in/run|a/run|b/esac/cd|x/run|c");
    row("arithmetic", "A=8\nB=4\nW=$((A*B))\nrun $W $(($A / ${B})) $(( (A+1) % 4 - -2 ** 3 )) $((0x10 + 010)) x$((A*$((B+1))))", "run|32|2|9|24|x40");
    row("arithmetic of a default", "run $((${N:-4} * 2))", "run|8");
    row("arithmetic nobody knows", "A=8x\nrun $((N*2)) $((A)) $((1/0)) $((9223372036854775807+1)) $((1>0)) $((08)) $(()) $((2**64))", "run|?|?|?|?|?|?|?|?");
    row("what is not known keeps its place", "L=\"run --nnodes $N --x 8\"\n$L t.py", "run|--nnodes|?|--x|8|t.py");
    row("a command for a shell", "M=4\nsrun -n 2 bash -c \"run $M a\"\nbash -lc 'run $M; run b'\nbash x.sh -c 'run a'", "srun|-n|2|run|4|a/run|4/run|b/bash|x.sh|-c|run a");
    row("eval", "C=\"run a b\"\neval \"$C\" \"c d\"\neval $C", "run|a|b|c|d/eval|run|a|b");
    row("a command for another host", "ssh -p 22 me@node \"cd x && run $H a\"\nssh node run a", "cd|x/run|?|a/ssh|node|run|a");
    row("text that is no command", "echo \"bash -c 'run a'\"\necho ssh node \"run a\"\naccelerate launch --deepspeed_multinode_launcher pdsh t.py --prompt \"a b\"", "echo|bash -c 'run a'/echo|ssh|node|run a/accelerate|launch|--deepspeed_multinode_launcher|pdsh|t.py|--prompt|a b");
    row("shells within shells", "bash -c 'bash -c \"bash -c \\\"bash -c run\\\"\"'", "bash|-c|run");
    row("Windows line ends", "run a \\\r\n b\r\nrun c\r\n", "run|a|b/run|c");
    row("an open quote", "run 'a b", "run|a b");
}

void TstShellWords::splits()
{
    QFETCH(QString, script);
    QFETCH(QString, commands);
    const auto read = readShellScript(script.toStdString());
    QVERIFY(read.hasValue());
    QStringList all;
    for (const auto& command : read->commands) {
        QStringList words;
        for (const ShellWord& word : command) words << (word.known ? QString::fromStdString(word.text) : QString("?"));
        all << words.join('|');
    }
    QCOMPARE(all.join('/'), commands);
}

void TstShellWords::readsHereDocuments()
{
    const auto read = readShellScript("B=4\ncat <<EOF > ds.json\n{\"train_batch_size\": $B}\nEOF\ncat << 'END' > raw.json\n$B\nEND\nrun --line five\n");
    QVERIFY(read.hasValue());
    QCOMPARE(QString::fromStdString(read->files.at("ds.json")), QString("{\"train_batch_size\": 4}\n"));
    QVERIFY(read->file("./ds.json") != nullptr);
    QVERIFY(read->file("other.json") == nullptr);
    QCOMPARE(QString::fromStdString(read->files.at("raw.json")), QString("$B\n"));
    QCOMPARE(read->commands.back().front().line, 8);
}

void TstShellWords::boundsExpansion()
{
    std::string script = "A=0123456789\n";
    for (int i = 0; i < 60; ++i) script += "A=\"$A$A\"\n";
    QVERIFY(!readShellScript(script + "run $A\n").hasValue());
    // Shells that each have a copy of the variables.
    std::string shells = "A=" + std::string(100'000, 'x') + "\n";
    for (int i = 0; i < 5'000; ++i) shells += "bash -c a\n";
    QVERIFY(!readShellScript(shells).hasValue());
    for (const char* open : {"$((", "$(", "${", "bash -c \"", "eval \"a $("}) {
        std::string deep = "run ";
        for (int i = 0; i < 20'000; ++i) deep += open;
        (void)readShellScript(deep);
        for (int i = 0; i < 40'000; ++i) deep += ')';
        (void)readShellScript(deep);
    }
}

QTEST_GUILESS_MAIN(TstShellWords)
#include "tst_shell_words.moc"
