// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/shell_words.h"

#include <QtTest>

using namespace stagecraft;

class TstShellWords : public QObject {
    Q_OBJECT
private slots:
    void splits_data();
    void splits();
    void doubts_data();
    void doubts();
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
    row("a changed value", "A=x.json\nrun ${A%.json} ${A//x/y} ${#A} ${A:0:1} ${A:?none}", "run|?|?|6|?|x.json");
    row("an element", "A=(1 2)\nrun ${A[1]} ${A[7]} ${A[*]}", "run|2|?|1|2");
    row("export", "export N=3\nrun $N", "run|3");
    row("an assignment before a command", "CUDA_VISIBLE_DEVICES=0,1 run a", "run|a");
    row("an assignment for one command alone", "N=1\nN=2 M=3 run $N\nrun $N $M", "run|1/run|1|?");
    row("redirections", "run a > log.txt 2>&1 &", "run|a");
    row("a condition", "if [ x ]; then\n  run a\nfi", "run|a");
    row("the branches of a case", "case $1 in\na)\n  run a ;;\n(b) run b;;\nesac\n(cd x && run c)", "run|a/run|b/cd|x/run|c");
    row("arithmetic", "A=8\nB=4\nW=$((A*B))\nrun $W $(($A / ${B})) $(( (A+1) % 4 - -2 ** 3 )) $((0x10 + 010)) x$((A*$((B+1))))", "run|32|2|9|24|x40");
    row("arithmetic of a default", "run $((${N:-4} * 2))", "run|8");
    row("arithmetic nobody knows", "A=8x\nrun $((N*2)) $((A)) $((1/0)) $((9223372036854775807+1)) $((1>0)) $((08)) $(()) $((2**64))", "run|?|?|?|?|1|?|?|?");
    row("what is not known keeps its place", "L=\"run --nnodes $N --x 8\"\n$L t.py", "run|--nnodes|?|--x|8|t.py");
    row("a command for a shell", "M=4\nsrun -n 2 bash -c \"run $M a\"\nbash -lc 'run $M; run b'\nbash x.sh -c 'run a'", "srun|-n|2|run|4|a/run|4/run|b/bash|x.sh|-c|run a");
    row("eval", "C=\"run a b\"\neval \"$C\" \"c d\"\neval $C", "run|a|b|c|d/run|a|b");
    row("a command for another host", "ssh -p 22 me@node \"cd x && run $H a\"\nssh node run a", "cd|x/run|?|a/ssh|node|run|a");
    row("text that is no command", "echo \"bash -c 'run a'\"\necho ssh node \"run a\"\naccelerate launch --deepspeed_multinode_launcher pdsh t.py --prompt \"a b\"", "echo|bash -c 'run a'/echo|ssh|node|run a/accelerate|launch|--deepspeed_multinode_launcher|pdsh|t.py|--prompt|a b");
    row("shells within shells", "bash -c 'bash -c \"bash -c \\\"bash -c run\\\"\"'", "run");
    row("Windows line ends", "run a \\\r\n b\r\nrun c\r\n", "run|a|b/run|c");
    row("an open quote", "run 'a b", "run|a b");
    row("a condition that is decided", "A=1\nif [ $A = 2 ]; then B=x; elif [ $A -eq 1 ]; then B=y; else B=z; fi\nrun $B", "run|y");
    row("what is not run", "A=1\nif [[ $A == 2 || -z $A ]]; then run a; else run b; fi\nfalse && run c || run d\n[ $A = 1 ] || exit 1\nrun e", "run|b/run|d/run|e");
    row("behind the end", "run a\nexit 0\nrun b", "run|a");
    row("behind an end that a branch may take", "[ -f x ] || exit 1\nif [ -d y ]; then A=1; exit; else A=2; fi\nrun $A", "run|2");
    row("branches that agree", "if [ -f x ]; then A=4; else A=4; fi\nrun $A", "run|4");
    row("branches that do not", "if [ -f x ]; then A=4; else A=8; fi\nrun $A", "run|?");
    row("a branch that may be taken", "A=4\ntest -f x && A=8\nrun $A\nB=1\nnvidia-smi || B=2\nrun $B", "run|?/nvidia-smi/run|?");
    row("a choice by && and ||", "N=2\n[ $N -gt 1 ] && A=8 || A=4\n[ $N -gt 4 ] && B=8 || B=4\nrun $A $B", "run|8|4");
    row("options that a branch adds", "A=(--x 1)\nif [ -f x ]; then A+=(--y); fi\nB=\"--p 2\"\n[ -f x ] && B=\"$B --q\"\nrun \"${A[@]}\" $B end", "run|--x|1|?|--p|2|?|end");
    row("a pattern", "M=llama-7b\ncase $M in *13b) A=1;; llama-*|x) A=2;; *) A=3;; esac\n[[ $M == *7b ]] && B=4\nrun $A $B", "run|2|4");
    row("a pattern nobody knows", "case $(hostname) in a) A=1;; *) A=2;; esac\nrun $A", "run|?");
    row("a test of nothing", "[ -z \"$X\" ] && X=4\nif [ \"$1\" == \"\" ]; then Y=2; fi\nif [ $# -lt 2 ]; then Z=3; fi\nrun $X $Y $Z", "run|4|2|3");
    row("a test of what stands there", "X=1\n[ -z \"$X\" ] && X=4\n[ -n \"$X\" ] && Y=5\nrun $X $Y", "run|1|5");
    row("arguments of the script", "A=4\nwhile [[ $# -gt 0 ]]; do case $1 in --a) A=$2; shift 2;; esac; done\nwhile getopts b: o; do A=9; done\nfor x in \"$@\"; do A=7; done\nrun $A", "run|4");
    row("a script that needs an argument", "if [ -z \"$1\" ]; then echo usage; exit 1; fi\nrun a", "echo|usage/run|a");
    row("a loop", "A=1\nfor B in 2 4; do run $A $B; A=3; done\nrun $A\nfor B in 5; do run $B; done", "run|?|?/run|3/run|5");
    row("a loop that may never run", "A=1\nwhile read x; do A=2; done < f\nrun $A $x", "run|?|?");
    row("counting", "((A=2*2))\nlet B=A+1 'C = 3'\n((A++)); ((B+=2, C<9 && (C=7)))\n: ${D:=4}\nE=$((A>4 ? 6 : 0))\nrun $A $B $C $D $E", "run|5|7|7|4|6");
    row("counting nobody knows", "A=1\n((A=N*2))\nrun $A", "run|?");
    row("a function", "f() { local B=3; A=$1; run $A $B; }\nB=2\nf 4\nrun $A $B $1", "run|4|3/run|4|2|?");
    row("a function before its variables", "function f {\n  run $G\n}\nG=2\nG=8\nf", "run|8");
    row("a function that nothing calls", "f() { run $1; }\nrun a", "run|a/run|?");
    row("a function that calls itself", "f() { run $1; f $1; }\nf 1", "run|1");
    row("a function that ends", "f() { [ -f x ] && return; A=1; return; A=2; }\nf\nu() { exit; }\nrun a\nu\nrun b", "run|a");
    row("arguments set by the script", "set -- 1 2\nshift\nrun $1 $# \"$@\"", "run|2|1|2");
    row("a subshell keeps its variables", "A=1\n(A=2; run $A)\nrun $A", "run|2/run|1");
    row("a here-document for a shell", "A=1\nbash <<EOF\nA=2\nrun $A \\$A\nEOF\nssh host bash -s <<'EOF'\nrun $A b\nEOF\nsrun -n 2 bash <<< \"run c\"", "run|1|2/run|1|b/srun|-n|2|run|c");
    row("a script that it writes", "cat <<'EOF' > x.sh\nrun $1 $A\nEOF\necho run b > y.sh\nA=1 bash x.sh 5\nsource y.sh\ncat <<E | tee z.sh | cat\nrun c\nE\nsrun bash ./z.sh", "cat/echo|run|b/run|5|1/run|b/cat/tee|z.sh/cat/srun|run|c");
    row("declared", "declare -a A=(1 2)\nreadonly B=3\nexport C=4 D\nrun ${A[1]} $B $C ${#A[@]}", "run|2|3|4|2");
    row("elements one by one", "A[0]=1\nA[1]=2\nA[0]=3\nrun \"${A[@]}\"\nB[x]=1\nrun ${B[x]}", "run|3|2/run|?");
    row("a longer text", "A=1\nA+=2\nrun $A", "run|12");
    row("a test for what nothing gives", "[ \"$1\" = x ] && A=1 || A=2\nif [[ $M != slurm ]]; then run $A; fi", "run|2");
    row("read", "read -r -d '' A <<E\n-m a \\\n  --b 1\nE\nrun $A\nIFS=, read -ra D <<< \"0,1,2\"\nread x y <<< \"1 2 3\"\nrun ${#D[@]} ${D[1]} $x \"$y\"", "run|-m|a|--b|1/run|3|1|1|2 3");
    row("paths", "S=$(realpath $0)\nD=$(dirname $S)\nB=$(basename /a/b.json)\nrun $D/a $B $(echo x)", "run|./a|b.json|x");
    row("arguments of a function", "f() { local A=$1; shift; run $A \"$@\" $#; }\nf 1 2 3", "run|1|2|3|2");
    row("several of them passed over", "f() { shift 2; run $1 ${@:2} ${@:2:1}; }\nf 1 2 3 4 5", "run|3|4|5|4");
    row("a shift that is not run", "f() { if [ \"$1\" = -v ]; then shift; fi; run $1; }\nf 1 2", "run|1");
    row("a shift that may be run", "f() { test -f x && shift; run $1 $#; }\nf 1 2", "run|?|?");
    row("a loop over known arguments", "f() { while [ $# -gt 0 ]; do case $1 in --a) A=$2; shift 2;; --b) B=1; shift;; *) shift;; esac; done; run $A $B; }\nf --b x --a 4", "run|4|1");
    row("a loop over known arguments that ends early", "f() { while true; do case $1 in --a) A=$2; shift 2;; --) shift; break;; *) break;; esac; done; run $A $1; }\nf --a 4 -- 5", "run|4|5");
    row("a loop over arguments that never ends", "f() { while [ $# -gt 0 ]; do set -- a; A=1; shift 0; done; run $A $1; }\nf 1", "run|1|a");
    row("the script's arguments handed on", "f() { A=${1:-4}; [ $# -lt 2 ] && B=2; run $A $B; }\nf \"$@\"\ng() { run $1 $2 $#; }\ng 1 \"$@\"", "run|4|2/run|1|?|1");
    row("a function left in a branch", "f() { if [ x = x ]; then A=1; return; fi; A=2; }\nf\nrun $A", "run|1");
    row("a test for a program", "if ! command -v run; then pip install run; fi\nrun a", "pip|install|run/run|a");
    row("what a batch script's head gives to Slurm", "#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node 4\n# text\n#SBATCH --gres=gpu:a100:8 # cards\n\nrun $SLURM_NNODES $SLURM_NTASKS $SLURM_GPUS_ON_NODE $SLURM_JOB_ID\n#SBATCH -N 9", "run|2|8|8|?");
    row("a head that says less", "#SBATCH -N2-4\n#SBATCH --gres=shard:2\n#SBATCH -n6\nrun $SLURM_NNODES $SLURM_GPUS_ON_NODE $SLURM_NTASKS", "run|?|?|6");
    row("an alternative", "A=1\nrun ${A:+b} ${B:+c}", "run|b|");
    row("other words of prose", "for multi-node training:\nrun a\nif you like\nrun b\nin case of\nrun c", "for|multi-node|training:/run|a/you|like/run|b/in|case|of/run|c");
}

