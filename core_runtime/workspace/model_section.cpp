// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/model_section.h"

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "base/resource_path.h"
#include "model/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <utility>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 28;
constexpr const char* kSizeFields[] = {"hidden", "layers", "heads", "kvHeads", "headSize", "ffn", "vocab", "positions", "attentionBias", "mlpBias",
                                       "normEps", "ropeTheta", "initStd", "embeddingDropout", "attentionDropout", "residualDropout", "tieEmbeddings", "family"};

/// "init": "random" or a safetensors file. Empty path = random.
fs::path readInit(FieldReader& reader, const fs::path& folder, const fs::path& otherwise)
{
    if (!reader.has("init")) return otherwise;
    const std::string init = reader.text("init", "random");
    if (init.empty()) reader.fail("init", "\"model.init\" is empty; use \"random\" or the name of a safetensors file");
    return init == "random" ? fs::path{} : folder / init;
}

/// What is wrong with the sizes, told in the words of the workspace.
void checkSizes(FieldReader& reader, const ModelSpec& spec)
{
    if (reader.log().error()) return;
    const auto checked = checkModelSpec(spec);
    if (checked.hasValue()) return;
    const std::string field = checked.error().context.at("field");
    // A derived size is reported where it came from.
    const char* place = field == "headSize" && !reader.has("headSize") ? "heads" : field == "kvHeads" && !reader.has("kvHeads") ? "heads" : field.c_str();
    reader.fail(place, fmt::format("\"model.{}\": {}", place, checked.error().message));
}

void readSizes(FieldReader& reader, const fs::path& folder, ModelSection& model)
{
    ModelSpec spec;
    const std::string family = reader.has("family") ? reader.word("family", "llama", {"gpt2", "llama"}) : std::string();
    if (family.empty()) {
        reader.fail("family", "\"model.family\" is missing; give \"gpt2\" or \"llama\" with its sizes, or \"hf\", \"preset\" or \"params\" instead");
        return;
    }
    const bool gpt2 = family == "gpt2";
    spec.family = gpt2 ? Family::Gpt2 : Family::Llama;
    spec.hidden = reader.requiredInteger("hidden", 1, 1 << 20);
    spec.layers = reader.requiredInteger("layers", 1, 10'000);
    spec.heads = reader.requiredInteger("heads", 1, 1 << 20);
    spec.kvHeads = reader.integer("kvHeads", spec.heads, 1, 1 << 20);
    if (!reader.has("headSize") && spec.hidden % spec.heads != 0) {
        reader.fail("heads", fmt::format("\"model.heads\" is {}, which does not divide hidden {}; use a divisor of {}", spec.heads, spec.hidden, spec.hidden));
    }
    spec.headSize = reader.integer("headSize", std::max<std::int64_t>(spec.hidden / spec.heads, 1), 1, 1 << 14);
    spec.ffn = gpt2 ? reader.integer("ffn", 4 * spec.hidden, 1, 1 << 24) : reader.requiredInteger("ffn", 1, 1 << 24);
    spec.vocab = reader.requiredInteger("vocab", 1, kMostRows);
    spec.seq = reader.requiredInteger("seq", 1, kMostRows);
    if (gpt2) spec.positions = reader.integer("positions", spec.seq, 1, kMostRows);
    else if (reader.has("positions")) reader.fail("positions", "\"model.positions\" is given, but LLaMA has no position table; leave it out");
    spec.tieEmbeddings = reader.boolean("tieEmbeddings", gpt2);
    spec.normEps = reader.number("normEps", spec.normEps);
    spec.initStd = reader.number("initStd", spec.initStd);
    spec.attentionDropout = reader.number("attentionDropout", 0.0);
    const auto onlyFor = [&](const char* key, const char* owner) {
        if (reader.has(key)) reader.fail(key, fmt::format("\"model.{}\" belongs to {}; leave it out", key, owner));
    };
    if (gpt2) {
        spec.embeddingDropout = reader.number("embeddingDropout", 0.0);
        spec.residualDropout = reader.number("residualDropout", 0.0);
        onlyFor("attentionBias", "LLaMA (GPT-2 always has biases)");
        onlyFor("mlpBias", "LLaMA (GPT-2 always has biases)");
        onlyFor("ropeTheta", "LLaMA (GPT-2 learns its positions)");
    } else {
        spec.attentionBias = reader.boolean("attentionBias", false);
        spec.mlpBias = reader.boolean("mlpBias", false);
        spec.ropeTheta = reader.number("ropeTheta", spec.ropeTheta);
        onlyFor("embeddingDropout", "GPT-2");
        onlyFor("residualDropout", "GPT-2");
    }
    model.initFile = readInit(reader, folder, {});
    checkSizes(reader, spec);
    model.spec = spec;
}

/// The sizes of a config.json that is there already; "seq" may be set beside it.
void readHuggingFaceConfig(FieldReader& reader, const char* key, const std::string& where, ModelSection& model)
{
    const auto read = modelSpecFromHuggingFace(model.huggingFaceConfig);
    if (!read.hasValue() && read.error().code != ErrorCode::Refused) {
        reader.fail(key, fmt::format("\"model.{}\" names {}: {}", key, where, read.error().message));
        return;
    }
    if (reader.has("seq")) model.seq = reader.requiredInteger("seq", 1, kMostRows);
    if (!read.hasValue()) {
        model.noSpecReason = read.error().message;
        return;
    }
    model.spec = read.value();
    if (model.seq > 0) model.spec->seq = model.seq;
    checkSizes(reader, *model.spec);
}

/// The object in `file`; null where that is none, and the reader knows why.
json configIn(FieldReader& reader, const char* key, const fs::path& file)
{
    const auto text = readFile(file, std::size_t{16} << 20);
    if (!text.hasValue()) {
        reader.fail(key, fmt::format("\"model.{}\": {}", key, text.error().message), text.error().code);
        return nullptr;
    }
    auto config = parseJson(text.value());
    if (!config.hasValue()) {
        reader.fail(key, fmt::format("\"model.{}\" names \"{}\", which is not JSON (line {}, column {}): {}", key, file.string(),
                                     config.error().context.at("line"), config.error().context.at("column"), config.error().message));
        return nullptr;
    }
    if (!config.value().is_object()) {
        reader.fail(key, fmt::format("\"model.{}\" names \"{}\", which holds no object; it must be a model's config.json", key, file.string()));
        return nullptr;
    }
    return std::move(config).value();
}

void readConfigFile(FieldReader& reader, const char* key, const fs::path& file, ModelSection& model)
{
    json config = configIn(reader, key, file);
    if (config.is_null()) return;
    model.huggingFaceConfig = std::move(config);
    readHuggingFaceConfig(reader, key, '"' + file.string() + '"', model);
}

}  // namespace

