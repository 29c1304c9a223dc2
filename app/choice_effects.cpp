// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/choice_effects.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

namespace stagecraft::app {

ChoiceEffects::ChoiceEffects(QObject* parent) : QObject(parent), m_wanted(std::make_shared<std::atomic<quint64>>(0))
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(120);
    connect(&m_rest, &QTimer::timeout, this, &ChoiceEffects::start);
}

ChoiceEffects::~ChoiceEffects()
{
    ++*m_wanted;
}

void ChoiceEffects::request(const SubjectGround& ground, std::vector<std::pair<std::string, Edits>> rows)
{
    m_ground = ground;
    m_rows = std::move(rows);
    ++*m_wanted;
    m_busy = false;
    m_rest.start();
}

void ChoiceEffects::cancel()
{
    ++*m_wanted;
    m_busy = false;
    m_rest.stop();
}

void ChoiceEffects::start()
{
    m_busy = true;
    const QPointer<ChoiceEffects> self(this);
    QThreadPool::globalInstance()->start(
        [self, wanted = m_wanted, job = m_wanted->load(), ground = m_ground, rows = std::move(m_rows)] {
            const auto tell = [&self, &wanted, job](auto what) {
                QMetaObject::invokeMethod(
                    QCoreApplication::instance(),
                    [self, wanted, job, what] {
                        if (self && *wanted == job)
                            what(*self);
                    },
                    Qt::QueuedConnection);
            };
            for (const auto& [id, edits] : rows) {
                if (*wanted != job)
                    return;
                const SubjectEffect effect = subjectEffect(ground, edits(ground));
                tell([name = QString::fromStdString(id), effect](ChoiceEffects& service) { emit service.planned(name, effect); });
            }
            tell([](ChoiceEffects& service) {
                service.m_busy = false;
                emit service.finished();
            });
        },
        -1);  // behind the plan itself
}

}  // namespace stagecraft::app
