// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/report_words.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"{} – run report", "{} – 运行报告"},
    // States, of runs and of their ranks.
    {"starting", "启动中"},
    {"running", "运行中"},
    {"finished", "已完成"},
    {"failed", "已失败"},
    {"stopped", "已停止"},
    {"lost", "已失联"},
    {"1 rank", "1 个 rank"},
    {"{} ranks", "{} 个 rank"},
    {"started {}", "开始于 {}"},
    {"took {}", "用时 {}"},
    {"continued from step {}", "从第 {} 步继续"},
    {"Lost.", "已失联。"},
    {"The supervisor of this run is gone without a word: it was killed, or the machine went down. What was recorded until then is below.",
     "此运行的监管进程不明原因地消失：可能被强制结束，或机器宕机。此前的记录见下。"},
    {"The checkpoint of step {} was not written: {}", "第 {} 步的检查点未能写入：{}"},
    {"Failed:", "失败："},
    {"Last op of rank {}: {}", "rank {} 的最后一个算子：{}"},
    // Figures.
    {"steps", "步数"},
    {"{} of {}", "{} / {}"},
    {"loss, first and last", "损失，首步与末步"},
    {"step time, median", "单步时间，中位数"},
    {"tokens/s, median", "tokens/s，中位数"},
    {"samples/s, median", "样本/s，中位数"},
    {"model FLOP/s per rank", "每个 rank 的模型 FLOP/s"},
    {"validation loss, last", "最近一次验证损失"},
    {"parameters", "参数量"},
    // The table of ranks.
    {"Ranks", "各 rank"},
    {"rank", "rank"},
    {"state", "状态"},
    {"ended", "结束方式"},
    {"process", "进程"},
    {"last step", "最后一步"},
    {"median step", "单步中位数"},
    {"peak memory", "内存峰值"},
    {"peak tensors", "张量峰值"},
    {"dropped spans", "丢弃的耗时记录"},
    {"signal {}", "信号 {}"},
    {"exit {}", "退出码 {}"},
    {"Planned for the fullest rank: process {}, tensors {}.", "占用最多的 rank 的规划值：进程 {}，张量 {}。"},
    {"Log, last {} of {} lines", "日志，共 {1} 行，显示最后 {0} 行"},
    {"Workspace", "工作区"},
    {"{} damaged records were left out.", "{} 条记录已损坏，未计入。"},
    // Charts.
    {"Loss", "损失"},
    {"Throughput", "吞吐量"},
    {"Learning rate", "学习率"},
    {"Gradient norm", "梯度范数"},
    {"Training and validation loss by step", "各步的训练损失与验证损失"},
    {"loss, nats per token", "损失，每 token 纳特"},
    {"step", "步"},
    {"training", "训练"},
    {"validation", "验证"},
    {"Tokens per second by step", "各步每秒 token 数"},
    {"Learning rate by step", "各步的学习率"},
    {"learning rate", "学习率"},
    {"Gradient norm before clipping by step", "各步裁剪前的梯度范数"},
    {"L2 norm before clipping", "裁剪前的 L2 范数"},
    {"gradient norm", "梯度范数"},
    {"Phases per step, mean of the ranks", "各步的阶段耗时，取各 rank 均值"},
    {"Phases per step, mean of the ranks, {} steps a bar", "各步的阶段耗时，取各 rank 均值，每条 {} 步"},
    {"Phases per rank, mean of the steps", "各 rank 的阶段耗时，取各步均值"},
    {"s per step", "每步秒数"},
    {"data", "数据"},
    {"forward", "前向"},
    {"backward", "反向"},
    {"communication", "通信"},
    {"optimizer", "优化器"},
    {"wait", "等待"},
    {"Peak memory per rank", "各 rank 的内存峰值"},
    {"Peak memory per rank, planned and measured", "各 rank 的内存峰值，规划与实测"},
    {"tensors (engine's count)", "张量（引擎统计）"},
    {"rest of the process", "进程其余部分"},
    {"planned, process {}", "规划，进程 {}"},
    {"planned, tensors {}", "规划，张量 {}"},
    {"nothing recorded", "没有记录"},
};

}  // namespace

std::string ReportWords::operator()(std::string_view english) const
{
    const auto found = m_chinese ? std::find_if(std::begin(kWords), std::end(kWords), [&](const auto& words) { return words.first == english; }) : std::end(kWords);
    return std::string(found == std::end(kWords) ? english : found->second);
}

std::span<const std::pair<std::string_view, std::string_view>> ReportWords::all() { return kWords; }

}  // namespace stagecraft
