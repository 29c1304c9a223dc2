// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/claims_dialog.h"

#include "app/core_errors.h"
#include "app/fit_words.h"
#include "app/formats.h"
#include "planner/fit.h"
#include "planner/scenario_figures.h"
#include "visualizers/list_text.h"
#include "widgets/config_model.h"
#include "widgets/icons.h"
#include "widgets/inspector_section.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QThreadPool>
#include <QVBoxLayout>

#include <cmath>
#include <utility>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

struct ClaimWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::ClaimWords)
};

QString number(double value, int digits = 4)
{
    return QLocale().toString(value, 'g', digits);
}

// Four digits; whole numbers keep all of theirs.
QString figureText(double value)
{
    return std::abs(value) >= 1000 ? QLocale().toString(value, 'f', 0) : number(value);
}

QString shownOf(const ScenarioText& text)
{
    return QString::fromStdString(contentLanguage() == QLatin1String("zh") ? text.zh : text.en);
}

QString titleOf(const Scenario& scenario)
{
    return shownOf(scenario.title);
}

// A unit is no word: it stays as it is in every language.
QString withUnit(const QString& number, const std::string& unit)
{
    // A line never breaks between them.
    return QString::fromStdString(stagecraft::withUnit(number.toStdString(), unit)).replace(QLatin1Char(' '), QChar::Nbsp);
}

QString answerOf(ScenarioAnswer answer)
{
    switch (answer) {
    case ScenarioAnswer::Right: return ClaimWords::tr("The claim holds");
    case ScenarioAnswer::Condition: return ClaimWords::tr("The claim holds under a condition");
    case ScenarioAnswer::Wrong: return ClaimWords::tr("The claim is wrong");
    case ScenarioAnswer::Unsupported: return ClaimWords::tr("The claim has no source");
    }
    return {};
}

struct Mark {
    QString icon;
    Token token;
};

Mark markOf(ScenarioAnswer answer)
{
    switch (answer) {
    case ScenarioAnswer::Right: return {QStringLiteral("emblem-ok"), Token::Ok};
    case ScenarioAnswer::Wrong: return {QStringLiteral("dialog-warning"), Token::Warn};
    case ScenarioAnswer::Condition:
    case ScenarioAnswer::Unsupported: break;
    }
    return {QStringLiteral("dialog-information"), Token::Text2};
}

QString saidOf(const Scenario& s)
{
    if (!s.said.en.empty())
        return shownOf(s.said);
    QStringList parts;
    if (!s.saysHowMuchLess())
        parts << (s.fits ? ClaimWords::tr("it fits") : ClaimWords::tr("it does not fit"));
    if (s.deviceGB)
        parts << ClaimWords::tr("%1 GB of each device").arg(number(*s.deviceGB));
    if (s.clusterGB)
        parts << ClaimWords::tr("%1 GB in all are enough").arg(number(*s.clusterGB));
    if (s.tokensPerSecond)
        parts << ClaimWords::tr("%1 tokens/s").arg(number(*s.tokensPerSecond, 6));
    if (s.hoursPerEpoch)
        parts << ClaimWords::tr("%1 h per epoch").arg(number(*s.hoursPerEpoch));
    if (s.relativeSpeed)
        parts << ClaimWords::tr("%1 times the speed").arg(number(*s.relativeSpeed));
    if (s.savedPercent)
        parts << ClaimWords::tr("%1 % of the memory saved").arg(number(*s.savedPercent));
    if (s.savedGB)
        parts << ClaimWords::tr("%1 GB saved on each device").arg(number(*s.savedGB));
    if (s.shareOfFp16)
        parts << ClaimWords::tr("%1 times the memory of fp16").arg(number(*s.shareOfFp16));
    if (s.fewerActivations)
        parts << ClaimWords::tr("%1 times fewer activations with recomputation").arg(number(*s.fewerActivations));
    if (s.inference)
        parts << ClaimWords::tr("inference at %1 instead of %2 tokens/s, %3 instead of %4 ms a token: %5 times as fast")
                     .arg(number(s.inference->fasterTokensPerSecond, 6), number(s.inference->tokensPerSecond, 6), number(s.inference->fasterMsPerToken), number(s.inference->msPerToken), number(s.inference->speedup));
    return clauseText(parts);
}

}  // namespace

