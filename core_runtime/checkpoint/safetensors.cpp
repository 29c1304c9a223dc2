// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint/safetensors.h"

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "checkpoint/output_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t kLargestHeader = std::size_t{100} << 20;  // safetensors' own limit

Error wrong(std::string why)
{
    return Error{ErrorCode::InvalidInput, std::move(why), {}};
}

std::optional<std::int64_t> product(const std::vector<std::int64_t>& shape)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
    }
    return count;
}

std::optional<std::vector<std::int64_t>> wholeNumbers(const json& list)
{
    constexpr std::size_t kMost = 32;
    if (!list.is_array() || list.size() > kMost) return std::nullopt;
    std::vector<std::int64_t> numbers;
    for (const json& entry : list) {
        if (!entry.is_number_unsigned() || entry.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
        numbers.push_back(entry.get<std::int64_t>());
    }
    return numbers;
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::string text;
    for (const std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
    return "[" + text + "]";
}

Result<TensorView> readEntry(const std::string& name, const json& entry, std::span<const std::byte> data)
{
    if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets") || !entry["dtype"].is_string()) {
        return wrong(fmt::format("its entry \"{}\" lacks dtype, shape or data_offsets", name));
    }
    const auto type = elementTypeOf(entry["dtype"].get_ref<const std::string&>());
    const auto shape = wholeNumbers(entry["shape"]);
    const auto offsets = wholeNumbers(entry["data_offsets"]);
    if (!type) return wrong(fmt::format("its tensor \"{}\" has a type that is not known", name));
    if (!shape || !offsets || offsets->size() != 2) return wrong(fmt::format("its tensor \"{}\" has no proper shape or offsets", name));
    const auto count = product(*shape);
    const auto begin = static_cast<std::uint64_t>((*offsets)[0]);
    const auto end = static_cast<std::uint64_t>((*offsets)[1]);
    if (begin > end || end > data.size()) return wrong(fmt::format("its tensor \"{}\" lies outside the file", name));
    const std::uint64_t length = end - begin;
    if (!count || length % elementBytes(*type) != 0 || static_cast<std::uint64_t>(*count) != length / elementBytes(*type)) {
        return wrong(fmt::format("its tensor \"{}\" of shape {} does not have {} bytes", name, shapeText(*shape), length));
    }
    return TensorView{name, *type, *shape, data.subspan(begin, length)};
}

}  // namespace

Result<std::vector<TensorView>> parseSafetensors(std::span<const std::byte> bytes)
{
    std::uint64_t headerBytes = 0;
    if (bytes.size() < sizeof headerBytes) return wrong("it is shorter than the length of its header");
    std::memcpy(&headerBytes, bytes.data(), sizeof headerBytes);
    if (headerBytes > kLargestHeader) return wrong(fmt::format("its header would have {} bytes; at most {} are read", headerBytes, kLargestHeader));
    if (headerBytes > bytes.size() - sizeof headerBytes) return wrong("it ends inside its header");
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + sizeof headerBytes, headerBytes);
    const auto header = parseJson(text, {kLargestHeader, 8});
    if (!header.hasValue()) return wrong("its header is not JSON: " + header.error().message);
    if (!header.value().is_object()) return wrong("its header is no object");

    const std::span<const std::byte> data = bytes.subspan(sizeof headerBytes + headerBytes);
    std::vector<TensorView> tensors;
    for (const auto& [name, entry] : header.value().items()) {
        if (name == "__metadata__") continue;
        auto tensor = readEntry(name, entry, data);
        if (!tensor.hasValue()) return tensor.error();
        tensors.push_back(std::move(tensor).value());
    }
    std::vector<const TensorView*> byPlace;
    for (const TensorView& tensor : tensors) byPlace.push_back(&tensor);
    std::sort(byPlace.begin(), byPlace.end(), [](const TensorView* a, const TensorView* b) {
        return a->bytes.data() != b->bytes.data() ? a->bytes.data() < b->bytes.data() : a->bytes.size() < b->bytes.size();
    });
    const std::byte* reached = data.data();
    for (const TensorView* tensor : byPlace) {
        if (tensor->bytes.data() != reached) {
            return wrong(fmt::format("its tensor \"{}\" {}", tensor->name, tensor->bytes.data() < reached ? "overlaps another" : "leaves a gap before it"));
        }
        reached = tensor->bytes.data() + tensor->bytes.size();
    }
    if (reached != data.data() + data.size()) return wrong("it has bytes behind its last tensor");
    return tensors;
}

