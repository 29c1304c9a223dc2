// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/key_lines.h"

#include <QHash>
#include <QStyledItemDelegate>

#include <utility>
#include <vector>

class QLineEdit;

namespace stagecraft {

class ConfigFormModel;
class ConfigModel;
struct CatalogKey;

/// Paints a row of the form as UI.md section 5 has it (dot, key, editor, note) and opens the editor that fits its type.
class ConfigFormDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    ConfigFormDelegate(ConfigModel& config, ConfigFormModel& model, QObject* parent);

    enum class Control { None, Field, Choice, Switch };
    [[nodiscard]] Control controlOf(int row) const;
    /// Where the control of a row that is painted in `rect` stands.
    [[nodiscard]] QRect controlRect(int row, const QRect& rect) const;
    /// Part of a switch under `x`: 0 true, 1 false, 2 unset; -1 outside.
    [[nodiscard]] int segmentAt(int row, const QRect& rect, int x) const;
    /// The lines that a row of `rowWidth` pixels writes its key in.
    [[nodiscard]] const KeyLines& linesOf(int row, int rowWidth) const;
    /// What stands beside the name of a group, as far as `width` px have room for it.
    [[nodiscard]] static QString headerWords(const QString& words, int width);
    /// What stands in a field of that width inside: all of the value where there is room, else its short form, else without its unit.
    struct FieldWords {
        QString value, unit;
    };
    [[nodiscard]] FieldWords fieldWords(int row, int width) const;
    /// Where a row's note stands, right of its control, and the lines it is written in.
    [[nodiscard]] QRect noteRect(int row, const QRect& rect) const;
    [[nodiscard]] QStringList noteLines(int row, const QRect& rect) const;

    /// Sets a boolean or takes it out of the file (2).
    void chooseSegment(int row, int segment);
    /// Opens the list of known values below the control.
    void openChoices(int row, QWidget* view, const QRect& rect);
    void unset(int row);
    /// @param retyped  a person typed it: what shows as it did before, a "4" in quotes where a number belongs, becomes that number
    void setTyped(int row, const QString& text, bool retyped = false);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    bool eventFilter(QObject* object, QEvent* event) override;
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option, const QModelIndex& index) override;

signals:
    void complained(const QString& message);

private:
    void paintHeader(QPainter* painter, const QRect& rect, int row) const;
    void paintKey(QPainter* painter, const QRect& rect, int row) const;
    void paintControl(QPainter* painter, const QRect& rect, int row, bool current) const;
    [[nodiscard]] QString editName(int row, const QByteArray& json) const;
    [[nodiscard]] static QString segmentWord(int part);
    [[nodiscard]] std::vector<int> segmentWidths() const;
    [[nodiscard]] QString patternPrompt(int row) const;
    /// A button inside the field that opens the system's file dialog.
    void addBrowser(QLineEdit& field, int row) const;

    ConfigModel& m_config;
    ConfigFormModel& m_model;
    mutable QHash<std::pair<QString, int>, KeyLines> m_lines;   ///< by name and its room: a layout asks for those of every row
    mutable int m_linesWidth = 0;   ///< of the rows that m_lines is for
};

}  // namespace stagecraft
