// SPDX-License-Identifier: GPL-3.0-or-later
// `stagecraft check --fix`: what it writes, what it leaves, and where the text and the answer go.
#include "command_line.h"

#include <QJsonArray>
#include <QtTest>

namespace {

// A comment, spacing and number spelling of somebody's own; one deprecated key, one that nothing reads, one that needs a decision.
const QByteArray kOwn = R"({
    // mine
    "train_micro_batch_size_per_gpu" : 2,
    "optimizer": {"type": "AdamW", "params": {"lr": 3.0e-4}},
    "zero_optimization": {"stage": 2, "cpu_offload": true, "allgather_partitions": true, "reduce_bucket_size": 5e8},
    "activation_checkpoint": {"partition_activations": true}
}
)";
const QByteArray kPython = "{\"train_micro_batch_size_per_gpu\": 2, 'optimizer': {\"type\": \"AdamW\"}, \"wall_clock_breakdown\": False,}\n";

}  // namespace

class TstCheckFix : public QObject, stagecraft::test::CommandLine {
    Q_OBJECT

private slots:
    void init() { freshFolder(); }

    void theFileIsMendedAndJudged()
    {
        write("ds.json", kOwn);
        const auto answer = call({"check", "ds.json", "--fix"});
        QCOMPARE(answer.code, 0);
        const QByteArray now = read("ds.json");
        QVERIFY2(!now.contains("allgather_partitions") && !now.contains("cpu_offload\":"), now);
        QVERIFY2(now.contains("// mine\n    \"train_micro_batch_size_per_gpu\" : 2,") && now.contains("3.0e-4") && now.contains("5e8"), now);
        QVERIFY2(now.contains("activation_checkpoint\""), now);   // a guess at what was meant is the user's
        QVERIFY2(answer.out.contains("ds.json:5:60: mended [R25, parse]"), answer.out);
        QVERIFY2(answer.out.contains("warning [R10, parse]") && answer.out.contains("is written"), answer.out);
        // Once more there is nothing to do, and the file is left alone.
        const auto again = call({"check", "ds.json", "--fix"});
        QVERIFY2(again.out.contains("nothing that can be mended"), again.out);
        QCOMPARE(read("ds.json"), now);
    }

    void slipsThatStopTheReaderComeFirst()
    {
        write("ds.json", kPython);
        QCOMPARE(call({"check", "ds.json"}).code, 1);
        const auto answer = call({"check", "ds.json", "--fix", "--out", "mended.json", "--json"});
        QCOMPARE(answer.code, 0);
        QCOMPARE(read("ds.json"), kPython);
        QCOMPARE(read("mended.json"), QByteArray("{\"train_micro_batch_size_per_gpu\": 2, \"optimizer\": {\"type\": \"AdamW\"}, \"wall_clock_breakdown\": false}\n"));
        const QJsonArray mended = answer.json()["mended"].toArray();
        QVERIFY2(mended.size() == 3, answer.out);
        QCOMPARE(mended[1].toObject()["line"].toInt(), 1);
        QCOMPARE(answer.json()["verdict"].toString(), QString("ok"));
    }