fs::path weightsOfAnotherFormat(const fs::path& folder)
{
    // As transformers, and those who published before it, name them; training_args.bin or optimizer.pt are no weights.
    std::error_code ignored;
    fs::path first;
    for (fs::directory_iterator it(folder, ignored); !ignored && it != fs::directory_iterator(); it.increment(ignored)) {
        const std::string name = it->path().filename().string();
        const std::string ending = it->path().extension().string();
        if (ending == ".safetensors") return {};
        const bool weights = (name.starts_with("pytorch_model") && (ending == ".bin" || ending == ".json")) || (name.starts_with("consolidated") && ending == ".pth") || name == "tf_model.h5"
            || name == "flax_model.msgpack" || ending == ".gguf";
        if (weights && (first.empty() || it->path() < first)) first = it->path();
    }
    return first;
}

namespace {

/// The weights of a Hugging Face folder: under the names that save_pretrained gives, else its only safetensors file; empty
/// when it has none. `unclear`: it has several others, and which is meant cannot be told, or weights of another format only.
fs::path weightsIn(const fs::path& folder, bool& unclear)
{
    std::error_code ignored;
    for (const char* file : {"model.safetensors", "model.safetensors.index.json"})
        if (fs::symlink_status(folder / file, ignored).type() != fs::file_type::not_found) return folder / file;  // a dangling link is one that cannot be read
    std::vector<fs::path> others;
    for (fs::directory_iterator it(folder, ignored); !ignored && it != fs::directory_iterator(); it.increment(ignored))
        if (it->path().extension() == ".safetensors") others.push_back(it->path());
    unclear = others.size() > 1 || !weightsOfAnotherFormat(folder).empty();
    return others.size() == 1 ? others.front() : fs::path{};
}

void readHuggingFaceFolder(FieldReader& reader, const fs::path& folder, ModelSection& model)
{
    const std::string name = reader.text("hf", "");
    if (name.empty()) {
        reader.fail("hf", "\"model.hf\" is empty; give the folder that holds config.json");
        return;
    }
    model.huggingFaceFolder = folder / name;
    if (std::error_code ignored; fs::is_regular_file(model.huggingFaceFolder, ignored)) {
        // Who names the config.json means the folder it lies in; of a file called otherwise nobody knows what lies beside it.
        if (model.huggingFaceFolder.filename() != "config.json") {
            reader.fail("hf", "\"model.hf\" is the file \"" + name + "\"; give the folder that holds config.json");
            return;
        }
        model.huggingFaceFolder = model.huggingFaceFolder.parent_path();
    }
    bool unclear = false;
    const fs::path weights = weightsIn(model.huggingFaceFolder, unclear);
    model.initUnclear = unclear && !reader.has("init");
    model.initFile = readInit(reader, folder, weights);
    readConfigFile(reader, "hf", model.huggingFaceFolder / "config.json", model);
}

void readPreset(FieldReader& reader, const fs::path& folder, ModelSection& model)
{
    model.preset = reader.text("preset", "");
    model.initFile = readInit(reader, folder, {});
    const auto presets = resourcePath("configs/models");
    if (!presets.hasValue()) {
        reader.fail("preset", presets.error().message, presets.error().code);
        return;
    }
    const fs::path file = presets.value() / (model.preset + ".json");
    // A search or a dragged slider reads its workspace hundreds of times a second; the program's own models are the same each time.
    static std::mutex mutex;
    static std::map<fs::path, std::pair<fs::file_time_type, json>> known;
    std::error_code ignored;
    {
        const std::lock_guard lock(mutex);
        if (const auto at = known.find(file); at != known.end() && at->second.first == fs::last_write_time(file, ignored)) model.huggingFaceConfig = at->second.second;
    }
    if (model.huggingFaceConfig.is_object()) {
        readHuggingFaceConfig(reader, "preset", '"' + file.string() + '"', model);
        return;
    }
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(presets.value(), ignored)) {
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    // Comparing with the list, not opening by name, keeps "../" out.
    if (std::find(names.begin(), names.end(), model.preset) == names.end()) {
        std::string list;
        for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
        reader.fail("preset", fmt::format("\"model.preset\" is {}; use one of {}", shownValue(json(model.preset)), list));
        return;
    }
    const fs::file_time_type written = fs::last_write_time(file, ignored);
    readConfigFile(reader, "preset", file, model);
    const std::lock_guard lock(mutex);
    if (model.huggingFaceConfig.is_object()) known[file] = {written, model.huggingFaceConfig};
}

constexpr std::size_t kMostNames = 1000, kLongestName = 200;
constexpr std::int64_t kMostLayers = 10'000;

bool isModuleName(const std::string& name)
{
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return (c < 128 && std::isalnum(c) != 0) || c == '_' || c == '-' || c == '.'; });
    return plain && name.size() <= kLongestName && name.front() != '.' && name.back() != '.';
}

