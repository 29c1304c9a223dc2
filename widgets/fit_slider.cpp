// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/fit_slider.h"

#include "widgets/refused_edit.h"
#include "widgets/tone_label.h"
#include "widgets/wheel_guard.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QStyle>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kFieldWidth = 108, kUnitInset = 6;   // px

}  // namespace

FitSlider::FitSlider(QWidget* parent)
    : QWidget(parent), m_name(new ToneLabel(Role::Body, Token::Text, this)), m_slider(new QSlider(Qt::Horizontal, this)), m_field(new QLineEdit(this)),
      m_unit(new ToneLabel(Role::Small, Token::Text2, m_field))
{
    setFixedHeight(34);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(8);
    m_name->setFixedWidth(118);
    m_name->setElided(true);
    m_name->setBuddy(m_slider);
    row->addWidget(m_name);
    m_slider->setMinimumWidth(60);
    row->addWidget(m_slider, 1);
    m_field->setFixedWidth(kFieldWidth);
    m_unit->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_unit->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_unit->setGeometry(0, 0, kFieldWidth - kUnitInset, 24);
    row->addWidget(m_field);
    m_slider->setPageStep(1);
    turnByWheelOnlyWithFocus(m_slider);
    connect(m_slider, &QSlider::valueChanged, this, [this](int position) {
        if (position >= 0 && position < static_cast<int>(m_values.size()))
            choose(m_values[static_cast<std::size_t>(position)], !m_slider->isSliderDown() && !m_pressing);
    });
    m_slider->installEventFilter(this);
    connect(m_slider, &QSlider::sliderPressed, this, [this] { m_pressing = false; });
    connect(m_slider, &QSlider::sliderReleased, this, [this] { emit valueSettled(m_value); });
    connect(m_field, &QLineEdit::editingFinished, this, &FitSlider::fieldEdited);
    connect(m_field, &QLineEdit::textChanged, this, &FitSlider::fitUnit);
}

void FitSlider::setName(const QString& name, const QString& tip)
{
    m_name->setText(name);
    m_slider->setAccessibleName(name);
    m_field->setAccessibleName(name);
    setToolTip(tip);
}

void FitSlider::setUnit(const QString& unit)
{
    m_unit->setText(unit);
    fitUnit();
}

// A number that lacks its first digits reads as another one: where both have no room the unit goes, which the tip tells.
void FitSlider::fitUnit()
{
    constexpr int kAround = 10;   // px: frame, cursor and what Qt keeps free beside the text
    const int unit = m_unit->sizeHint().width() + kUnitInset;
    const bool room = m_field->fontMetrics().horizontalAdvance(m_field->text()) + unit + kAround <= kFieldWidth;
    m_unit->setVisible(room);
    m_field->setTextMargins(2, 0, room ? unit : 0, 0);
}

void FitSlider::setBounds(std::int64_t lowest, std::int64_t highest, std::int64_t multiple)
{
    m_multiple = multiple;
    m_lowest = lowest;
    m_highest = highest;
}

void FitSlider::setValues(const std::vector<std::int64_t>& values, std::int64_t value)
{
    // A drag must not lose its ground under the hand.
    if (m_slider->isSliderDown())
        return;
    const QString text = values.empty() ? QString() : countText(value);
    const bool edited = m_field->hasFocus() && m_field->isModified();
    // While one slider is turned the others stay as they are: nothing of them is painted again.
    if (values == m_values && value == m_value && isEnabled() == !values.empty() && (edited || m_field->text() == text))
        return;
    const QSignalBlocker quietSlider(m_slider);
    // The colours stay until the new ones come, unless they would stand under other values.
    if (values != m_values)
        m_track.clear();
    m_values = values;
    m_value = value;
    setEnabled(!values.empty());
    m_slider->setRange(0, std::max(0, static_cast<int>(values.size()) - 1));
    const auto at = std::lower_bound(values.begin(), values.end(), value);
    m_slider->setValue(static_cast<int>(at - values.begin()));
    if (!edited)
        m_field->setText(text);
    update();
}

