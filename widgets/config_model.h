// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/fitting_ranks.h"
#include "config/json_document.h"
#include "config/key_catalog.h"
#include "config/text_fixes.h"
#include "config/text_slips.h"
#include "widgets/step_name.h"   // what the names of requests are made with

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

/// "en" or "zh": the language that texts of the data files are shown in, as the installed translation says.
[[nodiscard]] QString contentLanguage();
/// The language of a CheckContext for what the window shows (as messageText()): that language, in the window's words.
[[nodiscard]] std::string checkLanguage();
[[nodiscard]] QString catalogText(const CatalogText& text);

/// The one ds_config that all views of the Config page show.
///
/// It never changes the text by itself: every edit leaves as `editRequested`, the owner puts it on its undo stack and answers
/// with setText(). So one stack serves the whole program and an edit is one step, whichever view it came from.
class ConfigModel : public QObject {
    Q_OBJECT
public:
    explicit ConfigModel(QObject* parent = nullptr);

    /// Values above which a text is no ds_config anybody trains with: it can be typed in, and is neither checked nor shown by key,
    /// so that no file makes the window wait.
    static constexpr std::size_t kMostValues = 20'000;

    /// Takes the owner's text (UTF-8). Parses and checks it at once; both are fast enough for every keystroke.
    /// @param broken  why the text is no ds_config but a document around one that cannot be read: it can be typed in, and
    ///                nothing is checked, fixed or set in it
    void setText(const QByteArray& text, const std::optional<Error>& broken = {});
    [[nodiscard]] const QByteArray& text() const { return m_text; }
    void setContext(const CheckContext& context);
    /// What answer() is judged by: the owner's context, with ranksInDoubt() in place of ranks that nobody gave.
    [[nodiscard]] const CheckContext& context() const { return m_judged; }
    [[nodiscard]] const CheckContext& givenContext() const { return m_context; }
    /// Whether nobody has said on how many ranks the file runs.
    [[nodiscard]] bool ranksAssumed() const { return ranksAreAssumed(m_context); }
    /// What the owner's plan says of this config, for its model and hardware: among the findings of answer(), each at its place
    /// in the text of now, until the owner brings the next. `elsewhere`: how many more it has about other parts of the workspace.
    void setAdvice(const std::vector<CheckFinding>& advice, int elsewhere);
    [[nodiscard]] int findingsElsewhere() const { return m_elsewhere; }

    /// The last text that could be read; views other than the text show this one.
    [[nodiscard]] const JsonDocument& document() const { return *m_document; }
    /// Why the current text cannot be read; nothing when document() is the current text.
    [[nodiscard]] const std::optional<Error>& syntaxError() const { return m_error; }
    /// What DeepSpeed does with the text; its findings are those of the check and of the owner's plan.
    [[nodiscard]] const CheckAnswer& answer() const { return m_answer; }
    /// Whether DeepSpeed takes the file once the Hugging Face Trainer has filled in its "auto"; nothing where the file has none for it.
    [[nodiscard]] std::optional<bool> trainerTakesIt() const { return m_trainerTakesIt; }
    /// While nobody has said on how many ranks the file runs: a number of them for which DeepSpeed does not refuse what it refuses for
    /// the assumed one. Nothing where no number is known that mends it. While the text cannot be read: that of the last one that could.
    [[nodiscard]] std::optional<int> ranksThatFit() const { return m_fit ? std::optional(m_fit->ranks) : std::nullopt; }
    /// The same where nothing else refuses the file: then it is judged for these. Nothing where something else refuses it too.
    [[nodiscard]] std::optional<int> ranksInDoubt() const { return m_fit && m_fit->answer.ok ? ranksThatFit() : std::nullopt; }
    /// Whether ranksThatFit() is the way out of this finding.
    [[nodiscard]] bool isMendedByRanks(const CheckFinding& finding) const { return m_fit && (refusesRanks(finding) || finding.rule == kForRanks); }
    void requestRanks() { emit ranksRequested(m_fit->ranks); }
    /// Whether the way out of this finding is to say how many ranks there are: it is judged for a number that nobody gave, and none is
    /// known that mends it.
    [[nodiscard]] bool asksForRanks(const CheckFinding& finding) const { return !m_fit && ranksAssumed() && refusesRanks(finding); }
    /// The byte of the text that a finding about no key points at: a comma that is missing, a comment. Nothing where it is about the whole.
    [[nodiscard]] std::optional<std::size_t> pointedAt(const CheckFinding& finding) const;
    [[nodiscard]] double checkMilliseconds() const { return m_checkMs; }

