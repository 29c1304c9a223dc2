// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/json_edit.h"

#include <nlohmann/json.hpp>

#include <QtTest>

using namespace stagecraft;

class TstJsonEdit : public QObject {
    Q_OBJECT

private slots:
    void editsByPointer_data();
    void editsByPointer();
    void refusesWhatCannotBe_data();
    void refusesWhatCannotBe();
    void appliesPatches_data();
    void appliesPatches();
    void failingTestChangesNothing();
    void anyEditOfAnyDocumentTouchesOnlyItsValue();
    void learnsTheStyleOfTheText();
};

namespace {

JsonDocument parsed(const std::string& text)
{
    Result<JsonDocument> document = JsonDocument::parse(text);
    if (!document.hasValue())
        qFatal("%s in:\n%s", document.error().message.c_str(), text.c_str());
    return std::move(document).value();
}

}  // namespace

void TstJsonEdit::editsByPointer_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* text, const char* op, const char* pointer, const char* value, const char* expected) {
        QTest::newRow(name) << QString::fromUtf8(text) << QString(op) << QString(pointer) << QString(value) << QString::fromUtf8(expected);
    };
    row("set keeps the spelling given", "{\"a\": 1}", "set", "/a", "5e8", "{\"a\": 5e8}");
    row("set keeps comments and blanks", "{\n  \"a\" :  1 , // one\n  b: 2\n}", "set", "/a", "[1, 2]", "{\n  \"a\" :  [1, 2] , // one\n  b: 2\n}");
    row("set re-indents lines", "{\n\t\"a\": 1\n}", "set", "/a", "{\n\t\"x\": 1\n}", "{\n\t\"a\": {\n\t\t\"x\": 1\n\t}\n}");
    row("set over bare text that took the comma", "{\na: NaN,\nb: 1\n}", "set", "/a", "2", "{\na: 2,\nb: 1\n}");
    row("set where only a quote ended the value", "{\"a\": \"x\" \"b\": 1\n}", "set", "/a", "2", "{\"a\": 2, \"b\": 1\n}");
    row("add a member", "{\n    \"a\": 1\n}\n", "set", "/b", "2", "{\n    \"a\": 1,\n    \"b\": 2\n}\n");
    row("add behind a comment", "{\n  \"a\": 1 // one\n}\n", "set", "/b", "2", "{\n  \"a\": 1, // one\n  \"b\": 2\n}\n");
    row("add behind a trailing comma", "{\n  \"a\": 1, // one\n}\n", "set", "/b", "2", "{\n  \"a\": 1, // one\n  \"b\": 2,\n}\n");
    row("add with windows line ends", "{\r\n  \"a\": 1\r\n}\r\n", "set", "/b", "2", "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n");
    row("add to one line", "{\"a\": 1, \"b\": 2}", "set", "/c", "3", "{\"a\": 1, \"b\": 2, \"c\": 3}");
    row("add to a dense line", "{\"a\":1,\"b\":2}", "set", "/c", "3", "{\"a\":1,\"b\":2,\"c\":3}");
    row("add to an inline object in a spread text", "{\n  \"bf16\": { \"enabled\": true },\n  \"x\": 1\n}", "set", "/bf16/y", "1",
        "{\n  \"bf16\": { \"enabled\": true, \"y\": 1 },\n  \"x\": 1\n}");
    row("add a section to an inline object", "{\n  \"z\": { \"stage\": 2 },\n  \"x\": 1\n}", "set", "/z/offload/device", "\"cpu\"",
        "{\n  \"z\": { \"stage\": 2, \"offload\": {\"device\": \"cpu\"} },\n  \"x\": 1\n}");
    row("add with missing sections", "{\n  \"a\": 1\n}\n", "set", "/z/offload/device", "\"cpu\"",
        "{\n  \"a\": 1,\n  \"z\": {\n    \"offload\": {\n      \"device\": \"cpu\"\n    }\n  }\n}\n");
    row("add to an empty object", "{\n  \"z\": {}\n}", "set", "/z/stage", "2", "{\n  \"z\": {\n    \"stage\": 2\n  }\n}");
    row("add to an empty config", "{}", "set", "/a", "1", "{\n  \"a\": 1\n}");
    row("add to an empty file", "", "set", "/a", "1", "{\n  \"a\": 1\n}\n");
    row("add to an object that holds a comment", "{\n  // nothing yet\n}", "set", "/a", "1", "{\n  // nothing yet\n  \"a\": 1\n}");
    row("add where braces are missing", "a: 1\nb: x\n", "set", "/c", "3", "a: 1\nb: x\n\"c\": 3\n");
    row("insert into a list", "{\"a\": [1, 3]}", "insert", "/a/1", "2", "{\"a\": [1, 2, 3]}");
    row("append to a list", "{\"a\": [1, 3]}", "insert", "/a/-", "4", "{\"a\": [1, 3, 4]}");
    row("insert first into a spread list", "{\n  \"a\": [\n    2\n  ]\n}", "insert", "/a/0", "1", "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
    row("remove a middle line", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "remove", "/b", "", "{\n  \"a\": 1,\n  \"c\": 3\n}");
    row("remove keeps what is said behind it", "{\n  \"a\": 1,\n  \"b\": 2, // two\n  \"c\": 3\n}", "remove", "/b", "", "{\n  \"a\": 1,\n  // two\n  \"c\": 3\n}");
    row("remove keeps several comments", "{\r\n\t\"b\": 2, /* two */ # or 3\r\n\t\"c\": 3\r\n}", "remove", "/b", "", "{\r\n\t/* two */ # or 3\r\n\t\"c\": 3\r\n}");
    row("remove the last keeps what is said behind it", "{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}", "remove", "/b", "", "{\n  \"a\": 1 // one\n  // two\n}");
    row("remove keeps what stands between", "{\n  \"a\": 1, /* one */ \"b\": 2,\n}", "remove", "/b", "", "{\n  \"a\": 1 /* one */ ,\n}");
    row("remove the last line takes the comma before", "{\n  \"a\": 1, // one\n  \"b\": 2\n}", "remove", "/b", "", "{\n  \"a\": 1 // one\n}");
    row("remove the last line of a trailing comma", "{\n  \"a\": 1,\n  \"b\": 2,\n}", "remove", "/b", "", "{\n  \"a\": 1,\n}");
    row("remove the only member", "{\n  \"z\": {\n    \"a\": 1\n  }\n}", "remove", "/z/a", "", "{\n  \"z\": {}\n}");
    row("remove inline first", "{\"a\": 1, \"b\": 2}", "remove", "/a", "", "{\"b\": 2}");
    row("remove inline last", "{\"a\": 1, \"b\": 2}", "remove", "/b", "", "{\"a\": 1}");
    row("remove inline only", "{ \"a\": 1 }", "remove", "/a", "", "{}");
    row("remove keeps a comment of its own line", "{\n  // about a\n  \"a\": 1,\n  \"b\": 2\n}", "remove", "/a", "", "{\n  // about a\n  \"b\": 2\n}");
    row("remove an object over lines", "{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": 2\n}", "remove", "/a", "", "{\n  \"b\": 2\n}");
    row("remove from a list", "[1, 2, 3]", "remove", "/1", "", "[1, 3]");
    row("remove the last without braces", "a: 1\nb: 2\n", "remove", "/b", "", "a: 1\n");
    row("rename", "{\"a\": {\"x\": 1}, \"b\": 2}", "rename", "/a", "zero", "{\"zero\": {\"x\": 1}, \"b\": 2}");
    row("rename keeps a bare key bare", "{a: 1}", "rename", "/a", "b_2", "{b_2: 1}");
    row("rename quotes what needs it", "{a: 1}", "rename", "/a", "b 2", "{\"b 2\": 1}");
}

