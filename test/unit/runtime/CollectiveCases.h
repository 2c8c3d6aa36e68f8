/// Steps on ranks and the local tensors before and after them, computed by the arrays of test/unit/spmd.
#pragma once

#include "lib/runtime/ranks/Collective.h"

namespace proa::runtime {

/// Local tensors before and after a step, by position.
struct CollectiveCase {
  PlacementStep step;
  std::vector<Tensor> before, after;
  bool isRounded = false; ///< the results may differ by rounding
};

/// A tensor with these values.
Tensor tensorOf(DType dtype, const std::vector<int64_t> &dims, const std::vector<double> &values);

/// How two tensors differ; empty if they do not.
std::string difference(const Tensor &found, const Tensor &expected, bool isRounded = false);

/// Adds a case if a step of that kind leads from one placement to the other.
void addCase(std::vector<CollectiveCase> &cases, DType dtype, spmd::StepKind kind, const spmd::Mesh &mesh,
             const spmd::Placement &from, const spmd::Placement &to, const std::vector<int64_t> &dims);
/// The same for all kinds.
void addCases(std::vector<CollectiveCase> &cases, DType dtype, const spmd::Mesh &mesh,
              const spmd::Placement &from, const spmd::Placement &to, const std::vector<int64_t> &dims);

/// All pairs of placements over full axes that are one step.
std::vector<CollectiveCase> allCases(DType dtype, const spmd::Mesh &mesh, const std::vector<int64_t> &dims,
                                     std::span<const spmd::Reduction> reductions);

/// Runs the cases on one rank. Error: the first one that gives another tensor.
Result<void> runCases(Communicator &communicator, const std::vector<CollectiveCase> &cases);
/// The same, with several steps under way at a time, which end in other orders on each rank.
Result<void> startCases(Communicator &communicator, const std::vector<CollectiveCase> &cases);

} // namespace proa::runtime
