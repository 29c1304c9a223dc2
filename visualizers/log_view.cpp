// SPDX-License-Identifier: GPL-3.0-or-later
#include "log_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QFontDatabase>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace stagecraft {

namespace {

QFont fixedFont()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(11);
    return font;
}

QString levelWord(LogLevel level)
{
    // As written in logs: never translated.
    switch (level) {
    case LogLevel::Debug: return QStringLiteral("DEBUG");
    case LogLevel::Info: return QStringLiteral("INFO ");
    case LogLevel::Warning: return QStringLiteral("WARN ");
    case LogLevel::Error: return QStringLiteral("ERROR");
    }
    return {};
}

constexpr int kMargin = 8;
constexpr int kMostCopied = 100'000;   // lines: a million would freeze whoever pastes

}  // namespace

LogView::LogView(LogModel* model, QWidget* parent) : QAbstractScrollArea(parent), m_model(model)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setFont(fixedFont());
    viewport()->setCursor(Qt::IBeamCursor);
    connect(model, &LogModel::rowsInserted, this, [this](const QModelIndex&, int first, int last) { rowsInserted(first, last - first + 1); });
    connect(model, &LogModel::rowsRemoved, this, [this](const QModelIndex&, int first, int last) { rowsRemoved(last - first + 1); });
    connect(model, &LogModel::modelReset, this, [this] { reset(); });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        if (!m_applying)
            setFollowing(value >= verticalScrollBar()->maximum());
    });
}

void LogView::setColors(const ChartColors& colors)
{
    m_colors = colors;
    m_dirty = true;
}

void LogView::setEmptyText(const QString& text)
{
    m_emptyText = text;
    m_dirty = true;
}

int LogView::rowHeight() const { return std::max(17, viewport()->fontMetrics().height() + 3); }

int LogView::rowAt(int y) const
{
    const int row = firstVisibleRow() + (y - 2) / rowHeight();
    return m_model && row >= 0 && row < m_model->rowCount() ? row : -1;
}

int LogView::firstVisibleRow() const { return verticalScrollBar()->value(); }

void LogView::rowsInserted(int, int count)
{
    m_dirty = true;
    if (!m_following)
        m_newLines += count;
}

void LogView::rowsRemoved(int count)
{
    m_dirty = true;
    m_current = m_current >= count ? m_current - count : -1;
    m_anchor = m_anchor >= count ? m_anchor - count : -1;
    m_applying = true;   // the same lines stay in view
    verticalScrollBar()->setValue(std::max(0, verticalScrollBar()->value() - count));
    m_applying = false;
}

void LogView::reset()
{
    m_dirty = true;
    m_current = m_anchor = -1;
    m_newLines = 0;
    m_widest = 0;
}

void LogView::setFollowing(bool following)
{
    if (following)
        m_newLines = 0;
    if (std::exchange(m_following, following) != following || following) {
        m_dirty = true;
        emit followingChanged();
    }
}

void LogView::updateScrollBars()
{
    m_applying = true;
    const int page = std::max(1, (viewport()->height() - 4) / rowHeight());
    const int rows = m_model ? m_model->rowCount() : 0;
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(1);
    verticalScrollBar()->setRange(0, std::max(0, rows - page));
    if (m_following)
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setRange(0, std::max(0, m_widest + 2 * kMargin - viewport()->width()));
    m_applying = false;
}

void LogView::frameTick()
{
    if (!isVisible() || !std::exchange(m_dirty, false))
        return;
    const int before = m_newLines;
    updateScrollBars();
    viewport()->update();
    if (before > 0)
        emit followingChanged();
}

void LogView::showRow(int row)
{
    if (!m_model || row < 0 || row >= m_model->rowCount())
        return;
    setFollowing(false);
    m_current = m_anchor = row;
    updateScrollBars();
    m_applying = true;
    verticalScrollBar()->setValue(row - verticalScrollBar()->pageStep() / 3);
    m_applying = false;
    viewport()->update();
}

QString LogView::prefix(const LogLine& line) const
{
    const QString time = QDateTime::fromMSecsSinceEpoch(line.timeNs / 1'000'000).toString(QStringLiteral("HH:mm:ss"));
    const QString rank = line.rank < 0 ? QStringLiteral("-") : QString::number(line.rank);
    return QStringLiteral("%1  %2  ").arg(time, rank.rightJustified(4));
}

