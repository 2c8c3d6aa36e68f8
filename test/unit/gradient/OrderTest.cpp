// The order of batching and differentiation does not change a result, in float64, on every function of the
// .mlir files beside this one:
//   vjp(vmap f) = vmap(vjp f),  jvp(vmap f) = vmap(jvp f)
//   of functions with second derivatives (test.twice): jvp(vjp(vmap f)) = jvp(vmap(vjp f)) = vmap(jvp(vjp f))
// And of the records: an op with a derivative rule of its own is kept whole by batching, since the derivative
// of its decomposition may be another one where a maximum is cut off or a quotient is not defined.
#include "passes/autodiff/Transforms.h"
#include "test/unit/gradient/CaseTest.h"

#include "dialects/pd/ir/Pd.h"

#include <cmath>
#include <map>
#include <set>

using namespace proa;
using namespace proa::test;
using namespace mlir;

namespace {

class OrderTest : public CaseTest {
protected:
  using Chain = std::vector<const char *>;

  /// Applies the transforms in order; a function that occurs twice is created once.
  FailureOr<func::FuncOp> apply(const Chain &chain) {
    func::FuncOp current = function;
    std::string name = "f";
    for (llvm::StringRef transform : chain) {
      name += "_" + transform.str();
      func::FuncOp &known = functionsByName[name];
      if (!known) {
        FailureOr<func::FuncOp> next = transform == "vmap"  ? autodiff::vmap(current, name, examples)
                                       : transform == "vjp" ? autodiff::vjp(current, name, differentiated)
                                                            : autodiff::jvp(current, name, differentiated);
        if (failed(next))
          return failure();
        known = *next;
      }
      current = known;
    }
    return current;
  }

  /// A batch of random tensors for an argument; arguments that transforms add are random too.
  Tensor batchOf(func::FuncOp batched, unsigned argument) {
    if (argument >= function.getNumArguments())
      return randomLike(batched.getArgumentTypes()[argument]);
    std::vector<Tensor> parts;
    for (int64_t i = 0; i < examples; ++i)
      parts.push_back(randomTensor(function, argument, random));
    return stacked(parts);
  }

  void expectEqual(const std::vector<Chain> &chains) {
    Program program(function.getLoc());
    NamedTensors feeds;
    llvm::SmallVector<unsigned> indices;
    std::vector<size_t> firsts;
    size_t count = 0;
    for (const Chain &chain : chains) {
      auto result = apply(chain);
      ASSERT_TRUE(succeeded(result));
      for (auto i = static_cast<unsigned>(indices.size()); i < result->getNumArguments(); ++i) {
        indices.push_back(program.feed(result->getArgumentTypes()[i]));
        feeds["in" + std::to_string(indices.back())] = batchOf(*result, i);
      }
      firsts.push_back(program.call(*result, indices));
      count = result->getNumResults();
    }
    auto runner = program.compile();
    ASSERT_TRUE(runner) << runner.diagnostics().text();
    auto results = runner->run(feeds);
    ASSERT_TRUE(results) << results.diagnostics().text();
    auto compareAll = [&](const char *where) {
      SCOPED_TRACE(where);
      for (size_t other = 1; other < chains.size(); ++other)
        for (size_t r = 0; r < count; ++r)
          compare((*results)[firsts[0] + r], (*results)[firsts[other] + r], other, r);
    };
    compareAll("at random arguments");
    // A loop that ends when its values are large enough would not end at zero.
    bool hasRegions = false;
    function.walk(
        [&](Operation *op) { hasRegions |= op != function.getOperation() && op->getNumRegions() != 0; });
    if (hasRegions)
      return;
    // At zero, where many derivatives have a special case. Undefined values are NaN in all chains; a run
    // error, such as for a singular matrix, occurs in all chains.
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      Tensor &feed = feeds["in" + std::to_string(indices[i])];
      if (feed.dtype() == DType::Float64)
        std::fill_n(feed.as<double>(), feed.size(), 0.0);
    }
    results = runner->run(feeds);
    if (results)
      compareAll("at zero");
  }

