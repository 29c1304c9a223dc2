// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that are one step: undone and redone together, whatever bytes they share, and no step at all where they end as they began.
#include "app/session/workspace_document.h"

#include <QtTest>

#include <random>

using namespace stagecraft;
using app::WorkspaceDocument;

namespace {

const std::string kText = R"({ "stagecraft": 1, "model": {"family": "llama", "hidden": 64, "layers": 2, "heads": 4, "ffn": 128, "vocab": 256, "seq": 32}, "layout": {"dp": 16}, "dsConfig": {"train_micro_batch_size_per_gpu": 4} })";

}  // namespace

class TstEditSteps : public QObject {
    Q_OBJECT
private slots:
    void aDragThatEndsWhereItBeganIsNoStep()
    {
        for (const char* values : {"17 18 16", "8 160 16", "1 16", "12 18 1 100 16"}) {
            WorkspaceDocument document;
            document.openText(kText, "demo");
            for (const QString& value : QString(values).split(' ')) QVERIFY(document.setValue("/layout/dp", value.toStdString(), "Ranks", 7).hasValue());
            QCOMPARE(document.text(), kText);
            QCOMPARE(document.undoStack().count(), 0);
        }
        // Two drags are two steps, the second of which leads back.
        WorkspaceDocument document;
        document.openText(kText, "demo");
        QVERIFY(document.setValue("/layout/dp", "8", "Ranks", 7).hasValue());
        QVERIFY(document.setValue("/layout/dp", "16", "Ranks", 8).hasValue());
        QCOMPARE(document.undoStack().count(), 2);
    }

    void stepsOfManyEditsGoBackAndForth()
    {
        std::mt19937 random(7);
        for (int round = 0; round < 300; ++round) {
            WorkspaceDocument document;
            document.openText(kText, "demo");
            const int edits = 1 + static_cast<int>(random() % 8);
            for (int i = 0; i < edits; ++i) {
                const char* place = random() % 3 == 0 ? "/model/seq" : random() % 2 == 0 ? "/layout/dp" : "/dsConfig/train_micro_batch_size_per_gpu";
                QVERIFY(document.setValue(place, std::to_string(1 + random() % 2000), "Turned", 7).hasValue());
            }
            const std::string after = document.text();
            while (document.undoStack().canUndo()) document.undoStack().undo();
            QCOMPARE(document.text(), kText);
            while (document.undoStack().canRedo()) document.undoStack().redo();
            QCOMPARE(document.text(), after);
        }
    }
};

QTEST_GUILESS_MAIN(TstEditSteps)
#include "tst_edit_steps.moc"