QString claimText(const Scenario& s, const ScenarioVerdict& v, const ScenarioCheck& check)
{
    const QString claimed = number(check.claimed), ours = number(check.ours);
    if (check.what == "figure") {
        const ScenarioFigure& figure = s.figures[static_cast<std::size_t>(check.figure)];
        const QString label = shownOf(figure.label), own = withUnit(figureText(check.ours), figure.unit);
        if (!figure.said)
            return ClaimWords::tr("%1: %2").arg(label, own);
        return ClaimWords::tr("%1: %2; said: %3").arg(label, own, withUnit(figure.saidTo ? ClaimWords::tr("%1 to %2").arg(number(*figure.said), number(*figure.saidTo)) : figureText(*figure.said), figure.unit));
    }
    if (check.what == "as_told")
        return check.holds ? ClaimWords::tr("At the source's own %1 B a parameter they would take %2 GB: that fits, which is why it is said. Mixed-precision Adam keeps %3 B.").arg(number(*s.bytesPerParameter), ours, number(check.further))
                           : ClaimWords::tr("At the source's own %1 B a parameter they would take %2 GB: that does not fit either.").arg(number(*s.bytesPerParameter), ours);
    if (check.what == "fits") {
        if (!v.statesFit)
            return ClaimWords::tr("The model states take %1 of %2 GB on each device: %3 GB are missing. Those of %4 parameters would just fit.").arg(ours, claimed, number(v.missingGB()), shortCount(v.largestParams).replace(QLatin1Char(' '), QChar::Nbsp));
        QStringList parts{ClaimWords::tr("The model states take %1 of %2 GB.").arg(ours, claimed)};
        if (v.peakGB > 0)
            parts << (v.recomputes ? ClaimWords::tr("The whole peak is %1 GB with activation checkpointing, of the %2 that a process can have.") : ClaimWords::tr("The whole peak is %1 GB, of the %2 that a process can have.")).arg(number(v.peakGB), number(v.usableGB));
        if (v.fits == Fit::Verdict::No)
            parts << ClaimWords::tr("It does not fit.");
        if (v.fits == Fit::Verdict::Unsure && v.peakGB > 0)
            parts << (v.probability < kEvenOdds ? ClaimWords::tr("It probably does not fit: %1.") : ClaimWords::tr("It may fit: %1.")).arg(fitOdds(v.probability));
        if (v.hostGBPerNode > 0)
            parts << (v.hostKnown ? ClaimWords::tr("Offloaded states take %1 GB of each node's host.") : ClaimWords::tr("Offloaded states take %1 GB of each node's host, of which nobody says what it has.")).arg(number(v.hostGBPerNode, 5));
        return parts.join(QLatin1Char(' '));
    }
    if (check.what == "device_memory")
        return check.holds ? ClaimWords::tr("%1 GB a device are possible: the model states take %2.").arg(claimed, ours)
                           : ClaimWords::tr("%1 GB a device are impossible: the model states alone take %2 GB at 16 B a parameter.").arg(claimed, ours);
    if (check.what == "cluster_memory")
        return ClaimWords::tr("Of the model states %1 GB lie on the devices, which have %2 GB.").arg(number(check.ours, 5), number(check.claimed, 5));
    if (check.what == "epoch_hours") {
        const QString tokens = shortCount(s.epochTokens.value_or(0)), rate = number(s.tokensPerSecond.value_or(0), 5);
        return check.holds ? ClaimWords::tr("%1 tokens/s take %2 h for the %3 tokens of the epoch, as said.").arg(rate, ours, tokens)
                           : ClaimWords::tr("%1 tokens/s take %2 h for the %3 tokens of the epoch, not %4 h.").arg(rate, ours, tokens, claimed);
    }
    if (check.what == "saved_percent")
        return check.further > 0 ? ClaimWords::tr("It saves %1 % of the model states; %2 % takes at least %3 ranks.").arg(ours, claimed, number(check.further, 6))
                                 : ClaimWords::tr("It saves %1 % of the model states, and never %2 %, however many ranks there are.").arg(ours, claimed);
    if (check.what == "saved_memory")
        return ClaimWords::tr("A rank keeps %1 GB less than with plain data parallelism; %2 GB were said.").arg(ours, claimed);
    if (check.what == "share_of_fp16")
        return ClaimWords::tr("In bf16 the model states take %1 times the memory of fp16: both have 2 B a number.").arg(ours);
    if (check.what == "fewer_activations")
        return ClaimWords::tr("Recomputation leaves %1 times fewer activations.").arg(ours);
    if (check.what == "inference_weights")
        return ClaimWords::tr("The weights take %1 of %2 GB in 16 bits.").arg(ours, claimed);
    if (check.what == "ms_per_token")
        return check.holds ? ClaimWords::tr("The stated times a token are the inverse of the stated tokens/s: %1 ms.").arg(ours) : ClaimWords::tr("The stated tokens/s make %1 ms a token, not %2.").arg(ours, claimed);
    if (check.what == "inference_speedup")
        return ClaimWords::tr("That is %1 times as fast; %2 were said.").arg(ours, claimed);
    if (check.what == "decode_step")
        return check.holds ? ClaimWords::tr("One stream may have a token in %1 ms: reading the weights takes %2 ms.").arg(claimed, ours)
                           : ClaimWords::tr("No single stream has a token in %1 ms: reading all weights takes %2 ms. It is the inverse of the throughput of a batch of at least %3, not a latency.").arg(claimed, ours, number(check.further, 6));
    if (check.what == "relative_speed")
        return ClaimWords::tr("Predicted: %1 times the speed of plain data parallelism with one micro-batch a step, %2 with %3, as if both fitted; %4 were said, of no stated batch.")
            .arg(number(check.ours, 2), number(check.further, 2), QString::number(kManyMicroBatches), claimed);
    return QString::fromStdString(check.message);
}

