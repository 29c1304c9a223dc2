// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/run_index.h"

#include <QComboBox>

#include <filesystem>
#include <vector>

namespace stagecraft::app {

/// The list of recorded runs in the title row of the Run page, newest first; those that train now say so. An open list keeps
/// its place while runs come and go.
class RunSelector : public QComboBox {
    Q_OBJECT
public:
    explicit RunSelector(QWidget* parent = nullptr);

    /// @param shown  the folder of the run on the page, listed even where `runs` has it not; empty: none is chosen
    void setRuns(const std::vector<RunEntry>& runs, const std::filesystem::path& shown);
    /// Folder of the run in a row.
    [[nodiscard]] QString folderAt(int row) const;
    /// Whether it trained when it was last looked at.
    [[nodiscard]] bool isLiveAt(int row) const;

    void showPopup() override;

signals:
    /// The list opens: what it says should be new.
    void opening();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void nameRow(int row);
};

}  // namespace stagecraft::app
