// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/atomic_file.h"

#include <QTemporaryDir>
#include <QtGlobal>

#include <filesystem>
#include <string>

namespace stagecraft {

/// A folder that goes with the test, and what is written into it.
struct ScratchFolder {
    QTemporaryDir dir;
    [[nodiscard]] std::filesystem::path operator/(const char* name) const { return std::filesystem::path(dir.path().toStdString()) / name; }
    [[nodiscard]] std::filesystem::path write(const char* name, const std::string& text) const
    {
        const std::filesystem::path file = *this / name;
        if (!makeFolder(file.parent_path()).hasValue() || !writeFileAtomically(file, text).hasValue()) qFatal("cannot write");
        return file;
    }
};

}  // namespace stagecraft