    void strictReadersAreMendedFor_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("mended");
        QTest::addColumn<QStringList>("told");   // rules
        const QStringList comment{"text.strict_comment"}, trailing{"text.strict_comma"}, missing{"text.missing"}, strict{"text.strict"};
        QTest::newRow("a comment") << QByteArray("{\n  // mine\n  \"train_batch_size\": 8, # two\n  \"steps_per_print\": 5\n}\n") << QByteArray("{\n  \"train_batch_size\": 8,\n  \"steps_per_print\": 5\n}\n") << comment;
        QTest::newRow("a comma too many") << QByteArray("{\"train_batch_size\": 8,}") << QByteArray("{\"train_batch_size\": 8}") << trailing;
        QTest::newRow("a missing comma") << QByteArray("{\n  \"train_batch_size\": 8\n  \"steps_per_print\": 5\n}") << QByteArray("{\n  \"train_batch_size\": 8,\n  \"steps_per_print\": 5\n}") << missing;
        QTest::newRow("one in a list") << QByteArray("{\"train_batch_size\": 8, \"x\": [\"a\" \"b\"]}") << QByteArray("{\"train_batch_size\": 8, \"x\": [\"a\", \"b\"]}") << missing;
        QTest::newRow("a byte order mark") << QByteArray("\xEF\xBB\xBF{\"train_batch_size\": 8}") << QByteArray("{\"train_batch_size\": 8}") << strict;
        QTest::newRow("all of it") << QByteArray("{train_batch_size: 8, /* of all */ 'x': [1, 2,]\n\"steps_per_print\": 5,}") << QByteArray("{\"train_batch_size\": 8,  \"x\": [1, 2],\n\"steps_per_print\": 5}") << strict + comment + trailing + missing;
        QTest::newRow("a Python dict is told of once") << QByteArray("{'train_batch_size': 8, 'x': {'y': True, 'z': (1, 2)}, 'w': None}") << QByteArray("{\"train_batch_size\": 8, \"x\": {\"y\": true, \"z\": [1, 2]}, \"w\": null}") << strict;
        QTest::newRow("a value that nobody can read is left") << QByteArray("{\"train_batch_size\": 8, // x\n\"x\": lr\n}") << QByteArray("{\"train_batch_size\": 8, // x\n\"x\": lr\n}") << QStringList();
    }

    void strictReadersAreMendedFor()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, mended);
        QFETCH(QStringList, told);
        for (const char* launcher : {"transformers", "accelerate"}) {
            write("ds.json", text);
            const auto before = call({"check", "ds.json", "--launcher", launcher, "--json"}).json()["findings"].toArray();
            QCOMPARE(before.size(), std::max<qsizetype>(told.size(), 1));
            const auto answer = call({"check", "ds.json", "--launcher", launcher, "--fix", "--json"});
            QCOMPARE(read("ds.json"), mended);
            QStringList rules;
            for (const QJsonValue each : answer.json()["mended"].toArray())
                rules << each.toObject()["rule"].toString();
            rules.sort();
            told.sort();
            QCOMPARE(rules, told);
        }
    }

    /// Whatever stops the reader, one call mends where what was meant is plain, for every reader.
    void pastedTextsAreMended_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("mended");
        const QByteArray plain = "{\n  \"train_batch_size\": 8\n}\n";
        QTest::newRow("an assignment") << QByteArray("ds_config = {\n  \"train_batch_size\": 8\n}\n") << plain;
        QTest::newRow("a fence") << QByteArray("```json\n{\n  \"train_batch_size\": 2 * 4\n}\n```\n") << plain;
        QTest::newRow("a bracket too many") << plain + "}\n" << plain;
        QTest::newRow("curly quotes") << QByteArray("{\n  \u201ctrain_batch_size\u201d\uff1a8\n}\n") << QByteArray("{\n  \"train_batch_size\":8\n}\n");
        QTest::newRow("a diff") << QByteArray("{\n-  \"train_batch_size\": 4\n+  \"train_batch_size\": 8\n}\n") << plain;
        QTest::newRow("a semicolon") << QByteArray("{\n  \"train_batch_size\": 8;\n}\n") << plain;
        QTest::newRow("names") << QByteArray("{\"train_batch_size\": auto, \"optimizer\": {\"type\": AdamW}}") << QByteArray("{\"train_batch_size\": \"auto\", \"optimizer\": {\"type\": \"AdamW\"}}");
    }

    void pastedTextsAreMended()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, mended);
        for (const char* launcher : {"deepspeed", "transformers"}) {
            write("ds.json", text);
            QVERIFY(!call({"check", "ds.json", "--launcher", launcher, "--fix", "--json"}).json()["mended"].toArray().isEmpty());
            QCOMPARE(read("ds.json"), mended);
        }
    }

    void whatMendsTheTextIsInTheAnswer()
    {
        QByteArray text = kPython;
        int mended = 0;
        for (bool more = true; more && mended < 10;) {
            write("ds.json", text);
            more = false;
            for (const QJsonValue each : call({"check", "ds.json", "--json"}).json()["findings"].toArray()) {
                const QJsonObject edit = each.toObject()["textFix"].toArray().first().toObject();
                more = each.toObject()["severity"] == "error" && !edit.isEmpty();
                if (!more)
                    continue;
                QVERIFY(each.toObject()["fix"].isNull());
                text.replace(edit["from"].toInt(), edit["to"].toInt() - edit["from"].toInt(), edit["with"].toString().toUtf8());
                ++mended;
                break;
            }
        }
        QVERIFY2(mended == 1, text);   // what is left DeepSpeed reads
        QVERIFY2(text.contains(": false,"), text);
        QCOMPARE(call({"check", "ds.json"}).code, 0);
    }

    void theTextGoesToStandardOutputAlone()
    {
        write("ds.json", kPython);
        const auto answer = call({"check", "ds.json", "--fix", "--out", "-"});
        QVERIFY2(answer.out.startsWith("{\"train_micro") && answer.out.endsWith("false}\n"), answer.out);
        QVERIFY2(answer.err.contains("DeepSpeed 0.19.8 accepts it"), answer.err);
        QCOMPARE(call({"check", "ds.json", "--fix", "--out", "-", "--json"}).code, 2);
        QCOMPARE(call({"check", "ds.json", "--out", "other.json"}).code, 2);   // without --fix there is nothing to write
    }

    void whatCannotBeMendedStays_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("no JSON at all") << QByteArray("train: yes, please");
        QTest::newRow("bytes that are no UTF-8") << QByteArray("{\"a\": \"\xff\"}");
        QTest::newRow("too large") << QByteArray("{\"a\": \"") + QByteArray(3 << 20, 'x') + "\"}";
        QTest::newRow("empty") << QByteArray();
    }

    void whatCannotBeMendedStays()
    {
        QFETCH(QByteArray, text);
        write("ds.json", text);
        QCOMPARE(call({"check", "ds.json", "--fix"}).code, 1);
        QVERIFY(read("ds.json") == text);
    }

    void aFileThatCannotBeWrittenIsAnError()
    {
        write("ds.json", kPython);
        const auto answer = call({"check", "ds.json", "--fix", "--out", "no/such/folder.json"});
        QCOMPARE(answer.code, 2);
        QVERIFY2(answer.err.contains("no/such/folder.json"), answer.err);
    }

    void aWorkspaceIsNotRewritten()
    {
        const QByteArray text = R"({"stagecraft": 1, "model": {"preset": "llama-3-8b"}, "dsConfig": {"train_batch_size": 8, "zero_optimization": {"stage": 2, "cpu_offload": true}}})";
        write("w.json", text);
        const auto answer = call({"check", "w.json", "--fix"});
        QCOMPARE(answer.code, 2);
        QCOMPARE(read("w.json"), text);
    }
};

QTEST_GUILESS_MAIN(TstCheckFix)
#include "tst_check_fix.moc"