void TstShellWords::splits()
{
    QFETCH(QString, script);
    QFETCH(QString, commands);
    const auto read = readShellScript(script.toStdString());
    QVERIFY(read.hasValue());
    QStringList all;
    for (const ShellCommand& command : read->commands) {
        QStringList words;
        for (const ShellWord& word : command.words) words << (word.known ? QString::fromStdString(word.text) : QString("?"));
        all << words.join('|');
    }
    QCOMPARE(all.join('/'), commands);
}

void TstShellWords::doubts_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("said");  // of the last word of the last command
    const auto row = [](const char* name, const char* script, const char* said) { QTest::newRow(name) << QString(script) << QString(said); };
    row("nothing", "A=1\nrun $A", "1");
    row("from outside", "run $A", " outside A");
    row("printed", "run $(nproc)", " printed");
    row("a default", "run ${A:-4}", "4 default A");
    row("a default of a default", "B=${A:-4}\nrun $((B*2))", "8 default A");
    row("an argument's default", "A=$1\n[ -z \"$A\" ] && A=4\nrun $A", "4 default 1 [$1@1]");
    row("what nothing from outside takes", "if [ -n \"$X\" ]; then\nA=4\nelse\nA=8\nfi\nrun $A", "8 default X [4@2]");
    row("a default that adds options", "A=\"--x\"\nif [ -n \"$X\" ]; then A=\"$A --y\"; fi\nrun $A", " default X [--y@2]");
    row("branches", "if [ -f x ]; then\nA=4\nelse\nA=8\nfi\nrun x$A", "x branch A [4@2|8@4]");
    row("a branch without another", "if [ -f x ]; then A=4; fi\nrun $A", " branch A [4@1|@0]");
    row("branches of known values decide", "if [ -f x ]; then A=4; else A=8; fi\nif [ $A -gt 2 ]; then B=1; else B=2; fi\nrun $B", "1");
    row("a default decides", "A=${A:-2}\nif [ $A = 2 ]; then B=1; else B=3; fi\nrun $B", "1 default A [3@2]");
    row("one of two", "[ -f x ] && A=4 || A=8\nrun $A", " branch A [4@1|8@1]");
    row("three branches by tests in a row", "A=1\n[ -f x ] && A=4\n[ -f y ] && A=8\nrun $A", " branch A [8@3|4@2|1@1]");
    row("rounds", "for A in 1 2; do run $A; done", " loop A [1@0|2@0]");
    row("a counter", "i=0\nwhile [ -f x ]; do run $i; ((i++)); done", " loop i []");
    row("an option loop", "A=4\nwhile [[ $# -gt 0 ]]; do case $1 in\n--a) A=$2; shift 2;;\n--b) A=z; shift;;\n*) shift;; esac; done\nrun $A", "4 default 1 [$2@3|z@4]");
    row("options by getopts", "A=x\nwhile getopts z o; do\ncase $o in z) A=y;; esac; done\nrun $A", "x default 1 [y@3]");
    row("options by getopts, with a value", "A=x\nwhile getopts z: o; do\ncase $o in z) A=$OPTARG;; y) A=${1#*=};; esac; done\nrun $A", "x default 1 [$OPTARG@3|${1#*=}@3]");
    row("a default behind an option loop", "while [ $# -gt 0 ]; do\ncase $1 in --z) A=y;; esac; shift; done\nA=${A:-x}\nrun $A", "x default 1 [y@2] default A");
    row("a default by a test behind an option loop", "while [ $# -gt 0 ]; do\ncase $1 in --z) A=y;; esac; shift; done\n[ -z \"$A\" ] && A=x\nrun $A", "x default 1 [y@2]");
    row("a loop that nobody knows", "A=1\nwhile read x; do A=2; done < f\nrun $A", " branch A [2@2|1@1]");
    row("a default of what a branch may set", "if [ -f x ]; then A=4; fi\nrun ${A:-8}", " branch A [4@1|8@2]");
    row("a part of a word", "A=4\nif [ \"$B\" = 1 ]; then A=8; fi\nrun x$A.json", "x4.json default B [x8.json@2]");
    row("computed of a default", "A=4\nif [ \"$B\" = 1 ]; then A=8; fi\n((C=A*2))\nrun $((32/A))$C", "88 default B default B");
    row("computed of two that may come together", "A=4\nC=1\nif [ \"$B\" = 1 ]; then A=8; C=2; fi\nrun $((A*C))", "4 default B default B");
    row("computed with the same result", "A=4\n[ -n \"$B\" ] && A=8\nrun $((A > 2))", "1");
    row("a folder of a default", "A=a/x.json\n[ -n \"$B\" ] && A=b/x.json\nrun $(dirname $A)/y", "a/y default B [b/y@0]");
    row("branches within branches", "A=4\nif [ \"$B\" = 1 ]; then\nif [ \"$C\" = 1 ]; then A=1; else A=2; fi\ncase $D in x|y) A=16;; esac\nfi\nrun $A", "4 default B [16@4|1@3|2@3]");
    row("a script that is told what to do", "case ${1:-a} in a) A=1;; b) A=2;; esac\nrun $A", "1 default 1 [2@1|@0]");
}

