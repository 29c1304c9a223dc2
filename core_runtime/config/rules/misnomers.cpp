// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/misnomers.h"

#include "config/hjson_reader.h"
#include "config/rules/coercion.h"
#include "config/rules/misplaced.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace stagecraft {

const std::vector<std::string_view>& dsConfigOtherNameFiles();  // generated from configs/ds_config/other_names.json

}  // namespace stagecraft

namespace stagecraft::rules {

namespace {

struct Names {
    std::multimap<std::string, OtherName, std::less<>> inSection;  ///< by section + " " + name
    std::multimap<std::string, OtherName, std::less<>> anywhere;
    std::map<std::string, ForeignKey, std::less<>> foreign;
};

const Names& names()
{
    static const Names kNames = [] {
        Names all;
        const ConfigValue root = readStrictJson(dsConfigOtherNameFiles().front()).root;
        for (const ConfigValue& entry : root.find("meant")->items) {
            OtherName meant;
            meant.place = entry.find("place")->text;
            if (const ConfigValue* values = entry.find("values")) {
                meant.translates = true;
                for (const ConfigMember& value : values->members) {
                    meant.values.emplace_back(value.key, value.value.text);
                }
            }
            const ConfigValue* sections = entry.find("at");
            for (const ConfigValue& name : entry.find("names")->items) {
                if (sections == nullptr) {
                    all.anywhere.emplace(name.text, meant);
                    continue;
                }
                for (const ConfigValue& section : sections->items) {
                    all.inSection.emplace(section.text + " " + name.text, meant);
                }
            }
        }
        for (const auto& [list, kind] : {std::pair{"script", ForeignKey::Script}, std::pair{"launcher", ForeignKey::Launcher}, std::pair{"editors", ForeignKey::Editor}, std::pair{"notes", ForeignKey::Note}}) {
            for (const ConfigValue& name : root.find(list)->items) {
                all.foreign.emplace(name.text, kind);
            }
        }
        return all;
    }();
    return kNames;
}

/// The parts of a name: "stage3MaxLiveParams" and "stage3_max_live_parameters" have the same.
std::set<std::string> parts(std::string_view name)
{
    static const std::map<std::string_view, std::string_view> kLong{
        {"grad", "gradient"}, {"grads", "gradient"}, {"gradients", "gradient"}, {"accum", "accumulation"}, {"acc", "accumulation"}, {"accumulate", "accumulation"}, {"param", "parameter"}, {"params", "parameter"},
        {"parameters", "parameter"}, {"opt", "optimizer"}, {"optim", "optimizer"}, {"optimiser", "optimizer"}, {"ckpt", "checkpointing"}, {"checkpoint", "checkpointing"}, {"checkpoints", "checkpointing"},
        {"act", "activation"}, {"activations", "activation"}, {"comm", "communication"}, {"comms", "communication"}, {"buf", "buffer"}, {"buffers", "buffer"}, {"mem", "memory"}, {"step", "steps"}, {"iters", "steps"},
        {"iterations", "steps"}, {"clip", "clipping"}, {"weights", "weight"}, {"saving", "save"}, {"gathering", "gather"}, {"quantize", "quantized"}, {"quantised", "quantized"}, {"partitioned", "partition"},
        {"partitions", "partition"}, {"buckets", "bucket"}, {"reduction", "reduce"}, {"reducing", "reduce"}, {"ag", "allgather"}, {"offloading", "offload"}, {"overlapping", "overlap"}, {"overlapped", "overlap"},
        {"prefetching", "prefetch"}, {"dtype", "datatype"}, {"logger", "log"}, {"logging", "log"}, {"fp16", "16bit"}, {"bf16", "bf16"}, {"lr", "rate"}, {"thresh", "threshold"}, {"pin", "pinned"}, {"micro", "micro"}};
    static const std::set<std::string_view> kEmpty{"size", "num", "number", "of", "use", "is", "do", "the", "ds", "deepspeed", "config", "cfg", "section", "zero", "zero3", "stage3", "optimization", "a", "on", "in", "to", "for", "per", "with", "value", "setting"};
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        const bool upper = std::isupper(c) != 0;
        if (c < 0x80 && std::isalnum(c) == 0) {
            words.emplace_back();
            continue;
        }
        if (upper && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0) {
            words.emplace_back();
        }
        words.back() += static_cast<char>(std::tolower(c));
    }
    std::set<std::string> out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto pair = [&](std::string_view first, std::string_view second) { return words[i] == first && i + 1 < words.size() && words[i + 1] == second; };
        if (pair("learning", "rate")) {
            continue;
        }
        if (pair("data", "type") || pair("all", "gather") || pair("16", "bit")) {
            out.insert(words[i] == "data" ? "datatype" : words[i] == "all" ? "allgather" : "16bit");
            ++i;
            continue;
        }
        if (words[i].empty() || kEmpty.count(words[i]) > 0) {
            continue;
        }
        const auto known = kLong.find(words[i]);
        out.insert(known == kLong.end() ? words[i] : std::string(known->second));
    }
    return out;
}

}  // namespace

