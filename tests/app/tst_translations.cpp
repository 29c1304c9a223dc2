// SPDX-License-Identifier: GPL-3.0-or-later
// Every string of the window is translated: the .ts files are brought up to date with the sources in a copy, and nothing in
// the copy may be unfinished. So a new string fails here even when nobody ran lupdate.
#include "app/translations.h"

#include <QApplication>
#include <QDir>
#include <QFileIconProvider>
#include <QLibraryInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>
#include <QXmlStreamReader>

using namespace stagecraft::app;

class TstTranslations : public QObject {
    Q_OBJECT
private slots:
    void everyStringIsTranslated_data();
    void everyStringIsTranslated();
    void everyPluralHasAnEnglishForm_data();
    void everyPluralHasAnEnglishForm();
    void placeholdersSurvive_data() { everyStringIsTranslated_data(); }
    void placeholdersSurvive();
    void switchesLive();

private:
    struct Message {
        QString source;
        QString translation;
        bool finished = true;
    };
    QList<Message> messagesOf(const QString& path) const;
    /// The messages of a folder as lupdate finds them now, with the translations kept.
    QList<Message> messagesNow(const QString& folder, const QString& language, const QStringList& options) const;
    QString source(const QString& relative) const { return QDir(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR")).filePath(relative); }
};

QList<TstTranslations::Message> TstTranslations::messagesOf(const QString& path) const
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QList<Message> messages;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == QLatin1String("message"))
            messages.append(Message());
        else if (xml.name() == QLatin1String("source"))
            messages.last().source = xml.readElementText();
        else if (xml.name() == QLatin1String("translation")) {
            messages.last().finished = xml.attributes().value(QLatin1String("type")).isEmpty();
            messages.last().translation = xml.readElementText(QXmlStreamReader::IncludeChildElements).trimmed();
        }
    }
    return messages;
}

void TstTranslations::everyStringIsTranslated_data()
{
    QTest::addColumn<QString>("folder");
    for (const char* folder : {"app", "widgets", "visualizers"})
        QTest::newRow(folder) << QString::fromLatin1(folder);
}

void TstTranslations::everyStringIsTranslated()
{
    QFETCH(QString, folder);
    const QList<Message> messages = messagesNow(folder, QStringLiteral("zh_CN"), {});
    QVERIFY(messages.size() > 20);
    QStringList open;
    for (const Message& message : messages)
        if (!message.finished || message.translation.isEmpty())
            open << message.source;
    QVERIFY2(open.isEmpty(), qPrintable(QStringLiteral("not translated:\n") + open.join(QLatin1Char('\n'))));
}

QList<TstTranslations::Message> TstTranslations::messagesNow(const QString& folder, const QString& language, const QStringList& options) const
{
    QTemporaryDir scratch;
    const QString name = QStringLiteral("%1_%2.ts").arg(folder, language), copy = scratch.filePath(name);
    if (!QFile::copy(source(QStringLiteral("resources/i18n/") + name), copy))
        return {};
    QStringList arguments = options;
    arguments << QStringList{QStringLiteral("-no-obsolete"), QStringLiteral("-locations"), QStringLiteral("none"), QStringLiteral("-I"), source({}), QStringLiteral("-I"),
                          source(QStringLiteral("core_runtime"))};
    for (const QFileInfo& file : QDir(source(folder)).entryInfoList({QStringLiteral("*.cpp")}, QDir::Files))
        arguments << file.absoluteFilePath();
    arguments << QStringLiteral("-ts") << copy;
    QProcess lupdate;
    lupdate.start(QStringLiteral(LUPDATE_PROGRAM), arguments);
    return lupdate.waitForFinished(60'000) && lupdate.exitCode() == 0 ? messagesOf(copy) : QList<Message>();
}

void TstTranslations::everyPluralHasAnEnglishForm_data()
{
    QTest::addColumn<QString>("folder");
    for (const char* folder : {"app", "visualizers"})
        QTest::newRow(folder) << QString::fromLatin1(folder);
}

void TstTranslations::everyPluralHasAnEnglishForm()
{
    QFETCH(QString, folder);
    const QList<Message> messages = messagesNow(folder, QStringLiteral("en"), {QStringLiteral("-pluralonly")});
    QVERIFY(messages.size() > 4);
    for (const Message& message : messages)
        QVERIFY2(message.finished && !message.translation.isEmpty(), qPrintable(message.source));
    Translations translations;
    translations.apply(Language::English);
    QCOMPARE(QCoreApplication::translate("stagecraft::app::RunPage", "%n ranks", nullptr, 1), QStringLiteral("1 rank"));
    QCOMPARE(QCoreApplication::translate("stagecraft::app::RunPage", "%n ranks", nullptr, 2), QStringLiteral("2 ranks"));
}

void TstTranslations::placeholdersSurvive()
{
    QFETCH(QString, folder);
    static const QRegularExpression placeholder(QStringLiteral("%[0-9n]"));
    const auto of = [](const QString& text) {
        QStringList found;
        for (auto it = placeholder.globalMatch(text); it.hasNext();)
            found << it.next().captured();
        found.removeDuplicates();
        found.sort();
        return found;
    };
    for (const Message& message : messagesOf(source(QStringLiteral("resources/i18n/%1_zh_CN.ts").arg(folder))))
        QVERIFY2(of(message.source) == of(message.translation), qPrintable(message.source));
}

void TstTranslations::switchesLive()
{
    Translations translations;
    translations.apply(Language::SimplifiedChinese);
    QCOMPARE(QCoreApplication::translate("stagecraft::app::PlanPage", "Plan"), QStringLiteral("规划"));
    QCOMPARE(QCoreApplication::translate("stagecraft::Inspector", "Inspector"), QStringLiteral("检查器"));
    // Qt's own file dialog, where Qt's catalogue is installed.
    if (QTranslator().load(QStringLiteral("qtbase_zh_CN"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCOMPARE(QFileIconProvider().type(QFileInfo(QDir::tempPath())), QStringLiteral("文件夹"));
    translations.apply(Language::English);
    QCOMPARE(QCoreApplication::translate("stagecraft::app::PlanPage", "Plan"), QStringLiteral("Plan"));
}

QTEST_MAIN(TstTranslations)
#include "tst_translations.moc"
