// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace stagecraft::app {

/// The dashed frame over the window while a file is dragged over it, with a sentence saying what releasing it does.
class DropFrame : public QWidget {
    Q_OBJECT
public:
    explicit DropFrame(QWidget* window);
    void showFor(const QString& path);
    [[nodiscard]] QString sentence() const { return m_sentence; }
    /// Where the sentence stands.
    [[nodiscard]] QRect box() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_sentence;
};

}  // namespace stagecraft::app
