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

std::vector<std::size_t> ShellValues::numbers(std::string_view text) const
{
    std::vector<std::size_t> found;
    walk(text, [](std::string_view) {}, [&](std::size_t number) {
        if (number < m_doubts.size() && found.size() < kMostAlternatives && std::find(found.begin(), found.end(), number) == found.end()) found.push_back(number);
    });
    return found;
}

std::string ShellValues::reasons(std::string_view text)
{
    std::string out;
    for (const std::size_t number : numbers(text)) {
        ShellDoubt doubt = m_doubts[number];
        if (doubt.kind == ShellDoubt::Kind::Default) continue;
        // As a whole these would stand for a value: of what nothing gives, of the round before.
        if (doubt.kind == ShellDoubt::Kind::Outside) doubt.kind = ShellDoubt::Kind::Printed;
        doubt.before.clear();
        doubt.unsetUnless.clear();
        out += mark(std::move(doubt));
    }
    return out;
}

/// The plain text with `other` in the place of what Default `number` stands in front of; nothing where that is not there any more.
std::optional<std::string> ShellValues::replaced(std::string_view text, std::size_t number, const std::string& other) const
{
    const std::string& holds = m_doubts[number].holds;
    std::string out;
    bool pending = false, lost = false;
    walk(text,
         [&](std::string_view part) {
             lost = lost || (pending && !part.starts_with(holds));
             if (pending && !lost) out += other + std::string(part.substr(holds.size()));
             else out += part;
             pending = false;
         },
         [&](std::size_t at) { pending = pending || at == number; });
    lost = lost || (pending && !holds.empty());
    if (pending && !lost) out += other;
    return lost ? std::nullopt : std::optional(out);
}

/// Whether only one part of a text has other values. Of several nobody knows which of them come together.
bool ShellValues::onePlace(std::string_view text) const
{
    std::map<std::size_t, std::size_t> begins;  // of each Default with other values, in the plain text
    std::size_t length = 0;
    walk(text, [&](std::string_view part) { length += part.size(); },
         [&](std::size_t number) {
             if (number < m_doubts.size() && m_doubts[number].kind == ShellDoubt::Kind::Default && !m_doubts[number].values.empty()) begins.try_emplace(number, length);
         });
    return std::all_of(begins.begin(), begins.end(), [&](const auto& one) { return one.second == begins.begin()->second; });
}

/// The other values of a Default as those of the whole word.
std::vector<ShellAlternative> ShellValues::whole(std::string_view text, std::size_t number) const
{
    const ShellDoubt& doubt = m_doubts[number];
    if (!onePlace(text)) return {};
    if (doubt.holds.find(' ') != std::string::npos) return doubt.values;  // of several words, and this is one
    std::vector<ShellAlternative> all;
    for (const ShellAlternative& value : doubt.values) {
        const auto text_ = replaced(text, number, value.text);
        if (!text_.has_value()) return {};
        all.push_back({*text_, value.line, value.known});
    }
    return all;
}

std::optional<std::string> ShellValues::derived(const std::string& marked, const std::function<std::optional<std::string>(const std::function<std::string(const std::string& marked)>& text)>& make)
{
    const auto result = make([](const std::string& text) { return plain(text); });
    if (!result.has_value()) return std::nullopt;
    std::string out;
    const bool together = !onePlace(marked);
    for (const std::size_t number : numbers(marked)) {
        if (m_doubts[number].kind != ShellDoubt::Kind::Default) continue;
        ShellDoubt doubt{ShellDoubt::Kind::Default, m_doubts[number].name, {}, *result};
        const std::vector<ShellAlternative> values = m_doubts[number].values;
        bool differs = values.empty();
        for (const ShellAlternative& value : values) {
            bool lost = !value.known || together;
            const auto other = lost ? std::nullopt : make([&](const std::string& text) {
                const auto changed = replaced(text, number, value.text);
                lost = lost || !changed.has_value();
                return changed.value_or(std::string());
            });
            lost = lost || !other.has_value();
            differs = differs || lost || *other != *result;
            if (lost) doubt.values.push_back({"...", 0, false});
            else if (*other != *result) doubt.values.push_back({*other, 0, true});
        }
        const auto known = std::find_if(doubt.values.begin(), doubt.values.end(), [](const ShellAlternative& value) { return !value.known; });
        if (known != doubt.values.end()) doubt.values.clear();  // what the others are is not known: it holds by default, and that is all
        if (differs) out += mark(std::move(doubt));
    }
    return out + *result;
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
    if (!word.known) {
        word.shown = shown(marked);
        return word;
    }
    const std::vector<std::size_t> all = numbers(marked);
    for (std::size_t i = 0; i < all.size() && all.size() == word.doubts.size(); ++i) word.doubts[i].values = whole(marked, all[i]);
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
        else if (name == "@") set(name, ShellValue{{mark({ShellDoubt::Kind::Printed, "@", {}})}, 0});  // how many there are is not known either
        else set(name, merged(name, values, plainStart, assumption));
    }
}

