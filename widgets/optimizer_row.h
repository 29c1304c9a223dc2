// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace stagecraft {

class ConfigModel;
class ToneLabel;

/// Above the findings, where nobody gives an optimizer: a training script may pass its own, which no file shows. One click says that it
/// does. Hidden while it makes no difference.
class OptimizerRow : public QWidget {
    Q_OBJECT
public:
    explicit OptimizerRow(ConfigModel& config, QWidget* parent = nullptr);

    [[nodiscard]] const ToneLabel* words() const { return m_words; }
    /// Says that the script gives one, or that it does not any more.
    [[nodiscard]] QPushButton* chooseButton() const { return m_choose; }

signals:
    void optimizerRequested(bool byScript);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void showMark();

    ConfigModel& m_config;
    QLabel* m_mark;
    ToneLabel* m_words;
    QPushButton* m_choose;
};

}  // namespace stagecraft
