// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_resolved.h"

#include "widgets/config_model.h"
#include "widgets/config_value.h"
#include "widgets/icons.h"
#include "widgets/plain_table.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"
#include "widgets/two_line_cells.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

/// What the file says, what DeepSpeed makes of it, and why: one behind the other.
std::vector<TwoLineDelegate::Piece> pieces(const ResolvedRow& at)
{
    std::vector<TwoLineDelegate::Piece> pieces{at.inFile.isEmpty() ? TwoLineDelegate::Piece{ResolvedModel::tr("not set"), Role::Small} : TwoLineDelegate::Piece{at.inFile, Role::FixedSmall, Token::Text2, true}};
    if (!at.used.isEmpty() && at.used != at.inFile && at.inFile != QLatin1Char('"') + at.used + QLatin1Char('"')) {
        pieces.push_back({QStringLiteral(" → ")});
        pieces.push_back({at.used, Role::FixedSmall, at.why.isEmpty() ? Token::Text2 : Token::Warn, true});
    }
    if (!at.why.isEmpty())
        pieces.push_back({QStringLiteral("   ") + at.why, Role::Small, at.refused ? Token::Error : at.used.isEmpty() ? Token::Warn : Token::Text2});
    return pieces;
}

}  // namespace

ResolvedModel::ResolvedModel(ConfigModel& config, QObject* parent) : QAbstractTableModel(parent), m_config(config)
{
    refresh();
}

