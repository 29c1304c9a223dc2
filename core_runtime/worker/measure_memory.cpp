// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker/measure.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace stagecraft {

namespace {

constexpr std::int64_t kThird = Arena::kBytes / 3 / 64 * 64;

}  // namespace

std::vector<MachineRate> measureMemory(Sampler& sampler, int cores)
{
    std::vector<MachineRate> rates;
    for (const bool triad : {false, true})
        for (const int copies : cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1}) {
            const Sample s = sampler.measure(copies, 1, 0.05, [&](Arena& arena) {
                arena.fillOnce(sizeof(float), Arena::kBytes);
                char* base = arena.data();
                Work work;
                if (!triad) {
                    work.call = [base] { std::memcpy(base, base + kThird, static_cast<std::size_t>(kThird)); };
                    return work;
                }
                work.call = [base] {
                    auto* a = reinterpret_cast<float*>(base);
                    kernels().sumInto(kThird / 4, a + kThird / 4, a + kThird / 2, a, false);
                };
                return work;
            });
            const double moved = static_cast<double>(copies) * static_cast<double>(kThird) * (triad ? 3 : 2);
            rates.push_back({std::string(triad ? "memory.triad." : "memory.copy.") + (copies == 1 ? "1" : "all"), moved / s.seconds, "B/s", s.spread,
                             std::string(triad ? "a = b + c" : "memcpy") + " over 21 MiB arrays, " + std::to_string(copies) + (copies == 1 ? " thread" : " threads") + ", bytes read and written"});
        }
    return rates;
}

}  // namespace stagecraft