/// Adds what a text may be: its own Defaults' other values, the branches that it stands for, else itself.
void ShellValues::addAlternatives(const std::string& name, std::string_view text, int line, std::vector<ShellAlternative>& values) const
{
    const auto add = [&](ShellAlternative value) {
        const bool there = std::any_of(values.begin(), values.end(), [&](const ShellAlternative& told) { return told.text == value.text; });
        if (there) return;
        if (values.size() < kMostAlternatives) values.push_back(std::move(value));
        else values.back() = {"...", 0, false};
    };
    const ShellDoubt* only = nullptr;
    std::size_t others = 0;
    for (const std::size_t number : numbers(text)) {
        const ShellDoubt& doubt = m_doubts[number];
        if (doubt.kind == ShellDoubt::Kind::Default) {
            for (ShellAlternative& value : whole(text, number)) add(std::move(value));
            continue;
        }
        ++others;
        only = &doubt;
    }
    if (others == 1 && plain(text).empty() && only->kind == ShellDoubt::Kind::Branch) {
        for (const ShellAlternative& value : only->values) add(value);
    } else if (others == 1 && plain(text).empty() && only->kind == ShellDoubt::Kind::Loop && only->name == name && !only->before.empty()) {
        for (const ShellAlternative& value : only->before) add(value);
    } else {
        const std::string said = shown(text);
        add({cut(said), line, known(text) && said.size() <= kMostShown});
    }
}

std::vector<ShellAlternative> ShellValues::alternatives(const std::string& name, const std::optional<ShellValue>& value) const
{
    std::vector<ShellAlternative> values;
    if (value.has_value()) addAlternatives(name, value->joined(), value->line, values);
    else values.push_back({"", 0, true});
    return values;
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

    const auto middle = [&](std::size_t i) {
        ShellValue part{{}, parts[i]->line};
        for (std::size_t word = front; word + back < parts[i]->words.size(); ++word) part.words.push_back(parts[i]->words[word]);
        return part;
    };
    const bool decided = chosen.has_value() && parts[*chosen].has_value();
    ShellDoubt doubt{decided ? ShellDoubt::Kind::Default : ShellDoubt::Kind::Branch, decided ? assumption : name, {}};
    if (decided) doubt.holds = plain(front + back == 0 && !array ? values[*chosen]->joined() : middle(*chosen).joined());
    else if (chosen.has_value()) doubt.unsetUnless = assumption;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (decided && chosen == i) continue;
        const std::vector<ShellAlternative> these = alternatives(name, parts[i].has_value() ? std::optional(middle(i)) : std::nullopt);
        const auto all = parts[i].has_value() ? doubts(parts[i]->joined()) : std::vector<const ShellDoubt*>{};
        const bool given = decided && all.size() == 1 && !all.front()->unsetUnless.empty() && all.front()->unsetUnless == assumption;  // which is what this branch is for
        for (const ShellAlternative& value : these) {
            const bool told = std::any_of(doubt.values.begin(), doubt.values.end(), [&](const ShellAlternative& other) { return other.text == value.text; });
            if (told || (decided && value.known && value.text == doubt.holds && known(middle(*chosen).joined())) || (given && value.text.empty())) continue;
            if (doubt.values.size() < kMostAlternatives) doubt.values.push_back(value);
            else doubt.values.back() = {"...", 0, false};
        }
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
