// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/config_wizard.h"

#include "app/file_flow.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QPushButton>
#include <QRadioButton>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <memory>

namespace stagecraft::app {

/// The wizard over the demo, driven by its own buttons.
class WizardTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { theme::Theme::install(*qApp); }
    void init()
    {
        m_scratch = std::make_unique<QTemporaryDir>();
        m_document = std::make_unique<WorkspaceDocument>();
        m_document->openText(FileFlow::demoText(), QStringLiteral("demo"));
        m_wizard = std::make_unique<ConfigWizard>(*m_document, nullptr);
        m_wizard->resize(312, 600);
        m_wizard->show();
        m_wizard->start();
    }
    void cleanup()
    {
        m_wizard.reset();
        m_document.reset();
        QCoreApplication::processEvents();  // effects that were still being computed find nobody
    }

protected:
    void goTo(const QString& id)
    {
        for (int pages = 0; m_wizard->questionId() != id && pages < 30; ++pages)
            QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
        QCOMPARE(m_wizard->questionId(), id);
    }
    void goToEnd()
    {
        for (int pages = 0; !m_wizard->questionId().isEmpty() && pages < 30; ++pages)
            QTest::mouseClick(m_wizard->nextButton(), Qt::LeftButton);
        QVERIFY(m_wizard->questionId().isEmpty());
    }
    void choose(const char* json)
    {
        auto* button = m_wizard->findChild<QRadioButton*>(QString::fromUtf8(json));
        QVERIFY2(button, json);
        button->click();
    }
    [[nodiscard]] nlohmann::json config() const { return nlohmann::json::parse(m_document->configText(), nullptr, false, true); }

    std::unique_ptr<QTemporaryDir> m_scratch;
    std::unique_ptr<WorkspaceDocument> m_document;
    std::unique_ptr<ConfigWizard> m_wizard;
};

}  // namespace stagecraft::app
