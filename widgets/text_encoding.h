// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QStringList>

#include <optional>

namespace stagecraft {

/// Whether every byte of `text` belongs to a UTF-8 character.
[[nodiscard]] bool isUtf8(const QByteArray& text);

/// What a text that is no UTF-8 may have been written in, the likeliest first: "UTF-16" where its first bytes say so, else
/// "Windows-1252" and, where this Qt can read it and the text is such, "GB18030". Empty for UTF-8.
/// @param chinese  whether the reader's language is Chinese, whose old files are GB18030
[[nodiscard]] QStringList likelyEncodings(const QByteArray& text, bool chinese);

/// `text` in UTF-8, read in an encoding of likelyEncodings(). From Windows-1252 only those bytes change that are no UTF-8: a file
/// that two programs wrote is often both. Nothing where the text is not in that encoding.
[[nodiscard]] std::optional<QByteArray> utf8From(const QByteArray& text, const QString& encoding);

}  // namespace stagecraft
