// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style.h"

#include "widgets/icons.h"
#include "widgets/style_parts.h"
#include "widgets/theme.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDateTime>
#include <QFileDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QSlider>
#include <QStyleOption>
#include <QStyledItemDelegate>
#include <QTreeView>

#include <algorithm>

namespace stagecraft::theme {

namespace {

constexpr int kHeaderInset = 6;   ///< px, of a header's text, beside the margin that Qt leaves

bool hasFlag(const QWidget* widget, const char* name)
{
    return widget && widget->property(name).toBool();
}

bool focused(const QStyleOption* option)
{
    return option->state.testFlag(QStyle::State_HasFocus) && option->state.testFlag(QStyle::State_Enabled);
}

/// The window that drops down from a combo box, and the list in it.
bool isComboPopup(const QWidget* widget) { return widget && widget->inherits("QComboBoxPrivateContainer"); }
/// What a completer offers below a field: a list that is a window of its own.
bool isPopupList(const QWidget* widget) { return widget && widget->windowType() == Qt::Popup && qobject_cast<const QAbstractItemView*>(widget); }
bool isComboList(const QWidget* widget) { return widget && widget->inherits("QComboBoxListView"); }

/// Sizes, kinds and dates of files are read whole: Qt's widths for them are of another style's rows. They come after the rows, when no
/// header fits itself to them any more.
void giveFilesRoom(QTreeView& files)
{
    constexpr int kInsets = 28;   // px
    QHeaderView* header = files.header();
    if (header->count() == 0)
        return;
    header->setStretchLastSection(false);
    header->setSectionResizeMode(0, QHeaderView::Stretch);
    const QString date = QLocale::system().toString(QDateTime(QDate(2028, 12, 28), QTime(22, 58, 58)), QLocale::ShortFormat);
    const QString widest[] = {QStringLiteral("1023.99 bytes"), QStringLiteral("plain text document"), date};
    for (int column = 1; column <= 3 && column < header->count(); ++column)
        header->resizeSection(column, files.fontMetrics().horizontalAdvance(widest[column - 1]) + kInsets);
    files.window()->resize(files.window()->size().expandedTo({800, 440}));
}

}  // namespace

Style::Style() : QProxyStyle(QStringLiteral("Fusion")) {}

void Style::polish(QWidget* widget)
{
    if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) || qobject_cast<QSlider*>(widget) || qobject_cast<QScrollBar*>(widget))
        widget->setAttribute(Qt::WA_Hover);
    // The list of a combo box has rows as any other list: its own delegate asks no style for their height.
    if (auto* box = qobject_cast<QComboBox*>(widget); box && box->itemDelegate()->inherits("QComboBoxDelegate"))
        box->setItemDelegate(new QStyledItemDelegate(box));
    if (auto* files = qobject_cast<QTreeView*>(widget); files && files->objectName() == QLatin1String("treeView") && qobject_cast<QFileDialog*>(files->window()))
        QMetaObject::invokeMethod(files, [files] { giveFilesRoom(*files); }, Qt::QueuedConnection);   // once the dialog has made its columns
    QProxyStyle::polish(widget);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    switch (element) {
    case PE_FrameFocusRect:
        // Items of a list show the current one by their ground; a ring inside a row would only be noise.
        if (!qobject_cast<const QAbstractItemView*>(widget))
            parts::focusRing(painter, option->rect);
        return;
    case PE_PanelButtonCommand: {
        parts::ButtonLook look;
        look.enabled = option->state.testFlag(State_Enabled);
        look.pressed = option->state.testFlag(State_Sunken);
        look.checked = option->state.testFlag(State_On);
        look.hovered = option->state.testFlag(State_MouseOver) && look.enabled;
        look.focused = focused(option);
        look.primary = hasFlag(widget, "primary");
        parts::button(painter, option->rect, look);
        return;
    }
    case PE_PanelButtonTool: {
        const bool on = option->state.testFlag(State_On);
        const bool lit = option->state.testFlag(State_Enabled) && (option->state.testFlag(State_MouseOver) || option->state.testFlag(State_Sunken));
        if (on || lit) {
            painter->save();
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(Qt::NoPen);
            painter->setBrush(color(on || option->state.testFlag(State_Sunken) ? Token::Selection : Token::Button));
            painter->drawRoundedRect(QRectF(option->rect), 3, 3);
            painter->restore();
        }
        if (focused(option))
            parts::focusRing(painter, option->rect);
        return;
    }
    case PE_FrameDefaultButton:
        return;
    case PE_PanelLineEdit: {
        // Editors inside item views and combo boxes have no frame of their own.
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame && frame->lineWidth <= 0) {
            painter->fillRect(option->rect, option->palette.brush(QPalette::Base));
            return;
        }
        parts::field(painter, option->rect, option->state.testFlag(State_Enabled), focused(option), hasFlag(widget, "invalid"));
        return;
    }
    case PE_FrameLineEdit:
        return;
    case PE_Frame:
        // Panels meet at 1 px lines that their containers draw; a view adds no box of its own.
        if (qobject_cast<const QAbstractScrollArea*>(widget) && !isPopupList(widget))
            return;
        if (isComboPopup(widget) || isPopupList(widget)) {
            painter->fillRect(option->rect, color(Token::Base));
            parts::outline(painter, option->rect);
            return;
        }
        break;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        parts::checkBox(painter, option->rect, option->state);
        return;
    case PE_IndicatorRadioButton: {
        // Fusion's own ring is darker than a dark window.
        const bool enabled = option->state.testFlag(State_Enabled);
        const qreal side = std::min(option->rect.width(), option->rect.height()) - 2.0;
        const QRectF ring(option->rect.left() + (option->rect.width() - side) / 2.0, option->rect.top() + (option->rect.height() - side) / 2.0, side, side);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(color(enabled ? Token::InputBorder : Token::Line), 1));
        painter->setBrush(color(Token::Base));
        painter->drawEllipse(ring.adjusted(0.5, 0.5, -0.5, -0.5));
        if (option->state.testFlag(State_On)) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(color(enabled ? Token::Accent : Token::Disabled));
            painter->drawEllipse(ring.center(), side * 0.28, side * 0.28);
        }
        painter->restore();
        return;
    }
    case PE_IndicatorArrowDown:
    case PE_IndicatorArrowUp:
    case PE_IndicatorArrowRight:
    case PE_IndicatorArrowLeft: {
        const int turn = element == PE_IndicatorArrowDown ? 0 : element == PE_IndicatorArrowUp ? 180 : element == PE_IndicatorArrowRight ? 270 : 90;
        parts::chevron(painter, option->rect, turn, color(option->state.testFlag(State_Enabled) ? Token::Text2 : Token::Disabled));
        return;
    }
    case PE_IndicatorBranch:
        if (option->state.testFlag(State_Children))
            parts::chevron(painter, option->rect, option->state.testFlag(State_Open) ? 0 : 270, color(Token::Text2));
        return;
    case PE_IndicatorHeaderArrow: {
        const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
        if (header && header->sortIndicator != QStyleOptionHeader::None)
            parts::chevron(painter, option->rect, header->sortIndicator == QStyleOptionHeader::SortUp ? 180 : 0, color(Token::Text2));
        return;
    }
    case PE_FrameStatusBarItem:
    case PE_FrameTabBarBase:
    case PE_PanelMenuBar:
        return;
    case PE_PanelStatusBar:
        painter->fillRect(QRect(option->rect.left(), option->rect.top(), option->rect.width(), 1), color(Token::Line));
        return;
    case PE_PanelTipLabel:
        painter->fillRect(option->rect, color(Token::Tip));
        parts::outline(painter, option->rect);
        return;
    case PE_PanelMenu:
        painter->fillRect(option->rect, color(Token::Tip));
        return;
    case PE_FrameMenu:
        parts::outline(painter, option->rect);
        return;
    case PE_IndicatorToolBarSeparator:
        painter->fillRect(QRect(option->rect.center().x(), option->rect.center().y() - 10, 1, 20), color(Token::Line));
        return;
    case PE_IndicatorDockWidgetResizeHandle:
        painter->fillRect(option->rect, color(Token::Line));
        return;
    case PE_FrameDockWidget:
        return;
    default:
        break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    switch (element) {
    case CE_HeaderSection:
        painter->fillRect(option->rect, color(Token::Alternate));
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), color(Token::Line));
        return;
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, color(Token::Alternate));
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), color(Token::Line));
        return;
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            QStyleOptionHeader quiet(*header);
            quiet.palette.setColor(QPalette::ButtonText, color(Token::Text2));
            quiet.state &= ~State_On;  // a selected column does not make its header bold
            painter->save();
            painter->setFont(font(Role::Small));
            const QRect text = header->rect.adjusted(kHeaderInset, 0, -kHeaderInset, 0);   // with the margin of the header: above the text of the rows
            const auto* view = qobject_cast<const QHeaderView*>(widget);
            painter->setPen(color(Token::Text2));
            painter->drawText(text, static_cast<int>(header->textAlignment | Qt::AlignVCenter) | Qt::TextSingleLine,
                              painter->fontMetrics().elidedText(header->text, view && view->textElideMode() != Qt::ElideNone ? view->textElideMode() : Qt::ElideRight, text.width()));
            painter->restore();
            return;
        }
        break;
    case CE_Splitter:
        painter->fillRect(option->rect, color(Token::Line));
        return;
    case CE_PushButtonLabel:
        if (const auto* buttonOption = qstyleoption_cast<const QStyleOptionButton*>(option)) {
            QStyleOptionButton labelled(*buttonOption);
            if (labelled.state.testFlag(State_Enabled)) {
                if (hasFlag(widget, "primary"))
                    labelled.palette.setColor(QPalette::ButtonText, color(Token::OnFill));
                else if (hasFlag(widget, "danger"))
                    labelled.palette.setColor(QPalette::ButtonText, color(Token::Error));
            }
            labelled.state &= ~(State_Sunken | State_On);  // no shifted label
            QProxyStyle::drawControl(element, &labelled, painter, widget);
            return;
        }
        break;
    case CE_TabBarTabShape:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            parts::tab(painter, tab->rect, tab->state.testFlag(State_Selected), tab->state.testFlag(State_MouseOver));
            if (focused(option))
                parts::focusRing(painter, tab->rect.adjusted(1, 2, -1, 0));
            return;
        }
        break;
    case CE_TabBarTabLabel:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            QStyleOptionTab quiet(*tab);
            quiet.state &= ~State_HasFocus;
            if (!quiet.state.testFlag(State_Selected))
                quiet.palette.setColor(QPalette::WindowText, color(Token::Text2));
            QProxyStyle::drawControl(element, &quiet, painter, widget);
            return;
        }
        break;
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, color(Token::Window));
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), color(Token::Line));
        return;
    case CE_MenuBarItem: {
        painter->fillRect(option->rect, color(Token::Window));
        if (widget)
            painter->fillRect(QRect(option->rect.left(), widget->height() - 1, option->rect.width(), 1), color(Token::Line));
        if (option->state.testFlag(State_Selected))
            painter->fillRect(option->rect.adjusted(0, 2, 0, -2), color(Token::Selection));
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            const int flags = Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextDontClip | Qt::TextSingleLine;
            drawItemText(painter, item->rect, flags, item->palette, item->state.testFlag(State_Enabled), item->text, QPalette::WindowText);
        }
        return;
    }
    case CE_ToolBar:
        painter->fillRect(option->rect, color(Token::Window));
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), color(Token::Line));
        return;
    case CE_ProgressBarGroove:
        painter->fillRect(option->rect, color(Token::Base));
        painter->setPen(color(Token::InputBorder));
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        return;
    case CE_ProgressBarContents:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option); bar && bar->maximum > bar->minimum) {
            const double share = static_cast<double>(bar->progress - bar->minimum) / (bar->maximum - bar->minimum);
            const QRectF inner = QRectF(bar->rect).adjusted(1, 1, -1, -1);
            painter->fillRect(QRectF(inner.left(), inner.top(), inner.width() * share, inner.height()), color(Token::Accent));
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    switch (control) {
    case CC_Slider:
        if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option); slider && slider->orientation == Qt::Horizontal) {
            parts::slider(painter, subControlRect(control, option, SC_SliderGroove, widget), subControlRect(control, option, SC_SliderHandle, widget),
                          slider->state.testFlag(State_Enabled), focused(option));
            return;
        }
        break;
    case CC_ScrollBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            painter->fillRect(bar->rect, color(Token::Base));
            if (bar->maximum > bar->minimum) {
                const QRect handle = subControlRect(control, option, SC_ScrollBarSlider, widget);
                const bool lit = bar->state.testFlag(State_MouseOver) || bar->state.testFlag(State_Sunken);
                painter->save();
                painter->setRenderHint(QPainter::Antialiasing);
                painter->setPen(Qt::NoPen);
                painter->setBrush(color(lit ? Token::InputBorder : Token::Line));
                painter->drawRoundedRect(QRectF(handle).adjusted(2, 2, -2, -2), 3, 3);
                painter->restore();
            }
            return;
        }
        break;
    case CC_ComboBox:
        if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            parts::field(painter, box->rect, box->state.testFlag(State_Enabled), focused(option), hasFlag(widget, "invalid"));
            const QRect arrow(box->rect.right() - 20, box->rect.top(), 16, box->rect.height());
            parts::chevron(painter, arrow, 0, color(box->state.testFlag(State_Enabled) ? Token::Text2 : Token::Disabled));
            return;
        }
        break;
    case CC_SpinBox:
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option); spin && spin->buttonSymbols == QAbstractSpinBox::NoButtons) {
            parts::field(painter, spin->rect, spin->state.testFlag(State_Enabled), focused(option), hasFlag(widget, "invalid"));
            return;
        }
        break;
    case CC_ToolButton:
        if (const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
            QStyleOptionToolButton flat(*tool);
            flat.state &= ~State_Raised;
            drawPrimitive(PE_PanelButtonTool, &flat, painter, widget);
            flat.rect = subControlRect(control, option, SC_ToolButton, widget);
            flat.state &= ~(State_Sunken | State_HasFocus);
            drawControl(CE_ToolButtonLabel, &flat, painter, widget);
            if (tool->subControls & SC_ToolButtonMenu)
                parts::chevron(painter, subControlRect(control, option, SC_ToolButtonMenu, widget), 0, color(Token::Text2));
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part, const QWidget* widget) const
{
    if (control == CC_ScrollBar) {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (bar)
            return parts::scrollBarPart(*bar, part);
    }
    if (control == CC_SpinBox) {
        const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        if (spin && spin->buttonSymbols == QAbstractSpinBox::NoButtons && part == SC_SpinBoxEditField)
            return spin->rect.adjusted(3, 1, -3, -1);
    }
    if (control == CC_ComboBox && part == SC_ComboBoxEditField)
        return option->rect.adjusted(7, 1, -22, -1);
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QRect Style::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const
{
    // Rings go outside the content, along the widget's own edge.
    if (element == SE_CheckBoxFocusRect || element == SE_RadioButtonFocusRect)
        return option->rect;
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    return element == SE_ItemViewItemText && isComboList(widget) ? rect.adjusted(4, 0, 0, 0) : rect;   // below the text of the field
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent: return 12;
    case PM_ScrollBarSliderMin: return 24;
    case PM_SplitterWidth: return 1;
    case PM_DockWidgetSeparatorExtent: return 1;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight: return 14;
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize:
    case PM_ListViewIconSize: return 16;
    case PM_ToolBarItemSpacing: return 4;
    case PM_ToolBarItemMargin: return 4;
    case PM_ToolBarFrameWidth: return 0;
    case PM_MenuPanelWidth: return 1;   // the frame, without which a menu has no edge on a page of its colour
    case PM_MenuBarPanelWidth: return 0;
    case PM_MenuBarVMargin: return 0;
    case PM_MenuBarHMargin: return 8;
    case PM_MenuBarItemSpacing: return 4;
    case PM_DefaultFrameWidth: return qobject_cast<const QLineEdit*>(widget) ? 2 : qobject_cast<const QAbstractScrollArea*>(widget) && !isPopupList(widget) ? 0 : 1;
    case PM_SliderThickness: return 16;
    case PM_SliderLength: return 12;
    case PM_SliderControlThickness: return 12;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical: return 0;
    case PM_HeaderMarkSize: return 10;
    case PM_TabBarTabHSpace: return 24;
    case PM_TabBarTabShiftVertical: return 0;
    case PM_DockWidgetTitleBarButtonMargin: return 2;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const
{
    switch (hint) {
    case SH_ToolTip_WakeUpDelay: return 250;
    case SH_EtchDisabledText: return 0;
    case SH_DitherDisabledText: return 0;
    case SH_ScrollBar_ContextMenu: return 0;
    case SH_ItemView_ShowDecorationSelected: return 1;
    case SH_Table_GridLineColor: return static_cast<int>(color(Token::Line).rgba());
    case SH_ComboBox_Popup: return 0;
    case SH_Slider_AbsoluteSetButtons: return Qt::LeftButton;
    case SH_UnderlineShortcut: return 1;
    case SH_DialogButtonBox_ButtonsHaveIcons: return 0;   // words alone, as on every other button of a dialog; the system's icons know no dark window
    case SH_Menu_Scrollable: return 1;
    default: return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_PushButton: {
        const auto* buttonOption = qstyleoption_cast<const QStyleOptionButton*>(option);
        if (buttonOption) {
            int width = buttonOption->fontMetrics.size(Qt::TextShowMnemonic, buttonOption->text).width() + (hasFlag(widget, "compact") ? 18 : 22);
            if (!buttonOption->icon.isNull())
                width += buttonOption->iconSize.width() + (buttonOption->text.isEmpty() ? 0 : 6);
            result.setWidth(width);
        }
        result.setHeight(hasFlag(widget, "compact") ? 22 : 26);
        return result;
    }
    case CT_LineEdit:
    case CT_ComboBox:
    case CT_SpinBox: result.setHeight(24); return result;
    case CT_ItemViewItem:
        if (isComboList(widget))
            result.setHeight(std::max(result.height(), 24));
        return result;
    case CT_MenuBarItem: result.setHeight(25); return result;
    case CT_HeaderSection: return {result.width() + 2 * kHeaderInset, 24};
    case CT_TabBarTab: result.setHeight(28); return result;
    case CT_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option); item && item->menuItemType != QStyleOptionMenuItem::Separator)
            result.setHeight(24);
        return result;
    default: return result;
    }
}

QIcon Style::standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const
{
    switch (which) {
    case SP_TitleBarCloseButton:
    case SP_LineEditClearButton: return icon(QStringLiteral("window-close"), Token::Text2);
    case SP_ToolBarHorizontalExtensionButton: return icon(QStringLiteral("view-more"));
    case SP_MessageBoxWarning: return icon(QStringLiteral("dialog-warning"), Token::Warn);
    case SP_MessageBoxCritical: return icon(QStringLiteral("dialog-error"), Token::Error);
    case SP_MessageBoxInformation: return icon(QStringLiteral("dialog-information"), Token::Info);
    case SP_MessageBoxQuestion: return icon(QStringLiteral("help-contents"), Token::Info);
    default: return QProxyStyle::standardIcon(which, option, widget);
    }
}

}  // namespace stagecraft::theme
