// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_service.h"

#include <QString>
#include <QWidget>

#include <array>
#include <functional>
#include <optional>
#include <string>

class QCheckBox;
class QComboBox;
class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

class ChoiceList;
class NumberRow;
class TrainedChoice;

/// The model of a plan: a preset, a Hugging Face config.json, own sizes or a number of parameters; its sequence; adapters beside it.
class ModelChoice : public QWidget {
    Q_OBJECT
public:
    enum Source { Presets, HuggingFace, Sizes, Count };
    enum Size { Hidden, Layers, Heads, KvHeads, HeadSize, Ffn, Vocab, SizeCount };

    /// Puts a "model" section, one value, or fields of an adapter into the workspace; no adapter where the text is empty. @return why it is refused, in the window's language; empty when it is done
    using Take = std::function<QString(const std::string& json, const QString& name)>;

    /// @param takeFreeze  takes the section "freeze", or none where the text is empty
    ModelChoice(Take takeModel, Take takeSequence, Take takeAdapter, Take takeFreeze, QWidget* parent);

    /// Shows what the plan's workspace says. @param follow  the source of the model becomes the shown one as well
    void show(const PlanSet& plan, bool follow);
    void setSource(Source source);
    /// A folder with a config.json, or that file.
    QString takeFolder(const QString& path);
    [[nodiscard]] ChoiceList* presets() const { return m_presets; }
    [[nodiscard]] QComboBox* source() const { return m_source; }
    [[nodiscard]] NumberRow* sizeRow(Size which) const { return m_sizes.at(static_cast<std::size_t>(which)); }
    /// Says that the arguments of a framework describe the model; empty and hidden where they do not.
    [[nodiscard]] ToneLabel* described() const { return m_described; }
    [[nodiscard]] NumberRow* parameters() const { return m_parameters; }
    [[nodiscard]] NumberRow* sequence() const { return m_sequence; }
    [[nodiscard]] QComboBox* adapter() const { return m_adapter; }
    [[nodiscard]] NumberRow* rank() const { return m_rank; }
    [[nodiscard]] QComboBox* targets() const { return m_targets; }
    [[nodiscard]] TrainedChoice* trained() const { return m_trained; }
    void retranslate();

signals:
    void sourceChanged();

private:
    QWidget* makeHuggingFace();
    QWidget* makeSizes();
    QWidget* makeFoot();
    void askForFolder(bool file);
    void enterSizes(int changed);
    /// @param field  of the adapter, the one that was entered: what else the section says stays as it is
    void enterAdapter(const char* field);
    void showSizes();
    void showFamily();

    Take m_takeModel, m_takeSequence, m_takeAdapter;
    QComboBox* m_source;
    QStackedWidget* m_stack;
    ChoiceList* m_presets;
    ToneLabel* m_sourceName;
    ToneLabel* m_described = nullptr;
    ToneLabel* m_folder = nullptr;
    ToneLabel* m_facts = nullptr;
    ToneLabel* m_folderProblem = nullptr;
    QPushButton* m_pickFolder = nullptr;
    QPushButton* m_pickFile = nullptr;
    ToneLabel* m_familyName = nullptr;
    QComboBox* m_family = nullptr;
    QCheckBox* m_tied = nullptr;
    std::array<NumberRow*, SizeCount> m_sizes{};
    NumberRow* m_parameters = nullptr;
    ToneLabel* m_parametersNote = nullptr;
    QWidget* m_adapterPart = nullptr;
    NumberRow* m_sequence = nullptr;
    ToneLabel* m_adapterName = nullptr;
    QComboBox* m_adapter = nullptr;
    NumberRow* m_rank = nullptr;
    ToneLabel* m_targetsName = nullptr;
    QComboBox* m_targets = nullptr;
    TrainedChoice* m_trained = nullptr;
    std::string m_model;      ///< what is shown: the "model" section, and arguments that describe a model
    std::string m_section;    ///< the "model" section alone, as JSON
    std::optional<ModelSpec> m_spec;   ///< all its sizes, where they are known
    std::int64_t m_seq = 0;
};

}  // namespace stagecraft::app