void TstJsonEdit::editsByPointer()
{
    QFETCH(QString, text);
    QFETCH(QString, op);
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, expected);
    const JsonDocument document = parsed(text.toStdString());
    const std::string at = pointer.toStdString(), what = value.toStdString();
    const Result<TextEdit> edit = op == "set" ? setEdit(document, at, what)
        : op == "insert" ? insertEdit(document, at, what)
        : op == "rename" ? renameEdit(document, at, what)
                         : removeEdit(document, at);
    QVERIFY2(edit.hasValue(), edit.hasValue() ? "" : edit.error().message.c_str());
    QCOMPARE(QString::fromStdString(applyEdits(document.text(), {*edit})), expected);
}

void TstJsonEdit::refusesWhatCannotBe_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, const char* op, const char* pointer, const char* value, ErrorCode code) {
        QTest::newRow(name) << QString(op) << QString(pointer) << QString(value) << static_cast<int>(code);
    };
    row("broken value", "set", "/a", "{", ErrorCode::InvalidArgument);
    row("relaxed value", "set", "/a", "True", ErrorCode::InvalidArgument);
    row("no pointer", "set", "a", "1", ErrorCode::InvalidArgument);
    row("below a number", "set", "/a/x", "1", ErrorCode::Refused);
    row("far element", "set", "/l/9", "1", ErrorCode::InvalidArgument);
    row("remove nothing", "remove", "/q", "", ErrorCode::NotFound);
    row("remove everything", "remove", "", "", ErrorCode::Refused);
    row("rename to a sibling", "rename", "/a", "l", ErrorCode::Refused);
    row("rename an element", "rename", "/l/0", "x", ErrorCode::Refused);
}