std::vector<const OtherName*> otherNames(std::string_view section, std::string_view name)
{
    std::string key(name);  // names are written as settings are: "Micro-Batch-Size" is the same one
    std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c); });
    std::vector<const OtherName*> found;
    for (auto [at, end] = names().inSection.equal_range(std::string(section) + " " + key); at != end; ++at) {
        found.push_back(&at->second);
    }
    for (auto [at, end] = names().anywhere.equal_range(key); at != end; ++at) {
        found.push_back(&at->second);
    }
    return found;
}

ForeignKey foreignKey(std::string_view key)
{
    const auto found = names().foreign.find(key);
    return found == names().foreign.end() ? ForeignKey::None : found->second;
}

std::vector<std::string> likeByParts(std::string_view key, const std::vector<std::string>& candidates, bool wholly)
{
    const std::set<std::string> asked = parts(key);
    if (asked.empty()) {
        return {};
    }
    std::vector<std::string> same, some, fewer;
    std::size_t most = 2;  // parts that a name with fewer of them has to share
    thread_local std::map<std::string, std::set<std::string>, std::less<>> known;  // of the names of the releases, which are few
    for (const std::string& candidate : candidates) {
        auto found = known.find(candidate);
        if (found == known.end()) {
            found = known.emplace(candidate, parts(candidate)).first;
        }
        const std::set<std::string>& has = found->second;
        if (has == asked) {
            same.push_back(candidate);
        } else if (!wholly && !has.empty() && std::includes(has.begin(), has.end(), asked.begin(), asked.end())) {
            some.push_back(candidate);
        } else if (!wholly && has.size() >= most && std::includes(asked.begin(), asked.end(), has.begin(), has.end())) {
            if (has.size() > most) {
                fewer.clear();
            }
            most = has.size();
            fewer.push_back(candidate);
        }
    }
    return !same.empty() ? same : !some.empty() ? some : fewer;
}

int oneOfBetas(std::string_view key)
{
    static constexpr std::array kFirst{"beta1", "beta_1", "adam_beta1", "b1"};
    static constexpr std::array kSecond{"beta2", "beta_2", "adam_beta2", "b2"};
    return std::find(kFirst.begin(), kFirst.end(), key) != kFirst.end() ? 0 : std::find(kSecond.begin(), kSecond.end(), key) != kSecond.end() ? 1 : -1;
}

std::string withoutTypographicQuotes(std::string_view key)
{
    std::string plain(key);
    for (const std::string_view quote : {std::string_view("\u201c"), std::string_view("\u201d"), std::string_view("\u2018"), std::string_view("\u2019"), std::string_view("\u201e")}) {
        for (std::size_t at = plain.find(quote); at != std::string::npos; at = plain.find(quote)) {
            plain.erase(at, quote.size());
        }
    }
    return plain;
}

std::string inPlainLetters(std::string_view text)
{
    static constexpr std::array<std::string_view, 9> kInvisible{"\u00a0", "\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u3000", "\u202f"};
    static constexpr std::array<std::string_view, 8> kQuotes{"\u201c", "\u201d", "\u2018", "\u2019", "\u201e", "\uff02", "\u300c", "\u300d"};
    std::string plain;
    for (std::size_t i = 0; i < text.size();) {
        const auto at = [&](const auto& list) { return std::find_if(list.begin(), list.end(), [&](std::string_view each) { return text.substr(i, each.size()) == each; }); };
        if (const auto hidden = at(kInvisible); hidden != kInvisible.end()) {
            i += hidden->size();
        } else if (const auto quote = at(kQuotes); quote != kQuotes.end()) {
            i += quote->size();
        } else if (static_cast<unsigned char>(text[i]) == 0xEF && i + 2 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0xBC && static_cast<unsigned char>(text[i + 1]) <= 0xBD) {
            const unsigned code = 0xF000U | ((static_cast<unsigned char>(text[i + 1]) & 0x3FU) << 6) | (static_cast<unsigned char>(text[i + 2]) & 0x3FU);
            if (code >= 0xFF01U && code <= 0xFF5EU) {  // full-width forms of ! to ~
                plain += static_cast<char>(code - 0xFF01U + '!');
            } else {
                plain += text.substr(i, 3);
            }
            i += 3;
        } else {
            plain += text[i++];
        }
    }
    std::size_t begin = plain.find_first_not_of(" \t\"'"), end = plain.find_last_not_of(" \t\"'");
    return begin == std::string::npos ? std::string() : plain.substr(begin, end - begin + 1);
}

