// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core_errors.h"

#include "app/launch_sentences.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft::app {

namespace {

struct CoreErrors {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::CoreErrors)
};

// What readers of workspaces, of models and of the ds_config write, with %1, %2, ... where a name or a number stands; and the
// parts such sentences are put together from. A test breaks files in these ways and looks at what is told.
constexpr const char* kSentences[] = {
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot read \"%1\": it is damaged, no whole JSON document (%2 bytes)"),
    // Of a person's own data sheets (hardware/own_sheets.cpp).
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot use your data sheets in \"%1\": %2; correct the file"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it is no JSON list of objects"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot change the data sheet in \"%1\": %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the file has changed since it was read; look at it again"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "another sheet there is called \"%1\"; choose another id"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot write \"%1\": it would be larger than 1 MiB; remove sheets that are not needed"),
    // Of ranks that failed (launch/blame.cpp, launch/rank_process.cpp, launch/supervisor_state.cpp).
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 failed: %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "every rank failed: %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Loss or gradient norm is not finite (loss %1, norm %2); weights were not updated. Try a lower learning rate, gradient_clipping, or look at the data."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 went away without a word"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 exited with code %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 was killed by %2 (by a person, or by the kernel when memory ran out)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 died of %2 (invalid memory access)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 died of %2 (a mapped file or shared memory ran out of room)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 died of %2 (an assertion or an uncaught exception)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 died of %2 (an instruction this CPU does not have)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 died of %2 (division by zero)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 was ended by %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 did not report within %2 s of its start"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 stands still: no sign of life for %2 s"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "rank %1 hangs: no progress for %2 s"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "The last checkpoint, of step %1, was not written: %2; there is no other: mend that and train again"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot use the workspace \"%1\", line %2, column %3: %4"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot use the workspace, line %1, column %2: %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot use the workspace \"%1\": %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot use the workspace: %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot use the ds_config: %1."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot train with this ds_config: %1."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "line %1, column %2: %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" is %2; use %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" is missing; give a whole number from %2 to %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a whole number from %1 to %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a whole number"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a number"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "an integer of 1 or more"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "an integer of 0 or more"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a number of 0 or more"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "an integer"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "true or false"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "text in quotes"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "text without a zero character"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "text"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "one of %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "an object, { }"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "an object"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a list"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "an object or the name of a file"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.init\" is empty; use \"random\" or the name of a safetensors file"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.family\" is missing; give \"gpt2\" or \"llama\" with its sizes, or \"hf\", \"preset\" or \"params\" instead"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.heads\" is %1, which does not divide hidden %2; use a divisor of %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.positions\" is given, but LLaMA has no position table; leave it out"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.%1\" belongs to %2; leave it out"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "LLaMA (GPT-2 always has biases)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "LLaMA (GPT-2 learns its positions)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.%1\" names %2: %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.%1\" names \"%2\", which is not JSON (line %3, column %4): %5"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.%1\" names \"%2\", which holds no object; it must be a model's config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.hf\" is empty; give the folder that holds config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.hf\" is the file \"%1\"; give the folder that holds config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.preset\" is %1; use one of %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.%1\" stands beside \"model.%2\"; give one of the two"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.%1\" stands beside \"model.%2\", which decides the sizes; remove one of the two"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.params\" is %1; use a number of parameters from 1 to 1e16"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.adapter.targets\" is %1; use \"all-linear\", \"attention\", \"mlp\", \"default\" (what PEFT takes for the model's type) or a list of module names such as [\"q_proj\", \"v_proj\"]; regular expressions are not read"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.adapter.dropout\" is %1; use a share from 0 to 1, as PEFT's lora_dropout"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.adapter.rankPattern\" has %1 names; use at most %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.adapter.rankPattern\" has %1; use a module's name such as \"q_proj\" or \"layers.0.self_attn.q_proj\"; regular expressions are not read"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.adapter.rankPattern\" gives %1 the rank %2; use a whole number from 1 to 65536"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" is %2; use a list of module names such as [\"q_proj\", \"v_proj\"], %3 to %4 of them"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" has %2; use modules' names of letters, digits, \"_\", \"-\" and \".\""),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.freeze\" is %1; use \"embeddings\", a list of module names, or {\"embeddings\": true, \"firstLayers\": 8, \"modules\": [...]}"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.freeze\" stands beside \"model.adapter\", which freezes all of the model already; remove one of the two"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "The workspace gives only a number of parameters, for arithmetic on memory; training needs the model's sizes."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model.%1\": %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"data.source\" is empty; give a file, a folder or \"builtin:demo\""),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"data.validationFraction\" is %1; use 0 up to, not including, 1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"hardware.hostMemoryGiB\" is %1; use the GiB of memory of one node, above 0 and at most %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"hardware.device\" is empty; use \"cpu\", \"cuda\" or a device's name"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"layout\": tp x pp x cp is %1 ranks; use at most %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"layout\" has %1 ranks, which do not spread evenly over %2 nodes; change \"layout\" or \"hardware.nodes\""),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"layout\" needs %1 ranks per replica, which does not divide \"hardware\": %2; make one a multiple of the other"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"layout\" has dp %1 x tp %2 x pp %3 x cp %4 = %5 ranks, but \"hardware\" has %6; make the two equal"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "nodes %1 x devicesPerNode %2 = %3 devices"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"layout.ep\" is %1, which does not divide dp x cp = %2; use a divisor"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"training.epochs\" is %1; use a number above 0, at most a million"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"launch.hangTimeout\" is %1; use seconds from 1 to 1,000,000"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"launch.trainer.%1\" is %2; use %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the document is not an object; a workspace starts with { \"stagecraft\": 1, ..."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "This is no workspace: it is not one JSON object."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"stagecraft\" is missing; a workspace says \"stagecraft\": 1, its version"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"stagecraft\" is %1: this program reads version 1; a newer one wrote this file, use that"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"stagecraft\" is %1: this program reads version 1; write 1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"model\" is missing; give its sizes, \"hf\", \"preset\" or \"params\""),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"dsConfig\" names a file: %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"dsConfig\" names \"%1\", which DeepSpeed cannot read: %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"dsConfig\" is %1; use an object or the name of a file"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" is written twice in one object; keep one"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot open \"%1\": %2."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot open \"%1\": %2; check the path."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot open \"%1\": %2; you may not read it: change its rights."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot read \"%1\": it is larger than %2 bytes."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot read \"%1\": %2."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot read \"%1\": it is a pipe or a device, not a file."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot write \"%1\": it is a pipe or a device, not a file; choose another name with Save as."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot write \"%1\": its folder is gone and cannot be made (%2); choose another place with Save as."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot save \"%1\": another program changed it meanwhile."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot save the workspace as \"%1\": that is its own ds_config file; choose another name."),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "File exists"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "No such device or address"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "No such file or directory"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Permission denied"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Is a directory"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot open \"%1\"; check the path and its rights"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "heads is %1, which does not divide hidden %2; use a divisor of %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "headSize is %1, but GPT-2 needs hidden / heads = %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "kvHeads is %1, but GPT-2 has as many as heads, %2; leave it out"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "kvHeads is %1, which does not divide heads %2; use a divisor of %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "heads x headSize is %1; use at most %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the head size is %1, but rotary positions need an even one; choose hidden and heads so that hidden / heads is even"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "seq is %1, but the position table has %2 rows; use at most %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1 is %2; use 0 up to, not including, 1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1 is %2; use a number above 0"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1 is %2; use 0 or more"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1 is %2; use %3 to %4"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: the document is not an object; it must hold a model's settings"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"model_type\" is missing; the engine trains \"llama\" and \"gpt2\""),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"model_type\" is \"%1\"; the engine trains \"llama\" and \"gpt2\""),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"%1\" is %2; use %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"%1\" is %2, which does not divide the hidden size %3; use a divisor of it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"%1\": %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"%1\" is not an object of rotary settings"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"%1\" is unreadable: %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"%1\" rotates only a part of each head; the engine rotates all of it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"partial_rotary_factor\" is not 1; the engine rotates the whole head"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"%1\" is \"%2\"; the engine has \"%3\" for this family"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"scale_attn_weights\" is false; the engine always scales by the head size"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"scale_attn_by_inverse_layer_idx\" is true; the engine does not scale by layer"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"add_cross_attention\" is true; the engine trains decoders without an encoder"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "config.json: \"quantization_config\" says that the weights are quantised; they cannot be trained"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count parameters: config.json holds no object; give a model's config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count parameters: each token goes to %1 of %2 experts; correct config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count parameters: \"%1\" makes more than 2^62 of them; correct config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count parameters: %1 is not known; put the safetensors files beside config.json to count from their headers"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "No model.safetensors.index.json in \"%1\" says which of its safetensors files belong to the model; put it there"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "No model.safetensors or its index in \"%1\"; put the weights there"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count parameters: \"%1\" is %2; it must be between %3 and 2^40; correct config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count parameters: \"%1\" is %2, which \"%3\" = %4 does not divide; correct config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count parameters: \"%1\" must be %2; correct config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count parameters: \"%1\" is wrong (%2); correct config.json"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a list of whole numbers"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count from \"%1\": %2; download it again"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot count from \"%1\": \"%2\" is kept as %3, which may pack several weights into one element; use the unquantised files"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the text has %1 bytes; more than %2 are refused"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a value without quotes is read as text to the end of its line (%1), so what closes or separates it is lost; quote it, or put the missing comma before the next key"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the file ends inside the object that line %1 opens; add the missing '}'"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the file ends inside the list that line %1 opens; add the missing ']'"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the comment that starts here is never closed; add '*/'"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "expected a key in double quotes or '}', found %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "expected a key in double quotes followed by ':', found %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "expected ':' after the key %1, found %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "expected ',' or '%1' after the value, found %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "expected ',' or '%1', found %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "expected ',' or the end of the object or list after this number"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "expected a value, found %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the end of the file"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the file ends where a value is expected"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the file is empty; write at least {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the file holds nothing behind its byte order mark; write at least {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the config is complete before this place; remove %1 and what follows"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the text that starts here is never closed; add the missing quote"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the text that starts here is not closed on its line; add the missing quote"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the text that starts here is never closed; add '''"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a control character stands inside a text; write it as an escape such as \\t"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\\u must be followed by four hexadecimal digits"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "unknown escape; write \\\\ for a backslash"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "this is not a JSON value; write a number, true, false, null, or text in double quotes"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "this is Python's spelling; JSON has true, false and null, in lower case"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "JSON has no NaN or infinity; write a number"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "this byte is not valid UTF-8; save the file as UTF-8"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "more than %1 values; a config of this size is refused"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "nested deeper than %1 levels; a config of this depth is refused"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it is %1, not an object"),
    // Of checkpoints (checkpoint/checkpoint.cpp).
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot use the checkpoint \"%1\": %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot use the checkpoint \"%1\": %2 of \"%3\" is damaged in %4 at byte %5"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot open the checkpoint \"%1\": there is no such folder"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it was not finished (its file \"complete\" is missing)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its manifest.json cannot be read"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its manifest is of step %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its manifest.json is damaged"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its file %1 cannot be opened (%2)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its file %1 has %2 bytes where %3 were written"),
    // Of JSON: config/json_reader.cpp, config/json_scalars.cpp, base/json_text.cpp with the reasons of nlohmann::json.
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a comment is not allowed in strict JSON; remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a comma behind the last entry is not allowed in strict JSON; remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a key needs double quotes in JSON"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "text in single quotes is not JSON; use double quotes"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\\' is not a JSON escape; write the quote alone"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "text in ''' is not JSON; use double quotes and \\n"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the file starts with a byte order mark; save it as UTF-8 without one"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the text has %1 bytes, more than %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the text starts with a byte-order mark; save it as plain UTF-8"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "objects and lists are nested more than %1 deep"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the key \"%1\" is written twice in one object; keep one"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1; last read: %2; expected %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1; last read: %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "unexpected %1; expected %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "unexpected %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "end of input"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "string literal"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "number literal"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "true literal"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "false literal"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "null literal"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "'[', '{', or a literal"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid literal"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid BOM; must be 0xEF 0xBB 0xBF if given"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid number; expected '+', '-', or digit after exponent"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid number; expected digit after exponent sign"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid number; expected digit after '-'"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid number; expected digit after '.'"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "number overflow parsing %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid string: '\\u' must be followed by 4 hex digits"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid string: control character %1 must be escaped to %2 or %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid string: control character %1 must be escaped to %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid string: forbidden character after backslash"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid string: ill-formed UTF-8 byte"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid string: missing closing quote"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid string: surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "invalid string: surrogate U+DC00..U+DFFF must follow U+D800..U+DBFF"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot lock \"%1\": %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "no space on the device, or the file system has no locks"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "permission denied"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "another program holds it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" is %2; use a whole number of at least %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" is %2; use at most %3"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" is %2; a batch has whole samples"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" is 0, and DeepSpeed divides by it; use at least 1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Either train_batch_size or train_micro_batch_size_per_gpu needs to be provided; add one"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the batch of %1 x %2 x %3 samples is more than %4; use smaller numbers"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1: %2 has to be greater than 0; use at least 1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1: %2 has to be greater than 0 (it was inferred for %3 ranks: use a larger train_batch_size or fewer ranks)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a number without quotes"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "two numbers such as [0.9, 0.999]"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "an object with \"type\" and \"params\""),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a name such as \"%1\""),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "an object such as %1"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "a whole number of steps"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1 has no parameter %2; DeepSpeed fails on it, so remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"optimizer.params.amsgrad\" is true; this engine has Adam without that variant, so remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"optimizer.params.maximize\" is true; this engine minimises, so remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"optimizer.type\" is %1; this engine has \"Adam\" and \"AdamW\""),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"scheduler.type\" is %1; this engine has WarmupLR, WarmupDecayLR, WarmupCosineLR, OneCycle and LRRangeTest (written so)"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"scheduler\" has a type and no \"params\"; DeepSpeed fails on that, so write at least \"params\": {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1 needs \"scheduler.params.%2\"; add it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1 must be a positive integer, got %2"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" sets a layout; here the workspace's layout does, so remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"tensor_parallel.autotp_size\" splits layers; here the workspace's layout.tp does, so remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" stands beside \"%2\"; DeepSpeed takes only the second"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" and \"%2\" are two names of one key; keep one"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"zero_optimization.offload_optimizer\" asks for optimizer states outside the device; this engine keeps them there, so remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"zero_optimization.offload_param\" asks for parameters outside the device; this engine keeps them there, so remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1\" has no key %2; DeepSpeed refuses unknown keys there, so remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "fp16 and bf16 modes cannot be simultaneously enabled; switch one off"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"fp16.enabled\" is true; this engine trains in fp32 and bf16, so use \"bf16\": {\"enabled\": true}"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "\"%1.%2\" is true; this engine keeps master weights, gradients and states in fp32, so remove it"),
    QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size %1"),
};

