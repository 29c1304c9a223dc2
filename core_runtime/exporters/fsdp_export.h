// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/present_form.h"
#include "exporters/foreign_export.h"

namespace stagecraft {

/// accelerate's YAML that trains with PyTorch's FSDP2 as near to the ds_config as FSDP comes, and a note for all it does
/// otherwise or has no place for.
///
/// Stage 3 is reshard_after_forward true (FSDP1's FULL_SHARD), stage 2 false (SHARD_GRAD_OP); there is no stage 1, which becomes
/// stage 2, and stage 0 is plain data parallelism. Offload is one switch, to the CPU alone.
/// @param form   of the ds_config, accepted by DeepSpeed but for its "auto"
/// @param batch  of the same config without its "auto"
/// @param notes  what was told before, in the language of the rest
/// Source: PyTorch's ShardingStrategy, and accelerate's guide "FSDP vs DeepSpeed"
[[nodiscard]] ForeignExport exportFsdp(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, TransferNotes notes);

}  // namespace stagecraft
