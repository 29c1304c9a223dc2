// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/device_sheet.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagecraft {

/// Texts of configs/devices/*.json, made by CMake.
const std::vector<std::string_view>& embeddedDeviceSheets();

namespace {

using nlohmann::json;

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

Error bad(const std::string& id, const char* field)
{
    return {ErrorCode::InvalidInput, fmt::format("The device sheet \"{}\" has no usable \"{}\"; correct it", id, field), {{"device", id}, {"field", field}}};
}

// A finite number in [0, 1e9], or nothing.
std::optional<double> number(const json& object, const char* key)
{
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) return std::nullopt;
    const double value = found->get<double>();
    if (!(value >= 0) || !(value <= 1e9)) return std::nullopt;
    return value;
}

Result<DeviceSheet> sheetFrom(const json& j)
{
    DeviceSheet sheet;
    if (!j.is_object() || !j.contains("id") || !j["id"].is_string()) return bad("?", "id");
    sheet.id = j["id"].get<std::string>();
    for (const auto& [key, target] : {std::pair{"name", &sheet.name}, {"vendor", &sheet.vendor}, {"source", &sheet.source}, {"note", &sheet.note}, {"powerSource", &sheet.powerSource}}) {
        if (j.contains(key) && j[key].is_string()) *target = j[key].get<std::string>();
    }
    if (sheet.source.empty()) return bad(sheet.id, "source");
    const auto nominal = number(j, "memoryNominalGB");
    const auto usable = number(j, "memoryUsableGiB");
    const auto bandwidth = number(j, "memoryBandwidthGBs");
    if (!nominal) return bad(sheet.id, "memoryNominalGB");
    if (!usable || *usable > *nominal) return bad(sheet.id, "memoryUsableGiB");
    if (!bandwidth || *bandwidth <= 0) return bad(sheet.id, "memoryBandwidthGBs");
    sheet.year = static_cast<int>(number(j, "year").value_or(0));
    sheet.watts = number(j, "powerWatts").value_or(0);
    sheet.nominalBytes = *nominal * 1e9;
    sheet.usableBytes = std::llround(*usable * 1073741824.0);
    sheet.memoryBytesPerSecond = *bandwidth * 1e9;
    if (!j.contains("peakTflops") || !j["peakTflops"].is_object()) return bad(sheet.id, "peakTflops");
    for (const auto& [type, value] : j["peakTflops"].items()) {
        if (!value.is_number() || !(value.get<double>() > 0) || value.get<double>() > 1e6) return bad(sheet.id, "peakTflops");
        sheet.peak[type] = value.get<double>() * 1e12;
    }
    if (!sheet.peak.contains("fp32")) return bad(sheet.id, "peakTflops");
    if (j.contains("link") && !j["link"].is_null()) {
        const json& link = j["link"];
        if (!link.is_object()) return bad(sheet.id, "link");
        const auto rate = number(link, "perDirectionGBs");
        const auto devices = number(link, "maxDevices");
        const bool named = !link.contains("kind") || link["kind"].is_string();
        if (!rate || *rate <= 0 || !devices || !named) return bad(sheet.id, "link");
        sheet.link = DeviceSheet::Link{link.contains("kind") ? link["kind"].get<std::string>() : std::string(), *rate * 1e9, static_cast<int>(*devices)};
    }
    if (j.contains("pcie") && !j["pcie"].is_null()) {
        const auto rate = j["pcie"].is_object() ? number(j["pcie"], "perDirectionGBs") : std::nullopt;
        if (!rate || *rate <= 0) return bad(sheet.id, "pcie");
        sheet.pcieBytesPerSecond = *rate * 1e9;
    }
    // The host itself has all its memory, and reaches its own ranks. An accelerator needs both said: what it offloads to and where it
    // finds the others, without which a plan would be made of guesses.
    if (sheet.id != "cpu" && sheet.usableBytes == 0) return bad(sheet.id, "memoryUsableGiB");
    if (sheet.id != "cpu" && sheet.pcieBytesPerSecond <= 0) return bad(sheet.id, "pcie");
    return sheet;
}

}  // namespace

double DeviceSheet::peakFor(const std::string& type) const
{
    // What a library falls back to: the next wider type. bf16 without tensor cores runs as fp32.
    static const std::map<std::string, std::vector<std::string>> kFallback{
        {"fp8", {"fp8", "bf16", "fp16", "fp32"}}, {"bf16", {"bf16", "fp32"}}, {"fp16", {"fp16", "bf16", "fp32"}}, {"tf32", {"tf32", "fp32"}}};
    const auto order = kFallback.find(type);
    if (order != kFallback.end()) {
        for (const std::string& candidate : order->second) {
            if (const auto found = peak.find(candidate); found != peak.end()) return found->second;
        }
    }
    return peak.at("fp32");
}

Result<std::vector<DeviceSheet>> parseDeviceSheets(std::string_view text)
{
    const json document = json::parse(text, nullptr, false);
    if (!document.is_array()) return Error{ErrorCode::InvalidInput, "Device sheets must be a JSON list of objects; correct the file", {}};
    std::vector<DeviceSheet> sheets;
    for (const json& entry : document) {
        auto sheet = sheetFrom(entry);
        if (!sheet.hasValue()) return sheet.error();
        sheets.push_back(std::move(sheet).value());
    }
    return sheets;
}

namespace {

std::vector<DeviceSheet>& allSheets()
{
    static std::vector<DeviceSheet> sheets = [] {
        std::vector<DeviceSheet> all;
        for (const std::string_view text : embeddedDeviceSheets()) {
            auto some = parseDeviceSheets(text);
            // A damaged sheet is our own mistake and is caught by a test; at run time the others still serve.
            if (some.hasValue()) all.insert(all.end(), some->begin(), some->end());
        }
        return all;
    }();
    return sheets;
}

}  // namespace

const std::vector<DeviceSheet>& deviceSheets() { return allSheets(); }

/// For hardware/user_sheets.cpp, before anyone holds a sheet.
void addDeviceSheets(std::vector<DeviceSheet> sheets)
{
    std::vector<DeviceSheet>& all = allSheets();
    for (DeviceSheet& sheet : sheets) {
        const auto same = std::find_if(all.begin(), all.end(), [&](const DeviceSheet& known) { return lower(known.id) == lower(sheet.id); });
        if (same != all.end()) *same = std::move(sheet);
        else all.push_back(std::move(sheet));
    }
}

const DeviceSheet* findDevice(std::string_view name)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOtherNames{{
        {"cuda", "A100-SXM-80GB"}, {"dgx_a100", "A100-SXM-80GB"}, {"dgx_h100", "H100-SXM-80GB"}, {"dgxh100_eos", "H100-SXM-80GB"},
        {"dgxh100_coreweave", "H100-SXM-80GB"}, {"dgx_gb200", "GB200-186GB"}, {"a100", "A100-SXM-80GB"}, {"h100", "H100-SXM-80GB"},
        {"h200", "H200-SXM-141GB"},
    }};
    const auto withId = [](const std::string& wanted) -> const DeviceSheet* {
        for (const DeviceSheet& sheet : deviceSheets())
            if (lower(sheet.id) == wanted) return &sheet;
        return nullptr;
    };
    const std::string wanted = lower(name);
    // A sheet of that very id comes first: the user's own may be called by one of these words.
    if (const DeviceSheet* sheet = withId(wanted)) return sheet;
    for (const auto& [other, id] : kOtherNames)
        if (wanted == other) return withId(lower(id));
    return nullptr;
}

}  // namespace stagecraft
