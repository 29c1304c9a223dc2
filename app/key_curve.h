// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config_curve.h"

#include <QObject>

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft {
struct CatalogKey;
}

namespace stagecraft::app {

/// Values of a key worth comparing, as JSON: both truth values, every known word, or powers of two around the value in force.
/// Empty for keys that have no such range. `now` is the key's JSON in the file; empty = `byDefault` is in force.
[[nodiscard]] std::vector<std::string> curveValues(const CatalogKey& key, const std::string& now, const std::string& byDefault);

/// Plans the workspace (self-contained) for each of them; those that DeepSpeed refuses, or for which there is no plan, are left
/// out, and where fewer than two remain there is no curve. For a worker thread.
[[nodiscard]] KeyCurve curveOf(const std::string& text, const std::filesystem::path& folder, const std::string& pointer, const std::vector<std::string>& values,
    const std::string& now, const std::string& release);

/// What one key does to memory and time of the workspace that is open, off the GUI thread. Only the newest request is answered.
class KeyCurveService : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// @param pointer  into the ds_config
    /// @param release  of DeepSpeed, whose default holds where the key is not set
    void request(const std::string& text, const std::filesystem::path& folder, const QString& pointer, const std::string& release);

signals:
    /// No values: the key has no range to compare.
    void ready(const stagecraft::KeyCurve& curve);

private:
    quint64 m_wanted = 0;
};

}  // namespace stagecraft::app
