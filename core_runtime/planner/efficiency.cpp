// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/efficiency.h"

#include "hardware/device_sheet.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

/// AMD's cards reach other shares of their nominal rates than Nvidia's of the same types. The factors are from measurements that set a card
/// of each beside the other by one method; none is from the published training steps.
void asAmdReaches(Efficiency& e, const DeviceSheet& device)
{
    double products = 1;
    if (device.year >= 2025) {
        // An MI355X trains Llama 3 8B in bf16 at 1.02 times a B200's speed (AMD, "Optimizing LLM Workloads", December 2025), of 2,517 to 2,250 TFLOP/s.
        DeviceSheet other;
        other.peak = {{"fp8", 0}, {"fp4", 0}};
        other.year = 2024;
        e = efficiencyOf(other);
        products = 1.02 * 2250 / 2516.6;
        for (double* rate : {&e.attention, &e.attentionNewer}) *rate *= products;
    } else if (device.peak.count("fp8") > 0) {
        // An 8B trains in bf16 on one MI300X at 1/1.40 to 1/1.32 of an H200's speed (alpharomercoma, MI300X-vs-H200, REPORT.md, 2026), of 1307 to 989
        // TFLOP/s. Products alone come nearer: 6144 x 12288 x 12288 of random numbers in fp8 at 0.65 of an H100's share of the sheet (Azure, AI benchmarking
        // guide, 2025). An MI325X holds higher clocks: 843 to 708 TFLOP/s in bf16 (AMD, "Measuring Max-Achievable FLOPs", February 2025).
        products = 989.4 / 1307.4 / 1.36 * (device.watts >= 1000 ? 843.0 / 708 : 1.0);
        // Azure's guide: FlashAttention-2 329 TFLOP/s; copies at 4.11 of 5.3 TB/s to the H100's 2.90 of 3.35; all-reduce at 317 of 448 GB/s.
        e.attentionNewer *= 328.6 / 1307.4 / e.attention;
        e.attention = 328.6 / 1307.4;
        // Backward FlashAttention-2 and PyTorch's, its equal there, are slower still: heads of 128, 16384 tokens, at four batch sizes 340 TFLOP/s forward and 202
        // backward in the mean (ROCm/flash-attention, issue 142, May 2025: MI300X, ROCm 6.3.2). AITER's, of the card's own generation, are not of these.
        e.attentionBack = 202.2 / 339.5;
        for (double* rate : {&e.memory, &e.memoryFused}) *rate *= (4.11 / 5.3) / (2.90 / 3.35);
        e.link = 317.0 / 448;
    } else {
        // MPT on an MI250 at 0.73 of an A100 80 GB's speed (MosaicML, June 2023), of 362 to 312 TFLOP/s.
        products = 0.73 * 312 / 362;
        for (double* rate : {&e.attention, &e.attentionNewer}) *rate *= products;
    }
    for (double* rate : {&e.matrix, &e.matrixFused, &e.matrixGrouped, &e.matrixFp8, &e.matrixFp8Fused}) *rate *= products;
}

}  // namespace

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
    // Cards without high-bandwidth memory that have FP8 are Ada's: they run Ampere's kernels, in Hopper's process.
    const bool ada = hopper && !blackwell && device.vendor == "NVIDIA" && device.memoryBytesPerSecond > 0 && device.memoryBytesPerSecond < 1.2e12;
    // Hosts of cards before Hopper run one thread at about two thirds of the speed of later ones.
    if (!hopper) e.kernel = 8e-6;
    // Only Grace is joined faster than PCIe. PyTorch's linear layer takes its core 37.1 us beside a GB200 and 33.2 beside a GH200, 13.5 a DGX H100's
    // (TransformerEngine, issue 2053). Of the hosts whose times stand here it is 2.15 times: Megatron Bridge's three jobs on GB200 that no graph
    // launches (calibration half: 70B and 405B in MXFP8) were 6 to 18 % longer than the device computes, and are 0 to 2 % from that.
    if (device.vendor == "NVIDIA" && device.pcieBytesPerSecond > 200e9) e.host = 2.15 * (blackwell ? 1.0 : 33.17 / 37.08);
    if (ada) {
        // As many products a watt as an H100, whose 700 W hold 0.65 of 989 TFLOP/s; no more than Ampere reaches.
        const double fed = device.watts > 0 ? device.watts / 700.0 * 0.65 * 989e12 / device.peakFor("bf16") : 1.0;
        const double share = std::min(1.0, fed / e.matrix);
        for (double* rate : {&e.matrix, &e.matrixFused, &e.matrixGrouped, &e.matrixFp8, &e.matrixFp8Fused, &e.attention, &e.attentionNewer}) *rate *= share;
        // Twice the processors to each byte/s of memory: element-wise kernels wait for nothing else (calibration half: fms-acceleration's L40).
        e.memory = e.memoryFused = 0.8;
    } else if (hopper) {
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
        // That power is for 989 TFLOP/s. A card of the same process with a fraction of its tensor cores (H20: 148 TFLOP/s at 500 W) is not held by it,
        // in 8 bits as in 16: its products reach what Ampere's do between slower kernels, and its attention kernels are fed.
        if (!blackwell && device.vendor == "NVIDIA" && device.peakFor("bf16") < 0.5 * 989e12 && device.watts >= 350) {
            const Efficiency free;
            e.matrixFp8 *= free.matrix / e.matrix;
            e.matrixFp8Fused *= free.matrix / e.matrixFused;
            e.matrix = e.matrixFused = free.matrix;
            e.matrixGrouped = free.matrixGrouped;
            e.attention = e.attentionNewer = free.attention;
        }
        if (blackwell) {
            // Tensor cores doubled, what computes exponentials did not: 2.7 times less than FlashAttention-4's 1,605 TFLOP/s for
            // kernels that know nothing of it, 1.3 times less for cuDNN 9.13.
            e.matrix = 0.60;
            e.attention = 0.26;
            e.attentionNewer = 0.55;
            e.matrixFused = 0.65;
            e.matrixFp8Fused = 0.53;
            // Blackwell Ultra: the same nominal products at more power, and exponentials at twice the rate.
            if (device.year >= 2025 && device.vendor != "AMD") {
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
    if (device.vendor == "AMD") asAmdReaches(e, device);
    return e;
}

}  // namespace stagecraft
