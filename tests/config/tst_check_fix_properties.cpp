// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every fix of every listing, over the samples and over every other name of a setting at every place it is written: applied alone it
// takes its finding away, brings no error or warning of its own and loses nothing; a safe one changes nothing that DeepSpeed would do; applied one
// after the other, those of one listing lose nothing that the file says.
#include "patched_config.h"
#include "verdict_rows.h"
#include "config/config_value.h"
#include "config/hjson_reader.h"
#include "config/key_catalog.h"
#include "config/present_form.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

std::filesystem::path source() { return qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString(); }

struct Case {
    std::string id;
    Json config;
    CheckContext context;
};

/// How far DeepSpeed gets, as the product tells it: the engine is built, then a pipeline's own rules speak, then the first steps run, and both ends of that are
/// refused as "engine". A fix that trades one refusal of these for another takes nobody back.
int reach(const CheckAnswer& answer) { return answer.level.has_value() ? static_cast<int>(std::min(*answer.level, CheckLevel::Engine)) : 4; }

bool within(const std::string& pointer, const std::string& section) { return pointer == section || pointer.starts_with(section + "/"); }

/// Single values below `config`, by how often each stands there.
std::map<std::string, int> values(const Json& config)
{
    std::map<std::string, int> out;
    const Json flat = config.flatten();
    for (const auto& [pointer, value] : flat.items()) {
        ++out[value.dump()];
    }
    return out;
}

/// The verdict and the batch.
std::string acts(const CheckAnswer& answer)
{
    std::string out = answer.ok ? "ok " : std::string("refused ") + checkLevelName(*answer.level) + " ";
    const auto number = [](const BatchNumber& n) { return std::holds_alternative<bool>(n) ? "1" : batchNumberText(n); };  // a fix may write 1 for true
    if (answer.resolved.has_value()) {
        out += number(answer.resolved->trainBatchSize) + " " + number(answer.resolved->micro) + " " + number(answer.resolved->gas);
    }
    return out;
}

/// A config with what DeepSpeed works with in place of what is written, by the names of today, and without what it never uses.
Json asRead(const Json& config, const CheckAnswer& answer, const CheckContext& context)
{
    Json read = config;
    for (const ChangedValue& changed : answer.changed) {
        const Json::json_pointer at(changed.pointer);
        Json& above = read[at.parent_pointer()];
        above = above.is_structured() ? above : Json::object();  // a switch in place of its section
        read[at] = Json::parse(changed.json, nullptr, false);
    }
    for (const std::string& pointer : answer.ignored) {
        const Json::json_pointer at(pointer);
        if (read.contains(at) && read.at(at.parent_pointer()).is_object()) {
            read.at(at.parent_pointer()).erase(at.back());
        }
    }
    // A deprecated name says what its successor says.
    const auto present = presentForm(readStrictJson(read.dump()).root, context);
    return present.hasValue() ? Json::parse(toJson(present->config)) : read;
}

class Fixes {
public:
    void tryAll(const Case& one)
    {
        const CheckAnswer before = answerFor(one.config, one.context);
        for (const CheckFinding& finding : before.findings) {
            if (!finding.fix.empty() && finding.level != CheckLevel::Load) {
                ++m_tried;
                alone(one, before, finding);
            }
        }
        inTurn(one, before);
    }

    void report() const
    {
        for (const auto& [kind, text] : m_failures) {
            qWarning("%s", text.c_str());
        }
        QVERIFY2(m_failures.empty(), (std::to_string(m_failures.size()) + " kinds of fixes do not hold").c_str());
    }

    [[nodiscard]] int tried() const { return m_tried; }
private:
    void fail(const Case& one, const CheckFinding& finding, const std::string& kind, const std::string& detail)
    {
        m_failures.emplace(kind + " " + finding.rule + finding.pointer, kind + ": " + one.id + " " + finding.rule + " " + finding.pointer + "\n  " + finding.message + "\n  fix " + finding.fix + "\n  " + detail + "\n  in " + one.config.dump());
    }

