/// Cuts of a list of units, such as ops in program order, into the stages of a pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace proa::pipeline {

struct CutCosts {
  /// Time of each unit.
  std::span<const double> work;
  /// Time of the transfers over a cut before each unit; the first entry has no effect.
  std::span<const double> transfer;
  /// The stage of each unit that has a given one, otherwise -1; empty: none has.
  std::span<const int64_t> stages = {};
};

/// The first unit of each stage, ascending from 0. The time of a stage is the sum over its units and the
/// transfers before it. The longest stage takes at most 5 % more than the least possible time, and of such
/// cuts the one with the least transfers is chosen. Of more than 768 units only some are considered as the
/// first of a stage: units with the least transfers among neighbours, and units where given stages change.
/// Empty: there are fewer units than stages, or no cut has the given stages.
std::vector<size_t> balancedCuts(const CutCosts &costs, int64_t stageCount);

} // namespace proa::pipeline
