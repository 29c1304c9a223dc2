<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>ConfigFix</name>
    <message>
        <source>Replace by %1</source>
        <translation>替换为 %1</translation>
    </message>
    <message>
        <source>Rename to %1</source>
        <translation>改名为 %1</translation>
    </message>
    <message>
        <source>Move to %1</source>
        <translation>移到 %1</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>Set to %1</source>
        <translation>改为 %1</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>加入 %1</translation>
    </message>
    <message>
        <source>Set %1 to %2</source>
        <translation>将 %1 设为 %2</translation>
    </message>
    <message>
        <source>Fix</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>refused at load</source>
        <translation>读取时拒绝</translation>
    </message>
    <message>
        <source>refused at parse</source>
        <translation>解析时拒绝</translation>
    </message>
    <message>
        <source>refused at start</source>
        <translation>启动时拒绝</translation>
    </message>
    <message>
        <source>refused by the pipeline engine</source>
        <translation>流水线引擎拒绝</translation>
    </message>
    <message>
        <source>never read</source>
        <translation>从不读取</translation>
    </message>
    <message>
        <source>changed silently</source>
        <translation>被悄悄改变</translation>
    </message>
    <message>
        <source>warns</source>
        <translation>会告警</translation>
    </message>
    <message>
        <source>unwise</source>
        <translation>不明智</translation>
    </message>
    <message>
        <source>not planned</source>
        <translation>无法规划</translation>
    </message>
    <message>
        <source>%1, and %2 more</source>
        <translation>%1，另有 %2 处</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>release</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>rank 数</translation>
    </message>
    <message>
        <source>starts, then fails</source>
        <translation>启动后失败</translation>
    </message>
</context>
<context>
    <name>ConfigValueText</name>
    <message>
        <source>A whole number is expected, such as 500000000, 5e8 or 500M.</source>
        <translation>应为整数，例如 500000000、5e8 或 500M。</translation>
    </message>
    <message>
        <source>A number is expected, such as 0.1 or 3e-4.</source>
        <translation>应为数字，例如 0.1 或 3e-4。</translation>
    </message>
    <message>
        <source>The decimal sign of JSON is the point: write %1.</source>
        <translation>JSON 的小数点是 “.”：应写为 %1。</translation>
    </message>
    <message>
        <source>A whole number is expected.</source>
        <translation>应为整数。</translation>
    </message>
    <message>
        <source>The smallest value is %1.</source>
        <translation>最小值为 %1。</translation>
    </message>
    <message>
        <source>The value must be above %1.</source>
        <translation>值必须大于 %1。</translation>
    </message>
    <message>
        <source>The value must be below %1.</source>
        <translation>值必须小于 %1。</translation>
    </message>
    <message>
        <source>The largest value is %1.</source>
        <translation>最大值为 %1。</translation>
    </message>
    <message>
        <source>Bytes are not what this key counts: write a plain number.</source>
        <translation>该键不以字节计数：直接写数字。</translation>
    </message>
    <message>
        <source>The number is too large.</source>
        <translation>数字过大。</translation>
    </message>
    <message>
        <source>true or false is expected.</source>
        <translation>应为 true 或 false。</translation>
    </message>
    <message>
        <source>One of these is expected: %1.</source>
        <translation>应为其中之一：%1。</translation>
    </message>
    <message>
        <source>Only null is accepted.</source>
        <translation>只接受 null。</translation>
    </message>
    <message>
        <source>A list is expected, such as [0.9, 0.95].</source>
        <translation>应为列表，例如 [0.9, 0.95]。</translation>
    </message>
    <message>
        <source>JSON is expected.</source>
        <translation>应为 JSON。</translation>
    </message>
    <message>
        <source>An object is expected, such as {}.</source>
        <translation>应为对象，例如 {}。</translation>
    </message>
    <message>
        <source>Every entry must be a whole number.</source>
        <translation>每一项都必须是整数。</translation>
    </message>
    <message>
        <source>Every entry must be a number.</source>
        <translation>每一项都必须是数字。</translation>
    </message>
    <message>
        <source>Every entry must be a text in double quotes.</source>
        <translation>每一项都必须是双引号中的文本。</translation>
    </message>
    <message>
        <source>A value is expected.</source>
        <translation>应填写一个值。</translation>
    </message>
    <message>
        <source>%1, %2 to %3</source>
        <translation>%1，%2 到 %3</translation>
    </message>
    <message>
        <source>%1 ≥ %2</source>
        <translation>%1 ≥ %2</translation>
    </message>
    <message>
        <source>%1 ≤ %2</source>
        <translation>%1 ≤ %2</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>integer</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>text, such as %1</source>
        <translation>文本，如 %1</translation>
    </message>
    <message>
        <source>path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>one of %1</source>
        <translation>%1 之一</translation>
    </message>
    <message>
        <source>section</source>
        <translation>一节</translation>
    </message>
    <message>
        <source>object</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>list of integers</source>
        <translation>整数列表</translation>
    </message>
    <message>
        <source>list of numbers</source>
        <translation>数字列表</translation>
    </message>
    <message>
        <source>list of texts</source>
        <translation>文本列表</translation>
    </message>
    <message>
        <source>list of %1</source>
        <translation>%1 的列表</translation>
    </message>
    <message>
        <source>any value</source>
        <translation>任意值</translation>
    </message>
    <message>
        <source> or </source>
        <translation> 或 </translation>
    </message>
    <message>
        <source>elem.</source>
        <translation>个元素</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>param.</source>
        <translation>个参数</translation>
    </message>
    <message>
        <source>bits</source>
        <translation>位</translation>
    </message>
