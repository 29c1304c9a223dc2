// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"
#include "importers/foreign_config.h"
#include "importers/trainer_arguments.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace stagecraft {

struct WrappedConfig;

/// What the readers of the single formats fill, and what is made of it at the end.
class ImportDraft {
public:
    ImportDraft(const ForeignFile& file, const ImportOptions& options, ForeignFormat format);

    const ForeignFile& file;
    const ImportOptions& options;
    TransferNotes notes;
    ImportedConfig result;
    bool trainer = false;          ///< the Hugging Face Trainer runs the training
    bool accelerate = false;       ///< accelerate's plugin reads the ds_config
    bool certainBatch = false;     ///< accelerate runs, and gets the batch of `arguments` whatever a script says
    bool hasDsConfig = false;
    std::string unknownConfig;     ///< why the ds_config that is named cannot be found; said when there is no other
    int unknownConfigLine = 0;
    bool pyYamlText = false;       ///< the arguments come from YAML that Python passes on unconverted
    int ranks = 0;                 ///< as the file says; 0 = it does not
    int nodes = 0;
    std::string modelName;         ///< a folder, or a name of the hub
    std::string noteFile;          ///< the file that is being read when it is one that `file` names. A negative line then stands in `file` itself
    std::map<std::string, ConfigValue> launchValues;  ///< by pointer: what options of `accelerate launch` put in the place of "auto", with their names as keys of the notes
    ConfigValue launchPrecision;   ///< --mixed_precision beside a ds_config file; null = not given
    ArgumentValues& arguments;
    std::set<std::string> knownLater;  ///< arguments that are given, with values that only the running script knows
    std::set<std::string> openOptions;  ///< options of `accelerate launch` among them
    std::map<std::string, std::string> openPointers;  ///< what stays "auto" for one of them

    void note(TransferKind kind, const std::string& key, int line, const ConfigValue& value, const std::string& target, std::string reason);
    void taken(const std::string& key, int line, const ConfigValue& value, const std::string& target);
    void dropped(const std::string& key, int line, const ConfigValue& value, std::string reason);
    /// A warning about an argument, in the place of the note that it was taken, where it was given.
    void warnOf(const std::string& argument, const ConfigValue& value, const std::string& target, const std::string& reason);
    [[nodiscard]] std::string say(std::string_view english, std::string_view chinese, std::initializer_list<std::string> words = {}) const { return notes.say(english, chinese, words); }
    /// What a named file says and the command says otherwise.
    void replaced(const std::string& key, int line, const ConfigValue& value, const std::string& by);
    void setWorkspace(const std::string& pointer, const ConfigValue& value);
    /// An argument's value is known only to the running script: what was said of it before is gone. @param by  what says it now
    void leaveOpen(const std::string& name, const std::string& by);

    /// One argument of a training file: true when it was one that decides sharding, steps, the model or the ranks.
    [[nodiscard]] Result<bool> takeArgument(const std::string& name, const std::string& shownKey, int line, const ConfigValue& value);
    /// A `deepspeed:` entry: a path, or the config itself.
    [[nodiscard]] Result<void> takeDeepSpeed(const std::string& key, int line, const ConfigValue& value);
    /// The text of a ds_config, whoever reads it. @error as DeepSpeed refuses it
    [[nodiscard]] Result<void> takeDsConfigText(const std::string& name, std::string text);
    /// A ds_config built here.
    void takeDsConfig(const ConfigValue& config);

    /// An Error about the file, in the language of the notes: "Cannot import "NAME": line 3: WHAT; DO". {0}, {1}, ... stand for `words`.
    [[nodiscard]] Error refuse(ErrorCode code, int line, std::string_view english, std::string_view chinese, std::initializer_list<std::string> words = {}) const;
    /// Why a file that is named cannot be read, and what is wrong with a YAML text, for such an Error.
    [[nodiscard]] std::string whyUnreadable(const Error& error) const;
    [[nodiscard]] std::string whatIsWrong(const Error& yaml) const;

    /// Fills "auto", works out ranks and steps. @error InvalidInput, Refused
    [[nodiscard]] Result<ImportedConfig> finish();

private:
    /// Gives the arguments that nobody gave the values that the ds_config fixes: the Trainer refuses others.
    void assumeAsInTheFile();
    void giveRanks();
    [[nodiscard]] int keepTheWorkspacesRanks();
    [[nodiscard]] std::int64_t splitOfTheRanks();
    void replaceTheWorkspacesLayout(std::int64_t dp);
    void giveModel();
    void giveSteps();
    /// Who starts the training, and the arguments from which it fills what still says "auto".
    void keepTheLauncher();
    void keepArguments(const std::function<void(const std::string&, const ConfigValue&)>& keep) const;
    [[nodiscard]] std::optional<Error> fillByLaunch();
    void leaveToTheScript();
    [[nodiscard]] std::string notGiven(const std::string& argument) const;
    [[nodiscard]] std::string openBehind(const std::string& pointer) const;
    [[nodiscard]] bool tellOpen(const std::string& pointer);
    [[nodiscard]] std::string productOfTheFile() const;
    void fillByTrainer();
    void fillByAccelerate();
    void addWhatTheTrainerMakes();
    /// Says of a ds_config that is taken as it is how many errors it has, and the first.
    void tellErrors();
    /// Takes the ds_config that stands inside `text`, which is `root`.
    void takeWrapped(const std::string& text, const ConfigValue& root, const WrappedConfig& wrapped);
    /// Says of arguments that the ds_config overrules, or has no place for, that they are not used.
    void tellOverruled();
    [[nodiscard]] bool replace(const std::string& pointer, const std::string& json);

    ConfigValue m_config;  ///< the ds_config of the source
    std::string m_keptName;   ///< of a model that is not here, for those who export the workspace
};

/// Notes and refusals made while this lives are about a file that the imported one names.
class NamedFile {
public:
    NamedFile(ImportDraft& draft, const std::string& name) : m_draft(draft), m_before(draft.noteFile) { draft.noteFile = name; }
    ~NamedFile() { m_draft.noteFile = m_before; }
    NamedFile(const NamedFile&) = delete;
    NamedFile& operator=(const NamedFile&) = delete;

private:
    ImportDraft& m_draft;
    std::string m_before;
};

}  // namespace stagecraft
