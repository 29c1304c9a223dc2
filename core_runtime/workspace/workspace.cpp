// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/workspace.h"

#include "base/json_text.h"
#include "config/check.h"
#include "config/json_document.h"
#include "workspace/document_reader.h"
#include "workspace/field_reader.h"
#include "workspace/model_section.h"

#include <fmt/format.h>

#include <algorithm>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int kMostNodes = 100'000;
constexpr int kMostDevices = 1024;
constexpr int kMostDegree = 1 << 20;

int smallInteger(FieldReader& reader, const char* key, int fallback, int most, int least = 1)
{
    return static_cast<int>(reader.integer(key, fallback, least, most));
}

DataSection readData(const json& section, ReadLog& log)
{
    FieldReader reader(section, "/data", log);
    DataSection data;
    data.source = reader.text("source", data.source);
    if (data.source.empty()) reader.fail("source", "\"data.source\" is empty; give a file, a folder or \"builtin:demo\"");
    data.tokenizer = reader.text("tokenizer", data.tokenizer);
    data.sequential = reader.word("order", "shuffled", {"shuffled", "sequential"}) == "sequential";
    data.seed = reader.seed("seed", data.seed);
    data.validationFraction = reader.number("validationFraction", 0.0);
    if (!(data.validationFraction >= 0.0 && data.validationFraction < 1.0)) {
        reader.fail("validationFraction", fmt::format("\"data.validationFraction\" is {}; use 0 up to, not including, 1", data.validationFraction));
    }
    reader.finish();
    return data;
}

