// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/plan_service.h"
#include "app/subject_edits.h"

#include <QString>
#include <QWidget>

#include <functional>

class QPushButton;

namespace stagecraft {
class ToneLabel;
struct DeviceSheet;
}

namespace stagecraft::app {

class ChoiceList;
class NumberRow;

/// A device in one line: its usable memory, its peak, its link.
[[nodiscard]] QString factsOf(const DeviceSheet& sheet);

/// The hardware of a plan: a device of the data sheets or this machine's CPU, how many a node has, how many nodes.
class HardwareChoicePage : public QWidget {
    Q_OBJECT
public:
    /// @return why it is refused, in the window's language; empty when it is done
    using Take = std::function<QString(const HardwareChoice& choice)>;
    /// The memory of one node's host as JSON, in GiB; empty = no longer said.
    using TakeHost = std::function<QString(const std::string& json, const QString& name)>;

    HardwareChoicePage(Take take, TakeHost takeHost, QWidget* parent);

    /// @param assumed  nobody chose the hardware: entered as it stands, it is chosen
    void show(const PlanSet& plan, bool assumed);
    void retranslate();
    /// The data sheets of all devices, in a dialog of the window. @param device  whose comes first; empty = the one that is chosen here
    void openSheets(const QString& device = {});
    /// What the plan has, with one part changed: what a row of the list would choose.
    [[nodiscard]] HardwareChoice withDevice(const std::string& device) const;
    /// The undo step's name.
    [[nodiscard]] static QString nameOf(const HardwareChoice& choice);
    [[nodiscard]] ChoiceList* devices() const { return m_devices; }
    [[nodiscard]] NumberRow* perNode() const { return m_perNode; }
    [[nodiscard]] NumberRow* nodes() const { return m_nodes; }
    [[nodiscard]] NumberRow* host() const { return m_host; }
    [[nodiscard]] QPushButton* sheets() const { return m_sheets; }

signals:
    /// A person's own data sheets have changed: what is planned with them is old.
    void sheetsChanged();

private:
    void enterCount(NumberRow* row, std::int64_t HardwareChoice::* part, double value);
    void enterHost(std::optional<double> gib);

    Take m_take;
    TakeHost m_takeHost;
    HardwareChoice m_now;
    QString m_hostNow;   ///< in GiB, as it is shown; empty = not said
    ChoiceList* m_devices;
    QPushButton* m_sheets;
    NumberRow* m_perNode;
    NumberRow* m_nodes;
    NumberRow* m_host;
    ToneLabel* m_ranks;
};

}  // namespace stagecraft::app
