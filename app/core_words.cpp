// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core_words.h"

#include "app/core_errors.h"
#include "app/phrase_words.h"

#include <QCoreApplication>

#include <unordered_map>
#include <unordered_set>

namespace stagecraft::app {

namespace {

struct CoreWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::CoreWords)
};

// Messages by their id. The core writes the same sentences in English, but for those that isSaidForTheWindow(); a test compares them.
const char* sentenceOf(const std::string& id)
{
    static const std::unordered_map<std::string, const char*> kSentences{
        {"advise.as_deepspeed", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The tree is walked as DeepSpeed shards, not as %1 does")},
        {"advise.autotp", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Layouts with tensor parallelism are left out: DeepSpeed 0.19.8 refuses the plan that Transformers 5.23 has for dividing \"%1\"; with a tensor_parallel.partition_config in the ds_config they are ranked")},
        {"advise.autotp.model", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Layouts with tensor parallelism are left out: DeepSpeed 0.19.8 refuses to divide Transformers' \"%1\"")},
        {"advise.precision", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No precision is set: the tree is walked for mixed precision")},
        {"advise.precision.layouts", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No precision is set: the tree is walked as %1 trains then, layouts are ranked for mixed precision")},
        {"advise.nothing_fits.branch", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No branch of the tree fits %1 data-parallel ranks with %2 each, as %3 shards; use another layout, a smaller micro-batch or more devices")},
        {"advise.may_fit.branch", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No branch of the tree surely fits; %1 may, with a probability of %2")},
        {"advise.model_stays", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Only Megatron-LM's command line can describe this model: there is no tree of it as DeepSpeed shards; give it under model for one")},
        {"advise.nothing_fits", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No stage and no offload fits %1 data-parallel ranks with %2 each, as %3 shards; use more devices, a smaller micro-batch or recomputation")},
        {"advise.layouts_fit", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Other layouts fit: the first of them has dp %1, tp %2, pp %3, cp %4 and ep %5")},
        {"plan.arguments_unused", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "These arguments do not matter to the plan: %1")},
        {"plan.argument.whole", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2; it must be a whole number from 1 to %3")},
        {"plan.argument.choice", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2; it must be one of %3")},
        {"plan.argument.fraction", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2; it must be a number from 0 to 1")},
        {"plan.argument.word", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2; it must be a word in quotes")},
        {"plan.argument.topk", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, and there are %3 experts; use no more than these")},
        {"plan.argument.both", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" and \"bf16\" are both true, which Megatron refuses; use one of them")},
        {"plan.arguments_ours", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Stagecraft's own engine takes no arguments: these have no effect: %1")},
        {"plan.disk_measured", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "What is swapped to files is forecast at %1 GB/s read and %2 GB/s written, as measured in %3; DeepSpeed's own asynchronous requests may be faster")},
        {"plan.argument.number", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2; it must be a number from 0")},
        {"plan.argument.sizes", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is missing: the workspace's model has no sizes, so that Megatron's arguments must give num-layers, hidden-size and num-attention-heads")},
        {"plan.argument.part", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" changes the workspace's model, whose layers Megatron's arguments cannot describe; leave it out and change \"model\", or give num-layers, hidden-size, num-attention-heads and what else the model has")},
        {"plan.argument.large", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" and the other sizes make a model beyond any machine")},
        {"plan.argument.ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" x pipeline x context = %2 does not divide the %3 ranks")},
        {"plan.argument.batch", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, no multiple of micro batch %3 x %4 data-parallel ranks")},
        {"plan.argument.local_batch", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, no multiple of local batch %3 x %4 ranks")},
        {"plan.argument.loss", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; use eager, fused or fused_linear, or under FSDP2 compiled")},
        {"plan.argument.fused_kernels", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" has \"%2\"; use norm, rotation and gate, or none")},
        {"plan.argument.dtype", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; use float32 or bfloat16")},
        {"plan.argument.type", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; use bfloat16, float16 or float32")},
        {"plan.argument.replicate", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, no divisor of the %3 data-parallel ranks")},
        {"plan.autotp_size", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed divides each layer over %1 ranks, and the plan over layout.tp %2: set layout.tp to %3 and layout.dp to %4")},
        {"plan.config_divides", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed divides the ranks as the ds_config says (%1): the plan is of layout.dp %2, tp %3, cp %4 and ep %5")},
        {"plan.sequence_size", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed is to divide each sequence over %1 ranks, and the plan over layout.cp %2: make them the same, by a divisor of the ranks")},
        {"plan.model_replaced", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "num-layers, hidden-size and num-attention-heads describe a model of their own: \"model\" is not planned, and what they leave out is Megatron's default")},
        {"plan.argument.groups", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, which does not divide the %3 heads; use a divisor")},
        {"plan.recompute_method", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Megatron refuses recompute-granularity full without recompute-method: add \"recompute-method\": \"uniform\", as it is planned")},
        {"plan.argument.modules", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" has \"%2\"; use core_attn, moe_act, layernorm, mla_up_proj, mlp, moe and shared_experts")},
        {"plan.autotp_unsaid", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The ds_config does not divide layers over %1 ranks as the plan does: set tensor_parallel.autotp_size to %2, unless the script calls deepspeed.tp_model_init")},
        {"plan.autotp_size.ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed is to divide each layer over %1 ranks, and %2 ranks have no such groups; the plan is of layout.tp %3: use a divisor")},
        {"plan.no_fp8", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 has no 8-bit products, and the job stops when it starts: train in bf16 or fp16, or use a device that has them (Ada, Hopper, Blackwell, MI300)")},
        {"plan.autotp_heads.idle", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 key-value heads for %2 tensor-parallel ranks: DeepSpeed divides attention by them, so that it is on %3 ranks alone and the others have none of it; use layout.tp %4 or less")},
        {"plan.autotp_heads", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 key-value heads cannot be divided over %2 tensor-parallel ranks: DeepSpeed gives %3 of them to the first, which the plan is of; use a divisor")},
        {"plan.argument.mesh", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2: fsdp %3 x tp %4 x pp %5 x cp %6 makes %7 ranks, which does not divide the %8 devices; use sizes whose product does")},
        {"plan.argument.ac", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; use none, full, selective op or selective layer")},
        {"plan.batch_assumed", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The ds_config sets neither a train batch nor a micro batch; the plan uses a micro batch of 1")},
        {"plan.batch_triangle", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The batch does not add up: %1 is not micro batch %2 x accumulation %3 x %4 ranks; correct one of them")},
        {"plan.ds_config.range", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, outside %3 to %4; the plan uses %5, DeepSpeed may refuse the file")},
        {"plan.ds_config.flag", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not true or false; the plan uses %3, DeepSpeed may refuse the file")},
        {"plan.ds_config.device", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; the plan uses %3, DeepSpeed may refuse the file")},
        {"plan.engine_model", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Our engine trains GPT-2 and LLaMA families only; plan this model with framework deepspeed, fsdp2 or megatron")},
        {"plan.engine_layout", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Our engine has data parallelism only, not tp %1, pp %2, cp %3; set them to 1 or choose another framework")},
        {"plan.engine_recompute", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "layout.recompute is \"%1\", which this engine cannot do; use \"none\" or \"full\".")},
        {"plan.engine_fp16", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Our engine trains in fp32 and bf16, not in fp16; use bf16, or plan with framework deepspeed")},
        {"plan.engine_offload", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Our engine does not offload yet; remove the offload sections, or plan with framework deepspeed")},
        {"plan.size.micro", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A micro batch of %1 samples needs more than 2^60 bytes; use a smaller one")},
        {"plan.size.least", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 is %2; use 1 or more")},
        {"plan.size.ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The layout has more than a billion ranks; use smaller sizes")},
        {"plan.targets", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The decoder's targets are planned as long as the inputs, %1 tokens: shorter ones take less memory and time")},
        {"plan.states_only", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The ledger has model states alone: activations and step time are planned for decoders that predict words, and with DeepSpeed for classifiers on them and for BERT, RoBERTa and T5 where all sizes are known. Whether it fits cannot be told from them unless they exceed the device")},
        {"plan.memory_unknown", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The memory of this host is not known to the plan: whether it fits is not judged")},
        {"plan.memory", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The peak needs %1 of %2 on the fullest rank")},
        {"plan.device_unknown", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The device \"%1\" has no data sheet; choose another under Model and hardware, or add a sheet (Tools, Device sheets)")},
        {"plan.device_sheets.file", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "None of your data sheets is used: \"%1\" must be a JSON list of objects of at most 1 MiB; correct it")},
        {"plan.device_sheets.field", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Your data sheet of \"%1\" is not used: it has no usable \"%2\"; correct it in \"%3\"")},
        {"plan.device_sheets.range", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Your data sheet of \"%1\" is not used: \"%2\" must be a number from %3 to %4; correct it in \"%5\"")},
        {"plan.device_sheets.whole", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Your data sheet of \"%1\" is not used: \"%2\" must be a whole number from %3 to %4; correct it in \"%5\"")},
        {"plan.device_sheets.twice", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" has two data sheets of \"%2\": the last one counts; remove the other")},
        {"plan.device_sheets.unknown", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Your data sheet of \"%1\" has \"%2\", which no data sheet has: it has no effect; correct or remove it in \"%3\"")},
        {"plan.device_sheets.replaced", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "This plan is made with the built-in data sheet of \"%1\", not with yours")},
        {"plan.adapter.framework", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Adapters are planned as DeepSpeed and FSDP2 train them; choose one of the two under \"Behaviour of\" on the Plan page, or remove model.adapter")},
        {"plan.adapter.packed", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "How FSDP2 divides weights that bitsandbytes packs is not planned: plan a quantised base with DeepSpeed's stage 3 (\"Behaviour of\" on the Plan page), and with \"torch_autocast\" in place of \"bf16\" where PEFT has turned norms and embedding to fp32; or use base 16bit")},
        {"plan.adapter.megatron", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Megatron-LM has no low-rank adapters: no option of its pretrain_gpt.py adds them; choose DeepSpeed or FSDP2 under \"Behaviour of\" on the Plan page, or remove model.adapter")},
        {"plan.freeze.megatron", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Megatron-LM has no option that freezes parts of a language model; choose DeepSpeed or FSDP2 under \"Behaviour of\" on the Plan page, or remove model.freeze")},
        {"plan.freeze.framework", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Frozen parts are planned as DeepSpeed and FSDP2 train them; choose one of the two under \"Behaviour of\" on the Plan page, or remove model.freeze")},
        {"plan.freeze.sizes", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Frozen parts need a model whose modules are known by name; give its sizes, a preset or a config.json of a known family")},
        {"plan.freeze.layers", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "model.freeze.firstLayers is %1, and the model has %2 layers; use fewer")},
        {"plan.freeze.names", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Nothing in this model is called %1; it has %2")},
        {"plan.freeze.all", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Everything is frozen: nothing is left to train; freeze less, or plan adapters with model.adapter")},
        {"plan.layout.encoder", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Encoders and encoder-decoders are planned as DeepSpeed trains Transformers' models, with data parallelism alone; use framework deepspeed, and layout.tp, pp and cp 1")},
        {"plan.layout.frozen_stage", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Pipeline stage %1 of %2 has nothing to train: its optimizer gets an empty list of parameters and refuses it; freeze fewer layers, or use a smaller pipeline")},
        {"plan.adapter.usual", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "PEFT has no modules of its own for models of the type \"%1\"; name them, or use \"all-linear\"")},
        {"plan.adapter.unfit", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No adapter can stand beside %1: PEFT adapts linear layers and embeddings alone; this model has %2")},
        {"plan.adapter.names", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No linear layer or embedding of this model is called %1; it has %2")},
        {"plan.adapter.saved", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No module of this model is called %1: no copy of it is trained")},
        {"plan.adapter.ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No adapted module is called %1: its rank has no effect")},
        {"plan.adapter.two_ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Two names of rankPattern stand for the same module, and which of them holds is a matter of their order; name each module once")},
        {"plan.arguments_unknown", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The plan does not know these arguments, and is made as if they were not written: %1; memory and time may be others")},
        {"plan.argument.frequency", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2; use a whole number, or a list of 0 and 1 for the %3 layers, such as \"([0]*3+[1]*5)\"")},
        {"plan.argument.split", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" makes %2 layers, which %3 pipeline stages cannot share evenly; use a divisor")},
        {"plan.argument.fsdp_version", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2; use 1 for FullyShardedDataParallel, or 2 for fully_shard")},
        {"plan.argument.reshard", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; use default, always or never")},
        {"plan.adapter.targets", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "This model has no such linear layers for adapters: its experts are packed into one tensor; use \"all-linear\" or \"attention\"")},
        {"plan.adapter.experts", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "PEFT 0.21 adapts packed experts and routers too where their projections are named or \"all-linear\" is said: %1 of the trained parameters are theirs, and it makes their weights anew in each forward pass and keeps them whole for the backward pass; PEFT 0.18 and older adapt none of them")},
        {"plan.adapter.experts_none", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The routed experts have no adapters: Transformers packs them into one tensor, and PEFT 0.21 converts no names of experts in models of the type \"%1\"")},
        {"plan.adapter.kbit", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A quantised base without ZeRO is mostly trained without DeepSpeed: then PEFT keeps embedding, norms, output and adapters in fp32, and autocast copies what they make. How much that adds nobody has measured for this plan, so its interval is wide; with \"torch_autocast\" in place of \"bf16\" or \"fp16\" such a job is planned")},
        {"plan.adapter.experts_plain", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A quantised base leaves the routed experts in 16 bits: Transformers has packed them into one tensor since its release 5, which is no linear layer. Where yours is older say its month in framework.arguments, as in \"release\": \"2025-06\"")},
        {"plan.adapter.pair", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "PEFT adapts %1 only together with %2, as the experts have them packed into one tensor; name both")},
        {"plan.adapter.packed_experts", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "PEFT refuses %1 where packed experts or routers have adapters; leave it out, or name targets without them such as [\"q_proj\", \"v_proj\"]")},
        {"plan.quantized", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "config.json says that the weights are quantised (%1), and such weights cannot be trained: the plan is of the same model unpacked; for adapters on packed weights set model.adapter.base to nf4 or int8")},
        {"plan.offload_ratio", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"ratio\" works in stage 3 only: the plan puts all optimizer states on the host, and DeepSpeed may refuse the file")},
        {"plan.offload_ratio.groups", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed offloads whole sub-groups of %1 elements: %2 % of the optimizer states lie on the host, not %3 %; a smaller sub_group_size divides finer")},
        {"plan.offload_ratio.files", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"ratio\" has no effect beside \"nvme\": every sub-group of the optimizer states from 1 MiB on lies in files; remove it")},
        {"plan.offload_nvme", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "In stage %1 \"nvme\" acts as \"cpu\": the optimizer states lie in host memory, in no file; use stage 3 for files")},
        {"plan.adapter.head", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Counted as PEFT does without a task_type: with SEQ_CLS or TOKEN_CLS it trains a copy of the whole classifier too; then say \"modulesToSave\": [\"classifier\", \"score\"]")},
        {"plan.adapter.base", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A quantised base is planned for decoders alone: which matrices of an encoder or a classifier Transformers leaves unpacked is not known here; use base 16bit")},
        {"plan.optimizer_offload", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The optimizer of %1 % of the parameters steps on the host: its cores and memory, which no data sheet of a device names, set the time of that update")},
        {"plan.optimizer_paged", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "States of \"%1\" lie in memory that CUDA moves to the host where the device is full: they are planned on the device")},
        {"plan.one_unit", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Without a wrap policy the whole model is one unit: every rank gathers all weights and has whole gradients, and no exchange hides behind computing; use TRANSFORMER_BASED_WRAP")},
        {"plan.argument.wrap", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; use TRANSFORMER_BASED_WRAP, whose blocks are units, or NO_WRAP, with which the whole model is one")},
        {"plan.argument.instances", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, no divisor of the %3 data-parallel ranks")},
        {"plan.arguments_alone", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "These arguments have no effect without the one in brackets, which is not there: %1")},
        {"plan.arguments_unplanned", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "What these arguments change is not planned: %1; memory and time may be others")},
        {"plan.class_contradicts", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "config.json names the class %1 under \"architectures\" and \"model_type\": \"%2\": the class is counted, but AutoModel builds what model_type says; correct one of them")},
        {"plan.flags_help", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "With each of these arguments alone the fullest rank would hold less: %1")},
        {"plan.adapter.sizes", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Adapters need a model whose modules are known by name; give its sizes, a preset or a config.json of a known family")},
        {"plan.framework", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The framework \"%1\" is not known; use stagecraft, deepspeed, fsdp2 or megatron")},
        {"plan.other_stage.fsdp2", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The ds_config's stage %1 is not what is planned: FSDP2 takes no zero_optimization, and divides weights, gradients and optimizer states over the data-parallel ranks, as stage 3 does")},
        {"plan.other_stage.arguments", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The ds_config's stage %1 is not what is planned: Megatron-Core takes no zero_optimization, and its arguments divide the states as stage %2 does")},
        {"plan.other_stage.megatron", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The ds_config's stage %1 is not what is planned: Megatron-Core takes no zero_optimization, and its distributed optimizer divides the optimizer states alone over the data-parallel ranks, as stage 1 does")},
        {"plan.other_stage.whole", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The ds_config's stage %1 is not what is planned: Megatron-Core takes no zero_optimization, and without use-distributed-optimizer every data-parallel rank has all states, as in stage 0")},
        {"plan.other_offload", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "What the ds_config offloads stays on the devices in this plan: %1 takes no zero_optimization")},
        {"plan.other_ledger", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed with this ds_config allocates %1 on the fullest rank, %2 allocates %3; what differs most: %4")},
        {"plan.cores_shared.other", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 ranks of %2 threads share %3 cores of this machine, and the times here give each thread a core of its own: here, expect steps about %4 times as long")},
        {"plan.cores_shared", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 ranks of %2 threads share %3 cores, and the times here give each thread a core of its own: expect steps about %4 times as long. `stagecraft doctor --measure` makes them those of this machine")},
        {"plan.measured_busy", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Other programs were at work while this machine was measured: the readings behind this step time may be off by %1 %. Close them and measure again with `stagecraft doctor --measure`")},
        {"plan.loss_chunks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "layout.lossChunks has no effect: a loss in chunks have DeepSpeed on Transformers models (TiledFusedLogitsLoss) and torchtitan (ChunkedCELoss); plan with framework deepspeed or fsdp2, or remove it")},
        {"plan.argument.attention", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\", which Transformers has not for %3; use %4")},
        {"plan.attention_eager", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Attention is taken as eager, as Transformers chooses for %1: every layer keeps all its scores for the backward pass")},
        {"plan.attention_math", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No fused kernel of sdpa takes %1 query heads over %2 key heads in this type on %3: PyTorch makes and keeps all scores in fp32; use 16 bits on a device with bf16, or flash_attention_2")},
        {"plan.fsdp2_model", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "torchtitan has no model of the family %1: Transformers' own blocks are planned, each sharded by FSDP2 as a group")},
        {"plan.fsdp2_selective", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"selective op\" chooses among the products of torchtitan's blocks: for %1 it is planned as \"none\"; use \"full\"")},
        {"plan.loss_eager", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The loss is taken as not compiled, with fp32 copies of the logits, as before April 2025; say \"compile_loss\": true, or \"release\": \"2025-06\", where it is compiled")},
        {"plan.layout.unknown", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The sizes of this model are not known: no ledger or step time can be made")},
        {"plan.layout.stages", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 pipeline stages for %2 layers; use at most as many stages as layers")},
        {"plan.layout.heads", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 heads cannot be divided over %2 tensor-parallel ranks; use a divisor")},
        {"plan.layout.experts", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 experts cannot be divided over %2 ranks; use a divisor")},
        {"plan.layout.large", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The layout is larger than any machine; use smaller sizes")},
        {"plan.layout.model", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The sizes are larger than any machine; use smaller ones")},
        {"plan.calibrated", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Step time and the processes' own memory are calibrated from %1")},
        {"plan.unknown_field", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No field of a workspace is called %1: it is kept, and has no effect")},
        {"plan.params", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A model of %1 parameters cannot be planned; use 1 to 1e16")},
        {"plan.params_from_files", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The family is not known: parameters are counted from the headers of its safetensors files")},
        {"plan.class_assumed", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "config.json names no class: counted as %1")},
        {"plan.memory.states", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The model states alone need %1 of %2 on the fullest rank")},
        {"plan.host_memory", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "What is offloaded needs %1 of the %2 of host memory of a node; use more nodes, or a stage that keeps the states on the devices")},
        {"advise.may_fit", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No stage and no offload surely fits; %1 may, with a probability of %2")},
        {"plan.precision_auto", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"auto\" is filled in by Transformers' Trainer: the plan takes %1, as most training does on this device; write true or false to be sure")},
        {"plan.precision_accelerate", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"auto\" is filled in by accelerate from --mixed_precision, which nobody gives here: the plan takes fp32, as the check does; write true where it is given")},
        {"plan.precision_default", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"auto\" is filled in by Transformers' Trainer, whose default is neither bf16 nor fp16: the plan takes fp32, as the check does; write true where the Trainer is given one of them")},
        {"plan.release_assumed", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Without a \"release\" what torchtitan keeps is planned as its code of 2024 kept it, which is the most; say the month of yours, as in \"release\": \"2026-04\". Where Transformers' own code is trained, as under Accelerate, say \"model_code\": \"transformers\"")},
        {"plan.cuda_graphs", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "CUDA graphs take launching from the planned step; the buffers that they hold are not in the planned memory")},
        {"plan.megatron_overlap", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Gradients and weights are taken as exchanged while the model computes, as jobs are mostly run; Megatron does so only with --overlap-grad-reduce and --overlap-param-gather: say false for both to plan without")},
        {"plan.attention_sdpa", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Attention is taken as sdpa, Transformers' default since December 2023 (4.36), which keeps no scores; say \"attn_implementation\": \"eager\" for older code or models that ask for it")},
        {"plan.compile_memory", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "torch.compile shortens the planned step; memory is planned as without it, of which compiled blocks mostly need less")},
        {"plan.argument.release", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; write the year and the month of the framework's code, as in 2025-04")},
        {"plan.pipeline_batch", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A local batch of %1 samples cannot be cut into %2 equal micro-batches for the pipeline; use numbers that divide")},
        {"plan.pipeline_batch.size", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A local batch of %1 samples is no multiple of the pipeline's micro-batch of %2; use sizes that divide")},
        {"plan.argument.devices", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The arguments make %1 ranks for %2 devices; change them or the hardware")},
        {"plan.network_unused", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "network_gb_per_s has no effect: all %1 devices reach each other without the network")},
        {"plan.fp32_products", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Products in fp32 run without tensor cores, as PyTorch has it unless told otherwise: at %1 TFLOP/s, not at the %2 of TF32; say \"tf32\": true in framework.arguments where the script allows it, or train in bf16")},
        {"plan.recompute_selective", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Transformers' models make whole blocks again, or nothing: \"selective\" is planned as \"none\"; use \"full\", or framework.arguments \"model_code\": \"megatron\"")},
        {"plan.size.most", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 is %2; use at most 10000000")},
        {"plan.device_assumed", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"cuda\" says nothing of the GPU: it is planned as %1; choose yours under Model and hardware")},
        {"plan.optimizer_gone", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed %1 has no \"%2\" and refuses it: the plan is of %3, the last release known to have it; use AdamW")},
        {"plan.autotp_refused", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed 0.19.8 refuses the plan that Transformers 5.23 has for dividing \"%1\" over tensor-parallel ranks; give the ds_config a tensor_parallel.partition_config, as this plan takes it, or use layout.tp 1")},
        {"plan.autotp_refused.model", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed 0.19.8 refuses to divide Transformers' \"%1\" over tensor-parallel ranks: the plan is of one that could be; use layout.tp 1, or framework.arguments model_code \"megatron\"")},
        {"plan.swap.kernel", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" lies on %2, which the kernel makes up: no file can be swapped to it; name a folder on an NVMe disk")},
        {"plan.swap.file", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is a file, and DeepSpeed makes folders in it; name a folder on an NVMe disk")},
        {"plan.swap.unwritable", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Nothing can be written in \"%1\": DeepSpeed cannot make its swap files; give write access, or name another folder")},
        {"plan.swap.full", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The files of this plan take %1 on a node, and where \"%2\" lies %3 are free; make room, or name a folder on a larger disk")},
        {"plan.swap.memory", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" lies in host memory (%2): what is swapped to it takes the memory that swapping is to save; name a folder on an NVMe disk")},
        {"plan.swap.overlay", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" lies in the container's own layer (%2), on the disk of the images: mount an NVMe disk, and name a folder on it")},
        {"plan.swap.network", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" lies on a file system over a network or of a user's program (%2): it is slower than the NVMe disk that the plan counts on; name a folder on one")},
        {"plan.swap.missing", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is not there: DeepSpeed makes it, in \"%2\"")},
        {"plan.reserve_cut", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The allocator keeps what it has freed until the device is full: of the %1 that the process then holds %2 cannot be given back, and whether it fits is judged by that")},
        {"plan.init_host", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Before the first step the ranks of a node hold the whole model in host memory, each for itself: %1 in fp32 of %2. How it is built nobody has said: the probability assumes fp32 for five in ten scripts, 16 bits for four, the device for one. Load it in 16 bits, or straight onto the device")},
        {"plan.device_here", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"cuda\" is planned as %1, the GPU of this machine")},
        {"plan.host_memory.unknown", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "What is offloaded needs %1 of host memory per node; say with hardware.hostMemoryGiB what a node has, and the verdict counts it")},
        {"plan.positions", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A sequence of %1 tokens for a model with %2 learned positions; use a shorter one")},
        {"plan.ds_config.number", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not a number; the plan uses %3, DeepSpeed may refuse the file")},
        {"plan.ds_config.number_unset", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not a number; the plan is made as if it were not written, DeepSpeed may refuse the file")},
        {"plan.ds_config.range_unset", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, outside %3 to %4; the plan is made as if it were not written, DeepSpeed may refuse the file")},
        {"plan.ds_config.whole", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not a whole number; the plan uses %3, DeepSpeed may refuse the file")},
        {"plan.ds_config.whole_unset", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not a whole number; the plan is made as if it were not written, DeepSpeed may refuse the file")},
        {"plan.optimizer", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The states of the optimizer \"%1\" are not known: they are counted as Adam's, 8 bytes a parameter")},
        {"plan.fsdp2_precision", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "FSDP2 reads no ds_config: it is planned as torchtitan trains, with fp32 shards and bf16 for computing. Where it computes in another type, say \"mixed_precision_param\": \"float16\" or \"float32\" in framework.arguments")},
        {"plan.schedule", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 has no schedule %2: the plan is made for %3")},
        {"plan.schedule.chunks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 runs %2 with %3 chunks on a rank, not %4: so is the plan")},
        {"plan.layout.zero_pipeline", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed refuses ZeRO stage %1 with %2 pipeline stages; use stage 1 at most, or layout.pp 1")},
        {"plan.layout.chunks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 chunks on each of %2 pipeline stages for %3 layers; use fewer chunks, so that each has a layer")},
        {"plan.layout.sequence", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A sequence of %1 tokens cannot be divided over %2 context-parallel ranks; use a divisor, or another model.seq")},
        {"plan.layout.ulysses", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 heads cannot be divided over cp %2 x tp %3 ranks, as Ulysses does; use a divisor")},
        {"plan.layout.sequence_pipeline", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed's pipeline engine has no sequence parallelism; use layout.cp 1 or layout.pp 1")},
        {"plan.layout.ring", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A sequence of %1 tokens cannot be cut into 2 x %2 equal pieces for context parallelism; use another layout.cp or model.seq")},
        {"plan.layout.dense", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Expert parallelism of %1 for a model without experts; use layout.ep 1")},
        {"plan.layout.mics", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Groups of %1 ranks (mics_shard_size) do not divide the %2 data-parallel ranks; use a divisor")},
        {"plan.layout.hpz", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Groups of %1 ranks (zero_hpz_partition_size) do not divide the %2 ranks; use a divisor")},
        {"plan.layout.ulysses_keys", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 key-value heads and cp %2 x tp %3 ranks: one must divide the other, as Ulysses copies or divides them; use another layout.cp")},
        {"plan.layout.sequence_parallel", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Sequence parallelism cannot divide %1 tokens over cp %2 x tp %3 ranks; use a divisor, or another model.seq")},
        {"plan.layout.query_groups", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 key-value heads and %2 tensor-parallel ranks: one must divide the other, as Megatron-LM divides or copies them; use another layout.tp")},
        {"plan.layout.key_heads", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 key-value heads cannot be divided over %2 tensor-parallel ranks, and PyTorch copies none; use a divisor")},
        {"plan.layout.width", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "An MLP of width %1 cannot be divided over %2 tensor-parallel ranks; use a divisor")},
        {"plan.layout.split", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 layers cannot be divided over %2 pipeline stages, and Megatron-LM refuses a rest; use a divisor, or say with decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers what the first and the last stage have")},
        {"plan.layout.split_loss", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 layers cannot be divided over %2 pipeline stages, and Megatron-LM refuses a rest; set account-for-loss-in-pipeline-split, with which the loss counts as a layer of the last stage, use a divisor, or say with decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers what the first and the last stage have")},
        {"plan.layout.split_places", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 layers cannot be divided over %2 pipeline stages, and Megatron-LM refuses a rest; set account-for-embedding-in-pipeline-split and account-for-loss-in-pipeline-split, with which the embedding and the loss count as a layer each, use a divisor, or say with decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers what the first and the last stage have")},
        {"plan.layout.split_rest", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 layers are left for %2 pipeline stages, which cannot share them evenly; use another size of the first or the last stage")},
        {"plan.layout.chunk_layers", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 layers of a pipeline stage cannot be divided over %2 chunks; use a divisor")},
        {"plan.layout.layers_per_chunk", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The %1 layers of a pipeline stage are no multiple of num-layers-per-virtual-pipeline-stage %2; use a divisor")},
        {"plan.layout.uneven_chunks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Megatron-LM refuses num-layers-per-virtual-pipeline-stage beside a first or last stage of a size of its own; say with num-virtual-stages-per-pipeline-rank how many chunks a rank has")},
        {"plan.layout.chunks_alone", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Several chunks on a rank need a pipeline: Megatron-LM refuses to interleave a single stage; remove the argument, or use more stages")},
        {"plan.layout.micro_batch_group", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "microbatch-group-size-per-virtual-pipeline-stage is %1, which must be from the %2 pipeline stages to the %3 micro-batches")},
        {"plan.layout.interleaved", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 micro-batches cannot be interleaved over %2 pipeline stages in groups of %3; use a multiple of the group, or one chunk")},
        {"plan.layout.few_micro_batches", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 micro-batches for %2 stages: PyTorch's schedule refuses fewer of them than stages; use more, or layout.schedule gpipe")},
        {"plan.layout.rounds", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 micro-batches cannot be divided over the %2 rounds in which PyTorch interleaves them; use a multiple of %3")},
        {"plan.layout.expert_sequence", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Megatron-LM trains experts under tensor parallelism only with sequence parallelism; set layout.sequenceParallel, or sequence-parallel in framework.arguments")},
        {"plan.layout.expert_fp16", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Megatron-LM has no expert parallelism in fp16; use bf16, or layout.ep 1")},
        {"plan.layout.positions", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A sequence of %1 tokens for a position table of %2 rows; use at most as many tokens")},
        {"plan.layout.expert_zero3", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed's own experts have no ZeRO stage 3; use stage 2")},
        {"plan.layout.expert_ulysses", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed has no sequence parallelism beside experts divided in ZeRO stage 3; use stage 2, or layout.cp 1")},
        {"plan.layout.expert_hpz", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed has no second copy of weights (zero_hpz_partition_size) beside divided experts; remove it, or use layout.ep 1")},
        {"plan.layout.expert_quantized", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed does not quantise gradients beside divided experts in stage 3; remove zero_quantized_gradients, or use layout.ep 1")},
        {"plan.layout.expert_contiguous", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "In stage 2 DeepSpeed divides experts only with contiguous_gradients; remove \"contiguous_gradients\": false")},
        {"plan.layout.expert_scatter", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "In stages 1 and 2 DeepSpeed divides experts only with reduce_scatter; remove \"reduce_scatter\": false")},
        {"plan.layout.expert_tensor", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Beside tensor parallelism DeepSpeed divides experts neither over pipeline stages nor with sequence parallelism; use layout.tp 1, or pp 1 and cp 1")},
        {"plan.layout.expert_offload", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Beside tensor parallelism DeepSpeed divides experts only without offload; remove the offload sections, or use layout.tp 1")},
        {"plan.bf16_emulated", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 has no bf16 arithmetic: PyTorch emulates it, at no more than the %2 TFLOP/s of fp32, where fp16 reaches %3; train in fp16 (FSDP2: \"param_dtype\": \"float16\", Megatron: \"fp16\"), or use another device")},
        {"plan.mfu_sheet", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "MFU is above 100 % because this machine was measured to be faster than the peak it is a share of, %1 GFLOP/s a rank from the CPU's data sheet: it compares plans, and is no share of what the machine can do")},
        {"plan.latency", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 % of the step is the latency of collectives: round a ring of up to %2 ranks a message is passed on as many times, however little is sent. Shorter rings and fewer collectives help: tensor parallelism, a pipeline, ZeRO stage 1, larger and fewer micro-batches")},
        {"plan.mfu_counts", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "MFU is above 100 % because it counts attention over the full square of the sequence, as published figures do, of which a causal kernel computes half: of what is computed the devices reach %1 % of their peak")},
        {"plan.layout.hpz_files", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed cannot keep a second copy of the weights (zero_hpz_partition_size) beside weights in files; offload them to \"cpu\", or remove one of the two")},
        {"plan.layout.local_context", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Megatron-LM's own layers (transformer-impl local) have no context parallelism; use Transformer Engine, or layout.cp 1")},
        {"plan.mics_release", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed 0.19.8 has no MiCS and refuses \"mics_shard_size\": the plan is of a release before it")},
        {"plan.layout.expert_ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Expert parallelism of %1 does not divide the %2 ranks that hold a pipeline stage; use a divisor")},
        {"plan.argument.heads", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, which does not divide hidden-size %3; use a divisor, or give kv-channels")},
        {"plan.ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The layout has %1 ranks for %2 devices; change the layout or the hardware")},
    };
    const auto known = kSentences.find(id);
    return known == kSentences.end() ? nullptr : known->second;
}

}  // namespace

bool isSaidForTheWindow(const std::string& id)
{
    static const std::unordered_set<std::string> kOwn{"plan.adapter.framework", "plan.adapter.megatron", "plan.adapter.packed", "plan.device_assumed", "plan.device_unknown", "plan.freeze.framework", "plan.freeze.megatron"};
    return kOwn.count(id) > 0;
}

QString findingText(const PlanFinding& finding)
{
    const char* sentence = sentenceOf(finding.id);
    if (!sentence)
        return errorText(finding.message);
    const QString text = CoreWords::tr(sentence);
    // In one pass: an argument may itself have a "%1" in it.
    QString out;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const int n = text[i] == QLatin1Char('%') && i + 1 < text.size() ? text[i + 1].digitValue() : -1;
        if (n < 1 || n > static_cast<int>(finding.args.size())) {
            out += text[i];
            continue;
        }
        const std::string& value = finding.args[static_cast<std::size_t>(n - 1)];
        out += finding.id == "plan.calibrated" ? sourceText(value) : QString::fromStdString(value);
        ++i;
    }
    return out;
}

}  // namespace stagecraft::app
