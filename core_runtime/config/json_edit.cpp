// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/json_edit.h"

#include "config/config_value.h"
#include "config/json_lines.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace stagecraft {

namespace {

std::string reindent(std::string_view value, const std::string& newline, const std::string& indent)
{
    std::string out;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] == '\r' && i + 1 < value.size() && value[i + 1] == '\n')
            continue;
        if (isLineEnd(value[i]))
            out += newline + indent;
        else
            out += value[i];
    }
    return out;
}

std::optional<Error> checkValue(std::string_view valueText)
{
    const Result<JsonDocument> parsed = JsonDocument::parse(std::string(valueText), JsonSyntax::Strict);
    if (parsed.hasValue())
        return std::nullopt;
    Error error = parsed.error();
    error.code = ErrorCode::InvalidArgument;
    return error;
}

bool hasBraces(const JsonDocument& document, int id)
{
    return document.node(id).end > document.node(id).begin
        && (document.text()[document.node(id).begin] == '{' || document.text()[document.node(id).begin] == '[');
}

/// Whether the entries of a container stand on lines of their own.
bool isSpread(const JsonDocument& document, int container)
{
    const std::string_view text = document.text();
    const JsonNode& node = document.node(container);
    const JsonNode& last = document.node(node.lastChild);
    const std::size_t before = last.previous >= 0 ? document.node(last.previous).end : node.begin;
    return holdsLineEnd(text.substr(before, startOf(last) - before)) || !hasBraces(document, container) || last.bare;
}

/// Whether what comes to stand in the container belongs on its line.
bool keepsLine(const JsonDocument& document, int container)
{
    const bool empty = document.node(container).childCount == 0;
    return styleOf(document).singleLine ? container != document.root() || !empty : !empty && !isSpread(document, container);
}

std::string separatorGap(const JsonDocument& document, int container)
{
    const JsonNode& node = document.node(container);
    const JsonNode& first = document.node(node.firstChild);
    if (first.next < 0 || !first.comma)
        return styleOf(document).singleLine && document.text().find(": ") == std::string::npos && node.kind == JsonKind::Object ? "" : " ";
    const std::size_t from = first.comma + 1u;
    const std::string_view gap = std::string_view(document.text()).substr(from, startOf(document.node(first.next)) - from);
    return isWhite(gap) && !holdsLineEnd(gap) ? std::string(gap) : " ";
}

std::string colonLike(const JsonDocument& document, int object)
{
    if (const int last = document.node(object).lastChild; last >= 0) {
        const JsonNode& node = document.node(last);
        const std::string_view gap = std::string_view(document.text()).substr(node.keyEnd, node.begin - node.keyEnd);
        if (gap.find_first_not_of(": \t") == std::string_view::npos)
            return std::string(gap);
    }
    return ": ";
}

/// `entry` (a value, or key and value) placed before child `before`, or behind the last when `before` is -1.
TextEdit placeEntry(const JsonDocument& document, int container, int before, const std::string& entry)
{
    const std::string_view text = document.text();
    const JsonStyle style = styleOf(document);
    const JsonNode& node = document.node(container);

    if (node.firstChild < 0) {
        if (!hasBraces(document, container)) {
            const bool open = !text.empty() && !isLineEnd(text.back());
            return {text.size(), text.size(), (open ? style.newline : std::string()) + "{" + style.newline + style.indent
                    + reindent(entry, style.newline, style.indent) + style.newline + "}" + style.newline};
        }
        const std::string_view inside = text.substr(node.begin + 1u, node.end - node.begin - 2u);
        if (isWhite(inside) && (node.kind == JsonKind::Array || (style.singleLine && container != document.root())))
            return {node.begin + 1u, node.end - 1u, reindent(entry, style.newline, "")};
        const std::string indent = lineIndent(text, node.begin);
        std::size_t contentEnd = node.end - 1u;
        while (contentEnd > node.begin + 1u && isWhite(text.substr(contentEnd - 1, 1)))
            --contentEnd;
        return {contentEnd, node.end - 1u, style.newline + indent + style.indent
                + reindent(entry, style.newline, indent + style.indent) + style.newline + indent};
    }

    const bool spread = isSpread(document, container);
    if (before >= 0) {
        const std::size_t at = startOf(document.node(before));
        const std::string indent = lineIndent(text, at);
        return {at, at, reindent(entry, style.newline, indent) + "," + (spread ? style.newline + indent : separatorGap(document, container))};
    }
    const JsonNode& last = document.node(node.lastChild);
    const std::string indent = lineIndent(text, startOf(last));
    if (!spread) {
        const std::string gap = separatorGap(document, container);
        if (last.comma)
            return {last.comma + 1u, last.comma + 1u, gap + reindent(entry, style.newline, indent) + ","};
        return {last.end, last.end, "," + gap + reindent(entry, style.newline, indent)};
    }
    const std::string line = style.newline + indent + reindent(entry, style.newline, indent);
    const std::size_t behind = behindLineComments(text, endWithComma(last));
    if (last.comma)
        return {behind, behind, line + ","};
    if (last.bare)
        return {last.end, last.end, line};
    // The comma belongs right behind the value, the new line behind the comment that ends the old one.
    return {last.end, behind, "," + std::string(text.substr(last.end, behind - last.end)) + line};
}