Result<void> WeightFiles::add(const fs::path& file)
{
    auto opened = MappedFile::open(file);
    if (!opened.hasValue()) return opened.error();
    auto tensors = parseSafetensors(opened.value().bytes());
    if (!tensors.hasValue()) {
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot read weights from \"{}\": {}.", file.string(), tensors.error().message), {{"path", file.string()}}};
    }
    m_files.push_back(std::move(opened).value());
    for (TensorView& tensor : tensors.value()) {
        if (m_tensors.contains(tensor.name)) {
            return Error{ErrorCode::InvalidInput, fmt::format("Cannot read weights from \"{}\": \"{}\" is in two files.", m_path.string(), tensor.name), {{"path", file.string()}}};
        }
        std::string name = tensor.name;
        m_tensors.emplace(std::move(name), std::move(tensor));
    }
    return {};
}

Result<WeightFiles> WeightFiles::open(const fs::path& path)
{
    WeightFiles weights;
    weights.m_path = path;
    if (path.extension() != ".json") {
        if (auto added = weights.add(path); !added.hasValue()) return added.error();
        return weights;
    }
    const auto refuse = [&](const std::string& why) {
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot read weights through \"{}\": {}.", path.string(), why), {{"path", path.string()}}};
    };
    const auto text = readFile(path, kLargestHeader);
    if (!text.hasValue()) return text.error();
    const auto index = parseJson(text.value(), {kLargestHeader, 8});
    if (!index.hasValue()) return refuse(index.error().message);
    if (!index.value().is_object() || !index.value().contains("weight_map") || !index.value()["weight_map"].is_object()) return refuse("it has no \"weight_map\"");
    std::vector<std::string> files;
    for (const auto& [name, file] : index.value()["weight_map"].items()) {
        const std::string word = file.is_string() ? file.get<std::string>() : "";
        // The parts lie beside the index; anything else is an attempt to read elsewhere.
        if (word.empty() || word.find('/') != std::string::npos || word.find('\0') != std::string::npos) return refuse(fmt::format("the file of \"{}\" is not a plain name", name));
        files.push_back(word);
    }
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    for (const std::string& file : files) {
        if (auto added = weights.add(path.parent_path() / file); !added.hasValue()) return added.error();
    }
    return weights;
}

const TensorView* WeightFiles::find(std::string_view name) const
{
    if (const auto it = m_tensors.find(std::string(name)); it != m_tensors.end()) return &it->second;
    for (const std::string_view prefix : {"model.", "transformer."}) {
        if (!name.starts_with(prefix)) continue;
        const auto it = m_tensors.find(std::string(name.substr(prefix.size())));
        if (it != m_tensors.end()) return &it->second;
    }
    return nullptr;
}

Result<void> WeightFiles::check(const std::vector<UnitInfo>& units) const
{
    const auto refuse = [&](const std::string& why) {
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot start from \"{}\": {}.", m_path.string(), why), {{"path", m_path.string()}, {"pointer", "/model/init"}}};
    };
    for (const UnitInfo& unit : units) {
        for (const ParameterInfo& parameter : unit.parameters) {
            const TensorView* tensor = find(parameter.name);
            if (tensor == nullptr) return refuse(fmt::format("it has no \"{}\"; give the file of a model with the same family and layers", parameter.name));
            if (tensor->shape != parameter.shape) {
                return refuse(fmt::format("\"{}\" has shape {} where the model needs {}", parameter.name, shapeText(tensor->shape), shapeText(parameter.shape)));
            }
            float probe = 0;
            if (!toFloats(tensor->bytes.first(elementBytes(tensor->type)), tensor->type, {&probe, 1})) {
                return refuse(fmt::format("\"{}\" is of type {}; weights are floating-point numbers", parameter.name, elementTypeName(tensor->type)));
            }
        }
    }
    return {};
}

