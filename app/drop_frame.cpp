// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drop_frame.h"

#include "app/file_flow.h"
#include "widgets/theme.h"

#include <QFileInfo>
#include <QPainter>

namespace stagecraft::app {

DropFrame::DropFrame(QWidget* window) : QWidget(window)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropFrame::showFor(const QString& path)
{
    const QString name = QFileInfo(path).fileName();
    switch (fileKind(path)) {
    case FileKind::Workspace: m_sentence = tr("Release to open %1 on Plan").arg(name); break;
    case FileKind::DsConfig: m_sentence = tr("Release to open %1 on Config").arg(name); break;
    case FileKind::ModelFolder: m_sentence = tr("Release to plan with the model in %1").arg(name); break;
    case FileKind::Foreign: m_sentence = tr("Release to see what %1 brings, on Config").arg(name); break;
    case FileKind::Unknown: m_sentence = tr("%1 cannot be opened. Accepted: workspace, ds_config.json, Hugging Face model folder, files of accelerate, HF Trainer, LLaMA-Factory, axolotl, launch scripts").arg(name); break;
    }
    setGeometry(parentWidget()->rect());
    show();
    raise();
}

void DropFrame::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(QPen(theme::color(theme::Token::Accent), 2, Qt::DashLine));
    painter.drawRect(rect().adjusted(4, 4, -5, -5));
    painter.setFont(theme::font(theme::Role::Title));
    const QRect words = painter.fontMetrics().boundingRect(m_sentence).adjusted(-16, -10, 16, 10);
    QRect box(QPoint(0, 0), words.size());
    box.moveCenter(rect().center());
    painter.fillRect(box, theme::color(theme::Token::Tip));
    painter.setPen(theme::color(theme::Token::InputBorder));
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    painter.setPen(theme::color(theme::Token::Text));
    painter.drawText(box, Qt::AlignCenter, m_sentence);
}

}  // namespace stagecraft::app