void TstShellWords::doubts()
{
    QFETCH(QString, script);
    QFETCH(QString, said);
    const auto read = readShellScript(script.toStdString());
    QVERIFY(read.hasValue());
    const ShellWord& word = read->commands.back().words.back();
    QString all = QString::fromStdString(word.text);
    for (const ShellDoubt& doubt : word.doubts) {
        static const char* const kKinds[]{"outside", "printed", "branch", "loop", "default"};
        all += QStringLiteral(" %1").arg(kKinds[static_cast<int>(doubt.kind)]);
        if (!doubt.name.empty()) all += ' ' + QString::fromStdString(doubt.name);
        QStringList values;
        for (const ShellAlternative& value : doubt.values) values << QStringLiteral("%1@%2").arg(QString::fromStdString(value.text)).arg(value.line);
        if (!values.isEmpty() || doubt.kind == ShellDoubt::Kind::Loop) all += " [" + values.join('|') + ']';
    }
    QCOMPARE(all, said);
}

void TstShellWords::readsHereDocuments()
{
    const auto read = readShellScript("B=4\ncat <<EOF > ds.json\n{\"train_batch_size\": $B}\nEOF\ncat << 'END' > raw.json\n$B\nEND\nrun --line five\n");
    QVERIFY(read.hasValue());
    QCOMPARE(QString::fromStdString(read->files.at("ds.json").text), QString("{\"train_batch_size\": 4}\n"));
    QVERIFY(read->file("./ds.json") != nullptr);
    QVERIFY(read->file("other.json") == nullptr);
    QCOMPARE(QString::fromStdString(read->files.at("raw.json").text), QString("$B\n"));
    QCOMPARE(read->commands.back().words.front().line, 8);
}

