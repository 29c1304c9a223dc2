// SPDX-License-Identifier: GPL-3.0-or-later
// What findings say, from the messages of both languages, where they stand, and the patches they offer.
#include "config/finding_text.h"

#include "config/hjson_reader.h"
#include "config/rules/judge.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace stagecraft {

const std::vector<std::string_view>& dsConfigMessageFiles();  // generated from configs/ds_config/messages

void placeFindings(std::string_view text, std::vector<CheckFinding>& findings)
{
    const ReadText read = readHjson(text);
    if (read.problem.has_value()) {
        return;
    }
    for (CheckFinding& finding : findings) {
        const TextPlace place = rules::placeOf(read.root, finding.pointer, rules::Judge::At::Value);
        finding.line = place.line;
        finding.column = place.column;
    }
}

}  // namespace stagecraft

namespace stagecraft::rules {

namespace {

using Messages = std::map<std::string, std::string, std::less<>>;

Messages readMessages(std::string_view file)
{
    Messages messages;
    const ReadText read = readStrictJson(file);
    for (const ConfigMember& member : read.root.members) {
        messages[member.key] = member.value.text;
    }
    return messages;
}

const Messages& english()
{
    static const Messages kEnglish = readMessages(dsConfigMessageFiles()[0]);
    return kEnglish;
}

const Messages& chinese()
{
    static const Messages kChinese = readMessages(dsConfigMessageFiles()[1]);
    return kChinese;
}

/// Words a rule puts into a placeholder itself.
std::string_view placeholderWord(bool isChinese, std::string_view word)
{
    static const std::map<std::string_view, std::string_view> kWords{
        {"an integer", "整数"}, {"a fraction", "小数"}, {"a string", "字符串"}, {"a list", "列表"}, {"an object", "对象"},
        {"1 (assumed)", "1（假定）"}, {"a number", "数"}, {"a number other than 0", "不为 0 的数"}, {"a number from 0 to 1", "0 到 1 的数"},
        {"a number above 0, at most 1", "大于 0 且不大于 1 的数"}, {"a fraction from 0.0 to 1.0", "0.0 到 1.0 的小数"},
        {"an integer of 1 or more", "不小于 1 的整数"},
        {"\"auto\" or a list of strings", "\"auto\" 或字符串列表"},
        {"select_strategy auto with a numeric select_interval", "select_strategy 为 auto，而 select_interval 是数字"},
        {"select_strategy step or epoch without a numeric select_interval", "select_strategy 为 step 或 epoch，而 select_interval 不是数字"},
        {"update_interval larger than select_interval", "update_interval 大于 select_interval"},
        {"zenflow without optimizer offload", "启用了 zenflow，却没有卸载优化器"},
        {"zenflow.offload without overlap_comm", "启用了 zenflow.offload，却没有启用 overlap_comm"},
        {"overlap_comm below stage 2", "阶段 2 以下的 overlap_comm"}, {"a pipeline model", "流水线模型"}, {"ZeRO stage 3", "ZeRO 阶段 3"},
        {"fp16 or bf16", "fp16 或 bf16"},
        {"version must be 0.1 or 0.2", "version 只能是 0.1 或 0.2"}, {"model_parallel_size needs version 0.2", "model_parallel_size 需要 version 0.2"},
        {"a micro batch above max_train_batch_size", "有微批次大于 max_train_batch_size"},
        {"num_gpus_per_node must be a multiple of model_parallel_size", "num_gpus_per_node 必须是 model_parallel_size 的倍数"},
        {"a micro batch above max_train_batch_size of one node's share", "有微批次大于 max_train_batch_size 分给单个节点的份额"},
        {"max_train_batch_size is missing", "缺少 max_train_batch_size"}, {"micro_batch_sizes is missing", "缺少 micro_batch_sizes"},
        {"micro_batch_sizes must be a list of positive integers", "micro_batch_sizes 必须是正整数列表"},
        {"max_train_batch_size must be an integer", "max_train_batch_size 必须是整数"},
        {"min_gpus is larger than max_gpus", "min_gpus 大于 max_gpus"},
        {"min_gpus must be 1 or more", "min_gpus 必须不小于 1"}, {"max_gpus must be 1 or more", "max_gpus 必须不小于 1"},
        {"min_time must be 0 or more", "min_time 必须不小于 0"}, {"model_parallel_size must be 1 or more", "model_parallel_size 必须不小于 1"},
        {"num_gpus_per_node must be 1 or more", "num_gpus_per_node 必须不小于 1"},
        {"no micro batch divides the batch of this many ranks", "没有能整除这么多 rank 的批次的微批次"},
        {"the elastic batch does not divide among the ranks", "弹性批次不能在各 rank 间均分"}};
    const auto found = isChinese ? kWords.find(word) : kWords.end();
    return found == kWords.end() ? word : found->second;
}

/// Most characters of a key or value that a message repeats.
constexpr std::size_t kMostQuoted = 80;
/// Most characters of what a rule enumerates: words that are allowed, counts of ranks.
constexpr std::size_t kMostListed = 400;

/// The first `most` characters of `text` in UTF-8, with an ellipsis where there were more.
std::string_view shortened(std::string_view text, std::size_t most, std::string& buffer)
{
    std::size_t bytes = 0;
    for (std::size_t characters = 0; bytes < text.size(); ++bytes) {
        const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xC0U) != 0x80U;
        if (starts && characters++ == most) {
            buffer.assign(text.substr(0, bytes));
            return buffer += "…";
        }
    }
    return text;
}

std::string quoted(const std::string& text)
{
    return toJson(ConfigValue::ofString(text));
}

/// A blank stands between Chinese and other words, and none between two Chinese ones: which of them fills a placeholder shows only now.
void spaceBefore(std::string& text, std::string_view word)
{
    const auto chinese = [](std::string_view three) { return three.size() == 3 && three.front() >= '\xE4' && three.front() <= '\xE9'; };
    const bool blank = text.ends_with(' ');
    const std::string_view before = std::string_view(text).substr(0, text.size() - (blank ? 1 : 0));
    if (word.empty() || before.size() < 3 || !chinese(before.substr(before.size() - 3))) {
        return;
    }
    const bool plain = word.front() > ' ' && word.front() <= '~';
    if (plain && !blank) {
        text += ' ';
    } else if (blank && chinese(word.substr(0, 3))) {
        text.pop_back();
    }
}

}  // namespace

