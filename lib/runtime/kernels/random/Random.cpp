/// The library kernels "uniform", "gaussian", "truncated_gaussian_random" and "randint" (shape_tensor,
/// seed_tensor, part_begin; shape, seed, whole_shape and the distribution's parameters), "poisson" and
/// "standard_gamma" (x, part_begin; seed, whole_shape), "binomial" (count, prob, part_begin; seed,
/// whole_shape).
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/random/Draw.h"
#include "lib/runtime/kernels/random/WholeIndex.h"

#include "dialects/pd/ops/random/Random.kernels.inc"
#include "dialects/rt/Rt.kernels.inc"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace proa::runtime {
namespace {

/// Blocks of four words below which another thread does not pay.
constexpr int64_t blockGrain = 2048;

/// The result of an op whose shape is an attribute or input 0, and its numbers; input 1 is a seed.
struct Fill {
  View out;
  RandomCall draw;
  WholeIndex index;
};

struct FillAttributes {
  std::vector<int64_t> shape, whole;
  uint64_t seed = 0;

  template <class Op>
  FillAttributes(const Op &op, Checks &checks)
      : shape(op.shape), whole(op.wholeShape), seed(static_cast<uint64_t>(op.seed)) {
    checks.expectOperands(0, 1);
  }
};

/// The numbers of a call. The seed is the attribute or in an optional operand, which overrides it; an operand
/// of two elements has the key and the number of an execution.
Result<RandomCall> drawOf(Call &call, size_t input, uint64_t attribute) {
  if (!call.input(input))
    return drawOf(call, attribute);
  Result<std::vector<int64_t>> given = integersOf(call.input(input));
  if (!given)
    return given.diagnostics();
  if (given->size() == 2)
    return RandomCall{static_cast<uint64_t>(given->front()), static_cast<uint64_t>(given->back())};
  if (given->size() != 1)
    return failure("expected one seed, or the two words of an execution, found {} numbers", given->size());
  return drawOf(call, static_cast<uint64_t>(given->front()));
}

Result<Fill> beginFill(Call &call, const FillAttributes &attributes) {
  std::vector<int64_t> dims = attributes.shape;
  if (call.input(0)) {
    Result<std::vector<int64_t>> given = integersOf(call.input(0));
    if (!given)
      return given.diagnostics();
    dims = std::move(*given);
  }
  for (int64_t dim : dims)
    if (dim < 0)
      return failure("the shape [{}] has a negative dim", fmt::join(dims, ", "));
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  Result<WholeIndex> index = WholeIndex::create(dims, attributes.whole, call.input(2));
  if (!index)
    return index.diagnostics();
  Result<RandomCall> draw = drawOf(call, 1, attributes.seed);
  if (!draw)
    return draw.diagnostics();
  return Fill{*out, *draw, *index};
}

/// Sets each element from some words of the sequence: body(words, index in the words, element) where
/// `perBlock` numbers share a block. An element has `numbers` numbers, which are counted as elements.
template <size_t perBlock, class Body>
void fillBlocks(const Fill &fill, const Body &body, int64_t values = 1) {
  constexpr auto step = static_cast<int64_t>(perBlock);
  // From `first` of the whole on.
  auto fillRun = [&](int64_t first, int64_t local, int64_t count) {
    for (int64_t i = 0; i < count;) {
      int64_t block = (first + i) / step, word = (first + i) % step;
      PhiloxBlock words = fill.draw.block(static_cast<uint64_t>(block));
      for (; word < step && i < count; ++word, ++i)
        body(words, static_cast<size_t>(word), local + i);
    }
  };
  int64_t count = fill.out.size() * values;
  if (fill.index.isWhole())
    return parallelFor((count + step - 1) / step, blockGrain, [&](int64_t begin, int64_t end) {
      fillRun(begin * step, begin * step, std::min(count, end * step) - begin * step);
    });
  int64_t run = fill.index.runLength() * values;
  parallelFor(count / run, std::max<int64_t>(1, blockGrain * step / run), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      fillRun(fill.index(i * run / values) * values, i * run, run);
  });
}

/// Numbers in [min, max), of the precision of T.
template <class T> void fillUniform(const Fill &fill, double min, double max) {
  if constexpr (std::is_same_v<T, double>) {
    fillBlocks<2>(fill, [&](const PhiloxBlock &words, size_t word, int64_t i) {
      double value = min + (max - min) * unitDouble(words[2 * word], words[2 * word + 1]);
      fill.out.as<double>()[i] = value < max ? value : std::nextafter(max, min);
    });
  } else {
    auto low = static_cast<float>(min), high = static_cast<float>(max);
    fillBlocks<4>(fill, [&](const PhiloxBlock &words, size_t word, int64_t i) {
      float value = low + (high - low) * unitFloat(words[word]);
      fill.out.as<T>()[i] = static_cast<T>(value < high ? value : std::nextafter(high, low));
    });
  }
}

