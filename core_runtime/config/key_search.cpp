// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/key_catalog.h"

#include <algorithm>
#include <array>

namespace stagecraft {

namespace {

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool isWordPart(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80; }

std::string lowered(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        c = lowered(c);
    return out;
}

bool isHan(char c) { return static_cast<unsigned char>(c) >= 0x80; }

/// Words of the query: runs of letters, digits and '_', or of non-ASCII; everything else separates, and so does the change
/// between the two ("CPU卸载").
std::vector<std::string> queryWords(std::string_view query)
{
    std::vector<std::string> words(1);
    for (const char raw : query) {
        const char c = lowered(raw);
        if (!words.back().empty() && (isWordPart(c) || c == '_') && isHan(words.back().back()) != isHan(c))
            words.emplace_back();
        if (isWordPart(c) || c == '_')
            words.back() += c;
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

/// How well `word` names `name` (a key): 0 = not at all. `slips`: a letter more, less or other is forgiven.
int nameScore(std::string_view word, std::string_view name, bool slips)
{
    if (word == name)
        return 100;
    if (name.starts_with(word))
        return 80;
    if (const std::size_t at = name.find(word); at != std::string_view::npos)
        return name[at - 1] == '_' ? 70 : 50;
    // Parts of the key abbreviated: "rbs" or "redbucsiz" for reduce_bucket_size.
    std::size_t matched = 0;
    bool gap = false;
    for (std::size_t i = 0; i < name.size() && matched < word.size(); ++i) {
        const bool start = i == 0 || name[i - 1] == '_';
        if (name[i] == word[matched] && (start || !gap)) {
            ++matched;
            gap = false;
        } else {
            gap = true;
        }
    }
    if (matched == word.size() && word.size() >= 2)
        return 40;
    const int limit = !slips ? 0 : word.size() >= 8 ? 2 : word.size() >= 4 ? 1 : 0;
    if (limit > 0) {
        if (editDistance(word, name, limit) <= limit)
            return 45;
        for (std::size_t from = 0; from <= name.size();) {
            const std::size_t to = std::min(name.find('_', from), name.size());
            if (editDistance(word, name.substr(from, to - from), 1) <= 1)
                return 35;
            from = to + 1;
        }
    }
    return 0;
}

int textScore(std::string_view word, std::string_view text)
{
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool han = static_cast<unsigned char>(word.front()) >= 0x80;
        if (han || at == 0 || !isWordPart(text[at - 1]))
            return 20;
    }
    if (isHan(word.front())) {
        // Chinese writes no blanks: "梯度裁剪" also means a text that has the two apart. Pairs of characters, three bytes each.
        constexpr std::size_t kPair = 6;
        if (word.size() < 2 * kPair || word.size() % 3 != 0)
            return 0;
        for (std::size_t at = 0; at < word.size(); at += kPair)
            if (text.find(word.substr(std::min(at, word.size() - kPair), kPair)) == std::string_view::npos)
                return 0;
        return 12;
    }
    return word.size() >= 4 && text.find(word) != std::string_view::npos ? 8 : 0;
}

constexpr std::size_t kLeastBegun = 5;   ///< bytes of a query from which on it is the beginning of a name

/// A number with a unit ("500m", lowered) as files and help write it: digits alone, or as a power of ten. Else nothing.
std::vector<std::string> numberSpellings(std::string_view word)
{
    constexpr std::string_view kUnits = "kmgb";
    constexpr std::array<int, 4> kPowers{3, 6, 9, 9};
    const std::size_t unit = word.size() < 2 || word.size() > 9 ? std::string_view::npos : kUnits.find(word.back());
    std::string_view digits = word.substr(0, word.empty() ? 0 : word.size() - 1);
    if (unit == std::string_view::npos || digits.front() == '0' || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return {};
    int power = kPowers[unit];
    const std::string whole = std::string(digits) + std::string(static_cast<std::size_t>(power), '0');
    for (; digits.size() > 1 && digits.back() == '0'; digits.remove_suffix(1))
        ++power;
    return {whole, std::string(digits) + "e" + std::to_string(power)};
}

}  // namespace

std::string searchPhrase(std::string_view query)
{
    std::string phrase;
    for (const std::string& word : queryWords(query)) {
        if (!phrase.empty() && !isHan(phrase.back()) && !isHan(word.front()))
            phrase += ' ';
        phrase += word;
    }
    std::replace(phrase.begin(), phrase.end(), '_', ' ');
    return phrase;
}

int editDistance(std::string_view a, std::string_view b, int limit)
{
    const std::size_t apart = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (apart > static_cast<std::size_t>(limit))
        return limit + 1;
    constexpr std::size_t kLongest = 96;
    if (a.size() >= kLongest || b.size() >= kLongest)
        return a == b ? 0 : limit + 1;
    std::array<std::array<int, kLongest>, 3> rows{};
    for (std::size_t j = 0; j <= b.size(); ++j)
        rows[0][j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        auto& row = rows[i % 3];
        const auto& above = rows[(i + 2) % 3];
        const auto& twoAbove = rows[(i + 1) % 3];
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], twoAbove[j - 2] + 1);
        }
    }
    return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

std::vector<CatalogMatch> KeyCatalog::search(std::string_view query) const
{
    std::vector<CatalogMatch> matches;
    const std::vector<std::string> words = queryWords(query);
    if (words.empty())
        return matches;
    std::vector<int> asPhrase(m_keys.size(), 0);  // what the whole query is called by, the first meant most
    if (const auto known = m_phrases.find(searchPhrase(query)); known != m_phrases.end())
        for (std::size_t place = 0; place < known->second.size(); ++place) {
            int& score = asPhrase[static_cast<std::size_t>(known->second[place])];
            score = std::max(score, 150 - std::min(10 * static_cast<int>(place), 60));
        }
    // What such a name begins with, while it is typed.
    if (const std::string phrase = searchPhrase(query); phrase.size() >= kLeastBegun)
        for (auto known = m_phrases.upper_bound(phrase); known != m_phrases.end() && known->first.starts_with(phrase); ++known)
            for (const int id : known->second)
                asPhrase[static_cast<std::size_t>(id)] = std::max(asPhrase[static_cast<std::size_t>(id)], 50);
    // A word that stands somewhere as it was typed is no slip of another: "nvme" is not "name"; nor is what people call a key so.
    std::vector<bool> slips(words.size(), m_phrases.find(searchPhrase(query)) == m_phrases.end());
    for (std::size_t place = 0; place < words.size(); ++place)
        for (std::size_t id = 0; id < m_keys.size() && slips[place]; ++id)
            slips[place] = textScore(words[place], m_haystacks[id]) == 0 && lowered(m_keys[id].pointer).find(words[place]) == std::string::npos;
    for (int id = 0; id < static_cast<int>(m_keys.size()); ++id) {
        const CatalogKey& entry = key(id);
        const std::string name = lowered(entry.name());
        const std::string path = lowered(entry.pointer);
        std::string group = lowered(m_groups[static_cast<std::size_t>(entry.group)].title.en) + "\n" + m_groups[static_cast<std::size_t>(entry.group)].title.zh;
        for (const auto& [condition, values] : entry.when)
            for (const std::string& value : values)
                group += "\n" + lowered(value);
        int total = 0;
        for (std::size_t place = 0; place < words.size(); ++place) {
            const std::string& word = words[place];
            int best = 2 * nameScore(word, name, slips[place]);
            if (best < 200)
                for (const std::string& alias : entry.aliases)
                    best = std::max(best, nameScore(word, lowered(std::string_view(alias).substr(alias.rfind('/') + 1)), slips[place]) * 3 / 2);
            if (best < 90)
                for (std::size_t from = 1; from < path.size();) {
                    const std::size_t to = std::min(path.find('/', from), path.size());
                    best = std::max(best, nameScore(word, std::string_view(path).substr(from, to - from), slips[place]) * 9 / 10);
                    from = to + 1;
                }
            best = std::max({best, textScore(word, m_haystacks[static_cast<std::size_t>(id)]), textScore(word, group)});
            if (best < 30 && textScore(word, m_words[static_cast<std::size_t>(id)]) > 0)
                best = 30;
            // A value of the key ("stage 3", "device nvme") says more than a name that begins like it.
            if (!entry.isSection() && std::any_of(entry.values.begin(), entry.values.end(), [&](const std::string& value) { return lowered(value) == word || lowered(value) == '"' + word + '"'; }))
                best = std::max(best, 110);
            for (const std::string& number : numberSpellings(word))
                best = std::max(best, textScore(number, m_haystacks[static_cast<std::size_t>(id)]));
            if (best == 0) {
                total = 0;
                break;
            }
            total += best;
        }
        total += asPhrase[static_cast<std::size_t>(id)];
        if (total == 0)
            continue;
        // What DeepSpeed does not read comes behind what it does, unless it is named itself. Among equals shallow comes before deep.
        if (entry.reading != KeyReading::Read || entry.deprecated || !entry.removedIn.empty())
            total = words.size() == 1 && words.front() == name ? total - 15 : total / 2;
        total -= static_cast<int>(std::count(path.begin(), path.end(), '/'));
        // The whole path typed: nothing else is meant.
        std::string dotted = lowered(query);
        std::replace(dotted.begin(), dotted.end(), '.', '/');
        if (dotted == path || "/" + dotted == path)
            total += 1000;
        matches.push_back({id, total});
    }
    std::stable_sort(matches.begin(), matches.end(), [](const CatalogMatch& a, const CatalogMatch& b) { return a.score > b.score; });
    return matches;
}

}  // namespace stagecraft