</context>
<context>
    <name>ContentLanguage</name>
    <message>
        <source>en</source>
        <extracomment>The language of this translation: &quot;zh&quot; for Chinese. It selects the texts of the data files.</extracomment>
        <translation>zh</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigCurve</name>
    <message>
        <source>In this plan</source>
        <translation>在此规划中</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>峰值显存</translation>
    </message>
    <message>
        <source>step time</source>
        <translation>单步时间</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigDiff</name>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>对比文件</translation>
    </message>
    <message>
        <source>Configs of DeepSpeed and other tools (*.json *.hjson *.yaml *.yml *.sh *.py);;All files (*)</source>
        <translation>DeepSpeed 及其他工具的配置 (*.json *.hjson *.yaml *.yml *.sh *.py);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Cannot compare with %1: %2</source>
        <translation>无法与 %1 对比：%2</translation>
    </message>
    <message>
        <source>the ds_config of %1</source>
        <translation>%1 中的 ds_config</translation>
    </message>
    <message>
        <source>Cannot read %1: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>Cannot compare with %1: it is no file.</source>
        <translation>无法与 %1 对比：它不是文件。</translation>
    </message>
    <message>
        <source>Cannot compare with %1: it has more than 2 MiB.</source>
        <translation>无法与 %1 对比：文件超过 2 MiB。</translation>
    </message>
    <message>
        <source>By meaning</source>
        <translation>按含义</translation>
    </message>
    <message>
        <source>against the saved file</source>
        <translation>与已保存的文件对比</translation>
    </message>
    <message>
        <source>against %1</source>
        <translation>与 %1 对比</translation>
    </message>
    <message>
        <source>Saved file</source>
        <translation>已保存的文件</translation>
    </message>
    <message>
        <source>Other file…</source>
        <translation>其他文件…</translation>
    </message>
    <message>
        <source>By text</source>
        <translation>按文本</translation>
    </message>
    <message>
        <source>every line is the same</source>
        <translation>每一行都相同</translation>
    </message>
    <message>
        <source>Differences by text</source>
        <translation>文本差异</translation>
    </message>
    <message>
        <source>Differences by meaning</source>
        <translation>含义差异</translation>
    </message>
    <message>
        <source>%1 cannot be read as a ds_config, so only the texts are compared.</source>
        <translation>%1 无法按 ds_config 读取，因此只对比文本。</translation>
    </message>
    <message>
        <source>The saved file</source>
        <translation>已保存的文件</translation>
    </message>
    <message>
        <source>The text means the same.</source>
        <translation>文本含义相同。</translation>
    </message>
    <message>
        <source>not set: %1</source>
        <translation>未设置：%1</translation>
    </message>
    <message>
        <source>%1, acts as %2</source>
        <translation>%1，实际为 %2</translation>
    </message>
    <message>
        <source>%1, never read</source>
        <translation>%1，从不读取</translation>
    </message>
    <message>
        <source>one is refused: as written</source>
        <translation>其中一份被拒绝：按原文对比</translation>
    </message>
    <message>
        <source>The text</source>
        <translation>当前文本</translation>
    </message>
    <message>
        <source>Key: %1 → now</source>
        <translation>键：%1 → 现在</translation>
    </message>
    <message>
        <source>%1, so values are compared as written: they are the same.</source>
        <translation>%1，因此按写法比较各值：完全相同。</translation>
    </message>
    <message>
        <source>%1, so values are compared as written.</source>
        <translation>%1，因此按写法比较各值。</translation>
    </message>
    <message>
        <source>DeepSpeed refuses the text</source>
        <translation>DeepSpeed 拒绝此文本</translation>
    </message>
    <message>
        <source>DeepSpeed refuses the saved file</source>
        <translation>DeepSpeed 拒绝已保存的文件</translation>
    </message>
    <message>
        <source>DeepSpeed refuses %1</source>
        <translation>DeepSpeed 拒绝 %1</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigEditor</name>
    <message>
        <source>Text of the ds_config</source>
        <translation>ds_config 文本</translation>
    </message>
    <message>
        <source>Remove it from the file</source>
        <translation>从文件中删除</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>Convert to UTF-8 from %1</source>
        <translation>从 %1 转换为 UTF-8</translation>
    </message>
    <message>
        <source>Nothing was found on this line</source>
        <translation>这一行没有检查出问题</translation>
    </message>
    <message>
        <source>What cannot be read here has no quick fix</source>
        <translation>此处无法读取的内容没有快速修复</translation>
    </message>
    <message>
        <source>Complete %1</source>
        <translation>补全 %1</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigForm</name>
    <message>
        <source>Form</source>
        <translation>表单</translation>
    </message>
    <message>
        <source>last text that could be read</source>
        <translation>上一次可读取的文本</translation>
    </message>
    <message>
        <source>The text cannot be read: %1</source>
        <translation>文本无法读取：%1</translation>
    </message>
    <message>
        <source>set keys first</source>
        <translation>已设置的键在前</translation>
    </message>
    <message>
        <source>in the file</source>
        <translation>在文件中</translation>
    </message>
    <message>
        <source>No key matches. Search looks at keys and help in English and Chinese.</source>
        <translation>没有匹配的键。搜索范围是键名以及中英文说明。</translation>
    </message>
    <message>
        <source>The text cannot be read: %1 The form shows the last text that could be.</source>
        <translation>文本无法读取：%1表单显示上一次可读取的文本。</translation>
    </message>
    <message>
        <source>1 key found</source>
        <translation>找到 1 个键</translation>
    </message>
    <message>
        <source>%1 keys found</source>
        <translation>找到 %1 个键</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigFormDelegate</name>
    <message>
        <source>Unset %1</source>
        <translation>取消设置 %1</translation>
    </message>
    <message>
        <source>Set %1 to %2</source>
        <translation>将 %1 设为 %2</translation>
    </message>
    <message>
        <source>%1 %2 → %3</source>
        <translation>%1 %2 → %3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>unset</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>unset (%1)</source>
        <translation>未设置（%1）</translation>
    </message>
    <message>
        <source>JSON is expected.</source>
        <translation>应为 JSON。</translation>
    </message>
    <message>
        <source>value of a new entry</source>
        <translation>新条目的值</translation>
    </message>
    <message>
        <source>a name to add</source>
        <translation>要添加的名称</translation>
    </message>
    <message>
        <source>Choose a file or folder</source>
        <translation>选择文件或文件夹</translation>
    </message>
    <message>
        <source>Choose a path</source>
        <translation>选择路径</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigFormModel</name>
    <message>
        <source>for %1 ranks</source>
        <translation>按 %1 个 rank</translation>
    </message>
    <message>
        <source>(whole file)</source>
        <translation>（整个文件）</translation>
    </message>
    <message>
        <source>should be %1</source>
        <translation>应为 %1</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>会被拒绝</translation>
    </message>
    <message>
        <source>never read</source>
        <translation>从不读取</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>被改变</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>unwise</source>
        <translation>不明智</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1 only</source>
        <translation>仅 %1</translation>
    </message>
    <message>
        <source>needs a name</source>
        <translation>需要名称</translation>
    </message>
    <message>
        <source>section</source>
        <translation>一节</translation>
    </message>
    <message>
        <source>until %1</source>
        <translation>至 %1 之前</translation>
    </message>
    <message>
        <source>stage 3 only</source>
        <translation>仅阶段 3</translation>
    </message>
    <message>
        <source>required</source>
        <translation>必填</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>no default</source>
        <translation>无默认值</translation>
    </message>
    <message>
        <source>depends</source>
        <translation>视情况</translation>
    </message>
    <message>
        <source>%1 = micro %2 × accumulation %3 × ranks %4</source>
        <translation>%1 = 微批次 %2 × 累积 %3 × rank %4</translation>
    </message>
    <message>
        <source>%1 of %2 set</source>
        <translation>已设置 %1，共 %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, not set, %2</source>
        <translation>%1，未设置，%2</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1，%2，%3</translation>
    </message>
    <message>
        <source>adds an entry</source>
        <translation>添加一个条目</translation>
    </message>
    <message>
        <source>There is one of this name already.</source>
        <translation>已有同名的项。</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>添加 %1</translation>
    </message>
    <message>
        <source>Add an entry to %1</source>
        <translation>向 %1 添加条目</translation>
    </message>
    <message>
        <source>not planned</source>
        <translation>无法规划</translation>
    </message>
    <message>
        <source>not in %1</source>
        <translation>%1 中没有</translation>
    </message>
    <message>
        <source>%1 = micro %2 × accumulation %3 × ranks %4, assumed</source>
        <translation>%1 = 微批次 %2 × 累积 %3 × rank 数 %4（假定）</translation>
    </message>
    <message>
        <source>%1 = micro %2 × accumulation %3 × ranks %4, inferred</source>
        <translation>%1 = 微批次 %2 × 累积 %3 × rank 数 %4（推算）</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigFormView</name>
    <message>
        <source>Form</source>
        <translation>表单</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigGroups</name>
    <message>
        <source>%1, %2 keys, with errors</source>
        <translation>%1，%2 个键，有错误</translation>
    </message>
    <message>
        <source>%1, %2 keys, with warnings</source>
        <translation>%1，%2 个键，有警告</translation>
    </message>
    <message>
        <source>%1, %2 keys</source>
        <translation>%1，%2 个键</translation>
    </message>
    <message>
        <source>Set in this file</source>
        <translation>本文件中已设置</translation>
    </message>
    <message>
        <source>All keys</source>
        <translation>全部键</translation>
    </message>
    <message>
        <source>Find among %1 keys</source>
        <translation>在 %1 个键中查找</translation>
    </message>
    <message>
        <source>Find a key</source>
        <translation>查找键</translation>
    </message>
    <message>
        <source>Groups of keys</source>
        <translation>键的分组</translation>
    </message>
    <message>
        <source>%1, not known while the text cannot be read</source>
        <translation>%1：文本无法读取，数量未知</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigModel</name>
    <message>
        <source>Plan for %1 ranks</source>
        <translation>按 %1 个 rank 做计划</translation>
    </message>
    <message>
        <source>Judged for %1 ranks, which this asks for: nobody has said how many there are.</source>
        <translation>按 %1 个 rank 判断，因为这里要求如此：没有说明有多少个 rank。</translation>
    </message>
    <message>
        <source>Remove the byte order mark</source>
        <translation>去掉字节顺序标记</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Typing</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Fix %1</source>
        <translation>修复 %1</translation>
    </message>
    <message>
        <source>Fix all safe</source>
        <translation>全部安全修复</translation>
    </message>
    <message>
        <source>line %1, column %2: %3</source>
        <translation>第 %1 行第 %2 列：%3</translation>
    </message>
    <message>
        <source>Convert to UTF-8 from %1</source>
        <translation>从 %1 转换为 UTF-8</translation>
    </message>
    <message>
        <source>Convert from %1</source>
        <translation>从 %1 转换</translation>
    </message>
    <message>
        <source>There are %L1 values; above %L2 this window shows a ds_config as text alone and plans nothing with it, and the largest in use has a few hundred. Is this the right file?</source>
        <translation>共有 %L1 个值；超过 %L2 个时，此窗口只以文本显示 ds_config，也不用它做规划，而实际使用中最大的也只有几百个。文件选对了吗？</translation>
    </message>
    <message>
        <source>Write plain characters</source>
        <translation>改为普通字符</translation>
    </message>
    <message>
        <source>Write true, false and null</source>
        <translation>写 true、false 和 null</translation>
    </message>
    <message>
        <source>Make strict JSON</source>
        <translation>改成严格 JSON</translation>
    </message>
    <message>
        <source>Add %1 at the end</source>
        <translation>在末尾补上 %1</translation>
    </message>
    <message>
        <source>Keep the last</source>
        <translation>保留最后一处</translation>
    </message>
    <message>
        <source>Keep the last %1</source>
        <translation>保留最后一处 %1</translation>
    </message>
    <message>
        <source>Remove placeholders</source>
        <translation>去掉占位符</translation>
    </message>
    <message>
        <source>Write %1</source>
        <translation>写 %1</translation>
    </message>
    <message>
        <source>Keep the config</source>
        <translation>只保留配置</translation>
    </message>
    <message>
        <source>Keep this config</source>
        <translation>保留这份配置</translation>
    </message>
    <message>
        <source>Model and hardware…</source>
        <translation>模型与硬件…</translation>
    </message>
    <message>
        <source>Remove the comma</source>
        <translation>删除逗号</translation>
    </message>
    <message>
        <source>Replace the semicolon</source>
        <translation>替换分号</translation>
    </message>
    <message>
        <source>Remove the bracket</source>
        <translation>删除括号</translation>
    </message>
    <message>
        <source>Keep the added lines</source>
        <translation>保留新增的行</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigPage</name>
    <message>
        <source>Config</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>checked as DeepSpeed</source>
        <translation>按此版本 DeepSpeed 检查</translation>
    </message>
    <message>
        <source>%1 · checked as DeepSpeed</source>
        <translation>%1 · 按此版本 DeepSpeed 检查</translation>
    </message>
    <message>
        <source>DeepSpeed release to check against</source>
        <translation>用于检查的 DeepSpeed 版本</translation>
    </message>
    <message>
        <source>The release whose rules the check follows</source>
        <translation>检查所依据的版本</translation>
    </message>
    <message>
        <source>Key list</source>
        <translation>键列表</translation>
    </message>
    <message>
        <source>Form</source>
        <translation>表单</translation>
    </message>
    <message>
        <source>Shows form and list of keys in the place of the column at the right</source>
        <translation>显示表单和键列表，代替右侧栏</translation>
    </message>
    <message>
        <source>Hide key help</source>
        <translation>隐藏键说明</translation>
    </message>
    <message>
        <source>Gives the comparison its room</source>
        <translation>把空间让给对比</translation>
    </message>
    <message>
        <source>Shows the help of the selected key beside the comparison</source>
        <translation>在对比旁显示所选键的说明</translation>
    </message>
    <message>
        <source>Shows the column at the right in the place of the list of keys</source>
        <translation>显示右侧栏，代替键列表</translation>
    </message>
    <message>
        <source>Presets…</source>
        <translation>预设…</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Resolved</source>
        <translation>生效值</translation>
    </message>
    <message>
        <source>Diff</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Wizard…</source>
        <translation>向导…</translation>
    </message>
    <message>
        <source>Questions one after the other, each answer with its effect</source>
        <translation>逐个提问，每个回答都显示其影响</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>From accelerate, HF Trainer, LLaMA-Factory, axolotl or a launch script</source>
        <translation>来自 accelerate、HF Trainer、LLaMA-Factory、axolotl 或启动脚本</translation>
    </message>
    <message>
        <source>Find in the text (Ctrl+F with the cursor in it; Ctrl+H replaces)</source>
        <translation>在文本中查找（光标在文本中时按 Ctrl+F；Ctrl+H 替换）</translation>
    </message>
    <message>
        <source>Find among the resolved values (Ctrl+F)</source>
        <translation>在解析后的值中查找（Ctrl+F）</translation>
    </message>
    <message>
        <source>Back to %1</source>
        <translation>返回%1</translation>
    </message>
    <message>
        <source>What DeepSpeed works with; nothing is edited here. Enter or a double click goes to the value in the text</source>
        <translation>DeepSpeed 实际使用的值；此处不可编辑。按 Enter 或双击可跳到文本中的值</translation>
    </message>
    <message>
        <source>Checklist</source>
        <translation>检查清单</translation>
    </message>
    <message>
        <source>Good practices held against this workspace, each with the numbers that decide</source>
        <translation>用良好做法对照此工作区，附上作出判断的数字</translation>
    </message>
    <message>
        <source>for 1 CPU rank</source>
        <translation>按 1 个 CPU rank</translation>
    </message>
    <message>
        <source>for %1 CPU ranks</source>
        <translation>按 %1 个 CPU rank</translation>
    </message>
    <message>
        <source>for 1 GPU</source>
        <translation>按 1 块 GPU</translation>
    </message>
    <message>
        <source>for %1 GPUs</source>
        <translation>按 %1 块 GPU</translation>
    </message>
    <message>
        <source>The ranks and the kind of device that the check starts from (data-parallel size %1). Choose model and hardware to judge for others.</source>
        <translation>检查所依据的 rank 数与设备种类（数据并行规模 %1）。选择模型与硬件即可按其他情况判断。</translation>
    </message>
    <message>
        <source>%1, assumed</source>
        <translation>%1（假定）</translation>
    </message>
    <message>
        <source>%1, inferred</source>
        <translation>%1（推算）</translation>
    </message>
    <message>
        <source>Plan for %1</source>
        <translation>按 %1 个 rank 规划</translation>
    </message>
    <message>
        <source>Nobody has said how many ranks there are. The plan assumes %1, for which DeepSpeed refuses the sizes in the file; %2 is the number that they ask for, and the file is judged for it. Choose model and hardware to judge and plan for others.</source>
        <translation>没有说明有多少个 rank。规划假定 %1 个，而 DeepSpeed 按此拒绝文件中的规模；这些规模要求的是 %2 个，文件按此判断。要按其他数量判断和规划，选择模型与硬件。</translation>
    </message>
    <message>
        <source>The plan still has %1: sets hardware and data-parallel size of the workspace to %2 ranks; one undo step</source>
        <translation>规划仍是 %1 个：把工作区的硬件和数据并行规模设为 %2 个 rank；一步撤销</translation>
    </message>
