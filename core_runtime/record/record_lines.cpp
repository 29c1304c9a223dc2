// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/record_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace stagecraft {

using nlohmann::json;

const char* phaseName(Phase phase)
{
    switch (phase) {
    case Phase::Data: return "data";
    case Phase::Forward: return "forward";
    case Phase::Backward: return "backward";
    case Phase::Communication: return "communication";
    case Phase::Optimizer: return "optimizer";
    case Phase::Wait: return "wait";
    }
    return "wait";
}

std::string jsonNumber(double value)
{
    if (std::isnan(value)) return "null";
    if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return fmt::format("{}", value);
}

std::string jsonString(std::string_view text)
{
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

json parseJsonLine(std::string_view line)
{
    // Writing a value out again recurses once per level, so depth is bounded before anything is built.
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (inString) {
            if (c == '\\') ++i;
            else if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > 64) return json(json::value_t::discarded);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return json::parse(line, nullptr, false);
}

std::string toLine(const StepMetrics& m)
{
    fmt::memory_buffer out;
    auto to = std::back_inserter(out);
    fmt::format_to(to, R"({{"t_ns":{},"rank":{},"step":{},"loss":{},"learningRate":{},"gradNorm":{},"stepTime":{},"tokensPerSecond":{},"phases":{{)",
                   m.timeNs, m.rank, m.step, jsonNumber(m.loss), jsonNumber(m.learningRate), jsonNumber(m.gradNorm),
                   jsonNumber(m.stepSeconds), jsonNumber(m.tokensPerSecond));
    for (int i = 0; i < kPhaseCount; ++i)
        fmt::format_to(to, "{}\"{}\":{}", i == 0 ? "" : ",", phaseName(static_cast<Phase>(i)), jsonNumber(m.phaseSeconds[static_cast<std::size_t>(i)]));
    fmt::format_to(to, R"(}},"rssBytes":{},"peakRssBytes":{},"allocatedBytes":{},"peakAllocatedBytes":{},"droppedSpans":{})",
                   m.rssBytes, m.peakRssBytes, m.allocatedBytes, m.peakAllocatedBytes, m.droppedSpans);
    if (m.attempt >= 0) fmt::format_to(to, R"(,"attempt":{})", m.attempt);
    out.push_back('}');
    return fmt::to_string(out);
}

namespace {

/// Reads the flat lines we write ourselves at several times the speed of a general parser: opening ten hours of records is a
/// million of them. Anything it does not expect makes it give up, and the general parser decides.
class StepScanner {
public:
    explicit StepScanner(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    bool scan(StepMetrics& m)
    {
        if (!object([&](std::string_view key) { return member(key, m); })) return false;
        skipSpace();
        return m_at == m_end && m_sawStep;
    }

private:
    template <class Member>
    bool object(Member&& member)
    {
        if (!take('{')) return false;
        if (take('}')) return true;
        do {
            std::string_view key;
            if (!plainString(key) || !take(':') || !member(key)) return false;
        } while (take(','));
        return take('}');
    }

    bool member(std::string_view key, StepMetrics& m)
    {
        if (key == "step") { m_sawStep = true; return integer(m.step); }
        if (key == "t_ns") return integer(m.timeNs);
        if (key == "rank") return integer(m.rank);
        if (key == "loss") return number(m.loss);
        if (key == "learningRate") return number(m.learningRate);
        if (key == "gradNorm") return number(m.gradNorm);
        if (key == "stepTime") return number(m.stepSeconds);
        if (key == "tokensPerSecond") return number(m.tokensPerSecond);
        if (key == "rssBytes") return integer(m.rssBytes);
        if (key == "peakRssBytes") return integer(m.peakRssBytes);
        if (key == "allocatedBytes") return integer(m.allocatedBytes);
        if (key == "peakAllocatedBytes") return integer(m.peakAllocatedBytes);
        if (key == "droppedSpans") return integer(m.droppedSpans);
        if (key == "attempt") return integer(m.attempt);
        if (key == "phases")
            return object([&](std::string_view phase) {
                for (int i = 0; i < kPhaseCount; ++i)
                    if (phase == phaseName(static_cast<Phase>(i))) return number(m.phaseSeconds[static_cast<std::size_t>(i)]);
                return false;
            });
        return false;
    }

    void skipSpace() { while (m_at != m_end && (*m_at == ' ' || *m_at == '\t' || *m_at == '\r')) ++m_at; }
    bool take(char c)
    {
        skipSpace();
        if (m_at == m_end || *m_at != c) return false;
        ++m_at;
        return true;
    }
    bool plainString(std::string_view& out)
    {
        if (!take('"')) return false;
        const char* begin = m_at;
        while (m_at != m_end && *m_at != '"' && *m_at != '\\') ++m_at;
        if (m_at == m_end || *m_at == '\\') return false;
        out = {begin, static_cast<std::size_t>(m_at - begin)};
        ++m_at;
        return true;
    }
    template <class Int>
    bool integer(Int& out)
    {
        skipSpace();
        const auto [end, error] = std::from_chars(m_at, m_end, out);
        if (error != std::errc{} || (end != m_end && *end != ',' && *end != '}' && *end != ' ')) return false;
        m_at = end;
        return true;
    }
    bool number(double& out)
    {
        skipSpace();
        // from_chars also takes "nan" and "inf", which are not JSON: the general parser refuses them.
        if (m_at == m_end || !(*m_at == '-' || (*m_at >= '0' && *m_at <= '9'))) return false;
        if (*m_at == '-' && (m_at + 1 == m_end || m_at[1] < '0' || m_at[1] > '9')) return false;
        const auto [end, error] = std::from_chars(m_at, m_end, out);
        if (error != std::errc{}) return false;
        m_at = end;
        return true;
    }

    const char* m_at;
    const char* m_end;
    bool m_sawStep = false;
};

bool numberOf(const json& value, double& out)
{
    if (value.is_number()) out = value.get<double>();
    else if (value.is_null()) out = std::numeric_limits<double>::quiet_NaN();
    else if (value == "Infinity") out = std::numeric_limits<double>::infinity();
    else if (value == "-Infinity") out = -std::numeric_limits<double>::infinity();
    else return false;
    return true;
}

bool read(const json& object, const char* key, double& out)
{
    const auto it = object.find(key);
    return it == object.end() || numberOf(*it, out);
}

template <class Int>
bool readInteger(const json& object, const char* key, Int& out)
{
    const auto it = object.find(key);
    if (it == object.end()) return true;
    if (!it->is_number_integer()) return false;
    out = it->get<Int>();
    return true;
}

std::optional<StepMetrics> stepMetricsFromAnyJson(std::string_view line)
{
    const json object = parseJsonLine(line);
    if (!object.is_object() || !object.contains("step")) return std::nullopt;
    StepMetrics m;
    bool good = readInteger(object, "t_ns", m.timeNs) && readInteger(object, "rank", m.rank) && readInteger(object, "step", m.step)
        && read(object, "loss", m.loss) && read(object, "learningRate", m.learningRate) && read(object, "gradNorm", m.gradNorm)
        && read(object, "stepTime", m.stepSeconds) && read(object, "tokensPerSecond", m.tokensPerSecond)
        && readInteger(object, "rssBytes", m.rssBytes) && readInteger(object, "peakRssBytes", m.peakRssBytes)
        && readInteger(object, "allocatedBytes", m.allocatedBytes) && readInteger(object, "peakAllocatedBytes", m.peakAllocatedBytes)
        && readInteger(object, "droppedSpans", m.droppedSpans) && readInteger(object, "attempt", m.attempt);
    if (const auto phases = object.find("phases"); good && phases != object.end()) {
        good = phases->is_object();
        for (int i = 0; good && i < kPhaseCount; ++i)
            good = read(*phases, phaseName(static_cast<Phase>(i)), m.phaseSeconds[static_cast<std::size_t>(i)]);
    }
    return good ? std::optional(m) : std::nullopt;
}

}  // namespace

std::optional<StepMetrics> stepMetricsFromLine(std::string_view line)
{
    StepMetrics m;
    if (StepScanner(line).scan(m)) return m;
    return stepMetricsFromAnyJson(line);
}

std::string toLine(const EventRecord& event)
{
    std::string line = fmt::format(R"({{"t_ns":{},"rank":{},"kind":{})", event.timeNs, event.rank, jsonString(event.kind));
    if (event.attempt >= 0 && !event.fields.contains("attempt")) line += fmt::format(R"(,"attempt":{})", event.attempt);
    for (const auto& [key, value] : event.fields) {
        line += ',';
        line += jsonString(key);
        line += ':';
        // A field that is not JSON, by mistake of its writer, is taken for text: a line of the record is always whole.
        line += parseJsonLine(value).is_discarded() ? jsonString(value) : value;
    }
    line += '}';
    return line;
}

std::optional<EventRecord> eventFromJson(const json& object)
{
    if (!object.is_object()) return std::nullopt;
    EventRecord event;
    const auto kind = object.find("kind");
    if (kind == object.end() || !kind->is_string()) return std::nullopt;
    if (!readInteger(object, "t_ns", event.timeNs) || !readInteger(object, "rank", event.rank)) return std::nullopt;
    event.kind = kind->get<std::string>();
    // Which start it is of belongs to the event, but for a start's own, whose content it is.
    if (const auto attempt = object.find("attempt"); attempt != object.end() && attempt->is_number_integer()) event.attempt = attempt->get<int>();
    for (const auto& [key, value] : object.items())
        if (key != "t_ns" && key != "rank" && key != "kind" && (key != "attempt" || event.attempt < 0 || event.kind == "run_started"))
            event.fields.emplace(key, value.dump(-1, ' ', false, json::error_handler_t::replace));
    return event;
}

std::optional<EventRecord> eventFromLine(std::string_view line)
{
    return eventFromJson(parseJsonLine(line));
}

void setField(EventRecord& event, const std::string& key, std::string_view text) { event.fields[key] = jsonString(text); }
void setField(EventRecord& event, const std::string& key, const char* text) { setField(event, key, std::string_view(text)); }
void setField(EventRecord& event, const std::string& key, double number) { event.fields[key] = jsonNumber(number); }
void setField(EventRecord& event, const std::string& key, std::int64_t number) { event.fields[key] = std::to_string(number); }

std::string fieldText(const EventRecord& event, const std::string& key)
{
    const auto it = event.fields.find(key);
    if (it == event.fields.end()) return {};
    const json value = parseJsonLine(it->second);
    return value.is_string() ? value.get<std::string>() : it->second;
}

std::optional<double> fieldNumber(const EventRecord& event, const std::string& key)
{
    const auto it = event.fields.find(key);
    if (it == event.fields.end()) return std::nullopt;
    const json value = parseJsonLine(it->second);
    double number = 0;
    if (value.is_discarded() || !numberOf(value, number)) return std::nullopt;
    return number;
}

}  // namespace stagecraft
