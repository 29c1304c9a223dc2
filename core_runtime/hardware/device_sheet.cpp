// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/device_sheet.h"

#include "hardware/read_sheets.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <mutex>
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

// What a number of a sheet may be: beyond any device there is or that is drawn, on either side, and so that nothing forecast from it
// leaves the numbers there are.
struct Bounds {
    double least, most;
    bool whole = false;
};
constexpr Bounds kMemory{0.1, 1e6}, kBandwidth{0.1, 1e6}, kTeraflops{1e-4, 1e6}, kLink{0.01, 1e5}, kReach{2, 65536, true}, kWatts{1, 1e5}, kYear{1970, 2100, true};
constexpr std::array<std::string_view, 6> kPeakTypes{"fp32", "tf32", "bf16", "fp16", "fp8", "fp4"};
constexpr std::size_t kLongestId = 100, kMostTold = 20;

Error bad(const std::string& id, const std::string& field)
{
    return {ErrorCode::InvalidInput, fmt::format("The device sheet \"{}\" has no usable \"{}\"; correct it", id, field), {{"device", id}, {"field", field}}};
}

Error outside(const std::string& id, const std::string& field, const Bounds& bounds)
{
    const std::string least = fmt::format("{:g}", bounds.least), most = fmt::format("{:g}", bounds.most);
    return {ErrorCode::InvalidInput, fmt::format("The device sheet \"{}\" needs a {}number from {} to {} as \"{}\"; correct it", id, bounds.whole ? "whole " : "", least, most, field),
            {{"device", id}, {"field", field}, {"least", least}, {"most", most}, {"whole", bounds.whole ? "1" : ""}}};
}

std::optional<double> within(const json& value, const Bounds& bounds)
{
    if (!value.is_number()) return std::nullopt;
    const double number = value.get<double>();
    if (!(number >= bounds.least) || !(number <= bounds.most) || (bounds.whole && number != std::floor(number))) return std::nullopt;
    return number;
}

// The parts of one sheet in turn: the first that is wrong is told, and the others are not looked at.
class SheetReader {
public:
    SheetReader(const json& object, std::string id) : m_object(object), m_id(std::move(id)) {}

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    void fail(Error error) { if (!m_error) m_error = std::move(error); }

    void text(const json& object, const char* key, std::string& target, const std::string& told)
    {
        if (!object.contains(key)) return;
        if (object[key].is_string()) target = object[key].get<std::string>();
        else fail(bad(m_id, told));
    }
    double number(const json& object, const char* key, const Bounds& bounds, const std::string& told)
    {
        const auto value = object.contains(key) ? within(object[key], bounds) : std::nullopt;
        if (!value) fail(outside(m_id, told, bounds));
        return value.value_or(bounds.least);
    }
    /// 0 where the sheet says nothing; null too, where `unknown` may be written so.
    double numberIfWritten(const char* key, const Bounds& bounds, bool unknown)
    {
        if (!m_object.contains(key) || (unknown && m_object[key].is_null())) return 0;
        return number(m_object, key, bounds, key);
    }
    /// Of the host, whose own affair it is: 0 where the sheet says nothing, null or 0.
    double numberOrNone(const char* key, const Bounds& bounds)
    {
        if (!m_object.contains(key) || m_object[key].is_null() || m_object[key] == json(0)) return 0;
        return number(m_object, key, bounds, key);
    }
    /// @return nothing where there is none
    const json* part(const char* key)
    {
        if (!m_object.contains(key) || m_object[key].is_null()) return nullptr;
        if (m_object[key].is_object()) return &m_object[key];
        fail(bad(m_id, key));
        return nullptr;
    }

private:
    const json& m_object;
    std::string m_id;
    std::optional<Error> m_error;
};

