// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_value.h"

#include "base/units.h"
#include "config/config_value.h"
#include "config/json_document.h"
#include "config/key_releases.h"
#include "config/wizard.h"
#include "widgets/config_model.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace stagecraft {

/// Only a context for translations.
struct ConfigValueText {
    Q_DECLARE_TR_FUNCTIONS(ConfigValueText)
};

namespace {

constexpr double kReadWhole = 1e10;   // DeepSpeed's reader takes 5e8 for a whole number, and 5e10 for none

bool isJson(const QString& text)
{
    return JsonDocument::parse(text.toStdString(), JsonSyntax::Strict).hasValue();
}

std::optional<double> plainNumber(const QByteArray& json)
{
    bool ok = false;
    const double value = json.toDouble(&ok);
    return ok && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// "0,001" with a point for its comma, where the comma can only stand before decimals; empty for other text. "1,500" is one
/// thousand five hundred where whole numbers go, and nobody can tell where fractions do.
QString decimalComma(const QString& text, bool integer)
{
    static const QRegularExpression form(QStringLiteral("^[-+]?[0-9]+,[0-9]+(?:[eE][-+]?[0-9]+)?$"));
    static const QRegularExpression thousands(QStringLiteral("^[-+]?[1-9][0-9]{0,2},[0-9]{3}$"));
    if (!form.match(text).hasMatch() || (integer && thousands.match(text).hasMatch()))
        return {};
    return QString(text).replace(QLatin1Char(','), QLatin1Char('.'));
}

/// "500M", "0.93 GiB", "1 000 000", "5e8" as a number. What separates thousands stands between groups of three digits.
/// @param perByte  what one byte counts; 0 where bytes are not what is counted
std::optional<double> humanNumber(const QString& text, double perByte, bool* plain, bool* bytesRefused)
{
    static const QRegularExpression form(QStringLiteral(
        "^([-+]?(?:[1-9][0-9]{0,2}([,_ '\\x{2009}\\x{00a0}])[0-9]{3}(?:\\2[0-9]{3})*|[0-9]+)(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)\\s*([A-Za-z]*)$"));
    const QRegularExpressionMatch match = form.match(text.trimmed());
    if (!match.hasMatch())
        return std::nullopt;
    QString digits = match.captured(1);
    static const QRegularExpression separators(QStringLiteral("[,_ '\\x{2009}\\x{00a0}]"));
    digits.remove(separators);
    bool ok = false;
    double value = digits.toDouble(&ok);
    if (!ok)
        return std::nullopt;
    const QString suffix = match.captured(3).toLower();
    *plain = suffix.isEmpty() && digits == match.captured(1).trimmed();
    if (suffix.isEmpty()) return value;
    if (suffix == QLatin1String("k")) return value * 1e3;
    if (suffix == QLatin1String("m")) return value * 1e6;
    if (suffix == QLatin1String("b") || suffix == QLatin1String("g")) return value * 1e9;
    if (suffix == QLatin1String("t")) return value * 1e12;
    static const std::pair<const char*, double> kBytes[]{{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"kib", 1024.0}, {"mib", 1048576.0}, {"gib", 1073741824.0}, {"tib", 1099511627776.0}};
    for (const auto& [name, bytes] : kBytes)
        if (suffix == QLatin1String(name)) {
            *bytesRefused = perByte <= 0;
            return *bytesRefused ? std::nullopt : std::optional(value * bytes * perByte);
        }
    return std::nullopt;
}

QString valueList(const CatalogKey& key, const std::string& release = {})
{
    QStringList words;
    for (const std::string& value : key.values)
        if (takesValue(key, value, release))
            words << shownValue(QByteArray::fromStdString(value));
    return words.join(QStringLiteral(", "));
}

TypedValue number(const CatalogKey& key, const QString& text, bool integer, int elementBytes)
{
    bool plain = false, bytesRefused = false;
    if (const QString point = decimalComma(text, integer); !point.isEmpty())
        return {{}, ConfigValueText::tr("The decimal sign of JSON is the point: write %1.").arg(point)};
    const double perByte = key.unit == "elements" ? 1.0 / elementBytes : key.unit == "bytes" ? 1.0 : 0.0;
    const auto value = humanNumber(text, perByte, &plain, &bytesRefused);
    if (bytesRefused)
        return {{}, ConfigValueText::tr("Bytes are not what this key counts: write a plain number.")};
    if (!value)
        return {{}, integer ? ConfigValueText::tr("A whole number is expected, such as 500000000, 5e8 or 500M.") : ConfigValueText::tr("A number is expected, such as 0.1 or 3e-4.")};
    if (integer && *value != std::floor(*value)) {
        if (plain)
            return {{}, ConfigValueText::tr("A whole number is expected.")};
    }
    if (key.min && key.minExcluded && *value <= *key.min)
        return {{}, ConfigValueText::tr("The value must be above %1.").arg(numberText(*key.min, 12))};
    if (key.max && key.maxExcluded && *value >= *key.max)
        return {{}, ConfigValueText::tr("The value must be below %1.").arg(numberText(*key.max, 12))};
    if (key.min && *value < *key.min)
        return {{}, ConfigValueText::tr("The smallest value is %1.").arg(numberText(*key.min, 12))};
    if (key.max && *value > *key.max)
        return {{}, ConfigValueText::tr("The largest value is %1.").arg(numberText(*key.max, 12))};
    if (std::abs(*value) > (plain ? 1.8e19 : 9.2e18))
        return {{}, ConfigValueText::tr("The number is too large.")};
    const QString spelled = text.trimmed();
    const bool readWhole = !integer || std::abs(*value) < kReadWhole || spelled.indexOf(QRegularExpression(QStringLiteral("[.eE]"))) < 0;
    if (plain && isJson(spelled) && readWhole)
        return {spelled.toUtf8(), {}};
    if (integer || *value == std::floor(*value))
        return {QByteArray::number(static_cast<qlonglong>(std::llround(*value))), {}};
    return {numberText(*value, 15).toUtf8(), {}};
}

std::optional<TypedValue> valueOf(const CatalogKey& key, KeyType type, const QString& text, int elementBytes)
{
    const QString trimmed = text.trimmed();
    switch (type) {
    case KeyType::Bool:
        if (trimmed == QLatin1String("true") || trimmed == QLatin1String("false"))
            return TypedValue{trimmed.toUtf8(), {}};
        return TypedValue{{}, ConfigValueText::tr("true or false is expected.")};
    case KeyType::Int: return number(key, trimmed, true, elementBytes);
    case KeyType::Float: return number(key, trimmed, false, elementBytes);
    case KeyType::Enum:
        for (const std::string& value : key.values)
            if (shownValue(QByteArray::fromStdString(value)) == trimmed)
                return TypedValue{QByteArray::fromStdString(value), {}};
        return TypedValue{{}, ConfigValueText::tr("One of these is expected: %1.").arg(valueList(key))};
    case KeyType::String:
    case KeyType::Path:
        return TypedValue{QByteArray::fromStdString(quoteJson(text.toStdString())), {}};
    case KeyType::Null:
        if (trimmed == QLatin1String("null"))
            return TypedValue{"null", {}};
        return TypedValue{{}, ConfigValueText::tr("Only null is accepted.")};
    default: break;
    }
    const auto parsed = JsonDocument::parse(trimmed.toStdString(), JsonSyntax::Strict);
    const bool list = type == KeyType::List || type == KeyType::IntList || type == KeyType::FloatList || type == KeyType::StringList;
    const bool object = type == KeyType::Object || type == KeyType::Section;
    if (!parsed.hasValue()) {
        // 0.9, 0.95 is what people write for a list.
        if (list && !trimmed.startsWith(QLatin1Char('[')))
            return valueOf(key, type, QLatin1Char('[') + trimmed + QLatin1Char(']'), elementBytes);
        return TypedValue{{}, list ? ConfigValueText::tr("A list is expected, such as [0.9, 0.95].") : ConfigValueText::tr("JSON is expected.")};
    }
    const JsonKind kind = parsed->node(0).kind;
    if (list && kind != JsonKind::Array)
        return valueOf(key, type, QLatin1Char('[') + trimmed + QLatin1Char(']'), elementBytes);
    if (object && kind != JsonKind::Object)
        return TypedValue{{}, ConfigValueText::tr("An object is expected, such as {}.")};
    for (int item = parsed->node(0).firstChild; list && item >= 0; item = parsed->node(item).next) {
        const JsonKind itemKind = parsed->node(item).kind;
        const bool whole = itemKind == JsonKind::Number && plainNumber(QByteArray::fromStdString(std::string(parsed->spelling(item)))).value_or(0.5)
                == std::floor(plainNumber(QByteArray::fromStdString(std::string(parsed->spelling(item)))).value_or(0.5));
        if (type == KeyType::IntList && !whole)
            return TypedValue{{}, ConfigValueText::tr("Every entry must be a whole number.")};
        if (type == KeyType::FloatList && itemKind != JsonKind::Number)
            return TypedValue{{}, ConfigValueText::tr("Every entry must be a number.")};
        if (type == KeyType::StringList && itemKind != JsonKind::String)
            return TypedValue{{}, ConfigValueText::tr("Every entry must be a text in double quotes.")};
    }
    return TypedValue{trimmed.toUtf8(), {}};
}

}  // namespace

TypedValue typedValue(const CatalogKey& key, const QString& text, int elementBytes)
{
    if (text.trimmed().isEmpty() && key.types.front() != KeyType::String && key.types.front() != KeyType::Path)
        return {{}, ConfigValueText::tr("A value is expected.")};
    if (key.acceptsAuto && text.trimmed() == QLatin1String("auto"))
        return {"\"auto\"", {}};
    TypedValue first;
    for (std::size_t i = 0; i < key.types.size(); ++i) {
        // A string would take anything: other forms of the same key come first.
        const KeyType type = key.types[i];
        const bool last = i + 1 == key.types.size();
        if (!last && type == KeyType::String)
            continue;
        const auto value = valueOf(key, type, text, elementBytes);
        if (value->isValid())
            return *value;
        if (first.complaint.isEmpty())
            first = *value;
    }
    if (key.types.size() > 1 && key.types.front() == KeyType::String)
        return *valueOf(key, KeyType::String, text, elementBytes);
    return first;
}

QString numberText(double value, int digits)
{
    return QString::fromStdString(shortExponent(QByteArray::number(value, 'g', digits).toStdString()));
}

QString shownValue(const QByteArray& json)
{
    if (json.startsWith('"')) {
        const auto document = JsonDocument::parse(json.toStdString());
        if (document.hasValue())
            return QString::fromStdString(document->stringValue(0));
    }
    return QString::fromUtf8(json);
}

QString writtenValue(const QByteArray& json)
{
    const QString text = shownValue(json);
    return json.startsWith('"') && (text.isEmpty() || isJson(text)) ? QString::fromUtf8(json) : text;
}

bool holdsNoSection(const QByteArray& json)
{
    return !json.isEmpty() && !json.startsWith('{');
}

QString briefValue(const QByteArray& json)
{
    const auto value = plainNumber(json);
    if (!value || *value < 1e5 || *value > 1e15 || *value != std::floor(*value))
        return shownValue(json);
    auto mantissa = static_cast<qlonglong>(*value);
    int zeros = 0;
    for (; mantissa % 10 == 0; mantissa /= 10)
        ++zeros;
    return mantissa < 10 ? QStringLiteral("%1e%2").arg(mantissa).arg(zeros) : shownValue(json);
}

QString shortValue(const QByteArray& json)
{
    constexpr double kExact = 9e15;   // above it a double may be another number
    const auto value = plainNumber(json);
    if (!value || *value != std::floor(*value) || *value < 1 || *value > kExact)
        return writtenValue(json);
    QString digits = QString::number(static_cast<qlonglong>(*value));
    const qsizetype exponent = digits.size() - 1;
    while (digits.endsWith(QLatin1Char('0')))
        digits.chop(1);
    if (digits.size() > 1)
        digits.insert(1, QLatin1Char('.'));
    const QString brief = QStringLiteral("%1e%2").arg(digits).arg(exponent);
    return brief.size() < json.size() ? brief : writtenValue(json);
}

QByteArray writtenDefault(const CatalogKey& key, const std::string& release)
{
    const QByteArray json = QByteArray::fromStdString(defaultIn(key, release));
    const auto value = plainNumber(json);
    return value && std::abs(*value) < kReadWhole ? briefValue(json).toUtf8() : json;
}

QString shownDefault(const CatalogKey& key, const std::string& release)
{
    return keyIn(key, release).known ? briefValue(QByteArray::fromStdString(defaultIn(key, release))) : QString();
}

QString groupedNumber(const QByteArray& json)
{
    const auto value = plainNumber(json);
    if (!value || std::abs(*value) < 1000 || *value != std::floor(*value) || std::abs(*value) > 1e18)
        return shownValue(json);
    return QLocale().toString(static_cast<qlonglong>(*value));
}

QString typeWords(const CatalogKey& key, const std::string& release)
{
    QStringList words;
    const auto range = [&](const QString& noun) {
        if (key.min && key.max)
            return ConfigValueText::tr("%1, %2 to %3").arg(noun, numberText(*key.min, 12), numberText(*key.max, 12));
        if (key.min)
            return ConfigValueText::tr("%1 ≥ %2").arg(noun, numberText(*key.min, 12));
        if (key.max)
            return ConfigValueText::tr("%1 ≤ %2").arg(noun, numberText(*key.max, 12));
        return noun;
    };
    for (const KeyType type : key.types) {
        switch (type) {
        case KeyType::Bool: words << ConfigValueText::tr("true or false"); break;
        case KeyType::Int: words << range(ConfigValueText::tr("integer")); break;
        case KeyType::Float: words << range(ConfigValueText::tr("number")); break;
        case KeyType::String: words << (key.values.empty() ? ConfigValueText::tr("text") : ConfigValueText::tr("text, such as %1").arg(valueList(key, release))); break;
        case KeyType::Path: words << ConfigValueText::tr("path"); break;
        case KeyType::Enum: words << ConfigValueText::tr("one of %1").arg(valueList(key, release)); break;
        case KeyType::Section: words << ConfigValueText::tr("section"); break;
        case KeyType::Object: words << ConfigValueText::tr("object"); break;
        case KeyType::List: words << ConfigValueText::tr("list"); break;
        case KeyType::IntList: words << ConfigValueText::tr("list of integers"); break;
        case KeyType::FloatList: words << ConfigValueText::tr("list of numbers"); break;
        case KeyType::StringList: words << (key.values.empty() ? ConfigValueText::tr("list of texts") : ConfigValueText::tr("list of %1").arg(valueList(key, release))); break;
        case KeyType::Null: words << QStringLiteral("null"); break;
        case KeyType::Any: words << ConfigValueText::tr("any value"); break;
        }
    }
    if (key.acceptsAuto)
        words << QStringLiteral("\"auto\"");
    return words.join(ConfigValueText::tr(" or "));
}

QString unitWord(const CatalogKey& key)
{
    if (key.unit == "elements") return ConfigValueText::tr("elem.");
    if (key.unit == "samples") return ConfigValueText::tr("samples");
    if (key.unit == "steps") return ConfigValueText::tr("steps");
    if (key.unit == "bytes") return ConfigValueText::tr("bytes");
    if (key.unit == "tokens") return ConfigValueText::tr("tokens");
    if (key.unit == "ranks") return ConfigValueText::tr("ranks");
    if (key.unit == "layers") return ConfigValueText::tr("layers");
    if (key.unit == "parameters") return ConfigValueText::tr("param.");
    if (key.unit == "bits") return ConfigValueText::tr("bits");
    return QString::fromStdString(key.unit);
}

QString sizeNote(const CatalogKey& key, const QByteArray& json, int elementBytes)
{
    const auto value = plainNumber(json);
    if (!value || (key.unit != "elements" && key.unit != "bytes") || *value < 1024 || *value > 4e18)
        return {};
    const double bytes = *value * (key.unit == "elements" ? elementBytes : 1);
    const auto in = [bytes](double unit, const char* name) { return QLocale().toString(bytes / unit, 'f', 2) + QLatin1Char(' ') + QLatin1String(name); };
    return bytes >= 0.1 * static_cast<double>(kGiB) ? in(static_cast<double>(kGiB), "GiB") : bytes >= 0.1 * static_cast<double>(kMiB) ? in(static_cast<double>(kMiB), "MiB") : in(1024.0, "KiB");
}

int elementBytesOf(const JsonDocument& config)
{
    for (const char* pointer : {"/bf16/enabled", "/bfloat16/enabled", "/fp16/enabled"}) {
        const int enabled = config.find(pointer);
        if (enabled >= 0 && (config.spelling(enabled) == "true" || config.spelling(enabled) == "\"auto\""))
            return 2;
    }
    return 4;
}

QString choiceWords(const CatalogKey& key, const std::string& json)
{
    // The wizard asks for some of them, and has the words.
    for (const WizardQuestion& question : wizardQuestions())
        if (question.pointer == "/dsConfig" + key.pointer)
            for (const WizardOption& option : question.options)
                if (option.json == json)
                    return catalogText(option.title);
    return shownValue(QByteArray::fromStdString(json));
}

}  // namespace stagecraft
