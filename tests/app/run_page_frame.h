// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/actions.h"
#include "app/run_header.h"
#include "app/run_model.h"
#include "app/run_page.h"
#include "app/title_row.h"
#include "widgets/figure_strip.h"

#include <QMainWindow>
#include <QTemporaryDir>
#include <QVBoxLayout>
#include <QtTest>

#include <filesystem>

namespace stagecraft::app {

inline std::filesystem::path pathOf(const QTemporaryDir& dir, const char* name) { return std::filesystem::path(dir.path().toStdString()) / name; }

// The page as the window frames it: strip, title row, page.
struct Frame {
    QMainWindow window;
    Actions actions{&window};
    RunPage* page;

    explicit Frame(const std::filesystem::path& runsRoot = {}, const QSize& size = {1048, 790}, RunController* controller = nullptr) : page(new RunPage(controller, &actions, runsRoot))
    {
        auto* central = new QWidget;
        auto* column = new QVBoxLayout(central);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        page->strip()->setFixedHeight(56);
        column->addWidget(page->strip());
        page->strip()->show();
        auto* title = new TitleRow;
        column->addWidget(title);
        column->addWidget(page, 1);
        title->showPage(page);
        window.setCentralWidget(central);
        window.resize(size);
        window.show();
    }
    // Until all that is on disk has been read and painted.
    void settle(std::int64_t step)
    {
        QTRY_VERIFY_WITH_TIMEOUT(page->model().hasRun() && (step == 0 || (page->model().newest() && page->model().newest()->step >= step)), 20'000);
        for (int i = 0; i < 3; ++i) {
            page->frameTick();
            QCoreApplication::processEvents();
        }
    }
    [[nodiscard]] QStringList figures() const { return static_cast<RunHeader*>(page->strip())->figures()->shownTexts(); }
};

}  // namespace stagecraft::app
