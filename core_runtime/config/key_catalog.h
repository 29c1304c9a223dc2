// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class JsonDocument;

/// One text in the languages of the program.
struct CatalogText {
    std::string en;
    std::string zh;
    [[nodiscard]] const std::string& in(std::string_view language) const { return language.starts_with("zh") ? zh : en; }
    [[nodiscard]] bool empty() const { return en.empty(); }
};

enum class KeyType { Bool, Int, Float, String, Path, Enum, Section, Object, List, IntList, FloatList, StringList, Null, Any };

/// What DeepSpeed does with the key itself.
enum class KeyReading { Read, Stored, Ignored, Refused };

/// What the Stagecraft engine does with it.
enum class EngineSupport {
    Same,     ///< acts as in DeepSpeed
    Partial,  ///< acts in part; `engineText` says how
    None,     ///< no effect in this engine yet
    Refused,  ///< the engine does not start with it yet
};

/// One entry of the ds_config vocabulary (configs/ds_config/keys).
struct CatalogKey {
    std::string pointer;                 ///< JSON Pointer; "*" stands for any name
    int group = 0;                       ///< index into KeyCatalog::groups()
    std::vector<KeyType> types;          ///< the first one is edited, the others are accepted too
    bool acceptsAuto = false;            ///< "auto" is filled by `autoFilledBy`
    std::vector<std::string> values;     ///< JSON text of each known value
    std::string defaultJson;             ///< JSON text; empty = none (absent means absent, or what `unset` says)
    CatalogText unset;                   ///< what an absent key counts as where other keys, the model or the device decide it
    std::optional<double> min, max;
    bool minExcluded = false;            ///< only values above `min` are taken
    bool maxExcluded = false;            ///< only values below `max` are taken
    bool anyCase = false;                ///< of an Enum: words are read without regard to letter case
    bool nullable = false;               ///< DeepSpeed takes null in place of the section
    std::string unit;                    ///< "elements", "samples", "steps", "bytes", ...; empty = plain
    std::string autoFilledBy;            ///< "transformers", "accelerate" or empty
    bool required = false;
    bool deprecated = false;
    std::string replacedBy;              ///< pointer; empty = nothing
    std::string since;                   ///< oldest release with known facts that reads it; empty = 0.14 or before
    std::string removedIn;               ///< first DeepSpeed release that refuses it; empty = none
    std::vector<std::string> aliases;
    KeyReading reading = KeyReading::Read;
    std::string unknownKeys;             ///< sections: "refused", "ignored", "passed" or empty
    std::map<std::string, std::vector<std::string>> when;  ///< pointer to the values (plain text) under which the key exists
    EngineSupport engine = EngineSupport::None;
    CatalogText what, engineText, changeText;

    [[nodiscard]] std::string_view name() const;  ///< last token of the pointer
    [[nodiscard]] bool isSection() const { return types.front() == KeyType::Section; }
};

struct CatalogGroup {
    std::string id;
    CatalogText title;
    int keyCount = 0;
};

struct CatalogMatch {
    int key = -1;
    int score = 0;
};

/// All keys of ds_config. Immutable once loaded; safe to share between threads.
class KeyCatalog {
public:
    /// The catalog compiled into the program; read on first use.
    [[nodiscard]] static const KeyCatalog& standard();
    /// Reads the files of configs/ds_config/keys, and words.json beside them. @error InvalidInput with what is wrong and where
    [[nodiscard]] static Result<KeyCatalog> parse(const std::vector<std::string_view>& files, std::string_view words = {});

    [[nodiscard]] const std::vector<CatalogGroup>& groups() const { return m_groups; }
    [[nodiscard]] const std::vector<CatalogKey>& keys() const { return m_keys; }
    [[nodiscard]] const CatalogKey& key(int id) const { return m_keys[static_cast<std::size_t>(id)]; }

    /// The entry for a pointer, or -1. Where entries depend on another key (the parameters of an optimizer on its type), that
    /// key is looked up in `document`; without one, or when none fits, the first entry is taken.
    [[nodiscard]] int find(std::string_view pointer, const JsonDocument* document = nullptr) const;
    /// Whether the entry's `when` holds in `document` at `pointer` (its own place, with names in place of "*").
    [[nodiscard]] bool applies(int key, std::string_view pointer, const JsonDocument& document) const;
    /// Entries directly below a section ("" = top level), in catalog order; those whose `when` fails are left out.
    [[nodiscard]] std::vector<int> children(std::string_view section, const JsonDocument* document = nullptr) const;

    /// Entries that match every word of `query`, best first. Words are looked for in keys (also misspelt by one or two letters
    /// or with letters left out), in the words people use for them and in the help of both languages; "." and "/" separate levels.
    [[nodiscard]] std::vector<CatalogMatch> search(std::string_view query) const;

private:
    struct Level {
        std::map<std::string, int, std::less<>> below;
        std::vector<int> keys;
        std::vector<int> order;  ///< first key of each child, in catalog order
    };
    [[nodiscard]] int level(std::string_view pointer) const;
    void index();
    [[nodiscard]] std::optional<Error> addWords(std::string_view words);

    std::vector<CatalogGroup> m_groups;
    std::vector<CatalogKey> m_keys;
    std::vector<Level> m_levels;
    std::vector<std::string> m_haystacks;  ///< lower-case texts of each key, for search
    std::vector<std::string> m_words;      ///< of each key: the words people use for it (configs/ds_config/words.json)
    std::map<std::string, std::vector<int>, std::less<>> m_phrases;  ///< such words as searchPhrase() has them, to their keys in order
};

/// A query as it is compared with the words people use: lower case, one blank between words, none beside Chinese.
[[nodiscard]] std::string searchPhrase(std::string_view query);

/// Levenshtein distance with neighbouring swaps, at most `limit` + 1.
[[nodiscard]] int editDistance(std::string_view a, std::string_view b, int limit);

}  // namespace stagecraft