bool hasMessage(std::string_view id)
{
    return english().find(id) != english().end();
}

constexpr std::string_view kOfWindow = ".window";   ///< ends a language, and the messages that are for it alone

std::string messageText(std::string_view language, std::string_view id, const MessageArguments& arguments)
{
    const bool isChinese = language.substr(0, 2) == "zh";
    const Messages& chosen = isChinese ? chinese() : english();
    auto found = language.ends_with(kOfWindow) ? chosen.find(std::string(id) + std::string(kOfWindow)) : chosen.end();
    if (found == chosen.end()) {
        found = chosen.find(id);
    }
    if (found == chosen.end()) {
        return std::string(id);
    }
    const std::string& text = found->second;
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t open = text.find('{', at);
        const std::size_t close = open == std::string::npos ? open : text.find('}', open);
        if (close == std::string::npos) {
            break;
        }
        const std::string_view name = std::string_view(text).substr(open + 1, close - open - 1);
        bool filled = false;
        for (const auto& [key, value] : arguments) {
            if (key == name && !filled) {
                out.append(text, at, open - at);
                const bool listed = name == "expected" || name == "words" || name == "counts" || name == "what" || name == "where" || name == "reason";
                std::string buffer;
                const std::string_view word = shortened(placeholderWord(isChinese, value), listed ? kMostListed : kMostQuoted, buffer);
                if (isChinese) {
                    spaceBefore(out, word);
                }
                if (isChinese && (name == "words" || name == "expected") && word.find_first_of("[{\"(") == std::string_view::npos) {  // a plain list, as Chinese writes one
                    std::size_t from = 0;
                    for (std::size_t comma = word.find(", "); comma != std::string_view::npos; from = comma + 2, comma = word.find(", ", from)) {
                        out.append(word, from, comma - from).append("\u3001");
                    }
                    out.append(word, from);
                } else {
                    out += word;
                }
                filled = true;
            }
        }
        if (!filled) {
            out.append(text, at, close + 1 - at);
        }
        at = close + 1;
    }
    return out.append(text, at, std::string::npos);
}

std::string patchRemove(const std::string& pointer)
{
    return R"([{"op": "remove", "path": )" + quoted(pointer) + "}]";
}

std::string patchReplace(const std::string& pointer, const std::string& json)
{
    return R"([{"op": "replace", "path": )" + quoted(pointer) + R"(, "value": )" + json + "}]";
}

std::string patchAdd(const std::string& pointer, const std::string& json)
{
    return R"([{"op": "add", "path": )" + quoted(pointer) + R"(, "value": )" + json + "}]";
}

std::string patchMove(const std::string& from, const std::string& to)
{
    return R"([{"op": "move", "from": )" + quoted(from) + R"(, "path": )" + quoted(to) + "}]";
}

const char* notStrict(const ReadProblem& problem)
{
    const auto detail = std::find_if(problem.details.begin(), problem.details.end(), [](const auto& each) { return each.first == "found"; });
    const char found = detail != problem.details.end() && !detail->second.empty() ? detail->second.front() : '\0';
    if (problem.id == "text.strict_comment") {
        return "R2.comment";
    }
    if (problem.id == "text.missing") {
        return "R2.comma";
    }
    if (problem.id == "text.strict_comma") {
        return "R2.trailing";
    }
    return found == '\'' || std::isalpha(static_cast<unsigned char>(found)) != 0 ? "R2.quotes" : "R2";
}

}  // namespace stagecraft::rules
