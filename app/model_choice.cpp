// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_choice.h"

#include "app/choice_list.h"
#include "app/choice_row.h"
#include "app/core_errors.h"
#include "app/formats.h"
#include "app/number_row.h"
#include "app/subject_edits.h"
#include "app/trained_choice.h"
#include "app/what_if.h"
#include "base/json_text.h"
#include "planner/behaviour.h"
#include "widgets/step_name.h"
#include "widgets/tone_label.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <cmath>

namespace stagecraft::app {

using nlohmann::json;
using theme::Role;
using theme::Token;

namespace {

constexpr int kTied = -2;   ///< of enterSizes(): the output's tie to the embedding was changed
constexpr std::array<const char*, ModelChoice::SizeCount> kSizeKeys{"hidden", "layers", "heads", "kvHeads", "headSize", "ffn", "vocab"};
constexpr double kMostTokens = 1 << 28;   // as the workspace reads it
constexpr double kMostParameters = 1e16;  // as the planner counts

/// What a model has beside the sizes of this panel, as the "model" section says it: a preset whose sizes are changed keeps it.
json fieldsBeside(const ModelSpec& spec)
{
    const ModelSpec usual;
    json fields{{"family", familyName(spec.family)}};
    const auto keep = [&fields](const char* key, const auto& value, const auto& otherwise) {
        if (value != otherwise)
            fields[key] = value;
    };
    keep("normEps", spec.normEps, usual.normEps);
    keep("initStd", spec.initStd, usual.initStd);
    keep("attentionDropout", spec.attentionDropout, usual.attentionDropout);
    if (spec.family == Family::Gpt2) {
        keep("positions", spec.positions, spec.seq);
        keep("embeddingDropout", spec.embeddingDropout, usual.embeddingDropout);
        keep("residualDropout", spec.residualDropout, usual.residualDropout);
    } else {
        keep("attentionBias", spec.attentionBias, usual.attentionBias);
        keep("mlpBias", spec.mlpBias, usual.mlpBias);
        keep("ropeTheta", spec.ropeTheta, usual.ropeTheta);
    }
    return fields;
}

/// The sizes of the model that is planned: of the framework's arguments where these describe one.
std::optional<ModelSpec> plannedSizes(const PlanSet& plan)
{
    if (!plan.workspace || !modelIsInArguments(*plan.workspace))
        return plan.workspace ? plan.workspace->model.spec : std::nullopt;
    if (!plan.job || plan.job->model.experts > 0)
        return std::nullopt;
    const ModelShape& m = plan.job->model;
    ModelSpec spec;
    spec.family = m.gated ? Family::Llama : Family::Gpt2;
    spec.hidden = m.hidden;
    spec.layers = m.layers;
    spec.heads = m.heads;
    spec.kvHeads = m.kvHeads;
    spec.headSize = m.headSize;
    spec.ffn = m.ffn;
    spec.vocab = m.vocab;
    spec.seq = spec.positions = m.seq;
    spec.tieEmbeddings = m.tied;
    spec.attentionBias = spec.mlpBias = m.gated && plan.job->biases;
    return spec;
}

/// Scrolls where a low window has no room for all fields.
QScrollArea* scrolled(QWidget* content, QWidget* parent)
{
    auto* area = new QScrollArea(parent);
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return area;
}

}  // namespace

ModelChoice::ModelChoice(Take takeModel, Take takeSequence, Take takeAdapter, Take takeFreeze, QWidget* parent)
    : QWidget(parent), m_takeModel(std::move(takeModel)), m_takeSequence(std::move(takeSequence)), m_takeAdapter(std::move(takeAdapter)), m_source(new QComboBox),
      m_stack(new QStackedWidget(this)), m_presets(new ChoiceList), m_sourceName(new ToneLabel(Role::Body, Token::Text))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 8, 0, 0);
    column->setSpacing(0);
    column->addWidget(choiceRow(m_sourceName, m_source, this));
    m_described = new ToneLabel(Role::Small, Token::Text2, this);
    m_described->setWordWrap(true);
    m_described->setContentsMargins(12, 4, 12, 4);
    m_described->hide();
    column->addWidget(m_described);
    m_source->setObjectName(QStringLiteral("modelSource"));
    m_source->addItems({QString(), QString(), QString(), QString()});
    m_presets->setObjectName(QStringLiteral("modelPresets"));
    m_stack->addWidget(m_presets);
    m_stack->addWidget(makeHuggingFace());
    m_stack->addWidget(scrolled(makeSizes(), m_stack));
    auto* countPage = new QWidget;
    auto* countColumn = new QVBoxLayout(countPage);
    countColumn->setContentsMargins(0, 8, 0, 8);
    m_parameters = new NumberRow(1, kMostParameters, false, countPage);
    m_parameters->setObjectName(QStringLiteral("parameterCount"));
    countColumn->addWidget(m_parameters);
    m_parametersNote = new ToneLabel(Role::Small, Token::Text2, countPage);
    m_parametersNote->setWordWrap(true);
    m_parametersNote->setContentsMargins(12, 4, 12, 0);
    countColumn->addWidget(m_parametersNote);
    countColumn->addStretch(1);
    m_stack->addWidget(countPage);
    column->addWidget(m_stack, 1);
    m_trained = new TrainedChoice(m_takeAdapter, std::move(takeFreeze), this);
    column->addWidget(makeFoot());
    connect(m_source, &QComboBox::activated, this, [this](int index) { setSource(static_cast<Source>(index)); });
    connect(m_presets, &ChoiceList::chosen, this, [this](const QString& id) { (void)m_takeModel(json{{"preset", id.toStdString()}}.dump(), stepName([id] { return tr("Model → %1").arg(id); })); });
    connect(m_parameters, &NumberRow::entered, this, [this](double value) {
        const json number = value < 9e15 && value == std::floor(value) ? json(static_cast<std::int64_t>(value)) : json(value);
        m_parameters->setComplaint(m_takeModel(json{{"params", number}}.dump(), stepName([value] { return tr("Model → %1 parameters").arg(shortCount(value)); })));
    });
    retranslate();
}

