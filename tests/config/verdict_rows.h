// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// The objects of a file that holds one a line.
inline std::vector<nlohmann::ordered_json> jsonLines(const std::string& file)
{
    std::ifstream stream(file);
    std::vector<nlohmann::ordered_json> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(nlohmann::ordered_json::parse(line));
    }
    return lines;
}

/// The rows of a file of tests/data/verdicts (tests/oracle/verdict_rows.py), one for each release that was asked: "release", the config as
/// "text", and the whole answer as "expect".
inline std::vector<nlohmann::ordered_json> verdictRows(const std::string& file)
{
    using Json = nlohmann::ordered_json;
    std::vector<Json> rows;
    for (const Json& written : jsonLines(file)) {
        Json row = written;
        row.erase("config");
        row.erase("expect");
        if (written.contains("config")) {
            row["text"] = written["config"].dump();
        }
        for (const auto& [releases, answer] : written["expect"].items()) {
            row["expect"] = {{"verdict", "ok"}, {"level", nullptr}, {"parse_verdict", "ok"}, {"ignored", Json::array()}, {"changed", Json::object()}};
            row["expect"].update(answer);
            row["upTo"] = answer.value("upTo", "engine");
            std::istringstream words(releases);
            for (std::string release; words >> release;) {
                row["release"] = release;
                rows.push_back(row);
            }
        }
    }
    return rows;
}
