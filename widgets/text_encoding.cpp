// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text_encoding.h"

#include "config/binary_text.h"

#include <QStringDecoder>

#include <algorithm>

namespace stagecraft {

namespace {

const QString kUtf16 = QStringLiteral("UTF-16");
const QString kWindows = QStringLiteral("Windows-1252");
const QString kChinese = QStringLiteral("GB18030");

/// Bytes of the UTF-8 character at `at`; 0 where there is none. Source: Unicode 15, table 3-7.
qsizetype characterAt(const QByteArray& text, qsizetype at)
{
    const auto byte = [&](qsizetype k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u; };
    const unsigned lead = byte(0);
    if (lead < 0x80)
        return 1;
    const qsizetype length = lead >= 0xC2 && lead <= 0xDF ? 2 : lead >= 0xE0 && lead <= 0xEF ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
    for (qsizetype k = 1; k < length; ++k)
        if ((byte(k) & 0xC0u) != 0x80u)
            return 0;
    const unsigned second = byte(1);
    const bool outside = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return outside ? 0 : length;
}

/// Source: the WHATWG index of windows-1252, bytes 0x80 to 0x9F; the rest is Latin-1.
char16_t windowsCharacter(unsigned char byte)
{
    static constexpr char16_t kHigh[] = u"\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F"
                                        u"\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178";
    return byte >= 0x80 && byte < 0xA0 ? kHigh[byte - 0x80] : static_cast<char16_t>(byte);
}

std::optional<QByteArray> decoded(const QByteArray& text, const QString& encoding)
{
    QStringDecoder decoder(encoding.toLatin1().constData());
    if (!decoder.isValid())
        return std::nullopt;
    const QString words = decoder.decode(text);
    return decoder.hasError() || words.contains(QChar(QChar::ReplacementCharacter)) ? std::nullopt : std::optional(words.toUtf8());
}

bool marksUtf16(const QByteArray& text) { return text.startsWith("\xFF\xFE") || text.startsWith("\xFE\xFF"); }

}  // namespace

bool isUtf8(const QByteArray& text)
{
    for (qsizetype at = 0; at < text.size();) {
        const qsizetype length = characterAt(text, at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

QStringList likelyEncodings(const QByteArray& text, bool chinese)
{
    if (isUtf8(text) || isBinary(std::string_view(text.constData(), static_cast<std::size_t>(text.size()))))
        return {};
    if (marksUtf16(text) && utf8From(text, kUtf16))
        return {kUtf16};
    if (!decoded(text, kChinese))
        return {kWindows};
    return chinese ? QStringList{kChinese, kWindows} : QStringList{kWindows, kChinese};
}

std::optional<QByteArray> utf8From(const QByteArray& text, const QString& encoding)
{
    if (encoding != kWindows)
        return decoded(text, encoding);
    QByteArray out;
    out.reserve(text.size() + text.size() / 8);
    for (qsizetype at = 0; at < text.size();) {
        const qsizetype length = characterAt(text, at);
        if (length > 0)
            out += text.mid(at, length);
        else
            out += QString(QChar(windowsCharacter(static_cast<unsigned char>(text[at])))).toUtf8();
        at += std::max<qsizetype>(length, 1);
    }
    return out;
}

}  // namespace stagecraft
