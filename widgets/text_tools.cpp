// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text_tools.h"

#include "widgets/config_editor.h"
#include "widgets/config_layout.h"
#include "widgets/config_model.h"
#include "widgets/icons.h"
#include "widgets/step_name.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>

namespace stagecraft {

TextTools::TextTools(ConfigModel& config, ConfigEditor& editor, QWidget* parent)
    : QWidget(parent), m_config(config), m_editor(editor), m_wrap(new QToolButton(this)), m_format(new QToolButton(this)), m_wrapKey(new QAction(this)), m_formatKey(new QAction(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    m_wrap->setIcon(theme::icon(QStringLiteral("format-wrap")));
    m_wrap->setCheckable(true);
    m_format->setIcon(theme::icon(QStringLiteral("format-indent")));
    for (QToolButton* button : {m_wrap, m_format})
        addButton(button);
    m_wrapKey->setShortcut(Qt::ALT | Qt::Key_Z);
    m_formatKey->setShortcut(Qt::ALT | Qt::SHIFT | Qt::Key_F);
    for (QAction* key : {m_wrapKey, m_formatKey})
        key->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    // Broken lines begin as far in as the line itself, with a mark where they were broken.
    editor.setWrapIndentMode(QsciScintilla::WrapIndentIndented);
    editor.setWrapVisualFlags(QsciScintilla::WrapFlagByText);
    connect(m_wrap, &QToolButton::toggled, this, [this](bool wrapped) {
        m_editor.setWrapMode(wrapped ? QsciScintilla::WrapWhitespace : QsciScintilla::WrapNone);
        emit wrapChanged(wrapped);
    });
    connect(m_format, &QToolButton::clicked, this, &TextTools::format);
    connect(m_wrapKey, &QAction::triggered, m_wrap, &QToolButton::toggle);
    connect(m_formatKey, &QAction::triggered, this, &TextTools::format);
    retranslate();
}

void TextTools::addButton(QToolButton* button)
{
    button->setAutoRaise(true);
    button->setFixedSize(22, 22);
    layout()->addWidget(button);
}

void TextTools::setWrapped(bool wrapped) { m_wrap->setChecked(wrapped); }

void TextTools::setShown(bool shown)
{
    m_wrap->setVisible(shown);
    m_format->setVisible(shown);
}

void TextTools::format()
{
    m_editor.flush();
    if (m_config.syntaxError()) {
        emit m_config.messageChanged(tr("The text is not formatted, because it cannot be read: %1").arg(m_config.syntaxMessage()));
        return;
    }
    const JsonDocument& document = m_config.document();
    if (const auto obstacle = layoutObstacle(document)) {
        const int line = document.positionOf(obstacle->offset).line;
        emit m_config.messageChanged(obstacle->what == JsonRelaxation::NoBraces ? tr("The text is not formatted: it has no braces round the whole. Put them there first.")
                                     : obstacle->what == JsonRelaxation::EmptyFile ? tr("There is no text to format.")
                                                                                   : tr("The text is not formatted: line %1 has a value without double quotes, of which line ends and indentation are a part. Put it in quotes first.").arg(line));
        return;
    }
    const std::string text = laidOut(document);
    if (text == document.text())
        emit m_config.messageChanged(tr("The text is formatted already."));
    else
        m_config.replaceText(QByteArray::fromStdString(text), stepName([] { return tr("Format"); }));
}

void TextTools::retranslate()
{
    m_wrap->setToolTip(tr("Wrap long lines (%1)").arg(m_wrapKey->shortcut().toString(QKeySequence::NativeText)));
    m_wrap->setAccessibleName(tr("Wrap long lines"));
    m_format->setToolTip(tr("Format the text: one key a line, indented; values, their order and comments stay (%1)").arg(m_formatKey->shortcut().toString(QKeySequence::NativeText)));
    m_format->setAccessibleName(tr("Format the text"));
}

void TextTools::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

}  // namespace stagecraft