void TstJsonEdit::refusesWhatCannotBe()
{
    QFETCH(QString, op);
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(int, code);
    const JsonDocument document = parsed("{\"a\": 1, \"l\": [1, 2]}");
    const std::string at = pointer.toStdString(), what = value.toStdString();
    const Result<TextEdit> edit = op == "set" ? setEdit(document, at, what) : op == "rename" ? renameEdit(document, at, what) : removeEdit(document, at);
    QVERIFY(!edit.hasValue());
    QCOMPARE(static_cast<int>(edit.error().code), code);
}

void TstJsonEdit::appliesPatches_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a misspelt key is renamed in its place")
        << QString("{\n  \"reduce_buket_size\": 5e8, // big\n  \"b\": 1\n}")
        << QString(R"([{"op": "move", "from": "/reduce_buket_size", "path": "/reduce_bucket_size"}])")
        << QString("{\n  \"reduce_bucket_size\": 5e8, // big\n  \"b\": 1\n}");
    QTest::newRow("a section moves out, spelling kept")
        << QString("{\n  \"zero\": {\n    \"stage\": 3,\n    \"aio\": {\n      \"block_size\": 1e6\n    }\n  }\n}")
        << QString(R"([{"op": "move", "from": "/zero/aio", "path": "/aio"}])")
        << QString("{\n  \"zero\": {\n    \"stage\": 3\n  },\n  \"aio\": {\n    \"block_size\": 1e6\n  }\n}");
    const QString out = R"([{"op": "move", "from": "/zero/clip", "path": "/clip"}])", in = R"([{"op": "move", "from": "/clip", "path": "/zero/clip"}])";
    QTest::newRow("the comment on its line goes along") << "{\n  \"zero\": {\n    \"stage\": 3,\n    \"clip\": 0.5 // tried 1.0\n  },\n  \"a\": 1\n}" << out
                                                        << "{\n  \"zero\": {\n    \"stage\": 3\n  },\n  \"a\": 1,\n  \"clip\": 0.5 // tried 1.0\n}";
    QTest::newRow("the comment goes along before others") << "{\n  \"clip\": 0.5, # tried 1.0\n  \"zero\": {\n    \"stage\": 3 // all\n  }\n}" << in
                                                          << "{\n  \"zero\": {\n    \"stage\": 3, // all\n    \"clip\": 0.5 # tried 1.0\n  }\n}";
    QTest::newRow("the comment ends on a line that goes on") << "{\n  \"clip\": 0.5, // tried */ 1.0\n  \"zero\": {\"stage\": 3}\n}" << in << "{\n  \"zero\": {\"stage\": 3, \"clip\": 0.5 /* tried * / 1.0 */}\n}";
    QTest::newRow("a comment of more than the key stays") << "{\n  \"a\": 1, \"clip\": 0.5, // both\n  \"zero\": {\"stage\": 3}\n}" << in << "{\n  \"a\": 1,  // both\n  \"zero\": {\"stage\": 3, \"clip\": 0.5}\n}";
    QTest::newRow("a comment above the key stays") << "{\n  // about clipping\n  \"clip\": 0.5,\n  \"zero\": {\"stage\": 3}\n}" << in << "{\n  // about clipping\n  \"zero\": {\"stage\": 3, \"clip\": 0.5}\n}";
    const QString number = R"([{"op": "replace", "path": "/lr", "value": 0.0001}])";
    QTest::newRow("a number out of a text keeps its digits") << "{\"lr\": \"1e-4\"}" << number << "{\"lr\": 1e-4}";
    QTest::newRow("not those that JSON does not have") << "{\"lr\": \"+1e-4\"}" << number << "{\"lr\": 0.0001}";
    QTest::newRow("nor those of another number") << "{\"lr\": \"1e-3\"}" << number << "{\"lr\": 0.0001}";
    QTest::newRow("nor a float where a whole number is meant") << "{\"n\": \"5e8\"}" << R"([{"op": "replace", "path": "/n", "value": 500000000}])" << "{\"n\": 500000000}";
    const QString offload = R"([{"op": "remove", "path": "/z/cpu_offload"}, {"op": "add", "path": "/z/offload_optimizer", "value": {"device": "cpu", "list": [{"a": 1}]}}])";
    QTest::newRow("a section joins the line of its parent") << "{\n  \"z\": {\"stage\": 2, \"cpu_offload\": true},\n  \"b\": 1\n}" << offload
                                                            << "{\n  \"z\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\", \"list\": [{\"a\": 1}]}},\n  \"b\": 1\n}";
    QTest::newRow("however long that is") << "{\n  \"z\": {\"stage\": 2, \"cpu_offload\": true, \"nvme_path_of_the_old_machine_that_nobody_has_any_more\": \"/mnt/nvme0/offload/of/a/training/run\"},\n  \"b\": 1\n}"
                                          << R"([{"op": "add", "path": "/z/a/b", "value": {"c": 1, "d": 2}}])"
                                          << "{\n  \"z\": {\"stage\": 2, \"cpu_offload\": true, \"nvme_path_of_the_old_machine_that_nobody_has_any_more\": \"/mnt/nvme0/offload/of/a/training/run\", \"a\": {\"b\": {\"c\": 1, \"d\": 2}}},\n  \"b\": 1\n}";
    QTest::newRow("on a single line") << R"({"z": {"cpu_offload": true}})" << offload << R"({"z": {"offload_optimizer": {"device": "cpu", "list": [{"a": 1}]}}})";
    QTest::newRow("in the place of a value on one") << R"({"z": true})" << R"([{"op": "replace", "path": "/z", "value": {"stage": 1, "x": 2}}])" << R"({"z": {"stage": 1, "x": 2}})";
    QTest::newRow("and has lines of its own where its parent has") << "{\n  \"z\": {\n    \"cpu_offload\": true,\n    \"stage\": 2\n  }\n}" << R"([{"op": "replace", "path": "/z/cpu_offload", "value": {"a": 1}}])"
                                                                   << "{\n  \"z\": {\n    \"cpu_offload\": {\n      \"a\": 1\n    },\n    \"stage\": 2\n  }\n}";
    QTest::newRow("with the steps of the file, what it is first") << "{\n    \"a\": 1,\n    \"z\": {\"b\": 2}\n}" << R"([{"op": "add", "path": "/optimizer", "value": {"type": "AdamW", "params": {"lr": 1e-5, "betas": [0.9, 0.95]}}}])"
                                                                  << "{\n    \"a\": 1,\n    \"z\": {\"b\": 2},\n    \"optimizer\": {\n        \"type\": \"AdamW\",\n        \"params\": {\n            \"betas\": [0.9, 0.95],\n            \"lr\": 1e-5\n        }\n    }\n}";
    QTest::newRow("on one line, too") << R"({"a": 1})" << R"([{"op": "add", "path": "/optimizer", "value": {"params": {}, "type": "AdamW"}}])" << R"({"a": 1, "optimizer": {"type": "AdamW", "params": {}}})";
    QTest::newRow("several steps")
        << QString("{\"a\": 1, \"b\": [1, 2]}")
        << QString(R"([{"op": "test", "path": "/a", "value": 1}, {"op": "replace", "path": "/a", "value": true}, {"op": "add", "path": "/b/0", "value": 0}, {"op": "remove", "path": "/b/2"}, {"op": "copy", "from": "/b", "path": "/c"}])")
        << QString("{\"a\": true, \"b\": [0, 1], \"c\": [0, 1]}");
}