    void alone(const Case& one, const CheckAnswer& before, const CheckFinding& finding)
    {
        const Json patch = Json::parse(finding.fix, nullptr, false);
        const std::optional<Json> after = patch.is_array() ? patched(one.config, patch) : std::nullopt;
        if (!after) return fail(one, finding, "does not apply", "");
        const CheckAnswer answer = answerFor(*after, one.context);
        const auto same = [&](const CheckFinding& f) { return f.rule == finding.rule && f.pointer == finding.pointer && f.message == finding.message; };
        if (std::count_if(answer.findings.begin(), answer.findings.end(), same) >= std::count_if(before.findings.begin(), before.findings.end(), same)) {
            fail(one, finding, "leaves the finding", after->dump());
        }
        if (reach(answer) < reach(before) && reach(mended(one)) < reach(before)) fail(one, finding, "stops earlier", after->dump());  // a file written flat is mended in steps
        for (const CheckFinding& now : answer.findings) {
            if (now.severity == CheckSeverity::Info || now.pointer.empty() || now.rule == "R66" || now.rule == "R37" || unsaid(*after, now)) {  // right, for more ranks than there are here
                continue;
            }
            const bool known = std::any_of(before.findings.begin(), before.findings.end(), [&](const CheckFinding& f) { return f.rule == now.rule && (f.pointer == now.pointer || f.message == now.message); });
            // What a value is and holds is told where DeepSpeed reads it: that was hidden, and is not the fix's. So is the same rule, told more mildly.
            const bool hidden = std::any_of(patch.begin(), patch.end(), [&](const Json& step) { return within(now.pointer, step["path"]) && (now.severity == CheckSeverity::Warning && now.effect != CheckEffect::Ignored ? true : now.pointer != step["path"]); });
            // Refused no more, and so told what it warns of; as far as before, and told what nobody reads there.
            const bool unused = finding.severity == CheckSeverity::Error && now.severity == CheckSeverity::Warning && (reach(answer) > reach(before) || (reach(answer) == reach(before) && now.effect == CheckEffect::Ignored));
            const bool milder = now.rule == finding.rule && now.severity > finding.severity;
            const bool ours = std::any_of(patch.begin(), patch.end(), [&](const Json& step) { return step["op"] != "test" && step["op"] != "remove" && (within(now.pointer, step["path"]) || within(step["path"], now.pointer)); });
            if (!known && ours && !hidden && !unused && !milder && now.rule != "R89" && !cured(one, now)) {
                fail(one, finding, "brings " + now.rule, now.pointer + ": " + now.message + "\n  after " + after->dump());
            }
        }
        if (finding.safe && answer.ok == before.ok && before.ok && (acts(answer) != acts(before) || nlohmann::json(asRead(*after, answer, one.context)) != nlohmann::json(asRead(one.config, before, one.context)))) {
            fail(one, finding, "safe, and changes what is done", asRead(one.config, before, one.context).dump() + "\n  " + asRead(*after, answer, one.context).dump());
        }
    }

    /// A setting of NVMe whose block names no device: the author has yet to.
    static bool unsaid(const Json& config, const CheckFinding& finding)
    {
        const Json::json_pointer block(finding.pointer.substr(0, finding.pointer.rfind('/')));
        return finding.rule == "R26" && finding.fix.empty() && config.contains(block) && !config[block].contains("device");
    }

    /// What is said once the fixes of the file are applied, one after the other and each found anew.
    static CheckAnswer mended(const Case& one)
    {
        Json now = one.config;
        for (int step = 0; step < 20; ++step) {
            CheckAnswer answer = answerFor(now, one.context);
            const auto next = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& f) { return !f.fix.empty() && f.level != CheckLevel::Load; });
            const auto after = next == answer.findings.end() ? std::nullopt : patched(now, Json::parse(next->fix));
            if (!after) return answer;
            now = *after;
        }
        return answerFor(now, one.context);
    }

    /// Whether they end without `finding`.
    static bool cured(const Case& one, const CheckFinding& finding)
    {
        const CheckAnswer answer = mended(one);
        return std::none_of(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.rule == finding.rule && f.pointer == finding.pointer; });
    }

    /// All fixes in order, and backwards, each refused where it does not apply: what stands in the file and was not taken out by the fix alone is still there.
    void inTurn(const Case& one, const CheckAnswer& before)
    {
        std::vector<const CheckFinding*> fixes;
        for (const CheckFinding& finding : before.findings) {
            if (!finding.fix.empty() && finding.level != CheckLevel::Load) {
                fixes.push_back(&finding);
            }
        }
        const std::map<std::string, int> written = values(one.config);
        std::map<std::string, int> may;  // taken out by one of the fixes alone
        for (const CheckFinding* finding : fixes) {
            if (const auto after = patched(one.config, Json::parse(finding->fix))) {
                std::map<std::string, int> left = values(*after);
                for (const auto& [value, count] : written) {
                    may[value] += std::max(0, count - left[value]);
                }
            }
        }
        for (const bool backwards : {false, true}) {
            std::vector<const CheckFinding*> order = fixes;
            if (backwards) {
                std::reverse(order.begin(), order.end());
            }
            Json now = one.config;
            for (const CheckFinding* finding : order) {
                if (auto next = patched(now, Json::parse(finding->fix))) {
                    now = std::move(*next);
                }
            }
            std::map<std::string, int> left = values(now);
            for (const auto& [value, count] : written) {
                if (value != "null" && left[value] + may[value] < count) {  // an empty section is null in a flat document
                    fail(one, *fixes.front(), "in turn they lose " + value, now.dump());
                }
            }
        }
    }

    std::map<std::string, std::string> m_failures;
    int m_tried = 0;
};

