// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done by one click about a finding, and about all of them.
#include "widgets/config_model.h"

#include "config/bare_text.h"
#include "config/json_edit.h"
#include "config/safe_fixes.h"
#include "config/text_around.h"
#include "widgets/config_fix.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft {

namespace {

constexpr const char* kSeveral = "text.several";    ///< the rule of each config of a text that holds several
constexpr const char* kNotUtf8 = "text.encoding";   ///< the rule of a text whose bytes are not UTF-8
constexpr const char* kNotStrict = "R2";            ///< the rule of a text that only DeepSpeed's own reader takes
constexpr const char* kMark = "\xEF\xBB\xBF";

std::string_view viewOf(const QByteArray& text) { return {text.constData(), static_cast<std::size_t>(text.size())}; }

/// Whether more than one word or character is to be written anew.
bool severalWords(std::string_view text) { return inPlainCharacters(text).changed > 1; }

}  // namespace

std::optional<TextFix> ConfigModel::textFix(const CheckFinding& finding) const
{
    const std::optional<TextFix> fix = textFixOf(viewOf(m_text), finding);
    // Of these there may be many, and each is a text that can be read.
    if (!fix || *fix == TextFix::KeepLast || *fix == TextFix::Write || *fix == TextFix::ExtraComma || *fix == TextFix::Semicolon)
        return fix;
    auto mends = m_mends.find(*fix);
    if (mends == m_mends.end())
        mends = m_mends.emplace(*fix, mendedText(viewOf(m_text), finding, *fix).has_value()).first;
    return mends->second ? fix : std::nullopt;
}

void ConfigModel::mendText(const CheckFinding& finding, TextFix fix)
{
    const auto text = mendedText(viewOf(m_text), finding, fix);
    if (!text)
        return;
    const QString key = QString::fromStdString(finding.pointer).section(QLatin1Char('/'), -1);
    const auto name = [&] {
        switch (fix) {
        case TextFix::PlainCharacters: return stepName([] { return tr("Write plain characters"); });
        case TextFix::JsonWords:
            if (severalWords(viewOf(m_text)))
                return stepName([] { return tr("Write true, false and null"); });
            break;
        case TextFix::StrictJson: return stepName([] { return tr("Make strict JSON"); });
        case TextFix::ExtraComma: return stepName([] { return tr("Remove the comma"); });
        case TextFix::Semicolon: return stepName([] { return tr("Replace the semicolon"); });
        case TextFix::ExtraBracket: return stepName([] { return tr("Remove the bracket"); });
        case TextFix::KeepConfig: return stepName([] { return tr("Keep the config"); });
        case TextFix::AddedLines: return stepName([] { return tr("Keep the added lines"); });
        case TextFix::KeepLast: return stepName([key] { return tr("Keep the last %1").arg(key); });
        case TextFix::Placeholders: return stepName([] { return tr("Remove placeholders"); });
        case TextFix::Close: return stepName([write = QString::fromStdString(writtenInstead(viewOf(m_text), finding))] { return tr("Add %1 at the end").arg(write); });
        case TextFix::Punctuation:
        case TextFix::Write: break;
        }
        return stepName([write = QString::fromStdString(writtenInstead(viewOf(m_text), finding))] { return tr("Write %1").arg(write); });
    };
    replaceText(QByteArray::fromStdString(*text), name());
}

QString ConfigModel::fixWords(const CheckFinding& finding) const
{
    if (finding.rule == kNotStrict && m_text.startsWith(kMark))
        return tr("Remove the byte order mark");
    if (isMendedByRanks(finding))
        return tr("Plan for %1 ranks").arg(m_fit->ranks);
    if (asksForRanks(finding))
        return tr("Model and hardware…");
    if (finding.rule == kSeveral)
        return tr("Keep this config");
    if (finding.rule == kNotUtf8 && !m_encodings.isEmpty())
        return tr("Convert from %1").arg(m_encodings.front());
    if (const auto fix = textFix(finding))
        switch (*fix) {
        case TextFix::PlainCharacters: return tr("Write plain characters");
        case TextFix::JsonWords: return severalWords(viewOf(m_text)) ? tr("Write true, false and null") : tr("Write %1").arg(QString::fromStdString(writtenInstead(viewOf(m_text), finding)));
        case TextFix::StrictJson: return tr("Make strict JSON");
        case TextFix::ExtraComma: return tr("Remove the comma");
        case TextFix::Semicolon: return tr("Replace the semicolon");
        case TextFix::ExtraBracket: return tr("Remove the bracket");
        case TextFix::KeepConfig: return tr("Keep the config");
        case TextFix::AddedLines: return tr("Keep the added lines");
        case TextFix::KeepLast: return tr("Keep the last");
        case TextFix::Placeholders: return tr("Remove placeholders");
        case TextFix::Close: return tr("Add %1 at the end").arg(QString::fromStdString(writtenInstead(viewOf(m_text), finding)));
        case TextFix::Punctuation:
        case TextFix::Write: return tr("Write %1").arg(QString::fromStdString(writtenInstead(viewOf(m_text), finding)));
        }
    return fixLabel(finding);
}

