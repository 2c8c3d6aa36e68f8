//! Steps on the ranks of a simulated mesh give the local tensors that the arrays of test/unit/spmd have after
//! the same step.
#include "lib/runtime/kernels/common/Convert.h"
#include "test/unit/runtime/CollectiveCases.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <random>

namespace proa::runtime {
namespace {

using spmd::Mesh;
using spmd::Placement;
using spmd::Reduction;
using spmd::StepKind;

void check(const std::vector<CollectiveCase> &cases) {
  ASSERT_FALSE(cases.empty());
  for (auto *run : {runCases, startCases})
    for (const Diagnostics &p :
         runSimulated(cases.front().step.mesh.size(),
                      [&](const std::shared_ptr<Communicator> &c) { return run(*c, cases); }))
      EXPECT_EQ(p.text(), "");
}

TEST(CollectiveTest, AllStepsBetweenSplitAndSummedPlacements) {
  const Reduction sum[] = {Reduction::Sum};
  size_t count = 0;
  for (const std::vector<int64_t> &dims : {std::vector<int64_t>{12, 12}, {5, 3}, {7, 4}})
    for (const Mesh &mesh : {Mesh{{{"x", 2}, {"y", 2}}}, Mesh{{{"x", 2}, {"y", 3}}}}) {
      std::vector<CollectiveCase> cases = allCases(DType::Float32, mesh, dims, sum);
      count += cases.size();
      check(cases);
    }
  std::vector<CollectiveCase> cases = allCases(DType::Float32, {{{"x", 2}, {"y", 2}, {"z", 2}}}, {4, 5}, sum);
  check(cases);
  std::cout << count + cases.size() << " steps\n";
}

TEST(CollectiveTest, AllReductionsOfAllDtypes) {
  const Mesh mesh = {{{"x", 2}, {"y", 3}}};
  const DType floats[] = {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64},
              integers[] = {DType::UInt8, DType::Int8, DType::Int16, DType::Int32, DType::Int64},
              complex[] = {DType::Complex64, DType::Complex128};
  for (Reduction reduction : {Reduction::Sum, Reduction::Prod, Reduction::Max, Reduction::Min}) {
    for (DType dtype : floats)
      check(allCases(dtype, mesh, {3, 4}, std::array{reduction}));
    for (DType dtype : integers)
      check(allCases(dtype, mesh, {3, 4}, std::array{reduction}));
  }
  for (DType dtype : floats)
    check(allCases(dtype, mesh, {3, 4}, std::array{Reduction::Sum, Reduction::Avg}));
  for (DType dtype : complex)
    for (Reduction reduction : {Reduction::Sum, Reduction::Prod, Reduction::Avg})
      check(allCases(dtype, mesh, {3, 4}, std::array{reduction}));
  for (Reduction reduction : {Reduction::Any, Reduction::All})
    check(allCases(DType::Bool, mesh, {3, 4}, std::array{reduction}));
}

TEST(CollectiveTest, SubAxesBlocksAndDeviceOrder) {
  Mesh mesh = {{{"x", 4}, {"y", 2}}, {7, 6, 5, 4, 3, 2, 1, 0}};
  spmd::AxisRef x = mesh.full(0), y = mesh.full(1), x1 = {0, 1, 2}, x2 = {0, 2, 2};
  std::vector<Placement> placements = {
      {{{}, {}}},
      {{{{x}}, {}}},
      {{{}, {{x}}}},
      {{{{x1}}, {{x2}}}},
      {{{{x2}}, {{y}}}},
      {{{{x1, y}}, {}}},
      {{{{y, x}}, {}}},
      {{{{x, y}}, {}}},
      {{{{x}, {6, 3, 2}}, {}}},
      {{{{x}, {4, 7}}, {{y}}}},
      {{{}, {}}, {{x, Reduction::Sum}}},
      {{{{y}}, {}}, {{x1, Reduction::Sum}}},
      {{{{y}}, {}}, {{x1, Reduction::Sum}, {x2, Reduction::Sum}}},
      {{{{y, x1}}, {}}, {}},
      {{{{y}}, {{x1}}}, {}},
  };
  std::vector<CollectiveCase> cases;
  for (const Placement &from : placements)
    for (const Placement &to : placements)
      addCases(cases, DType::Int32, mesh, from, to, {11, 6});
  std::cout << cases.size() << " steps\n";
  check(cases);
}

TEST(CollectiveTest, MovesOf8BitFloatsAndEmptyShards) {
  Mesh mesh = {{{"x", 4}}};
  PlacementStep step{StepKind::AllGather, mesh, {{{{mesh.full(0)}}}}, {{{}}}, {2}};
  runSimulated(4, [&](const std::shared_ptr<Communicator> &communicator) -> Result<void> {
    int64_t size = localDims(mesh, step.from, step.dims, communicator->rank())[0];
    Tensor local(DType::Float8E5M2, {size});
    std::memset(local.data(), static_cast<int>(communicator->rank()), local.bytes());
    Result<Tensor> whole = applyStep(communicator.get(), step, local);
    EXPECT_TRUE(whole);
    // Positions 0 and 2 have the elements.
    EXPECT_EQ(whole->as<uint8_t>()[0], 0);
    EXPECT_EQ(whole->as<uint8_t>()[1], 2);
    return {};
  });
}

/// An all_reduce of random numbers gives the same bits on all ranks, and nearly the exact sum.
TEST(CollectiveTest, AllReduceGivesEqualBits) {
  Mesh mesh = {{{"x", 2}, {"y", 3}}};
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float32})
    for (int64_t count : {1, 100, 10007}) {
      std::vector<Tensor> results(6);
      std::vector<double> exact(static_cast<size_t>(count));
      std::vector<Tensor> terms;
      for (size_t rank = 0; rank < 6; ++rank) {
        std::mt19937 random(static_cast<unsigned>(rank));
        std::vector<double> values;
        for (double &sum : exact)
          sum += values.emplace_back(std::uniform_int_distribution(-1000, 1000)(random) / 1024.0);
        terms.push_back(tensorOf(dtype, {count}, values));
      }
      PlacementStep step{StepKind::AllReduce,
                         mesh,
                         {{{}}, {{mesh.full(0), Reduction::Sum}, {mesh.full(1), Reduction::Sum}}},
                         {{{}}},
                         {count}};
      auto diagnostics = runSimulated(6, [&](const std::shared_ptr<Communicator> &c) -> Result<void> {
        auto rank = static_cast<size_t>(c->rank());
        Result<Tensor> result = applyStep(c.get(), step, terms[rank]);
        if (!result)
          return result.diagnostics();
        results[rank] = *result;
        return {};
      });
      for (size_t rank = 0; rank < 6; ++rank) {
        ASSERT_EQ(diagnostics[rank].text(), "");
        EXPECT_EQ(std::memcmp(results[rank].data(), results[0].data(), results[0].bytes()), 0);
      }
      dispatchFloat(dtype, [&](auto zero) {
        using T = decltype(zero);
        for (size_t i = 0; i < exact.size(); ++i)
          ASSERT_NEAR(static_cast<double>(static_cast<Wide<T>>(results[0].as<T>()[i])), exact[i],
                      dtype == DType::Float32 ? 1e-5 : 0.06);
      });
    }
}

