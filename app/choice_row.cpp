// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/choice_row.h"

#include "app/number_row.h"
#include "widgets/tone_label.h"
#include "widgets/wheel_guard.h"

#include <QComboBox>
#include <QHBoxLayout>

namespace stagecraft::app {

QWidget* choiceRow(ToneLabel* name, QComboBox* box, QWidget* parent)
{
    class Row : public QWidget {
    public:
        Row(QComboBox* choice, QWidget* above) : QWidget(above), m_choice(choice) {}

    protected:
        void resizeEvent(QResizeEvent* event) override
        {
            QWidget::resizeEvent(event);
            m_choice->setMaximumWidth(rowFieldWidth(width()));
        }

    private:
        QComboBox* m_choice;
    };
    auto* row = new Row(box, parent);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(12, 2, 12, 2);
    line->setSpacing(8);
    name->setParent(row);
    box->setParent(row);
    box->setFixedHeight(24);
    box->setMinimumWidth(rowFieldWidth(0));   // its words are cut before the panel is
    turnByWheelOnlyWithFocus(box);
    name->setBuddy(box);
    line->addWidget(name, 1);
    line->addWidget(box, 100);
    return row;
}

void nameItems(QComboBox* box, const QStringList& names)
{
    for (int i = 0; i < names.size(); ++i)
        box->setItemText(i, names[i]);
}

}  // namespace stagecraft::app
