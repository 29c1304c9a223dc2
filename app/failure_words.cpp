// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/failure_words.h"

#include "app/core_errors.h"

#include <QCoreApplication>

#include <array>
#include <string_view>

namespace stagecraft::app {

namespace {

struct FailureWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::FailureWords)
};

/// Takes `ending` off `text` when it ends so.
bool chop(std::string_view& text, std::string_view ending)
{
    if (ending.empty() || !text.ends_with(ending))
        return false;
    text.remove_suffix(ending.size());
    return true;
}

}  // namespace

QString failureText(const std::string& message, const std::string& lastOp)
{
    // The supervisor puts its sentence together from parts (launch/blame.cpp): they are told one by one.
    std::string_view rest = message;
    QString words;
    constexpr std::string_view kWords = "; its last words: ";
    if (const auto at = rest.find(kWords); at != std::string_view::npos && rest.starts_with("rank ")) {
        words = QString::fromUtf8(rest.substr(at + kWords.size()).data(), static_cast<qsizetype>(rest.size() - at - kWords.size()));
        rest = rest.substr(0, at);
    }
    const bool during = !lastOp.empty() && (chop(rest, " during " + lastOp) || chop(rest, ", last in " + lastOp));
    const bool early = rest.starts_with("rank ") && chop(rest, " before it was done");
    QString text = errorText(std::string(rest));
    if (early)
        text = FailureWords::tr("%1 before it was done").arg(text);
    if (during)
        text = FailureWords::tr("%1 during %2").arg(text, QString::fromStdString(lastOp));
    if (!words.isEmpty())
        text = FailureWords::tr("%1; its last words: %2").arg(text, words);
    return text;
}

QString failureText(const RunFailure& failure) { return failureText(failure.message, failure.lastOp); }

bool failedAlike(const RunFailure& failure) { return failure.rank < 0 && failure.kind == "error"; }

QString failureKindText(const std::string& kind)
{
    constexpr std::array kKinds{
        std::pair{"signal", QT_TRANSLATE_NOOP("stagecraft::app::FailureWords", "signal")}, std::pair{"exit", QT_TRANSLATE_NOOP("stagecraft::app::FailureWords", "exit")},
        std::pair{"error", QT_TRANSLATE_NOOP("stagecraft::app::FailureWords", "error")},   std::pair{"hang", QT_TRANSLATE_NOOP("stagecraft::app::FailureWords", "hang")},
        std::pair{"start", QT_TRANSLATE_NOOP("stagecraft::app::FailureWords", "start")},   std::pair{"record", QT_TRANSLATE_NOOP("stagecraft::app::FailureWords", "record")},
        std::pair{"checkpoint", QT_TRANSLATE_NOOP("stagecraft::app::FailureWords", "checkpoint")}};
    for (const auto& [name, word] : kKinds)
        if (kind == name)
            return FailureWords::tr(word);
    return QString::fromStdString(kind);
}

}  // namespace stagecraft::app