Result<DeviceSheet> sheetFrom(const json& j, std::size_t place)
{
    DeviceSheet sheet;
    if (j.is_object() && j.contains("id") && j["id"].is_string()) sheet.id = j["id"].get<std::string>();
    if (sheet.id.empty() || sheet.id.size() > kLongestId) return bad(fmt::format("#{}", place), "id");
    SheetReader reader(j, sheet.id);
    for (const auto& [key, target] : {std::pair{"name", &sheet.name}, {"vendor", &sheet.vendor}, {"source", &sheet.source}, {"note", &sheet.note}, {"powerSource", &sheet.powerSource}})
        reader.text(j, key, *target, key);
    if (sheet.source.empty()) reader.fail(bad(sheet.id, "source"));
    // The host itself has all its memory, and reaches its own ranks. An accelerator needs both said: what it offloads to and where it
    // finds the others, without which a plan would be made of guesses.
    const bool host = sheet.id == "cpu";
    const double nominal = host ? reader.numberOrNone("memoryNominalGB", kMemory) : reader.number(j, "memoryNominalGB", kMemory, "memoryNominalGB");
    // Of a host both are its own affair: without a nominal size nothing bounds the other.
    const Bounds part{kMemory.least, nominal > 0 ? std::max(kMemory.least, nominal) : kMemory.most};
    const double usable = host ? reader.numberOrNone("memoryUsableGiB", part) : reader.number(j, "memoryUsableGiB", part, "memoryUsableGiB");
    sheet.nominalBytes = nominal * 1e9;
    sheet.usableBytes = std::llround(usable * 1073741824.0);
    sheet.memoryBytesPerSecond = reader.number(j, "memoryBandwidthGBs", kBandwidth, "memoryBandwidthGBs") * 1e9;
    // The year steers how fast the host beside the device is taken to be. Without a power the energy is left out.
    sheet.year = static_cast<int>(host ? reader.numberOrNone("year", kYear) : reader.numberIfWritten("year", kYear, false));
    sheet.watts = host ? reader.numberOrNone("powerWatts", kWatts) : reader.numberIfWritten("powerWatts", kWatts, true);
    if (const json* peak = reader.part("peakTflops")) {
        for (const auto& [type, value] : peak->items()) {
            if (std::find(kPeakTypes.begin(), kPeakTypes.end(), type) == kPeakTypes.end()) reader.fail(bad(sheet.id, "peakTflops." + type.substr(0, kLongestId)));
            else sheet.peak[type] = reader.number(*peak, type.c_str(), kTeraflops, "peakTflops." + type) * 1e12;
        }
    }
    if (!sheet.peak.contains("fp32")) reader.fail(bad(sheet.id, "peakTflops.fp32"));
    if (const json* link = reader.part("link")) {
        sheet.link.emplace();
        reader.text(*link, "kind", sheet.link->kind, "link.kind");
        sheet.link->bytesPerSecond = reader.number(*link, "perDirectionGBs", kLink, "link.perDirectionGBs") * 1e9;
        sheet.link->maxDevices = static_cast<int>(reader.number(*link, "maxDevices", kReach, "link.maxDevices"));
    }
    if (const json* pcie = reader.part("pcie")) {
        sheet.pcieBytesPerSecond = reader.number(*pcie, "perDirectionGBs", kLink, "pcie.perDirectionGBs") * 1e9;
        if (pcie->contains("betweenDevicesGBs") && !(*pcie)["betweenDevicesGBs"].is_null()) sheet.peerBytesPerSecond = reader.number(*pcie, "betweenDevicesGBs", kLink, "pcie.betweenDevicesGBs") * 1e9;
    } else if (!host) reader.fail(bad(sheet.id, "pcie"));
    if (reader.error()) return *reader.error();
    return sheet;
}

