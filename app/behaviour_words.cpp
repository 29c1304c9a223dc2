// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/behaviour_words.h"

#include "app/layout_edits.h"

#include <QCoreApplication>
#include <QStringList>

namespace stagecraft::app {

namespace {

struct BehaviourWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::BehaviourWords)
};

QString partText(const NotCarried& part)
{
    const QString detail = QString::fromStdString(part.detail);
    switch (part.what) {
    case NotCarried::What::Sharding: return BehaviourWords::tr("sharding (planned as %1)").arg(detail);
    case NotCarried::What::Offload: return BehaviourWords::tr("offload");
    case NotCarried::What::Precision: return BehaviourWords::tr("precision (planned in %1)").arg(detail);
    case NotCarried::What::SequenceParallel: return BehaviourWords::tr("sequence parallelism");
    case NotCarried::What::Recompute: return BehaviourWords::tr("the choice of what is recomputed (planned as %1)").arg(detail);
    case NotCarried::What::Model: return BehaviourWords::tr("the model of the arguments (the workspace’s own is planned)");
    case NotCarried::What::Sequence: return BehaviourWords::tr("a sequence of %1 tokens, beyond the model’s positions").arg(detail);
    case NotCarried::What::Arguments: return BehaviourWords::tr("the arguments %1").arg(detail);
    }
    return {};
}

}  // namespace

QString notCarriedText(const QString& framework, const std::vector<NotCarried>& lost)
{
    if (lost.empty())
        return {};
    QStringList parts;
    for (const NotCarried& part : lost)
        parts << partText(part);
    return BehaviourWords::tr("%1 does not take over: %2.").arg(behaviourName(framework), parts.join(BehaviourWords::tr("; ")));
}

}  // namespace stagecraft::app