std::string_view literalMisspelt(std::string_view low)
{
    // Two letters swapped, or one missing, doubled or another one; none and null are near to other words, so only what keeps their first letter counts there.
    const auto slip = [](std::string_view typed, std::string_view word, bool another) {
        std::size_t same = 0;
        while (same < typed.size() && same < word.size() && typed[same] == word[same]) {
            ++same;
        }
        const std::string_view left = typed.substr(same), right = word.substr(same);
        if (left.size() == right.size()) {
            const bool swapped = left.size() > 1 && left[0] == right[1] && left[1] == right[0] && left.substr(2) == right.substr(2);
            return swapped || (another && same > 0 && !left.empty() && left.substr(1) == right.substr(1));
        }
        return same > 0 && (left.size() == right.size() + 1 ? left.substr(1) == right : right.size() == left.size() + 1 && right.substr(1) == left);
    };
    return slip(low, "true", true) ? "true" : slip(low, "false", true) ? "false" : slip(low, "none", false) || slip(low, "null", false) ? "null" : "";
}

bool namesPrecision(std::string_view key)
{
    static constexpr std::array kNames{"mixed_precision", "precision", "torch_dtype", "dtype", "amp_dtype", "model_dtype", "compute_dtype", "training_dtype", "mixed_precision_dtype", "mixed_precision_param", "train_precision", "params_dtype", "param_dtype"};
    return std::find(kNames.begin(), kNames.end(), key) != kNames.end();
}

std::string_view precisionSection(const ConfigValue& value)
{
    if (value.kind == ConfigValue::Kind::Int && value.asInt() == 16) {
        return "fp16";
    }
    if (!value.isString()) {
        return {};
    }
    std::string word = value.text;
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c); });
    for (const std::string_view tail : {std::string_view("-mixed"), std::string_view("-true")}) {
        word = word.ends_with(tail) ? word.substr(0, word.size() - tail.size()) : word;
    }
    for (const std::string_view head : {std::string_view("torch."), std::string_view("amp_"), std::string_view("mixed_")}) {
        word = word.starts_with(head) ? word.substr(head.size()) : word;
    }
    if (word == "bf16" || word == "bfloat16") {
        return "bf16";
    }
    return word == "fp16" || word == "float16" || word == "half" || word == "16" ? "fp16" : "";
}

std::string replaceBetas(const std::string& at, const ConfigValue& betas)
{
    if (betas.isString("auto")) {
        return patchReplace(at, "[0.9, 0.999]");
    }
    ConfigValue read = betas;
    if (betas.isString()) {
        const std::string text = betas.text.starts_with('[') || betas.text.starts_with('(') ? betas.text.substr(1, betas.text.size() - 2) : betas.text;
        read = readStrictJson("[" + text + "]").root;
    }
    std::string pair;
    for (const ConfigValue& item : read.items) {
        const ConfigValue number = item.isString() ? readStrictJson(item.text).root : item;
        if (!number.isNumber() || !(number.asDouble() >= 0.0 && number.asDouble() < 1.0)) {
            return {};
        }
        pair += (pair.empty() ? "[" : ", ") + toJson(number);
    }
    return read.items.size() == 2 ? patchReplace(at, pair + "]") : std::string();
}

void tellAutoOfNoKey(Judge& judge, const ModelFacts& facts, const ConfigValue& section, const std::string& at, const std::string& key)
{
    std::string near;
    if (judge.asksMeaning()) {
        std::vector<std::string> names;
        for (const FieldFacts& field : facts.fields) {
            names.push_back(field.alias.empty() ? field.name : field.alias);
        }
        near = nearestWord(key, names);
    }
    const FieldFacts* meant = near.empty() ? nullptr : facts.findField(near);
    const bool free = meant != nullptr && std::none_of(section.members.begin(), section.members.end(), [&](const ConfigMember& m) { return facts.findField(m.key) == meant; });
    const std::string above = at.substr(0, at.rfind('/'));
    judge.ignore("R11", free ? "R11.auto.near" : "R11.auto", at, {{"key", key}, {"section", dotted(above)}, {"near", near}}, free ? patchMove(at, above + "/" + near) : std::string());
}

}  // namespace stagecraft::rules