std::vector<std::string> unknownFields(const json& sheet)
{
    static const std::vector<std::string_view> kOfSheet{"id", "name", "vendor", "year", "memoryNominalGB", "memoryUsableGiB", "memoryBandwidthGBs", "peakTflops", "link", "pcie", "powerWatts", "powerSource", "source", "note"};
    static const std::vector<std::string_view> kOfLink{"kind", "perDirectionGBs", "maxDevices"}, kOfPcie{"generation", "perDirectionGBs", "betweenDevicesGBs"};
    std::vector<std::string> unknown;
    const auto look = [&unknown](const json& object, const std::vector<std::string_view>& known, const std::string& before) {
        if (!object.is_object()) return;
        for (const auto& [key, value] : object.items())
            if (std::find(known.begin(), known.end(), key) == known.end() && unknown.size() < kMostTold) unknown.push_back(before + key.substr(0, kLongestId));
    };
    look(sheet, kOfSheet, "");
    if (!sheet.is_object()) return unknown;
    look(sheet.value("link", json()), kOfLink, "link.");
    look(sheet.value("pcie", json()), kOfPcie, "pcie.");
    return unknown;
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

Result<std::vector<ReadSheet>> readDeviceSheets(std::string_view text)
{
    const json document = json::parse(text, nullptr, false);
    if (!document.is_array()) return Error{ErrorCode::InvalidInput, "Device sheets must be a JSON list of objects; correct the file", {}};
    std::vector<ReadSheet> sheets;
    for (const json& entry : document) sheets.push_back({sheetFrom(entry, sheets.size() + 1), unknownFields(entry)});
    return sheets;
}

Result<std::vector<DeviceSheet>> parseDeviceSheets(std::string_view text)
{
    auto read = readDeviceSheets(text);
    if (!read.hasValue()) return read.error();
    std::vector<DeviceSheet> sheets;
    for (ReadSheet& entry : *read) {
        if (!entry.sheet.hasValue()) return entry.sheet.error();
        sheets.push_back(std::move(entry.sheet).value());
    }
    return sheets;
}

namespace {

using Sheets = std::vector<DeviceSheet>;

void merge(Sheets& all, Sheets sheets)
{
    for (DeviceSheet& sheet : sheets) {
        const auto same = std::find_if(all.begin(), all.end(), [&](const DeviceSheet& known) { return lower(known.id) == lower(sheet.id); });
        if (same != all.end()) *same = std::move(sheet);
        else all.push_back(std::move(sheet));
    }
}

// What there is of sheets, and every list of them that was ever used: a plan in the making holds sheets of one. There is one for each
// sheet a person saves or removes.
class SheetStore {
public:
    SheetStore()
    {
        for (const std::string_view text : embeddedDeviceSheets()) {
            auto some = parseDeviceSheets(text);
            // A damaged sheet is our own mistake and is caught by a test; at run time the others still serve.
            if (some.hasValue()) m_builtIn.insert(m_builtIn.end(), some->begin(), some->end());
        }
        publish();
    }
    [[nodiscard]] const Sheets& now() const { return *m_now.load(std::memory_order_acquire); }
    void addBuiltIn(Sheets sheets)
    {
        const std::lock_guard lock(m_mutex);
        merge(m_builtIn, std::move(sheets));
        publish();
    }
    void setOwn(Sheets sheets)
    {
        const std::lock_guard lock(m_mutex);
        m_own = std::move(sheets);
        publish();
    }

private:
    void publish()
    {
        Sheets all = m_builtIn;
        merge(all, m_own);
        m_now.store(&m_kept.emplace_back(std::move(all)), std::memory_order_release);
    }

    std::mutex m_mutex;
    Sheets m_builtIn, m_own;
    std::deque<Sheets> m_kept;
    std::atomic<const Sheets*> m_now{nullptr};
};

SheetStore& store()
{
    static SheetStore sheets;
    return sheets;
}

}  // namespace

const std::vector<DeviceSheet>& deviceSheets() { return store().now(); }
void addDeviceSheets(std::vector<DeviceSheet> sheets) { store().addBuiltIn(std::move(sheets)); }
void setOwnDeviceSheets(std::vector<DeviceSheet> sheets) { store().setOwn(std::move(sheets)); }

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
