// SPDX-License-Identifier: GPL-3.0-or-later
// What a click that mends says beforehand, and where it leaves whoever made it.
#include "config_owner.h"

#include "widgets/config_editor.h"
#include "widgets/config_findings.h"
#include "widgets/config_form.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_presets.h"
#include "widgets/theme.h"

#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QtTest>

using namespace stagecraft;

class TstConfigMended : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!theme::Theme::instance())
            theme::Theme::install(*qApp);
    }
    void init()
    {
        m_page = std::make_unique<ConfigPage>();
        m_owner = std::make_unique<Owner>(*m_page);
        m_page->resize(1200, 800);
        m_page->show();
        m_page->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    }
    void cleanup()
    {
        m_owner.reset();
        m_page.reset();
    }
    void aPresetTellsOfTheOldNameThatItTakesOut();

private:
    std::unique_ptr<ConfigPage> m_page;
    std::unique_ptr<Owner> m_owner;
};

void TstConfigMended::aPresetTellsOfTheOldNameThatItTakesOut()
{
    m_page->setText("{\n  \"train_batch_size\": 8,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 0.001}},\n  \"zero_optimization\": {\"stage\": 2, \"cpu_offload\": true}\n}\n");
    m_page->showPresets();
    ConfigPresets* presets = m_page->presets();
    presets->list()->setCurrentRow(4);   // ZeRO 2, optimizer on the CPU
    const QTableWidget* preview = presets->preview();
    const auto told = [preview](const QString& key) {
        for (int row = 0; row < preview->rowCount(); ++row)
            if (preview->item(row, 0)->text() == key)
                return preview->item(row, 1)->text() + QStringLiteral(" → ") + preview->item(row, 2)->text();
        return QStringLiteral("no row");
    };
    QCOMPARE(told(QStringLiteral("zero_optimization.cpu_offload")), QStringLiteral("true → removed"));
    QCOMPARE(told(QStringLiteral("zero_optimization.offload_optimizer.device")), QStringLiteral("– → cpu"));
    QString summary;
    for (const QLabel* label : presets->findChildren<QLabel*>())
        if (label->text().contains(QStringLiteral("all other keys stay")))
            summary = label->text();
    QVERIFY2(summary.contains(QStringLiteral("takes out zero_optimization.cpu_offload")), qPrintable(summary));
    presets->applyButton()->click();
    QVERIFY(!m_page->text().contains("\"cpu_offload\"") && m_page->text().contains("\"offload_optimizer\""));
    QVERIFY(!presets->applyButton()->isEnabled());
}

QTEST_MAIN(TstConfigMended)
#include "tst_config_mended.moc"
