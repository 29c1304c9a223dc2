// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace stagecraft {
struct Phrase;
}

namespace stagecraft::app {

/// A phrase of the core in the language of the window, its arguments put in; in English where it is not known here.
[[nodiscard]] QString phraseText(const Phrase& phrase);
/// Where the times of a forecast are from: a run, this machine's rates, a data sheet.
[[nodiscard]] QString sourceText(const std::string& source);
/// A formula of the ledger or of the traffic: what is written out in it is in the language of the window, symbols and keys stay.
[[nodiscard]] QString formulaText(const std::string& formula);

}  // namespace stagecraft::app
