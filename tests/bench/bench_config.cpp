// SPDX-License-Identifier: GPL-3.0-or-later
// Judging a ds_config against what a person waits for: 5 ms for a check of 20 KB, 16 ms from a keystroke to the findings,
// and hostile text in time that grows with its length alone.
#include "bench_row.h"
#include "config/check.h"
#include "config/json_document.h"
#include "config/key_catalog.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kRounds = 9;

double milliseconds(const std::function<void()>& work, int repeats)
{
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) {
        work();
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / repeats;
}

/// Every key of the newest release at its default, as a full-grown config writes them, then layer rules up to `bytes`.
std::string largeConfig(std::size_t bytes)
{
    Json config = {{"train_batch_size", 32}, {"train_micro_batch_size_per_gpu", 4}};
    for (const CatalogKey& key : KeyCatalog::standard().keys()) {
        const bool plain = key.reading == KeyReading::Read && key.when.empty() && !key.deprecated && key.removedIn.empty() && !key.isSection();
        if (plain && !key.defaultJson.empty() && key.defaultJson != "null" && key.pointer.find('*') == std::string::npos) {
            config[Json::json_pointer(key.pointer)] = Json::parse(key.defaultJson);
        }
    }
    Json& specs = config["tensor_parallel"]["partition_config"]["layer_specs"];
    specs = Json::array();
    for (int i = 0; config.dump(2).size() < bytes; ++i) {
        specs.push_back({{"patterns", {"layers\\." + std::to_string(i) + "\\.self_attn\\.q_proj"}}, {"partition_type", i % 2 == 0 ? "row" : "column"}});
    }
    return config.dump(2);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string filter = argc > 1 ? argv[1] : "";
    const std::string text = largeConfig(20'000);
    CheckContext context;
    context.world = 8;
    bench::measureRow("config/check", filter, kRounds, 1, "lower", "check of " + std::to_string(text.size()) + " bytes to 5 ms", [&] {
        return milliseconds([&] { (void)checkConfig(text, context); }, 10) / 5.0;
    });
    const std::size_t at = text.find("\"train_batch_size\": 32") + 20;
    bench::measureRow("config/keystroke", filter, kRounds, 1, "lower", "text with one more digit: document and findings to 16 ms", [&] {
        return milliseconds([&] {
            std::string typed = text;
            typed.insert(at, "1");
            (void)JsonDocument::parse(typed).hasValue();
            (void)checkConfig(typed, context);
        }, 10) / 16.0;
    });
    // Twelve refused values, behind which the errors of the engine are looked for, and twelve misspelt keys, each with a fix that is tried.
    const auto refused = [&](bool misspelt) {
        Json config = Json::parse(text);
        config["optimizer"]["type"] = "NoSuch";
        int left = 12;
        Json& zero = config["zero_optimization"];
        for (const std::string key : {"reduce_bucket_size", "allgather_bucket_size", "stage3_max_live_parameters", "stage3_max_reuse_distance", "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold",
                                      "sub_group_size", "contiguous_gradients", "overlap_comm", "reduce_scatter", "round_robin_gradients", "ignore_unused_parameters"}) {
            if (left-- > 0 && misspelt) {
                zero.erase(key);
                zero["x" + key] = 1;
            } else {
                zero[key] = "nonsense";
            }
        }
        return config.dump(2);
    };
    for (const bool misspelt : {false, true}) {
        const std::string wrong = refused(misspelt);
        bench::measureRow(misspelt ? "config/check_misspelt" : "config/check_refused", filter, kRounds, 1, "lower", "document and findings of a refused config to 16 ms", [&] {
            return milliseconds([&] {
                (void)JsonDocument::parse(wrong).hasValue();
                (void)checkConfig(wrong, context);
            }, 5) / 16.0;
        });
    }
    const auto hostile = [](std::size_t bytes) { return "{\"a\": [" + std::string(bytes, '{'); };
    const auto commas = [](std::size_t count) {
        std::string out = "{\"a\": [";
        for (std::size_t i = 0; i < count; ++i) {
            out += "1e308,";
        }
        return out + "1]}";
    };
    bench::measureRow("config/hostile_growth", filter, kRounds, 1, "lower", "two texts of twice the length (nesting, numbers) to twice the time of one", [&] {
        const std::string small = hostile(500'000), large = hostile(1'000'000), few = commas(90'000), many = commas(180'000);
        const double once = milliseconds([&] { (void)checkConfig(small, context); (void)checkConfig(few, context); }, 1);
        return milliseconds([&] { (void)checkConfig(large, context); (void)checkConfig(many, context); }, 1) / (2.0 * once);
    });
    return 0;
}
