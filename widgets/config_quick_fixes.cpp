// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of fixes at the cursor of the text.
#include "widgets/config_editor.h"

#include "widgets/config_fix.h"
#include "widgets/config_model.h"
#include "widgets/icons.h"
#include "widgets/step_name.h"
#include "widgets/theme.h"

#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QWidgetAction>

#include <functional>

namespace stagecraft {

void ConfigEditor::addConversions(QMenu& menu)
{
    for (const QString& encoding : m_config.encodings())
        connect(menu.addAction(theme::icon(QStringLiteral("quick-fix")), tr("Convert to UTF-8 from %1").arg(encoding)), &QAction::triggered, &m_config, [this, encoding] { m_config.convert(encoding); });
}

std::vector<std::size_t> ConfigEditor::findingsHere(const std::string& pointer) const
{
    const auto& findings = m_config.answer().findings;
    const int line = static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(cursorOffset()))) + 1;
    const std::function<bool(const CheckFinding&)> ways[] = {[&](const CheckFinding& each) { return each.pointer == pointer && each.line == line; }, [&](const CheckFinding& each) { return each.line == line; },
                                                             [&](const CheckFinding& each) { return each.pointer == pointer; }};
    std::vector<std::size_t> here;
    for (const auto& fits : ways) {
        for (std::size_t i = 0; i < findings.size(); ++i)
            if ((!findings[i].pointer.empty() || m_config.pointedAt(findings[i])) && fits(findings[i]))
                here.push_back(i);
        if (!here.empty())
            break;
    }
    return here;
}

void ConfigEditor::openFixes()
{
    const bool whole = !m_config.syntaxError();
    const JsonSpot spot = whole ? m_config.document().pointerAt(static_cast<std::size_t>(cursorOffset())) : JsonSpot{};
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("quickFixes"));
    if (!whole)
        addConversions(*menu);
    for (std::size_t i = 0; !whole && m_config.encodings().isEmpty() && i < m_config.answer().findings.size(); ++i)
        if (const CheckFinding& finding = m_config.answer().findings[i]; finding.fix.empty() && !m_config.fixWords(finding).isEmpty())
            connect(menu->addAction(theme::icon(QStringLiteral("quick-fix")), m_config.fixWords(finding)), &QAction::triggered, &m_config, [this, i] { m_config.fix(static_cast<int>(i)); });
    for (const std::size_t i : whole ? findingsHere(spot.pointer) : std::vector<std::size_t>()) {
        const CheckFinding& finding = m_config.answer().findings[i];
        auto* message = new QLabel(QString::fromStdString(finding.message), menu);
        message->setTextFormat(Qt::PlainText);
        message->setWordWrap(true);
        message->setFixedWidth(300);
        message->setContentsMargins(8, 6, 8, 6);
        QPalette readable = menu->palette();   // it is there to be read, though there is nothing to choose in it
        readable.setColor(QPalette::Disabled, QPalette::WindowText, theme::color(theme::Token::Text));
        message->setPalette(readable);
        auto* head = new QWidgetAction(menu);
        head->setDefaultWidget(message);
        head->setEnabled(false);
        menu->addAction(head);
        if (m_config.isMendedByRanks(finding))
            connect(menu->addAction(theme::icon(QStringLiteral("quick-fix")), m_config.fixWords(finding)), &QAction::triggered, &m_config, &ConfigModel::requestRanks);
        if (m_config.asksForRanks(finding))
            connect(menu->addAction(theme::icon(QStringLiteral("chip")), m_config.fixWords(finding)), &QAction::triggered, &m_config, &ConfigModel::surroundingsRequested);
        const QString label = fixLabel(finding);
        if (const QString words = m_config.fixWords(finding); label.isEmpty() && !words.isEmpty() && !m_config.isMendedByRanks(finding) && !m_config.asksForRanks(finding))
            connect(menu->addAction(theme::icon(QStringLiteral("quick-fix")), words), &QAction::triggered, &m_config, [this, i] { m_config.fix(static_cast<int>(i)); });
        if (!label.isEmpty())
            connect(menu->addAction(theme::icon(QStringLiteral("quick-fix")), label), &QAction::triggered, &m_config, [this, finding] { m_config.applyFix(finding); });
        if (finding.pointer.empty() || !m_config.document().locate(finding.pointer))
            continue;   // it is about what is not written
        const QString pointer = QString::fromStdString(finding.pointer);
        connect(menu->addAction(theme::icon(QStringLiteral("window-close")), tr("Remove it from the file")), &QAction::triggered, &m_config,
            [this, pointer] { m_config.unset(pointer, stepName([key = pointer.section(QLatin1Char('/'), -1)] { return tr("Remove %1").arg(key); })); });
    }
    if (menu->isEmpty())
        emit m_config.messageChanged(whole ? tr("Nothing was found on this line") : tr("What cannot be read here has no quick fix"));
    if (menu->isEmpty()) {
        delete menu;
        return;
    }
    const auto at = static_cast<unsigned long>(cursorOffset());
    const int x = static_cast<int>(SendScintilla(SCI_POINTXFROMPOSITION, 0UL, static_cast<long>(at)));
    const int y = static_cast<int>(SendScintilla(SCI_POINTYFROMPOSITION, 0UL, static_cast<long>(at)));
    menu->popup(viewport()->mapToGlobal(QPoint(x, y + textHeight(0))));
    for (QAction* action : menu->actions())
        if (action->isEnabled() && !action->isSeparator()) {
            menu->setActiveAction(action);
            break;
        }
}

}  // namespace stagecraft
