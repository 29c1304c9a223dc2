// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/config_value.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// The type of one field of a pydantic class.
struct TypeFacts {
    enum class Kind { Any, Bool, Int, Float, Str, Path, Enum, Literal, List, Dict, Tuple, Model, Optional, Union, Object };
    Kind kind = Kind::Any;
    std::optional<double> ge, gt, le, lt;
    bool intEnum = false;
    std::vector<ConfigValue> values;  ///< of Enum and Literal
    std::vector<TypeFacts> of;        ///< of Optional, Union and List
    std::string model;
};

struct FieldFacts {
    std::string name;
    std::string alias;  ///< empty = none
    TypeFacts type;
    ConfigValue defaultValue;
    bool deprecated = false;
    std::string replacedBy;       ///< field name the old key sets; may be a dotted path
    bool setsReplacement = false;
};

struct ModelFacts {
    std::vector<FieldFacts> fields;
    std::set<std::string, std::less<>> validators;
    [[nodiscard]] const FieldFacts* findField(std::string_view nameOrAlias) const;
};

/// Keyword arguments of a Python class, less the first (parameters or optimizer).
struct SignatureFacts {
    std::vector<std::string> takes;
    std::vector<std::string> needs;
    bool takesMore = false;  ///< **kwargs
};

/// What one DeepSpeed release knows, taken from its own classes (tests/oracle/deepspeed_facts.py).
struct ReleaseFacts {
    std::string version;
    std::array<int, 3> number{};
    int pydantic = 2;
    std::set<std::string, std::less<>> optimizers;       ///< lower case
    std::set<std::string, std::less<>> torchOptimizers;  ///< class names
    std::set<std::string, std::less<>> torchSchedulers;
    std::set<std::string, std::less<>> torchModules;     ///< classes of torch.nn
    std::set<std::string, std::less<>> removedTop;
    std::set<std::string, std::less<>> removedZero;
    std::map<std::string, SignatureFacts, std::less<>> signatures;  ///< "FusedAdam", "torch.optim.SGD", "WarmupLR", "torch.lr_scheduler.StepLR"
    ConfigValue gradientClippingDefault;
    std::map<std::string, ConfigValue, std::less<>> defaults;  ///< pointer of a key read by hand -> what stands for it while it is missing
    std::map<std::string, std::set<std::string, std::less<>>, std::less<>> read;  ///< section pointer -> keys looked up
    std::map<std::string, std::string, std::less<>> sections;                     ///< section -> model
    std::map<std::string, ModelFacts, std::less<>> models;

    [[nodiscard]] bool atLeast(int major, int minor, int patch) const { return number >= std::array{major, minor, patch}; }
    [[nodiscard]] bool reads(std::string_view section, std::string_view key) const;
    [[nodiscard]] const ModelFacts* sectionModel(std::string_view section) const;
    /// The class of a field's value, through Optional and Union; null when it is none.
    [[nodiscard]] const ModelFacts* modelOf(const TypeFacts& type) const;
};

/// The facts for a version or series ("0.19.8", "0.18"; empty = the newest). `exact` tells whether that very release is
/// known; if not, the facts are those of the newest known one not above it, in its own series (0.18) where one is known, else of the first above.
/// @error InvalidArgument for text that is no version
[[nodiscard]] Result<const ReleaseFacts*> findRelease(std::string_view wanted, bool& exact);

}  // namespace stagecraft
