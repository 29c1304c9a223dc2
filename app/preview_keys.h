// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>

class QShortcut;
class QWidget;

namespace stagecraft::app {

/// The keys of a preview: Esc ends it, Enter applies it. They work from where it was asked for, which is outside the page, but
/// take no key from what the focus is in: a field enters its number with Enter, a list or a picture opens what it marks.
class PreviewKeys : public QObject {
    Q_OBJECT
public:
    explicit PreviewKeys(QWidget* page);

    /// From now on. The button that has the focus is the one that was pressed for it.
    void start();
    void stop();
    /// Whether Enter applies the preview from where the focus is.
    [[nodiscard]] bool enterApplies() const;

signals:
    void ended();
    void applied();
    void enterAppliesChanged();

private:
    void follow();

    QWidget* m_page;
    QShortcut* m_ends;
    QShortcut* m_applies;
    QPointer<QWidget> m_asked;
    bool m_on = false;
};

}  // namespace stagecraft::app
