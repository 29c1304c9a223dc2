// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/trained_choice.h"

#include "app/formats.h"
#include "app/name_row.h"
#include "app/number_row.h"
#include "widgets/step_name.h"

#include <nlohmann/json.hpp>

#include <QVBoxLayout>

namespace stagecraft::app {

using nlohmann::json;

namespace {

constexpr double kMostLayers = 10'000;   // as the workspace reads it
const QString kTables = QStringLiteral("embeddings");

json namesOf(const QStringList& words)
{
    json names = json::array();
    for (const QString& word : words)
        names.push_back(word.toStdString());
    return names;
}

QStringList shown(const std::vector<std::string>& names)
{
    QStringList words;
    for (const std::string& name : names)
        words << QString::fromStdString(name);
    return words;
}

}  // namespace

TrainedChoice::TrainedChoice(Take takeAdapter, Take takeFreeze, QWidget* parent)
    : QWidget(parent), m_takeAdapter(std::move(takeAdapter)), m_takeFreeze(std::move(takeFreeze)), m_modules(new NameRow(this)), m_copies(new NameRow(this)), m_dropout(new NumberRow(0, 1, false, this)), m_layers(new NumberRow(0, kMostLayers, true, this)), m_frozen(new NameRow(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_modules->setObjectName(QStringLiteral("adapterModules"));
    m_copies->setObjectName(QStringLiteral("adapterCopies"));
    m_dropout->setObjectName(QStringLiteral("adapterDropout"));
    m_layers->setObjectName(QStringLiteral("frozenLayers"));
    m_frozen->setObjectName(QStringLiteral("frozenModules"));
    for (QWidget* row : {static_cast<QWidget*>(m_modules), static_cast<QWidget*>(m_copies), static_cast<QWidget*>(m_dropout), static_cast<QWidget*>(m_layers), static_cast<QWidget*>(m_frozen)})
        column->addWidget(row);
    connect(m_modules, &NameRow::entered, this, [this](const QStringList& words) {
        const json targets = words.isEmpty() ? json("all-linear") : namesOf(words);
        m_modules->setComplaint(m_takeAdapter(json{{"targets", targets}}.dump(), words.isEmpty() ? stepName([] { return tr("Adapters on all linear layers"); }) : stepName([words] { return tr("Adapters on %1").arg(words.join(QStringLiteral(", "))); })));
    });
    connect(m_copies, &NameRow::entered, this, [this](const QStringList& words) {
        m_copies->setComplaint(m_takeAdapter(json{{"modulesToSave", namesOf(words)}}.dump(), words.isEmpty() ? stepName([] { return tr("Trained copies → none"); }) : stepName([words] { return tr("Trained copies → %1").arg(words.join(QStringLiteral(", "))); })));
    });
    connect(m_dropout, &NumberRow::entered, this, [this](double value) {
        m_dropout->setComplaint(m_takeAdapter(json{{"dropout", value}}.dump(), stepName([value] { return tr("Adapter dropout → %1").arg(value); })));
    });
    connect(m_layers, &NumberRow::entered, this, [this](double value) {
        FreezeSection freeze = m_freeze;
        freeze.firstLayers = static_cast<std::int64_t>(value);
        enterFreeze(std::move(freeze), true);
    });
    connect(m_frozen, &NameRow::entered, this, [this](const QStringList& words) {
        FreezeSection freeze = m_freeze;
        freeze.embeddings = words.contains(kTables);
        freeze.modules.clear();
        for (const QString& word : words)
            if (word != kTables)
                freeze.modules.push_back(word.toStdString());
        enterFreeze(std::move(freeze), false);
    });
    retranslate();
}

void TrainedChoice::enterFreeze(FreezeSection freeze, bool layers)
{
    json section = json::object();
    if (freeze.embeddings)
        section["embeddings"] = true;
    if (freeze.firstLayers > 0)
        section["firstLayers"] = freeze.firstLayers;
    if (!freeze.modules.empty())
        section["modules"] = freeze.modules;
    const QString why = m_takeFreeze(section.empty() ? std::string() : section.dump(), section.empty() ? stepName([] { return tr("Frozen parts → none"); }) : stepName([] { return tr("Frozen parts → other"); }));
    layers ? m_layers->setComplaint(why) : m_frozen->setComplaint(why);
}

void TrainedChoice::show(const ModelSection& section)
{
    const bool adapted = section.adapter.has_value();
    m_freeze = section.freeze.value_or(FreezeSection{});
    m_modules->setVisible(adapted);
    m_copies->setVisible(adapted);
    m_dropout->setVisible(adapted);
    m_layers->setVisible(!adapted);
    m_frozen->setVisible(!adapted);
    m_modules->setShown(adapted ? shown(section.adapter->modules) : QStringList());
    m_copies->setShown(adapted ? shown(section.adapter->modulesToSave) : QStringList());
    m_dropout->setShown(adapted ? QString::number(section.adapter->dropout) : QString());
    m_layers->setShown(count(m_freeze.firstLayers));
    QStringList frozen = shown(m_freeze.modules);
    if (m_freeze.embeddings)
        frozen.prepend(kTables);
    m_frozen->setShown(frozen);
}

void TrainedChoice::retranslate()
{
    m_modules->setName(tr("Adapted modules"), QStringLiteral("q_proj, v_proj"), tr("Names of the linear layers and embeddings that have adapters, between commas, matched as PEFT does; empty for the choice above"));
    m_copies->setName(tr("Trained copies"), QStringLiteral("embed_tokens, lm_head"), tr("Modules of which a copy is trained as a whole beside the adapters (modules_to_save in PEFT)"));
    m_dropout->setName(tr("Adapter dropout"), {}, tr("Share of each adapted module's input that is dropped before its adapter (lora_dropout in PEFT)"));
    m_layers->setName(tr("Frozen first layers"), {}, tr("Layers, counted from the first, in which nothing is trained"));
    m_frozen->setName(tr("Frozen modules"), QStringLiteral("embeddings, lm_head"), tr("Names of modules or parameters that are not trained, between commas; \"embeddings\" stands for all tables"));
}

}  // namespace stagecraft::app
