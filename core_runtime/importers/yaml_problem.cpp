// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/yaml_problem.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace stagecraft {

namespace {

/// In the order of the enumeration; {0} stands for the detail.
constexpr std::array<std::pair<const char*, const char*>, 22> kReasons{{
    {"a second document starts here; keep one in the file", "此处开始了第二个文档；文件中只保留一个"},
    {"the tag \"{0}\" would build a Python object; write the plain value", "标签“{0}”会构造 Python 对象；写普通的值"},
    {"this alias stands inside the value it names; write the value out", "这个别名位于它所指的值内部；直接写出值"},
    {"the file is nested deeper than {0} levels", "文件嵌套超过 {0} 层"},
    {"the file holds more than {0} values, aliases included", "文件中的值超过 {0} 个（别名按次计）"},
    {"a map or a list cannot be a key; write a word or a number", "映射或列表不能作为键；写单词或数字"},
    {"\"<<\" merges maps only; name a map behind it", "“<<” 只能合并映射；在其后写映射"},
    {"the key \"{0}\" is written twice; keep one", "键“{0}”出现两次；只保留一个"},
    {"the file is larger than {0} MiB", "文件大于 {0} MiB"},
    {"this byte is no UTF-8; save the file as UTF-8", "这个字节不是 UTF-8；将文件保存为 UTF-8"},
    {"a zero byte is no text", "零字节不是文本"},
    {"the line is indented by more than 4096 blanks", "该行缩进超过 4096 个空格"},
    {"this is not YAML: the quote is not closed; close it", "不是合法的 YAML：引号没有闭合；补上引号"},
    {"this is not YAML: a bracket or brace is not closed, or one is closed that was not opened; put the pairs right", "不是合法的 YAML：方括号或花括号没有闭合，或多出一个闭合；使其成对"},
    {"this is not YAML: a tab stands in the indentation; indent with blanks", "不是合法的 YAML：缩进中有制表符；改用空格缩进"},
    {"this is not YAML: a \": \" stands where no value may begin; give each key a line of its own, see that the line above has its \": \", and put texts with \": \" into quotes", "不是合法的 YAML：此处的 “: ” 后面不能有值；让每个键单独成行，检查上一行是否缺少 “: ”，并把含 “: ” 的文本放进引号"},
    {"this is not YAML: the line does not go with those above it; write \"key: value\", indented like its neighbours", "不是合法的 YAML：该行与上文不匹配；写成 \"key: value\"，并与相邻的行缩进一致"},
    {"this is not YAML: an anchor & or an alias * is wrong, or names nothing; write the value out", "不是合法的 YAML：锚点 & 或别名 * 有误，或没有指向任何值；直接写出值"},
    {"this is not YAML: a \\ in double quotes stands before a sign that it does not go with; write \\\\, or single quotes", "不是合法的 YAML：双引号中的 \\ 后面的字符不能转义；写 \\\\，或改用单引号"},
    {"this is not YAML: a sign that cannot stand here; put the text into quotes", "不是合法的 YAML：此处不能出现这个字符；把文本放进引号"},
    {"this is not YAML: the directive (%...) is wrong; take the line out", "不是合法的 YAML：指令（%...）有误；删去该行"},
    {"this is not YAML; write \"key: value\" lines", "不是合法的 YAML；写 \"key: value\" 行"},
}};
static_assert(static_cast<std::size_t>(YamlProblem::Other) + 1 == kReasons.size());

std::string filled(std::string text, const std::string& detail)
{
    if (const std::size_t at = text.find("{0}"); at != std::string::npos) text.replace(at, 3, detail);
    return text;
}

}  // namespace

Error yamlError(TextPlace place, YamlProblem problem, const std::string& detail)
{
    const std::string line = std::to_string(place.line), column = std::to_string(place.column);
    const auto number = static_cast<std::size_t>(problem);
    return {ErrorCode::InvalidInput, "line " + line + ", column " + column + ": " + filled(kReasons[number].first, detail), {{"line", line}, {"column", column}, {"problem", std::to_string(number)}, {"detail", detail}}};
}

YamlProblem yamlProblemOf(std::string_view message)
{
    // exceptions.h of yaml-cpp 0.7 and 0.8; the first part that occurs decides.
    static constexpr std::pair<std::string_view, YamlProblem> kMeanings[]{
        {"flow", YamlProblem::Bracket}, {"illegal tab", YamlProblem::Tab}, {"map value", YamlProblem::MapValue},
        {"anchor", YamlProblem::Anchor}, {"alias", YamlProblem::Anchor}, {"escape", YamlProblem::Escape}, {"hex", YamlProblem::Escape}, {"unicode", YamlProblem::Escape}, {"single-quoted", YamlProblem::Quote},
        {"EOF in scalar", YamlProblem::Quote}, {"directive", YamlProblem::Directive}, {"YAML version", YamlProblem::Directive}, {"major version", YamlProblem::Directive}, {"tag", YamlProblem::Character},
        {"scalar", YamlProblem::Character}, {"token", YamlProblem::Character}, {"map", YamlProblem::Layout}, {"sequence", YamlProblem::Layout}, {"block", YamlProblem::Layout}};
    const auto found = std::find_if(std::begin(kMeanings), std::end(kMeanings), [&](const auto& meaning) { return message.find(meaning.first) != std::string_view::npos; });
    return found == std::end(kMeanings) ? YamlProblem::Other : found->second;
}

std::string yamlReason(const Error& error, std::string_view language)
{
    const auto text = [&](const char* key) {
        const auto found = error.context.find(key);
        return found == error.context.end() ? std::string() : found->second;
    };
    const std::string problem = text("problem");
    if (!language.starts_with("zh") || problem.empty()) return error.message;
    return "第 " + text("line") + " 行第 " + text("column") + " 列：" + filled(kReasons.at(std::stoul(problem)).second, text("detail"));
}

}  // namespace stagecraft
