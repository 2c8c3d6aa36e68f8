// Forward mode and batching against reverse mode and a loop, in float64, on every function of the .mlir files
// beside this one.
//   jvp:   for random tangents t and cotangents u, <u, jvp(t)> = <vjp(u), t>
//   vmap:  a batch of three equals its three examples; and the same for the gradients
//   Function attribute test.batch_first: the gradient of the batched function instead of the batched
//                         gradient
#include "passes/autodiff/Transforms.h"
#include "test/unit/gradient/CaseTest.h"

#include "dialects/pd/ir/Pd.h"

#include <cmath>
#include <cstring>

using namespace proa;
using namespace proa::test;
using namespace mlir;

namespace {

class TransformTest : public CaseTest {
protected:
  /// The result of one example, and its index in the batch.
  static void compare(const Tensor &expected, const Tensor &batch, int64_t example, const char *what) {
    ASSERT_EQ(batch.size(), expected.size() * examples);
    if (expected.dtype() != DType::Float64) {
      EXPECT_EQ(std::memcmp(expected.data(),
                            static_cast<const char *>(batch.data()) + example * expected.bytes(),
                            expected.bytes()),
                0);
      return;
    }
    for (int64_t i = 0; i < expected.size(); ++i) {
      double a = expected.as<double>()[i], b = batch.as<double>()[example * expected.size() + i];
      ASSERT_NEAR(a, b, 1e-10 * std::max(1.0, std::abs(a)))
          << what << ", example " << example << ", element " << i;
    }
  }
};

TEST_P(TransformTest, ForwardModeIsTheTransposeOfReverseMode) {
  auto forward = autodiff::jvp(function, "forward", differentiated);
  auto backward = autodiff::vjp(function, "backward", differentiated);
  ASSERT_TRUE(succeeded(forward) && succeeded(backward));
  Program program(function.getLoc());
  NamedTensors feeds;
  llvm::SmallVector<unsigned> own, forwardFeeds, backwardFeeds;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    own.push_back(program.feed(function.getArgumentTypes()[i]));
    feeds["in" + std::to_string(own.back())] = randomTensor(function, i, random);
  }
  forwardFeeds = backwardFeeds = own;
  std::vector<Tensor> tangents, cotangents;
  auto add = [&](Type type, llvm::SmallVector<unsigned> &to, std::vector<Tensor> &tensors) {
    to.push_back(program.feed(type));
    tensors.push_back(randomLike(type));
    feeds["in" + std::to_string(to.back())] = tensors.back();
  };
  for (Type type : forward->getArgumentTypes().drop_front(own.size()))
    add(type, forwardFeeds, tangents);
  for (Type type : backward->getArgumentTypes().drop_front(own.size()))
    add(type, backwardFeeds, cotangents);
  size_t firstTangent = program.call(*forward, forwardFeeds) + function.getNumResults(),
         firstGradient = program.call(*backward, backwardFeeds) + function.getNumResults();
  auto runner = program.compile();
  ASSERT_TRUE(runner) << runner.diagnostics().text();
  auto results = runner->run(feeds);
  ASSERT_TRUE(results) << results.diagnostics().text();
  double sums[2] = {0, 0}, size = 1;
  for (size_t i = 0; i < cotangents.size(); ++i) {
    sums[0] += dot(cotangents[i], (*results)[firstTangent + i]);
    size = std::max(size, std::sqrt(dot((*results)[firstTangent + i], (*results)[firstTangent + i])));
  }
  for (size_t i = 0; i < tangents.size(); ++i)
    sums[1] += dot(tangents[i], (*results)[firstGradient + i]);
  EXPECT_NEAR(sums[0], sums[1], 1e-10 * size);
}

TEST_P(TransformTest, BatchEqualsItsExamples) {
  auto backward = autodiff::vjp(function, "backward", differentiated);
  ASSERT_TRUE(succeeded(backward));
  bool batchFirst = function->hasAttr("test.batch_first");
  auto batched = autodiff::vmap(batchFirst ? function : *backward, "batched", examples);
  if (batchFirst && succeeded(batched))
    batched = autodiff::vjp(*batched, "batched_backward", differentiated);
  // Only the first argument, and no cotangent, differs between examples.
  llvm::SmallVector<int64_t> onlyFirst(backward->getNumArguments(), -1);
  onlyFirst[0] = 0;
  auto partly = batchFirst ? batched : autodiff::vmap(*backward, "partly", examples, onlyFirst);
  ASSERT_TRUE(succeeded(batched) && succeeded(partly));
  Program whole(function.getLoc()), single(function.getLoc());
  llvm::SmallVector<unsigned> wholeFeeds, partFeeds, singleFeeds;
  std::vector<NamedTensors> each(examples);
  NamedTensors all;
  for (unsigned i = 0; i < backward->getNumArguments(); ++i) {
    wholeFeeds.push_back(whole.feed(batched->getArgumentTypes()[i]));
    singleFeeds.push_back(single.feed(backward->getArgumentTypes()[i]));
    std::vector<Tensor> parts;
    for (NamedTensors &feeds : each) {
      parts.push_back(randomTensor(*backward, i, random));
      feeds["in" + std::to_string(singleFeeds[i])] = parts.back();
    }
    all["in" + std::to_string(wholeFeeds[i])] = stacked(parts);
  }
  partFeeds = wholeFeeds;
  for (unsigned i = 1; i < backward->getNumArguments() && !batchFirst; ++i) {
    partFeeds[i] = whole.feed(backward->getArgumentTypes()[i]);
    all["in" + std::to_string(partFeeds[i])] = each[0]["in" + std::to_string(singleFeeds[i])];
  }
  whole.call(*batched, wholeFeeds);
  size_t second = whole.call(*partly, partFeeds);
  single.call(*backward, singleFeeds);
  auto wholeRunner = whole.compile(), singleRunner = single.compile();
  ASSERT_TRUE(wholeRunner) << wholeRunner.diagnostics().text();
  ASSERT_TRUE(singleRunner) << singleRunner.diagnostics().text();
  auto found = wholeRunner->run(all);
  ASSERT_TRUE(found) << found.diagnostics().text();
  for (int64_t example = 0; example < examples; ++example) {
    for (bool isPartly : {false, true}) {
      if (isPartly && batchFirst)
        continue;
      NamedTensors feeds = each[example];
      for (unsigned i = 1; isPartly && i < singleFeeds.size(); ++i)
        feeds["in" + std::to_string(singleFeeds[i])] = each[0]["in" + std::to_string(singleFeeds[i])];
      auto expected = singleRunner->run(feeds);
      ASSERT_TRUE(expected) << expected.diagnostics().text();
      for (size_t r = 0; r < expected->size(); ++r)
        compare((*expected)[r], (*found)[(isPartly ? second : 0) + r], example, isPartly ? "partly" : "all");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, TransformTest, testing::ValuesIn(caseNames()),
                         [](const auto &info) { return info.param; });

} // namespace
