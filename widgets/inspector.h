// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <utility>
#include <vector>

class QScrollArea;
class QSplitter;
class QToolButton;
class QVBoxLayout;

namespace stagecraft {

class InspectorSectionView;
class PanelHeader;
class ToneLabel;

/// A line with a meaning: icon, sentence.
struct InspectorReason {
    QString icon;
    theme::Token token = theme::Token::Text2;
    QString text;
};

struct InspectorButton {
    QString text;
    std::function<void()> action;
};

/// One section; the parts that are empty are not shown.
struct InspectorSection {
    QString heading;
    QString value;                                    ///< bold, right of the heading
    QStringList formula;                              ///< fixed, one line each: symbols, numbers, result
    QString text;
    std::vector<InspectorReason> reasons;
    std::vector<std::pair<QString, QString>> pairs;
    std::vector<InspectorButton> buttons;             ///< makes the section a card
    theme::Token edge = theme::Token::Accent;         ///< of a card
};

/// What is selected or under the focus, explained.
struct InspectorContent {
    QString title;
    std::vector<InspectorSection> sections;
    [[nodiscard]] bool isEmpty() const { return title.isEmpty(); }
};

/// One content, scrollable, under a header with its title.
class InspectorView : public QWidget {
    Q_OBJECT
public:
    /// @param frozen  shows what was pinned: its pin is down, and taking it up asks to go
    InspectorView(bool frozen, QWidget* parent);

    void setContent(const InspectorContent& content);
    [[nodiscard]] const InspectorContent& content() const { return m_content; }
    [[nodiscard]] QToolButton* pinButton() const { return m_pin; }
    /// Everything shown, as plain text: what the copy button copies and what tests read.
    [[nodiscard]] QString plainText() const;

signals:
    void pinClicked();

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void showSections();
    void retranslate();

    bool m_frozen;
    PanelHeader* m_header;
    QToolButton* m_copy;
    QToolButton* m_pin;
    QScrollArea* m_scroll;
    QVBoxLayout* m_column = nullptr;
    ToneLabel* m_hint = nullptr;
    std::vector<InspectorSectionView*> m_sections;
    InspectorContent m_content;
};

/// The 312 px column at the right. Pinning freezes what it shows and opens a second one below, which later selections fill;
/// pinning that takes the place of what was pinned before.
class Inspector : public QWidget {
    Q_OBJECT
public:
    explicit Inspector(QWidget* parent = nullptr);

    void show(const InspectorContent& content);
    [[nodiscard]] bool isPinned() const;
    /// What the selection is explained by, as plain text; without what is pinned.
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] InspectorView* live() const { return m_live; }
    [[nodiscard]] InspectorView* pinned() const { return m_pinned; }

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    InspectorView* m_pinned;
    InspectorView* m_live;
    QSplitter* m_split;
};

}  // namespace stagecraft

Q_DECLARE_METATYPE(stagecraft::InspectorContent)
