// SPDX-License-Identifier: GPL-3.0-or-later
// The command line with tests/launch/fake_worker in the place of the worker.
#pragma once

#include "command_line.h"

namespace stagecraft::test {

/// Runs whose ranks follow a script (tests/launch/fake_worker.cpp) instead of training.
class FakeRanks : protected CommandLine {
protected:
    [[nodiscard]] std::unique_ptr<QProcess> start(const QStringList& arguments, const QString& script = "{}") const
    {
        return CommandLine::start(arguments, {{"STAGECRAFT_WORKER", FAKE_WORKER}, {"FAKE_WORKER", script}});
    }
    [[nodiscard]] Answer call(const QStringList& arguments, const QString& script = "{}") const { return end(*start(arguments, script)); }
};

}  // namespace stagecraft::test
