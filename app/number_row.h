// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QString>
#include <QWidget>

class QLineEdit;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

/// How wide the field at the right of a row is: one width for all rows, and less where the panel is narrow. Both in pixels.
[[nodiscard]] int rowFieldWidth(int rowWidth);

/// A name, a field for a number, its unit, and below them why what was typed is refused. Numbers may be written 7B, 1.3e9, 500M.
/// Enter and leaving the field enter a number; one that is refused stays in the field, marked, and is not entered. Esc takes it back.
class NumberRow : public QWidget {
    Q_OBJECT
public:
    /// @param least, most  what the field takes  @param whole  no fractions
    NumberRow(double least, double most, bool whole, QWidget* parent);
    void setName(const QString& name, const QString& unit, const QString& tip = {});
    /// What the workspace says; empty when it says nothing. Not while somebody types.
    void setShown(const QString& text);
    /// The number may be left out: an emptied field is entered as that, and says `meanwhile` while it is empty.
    void setOptional(const QString& meanwhile);
    /// Nobody chose the number that is shown: typed as it stands, it is entered too.
    void setAssumed(bool assumed) { m_assumed = assumed; }
    /// Says why the number that was entered is refused; empty takes it back.
    void setComplaint(const QString& sentence);
    [[nodiscard]] QString complaint() const;
    [[nodiscard]] QString name() const { return m_name->text(); }
    [[nodiscard]] QLineEdit* field() const { return m_field; }

signals:
    void entered(double value);
    /// A number that may be left out was taken away.
    void cleared();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] QString refusal(double* value) const;
    void enter();
    void fitField();

    double m_least, m_most;
    bool m_whole;
    bool m_optional = false;
    bool m_assumed = false;
    QString m_shown;
    QLabel* m_name;
    QLineEdit* m_field;
    ToneLabel* m_unit;
    ToneLabel* m_complaint;
};

}  // namespace stagecraft::app