void ConfigModel::fix(int index)
{
    if (index < 0 || index >= static_cast<int>(m_answer.findings.size()))
        return;
    const CheckFinding& finding = m_answer.findings[static_cast<std::size_t>(index)];
    if (finding.rule == kNotUtf8 && !m_encodings.isEmpty())
        return convert(QString(m_encodings.front()));
    if (finding.rule == kSeveral) {
        const auto around = textAround(viewOf(m_text));
        const auto which = std::count_if(m_answer.findings.begin(), m_answer.findings.begin() + index, [](const CheckFinding& each) { return each.rule == kSeveral; });
        if (!around || static_cast<std::size_t>(which) >= around->configs.size())
            return;
        const ByteRange& config = around->configs[static_cast<std::size_t>(which)];
        return replaceText(m_text.mid(static_cast<qsizetype>(config.begin), static_cast<qsizetype>(config.size())) + '\n', stepName([] { return tr("Keep this config"); }));
    }
    if (finding.rule == kNotStrict && m_text.startsWith(kMark))
        return replaceText(m_text.mid(qstrlen(kMark)), stepName([] { return tr("Remove the byte order mark"); }));
    if (isMendedByRanks(finding))
        return requestRanks();
    if (asksForRanks(finding)) {
        emit surroundingsRequested();
        return;
    }
    if (const auto fix = textFix(finding))
        return mendText(CheckFinding(finding), *fix);
    applyFix(index);
}

void ConfigModel::applyFix(int index)
{
    if (index >= 0 && index < static_cast<int>(m_answer.findings.size()))
        applyFix(CheckFinding(m_answer.findings[static_cast<std::size_t>(index)]));
}

void ConfigModel::applyFix(const CheckFinding& finding)
{
    if (finding.fix.empty())
        return;
    const QString key = QString::fromStdString(finding.pointer).section(QLatin1Char('/'), -1);
    m_mended = QString::fromStdString(finding.pointer);
    applyPatch(QByteArray::fromStdString(finding.fix), stepName([key, finding] { return key.isEmpty() ? fixLabel(finding) : tr("Fix %1").arg(key); }));
    m_mended = mendedKey(finding);
    if (!m_mended.isEmpty())
        setCurrent(QString(m_mended));
}

QString ConfigModel::mendedKey(const CheckFinding& finding) const
{
    QString key = QString::fromStdString(finding.pointer);
    if (m_error || m_document->find(finding.pointer) >= 0)
        return key;
    const nlohmann::json steps = nlohmann::json::parse(finding.fix, nullptr, false);
    for (const nlohmann::json& step : steps.is_array() ? steps : nlohmann::json::array())
        if (const std::string path = step.value("path", ""); !path.empty() && step.value("op", "") != "remove" && m_document->find(path) >= 0)
            key = QString::fromStdString(path);
    return key;
}

int ConfigModel::safeFixCount() const
{
    // Most texts have nothing of the kind, and are not looked through at each key.
    const bool told = std::any_of(m_answer.findings.begin(), m_answer.findings.end(), [](const CheckFinding& finding) { return finding.level == CheckLevel::Load || finding.rule.starts_with("text."); });
    const auto readable = told ? moreReadable(m_text.toStdString(), m_answer, m_judged) : std::nullopt;
    const int ofText = readable ? static_cast<int>(readable->mended.size()) : 0;
    return ofText + (m_error ? 0 : static_cast<int>(std::count_if(m_answer.findings.begin(), m_answer.findings.end(), isSafeFix)));
}

int ConfigModel::openFixCount() const
{
    return static_cast<int>(std::count_if(m_answer.findings.begin(), m_answer.findings.end(), [](const CheckFinding& finding) { return !finding.fix.empty() && !isSafeFix(finding); }));
}

void ConfigModel::fixAllSafe()
{
    const QString name = stepName([] { return tr("Fix all safe"); });
    if (m_error) {  // the keys of a text that cannot be read are nobody's to change yet
        CheckAnswer answer = m_answer;
        const MendedConfig readable = madeReadable(m_text.toStdString(), answer, m_judged);
        if (!readable.mended.empty())
            replaceText(QByteArray::fromStdString(readable.text), name);
        return;
    }
    if (const auto mended = withEverySafeFix(m_document->text(), m_judged); mended.hasValue())
        request(editBetween(m_document->text(), mended->text), name);
}

}  // namespace stagecraft
