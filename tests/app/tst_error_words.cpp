// SPDX-License-Identifier: GPL-3.0-or-later
// Why the core refuses something, in the window's language: errors of workspaces, models and of every reader of JSON.
#include "app/core_errors.h"
#include "app/translations.h"

#include "base/json_text.h"
#include "config/engine_config.h"
#include "config/json_document.h"
#include "model/hf_config.h"
#include "model/parameter_table.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

bool hasHan(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
}

}  // namespace

class TstErrorWords : public QObject {
    Q_OBJECT
private slots:
    void errorsSpeakBothLanguages_data();
    void errorsSpeakBothLanguages();
    void everyJsonErrorSpeaksChinese();
    void partsOfErrorsAreTold();

private:
    Translations m_translations{nullptr};
    QTemporaryDir m_folder;
};

void TstErrorWords::errorsSpeakBothLanguages_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("kept");
    const auto row = [](const char* name, const QByteArray& text, const char* kept) { QTest::newRow(name) << text << QString::fromLatin1(kept); };
    const auto with = [](const char* more) { return QByteArray(R"({"stagecraft": 1, "model": {"preset": "llama-3-8b"})") + more + "}"; };
    row("no object", "[]", "stagecraft");
    row("no version", "{}", "\"stagecraft\": 1");
    row("a newer version", R"({"stagecraft": 2, "model": {"preset": "llama-3-8b"}})", "2");
    row("no model", R"({"stagecraft": 1})", "\"preset\"");
    row("a wrong type", with(R"(, "training": {"steps": "many"})"), "\"training.steps\"");
    row("below its range", with(R"(, "training": {"steps": -1})"), "-1");
    row("not one of the words", with(R"(, "layout": {"recompute": "some"})"), "\"selective\"");
    row("no object where one belongs", with(R"(, "layout": 3)"), "\"layout\"");
    row("heads", R"({"stagecraft": 1, "model": {"family": "gpt2", "hidden": 100, "layers": 1, "heads": 3, "vocab": 10, "seq": 8}})", "100");
    row("a size is missing", R"({"stagecraft": 1, "model": {"family": "gpt2", "hidden": 100}})", "\"model.layers\"");
    row("no family", R"({"stagecraft": 1, "model": {"hidden": 100}})", "\"llama\"");
    row("two forms", R"({"stagecraft": 1, "model": {"params": 1e9, "preset": "llama-3-8b"}})", "\"model.preset\"");
    row("an unknown preset", R"({"stagecraft": 1, "model": {"preset": "none"}})", "llama-3-8b");
    row("no folder", R"({"stagecraft": 1, "model": {"hf": "nowhere"}})", "nowhere");
    row("too few parameters", R"({"stagecraft": 1, "model": {"params": 0}})", "1e16");
    row("ranks and devices", with(R"(, "hardware": {"devicesPerNode": 8}, "layout": {"dp": 3})"), "dp 3");
    row("ranks and nodes", with(R"(, "hardware": {"nodes": 2, "devicesPerNode": 4}, "layout": {"tp": 3})"), "3");
    row("experts", with(R"(, "hardware": {"devicesPerNode": 8}, "layout": {"dp": 8, "ep": 3})"), "8");
    row("epochs beside steps", with(R"(, "training": {"steps": 5, "epochs": 1})"), "\"training.epochs\"");
    row("hang timeout", with(R"(, "launch": {"hangTimeout": 0})"), "\"launch.hangTimeout\"");
    row("a number in quotes", with(R"(, "launch": {"trainer": {"per_device_train_batch_size": "4"}})"), "\"launch.trainer.per_device_train_batch_size\"");
    row("a switch in words", with(R"(, "launch": {"trainer": {"bf16": "yes"}})"), "\"launch.trainer.bf16\"");
    row("a rate in quotes", with(R"(, "launch": {"trainer": {"warmup_steps": "1e-4"}})"), "\"launch.trainer.warmup_steps\"");
    row("a stage below 0", with(R"(, "launch": {"trainer": {"zero_stage": -1}})"), "\"launch.trainer.zero_stage\"");
    row("a choice that is none", with(R"(, "launch": {"trainer": {"mixed_precision": "fp64"}})"), "\"launch.trainer.mixed_precision\"");
    row("no ds_config file", with(R"(, "dsConfig": "none.json")"), "none.json");
    row("no ds_config at all", with(R"(, "dsConfig": 5)"), "5");
    row("a missing comma", R"({"stagecraft": 1 "model": {}})", "1 \"model\"");
    row("an open object", "{\"stagecraft\": 1", "'}'");
    row("an open text", "{\"stagecraft", "1");
    row("no value", "{\"stagecraft\": ", "1");
    row("Python's spelling", "{\"stagecraft\": True}", "True");
}

