// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/wizard.h"

#include "config/json_document.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {

const std::vector<std::string_view>& configWizardFiles();  // generated from configs/wizard

namespace {

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

const Json& data()
{
    static const Json kData = Json::parse(configWizardFiles()[0]);
    return kData;
}

CatalogText textOf(const Json& node)
{
    return {node.at("en").get<std::string>(), node.at("zh").get<std::string>()};
}

WizardCondition conditionOf(const Json& node)
{
    WizardCondition condition;
    if (node.contains("when")) {
        for (const auto& [id, values] : node["when"].items()) {
            for (const Json& value : values) {
                condition[id].push_back(value.dump());
            }
        }
    }
    return condition;
}

std::vector<WizardQuestion> readQuestions()
{
    static const std::map<std::string, WizardKind> kKinds{
        {"choice", WizardKind::Choice}, {"count", WizardKind::Count}, {"number", WizardKind::Number}, {"path", WizardKind::Path}};
    std::vector<WizardQuestion> questions;
    for (const Json& node : data().at("questions")) {
        WizardQuestion question;
        question.id = node.at("id").get<std::string>();
        question.kind = kKinds.at(node.at("kind").get<std::string>());
        question.title = textOf(node.at("title"));
        question.why = textOf(node.at("why"));
        question.pointer = node.value("pointer", "");
        question.byDefault = node.at("default").dump();
        question.min = node.value("min", 0.0);
        question.max = node.value("max", 0.0);
        question.when = conditionOf(node);
        for (const Json& option : node.value("options", Json::array())) {
            question.options.push_back({option.at("value").dump(), textOf(option.at("title")), conditionOf(option)});
        }
        questions.push_back(std::move(question));
    }
    return questions;
}

const Json* find(const Json& document, const std::string& pointer)
{
    const Pointer at(pointer);
    return document.contains(at) ? &document.at(at) : nullptr;
}

bool holds(const WizardCondition& condition, const WizardAnswers& answers)
{
    return std::all_of(condition.begin(), condition.end(), [&](const auto& asked) {
        const auto answer = answers.find(asked.first);
        return answer != answers.end() && std::find(asked.second.begin(), asked.second.end(), answer->second) != asked.second.end();
    });
}

std::string word(const WizardAnswers& answers, std::string_view id)
{
    const auto found = answers.find(id);
    const Json value = found == answers.end() ? Json() : Json::parse(found->second, nullptr, false);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t whole(const WizardAnswers& answers, std::string_view id, std::int64_t otherwise)
{
    const auto found = answers.find(id);
    const Json value = found == answers.end() ? Json() : Json::parse(found->second, nullptr, false);
    return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

std::int64_t wholeAt(const Json& document, const std::string& pointer, std::int64_t otherwise)
{
    const Json* value = find(document, pointer);
    return value != nullptr && value->is_number_integer() && value->get<std::int64_t>() > 0 ? value->get<std::int64_t>() : otherwise;
}

bool isOn(const Json* value)
{
    return value != nullptr && (*value == true || *value == 1);
}

const std::string kZero = "/dsConfig/zero_optimization";

/// The switches that older releases have in place of the offload sections.
std::string oldSwitch(std::string_view section)
{
    return kZero + (section == "offload_param" ? "/cpu_offload_param" : "/cpu_offload");
}

std::string offloadDevice(const Json& workspace, const char* section)
{
    const Json* device = find(workspace, kZero + "/" + section + "/device");
    if (device == nullptr && isOn(find(workspace, oldSwitch(section)))) {
        return "cpu";
    }
    const bool known = device != nullptr && device->is_string() && (*device == "cpu" || *device == "nvme");
    return known ? device->get<std::string>() : "none";
}

/// Other names under which releases read the same choice.
const std::vector<std::string>& savesWholeWeights()
{
    static const std::vector<std::string> kNames{kZero + "/gather_16bit_weights_on_model_save", kZero + "/stage3_gather_fp16_weights_on_model_save"};
    return kNames;
}

/// a x b of positive numbers, the largest there is where that is more: files may hold any.
std::int64_t times(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

/// Devices that one data-parallel rank takes.
std::int64_t innerOf(const Json& workspace)
{
    return times(times(wholeAt(workspace, "/layout/tp", 1), wholeAt(workspace, "/layout/pp", 1)), wholeAt(workspace, "/layout/cp", 1));
}

/// Data-parallel ranks that the workspace's machines make.
std::int64_t ranksOf(const Json& workspace)
{
    return std::max<std::int64_t>(1, times(wholeAt(workspace, "/hardware/nodes", 1), wholeAt(workspace, "/hardware/devicesPerNode", 1)) / innerOf(workspace));
}

/// The accumulation that acts: written, or what the other two batch sizes leave, as DeepSpeed divides.
std::int64_t stepsOf(const Json& workspace)
{
    const std::int64_t total = wholeAt(workspace, "/dsConfig/train_batch_size", 0);
    const std::int64_t micro = wholeAt(workspace, "/dsConfig/train_micro_batch_size_per_gpu", 0);
    const std::int64_t left = total > 0 && micro > 0 ? std::max<std::int64_t>(1, total / micro / ranksOf(workspace)) : 1;
    return wholeAt(workspace, "/dsConfig/gradient_accumulation_steps", left);
}

/// What the workspace does now, as JSON text; a value that is no answer to the question comes as it is written.
std::string actsNow(const Json& workspace, const WizardQuestion& question)
{
    const Json* written = question.pointer.empty() ? nullptr : find(workspace, question.pointer);
    if (question.id == "precision") {
        const Json* bf16 = find(workspace, "/dsConfig/bf16") != nullptr ? find(workspace, "/dsConfig/bf16/enabled") : find(workspace, "/dsConfig/bfloat16/enabled");
        const Json* fp16 = find(workspace, "/dsConfig/fp16/enabled");
        const bool open = (bf16 != nullptr && bf16->is_string()) || (fp16 != nullptr && fp16->is_string());
        return isOn(bf16) ? "\"bf16\"" : isOn(fp16) ? "\"fp16\"" : open ? "\"auto\"" : "\"no\"";
    }
    if (question.id == "stage") {
        if (const Json* zero = find(workspace, kZero); zero != nullptr && zero->is_boolean()) {
            return *zero == true ? "1" : "0";  // the short form of 2020
        }
    }
    if (question.id == "offload_optimizer" || question.id == "offload_param") {
        const std::string device = offloadDevice(workspace, question.id.c_str());
        const bool acts = device != "nvme" || question.id == "offload_param" || wholeAt(workspace, kZero + "/stage", 0) == 3;
        return Json(acts ? device : "cpu").dump();  // DeepSpeed offloads to host memory below stage 3, whatever is asked
    }
    if (question.id == "nvme_path") {
        for (const char* section : {"offload_optimizer", "offload_param"}) {
            if (const Json* path = find(workspace, kZero + "/" + section + "/nvme_path"); path != nullptr && path->is_string()) {
                return path->dump(-1, ' ', false, Json::error_handler_t::replace);
            }
        }
    }
    if (question.id == "accumulation" && written == nullptr) {
        return std::to_string(stepsOf(workspace));
    }
    if (question.id == "save_16bit" && written == nullptr) {
        for (const std::string& name : savesWholeWeights()) {
            if (isOn(find(workspace, name))) {
                return "true";
            }
        }
    }
    return written != nullptr ? written->dump(-1, ' ', false, Json::error_handler_t::replace) : question.byDefault;
}

constexpr const char* kAuto = "\"auto\"";

/// "auto" as the last option of a choice that the workspace leaves open, or that whoever hands the file to DeepSpeed fills in, as
/// `answers` say who that is.
void addAuto(const Json& workspace, const WizardAnswers& answers, WizardQuestion& question)
{
    if (question.id == "filler") {
        return;  // who fills it in cannot be left to them
    }
    const std::string said = word(answers, "filler");
    const std::string filler = data().at("auto").contains(said) ? said : std::string();
    if (question.kind == WizardKind::Choice && (actsNow(workspace, question) == kAuto || (question.id == "precision" && !filler.empty()))) {
        question.options.push_back({kAuto, textOf(data().at("auto").at(filler)), {}});
    }
}

/// The document as it becomes, and the operations that make it so.
class PatchMaker {
public:
    explicit PatchMaker(const Json& document) : m_document(document) {}

    [[nodiscard]] const Json& document() const { return m_document; }
    Json take() { return std::move(m_patch); }

    void set(const std::string& pointer, const Json& value)
    {
        const Pointer at(pointer);
        if (m_document.contains(at)) {
            if (m_document.at(at) != value) {
                m_patch.push_back({{"op", "replace"}, {"path", pointer}, {"value", value}});
                m_document.at(at) = value;
            }
            return;
        }
        // RFC 6902 adds into objects that exist: the missing ones come with the value.
        Pointer parent = at.parent_pointer();
        Pointer first = at;
        Json made = value;
        while (!m_document.contains(parent) || !m_document.at(parent).is_object()) {
            made = Json{{first.back(), std::move(made)}};
            first = parent;
            if (parent.empty()) {
                return;
            }
            parent = parent.parent_pointer();
        }
        m_patch.push_back({{"op", m_document.contains(first) ? "replace" : "add"}, {"path", first.to_string()}, {"value", made}});
        m_document[first] = made;
    }

    void remove(const std::string& pointer)
    {
        const Pointer at(pointer);
        if (!m_document.contains(at)) {
            return;
        }
        m_patch.push_back({{"op", "remove"}, {"path", pointer}});
        m_document.at(at.parent_pointer()).erase(at.back());
    }

private:
    Json m_document;
    Json m_patch = Json::array();
};

void setPrecision(PatchMaker& maker, const std::string& precision)
{
    if (precision == "auto") {
        // Which of the two it becomes is not known: both are left open, as the Trainer's own examples do.
        const bool older = find(maker.document(), "/dsConfig/bf16") == nullptr && find(maker.document(), "/dsConfig/bfloat16") != nullptr;
        maker.set(older ? "/dsConfig/bfloat16/enabled" : "/dsConfig/bf16/enabled", "auto");
        maker.set("/dsConfig/fp16/enabled", "auto");
        return;
    }
    // "bfloat16" is the older name of "bf16" and is read only where that is missing.
    if (precision != "bf16" && find(maker.document(), "/dsConfig/bf16") == nullptr && find(maker.document(), "/dsConfig/bfloat16/enabled") != nullptr) {
        maker.set("/dsConfig/bfloat16/enabled", false);
    }
    for (const char* key : {"bf16", "fp16"}) {
        const std::string at = std::string("/dsConfig/") + key + "/enabled";
        if (precision == "bf16" && precision == key && find(maker.document(), "/dsConfig/bf16") == nullptr && isOn(find(maker.document(), "/dsConfig/bfloat16/enabled"))) {
            continue;
        }
        if (precision == key) {
            maker.set(at, true);
        } else if (find(maker.document(), at) != nullptr) {
            maker.set(at, false);
        }
    }
}

void setOffload(PatchMaker& maker, const char* section, const std::string& device)
{
    const std::string at = kZero + "/" + section;
    if (device != "none" && find(maker.document(), at) == nullptr && device == offloadDevice(maker.document(), section)) {
        return;  // said by the old switch
    }
    maker.remove(oldSwitch(section));
    if (device == "none") {
        maker.remove(at);
        return;
    }
    maker.set(at + "/device", device);
    if (find(maker.document(), at + "/pin_memory") == nullptr) {
        maker.set(at + "/pin_memory", true);
    }
    if (device == "cpu") {
        maker.remove(at + "/nvme_path");
    }
}

/// Sections that DeepSpeed refuses or never reads at a stage below the one they belong to.
void dropAboveStage(PatchMaker& maker, std::int64_t stage)
{
    if (stage < 3) {
        maker.remove(kZero + "/offload_param");
        maker.remove(oldSwitch("offload_param"));
        maker.remove(kZero + "/stage3_gather_16bit_weights_on_model_save");
        for (const std::string& name : savesWholeWeights()) {
            maker.remove(name);
        }
        if (stage > 0 && offloadDevice(maker.document(), "offload_optimizer") == "nvme") {
            setOffload(maker, "offload_optimizer", "cpu");  // what DeepSpeed makes of it there
        }
    }
    if (stage < 1) {
        maker.remove(kZero + "/offload_optimizer");
        maker.remove(oldSwitch("offload_optimizer"));
    }
}

}  // namespace

const std::vector<WizardQuestion>& wizardQuestions()
{
    static const std::vector<WizardQuestion> kQuestions = readQuestions();
    return kQuestions;
}

bool isAnswer(const WizardQuestion& question, std::string_view json)
{
    const Json value = Json::parse(json, nullptr, false);
    switch (question.kind) {
    case WizardKind::Choice:
        return std::any_of(question.options.begin(), question.options.end(), [&](const WizardOption& option) { return option.json == json; });
    case WizardKind::Count:
        return value.is_number_integer() && value.get<double>() >= question.min && value.get<double>() <= question.max;
    case WizardKind::Number:
        return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= question.min && value.get<double>() <= question.max;
    case WizardKind::Path: return value.is_string() && !value.get<std::string>().empty();
    }
    return false;
}

WizardAnswers answersOf(const Json& workspace)
{
    WizardAnswers answers;
    for (WizardQuestion question : wizardQuestions()) {
        addAuto(workspace, answers, question);
        std::string now = actsNow(workspace, question);
        if (isAnswer(question, now)) {
            answers[question.id] = std::move(now);
        }
    }
    return answers;
}

std::vector<WizardQuestion> openQuestions(const Json& workspace, const WizardAnswers& answers)
{
    WizardAnswers all = answersOf(workspace);
    if (const auto stage = answers.find("stage"); stage != answers.end() && stage->second == "3") {
        all["offload_optimizer"] = Json(offloadDevice(workspace, "offload_optimizer")).dump();  // NVMe, which a lower stage takes for "cpu", acts there
    }
    std::vector<WizardQuestion> open;
    for (WizardQuestion question : wizardQuestions()) {
        const bool nvme = word(all, "offload_optimizer") == "nvme" || word(all, "offload_param") == "nvme";
        if (!holds(question.when, all) || (question.id == "nvme_path" && !nvme)) {
            all.erase(question.id);  // so that what depends on it is not asked either
            continue;
        }
        std::erase_if(question.options, [&](const WizardOption& option) { return !holds(option.when, all); });
        addAuto(workspace, all, question);
        if (const auto given = answers.find(question.id); given != answers.end() && isAnswer(question, given->second)) {
            all[question.id] = given->second;
        } else if (const auto now = all.find(question.id); now != all.end() && !isAnswer(question, now->second)) {
            all.erase(now);
        }
        open.push_back(std::move(question));
    }
    return open;
}

Json wizardPatch(const Json& workspace, const WizardAnswers& answers)
{
    PatchMaker maker(workspace);
    WizardAnswers given;
    for (const WizardQuestion& question : openQuestions(workspace, answers)) {
        if (const auto answer = answers.find(question.id); answer != answers.end() && isAnswer(question, answer->second)) {
            given.insert(*answer);
        }
    }
    WizardAnswers all = answersOf(workspace);
    for (const auto& [id, json] : given) {
        all[id] = json;
    }
    const Json& now = maker.document();
    const std::int64_t ranksBefore = ranksOf(now);
    const std::int64_t stepsBefore = stepsOf(now);
    for (const WizardQuestion& question : wizardQuestions()) {
        const auto answer = given.find(question.id);
        if (answer == given.end()) {
            continue;
        }
        const Json value = Json::parse(answer->second);
        if (question.kind == WizardKind::Choice && answer->second == actsNow(now, question) && answer->second == kAuto) {
            continue;  // it is left open already, in one section or in both
        }
        if (question.id == "precision") {
            setPrecision(maker, value.get<std::string>());
        } else if (question.id == "offload_optimizer" || question.id == "offload_param") {
            setOffload(maker, question.id.c_str(), value.get<std::string>());
        } else if (question.id == "save_16bit" && Json::parse(actsNow(now, question), nullptr, false) != value) {
            for (const std::string& name : savesWholeWeights()) {
                maker.remove(name);  // other names of the same key: DeepSpeed refuses both beside each other
            }
            value == true ? maker.set(question.pointer, true) : maker.remove(question.pointer);
        } else if (question.id == "moe" && value == false) {
            maker.remove("/dsConfig/expert_parallel");
        } else if (!question.pointer.empty() && question.id != "save_16bit") {
            // What acts already needs no line. A family of models is only shown as a start: nothing acts until it is written.
            const bool acts = find(workspace, question.pointer) == nullptr && question.id != "expert_model" && Json::parse(actsNow(workspace, question), nullptr, false) == value;
            if (!acts) {
                maker.set(question.pointer, value);
            }
        }
        if (question.id == "stage" && value.is_number()) {
            dropAboveStage(maker, value.get<std::int64_t>());
        }
    }
    if (given.count("moe") > 0 && given.at("moe") == "true" && find(now, "/dsConfig/expert_parallel/preset_model") == nullptr) {
        maker.set("/dsConfig/expert_parallel/preset_model", word(all, "expert_model"));
    }
    for (const char* section : {"offload_param", "offload_optimizer"}) {
        const bool asked = given.count("nvme_path") > 0 || given.count(section) > 0;
        if (asked && offloadDevice(now, section) == "nvme") {
            maker.set(std::string("/dsConfig/zero_optimization/") + section + "/nvme_path", word(all, "nvme_path"));
        }
    }
    if (const Json* zero = find(workspace, kZero); zero != nullptr && *zero == true && find(now, kZero)->is_object() && find(now, kZero + "/stage") == nullptr) {
        maker.set(kZero + "/stage", 1);  // what the short form stood for
    }
    std::int64_t ranks = ranksBefore;
    if (given.count("machines") > 0 || given.count("processes") > 0) {
        const std::int64_t devices = times(whole(all, "machines", 1), whole(all, "processes", 1));
        ranks = std::max<std::int64_t>(1, devices / innerOf(workspace));
        if (find(now, "/layout/dp") != nullptr) {
            maker.set("/layout/dp", ranks);
        }
    }
    // DeepSpeed: train_batch_size = micro x accumulation x ranks. The micro-batch stays, so the total follows; but where the file leaves
    // the accumulation open, and that can make up for the ranks, the total is what somebody wrote.
    const std::int64_t total = wholeAt(now, "/dsConfig/train_batch_size", 0);
    const std::int64_t steps = wholeAt(now, "/dsConfig/gradient_accumulation_steps", stepsBefore);  // not from the new ranks
    const bool open = find(now, "/dsConfig/gradient_accumulation_steps") == nullptr && total % std::max<std::int64_t>(1, times(wholeAt(now, "/dsConfig/train_micro_batch_size_per_gpu", 1), ranks)) == 0;
    if (total > 0 && !open && (ranks != ranksBefore || steps != stepsBefore)) {
        const std::int64_t micro = wholeAt(now, "/dsConfig/train_micro_batch_size_per_gpu", std::max<std::int64_t>(1, total / times(stepsBefore, ranksBefore)));
        maker.set("/dsConfig/train_batch_size", times(times(micro, steps), ranks));
    }
    return maker.take();
}

std::vector<std::string> wizardNotes(const Json& workspace, const WizardAnswers& answers, std::string_view language)
{
    WizardAnswers all = answersOf(workspace);
    bool asksZeroInit = false;
    for (const WizardQuestion& question : openQuestions(workspace, answers)) {
        asksZeroInit = asksZeroInit || question.id == "zero_init";
        if (const auto answer = answers.find(question.id); answer != answers.end() && isAnswer(question, answer->second)) {
            all[question.id] = answer->second;
        }
    }
    std::vector<std::string> notes;
    const std::string launcher = word(all, "launcher");
    if (const std::int64_t machines = whole(all, "machines", 1); machines > 1 && (launcher == "deepspeed" || launcher == "ssh" || launcher == "openmpi" || launcher == "accelerate")) {
        std::string text = textOf(data().at("notes").at("hostfile")).in(language);
        for (const auto& [name, value] : {std::pair<std::string, std::string>{"{slots}", std::to_string(whole(all, "processes", 1))},
                                          {"{machines}", std::to_string(machines)}, {"{launcher}", launcher}}) {
            if (const std::size_t at = text.find(name); at != std::string::npos) {
                text.replace(at, name.size(), value);
            }
        }
        notes.push_back(std::move(text));
    }
    if (asksZeroInit && all.count("zero_init") > 0 && all.at("zero_init") == "true") {
        notes.push_back(textOf(data().at("notes").at("zero_init")).in(language));
    }
    return notes;
}

}  // namespace stagecraft
