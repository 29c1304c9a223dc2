// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QToolButton;

namespace stagecraft {

class ConfigEditor;
class ConfigModel;

/// What is done to the text as a whole, in the corner of its tab: long lines wrapped, all of it laid out anew.
class TextTools : public QWidget {
    Q_OBJECT
public:
    TextTools(ConfigModel& config, ConfigEditor& editor, QWidget* parent);

    /// At the right end of the corner.
    void addButton(QToolButton* button);
    [[nodiscard]] QToolButton* wrapButton() const { return m_wrap; }
    [[nodiscard]] QToolButton* formatButton() const { return m_format; }
    void setWrapped(bool wrapped);
    /// One undo step; a text that cannot be laid out stays, and the status bar says why.
    void format();
    /// The owner's keys for both.
    [[nodiscard]] QAction* wrapAction() const { return m_wrapKey; }
    [[nodiscard]] QAction* formatAction() const { return m_formatKey; }
    /// Both act on the text alone: they are there while it is shown.
    void setShown(bool shown);

signals:
    void wrapChanged(bool wrapped);

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    ConfigModel& m_config;
    ConfigEditor& m_editor;
    QToolButton* m_wrap;
    QToolButton* m_format;
    QAction* m_wrapKey;
    QAction* m_formatKey;
};

}  // namespace stagecraft
