// SPDX-License-Identifier: GPL-3.0-or-later
// What a user can get wrong in a workspace: each is one message that names the place and the way out.
#include "workspace/workspace.h"

#include <QtTest>

#include <random>

using namespace stagecraft;
using nlohmann::json;

namespace {

json base()
{
    return json::parse(R"({"stagecraft": 1, "name": "n",
      "model": {"family": "llama", "hidden": 64, "layers": 2, "heads": 4, "kvHeads": 2, "ffn": 128, "vocab": 256, "seq": 32},
      "data": {"source": "builtin:demo"}, "hardware": {"nodes": 1, "devicesPerNode": 2, "device": "cpu"}, "layout": {"dp": 2},
      "training": {"steps": 10}, "dsConfig": {"train_batch_size": 8}, "launch": {"backend": "local"}, "framework": {"name": "stagecraft"}})");
}

}  // namespace

class TstWorkspaceRefusals : public QObject {
    Q_OBJECT
private slots:
    void oneClearMessage_data()
    {
        QTest::addColumn<QString>("pointer");   // what is changed
        QTest::addColumn<QString>("value");     // to what; empty = removed
        QTest::addColumn<QString>("blamed");    // the pointer in the error
        QTest::addColumn<QString>("says");      // a part of the message
        const auto row = [](const char* name, const char* pointer, const char* value, const char* blamed, const char* says) {
            QTest::newRow(name) << QString(pointer) << QString(value) << QString(blamed) << QString(says);
        };
        row("no version", "/stagecraft", "", "/stagecraft", "missing");
        row("a newer version", "/stagecraft", "2", "/stagecraft", "newer");
        row("a version that is a word", "/stagecraft", "\"1\"", "/stagecraft", "whole number");
        row("no model", "/model", "", "/model", "missing");
        row("a model that is a list", "/model", "[1]", "/model", "object");
        row("an unknown family", "/model/family", "\"bert\"", "/model/family", "\"gpt2\", \"llama\"");
        row("no family", "/model/family", "", "/model/family", "missing");
        row("no hidden", "/model/hidden", "", "/model/hidden", "missing");
        row("hidden as text", "/model/hidden", "\"64\"", "/model/hidden", "whole number");
        row("hidden of 1e300", "/model/hidden", "1e300", "/model/hidden", "from 1 to");
        row("hidden beyond 64 bits", "/model/hidden", "99999999999999999999999", "/model/hidden", "from 1 to");
        row("a fraction of a layer", "/model/layers", "2.5", "/model/layers", "whole number");
        row("negative layers", "/model/layers", "-2", "/model/layers", "from 1 to");
        row("heads not dividing hidden", "/model/heads", "5", "/model/heads", "does not divide hidden 64");
        row("kvHeads not dividing heads", "/model/kvHeads", "3", "/model/kvHeads", "does not divide heads 4");
        row("no heads", "/model/heads", "0", "/model/heads", "from 1 to");
        row("an odd head size", "/model/heads", "64", "/model/heads", "even");
        row("a position table in LLaMA", "/model/positions", "64", "/model/positions", "leave it out");
        row("two forms of model", "/model/params", "1e9", "/model/hidden", "beside");
        row("a preset beside sizes", "/model/preset", "\"gpt2\"", "/model/hidden", "beside");
        row("a folder that is not there", "/model", R"({"hf": "no/such/folder"})", "/model/hf", "config.json");
        row("an unknown preset", "/model", R"({"preset": "llama-9"})", "/model/preset", "llama-3-8b");
        row("a preset that climbs out", "/model", R"({"preset": "../models/gpt2"})", "/model/preset", "use one of");
        row("no parameters", "/model", R"({"params": 0})", "/model/params", "1e16");
        row("parameters as text", "/model", R"({"params": "7B"})", "/model/params", "number");
        row("an empty init", "/model/init", "\"\"", "/model/init", "safetensors");
        row("order of another kind", "/data/order", "\"random\"", "/data/order", "\"shuffled\", \"sequential\"");
        row("all data for validation", "/data/validationFraction", "1.0", "/data/validationFraction", "not including, 1");
        row("a negative fraction", "/data/validationFraction", "-0.1", "/data/validationFraction", "not including, 1");
        row("a negative seed", "/data/seed", "-1", "/data/seed", "from 0");
        row("no source", "/data/source", "\"\"", "/data/source", "builtin:demo");
        row("a source that is a number", "/data/source", "4", "/data/source", "text in quotes");
        row("a source with a zero byte", "/data/source", "\"a\\u0000b\"", "/data/source", "zero character");
        row("no device", "/hardware/devicesPerNode", "0", "/hardware/devicesPerNode", "from 1 to");
        row("layout larger than the hardware", "/layout/dp", "4", "/layout/dp", "4 ranks");
        row("layout smaller than the hardware", "/layout/dp", "1", "/layout/dp", "make the two equal");
        row("tensor parallelism beyond the hardware", "/layout", R"({"tp": 3})", "/layout/tp", "does not divide");
        row("a degree of 1e9", "/layout/tp", "1000000000", "/layout/tp", "from 1 to");
        row("degrees whose product overflows", "/layout", R"({"tp": 1000000, "pp": 1000000, "cp": 1000000, "dp": 1000000})", "/layout/tp", "at most");
        row("experts that do not spread", "/layout/ep", "3", "/layout/ep", "divisor");
        row("an unknown schedule", "/layout/schedule", "\"1f2b\"", "/layout/schedule", "\"1f1b\"");
        row("an unknown recompute", "/layout/recompute", "true", "/layout/recompute", "text in quotes");
        row("no steps", "/training/steps", "0", "/training/steps", "from 1 to");
        row("a truth value as steps", "/training/steps", "true", "/training/steps", "whole number");
        row("epochs beside steps", "/training/epochs", "3", "/training/epochs", "one of the two");
        row("no epochs", "/training", "{\"epochs\": 0}", "/training/epochs", "above 0");
        row("training as a list", "/training", "[]", "/training", "object");
        row("an unknown backend", "/launch/backend", "\"mpi\"", "/launch/backend", "\"openmpi\"");
        row("a hang timeout that never ends", "/launch/hangTimeout", "0", "/launch/hangTimeout", "from 1 to");
        row("a hang timeout in words", "/launch/hangTimeout", "\"long\"", "/launch/hangTimeout", "number");
        row("no threads", "/launch/threadsPerRank", "0", "/launch/threadsPerRank", "from 1 to");
        row("a batch of the Trainer in quotes", "/launch/trainer", R"({"per_device_train_batch_size": "4"})", "/launch/trainer/per_device_train_batch_size", "is \"4\"; use an integer of 1 or more");
        row("a switch of the Trainer in words", "/launch/trainer", R"({"bf16": "yes"})", "/launch/trainer/bf16", "use true or false");
        row("a choice that accelerate does not have", "/launch/trainer", R"({"mixed_precision": "fp64"})", "/launch/trainer/mixed_precision", "use one of");
        row("the Trainer's arguments as a list", "/launch/trainer", "[]", "/launch/trainer", "object");
        row("an unknown framework", "/framework/name", "\"jax\"", "/framework/name", "\"megatron\"");
        row("arguments as text", "/framework/arguments", "\"--x\"", "/framework/arguments", "object");
        row("a ds_config that is a number", "/dsConfig", "5", "/dsConfig", "name of a file");
        row("a ds_config file that is not there", "/dsConfig", "\"no/such.json\"", "/dsConfig", "no/such.json");
    }
    void oneClearMessage()
    {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, blamed);
        QFETCH(QString, says);
        json document = base();
        const json::json_pointer place(pointer.toStdString());
        if (value.isEmpty()) document[place.parent_pointer()].erase(place.back());
        else document[place] = json::parse(value.toStdString());
        const auto read = parseWorkspace(document.dump(1), "/nowhere");
        QVERIFY(!read.hasValue());
        const QString message = QString::fromStdString(read.error().message);
        QVERIFY2(message.startsWith("Cannot use the workspace"), qPrintable(message));
        QVERIFY2(message.contains(says), qPrintable(message));
        QVERIFY(!message.contains('\n'));
        QCOMPARE(QString::fromStdString(read.error().context.at("pointer")), blamed);
    }

    void placesAreThoseOfTheText()
    {
        const auto read = parseWorkspace("{\"stagecraft\": 1,\n \"model\": {\"family\": \"llama\", \"hidden\": 64,\n  \"layers\": \"two\"}}", ".");
        QVERIFY(!read.hasValue());
        QCOMPARE(read.error().context.at("line"), std::string("3"));
        QCOMPARE(read.error().context.at("column"), std::string("13"));
        QVERIFY(read.error().message.find("line 3, column 13") != std::string::npos);
    }

    void brokenJsonHasLineAndColumn()
    {
        const auto read = parseWorkspace("{\n  \"stagecraft\": 1,\n  \"model\": {,}\n}", ".");
        QVERIFY(!read.hasValue());
        QCOMPARE(read.error().code, ErrorCode::InvalidInput);
        QCOMPARE(read.error().context.at("line"), std::string("3"));
        QVERIFY(read.error().message.find("line 3, column") != std::string::npos);
    }

    void keysWrittenTwiceAreRefused()
    {
        const auto read = parseWorkspace(R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": {"train_batch_size": 8, "train_batch_size": 9}})", ".");
        QVERIFY(!read.hasValue());
        QCOMPARE(read.error().context.at("pointer"), std::string("/dsConfig/train_batch_size"));
    }

    /// Damage of every kind to a good document: an answer or an error, never a crash.
    void survivesDamage()
    {
        const std::string good = base().dump(1);
        std::mt19937 random(7);
        const char* const pieces[] = {"[", "{", "\"", "1e300", "-1", "null", "\xff", "99999999999999999999", ",", ":", "\\u0000", "true", "[[[[[[[[", "0.0"};
        for (int round = 0; round < 3000; ++round) {
            std::string text = good;
            for (auto n = 1 + random() % 3; n > 0; --n) {
                const std::size_t at = random() % text.size();
                const std::size_t length = random() % 4;
                text.replace(at, std::min(length, text.size() - at), pieces[random() % 14]);
            }
            const auto read = parseWorkspace(text, "/nowhere");
            QVERIFY(read.hasValue() || !read.error().message.empty());
        }
    }

    void survivesDeepAndLong()
    {
        const std::string deep = std::string(R"({"stagecraft": 1, "model": {"params": 1e9}, "x": )") + std::string(100'000, '[') + std::string(100'000, ']') + "}";
        QVERIFY(!parseWorkspace(deep, ".").hasValue());
        json wide = base();
        for (int i = 0; i < 20'000; ++i) wide["extra"][std::to_string(i)] = i;
        QVERIFY(parseWorkspace(wide.dump(), ".").hasValue());
        wide = base();
        wide["name"] = std::string(1 << 20, 'x');
        QVERIFY(parseWorkspace(wide.dump(), ".").hasValue());
        wide["name"] = json::array({std::string(1 << 20, 'x')});
        QVERIFY(parseWorkspace(wide.dump(), ".").error().message.size() < 500);
    }
};

QTEST_APPLESS_MAIN(TstWorkspaceRefusals)
#include "tst_workspace_refusals.moc"
