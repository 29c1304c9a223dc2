// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core_words.h"

#include "app/core_errors.h"

#include <QCoreApplication>

#include <unordered_map>

namespace stagecraft::app {

namespace {

struct CoreWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::CoreWords)
};

// Messages by their id. The core writes the same sentences in English; a test compares them.
const char* sentenceOf(const std::string& id)
{
    static const std::unordered_map<std::string, const char*> kSentences{
        {"advise.as_deepspeed", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The tree is walked as DeepSpeed shards, not as %1 does")},
        {"advise.precision", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No precision is set: the tree is walked for mixed precision")},
        {"advise.nothing_fits", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No stage and no offload fits %1 devices of %2; use more devices, a smaller micro-batch or recomputation")},
        {"plan.arguments_unused", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "These arguments do not matter to the plan: %1")},
        {"plan.argument.whole", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2; it must be a whole number from 1 to %3")},
        {"plan.argument.number", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2; it must be a number from 0")},
        {"plan.argument.sizes", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" and hidden-size and num-attention-heads are needed")},
        {"plan.argument.large", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" and the other sizes make a model beyond any machine")},
        {"plan.argument.ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" x pipeline x context = %2 does not divide the %3 ranks")},
        {"plan.argument.batch", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, no multiple of micro batch %3 x %4 data-parallel ranks")},
        {"plan.argument.local_batch", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, no multiple of local batch %3 x %4 ranks")},
        {"plan.argument.dtype", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; use float32 or bfloat16")},
        {"plan.argument.replicate", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, no divisor of the %3 data-parallel ranks")},
        {"plan.argument.ac", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; use none, full, selective op or selective layer")},
        {"plan.batch_assumed", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The ds_config sets neither a train batch nor a micro batch; the plan uses a micro batch of 1")},
        {"plan.batch_triangle", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The batch does not add up: %1 is not micro batch %2 x accumulation %3 x %4 ranks; correct one of them")},
        {"plan.ds_config.range", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, outside %3 to %4; the plan uses %5, DeepSpeed may refuse the file")},
        {"plan.ds_config.flag", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not true or false; the plan uses %3, DeepSpeed may refuse the file")},
        {"plan.ds_config.device", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is \"%2\"; the plan uses %3, DeepSpeed may refuse the file")},
        {"plan.engine_model", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Our engine trains GPT-2 and LLaMA families only; plan this model with framework deepspeed, fsdp2 or megatron")},
        {"plan.engine_layout", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Our engine has data parallelism only, not tp %1, pp %2, cp %3; set them to 1 or choose another framework")},
        {"plan.engine_recompute", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "layout.recompute is \"%1\", which this engine cannot do; use \"none\" or \"full\".")},
        {"plan.engine_offload", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Our engine does not offload yet; remove the offload sections, or plan with framework deepspeed")},
        {"plan.size.micro", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A micro batch of %1 samples needs more than 2^60 bytes; use a smaller one")},
        {"plan.size.least", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 is %2; use 1 or more")},
        {"plan.size.ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The layout has more than a billion ranks; use smaller sizes")},
        {"plan.states_only", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Only the number of parameters is known: the ledger has model states, no activations, and there is no step time: whether it fits cannot be told from them unless they exceed the device")},
        {"plan.memory_unknown", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The memory of this host is not known to the plan: whether it fits is not judged")},
        {"plan.memory", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The peak needs %1 of %2 on the fullest rank")},
        {"plan.device_unknown", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The device \"%1\" has no data sheet; use one of those that `stagecraft doctor --devices` lists, or add a sheet")},
        {"plan.adapter.framework", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Adapters are planned as DeepSpeed trains them; use --set /framework/name=deepspeed, or remove model.adapter")},
        {"plan.adapter.sizes", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Adapters need a decoder whose sizes are known; give its sizes, a preset or a config.json")},
        {"plan.framework", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The framework \"%1\" is not known; use stagecraft, deepspeed, fsdp2 or megatron")},
        {"plan.loss_chunks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "layout.lossChunks has no effect: only DeepSpeed on Transformers models has a loss in chunks (TiledFusedLogitsLoss); plan with framework deepspeed, or remove it")},
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
        {"plan.host_memory", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "What is offloaded needs %1 of the %2 of host memory of a node")},
        {"advise.may_fit", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "No stage and no offload surely fits; %1 may, with a probability of %2")},
        {"plan.precision_auto", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"auto\" is filled in by Transformers' Trainer: the plan takes %1, as most training does on this device; write true or false to be sure")},
        {"plan.argument.devices", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The arguments make %1 ranks for %2 devices; change them or the hardware")},
        {"plan.network_unused", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "network_gb_per_s has no effect: all %1 devices reach each other without the network")},
        {"plan.fp32_products", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Products in fp32 run without tensor cores, as PyTorch has it unless told otherwise: at %1 TFLOP/s, not at the %2 of TF32; say \"tf32\": true in framework.arguments where the script allows it, or train in bf16")},
        {"plan.recompute_selective", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Transformers' models make whole blocks again, or nothing: \"selective\" is planned as \"none\"; use \"full\", or framework.arguments \"model_code\": \"megatron\"")},
        {"plan.size.most", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 is %2; use at most 10000000")},
        {"plan.device_assumed", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"cuda\" says nothing of the GPU: it is planned as %1; name the data sheet of yours, as `stagecraft doctor --devices` lists them")},
        {"plan.host_memory.unknown", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "What is offloaded needs %1 of host memory per node; say with hardware.hostMemoryGiB what a node has, and the verdict counts it")},
        {"plan.positions", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A sequence of %1 tokens for a model with %2 learned positions; use a shorter one")},
        {"plan.ds_config.number", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not a number; the plan uses %3, DeepSpeed may refuse the file")},
        {"plan.ds_config.number_unset", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not a number; the plan is made as if it were not written, DeepSpeed may refuse the file")},
        {"plan.ds_config.range_unset", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, outside %3 to %4; the plan is made as if it were not written, DeepSpeed may refuse the file")},
        {"plan.ds_config.whole", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not a whole number; the plan uses %3, DeepSpeed may refuse the file")},
        {"plan.ds_config.whole_unset", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, not a whole number; the plan is made as if it were not written, DeepSpeed may refuse the file")},
        {"plan.optimizer", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The states of the optimizer \"%1\" are not known: they are counted as Adam's, 8 bytes a parameter")},
        {"plan.fsdp2_precision", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "FSDP2 is planned as torchtitan trains: fp32 shards, bf16 for computing, whatever the ds_config says of precision")},
        {"plan.schedule", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 has no schedule %2: the plan is made for %3")},
        {"plan.schedule.chunks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 runs %2 with %3 chunks on a rank, not %4: so is the plan")},
        {"plan.layout.zero_pipeline", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed refuses ZeRO stage %1 with %2 pipeline stages; use stage 1 at most, or layout.pp 1")},
        {"plan.layout.chunks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 chunks on each of %2 pipeline stages for %3 layers; use fewer chunks, so that each has a layer")},
        {"plan.layout.sequence", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A sequence of %1 tokens cannot be divided over %2 context-parallel ranks; use a divisor, or another model.seq")},
        {"plan.layout.ulysses", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "%1 heads cannot be divided over cp %2 x tp %3 ranks, as Ulysses does; use a divisor")},
        {"plan.layout.sequence_pipeline", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed's pipeline engine has no sequence parallelism; use layout.cp 1 or layout.pp 1")},
        {"plan.layout.ring", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "A sequence of %1 tokens cannot be cut into 2 x %2 equal pieces for context parallelism; use another layout.cp or model.seq")},
        {"plan.layout.dense", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Expert parallelism of %1 for a model without experts; use layout.ep 1")},
        {"plan.layout.expert_ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Expert parallelism of %1 does not divide the %2 ranks that hold a pipeline stage; use a divisor")},
        {"plan.argument.heads", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "\"%1\" is %2, which does not divide hidden-size %3; use a divisor, or give kv-channels")},
        {"plan.ranks", QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "The layout has %1 ranks for %2 devices; change the layout or the hardware")},
    };
    const auto known = kSentences.find(id);
    return known == kSentences.end() ? nullptr : known->second;
}

// What the items of the ledgers are: for lupdate to find. A test looks for each of them in the plans of every framework.
[[maybe_unused]] constexpr const char* kWhys[] = {
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "inputs of the blocks that are made again"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "16-bit gradients of a backward pass, before they are added to the fp32 ones"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "this rank's gradients put beside each other before they are turned to fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "logits turned to fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "shifted logits and their log-softmax in 16 bits, then two gradients"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "shifted logits and their log-softmax in fp32, then two gradients"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "outputs of the micro-batches in flight, divided over the tensor-parallel ranks"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "output of one micro-batch made whole again, and its gradient"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "what goes into the embedding's norm, of the micro-batches in flight"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients inside the block at work: residual, norm, both sides of the non-linearity, scores"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the embedding's gradient of one micro-batch, before it is added to that of the others"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "blocks that keep everything"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "inputs and statistics of both norms"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "inputs of the attention and MLP projections"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "queries, keys and values"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "attention output and its log-sum-exp"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "softmax of the scores, its dropout mask and the dropped scores"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "MLP before and after its non-linearity"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "dropout masks of both residual branches"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "16-bit logits and their gradient: the compiled loss keeps nothing in fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "8-bit copies of the weights, and transposed"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "all parameters of the stage in 16 bits: a pipeline does not free them between micro-batches"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "buffers that gradients are copied into before they are reduced"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "dropout mask of the embedding"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "final norm and the output's input"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "final norm: its input and output"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "fp32 copy of the logits that becomes the softmax in place, of each output"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "fp32 copy of the weights that the optimizer updates"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "fp32 gradients waiting for the optimizer on the host"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "fp32 shards of the gradients, freed before the next forward pass"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "fp32 shards of the parameters"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "16-bit shards of the gradients, freed before the next forward pass"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "16-bit shards of the parameters"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "whole gradients, summed in fp32 until the last micro-batch reduces them"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "fp32 weights that the optimizer updates"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradient of the output's input, made with the loss in the forward pass"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients of one step"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients of two layers on their way"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients turned to fp32 for the optimizer"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "keys and values of all context-parallel ranks, and their gradients on the way"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "layers of multi-token prediction: a layer, the joined states and their norms"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "log-softmax and two gradients in fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "log-softmax and two gradients of one chunk"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "log-softmax and two gradients in 16 bits"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "log-softmax, one-hot, exponential and their sum in fp32: the vocabulary-parallel loss"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "logits of one chunk of the loss"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "logits of one micro-batch"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "logits, held by the model's output"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "main parameters in fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "matrix library workspaces"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "one block made again, and the gradients inside it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "one block made again, or the gradients inside one"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "block inputs; the rest is made again"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "everything the backward pass needs of every block"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "one block's gradients before and in the reduction, and the output matrix's"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "one packed matrix turned to 16 bits for its product"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "outputs kept per micro-batch in flight and receive buffers of every micro-batch"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "parameters gathered at once: what is used soon again stays until max_live_parameters is reached"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "parameters of this rank"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "pinned buffers between file and device"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "logits turned to fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "output of one micro-batch made whole again, and its gradient"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "outputs of the micro-batches in flight, divided over the tensor-parallel ranks"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "shifted logits and their log-softmax in fp32, then two gradients"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "shifted logits and their log-softmax in 16 bits, then two gradients"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the embedding's gradient of one micro-batch, before it is added to that of the others"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "this rank's gradients put beside each other before they are turned to fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "what goes into the embedding's norm, of the micro-batches in flight"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "pinned buffers between file and host for optimizer states"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "weights that stay in host memory beside the files"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "second copy of the weights inside the node (hpZ)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "temporaries of the foreach optimizer"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the contiguous gradient buffer"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the group of blocks being made again"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the layer at work and the one fetched ahead"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the optimizer's moments"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the optimizer's moments in fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the root group and two blocks, the current and the prefetched one, in 16 bits"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the share of the fp32 weights kept on the device"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the share of the moments kept on the device"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "one block at work: without gradients nothing is kept"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "logits and their log-softmax in fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the module that is gathered to be saved whole"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "this rank's reduced gradients, summed in fp32 on the device until the step"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "buffer through which the largest parameter's gradient comes back from the host"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "updated weights gathered bucket by bucket"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "weights that are not trained: no gradients, no master copy, no moments"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "weights, offloaded; layers are gathered when used"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "weights used for computing"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "what one layer's modules make again"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "what the policy keeps of every block"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "whole gradients of the module in the backward pass"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "whole gradients, summed in fp32 over the micro-batches"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "compute weights, whole on every rank"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "this rank's slices of the compute weights"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "fp32 accumulated gradients of the whole model"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "this rank's slices of the fp32 accumulated gradients"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "this rank's slices of the fp32 weights"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "Adam's two moments"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "this rank's slices of Adam's two moments"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "pool of full-size buffers that gathered units are leased from"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "pool of full-size buffers for gradients until they are reduced"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "partial sums travelling round the ring"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "what the forward pass keeps for the backward pass"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the output of every unit, which is the next one's input"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "work space shared by all blocks"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "logits, overwritten by their gradient"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "token ids and labels of one micro-batch"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "cosines and sines of the rotary embedding"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "buffers of this kind"),
};

// Why a key of the ds_config does nothing in our engine.
[[maybe_unused]] constexpr const char* kWithoutEffect[] = {
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the gradients of a unit always lie in one flat buffer"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "stages 1 to 3 always reduce-scatter; the sums are the same"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients are reduce-scattered straight to their owners"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "parameters are always gathered by all-gather"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "a gather moves one unit of the model at a time"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the gradient norm is always computed and recorded"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "checkpoints always hold the fp32 weights"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "any number of ranks can read any checkpoint"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the optimizer steps one unit of the model at a time"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "nothing is offloaded"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the threshold per parameter decides"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "a unit's full weights go back to the pool right after use"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "a checkpoint maps names to slices, so no rank gathers the model to save it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "a unit is a whole transformer block"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "a unit is gathered by one call"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "every parameter of a unit takes part in every step"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "every rank owns an equal slice of each unit"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "parameters are always aligned to 64 bytes"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "shards spread over all data-parallel ranks"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "weights travel unquantised"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients travel unquantised"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the engine's linear layers never keep gathered weights"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "a rank reads only its own slices of a checkpoint"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "there are no Python modules"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the schedule is compiled beforehand; there is no trace to miss"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the schedule is validated before the run"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the optimizer is Adam"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "a unit is always gathered as a whole"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the engine always counts the micro-steps itself"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "run.json holds the resolved settings of every run"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "updated parameters are always gathered"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients are reduced in fp32"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "sequence parallelism is not part of the layout"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients are summed in fp32 and then divided; the order makes no difference there"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients are dense"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the memory of every rank is always recorded"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the sampler wraps around; there is no short batch"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the model says its vocabulary"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the run folder keeps every line"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the engine's optimizers all work with every stage"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "there are no experts"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "recomputation is the workspace's layout.recompute"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed reads it for a PipelineModule only; here pipelines are the workspace's layout"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "nothing is swapped to disks"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "checkpoints are written in the engine's own format"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "every phase of every step is always timed"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "there is no Python"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the record has the model's FLOPs of every step"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "every collective is in the run's spans"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "metrics are in the run folder"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "the planner searches layouts instead"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "there is no inference phase"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "there is no Python graph to compile"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "neither DeepSpeed nor this engine reads such a key"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "it chooses between implementations of the same arithmetic; this engine has its own"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "DeepSpeed knows \"log\" and \"linear\" and takes \"log\" for anything else"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "without \"type\" DeepSpeed ignores the section; AdamW with its defaults is used"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "it belongs to fp16 without ZeRO in DeepSpeed"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "without \"type\" DeepSpeed ignores the section; the learning rate is constant"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "it acts in stage 3 only"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients always go into the fp32 buffer at once"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "bf16 has the range of fp32; the norm shows an overflow"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreWords", "gradients always accumulate in fp32"),
};

}  // namespace

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
        out += QString::fromStdString(finding.args[static_cast<std::size_t>(n - 1)]);
        ++i;
    }
    return out;
}

QString whyText(const std::string& why)
{
    return why.empty() ? QString() : CoreWords::tr(why.c_str());
}

}  // namespace stagecraft::app
