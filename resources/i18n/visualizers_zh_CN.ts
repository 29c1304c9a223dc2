<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>stagecraft::ListText</name>
    <message>
        <source>, </source>
        <comment>between words of a list</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between statements</comment>
        <translation>，</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>two sentences, one after the other</comment>
        <translation>%1%2</translation>
    </message>
</context>
<context>
    <name>stagecraft::LogModel</name>
    <message>
        <source>The filter is not a regular expression: %1 at character %2.</source>
        <translation>筛选条件不是正则表达式：第 %2 个字符处 %1。</translation>
    </message>
</context>
<context>
    <name>stagecraft::MemoryRankView</name>
    <message>
        <source>planned %1</source>
        <translation>计划 %1</translation>
    </message>
    <message>
        <source>measured %1</source>
        <translation>实测 %1</translation>
    </message>
    <message>
        <source>difference %1</source>
        <translation>差值 %1</translation>
    </message>
    <message>
        <source>usable by this rank: %1</source>
        <translation>此 rank 可用：%1</translation>
    </message>
    <message>
        <source>planned, thin; measured, thick</source>
        <translation>细：计划；粗：实测</translation>
    </message>
    <message>
        <source>usable %1</source>
        <translation>可用 %1</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>diff.</source>
        <translation>差值</translation>
    </message>
    <message numerus="yes">
        <source>%n smaller items not shown</source>
        <translation>
            <numerusform>另有 %n 个较小项未显示</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::ParetoView</name>
    <message>
        <source>memory per rank, %1</source>
        <translation>每 rank 内存，%1</translation>
    </message>
    <message>
        <source>step time, %1</source>
        <translation>单步时间，%1</translation>
    </message>
    <message numerus="yes">
        <source>%n slower or larger not shown</source>
        <translation>
            <numerusform>另有 %n 个更慢或更大，未画出</numerusform>
        </translation>
    </message>
    <message>
        <source>now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>step time, %1, log</source>
        <translation>单步时间，%1，对数</translation>
    </message>
</context>
<context>
    <name>stagecraft::PhasesView</name>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>wait</source>
        <translation>等待</translation>
    </message>
    <message numerus="yes">
        <source>last %n steps</source>
        <translation>
            <numerusform>最近 %n 步</numerusform>
        </translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1 至 %2 步</translation>
    </message>
    <message>
        <source>steps %1 to %2, a bar is the mean of %3</source>
        <translation>第 %1 至 %2 步，每柱为 %3 步的平均</translation>
    </message>
    <message>
        <source>step %1: %2</source>
        <translation>第 %1 步：%2</translation>
    </message>
    <message>
        <source>steps %1 to %2, mean: %3</source>
        <translation>第 %1 至 %2 步，平均：%3</translation>
    </message>
    <message>
        <source>%1: %2, %3 %</source>
        <translation>%1：%2，%3 %</translation>
    </message>
    <message>
        <source>planned: %1</source>
        <translation>计划：%1</translation>
    </message>
    <message>
        <source>s per step</source>
        <translation>每步秒数</translation>
    </message>
    <message>
        <source>ms per step</source>
        <translation>每步毫秒数</translation>
    </message>
    <message>
        <source>µs per step</source>
        <translation>每步微秒数</translation>
    </message>
    <message>
        <source>%1, rank %2</source>
        <translation>%1，rank %2</translation>
    </message>
    <message numerus="yes">
        <source>%1, mean of %n ranks</source>
        <translation>
            <numerusform>%1，%n 个 rank 平均</numerusform>
        </translation>
    </message>
    <message>
        <source>planned %1</source>
        <translation>计划 %1</translation>
    </message>
</context>
<context>
    <name>stagecraft::RankStripView</name>
    <message>
        <source>starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>%1 compute</source>
        <translation>计算 %1</translation>
    </message>
    <message>
        <source>%1 wait</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>the others wait for it</source>
        <translation>其余 rank 都在等它</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message numerus="yes">
        <source>Above: the slowest and the fastest of %n ranks.</source>
        <translation>
            <numerusform>上方为 %n 个 rank 中最慢与最快的。</numerusform>
        </translation>
    </message>
    <message>
        <source>Compute %1 to %2; half of them %3 to %4, median %5.</source>
        <translation>计算时间 %1 至 %2；半数在 %3 至 %4 之间，中位数 %5。</translation>
    </message>
</context>
<context>
    <name>stagecraft::TimeSeriesView</name>
    <message>
        <source>not a number</source>
        <translation>非数值</translation>
    </message>
    <message numerus="yes">
        <source>%1 (%2 to %3, %n points)</source>
        <translation>
            <numerusform>%1（%2 至 %3，%n 个点）</numerusform>
        </translation>
    </message>
    <message>
        <source>no data</source>
        <translation>无数据</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%2：%1</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1，%2：%3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message numerus="yes">
        <source>Line: mean of %n points. Pale: smallest and largest of each pixel column.</source>
        <translation>
            <numerusform>线：%n 个点的平均。浅色：每个像素列的最小值与最大值。</numerusform>
        </translation>
    </message>
</context>
</TS>