void FitSlider::setTrack(const std::vector<Token>& track, const QStringList& words)
{
    m_track = track;
    const int position = m_slider->value();
    m_slider->setAccessibleDescription(words.value(position));
    update();
}

void FitSlider::choose(std::int64_t value, bool settled)
{
    m_value = value;
    m_field->setText(countText(value));
    emit valueTurned(value);
    if (settled)
        emit valueSettled(value);
}

void FitSlider::fieldEdited()
{
    if (!m_field->isModified())
        return;
    const auto typed = parseCount(m_field->text());
    const bool good = typed && *typed >= m_lowest && *typed <= m_highest && (*typed % m_multiple == 0 || *typed == m_value);
    m_field->setProperty("invalid", !good);
    m_field->update();
    m_field->setModified(false);
    if (!good) {
        m_field->setText(countText(m_value));
        m_field->setProperty("invalid", false);
        const QString why = m_multiple > 1 ? tr("Use a multiple of %1, from %2 to %3").arg(countText(m_multiple), countText(m_lowest), countText(m_highest))
                                           : tr("Use a number from %1 to %2").arg(countText(m_lowest), countText(m_highest));
        QToolTip::showText(m_field->mapToGlobal(QPoint(0, m_field->height())), why, m_field);
        refuseEdit(*m_field, QStringLiteral("%1: %2").arg(m_name->text(), why));
        return;
    }
    if (*typed != m_value)
        choose(*typed, true);
}

// A press beside the handle moves it there and begins a drag: the two are one turn.
bool FitSlider::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_slider && (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonRelease))
        m_pressing = event->type() == QEvent::MouseButtonPress && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
    return QWidget::eventFilter(watched, event);
}

void FitSlider::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_field->isModified()) {
        m_field->setText(countText(m_value));   // not modified any more
        return;
    }
    QWidget::keyPressEvent(event);
}

void FitSlider::paintEvent(QPaintEvent*)
{
    if (m_track.empty() || m_track.size() != m_values.size() || m_values.size() < 2)
        return;
    QPainter painter(this);
    // The groove runs between the middles of the handle's first and last place.
    const double left = m_slider->x() + 6;
    const double width = m_slider->width() - 12;
    const double step = width / static_cast<double>(m_values.size() - 1);
    const double y = height() / 2.0 + 9;
    for (std::size_t i = 0; i < m_track.size(); ++i) {
        const double from = std::max(left, left + step * (static_cast<double>(i) - 0.5));
        const double to = std::min(left + width, left + step * (static_cast<double>(i) + 0.5));
        painter.fillRect(QRectF(from, y, to - from - 1, 3), theme::color(m_track[i]));
    }
}

QString countText(std::int64_t value)
{
    if (value >= 1'000'000 && value % 1'000'000 == 0)
        return QLocale().toString(static_cast<qlonglong>(value / 1'000'000)) + QStringLiteral(" M");
    return QLocale().toString(static_cast<qlonglong>(value));
}

std::optional<std::int64_t> parseCount(const QString& text)
{
    QString plain = text.trimmed();
    plain.remove(QLocale().groupSeparator()).remove(QLatin1Char(',')).remove(QLatin1Char(' ')).remove(QChar(0x2009));
    double factor = 1;
    const QList<std::pair<QString, double>> suffixes{{QStringLiteral("Ki"), 1024.0}, {QStringLiteral("Mi"), 1048576.0}, {QStringLiteral("k"), 1e3}, {QStringLiteral("K"), 1e3},
                                                     {QStringLiteral("M"), 1e6},     {QStringLiteral("G"), 1e9},        {QStringLiteral("B"), 1e9}};
    for (const auto& [suffix, times] : suffixes)
        if (plain.endsWith(suffix)) {
            plain.chop(suffix.size());
            factor = times;
            break;
        }
    bool ok = false;
    const double value = QLocale::c().toDouble(plain, &ok) * factor;
    if (!ok || !std::isfinite(value) || value < 0 || value > 9e15 || std::abs(value - std::round(value)) > 1e-6 * std::max(1.0, value))
        return std::nullopt;
    return static_cast<std::int64_t>(std::llround(value));
}

}  // namespace stagecraft
