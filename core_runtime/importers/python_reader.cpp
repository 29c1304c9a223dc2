// SPDX-License-Identifier: GPL-3.0-or-later
// TrainingArguments as tutorials write them: a call in Python source. Literals are read; nothing is evaluated.
#include "importers/readers.h"
#include "importers/yaml_reader.h"

#include <algorithm>
#include <cctype>

namespace stagecraft {

namespace {

constexpr const char* kClasses[]{"TrainingArguments(", "SFTConfig(", "DPOConfig(", "GRPOConfig(", "KTOConfig(", "ORPOConfig(", "PPOConfig(", "RewardConfig("};
constexpr int kMostDepth = 32;

bool nameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where the arguments of the first such call begin; npos when there is none.
std::size_t findCall(std::string_view text)
{
    std::size_t best = std::string_view::npos;
    for (const std::string_view name : kClasses) {
        for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
            std::size_t line = text.rfind('\n', at);
            line = line == std::string_view::npos ? 0 : line + 1;
            const std::string_view before = text.substr(line, at - line);
            const bool hidden = before.find('#') != std::string_view::npos || before.find("class ") != std::string_view::npos || before.find("def ") != std::string_view::npos;
            // Seq2SeqTrainingArguments( ends like TrainingArguments(, SFTConfig( also ends SomethingSFTConfig(: both are meant.
            if (!hidden) {
                best = std::min(best, at + name.size());
                break;
            }
        }
    }
    return best;
}

class Literals {
public:
    explicit Literals(std::string_view text, std::size_t at) : m_text(text), m_at(at) { m_line = static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1; }

    [[nodiscard]] int line() const { return m_line; }
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    [[nodiscard]] char peek() const { return atEnd() ? '\0' : m_text[m_at]; }
    void step()
    {
        if (peek() == '\n') ++m_line;
        if (!atEnd()) ++m_at;
    }
    void blank()
    {
        while (!atEnd()) {
            if (peek() == '#') while (!atEnd() && peek() != '\n') step();
            else if (std::isspace(static_cast<unsigned char>(peek())) != 0 || peek() == '\\') step();
            else return;
        }
    }
    std::string name()
    {
        std::string out;
        while (nameChar(peek())) { out += peek(); step(); }
        return out;
    }
    /// A literal, or none with the cursor anywhere inside the expression.
    std::optional<ConfigValue> literal(int depth = 0)
    {
        blank();
        const TextPlace place{m_line, 1};
        auto value = bare(depth);
        if (value.has_value()) value->place = place;
        return value;
    }
    /// Goes to the comma or the closing bracket that ends the argument.
    void skipExpression()
    {
        int open = 0;
        while (!atEnd()) {
            blank();
            const char c = peek();
            if (c == '"' || c == '\'') { (void)quoted(false); continue; }
            if (open == 0 && (c == ',' || c == ')' || c == ']' || c == '}')) return;
            open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
            step();
        }
    }

private:
    std::optional<ConfigValue> bare(int depth)
    {
        if (depth > kMostDepth) return std::nullopt;
        const char c = peek();
        if (c == '"' || c == '\'') return strings(false);
        if (c == '{' || c == '[' || c == '(') return collection(c, depth);
        std::string word;
        if (c == '-' || c == '+') { word += c; step(); }
        while (nameChar(peek()) || peek() == '.' || ((peek() == '-' || peek() == '+') && !word.empty() && (word.back() == 'e' || word.back() == 'E'))) { word += peek(); step(); }
        if (word == "r" && (peek() == '"' || peek() == '\'')) return strings(true);
        if (word == "True" || word == "False") return ConfigValue::ofBool(word == "True");
        if (word == "None") return ConfigValue();
        const bool number = !word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) != 0 || ((word[0] == '-' || word[0] == '+' || word[0] == '.') && word.size() > 1 && word.find_first_of("0123456789") != std::string::npos));
        if (!number) return std::nullopt;
        ConfigValue value = yamlScalar(word, YamlDialect::OmegaConf);  // its floats are Python's
        return value.isNumber() && !value.isBool() ? std::optional(value) : std::nullopt;
    }

    std::optional<ConfigValue> strings(bool raw)
    {
        ConfigValue value = ConfigValue::ofString(quoted(raw));
        for (blank(); peek() == '"' || peek() == '\''; blank()) value.text += quoted(raw);  // neighbours join
        return value;
    }

    std::string quoted(bool raw)
    {
        const char quote = peek();
        const bool triple = m_text.substr(m_at, 3) == std::string(3, quote);
        for (int i = triple ? 3 : 1; i > 0; --i) step();
        std::string out;
        while (!atEnd()) {
            if (triple ? m_text.substr(m_at, 3) == std::string(3, quote) : peek() == quote || peek() == '\n') break;
            if (peek() == '\\' && !raw) {
                step();
                const char c = peek();
                out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
            } else {
                out += peek();
            }
            step();
        }
        for (int i = triple ? 3 : 1; i > 0; --i) step();
        return out;
    }

    std::optional<ConfigValue> collection(char open, int depth)
    {
        const char close = open == '{' ? '}' : open == '[' ? ']' : ')';
        ConfigValue value;
        value.kind = open == '{' ? ConfigValue::Kind::Object : ConfigValue::Kind::List;
        bool comma = false;
        for (step();;) {
            blank();
            if (peek() == close) break;
            if (atEnd()) return std::nullopt;
            auto item = literal(depth + 1);
            blank();
            if (!item.has_value()) return std::nullopt;
            if (value.isObject()) {
                if (!item->isString() || peek() != ':') return std::nullopt;
                step();
                auto member = literal(depth + 1);
                if (!member.has_value()) return std::nullopt;
                value.set(item->text, std::move(*member));
                blank();
            } else {
                value.items.push_back(std::move(*item));
            }
            if (peek() == ',') { step(); comma = true; }
            else if (peek() != close) return std::nullopt;
        }
        step();
        if (open == '(' && !comma && value.items.size() == 1) return value.items.front();  // brackets, no tuple
        return value;
    }

    std::string_view m_text;
    std::size_t m_at;
    int m_line;
};

}  // namespace

