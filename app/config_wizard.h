// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/wizard_effect.h"
#include "widgets/side_panel.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace stagecraft {
class PanelHeader;
class ToneLabel;
}  // namespace stagecraft

namespace stagecraft::app {

class WorkspaceDocument;

/// The wizard in the side panel of the Config page: one question at a time, beside every answer what it comes to in memory and
/// time, and what it differs by from the workspace under the other answers; at the end, from the workspace as it is. Nothing changes
/// before Apply, which is one undo step.
class ConfigWizard : public SidePanel {
    Q_OBJECT
public:
    ConfigWizard(WorkspaceDocument& document, QWidget* parent);

    /// Starts anew from what the workspace says now.
    void start();
    /// Goes on with the answers of before, over what the workspace says now; they end with Apply, and with the document.
    void resume();
    /// The release of DeepSpeed whose check says what is refused; empty = the newest known.
    void setRelease(const std::string& release);
    [[nodiscard]] QString questionId() const;   ///< empty on the last page, which shows the changes
    [[nodiscard]] const WizardAnswers& answers() const { return m_answers; }
    /// Answers the question that is shown. @return false when it is no answer to it
    bool answer(const std::string& json);
    void back();
    void next();
    void apply();
    [[nodiscard]] QPushButton* backButton() const { return m_back; }
    [[nodiscard]] QPushButton* nextButton() const { return m_next; }
    [[nodiscard]] QPushButton* closeButton() const { return m_close; }
    /// What the options of the question come to, in their order; empty entries are still being computed.
    [[nodiscard]] const std::vector<std::optional<WizardEffect>>& effects() const { return m_effects; }

    /// Below the answers: what they are compared with, and what the numbers are of.
    [[nodiscard]] const ToneLabel* baseLabel() const { return m_baseLabel; }
    [[nodiscard]] const ToneLabel* groundLabel() const { return m_groundLabel; }

signals:
    void noted(const QString& sentence);
    /// New effects are shown.
    void effectsChanged();

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// The questions that are open, in order: not whether experts are spread where the model has none.
    [[nodiscard]] std::vector<WizardQuestion> questions();
    void showPage();
    void showQuestion(const WizardQuestion& question);
    void showChanges();
    void showCount();
    void requestEffects();
    /// What the effects on this page are compared with: the workspace under the answers to all other questions, as it is at the end.
    [[nodiscard]] std::string baseText() const;
    void showEffects();
    [[nodiscard]] QString effectWords(const WizardEffect& effect) const;
    [[nodiscard]] QString baseWords();
    /// Whether every answer is refused as the workspace is without it: that is said once, below them.
    [[nodiscard]] bool allRefusedAlike() const;
    [[nodiscard]] std::optional<std::string> shownAnswer(const WizardQuestion& question) const;
    void addLabel(ToneLabel* label, int top);
    void addGround(int top);

    WorkspaceDocument& m_document;
    std::string m_text;                 ///< the workspace the wizard started from, self-contained
    nlohmann::json m_workspace;
    bool m_dense = false;               ///< its model has no experts, and was chosen
    QString m_problem;                  ///< why it cannot start
    std::string m_release;
    WizardAnswers m_answers;
    std::vector<WizardQuestion> m_questions;
    std::size_t m_at = 0;
    std::vector<std::optional<WizardEffect>> m_effects;  ///< of the options, or of the one typed answer
    std::optional<WizardEffect> m_base;                  ///< of m_baseText
    std::string m_baseText;
    std::optional<WizardEffects> m_shown;                ///< the newest that were computed, with what they are of
    quint64 m_job = 0;
    QString m_toldRefusal;      ///< why DeepSpeed refuses what the answers are compared with, as it was last said in full
    std::size_t m_toldAt = 0;   ///< the question it was said at

    PanelHeader* m_header;
    QWidget* m_body = nullptr;
    QVBoxLayout* m_column;
    QVBoxLayout* m_page = nullptr;
    std::vector<ToneLabel*> m_effectLabels;
    ToneLabel* m_baseLabel = nullptr;
    ToneLabel* m_groundLabel = nullptr;
    QLineEdit* m_field = nullptr;
    QPushButton* m_close;
    QPushButton* m_back;
    QPushButton* m_next;
};

}  // namespace stagecraft::app
