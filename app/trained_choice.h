// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/workspace.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <string>

namespace stagecraft::app {

class NameRow;
class NumberRow;

/// What of the model is trained: the modules that have adapters, or what is frozen where there are none.
class TrainedChoice : public QWidget {
    Q_OBJECT
public:
    /// Takes fields of an adapter, or the section "freeze", empty = none. @return why it is refused; empty when it is done
    using Take = std::function<QString(const std::string& json, const QString& name)>;

    TrainedChoice(Take takeAdapter, Take takeFreeze, QWidget* parent);

    /// @param section  what the workspace says of its model
    void show(const ModelSection& section);
    [[nodiscard]] NameRow* modules() const { return m_modules; }
    [[nodiscard]] NameRow* copies() const { return m_copies; }
    [[nodiscard]] NumberRow* dropout() const { return m_dropout; }
    [[nodiscard]] NumberRow* frozenLayers() const { return m_layers; }
    [[nodiscard]] NameRow* frozen() const { return m_frozen; }
    void retranslate();

private:
    void enterFreeze(FreezeSection freeze, bool layers);

    Take m_takeAdapter, m_takeFreeze;
    FreezeSection m_freeze;
    NameRow* m_modules;
    NameRow* m_copies;
    NumberRow* m_dropout;
    NumberRow* m_layers;
    NameRow* m_frozen;
};

}  // namespace stagecraft::app
