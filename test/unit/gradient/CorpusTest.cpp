// Derivatives of the op programs and models of the corpus, in float64. Along a random direction, forward mode
// is compared with differences and with reverse mode; for programs without gradients the same is done with
// their gradients (second derivatives). A batch of two is compared with its examples, and derivatives created
// with dynamic dims with those created with static dims. PROA_DERIVATIVES
// selects programs whose path contains its value. skipped.txt lists skipped programs.
#include "test/unit/gradient/CorpusCase.h"

#include <cmath>
#include <cstring>

using namespace proa;
using namespace proa::test;

namespace {

/// Excluded programs: by Paddle's convention their gradients are not the derivatives of their results.
constexpr struct {
  const char *part, *why;
} leftOut[] = {
    {"ops/cvm/", "shows and clicks have what the forward op was given as their gradient"},
    {"ops/data_norm/", "the gradients of the statistics are what they become"},
    {"softmax/far_below", "the gradient is that without the lower bound"},
    {"softmax_with_cross_entropy/far_below", "the gradient is that without the lower bound"},
    {"ops/p_norm/epsilon", "epsilon is for the gradient alone"},
    {"ops/warpctc/norm", "norm_by_times is for the gradient alone"},
    {"ops/warprnnt/", "fastemit_lambda is for the gradient alone"},
    {"nlp/chatglm", "one row of its mask is the lowest number, which swallows the scores"},
    {"nlp/llama_mask", "rows of its mask are the lowest number, which swallows the scores"},
    {"sparse_padding", "the padding row has a gradient, as in Paddle, although its elements are not read"},
    {"gradients/sparse_adam_lazy", "second moments of zero, where the square root has no derivative"},
    {"gradients/sparse_sum", "second moments of zero, where the square root has no derivative"},
    {"detection_map/difficult", "labels decide the number of rows of its states"},
    {"ops/svd/full_wide", "vectors of no singular value are constant in the gradient, as in Paddle"},
    {"ops/svd/rank_two", "singular values of zero, whose vectors have no derivative"},
    {"ops/mode/vector", "equal elements, of which the program takes another one where they differ"},
};

/// Arguments without a gradient by Paddle's convention, although the results depend on them.
constexpr struct {
  const char *part, *argument;
} withoutGradient[] = {
    {"npair_loss", "l"},
    {"ops/sigmoid_cross_entropy_with_logits/", "y"},
    {"ops/roi_align/", "rois"},
    {"ops/yolov3_loss/", "b"},
    {"ops/yolov3_loss/", "s"},
    {"ops/im2sequence/", "sz"},
    {"ops/clip/tensor_bounds", "lo"},
    {"ops/clip/tensor_bounds", "hi"},
    {"pir/gammaincc", "x"},
};

/// Programs that read one triangle of symmetric matrices: arguments and directions are symmetric.
constexpr const char *symmetric[] = {"ops/cholesky/", "ops/eigh/", "ops/eigvalsh/"};

/// The error message without the IR around it.
template <class T> std::string brief(const Result<T> &failed) {
  const std::string &message = failed.diagnostics()[0].message;
  return message.substr(0, message.find_first_of(";\n"));
}

bool has(const std::string &program, const char *part) { return program.find(part) != std::string::npos; }

Tensor withTranspose(const Tensor &matrices) {
  Tensor out(matrices.dtype(), matrices.dims());
  std::span<const double> from = numbersOf(matrices);
  std::span<double> to = numbersOf(out);
  auto n = static_cast<size_t>(matrices.dims().back());
  for (size_t at = 0; at < to.size(); at += n * n)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        to[at + i * n + j] = (from[at + i * n + j] + from[at + j * n + i]) / 2;
  return out;
}

class CorpusTest : public testing::TestWithParam<std::string> {
protected:
  /// The program as a function, or the reason why that is not possible.
  std::string open() {
    found = caseAt(PROA_CORPUS_DIR "/../" + GetParam());
    if (!found)
      return "not in float64";
    auto parsed = Function::parse(found->text, "main");
    if (!parsed)
      return "not in float64: " + brief(parsed);
    f = std::move(*parsed);
    f->setOptimizesCode(false); // half of the time
    arguments = found->arguments;
    std::for_each(arguments.begin(), arguments.end(), makeFinite);
    isSymmetric = std::any_of(std::begin(symmetric), std::end(symmetric),
                              [&](const char *part) { return has(GetParam(), part); });
    return {};
  }

