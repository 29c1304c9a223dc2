// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>

namespace stagecraft::testing {

/// The seed of this run of a random test: STAGECRAFT_SEED, or another one each time. Printed, so that a failure can be repeated.
inline unsigned testSeed()
{
    const char* given = std::getenv("STAGECRAFT_SEED");
    const unsigned seed = given && *given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
    std::printf("STAGECRAFT_SEED=%u\n", seed);
    std::fflush(stdout);
    return seed;
}

}  // namespace stagecraft::testing
