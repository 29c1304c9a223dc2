// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_document.h"
#include "config/key_catalog.h"

#include <QByteArray>
#include <QString>

namespace stagecraft {

/// What a person typed into a field, as JSON, or why not.
struct TypedValue {
    QByteArray json;    ///< empty when refused
    QString complaint;  ///< one sentence
    [[nodiscard]] bool isValid() const { return !json.isEmpty(); }
};

/// Reads a field for `key`. Numbers keep the spelling given when it is JSON ("5e8"); "500M", "2k", "0.93 GiB" and
/// "500,000,000" are turned into plain integers. In a count of elements, GiB means bytes of elements of `elementBytes`; where
/// neither elements nor bytes are counted it is refused. "auto" passes where it is filled. JSON text is taken as it is for
/// lists and objects.
[[nodiscard]] TypedValue typedValue(const CatalogKey& key, const QString& text, int elementBytes = 2);

/// A number in at most so many digits, its exponent as people write it: 1e-5. Also JSON.
[[nodiscard]] QString numberText(double value, int digits);

/// A JSON value for a field: texts without quotes, everything else as spelled.
[[nodiscard]] QString shownValue(const QByteArray& json);
/// The same to be read only: a text that would read as another value ("32", "true", "") keeps its quotes.
[[nodiscard]] QString writtenValue(const QByteArray& json);
/// Whether something else stands where a section belongs: "fp16": true.
[[nodiscard]] bool holdsNoSection(const QByteArray& json);
/// The same for a narrow place: large round numbers short (5e8).
[[nodiscard]] QString briefValue(const QByteArray& json);
/// A whole number with an exponent where that is shorter: 20000000000 is 2e10. Other values as writtenValue() has them.
[[nodiscard]] QString shortValue(const QByteArray& json);
/// The default of a DeepSpeed release as completion writes it: as its help has it, where DeepSpeed's reader takes that for the same value.
[[nodiscard]] QByteArray writtenDefault(const CatalogKey& key, const std::string& release);
/// The default of a DeepSpeed release (as in CheckContext) in a field, as briefValue().
[[nodiscard]] QString shownDefault(const CatalogKey& key, const std::string& release);
/// Numbers of a thousand and more with thousands separated, for eyes: 500,000,000.
[[nodiscard]] QString groupedNumber(const QByteArray& json);
/// What a DeepSpeed release (as in CheckContext) takes: "integer ≥ 0; 5e8 is accepted", "true or false", "one of none, cpu, nvme", ...
[[nodiscard]] QString typeWords(const CatalogKey& key, const std::string& release = {});
/// The unit as it stands in a field: "elem.", "samples", "steps", ...
[[nodiscard]] QString unitWord(const CatalogKey& key);
/// Size of a count of elements of `elementBytes` ("0.93 GiB"); empty for other units or what is no number.
[[nodiscard]] QString sizeNote(const CatalogKey& key, const QByteArray& json, int elementBytes = 2);
/// Bytes of an element in the buckets of this config: 2 where bf16 or fp16 is enabled or left to "auto", else 4 (fp32).
[[nodiscard]] int elementBytesOf(const JsonDocument& config);

/// A value that is chosen from a list, with what it stands for where it says that not itself: "2: and gradients".
[[nodiscard]] QString choiceWords(const CatalogKey& key, const std::string& json);

}  // namespace stagecraft
