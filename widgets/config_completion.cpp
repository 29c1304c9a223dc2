// SPDX-License-Identifier: GPL-3.0-or-later
// What the text view offers while a key or a value is being typed.
#include "widgets/config_editor.h"

#include "config/key_releases.h"
#include "widgets/config_model.h"
#include "widgets/config_value.h"
#include "widgets/key_stage.h"
#include "widgets/step_name.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QListWidget>
#include <QScreen>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace stagecraft {

using theme::Token;

namespace {

/// What DeepSpeed works out for a batch size that is missing, from those that are written; empty where it does not.
std::string workedOut(const CatalogKey& key, const ConfigModel& config)
{
    const bool batch = key.pointer == "/train_batch_size" || key.pointer == "/train_micro_batch_size_per_gpu" || key.pointer == "/gradient_accumulation_steps";
    // While a key is being typed the text is hardly ever whole: the last that was says the others.
    const auto answer = batch ? checkConfig(config.document().text(), config.context()) : Result<CheckAnswer>(CheckAnswer());
    if (!answer.hasValue() || !answer->resolved)
        return {};
    const ResolvedBatch& sizes = *answer->resolved;
    const BatchNumber& size = key.pointer == "/train_batch_size" ? sizes.trainBatchSize : key.pointer == "/gradient_accumulation_steps" ? sizes.gas : sizes.micro;
    const auto* whole = std::get_if<std::int64_t>(&size);
    return whole && *whole > 0 ? std::to_string(*whole) : std::string();
}

/// What a completed key gets to begin with: what DeepSpeed takes without it, or the least that its type takes. A number is there to
/// be typed over.
std::string firstValue(const CatalogKey& key, const ConfigModel& config)
{
    if (const std::string size = workedOut(key, config); !size.empty())
        return size;
    const std::string& release = config.context().release;
    if (const QByteArray byDefault = writtenDefault(key, release); !byDefault.isEmpty())
        return byDefault.toStdString();
    if (key.isSection())
        return "{}";
    if (!key.values.empty())
        return key.values.front();
    switch (key.types.front()) {
    case KeyType::Bool: return "false";
    case KeyType::Int: return std::to_string(static_cast<long long>(std::max(1.0, key.min.value_or(1))));
    case KeyType::Float: return "0.0";
    default: return "\"\"";
    }
}

}  // namespace

QStringList ConfigEditor::candidates(const JsonContext& context) const
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    const JsonDocument& document = m_config.document();
    const std::string word = QString::fromStdString(context.word).toLower().toStdString();
    std::vector<std::pair<int, QString>> scored;
    // Of those that match alike, one that would do nothing yet comes last.
    const auto consider = [&](const QString& entry, bool waits = false) {
        const std::string text = entry.toLower().toStdString();
        const std::size_t at = text.find(word);
        if (word.empty() || at == 0)
            scored.emplace_back(0 + waits, entry);
        else if (at != std::string::npos)
            scored.emplace_back((text[at - 1] == '_' ? 2 : 4) + waits, entry);
        else if (word.size() >= 4 && editDistance(word, std::string_view(text).substr(0, word.size()), 2) <= 2)
            scored.emplace_back(6 + waits, entry);
    };
    if (context.expectsKey) {
        // While a key is being typed the text is hardly ever whole: the last text that was says what the object has, and a
        // name counts when it still stands in quotes.
        const int object = document.find(context.pointer);
        const QByteArray all = m_config.syntaxError() ? bytes() : QByteArray();
        for (const int id : catalog.children(context.pointer, &document)) {
            const CatalogKey& key = catalog.key(id);
            const std::string name(key.name());
            const bool present = object >= 0 && document.member(object, name) >= 0 && name != context.word && (all.isEmpty() || all.contains(QByteArray::fromStdString(quoteJson(name))));
            const KeyInRelease here = keyIn(key, m_config.context().release);
            if (!present && here.known && here.reading == KeyReading::Read && !key.deprecated && name != "*")
                consider(QString::fromStdString(name), waitsForStage3(key.pointer, document));
        }
    } else if (const int id = catalog.find(context.pointer, &document); id >= 0) {
        const CatalogKey& key = catalog.key(id);
        for (const std::string& value : key.values)
            if (takesValue(key, value, m_config.context().release))
                consider(shownValue(QByteArray::fromStdString(value)));
        if (key.types.front() == KeyType::Bool) {
            consider(QStringLiteral("true"));
            consider(QStringLiteral("false"));
        }
        if (key.acceptsAuto)
            consider(QStringLiteral("auto"));
        const QByteArray byDefault = writtenDefault(key, m_config.context().release);
        if (key.values.empty() && key.types.front() != KeyType::Bool && !byDefault.isEmpty() && !byDefault.contains('\n'))
            consider(shownValue(byDefault));
    }
    std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    QStringList entries;
    for (const auto& [score, entry] : scored)
        entries << entry;
    entries.removeDuplicates();   // an older name of one key is the newer name of another
    return entries;
}

