// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

class QLabel;
class QLineEdit;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

/// A name, a field for words between commas, and below them why what was typed is refused: modules of a model. Enter and leaving the
/// field enter it, empty too; Esc takes it back.
class NameRow : public QWidget {
    Q_OBJECT
public:
    explicit NameRow(QWidget* parent);
    /// @param hint  stands in the empty field
    void setName(const QString& name, const QString& hint, const QString& tip);
    /// What the workspace says. Not while somebody types.
    void setShown(const QStringList& words);
    /// Says why what was entered is refused; empty takes it back.
    void setComplaint(const QString& sentence);
    [[nodiscard]] QString complaint() const;
    [[nodiscard]] QLineEdit* field() const { return m_field; }

signals:
    void entered(const QStringList& words);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void enter();

    QString m_shown;
    QLabel* m_name;
    QLineEdit* m_field;
    ToneLabel* m_complaint;
};

}  // namespace stagecraft::app
