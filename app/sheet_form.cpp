// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sheet_form.h"

#include "widgets/tone_label.h"

#include <QGridLayout>
#include <QLineEdit>
#include <QRegularExpression>

#include <cmath>
#include <cstdint>

namespace stagecraft::app {

using nlohmann::ordered_json;
using theme::Role;
using theme::Token;

namespace {

struct FieldWords {
    const char* key;       ///< in the file; a dot parts an object from its member
    bool number;
    const char* name;
    const char* unit;      ///< a sign that no language changes
    const char* meaning;
};

// One heading, then the fields below it. What each means is what the reader of sheets and the planner take it for.
struct Section {
    const char* title;
    std::vector<FieldWords> fields;
};

const std::vector<Section>& sections()
{
    static const std::vector<Section> all{
        {QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Device"),
         {{"id", false, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Id"), "", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "What a workspace names the device by; the id of a built-in sheet takes that one's place")},
          {"name", false, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Name"), "", ""},
          {"vendor", false, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Vendor"), "", ""},
          {"year", true, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Year"), "", ""}}},
        {QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Memory"),
         {{"memoryNominalGB", true, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Memory as sold"), "GB", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "The maker's figure, whose GB may be 2^30 B")},
          {"memoryUsableGiB", true, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Usable memory"), "GiB", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "What a program can have, 1 GiB = 2^30 B: every verdict is held against it; no more than what is sold")},
          {"memoryBandwidthGBs", true, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Memory bandwidth"), "GB/s", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Of the device's own memory, reads and writes together")}}},
        {QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Peak of matrix products, dense (without sparsity)"),
         {{"peakTflops.fp32", true, "fp32", "TFLOP/s", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Needed: what a type that is not given falls back to at the last")},
          {"peakTflops.tf32", true, "tf32", "TFLOP/s", ""},
          {"peakTflops.bf16", true, "bf16", "TFLOP/s", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Not given: bf16 is computed as fp32")},
          {"peakTflops.fp16", true, "fp16", "TFLOP/s", ""},
          {"peakTflops.fp8", true, "fp8", "TFLOP/s", ""},
          {"peakTflops.fp4", true, "fp4", "TFLOP/s", ""}}},
        {QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Links"),
         {{"link.kind", false, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Link to its peers"), "", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Such as NVLink 4; all three empty: peers are reached over PCIe")},
          {"link.perDirectionGBs", true, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Link, per direction"), "GB/s", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "One device to all its peers, one direction: half of what is sold as both ways")},
          {"link.maxDevices", true, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Devices on one link"), "", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Devices that reach each other over it")},
          {"pcie.perDirectionGBs", true, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Host link, per direction"), "GB/s", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "PCIe or what takes its place: what is offloaded goes over it")},
          {"pcie.betweenDevicesGBs", true, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Between devices over PCIe"), "GB/s", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "What collectives reach there, as the bus bandwidth of nccl-tests; not given: three quarters of the host link")}}},
        {QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Power"),
         {{"powerWatts", true, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Rated power"), "W", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Energy is counted with it; not given: none is")},
          {"powerSource", false, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Source of the power"), "", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Where it is not that of the sheet")}}},
        {QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Source"),
         {{"source", false, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Source of the figures"), "", QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Needed: a data sheet, an address, or \"measured here\"; plans name it beside their figures")},
          {"note", false, QT_TRANSLATE_NOOP("stagecraft::app::SheetForm", "Note"), "", ""}}}};
    return all;
}

constexpr int kNumberWidth = 124;

ordered_json::json_pointer pointerOf(const char* key)
{
    return ordered_json::json_pointer('/' + QString::fromLatin1(key).replace(QLatin1Char('.'), QLatin1Char('/')).toStdString());
}

QString textOf(const ordered_json& sheet, const char* key)
{
    const auto at = pointerOf(key);
    if (!sheet.contains(at) || sheet.at(at).is_null())
        return {};
    const ordered_json& value = sheet.at(at);
    if (value.is_string())
        return QString::fromStdString(value.get<std::string>());
    return value.is_number() ? QString::number(value.get<double>(), 'g', 10) : QString::fromStdString(value.dump());
}

// Addresses in a text, as links; empty where there are none.
QString linksOf(const QString& text)
{
    static const QRegularExpression pattern(QStringLiteral("https?://[^\\s\"<>;,)]+|arXiv[ :]\\d{4}\\.\\d{4,5}"));
    QStringList links;
    for (auto found = pattern.globalMatch(text); found.hasNext();) {
        const QString word = found.next().captured();
        const QString address = word.startsWith(QLatin1String("arXiv")) ? QStringLiteral("https://arxiv.org/abs/") + word.mid(6) : word;
        links << QStringLiteral("<a href=\"%1\">%2</a>").arg(address.toHtmlEscaped(), word.toHtmlEscaped());
    }
    return links.join(QStringLiteral(" · "));
}

}  // namespace

SheetForm::SheetForm(QWidget* parent) : QWidget(parent), m_links(new QLabel(this))
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(16, 8, 16, 12);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(3, 1);
    for (const Section& section : sections()) {
        addSection(grid, section.title);
        for (const FieldWords& words : section.fields) {
            Row row{words.key, words.number, new QLabel(this), new QLineEdit(this), new ToneLabel(Role::Small, Token::Text2, this), new ToneLabel(Role::Small, Token::Text2, this), new ToneLabel(Role::Small, Token::Error, this), {}};
            row.field->setObjectName(QString::fromLatin1(words.key));
            row.name->setBuddy(row.field);
            row.unit->setText(QString::fromLatin1(words.unit));
            for (ToneLabel* label : {row.meaning, row.complaint})
                label->setWordWrap(true);
            row.complaint->hide();
            const int at = grid->rowCount();
            grid->addWidget(row.name, at, 0);
            if (words.number) {
                row.field->setFixedWidth(kNumberWidth);
                row.field->setAlignment(Qt::AlignRight);
                grid->addWidget(row.field, at, 1);
                grid->addWidget(row.unit, at, 2);
                grid->addWidget(row.meaning, at, 3);
            } else {
                grid->addWidget(row.field, at, 1, 1, 3);
                grid->addWidget(row.meaning, at + 1, 1, 1, 3);
                row.unit->hide();
            }
            row.meaning->setVisible(*words.meaning != '\0');
            grid->addWidget(row.complaint, at + 2, 1, 1, 3);
            connect(row.field, &QLineEdit::textEdited, this, &SheetForm::edited);
            m_rows.push_back(std::move(row));
        }
    }
    m_links->setObjectName(QStringLiteral("sourceLinks"));
    m_links->setTextFormat(Qt::RichText);
    m_links->setOpenExternalLinks(true);
    m_links->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_links->setFont(theme::font(Role::Small));
    const int last = grid->rowCount();
    grid->addWidget(m_links, last, 1, 1, 3);
    grid->setRowStretch(last + 1, 1);
    retranslate();
}

void SheetForm::addSection(QGridLayout* grid, const char* title)
{
    auto* label = new ToneLabel(Role::BodyBold, Token::Text, this);
    label->setContentsMargins(0, m_sections.empty() ? 0 : 12, 0, 2);
    grid->addWidget(label, grid->rowCount(), 0, 1, 4);
    m_sections.emplace_back(title, label);
}

void SheetForm::show(const ordered_json& sheet, bool editable)
{
    m_sheet = sheet;
    for (Row& row : m_rows) {
        row.shown = textOf(sheet, row.key);
        row.field->setText(row.shown);
        row.field->setCursorPosition(0);
        row.field->setReadOnly(!editable);
        row.field->setFrame(editable);
    }
    (void)complain({}, {});
    const QString links = linksOf(textOf(sheet, "source") + QLatin1Char(' ') + textOf(sheet, "powerSource"));
    m_links->setText(links);
    m_links->setVisible(!links.isEmpty() && !editable);
}

ordered_json SheetForm::sheet() const
{
    ordered_json out = m_sheet;
    // A part that is no object holds nothing that its fields could show: they decide.
    for (const char* part : {"peakTflops", "link", "pcie"})
        if (out.contains(part) && !out[part].is_object() && !out[part].is_null())
            out[part] = nullptr;
    for (const Row& row : m_rows) {
        const QString text = row.field->text().trimmed();
        if (text == row.shown)
            continue;
        const auto at = pointerOf(row.key);
        const std::string part = at.parent_pointer().empty() ? std::string() : at.parent_pointer().back();
        if (text.isEmpty()) {
            ordered_json& holder = part.empty() ? out : out[part];
            if (holder.is_object())
                holder.erase(at.back());
            continue;
        }
        if (!part.empty() && (!out.contains(part) || !out[part].is_object()))
            out[part] = ordered_json::object();
        bool isNumber = false;
        const double number = text.toDouble(&isNumber);
        if (!row.number || !isNumber || !std::isfinite(number))
            out[at] = text.toStdString();
        else if (number == std::floor(number) && std::abs(number) < 1e15)
            out[at] = static_cast<std::int64_t>(number);
        else
            out[at] = number;
    }
    // A link none of whose three figures is given is no link; what else stands there is not thrown away for it.
    if (out.contains("link") && out["link"].is_object() && out["link"].empty())
        out["link"] = nullptr;
    return out;
}

QString SheetForm::complain(const QString& key, const QString& sentence)
{
    QString name;
    for (Row& row : m_rows) {
        const QString own = QString::fromLatin1(row.key);
        const bool meant = !sentence.isEmpty() && name.isEmpty() && (own == key || own.startsWith(key + QLatin1Char('.')));
        if (meant)
            name = row.name->text();
        row.complaint->setText(meant ? sentence : QString());
        row.complaint->setVisible(meant);
        row.field->setProperty("invalid", meant);
        row.field->setAccessibleDescription(meant ? sentence : row.meaning->text());
        row.field->update();
    }
    return name;
}

QLineEdit* SheetForm::field(const QString& key) const
{
    for (const Row& row : m_rows)
        if (QLatin1String(row.key) == key || (!key.isEmpty() && QString::fromLatin1(row.key).startsWith(key + QLatin1Char('.'))))
            return row.field;
    return nullptr;
}

void SheetForm::retranslate()
{
    std::size_t at = 0;
    for (const Section& section : sections())
        for (const FieldWords& words : section.fields) {
            Row& row = m_rows[at++];
            row.name->setText(tr(words.name));
            row.meaning->setText(*words.meaning ? tr(words.meaning) : QString());
            row.field->setPlaceholderText(tr("not given"));
            row.field->setAccessibleName(*words.unit ? QStringLiteral("%1, %2").arg(row.name->text(), row.unit->text()) : row.name->text());
        }
    for (const auto& [title, label] : m_sections)
        label->setText(tr(title));
}

}  // namespace stagecraft::app