void TstJsonEdit::appliesPatches()
{
    QFETCH(QString, text);
    QFETCH(QString, patch);
    QFETCH(QString, expected);
    const JsonDocument document = parsed(text.toStdString());
    const auto edits = patchEdits(document, nlohmann::json::parse(patch.toStdString()));
    QVERIFY2(edits.hasValue(), edits.hasValue() ? "" : edits.error().message.c_str());
    QCOMPARE(QString::fromStdString(applyEdits(document.text(), *edits)), expected);
}

void TstJsonEdit::failingTestChangesNothing()
{
    const JsonDocument document = parsed("{\"a\": 1}");
    const auto edits = patchEdits(document, nlohmann::json::parse(R"([{"op":"replace","path":"/a","value":2},{"op":"test","path":"/a","value":1}])"));
    QVERIFY(!edits.hasValue());
    QCOMPARE(edits.error().code, ErrorCode::Refused);
    for (const char* broken : {"{}", "[1]", R"([{"op":"add","path":"/a"}])", R"([{"op":"fly","path":"/a"}])", R"([{"op":"move","path":"/a"}])"})
        QCOMPARE(patchEdits(document, nlohmann::json::parse(broken)).error().code, ErrorCode::InvalidArgument);
}

namespace {

/// Writes random values in random layouts: comments, blanks, trailing commas, unquoted keys, three kinds of line ends.
class Author {
public:
    explicit Author(quint32 seed) : m_random(seed)
    {
        m_newline = pick({"\n", "\r\n"});
        m_unit = pick({"  ", "    ", "\t", ""});
        m_relaxed = m_random.bounded(2) == 0;
    }
    std::string document() { return value(0, true) + (m_random.bounded(2) ? m_newline : ""); }
    QRandomGenerator& random() { return m_random; }
    bool relaxed() const { return m_relaxed; }

private:
    std::string pick(std::initializer_list<const char*> of) { return *(of.begin() + m_random.bounded(static_cast<int>(of.size()))); }
    std::string gap() { return pick({"", " ", " ", " ", "  "}); }
    std::string comment() { return m_relaxed && m_random.bounded(5) == 0 ? pick({" // note, {", " # note: \"", " /* in */"}) : ""; }

