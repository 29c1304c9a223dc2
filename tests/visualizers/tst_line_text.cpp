// SPDX-License-Identifier: GPL-3.0-or-later
#include "visualizers/line_text.h"

#include <QFontDatabase>
#include <QImage>
#include <QPainter>
#include <QtTest>

#include <functional>

using namespace stagecraft;

namespace {

constexpr QSize kSize(240, 24);

QImage drawn(const QFont& font, const std::function<void(QPainter&)>& paint)
{
    QImage image(kSize, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setFont(font);
    painter.setPen(Qt::black);
    paint(painter);
    painter.end();
    return image;
}

/// Where there is ink, whatever a fraction of a pixel does to its edges.
QRect inked(const QImage& image)
{
    QRect area;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (qGray(image.pixel(x, y)) < 160)
                area |= QRect(x, y, 1, 1);
    return area;
}

}  // namespace

class TestLineText : public QObject {
    Q_OBJECT

private slots:
    void standsWhereThePainterWouldPutIt_data();
    void standsWhereThePainterWouldPutIt();
    void saysItIsCut();
    void keepsFontWidthAndWordsApart();
};

void TestLineText::standsWhereThePainterWouldPutIt_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("alignment");
    for (const auto& [name, text] : {std::pair("plain", QString("Stage 2 fits")), {"numbers", QString("83.1 GiB of 79.6 & <b>more</b>")}, {"chinese", QString("阶段 2 放得下")}, {"long", QString("model states ").repeated(20)}})
        for (const Qt::AlignmentFlag side : {Qt::AlignLeft, Qt::AlignHCenter, Qt::AlignRight})
            QTest::addRow("%s %d", name, static_cast<int>(side)) << text << static_cast<int>(side | Qt::AlignVCenter);
}

void TestLineText::standsWhereThePainterWouldPutIt()
{
    QFETCH(QString, text);
    QFETCH(int, alignment);
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    font.setPixelSize(12);
    const QRectF where(8, 2, 200, 20);
    const QImage expected = drawn(font, [&](QPainter& p) { p.drawText(where, alignment, p.fontMetrics().elidedText(text, Qt::ElideRight, 200)); });
    for (int again = 0; again < 2; ++again) {  // laid out, then from what is kept
        const QImage image = drawn(font, [&](QPainter& p) { drawLineOfText(p, where, Qt::Alignment(alignment), text); });
        const QRect at = inked(image), there = inked(expected);
        QVERIFY(!at.isEmpty());
        // A pixel: a line that is centred may start at half of one.
        QVERIFY2(qAbs(at.left() - there.left()) <= 1 && qAbs(at.right() - there.right()) <= 1 && qAbs(at.top() - there.top()) <= 1 && qAbs(at.bottom() - there.bottom()) <= 1,
                 qPrintable(QString("%1,%2 %3x%4 for %5,%6 %7x%8").arg(at.x()).arg(at.y()).arg(at.width()).arg(at.height()).arg(there.x()).arg(there.y()).arg(there.width()).arg(there.height())));
    }
}

void TestLineText::saysItIsCut()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    font.setPixelSize(12);
    const QImage image = drawn(font, [](QPainter& p) { drawLineOfText(p, QRectF(10, 2, 60, 20), Qt::AlignLeft, QString("words ").repeated(10)); });
    QVERIFY(inked(image).right() <= 70);
    QVERIFY(inked(image).left() >= 9);
}

void TestLineText::keepsFontWidthAndWordsApart()
{
    QFont small = QFontDatabase::systemFont(QFontDatabase::GeneralFont), bold = small;
    small.setPixelSize(11);
    bold.setPixelSize(11);
    bold.setBold(true);
    QFont large = small;
    large.setPixelSize(15);
    const auto at = [](double width, const QString& text) { return [width, text](QPainter& p) { drawLineOfText(p, QRectF(0, 0, width, 24), Qt::AlignLeft, text); }; };
    const QString text = "Stage 3 + offload";
    const QImage first = drawn(small, at(200, text));
    QVERIFY(drawn(large, at(200, text)) != first);
    QVERIFY(drawn(bold, at(200, text)) != first);
    QVERIFY(drawn(small, at(40, text)) != first);
    QVERIFY(drawn(small, at(200, "Stage 2 + offload")) != first);
    QCOMPARE(drawn(small, at(200, text)), first);
    // The pen is the painter's of now.
    const QImage red = drawn(small, [&](QPainter& p) {
        p.setPen(Qt::red);
        at(200, text)(p);
    });
    QVERIFY(red != first);
}

QTEST_MAIN(TestLineText)
#include "tst_line_text.moc"