    /// Requests for one undoable edit. `name` is what Undo shows. A failure is said by `messageChanged`, nothing is changed.
    void setValue(const QString& pointer, const QByteArray& json, const QString& name);
    void unset(const QString& pointer, const QString& name);
    void applyPatch(const QByteArray& patch, const QString& name);
    void replaceText(const QByteArray& text, const QString& name);
    /// What was typed joins what was typed before it; what was pasted is a step of its own.
    void requestTyping(const TextEdit& edit, bool pasted = false);
    /// What a text that is no UTF-8 may have been written in, the likeliest first: each a way for convert(). Empty otherwise.
    [[nodiscard]] const QStringList& encodings() const { return m_encodings; }
    /// The text in UTF-8, read as if written in `encoding`: one undo step, also where nothing else can be done to the text.
    void convert(const QString& encoding);
    /// What the button beside a finding says; empty when nothing can be done by one.
    [[nodiscard]] QString fixWords(const CheckFinding& finding) const;
    /// What fixWords() says: for finding `index` of answer().findings.
    void fix(int index);
    /// The change of the text that the check offers for it, where fix() does something else.
    void applyFix(int index);
    /// The same of a finding that was shown: the list may have been put into another order since.
    void applyFix(const CheckFinding& finding);
    /// Every fix that cannot change what a run does (CheckFinding::safe), as withSafeFixes() applies them; one undo step. In a text
    /// that slips keep from being read (text_slips.h), those.
    void fixAllSafe();
    [[nodiscard]] int safeFixCount() const;
    /// Findings whose fix is a choice to make: not safe.
    [[nodiscard]] int openFixCount() const;
    /// Why the text cannot be read, in the language of the window; empty when it can.
    [[nodiscard]] QString syntaxMessage() const;

    /// The key that all views point at.
    [[nodiscard]] const QString& current() const { return m_current; }
    /// @param key  catalog id, where several keys share the pointer and the text does not say which of them it is; else -1
    void setCurrent(const QString& pointer, int key = -1);
    [[nodiscard]] int currentKey() const { return m_currentKey; }
    /// Whether a fix led to it: then it is where somebody looks already.
    [[nodiscard]] bool isCurrentMended() const { return !m_mended.isEmpty() && m_current == m_mended; }

    /// Worst severity of the findings at `pointer` itself: 3 error, 2 warning, 1 note, 0 none.
    [[nodiscard]] int severityAt(const QString& pointer) const;
    /// The first finding at `pointer`, or -1.
    [[nodiscard]] int findingAt(const QString& pointer) const;

signals:
    void editRequested(const stagecraft::TextEdit& edit, const QString& name, bool typing);
    void changed();
    void currentChanged(const QString& pointer);
    /// A place to show in the text: byte offsets.
    void revealRequested(int begin, int end);
    void messageChanged(const QString& message);
    /// The file is to be judged for so many ranks: its surroundings change, not its text.
    void ranksRequested(int ranks);
    /// Model and hardware are to be chosen: the ranks follow from them.
    void surroundingsRequested();

private:
    static constexpr const char* kForRanks = "window.ranks";   ///< the rule of a config that is judged for ranks nobody gave

    void check();
    void leaveAsTooMany(int values);
    void leaveWithoutKeys();
    void addAdvice();
    void askForTrainer();
    void lookForRanks();
    /// Why the text cannot be read, with a place; null when the check does not say.
    [[nodiscard]] const CheckFinding* loadFinding() const;
    void request(const Result<TextEdit>& edit, const QString& name);
    /// What mends the text itself, where that gives one that can be read.
    [[nodiscard]] std::optional<TextFix> textFix(const CheckFinding& finding) const;
    void mendText(const CheckFinding& finding, TextFix fix);
    /// The key that a fix was about, under the name that it has by now.
    [[nodiscard]] QString mendedKey(const CheckFinding& finding) const;

    QByteArray m_text;
    CheckContext m_context, m_judged;
    CheckAnswer m_answer;
    std::vector<CheckFinding> m_found;    ///< of the check alone
    std::vector<CheckFinding> m_advice;
    int m_elsewhere = 0;
    std::unique_ptr<JsonDocument> m_document;
    std::optional<Error> m_error;
    std::optional<bool> m_trainerTakesIt;
    std::optional<FittingRanks> m_fit;
    std::optional<Error> m_broken;
    QStringList m_encodings;
    QString m_current, m_mended;
    int m_currentKey = -1;
    mutable std::map<TextFix, bool> m_mends;      ///< which fixes of the whole text give one that can be read
    double m_checkMs = 0;
};

}  // namespace stagecraft

Q_DECLARE_METATYPE(stagecraft::TextEdit)
