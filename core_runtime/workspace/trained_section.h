// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stagecraft {

/// "model.adapter": low-rank adapters beside frozen weights, for planning. A module's name is matched as PEFT does it in a list: it is
/// the module's dotted name, or the end of it behind a dot.
struct AdapterSection {
    enum class Base { SixteenBit, Nf4, Int8 };
    enum class Bias { None, All, Adapted };
    std::int64_t rank = 16;
    bool attention = true, mlp = true;       ///< which linear layers have adapters; without meaning where `usual` or `modules` is set
    bool usual = false;                      ///< "default": those that PEFT takes for the model's type where it is told none
    std::vector<std::string> modules;        ///< names of those that have adapters; empty = by the words above
    std::vector<std::string> modulesToSave;  ///< names of modules of which a copy is trained as a whole; as in PEFT any end of a dotted name
    std::map<std::string, std::int64_t> ranks;  ///< "rankPattern": ranks of modules that have another than `rank`
    Bias bias = Bias::None;                  ///< biases that are trained: none, all, or those of adapted modules
    double dropout = 0;                      ///< PEFT's lora_dropout: each adapted module drops of its own input
    bool dora = false;                       ///< one more vector beside each adapter, as long as the module's output
    Base base = Base::SixteenBit;            ///< how the frozen linear layers are kept
    bool doubleQuantization = false;         ///< NF4: its block constants are quantised too (bnb_4bit_use_double_quant, off by default)
};

/// "model.freeze": what of the model is not trained where there are no adapters; all else is.
struct FreezeSection {
    bool embeddings = false;                 ///< token and position tables; a tied output matrix with them
    std::int64_t firstLayers = 0;            ///< whole layers, counted from the first
    std::vector<std::string> modules;        ///< names of modules or parameters, matched as targets of adapters are; with all that is in them
};

}  // namespace stagecraft
