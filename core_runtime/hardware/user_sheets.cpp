// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/user_sheets.h"

#include "base/atomic_file.h"
#include "hardware/read_sheets.h"

#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagecraft {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

std::vector<Error>& refused()
{
    static std::vector<Error> errors;
    return errors;
}

}  // namespace

std::filesystem::path userDeviceSheetFile()
{
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && config[0] == '/') return std::filesystem::path(config) / "stagecraft" / "devices.json";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home != nullptr ? home : "/") / ".config" / "stagecraft" / "devices.json";
}

std::vector<Error> loadUserDeviceSheets(const std::filesystem::path& file)
{
    std::vector<Error>& problems = refused();
    problems.clear();
    std::error_code failed;
    if (!std::filesystem::exists(file, failed)) return problems;
    const auto wrong = [&](const char* what, const Error& why) {
        Error error{ErrorCode::InvalidInput, fmt::format("Cannot use {} in \"{}\": {}", what, file.string(), why.message), why.context};
        error.context["path"] = file.string();
        problems.push_back(std::move(error));
    };
    const auto text = readFile(file, kMostBytes);
    const auto read = text.hasValue() ? readDeviceSheets(*text) : Result<std::vector<ReadSheet>>(text.error());
    if (!read.hasValue()) {
        wrong("your data sheets", Error{read.error().code, read.error().message, {}});
        return problems;
    }
    std::vector<DeviceSheet> good;
    for (const ReadSheet& entry : *read) {
        if (!entry.sheet.hasValue()) {
            wrong("a data sheet of yours", entry.sheet.error());
            continue;
        }
        good.push_back(*entry.sheet);
        for (const std::string& field : entry.unknown) {
            problems.push_back({ErrorCode::InvalidInput, fmt::format("Your data sheet of \"{}\" in \"{}\" has \"{}\", which no data sheet has: it has no effect; correct or remove it", entry.sheet->id, file.string(), field),
                                {{"path", file.string()}, {"device", entry.sheet->id}, {"field", field}, {"unused", "1"}}});
        }
    }
    addDeviceSheets(std::move(good));
    return problems;
}

const std::vector<Error>& refusedDeviceSheets() { return refused(); }

nlohmann::json deviceSheetToJson(const DeviceSheet& sheet)
{
    nlohmann::json peak = nlohmann::json::object();
    for (const auto& [type, flops] : sheet.peak) peak[type] = flops / 1e12;
    nlohmann::json out = {{"id", sheet.id}, {"name", sheet.name}, {"vendor", sheet.vendor}, {"year", sheet.year}, {"memoryNominalGB", sheet.nominalBytes / 1e9},
                          {"memoryUsableGiB", static_cast<double>(sheet.usableBytes) / 1073741824.0}, {"peakTflops", peak}, {"memoryBandwidthGBs", sheet.memoryBytesPerSecond / 1e9},
                          {"link", nullptr}, {"powerWatts", sheet.watts}, {"source", sheet.source}};
    if (sheet.link) out["link"] = {{"kind", sheet.link->kind}, {"perDirectionGBs", sheet.link->bytesPerSecond / 1e9}, {"maxDevices", sheet.link->maxDevices}};
    if (sheet.pcieBytesPerSecond > 0) out["pcie"] = {{"perDirectionGBs", sheet.pcieBytesPerSecond / 1e9}};
    if (!sheet.powerSource.empty()) out["powerSource"] = sheet.powerSource;
    if (!sheet.note.empty()) out["note"] = sheet.note;
    return out;
}

}  // namespace stagecraft