void ResolvedModel::refresh()
{
    const JsonDocument& document = m_config.document();
    const CheckAnswer& answer = m_config.answer();
    std::vector<ResolvedRow> different, same;
    const auto written = [&](const std::string& pointer) {
        const int node = document.find(pointer);
        if (node < 0)
            return QString();
        const std::string_view spelled = document.spelling(node);
        return document.node(node).kind == JsonKind::Object ? QStringLiteral("{…}") : QString::fromUtf8(spelled.data(), static_cast<qsizetype>(spelled.size())).simplified();
    };
    QSet<QString> told;
    // A config that is refused is never used: nothing in it is what DeepSpeed works with.
    const bool refused = !answer.parseOk;
    if (refused && !m_config.syntaxError()) {
        for (const CheckFinding& finding : answer.findings) {
            const QString pointer = QString::fromStdString(finding.pointer);
            // What only the plan cannot do DeepSpeed does not refuse.
            if (finding.severity != CheckSeverity::Error || finding.effect != CheckEffect::Refused || told.contains(pointer))
                continue;
            told.insert(pointer);
            different.push_back({pointer, written(finding.pointer), {}, tr("refused"), true});
        }
    }
    const auto reasonOf = [&](const std::string& pointer) {
        const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.pointer == pointer && finding.effect == CheckEffect::Changed; });
        return found == answer.findings.end() ? tr("changed without a message") : tr("changed; finding %1 says why").arg(QString::fromStdString(found->rule));
    };
    const CheckLauncher launcher = m_config.context().launcher;
    const bool accelerate = launcher == CheckLauncher::Accelerate, given = !m_config.context().trainer.empty();
    const QString launchers = accelerate ? (given ? tr("filled in by accelerate") : tr("accelerate's default")) : given ? tr("from the Trainer's arguments") : tr("transformers' default");
    const QString notFilledIn = tr("not filled in: DeepSpeed's own default stands");
    const auto launcherSays = [&](const QString& pointer) {
        // Of this section three keys come from the model, whatever the arguments are, and with the Trainer not all of them at every stage.
        const bool size = pointer.endsWith(QLatin1String("_size")) || pointer.endsWith(QLatin1String("_threshold"));
        if (!pointer.startsWith(QLatin1String("/zero_optimization/")) || (accelerate && !size))
            return launchers;
        const bool filled = std::any_of(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.rule == "R103" && QString::fromStdString(finding.pointer) == pointer; });
        return !filled ? notFilledIn : accelerate ? tr("accelerate's, from the model's hidden size") : tr("the Trainer's, from the model's hidden size");
    };
    const auto byLauncher = [&](const QString& before) { return fillsAuto(launcher) && before == QLatin1String("\"auto\""); };
    if (answer.resolved) {
        const auto number = [](const BatchNumber& value) {
            return std::holds_alternative<double>(value) ? QString::number(std::get<double>(value)) : QString::fromStdString(batchNumberText(value));
        };
        const std::pair<const char*, QString> batch[] = {{"/train_batch_size", number(answer.resolved->trainBatchSize)},
            {"/train_micro_batch_size_per_gpu", number(answer.resolved->micro)}, {"/gradient_accumulation_steps", number(answer.resolved->gas)}};
        for (const auto& [pointer, used] : batch) {
            const QString before = written(pointer);
            different.push_back({QString::fromUtf8(pointer), before, used, byLauncher(before) ? launchers : before.isEmpty() ? ((m_config.ranksThatFit() ? tr("inferred, as are the ranks: %1") : m_config.ranksAssumed() ? tr("inferred; ranks: %1, assumed") : tr("inferred; ranks: %1")).arg(m_config.context().world)) : QString()});
            told.insert(QString::fromUtf8(pointer));
        }
    }
    for (const ChangedValue& changed : answer.changed) {
        const QString pointer = QString::fromStdString(changed.pointer);
        if (told.contains(pointer))
            continue;
        const QString before = written(changed.pointer);
        different.push_back({pointer, before, shownValue(QByteArray::fromStdString(changed.json)), byLauncher(before) ? launcherSays(pointer) : reasonOf(changed.pointer)});
        told.insert(pointer);
    }
    for (const std::string& ignored : answer.ignored) {
        const QString pointer = QString::fromStdString(ignored);
        if (told.contains(pointer))
            continue;
        different.push_back({pointer, written(ignored), {}, tr("never read")});
        told.insert(pointer);
    }
    for (const CheckFinding& finding : answer.findings) {
        const QString pointer = QString::fromStdString(finding.pointer);
        if (finding.rule != "R104" || !byLauncher(written(finding.pointer)) || told.contains(pointer))
            continue;
        different.push_back({pointer, written(finding.pointer), {}, pointer.startsWith(QLatin1String("/scheduler/")) ? tr("needs the number of steps, which is not known here") : tr("needs the model's hidden size: choose the model")});
        told.insert(pointer);
    }
    for (int id = 1; id < static_cast<int>(document.nodes().size()); ++id) {
        const JsonNode& node = document.node(id);
        const QString pointer = QString::fromStdString(document.pointerOf(id));
        const bool leaf = node.kind != JsonKind::Object && document.node(node.parent).kind == JsonKind::Object;
        if (leaf && !told.contains(pointer) && !refused && byLauncher(written(pointer.toStdString())) && pointer.startsWith(QLatin1String("/zero_optimization/")) && pointer.count(QLatin1Char('/')) == 2)
            different.push_back({pointer, written(pointer.toStdString()), {}, notFilledIn});
        else if (leaf && !told.contains(pointer))
            same.push_back({pointer, written(pointer.toStdString()), refused ? QString() : shownValue(QByteArray::fromStdString(std::string(document.spelling(id)))).simplified(), {}});
    }
    different.insert(different.end(), same.begin(), same.end());
    const auto before = static_cast<int>(m_rows.size());
    const auto after = static_cast<int>(different.size());
    if (after < before) {
        beginRemoveRows({}, after, before - 1);
        m_rows = std::move(different);
        endRemoveRows();
    } else if (after > before) {
        beginInsertRows({}, before, after - 1);
        m_rows = std::move(different);
        endInsertRows();
    } else {
        m_rows = std::move(different);
    }
    if (after > 0)
        emit dataChanged(index(0, 0), index(after - 1, ColumnCount - 1));
    emit headerDataChanged(Qt::Horizontal, InFile, InFile);
}

int ResolvedModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ResolvedModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ResolvedModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const ResolvedRow& at = row(index.row());
    const bool differs = !at.why.isEmpty();
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Key: return at.pointer.isEmpty() ? tr("the whole config") : at.pointer.mid(1).replace(QLatin1Char('/'), QLatin1Char('.'));
        case InFile: return at.inFile.isEmpty() ? tr("not set") : at.inFile;
        case Used: return at.used.isEmpty() && differs ? at.why : at.used;
        case Why: return at.why;
        default: return {};
        }
    case Qt::ToolTipRole: {
        const QString values = at.inFile.isEmpty() || at.used.isEmpty() || at.used == at.inFile ? (at.used.isEmpty() ? at.inFile : at.used) : tr("%1 → %2").arg(at.inFile, at.used);
        return QStringLiteral("%1\n%2").arg(differs ? tr("%1: %2").arg(at.pointer, at.why) : at.pointer, values);
    }
    case Qt::AccessibleTextRole:
        if (index.column() != Key)
            return {};
        return QStringList{data(index, Qt::DisplayRole).toString(), at.inFile.isEmpty() ? tr("not set") : at.inFile, at.used == at.inFile ? QString() : at.used, at.why}.filter(QRegularExpression(QStringLiteral("."))).join(QStringLiteral("; "));
    case Qt::FontRole: return theme::font(index.column() == Why ? Role::Small : Role::Fixed);
    case Qt::ForegroundRole: return theme::color(index.column() == Used && at.refused ? Token::Error : index.column() == Used && differs ? Token::Warn : index.column() == Used ? Token::Text2 : index.column() == Key ? Token::Text : Token::Text2);
    default: return {};
    }
}

QVariant ResolvedModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return role == Qt::TextAlignmentRole ? QVariant(Qt::AlignLeft | Qt::AlignVCenter) : QVariant();
    switch (section) {
    case Key: return tr("Key");
    case InFile: return m_config.syntaxError() ? tr("In the last text") : tr("In the file");
    case Used: return tr("DeepSpeed uses");
    case Why: return tr("Why");
    default: return {};
    }
}

ResolvedView::ResolvedView(ConfigModel& config, QWidget* parent)
    : QWidget(parent), m_config(config), m_rows(new ResolvedModel(config, this)), m_verdict(new QWidget(this)), m_refusal(new ToneLabel(Role::BodyBold, Token::Error, m_verdict)),
      m_reason(new ToneLabel(Role::Body, Token::Text, m_verdict)), m_last(new ToneLabel(Role::Small, Token::Text2, m_verdict)), m_cells(new TwoLineDelegate(this, [this](const QModelIndex& index) { return pieces(m_rows->row(index.row())); })), m_table(new QTableView(this)),
      m_bar(new QWidget(this)), m_search(new QLineEdit(m_bar)), m_count(new ToneLabel(Role::Small, Token::Text2, m_bar))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_verdict);
    column->addWidget(m_bar);
    column->addWidget(m_table, 1);
    auto* bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(8, 4, 8, 4);
    bar->addWidget(m_search, 1);
    bar->addWidget(m_count);
    m_search->addAction(theme::icon(QStringLiteral("edit-find"), Token::Text2), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_bar->hide();
    connect(m_search, &QLineEdit::textChanged, this, &ResolvedView::filter);
    auto* words = new QVBoxLayout(m_verdict);
    words->setContentsMargins(8, 8, 8, 8);
    words->setSpacing(4);
    for (ToneLabel* label : {m_refusal, m_reason, m_last}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        words->addWidget(label);
    }
    m_refusal->setObjectName(QStringLiteral("refusal"));
    m_reason->setObjectName(QStringLiteral("refusalReason"));
    m_last->setObjectName(QStringLiteral("lastText"));

    m_table->setModel(m_rows);
    makePlainTable(*m_table, 24, QAbstractItemView::SingleSelection);
    copyWithKeyboard(*m_table);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->setMinimumHeight(72);   // a header and two rows, however long the reason is
    m_table->horizontalHeader()->setSectionResizeMode(ResolvedModel::Key, QHeaderView::Stretch);
    m_table->setColumnWidth(ResolvedModel::InFile, 86);
    m_table->setColumnWidth(ResolvedModel::Used, 110);
    m_table->setColumnWidth(ResolvedModel::Why, 190);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setItemDelegate(m_cells);
    setFocusProxy(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& at) {
        if (at.isValid())
            m_config.setCurrent(m_rows->row(at.row()).pointer);
    });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& at) {
        const auto place = m_config.document().locate(m_rows->row(at.row()).pointer.toStdString());
        if (place && !m_config.syntaxError())
            emit m_config.revealRequested(static_cast<int>(place->value.begin), static_cast<int>(place->value.end));
    });
    connect(&config, &ConfigModel::changed, this, &ResolvedView::refresh);
    showVerdict();
    retranslate();
}

void ResolvedView::find()
{
    m_bar->show();
    m_search->setFocus();
    m_search->selectAll();
}

