// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/disk_banner.h"

#include "app/core_errors.h"
#include "app/formats.h"
#include "app/session/workspace_document.h"
#include "visualizers/list_text.h"
#include "widgets/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <QUndoStack>

#include <algorithm>

namespace stagecraft::app {

using theme::Token;

DiskBanner::DiskBanner(WorkspaceDocument& document, QWidget* parent)
    : Banner({QStringLiteral("dialog-information"), Token::Info, Token::Text, Token::InfoTint}, parent), m_document(document), m_take(new QPushButton(this)), m_keep(new QPushButton(this)), m_close(new QToolButton(this))
{
    setObjectName(QStringLiteral("diskBanner"));
    row()->setContentsMargins(12, 4, 8, 4);
    button()->setObjectName(QStringLiteral("compareButton"));
    m_take->setObjectName(QStringLiteral("takeButton"));
    m_keep->setObjectName(QStringLiteral("keepButton"));
    for (QPushButton* choice : {m_take, m_keep}) {
        choice->setProperty("compact", true);
        row()->addWidget(choice);
    }
    m_close->setIcon(theme::icon(QStringLiteral("window-close")));
    m_close->setAutoRaise(true);
    row()->addWidget(m_close);
    connect(button(), &QPushButton::clicked, this, [this] {
        if (asks())
            emit compareRequested();
        else
            m_document.undoStack().undo();
    });
    connect(m_take, &QPushButton::clicked, this, &DiskBanner::take);
    connect(m_keep, &QPushButton::clicked, this, [this] {
        m_document.keepMine();
        show(State::Hidden);
    });
    connect(m_close, &QToolButton::clicked, this, [this] { show(State::Hidden); });
    connect(&document, &WorkspaceDocument::fileChangedOutside, this, &DiskBanner::fileChanged);
    connect(&document, &WorkspaceDocument::opened, this, [this] { show(State::Hidden); });
    connect(&document, &WorkspaceDocument::diskMatched, this, [this] { show(State::Hidden); });
    // "Undo" means this step only while it is the last one.
    connect(&document.undoStack(), &QUndoStack::indexChanged, this, [this](int index) {
        if (m_state == State::Taken && index != m_takenAt)
            show(State::Hidden);
    });
    show(State::Hidden);
}

void DiskBanner::fileChanged()
{
    const auto changed = m_document.changedOnDisk();
    QStringList names;
    for (const std::filesystem::path& file : changed)
        names << QString::fromStdString(file.filename().string());
    m_files = listText(names);
    m_ofConfig = std::find(changed.begin(), changed.end(), m_document.configPath().empty() ? m_document.path() : m_document.configPath()) != changed.end();
    // What is held around a ds_config alone is in no file: it stays when the file is taken.
    if (m_document.isConfigAlone() ? m_document.isConfigUnsaved() : m_document.isModified())
        show(State::Asking);
    else
        take();
}

void DiskBanner::take()
{
    const bool asked = asks();
    if (const auto taken = m_document.takeTheirs(); !taken.hasValue()) {
        emit failed(errorText(taken.error()));
        return show(State::Asking);
    }
    m_takenAt = m_document.undoStack().index();
    show(asked ? State::Hidden : State::Taken);   // who has answered knows it
}

void DiskBanner::show(State state)
{
    m_state = state;
    const QString words = state == State::Hidden  ? QString()
                          : state == State::Taken ? tr("Another program changed %1: its content is shown now.").arg(m_files)
                                                  : tr("Another program changed %1. Here are unsaved changes, which stay in the undo history if you take the file.").arg(m_files);
    say(words, words);
    button()->setText(state == State::Taken ? tr("Undo") : tr("Compare"));
    button()->setToolTip(state == State::Taken ? tr("Back to what was shown before; nothing is written") : tr("Shows how the ds_config differs from the file's, on the Config page"));
    button()->setVisible(state == State::Taken || m_ofConfig);
    m_take->setText(tr("Take the file"));
    m_keep->setText(tr("Keep mine"));
    m_take->setToolTip(tr("Shows what the other program wrote; one undo step"));
    m_keep->setToolTip(tr("The next save replaces what the other program wrote"));
    m_close->setToolTip(tr("Hide"));
    m_close->setAccessibleName(m_close->toolTip());
    m_take->setVisible(state == State::Asking);
    m_keep->setVisible(state == State::Asking);
    m_close->setVisible(state == State::Taken);
    setVisible(state != State::Hidden);
}

void DiskBanner::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        show(m_state);
    QWidget::changeEvent(event);
}

}  // namespace stagecraft::app
