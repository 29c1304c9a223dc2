// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped models: every file is usable, and the sizes give the parameter counts their makers published.
#include "base/resource_path.h"
#include "workspace/workspace.h"

#include <QtTest>

#include <set>

using namespace stagecraft;

class TstPresets : public QObject {
    Q_OBJECT
private slots:
    void countsAsPublished_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<std::int64_t>("parameters");
        QTest::newRow("GPT-2") << QString("gpt2") << std::int64_t{124'439'808};
        QTest::newRow("GPT-2 medium") << QString("gpt2-medium") << std::int64_t{354'823'168};
        QTest::newRow("GPT-2 large") << QString("gpt2-large") << std::int64_t{774'030'080};
        QTest::newRow("GPT-2 XL") << QString("gpt2-xl") << std::int64_t{1'557'611'200};
        QTest::newRow("Llama 2 7B") << QString("llama-2-7b") << std::int64_t{6'738'415'616};
        QTest::newRow("Llama 2 13B") << QString("llama-2-13b") << std::int64_t{13'015'864'320};
        QTest::newRow("Llama 2 70B") << QString("llama-2-70b") << std::int64_t{68'976'648'192};
        QTest::newRow("Llama 3 8B") << QString("llama-3-8b") << std::int64_t{8'030'261'248};
        QTest::newRow("Llama 3 70B") << QString("llama-3-70b") << std::int64_t{70'553'706'496};
        QTest::newRow("Llama 3.1 8B, scaled positions") << QString("llama-3.1-8b") << std::int64_t{8'030'261'248};
        QTest::newRow("Llama 3.2 1B, scaled positions, tied") << QString("llama-3.2-1b") << std::int64_t{1'235'814'400};
        QTest::newRow("TinyLlama") << QString("tinyllama-1.1b") << std::int64_t{1'100'048'384};
        QTest::newRow("MT-NLG, by the sizes of its paper") << QString("mt-nlg-530b") << std::int64_t{529'600'819'200};
        QTest::newRow("SmolLM2 135M") << QString("smollm2-135m") << std::int64_t{134'515'008};
    }
    void countsAsPublished()
    {
        QFETCH(QString, preset);
        QFETCH(std::int64_t, parameters);
        const auto read = parseWorkspace(QString(R"({"stagecraft": 1, "model": {"preset": "%1"}})").arg(preset).toStdString(), ".");
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QVERIFY2(read.value().model.spec.has_value(), read.value().model.noSpecReason.c_str());
        QCOMPARE(parameterCount(*read.value().model.spec), parameters);
        QVERIFY(read.value().model.spec->seq <= 4096);
    }

    void everyFileIsUsable()
    {
        const auto folder = resourcePath("configs/models");
        QVERIFY(folder.hasValue());
        int files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder.value())) {
            ++files;
            const std::string text = "{\"stagecraft\": 1, \"model\": {\"preset\": \"" + entry.path().stem().string() + "\"}}";
            const auto read = parseWorkspace(text, ".");
            QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
            QVERIFY(read.value().model.spec.has_value() != !read.value().model.noSpecReason.empty());
            QVERIFY(read.value().model.huggingFaceConfig.is_object());
        }
        QVERIFY(files > 10);
    }

    void namesWhereItLooked()
    {
        const auto missing = resourcePath("configs/no-such-folder");
        QVERIFY(!missing.hasValue());
        QCOMPARE(missing.error().code, ErrorCode::NotFound);
        QVERIFY(missing.error().message.find("configs/no-such-folder") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TstPresets)
#include "tst_presets.moc"
