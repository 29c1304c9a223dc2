// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/gradient_exchange.h"
#include "planner/redundancy.h"
#include "planner/traffic.h"
#include "widgets/inspector.h"

#include <QWidget>

#include <memory>
#include <optional>

class QComboBox;
class QSplitter;

namespace stagecraft {
class Panel;
class ToneLabel;
}  // namespace stagecraft

namespace stagecraft::app {

class FactTable;
struct PlanSet;

/// What a plan moves and keeps twice.
struct TrafficFacts {
    std::optional<Traffic> traffic;
    std::optional<Redundancy> redundancy;
    std::optional<GradientExchange> exchange;   ///< over every link that is known
};
/// The functions that `stagecraft plan` prints from, with what is known of this machine. Any thread.
[[nodiscard]] TrafficFacts trafficFacts(const PlanSet& plan);

/// What a step moves, by kind, group and link; how much of the model states is there more than once; and how long one exchange of
/// gradients takes over links of one's choice.
class TrafficView : public QWidget {
    Q_OBJECT
public:
    explicit TrafficView(QWidget* parent);

    /// Counted off the GUI thread, and only while it is seen.
    void setPlan(const std::shared_ptr<const PlanSet>& plan);
    void retranslate();
    void resetLayout();
    /// Shows the exchange over this link alone: an id, a name or a rate ("8x400Gbps"); empty = all that are known.
    void setLink(const QString& word);
    /// What `stagecraft plan` must be told to show the same: "--link X", or nothing.
    [[nodiscard]] QString commandOptions() const;
    [[nodiscard]] FactTable* items() const { return m_items; }
    [[nodiscard]] FactTable* links() const { return m_links; }
    [[nodiscard]] FactTable* copies() const { return m_copies; }
    [[nodiscard]] FactTable* exchange() const { return m_exchange; }

signals:
    void inspected(const stagecraft::InspectorContent& content);
    /// Another link: the command line is another one.
    void constrained();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void count();
    void show();
    void showExchange();

    std::shared_ptr<const PlanSet> m_plan;
    bool m_fresh = false;       ///< m_facts are of m_plan, or on their way
    quint64 m_asked = 0;        ///< drops what was counted of an older plan
    std::optional<TrafficFacts> m_facts;
    QString m_link;             ///< as typed or chosen; empty = all

    QSplitter* m_split;
    QSplitter* m_right;
    Panel* m_itemsPanel;
    Panel* m_linksPanel;
    Panel* m_copiesPanel;
    Panel* m_exchangePanel;
    FactTable* m_items;
    FactTable* m_links;
    FactTable* m_copies;
    FactTable* m_exchange;
    ToneLabel* m_sums;
    ToneLabel* m_empty;
    ToneLabel* m_exchangeNote;
    QComboBox* m_choice;
};

}  // namespace stagecraft::app