struct Diagonal {
  int64_t count, step;
  double value;
};

Result<void> uniform(Call &call, const FillAttributes &attributes, double min, double max,
                     Diagonal diagonal) {
  Result<Fill> fill = beginFill(call, attributes);
  if (!fill)
    return fill.diagnostics();
  int64_t size = fill->out.size();
  if (diagonal.count > 0 && !fill->index.isWhole())
    return failure("a shard of a tensor has no diagonal");
  if (diagonal.count > 0 && (diagonal.step < 0 || diagonal.count - 1 > (size - 1) / (diagonal.step + 1)))
    return failure("{} diagonal elements, {} apart, do not fit {} elements", diagonal.count,
                   diagonal.step + 1, size);
  bool known = dispatchFloat(fill->out.dtype, [&](auto zero) {
    using T = decltype(zero);
    fillUniform<T>(*fill, min, max);
    for (int64_t i = 0; i < diagonal.count; ++i)
      fill->out.template as<T>()[i * (diagonal.step + 1)] =
          static_cast<T>(static_cast<Wide<T>>(diagonal.value));
  });
  return known ? Result<void>() : failure("uniform numbers of {} are not supported", nameOf(fill->out.dtype));
}

/// Two normal numbers by the method of Box and Muller.
std::pair<double, double> normalPair(const PhiloxBlock &words) {
  double radius = std::sqrt(-2 * std::log1p(-unitDouble(words[0], words[1])));
  double angle = 2 * 3.14159265358979323846 * unitDouble(words[2], words[3]);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

Result<void> gaussian(Call &call, const FillAttributes &attributes, double mean, double deviation) {
  Result<Fill> fill = beginFill(call, attributes);
  if (!fill)
    return fill.diagnostics();
  auto values = [&](auto zero, int64_t ofElement, double scale) {
    using T = decltype(zero);
    auto set = [&](const PhiloxBlock &words, size_t word, int64_t i) {
      auto [first, second] = normalPair(words);
      fill->out.template as<T>()[i] =
          static_cast<T>(static_cast<Wide<T>>(mean + scale * (word == 0 ? first : second)));
    };
    fillBlocks<2>(*fill, set, ofElement);
  };
  // A complex number's components share the variance.
  constexpr double half = 0.70710678118654752440;
  if (fill->out.dtype == DType::Complex64)
    return values(float(), 2, deviation * half), Result<void>();
  if (fill->out.dtype == DType::Complex128)
    return values(double(), 2, deviation * half), Result<void>();
  bool known = dispatchFloat(fill->out.dtype, [&](auto zero) { values(zero, 1, deviation); });
  return known ? Result<void>() : failure("normal numbers of {} are not supported", nameOf(fill->out.dtype));
}

double normalBelow(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

/// The x with normalBelow(x) = p, for p in (0, 1), by bisection: the tails keep their precision.
double normalQuantile(double p) {
  double low = -38.5, high = 38.5;
  for (int i = 0; i < 62; ++i) {
    double middle = 0.5 * (low + high);
    (normalBelow(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// A normal number in [a, b]: samples outside are drawn again; if nearly all are outside, by the inverse
/// distribution.
double truncatedNormal(RandomStream stream, double a, double b, double mass) {
  if (mass < 0.05) {
    // Of the two tails the left one has the better precision.
    bool mirrored = a > 0;
    double low = normalBelow(mirrored ? -b : a), high = normalBelow(mirrored ? -a : b);
    double x = std::clamp(normalQuantile(low + (high - low) * stream.uniform()), mirrored ? -b : a,
                          mirrored ? -a : b);
    return mirrored ? -x : x;
  }
  while (true) {
    uint64_t first = stream(), second = stream();
    auto [x, y] = normalPair({static_cast<uint32_t>(first), static_cast<uint32_t>(first >> 32),
                              static_cast<uint32_t>(second), static_cast<uint32_t>(second >> 32)});
    if (x >= a && x <= b)
      return x;
    if (y >= a && y <= b)
      return y;
  }
}

Result<void> truncatedGaussian(Call &call, const FillAttributes &attributes, double mean, double deviation,
                               double a, double b) {
  if (!(a < b))
    return failure("the interval [{}, {}] is empty", a, b);
  Result<Fill> fill = beginFill(call, attributes);
  if (!fill)
    return fill.diagnostics();
  double mass = normalBelow(b) - normalBelow(a);
  bool known = dispatchFloat(fill->out.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallelFor(fill->out.size(), blockGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        auto element = static_cast<uint64_t>(fill->index(i));
        double x = truncatedNormal(RandomStream(fill->draw, element), a, b, mass);
        fill->out.template as<T>()[i] = static_cast<T>(static_cast<Wide<T>>(mean + deviation * x));
      }
    });
  });
  return known ? Result<void>() : failure("normal numbers of {} are not supported", nameOf(fill->out.dtype));
}

Result<void> randint(Call &call, const FillAttributes &attributes, int64_t low, int64_t high) {
  Result<Fill> fill = beginFill(call, attributes);
  if (!fill)
    return fill.diagnostics();
  auto range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  bool known = dispatchIndex(fill->out.dtype, [&](auto zero) {
    using T = decltype(zero);
    // The upper half of a product: its deviation from an equal distribution is below range / 2^64.
    fillBlocks<2>(*fill, [&](const PhiloxBlock &words, size_t pair, int64_t i) {
      unsigned __int128 word = uint64_t(words[2 * pair + 1]) << 32 | words[2 * pair];
      fill->out.template as<T>()[i] =
          static_cast<T>(static_cast<uint64_t>(low) + static_cast<uint64_t>((word * range) >> 64));
    });
  });
  return known ? Result<void>() : failure("random integers of {} are not supported", nameOf(fill->out.dtype));
}

/// The seed of an op that samples for each element, and the dims of the whole of its operands.
struct SamplerAttributes {
  uint64_t seed = 0;
  std::vector<int64_t> whole;
};

/// Each element of the result from one of x and a stream of its own; `draw(x, stream)` computes it or refuses
/// x.
template <class Draw>
Result<void> eachFrom(Call &call, const SamplerAttributes &attributes, const char *expected,
                      const Draw &draw) {
  const View &x = call.input(0);
  Result<View> out = call.output(0, x.dims);
  if (!out)
    return out.diagnostics();
  Result<WholeIndex> index = WholeIndex::create(x.dims, attributes.whole, call.input(1));
  if (!index)
    return index.diagnostics();
  RandomCall numbers = drawOf(call, attributes.seed);
  double wrong = 0;
  bool isWrong = false;
  bool known = dispatchFloat(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *from = x.as<T>();
    for (int64_t i = 0, size = x.size(); i < size && !isWrong; ++i)
      if (double value = static_cast<Wide<T>>(from[i]); !(value >= 0) || std::isinf(value)) {
        isWrong = true;
        wrong = value;
      }
    if (isWrong)
      return;
    parallelFor(x.size(), 256, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        RandomStream stream(numbers, static_cast<uint64_t>((*index)(i)));
        out->template as<T>()[i] = static_cast<T>(
            static_cast<Wide<T>>(draw(static_cast<double>(static_cast<Wide<T>>(from[i])), stream, zero)));
      }
    });
  });
  if (!known)
    return failure("{} is not supported", nameOf(x.dtype));
  return isWrong ? failure("expected {}, found {}", expected, wrong) : Result<void>();
}

