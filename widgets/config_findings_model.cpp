// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the findings: their words, and how they follow the findings.
#include "widgets/config_findings.h"

#include "widgets/config_fix.h"
#include "widgets/config_model.h"
#include "widgets/theme.h"

#include <QRegularExpression>
#include <QScopedValueRollback>

#include <algorithm>

namespace stagecraft {

namespace {

/// Tokens of a JSON Pointer as a person reads them.
QString shownKey(QString tokens)
{
    return tokens.replace(QLatin1Char('/'), QLatin1Char('.')).replace(QLatin1String("~1"), QLatin1String("/")).replace(QLatin1String("~0"), QLatin1String("~"));
}

/// A sentence whose quoted names leave room for what it says of them; the tool tip has them whole.
QString withShortNames(QString sentence)
{
    constexpr qsizetype kLongest = 64, kHead = 24, kTail = 16;   // characters
    static const QRegularExpression name(QStringLiteral("[\\x21-\\x7e]{%1,}").arg(kLongest + 1));
    for (QRegularExpressionMatch match = name.match(sentence); match.hasMatch(); match = name.match(sentence))
        sentence.replace(match.capturedStart() + kHead, match.capturedLength() - kHead - kTail, QStringLiteral("…"));
    return sentence;
}

/// Whether a sentence is about the quoted name that it begins with.
bool beginsWith(const QString& sentence, const QString& name)
{
    return !name.isEmpty() && sentence.startsWith(QLatin1Char('"') + name + QLatin1Char('"'));
}

}  // namespace

FindingsModel::FindingsModel(ConfigModel& config, QObject* parent) : QAbstractTableModel(parent), m_config(config)
{
    m_findings = config.answer().findings;
    connect(&config, &ConfigModel::changed, this, &FindingsModel::refresh);
}

void FindingsModel::refresh()
{
    const QScopedValueRollback refreshing(m_refreshing, true);
    const std::vector<CheckFinding>& fresh = m_config.answer().findings;
    const auto before = static_cast<int>(m_findings.size());
    const auto after = static_cast<int>(fresh.size());
    if (after < before) {
        beginRemoveRows({}, after, before - 1);
        m_findings = fresh;
        endRemoveRows();
    } else if (after > before) {
        beginInsertRows({}, before, after - 1);
        m_findings = fresh;
        endInsertRows();
    } else {
        m_findings = fresh;
    }
    if (after > 0)
        emit dataChanged(index(0, 0), index(after - 1, ColumnCount - 1));
}

int FindingsModel::rowOf(const CheckFinding& finding) const
{
    const auto isThat = [&finding](const CheckFinding& each) { return each.rule == finding.rule && each.pointer == finding.pointer; };
    auto at = std::find_if(m_findings.begin(), m_findings.end(), [&](const CheckFinding& each) { return isThat(each) && each.message == finding.message; });
    if (at == m_findings.end())
        at = std::find_if(m_findings.begin(), m_findings.end(), isThat);
    return at == m_findings.end() ? -1 : static_cast<int>(at - m_findings.begin());
}

int FindingsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_findings.size());
}

int FindingsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const CheckFinding& at = finding(index.row());
    if (index.column() == Message && (role == KeyRole || role == SentenceRole || role == WholeRole || role == Qt::AccessibleTextRole)) {
        // Most names say enough with the section they stand in: fp16.enabled. A sentence that begins with the name goes on from there.
        const QString pointer = QString::fromStdString(at.pointer);
        const QString name = pointer.section(QLatin1Char('/'), -1), key = shownKey(pointer.section(QLatin1Char('/'), std::max<qsizetype>(1, pointer.count(QLatin1Char('/')) - 1)));
        QString sentence = QString::fromStdString(at.message);
        if (role == Qt::AccessibleTextRole)
            return key.isEmpty() || beginsWith(sentence, shownKey(name)) || beginsWith(sentence, key) ? sentence : tr("%1: %2").arg(key, sentence);
        if (role == KeyRole)
            return !key.isEmpty() ? withShortNames(key) : m_config.pointedAt(at) ? tr("line %1").arg(at.line) : tr("whole file");
        for (const QString& said : {shownKey(name), key})
            if (beginsWith(sentence, said)) {
                sentence = sentence.mid(said.size() + 2).trimmed();
                break;
            }
        return role == WholeRole ? sentence : withShortNames(sentence);
    }
    if (role == Qt::ToolTipRole) {
        const QString fix = index.column() == Fix ? m_config.fixWords(at) : QString();
        return fix.isEmpty() ? QString::fromStdString(at.message) : fix;
    }
    if (index.column() == Mark && role == Qt::UserRole)
        return severityIcon(at.severity);
    if (index.column() == Mark && role == Qt::ForegroundRole)
        return theme::color(severityToken(at.severity));
    if (index.column() == Mark && role == Qt::AccessibleTextRole)
        return at.severity == CheckSeverity::Error ? tr("error") : at.severity == CheckSeverity::Warning ? tr("warning") : tr("note");
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Rule: return ruleWords(QString::fromStdString(at.rule));
    case Line: return at.line > 0 ? tr("line %1").arg(at.line) : QString();
    case Message: return QString::fromStdString(at.message);
    case Effect: return effectWords(at);
    case Fix: return m_config.fixWords(at);
    default: return {};
    }
}

}  // namespace stagecraft