TextEdit replaceValue(const JsonDocument& document, int id, std::string_view valueText)
{
    const std::string_view text = document.text();
    const JsonNode& node = document.node(id);
    std::string value = reindent(valueText, styleOf(document).newline, lineIndent(text, node.begin));
    const bool lostComma = node.bare && document.spelling(id).ends_with(',');
    // hjson takes a quoted text and the next key on one line without a comma; a number there would swallow the key.
    const bool needsComma = node.next >= 0 && !node.comma
        && !holdsLineEnd(text.substr(node.end, startOf(document.node(node.next)) - node.end));
    if (lostComma || needsComma)
        value += ",";
    if (id == document.root() && !hasBraces(document, id) && node.kind == JsonKind::Object)
        return {0, text.size(), value};
    return {node.begin, node.end, value};
}

/// `comments` behind the value `id`, as one that ends on its line where more follows there.
TextEdit placeComments(const JsonDocument& document, int id, const std::string& comments)
{
    const std::string_view text = document.text();
    const std::size_t at = endWithComma(document.node(id));
    std::size_t next = at;
    while (next < text.size() && isBlank(text[next]))
        ++next;
    const bool closed = comments.ends_with("*/") && comments.starts_with("/*");
    if (closed || next == text.size() || isLineEnd(text[next]))
        return {at, at, " " + comments};
    std::string words = comments.substr(comments.front() == '#' ? 1 : 2);
    for (std::size_t end = words.find("*/"); end != std::string::npos; end = words.find("*/"))
        words.replace(end, 2, "* /");
    return {at, at, " /*" + words + " */"};
}

Error notFound(std::string_view pointer)
{
    return {ErrorCode::NotFound, "there is nothing at " + std::string(pointer), {{"pointer", std::string(pointer)}}};
}

/// The text of a value that a patch puts at `path`: on one line where it joins one.
std::string joiningText(const JsonDocument& document, const std::string& path, const nlohmann::json& value)
{
    std::string holder = path;
    int at = -1;
    while (at < 0 && !holder.empty()) {
        holder.resize(holder.rfind('/'));
        at = document.find(holder);
    }
    JsonStyle style = styleOf(document);
    style.singleLine = at >= 0 && keepsLine(document, at);
    return formatJson(value, style);
}

/// The value's text with its own line's indentation taken off, as strict JSON.
std::string portableText(const JsonDocument& document, int id)
{
    const std::string spelled(document.spelling(id));
    if (checkValue(spelled))
        return formatJson(document.toJson(id), styleOf(document));
    const std::string indent = lineIndent(document.text(), document.node(id).begin);
    std::string out;
    for (std::size_t i = 0; i < spelled.size(); ++i) {
        out += spelled[i];
        if (spelled[i] == '\n' && spelled.compare(i + 1, indent.size(), indent) == 0)
            i += indent.size();
    }
    return out;
}

}  // namespace