    std::string value(int depth, bool container)
    {
        if (!container && (depth > 3 || m_random.bounded(3)))
            return pick({"1", "-2.50", "5e8", "true", "null", "\"text\"", "\"a, } \\\" é\"", "[]", "{}", "0"});
        const bool object = depth == 0 || m_random.bounded(3);
        const bool spread = m_random.bounded(3) > 0;
        std::string outer, inner;
        for (int i = 0; i < depth; ++i) outer += m_unit;
        inner = outer + m_unit;
        std::string text = object ? "{" : "[";
        const int count = m_random.bounded(5);
        for (int i = 0; i < count; ++i) {
            text += spread ? m_newline + inner : gap();
            if (object) {
                const std::string name = pick({"stage", "a", "b", "key"}) + std::to_string(i);
                text += (m_relaxed && m_random.bounded(4) == 0 ? name : "\"" + name + "\"") + gap() + ":" + gap();
            }
            text += value(depth + 1, false);
            const bool last = i + 1 == count;
            if (!last || (m_relaxed && m_random.bounded(4) == 0))
                text += ",";
            if (spread)
                text += comment();
        }
        if (count && spread)
            text += m_newline + outer;
        return text + (object ? "}" : "]");
    }

    QRandomGenerator m_random;
    std::string m_newline, m_unit;
    bool m_relaxed = false;
};

int commentsIn(const std::string& text)
{
    int count = 0;
    for (const char* comment : {"// note, {", "# note: \"", "/* in */"})
        for (std::size_t at = text.find(comment); at != std::string::npos; at = text.find(comment, at + 1))
            ++count;
    return count;
}

}  // namespace

