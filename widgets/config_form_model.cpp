// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_form_model.h"

#include "config/key_releases.h"
#include "widgets/config_model.h"
#include "widgets/config_value.h"
#include "widgets/key_stage.h"

#include <nlohmann/json.hpp>

#include <QHash>

#include <algorithm>

namespace stagecraft {

namespace {

/// The section that most keys of a group stand in: it goes without saying in the row.
QString groupPrefix(const std::string& group)
{
    static const QHash<QString, QString> prefixes{
        {QStringLiteral("optimizer"), QStringLiteral("/optimizer/params/")}, {QStringLiteral("scheduler"), QStringLiteral("/scheduler/params/")},
        {QStringLiteral("zero"), QStringLiteral("/zero_optimization/")}, {QStringLiteral("offload"), QStringLiteral("/zero_optimization/")},
        {QStringLiteral("activation"), QStringLiteral("/activation_checkpointing/")}, {QStringLiteral("pipeline"), QStringLiteral("/pipeline/")},
        {QStringLiteral("flops"), QStringLiteral("/flops_profiler/")}, {QStringLiteral("compression"), QStringLiteral("/compression_training/")}};
    return prefixes.value(QString::fromStdString(group));
}

}  // namespace

ConfigFormModel::ConfigFormModel(ConfigModel& config, QObject* parent)
    : QAbstractListModel(parent), m_config(config), m_catalog(KeyCatalog::standard())
{
    countValues();
    m_rows = computeRows();
    connect(&config, &ConfigModel::changed, this, &ConfigFormModel::refresh);
}

void ConfigFormModel::setShow(Show show)
{
    m_show = show;
    m_first.clear();
    for (const auto& [pointer, key] : m_values)
        m_first.insert(pointer);
    place(computeRows());
}

void ConfigFormModel::setQuery(const QString& query)
{
    m_query = query.trimmed();
    place(computeRows());
}

void ConfigFormModel::toggleGroup(int group)
{
    if (!m_folded.remove(group))
        m_folded.insert(group);
    place(computeRows());
    const int at = rowOfGroup(group);
    if (at >= 0)
        emit dataChanged(index(at), index(at));
}

void ConfigFormModel::countValues()
{
    const JsonDocument& document = m_config.document();
    m_values.clear();
    m_setCounts.assign(m_catalog.groups().size(), 0);
    m_severities.assign(m_catalog.groups().size(), 0);
    const int otherGroup = static_cast<int>(m_catalog.groups().size()) - 1;
    int holder = -1, parentKey = -1;   // neighbours have the same
    for (int id = 1; id < static_cast<int>(document.nodes().size()); ++id) {
        const JsonNode& node = document.node(id);
        const std::string pointer = document.pointerOf(id);
        const int key = m_catalog.find(pointer, &document);
        const bool known = key >= 0;
        const bool section = known ? m_catalog.key(key).isSection() : node.kind == JsonKind::Object && node.childCount > 0;
        // Entries of a known list or free object belong to their holder.
        if (node.parent != holder)
            parentKey = (holder = node.parent) > 0 ? m_catalog.find(document.pointerOf(holder), &document) : -1;
        if (!known && parentKey >= 0 && !m_catalog.key(parentKey).isSection())
            continue;
        if (!known && document.node(node.parent).kind == JsonKind::Array)
            continue;
        if (section && node.kind == JsonKind::Object && node.childCount > 0)
            continue;
        m_values.emplace_back(QString::fromStdString(pointer), key);
        ++m_setCounts[static_cast<std::size_t>(known ? m_catalog.key(key).group : parentKey >= 0 ? m_catalog.key(parentKey).group : otherGroup)];
    }
    for (const CheckFinding& finding : m_config.answer().findings) {
        std::string at = finding.pointer;
        int key = m_catalog.find(at, &document);
        while (key < 0 && !at.empty()) {
            at.resize(at.rfind('/'));
            key = m_catalog.find(at, &document);
        }
        if (key < 0 || finding.pointer.empty())
            continue;
        const int severity = finding.severity == CheckSeverity::Error ? 3 : finding.severity == CheckSeverity::Warning ? 2 : 1;
        int& worst = m_severities[static_cast<std::size_t>(m_catalog.key(key).pointer.empty() ? otherGroup : m_catalog.key(key).group)];
        worst = std::max(worst, severity);
    }
}

std::vector<QString> ConfigFormModel::instances(const std::string& pattern) const
{
    // "*" in a pattern stands for the names that the file uses at that place.
    const JsonDocument& document = m_config.document();
    std::vector<std::string> made{""};
    const auto tokens = pointerTokens(pattern);
    for (const std::string& token : *tokens) {
        std::vector<std::string> next;
        for (const std::string& base : made) {
            if (token != "*") {
                next.push_back(base + "/" + pointerToken(token));
                continue;
            }
            const int holder = document.find(base);
            for (int child = holder < 0 ? -1 : document.node(holder).firstChild; child >= 0; child = document.node(child).next)
                next.push_back(document.pointerOf(child));
        }
        made = std::move(next);
    }
    std::vector<QString> out;
    for (const std::string& pointer : made)
        out.push_back(QString::fromStdString(pointer));
    return out;
}

std::vector<ConfigRow> ConfigFormModel::computeRows() const
{
    const JsonDocument& document = m_config.document();
    std::vector<std::vector<ConfigRow>> byGroup(m_catalog.groups().size());
    std::vector<ConfigRow> best;  // by score, for a search
    const bool searching = !m_query.isEmpty();

    const auto rowsOf = [&](int id) {
        const CatalogKey& key = m_catalog.key(id);
        // What is in the file can be edited even where its type fits no entry.
        const auto applies = [&](const std::string& pointer) {
            return key.when.empty() || m_catalog.applies(id, pointer, document)
                || (document.find(pointer) >= 0 && m_catalog.find(pointer, &document) == id);
        };
        if (key.pointer.find("/*") == std::string::npos)
            return std::vector<ConfigRow>{{key.group, id, false, applies(key.pointer), QString::fromStdString(key.pointer)}};
        std::vector<ConfigRow> rows;
        for (const QString& pointer : instances(key.pointer))
            rows.push_back({key.group, id, false, applies(pointer.toStdString()), pointer});
        if (rows.empty() || searching || m_show == Show::All)
            rows.push_back({key.group, id, false, false, QString::fromStdString(key.pointer)});
        return rows;
    };

    if (searching) {
        for (const CatalogMatch& match : m_catalog.search(m_query.toStdString()))
            for (ConfigRow& row : rowsOf(match.key))
                best.push_back(std::move(row));
        for (const auto& [pointer, key] : m_values)
            if (key < 0 && pointer.contains(m_query, Qt::CaseInsensitive))
                best.push_back({static_cast<int>(m_catalog.groups().size()) - 1, -1, false, true, pointer});
        // Keys that do not apply here, or that the release does not know, come last, in the same order; but what is named stays.
        std::stable_partition(best.begin(), best.end(), [this, named = '/' + QString(m_query).replace('.', '/')](const ConfigRow& row) {
            return row.applies && (row.key < 0 || row.pointer.endsWith(named, Qt::CaseInsensitive) || keyIn(m_catalog.key(row.key), m_config.context().release).known);
        });
        return best;
    }

    if (m_show == Show::InFile) {
        const int otherGroup = static_cast<int>(m_catalog.groups().size()) - 1;
        for (const auto& [pointer, key] : m_values) {
            int group = otherGroup;
            if (key >= 0) {
                group = m_catalog.key(key).group;
            } else if (const int parent = m_catalog.find(pointer.section(QLatin1Char('/'), 0, -2).toStdString(), &document); parent > 0) {
                group = m_catalog.key(parent).group;
            }
            byGroup[static_cast<std::size_t>(group)].push_back({group, key, false, true, pointer});
        }
    } else {
        for (int id = 0; id < static_cast<int>(m_catalog.keys().size()); ++id) {
            const CatalogKey& key = m_catalog.key(id);
            if (key.pointer.empty() && m_show != Show::All)
                continue;
            for (ConfigRow& row : rowsOf(id)) {
                const int node = document.find(row.pointer.toStdString());
                // A section speaks through its keys, unless it holds something else or has a finding of its own.
                const bool plainSection = key.isSection() && (node < 0 || document.node(node).kind == JsonKind::Object) && m_config.severityAt(row.pointer) == 0;
                const KeyInRelease here = keyIn(key, m_config.context().release);
                const bool useful = here.known && here.reading == KeyReading::Read && !key.deprecated;
                if (m_show == Show::All || (row.applies && !plainSection && (node >= 0 || useful)))
                    byGroup[static_cast<std::size_t>(key.group)].push_back(std::move(row));
            }
        }
        for (const auto& [pointer, key] : m_values) {
            if (key >= 0)
                continue;
            const int parent = m_catalog.find(pointer.section(QLatin1Char('/'), 0, -2).toStdString(), &document);
            const int group = parent > 0 ? m_catalog.key(parent).group : static_cast<int>(m_catalog.groups().size()) - 1;
            byGroup[static_cast<std::size_t>(group)].push_back({group, -1, false, true, pointer});
        }
        for (auto& rows : byGroup)
            std::stable_partition(rows.begin(), rows.end(), [&](const ConfigRow& row) { return m_first.contains(row.pointer) && row.applies; });
    }
    std::vector<ConfigRow> rows;
    for (std::size_t group = 0; group < byGroup.size(); ++group) {
        if (byGroup[group].empty())
            continue;
        rows.push_back({static_cast<int>(group), -1, true, true, {}});
        if (!m_folded.contains(static_cast<int>(group)))
            rows.insert(rows.end(), byGroup[group].begin(), byGroup[group].end());
    }
    return rows;
}

void ConfigFormModel::place(std::vector<ConfigRow> rows)
{
    // The middle that differs is replaced; selection and scroll position outside it stay.
    std::size_t head = 0;
    while (head < rows.size() && head < m_rows.size() && rows[head] == m_rows[head])
        ++head;
    std::size_t tail = 0;
    while (tail < rows.size() - head && tail < m_rows.size() - head && rows[rows.size() - 1 - tail] == m_rows[m_rows.size() - 1 - tail])
        ++tail;
    const auto at = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
    m_placing = true;
    if (m_rows.size() > head + tail) {
        beginRemoveRows({}, static_cast<int>(head), static_cast<int>(m_rows.size() - tail) - 1);
        m_rows.erase(m_rows.begin() + at(head), m_rows.end() - at(tail));
        endRemoveRows();
    }
    if (rows.size() > head + tail) {
        beginInsertRows({}, static_cast<int>(head), static_cast<int>(rows.size() - tail) - 1);
        m_rows.insert(m_rows.begin() + at(head), rows.begin() + at(head), rows.end() - at(tail));
        endInsertRows();
    }
    m_placing = false;
    emit placed();
}

void ConfigFormModel::refresh()
{
    const bool wasEmpty = m_values.empty();
    countValues();
    for (const auto& [pointer, key] : m_values)
        if (wasEmpty) m_first.insert(pointer);
    place(computeRows());
    if (!m_rows.empty())
        emit dataChanged(index(0), index(static_cast<int>(m_rows.size()) - 1));
}

int ConfigFormModel::rowOfPointer(const QString& pointer) const
{
    int found = -1;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i].header || m_rows[i].pointer != pointer)
            continue;
        if (m_rows[i].applies)
            return static_cast<int>(i);
        if (found < 0)
            found = static_cast<int>(i);
    }
    return found;
}

