// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "planner/scenario.h"

#include <QDialog>

#include <memory>
#include <optional>
#include <vector>

class QLineEdit;
class QListWidget;
class QPushButton;
class QScrollArea;

namespace stagecraft::app {

/// What is said about one claim of a scenario, in the language of the window.
[[nodiscard]] QString claimText(const Scenario& scenario, const ScenarioVerdict& verdict, const ScenarioCheck& check);

/// Published claims and recommendations about training, each held against its own plan; any of them opens as a workspace.
class ClaimsDialog : public QDialog {
    Q_OBJECT
public:
    explicit ClaimsDialog(QWidget* parent);

    void choose(const QString& id);
    [[nodiscard]] bool isJudged() const { return !m_verdicts.empty(); }
    /// Everything said about the chosen one, as plain text.
    [[nodiscard]] QString plainText() const;

signals:
    /// The chosen scenario's workspace is to be opened, as an unsaved one called `name`.
    void openRequested(const std::string& workspace, const QString& name);
    void saveRequested(const std::string& workspace, const QString& name);
    void judged();

protected:
    void changeEvent(QEvent* event) override;

private:
    using Verdicts = std::vector<Result<ScenarioVerdict>>;

    [[nodiscard]] const Scenario* current() const;
    void fill();
    void showCurrent();
    void retranslate();

    Verdicts m_verdicts;     ///< of scenarios(), in their order; empty while they are made
    QLineEdit* m_filter;
    QListWidget* m_list;
    QScrollArea* m_scroll;
    QPushButton* m_open;
    QPushButton* m_save;
    QPushButton* m_close;
};

}  // namespace stagecraft::app
