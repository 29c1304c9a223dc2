// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// One entry of a person's file of data sheets, as it is written there: what no sheet has is in it too.
struct OwnSheet {
    nlohmann::ordered_json entry;
    std::string id;                ///< "#3" of the third where it has none that can be used
    std::optional<Error> problem;  ///< why it is not used
};

/// The entries of `file` that are objects, in their order; none where there is no file.
/// @error what readFile() says, or InvalidInput where it is no JSON list: `context` has "path"
[[nodiscard]] Result<std::vector<OwnSheet>> readOwnSheets(const std::filesystem::path& file);

/// Writes one sheet into `file`; every byte of the others stays. The file, and its folder, are made where there is none.
/// @param before  the entry that it takes the place of, as it was read; nothing for one that is new
/// @error InvalidInput as the reader of sheets says of `sheet`, or where the file is no JSON list: that is never overwritten;
///        Refused where `before` is no longer in the file, or another sheet of the file has the id; Io
[[nodiscard]] Result<void> saveOwnSheet(const std::filesystem::path& file, const std::optional<nlohmann::ordered_json>& before, const nlohmann::ordered_json& sheet);

/// Takes one entry out of `file`; every byte of the others stays. @error as saveOwnSheet()
[[nodiscard]] Result<void> removeOwnSheet(const std::filesystem::path& file, const nlohmann::ordered_json& before);

}  // namespace stagecraft
