// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display_probe.h"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>
#include <thread>

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
    // A server that resets when its last client leaves (Xvfb without -noreset) may be at it: it answers again at once. What answers stays
    // open, so that Qt's own connection does not fall into the reset that this one's end would be.
    constexpr int kTries = 5;
    constexpr std::chrono::milliseconds kPause(80);
    for (int tries = 0; tries < kTries; ++tries) {
        if (tries > 0)
            std::this_thread::sleep_for(kPause);
        void* connection = connect(nullptr, nullptr);
        if (connection != nullptr && failed(connection) == 0)
            return std::nullopt;
        disconnect(connection);
    }
    return "the display \"" + std::string(display) + "\" does not answer or does not let this user in; set DISPLAY to one that does";
}

}  // namespace stagecraft::app
