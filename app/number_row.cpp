// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/number_row.h"

#include "app/formats.h"
#include "app/subject_edits.h"
#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr int kWide = 162, kLeast = 96, kUnit = 44;   // pixels: fields end where the choices above and below them end
constexpr int kNames = 132;                           // room for the names, and the margins

}  // namespace

int rowFieldWidth(int rowWidth)
{
    return std::clamp(rowWidth - kNames, kLeast, kWide);
}

NumberRow::NumberRow(double least, double most, bool whole, QWidget* parent)
    : QWidget(parent), m_least(least), m_most(most), m_whole(whole), m_name(new ToneLabel(Role::Body, Token::Text, this)), m_field(new QLineEdit(this)),
      m_unit(new ToneLabel(Role::Small, Token::Text2, this)), m_complaint(new ToneLabel(Role::Small, Token::Error, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 2, 12, 2);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_name, 1);
    row->addWidget(m_field, 100);   // all it may have, before the name gets more than it needs
    row->addWidget(m_unit);
    column->addLayout(row);
    m_field->setFixedHeight(24);
    m_unit->setFixedWidth(kUnit);
    m_name->setBuddy(m_field);
    m_complaint->setWordWrap(true);
    m_complaint->hide();
    column->addWidget(m_complaint);
    connect(m_field, &QLineEdit::textEdited, this, [this] {
        double value = 0;
        setComplaint(m_field->text().trimmed().isEmpty() ? QString() : refusal(&value));
    });
    connect(m_field, &QLineEdit::editingFinished, this, &NumberRow::enter);
}

void NumberRow::setName(const QString& name, const QString& unit, const QString& tip)
{
    m_name->setText(name);
    m_unit->setText(unit);
    m_unit->setVisible(!unit.isEmpty());
    fitField();
    m_field->setAccessibleName(unit.isEmpty() ? name : QStringLiteral("%1, %2").arg(name, unit));
    m_field->setToolTip(tip);
    m_name->setToolTip(tip);
}

void NumberRow::fitField()
{
    const int unit = m_unit->text().isEmpty() ? 0 : kUnit + 8;
    m_field->setMinimumWidth(kLeast - unit);
    m_field->setMaximumWidth(rowFieldWidth(width()) - unit);
}

void NumberRow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitField();
}

void NumberRow::setShown(const QString& text)
{
    m_shown = text;
    if (m_field->isModified())
        return;   // somebody types, or has to mend what is refused
    m_field->setText(text);
    setComplaint({});
}

void NumberRow::setOptional(const QString& meanwhile)
{
    m_optional = true;
    m_field->setPlaceholderText(meanwhile);
}

void NumberRow::setComplaint(const QString& sentence)
{
    m_complaint->setText(sentence);
    m_complaint->setVisible(!sentence.isEmpty());
    m_field->setAccessibleDescription(sentence);
    m_field->setProperty("invalid", !sentence.isEmpty());
    m_field->update();
}

QString NumberRow::complaint() const
{
    return m_complaint->text();
}

QString NumberRow::refusal(double* value) const
{
    QString text = m_field->text().trimmed();
    if (!m_unit->text().isEmpty() && text.endsWith(m_unit->text(), Qt::CaseInsensitive))
        text.chop(m_unit->text().size());   // "512 GiB" in a field of GiB
    const auto number = readCount(text);
    if (number && *number >= m_least && *number <= m_most && (!m_whole || *number == std::floor(*number))) {
        *value = *number;
        return {};
    }
    const auto shown = [](double bound) { return bound >= 1e7 ? shortCount(bound) : count(static_cast<std::int64_t>(bound)); };
    return m_whole ? tr("A whole number from %1 to %2.").arg(shown(m_least), shown(m_most)) : tr("A number from %1 to %2; 7B, 1.3e9 and 500M are read.").arg(shown(m_least), shown(m_most));
}

void NumberRow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_field->isModified()) {
        m_field->setModified(false);
        setShown(m_shown);
        return;
    }
    QWidget::keyPressEvent(event);
}

void NumberRow::enter()
{
    if (!m_field->isModified())
        return;
    if (m_field->text().trimmed().isEmpty() || (m_field->text() == m_shown && !m_assumed)) {
        const bool taken = m_optional && !m_shown.isEmpty() && m_field->text() != m_shown;
        m_field->setModified(false);
        if (taken)
            emit cleared();
        else
            setShown(m_shown);
        return;
    }
    double value = 0;
    const QString why = refusal(&value);
    setComplaint(why);
    if (!why.isEmpty())
        return;
    m_field->setModified(false);
    emit entered(value);
    if (!complaint().isEmpty())
        m_field->setModified(true);   // refused after all: it stays to be mended
}

}  // namespace stagecraft::app
