// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/key_catalog.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What the releases whose facts are known exactly (knownDeepSpeedReleases) say of one key, oldest first.
struct KeyReleases {
    struct Release {
        std::string version;
        bool known = false;       ///< its classes or its reader look the key up
        bool deprecated = false;
        std::string replacedBy;   ///< field name, where the release itself names one
    };
    std::vector<Release> releases;

    /// The first known release that has the key; empty when none has. The oldest of all means "that one or before".
    [[nodiscard]] std::string since() const;
    /// The first release after it that no longer has it; empty while the newest has it.
    [[nodiscard]] std::string goneIn() const;
    /// The known release before `version`; empty when that is the oldest. What lies between the two is not known.
    [[nodiscard]] std::string before(std::string_view version) const;
    /// The first release in which it is deprecated; empty when it never is.
    [[nodiscard]] std::string deprecatedIn() const;
};

/// @param pointer  of a key of ds_config; "*" or a name of the user's stands for itself
/// @return nothing where the releases' facts do not reach: parameters passed on to a Python class, free-form sections
[[nodiscard]] std::optional<KeyReleases> keyReleases(std::string_view pointer);

/// What one release does with a key of the catalog.
struct KeyInRelease {
    std::string release;                       ///< whose facts these are
    bool known = true;                         ///< the release has the key
    KeyReading reading = KeyReading::Read;     ///< Refused or Ignored where it does not
    bool asNewest = true;                      ///< the newest release does the same: the catalog's texts hold
};
/// @param release  as in CheckContext; empty = the newest
[[nodiscard]] KeyInRelease keyIn(const CatalogKey& key, std::string_view release);

/// Whether DeepSpeed `release` takes one of the key's listed values (CatalogKey::values): a name of an optimizer may have gone.
[[nodiscard]] bool takesValue(const CatalogKey& key, std::string_view value, std::string_view release);

/// What DeepSpeed `release` (as in CheckContext; empty = the newest) takes where the key is missing: the catalog's default, or
/// the release's own where its classes or its reader say another than the newest's.
/// @return JSON text; empty = none (absent means absent)
[[nodiscard]] std::string defaultIn(const CatalogKey& key, std::string_view release);

}  // namespace stagecraft
