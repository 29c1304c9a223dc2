// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/phrase_words.h"

#include "app/core_errors.h"
#include "planner/plan.h"

#include <QCoreApplication>

namespace stagecraft::app {

namespace {

struct PhraseWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::PhraseWords)
};

// For lupdate to find; a test looks for each in the plans of every framework.
[[maybe_unused]] constexpr const char* kPhrases[] = {
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "ring of n: (n - 1) / n of the bytes at {} GB/s inside a node, {} GB/s a device between nodes, as reached; {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · (L · (F + B + R) + head)"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "the host sets the pace: {} us for each kernel, and Python around modules and divided tensors; with more tokens a micro-batch the device does. {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "products at {} of {} TFLOP/s {}, element-wise kernels at {} GB/s; {}; shares reached: the calibration half of the published measurements"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "products at {} of {} TFLOP/s {}, element-wise kernels at {} GB/s; {}; shares reached: measurements of AMD's cards beside Nvidia's, training among them (AMD, Azure, MosaicML, alpharomercoma)"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · collectives of the stage's layers"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · (collectives of the stage's layers + the parts of the sequence put together on the device)"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · all-to-alls of the stage's sparse layers that are waited for"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · exchange of the divided sequence that attention does not hide"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · gathers and scatters that computing does not hide"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · transfers between stages that are waited for"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "T_reduce - hidden under backward passes"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "one micro-batch on the other stages, by the schedule"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} s on the others"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Narayanan et al. 2021, section 2.2: (p - 1) (F + B) / chunks"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "σ · (√(2 ln N) - √(2 ln 8)) · compute"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "the slowest of N devices whose speeds deviate by σ = 0.02: DGX Cloud's jobs on 8 to 2048 H100"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "T_activations - hidden under both passes + others"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "T_shards + T_sums - hidden under both passes + others"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "host link at 0.8 of its rate, what the host adds up at {} GB/s of its memory; {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "bytes / rate"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} GB at {} GB/s"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "host link at 0.8 of its rate; {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "a copy reads and writes the one memory there is, at half of its rate; {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "bytes / rate + files / disks"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "one device cannot hold the model states"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "one device does not surely hold the model states and all else"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} of {}, {} of it model states"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "it takes {} of {}, which fits with p = {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "several nodes train together"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "states have to go to the host or to NVMe"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "tensor or pipeline parallelism is used"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "plain data parallelism is enough"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} of {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "nodes: {}, devices in each: {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} fits without"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} fits without, with activation checkpointing"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} fits without, with a micro-batch of {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} fits without, with activation checkpointing and a micro-batch of {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "it fits with {} of {}, with what the tree changes of the job"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "stage {} with dp {}, tp {}, pp {}, cp {} fits without, micro-batch {}, recomputation {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} is the first that fits"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "nothing surely fits, with it or without"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "tp {}, pp {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "it fits with {} of {}, and no stage is both smaller and clearly faster"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "it fits with {} and {} s a step, but {} takes {} and {} s"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "it takes {} of {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} GB at {} GB/s + {} s"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "a device's share of its node's disks: {} GB/s read, {} GB/s written, measured; host link at 0.8 of its rate; {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "a device's share of its node's disks: {} GB/s read, {} GB/s written, assumed (6 GB/s a node); host link at 0.8 of its rate; {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} · Φ_updated · ratio · ranks of a node / host memory + rest on the device"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} · {} · {} · {} / {} GB/s + {} s"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "\"{}\" on the host, with what is read, scaled and copied beside it; rate by Ren et al. 2021, Table 4"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} · Φ_updated / memory"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "{} · Φ_updated / memory + {} · Φ_updated / products"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "\"{}\" in one kernel: gradients read once, weights and states read and written once; {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "\"{}\" of torch.optim, a kernel for each operation: what every one reads and writes; {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "\"{}\": gradients, weights and moments read and moments written, then weights and moments read and weights written; {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "\"{}\": 56 B of a layer's matrices, 28 of the rest, and five Newton-Schulz steps over each matrix (deepspeed/runtime/zero/muon/original_muon.py, gram); {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "between two steps: data, logging, what no kernel does; assumed"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "r · (forward + backward), played with the rates"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "T_weights · (T_waits + w · T_computing) / T_waits, played with the rates"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "T_gradients · (T_waits + w · T_computing) / T_waits, played with the rates"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "r · update, played with the rates"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "k · slower · Σ visits of a unit · its time in the run"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "k · slower · update in the run · elements here / elements there"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "k · slower · waited in the run · bytes here / bytes there"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "k · (slower · batches loaded + bookkeeping)"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "k · Σ pass in the run · played here / played for the run"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "k · update in the run · played here / played for the run"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "k · (T_waits + w · T_computing) · its share, as played"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "k · what the run did between its passes"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "model FLOPs / (step time · peak · devices)"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Chowdhery et al. 2022 (PaLM), appendix B: 6 FLOPs a weight and token (4 where it is frozen), attention over the full square, of which a causal kernel computes half, recomputation not counted: so counted, devices that compute at their peak all the time come to {} %, the most that the interval may reach; peak: {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Chowdhery et al. 2022 (PaLM), appendix B: 6 FLOPs a weight and token (4 where it is frozen), attention over the full square, recomputation not counted; peak: {}"),
};