/// A list of modules' names. @param needed  whether it must not be empty
std::vector<std::string> readNames(FieldReader& reader, const char* key, bool needed)
{
    std::vector<std::string> names;
    const json& list = reader.any(key);
    if (list.is_null()) return names;
    const std::string field = dottedName(reader.pointerTo(key));
    if (!list.is_array() || (needed && list.empty()) || list.size() > kMostNames) {
        reader.fail(key, fmt::format("\"{}\" is {}; use a list of module names such as [\"q_proj\", \"v_proj\"], {} to {} of them", field, shownValue(list), needed ? 1 : 0, kMostNames));
        return names;
    }
    for (const json& name : list) {
        if (!name.is_string() || !isModuleName(name.get<std::string>())) reader.fail(key, fmt::format("\"{}\" has {}; use modules' names of letters, digits, \"_\", \"-\" and \".\"", field, shownValue(name)));
        else names.push_back(name.get<std::string>());
    }
    return names;
}

/// "freeze": "embeddings", a list of names, or an object that has both and a number of layers.
void readFreeze(FieldReader& outer, ModelSection& model)
{
    if (!outer.has("freeze")) return;
    const json& written = outer.any("freeze");
    FreezeSection freeze;
    if (written == json("embeddings")) {
        freeze.embeddings = true;
    } else if (written.is_array()) {
        freeze.modules = readNames(outer, "freeze", true);
    } else if (!written.is_object()) {
        outer.fail("freeze", fmt::format("\"model.freeze\" is {}; use \"embeddings\", a list of module names, or {{\"embeddings\": true, \"firstLayers\": 8, \"modules\": [...]}}", shownValue(written)));
    } else {
        FieldReader reader(outer.object("freeze"), "/model/freeze", outer.log());
        freeze.embeddings = reader.boolean("embeddings", false);
        freeze.firstLayers = reader.integer("firstLayers", 0, 0, kMostLayers);
        freeze.modules = readNames(reader, "modules", false);
        reader.finish();
    }
    if (model.adapter) outer.fail("freeze", "\"model.freeze\" stands beside \"model.adapter\", which freezes all of the model already; remove one of the two");
    if (freeze.embeddings || freeze.firstLayers > 0 || !freeze.modules.empty()) model.freeze = freeze;
}

