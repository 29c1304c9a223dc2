// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QString>
#include <QWidget>

#include <vector>

class QLineEdit;
class QListWidget;
class QListWidgetItem;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

/// A searchable list of things to choose: a title over its facts, and at the right in a word what choosing it comes to. Rows stand
/// in groups. A click or Enter chooses; the arrows of the search field move in the list.
class ChoiceList : public QWidget {
    Q_OBJECT
public:
    struct Row {
        QString id, title, facts;
        QString words;   ///< more that the search finds it by
    };
    struct Group {
        QString title;
        std::vector<Row> rows;
    };

    explicit ChoiceList(QWidget* parent = nullptr);
    void setNames(const QString& list, const QString& search);
    void setGroups(const std::vector<Group>& groups);
    /// The row that is chosen now, in bold; none for an unknown id.
    void setCurrent(const QString& id);
    /// What choosing the row comes to; an icon and a word in the colour of `token`.
    void setEffect(const QString& id, const QString& word, const QString& tip, theme::Token token, const QString& icon);
    void clearEffects();
    /// The row that is chosen; empty where none is.
    [[nodiscard]] const QString& current() const { return m_current; }
    [[nodiscard]] QLineEdit* search() const { return m_search; }
    [[nodiscard]] QListWidget* list() const { return m_list; }
    [[nodiscard]] QListWidgetItem* item(const QString& id) const;

signals:
    void chosen(const QString& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter();
    void choose(const QListWidgetItem* item);

    QLineEdit* m_search;
    QListWidget* m_list;
    ToneLabel* m_none;
    QString m_current;
};

}  // namespace stagecraft::app
