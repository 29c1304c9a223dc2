// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers between starts, and its end.
#include "app/main_window.h"

#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/dock_bar.h"
#include "app/file_flow.h"
#include "app/layout_memory.h"
#include "app/panel_tour.h"
#include "app/pending_edit.h"
#include "app/plan_page.h"
#include "app/session/recovery_journal.h"
#include "app/session/workspace_document.h"
#include "app/translations.h"
#include "widgets/config_page.h"
#include "widgets/text_tools.h"

#include <QAction>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QMenu>
#include <QSplitter>

namespace stagecraft::app {

namespace {

constexpr int kRecentWidth = 420;   ///< of a path in Open recent, pixels

}  // namespace

void MainWindow::setLanguage(Language language)
{
    m_settings.change([language](Settings& settings) { settings.language = language; });
    m_translations->apply(language);
}

void MainWindow::setThemeMode(theme::Mode mode)
{
    m_settings.change([mode](Settings& settings) { settings.theme = mode; });
    theme::Theme::instance()->setMode(mode);
    updateNames();
}

void MainWindow::keepWrapping()
{
    TextTools* text = m_configPage->view().textTools();
    text->setWrapped(m_settings.now().wrapText);
    connect(text, &TextTools::wrapChanged, this, [this](bool wrapped) { m_settings.change([wrapped](Settings& settings) { settings.wrapText = wrapped; }); });
}

void MainWindow::updateRecent()
{
    m_settings.refreshRecent();
    const QStringList& files = m_settings.now().recentFiles;
    m_recentMenu->clear();
    m_recentMenu->setToolTipsVisible(true);
    for (const QString& path : files) {
        const QString shown = QDir::toNativeSeparators(path);
        // Folders and names may be as long as they like; the end, which tells the files apart, is kept whole.
        QAction* entry = m_recentMenu->addAction(m_recentMenu->fontMetrics().elidedText(shown, Qt::ElideMiddle, kRecentWidth).replace(QLatin1Char('&'), QLatin1String("&&")));
        entry->setToolTip(shown);
        entry->setStatusTip({});
        connect(entry, &QAction::triggered, this, [this, path] { m_files->openPath(path); });
    }
    m_recentMenu->setEnabled(!files.isEmpty());
    m_start->setRecentFiles(files);
}

void MainWindow::resetLayout()
{
    m_inspectorWidth = Settings().inspectorWidth;
    m_inner->resizeDocks({m_inspectorDock}, {m_inspectorWidth}, Qt::Horizontal);
    m_actions->inspector->setChecked(true);
    m_settings.change([](Settings& settings) { settings.inspectorOpen = true; });
    fold();
    m_dockBar->close();
    m_layout->reset(*m_outputSplit, QStringLiteral("output"));
    for (const Page* page : m_pages)
        m_layout->reset(*page);
    if (m_planPage)
        m_planPage->resetLayout();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    takePendingEdit(*this);
    m_document->lookWhatIsGone();
    if (!m_closing && m_document->isModified()) {
        event->ignore();
        m_files->whenSafe([this] {
            m_closing = true;
            close();
        });
        return;
    }
    // A run goes on without the window; what was unsaved has been saved or given up.
    if (m_document->isModified())
        m_document->close();
    m_journal->flush();
    (void)m_tour->putBack();
    for (const Page* page : m_pages)
        m_layout->remember(*page);
    m_layout->remember(*m_outputSplit, QStringLiteral("output"));
    const bool pulled = m_inspectorWidth != m_settings.now().inspectorWidth;
    m_settings.change([&, geometry = saveGeometry()](Settings& settings) {
        settings.windowGeometry = geometry;
        if (pulled)
            settings.inspectorWidth = m_inspectorWidth;
        m_layout->writeInto(settings.panelSizes);
    });
    event->accept();
}

}  // namespace stagecraft::app