constexpr int kDeepest = 6;   // a sentence within a sentence: file, section, field, what is expected there

/// A sentence cut at its places: the text before each of them, which place it is, and the text after the last.
struct Pattern {
    const char* sentence = nullptr;
    std::vector<QString> texts;   ///< one more than `places`
    std::vector<int> places;      ///< from 1
    qsizetype letters = 0;        ///< of its own
};

Pattern patternOf(const char* sentence)
{
    Pattern pattern;
    pattern.sentence = sentence;
    QString text;
    const QString all = QString::fromUtf8(sentence);
    for (qsizetype i = 0; i < all.size(); ++i) {
        if (all[i] == QLatin1Char('%') && i + 1 < all.size() && all[i + 1].isDigit()) {
            pattern.places.push_back(all[++i].digitValue());
            pattern.texts.push_back(std::exchange(text, {}));
        } else {
            text += all[i];
            ++pattern.letters;
        }
    }
    pattern.texts.push_back(text);
    return pattern;
}

/// The most particular first, so that a frame such as '"%1" is %2; use %3' only takes what no other sentence is.
const std::vector<Pattern>& patterns()
{
    static const std::vector<Pattern> kAll = [] {
        std::vector<Pattern> all;
        for (const char* sentence : kSentences)
            all.push_back(patternOf(sentence));
        for (const auto& sentences : {launchSentences(), calibrationSentences()})
            for (const ErrorSentence& sentence : sentences) {
                all.push_back(patternOf(sentence.core));
                if (sentence.window)
                    all.back().sentence = sentence.window;
            }
        std::stable_sort(all.begin(), all.end(), [](const Pattern& a, const Pattern& b) { return a.letters > b.letters; });
        return all;
    }();
    return kAll;
}

