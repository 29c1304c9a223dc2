// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tone_label.h"

#include <QPainter>

#include <utility>

namespace stagecraft {

ToneLabel::ToneLabel(theme::Role role, theme::Token token, QWidget* parent) : ToneLabel(QString(), role, token, parent) {}

ToneLabel::ToneLabel(const QString& text, theme::Role role, theme::Token token, QWidget* parent) : QLabel(text, parent), m_token(token)
{
    setFont(theme::font(role));
    setTextFormat(Qt::PlainText);
    setForegroundRole(QPalette::WindowText);  // else a parent painted in Base would lend its Text
    recolour();
    if (auto* theme = theme::Theme::instance())
        connect(theme, &theme::Theme::changed, this, &ToneLabel::recolour);
}

void ToneLabel::setRole(theme::Role role)
{
    setFont(theme::font(role));
}

void ToneLabel::setToken(theme::Token token)
{
    if (std::exchange(m_token, token) != token)
        recolour();
}

void ToneLabel::setElided(bool elided)
{
    if (std::exchange(m_elided, elided) == elided)
        return;   // a whole window would be laid out anew for it
    updateGeometry();
    update();
}

QSize ToneLabel::minimumSizeHint() const
{
    QSize size = QLabel::minimumSizeHint();
    if (m_elided)
        size.setWidth(0);
    return size;
}

void ToneLabel::recolour()
{
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, theme::color(m_token));
    colours.setColor(QPalette::Link, theme::color(theme::Token::Accent));
    setPalette(colours);
}

void ToneLabel::paintEvent(QPaintEvent* event)
{
    if (!m_elided) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    painter.setPen(palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::WindowText));
    const QRect area = contentsRect();
    // A scrap of two or three letters says nothing and looks like an error.
    if (fontMetrics().horizontalAdvance(text()) > area.width() && area.width() < 6 * fontMetrics().averageCharWidth())
        return;
    painter.drawText(area, static_cast<int>(alignment()) | Qt::TextSingleLine, fontMetrics().elidedText(text(), Qt::ElideRight, area.width()));
}

}  // namespace stagecraft