Json base() { return Json::parse(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})"); }

/// Something that a setting takes.
Json valueFor(const CatalogKey& key)
{
    if (!key.values.empty()) {
        return Json::parse(key.values.back());
    }
    switch (key.types.front()) {
    case KeyType::Bool: return true;
    case KeyType::Int: return 4;
    case KeyType::Float: return 0.5;
    case KeyType::String: return "word";
    case KeyType::Path: return "/data/x";
    case KeyType::List:
    case KeyType::IntList: return Json::array({4});
    case KeyType::FloatList: return Json::array({0.5, 0.75});
    case KeyType::StringList: return Json::array({"word"});
    default: return Json::object();
    }
}

/// The bases a name is placed in: nothing beside it, ZeRO with both offloads, a schedule.
std::vector<Json> bases()
{
    std::vector<Json> out{base(), base(), base()};
    out[1]["zero_optimization"] = Json::parse(R"({"stage": 3, "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "cpu"}})");
    out[1]["fp16"] = Json::parse(R"({"enabled": true})");
    out[2]["scheduler"] = Json::parse(R"({"type": "WarmupLR", "params": {"warmup_num_steps": 100}})");
    return out;
}

}  // namespace

class TstCheckFixProperties : public QObject {
    Q_OBJECT

private slots:
    void ofTheSamples_data();
    void ofTheSamples();
    void ofOtherNames();
    void ofPairsOfOtherNames();
    void ofKeysInWrongSections();
    void single_data();
    void single();
    void ofOneListingRefuseThemselves();
};

void TstCheckFixProperties::ofTheSamples_data()
{
    QTest::addColumn<QString>("file");
    for (const auto& entry : std::filesystem::directory_iterator(source() / "tests/data/verdicts")) {
        QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
    }
    QTest::newRow("seed_configs") << QString::fromStdString((source() / "tests/data/seed_configs.jsonl").string());
}

void TstCheckFixProperties::ofTheSamples()
{
    QFETCH(QString, file);
    Fixes fixes;
    for (const Json& row : file.endsWith("seed_configs.jsonl") ? jsonLines(file.toStdString()) : verdictRows(file.toStdString())) {
        Case one;
        std::vector<std::string> warnings;
        one.context = readCheckContext(row.value("context", Json::object()).dump(), warnings).value();
        one.context.world = row.value("world", 1);
        one.context.release = row.value("release", "");
        one.context.pipelineModel = one.context.pipelineModel || row.value("pipeline", false);
        one.id = row["id"];
        for (const char* field : {"text", "config"}) {
            if (row.contains(field)) {
                one.config = row[field].is_string() ? Json::parse(row[field].get<std::string>(), nullptr, false) : row[field];
                if (one.config.is_object()) {
                    fixes.tryAll(one);
                }
            }
        }
    }
    fixes.report();
    QVERIFY(fixes.tried() > 0);
}

namespace {

/// Every other name at every place it may be written, with the values it has there.
std::vector<std::pair<std::string, Json>> placedNames()
{
    std::ifstream stream(source() / "configs/ds_config/other_names.json");
    std::vector<std::pair<std::string, Json>> out;
    const KeyCatalog& catalog = KeyCatalog::standard();
    const Json names = Json::parse(stream);
    for (const Json& entry : names["meant"]) {
        const std::string place = entry["place"];
        const int id = catalog.find(place);
        std::set<std::string> sections{""};
        if (entry.contains("at")) {
            sections.clear();
            for (const Json& at : entry["at"]) {
                sections.insert(at.get<std::string>());
            }
        } else {
            for (std::string above = place; !above.empty();) {
                above = above.substr(0, above.rfind('/'));
                sections.insert(above);
            }
            sections.insert("/optimizer/params");
        }
        std::vector<Json> given;
        if (entry.contains("values")) {
            for (const auto& [from, to] : entry["values"].items()) {
                given.push_back(Json::parse(from));
            }
        } else if (id >= 0) {
            given.push_back(valueFor(catalog.key(id)));
        }
        for (const Json& name : entry["names"]) {
            for (const std::string& section : sections) {
                for (const Json& value : given) {
                    out.emplace_back(section + "/" + name.get<std::string>(), value);
                    if (&value - given.data() == 2) {
                        break;
                    }
                }
            }
        }
    }
    return out;
}

}  // namespace