void TstErrorWords::errorsSpeakBothLanguages()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, kept);
    std::optional<Error> error;
    if (const auto read = JsonDocument::parse(text.toStdString()); !read.hasValue())
        error = read.error();
    else if (const auto workspace = parseWorkspace(text.toStdString(), m_folder.path().toStdString()); !workspace.hasValue())
        error = workspace.error();
    QVERIFY(error);
    m_translations.apply(Language::English);
    // Advice for a terminal is put in a window's own words.
    if (error->message.find("--") == std::string::npos)
        QCOMPARE(errorText(*error), QString::fromStdString(error->message));
    m_translations.apply(Language::SimplifiedChinese);
    const QString chinese = errorText(*error);
    m_translations.apply(Language::English);
    // Only names, values and keys stay as they are; no English sentence is left between them.
    static const QRegularExpression english(QStringLiteral("\\b(use|is|must|give|which|found|expected|missing|the)\\b"));
    QVERIFY2(hasHan(chinese) && !chinese.contains(english), qPrintable(chinese + QStringLiteral(" <- ") + QString::fromStdString(error->message)));
    QVERIFY2(chinese.contains(kept), qPrintable(chinese));
}

void TstErrorWords::everyJsonErrorSpeaksChinese()
{
    // Whatever a slip of the keyboard makes of a document, at every place of it, in each of the readers.
    static const std::string kDocument = "{\"a\": [1, -2.5e3, \"t\\n\"],\n \"b\": {\"c\": true}, \"d\": null}\n";
    const std::vector<std::string> slips = {"", "/", "//", "#", "/*", "/* */", "'", "'''", "\"", "\\", "\\u12", "\\ud800", "\\udc00", "\\x", "\\'", std::string(1, '\0'), "\x01", "\t", "\r", "\n", "NaN", "True", "abc",
                                           "x:", "{", "}", "[", "]", ",", ":", "-", "1.", "1e", "1e+", "1e999", "\xff", "\xef\xbb\xbf", "\xef\xbb", "\"a\": 1, ", "{\"a\": 1, \"a\": 2}"};
    std::map<QString, std::string> seen;   // one a kind of sentence: what is quoted and counted in it is left out
    static const QRegularExpression values(QStringLiteral("'[^']*'|\"[^\"]*\"|[0-9]+"));
    std::set<std::string> ids;
    const auto note = [&](const Error& error) {
        if (const auto id = error.context.find("id"); id != error.context.end())
            ids.insert(id->second);
        seen.emplace(QString::fromStdString(error.message).replace(values, QStringLiteral("_")), error.message);
    };
    const auto look = [&](const std::string& text) {
        for (const JsonSyntax syntax : {JsonSyntax::Strict, JsonSyntax::Relaxed})
            if (const auto read = JsonDocument::parse(text, syntax); !read.hasValue())
                note(read.error());
        if (const auto read = parseJson(text); !read.hasValue())
            note(read.error());
    };
    for (std::size_t at = 0; at <= kDocument.size(); ++at) {
        look(kDocument.substr(0, at));
        for (const std::string& slip : slips) {
            look(kDocument.substr(0, at) + slip + kDocument.substr(at));
            look(kDocument.substr(0, at) + slip + kDocument.substr(std::min(at + 1, kDocument.size())));
        }
    }
    look("\xef\xbb\xbf");
    look("[\"" + std::string(300, 'x'));
    for (int control = 0; control < 0x20; ++control)
        look("[\"" + std::string(1, static_cast<char>(control)) + "\"]");
    for (const JsonLimits& limits : {JsonLimits{4, 100, 100}, JsonLimits{100, 2, 100}, JsonLimits{100, 100, 2}})
        if (const auto read = JsonDocument::parse("[[1, 2, [3]]]", JsonSyntax::Strict, limits); !read.hasValue())
            note(read.error());
    for (const ParseLimits& limits : {ParseLimits{4, 100}, ParseLimits{100, 1}})
        if (const auto read = parseJson("[[1, 2, [3]]]", limits); !read.hasValue())
            note(read.error());
    for (const char* id : {"json.bytes", "json.colon", "json.comma", "json.comment", "json.control", "json.depth", "json.empty", "json.escape", "json.extra", "json.key", "json.mismatch", "json.strict", "json.string",
                           "json.swallowed", "json.unclosed", "json.utf8", "json.value", "json.values"})
        QVERIFY2(ids.contains(id), id);
    QVERIFY(seen.size() > 60);

    // No word is left but what is quoted, and the names of things.
    static const QRegularExpression quoted(QStringLiteral("'.*'|\".*\"|\\(.*\\)|（.*）|<U\\+[0-9A-F]+>|\\\\[a-z]|U\\+[0-9A-F]+( \\([A-Z0-9]+\\))?|0x[0-9A-F]+"));
    static const QRegularExpression word(QStringLiteral("[A-Za-z]{2,}"));
    const QStringList names = {"JSON", "UTF", "BOM", "NaN", "Python", "true", "false", "null"};
    QStringList english;
    m_translations.apply(Language::SimplifiedChinese);
    for (const auto& [kind, message] : seen) {
        const QString chinese = errorText(message);
        QString bare = QString(chinese).remove(quoted);
        for (const QString& name : names)
            bare.remove(name);
        if (!hasHan(chinese) || bare.contains(word))
            english << QString::fromStdString(message) + QStringLiteral(" -> ") + chinese;
    }
    m_translations.apply(Language::English);
    QVERIFY2(english.isEmpty(), qPrintable(english.join(QLatin1Char('\n'))));
}

