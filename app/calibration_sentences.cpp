// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/launch_sentences.h"

#include <QCoreApplication>

namespace stagecraft::app {

namespace {

constexpr ErrorSentence kSentences[] = {
    // Why a run teaches plans nothing (planner/calibration.cpp, planner/observed_run.cpp).
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot calibrate from run \"%1\": %2")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it is still going on; wait until it is over")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it was killed; use a run that finished")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it failed; use a run that finished")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its run.json has no id")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its record does not say on which machine it ran; run it again with this release")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it is no run of our engine on processors")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its %1 ranks of %2 threads shared %3 cores, so that their times say nothing of other layouts; use a run with at most as many ranks")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it recorded no steps")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it has %1 steps after %2 of warm-up; use a run of %3 or more")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its later steps are %1 % slower than its first ones; run again on a machine with nothing else to do")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its later steps are %1 % faster than its first ones; run again on a machine with nothing else to do")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the middle half of its step times spreads over %1 %; run again on a machine with nothing else to do")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its plan.json has units that its model has not")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it recorded no spans of some of its ops; run it with STAGECRAFT_TELEMETRY on")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "its plan.json has no visit of some kind of unit")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot read the workspace that \"%1\" was run with: %2")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot learn from \"%1\": its plan.json has no program")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot read the schedule of \"%1\": it is broken or has no \"schedule\"")},
    // What is kept of runs and of measurements (planner/calibration_store.cpp, hardware/machine_measure.cpp).
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "A calibration in \"%1\" cannot be used (%2); remove it")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "%1 calibrations in \"%2\" cannot be used (%3); remove them")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it has another's id")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it is no file")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "There is no calibration \"%1\" in \"%2\"")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot remove \"%1\": %2")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it was measured on \"%1\" and this is \"%2\"")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it was measured with %1 of %2 cores usable, now it is %3 of %4")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the memory of this machine has changed since")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "it was measured with release %1 and this is %2")},
    {"Cannot use the measurement of this machine in \"%1\": %2; measure again with stagecraft doctor --measure.",
     QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "Cannot use the measurement of this machine in \"%1\": %2; until it is measured again, plans go by data sheets.")},
    {"The measurement of %1 does not hold on this machine: %2; measure again with stagecraft doctor --measure.",
     QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "The measurement of %1 does not hold on this machine: %2; until it is measured again, plans go by data sheets.")},
    // Where the times of a plan are from (planner/calibration.cpp, engine_time.cpp, make_plan.cpp).
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "run %1 of %2, %3 steps at %4 ranks, stage %5")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "run %1 of %2, %3 steps at 1 rank, stage %4")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "this machine's rates, measured on %1")},
    {QT_TRANSLATE_NOOP("stagecraft::app::CoreErrors", "the data sheet of %1")},
};

}  // namespace

std::span<const ErrorSentence> calibrationSentences()
{
    return kSentences;
}

}  // namespace stagecraft::app
