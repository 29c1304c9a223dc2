// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

class QHBoxLayout;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace stagecraft {

class ToneLabel;

/// The 28 px bar over a panel: title in bold, subtitle in grey, then whatever the panel adds at the right.
class PanelHeader : public QWidget {
    Q_OBJECT
public:
    explicit PanelHeader(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setSubtitle(const QString& subtitle);
    /// Puts `widget` at the right end, before the tool buttons already there. Takes ownership.
    void addWidget(QWidget* widget);
    /// A 22 px icon button; `tip` says what it does and is its accessible name.
    QToolButton* addTool(const QString& iconName, const QString& tip);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ToneLabel* m_title;
    ToneLabel* m_subtitle;
    QHBoxLayout* m_row;
};

/// A header over one content widget on Base. Panels touch each other; QSplitter draws the lines between.
class Panel : public QWidget {
    Q_OBJECT
public:
    explicit Panel(const QString& title, QWidget* parent = nullptr);

    [[nodiscard]] PanelHeader* header() const { return m_header; }
    /// Replaces the content. Takes ownership.
    void setContent(QWidget* content);
    [[nodiscard]] QWidget* content() const { return m_content; }

private:
    PanelHeader* m_header;
    QVBoxLayout* m_column;
    QWidget* m_content = nullptr;
};

/// `content` as wide as the room it gets and as high as it needs, scrolled up and down. Takes ownership.
[[nodiscard]] QScrollArea* verticalScroll(QWidget* content);

}  // namespace stagecraft