bool hasPythonArguments(std::string_view text) { return findCall(text) != std::string_view::npos; }

Result<void> readPythonArguments(ImportDraft& draft)
{
    const std::string& text = draft.file.text;
    Literals reader(text, findCall(text));
    ConfigValue root = ConfigValue::ofObject();
    while (true) {
        reader.blank();
        if (reader.peek() == ')') break;
        if (reader.atEnd()) return draft.refuse(ErrorCode::InvalidInput, reader.line(), "the call of TrainingArguments is not closed; add the bracket", "TrainingArguments 的调用没有闭合；补上括号");
        const int line = reader.line();
        const std::string name = reader.name();
        reader.blank();
        if (name.empty() || reader.peek() != '=') {
            reader.skipExpression();
            draft.dropped(name.empty() ? "*" : name, line, {}, draft.say("Not of the form name=value: not read.", "不是 name=value 形式：未读取。"));
        } else {
            reader.step();
            auto value = reader.literal();
            reader.blank();
            if (value.has_value() && (reader.peek() == ',' || reader.peek() == ')')) {
                value->place.line = line;
                root.members.push_back({name, {line, 1}, std::move(*value)});
            } else {
                reader.skipExpression();
                draft.dropped(name, line, {}, draft.say("Computed by the script: give the value as {0}=...", "由脚本计算：用 {0}=... 给出数值。", {name}));
            }
        }
        reader.blank();
        if (reader.peek() == ',') reader.step();
        else if (reader.peek() != ')' && !reader.atEnd()) return draft.refuse(ErrorCode::InvalidInput, reader.line(), "a comma is missing between the arguments of TrainingArguments", "TrainingArguments 的参数之间缺少逗号");
    }
    return readTrainingArguments(draft, root);
}

}  // namespace stagecraft