// What is written out in the formulas of ledger and traffic.
[[maybe_unused]] constexpr const char* kFormulas[] = {
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "layers · tokens · bytes"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "layers in flight · tokens · bytes"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "L_host · bytes of a layer"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · L_host · bytes of a layer"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "tokens · bytes"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "8 · tokens · widest + kernels"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "group · tokens · bytes"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "micro-batches · b s h"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "micro-batches · b s h / t"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "boundaries · b · tokens · h / t"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "tokens · b · (2 h + (2 f + a s) / t)"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "bytes / N"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "bytes"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "streams · bytes"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "micro-batches · s b h"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "w Φ_tables"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "g Φ_tables"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "s b (2 b h + statistics)"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "b · max Φ_parameter"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "2 Φ / partition"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "b · (L + 1) · tokens · h"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "b · tokens · V"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "(φ - 1) · allocated"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "groups · bytes"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "min(φ · (ever - overlap) + hole, usable - context) - φ · allocated - hole"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "φ · (forward + temporaries + 2 s b V / t + b Φ_root + Φ / N + gathered) - φ · allocated"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "φ · (backward + 2 s b V / t + b Φ_root) - φ · allocated"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Σ rounded(buffer) - allocated"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Σ 4 · tokens"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Σ b · tokens · h"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Σ b · tokens · (a + 2 k) d"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Σ b · tokens · a d"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Σ 4 · tokens · a"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Σ b · tokens · f"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · L · rings · (t - 1)/t · b · tokens · h"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · L · 2 · (e - 1)/e · b · tokens · k · h"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · L · 3 · (c - 1)/c · b · tokens · kv heads · 2 d"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · v · sends · b · tokens · h"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · (t - 1)/t · b · tokens · h"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · (t - 1)/t · b · tokens · V"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "m · L · b · tokens · h"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "(4 + states) · Φ/N"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "compute the loss in {} chunks"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "recompute the activations in the backward pass"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "micro-batch {} → {}, {} times the accumulation"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "divide the norms along the sequence (sequence parallelism)"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "keep the activations, recompute nothing"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "micro-batch {} → {}, twice the accumulation"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "micro-batch {} → {}, half the accumulation"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "buckets of {} elements in place of {}"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "train in bf16 with fp32 master weights"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Σ gathers · (N - 1)/N · b · padded(unit)"),
    QT_TRANSLATE_NOOP("stagecraft::app::PhraseWords", "Σ reductions · (N - 1)/N · 4 · padded(unit)"),
};

}  // namespace

QString phraseText(const Phrase& phrase)
{
    const QString text = phrase.pattern.empty() ? QString() : PhraseWords::tr(phrase.pattern.c_str());
    if (phrase.args.empty() && text == QString::fromStdString(phrase.pattern))
        return sourceText(phrase.pattern);   // a whole sentence with its numbers in
    QString out;
    std::size_t next = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const bool argument = text[i] == QLatin1Char('{') && i + 1 < text.size() && text[i + 1] == QLatin1Char('}') && next < phrase.args.size();
        if (argument) {
            out += QString::fromStdString(phrase.args[next++]);
            ++i;
        } else {
            out += text[i];
        }
    }
    return out;
}

QString sourceText(const std::string& source) { return errorText(source); }

QString formulaText(const std::string& formula)
{
    return formula.empty() ? QString() : PhraseWords::tr(formula.c_str());
}

}  // namespace stagecraft::app
