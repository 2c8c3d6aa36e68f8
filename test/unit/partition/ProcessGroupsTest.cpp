//! Ops of legacy collective programs, run on all devices of simulated meshes, against their formulas.
#include "test/unit/partition/Harness.h"
#include "test/unit/partition/SimulatedRanks.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace mlir;

namespace proa::test {
namespace {

constexpr int64_t data = 2, model = 3; ///< sizes of the axes dp and mp
constexpr size_t devices = 6;

const spmd::Mesh &mesh() {
  static const spmd::Mesh shared{{{"dp", data}, {"mp", model}}};
  return shared;
}

/// The processes of the process group of a position, in order. Group 0: dp, 1: mp, 2: mp and dp, of which mp
/// is major.
std::vector<int64_t> processesOf(int64_t group, int64_t position) {
  int64_t d = position / model, m = position % model;
  std::vector<int64_t> processes;
  for (int64_t i = 0; i < model; ++i)
    for (int64_t j = 0; j < data; ++j)
      if (group == 2 || (group == 1 && j == d) || (group == 0 && i == m))
        processes.push_back(j * model + i);
  return processes;
}

/// The index of a position in its process group.
int64_t indexIn(int64_t group, int64_t position) {
  auto all = processesOf(group, position);
  return std::find(all.begin(), all.end(), position) - all.begin();
}

Tensor randomFloats(std::vector<int64_t> dims, std::mt19937 &random) {
  Tensor tensor(DType::Float32, std::move(dims));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<float>()[i] = static_cast<float>(static_cast<int64_t>(random() % 17) - 8) / 4;
  return tensor;
}

/// Runs @main of a module on all positions, each with its own arguments; the results by position. Empty after
/// a failure.
std::vector<std::vector<Tensor>> run(const std::string &body,
                                     const std::vector<std::vector<Tensor>> &arguments) {
  SCOPED_TRACE(body);
  auto module = parseSourceString<ModuleOp>("dist.mesh @mesh = <[\"dp\"=2, \"mp\"=3]>\n" + body, &context());
  PassManager pm(&context());
  if (!module || failed(parsePassPipeline("dist-from-process-groups{rings=0=dp,1=mp,2=mp+dp expand}", pm)) ||
      failed(pm.run(*module))) {
    ADD_FAILURE();
    return {};
  }
  auto main = module->lookupSymbol<func::FuncOp>("main");
  auto results = runOnRanks(mesh(), std::vector<func::FuncOp>(devices, main), arguments);
  if (!results) {
    ADD_FAILURE() << results.diagnostics().text();
    return {};
  }
  std::vector<std::vector<Tensor>> byPosition(devices);
  for (const Locals &locals : *results)
    for (size_t position = 0; position < devices; ++position)
      byPosition[position].push_back(locals[position]);
  return byPosition;
}

using Dims = std::vector<int64_t>;
using Inputs = std::vector<const float *>; ///< x of the processes of a process group
/// The dims of the result in a process group of that many processes.
using ResultDims = std::function<Dims(int64_t processes)>;
/// An element of the result of process `self` of a process group.
using Formula = std::function<float(const Inputs &xs, int64_t self, int64_t element)>;

constexpr int64_t rows = 6, columns = 12;

std::string typeOf(const Dims &dims) {
  std::string text = "tensor<";
  for (int64_t dim : dims)
    text += std::to_string(dim) + "x";
  return text + "f32>";
}

/// Runs an op on x [rows, columns] over each process group; N in the attributes is the number of processes. x
/// differs between all devices unless `isEqual`.
void expectFormula(const std::string &name, const std::string &attributes, const ResultDims &resultDims,
                   const Formula &formula, bool isEqual = false) {
  Dims dims{rows, columns};
  std::mt19937 random(7);
  std::vector<std::vector<Tensor>> arguments(devices);
  for (auto &own : arguments)
    own.push_back(isEqual && &own != &arguments[0] ? arguments[0][0] : randomFloats(dims, random));
  for (int64_t group : {0, 1, 2}) {
    auto processes = static_cast<int64_t>(processesOf(group, 0).size());
    Dims out = resultDims(processes);
    std::string filled = attributes;
    for (size_t at; (at = filled.find('N')) != std::string::npos;)
      filled.replace(at, 1, std::to_string(processes));
    std::string body = "func.func @main(%x: " + typeOf(dims) + ") -> " + typeOf(out) + " {\n  %y = pd." +
                       name + " %x {ring_id = " + std::to_string(group) + " : i64" + filled + "} : (" +
                       typeOf(dims) + ") -> " + typeOf(out) + "\n  return %y : " + typeOf(out) + "\n}";
    SCOPED_TRACE(body);
    auto results = run(body, arguments);
    ASSERT_EQ(results.size(), devices);
    for (size_t position = 0; position < devices; ++position) {
      Inputs xs;
      for (int64_t process : processesOf(group, static_cast<int64_t>(position)))
        xs.push_back(arguments[static_cast<size_t>(process)][0].as<float>());
      const Tensor &result = results[position][0];
      ASSERT_EQ(result.dims(), out);
      for (int64_t i = 0; i < result.size(); ++i)
        ASSERT_FLOAT_EQ(result.as<float>()[i], formula(xs, indexIn(group, static_cast<int64_t>(position)), i))
            << "position " << position << ", element " << i;
    }
  }
}

/// The gradient of x [rows, columns] through an op over each process group, whose cotangent are the first
/// rows of x. The root is the last process.
void expectGradient(const std::string &name, const std::string &attributes, const ResultDims &resultDims,
                    const Formula &formula) {
  Dims dims{rows, columns};
  std::mt19937 random(11);
  std::vector<std::vector<Tensor>> arguments(devices);
  for (auto &own : arguments)
    own.push_back(randomFloats(dims, random));
  for (int64_t group : {0, 1, 2}) {
    auto processes = static_cast<int64_t>(processesOf(group, 0).size());
    std::string x = typeOf(dims), y = typeOf(resultDims(processes)), filled = attributes;
    for (size_t at; (at = filled.find('N')) != std::string::npos;)
      filled.replace(at, 1, std::to_string(processes));
    std::string body =
        "func.func @main(%x: " + x + ") -> " + x + " {\n  %c = pd.slice %x {axes = array<i64: 0>, " +
        "starts = array<i64: 0>, ends = array<i64: " + std::to_string(resultDims(processes)[0]) + ">} : (" +
        x + ") -> " + y + "\n  %0 = pd.vjp(%x : " + x + ") cotangents(%c : " + y +
        ") {cotangent_of = array<i64: 0>, saved_of = array<i64>} : " + x + " {\n  ^bb0(%a: " + x +
        "):\n    %y = pd." + name + " %a {ring_id = " + std::to_string(group) +
        " : i64, root = " + std::to_string(processes - 1) + " : i64" + filled + "} : (" + x + ") -> " + y +
        "\n    pd.yield %y : " + y + "\n  }\n  return %0 : " + x + "\n}";
    SCOPED_TRACE(body);
    auto results = run(body, arguments);
    ASSERT_EQ(results.size(), devices);
    for (size_t position = 0; position < devices; ++position) {
      Inputs xs;
      for (int64_t process : processesOf(group, static_cast<int64_t>(position)))
        xs.push_back(arguments[static_cast<size_t>(process)][0].as<float>());
      for (int64_t i = 0; i < results[position][0].size(); ++i)
        ASSERT_FLOAT_EQ(results[position][0].as<float>()[i],
                        formula(xs, indexIn(group, static_cast<int64_t>(position)), i))
            << "position " << position << ", element " << i;
    }
  }
}

Dims sameDims(int64_t) { return {rows, columns}; }
int64_t countOf(const Inputs &xs) { return static_cast<int64_t>(xs.size()); }

void expectReduction(const std::string &name, const std::string &attributes, float first,
                     const std::function<float(float, float)> &combine, bool isMean = false) {
  expectFormula(name, attributes, sameDims, [&](const Inputs &xs, int64_t, int64_t i) {
    float value = first;
    for (const float *x : xs)
      value = combine(value, x[i]);
    return isMean ? value / static_cast<float>(xs.size()) : value;
  });
}

TEST(ProcessGroupsTest, Reductions) {
  auto add = [](float a, float b) { return a + b; };
  auto larger = [](float a, float b) { return std::max(a, b); };
  auto smaller = [](float a, float b) { return std::min(a, b); };
  auto multiply = [](float a, float b) { return a * b; };
  expectReduction("c_allreduce_sum", "", 0, add);
  expectReduction("mp_allreduce_sum", "", 0, add);
  expectReduction("c_allreduce_max", "", -100, larger);
  expectReduction("c_allreduce_min", "", 100, smaller);
  expectReduction("c_allreduce_prod", "", 1, multiply);
  expectReduction("c_reduce_sum", "", 0, add);
  expectReduction("all_reduce", ", reduce_type = 2 : i64", 100, smaller);
  expectReduction("all_reduce", ", reduce_type = 4 : i64", 0, add, true);
}

TEST(ProcessGroupsTest, Shards) {
  expectFormula(
      "all_gather", ", nranks = N : i64", [](int64_t n) { return Dims{n * rows, columns}; },
      [](const Inputs &xs, int64_t, int64_t i) { return xs[i / (rows * columns)][i % (rows * columns)]; });
  expectFormula(
      "reduce_scatter", ", nranks = N : i64", [](int64_t n) { return Dims{rows / n, columns}; },
      [](const Inputs &xs, int64_t self, int64_t i) {
        float sum = 0;
        for (const float *x : xs)
          sum += x[self * rows / countOf(xs) * columns + i];
        return sum;
      });
  expectFormula(
      "c_concat", ", nranks = N : i64", [](int64_t n) { return Dims{rows, n * columns}; },
      [](const Inputs &xs, int64_t, int64_t i) {
        int64_t width = countOf(xs) * columns, column = i % width;
        return xs[column / columns][i / width * columns + column % columns];
      });
  expectFormula(
      "c_split", ", nranks = N : i64", [](int64_t n) { return Dims{rows, columns / n}; },
      [](const Inputs &xs, int64_t self, int64_t i) {
        int64_t width = columns / countOf(xs);
        return xs[self][i / width * columns + self * width + i % width];
      },
      /*isEqual=*/true);
  expectFormula(
      "c_scatter", ", nranks = N : i64, root = 1 : i64", [](int64_t n) { return Dims{rows / n, columns}; },
      [](const Inputs &xs, int64_t self, int64_t i) {
        return xs[1][self * rows / countOf(xs) * columns + i];
      });
}

TEST(ProcessGroupsTest, Exchanges) {
  expectFormula("broadcast", ", root = 1 : i64", sameDims,
                [](const Inputs &xs, int64_t, int64_t i) { return xs[1][i]; });
  expectFormula("all_to_all", "", sameDims, [](const Inputs &xs, int64_t self, int64_t i) {
    int64_t shard = rows * columns / countOf(xs);
    return xs[i / shard][self * shard + i % shard];
  });
  expectFormula(
      "partial_allgather", ", nranks = N : i64", sameDims,
      [](const Inputs &xs, int64_t, int64_t i) { return xs[i / (rows * columns / countOf(xs))][i]; });
}

/// Each process has 4 of 12 rows of the table; the sum over the process group is the lookup.
TEST(ProcessGroupsTest, SplitEmbedding) {
  std::mt19937 random(3);
  Tensor table = randomFloats({4 * model, 5}, random), ids(DType::Int64, {7});
  for (int64_t i = 0; i < 7; ++i)
    ids.as<int64_t>()[i] = static_cast<int64_t>(random() % (4 * model));
  std::vector<std::vector<Tensor>> arguments;
  for (size_t position = 0; position < devices; ++position) {
    Tensor shard(DType::Float32, {4, 5});
    std::copy_n(table.as<float>() + position % model * 20, 20, shard.as<float>());
    arguments.push_back({shard, ids});
  }
  auto results = run(R"(func.func @main(%w: tensor<4x5xf32>, %i: tensor<7xi64>) -> tensor<7x5xf32> {
    %0 = pd.c_embedding %w, %i {vocab_size = 12 : i64} : (tensor<4x5xf32>, tensor<7xi64>) -> tensor<7x5xf32>
    %1 = pd.mp_allreduce_sum %0 {ring_id = 1 : i64} : (tensor<7x5xf32>) -> tensor<7x5xf32>
    return %1 : tensor<7x5xf32>
  })",
                     arguments);
  ASSERT_EQ(results.size(), devices);
  for (const auto &result : results)
    for (int64_t i = 0; i < 35; ++i)
      EXPECT_EQ(result[0].as<float>()[i], table.as<float>()[ids.as<int64_t>()[i / 5] * 5 + i % 5]);
}

