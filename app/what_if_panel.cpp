// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/what_if_panel.h"

#include "widgets/fit_slider.h"
#include "widgets/tone_label.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStyle>
#include <QVBoxLayout>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr int kRefused = 3;   // of the legend's words

QString trackName(int index) { return QStringLiteral("track%1").arg(index); }

}  // namespace

WhatIfPanel::WhatIfPanel(QWidget* parent)
    : Panel({}, parent), m_note(nullptr), m_foot(new QWidget), m_chunks(new QCheckBox(m_foot)), m_reset(new QPushButton(m_foot))
{
    auto* content = new QWidget;
    auto* whole = new QVBoxLayout(content);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    auto* knobs = new QWidget;
    auto* column = new QVBoxLayout(knobs);
    column->setContentsMargins(0, 8, 0, 8);
    column->setSpacing(0);
    for (int k = 0; k < kKnobCount; ++k) {
        auto* slider = new FitSlider(knobs);
        const auto knob = static_cast<Knob>(k);
        connect(slider, &FitSlider::valueTurned, this, [this, knob](std::int64_t value) { emit turned(knob, value, false); });
        connect(slider, &FitSlider::valueSettled, this, [this, knob](std::int64_t value) { emit turned(knob, value, true); });
        column->addWidget(slider);
        m_knobs.at(static_cast<std::size_t>(k)) = slider;
    }
    m_note = new ToneLabel(Role::Small, Token::Text2, knobs);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(12, 6, 12, 0);
    column->addWidget(m_note);
    column->addStretch(1);
    QScrollArea* scroll = verticalScroll(knobs);
    scroll->viewport()->setBackgroundRole(QPalette::Base);
    whole->addWidget(scroll, 1);
    auto* foot = new QHBoxLayout(m_foot);
    foot->setContentsMargins(12, 4, 12, 6);
    foot->setSpacing(8);
    m_reset->setProperty("compact", true);
    m_reset->setFixedHeight(22);
    m_reset->setAutoDefault(false);
    foot->addWidget(m_chunks);
    foot->addStretch(1);
    foot->addWidget(m_reset);
    whole->addWidget(m_foot);
    setContent(content);
    setMinimumWidth(knobs->minimumSizeHint().width() + style()->pixelMetric(QStyle::PM_ScrollBarExtent));   // a bar over the fields would cut them
    int index = 0;
    for (const Token token : {Token::Ok, Token::Warn, Token::Error, Token::Text2}) {
        auto* word = new ToneLabel(Role::Small, token, header());
        word->setObjectName(trackName(index++));
        header()->addWidget(word);
    }
    header()->findChild<ToneLabel*>(trackName(kRefused))->hide();   // where nothing is, it says nothing
    connect(m_chunks, &QCheckBox::clicked, this, [this](bool on) { emit lossChunksChosen(on ? m_lossChunks : 1); });
    connect(m_reset, &QPushButton::clicked, this, &WhatIfPanel::resetRequested);
    retranslate();
}

void WhatIfPanel::show(const PlanSet& plan)
{
    for (int k = 0; k < kKnobCount; ++k) {
        const auto knob = static_cast<Knob>(k);
        FitSlider* slider = m_knobs.at(static_cast<std::size_t>(k));
        const auto positions = knobPositions(plan, knob);
        slider->setVisible(!positions.empty() || knob < Knob::Sequence);
        if (knob == Knob::Stage || knob == Knob::Offload)
            slider->setBounds(0, positions.empty() ? 0 : positions.back());
        else
            slider->setBounds(knobMultiple(plan, knob), knobMost(plan, knob), knobMultiple(plan, knob));
        slider->setValues(positions, knobValue(plan, knob).value_or(0));
    }
    // Only DeepSpeed has such a loss; what the file says shows with the others as well, so that it can be taken out.
    const int chunks = plan.workspace ? plan.workspace->layout.lossChunks : 1;
    m_chunks->setVisible(plan.workspace && (plan.workspace->framework.name == "deepspeed" || chunks > 1));
    m_chunks->setChecked(chunks > 1);
    if (const int shown = chunks > 1 ? chunks : 8; shown != m_lossChunks) {
        m_lossChunks = shown;
        retranslate();
    }
}

void WhatIfPanel::setNote(const QString& note)
{
    if (m_note->text() != note)
        m_note->setText(note);
}