double drawPoisson(double mean, RandomStream &stream) {
  return mean == 0 ? 0 : static_cast<double>(std::poisson_distribution<int64_t>(mean)(stream));
}

double drawGamma(double shape, RandomStream &stream) {
  return shape == 0 ? 0 : std::gamma_distribution<double>(shape)(stream);
}

Result<void> binomial(Call &call, const SamplerAttributes &attributes) {
  const View &count = call.input(0), &prob = call.input(1);
  if (!std::ranges::equal(count.dims, prob.dims))
    return failure("count and prob differ in dims");
  Result<View> out = call.output(0, count.dims);
  if (!out)
    return out.diagnostics();
  if (out->dtype != DType::Int64)
    return failure("counts of {} are not supported", nameOf(out->dtype));
  std::vector<double> trials(static_cast<size_t>(count.size()));
  bool known = dispatchReal(count.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < trials.size(); ++i)
      trials[i] = static_cast<double>(static_cast<Wide<T>>(count.as<T>()[i]));
  });
  for (double trial : trials)
    if (!(trial >= 0 && trial < 0x1p53))
      return failure("expected counts from 0 to 2^53, found {}", trial);
  Result<WholeIndex> index = WholeIndex::create(count.dims, attributes.whole, call.input(2));
  if (!index)
    return index.diagnostics();
  RandomCall values = drawOf(call, attributes.seed);
  std::optional<double> wrong;
  known &= dispatchFloat(prob.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < prob.size() && !wrong; ++i) {
      auto chance = static_cast<double>(static_cast<Wide<T>>(prob.as<T>()[i]));
      if (!(chance >= 0 && chance <= 1))
        wrong = chance;
      RandomStream stream(values, static_cast<uint64_t>((*index)(i)));
      if (!wrong)
        out->as<int64_t>()[i] = std::binomial_distribution<int64_t>(
            static_cast<int64_t>(trials[static_cast<size_t>(i)]), chance)(stream);
    }
  });
  if (!known)
    return failure("{} and {} are not supported", nameOf(count.dtype), nameOf(prob.dtype));
  return wrong ? failure("expected probabilities from 0 to 1, found {}", *wrong) : Result<void>();
}