QWidget* ModelChoice::makeHuggingFace()
{
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(8);
    m_folder = new ToneLabel(Role::Body, Token::Text, page);
    m_facts = new ToneLabel(Role::Small, Token::Text2, page);
    m_folderProblem = new ToneLabel(Role::Small, Token::Error, page);
    m_pickFolder = new QPushButton(page);
    m_pickFolder->setObjectName(QStringLiteral("pickModelFolder"));
    m_pickFile = new QPushButton(page);
    m_pickFile->setObjectName(QStringLiteral("pickModelFile"));
    auto* buttons = new QVBoxLayout;   // a narrow panel has no room for one beside the other
    buttons->setSpacing(8);
    buttons->addWidget(m_pickFolder, 0, Qt::AlignLeft);
    buttons->addWidget(m_pickFile, 0, Qt::AlignLeft);
    for (ToneLabel* label : {m_folder, m_facts, m_folderProblem})
        label->setWordWrap(true);
    m_folderProblem->hide();
    column->addLayout(buttons);
    column->addWidget(m_folderProblem);
    column->addWidget(m_folder);
    column->addWidget(m_facts);
    column->addStretch(1);
    connect(m_pickFolder, &QPushButton::clicked, this, [this] { askForFolder(false); });
    connect(m_pickFile, &QPushButton::clicked, this, [this] { askForFolder(true); });
    return page;
}