</context>
<context>
    <name>stagecraft::TextTools</name>
    <message>
        <source>The text is not formatted, because it cannot be read: %1</source>
        <translation>文本无法读取，因此未排版：%1</translation>
    </message>
    <message>
        <source>The text is not formatted: it has no braces round the whole. Put them there first.</source>
        <translation>文本未排版：整体没有大括号。先加上。</translation>
    </message>
    <message>
        <source>There is no text to format.</source>
        <translation>没有可排版的文本。</translation>
    </message>
    <message>
        <source>The text is not formatted: line %1 has a value without double quotes, of which line ends and indentation are a part. Put it in quotes first.</source>
        <translation>文本未排版：第 %1 行有一个不带双引号的值，换行与缩进是其内容的一部分。先加上引号。</translation>
    </message>
    <message>
        <source>The text is formatted already.</source>
        <translation>文本已是排版后的样子。</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>排版</translation>
    </message>
    <message>
        <source>Wrap long lines (%1)</source>
        <translation>长行自动换行（%1）</translation>
    </message>
    <message>
        <source>Wrap long lines</source>
        <translation>长行自动换行</translation>
    </message>
    <message>
        <source>Format the text: one key a line, indented; values, their order and comments stay (%1)</source>
        <translation>排版文本：每行一个键并缩进；值、顺序与注释保持不变（%1）</translation>
    </message>
    <message>
        <source>Format the text</source>
        <translation>排版文本</translation>
    </message>
