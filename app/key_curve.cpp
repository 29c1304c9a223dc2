// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/key_curve.h"

#include "app/plan_service.h"
#include "app/plan_strip.h"
#include "config/check.h"
#include "config/json_document.h"
#include "config/key_catalog.h"
#include "config/key_releases.h"
#include "planner/config_advice.h"
#include "widgets/config_value.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace stagecraft::app {

namespace {

constexpr int kEachSide = 4;  // powers of two below and above: nine plans, a few milliseconds each

std::string spelled(double value)
{
    return value == std::floor(value) && std::abs(value) < 9e15 ? std::to_string(static_cast<std::int64_t>(value)) : nlohmann::json(value).dump();
}

/// A value beside a chart that is no wider than the help: what takes more than nine digits has an exponent.
QString wordOf(const QByteArray& json)
{
    constexpr qsizetype kMostDigits = 9;
    return json.size() > kMostDigits ? shortValue(json) : groupedNumber(json);
}

/// DeepSpeed refuses the config while it parses it: for its type, its range or the batch sizes.
bool isRefused(const Workspace& workspace, const std::string& release)
{
    CheckContext context;
    context.release = release;
    surroundWith(workspace, context);
    const auto answer = checkConfig(workspace.dsConfigText.empty() ? workspace.dsConfig.dump() : workspace.dsConfigText, context);
    return answer.hasValue() && !answer->parseOk;
}

}  // namespace

std::vector<std::string> curveValues(const CatalogKey& key, const std::string& now, const std::string& byDefault)
{
    std::vector<std::string> values;
    switch (key.types.front()) {
    case KeyType::Bool: return {"false", "true"};
    case KeyType::Enum: return key.values.size() <= 8 ? key.values : std::vector<std::string>();
    case KeyType::Int:
    case KeyType::Float: break;
    default: return {};
    }
    const auto number = nlohmann::json::parse(now.empty() ? byDefault : now, nullptr, false);
    if (!number.is_number() || !(number.get<double>() > 0) || !(number.get<double>() < 1e15))
        return {};
    const bool whole = key.types.front() == KeyType::Int;
    for (int power = -kEachSide; power <= kEachSide; ++power) {
        const double value = number.get<double>() * std::pow(2.0, power);
        if ((whole && value != std::floor(value)) || (key.min && value < *key.min) || (key.max && value > *key.max))
            continue;
        values.push_back(power == 0 && !now.empty() ? now : spelled(value));
    }
    return values.size() > 1 ? values : std::vector<std::string>();
}

KeyCurve curveOf(const std::string& text, const std::filesystem::path& folder, const std::string& pointer, const std::vector<std::string>& values, const std::string& now, const std::string& release)
{
    KeyCurve curve;
    curve.pointer = QString::fromStdString(pointer);
    for (const std::string& value : values) {
        // A value with which nothing runs has no memory and no time to show.
        const auto workspace = parseWorkspace(withValue(text, "/dsConfig" + pointer, value), folder);
        if (!workspace.hasValue() || isRefused(*workspace, release))
            continue;
        const auto plan = makePlan(*workspace, machineContext());
        const double memory = plan.hasValue() ? static_cast<double>(peakBytes(*plan)) : 0;
        const double time = plan.hasValue() && plan->forecast ? plan->forecast->stepTime : 0;
        if (memory <= 0 && time <= 0)
            continue;
        if (value == now)
            curve.now = static_cast<int>(curve.values.size());
        curve.values << wordOf(QByteArray::fromStdString(value));
        curve.memory.push_back(memory);
        curve.time.push_back(time);
    }
    if (curve.values.size() < 2)  // nothing to compare
        return {curve.pointer, {}, {}, {}, -1};
    return curve;
}

void KeyCurveService::request(const std::string& text, const std::filesystem::path& folder, const QString& pointer, const std::string& release)
{
    const quint64 job = ++m_wanted;
    const KeyCatalog& catalog = KeyCatalog::standard();
    const int id = pointer.isEmpty() ? -1 : catalog.find(pointer.toStdString());
    std::string now;
    if (const auto document = JsonDocument::parse(id < 0 ? std::string("{}") : text); id >= 0 && document.hasValue())
        if (const int node = document->find("/dsConfig" + pointer.toStdString()); node >= 0)
            now = std::string(document->spelling(node));
    const std::string byDefault = id < 0 ? std::string() : defaultIn(catalog.key(id), release);
    const std::vector<std::string> values = id < 0 ? std::vector<std::string>() : curveValues(catalog.key(id), now, byDefault);
    if (values.empty()) {
        emit ready({pointer, {}, {}, {}, -1});
        return;
    }
    if (now.empty())
        now = byDefault;
    const QPointer<KeyCurveService> self(this);
    QThreadPool::globalInstance()->start(
        [self, job, text, folder, at = pointer.toStdString(), values, now, release] {
            const KeyCurve curve = curveOf(text, folder, at, values, now, release);
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [self, job, curve] {
                    if (self && job == self->m_wanted)
                        emit self->ready(curve);
                },
                Qt::QueuedConnection);
        },
        -1);  // behind the plan itself
}

}  // namespace stagecraft::app
