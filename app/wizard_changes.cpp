// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard_changes.h"

#include "app/config_wizard.h"
#include "widgets/config_cells.h"
#include "widgets/plain_table.h"
#include "widgets/theme.h"

#include <nlohmann/json.hpp>

#include <QHeaderView>
#include <QTableWidget>

#include <algorithm>
#include <map>

namespace stagecraft::app {

using theme::Role;
using theme::Token;
using Json = nlohmann::json;

namespace {

constexpr int kCellInsets = 14, kWidestValue = 116;   ///< px, of a column of values

/// The single values in `value` by their JSON Pointers, each as JSON writes it; none where there is no value.
std::map<std::string, QString> leavesOf(const Json* value, const std::string& pointer)
{
    if (!value)
        return {};
    if (!value->is_object() || value->empty())
        return {{pointer, QString::fromStdString(value->dump(-1, ' ', false, Json::error_handler_t::replace))}};
    std::map<std::string, QString> leaves;
    for (const auto& [name, inner] : value->items())
        leaves.merge(leavesOf(&inner, (Json::json_pointer(pointer) / name).to_string()));
    return leaves;
}

void addRow(QTableWidget& table, const std::string& pointer, const QString& now, const QString& then)
{
    const QString key = QString::fromStdString(pointer).mid(1).replace(QLatin1Char('/'), QLatin1Char('.'));
    const QString cells[] = {key.startsWith(QLatin1String("dsConfig.")) ? key.mid(9) : key, now, then};
    const int row = table.rowCount();
    table.insertRow(row);
    for (int column = 0; column < 3; ++column) {
        auto* item = new QTableWidgetItem(cells[column]);
        item->setToolTip(column == 0 ? key : cells[column]);
        item->setFont(theme::font(Role::FixedSmall));
        item->setForeground(theme::color(column == 1 ? Token::Text2 : Token::Text));
        table.setItem(row, column, item);
    }
}

/// Values are read whole where they leave the keys some room; their tips have what is longer.
void giveRoom(QTableWidget& table)
{
    for (int column = 1; column < 3; ++column) {
        int widest = 0;
        for (int row = 0; row < table.rowCount(); ++row)
            widest = std::max(widest, QFontMetrics(table.item(row, column)->font()).horizontalAdvance(table.item(row, column)->text()));
        table.setColumnWidth(column, std::max(std::min(widest + kCellInsets, kWidestValue), table.horizontalHeader()->sectionSizeHint(column)));
    }
}

}  // namespace

QTableWidget* wizardChanges(const Json& workspace, const Json& patch, QWidget* parent)
{
    auto* table = new QTableWidget(0, 3, parent);
    table->setObjectName(QStringLiteral("wizardChanges"));
    table->setAccessibleName(ConfigWizard::tr("What the wizard changes"));
    table->setHorizontalHeaderLabels({ConfigWizard::tr("Key"), ConfigWizard::tr("Now"), ConfigWizard::tr("Then")});
    makePlainTable(*table, 22, QAbstractItemView::NoSelection);
    table->setItemDelegate(new InsetDelegate(8, table, Qt::ElideLeft));
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    Json current = workspace;
    for (const Json& step : patch) {
        const auto path = step.at("path").get<std::string>();
        const Json::json_pointer at(path);
        const auto now = leavesOf(current.contains(at) ? &current.at(at) : nullptr, path), then = leavesOf(step.contains("value") ? &step.at("value") : nullptr, path);
        std::map<std::string, QString> places = now;
        places.insert(then.begin(), then.end());
        for (const auto& [place, value] : places) {
            const auto before = now.find(place), after = then.find(place);
            if (before == now.end() || after == then.end() || before->second != after->second)
                addRow(*table, place, before != now.end() ? before->second : QStringLiteral("–"), after != then.end() ? after->second : ConfigWizard::tr("removed"));
        }
        current = current.patch(Json::array({step}));
    }
    giveRoom(*table);
    return table;
}

}  // namespace stagecraft::app
