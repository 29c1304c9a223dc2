// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/yaml_reader.h"

#include "base/utf8.h"
#include "importers/yaml_problem.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace stagecraft {

namespace {

/// Leaves the parser's callbacks; yaml-cpp itself speaks in exceptions too.
struct Stop : std::runtime_error {
    Stop(TextPlace place, YamlProblem problem, const std::string& detail = {}) : std::runtime_error("stop"), error(yamlError(place, problem, detail)) {}
    Error error;
};

std::size_t countOf(const ConfigValue& value)
{
    std::size_t count = 1;
    for (const ConfigValue& item : value.items) count += countOf(item);
    for (const ConfigMember& member : value.members) count += countOf(member.value);
    return count;
}

int depthOf(const ConfigValue& value)
{
    int deepest = 0;
    for (const ConfigValue& item : value.items) deepest = std::max(deepest, depthOf(item));
    for (const ConfigMember& member : value.members) deepest = std::max(deepest, depthOf(member.value));
    return deepest + 1;
}

/// Builds the tree from the events of one document.
class Builder : public YAML::EventHandler {
public:
    Builder(YamlDialect dialect, const YamlLimits& limits) : m_dialect(dialect), m_limits(limits) {}

    YamlText result;
    int documents = 0;
    YAML::Mark lastQuoted;

