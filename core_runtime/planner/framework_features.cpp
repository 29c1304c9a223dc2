// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/framework_features.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace stagecraft {

const std::vector<std::string_view>& frameworkFiles();

const FeatureTable& frameworkFeatures()
{
    static const FeatureTable table = [] {
        using nlohmann::json;
        const json file = json::parse(frameworkFiles().front());
        const auto cell = [](const json& c) { return FeatureCell{c["verdict"], c["en"], c["zh"], c["source"]}; };
        FeatureTable read;
        read.checked = file["checked"];
        for (const json& row : file["rows"])
            read.rows.push_back({row["id"], row["feature"]["en"], row["feature"]["zh"], row["told"]["deepspeed"], row["told"]["fsdp"], cell(row["deepspeed"]), cell(row["fsdp2"])});
        return read;
    }();
    return table;
}

nlohmann::json featuresToJson(const FeatureTable& table)
{
    using nlohmann::json;
    const auto cell = [](const FeatureCell& c) { return json{{"verdict", c.verdict}, {"en", c.en}, {"zh", c.zh}, {"source", c.source}}; };
    json rows = json::array();
    for (const FeatureRow& row : table.rows)
        rows.push_back({{"id", row.id}, {"feature", {{"en", row.en}, {"zh", row.zh}}}, {"told", {{"deepspeed", row.toldDeepSpeed}, {"fsdp", row.toldFsdp}}}, {"deepspeed", cell(row.deepspeed)}, {"fsdp2", cell(row.fsdp2)}});
    return {{"checked", table.checked}, {"rows", rows}};
}

}  // namespace stagecraft