/// Hardware and layout decide each other's defaults: dp = all devices, and devices = all ranks where only a layout is given.
void readMachines(const json& hardwareSection, const json& layoutSection, Workspace& workspace, ReadLog& log)
{
    FieldReader reader(layoutSection, "/layout", log);
    LayoutSection& layout = workspace.layout;
    layout.tp = smallInteger(reader, "tp", 1, kMostDegree);
    layout.pp = smallInteger(reader, "pp", 1, kMostDegree);
    layout.cp = smallInteger(reader, "cp", 1, kMostDegree);
    layout.ep = smallInteger(reader, "ep", 1, kMostDegree);
    const bool dpGiven = reader.has("dp");
    layout.dp = smallInteger(reader, "dp", 1, kMostDegree);
    layout.sequenceParallel = reader.boolean("sequenceParallel", false);
    layout.schedule = reader.word("schedule", "1f1b",
                                  {"gpipe", "gpipe_lifo", "1f1b", "eager_1f1b", "deepspeed_train", "deepspeed_inference", "interleaved_1f1b", "looped_bfs",
                                   "zb_h1", "zb_h2", "interleaved_zb1p", "zb_v", "dualpipe", "dualpipev"});
    layout.chunks = smallInteger(reader, "chunks", 1, 1024);
    layout.recompute = reader.word("recompute", "none", {"none", "selective", "full"});
    layout.lossChunks = smallInteger(reader, "lossChunks", 1, 65536);
    reader.finish();

    FieldReader hardwareReader(hardwareSection, "/hardware", log);
    HardwareSection& hardware = workspace.hardware;
    hardware.nodes = smallInteger(hardwareReader, "nodes", 1, kMostNodes);
    const bool devicesGiven = hardwareReader.has("devicesPerNode");
    hardware.devicesPerNode = smallInteger(hardwareReader, "devicesPerNode", 1, kMostDevices);
    hardware.device = hardwareReader.text("device", hardware.device);
    if (hardware.device.empty()) hardwareReader.fail("device", "\"hardware.device\" is empty; use \"cpu\", \"cuda\" or a device's name");
    if (hardwareReader.has("hostMemoryGiB")) {
        constexpr double kMostGiB = 1 << 20;
        const double size = hardwareReader.number("hostMemoryGiB", 0);
        if (!(size > 0 && size <= kMostGiB)) hardwareReader.fail("hostMemoryGiB", fmt::format("\"hardware.hostMemoryGiB\" is {}; use the GiB of memory of one node, above 0 and at most {}", shownValue(hardwareReader.any("hostMemoryGiB")), kMostGiB));
        else hardware.hostMemoryBytes = static_cast<std::int64_t>(size * 1073741824.0);
    }
    hardwareReader.finish();
    if (log.error()) return;

    // Four factors of at most 2^20 each could leave 64 bits; three are below 2^60.
    const std::int64_t inner = std::int64_t{layout.tp} * layout.pp * layout.cp;
    if (inner > kMostDegree) {
        reader.fail("tp", fmt::format("\"layout\": tp x pp x cp is {} ranks; use at most {}", inner, kMostDegree));
        return;
    }
    const std::string product = fmt::format("tp {} x pp {} x cp {} = {}", layout.tp, layout.pp, layout.cp, inner);
    if (!devicesGiven) {
        const std::int64_t ranks = inner * layout.dp;
        if (ranks % hardware.nodes != 0 && (dpGiven || inner > 1)) {
            reader.fail("dp", fmt::format("\"layout\" has {} ranks, which do not spread evenly over {} nodes; change \"layout\" or \"hardware.nodes\"", ranks, hardware.nodes));
            return;
        }
        hardware.devicesPerNode = static_cast<int>(std::max<std::int64_t>(ranks / hardware.nodes, 1));
    }
    const std::int64_t devices = std::int64_t{hardware.nodes} * hardware.devicesPerNode;
    const std::string machine = fmt::format("nodes {} x devicesPerNode {} = {} devices", hardware.nodes, hardware.devicesPerNode, devices);
    if (!dpGiven) {
        if (devices % inner != 0) {
            reader.fail("tp", fmt::format("\"layout\" needs {} ranks per replica, which does not divide \"hardware\": {}; make one a multiple of the other", product, machine));
            return;
        }
        layout.dp = static_cast<int>(devices / inner);
    } else if (layout.ranks() != devices) {
        reader.fail("dp", fmt::format("\"layout\" has dp {} x tp {} x pp {} x cp {} = {} ranks, but \"hardware\" has {}; make the two equal", layout.dp, layout.tp, layout.pp, layout.cp, layout.ranks(), machine));
        return;
    }
    if ((std::int64_t{layout.dp} * layout.cp) % layout.ep != 0) {
        reader.fail("ep", fmt::format("\"layout.ep\" is {}, which does not divide dp x cp = {}; use a divisor", layout.ep, std::int64_t{layout.dp} * layout.cp));
    }
}

TrainingSection readTraining(const json& section, ReadLog& log)
{
    FieldReader reader(section, "/training", log);
    TrainingSection training;
    training.steps = reader.integer("steps", training.steps, 1, kMostTrainingSteps);
    if (reader.has("epochs")) {
        training.epochs = reader.number("epochs", 1.0);
        if (!(*training.epochs > 0.0 && *training.epochs <= 1e6)) {
            reader.fail("epochs", fmt::format("\"training.epochs\" is {}; use a number above 0, at most a million", shownValue(reader.any("epochs"))));
        }
        if (reader.has("steps")) {
            reader.fail("epochs", "\"training.epochs\" stands beside \"training.steps\"; give one of the two (--set /training/steps=null takes the other out)");
        }
    }
    training.seed = reader.seed("seed", training.seed);
    training.evalEvery = reader.integer("evalEvery", 0, 0, kMostTrainingSteps);
    training.saveEvery = reader.integer("saveEvery", 0, 0, kMostTrainingSteps);
    reader.finish();
    return training;
}

