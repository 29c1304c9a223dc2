// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/transfer_note.h"

#include <QListView>

#include <vector>

class QStandardItemModel;

namespace stagecraft::app {

/// What became of each value between two tools' files: what to look at first, then what is lost, changed and taken, each
/// with its reason below it. Ctrl+C copies the selected ones as text.
class TransferList : public QListView {
    Q_OBJECT
public:
    explicit TransferList(QWidget* parent);

    void setNotes(const std::vector<TransferNote>& notes);
    /// The lines as shown: "dropped: KEY = VALUE: REASON".
    [[nodiscard]] QStringList lines() const;
    /// "3 to look at, 2 dropped, 4 changed, 12 taken"; empty when there is no note.
    [[nodiscard]] static QString summary(const std::vector<TransferNote>& notes);

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fill();

    QStandardItemModel* m_items;
    std::vector<TransferNote> m_notes;
};

}  // namespace stagecraft::app
