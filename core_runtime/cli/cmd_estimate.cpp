// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "planner/deepspeed_estimate_text.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace stagecraft::cli {

namespace {

struct Options {
    EstimatorInput input;
    bool noZeroInit = false;
    bool json = false;
};

int finish(int stage, const Options& options)
{
    const auto answer = stage == 3 ? estimateDeepSpeedZero3(options.input) : estimateDeepSpeedZero2(options.input);
    if (!answer.hasValue()) return reportError(answer.error(), options.json);
    const auto idle = [](bool given, const char* name, const char* why) {
        if (given) tell("stagecraft: warning: {} has no effect: {}\n", name, why);
    };
    constexpr const char* kThirdOnly = "DeepSpeed's estimator of stage 2 does not ask for it";
    idle(stage == 2 && options.input.largestLayer > 0, "--largest-layer", kThirdOnly);
    idle(stage == 2 && options.noZeroInit, "--no-zero-init", kThirdOnly);
    idle(stage == 2 && options.input.offloadParam, "--offload-param", kThirdOnly);
    idle(stage == 3 && options.input.offloadParam && !options.input.offloadOptimizer, "--offload-param", "DeepSpeed's estimator looks at it only with --offload-optimizer");
    if (options.json) {
        printJson(nlohmann::ordered_json{{"device_bytes", answer->deviceBytes}, {"host_bytes_per_node", answer->hostBytesPerNode}});
        return kDone;
    }
    const auto table = estimatorTable(stage, options.input);
    if (!table.hasValue()) return reportError(table.error(), options.json);
    fmt::print("{}\nfor these options\n{}\n", *table, estimatorLine(stage, options.input, *answer));
    fmt::print("\nwhy, and why `stagecraft plan` says otherwise (its GiB are DeepSpeed's GB; Φ parameters, Λ those of the largest module, N GPUs)\n");
    for (const std::string& reason : estimatorReasons(stage, options.input)) fmt::print("- {}\n", reason);
    fmt::print("- It counts nothing else: no activations, logits, buckets, rounding or context; it knows no tensor or pipeline parallelism, and stages 2 and 3 alone\n");
    return kDone;
}

}  // namespace

void addEstimateCommand(CLI::App& app, int& exitCode)
{
    CLI::App* command = app.add_subcommand("estimate", "DeepSpeed's own memory estimators, reproduced");
    command->require_subcommand(1);
    for (const int stage : {2, 3}) {
        const auto options = std::make_shared<Options>();
        CLI::App* sub = command->add_subcommand(stage == 3 ? "deepspeed-zero3" : "deepspeed-zero2",
                                                stage == 3 ? "Model states under ZeRO stage 3" : "Model states under ZeRO stage 2");
        sub->add_option("--params", options->input.params, "Parameters of the model")->required();
        CLI::Option* layer = sub->add_option("--largest-layer", options->input.largestLayer, stage == 3 ? "Parameters of the largest single module" : "Without effect for stage 2");
        if (stage == 3) layer->required();
        sub->add_option("--gpus-per-node", options->input.gpusPerNode, "GPUs per node")->required();
        sub->add_option("--nodes", options->input.nodes, "Nodes")->required();
        sub->add_flag("--offload-optimizer", options->input.offloadOptimizer, "Optimizer states on the host");
        sub->add_flag("--offload-param", options->input.offloadParam, "Parameters on the host (stage 3, with --offload-optimizer)");
        sub->add_flag("--no-zero-init", options->noZeroInit, "The model is built without zero.Init (stage 3)");
        sub->add_option("--buffer-factor", options->input.bufferFactor, "additional_buffer_factor")->capture_default_str();
        sub->add_flag("--json", options->json, "One JSON document");
        sub->callback([options, stage, &exitCode] {
            options->input.zeroInit = !options->noZeroInit;
            exitCode = finish(stage, *options);
        });
    }
}

}  // namespace stagecraft::cli
