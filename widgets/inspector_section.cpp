// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector_section.h"

#include "widgets/icons.h"
#include "widgets/tone_label.h"

#include <QEvent>
#include <QHash>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

/// A box with a 1 px border on Base, with a coloured left edge when it is a card.
class Box : public QWidget {
public:
    Box(bool card, Token edge, QWidget* parent) : QWidget(parent), m_card(card), m_edge(edge) {}

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), theme::color(Token::Base));
        painter.setPen(theme::color(Token::Line));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
        if (m_card)
            painter.fillRect(QRect(0, 0, 3, height()), theme::color(m_edge));
    }

private:
    bool m_card;
    Token m_edge;
};

/// Words that wrap. The column's width is given, so no width is ever asked of them: QLabel would lay its text out five times to find
/// one. A text document behind them, which selecting with the mouse needs, is made when the mouse comes.
class Words : public ToneLabel {
public:
    Words(const QString& text, Role role, Token token, QWidget* parent) : ToneLabel(text, role, token, parent) { setWordWrap(true); }

    [[nodiscard]] QSize sizeHint() const override { return wordWrap() ? QSize(60, fontMetrics().height()) : ToneLabel::sizeHint(); }
    [[nodiscard]] QSize minimumSizeHint() const override { return wordWrap() ? QSize(30, fontMetrics().height()) : ToneLabel::minimumSizeHint(); }
    [[nodiscard]] int heightForWidth(int width) const override
    {
        if (!wordWrap())
            return -1;
        if (text() != m_measured) {
            m_measured = text();
            m_heights.clear();
        }
        // Nested layouts ask for the least width and for the real one in turns.
        if (const auto known = m_heights.constFind(width); known != m_heights.constEnd())
            return *known;
        const QMargins room = contentsMargins();
        const QRect area(0, 0, std::max(1, width - room.left() - room.right()), 1 << 20);
        const int height = fontMetrics().boundingRect(area, static_cast<int>(alignment()) | Qt::TextWordWrap, m_measured).height() + room.top() + room.bottom();
        m_heights.insert(width, height);
        return height;
    }

protected:
    void enterEvent(QEnterEvent* event) override
    {
        setTextInteractionFlags(Qt::TextSelectableByMouse);
        ToneLabel::enterEvent(event);
    }
    void changeEvent(QEvent* event) override
    {
        if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
            m_heights.clear();
        ToneLabel::changeEvent(event);
    }

private:
    mutable QHash<int, int> m_heights;   ///< by width, of m_measured
    mutable QString m_measured;
};

constexpr int kWholeValue = 150;   ///< widest value that is never broken, pixels

// A figure stays in one piece; its name gives way.
bool isWhole(const QString& value)
{
    return QFontMetrics(theme::font(Role::Body)).horizontalAdvance(value) <= kWholeValue;
}

void setWords(QLabel* label, const QString& words)
{
    if (label && label->text() != words)
        label->setText(words);
}

bool sameParts(const InspectorSection& a, const InspectorSection& b)
{
    return a.heading.isEmpty() == b.heading.isEmpty() && a.value.isEmpty() == b.value.isEmpty() && a.formula.size() == b.formula.size() && a.text.isEmpty() == b.text.isEmpty()
        && a.reasons.size() == b.reasons.size() && a.pairs.size() == b.pairs.size() && a.buttons.size() == b.buttons.size() && a.edge == b.edge
        && std::equal(a.pairs.begin(), a.pairs.end(), b.pairs.begin(), [](const auto& x, const auto& y) { return x.second == y.second || isWhole(x.second) == isWhole(y.second); });
}

}  // namespace

InspectorSectionView::InspectorSectionView(const InspectorSection& section, QWidget* parent) : QWidget(parent), m_section(section)
{
    auto* inner = new QVBoxLayout(this);
    inner->setContentsMargins(12, 10, 12, 11);
    inner->setSpacing(6);
    if (section.buttons.empty()) {
        fill(this);
        return;
    }
    auto* card = new Box(true, section.edge, this);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(13, 9, 10, 9);
    column->setSpacing(5);
    fill(card);
    inner->addWidget(card);
}