int ConfigFormModel::rowOfGroup(int group) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(), [&](const ConfigRow& row) { return row.header && row.group == group; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int ConfigFormModel::makeVisible(const QString& pointer)
{
    int at = rowOfPointer(pointer);
    if (at < 0 && !m_folded.isEmpty()) {
        m_folded.clear();
        place(computeRows());
        at = rowOfPointer(pointer);
    }
    return at;
}

const CatalogKey* ConfigFormModel::catalogKey(int index) const
{
    const ConfigRow& at = row(index);
    return at.key < 0 ? nullptr : &m_catalog.key(at.key);
}

QByteArray ConfigFormModel::json(int index) const
{
    const ConfigRow& at = row(index);
    if (at.header || !at.applies)
        return {};
    const JsonDocument& document = m_config.document();
    const int node = document.find(at.pointer.toStdString());
    if (node < 0)
        return {};
    const std::string_view spelled = document.spelling(node);
    if (document.node(node).kind == JsonKind::String)
        return QByteArray::fromStdString(quoteJson(document.stringValue(node)));
    return QByteArray(spelled.data(), static_cast<qsizetype>(spelled.size()));
}

QString ConfigFormModel::name(int index) const
{
    const ConfigRow& at = row(index);
    if (at.header)
        return catalogText(m_catalog.groups()[static_cast<std::size_t>(at.group)].title);
    if (at.pointer.isEmpty())
        return tr("(whole file)");
    QString shown = at.pointer.mid(1);
    const QString prefix = m_query.isEmpty() ? groupPrefix(m_catalog.groups()[static_cast<std::size_t>(at.group)].id) : QString();
    if (!prefix.isEmpty() && at.pointer.startsWith(prefix))
        shown = at.pointer.mid(prefix.size());
    else if (m_query.isEmpty() && (at.pointer == QLatin1String("/optimizer/type") || at.pointer == QLatin1String("/scheduler/type")))
        shown = QStringLiteral("type");
    return shown.replace(QLatin1Char('/'), QLatin1Char('.')).replace(QLatin1String("~1"), QLatin1String("/")).replace(QLatin1String("~0"), QLatin1String("~"));
}

int ConfigFormModel::severity(int index) const
{
    const ConfigRow& at = row(index);
    return at.header ? 0 : at.applies ? m_config.severityAt(at.pointer) : 0;
}

QString ConfigFormModel::fixNote(int finding) const
{
    const CheckFinding& at = m_config.answer().findings[static_cast<std::size_t>(finding)];
    const nlohmann::json patch = at.fix.empty() ? nlohmann::json() : nlohmann::json::parse(at.fix, nullptr, false);
    if (patch.is_array() && patch.size() == 1 && patch[0].is_object() && patch[0].value("path", "") == at.pointer) {
        const std::string op = patch[0].value("op", "");
        if ((op == "replace" || op == "add") && patch[0]["value"].is_primitive())
            return tr("should be %1").arg(briefValue(QByteArray::fromStdString(patch[0]["value"].dump())));
    }
    switch (at.effect) {
    case CheckEffect::Refused: return tr("refused");
    case CheckEffect::Ignored: return tr("never read");
    case CheckEffect::Changed: return tr("changed");
    case CheckEffect::Warned: return m_config.isMendedByRanks(at) ? tr("for %1 ranks").arg(*m_config.ranksThatFit()) : tr("warning");
    case CheckEffect::Unwise: return at.severity == CheckSeverity::Error ? tr("not planned") : tr("unwise");
    }
    return {};
}

QString ConfigFormModel::note(int index) const
{
    const ConfigRow& at = row(index);
    if (at.header)
        return headerSubtitle(at.group);
    if (const int finding = at.applies ? m_config.findingAt(at.pointer) : -1; finding >= 0)
        return fixNote(finding);
    const CatalogKey* key = catalogKey(index);
    if (!key)
        return tr("unknown");
    if (!at.applies) {
        if (!key->when.empty()) {
            QStringList values;
            for (const std::string& value : key->when.begin()->second) values << QString::fromStdString(value);
            return tr("%1 only").arg(values.join(QStringLiteral(", ")));
        }
        return isListPattern(index) ? tr("adds an entry") : tr("needs a name");
    }
    const QByteArray value = json(index);
    if (key->isSection())
        return value.isEmpty() ? tr("section") : QString();
    if (const QString size = sizeNote(*key, value, elementBytesOf(m_config.document())); !size.isEmpty())
        return size;
    if (!value.isEmpty()) return {};
    const KeyInRelease here = keyIn(*key, m_config.context().release);
    if (here.reading == KeyReading::Refused) return tr("refused");
    if (here.reading == KeyReading::Ignored) return here.known ? tr("never read") : tr("not in %1").arg(QString::fromStdString(here.release));
    if (!key->removedIn.empty())
        return tr("until %1").arg(QString::fromStdString(key->removedIn));
    if (waitsForStage3(at.pointer.toStdString(), m_config.document()))
        return tr("stage 3 only");
    const QByteArray byDefault = QByteArray::fromStdString(defaultIn(*key, m_config.context().release));
    if (key->types.front() == KeyType::Bool && !byDefault.isEmpty())
        return shownValue(byDefault);
    return !byDefault.isEmpty() ? tr("default") : key->required ? tr("required") : key->unset.empty() ? tr("no default") : tr("depends");
}

QString ConfigFormModel::headerSubtitle(int group) const
{
    const CatalogGroup& at = m_catalog.groups()[static_cast<std::size_t>(group)];
    if (at.id == "batch" && m_config.answer().resolved && std::holds_alternative<std::int64_t>(m_config.answer().resolved->trainBatchSize) && !m_config.syntaxError()) {
        const ResolvedBatch& batch = *m_config.answer().resolved;
        const auto shown = [](const BatchNumber& number) { return std::holds_alternative<double>(number) ? QString::number(std::get<double>(number)) : QString::fromStdString(batchNumberText(number)); };
        const QString of = m_config.ranksThatFit() ? tr("%1 = micro %2 × accumulation %3 × ranks %4, inferred") : m_config.ranksAssumed() ? tr("%1 = micro %2 × accumulation %3 × ranks %4, assumed") : tr("%1 = micro %2 × accumulation %3 × ranks %4");
        return of.arg(shown(batch.trainBatchSize), shown(batch.micro), shown(batch.gas)).arg(m_config.context().world);
    }
    const bool unread = m_config.syntaxError() && setCount(-1) == 0;   // nobody knows what it sets
    return unread ? QString() : tr("%1 of %2 set").arg(setCount(group)).arg(at.keyCount);
}

int ConfigFormModel::setCount(int group) const
{
    if (group >= 0)
        return m_setCounts[static_cast<std::size_t>(group)];
    return static_cast<int>(m_values.size());
}

int ConfigFormModel::worstSeverity(int group) const
{
    return m_severities[static_cast<std::size_t>(group)];
}

bool ConfigFormModel::isEditable(int index) const
{
    const ConfigRow& at = row(index);
    const CatalogKey* key = at.header ? nullptr : catalogKey(index);
    return !at.header && (at.applies || isPattern(index)) && !m_config.syntaxError() && (!key || !key->isSection() || holdsNoSection(json(index)));
}

bool ConfigFormModel::isPattern(int index) const
{
    const ConfigRow& at = row(index);
    return !at.header && !at.applies && at.pointer.contains(QLatin1String("/*"));
}

bool ConfigFormModel::isListPattern(int index) const
{
    if (!isPattern(index))
        return false;
    const QString holder = row(index).pointer.section(QLatin1String("/*"), 0, 0);
    const int id = m_catalog.find(holder.toStdString());
    return id >= 0 && m_catalog.key(id).types.front() == KeyType::List;
}

QString ConfigFormModel::addInstance(int index, const QString& typed)
{
    const QString pointer = row(index).pointer;
    const QString holder = pointer.section(QLatin1String("/*"), 0, 0);
    const QString below = pointer.section(QLatin1String("/*"), 1);
    const JsonDocument& document = m_config.document();
    if (!isListPattern(index)) {
        const QString name = holder + QLatin1Char('/') + QString::fromStdString(pointerToken(typed.trimmed().toStdString()));
        if (document.find(name.toStdString()) >= 0)
            return tr("There is one of this name already.");
        m_config.setValue(name, "{}", stepName([key = typed.trimmed()] { return tr("Add %1").arg(key); }));
        m_config.setCurrent(name + below);
        return {};
    }
    const TypedValue value = typedValue(*catalogKey(index), typed, elementBytesOf(document));
    if (!value.isValid())
        return value.complaint;
    QByteArray entry = value.json;
    const QStringList keys = below.split(QLatin1Char('/'), Qt::SkipEmptyParts);
    for (auto key = keys.rbegin(); key != keys.rend(); ++key)
        entry = "{" + QByteArray::fromStdString(quoteJson(key->toStdString())) + ": " + entry + "}";
    const QString name = stepName([key = holder.section(QLatin1Char('/'), -1)] { return tr("Add an entry to %1").arg(key); });
    const int list = document.find(holder.toStdString());
    const int place = list >= 0 && document.node(list).kind == JsonKind::Array ? static_cast<int>(document.node(list).childCount) : 0;
    if (list >= 0 && document.node(list).kind == JsonKind::Array)
        m_config.applyPatch("[{\"op\": \"add\", \"path\": " + QByteArray::fromStdString(quoteJson(holder.toStdString() + "/-")) + ", \"value\": " + entry + "}]", name);
    else
        m_config.setValue(holder, "[" + entry + "]", name);
    m_config.setCurrent(QStringLiteral("%1/%2%3").arg(holder).arg(place).arg(below));
    return {};
}

int ConfigFormModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ConfigFormModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const int at = index.row();
    switch (role) {
    case Qt::DisplayRole: return name(at);
    case PointerRole: return row(at).pointer;
    case HeaderRole: return row(at).header;
    case JsonRole: return json(at);
    case NoteRole: return note(at);
    case Qt::AccessibleTextRole: {
        if (row(at).header)
            return tr("%1, %2").arg(name(at), note(at));
        const QByteArray value = json(at);
        return value.isEmpty() ? tr("%1, not set, %2").arg(name(at), note(at)) : tr("%1, %2, %3").arg(name(at), writtenValue(value), note(at));
    }
    default: return {};
    }
}

Qt::ItemFlags ConfigFormModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (isEditable(index.row()))
        flags |= Qt::ItemIsEditable;
    return flags;
}

}  // namespace stagecraft
