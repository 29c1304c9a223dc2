// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector.h"

#include "widgets/inspector_section.h"
#include "widgets/panel.h"
#include "widgets/tone_label.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft {

using theme::Role;
using theme::Token;

InspectorView::InspectorView(bool frozen, QWidget* parent) : QWidget(parent), m_frozen(frozen), m_header(new PanelHeader(QString(), this)), m_scroll(new QScrollArea(this))
{
    m_copy = m_header->addTool(QStringLiteral("edit-copy"), QString());
    m_pin = m_header->addTool(QStringLiteral("window-pin"), QString());
    m_pin->setCheckable(true);
    m_pin->setChecked(frozen);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_scroll, 1);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->viewport()->setBackgroundRole(QPalette::Window);
    connect(m_copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(plainText()); });
    connect(m_pin, &QToolButton::clicked, this, [this] {
        m_pin->setChecked(m_frozen);
        emit pinClicked();
    });
    retranslate();
}

void InspectorView::setContent(const InspectorContent& content)
{
    // Another subject is read from its top; new figures of the same one leave the place where it is read.
    const bool sameSubject = m_content.title == content.title;
    m_content = content;
    m_pin->setEnabled(!content.isEmpty());
    showSections();
    if (!sameSubject)
        m_scroll->verticalScrollBar()->setValue(0);
}

void InspectorView::rebuild()
{
    m_sections.clear();
    m_hint = nullptr;
    auto* page = new QWidget;
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Window);
    m_column = new QVBoxLayout(page);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_column->addStretch(1);
    m_scroll->setWidget(page);
    showSections();
}

void InspectorView::showSections()
{
    m_header->setTitle(m_content.isEmpty() ? tr("Inspector") : m_content.title);
    if (m_content.isEmpty() && !m_hint) {
        m_hint = new ToneLabel(tr("Select a bar, a row or a key: its formula, numbers and source appear here."), Role::Body, Token::Text2, m_scroll->widget());
        m_hint->setWordWrap(true);
        m_hint->setContentsMargins(12, 10, 12, 10);
        m_column->insertWidget(0, m_hint);
    } else if (!m_content.isEmpty() && m_hint) {
        delete std::exchange(m_hint, nullptr);
    }
    const auto remove = [this](std::size_t i) {
        // It may be its own button that brought us here.
        m_column->removeWidget(m_sections[i]);
        m_sections[i]->hide();
        m_sections[i]->deleteLater();
    };
    const std::size_t wanted = m_content.sections.size();
    while (m_sections.size() > wanted) {
        remove(m_sections.size() - 1);
        m_sections.pop_back();
    }
    const int first = m_hint ? 1 : 0;
    for (std::size_t i = 0; i < wanted; ++i) {
        if (i < m_sections.size() && m_sections[i]->showInPlace(m_content.sections[i]))
            continue;
        auto* view = new InspectorSectionView(m_content.sections[i], m_scroll->widget());
        if (i < m_sections.size()) {
            remove(i);
            m_sections[i] = view;
        } else {
            m_sections.push_back(view);
        }
        m_column->insertWidget(first + static_cast<int>(i), view);
        view->show();
    }
}

QString InspectorView::plainText() const
{
    QStringList lines{m_content.title};
    for (const InspectorSection& section : m_content.sections) {
        lines << QString();
        if (!section.heading.isEmpty())
            lines << (section.value.isEmpty() ? section.heading : section.heading + QStringLiteral(": ") + section.value);
        lines << section.formula;
        if (!section.text.isEmpty())
            lines << section.text;
        for (const InspectorReason& reason : section.reasons)
            lines << reason.text;
        for (const auto& [name, value] : section.pairs)
            lines << name + QStringLiteral(": ") + value;
    }
    return lines.join(QLatin1Char('\n'));
}

void InspectorView::retranslate()
{
    setAccessibleName(m_frozen ? tr("Pinned inspector") : tr("Inspector"));
    m_copy->setToolTip(tr("Copy as text"));
    m_copy->setAccessibleName(m_copy->toolTip());
    m_pin->setToolTip(m_frozen ? tr("Unpin: close this") : tr("Pin: keep this, and show what is selected next below it"));
    m_pin->setAccessibleName(m_pin->toolTip());
    rebuild();
}

void InspectorView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    else if (event->type() == QEvent::PaletteChange)
        rebuild();
    QWidget::changeEvent(event);
}

Inspector::Inspector(QWidget* parent) : QWidget(parent), m_pinned(new InspectorView(true, this)), m_live(new InspectorView(false, this)), m_split(new QSplitter(Qt::Vertical, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 0, 0, 0);
    column->addWidget(m_split);
    m_split->setHandleWidth(1);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(m_pinned);
    m_split->addWidget(m_live);
    m_pinned->hide();
    setAccessibleName(tr("Inspector"));
    connect(m_live, &InspectorView::pinClicked, this, [this] {
        if (m_live->content().isEmpty())
            return;
        m_pinned->setContent(m_live->content());
        m_pinned->show();
    });
    connect(m_pinned, &InspectorView::pinClicked, m_pinned, &QWidget::hide);
}

void Inspector::show(const InspectorContent& content)
{
    m_live->setContent(content);
}

bool Inspector::isPinned() const
{
    return !m_pinned->isHidden();
}

QString Inspector::plainText() const
{
    return m_live->plainText();
}

void Inspector::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        setAccessibleName(tr("Inspector"));
    QWidget::changeEvent(event);
}

void Inspector::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, 1, height()), theme::color(Token::Line));
}

}  // namespace stagecraft
