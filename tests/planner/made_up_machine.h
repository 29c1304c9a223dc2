// SPDX-License-Identifier: GPL-3.0-or-later
// A measured machine that follows simple laws, so that what must come out of a forecast is known.
#pragma once

#include "hardware/machine_measure.h"

namespace stagecraft::test {

/// Every product at `flops`, every kernel at `elements` a second, collectives at 1 GB/s and 20 us. With all cores at work products
/// and kernels take `crowded` times as long.
inline MachineMeasure machineOf(double flops, double elements, double cores = 2, double crowded = 1)
{
    MachineMeasure m;
    m.host = {"made up", static_cast<int>(cores), cores, std::int64_t{8} << 30, "1"};
    m.measuredAt = "2026-11-21T10:00:00Z";
    for (const char* type : {"fp32", "bf16"}) {
        for (const char* kind : {"nn", "nt", "tn"})
            for (const std::int64_t a : {32, 256, 2048})
                for (const std::int64_t b : {32, 256, 2048})
                    for (const std::int64_t c : {32, 256, 2048})
                        if (a * b * c < 1'000'000'000)
                            for (const int copies : {1, static_cast<int>(cores)}) m.gemms.push_back({type, kind, a, b, c, 1, copies, (copies > 1 ? crowded : 1) * 2.0 * static_cast<double>(a * b * c) / flops, 0});
        for (const char* name : {"rms_norm", "rms_norm_backward", "rms_norm_weight", "layer_norm", "layer_norm_backward", "layer_norm_weight", "add_bias", "column_sum", "embed", "embed_backward", "cross_entropy",
                                 "rotary", "swiglu", "swiglu_backward", "gelu", "gelu_backward", "add", "dropout", "copy", "adam", "fill", "squared_sum"})
            for (const int copies : {1, static_cast<int>(cores)}) m.kernelRates.push_back({name, type, 1024, 1, 1 << 20, copies, (copies > 1 ? crowded : 1) * 1024 / elements, 0});
        for (const char* name : {"attention", "attention_backward"})
            for (const std::int64_t seq : {64, 256})
                for (const std::int64_t size : {32, 64})
                    for (const int copies : {1, static_cast<int>(cores)}) m.kernelRates.push_back({name, type, seq, size, 0, copies, (copies > 1 ? crowded : 1) * 4.0 * static_cast<double>(seq * seq * size) / flops, 0});
    }
    for (const char* kind : {"all_gather", "reduce_scatter", "all_reduce_scalars"})
        for (const std::int64_t bytes : {1000, 1'000'000}) m.collectives.push_back({kind, 2, bytes, 20e-6 + static_cast<double>(bytes) / 1e9, 10e-6, 0});
    return m;
}

}  // namespace stagecraft::test