void TstCheckFixProperties::ofOtherNames()
{
    Fixes fixes;
    for (const auto& [pointer, value] : placedNames()) {
        for (const Json& base : bases()) {
            Case one{pointer, base, {}};
            one.config[Json::json_pointer(pointer)] = value;
            fixes.tryAll(one);
        }
    }
    fixes.report();
    QVERIFY(fixes.tried() > 500);
}

void TstCheckFixProperties::ofPairsOfOtherNames()
{
    // Two or three names in one file: fixes that make the same section.
    const auto names = placedNames();
    Fixes fixes;
    for (std::size_t i = 0; i < names.size(); ++i) {
        Case one{"pair " + names[i].first, base(), {}};
        for (const std::size_t k : {i, (i * 7 + 3) % names.size(), (i + 1) % names.size()}) {
            const Json::json_pointer at(names[k].first);
            if (!one.config.contains(at)) {
                one.config[at] = names[k].second;
            }
        }
        fixes.tryAll(one);
    }
    fixes.report();
}

void TstCheckFixProperties::ofKeysInWrongSections()
{
    // A setting at a place of another is never called unknown, and its fix holds.
    const KeyCatalog& catalog = KeyCatalog::standard();
    static constexpr std::array kSections{"", "/zero_optimization", "/zero_optimization/offload_optimizer", "/optimizer", "/optimizer/params", "/scheduler", "/scheduler/params", "/fp16", "/bf16", "/activation_checkpointing",
                                          "/tensorboard", "/flops_profiler", "/data_types", "/comms_logger"};
    Fixes fixes;
    std::set<std::string> unknown;
    for (const CatalogKey& key : catalog.keys()) {
        if (key.name().empty() || key.name() == "*") {  // the document itself, names of the user
            continue;
        }
        for (const std::string section : kSections) {
            for (const bool scheduled : {false, true}) {
                Case one{section + "/" + std::string(key.name()), bases()[scheduled ? 2 : 0], {}};
                const Json::json_pointer at(one.id);
                if (one.config.contains(at) || (scheduled && section != "/scheduler/params" && section != "/optimizer/params")) {
                    continue;
                }
                one.config[at] = valueFor(key);
                for (const CheckFinding& finding : answerFor(one.config, one.context).findings) {
                    if (finding.pointer == one.id && finding.message.find("No setting of DeepSpeed is known by that name") != std::string::npos) {
                        unknown.insert(one.id);
                    }
                }
                fixes.tryAll(one);
            }
        }
    }
    for (const std::string& place : unknown) {
        qWarning("called unknown: %s", place.c_str());
    }
    fixes.report();
    QVERIFY(unknown.empty());
}