void ConfigEditor::complete(bool force)
{
    if (!hasFocus() && !force)
        return;
    const QByteArray all = bytes();
    const auto offset = static_cast<std::size_t>(cursorOffset());
    const JsonContext context = contextAt(std::string_view(all.constData(), static_cast<std::size_t>(all.size())), offset);
    const bool writing = !context.word.empty() || (context.quote == '"' && context.expectsKey);
    if (context.inComment || context.pointer.size() > 4096 || (!force && !writing)) {
        cancelList();
        return;
    }
    const QStringList entries = candidates(context);
    const QString only = entries.size() == 1 ? entries.front() : QString();
    if (entries.isEmpty() || (!force && only == QString::fromStdString(context.word))) {
        cancelList();
        return;
    }
    // QScintilla asks the screen below the cursor for its size and takes it for granted that there is one.
    const auto at = static_cast<long>(offset);
    const QPoint below(static_cast<int>(SendScintilla(SCI_POINTXFROMPOSITION, 0UL, at)), static_cast<int>(SendScintilla(SCI_POINTYFROMPOSITION, 0UL, at)) + textHeight(0));
    if (!QGuiApplication::screenAt(viewport()->mapToGlobal(below))) {
        cancelList();
        return;
    }
    const QByteArray list = entries.join(QLatin1Char('\n')).toUtf8();
    SendScintilla(SCI_USERLISTSHOW, static_cast<unsigned long>(kCompletionList), list.constData());
    m_listedAt = static_cast<int>(offset);
    frameList();
}

void ConfigEditor::closeOffers()
{
    cancelList();
    if (std::exchange(m_tells, false))
        QToolTip::hideText();
}

void ConfigEditor::frameList()
{
    // QScintilla's list is a window of its own without an edge: over text it cannot be told from it.
    for (QWidget* window : QApplication::topLevelWidgets()) {
        auto* entries = qobject_cast<QListWidget*>(window);
        if (!entries || !entries->isVisible() || !entries->inherits("QsciSciListBox"))
            continue;
        QPalette palette = entries->palette();
        palette.setColor(QPalette::WindowText, theme::color(Token::InputBorder));
        entries->setPalette(palette);
        entries->setFrameStyle(QFrame::Box | QFrame::Plain);
        entries->setLineWidth(1);
        // It was made as large as its words: the edge, and the bar beside more than ten, would cover some of them.
        const int rows = std::min(entries->count(), kMostRows);
        const int bar = entries->count() > rows ? entries->verticalScrollBar()->sizeHint().width() : 0;
        entries->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        entries->setVerticalScrollBarPolicy(bar > 0 ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff);
        entries->resize(entries->sizeHintForColumn(0) + bar + 10, rows * std::max(1, entries->sizeHintForRow(0)) + 2);
    }
}

void ConfigEditor::insertCompletion(const QString& entry)
{
    flush();
    const QByteArray all = bytes();
    const std::string_view view(all.constData(), static_cast<std::size_t>(all.size()));
    const auto offset = static_cast<std::size_t>(cursorOffset());
    const JsonContext context = contextAt(view, offset);
    std::size_t end = offset;
    while (end < view.size() && std::string_view(" \t\r\n,:{}[]\"'#").find(view[end]) == std::string_view::npos)
        ++end;
    if (context.quote && end < view.size() && view[end] == context.quote)
        ++end;
    // Just before a text: the text is what is replaced.
    if (!context.quote && end == offset && end < view.size() && view[end] == '"') {
        for (++end; end < view.size() && view[end] != '"' && view[end] != '\n'; ++end)
            if (view[end] == '\\' && end + 1 < view.size())
                ++end;
        end += end < view.size() && view[end] == '"' ? 1 : 0;
    }
    const KeyCatalog& catalog = KeyCatalog::standard();
    std::string replacement;
    std::size_t caret = 0, anchor = 0;
    if (context.expectsKey) {
        replacement = quoteJson(entry.toStdString());
        const std::size_t next = view.find_first_not_of(" \t\r\n", end);
        caret = anchor = replacement.size();
        if (next == std::string_view::npos || view[next] != ':') {
            const int id = catalog.find(context.pointer + "/" + pointerToken(entry.toStdString()), &m_config.document());
            const std::string value = id >= 0 ? firstValue(catalog.key(id), m_config) : std::string("\"\"");
            replacement += ": ";
            anchor = replacement.size();
            replacement += value;
            caret = replacement.size();
            if (value == "{}" || value == "[]" || value == "\"\"")
                anchor = --caret;
            if (next != std::string_view::npos && view[next] == '"')
                replacement += ",";
        }
    } else {
        const int id = catalog.find(context.pointer, &m_config.document());
        const TypedValue value = id >= 0 ? typedValue(catalog.key(id), entry, elementBytesOf(m_config.document())) : TypedValue{};
        replacement = value.isValid() ? value.json.toStdString() : quoteJson(entry.toStdString());
        caret = anchor = replacement.size();
    }
    // A step of its own: what was typed before it, and what is typed after it, can be taken back without it.
    emit m_config.editRequested({context.wordBegin, end, replacement}, stepName([entry] { return tr("Complete %1").arg(entry); }), false);
    SendScintilla(SCI_SETSEL, static_cast<unsigned long>(context.wordBegin + anchor), static_cast<long>(context.wordBegin + caret));
    m_offered = {static_cast<long>(context.wordBegin + anchor), static_cast<long>(context.wordBegin + caret)};
}

bool ConfigEditor::isWrittenAlready(const QString& typed)
{
    // Fingers that know JSON go on with ": " behind a key; it stands there, and the value that is offered stays.
    const std::pair<long, long> chosen{SendScintilla(SCI_GETSELECTIONSTART), SendScintilla(SCI_GETSELECTIONEND)};
    if (chosen == m_offered && chosen.first < chosen.second && (typed == QLatin1String(":") || typed == QLatin1String(" ")))
        return true;
    if (!typed.isEmpty())
        m_offered = {-1, -1};
    return false;
}

}  // namespace stagecraft