ClaimsDialog::ClaimsDialog(QWidget* parent)
    : QDialog(parent), m_filter(new QLineEdit(this)), m_list(new QListWidget(this)), m_scroll(new QScrollArea(this)), m_open(new QPushButton(this)), m_save(new QPushButton(this)), m_close(new QPushButton(this))
{
    setObjectName(QStringLiteral("claimsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 12);
    column->setSpacing(12);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setChildrenCollapsible(false);
    auto* left = new QWidget(split);
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 8, 0);
    leftColumn->setSpacing(8);
    m_filter->setClearButtonEnabled(true);
    leftColumn->addWidget(m_filter);
    m_list->setObjectName(QStringLiteral("claimsList"));
    m_list->setAlternatingRowColors(true);
    m_list->setUniformItemSizes(true);
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    leftColumn->addWidget(m_list, 1);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    split->addWidget(m_scroll);
    split->setSizes({430, 430});
    column->addWidget(split, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addStretch(1);
    buttons->addWidget(m_save);
    buttons->addWidget(m_open);
    buttons->addWidget(m_close);
    column->addLayout(buttons);
    m_open->setObjectName(QStringLiteral("openClaim"));
    m_open->setDefault(true);
    m_close->setAutoDefault(false);
    m_save->setAutoDefault(false);
    connect(m_filter, &QLineEdit::textChanged, this, &ClaimsDialog::fill);
    connect(m_list, &QListWidget::currentRowChanged, this, &ClaimsDialog::showCurrent);
    connect(m_list, &QListWidget::itemActivated, m_open, &QPushButton::click);
    connect(m_close, &QPushButton::clicked, this, &QDialog::close);
    connect(m_open, &QPushButton::clicked, this, [this] {
        if (const Scenario* s = current()) {
            emit openRequested(s->workspace.dump(2) + "\n", QString::fromStdString(s->id));
            close();
        }
    });
    connect(m_save, &QPushButton::clicked, this, [this] {
        if (const Scenario* s = current())
            emit saveRequested(s->workspace.dump(2) + "\n", QString::fromStdString(s->id));
    });
    retranslate();
    m_list->setCurrentRow(0);
    resize(920, 560);
    const QPointer<ClaimsDialog> self(this);
    QThreadPool::globalInstance()->start([self] {
        auto verdicts = std::make_shared<Verdicts>();
        for (const Scenario& s : scenarios())
            verdicts->push_back(judgeScenario(s));
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, verdicts] {
                if (!self)
                    return;
                self->m_verdicts = std::move(*verdicts);
                self->fill();
                emit self->judged();
            },
            Qt::QueuedConnection);
    });
}

const Scenario* ClaimsDialog::current() const
{
    const QListWidgetItem* item = m_list->currentItem();
    return item ? findScenario(item->data(Qt::UserRole).toString().toStdString()) : nullptr;
}

void ClaimsDialog::choose(const QString& id)
{
    m_filter->clear();
    for (int i = 0; i < m_list->count(); ++i)
        if (m_list->item(i)->data(Qt::UserRole).toString() == id)
            m_list->setCurrentRow(i);
}