/// Sizes that are known only at run time follow from the sizes of the local tensors.
TEST(CollectiveTest, DynamicDims) {
  Mesh mesh = {{{"x", 2}, {"y", 2}}};
  spmd::AxisRef x = mesh.full(0), y = mesh.full(1);
  Placement from = {{{{x, y}}, {}}}, to = {{{}, {{x, y}}}};
  for (int64_t rows : {0, 3, 9}) {
    std::vector<CollectiveCase> cases;
    addCase(cases, DType::Float32, StepKind::AllToAll, mesh, from, to, {rows, 5});
    cases[0].step.dims = {dynamicDim, 5};
    check(cases);
    cases[0].step.dims = {dynamicDim, dynamicDim};
    check(cases);
  }
}

TEST(CollectiveTest, WholeTensorsAreSlicedAndGathered) {
  Mesh mesh = {{{"x", 2}, {"y", 3}}};
  spmd::AxisRef x = mesh.full(0), y = mesh.full(1);
  std::vector<double> values(35);
  std::iota(values.begin(), values.end(), 0);
  Tensor whole = tensorOf(DType::Float32, {7, 5}, values);
  for (const Placement &placement : {Placement{{{{y}}, {{x}}}}, Placement{{{{x, y}}, {}}},
                                     Placement{{{{y}, {4, 3}}, {}}}, Placement{{{}, {}}}}) {
    auto diagnostics = runSimulated(6, [&](const std::shared_ptr<Communicator> &c) -> Result<void> {
      Result<Tensor> local = localShard(mesh, placement, whole, c->rank());
      if (!local)
        return local.diagnostics();
      Result<Tensor> gathered = gatherWhole(c.get(), mesh, placement, whole.dims(), *local, "x");
      if (!gathered)
        return gathered.diagnostics();
      EXPECT_EQ(difference(*gathered, whole), "");
      return {};
    });
    for (const Diagnostics &p : diagnostics)
      EXPECT_EQ(p.text(), "");
  }
}

TEST(CollectiveTest, WrongOperandsAreErrors) {
  Mesh mesh = {{{"x", 2}}};
  PlacementStep step{StepKind::AllGather, mesh, {{{{mesh.full(0)}}}}, {{{}}}, {5}, 3};
  Result<Tensor> alone = applyStep(nullptr, step, Tensor(DType::Float32, {3}));
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.diagnostics()[0].message, "the program is for 2 ranks, but this run has one");
  auto diagnostics = runSimulated(3, [&](const std::shared_ptr<Communicator> &c) -> Result<void> {
    Result<Tensor> result = applyStep(c.get(), step, Tensor(DType::Float32, {c->rank() + 1}));
    return result ? Result<void>() : result.diagnostics();
  });
  EXPECT_EQ(diagnostics[0][0].message, "the operand has the dims [1]; the shard of [5] at [{x}] has [3]");
  EXPECT_EQ(diagnostics[2][0].message, "rank 2 is not a device of the mesh, which has 2 devices");
  PlacementStep sum{StepKind::AllReduce, mesh, {{{}}, {{mesh.full(0), Reduction::Sum}}}, {{{}}}, {1}};
  diagnostics = runSimulated(2, [&](const std::shared_ptr<Communicator> &c) -> Result<void> {
    Result<Tensor> result = applyStep(c.get(), sum, tensorOf(DType::Bool, {1}, {1}));
    return result ? Result<void>() : result.diagnostics();
  });
  EXPECT_EQ(diagnostics[0][0].message, "the reduction 'sum' does not take bool");
}

} // namespace
} // namespace proa::runtime
