// SPDX-License-Identifier: GPL-3.0-or-later
// What the Plan page says of a model known by its size alone, and of folders that states are swapped to.
#include "plan_page_fixture.h"

#include "app/core_words.h"
#include "app/plan_explain.h"
#include "app/plan_sections.h"
#include "app/plan_strip.h"
#include "app/translations.h"
#include "planner/swap_folders.h"
#include "visualizers/list_text.h"
#include "visualizers/stage_tree_view.h"
#include "widgets/inspector.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <set>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

bool hasHan(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
}

}  // namespace

class TstPlanWords : public PlanPageTest {
    Q_OBJECT
private slots:
    // "79.6 of 79.6 GiB" beside a yes stands with the number that it is judged by; of a batch that no job can have there is no verdict.
    void theVerdictSaysWhatIsNeeded()
    {
        const auto verdict = [this] { return m_window->findChild<PlanStrip*>()->shownTexts().filter(QStringLiteral("Verdict")).join(QLatin1Char('|')); };
        const QByteArray full = workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"local_batch": 7, "ac": "full"})");
        openText(full);
        QVERIFY2(verdict().contains(QStringLiteral(", needs ")), qPrintable(verdict()));
        openText(workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"local_batch": 1, "ac": "full"})"));
        QVERIFY2(verdict().contains(QStringLiteral("p > 0.99")) && !verdict().contains(QStringLiteral("needs")), qPrintable(verdict()));
        openText(QByteArray(full).replace("\"local_batch\": 7, ", "").replace("\"train_micro_batch_size_per_gpu\": 1", "\"train_micro_batch_size_per_gpu\": 2.5"));
        QVERIFY2(verdict().contains(QStringLiteral("Unknown")), qPrintable(verdict()));
    }

    // States are no process: nothing is said of a peak, of rounding or of what is left free.
    void statesAloneAreNoProcess()
    {
        QByteArray text = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
        openText(text.replace("{\"preset\": \"llama-3-8b\", \"seq\": 4096}", "{\"params\": 7e9}"));
        for (const TreeStep& step : page().findChild<StageTreeView*>()->steps())
            QVERIFY2(step.numbers.isEmpty() || step.numbers.contains(QStringLiteral("unknown")), qPrintable(step.numbers));
        QStringList shown;
        for (const InspectorSection& section : explainStage(plan()).sections) {
            shown << section.heading << section.text;
            for (const auto& pair : section.pairs)
                shown << pair.first + QStringLiteral(": ") + pair.second;
            for (const auto& reason : section.reasons)
                shown << reason.text;
        }
        const QString all = shown.join(QLatin1Char('\n'));
        for (const char* never : {"At the peak", "Allocated", "leaves", "90 % interval"})
            QVERIFY2(!all.contains(QLatin1String(never)), qPrintable(all));
        for (const char* said : {"Model states", "left for the rest", "What a step adds: not known", "Process: not known", "lie off the device"})
            QVERIFY2(all.contains(QLatin1String(said)), qPrintable(all));
        QVERIFY(figureFormula(*plan().plan, QStringLiteral("memory")).isEmpty());
    }

    // When to use DeepSpeed: five conditions with their numbers, in either language.
    void conditionsAreToldInBothLanguages()
    {
        openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
        Translations translations(nullptr);
        const auto conditions = [&] {
            for (const InspectorSection& section : explainStage(plan()).sections)
                if (section.heading == PlanWords::tr("When to use DeepSpeed")) return section.reasons;
            return decltype(InspectorSection::reasons)();
        };
        QTRY_COMPARE(conditions().size(), std::size_t{5});
        QVERIFY2(conditions().front().text.contains(QStringLiteral("one device cannot hold the model states: ")), qPrintable(conditions().front().text));
        translations.apply(Language::SimplifiedChinese);
        const auto chinese = conditions();
        translations.apply(Language::English);
        QCOMPARE(chinese.size(), std::size_t{5});
        for (const auto& reason : chinese) {
            QVERIFY2(hasHan(reason.text) && reason.text.contains(QStringLiteral("：")), qPrintable(reason.text));
            for (const char* english : {"fits", "stage", "device", "{}"}) QVERIFY2(!reason.text.contains(QLatin1String(english)), qPrintable(reason.text));
        }
    }

    // Sentences follow each other as the language has it: Chinese ones without a space.
    void sentencesFollowEachOther()
    {
        Translations translations(nullptr);
        QCOMPARE(sentencesText({QStringLiteral("One."), QString(), QStringLiteral("Two %1.")}), QStringLiteral("One. Two %1."));
        translations.apply(Language::SimplifiedChinese);
        QCOMPARE(sentencesText({QStringLiteral("一。"), QStringLiteral("二。")}), QStringLiteral("一。二。"));
        translations.apply(Language::English);
    }

    void swapFoldersAreToldInBothLanguages()
    {
        const QTemporaryDir folderHere;
        Translations translations(nullptr);
        const QString file = folderHere.filePath(QStringLiteral("file"));
        QFile made(file);
        QVERIFY(made.open(QIODevice::WriteOnly));
        std::set<std::string> told;
        const auto check = [&](const std::filesystem::path& path, const char* fileSystem, bool writable, std::int64_t bytes) {
            FolderFacts facts = lookAtFolder(path);
            facts.disk.fileSystem = fileSystem;
            facts.disk.writable = writable;
            facts.disk.free = 1000;
            for (const PlanFinding& finding : judgeSwapFolder({"/x", path, bytes}, facts)) {
                told.insert(finding.id);
                translations.apply(Language::English);
                QVERIFY2(findingText(finding) == QString::fromStdString(finding.message) || isSaidForTheWindow(finding.id), finding.message.c_str());
                translations.apply(Language::SimplifiedChinese);
                const QString chinese = findingText(finding);
                QVERIFY2(hasHan(chinese), qPrintable(chinese));
                for (const std::string& argument : finding.args)
                    QVERIFY2(chinese.contains(QString::fromStdString(argument)), qPrintable(chinese));
            }
            translations.apply(Language::English);
        };
        const std::filesystem::path folder = folderHere.path().toStdString();
        for (const char* kind : {"proc", "tmpfs", "overlay", "nfs"})
            check(folder, kind, true, 1);
        check(file.toStdString(), "ext4", true, 1);
        check(folder, "ext4", false, 1);
        check(folder, "ext4", true, 2000);
        check(folder / "new", "ext4", true, 1);
        QCOMPARE(told.size(), std::size_t{8});
    }
};

QTEST_MAIN(TstPlanWords)
#include "tst_plan_words.moc"