void ClaimsDialog::fill()
{
    const QString kept = m_list->currentItem() ? m_list->currentItem()->data(Qt::UserRole).toString() : QString();
    const QString wanted = m_filter->text().trimmed();
    m_list->clear();
    const std::vector<Scenario>& all = scenarios();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QString title = titleOf(all[i]);
        if (!title.contains(wanted, Qt::CaseInsensitive) && !saidOf(all[i]).contains(wanted, Qt::CaseInsensitive) && !QString::fromStdString(all[i].id).contains(wanted, Qt::CaseInsensitive))
            continue;
        auto* item = new QListWidgetItem(title, m_list);
        item->setData(Qt::UserRole, QString::fromStdString(all[i].id));
        item->setToolTip(title);
        item->setSizeHint(QSize(0, 26));
        if (i < m_verdicts.size()) {
            const ScenarioAnswer answer = m_verdicts[i].hasValue() ? m_verdicts[i]->answer : ScenarioAnswer::Wrong;
            item->setIcon(theme::icon(markOf(answer).icon, markOf(answer).token));
            item->setData(Qt::AccessibleTextRole, QStringLiteral("%1: %2").arg(title, answerOf(answer)));
        }
    }
    for (int i = 0; i < m_list->count(); ++i)
        if (m_list->item(i)->data(Qt::UserRole).toString() == kept)
            m_list->setCurrentRow(i);
    if (m_list->currentRow() < 0)
        m_list->setCurrentRow(0);
    showCurrent();
}

void ClaimsDialog::showCurrent()
{
    auto* page = new QWidget;
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(16, 12, 16, 12);
    column->setSpacing(8);
    const auto line = [&](const QString& text, Role role, Token token) {
        auto* label = new ToneLabel(text, role, token, page);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    };
    const Scenario* s = current();
    m_open->setEnabled(s);
    m_save->setEnabled(s);
    if (s) {
        line(titleOf(*s), Role::BodyBold, Token::Text);
        line(tr("Said: %1").arg(saidOf(*s)), Role::Body, Token::Text);
        line(shownOf(s->source), Role::Small, Token::Text2);
        const auto at = static_cast<std::size_t>(s - scenarios().data());
        if (at >= m_verdicts.size()) {
            line(tr("Being planned…"), Role::Body, Token::Text2);
        } else if (!m_verdicts[at].hasValue()) {
            line(errorText(m_verdicts[at].error()), Role::Body, Token::Error);
        } else {
            const ScenarioVerdict& v = *m_verdicts[at];
            InspectorSection section;
            section.heading = answerOf(v.answer);
            if (!s->reason.en.empty())
                section.reasons.push_back({markOf(v.answer).icon, markOf(v.answer).token, shownOf(s->reason)});
            for (const ScenarioCheck& check : v.checks)
                section.reasons.push_back({!check.judged ? QStringLiteral("dialog-information") : check.holds ? QStringLiteral("emblem-ok") : QStringLiteral("dialog-warning"), !check.judged ? Token::Text2 : check.holds ? Token::Ok : Token::Warn, claimText(*s, v, check)});
            column->addWidget(new InspectorSectionView(section, page));
        }
        line(QStringLiteral("stagecraft plan --scenario ") + QString::fromStdString(s->id), Role::FixedSmall, Token::Text2);
    } else {
        line(tr("No claim has these words."), Role::Body, Token::Text2);
    }
    column->addStretch(1);
    m_scroll->setWidget(page);
}

QString ClaimsDialog::plainText() const
{
    QStringList lines;
    if (m_scroll->widget())
        for (const QLabel* label : m_scroll->widget()->findChildren<QLabel*>())
            if (!label->text().isEmpty())
                lines << label->text();
    const Scenario* s = current();
    const auto at = s ? static_cast<std::size_t>(s - scenarios().data()) : m_verdicts.size();
    if (at < m_verdicts.size() && m_verdicts[at].hasValue())
        for (const ScenarioCheck& check : m_verdicts[at]->checks)
            lines << claimText(*s, *m_verdicts[at], check);
    if (s && !s->reason.en.empty())
        lines << shownOf(s->reason);
    return lines.join(QLatin1Char('\n'));
}

void ClaimsDialog::retranslate()
{
    setWindowTitle(tr("Published claims"));
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setAccessibleName(tr("Filter the claims"));
    m_list->setAccessibleName(tr("Published claims"));
    m_open->setText(tr("Open as a workspace"));
    m_save->setText(tr("Save as…"));
    m_close->setText(tr("Close"));
    fill();
}

void ClaimsDialog::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QDialog::changeEvent(event);
}

}  // namespace stagecraft::app
