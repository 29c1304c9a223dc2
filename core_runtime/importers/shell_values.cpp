// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/shell_values.h"

#include <algorithm>
#include <charconv>

namespace stagecraft {

namespace {

constexpr std::size_t kMostDoubts = 10'000;
constexpr std::size_t kMostAlternatives = 8;
constexpr std::size_t kMostShown = 120;  ///< bytes of an alternative

// A mark is kBegin, the doubt's number and kEnd; neither byte is left in a script that is read.
constexpr char kBegin = '\x01';
constexpr char kEnd = '\x02';

/// Calls text(part) and mark(number) in turn.
template <typename Text, typename Mark>
void walk(std::string_view marked, Text text, Mark mark)
{
    for (std::size_t at = 0; at < marked.size();) {
        const std::size_t begin = std::min(marked.find(kBegin, at), marked.size());
        if (begin > at) text(marked.substr(at, begin - at));
        if (begin >= marked.size()) return;
        const std::size_t end = std::min(marked.find(kEnd, begin), marked.size());
        std::size_t number = 0;
        std::from_chars(marked.data() + begin + 1, marked.data() + end, number);
        mark(number);
        at = end + 1;
    }
}

std::string spelled(const ShellDoubt& doubt) { return doubt.name.empty() ? "$(...)" : "$" + doubt.name; }

std::string cut(std::string text)
{
    if (text.size() <= kMostShown) return text;
    std::size_t end = kMostShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + "...";
}

std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> words;
    for (std::size_t at = text.find_first_not_of(" \t\n"); at < text.size(); at = text.find_first_not_of(" \t\n", at)) {
        const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

}  // namespace

std::string ShellValue::joined() const
{
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) out += (i > 0 ? " " : "") + words[i];
    return out;
}

std::string ShellValues::mark(ShellDoubt doubt)
{
    if (m_doubts.size() >= kMostDoubts) return std::string{kBegin} + std::to_string(kMostDoubts) + kEnd;
    m_doubts.push_back(std::move(doubt));
    return std::string{kBegin} + std::to_string(m_doubts.size() - 1) + kEnd;
}

std::vector<const ShellDoubt*> ShellValues::doubts(std::string_view text) const
{
    static const ShellDoubt kSomething;
    std::vector<const ShellDoubt*> found;
    walk(text, [](std::string_view) {}, [&](std::size_t number) {
        const ShellDoubt* doubt = number < m_doubts.size() ? &m_doubts[number] : &kSomething;
        if (found.size() < kMostAlternatives && std::find(found.begin(), found.end(), doubt) == found.end()) found.push_back(doubt);
    });
    return found;
}

bool ShellValues::known(std::string_view text) const
{
    bool known = true;
    walk(text, [](std::string_view) {}, [&](std::size_t number) { known = known && number < m_doubts.size() && m_doubts[number].kind == ShellDoubt::Kind::Default; });
    return known;
}

std::string ShellValues::marks(std::string_view text, bool unknown) const
{
    std::string out;
    walk(text, [](std::string_view) {}, [&](std::size_t number) {
        if (unknown && number < m_doubts.size() && m_doubts[number].kind == ShellDoubt::Kind::Default) return;
        out += std::string{kBegin} + std::to_string(number) + kEnd;
    });
    return out;
}

std::string ShellValues::plain(std::string_view text)
{
    std::string out;
    walk(text, [&](std::string_view part) { out += part; }, [](std::size_t) {});
    return out;
}

std::string ShellValues::shown(std::string_view text) const
{
    std::string out;
    walk(text, [&](std::string_view part) { out += part; }, [&](std::size_t number) {
        if (number >= m_doubts.size()) out += "$(...)";
        else if (m_doubts[number].kind != ShellDoubt::Kind::Default) out += spelled(m_doubts[number]);
    });
    return out;
}

ShellWord ShellValues::word(const std::string& marked, int line) const
{
    if (marked.find(kBegin) == std::string::npos) return {marked, line, true};
    ShellWord word{plain(marked), line, known(marked)};
    for (const ShellDoubt* doubt : doubts(marked)) word.doubts.push_back(*doubt);
    if (!word.known) word.shown = shown(marked);
    return word;
}

const ShellValue* ShellValues::find(const std::string& name) const
{
    const auto found = m_values.find(name);
    return found == m_values.end() ? nullptr : &found->second;
}

void ShellValues::set(const std::string& name, std::optional<ShellValue> value)
{
    const auto there = m_values.find(name);
    if (!m_open.empty() && m_open.back().count(name) == 0) m_open.back()[name] = there == m_values.end() ? std::nullopt : std::optional(there->second);
    if (value.has_value()) m_values.insert_or_assign(name, std::move(*value));
    else if (there != m_values.end()) m_values.erase(there);
}

ShellChanges ShellValues::close()
{
    ShellChanges before = std::move(m_open.back());
    m_open.pop_back();
    for (auto& [name, value] : before) {
        const auto there = m_values.find(name);
        std::optional<ShellValue> now = there == m_values.end() ? std::nullopt : std::optional(std::move(there->second));
        if (value.has_value()) m_values.insert_or_assign(name, std::move(*value));
        else if (there != m_values.end()) m_values.erase(there);
        value = std::move(now);
    }
    return before;
}

void ShellValues::apply(const ShellChanges& changes)
{
    for (const auto& [name, value] : changes) set(name, value);
}

void ShellValues::merge(const std::vector<ShellBranch>& branches, std::optional<std::size_t> chosen, const std::string& assumption)
{
    std::vector<const ShellBranch*> reached;
    std::optional<std::size_t> plainStart;
    for (std::size_t i = 0; i < branches.size(); ++i) {
        if (branches[i].ended != ShellEnd::None) continue;
        if (chosen == i) plainStart = reached.size();
        reached.push_back(&branches[i]);
    }
    if (reached.size() == 1) return apply(reached.front()->changes);
    ShellChanges all;
    for (const ShellBranch* branch : reached) {
        for (const auto& [name, value] : branch->changes) all[name];
    }
    for (auto& [name, value] : all) {
        const ShellValue* before = find(name);
        std::vector<std::optional<ShellValue>> values;
        for (const ShellBranch* branch : reached) {
            const auto changed = branch->changes.find(name);
            values.push_back(changed != branch->changes.end() ? changed->second : before != nullptr ? std::optional(*before) : std::nullopt);
        }
        const bool agree = std::all_of(values.begin(), values.end(), [&](const auto& other) { return other.has_value() == values.front().has_value() && (!other.has_value() || other->words == values.front()->words); });
        if (agree) set(name, values.front());
        else set(name, merged(name, values, plainStart, assumption));
    }
}

/// `value` without its first `from` and last `back` words.
ShellAlternative ShellValues::alternative(const std::optional<ShellValue>& value, std::size_t from, std::size_t back) const
{
    if (!value.has_value()) return {"", 0, true};
    ShellValue part{{}, value->line};
    for (std::size_t i = from; i + back < value->words.size(); ++i) part.words.push_back(value->words[i]);
    const std::string text = part.joined();
    return {cut(shown(text)), value->line, known(text) && text.size() <= kMostShown};
}

/// The doubt that stands for the whole of such a part, else null.
const ShellDoubt* ShellValues::onlyBranch(const std::optional<ShellValue>& value, std::size_t from, std::size_t back) const
{
    if (!value.has_value() || value->words.size() != from + back + 1 || !plain(value->words[from]).empty()) return nullptr;
    const auto all = doubts(value->words[from]);
    return all.size() == 1 && all.front()->kind == ShellDoubt::Kind::Branch ? all.front() : nullptr;
}

/// The words that the values begin and end with stay known: options that a branch adds leave the others as they are.
ShellValue ShellValues::merged(const std::string& name, const std::vector<std::optional<ShellValue>>& values, std::optional<std::size_t> chosen, const std::string& assumption)
{
    const bool array = std::any_of(values.begin(), values.end(), [](const auto& value) { return value.has_value() && value->words.size() > 1; });
    std::vector<std::optional<ShellValue>> parts = values;
    for (auto& value : parts) {
        if (value.has_value() && !array) value->words = split(value->words.empty() ? std::string() : value->words.front());
    }
    const auto words = [&](std::size_t i) -> std::size_t { return parts[i].has_value() ? parts[i]->words.size() : 0; };
    std::size_t shortest = words(0), front = 0, back = 0;
    for (std::size_t i = 1; i < parts.size(); ++i) shortest = std::min(shortest, words(i));
    const auto same = [&](auto at) { return std::all_of(parts.begin(), parts.end(), [&](const auto& value) { return at(*value) == at(*parts.front()); }); };
    while (front < shortest && same([&](const ShellValue& value) { return value.words[front]; })) ++front;
    while (front + back < shortest && same([&](const ShellValue& value) { return value.words[value.words.size() - 1 - back]; })) ++back;

    const bool decided = chosen.has_value() && parts[*chosen].has_value();
    ShellDoubt doubt{decided ? ShellDoubt::Kind::Default : ShellDoubt::Kind::Branch, decided ? assumption : name, {}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const ShellDoubt* several = onlyBranch(parts[i], front, back);
        if (several != nullptr && doubt.kind == several->kind && doubt.name == several->name) {  // of two tests in a row
            for (const ShellAlternative& value : several->values) doubt.values.push_back(value);
            if (doubt.values.size() > kMostAlternatives) doubt.values.resize(kMostAlternatives), doubt.values.back() = {"...", 0, false};
            continue;
        }
        ShellAlternative other = alternative(parts[i], front, back);
        const bool there = std::any_of(doubt.values.begin(), doubt.values.end(), [&](const ShellAlternative& told) { return told.text == other.text; });
        if (there || (decided && chosen == i)) continue;
        if (doubt.values.size() < kMostAlternatives) doubt.values.push_back(std::move(other));
        else doubt.values.back() = {"...", 0, false};
    }
    const std::string doubted = mark(std::move(doubt));
    const auto set = std::find_if(parts.begin(), parts.end(), [](const auto& value) { return value.has_value(); });
    const ShellValue& base = decided ? *parts[*chosen] : **set;
    if (front + back == 0 && !array) return {{decided ? doubted + values[*chosen]->joined() : doubted}, base.line};
    ShellValue result{{}, base.line};
    result.words.assign(base.words.begin(), base.words.begin() + static_cast<std::ptrdiff_t>(front));
    for (std::size_t i = front; decided && i + back < base.words.size(); ++i) result.words.push_back(doubted + base.words[i]);
    if (!decided || front + back == base.words.size()) result.words.push_back(doubted);
    result.words.insert(result.words.end(), base.words.end() - static_cast<std::ptrdiff_t>(back), base.words.end());
    if (!array) result.words = {result.joined()};
    return result;
}

}  // namespace stagecraft
