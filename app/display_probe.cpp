// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display_probe.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string_view>

namespace stagecraft::app {

std::optional<std::string> displayProblem()
{
    const auto variable = [](const char* name) {
        const char* text = std::getenv(name);
        return std::string_view(text != nullptr ? text : "");
    };
    const std::string_view platform = variable("QT_QPA_PLATFORM");
    if ((!platform.empty() && !platform.starts_with("xcb")) || !variable("WAYLAND_DISPLAY").empty())
        return std::nullopt;
    const std::string_view display = variable("DISPLAY");
    if (display.empty())
        return "no display is set; start it from a desktop, or set DISPLAY";
    // The library Qt's own plugin uses; not linked, as nothing else here needs it.
    void* library = ::dlopen("libxcb.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr)
        return std::nullopt;
    const auto connect = reinterpret_cast<void* (*)(const char*, int*)>(::dlsym(library, "xcb_connect"));
    const auto failed = reinterpret_cast<int (*)(void*)>(::dlsym(library, "xcb_connection_has_error"));
    const auto disconnect = reinterpret_cast<void (*)(void*)>(::dlsym(library, "xcb_disconnect"));
    if (connect == nullptr || failed == nullptr || disconnect == nullptr)
        return std::nullopt;
    void* connection = connect(nullptr, nullptr);
    const bool answers = connection != nullptr && failed(connection) == 0;
    disconnect(connection);
    if (answers)
        return std::nullopt;
    return "the display \"" + std::string(display) + "\" does not answer or does not let this user in; set DISPLAY to one that does";
}

}  // namespace stagecraft::app