JsonStyle styleOf(const JsonDocument& document)
{
    JsonStyle style;
    const std::string_view text = document.text();
    const std::size_t lineEnd = text.find_first_of("\r\n");
    if (lineEnd != std::string_view::npos)
        style.newline = text.substr(lineEnd, 2) == "\r\n" ? "\r\n" : std::string(1, text[lineEnd]);
    const JsonNode& root = document.node(document.root());
    style.singleLine = root.end > root.begin && !holdsLineEnd(text.substr(root.begin, root.end - root.begin));
    for (std::size_t id = 1; id < document.nodes().size() && id < 1000; ++id) {
        const JsonNode& node = document.nodes()[id];
        const JsonNode& parent = document.node(node.parent);
        const std::size_t begin = lineBeginOf(text, startOf(node));
        if (begin <= parent.begin || !isWhite(text.substr(begin, startOf(node) - begin)))
            continue;
        const std::string inner = lineIndent(text, startOf(node));
        const std::string outer = lineIndent(text, parent.begin);
        if (inner.size() > outer.size() && inner.starts_with(outer)) {
            style.indent = inner.substr(outer.size());
            break;
        }
    }
    return style;
}

std::string formatJson(const nlohmann::json& value, const JsonStyle& style, int depth)
{
    const auto scalars = [](const nlohmann::json& list) {
        return std::all_of(list.begin(), list.end(), [](const nlohmann::json& item) { return item.is_primitive(); });
    };
    std::string pad;
    for (int i = 0; i < depth; ++i)
        pad += style.indent;
    if (value.is_object() && !value.empty()) {
        std::string out;
        const auto write = [&](const std::string& key, const nlohmann::json& held) {
            out += (out.empty() ? "{" : style.singleLine ? ", " : ",") + (style.singleLine ? std::string() : style.newline + pad + style.indent) + quoteJson(key) + ": " + formatJson(held, style, depth + 1);
        };
        // What a section is stands before what it is given.
        if (const auto type = value.find("type"); type != value.end())
            write(type.key(), *type);
        for (auto member = value.begin(); member != value.end(); ++member)
            if (member.key() != "type")
                write(member.key(), member.value());
        return out + (style.singleLine ? std::string() : style.newline + pad) + "}";
    }
    if (value.is_array() && !value.empty()) {
        const bool line = style.singleLine || scalars(value);
        std::string out = "[";
        for (std::size_t i = 0; i < value.size(); ++i) {
            out += i == 0 ? "" : line ? ", " : ",";
            out += (line ? std::string() : style.newline + pad + style.indent) + formatJson(value[i], style, depth + 1);
        }
        return out + (line ? std::string() : style.newline + pad) + "]";
    }
    std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return value.is_number_float() ? shortExponent(std::move(text)) : text;
}

Result<TextEdit> setEdit(const JsonDocument& document, std::string_view pointer, std::string_view valueText)
{
    const auto tokens = pointerTokens(pointer);
    if (!tokens)
        return Error{ErrorCode::InvalidArgument, "'" + std::string(pointer) + "' is not a JSON Pointer; it starts with '/'", {}};
    if (const auto error = checkValue(valueText))
        return *error;
    int at = document.root();
    std::size_t known = 0;
    std::string path;
    for (; known < tokens->size(); ++known) {
        const std::string next = path + "/" + pointerToken((*tokens)[known]);
        const int child = document.find(next);
        if (child < 0)
            break;
        at = child;
        path = next;
    }
    if (known == tokens->size())
        return replaceValue(document, at, valueText);

    const JsonNode& holder = document.node(at);
    if (holder.kind == JsonKind::Array) {
        if (known + 1 != tokens->size() || tokens->back() != std::to_string(holder.childCount))
            return Error{ErrorCode::InvalidArgument, "the list at " + path + " has no entry " + (*tokens)[known], {{"pointer", path}}};
        return placeEntry(document, at, -1, std::string(valueText));
    }
    if (holder.kind != JsonKind::Object)
        return Error{ErrorCode::Refused, (path.empty() ? std::string("the config") : path) + " is not an object, so it cannot hold "
                + (*tokens)[known], {{"pointer", path}}};

    const JsonStyle style = styleOf(document);
    const bool line = keepsLine(document, at);
    std::string value(valueText);
    for (std::size_t i = tokens->size() - 1; i > known; --i) {
        const std::string member = quoteJson((*tokens)[i]) + ": " + value;
        value = line ? "{" + member + "}" : "{\n" + style.indent + reindent(member, "\n", style.indent) + "\n}";
    }
    return placeEntry(document, at, -1, quoteJson((*tokens)[known]) + colonLike(document, at) + value);
}

