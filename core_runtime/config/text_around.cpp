// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/text_around.h"

#include "config/hjson_reader.h"
#include "config/key_catalog.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kMark = "\xEF\xBB\xBF";   // a byte order mark is nobody's words
constexpr std::string_view kWideColon = "\uff1a";
/// Braces that are looked at: "{0,1}" and "${HOME}" stand in sentences and commands, too.
constexpr int kMostBlocks = 16;
/// Braces that are never closed and hold nothing, behind which the search begins anew.
constexpr int kMostOpen = 3;

bool isBlank(char c) { return kBlank.find(c) != std::string_view::npos; }

/// The byte behind the run of blanks and comments at `at`.
std::size_t pastComments(std::string_view text, std::size_t at)
{
    while (at < text.size()) {
        const std::string_view rest = text.substr(at, 2);
        if (isBlank(text[at])) {
            ++at;
        } else if (rest.front() == '#' || rest == "//") {
            at = std::min(text.find('\n', at), text.size());
        } else if (rest == "/*" && text.find("*/", at + 2) != std::string_view::npos) {
            at = text.find("*/", at + 2) + 2;
        } else {
            break;
        }
    }
    return at;
}

/// The byte behind the text in quotes at `at`, which ends with its line at the latest; behind ''' with the next '''.
std::size_t pastQuotes(std::string_view text, std::size_t at)
{
    if (text.substr(at, 3) == "'''") {
        const std::size_t end = text.find("'''", at + 3);
        return end == std::string_view::npos ? text.size() : end + 3;
    }
    const char quote = text[at];
    for (++at; at < text.size() && text[at] != '\n'; ++at) {
        if (text[at] == quote) {
            return at + 1;
        }
        at += text[at] == '\\' ? 1 : 0;
    }
    return std::min(at, text.size());
}

/// What a brace opens.
struct Block {
    ByteRange range;
    bool keys = false;    ///< a colon follows a name in it
    bool closed = false;
    bool fenced = false;
};

bool isFence(std::string_view text, std::size_t at) { return text.substr(at, 3) == "```" || text.substr(at, 3) == "~~~"; }

/// Reads on from the brace at `open` to the one that closes it, to the end of its fence, or to the end of the text. Knows quotes and comments,
/// and asks nothing else of what stands inside.
Block blockAt(std::string_view text, std::size_t open)
{
    Block block;
    int depth = 0;
    std::size_t at = open;
    while (at < text.size() && !block.closed && !isFence(text, at)) {
        const char c = text[at];
        // a comment or a single quote begins only where a name or a value may
        const bool begins = (c == '\'' || c == '#' || c == '/') && (at == open || isBlank(text[at - 1]) || std::string_view("{[,:]}").find(text[at - 1]) != std::string_view::npos);
        if (c == '"' || (c == '\'' && begins)) {
            at = pastQuotes(text, at);
            continue;
        }
        if (begins && (c == '#' || text.substr(at, 2) == "//" || text.substr(at, 2) == "/*")) {
            at = std::max(pastComments(text, at), at + 1);
            continue;
        }
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        block.closed = depth == 0;
        block.keys = block.keys || (depth == 1 && at > open && (c == ':' || text.substr(at, kWideColon.size()) == kWideColon));
        ++at;
    }
    block.range = {open, text.find_last_not_of(kBlank, at - 1) + 1};
    return block;
}

/// Whether a word without quotes before the braces of `block` names a config and is no key of one: none of DeepSpeed's, and what is in the braces is a config.
bool namesConfig(std::string_view word, std::string_view block)
{
    static constexpr std::string_view kMarks[] = {"train_batch_size", "train_micro_batch_size_per_gpu", "zero_optimization"};
    return word.find_first_of("\"'{}[]") == std::string_view::npos && KeyCatalog::standard().find("/" + std::string(word)) < 0 &&
           std::any_of(std::begin(kMarks), std::end(kMarks), [&](std::string_view mark) { return block.find(mark) != std::string_view::npos; });
}

/// Whether the brace that opens `block` may open the value of a key or an element, so that what stands before it belongs to it.
bool isPart(std::string_view text, const ByteRange& block)
{
    const std::size_t open = block.begin;
    const std::size_t before = open == 0 ? std::string_view::npos : text.find_last_not_of(kBlank, open - 1);
    if (before == std::string_view::npos) {
        return false;
    }
    const std::size_t begin = text.rfind('\n', before) + 1;   // 0 where there is none
    const std::string_view line = text.substr(begin, before - begin);
    const std::size_t word = std::min(line.find_first_not_of(kBlank), line.size());
    const bool alone = line.find_first_of(kBlank, word) == std::string_view::npos && text.find('\n', before) > open;
    const bool name = alone && !namesConfig(line.substr(word), text.substr(block.begin, block.size()));
    return text[before] == '[' || text[before] == ',' || (text[before] == ':' && (name || line.find('"') != std::string_view::npos));
}