</context>
<context>
    <name>stagecraft::ConfigPresets</name>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>DeepSpeed %1 accepts the result for inference; training with it would need an optimizer.</source>
        <translation>DeepSpeed %1 接受结果用于推理；用它训练还需要优化器。</translation>
    </message>
    <message>
        <source>merged key by key</source>
        <translation>逐键合并</translation>
    </message>
    <message>
        <source>What the preset changes</source>
        <translation>预设会改变的内容</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>The text cannot be read; repair it first.</source>
        <translation>文本无法读取，先修复它。</translation>
    </message>
    <message>
        <source>The file has all of it already.</source>
        <translation>文件已包含全部内容。</translation>
    </message>
    <message>
        <source>Changes 1 value; all other keys stay.</source>
        <translation>改变 1 个值；其他键不变。</translation>
    </message>
    <message>
        <source>Changes %1 values; all other keys stay.</source>
        <translation>改变 %1 个值；其他键不变。</translation>
    </message>
    <message>
        <source>Preset %1</source>
        <translation>预设 %1</translation>
    </message>
    <message>
        <source>%1 refuses the result: %2</source>
        <translation>%1 拒绝合并结果：%2</translation>
    </message>
    <message>
        <source>DeepSpeed %1 accepts the result.</source>
        <translation>DeepSpeed %1 接受合并结果。</translation>
    </message>
    <message>
        <source>%1 One key that stays in the file is then never read: %2.</source>
        <translation>%1留在文件中的一个键此后不再被读取：%2。</translation>
    </message>
    <message>
        <source>%1 Keys that stay in the file are then never read: %2.</source>
        <translation>%1留在文件中的这些键此后不再被读取：%2。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Also take out %1</source>
        <translation>一并移除 %1</translation>
    </message>
    <message>
        <source>Also take out %1 values that no longer fit</source>
        <translation>一并移除不再适用的 %1 个值</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>The preset adds no error. %1 still refuses the file, as it does without the preset: %2</source>
        <translation>预设没有带来新的错误。%1 仍然拒绝此文件，与应用预设前一样：%2</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 等，另有 %2 个</translation>
    </message>
    <message>
        <source>Takes out %1; all other keys stay.</source>
        <translation>去掉 %1；其他键不变。</translation>
    </message>
    <message>
        <source>Changes 1 value and takes out %1; all other keys stay.</source>
        <translation>改变 1 个值，去掉 %1；其他键不变。</translation>
    </message>
    <message>
        <source>Changes %1 values and takes out %2; all other keys stay.</source>
        <translation>改变 %1 个值，去掉 %2；其他键不变。</translation>
    </message>
