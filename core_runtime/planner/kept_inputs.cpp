// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/kept_inputs.h"

#include "planner/module_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <string_view>
#include <utility>

namespace stagecraft {

namespace {

bool isOne(std::string_view name, std::initializer_list<std::string_view> names) { return std::find(names.begin(), names.end(), name) != names.end(); }

// Rows that stand in different layers, whose parts are summed: a plain MLP's beside experts, a decoder's behind an encoder and its
// second attention.
std::size_t groupOf(const ParameterRow& row)
{
    if (row.name.find(".EncDecAttention.") != std::string::npos) return 3;
    if (row.name.find("decoder.block.{}.") != std::string::npos) return 2;
    return row.kind == ParameterKind::Mlp ? 1 : 0;
}

bool isNormField(double KeptForWeights::* field) { return field == &KeptForWeights::norms || field == &KeptForWeights::headNorms || field == &KeptForWeights::latentNorms; }

}  // namespace

std::optional<double KeptForWeights::*> KeptInputs::fieldOf(const ParameterRow& row) const
{
    using K = ParameterKind;
    if (row.name.find("{}") == std::string::npos) return std::nullopt;
    const std::string_view whole = row.name;
    if (row.kind == K::Expert) return whole.ends_with("down_proj") ? &KeptForWeights::expertProduct : &KeptForWeights::experts;
    if (!whole.ends_with(".weight")) return std::nullopt;
    const std::string_view name = lastPart(whole.substr(0, whole.rfind('.')));
    if (row.kind == K::Norm) return isOne(name, {"q_norm", "k_norm", "q_layernorm", "k_layernorm"}) ? &KeptForWeights::headNorms : isOne(name, {"q_a_layernorm", "kv_a_layernorm"}) ? &KeptForWeights::latentNorms : &KeptForWeights::norms;
    if (row.kind == K::Router) return m_code.floatRouter ? &KeptForWeights::router : &KeptForWeights::mlp;
    if (row.kind == K::Attention) {
        // Keys and values of the second attention are made of one tensor for all layers.
        if (whole.find(".EncDecAttention.") != std::string_view::npos && isOne(name, {"k", "v"})) return std::nullopt;
        if (isOne(name, {"o_proj", "out_proj", "dense", "c_proj", "o"})) return &KeptForWeights::output;
        return name == "q_b_proj" ? &KeptForWeights::queryLatent : name == "kv_b_proj" ? &KeptForWeights::keyLatent : &KeptForWeights::attention;
    }
    if (row.kind != K::Mlp && row.kind != K::SharedExpert) return std::nullopt;
    if (!isOne(name, {"down_proj", "fc2", "fc_out", "dense_4h_to_h", "c_proj", "w2", "wo"}) && !whole.ends_with(".output.dense.weight")) return &KeptForWeights::mlp;
    return row.kind == K::SharedExpert ? &KeptForWeights::sharedProduct : &KeptForWeights::product;
}

void KeptInputs::has(const ParameterRow& row, std::int64_t first)
{
    if (const auto field = fieldOf(row)) m_reads.push_back({*field, first, row.copies, 0.0, isNormField(*field), groupOf(row)});
}

void KeptInputs::keeps(const ParameterRow& row, std::int64_t layers)
{
    if (const auto field = fieldOf(row)) m_reads.push_back({*field, 0, 0, static_cast<double>(layers), isNormField(*field), groupOf(row)});
}

KeptForWeights KeptInputs::parts(std::int64_t silent) const
{
    KeptForWeights parts;
    const auto sumOf = [](const std::array<double, 4>& groups) { return std::accumulate(groups.begin(), groups.end(), 0.0); };
    for (const Field field : {&KeptForWeights::attention, &KeptForWeights::queryLatent, &KeptForWeights::keyLatent, &KeptForWeights::output, &KeptForWeights::mlp, &KeptForWeights::router, &KeptForWeights::product, &KeptForWeights::sharedProduct, &KeptForWeights::experts, &KeptForWeights::expertProduct, &KeptForWeights::norms, &KeptForWeights::headNorms, &KeptForWeights::latentNorms}) {
        std::array<double, 4> all{}, kept{};
        for (const Read& read : m_reads) {
            if (read.field != field) continue;
            const auto above = static_cast<double>(std::max<std::int64_t>(0, std::min(m_layers, read.first + read.count) - std::max(read.first, silent)));
            double &ofAll = all[read.group], &ofKept = kept[read.group];
            ofAll = read.sums ? ofAll + above : std::max(ofAll, above);
            ofKept = read.sums ? ofKept + read.kept : std::max(ofKept, read.kept);
        }
        parts.*field = sumOf(all) > 0 ? std::min(1.0, sumOf(kept) / sumOf(all)) : 0.0;
    }
    for (const auto& [field, reads] : {std::pair{Field{&KeptForWeights::attention}, Field{&KeptForWeights::attentionReads}}, {Field{&KeptForWeights::mlp}, Field{&KeptForWeights::mlpReads}}}) {
        double all = 0, kept = 0;
        for (const Read& read : m_reads) {
            if (read.field != field) continue;
            all += static_cast<double>(std::max<std::int64_t>(0, std::min(m_layers, read.first + read.count) - std::max(read.first, silent)));
            kept += read.kept;
        }
        parts.*reads = all > 0 ? std::min(1.0, kept / all) : 0.0;
    }
    return parts;
}

}  // namespace stagecraft