void TstErrorWords::partsOfErrorsAreTold()
{
    m_translations.apply(Language::SimplifiedChinese);
    // Models that cannot be counted, or trained by our engine; the ds_config as our engine reads it.
    const auto counts = countParameters(nlohmann::json{{"model_type", "alien"}});
    QVERIFY(!counts.hasValue());
    const auto spec = modelSpecFromHuggingFace(nlohmann::json{{"model_type", "bert"}});
    QVERIFY(!spec.hasValue());
    const auto engine = resolveForEngine(nlohmann::json::parse(R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 9}})"), 1);
    QVERIFY(!engine.hasValue());
    const auto batch = resolveForEngine(nlohmann::json::parse(R"({"train_batch_size": 7, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 1})"), 2);
    QVERIFY(!batch.hasValue());
    for (const std::string& message : {counts.error().message, spec.error().message, engine.error().message, batch.error().message,
                                       std::string("The workspace gives only a number of parameters, for arithmetic on memory; training needs the model's sizes.")})
        QVERIFY2(hasHan(errorText(message)), message.c_str());
    // The full stop ends the sentence, in the language's own place and form; no value keeps it.
    const auto heads = parseWorkspace(R"({"stagecraft": 1, "model": {"family": "llama", "hidden": 4096, "layers": 2, "heads": 7, "ffn": 64, "vocab": 64, "seq": 8}})", m_folder.path().toStdString());
    QVERIFY(!heads.hasValue());
    const QString divisor = errorText(heads.error());
    QVERIFY2(divisor.contains(QStringLiteral("应为 4096 的约数")) && divisor.endsWith(QStringLiteral("。")), qPrintable(divisor));
    // What is not known stays as it is, and what stands in a sentence is no pattern.
    QCOMPARE(errorText(std::string("Never said before.")), QStringLiteral("Never said before."));
    QVERIFY(errorText(std::string("\"%2\" is \"%1\"; use a number")).contains(QStringLiteral("\"%1\"")));
    m_translations.apply(Language::English);
}

QTEST_MAIN(TstErrorWords)
#include "tst_error_words.moc"