</context>
<context>
    <name>stagecraft::EngineRow</name>
    <message>
        <source>Plan with DeepSpeed</source>
        <translation>按 DeepSpeed 规划</translation>
    </message>
    <message>
        <source>Forecasts and launches follow DeepSpeed instead of our engine; one undo step</source>
        <translation>预测与启动改为遵循 DeepSpeed，不再用本引擎；一步可撤销</translation>
    </message>
</context>
<context>
    <name>stagecraft::FindingsList</name>
    <message>
        <source>%1 refuses it before DeepSpeed sees it</source>
        <translation>%1 拒绝它，DeepSpeed 见不到</translation>
    </message>
    <message>
        <source>what it holds is judged once it can be read</source>
        <translation>能读取后才判断其内容</translation>
    </message>
    <message>
        <source>1 error</source>
        <translation>1 个错误</translation>
    </message>
    <message>
        <source>%1 errors</source>
        <translation>%1 个错误</translation>
    </message>
    <message>
        <source>1 warning</source>
        <translation>1 个警告</translation>
    </message>
    <message>
        <source>%1 warnings</source>
        <translation>%1 个警告</translation>
    </message>
    <message>
        <source>1 note</source>
        <translation>1 条提示</translation>
    </message>
    <message>
        <source>%1 notes</source>
        <translation>%1 条提示</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>Fix all safe (%1)</source>
        <translation>全部安全修复（%1）</translation>
    </message>
    <message>
        <source>No findings. DeepSpeed %1 takes this file as it is.</source>
        <translation>没有检查结果。DeepSpeed %1 可直接接受此文件。</translation>
    </message>
    <message>
        <source>Applies, as one undo step, the fixes that cannot change what a run does</source>
        <translation>应用不会改变训练行为的修复，可一步撤销</translation>
    </message>
    <message>
        <source>Applies, as one undo step, the fixes that cannot change what a run does. The other %1 are choices: look at each.</source>
        <translation>应用不会改变训练行为的修复，可一步撤销。其余 %1 处需要自行取舍，逐个查看。</translation>
    </message>
    <message>
        <source>%1 more about the workspace</source>
        <translation>工作区另有 %1 项</translation>
    </message>
    <message>
        <source>Findings about model, hardware and layout; shows all of them below</source>
        <translation>关于模型、硬件与布局的检查结果；在下方全部列出</translation>
    </message>
    <message>
        <source>DeepSpeed %1 accepts it</source>
        <translation>DeepSpeed %1 接受</translation>
    </message>
    <message>
        <source>DeepSpeed %1 refuses it when it is loaded</source>
        <translation>DeepSpeed %1 在加载时拒绝</translation>
    </message>
    <message>
        <source>DeepSpeed %1 accepts it on %2 ranks</source>
        <translation>DeepSpeed %1 在 %2 个 rank 上接受它</translation>
    </message>
    <message>
        <source>DeepSpeed %1 refuses it when it is parsed</source>
        <translation>DeepSpeed %1 在解析时拒绝</translation>
    </message>
    <message>
        <source>DeepSpeed %1 refuses it when the engine is built</source>
        <translation>DeepSpeed %1 在建立引擎时拒绝</translation>
    </message>
    <message>
        <source>DeepSpeed %1 refuses it when the pipeline engine is built</source>
        <translation>DeepSpeed %1 在建立流水线引擎时拒绝</translation>
    </message>
    <message>
        <source>DeepSpeed %1 starts with it, then fails in the first steps</source>
        <translation>DeepSpeed %1 能用它启动，但头几步就失败</translation>
    </message>
    <message>
        <source>Fix all (%1)</source>
        <translation>全部修复（%1）</translation>
    </message>
    <message>
        <source>Applies, as one undo step, all fixes below, so that the text can be read</source>
        <translation>一步完成（可撤销）以下全部修复，使文本可以读取</translation>
    </message>
