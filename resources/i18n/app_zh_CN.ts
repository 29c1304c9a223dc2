<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>stagecraft::app::PlanService</name>
    <message>
        <source>There are more than %L1 values, so that nothing is planned. Is this the right file?</source>
        <translation>值超过 %L1 个，因此不做规划。文件选对了吗？</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::Actions</name>
    <message>
        <source>&amp;Fill the page with the panel</source>
        <translation>面板铺满页面(&amp;F)</translation>
    </message>
    <message>
        <source>Let the panel fill the page, or put it back</source>
        <translation>让面板铺满页面，或恢复原状</translation>
    </message>
    <message>
        <source>&amp;Next panel</source>
        <translation>下一个面板(&amp;N)</translation>
    </message>
    <message>
        <source>Go to the next panel</source>
        <translation>转到下一个面板</translation>
    </message>
    <message>
        <source>&amp;Previous panel</source>
        <translation>上一个面板(&amp;P)</translation>
    </message>
    <message>
        <source>Go to the previous panel</source>
        <translation>转到上一个面板</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>全屏(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;New workspace</source>
        <translation>新建工作区(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open the &amp;demo</source>
        <translation>打开演示(&amp;D)</translation>
    </message>
    <message>
        <source>Open the demo workspace</source>
        <translation>打开演示工作区</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>Save under another name</source>
        <translation>以其他名称保存</translation>
    </message>
    <message>
        <source>Save workspace &amp;as…</source>
        <translation>工作区另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>Make a workspace around this ds_config: model, hardware and layout are kept in it</source>
        <translation>以此 ds_config 建立工作区，保存模型、硬件与布局</translation>
    </message>
    <message>
        <source>&amp;Close workspace</source>
        <translation>关闭工作区(&amp;C)</translation>
    </message>
    <message>
        <source>Close the workspace</source>
        <translation>关闭工作区</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>&amp;Find…</source>
        <translation>查找(&amp;F)…</translation>
    </message>
    <message>
        <source>Find in the panel</source>
        <translation>在面板中查找</translation>
    </message>
    <message>
        <source>&amp;Copy the command line</source>
        <translation>复制命令行(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the command line of this page</source>
        <translation>复制此页的命令行</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>设置(&amp;S)…</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>&amp;Inspector</source>
        <translation>检查器(&amp;I)</translation>
    </message>
    <message>
        <source>Show or hide the inspector</source>
        <translation>显示或隐藏检查器</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>重置布局(&amp;R)</translation>
    </message>
    <message>
        <source>Reset the layout of the window</source>
        <translation>重置窗口布局</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>Theme of the system</source>
        <translation>跟随系统主题</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>Light theme</source>
        <translation>浅色主题</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>Dark theme</source>
        <translation>深色主题</translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation>启动(&amp;L)</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>Stop after the running step</source>
        <translation>当前步结束后停止</translation>
    </message>
    <message>
        <source>&amp;Kill…</source>
        <translation>强制结束(&amp;K)…</translation>
    </message>
    <message>
        <source>Kill all ranks at once</source>
        <translation>立即结束所有 rank</translation>
    </message>
    <message>
        <source>&amp;Re-attach</source>
        <translation>重新连接(&amp;R)</translation>
    </message>
    <message>
        <source>Re-attach to a running run</source>
        <translation>重新连接正在运行的任务</translation>
    </message>
    <message>
        <source>&amp;Search or run a command…</source>
        <translation>搜索或执行命令(&amp;S)…</translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation>搜索或执行命令</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Help on what has the focus</source>
        <translation>当前焦点的帮助</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>All keyboard shortcuts</source>
        <translation>全部键盘快捷键</translation>
    </message>
    <message>
        <source>&amp;About Stagecraft</source>
        <translation>关于 Stagecraft(&amp;A)</translation>
    </message>
    <message>
        <source>About Stagecraft</source>
        <translation>关于 Stagecraft</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>工具(&amp;T)</translation>
    </message>
    <message>
        <source>Config &amp;wizard…</source>
        <translation>配置向导(&amp;W)…</translation>
    </message>
    <message>
        <source>Ask for the ds_config question by question</source>
        <translation>逐个问题生成 ds_config</translation>
    </message>
    <message>
        <source>Open a workspace or a config</source>
        <translation>打开工作区或配置</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>导入(&amp;I)…</translation>
    </message>
    <message>
        <source>Import a file of accelerate, HF Trainer, LLaMA-Factory, axolotl or a launch script</source>
        <translation>导入 accelerate、HF Trainer、LLaMA-Factory、axolotl 的文件或启动脚本</translation>
    </message>
    <message>
        <source>Export for other tools</source>
        <translation>导出给其他工具</translation>
    </message>
    <message>
        <source>Config chec&amp;klist</source>
        <translation>配置检查清单(&amp;K)</translation>
    </message>
    <message>
        <source>Hold good practices against this workspace</source>
        <translation>用良好做法对照此工作区</translation>
    </message>
    <message>
        <source>Config diff: &amp;compare with the saved file</source>
        <translation>配置差异：与已保存的文件对比(&amp;C)</translation>
    </message>
    <message>
        <source>What differs from the saved ds_config, by meaning and by text</source>
        <translation>按含义和文本列出与已保存 ds_config 的差异</translation>
    </message>
    <message>
        <source>Config diff: compare with another &amp;file…</source>
        <translation>配置差异：与另一文件对比(&amp;F)…</translation>
    </message>
    <message>
        <source>What differs from another ds_config, by meaning and by text</source>
        <translation>按含义和文本列出与另一个 ds_config 的差异</translation>
    </message>
    <message>
        <source>Plan for a model and hardware</source>
        <translation>为模型与硬件做规划</translation>
    </message>
    <message>
        <source>&amp;Model and hardware…</source>
        <translation>模型与硬件(&amp;M)…</translation>
    </message>
    <message>
        <source>Choose model and hardware</source>
        <translation>选择模型与硬件</translation>
    </message>
    <message>
        <source>&amp;Device sheets…</source>
        <translation>设备规格表(&amp;D)…</translation>
    </message>
    <message>
        <source>Every figure that plans take of a device, with its source; your own sheets</source>
        <translation>规划所用的每项设备数据及其来源；自己的规格表</translation>
    </message>
    <message>
        <source>&amp;Published claims…</source>
        <translation>公开的论断(&amp;P)…</translation>
    </message>
    <message>
        <source>Recommendations and claims of tutorials, held against the plan; any opens as a workspace</source>
        <translation>教程中的建议与论断，逐条与规划对照；每条都可作为工作区打开</translation>
    </message>
    <message>
        <source>&amp;DeepSpeed and FSDP2…</source>
        <translation>DeepSpeed 与 FSDP2(&amp;D)…</translation>
    </message>
    <message>
        <source>What DeepSpeed and FSDP2 have, feature by feature</source>
        <translation>逐项比较 DeepSpeed 与 FSDP2 的功能</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::BehaviourWords</name>
    <message>
        <source>sharding (planned as %1)</source>
        <translation>分片方式（按 %1 规划）</translation>
    </message>
    <message>
        <source>offload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>precision (planned in %1)</source>
        <translation>精度（按 %1 规划）</translation>
    </message>
    <message>
        <source>sequence parallelism</source>
        <translation>序列并行</translation>
    </message>
    <message>
        <source>the choice of what is recomputed (planned as %1)</source>
        <translation>重计算的范围（按 %1 规划）</translation>
    </message>
    <message>
        <source>the model of the arguments (the workspace’s own is planned)</source>
        <translation>参数所描述的模型（改为规划工作区自己的模型）</translation>
    </message>
    <message>
        <source>a sequence of %1 tokens, beyond the model’s positions</source>
        <translation>%1 个 token 的序列（超出模型的位置数）</translation>
    </message>
    <message>
        <source>the arguments %1</source>
        <translation>参数 %1</translation>
    </message>
    <message>
        <source>%1 does not take over: %2.</source>
        <translation>%1 未能沿用：%2。</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::CommandPalette</name>
    <message>
        <source>Search or run a command</source>
        <translation>搜索或执行命令</translation>
    </message>
    <message>
        <source>Type a command, a key of ds_config, a run</source>
        <translation>输入命令、ds_config 键或运行名</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Enter runs     Tab previews     Esc closes     &gt; commands   # keys   @ runs   ? help</source>
        <translation>Enter 执行     Tab 预览     Esc 关闭     &gt; 命令   # 键   @ 运行   ? 帮助</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Keys of ds_config</source>
        <translation>ds_config 的键</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Nothing here is called &quot;%1&quot;</source>
        <translation>没有名为“%1”的条目</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ConfigDocumentPage</name>
    <message>
        <source>The workspace can be read again: Text has its ds_config</source>
        <translation>工作区已能读取：“文本”中是它的 ds_config</translation>
    </message>
    <message>
        <source>Config</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>dsConfig in %1</source>
        <translation>%1 中的 dsConfig</translation>
    </message>
    <message>
        <source>ds_config, in no file yet</source>
        <translation>ds_config，尚无文件</translation>
    </message>
    <message>
        <source>all of %1</source>
        <translation>%1 全文</translation>
    </message>
    <message>
        <source>Line %1, column %2</source>
        <translation>第 %1 行，第 %2 列</translation>
    </message>
    <message>
        <source>Checked as DeepSpeed %1 in %2</source>
        <translation>按 DeepSpeed %1 检查，用时 %2</translation>
    </message>
    <message>
        <source>Behaviour of %1 → %2</source>
        <translation>行为：%1 → %2</translation>
    </message>
    <message>
        <source>Cannot read %1: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>%1 on disk</source>
        <translation>磁盘上的 %1</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::PresetEffect</name>
    <message>
        <source>Memory and step time: computing…</source>
        <translation>内存与单步时间：计算中…</translation>
    </message>
    <message>
        <source>Memory and step time are not known: %1</source>
        <translation>内存与单步时间未知：%1</translation>
    </message>
    <message>
        <source>Memory and step time are not known: there is no forecast for this workspace.</source>
        <translation>内存与单步时间未知：此工作区没有预测。</translation>
    </message>
    <message>
        <source>Now: %1</source>
        <translation>现在：%1</translation>
    </message>
    <message>
        <source>Nothing is trained with it: there is no step whose memory and time could be forecast.</source>
        <translation>它不用于训练：没有可预测内存与时间的训练步。</translation>
    </message>
    <message>
        <source>With the preset: %1</source>
        <translation>应用预设后：%1</translation>
    </message>
    <message>
        <source>%1 · no change</source>
        <translation>%1 · 不变</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ConfigWizard</name>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 tokens/s</translation>
    </message>
    <message>
        <source>Wizard</source>
        <translation>向导</translation>
    </message>
    <message>
        <source>what changes</source>
        <translation>将改变的内容</translation>
    </message>
    <message>
        <source>question %1 of %2</source>
        <translation>第 %1 题，共 %2 题</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>The text cannot be read, so there is nothing to ask about: %1</source>
        <translation>文本无法读取，无从提问：%1</translation>
    </message>
    <message>
        <source>stays as it is</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>A whole number from %1 to %2.</source>
        <translation>%1 到 %2 的整数。</translation>
    </message>
    <message>
        <source>A number from %1 to %2.</source>
        <translation>%1 到 %2 的数。</translation>
    </message>
    <message>
        <source>The workspace says all of this already.</source>
        <translation>工作区已是如此。</translation>
    </message>
    <message>
        <source>One undo step. All other values stay.</source>
        <translation>可一步撤销，其余值不变。</translation>
    </message>
    <message>
        <source>What the wizard changes</source>
        <translation>向导将改变的内容</translation>
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
        <source>removed</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>cannot be planned: %1</source>
        <translation>无法规划：%1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>unsure whether it fits</source>
        <translation>不确定能否放下</translation>
    </message>
    <message>
        <source>no forecast for this workspace</source>
        <translation>此工作区没有预测</translation>
    </message>
    <message>
        <source>computing…</source>
        <translation>计算中…</translation>
    </message>
    <message>
        <source>As it is: %1</source>
        <translation>目前：%1</translation>
    </message>
    <message>
        <source>With the other answers: %1</source>
        <translation>按其他回答：%1</translation>
    </message>
    <message>
        <source>As it is, trained by DeepSpeed: %1</source>
        <translation>目前（由 DeepSpeed 训练）：%1</translation>
    </message>
    <message>
        <source>With the other answers, trained by DeepSpeed: %1</source>
        <translation>按其他回答（由 DeepSpeed 训练）：%1</translation>
    </message>
    <message>
        <source>cannot be planned</source>
        <translation>无法规划</translation>
    </message>
    <message>
        <source>no forecast: %1</source>
        <translation>没有预测：%1</translation>
    </message>
    <message>
        <source>not by our engine</source>
        <translation>本引擎不支持</translation>
    </message>
    <message>
        <source>Where an answer names no other, the numbers are of %1, trained by %2.</source>
        <translation>选项未另行注明时，数字对应 %1，训练方：%2。</translation>
    </message>
    <message>
        <source>%1 Model and hardware are assumed: nobody has chosen them.</source>
        <translation>%1模型与硬件为假定，尚未选择。</translation>
    </message>
    <message>
        <source>%1 The model is assumed: nobody has chosen it.</source>
        <translation>%1模型为假定，尚未选择。</translation>
    </message>
    <message>
        <source>%1 The hardware is assumed: nobody has chosen it.</source>
        <translation>%1硬件为假定，尚未选择。</translation>
    </message>
    <message>
        <source>The numbers are of %1, trained by %2.</source>
        <translation>数字对应 %1，训练方：%2。</translation>
    </message>
    <message>
        <source>%1 Our engine does not train every answer: %2</source>
        <translation>%1本引擎不能训练所有选项：%2</translation>
    </message>
    <message>
        <source>auto: stays as it is</source>
        <translation>auto：保持不变</translation>
    </message>
    <message>
        <source>still refused</source>
        <translation>仍被拒绝</translation>
    </message>
    <message>
        <source>%1 The answers here do not change that.</source>
        <translation>%1这里的回答改变不了这一点。</translation>
    </message>
    <message>
        <source>not in the forecast, which goes by the experts that the model itself has: choose one with experts under Model and hardware</source>
        <translation>不影响预测：预测以模型自身的专家为准；可在“模型与硬件”中选择带专家的模型</translation>
    </message>
    <message>
        <source>%1 refuses it: %2</source>
        <translation>%1 拒绝：%2</translation>
    </message>
    <message>
        <source>%1 still refuses it, for what question %2 says.</source>
        <translation>%1 仍会拒绝，原因见第 %2 题。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::CoreWords</name>
    <message>
        <source>%1 may fit, with a probability of %2, and takes %3 s a step where the tree&apos;s answer takes %4: worth a try before it</source>
        <translation>%1 可能放得下（概率 %2），每步 %3 s，而决策树的方案每步 %4 s：值得先试</translation>
    </message>
    <message>
        <source>The tree keeps the layout of the job. Of all layouts that surely fit the fastest has dp %1, tp %2, pp %3, cp %4, ep %5, a micro-batch of %6 and recompute %7: %8 s a step, where the tree&apos;s answer takes %9</source>
        <translation>决策树保持任务的布局。确定放得下的布局中最快的是 dp %1、tp %2、pp %3、cp %4、ep %5，微批次 %6，recompute %7：每步 %8 s，而决策树的方案每步 %9 s</translation>
    </message>
    <message>
        <source>The tree keeps the layout of the job. Of all layouts that surely fit the fastest has dp %1, tp %2, pp %3, cp %4, ep %5, a micro-batch of %6, ZeRO stage %7, offload_optimizer %8, offload_param %9 and recompute %10: %11 s a step, where the tree&apos;s answer takes %12</source>
        <translation>决策树保持任务的布局。确定放得下的布局中最快的是 dp %1、tp %2、pp %3、cp %4、ep %5，微批次 %6，ZeRO 阶段 %7，offload_optimizer %8，offload_param %9，recompute %10：每步 %11 s，而决策树的方案每步 %12 s</translation>
    </message>
    <message>
        <source>As the job is written it fits with recomputation, at %1 s a step: the tree ends with a micro-batch of %2 and %3 of them a step, which leaves the global batch as it is and takes %4 s</source>
        <translation>任务按现有写法要重计算才放得下，每步 %1 s：决策树最后给出的方案采用大小为 %2 的微批次，每步 %3 个，全局批次不变，每步 %4 s</translation>
    </message>
    <message>
        <source>As the job is written it fits with states outside the devices, at %1 s a step: the tree ends with activation checkpointing, which computes every layer twice and takes %2 s</source>
        <translation>任务按现有写法要把状态放到设备之外才放得下，每步 %1 s：决策树最后给出的方案启用激活重计算，每层要计算两次，每步 %2 s</translation>
    </message>
    <message>
        <source>As the job is written it fits with states outside the devices, at %1 s a step: the tree ends with a micro-batch of %2 and %3 of them a step, which leaves the global batch as it is and takes %4 s</source>
        <translation>任务按现有写法要把状态放到设备之外才放得下，每步 %1 s：决策树最后给出的方案采用大小为 %2 的微批次，每步 %3 个，全局批次不变，每步 %4 s</translation>
    </message>
    <message>
        <source>As the job is written it fits with states outside the devices, at %1 s a step: the tree ends with activation checkpointing and a micro-batch of %2 with %3 of them a step, which leaves the global batch as it is and takes %4 s</source>
        <translation>任务按现有写法要把状态放到设备之外才放得下，每步 %1 s：决策树最后给出的方案启用激活重计算并采用大小为 %2 的微批次，每步 %3 个，全局批次不变，每步 %4 s</translation>
    </message>
    <message>
        <source>Nothing surely fits as the job is written: the tree ends with activation checkpointing, which computes every layer twice</source>
        <translation>任务按现有写法没有确定放得下的：决策树最后给出的方案启用激活重计算，每层要计算两次</translation>
    </message>
    <message>
        <source>Nothing surely fits as the job is written: the tree ends with a micro-batch of %1 and %2 of them a step, which leaves the global batch as it is</source>
        <translation>任务按现有写法没有确定放得下的：决策树最后给出的方案采用大小为 %1 的微批次，每步 %2 个，全局批次不变</translation>
    </message>
    <message>
        <source>Nothing surely fits as the job is written: the tree ends with activation checkpointing, which computes every layer twice, and a micro-batch of %1 with %2 of them a step, which leaves the global batch as it is</source>
        <translation>任务按现有写法没有确定放得下的：决策树最后给出的方案启用激活重计算（每层要计算两次），并采用大小为 %1 的微批次，每步 %2 个，全局批次不变</translation>
    </message>
    <message>
        <source>Its host figures are multiplied by additional_buffer_factor, 1.5 unless given: a margin that a plan does not add, for it counts buffers one by one</source>
        <translation>主机数值再乘以 additional_buffer_factor（默认 1.5）：这是余量，方案逐项计算缓冲区，不加此余量</translation>
    </message>
    <message>
        <source>4 Φ for each GPU of a node on the host: every process builds the whole model in fp32 before it moves to its device; a plan has that in the phase init, which is over once training begins</source>
        <translation>主机上节点内每张 GPU 计 4 Φ：每个进程先以 fp32 建好整个模型再移到设备；方案把它计入初始化阶段，训练开始后即释放</translation>
    </message>
    <message>
        <source>4 Λ for each GPU of a node on the host: zero.Init moves every module away as soon as it is built in fp32</source>
        <translation>主机上节点内每张 GPU 计 4 Λ：zero.Init 在每个模块以 fp32 建好后立即移走</translation>
    </message>
    <message>
        <source>max(4 N, 16) Φ on each node&apos;s host: N counts the GPUs of all nodes where those of one are meant, and the 16 Φ are not divided among the nodes, so that the figure grows with nodes; a plan counts the ranks of one node</source>
        <translation>每个节点主机 max(4 N, 16) Φ：N 用了所有节点的 GPU 数，本应只取单个节点的，16 Φ 也未按节点平分，因此随节点数增长；方案只计单个节点的 rank</translation>
    </message>
    <message>
        <source>4 Λ on the device: the largest module&apos;s 16-bit weights while they are gathered, and its 16-bit gradients; a plan gathers whole layers ahead, as far as the prefetch settings let it</source>
        <translation>设备上 4 Λ：最大模块聚合时的 16 位权重及其 16 位梯度；方案按预取设置提前聚合整层</translation>
    </message>
    <message>
        <source>16 B a parameter on the host: 4 B of fp32 weights, 4 B of fp32 gradients and 8 B of Adam&apos;s moments; offloaded 16-bit weights make it 18</source>
        <translation>主机上每参数 16 B：fp32 权重 4 B、fp32 梯度 4 B、Adam 动量与方差 8 B；再卸载 16 位权重则为 18 B</translation>
    </message>
    <message>
        <source>2 Φ / N on the device: the 16-bit weights, which are not offloaded</source>
        <translation>设备上 2 Φ / N：未卸载的 16 位权重</translation>
    </message>
    <message>
        <source>2 Φ on the device: the 16-bit weights alone; it takes gradients to leave for the host as they are made, and a plan adds the buckets they pass through</source>
        <translation>设备上 2 Φ：仅 16 位权重；它假定梯度一产生就移到主机，方案还会加上途经的通信桶</translation>
    </message>
    <message>
        <source>DeepSpeed&apos;s documentation still prints 4 Φ + 16 Φ / N, with the 16-bit gradients whole on each device; its code divides them and has counted 2 Φ + 18 Φ / N since pull request 5099</source>
        <translation>DeepSpeed 文档仍写 4 Φ + 16 Φ / N，即每张卡保留完整的 16 位梯度；其代码会切分梯度，自 PR 5099 起按 2 Φ + 18 Φ / N 计算</translation>
    </message>
    <message>
        <source>18 Φ / N, not 14 or 16: 2 B of 16-bit gradients, 4 B of their fp32 copy at the optimizer step, 4 B of fp32 weights and 8 B of Adam&apos;s moments; a plan has that copy in the step alone</source>
        <translation>18 Φ / N，而非 14 或 16：16 位梯度 2 B，优化器更新时其 fp32 副本 4 B，fp32 权重 4 B，Adam 动量与方差 8 B；方案只在更新阶段计入该副本</translation>
    </message>
    <message>
        <source>The tree is walked as DeepSpeed shards, not as %1 does</source>
        <translation>决策树按 DeepSpeed 的切分方式判断，而非 %1 的方式</translation>
    </message>
    <message>
        <source>Layouts with tensor parallelism are left out: DeepSpeed 0.19.8 refuses the plan that Transformers 5.23 has for dividing &quot;%1&quot;; with a tensor_parallel.partition_config in the ds_config they are ranked</source>
        <translation>不列出含张量并行的布局：DeepSpeed 0.19.8 拒绝 Transformers 5.23 为“%1”给出的切分方案；在 ds_config 中给出 tensor_parallel.partition_config 后会参与排名</translation>
    </message>
    <message>
        <source>Layouts with tensor parallelism are left out: DeepSpeed 0.19.8 refuses to divide Transformers&apos; &quot;%1&quot;</source>
        <translation>不列出含张量并行的布局：DeepSpeed 0.19.8 拒绝切分 Transformers 的“%1”</translation>
    </message>
    <message>
        <source>No precision is set: the tree is walked for mixed precision</source>
        <translation>未设置精度：决策树按混合精度判断</translation>
    </message>
    <message>
        <source>No precision is set: the tree is walked as %1 trains then, layouts are ranked for mixed precision</source>
        <translation>未设置精度：决策树按 %1 此时的训练方式判断，布局按混合精度排序</translation>
    </message>
    <message>
        <source>No branch of the tree fits %1 data-parallel ranks with %2 each, as %3 shards; use another layout, a smaller micro-batch or more devices</source>
        <translation>按 %3 的方式分片，%1 个各有 %2 的数据并行 rank 上，决策树各分支都放不下；换布局、减小微批次或增加设备</translation>
    </message>
    <message>
        <source>No branch of the tree surely fits; %1 may, with a probability of %2</source>
        <translation>决策树没有肯定放得下的分支；%1 可能放得下，概率 %2</translation>
    </message>
    <message>
        <source>No stage and no offload fits %1 data-parallel ranks with %2 each, as %3 shards; use more devices, a smaller micro-batch or recomputation</source>
        <translation>按 %3 的方式分片，%1 个各有 %2 的数据并行 rank 上，任何阶段与卸载都放不下；增加设备、减小微批次或启用重计算</translation>
    </message>
    <message>
        <source>Other layouts fit: the first of them, as %1 runs it, has dp %2, tp %3, pp %4, cp %5 and ep %6</source>
        <translation>其他布局放得下：按 %1 的运行方式，其中第一个为 dp %2、tp %3、pp %4、cp %5、ep %6</translation>
    </message>
    <message>
        <source>The same layout fits as %1 runs it with recompute %2 and a micro-batch of %3, %4 of them a step</source>
        <translation>同样的布局放得下：按 %1 的运行方式，recompute %2，微批次 %3，每步 %4 个</translation>
    </message>
    <message>
        <source>The same layout fits as %1 runs it with ZeRO stage %2, offload_optimizer %3, offload_param %4, recompute %5 and a micro-batch of %6, %7 of them a step</source>
        <translation>同样的布局放得下：按 %1 的运行方式，ZeRO 阶段 %2，offload_optimizer %3，offload_param %4，recompute %5，微批次 %6，每步 %7 个</translation>
    </message>
    <message>
        <source>%1 runs this model with dp %2, ZeRO stage %3, recompute %4 and a micro-batch of %5, %6 of them a step: %7 of %8, %9 s a step</source>
        <translation>%1 可按 dp %2、ZeRO 阶段 %3、recompute %4、微批次 %5（每步 %6 个）运行该模型：占用 %8 中的 %7，单步 %9 s</translation>
    </message>
    <message>
        <source>Only Megatron-LM&apos;s command line can describe this model: there is no tree of it as DeepSpeed shards; give it under model for one</source>
        <translation>该模型只能由 Megatron-LM 的命令行描述：无法按 DeepSpeed 的分片方式给出决策树；如需决策树，在 model 下给出模型</translation>
    </message>
    <message>
        <source>The plan does not know these arguments, and is made as if they were not written: %1; memory and time may be others</source>
        <translation>规划不认识这些参数，按未写处理：%1；实际显存和时间可能不同</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; use a whole number, or a list of 0 and 1 for the %3 layers, such as &quot;([0]*3+[1]*5)&quot;</source>
        <translation>“%1”为 %2；改用整数，或为 %3 层各写 0 或 1 的列表，例如 &quot;([0]*3+[1]*5)&quot;</translation>
    </message>
    <message>
        <source>&quot;%1&quot; makes %2 layers, which %3 pipeline stages cannot share evenly; use a divisor</source>
        <translation>“%1”使层数变为 %2，无法平均分给 %3 个流水线段；改用它的约数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;; use default, always or never</source>
        <translation>“%1”为“%2”；改用 default、always 或 never</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; use 1 for FullyShardedDataParallel, or 2 for fully_shard</source>
        <translation>“%1”为 %2；1 表示 FullyShardedDataParallel，2 表示 fully_shard</translation>
    </message>
    <message>
        <source>This model has no such linear layers for adapters: its experts are packed into one tensor; use &quot;all-linear&quot; or &quot;attention&quot;</source>
        <translation>该模型没有可加适配器的这类线性层：专家合并在一个张量里；改用 &quot;all-linear&quot; 或 &quot;attention&quot;</translation>
    </message>
    <message>
        <source>PEFT 0.21 adapts packed experts and routers too where their projections are named or &quot;all-linear&quot; is said: %1 of the trained parameters are theirs, and it makes their weights anew in each forward pass and keeps them whole for the backward pass; PEFT 0.18 and older adapt none of them</source>
        <translation>点名了专家的投影或使用 &quot;all-linear&quot; 时，PEFT 0.21 也会适配合并的专家与路由：可训练参数中有 %1 个属于它们；每次前向传播都会重新生成它们的权重，并完整保留到反向传播；PEFT 0.18 及更早版本都不会适配它们</translation>
    </message>
    <message>
        <source>The routed experts have no adapters: Transformers packs them into one tensor, and PEFT 0.21 converts no names of experts in models of the type &quot;%1&quot;</source>
        <translation>路由专家没有适配器：Transformers 把它们合并成一个张量，而 PEFT 0.21 不转换 &quot;%1&quot; 类模型中专家的名称</translation>
    </message>
    <message>
        <source>A quantised base leaves the routed experts in 16 bits: Transformers has packed them into one tensor since its release 5, which is no linear layer. Where yours is older say its month in framework.arguments, as in &quot;release&quot;: &quot;2025-06&quot;</source>
        <translation>量化基座让路由专家保持 16 位：Transformers 自第 5 版起把它们合并成一个张量，不是线性层。若用的是更早的版本，在 framework.arguments 中写出其月份，例如 &quot;release&quot;: &quot;2025-06&quot;</translation>
    </message>
    <message>
        <source>PEFT adapts %1 only together with %2, as the experts have them packed into one tensor; name both</source>
        <translation>PEFT 只有同时适配 %2 才会适配 %1，因为专家把它们合并在一个张量里；两者都写上</translation>
    </message>
    <message>
        <source>PEFT refuses %1 where packed experts or routers have adapters; leave it out, or name targets without them such as [&quot;q_proj&quot;, &quot;v_proj&quot;]</source>
        <translation>合并的专家或路由带适配器时，PEFT 拒绝 %1；去掉它，或改用不含它们的目标，如 [&quot;q_proj&quot;, &quot;v_proj&quot;]</translation>
    </message>
    <message>
        <source>config.json says that the weights are quantised (%1), and such weights cannot be trained: the plan is of the same model unpacked; for adapters on packed weights set model.adapter.base to nf4 or int8</source>
        <translation>config.json 表明权重已量化（%1），这样的权重不能训练：规划按未量化的同一模型计算；要在量化权重上训练适配器，把 model.adapter.base 设为 nf4 或 int8</translation>
    </message>
    <message>
        <source>&quot;ratio&quot; works in stage 3 only: the plan puts all optimizer states on the host, and DeepSpeed may refuse the file</source>
        <translation>&quot;ratio&quot; 只在 stage 3 有效：规划把全部优化器状态放在主机内存，DeepSpeed 可能拒绝该文件</translation>
    </message>
    <message>
        <source>DeepSpeed offloads whole sub-groups of %1 elements: %2 % of the optimizer states lie on the host, not %3 %; a smaller sub_group_size divides finer</source>
        <translation>DeepSpeed 按整个子组（%1 个元素）卸载：%2 % 的优化器状态在主机内存，而不是 %3 %；更小的 sub_group_size 可以分得更细</translation>
    </message>
    <message>
        <source>&quot;ratio&quot; has no effect beside &quot;nvme&quot;: every sub-group of the optimizer states from 1 MiB on lies in files; remove it</source>
        <translation>与 &quot;nvme&quot; 同时使用时 &quot;ratio&quot; 不起作用：优化器状态中不小于 1 MiB 的 sub-group 都放在文件中；删除它</translation>
    </message>
    <message>
        <source>In stage %1 &quot;nvme&quot; acts as &quot;cpu&quot;: the optimizer states lie in host memory, in no file; use stage 3 for files</source>
        <translation>在 stage %1 中 &quot;nvme&quot; 等同 &quot;cpu&quot;：优化器状态在主机内存中，不写文件；要用文件，用 stage 3</translation>
    </message>
    <message>
        <source>These arguments do not matter to the plan: %1</source>
        <translation>这些参数对规划没有影响：%1</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; it must be a whole number from 1 to %3</source>
        <translation>“%1”为 %2；须为 1 到 %3 的整数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; it must be one of %3</source>
        <translation>“%1”为 %2；须为以下之一：%3</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; it must be a number from 0</source>
        <translation>“%1”为 %2；须为不小于 0 的数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is missing: the workspace&apos;s model has no sizes, so that Megatron&apos;s arguments must give num-layers, hidden-size and num-attention-heads</source>
        <translation>缺少“%1”：工作区的模型没有各项尺寸，因此 Megatron 的参数必须给出 num-layers、hidden-size 和 num-attention-heads</translation>
    </message>
    <message>
        <source>&quot;%1&quot; changes the workspace&apos;s model, whose layers Megatron&apos;s arguments cannot describe; leave it out and change &quot;model&quot;, or give num-layers, hidden-size, num-attention-heads and what else the model has</source>
        <translation>“%1”会改变工作区的模型，而 Megatron 的参数无法描述这种模型的层；请去掉它并修改“model”，或给出 num-layers、hidden-size、num-attention-heads 以及模型的其他参数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; and the other sizes make a model beyond any machine</source>
        <translation>“%1”与其他尺寸给出的模型超出任何机器</translation>
    </message>
    <message>
        <source>&quot;%1&quot; x pipeline x context = %2 does not divide the %3 ranks</source>
        <translation>“%1” × 流水线 × 上下文 = %2，不能整除 %3 个 rank</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, no multiple of micro batch %3 x %4 data-parallel ranks</source>
        <translation>“%1”为 %2，不是微批次 %3 × %4 个数据并行 rank 的倍数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, no multiple of local batch %3 x %4 ranks</source>
        <translation>“%1”为 %2，不是本地批次 %3 × %4 个 rank 的倍数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has &quot;%2&quot;; use norm, rotation and gate, or none</source>
        <translation>“%1”中有“%2”；可用 norm、rotation 和 gate，或 none</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;; use eager, fused or fused_linear, or under FSDP2 compiled</source>
        <translation>“%1”的值为“%2”；请用 eager、fused 或 fused_linear，FSDP2 下还可用 compiled</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;; use float32 or bfloat16</source>
        <translation>“%1”为“%2”；可用 float32 或 bfloat16</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;; use bfloat16, float16 or float32</source>
        <translation>“%1”的值为“%2”；改用 bfloat16、float16 或 float32</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, no divisor of the %3 data-parallel ranks</source>
        <translation>“%1”为 %2，不能整除 %3 个数据并行 rank</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2: fsdp %3 x tp %4 x pp %5 x cp %6 makes %7 ranks, which does not divide the %8 devices; use sizes whose product does</source>
        <translation>“%1”为 %2：fsdp %3 x tp %4 x pp %5 x cp %6 共 %7 个 rank，不能整除 %8 个设备；改用乘积能整除的大小</translation>
    </message>
    <message>
        <source>DeepSpeed divides each layer over %1 ranks, and the plan over layout.tp %2: set layout.tp to %3 and layout.dp to %4</source>
        <translation>DeepSpeed 把每层划分到 %1 个 rank，而计划按 layout.tp %2 划分：把 layout.tp 设为 %3，layout.dp 设为 %4</translation>
    </message>
    <message>
        <source>DeepSpeed divides the ranks as the ds_config says (%1): the plan is of layout.dp %2, tp %3, cp %4 and ep %5</source>
        <translation>DeepSpeed 按 ds_config（%1）划分 rank：计划按 layout.dp %2、tp %3、cp %4、ep %5 制定</translation>
    </message>
    <message>
        <source>DeepSpeed is to divide each sequence over %1 ranks, and the plan over layout.cp %2: make them the same, by a divisor of the ranks</source>
        <translation>DeepSpeed 要把每个序列划分到 %1 个 rank，而计划按 layout.cp %2 划分：让两者相同，并使其整除 rank 数</translation>
    </message>
    <message>
        <source>num-layers, hidden-size and num-attention-heads describe a model of their own: &quot;model&quot; is not planned, and what they leave out is Megatron&apos;s default</source>
        <translation>num-layers、hidden-size 和 num-attention-heads 描述了另一个模型：不按“model”规划，未写的参数取 Megatron 的默认值</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, which does not divide the %3 heads; use a divisor</source>
        <translation>“%1”为 %2，不能整除 %3 个头；请用约数</translation>
    </message>
    <message>
        <source>Megatron refuses recompute-granularity full without recompute-method: add &quot;recompute-method&quot;: &quot;uniform&quot;, as it is planned</source>
        <translation>Megatron 会拒绝没有 recompute-method 的 recompute-granularity full：加上 "recompute-method": "uniform"，计划即按此制定</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has &quot;%2&quot;; use core_attn, moe_act, layernorm, mla_up_proj, mlp, moe and shared_experts</source>
        <translation>“%1”中有“%2”；可用 core_attn、moe_act、layernorm、mla_up_proj、mlp、moe 和 shared_experts</translation>
    </message>
    <message>
        <source>The ds_config does not divide layers over %1 ranks as the plan does: set tensor_parallel.autotp_size to %2, unless the script calls deepspeed.tp_model_init</source>
        <translation>计划把每层划分到 %1 个 rank，而 ds_config 没有这样划分：把 tensor_parallel.autotp_size 设为 %2，除非脚本调用 deepspeed.tp_model_init</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; it must be a number from 0 to 1</source>
        <translation>“%1”为 %2；须为 0 到 1 的数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; it must be a word in quotes</source>
        <translation>“%1”为 %2；须为带引号的词</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, and there are %3 experts; use no more than these</source>
        <translation>“%1”为 %2，而专家只有 %3 个；不要超过此数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; and &quot;bf16&quot; are both true, which Megatron refuses; use one of them</source>
        <translation>“%1”和“bf16”同时为 true，Megatron 会拒绝；只用其中一个</translation>
    </message>
    <message>
        <source>Stagecraft&apos;s own engine takes no arguments: these have no effect: %1</source>
        <translation>Stagecraft 自己的引擎不接受参数，以下参数不起作用：%1</translation>
    </message>
    <message>
        <source>What is swapped to files is forecast at %1 GB/s read and %2 GB/s written, as measured in %3; DeepSpeed&apos;s own asynchronous requests may be faster</source>
        <translation>交换到文件的数据按在 %3 测得的速度预测：读 %1 GB/s、写 %2 GB/s；DeepSpeed 自己的异步请求可能更快</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has two data sheets of &quot;%2&quot;: the last one counts; remove the other</source>
        <translation>“%1”中有两份“%2”的数据表：以最后一份为准；请删除另一份</translation>
    </message>
    <message>
        <source>DeepSpeed is to divide each layer over %1 ranks, and %2 ranks have no such groups; the plan is of layout.tp %3: use a divisor</source>
        <translation>DeepSpeed 要把每层划分到 %1 个 rank，但 %2 个 rank 分不出这样的组；计划按 layout.tp %3 计算：请用因数</translation>
    </message>
    <message>
        <source>%1 has no 8-bit products, and the job stops when it starts: train in bf16 or fp16, or use a device that has them (Ada, Hopper, Blackwell, MI300)</source>
        <translation>%1 不支持 8 位矩阵乘，作业启动时就会停止：请用 bf16 或 fp16 训练，或换用支持的设备（Ada、Hopper、Blackwell、MI300）</translation>
    </message>
    <message>
        <source>%1 key-value heads for %2 tensor-parallel ranks: DeepSpeed divides attention by them, so that it is on %3 ranks alone and the others have none of it; use layout.tp %4 or less</source>
        <translation>%1 个 KV 头，%2 个张量并行 rank：DeepSpeed 按 KV 头划分注意力，因此只有 %3 个 rank 有注意力，其余没有；把 layout.tp 设为 %4 或更小</translation>
    </message>
    <message>
        <source>%1 key-value heads cannot be divided over %2 tensor-parallel ranks: DeepSpeed gives %3 of them to the first, which the plan is of; use a divisor</source>
        <translation>%1 个 KV 头不能由 %2 个张量并行 rank 平分：DeepSpeed 把其中 %3 个给第一个 rank，规划即按它计算；使用约数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;; use none, full, selective op or selective layer</source>
        <translation>“%1”为“%2”；可用 none、full、selective op 或 selective layer</translation>
    </message>
    <message>
        <source>On a CPU what is offloaded lies in the memory that it is to leave: the fullest process takes %1 with it, and that is what has to fit</source>
        <translation>在 CPU 上，卸载的内容仍在它本应腾出的同一内存中：最满的进程连同这部分共占 %1，须以此判断是否放得下</translation>
    </message>
    <message>
        <source>The process holds %1 of %2 at its peak on the fullest rank, and can give back all but %3; nine of ten forecasts of such jobs lie within %4 % of what is measured</source>
        <translation>最满的 rank 在峰值时进程占用 %1（可用 %2），其中除 %3 外都能归还；此类任务的预测十次中有九次与实测相差不超过 %4%</translation>
    </message>
    <message>
        <source>launch.trainer has no effect: only transformers and accelerate fill &quot;auto&quot; from such arguments; name the one that starts the job in launch.launcher</source>
        <translation>launch.trainer 不起作用：只有 transformers 和 accelerate 会用这些参数填写 "auto"；请在 launch.launcher 中写明由谁启动作业</translation>
    </message>
    <message>
        <source>Segments of fixed size are planned, as PyTorch&apos;s allocator takes them: %1 of the peak is blocks that nothing fits in. Where PYTORCH_CUDA_ALLOC_CONF says expandable_segments:True, write &quot;expandable_segments&quot;: true in framework.arguments</source>
        <translation>按 PyTorch 分配器默认的固定大小内存段规划：峰值中有 %1 是放不下任何张量的空块。若 PYTORCH_CUDA_ALLOC_CONF 中设有 expandable_segments:True，请在 framework.arguments 中写 "expandable_segments": true</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, no whole number from 1 to %3: step time, memory and fit of such a job are not forecast; write one</source>
        <translation>&quot;%1&quot; 为 %2，不是 1 到 %3 的整数：无法预测这样的任务的步时、显存以及是否放得下；请填写一个整数</translation>
    </message>
    <message>
        <source>The ledger has model states alone, which depend on no batch: what a step adds does</source>
        <translation>账本只含模型状态，它与批次无关；训练步另需的部分则取决于批次</translation>
    </message>
    <message>
        <source>&quot;activation_checkpointing&quot; makes nothing be recomputed by itself: it says how the activations are kept that the model hands to deepspeed.checkpointing. The plan keeps all of them; set layout.recompute to &quot;full&quot; where the model does</source>
        <translation>“activation_checkpointing”本身不会触发任何重计算：它只说明模型交给 deepspeed.checkpointing 的激活如何保存。规划按保留全部激活计算；若模型确实调用了它，请把 layout.recompute 设为“full”</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is a folder of where DeepSpeed is started: its disk is neither looked at nor measured; write the path from / on</source>
        <translation>“%1”是相对于 DeepSpeed 启动目录的文件夹：既不检查也不测量其所在磁盘；请写从 / 开始的路径</translation>
    </message>
    <message>
        <source>The ds_config sets neither a train batch nor a micro batch; the plan uses a micro batch of 1</source>
        <translation>ds_config 既未设置总批次也未设置微批次；规划按微批次 1 计算</translation>
    </message>
    <message>
        <source>The batch does not add up: %1 is not micro batch %2 x accumulation %3 x %4 ranks; correct one of them</source>
        <translation>批次对不上：%1 不等于微批次 %2 × 梯度累积 %3 × %4 个 rank；改正其中一项</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, outside %3 to %4; the plan uses %5, DeepSpeed may refuse the file</source>
        <translation>“%1”为 %2，不在 %3 到 %4 之间；规划按 %5 计算，DeepSpeed 可能拒绝此文件</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, not true or false; the plan uses %3, DeepSpeed may refuse the file</source>
        <translation>“%1”为 %2，不是 true 或 false；规划按 %3 计算，DeepSpeed 可能拒绝此文件</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;; the plan uses %3, DeepSpeed may refuse the file</source>
        <translation>“%1”为“%2”；规划按 %3 计算，DeepSpeed 可能拒绝此文件</translation>
    </message>
    <message>
        <source>Our engine trains GPT-2 and LLaMA families only; plan this model with framework deepspeed, fsdp2 or megatron</source>
        <translation>本引擎只训练 GPT-2 与 LLaMA 系列；此模型可用 deepspeed、fsdp2 或 megatron 框架规划</translation>
    </message>
    <message>
        <source>Our engine has data parallelism only, not tp %1, pp %2, cp %3; set them to 1 or choose another framework</source>
        <translation>本引擎只有数据并行，不支持 tp %1、pp %2、cp %3；设为 1，或选择其他框架</translation>
    </message>
    <message>
        <source>layout.recompute is &quot;%1&quot;, which this engine cannot do; use &quot;none&quot; or &quot;full&quot;.</source>
        <translation>layout.recompute 为“%1”，本引擎不支持；改用“none”或“full”。</translation>
    </message>
    <message>
        <source>Our engine does not offload yet; remove the offload sections, or plan with framework deepspeed</source>
        <translation>本引擎尚不支持卸载；删除卸载配置，或用 deepspeed 框架规划</translation>
    </message>
    <message>
        <source>Our engine trains in fp32 and bf16, not in fp16; use bf16, or plan with framework deepspeed</source>
        <translation>本引擎以 fp32 和 bf16 训练，不支持 fp16；使用 bf16，或用 deepspeed 框架规划</translation>
    </message>
    <message>
        <source>A micro batch of %1 samples needs more than 2^60 bytes; use a smaller one</source>
        <translation>微批次 %1 个样本需要超过 2^60 字节；减小</translation>
    </message>
    <message>
        <source>%1 is %2; use 1 or more</source>
        <translation>%1 为 %2；须不小于 1</translation>
    </message>
    <message>
        <source>The layout has more than a billion ranks; use smaller sizes</source>
        <translation>布局超过十亿个 rank；减小各项</translation>
    </message>
    <message>
        <source>The memory of this host is not known to the plan: whether it fits is not judged</source>
        <translation>不知道这台主机的内存：不判断是否放得下</translation>
    </message>
    <message>
        <source>The peak needs %1 of %2 on the fullest rank</source>
        <translation>最满的 rank 峰值需要 %1，可用 %2</translation>
    </message>
    <message>
        <source>The device &quot;%1&quot; has no data sheet; choose another under Model and hardware, or add a sheet (Tools, Device sheets)</source>
        <translation>设备“%1”没有数据表；在“模型与硬件”中另选设备，或添加数据表（工具 → 设备规格表）</translation>
    </message>
    <message>
        <source>None of your data sheets is used: &quot;%1&quot; must be a JSON list of objects of at most 1 MiB; correct it</source>
        <translation>你的设备数据表均未采用：“%1”必须是不超过 1 MiB 的 JSON 对象列表；更正</translation>
    </message>
    <message>
        <source>Your data sheet of &quot;%1&quot; is not used: it has no usable &quot;%2&quot;; correct it in &quot;%3&quot;</source>
        <translation>未采用你的“%1”数据表：其中没有可用的“%2”；在“%3”中更正</translation>
    </message>
    <message>
        <source>Your data sheet of &quot;%1&quot; is not used: &quot;%2&quot; must be a number from %3 to %4; correct it in &quot;%5&quot;</source>
        <translation>未采用你的“%1”数据表：“%2”必须是 %3 到 %4 之间的数；在“%5”中更正</translation>
    </message>
    <message>
        <source>Your data sheet of &quot;%1&quot; is not used: &quot;%2&quot; must be a whole number from %3 to %4; correct it in &quot;%5&quot;</source>
        <translation>未采用你的“%1”数据表：“%2”必须是 %3 到 %4 之间的整数；在“%5”中更正</translation>
    </message>
    <message>
        <source>This plan is made with the built-in data sheet of &quot;%1&quot;, not with yours</source>
        <translation>本规划采用的是内置的“%1”数据表，而不是你的</translation>
    </message>
    <message>
        <source>Your data sheet of &quot;%1&quot; has &quot;%2&quot;, which no data sheet has: it has no effect; correct or remove it in &quot;%3&quot;</source>
        <translation>你的“%1”数据表中有“%2”，而数据表没有这一项：它不起作用；在“%3”中更正或删去</translation>
    </message>
    <message>
        <source>Adapters are planned as DeepSpeed and FSDP2 train them; choose one of the two under &quot;Behaviour of&quot; on the Plan page, or remove model.adapter</source>
        <translation>适配器按 DeepSpeed 与 FSDP2 的训练方式规划；在规划页的“行为”中选其中之一，或删除 model.adapter</translation>
    </message>
    <message>
        <source>A quantised base without ZeRO is mostly trained without DeepSpeed: then PEFT keeps embedding, norms, output and adapters in fp32, and autocast copies what they make. How much that adds nobody has measured for this plan, so its interval is wide; with &quot;torch_autocast&quot; in place of &quot;bf16&quot; or &quot;fp16&quot; such a job is planned</source>
        <translation>不使用 ZeRO 的量化基座大多不经 DeepSpeed 训练：此时 PEFT 把嵌入、归一化、输出层和适配器保持为 fp32，autocast 再复制它们的结果。这会增加多少，没有针对本计划的实测，因此区间取得很宽；用 &quot;torch_autocast&quot; 代替 &quot;bf16&quot; 或 &quot;fp16&quot; 即按这种作业规划</translation>
    </message>
    <message>
        <source>FSDP2 cannot divide weights that bitsandbytes packs in 8 bits, for they are whole numbers; use base nf4, which it divides where it is stored in a float type, or base 16bit, or DeepSpeed (&quot;Behaviour of&quot; on the Plan page)</source>
        <translation>bitsandbytes 以 8 位打包的权重是整数，FSDP2 无法切分；改用 nf4 基座（以浮点类型存放时可切分）、16bit 基座，或 DeepSpeed（规划页的“行为”）</translation>
    </message>
    <message>
        <source>FSDP2 divides 4-bit weights only where they are stored in the float type of the others: load the base with bnb_4bit_quant_storage the same as its dtype, such as torch.bfloat16, and say &quot;dtype&quot;: &quot;bfloat16&quot; in framework.arguments</source>
        <translation>4 位权重只有以与其他权重相同的浮点类型存放时，FSDP2 才能切分：加载基座时令 bnb_4bit_quant_storage 与其 dtype 相同（如 torch.bfloat16），并在 framework.arguments 中写 &quot;dtype&quot;: &quot;bfloat16&quot;</translation>
    </message>
    <message>
        <source>Megatron-LM has no low-rank adapters: no option of its pretrain_gpt.py adds them; choose DeepSpeed or FSDP2 under &quot;Behaviour of&quot; on the Plan page, or remove model.adapter</source>
        <translation>Megatron-LM 没有低秩适配器：它的 pretrain_gpt.py 没有添加适配器的选项；在规划页的“行为”中选 DeepSpeed 或 FSDP2，或删除 model.adapter</translation>
    </message>
    <message>
        <source>Megatron-LM has no option that freezes parts of a language model; choose DeepSpeed or FSDP2 under &quot;Behaviour of&quot; on the Plan page, or remove model.freeze</source>
        <translation>Megatron-LM 没有冻结语言模型部分参数的选项；在规划页的“行为”中选 DeepSpeed 或 FSDP2，或删除 model.freeze</translation>
    </message>
    <message>
        <source>Frozen parts are planned as DeepSpeed and FSDP2 train them; choose one of the two under &quot;Behaviour of&quot; on the Plan page, or remove model.freeze</source>
        <translation>冻结的部分按 DeepSpeed 与 FSDP2 的训练方式规划；在规划页的“行为”中选其中之一，或删除 model.freeze</translation>
    </message>
    <message>
        <source>Frozen parts need a model whose modules are known by name; give its sizes, a preset or a config.json of a known family</source>
        <translation>冻结部分参数需要按名称已知其模块的模型；给出尺寸、预设或已知家族的 config.json</translation>
    </message>
    <message>
        <source>model.freeze.firstLayers is %1, and the model has %2 layers; use fewer</source>
        <translation>model.freeze.firstLayers 为 %1，而模型只有 %2 层；减少</translation>
    </message>
    <message>
        <source>Nothing in this model is called %1; it has %2</source>
        <translation>模型中没有名为 %1 的部分；它有 %2</translation>
    </message>
    <message>
        <source>Everything is frozen: nothing is left to train; freeze less, or plan adapters with model.adapter</source>
        <translation>全部参数都已冻结，没有可训练的部分；少冻结一些，或用 model.adapter 规划适配器</translation>
    </message>
    <message>
        <source>Encoders and encoder-decoders are planned as DeepSpeed trains Transformers&apos; models, with data parallelism alone; use framework deepspeed, and layout.tp, pp and cp 1</source>
        <translation>编码器与编码器-解码器按 DeepSpeed 训练 Transformers 模型的方式规划，且只用数据并行；使用框架 deepspeed，并将 layout.tp、pp、cp 设为 1</translation>
    </message>
    <message>
        <source>Pipeline stage %1 of %2 has nothing to train: its optimizer gets an empty list of parameters and refuses it; freeze fewer layers, or use a smaller pipeline</source>
        <translation>流水线阶段 %1（共 %2 个）没有可训练的参数：它的优化器会收到空的参数列表并拒绝；少冻结几层，或减小流水线</translation>
    </message>
    <message>
        <source>PEFT has no modules of its own for models of the type &quot;%1&quot;; name them, or use &quot;all-linear&quot;</source>
        <translation>PEFT 没有为类型“%1”的模型规定默认模块；写出模块名，或用“all-linear”</translation>
    </message>
    <message>
        <source>No adapter can stand beside %1: PEFT adapts linear layers and embeddings alone; this model has %2</source>
        <translation>%1 旁不能加适配器：PEFT 只适配线性层与嵌入；此模型有 %2</translation>
    </message>
    <message>
        <source>No linear layer or embedding of this model is called %1; it has %2</source>
        <translation>此模型没有名为 %1 的线性层或嵌入；它有 %2</translation>
    </message>
    <message>
        <source>No module of this model is called %1: no copy of it is trained</source>
        <translation>此模型没有名为 %1 的模块：不训练它的副本</translation>
    </message>
    <message>
        <source>No adapted module is called %1: its rank has no effect</source>
        <translation>没有名为 %1 的带适配器模块：它的秩不起作用</translation>
    </message>
    <message>
        <source>Two names of rankPattern stand for the same module, and which of them holds is a matter of their order; name each module once</source>
        <translation>rankPattern 中有两个名称指同一模块，以哪个为准取决于顺序；让每个模块只被命名一次</translation>
    </message>
    <message>
        <source>fp32 shards of the frozen parameters</source>
        <translation>冻结参数的 fp32 分片</translation>
    </message>
    <message>
        <source>16-bit shards of the frozen parameters</source>
        <translation>冻结参数的 16 位分片</translation>
    </message>
    <message>
        <source>Counted as PEFT does without a task_type: with SEQ_CLS or TOKEN_CLS it trains a copy of the whole classifier too; then say &quot;modulesToSave&quot;: [&quot;classifier&quot;, &quot;score&quot;]</source>
        <translation>按未设 task_type 的 PEFT 计数：若设为 SEQ_CLS 或 TOKEN_CLS，它还会训练整个分类器的一份副本；那时写 &quot;modulesToSave&quot;: [&quot;classifier&quot;, &quot;score&quot;]</translation>
    </message>
    <message>
        <source>A quantised base is planned for decoders alone: which matrices of an encoder or a classifier Transformers leaves unpacked is not known here; use base 16bit</source>
        <translation>量化的基座只为解码器规划：Transformers 让编码器或分类器的哪些矩阵保持不打包，这里并不知道；改用 base 16bit</translation>
    </message>
    <message>
        <source>The optimizer steps on the host: its cores and memory, which no data sheet of a device names, set the time of that update. torchrun gives each of several ranks one thread of them, unless OMP_NUM_THREADS says more</source>
        <translation>优化器在主机上更新：该步用时取决于主机的核数和内存，设备数据表中并无这些数据。有多个 rank 时，torchrun 只给每个 rank 一个线程，除非 OMP_NUM_THREADS 另有设置</translation>
    </message>
    <message>
        <source>The optimizer of %1 % of the parameters steps on the host: its cores and memory, which no data sheet of a device names, set the time of that update</source>
        <translation>%1 % 参数的优化器在主机上更新：该步用时取决于主机的核数和内存，设备数据表中并无这些数据</translation>
    </message>
    <message>
        <source>bitsandbytes, whose optimizer &quot;%1&quot; is, steps on the host only since March 2026; an older one fails in the first step where the shards lie there. Use adamw, or keep the shards on the devices</source>
        <translation>优化器“%1”属于 bitsandbytes，它从 2026 年 3 月起才能在主机上更新；分片在主机上时，更早的版本会在第一步失败。改用 adamw，或把分片留在设备上</translation>
    </message>
    <message>
        <source>States of &quot;%1&quot; lie in memory that CUDA moves to the host where the device is full: they are planned on the device</source>
        <translation>“%1”的状态位于设备占满时 CUDA 会移到主机的内存中：这里按在设备上规划</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;disk&quot;, and activations in files are not planned; use true</source>
        <translation>“%1”为“disk”，而放在文件中的激活不在规划之内；改用 true</translation>
    </message>
    <message>
        <source>Without a wrap policy the whole model is one unit: every rank gathers all weights and has whole gradients, and no exchange hides behind computing; use TRANSFORMER_BASED_WRAP</source>
        <translation>没有包装策略时整个模型是一个单元：每个 rank 收集全部权重并持有完整梯度，且没有通信能藏在计算之后；改用 TRANSFORMER_BASED_WRAP</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;; use TRANSFORMER_BASED_WRAP, whose blocks are units, or NO_WRAP, with which the whole model is one</source>
        <translation>“%1”为“%2”；改用 TRANSFORMER_BASED_WRAP（每个块是一个单元）或 NO_WRAP（整个模型是一个单元）</translation>
    </message>
    <message>
        <source>These arguments have no effect without the one in brackets, which is not there: %1</source>
        <translation>这些参数缺少括号中的参数，因此不起作用：%1</translation>
    </message>
    <message>
        <source>What these arguments change is not planned: %1; memory and time may be others</source>
        <translation>这些参数所改变的未被规划：%1；内存与时间可能不同</translation>
    </message>
    <message>
        <source>whole gradients of the one unit that the model is, and what of their copy for the reduction exceeds the activations</source>
        <translation>模型这一整个单元的完整梯度，以及为归约而作的副本超出激活的部分</translation>
    </message>
    <message>
        <source>Transformers 5 ties T5&apos;s output to its embedding whatever tie_word_embeddings says, and so it is counted; Transformers 4, and weights that have an lm_head of their own, train %1 parameters more</source>
        <translation>无论 tie_word_embeddings 怎么写，Transformers 5 都让 T5 的输出层与词嵌入共用权重，参数也按此计数；Transformers 4，以及自带 lm_head 的权重，要多训练 %1 个参数</translation>
    </message>
    <message>
        <source>config.json names the class %1 under &quot;architectures&quot; and &quot;model_type&quot;: &quot;%2&quot;: the class is counted, but AutoModel builds what model_type says; correct one of them</source>
        <translation>config.json 在 &quot;architectures&quot; 中写的类是 %1，而 &quot;model_type&quot; 为 &quot;%2&quot;：这里按该类计数，但 AutoModel 构建的是 model_type 所说的；改正其一</translation>
    </message>
    <message>
        <source>With each of these arguments alone the fullest rank would hold less: %1</source>
        <translation>单独使用下列任一参数，最满的 rank 会占用更少：%1</translation>
    </message>
    <message>
        <source>Adapters need a model whose modules are known by name; give its sizes, a preset or a config.json of a known family</source>
        <translation>适配器需要按名称已知其模块的模型；给出尺寸、预设或已知家族的 config.json</translation>
    </message>
    <message>
        <source>The framework &quot;%1&quot; is not known; use stagecraft, deepspeed, fsdp2 or megatron</source>
        <translation>未知的框架“%1”；可用 stagecraft、deepspeed、fsdp2 或 megatron</translation>
    </message>
    <message>
        <source>The loss is taken as not compiled, with fp32 copies of the logits, as before April 2025; say &quot;compile_loss&quot;: true, or &quot;release&quot;: &quot;2025-06&quot;, where it is compiled</source>
        <translation>损失按未编译计算，含 fp32 的 logits 副本，与 2025 年 4 月之前相同；若已编译，写明 &quot;compile_loss&quot;: true 或 &quot;release&quot;: &quot;2025-06&quot;</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;, which Transformers has not for %3; use %4</source>
        <translation>“%1”的值为“%2”，Transformers 的 %3 不支持；使用 %4</translation>
    </message>
    <message>
        <source>Attention is taken as eager, as Transformers chooses for %1: every layer keeps all its scores for the backward pass</source>
        <translation>注意力按 eager 计算，与 Transformers 对 %1 的选择相同：每层都为反向传播保留全部分数</translation>
    </message>
    <message>
        <source>No fused kernel of sdpa takes %1 query heads over %2 key heads in this type on %3: PyTorch makes and keeps all scores in fp32; use 16 bits on a device with bf16, or flash_attention_2</source>
        <translation>在 %3 上，sdpa 没有融合内核支持此类型的 %1 个查询头与 %2 个键头：PyTorch 会以 fp32 计算并保留全部分数；在支持 bf16 的设备上使用 16 位，或使用 flash_attention_2</translation>
    </message>
    <message>
        <source>torchtitan has no model of the family %1: Transformers&apos; own blocks are planned, each sharded by FSDP2 as a group</source>
        <translation>torchtitan 没有 %1 系列的模型：按 Transformers 自己的层规划，每层作为一组由 FSDP2 分片</translation>
    </message>
    <message>
        <source>&quot;selective op&quot; chooses among the products of torchtitan&apos;s blocks: for %1 it is planned as &quot;none&quot;; use &quot;full&quot;</source>
        <translation>“selective op”只在 torchtitan 层的矩阵乘中选择：对 %1 按“none”规划；使用“full”</translation>
    </message>
    <message>
        <source>The sizes of this model are not known: no ledger or step time can be made</source>
        <translation>此模型的尺寸未知：无法给出账本与单步时间</translation>
    </message>
    <message>
        <source>%1 pipeline stages for %2 layers; use at most as many stages as layers</source>
        <translation>%1 个流水线段对 %2 层；段数不得多于层数</translation>
    </message>
    <message>
        <source>%1 heads cannot be divided over %2 tensor-parallel ranks; use a divisor</source>
        <translation>%1 个注意力头不能均分到 %2 个张量并行 rank；改用其约数</translation>
    </message>
    <message>
        <source>%1 experts cannot be divided over %2 ranks; use a divisor</source>
        <translation>%1 个专家不能均分到 %2 个 rank；改用其约数</translation>
    </message>
    <message>
        <source>The layout is larger than any machine; use smaller sizes</source>
        <translation>布局超出任何机器；减小各项</translation>
    </message>
    <message>
        <source>The sizes are larger than any machine; use smaller ones</source>
        <translation>尺寸超出任何机器；减小</translation>
    </message>
    <message>
        <source>No field of a workspace is called %1: it is kept, and has no effect</source>
        <translation>工作区没有名为 %1 的字段：予以保留，但不起作用</translation>
    </message>
    <message>
        <source>A model of %1 parameters cannot be planned; use 1 to 1e16</source>
        <translation>%1 个参数的模型无法规划；可用 1 到 1e16</translation>
    </message>
    <message>
        <source>The family is not known: parameters are counted from the headers of its safetensors files</source>
        <translation>未知的模型系列：参数按 safetensors 文件头统计</translation>
    </message>
    <message>
        <source>&quot;architectures&quot; of config.json is %1, no list of names of classes: counted as %2, the language model of its model_type; write [&quot;%3&quot;], or the class that is trained</source>
        <translation>config.json 的 &quot;architectures&quot; 为 %1，不是类名的列表：按 %2 计数，即其 model_type 的语言模型；写 [&quot;%3&quot;]，或所训练的类</translation>
    </message>
    <message>
        <source>config.json calls the activation function %1, and Transformers has none of that name: it would not build this model. Parameters are counted all the same; memory and time are planned as of one that keeps its input, as gelu and silu do. Write a name that it has, such as &quot;silu&quot;, &quot;gelu&quot;, &quot;gelu_new&quot; or &quot;relu&quot;</source>
        <translation>config.json 的激活函数为 %1，Transformers 没有此名称的函数，无法构建该模型。参数量不受影响；内存和时间按保留其输入的函数规划，如 gelu 和 silu。写它已有的名称，如 &quot;silu&quot;、&quot;gelu&quot;、&quot;gelu_new&quot; 或 &quot;relu&quot;</translation>
    </message>
    <message>
        <source>config.json names no class: counted as %1</source>
        <translation>config.json 未写明类名：按 %1 统计</translation>
    </message>
    <message>
        <source>The layout has %1 ranks for %2 devices; change the layout or the hardware</source>
        <translation>布局有 %1 个 rank，设备有 %2 个；修改布局或硬件</translation>
    </message>
    <message>
        <source>logits and their gradient: the compiled loss keeps nothing else</source>
        <translation>logits 及其梯度：编译后的损失不保留其他内容</translation>
    </message>
    <message>
        <source>8-bit copies of the weights, and transposed where the device needs it</source>
        <translation>权重的 8 位副本，设备需要时另加其转置</translation>
    </message>
    <message>
        <source>transposed 8-bit weights of what is gathered</source>
        <translation>已聚合部分的 8 位权重的转置</translation>
    </message>
    <message>
        <source>all parameters of the stage, gathered: they are not freed after the forward pass</source>
        <translation>聚合后的该段全部参数：前向之后不释放</translation>
    </message>
    <message>
        <source>buffers that gradients are copied into before they are reduced</source>
        <translation>梯度归约前拷入的缓冲区</translation>
    </message>
    <message>
        <source>a bucket of gradients in the type that they are sent in</source>
        <translation>以通信数据类型存放的一个桶的梯度</translation>
    </message>
    <message>
        <source>parameters below the persistence threshold, which are never given back</source>
        <translation>低于持久化阈值、始终不释放的参数</translation>
    </message>
    <message>
        <source>dropout mask of the embedding, of each micro-batch in flight</source>
        <translation>嵌入层的 dropout 掩码，每个在途微批次各一份</translation>
    </message>
    <message>
        <source>gradients of the part that this rank updates</source>
        <translation>本 rank 所更新部分的梯度</translation>
    </message>
    <message>
        <source>gradients of the parts that other ranks update, freed before the step</source>
        <translation>由其他 rank 更新的部分的梯度，在更新前释放</translation>
    </message>
    <message>
        <source>fp32 gradients put beside each other for the optimizer</source>
        <translation>为优化器拼接的 fp32 梯度</translation>
    </message>
    <message>
        <source>this rank&apos;s part of the weights once more, which the optimizer updates</source>
        <translation>本 rank 的权重分片的另一份副本，由优化器更新</translation>
    </message>
    <message>
        <source>this rank&apos;s updated weights on their way back</source>
        <translation>本 rank 更新后、正在写回的权重</translation>
    </message>
    <message>
        <source>this rank&apos;s gradients summed over micro-batches</source>
        <translation>本 rank 在各微批次上累加的梯度</translation>
    </message>
    <message>
        <source>one block&apos;s gradients before and in the reduction</source>
        <translation>一个块在归约前与归约中的梯度</translation>
    </message>
    <message>
        <source>the weight of one product in 16 bits, and what is fetched ahead in them before it is turned to fp32</source>
        <translation>一个乘积的 16 位权重，以及转为 fp32 之前以 16 位预取的部分</translation>
    </message>
    <message>
        <source>the matrices in 16 bits, as autocast multiplies by them: held for the backward pass</source>
        <translation>autocast 用来相乘的 16 位矩阵：保留到反向传播</translation>
    </message>
    <message>
        <source>the trained matrices in 16 bits, which autocast holds to the end of a forward pass</source>
        <translation>被训练矩阵的 16 位副本，autocast 保留到前向传播结束</translation>
    </message>
    <message>
        <source>matrices in 16 bits of the block that is made again, or the output&apos;s</source>
        <translation>重新计算的块的 16 位矩阵，或输出层的</translation>
    </message>
    <message>
        <source>first projection of the MLP, turned to fp32 for its power</source>
        <translation>MLP 的第一个投影，为求幂转为 fp32</translation>
    </message>
    <message>
        <source>the router&apos;s input in 16 bits</source>
        <translation>路由器的 16 位输入</translation>
    </message>
    <message>
        <source>inputs of the attention and MLP projections in fp32, as ZeRO-3&apos;s linear function was called with them</source>
        <translation>注意力与 MLP 投影的 fp32 输入，即 ZeRO-3 的线性函数收到的输入</translation>
    </message>
    <message>
        <source>inputs of the attention and MLP projections, in 16 bits once for each of them</source>
        <translation>注意力与 MLP 投影的输入，每个投影各有一份 16 位副本</translation>
    </message>
    <message>
        <source>final norm and the output&apos;s input</source>
        <translation>末层归一化与输出层的输入</translation>
    </message>
    <message>
        <source>final norm: its input and output</source>
        <translation>末层归一化的输入与输出</translation>
    </message>
    <message>
        <source>embedding and output matrix, which are no unit of their own</source>
        <translation>嵌入层与输出矩阵，不单独作为分片单元</translation>
    </message>
    <message>
        <source>the bucket of the embedding&apos;s and the output matrix&apos;s gradients</source>
        <translation>嵌入层与输出矩阵梯度的桶</translation>
    </message>
    <message>
        <source>fp32 copy of the logits that becomes the softmax in place, of each output</source>
        <translation>每个输出的 logits 的 fp32 副本，原位变为 softmax</translation>
    </message>
    <message>
        <source>fp32 copy of the logits, and the softmax that compiled functions write beside it, of each output</source>
        <translation>logits 的 fp32 副本，以及编译后的函数在其旁写出的 softmax，每个输出各一份</translation>
    </message>
    <message>
        <source>fp32 copy of the weights that the optimizer updates</source>
        <translation>优化器更新的 fp32 权重副本</translation>
    </message>
    <message>
        <source>reduced gradients of the whole partition, from which each group&apos;s fp32 ones are filled</source>
        <translation>整个分片归约后的梯度，各子组的 fp32 梯度由它填充</translation>
    </message>
    <message>
        <source>fp32 gradients of the share kept on the device</source>
        <translation>留在设备上那部分的 fp32 梯度</translation>
    </message>
    <message>
        <source>fp32 gradients waiting for the optimizer on the host</source>
        <translation>主机上等待优化器的 fp32 梯度</translation>
    </message>
    <message>
        <source>activations that wait on the host for their backward pass</source>
        <translation>在主机上等待反向传播的激活</translation>
    </message>
    <message>
        <source>fp32 shards of the gradients, freed after the step</source>
        <translation>fp32 梯度分片，更新之后释放</translation>
    </message>
    <message>
        <source>shards of the gradients, for the optimizer on the host</source>
        <translation>梯度分片，供主机上的优化器使用</translation>
    </message>
    <message>
        <source>what pinned memory takes beyond the shards: each tensor&apos;s is rounded up to a power of two</source>
        <translation>锁页内存比分片多占的部分：每个张量的分片都向上取到 2 的幂</translation>
    </message>
    <message>
        <source>shards of a unit that have come from the host, and what is gathered of them</source>
        <translation>已从主机传来的一个单元的分片，以及由其转成的待收集内容</translation>
    </message>
    <message>
        <source>shards of a unit&apos;s gradients, until they are on the host</source>
        <translation>一个单元的梯度分片，直到传到主机为止</translation>
    </message>
    <message>
        <source>16-bit shards of the gradients, freed after the step</source>
        <translation>16 位梯度分片，更新之后释放</translation>
    </message>
    <message>
        <source>shards of the gradients, beyond those that take the place of activations: block by block these are freed while those are made</source>
        <translation>梯度分片，超出取代激活的那部分：逐块产生梯度的同时，激活逐块释放</translation>
    </message>
    <message>
        <source>16-bit shards of the parameters</source>
        <translation>16 位参数分片</translation>
    </message>
    <message>
        <source>whole gradients, summed until the last micro-batch reduces them</source>
        <translation>完整梯度，逐次累加，直到最后一个 micro batch 才归约</translation>
    </message>
    <message>
        <source>fp32 shards of the parameters</source>
        <translation>fp32 参数分片</translation>
    </message>
    <message>
        <source>fp32 weights that the optimizer updates</source>
        <translation>优化器更新的 fp32 权重</translation>
    </message>
    <message>
        <source>gradient of the output&apos;s input, made with the loss in the forward pass</source>
        <translation>输出层输入的梯度，在前向中与损失一同算出</translation>
    </message>
    <message>
        <source>gradients of one step</source>
        <translation>一步的梯度</translation>
    </message>
    <message>
        <source>gradients of two layers on their way</source>
        <translation>传输中的两层梯度</translation>
    </message>
    <message>
        <source>gradients turned to fp32 for the optimizer</source>
        <translation>为优化器转成 fp32 的梯度</translation>
    </message>
    <message>
        <source>keys and values of all context-parallel ranks, and their gradients on the way</source>
        <translation>所有上下文并行 rank 的键和值，以及传输中的梯度</translation>
    </message>
    <message>
        <source>layers of multi-token prediction: a layer, the joined states and their norms</source>
        <translation>多 token 预测层：一层、拼接的状态及其归一化</translation>
    </message>
    <message>
        <source>log-softmax and two gradients in fp32</source>
        <translation>fp32 的 log-softmax 与两份梯度</translation>
    </message>
    <message>
        <source>log-softmax, one-hot, exponential and their sum in fp32: the vocabulary-parallel loss</source>
        <translation>fp32 的 log-softmax、one-hot、指数及其和：词表并行的损失</translation>
    </message>
    <message>
        <source>shifted logits, whose place one kernel writes the gradient into</source>
        <translation>去掉末位的 logits，单个内核把梯度写在其位置上</translation>
    </message>
    <message>
        <source>gradient of the output matrix, made with the loss in the forward pass</source>
        <translation>输出矩阵的梯度，在前向时与损失一起算出</translation>
    </message>
    <message>
        <source>the output matrix, gathered for all chunks of the loss, its gradient summed over them, and one chunk&apos;s</source>
        <translation>为损失的各块聚集的输出矩阵、各块累加的梯度，以及其中一块的梯度</translation>
    </message>
    <message>
        <source>logits, and those that one kernel takes and writes their gradient over</source>
        <translation>logits，以及单个内核读入并以其梯度覆盖的一份</translation>
    </message>
    <message>
        <source>gradients of the inputs of blocks that are done: hooks of frozen parameters hold both until the backward pass is over</source>
        <translation>已完成各块的输入的梯度：冻结参数的钩子使二者一直保留到反向结束</translation>
    </message>
    <message>
        <source>the block&apos;s input, which its first norm takes</source>
        <translation>该块的输入，由其第一个归一化读入</translation>
    </message>
    <message>
        <source>logits of one chunk of the loss</source>
        <translation>损失一块的 logits</translation>
    </message>
    <message>
        <source>logits of one micro-batch</source>
        <translation>一个微批次的 logits</translation>
    </message>
    <message>
        <source>logits, held by the model&apos;s output</source>
        <translation>模型输出持有的 logits</translation>
    </message>
    <message>
        <source>main parameters in fp32</source>
        <translation>fp32 主参数</translation>
    </message>
    <message>
        <source>matrix library workspaces</source>
        <translation>矩阵库的工作区</translation>
    </message>
    <message>
        <source>one block made again, and the gradients inside it</source>
        <translation>重算的一个块及其内部梯度</translation>
    </message>
    <message>
        <source>block inputs; the rest is made again</source>
        <translation>各块的输入；其余重算</translation>
    </message>
    <message>
        <source>one block&apos;s gradients before and in the reduction, and the output matrix&apos;s</source>
        <translation>一个块归约前与归约中的梯度，以及输出矩阵的梯度</translation>
    </message>
    <message>
        <source>the packed output matrix turned to fp16, which it was packed from, and that to its input&apos;s type</source>
        <translation>压缩的输出矩阵先解压成压缩前的 fp16，再转成其输入的类型</translation>
    </message>
    <message>
        <source>what packed products of the micro-batch before took, which they hold until the next loss is known, less what the loss makes after that</source>
        <translation>上一个微批次中压缩矩阵乘积的输入，直到下一个损失算出才释放，减去损失在此之后生成的部分</translation>
    </message>
    <message>
        <source>one packed matrix turned to 16 bits for its product</source>
        <translation>为乘积解压成 16 位的一个矩阵</translation>
    </message>
    <message>
        <source>constants of the packed blocks, whole on every rank</source>
        <translation>打包各块的常数，每个 rank 上都是完整的</translation>
    </message>
    <message>
        <source>shards of the frozen parameters, those of the layers packed in 4 bits</source>
        <translation>冻结参数的分片，其中各层的按 4 位打包</translation>
    </message>
    <message>
        <source>outputs kept per micro-batch in flight and receive buffers of every micro-batch</source>
        <translation>每个在途微批次保留的输出与每个微批次的接收缓冲区</translation>
    </message>
    <message>
        <source>parameters gathered at once: what is used soon again stays until max_live_parameters is reached</source>
        <translation>同时收集的参数：很快再用的保留，直到 max_live_parameters</translation>
    </message>
    <message>
        <source>parameters of this rank</source>
        <translation>本 rank 的参数</translation>
    </message>
    <message>
        <source>pinned buffers between file and device</source>
        <translation>文件与设备之间的锁页缓冲区</translation>
    </message>
    <message>
        <source>tensors up to stage3_param_persistence_threshold are gathered after the update, and not given back</source>
        <translation>不超过 stage3_param_persistence_threshold 的张量在更新后收集一次，不再释放</translation>
    </message>
    <message>
        <source>a whole gradient in 4 bits, sent and received, and what is made 16 bits again of the node's part (qgZ)</source>
        <translation>以 4 位收发的整个梯度，以及节点内部分还原为 16 位的结果（qgZ）</translation>
    </message>
    <message>
        <source>weights in 8 bits on their way: the parameter that is gathered and what is fetched ahead (qwZ)</source>
        <translation>以 8 位传输的权重：正在收集的参数与预取的内容（qwZ）</translation>
    </message>
    <message>
        <source>second copy of the weights inside the node (hpZ)</source>
        <translation>节点内的第二份权重（hpZ）</translation>
    </message>
    <message>
        <source>temporaries of the foreach optimizer</source>
        <translation>foreach 优化器的临时张量</translation>
    </message>
    <message>
        <source>the contiguous gradient buffer</source>
        <translation>连续的梯度缓冲区</translation>
    </message>
    <message>
        <source>the group of blocks being made again, and the gradients inside one of them</source>
        <translation>正在重算的一组块，以及其中一个块内部的梯度</translation>
    </message>
    <message>
        <source>the layer at work and the one fetched ahead</source>
        <translation>正在计算的层与预取的层</translation>
    </message>
    <message>
        <source>the optimizer&apos;s moments</source>
        <translation>优化器的矩</translation>
    </message>
    <message>
        <source>the optimizer&apos;s moments in fp32</source>
        <translation>优化器的 fp32 矩</translation>
    </message>
    <message>
        <source>the root group and two blocks, the current and the prefetched one, as they are gathered</source>
        <translation>根组与两个块（当前块与预取块），按聚合时的类型</translation>
    </message>
    <message>
        <source>the root group in 16 bits, and two blocks, the current and the prefetched one, in 8</source>
        <translation>根组为 16 位，两个块（当前块与预取块）为 8 位</translation>
    </message>
    <message>
        <source>the share of the fp32 weights kept on the device</source>
        <translation>留在设备上的 fp32 权重</translation>
    </message>
    <message>
        <source>the share of the moments kept on the device</source>
        <translation>留在设备上的矩</translation>
    </message>
    <message>
        <source>updated weights gathered bucket by bucket</source>
        <translation>逐桶收集的更新后权重</translation>
    </message>
    <message>
        <source>weights that are not trained: no gradients, no master copy, no moments</source>
        <translation>不训练的权重：没有梯度、主权重与矩</translation>
    </message>
    <message>
        <source>weights, offloaded; layers are gathered when used</source>
        <translation>已卸载的权重；用到的层再收集</translation>
    </message>
    <message>
        <source>weights used for computing</source>
        <translation>计算用的权重</translation>
    </message>
    <message>
        <source>what one layer&apos;s modules make again</source>
        <translation>一层内各模块重算的部分</translation>
    </message>
    <message>
        <source>weights of blocks that are not made again, kept whole in 8 bits for the backward pass</source>
        <translation>不重算的块的权重，以 8 位完整保留到反向传播</translation>
    </message>
    <message>
        <source>whole gradients of the module in the backward pass</source>
        <translation>反向中该模块的完整梯度</translation>
    </message>
    <message>
        <source>whole gradients, summed over the micro-batches</source>
        <translation>完整梯度，在各微批次上累加</translation>
    </message>
    <message>
        <source>compute weights, whole on every rank</source>
        <translation>计算用权重，每个 rank 一份完整</translation>
    </message>
    <message>
        <source>this rank&apos;s slices of the compute weights</source>
        <translation>本 rank 的计算用权重分片</translation>
    </message>
    <message>
        <source>fp32 accumulated gradients of the whole model</source>
        <translation>整个模型的 fp32 累积梯度</translation>
    </message>
    <message>
        <source>this rank&apos;s slices of the fp32 accumulated gradients</source>
        <translation>本 rank 的 fp32 累积梯度分片</translation>
    </message>
    <message>
        <source>this rank&apos;s slices of the fp32 weights</source>
        <translation>本 rank 的 fp32 权重分片</translation>
    </message>
    <message>
        <source>Adam&apos;s two moments</source>
        <translation>Adam 的两个矩</translation>
    </message>
    <message>
        <source>this rank&apos;s slices of Adam&apos;s two moments</source>
        <translation>本 rank 的 Adam 两个矩的分片</translation>
    </message>
    <message>
        <source>pool of full-size buffers that gathered units are leased from</source>
        <translation>收集单元时租用的完整大小缓冲池</translation>
    </message>
    <message>
        <source>pool of full-size buffers for gradients until they are reduced</source>
        <translation>归约前梯度用的完整大小缓冲池</translation>
    </message>
    <message>
        <source>partial sums travelling round the ring</source>
        <translation>环上传递的部分和</translation>
    </message>
    <message>
        <source>the output of every unit, which is the next one&apos;s input</source>
        <translation>每个单元的输出，即下一单元的输入</translation>
    </message>
    <message>
        <source>work space shared by all blocks</source>
        <translation>所有块共用的工作区</translation>
    </message>
    <message>
        <source>logits, overwritten by their gradient</source>
        <translation>logits，被其梯度原位覆盖</translation>
    </message>
    <message>
        <source>token ids and labels of one micro-batch</source>
        <translation>一个微批次的 token id 与标签</translation>
    </message>
    <message>
        <source>cosines and sines of the rotary embedding</source>
        <translation>旋转位置编码的余弦与正弦</translation>
    </message>
    <message>
        <source>buffers of this kind</source>
        <translation>此类缓冲区</translation>
    </message>
    <message>
        <source>the gradients of a unit always lie in one flat buffer</source>
        <translation>一个单元的梯度始终在一个扁平缓冲区里</translation>
    </message>
    <message>
        <source>stages 1 to 3 always reduce-scatter; the sums are the same</source>
        <translation>阶段 1 到 3 始终做 reduce-scatter；和不变</translation>
    </message>
    <message>
        <source>gradients are reduce-scattered straight to their owners</source>
        <translation>梯度直接 reduce-scatter 到各自的所有者</translation>
    </message>
    <message>
        <source>parameters are always gathered by all-gather</source>
        <translation>参数始终用 all-gather 收集</translation>
    </message>
    <message>
        <source>a gather moves one unit of the model at a time</source>
        <translation>每次收集模型的一个单元</translation>
    </message>
    <message>
        <source>the gradient norm is always computed and recorded</source>
        <translation>梯度范数始终计算并记录</translation>
    </message>
    <message>
        <source>checkpoints always hold the fp32 weights</source>
        <translation>检查点始终保存 fp32 权重</translation>
    </message>
    <message>
        <source>any number of ranks can read any checkpoint</source>
        <translation>任意数量的 rank 都能读取任何检查点</translation>
    </message>
    <message>
        <source>the optimizer steps one unit of the model at a time</source>
        <translation>优化器每次更新模型的一个单元</translation>
    </message>
    <message>
        <source>nothing is offloaded</source>
        <translation>没有卸载</translation>
    </message>
    <message>
        <source>the threshold per parameter decides</source>
        <translation>由单个参数的阈值决定</translation>
    </message>
    <message>
        <source>a unit&apos;s full weights go back to the pool right after use</source>
        <translation>单元的完整权重用后立即归还缓冲池</translation>
    </message>
    <message>
        <source>a checkpoint maps names to slices, so no rank gathers the model to save it</source>
        <translation>检查点按名称对应切片，保存时无需收集模型</translation>
    </message>
    <message>
        <source>a unit is a whole transformer block</source>
        <translation>一个单元就是一个完整的 transformer 块</translation>
    </message>
    <message>
        <source>a unit is gathered by one call</source>
        <translation>一个单元由一次调用收集</translation>
    </message>
    <message>
        <source>every parameter of a unit takes part in every step</source>
        <translation>单元的每个参数都参与每一步</translation>
    </message>
    <message>
        <source>every rank owns an equal slice of each unit</source>
        <translation>每个 rank 拥有每个单元的等份切片</translation>
    </message>
    <message>
        <source>parameters are always aligned to 64 bytes</source>
        <translation>参数始终按 64 字节对齐</translation>
    </message>
    <message>
        <source>shards spread over all data-parallel ranks</source>
        <translation>分片分布在全部数据并行 rank 上</translation>
    </message>
    <message>
        <source>weights travel unquantised</source>
        <translation>权重不经量化传输</translation>
    </message>
    <message>
        <source>gradients travel unquantised</source>
        <translation>梯度不经量化传输</translation>
    </message>
    <message>
        <source>the engine&apos;s linear layers never keep gathered weights</source>
        <translation>引擎的线性层从不保留收集的权重</translation>
    </message>
    <message>
        <source>a rank reads only its own slices of a checkpoint</source>
        <translation>rank 只读取检查点中自己的切片</translation>
    </message>
    <message>
        <source>there are no Python modules</source>
        <translation>没有 Python 模块</translation>
    </message>
    <message>
        <source>the schedule is compiled beforehand; there is no trace to miss</source>
        <translation>调度事先编译好；没有可能缺失的 trace</translation>
    </message>
    <message>
        <source>the schedule is validated before the run</source>
        <translation>调度在运行前已校验</translation>
    </message>
    <message>
        <source>the optimizer is Adam</source>
        <translation>优化器是 Adam</translation>
    </message>
    <message>
        <source>a unit is always gathered as a whole</source>
        <translation>单元始终整体收集</translation>
    </message>
    <message>
        <source>the engine always counts the micro-steps itself</source>
        <translation>引擎始终自己计数微步</translation>
    </message>
    <message>
        <source>run.json holds the resolved settings of every run</source>
        <translation>run.json 保存每次运行的最终设置</translation>
    </message>
    <message>
        <source>updated parameters are always gathered</source>
        <translation>更新后的参数始终收集</translation>
    </message>
    <message>
        <source>gradients are reduced in fp32</source>
        <translation>梯度以 fp32 归约</translation>
    </message>
    <message>
        <source>sequence parallelism is not part of the layout</source>
        <translation>布局不含序列并行</translation>
    </message>
    <message>
        <source>gradients are summed in fp32 and then divided; the order makes no difference there</source>
        <translation>梯度以 fp32 求和再除；先后无影响</translation>
    </message>
    <message>
        <source>gradients are dense</source>
        <translation>梯度是稠密的</translation>
    </message>
    <message>
        <source>the memory of every rank is always recorded</source>
        <translation>每个 rank 的内存始终记录</translation>
    </message>
    <message>
        <source>the sampler wraps around; there is no short batch</source>
        <translation>采样器首尾相接；没有不足的批次</translation>
    </message>
    <message>
        <source>the model says its vocabulary</source>
        <translation>词表由模型给出</translation>
    </message>
    <message>
        <source>the run folder keeps every line</source>
        <translation>运行文件夹保留每一行</translation>
    </message>
    <message>
        <source>the engine&apos;s optimizers all work with every stage</source>
        <translation>引擎的优化器适用于所有阶段</translation>
    </message>
    <message>
        <source>there are no experts</source>
        <translation>没有专家</translation>
    </message>
    <message>
        <source>recomputation is the workspace&apos;s layout.recompute</source>
        <translation>重计算由工作区的 layout.recompute 决定</translation>
    </message>
    <message>
        <source>DeepSpeed reads it for a PipelineModule only; here pipelines are the workspace&apos;s layout</source>
        <translation>DeepSpeed 只在 PipelineModule 下读取；这里流水线由工作区的布局决定</translation>
    </message>
    <message>
        <source>nothing is swapped to disks</source>
        <translation>没有交换到磁盘</translation>
    </message>
    <message>
        <source>checkpoints are written in the engine&apos;s own format</source>
        <translation>检查点以引擎自己的格式写出</translation>
    </message>
    <message>
        <source>every phase of every step is always timed</source>
        <translation>每一步的每个环节始终计时</translation>
    </message>
    <message>
        <source>there is no Python</source>
        <translation>没有 Python</translation>
    </message>
    <message>
        <source>the record has the model&apos;s FLOPs of every step</source>
        <translation>记录里有每一步的模型 FLOPs</translation>
    </message>
    <message>
        <source>every collective is in the run&apos;s spans</source>
        <translation>每个集合通信都在运行的 span 里</translation>
    </message>
    <message>
        <source>metrics are in the run folder</source>
        <translation>指标在运行文件夹里</translation>
    </message>
    <message>
        <source>the planner searches layouts instead</source>
        <translation>由规划器搜索布局代替</translation>
    </message>
    <message>
        <source>there is no inference phase</source>
        <translation>没有推理环节</translation>
    </message>
    <message>
        <source>there is no Python graph to compile</source>
        <translation>没有可编译的 Python 图</translation>
    </message>
    <message>
        <source>neither DeepSpeed nor this engine reads such a key</source>
        <translation>DeepSpeed 与本引擎都不读取此键</translation>
    </message>
    <message>
        <source>it chooses between implementations of the same arithmetic; this engine has its own</source>
        <translation>它在同一算法的不同实现间选择；本引擎有自己的实现</translation>
    </message>
    <message>
        <source>DeepSpeed knows &quot;log&quot; and &quot;linear&quot; and takes &quot;log&quot; for anything else</source>
        <translation>DeepSpeed 只认 &quot;log&quot; 与 &quot;linear&quot;，其余按 &quot;log&quot;</translation>
    </message>
    <message>
        <source>without &quot;type&quot; DeepSpeed ignores the section; AdamW with its defaults is used</source>
        <translation>没有 &quot;type&quot; 时 DeepSpeed 忽略此节；使用默认的 AdamW</translation>
    </message>
    <message>
        <source>it belongs to fp16 without ZeRO in DeepSpeed</source>
        <translation>它属于 DeepSpeed 中不用 ZeRO 的 fp16</translation>
    </message>
    <message>
        <source>without &quot;type&quot; DeepSpeed ignores the section; the learning rate is constant</source>
        <translation>没有 &quot;type&quot; 时 DeepSpeed 忽略此节；学习率不变</translation>
    </message>
    <message>
        <source>it acts in stage 3 only</source>
        <translation>只在阶段 3 起作用</translation>
    </message>
    <message>
        <source>gradients always go into the fp32 buffer at once</source>
        <translation>梯度始终立即进入 fp32 缓冲区</translation>
    </message>
    <message>
        <source>bf16 has the range of fp32; the norm shows an overflow</source>
        <translation>bf16 的范围与 fp32 相同；溢出由范数反映</translation>
    </message>
    <message>
        <source>gradients always accumulate in fp32</source>
        <translation>梯度始终以 fp32 累积</translation>
    </message>
    <message>
        <source>Step time and the processes&apos; own memory are calibrated from %1</source>
        <translation>单步时间与进程自身的内存按 %1 校准</translation>
    </message>
    <message>
        <source>inputs of the blocks that are made again</source>
        <translation>重算的块的输入</translation>
    </message>
    <message>
        <source>blocks that keep everything</source>
        <translation>全部保留的块</translation>
    </message>
    <message>
        <source>inputs and statistics of both norms</source>
        <translation>两个归一化的输入与统计量</translation>
    </message>
    <message>
        <source>inputs of the attention and MLP projections</source>
        <translation>注意力与 MLP 投影的输入</translation>
    </message>
    <message>
        <source>queries, keys and values</source>
        <translation>查询、键和值</translation>
    </message>
    <message>
        <source>attention output and its log-sum-exp</source>
        <translation>注意力输出及其 log-sum-exp</translation>
    </message>
    <message>
        <source>softmax of the scores, its dropout mask and the dropped scores</source>
        <translation>分数的 softmax、其 dropout 掩码与丢弃后的分数</translation>
    </message>
    <message>
        <source>MLP before and after its non-linearity</source>
        <translation>非线性前后的 MLP</translation>
    </message>
    <message>
        <source>dropout masks of both residual branches</source>
        <translation>两个残差分支的 dropout 掩码</translation>
    </message>
    <message>
        <source>dropout masks of the residual branches</source>
        <translation>各残差分支的 dropout 掩码</translation>
    </message>
    <message>
        <source>dropout mask before the MLP&apos;s last projection</source>
        <translation>MLP 最后一个投影之前的 dropout 掩码</translation>
    </message>
    <message>
        <source>output of the non-linearity, before its dropout</source>
        <translation>非线性函数的输出（在其 dropout 之前）</translation>
    </message>
    <message>
        <source>what the norms take</source>
        <translation>各归一化层的输入</translation>
    </message>
    <message>
        <source>mean and deviation of each token in each norm</source>
        <translation>每个归一化层中每个 token 的均值与标准差</translation>
    </message>
    <message>
        <source>what the norms take, turned to fp32, and what they made of it in fp32 before their weights</source>
        <translation>各归一化层转为 fp32 的输入，以及乘权重之前的 fp32 结果</translation>
    </message>
    <message>
        <source>deviation of each token in each norm</source>
        <translation>每个归一化层中每个 token 的标准差</translation>
    </message>
    <message>
        <source>compressed queries and keys: what their norms take in fp32, what these made of it, and what is projected up</source>
        <translation>压缩后的查询与键：其归一化层的 fp32 输入、归一化结果，以及升维投影的输入</translation>
    </message>
    <message>
        <source>queries, keys and values turned to fp32, as no fused kernel takes these heads</source>
        <translation>转为 fp32 的查询、键和值：没有融合内核支持这些注意力头</translation>
    </message>
    <message>
        <source>softmax of all scores in fp32: no fused kernel takes these heads in this type on this device</source>
        <translation>全部分数的 fp32 softmax：此设备上没有融合内核支持这种类型的这些注意力头</translation>
    </message>
    <message>
        <source>queries and keys, each joined with its rotated part, and values, a view of what was made of the compressed ones</source>
        <translation>与各自旋转部分拼接的查询和键，以及值（由压缩表示升维所得张量的视图）</translation>
    </message>
    <message>
        <source>queries and keys turned to fp32, and values</source>
        <translation>转为 fp32 的查询和键，以及值</translation>
    </message>
    <message>
        <source>queries, and keys and values of their own heads</source>
        <translation>查询，以及保持自身头数的键和值</translation>
    </message>
    <message>
        <source>queries and keys before their rotation, beside which the values stand</source>
        <translation>旋转之前的查询和键，值与它们同处一个张量</translation>
    </message>
    <message>
        <source>what the norms of queries and keys take, turned to fp32, and what they made of it before their weights</source>
        <translation>查询和键的归一化层转为 fp32 的输入，以及乘权重之前的结果</translation>
    </message>
    <message>
        <source>capped scores, their softmax in fp32 and its copy in 16 bits</source>
        <translation>截断后的分数、其 fp32 softmax 以及 16 位副本</translation>
    </message>
    <message>
        <source>mask of all heads, made once for all layers</source>
        <translation>所有头的掩码，各层共用一份</translation>
    </message>
    <message>
        <source>positions&apos; bias of all heads, which each layer makes the mask of its attention</source>
        <translation>所有头的位置偏置，每一层都将其作为自己注意力的掩码</translation>
    </message>
    <message>
        <source>the mask in the model&apos;s type, which each layer makes of the one of true and false</source>
        <translation>每层由布尔掩码转换成模型类型的掩码</translation>
    </message>
    <message>
        <source>attention output, and what of it is no padding</source>
        <translation>注意力输出，以及去掉填充后的部分</translation>
    </message>
    <message>
        <source>scores of all experts in fp32, and for each chosen one its number, place and weight</source>
        <translation>全部专家的 fp32 分数，以及每个选中专家的编号、位置和权重</translation>
    </message>
    <message>
        <source>the router&apos;s input, turned to fp32</source>
        <translation>转为 fp32 的路由器输入</translation>
    </message>
    <message>
        <source>the router&apos;s weight, turned to fp32</source>
        <translation>转为 fp32 的路由器权重</translation>
    </message>
    <message>
        <source>tokens copied into the order of their experts</source>
        <translation>按专家顺序复制的 token</translation>
    </message>
    <message>
        <source>outputs of the experts, before they are weighted</source>
        <translation>加权之前的专家输出</translation>
    </message>
    <message>
        <source>output of the shared expert, before it is weighted</source>
        <translation>加权之前的共享专家输出</translation>
    </message>
    <message>
        <source>what the experts take or make, turned to fp32 to be weighted</source>
        <translation>为加权而转为 fp32 的专家输入或输出</translation>
    </message>
    <message>
        <source>%1 ranks of %2 threads share %3 cores of this machine, and the times here give each thread a core of its own: here, expect steps about %4 times as long</source>
        <translation>%1 个 rank、每个 %2 个线程共用本机 %3 个核心，而这里的时间按每个线程独占一个核心计算：在本机上每步约为 %4 倍</translation>
    </message>
    <message>
        <source>Other programs were at work while this machine was measured: the readings behind this step time may be off by %1 %. Close them and measure again with `stagecraft doctor --measure`</source>
        <translation>测量本机时有其他程序在运行：得出此步时的读数可能偏差 %1 %。关闭它们，再用 `stagecraft doctor --measure` 重新测量</translation>
    </message>
    <message>
        <source>%1 ranks of %2 threads share %3 cores, and the times here give each thread a core of its own: expect steps about %4 times as long. `stagecraft doctor --measure` makes them those of this machine</source>
        <translation>%1 个 rank、每个 %2 线程，共用 %3 个核心，而这里的时间按每个线程独占一个核心计算：实际每步约为 %4 倍。运行 `stagecraft doctor --measure` 后按本机速度给出</translation>
    </message>
    <message>
        <source>layout.lossChunks has no effect: a loss in chunks have DeepSpeed on Transformers models (TiledFusedLogitsLoss) and torchtitan (ChunkedCELoss); plan with framework deepspeed or fsdp2, or remove it</source>
        <translation>layout.lossChunks 无效：只有 DeepSpeed 训练 Transformers 模型（TiledFusedLogitsLoss）和 torchtitan（ChunkedCELoss）能分块计算损失；改用 deepspeed 或 fsdp2 框架规划，或删除此项</translation>
    </message>
    <message>
        <source>log-softmax and two gradients of one chunk</source>
        <translation>一块的 log-softmax 与两份梯度</translation>
    </message>
    <message>
        <source>log-softmax and two gradients in 16 bits</source>
        <translation>16 位的 log-softmax 与两份梯度</translation>
    </message>
    <message>
        <source>a sub-group&apos;s gradients put beside each other, before they are turned to fp32</source>
        <translation>一个子组的梯度先并排放好，再转成 fp32</translation>
    </message>
    <message>
        <source>a bucket of gradients sorted by ranks</source>
        <translation>按 rank 重排的一桶梯度</translation>
    </message>
    <message>
        <source>parameters gathered at once: autograd holds every product&apos;s weight until its backward pass, the model was made outside zero.Init</source>
        <translation>同时聚合的参数：模型在 zero.Init 之外创建，autograd 把每个乘积的权重一直保留到它的反向传播</translation>
    </message>
    <message>
        <source>what is gathered while the last block computes, beyond what the loss makes after it is freed</source>
        <translation>最后一层计算时聚合的权重中，超出释放后损失所需的那一部分</translation>
    </message>
    <message>
        <source>16-bit logits that the training loop still names: torchtitan deletes them before the backward pass</source>
        <translation>训练循环仍引用的 16 位 logits：torchtitan 在反向传播之前将其删除</translation>
    </message>
    <message>
        <source>fp32 logits that the training loop still names, by themselves or as part of what the model gave</source>
        <translation>训练循环仍引用的 fp32 logits：单独引用，或作为模型输出的一部分</translation>
    </message>
    <message>
        <source>logits of every micro-batch, which the schedule keeps to return them</source>
        <translation>所有微批次的 logits：调度器为返回它们而保留</translation>
    </message>
    <message>
        <source>the logits of every micro-batch joined into one tensor when the last of them is done, beyond what the optimizer makes after it</source>
        <translation>最后一个微批次完成后，所有微批次的 logits 拼接成一个张量，超出其后优化器所需的那一部分</translation>
    </message>
    <message>
        <source>softmax in fp32 and the gradient: the compiled vocabulary-parallel loss</source>
        <translation>fp32 的 softmax 与梯度：编译后的词表并行损失</translation>
    </message>
    <message>
        <source>16-bit gradients of a backward pass, before they are added to the fp32 ones</source>
        <translation>一次反向的 16 位梯度，尚未加到 fp32 梯度</translation>
    </message>
    <message>
        <source>this rank&apos;s gradients put beside each other before they are turned to fp32</source>
        <translation>本 rank 的梯度在转为 fp32 之前的拼接副本</translation>
    </message>
    <message>
        <source>this rank&apos;s gradients put beside each other for the optimizer</source>
        <translation>本 rank 的梯度为优化器拼接的副本</translation>
    </message>
    <message>
        <source>logits turned to fp32</source>
        <translation>转为 fp32 的 logits</translation>
    </message>
    <message>
        <source>shifted logits and their log-softmax in 16 bits, then two gradients</source>
        <translation>错位后的 logits 及其 16 位 log-softmax，随后是两份梯度</translation>
    </message>
    <message>
        <source>shifted logits and their log-softmax in fp32, then two gradients</source>
        <translation>错位后的 logits 及其 fp32 log-softmax，随后是两份梯度</translation>
    </message>
    <message>
        <source>outputs of the micro-batches in flight, divided over the tensor-parallel ranks</source>
        <translation>在途各 micro batch 的输出，按张量并行 rank 切分</translation>
    </message>
    <message>
        <source>output of one micro-batch made whole again, and its gradient</source>
        <translation>重新拼完整的一个 micro batch 的输出及其梯度</translation>
    </message>
    <message>
        <source>what goes into the embedding&apos;s norm, of the micro-batches in flight</source>
        <translation>在途各 micro batch 进入嵌入层归一化的内容</translation>
    </message>
    <message>
        <source>gradients inside the block at work: residual, norm, both sides of the non-linearity, scores</source>
        <translation>正在计算的块内的梯度：残差、归一化、非线性两侧、注意力分数</translation>
    </message>
    <message>
        <source>the embedding&apos;s gradient of one micro-batch, before it is added to that of the others</source>
        <translation>一个 micro batch 的嵌入梯度，尚未与其他的相加</translation>
    </message>
    <message>
        <source>The decoder&apos;s targets are planned as long as the inputs, %1 tokens: shorter ones take less memory and time</source>
        <translation>解码器的目标序列按与输入等长（%1 个 token）规划：更短的目标占用的显存和时间更少</translation>
    </message>
    <message>
        <source>The ledger has model states alone: a number of parameters says nothing of layers and sequence, so activations, buffers, step time and whether it fits are not known, unless the states alone exceed the device. For these give a preset, a config.json or the sizes</source>
        <translation>账本只有模型状态：参数量说明不了层数与序列长度，因此激活、缓冲区、单步时间以及是否放得下都无法得知，除非模型状态本身已超出设备。要得到这些，请给出预设、config.json 或各尺寸</translation>
    </message>
    <message>
        <source>The ledger has model states alone: activations and step time are planned for decoders that predict words, and with DeepSpeed for classifiers on them and for BERT, RoBERTa and T5 where all sizes are known. Whether it fits cannot be told from them unless they exceed the device</source>
        <translation>账本只有模型状态：激活与单步时间只为预测词的解码器规划，DeepSpeed 下还包括其上的分类器，以及各尺寸都已知的 BERT、RoBERTa 与 T5。除非模型状态本身已超出设备，否则无法判断是否放得下</translation>
    </message>
    <message>
        <source>The model states alone need %1 of %2 on the fullest rank</source>
        <translation>最满的 rank 仅模型状态就需要 %1，可用 %2</translation>
    </message>
    <message>
        <source>What is offloaded needs %1 of the %2 of host memory of a node; use more nodes, nodes with more memory, or a branch of the tree (advise) that fits</source>
        <translation>卸载内容需要每节点 %1 主机内存，而节点只有 %2；使用更多节点、内存更大的节点，或决策树（advise）中放得下的分支</translation>
    </message>
    <message>
        <source>No stage and no offload surely fits; %1 may, with a probability of %2</source>
        <translation>没有任何 stage 或卸载方式肯定放得下；%1 可能放得下，概率 %2</translation>
    </message>
    <message>
        <source>this rank&apos;s reduced gradients, summed in fp32 on the device until the step</source>
        <translation>本 rank 归约后的梯度，以 fp32 在设备上累加到更新时</translation>
    </message>
    <message>
        <source>buffer through which the largest parameter&apos;s gradient comes back from the host</source>
        <translation>最大参数的梯度从主机取回时用的缓冲区</translation>
    </message>
    <message>
        <source>&quot;auto&quot; means false here: DeepSpeed drops the word, so the plan takes fp32, as the check does. If Transformers&apos; Trainer or accelerate starts the job, name it in launch.launcher; else write true</source>
        <translation>此处 &quot;auto&quot; 即 false：DeepSpeed 会丢弃这个词，因此计划与检查一样按 fp32 计算。若任务由 Transformers 的 Trainer 或 accelerate 启动，请在 launch.launcher 中写明；否则写 true</translation>
    </message>
    <message>
        <source>&quot;auto&quot; is filled in by accelerate from --mixed_precision, which nobody gives here: the plan takes fp32, as the check does; write true where it is given</source>
        <translation>&quot;auto&quot; 由 accelerate 按 --mixed_precision 填写，此处没有给出：计划与检查一样按 fp32 计算；若会给出，写 true</translation>
    </message>
    <message>
        <source>&quot;auto&quot; is filled in by Transformers&apos; Trainer, whose default is neither bf16 nor fp16: the plan takes fp32, as the check does; write true where the Trainer is given one of them</source>
        <translation>&quot;auto&quot; 由 Transformers 的 Trainer 填写，其默认既不是 bf16 也不是 fp16：计划与检查一样按 fp32 计算；若会给 Trainer 指定其中之一，在该处写 true</translation>
    </message>
    <message>
        <source>Without a &quot;release&quot; what torchtitan keeps is planned as its code of 2024 kept it, which is the most; say the month of yours, as in &quot;release&quot;: &quot;2026-04&quot;. Where Transformers&apos; own code is trained, as under Accelerate, say &quot;model_code&quot;: &quot;transformers&quot;</source>
        <translation>未写 &quot;release&quot; 时，torchtitan 保留的内容按其 2024 年的代码计算，占用最多；写出所用代码的月份，例如 &quot;release&quot;: &quot;2026-04&quot;。若训练的是 Transformers 自己的代码（例如通过 Accelerate），写 &quot;model_code&quot;: &quot;transformers&quot;</translation>
    </message>
    <message>
        <source>CUDA graphs take launching from the planned step; the buffers that they hold are not in the planned memory</source>
        <translation>CUDA graph 使计划的步时不再包含内核启动；它们占用的缓冲区未计入计划的显存</translation>
    </message>
    <message>
        <source>Gradients and weights are taken as exchanged while the model computes, as jobs are mostly run; Megatron does so only with --overlap-grad-reduce and --overlap-param-gather: say false for both to plan without</source>
        <translation>梯度和权重按“与计算同时交换”计算，多数任务都这样运行；Megatron 只有在写了 --overlap-grad-reduce 和 --overlap-param-gather 时才如此：若要按不重叠规划，两者都写 false</translation>
    </message>
    <message>
        <source>Attention is taken as sdpa, Transformers' default since December 2023 (4.36), which keeps no scores; say &quot;attn_implementation&quot;: &quot;eager&quot; for older code or models that ask for it</source>
        <translation>注意力按 sdpa 计算，这是 Transformers 自 2023 年 12 月（4.36）起的默认实现，不保存分数矩阵；旧代码或要求 eager 的模型，写 &quot;attn_implementation&quot;: &quot;eager&quot;</translation>
    </message>
    <message>
        <source>torch.compile shortens the planned step; memory is planned as without it, of which compiled blocks mostly need less</source>
        <translation>torch.compile 会缩短计划的步时；显存按未使用它计算，编译后的模块通常占用更少</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is &quot;%2&quot;; write the year and the month of the framework's code, as in 2025-04</source>
        <translation>&quot;%1&quot; 为 &quot;%2&quot;；写框架代码的年份和月份，例如 2025-04</translation>
    </message>
    <message>
        <source>A local batch of %1 samples cannot be cut into %2 equal micro-batches for the pipeline; use numbers that divide</source>
        <translation>流水线无法把 %1 个样本的本地 batch 平均切成 %2 个 micro-batch；使用能整除的数</translation>
    </message>
    <message>
        <source>A local batch of %1 samples is no multiple of the pipeline's micro-batch of %2; use sizes that divide</source>
        <translation>%1 个样本的本地 batch 不是流水线 micro-batch（%2）的整数倍；使用能整除的大小</translation>
    </message>
    <message>
        <source>The arguments make %1 ranks for %2 devices; change them or the hardware</source>
        <translation>这些参数给出 %1 个 rank，而设备只有 %2 个；修改参数或硬件</translation>
    </message>
    <message>
        <source>network_gb_per_s has no effect: all %1 devices reach each other without the network</source>
        <translation>network_gb_per_s 不起作用：全部 %1 个设备不经网络即可互通</translation>
    </message>
    <message>
        <source>Products in fp32 run without tensor cores, as PyTorch has it unless told otherwise: at %1 TFLOP/s, not at the %2 of TF32; say &quot;tf32&quot;: true in framework.arguments where the script allows it, or train in bf16</source>
        <translation>fp32 矩阵乘不走张量核心（PyTorch 默认如此）：按 %1 TFLOP/s 计算，而不是 TF32 的 %2；脚本允许 TF32 时，在 framework.arguments 里写 &quot;tf32&quot;: true，或改用 bf16 训练</translation>
    </message>
    <message>
        <source>Transformers&apos; models make whole blocks again, or nothing: &quot;selective&quot; is planned as &quot;none&quot;; use &quot;full&quot;, or framework.arguments &quot;model_code&quot;: &quot;megatron&quot;</source>
        <translation>Transformers 模型要么整块重计算，要么不重计算：&quot;selective&quot; 按 &quot;none&quot; 计划；改用 &quot;full&quot;，或在 framework.arguments 里写 &quot;model_code&quot;: &quot;megatron&quot;</translation>
    </message>
    <message>
        <source>%1 is %2; use at most 10000000</source>
        <translation>%1 为 %2；最多用 10000000</translation>
    </message>
    <message>
        <source>&quot;cuda&quot; says nothing of the GPU: it is planned as %1; choose yours under Model and hardware</source>
        <translation>&quot;cuda&quot; 没有说明是哪种 GPU：按 %1 计划；在“模型与硬件”中选择自己的设备</translation>
    </message>
    <message>
        <source>one block at work: without gradients nothing is kept</source>
        <translation>正在计算的一个 block：不求梯度时什么都不保留</translation>
    </message>
    <message>
        <source>logits and their log-softmax in fp32</source>
        <translation>logits 及其 fp32 log-softmax</translation>
    </message>
    <message>
        <source>the module that is gathered to be saved whole</source>
        <translation>为完整保存而聚齐的模块</translation>
    </message>
    <message>
        <source>What is offloaded needs %1 of host memory per node; say with hardware.hostMemoryGiB what a node has, and the verdict counts it</source>
        <translation>卸载内容每节点需要 %1 主机内存；用 hardware.hostMemoryGiB 写明节点的内存，结论才会把它算进去</translation>
    </message>
    <message>
        <source>A sequence of %1 tokens for a model with %2 learned positions; use a shorter one</source>
        <translation>序列有 %1 个 token，而模型只学习了 %2 个位置；缩短序列</translation>
    </message>
    <message>
        <source>weights that stay in host memory beside the files</source>
        <translation>文件之外常驻主机内存的权重</translation>
    </message>
    <message>
        <source>buffer for weights beside the files, into which no sub-group fits</source>
        <translation>文件之外的权重缓冲区，没有任何子组放得进去</translation>
    </message>
    <message>
        <source>fp32 gradients waiting in files for the update</source>
        <translation>在文件中等待更新的 fp32 梯度</translation>
    </message>
    <message>
        <source>error of the part whose compressed sum this rank makes</source>
        <translation>此 rank 负责压缩求和的部分的误差</translation>
    </message>
    <message>
        <source>pinned buffers between file and host for optimizer states</source>
        <translation>文件与主机之间用于优化器状态的锁页缓冲区</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, not a number; the plan uses %3, DeepSpeed may refuse the file</source>
        <translation>&quot;%1&quot; 为 %2，不是数字；规划采用 %3，DeepSpeed 可能拒绝此文件</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, not a whole number; the plan uses %3, DeepSpeed may refuse the file</source>
        <translation>&quot;%1&quot; 为 %2，不是整数；规划采用 %3，DeepSpeed 可能拒绝此文件</translation>
    </message>
    <message>
        <source>The states of the optimizer &quot;%1&quot; are not known: they are counted as Adam's, 8 bytes a parameter</source>
        <translation>不知道优化器 &quot;%1&quot; 的状态大小：按 Adam 计算，每参数 8 字节</translation>
    </message>
    <message>
        <source>FSDP2 reads no ds_config: it is planned as torchtitan trains, with fp32 shards and bf16 for computing. Where it computes in another type, say &quot;mixed_precision_param&quot;: &quot;float16&quot; or &quot;float32&quot; in framework.arguments</source>
        <translation>FSDP2 不读取 ds_config：按 torchtitan 的训练方式规划，分片为 fp32，计算用 bf16。若以其他类型计算，在 framework.arguments 中写 &quot;mixed_precision_param&quot;: &quot;float16&quot; 或 &quot;float32&quot;</translation>
    </message>
    <message>
        <source>%1 has no schedule %2: the plan is made for %3</source>
        <translation>%1 没有调度 %2：规划改用 %3</translation>
    </message>
    <message>
        <source>%1 runs %2 with %3 chunks on a rank, not %4: so is the plan</source>
        <translation>%1 的 %2 每个 rank 有 %3 个分块，而不是 %4：规划照此进行</translation>
    </message>
    <message>
        <source>DeepSpeed refuses ZeRO stage %1 with %2 pipeline stages; use stage 1 at most, or layout.pp 1</source>
        <translation>DeepSpeed 不允许 ZeRO 阶段 %1 与 %2 级流水线同用；最多用阶段 1，或令 layout.pp 为 1</translation>
    </message>
    <message>
        <source>%1 chunks on each of %2 pipeline stages for %3 layers; use fewer chunks, so that each has a layer</source>
        <translation>每级 %1 个分块、共 %2 级流水线，但只有 %3 层；减少分块，使每块至少一层</translation>
    </message>
    <message>
        <source>A sequence of %1 tokens cannot be divided over %2 context-parallel ranks; use a divisor, or another model.seq</source>
        <translation>%1 个 token 的序列无法均分到 %2 个上下文并行 rank；改用其约数，或改 model.seq</translation>
    </message>
    <message>
        <source>%1 heads cannot be divided over cp %2 x tp %3 ranks, as Ulysses does; use a divisor</source>
        <translation>%1 个头无法按 Ulysses 均分到 cp %2 x tp %3 个 rank；改用约数</translation>
    </message>
    <message>
        <source>DeepSpeed's pipeline engine has no sequence parallelism; use layout.cp 1 or layout.pp 1</source>
        <translation>DeepSpeed 的流水线引擎没有序列并行；令 layout.cp 或 layout.pp 为 1</translation>
    </message>
    <message>
        <source>A sequence of %1 tokens cannot be cut into 2 x %2 equal pieces for context parallelism; use another layout.cp or model.seq</source>
        <translation>%1 个 token 的序列无法为上下文并行切成 2 x %2 等份；改 layout.cp 或 model.seq</translation>
    </message>
    <message>
        <source>Expert parallelism of %1 for a model without experts; use layout.ep 1</source>
        <translation>模型没有专家，却设了 %1 路专家并行；令 layout.ep 为 1</translation>
    </message>
    <message>
        <source>Groups of %1 ranks (mics_shard_size) do not divide the %2 data-parallel ranks; use a divisor</source>
        <translation>每组 %1 个 rank（mics_shard_size）不能整除 %2 个数据并行 rank；改用约数</translation>
    </message>
    <message>
        <source>Groups of %1 ranks (zero_hpz_partition_size) do not divide the %2 ranks; use a divisor</source>
        <translation>每组 %1 个 rank（zero_hpz_partition_size）不能整除 %2 个 rank；改用约数</translation>
    </message>
    <message>
        <source>%1 key-value heads and cp %2 x tp %3 ranks: one must divide the other, as Ulysses copies or divides them; use another layout.cp</source>
        <translation>%1 个 key-value 头与 cp %2 x tp %3 个 rank：须一方整除另一方，Ulysses 才能复制或切分它们；改用别的 layout.cp</translation>
    </message>
    <message>
        <source>Sequence parallelism cannot divide %1 tokens over cp %2 x tp %3 ranks; use a divisor, or another model.seq</source>
        <translation>序列并行不能把 %1 个 token 均分到 cp %2 x tp %3 个 rank；改用约数，或改 model.seq</translation>
    </message>
    <message>
        <source>%1 key-value heads and %2 tensor-parallel ranks: one must divide the other, as Megatron-LM divides or copies them; use another layout.tp</source>
        <translation>%1 个 key-value 头与 %2 个张量并行 rank：须一方整除另一方，Megatron-LM 才能切分或复制它们；改用别的 layout.tp</translation>
    </message>
    <message>
        <source>%1 key-value heads cannot be divided over %2 tensor-parallel ranks, and PyTorch copies none; use a divisor</source>
        <translation>%1 个 key-value 头不能均分到 %2 个张量并行 rank，PyTorch 也不复制它们；改用约数</translation>
    </message>
    <message>
        <source>An MLP of width %1 cannot be divided over %2 tensor-parallel ranks; use a divisor</source>
        <translation>宽度为 %1 的 MLP 不能均分到 %2 个张量并行 rank；改用约数</translation>
    </message>
    <message>
        <source>%1 layers cannot be divided over %2 pipeline stages, and Megatron-LM refuses a rest; use a divisor, or say with decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers what the first and the last stage have</source>
        <translation>%1 层不能均分到 %2 个流水线段，Megatron-LM 不接受余数；改用约数，或用 decoder-first-pipeline-num-layers 和 decoder-last-pipeline-num-layers 指定首段和末段的层数</translation>
    </message>
    <message>
        <source>%1 layers cannot be divided over %2 pipeline stages, and Megatron-LM refuses a rest; set account-for-loss-in-pipeline-split, with which the loss counts as a layer of the last stage, use a divisor, or say with decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers what the first and the last stage have</source>
        <translation>%1 层不能均分到 %2 个流水线段，Megatron-LM 不接受余数；设 account-for-loss-in-pipeline-split，使损失在末段算作一层，或改用约数，或用 decoder-first-pipeline-num-layers 和 decoder-last-pipeline-num-layers 指定首段和末段的层数</translation>
    </message>
    <message>
        <source>%1 layers cannot be divided over %2 pipeline stages, and Megatron-LM refuses a rest; set account-for-embedding-in-pipeline-split and account-for-loss-in-pipeline-split, with which the embedding and the loss count as a layer each, use a divisor, or say with decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers what the first and the last stage have</source>
        <translation>%1 层不能均分到 %2 个流水线段，Megatron-LM 不接受余数；设 account-for-embedding-in-pipeline-split 和 account-for-loss-in-pipeline-split，使嵌入和损失各算作一层，或改用约数，或用 decoder-first-pipeline-num-layers 和 decoder-last-pipeline-num-layers 指定首段和末段的层数</translation>
    </message>
    <message>
        <source>%1 layers are left for %2 pipeline stages, which cannot share them evenly; use another size of the first or the last stage</source>
        <translation>剩下 %1 层给 %2 个流水线段，无法均分；改首段或末段的层数</translation>
    </message>
    <message>
        <source>%1 layers of a pipeline stage cannot be divided over %2 chunks; use a divisor</source>
        <translation>一个流水线段的 %1 层不能均分成 %2 个模型块（chunk）；改用约数</translation>
    </message>
    <message>
        <source>The %1 layers of a pipeline stage are no multiple of num-layers-per-virtual-pipeline-stage %2; use a divisor</source>
        <translation>一个流水线段的 %1 层不是 num-layers-per-virtual-pipeline-stage %2 的倍数；改用约数</translation>
    </message>
    <message>
        <source>Megatron-LM refuses num-layers-per-virtual-pipeline-stage beside a first or last stage of a size of its own; say with num-virtual-stages-per-pipeline-rank how many chunks a rank has</source>
        <translation>首级或末级另有层数时，Megatron-LM 拒绝 num-layers-per-virtual-pipeline-stage；改用 num-virtual-stages-per-pipeline-rank 说明每个 rank 有几个 chunk</translation>
    </message>
    <message>
        <source>Several chunks on a rank need a pipeline: Megatron-LM refuses to interleave a single stage; remove the argument, or use more stages</source>
        <translation>一个 rank 上有多个模型块就需要流水线：只有一段时 Megatron-LM 拒绝交错调度；删去该参数，或增加段数</translation>
    </message>
    <message>
        <source>microbatch-group-size-per-virtual-pipeline-stage is %1, which must be from the %2 pipeline stages to the %3 micro-batches</source>
        <translation>microbatch-group-size-per-virtual-pipeline-stage 为 %1，须在流水线段数 %2 与微批次数 %3 之间</translation>
    </message>
    <message>
        <source>%1 micro-batches cannot be interleaved over %2 pipeline stages in groups of %3; use a multiple of the group, or one chunk</source>
        <translation>%1 个微批次不能以 %3 个为一组在 %2 个流水线段上交错；改用组大小的倍数，或只用一个模型块</translation>
    </message>
    <message>
        <source>%1 micro-batches for %2 stages: PyTorch's schedule refuses fewer of them than stages; use more, or layout.schedule gpipe</source>
        <translation>%1 个微批次，%2 个段：PyTorch 的调度不接受少于段数的微批次；增加微批次，或用 layout.schedule gpipe</translation>
    </message>
    <message>
        <source>%1 micro-batches cannot be divided over the %2 rounds in which PyTorch interleaves them; use a multiple of %3</source>
        <translation>%1 个微批次不能均分到 PyTorch 交错调度的 %2 轮；改用 %3 的倍数</translation>
    </message>
    <message>
        <source>Megatron-LM trains experts under tensor parallelism only with sequence parallelism; set layout.sequenceParallel, or sequence-parallel in framework.arguments</source>
        <translation>Megatron-LM 在张量并行下训练专家时必须启用序列并行；设 layout.sequenceParallel，或在 framework.arguments 中设 sequence-parallel</translation>
    </message>
    <message>
        <source>Megatron-LM has no expert parallelism in fp16; use bf16, or layout.ep 1</source>
        <translation>Megatron-LM 不支持 fp16 下的专家并行；改用 bf16，或 layout.ep 1</translation>
    </message>
    <message>
        <source>DeepSpeed cannot keep a second copy of the weights (zero_hpz_partition_size) beside weights in files; offload them to &quot;cpu&quot;, or remove one of the two</source>
        <translation>权重放在文件里时，DeepSpeed 无法再保留权重的第二份副本（zero_hpz_partition_size）； offload 到 &quot;cpu&quot;，或去掉其中一项</translation>
    </message>
    <message>
        <source>Megatron-LM&apos;s own layers (transformer-impl local) have no context parallelism; use Transformer Engine, or layout.cp 1</source>
        <translation>Megatron-LM 自带的层（transformer-impl local）不支持上下文并行；改用 Transformer Engine，或 layout.cp 1</translation>
    </message>
    <message>
        <source>Megatron-LM captures no CUDA graphs of layers whose activations wait on the host; remove the arguments of CUDA graphs, or cpu-offloading-num-layers</source>
        <translation>层的激活放在主机上时，Megatron-LM 不捕获 CUDA 图；删去 CUDA 图的参数，或删去 cpu-offloading-num-layers</translation>
    </message>
    <message>
        <source>Megatron-LM&apos;s own layers (transformer-impl local) keep no activations on the host; use Transformer Engine, or remove cpu-offloading-num-layers</source>
        <translation>Megatron-LM 自带的层（transformer-impl local）不能把激活放在主机上；改用 Transformer Engine，或删去 cpu-offloading-num-layers</translation>
    </message>
    <message>
        <source>Megatron-LM refuses recomputation beside activations on the host; remove recompute-granularity and set layout.recompute to none, or remove cpu-offloading-num-layers</source>
        <translation>激活放在主机上时 Megatron-LM 拒绝重计算；删去 recompute-granularity 并把 layout.recompute 设为 none，或删去 cpu-offloading-num-layers</translation>
    </message>
    <message>
        <source>Weights packed in 4 bits are not divided by tensor parallelism, whose parts would lack the constants of their blocks; use layout.tp 1, or a 16-bit base</source>
        <translation>4 位打包的权重不能用张量并行切分：切开的部分缺少各块的量化常数；改用 layout.tp 1，或使用 16 位基座</translation>
    </message>
    <message>
        <source>Activations wait on the host only where there is no pipeline; use layout.pp 1, or remove cpu-offloading-num-layers (FSDP2: activation_offloading)</source>
        <translation>没有流水线时激活才能放在主机上；改用 layout.pp 1，或删去 cpu-offloading-num-layers（FSDP2 为 activation_offloading）</translation>
    </message>
    <message>
        <source>%1 layers are to keep their activations on the host, of %2: Megatron-LM takes fewer than all layers; use %3 at most</source>
        <translation>要让 %1 层的激活放在主机上，而模型共 %2 层：Megatron-LM 只接受少于全部层数；最多用 %3</translation>
    </message>
    <message>
        <source>DeepSpeed 0.19.8 has no MiCS and refuses &quot;mics_shard_size&quot;: the plan is of a release before it</source>
        <translation>DeepSpeed 0.19.8 已没有 MiCS，会拒绝 &quot;mics_shard_size&quot;：规划按此前的版本做出</translation>
    </message>
    <message>
        <source>MFU is above 100 % because this machine was measured to be faster than the peak it is a share of, %1 GFLOP/s a rank from the CPU&apos;s data sheet: it compares plans, and is no share of what the machine can do</source>
        <translation>MFU 超过 100 %，因为本机实测速度高于作为分母的峰值（CPU 参数表中每 rank %1 GFLOP/s）：它只用于比较方案，不代表机器能力的占比</translation>
    </message>
    <message>
        <source>The ds_config&apos;s stage %1 is not what is planned: FSDP2 takes no zero_optimization, and divides weights, gradients and optimizer states over the data-parallel ranks, as stage 3 does</source>
        <translation>计划的不是 ds_config 的阶段 %1：FSDP2 不读 zero_optimization，它像阶段 3 那样把权重、梯度和优化器状态都划分到数据并行的各个 rank</translation>
    </message>
    <message>
        <source>The ds_config&apos;s stage %1 is not what is planned: Megatron-Core takes no zero_optimization, and its arguments divide the states as stage %2 does</source>
        <translation>计划的不是 ds_config 的阶段 %1：Megatron-Core 不读 zero_optimization，它的参数像阶段 %2 那样划分各种状态</translation>
    </message>
    <message>
        <source>The ds_config&apos;s stage %1 is not what is planned: Megatron-Core takes no zero_optimization, and its distributed optimizer divides the optimizer states alone over the data-parallel ranks, as stage 1 does</source>
        <translation>计划的不是 ds_config 的阶段 %1：Megatron-Core 不读 zero_optimization，它的分布式优化器像阶段 1 那样只把优化器状态划分到数据并行的各个 rank</translation>
    </message>
    <message>
        <source>The ds_config&apos;s stage %1 is not what is planned: Megatron-Core takes no zero_optimization, and without use-distributed-optimizer every data-parallel rank has all states, as in stage 0</source>
        <translation>计划的不是 ds_config 的阶段 %1：Megatron-Core 不读 zero_optimization，没有 use-distributed-optimizer 时，数据并行的每个 rank 都像阶段 0 那样持有全部状态</translation>
    </message>
    <message>
        <source>What the ds_config offloads stays on the devices in this plan: FSDP2 takes no zero_optimization. Where its shards lie on the host (CPUOffloadPolicy), say &quot;cpu_offload&quot;: true in framework.arguments</source>
        <translation>ds_config 所卸载的内容在这份计划里留在设备上：FSDP2 不读 zero_optimization。若其分片放在主机上（CPUOffloadPolicy），在 framework.arguments 中写 &quot;cpu_offload&quot;: true</translation>
    </message>
    <message>
        <source>What the ds_config offloads stays on the devices in this plan: %1 takes no zero_optimization</source>
        <translation>ds_config 所卸载的内容在这份计划里留在设备上：%1 不读 zero_optimization</translation>
    </message>
    <message>
        <source>DeepSpeed with this ds_config allocates %1 on the fullest rank, %2 allocates %3; what differs most: %4</source>
        <translation>用这份 ds_config，DeepSpeed 在占用最多的 rank 上分配 %1，%2 分配 %3；差别最大的是：%4</translation>
    </message>
    <message>
        <source>%1 % of the step is the latency of collectives: round a ring of up to %2 ranks a message is passed on as many times, however little is sent. Shorter rings and fewer collectives help: tensor parallelism, a pipeline, ZeRO stage 1, larger and fewer micro-batches</source>
        <translation>一步中 %1 % 是集合通信的延迟：在最多 %2 个 rank 的环上，无论发送多少，消息都要逐个传递同样多次。缩短环、减少集合通信有帮助：张量并行、流水线、ZeRO 阶段 1，以及更大更少的微批次</translation>
    </message>
    <message>
        <source>MFU&apos;s interval reaches above 100 % because MFU counts attention over the full square of the sequence, as published figures do, of which a causal kernel computes half: devices that compute at their peak all the time would come to %1 %</source>
        <translation>MFU 的区间超过 100 %，因为 MFU 与公开数据一样，注意力按序列的完整方阵计，而因果 kernel 只计算其中一半：设备始终以峰值计算时会达到 %1 %</translation>
    </message>
    <message>
        <source>MFU is above 100 % because it counts attention over the full square of the sequence, as published figures do, of which a causal kernel computes half: of what is computed the devices reach %1 % of their peak</source>
        <translation>MFU 超过 100%，是因为它与公开数据一样按序列的完整平方计注意力，而因果内核只算其中一半：就实际计算而言，设备达到峰值的 %1%</translation>
    </message>
    <message>
        <source>A sequence of %1 tokens for a position table of %2 rows; use at most as many tokens</source>
        <translation>序列有 %1 个 token，而位置表只有 %2 行；不要超过该行数</translation>
    </message>
    <message>
        <source>DeepSpeed&apos;s own experts have no ZeRO stage 3; use stage 2</source>
        <translation>DeepSpeed 自带的 MoE 不支持 ZeRO 阶段 3；改用阶段 2</translation>
    </message>
    <message>
        <source>DeepSpeed has no sequence parallelism beside experts divided in ZeRO stage 3; use stage 2, or layout.cp 1</source>
        <translation>DeepSpeed 在 ZeRO 阶段 3 下不支持专家并行与序列并行同时使用；改用阶段 2，或 layout.cp 1</translation>
    </message>
    <message>
        <source>DeepSpeed has no second copy of weights (zero_hpz_partition_size) beside divided experts; remove it, or use layout.ep 1</source>
        <translation>DeepSpeed 在专家并行下不支持权重的第二份副本（zero_hpz_partition_size）；删去该项，或用 layout.ep 1</translation>
    </message>
    <message>
        <source>DeepSpeed does not quantise gradients beside divided experts in stage 3; remove zero_quantized_gradients, or use layout.ep 1</source>
        <translation>DeepSpeed 在阶段 3 的专家并行下不支持梯度量化；删去 zero_quantized_gradients，或用 layout.ep 1</translation>
    </message>
    <message>
        <source>In stage 2 DeepSpeed divides experts only with contiguous_gradients; remove &quot;contiguous_gradients&quot;: false</source>
        <translation>在阶段 2 下，DeepSpeed 的专家并行必须启用 contiguous_gradients；删去 &quot;contiguous_gradients&quot;: false</translation>
    </message>
    <message>
        <source>In stages 1 and 2 DeepSpeed divides experts only with reduce_scatter; remove &quot;reduce_scatter&quot;: false</source>
        <translation>在阶段 1 和 2 下，DeepSpeed 的专家并行必须启用 reduce_scatter；删去 &quot;reduce_scatter&quot;: false</translation>
    </message>
    <message>
        <source>Beside tensor parallelism DeepSpeed divides experts neither over pipeline stages nor with sequence parallelism; use layout.tp 1, or pp 1 and cp 1</source>
        <translation>DeepSpeed 在张量并行下，专家并行既不能与流水线并行同用，也不能与序列并行同用；改用 layout.tp 1，或 pp 1 且 cp 1</translation>
    </message>
    <message>
        <source>Beside tensor parallelism DeepSpeed divides experts only without offload; remove the offload sections, or use layout.tp 1</source>
        <translation>DeepSpeed 在张量并行下，专家并行不能与 offload 同用；删去 offload 各节，或用 layout.tp 1</translation>
    </message>
    <message>
        <source>%1 has no bf16 arithmetic: PyTorch emulates it, at no more than the %2 TFLOP/s of fp32, where fp16 reaches %3; train in fp16 (FSDP2: &quot;param_dtype&quot;: &quot;float16&quot;, Megatron: &quot;fp16&quot;), or use another device</source>
        <translation>%1 没有 bf16 运算单元：PyTorch 只能模拟执行，不超过 fp32 的 %2 TFLOP/s，而 fp16 可达 %3；改用 fp16 训练（FSDP2：&quot;param_dtype&quot;: &quot;float16&quot;，Megatron：&quot;fp16&quot;），或换用其他设备</translation>
    </message>
    <message>
        <source>Expert parallelism of %1 does not divide the %2 ranks that hold a pipeline stage; use a divisor</source>
        <translation>%1 路专家并行不能整除持有一级流水线的 %2 个 rank；改用约数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, which does not divide hidden-size %3; use a divisor, or give kv-channels</source>
        <translation>&quot;%1&quot; 为 %2，不能整除 hidden-size %3；改用约数，或给出 kv-channels</translation>
    </message>
    <message>
        <source>&quot;cuda&quot; is planned as %1, the GPU of this machine</source>
        <translation>&quot;cuda&quot; 按本机的 GPU %1 规划</translation>
    </message>
    <message>
        <source>each replica updates its part of the weights and gathers the others</source>
        <translation>每个副本更新自己那份权重，再收集其余部分</translation>
    </message>
    <message>
        <source>stage 2 keeps no whole gradients: it reduces after every micro-batch</source>
        <translation>阶段 2 不保留完整梯度：每个微批次后都要归约</translation>
    </message>
    <message>
        <source>gradients are summed over the replicas once a step</source>
        <translation>每步在各副本间对梯度求和一次</translation>
    </message>
    <message>
        <source>gradients are summed over the replicas in fp32</source>
        <translation>以 fp32 在各副本间对梯度求和</translation>
    </message>
    <message>
        <source>units whose weights are sliced are gathered when used, or after the update</source>
        <translation>权重被切分的单元在使用时或更新后收集</translation>
    </message>
    <message>
        <source>weights are gathered for the first forward pass; when they are given back, hpZ keeps a second copy in a smaller group</source>
        <translation>第一次前向时收集权重；释放时 hpZ 在较小的组内保留第二份副本</translation>
    </message>
    <message>
        <source>weights are gathered for the forward pass</source>
        <translation>前向时收集权重</translation>
    </message>
    <message>
        <source>experts are gathered among the ranks that share them</source>
        <translation>在共享这些专家的 rank 之间收集专家的权重</translation>
    </message>
    <message>
        <source>gradients of experts are summed among the ranks that share them</source>
        <translation>在共享这些专家的 rank 之间累加专家的梯度</translation>
    </message>
    <message>
        <source>weights were given back after the forward pass and are gathered again</source>
        <translation>权重在前向后已释放，反向时再次收集</translation>
    </message>
    <message>
        <source>every other gather of the step is of the second copy, inside its group</source>
        <translation>本步其余的收集都取自第二份副本，只在其组内进行</translation>
    </message>
    <message>
        <source>gradients of norms and biases are scattered as they are</source>
        <translation>归一化层与偏置的梯度不量化，直接 reduce-scatter</translation>
    </message>
    <message>
        <source>each replica keeps the sum of its part of the gradients</source>
        <translation>每个副本保留自己那份梯度之和</translation>
    </message>
    <message>
        <source>gradients of matrices go round the node in 4 bits</source>
        <translation>矩阵的梯度以 4 bit 在节点内 all-to-all</translation>
    </message>
    <message>
        <source>each device&apos;s part of the node&apos;s sum goes to the other nodes in 4 bits</source>
        <translation>节点内求和后，每张卡的那份以 4 bit 发往其他节点</translation>
    </message>
    <message>
        <source>shards are summed over the groups that hold the same</source>
        <translation>持有相同分片的各组之间对分片求和</translation>
    </message>
    <message>
        <source>attention and MLP each sum their outputs over the slices of a layer</source>
        <translation>注意力与 MLP 各自对一层各切片的输出求和</translation>
    </message>
    <message>
        <source>the gradients of their inputs are summed likewise</source>
        <translation>其输入的梯度同样求和</translation>
    </message>
    <message>
        <source>the forward pass made again communicates again</source>
        <translation>重算的前向再次通信</translation>
    </message>
    <message>
        <source>tokens go to their experts and come back</source>
        <translation>token 发往所属专家再返回</translation>
    </message>
    <message>
        <source>their gradients go the same way</source>
        <translation>其梯度走同样的路径</translation>
    </message>
    <message>
        <source>the forward pass made again sends them again</source>
        <translation>重算的前向再次发送</translation>
    </message>
    <message>
        <source>keys and values meet every query forward, and with their gradients backward</source>
        <translation>前向时 K、V 与所有 Q 相遇，反向时连同其梯度</translation>
    </message>
    <message>
        <source>activations go to the next stage, their gradients to the one before</source>
        <translation>激活发往下一流水级，其梯度发往上一级</translation>
    </message>
    <message>
        <source>slices of what came from another stage are put together</source>
        <translation>把来自其他流水级的切片拼合</translation>
    </message>
    <message>
        <source>each rank&apos;s gradients go to the host, whose optimizer uses them</source>
        <translation>各 rank 的梯度送到主机，由主机上的优化器使用</translation>
    </message>
    <message>
        <source>the sums of earlier micro-batches come up to be added to</source>
        <translation>此前微批次的梯度和取回以便累加</translation>
    </message>
    <message>
        <source>what lies on the host of a micro-batch&apos;s gradients, or of earlier ones, comes up again</source>
        <translation>主机上一个微批次或此前各微批次的梯度再传回设备</translation>
    </message>
    <message>
        <source>the step&apos;s sums go down once more, in fp32, to the optimizer&apos;s own buffers</source>
        <translation>一步的梯度和再以 fp32 传到优化器自己的缓冲区</translation>
    </message>
    <message>
        <source>weights that the device updated go to their place on the host</source>
        <translation>在设备上更新的权重写回主机上的位置</translation>
    </message>
    <message>
        <source>weights that the host updated come back</source>
        <translation>主机更新后的权重传回</translation>
    </message>
    <message>
        <source>each rank&apos;s shard comes up for the gathers of both passes, in the type that it is kept in, and is dropped after them</source>
        <translation>每个 rank 的分片按其保存的类型上传，供前向与反向两次收集，用后丢弃</translation>
    </message>
    <message>
        <source>each rank loads its own shard for the forward and the backward pass; after use it is dropped, not copied back</source>
        <translation>前向与反向时各 rank 载入自己的分片；用后丢弃，不回写</translation>
    </message>
    <message>
        <source>block inputs are kept on the host</source>
        <translation>块输入保存在主机</translation>
    </message>
    <message>
        <source>and comes back for it, under the backward pass of later layers</source>
        <translation>在后面各层反向传播时取回</translation>
    </message>
    <message>
        <source>what the first layers keep for their backward pass waits on the host</source>
        <translation>前面各层为反向传播保留的内容放在主机上等待</translation>
    </message>
    <message>
        <source>block inputs come back for the backward pass</source>
        <translation>反向时取回块输入</translation>
    </message>
    <message>
        <source>master weights and moments are read for the update</source>
        <translation>更新时读取主权重与动量</translation>
    </message>
    <message>
        <source>and written after it</source>
        <translation>更新后写回</translation>
    </message>
    <message>
        <source>gradients are written when they are reduced</source>
        <translation>梯度归约后写入文件</translation>
    </message>
    <message>
        <source>and read for the update</source>
        <translation>更新时再读出</translation>
    </message>
    <message>
        <source>updated weights are written</source>
        <translation>更新后的权重写入文件</translation>
    </message>
    <message>
        <source>block inputs that tensor-parallel ranks have divided are put together for the backward pass</source>
        <translation>张量并行各 rank 分存的块输入在反向传播前重新拼合</translation>
    </message>
    <message>
        <source>each rank has made the logits of its part of the vocabulary, and the loss needs all of them</source>
        <translation>每个 rank 只算出自己那部分词表的 logits，而损失需要全部</translation>
    </message>
    <message>
        <source>queries, keys, values and outputs change between tokens and heads, forward and with their gradients backward</source>
        <translation>Q、K、V 与输出在按 token 划分和按注意力头划分之间交换：前向一次，反向连同其梯度再一次</translation>
    </message>
    <message>
        <source>weights are read for the forward and the backward pass</source>
        <translation>前向与反向时读取权重</translation>
    </message>
    <message>
        <source>DeepSpeed %1 has no &quot;%2&quot; and refuses it: the plan is of %3, the last release known to have it; use AdamW</source>
        <translation>DeepSpeed %1 已没有“%2”，会拒绝它：此计划针对 %3，即已知最后一个带有它的版本；改用 AdamW</translation>
    </message>
    <message>
        <source>DeepSpeed 0.19.8 refuses the plan that Transformers 5.23 has for dividing &quot;%1&quot; over tensor-parallel ranks; give the ds_config a tensor_parallel.partition_config, as this plan takes it, or use layout.tp 1</source>
        <translation>Transformers 5.23 为“%1”给出的张量并行切分方式会被 DeepSpeed 0.19.8 拒绝；在 ds_config 中写明 tensor_parallel.partition_config（此计划即按此假定），或使用 layout.tp 1</translation>
    </message>
    <message>
        <source>DeepSpeed 0.19.8 refuses to divide Transformers&apos; &quot;%1&quot; over tensor-parallel ranks: the plan is of one that could be; use layout.tp 1, or framework.arguments model_code &quot;megatron&quot;</source>
        <translation>DeepSpeed 0.19.8 拒绝把 Transformers 的“%1”切分到张量并行的各个 rank：此计划假定它可以切分；使用 layout.tp 1，或在 framework.arguments 中写 model_code &quot;megatron&quot;</translation>
    </message>
    <message>
        <source>&quot;%1&quot; lies on %2, which the kernel makes up: no file can be swapped to it; name a folder on an NVMe disk</source>
        <translation>“%1”位于内核虚构的文件系统 %2：无法把文件换出到那里；指定 NVMe 磁盘上的文件夹</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is a file, and DeepSpeed makes folders in it; name a folder on an NVMe disk</source>
        <translation>“%1”是文件，而 DeepSpeed 要在其中建立文件夹；指定 NVMe 磁盘上的文件夹</translation>
    </message>
    <message>
        <source>Nothing can be written in &quot;%1&quot;: DeepSpeed cannot make its swap files; give write access, or name another folder</source>
        <translation>“%1”中无法写入：DeepSpeed 不能建立换出文件；给予写权限，或指定别的文件夹</translation>
    </message>
    <message>
        <source>The files of this plan take %1 on a node, and where &quot;%2&quot; lies %3 are free; make room, or name a folder on a larger disk</source>
        <translation>此计划的文件在一个节点上占 %1，而“%2”所在磁盘只剩 %3；腾出空间，或指定更大磁盘上的文件夹</translation>
    </message>
    <message>
        <source>&quot;%1&quot; lies in host memory (%2): what is swapped to it takes the memory that swapping is to save; name a folder on an NVMe disk</source>
        <translation>“%1”位于主机内存（%2）：换出到那里的内容仍占用本想节省的内存；指定 NVMe 磁盘上的文件夹</translation>
    </message>
    <message>
        <source>&quot;%1&quot; lies in the container&apos;s own layer (%2), on the disk of the images: mount an NVMe disk, and name a folder on it</source>
        <translation>“%1”位于容器自身的层（%2），即存放镜像的磁盘：挂载 NVMe 磁盘，并指定其上的文件夹</translation>
    </message>
    <message>
        <source>&quot;%1&quot; lies on a file system over a network or of a user&apos;s program (%2): it is slower than the NVMe disk that the plan counts on; name a folder on one</source>
        <translation>“%1”位于网络或用户程序提供的文件系统（%2）：比此计划假定的 NVMe 磁盘慢；指定 NVMe 磁盘上的文件夹</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not there: DeepSpeed makes it, in &quot;%2&quot;</source>
        <translation>“%1”尚不存在：DeepSpeed 会在“%2”中建立它</translation>
    </message>
    <message>
        <source>The process will show %1, %2 of which it needs: its allocator keeps what it has freed until the device is full, and whether it fits is judged by what is needed</source>
        <translation>进程将显示占用 %1，其中真正需要的是 %2：分配器会保留已释放的部分直到设备占满，是否放得下按真正需要的判断</translation>
    </message>
    <message>
        <source>Before the first step the ranks of a node hold the whole model in host memory, each for itself: %1 in fp32 of %2. How it is built nobody has said: the probability assumes fp32 for five in ten scripts, 16 bits for four, the device for one. Load it in 16 bits, or straight onto the device</source>
        <translation>第一步之前，节点内每个 rank 都在主机内存中各自持有完整模型：fp32 共需 %1，而主机内存为 %2。模型如何构建并未说明：概率假定十个脚本中五个用 fp32、四个用 16 bit、一个直接建在设备上。以 16 bit 载入，或直接载入到设备</translation>
    </message>
    <message>
        <source>the whole model, built in host memory by every rank before it is moved to the device</source>
        <translation>完整模型，由每个 rank 先在主机内存中构建，再移到设备</translation>
    </message>
    <message>
        <source>the largest parameter, whole while zero.Init divides it</source>
        <translation>最大的参数，zero.Init 切分它时是完整的</translation>
    </message>
    <message>
        <source>gradients of zeros in fp32, with which a first step makes the moments</source>
        <translation>fp32 的零梯度，用一次优化器步创建动量</translation>
    </message>
    <message>
        <source>what both norms take, turned to fp32, and what they made of it before their weights</source>
        <translation>两个归一化的输入（转为 fp32），以及乘上权重之前的结果</translation>
    </message>
    <message>
        <source>what the norms take, as it is and turned to fp32, and what they made of it before their weights</source>
        <translation>各归一化的输入（原样及转为 fp32 的各一份），以及乘权重之前的结果</translation>
    </message>
    <message>
        <source>what the non-linearity and the norm of the output&apos;s own layer take, and what they make for the vocabulary</source>
        <translation>输出部分自有一层的非线性函数与归一化的输入，以及它们为词表算出的结果</translation>
    </message>
    <message>
        <source>what both norms take</source>
        <translation>两个归一化的输入</translation>
    </message>
    <message>
        <source>queries, and keys and values repeated to as many heads</source>
        <translation>查询，以及重复到同样头数的键和值</translation>
    </message>
    <message>
        <source>softmax of the scores, in fp32 too where it was taken so, its dropout mask and the dropped scores</source>
        <translation>分数的 softmax（若以 fp32 计算，则还有 fp32 的一份）、其 dropout 掩码和丢弃后的分数</translation>
    </message>
    <message>
        <source>attention output, and the same with its heads beside each other</source>
        <translation>注意力输出，以及各头并排之后的同一输出</translation>
    </message>
    <message>
        <source>log-sum-exp of each query&apos;s scores</source>
        <translation>每个查询的分数的 log-sum-exp</translation>
    </message>
    <message>
        <source>residual stream between attention and MLP</source>
        <translation>注意力与 MLP 之间的残差流</translation>
    </message>
    <message>
        <source>gate projection, before its non-linearity</source>
        <translation>门控投影，非线性之前</translation>
    </message>
    <message>
        <source>gate projection, after its non-linearity</source>
        <translation>门控投影，非线性之后</translation>
    </message>
    <message>
        <source>up projection</source>
        <translation>上投影</translation>
    </message>
    <message>
        <source>product of gate and up, which the last projection takes</source>
        <translation>门控与上投影之积，即最后一个投影的输入</translation>
    </message>
    <message>
        <source>first projection of the MLP, before its non-linearity</source>
        <translation>MLP 的第一个投影，非线性之前</translation>
    </message>
    <message>
        <source>what the non-linearity makes on its way, kernel by kernel</source>
        <translation>非线性逐个 kernel 计算时的中间结果</translation>
    </message>
    <message>
        <source>output of the non-linearity, which the last projection takes</source>
        <translation>非线性的输出，即最后一个投影的输入</translation>
    </message>
    <message>
        <source>what lies between the two matrices of each adapter</source>
        <translation>每个适配器两个矩阵之间的张量</translation>
    </message>
    <message>
        <source>what the norms take, turned to fp32</source>
        <translation>各归一化的输入（转为 fp32）</translation>
    </message>
    <message>
        <source>what the norms of queries and keys take, turned to fp32</source>
        <translation>查询与键的归一化的输入（转为 fp32）</translation>
    </message>
    <message>
        <source>what the norms of queries and keys take</source>
        <translation>查询与键的归一化的输入</translation>
    </message>
    <message>
        <source>mean and deviation of each head&apos;s queries and keys</source>
        <translation>每个头的查询与键的均值和标准差</translation>
    </message>
    <message>
        <source>what each adapter&apos;s dropout left of the module&apos;s input, and its mask</source>
        <translation>各适配器的 dropout 对模块输入处理后的结果及其掩码</translation>
    </message>
    <message>
        <source>what the frozen weight and the adapter made of the input, each scaled by DoRA&apos;s magnitudes</source>
        <translation>冻结权重与适配器各自的输出，均按 DoRA 的幅值缩放</translation>
    </message>
    <message>
        <source>weights of experts and routers made anew with their adapters, which the backward pass needs</source>
        <translation>加上适配器后重新生成的专家与路由权重，反向传播需要它们</translation>
    </message>
    <message>
        <source>whole gradient of an expert tensor that was made anew, of which its adapters&apos; gradients are made</source>
        <translation>重新生成的专家张量的完整梯度，其适配器的梯度由此得到</translation>
    </message>
    <message>
        <source>the widest adapter&apos;s product, made from a square of ones, and its sum with the weight for DoRA&apos;s norm</source>
        <translation>最宽适配器的乘积（由单位方阵得到），及其与权重之和，用于 DoRA 的范数</translation>
    </message>
    <message>
        <source>what the frozen output matrix and its adapter made, each scaled by DoRA&apos;s magnitudes</source>
        <translation>冻结的输出矩阵与其适配器各自的输出，均按 DoRA 的幅值缩放</translation>
    </message>
    <message>
        <source>gradients inside one block, where there are most of them</source>
        <translation>一个块内部的梯度，取其最多之处</translation>
    </message>
    <message>
        <source>tanh of the logits, kept for the gradient of their cap</source>
        <translation>logits 的 tanh，为其上限的梯度而保留</translation>
    </message>
    <message>
        <source>the block&apos;s input, from which its first norm is made again</source>
        <translation>块的输入，由它重新计算第一个归一化</translation>
    </message>
    <message>
        <source>what attention&apos;s output product gave</source>
        <translation>注意力输出投影的结果</translation>
    </message>
    <message>
        <source>attention output</source>
        <translation>注意力输出</translation>
    </message>
    <message>
        <source>inputs of the attention and MLP projections, gathered over the tensor-parallel ranks</source>
        <translation>注意力与 MLP 投影的输入，在张量并行的各 rank 间聚合而成</translation>
    </message>
    <message>
        <source>queries and values: products 1 and 3 of the block, every second of which is kept</source>
        <translation>查询和值：块的第 1 和第 3 个矩阵乘，每两个保留一个</translation>
    </message>
    <message>
        <source>gate projection: product 5 of the block</source>
        <translation>门控投影：块的第 5 个矩阵乘</translation>
    </message>
    <message>
        <source>output of the MLP: product 7 of the block</source>
        <translation>MLP 的输出：块的第 7 个矩阵乘</translation>
    </message>
    <message>
        <source>what was reduced over the tensor-parallel ranks: no exchange is made again</source>
        <translation>在张量并行的各 rank 间规约的结果：通信不会重做</translation>
    </message>
    <message>
        <source>rounded sizes and gaps that nothing fits into, as a share of what is allocated</source>
        <translation>取整的大小和放不下任何张量的空隙，按已分配量的比例计</translation>
    </message>
    <message>
        <source>16-bit logits, freed when the loss turned them to fp32, and too small for anything that comes after</source>
        <translation>16 位 logits：损失把它们转为 fp32 后即释放，但空间太小，后来的张量都放不下</translation>
    </message>
    <message>
        <source>blocks that other phases of the step left and the peak&apos;s tensors do not fit into; where the device is full, they are freed</source>
        <translation>步中其他阶段留下、峰值时的张量放不进去的块；设备已满时它们会被释放</translation>
    </message>
    <message>
        <source>blocks that nothing fits into when the forward pass is fullest: its temporaries, freed logits, and what belongs to other streams (the root&apos;s gather, sharded gradients, and what is gathered while the last block computes)</source>
        <translation>前向最满时放不下任何张量的块：前向的临时张量、已释放的 logits，以及属于其他流的块（根单元的聚合、分片的梯度，和最后一个块计算时聚合的权重）</translation>
    </message>
    <message>
        <source>blocks that nothing fits into when the forward pass is fullest: its temporaries, freed logits, and what belongs to other streams (the outputs of two gathers, and sharded gradients)</source>
        <translation>前向最满时放不下任何张量的块：前向的临时张量、已释放的 logits，以及属于其他流的块（两次聚合的输出和分片的梯度）</translation>
    </message>
    <message>
        <source>blocks that nothing fits into when the backward pass is fullest: freed logits, and what belongs to other streams (the root&apos;s gather, and gradients that could take the place of activations)</source>
        <translation>反向最满时放不下任何张量的块：已释放的 logits，以及属于其他流的部分（根单元的聚合，以及本可取代激活的梯度）</translation>
    </message>
    <message>
        <source>blocks that nothing fits into when the backward pass is fullest: freed logits, and what belongs to other streams (the outputs of two gathers, and gradients that could take the place of activations)</source>
        <translation>反向最满时放不下任何张量的块：已释放的 logits，以及属于其他流的部分（两次聚合的输出，以及本可取代激活的梯度）</translation>
    </message>
    <message>
        <source>device context, kernels and libraries of the process</source>
        <translation>进程的设备上下文、kernel 和库</translation>
    </message>
    <message>
        <source>buffers of the collective library, for each group of more than one rank</source>
        <translation>集合通信库的缓冲区，每个多于一个 rank 的组一份</translation>
    </message>
    <message>
        <source>sizes of the buffers rounded to what the system gives</source>
        <translation>缓冲区的大小按系统分配的单位取整</translation>
    </message>
    <message>
        <source>fp32 results of 16-bit products, in PyTorch and in the matrix library, and its kernels for them</source>
        <translation>16 位矩阵乘的 fp32 结果（PyTorch 与矩阵库各一份）及其内核</translation>
    </message>
    <message>
        <source>fp32 results of 16-bit products in PyTorch, and the matrix library&apos;s kernels for them</source>
        <translation>PyTorch 中 16 位矩阵乘的 fp32 结果，以及矩阵库为此使用的内核</translation>
    </message>
    <message>
        <source>what a worker holds beside its buffers: libraries, stacks and heaps</source>
        <translation>worker 在缓冲区之外占用的：库、栈和堆</translation>
    </message>
    <message>
        <source>deviations of the tokens in each norm, in GPT-2 means too</source>
        <translation>每个归一化中各 token 的标准差，GPT-2 还有均值</translation>
    </message>
    <message>
        <source>inputs of the attention and MLP projections, and of the output matrix</source>
        <translation>注意力与 MLP 投影的输入，以及输出矩阵的输入</translation>
    </message>
    <message>
        <source>BigScience 2022, chronicles-prequel: with every kernel loaded 1573 MiB on an A100, 1271 on a V100</source>
        <translation>BigScience 2022，chronicles-prequel：加载全部内核时，A100 上为 1573 MiB，V100 上为 1271 MiB</translation>
    </message>
    <message>
        <source>CUDA context 0.3 to 0.6 GiB; kernels are loaded when first launched (CUDA 11.7, CUDA_MODULE_LOADING=LAZY)</source>
        <translation>CUDA 上下文 0.3 到 0.6 GiB；内核在首次启动时才加载（CUDA 11.7，CUDA_MODULE_LOADING=LAZY）</translation>
    </message>
    <message>
        <source>CUDA context and loaded kernels: 0.3 to 0.6 GiB</source>
        <translation>CUDA 上下文和已加载的内核：0.3 到 0.6 GiB</translation>
    </message>
    <message>
        <source>Transformers 5.23&apos;s modelling code, eager attention, use_cache off: tensors autograd keeps</source>
        <translation>Transformers 5.23 的模型代码，eager 注意力，use_cache 关闭：autograd 保留的张量</translation>
    </message>
    <message>
        <source>Transformers 5.23&apos;s modelling code, fused attention (sdpa or flash_attention_2), use_cache off: tensors autograd keeps</source>
        <translation>Transformers 5.23 的模型代码，融合注意力（sdpa 或 flash_attention_2），use_cache 关闭：autograd 保留的张量</translation>
    </message>
    <message>
        <source>Transformers 5.23&apos;s modelling code, sdpa without a fused kernel (aten/src/ATen/native/transformers/attention.cpp, _scaled_dot_product_attention_math), use_cache off: tensors autograd keeps</source>
        <translation>Transformers 5.23 的模型代码，sdpa 没有可用的融合内核（aten/src/ATen/native/transformers/attention.cpp，_scaled_dot_product_attention_math），use_cache 关闭：autograd 保留的张量</translation>
    </message>
    <message>
        <source>Transformers 5.23&apos;s modelling code, use_cache off: tensors autograd keeps; torchtitan has no model of this family</source>
        <translation>Transformers 5.23 的模型代码，use_cache 关闭：autograd 保留的张量；torchtitan 没有这一系列的模型</translation>
    </message>
    <message>
        <source>reserved / allocated is 1.03 to 1.10, more under ZeRO-3, which gathers and frees (c10/cuda/CUDACachingAllocator.cpp); 1.08 taken</source>
        <translation>已保留 / 已分配为 1.03 到 1.10，ZeRO-3 不断收集又释放，因此更高（c10/cuda/CUDACachingAllocator.cpp）；这里取 1.08</translation>
    </message>
    <message>
        <source>reserved / allocated is 1.03 to 1.10 of runs whose segments do not grow (c10/cuda/CUDACachingAllocator.cpp: sizes rounded to 512 B, segments to 2 MiB); 1.05 taken</source>
        <translation>段不增长的运行中，已保留 / 已分配为 1.03 到 1.10（c10/cuda/CUDACachingAllocator.cpp：大小按 512 B 取整，段按 2 MiB 取整）；这里取 1.05</translation>
    </message>
    <message>
        <source>segments that grow (c10/cuda/CUDACachingAllocator.cpp, ExpandableSegment) take any size where something was freed: only rounded sizes and gaps stay, 1.05; ZeRO-3, whose gathers come and go, 1.08</source>
        <translation>可增长的段（c10/cuda/CUDACachingAllocator.cpp，ExpandableSegment）在释放过的地方可放入任意大小：只剩取整和空隙，取 1.05；ZeRO-3 的收集时来时去，取 1.08</translation>
    </message>
    <message>
        <source>segments of fixed size: 1.05, as of the other frameworks; growing ones (expandable_segments) leave nothing, by the calibration half&apos;s six figures</source>
        <translation>固定大小的段：1.05，与其他框架相同；可增长的段（expandable_segments）不留空隙，依据校准半集的六个数值</translation>
    </message>
    <message>
        <source>reserved / allocated is 1.07 to 1.32 of FlagPerf&apos;s eight runs under Megatron; their median of 1.25 taken, less where the device is full</source>
        <translation>FlagPerf 在 Megatron 下的八次运行中，已保留 / 已分配为 1.07 到 1.32；取其中位数 1.25，设备快满时更小</translation>
    </message>
    <message>
        <source>PyTorch 2.11&apos;s partitioner on torchtitan&apos;s compiled block: tensors that its graph hands from forward to backward</source>
        <translation>PyTorch 2.11 的分割器作用于 torchtitan 编译后的块：其计算图从前向交给反向的张量</translation>
    </message>
    <message>
        <source>c10/cuda/CUDACachingAllocator.cpp: a pool a stream, no block given back; torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py: foreach_all_gather, foreach_reduce</source>
        <translation>c10/cuda/CUDACachingAllocator.cpp：每个流一个池，块从不归还；torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py：foreach_all_gather、foreach_reduce</translation>
    </message>
    <message>
        <source>torch cross_entropy in fp32: log-softmax kept, its gradient and the loss gradient made beside it</source>
        <translation>torch 的 fp32 cross_entropy：保留 log-softmax，并在旁边生成它的梯度和损失的梯度</translation>
    </message>
    <message>
        <source>torch/distributed/fsdp/_fully_shard: fp32 shards, 16-bit gathered parameters, fp32 reduction</source>
        <translation>torch/distributed/fsdp/_fully_shard：fp32 分片、16 位的收集参数、fp32 归约</translation>
    </message>
    <message>
        <source>torch/distributed/pipelining/stage.py: forward cache, receive buffers</source>
        <translation>torch/distributed/pipelining/stage.py：前向缓存、接收缓冲区</translation>
    </message>
    <message>
        <source>torchtitan activation checkpointing: block inputs, or attention outputs and every second matrix product</source>
        <translation>torchtitan 的激活检查点：块的输入，或注意力输出和每隔一个的矩阵乘积</translation>
    </message>
    <message>
        <source>torchtitan models/llama3: tensors autograd keeps</source>
        <translation>torchtitan models/llama3：autograd 保留的张量</translation>
    </message>
    <message>
        <source>bitsandbytes/nn/modules.py: Params4bit in a float quant_storage is a parameter that is divided as others are, its quant_state is not</source>
        <translation>bitsandbytes/nn/modules.py：以浮点 quant_storage 存放的 Params4bit 与其他参数一样切分，其 quant_state 不切分</translation>
    </message>
    <message>
        <source>Megatron-LM core/transformer and core/tensor_parallel: tensors saved for backward</source>
        <translation>Megatron-LM core/transformer 和 core/tensor_parallel：为反向保存的张量</translation>
    </message>
    <message>
        <source>Megatron-LM docs, distributed optimizer: 18, or 6 + 12/N bytes (fp16 20, or 4 + 16/N; fp32 16, or 8 + 8/N)</source>
        <translation>Megatron-LM 文档，分布式优化器：18 或 6 + 12/N 字节（fp16 为 20 或 4 + 16/N；fp32 为 16 或 8 + 8/N）</translation>
    </message>
    <message>
        <source>c10/cuda/CUDACachingAllocator.cpp gives nothing back by itself; which buffers share blocks: published DeepSpeed runs of the calibration half</source>
        <translation>c10/cuda/CUDACachingAllocator.cpp 不会主动归还；哪些缓冲区共用块：依据校准半集中已发表的 DeepSpeed 运行</translation>
    </message>
    <message>
        <source>schedule/buffer_plan: the engine allocates these very buffers</source>
        <translation>schedule/buffer_plan：引擎分配的正是这些缓冲区</translation>
    </message>
    <message>
        <source>whole pages of the operating system</source>
        <translation>操作系统的整页</translation>
    </message>
    <message>
        <source>measured: the resident memory of workers without their buffers</source>
        <translation>实测：工作进程除去缓冲区后的常驻内存</translation>
    </message>
    <message>
        <source>measured: workers in bf16 beside the same in fp32</source>
        <translation>实测：bf16 的工作进程与 fp32 的对比</translation>
    </message>
    <message>
        <source>NCCL: channels · NCCL_BUFFSIZE (4 MiB) · peers, 0.1 to 0.5 GiB a communicator; 300 MiB taken</source>
        <translation>NCCL：通道数 · NCCL_BUFFSIZE（4 MiB）· 对端数，每个通信器 0.1 到 0.5 GiB；这里取 300 MiB</translation>
    </message>
    <message>
        <source>deepspeed/runtime/engine.py, _configure_distributed_model; torch.get_default_dtype is fp32</source>
        <translation>deepspeed/runtime/engine.py，_configure_distributed_model；torch.get_default_dtype 为 fp32</translation>
    </message>
    <message>
        <source>fused cross entropy in Triton (foak, Unsloth, Liger): its backward kernel writes into the logits</source>
        <translation>Triton 编写的融合交叉熵（foak、Unsloth、Liger）：其反向内核写入 logits 所在的位置</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::DialogWords</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>Kept in %1</source>
        <translation>保存在 %1</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>In the ds_config: quick fix</source>
        <translation>在 ds_config 中：快速修复</translation>
    </message>
    <message>
        <source>In painted views: move, choose</source>
        <translation>在图形视图中：移动、选择</translation>
    </message>
    <message>
        <source>Arrow keys, Enter</source>
        <translation>方向键，Enter</translation>
    </message>
    <message>
        <source>Timeline: zoom, pan, fit</source>
        <translation>时间线：缩放、平移、适应</translation>
    </message>
    <message>
        <source>About Stagecraft</source>
        <translation>关于 Stagecraft</translation>
    </message>
    <message>
        <source>Plan, run and explain sharded training</source>
        <translation>规划、运行并解释分片训练</translation>
    </message>
    <message>
        <source>Qt %1, built with %2; free software under the GPL, version 3 or later</source>
        <translation>Qt %1，用 %2 构建；自由软件，GPL 第 3 版或更高版本</translation>
    </message>
    <message>
        <source>Third-party notices</source>
        <translation>第三方声明</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可证</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::DockBar</name>
    <message>
        <source>without the unsaved changes: %1</source>
        <translation>不含未保存的改动：%1</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::DropFrame</name>
    <message>
        <source>Release to open %1 on Plan</source>
        <translation>松开后在规划页打开 %1</translation>
    </message>
    <message>
        <source>Release to open %1 on Config</source>
        <translation>松开后在配置页打开 %1</translation>
    </message>
    <message>
        <source>Release to plan with the model in %1</source>
        <translation>松开后用 %1 中的模型做规划</translation>
    </message>
    <message>
        <source>Release to see what %1 brings, on Config</source>
        <translation>松开后在“配置”页预览 %1 的内容</translation>
    </message>
    <message>
        <source>%1 cannot be opened. Accepted: workspace, ds_config.json, Hugging Face model folder, files of accelerate, HF Trainer, LLaMA-Factory, axolotl, launch scripts</source>
        <translation>无法打开 %1。可接受：工作区、ds_config.json、Hugging Face 模型文件夹，accelerate、HF Trainer、LLaMA-Factory、axolotl 的文件，启动脚本</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ExportPanel</name>
    <message>
        <source>Text of %1</source>
        <translation>%1 的文本</translation>
    </message>
    <message>
        <source>Warnings (%1)</source>
        <translation>警告（%1）</translation>
    </message>
    <message>
        <source>What is lost (%1)</source>
        <translation>丢失项（%1）</translation>
    </message>
    <message>
        <source>What happens</source>
        <translation>处理结果</translation>
    </message>
    <message>
        <source>ds_config.json</source>
        <translation>ds_config.json</translation>
    </message>
    <message>
        <source>The ds_config, byte for byte as it stands in Text.</source>
        <translation>ds_config，与“文本”中逐字节一致。</translation>
    </message>
    <message>
        <source>accelerate, by fields</source>
        <translation>accelerate（按字段）</translation>
    </message>
    <message>
        <source>default_config.yaml with the few values that accelerate has fields for; the rest is lost.</source>
        <translation>default_config.yaml，只含 accelerate 有对应字段的少数值；其余丢失。</translation>
    </message>
    <message>
        <source>accelerate, with a ds_config</source>
        <translation>accelerate（附 ds_config）</translation>
    </message>
    <message>
        <source>default_config.yaml that names a ds_config.json, which holds everything.</source>
        <translation>default_config.yaml 指向 ds_config.json，后者包含全部内容。</translation>
    </message>
    <message>
        <source>HF Trainer</source>
        <translation>HF Trainer</translation>
    </message>
    <message>
        <source>ds_config.json with &quot;auto&quot; and the TrainingArguments that fill it with the same values.</source>
        <translation>带 &quot;auto&quot; 的 ds_config.json，以及能填入相同值的 TrainingArguments。</translation>
    </message>
    <message>
        <source>LLaMA-Factory</source>
        <translation>LLaMA-Factory</translation>
    </message>
    <message>
        <source>A training YAML and the ds_config.json it names, with &quot;auto&quot; where the YAML says the value.</source>
        <translation>训练 YAML 及其指向的 ds_config.json；由 YAML 给出的值写为 &quot;auto&quot;。</translation>
    </message>
    <message>
        <source>axolotl</source>
        <translation>axolotl</translation>
    </message>
    <message>
        <source>Launch script</source>
        <translation>启动脚本</translation>
    </message>
    <message>
        <source>launch.sh with the command lines that start this workspace, and the ds_config.json they name.</source>
        <translation>launch.sh 含启动此工作区的命令行，附其指向的 ds_config.json。</translation>
    </message>
    <message>
        <source>JSON Schema of ds_config</source>
        <translation>ds_config 的 JSON Schema</translation>
    </message>
    <message>
        <source>With it other editors check and complete a ds_config.</source>
        <translation>供其他编辑器检查和补全 ds_config。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export to</source>
        <translation>导出目标</translation>
    </message>
    <message>
        <source>The command line reads a workspace: save one, and the command is here.</source>
        <translation>命令行读取工作区：保存工作区后，命令显示在此。</translation>
    </message>
    <message>
        <source>The command line reads the file: save the changes before it is used.</source>
        <translation>命令行读取文件：使用前先保存修改。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Python function</source>
        <translation>Python 函数</translation>
    </message>
    <message>
        <source>ds_config.py: a function that returns the ds_config, with what changes between runs as arguments.</source>
        <translation>ds_config.py：返回 ds_config 的函数，各次运行间变化的值作为参数。</translation>
    </message>
    <message>
        <source>Evaluation only</source>
        <translation>仅评估</translation>
    </message>
    <message>
        <source>The shorter ds_config of an engine that only evaluates.</source>
        <translation>只做评估的引擎所用的精简 ds_config。</translation>
    </message>
    <message>
        <source>accelerate, with FSDP</source>
        <translation>accelerate（FSDP）</translation>
    </message>
    <message>
        <source>default_config.yaml for PyTorch&apos;s FSDP in place of DeepSpeed: the same sharding as near as it comes.</source>
        <translation>以 PyTorch FSDP 代替 DeepSpeed 的 default_config.yaml：分片方式尽可能相同。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::DiskBanner</name>
    <message>
        <source>Another program changed %1: its content is shown now.</source>
        <translation>另一个程序修改了 %1：现在显示的是其内容。</translation>
    </message>
    <message>
        <source>Another program changed %1. Here are unsaved changes, which stay in the undo history if you take the file.</source>
        <translation>另一个程序修改了 %1。这里有未保存的修改；采用文件后，它们仍在撤销历史中。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Back to what was shown before; nothing is written</source>
        <translation>回到之前显示的内容；不写入任何文件</translation>
    </message>
    <message>
        <source>Shows how the ds_config differs from the file&apos;s, on the Config page</source>
        <translation>在“配置”页显示 ds_config 与文件中的差异</translation>
    </message>
    <message>
        <source>Take the file</source>
        <translation>采用文件</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>保留我的</translation>
    </message>
    <message>
        <source>Shows what the other program wrote; one undo step</source>
        <translation>显示另一个程序写入的内容；一步可撤销</translation>
    </message>
    <message>
        <source>The next save replaces what the other program wrote</source>
        <translation>下次保存会覆盖另一个程序写入的内容</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>隐藏</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::FileFlow</name>
    <message>
        <source>untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;: it is not there any more.</source>
        <translation>无法打开“%1”：文件已不存在。</translation>
    </message>
    <message>
        <source>untitled, with %1</source>
        <translation>未命名，含 %1</translation>
    </message>
    <message>
        <source>Nothing to save: %1 holds all of it</source>
        <translation>无需保存：%1 已包含全部内容</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>Saved %1. Model, hardware and layout are in no file: Save workspace as keeps them</source>
        <translation>已保存 %1。模型、硬件与布局不在任何文件中：用“工作区另存为”保存</translation>
    </message>
    <message>
        <source>Saved %1, and its ds_config in %2</source>
        <translation>已保存 %1，其 ds_config 存于 %2</translation>
    </message>
    <message>
        <source>What was chosen around %1 is in no file.</source>
        <translation>围绕 %1 所选的内容不在任何文件中。</translation>
    </message>
    <message>
        <source>Model, hardware and layout are kept in a workspace. Without one they are lost.</source>
        <translation>模型、硬件与布局存于工作区。没有工作区就会丢失。</translation>
    </message>
    <message>
        <source>Save writes this file alone. Model, hardware and layout are kept in a workspace: Cancel, then Save workspace as.</source>
        <translation>“保存”只写入此文件。模型、硬件与布局存于工作区：先取消，再用“工作区另存为”。</translation>
    </message>
    <message>
        <source>Save workspace as…</source>
        <translation>工作区另存为…</translation>
    </message>
    <message>
        <source>Save the workspace</source>
        <translation>保存工作区</translation>
    </message>
    <message>
        <source>Workspaces (*.json)</source>
        <translation>工作区 (*.json)</translation>
    </message>
    <message>
        <source>Exported %1</source>
        <translation>已导出 %1</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>未保存的修改</translation>
    </message>
    <message>
        <source>%1 has unsaved changes.</source>
        <translation>%1 有未保存的修改。</translation>
    </message>
    <message>
        <source>Without saving they are lost.</source>
        <translation>不保存则会丢失。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Discard changes</source>
        <translation>放弃修改</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>a workspace without a file</source>
        <translation>尚无文件的工作区</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>稍后</translation>
    </message>
    <message>
        <source>Keeps the unsaved work; the next window that is opened offers it again</source>
        <translation>保留未保存的工作；下次打开窗口时再次提示</translation>
    </message>
    <message>
        <source>Unsaved work found</source>
        <translation>发现未保存的工作</translation>
    </message>
    <message>
        <source>A window that ended unexpectedly held unsaved changes of %1.</source>
        <translation>一个意外结束的窗口中有 %1 的未保存修改。</translation>
    </message>
    <message>
        <source>A window that ended unexpectedly held unsaved changes of %1 in %2.</source>
        <translation>一个意外结束的窗口中有 %1（位于 %2）的未保存修改。</translation>
    </message>
    <message>
        <source>Last edit: %1</source>
        <translation>最后编辑：%1</translation>
    </message>
    <message>
        <source>Since then another program has changed %1.</source>
        <translation>此后另一个程序修改了 %1。</translation>
    </message>
    <message>
        <source>Recover brings the unsaved changes back, then asks which of the two is to stay. Nothing is written before that is answered.</source>
        <translation>“恢复”会找回未保存的修改，然后询问保留哪一份；回答之前不会写入任何文件。</translation>
    </message>
    <message>
        <source>Discard gives the unsaved changes up for good. What the other program wrote stays as it is.</source>
        <translation>“放弃”会彻底丢弃未保存的修改；另一个程序写入的内容保持不变。</translation>
    </message>
    <message>
        <source>Recover</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Open a workspace or a config</source>
        <translation>打开工作区或配置</translation>
    </message>
    <message>
        <source>Workspaces and configs (*.json *.yaml *.yml)</source>
        <translation>工作区和配置 (*.json *.yaml *.yml)</translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;: it is no workspace, ds_config, Hugging Face model folder or file of another training tool.</source>
        <translation>无法打开“%1”：不是工作区、ds_config、Hugging Face 模型文件夹，也不是其他训练工具的文件。</translation>
    </message>
    <message>
        <source>Import a file of another tool</source>
        <translation>导入其他工具的文件</translation>
    </message>
    <message>
        <source>Training configs and scripts (*.yaml *.yml *.json *.py *.sh)</source>
        <translation>训练配置和脚本 (*.yaml *.yml *.json *.py *.sh)</translation>
    </message>
    <message>
        <source>Export: %1</source>
        <translation>导出：%1</translation>
    </message>
    <message>
        <source>Export into a folder: %1</source>
        <translation>导出到文件夹：%1</translation>
    </message>
    <message>
        <source>Replace files</source>
        <translation>替换文件</translation>
    </message>
    <message>
        <source>%1 has %2 already.</source>
        <translation>%1 中已有 %2。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Replacing loses what these files hold.</source>
        <translation>替换后，这些文件原有内容将丢失。</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message numerus="yes">
        <source>Exported %n files to %1</source>
        <translation>
            <numerusform>已导出 %n 个文件到 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;: there is no such file.</source>
        <translation>无法打开“%1”：没有这个文件。</translation>
    </message>
    <message numerus="yes">
        <source>%n other windows held unsaved work too: it stays kept, and the next window that is opened offers it.</source>
        <translation>
            <numerusform>另有 %n 个窗口也留有未保存的内容：它们会继续保留，由下次打开的窗口提供恢复。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was removed by another program: what this window holds of it is unsaved now. Save writes it anew.</source>
        <translation>%1 已被其他程序删除：本窗口中的内容现在尚未保存，保存即会重新写入该文件。</translation>
    </message>
    <message>
        <source>%1 was removed by another program.</source>
        <translation>%1 已被其他程序删除。</translation>
    </message>
    <message>
        <source>What this window holds of it may be the last copy. Without saving it is lost.</source>
        <translation>本窗口中的内容可能是最后一份副本；不保存就会丢失。</translation>
    </message>
    <message>
        <source>Name %1</source>
        <translation>命名为 %1</translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;: it has %2, and what is larger than %3 is no ds_config or workspace that anybody trains with. Is this the right file?</source>
        <translation>无法打开 &quot;%1&quot;：它有 %2，而训练用的 ds_config 或工作区不会超过 %3。确认文件是否正确。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ImportPanel</name>
    <message>
        <source>ds_config</source>
        <translation>ds_config</translation>
    </message>
    <message>
        <source>accelerate config</source>
        <translation>accelerate 配置</translation>
    </message>
    <message>
        <source>TrainingArguments of the HF Trainer</source>
        <translation>HF Trainer 的 TrainingArguments</translation>
    </message>
    <message>
        <source>LLaMA-Factory training file</source>
        <translation>LLaMA-Factory 训练文件</translation>
    </message>
    <message>
        <source>axolotl training file</source>
        <translation>axolotl 训练文件</translation>
    </message>
    <message>
        <source>launch command or script</source>
        <translation>启动命令或脚本</translation>
    </message>
    <message>
        <source>%1 is taken out</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation>导入 %1</translation>
    </message>
    <message>
        <source>Imported %1 as it is.</source>
        <translation>已原样导入 %1。</translation>
    </message>
    <message>
        <source>Imported %1: %2.</source>
        <translation>已导入 %1：%2。</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>what was taken, changed and dropped, as a sentence</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>What the file is</source>
        <translation>文件类型</translation>
    </message>
    <message>
        <source>Found: %1</source>
        <translation>识别为：%1</translation>
    </message>
    <message>
        <source>Find out what it is</source>
        <translation>自动识别</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>rank 数</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>隐藏层维度</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>as the file says</source>
        <translation>以文件为准</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Ranks of the job</source>
        <translation>作业的 rank 数</translation>
    </message>
    <message>
        <source>Hidden size of the model</source>
        <translation>模型的隐藏层维度</translation>
    </message>
    <message>
        <source>TrainingArguments that the file does not hold</source>
        <translation>文件中没有的 TrainingArguments</translation>
    </message>
    <message>
        <source>Ranks of the job; empty: as the file says, else the workspace&apos;s</source>
        <translation>作业的 rank 数；留空则以文件为准，文件未说明时取工作区的</translation>
    </message>
    <message>
        <source>Hidden size of the model, which some &quot;auto&quot; values are made of; empty: of the model the file names, else the workspace&apos;s</source>
        <translation>模型的隐藏层维度，部分 &quot;auto&quot; 值由它算出；留空则取文件所指模型的，文件未指定模型时取工作区模型的</translation>
    </message>
    <message>
        <source>TrainingArguments that the file does not hold, NAME=VALUE; they fill &quot;auto&quot; and win over the file&apos;s</source>
        <translation>文件中没有的 TrainingArguments，写作 NAME=VALUE；用于填充 &quot;auto&quot;，并优先于文件中的值</translation>
    </message>
    <message>
        <source>Leave &quot;auto&quot; where it stands</source>
        <translation>保留 &quot;auto&quot;</translation>
    </message>
    <message>
        <source>Copy the command line that does the same</source>
        <translation>复制等效的命令行</translation>
    </message>
    <message>
        <source>What happens</source>
        <translation>处理结果</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>The ds_config that comes out</source>
        <translation>得到的 ds_config</translation>
    </message>
    <message>
        <source>Other values set in the workspace</source>
        <translation>工作区中设置的其他值</translation>
    </message>
    <message>
        <source>Taken as it is.</source>
        <translation>原样采用。</translation>
    </message>
    <message>
        <source>It stands in the workspace instead of the name of %1; that file stays as it is.</source>
        <translation>它直接写入工作区，不再引用 %1；该文件保持不变。</translation>
    </message>
    <message>
        <source>It goes into %1, in place of what is there.</source>
        <translation>它写入 %1，替换其中原有的内容。</translation>
    </message>
    <message>
        <source>The ds_config goes into %1, in place of what is there. What else the file says is set around it, and kept in a workspace only: New workspace, or Save workspace as.</source>
        <translation>ds_config 写入 %1，替换其中原有的内容。文件中的其他设置（rank 数、启动器等）只在本次打开期间有效，要保存，用“新建工作区”或“工作区另存为”。</translation>
    </message>
    <message>
        <source>Puts it into the file that is open, as one undo step</source>
        <translation>写入当前打开的文件，作为一步可撤销操作</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>New workspace</source>
        <translation>新建工作区</translation>
    </message>
    <message>
        <source>Opens a new workspace with it; what the file does not say of model and hardware is assumed until you choose it</source>
        <translation>用它新建工作区；文件没有说明的模型与硬件先作假定，直到你选择</translation>
    </message>
    <message>
        <source>Take over</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Sets it in this workspace, as one undo step</source>
        <translation>写入此工作区，作为一步可撤销操作</translation>
    </message>
    <message>
        <source>Memory and step time: computing…</source>
        <translation>内存与单步时间：计算中…</translation>
    </message>
    <message>
        <source>memory and step time are not known: %1</source>
        <translation>内存与单步时间未知：%1</translation>
    </message>
    <message>
        <source>memory and step time are not known</source>
        <translation>内存与单步时间未知</translation>
    </message>
    <message>
        <source>its model is not here</source>
        <translation>它的模型不在本机</translation>
    </message>
    <message>
        <source>Taken over: %1</source>
        <translation>采用后：%1</translation>
    </message>
    <message>
        <source>as DeepSpeed trains it, our engine does not: %1</source>
        <translation>按 DeepSpeed 的训练方式，本引擎不能训练：%1</translation>
    </message>
    <message>
        <source>none, such as learning_rate=2e-5</source>
        <translation>无，例如 learning_rate=2e-5</translation>
    </message>
    <message>
        <source>%1 refuses it: %2</source>
        <translation>%1 拒绝：%2</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::FitWords</name>
    <message>
        <source>model states alone</source>
        <translation>仅模型状态</translation>
    </message>
    <message>
        <source>needs %1 of host</source>
        <translation>需主机内存 %1</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::LayoutWords</name>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>micro-batch %1 × %2</source>
        <translation>微批次 %1 × %2</translation>
    </message>
    <message>
        <source> (embedding and loss count as layers)</source>
        <translation>（嵌入和损失各算一层）</translation>
    </message>
    <message>
        <source> (the loss counts as a layer)</source>
        <translation>（损失算一层）</translation>
    </message>
    <message>
        <source> (the embedding counts as a layer)</source>
        <translation>（嵌入算一层）</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>optimizer to %1</source>
        <translation>优化器到 %1</translation>
    </message>
    <message>
        <source>all to %1</source>
        <translation>全部到 %1</translation>
    </message>
    <message>
        <source>full recompute</source>
        <translation>完全重计算</translation>
    </message>
    <message>
        <source>selective recompute</source>
        <translation>选择性重计算</translation>
    </message>
    <message>
        <source>our engine</source>
        <translation>本引擎</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::LedgerModel</name>
    <message>
        <source>%1, not on the device</source>
        <translation>%1，不在设备上</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Held in</source>
        <translation>驻留环节</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::LedgerPanel</name>
    <message>
        <source>Phase of the ledger</source>
        <translation>内存账本的环节</translation>
    </message>
    <message>
        <source>Ledger</source>
        <translation>内存账本</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::LeverWords</name>
    <message>
        <source>Peak %1.</source>
        <translation>峰值 %1。</translation>
    </message>
    <message>
        <source>Peak %1, step %2 as now.</source>
        <translation>峰值 %1，单步 %2，与现在相同。</translation>
    </message>
    <message>
        <source>Peak %1, step %2 (%3).</source>
        <translation>峰值 %1，单步 %2（%3）。</translation>
    </message>
    <message>
        <source>Then it fits.</source>
        <translation>这样就放得下。</translation>
    </message>
    <message>
        <source>Then it may fit: %1.</source>
        <translation>这样可能放得下：%1。</translation>
    </message>
    <message>
        <source>Then it probably still does not fit: %1.</source>
        <translation>这样多半仍放不下：%1。</translation>
    </message>
    <message>
        <source>It still does not fit.</source>
        <translation>仍然放不下。</translation>
    </message>
    <message>
        <source>Then it no longer fits.</source>
        <translation>这样就放不下了。</translation>
    </message>
    <message>
        <source>Then it no longer surely fits: %1.</source>
        <translation>这样就不一定放得下：%1。</translation>
    </message>
    <message>
        <source>Then it probably no longer fits: %1.</source>
        <translation>这样多半就放不下了：%1。</translation>
    </message>
    <message>
        <source>Then stage %1 fits: %2, %3.</source>
        <translation>这样阶段 %1 也放得下：%2，%3。</translation>
    </message>
    <message>
        <source>Then stage %1 fits: %2.</source>
        <translation>这样阶段 %1 也放得下：%2。</translation>
    </message>
    <message>
        <source>First to try: %1</source>
        <translation>首先可试：%1</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>%1 more with less effect.</source>
        <translation>还有 %1 项，效果更小。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::LogPanel</name>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Log of all ranks</source>
        <translation>全部 rank 的日志</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>全部级别</translation>
    </message>
    <message>
        <source>Least level</source>
        <translation>最低级别</translation>
    </message>
    <message>
        <source>Show lines of this level and above</source>
        <translation>显示此级别及以上的行</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Show lines of one rank</source>
        <translation>只显示一个 rank 的行</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Text filter</source>
        <translation>文本筛选</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>正则表达式</translation>
    </message>
    <message>
        <source>Read the filter as a regular expression</source>
        <translation>按正则表达式筛选</translation>
    </message>
    <message>
        <source>First error</source>
        <translation>首个错误</translation>
    </message>
    <message>
        <source>Go to the first line of level ERROR of the newest start</source>
        <translation>转到最近一次启动的第一条 ERROR 行</translation>
    </message>
    <message>
        <source>All ranks</source>
        <translation>全部 rank</translation>
    </message>
    <message>
        <source>Supervisor</source>
        <translation>监管进程</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>filtering, %1 found</source>
        <translation>正在筛选，已找到 %1 行</translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation>%1 / %2 行</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>; %1 older ones are in the run folder only</source>
        <translation>；更早的 %1 行只在运行目录中</translation>
    </message>
    <message>
        <source>No rank has written a line yet.</source>
        <translation>尚无 rank 写出日志。</translation>
    </message>
    <message>
        <source>No line passes the filter.</source>
        <translation>没有符合筛选的行。</translation>
    </message>
    <message>
        <source>Following</source>
        <translation>跟随中</translation>
    </message>
    <message numerus="yes">
        <source>Paused, %n new</source>
        <translation>
            <numerusform>已暂停，%n 行新增</numerusform>
        </translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>New lines are shown as they come</source>
        <translation>新行到达即显示</translation>
    </message>
    <message>
        <source>Go to the end and follow</source>
        <translation>转到末尾并跟随</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::MainWindow</name>
    <message>
        <source>One file is opened at a time: %1 of %2 were left</source>
        <translation>一次只打开一个文件：%2 个中有 %1 个未打开</translation>
    </message>
    <message>
        <source>Model and hardware keeps a value that is not taken. %1</source>
        <translation>“模型与硬件”中有一个值未被采用。%1</translation>
    </message>
    <message>
        <source>Not done, a value that was typed is not taken. %1</source>
        <translation>未执行：输入的值不被接受。%1</translation>
    </message>
    <message>
        <source>Unsaved edits cannot be kept for recovery: %1</source>
        <translation>未保存的修改无法留作恢复之用：%1</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>Run exported to %1</source>
        <translation>运行已导出到 %1</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Export into a folder: %1</source>
        <translation>导出到文件夹：%1</translation>
    </message>
    <message>
        <source>Export here</source>
        <translation>导出到此处</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Stopping after the running step; a second stop asks whether to kill</source>
        <translation>当前步结束后停止；再次停止将询问是否强制结束</translation>
    </message>
    <message>
        <source>Stop after the running step</source>
        <translation>当前步结束后停止</translation>
    </message>
    <message>
        <source>Report written: %1</source>
        <translation>报告已写出：%1</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>已复制：%1</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>运行失败</translation>
    </message>
    <message>
        <source>Run: %1</source>
        <translation>运行：%1</translation>
    </message>
    <message>
        <source>No workspace open</source>
        <translation>未打开工作区</translation>
    </message>
    <message>
        <source>modified</source>
        <translation>已修改</translation>
    </message>
    <message>
        <source>Undo: %1</source>
        <translation>撤销：%1</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo: %1</source>
        <translation>重做：%1</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>%1
What can be done about it stands in the findings of the Config page.</source>
        <translation>%1
处理办法见“配置”页的检查结果。</translation>
    </message>
    <message>
        <source>A run is live: stop it first</source>
        <translation>有任务正在运行：先停止它</translation>
    </message>
    <message>
        <source>Launch this workspace</source>
        <translation>启动此工作区</translation>
    </message>
    <message>
        <source>Launch the demo</source>
        <translation>启动演示</translation>
    </message>
    <message>
        <source>Opened %1</source>
        <translation>已打开 %1</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>1 GiB = 2³⁰ B</source>
        <translation>1 GiB = 2³⁰ B</translation>
    </message>
    <message>
        <source>Plan updated in %1</source>
        <translation>规划更新用时 %1</translation>
    </message>
    <message>
        <source>Ctrl+/ all shortcuts</source>
        <translation>Ctrl+/ 全部快捷键</translation>
    </message>
    <message>
        <source>F1 help</source>
        <translation>F1 帮助</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>What this window did</source>
        <translation>此窗口做过的事</translation>
    </message>
    <message>
        <source>Findings %1</source>
        <translation>检查结果 %1</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>The command line that does the same</source>
        <translation>等效的命令行</translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation>搜索或执行命令</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Findings of the plan and the ds_config</source>
        <translation>规划与 ds_config 的检查结果</translation>
    </message>
    <message>
        <source>Saved in another place</source>
        <translation>已存到其他位置</translation>
    </message>
    <message>
        <source>Take the file&apos;s content</source>
        <translation>采用文件的内容</translation>
    </message>
    <message>
        <source>Says how this plan can be trained: its own framework starts it</source>
        <translation>说明如何训练该规划：它由其自身的框架启动</translation>
    </message>
    <message>
        <source>Looking whether our engine can train this here</source>
        <translation>正在检查本引擎能否在此训练该任务</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::MendBanner</name>
    <message>
        <source>%1 is no JSON object, so no workspace.</source>
        <translation>%1 不是 JSON 对象，因此不是工作区。</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>%1. Text has the whole file until it can be read.</source>
        <translation>%1。在可读取之前，“文本”显示整个文件。</translation>
    </message>
    <message>
        <source>The ds_config of %1 cannot be read: %2</source>
        <translation>无法读取 %1 的 ds_config：%2</translation>
    </message>
    <message>
        <source>Mend in Config</source>
        <translation>在“配置”中修复</translation>
    </message>
    <message>
        <source>Shows the text on the Config page, at the place that cannot be read</source>
        <translation>在“配置”页显示文本，并定位到无法读取之处</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ModelStates</name>
    <message>
        <source>Offloaded, in the same memory</source>
        <translation>已卸载，仍在同一内存中</translation>
    </message>
    <message>
        <source>16-bit gradients</source>
        <translation>16 位梯度</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Optimizer states</source>
        <translation>优化器状态</translation>
    </message>
    <message>
        <source>Buckets</source>
        <translation>通信桶</translation>
    </message>
    <message>
        <source>Gathered</source>
        <translation>收集的张量</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Logits and loss</source>
        <translation>Logits 与损失</translation>
    </message>
    <message>
        <source>Process and libraries</source>
        <translation>进程与库</translation>
    </message>
    <message>
        <source>Rounding</source>
        <translation>取整</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>Master weights, fp32</source>
        <translation>主权重，fp32</translation>
    </message>
    <message>
        <source>Gathered weights</source>
        <translation>收集的权重</translation>
    </message>
    <message>
        <source>Full gradients, pooled</source>
        <translation>完整梯度（缓冲池）</translation>
    </message>
    <message>
        <source>Communication buffers</source>
        <translation>通信缓冲区</translation>
    </message>
    <message>
        <source>Unit outputs</source>
        <translation>单元输出</translation>
    </message>
    <message>
        <source>Saved activations</source>
        <translation>保存的激活</translation>
    </message>
    <message>
        <source>Activation work space</source>
        <translation>激活工作区</translation>
    </message>
    <message>
        <source>Rotary tables</source>
        <translation>旋转位置表</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Allocator rounding</source>
        <translation>分配器取整</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全程</translation>
    </message>
    <message>
        <source>init</source>
        <translation>初始化</translation>
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
        <source>step</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>eval</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>usable %1</source>
        <translation>可用 %1</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>Loss in fp32</source>
        <translation>fp32 损失</translation>
    </message>
    <message>
        <source>Work space of the libraries</source>
        <translation>库的工作空间</translation>
    </message>
    <message>
        <source>Gather buffer</source>
        <translation>全收集缓冲区</translation>
    </message>
    <message>
        <source>Gradients kept on the device, fp32</source>
        <translation>留在设备上的梯度，fp32</translation>
    </message>
    <message>
        <source>Reduced gradients on the host</source>
        <translation>主机上归约后的梯度</translation>
    </message>
    <message>
        <source>Master weights kept on the device</source>
        <translation>留在设备上的主权重</translation>
    </message>
    <message>
        <source>Optimizer states kept on the device</source>
        <translation>留在设备上的优化器状态</translation>
    </message>
    <message>
        <source>Work space of the optimizer</source>
        <translation>优化器的工作空间</translation>
    </message>
    <message>
        <source>Quantised gradients</source>
        <translation>量化梯度</translation>
    </message>
    <message>
        <source>Quantised weights</source>
        <translation>量化权重</translation>
    </message>
    <message>
        <source>Second copy of the weights in the node</source>
        <translation>节点内权重的第二份副本</translation>
    </message>
    <message>
        <source>Buffers for NVMe</source>
        <translation>NVMe 缓冲区</translation>
    </message>
    <message>
        <source>Bucket in the type it is sent in</source>
        <translation>通信数据类型的桶</translation>
    </message>
    <message>
        <source>Bucket, sorted by ranks</source>
        <translation>按 rank 重排的桶</translation>
    </message>
    <message>
        <source>Logits, still named</source>
        <translation>仍被引用的 logits</translation>
    </message>
    <message>
        <source>Logits, joined</source>
        <translation>拼接后的 logits</translation>
    </message>
    <message>
        <source>Weights, cast for products</source>
        <translation>为乘积转换的权重</translation>
    </message>
    <message>
        <source>Logits, their caps&apos; tanh</source>
        <translation>logits 上限的 tanh</translation>
    </message>
    <message>
        <source>Activations of the blocks</source>
        <translation>各块的激活</translation>
    </message>
    <message>
        <source>Activations kept</source>
        <translation>保留的激活</translation>
    </message>
    <message>
        <source>Activations made again</source>
        <translation>重计算的激活</translation>
    </message>
    <message>
        <source>Block inputs</source>
        <translation>块输入</translation>
    </message>
    <message>
        <source>Rounding of pinned memory</source>
        <translation>锁页内存的取整</translation>
    </message>
    <message>
        <source>Shards on their way</source>
        <translation>传输中的分片</translation>
    </message>
    <message>
        <source>Gradients on their way</source>
        <translation>传输中的梯度</translation>
    </message>
    <message>
        <source>Activations on the host</source>
        <translation>主机上的激活</translation>
    </message>
    <message>
        <source>Inputs of the norms</source>
        <translation>归一化输入</translation>
    </message>
    <message>
        <source>Outputs of the norms</source>
        <translation>归一化输出</translation>
    </message>
    <message>
        <source>Queries, keys, values</source>
        <translation>查询、键、值</translation>
    </message>
    <message>
        <source>Attention output</source>
        <translation>注意力输出</translation>
    </message>
    <message>
        <source>Attention scores</source>
        <translation>注意力分数</translation>
    </message>
    <message>
        <source>MLP activations</source>
        <translation>MLP 激活</translation>
    </message>
    <message>
        <source>Dropout masks</source>
        <translation>dropout 掩码</translation>
    </message>
    <message>
        <source>Input of the output layer</source>
        <translation>输出层输入</translation>
    </message>
    <message>
        <source>Embedding output</source>
        <translation>嵌入输出</translation>
    </message>
    <message>
        <source>Heads for further tokens</source>
        <translation>后续 token 的预测头</translation>
    </message>
    <message>
        <source>Gradients of block inputs</source>
        <translation>各块输入的梯度</translation>
    </message>
    <message>
        <source>Output matrix in the loss</source>
        <translation>损失中的输出矩阵</translation>
    </message>
    <message>
        <source>Gradient of the loss</source>
        <translation>损失的梯度</translation>
    </message>
    <message>
        <source>Frozen weights</source>
        <translation>冻结的权重</translation>
    </message>
    <message>
        <source>Dequantised weights</source>
        <translation>反量化后的权重</translation>
    </message>
    <message>
        <source>Constants of packed weights</source>
        <translation>打包权重的常数</translation>
    </message>
    <message>
        <source>Gradients in fp32</source>
        <translation>fp32 梯度</translation>
    </message>
    <message>
        <source>8-bit copies of the weights</source>
        <translation>权重的 8 位副本</translation>
    </message>
    <message>
        <source>Weights on their way back</source>
        <translation>正在写回的权重</translation>
    </message>
    <message>
        <source>Gradient sums of micro-batches</source>
        <translation>各微批次的梯度累加</translation>
    </message>
    <message>
        <source>Weights kept on the host</source>
        <translation>留在主机的权重</translation>
    </message>
    <message>
        <source>Buffers for NVMe, optimizer</source>
        <translation>NVMe 缓冲区（优化器）</translation>
    </message>
    <message>
        <source>Empty buffer for weights on the host</source>
        <translation>主机上空着的权重缓冲区</translation>
    </message>
    <message>
        <source>Compression errors of the server</source>
        <translation>服务端的压缩误差</translation>
    </message>
    <message>
        <source>Pipeline buffers</source>
        <translation>流水线缓冲区</translation>
    </message>
    <message>
        <source>Gathered keys and values</source>
        <translation>收集的键和值</translation>
    </message>
    <message>
        <source>Weights in 8 bits</source>
        <translation>8 位权重</translation>
    </message>
    <message>
        <source>Gradients of a block</source>
        <translation>一个块的梯度</translation>
    </message>
    <message>
        <source>Gradient of the embedding</source>
        <translation>嵌入表的梯度</translation>
    </message>
    <message>
        <source>Gradient of one parameter</source>
        <translation>单个参数的梯度</translation>
    </message>
    <message>
        <source>Gradients, joined</source>
        <translation>拼接的梯度</translation>
    </message>
    <message>
        <source>Gradients between stages</source>
        <translation>流水线级间的梯度</translation>
    </message>
    <message>
        <source>Outputs between stages</source>
        <translation>流水线级间的输出</translation>
    </message>
    <message>
        <source>Whole gradients</source>
        <translation>完整梯度</translation>
    </message>
    <message>
        <source>Whole model while it is built</source>
        <translation>构建中的完整模型</translation>
    </message>
    <message>
        <source>Largest parameter while it is divided</source>
        <translation>切分中的最大参数</translation>
    </message>
    <message>
        <source>Zero gradients that make the moments</source>
        <translation>用于创建动量的零梯度</translation>
    </message>
    <message>
        <source>all but init</source>
        <translation>除初始化外</translation>
    </message>
    <message>
        <source>Allocated</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>Process, as the system sees it</source>
        <translation>进程（系统所见）</translation>
    </message>
    <message>
        <source>Statistics of the norms</source>
        <translation>归一化的统计量</translation>
    </message>
    <message>
        <source>Log-sum-exp of the scores</source>
        <translation>分数的 log-sum-exp</translation>
    </message>
    <message>
        <source>Residual stream</source>
        <translation>残差流</translation>
    </message>
    <message>
        <source>MLP gate</source>
        <translation>MLP 门控</translation>
    </message>
    <message>
        <source>MLP after its non-linearity</source>
        <translation>MLP 非线性之后</translation>
    </message>
    <message>
        <source>MLP up</source>
        <translation>MLP 上投影</translation>
    </message>
    <message>
        <source>Input of the MLP&apos;s last product</source>
        <translation>MLP 最后一个投影的输入</translation>
    </message>
    <message>
        <source>MLP output</source>
        <translation>MLP 输出</translation>
    </message>
    <message>
        <source>Inside the adapters</source>
        <translation>适配器内部</translation>
    </message>
    <message>
        <source>Dropout of the adapters</source>
        <translation>适配器的 dropout</translation>
    </message>
    <message>
        <source>Two results of DoRA</source>
        <translation>DoRA 的两个结果</translation>
    </message>
    <message>
        <source>Weights with adapters</source>
        <translation>带适配器的权重</translation>
    </message>
    <message>
        <source>Gradient of such weights</source>
        <translation>这类权重的梯度</translation>
    </message>
    <message>
        <source>Norms of DoRA</source>
        <translation>DoRA 的范数</translation>
    </message>
    <message>
        <source>Inputs of the micro-batch before</source>
        <translation>上一个微批次的输入</translation>
    </message>
    <message>
        <source>DoRA of the output</source>
        <translation>输出层的 DoRA</translation>
    </message>
    <message>
        <source>Norms of queries and keys</source>
        <translation>查询与键的归一化</translation>
    </message>
    <message>
        <source>Compressed queries and keys</source>
        <translation>压缩的查询与键</translation>
    </message>
    <message>
        <source>Routing scores</source>
        <translation>路由分数</translation>
    </message>
    <message>
        <source>Inputs of the router</source>
        <translation>路由器输入</translation>
    </message>
    <message>
        <source>Tokens in order of experts</source>
        <translation>按专家排列的 token</translation>
    </message>
    <message>
        <source>Outputs of the experts</source>
        <translation>专家输出</translation>
    </message>
    <message>
        <source>Output of the shared expert</source>
        <translation>共享专家输出</translation>
    </message>
    <message>
        <source>Attention mask</source>
        <translation>注意力掩码</translation>
    </message>
    <message>
        <source>Fragmentation</source>
        <translation>碎片</translation>
    </message>
    <message>
        <source>Holes</source>
        <translation>空洞</translation>
    </message>
    <message>
        <source>Blocks of other phases</source>
        <translation>其他阶段的块</translation>
    </message>
    <message>
        <source>Rounded buffers</source>
        <translation>缓冲区取整</translation>
    </message>
    <message>
        <source>Device context</source>
        <translation>设备上下文</translation>
    </message>
    <message>
        <source>16-bit products</source>
        <translation>16 位矩阵乘</translation>
    </message>
    <message>
        <source>Collective library</source>
        <translation>集合通信库</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::OutputPanels</name>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>what this window did</source>
        <translation>此窗口做过的事</translation>
    </message>
    <message>
        <source>Log of the window</source>
        <translation>窗口日志</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>does the same in a terminal</source>
        <translation>在终端中等效</translation>
    </message>
    <message>
        <source>Command line of this page</source>
        <translation>此页的命令行</translation>
    </message>
    <message>
        <source>This page</source>
        <translation>此页</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Command line of Launch</source>
        <translation>启动的命令行</translation>
    </message>
    <message>
        <source>Copy the command line of Launch</source>
        <translation>复制启动的命令行</translation>
    </message>
    <message>
        <source>Copy the command line (Ctrl+Shift+C)</source>
        <translation>复制命令行 (Ctrl+Shift+C)</translation>
    </message>
    <message>
        <source>of the plan and the ds_config; Enter goes to the place</source>
        <translation>来自规划与 ds_config；Enter 跳到对应位置</translation>
    </message>
    <message>
        <source>Findings of the plan and the ds_config</source>
        <translation>规划与 ds_config 的检查结果</translation>
    </message>
    <message>
        <source>does the same in a terminal, once the workspace is saved</source>
        <translation>保存工作区后，在终端中等效</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::PaletteWords</name>
    <message>
        <source>refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>Calibrate plans from a run</source>
        <translation>用一次运行校准计划</translation>
    </message>
    <message>
        <source>the chosen run</source>
        <translation>所选的运行</translation>
    </message>
    <message>
        <source>choose a finished one on the Run page</source>
        <translation>请在“运行”页选择一次已结束的运行</translation>
    </message>
    <message>
        <source>Forget the calibration from run %1</source>
        <translation>删除按运行 %1 的校准</translation>
    </message>
    <message>
        <source>Set ZeRO stage to %1</source>
        <translation>将 ZeRO 阶段设为 %1</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>Theme: %1</source>
        <translation>主题：%1</translation>
    </message>
    <message>
        <source>Language: %1</source>
        <translation>语言：%1</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>转到 %1</translation>
    </message>
    <message>
        <source>%1, line %2</source>
        <translation>%1，第 %2 行</translation>
    </message>
    <message>
        <source>The Hugging Face Trainer does not start this ds_config</source>
        <translation>此 ds_config 不由 Hugging Face Trainer 启动</translation>
    </message>
    <message>
        <source>The Hugging Face Trainer starts this ds_config</source>
        <translation>此 ds_config 由 Hugging Face Trainer 启动</translation>
    </message>
    <message>
        <source>accelerate does not start this ds_config</source>
        <translation>此 ds_config 不由 accelerate 启动</translation>
    </message>
    <message>
        <source>accelerate starts this ds_config</source>
        <translation>此 ds_config 由 accelerate 启动</translation>
    </message>
    <message>
        <source>&quot;auto&quot; is not filled in</source>
        <translation>不填写 &quot;auto&quot;</translation>
    </message>
    <message>
        <source>fills in &quot;auto&quot;</source>
        <translation>填写 &quot;auto&quot;</translation>
    </message>
    <message>
        <source>with %1</source>
        <translation>用于 %1</translation>
    </message>
    <message>
        <source>with %1 and %2 more</source>
        <translation>用于 %1 等，另 %2 种</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Fix all safe</source>
        <translation>全部安全修复</translation>
    </message>
    <message>
        <source>fixes: %1</source>
        <translation>修复：%1</translation>
    </message>
    <message>
        <source>nothing to fix</source>
        <translation>没有可修复的</translation>
    </message>
    <message>
        <source>No fix is safe to make unseen: the findings below have %1 to choose from</source>
        <translation>没有可以直接套用的安全修复：下方检查结果里有 %1 项修复可选</translation>
    </message>
    <message>
        <source>No finding has a fix</source>
        <translation>没有检查结果带有修复</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::PlanPage</name>
    <message>
        <source>Plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>full recompute</source>
        <translation>完全重计算</translation>
    </message>
    <message>
        <source>global batch %1</source>
        <translation>全局批次 %1</translation>
    </message>
    <message>
        <source>No plan while the workspace has errors.</source>
        <translation>工作区有错误，无法规划。</translation>
    </message>
    <message>
        <source>Memory cannot be planned for this model; the findings say why.</source>
        <translation>无法规划此模型的内存；原因见检查结果。</translation>
    </message>
    <message>
        <source>ZeRO stage</source>
        <translation>ZeRO 阶段</translation>
    </message>
    <message>
        <source>walked with this model and hardware</source>
        <translation>按当前模型与硬件逐项判断</translation>
    </message>
    <message>
        <source>ZeRO stage decision</source>
        <translation>ZeRO 阶段判断</translation>
    </message>
    <message>
        <source>Memory per rank at the peak</source>
        <translation>每 rank 峰值内存</translation>
    </message>
    <message>
        <source>Model states per GPU</source>
        <translation>每 GPU 模型状态</translation>
    </message>
    <message>
        <source>Model states per rank</source>
        <translation>每 rank 模型状态</translation>
    </message>
    <message>
        <source>Ledger</source>
        <translation>内存账本</translation>
    </message>
    <message>
        <source>Memory per GPU at the peak</source>
        <translation>每 GPU 峰值显存</translation>
    </message>
    <message numerus="yes">
        <source>fullest of %n pipeline stages: %1</source>
        <translation>
            <numerusform>%n 个流水线段中最满：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>ranks alike: %1</source>
        <translation>相同的 rank：%1</translation>
    </message>
    <message>
        <source>Sharding</source>
        <translation>分片</translation>
    </message>
    <message>
        <source>Behaviour of %1 → %2</source>
        <translation>行为：%1 → %2</translation>
    </message>
    <message>
        <source>Behaviour of</source>
        <translation>行为</translation>
    </message>
    <message>
        <source>Framework whose behaviour is forecast</source>
        <translation>按哪个框架的行为预测</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>决策树</translation>
    </message>
    <message>
        <source>The decision, step by step</source>
        <translation>逐步决策</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Every legal layout, ranked by time</source>
        <translation>所有合法布局，按时间排序</translation>
    </message>
    <message>
        <source>Chunks of the loss %1 → %2</source>
        <translation>损失块数 %1 → %2</translation>
    </message>
    <message>
        <source>What-if sliders reset</source>
        <translation>假设分析滑块重置</translation>
    </message>
    <message>
        <source>Copy the ledger as a table (Ctrl+C)</source>
        <translation>把账本复制为表格（Ctrl+C）</translation>
    </message>
    <message>
        <source>Model and hardware…</source>
        <translation>模型与硬件…</translation>
    </message>
    <message>
        <source>Choose model and hardware</source>
        <translation>选择模型与硬件</translation>
    </message>
    <message>
        <source>How much memory the device has is not known: which stage fits cannot be told.</source>
        <translation>不知道设备有多少内存：无法判断哪个阶段放得下。</translation>
    </message>
    <message>
        <source>Megatron model, %1 layers × %2</source>
        <translation>Megatron 模型，%1 层 × %2</translation>
    </message>
    <message>
        <source>Megatron model</source>
        <translation>Megatron 模型</translation>
    </message>
    <message>
        <source>Traffic</source>
        <translation>通信量</translation>
    </message>
    <message>
        <source>What a step moves, by kind, group and link</source>
        <translation>一步要传输的内容，按种类、通信组与链路列出</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::PlanSearch</name>
    <message>
        <source>Search lists every legal layout of these ranks.</source>
        <translation>搜索会列出这些 rank 的所有合法布局。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 的 %1</translation>
    </message>
    <message>
        <source>The workspace now</source>
        <translation>当前工作区</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>正在搜索</translation>
    </message>
    <message>
        <source>No layout of these ranks divides the global batch.</source>
        <translation>没有布局能整除全局批次。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1 of %2 layouts, %3 fit</source>
        <translation>%1 / %2 种布局，%3 种放得下</translation>
    </message>
    <message>
        <source>Counting the layouts</source>
        <translation>正在统计布局</translation>
    </message>
    <message>
        <source>Cancelled after %1 of %2 layouts, %3 fit</source>
        <translation>已取消：%1 / %2 种布局，%3 种放得下</translation>
    </message>
    <message>
        <source>%1 layouts in %2, %3 fit</source>
        <translation>%1 种布局，用时 %2，%3 种放得下</translation>
    </message>
    <message>
        <source>%1 layouts in %2, %3 fit, %4 may</source>
        <translation>%1 种布局，用时 %2，%3 种放得下，%4 种可能放得下</translation>
    </message>
    <message>
        <source>nothing fits; the smallest first</source>
        <translation>都放不下；最小的在前</translation>
    </message>
    <message numerus="yes">
        <source>fastest first, %n shown</source>
        <translation>
            <numerusform>最快的在前，显示 %n 种</numerusform>
        </translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Needs %1 and leaves %2 of the %3 it may use.</source>
        <translation>需要 %1，可用 %3，剩余 %2。</translation>
    </message>
    <message>
        <source>May fit, p = %1: takes %2 of the %3 it may use.</source>
        <translation>可能放得下（p = %1）：可用 %3，占用 %2。</translation>
    </message>
    <message>
        <source>Probably does not fit, p = %1: takes %2 of the %3 it may use.</source>
        <translation>多半放不下（p = %1）：可用 %3，占用 %2。</translation>
    </message>
    <message>
        <source>Rejected: what it offloads needs %1 of host memory per node.</source>
        <translation>排除：卸载内容每节点需要 %1 主机内存。</translation>
    </message>
    <message>
        <source>Rejected: needs %1 of %2, short by %3.</source>
        <translation>已排除：需要 %1，可用 %2，差 %3。</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Against the workspace now</source>
        <translation>相对当前工作区</translation>
    </message>
    <message>
        <source>Against the fastest</source>
        <translation>相对最快</translation>
    </message>
    <message>
        <source>No other layout is both faster and smaller.</source>
        <translation>没有其他布局既更快又更小。</translation>
    </message>
    <message>
        <source>Layout: %1</source>
        <translation>布局：%1</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Share of the usable memory a layout may take</source>
        <translation>布局可占用的可用显存比例</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>全局批次</translation>
    </message>
    <message>
        <source>Samples of a step; empty takes the workspace&apos;s</source>
        <translation>每步样本数；留空则取工作区的值</translation>
    </message>
    <message>
        <source>tp inside a node</source>
        <translation>tp 不跨节点</translation>
    </message>
    <message>
        <source>Tensor-parallel groups do not leave a node</source>
        <translation>张量并行组不跨节点</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Layouts that move model states to the host or to files</source>
        <translation>把模型状态移到主机或文件的布局</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Put the chosen layout into the workspace (Enter)</source>
        <translation>把所选布局写入工作区（Enter）</translation>
    </message>
    <message>
        <source>Time and memory</source>
        <translation>时间与显存</translation>
    </message>
    <message>
        <source>line: nothing is both faster and smaller</source>
        <translation>线：没有既更快又更小的布局</translation>
    </message>
    <message>
        <source>Layouts by time and memory</source>
        <translation>按时间与显存排列的布局</translation>
    </message>
    <message>
        <source>Layouts searched</source>
        <translation>已搜索的布局</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>代价</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <translation>每步 %1</translation>
    </message>
    <message>
        <source>Stop the search and keep what is found (Esc)</source>
        <translation>停止搜索，保留已找到的（Esc）</translation>
    </message>
    <message>
        <source>The global batch must be a whole number from 1 to %1.</source>
        <translation>全局批次须为 1 到 %1 的整数。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::PlanStrip</name>
    <message>
        <source>No job can have this batch: what a step takes cannot be told, and the findings say which size to write.</source>
        <translation>没有任务能采用这样的批次：无法得知训练步所需的资源，应填写哪个大小见检查结果。</translation>
    </message>
    <message>
        <source>%1, needs %2</source>
        <translation>%1，需 %2</translation>
    </message>
    <message>
        <source>The process will show %1, %2 of which it needs: its allocator gives the rest back where the device is full.</source>
        <translation>进程将显示占用 %1，其中真正需要的是 %2：设备占满时分配器会归还其余部分。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>No plan</source>
        <translation>无规划</translation>
    </message>
    <message>
        <source>too many values</source>
        <translation>值过多</translation>
    </message>
    <message>
        <source>The file says nothing of model and hardware, and nobody has chosen this: all figures here are of it. Click to choose it, or to confirm it.</source>
        <translation>文件没有说明模型与硬件，这一项也还没有人选择：这里的数字都按它假定。点击即可选择或确认。</translation>
    </message>
    <message>
        <source>Assumed</source>
        <translation>假定</translation>
    </message>
    <message>
        <source>Invalid</source>
        <translation>无效</translation>
    </message>
    <message>
        <source>cannot be planned</source>
        <translation>无法规划</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>Ranks not known</source>
        <translation>rank 数未知</translation>
    </message>
    <message>
        <source>taken for %1, not for 1</source>
        <translation>%1 个可用，1 个被拒绝</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Memory cannot be planned for this model; the findings say why.</source>
        <translation>无法规划此模型的内存；原因见检查结果。</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation>不确定</translation>
    </message>
    <message>
        <source>Probability that the peak stays within the usable memory of one rank.</source>
        <translation>峰值不超过单个 rank 可用内存的概率。</translation>
    </message>
    <message>
        <source>Peak memory per GPU</source>
        <translation>每 GPU 峰值显存</translation>
    </message>
    <message>
        <source>Peak memory per rank</source>
        <translation>每 rank 峰值内存</translation>
    </message>
    <message>
        <source>Model states per GPU</source>
        <translation>每 GPU 模型状态</translation>
    </message>
    <message>
        <source>Model states per rank</source>
        <translation>每 rank 模型状态</translation>
    </message>
    <message>
        <source>Model states of the fullest rank: %1 B. What a step adds to them is not known.</source>
        <translation>占用最多的 rank 的模型状态：%1 B。每步另需多少未知。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Process of the fullest rank at the peak, context and libraries included: %1 B.</source>
        <translation>最满的 rank 在峰值时的进程内存，含上下文与库：%1 B。</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>90 % interval: %1 to %2</source>
        <translation>90 % 区间：%1 至 %2</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Tokens of the global batch divided by the step time.</source>
        <translation>全局批次的 token 数除以单步时间。</translation>
    </message>
    <message>
        <source>Model FLOPs utilisation: FLOPs of the model alone, against the peak of the devices.</source>
        <translation>模型 FLOPs 利用率：仅模型的 FLOPs 与设备峰值之比。</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Since last save</source>
        <translation>相对上次保存</translation>
    </message>
    <message>
        <source>Peak memory and step time against the workspace as it was opened or last saved.</source>
        <translation>峰值内存与单步时间，相对打开时或上次保存时的工作区。</translation>
    </message>
    <message>
        <source>Preview: Enter applies, Esc ends</source>
        <translation>预览：Enter 应用，Esc 结束</translation>
    </message>
    <message>
        <source>Preview: Esc ends</source>
        <translation>预览：Esc 结束</translation>
    </message>
    <message>
        <source>Peak memory and step time of the change that is tried, against the workspace as it is.</source>
        <translation>所试改动的峰值内存与单步时间，相对当前工作区。</translation>
    </message>
    <message>
        <source>Errors, warnings and notes of the plan and the ds_config; a click lists them.</source>
        <translation>规划与 ds_config 的错误、警告与提示；点击可列出全部。</translation>
    </message>
    <message>
        <source>figures of the last text that could be planned</source>
        <translation>数字属于最近一次可规划的文本</translation>
    </message>
    <message>
        <source>Only the model states are known: what a step needs beside them decides.</source>
        <translation>只知道模型状态：是否放得下取决于一步中其余的内存。</translation>
    </message>
    <message>
        <source>Host memory: %1 of %2 per node.</source>
        <translation>主机内存：每节点 %1，共 %2。</translation>
    </message>
    <message>
        <source>Host memory: %1 per node; what a node has is not said. Click to say it.</source>
        <translation>主机内存：每节点 %1；节点有多少内存尚未写明，点击填写。</translation>
    </message>
    <message>
        <source>How much memory the device has is not known: whether it fits cannot be told.</source>
        <translation>不知道设备有多少内存：无法判断是否放得下。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::PlanWords</name>
    <message>
        <source>When to use DeepSpeed</source>
        <translation>何时使用 DeepSpeed</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a condition and what is so</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>The first fills the %1 that a process can have of this device; tutorials divide what it is sold with by the bytes a parameter takes.</source>
        <translation>前者用满该设备上进程可用的 %1；教程则用标称容量除以每参数字节数。</translation>
    </message>
    <message>
        <source>In the %1 it is sold with</source>
        <translation>按标称的 %1</translation>
    </message>
    <message>
        <source>No plan</source>
        <translation>无规划</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>此规划</translation>
    </message>
    <message>
        <source>At the peak</source>
        <translation>峰值时</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>环节</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Largest item</source>
        <translation>最大项目</translation>
    </message>
    <message>
        <source>Without effect in this engine</source>
        <translation>在本引擎中无作用</translation>
    </message>
    <message>
        <source>memory of the rank&apos;s device</source>
        <translation>rank 所在设备的内存</translation>
    </message>
    <message>
        <source>host memory</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>pinned host memory</source>
        <translation>锁页内存</translation>
    </message>
    <message>
        <source>NVMe</source>
        <translation>NVMe</translation>
    </message>
    <message>
        <source>Held in</source>
        <translation>驻留环节</translation>
    </message>
    <message>
        <source>Lies in</source>
        <translation>位于</translation>
    </message>
    <message>
        <source>none: counted from sizes</source>
        <translation>无：由各尺寸直接计得</translation>
    </message>
    <message>
        <source>In GB = 10⁹ B</source>
        <translation>以 GB = 10⁹ B 计</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>Forecast</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>90 % interval</source>
        <translation>90 % 区间</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Exposed communication</source>
        <translation>未掩盖的通信</translation>
    </message>
    <message>
        <source>Exposed: tensor group</source>
        <translation>未掩盖：张量组</translation>
    </message>
    <message>
        <source>Exposed: weights, data group</source>
        <translation>未掩盖：权重，数据组</translation>
    </message>
    <message>
        <source>Exposed: gradients, data group</source>
        <translation>未掩盖：梯度，数据组</translation>
    </message>
    <message>
        <source>Exposed: pipeline link</source>
        <translation>未掩盖：流水线链路</translation>
    </message>
    <message>
        <source>Exposed: context group</source>
        <translation>未掩盖：上下文组</translation>
    </message>
    <message>
        <source>Exposed: expert group</source>
        <translation>未掩盖：专家组</translation>
    </message>
    <message>
        <source>Pipeline bubble</source>
        <translation>流水线气泡</translation>
    </message>
    <message>
        <source>Waiting for the slowest device</source>
        <translation>等待最慢的设备</translation>
    </message>
    <message>
        <source>Offload transfers</source>
        <translation>卸载传输</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>%1 needs %2.</source>
        <translation>“%1”%2。</translation>
    </message>
    <message>
        <source>%1 needs %2 of %3.</source>
        <translation>“%1”需要 %2，可用 %3。</translation>
    </message>
    <message>
        <source>%1 needs %2 and leaves %3 free.</source>
        <translation>“%1”需要 %2，剩余 %3。</translation>
    </message>
    <message>
        <source>%1 fills the %2: %3 of it cannot be given back.</source>
        <translation>“%1”占满 %2：其中 %3 无法释放。</translation>
    </message>
    <message>
        <source>The states of %1 lie off the device.</source>
        <translation>“%1”的模型状态不在设备上。</translation>
    </message>
    <message>
        <source>The states of %1 alone need %2 of %3.</source>
        <translation>“%1”仅模型状态就需要 %2，可用 %3。</translation>
    </message>
    <message>
        <source>The states of %1 need %2; %3 are left for the rest.</source>
        <translation>“%1”的模型状态需要 %2，留给其余部分 %3。</translation>
    </message>
    <message>
        <source>Allocated</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>Stays within %1</source>
        <translation>不超过 %1</translation>
    </message>
    <message>
        <source>Host memory</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>Pinned host memory</source>
        <translation>锁页内存</translation>
    </message>
    <message>
        <source>DeepSpeed’s estimator says %1</source>
        <translation>DeepSpeed 估算器给出 %1</translation>
    </message>
    <message>
        <source>It counts %1 for stage %2 and nothing else: no activations, logits, buckets, rounding or context.</source>
        <translation>它按阶段 %2 只计 %1：不含激活、logits、通信桶、取整与上下文。</translation>
    </message>
    <message>
        <source>DeepSpeed has none for stage %1.</source>
        <translation>DeepSpeed 没有阶段 %1 的估算器。</translation>
    </message>
    <message>
        <source>It knows no tensor or pipeline parallelism.</source>
        <translation>它不考虑张量并行和流水线并行。</translation>
    </message>
    <message>
        <source>It takes all parameters as trained; %1 of %2 are. What is frozen has weights alone, without gradients, an fp32 copy or moments.</source>
        <translation>它把全部参数都当作要训练的；实际是 %2 中的 %1。冻结的参数只有权重，没有梯度、fp32 副本和优化器状态。</translation>
    </message>
    <message>
        <source>It takes 16-bit weights; those of the quantised base take %1 B each.</source>
        <translation>它按 16 位权重计；量化后的基础模型每个权重占 %1 B。</translation>
    </message>
    <message>
        <source>Our model states</source>
        <translation>我们算的模型状态</translation>
    </message>
    <message>
        <source>Everything else</source>
        <translation>其余全部</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>Its host memory per node</source>
        <translation>它给出的每节点主机内存</translation>
    </message>
    <message>
        <source>%1 is the first that fits; what comes after saves memory and adds communication.</source>
        <translation>“%1”是第一个放得下的；之后的更省显存，但通信更多。</translation>
    </message>
    <message>
        <source>reserved − allocated</source>
        <translation>已保留 − 已分配</translation>
    </message>
    <message>
        <source>process − reserved</source>
        <translation>进程 − 已保留</translation>
    </message>
    <message>
        <source>What the allocator holds beyond the tensors: rounded sizes, and gaps that nothing fits into.</source>
        <translation>分配器在张量之外占用的部分：大小取整，以及放不进任何东西的空隙。</translation>
    </message>
    <message>
        <source>What the process takes outside the allocator: device context, kernels, buffers of the collective library.</source>
        <translation>进程在分配器之外占用的部分：设备上下文、核函数、集合通信库的缓冲区。</translation>
    </message>
    <message>
        <source>Model states alone</source>
        <translation>仅模型状态</translation>
    </message>
    <message>
        <source>Largest model whose states fit</source>
        <translation>状态放得下的最大模型</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 参数</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值显存</translation>
    </message>
    <message>
        <source>tokens of a step / step time</source>
        <translation>每步 token 数 / 单步时间</translation>
    </message>
    <message>
        <source>Model FLOPs utilisation</source>
        <translation>模型 FLOPs 利用率</translation>
    </message>
    <message>
        <source>model FLOPs / (step time · peak · devices)</source>
        <translation>模型 FLOPs /（单步时间 · 峰值 · 设备数）</translation>
    </message>
    <message>
        <source>Model FLOPs: 6 for each parameter a token meets, and 12 · layers · width · sequence for attention. Recomputed work does not count.</source>
        <translation>模型 FLOPs：token 经过的每个参数计 6，注意力计 12 · 层数 · 宽度 · 序列长度。重计算不计入。</translation>
    </message>
    <message>
        <source>To %1 tokens</source>
        <translation>训练 %1 token</translation>
    </message>
    <message>
        <source>Device hours</source>
        <translation>设备小时</translation>
    </message>
    <message>
        <source>Energy at most</source>
        <translation>能耗上限</translation>
    </message>
    <message>
        <source>%1 devices at their rated %2 W; hosts and cooling not included.</source>
        <translation>%1 个设备按额定 %2 W；不含主机与散热。</translation>
    </message>
    <message>
        <source>%1: why</source>
        <translation>%1：理由</translation>
    </message>
    <message>
        <source>allocated %1 + rounding %2 + process and libraries %3</source>
        <translation>已分配 %1 + 取整 %2 + 进程与库 %3</translation>
    </message>
    <message>
        <source>It fits with p = %1.</source>
        <translation>放得下的概率 p = %1。</translation>
    </message>
    <message>
        <source>Host memory per node</source>
        <translation>每节点主机内存</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1，共 %2</translation>
    </message>
    <message>
        <source>What a step adds</source>
        <translation>每步另需</translation>
    </message>
    <message>
        <source>Model states</source>
        <translation>模型状态</translation>
    </message>
    <message>
        <source>It takes %1 of host memory per node, of which nothing is known.</source>
        <translation>每节点需要 %1 主机内存，而节点的内存未知。</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Model FLOPs of a step</source>
        <translation>每步的模型 FLOPs</translation>
    </message>
    <message>
        <source>Peak of one device</source>
        <translation>单设备峰值算力</translation>
    </message>
    <message>
        <source>Peak from</source>
        <translation>峰值出处</translation>
    </message>
    <message>
        <source>sum of the tensors held in this phase</source>
        <translation>该阶段所保持张量之和</translation>
    </message>
    <message>
        <source>The rows above it; each says where its formula comes from.</source>
        <translation>即其上各行；每行都注明其公式的出处。</translation>
    </message>
    <message>
        <source>What a worker holds beside its buffers: libraries, stacks and heaps.</source>
        <translation>工作进程在缓冲区之外所占：库、栈与堆。</translation>
    </message>
    <message>
        <source>allocated + rounding + process</source>
        <translation>已分配 + 取整 + 进程</translation>
    </message>
    <message>
        <source>What nvidia-smi shows of the process.</source>
        <translation>即 nvidia-smi 所显示的该进程占用。</translation>
    </message>
    <message>
        <source>The resident memory of the process.</source>
        <translation>进程的常驻内存。</translation>
    </message>
    <message>
        <source>Needs a folder on NVMe</source>
        <translation>需要一个 NVMe 目录</translation>
    </message>
    <message>
        <source>The ds_config names none, and DeepSpeed refuses files without one. This is written with it; name a folder that every node has on its NVMe disk.</source>
        <translation>ds_config 未指定该目录，而 DeepSpeed 没有目录便拒绝写文件。选择时会一并写入此值；改为每个节点的 NVMe 盘上都有的目录。</translation>
    </message>
    <message>
        <source>Below are its parts at the peak, in %1. In other phases the allocator holds the same blocks, and other tensors fill them.</source>
        <translation>以下是峰值（%1）时的各部分。其他阶段分配器持有同样的块，只是填充的张量不同。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RefusalWords</name>
    <message>
        <source>The ds_config is for %1 ranks, and the plan takes 1: nobody has said how many there are.</source>
        <translation>ds_config 适用于 %1 个 rank，而计划按 1 个计算：没有说明有多少个 rank。</translation>
    </message>
    <message>
        <source>by our engine</source>
        <translation>拒绝方：本引擎</translation>
    </message>
    <message>
        <source>Our engine: %1</source>
        <translation>本引擎：%1</translation>
    </message>
    <message>
        <source>Our engine: it stops at "%1", which a finding below is about.</source>
        <translation>本引擎：停在 "%1"，下方的检查结果说明了它。</translation>
    </message>
    <message>
        <source>Our engine: it stops at "%1" too. %2</source>
        <translation>本引擎：同样停在 "%1"。%2</translation>
    </message>
    <message>
        <source>It stops at "%1". %2</source>
        <translation>停在 "%1"。%2</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>拒绝方：%1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>by our engine, not by DeepSpeed</source>
        <translation>拒绝方：本引擎；DeepSpeed 接受</translation>
    </message>
    <message>
        <source>by our engine and DeepSpeed</source>
        <translation>拒绝方：本引擎与 DeepSpeed</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ReportWriter</name>
    <message>
        <source>Cannot export the run: %1.</source>
        <translation>无法导出运行：%1。</translation>
    </message>
    <message>
        <source>Cannot export the run: the program ended with code %1.</source>
        <translation>无法导出运行：程序以代码 %1 结束。</translation>
    </message>
    <message>
        <source>Cannot write the report: %1.</source>
        <translation>无法写出报告：%1。</translation>
    </message>
    <message>
        <source>Cannot write the report: the program ended with code %1.</source>
        <translation>无法写出报告：程序以代码 %1 结束。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunCharts</name>
    <message>
        <source>data</source>
        <comment>short</comment>
        <translation>数据</translation>
    </message>
    <message>
        <source>fwd</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>bwd</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>comm</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>opt</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>wait</source>
        <comment>short</comment>
        <translation>等待</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Phases per step</source>
        <translation>每步各环节</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>compute per step; hatched: communication and wait</source>
        <translation>每步计算时间；斜线：通信与等待</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>eval</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>Let this panel fill the page, or put it back</source>
        <translation>让此面板占满页面，或还原</translation>
    </message>
    <message>
        <source>loss, nats per token</source>
        <translation>损失，nats/token</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>tokens/s</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>gradient norm before clipping</source>
        <translation>裁剪前的梯度范数</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Tensors, peak</source>
        <translation>张量峰值</translation>
    </message>
    <message>
        <source>What the engine counts as alive at its peak.</source>
        <translation>引擎统计的峰值时存活的张量。</translation>
    </message>
    <message>
        <source>Process, peak</source>
        <translation>进程峰值</translation>
    </message>
    <message>
        <source>Resident memory as the system counts it, libraries included.</source>
        <translation>系统统计的常驻内存，含各类库。</translation>
    </message>
    <message>
        <source>Memory is known with the first step.</source>
        <translation>第一步结束后才有内存数据。</translation>
    </message>
    <message>
        <source>The first step has not ended.</source>
        <translation>第一步尚未结束。</translation>
    </message>
    <message>
        <source>No step was recorded.</source>
        <translation>没有记录到任何一步。</translation>
    </message>
    <message>
        <source>planned %1</source>
        <translation>计划 %1</translation>
    </message>
    <message>
        <source>The run has no ranks yet.</source>
        <translation>此运行还没有 rank。</translation>
    </message>
    <message numerus="yes">
        <source>line: mean of %n steps</source>
        <translation>
            <numerusform>线：%n 步平均</numerusform>
        </translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>rank %1, peak, %2</source>
        <translation>rank %1，峰值，%2</translation>
    </message>
    <message>
        <source>fullest rank: %1, peak, %2</source>
        <translation>占用最多的 rank：%1，峰值，%2</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::LaunchWords</name>
    <message>
        <source>Our engine can train this job here: the plan then follows our engine&apos;s behaviour. It is one step, and can be undone.</source>
        <translation>本引擎可以在此训练该任务：规划随之采用本引擎的行为。这是一步操作，可以撤销。</translation>
    </message>
    <message>
        <source>Our engine would not train it as it stands. %1</source>
        <translation>不能按现状训练。%1</translation>
    </message>
    <message>
        <source>The launch script starts a training script of your own through deepspeed or torchrun, with this ds_config.</source>
        <translation>启动脚本通过 deepspeed 或 torchrun 以此 ds_config 启动自己的训练脚本。</translation>
    </message>
    <message>
        <source>The launch script starts a training script of your own through accelerate launch, with this ds_config.</source>
        <translation>启动脚本通过 accelerate launch 以此 ds_config 启动自己的训练脚本。</translation>
    </message>
    <message>
        <source>The ds_config is refused as it stands. %1</source>
        <translation>ds_config 不能按现状被接受。%1</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>This is a plan for %1, which the Trainer&apos;s script starts.</source>
        <translation>这是 %1 的规划，由 Trainer 的脚本启动。</translation>
    </message>
    <message>
        <source>This is a plan for %1, which accelerate starts.</source>
        <translation>这是 %1 的规划，由 accelerate 启动。</translation>
    </message>
    <message>
        <source>This is a plan for %1, which its own launcher starts.</source>
        <translation>这是 %1 的规划，由其自身的启动器启动。</translation>
    </message>
    <message>
        <source>Train with our engine</source>
        <translation>用本引擎训练</translation>
    </message>
    <message>
        <source>Export the launch script</source>
        <translation>导出启动脚本</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::LauncherWords</name>
    <message>
        <source>The Trainer starts it</source>
        <translation>由 Trainer 启动</translation>
    </message>
    <message>
        <source>accelerate starts it</source>
        <translation>由 accelerate 启动</translation>
    </message>
    <message>
        <source>DeepSpeed&apos;s launcher starts it</source>
        <translation>由 DeepSpeed 启动器启动</translation>
    </message>
    <message>
        <source>The script gives the optimizer</source>
        <translation>优化器由脚本给出</translation>
    </message>
    <message>
        <source>The script gives no optimizer</source>
        <translation>脚本不给出优化器</translation>
    </message>
    <message>
        <source>Plan for %1 ranks</source>
        <translation>按 %1 个 rank 做计划</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ResumeQuestion</name>
    <message>
        <source>The checkpoint of step %1 is not there any more.</source>
        <translation>第 %1 步的检查点已不存在。</translation>
    </message>
    <message>
        <source>The steps after %1 are trained again.</source>
        <translation>第 %1 步之后的各步将重新训练。</translation>
    </message>
    <message>
        <source>The run can only start over: it trains from step 0 in its folder, and what is recorded there of the earlier start is shown no more. Launch again keeps it, and trains in a new folder.</source>
        <translation>此运行只能从头开始：在其文件夹中从第 0 步训练，之前那次启动的记录将不再显示。“重新启动”会保留它，并在新文件夹中训练。</translation>
    </message>
    <message>
        <source>Continue the run</source>
        <translation>继续运行</translation>
    </message>
    <message>
        <source>The newest checkpoint that can be used is of step %1.</source>
        <translation>可用的最新检查点是第 %1 步的。</translation>
    </message>
    <message>
        <source>No checkpoint is left in %1.</source>
        <translation>%1 中已没有检查点。</translation>
    </message>
    <message>
        <source>No checkpoint in %1 can be used.</source>
        <translation>%1 中没有可用的检查点。</translation>
    </message>
    <message>
        <source>Continue from step %1</source>
        <translation>从第 %1 步继续</translation>
    </message>
    <message>
        <source>Start over at step 0</source>
        <translation>从第 0 步重新开始</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message numerus="yes">
        <source>%n older checkpoints cannot be used either.</source>
        <translation>
            <numerusform>另有 %n 个更早的检查点也无法使用。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunFlow</name>
    <message>
        <source>Stopping after the running step</source>
        <translation>当前步结束后停止</translation>
    </message>
    <message>
        <source>Kill the run</source>
        <translation>强制结束运行</translation>
    </message>
    <message>
        <source>Kill %1 now?</source>
        <translation>立即强制结束 %1？</translation>
    </message>
    <message>
        <source>The running step is lost. What is recorded and the last checkpoint stay.</source>
        <translation>当前步会丢失。已记录的内容和最后的检查点会保留。</translation>
    </message>
    <message>
        <source>Kill %1</source>
        <translation>强制结束 %1</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>No run is live under %1</source>
        <translation>%1 下没有正在运行的任务</translation>
    </message>
    <message>
        <source>No run</source>
        <translation>无运行</translation>
    </message>
    <message>
        <source>Launching</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>准备中</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>Ending</source>
        <translation>正在结束</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Lost contact</source>
        <translation>失去联系</translation>
    </message>
    <message>
        <source>A run is live</source>
        <translation>有运行正在进行</translation>
    </message>
    <message>
        <source>%1 of this workspace is live.</source>
        <translation>此工作区的运行 %1 正在进行。</translation>
    </message>
    <message>
        <source>%1 is live.</source>
        <translation>%1 正在运行。</translation>
    </message>
    <message>
        <source>A second run shares the processors, memory and devices of this machine with it: both are slower, and either may run out of memory.</source>
        <translation>第二个运行会与它共用本机的处理器、内存和设备：两者都会变慢，且任一个都可能内存不足。</translation>
    </message>
    <message>
        <source>Re-attach</source>
        <translation>重新连接</translation>
    </message>
    <message>
        <source>Launch another</source>
        <translation>另外启动一个</translation>
    </message>
    <message>
        <source>Reading the checkpoints of %1</source>
        <translation>正在读取 %1 的检查点</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunHeader</name>
    <message>
        <source>Calibrate</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>Let plans of this model on this machine take their step time and memory from this run</source>
        <translation>让本机上此模型的规划以此次运行的步时间和内存为准</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Kill</source>
        <translation>强制结束</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Write a self-contained HTML report of this run and open it</source>
        <translation>写出此运行的独立 HTML 报告并打开</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>/ %1</translation>
    </message>
    <message>
        <source>First failing rank</source>
        <translation>首个失败的 rank</translation>
    </message>
    <message>
        <source>supervisor</source>
        <translation>监管进程</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Mean over the tokens of the newest global batch, before its update.</source>
        <translation>最新全局批次全部 token 的平均，更新之前。</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>tokens/s</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>planned %1</source>
        <translation>计划 %1</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Steps left times the step time of the last 20.</source>
        <translation>剩余步数乘以最近 20 步的单步时间。</translation>
    </message>
    <message>
        <source>Ran for</source>
        <translation>运行时长</translation>
    </message>
    <message>
        <source>Newest checkpoint</source>
        <translation>最新检查点</translation>
    </message>
    <message numerus="yes">
        <source>%n steps later lost</source>
        <translation>
            <numerusform>其后 %n 步丢失</numerusform>
        </translation>
    </message>
    <message>
        <source>Failing ranks</source>
        <translation>失败的 rank</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Over the last 20 steps, slowest rank.</source>
        <translation>最近 20 步，以最慢的 rank 计。</translation>
    </message>
    <message>
        <source>Median of the run&apos;s steps, as its report gives it.</source>
        <translation>本次运行各步的中位数，与报告一致。</translation>
    </message>
    <message>
        <source>Tokens of the whole job per second.</source>
        <translation>整个作业每秒处理的 token 数。</translation>
    </message>
    <message>
        <source>Model FLOPs utilisation: FLOPs that the model needs, over what the devices&apos; data sheets allow.</source>
        <translation>模型 FLOPs 利用率：模型所需的 FLOPs 与设备标称峰值之比。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunInspection</name>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Click a step in a chart or a rank to see its numbers here.</source>
        <translation>点击图中的某一步或某个 rank，即可在此查看其数值。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>ZeRO stage</source>
        <translation>ZeRO 阶段</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Dropped spans</source>
        <translation>丢弃的 span</translation>
    </message>
    <message>
        <source>The plan said</source>
        <translation>计划值</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>单步时间</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 tokens/s</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Evaluation loss</source>
        <translation>评估损失</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Phases, mean of the ranks</source>
        <translation>各环节，rank 平均</translation>
    </message>
    <message>
        <source>Phases of rank %1</source>
        <translation>rank %1 的各环节</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Newest step</source>
        <translation>最新一步</translation>
    </message>
    <message>
        <source>Tensors, peak</source>
        <translation>张量峰值</translation>
    </message>
    <message>
        <source>Process, peak</source>
        <translation>进程峰值</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunList</name>
    <message>
        <source>ZeRO %1, %2 of %3 steps</source>
        <translation>ZeRO %1，%2 / %3 步</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>损失 %1</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunModel</name>
    <message>
        <source>rank %1 failed</source>
        <translation>rank %1 失败</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>resumed from %1</source>
        <translation>从第 %1 步恢复</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunNotices</name>
    <message>
        <source>The run was stopped after step %1.</source>
        <translation>运行在第 %1 步之后停止。</translation>
    </message>
    <message>
        <source>The run goes on, but is not being recorded.</source>
        <translation>运行仍在继续，但当前无法写入记录。</translation>
    </message>
    <message>
        <source>What is shown here ends at step %1.</source>
        <translation>此处的显示止于第 %1 步。</translation>
    </message>
    <message>
        <source>This run cannot be read.</source>
        <translation>无法读取此运行。</translation>
    </message>
    <message>
        <source>No run yet.</source>
        <translation>还没有运行。</translation>
    </message>
    <message>
        <source>Reading the run.</source>
        <translation>正在读取运行。</translation>
    </message>
    <message>
        <source>A run that is launched here, or chosen above, shows its loss, throughput, phases, memory and log on this page while it trains.</source>
        <translation>在此启动或在上方选择的运行，会在训练时于本页显示损失、吞吐量、各环节、内存与日志。</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>The supervisor is starting.</source>
        <translation>监管进程正在启动。</translation>
    </message>
    <message>
        <source>It checks memory, disk and devices, then starts the ranks.</source>
        <translation>它先检查内存、磁盘与设备，再启动各 rank。</translation>
    </message>
    <message numerus="yes">
        <source>Starting: %1 of %n ranks are ready.</source>
        <translation>
            <numerusform>启动中：%n 个 rank 中 %1 个已就绪。</numerusform>
        </translation>
    </message>
    <message>
        <source>Rank %1: %2</source>
        <translation>Rank %1：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n more ranks</source>
        <translation>
            <numerusform>另有 %n 个 rank</numerusform>
        </translation>
    </message>
    <message>
        <source>Rank %1 failed after step %2.</source>
        <translation>Rank %1 在第 %2 步之后失败。</translation>
    </message>
    <message>
        <source>The run failed after step %1.</source>
        <translation>运行在第 %1 步之后失败。</translation>
    </message>
    <message>
        <source>Its last operation was %1.</source>
        <translation>它的最后一个操作是 %1。</translation>
    </message>
    <message>
        <source>The other ranks did not fail: the supervisor stopped them. The record up to step %1 is complete.</source>
        <translation>其余 rank 没有失败，由监管进程停止。到第 %1 步的记录完整。</translation>
    </message>
    <message>
        <source>The run did not start.</source>
        <translation>运行没有启动。</translation>
    </message>
    <message>
        <source>The supervisor ended without saying why.</source>
        <translation>监管进程已结束，未说明原因。</translation>
    </message>
    <message>
        <source>Kept: the checkpoint of step %1. A start with --resume auto continues from it.</source>
        <translation>已保留第 %1 步的检查点。以 --resume auto 启动可从它继续。</translation>
    </message>
    <message>
        <source>No checkpoint was saved yet: a new start begins at step 0. training.saveEvery says how often one is kept.</source>
        <translation>尚未保存检查点：重新启动将从第 0 步开始。training.saveEvery 决定多久保存一次。</translation>
    </message>
    <message>
        <source>Show the first error</source>
        <translation>查看首个错误</translation>
    </message>
    <message>
        <source>Launch again</source>
        <translation>重新启动</translation>
    </message>
    <message>
        <source>Contact with this run is lost.</source>
        <translation>与此运行失去联系。</translation>
    </message>
    <message>
        <source>Its last record is %1 old, and no supervisor holds its folder. What was recorded is shown in grey.</source>
        <translation>最后一条记录是 %1 之前的，且没有监管进程持有其目录。已记录的内容以灰色显示。</translation>
    </message>
    <message>
        <source>Nothing was recorded, and no supervisor holds its folder.</source>
        <translation>没有任何记录，且没有监管进程持有其目录。</translation>
    </message>
    <message>
        <source>Re-attach</source>
        <translation>重新连接</translation>
    </message>
    <message numerus="yes">
        <source>%n records are damaged and left out.</source>
        <translation>
            <numerusform>%n 条记录已损坏，未计入。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is live.</source>
        <translation>%1 正在运行。</translation>
    </message>
    <message numerus="yes">
        <source>%n runs are live, the newest is %1.</source>
        <translation>
            <numerusform>有 %n 个运行正在进行，最新的是 %1。</numerusform>
        </translation>
    </message>
    <message>
        <source>It trains without this window. Re-attach shows it here, where it can be stopped and killed.</source>
        <translation>它不依赖此窗口在训练。重新连接后会在此显示，可以停止或终止它。</translation>
    </message>
    <message>
        <source>They train without this window. Re-attach asks which of them to show here.</source>
        <translation>它们不依赖此窗口在训练。重新连接时会询问显示哪一个。</translation>
    </message>
    <message>
        <source>Launch another</source>
        <translation>另外启动一个</translation>
    </message>
    <message>
        <source>This run is live, and this window only looks at it.</source>
        <translation>此运行正在进行，此窗口只是在查看它。</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>The run was not continued.</source>
        <translation>运行未能继续。</translation>
    </message>
    <message>
        <source>Continue from step %1</source>
        <translation>从第 %1 步继续</translation>
    </message>
    <message>
        <source>Continue…</source>
        <translation>继续…</translation>
    </message>
    <message>
        <source>The checkpoint of step %1, which was saved last, is not in the folder of the run any more.</source>
        <translation>最后保存的第 %1 步检查点已不在运行文件夹中。</translation>
    </message>
    <message>
        <source>This run was deleted.</source>
        <translation>此运行已被删除。</translation>
    </message>
    <message>
        <source>Its folder is not there any more. What is shown was read before.</source>
        <translation>其文件夹已不存在。所显示的是之前读取的内容。</translation>
    </message>
    <message>
        <source>All ranks gave this reason: it lies in the job, not in one of them. The record up to step %1 is complete.</source>
        <translation>所有 rank 给出了同一原因：问题在作业本身，而非某个 rank。到第 %1 步的记录完整。</translation>
    </message>
    <message numerus="yes">
        <source>%n other ranks failed too. The record up to step %1 is complete.</source>
        <translation>
            <numerusform>另有 %n 个 rank 也失败了。到第 %1 步的记录完整。</numerusform>
        </translation>
    </message>
    <message>
        <source>No checkpoint was saved. training.saveEvery says how often one is kept.</source>
        <translation>没有保存检查点。training.saveEvery 决定多久保存一次。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunPage</name>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message numerus="yes">
        <source>%n ranks</source>
        <translation>
            <numerusform>%n 个 rank</numerusform>
        </translation>
    </message>
    <message>
        <source>ZeRO %1</source>
        <translation>ZeRO %1</translation>
    </message>
    <message>
        <source>started %1</source>
        <translation>开始于 %1</translation>
    </message>
    <message>
        <source>resumed from step %1</source>
        <translation>从第 %1 步恢复</translation>
    </message>
    <message>
        <source>supervisor</source>
        <translation>监管进程</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>Log: no line yet</source>
        <translation>日志：尚无内容</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Rank shown</source>
        <translation>显示的 rank</translation>
    </message>
    <message>
        <source>Phases and memory of one rank, or of all</source>
        <translation>一个或全部 rank 的各环节与内存</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::SearchModel</name>
    <message>
        <source>%1: optimizer</source>
        <translation>%1：优化器</translation>
    </message>
    <message>
        <source>%1: all</source>
        <translation>%1：全部</translation>
    </message>
    <message>
        <source>may fit, p = %1: takes %2 of %3</source>
        <translation>可能放得下（p = %1）：共 %3，占用 %2</translation>
    </message>
    <message>
        <source>probably does not fit, p = %1: takes %2 of %3</source>
        <translation>多半放不下（p = %1）：共 %3，占用 %2</translation>
    </message>
    <message>
        <source>full</source>
        <translation>完全</translation>
    </message>
    <message>
        <source>selective</source>
        <translation>选择性</translation>
    </message>
    <message>
        <source>needs %1 of %2</source>
        <translation>需要 %1，可用 %2</translation>
    </message>
    <message>
        <source>No other layout is both faster and smaller.</source>
        <translation>没有其他布局既更快又更小。</translation>
    </message>
    <message>
        <source>%1 free, fits with %2</source>
        <translation>剩余 %1，放得下的概率：%2</translation>
    </message>
    <message>
        <source>Data-parallel ranks</source>
        <translation>数据并行 rank 数</translation>
    </message>
    <message>
        <source>Tensor-parallel ranks</source>
        <translation>张量并行 rank 数</translation>
    </message>
    <message>
        <source>Pipeline stages</source>
        <translation>流水线段数</translation>
    </message>
    <message>
        <source>Context-parallel ranks</source>
        <translation>上下文并行 rank 数</translation>
    </message>
    <message>
        <source>Expert-parallel ranks</source>
        <translation>专家并行 rank 数</translation>
    </message>
    <message>
        <source>Process of the fullest rank at the peak</source>
        <translation>最满的 rank 在峰值时的进程占用</translation>
    </message>
    <message>
        <source>Model FLOPs utilisation</source>
        <translation>模型 FLOPs 利用率</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Micro</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Accum.</source>
        <translation>累积</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::SearchService</name>
    <message>
        <source>There is no workspace to search with</source>
        <translation>没有可供搜索的工作区</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::StartPage</name>
    <message>
        <source>Plan, run and explain sharded training</source>
        <translation>规划、运行并解释分片训练</translation>
    </message>
    <message>
        <source>Nothing is open yet. Start with the demo, or with a file you have.</source>
        <translation>尚未打开任何内容。从演示开始，或打开已有文件。</translation>
    </message>
    <message>
        <source>A small LLaMA on this machine&apos;s CPU, with every chart live</source>
        <translation>在本机 CPU 上训练小型 LLaMA，所有图表实时更新</translation>
    </message>
    <message>
        <source>%1-parameter LLaMA, %2 CPU ranks, ZeRO %3, %4 steps</source>
        <translation>%1 参数的 LLaMA，%2 个 CPU rank，ZeRO %3，%4 步</translation>
    </message>
    <message>
        <source>Demo run</source>
        <translation>演示运行</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Plan for your model and hardware</source>
        <translation>为自己的模型和硬件做规划</translation>
    </message>
    <message>
        <source>Choose a model and devices, also ones that are not in this machine</source>
        <translation>选择模型与设备，也可以是本机没有的设备</translation>
    </message>
    <message>
        <source>Open a ds_config or workspace</source>
        <translation>打开 ds_config 或工作区</translation>
    </message>
    <message>
        <source>Checked as DeepSpeed would; nothing is changed until you save</source>
        <translation>按 DeepSpeed 的方式检查；保存前不改动任何文件</translation>
    </message>
    <message>
        <source>Or drop a file anywhere on this window</source>
        <translation>也可以把文件拖到窗口任意位置</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>opens on Plan</source>
        <translation>在规划页打开</translation>
    </message>
    <message>
        <source>opens on Config, with findings</source>
        <translation>在配置页打开，并给出检查结果</translation>
    </message>
    <message>
        <source>becomes the model of a new plan</source>
        <translation>成为新规划的模型</translation>
    </message>
    <message>
        <source>The demo, as planned</source>
        <translation>演示的规划</translation>
    </message>
    <message numerus="yes">
        <source>model states per rank, %n ranks, MiB</source>
        <translation>
            <numerusform>每个 rank 的模型状态，%n 个 rank，MiB</numerusform>
        </translation>
    </message>
    <message>
        <source>Planning the demo</source>
        <translation>正在规划演示</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>optimizer states</source>
        <translation>优化器状态</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>looking</source>
        <translation>检测中</translation>
    </message>
    <message>
        <source>found in %1</source>
        <translation>检测用时 %1</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n cores</source>
        <translation>
            <numerusform>%1 / %n 核</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cores</source>
        <translation>
            <numerusform>%n 核</numerusform>
        </translation>
    </message>
    <message>
        <source>no AVX2</source>
        <translation>无 AVX2</translation>
    </message>
    <message>
        <source>%1, %2, %3 of memory</source>
        <translation>%1，%2，内存 %3</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>%1 free, %2</source>
        <translation>%1 可用，%2</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>LibTorch, local CPU ranks</source>
        <translation>LibTorch，本机 CPU rank</translation>
    </message>
    <message>
        <source>worker not built; plans and checks work</source>
        <translation>未构建 worker；规划与检查可用</translation>
    </message>
    <message>
        <source>none found; plans for absent GPUs work</source>
        <translation>未找到；仍可为本机没有的 GPU 做规划</translation>
    </message>
    <message>
        <source>Recorded runs</source>
        <translation>已记录的运行</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>最新在前</translation>
    </message>
    <message>
        <source>Recent workspaces</source>
        <translation>最近的工作区</translation>
    </message>
    <message>
        <source>Hugging Face model folder, config.json</source>
        <translation>Hugging Face 模型文件夹、config.json</translation>
    </message>
    <message>
        <source>Start from a published claim</source>
        <translation>从公开的论断开始</translation>
    </message>
    <message>
        <source>What tutorials recommend, held against its plan</source>
        <translation>教程的建议，与其规划逐条对照</translation>
    </message>
    <message>
        <source>Rates</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>measured %1</source>
        <translation>测于 %1</translation>
    </message>
    <message>
        <source>not measured; %1</source>
        <translation>未测量；%1</translation>
    </message>
    <message>
        <source>Plans for &quot;cpu&quot; forecast step times from the rates that %1 took of this machine. Measure again when it has changed.</source>
        <translation>&quot;cpu&quot; 的规划按 %1 测得的本机速率预测单步时间。机器有变化时重新测量。</translation>
    </message>
    <message>
        <source>Plans for &quot;cpu&quot; forecast step times from a data sheet. Run %1 in a terminal, for about a minute and with other programs closed: plans here then use what it measured, without a restart.</source>
        <translation>&quot;cpu&quot; 的规划按数据表预测单步时间。关闭其他程序，在终端运行 %1，约一分钟：此处的规划随即使用测得的速率，无需重启。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::TrainedChoice</name>
    <message>
        <source>Adapters on all linear layers</source>
        <translation>适配器 → 所有线性层</translation>
    </message>
    <message>
        <source>Adapters on %1</source>
        <translation>适配器 → %1</translation>
    </message>
    <message>
        <source>Trained copies → none</source>
        <translation>完整训练的副本 → 无</translation>
    </message>
    <message>
        <source>Trained copies → %1</source>
        <translation>完整训练的副本 → %1</translation>
    </message>
    <message>
        <source>Adapter dropout → %1</source>
        <translation>适配器 dropout → %1</translation>
    </message>
    <message>
        <source>Frozen parts → none</source>
        <translation>冻结部分 → 无</translation>
    </message>
    <message>
        <source>Frozen parts → other</source>
        <translation>冻结部分 → 已更改</translation>
    </message>
    <message>
        <source>Adapted modules</source>
        <translation>适配的模块</translation>
    </message>
    <message>
        <source>Names of the linear layers and embeddings that have adapters, between commas, matched as PEFT does; empty for the choice above</source>
        <translation>带适配器的线性层与嵌入的名称，以逗号分隔，按 PEFT 的方式匹配；留空则用上面的选择</translation>
    </message>
    <message>
        <source>Trained copies</source>
        <translation>完整训练的副本</translation>
    </message>
    <message>
        <source>Adapter dropout</source>
        <translation>适配器 dropout</translation>
    </message>
    <message>
        <source>Share of each adapted module&apos;s input that is dropped before its adapter (lora_dropout in PEFT)</source>
        <translation>每个被适配模块的输入在进入适配器前被丢弃的比例（PEFT 中的 lora_dropout）</translation>
    </message>
    <message>
        <source>Modules of which a copy is trained as a whole beside the adapters (modules_to_save in PEFT)</source>
        <translation>在适配器之外整体训练其副本的模块（PEFT 的 modules_to_save）</translation>
    </message>
    <message>
        <source>Frozen first layers</source>
        <translation>冻结的前几层</translation>
    </message>
    <message>
        <source>Layers, counted from the first, in which nothing is trained</source>
        <translation>从第一层数起不训练的层数</translation>
    </message>
    <message>
        <source>Frozen modules</source>
        <translation>冻结的模块</translation>
    </message>
    <message>
        <source>Names of modules or parameters that are not trained, between commas; &quot;embeddings&quot; stands for all tables</source>
        <translation>不训练的模块或参数的名称，以逗号分隔；“embeddings”指所有嵌入表</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::TransferList</name>
    <message>
        <source>What becomes of each value</source>
        <translation>每个值的处理结果</translation>
    </message>
    <message>
        <source>to look at</source>
        <translation>需查看</translation>
    </message>
    <message>
        <source>dropped</source>
        <translation>已丢弃</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>已改变</translation>
    </message>
    <message>
        <source>taken</source>
        <translation>已采用</translation>
    </message>
    <message>
        <source>Line %1: %2</source>
        <translation>第 %1 行：%2</translation>
    </message>
    <message>
        <source>%1, line %2: %3</source>
        <translation>%1 第 %2 行：%3</translation>
    </message>
    <message>
        <source>%1 to look at</source>
        <translation>%1 项需查看</translation>
    </message>
    <message>
        <source>%1 dropped</source>
        <translation>%1 项丢弃</translation>
    </message>
    <message>
        <source>%1 changed</source>
        <translation>%1 项改变</translation>
    </message>
    <message>
        <source>%1 taken</source>
        <translation>%1 项采用</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::TreeWords</name>
    <message>
        <source>Yes, %1</source>
        <translation>是，%1</translation>
    </message>
    <message>
        <source>Yes, but %1 is faster</source>
        <translation>放得下，但“%1”更快</translation>
    </message>
    <message>
        <source>Only %1</source>
        <translation>仅限：%1</translation>
    </message>
    <message>
        <source>Perhaps, %1</source>
        <translation>或许可以：%1</translation>
    </message>
    <message>
        <source>Here %1 fits %2, and no branch that fits is faster.</source>
        <translation>此处 %1 放得下（%2），放得下的分支中没有更快的。</translation>
    </message>
    <message>
        <source>Here %1 fits, but only %2.</source>
        <translation>此处 %1 放得下，但仅限：%2。</translation>
    </message>
    <message>
        <source>Here %1 may fit, but only %2.</source>
        <translation>此处 %1 或许放得下，但仅限：%2。</translation>
    </message>
    <message>
        <source>ZeRO stage %1 → %2</source>
        <translation>ZeRO 阶段 %1 → %2</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>not possible</source>
        <translation>不支持</translation>
    </message>
    <message>
        <source>%1 + %2 = %3 of %4</source>
        <translation>%1 + %2 = %3，可用 %4</translation>
    </message>
    <message>
        <source>%1 + unknown of %2</source>
        <translation>%1 + 未知，可用 %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1，可用 %2</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>possible</source>
        <translation>可行</translation>
    </message>
    <message>
        <source>rejected</source>
        <translation>已排除</translation>
    </message>
    <message>
        <source>first that fits</source>
        <translation>首个放得下</translation>
    </message>
    <message>
        <source>best that fits</source>
        <translation>放得下的最优</translation>
    </message>
    <message>
        <source>likeliest</source>
        <translation>最有可能</translation>
    </message>
    <message>
        <source>likeliest, %1</source>
        <translation>最有可能，%1</translation>
    </message>
    <message>
        <source>Chosen; less would do</source>
        <translation>已选；更低也够</translation>
    </message>
    <message>
        <source>Not needed</source>
        <translation>不需要</translation>
    </message>
    <message>
        <source>Yes: it fits here</source>
        <translation>是：这里放得下</translation>
    </message>
    <message>
        <source>Perhaps: %1</source>
        <translation>不一定：%1</translation>
    </message>
    <message>
        <source>No: %1</source>
        <translation>否：%1</translation>
    </message>
    <message>
        <source>%1 of host memory to build it, of %2</source>
        <translation>构建模型需主机内存 %1，共 %2</translation>
    </message>
    <message>
        <source>%1 of host memory, of %2</source>
        <translation>需主机内存 %1，共 %2</translation>
    </message>
    <message>
        <source>No: go on</source>
        <translation>否：继续</translation>
    </message>
    <message>
        <source>No: its files cannot be written</source>
        <translation>否：文件无法写入</translation>
    </message>
    <message>
        <source>Perhaps: go on</source>
        <translation>不一定：继续</translation>
    </message>
    <message>
        <source>Perhaps</source>
        <translation>或许可以</translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Perhaps: not likelier</source>
        <translation>不一定：可能性不更高</translation>
    </message>
    <message>
        <source>Perhaps: none is likelier</source>
        <translation>不一定：可能性最高</translation>
    </message>
    <message>
        <source>Yes, but %1 is smaller and faster</source>
        <translation>是，但“%1”更小也更快</translation>
    </message>
    <message>
        <source>short by %1</source>
        <translation>差 %1</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>%1 at the least</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>%1 for the rest</source>
        <translation>留给其余 %1</translation>
    </message>
    <message>
        <source>%1 time</source>
        <translation>时间 %1</translation>
    </message>
    <message>
        <source>Tensor parallel instead of stage 3?</source>
        <translation>用张量并行代替阶段 3？</translation>
    </message>
    <message>
        <source>Stage 1 + tp %1</source>
        <translation>阶段 1 + tp %1</translation>
    </message>
    <message>
        <source>Yes: only this fits</source>
        <translation>是：只有它放得下</translation>
    </message>
    <message>
        <source>No: only stage 3 fits</source>
        <translation>否：只有阶段 3 放得下</translation>
    </message>
    <message>
        <source>Yes: %1 faster</source>
        <translation>是：快 %1</translation>
    </message>
    <message>
        <source>No: stage 3 is %1 faster</source>
        <translation>否：阶段 3 快 %1</translation>
    </message>
    <message>
        <source>with DeepSpeed</source>
        <translation>需 DeepSpeed</translation>
    </message>
    <message>
        <source>Layout: %1</source>
        <translation>布局：%1</translation>
    </message>
    <message>
        <source>Here none is sure to fit; %1 is the likeliest.</source>
        <translation>此处没有一种确定放得下；“%1”最有可能。</translation>
    </message>
    <message>
        <source>chosen, unsure</source>
        <translation>已选，不确定</translation>
    </message>
    <message>
        <source>unsure</source>
        <translation>不确定</translation>
    </message>
    <message>
        <source>Here no stage fits, with offload or without.</source>
        <translation>这里无论是否卸载，没有哪个阶段放得下。</translation>
    </message>
    <message>
        <source>Here no stage runs, so that none was judged.</source>
        <translation>此处没有能运行的阶段，因此都未判断。</translation>
    </message>
    <message>
        <source>Here too: %1 is the first that fits.</source>
        <translation>此处第一个放得下的也是“%1”。</translation>
    </message>
    <message>
        <source>Here %1 is the first that fits.</source>
        <translation>此处第一个放得下的是“%1”。</translation>
    </message>
    <message>
        <source>Here %1 is the best that fits.</source>
        <translation>此处放得下的当中“%1”最好。</translation>
    </message>
    <message>
        <source>Rule of thumb: below 3 B parameters, stage 1 or plain data parallelism.</source>
        <translation>经验法则：3 B 参数以下，阶段 1 或普通数据并行。</translation>
    </message>
    <message>
        <source>Rule of thumb: 3 to 13 B parameters, stage 2.</source>
        <translation>经验法则：3 至 13 B 参数，阶段 2。</translation>
    </message>
    <message>
        <source>Rule of thumb: 13 to 70 B parameters, stage 3.</source>
        <translation>经验法则：13 至 70 B 参数，阶段 3。</translation>
    </message>
    <message>
        <source>Rule of thumb: above 70 B parameters, stage 3 with offload.</source>
        <translation>经验法则：70 B 参数以上，阶段 3 加卸载。</translation>
    </message>
    <message>
        <source>Rule of thumb: tensor-parallel ranks stay inside a node.</source>
        <translation>经验法则：张量并行不跨节点。</translation>
    </message>
    <message>
        <source>Here tp %1 on nodes of %2.</source>
        <translation>这里 tp %1，每节点 %2 个设备。</translation>
    </message>
    <message>
        <source>Rule of thumb: four micro-batches or more per pipeline stage.</source>
        <translation>经验法则：每个流水线段至少四个微批次。</translation>
    </message>
    <message>
        <source>Here %1 for %2 stages of %4 chunks: %3 of an interleaved 1F1B step is bubble.</source>
        <translation>这里 %2 段（每段 %4 块）有 %1 个：交错式 1F1B 一步中 %3 是气泡。</translation>
    </message>
    <message>
        <source>Here %1 for %2 stages: %3 of a 1F1B step is bubble.</source>
        <translation>这里 %2 段有 %1 个：1F1B 一步中 %3 是气泡。</translation>
    </message>
    <message>
        <source>stage 3 %1, tp %2 %3</source>
        <translation>阶段 3 %1，tp %2 %3</translation>
    </message>
    <message>
        <source>%1 against %2</source>
        <translation>%1，对比 %2</translation>
    </message>
    <message>
        <source>stage 3 none, tp %1 %2</source>
        <translation>阶段 3 无，tp %1 %2</translation>
    </message>
    <message>
        <source>Stage 3: %1 samples for %2 ranks</source>
        <translation>阶段 3：%1 个样本，%2 个 rank</translation>
    </message>
    <message>
        <source>needs %1</source>
        <translation>需要 %1</translation>
    </message>
    <message>
        <source>chosen, %1</source>
        <translation>已选，%1</translation>
    </message>
    <message>
        <source>unsure, %1</source>
        <translation>不确定，%1</translation>
    </message>
    <message>
        <source>Stage 1 + tp %1, ep %2</source>
        <translation>阶段 1 + tp %1，ep %2</translation>
    </message>
    <message>
        <source>Yes: only this surely fits</source>
        <translation>是：只有它确定放得下</translation>
    </message>
    <message>
        <source>No: only stage 3 surely fits</source>
        <translation>否：只有阶段 3 确定放得下</translation>
    </message>
    <message>
        <source>Yes: only this may fit</source>
        <translation>是：只有它可能放得下</translation>
    </message>
    <message>
        <source>No: neither fits</source>
        <translation>否：两者都放不下</translation>
    </message>
    <message>
        <source>No: only stage 3 may fit</source>
        <translation>否：只有阶段 3 可能放得下</translation>
    </message>
    <message>
        <source>Yes: likelier to fit</source>
        <translation>是：更可能放得下</translation>
    </message>
    <message>
        <source>No: stage 3 is likelier to fit</source>
        <translation>否：阶段 3 更可能放得下</translation>
    </message>
    <message>
        <source>files in %1</source>
        <translation>文件位于 %1</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::VariantWords</name>
    <message>
        <source>with activation checkpointing</source>
        <translation>启用激活重计算</translation>
    </message>
    <message>
        <source>with activation checkpointing and a micro-batch of %1</source>
        <translation>启用激活重计算且微批次为 %1</translation>
    </message>
    <message>
        <source>with a micro-batch of %1</source>
        <translation>微批次为 %1</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>2 + offload</source>
        <translation>2 + 卸载</translation>
    </message>
    <message>
        <source>3 + offload</source>
        <translation>3 + 卸载</translation>
    </message>
    <message>
        <source>3 + all to CPU</source>
        <translation>3 + 全到 CPU</translation>
    </message>
    <message>
        <source>3 + NVMe optimizer</source>
        <translation>3 + 优化器到 NVMe</translation>
    </message>
    <message>
        <source>3 + all to NVMe</source>
        <translation>3 + 全到 NVMe</translation>
    </message>
    <message>
        <source>Replicated</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Distributed</source>
        <translation>分布式</translation>
    </message>
    <message>
        <source>+ recompute</source>
        <translation>+ 重计算</translation>
    </message>
    <message>
        <source>+ selective</source>
        <translation>+ 选择性重计算</translation>
    </message>
    <message>
        <source>+ sequence</source>
        <translation>+ 序列并行</translation>
    </message>
    <message>
        <source>+ SP, selective</source>
        <translation>+ SP、选择性重计算</translation>
    </message>
    <message>
        <source>+ SP, recompute</source>
        <translation>+ SP、重计算</translation>
    </message>
    <message>
        <source>Sharded</source>
        <translation>已分片</translation>
    </message>
    <message>
        <source>Do all model states fit on one GPU?</source>
        <translation>全部模型状态放得进一张 GPU 吗？</translation>
    </message>
    <message>
        <source>Does every rank hold a full copy?</source>
        <translation>每个 rank 都存完整副本？</translation>
    </message>
    <message>
        <source>Shard the optimizer states?</source>
        <translation>分片优化器状态？</translation>
    </message>
    <message>
        <source>Shard the gradients too?</source>
        <translation>梯度也分片？</translation>
    </message>
    <message>
        <source>Shard the weights too?</source>
        <translation>权重也分片？</translation>
    </message>
    <message>
        <source>Offload the optimizer to the CPU?</source>
        <translation>把优化器卸载到 CPU？</translation>
    </message>
    <message>
        <source>Both: shard weights, offload?</source>
        <translation>既分片权重又卸载？</translation>
    </message>
    <message>
        <source>Offload the weights as well?</source>
        <translation>权重也卸载？</translation>
    </message>
    <message>
        <source>Keep the optimizer on NVMe?</source>
        <translation>优化器放到 NVMe？</translation>
    </message>
    <message>
        <source>Keep all states on NVMe?</source>
        <translation>全部状态放到 NVMe？</translation>
    </message>
    <message>
        <source>Distribute the optimizer?</source>
        <translation>使用分布式优化器？</translation>
    </message>
    <message>
        <source>Recompute the activations?</source>
        <translation>重计算激活？</translation>
    </message>
    <message>
        <source>Recompute some of the activations?</source>
        <translation>重计算部分激活？</translation>
    </message>
    <message>
        <source>Add sequence parallelism?</source>
        <translation>启用序列并行？</translation>
    </message>
    <message>
        <source>With it, recompute some activations?</source>
        <translation>再重计算部分激活？</translation>
    </message>
    <message>
        <source>On the host</source>
        <translation>放在主机</translation>
    </message>
    <message>
        <source>Host + recompute</source>
        <translation>主机 + 重计算</translation>
    </message>
    <message>
        <source>Keep the shards on the host?</source>
        <translation>把分片放在主机上？</translation>
    </message>
    <message>
        <source>And recompute the activations?</source>
        <translation>并且重计算激活？</translation>
    </message>
    <message>
        <source>With it, recompute the activations?</source>
        <translation>再重计算激活？</translation>
    </message>
    <message>
        <source>Is it small enough in shards?</source>
        <translation>分片后够小吗？</translation>
    </message>
    <message>
        <source>%1 + recompute</source>
        <translation>%1 + 重计算</translation>
    </message>
    <message>
        <source>%1, micro %2</source>
        <translation>%1，微批次 %2</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::WhatIfPanel</name>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>does not</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>unsure</source>
        <translation>不确定</translation>
    </message>
    <message>
        <source>Data-parallel ranks</source>
        <translation>数据并行 rank 数</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Accumulation</source>
        <translation>梯度累积</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>ZeRO stage</source>
        <translation>ZeRO 阶段</translation>
    </message>
    <message>
        <source>Reduce bucket</source>
        <translation>归约通信桶</translation>
    </message>
    <message>
        <source>Optimizer offload</source>
        <translation>优化器卸载</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
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
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>elem.</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>Ranks that hold different samples; devices follow</source>
        <translation>持有不同样本的 rank；设备数随之变化</translation>
    </message>
    <message>
        <source>Samples per rank and forward pass</source>
        <translation>每个 rank 每次前向的样本数</translation>
    </message>
    <message>
        <source>Micro-steps per optimizer step</source>
        <translation>每次优化器更新的微步数</translation>
    </message>
    <message>
        <source>Tokens per sample</source>
        <translation>每个样本的 token 数</translation>
    </message>
    <message>
        <source>What the data-parallel ranks share: 1 optimizer states, 2 gradients too, 3 weights too</source>
        <translation>数据并行 rank 间分片的内容：1 优化器状态，2 再加梯度，3 再加权重</translation>
    </message>
    <message>
        <source>Elements reduced at once: larger buckets take memory, smaller ones time</source>
        <translation>一次归约的元素数：桶大占显存，桶小费时间</translation>
    </message>
    <message>
        <source>Share of the optimizer states on the host; below 100 only in stage 3</source>
        <translation>放在主机上的优化器状态比例；仅阶段 3 可低于 100</translation>
    </message>
    <message>
        <source>Loss in %1 chunks</source>
        <translation>损失分 %1 块</translation>
    </message>
    <message>
        <source>Logits and loss of a part of the tokens at a time: DeepSpeed’s TiledFusedLogitsLoss, called by the training script</source>
        <translation>每次只算一部分 token 的 logits 与损失：DeepSpeed 的 TiledFusedLogitsLoss，由训练脚本调用</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>What these sliders changed goes back to the last saved state</source>
        <translation>把这些滑块改动的值恢复到上次保存的状态</translation>
    </message>
    <message>
        <source>The ds_config that was last saved cannot be read, so that the sliders have nothing to go back to: correct and save it</source>
        <translation>上次保存的 ds_config 无法读取，滑块没有可恢复的状态：更正并保存</translation>
    </message>
    <message>
        <source>The ds_config cannot be read: correct it, then the sliders can go back to the last saved state</source>
        <translation>ds_config 无法读取：先更正，滑块才能恢复到上次保存的状态</translation>
    </message>
    <message>
        <source>Reset the sliders</source>
        <translation>重置滑块</translation>
    </message>
    <message>
        <source>unset</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>被拒绝</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::CalibrationKeeper</name>
    <message>
        <source>Plans of this model are calibrated from run %1</source>
        <translation>此模型的规划已按运行 %1 校准</translation>
    </message>
    <message>
        <source>Run %1 is kept and not used on this machine: %2</source>
        <translation>运行 %1 已保留，但不用于本机：%2</translation>
    </message>
    <message>
        <source>The calibration is forgotten: plans are as before the run</source>
        <translation>校准已删除：规划恢复到该次运行之前</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::EvidenceWords</name>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Communication that shows</source>
        <translation>未被掩盖的通信</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Everything else</source>
        <translation>其余</translation>
    </message>
    <message>
        <source>From the rates measured on this machine.</source>
        <translation>依据在本机实测的速率。</translation>
    </message>
    <message>
        <source>From a run of the same model on this machine: its times, counted anew for this layout.</source>
        <translation>依据本机上同一模型的一次运行：按此布局重新计算其各项耗时。</translation>
    </message>
    <message>
        <source>From the data sheets of device and links alone.</source>
        <translation>仅依据设备与链路的规格书。</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>已实测</translation>
    </message>
    <message>
        <source>calibrated</source>
        <translation>已校准</translation>
    </message>
    <message>
        <source>Calibrated from run %1</source>
        <translation>按运行 %1 校准</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>stage %1</translation>
    </message>
    <message>
        <source>batch %1 × %2</source>
        <translation>批 %1 × %2</translation>
    </message>
    <message>
        <source>Made on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>Its layout</source>
        <translation>其布局</translation>
    </message>
    <message>
        <source>Its step time</source>
        <translation>其步时间</translation>
    </message>
    <message>
        <source>Process beside its buffers</source>
        <translation>进程中缓冲区之外</translation>
    </message>
    <message>
        <source>Factors: measured over what was forecast for that layout without this run.</source>
        <translation>倍数：实测值与不用此次运行时对该布局的预测之比。</translation>
    </message>
    <message>
        <source>Forget this run</source>
        <translation>删除此校准</translation>
    </message>
    <message numerus="yes">
        <source>%n ranks</source>
        <translation>
            <numerusform>%n 个 rank</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Middle 80 % of %n steps</source>
        <translation>
            <numerusform>%n 步的中间 80 %</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::CoreErrors</name>
    <message>
        <source>Cannot use your data sheets in &quot;%1&quot;: %2; correct the file</source>
        <translation>无法使用 &quot;%1&quot; 中自己的规格表：%2；修正该文件</translation>
    </message>
    <message>
        <source>it is no JSON list of objects</source>
        <translation>它不是由对象组成的 JSON 列表</translation>
    </message>
    <message>
        <source>Cannot change the data sheet in &quot;%1&quot;: %2</source>
        <translation>无法修改 &quot;%1&quot; 中的规格表：%2</translation>
    </message>
    <message>
        <source>the file has changed since it was read; look at it again</source>
        <translation>文件在读取之后已改变；重新查看</translation>
    </message>
    <message>
        <source>another sheet there is called &quot;%1&quot;; choose another id</source>
        <translation>其中已有名为 &quot;%1&quot; 的规格表；换一个 id</translation>
    </message>
    <message>
        <source>Cannot write &quot;%1&quot;: it would be larger than 1 MiB; remove sheets that are not needed</source>
        <translation>无法写入 &quot;%1&quot;：它将超过 1 MiB；移除不需要的规格表</translation>
    </message>
    <message>
        <source>&quot;hardware.hostMemoryGiB&quot; is %1; use the GiB of memory of one node, above 0 and at most %2</source>
        <translation>&quot;hardware.hostMemoryGiB&quot; 为 %1；填写一个节点的内存（GiB），大于 0 且不超过 %2</translation>
    </message>
    <message>
        <source>Cannot train with gradient_accumulation_steps = %1: a step of this model may have %2 micro-batches at most here; use larger ones (train_micro_batch_size_per_gpu) and fewer</source>
        <translation>无法以 gradient_accumulation_steps = %1 训练：此模型每步最多 %2 个 micro-batch；增大 train_micro_batch_size_per_gpu，减少个数</translation>
    </message>
    <message>
        <source>Cannot launch from &quot;%1&quot;: the name of the folder is not UTF-8; rename it, or copy the workspace and its data elsewhere</source>
        <translation>无法从 &quot;%1&quot; 启动：文件夹的名称不是 UTF-8；重命名，或把工作区和数据复制到别处</translation>
    </message>
    <message>
        <source>Cannot start from &quot;%1&quot;: weights are read from safetensors files only; save them anew with save_pretrained of a current transformers, or write &quot;random&quot; in &quot;model.init&quot; to start from random weights</source>
        <translation>无法从 &quot;%1&quot; 开始：只能读取 safetensors 格式的权重；改用新版 transformers 的 save_pretrained 重新保存，或在 &quot;model.init&quot; 中写 &quot;random&quot; 从随机权重开始</translation>
    </message>
    <message>
        <source>Cannot use the workspace &quot;%1&quot;, line %2, column %3: %4</source>
        <translation>无法使用工作区“%1”，第 %2 行第 %3 列：%4</translation>
    </message>
    <message>
        <source>Cannot use the workspace, line %1, column %2: %3</source>
        <translation>无法使用工作区，第 %1 行第 %2 列：%3</translation>
    </message>
    <message>
        <source>Cannot use the workspace &quot;%1&quot;: %2</source>
        <translation>无法使用工作区“%1”：%2</translation>
    </message>
    <message>
        <source>Cannot use the workspace: %1</source>
        <translation>无法使用工作区：%1</translation>
    </message>
    <message>
        <source>Cannot use the ds_config: %1.</source>
        <translation>无法使用该 ds_config：%1。</translation>
    </message>
    <message>
        <source>Cannot train with this ds_config: %1.</source>
        <translation>无法用该 ds_config 训练：%1。</translation>
    </message>
    <message>
        <source>line %1, column %2: %3</source>
        <translation>第 %1 行第 %2 列：%3</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; use %3</source>
        <translation>&quot;%1&quot; 为 %2；应为%3</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is missing; give a whole number from %2 to %3</source>
        <translation>缺少 &quot;%1&quot;；填写 %2 到 %3 之间的整数</translation>
    </message>
    <message>
        <source>a whole number from %1 to %2</source>
        <translation>%1 到 %2 之间的整数</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>text in quotes</source>
        <translation>带引号的文本</translation>
    </message>
    <message>
        <source>text without a zero character</source>
        <translation>不含零字符的文本</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>one of %1</source>
        <translation>%1 之一</translation>
    </message>
    <message>
        <source>an object, { }</source>
        <translation>对象 { }</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>an object or the name of a file</source>
        <translation>对象或文件名</translation>
    </message>
    <message>
        <source>&quot;model.init&quot; is empty; use &quot;random&quot; or the name of a safetensors file</source>
        <translation>&quot;model.init&quot; 为空；填写 &quot;random&quot; 或 safetensors 文件名</translation>
    </message>
    <message>
        <source>&quot;model.family&quot; is missing; give &quot;gpt2&quot; or &quot;llama&quot; with its sizes, or &quot;hf&quot;, &quot;preset&quot; or &quot;params&quot; instead</source>
        <translation>缺少 &quot;model.family&quot;；填写 &quot;gpt2&quot; 或 &quot;llama&quot; 及其尺寸，或改用 &quot;hf&quot;、&quot;preset&quot;、&quot;params&quot;</translation>
    </message>
    <message>
        <source>&quot;model.heads&quot; is %1, which does not divide hidden %2; use a divisor of %3</source>
        <translation>&quot;model.heads&quot; 为 %1，不能整除 hidden %2；应为 %3 的约数</translation>
    </message>
    <message>
        <source>&quot;model.positions&quot; is given, but LLaMA has no position table; leave it out</source>
        <translation>给出了 &quot;model.positions&quot;，但 LLaMA 没有位置表；删去它</translation>
    </message>
    <message>
        <source>&quot;model.%1&quot; belongs to %2; leave it out</source>
        <translation>&quot;model.%1&quot; 只属于 %2；删去它</translation>
    </message>
    <message>
        <source>LLaMA (GPT-2 always has biases)</source>
        <translation>LLaMA（GPT-2 总有偏置）</translation>
    </message>
    <message>
        <source>LLaMA (GPT-2 learns its positions)</source>
        <translation>LLaMA（GPT-2 的位置是学出来的）</translation>
    </message>
    <message>
        <source>&quot;model.%1&quot; names %2: %3</source>
        <translation>&quot;model.%1&quot; 指向 %2：%3</translation>
    </message>
    <message>
        <source>&quot;model.%1&quot; names &quot;%2&quot;, which is not JSON (line %3, column %4): %5</source>
        <translation>&quot;model.%1&quot; 指向的“%2”不是 JSON（第 %3 行第 %4 列）：%5</translation>
    </message>
    <message>
        <source>&quot;model.%1&quot; names &quot;%2&quot;, which holds no object; it must be a model&apos;s config.json</source>
        <translation>&quot;model.%1&quot; 指向的“%2”不是对象；它应是模型的 config.json</translation>
    </message>
    <message>
        <source>&quot;model.hf&quot; is the file &quot;%1&quot;; give the folder that holds config.json</source>
        <translation>&quot;model.hf&quot; 是文件 &quot;%1&quot;；填写 config.json 所在的文件夹</translation>
    </message>
    <message>
        <source>&quot;model.hf&quot; is empty; give the folder that holds config.json</source>
        <translation>&quot;model.hf&quot; 为空；填写 config.json 所在的文件夹</translation>
    </message>
    <message>
        <source>&quot;model.preset&quot; is %1; use one of %2</source>
        <translation>&quot;model.preset&quot; 为 %1；应为以下之一：%2</translation>
    </message>
    <message>
        <source>&quot;model.%1&quot; stands beside &quot;model.%2&quot;; give one of the two</source>
        <translation>&quot;model.%1&quot; 与 &quot;model.%2&quot; 同时出现；只保留一个</translation>
    </message>
    <message>
        <source>&quot;model.%1&quot; stands beside &quot;model.%2&quot;, which decides the sizes; remove one of the two</source>
        <translation>&quot;model.%1&quot; 与决定尺寸的 &quot;model.%2&quot; 同时出现；删去其中一个</translation>
    </message>
    <message>
        <source>&quot;model.params&quot; is %1; use a number of parameters from 1 to 1e16</source>
        <translation>&quot;model.params&quot; 为 %1；应为 1 到 1e16 之间的参数量</translation>
    </message>
    <message>
        <source>&quot;model.adapter.targets&quot; is %1; use &quot;all-linear&quot;, &quot;attention&quot;, &quot;mlp&quot;, &quot;default&quot; (what PEFT takes for the model&apos;s type) or a list of module names such as [&quot;q_proj&quot;, &quot;v_proj&quot;]; regular expressions are not read</source>
        <translation>“model.adapter.targets”为 %1；改用“all-linear”“attention”“mlp”“default”（PEFT 按模型类型所取的模块）或模块名列表，如 [&quot;q_proj&quot;, &quot;v_proj&quot;]；不支持正则表达式</translation>
    </message>
    <message>
        <source>&quot;model.adapter.dropout&quot; is %1; use a share from 0 to 1, as PEFT&apos;s lora_dropout</source>
        <translation>“model.adapter.dropout”为 %1；改用 0 到 1 的比例，与 PEFT 的 lora_dropout 相同</translation>
    </message>
    <message>
        <source>&quot;model.adapter.rankPattern&quot; has %1 names; use at most %2</source>
        <translation>“model.adapter.rankPattern”有 %1 个名称；最多用 %2 个</translation>
    </message>
    <message>
        <source>&quot;model.adapter.rankPattern&quot; has %1; use a module&apos;s name such as &quot;q_proj&quot; or &quot;layers.0.self_attn.q_proj&quot;; regular expressions are not read</source>
        <translation>“model.adapter.rankPattern”中有 %1；改用模块名，如“q_proj”或“layers.0.self_attn.q_proj”；不支持正则表达式</translation>
    </message>
    <message>
        <source>&quot;model.adapter.rankPattern&quot; gives %1 the rank %2; use a whole number from 1 to 65536</source>
        <translation>“model.adapter.rankPattern”给 %1 的秩为 %2；改用 1 到 65536 的整数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; use a list of module names such as [&quot;q_proj&quot;, &quot;v_proj&quot;], %3 to %4 of them</source>
        <translation>“%1”为 %2；改用模块名列表，如 [&quot;q_proj&quot;, &quot;v_proj&quot;]，%3 到 %4 个</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has %2; use modules&apos; names of letters, digits, &quot;_&quot;, &quot;-&quot; and &quot;.&quot;</source>
        <translation>“%1”中有 %2；模块名只能含字母、数字、“_”“-”和“.”</translation>
    </message>
    <message>
        <source>&quot;model.freeze&quot; is %1; use &quot;embeddings&quot;, a list of module names, or {&quot;embeddings&quot;: true, &quot;firstLayers&quot;: 8, &quot;modules&quot;: [...]}</source>
        <translation>“model.freeze”为 %1；改用“embeddings”、模块名列表，或 {&quot;embeddings&quot;: true, &quot;firstLayers&quot;: 8, &quot;modules&quot;: [...]}</translation>
    </message>
    <message>
        <source>&quot;model.freeze&quot; stands beside &quot;model.adapter&quot;, which freezes all of the model already; remove one of the two</source>
        <translation>“model.freeze”与“model.adapter”并存，而后者已冻结整个模型；删除其中之一</translation>
    </message>
    <message>
        <source>The workspace gives only a number of parameters, for arithmetic on memory; training needs the model&apos;s sizes.</source>
        <translation>工作区只给出参数量，仅可推算显存；训练需要模型的尺寸。</translation>
    </message>
    <message>
        <source>&quot;model.%1&quot;: %2</source>
        <translation>&quot;model.%1&quot;：%2</translation>
    </message>
    <message>
        <source>&quot;data.source&quot; is empty; give a file, a folder or &quot;builtin:demo&quot;</source>
        <translation>&quot;data.source&quot; 为空；填写文件、文件夹或 &quot;builtin:demo&quot;</translation>
    </message>
    <message>
        <source>&quot;data.validationFraction&quot; is %1; use 0 up to, not including, 1</source>
        <translation>&quot;data.validationFraction&quot; 为 %1；应大于等于 0 且小于 1</translation>
    </message>
    <message>
        <source>&quot;hardware.device&quot; is empty; use &quot;cpu&quot;, &quot;cuda&quot; or a device&apos;s name</source>
        <translation>&quot;hardware.device&quot; 为空；填写 &quot;cpu&quot;、&quot;cuda&quot; 或设备名</translation>
    </message>
    <message>
        <source>&quot;layout&quot;: tp x pp x cp is %1 ranks; use at most %2</source>
        <translation>&quot;layout&quot;：tp x pp x cp 共 %1 个 rank；最多 %2</translation>
    </message>
    <message>
        <source>&quot;layout&quot; has %1 ranks, which do not spread evenly over %2 nodes; change &quot;layout&quot; or &quot;hardware.nodes&quot;</source>
        <translation>&quot;layout&quot; 有 %1 个 rank，不能平均分到 %2 个节点；修改 &quot;layout&quot; 或 &quot;hardware.nodes&quot;</translation>
    </message>
    <message>
        <source>&quot;layout&quot; needs %1 ranks per replica, which does not divide &quot;hardware&quot;: %2; make one a multiple of the other</source>
        <translation>&quot;layout&quot; 每个副本需要 %1 个 rank，不能整除 &quot;hardware&quot; 的 %2；应使一方为另一方的倍数</translation>
    </message>
    <message>
        <source>&quot;layout&quot; has dp %1 x tp %2 x pp %3 x cp %4 = %5 ranks, but &quot;hardware&quot; has %6; make the two equal</source>
        <translation>&quot;layout&quot; 为 dp %1 x tp %2 x pp %3 x cp %4 = %5 个 rank，而 &quot;hardware&quot; 为 %6；应使两者相等</translation>
    </message>
    <message>
        <source>nodes %1 x devicesPerNode %2 = %3 devices</source>
        <translation>nodes %1 x devicesPerNode %2 = %3 个设备</translation>
    </message>
    <message>
        <source>&quot;layout.ep&quot; is %1, which does not divide dp x cp = %2; use a divisor</source>
        <translation>&quot;layout.ep&quot; 为 %1，不能整除 dp x cp = %2；应为其约数</translation>
    </message>
    <message>
        <source>&quot;training.epochs&quot; is %1; use a number above 0, at most a million</source>
        <translation>&quot;training.epochs&quot; 为 %1；应大于 0 且不超过一百万</translation>
    </message>
    <message>
        <source>&quot;launch.trainer.%1&quot; is %2; use %3</source>
        <translation>&quot;launch.trainer.%1&quot; 为 %2；应为%3</translation>
    </message>
    <message>
        <source>an integer of 1 or more</source>
        <translation>不小于 1 的整数</translation>
    </message>
    <message>
        <source>an integer of 0 or more</source>
        <translation>不小于 0 的整数</translation>
    </message>
    <message>
        <source>a number of 0 or more</source>
        <translation>不小于 0 的数</translation>
    </message>
    <message>
        <source>an integer</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>&quot;launch.hangTimeout&quot; is %1; use seconds from 1 to 1,000,000</source>
        <translation>&quot;launch.hangTimeout&quot; 为 %1；应为 1 到 1,000,000 之间的秒数</translation>
    </message>
    <message>
        <source>the document is not an object; a workspace starts with { &quot;stagecraft&quot;: 1, ...</source>
        <translation>该文件不是 JSON 对象；工作区以 { &quot;stagecraft&quot;: 1, ... 开头</translation>
    </message>
    <message>
        <source>This is no workspace: it is not one JSON object.</source>
        <translation>这不是工作区：它不是一个 JSON 对象。</translation>
    </message>
    <message>
        <source>&quot;stagecraft&quot; is missing; a workspace says &quot;stagecraft&quot;: 1, its version</source>
        <translation>缺少 &quot;stagecraft&quot;；工作区应写明版本 &quot;stagecraft&quot;: 1</translation>
    </message>
    <message>
        <source>&quot;stagecraft&quot; is %1: this program reads version 1; a newer one wrote this file, use that</source>
        <translation>&quot;stagecraft&quot; 为 %1：本程序读取版本 1；该文件由更新的版本写出，用那个版本打开</translation>
    </message>
    <message>
        <source>&quot;stagecraft&quot; is %1: this program reads version 1; write 1</source>
        <translation>&quot;stagecraft&quot; 为 %1：本程序读取版本 1；写 1</translation>
    </message>
    <message>
        <source>&quot;model&quot; is missing; give its sizes, &quot;hf&quot;, &quot;preset&quot; or &quot;params&quot;</source>
        <translation>缺少 &quot;model&quot;；填写其尺寸，或 &quot;hf&quot;、&quot;preset&quot;、&quot;params&quot;</translation>
    </message>
    <message>
        <source>&quot;dsConfig&quot; names a file: %1</source>
        <translation>&quot;dsConfig&quot; 指向文件：%1</translation>
    </message>
    <message>
        <source>&quot;dsConfig&quot; names &quot;%1&quot;, which DeepSpeed cannot read: %2</source>
        <translation>&quot;dsConfig&quot; 指向的“%1” DeepSpeed 无法读取：%2</translation>
    </message>
    <message>
        <source>&quot;dsConfig&quot; is %1; use an object or the name of a file</source>
        <translation>&quot;dsConfig&quot; 为 %1；应为对象或文件名</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is written twice in one object; keep one</source>
        <translation>&quot;%1&quot; 在同一对象中出现两次；只保留一个</translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;: %2.</source>
        <translation>无法打开“%1”：%2。</translation>
    </message>
    <message>
        <source>Cannot read &quot;%1&quot;: it is larger than %2 bytes.</source>
        <translation>无法读取“%1”：超过 %2 字节。</translation>
    </message>
    <message>
        <source>Cannot read &quot;%1&quot;: %2.</source>
        <translation>无法读取“%1”：%2。</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>没有这个文件或文件夹</translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;: %2; check the path.</source>
        <translation>无法打开 &quot;%1&quot;：%2；请检查路径。</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>没有权限</translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;: %2; you may not read it: change its rights.</source>
        <translation>无法打开 &quot;%1&quot;：%2；您不能读取它：请修改其权限。</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>这是文件夹</translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;; check the path and its rights</source>
        <translation>无法打开“%1”；检查路径与权限</translation>
    </message>
    <message>
        <source>heads is %1, which does not divide hidden %2; use a divisor of %3</source>
        <translation>heads 为 %1，不能整除 hidden %2；应为 %3 的约数</translation>
    </message>
    <message>
        <source>headSize is %1, but GPT-2 needs hidden / heads = %2</source>
        <translation>headSize 为 %1，而 GPT-2 需要 hidden / heads = %2</translation>
    </message>
    <message>
        <source>kvHeads is %1, but GPT-2 has as many as heads, %2; leave it out</source>
        <translation>kvHeads 为 %1，而 GPT-2 与 heads 相同，为 %2；删去它</translation>
    </message>
    <message>
        <source>kvHeads is %1, which does not divide heads %2; use a divisor of %3</source>
        <translation>kvHeads 为 %1，不能整除 heads %2；应为 %3 的约数</translation>
    </message>
    <message>
        <source>heads x headSize is %1; use at most %2</source>
        <translation>heads x headSize 为 %1；最多 %2</translation>
    </message>
    <message>
        <source>the head size is %1, but rotary positions need an even one; choose hidden and heads so that hidden / heads is even</source>
        <translation>注意力头尺寸为 %1，而旋转位置编码需要偶数；选择 hidden 与 heads 使 hidden / heads 为偶数</translation>
    </message>
    <message>
        <source>seq is %1, but the position table has %2 rows; use at most %3</source>
        <translation>seq 为 %1，而位置表有 %2 行；最多 %3</translation>
    </message>
    <message>
        <source>%1 is %2; use 0 up to, not including, 1</source>
        <translation>%1 为 %2；应大于等于 0 且小于 1</translation>
    </message>
    <message>
        <source>%1 is %2; use a number above 0</source>
        <translation>%1 为 %2；应大于 0</translation>
    </message>
    <message>
        <source>%1 is %2; use 0 or more</source>
        <translation>%1 为 %2；应大于等于 0</translation>
    </message>
    <message>
        <source>%1 is %2; use %3 to %4</source>
        <translation>%1 为 %2；应为 %3 到 %4</translation>
    </message>
    <message>
        <source>config.json: the document is not an object; it must hold a model&apos;s settings</source>
        <translation>config.json：该文件不是 JSON 对象；它应包含模型的设置</translation>
    </message>
    <message>
        <source>config.json: &quot;model_type&quot; is missing; the engine trains &quot;llama&quot; and &quot;gpt2&quot;</source>
        <translation>config.json：缺少 &quot;model_type&quot;；引擎可训练 &quot;llama&quot; 与 &quot;gpt2&quot;</translation>
    </message>
    <message>
        <source>config.json: &quot;model_type&quot; is &quot;%1&quot;; the engine trains &quot;llama&quot; and &quot;gpt2&quot;</source>
        <translation>config.json：&quot;model_type&quot; 为 &quot;%1&quot;；引擎可训练 &quot;llama&quot; 与 &quot;gpt2&quot;</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; is %2; use %3</source>
        <translation>config.json：&quot;%1&quot; 为 %2；应为%3</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; is %2, which does not divide the hidden size %3; use a divisor of it</source>
        <translation>config.json：&quot;%1&quot; 为 %2，不能整除隐藏层尺寸 %3；应为其约数</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot;: %2</source>
        <translation>config.json：&quot;%1&quot;：%2</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; is not an object of rotary settings</source>
        <translation>config.json：&quot;%1&quot; 不是旋转位置编码的设置对象</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; is unreadable: %2</source>
        <translation>config.json：无法读取 &quot;%1&quot;：%2</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; rotates only a part of each head; the engine rotates all of it</source>
        <translation>config.json：&quot;%1&quot; 只旋转每个头的一部分；引擎旋转整个头</translation>
    </message>
    <message>
        <source>config.json: &quot;partial_rotary_factor&quot; is not 1; the engine rotates the whole head</source>
        <translation>config.json：&quot;partial_rotary_factor&quot; 不为 1；引擎旋转整个头</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; is &quot;%2&quot;; the engine has &quot;%3&quot; for this family</source>
        <translation>config.json：&quot;%1&quot; 为 &quot;%2&quot;；引擎对该系列使用 &quot;%3&quot;</translation>
    </message>
    <message>
        <source>config.json: &quot;scale_attn_weights&quot; is false; the engine always scales by the head size</source>
        <translation>config.json：&quot;scale_attn_weights&quot; 为 false；引擎总按头尺寸缩放</translation>
    </message>
    <message>
        <source>config.json: &quot;scale_attn_by_inverse_layer_idx&quot; is true; the engine does not scale by layer</source>
        <translation>config.json：&quot;scale_attn_by_inverse_layer_idx&quot; 为 true；引擎不按层缩放</translation>
    </message>
    <message>
        <source>config.json: &quot;add_cross_attention&quot; is true; the engine trains decoders without an encoder</source>
        <translation>config.json：&quot;add_cross_attention&quot; 为 true；引擎训练不带编码器的解码器</translation>
    </message>
    <message>
        <source>config.json: &quot;quantization_config&quot; says that the weights are quantised; they cannot be trained</source>
        <translation>config.json：&quot;quantization_config&quot; 表明权重已量化；无法训练</translation>
    </message>
    <message>
        <source>Cannot count parameters: config.json holds no object; give a model&apos;s config.json</source>
        <translation>无法统计参数：config.json 不是对象；给出模型的 config.json</translation>
    </message>
    <message>
        <source>Cannot count parameters: each token goes to %1 of %2 experts; correct config.json</source>
        <translation>无法统计参数：每个 token 去往 %2 个专家中的 %1 个；更正 config.json</translation>
    </message>
    <message>
        <source>Cannot count parameters: &quot;%1&quot; makes more than 2^62 of them; correct config.json</source>
        <translation>无法统计参数：&quot;%1&quot; 使参数超过 2^62 个；更正 config.json</translation>
    </message>
    <message>
        <source>No model.safetensors.index.json in &quot;%1&quot; says which of its safetensors files belong to the model; put it there</source>
        <translation>“%1”里没有 model.safetensors.index.json，无法知道其中哪些 safetensors 文件属于该模型；把它放到那里</translation>
    </message>
    <message>
        <source>No model.safetensors or its index in &quot;%1&quot;; put the weights there</source>
        <translation>“%1”里没有 model.safetensors，也没有它的索引；把权重放到那里</translation>
    </message>
    <message>
        <source>Cannot count parameters: %1 is not known; put the safetensors files beside config.json to count from their headers</source>
        <translation>无法统计参数：%1 未知；把 safetensors 文件放在 config.json 旁，即可从文件头统计</translation>
    </message>
    <message>
        <source>Cannot count parameters: &quot;%1&quot; is %2; it must be between %3 and 2^40; correct config.json</source>
        <translation>无法统计参数：&quot;%1&quot; 为 %2；应在 %3 与 2^40 之间；更正 config.json</translation>
    </message>
    <message>
        <source>Cannot count parameters: &quot;%1&quot; is %2, which &quot;%3&quot; = %4 does not divide; correct config.json</source>
        <translation>无法统计参数：&quot;%1&quot; 为 %2，&quot;%3&quot; = %4 不能整除它；更正 config.json</translation>
    </message>
    <message>
        <source>Cannot count parameters: &quot;%1&quot; must be %2; correct config.json</source>
        <translation>无法统计参数：&quot;%1&quot; 应为%2；更正 config.json</translation>
    </message>
    <message>
        <source>Cannot count parameters: &quot;%1&quot; is wrong (%2); correct config.json</source>
        <translation>无法统计参数：&quot;%1&quot; 有误（%2）；更正 config.json</translation>
    </message>
    <message>
        <source>a list of whole numbers</source>
        <translation>整数列表</translation>
    </message>
    <message>
        <source>Cannot count from &quot;%1&quot;: %2; download it again</source>
        <translation>无法从“%1”统计：%2；重新下载</translation>
    </message>
    <message>
        <source>Cannot count from &quot;%1&quot;: &quot;%2&quot; is kept as %3, which may pack several weights into one element; use the unquantised files</source>
        <translation>无法从“%1”统计：&quot;%2&quot; 以 %3 保存，一个元素可能含多个权重；使用未量化的文件</translation>
    </message>
    <message>
        <source>the text has %1 bytes; more than %2 are refused</source>
        <translation>文本有 %1 字节；超过 %2 字节不读取</translation>
    </message>
    <message>
        <source>a value without quotes is read as text to the end of its line (%1), so what closes or separates it is lost; quote it, or put the missing comma before the next key</source>
        <translation>没有引号的值会作为文本读到行尾（%1），其后的结束符或分隔符因此丢失；给它加引号，或在下一个键前补上逗号</translation>
    </message>
    <message>
        <source>the file ends inside the object that line %1 opens; add the missing &apos;}&apos;</source>
        <translation>文件在第 %1 行开始的对象内结束；补上 &apos;}&apos;</translation>
    </message>
    <message>
        <source>the file ends inside the list that line %1 opens; add the missing &apos;]&apos;</source>
        <translation>文件在第 %1 行开始的列表内结束；补上 &apos;]&apos;</translation>
    </message>
    <message>
        <source>the comment that starts here is never closed; add &apos;*/&apos;</source>
        <translation>此处开始的注释没有结束；补上 &apos;*/&apos;</translation>
    </message>
    <message>
        <source>expected a key in double quotes or &apos;}&apos;, found %1</source>
        <translation>此处应为双引号中的键或 &apos;}&apos;，却是 %1</translation>
    </message>
    <message>
        <source>expected a key in double quotes followed by &apos;:&apos;, found %1</source>
        <translation>此处应为双引号中的键及 &apos;:&apos;，却是 %1</translation>
    </message>
    <message>
        <source>expected &apos;:&apos; after the key %1, found %2</source>
        <translation>键 %1 后应为 &apos;:&apos;，却是 %2</translation>
    </message>
    <message>
        <source>expected &apos;,&apos; or &apos;%1&apos; after the value, found %2</source>
        <translation>值之后应为 &apos;,&apos; 或 &apos;%1&apos;，却是 %2</translation>
    </message>
    <message>
        <source>expected &apos;,&apos; or &apos;%1&apos;, found %2</source>
        <translation>此处应为 &apos;,&apos; 或 &apos;%1&apos;，却是 %2</translation>
    </message>
    <message>
        <source>expected &apos;,&apos; or the end of the object or list after this number</source>
        <translation>该数字之后应为 &apos;,&apos;，或对象、列表的结尾</translation>
    </message>
    <message>
        <source>expected a value, found %1</source>
        <translation>此处应为值，却是 %1</translation>
    </message>
    <message>
        <source>the end of the file</source>
        <translation>文件结尾</translation>
    </message>
    <message>
        <source>the file ends where a value is expected</source>
        <translation>应为值的地方文件已结束</translation>
    </message>
    <message>
        <source>the file is empty; write at least {}</source>
        <translation>文件为空；至少写 {}</translation>
    </message>
    <message>
        <source>the file holds nothing behind its byte order mark; write at least {}</source>
        <translation>文件在字节序标记之后没有内容；至少写 {}</translation>
    </message>
    <message>
        <source>the config is complete before this place; remove %1 and what follows</source>
        <translation>配置在此处之前已完整；删去 %1 及其后内容</translation>
    </message>
    <message>
        <source>the text that starts here is never closed; add the missing quote</source>
        <translation>此处开始的文本没有结束；补上引号</translation>
    </message>
    <message>
        <source>the text that starts here is not closed on its line; add the missing quote</source>
        <translation>此处开始的文本没有在行内结束；补上引号</translation>
    </message>
    <message>
        <source>the text that starts here is never closed; add &apos;&apos;&apos;</source>
        <translation>此处开始的文本没有结束；补上 &apos;&apos;&apos;</translation>
    </message>
    <message>
        <source>a control character stands inside a text; write it as an escape such as \t</source>
        <translation>文本中有控制字符；写成 \t 这样的转义</translation>
    </message>
    <message>
        <source>\u must be followed by four hexadecimal digits</source>
        <translation>\u 之后应为四位十六进制数字</translation>
    </message>
    <message>
        <source>unknown escape; write \\ for a backslash</source>
        <translation>未知的转义；反斜杠写作 \\</translation>
    </message>
    <message>
        <source>this is not a JSON value; write a number, true, false, null, or text in double quotes</source>
        <translation>这不是 JSON 的值；写数字、true、false、null 或双引号中的文本</translation>
    </message>
    <message>
        <source>this is Python&apos;s spelling; JSON has true, false and null, in lower case</source>
        <translation>这是 Python 的写法；JSON 用小写的 true、false 与 null</translation>
    </message>
    <message>
        <source>JSON has no NaN or infinity; write a number</source>
        <translation>JSON 没有 NaN 与无穷；写数字</translation>
    </message>
    <message>
        <source>this byte is not valid UTF-8; save the file as UTF-8</source>
        <translation>该字节不是有效的 UTF-8；以 UTF-8 保存文件</translation>
    </message>
    <message>
        <source>more than %1 values; a config of this size is refused</source>
        <translation>超过 %1 个值；这么大的配置不读取</translation>
    </message>
    <message>
        <source>nested deeper than %1 levels; a config of this depth is refused</source>
        <translation>嵌套超过 %1 层；这么深的配置不读取</translation>
    </message>
    <message>
        <source>it is %1, not an object</source>
        <translation>它是 %1，不是对象</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; use a whole number of at least %3</source>
        <translation>&quot;%1&quot; 为 %2；应为不小于 %3 的整数</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2, which has no number without the Trainer&apos;s arguments. &quot;Import its arguments…&quot; above the findings writes them in; or write a number</source>
        <translation>&quot;%1&quot; 为 %2，没有 Trainer 的参数就没有数值。检查结果上方的“导入其参数…”会把它们写入；或写数字</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; use at most %3</source>
        <translation>&quot;%1&quot; 为 %2；最多 %3</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; a batch has whole samples</source>
        <translation>&quot;%1&quot; 为 %2；批次由整个样本组成</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is 0, and DeepSpeed divides by it; use at least 1</source>
        <translation>&quot;%1&quot; 为 0，而 DeepSpeed 会除以它；至少为 1</translation>
    </message>
    <message>
        <source>Either train_batch_size or train_micro_batch_size_per_gpu needs to be provided; add one</source>
        <translation>train_batch_size 与 train_micro_batch_size_per_gpu 至少要有一个；补上其一</translation>
    </message>
    <message>
        <source>the batch of %1 x %2 x %3 samples is more than %4; use smaller numbers</source>
        <translation>批次 %1 x %2 x %3 个样本超过 %4；减小其中的数</translation>
    </message>
    <message>
        <source>%1: %2 has to be greater than 0; use at least 1</source>
        <translation>%1：%2 应大于 0；至少为 1</translation>
    </message>
    <message>
        <source>%1: %2 has to be greater than 0 (it was inferred for %3 ranks: use a larger train_batch_size or fewer ranks)</source>
        <translation>%1：%2 应大于 0（由 %3 个 rank 推算得出：增大 train_batch_size 或减少 rank）</translation>
    </message>
    <message>
        <source>a number without quotes</source>
        <translation>不带引号的数字</translation>
    </message>
    <message>
        <source>two numbers such as [0.9, 0.999]</source>
        <translation>两个数，如 [0.9, 0.999]</translation>
    </message>
    <message>
        <source>an object with &quot;type&quot; and &quot;params&quot;</source>
        <translation>含 &quot;type&quot; 与 &quot;params&quot; 的对象</translation>
    </message>
    <message>
        <source>a name such as &quot;%1&quot;</source>
        <translation>名称，如 &quot;%1&quot;</translation>
    </message>
    <message>
        <source>an object such as %1</source>
        <translation>对象，如 %1</translation>
    </message>
    <message>
        <source>a whole number of steps</source>
        <translation>步数（整数）</translation>
    </message>
    <message>
        <source>%1 has no parameter %2; DeepSpeed fails on it, so remove it</source>
        <translation>%1 没有参数 %2；DeepSpeed 会因此失败，删去它</translation>
    </message>
    <message>
        <source>&quot;optimizer.params.amsgrad&quot; is true; this engine has Adam without that variant, so remove it</source>
        <translation>&quot;optimizer.params.amsgrad&quot; 为 true；本引擎的 Adam 没有该变体，删去它</translation>
    </message>
    <message>
        <source>&quot;optimizer.params.maximize&quot; is true; this engine minimises, so remove it</source>
        <translation>&quot;optimizer.params.maximize&quot; 为 true；本引擎求最小值，删去它</translation>
    </message>
    <message>
        <source>&quot;optimizer.type&quot; is %1; this engine has &quot;Adam&quot; and &quot;AdamW&quot;</source>
        <translation>&quot;optimizer.type&quot; 为 %1；本引擎有 &quot;Adam&quot; 与 &quot;AdamW&quot;</translation>
    </message>
    <message>
        <source>&quot;scheduler.type&quot; is %1; this engine has WarmupLR, WarmupDecayLR, WarmupCosineLR, OneCycle and LRRangeTest (written so)</source>
        <translation>&quot;scheduler.type&quot; 为 %1；本引擎有 WarmupLR、WarmupDecayLR、WarmupCosineLR、OneCycle 与 LRRangeTest（写法如此）</translation>
    </message>
    <message>
        <source>&quot;scheduler&quot; has a type and no &quot;params&quot;; DeepSpeed fails on that, so write at least &quot;params&quot;: {}</source>
        <translation>&quot;scheduler&quot; 有类型而没有 &quot;params&quot;；DeepSpeed 会因此失败，至少写 &quot;params&quot;: {}</translation>
    </message>
    <message>
        <source>%1 needs &quot;scheduler.params.%2&quot;; add it</source>
        <translation>%1 需要 &quot;scheduler.params.%2&quot;；补上它</translation>
    </message>
    <message>
        <source>%1 must be a positive integer, got %2</source>
        <translation>%1 应为正整数，却是 %2</translation>
    </message>
    <message>
        <source>&quot;%1&quot; sets a layout; here the workspace&apos;s layout does, so remove it</source>
        <translation>&quot;%1&quot; 设定布局；此处由工作区的布局决定，删去它</translation>
    </message>
    <message>
        <source>&quot;tensor_parallel.autotp_size&quot; splits layers; here the workspace&apos;s layout.tp does, so remove it</source>
        <translation>&quot;tensor_parallel.autotp_size&quot; 切分各层；此处由工作区的 layout.tp 决定，删去它</translation>
    </message>
    <message>
        <source>&quot;%1&quot; stands beside &quot;%2&quot;; DeepSpeed takes only the second</source>
        <translation>&quot;%1&quot; 与 &quot;%2&quot; 同时出现；DeepSpeed 只取后者</translation>
    </message>
    <message>
        <source>&quot;%1&quot; and &quot;%2&quot; are two names of one key; keep one</source>
        <translation>&quot;%1&quot; 与 &quot;%2&quot; 是同一个键的两个名字；只保留一个</translation>
    </message>
    <message>
        <source>&quot;zero_optimization.offload_optimizer&quot; asks for optimizer states outside the device; this engine keeps them there, so remove it</source>
        <translation>&quot;zero_optimization.offload_optimizer&quot; 要把优化器状态放到设备之外；本引擎将其留在设备上，删去它</translation>
    </message>
    <message>
        <source>&quot;zero_optimization.offload_param&quot; asks for parameters outside the device; this engine keeps them there, so remove it</source>
        <translation>&quot;zero_optimization.offload_param&quot; 要把参数放到设备之外；本引擎将其留在设备上，删去它</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has no key %2; DeepSpeed refuses unknown keys there, so remove it</source>
        <translation>&quot;%1&quot; 没有键 %2；DeepSpeed 拒绝其中的未知键，删去它</translation>
    </message>
    <message>
        <source>fp16 and bf16 modes cannot be simultaneously enabled; switch one off</source>
        <translation>fp16 与 bf16 不能同时启用；关掉其一</translation>
    </message>
    <message>
        <source>&quot;fp16.enabled&quot; is true; this engine trains in fp32 and bf16, so use &quot;bf16&quot;: {&quot;enabled&quot;: true}</source>
        <translation>&quot;fp16.enabled&quot; 为 true；本引擎以 fp32 与 bf16 训练，改用 &quot;bf16&quot;: {&quot;enabled&quot;: true}</translation>
    </message>
    <message>
        <source>&quot;%1.%2&quot; is true; this engine keeps master weights, gradients and states in fp32, so remove it</source>
        <translation>&quot;%1.%2&quot; 为 true；本引擎以 fp32 保存主权重、梯度与状态，删去它</translation>
    </message>
    <message>
        <source>Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size %1</source>
        <translation>批次参数不一致：train_batch_size 不等于 micro_batch_per_gpu * gradient_acc_step * world_size：%1</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>Cannot read &quot;%1&quot;: it is damaged, no whole JSON document (%2 bytes)</source>
        <translation>无法读取“%1”：文件已损坏，不是完整的 JSON 文档（%2 字节）</translation>
    </message>
    <message>
        <source>rank %1 failed: %2</source>
        <translation>rank %1 失败：%2</translation>
    </message>
    <message>
        <source>rank %1 went away without a word</source>
        <translation>rank %1 未留下任何信息就消失了</translation>
    </message>
    <message>
        <source>rank %1 exited with code %2</source>
        <translation>rank %1 以退出码 %2 结束</translation>
    </message>
    <message>
        <source>rank %1 was killed by %2 (by a person, or by the kernel when memory ran out)</source>
        <translation>rank %1 被 %2 杀死（人为操作，或内存耗尽时由内核执行）</translation>
    </message>
    <message>
        <source>rank %1 died of %2 (invalid memory access)</source>
        <translation>rank %1 因 %2 崩溃（非法内存访问）</translation>
    </message>
    <message>
        <source>rank %1 died of %2 (a mapped file or shared memory ran out of room)</source>
        <translation>rank %1 因 %2 崩溃（映射文件或共享内存空间不足）</translation>
    </message>
    <message>
        <source>rank %1 died of %2 (an assertion or an uncaught exception)</source>
        <translation>rank %1 因 %2 崩溃（断言失败或未捕获的异常）</translation>
    </message>
    <message>
        <source>rank %1 died of %2 (an instruction this CPU does not have)</source>
        <translation>rank %1 因 %2 崩溃（此 CPU 不支持的指令）</translation>
    </message>
    <message>
        <source>rank %1 died of %2 (division by zero)</source>
        <translation>rank %1 因 %2 崩溃（除以零）</translation>
    </message>
    <message>
        <source>rank %1 was ended by %2</source>
        <translation>rank %1 被 %2 终止</translation>
    </message>
    <message>
        <source>rank %1 did not report within %2 s of its start</source>
        <translation>rank %1 启动后 %2 秒内没有报到</translation>
    </message>
    <message>
        <source>rank %1 stands still: no sign of life for %2 s</source>
        <translation>rank %1 停滞：%2 秒没有任何响应</translation>
    </message>
    <message>
        <source>rank %1 hangs: no progress for %2 s</source>
        <translation>rank %1 挂起：%2 秒没有进展</translation>
    </message>
    <message>
        <source>The last checkpoint, of step %1, was not written: %2; there is no other: mend that and train again</source>
        <translation>最后一个检查点（step %1）未能写入：%2；没有其他检查点：排除原因后重新训练</translation>
    </message>
    <message>
        <source>a comment is not allowed in strict JSON; remove it</source>
        <translation>严格 JSON 中不允许注释；删去</translation>
    </message>
    <message>
        <source>a comma behind the last entry is not allowed in strict JSON; remove it</source>
        <translation>严格 JSON 中最后一项之后不允许逗号；删去</translation>
    </message>
    <message>
        <source>a key needs double quotes in JSON</source>
        <translation>JSON 的键必须用双引号括起</translation>
    </message>
    <message>
        <source>text in single quotes is not JSON; use double quotes</source>
        <translation>单引号文本不是 JSON；改用双引号</translation>
    </message>
    <message>
        <source>\&apos; is not a JSON escape; write the quote alone</source>
        <translation>\&apos; 不是 JSON 转义；直接写引号</translation>
    </message>
    <message>
        <source>text in &apos;&apos;&apos; is not JSON; use double quotes and \n</source>
        <translation>&apos;&apos;&apos; 中的文本不是 JSON；改用双引号和 \n</translation>
    </message>
    <message>
        <source>the file starts with a byte order mark; save it as UTF-8 without one</source>
        <translation>文件以字节顺序标记（BOM）开头；另存为不带 BOM 的 UTF-8</translation>
    </message>
    <message>
        <source>the text has %1 bytes, more than %2</source>
        <translation>文本有 %1 字节，超过 %2</translation>
    </message>
    <message>
        <source>the text starts with a byte-order mark; save it as plain UTF-8</source>
        <translation>文本以字节顺序标记（BOM）开头；另存为不带 BOM 的 UTF-8</translation>
    </message>
    <message>
        <source>objects and lists are nested more than %1 deep</source>
        <translation>对象和列表的嵌套超过 %1 层</translation>
    </message>
    <message>
        <source>the key &quot;%1&quot; is written twice in one object; keep one</source>
        <translation>键 &quot;%1&quot; 在同一对象中写了两次；保留一个</translation>
    </message>
    <message>
        <source>%1; last read: %2; expected %3</source>
        <translation>%1；最后读到：%2；此处应为 %3</translation>
    </message>
    <message>
        <source>%1; last read: %2</source>
        <translation>%1；最后读到：%2</translation>
    </message>
    <message>
        <source>unexpected %1; expected %2</source>
        <translation>意外的 %1；此处应为 %2</translation>
    </message>
    <message>
        <source>unexpected %1</source>
        <translation>意外的 %1</translation>
    </message>
    <message>
        <source>end of input</source>
        <translation>文本结尾</translation>
    </message>
    <message>
        <source>string literal</source>
        <translation>字符串</translation>
    </message>
    <message>
        <source>number literal</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>true literal</source>
        <translation>true</translation>
    </message>
    <message>
        <source>false literal</source>
        <translation>false</translation>
    </message>
    <message>
        <source>null literal</source>
        <translation>null</translation>
    </message>
    <message>
        <source>&apos;[&apos;, &apos;{&apos;, or a literal</source>
        <translation>&apos;[&apos;、&apos;{&apos; 或一个值</translation>
    </message>
    <message>
        <source>invalid literal</source>
        <translation>无效的值</translation>
    </message>
    <message>
        <source>invalid BOM; must be 0xEF 0xBB 0xBF if given</source>
        <translation>无效的字节顺序标记（BOM）；如有，应为 0xEF 0xBB 0xBF</translation>
    </message>
    <message>
        <source>invalid number; expected digit after exponent sign</source>
        <translation>无效的数字；指数符号之后应为数字</translation>
    </message>
    <message>
        <source>invalid number; expected digit after &apos;-&apos;</source>
        <translation>无效的数字；&apos;-&apos; 之后应为数字</translation>
    </message>
    <message>
        <source>invalid number; expected digit after &apos;.&apos;</source>
        <translation>无效的数字；&apos;.&apos; 之后应为数字</translation>
    </message>
    <message>
        <source>number overflow parsing %1</source>
        <translation>数字 %1 过大</translation>
    </message>
    <message>
        <source>invalid string: &apos;\u&apos; must be followed by 4 hex digits</source>
        <translation>无效的字符串：&apos;\u&apos; 之后必须是四个十六进制数字</translation>
    </message>
    <message>
        <source>invalid string: control character %1 must be escaped to %2 or %3</source>
        <translation>无效的字符串：控制字符 %1 必须写成转义 %2 或 %3</translation>
    </message>
    <message>
        <source>invalid string: control character %1 must be escaped to %2</source>
        <translation>无效的字符串：控制字符 %1 必须写成转义 %2</translation>
    </message>
    <message>
        <source>invalid string: forbidden character after backslash</source>
        <translation>无效的字符串：反斜杠之后的字符不允许</translation>
    </message>
    <message>
        <source>invalid string: ill-formed UTF-8 byte</source>
        <translation>无效的字符串：不是合法的 UTF-8 字节</translation>
    </message>
    <message>
        <source>invalid string: missing closing quote</source>
        <translation>无效的字符串：缺少结束引号</translation>
    </message>
    <message>
        <source>invalid string: surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF</source>
        <translation>无效的字符串：代理码位 U+D800..U+DBFF 之后必须是 U+DC00..U+DFFF</translation>
    </message>
    <message>
        <source>invalid string: surrogate U+DC00..U+DFFF must follow U+D800..U+DBFF</source>
        <translation>无效的字符串：代理码位 U+DC00..U+DFFF 必须在 U+D800..U+DBFF 之后</translation>
    </message>
    <message>
        <source>Cannot lock &quot;%1&quot;: %2</source>
        <translation>无法锁定 &quot;%1&quot;：%2</translation>
    </message>
    <message>
        <source>no space on the device, or the file system has no locks</source>
        <translation>设备没有空间，或文件系统不支持锁</translation>
    </message>
    <message>
        <source>permission denied</source>
        <translation>权限不足</translation>
    </message>
    <message>
        <source>another program holds it</source>
        <translation>被另一个程序占用</translation>
    </message>
    <message>
        <source>invalid number; expected &apos;+&apos;, &apos;-&apos;, or digit after exponent</source>
        <translation>无效的数字；指数之后应为 &apos;+&apos;、&apos;-&apos; 或数字</translation>
    </message>
    <message>
        <source>Cannot use the checkpoint &quot;%1&quot;: %2</source>
        <translation>无法使用检查点 &quot;%1&quot;：%2</translation>
    </message>
    <message>
        <source>Cannot use the checkpoint &quot;%1&quot;: %2 of &quot;%3&quot; is damaged in %4 at byte %5</source>
        <translation>无法使用检查点 &quot;%1&quot;：&quot;%3&quot; 的 %2 在 %4 中第 %5 字节处已损坏</translation>
    </message>
    <message>
        <source>Cannot open the checkpoint &quot;%1&quot;: there is no such folder</source>
        <translation>无法打开检查点 &quot;%1&quot;：没有这个文件夹</translation>
    </message>
    <message>
        <source>it was not finished (its file &quot;complete&quot; is missing)</source>
        <translation>它没有写完（缺少文件 &quot;complete&quot;）</translation>
    </message>
    <message>
        <source>its manifest.json cannot be read</source>
        <translation>其 manifest.json 无法读取</translation>
    </message>
    <message>
        <source>its manifest is of step %1</source>
        <translation>其清单属于第 %1 步</translation>
    </message>
    <message>
        <source>its manifest.json is damaged</source>
        <translation>其 manifest.json 已损坏</translation>
    </message>
    <message>
        <source>its file %1 cannot be opened (%2)</source>
        <translation>其文件 %1 无法打开（%2）</translation>
    </message>
    <message>
        <source>its file %1 has %2 bytes where %3 were written</source>
        <translation>其文件 %1 有 %2 字节，而写入的是 %3 字节</translation>
    </message>
    <message>
        <source>Cannot launch framework &quot;%1&quot; here: its own script starts it; export its launch script, or choose our engine&apos;s behaviour to train it</source>
        <translation>此处无法启动框架 &quot;%1&quot;：它由自己的脚本启动；导出它的启动脚本，或改为规划本引擎的行为再训练</translation>
    </message>
    <message>
        <source>Cannot launch through &quot;%1&quot;: this version starts ranks on this machine only; use &quot;launch.backend&quot;: &quot;local&quot;</source>
        <translation>无法通过 &quot;%1&quot; 启动：此版本只在本机启动 rank；将 &quot;launch.backend&quot; 设为 &quot;local&quot;</translation>
    </message>
    <message>
        <source>Cannot train this model: %1</source>
        <translation>无法训练该模型：%1</translation>
    </message>
    <message>
        <source>the engine needs all its sizes</source>
        <translation>引擎需要它的全部尺寸</translation>
    </message>
    <message>
        <source>Cannot train low-rank adapters: they can be planned here, and this version&apos;s engine trains all weights; remove model.adapter</source>
        <translation>无法训练低秩适配器（LoRA）：此处只能规划，此版本的引擎训练全部权重；移除 &quot;model.adapter&quot;</translation>
    </message>
    <message>
        <source>Cannot train with frozen parts: they can be planned here, and this version&apos;s engine trains all weights; remove model.freeze</source>
        <translation>无法训练部分冻结的模型：此处只能规划，此版本的引擎训练全部权重；移除 &quot;model.freeze&quot;</translation>
    </message>
    <message>
        <source>Cannot launch with layout.%1 = %2: %3 can be planned here, and this version&apos;s engine trains with data parallelism only; use &quot;layout.%4&quot;: 1</source>
        <translation>无法以 &quot;layout.%1&quot; = %2 启动：%3此处只能规划，此版本的引擎只做数据并行训练；将 &quot;layout.%4&quot; 设为 1</translation>
    </message>
    <message>
        <source>tensor parallelism</source>
        <translation>张量并行</translation>
    </message>
    <message>
        <source>pipeline parallelism</source>
        <translation>流水线并行</translation>
    </message>
    <message>
        <source>context parallelism</source>
        <translation>上下文并行</translation>
    </message>
    <message>
        <source>expert parallelism</source>
        <translation>专家并行</translation>
    </message>
    <message>
        <source>Cannot launch on %1 nodes: this version starts ranks on this machine only; use &quot;hardware.nodes&quot;: 1 and as many devices as ranks</source>
        <translation>无法在 %1 个节点上启动：此版本只在本机启动 rank；将 &quot;hardware.nodes&quot; 设为 1，设备数与 rank 数相同</translation>
    </message>
    <message>
        <source>Cannot tell the weights of &quot;%1&quot;: it has several safetensors files and none is called model.safetensors; name one in &quot;model.init&quot;, or write &quot;random&quot; there to start from random weights</source>
        <translation>无法确定 &quot;%1&quot; 的权重：其中有多个 safetensors 文件，且没有名为 &quot;model.safetensors&quot; 的；在 &quot;model.init&quot; 中指定一个文件，或写 &quot;random&quot; 从随机权重开始</translation>
    </message>
    <message>
        <source>Cannot run in &quot;%1&quot;: it holds an earlier run; continue that one, or launch a new one</source>
        <translation>无法在 &quot;%1&quot; 中运行：其中已有先前的运行；继续该运行，或重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot run in &quot;%1&quot;: it is a file; move it away</source>
        <translation>无法在 &quot;%1&quot; 中运行：它是文件；将它移走</translation>
    </message>
    <message>
        <source>Cannot run in &quot;%1&quot;: a run is going on there; attach to that one, or launch a new one</source>
        <translation>无法在 &quot;%1&quot; 中运行：该处有运行正在进行；附加到该运行，或重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot start in &quot;%1&quot;: process %2 is running it; stop that run, or launch a new one</source>
        <translation>无法在 &quot;%1&quot; 中启动：进程 %2 正在运行它；先停止该运行，或重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot start in &quot;%1&quot;: a process of another user is running it; launch a new run</source>
        <translation>无法在 &quot;%1&quot; 中启动：其他用户的进程正在运行它；重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot run in &quot;%1&quot;: the folder is no run&apos;s and holds %2; launch a new run</source>
        <translation>无法在 &quot;%1&quot; 中运行：该文件夹不属于任何运行，且其中有 %2；重新启动一个运行</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 以及另外 %2 项</translation>
    </message>
    <message>
        <source>Cannot start ranks: STAGECRAFT_WORKER names &quot;%1&quot;, which is not a program; unset or correct it</source>
        <translation>无法启动 rank：环境变量 STAGECRAFT_WORKER 指向 &quot;%1&quot;，它不是可执行程序；取消或更正它</translation>
    </message>
    <message>
        <source>Cannot start ranks: &quot;%1&quot; is not there; install Stagecraft again, whole</source>
        <translation>无法启动 rank：&quot;%1&quot; 不存在；完整地重新安装 Stagecraft</translation>
    </message>
    <message>
        <source>Nothing to do: the checkpoint is of step %1 and &quot;training.epochs&quot; %2 is %3 steps; raise it and launch anew</source>
        <translation>无事可做：检查点在第 %1 步，而 &quot;training.epochs&quot; %2 等于 %3 步；调大它后重新启动</translation>
    </message>
    <message>
        <source>Nothing to do: the checkpoint is of step %1 and &quot;training.steps&quot; is %2; raise it and launch anew</source>
        <translation>无事可做：检查点在第 %1 步，而 &quot;training.steps&quot; 为 %2；调大它后重新启动</translation>
    </message>
    <message>
        <source>Cannot resume without a run: choose one first</source>
        <translation>没有可继续的运行：先选择一个运行</translation>
    </message>
    <message>
        <source>Cannot resume from &quot;%1&quot;: choose the step of a checkpoint</source>
        <translation>无法从 &quot;%1&quot; 继续：选择一个检查点的步数</translation>
    </message>
    <message>
        <source>Cannot set aside &quot;%1&quot;: %2; move it away, or launch a new run</source>
        <translation>无法将 &quot;%1&quot; 另存：%2；将它移走，或重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot launch on &quot;%1&quot;: no device of that name is known; choose the CPU (&quot;hardware.device&quot;: &quot;cpu&quot;) to launch</source>
        <translation>无法在 &quot;%1&quot; 上启动：没有该名称的设备；将 &quot;hardware.device&quot; 设为 &quot;cpu&quot; 再启动</translation>
    </message>
    <message>
        <source>Cannot launch on &quot;%1&quot;: %2; plan for it here, and choose the CPU (&quot;hardware.device&quot;: &quot;cpu&quot;) to launch</source>
        <translation>无法在 &quot;%1&quot; 上启动：%2；此处可为它做规划，要启动，将 &quot;hardware.device&quot; 设为 &quot;cpu&quot;</translation>
    </message>
    <message>
        <source>this machine has %1 x %2</source>
        <translation>本机有 %1 x %2</translation>
    </message>
    <message>
        <source>Cannot launch on &quot;%1&quot;: this version&apos;s engine trains on CPUs only; choose the CPU (&quot;hardware.device&quot;: &quot;cpu&quot;) to launch</source>
        <translation>无法在 &quot;%1&quot; 上启动：此版本的引擎只在 CPU 上训练；将 &quot;hardware.device&quot; 设为 &quot;cpu&quot; 再启动</translation>
    </message>
    <message>
        <source>no NVIDIA driver: libnvidia-ml.so.1 is not on this machine</source>
        <translation>没有 NVIDIA 驱动：本机没有 libnvidia-ml.so.1</translation>
    </message>
    <message>
        <source>the NVIDIA management library is too old</source>
        <translation>NVIDIA 管理库（NVML）版本过旧</translation>
    </message>
    <message>
        <source>the NVIDIA driver does not answer: %1</source>
        <translation>NVIDIA 驱动没有响应：%1</translation>
    </message>
    <message>
        <source>the NVIDIA driver is there and reports no device</source>
        <translation>已有 NVIDIA 驱动，但它没有报告任何设备</translation>
    </message>
    <message>
        <source>Cannot launch %1 ranks on %2 cores: more than %3 ranks a core would only wait for each other; use a smaller layout</source>
        <translation>无法在 %2 个核上启动 %1 个 rank：每核超过 %3 个 rank 只会互相等待；减小布局</translation>
    </message>
    <message>
        <source>Cannot launch: %1, and this machine has %2 of memory; choose a higher ZeRO stage, recompute, a smaller micro-batch or fewer ranks</source>
        <translation>无法启动：%1，而本机内存为 %2；选择更高的 ZeRO stage、重计算、更小的 micro-batch 或更少的 rank</translation>
    </message>
    <message>
        <source>%1 ranks need %2 each, %3 together</source>
        <translation>%1 个 rank 每个需要 %2，共 %3</translation>
    </message>
    <message>
        <source>Cannot write a run to &quot;%1&quot;: the folder is read-only for you; make it writable, or name another place with XDG_DATA_HOME before this window starts</source>
        <translation>无法将运行写入 &quot;%1&quot;：当前用户对该文件夹只有读权限；取得写权限，或在启动窗口前用环境变量 XDG_DATA_HOME 指定其他位置</translation>
    </message>
    <message>
        <source>Cannot write a run to &quot;%1&quot;: %2 are free, its record and one checkpoint need %3; free space, or name another place with XDG_DATA_HOME before this window starts</source>
        <translation>无法将运行写入 &quot;%1&quot;：剩余 %2，记录和一个检查点需要 %3；释放空间，或在启动窗口前用环境变量 XDG_DATA_HOME 指定其他位置</translation>
    </message>
    <message>
        <source>Cannot write a run to &quot;%1&quot;: %2 are free, its record needs %3; free space, or name another place with XDG_DATA_HOME before this window starts</source>
        <translation>无法将运行写入 &quot;%1&quot;：剩余 %2，记录需要 %3；释放空间，或在启动窗口前用环境变量 XDG_DATA_HOME 指定其他位置</translation>
    </message>
    <message>
        <source>layout.recompute is &quot;selective&quot;, which this engine cannot do; use &quot;none&quot; or &quot;full&quot;</source>
        <translation>&quot;layout.recompute&quot; 为 &quot;selective&quot;，本引擎不支持；应为 &quot;none&quot; 或 &quot;full&quot;</translation>
    </message>
    <message>
        <source>layout.recompute is &quot;%1&quot;; use &quot;none&quot; or &quot;full&quot;</source>
        <translation>&quot;layout.recompute&quot; 为 &quot;%1&quot;；应为 &quot;none&quot; 或 &quot;full&quot;</translation>
    </message>
    <message>
        <source>Cannot resolve a ds_config for %1 data-parallel ranks: use at least 1</source>
        <translation>无法为 %1 个数据并行 rank 解析 ds_config：至少应为 1</translation>
    </message>
    <message>
        <source>Cannot train on &quot;%1&quot;: %2</source>
        <translation>无法用 &quot;%1&quot; 训练：%2</translation>
    </message>
    <message>
        <source>Cannot read the folder &quot;%1&quot;: %2</source>
        <translation>无法读取文件夹 &quot;%1&quot;：%2</translation>
    </message>
    <message>
        <source>there is only &quot;builtin:demo&quot;</source>
        <translation>内置数据只有 &quot;builtin:demo&quot;</translation>
    </message>
    <message>
        <source>the folder has no text files; put some in</source>
        <translation>该文件夹中没有文本文件；放入一些</translation>
    </message>
    <message>
        <source>none of its files is text; put some in</source>
        <translation>其中没有一个文件是文本；放入一些</translation>
    </message>
    <message>
        <source>the file is empty; give one with text or tokens</source>
        <translation>文件为空；给出含文本或 token 的文件</translation>
    </message>
    <message>
        <source>it is one of a Megatron .idx and .bin pair, which cannot be read; give the text or .npy tokens</source>
        <translation>它是 Megatron 的 .idx 与 .bin 文件对之一，无法读取；给出文本或 .npy 格式的 token</translation>
    </message>
    <message>
        <source>its %1 bytes are no whole number of %2-byte tokens; the file is cut off or of another kind</source>
        <translation>它的 %1 字节不是 %2 字节 token 的整数倍；文件被截断或属于其他类型</translation>
    </message>
    <message>
        <source>it holds zero bytes, so it is no text; tokens are read from .bin, .u16, .u32 and .npy</source>
        <translation>其中含有零字节，因此不是文本；token 从 .bin、.u16、.u32 和 .npy 文件读取</translation>
    </message>
    <message>
        <source>Cannot tokenize &quot;%1&quot; with &quot;%2&quot;: text is read as bytes here; use &quot;tokenizer&quot;: &quot;bytes&quot; or a file of tokens</source>
        <translation>无法用 &quot;%2&quot; 对 &quot;%1&quot; 分词：此处文本按字节读取；改用 &quot;tokenizer&quot;: &quot;bytes&quot; 或 token 文件</translation>
    </message>
    <message>
        <source>it has %1 tokens and one sequence needs %2 (seq + 1); give more data or a smaller model.seq</source>
        <translation>它有 %1 个 token，而一个序列需要 %2 个（seq + 1）；给出更多数据或减小 &quot;model.seq&quot;</translation>
    </message>
    <message>
        <source>with a validationFraction of %1 none of its %2 sequences is left for training; give more data or a smaller fraction</source>
        <translation>&quot;validationFraction&quot; 为 %1 时，它的 %2 个序列没有一个留给训练；给出更多数据或减小该比例</translation>
    </message>
    <message>
        <source>token %1 at position %2 is negative or too large; the file holds something else</source>
        <translation>位置 %2 处的 token %1 为负或过大；文件内容不是 token</translation>
    </message>
    <message>
        <source>token %1 at position %2 is outside the model&apos;s vocabulary of %3; use a &quot;model.vocab&quot; of at least %4</source>
        <translation>位置 %2 处的 token %1 超出模型的词表大小 %3；&quot;model.vocab&quot; 至少应为 %4</translation>
    </message>
    <message>
        <source>Cannot train on %1 ranks: the data has %2 training sequences, so some ranks would only repeat others; use fewer ranks or more data</source>
        <translation>无法用 %1 个 rank 训练：数据只有 %2 个训练序列，部分 rank 只会重复其他 rank；减少 rank 或增加数据</translation>
    </message>
    <message>
        <source>its numbers are big-endian (&apos;%1&apos;); save it with dtype &apos;%2&apos;</source>
        <translation>其数值为大端序（&apos;%1&apos;）；以 dtype &apos;%2&apos; 保存</translation>
    </message>
    <message>
        <source>its numbers are of type &apos;%1&apos;; tokens are whole numbers, so save it as uint16, uint32 or int64</source>
        <translation>其数值类型为 &apos;%1&apos;；token 是整数，保存为 uint16、uint32 或 int64</translation>
    </message>
    <message>
        <source>it does not start like a .npy file</source>
        <translation>其开头不是 .npy 文件的格式</translation>
    </message>
    <message>
        <source>its format version is %1; 1 to 3 are known</source>
        <translation>其格式版本为 %1；已知版本为 1 到 3</translation>
    </message>
    <message>
        <source>it ends inside its header</source>
        <translation>文件在其头部之内就结束了</translation>
    </message>
    <message>
        <source>its header has %1 bytes; at most %2 are read</source>
        <translation>其头部有 %1 字节；最多读取 %2 字节</translation>
    </message>
    <message>
        <source>its header is not one that NumPy writes for a plain array</source>
        <translation>其头部不是 NumPy 为普通数组写的头部</translation>
    </message>
    <message>
        <source>its array is in Fortran order; save numpy.ascontiguousarray of it</source>
        <translation>其数组为 Fortran 顺序；改用 numpy.ascontiguousarray 转换后保存</translation>
    </message>
    <message>
        <source>its shape is larger than any file</source>
        <translation>其形状大于任何文件</translation>
    </message>
    <message>
        <source>its header promises %1 elements and the file holds %2 and a part</source>
        <translation>其头部声明 %1 个元素，而文件中有 %2 个又一部分</translation>
    </message>
    <message>
        <source>its header promises %1 elements and the file holds %2</source>
        <translation>其头部声明 %1 个元素，而文件中有 %2 个</translation>
    </message>
    <message>
        <source>Cannot start from &quot;%1&quot;: %2</source>
        <translation>无法从 &quot;%1&quot; 开始：%2</translation>
    </message>
    <message>
        <source>Cannot read weights from &quot;%1&quot;: %2</source>
        <translation>无法从 &quot;%1&quot; 读取权重：%2</translation>
    </message>
    <message>
        <source>Cannot read weights through &quot;%1&quot;: %2</source>
        <translation>无法通过 &quot;%1&quot; 读取权重：%2</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is in two files</source>
        <translation>&quot;%1&quot; 出现在两个文件中</translation>
    </message>
    <message>
        <source>the file of &quot;%1&quot; is not a plain name</source>
        <translation>&quot;%1&quot; 所在文件不是单纯的文件名</translation>
    </message>
    <message>
        <source>it has no &quot;%1&quot;; give the file of a model with the same family and layers</source>
        <translation>其中没有 &quot;%1&quot;；给出同一系列、同样层数的模型的文件</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has shape %2 where the model needs %3</source>
        <translation>&quot;%1&quot; 的形状为 %2，而模型需要 %3</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is of type %2; weights are floating-point numbers</source>
        <translation>&quot;%1&quot; 的类型为 %2；权重应为浮点数</translation>
    </message>
    <message>
        <source>its entry &quot;%1&quot; lacks dtype, shape or data_offsets</source>
        <translation>其条目 &quot;%1&quot; 缺少 &quot;dtype&quot;、&quot;shape&quot; 或 &quot;data_offsets&quot;</translation>
    </message>
    <message>
        <source>its tensor &quot;%1&quot; has a type that is not known</source>
        <translation>其张量 &quot;%1&quot; 的类型未知</translation>
    </message>
    <message>
        <source>its tensor &quot;%1&quot; has no proper shape or offsets</source>
        <translation>其张量 &quot;%1&quot; 的形状或偏移无效</translation>
    </message>
    <message>
        <source>its tensor &quot;%1&quot; lies outside the file</source>
        <translation>其张量 &quot;%1&quot; 位于文件之外</translation>
    </message>
    <message>
        <source>its tensor &quot;%1&quot; of shape %2 does not have %3 bytes</source>
        <translation>其张量 &quot;%1&quot; 的形状为 %2，与 %3 字节不符</translation>
    </message>
    <message>
        <source>its tensor &quot;%1&quot; overlaps another</source>
        <translation>其张量 &quot;%1&quot; 与另一个重叠</translation>
    </message>
    <message>
        <source>its tensor &quot;%1&quot; leaves a gap before it</source>
        <translation>其张量 &quot;%1&quot; 之前有空隙</translation>
    </message>
    <message>
        <source>it is shorter than the length of its header</source>
        <translation>它比其头部的长度还短</translation>
    </message>
    <message>
        <source>its header would have %1 bytes; at most %2 are read</source>
        <translation>其头部将有 %1 字节；最多读取 %2 字节</translation>
    </message>
    <message>
        <source>its header is not JSON: %1</source>
        <translation>其头部不是 JSON：%1</translation>
    </message>
    <message>
        <source>its header is no object</source>
        <translation>其头部不是对象</translation>
    </message>
    <message>
        <source>it has bytes behind its last tensor</source>
        <translation>其最后一个张量之后还有字节</translation>
    </message>
    <message>
        <source>Cannot continue from &quot;%1&quot;: it is of another model, %2 is missing there; give the workspace the model of that run, or launch a new run</source>
        <translation>无法从 &quot;%1&quot; 继续：它属于另一个模型，其中没有 %2；让工作区使用该运行的模型，或重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot continue from &quot;%1&quot;: it is of another model, %2 is [%3] there and [%4] here; give the workspace the model of that run, or launch a new run</source>
        <translation>无法从 &quot;%1&quot; 继续：它属于另一个模型，%2 在那里为 [%3]，在此为 [%4]；让工作区使用该运行的模型，或重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot continue from &quot;%1&quot;: it is of another model, %2 is there and not here; give the workspace the model of that run, or launch a new run</source>
        <translation>无法从 &quot;%1&quot; 继续：它属于另一个模型，%2 在那里有而此处没有；让工作区使用该运行的模型，或重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot continue from this checkpoint: it is of another model, with %1 %2 where this one has %3; give the workspace the model of that run, or launch a new run</source>
        <translation>无法从该检查点继续：它属于另一个模型，其 %1 为 %2，而此处为 %3；让工作区使用该运行的模型，或重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot read the checkpoints in &quot;%1&quot;: %2; make the folder readable, or launch a new run</source>
        <translation>无法读取 &quot;%1&quot; 中的检查点：%2；使该文件夹可读，或重新启动一个运行</translation>
    </message>
    <message>
        <source>Cannot read &quot;%1&quot;: %2; mend that, or launch a new run</source>
        <translation>无法读取 &quot;%1&quot;：%2；先排除该问题，或重新启动一个运行</translation>
    </message>
    <message>
        <source>it ends too early</source>
        <translation>它过早结束</translation>
    </message>
    <message>
        <source>in its manifest.json %1</source>
        <translation>其 manifest.json 中%1</translation>
    </message>
    <message>
        <source>it is not JSON: %1</source>
        <translation>不是 JSON：%1</translation>
    </message>
    <message>
        <source>it is no manifest of a checkpoint</source>
        <translation>不是检查点的清单</translation>
    </message>
    <message>
        <source>it is of a version that this program does not read; use a newer one</source>
        <translation>属于此程序不读取的版本；改用较新的版本</translation>
    </message>
    <message>
        <source>its step or world is damaged</source>
        <translation>&quot;step&quot; 或 &quot;world&quot; 已损坏</translation>
    </message>
    <message>
        <source>it has no &quot;%1&quot;</source>
        <translation>没有 &quot;%1&quot;</translation>
    </message>
    <message>
        <source>the shape of &quot;%1&quot; is not one</source>
        <translation>&quot;%1&quot; 的形状无效</translation>
    </message>
    <message>
        <source>it does not list one file for each rank</source>
        <translation>没有为每个 rank 列出一个文件</translation>
    </message>
    <message>
        <source>the entry of file %1 is damaged</source>
        <translation>文件 %1 的条目已损坏</translation>
    </message>
    <message>
        <source>an extent names &quot;%1&quot;, which is no parameter</source>
        <translation>某个区段指向 &quot;%1&quot;，它不是参数</translation>
    </message>
    <message>
        <source>an extent of &quot;%1&quot; ends behind it</source>
        <translation>&quot;%1&quot; 的某个区段超出了它的末尾</translation>
    </message>
    <message>
        <source>an extent of &quot;%1&quot; lies in no file</source>
        <translation>&quot;%1&quot; 的某个区段不在任何文件中</translation>
    </message>
    <message>
        <source>an extent of &quot;%1&quot; lies outside its file</source>
        <translation>&quot;%1&quot; 的某个区段位于其文件之外</translation>
    </message>
    <message>
        <source>an extent is no object</source>
        <translation>某个区段不是对象</translation>
    </message>
    <message>
        <source>an extent of &quot;%1&quot; is damaged</source>
        <translation>&quot;%1&quot; 的某个区段已损坏</translation>
    </message>
    <message>
        <source>an extent of &quot;%1&quot; has the wrong number of checksums</source>
        <translation>&quot;%1&quot; 的某个区段的校验和数量有误</translation>
    </message>
    <message>
        <source>a checksum of &quot;%1&quot; is damaged</source>
        <translation>&quot;%1&quot; 的某个校验和已损坏</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has no shape</source>
        <translation>&quot;%1&quot; 没有形状</translation>
    </message>
    <message>
        <source>%1 of &quot;%2&quot; has elements [%3, %4) twice</source>
        <translation>&quot;%2&quot; 的 %1 中元素 [%3, %4) 重复</translation>
    </message>
    <message>
        <source>%1 of &quot;%2&quot; has elements [%3, %4) missing</source>
        <translation>&quot;%2&quot; 的 %1 中元素 [%3, %4) 缺失</translation>
    </message>
    <message>
        <source>%1 of &quot;%2&quot; has two types</source>
        <translation>&quot;%2&quot; 的 %1 有两种类型</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has no weights</source>
        <translation>&quot;%1&quot; 没有权重</translation>
    </message>
    <message>
        <source>Cannot read &quot;%1&quot;: it is not a file</source>
        <translation>无法读取 &quot;%1&quot;：它不是文件</translation>
    </message>
    <message>
        <source>Cannot write &quot;%1&quot;: %2</source>
        <translation>无法写入 &quot;%1&quot;：%2</translation>
    </message>
    <message>
        <source>Cannot make the folder &quot;%1&quot;: %2</source>
        <translation>无法创建文件夹 &quot;%1&quot;：%2</translation>
    </message>
    <message>
        <source>Cannot make the run folder &quot;%1&quot;: %2; make it possible there, or name another place with XDG_DATA_HOME before this window starts</source>
        <translation>无法创建运行文件夹 &quot;%1&quot;：%2；取得写权限，或在启动窗口前用环境变量 XDG_DATA_HOME 指定其他位置</translation>
    </message>
    <message>
        <source>Cannot make a run folder under &quot;%1&quot;: 10,000 of this name are there; delete some</source>
        <translation>无法在 &quot;%1&quot; 下创建运行文件夹：已有 10,000 个同名文件夹；删除一些</translation>
    </message>
    <message>
        <source>Cannot lock &quot;%1&quot;: %2; make the folder writable</source>
        <translation>无法锁定 &quot;%1&quot;：%2；取得该文件夹的写权限</translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;: %2; make the folder writable</source>
        <translation>无法打开 &quot;%1&quot;：%2；取得该文件夹的写权限</translation>
    </message>
    <message>
        <source>another process holds it</source>
        <translation>另一个进程占用着它</translation>
    </message>
    <message>
        <source>other programs keep replacing it</source>
        <translation>其他程序不断替换它</translation>
    </message>
    <message>
        <source>Cannot write &quot;%1&quot;: %2; free space</source>
        <translation>无法写入 &quot;%1&quot;：%2；释放空间</translation>
    </message>
    <message>
        <source>Cannot write to &quot;%1&quot;: %2; free space</source>
        <translation>无法写入 &quot;%1&quot;：%2；释放空间</translation>
    </message>
    <message>
        <source>Cannot open &quot;%1&quot;: %2; free space</source>
        <translation>无法打开 &quot;%1&quot;：%2；释放空间</translation>
    </message>
    <message>
        <source>Cannot write &quot;%1&quot;: %2; free space, what waits is written then</source>
        <translation>无法写入 &quot;%1&quot;：%2；释放空间，之后会写入等待中的内容</translation>
    </message>
    <message>
        <source>Cannot append to &quot;%1&quot;: it does not start with this version&apos;s header; move it away</source>
        <translation>无法追加到 &quot;%1&quot;：其开头不是此版本的头部；将它移走</translation>
    </message>
    <message>
        <source>Cannot delete &quot;%1&quot;: %2</source>
        <translation>无法删除 &quot;%1&quot;：%2</translation>
    </message>
    <message>
        <source>Cannot find run &quot;%1&quot;: no run.json there or under &quot;%2&quot;; choose one from the list of runs</source>
        <translation>找不到运行 &quot;%1&quot;：该处及 &quot;%2&quot; 下都没有 run.json；从运行列表中选择</translation>
    </message>
    <message>
        <source>Cannot start a rank: program &quot;%1&quot; is not there or not executable; install Stagecraft again</source>
        <translation>无法启动 rank：程序 &quot;%1&quot; 不存在或不可执行；重新安装 Stagecraft</translation>
    </message>
    <message>
        <source>Cannot start a rank: %1: %2</source>
        <translation>无法启动 rank：%1：%2</translation>
    </message>
    <message>
        <source>opening &quot;%1&quot;</source>
        <translation>打开 &quot;%1&quot;</translation>
    </message>
    <message>
        <source>making its socket</source>
        <translation>创建其套接字</translation>
    </message>
    <message>
        <source>making a pipe</source>
        <translation>创建管道</translation>
    </message>
    <message>
        <source>starting &quot;%1&quot;</source>
        <translation>启动 &quot;%1&quot;</translation>
    </message>
    <message>
        <source>Cannot launch: a run is live in this window; stop it first</source>
        <translation>无法启动：此窗口中有运行正在进行；先停止它</translation>
    </message>
    <message>
        <source>Cannot launch: &quot;%1&quot; is not there; install Stagecraft again</source>
        <translation>无法启动：&quot;%1&quot; 不存在；重新安装 Stagecraft</translation>
    </message>
    <message>
        <source>Cannot launch &quot;%1&quot;: %2</source>
        <translation>无法启动 &quot;%1&quot;：%2</translation>
    </message>
    <message>
        <source>Cannot find &quot;%1&quot;, which is part of the product: tried %2; install Stagecraft again</source>
        <translation>找不到产品自带的 &quot;%1&quot;：已尝试 %2；重新安装 Stagecraft</translation>
    </message>
    <message>
        <source>Not a run: &quot;%1&quot; is missing</source>
        <translation>不是运行：缺少 &quot;%1&quot;</translation>
    </message>
    <message>
        <source>Not a run: &quot;%1&quot; is missing or unknown</source>
        <translation>不是运行：&quot;%1&quot; 缺失或未知</translation>
    </message>
    <message>
        <source>The run folder &quot;%1&quot; was removed while the run trained; start it anew</source>
        <translation>训练期间运行文件夹 &quot;%1&quot; 被移除；重新启动</translation>
    </message>
    <message>
        <source>The run folder &quot;%1&quot; was moved to &quot;%2&quot; while the run trained; continue it there</source>
        <translation>训练期间运行文件夹 &quot;%1&quot; 被移到 &quot;%2&quot;；在那里继续该运行</translation>
    </message>
    <message>
        <source>The last checkpoint, of step %1, was not written: %2; mend that and continue from step %3</source>
        <translation>最后的检查点（第 %1 步）未能写入：%2；解决该问题，然后从第 %3 步继续</translation>
    </message>
    <message>
        <source>it gave no reason</source>
        <translation>它没有给出原因</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>设备上没有剩余空间</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>文件系统只读</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>不是目录</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>文件名过长</translation>
    </message>
    <message>
        <source>Too many open files</source>
        <translation>打开的文件过多</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>输入/输出错误</translation>
    </message>
    <message>
        <source>Disk quota exceeded</source>
        <translation>超出磁盘配额</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; use a whole number from %3 to %4</source>
        <translation>&quot;%1&quot; 为 %2；应为 %3 到 %4 的整数</translation>
    </message>
    <message>
        <source>&quot;training.epochs&quot; stands beside &quot;training.steps&quot;; give one of the two</source>
        <translation>&quot;training.epochs&quot; 与 &quot;training.steps&quot; 同时给出；只给其中一个</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is %2; use a number without quotes</source>
        <translation>&quot;%1&quot; 为 %2；应为不带引号的数字</translation>
    </message>
    <message>
        <source>Train batch size</source>
        <translation>训练批次大小</translation>
    </message>
    <message>
        <source>Micro batch size per gpu</source>
        <translation>每 GPU 的 micro-batch 大小</translation>
    </message>
    <message>
        <source>Gradient accumulation steps</source>
        <translation>梯度累积步数</translation>
    </message>
    <message>
        <source>Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size %1; change one, or leave one out to have it inferred</source>
        <translation>批次大小参数不一致：&quot;train_batch_size&quot; 不等于 &quot;train_micro_batch_size_per_gpu&quot; × &quot;gradient_accumulation_steps&quot; × rank 数：%1；更改其一，或省略其一让它被推算</translation>
    </message>
    <message>
        <source>0 up to, not including, 1 for each</source>
        <translation>每个都从 0 到 1（不含 1）</translation>
    </message>
    <message>
        <source>&apos;max_grad_norm&apos; is not supported as an optimizer parameter, please switch to using the deepspeed parameter &apos;gradient_clipping&apos;</source>
        <translation>优化器参数不支持 &apos;max_grad_norm&apos;；改用 DeepSpeed 的 &apos;gradient_clipping&apos;</translation>
    </message>
    <message>
        <source>FusedAdam does not support the AMSGrad variant; remove &quot;optimizer.params.amsgrad&quot;</source>
        <translation>&quot;FusedAdam&quot; 不支持 &quot;amsgrad&quot; 变体；移除 &quot;optimizer.params.amsgrad&quot;</translation>
    </message>
    <message>
        <source>torch&apos;s Adam has no parameter bias_correction; remove it or torch_adam</source>
        <translation>torch 的 &quot;Adam&quot; 没有参数 &quot;bias_correction&quot;；移除它或 &quot;torch_adam&quot;</translation>
    </message>
    <message>
        <source>cycle_first_step_size must be positive, got %1</source>
        <translation>&quot;cycle_first_step_size&quot; 须为正数，实为 %1</translation>
    </message>
    <message>
        <source>cycle_second_step_size must be non-negative, got %1</source>
        <translation>&quot;cycle_second_step_size&quot; 须为非负数，实为 %1</translation>
    </message>
    <message>
        <source>&quot;scheduler.params.last_batch_iteration&quot; starts in the middle of a schedule; resume from a checkpoint instead</source>
        <translation>&quot;scheduler.params.last_batch_iteration&quot; 从学习率计划的中途开始；改为从检查点继续</translation>
    </message>
    <message>
        <source>&quot;gradient_allreduce_op&quot; is &quot;sum&quot;; this engine averages over the ranks, so use &quot;mean&quot;</source>
        <translation>&quot;gradient_allreduce_op&quot; 为 &quot;sum&quot;；本引擎在各 rank 上取平均，用 &quot;mean&quot;</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is enabled, which this engine does not have; %2, and remove it</source>
        <translation>已启用 &quot;%1&quot;，本引擎没有该功能；%2，并移除它</translation>
    </message>
    <message>
        <source>use &quot;bf16&quot; for mixed precision</source>
        <translation>混合精度用 &quot;bf16&quot;</translation>
    </message>
    <message>
        <source>give the batch sizes themselves</source>
        <translation>直接给出批次大小</translation>
    </message>
    <message>
        <source>every sample has the model&apos;s full length</source>
        <translation>每个样本都是模型的完整长度</translation>
    </message>
    <message>
        <source>every sample is used in full</source>
        <translation>每个样本都被完整使用</translation>
    </message>
    <message>
        <source>every layer takes part in every step</source>
        <translation>每一层都参与每一步</translation>
    </message>
    <message>
        <source>weights are trained unquantised</source>
        <translation>权重以未量化形式训练</translation>
    </message>
    <message>
        <source>the models have no experts</source>
        <translation>模型没有专家层</translation>
    </message>
    <message>
        <source>&quot;%1&quot; changes the model that is trained; this engine trains it as it is, so remove it</source>
        <translation>&quot;%1&quot; 会改变所训练的模型；本引擎按原样训练，移除它</translation>
    </message>
    <message>
        <source>&quot;zero_optimization.legacy_stage1&quot; is true; DeepSpeed no longer has that stage 1, so remove it</source>
        <translation>&quot;zero_optimization.legacy_stage1&quot; 为 true；DeepSpeed 已没有该 stage 1，移除它</translation>
    </message>
    <message>
        <source>&quot;zero_optimization.zenflow&quot; asks for delayed updates; this engine updates every parameter at every step, so remove it</source>
        <translation>&quot;zero_optimization.zenflow&quot; 要求延迟更新；本引擎每步更新每个参数，移除它</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; scales rotary positions by &quot;%2&quot;; the engine has &quot;linear&quot; and &quot;llama3&quot;</source>
        <translation>config.json：&quot;%1&quot; 以 &quot;%2&quot; 缩放旋转位置编码；引擎支持 &quot;linear&quot; 和 &quot;llama3&quot;</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; scales rotary positions by &quot;%2&quot; without &quot;%3&quot;; add it</source>
        <translation>config.json：&quot;%1&quot; 以 &quot;%2&quot; 缩放旋转位置编码，但没有 &quot;%3&quot;；补上</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; has a &quot;factor&quot; below 1; use 1 or more</source>
        <translation>config.json：&quot;%1&quot; 的 &quot;factor&quot; 小于 1；应为 1 或更大</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; needs &quot;high_freq_factor&quot; above &quot;low_freq_factor&quot; above 0</source>
        <translation>config.json：&quot;%1&quot; 须满足 &quot;high_freq_factor&quot; 大于 &quot;low_freq_factor&quot; 大于 0</translation>
    </message>
    <message>
        <source>config.json: &quot;%1&quot; has an &quot;original_max_position_embeddings&quot; below 1</source>
        <translation>config.json：&quot;%1&quot; 的 &quot;original_max_position_embeddings&quot; 小于 1</translation>
    </message>
    <message>
        <source>Cannot read &quot;%1&quot;: it is a pipe or a device, not a file.</source>
        <translation>无法读取“%1”：它是管道或设备，不是文件。</translation>
    </message>
    <message>
        <source>Cannot write &quot;%1&quot;: it is a pipe or a device, not a file; choose another name with Save as.</source>
        <translation>无法写入“%1”：它是管道或设备，不是文件；改用“另存为”换一个名称。</translation>
    </message>
    <message>
        <source>Cannot write &quot;%1&quot;: its folder is gone and cannot be made (%2); choose another place with Save as.</source>
        <translation>无法写入“%1”：所在文件夹已不存在，且无法重新创建（%2）；改用“另存为”换一个位置。</translation>
    </message>
    <message>
        <source>Cannot save &quot;%1&quot;: another program changed it meanwhile.</source>
        <translation>无法保存“%1”：其间另一程序修改了该文件。</translation>
    </message>
    <message>
        <source>Cannot save the workspace as &quot;%1&quot;: that is its own ds_config file; choose another name.</source>
        <translation>无法将工作区另存为“%1”：那是它自己的 ds_config 文件；换一个名称。</translation>
    </message>
    <message>
        <source>File exists</source>
        <translation>文件已存在</translation>
    </message>
    <message>
        <source>No such device or address</source>
        <translation>没有该设备或地址</translation>
    </message>
    <message>
        <source>every rank failed: %1</source>
        <translation>所有 rank 均失败：%1</translation>
    </message>
    <message>
        <source>Loss or gradient norm is not finite (loss %1, norm %2); weights were not updated. Try a lower learning rate, gradient_clipping, or look at the data.</source>
        <translation>损失或梯度范数不是有限值（损失 %1，范数 %2）；权重未更新。尝试更低的学习率、gradient_clipping，或检查数据。</translation>
    </message>
    <message>
        <source>Cannot calibrate from run &quot;%1&quot;: %2</source>
        <translation>无法用运行“%1”校准：%2</translation>
    </message>
    <message>
        <source>it is still going on; wait until it is over</source>
        <translation>它仍在进行；等它结束</translation>
    </message>
    <message>
        <source>it was killed; use a run that finished</source>
        <translation>它被强制结束了；选用已完成的运行</translation>
    </message>
    <message>
        <source>it failed; use a run that finished</source>
        <translation>它已失败；选用已完成的运行</translation>
    </message>
    <message>
        <source>its run.json has no id</source>
        <translation>其 run.json 没有 id</translation>
    </message>
    <message>
        <source>its record does not say on which machine it ran; run it again with this release</source>
        <translation>其记录未注明在哪台机器上运行；改用当前版本重新运行</translation>
    </message>
    <message>
        <source>it is no run of our engine on processors</source>
        <translation>它不是本引擎在 CPU 上的运行</translation>
    </message>
    <message>
        <source>its %1 ranks of %2 threads shared %3 cores, so that their times say nothing of other layouts; use a run with at most as many ranks</source>
        <translation>其 %1 个 rank（每个 %2 线程）共用 %3 个核心，测得的时间无法说明其他布局；选用 rank 数不超过核心数的运行</translation>
    </message>
    <message>
        <source>it recorded no steps</source>
        <translation>它没有记录任何一步</translation>
    </message>
    <message>
        <source>it has %1 steps after %2 of warm-up; use a run of %3 or more</source>
        <translation>预热 %2 步之后只有 %1 步；选用 %3 步以上的运行</translation>
    </message>
    <message>
        <source>its later steps are %1 % slower than its first ones; run again on a machine with nothing else to do</source>
        <translation>后半段每步耗时比前半段多 %1 %；在空闲的机器上重新运行</translation>
    </message>
    <message>
        <source>its later steps are %1 % faster than its first ones; run again on a machine with nothing else to do</source>
        <translation>后半段每步耗时比前半段少 %1 %；在空闲的机器上重新运行</translation>
    </message>
    <message>
        <source>the middle half of its step times spreads over %1 %; run again on a machine with nothing else to do</source>
        <translation>单步时间的四分位距达中位数的 %1 %；在空闲的机器上重新运行</translation>
    </message>
    <message>
        <source>its plan.json has units that its model has not</source>
        <translation>其 plan.json 含有模型中没有的单元</translation>
    </message>
    <message>
        <source>it recorded no spans of some of its ops; run it with STAGECRAFT_TELEMETRY on</source>
        <translation>部分算子没有耗时记录；开启 STAGECRAFT_TELEMETRY 后重新运行</translation>
    </message>
    <message>
        <source>its plan.json has no visit of some kind of unit</source>
        <translation>其 plan.json 缺少某类单元的计算</translation>
    </message>
    <message>
        <source>Cannot read the workspace that &quot;%1&quot; was run with: %2</source>
        <translation>无法读取“%1”运行时所用的工作区：%2</translation>
    </message>
    <message>
        <source>Cannot learn from &quot;%1&quot;: its plan.json has no program</source>
        <translation>无法用“%1”校准：其 plan.json 没有执行程序</translation>
    </message>
    <message>
        <source>Cannot read the schedule of &quot;%1&quot;: it is broken or has no &quot;schedule&quot;</source>
        <translation>无法读取“%1”的调度：文件已损坏，或缺少 &quot;schedule&quot;</translation>
    </message>
    <message>
        <source>A calibration in &quot;%1&quot; cannot be used (%2); remove it</source>
        <translation>“%1”中有一份校准无法使用（%2）；将其删除</translation>
    </message>
    <message>
        <source>%1 calibrations in &quot;%2&quot; cannot be used (%3); remove them</source>
        <translation>“%2”中有 %1 份校准无法使用（%3）；将其删除</translation>
    </message>
    <message>
        <source>it has another&apos;s id</source>
        <translation>id 与文件名不符</translation>
    </message>
    <message>
        <source>it is no file</source>
        <translation>它不是文件</translation>
    </message>
    <message>
        <source>There is no calibration &quot;%1&quot; in &quot;%2&quot;</source>
        <translation>“%2”中没有校准“%1”</translation>
    </message>
    <message>
        <source>Cannot remove &quot;%1&quot;: %2</source>
        <translation>无法删除“%1”：%2</translation>
    </message>
    <message>
        <source>it was measured on &quot;%1&quot; and this is &quot;%2&quot;</source>
        <translation>测量时的 CPU 是“%1”，本机是“%2”</translation>
    </message>
    <message>
        <source>it was measured with %1 of %2 cores usable, now it is %3 of %4</source>
        <translation>测量时 %2 个核心中有 %1 个可用，现在 %4 个中有 %3 个</translation>
    </message>
    <message>
        <source>the memory of this machine has changed since</source>
        <translation>本机内存在测量之后已改变</translation>
    </message>
    <message>
        <source>it was measured with release %1 and this is %2</source>
        <translation>测量时的版本是 %1，当前版本是 %2</translation>
    </message>
    <message>
        <source>Cannot use the measurement of this machine in &quot;%1&quot;: %2; until it is measured again, plans go by data sheets.</source>
        <translation>无法使用“%1”中的本机测量结果：%2；重新测量之前，规划以设备标称值为准。</translation>
    </message>
    <message>
        <source>The measurement of %1 does not hold on this machine: %2; until it is measured again, plans go by data sheets.</source>
        <translation>%1 的测量结果不适用于本机：%2；重新测量之前，规划以设备标称值为准。</translation>
    </message>
    <message>
        <source>run %1 of %2, %3 steps at %4 ranks, stage %5</source>
        <translation>%2 的运行 %1，%3 步，%4 个 rank，stage %5</translation>
    </message>
    <message>
        <source>run %1 of %2, %3 steps at 1 rank, stage %4</source>
        <translation>%2 的运行 %1，%3 步，1 个 rank，stage %4</translation>
    </message>
    <message>
        <source>this machine&apos;s rates, measured on %1</source>
        <translation>本机实测速率（%1）</translation>
    </message>
    <message>
        <source>the data sheet of %1</source>
        <translation>%1 的标称参数</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::LiveBanner</name>
    <message>
        <source>Re-attach</source>
        <translation>重新连接</translation>
    </message>
    <message>
        <source>Shows the run on the Run page, where it can be stopped and killed</source>
        <translation>在“运行”页显示该运行，可在那里停止或终止它</translation>
    </message>
    <message>
        <source>Hide until another run is live</source>
        <translation>隐藏，直到有另一个运行开始</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunSelector</name>
    <message>
        <source>%1, live</source>
        <translation>%1，进行中</translation>
    </message>
    <message>
        <source>Run shown</source>
        <translation>显示的运行</translation>
    </message>
    <message>
        <source>Recorded runs, newest first</source>
        <translation>已记录的运行，最新在前</translation>
    </message>
    <message>
        <source>Choose a run</source>
        <translation>选择一个运行</translation>
    </message>
    <message>
        <source>No run recorded</source>
        <translation>没有已记录的运行</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::FailureWords</name>
    <message>
        <source>%1 before it was done</source>
        <translation>%1，此时工作尚未完成</translation>
    </message>
    <message>
        <source>%1 during %2</source>
        <translation>%1，当时正在执行 %2</translation>
    </message>
    <message>
        <source>%1; its last words: %2</source>
        <translation>%1；其最后输出：%2</translation>
    </message>
    <message>
        <source>signal</source>
        <translation>信号</translation>
    </message>
    <message>
        <source>exit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>hang</source>
        <translation>挂起</translation>
    </message>
    <message>
        <source>start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>检查点</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ChecklistPanel</name>
    <message>
        <source>Checklist</source>
        <translation>检查清单</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>%1 practices, none missed</source>
        <translation>%1 项做法，无遗漏</translation>
    </message>
    <message>
        <source>%1 practices, %2 not judged</source>
        <translation>%1 项做法，%2 项未判断</translation>
    </message>
    <message>
        <source>Model and hardware are assumed. What depends on them is judged once they are chosen.</source>
        <translation>模型与硬件是假定的。与之有关的各项在选定后才作判断。</translation>
    </message>
    <message>
        <source>Choose model and hardware</source>
        <translation>选择模型与硬件</translation>
    </message>
    <message>
        <source>%1 practices, %2 missed</source>
        <translation>%1 项做法，%2 项未做到</translation>
    </message>
    <message>
        <source>Show the key</source>
        <translation>显示该键</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ChoiceList</name>
    <message>
        <source>chosen</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>Nothing here is called “%1”.</source>
        <translation>没有名为“%1”的项。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::HardwareChoicePage</name>
    <message>
        <source>Device sheets…</source>
        <translation>设备规格表…</translation>
    </message>
    <message>
        <source>Every figure that plans take of a device, with its source; your own sheets</source>
        <translation>规划所用的每项设备数据及其来源；自己的规格表</translation>
    </message>
    <message>
        <source>Hardware → %1 × %2</source>
        <translation>硬件 → %1 × %2</translation>
    </message>
    <message>
        <source>CPU rank</source>
        <translation>CPU rank</translation>
    </message>
    <message numerus="yes">
        <source>%n devices: %1. Data-parallel ranks fill what is chosen.</source>
        <translation>
            <numerusform>%n 个设备：%1。数据并行 rank 数随所选设备而定。</numerusform>
        </translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Search devices</source>
        <translation>搜索设备</translation>
    </message>
    <message>
        <source>Own data sheets</source>
        <translation>自定数据表</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>Its memory and threads, shared by the ranks</source>
        <translation>内存与线程由各 rank 共用</translation>
    </message>
    <message>
        <source>Devices per node</source>
        <translation>每节点设备数</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点数</translation>
    </message>
    <message>
        <source>Host memory</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>What a node has for what is offloaded, and for building the model. Empty: this machine&apos;s where the plan is for it, else not said, and whether the host has room is then not judged</source>
        <translation>一个节点可用于卸载内容与构建模型的内存。留空：为本机规划时取本机内存，否则视为未写明，不判断主机是否放得下</translation>
    </message>
    <message>
        <source>not said</source>
        <translation>未写明</translation>
    </message>
    <message>
        <source>Host memory: not said</source>
        <translation>主机内存：未写明</translation>
    </message>
    <message>
        <source>Host memory → %1 GiB</source>
        <translation>主机内存 → %1 GiB</translation>
    </message>
    <message>
        <source>Host memory %1 → %2 GiB</source>
        <translation>主机内存 %1 → %2 GiB</translation>
    </message>
    <message>
        <source>the host&apos;s memory</source>
        <translation>主机的内存</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::SheetForm</name>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>id</translation>
    </message>
    <message>
        <source>What a workspace names the device by; the id of a built-in sheet takes that one's place</source>
        <translation>工作区用它指定设备；与内置规格表同 id 时取而代之</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Vendor</source>
        <translation>厂商</translation>
    </message>
    <message>
        <source>Year</source>
        <translation>年份</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Memory as sold</source>
        <translation>标称显存</translation>
    </message>
    <message>
        <source>The maker's figure, whose GB may be 2^30 B</source>
        <translation>厂商标称值，其 GB 可能指 2^30 B</translation>
    </message>
    <message>
        <source>Usable memory</source>
        <translation>可用显存</translation>
    </message>
    <message>
        <source>What a program can have, 1 GiB = 2^30 B: every verdict is held against it; no more than what is sold</source>
        <translation>程序实际可用的量，1 GiB = 2^30 B：所有结论都以它为准；不超过标称值</translation>
    </message>
    <message>
        <source>Memory bandwidth</source>
        <translation>显存带宽</translation>
    </message>
    <message>
        <source>Of the device's own memory, reads and writes together</source>
        <translation>设备自身显存的带宽，读写合计</translation>
    </message>
    <message>
        <source>Peak of matrix products, dense (without sparsity)</source>
        <translation>矩阵乘法峰值，稠密（不计稀疏）</translation>
    </message>
    <message>
        <source>fp32</source>
        <translation>fp32</translation>
    </message>
    <message>
        <source>tf32</source>
        <translation>tf32</translation>
    </message>
    <message>
        <source>bf16</source>
        <translation>bf16</translation>
    </message>
    <message>
        <source>fp16</source>
        <translation>fp16</translation>
    </message>
    <message>
        <source>fp8</source>
        <translation>fp8</translation>
    </message>
    <message>
        <source>fp4</source>
        <translation>fp4</translation>
    </message>
    <message>
        <source>Needed: what a type that is not given falls back to at the last</source>
        <translation>必填：未给出的类型最终按它计算</translation>
    </message>
    <message>
        <source>Not given: bf16 is computed as fp32</source>
        <translation>未给出时，bf16 按 fp32 计算</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Link to its peers</source>
        <translation>设备间链路</translation>
    </message>
    <message>
        <source>Such as NVLink 4; all three empty: peers are reached over PCIe</source>
        <translation>例如 NVLink 4；三项都为空时，设备间走 PCIe</translation>
    </message>
    <message>
        <source>Link, per direction</source>
        <translation>链路，单向</translation>
    </message>
    <message>
        <source>One device to all its peers, one direction: half of what is sold as both ways</source>
        <translation>一个设备到所有对端的单向速率：双向标称值的一半</translation>
    </message>
    <message>
        <source>Devices on one link</source>
        <translation>同一链路上的设备数</translation>
    </message>
    <message>
        <source>Devices that reach each other over it</source>
        <translation>通过该链路互相可达的设备</translation>
    </message>
    <message>
        <source>Host link, per direction</source>
        <translation>主机链路，单向</translation>
    </message>
    <message>
        <source>PCIe or what takes its place: what is offloaded goes over it</source>
        <translation>PCIe 或其替代：卸载的数据经由它传输</translation>
    </message>
    <message>
        <source>Between devices over PCIe</source>
        <translation>设备之间（PCIe）</translation>
    </message>
    <message>
        <source>What collectives reach there, as the bus bandwidth of nccl-tests; not given: three quarters of the host link</source>
        <translation>集合通信在其上达到的速率，即 nccl-tests 的总线带宽（busbw）；未给出时取主机链路的四分之三</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>Rated power</source>
        <translation>额定功率</translation>
    </message>
    <message>
        <source>Energy is counted with it; not given: none is</source>
        <translation>用于计算能耗；未给出时不计</translation>
    </message>
    <message>
        <source>Source of the power</source>
        <translation>功率的来源</translation>
    </message>
    <message>
        <source>Where it is not that of the sheet</source>
        <translation>与规格表来源不同时填写</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Source of the figures</source>
        <translation>数据来源</translation>
    </message>
    <message>
        <source>Needed: a data sheet, an address, or &quot;measured here&quot;; plans name it beside their figures</source>
        <translation>必填：数据手册、网址或“本机实测”；规划会在数字旁注明</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>not given</source>
        <translation>未给出</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::DeviceSheetsDialog</name>
    <message>
        <source>Device sheets</source>
        <translation>设备规格表</translation>
    </message>
    <message>
        <source>Search device sheets</source>
        <translation>搜索设备规格表</translation>
    </message>
    <message>
        <source>Your own sheets are kept in %1. A workspace takes one by its id.</source>
        <translation>自己的规格表保存在 %1。工作区按 id 使用。</translation>
    </message>
    <message>
        <source>Copy as my sheet</source>
        <translation>复制为我的规格表</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>移除…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>My sheets</source>
        <translation>我的规格表</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Not used: it is not complete</source>
        <translation>未使用：内容不完整</translation>
    </message>
    <message>
        <source>Has no usable value; a sheet needs one.</source>
        <translation>没有可用的值；规格表必须有它。</translation>
    </message>
    <message>
        <source>Must be a number from %1 to %2.</source>
        <translation>必须是 %1 到 %2 之间的数。</translation>
    </message>
    <message>
        <source>Must be a whole number from %1 to %2.</source>
        <translation>必须是 %1 到 %2 之间的整数。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Not used. %1: %2</source>
        <translation>未使用。%1：%2</translation>
    </message>
    <message>
        <source>Remove the data sheet</source>
        <translation>移除规格表</translation>
    </message>
    <message>
        <source>Remove your data sheet of %1?</source>
        <translation>移除自己的规格表 %1？</translation>
    </message>
    <message>
        <source>It is taken out of %1. A built-in sheet of the same id is used again; workspaces that name an id without one are not planned.</source>
        <translation>它会从 %1 中删除。同 id 的内置规格表重新生效；若没有，指定该 id 的工作区将无法规划。</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>The sheet is not saved. Save it, or cancel the editing.</source>
        <translation>规格表尚未保存。保存，或取消编辑。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ModelChoice</name>
    <message>
        <source>Model → %1</source>
        <translation>模型 → %1</translation>
    </message>
    <message>
        <source>Model → %1 parameters</source>
        <translation>模型 → %1 参数</translation>
    </message>
    <message>
        <source>Sequence %1 → %2</source>
        <translation>序列长度 %1 → %2</translation>
    </message>
    <message>
        <source>Choose the config.json of a model</source>
        <translation>选择模型的 config.json</translation>
    </message>
    <message>
        <source>Choose the folder of a Hugging Face model</source>
        <translation>选择 Hugging Face 模型文件夹</translation>
    </message>
    <message>
        <source>A workspace names the folder of a model: the file in it must be called config.json.</source>
        <translation>工作区记录的是模型文件夹：其中的文件须名为 config.json。</translation>
    </message>
    <message>
        <source>Model → own sizes</source>
        <translation>模型 → 自定尺寸</translation>
    </message>
    <message>
        <source>Adapter → none</source>
        <translation>适配器 → 无</translation>
    </message>
    <message>
        <source>Adapter → %1, rank %2</source>
        <translation>适配器 → %1，秩 %2</translation>
    </message>
    <message>
        <source>Choose a folder with a config.json, as save_pretrained writes it, or drop one on the window. Weights are not needed.</source>
        <translation>选择含 config.json 的文件夹（如 save_pretrained 所写），或将其拖入窗口。不需要权重。</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 参数</translation>
    </message>
    <message>
        <source>%1 layers, hidden %2</source>
        <translation>%1 层，隐藏维度 %2</translation>
    </message>
    <message>
        <source>Model from</source>
        <translation>模型来源</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Hugging Face</source>
        <translation>Hugging Face</translation>
    </message>
    <message>
        <source>Own sizes</source>
        <translation>自定尺寸</translation>
    </message>
    <message>
        <source>Parameter count</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>%1 parameters · %2 layers · hidden %3</source>
        <translation>%1 参数 · %2 层 · 隐藏维度 %3</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Choose config.json…</source>
        <translation>选择 config.json…</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>模型系列</translation>
    </message>
    <message>
        <source>What the layers are made of</source>
        <translation>各层的结构</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>注意力头数</translation>
    </message>
    <message>
        <source>Key-value heads</source>
        <translation>键值头数</translation>
    </message>
    <message>
        <source>MLP width</source>
        <translation>MLP 宽度</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表大小</translation>
    </message>
    <message>
        <source>Output tied to the embedding</source>
        <translation>输出层与嵌入共享权重</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>7B, 1.3e9 and 500M are read</source>
        <translation>可写 7B、1.3e9、500M</translation>
    </message>
    <message>
        <source>The ledger then has model states alone: activations and time need the sizes of the model.</source>
        <translation>此时内存账本只含模型状态：激活与时间需要模型的各项尺寸。</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>Low-rank adapters beside frozen weights</source>
        <translation>冻结权重旁的低秩适配器</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>LoRA, 16-bit base</source>
        <translation>LoRA，16 位基座</translation>
    </message>
    <message>
        <source>QLoRA, NF4 base</source>
        <translation>QLoRA，NF4 基座</translation>
    </message>
    <message>
        <source>LoRA, int8 base</source>
        <translation>LoRA，int8 基座</translation>
    </message>
    <message>
        <source>Adapter rank</source>
        <translation>适配器秩</translation>
    </message>
    <message>
        <source>Adapters on</source>
        <translation>适配器位置</translation>
    </message>
    <message>
        <source>all linear layers</source>
        <translation>所有线性层</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>MLP</source>
        <translation>MLP</translation>
    </message>
    <message>
        <source>as PEFT by default</source>
        <translation>PEFT 的默认模块</translation>
    </message>
    <message>
        <source>Head size</source>
        <translation>注意力头维度</translation>
    </message>
    <message>
        <source>Megatron’s arguments describe the model that is planned: %1. A model chosen here takes its place.</source>
        <translation>所规划的模型由 Megatron 的参数描述：%1。在此选择的模型会取代它。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::NumberRow</name>
    <message>
        <source>A whole number from %1 to %2.</source>
        <translation>须为 %1 到 %2 的整数。</translation>
    </message>
    <message>
        <source>A number from %1 to %2; 7B, 1.3e9 and 500M are read.</source>
        <translation>须为 %1 到 %2 的数；可写 7B、1.3e9、500M。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::SubjectPanel</name>
    <message>
        <source>%1, train batch %2 → %3</source>
        <translation>%1，训练批次 %2 → %3</translation>
    </message>
    <message>
        <source>ZeRO stage as the tree decides</source>
        <translation>ZeRO 阶段按决策树</translation>
    </message>
    <message>
        <source>Peak %1 of %2</source>
        <translation>峰值 %1，可用 %2</translation>
    </message>
    <message>
        <source>no plan</source>
        <translation>无法规划</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>unsure</source>
        <translation>不确定</translation>
    </message>
    <message>
        <source>Model and hardware</source>
        <translation>模型与硬件</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>硬件</translation>
    </message>
    <message>
        <source>ZeRO stage by the tree</source>
        <translation>ZeRO 阶段随决策树</translation>
    </message>
    <message>
        <source>Each choice also takes the ZeRO stage, with offload where it is needed, that the decision tree answers with</source>
        <translation>每次选择同时采用决策树给出的 ZeRO 阶段，需要时含卸载</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ClaimWords</name>
    <message>
        <source>The claim holds</source>
        <translation>论断成立</translation>
    </message>
    <message>
        <source>The claim holds under a condition</source>
        <translation>论断有条件成立</translation>
    </message>
    <message>
        <source>The claim is wrong</source>
        <translation>论断不成立</translation>
    </message>
    <message>
        <source>The claim has no source</source>
        <translation>论断没有出处</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2; said: %3</source>
        <translation>%1：%2；原文：%3</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 到 %2</translation>
    </message>
    <message>
        <source>At the source&apos;s own %1 B a parameter they would take %2 GB: that fits, which is why it is said. Mixed-precision Adam keeps %3 B.</source>
        <translation>按原文自己的算法（每个参数 %1 B）只占 %2 GB：放得下，所以原文这样说。混合精度 Adam 每个参数保存 %3 B。</translation>
    </message>
    <message>
        <source>At the source&apos;s own %1 B a parameter they would take %2 GB: that does not fit either.</source>
        <translation>即使按原文自己的算法（每个参数 %1 B）也占 %2 GB：同样放不下。</translation>
    </message>
    <message>
        <source>It probably does not fit: %1.</source>
        <translation>多半放不下：%1。</translation>
    </message>
    <message>
        <source>It may fit: %1.</source>
        <translation>可能放得下：%1。</translation>
    </message>
    <message>
        <source>Predicted: %1 times the speed of plain data parallelism with one micro-batch a step, %2 with %3, as if both fitted; %4 were said, of no stated batch.</source>
        <translation>预测：每步 1 个微批次时速度为普通数据并行的 %1 倍，%3 个时为 %2 倍（假设两者都放得下）；原文称 %4 倍，未说明批次。</translation>
    </message>
    <message>
        <source>Recomputation leaves %1 times fewer activations.</source>
        <translation>重计算使激活减少到 1/%1。</translation>
    </message>
    <message>
        <source>In bf16 the model states take %1 times the memory of fp16: both have 2 B a number.</source>
        <translation>bf16 的模型状态占 fp16 的 %1 倍：两者每个数都是 2 B。</translation>
    </message>
    <message>
        <source>A rank keeps %1 GB less than with plain data parallelism; %2 GB were said.</source>
        <translation>每个 rank 比普通数据并行少占 %1 GB；原文称 %2 GB。</translation>
    </message>
    <message>
        <source>It saves %1 % of the model states, and never %2 %, however many ranks there are.</source>
        <translation>模型状态节省 %1 %；无论多少 rank 都达不到 %2 %。</translation>
    </message>
    <message>
        <source>It saves %1 % of the model states; %2 % takes at least %3 ranks.</source>
        <translation>模型状态节省 %1 %；要达到 %2 % 至少需 %3 个 rank。</translation>
    </message>
    <message>
        <source>The model states take %1 of %2 GB on each device: %3 GB are missing. Those of %4 parameters would just fit.</source>
        <translation>模型状态每张卡需 %1 GB，而每张卡只有 %2 GB：还差 %3 GB。%4 个参数的模型状态刚好放得下。</translation>
    </message>
    <message>
        <source>%1 times fewer activations with recomputation</source>
        <translation>重计算使激活减少到 1/%1</translation>
    </message>
    <message>
        <source>inference at %1 instead of %2 tokens/s, %3 instead of %4 ms a token: %5 times as fast</source>
        <translation>推理 %1 tokens/s（原为 %2），每 token %3 ms（原为 %4）：速度为 %5 倍</translation>
    </message>
    <message>
        <source>The weights take %1 of %2 GB in 16 bits.</source>
        <translation>16 位权重占 %2 GB 中的 %1 GB。</translation>
    </message>
    <message>
        <source>The stated times a token are the inverse of the stated tokens/s: %1 ms.</source>
        <translation>所述每 token 时间就是所述 tokens/s 的倒数：%1 ms。</translation>
    </message>
    <message>
        <source>The stated tokens/s make %1 ms a token, not %2.</source>
        <translation>所述 tokens/s 对应每 token %1 ms，而不是 %2。</translation>
    </message>
    <message>
        <source>That is %1 times as fast; %2 were said.</source>
        <translation>速度为 %1 倍；原文称 %2 倍。</translation>
    </message>
    <message>
        <source>One stream may have a token in %1 ms: reading the weights takes %2 ms.</source>
        <translation>单个序列可以在 %1 ms 内得到一个 token：读取权重需 %2 ms。</translation>
    </message>
    <message>
        <source>No single stream has a token in %1 ms: reading all weights takes %2 ms. It is the inverse of the throughput of a batch of at least %3, not a latency.</source>
        <translation>单个序列不可能在 %1 ms 内得到一个 token：读取全部权重就需 %2 ms。它是批次至少为 %3 时吞吐量的倒数，而不是延迟。</translation>
    </message>
    <message>
        <source>%1 times the memory of fp16</source>
        <translation>内存为 fp16 的 %1 倍</translation>
    </message>
    <message>
        <source>%1 GB saved on each device</source>
        <translation>每张卡节省 %1 GB</translation>
    </message>
    <message>
        <source>%1 % of the memory saved</source>
        <translation>节省 %1 % 的内存</translation>
    </message>
    <message>
        <source>it fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>it does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>%1 GB of each device</source>
        <translation>每张卡占 %1 GB</translation>
    </message>
    <message>
        <source>%1 GB in all are enough</source>
        <translation>总共 %1 GB 就够</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 tokens/s</translation>
    </message>
    <message>
        <source>%1 h per epoch</source>
        <translation>每个 epoch %1 小时</translation>
    </message>
    <message>
        <source>%1 times the speed</source>
        <translation>速度为 %1 倍</translation>
    </message>
    <message>
        <source>The whole peak is %1 GB with activation checkpointing, of the %2 that a process can have.</source>
        <translation>重计算激活时，整个峰值为 %1 GB，进程可用 %2 GB。</translation>
    </message>
    <message>
        <source>The whole peak is %1 GB, of the %2 that a process can have.</source>
        <translation>整个峰值为 %1 GB，进程可用 %2 GB。</translation>
    </message>
    <message>
        <source>It does not fit.</source>
        <translation>放不下。</translation>
    </message>
    <message>
        <source>Offloaded states take %1 GB of each node&apos;s host.</source>
        <translation>卸载的状态占用每个节点 %1 GB 主机内存。</translation>
    </message>
    <message>
        <source>Offloaded states take %1 GB of each node&apos;s host, of which nobody says what it has.</source>
        <translation>卸载的状态占用每个节点 %1 GB 主机内存，而主机共有多少内存并未说明。</translation>
    </message>
    <message>
        <source>The model states take %1 of %2 GB.</source>
        <translation>模型状态占 %2 GB 中的 %1 GB。</translation>
    </message>
    <message>
        <source>%1 GB a device are possible: the model states take %2.</source>
        <translation>每张卡 %1 GB 是可能的：模型状态占 %2 GB。</translation>
    </message>
    <message>
        <source>%1 GB a device are impossible: the model states alone take %2 GB at 16 B a parameter.</source>
        <translation>每张卡 %1 GB 不可能：按每参数 16 B，仅模型状态就占 %2 GB。</translation>
    </message>
    <message>
        <source>Of the model states %1 GB lie on the devices, which have %2 GB.</source>
        <translation>模型状态中有 %1 GB 在显存里，显存共 %2 GB。</translation>
    </message>
    <message>
        <source>%1 tokens/s take %2 h for the %3 tokens of the epoch, as said.</source>
        <translation>按 %1 tokens/s，一个 epoch 的 %3 个 token 需 %2 小时，与论断一致。</translation>
    </message>
    <message>
        <source>%1 tokens/s take %2 h for the %3 tokens of the epoch, not %4 h.</source>
        <translation>按 %1 tokens/s，一个 epoch 的 %3 个 token 需 %2 小时，而不是 %4 小时。</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ClaimsDialog</name>
    <message>
        <source>Said: %1</source>
        <translation>原话：%1</translation>
    </message>
    <message>
        <source>Being planned…</source>
        <translation>正在规划…</translation>
    </message>
    <message>
        <source>No claim has these words.</source>
        <translation>没有论断含有这些字词。</translation>
    </message>
    <message>
        <source>Published claims</source>
        <translation>公开的论断</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter the claims</source>
        <translation>筛选论断</translation>
    </message>
    <message>
        <source>Open as a workspace</source>
        <translation>作为工作区打开</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::FeaturesDialog</name>
    <message>
        <source>DeepSpeed and FSDP2, feature by feature</source>
        <translation>DeepSpeed 与 FSDP2 逐项比较</translation>
    </message>
    <message>
        <source>Feature</source>
        <translation>功能</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>支持</translation>
    </message>
    <message>
        <source>no</source>
        <translation>不支持</translation>
    </message>
    <message>
        <source>partly</source>
        <translation>部分支持</translation>
    </message>
    <message>
        <source>note</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Every cell was checked on %1.</source>
        <translation>每一格都于 %1 核对。</translation>
    </message>
    <message>
        <source>As tutorials have it: DeepSpeed %1, FSDP %2</source>
        <translation>教程的说法：DeepSpeed %1，FSDP %2</translation>
    </message>
    <message>
        <source>Export for DeepSpeed…</source>
        <translation>导出为 DeepSpeed…</translation>
    </message>
    <message>
        <source>The open job as a ds_config</source>
        <translation>将打开的任务导出为 ds_config</translation>
    </message>
    <message>
        <source>Export for FSDP…</source>
        <translation>导出为 FSDP…</translation>
    </message>
    <message>
        <source>The open job as accelerate&apos;s config for FSDP2</source>
        <translation>将打开的任务导出为 accelerate 的 FSDP2 配置</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::PhraseWords</name>
    <message>
        <source>ring of n: (n - 1) / n of the bytes at {} GB/s inside a node, {} GB/s a device between nodes, as reached; {}</source>
        <translation>n 个 rank 的环：传输 (n - 1) / n 的字节，节点内 {} GB/s，节点间每卡 {} GB/s（实际可达）；{}</translation>
    </message>
    <message>
        <source>m · (L · (F + B + R) + head)</source>
        <translation>m · (L · (F + B + R) + 输出头)</translation>
    </message>
    <message>
        <source>the host sets the pace: {} us for each kernel, and Python around modules and divided tensors; with more tokens a micro-batch the device does. {}</source>
        <translation>由主机决定快慢：每个内核启动 {} 微秒，另有模块与切分张量外围的 Python；每个微批的 token 更多时改由设备决定。{}</translation>
    </message>
    <message>
        <source>products at {} of {} TFLOP/s {}, element-wise kernels at {} GB/s; {}; shares reached: measurements of AMD's cards beside Nvidia's, training among them (AMD, Azure, MosaicML, alpharomercoma)</source>
        <translation>矩阵乘达到 {}（峰值 {} TFLOP/s {}），逐元素内核 {} GB/s；{}；可达比例：AMD 与 Nvidia 卡的对比测量，其中包括训练（AMD、Azure、MosaicML、alpharomercoma）</translation>
    </message>
    <message>
        <source>products at {} of {} TFLOP/s {}, element-wise kernels at {} GB/s; {}; shares reached: the calibration half of the published measurements</source>
        <translation>矩阵乘达到 {}（峰值 {} TFLOP/s {}），逐元素内核 {} GB/s；{}；可达比例：公开测量中的校准一半</translation>
    </message>
    <message>
        <source>m · (collectives of the stage&apos;s layers + the parts of the sequence put together on the device)</source>
        <translation>m ·（本级各层的集合通信 + 在设备上拼接序列各部分）</translation>
    </message>
    <message>
        <source>m · collectives of the stage&apos;s layers</source>
        <translation>m · 本级各层的集合通信</translation>
    </message>
    <message>
        <source>m · all-to-alls of the stage&apos;s sparse layers that are waited for</source>
        <translation>m · 本级各稀疏层的 all-to-all 中需要等待的部分</translation>
    </message>
    <message>
        <source>m · gathers and scatters that computing does not hide</source>
        <translation>m · 计算未能掩盖的 all-gather 与 reduce-scatter</translation>
    </message>
    <message>
        <source>m · transfers between stages that are waited for</source>
        <translation>m · 需要等待的级间传输</translation>
    </message>
    <message>
        <source>T_reduce - hidden under backward passes</source>
        <translation>T_reduce - 被反向传播掩盖的部分</translation>
    </message>
    <message>
        <source>T_shards + T_sums - hidden under both passes + others</source>
        <translation>T_shards + T_sums - 被前向和反向掩盖的部分 + 其他</translation>
    </message>
    <message>
        <source>T_activations - hidden under both passes + others</source>
        <translation>T_activations - 被前向和反向掩盖的部分 + 其他</translation>
    </message>
    <message>
        <source>m · exchange of the divided sequence that attention does not hide</source>
        <translation>m · 切分序列的交换中未被注意力计算掩盖的部分</translation>
    </message>
    <message>
        <source>one micro-batch on the other stages, by the schedule</source>
        <translation>一个微批次在其他流水级上的时间，按调度计</translation>
    </message>
    <message>
        <source>{} s on the others</source>
        <translation>其他级上 {} s</translation>
    </message>
    <message>
        <source>σ · (√(2 ln N) - √(2 ln 8)) · compute</source>
        <translation>σ · (√(2 ln N) - √(2 ln 8)) · 计算时间</translation>
    </message>
    <message>
        <source>the slowest of N devices whose speeds deviate by σ = 0.02: DGX Cloud's jobs on 8 to 2048 H100</source>
        <translation>N 个设备中最慢的一个，各设备速度的相对偏差 σ = 0.02：取自 DGX Cloud 在 8 到 2048 个 H100 上的作业</translation>
    </message>
    <message>
        <source>Narayanan et al. 2021, section 2.2: (p - 1) (F + B) / chunks</source>
        <translation>Narayanan et al. 2021，第 2.2 节：(p - 1) (F + B) / chunks</translation>
    </message>
    <message>
        <source>bytes / rate</source>
        <translation>字节数 / 速率</translation>
    </message>
    <message>
        <source>{} GB at {} GB/s</source>
        <translation>{} GB，速率 {} GB/s</translation>
    </message>
    <message>
        <source>one device cannot hold the model states</source>
        <translation>单个设备放不下模型状态</translation>
    </message>
    <message>
        <source>one device does not surely hold the model states and all else</source>
        <translation>单个设备未必放得下模型状态和其余部分</translation>
    </message>
    <message>
        <source>{} of {}, {} of it model states</source>
        <translation>占 {}，共 {}，其中模型状态 {}</translation>
    </message>
    <message>
        <source>it takes {} of {}, which fits with p = {}</source>
        <translation>占 {}，共 {}，放得下的概率 p = {}</translation>
    </message>
    <message>
        <source>several nodes train together</source>
        <translation>多个节点一起训练</translation>
    </message>
    <message>
        <source>states have to go to the host or to NVMe</source>
        <translation>状态必须放到主机内存或 NVMe</translation>
    </message>
    <message>
        <source>tensor or pipeline parallelism is used</source>
        <translation>使用张量并行或流水线并行</translation>
    </message>
    <message>
        <source>plain data parallelism is enough</source>
        <translation>普通数据并行就够了</translation>
    </message>
    <message>
        <source>{} of {}</source>
        <translation>{}，共 {}</translation>
    </message>
    <message>
        <source>nodes: {}, devices in each: {}</source>
        <translation>节点 {} 个，每个 {} 个设备</translation>
    </message>
    <message>
        <source>stage {} with dp {}, tp {}, pp {}, cp {} fits without, micro-batch {}, recomputation {}</source>
        <translation>阶段 {}（dp {}、tp {}、pp {}、cp {}）不用它们也放得下，微批次 {}，重计算 {}</translation>
    </message>
    <message>
        <source>{} fits without, with activation checkpointing</source>
        <translation>启用激活重计算后 {} 不用它们也放得下</translation>
    </message>
    <message>
        <source>{} fits without, with a micro-batch of {}</source>
        <translation>{} 不用它们也放得下，微批次为 {}</translation>
    </message>
    <message>
        <source>{} fits without, with activation checkpointing and a micro-batch of {}</source>
        <translation>启用激活重计算后 {} 不用它们也放得下，微批次为 {}</translation>
    </message>
    <message>
        <source>it fits with {} of {}, with what the tree changes of the job</source>
        <translation>按决策树对任务的改动放得下：{}，共 {}</translation>
    </message>
    <message>
        <source>{} fits without</source>
        <translation>{} 不用它们也放得下</translation>
    </message>
    <message>
        <source>{} is the first that fits</source>
        <translation>{} 是第一个放得下的</translation>
    </message>
    <message>
        <source>nothing surely fits, with it or without</source>
        <translation>用或不用都没有一定放得下的</translation>
    </message>
    <message>
        <source>tp {}, pp {}</source>
        <translation>tp {}，pp {}</translation>
    </message>
    <message>
        <source>it fits with {} of {}, and no stage is both smaller and clearly faster</source>
        <translation>放得下，占 {}，共 {}，没有哪个阶段既更省又明显更快</translation>
    </message>
    <message>
        <source>it fits with {} and {} s a step, but {} takes {} and {} s</source>
        <translation>放得下，占 {}、每步 {} s，但{}只占 {}、每步 {} s</translation>
    </message>
    <message>
        <source>it takes {} of {}</source>
        <translation>它需要 {}，而只有 {}</translation>
    </message>
    <message>
        <source>bytes / rate + files / disks</source>
        <translation>字节数 / 速率 + 文件 / 磁盘</translation>
    </message>
    <message>
        <source>{} GB at {} GB/s + {} s</source>
        <translation>{} GB，{} GB/s + {} s</translation>
    </message>
    <message>
        <source>a device&apos;s share of its node&apos;s disks: {} GB/s read, {} GB/s written, measured; host link at 0.8 of its rate; {}</source>
        <translation>每个设备分得的节点磁盘速度：读 {} GB/s、写 {} GB/s（实测）；主机链路按其速率的 0.8 计；{}</translation>
    </message>
    <message>
        <source>a device&apos;s share of its node&apos;s disks: {} GB/s read, {} GB/s written, assumed (6 GB/s a node); host link at 0.8 of its rate; {}</source>
        <translation>每个设备分得的节点磁盘速度：读 {} GB/s、写 {} GB/s（假定，每节点 6 GB/s）；主机链路按其速率的 0.8 计；{}</translation>
    </message>
    <message>
        <source>a copy reads and writes the one memory there is, at half of its rate; {}</source>
        <translation>复制要在同一内存中读和写，速率为内存的一半；{}</translation>
    </message>
    <message>
        <source>host link at 0.8 of its rate, what the host adds up at {} GB/s of its memory; {}</source>
        <translation>主机链路按其速率的 0.8 计，主机上的累加按内存 {} GB/s 计；{}</translation>
    </message>
    <message>
        <source>host link at 0.8 of its rate; {}</source>
        <translation>主机链路按其速率的 0.8 计；{}</translation>
    </message>
    <message>
        <source>{} · Φ_updated · ratio · ranks of a node / host memory + rest on the device</source>
        <translation>{} · Φ_更新 · 卸载比例 · 节点内 rank 数 / 主机内存带宽 + 设备上的其余部分</translation>
    </message>
    <message>
        <source>{} · {} · {} · {} / {} GB/s + {} s</source>
        <translation>{} · {} · {} · {} / {} GB/s + {} s</translation>
    </message>
    <message>
        <source>{} · Φ_updated / memory</source>
        <translation>{} · Φ_更新 / 显存带宽</translation>
    </message>
    <message>
        <source>{} · Φ_updated / memory + {} · Φ_updated / products</source>
        <translation>{} · Φ_更新 / 显存带宽 + {} · Φ_更新 / 矩阵乘法</translation>
    </message>
    <message>
        <source>&quot;{}&quot; on the host, with what is read, scaled and copied beside it; rate by Ren et al. 2021, Table 4</source>
        <translation>主机上的“{}”，连同旁边的读取、缩放和复制；速率取自 Ren 等 2021，表 4</translation>
    </message>
    <message>
        <source>&quot;{}&quot; in one kernel: gradients read once, weights and states read and written once; {}</source>
        <translation>&quot;{}&quot; 为单个融合算子：梯度读一次，权重与状态各读写一次；{}</translation>
    </message>
    <message>
        <source>&quot;{}&quot; of torch.optim, a kernel for each operation: what every one reads and writes; {}</source>
        <translation>torch.optim 的 &quot;{}&quot;，每个运算一个算子：按各算子的读写计；{}</translation>
    </message>
    <message>
        <source>&quot;{}&quot;: gradients, weights and moments read and moments written, then weights and moments read and weights written; {}</source>
        <translation>&quot;{}&quot;：先读梯度、权重与动量并写动量，再读权重与动量并写权重；{}</translation>
    </message>
    <message>
        <source>&quot;{}&quot;: 56 B of a layer's matrices, 28 of the rest, and five Newton-Schulz steps over each matrix (deepspeed/runtime/zero/muon/original_muon.py, gram); {}</source>
        <translation>&quot;{}&quot;：层内矩阵 56 B，其余 28 B，每个矩阵五步 Newton-Schulz（deepspeed/runtime/zero/muon/original_muon.py，gram）；{}</translation>
    </message>
    <message>
        <source>between two steps: data, logging, what no kernel does; assumed</source>
        <translation>两步之间：数据、日志等不由内核完成的工作；为假定值</translation>
    </message>
    <message>
        <source>r · (forward + backward), played with the rates</source>
        <translation>r · (前向 + 反向)，按实测速率演算</translation>
    </message>
    <message>
        <source>T_weights · (T_waits + w · T_computing) / T_waits, played with the rates</source>
        <translation>T_权重 · (T_等待 + w · T_计算) / T_等待，按实测速率演算</translation>
    </message>
    <message>
        <source>T_gradients · (T_waits + w · T_computing) / T_waits, played with the rates</source>
        <translation>T_梯度 · (T_等待 + w · T_计算) / T_等待，按实测速率演算</translation>
    </message>
    <message>
        <source>r · update, played with the rates</source>
        <translation>r · 更新，按实测速率演算</translation>
    </message>
    <message>
        <source>k · slower · Σ visits of a unit · its time in the run</source>
        <translation>k · 变慢倍数 · Σ 单元次数 · 该次运行中的用时</translation>
    </message>
    <message>
        <source>k · slower · update in the run · elements here / elements there</source>
        <translation>k · 变慢倍数 · 该次运行的更新 · 此处元素 / 当时元素</translation>
    </message>
    <message>
        <source>k · slower · waited in the run · bytes here / bytes there</source>
        <translation>k · 变慢倍数 · 该次运行的等待 · 此处字节 / 当时字节</translation>
    </message>
    <message>
        <source>k · (slower · batches loaded + bookkeeping)</source>
        <translation>k · (变慢倍数 · 读取批次 + 其他开销)</translation>
    </message>
    <message>
        <source>k · Σ pass in the run · played here / played for the run</source>
        <translation>k · Σ 该次运行的各遍 · 此处演算 / 对该次运行的演算</translation>
    </message>
    <message>
        <source>k · update in the run · played here / played for the run</source>
        <translation>k · 该次运行的更新 · 此处演算 / 对该次运行的演算</translation>
    </message>
    <message>
        <source>k · (T_waits + w · T_computing) · its share, as played</source>
        <translation>k · (T_等待 + w · T_计算) · 演算中所占份额</translation>
    </message>
    <message>
        <source>k · what the run did between its passes</source>
        <translation>k · 该次运行在各遍之间的用时</translation>
    </message>
    <message>
        <source>model FLOPs / (step time · peak · devices)</source>
        <translation>模型 FLOPs / (步时间 · 峰值 · 设备数)</translation>
    </message>
    <message>
        <source>Chowdhery et al. 2022 (PaLM), appendix B: 6 FLOPs a weight and token (4 where it is frozen), attention over the full square, of which a causal kernel computes half, recomputation not counted: so counted, devices that compute at their peak all the time come to {} %, the most that the interval may reach; peak: {}</source>
        <translation>Chowdhery et al. 2022（PaLM），附录 B：每权重每 token 6 FLOPs（冻结的 4），注意力按完整方阵计，而因果 kernel 只计算其中一半，不含重算：按此计法，设备始终以峰值计算时为 {} %，区间最多到此；峰值：{}</translation>
    </message>
    <message>
        <source>Chowdhery et al. 2022 (PaLM), appendix B: 6 FLOPs a weight and token (4 where it is frozen), attention over the full square, recomputation not counted; peak: {}</source>
        <translation>Chowdhery et al. 2022（PaLM），附录 B：每权重每 token 6 FLOPs（冻结的 4），注意力按完整方阵计，不含重算；峰值：{}</translation>
    </message>
    <message>
        <source>layers · tokens · bytes</source>
        <translation>层数 · token 数 · 字节数</translation>
    </message>
    <message>
        <source>layers in flight · tokens · bytes</source>
        <translation>在途层数 · token 数 · 字节数</translation>
    </message>
    <message>
        <source>m · L_host · bytes of a layer</source>
        <translation>m · L_host · 每层字节数</translation>
    </message>
    <message>
        <source>L_host · bytes of a layer</source>
        <translation>L_host · 每层字节数</translation>
    </message>
    <message>
        <source>8 · tokens · widest + kernels</source>
        <translation>8 · token 数 · 最宽输出 + 内核</translation>
    </message>
    <message>
        <source>tokens · bytes</source>
        <translation>token 数 · 字节数</translation>
    </message>
    <message>
        <source>group · tokens · bytes</source>
        <translation>组 · token 数 · 字节数</translation>
    </message>
    <message>
        <source>micro-batches · b s h</source>
        <translation>微批次数 · b s h</translation>
    </message>
    <message>
        <source>micro-batches · b s h / t</source>
        <translation>微批次数 · b s h / t</translation>
    </message>
    <message>
        <source>boundaries · b · tokens · h / t</source>
        <translation>边界数 · b · tokens · h / t</translation>
    </message>
    <message>
        <source>tokens · b · (2 h + (2 f + a s) / t)</source>
        <translation>token 数 · b · (2 h + (2 f + a s) / t)</translation>
    </message>
    <message>
        <source>bytes / N</source>
        <translation>字节数 / N</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节数</translation>
    </message>
    <message>
        <source>streams · bytes</source>
        <translation>流数 · 字节</translation>
    </message>
    <message>
        <source>micro-batches · s b h</source>
        <translation>微批次 · s b h</translation>
    </message>
    <message>
        <source>w Φ_tables</source>
        <translation>w Φ_词表</translation>
    </message>
    <message>
        <source>g Φ_tables</source>
        <translation>g Φ_词表</translation>
    </message>
    <message>
        <source>s b (2 b h + statistics)</source>
        <translation>s b (2 b h + 统计量)</translation>
    </message>
    <message>
        <source>b · max Φ_parameter</source>
        <translation>b · 最大参数的 Φ</translation>
    </message>
    <message>
        <source>2 Φ / partition</source>
        <translation>2 Φ / 分区大小</translation>
    </message>
    <message>
        <source>b · (L + 1) · tokens · h</source>
        <translation>b · (L + 1) · token 数 · h</translation>
    </message>
    <message>
        <source>b · tokens · V</source>
        <translation>b · token 数 · V</translation>
    </message>
    <message>
        <source>m · L · rings · (t - 1)/t · b · tokens · h</source>
        <translation>m · L · 环数 · (t - 1)/t · b · token 数 · h</translation>
    </message>
    <message>
        <source>m · L · 2 · (e - 1)/e · b · tokens · k · h</source>
        <translation>m · L · 2 · (e - 1)/e · b · token 数 · k · h</translation>
    </message>
    <message>
        <source>m · L · 3 · (c - 1)/c · b · tokens · kv heads · 2 d</source>
        <translation>m · L · 3 · (c - 1)/c · b · token 数 · KV 头数 · 2 d</translation>
    </message>
    <message>
        <source>m · v · sends · b · tokens · h</source>
        <translation>m · v · 发送次数 · b · token 数 · h</translation>
    </message>
    <message>
        <source>m · (t - 1)/t · b · tokens · h</source>
        <translation>m · (t - 1)/t · b · token 数 · h</translation>
    </message>
    <message>
        <source>m · (t - 1)/t · b · tokens · V</source>
        <translation>m · (t - 1)/t · b · tokens · V</translation>
    </message>
    <message>
        <source>m · L · b · tokens · h</source>
        <translation>m · L · b · token 数 · h</translation>
    </message>
    <message>
        <source>(4 + states) · Φ/N</source>
        <translation>(4 + 状态字节) · Φ/N</translation>
    </message>
    <message>
        <source>Σ gathers · (N - 1)/N · b · padded(unit)</source>
        <translation>Σ 收集次数 · (N - 1)/N · b · 补齐后的单元</translation>
    </message>
    <message>
        <source>Σ reductions · (N - 1)/N · 4 · padded(unit)</source>
        <translation>Σ 归约次数 · (N - 1)/N · 4 · 补齐后的单元</translation>
    </message>
    <message>
        <source>(φ - 1) · allocated</source>
        <translation>(φ - 1) · 已分配</translation>
    </message>
    <message>
        <source>groups · bytes</source>
        <translation>组数 · 字节数</translation>
    </message>
    <message>
        <source>min(φ · (ever - overlap) + hole, usable - context) - φ · allocated - hole</source>
        <translation>min(φ · (曾分配 - 重叠) + 空洞, 可用 - 上下文) - φ · 已分配 - 空洞</translation>
    </message>
    <message>
        <source>φ · (forward + temporaries + 2 s b V / t + b Φ_root + Φ / N + gathered) - φ · allocated</source>
        <translation>φ · (前向 + 临时张量 + 2 s b V / t + b Φ_root + Φ / N + 聚合的权重) - φ · 已分配</translation>
    </message>
    <message>
        <source>φ · (forward + temporaries + 2 s b V / t + gathers + Φ / N) - φ · allocated</source>
        <translation>φ · (前向 + 临时张量 + 2 s b V / t + 聚合输出 + Φ / N) - φ · 已分配</translation>
    </message>
    <message>
        <source>φ · (backward + 2 s b V / t + b Φ_root) - φ · allocated</source>
        <translation>φ · (反向 + 2 s b V / t + b Φ_root) - φ · 已分配</translation>
    </message>
    <message>
        <source>φ · (backward + 2 s b V / t + gathers) - φ · allocated</source>
        <translation>φ · (反向 + 2 s b V / t + 聚合输出) - φ · 已分配</translation>
    </message>
    <message>
        <source>Σ rounded(buffer) - allocated</source>
        <translation>Σ 取整(缓冲区) - 已分配</translation>
    </message>
    <message>
        <source>Σ 4 · tokens</source>
        <translation>Σ 4 · token 数</translation>
    </message>
    <message>
        <source>Σ b · tokens · h</source>
        <translation>Σ b · token 数 · h</translation>
    </message>
    <message>
        <source>Σ b · tokens · (a + 2 k) d</source>
        <translation>Σ b · token 数 · (a + 2 k) d</translation>
    </message>
    <message>
        <source>Σ b · tokens · a d</source>
        <translation>Σ b · token 数 · a d</translation>
    </message>
    <message>
        <source>Σ 4 · tokens · a</source>
        <translation>Σ 4 · token 数 · a</translation>
    </message>
    <message>
        <source>Σ b · tokens · f</source>
        <translation>Σ b · token 数 · f</translation>
    </message>
    <message>
        <source>compute the loss in {} chunks</source>
        <translation>分 {} 块计算损失</translation>
    </message>
    <message>
        <source>micro-batch {} → {}, {} times the accumulation</source>
        <translation>微批次 {} → {}，梯度累积变为 {} 倍</translation>
    </message>
    <message>
        <source>divide the norms along the sequence (sequence parallelism)</source>
        <translation>把归一化沿序列切分（序列并行）</translation>
    </message>
    <message>
        <source>recompute the activations in the backward pass</source>
        <translation>反向时重计算激活</translation>
    </message>
    <message>
        <source>keep the activations, recompute nothing</source>
        <translation>保留激活，不重计算</translation>
    </message>
    <message>
        <source>micro-batch {} → {}, twice the accumulation</source>
        <translation>微批次 {} → {}，梯度累积加倍</translation>
    </message>
    <message>
        <source>micro-batch {} → {}, half the accumulation</source>
        <translation>微批次 {} → {}，梯度累积减半</translation>
    </message>
    <message>
        <source>buckets of {} elements in place of {}</source>
        <translation>通信桶 {} 个元素，代替 {}</translation>
    </message>
    <message>
        <source>train in bf16 with fp32 master weights</source>
        <translation>用 bf16 训练，主权重为 fp32</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::TrafficView</name>
    <message>
        <source>No plan while the workspace has errors.</source>
        <translation>工作区有错误时无法规划。</translation>
    </message>
    <message>
        <source>Traffic cannot be counted for this model; the findings say why.</source>
        <translation>无法统计此模型的通信量；原因见检查结果。</translation>
    </message>
    <message>
        <source>One rank, nothing offloaded: a step moves nothing between ranks, host or files.</source>
        <translation>只有一个 rank 且没有卸载：一步不在 rank、主机或文件之间传输任何内容。</translation>
    </message>
    <message>
        <source>A step moves nothing between ranks, host or files.</source>
        <translation>一步不在 rank、主机或文件之间传输任何内容。</translation>
    </message>
    <message>
        <source>not counted for Megatron-LM, FSDP2 and adapters, or without a parameter count</source>
        <translation>Megatron-LM、FSDP2、有适配器或参数量未知时不统计</translation>
    </message>
    <message>
        <source>Traffic of one step</source>
        <translation>一步的通信量</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>sums of one rank</source>
        <translation>单个 rank 的合计</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>One exchange of gradients</source>
        <translation>一次梯度交换</translation>
    </message>
    <message>
        <source>Traffic by link</source>
        <translation>各链路的通信量</translation>
    </message>
    <message>
        <source>Copies of the model states</source>
        <translation>模型状态的副本</translation>
    </message>
    <message>
        <source>One exchange of gradients, by link</source>
        <translation>各链路上的一次梯度交换</translation>
    </message>
    <message>
        <source>All known links</source>
        <translation>所有已知链路</translation>
    </message>
    <message>
        <source>Link that the gradients go over</source>
        <translation>梯度经过的链路</translation>
    </message>
    <message>
        <source>A known link, or a rate of one direction: 400Gbps, 8x200Gbps, 50GB/s</source>
        <translation>已知链路，或单向速率：400Gbps、8x200Gbps、50GB/s</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::TrafficWords</name>
    <message>
        <source>as much at</source>
        <translation>两者相等时</translation>
    </message>
    <message>
        <source>%1 and %2 a token</source>
        <translation>%1，另加每个 token %2</translation>
    </message>
    <message>
        <source>Stage 1 with tp %1</source>
        <translation>阶段 1 加 tp %1</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个 token</translation>
    </message>
    <message>
        <source>This step has</source>
        <translation>本规划每步</translation>
    </message>
    <message>
        <source>no number of tokens: tp sends more</source>
        <translation>不存在：张量并行总是更多</translation>
    </message>
    <message>
        <source>%1 tokens a step</source>
        <translation>每步 %1 个 token</translation>
    </message>
    <message>
        <source>Stage 3, whatever the tokens</source>
        <translation>阶段 3，与 token 数无关</translation>
    </message>
    <message>
        <source>Sent by a rank in a step</source>
        <translation>一个 rank 每步发送</translation>
    </message>
    <message>
        <source>Every other figure here uses the first: what the framework keeps, wherever it lies. Some tutorials count Adam with 4 B a parameter, twice the 16-bit weights, and so half as much in all.</source>
        <translation>此处其他数值均用前者：框架实际保存的量，不论位于何处。部分教程把 Adam 计为每参数 4 B（16 位权重的两倍），合计因而只有一半。</translation>
    </message>
    <message>
        <source>8 B a parameter in all</source>
        <translation>合计每参数 8 B</translation>
    </message>
    <message>
        <source>%1 B a parameter in all</source>
        <translation>合计每参数 %1 B</translation>
    </message>
    <message>
        <source>Model states of a rank, by both conventions</source>
        <translation>一个 rank 的模型状态，两种算法</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Gradients, inside a node (qgZ)</source>
        <translation>梯度，节点内（qgZ）</translation>
    </message>
    <message>
        <source>Gradients, between nodes (qgZ)</source>
        <translation>梯度，节点间（qgZ）</translation>
    </message>
    <message>
        <source>Gradients, between copies of a shard</source>
        <translation>梯度，分片的各副本之间</translation>
    </message>
    <message>
        <source>Gradients of experts</source>
        <translation>专家的梯度</translation>
    </message>
    <message>
        <source>Weights, forward</source>
        <translation>权重，前向</translation>
    </message>
    <message>
        <source>Weights, backward</source>
        <translation>权重，反向</translation>
    </message>
    <message>
        <source>Weights, from the second copy (hpZ)</source>
        <translation>权重，取自第二份副本（hpZ）</translation>
    </message>
    <message>
        <source>Weights that stay gathered</source>
        <translation>始终保持完整的权重</translation>
    </message>
    <message>
        <source>Weights, after the update</source>
        <translation>权重，更新后</translation>
    </message>
    <message>
        <source>Weights of experts, forward and backward</source>
        <translation>专家的权重，前向和反向</translation>
    </message>
    <message>
        <source>Weights of experts, after the update</source>
        <translation>专家的权重，更新后</translation>
    </message>
    <message>
        <source>Tensor parallelism, forward</source>
        <translation>张量并行，前向</translation>
    </message>
    <message>
        <source>Tensor parallelism, backward</source>
        <translation>张量并行，反向</translation>
    </message>
    <message>
        <source>Tensor parallelism, recomputation</source>
        <translation>张量并行，重算</translation>
    </message>
    <message>
        <source>Tokens to experts, forward</source>
        <translation>token 发往专家，前向</translation>
    </message>
    <message>
        <source>Tokens to experts, backward</source>
        <translation>token 发往专家，反向</translation>
    </message>
    <message>
        <source>Tokens to experts, recomputation</source>
        <translation>token 发往专家，重算</translation>
    </message>
    <message>
        <source>Keys and values</source>
        <translation>K 与 V</translation>
    </message>
    <message>
        <source>Activations between stages</source>
        <translation>流水级之间的激活</translation>
    </message>
    <message>
        <source>Slices put together at a stage</source>
        <translation>级间切片拼合</translation>
    </message>
    <message>
        <source>Gradients to the host</source>
        <translation>梯度送到主机</translation>
    </message>
    <message>
        <source>Gradient sums from the host</source>
        <translation>从主机取回的梯度和</translation>
    </message>
    <message>
        <source>Gradients in fp32 to the optimizer</source>
        <translation>fp32 梯度传给优化器</translation>
    </message>
    <message>
        <source>Updated weights from the host</source>
        <translation>主机更新后的权重</translation>
    </message>
    <message>
        <source>Offloaded weights</source>
        <translation>卸载的权重</translation>
    </message>
    <message>
        <source>Activation checkpoints</source>
        <translation>激活检查点</translation>
    </message>
    <message>
        <source>Activations kept on the host</source>
        <translation>放在主机上的激活</translation>
    </message>
    <message>
        <source>Optimizer states in files</source>
        <translation>文件中的优化器状态</translation>
    </message>
    <message>
        <source>Gradients in files</source>
        <translation>文件中的梯度</translation>
    </message>
    <message>
        <source>Weights in files</source>
        <translation>文件中的权重</translation>
    </message>
    <message>
        <source>Updated weights to files</source>
        <translation>写入文件的更新后权重</translation>
    </message>
    <message>
        <source>Tensor parallelism, block inputs</source>
        <translation>张量并行，块输入</translation>
    </message>
    <message>
        <source>Tensor parallelism, logits</source>
        <translation>张量并行，logits</translation>
    </message>
    <message>
        <source>device to host</source>
        <translation>设备到主机</translation>
    </message>
    <message>
        <source>host to device</source>
        <translation>主机到设备</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读</translation>
    </message>
    <message>
        <source>write</source>
        <translation>写</translation>
    </message>
    <message>
        <source>network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>host memory</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>%1, %2 ranks</source>
        <translation>%1，%2 个 rank</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>通信组</translation>
    </message>
    <message>
        <source>Over</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Per micro-batch</source>
        <translation>每微批次</translation>
    </message>
    <message>
        <source>Per step</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Sent by one rank in a step</source>
        <translation>单个 rank 每步发送</translation>
    </message>
    <message>
        <source>Operations per layer</source>
        <translation>每层操作数</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>元素数</translation>
    </message>
    <message>
        <source>Out of a node</source>
        <translation>流出一个节点</translation>
    </message>
    <message>
        <source>Time at the link&apos;s rate</source>
        <translation>按链路速率的时间</translation>
    </message>
    <message>
        <source>sent by a rank of %1, micro-batches: %2</source>
        <translation>由 %1 的一个 rank 发送，微批次数：%2</translation>
    </message>
    <message>
        <source>Only the number of parameters is known: what layers exchange is missing.</source>
        <translation>只知道参数量：缺少各层之间的通信。</translation>
    </message>
    <message>
        <source>All ranks together: %1.</source>
        <translation>所有 rank 合计：%1。</translation>
    </message>
    <message>
        <source>A node sends %1 to others.</source>
        <translation>一个节点向其他节点发送 %1。</translation>
    </message>
    <message>
        <source>Between replicas %1 elements: %2 times those of plain data parallelism.</source>
        <translation>副本之间 %1 个元素：是普通数据并行的 %2 倍。</translation>
    </message>
    <message>
        <source>Tensor parallelism: %1 all-reduces per layer forward, %2 in training, %3 with full recomputation.</source>
        <translation>张量并行：每层前向 %1 次 all-reduce，训练 %2 次，完全重算时 %3 次。</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>Time were nothing hidden under computing. The rate is that of one device&apos;s port in one direction; rings over several devices of a node leave it through all their ports</source>
        <translation>假设没有任何通信被计算掩盖时的时间。速率是单个设备端口的单向速率；跨越节点内多个设备的环会同时使用它们的全部端口</translation>
    </message>
    <message>
        <source>Time were nothing hidden under computing, at the rate the forecast takes the link to reach in one direction</source>
        <translation>假设完全不被计算掩盖、按预测所取的单向可达速率得到的时间</translation>
    </message>
    <message>
        <source>Model states</source>
        <translation>模型状态</translation>
    </message>
    <message>
        <source>A rank</source>
        <translation>单个 rank</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>重复部分</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>本规划</translation>
    </message>
    <message>
        <source>Wherever they lie: device, host or files</source>
        <translation>无论在设备、主机还是文件中</translation>
    </message>
    <message>
        <source>Plain data parallelism</source>
        <translation>普通数据并行</translation>
    </message>
    <message>
        <source>%1 B a parameter, on every rank</source>
        <translation>每参数 %1 B，每个 rank 都有</translation>
    </message>
    <message>
        <source>This plan as some tutorials count</source>
        <translation>本规划，按部分教程的算法</translation>
    </message>
    <message>
        <source>2 B of weights, 2 B of gradients and 4 B for Adam a parameter, divided as this plan does; DeepSpeed keeps 12 B for mixed-precision Adam</source>
        <translation>每参数权重 2 B、梯度 2 B、Adam 4 B，按本规划切分；混合精度 Adam 在 DeepSpeed 中实际占 12 B</translation>
    </message>
    <message>
        <source>As some tutorials count</source>
        <translation>按部分教程的算法</translation>
    </message>
    <message>
        <source>8 B a parameter: twice the 16-bit weights for Adam</source>
        <translation>每参数 8 B：Adam 按 16 bit 权重的两倍计</translation>
    </message>
    <message>
        <source>One replica&apos;s</source>
        <translation>一个副本</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>环形</translation>
    </message>
    <message>
        <source>%1 of gradients, one replica: nothing to exchange</source>
        <translation>梯度 %1，只有一个副本：无需交换</translation>
    </message>
    <message>
        <source>%1 per replica, replicas: %2; a ring all-reduce sends %3</source>
        <translation>每个副本 %1，副本数 %2；环形 all-reduce 发送 %3</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::SubjectWords</name>
    <message>
        <source>%1 parameters</source>
        <translation>%1 参数</translation>
    </message>
    <message>
        <source>CPU rank</source>
        <translation>CPU rank</translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RecoveryBanner</name>
    <message>
        <source>Recovered: unsaved changes of %1, last edited %2. The file does not have them yet.</source>
        <translation>已恢复 %1 的未保存更改，最后编辑于 %2。文件中还没有这些更改。</translation>
    </message>
    <message>
        <source>Recovered: %1, last edited %2. It is in no file yet.</source>
        <translation>已恢复 %1，最后编辑于 %2。它还不在任何文件中。</translation>
    </message>
    <message>
        <source>Compare with the file</source>
        <translation>与文件对比</translation>
    </message>
    <message>
        <source>Shows on the Config page how the ds_config differs from what its file holds</source>
        <translation>在配置页显示 ds_config 与文件内容的差异</translation>
    </message>
    <message>
        <source>Close this line</source>
        <translation>关闭此行</translation>
    </message>
</context>
</TS>
