// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_axis.h"
#include "chart_colors.h"

#include <QPixmap>
#include <QRectF>
#include <QString>
#include <QWidget>

#include <vector>

namespace stagecraft {

/// One part of a painted view as a screen reader or a test sees it.
struct ChartPart {
    QString name;    ///< "train"
    QString value;   ///< "2.353 at step 1,240"
    QRectF rect;     ///< in the widget
};

/// What all painted views share: colours, fonts, the frame, states without data, tips and accessible parts.
///
/// Whoever changes data calls markDirty(); the page's frame timer calls frameTick(), which lays out and repaints at most once.
/// What keys and clicks changed is painted without waiting for it.
/// The picture is kept in a pixmap, so that a moving cursor costs one copy.
class ChartWidget : public QWidget {
    Q_OBJECT
public:
    enum class State { Ready, Empty, Loading, Failed };

    explicit ChartWidget(QWidget* parent = nullptr);

    void setColors(const ChartColors& colors);
    [[nodiscard]] const ChartColors& colors() const { return m_colors; }

    /// What to say while there is nothing to draw. `sentence` is already translated.
    void setState(State state, const QString& sentence = {});
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] QString stateSentence() const { return m_sentence; }
    /// Greys the picture: it is the last that is known, and nobody is known to add to it.
    void setStale(bool stale);

    void markDirty() { m_dirty = true; }
    [[nodiscard]] bool isDirty() const { return m_dirty || m_overlayDirty; }
    /// One repaint per frame, however much arrived since the last.
    void frameTick();

    /// Parts for assistive technology and tests, in reading order.
    [[nodiscard]] virtual std::vector<ChartPart> parts() const = 0;
    /// The tip at a place of the widget; empty for none.
    [[nodiscard]] virtual QString tipAt(const QPointF& position) const;

protected:
    /// Lays out for size() and pixelScale(). Called before painting whenever something changed.
    virtual void refresh() = 0;
    /// Draws the laid out picture; kept until the next refresh.
    virtual void paintChart(QPainter& painter) = 0;
    /// Draws what moves with the pointer, on top.
    virtual void paintOverlay(QPainter& painter);

    void markOverlayDirty() { m_overlayDirty = true; }
    [[nodiscard]] QFont fontOf(int pixels, bool bold = false) const;
    [[nodiscard]] TextWidth widthIn(const QFont& font) const;
    void ensureLaidOut(double scale);
    /// Device pixels per logical pixel of what is being painted on: a screen, or a picture of another density.
    [[nodiscard]] double pixelScale() const { return m_laidOutScale > 0 ? m_laidOutScale : devicePixelRatioF(); }

    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void paintState(QPainter& painter) const;

    ChartColors m_colors;
    State m_state = State::Empty;
    QString m_sentence;
    bool m_stale = false;
    bool m_dirty = true;
    bool m_overlayDirty = false;
    bool m_painted = false;     // the pixmap shows the present layout
    QSize m_laidOutSize;
    double m_laidOutScale = 0;
    QPixmap m_picture;
};

/// Diagonal hatch in `color`, the sign for waiting.
void paintHatch(QPainter& painter, const QRectF& rect, const QColor& color);

}  // namespace stagecraft