/// The smallest normal number of T.
template <class T> double smallestNormal() {
  return std::is_same_v<T, double>    ? std::numeric_limits<double>::min()
         : std::is_same_v<T, Float16> ? 0x1p-14
                                      : static_cast<double>(std::numeric_limits<float>::min());
}

/// A kernel that fills a tensor of a given shape: run(call, attributes).
template <class Op, class Run>
Result<std::unique_ptr<LibraryKernel>> makeFill(const Op &op, const KernelRequest &request, Run run) {
  Checks checks(request);
  FillAttributes attributes(op, checks);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return run(call, attributes); });
}

/// A kernel that samples from a distribution for each element of its inputs: run(call, attributes).
template <class Op, class Run>
Result<std::unique_ptr<LibraryKernel>> makeSampler(const Op &op, const KernelRequest &request, size_t inputs,
                                                   Run run) {
  Checks checks(request);
  checks.expectOperands(inputs, 1);
  if (!checks.ok())
    return checks.diagnostics();
  SamplerAttributes attributes{static_cast<uint64_t>(op.seed), op.wholeShape};
  return makeKernel([=](Call &call) { return run(call, attributes); });
}

} // namespace

/// The key and the number of an execution, for a device.
Result<std::unique_ptr<LibraryKernel>> makeRandomCall(const RandomCallAttributes &op, const KernelRequest &) {
  return makeKernel([attribute = static_cast<uint64_t>(op.seed)](Call &call) -> Result<void> {
    Result<RandomCall> draw = drawOf(call, 0, attribute);
    if (!draw)
      return draw.diagnostics();
    const int64_t dims[] = {2};
    Result<View> out = call.output(0, dims);
    if (!out)
      return out.diagnostics();
    out->as<int64_t>()[0] = static_cast<int64_t>(draw->key);
    out->as<int64_t>()[1] = static_cast<int64_t>(draw->call);
    return {};
  });
}

Result<std::unique_ptr<LibraryKernel>> makeUniform(const UniformAttributes &op,
                                                   const KernelRequest &request) {
  return makeFill(op, request, [op](Call &call, const FillAttributes &attributes) {
    return uniform(call, attributes, op.min, op.max, {op.diagNum, op.diagStep, op.diagVal});
  });
}

Result<std::unique_ptr<LibraryKernel>> makeGaussian(const GaussianAttributes &op,
                                                    const KernelRequest &request) {
  return makeFill(op, request, [op](Call &call, const FillAttributes &attributes) {
    return gaussian(call, attributes, op.mean, op.std);
  });
}

Result<std::unique_ptr<LibraryKernel>>
makeTruncatedGaussianRandom(const TruncatedGaussianRandomAttributes &op, const KernelRequest &request) {
  return makeFill(op, request, [op](Call &call, const FillAttributes &attributes) {
    return truncatedGaussian(call, attributes, op.mean, op.std, op.a, op.b);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeRandint(const RandintAttributes &op,
                                                   const KernelRequest &request) {
  if (op.low >= op.high)
    return failure("expected low below high, found {} and {}", op.low, op.high);
  return makeFill(op, request, [op](Call &call, const FillAttributes &attributes) {
    return randint(call, attributes, op.low, op.high);
  });
}

Result<std::unique_ptr<LibraryKernel>> makePoisson(const PoissonAttributes &op,
                                                   const KernelRequest &request) {
  return makeSampler(op, request, 1, [](Call &call, const SamplerAttributes &attributes) {
    return eachFrom(call, attributes, "a mean that is finite and not negative",
                    [](double mean, RandomStream &stream, auto) { return drawPoisson(mean, stream); });
  });
}

Result<std::unique_ptr<LibraryKernel>> makeBinomial(const BinomialAttributes &op,
                                                    const KernelRequest &request) {
  return makeSampler(op, request, 2, binomial);
}

Result<std::unique_ptr<LibraryKernel>> makeStandardGamma(const StandardGammaAttributes &op,
                                                         const KernelRequest &request) {
  return makeSampler(op, request, 1, [](Call &call, const SamplerAttributes &attributes) {
    return eachFrom(call, attributes, "a shape that is finite and not negative",
                    [](double shape, RandomStream &stream, auto zero) {
                      return std::max(drawGamma(shape, stream), smallestNormal<decltype(zero)>());
                    });
  });
}

} // namespace proa::runtime
