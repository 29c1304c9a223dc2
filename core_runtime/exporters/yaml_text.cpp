// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/yaml_text.h"

#include "config/json_document.h"
#include "importers/yaml_reader.h"

#include <algorithm>
#include <cctype>

namespace stagecraft {

std::string yamlWord(const ConfigValue& value)
{
    if (value.kind == ConfigValue::Kind::Float) {
        std::string text = toJson(value);  // 1e-5, 0.1, 2.0
        const std::size_t exponent = text.find('e');
        if (exponent == std::string::npos) return text;
        if (text.find('.') == std::string::npos) text.insert(exponent, ".0");
        const std::size_t sign = text.find('e') + 1;
        if (text[sign] != '-' && text[sign] != '+') text.insert(sign, "+");
        return text;
    }
    if (value.isString()) {
        const auto harmless = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '/' || c == '.' || c == '-' || c == '+'; };
        const bool bare = !value.text.empty() && std::all_of(value.text.begin(), value.text.end(), harmless) && std::isalnum(static_cast<unsigned char>(value.text[0])) + (value.text[0] == '/' ? 1 : 0) + (value.text[0] == '.' ? 1 : 0) > 0;
        return bare && yamlScalar(value.text, YamlDialect::OmegaConf).isString() && yamlScalar(value.text, YamlDialect::PyYaml).isString() ? value.text : quoteJson(value.text);
    }
    if (value.isList()) {
        std::string out;
        for (const ConfigValue& item : value.items) out += (out.empty() ? "" : ", ") + yamlWord(item);
        return "[" + out + "]";
    }
    return value.isObject() ? "{}" : toJson(value);
}

std::string yamlLines(const ConfigValue& object, int depth)
{
    const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
    std::string out;
    for (const ConfigMember& member : object.members) {
        const bool nested = member.value.isObject() && !member.value.members.empty();
        out += indent + yamlWord(ConfigValue::ofString(member.key)) + ":" + (nested ? "\n" + yamlLines(member.value, depth + 1) : " " + yamlWord(member.value) + "\n");
    }
    return out;
}

}  // namespace stagecraft
