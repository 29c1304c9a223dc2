// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace stagecraft {

struct DeviceSheet;

/// What share of its data sheet a device reaches, with the origin of each figure.
struct Efficiency {
    double matrix = 0.84;      ///< of peak, large matrix products
    double matrixFused = 0.74; ///< the same where nothing but fused kernels stands between them, attention's too
    double matrixGrouped = 0.81;  ///< the same in groups of uneven sizes: experts
    double matrixFp8 = 0.60, matrixFp8Fused = 0.60;
    double halfWidth = 300;    ///< a product whose narrowest side is this wide reaches half of `matrix`
    double attention = 0.60;   ///< of peak, fused attention of the second generation (FlashAttention-2, PyTorch's)
    double attentionBack = 0.85;   ///< of that, its backward pass (Dao 2023: 63 % of the peak where the forward pass reaches 73 %)
    double attentionNewer = 0.60;  ///< of peak, kernels written for the device's own generation (cuDNN's, by Transformer Engine)
    double memory = 0.425;     ///< of the memory's rate, element-wise kernels and their random numbers
    double memoryFused = 0.75; ///< of the memory's rate, Transformer Engine's fused norms, activations and casts
    double link = 0.75;        ///< of a link's rate, ring collectives inside a node
    double contention = 0.5;   ///< of the time that hidden weight collectives' bytes need on the link: what computing beside them loses
    double network = 0.85;     ///< of a network port's rate
    double networkShards = 0.18;  ///< of that, DeepSpeed's gathers and scatters of single parameters over many nodes
    double networkBytes = 25e9;///< bytes/s of one device's share of the network, one direction
    double hop = 8e-6;         ///< seconds per hop of a collective
    double spread = 0.02;      ///< relative deviation of one device's speed from another's of the same kind
    double kernel = 5e-6;      ///< seconds the host needs to launch a kernel
    double host = 1;           ///< times as long as an x86 host's core takes for what it launches and for Python beside it
    double hostMemory = 100e9; ///< bytes/s that the CPU optimizers of a whole node move together
};

/// By the device's generation. `matrix`, `matrixFp8`, `halfWidth`, `memory` and `contention` are set on the calibration half of
/// tests/data/published (collectives run on the device's own processors and through its memory); fused attention by Dao 2023 (A100) and Shah et al. 2024 (Hopper: FlashAttention-2 370, cuDNN 600 TFLOP/s
/// at heads of 128), its first generation 0.63 of that by the same half (Dao 2023: 1.7 times slower). Blackwell's cuDNN reaches
/// 1,605 / 1.3 TFLOP/s (FlashAttention-4, 2026, against cuDNN 9.13). Links 0.75-0.85 and networks 0.8-0.9 of their nominal rates are
/// reference values of the memory and time model; 100 Gb/s per V100, 200 per A100, 400 per H100 and later. Stage 3's share is that of
/// Narayanan 2021, Table 2 (384 to 2240 A100). `spread`: of DGX Cloud's six jobs that were run on 8 to 2048 H100 (calibration half) each grew
/// slower as the slowest of so many devices would with 1.5 to 4 %, in the middle 1.7; identical GPUs differ by 8 % in all (Sinha et al. 2022). A node's CPU Adam moves
/// about 100 GB/s: 1 s for 4e9 parameters of 28 bytes (Ren et al. 2021, Table 4). AMD's cards: by measurements beside Nvidia's, each named where it stands.
[[nodiscard]] Efficiency efficiencyOf(const DeviceSheet& device);

}  // namespace stagecraft