  /// The arguments to differentiate by.
  std::vector<int64_t> differentiated(const std::vector<size_t> &floats) const {
    std::vector<int64_t> chosen;
    for (size_t i : floats)
      if (std::none_of(std::begin(withoutGradient), std::end(withoutGradient), [&](const auto &entry) {
            return has(GetParam(), entry.part) && found->names[i] == entry.argument;
          }))
        chosen.push_back(static_cast<int64_t>(i));
    return chosen;
  }

  /// Compares along random directions of the arguments in `by`. Returns a reason if there is nothing to
  /// compare.
  std::string compare(Function &function, const Tensors &at, const std::vector<int64_t> &by) {
    auto values = function.run(at);
    if (!values)
      return "does not run: " + brief(values);
    auto floatResults = floatsOf(*values);
    if (!floatResults || floatResults->empty())
      return "no real or complex results";
    if (!std::all_of(values->begin(), values->end(), isFinite))
      return "infinite";
    auto forward = jvp(function, by), backward = vjp(function, by);
    if (!forward || !backward) {
      // A function without a derivative has neither.
      EXPECT_EQ(bool(forward), bool(backward)) << (forward ? backward : forward).diagnostics().text();
      return "no derivative: " + brief(backward ? forward : backward);
    }
    Tensors tangents, cotangents;
    for (int64_t i : by)
      tangents.push_back(direction(at[static_cast<size_t>(i)], static_cast<size_t>(i)));
    for (size_t i : *floatResults)
      cotangents.push_back(randomLike((*values)[i], random));
    Tensors all = at;
    all.insert(all.end(), tangents.begin(), tangents.end());
    auto along = forward->run(all);
    all.resize(at.size());
    all.insert(all.end(), cotangents.begin(), cotangents.end());
    auto gradients = backward->run(all);
    if (!along || !gradients) {
      ADD_FAILURE() << (along ? gradients : along).diagnostics().text();
      return {};
    }
    double sums[2] = {0, 0}, size = 1;
    for (size_t i = 0; i < cotangents.size(); ++i) {
      const Tensor &tangent = (*along)[values->size() + i];
      sums[0] += dot(cotangents[i], tangent);
      size += std::sqrt(dot(tangent, tangent));
    }
    for (size_t i = 0; i < tangents.size(); ++i)
      sums[1] += dot(tangents[i], (*gradients)[values->size() + i]);
    if (!std::isfinite(sums[0]) && !std::isfinite(sums[1]))
      return "infinite";
    EXPECT_NEAR(sums[0], sums[1], 1e-8 * size) << "forward and reverse mode";
    auto product = [&](const Tensors &results) {
      double sum = 0;
      for (size_t i = 0; i < cotangents.size(); ++i)
        sum += dot(cotangents[i], results[(*floatResults)[i]]);
      return sum;
    };
    double differences[2], ofSides[2];
    for (int half : {0, 1}) {
      double step = half ? 5e-6 : 1e-5, sum = 0;
      for (double side : {step, -step}) {
        Tensors near = at;
        for (size_t i = 0; i < by.size(); ++i) {
          auto index = static_cast<size_t>(by[i]);
          near[index] = moved(at[index], side, tangents[i]);
        }
        auto there = function.run(near);
        if (!there) {
          ADD_FAILURE() << there.diagnostics().text();
          return {};
        }
        double slope = (product(*there) - product(*values)) / side;
        ofSides[side > 0] = slope;
        sum += slope / 2;
      }
      differences[half] = sum;
    }
    // Nor if one-sided slopes differ: there is a kink at the point.
    if (!(std::abs(differences[0] - differences[1]) < 1e-5 * size) ||
        !(std::abs(ofSides[0] - ofSides[1]) < 1e-3 * size))
      return "not smooth here";
    EXPECT_NEAR(sums[0], differences[1], 1e-5 * size) << "forward mode and differences";
    return {};
  }

  /// An argument of the program, or a cotangent after them.
  Tensor direction(const Tensor &at, size_t index) {
    Tensor tangent = randomLike(at, random);
    bool isMatrix = at.dims().size() > 1 && at.dims().back() == at.dims()[at.dims().size() - 2];
    return isSymmetric && index == 0 && isMatrix ? withTranspose(tangent) : tangent;
  }

  /// The reason why the derivatives of the program are not compared.
  std::string isLeftOut() const {
    for (auto [part, why] : leftOut)
      if (has(GetParam(), part))
        return why;
    return {};
  }

  std::string firstDerivatives() {
    if (std::string why = isLeftOut(); !why.empty())
      return why;
    auto floats = floatsOf(arguments);
    std::vector<int64_t> by = floats ? differentiated(*floats) : std::vector<int64_t>();
    if (by.empty())
      return "no real or complex numbers";
    auto fixed = f->withDims(dimsOf(arguments));
    if (!fixed)
      return "does not run: " + brief(fixed);
    return compare(*fixed, arguments, by);
  }

