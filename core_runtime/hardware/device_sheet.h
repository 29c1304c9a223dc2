// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What a maker's data sheet says of one accelerator. Peaks are dense (no sparsity), rates per direction.
struct DeviceSheet {
    struct Link {
        std::string kind;            ///< "NVLink 4"
        double bytesPerSecond = 0;   ///< one device to all its peers, one direction
        int maxDevices = 0;          ///< devices that reach each other over it
    };
    std::string id, name, vendor;
    int year = 0;
    double nominalBytes = 0;             ///< as sold
    std::int64_t usableBytes = 0;        ///< what a program can have; 0 = the host's memory
    std::map<std::string, double> peak;  ///< FLOP/s by type: fp32, tf32, bf16, fp16, fp8
    double memoryBytesPerSecond = 0;
    std::optional<Link> link;            ///< absent: peers are reached over PCIe
    double pcieBytesPerSecond = 0;       ///< 0 = none
    double peerBytesPerSecond = 0;       ///< what collectives between devices reach over PCIe (nccl-tests' bus bandwidth); 0 = not said, a share of PCIe's rate
    double watts = 0;                    ///< rated power of one device; 0 = not known
    std::string powerSource;             ///< empty: the same as `source`
    std::string source, note;

    /// Peak for matrix products of `type`; the nearest wider type the device has when it lacks that one. FLOP/s.
    [[nodiscard]] double peakFor(const std::string& type) const;
};

/// The sheets in configs/devices, compiled in. Sorted by vendor file, then as listed.
[[nodiscard]] const std::vector<DeviceSheet>& deviceSheets();

/// A sheet by id, ignoring case; the words of published tables ("dgx_h100", "cuda" = an A100) are understood too.
/// @return nullptr when there is none
[[nodiscard]] const DeviceSheet* findDevice(std::string_view name);

/// Reads sheets from JSON text in the format of configs/devices (a list of objects).
/// @error InvalidInput naming the sheet and the field
[[nodiscard]] Result<std::vector<DeviceSheet>> parseDeviceSheets(std::string_view text);

}  // namespace stagecraft