void ResolvedView::filter()
{
    const QString words = m_bar->isHidden() ? QString() : m_search->text().trimmed();
    int found = 0;
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        bool holds = words.isEmpty();
        for (int column = 0; column < ResolvedModel::ColumnCount && !holds; ++column)
            holds = m_rows->index(row, column).data().toString().contains(words, Qt::CaseInsensitive);
        m_table->setRowHidden(row, !holds);
        found += holds ? 1 : 0;
    }
    m_count->setText(words.isEmpty() ? QString() : found == 0 ? tr("none") : tr("%1 found").arg(found));
    m_count->setToken(found == 0 ? Token::Error : Token::Text2);
}

void ResolvedView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape || m_bar->isHidden()) {
        QWidget::keyPressEvent(event);
        return;
    }
    m_bar->hide();
    filter();
    m_table->setFocus();
}

void ResolvedView::retranslate()
{
    m_table->setAccessibleName(tr("Resolved values"));
    m_search->setPlaceholderText(tr("Find among the resolved values"));
    m_search->setAccessibleName(m_search->placeholderText());
}

void ResolvedView::refresh()
{
    // Behind the other tabs nobody sees it: a large file's rows are made when it is shown.
    m_stale = !isVisible();
    if (m_stale)
        return;
    m_rows->refresh();
    filter();
    showVerdict();
    giveRoom();
}

void ResolvedView::giveRoom()
{
    constexpr int kRoomForColumns = 640;   // px
    const bool twoLines = width() < kRoomForColumns;
    m_cells->setTwoLines(twoLines);
    for (const ResolvedModel::Column column : {ResolvedModel::InFile, ResolvedModel::Used, ResolvedModel::Why})
        m_table->setColumnHidden(column, twoLines);
    m_table->verticalHeader()->setDefaultSectionSize(twoLines ? TwoLineDelegate::kHeight : 24);
    m_table->horizontalHeader()->setVisible(!twoLines);
    if (twoLines)
        return;
    // Values are as wide as they are, up to a quarter each; the keys, which tell the rows apart, have the rest.
    for (const ResolvedModel::Column column : {ResolvedModel::InFile, ResolvedModel::Used}) {
        int widest = m_table->horizontalHeader()->sectionSizeHint(column);
        for (int row = 0; row < std::min(m_rows->rowCount(), 500); ++row)
            widest = std::max(widest, QFontMetrics(theme::font(Role::Fixed)).horizontalAdvance(m_rows->index(row, column).data().toString()) + 14);
        m_table->setColumnWidth(column, std::min(widest, std::max(64, width() / 4)));
    }
}

void ResolvedView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        refresh();
}

void ResolvedView::showVerdict()
{
    const CheckAnswer& answer = m_config.answer();
    QString refusal, reason;
    if (m_config.syntaxError() && m_config.syntaxError()->context.count("rule") != 0) {
        refusal = m_config.syntaxMessage();   // it is judged, and not shown
    } else if (m_config.syntaxError()) {
        refusal = tr("The text cannot be read: nothing in it is used until it is mended.");
        reason = m_config.syntaxMessage();
    } else if (!answer.ok) {
        const QString who = QString::fromStdString(whoRefuses(answer, m_config.context().launcher));
        refusal = !who.startsWith(QLatin1String("DeepSpeed")) ? tr("%1 refuses this config: DeepSpeed does not see it until it is mended.").arg(who) : answer.parseOk ? tr("DeepSpeed reads this config and then refuses to train with it.") : tr("DeepSpeed refuses this config: nothing in it is used until it is mended.");
        const auto first = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.severity == CheckSeverity::Error && f.effect == CheckEffect::Refused && f.level == answer.level; });
        reason = first == answer.findings.end() ? QString() : QString::fromStdString(first->message);
    }
    const bool old = m_config.syntaxError() && m_rows->rowCount() > 0;   // once, before what stands there now
    m_last->setText(old ? tr("Below stands the last text that could be read.") : QString());
    m_last->setVisible(old);
    m_table->setEnabled(!m_config.syntaxError());
    m_refusal->setText(refusal);
    m_reason->setText(reason);
    m_reason->setVisible(!reason.isEmpty());
    m_verdict->setVisible(!refusal.isEmpty());
}

void ResolvedView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    giveRoom();
}

void ResolvedView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        refresh();
        emit m_rows->headerDataChanged(Qt::Horizontal, 0, ResolvedModel::ColumnCount - 1);
    }
}

}  // namespace stagecraft