</context>
<context>
    <name>stagecraft::FindingsModel</name>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>whole file</source>
        <translation>整个文件</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>stagecraft::FitSlider</name>
    <message>
        <source>Use a number from %1 to %2</source>
        <translation>输入 %1 到 %2 之间的数</translation>
    </message>
    <message>
        <source>Use a multiple of %1, from %2 to %3</source>
        <translation>输入 %1 的倍数，介于 %2 到 %3 之间</translation>
    </message>
</context>
<context>
    <name>stagecraft::Inspector</name>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
</context>
<context>
    <name>stagecraft::InspectorView</name>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Select a bar, a row or a key: its formula, numbers and source appear here.</source>
        <translation>选择条形、行或键：此处显示其公式、数值与来源。</translation>
    </message>
    <message>
        <source>Pinned inspector</source>
        <translation>已固定的检查器</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
    <message>
        <source>Unpin: close this</source>
        <translation>取消固定：关闭此栏</translation>
    </message>
    <message>
        <source>Pin: keep this, and show what is selected next below it</source>
        <translation>固定：保留此内容，之后选择的内容显示在其下方</translation>
    </message>
</context>
<context>
    <name>stagecraft::KeyHelp</name>
    <message>
        <source>Copy this help</source>
        <translation>复制此说明</translation>
    </message>
    <message>
        <source>Key help</source>
        <translation>键说明</translation>
    </message>
    <message>
        <source>Select a key in the form, in the text or in a finding: its meaning, default and effect stand here.</source>
        <translation>在表单、文本或检查结果中选择一个键，这里会显示它的含义、默认值与作用。</translation>
    </message>
    <message>
        <source>DeepSpeed does not know a key of this name here.</source>
        <translation>DeepSpeed 在此处不认识这个名字的键。</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认值</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>1 key</source>
        <translation>1 个键</translation>
    </message>
    <message>
        <source>%1 keys</source>
        <translation>%1 个键</translation>
    </message>
    <message>
        <source>In this file</source>
        <translation>本文件中</translation>
    </message>
    <message>
        <source>%1, line %2</source>
        <translation>%1，第 %2 行</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>DeepSpeed uses</source>
        <translation>DeepSpeed 使用</translation>
    </message>
    <message>
        <source>&quot;auto&quot;</source>
        <translation>&quot;auto&quot;</translation>
    </message>
    <message>
        <source>chosen by DeepSpeed</source>
        <translation>由 DeepSpeed 决定</translation>
    </message>
    <message>
        <source>filled by %1</source>
        <translation>由 %1 填写</translation>
    </message>
    <message>
        <source>Exists for</source>
        <translation>适用于</translation>
    </message>
    <message>
        <source>Required</source>
        <translation>必填</translation>
    </message>
    <message>
        <source>yes, where its section is used</source>
        <translation>是，只要使用所在的节</translation>
    </message>
    <message>
        <source>Use instead</source>
        <translation>改用</translation>
    </message>
    <message>
        <source>Deprecated</source>
        <translation>已弃用</translation>
    </message>
    <message>
        <source>yes, nothing replaces it</source>
        <translation>是，没有替代</translation>
    </message>
    <message>
        <source>Also written</source>
        <translation>也写作</translation>
    </message>
    <message>
        <source>Same meaning.</source>
        <translation>含义相同。</translation>
    </message>
    <message>
        <source>Acts in part.</source>
        <translation>部分起作用。</translation>
    </message>
    <message>
        <source>No effect in this engine yet.</source>
        <translation>在本引擎中尚不起作用。</translation>
    </message>
    <message>
        <source>This engine does not start with it yet; DeepSpeed runs do.</source>
        <translation>本引擎尚不能带它启动；DeepSpeed 训练可以。</translation>
    </message>
    <message>
        <source>In the Stagecraft engine</source>
        <translation>在 Stagecraft 引擎中</translation>
    </message>
    <message>
        <source>When to change it</source>
        <translation>何时修改</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>始于</translation>
    </message>
    <message>
        <source>DeepSpeed %1 or before</source>
        <translation>DeepSpeed %1 或更早</translation>
    </message>
    <message>
        <source>In this plan</source>
        <translation>在此规划中</translation>
    </message>
    <message>
        <source>From %1 to %2 the plan&apos;s memory and time stay the same.</source>
        <translation>从 %1 到 %2，规划的显存和耗时都不变。</translation>
    </message>
    <message>
        <source>Learning rate over the steps</source>
        <translation>学习率随步数</translation>
    </message>
    <message>
        <source>Difficulty over the steps</source>
        <translation>难度随步数</translation>
    </message>
    <message>
        <source>&quot;auto&quot; is filled in when the training starts; numbers in its place show the curve here.</source>
        <translation>&quot;auto&quot; 在训练启动时填入；换成数字即可在此看到曲线。</translation>
    </message>
    <message>
        <source>first seen in %1, not in %2</source>
        <translation>首见于 %1，%2 中没有</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>已移除</translation>
    </message>
    <message>
        <source>gone in %1</source>
        <translation>%1 中已没有</translation>
    </message>
    <message>
        <source>gone in %1, still in %2</source>
        <translation>%1 中已没有，%2 中仍有</translation>
    </message>
    <message>
        <source>DeepSpeed %1 does not have this key and refuses it.</source>
        <translation>DeepSpeed %1 没有此键，遇到即拒绝。</translation>
    </message>
    <message>
        <source>DeepSpeed %1 does not have this key.</source>
        <translation>DeepSpeed %1 没有此键。</translation>
    </message>
    <message>
        <source>DeepSpeed %1 reads this key; the texts here are about %2.</source>
        <translation>DeepSpeed %1 会读取此键；这里的文字说的是 %2。</translation>
    </message>
    <message>
        <source>DeepSpeed %1 takes %2 where it is missing; the texts here are about %3, which takes %4.</source>
        <translation>不写此键时 DeepSpeed %1 取 %2；这里的文字说的是 %3，其取值为 %4。</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>cannot be read now</source>
        <translation>目前无法读取</translation>
    </message>
    <message>
        <source>This engine does not start with it either.</source>
        <translation>本引擎同样不能带它启动。</translation>
    </message>
