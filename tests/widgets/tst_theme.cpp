// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

using namespace stagecraft::theme;

/// Contrast of everything that is read, measured on the very table the window paints with.
class TstTheme : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void readsWell_data();
    void readsWell();
    void blockLabelsReadWell_data();
    void blockLabelsReadWell();
    void phasesStandOut_data();
    void phasesStandOut();
    void memoryItemKeepsItsColour_data();
    void memoryItemKeepsItsColour();
    void modeChangesPaletteAndSaysSo();
    void paletteHasNoRoleLeftFromTheOtherScheme();
    void iconsAreTintedFromThePalette_data();
    void iconsAreTintedFromThePalette();
    void disabledIconIsNotTheEnabledOne();
    void dialogButtonsHaveWordsAlone();
    void whatLiesAboveThePageHasAnEdge();
    void filesAreReadWhole();
    void headersAreReadWhole();
};

/// A column as wide as its header asks for shows the whole word: "Now" without its last stroke reads "Nov".
void TstTheme::headersAreReadWhole()
{
    for (const char* word : {"Now", "Then", "the ds_config of run/launch.sh"}) {
        QTableWidget table(1, 1);
        table.setHorizontalHeaderLabels({QString::fromLatin1(word)});
        table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        const int asked = table.horizontalHeader()->sectionSizeHint(0);
        const auto inkOf = [&table](int width) {
            table.setColumnWidth(0, width);
            table.resize(width + 80, 60);
            table.ensurePolished();
            const QImage image = table.horizontalHeader()->grab().toImage();
            int last = 0;
            for (int x = 0; x < std::min(image.width(), width); ++x)
                for (int y = 4; y < image.height() - 4; ++y)
                    if (image.pixel(x, y) != image.pixel(1, 4))
                        last = x;
            return last;
        };
        QVERIFY2(asked > 0 && inkOf(asked) == inkOf(asked + 60), word);
    }
}

void TstTheme::initTestCase()
{
    Theme::install(*qApp);
}

void TstTheme::readsWell_data()
{
    QTest::addColumn<int>("ink");
    QTest::addColumn<int>("ground");
    QTest::addColumn<int>("scheme");
    QTest::addColumn<double>("atLeast");
    const QList<std::pair<Token, const char*>> grounds{{Token::Window, "window"}, {Token::Base, "base"}, {Token::Alternate, "alternate"},
                                                       {Token::Head, "head"},     {Token::Button, "button"}, {Token::Selection, "selection"}};
    const auto row = [](const QByteArray& name, Token ink, Token ground, Scheme scheme, double atLeast) {
        const QByteArray full = (scheme == Scheme::Dark ? "dark: " : "light: ") + name;
        QTest::newRow(full.constData()) << static_cast<int>(ink) << static_cast<int>(ground) << static_cast<int>(scheme) << atLeast;
    };
    for (const Scheme scheme : {Scheme::Dark, Scheme::Light}) {
        for (const auto& [ground, name] : grounds) {
            row(QByteArray("text on ") + name, Token::Text, ground, scheme, 7.0);
            row(QByteArray("grey text on ") + name, Token::Text2, ground, scheme, 4.5);
            for (const auto& [ink, word] : QList<std::pair<Token, const char*>>{{Token::Accent, "link"}, {Token::Ok, "ok"}, {Token::Warn, "warn"}, {Token::Error, "error"}})
                row(QByteArray(word) + " on " + name, ink, ground, scheme, 4.5);
        }
        row("text on tip", Token::Text, Token::Tip, scheme, 7.0);
        row("ok on its tint", Token::Ok, Token::OkTint, scheme, 4.5);
        row("warn on its tint", Token::Warn, Token::WarnTint, scheme, 4.5);
        row("error on its tint", Token::Error, Token::ErrorTint, scheme, 4.5);
        row("info on its tint", Token::Info, Token::InfoTint, scheme, 4.5);
        row("white on the filled button", Token::OnFill, Token::Fill, scheme, 4.5);
        row("input border on window", Token::InputBorder, Token::Window, scheme, 3.0);
        row("input border on base", Token::InputBorder, Token::Base, scheme, 3.0);
        row("disabled text on window", Token::Disabled, Token::Window, scheme, 3.0);
    }
}

