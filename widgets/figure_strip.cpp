// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figure_strip.h"

#include "widgets/icons.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kInset = 16;
constexpr int kGap = 6;
constexpr int kBarWidth = 88;

int partWidth(const FigurePart& part)
{
    int width = 0;
    if (!part.icon.isEmpty())
        width += 16 + (part.text.isEmpty() ? 0 : 5);
    if (part.bar >= 0)
        width += kBarWidth;
    if (!part.text.isEmpty())
        width += QFontMetrics(theme::font(part.role)).horizontalAdvance(part.text);
    return width;
}

bool isSame(const Figure& a, const Figure& b)
{
    const auto samePart = [](const FigurePart& x, const FigurePart& y) { return x.icon == y.icon && x.text == y.text && x.role == y.role && x.token == y.token && x.bar == y.bar && x.spare == y.spare; };
    return a.label == b.label && a.tip == b.tip && a.id == b.id && a.atEnd == b.atEnd && std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), samePart);
}

}  // namespace

FigureCell::FigureCell(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
}

void FigureCell::setFigure(const Figure& figure)
{
    if (isSame(figure, m_figure))
        return;
    m_figure = figure;
    QStringList words;
    for (const FigurePart& part : figure.parts)
        if (!part.text.isEmpty())
            words << part.text;
    setAccessibleName(figure.label + QStringLiteral(": ") + words.join(QLatin1Char(' ')));
    setAccessibleDescription(figure.tip);
    setToolTip(figure.tip);
    update();
}

void FigureCell::setBrief(bool brief)
{
    if (brief == m_brief)
        return;
    m_brief = brief;
    update();
}

int FigureCell::neededWidth(bool brief) const
{
    int value = 0;
    for (const FigurePart& part : m_figure.parts)
        if (!brief || !part.spare)
            value += partWidth(part) + kGap;
    const int label = QFontMetrics(theme::font(Role::Small)).horizontalAdvance(m_figure.label);
    return std::max(value - kGap, label) + 2 * kInset + 1;
}

void FigureCell::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse())
        painter.fillRect(rect().adjusted(0, 0, -1, 0), theme::color(Token::Head));
    painter.setFont(theme::font(Role::Small));
    painter.setPen(theme::color(Token::Text2));
    painter.drawText(QRect(kInset, 7, width() - kInset, 16), Qt::AlignLeft | Qt::AlignVCenter, m_figure.label);

    double x = kInset;
    const int baseline = 40;
    for (const FigurePart& part : m_figure.parts) {
        if (m_brief && part.spare)
            continue;
        if (!part.icon.isEmpty()) {
            painter.drawPixmap(QPointF(x, baseline - 13), theme::iconPixmap(part.icon, theme::color(part.token), 16, devicePixelRatioF()));
            x += 16 + (part.text.isEmpty() ? 0 : 5);
        }
        if (part.bar >= 0) {
            const QRectF frame(x + 0.5, baseline - 8.5, kBarWidth - 1, 9);
            painter.fillRect(frame, theme::color(Token::Base));
            painter.fillRect(QRectF(frame.left(), frame.top(), frame.width() * std::min(part.bar, 1.0), frame.height()), theme::color(part.token));
            painter.setPen(QPen(theme::color(Token::InputBorder), 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(frame);
            x += kBarWidth;
        }
        if (!part.text.isEmpty()) {
            painter.setFont(theme::font(part.role));
            painter.setPen(theme::color(part.token));
            painter.drawText(QPointF(x, baseline), part.text);
            x += painter.fontMetrics().horizontalAdvance(part.text);
        }
        x += kGap;
    }
    painter.fillRect(QRect(m_figure.atEnd ? 0 : width() - 1, 0, 1, height()), theme::color(Token::Line));
    if (hasFocus()) {
        painter.setPen(QPen(theme::color(Token::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -3, -2), 3, 3);
    }
}

void FigureCell::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint()))
        emit clicked();
}

void FigureCell::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
        emit clicked();
    else
        QWidget::keyPressEvent(event);
}

void FigureCell::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

FigureStrip::FigureStrip(QWidget* parent) : QWidget(parent)
{
    setFixedHeight(56);
}

void FigureStrip::setFigures(std::vector<Figure> figures)
{
    while (m_cells.size() > figures.size()) {
        delete m_cells.back();
        m_cells.pop_back();
    }
    while (m_cells.size() < figures.size()) {
        auto* cell = new FigureCell(this);
        connect(cell, &FigureCell::clicked, this, [this, cell] { emit clicked(cell->figure().id); });
        m_cells.push_back(cell);
    }
    for (std::size_t i = 0; i < figures.size(); ++i)
        m_cells[i]->setFigure(figures[i]);
    arrange();
}

QStringList FigureStrip::shownTexts() const
{
    QStringList texts;
    for (const FigureCell* cell : m_cells)
        if (!cell->isHidden())
            texts << cell->accessibleName();
    return texts;
}

void FigureStrip::arrange()
{
    int needed = 0;
    std::vector<int> widths;
    for (const FigureCell* cell : m_cells) {
        widths.push_back(cell->neededWidth(false));
        needed += widths.back();
    }
    for (std::size_t i = m_cells.size(); i-- > 0;) {
        const int brief = m_cells[i]->neededWidth(true);
        m_cells[i]->setBrief(needed > width() && brief < widths[i]);
        if (needed > width())
            needed -= widths[i] - std::exchange(widths[i], brief);
    }
    std::vector<bool> shown(m_cells.size(), true);
    const auto drop = [&](bool ends, bool lasting) {
        for (std::size_t i = m_cells.size(); i-- > 1 && needed > width();)
            if (shown[i] && m_cells[i]->figure().atEnd == ends && m_cells[i]->figure().lasting == lasting) {
                shown[i] = false;
                needed -= widths[i];
            }
    };
    drop(true, false);
    drop(false, false);
    drop(true, true);
    drop(false, true);
    int left = 0;
    int right = width();
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        m_cells[i]->setVisible(shown[i]);
        if (!shown[i])
            continue;
        const int cellWidth = widths[i];
        if (m_cells[i]->figure().atEnd) {
            right -= cellWidth;
            m_cells[i]->setGeometry(right, 0, cellWidth, height() - 1);
        } else {
            m_cells[i]->setGeometry(left, 0, cellWidth, height() - 1);
            left += cellWidth;
        }
    }
}

void FigureStrip::resizeEvent(QResizeEvent*)
{
    arrange();
}

void FigureStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme::color(Token::Line));
}

}  // namespace stagecraft
