// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QObject>

#include <filesystem>
#include <optional>
#include <string>

namespace stagecraft::app {

/// What launching would start from.
struct LaunchSubject {
    std::string text;                 ///< the workspace, self-contained
    std::filesystem::path folder;     ///< what its relative paths start at
    std::filesystem::path runsRoot;
    std::filesystem::path program;    ///< the `stagecraft` executable
    std::string version;              ///< of this product
    friend bool operator==(const LaunchSubject&, const LaunchSubject&) = default;
};

/// Why `stagecraft run` would refuse the workspace once it is a plan of our engine's behaviour: its own preflight, which looks at
/// the data, the device, memory and disk. Nothing is started or written. May read all of a large text: not for the GUI thread.
/// @return nothing when it would train
[[nodiscard]] std::optional<Error> refusalOfOwnEngine(const LaunchSubject& subject);

/// Asks that off the GUI thread, one subject at a time.
class LaunchJudge : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Answers with judged(), unless it is busy with an earlier one.
    void ask(const LaunchSubject& subject);
    [[nodiscard]] bool isBusy() const { return m_busy; }

signals:
    /// @param refusal  nothing when our engine would train it
    void judged(const stagecraft::app::LaunchSubject& subject, const std::optional<stagecraft::Error>& refusal);

private:
    bool m_busy = false;
};

}  // namespace stagecraft::app
