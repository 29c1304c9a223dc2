// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/machine_rates.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft {

namespace {

// A file with other sizes in each line would make a grid larger than memory.
constexpr std::size_t kMostCells = 100'000;

/// Where `value` lies on an axis: between `at` and `at + 1`, `share` of the way.
struct Place {
    std::size_t at = 0;
    double share = 0;
};

/// Beyond its ends the first or the last point holds.
Place placeOn(const std::vector<double>& axis, double value)
{
    if (axis.size() < 2) return {};
    const auto upper = std::upper_bound(axis.begin(), axis.end(), value);
    const std::size_t at = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(upper - axis.begin(), 1)) - 1, axis.size() - 2);
    return {at, std::clamp((value - axis[at]) / (axis[at + 1] - axis[at]), 0.0, 1.0)};
}

/// By how much more than its work one length of attention may take beside a shorter one: what lay in a cache lies in the next.
constexpr double kNextCache = 1.5;

std::vector<double> axisOf(const std::set<std::int64_t>& sizes)
{
    std::vector<double> axis;
    for (const std::int64_t size : sizes) axis.push_back(std::log(static_cast<double>(size)));
    return axis;
}

std::size_t indexOf(const std::vector<double>& axis, std::int64_t size)
{
    const double wanted = std::log(static_cast<double>(size)) - 1e-9;
    return static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), wanted) - axis.begin());
}

int kindNumber(const std::string& kind) { return kind == "nn" ? 0 : kind == "nt" ? 1 : kind == "tn" ? 2 : -1; }

}  // namespace

MachineRates::MachineRates(const MachineMeasure& measure, Readings readings) : m_readings(readings), m_cores(std::max(measure.host.usableCores, 0.01)), m_allThreads(std::max(1, static_cast<int>(m_cores + 0.001)))
{
    readProducts(measure);
    readKernels(measure);
    readHeads(measure);
    readCollectives(measure);
}

void MachineRates::readCollectives(const MachineMeasure& measure)
{
    for (const CollectiveRate& c : measure.collectives) m_collectives[{c.kind, c.world}].push_back({static_cast<double>(c.shardBytes), secondsOf(c.seconds, c.spread), c.cpuSeconds});
    for (auto& [key, points] : m_collectives) std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
}

void MachineRates::readProducts(const MachineMeasure& measure)
{
    std::map<ProductKey, std::vector<const GemmRate*>> groups;
    for (const GemmRate& g : measure.gemms)
        if (kindNumber(g.kind) >= 0) groups[{g.type, kindNumber(g.kind), g.threads > 1, g.copies > 1}].push_back(&g);
    for (const auto& [key, rates] : groups) {
        std::set<std::int64_t> m, n, k;
        for (const GemmRate* g : rates) m.insert(g->m), n.insert(g->n), k.insert(g->k);
        if (m.size() * n.size() * k.size() > kMostCells) continue;
        ProductTable table{axisOf(m), axisOf(n), axisOf(k), {}};
        const std::size_t nn = table.n.size(), kk = table.k.size();
        table.rate.assign(table.m.size() * nn * kk, std::nan(""));
        for (const GemmRate* g : rates) table.rate[(indexOf(table.m, g->m) * nn + indexOf(table.n, g->n)) * kk + indexOf(table.k, g->k)] = std::log(g->flopsPerSecond() / secondsOf(1, g->spread));
        // Products too large to be measured have the rate of the next smaller one: its largest side a step shorter.
        bool whole = true;
        for (std::size_t i = 0; i < table.rate.size(); ++i) {
            std::size_t a = i / (nn * kk), b = i / kk % nn, c = i % kk;
            while (std::isnan(table.rate[(a * nn + b) * kk + c]) && a + b + c > 0) {
                const double sa = a > 0 ? table.m[a] : -1, sb = b > 0 ? table.n[b] : -1, sc = c > 0 ? table.k[c] : -1;
                if (sa >= sb && sa >= sc && a > 0) --a;
                else if (sb >= sc && b > 0) --b;
                else --c;
            }
            table.rate[i] = table.rate[(a * nn + b) * kk + c];
            whole = whole && std::isfinite(table.rate[i]);
        }
        if (whole) m_products.emplace(key, std::move(table));
    }
}

void MachineRates::readKernels(const MachineMeasure& measure)
{
    std::map<KernelKey, std::map<std::int64_t, std::map<std::int64_t, double>>> groups;  // footprint, width, seconds of an element
    for (const KernelRate& k : measure.kernelRates)
        if (!k.name.starts_with("attention")) groups[{k.name, k.type, k.copies > 1}][k.footprint][k.width] = secondsOf(k.seconds, k.spread) / (static_cast<double>(k.rows) * static_cast<double>(k.width));
    for (const auto& [key, footprints] : groups) {
        KernelTable table;
        for (const auto& [footprint, widths] : footprints) {
            const auto [narrow, narrowCost] = *widths.begin();
            const auto [wide, wideCost] = *widths.rbegin();
            // cost(width) = element + row / width, through the narrowest and the widest.
            double row = 0, element = wideCost;
            if (wide > narrow) {
                row = std::max(0.0, (narrowCost - wideCost) / (1 / static_cast<double>(narrow) - 1 / static_cast<double>(wide)));
                element = std::max(wideCost - row / static_cast<double>(wide), 0.05 * wideCost);
            }
            table.footprint.push_back(std::log(static_cast<double>(std::max<std::int64_t>(footprint, 1))));
            table.perRow.push_back(row);
            table.perElement.push_back(element);
        }
        m_kernels.emplace(key, std::move(table));
    }
}

