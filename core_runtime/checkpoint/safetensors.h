// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mapped_file.h"
#include "base/result.h"
#include "checkpoint/element_type.h"
#include "model/model_spec.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// One tensor of a file. The bytes belong to the file object (reading) or to the caller (writing).
struct TensorView {
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;   ///< row-major, little-endian
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(bytes.size() / elementBytes(type)); }
};

/// Reads the header of a safetensors file and checks every word of it against the file: types, shapes, offsets that lie
/// inside, neither overlap nor leave gaps.
/// @param bytes  the whole file; the views point into it
/// @error InvalidInput, one clause
[[nodiscard]] Result<std::vector<TensorView>> parseSafetensors(std::span<const std::byte> bytes);

/// The tensors of a model: one .safetensors file, or several behind a model.safetensors.index.json. Mapped, not read.
class WeightFiles {
public:
    /// @error NotFound, Io, or InvalidInput with the reason
    [[nodiscard]] static Result<WeightFiles> open(const std::filesystem::path& path);

    [[nodiscard]] const std::map<std::string, TensorView>& tensors() const { return m_tensors; }
    /// The tensor under this name, or under it without its base prefix ("model.", "transformer."); null when there is none.
    [[nodiscard]] const TensorView* find(std::string_view name) const;
    /// Whether every parameter of the units is there with its shape and as floating-point numbers.
    /// @error InvalidInput that names the first one that is not
    [[nodiscard]] Result<void> check(const std::vector<UnitInfo>& units) const;
    /// Names of the tensors that no parameter of the units is read from, but for what older files keep beside the weights: masks,
    /// tables of rotary positions, and a head that is the embedding it is tied to.
    [[nodiscard]] std::vector<std::string> unused(const std::vector<UnitInfo>& units) const;
    /// Elements `[begin, begin + out.size())` of a parameter as fp32.
    /// @error NotFound, InvalidInput (another type, a range outside)
    [[nodiscard]] Result<void> read(std::string_view name, std::int64_t begin, std::span<float> out) const;

private:
    Result<void> add(const std::filesystem::path& file);

    std::filesystem::path m_path;
    std::vector<MappedFile> m_files;
    std::map<std::string, TensorView> m_tensors;
};

/// Writes tensors as one safetensors file, atomically. Order as given; metadata {"format": "pt"} as Transformers wants it.
/// @error Io, InvalidArgument when bytes and shape disagree
[[nodiscard]] Result<void> writeSafetensors(const std::filesystem::path& path, const std::vector<TensorView>& tensors);

}  // namespace stagecraft
