// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/resource_path.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

namespace stagecraft {

namespace fs = std::filesystem;

Result<fs::path> resourcePath(std::string_view name)
{
    std::vector<fs::path> places;
    std::error_code ignored;
    if (const char* source = std::getenv("STAGECRAFT_SOURCE_DIR"); source != nullptr && *source != '\0') places.emplace_back(fs::path(source) / name);
    if (!places.empty() && fs::exists(places.front(), ignored)) return places.front();
    static const fs::path program = fs::read_symlink("/proc/self/exe", ignored);   // every plan asks: a program does not move
    constexpr int kLevels = 5;  // build/dev/bin/program, with room for one folder more
    fs::path folder = program.parent_path();
    for (int level = 0; level < kLevels && folder.has_relative_path(); ++level, folder = folder.parent_path()) {
        places.push_back(folder / name);
        places.push_back(folder / "share" / "stagecraft" / name);
    }
    std::string tried;
    for (const fs::path& place : places) {
        if (fs::exists(place, ignored)) return place;
        tried += (tried.empty() ? "" : ", ") + place.string();
    }
    return Error{ErrorCode::NotFound, fmt::format("Cannot find \"{}\", which is part of the product: tried {}; install it again or set STAGECRAFT_SOURCE_DIR.", name, tried),
                 {{"path", std::string(name)}}};
}

}  // namespace stagecraft