void MachineRates::readHeads(const MachineMeasure& measure)
{
    std::map<KernelKey, std::vector<const KernelRate*>> groups;
    for (const KernelRate& k : measure.kernelRates)
        if (k.name.starts_with("attention")) groups[{k.name, k.type, k.copies > 1}].push_back(&k);
    for (const auto& [key, rates] : groups) {
        std::set<std::int64_t> seq, size;
        for (const KernelRate* k : rates) seq.insert(k->rows), size.insert(k->width);
        if (seq.size() * size.size() > kMostCells) continue;
        HeadTable table{axisOf(seq), axisOf(size), {}};
        table.seconds.assign(seq.size() * size.size(), std::nan(""));
        for (const KernelRate* k : rates) table.seconds[indexOf(table.seq, k->rows) * size.size() + indexOf(table.size, k->width)] = std::log(secondsOf(k->seconds, k->spread));
        if (m_readings == Readings::Usual) table.bound();
        if (std::all_of(table.seconds.begin(), table.seconds.end(), [](double s) { return std::isfinite(s); })) m_heads.emplace(key, std::move(table));
    }
}

bool MachineRates::complete(const std::string& type) const
{
    for (int kind = 0; kind < 3; ++kind)
        if (!m_products.contains({type, kind, false, false})) return false;
    for (const char* name : {"attention", "attention_backward"})
        if (!m_heads.contains({name, type, false})) return false;
    for (const char* name : {"rms_norm", "rms_norm_backward", "rms_norm_weight", "layer_norm", "layer_norm_backward", "layer_norm_weight", "add_bias", "column_sum", "embed", "embed_backward", "cross_entropy",
                             "rotary", "swiglu", "swiglu_backward", "gelu", "gelu_backward", "add", "dropout", "copy", "adam"})
        if (!m_kernels.contains({name, type, false})) return false;
    for (const char* name : {"fill", "squared_sum", "dropout"})
        if (!m_kernels.contains({name, "fp32", false})) return false;
    for (const char* kind : {"all_gather", "reduce_scatter", "all_reduce_scalars"})
        if (std::none_of(m_collectives.begin(), m_collectives.end(), [&](const auto& c) { return c.first.first == kind; })) return false;
    return true;
}

double MachineRates::between(double alone, std::optional<double> together, double copies) const
{
    if (!together || copies <= 1 || m_allThreads <= 1) return alone;
    return alone + (*together - alone) * std::min(1.0, (copies - 1) / (m_allThreads - 1));
}

double MachineRates::ProductTable::at(double lm, double ln, double lk) const
{
    const Place a = placeOn(m, lm), b = placeOn(n, ln), c = placeOn(k, lk);
    double sum = 0;
    for (const std::size_t corner : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
        const std::size_t da = corner & 1, db = corner >> 1 & 1, dc = corner >> 2;
        const double weight = (da ? a.share : 1 - a.share) * (db ? b.share : 1 - b.share) * (dc ? c.share : 1 - c.share);
        if (weight > 0) sum += weight * rate[((a.at + da) * n.size() + b.at + db) * k.size() + c.at + dc];
    }
    return std::exp(sum);
}

double MachineRates::product(const std::string& type, ProductKind kind, double m, double n, double k, int threads, double copies) const
{
    const auto rateOf = [&](bool threaded, bool together) -> std::optional<double> {
        const auto table = m_products.find({type, static_cast<int>(kind == ProductKind::Nn ? 0 : kind == ProductKind::Nt ? 1 : 2), threaded, together});
        if (table == m_products.end()) return std::nullopt;
        return table->second.at(std::log(m), std::log(n), std::log(k));
    };
    const double work = 2 * m * n * k;
    const double alone = rateOf(false, false).value_or(1.0);
    const std::optional<double> together = rateOf(false, true);
    const double single = between(alone, together, copies);
    if (threads <= 1) return work / single;
    // Threads of one product gain as much of each other as was measured with all cores' threads; beside other ranks they slow down
    // as single ones do.
    const std::optional<double> all = rateOf(true, false);
    const double most = all.value_or(together.value_or(alone) * m_allThreads);
    const double share = m_allThreads > 1 ? std::min(1.0, static_cast<double>(threads - 1) / (m_allThreads - 1)) : 0.0;
    const double rate = alone + (most - alone) * share;
    return work / (rate * single / between(alone, together, threads));
}

