// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/sheet_findings.h"

#include "hardware/user_sheets.h"
#include "planner/findings.h"

#include <algorithm>
#include <cctype>

namespace stagecraft {

namespace {

bool sameWord(const std::string& a, const std::string& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

void tellRefusedSheets(const Workspace& workspace, std::vector<PlanFinding>& findings)
{
    if (refusedDeviceSheets().empty()) return;
    const char* pointer = "/hardware/device";
    const DeviceSheet* used = findDevice(workspace.hardware.device);
    bool replaced = false;
    for (const Error& refused : refusedDeviceSheets()) {
        const auto part = [&refused](const char* key) { const auto at = refused.context.find(key); return at == refused.context.end() ? std::string() : at->second; };
        const std::string device = part("device"), field = part("field"), path = part("path");
        if (device.empty()) {
            findings.push_back(makeFinding("plan.device_sheets.file", "warning", pointer, "None of your data sheets is used: \"{}\" must be a JSON list of objects of at most 1 MiB; correct it", {path}));
            continue;
        }
        const bool meant = sameWord(device, workspace.hardware.device) || (used && sameWord(device, used->id));
        const char* severity = meant ? "warning" : "info";
        if (!part("twice").empty()) {
            findings.push_back(makeFinding("plan.device_sheets.twice", severity, pointer, "\"{}\" has two data sheets of \"{}\": the last one counts; remove the other", {path, device}));
            continue;
        }
        if (!part("unused").empty()) {
            findings.push_back(makeFinding("plan.device_sheets.unknown", severity, pointer, "Your data sheet of \"{}\" has \"{}\", which no data sheet has: it has no effect; correct or remove it in \"{}\"", {device, field, path}));
            continue;
        }
        if (part("least").empty()) findings.push_back(makeFinding("plan.device_sheets.field", severity, pointer, "Your data sheet of \"{}\" is not used: it has no usable \"{}\"; correct it in \"{}\"", {device, field, path}));
        else if (part("whole").empty()) findings.push_back(makeFinding("plan.device_sheets.range", severity, pointer, "Your data sheet of \"{}\" is not used: \"{}\" must be a number from {} to {}; correct it in \"{}\"", {device, field, part("least"), part("most"), path}));
        else findings.push_back(makeFinding("plan.device_sheets.whole", severity, pointer, "Your data sheet of \"{}\" is not used: \"{}\" must be a whole number from {} to {}; correct it in \"{}\"", {device, field, part("least"), part("most"), path}));
        if (!meant || !used || replaced) continue;
        replaced = true;
        findings.push_back(makeFinding("plan.device_sheets.replaced", "warning", pointer, "This plan is made with the built-in data sheet of \"{}\", not with yours", {used->id}));
    }
}

}  // namespace stagecraft