/// The arguments from which the launcher fills "auto", of the types that a --context file has them in. Only the check asks for them, and
/// reads them from the document.
void readTrainer(FieldReader& reader)
{
    for (const auto& [name, value] : reader.object("trainer").items()) {
        std::vector<std::string> warnings;
        const auto read = readCheckContext(json{{"trainer", {{name, value}}}}.dump(-1, ' ', false, json::error_handler_t::replace), warnings);
        constexpr std::string_view kWanted = "\" must be ";
        if (read.hasValue()) continue;
        const std::string& said = read.error().message;
        std::string wanted = said.substr(std::min(said.size(), said.rfind(kWanted) + kWanted.size()));
        if (wanted.ends_with('.')) wanted.pop_back();
        reader.log().fail(reader.pointerTo("trainer") + "/" + pointerToken(name), fmt::format("\"launch.trainer.{}\" is {}; use {}", name, shownValue(value), wanted));
    }
}

LaunchSection readLaunch(const json& section, ReadLog& log)
{
    FieldReader reader(section, "/launch", log);
    LaunchSection launch;
    launch.backend = reader.word("backend", "local", {"local", "ssh", "slurm", "openmpi", "deepspeed", "torchrun", "accelerate"});
    launch.launcher = checkLauncherFromName(reader.word("launcher", "deepspeed", {"deepspeed", "transformers", "accelerate"})).value_or(CheckLauncher::DeepSpeed);
    (void)reader.text("optimizer", {});   // the class that the training script passes on; only the check asks for it
    readTrainer(reader);
    launch.threadsPerRank = smallInteger(reader, "threadsPerRank", 1, 1024);
    launch.hangTimeout = reader.number("hangTimeout", launch.hangTimeout);
    if (!(launch.hangTimeout >= 1 && launch.hangTimeout <= 1e6))
        reader.fail("hangTimeout", fmt::format("\"launch.hangTimeout\" is {}; use seconds from 1 to 1,000,000", shownValue(reader.any("hangTimeout"))));
    reader.finish();
    return launch;
}

FrameworkSection readFramework(const json& section, ReadLog& log)
{
    FieldReader reader(section, "/framework", log);
    FrameworkSection framework;
    framework.name = reader.word("name", "stagecraft", {"stagecraft", "deepspeed", "fsdp2", "megatron"});
    framework.arguments = reader.object("arguments");
    reader.finish();
    return framework;
}

}  // namespace

Result<Workspace> readWorkspaceDocument(const WorkspaceText& source)
{
    ReadLog log(source.text, source.patched);
    Workspace workspace;
    workspace.folder = source.folder;
    workspace.document = source.document;
    if (!source.document.is_object()) {
        log.fail("", "the document is not an object; a workspace starts with { \"stagecraft\": 1, ...");
        return *log.error();
    }
    FieldReader reader(source.document, "", log);
    if (!reader.has("stagecraft")) {
        reader.fail("stagecraft", "\"stagecraft\" is missing; a workspace says \"stagecraft\": 1, its version");
    } else if (const std::int64_t version = reader.integer("stagecraft", 1, 0, INT64_MAX); version != 1 && !log.error()) {
        reader.fail("stagecraft", fmt::format("\"stagecraft\" is {}: this program reads version 1; {}", version,
                                              version > 1 ? "a newer one wrote this file, use that" : "write 1"));
    }
    workspace.name = reader.text("name", source.defaultName);
    if (!reader.has("model")) reader.fail("model", "\"model\" is missing; give its sizes, \"hf\", \"preset\" or \"params\"");
    workspace.model = readModelSection(reader.object("model"), source.folder, log);
    workspace.data = readData(reader.object("data"), log);
    readMachines(reader.object("hardware"), reader.object("layout"), workspace, log);
    workspace.training = readTraining(reader.object("training"), log);
    workspace.launch = readLaunch(reader.object("launch"), log);
    workspace.framework = readFramework(reader.object("framework"), log);
    if (reader.has("dsConfig")) readDsConfig(reader, source, workspace);
    else workspace.dsConfigText = "{}";
    reader.finish();
    if (log.error()) return *log.error();
    workspace.unknownFields = log.takeUnknownFields();
    return workspace;
}

}  // namespace stagecraft