void TstCheckFixProperties::single_data()
{
    QTest::addColumn<QString>("text");     // beside an AdamW at 1e-4
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("words");    // separated by |
    QTest::addColumn<QString>("after");    // the document after the fix, without the optimizer and the batch; "none" = no fix
    const auto row = [](const char* name, const char* text, const char* pointer, const char* words, const char* after) { QTest::newRow(name) << text << pointer << words << after; };
    row("a batch of the evaluation leaves R5 its fix", R"("train_batch_size": null, "eval_batch_size": 8)", "", "No batch size", R"({"eval_batch_size": 8, "train_micro_batch_size_per_gpu": 1})");
    row("a batch by another name takes it", R"("train_batch_size": null, "global_batch_size": 8)", "", "No batch size", "none");
    row("a batch of nobody knows what takes it", R"("train_batch_size": null, "train_mini_batch_size": 8)", "", "No batch size", "none");
    row("between two precisions", R"("ff16": {"enabled": true})", "/ff16", "fp16|bf16", "none");
    row("between two precisions, three letters", R"("f16": {"enabled": true})", "/f16", "fp16|bf16", "none");
    row("near to one, nearly to the other", R"("gf16": {"enabled": true})", "/gf16", "fp16|bf16", "none");
    row("a length of training makes no schedule", R"("total_num_steps": 100)", "/total_num_steps", "WarmupDecayLR|warmup_max_lr", "none");
    row("nor does a warm-up beside it", R"("warmup_steps": 10, "total_num_steps": 100)", "/warmup_steps", "scheduler", "none");
    row("a warm-up does", R"("warmup_steps": 10)", "/warmup_steps", "scheduler", R"({"scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 10}}})");
    row("a schedule by its name", R"("scheduler": "WarmupLR")", "/scheduler", "write", R"({"scheduler": {"type": "WarmupLR", "params": {}}})");
    row("a schedule by its name that needs more", R"("scheduler": "WarmupDecayLR")", "/scheduler", "write", "none");
    row("a stage in quotes in place of its section", R"("zero_optimization": "3")", "/zero_optimization", "stage", R"({"zero_optimization": {"stage": 3}})");
    row("steps in quotes", R"("scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": "100"}})", "/scheduler/params/warmup_num_steps", "100", R"({"scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 100}}})");
    row("half a step in quotes", R"("scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": "1.5"}})", "/scheduler/params/warmup_num_steps", "positive integer", "none");
    row("a path under another name", R"("zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme", "nvme": "/x"}})", "/zero_optimization/offload_optimizer/nvme", "nvme_path", R"({"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme", "nvme_path": "/x"}}})");
    row("an old switch brings its pinned memory", R"("zero_optimization": {"stage": 2, "cpu_offload": true, "cpu_offload_use_pin_memory": true})", "/zero_optimization/cpu_offload", "deprecated",
        R"({"zero_optimization": {"stage": 2, "cpu_offload_use_pin_memory": true, "offload_optimizer": {"device": "cpu", "pin_memory": true}}})");
    row("and keeps it until then", R"("zero_optimization": {"stage": 2, "cpu_offload": true, "cpu_offload_use_pin_memory": true})", "/zero_optimization/cpu_offload_use_pin_memory", "pin_memory", "none");
    row("pinned memory of one block", R"("zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}, "cpu_offload_use_pin_memory": true})", "/zero_optimization/cpu_offload_use_pin_memory", "pin_memory",
        R"({"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu", "pin_memory": true}}})");
    row("a parameter of another schedule", R"("scheduler": {"type": "WarmupLR", "params": {"total_num_steps": 100}})", "/scheduler/params/total_num_steps", "WarmupDecayLR|WarmupCosineLR", "none");
    row("a setting of an offload block", R"("zero_optimization": {"stage": 2, "max_in_cpu": 1000})", "/zero_optimization/max_in_cpu", "zero_optimization.offload_param.max_in_cpu", "none");
    row("sizes of experts", R"("moe": {"experts": 4})", "/moe", "script", "none");
}

void TstCheckFixProperties::single()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, words);
    QFETCH(QString, after);
    Json config = base();
    config.merge_patch(Json::parse("{" + text.toStdString() + "}"));
    const CheckAnswer answer = answerFor(config, {});
    const auto meant = [&](const CheckFinding& f) { return f.pointer == pointer.toStdString() && (!f.pointer.empty() || f.rule == "R5"); };
    QCOMPARE(std::count_if(answer.findings.begin(), answer.findings.end(), meant), 1);
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), meant);
    for (const QString& word : words.split('|')) {
        QVERIFY2(found->message.find(word.toStdString()) != std::string::npos, found->message.c_str());
    }
    QCOMPARE(found->fix.empty(), after == "none");
    if (!found->fix.empty()) {
        Json got = config.patch(Json::parse(found->fix));
        got.erase("optimizer");
        got.erase("train_batch_size");
        QCOMPARE(QString::fromStdString(got.dump()), QString::fromStdString(Json::parse(after.toStdString()).dump()));
    }
}

void TstCheckFixProperties::ofOneListingRefuseThemselves()
{
    Json config = base();
    config["stage"] = 3;
    config["overlap_comm"] = true;
    const CheckAnswer before = answerFor(config, {});
    std::vector<Json> patches;
    for (const CheckFinding& finding : before.findings) {
        if (!finding.fix.empty()) {
            patches.push_back(Json::parse(finding.fix));
        }
    }
    QCOMPARE(patches.size(), std::size_t{2});
    const auto once = patched(config, patches[0]);
    QVERIFY(once);
    QVERIFY(!patched(*once, patches[1]));
    const CheckAnswer again = answerFor(*once, {});
    const auto next = std::find_if(again.findings.begin(), again.findings.end(), [](const CheckFinding& f) { return !f.fix.empty(); });
    QVERIFY(next != again.findings.end());
    const auto twice = patched(*once, Json::parse(next->fix));
    QVERIFY(twice);
    QCOMPARE(QString::fromStdString((*twice)["zero_optimization"].dump()), QString(R"({"stage":3,"overlap_comm":true})"));
}

QTEST_APPLESS_MAIN(TstCheckFixProperties)
#include "tst_check_fix_properties.moc"
