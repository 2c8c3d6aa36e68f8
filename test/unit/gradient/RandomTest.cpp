// Derivatives of random small programs (RandomProgram.h): reverse mode against central differences along a
// direction, forward mode against reverse mode, a batch against its examples, decompositions against kernels,
// derivatives created with dynamic dims against those with static dims; in float64.
//   PROA_RANDOM_PROGRAMS: how many (60); PROA_RANDOM_SEED: the first one's seed
#include "passes/autodiff/Transforms.h"
#include "passes/decompose/Passes.h"
#include "test/unit/gradient/Harness.h"
#include "test/unit/gradient/OpenFunction.h"
#include "test/unit/gradient/RandomProgram.h"

#include "dialects/pd/ir/Pd.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

using namespace proa;
using namespace proa::test;
using namespace mlir;

namespace {

constexpr int64_t examples = 2;

unsigned numberFrom(const char *variable, unsigned otherwise) {
  const char *text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// All transforms of one function in one program.
class Subject {
public:
  Subject(const std::string &text, std::mt19937 &random) : random(random) {
    module = parseSourceString<ModuleOp>(text, cases().getContext());
  }

  void check() {
    ASSERT_TRUE(module);
    function = *module->getOps<func::FuncOp>().begin();
    ASSERT_NO_FATAL_FAILURE(build());
    SCOPED_TRACE("batched: " + batchedName);
    checkDerivatives();
    checkBatch();
  }

private:
  /// Derivatives created with some or all dims dynamic.
  void buildOpen(Program &program, ArrayRef<unsigned> forwardFeeds, ArrayRef<unsigned> backwardFeeds) {
    func::FuncOp open = function.clone();
    open.setName("open");
    module->push_back(open);
    size_t kind = std::uniform_int_distribution<size_t>(0, 1)(random);
    ASSERT_TRUE(succeeded(makeDimsDynamic(open, [&] { return kind == 0 || random() % 2 == 0; })));
    auto forward = autodiff::jvp(open, "open_forward"), backward = autodiff::vjp(open, "open_backward");
    ASSERT_TRUE(succeeded(forward) && succeeded(backward));
    ASSERT_TRUE(succeeded(closeDims(*forward, program.typesOf(forwardFeeds))));
    ASSERT_TRUE(succeeded(closeDims(*backward, program.typesOf(backwardFeeds))));
    openAt = program.call(*forward, forwardFeeds);
    program.call(*backward, backwardFeeds);
  }

  /// The batched function: the function or its derivatives.
  FailureOr<func::FuncOp> batchedOne(func::FuncOp forward, func::FuncOp backward) {
    switch (random() % 4) {
    case 0:
      return function;
    case 1:
      return forward;
    case 2:
      return backward;
    default:
      return autodiff::jvp(backward, "forward_over_reverse");
    }
  }

  /// The position of the batch dimension in each argument; at least one has it.
  void drawPlaces(TypeRange types) {
    for (Type type : types) {
      int64_t rank = cast<RankedTensorType>(type).getRank();
      positions.push_back(std::uniform_int_distribution<int64_t>(-1, rank)(random));
    }
    positions[random() % positions.size()] = 0;
  }

  void build() {
    auto forward = autodiff::jvp(function, "forward"), backward = autodiff::vjp(function, "backward");
    ASSERT_TRUE(succeeded(forward) && succeeded(backward));
    auto single = batchedOne(*forward, *backward);
    ASSERT_TRUE(succeeded(single));
    batchedName = single->getName().str();
    drawPlaces(single->getArgumentTypes());
    auto batched = autodiff::vmap(*single, "batched", examples, positions);
    ASSERT_TRUE(succeeded(batched));
    OpBuilder builder(module->getBodyRegion());
    OwningOpRef<ModuleOp> apart = ModuleOp::create(module->getLoc());
    apart->push_back(function->clone());
    PassManager pm(module->getContext());
    pm.addPass(createDecompose());
    ASSERT_TRUE(succeeded(pm.run(*apart)));
    Program program(function.getLoc());
    llvm::SmallVector<unsigned> own, tangents, cotangents;
    auto feed = [&](Type type, llvm::SmallVector<unsigned> &to) { to.push_back(program.feed(type)); };
    for (Type type : function.getArgumentTypes())
      feed(type, own);
    for (Type type : function.getArgumentTypes())
      feed(type, tangents);
    for (Type type : function.getResultTypes())
      feed(type, cotangents);
    for (Type type : single->getArgumentTypes())
      feed(type, alone);
    for (Type type : batched->getArgumentTypes())
      feed(type, whole);
    auto joined = [](ArrayRef<unsigned> x, ArrayRef<unsigned> y) {
      llvm::SmallVector<unsigned> both(x);
      both.append(y.begin(), y.end());
      return both;
    };
    program.call(*forward, joined(own, tangents));
    program.call(*backward, joined(own, cotangents));
    aloneAt = program.call(*single, alone);
    batchAt = program.call(*batched, whole);
    decomposedAt = program.call(*apart->getOps<func::FuncOp>().begin(), own);
    ASSERT_NO_FATAL_FAILURE(buildOpen(program, joined(own, tangents), joined(own, cotangents)));
    for (auto types : {function.getArgumentTypes(), function.getArgumentTypes(), function.getResultTypes(),
                       single->getArgumentTypes(), batched->getArgumentTypes()})
      for (Type type : types)
        feeds.push_back(randomLike(type));
    auto compiled = program.compile();
    ASSERT_TRUE(compiled) << compiled.diagnostics().text();
    runner = std::make_unique<Runner>(std::move(*compiled));
  }

  Tensor randomLike(Type type) {
    Tensor tensor(DType::Float64, cast<RankedTensorType>(type).getShape().vec());
    std::uniform_real_distribution<double> reals(-1, 1);
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.as<double>()[i] = reals(random);
    return tensor;
  }

  std::vector<Tensor> run(const std::vector<Tensor> &given) {
    NamedTensors named;
    for (size_t i = 0; i < given.size(); ++i)
      named["in" + std::to_string(i)] = given[i];
    auto results = runner->run(named);
    EXPECT_TRUE(results) << results.diagnostics().text();
    return results
               ? *results
               : std::vector<Tensor>(openAt + function.getNumArguments() + 3, Tensor(DType::Float64, {0}));
  }

  /// The central difference of the result's product with the cotangent, along the tangents.
  double difference(double step) {
    size_t count = function.getNumArguments();
    double sums[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<Tensor> moved = feeds;
      for (size_t i = 0; i < count; ++i) {
        moved[i] = Tensor(DType::Float64, feeds[i].dims());
        for (int64_t e = 0; e < moved[i].size(); ++e)
          moved[i].as<double>()[e] =
              feeds[i].as<double>()[e] + (side == 0 ? step : -step) * feeds[count + i].as<double>()[e];
      }
      sums[side] = dot(feeds[2 * count], run(moved)[0]);
    }
    return (sums[0] - sums[1]) / (2 * step);
  }

  /// Results: value, tangent; value, gradients; batch; decomposed value.
  void checkDerivatives() {
    size_t count = function.getNumArguments();
    std::vector<Tensor> results = run(feeds);
    const Tensor &cotangent = feeds[2 * count];
    double reverse = 0, forward = dot(cotangent, results[1]);
    for (size_t i = 0; i < count; ++i)
      reverse += dot(feeds[count + i], results[3 + i]);
    // Halving the step changes a difference by about four times its error.
    double coarse = difference(2e-5), fine = difference(1e-5), expected = fine + (fine - coarse) / 3;
    double size = std::max(1.0, std::abs(expected));
    // For a program that is too steep for differences, both modes must still agree.
    if (std::abs(fine - coarse) < 1e-4 * size)
      EXPECT_NEAR(reverse, expected, 1e-6 * size + std::abs(fine - coarse)) << "gradient against differences";
    EXPECT_NEAR(forward, reverse, 1e-9 * size) << "forward against reverse";
    for (int64_t e = 0; e < results[0].size(); ++e)
      EXPECT_NEAR(results[decomposedAt].as<double>()[e], results[0].as<double>()[e], 1e-9)
          << "decomposed, element " << e;
    for (size_t i = 0; i < count + 3; ++i) {
      ASSERT_EQ(results[openAt + i].dims(), results[i].dims()) << "dynamic dims, result " << i;
      for (int64_t e = 0; e < results[i].size(); ++e)
        EXPECT_NEAR(results[openAt + i].as<double>()[e], results[i].as<double>()[e],
                    1e-9 * std::max(1.0, std::abs(results[i].as<double>()[e])))
            << "dynamic dims, result " << i << ", element " << e;
    }
  }

  /// An example of a batch.
  static Tensor exampleOf(const Tensor &batch, int64_t position, int64_t example) {
    std::vector<int64_t> dims = batch.dims();
    dims.erase(dims.begin() + position);
    Tensor out(DType::Float64, dims);
    int64_t inner = 1;
    for (size_t d = static_cast<size_t>(position); d < dims.size(); ++d)
      inner *= dims[d];
    for (int64_t e = 0; e < out.size(); ++e)
      out.as<double>()[e] = batch.as<double>()[(e / inner * examples + example) * inner + e % inner];
    return out;
  }

  void checkBatch() {
    std::vector<Tensor> results = run(feeds);
    for (int64_t example = 0; example < examples; ++example) {
      std::vector<Tensor> single = feeds;
      for (size_t i = 0; i < alone.size(); ++i)
        single[alone[i]] =
            positions[i] < 0 ? feeds[whole[i]] : exampleOf(feeds[whole[i]], positions[i], example);
      std::vector<Tensor> expected = run(single);
      for (size_t r = 0; r < batchAt - aloneAt; ++r) {
        Tensor got = exampleOf(results[batchAt + r], 0, example);
        const Tensor &reference = expected[aloneAt + r];
        ASSERT_EQ(got.dims(), reference.dims()) << "batch, result " << r;
        for (int64_t e = 0; e < reference.size(); ++e)
          EXPECT_NEAR(got.as<double>()[e], reference.as<double>()[e],
                      1e-9 * std::max(1.0, std::abs(reference.as<double>()[e])))
              << "example " << example << ", result " << r << ", element " << e;
      }
    }
  }

  std::mt19937 &random;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::unique_ptr<Runner> runner;
  std::vector<Tensor> feeds;
  size_t aloneAt = 0, batchAt = 0, decomposedAt = 0, openAt = 0;
  /// Of the batched function: the feeds of one example, the feeds of the batch, and the positions of the
  /// batch dimension (-1: none).
  llvm::SmallVector<unsigned> alone, whole;
  llvm::SmallVector<int64_t> positions;
  std::string batchedName;
};

TEST(RandomTest, DerivativesOfRandomPrograms) {
  ASSERT_TRUE(cases());
  unsigned first = numberFrom("PROA_RANDOM_SEED", 1), count = numberFrom("PROA_RANDOM_PROGRAMS", 60);
  for (unsigned seed = first; seed < first + count && !HasFailure(); ++seed) {
    std::mt19937 random(seed);
    std::string text = RandomProgram(random).draw();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    Subject(text, random).check();
  }
}

} // namespace
