// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gemm.h"
#include "worker/measure.h"

#include <algorithm>
#include <memory>
#include <string_view>

namespace stagecraft {

namespace {

// Above this a product tells nothing new and takes too long; the planner takes the rate of the next smaller one.
constexpr double kMostWork = 3.0e8;  // multiply-adds
constexpr double kNeededWork = 1.7e7;  // up to here products are measured however long it takes: 256 cubed
constexpr std::int64_t kHalf = Arena::kBytes / 2;

struct Product {
    const char* kind;
    std::int64_t m, n, k;
    [[nodiscard]] double work() const { return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

std::vector<Product> productsOf(const Grid& grid)
{
    std::vector<Product> products;
    const std::vector<std::int64_t> sizes = grid.sizes();
    for (const char* kind : {"nt", "nn", "tn"})
        for (const std::int64_t m : sizes)
            for (const std::int64_t n : sizes)
                for (const std::int64_t k : sizes)
                    if (const Product p{kind, m, n, k}; p.work() <= kMostWork) products.push_back(p);
    return products;
}

/// How many threads a product has and how many are at work: alone, one on every core, one over all cores.
struct Crew {
    int threads, copies;
};

std::vector<Crew> crewsOf(const Grid& grid, const Product& p, int cores)
{
    std::vector<Crew> crews{{1, 1}};
    if (cores <= 1) return crews;
    crews.push_back({1, cores});
    // Threads of one product at every second size: a share of it is all that is wanted. Not in a short measurement: where other
    // programs take a core they wait for each other longest.
    if (grid.coarse) return crews;
    const std::vector<std::int64_t> sizes = grid.sizes();
    const auto wanted = [&](std::int64_t size) { return (std::find(sizes.begin(), sizes.end(), size) - sizes.begin()) % 2 == 1; };
    if (wanted(p.m) && wanted(p.n) && wanted(p.k)) crews.push_back({cores, 1});
    return crews;
}

/// Operands lie in the arena's first half, results in its second; both move on from call to call, as from layer to layer.
template <class T>
Work workOf(const Product& p, Arena& arena)
{
    arena.fillOnce(sizeof(T), kHalf);
    const bool wide = p.kind == std::string_view("tn");  // weight gradients are fp32
    const auto bytes = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t in = (p.m * p.k + p.k * p.n) * bytes, out = p.m * p.n * (wide ? 4 : bytes);
    const std::int64_t places = std::max<std::int64_t>(1, std::min(kHalf / in, kHalf / out));
    auto at = std::make_shared<std::int64_t>(0);
    char* base = arena.data();
    const auto step = [=]() -> std::int64_t { return (*at)++ % places; };
    Work work;
    if (p.kind == std::string_view("nt")) {
        work.call = [=] {
            const std::int64_t i = step();
            const T* x = reinterpret_cast<const T*>(base + i * in);
            linearForward(LinearShape{p.m, p.k, p.n, WeightOrder::OutIn}, x, x + p.m * p.k, reinterpret_cast<T*>(base + kHalf + i * out), false);
        };
    } else if (p.kind == std::string_view("nn")) {
        work.call = [=] {
            const std::int64_t i = step();
            const T* dy = reinterpret_cast<const T*>(base + i * in);
            linearInputGradient(LinearShape{p.m, p.n, p.k, WeightOrder::OutIn}, dy, dy + p.m * p.k, reinterpret_cast<T*>(base + kHalf + i * out), false);
        };
    } else {
        work.call = [=] {
            const std::int64_t i = step();
            const T* x = reinterpret_cast<const T*>(base + i * in);
            linearWeightGradient(LinearShape{p.k, p.n, p.m, WeightOrder::OutIn}, x, x + p.k * p.n, reinterpret_cast<float*>(base + kHalf + i * out), false);
        };
    }
    return work;
}

}  // namespace

std::vector<std::int64_t> Grid::sizes() const
{
    if (coarse) return {64, 512};
    return {32, 64, 128, 256, 512, 1024, 4096};  // doubling where rates roll off
}

std::size_t productSamples(const Grid& grid, int cores) 
{
    std::size_t samples = 0;
    for (const Product& p : productsOf(grid)) samples += 2 * crewsOf(grid, p, cores).size();
    return samples;
}

std::vector<GemmRate> measureProducts(Sampler& sampler, const Grid& grid, int cores, Allowance& allowance, const Told& told)
{
    std::vector<GemmRate> rates;
    std::vector<Product> products = productsOf(grid);
    std::stable_sort(products.begin(), products.end(), [](const Product& a, const Product& b) { return a.work() < b.work(); });
    double before = 0;
    for (const Product& p : products) {
        // Only between sizes: of each size all kinds, types and crews are there, or none.
        if (!grid.coarse && p.work() > kNeededWork && p.work() > before && allowance.overrun()) break;
        before = p.work();
        for (const bool narrow : {false, true})
            for (const Crew& crew : crewsOf(grid, p, cores)) {
                const Sample s = sampler.measure(crew.copies, crew.threads, allowance.next(), [&](Arena& arena) { return narrow ? workOf<BFloat16>(p, arena) : workOf<float>(p, arena); });
                rates.push_back({narrow ? "bf16" : "fp32", p.kind, p.m, p.n, p.k, crew.threads, crew.copies, s.seconds, s.spread});
                told();
            }
    }
    return rates;
}

}  // namespace stagecraft
