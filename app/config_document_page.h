// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/page.h"

#include <QTimer>

namespace stagecraft {
class ConfigPage;
}

namespace stagecraft::app {

class ConfigWizard;
class KeyCurveService;
class WorkspaceDocument;

/// The Config page on the document: its edits go onto the one undo stack, the document's text comes back.
class ConfigDocumentPage : public Page {
    Q_OBJECT
public:
    ConfigDocumentPage(WorkspaceDocument& document, QWidget* parent);

    [[nodiscard]] QString name() const override;
    [[nodiscard]] QString command() const override;
    [[nodiscard]] bool framesItself() const override { return true; }
    bool find() override;
    void showKey(const QString& pointer);
    /// Opens the wizard in the side panel, from its first question.
    void showWizard();
    [[nodiscard]] ConfigWizard& wizard() const { return *m_wizard; }
    [[nodiscard]] ConfigPage& view() const { return *m_view; }

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void documentOpened();
    void documentChanged();
    void requestCurve();

    WorkspaceDocument& m_document;
    ConfigPage* m_view;
    ConfigWizard* m_wizard;
    KeyCurveService* m_curves;
    QTimer m_rest;   ///< runs while the page, unseen, has not taken in the newest text
};

}  // namespace stagecraft::app
