// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_diff.h"

#include "widgets/config_model.h"
#include "widgets/config_text_diff.h"
#include "widgets/config_value.h"
#include "widgets/panel.h"
#include "widgets/plain_table.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"
#include "widgets/two_line_cells.h"

#include <QEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kValueWidth = 86;   ///< px, the least of a value's column

}  // namespace

ConfigDiff::ConfigDiff(ConfigModel& config, QWidget* parent)
    : QWidget(parent), m_config(config), m_header(new PanelHeader(QString(), this)), m_useSaved(new QPushButton(this)), m_useFile(new QPushButton(this)),
      m_textHeader(new PanelHeader(QString(), this)), m_parts(new QSplitter(Qt::Vertical, this)), m_text(new ConfigTextDiff(this)),
      m_empty(new ToneLabel(Role::Body, Token::Text2, this)), m_table(new QTableWidget(this)),
      m_cells(new TwoLineDelegate(this, [this](const QModelIndex& at) {
          const auto words = [&at](int column) { return at.siblingAtColumn(column).data().toString(); };
          return std::vector<TwoLineDelegate::Piece>{{words(1), Role::FixedSmall, Token::Text2, true}, {QStringLiteral(" → ")}, {words(2), Role::FixedSmall, Token::Text}};
      }))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QPushButton* button : {m_useSaved, m_useFile}) {
        button->setProperty("compact", true);
        m_header->addWidget(button);
    }
    m_empty->setContentsMargins(12, 12, 12, 12);
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* meaning = new QWidget(m_parts);
    auto* meaningColumn = new QVBoxLayout(meaning);
    meaningColumn->setContentsMargins(0, 0, 0, 0);
    meaningColumn->setSpacing(0);
    meaningColumn->addWidget(m_header);
    meaningColumn->addWidget(m_empty);
    meaningColumn->addWidget(m_table, 1);
    meaningColumn->addStretch(0);
    auto* words = new QWidget(m_parts);
    auto* wordsColumn = new QVBoxLayout(words);
    wordsColumn->setContentsMargins(0, 0, 0, 0);
    wordsColumn->setSpacing(0);
    wordsColumn->addWidget(m_textHeader);
    wordsColumn->addWidget(m_text, 1);
    m_parts->setHandleWidth(1);
    m_parts->setChildrenCollapsible(false);
    m_parts->addWidget(meaning);
    m_parts->addWidget(words);
    m_parts->setSizes({260, 180});
    column->addWidget(m_parts, 1);
    connect(m_useSaved, &QPushButton::clicked, this, [this] { compareWith({}, {}); });
    connect(m_useFile, &QPushButton::clicked, this, &ConfigDiff::chooseFile);
    m_table->setColumnCount(3);
    makePlainTable(*m_table, 24, QAbstractItemView::SingleSelection);
    copyWithKeyboard(*m_table);
    m_table->setItemDelegate(m_cells);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setTextElideMode(Qt::ElideLeft);   // a file's name ends in what tells it
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&config, &ConfigModel::changed, this, &ConfigDiff::refresh);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, [this] {
        if (const QTableWidgetItem* item = m_table->item(m_table->currentRow(), 0))
            m_config.setCurrent(item->data(Qt::UserRole).toString());
    });
}

void ConfigDiff::setSavedText(const QByteArray& text)
{
    m_saved = text;
    refresh();
}

void ConfigDiff::compareWith(const QByteArray& text, const QString& name)
{
    m_other = text;
    m_otherName = name;
    refresh();
}

