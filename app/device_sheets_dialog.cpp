// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device_sheets_dialog.h"

#include "app/choice_list.h"
#include "app/core_errors.h"
#include "app/hardware_choice.h"
#include "app/sheet_form.h"
#include "hardware/read_sheets.h"
#include "hardware/user_sheets.h"
#include "widgets/tone_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <utility>

namespace stagecraft::app {

using nlohmann::ordered_json;
using theme::Role;
using theme::Token;

namespace {

constexpr QLatin1String kOwnRow("own:");   // and the place in the file
constexpr const char* kCopied = "own figures, begun from ";   // in a file that is the same in every language

QString sentenceOf(const Error& error)
{
    const auto part = [&error](const char* key) { const auto at = error.context.find(key); return at == error.context.end() ? QString() : QString::fromStdString(at->second); };
    const auto plain = [](const QString& number) { return QString::number(number.toDouble(), 'g', 10).replace(QLatin1String("e+06"), QLatin1String("e6")); };
    if (part("least").isEmpty())
        return DeviceSheetsDialog::tr("Has no usable value; a sheet needs one.");
    return (part("whole").isEmpty() ? DeviceSheetsDialog::tr("Must be a number from %1 to %2.") : DeviceSheetsDialog::tr("Must be a whole number from %1 to %2.")).arg(plain(part("least")), plain(part("most")));
}

QString fieldOf(const Error& error)
{
    const auto at = error.context.find("field");
    return at == error.context.end() ? QString() : QString::fromStdString(at->second);
}

// As a person would write it: what became a binary fraction on its way (989.4 · 10¹² / 10¹²) is the decimal one again.
ordered_json asWritten(const DeviceSheet& sheet)
{
    ordered_json out = ordered_json::parse(deviceSheetToJson(sheet).dump());
    const ordered_json flat = out.flatten();
    for (const auto& value : flat.items())
        if (value.value().is_number_float())
            out[ordered_json::json_pointer(value.key())] = QString::number(value.value().get<double>(), 'g', 10).toDouble();
    return out;
}

}  // namespace

DeviceSheetsDialog::DeviceSheetsDialog(std::filesystem::path file, QWidget* parent)
    : QDialog(parent), m_file(std::move(file)), m_list(new ChoiceList(this)), m_form(nullptr), m_where(new ToneLabel(Role::Small, Token::Text2, this)), m_told(new ToneLabel(Role::Body, Token::Error, this)),
      m_copy(new QPushButton(this)), m_edit(new QPushButton(this)), m_remove(new QPushButton(this)), m_save(new QPushButton(this)), m_cancel(new QPushButton(this)), m_close(new QPushButton(this))
{
    setObjectName(QStringLiteral("deviceSheetsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 12);
    column->setSpacing(8);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setChildrenCollapsible(false);
    m_list->setObjectName(QStringLiteral("sheets"));
    split->addWidget(m_list);
    auto* scroll = new QScrollArea(split);
    m_form = new SheetForm(scroll);
    m_form->setAutoFillBackground(true);
    m_form->setBackgroundRole(QPalette::Base);
    scroll->setWidget(m_form);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    split->addWidget(scroll);
    split->setStretchFactor(1, 1);
    split->setSizes({320, 600});
    column->addWidget(split, 1);
    m_told->setWordWrap(true);
    m_told->setObjectName(QStringLiteral("sheetsTold"));
    column->addWidget(m_told);
    m_where->setWordWrap(true);
    m_where->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_where);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    const std::pair<QPushButton*, const char*> named[] = {{m_copy, "copySheet"}, {m_edit, "editSheet"}, {m_remove, "removeSheet"}, {m_save, "saveSheet"}, {m_cancel, "cancelSheet"}, {m_close, "closeSheets"}};
    for (const auto& [button, name] : named) {
        button->setObjectName(QLatin1String(name));
        button->setAutoDefault(false);
        if (button == m_save)
            buttons->addStretch(1);
        buttons->addWidget(button);
    }
    m_remove->setProperty("danger", true);
    column->addLayout(buttons);
    connect(m_list, &ChoiceList::chosen, this, &DeviceSheetsDialog::showRow);
    // The arrows move through the sheets as a click does.
    connect(m_list->list(), &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (item && m_list->list()->hasFocus())
            showRow(item->data(Qt::UserRole).toString());
    });
    connect(m_form, &SheetForm::edited, this, &DeviceSheetsDialog::judge);
    connect(m_copy, &QPushButton::clicked, this, [this] { edit(true); });
    connect(m_edit, &QPushButton::clicked, this, [this] { edit(false); });
    connect(m_remove, &QPushButton::clicked, this, &DeviceSheetsDialog::remove);
    connect(m_save, &QPushButton::clicked, this, &DeviceSheetsDialog::save);
    connect(m_cancel, &QPushButton::clicked, this, &DeviceSheetsDialog::stopEditing);
    connect(m_close, &QPushButton::clicked, this, &DeviceSheetsDialog::reject);
    QWidget::setTabOrder(m_form->field(QStringLiteral("note")), m_copy);
    for (std::size_t i = 1; i < std::size(named); ++i)
        QWidget::setTabOrder(named[i - 1].first, named[i].first);
    read();
    retranslate();
    if (!deviceSheets().empty())
        choose(QString::fromStdString(deviceSheets().front().id));
    m_list->search()->setFocus();
    resize(1000, 640);
}

const OwnSheet* DeviceSheetsDialog::ownOf(const QString& row) const
{
    if (!row.startsWith(kOwnRow))
        return nullptr;
    const auto place = static_cast<std::size_t>(row.mid(kOwnRow.size()).toULongLong());
    return place < m_own.size() ? &m_own[place] : nullptr;
}

void DeviceSheetsDialog::read()
{
    auto own = readOwnSheets(m_file);
    m_unreadable.reset();
    m_own.clear();
    if (own.hasValue())
        m_own = std::move(own).value();
    else
        m_unreadable = own.error();
}

void DeviceSheetsDialog::fill()
{
    std::vector<ChoiceList::Group> groups;
    if (!m_own.empty())
        groups.push_back({tr("My sheets"), {}});
    for (std::size_t i = 0; i < m_own.size(); ++i) {
        const OwnSheet& own = m_own[i];
        const DeviceSheet* sheet = own.problem ? nullptr : findDevice(own.id);
        groups.back().rows.push_back({kOwnRow + QString::number(i), QString::fromStdString(own.id), sheet ? factsOf(*sheet) : tr("Not used: it is not complete"), sheet ? QString::fromStdString(sheet->name) : QString()});
    }
    for (const DeviceSheet& sheet : deviceSheets()) {
        const QString id = QString::fromStdString(sheet.id);
        if (std::any_of(m_own.begin(), m_own.end(), [&id](const OwnSheet& own) { return !own.problem && QString::fromStdString(own.id).compare(id, Qt::CaseInsensitive) == 0; }))
            continue;
        const QString vendor = sheet.id == "cpu" ? tr("This machine") : QString::fromStdString(sheet.vendor);
        auto group = std::find_if(groups.begin(), groups.end(), [&vendor](const ChoiceList::Group& g) { return g.title == vendor; });
        if (group == groups.end())
            group = groups.insert(groups.end(), {vendor, {}});
        group->rows.push_back({id, id, factsOf(sheet), QString::fromStdString(sheet.name)});
    }
    m_list->setGroups(groups);
    m_list->setCurrent(m_row);
}

void DeviceSheetsDialog::choose(const QString& id)
{
    QString row = id;
    for (std::size_t i = 0; i < m_own.size(); ++i)
        if (QString::fromStdString(m_own[i].id).compare(id, Qt::CaseInsensitive) == 0)
            row = kOwnRow + QString::number(i);
    if (const DeviceSheet* sheet = findDevice(id.toStdString()); sheet && row == id)
        row = QString::fromStdString(sheet->id);
    showRow(row);
    if (QListWidgetItem* item = m_list->item(m_row)) {
        m_list->list()->setCurrentItem(item);
        m_list->list()->scrollToItem(item);
    }
}

void DeviceSheetsDialog::showRow(const QString& row)
{
    if (m_editing || row.isEmpty())
        return;
    const OwnSheet* own = ownOf(row);
    const DeviceSheet* sheet = own ? nullptr : findDevice(row.toStdString());
    if (!own && !sheet)
        return;
    m_row = row;
    m_list->setCurrent(row);
    m_form->show(own ? own->entry : asWritten(*sheet), false);
    tell({});
    if (own && own->problem) {
        const QString why = sentenceOf(*own->problem);
        const QString name = m_form->complain(fieldOf(*own->problem), why);
        tell(tr("Not used. %1: %2").arg(name.isEmpty() ? fieldOf(*own->problem) : name, why));
    }
    showButtons();
}

void DeviceSheetsDialog::edit(bool copy)
{
    const OwnSheet* own = ownOf(m_row);
    if (m_unreadable || (!copy && !own))
        return;
    ordered_json sheet = m_form->sheet();
    m_before.reset();
    if (copy) {
        const std::string stem = (sheet.contains("id") && sheet["id"].is_string() ? sheet["id"].get<std::string>() : "device") + "-mine";
        std::string id = stem;
        for (int n = 2; findDevice(id) || std::any_of(m_own.begin(), m_own.end(), [&id](const OwnSheet& other) { return other.id == id; }); ++n)
            id = stem + '-' + std::to_string(n);
        sheet["id"] = id;
        // What a person changes is no longer the data sheet's: plans would name it beside figures that it does not have.
        if (sheet.contains("source") && sheet["source"].is_string() && !sheet["source"].get<std::string>().starts_with(kCopied))
            sheet["source"] = kCopied + stem.substr(0, stem.size() - 5) + ": " + sheet["source"].get<std::string>();
    } else {
        m_before = own->entry;
    }
    m_editing = true;
    m_form->show(sheet, true);
    (void)judge();
    showButtons();
    QLineEdit* first = m_form->field(QStringLiteral("id"));
    first->setFocus(Qt::OtherFocusReason);
    first->selectAll();
}

void DeviceSheetsDialog::stopEditing()
{
    const bool was = std::exchange(m_editing, false);
    showRow(m_row);
    if (was)
        m_list->list()->setFocus(Qt::OtherFocusReason);
}

bool DeviceSheetsDialog::judge()
{
    if (!m_editing)
        return false;
    const auto read = readDeviceSheets(ordered_json::array({m_form->sheet()}).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    const Error* wrong = !read.hasValue() ? &read.error() : read->front().sheet.hasValue() ? nullptr : &read->front().sheet.error();
    if (wrong) {
        const QString why = sentenceOf(*wrong);
        const QString name = m_form->complain(fieldOf(*wrong), why);
        tell(tr("%1: %2").arg(name.isEmpty() ? fieldOf(*wrong) : name, why));
    } else {
        (void)m_form->complain({}, {});
        tell({});
    }
    m_save->setEnabled(!wrong && (!m_before || m_form->isChanged()));
    return !wrong;
}

void DeviceSheetsDialog::save()
{
    if (!judge())
        return;
    const ordered_json sheet = m_form->sheet();
    if (const auto saved = saveOwnSheet(m_file, m_before, sheet); !saved.hasValue()) {
        tell(errorText(saved.error()));
        return;
    }
    m_editing = false;
    changed(QString::fromStdString(sheet["id"].get<std::string>()));
}

void DeviceSheetsDialog::remove()
{
    const OwnSheet* own = ownOf(m_row);
    if (!own || m_editing)
        return;
    const QString id = QString::fromStdString(own->id);
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Remove the data sheet"), tr("Remove your data sheet of %1?").arg(id), QMessageBox::NoButton, this);
    box->setInformativeText(tr("It is taken out of %1. A built-in sheet of the same id is used again; workspaces that name an id without one are not planned.").arg(QString::fromStdString(m_file.string())));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::WindowModal);
    box->setObjectName(QStringLiteral("removeQuestion"));
    QPushButton* yes = box->addButton(tr("Remove %1").arg(id), QMessageBox::DestructiveRole);
    yes->setProperty("danger", true);
    yes->setObjectName(QStringLiteral("removeButton"));
    box->setDefaultButton(box->addButton(tr("Cancel"), QMessageBox::RejectRole));
    connect(yes, &QPushButton::clicked, this, [this, id, entry = own->entry] {
        if (const auto removed = removeOwnSheet(m_file, entry); removed.hasValue())
            changed(id);
        else
            tell(errorText(removed.error()));
    });
    box->open();
}

void DeviceSheetsDialog::changed(const QString& id)
{
    (void)loadUserDeviceSheets(m_file);
    read();
    fill();
    m_row.clear();
    choose(id);
    if (m_row.isEmpty() && !deviceSheets().empty())
        choose(QString::fromStdString(deviceSheets().front().id));
    m_list->list()->setFocus(Qt::OtherFocusReason);
    emit sheetsChanged();
}

void DeviceSheetsDialog::tell(const QString& sentence)
{
    const QString said = sentence.isEmpty() && m_unreadable ? errorText(*m_unreadable) : sentence;
    m_told->setText(said);
    m_told->setVisible(!said.isEmpty());
}

QString DeviceSheetsDialog::told() const
{
    return m_told->text();
}

void DeviceSheetsDialog::showButtons()
{
    const bool own = ownOf(m_row) != nullptr;
    for (QPushButton* button : {m_save, m_cancel})
        button->setVisible(m_editing);
    for (QPushButton* button : {m_copy, m_close})
        button->setVisible(!m_editing);
    for (QPushButton* button : {m_edit, m_remove})
        button->setVisible(!m_editing && own);
    m_copy->setEnabled(!m_unreadable);
    m_save->setDefault(m_editing);
    m_list->setEnabled(!m_editing);
}

void DeviceSheetsDialog::reject()
{
    if (!m_editing) {
        QDialog::reject();
        return;
    }
    // Esc closes the topmost thing, and nothing that was typed is lost unasked.
    if (m_before && !m_form->isChanged())
        stopEditing();
    else
        tell(tr("The sheet is not saved. Save it, or cancel the editing."));
}

void DeviceSheetsDialog::retranslate()
{
    setWindowTitle(tr("Device sheets"));
    m_list->setNames(tr("Device sheets"), tr("Search device sheets"));
    m_where->setText(tr("Your own sheets are kept in %1. A workspace takes one by its id.").arg(QString::fromStdString(m_file.string())));
    m_copy->setText(tr("Copy as my sheet"));
    m_edit->setText(tr("Edit"));
    m_remove->setText(tr("Remove…"));
    m_save->setText(tr("Save"));
    m_cancel->setText(tr("Cancel"));
    m_close->setText(tr("Close"));
    m_form->retranslate();
    fill();
    if (m_editing)
        (void)judge();
    else
        showRow(m_row);
}

void DeviceSheetsDialog::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QDialog::changeEvent(event);
}

}  // namespace stagecraft::app