void LogView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_colors.base);
    const int rows = m_model ? m_model->rowCount() : 0;
    if (rows == 0) {
        QFont words = font();
        words.setFamilies(words.families());   // else the painter takes the viewport's fixed one
        painter.setFont(words);
        painter.setPen(m_colors.secondaryText);
        painter.drawText(viewport()->rect().adjusted(12, 8, -12, -8), static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, m_emptyText);
        return;
    }
    const QFont fixed = fixedFont();
    painter.setFont(fixed);
    const QFontMetrics metrics(fixed);
    const int height = rowHeight();
    const int shift = horizontalScrollBar()->value();
    int widest = m_widest;
    for (int row = firstVisibleRow(), y = 2; row < rows && y < viewport()->height(); ++row, y += height) {
        const LogLine line = m_model->line(row);
        const QRect area(0, y, viewport()->width(), height);
        const bool chosen = m_current >= 0 && row >= std::min(m_current, m_anchor) && row <= std::max(m_current, m_anchor);
        if (chosen)
            painter.fillRect(area, m_colors.selection);
        else if (line.level == LogLevel::Error)
            painter.fillRect(area, m_colors.errorTint);
        const int baseline = y + (height + metrics.ascent() - metrics.descent()) / 2;
        int x = kMargin - shift;
        const auto put = [&](const QString& text, const QColor& color) {
            painter.setPen(color);
            painter.drawText(x, baseline, text);
            x += metrics.horizontalAdvance(text);
        };
        put(prefix(line), m_colors.secondaryText);
        put(levelWord(line.level) + QStringLiteral("  "), line.level == LogLevel::Error ? m_colors.error : line.level == LogLevel::Warning ? m_colors.warn : m_colors.secondaryText);
        put(line.text, m_colors.text);
        widest = std::max(widest, x + shift - kMargin);
    }
    if (widest > m_widest) {
        m_widest = widest;
        m_dirty = true;   // the next frame gives the bar its range
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_colors.accent, 2));
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void LogView::resizeEvent(QResizeEvent*)
{
    updateScrollBars();
    m_dirty = true;
}

void LogView::select(int row, bool extend)
{
    if (!m_model || m_model->rowCount() == 0)
        return;
    m_current = std::clamp(row, 0, m_model->rowCount() - 1);
    if (!extend || m_anchor < 0)
        m_anchor = m_current;
    if (m_current < firstVisibleRow())
        verticalScrollBar()->setValue(m_current);
    else if (m_current >= firstVisibleRow() + verticalScrollBar()->pageStep())
        verticalScrollBar()->setValue(m_current - verticalScrollBar()->pageStep() + 1);
    setAccessibleDescription(prefix(m_model->line(m_current)) + m_model->line(m_current).text);
    viewport()->update();
}

void LogView::mousePressEvent(QMouseEvent* event)
{
    const int row = rowAt(static_cast<int>(event->position().y()));
    if (event->button() == Qt::LeftButton && row >= 0) {
        setFollowing(false);
        select(row, event->modifiers().testFlag(Qt::ShiftModifier));
    }
}

void LogView::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons().testFlag(Qt::LeftButton) && m_anchor >= 0)
        select(firstVisibleRow() + (static_cast<int>(event->position().y()) - 2) / rowHeight(), true);
}

QString LogView::selectedText() const
{
    if (!m_model || m_current < 0)
        return {};
    QString text;
    const int first = std::min(m_current, m_anchor), last = std::min(std::max(m_current, m_anchor), first + kMostCopied - 1);
    for (int row = first; row <= last && row < m_model->rowCount(); ++row) {
        const LogLine line = m_model->line(row);
        text += prefix(line) + levelWord(line.level) + QStringLiteral("  ") + line.text + QLatin1Char('\n');
    }
    return text;
}

void LogView::copy() const
{
    const QString text = selectedText();
    if (!text.isEmpty())
        QApplication::clipboard()->setText(text);
}

bool LogView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        event->accept();
        return true;
    }
    return QAbstractScrollArea::event(event);
}

bool LogView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos().y());
        // Only for lines that do not fit: the others are read as they stand.
        if (row >= 0 && m_widest + kMargin > viewport()->width())
            QToolTip::showText(help->globalPos(), m_model->line(row).text.left(2000), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void LogView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        copy();
        return;
    }
    const bool extend = event->modifiers().testFlag(Qt::ShiftModifier);
    const int rows = m_model ? m_model->rowCount() : 0;
    const int at = m_current >= 0 ? m_current : firstVisibleRow();
    const int page = verticalScrollBar()->pageStep();
    switch (event->key()) {
    case Qt::Key_Up: setFollowing(false); select(at - 1, extend); break;
    case Qt::Key_Down: select(at + 1, extend); break;
    case Qt::Key_PageUp: setFollowing(false); select(at - page, extend); break;
    case Qt::Key_PageDown: select(at + page, extend); break;
    case Qt::Key_Home: setFollowing(false); select(0, extend); break;
    case Qt::Key_End: select(rows - 1, extend); setFollowing(true); break;
    case Qt::Key_Left: horizontalScrollBar()->setValue(horizontalScrollBar()->value() - 40); break;
    case Qt::Key_Right: horizontalScrollBar()->setValue(horizontalScrollBar()->value() + 40); break;
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

}  // namespace stagecraft