void TstShellWords::boundsExpansion()
{
    std::string script = "A=0123456789\n";
    for (int i = 0; i < 60; ++i) script += "A=\"$A$A\"\n";
    QVERIFY(!readShellScript(script + "run $A\n").hasValue());
    // Functions that call each other ever more often.
    std::string calls = "f0() { run a; }\n";
    for (int i = 1; i < 30; ++i) calls += "f" + std::to_string(i) + "() { f" + std::to_string(i - 1) + "; f" + std::to_string(i - 1) + "; }\n";
    QVERIFY(!readShellScript(calls + "f29\n").hasValue());
    std::string loops, branches;
    for (int i = 0; i < 40; ++i) loops += "for i in 1 2; do A=$A$i; ";
    (void)readShellScript(loops);
    for (int i = 0; i < 20'000; ++i) branches += "[ -f x ] && A" + std::to_string(i) + "=\"$A" + std::to_string(i / 2) + " b\"\n";
    (void)readShellScript(branches);
    for (const char* open : {"$((", "$(", "${", "${A:-", "bash -c \"", "eval \"a $(", "( ", "{ ", "if ", "while ", "case a in a) ", "f() { ", "((", "[[ ( ", "[[ ! ", "<<A "}) {
        std::string deep = "run ";
        for (int i = 0; i < 20'000; ++i) deep += open;
        (void)readShellScript(deep);
        for (int i = 0; i < 40'000; ++i) deep += ')';
        (void)readShellScript(deep);
    }
}

QTEST_GUILESS_MAIN(TstShellWords)
#include "tst_shell_words.moc"
