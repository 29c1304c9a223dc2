// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace stagecraft::app {

namespace {

/// The kinds of files in Qt's own file dialog: Qt asks for them by another name than the one its catalogue has them under.
class FileKinds : public QTranslator {
public:
    explicit FileKinds(const QTranslator& qt) : m_qt(qt) {}
    [[nodiscard]] bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* comment, int n) const override
    {
        return qstrcmp(context, "QAbstractFileIconProvider") == 0 ? m_qt.translate("QFileDialog", source, comment, n) : QString();
    }

private:
    const QTranslator& m_qt;   ///< not by way of the application: the dialog asks from a thread of its own, which must not wait twice
};

}  // namespace

Translations::Translations(QObject* parent) : QObject(parent) {}

Translations::~Translations()
{
    for (const auto& translator : m_translators)
        QCoreApplication::removeTranslator(translator.get());
}

Language Translations::ofSystem()
{
    const QStringList wished = QLocale::system().uiLanguages();
    for (const QString& name : wished) {
        const QLocale locale(name);
        if (locale.language() == QLocale::Chinese && locale.script() != QLocale::TraditionalChineseScript)
            return Language::SimplifiedChinese;
        if (locale.language() == QLocale::English)
            return Language::English;
    }
    return Language::English;
}

void Translations::apply(Language language)
{
    for (const auto& translator : m_translators)
        QCoreApplication::removeTranslator(translator.get());
    m_translators.clear();
    m_language = language;
    const bool chinese = language == Language::SimplifiedChinese;
    QLocale::setDefault(chinese ? QLocale(QLocale::Chinese, QLocale::SimplifiedHanScript, QLocale::China) : QLocale(QLocale::English, QLocale::UnitedStates));
    const auto add = [this](const QString& name, const QString& folder) {
        auto translator = std::make_unique<QTranslator>();
        if (!translator->load(name, folder))
            return false;
        QCoreApplication::installTranslator(translator.get());
        m_translators.push_back(std::move(translator));
        return true;
    };
    if (!chinese) {
        // The sources are English but for their plurals.
        for (const char* folder : {"visualizers", "app"})
            add(QString::fromLatin1(folder) + QStringLiteral("_en"), QStringLiteral(":/i18n"));
        return;
    }
    if (add(QStringLiteral("qtbase_zh_CN"), QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        m_translators.push_back(std::make_unique<FileKinds>(*m_translators.back()));
        QCoreApplication::installTranslator(m_translators.back().get());
    }
    for (const char* folder : {"widgets", "visualizers", "app"})
        add(QString::fromLatin1(folder) + QStringLiteral("_zh_CN"), QStringLiteral(":/i18n"));
}

}  // namespace stagecraft::app
