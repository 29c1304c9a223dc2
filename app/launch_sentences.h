// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace stagecraft::app {

/// A sentence of the core, or a part of one, with %1, %2, ... where a name or a number stands.
struct ErrorSentence {
    const char* core;                ///< as the core writes it
    const char* window = nullptr;    ///< as a window says it, in English and for translation; null = the same
};

/// What keeps a launch from happening, and what ends one: for core_errors alone. A test reads the sources that write such sentences
/// and finds each of them here or in core_errors.cpp.
[[nodiscard]] std::span<const ErrorSentence> launchSentences();

/// The same of what plans learn from runs and measurements.
[[nodiscard]] std::span<const ErrorSentence> calibrationSentences();

}  // namespace stagecraft::app
