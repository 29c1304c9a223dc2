// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QPushButton;
class QTreeWidget;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

/// DeepSpeed and FSDP2 feature by feature, with what tutorials say, date and sources.
class FeaturesDialog : public QDialog {
    Q_OBJECT
public:
    explicit FeaturesDialog(QWidget* parent);
    [[nodiscard]] QTreeWidget* table() const { return m_table; }
    /// Whether there is a job to export as one or the other.
    void setExportable(bool exportable);

signals:
    /// The open job is to be written as a ds_config, or as accelerate's config for FSDP.
    void exportRequested(const QString& framework);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void retranslate();
    void showSources();
    void layOutRows();

    QTreeWidget* m_table;
    ToneLabel* m_sources;
    ToneLabel* m_checked;
    QPushButton* m_deepspeed;
    QPushButton* m_fsdp;
};

}  // namespace stagecraft::app