  static void compare(const Tensor &x, const Tensor &y, size_t chain, size_t result) {
    ASSERT_EQ(x.dims(), y.dims());
    if (x.dtype() != DType::Float64)
      return;
    double size = 1;
    for (int64_t i = 0; i < x.size(); ++i)
      size = std::isfinite(x.as<double>()[i]) ? std::max(size, std::abs(x.as<double>()[i])) : size;
    for (int64_t i = 0; i < x.size(); ++i) {
      double a = x.as<double>()[i], b = y.as<double>()[i];
      bool isSame = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-9 * size;
      ASSERT_TRUE(isSame) << "chain " << chain << ", result " << result << ", element " << i << ": " << a
                          << " and " << b;
    }
  }

  std::map<std::string, func::FuncOp> functionsByName;
};

/// Forward mode uses the formula, whose number of steps depends on the offsets of each example: batching
/// refuses it (docs/known-gaps.md).
const std::set<std::string> refusedForward = {"gru", "gru_reverse", "lstm", "lstm_reverse", "crf_rows"};

TEST_P(OrderTest, OfBatchingAndDifferentiationDoesNotMatter) {
  expectEqual({{"vjp", "vmap"}, {"vmap", "vjp"}});
  if (refusedForward.contains(GetParam()))
    return;
  expectEqual({{"jvp", "vmap"}, {"vmap", "jvp"}});
  if (function->hasAttr("test.twice"))
    expectEqual({{"vjp", "jvp", "vmap"}, {"vjp", "vmap", "jvp"}, {"vmap", "vjp", "jvp"}});
}

INSTANTIATE_TEST_SUITE_P(Ops, OrderTest, testing::ValuesIn(caseNames()),
                         [](const auto &info) { return info.param; });

const char *const onOneProcess =
    "the decomposition is for a ring of one process, where it has the same derivative";

/// Composites with a rule that batching decomposes, each with the reason why results do not change.
const std::map<std::string, const char *> decomposed = {
    {"pd.all_gather", onOneProcess},
    {"pd.all_reduce", onOneProcess},
    {"pd.all_to_all", onOneProcess},
    {"pd.barrier", onOneProcess},
    {"pd.broadcast", onOneProcess},
    {"pd.c_allreduce_max", onOneProcess},
    {"pd.c_allreduce_min", onOneProcess},
    {"pd.c_allreduce_prod", onOneProcess},
    {"pd.c_allreduce_sum", onOneProcess},
    {"pd.c_concat", onOneProcess},
    {"pd.c_identity", onOneProcess},
    {"pd.c_reduce_max", onOneProcess},
    {"pd.c_reduce_min", onOneProcess},
    {"pd.c_reduce_prod", onOneProcess},
    {"pd.c_reduce_sum", onOneProcess},
    {"pd.c_scatter", onOneProcess},
    {"pd.c_softmax_with_cross_entropy", onOneProcess},
    {"pd.c_split", onOneProcess},
    {"pd.mp_allreduce_sum", onOneProcess},
    {"pd.partial_allgather", onOneProcess},
    {"pd.reduce", onOneProcess},
    {"pd.reduce_scatter", onOneProcess},
    {"pd.expand_as", "the decomposition is pd.expand, whose rule is the same"},
    {"pd.dropout",
     "the decomposition selects by the same mask, and its random numbers are drawn once for all examples"},
    {"pd.rrelu", "the decomposition multiplies by the same noise, which is drawn once for all examples"},
};

TEST(BatchingRecords, KeepOpsWithTheirOwnDerivative) {
  MLIRContext *context = cases().getContext();
  std::map<std::string, bool> found;
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    bool hasRule = name.hasInterface<pd::VjpOpInterface>(),
         isComposite = name.hasInterface<pd::DecomposableOpInterface>();
    // The batched form of an elementwise op with one batched operand is the op.
    bool isElementwise = name.hasInterface<pd::ScalarOpInterface>() || name.hasTrait<pd::ElementwiseTrait>();
    if (!hasRule || !isComposite || isElementwise || name.hasInterface<pd::BatchableOpInterface>())
      continue;
    std::string text = name.getStringRef().str();
    EXPECT_TRUE(decomposed.contains(text)) << text << " has a derivative rule and no batching rule";
    found[text] = true;
  }
  for (auto &[name, reason] : decomposed)
    EXPECT_TRUE(found.contains(name)) << name << " is no longer decomposed";
}

} // namespace
