// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/transfer_note.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace stagecraft {

namespace {
constexpr std::size_t kMostNotes = 500;
}

const char* transferKindName(TransferKind kind)
{
    switch (kind) {
    case TransferKind::Taken: return "taken";
    case TransferKind::Changed: return "changed";
    case TransferKind::Dropped: return "dropped";
    case TransferKind::Warning: return "warning";
    }
    return "";
}

const char* transferKindWord(TransferKind kind, std::string_view language)
{
    if (!language.starts_with("zh")) return transferKindName(kind);
    switch (kind) {
    case TransferKind::Taken: return "采用";
    case TransferKind::Changed: return "改变";
    case TransferKind::Dropped: return "丢弃";
    case TransferKind::Warning: return "警告";
    }
    return "";
}

std::string TransferNotes::say(std::string_view english, std::string_view chinese, std::initializer_list<std::string> arguments) const
{
    const std::string_view words = m_chinese ? chinese : english;
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool placeholder = words[i] == '{' && i + 2 < words.size() && words[i + 2] == '}' && std::isdigit(static_cast<unsigned char>(words[i + 1])) != 0;
        const auto index = placeholder ? static_cast<std::size_t>(words[i + 1] - '0') : arguments.size();
        if (index < arguments.size()) {
            out += *(arguments.begin() + index);
            i += 2;
        } else {
            out += words[i];
        }
    }
    return out;
}

void TransferNotes::add(TransferNote note)
{
    constexpr std::size_t kMostShown = 200;  // of a value: the notes are for reading
    if (note.value.size() > kMostShown) {
        std::size_t end = kMostShown;
        while (end > 0 && (static_cast<unsigned char>(note.value[end]) & 0xC0U) == 0x80U) --end;
        note.value = note.value.substr(0, end) + "...";
    }
    if (m_notes.size() >= kMostNotes) {
        ++m_left;
        const auto light = std::find_if(m_notes.rbegin(), m_notes.rend(), [](const TransferNote& each) { return each.kind == TransferKind::Taken; });
        if (note.kind == TransferKind::Taken || light == m_notes.rend()) return;
        m_notes.erase(std::next(light).base());
    }
    m_notes.push_back(std::move(note));
}

void TransferNotes::replaced(std::string_view target, const std::string& by) { dropped(target, say("Replaced by {0}.", "由 {0} 取代。", {by})); }

void TransferNotes::dropped(std::string_view target, const std::string& reason)
{
    for (TransferNote& note : m_notes) {
        const bool there = note.target == target || (note.target.starts_with(target) && note.target[target.size()] == '/');
        if (!there || (note.kind != TransferKind::Taken && note.kind != TransferKind::Changed)) continue;
        note.kind = TransferKind::Dropped;
        note.target.clear();
        note.reason = reason;
    }
}

bool TransferNotes::warned(std::string_view target, const std::string& goesTo, const std::string& reason)
{
    bool found = false;
    for (TransferNote& note : m_notes) {
        if (note.target != target || note.kind == TransferKind::Dropped) continue;
        note.kind = TransferKind::Warning;
        note.target = goesTo;
        note.reason = reason;
        found = true;
    }
    return found;
}

std::vector<TransferNote> TransferNotes::take()
{
    std::stable_sort(m_notes.begin(), m_notes.end(), [](const TransferNote& a, const TransferNote& b) { return a.kind > b.kind; });
    if (m_left > 0) {
        m_notes.push_back({TransferKind::Warning, "", 0, "", "", say("{0} more notes are not listed.", "另有 {0} 条说明未列出。", {std::to_string(m_left)})});
        m_left = 0;
    }
    return std::exchange(m_notes, {});
}

}  // namespace stagecraft
