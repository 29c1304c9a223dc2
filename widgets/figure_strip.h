// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace stagecraft {

/// A piece of a figure's value line: an icon, text in a role and colour, or a bar.
struct FigurePart {
    QString icon;                               ///< icon name, 16 px
    QString text;
    theme::Role role = theme::Role::Figure;
    theme::Token token = theme::Token::Text;
    double bar = -1;                            ///< >= 0: a bar of 88 px filled to this share (capped at 1)
    bool spare = false;                         ///< the tip says it too: goes before a whole figure does
};

/// One cell of the strip: a small label over a value line.
struct Figure {
    QString label;
    std::vector<FigurePart> parts;
    QString tip;          ///< what it means: formula, interval, source
    QString id;           ///< told by clicked()
    bool atEnd = false;   ///< stands at the right end
    bool lasting = false; ///< goes, when room is short, only after those that are not
};

/// The 56 px line over a page: the same figures at the same place everywhere. When room is short their spare parts go first, then the
/// rightmost figures, those at the end before the others and the lasting ones last. Each cell takes the focus and says its figures to screen readers.
class FigureStrip : public QWidget {
    Q_OBJECT
public:
    explicit FigureStrip(QWidget* parent = nullptr);
    void setFigures(std::vector<Figure> figures);
    /// Labels and value words of the cells shown now, for tests and screen readers.
    [[nodiscard]] QStringList shownTexts() const;
    [[nodiscard]] QSize sizeHint() const override { return {600, 56}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, 56}; }

signals:
    void clicked(const QString& id);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void arrange();
    std::vector<class FigureCell*> m_cells;
};

/// A cell of the strip; a button, so that keyboard and screen readers reach it.
class FigureCell : public QWidget {
    Q_OBJECT
public:
    explicit FigureCell(QWidget* parent);
    void setFigure(const Figure& figure);
    [[nodiscard]] const Figure& figure() const { return m_figure; }
    /// Without its spare parts.
    void setBrief(bool brief);
    [[nodiscard]] int neededWidth(bool brief) const;

signals:
    void clicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    Figure m_figure;
    bool m_brief = false;
};

}  // namespace stagecraft
