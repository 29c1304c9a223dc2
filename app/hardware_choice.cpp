// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/hardware_choice.h"

#include "app/choice_list.h"
#include "app/device_sheets_dialog.h"
#include "app/formats.h"
#include "app/number_row.h"
#include "hardware/device_sheet.h"
#include "hardware/user_sheets.h"
#include "planner/workspace_model.h"
#include "widgets/step_name.h"
#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr double kMostDevices = 1'000'000;
constexpr double kMostGiB = 1 << 20;   // what a workspace takes
constexpr double kGiB = 1 << 30;

/// As a person writes it: no more digits than the number has.
QString gibText(double gib) { return QString::number(gib, 'g', 10); }

}  // namespace

QString factsOf(const DeviceSheet& sheet)
{
    // A CPU rank has no memory of its own.
    QStringList facts{sheet.usableBytes > 0 ? bytes(sheet.usableBytes).text() : HardwareChoicePage::tr("the host's memory")};
    const bool bf16 = sheet.peak.contains("bf16");
    const auto peak = bf16 ? sheet.peak.find("bf16") : sheet.peak.find("fp16");
    if (peak != sheet.peak.end())
        facts << QStringLiteral("%1 %2 %3").arg(peak->second < 0.95e12 ? fixed(peak->second / 1e9, 0) : fixed(peak->second / 1e12, peak->second < 99.5e12 ? 1 : 0), peak->second < 0.95e12 ? QStringLiteral("GFLOP/s") : QStringLiteral("TFLOP/s"), bf16 ? QStringLiteral("bf16") : QStringLiteral("fp16"));
    if (sheet.link)
        facts << QStringLiteral("%1 %2 GB/s").arg(QString::fromStdString(sheet.link->kind), fixed(sheet.link->bytesPerSecond / 1e9, 0));
    else if (sheet.pcieBytesPerSecond > 0)
        facts << QStringLiteral("PCIe %1 GB/s").arg(fixed(sheet.pcieBytesPerSecond / 1e9, 0));
    return facts.join(QStringLiteral(" · "));
}

HardwareChoicePage::HardwareChoicePage(Take take, TakeHost takeHost, QWidget* parent)
    : QWidget(parent), m_take(std::move(take)), m_takeHost(std::move(takeHost)), m_devices(new ChoiceList(this)), m_sheets(new QPushButton(this)), m_perNode(new NumberRow(1, kMostDevices, true, this)), m_nodes(new NumberRow(1, kMostDevices, true, this)), m_host(new NumberRow(1, kMostGiB, false, this)),
      m_ranks(new ToneLabel(Role::Small, Token::Text2, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 6);
    column->setSpacing(0);
    m_devices->setObjectName(QStringLiteral("devices"));
    m_perNode->setObjectName(QStringLiteral("devicesPerNode"));
    m_nodes->setObjectName(QStringLiteral("nodes"));
    m_host->setObjectName(QStringLiteral("hostMemory"));
    column->addWidget(m_devices, 1);
    m_sheets->setObjectName(QStringLiteral("deviceSheets"));
    m_sheets->setAutoDefault(false);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(12, 6, 12, 0);
    below->addWidget(m_sheets);
    below->addStretch(1);
    column->addLayout(below);
    column->addSpacing(6);
    column->addWidget(m_perNode);
    column->addWidget(m_nodes);
    column->addWidget(m_host);
    m_ranks->setContentsMargins(12, 4, 12, 2);
    m_ranks->setWordWrap(true);
    column->addWidget(m_ranks);
    connect(m_devices, &ChoiceList::chosen, this, [this](const QString& id) {
        (void)m_take(withDevice(id.toStdString()));
    });
    connect(m_sheets, &QPushButton::clicked, this, [this] { openSheets(); });
    connect(m_perNode, &NumberRow::entered, this, [this](double value) { enterCount(m_perNode, &HardwareChoice::perNode, value); });
    connect(m_nodes, &NumberRow::entered, this, [this](double value) { enterCount(m_nodes, &HardwareChoice::nodes, value); });
    connect(m_host, &NumberRow::entered, this, [this](double gib) { enterHost(gib); });
    connect(m_host, &NumberRow::cleared, this, [this] { enterHost({}); });
    retranslate();
}

QString HardwareChoicePage::nameOf(const HardwareChoice& choice)
{
    return stepName([choice] { return tr("Hardware → %1 × %2").arg(choice.nodes * choice.perNode).arg(choice.device == "cpu" ? tr("CPU rank") : QString::fromStdString(choice.device)); });
}

HardwareChoice HardwareChoicePage::withDevice(const std::string& device) const
{
    HardwareChoice choice = m_now;
    choice.device = device;
    return choice;
}

