// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/atomic_file.h"
#include "model/parameter_builder.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace stagecraft {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Error damaged(const fs::path& file, const std::string& why)
{
    return {ErrorCode::InvalidInput, fmt::format("Cannot count from \"{}\": {}; download it again", file.string(), why), {{"path", file.string()}}};
}

// Buffers that checkpoints carry and that are no parameters: told by the last word of their name, wherever the module stands. A bias of
// four dimensions is a causal mask, [1, 1, positions, positions] as GPT-2, GPT-Neo and GPT-NeoX keep it under that name.
bool isBuffer(std::string_view name, const json& tensor)
{
    constexpr std::array<std::string_view, 10> kBuffers{"inv_freq",           "original_inv_freq", "masked_bias",  "position_ids", "token_type_ids", "e_score_correction_bias",
                                                        "num_batches_tracked", "running_mean",      "running_var",  "freqs_cis"};
    const std::string_view word = name.substr(name.rfind('.') + 1);   // npos + 1 is 0
    if (std::find(kBuffers.begin(), kBuffers.end(), word) != kBuffers.end()) return true;
    return word == "bias" && tensor.is_object() && tensor.contains("shape") && tensor["shape"].is_array() && tensor["shape"].size() == 4;
}

Result<json> headerOf(const fs::path& file)
{
    constexpr std::uint64_t kLargestHeader = 100'000'000;  // the limit of the safetensors library itself
    std::error_code failure;
    const auto size = fs::file_size(file, failure);   // of a regular file alone: a pipe is not opened, which could wait for ever
    std::ifstream in;
    if (!failure) in.open(file, std::ios::binary);
    if (failure || !in) return Error{ErrorCode::NotFound, fmt::format("Cannot open \"{}\"; check the path and its rights", file.string()), {{"path", file.string()}}};
    std::array<unsigned char, 8> prefix{};
    in.read(reinterpret_cast<char*>(prefix.data()), 8);
    if (in.gcount() != 8) return damaged(file, "it is shorter than 8 bytes");
    std::uint64_t length = 0;
    for (std::size_t i = prefix.size(); i-- > 0;) length = length << 8 | prefix[i];
    if (length > kLargestHeader || length + 8 > size) return damaged(file, "its header length is impossible");
    std::string text(length, '\0');
    in.read(text.data(), static_cast<std::streamsize>(length));
    if (in.gcount() != static_cast<std::streamsize>(length)) return damaged(file, "its header is cut off");
    json header = json::parse(text, nullptr, false);
    if (!header.is_object()) return damaged(file, "its header is no JSON object");
    return header;
}

Result<std::vector<fs::path>> filesOf(const fs::path& folder)
{
    std::error_code failure;
    if (fs::is_regular_file(folder / "model.safetensors", failure)) return std::vector<fs::path>{folder / "model.safetensors"};
    const fs::path index = folder / "model.safetensors.index.json";
    if (!fs::is_regular_file(index, failure)) {
        std::size_t parts = 0;
        for (fs::directory_iterator it(folder, failure); !failure && it != fs::directory_iterator(); it.increment(failure)) parts += it->path().extension() == ".safetensors" ? 1 : 0;
        if (parts > 0) {
            return Error{ErrorCode::NotFound, fmt::format("No model.safetensors.index.json in \"{}\" says which of its safetensors files belong to the model; put it there", folder.string()), {{"path", folder.string()}}};
        }
        return Error{ErrorCode::NotFound, fmt::format("No model.safetensors or its index in \"{}\"; put the weights there", folder.string()), {{"path", folder.string()}}};
    }
    const auto text = readFile(index, std::size_t{256} << 20);
    if (!text.hasValue()) return text.error();
    const json document = json::parse(*text, nullptr, false);
    if (!document.is_object() || !document.contains("weight_map") || !document["weight_map"].is_object()) return damaged(index, "it has no \"weight_map\"");
    std::set<fs::path> files;
    for (const auto& [name, file] : document["weight_map"].items()) {
        // A name with a folder in it could point anywhere.
        if (!file.is_string() || fs::path(file.get<std::string>()).filename() != fs::path(file.get<std::string>())) {
            return damaged(index, fmt::format("the file of \"{}\" is no plain file name", name));
        }
        files.insert(folder / file.get<std::string>());
    }
    return std::vector<fs::path>(files.begin(), files.end());
}

}  // namespace

Result<ParameterCounts> countParametersFromSafetensors(const fs::path& folder)
{
    const auto files = filesOf(folder);
    if (!files.hasValue()) return files.error();
    std::set<std::string> seen;
    WideCount total = 0;
    for (const fs::path& file : *files) {
        const auto header = headerOf(file);
        if (!header.hasValue()) return header.error();
        for (const auto& [name, tensor] : header->items()) {
            if (name == "__metadata__" || isBuffer(name, tensor)) continue;
            if (!tensor.is_object() || !tensor.contains("dtype") || !tensor["dtype"].is_string() || !tensor.contains("shape") || !tensor["shape"].is_array()) {
                return damaged(file, fmt::format("the entry \"{}\" has no dtype or shape", name));
            }
            const std::string dtype = tensor["dtype"].get<std::string>();
            if (dtype != "F64" && dtype != "F32" && dtype != "F16" && dtype != "BF16") {
                return Error{ErrorCode::Refused,
                             fmt::format("Cannot count from \"{}\": \"{}\" is kept as {}, which may pack several weights into one element; use the unquantised files",
                                         file.string(), name, dtype),
                             {{"path", file.string()}, {"tensor", name}}};
            }
            if (!seen.insert(name).second) continue;
            WideCount count = 1;
            for (const json& extent : tensor["shape"]) {
                if (!extent.is_number_unsigned()) return damaged(file, fmt::format("the shape of \"{}\" is no list of sizes", name));
                count *= extent.get<std::uint64_t>();
                if (count > kMostParameters) return damaged(file, fmt::format("the shape of \"{}\" is impossibly large", name));
            }
            total += count;
            if (total > kMostParameters) return damaged(file, "it holds more than 2^62 elements");
        }
    }
    if (total == 0) return damaged(files->front(), files->size() > 1 ? "it and the files beside it hold no weights" : "it holds no weights");
    ParameterCounts counts;
    counts.params = counts.trainable = counts.active = static_cast<std::int64_t>(total);
    counts.className = "safetensors";
    return counts;
}

}  // namespace stagecraft