// Half of the sliders turn the ds_config: while it cannot be read, or where what was saved cannot, there is no state to go back to.
void WhatIfPanel::tellReset(const Result<std::string>& now, const std::string& saved)
{
    const bool open = !now.hasValue() || !now->empty();
    QString why;
    if (open && saved.empty())
        why = tr("The ds_config that was last saved cannot be read, so that the sliders have nothing to go back to: correct and save it");
    else if (!now.hasValue())
        why = tr("The ds_config cannot be read: correct it, then the sliders can go back to the last saved state");
    m_reset->setEnabled(why.isEmpty() && now.hasValue() && *now != saved && !resetEdits(*now, saved).empty());
    m_reset->setToolTip(why.isEmpty() ? tr("What these sliders changed goes back to the last saved state") : why);
    m_reset->setAccessibleDescription(why);
}

void WhatIfPanel::showTracks(const KnobTracks& tracks)
{
    bool refused = false;
    for (std::size_t k = 0; k < tracks.verdicts.size(); ++k) {
        std::vector<Token> colours;
        QStringList words;
        for (const KnobTracks::Position& at : tracks.verdicts[k]) {
            colours.push_back(!at ? Token::Text2 : *at == Fit::Verdict::Yes ? Token::Ok : *at == Fit::Verdict::No ? Token::Error : Token::Warn);
            words << (!at ? tr("refused") : *at == Fit::Verdict::Yes ? tr("fits") : *at == Fit::Verdict::No ? tr("does not") : tr("unsure"));
            refused = refused || !at;
        }
        m_knobs.at(k)->setTrack(colours, words);
    }
    header()->findChild<ToneLabel*>(trackName(kRefused))->setVisible(refused);
}

QString WhatIfPanel::knobName(Knob knob)
{
    switch (knob) {
    case Knob::DataParallel: return tr("Data-parallel ranks");
    case Knob::MicroBatch: return tr("Micro-batch");
    case Knob::Accumulation: return tr("Accumulation");
    case Knob::Sequence: return tr("Sequence");
    case Knob::Stage: return tr("ZeRO stage");
    case Knob::ReduceBucket: return tr("Reduce bucket");
    case Knob::Offload: return tr("Optimizer offload");
    }
    return {};
}

QString WhatIfPanel::turnName(Knob knob, const std::optional<std::int64_t>& from, std::int64_t to)
{
    return QStringLiteral("%1 %2 → %3").arg(knobName(knob), from ? QString::number(*from) : tr("unset"), QString::number(to));
}

void WhatIfPanel::retranslate()
{
    header()->setTitle(tr("What if"));
    const QStringList words{tr("fits"), tr("unsure"), tr("does not"), tr("refused")};
    for (int i = 0; i <= kRefused; ++i)
        header()->findChild<ToneLabel*>(trackName(i))->setText(QStringLiteral("■ ") + words[i]);
    const std::array units{QString(), tr("samples"), tr("steps"), tr("tokens"), QString(), tr("elem."), QStringLiteral("%")};
    const std::array tips{tr("Ranks that hold different samples; devices follow"), tr("Samples per rank and forward pass"), tr("Micro-steps per optimizer step"),
                          tr("Tokens per sample"), tr("What the data-parallel ranks share: 1 optimizer states, 2 gradients too, 3 weights too"),
                          tr("Elements reduced at once: larger buckets take memory, smaller ones time"), tr("Share of the optimizer states on the host; below 100 only in stage 3")};
    for (int k = 0; k < kKnobCount; ++k) {
        m_knobs.at(static_cast<std::size_t>(k))->setName(knobName(static_cast<Knob>(k)), tips.at(static_cast<std::size_t>(k)));
        m_knobs.at(static_cast<std::size_t>(k))->setUnit(units.at(static_cast<std::size_t>(k)));
    }
    m_chunks->setText(tr("Loss in %1 chunks").arg(m_lossChunks));
    m_chunks->setToolTip(tr("Logits and loss of a part of the tokens at a time: DeepSpeed’s TiledFusedLogitsLoss, called by the training script"));
    m_chunks->setAccessibleName(m_chunks->text());
    m_reset->setText(tr("Reset"));
    m_reset->setAccessibleName(tr("Reset the sliders"));
    m_reset->setToolTip(tr("What these sliders changed goes back to the last saved state"));
}

}  // namespace stagecraft::app