void InspectorSectionView::fill(QWidget* parent)
{
    auto* column = static_cast<QVBoxLayout*>(parent->layout());
    const InspectorSection& section = m_section;
    if (!section.heading.isEmpty()) {
        auto* row = new QHBoxLayout;
        m_heading = new Words(section.heading, Role::BodyBold, Token::Text, parent);
        row->addWidget(m_heading, 1);
        if (!section.value.isEmpty()) {
            m_value = new ToneLabel(section.value, Role::BodyBold, Token::Text, parent);
            row->addWidget(m_value, 0, Qt::AlignTop);
        }
        column->addLayout(row);
    }
    if (!section.formula.isEmpty()) {
        auto* box = new Box(false, Token::Line, parent);
        auto* lines = new QVBoxLayout(box);
        lines->setContentsMargins(8, 6, 8, 6);
        lines->setSpacing(2);
        for (const QString& line : section.formula) {
            m_formula.push_back(new Words(line, Role::FixedSmall, Token::Text, box));
            lines->addWidget(m_formula.back());
        }
        column->addWidget(box);
    }
    if (!section.text.isEmpty()) {
        m_text = new Words(section.text, Role::Body, section.buttons.empty() ? Token::Text2 : Token::Text, parent);
        column->addWidget(m_text);
    }
    for (const InspectorReason& reason : section.reasons) {
        auto* row = new QHBoxLayout;
        row->setSpacing(7);
        auto* mark = new QLabel(parent);
        mark->setFixedWidth(12);
        mark->setContentsMargins(0, 2, 0, 0);
        setReason(mark, reason);
        auto* words = new Words(reason.text, Role::Body, reason.token == Token::Text2 ? Token::Text2 : Token::Text, parent);
        row->addWidget(mark, 0, Qt::AlignTop);
        row->addWidget(words, 1);
        column->addLayout(row);
        m_reasons.push_back({mark, words});
    }
    if (!section.pairs.empty()) {
        auto* rows = new QVBoxLayout;
        rows->setSpacing(4);
        for (const auto& [name, value] : section.pairs) {
            auto* row = new QHBoxLayout;
            row->setSpacing(12);
            const bool whole = isWhole(value);
            Pair pair{new Words(name, Role::Body, Token::Text2, parent), new Words(value, Role::Body, Token::Text, parent)};
            pair.value->setWordWrap(!whole);
            pair.value->setAlignment(Qt::AlignRight | Qt::AlignTop);
            row->addWidget(pair.name, 1, Qt::AlignTop);
            row->addWidget(pair.value, whole ? 0 : 1, Qt::AlignTop);
            rows->addLayout(row);
            m_pairs.push_back(pair);
        }
        column->addLayout(rows);
    }
    if (!section.buttons.empty()) {
        auto* row = new QHBoxLayout;
        row->setSpacing(8);
        for (std::size_t i = 0; i < section.buttons.size(); ++i) {
            auto* push = new QPushButton(section.buttons[i].text, parent);
            push->setProperty("compact", true);
            push->setFont(theme::font(Role::Small));
            push->setAutoDefault(false);
            // A copy: what the action does may show another section in the place of this one.
            connect(push, &QPushButton::clicked, this, [this, i] {
                const auto action = m_section.buttons[i].action;
                action();
            });
            row->addWidget(push);
            m_buttons.push_back(push);
        }
        row->addStretch(1);
        column->addLayout(row);
    }
}

void InspectorSectionView::setReason(QLabel* mark, const InspectorReason& reason) const
{
    mark->setPixmap(theme::icon(reason.icon, reason.token).pixmap(QSize(12, 12), devicePixelRatioF()));
}

bool InspectorSectionView::showInPlace(const InspectorSection& section)
{
    if (!sameParts(m_section, section))
        return false;
    setWords(m_heading, section.heading);
    setWords(m_value, section.value);
    setWords(m_text, section.text);
    for (std::size_t i = 0; i < m_formula.size(); ++i)
        setWords(m_formula[i], section.formula[static_cast<qsizetype>(i)]);
    for (std::size_t i = 0; i < m_reasons.size(); ++i) {
        const InspectorReason& reason = section.reasons[i];
        setWords(m_reasons[i].words, reason.text);
        if (reason.icon == m_section.reasons[i].icon && reason.token == m_section.reasons[i].token)
            continue;
        setReason(m_reasons[i].mark, reason);
        static_cast<ToneLabel*>(m_reasons[i].words)->setToken(reason.token == Token::Text2 ? Token::Text2 : Token::Text);
    }
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        setWords(m_pairs[i].name, section.pairs[i].first);
        setWords(m_pairs[i].value, section.pairs[i].second);
    }
    for (std::size_t i = 0; i < m_buttons.size(); ++i)
        if (m_buttons[i]->text() != section.buttons[i].text)
            m_buttons[i]->setText(section.buttons[i].text);
    m_section = section;
    return true;
}

void InspectorSectionView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme::color(Token::Line));
}

}  // namespace stagecraft
