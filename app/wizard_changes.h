// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

class QTableWidget;
class QWidget;

namespace stagecraft::app {

/// What a JSON Patch changes in `workspace`, one row for each single value: its key, what it is now and what it is then. A section
/// that comes or goes as a whole is listed value by value.
[[nodiscard]] QTableWidget* wizardChanges(const nlohmann::json& workspace, const nlohmann::json& patch, QWidget* parent);

}  // namespace stagecraft::app
