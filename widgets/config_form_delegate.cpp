// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_form_delegate.h"

#include "config/key_releases.h"
#include "widgets/config_fix.h"
#include "widgets/config_form_model.h"
#include "widgets/config_model.h"
#include "widgets/config_value.h"
#include "widgets/icons.h"
#include "widgets/step_name.h"
#include "widgets/theme.h"

#include <QAbstractItemView>
#include <QAction>
#include <QActionGroup>
#include <QFileDialog>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QToolTip>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

int dotSeverity(const ConfigFormModel& model, int row) { return model.severity(row); }

Token tokenOf(int severity)
{
    return severityToken(severity == 3 ? CheckSeverity::Error : severity == 2 ? CheckSeverity::Warning : CheckSeverity::Info);
}

/// What stands in the field while it is edited: a text with its quotes, where without them it would be another value.
QString editedText(const CatalogKey* key, const QByteArray& json)
{
    CatalogKey any;
    any.types = {KeyType::Any};
    const QString text = shownValue(json);
    return json.startsWith('"') && typedValue(key ? *key : any, text).json != json ? writtenValue(json) : text;
}

}  // namespace

ConfigFormDelegate::ConfigFormDelegate(ConfigModel& config, ConfigFormModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_config(config), m_model(model)
{
}

ConfigFormDelegate::Control ConfigFormDelegate::controlOf(int row) const
{
    if (m_model.row(row).header)
        return Control::None;
    const CatalogKey* key = m_model.catalogKey(row);
    if (!key || (m_model.isPattern(row) && !key->isSection()))
        return Control::Field;
    switch (key->types.front()) {
    case KeyType::Section: return holdsNoSection(m_model.json(row)) ? Control::Field : Control::None;
    case KeyType::Bool: {
        const QByteArray value = m_model.json(row);
        return value.isEmpty() || value == "true" || value == "false" ? Control::Switch : Control::Field;
    }
    case KeyType::Enum: return Control::Choice;
    case KeyType::String: return key->values.empty() ? Control::Field : Control::Choice;
    default: return Control::Field;
    }
}

QString ConfigFormDelegate::editName(int row, const QByteArray& json) const
{
    const QByteArray before = m_model.json(row);
    const QString name = m_model.row(row).pointer.section(QLatin1Char('/'), -1);
    if (json.isEmpty())
        return stepName([name] { return tr("Unset %1").arg(name); });
    if (before.isEmpty())
        return stepName([name, json] { return tr("Set %1 to %2").arg(name, shownValue(json)); });
    return stepName([name, before, json] { return tr("%1 %2 → %3").arg(name, writtenValue(before), writtenValue(json)); });
}

void ConfigFormDelegate::unset(int row)
{
    if (m_model.isEditable(row) && !m_model.json(row).isEmpty())
        m_config.unset(m_model.row(row).pointer, editName(row, {}));
}

void ConfigFormDelegate::chooseSegment(int row, int segment)
{
    if (!m_model.isEditable(row))
        return;
    if (segment == 2) {
        unset(row);
        return;
    }
    const QByteArray json = segment == 0 ? "true" : "false";
    if (m_model.json(row) != json)
        m_config.setValue(m_model.row(row).pointer, json, editName(row, json));
}

void ConfigFormDelegate::setTyped(int row, const QString& text, bool retyped)
{
    if (!m_model.isEditable(row))
        return;
    const CatalogKey* key = m_model.catalogKey(row);
    CatalogKey any;
    any.types = {KeyType::Any};
    const QByteArray before = m_model.json(row);
    if (text.trimmed().isEmpty()) {
        unset(row);
        return;
    }
    if (!retyped && text == editedText(key, before))
        return;
    const bool shownAsBefore = text == shownValue(before);
    if (shownAsBefore && (!retyped || !key || m_model.isPattern(row)))
        return;
    if (m_model.isPattern(row)) {
        if (const QString complaint = m_model.addInstance(row, text); !complaint.isEmpty())
            emit complained(tr("%1: %2").arg(m_model.name(row), complaint));
        return;
    }
    const TypedValue value = typedValue(key ? *key : any, text, elementBytesOf(m_config.document()));
    if (shownAsBefore && value.json.startsWith('"') == before.startsWith('"'))
        return;  // the same value, however it is spelled
    if (!value.isValid())
        emit complained(tr("%1: %2").arg(m_model.name(row), value.complaint));
    else
        m_config.setValue(m_model.row(row).pointer, value.json, editName(row, value.json));
}

void ConfigFormDelegate::openChoices(int row, QWidget* view, const QRect& rect)
{
    const CatalogKey* key = m_model.catalogKey(row);
    if (!key || !m_model.isEditable(row))
        return;
    auto* menu = new QMenu(view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(m_model.name(row));
    const QByteArray now = m_model.json(row);
    const QString pointer = m_model.row(row).pointer;
    auto* oneOf = new QActionGroup(menu);   // marks that say so
    const auto add = [&](const QByteArray& json, const QString& text) {
        QAction* action = oneOf->addAction(menu->addAction(text));
        action->setCheckable(true);
        action->setChecked(json == now);
        connect(action, &QAction::triggered, this, [this, pointer, json] {
            const int at = m_model.rowOfPointer(pointer);
            if (at < 0)
                return;
            if (json.isEmpty())
                unset(at);
            else if (json != m_model.json(at))
                m_config.setValue(pointer, json, editName(at, json));
        });
    };
    for (const std::string& value : key->values)
        if (takesValue(*key, value, m_config.context().release) || QByteArray::fromStdString(value) == now)
            add(QByteArray::fromStdString(value), choiceWords(*key, value));
    if (key->acceptsAuto)
        add("\"auto\"", QStringLiteral("auto"));
    menu->addSeparator();
    const QByteArray byDefault = QByteArray::fromStdString(defaultIn(*key, m_config.context().release));
    const QString counts = byDefault.isEmpty() ? catalogText(key->unset) : choiceWords(*key, byDefault.toStdString());
    add({}, counts.isEmpty() ? tr("unset") : tr("unset (%1)").arg(counts));
    menu->setMinimumWidth(rect.width());
    menu->popup(view->mapToGlobal(rect.bottomLeft() + QPoint(0, 1)));
    menu->setActiveAction(oneOf->checkedAction());   // the arrows go on from the value there is
}

void ConfigFormDelegate::paintHeader(QPainter* painter, const QRect& rect, int row) const
{
    const int group = m_model.row(row).group;
    const bool folded = m_model.isFolded(group);
    const int middle = rect.top() + rect.height() / 2 + 1;
    painter->drawPixmap(QRect(rect.left() + 12, middle - 6, 12, 12),
        theme::iconPixmap(folded ? QStringLiteral("go-next") : QStringLiteral("go-down"), theme::color(Token::Text2), 12, painter->device()->devicePixelRatioF()));
    const QFont bold = theme::font(Role::BodyBold);
    painter->setFont(bold);
    painter->setPen(theme::color(Token::Text));
    QRect text = rect.adjusted(30, 2, -12, 0);
    painter->drawText(text, Qt::AlignVCenter, m_model.name(row));
    text.setLeft(text.left() + QFontMetrics(bold).horizontalAdvance(m_model.name(row)) + 8);
    painter->setFont(theme::font(Role::Small));
    painter->setPen(theme::color(Token::Text2));
    painter->drawText(text, Qt::AlignVCenter, headerWords(m_model.headerSubtitle(group), text.width()));
}

QString ConfigFormDelegate::headerWords(const QString& words, int width)
{
    const QFontMetrics metrics(theme::font(Role::Small));
    if (metrics.horizontalAdvance(words) <= width)
        return words;
    // What a sum comes to stands in the row below: its parts are what is read here.
    return metrics.elidedText(words.mid(words.indexOf(QLatin1Char('=')) + 1).trimmed(), Qt::ElideRight, width);
}

void ConfigFormDelegate::paintKey(QPainter* painter, const QRect& rect, int row) const
{
    const KeyLines& lines = linesOf(row, rect.width());
    const QFont small = theme::font(Role::FixedSmall);
    const int high = QFontMetrics(small).height();
    painter->setFont(small);
    painter->setPen(theme::color(m_model.row(row).applies ? Token::Text2 : Token::Disabled));
    QRect line(rect.left() + 22, rect.top() + 2, rect.width() - 34, high);
    for (const QString& part : lines.section) {
        painter->drawText(line, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextDontClip, part);
        line.translate(0, high);
    }
    if (m_model.row(row).applies && !m_model.json(row).isEmpty())
        painter->setPen(theme::color(Token::Text));
    if (!lines.small)
        painter->setFont(theme::font(Role::Fixed));
    const int top = rect.top() + static_cast<int>(lines.section.size()) * high;
    line.moveTop(top + (rect.bottom() + 1 - top - static_cast<int>(lines.key.size()) * high) / 2);
    for (const QString& part : lines.key) {
        painter->drawText(line, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextDontClip, part);
        line.translate(0, high);
    }
}

ConfigFormDelegate::FieldWords ConfigFormDelegate::fieldWords(int row, int width) const
{
    constexpr int kBeforeUnit = 6;   // px
    const CatalogKey* key = m_model.catalogKey(row);
    const QByteArray value = m_model.json(row);
    const QFontMetrics metrics(theme::font(Role::Body));
    FieldWords words;
    words.value = (!value.isEmpty() ? writtenValue(value) : m_model.isPattern(row) ? patternPrompt(row) : key ? shownDefault(*key, m_config.context().release) : QString()).simplified();
    words.unit = key && controlOf(row) == Control::Field ? unitWord(*key) : QString();
    const int unit = words.unit.isEmpty() ? 0 : QFontMetrics(theme::font(Role::Small)).horizontalAdvance(words.unit) + kBeforeUnit;
    // A number that lacks its last digits reads as another one.
    if (!value.isEmpty() && metrics.horizontalAdvance(words.value) > width - unit)
        words.value = shortValue(value).simplified();
    if (metrics.horizontalAdvance(words.value) > width - unit)
        words.unit.clear();
    words.value = metrics.elidedText(words.value, Qt::ElideRight, width);
    return words;
}

void ConfigFormDelegate::paintControl(QPainter* painter, const QRect& rect, int row, bool current) const
{
    const Control control = controlOf(row);
    const QByteArray value = m_model.json(row);
    const bool set = !value.isEmpty();
    const bool enabled = m_model.isEditable(row);
    const int severity = dotSeverity(m_model, row);
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
    const auto outline = [&] {
        const bool wrong = severity == 3;
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(theme::color(wrong ? Token::Error : enabled ? Token::InputBorder : Token::Line), 1));
        painter->drawRoundedRect(frame, 2, 2);
    };

    if (control == Control::Switch) {
        const std::vector<int> widths = segmentWidths();
        const int chosen = !set ? 2 : value == "true" ? 0 : 1;
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme::color(Token::Button));
        painter->drawRoundedRect(frame, 2, 2);
        painter->setFont(theme::font(Role::Body));
        int left = rect.left();
        for (int part = 0; part < 3; ++part) {
            const QRect cell(left, rect.top(), widths[static_cast<std::size_t>(part)], rect.height());
            if (part == chosen)
                painter->fillRect(cell.adjusted(part == 0 ? 1 : 0, 1, part == 2 ? 0 : -1, -1), theme::color(Token::Selection));
            if (part > 0) {
                painter->setPen(theme::color(Token::InputBorder));
                painter->drawLine(cell.topLeft() + QPoint(0, 1), cell.bottomLeft() - QPoint(0, 1));
            }
            painter->setPen(theme::color(!enabled ? Token::Disabled : part == chosen ? Token::Text : Token::Text2));
            painter->drawText(cell, Qt::AlignCenter, segmentWord(part));
            left += cell.width();
        }
        outline();
        return;
    }

    painter->setPen(Qt::NoPen);
    painter->setBrush(theme::color(Token::Base));
    painter->drawRoundedRect(frame, 2, 2);
    outline();
    QRect inside = rect.adjusted(7, 0, -7, 0);
    if (control == Control::Choice) {
        painter->drawPixmap(QRect(inside.right() - 11, rect.top() + 6, 12, 12),
            theme::iconPixmap(QStringLiteral("go-down"), theme::color(Token::Text2), 12, painter->device()->devicePixelRatioF()));
        inside.setRight(inside.right() - 16);
    }
    const FieldWords words = fieldWords(row, inside.width());
    if (!words.unit.isEmpty()) {
        painter->setFont(theme::font(Role::Small));
        painter->setPen(theme::color(Token::Text2));
        painter->drawText(inside, Qt::AlignVCenter | Qt::AlignRight, words.unit);
    }
    painter->setFont(theme::font(Role::Body));
    painter->setPen(theme::color(!enabled ? Token::Disabled : set ? Token::Text : Token::Text2));
    painter->drawText(inside, Qt::AlignVCenter | Qt::AlignLeft, words.value);
    Q_UNUSED(current)
}

void ConfigFormDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    painter->save();
    const int row = index.row();
    const QRect rect = option.rect;
    if (m_model.row(row).header) {
        paintHeader(painter, rect, row);
        if (option.state.testFlag(QStyle::State_HasFocus)) {
            painter->setPen(QPen(theme::color(Token::Accent), 2));
            painter->drawRect(rect.adjusted(2, 2, -2, -2));
        }
        painter->restore();
        return;
    }
    const bool current = option.state.testFlag(QStyle::State_Selected);
    if (current)
        painter->fillRect(rect, theme::color(Token::Selection));
    const bool set = !m_model.json(row).isEmpty();
    const int severity = dotSeverity(m_model, row);
    const Control control = controlOf(row);
    const QRect editor = controlRect(row, rect);
    if (set || severity > 1) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme::color(severity > 1 ? tokenOf(severity) : Token::Accent));
        painter->drawEllipse(QPointF(rect.left() + 11, editor.center().y() + 0.5), 3, 3);
    }
    paintKey(painter, rect, row);
    if (control != Control::None)
        paintControl(painter, editor, row, current);

    if (const QStringList note = noteLines(row, rect); !note.isEmpty()) {
        painter->setFont(theme::font(Role::Small));
        painter->setPen(theme::color(severity > 1 ? tokenOf(severity) : Token::Text2));
        painter->drawText(noteRect(row, rect), Qt::AlignVCenter | Qt::AlignRight, note.join(QLatin1Char('\n')));
    }
    if (option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(theme::color(Token::Accent), 2));
        const QRect ring = control == Control::None ? rect.adjusted(2, 2, -2, -2) : editor;
        painter->drawRoundedRect(QRectF(ring), 3, 3);
    }
    painter->restore();
}