void readAdapter(FieldReader& outer, ModelSection& model)
{
    if (!outer.has("adapter")) return;
    FieldReader reader(outer.object("adapter"), "/model/adapter", outer.log());
    AdapterSection adapter;
    adapter.rank = reader.integer("rank", 16, 1, 1 << 16);
    if (reader.any("targets").is_array()) {
        adapter.modules = readNames(reader, "targets", true);
    } else {
        std::string targets = "all-linear";
        if (const json& written = reader.any("targets"); !written.is_null()) targets = written.is_string() ? written.get<std::string>() : "";
        if (targets != "all-linear" && targets != "attention" && targets != "mlp" && targets != "default")
            reader.fail("targets", fmt::format("\"model.adapter.targets\" is {}; use \"all-linear\", \"attention\", \"mlp\", \"default\" (what PEFT takes for the model's type) or a list of module names such as [\"q_proj\", \"v_proj\"]; regular expressions are not read", shownValue(reader.any("targets"))));
        adapter.attention = targets != "mlp";
        adapter.mlp = targets != "attention";
        adapter.usual = targets == "default";
    }
    adapter.modulesToSave = readNames(reader, "modulesToSave", false);
    const std::string bias = reader.word("bias", "none", {"none", "all", "lora_only"});
    adapter.bias = bias == "all" ? AdapterSection::Bias::All : bias == "none" ? AdapterSection::Bias::None : AdapterSection::Bias::Adapted;
    adapter.dora = reader.boolean("dora", false);
    adapter.dropout = reader.number("dropout", 0.0);
    if (!(adapter.dropout >= 0 && adapter.dropout <= 1)) reader.fail("dropout", fmt::format("\"model.adapter.dropout\" is {}; use a share from 0 to 1, as PEFT's lora_dropout", shownValue(reader.any("dropout"))));
    if (const json& ranks = reader.object("rankPattern"); ranks.is_object()) {
        if (ranks.size() > kMostNames) reader.fail("rankPattern", fmt::format("\"model.adapter.rankPattern\" has {} names; use at most {}", ranks.size(), kMostNames));
        for (const auto& [name, rank] : ranks.items()) {
            if (!isModuleName(name)) reader.fail("rankPattern", fmt::format("\"model.adapter.rankPattern\" has {}; use a module's name such as \"q_proj\" or \"layers.0.self_attn.q_proj\"; regular expressions are not read", shownValue(json(name))));
            else if (!rank.is_number_integer() || rank < 1 || rank > (1 << 16)) reader.fail("rankPattern", fmt::format("\"model.adapter.rankPattern\" gives {} the rank {}; use a whole number from 1 to 65536", name, shownValue(rank)));
            else adapter.ranks[name] = rank.get<std::int64_t>();
        }
    }
    const std::string base = reader.word("base", "16bit", {"16bit", "nf4", "int8"});
    adapter.base = base == "nf4" ? AdapterSection::Base::Nf4 : base == "int8" ? AdapterSection::Base::Int8 : AdapterSection::Base::SixteenBit;
    adapter.doubleQuantization = reader.boolean("doubleQuantization", false);
    reader.finish();
    model.adapter = adapter;
}

}  // namespace

ModelSection readModelSection(const json& section, const fs::path& folder, ReadLog& log)
{
    ModelSection model;
    FieldReader reader(section, "/model", log);
    const char* form = nullptr;
    for (const char* key : {"hf", "params", "preset"}) {
        if (!reader.has(key)) continue;
        if (form != nullptr) reader.fail(key, fmt::format("\"model.{}\" stands beside \"model.{}\"; give one of the two", key, form));
        form = key;
    }
    if (form != nullptr) {
        for (const char* key : kSizeFields) {
            if (reader.has(key)) reader.fail(key, fmt::format("\"model.{}\" stands beside \"model.{}\", which decides the sizes; remove one of the two", key, form));
        }
    }
    const std::string name = form == nullptr ? "" : form;
    if (name == "hf") {
        model.form = ModelSection::Form::HuggingFace;
        readHuggingFaceFolder(reader, folder, model);
    } else if (name == "preset") {
        model.form = ModelSection::Form::Preset;
        readPreset(reader, folder, model);
    } else if (name == "params") {
        model.form = ModelSection::Form::ParameterCount;
        model.parameterCount = reader.number("params", 0);
        if (!(model.parameterCount >= 1 && model.parameterCount <= 1e18)) {
            reader.fail("params", fmt::format("\"model.params\" is {}; use a number of parameters from 1 to 1e16", shownValue(reader.any("params"))));
        }
        model.noSpecReason = "The workspace gives only a number of parameters, for arithmetic on memory; training needs the model's sizes.";
    } else {
        readSizes(reader, folder, model);
    }
    readAdapter(reader, model);
    readFreeze(reader, model);
    reader.finish();
    return model;
}

}  // namespace stagecraft