/// Each process has 4 of 12 classes; one label is ignored.
TEST(ProcessGroupsTest, ParallelCrossEntropy) {
  constexpr int64_t count = 5, own = 4, classes = own * model, ignored = -100;
  std::mt19937 random(5);
  Tensor logits = randomFloats({count, classes}, random), labels(DType::Int64, {count, 1});
  for (int64_t i = 0; i < count; ++i)
    labels.as<int64_t>()[i] = i == 2 ? ignored : static_cast<int64_t>(random() % classes);
  auto firstOf = [&](size_t position, int64_t i) {
    return logits.as<float>() + i * classes + static_cast<int64_t>(position % model) * own;
  };
  std::vector<std::vector<Tensor>> arguments;
  for (size_t position = 0; position < devices; ++position) {
    Tensor shard(DType::Float32, {count, own});
    for (int64_t i = 0; i < count; ++i)
      std::copy_n(firstOf(position, i), own, shard.as<float>() + i * own);
    arguments.push_back({shard, labels});
  }
  auto results =
      run(R"(func.func @main(%x: tensor<5x4xf32>, %l: tensor<5x1xi64>) -> (tensor<5x4xf32>, tensor<5x1xf32>) {
    %s, %y = pd.c_softmax_with_cross_entropy %x, %l {ring_id = 1 : i64, nranks = 3 : i64}
      : (tensor<5x4xf32>, tensor<5x1xi64>) -> (tensor<5x4xf32>, tensor<5x1xf32>)
    return %s, %y : tensor<5x4xf32>, tensor<5x1xf32>
  })",
          arguments);
  ASSERT_EQ(results.size(), devices);
  for (int64_t i = 0; i < count; ++i) {
    const float *row = logits.as<float>() + i * classes;
    double sum = 0;
    for (int64_t c = 0; c < classes; ++c)
      sum += std::exp(static_cast<double>(row[c]));
    int64_t label = labels.as<int64_t>()[i];
    double loss = label == ignored ? 0 : std::log(sum) - row[label];
    for (size_t position = 0; position < devices; ++position) {
      EXPECT_NEAR(results[position][1].as<float>()[i], loss, 1e-5);
      for (int64_t c = 0; c < own; ++c)
        EXPECT_NEAR(results[position][0].as<float>()[i * own + c],
                    std::exp(static_cast<double>(firstOf(position, i)[c])) / sum, 1e-6);
    }
  }
}

TEST(ProcessGroupsTest, GradientsOfOpsWithRootAreOnTheRoot) {
  auto isRoot = [](const Inputs &xs, int64_t self) { return self == countOf(xs) - 1; };
  expectGradient("broadcast", "", sameDims, [&](const Inputs &xs, int64_t self, int64_t i) {
    float sum = 0;
    for (const float *x : xs)
      sum += x[i];
    return isRoot(xs, self) ? sum : 0;
  });
  auto shardDims = [](int64_t processes) { return Dims{rows / processes, columns}; };
  expectGradient("c_scatter", ", nranks = N : i64", shardDims,
                 [&](const Inputs &xs, int64_t self, int64_t i) {
                   int64_t size = rows * columns / countOf(xs);
                   return isRoot(xs, self) ? xs[static_cast<size_t>(i / size)][i % size] : 0;
                 });
}

} // namespace
} // namespace proa::test
