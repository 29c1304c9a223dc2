// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/config_meaning.h"

#include <QByteArray>
#include <QWidget>

#include <functional>
#include <optional>

class QPushButton;
class QSplitter;
class QTableWidget;

namespace stagecraft {

class ConfigModel;
class ConfigTextDiff;
class PanelHeader;
class ToneLabel;
class TwoLineDelegate;

/// What differs between the text and the saved file, or another file: above by meaning (what DeepSpeed works with: a default
/// written out is no difference, a batch size that follows is one), below by text, line by line.
class ConfigDiff : public QWidget {
    Q_OBJECT
public:
    /// The ds_config that another tool's file holds or names; none where the file is taken as a ds_config itself.
    using ForeignSource = std::function<std::optional<Result<QByteArray>>(const QString& path, const QByteArray& text)>;

    explicit ConfigDiff(ConfigModel& config, QWidget* parent = nullptr);

    void setForeignSource(ForeignSource source) { m_foreign = std::move(source); }

    void setSavedText(const QByteArray& text);
    /// Where the choice of another file begins.
    void setFolder(const QString& folder) { m_folder = folder; }
    /// Compares with `text` instead, called `name`; an empty name goes back to the saved file.
    void compareWith(const QByteArray& text, const QString& name);
    /// Asks for the file to compare with.
    void chooseFile();
    /// Compares with a file, or with the ds_config in it where it is another tool's; complains where there is none.
    void compareWithFile(const QString& path);
    [[nodiscard]] QTableWidget* table() const { return m_table; }
    [[nodiscard]] ConfigTextDiff* textDiff() const { return m_text; }

signals:
    /// A sentence for the status bar.
    void complained(const QString& message);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    /// A column each for key and values, or, where there is no room for that, rows of two lines.
    void giveRoom();
    [[nodiscard]] static QString sideText(const MeaningDifference::Side& side);
    [[nodiscard]] const QByteArray& base() const { return m_otherName.isEmpty() ? m_saved : m_other; }

    ConfigModel& m_config;
    ForeignSource m_foreign;
    QByteArray m_saved;
    QByteArray m_other;
    QString m_otherName;
    QString m_folder;
    PanelHeader* m_header;
    QPushButton* m_useSaved;
    QPushButton* m_useFile;
    PanelHeader* m_textHeader;
    QSplitter* m_parts;
    ConfigTextDiff* m_text;
    ToneLabel* m_empty;
    QTableWidget* m_table;
    TwoLineDelegate* m_cells;
};

}  // namespace stagecraft