double MachineRates::kernel(const std::string& name, const std::string& type, double rows, double width, double footprint, double copies) const
{
    const auto costOf = [&](bool together) -> std::optional<double> {
        const auto found = m_kernels.find({name, type, together});
        if (found == m_kernels.end()) return std::nullopt;
        const KernelTable& table = found->second;
        const Place p = placeOn(table.footprint, std::log(std::max(footprint, 1.0)));
        const auto mixed = [&](const std::vector<double>& values) { return values.size() < 2 ? values.front() : values[p.at] * (1 - p.share) + values[p.at + 1] * p.share; };
        return rows * mixed(table.perRow) * (width > 1 ? 1.0 : 0.0) + rows * width * mixed(table.perElement);
    };
    return between(costOf(false).value_or(0.0), costOf(true), copies);
}

void MachineRates::HeadTable::bound()
{
    const std::size_t sizes = size.size(), lengths = seq.size();
    const std::vector<double> measured = seconds;
    for (std::size_t at = 0; at < seconds.size(); ++at)
        for (std::size_t shorter = 0; shorter < at / sizes; ++shorter) seconds[at] = std::min(seconds[at], measured[shorter * sizes + at % sizes] + 2 * (seq[at / sizes] - seq[shorter]) + std::log(kNextCache));
    for (std::size_t at = (lengths - 1) * sizes; at-- > 0;) seconds[at] = std::min(seconds[at], seconds[at + sizes]);
}

double MachineRates::HeadTable::at(double lseq, double lsize) const
{
    const Place a = placeOn(seq, lseq), b = placeOn(size, lsize);
    const std::size_t sizes = size.size();
    const auto value = [&](std::size_t i, std::size_t j) { return seconds[std::min(i, seq.size() - 1) * sizes + std::min(j, sizes - 1)]; };
    const auto along = [&](std::size_t i) { return (1 - b.share) * value(i, b.at) + b.share * value(i, b.at + 1); };
    const auto across = [&](std::size_t j) { return (1 - a.share) * value(a.at, j) + a.share * value(a.at + 1, j); };
    // Beyond the sizes measured the work goes on growing as it did, but never by more than the square of the sequence and the head's
    // size itself: two points that noise has driven apart say nothing of what comes after them.
    const auto beyond = [](const Axis& axis, double at, double slope, double least, double most) {
        const double past = at > axis.back() ? at - axis.back() : std::min(0.0, at - axis.front());
        return axis.size() < 2 ? most * past : std::clamp(slope, least, most) * past;
    };
    const auto slope = [](const Axis& axis, std::size_t at, double from, double to) { return axis.size() < 2 ? 0.0 : (to - from) / (axis[at + 1] - axis[at]); };
    return std::exp((1 - a.share) * along(a.at) + a.share * along(a.at + 1) + beyond(seq, lseq, slope(seq, a.at, along(a.at), along(a.at + 1)), 1, 2) +
                    beyond(size, lsize, slope(size, b.at, across(b.at), across(b.at + 1)), 0, 1));
}

double MachineRates::attention(bool backward, const std::string& type, double seq, double headSize, double copies) const
{
    const auto costOf = [&](bool together) -> std::optional<double> {
        const auto table = m_heads.find({backward ? "attention_backward" : "attention", type, together});
        if (table == m_heads.end()) return std::nullopt;
        return table->second.at(std::log(seq), std::log(headSize));
    };
    return between(costOf(false).value_or(0.0), costOf(true), copies);
}

CollectiveTime MachineRates::collective(const std::string& kind, int world, double shardBytes) const
{
    if (world <= 1) return {};
    // The nearest number of ranks that was measured; a ring has one hop less than ranks.
    const std::vector<CollectivePoint>* nearest = nullptr;
    int measured = 0;
    for (const auto& [key, points] : m_collectives) {
        if (key.first != kind || (nearest && std::abs(key.second - world) >= std::abs(measured - world))) continue;
        nearest = &points;
        measured = key.second;
    }
    if (!nearest || nearest->empty()) return {};
    const double hops = static_cast<double>(world - 1) / (measured - 1);
    const double bytes = std::max(shardBytes, nearest->front().bytes);
    std::vector<double> axis;
    for (const CollectivePoint& point : *nearest) axis.push_back(point.bytes);
    const Place p = placeOn(axis, bytes);
    const auto value = [&](double CollectivePoint::*field) {
        const double last = nearest->back().*field;
        if (nearest->size() < 2) return hops * last;
        const double low = (*nearest)[p.at].*field, high = (*nearest)[p.at + 1].*field;
        if (bytes <= axis.back()) return hops * std::max(low + (high - low) * p.share, 1e-9);
        // More bytes never take less time, and no longer than as many times the last ones.
        const double more = (last - low) / std::max(axis.back() - axis[p.at], 1.0) * (bytes - axis.back());
        return hops * std::max(last + std::clamp(more, 0.0, last * (bytes / axis.back() - 1)), 1e-9);
    };
    return {value(&CollectivePoint::wall), value(&CollectivePoint::cpu)};
}

}  // namespace stagecraft
