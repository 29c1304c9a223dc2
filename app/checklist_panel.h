// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/checklist.h"
#include "widgets/side_panel.h"

#include <optional>
#include <vector>

class QPushButton;
class QScrollArea;

namespace stagecraft {
class PanelHeader;
}

namespace stagecraft::app {

class WorkspaceDocument;

/// Good practices held against the workspace that is open, in the side panel of the Config page: each with its verdict, the
/// numbers that decide it, and a button that follows it where an edit of the ds_config does. Follows every edit while it is seen.
class ChecklistPanel : public SidePanel {
    Q_OBJECT
public:
    ChecklistPanel(WorkspaceDocument& document, QWidget* parent);

    void start();
    /// What the check says of the ds_config that is shown beside it.
    void setAnswer(const CheckAnswer& answer);
    [[nodiscard]] const std::vector<ChecklistItem>& items() const { return m_items; }
    /// The command line that prints the same. Empty while nothing is open.
    [[nodiscard]] QString command() const;
    /// The button that follows practice `id`; null when it has none.
    [[nodiscard]] QPushButton* fixButton(const QString& id) const;
    [[nodiscard]] QSize sizeHint() const override { return {360, 500}; }

signals:
    void fixRequested(const QByteArray& patch, const QString& name);
    /// A key of the ds_config to show.
    void keyRequested(const QString& pointer);
    /// Model and hardware, which are only assumed, are to be chosen.
    void subjectRequested();

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void refresh();

    WorkspaceDocument& m_document;
    std::optional<CheckAnswer> m_answer;
    std::vector<ChecklistItem> m_items;
    PanelHeader* m_header;
    QScrollArea* m_scroll;
    QPushButton* m_close;
};

}  // namespace stagecraft::app