  std::string secondDerivatives() {
    if (found->holdsGradients)
      return {}; // its first derivatives are second ones
    if (std::string why = isLeftOut(); !why.empty())
      return why;
    auto floats = floatsOf(arguments);
    std::vector<int64_t> by = floats ? differentiated(*floats) : std::vector<int64_t>();
    if (by.empty())
      return "no real or complex numbers";
    auto fixed = f->withDims(dimsOf(arguments));
    auto values = f->run(arguments);
    auto floatResults = values ? floatsOf(*values) : std::nullopt;
    if (!fixed || !floatResults || floatResults->empty())
      return "no real or complex results";
    auto backward = vjp(*fixed, by);
    if (!backward)
      return "no derivative: " + brief(backward);
    std::vector<int64_t> gradients;
    for (size_t i = values->size(); i < backward->results().size(); ++i)
      gradients.push_back(static_cast<int64_t>(i));
    auto gradient = backward->withResults(gradients);
    if (!gradient) {
      ADD_FAILURE() << gradient.diagnostics().text();
      return {};
    }
    Tensors at = arguments;
    for (size_t i : *floatResults) {
      by.push_back(static_cast<int64_t>(at.size()));
      at.push_back(randomLike((*values)[i], random));
    }
    return compare(*gradient, at, by);
  }

  /// Two examples that differ in their real and complex values.
  std::string batch();
  std::string withDynamicDims();

  /// Skips the test, or fails if that disagrees with the list.
  void finish(const char *test, const std::string &reason) {
    EXPECT_TRUE(SkipList::agrees(test, GetParam(), reason))
        << (reason.empty() ? "is in skipped.txt, and no longer skipped" : "begins to be skipped: " + reason);
    if (!reason.empty() && !HasFailure())
      GTEST_SKIP() << reason;
  }

  std::mt19937 random{17};
  std::optional<Case> found;
  std::optional<Function> f;
  Tensors arguments;
  bool isSymmetric = false;
};

/// Programs of one op or one kind of control flow. Models have no other ops, and are too large for the
/// following tests (docs/known-gaps.md).
class CorpusSubsetTest : public CorpusTest {};

std::vector<std::string> subsetOfModels(std::vector<std::string> programs) {
  std::erase_if(programs, [](const std::string &program) { return has(program, "corpus/models/"); });
  return programs;
}

TEST_P(CorpusTest, DerivativesEqualDifferences) {
  std::string reason = open();
  finish("first", reason.empty() ? firstDerivatives() : reason);
}

TEST_P(CorpusSubsetTest, SecondDerivativesEqualDifferences) {
  std::string reason = open();
  finish("second", reason.empty() ? secondDerivatives() : reason);
}

/// Stacks two tensors of equal dims along a new first dimension.
Tensor stacked(const Tensor &first, const Tensor &second) {
  std::vector<int64_t> dims = first.dims();
  dims.insert(dims.begin(), 2);
  Tensor whole(first.dtype(), dims);
  std::memcpy(whole.data(), first.data(), first.bytes());
  std::memcpy(static_cast<char *>(whole.data()) + first.bytes(), second.data(), first.bytes());
  return whole;
}

/// The elements of a result of the batch; bytes for other dtypes than float64 and complex128.
void expectEqual(const Tensor &got, const Tensor &expected, size_t result) {
  ASSERT_EQ(got.dims(), expected.dims()) << "result " << result;
  if (expected.dtype() != DType::Float64 && expected.dtype() != DType::Complex128) {
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), expected.bytes()), 0) << "result " << result;
    return;
  }
  std::span<const double> reference = numbersOf(expected), numbers = numbersOf(got);
  for (size_t e = 0; e < reference.size(); ++e)
    if (reference[e] != numbers[e] && !(std::isnan(reference[e]) && std::isnan(numbers[e])))
      ASSERT_NEAR(numbers[e], reference[e], 1e-9 * std::max(1.0, std::abs(reference[e])))
          << "result " << result << ", element " << e;
}

