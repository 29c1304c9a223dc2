// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/launcher.h"
#include "model/model_spec.h"
#include "workspace/trained_section.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// How the "model" section names its model. `spec` is set when our engine knows the family and all sizes.
struct ModelSection {
    enum class Form { Fields, HuggingFace, ParameterCount, Preset };
    Form form = Form::Fields;
    std::optional<ModelSpec> spec;
    std::int64_t seq = 0;                    ///< "seq" as written beside hf or preset; 0 = config.json decides (in `spec` too where that is set)
    std::string noSpecReason;                ///< why our engine cannot train it, one sentence; empty when `spec` is set
    nlohmann::json huggingFaceConfig;        ///< config.json's content (forms HuggingFace and Preset), else null
    std::filesystem::path huggingFaceFolder;
    std::string preset;
    std::optional<AdapterSection> adapter;
    std::optional<FreezeSection> freeze;     ///< never beside `adapter`
    [[nodiscard]] bool trainsPart() const { return adapter || freeze; }
    double parameterCount = 0;               ///< form ParameterCount
    std::filesystem::path initFile;          ///< safetensors file with initial weights; empty = random
    bool initUnclear = false;                ///< huggingFaceFolder has weights that cannot be told apart (several safetensors files), or of another format
};

struct DataSection {
    std::string source = "builtin:demo";     ///< as written; resolve a path against Workspace::folder
    std::string tokenizer = "bytes";
    bool sequential = false;                 ///< order: "sequential"; else shuffled
    std::uint64_t seed = 1;
    double validationFraction = 0.0;
};

struct HardwareSection {
    int nodes = 1;
    int devicesPerNode = 1;
    std::string device = "cpu";              ///< "cpu", "cuda" or a name of the device sheets
    std::int64_t hostMemoryBytes = 0;        ///< of one node, for what is offloaded (written in GiB, "hostMemoryGiB"); 0 = not said
};

struct LayoutSection {
    int dp = 1, tp = 1, pp = 1, cp = 1, ep = 1;
    bool sequenceParallel = false;
    std::string schedule = "1f1b";
    int chunks = 1;
    std::string recompute = "none";          ///< none | selective | full
    int lossChunks = 1;                      ///< pieces of a micro-batch in which logits and loss are computed; 1 = all at once
    [[nodiscard]] std::int64_t ranks() const { return std::int64_t{dp} * tp * pp * cp; }
};

inline constexpr std::int64_t kMostTrainingSteps = 1'000'000'000'000;

struct TrainingSection {
    std::int64_t steps = 100;                ///< optimizer steps; without meaning where `epochs` is set (data/training_length.h)
    std::optional<double> epochs;            ///< passes over the training data, above 0, may be a fraction; instead of steps
    std::uint64_t seed = 42;
    std::int64_t evalEvery = 0;
    std::int64_t saveEvery = 0;
};

struct LaunchSection {
    std::string backend = "local";
    CheckLauncher launcher = CheckLauncher::DeepSpeed;  ///< who hands the ds_config to DeepSpeed
    int threadsPerRank = 1;
    double hangTimeout = 300;                ///< seconds without progress after which a rank counts as hanging
};

struct FrameworkSection {
    std::string name = "stagecraft";         ///< stagecraft | deepspeed | fsdp2 | megatron
    nlohmann::json arguments = nlohmann::json::object();
};

/// One workspace document, read and defaulted. The bytes of the document itself are kept by WorkspaceDocument.
struct Workspace {
    std::string name;
    ModelSection model;
    DataSection data;
    HardwareSection hardware;
    LayoutSection layout;
    TrainingSection training;
    LaunchSection launch;
    FrameworkSection framework;
    nlohmann::json dsConfig = nlohmann::json::object();
    std::string dsConfigText;                ///< as the user wrote it, byte for byte; written anew only where a patch changed it
    std::filesystem::path dsConfigFile;      ///< the file it came from, resolved; empty when it stands inside the workspace
    nlohmann::json document;                 ///< the whole document after patches, unknown fields included
    std::filesystem::path folder;            ///< what relative paths start at
    std::vector<std::string> unknownFields;  ///< JSON Pointers of fields we do not know; kept on save, reported once
};

/// Whether a text is a workspace document, sound or not, and no ds_config.
[[nodiscard]] bool isWorkspaceText(const std::string& text);

/// Reads, defaults and validates a workspace document of version 1.
///
/// Reads the files it names where their content decides the meaning (Hugging Face folder, preset, ds_config file), never
/// the data or the weights. Devices need not exist here: planning for absent machines is allowed.
///
/// @param text    the document
/// @param folder  where relative paths start
/// @error InvalidInput with "pointer" and, where the text has such a place, "line" and "column" in the context;
///        NotFound or Io (with "pointer") for a file it names that cannot be read
[[nodiscard]] Result<Workspace> parseWorkspace(const std::string& text, const std::filesystem::path& folder);

/// The same from a file, after applying `--set /pointer=value` patches in order. A value is JSON, else a string; missing
/// objects on the way are made; a patch below /dsConfig reaches into a ds_config file as well (the file stays as it is).
/// @error NotFound or Io when the file cannot be opened, InvalidArgument for a patch that cannot be applied,
///        InvalidInput as parseWorkspace
[[nodiscard]] Result<Workspace> loadWorkspace(const std::filesystem::path& file, const std::vector<std::string>& sets = {});

}  // namespace stagecraft