    void OnDocumentStart(const YAML::Mark& mark) override
    {
        if (++documents > 1) throw Stop(at(mark), YamlProblem::Documents);
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        ConfigValue value;
        value.place = at(mark);
        put(std::move(value), anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& word) override
    {
        ConfigValue value;
        if (tag == "?" || tag.empty()) value = yamlScalar(word, m_dialect);
        else if (tag == "!" || tag == "tag:yaml.org,2002:str") {
            value = ConfigValue::ofString(word);
            lastQuoted = mark;
        }
        else if (core(tag)) value = yamlScalar(word, m_dialect);
        else throw Stop(at(mark), YamlProblem::PythonTag, tag);
        value.place = at(mark);
        put(std::move(value), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto found = m_anchors.find(anchor);
        if (found == m_anchors.end()) throw Stop(at(mark), YamlProblem::AliasInside);
        count(at(mark), found->second.count - 1);  // put() counts one
        if (static_cast<int>(m_open.size()) + found->second.depth > m_limits.depth) tooDeep(at(mark));
        ConfigValue copy = found->second.value;
        copy.place = at(mark);
        put(std::move(copy), 0);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override { open(mark, tag, anchor, ConfigValue::Kind::List); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override { open(mark, tag, anchor, ConfigValue::Kind::Object); }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        ConfigValue value;
        YAML::anchor_t anchor = 0;
        bool hasKey = false;
        std::string key;
        TextPlace keyPlace;
        std::set<std::string> keys;
        std::vector<ConfigValue> merged;
    };
    struct Anchored {
        ConfigValue value;
        std::size_t count = 0;
        int depth = 0;
    };

    static TextPlace at(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }
    static bool core(const std::string& tag)
    {
        static const std::set<std::string> kTags{"tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null",
                                                 "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"};
        return kTags.count(tag) > 0;
    }
    [[noreturn]] void tooDeep(TextPlace place) const { throw Stop(place, YamlProblem::Deep, std::to_string(m_limits.depth)); }
    void count(TextPlace place, std::size_t more)
    {
        m_values += more;
        if (m_values > m_limits.values) throw Stop(place, YamlProblem::Values, std::to_string(m_limits.values));
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, ConfigValue::Kind kind)
    {
        if (!tag.empty() && tag != "?" && tag != "!" && !core(tag)) throw Stop(at(mark), YamlProblem::PythonTag, tag);
        if (static_cast<int>(m_open.size()) >= m_limits.depth) tooDeep(at(mark));
        Open open;
        open.value.kind = kind;
        open.value.place = at(mark);
        open.anchor = anchor;
        m_open.push_back(std::move(open));
    }

    void close()
    {
        Open done = std::move(m_open.back());
        m_open.pop_back();
        for (const ConfigValue& from : done.merged) {  // own keys win, then the first of the merged ones
            for (const ConfigMember& member : from.members) {
                if (done.value.find(member.key) == nullptr) done.value.members.push_back(member);
            }
        }
        put(std::move(done.value), done.anchor);
    }

    void put(ConfigValue value, YAML::anchor_t anchor)
    {
        count(value.place, 1);
        if (anchor != 0) m_anchors[anchor] = {value, countOf(value), depthOf(value)};
        if (m_open.empty()) {
            result.root = std::move(value);
            return;
        }
        Open& parent = m_open.back();
        if (parent.value.kind == ConfigValue::Kind::List) {
            parent.value.items.push_back(std::move(value));
        } else if (!parent.hasKey) {
            if (value.isObject() || value.isList()) throw Stop(value.place, YamlProblem::Key);
            parent.key = value.isString() ? value.text : toJson(value);
            parent.keyPlace = value.place;
            parent.hasKey = true;
        } else {
            parent.hasKey = false;
            member(parent, std::move(value));
        }
    }

    void member(Open& parent, ConfigValue value)
    {
        if (parent.key == "<<") {
            if (value.isObject()) {
                parent.merged.push_back(std::move(value));
            } else {
                for (ConfigValue& item : value.items) {
                    if (!item.isObject()) throw Stop(item.place, YamlProblem::Merge);
                    parent.merged.push_back(std::move(item));
                }
                if (!value.isList()) throw Stop(value.place, YamlProblem::Merge);
            }
            return;
        }
        if (!parent.keys.insert(parent.key).second) {
            if (m_dialect == YamlDialect::OmegaConf) throw Stop(parent.keyPlace, YamlProblem::Twice, parent.key);
            if (result.repeatedKeys.size() < 100) result.repeatedKeys.push_back("line " + std::to_string(parent.keyPlace.line) + ": \"" + parent.key + "\"");
            for (ConfigMember& old : parent.value.members) {
                if (old.key == parent.key) {
                    old.keyPlace = parent.keyPlace;
                    old.value = std::move(value);
                    return;
                }
            }
        }
        parent.value.members.push_back({std::move(parent.key), parent.keyPlace, std::move(value)});
    }

    YamlDialect m_dialect;
    YamlLimits m_limits;
    std::size_t m_values = 0;
    std::vector<Open> m_open;
    std::map<YAML::anchor_t, Anchored> m_anchors;
};

/// yaml-cpp takes a quote that is never closed for a text up to the end of the file.
bool openQuote(std::string_view text, std::size_t at)
{
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) return false;
    const char quote = text[at];
    for (++at; at < text.size(); ++at) {
        if (quote == '"' && text[at] == '\\') ++at;
        else if (text[at] == quote && quote == '\'' && at + 1 < text.size() && text[at + 1] == quote) ++at;
        else if (text[at] == quote) return false;
    }
    return true;
}

/// yaml-cpp takes a tab in the indentation for a part of the text.
bool tabIndents(std::string_view text, int line)
{
    std::size_t at = 0;
    for (; line > 1 && at < text.size(); --line) at = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::size_t begins = std::min(text.find_first_not_of(" \t", at), text.size());
    return text.substr(at, begins - at).find('\t') != std::string_view::npos;
}

/// yaml-cpp reads flow collections and keys recursively, and looks far ahead for a ':': deep or endless ones are refused
/// before it sees them. Quotes and comments may hide brackets, which only makes this count too strict, never too lax.
std::optional<Error> tooHostile(std::string_view text, const YamlLimits& limits)
{
    if (text.size() > limits.bytes) return yamlError({1, 1}, YamlProblem::Large, std::to_string(limits.bytes >> 20));
    if (const auto bad = firstBadByte(text)) {
        return yamlError({static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*bad), '\n')) + 1, 1}, YamlProblem::Encoding);
    }
    TextPlace place{1, 1};
    int open = 0;
    std::size_t indent = 0, dashes = 0;
    bool lineStart = true;
    for (const char c : text) {
        if (c == '\n') {
            ++place.line;
            place.column = 1;
            lineStart = true;
            indent = dashes = 0;
            continue;
        }
        ++place.column;
        if (c == '\0') return yamlError(place, YamlProblem::ZeroByte);
        if (lineStart && (c == '-' || c == '?' || c == ' ' || c == ':')) {
            dashes += c != ' ' ? 1U : 0U;
            indent += c == ' ' ? 1U : 0U;
            if (dashes > static_cast<std::size_t>(limits.depth)) return yamlError(place, YamlProblem::Deep, std::to_string(limits.depth));
            if (indent > 4096) return yamlError(place, YamlProblem::Indent);
        } else {
            lineStart = false;
        }
        if (c == '[' || c == '{') ++open;
        if ((c == ']' || c == '}') && open > 0) --open;
        if (open > limits.depth) return yamlError(place, YamlProblem::Deep, std::to_string(limits.depth));
    }
    return std::nullopt;
}

}  // namespace

Result<YamlText> readYaml(std::string_view text, YamlDialect dialect, const YamlLimits& limits)
{
    if (auto hostile = tooHostile(text, limits)) return *hostile;
    std::istringstream stream{std::string(text)};
    Builder builder(dialect, limits);
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {}
    } catch (const Stop& stop) {
        return stop.error;
    } catch (const YAML::Exception& error) {
        const TextPlace place = error.mark.is_null() ? TextPlace{1, 1} : TextPlace{error.mark.line + 1, error.mark.column + 1};
        return yamlError(place, tabIndents(text, place.line) ? YamlProblem::Tab : yamlProblemOf(error.msg));
    } catch (const std::exception&) {  // out of a library that may throw anything
        return yamlError({1, 1}, YamlProblem::Other);
    }
    if (builder.lastQuoted.pos > 0 && openQuote(text, static_cast<std::size_t>(builder.lastQuoted.pos))) {
        return yamlError({builder.lastQuoted.line + 1, builder.lastQuoted.column + 1}, YamlProblem::Quote);
    }
    return std::move(builder.result);
}

}  // namespace stagecraft
