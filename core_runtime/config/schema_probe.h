// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stagecraft {

struct CatalogKey;
class KeyCatalog;

struct ReleaseFacts;

/// Asks the rules of a release which values DeepSpeed takes at a key while it parses, so that the schema is never
/// stricter than the check. Only the key's own value counts: what other keys must be beside it is no matter of a schema.
class SchemaProbe {
public:
    SchemaProbe(const KeyCatalog& catalog, const ReleaseFacts& release) : m_catalog(catalog), m_release(release) {}

    [[nodiscard]] const ReleaseFacts& release() const { return m_release; }

    /// Whether a config with `value` at the key parses where one without the key does.
    [[nodiscard]] bool takes(const CatalogKey& key, const ConfigValue& value) const;
    /// Whether the engine is built and stepped with `value` at the key, as far as that value decides: an optimizer is there.
    [[nodiscard]] bool runs(const CatalogKey& key, const ConfigValue& value) const;
    /// Whether a switch that holds `value` is refused for nothing but what a true one is refused for: Python's truth counts there.
    [[nodiscard]] bool actsAsTrue(const CatalogKey& key, const ConfigValue& value) const;
    /// Whether a config needs the key to parse.
    [[nodiscard]] bool needs(const CatalogKey& key) const;

private:
    [[nodiscard]] ConfigValue configWith(const CatalogKey& key, const ConfigValue* value, bool sharded) const;
    void place(ConfigValue& at, const std::vector<std::string>& tokens, std::size_t from, const ConfigValue* value) const;

    [[nodiscard]] std::size_t refusals(const ConfigValue& config) const;

    const KeyCatalog& m_catalog;
    const ReleaseFacts& m_release;
};

}  // namespace stagecraft