Result<TextEdit> insertEdit(const JsonDocument& document, std::string_view pointer, std::string_view valueText)
{
    const auto tokens = pointerTokens(pointer);
    if (!tokens || tokens->empty() || document.find(pointer) < 0) {
        if (tokens && !tokens->empty() && tokens->back() == "-") {
            const std::string parent(pointer.substr(0, pointer.rfind('/')));
            const int list = document.find(parent);
            if (list >= 0 && document.node(list).kind == JsonKind::Array)
                return setEdit(document, parent + "/" + std::to_string(document.node(list).childCount), valueText);
        }
        return setEdit(document, pointer, valueText);
    }
    const int id = document.find(pointer);
    const int parent = document.node(id).parent;
    if (document.node(parent).kind != JsonKind::Array)
        return setEdit(document, pointer, valueText);
    if (const auto error = checkValue(valueText))
        return *error;
    return placeEntry(document, parent, id, std::string(valueText));
}

Result<TextEdit> removeEdit(const JsonDocument& document, std::string_view pointer)
{
    const int id = document.find(pointer);
    if (id < 0)
        return notFound(pointer);
    if (id == document.root())
        return Error{ErrorCode::Refused, "the whole config cannot be removed; replace it by {}", {}};
    return removeNodeEdit(document, id, LineComments::Stay);
}

TextEdit removeNodeEdit(const JsonDocument& document, int id, LineComments comments)
{
    const std::string_view text = document.text();
    const JsonNode& node = document.node(id);
    const JsonNode& parent = document.node(node.parent);
    const std::size_t start = startOf(node);
    const std::size_t tail = endWithComma(node);

    if (parent.childCount == 1 && hasBraces(document, node.parent)
        && isWhite(text.substr(parent.begin + 1u, start - parent.begin - 1u)) && isWhite(text.substr(tail, parent.end - 1u - tail)))
        return {parent.begin + 1u, parent.end - 1u, ""};

    const JsonNode* previous = node.previous >= 0 ? &document.node(node.previous) : nullptr;
    const bool takesComma = node.next < 0 && !node.comma && previous && previous->comma;
    if (const auto lines = ownLines(document, id)) {
        const std::size_t lineEnd = behindLineEnd(text, lines->end);
        std::string kept;
        if (comments == LineComments::Stay && !lines->comments.empty())
            kept = lineIndent(text, start) + std::string(lines->comments) + std::string(text.substr(lines->end, lineEnd - lines->end));
        if (takesComma)
            return {previous->comma, lineEnd, std::string(text.substr(previous->comma + 1u, lines->begin - previous->comma - 1u)) + kept};
        return {lines->begin, lineEnd, kept};
    }
    if (node.next >= 0) {
        const std::size_t next = startOf(document.node(node.next));
        const std::string_view gap = text.substr(tail, next - tail);
        return {start, isWhite(gap) && !holdsLineEnd(gap) ? next : tail, ""};
    }
    if (!previous || !previous->comma)
        return {start, tail, ""};
    const std::string_view gap = text.substr(previous->comma + 1u, start - previous->comma - 1u);
    return {previous->comma, node.comma ? node.comma : node.end, isWhite(gap) ? std::string() : std::string(gap)};
}

Result<TextEdit> renameEdit(const JsonDocument& document, std::string_view pointer, std::string_view newKey)
{
    const int id = document.find(pointer);
    if (id < 0)
        return notFound(pointer);
    const JsonNode& node = document.node(id);
    if (id == document.root() || document.node(node.parent).kind != JsonKind::Object)
        return Error{ErrorCode::Refused, std::string(pointer) + " has no key to rename", {{"pointer", std::string(pointer)}}};
    if (const int other = document.member(node.parent, newKey); other >= 0 && other != id)
        return Error{ErrorCode::Refused, std::string(newKey) + " is already there; remove one of the two", {{"pointer", document.pointerOf(other)}}};
    const auto simple = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    const bool unquoted = document.text()[node.keyBegin] != '"' && document.text()[node.keyBegin] != '\'';
    const bool plain = unquoted && !newKey.empty() && std::all_of(newKey.begin(), newKey.end(), simple);
    return TextEdit{node.keyBegin, node.keyEnd, plain ? std::string(newKey) : quoteJson(newKey)};
}

