//! Reference kernel of the incomplete gamma function.
#include "dialects/pd/ops/math/SpecialOps.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace proa::pd {
namespace {

/// Adaptive Simpson's rule: halves the interval until the value does not change.
double integral(llvm::function_ref<double(double)> f, double begin, double end, double tolerance,
                int depth = 40) {
  double middle = (begin + end) / 2, width = end - begin;
  double ends = f(begin) + f(end), center = f(middle);
  double quarters = f((begin + middle) / 2) + f((middle + end) / 2);
  double whole = width / 6 * (ends + 4 * center), halves = width / 12 * (ends + 4 * quarters + 2 * center);
  if (depth == 0 || std::abs(halves - whole) < tolerance)
    return halves + (halves - whole) / 15;
  return integral(f, begin, middle, tolerance / 2, depth - 1) +
         integral(f, middle, end, tolerance / 2, depth - 1);
}

/// The definition: the integral of t^(x-1) exp(-t) from y on over that from 0 on. In v, with t = x exp(v),
/// the integrand is exp(-x (exp(v) - 1 - v)) times a constant, whose peak, of height 1, is at 0.
double upperShare(double x, double y) {
  auto integrand = [x](double v) { return std::exp(-x * (std::expm1(v) - v)); };
  constexpr double negligible = 1e-20;
  double from = std::log(y) - std::log(x), step = std::min(1.0, 1 / std::sqrt(x)), above = 0, below = 0;
  for (double direction : {-1.0, 1.0}) {
    double begin = 0, width = step;
    do { // the left tail may be long, so its steps grow
      double end = begin + direction * width, low = std::min(begin, end), high = std::max(begin, end);
      double cut = std::min(std::max(from, low), high), tolerance = 1e-14 * step;
      if (low < cut)
        below += integral(integrand, low, cut, tolerance);
      if (cut < high)
        above += integral(integrand, cut, high, tolerance);
      begin = end;
      width *= direction < 0 ? 1.5 : 1;
    } while (integrand(begin) > negligible);
  }
  return above / (above + below);
}

} // namespace

LogicalResult GammainccOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                            llvm::MutableArrayRef<Tensor> results, RandomState *) {
  for (int64_t i = 0; i < operands[0].size(); ++i) {
    double x = realAt(operands[0], i), y = realAt(operands[1], i);
    if (std::isinf(x) || std::isinf(y))
      return failure();
    bool isDefined = x >= 0 && y >= 0;
    setReal(results[0], i,
            !isDefined         ? std::numeric_limits<double>::quiet_NaN()
            : x == 0 || y == 0 ? 1
                               : upperShare(x, y));
  }
  return success();
}

} // namespace proa::pd
