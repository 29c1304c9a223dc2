// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drop_frame.h"

#include "app/file_flow.h"
#include "widgets/theme.h"

#include <QFileInfo>
#include <QPainter>

namespace stagecraft::app {

namespace {

constexpr int kFlags = Qt::AlignCenter | Qt::TextWordWrap;
constexpr QMargins kAround{16, 10, 16, 10};

}  // namespace

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

QRect DropFrame::box() const
{
    constexpr int kLeast = 48;   // px left beside it
    const QRect room = rect().adjusted(kLeast, kLeast, -kLeast, -kLeast).marginsRemoved(kAround);
    QRect box = QFontMetrics(theme::font(theme::Role::Title)).boundingRect(room, kFlags, m_sentence).marginsAdded(kAround);
    box.moveCenter(rect().center());
    return box;
}

void DropFrame::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(QPen(theme::color(theme::Token::Accent), 2, Qt::DashLine));
    painter.drawRect(rect().adjusted(4, 4, -5, -5));
    painter.setFont(theme::font(theme::Role::Title));
    const QRect box = this->box();
    painter.fillRect(box, theme::color(theme::Token::Tip));
    painter.setPen(theme::color(theme::Token::InputBorder));
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    painter.setPen(theme::color(theme::Token::Text));
    painter.drawText(box.marginsRemoved(kAround), kFlags, m_sentence);
}

}  // namespace stagecraft::app