void TstTheme::readsWell()
{
    QFETCH(int, ink);
    QFETCH(int, ground);
    QFETCH(int, scheme);
    QFETCH(double, atLeast);
    const auto which = static_cast<Scheme>(scheme);
    QVERIFY2(contrast(color(static_cast<Token>(ink), which), color(static_cast<Token>(ground), which)) >= atLeast,
             qPrintable(QString::number(contrast(color(static_cast<Token>(ink), which), color(static_cast<Token>(ground), which)))));
}

void TstTheme::blockLabelsReadWell_data()
{
    QTest::addColumn<int>("ground");
    for (int token = static_cast<int>(Token::Data); token < static_cast<int>(Token::Count); ++token)
        QTest::addRow("token %d", token) << token;
}

void TstTheme::blockLabelsReadWell()
{
    QFETCH(int, ground);
    for (const Scheme scheme : {Scheme::Dark, Scheme::Light}) {
        const QColor block = color(static_cast<Token>(ground), scheme);
        QVERIFY(contrast(textOn(block), block) >= 4.5);
    }
}

void TstTheme::phasesStandOut_data()
{
    QTest::addColumn<int>("token");
    for (const Token token : {Token::Data, Token::Forward, Token::Backward, Token::Communication, Token::Optimizer, Token::Offload})
        QTest::addRow("phase %d", static_cast<int>(token)) << static_cast<int>(token);
    for (int token = static_cast<int>(Token::Series1); token <= static_cast<int>(Token::Series8); ++token)
        QTest::addRow("series %d", token) << token;
}

void TstTheme::phasesStandOut()
{
    QFETCH(int, token);
    for (const Scheme scheme : {Scheme::Dark, Scheme::Light})
        QVERIFY(contrast(color(static_cast<Token>(token), scheme), color(Token::Base, scheme)) >= 3.0);
}

void TstTheme::memoryItemKeepsItsColour_data()
{
    QTest::addColumn<QString>("item");
    QTest::addColumn<int>("token");
    QTest::newRow("weights look like forward") << QStringLiteral("weights") << static_cast<int>(Token::Forward);
    QTest::newRow("gathered weights have their own") << QStringLiteral("gathered_weights") << static_cast<int>(Token::Gathered);
    QTest::newRow("gradients look like backward") << QStringLiteral("gradients") << static_cast<int>(Token::Backward);
    QTest::newRow("master weights look like the optimizer") << QStringLiteral("master") << static_cast<int>(Token::Optimizer);
    QTest::newRow("any activation") << QStringLiteral("activations.saved") << static_cast<int>(Token::Activations);
    QTest::newRow("an id nobody knows is grey") << QStringLiteral("something_new") << static_cast<int>(Token::Rounding);
}

void TstTheme::memoryItemKeepsItsColour()
{
    QFETCH(QString, item);
    QFETCH(int, token);
    QCOMPARE(static_cast<int>(memoryToken(item)), token);
}

void TstTheme::modeChangesPaletteAndSaysSo()
{
    Theme* theme = Theme::instance();
    QSignalSpy changed(theme, &Theme::changed);
    theme->setMode(Mode::Dark);
    QCOMPARE(theme->scheme(), Scheme::Dark);
    QCOMPARE(QApplication::palette().color(QPalette::Window), color(Token::Window, Scheme::Dark));
    QPushButton button;
    QCOMPARE(button.palette().color(QPalette::Button), color(Token::Button, Scheme::Dark));
    theme->setMode(Mode::Light);
    QCOMPARE(QApplication::palette().color(QPalette::Window), color(Token::Window, Scheme::Light));
    QCOMPARE(changed.count(), 2);
}

void TstTheme::paletteHasNoRoleLeftFromTheOtherScheme()
{
    const QPalette dark = palette(Scheme::Dark);
    const QPalette light = palette(Scheme::Light);
    for (int role = 0; role < QPalette::NColorRoles; ++role) {
        const auto which = static_cast<QPalette::ColorRole>(role);
        if (which == QPalette::NoRole || which == QPalette::BrightText)
            continue;
        QVERIFY2(dark.color(QPalette::Active, which) != light.color(QPalette::Active, which), qPrintable(QString::number(role)));
    }
}