/// Something like "{stage: 3}" in a sentence.
bool isPhrase(std::string_view block)
{
    return block.find_first_of("\"'\n") == std::string_view::npos && block.find("\u201c") == std::string_view::npos && block.find("\u201d") == std::string_view::npos;
}

/// The content of the fence whose marks end at `at` where it is a config without its outer braces: it begins with a name in quotes.
std::optional<Block> fencedKeys(std::string_view text, std::size_t at)
{
    const std::size_t begin = text.find_first_not_of(kBlank, std::min(text.find('\n', at), text.size()));
    if (begin == std::string_view::npos || text[begin] != '"' || text.substr(pastQuotes(text, begin), 1) != ":") {
        return std::nullopt;
    }
    std::size_t end = begin;
    while (end < text.size() && !isFence(text, end)) {
        ++end;
    }
    return Block{{begin, text.find_last_not_of(kBlank, end - 1) + 1}, true, true, true};
}

/// The blocks that hold keys. What closes a brace too many, or goes on after a comma, still belongs to the block before it.
std::vector<Block> blocksWithKeys(std::string_view text)
{
    std::vector<Block> found;
    bool fence = false;
    int blocks = 0, open = 0;
    for (std::size_t at = 0; at < text.size() && blocks < kMostBlocks && open < kMostOpen;) {
        if (isFence(text, at)) {
            fence = !fence;
            at = std::min(text.find_first_not_of(text[at], at), text.size());
            if (const auto bare = fence ? fencedKeys(text, at) : std::nullopt) {
                found.push_back(*bare);
                at = bare->range.end;
            }
            continue;
        }
        // words may have "//" and "#" of their own: a comment begins with its line, or has an end
        if (const std::size_t past = at == 0 || text[at - 1] == '\n' || text.substr(at, 2) == "/*" ? pastComments(text, at) : at; past > at) {
            at = past;
            continue;
        }
        if (text[at] != '{') {
            ++at;
            continue;
        }
        ++blocks;
        Block block = blockAt(text, at);
        if (!block.keys || (at > 0 && text[at - 1] == '$')) {
            open += block.closed ? 0 : 1;
            at = block.closed ? block.range.end : at + 1;
            continue;
        }
        block.fenced = fence;
        std::size_t next = text.find_first_not_of(kBlank, block.range.end);
        while (block.closed && next != std::string_view::npos && (text[next] == '}' || text[next] == ']')) {
            block.range.end = next + 1;
            next = text.find_first_not_of(kBlank, next + 1);
        }
        if (next != std::string_view::npos && text[next] == ',') {
            std::size_t end = next;
            while (end < text.size() && !isFence(text, end)) {
                ++end;
            }
            block.range.end = text.find_last_not_of(kBlank, end - 1) + 1;
        }
        at = pastComments(text, block.range.end);
        found.push_back(block);
    }
    return found;
}

/// Whether a phrase is a config all the same: where nothing else is, and the reader takes it.
bool readsAsConfig(std::string_view block)
{
    const ReadText read = readHjson(block);
    return !read.problem.has_value() && !read.root.members.empty();
}

}  // namespace

std::optional<TextAround> textAround(std::string_view text)
{
    std::vector<Block> blocks = blocksWithKeys(text);
    const bool fenced = std::any_of(blocks.begin(), blocks.end(), [](const Block& each) { return each.fenced; });
    std::erase_if(blocks, [&](const Block& each) { return fenced && !each.fenced; });
    const auto phrase = [&](const Block& each) { return isPhrase(text.substr(each.range.begin, each.range.size())); };
    if (!std::all_of(blocks.begin(), blocks.end(), phrase)) {
        std::erase_if(blocks, phrase);
    } else {
        std::erase_if(blocks, [&](const Block& each) { return !readsAsConfig(text.substr(each.range.begin, each.range.size())); });
    }
    if (blocks.empty() || std::any_of(blocks.begin(), blocks.end(), [&](const Block& each) { return isPart(text, each.range); })) {
        return std::nullopt;
    }
    TextAround around;
    for (const Block& block : blocks) {
        around.configs.push_back(block.range);
    }
    const ByteRange& config = around.configs.front();
    const std::size_t first = pastComments(text, text.starts_with(kMark) ? kMark.size() : 0);
    around.first = first < config.begin ? first : pastComments(text, config.end);
    return blocks.size() == 1 && around.first == text.size() ? std::nullopt : std::optional(around);
}

std::string withoutAround(std::string_view text, const ByteRange& config)
{
    std::string blanked;
    blanked.reserve(text.size());
    for (std::size_t i = 0; i < config.begin; ++i) {
        if (text[i] == '\n' || text[i] == '\r') {
            blanked += text[i];
        } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
            blanked += ' ';
        }
    }
    blanked += text.substr(config.begin, config.size());
    return blanked;
}

}  // namespace stagecraft
