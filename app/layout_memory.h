// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QMap>
#include <QString>

class QSplitter;
class QWidget;

namespace stagecraft::app {

/// Sizes of a page's panels, as a person left them, by page. Restored when the page is shown the first time; a page that was
/// never touched keeps the sizes it chose itself.
class LayoutMemory {
public:
    /// @param kept  what was remembered before: "PlanPage/0" -> QSplitter::saveState()
    explicit LayoutMemory(const QMap<QString, QByteArray>& kept) : m_first(kept), m_kept(kept) {}

    /// Puts back what is remembered of `page`. Does nothing the second time.
    void restore(const QWidget& page);
    /// Remembers every splitter of `page` that has been laid out.
    void remember(const QWidget& page);
    /// The same for one widget outside of pages. @param name  stable, in no language
    void restore(QSplitter& splitter, const QString& name);
    void remember(const QSplitter& splitter, const QString& name);
    /// Puts the sizes that `page` chose itself back, and forgets what was remembered of it.
    void reset(const QWidget& page);
    void reset(QSplitter& splitter, const QString& name);

    /// Puts what came to be remembered or forgotten here into `sizes`, and leaves the rest of them: other windows keep theirs there.
    void writeInto(QMap<QString, QByteArray>& sizes) const;

private:
    QMap<QString, QByteArray> m_first;    // as they were given
    QMap<QString, QByteArray> m_kept;
    QMap<QString, QByteArray> m_before;   // the page's own sizes, to tell whether somebody moved a handle
};

}  // namespace stagecraft::app