QWidget* ModelChoice::makeSizes()
{
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 8, 0, 8);
    column->setSpacing(0);
    m_familyName = new ToneLabel(Role::Body, Token::Text);
    m_family = new QComboBox;
    m_family->setObjectName(QStringLiteral("modelFamily"));
    m_family->addItem(QStringLiteral("LLaMA"), QStringLiteral("llama"));
    m_family->addItem(QStringLiteral("GPT-2"), QStringLiteral("gpt2"));
    column->addWidget(choiceRow(m_familyName, m_family, page));
    constexpr std::array<double, SizeCount> kMost{1 << 20, 10'000, 1 << 20, 1 << 20, 1 << 14, 1 << 24, kMostTokens};   // as the workspace reads them
    for (int i = 0; i < SizeCount; ++i) {
        auto* row = new NumberRow(1, kMost.at(static_cast<std::size_t>(i)), true, page);
        row->setObjectName(QString::fromLatin1(kSizeKeys.at(static_cast<std::size_t>(i))));
        m_sizes.at(static_cast<std::size_t>(i)) = row;
        column->addWidget(row);
        connect(row, &NumberRow::entered, this, [this, i] { enterSizes(i); });
    }
    m_tied = new QCheckBox(page);
    auto* tied = new QHBoxLayout;
    tied->setContentsMargins(12, 4, 12, 2);
    tied->addWidget(m_tied);
    column->addLayout(tied);
    column->addStretch(1);
    connect(m_family, &QComboBox::activated, this, [this] {
        m_tied->setChecked(m_family->currentData() == QLatin1String("gpt2"));
        showFamily();
        enterSizes(-1);
    });
    connect(m_tied, &QCheckBox::clicked, this, [this] { enterSizes(kTied); });
    return page;
}

QWidget* ModelChoice::makeFoot()
{
    auto* foot = new QWidget(this);
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(0, 6, 0, 6);
    column->setSpacing(0);
    m_sequence = new NumberRow(1, kMostTokens, true, foot);
    m_sequence->setObjectName(QStringLiteral("sequence"));
    column->addWidget(m_sequence);
    m_adapterPart = new QWidget(foot);
    auto* part = new QVBoxLayout(m_adapterPart);
    part->setContentsMargins(0, 0, 0, 0);
    part->setSpacing(0);
    m_adapterName = new ToneLabel(Role::Body, Token::Text);
    m_adapter = new QComboBox;
    m_adapter->setObjectName(QStringLiteral("adapter"));
    for (const char* base : {"", "16bit", "nf4", "int8"})
        m_adapter->addItem(QString(), QString::fromLatin1(base));
    part->addWidget(choiceRow(m_adapterName, m_adapter, m_adapterPart));
    m_rank = new NumberRow(1, 1 << 16, true, m_adapterPart);
    m_rank->setObjectName(QStringLiteral("adapterRank"));
    part->addWidget(m_rank);
    m_targetsName = new ToneLabel(Role::Body, Token::Text);
    m_targets = new QComboBox;
    m_targets->setObjectName(QStringLiteral("adapterTargets"));
    for (const char* target : {"all-linear", "attention", "mlp", "default"})
        m_targets->addItem(QString(), QString::fromLatin1(target));
    part->addWidget(choiceRow(m_targetsName, m_targets, m_adapterPart));
    part->addWidget(m_trained);
    column->addWidget(m_adapterPart);
    connect(m_sequence, &NumberRow::entered, this, [this](double value) {
        const auto tokens = static_cast<std::int64_t>(value);
        m_sequence->setComplaint(m_takeSequence(std::to_string(tokens), stepName([before = m_seq, tokens] { return tr("Sequence %1 → %2").arg(before).arg(tokens); })));
    });
    connect(m_adapter, &QComboBox::activated, this, [this] { enterAdapter("base"); });
    connect(m_targets, &QComboBox::activated, this, [this] { enterAdapter("targets"); });
    connect(m_rank, &NumberRow::entered, this, [this] { enterAdapter("rank"); });
    return foot;
}

void ModelChoice::setSource(Source source)
{
    m_source->setCurrentIndex(source);
    m_stack->setCurrentIndex(source);
    emit sourceChanged();
}

