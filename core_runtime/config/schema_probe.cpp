// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/schema_probe.h"

#include "config/json_document.h"
#include "config/key_catalog.h"
#include "config/release_facts.h"
#include "config/rules/judge.h"

#include <algorithm>
#include <array>

namespace stagecraft {

namespace {

ConfigValue list(ConfigValue item)
{
    ConfigValue value;
    value.kind = ConfigValue::Kind::List;
    value.items.push_back(std::move(item));
    return value;
}

}  // namespace

std::size_t SchemaProbe::refusals(const ConfigValue& config) const
{
    CheckContext context;
    CheckAnswer answer;
    rules::Judge judge(config, context, m_release, answer);
    rules::checkParse(judge, false);
    return static_cast<std::size_t>(std::count_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& f) { return f.severity == CheckSeverity::Error && f.level == CheckLevel::Parse; }));
}

void SchemaProbe::place(ConfigValue& at, const std::vector<std::string>& tokens, std::size_t from, const ConfigValue* value) const
{
    const std::string name = tokens[from] == "*" ? "x" : tokens[from];
    const ConfigValue* held = at.find(name);
    if (from + 1 == tokens.size()) {
        if (value != nullptr) at.set(name, *value);
        return;
    }
    std::string section;
    for (std::size_t i = 0; i <= from; ++i) section += "/" + tokens[i];
    const int id = m_catalog.find(section);
    if (tokens[from + 1] == "*" && id >= 0 && m_catalog.key(id).types.front() == KeyType::List) {  // one entry of a list
        ConfigValue entry = held != nullptr && held->isList() ? held->items.front() : ConfigValue::ofObject();
        if (from + 2 < tokens.size()) place(entry, tokens, from + 2, value);
        else if (value != nullptr) entry = *value;
        at.set(name, list(std::move(entry)));
        return;
    }
    ConfigValue below = held != nullptr && held->isObject() ? *held : ConfigValue::ofObject();
    place(below, tokens, from + 1, value);
    at.set(name, std::move(below));
}

ConfigValue SchemaProbe::configWith(const CatalogKey& key, const ConfigValue* value, bool sharded) const
{
    ConfigValue config = ConfigValue::ofObject();
    config.set(sharded ? "train_micro_batch_size_per_gpu" : "train_batch_size", ConfigValue::ofInt(8));
    const ConfigValue three = ConfigValue::ofInt(3);
    if (sharded) place(config, {"zero_optimization", "stage"}, 0, &three);
    for (const auto& [condition, values] : key.when) {
        const ConfigValue word = ConfigValue::ofString(values.front());
        place(config, *pointerTokens(condition), 0, &word);
    }
    place(config, *pointerTokens(key.pointer), 0, value);
    return config;
}

bool SchemaProbe::takes(const CatalogKey& key, const ConfigValue& value) const
{
    // Some values are taken at stage 3 alone, some only below it.
    const auto taken = [&](bool sharded) { return refusals(configWith(key, &value, sharded)) <= refusals(configWith(key, nullptr, sharded)); };
    return taken(false) || taken(true);
}

bool SchemaProbe::actsAsTrue(const CatalogKey& key, const ConfigValue& value) const
{
    const auto reasons = [&](const ConfigValue& held) {
        const ConfigValue config = configWith(key, &held, false);
        CheckContext context;
        CheckAnswer answer;
        rules::Judge judge(config, context, m_release, answer);
        rules::checkParse(judge, false);
        std::vector<std::pair<std::string, std::string>> all;
        for (const CheckFinding& f : answer.findings) {
            if (f.severity == CheckSeverity::Error && f.level == CheckLevel::Parse) all.emplace_back(f.rule, f.pointer);
        }
        return all;
    };
    return pythonTruth(value) && reasons(value) == reasons(ConfigValue::ofBool(true));
}

bool SchemaProbe::runs(const CatalogKey& key, const ConfigValue& value) const
{
    CheckContext context;
    context.release = m_release.version;
    const auto built = [&](bool sharded) {
        ConfigValue config = configWith(key, &value, sharded);
        if (config.find("optimizer") == nullptr) {
            ConfigValue optimizer = ConfigValue::ofObject();
            optimizer.set("type", ConfigValue::ofString("AdamW"));
            config.set("optimizer", std::move(optimizer));
        }
        const auto answer = checkConfig(toJson(config), context);
        return answer.hasValue() && std::none_of(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& f) { return f.severity == CheckSeverity::Error && f.pointer == key.pointer; });
    };
    return built(false) || built(true);
}

bool SchemaProbe::needs(const CatalogKey& key) const
{
    const std::array values{ConfigValue::ofInt(1), ConfigValue::ofString("x"), ConfigValue::ofObject()};
    const std::size_t without = refusals(configWith(key, nullptr, false));
    return std::any_of(values.begin(), values.end(), [&](const ConfigValue& value) { return refusals(configWith(key, &value, false)) < without; });
}

}  // namespace stagecraft
