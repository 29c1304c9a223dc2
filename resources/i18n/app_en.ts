<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name>stagecraft::app::FileFlow</name>
    <message numerus="yes">
        <source>Exported %n files to %1</source>
        <translation>
            <numerusform>Exported %n file to %1</numerusform>
            <numerusform>Exported %n files to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other windows held unsaved work too: it stays kept, and the next window that is opened offers it.</source>
        <translation>
            <numerusform>%n other window held unsaved work too: it stays kept, and the next window that is opened offers it.</numerusform>
            <numerusform>%n other windows held unsaved work too: it stays kept, and the next window that is opened offers it.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::HardwareChoicePage</name>
    <message numerus="yes">
        <source>%n devices: %1. Data-parallel ranks fill what is chosen.</source>
        <translation>
            <numerusform>%n device: %1. Data-parallel ranks fill what is chosen.</numerusform>
            <numerusform>%n devices: %1. Data-parallel ranks fill what is chosen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::LogPanel</name>
    <message numerus="yes">
        <source>Paused, %n new</source>
        <translation>
            <numerusform>Paused, %n new</numerusform>
            <numerusform>Paused, %n new</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::PlanPage</name>
    <message numerus="yes">
        <source>fullest of %n pipeline stages: %1</source>
        <translation>
            <numerusform>the only pipeline stage: %1</numerusform>
            <numerusform>fullest of %n pipeline stages: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::PlanSearch</name>
    <message numerus="yes">
        <source>fastest first, %n shown</source>
        <translation>
            <numerusform>fastest first, %n shown</numerusform>
            <numerusform>fastest first, %n shown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunCharts</name>
    <message numerus="yes">
        <source>line: mean of %n steps</source>
        <translation>
            <numerusform>line: mean of %n step</numerusform>
            <numerusform>line: mean of %n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunHeader</name>
    <message numerus="yes">
        <source>%n steps later lost</source>
        <translation>
            <numerusform>%n step later lost</numerusform>
            <numerusform>%n steps later lost</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunNotices</name>
    <message numerus="yes">
        <source>%n more ranks</source>
        <translation>
            <numerusform>%n more rank</numerusform>
            <numerusform>%n more ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n records are damaged and left out.</source>
        <translation>
            <numerusform>%n record is damaged and left out.</numerusform>
            <numerusform>%n records are damaged and left out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Starting: %1 of %n ranks are ready.</source>
        <translation>
            <numerusform>Starting: %1 of %n rank is ready.</numerusform>
            <numerusform>Starting: %1 of %n ranks are ready.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs are live, the newest is %1.</source>
        <translation>
            <numerusform>%n run is live: %1.</numerusform>
            <numerusform>%n runs are live, the newest is %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other ranks failed too. The record up to step %1 is complete.</source>
        <translation>
            <numerusform>%n other rank failed too. The record up to step %1 is complete.</numerusform>
            <numerusform>%n other ranks failed too. The record up to step %1 is complete.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::RunPage</name>
    <message numerus="yes">
        <source>%n ranks</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::StartPage</name>
    <message numerus="yes">
        <source>model states per rank, %n ranks, MiB</source>
        <translation>
            <numerusform>model states per rank, %n rank, MiB</numerusform>
            <numerusform>model states per rank, %n ranks, MiB</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n cores</source>
        <translation>
            <numerusform>%1 of %n core</numerusform>
            <numerusform>%1 of %n cores</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cores</source>
        <translation>
            <numerusform>%n core</numerusform>
            <numerusform>%n cores</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::EvidenceWords</name>
    <message numerus="yes">
        <source>%n ranks</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Middle 80 % of %n steps</source>
        <translation>
            <numerusform>Middle 80 % of %n step</numerusform>
            <numerusform>Middle 80 % of %n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>stagecraft::app::ResumeQuestion</name>
    <message numerus="yes">
        <source>%n older checkpoints cannot be used either.</source>
        <translation>
            <numerusform>%n older checkpoint cannot be used either.</numerusform>
            <numerusform>%n older checkpoints cannot be used either.</numerusform>
        </translation>
    </message>
</context>
</TS>