/// What stands at the places of `pattern` when `message` is such a sentence; by the place's number.
std::optional<std::array<QString, 10>> match(const Pattern& pattern, const QString& message)
{
    if (!message.startsWith(pattern.texts.front()) || !message.endsWith(pattern.texts.back()))
        return std::nullopt;
    std::array<QString, 10> values;
    qsizetype at = pattern.texts.front().size();
    for (std::size_t i = 0; i < pattern.places.size(); ++i) {
        const QString& next = pattern.texts[i + 1];
        const bool last = i + 1 == pattern.places.size();
        const qsizetype end = last ? message.size() - next.size() : message.indexOf(next, at);
        if (end < at)
            return std::nullopt;
        values[static_cast<std::size_t>(pattern.places[i])] = message.mid(at, end - at);
        at = end + next.size();
    }
    return at == message.size() ? std::optional(values) : std::nullopt;
}

QString told(const QString& message, int depth)
{
    for (const Pattern& pattern : patterns()) {
        // The full stop belongs to no value: a sentence that ends with one would take it along, and say "4096." in the midst of
        // a language that puts the value elsewhere.
        bool stopped = message.endsWith(QLatin1Char('.')) && !message.endsWith(QLatin1String("..")) && !pattern.texts.back().endsWith(QLatin1Char('.'));
        auto values = match(pattern, stopped ? message.chopped(1) : message);
        if (!values)
            continue;
        if (depth < kDeepest)
            for (const int place : pattern.places) {
                // Unless it is the full stop of a sentence that stands at the end of this one.
                if (const QString whole = (*values)[static_cast<std::size_t>(place)] + QLatin1Char('.'); stopped && place == pattern.places.back() && pattern.texts.back().isEmpty()) {
                    if (const QString sentence = told(whole, depth + 1); sentence != whole) {
                        (*values)[static_cast<std::size_t>(place)] = sentence;
                        stopped = false;
                        continue;
                    }
                }
                (*values)[static_cast<std::size_t>(place)] = told((*values)[static_cast<std::size_t>(place)], depth + 1);
            }
        // In one pass: a value may itself have a "%1" in it.
        const QString text = CoreErrors::tr(pattern.sentence);
        QString out;
        for (qsizetype i = 0; i < text.size(); ++i) {
            const bool place = text[i] == QLatin1Char('%') && i + 1 < text.size() && text[i + 1].isDigit();
            out += place ? (*values)[static_cast<std::size_t>(text[i + 1].digitValue())] : QString(text[i]);
            i += place ? 1 : 0;
        }
        return stopped ? CoreErrors::tr("%1.").arg(out) : out;
    }
    return message;
}

}  // namespace

QString errorText(const std::string& message)
{
    return told(QString::fromStdString(message), 0);
}

QString errorText(const Error& error)
{
    return errorText(error.message);
}

QStringList knownErrors()
{
    QStringList known;
    for (const char* sentence : kSentences)
        known << QString::fromUtf8(sentence);
    for (const auto& sentences : {launchSentences(), calibrationSentences()})
        for (const ErrorSentence& sentence : sentences)
            known << QString::fromUtf8(sentence.core);
    return known;
}

}  // namespace stagecraft::app
