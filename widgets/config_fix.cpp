// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_fix.h"

#include "config/json_document.h"
#include "widgets/config_value.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>

#include <vector>

namespace stagecraft {

/// Only a context for translations.
struct ConfigFix {
    Q_DECLARE_TR_FUNCTIONS(ConfigFix)
};

namespace {

QString lastToken(const std::string& pointer)
{
    const auto tokens = pointerTokens(pointer);
    return tokens && !tokens->empty() ? QString::fromStdString(tokens->back()) : QString();
}

QString shortValue(const nlohmann::json& value)
{
    const QByteArray json = QByteArray::fromStdString(value.dump());
    const QString text = value.is_number_integer() ? groupedNumber(json) : shownValue(json);
    return text.size() > 24 ? text.left(23) + QStringLiteral("…") : text;
}

QString stepLabel(const nlohmann::json& step, const CheckFinding& finding)
{
    const std::string op = step.value("op", ""), path = step.value("path", "");
    const QString target = lastToken(path);
    if (op == "move") {
        const std::string from = step.value("from", "");
        const bool sibling = from.substr(0, from.rfind('/')) == path.substr(0, path.rfind('/'));
        return sibling ? ConfigFix::tr("Rename to %1").arg(target) : ConfigFix::tr("Move to %1").arg(QString::fromStdString(path));
    }
    if (op == "remove")
        return ConfigFix::tr("Remove %1").arg(target);
    if ((op == "replace" || op == "add") && step.contains("value")) {
        if (path == finding.pointer && op == "replace")
            return ConfigFix::tr("Set to %1").arg(shortValue(step["value"]));
        if (step["value"].is_object() && op == "add")   // what is in it is no value that a button could hold
            return ConfigFix::tr("Add %1").arg(target);
        return ConfigFix::tr("Set %1 to %2").arg(target, shortValue(step["value"]));
    }
    return ConfigFix::tr("Fix");
}

}  // namespace

QString fixLabel(const CheckFinding& finding)
{
    if (finding.fix.empty())
        return {};
    const nlohmann::json patch = nlohmann::json::parse(finding.fix, nullptr, false);
    if (!patch.is_array())
        return {};
    std::vector<const nlohmann::json*> writes, removals;
    for (const nlohmann::json& step : patch)
        if (const std::string op = step.is_object() ? step.value("op", "") : ""; op != "test")
            (op == "remove" ? removals : writes).push_back(&step);
    if (writes.empty() && removals.empty())
        return patch.empty() ? QString() : ConfigFix::tr("Fix");
    const nlohmann::json& step = writes.empty() ? *removals.front() : *writes.front();
    const auto more = writes.size() + removals.size() - 1;
    if (more == 1 && !removals.empty() && removals.front() != &step && removals.front()->value("path", "") == finding.pointer)
        return ConfigFix::tr("Replace by %1").arg(lastToken(step.value("path", "")));
    return more == 0 ? stepLabel(step, finding) : ConfigFix::tr("%1, and %2 more").arg(stepLabel(step, finding)).arg(more);
}

QString effectWords(const CheckFinding& finding)
{
    if (finding.rule == "findings.more" || finding.rule == "window.too_many" || finding.rule == "window.ranks")  // about the list and the window, not about the config
        return {};
    switch (finding.effect) {
    case CheckEffect::Refused:
        switch (finding.level) {
        case CheckLevel::Load: return ConfigFix::tr("refused at load");
        case CheckLevel::Parse: return ConfigFix::tr("refused at parse");
        case CheckLevel::Engine: return finding.inStep ? ConfigFix::tr("starts, then fails") : ConfigFix::tr("refused at start");
        case CheckLevel::Pipe: return ConfigFix::tr("refused by the pipeline engine");
        }
        break;
    case CheckEffect::Ignored: return ConfigFix::tr("never read");
    case CheckEffect::Changed: return ConfigFix::tr("changed silently");
    case CheckEffect::Warned: return ConfigFix::tr("warns");
    // An error that DeepSpeed does not make is the plan's: there is none before it is mended.
    case CheckEffect::Unwise: return finding.severity == CheckSeverity::Error ? ConfigFix::tr("not planned") : ConfigFix::tr("unwise");
    }
    return {};
}

QString ruleWords(const QString& rule)
{
    const QString family = rule.section(QLatin1Char('.'), 0, 0);
    if (family == QLatin1String("text"))
        return ConfigFix::tr("text");
    if (family == QLatin1String("release"))
        return ConfigFix::tr("release");
    if (family == QLatin1String("plan"))
        return ConfigFix::tr("plan");
    if (family == QLatin1String("workspace"))
        return ConfigFix::tr("workspace");
    if (rule == QLatin1String("window.ranks"))
        return ConfigFix::tr("ranks");
    if (family == QLatin1String("window"))
        return ConfigFix::tr("window");
    if (family == QLatin1String("findings"))
        return ConfigFix::tr("list");
    return family;   // R1 .. R108 are the same in every language
}

QString severityIcon(CheckSeverity severity)
{
    switch (severity) {
    case CheckSeverity::Error: return QStringLiteral("dialog-error");
    case CheckSeverity::Warning: return QStringLiteral("dialog-warning");
    case CheckSeverity::Info: break;
    }
    return QStringLiteral("dialog-information");
}

theme::Token severityToken(CheckSeverity severity)
{
    return severity == CheckSeverity::Error ? theme::Token::Error : severity == CheckSeverity::Warning ? theme::Token::Warn : theme::Token::Info;
}

}  // namespace stagecraft
