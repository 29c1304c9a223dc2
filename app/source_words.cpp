// SPDX-License-Identifier: GPL-3.0-or-later
// Where the rules of ledger items are from, where that is told in words: names of files, papers and functions alone are the same in every
// language. For lupdate to find; whyText() gives them.
#include <QtGlobal>

namespace stagecraft::app {

namespace {

[[maybe_unused]] constexpr const char* kSources[] = {
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "BigScience 2022, chronicles-prequel: with every kernel loaded 1573 MiB on an A100, 1271 on a V100"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "CUDA context 0.3 to 0.6 GiB; kernels are loaded when first launched (CUDA 11.7, CUDA_MODULE_LOADING=LAZY)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "CUDA context and loaded kernels: 0.3 to 0.6 GiB"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Transformers 5.23's modelling code, eager attention, use_cache off: tensors autograd keeps"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Transformers 5.23's modelling code, fused attention (sdpa or flash_attention_2), use_cache off: tensors autograd keeps"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Transformers 5.23's modelling code, sdpa without a fused kernel (aten/src/ATen/native/transformers/attention.cpp, _scaled_dot_product_attention_math), use_cache off: tensors autograd keeps"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Transformers 5.23's modelling code, use_cache off: tensors autograd keeps; torchtitan has no model of this family"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "reserved / allocated is 1.03 to 1.10, more under ZeRO-3, which gathers and frees (c10/cuda/CUDACachingAllocator.cpp); 1.08 taken"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "reserved / allocated is 1.03 to 1.10 of runs whose segments do not grow (c10/cuda/CUDACachingAllocator.cpp: sizes rounded to 512 B, segments to 2 MiB); 1.05 taken"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "segments that grow (c10/cuda/CUDACachingAllocator.cpp, ExpandableSegment) take any size where something was freed: only rounded sizes and gaps stay, 1.05; ZeRO-3, whose gathers come and go, 1.08"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "segments of fixed size: 1.05, as of the other frameworks; growing ones (expandable_segments) leave nothing, by the calibration half's six figures"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "reserved / allocated is 1.07 to 1.32 of FlagPerf's eight runs under Megatron; their median of 1.25 taken, less where the device is full"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "PyTorch 2.11's partitioner on torchtitan's compiled block: tensors that its graph hands from forward to backward"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "c10/cuda/CUDACachingAllocator.cpp: a pool a stream, no block given back; torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py: foreach_all_gather, foreach_reduce"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "torch cross_entropy in fp32: log-softmax kept, its gradient and the loss gradient made beside it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "torch/distributed/fsdp/_fully_shard: fp32 shards, 16-bit gathered parameters, fp32 reduction"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "torch/distributed/pipelining/stage.py: forward cache, receive buffers"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "torchtitan activation checkpointing: block inputs, or attention outputs and every second matrix product"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "torchtitan models/llama3: tensors autograd keeps"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "bitsandbytes/nn/modules.py: Params4bit in a float quant_storage is a parameter that is divided as others are, its quant_state is not"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Megatron-LM core/transformer and core/tensor_parallel: tensors saved for backward"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Megatron-LM docs, distributed optimizer: 18, or 6 + 12/N bytes (fp16 20, or 4 + 16/N; fp32 16, or 8 + 8/N)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "c10/cuda/CUDACachingAllocator.cpp gives nothing back by itself; which buffers share blocks: published DeepSpeed runs of the calibration half"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "schedule/buffer_plan: the engine allocates these very buffers"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "whole pages of the operating system"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "measured: the resident memory of workers without their buffers"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "measured: workers in bf16 beside the same in fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "NCCL: channels · NCCL_BUFFSIZE (4 MiB) · peers, 0.1 to 0.5 GiB a communicator; 300 MiB taken"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "deepspeed/runtime/engine.py, _configure_distributed_model; torch.get_default_dtype is fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "fused cross entropy in Triton (foak, Unsloth, Liger): its backward kernel writes into the logits"),
};

}  // namespace

}  // namespace stagecraft::app
