// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/search_service.h"
#include "widgets/inspector.h"

#include <QWidget>

#include <memory>

class QCheckBox;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QShortcut;
class QSortFilterProxyModel;
class QSpinBox;
class QSplitter;
class QTableView;

namespace stagecraft {
class Panel;
class ParetoView;
class ToneLabel;
}  // namespace stagecraft

namespace stagecraft::app {

class SearchModel;
class WorkspaceDocument;

/// The search for a layout: constraints, a ranked table that fills while it runs, and the front of time and memory.
class PlanSearch : public QWidget {
    Q_OBJECT
public:
    PlanSearch(WorkspaceDocument& document, QWidget* parent);

    /// The plan the search starts from. A search whose outcome the change cannot touch stays.
    void setPlan(const std::shared_ptr<const PlanSet>& plan);
    /// The tab came into view: searches when there is nothing to show yet.
    void activate();
    void retranslate();
    void recolour();
    void resetLayout();
    /// What `stagecraft advise` must be told to search as this tab does.
    [[nodiscard]] QString commandOptions() const;
    /// The share of the usable memory a layout may take, in percent; searches again.
    void setShare(int percent);
    /// Puts a layout into the workspace as one named step.
    void apply(const ScoredLayout& layout);
    [[nodiscard]] SearchService& service() const { return *m_service; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] ParetoView* chart() const { return m_chart; }

signals:
    /// Another constraint: the command line of this search is another one.
    void constrained();
    void inspected(const stagecraft::InspectorContent& content);

private:
    void makeControls(QWidget* bar);
    void start();
    void refresh();
    void showNote();
    void showCount();
    void choose(int row);
    [[nodiscard]] InspectorContent explain(const ScoredLayout& layout, const std::shared_ptr<const PlanSet>& planned);
    [[nodiscard]] std::int64_t usable() const;

    WorkspaceDocument& m_document;
    SearchService* m_service;
    std::shared_ptr<const PlanSet> m_plan;
    std::string m_key;          ///< searchKey of the results shown
    std::optional<Error> m_problem;
    SearchLimits m_limits;      ///< of the results shown
    bool m_active = false;
    quint64 m_explained = 0;    ///< drops the answer for a row that is no longer chosen

    ToneLabel* m_shareName;
    QSpinBox* m_share;
    ToneLabel* m_batchName;
    QLineEdit* m_batch;
    QCheckBox* m_inNode;
    QCheckBox* m_offload;
    QPushButton* m_go;
    QShortcut* m_escape;        ///< cancels; only while a search runs
    QProgressBar* m_progress;
    ToneLabel* m_count;
    ToneLabel* m_note;   ///< what keeps layouts out that no constraint names
    QSplitter* m_split;
    Panel* m_tablePanel;
    QTableView* m_table;
    SearchModel* m_model;
    QSortFilterProxyModel* m_sorted;
    Panel* m_chartPanel;
    ParetoView* m_chart;
    QPushButton* m_apply;
};

}  // namespace stagecraft::app