std::vector<std::string> WeightFiles::unused(const std::vector<UnitInfo>& units) const
{
    std::set<const TensorView*> used;
    for (const UnitInfo& unit : units)
        for (const ParameterInfo& parameter : unit.parameters) used.insert(find(parameter.name));
    const auto sameBytes = [](const TensorView& a, const TensorView* b) {
        return b != nullptr && a.type == b->type && a.shape == b->shape && std::equal(a.bytes.begin(), a.bytes.end(), b->bytes.begin(), b->bytes.end());
    };
    std::vector<std::string> names;
    for (const auto& [name, tensor] : m_tensors) {
        if (used.contains(&tensor) || name.ends_with(".rotary_emb.inv_freq") || name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias")) continue;
        if (name == "lm_head.weight" && (sameBytes(tensor, find("model.embed_tokens.weight")) || sameBytes(tensor, find("transformer.wte.weight")))) continue;
        names.push_back(name);
    }
    return names;
}

Result<void> WeightFiles::read(std::string_view name, std::int64_t begin, std::span<float> out) const
{
    const TensorView* tensor = find(name);
    if (tensor == nullptr) return Error{ErrorCode::NotFound, fmt::format("Cannot read \"{}\": it is not in \"{}\".", name, m_path.string()), {{"path", m_path.string()}}};
    const std::size_t width = elementBytes(tensor->type);
    if (begin < 0 || begin > tensor->count() || static_cast<std::int64_t>(out.size()) > tensor->count() - begin
        || !toFloats(tensor->bytes.subspan(static_cast<std::size_t>(begin) * width, out.size() * width), tensor->type, out)) {
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot read elements [{}, {}) of \"{}\": it has {} of type {}.", begin, begin + static_cast<std::int64_t>(out.size()), name,
                                                          tensor->count(), elementTypeName(tensor->type)),
                     {{"path", m_path.string()}}};
    }
    return {};
}

Result<void> writeSafetensors(const fs::path& path, const std::vector<TensorView>& tensors)
{
    json header = {{"__metadata__", {{"format", "pt"}}}};
    std::uint64_t offset = 0;
    for (const TensorView& tensor : tensors) {
        const auto count = product(tensor.shape);
        if (!count || static_cast<std::uint64_t>(*count) * elementBytes(tensor.type) != tensor.bytes.size() || header.contains(tensor.name)) {
            return Error{ErrorCode::InvalidArgument, fmt::format("Cannot write \"{}\": its shape {} does not fit its {} bytes, or its name is there twice.", tensor.name,
                                                                 shapeText(tensor.shape), tensor.bytes.size()), {}};
        }
        header[tensor.name] = {{"dtype", elementTypeName(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {offset, offset + tensor.bytes.size()}}};
        offset += tensor.bytes.size();
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // the data starts aligned, as safetensors' own writer has it
    const std::uint64_t headerBytes = text.size();
    const fs::path partial = path.string() + ".partial";
    auto file = OutputFile::create(partial);
    if (!file.hasValue()) return file.error();
    Result<void> done = file.value().write(std::as_bytes(std::span(&headerBytes, 1)));
    if (done.hasValue()) done = file.value().write(std::as_bytes(std::span(text)));
    for (const TensorView& tensor : tensors) {
        if (done.hasValue()) done = file.value().write(tensor.bytes);
    }
    if (done.hasValue()) done = file.value().close();
    if (done.hasValue()) done = renameDurably(partial, path);
    if (!done.hasValue()) {
        std::error_code ignored;
        fs::remove(partial, ignored);
    }
    return done;
}

}  // namespace stagecraft