QString ConfigFormDelegate::patternPrompt(int row) const
{
    return m_model.isListPattern(row) ? tr("value of a new entry") : tr("a name to add");
}

void ConfigFormDelegate::addBrowser(QLineEdit& field, int row) const
{
    QAction* browse = field.addAction(theme::icon(QStringLiteral("document-open"), Token::Text2), QLineEdit::TrailingPosition);
    browse->setText(tr("Choose a file or folder"));
    browse->setToolTip(browse->text());
    const QString pointer = m_model.row(row).pointer;
    QWidget* window = field.window();
    auto* self = const_cast<ConfigFormDelegate*>(this);  // editors are made by const functions, and edit
    connect(browse, &QAction::triggered, this, [self, pointer, window] {
        auto* dialog = new QFileDialog(window, tr("Choose a path"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        // Paths of a ds_config are of the machine that trains: what is not here can still be typed.
        const bool folder = pointer.endsWith(QLatin1String("path")) || pointer.endsWith(QLatin1String("dir"));
        dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::AnyFile);
        connect(dialog, &QFileDialog::fileSelected, self, [self, pointer](const QString& path) {
            if (const int at = self->m_model.rowOfPointer(pointer); at >= 0)
                self->setTyped(at, path);
        });
        dialog->open();
    });
}

QWidget* ConfigFormDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    Q_UNUSED(option)
    const int row = index.row();
    const Control control = controlOf(row);
    if (control == Control::None || control == Control::Switch || !m_model.isEditable(row))
        return nullptr;
    auto* field = new QLineEdit(parent);
    field->setAccessibleName(m_model.name(row));
    const CatalogKey* key = m_model.catalogKey(row);
    if (key)
        field->setAccessibleDescription(catalogText(key->what));
    field->setTextMargins(1, 0, 1, 0);
    if (key && key->types.front() == KeyType::Path && !m_model.isPattern(row))
        addBrowser(*field, row);
    const bool takesName = m_model.isPattern(row) && !m_model.isListPattern(row);
    connect(field, &QLineEdit::textChanged, field, [field, key, takesName](const QString& text) {
        if (takesName)
            return;  // any name will do
        CatalogKey any;
        any.types = {KeyType::Any};
        const bool invalid = !text.trimmed().isEmpty() && !typedValue(key ? *key : any, text).isValid();
        if (field->property("invalid").toBool() != invalid) {
            field->setProperty("invalid", invalid);
            field->update();
        }
    });
    return field;
}

void ConfigFormDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QRect rect = controlRect(index.row(), option.rect);
    // Lists and paths get the room up to the edge.
    const CatalogKey* key = m_model.catalogKey(index.row());
    if (!key || key->unit.empty())
        rect.setRight(option.rect.right() - 12);
    editor->setGeometry(rect);
}

void ConfigFormDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const
{
    auto* field = qobject_cast<QLineEdit*>(editor);
    if (!field || field->isModified())
        return;
    const CatalogKey* key = m_model.catalogKey(index.row());
    const QByteArray value = m_model.json(index.row());
    field->setText(editedText(key, value));
    if (m_model.isPattern(index.row()))
        field->setPlaceholderText(patternPrompt(index.row()));
    else if (value.isEmpty() && key)
        field->setPlaceholderText(shownDefault(*key, m_config.context().release));
    field->selectAll();
}

void ConfigFormDelegate::setModelData(QWidget* editor, QAbstractItemModel*, const QModelIndex& index) const
{
    if (auto* field = qobject_cast<QLineEdit*>(editor))
        const_cast<ConfigFormDelegate*>(this)->setTyped(index.row(), field->text(), field->isModified());
}

bool ConfigFormDelegate::eventFilter(QObject* object, QEvent* event)
{
    auto* field = qobject_cast<QLineEdit*>(object);
    if (field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const bool leaves = key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab || key == Qt::Key_Backtab;
        if (leaves && field->property("invalid").toBool()) {
            // What cannot be right stays open with its reason instead of vanishing.
            const auto* view = qobject_cast<QAbstractItemView*>(parent());
            const QModelIndex at = view ? view->currentIndex() : QModelIndex();
            const CatalogKey* entry = at.isValid() ? m_model.catalogKey(at.row()) : nullptr;
            const QString complaint = entry ? typedValue(*entry, field->text()).complaint : tr("JSON is expected.");
            QToolTip::showText(field->mapToGlobal(QPoint(0, field->height())), complaint, field);
            emit complained(complaint);
            return true;
        }
    }
    return QStyledItemDelegate::eventFilter(object, event);
}

bool ConfigFormDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem&, const QModelIndex& index)
{
    if (!index.isValid() || m_model.row(index.row()).header)
        return false;
    const int row = index.row();
    QString text = QStringLiteral("<b>%1</b>").arg(m_model.row(row).pointer.toHtmlEscaped());
    if (const CatalogKey* key = m_model.catalogKey(row))
        text += QStringLiteral("<br>") + catalogText(key->what).toHtmlEscaped();
    if (const int finding = m_config.findingAt(m_model.row(row).pointer); finding >= 0)
        text += QStringLiteral("<br>") + QString::fromStdString(m_config.answer().findings[static_cast<std::size_t>(finding)].message).toHtmlEscaped();
    QToolTip::showText(event->globalPos(), text, view);
    return true;
}

}  // namespace stagecraft
