// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/workspace_document.h"

#include <QUndoCommand>

#include <algorithm>
#include <utility>
#include <vector>

namespace stagecraft::app {

/// One step: edits and what they replaced.
class WorkspaceDocument::EditCommand : public QUndoCommand {
public:
    EditCommand(WorkspaceDocument& document, Part part, TextEdit edit, std::string before, const QString& name, int mergeId)
        : QUndoCommand(name), m_document(document), m_mergeId(mergeId), m_configBefore(document.m_configRange), m_brokenBefore(document.m_broken)
    {
        add(part, std::move(edit), std::move(before));
    }

    /// The step that makes room for a ds_config where there is none: the member without its value, which stands at `value` of the text
    /// then. What is typed is put there, be it JSON or not.
    void makeRoom(TextEdit member, std::size_t value)
    {
        std::string before = m_document.m_text.substr(member.begin, member.end - member.begin);
        m_room = Room{{Part::Workspace, std::move(member), std::move(before)}, value};
    }

    /// An edit that belongs to the same step, made after those there are.
    void add(Part part, TextEdit edit, std::string before) { m_edits.push_back({part, std::move(edit), std::move(before)}); }

    /// The step after which relative paths start at `folder`, and the ds_config file is a copy of the one before.
    /// @param config  the copy; the file as before when there is none
    void moveTo(const std::filesystem::path& folder, const std::filesystem::path& config) { m_move = Move{m_document.folder(), folder, m_document.m_configPath, config}; }

    int id() const override { return m_mergeId < 0 ? -1 : m_mergeId; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = static_cast<const EditCommand&>(*other);  // same id(): pushed by us
        if (!sharesPart(next) || m_move || next.m_move || next.m_room) return false;
        for (const Step& step : next.m_edits) join(step);
        setText(next.text());   // a drag's name says where it ended
        // One that ends where it began is no step at all.
        if (!m_room && m_edits.size() == 1 && m_edits.front().edit.replacement == m_edits.front().before) setObsolete(true);
        return true;
    }
    void redo() override
    {
        if (m_move) {
            m_document.m_base = m_move->folderAfter;
            if (m_move->configAfter != m_move->configBefore) m_document.m_standIns.erase(m_move->configBefore);
        }
        if (m_room) {
            const TextEdit& edit = m_room->member.edit;
            m_document.m_text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
            m_document.m_configRange = {m_room->value, m_room->value};
        }
        for (const Step& step : m_edits) m_document.replace(step.part, step.edit);
        emit m_document.textChanged();
    }
    void undo() override
    {
        if (m_move) {
            m_document.m_base = m_move->folderBefore;
            if (m_move->configAfter != m_move->configBefore) m_document.m_standIns[m_move->configBefore] = m_move->configAfter;
        }
        for (auto step = m_edits.rbegin(); step != m_edits.rend(); ++step) {
            m_document.replace(step->part, {step->edit.begin, step->edit.begin + step->edit.replacement.size(), step->before});
        }
        if (m_room) {
            const TextEdit& edit = m_room->member.edit;
            m_document.m_text.replace(edit.begin, edit.replacement.size(), m_room->member.before);
            m_document.m_configRange = {};
        }
        // A ds_config that was broken while it was typed in: steps below this one count in its bytes.
        if (edits(Part::Workspace) && m_document.m_broken && !m_brokenBefore) {
            m_document.m_broken = false;
            m_document.m_configRange = m_configBefore;
        }
        emit m_document.textChanged();
    }

private:
    struct Step {
        Part part;
        TextEdit edit;
        std::string before;
    };
    struct Room {
        Step member;
        std::size_t value;
    };
    struct Move {
        std::filesystem::path folderBefore, folderAfter, configBefore, configAfter;
    };
    // Puts `next` behind the others, as one with the last of them where their bytes touch.
    void join(const Step& next)
    {
        Step& last = m_edits.back();
        const std::size_t begin = last.edit.begin, end = begin + last.edit.replacement.size();
        if (next.part != last.part || next.edit.begin > end || next.edit.end < begin) {
            m_edits.push_back(next);
            return;
        }
        // What the next one replaces beside the last one's bytes stood there before both.
        const std::string left = next.edit.begin < begin ? next.before.substr(0, begin - next.edit.begin) : std::string();
        const std::string right = next.edit.end > end ? next.before.substr(next.before.size() - (next.edit.end - end)) : std::string();
        const std::size_t from = std::min(begin, next.edit.begin);
        std::string replacement = left + last.edit.replacement + right;
        replacement.replace(next.edit.begin - from, next.edit.end - next.edit.begin, next.edit.replacement);
        last.before = left + last.before + right;
        last.edit = {from, from + last.before.size(), std::move(replacement)};
    }
    [[nodiscard]] bool edits(Part part) const
    {
        return std::any_of(m_edits.begin(), m_edits.end(), [part](const Step& step) { return step.part == part; });
    }
    [[nodiscard]] bool sharesPart(const EditCommand& other) const
    {
        return std::any_of(m_edits.begin(), m_edits.end(), [&other](const Step& step) { return other.edits(step.part); });
    }

    WorkspaceDocument& m_document;
    int m_mergeId;
    ByteRange m_configBefore;
    bool m_brokenBefore;
    std::vector<Step> m_edits;
    std::optional<Room> m_room;
    std::optional<Move> m_move;
};

}  // namespace stagecraft::app
