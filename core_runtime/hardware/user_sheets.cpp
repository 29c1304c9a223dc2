// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/user_sheets.h"

#include "base/atomic_file.h"
#include "hardware/read_sheets.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <nlohmann/json.hpp>

namespace stagecraft {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::atomic<const std::vector<Error>*> g_refused{nullptr};

// Earlier ones are never freed: a plan in the making reads them.
const std::vector<Error>& keepRefused(std::vector<Error> errors)
{
    static std::mutex mutex;
    static std::deque<std::vector<Error>> kept;
    const std::lock_guard lock(mutex);
    const std::vector<Error>& last = kept.emplace_back(std::move(errors));
    g_refused.store(&last, std::memory_order_release);
    return last;
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
    std::vector<Error> problems;
    std::vector<DeviceSheet> good;
    const auto done = [&] {
        setOwnDeviceSheets(std::move(good));
        return keepRefused(std::move(problems));
    };
    std::error_code failed;
    if (!std::filesystem::exists(file, failed)) return done();
    const auto wrong = [&](const char* what, const Error& why) {
        Error error{ErrorCode::InvalidInput, fmt::format("Cannot use {} in \"{}\": {}", what, file.string(), why.message), why.context};
        error.context["path"] = file.string();
        problems.push_back(std::move(error));
    };
    const auto text = readFile(file, kMostBytes);
    const auto read = text.hasValue() ? readDeviceSheets(*text) : Result<std::vector<ReadSheet>>(text.error());
    if (!read.hasValue()) {
        wrong("your data sheets", Error{read.error().code, read.error().message, {}});
        return done();
    }
    for (const ReadSheet& entry : *read) {
        if (!entry.sheet.hasValue()) {
            wrong("a data sheet of yours", entry.sheet.error());
            continue;
        }
        const auto same = [&](const DeviceSheet& other) { return lower(other.id) == lower(entry.sheet->id); };
        if (std::any_of(good.begin(), good.end(), same)) {
            std::erase_if(good, same);
            problems.push_back({ErrorCode::InvalidInput, fmt::format("\"{}\" has two data sheets of \"{}\": the last one counts; remove the other", file.string(), entry.sheet->id), {{"path", file.string()}, {"device", entry.sheet->id}, {"twice", "1"}}});
        }
        good.push_back(*entry.sheet);
        for (const std::string& field : entry.unknown) {
            problems.push_back({ErrorCode::InvalidInput, fmt::format("Your data sheet of \"{}\" in \"{}\" has \"{}\", which no data sheet has: it has no effect; correct or remove it", entry.sheet->id, file.string(), field),
                                {{"path", file.string()}, {"device", entry.sheet->id}, {"field", field}, {"unused", "1"}}});
        }
    }
    return done();
}

const std::vector<Error>& refusedDeviceSheets()
{
    static const std::vector<Error> none;
    const std::vector<Error>* last = g_refused.load(std::memory_order_acquire);
    return last ? *last : none;
}

nlohmann::json deviceSheetToJson(const DeviceSheet& sheet)
{
    nlohmann::json peak = nlohmann::json::object();
    for (const auto& [type, flops] : sheet.peak) peak[type] = flops / 1e12;
    nlohmann::json out = {{"id", sheet.id}, {"name", sheet.name}, {"vendor", sheet.vendor}, {"memoryNominalGB", sheet.nominalBytes / 1e9},
                          {"memoryUsableGiB", static_cast<double>(sheet.usableBytes) / 1073741824.0}, {"peakTflops", peak}, {"memoryBandwidthGBs", sheet.memoryBytesPerSecond / 1e9},
                          {"link", nullptr}, {"source", sheet.source}};
    if (sheet.year > 0) out["year"] = sheet.year;
    if (sheet.watts > 0) out["powerWatts"] = sheet.watts;
    if (sheet.link) out["link"] = {{"kind", sheet.link->kind}, {"perDirectionGBs", sheet.link->bytesPerSecond / 1e9}, {"maxDevices", sheet.link->maxDevices}};
    if (sheet.pcieBytesPerSecond > 0) out["pcie"] = {{"perDirectionGBs", sheet.pcieBytesPerSecond / 1e9}};
    if (sheet.peerBytesPerSecond > 0) out["pcie"]["betweenDevicesGBs"] = sheet.peerBytesPerSecond / 1e9;
    if (!sheet.powerSource.empty()) out["powerSource"] = sheet.powerSource;
    if (!sheet.note.empty()) out["note"] = sheet.note;
    return out;
}

}  // namespace stagecraft
