// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace stagecraft::app {

class MainWindow;

/// What the palette can do, by group: its prefix in the field narrows to it.
enum class PaletteGroup { Commands, Keys, Runs, Help };

struct PaletteEntry {
    PaletteGroup group = PaletteGroup::Commands;
    QString icon;
    QString text;
    QString right;                 ///< effect, value or key
    std::function<void()> action;
    int bonus = 0;                 ///< recent entries first
    QString english;               ///< another name it is found by; may be empty
    std::function<void()> preview = {};   ///< shows what it would do and changes nothing; may be empty
};

/// Everything by name (Ctrl+K): fuzzy, grouped, effects on the plan at the right. Prefixes: > commands, # keys, @ runs, ? help.
class CommandPalette : public QWidget {
    Q_OBJECT
public:
    /// Opens it over `window`, which owns it.
    static CommandPalette* open(MainWindow& window);

    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] QStringList shownTexts() const;
    /// What stands at the right of each.
    [[nodiscard]] QStringList shownEffects() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    CommandPalette(std::vector<PaletteEntry> entries, MainWindow& window);
    void filter();
    void run(int row);
    void preview(int row);
    void move(int steps);

    std::vector<PaletteEntry> m_entries;
    QLineEdit* m_field;
    QListView* m_list;
    QStandardItemModel* m_model;
};

/// Everything the palette lists for a window now.
[[nodiscard]] std::vector<PaletteEntry> paletteEntries(MainWindow& window);

}  // namespace stagecraft::app