</context>
<context>
    <name>stagecraft::OptimizerRow</name>
    <message>
        <source>Judged with an optimizer of your script: %1.</source>
        <translation>按脚本给出的优化器判断：%1。</translation>
    </message>
    <message>
        <source>The file names no optimizer. A training script can give its own to deepspeed.initialize, which the file does not show.</source>
        <translation>文件没有优化器。训练脚本可以自行把优化器交给 deepspeed.initialize，文件里看不出。</translation>
    </message>
    <message>
        <source>The script gives none</source>
        <translation>脚本不给出</translation>
    </message>
    <message>
        <source>The script gives one</source>
        <translation>由脚本给出</translation>
    </message>
    <message>
        <source>Judges the file by itself again; one undo step</source>
        <translation>重新只按文件判断；一步可撤销</translation>
    </message>
    <message>
        <source>Judges the file with AdamW of your script. Kept in the workspace as launch.optimizer, where another class can be named; one undo step</source>
        <translation>按脚本给出 AdamW 判断。记在工作区的 launch.optimizer 中，可改为其他类；一步可撤销</translation>
    </message>
</context>
<context>
    <name>stagecraft::LauncherRow</name>
    <message>
        <source>Judged as the Hugging Face Trainer starts it: &quot;auto&quot; becomes the Trainer&apos;s own arguments, here their defaults.</source>
        <translation>按 Hugging Face Trainer 启动的情形判断：&quot;auto&quot; 取 Trainer 自己的参数，这里用其默认值。</translation>
    </message>
    <message>
        <source>Judged as accelerate starts it: &quot;auto&quot; becomes its options and what the script hands it, here their defaults.</source>
        <translation>按 accelerate 启动的情形判断：&quot;auto&quot; 取它的选项和脚本传入的值，这里用默认值。</translation>
    </message>
    <message>
        <source>Judged as accelerate starts it: &quot;auto&quot; becomes its options and what the script hands it, here as imported; the others have their defaults.</source>
        <translation>按 accelerate 启动的情形判断：&quot;auto&quot; 取它的选项和脚本传入的值，这里用导入的值，其余用默认值。</translation>
    </message>
    <message>
        <source>Judged as the Hugging Face Trainer starts it: &quot;auto&quot; becomes the Trainer&apos;s own arguments, here those that were imported; the others have their defaults.</source>
        <translation>按 Hugging Face Trainer 启动的情形判断：&quot;auto&quot; 取 Trainer 自己的参数，这里用导入的参数，其余用默认值。</translation>
    </message>
    <message>
        <source>Who fills in &quot;auto&quot;? With the Trainer&apos;s defaults DeepSpeed %1 accepts the file.</source>
        <translation>&quot;auto&quot; 由谁填写？按 Trainer 的默认参数，DeepSpeed %1 接受此文件。</translation>
    </message>
    <message>
        <source>Who fills in &quot;auto&quot;? With the Trainer&apos;s defaults DeepSpeed %1 refuses the file; import its arguments to judge with yours.</source>
        <translation>&quot;auto&quot; 由谁填写？按 Trainer 的默认参数，DeepSpeed %1 拒绝此文件；导入其参数即可按自己的参数判断。</translation>
    </message>
    <message>
        <source>The Trainer does not start it</source>
        <translation>不由 Trainer 启动</translation>
    </message>
    <message>
        <source>The Trainer</source>
        <translation>Trainer</translation>
    </message>
    <message>
        <source>Judges the file as accelerate starts it: &quot;auto&quot; stays in the file and is filled in at the start, and the script&apos;s own optimizer is handed over where the file has none. Kept in the workspace as launch.launcher; one undo step</source>
        <translation>按 accelerate 启动的情形判断：&quot;auto&quot; 留在文件中，启动时填入；文件没有优化器时传入脚本自己的优化器。记在工作区的 launch.launcher 中；一步可撤销</translation>
    </message>
    <message>
        <source>accelerate does not start it</source>
        <translation>不由 accelerate 启动</translation>
    </message>
    <message>
        <source>accelerate</source>
        <translation>accelerate</translation>
    </message>
    <message>
        <source>Judges the file as DeepSpeed&apos;s own launcher starts it, which does not fill in &quot;auto&quot;; one undo step</source>
        <translation>按 DeepSpeed 自己的启动器判断，它不填写 &quot;auto&quot;；一步可撤销</translation>
    </message>
    <message>
        <source>Judges the file as the Trainer starts it: &quot;auto&quot; stays in the file and becomes the Trainer&apos;s arguments at the start. Kept in the workspace as launch.launcher; one undo step</source>
        <translation>按 Trainer 启动的情形判断：&quot;auto&quot; 留在文件中，启动时变为 Trainer 的参数。记在工作区的 launch.launcher 中；一步可撤销</translation>
    </message>
    <message>
        <source>Import its arguments…</source>
        <translation>导入其参数…</translation>
    </message>
    <message>
        <source>From a launch script, a YAML or JSON of TrainingArguments: &quot;auto&quot; is replaced by what they say, after a look at it</source>
        <translation>来自启动脚本、TrainingArguments 的 YAML 或 JSON：确认后，&quot;auto&quot; 换成其中的值</translation>
    </message>