Result<std::vector<TextEdit>> patchEdits(const JsonDocument& document, const nlohmann::json& patch)
{
    const auto malformed = [](const std::string& why) { return Error{ErrorCode::InvalidArgument, "malformed JSON Patch: " + why, {}}; };
    if (!patch.is_array())
        return malformed("it is not a list of operations");
    std::vector<TextEdit> edits;
    JsonDocument current = document;
    std::optional<Error> failure;
    const auto take = [&](const Result<TextEdit>& edit) {
        if (!edit.hasValue()) {
            failure = edit.error();
            return;
        }
        edits.push_back(*edit);
        Result<JsonDocument> next = JsonDocument::parse(applyEdits(current.text(), {*edit}));
        if (next.hasValue())
            current = std::move(next).value();
        else
            failure = next.error();
    };
    for (const nlohmann::json& step : patch) {
        const auto word = [&](const char* name) { return step.is_object() && step.contains(name) && step[name].is_string(); };
        if (!word("op") || !word("path"))
            return malformed("an operation needs \"op\" and \"path\"");
        const std::string op = step["op"], path = step["path"];
        const bool needsValue = op == "add" || op == "replace" || op == "test", needsFrom = op == "move" || op == "copy";
        if (!needsValue && !needsFrom && op != "remove")
            return malformed("unknown operation \"" + op + "\"");
        if (needsValue && !step.contains("value"))
            return malformed("\"" + op + "\" needs a \"value\"");
        if (needsFrom && !word("from"))
            return malformed("\"" + op + "\" needs a \"from\"");
        const int target = current.find(path);
        if ((op == "replace" || op == "remove" || op == "test") && target < 0)
            return notFound(path);
        if (op == "test") {
            if (current.toJson(target) != step["value"])
                return Error{ErrorCode::Refused, "the value at " + path + " has changed since", {{"pointer", path}}};
        } else if (op == "remove") {
            take(removeEdit(current, path));
        } else if (op == "replace") {
            // A number whose digits stood there as a text keeps them: "1e-4" becomes 1e-4.
            const std::string now = current.node(target).kind == JsonKind::String ? current.stringValue(target) : std::string();
            const auto spelled = now.find_first_of(" \t\r\n") == std::string::npos ? nlohmann::json::parse(now, nullptr, false) : nlohmann::json();
            take(setEdit(current, path, spelled.is_number() && spelled.type() == step["value"].type() && spelled == step["value"] ? now : joiningText(current, path, step["value"])));
        } else if (op == "add") {
            take(insertEdit(current, path, joiningText(current, path, step["value"])));
        } else {
            const std::string from = step["from"];
            const int source = current.find(from);
            if (source < 0)
                return notFound(from);
            if (op == "move" && from == path)
                continue;
            if (op == "move" && path.starts_with(from + "/"))
                return malformed("a value cannot move into itself");
            const std::string value = portableText(current, source);
            const auto tokens = pointerTokens(path);
            const bool sibling = op == "move" && tokens && !tokens->empty() && from.substr(0, from.rfind('/')) == path.substr(0, path.rfind('/'))
                && current.node(current.node(source).parent).kind == JsonKind::Object;
            if (sibling) {
                if (target >= 0)
                    take(removeEdit(current, path));
                if (!failure)
                    take(renameEdit(current, from, tokens->back()));
            } else {
                const auto lines = op == "move" ? ownLines(current, source) : std::nullopt;
                const std::string comments(lines ? lines->comments : std::string_view());
                if (op == "move")
                    take(removeNodeEdit(current, source, LineComments::Go));
                if (!failure)
                    take(insertEdit(current, path, value));
                if (const int placed = current.find(path); !failure && !comments.empty() && placed >= 0)
                    take(placeComments(current, placed, comments));
            }
        }
        if (failure)
            return *failure;
    }
    return edits;
}

}  // namespace stagecraft