void HardwareChoicePage::openSheets(const QString& device)
{
    auto* dialog = new DeviceSheetsDialog(userDeviceSheetFile(), window());
    dialog->choose(device.isEmpty() ? m_devices->current() : device);
    connect(dialog, &DeviceSheetsDialog::sheetsChanged, this, [this] {
        retranslate();
        emit sheetsChanged();
    });
    dialog->open();
}

void HardwareChoicePage::enterCount(NumberRow* row, std::int64_t HardwareChoice::* part, double value)
{
    if (m_now.device.empty())
        return;   // nothing is known yet of what is planned
    HardwareChoice choice = m_now;
    choice.*part = static_cast<std::int64_t>(value);
    row->setComplaint(m_take(choice));
}

void HardwareChoicePage::enterHost(std::optional<double> gib)
{
    const QString now = gib ? gibText(*gib) : QString();
    const QString name = stepName([before = m_hostNow, now] {
        return now.isEmpty() ? tr("Host memory: not said") : before.isEmpty() ? tr("Host memory → %1 GiB").arg(now) : tr("Host memory %1 → %2 GiB").arg(before, now);
    });
    m_host->setComplaint(m_takeHost(now.toStdString(), name));
}

void HardwareChoicePage::show(const PlanSet& plan, bool assumed)
{
    if (!plan.workspace)
        return;
    const Workspace& w = *plan.workspace;
    m_now = {w.hardware.device, w.hardware.nodes, w.hardware.devicesPerNode};
    const DeviceSheet* sheet = findDevice(w.hardware.device);
    m_devices->setCurrent(sheet ? QString::fromStdString(sheet->id) : QString());
    m_perNode->setAssumed(assumed);
    m_nodes->setAssumed(assumed);
    m_perNode->setShown(count(m_now.perNode));
    m_nodes->setShown(count(m_now.nodes));
    m_hostNow = w.hardware.hostMemoryBytes > 0 ? gibText(static_cast<double>(w.hardware.hostMemoryBytes) / kGiB) : QString();
    m_host->setShown(m_hostNow);
    const auto here = w.hardware.hostMemoryBytes > 0 ? std::nullopt : hostMemoryOf(w, machineContext());   // of this machine, where the plan is for it
    m_host->setOptional(here ? fixed(static_cast<double>(*here) / kGiB, 1) : tr("not said"));
    QStringList sizes;
    const auto add = [&sizes](const char* name, std::int64_t size) {
        if (size > 1 || sizes.isEmpty())
            sizes << QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(size);
    };
    add("dp", plan.now ? plan.now->dp : w.layout.dp);
    add("tp", plan.now ? plan.now->tp : w.layout.tp);
    add("pp", plan.now ? plan.now->pp : w.layout.pp);
    add("cp", plan.now ? plan.now->cp : w.layout.cp);
    m_ranks->setText(tr("%n devices: %1. Data-parallel ranks fill what is chosen.", nullptr, static_cast<int>(m_now.nodes * m_now.perNode)).arg(sizes.join(QStringLiteral(" × "))));
}

void HardwareChoicePage::retranslate()
{
    m_devices->setNames(tr("Devices"), tr("Search devices"));
    std::vector<ChoiceList::Group> groups{{tr("This machine"), {{QStringLiteral("cpu"), tr("CPU"), tr("Its memory and threads, shared by the ranks"), {}}}}};
    for (const DeviceSheet& sheet : deviceSheets()) {
        if (sheet.id == "cpu")
            continue;
        const QString vendor = sheet.vendor.empty() ? tr("Own data sheets") : QString::fromStdString(sheet.vendor);
        auto group = std::find_if(groups.begin() + 1, groups.end(), [&vendor](const ChoiceList::Group& g) { return g.title == vendor; });
        if (group == groups.end())
            group = groups.insert(groups.end(), {vendor, {}});
        group->rows.push_back({QString::fromStdString(sheet.id), QString::fromStdString(sheet.id), factsOf(sheet), QString::fromStdString(sheet.name)});
    }
    m_devices->setGroups(groups);
    m_sheets->setText(tr("Device sheets…"));
    m_sheets->setToolTip(tr("Every figure that plans take of a device, with its source; your own sheets"));
    m_perNode->setName(tr("Devices per node"), {});
    m_nodes->setName(tr("Nodes"), {});
    m_host->setName(tr("Host memory"), QStringLiteral("GiB"), tr("What a node has for what is offloaded, and for building the model. Empty: this machine's where the plan is for it, else not said, and whether the host has room is then not judged"));
}

}  // namespace stagecraft::app