</context>
<context>
    <name>stagecraft::ResolvedModel</name>
    <message>
        <source>inferred; ranks: %1</source>
        <translation>由其余项推算；rank 数 %1</translation>
    </message>
    <message>
        <source>changed without a message</source>
        <translation>无提示地改变</translation>
    </message>
    <message>
        <source>never read</source>
        <translation>从不读取</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>In the file</source>
        <translation>文件中</translation>
    </message>
    <message>
        <source>DeepSpeed uses</source>
        <translation>DeepSpeed 使用</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>the whole config</source>
        <translation>整个配置</translation>
    </message>
    <message>
        <source>In the last text</source>
        <translation>上一次的文本中</translation>
    </message>
    <message>
        <source>inferred; ranks: %1, assumed</source>
        <translation>推算；rank 数：%1（假定）</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>not filled in: DeepSpeed&apos;s own default stands</source>
        <translation>不填写：采用 DeepSpeed 自身的默认值</translation>
    </message>
    <message>
        <source>the Trainer&apos;s, from the model&apos;s hidden size</source>
        <translation>Trainer 按模型的隐藏维度计算</translation>
    </message>
    <message>
        <source>accelerate&apos;s, from the model&apos;s hidden size</source>
        <translation>accelerate 按模型的隐藏维度计算</translation>
    </message>
    <message>
        <source>needs the model&apos;s hidden size: choose the model</source>
        <translation>需要模型的隐藏维度：选择模型</translation>
    </message>
    <message>
        <source>needs the number of steps, which is not known here</source>
        <translation>需要训练步数，此处未知</translation>
    </message>
    <message>
        <source>transformers&apos; default</source>
        <translation>transformers 的默认值</translation>
    </message>
    <message>
        <source>from the Trainer&apos;s arguments</source>
        <translation>来自 Trainer 的参数</translation>
    </message>
    <message>
        <source>accelerate&apos;s default</source>
        <translation>accelerate 的默认值</translation>
    </message>
    <message>
        <source>filled in by accelerate</source>
        <translation>由 accelerate 填入</translation>
    </message>
    <message>
        <source>changed; finding %1 says why</source>
        <translation>被改变；原因见检查结果 %1</translation>
    </message>
    <message>
        <source>inferred, as are the ranks: %1</source>
        <translation>推算；rank 数也是推算：%1</translation>
    </message>
</context>
<context>
    <name>stagecraft::ResolvedView</name>
    <message>
        <source>%1 refuses this config: DeepSpeed does not see it until it is mended.</source>
        <translation>%1 拒绝此配置：改好之前 DeepSpeed 见不到它。</translation>
    </message>
    <message>
        <source>Resolved values</source>
        <translation>解析后的值</translation>
    </message>
    <message>
        <source>Find among the resolved values</source>
        <translation>在解析后的值中查找</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 found</source>
        <translation>找到 %1 处</translation>
    </message>
    <message>
        <source>The text cannot be read: nothing in it is used until it is mended.</source>
        <translation>文本无法解析：改正之前其中的任何值都不会被使用。</translation>
    </message>
    <message>
        <source>DeepSpeed reads this config and then refuses to train with it.</source>
        <translation>DeepSpeed 能读取该配置，但随后拒绝用它训练。</translation>
    </message>
    <message>
        <source>DeepSpeed refuses this config: nothing in it is used until it is mended.</source>
        <translation>DeepSpeed 拒绝该配置：改正之前其中的任何值都不会被使用。</translation>
    </message>
    <message>
        <source>Below stands the last text that could be read.</source>
        <translation>下面是上一次可读取的文本。</translation>
    </message>
</context>
<context>
    <name>stagecraft::StepCurveView</name>
    <message>
        <source>Learning rate over the steps</source>
        <translation>学习率随步数</translation>
    </message>
    <message>
        <source>Difficulty over the steps</source>
        <translation>难度随步数</translation>
    </message>
    <message>
        <source>From %1 to %2, at most %3, over %4 steps</source>
        <translation>从 %1 到 %2，最高 %3，共 %4 步</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>最高 %1</translation>
    </message>
    <message>
        <source>step %1 → %2</source>
        <translation>第 %1 步 → %2</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>difficulty</source>
        <translation>难度</translation>
    </message>
    <message>
        <source>run ends</source>
        <translation>运行结束</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>%1; recorded by %2: %3</source>
        <translation>%1；%2 的记录：%3</translation>
    </message>
    <message>
        <source>%1; %2: %3</source>
        <translation>%1；%2：%3</translation>
    </message>
    <message>
        <source>A schedule counts its steps from 0, a run from 1: the first step that %1 records is step 0 here.</source>
        <translation>调度器的步数从 0 起，运行的步数从 1 起：%1 记录的第 1 步在这里是第 0 步。</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
</context>
<context>
    <name>stagecraft::TextFind</name>
    <message>
        <source>%1 of %2</source>
        <translation>第 %1 处，共 %2 处</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 found</source>
        <translation>找到 %1 处</translation>
    </message>
    <message>
        <source>Find in the text</source>
        <translation>在文本中查找</translation>
    </message>
    <message>
        <source>The place before (Shift+Enter)</source>
        <translation>上一处（Shift+Enter）</translation>
    </message>
    <message>
        <source>The next place (Enter)</source>
        <translation>下一处（Enter）</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Replace all</source>
        <translation>全部替换</translation>
    </message>
    <message>
        <source>%1 replaced</source>
        <translation>已替换 %1 处</translation>
    </message>
    <message>
        <source>Replace (Ctrl+H)</source>
        <translation>替换（Ctrl+H）</translation>
    </message>
    <message>
        <source>Replace with</source>
        <translation>替换为</translation>
    </message>
</context>
</TS>