void TstJsonEdit::anyEditOfAnyDocumentTouchesOnlyItsValue()
{
    const quint32 seed = QRandomGenerator::global()->generate();
    qInfo("seed %u", seed);
    for (quint32 round = 0; round < 1500; ++round) {
        Author author(seed + round);
        const std::string text = author.document();
        const JsonDocument document = parsed(text);
        const nlohmann::json before = document.toJson();
        const std::string context = "seed " + std::to_string(seed + round) + "\n" + text;
        for (int id = 0; id < static_cast<int>(document.nodes().size()); ++id) {
            const std::string pointer = document.pointerOf(id);
            const JsonNode& node = document.node(id);
            const nlohmann::json::json_pointer at(pointer);

            const Result<TextEdit> set = setEdit(document, pointer, "{\"new\": [1, 2e3]}");
            QVERIFY2(set.hasValue(), context.c_str());
            QVERIFY2(set->begin == node.begin && set->end == node.end, context.c_str());
            const JsonDocument afterSet = parsed(applyEdits(text, {*set}));
            nlohmann::json expected = before;
            expected[at] = nlohmann::json::parse("{\"new\": [1, 2e3]}");
            QVERIFY2(afterSet.toJson() == expected, (context + "\nset " + pointer + "\n" + afterSet.text()).c_str());

            if (node.kind == JsonKind::Object || node.kind == JsonKind::Array) {
                const std::string added = pointer + (node.kind == JsonKind::Object ? "/new" : "/0");
                const Result<TextEdit> insert = insertEdit(document, added, "{\n  \"x\": 1\n}");
                QVERIFY2(insert.hasValue(), context.c_str());
                const JsonDocument afterInsert = parsed(applyEdits(text, {*insert}));
                nlohmann::json patched = before.patch({{{"op", "add"}, {"path", added}, {"value", {{"x", 1}}}}});
                QVERIFY2(afterInsert.toJson() == patched, (context + "\ninsert " + added + "\n" + afterInsert.text()).c_str());
                QVERIFY2(commentsIn(afterInsert.text()) == commentsIn(text), context.c_str());
                if (!author.relaxed())
                    QVERIFY2(JsonDocument::parse(afterInsert.text(), JsonSyntax::Strict).hasValue(), (context + "\n" + afterInsert.text()).c_str());
            }
            if (id == 0)
                continue;
            const Result<TextEdit> remove = removeEdit(document, pointer);
            QVERIFY2(remove.hasValue(), context.c_str());
            const JsonDocument afterRemove = parsed(applyEdits(text, {*remove}));
            const nlohmann::json patched = before.patch({{{"op", "remove"}, {"path", pointer}}});
            QVERIFY2(afterRemove.toJson() == patched, (context + "\nremove " + pointer + "\n" + afterRemove.text()).c_str());
            const std::size_t start = node.keyEnd > node.keyBegin ? node.keyBegin : node.begin, tail = node.comma ? node.comma + 1u : node.end;
            QVERIFY2(commentsIn(afterRemove.text()) == commentsIn(text) - commentsIn(text.substr(start, tail - start)), (context + "\nremove " + pointer + "\n" + afterRemove.text()).c_str());
            if (!author.relaxed())
                QVERIFY2(JsonDocument::parse(afterRemove.text(), JsonSyntax::Strict).hasValue(), (context + "\n" + afterRemove.text()).c_str());
        }
    }
}

void TstJsonEdit::learnsTheStyleOfTheText()
{
    QCOMPARE(styleOf(parsed("{\r\n\t\"a\": 1\r\n}")).newline, std::string("\r\n"));
    QCOMPARE(styleOf(parsed("{\r\n\t\"a\": 1\r\n}")).indent, std::string("\t"));
    QCOMPARE(styleOf(parsed("{\"a\": {\n    \"b\": 1}}")).indent, std::string("    "));
    QVERIFY(styleOf(parsed("{\"a\": 1}")).singleLine);
    QVERIFY(!styleOf(parsed("{\n\"a\": 1}")).singleLine);
}

QTEST_GUILESS_MAIN(TstJsonEdit)
#include "tst_json_edit.moc"
