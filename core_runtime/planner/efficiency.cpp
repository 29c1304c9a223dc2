// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/efficiency.h"

#include "hardware/device_sheet.h"

#include <cmath>

namespace stagecraft {

Efficiency efficiencyOf(const DeviceSheet& device)
{
    Efficiency e;
    if (device.id == "cpu") {
        e.matrix = e.matrixFused = e.matrixGrouped = 0.7;
        e.attention = 0.35;
        e.halfWidth = 24;
        e.networkBytes = 1.25e9;
        e.kernel = 2e-6;
        e.hop = 20e-6;
        e.hostMemory = device.memoryBytesPerSecond;
        return e;
    }
    // By what a device computes in, not by its year: the A800 of 2022 is an A100.
    const bool hopper = device.peak.count("fp8") > 0;
    const bool blackwell = device.peak.count("fp4") > 0;
    // Hosts of cards before Hopper run one thread at about two thirds of the speed of later ones.
    if (!hopper) e.kernel = 8e-6;
    if (hopper) {
        // Power holds large products at about three quarters of what older cards reach of their nominal peak.
        e.matrix = 0.65;
        e.matrixGrouped = 0.60;
        e.halfWidth = 120;
        e.matrixFused = 0.68;
        e.matrixFp8 = 0.50;
        e.matrixFp8Fused = 0.60;
        // FlashAttention-2 reaches 35 % on Hopper (Shah et al. 2024, section 1), cuDNN 600 TFLOP/s (its Figure 5).
        e.attention = 0.35;
        e.attentionNewer = 0.60;
        e.networkBytes = 50e9;
        if (blackwell) {
            // Tensor cores doubled, what computes exponentials did not: 2.7 times less than FlashAttention-4's 1,605 TFLOP/s for
            // kernels that know nothing of it, 1.3 times less for cuDNN 9.13.
            e.matrix = 0.60;
            e.attention = 0.26;
            e.attentionNewer = 0.55;
            e.matrixFused = 0.65;
            e.matrixFp8Fused = 0.53;
            // Blackwell Ultra: the same nominal products at more power, and exponentials at twice the rate.
            if (device.year >= 2025) {
                e.matrixFp8Fused = 0.66;
                e.attentionNewer = 0.70;
            }
        }
        // The 96 GB card of the published tables runs at 500 of 700 W; clocks go with the cube root of dynamic power.
        if (device.id == "H100-SXM-96GB") {
            const double clock = std::cbrt(500.0 / 700.0);
            for (double* rate : {&e.matrix, &e.matrixFused, &e.matrixGrouped, &e.matrixFp8, &e.matrixFp8Fused, &e.attention, &e.attentionNewer}) *rate *= clock;
        }
    } else if (device.year <= 2018) {
        e.networkBytes = 12.5e9;
        e.attention = 0.40;
        e.matrix = e.matrixFused = e.matrixGrouped = 0.70;
        e.halfWidth = 60;
    }
    return e;
}

}  // namespace stagecraft