std::string CorpusTest::batch() {
  auto floats = floatsOf(arguments);
  if (!floats || floats->empty())
    return "no real or complex numbers";
  Tensors first = arguments, second = first, both = first;
  std::vector<int64_t> mapped(first.size(), -1);
  std::uniform_real_distribution<double> reals(0.99, 1.01);
  for (size_t i : *floats) {
    second[i] = Tensor(first[i].dtype(), first[i].dims());
    std::span<double> to = numbersOf(second[i]);
    std::span<const double> from = numbersOf(std::as_const(first[i]));
    for (size_t e = 0; e < to.size(); ++e)
      to[e] = from[e] * reals(random);
    both[i] = stacked(first[i], second[i]);
    mapped[i] = 0;
  }
  auto one = f->run(first), other = f->run(second);
  auto fixed = f->withDims(dimsOf(first));
  if (!one || !other || !fixed)
    return "does not run in float64";
  for (size_t i = 0; i < one->size(); ++i)
    if ((*one)[i].dims() != (*other)[i].dims())
      return "the extents of results differ";
  auto batched = vmap(*fixed, mapped, 2);
  if (!batched)
    return "no batch: " + brief(batched);
  auto all = batched->run(both);
  if (!all) {
    ADD_FAILURE() << all.diagnostics().text();
    return {};
  }
  for (size_t i = 0; i < one->size(); ++i)
    expectEqual((*all)[i], stacked((*one)[i], (*other)[i]), i);
  return {};
}

TEST_P(CorpusSubsetTest, BatchEqualsItsExamples) {
  std::string reason = open();
  finish("batch", reason.empty() ? batch() : reason);
}

/// Compares two functions, one of which was differentiated with dynamic dims. Returns a reason if the other
/// one does not run.
std::string compareSame(Result<Function> fixed, Result<Function> open, const Tensors &at, const char *what) {
  SCOPED_TRACE(what);
  if (!fixed || !open)
    return std::string(what) + " is refused: " + brief(fixed ? open : fixed);
  auto expected = fixed->run(at), got = open->run(at);
  if (!expected)
    return std::string(what) + " does not run: " + brief(expected);
  if (!got)
    return std::string(what) + " does not run with dynamic dims: " + brief(got);
  for (size_t i = 0; i < expected->size(); ++i)
    expectEqual((*got)[i], (*expected)[i], i);
  return {};
}

std::string CorpusTest::withDynamicDims() {
  auto opened = caseAt(PROA_CORPUS_DIR "/../" + GetParam(), /*dynamicDims=*/true);
  if (!opened)
    return "not imported with dynamic dims";
  auto g = Function::parse(opened->text, "main");
  if (g)
    g->setOptimizesCode(false);
  auto floats = floatsOf(arguments);
  if (!g || !floats || floats->empty())
    return "no real or complex numbers";
  auto fixed = f->withDims(dimsOf(arguments));
  auto values = fixed ? fixed->run(arguments) : Result<Tensors>(fixed.diagnostics());
  if (!values)
    return "does not run: " + brief(values);
  auto plain = g->run(arguments);
  if (!plain)
    return "does not run with dynamic dims: " + brief(plain);
  for (size_t i = 0; i < plain->size(); ++i)
    if ((*plain)[i].dims() != (*values)[i].dims())
      return "has other dims with dynamic dims";
  std::vector<int64_t> by(floats->begin(), floats->end());
  auto forward = jvp(*fixed, by), backward = vjp(*fixed, by);
  if (!forward || !backward)
    return "no derivative: " + brief(forward ? backward : forward);
  Tensors along = arguments, back = arguments;
  for (size_t i : *floats)
    along.push_back(randomLike(arguments[i], random));
  for (size_t i = 0; i < values->size(); ++i)
    if (DType dtype = (*values)[i].dtype(); dtype == DType::Float64 || dtype == DType::Complex128)
      back.push_back(randomLike((*values)[i], random));
  auto openBackward = vjp(*g, by);
  std::string reason = compareSame(forward, jvp(*g, by), along, "forward mode");
  if (reason.empty())
    reason = compareSame(backward, openBackward, back, "reverse mode");
  if (!reason.empty() || found->holdsGradients || !openBackward)
    return reason;
  Tensors twice = back;
  twice.insert(twice.end(), along.begin() + static_cast<std::ptrdiff_t>(arguments.size()), along.end());
  return compareSame(jvp(*backward, by), jvp(*openBackward, by), twice, "forward over reverse mode");
}

TEST_P(CorpusSubsetTest, DerivativesWithDynamicDims) {
  std::string reason = open();
  if (reason.empty())
    reason = isLeftOut();
  finish("open", reason.empty() ? withDynamicDims() : reason);
}

std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  std::string name = info.param;
  for (char &c : name)
    c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Programs, CorpusTest, testing::ValuesIn(chosenPrograms()), nameOf);
INSTANTIATE_TEST_SUITE_P(Programs, CorpusSubsetTest, testing::ValuesIn(subsetOfModels(chosenPrograms())),
                         nameOf);

} // namespace
