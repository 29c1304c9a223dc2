// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/inspector.h"

#include <QString>
#include <QStringList>
#include <QWidget>

namespace stagecraft::app {

/// One entry of the rail. The window shows its name, subject and title controls in the row above it, its strip instead of
/// the planning strip when it has one, and what it inspects in the inspector.
///
/// Pages retranslate themselves on QEvent::LanguageChange and emit titleChanged() then.
class Page : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    /// The word in the rail and the title row.
    [[nodiscard]] virtual QString name() const = 0;
    /// What the page is about now, in grey: "LLaMA · 2 × CPU · fp32". May be empty.
    [[nodiscard]] virtual QString subject() const { return {}; }
    /// What a click on the subject does, one sentence; empty when it does nothing.
    [[nodiscard]] virtual QString subjectTip() const { return {}; }
    virtual void activateSubject() {}
    /// Controls at the right of the title row. The page keeps it; the window only shows it. May be null.
    [[nodiscard]] virtual QWidget* titleControls() { return nullptr; }
    /// Takes the place of the planning strip while the page is shown (the run header). May be null.
    [[nodiscard]] virtual QWidget* strip() { return nullptr; }
    /// The command line that does what the page does, arguments quoted for a POSIX shell. May be empty.
    [[nodiscard]] virtual QString command() const { return {}; }
    /// The page has a title row and a side panel of its own: the window shows neither of its own.
    [[nodiscard]] virtual bool framesItself() const { return false; }
    /// Ctrl+F: puts the focus into the page's search field. @return false when it has none
    virtual bool find() { return false; }
    /// F1: shows the help of what the keyboard is at. @return false when the window's own help is meant
    virtual bool help() { return false; }
    /// Ctrl+E: exports what the page shows. @return false when the window's own export, the ds_config, is meant
    virtual bool exportFiles() { return false; }
    /// What the inspector shows when the page opens and nothing is selected.
    [[nodiscard]] virtual InspectorContent overview() const { return {}; }

    /// What the status bar says of the page at its right: a place, a time taken. Empty: the window's own facts.
    [[nodiscard]] virtual QStringList facts() const { return {}; }

signals:
    void titleChanged();
    void factsChanged();
    void commandChanged();
    void inspected(const stagecraft::InspectorContent& content);
    /// A fact for the status bar, shown for a few seconds.
    void noted(const QString& sentence);
    /// The same of the step that was just made, which can be taken back from there.
    void stepNoted(const QString& sentence);
};

}  // namespace stagecraft::app
