// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>
#include <QWidget>

class QLineEdit;
class QStandardItemModel;

namespace stagecraft {

class ConfigFormDelegate;
class ConfigFormModel;
class ConfigModel;
class PanelHeader;
class ToneLabel;

/// The form's list: mouse and keys act on the controls that the delegate paints.
class ConfigFormView : public QListView {
    Q_OBJECT
public:
    ConfigFormView(ConfigModel& config, QWidget* parent = nullptr);

    [[nodiscard]] ConfigFormModel& rows() const { return *m_rows; }
    [[nodiscard]] ConfigFormDelegate& controls() const { return *m_controls; }
    /// Enter on the current row: opens its editor or list of values, folds a header.
    void activateCurrent();

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint) override;
    bool focusNextPrevChild(bool next) override;
    void focusInEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void moveEvent(QMoveEvent* event) override;

private:
    ConfigModel& m_config;
    ConfigFormModel* m_rows;
    ConfigFormDelegate* m_controls;
    bool m_filling = false;   ///< values are being set: Tab goes from row to row; to pass by with Tab is one step
};

/// Groups with counts and a search field; chooses what the form shows.
class ConfigGroups : public QWidget {
    Q_OBJECT
public:
    ConfigGroups(ConfigModel& config, ConfigFormView& form, QWidget* parent = nullptr);

    [[nodiscard]] QLineEdit* searchField() const { return m_search; }
    [[nodiscard]] QListView* list() const { return m_list; }

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fill();
    void choose(int row);
    /// What the search looks through, as far as its field has room for it.
    void showPlaceholder();
    void showScrollBar();

    ConfigModel& m_config;
    ConfigFormView& m_form;
    QLineEdit* m_search;
    QListView* m_list;
    QStandardItemModel* m_items;
};

/// Header and list, with the notice shown while the text cannot be read.
class ConfigForm : public QWidget {
    Q_OBJECT
public:
    explicit ConfigForm(ConfigModel& config, QWidget* parent = nullptr);

    [[nodiscard]] ConfigFormView* view() const { return m_view; }

signals:
    void complained(const QString& message);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    ConfigModel& m_config;
    PanelHeader* m_header;
    ToneLabel* m_notice;
    ToneLabel* m_legend;
    ToneLabel* m_empty;
    ConfigFormView* m_view;
};

}  // namespace stagecraft
