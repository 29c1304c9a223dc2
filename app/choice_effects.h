// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/subject_edits.h"

#include <QObject>
#include <QTimer>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::app {

/// Plans what each row of a list would come to, off the GUI thread, row by row; a newer request cancels the one before.
class ChoiceEffects : public QObject {
    Q_OBJECT
public:
    using Edits = std::function<Result<std::vector<WorkspaceEdit>>(const SubjectGround&)>;

    explicit ChoiceEffects(QObject* parent = nullptr);
    ~ChoiceEffects() override;
    /// @param rows  an id and what choosing it changes, run on another thread
    void request(const SubjectGround& ground, std::vector<std::pair<std::string, Edits>> rows);
    void cancel();
    /// Rows of the newest request are still to come.
    [[nodiscard]] bool isBusy() const { return m_busy || m_rest.isActive(); }

signals:
    void planned(const QString& id, const stagecraft::app::SubjectEffect& effect);
    void finished();

private:
    void start();

    SubjectGround m_ground;
    std::vector<std::pair<std::string, Edits>> m_rows;
    std::shared_ptr<std::atomic<quint64>> m_wanted;   ///< shared with the worker, which may outlive this
    bool m_busy = false;
    QTimer m_rest;   ///< while a slider moves the plan itself comes first
};

}  // namespace stagecraft::app
