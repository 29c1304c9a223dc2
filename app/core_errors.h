// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QString>
#include <QStringList>

#include <string>

namespace stagecraft::app {

/// Why a workspace, a model or a ds_config cannot be read or used, in the window's language. The core writes one English
/// sentence; it is known again by its fixed words, and a reason within it likewise. A sentence that is not known here is
/// told as the core wrote it.
[[nodiscard]] QString errorText(const std::string& message);
[[nodiscard]] QString errorText(const Error& error);
/// All sentences, and parts of such, that are known here, as the core writes them.
[[nodiscard]] QStringList knownErrors();

}  // namespace stagecraft::app
