// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/banner.h"

namespace stagecraft::app {

class WorkspaceDocument;

/// The line over every planning page while the workspace or its ds_config is no JSON: what is wrong, where, and the way to
/// the place where it is mended. Hidden otherwise.
class MendBanner : public Banner {
    Q_OBJECT
public:
    explicit MendBanner(QWidget* parent = nullptr);

    /// @param why       why the text on the Config page cannot be read, in the language of the window; empty when it can
    /// @param onConfig  the page that mends is shown already: it only says what stands there
    /// @param planFails the workspace cannot be planned: the text is read as strictly as the planner does
    void look(const WorkspaceDocument& document, const QString& why, bool planFails, bool onConfig);

signals:
    /// To be shown in the text of the Config page.
    void mendRequested();
};

}  // namespace stagecraft::app
