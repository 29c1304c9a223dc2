// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/machine_measure.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace stagecraft {

/// Which of the engine's products, by the transposed operand; see GemmRate.
enum class ProductKind { Nn, Nt, Tn };

/// Seconds and processor seconds of one collective on one rank.
struct CollectiveTime {
    double wall = 0, cpu = 0;
};

/// A measured machine as a function of sizes: times of the engine's operations between and beyond the sizes that were measured.
///
/// Products: rates are interpolated in the logarithms of m, n and k; beyond the sizes measured the last rate holds. Kernels: the
/// cost of a row and of an element come from the two widths measured, between footprints it is interpolated. With several
/// copies at work the rate lies between that of one and that of as many as there are cores. Attention grows beyond the lengths
/// measured as it did between the last two, at the least with the sequence and at the most with its square.
///
/// Other programs make readings longer, never shorter: attention of one length takes half as long again as its work beside any
/// shorter one says at the most, and no longer than the next longer one.
class MachineRates {
public:
    /// Which of the readings behind each figure count: the usual one, or as much slower as their quartiles lie apart.
    enum class Readings { Usual, Slow };
    explicit MachineRates(const MachineMeasure& measure, Readings readings = Readings::Usual);

    /// Whether there is enough of everything for steps of `type` ("fp32", "bf16").
    [[nodiscard]] bool complete(const std::string& type) const;
    [[nodiscard]] double cores() const { return m_cores; }

    /// One product on `threads` threads while `copies` threads in all are at work.
    [[nodiscard]] double product(const std::string& type, ProductKind kind, double m, double n, double k, int threads, double copies) const;
    /// A kernel over `rows` rows of `width` on one thread; `footprint` as in KernelRate.
    [[nodiscard]] double kernel(const std::string& name, const std::string& type, double rows, double width, double footprint, double copies) const;
    /// Attention of one head over one sequence on one thread.
    [[nodiscard]] double attention(bool backward, const std::string& type, double seq, double headSize, double copies) const;
    /// @param shardBytes  one rank's slice; of no effect for scalars
    [[nodiscard]] CollectiveTime collective(const std::string& kind, int world, double shardBytes) const;

private:
    using Axis = std::vector<double>;  ///< logarithms, rising
    /// Logarithms of rates on a grid of three sizes.
    struct ProductTable {
        Axis m, n, k;
        std::vector<double> rate;
        [[nodiscard]] double at(double lm, double ln, double lk) const;
    };
    /// Seconds of a row and of an element, by footprint.
    struct KernelTable {
        Axis footprint;
        std::vector<double> perRow, perElement;
    };
    struct HeadTable {
        Axis seq, size;
        std::vector<double> seconds;  ///< logarithms
        [[nodiscard]] double at(double seq, double size) const;
        void bound();
    };
    struct CollectivePoint {
        double bytes, wall, cpu;
    };

    using ProductKey = std::tuple<std::string, int, bool, bool>;  ///< type, kind, over all cores' threads, on all cores
    using KernelKey = std::tuple<std::string, std::string, bool>; ///< name, type, on all cores
    void readProducts(const MachineMeasure& measure);
    void readKernels(const MachineMeasure& measure);
    void readHeads(const MachineMeasure& measure);
    void readCollectives(const MachineMeasure& measure);
    /// Seconds of a reading, by which of them count.
    [[nodiscard]] double secondsOf(double usual, double spread) const { return m_readings == Readings::Slow ? usual * (1 + spread) : usual; }
    /// From the value of one copy to that of as many as there are cores.
    [[nodiscard]] double between(double alone, std::optional<double> together, double copies) const;

    Readings m_readings = Readings::Usual;
    double m_cores = 1;
    int m_allThreads = 1;
    std::map<ProductKey, ProductTable> m_products;
    std::map<KernelKey, KernelTable> m_kernels;
    std::map<KernelKey, HeadTable> m_heads;
    std::map<std::pair<std::string, int>, std::vector<CollectivePoint>> m_collectives;
};

}  // namespace stagecraft