void ConfigDiff::chooseFile()
{
    auto* dialog = new QFileDialog(this, tr("Compare with"), m_folder, tr("Configs of DeepSpeed and other tools (*.json *.hjson *.yaml *.yml *.sh *.py);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ConfigDiff::compareWithFile);
    dialog->open();
}

void ConfigDiff::compareWithFile(const QString& path)
{
    constexpr qint64 kMostBytes = qint64{2} << 20;  // as the reader of a ds_config
    QFile file(path);
    if (const QFileInfo info(path); info.exists() && !info.isFile()) {   // to open a pipe may be to wait for ever
        emit complained(tr("Cannot compare with %1: it is no file.").arg(path));
        return;
    }
    if (!file.open(QIODevice::ReadOnly)) {
        emit complained(tr("Cannot read %1: %2").arg(path, file.errorString()));
        return;
    }
    if (file.size() > kMostBytes) {
        emit complained(tr("Cannot compare with %1: it has more than 2 MiB.").arg(path));
        return;
    }
    m_folder = QFileInfo(path).path();
    const QByteArray text = file.readAll();
    const QFileInfo info(path);
    const QString name = info.dir().dirName() + QLatin1Char('/') + info.fileName();   // most are called ds_config.json
    const auto held = m_foreign ? m_foreign(path, text) : std::nullopt;
    if (held && !held->hasValue())
        emit complained(tr("Cannot compare with %1: %2").arg(path, QString::fromStdString(held->error().message)));
    else
        compareWith(held ? **held : text, held ? tr("the ds_config of %1").arg(name) : name);
}

void ConfigDiff::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

/// What a file says of a key, and what it means where that is not the same.
QString ConfigDiff::sideText(const MeaningDifference::Side& side)
{
    const QString acts = writtenValue(QByteArray::fromStdString(side.acts)).simplified();
    const QString written = writtenValue(QByteArray::fromStdString(side.written)).simplified();
    if (side.written.empty())
        return side.acts.empty() || side.acts == "null" ? tr("not set") : tr("not set: %1").arg(acts);
    if (side.unread)
        return tr("%1, never read").arg(written);
    return side.asWritten() ? written : tr("%1, acts as %2").arg(written, acts);
}

void ConfigDiff::refresh()
{
    if (!isVisible())
        return;
    const auto compared = compareMeaning(base().toStdString(), m_config.text().toStdString(), m_config.givenContext());
    const std::vector<MeaningDifference> differences = compared.hasValue() ? compared->differences : std::vector<MeaningDifference>();
    const bool acts = !compared.hasValue() || (compared->beforeParses && compared->afterParses);
    m_header->setTitle(tr("By meaning"));
    m_header->setSubtitle(!acts ? tr("one is refused: as written") : m_otherName.isEmpty() ? tr("against the saved file") : tr("against %1").arg(m_otherName));
    m_useSaved->setText(tr("Saved file"));
    m_useSaved->setVisible(!m_otherName.isEmpty());
    m_useFile->setText(tr("Other file…"));
    m_text->setTexts(base(), m_config.text());
    m_textHeader->setTitle(tr("By text"));
    m_textHeader->setSubtitle(m_text->added() + m_text->removed() == 0 ? tr("every line is the same") : QStringLiteral("+%1  −%2").arg(m_text->added()).arg(m_text->removed()));
    m_text->setAccessibleName(tr("Differences by text"));
    m_table->setAccessibleName(tr("Differences by meaning"));
    m_table->setRowCount(static_cast<int>(differences.size()));
    for (int row = 0; row < static_cast<int>(differences.size()); ++row) {
        const MeaningDifference& at = differences[static_cast<std::size_t>(row)];
        const QString pointer = QString::fromStdString(at.pointer);
        const QString cells[] = {pointer.mid(1).replace(QLatin1Char('/'), QLatin1Char('.')), sideText(at.before), sideText(at.after)};
        for (int column = 0; column < 3; ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setData(Qt::UserRole, pointer);
            item->setFont(theme::font(Role::Fixed));
            item->setForeground(theme::color(column == 1 ? Token::Text2 : Token::Text));
            item->setToolTip(cells[column]);
            m_table->setItem(row, column, item);
        }
    }
    m_table->setVisible(!differences.empty());
    m_empty->setVisible(differences.empty() || !acts);
    const bool ownBroken = m_config.syntaxError().has_value();
    m_empty->setText(!compared.hasValue() ? tr("%1 cannot be read as a ds_config, so only the texts are compared.").arg(ownBroken ? tr("The text") : m_otherName.isEmpty() ? tr("The saved file") : m_otherName)
                       : acts ? tr("The text means the same.")
                              : (differences.empty() ? tr("%1, so values are compared as written: they are the same.") : tr("%1, so values are compared as written."))
                                    .arg(!compared->afterParses ? tr("DeepSpeed refuses the text") : m_otherName.isEmpty() ? tr("DeepSpeed refuses the saved file") : tr("DeepSpeed refuses %1").arg(m_otherName)));
    giveRoom();
}

void ConfigDiff::giveRoom()
{
    constexpr int kRoomForColumns = 520;   // px
    const bool twoLines = width() < kRoomForColumns;
    m_cells->setTwoLines(twoLines);
    m_table->setColumnHidden(1, twoLines);
    m_table->setColumnHidden(2, twoLines);
    m_table->verticalHeader()->setDefaultSectionSize(twoLines ? TwoLineDelegate::kHeight : 24);
    for (int row = 0; row < m_table->rowCount(); ++row)
        m_table->setRowHeight(row, m_table->verticalHeader()->defaultSectionSize());
    const QString with = m_otherName.isEmpty() ? tr("Saved") : m_otherName;
    m_table->setHorizontalHeaderLabels({twoLines ? tr("Key: %1 → now").arg(with) : tr("Key"), with, tr("Now")});
    // Values and the name of their file get the room they need, as long as keys keep about half.
    const QFontMetrics metrics(theme::font(Role::Fixed));
    for (int column = 1; column <= 2; ++column) {
        int wanted = std::max(kValueWidth, m_table->horizontalHeader()->sectionSizeHint(column));
        for (int row = 0; row < m_table->rowCount(); ++row)
            if (const QTableWidgetItem* item = m_table->item(row, column))
                wanted = std::max(wanted, metrics.horizontalAdvance(item->text()) + 18);
        m_table->setColumnWidth(column, std::clamp(width() * 26 / 100, kValueWidth, wanted));
    }
}

void ConfigDiff::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    giveRoom();
}

void ConfigDiff::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange)
        refresh();
}

}  // namespace stagecraft