void TstTheme::iconsAreTintedFromThePalette_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"document-new", "document-open", "document-save", "document-export", "edit-undo", "edit-redo", "edit-find", "edit-copy", "edit-clear",
                             "view-filter", "view-fullscreen", "view-refresh", "media-playback-start", "media-playback-stop", "media-playback-pause", "process-stop",
                             "dialog-error", "dialog-warning", "dialog-information", "help-contents", "emblem-ok", "go-next", "go-down", "list-add", "window-close",
                             "configure", "window-pin", "utilities-terminal", "text-x-log", "plan", "config", "layout", "pipeline", "run", "compare", "checkpoint",
                             "quick-fix", "chip", "rank"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TstTheme::iconsAreTintedFromThePalette()
{
    QFETCH(QString, name);
    QVERIFY(hasIcon(name));
    Theme::instance()->setMode(Mode::Dark);
    const QImage image = icon(name).pixmap(QSize(32, 32), 1.0).toImage();
    const QColor ink = color(Token::Text, Scheme::Dark);
    int inked = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (const QColor pixel = image.pixelColor(x, y); pixel.alpha() > 250) {
                ++inked;
                QVERIFY(std::abs(pixel.red() - ink.red()) <= 2 && std::abs(pixel.green() - ink.green()) <= 2);
            }
    QVERIFY(inked > 10);
}

void TstTheme::disabledIconIsNotTheEnabledOne()
{
    const QIcon save = icon(QStringLiteral("document-save"));
    QVERIFY(save.pixmap(QSize(16, 16), 1.0, QIcon::Normal).toImage() != save.pixmap(QSize(16, 16), 1.0, QIcon::Disabled).toImage());
}

void TstTheme::whatLiesAboveThePageHasAnEdge()
{
    const auto hasEdge = [](QWidget& popup) {
        const QImage image = popup.grab().toImage();
        const QRgb edge = color(Token::InputBorder).rgb();
        for (int x = 0; x < image.width(); ++x)
            if (image.pixel(x, 0) != edge || image.pixel(x, image.height() - 1) != edge)
                return false;
        for (int y = 0; y < image.height(); ++y)
            if (image.pixel(0, y) != edge || image.pixel(image.width() - 1, y) != edge)
                return false;
        return true;
    };
    QMenu menu;
    for (const char* name : {"First", "Second"})
        menu.addAction(QString::fromLatin1(name));
    menu.popup({0, 0});
    menu.setActiveAction(menu.actions().front());
    QVERIFY(hasEdge(menu));
    menu.close();
    QComboBox box;
    box.addItems({QStringLiteral("0.19.8"), QStringLiteral("0.19.6")});
    box.show();
    QVERIFY(QTest::qWaitForWindowExposed(&box));
    box.showPopup();
    QTRY_VERIFY(box.view()->isVisible());
    QVERIFY(hasEdge(*box.view()->window()));
    box.hidePopup();
    QLineEdit field;
    field.setCompleter(new QCompleter(QStringList{QStringLiteral("accelerate.yaml")}, &field));
    field.show();
    QVERIFY(QTest::qWaitForWindowExposed(&field));
    QTest::keyClicks(&field, QStringLiteral("acc"));
    QTRY_VERIFY(field.completer()->popup()->isVisible());
    QVERIFY(hasEdge(*field.completer()->popup()));
    field.completer()->popup()->hide();
    box.showPopup();
    // Its rows are as high as those of any list.
    QVERIFY2(box.view()->visualRect(box.model()->index(0, 0)).height() >= 24, qPrintable(QString::number(box.view()->visualRect(box.model()->index(0, 0)).height())));
}

void TstTheme::filesAreReadWhole()
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("ds_config.json")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(3000, ' ')) == 3000);
    file.close();
    QFileDialog dialog(nullptr, QString(), folder.path());
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    dialog.show();
    auto* files = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
    QVERIFY(files);
    QTRY_COMPARE(files->model()->rowCount(files->rootIndex()), 1);
    for (int column = 0; column < 4; ++column) {
        const QModelIndex at = files->model()->index(0, column, files->rootIndex());
        QTRY_VERIFY2(files->columnWidth(column) >= files->sizeHintForIndex(at).width(), qPrintable(at.data().toString()));
    }
}

void TstTheme::dialogButtonsHaveWordsAlone()
{
    // An icon of the system's would be black in a dark window, too.
    const QDialogButtonBox box(QDialogButtonBox::Close | QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::Save | QDialogButtonBox::Discard);
    for (const QAbstractButton* button : box.buttons())
        QVERIFY2(button->icon().isNull() && !button->text().isEmpty(), qPrintable(button->text()));
}

QTEST_MAIN(TstTheme)
#include "tst_theme.moc"