void ModelChoice::askForFolder(bool file)
{
    auto* dialog = new QFileDialog(window(), file ? tr("Choose the config.json of a model") : tr("Choose the folder of a Hugging Face model"));
    dialog->setObjectName(QStringLiteral("modelDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (file) {
        dialog->setFileMode(QFileDialog::ExistingFile);
        dialog->setNameFilters({QStringLiteral("config.json (config.json)")});
    } else {
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
    }
    connect(dialog, &QFileDialog::fileSelected, this, &ModelChoice::takeFolder);
    dialog->open();
}

QString ModelChoice::takeFolder(const QString& path)
{
    const QFileInfo info(path);
    const QString folder = info.isDir() ? info.absoluteFilePath() : info.absolutePath();
    const QString why = !info.isDir() && info.fileName() != QLatin1String("config.json") ? tr("A workspace names the folder of a model: the file in it must be called config.json.")
                                                                                         : m_takeModel(json{{"hf", folder.toStdString()}}.dump(), stepName([last = QFileInfo(folder).fileName()] { return tr("Model → %1").arg(last); }));
    m_folderProblem->setText(why);
    m_folderProblem->setVisible(!why.isEmpty());
    return why;
}

void ModelChoice::enterSizes(int changed)
{
    for (NumberRow* row : m_sizes)
        row->setComplaint({});
    const bool gpt2 = m_family->currentData() == QLatin1String("gpt2");
    const auto parsed = parseJson(m_section);
    const json now = parsed.hasValue() && parsed->is_object() ? *parsed : json::object();
    // What this panel does not show stays, of own sizes as of a preset's; nothing of it holds for another family.
    const std::string family = gpt2 ? "gpt2" : "llama";
    const bool own = now.contains("family") && now["family"] == family;
    json model = own ? now : m_spec && familyName(m_spec->family) == family ? fieldsBeside(*m_spec) : json{{"family", family}};
    model["seq"] = m_seq > 0 ? m_seq : 2048;
    for (const char* beside : {"adapter", "freeze"})
        if (now.contains(beside))
            model[beside] = now[beside];
    // What is shown of a key that nobody gave follows from the other sizes, and goes on doing so.
    const auto follows = [&](const char* key, bool touched) { return own && !now.contains(key) && !touched; };
    if (!follows("tieEmbeddings", changed == kTied))
        model["tieEmbeddings"] = m_tied->isChecked();
    QStringList named;
    for (int i = 0; i < SizeCount; ++i) {
        const char* key = kSizeKeys.at(static_cast<std::size_t>(i));
        // A head size that is hidden / heads is not shown, and stays as it is written.
        if (i == HeadSize && m_sizes.at(HeadSize)->isHidden())
            continue;
        model.erase(key);
        if (gpt2 && i == KvHeads)
            continue;
        const bool derived = i == KvHeads || i == HeadSize || i == Ffn;
        if (derived && follows(key, i == changed || m_sizes.at(static_cast<std::size_t>(i))->field()->isModified()))
            continue;
        const auto value = readCount(m_sizes.at(static_cast<std::size_t>(i))->field()->text());
        if (value)
            model[key] = static_cast<std::int64_t>(*value);
        else if (i != KvHeads && i != HeadSize && !(gpt2 && i == Ffn))
            return;   // not all there yet: no model to plan
    }
    QString name = stepName([] { return tr("Model → own sizes"); });
    if (changed >= 0 && now.contains("family")) {
        const char* key = kSizeKeys.at(static_cast<std::size_t>(changed));
        name = QStringLiteral("%1 → %2").arg(QLatin1String(key), QString::fromStdString(model.value(key, json()).dump()));   // not by [], which would add it
    }
    const QString why = m_takeModel(model.dump(), name);
    if (why.isEmpty())
        return;
    // The reason stands at the size it is about.
    NumberRow* at = m_sizes.at(changed >= 0 ? static_cast<std::size_t>(changed) : 0);
    for (int i = 0; i < SizeCount; ++i)
        if (why.contains(QRegularExpression(QStringLiteral("model\\.%1\\b").arg(QLatin1String(kSizeKeys.at(static_cast<std::size_t>(i)))))) && !m_sizes.at(static_cast<std::size_t>(i))->isHidden())
            at = m_sizes.at(static_cast<std::size_t>(i));
    at->setComplaint(why);
}

void ModelChoice::enterAdapter(const char* field)
{
    const QString base = m_adapter->currentData().toString();
    if (base.isEmpty()) {
        (void)m_takeAdapter({}, stepName([] { return tr("Adapter → none"); }));
        return;
    }
    const auto rank = static_cast<std::int64_t>(readCount(m_rank->field()->text()).value_or(16));
    json adapter{{"rank", rank}, {"targets", m_targets->currentData().toString().toStdString()}, {"base", base.toStdString()}};
    const auto section = parseJson(m_section);
    if (section.hasValue() && section->is_object() && section->contains("adapter") && (*section)["adapter"].is_object())
        adapter = json{{field, adapter[field]}};
    m_rank->setComplaint(m_takeAdapter(adapter.dump(), stepName([base = m_adapter->currentText(), rank] { return tr("Adapter → %1, rank %2").arg(base).arg(rank); })));
}

void ModelChoice::show(const PlanSet& plan, bool follow)
{
    const json* model = nullptr;
    if (plan.workspace && plan.workspace->document.contains("model"))
        model = &plan.workspace->document["model"];
    const bool described = plan.workspace && modelIsInArguments(*plan.workspace);
    // The arguments' model is no part of the section, and is shown anew when they change.
    const std::string text = (model ? model->dump() : std::string()) + (described ? plan.workspace->framework.arguments.dump() : std::string());
    const bool changed = text != m_model;
    m_model = text;
    m_section = model ? model->dump() : std::string();
    m_spec = plannedSizes(plan);
    const ModelSection* section = plan.workspace ? &plan.workspace->model : nullptr;
    const auto form = section ? section->form : ModelSection::Form::Preset;
    if (section && (changed || follow))
        setSource(form == ModelSection::Form::Preset ? Presets : form == ModelSection::Form::HuggingFace ? HuggingFace : form == ModelSection::Form::Fields ? Sizes : Count);
    m_presets->setCurrent(section && !described ? QString::fromStdString(section->preset) : QString());
    m_described->setVisible(described);
    const QString sizes = described && plan.job ? tr("%1 layers, hidden %2").arg(count(plan.job->model.layers), count(plan.job->model.hidden)) : QString();
    const QString planned = plan.plan && plan.plan->params ? tr("%1 parameters").arg(count(*plan.plan->params)) : QString();
    m_described->setText(described ? tr("Megatron’s arguments describe the model that is planned: %1. A model chosen here takes its place.").arg(QStringList{sizes, planned}.join(QStringLiteral(" · "))) : QString());
    m_folder->setText(form == ModelSection::Form::HuggingFace ? QDir::toNativeSeparators(QString::fromStdString(section->huggingFaceFolder.string()))
                                                              : tr("Choose a folder with a config.json, as save_pretrained writes it, or drop one on the window. Weights are not needed."));
    QStringList facts;
    if (form == ModelSection::Form::HuggingFace && plan.plan && plan.plan->params)
        facts << tr("%1 parameters").arg(count(*plan.plan->params));
    if (form == ModelSection::Form::HuggingFace && plan.shape && plan.shape->isKnown())
        facts << tr("%1 layers, hidden %2").arg(count(plan.shape->layers), count(plan.shape->hidden));
    m_facts->setText(facts.join(QStringLiteral(" · ")));
    if (changed) {
        m_folderProblem->hide();
        showSizes();
    }
    m_parameters->setShown(form == ModelSection::Form::ParameterCount ? section->parameterCount < 9e15 ? count(static_cast<std::int64_t>(section->parameterCount)) : QString::number(section->parameterCount) : QString());
    m_seq = plannedSequence(plan).value_or(0);
    m_sequence->setShown(m_seq > 0 ? count(m_seq) : QString());
    m_sequence->setVisible(form != ModelSection::Form::ParameterCount || described);
    const bool adapted = section && section->adapter;
    m_adapterPart->setVisible(adapted || (section && form != ModelSection::Form::ParameterCount && (plan.workspace->framework.name == "deepspeed" || plan.workspace->framework.name == "fsdp2")) || (section && section->freeze));
    m_adapter->setCurrentIndex(adapted ? 1 + static_cast<int>(section->adapter->base) : 0);
    m_rank->setShown(adapted ? count(section->adapter->rank) : QString());
    const bool byName = adapted && !section->adapter->modules.empty();
    m_targets->setCurrentIndex(byName ? -1 : !adapted || section->adapter->usual ? (adapted ? 3 : 0) : section->adapter->attention && section->adapter->mlp ? 0 : section->adapter->attention ? 1 : 2);
    if (section)
        m_trained->show(*section);
    m_rank->setVisible(adapted);
    m_targets->parentWidget()->setVisible(adapted);
}

void ModelChoice::showSizes()
{
    const ModelSpec* spec = m_spec ? &*m_spec : nullptr;
    const std::array<std::int64_t, SizeCount> sizes = spec ? std::array<std::int64_t, SizeCount>{spec->hidden, spec->layers, spec->heads, spec->kvHeads, spec->headSize, spec->ffn, spec->vocab} : std::array<std::int64_t, SizeCount>{};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        m_sizes[i]->field()->setModified(false);
        m_sizes[i]->setShown(sizes[i] > 0 ? count(sizes[i]) : QString());
    }
    if (spec) {
        m_family->setCurrentIndex(m_family->findData(QLatin1String(familyName(spec->family))));
        m_tied->setChecked(spec->tieEmbeddings);
    }
    showFamily();
}

