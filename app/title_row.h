// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

class QHBoxLayout;
class QPushButton;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

class Page;

/// The 36 px row over a page: its name, its subject in grey, its controls at the right.
class TitleRow : public QWidget {
    Q_OBJECT
public:
    explicit TitleRow(QWidget* parent = nullptr);
    void showPage(Page* page);
    /// The button that opens the inspector in a narrow window; hidden until shown.
    [[nodiscard]] QPushButton* inspectorButton() const { return m_inspector; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();

    QPointer<Page> m_page;
    QPointer<QWidget> m_controls;
    QHBoxLayout* m_row;
    ToneLabel* m_name;
    ToneLabel* m_subject;
    QPushButton* m_inspector;
};

}  // namespace stagecraft::app
