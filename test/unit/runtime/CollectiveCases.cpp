#include "test/unit/runtime/CollectiveCases.h"

#include "lib/base/spmd/Refine.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "test/unit/spmd/SimulatedMesh.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

namespace proa::runtime {

using spmd::Mesh;
using spmd::Placement;
using spmd::Reduction;

namespace {

constexpr spmd::StepKind kinds[] = {spmd::StepKind::Slice,     spmd::StepKind::ToPartial,
                                    spmd::StepKind::AllGather, spmd::StepKind::AllToAll,
                                    spmd::StepKind::Permute,   spmd::StepKind::ReduceScatter,
                                    spmd::StepKind::AllReduce};

} // namespace

Tensor tensorOf(DType dtype, const std::vector<int64_t> &dims, const std::vector<double> &values) {
  Tensor tensor(dtype, dims);
  EXPECT_EQ(tensor.size(), static_cast<int64_t>(values.size()));
  dispatchAll(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < values.size(); ++i) {
      double value = values[i];
      if constexpr (std::is_integral_v<T>)
        tensor.as<T>()[i] =
            std::isinf(value) ? (value > 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest())
                              : static_cast<T>(static_cast<int64_t>(value));
      else
        tensor.as<T>()[i] = static_cast<T>(static_cast<Wide<T>>(value));
    }
  });
  return tensor;
}

std::string difference(const Tensor &found, const Tensor &expected, bool isRounded) {
  if (found.dims() != expected.dims() || found.dtype() != expected.dtype())
    return "found " + found.describe() + ", expected " + expected.describe();
  if (!isRounded && std::memcmp(found.data(), expected.data(), found.bytes()) == 0)
    return {};
  std::string text;
  dispatchAll(found.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < found.size(); ++i) {
      auto a = static_cast<Wide<T>>(found.as<T>()[i]), b = static_cast<Wide<T>>(expected.as<T>()[i]);
      bool isSame = a == b;
      if constexpr (!std::is_integral_v<T>)
        isSame |=
            isRounded && std::abs(a - b) <= std::abs(b) * decltype(std::abs(b))(sizeof(T) == 2 ? 1e-2 : 1e-6);
      if (!isSame)
        text += " element " + std::to_string(i) + " differs;";
    }
  });
  return text;
}

static std::string describe(const CollectiveCase &c, DType dtype) {
  return std::string(nameOf(c.step.kind)) + " of " + std::string(nameOf(dtype)) + ": " +
         toText(c.step.mesh, c.step.from) + " -> " + toText(c.step.mesh, c.step.to);
}

void addCase(std::vector<CollectiveCase> &cases, DType dtype, spmd::StepKind kind, const Mesh &mesh,
             const Placement &from, const Placement &to, const std::vector<int64_t> &dims) {
  if (!mismatch(kind, mesh, from, to).empty())
    return;
  CollectiveCase c{{kind, mesh, from, to, dims, static_cast<int64_t>(cases.size())}, {}, {}};
  // The arrays take full axes only.
  const std::array placements = {from, to};
  spmd::Refinement refined = *refine(mesh, placements);
  spmd::SimulatedMesh arrays(refined.mesh, dims);
  arrays.fill(refined.placements[0], 1, dtype == DType::Bool || dtype == DType::UInt8); // not negative
  for (int64_t p = 0; p < mesh.size(); ++p)
    c.before.push_back(tensorOf(dtype, localDims(mesh, from, dims, p), arrays.local(p)));
  ASSERT_EQ(arrays.apply(kind, refined.placements[1]), "");
  for (int64_t p = 0; p < mesh.size(); ++p)
    c.after.push_back(tensorOf(dtype, localDims(mesh, to, dims, p), arrays.local(p)));
  for (const spmd::PartialAxis &p : from.partial)
    c.isRounded |= p.reduction == Reduction::Avg;
  cases.push_back(std::move(c));
}

void addCases(std::vector<CollectiveCase> &cases, DType dtype, const Mesh &mesh, const Placement &from,
              const Placement &to, const std::vector<int64_t> &dims) {
  for (spmd::StepKind kind : kinds)
    addCase(cases, dtype, kind, mesh, from, to, dims);
}

std::vector<CollectiveCase> allCases(DType dtype, const Mesh &mesh, const std::vector<int64_t> &dims,
                                     std::span<const Reduction> reductions) {
  std::vector<CollectiveCase> cases;
  std::vector<Placement> placements = spmd::allPlacements(mesh, dims.size(), reductions);
  for (const Placement &from : placements)
    for (const Placement &to : placements)
      addCases(cases, dtype, mesh, from, to, dims);
  return cases;
}

Result<void> runCases(Communicator &communicator, const std::vector<CollectiveCase> &cases) {
  if (cases.empty())
    return errorAt("", "there are no cases");
  auto position = static_cast<size_t>(*positionOfRank(cases.front().step.mesh, communicator.rank()));
  for (const CollectiveCase &c : cases) {
    const Tensor &local = c.before[position];
    std::string what = describe(c, local.dtype());
    Result<Tensor> result = applyStep(&communicator, c.step, local);
    if (!result)
      return errorAt(what, result.diagnostics()[0].message);
    if (std::string wrong = difference(*result, c.after[position], c.isRounded); !wrong.empty())
      return errorAt(what, wrong);
  }
  return {};
}

Result<void> startCases(Communicator &communicator, const std::vector<CollectiveCase> &cases) {
  auto position = static_cast<size_t>(*positionOfRank(cases.front().step.mesh, communicator.rank()));
  constexpr size_t most = 7;
  for (size_t begin = 0; begin < cases.size(); begin += most) {
    size_t count = std::min(most, cases.size() - begin);
    std::vector<std::unique_ptr<StepExecution>> executions;
    std::vector<Tensor> results;
    std::vector<std::unique_ptr<StartedWork>> works;
    for (size_t i = 0; i < count; ++i) {
      const CollectiveCase &c = cases[begin + i];
      const Tensor &local = c.before[position];
      PlacementStep step = c.step;
      step.index = static_cast<int64_t>(i);
      executions.push_back(std::make_unique<StepExecution>(step, local.dtype()));
      Result<std::span<const int64_t>> dims = executions.back()->plan(&communicator, local.dims());
      if (!dims)
        return dims.diagnostics();
      results.emplace_back(local.dtype(), std::vector<int64_t>(dims->begin(), dims->end()));
      auto started = executions.back()->start(communicator, local.data(), results.back().data());
      if (!started)
        return started.diagnostics();
      works.push_back(std::move(*started));
    }
    for (size_t i = 0; i < count; ++i) {
      size_t index = (i + static_cast<size_t>(communicator.rank())) % count;
      if (Result<void> done = works[index]->wait(); !done)
        return done;
      const CollectiveCase &c = cases[begin + index];
      std::string wrong = difference(results[index], c.after[position], c.isRounded);
      if (!wrong.empty())
        return errorAt(describe(c, results[index].dtype()), wrong);
    }
  }
  return {};
}

} // namespace proa::runtime