void ModelChoice::showFamily()
{
    const bool llama = m_family->currentData() == QLatin1String("llama");
    m_sizes[KvHeads]->setVisible(llama);
    m_sizes[HeadSize]->setVisible(llama && m_spec && m_spec->family == Family::Llama && m_spec->headSize * m_spec->heads != m_spec->hidden);
}

void ModelChoice::retranslate()
{
    m_sourceName->setText(tr("Model from"));
    m_source->setAccessibleName(m_sourceName->text());
    nameItems(m_source, {tr("Preset"), tr("Hugging Face"), tr("Own sizes"), tr("Parameter count")});
    m_presets->setNames(tr("Models"), tr("Search models"));
    // By family, as they are sorted.
    std::vector<ChoiceList::Group> groups;
    for (const ModelPreset& preset : modelPresets()) {
        if (groups.empty() || groups.back().title != preset.family)
            groups.push_back({preset.family, {}});
        groups.back().rows.push_back({QString::fromStdString(preset.id), QString::fromStdString(preset.id), tr("%1 parameters · %2 layers · hidden %3").arg(count(preset.params), count(preset.layers), count(preset.hidden)),
                                      shortCount(static_cast<double>(preset.params))});
    }
    m_presets->setGroups(groups);
    m_pickFolder->setText(tr("Choose folder…"));
    m_pickFile->setText(tr("Choose config.json…"));
    m_familyName->setText(tr("Family"));
    m_family->setAccessibleName(m_familyName->text());
    m_family->setToolTip(tr("What the layers are made of"));
    const std::array names{tr("Hidden size"), tr("Layers"), tr("Heads"), tr("Key-value heads"), tr("Head size"), tr("MLP width"), tr("Vocabulary")};
    for (std::size_t i = 0; i < names.size(); ++i)
        m_sizes[i]->setName(names[i], {}, QLatin1String(kSizeKeys[i]));
    m_tied->setText(tr("Output tied to the embedding"));
    m_parameters->setName(tr("Parameters"), {}, tr("7B, 1.3e9 and 500M are read"));
    m_parametersNote->setText(tr("The ledger then has model states alone: activations and time need the sizes of the model."));
    m_sequence->setName(tr("Sequence"), tr("tokens"));
    m_adapterName->setText(tr("Adapter"));
    m_adapter->setAccessibleName(m_adapterName->text());
    m_adapter->setToolTip(tr("Low-rank adapters beside frozen weights"));
    nameItems(m_adapter, {tr("none"), tr("LoRA, 16-bit base"), tr("QLoRA, NF4 base"), tr("LoRA, int8 base")});
    m_rank->setName(tr("Adapter rank"), {});
    m_targetsName->setText(tr("Adapters on"));
    m_targets->setAccessibleName(m_targetsName->text());
    nameItems(m_targets, {tr("all linear layers"), tr("attention"), tr("MLP"), tr("as PEFT by default")});
    m_trained->retranslate();
}

}  // namespace stagecraft::app
