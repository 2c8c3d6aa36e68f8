/// Special functions as expressions on ScalarBuilder and HostScalarBuilder: without loops, and without calls
/// except log, exp, sqrt and similar, so that they fuse. All compute in f64 and round once.
#pragma once

#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <vector>

namespace proa::pd::special {

/// Formulas on the numbers of one builder.
template <class Builder> class Formula {
public:
  using Value = typename Builder::Value;

  explicit Formula(Builder &b) : b(b) {}

  Value times(Value x, double factor) { return b.multiply(x, b.number(factor, x)); }
  Value plus(Value x, double constant) { return b.add(x, b.number(constant, x)); }
  /// x subtracted from the first argument.
  Value from(double constant, Value x) { return b.subtract(b.number(constant, x), x); }
  Value over(double numerator, Value x) { return b.divide(b.number(numerator, x), x); }
  Value below(Value x, double bound) { return b.lessThan(x, b.number(bound, x)); }
  Value squared(Value x) { return b.multiply(x, x); }

  /// The polynomial with these coefficients, the highest power first.
  template <class Coefficients> Value polynomial(Value x, const Coefficients &coefficients) {
    auto next = coefficients.begin();
    Value sum = b.number(*next, x);
    for (++next; next != coefficients.end(); ++next)
      sum = plus(b.multiply(sum, x), *next);
    return sum;
  }

  /// The Chebyshev series c[0] / 2 + c[1] T1(t) + c[2] T2(t) ..., by Clenshaw.
  Value chebyshev(Value t, std::initializer_list<double> c) {
    Value twice = times(t, 2), last = b.number(0, t), sum = last;
    for (const double *next = c.end(); --next != c.begin();) {
      Value before = last;
      last = sum;
      sum = plus(b.subtract(b.multiply(twice, last), before), *next);
    }
    return plus(b.subtract(b.multiply(t, sum), last), *c.begin() / 2);
  }

  Value power(Value x, int exponent) {
    Value result = b.number(1, x);
    for (int bit = 1 << 30; bit != 0; bit >>= 1) {
      result = exponent < bit ? result : squared(result);
      if (exponent & bit)
        result = b.multiply(result, x);
    }
    return result;
  }

  Value isInteger(Value x) { return b.equal(b.floor(x), x); }
  /// pi times the signed distance of x from the nearest integer, which determines sin and cos of pi x up to
  /// the sign.
  Value piFraction(Value x) { return times(b.subtract(x, b.round(x)), std::numbers::pi); }
  /// sin(pi x) up to the sign, by Taylor's polynomial, which vectorizes: the argument is at most pi / 2.
  Value sineOfPi(Value x) {
    Value r = piFraction(x);
    return b.multiply(
        r, polynomial(squared(r), std::initializer_list<double>{
                                      1. / 51090942171709440000., -1. / 121645100408832000.,
                                      1. / 355687428096000., -1. / 1307674368000., 1. / 6227020800.,
                                      -1. / 39916800., 1. / 362880., -1. / 5040., 1. / 120., -1. / 6., 1.}));
  }
  /// cos(pi x) up to the sign, likewise.
  Value cosineOfPi(Value x) {
    return polynomial(squared(piFraction(x)),
                      std::initializer_list<double>{-1. / 1124000727777607680000., 1. / 2432902008176640000.,
                                                    -1. / 6402373705728000., 1. / 20922789888000.,
                                                    -1. / 87178291200., 1. / 479001600., -1. / 3628800.,
                                                    1. / 40320., -1. / 720., 1. / 24., -1. / 2., 1.});
  }
  /// cot(pi x)
  Value cotangent(Value x) { return b.divide(cosineOfPi(x), sineOfPi(x)); }

  Builder &b;
};

/// The logarithm of |Gamma(x)|: Stirling's series at x + 10, reflected for x < 0.
template <class Builder> typename Builder::Value lgamma(Builder &b, typename Builder::Value operand) {
  Formula<Builder> f(b);
  auto x = b.widen(operand);
  auto negative = f.below(x, 0);
  auto p = b.select(negative, f.from(1, x), x);
  auto shifted = f.below(p, 10);
  auto product = p;
  for (int i = 1; i < 10; ++i)
    product = b.multiply(product, f.plus(p, i));
  auto z = b.select(shifted, f.plus(p, 10), p);
  auto inverse = f.over(1, z);
  auto series = f.polynomial(f.squared(inverse),
                             std::initializer_list<double>{1. / 156, -691. / 360360, 1. / 1188, -1. / 1680,
                                                           1. / 1260, -1. / 360, 1. / 12});
  auto log = b.log(z);
  auto stirling = b.subtract(b.multiply(z, f.plus(log, -1)), f.times(log, 0.5));
  stirling = b.add(f.plus(stirling, 0.91893853320467274178), b.multiply(series, inverse));
  auto value = b.subtract(stirling, b.select(shifted, b.log(product), b.number(0, x)));
  auto reflected = b.subtract(f.from(std::log(std::numbers::pi), b.log(b.abs(f.sineOfPi(x)))), value);
  // Poles, and both infinities.
  double infinity = std::numeric_limits<double>::infinity();
  auto pole = b.bitAnd(b.lessEqual(x, b.number(0, x)), f.isInteger(x));
  auto huge = b.bitOr(pole, b.equal(x, b.number(infinity, x)));
  return b.cast(b.select(huge, b.number(infinity, x), b.select(negative, reflected, value)));
}

/// The derivative of lgamma, on widened numbers. NaN at the poles, as in Paddle.
template <class Builder> typename Builder::Value digammaWide(Builder &b, typename Builder::Value x) {
  Formula<Builder> f(b);
  auto negative = f.below(x, 0);
  auto p = b.select(negative, f.from(1, x), x);
  auto shifted = f.below(p, 10);
  auto sum = f.over(1, p);
  for (int i = 1; i < 10; ++i)
    sum = b.add(sum, f.over(1, f.plus(p, i)));
  auto z = b.select(shifted, f.plus(p, 10), p);
  auto inverse = f.over(1, z), square = f.squared(inverse);
  auto series = f.polynomial(square, std::initializer_list<double>{1. / 12, -691. / 32760, 1. / 132,
                                                                   -1. / 240, 1. / 252, -1. / 120, 1. / 12});
  auto value = b.subtract(b.subtract(b.log(z), f.times(inverse, 0.5)), b.multiply(series, square));
  value = b.subtract(value, b.select(shifted, sum, b.number(0, x)));
  auto reflected = b.subtract(value, f.times(f.cotangent(x), std::numbers::pi));
  auto pole = b.bitAnd(b.lessEqual(x, b.number(0, x)), f.isInteger(x));
  return b.select(pole, b.number(std::numeric_limits<double>::quiet_NaN(), x),
                  b.select(negative, reflected, value));
}

template <class Builder> typename Builder::Value digamma(Builder &b, typename Builder::Value x) {
  return b.cast(digammaWide(b, b.widen(x)));
}

/// Hurwitz' zeta function: the sum of (q + k)^-s over k >= 0, for an integer s > 1 and q >= 0, by Euler and
/// Maclaurin.
template <class Builder> typename Builder::Value zeta(Builder &b, int s, typename Builder::Value q) {
  Formula<Builder> f(b);
  int terms = s < 10 ? 10 : s;
  auto sum = f.over(1, f.power(q, s));
  for (int k = 1; k < terms; ++k)
    sum = b.add(sum, f.over(1, f.power(f.plus(q, k), s)));
  auto w = f.plus(q, terms), last = f.over(1, f.power(w, s)), inverse = f.over(1, w);
  sum = b.add(sum, f.times(b.multiply(last, w), 1.0 / (s - 1)));
  sum = b.add(sum, f.times(last, 0.5));
  // B(2j) / (2j)!, each with one more pair of factors s + i.
  auto step = f.squared(inverse), term = b.multiply(last, inverse);
  double factor = s;
  int next = s + 1;
  for (double bernoulli : {1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160,
                           -691. / 1307674368000., 1. / 74724249600., -3617. / 10670622842880000.}) {
    sum = b.add(sum, f.times(term, bernoulli * factor));
    factor *= double(next) * (next + 1);
    next += 2;
    term = b.multiply(term, step);
  }
  return sum;
}

/// Coefficients of the n-th derivative of cot(pi x) / pi^n as a polynomial of cot(pi x), the highest power
/// first.
inline std::vector<double> cotangentDerivative(int n) {
  std::vector<double> rising{0, 1};
  for (int k = 0; k < n; ++k) {
    std::vector<double> next(rising.size() + 1, 0);
    for (size_t i = 1; i < rising.size(); ++i) {
      next[i - 1] -= double(i) * rising[i];
      next[i + 1] -= double(i) * rising[i];
    }
    rising = next;
  }
  return {rising.rbegin(), rising.rend()};
}

/// The n-th derivative of digamma.
template <class Builder>
typename Builder::Value polygamma(Builder &b, typename Builder::Value operand, int n) {
  if (n == 0)
    return digamma(b, operand);
  Formula<Builder> f(b);
  auto x = b.widen(operand);
  auto negative = f.below(x, 0);
  double sign = n % 2 == 0 ? -1 : 1;
  auto value = f.times(zeta(b, n + 1, b.select(negative, f.from(1, x), x)), sign * std::tgamma(n + 1.0));
  auto cotangent =
      f.times(f.polynomial(f.cotangent(x), cotangentDerivative(n)), -std::pow(std::numbers::pi, n + 1));
  auto reflected = b.add(cotangent, f.times(value, -sign));
  auto pole = b.bitAnd(b.lessEqual(x, b.number(0, x)), f.isInteger(x));
  double infinity = std::numeric_limits<double>::infinity();
  return b.cast(b.select(pole, b.number(sign * infinity, x), b.select(negative, reflected, value)));
}

/// The inverse of erf, by Wichura's approximations of the normal quantile (algorithm AS 241).
template <class Builder> typename Builder::Value erfinv(Builder &b, typename Builder::Value operand) {
  using Coefficients = std::initializer_list<double>;
  Formula<Builder> f(b);
  auto x = b.widen(operand), size = b.abs(x);
  auto ratio = [&](auto r, Coefficients above, Coefficients under) {
    return b.divide(f.polynomial(r, above), f.polynomial(r, under));
  };
  auto q = f.times(x, 0.5);
  auto middle = b.multiply(
      q, ratio(f.from(0.180625, f.squared(q)),
               Coefficients{2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
                            4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
                            1.3314166789178437745e+2, 3.3871328727963666080e0},
               Coefficients{5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4,
                            2.1213794301586595867e+4, 5.3941960214247511077e+3, 6.8718700749205790830e+2,
                            4.2313330701600911252e+1, 1.0}));
  auto r = b.sqrt(b.negate(b.log(f.times(f.from(1, size), 0.5))));
  auto near =
      ratio(f.plus(r, -1.6),
            Coefficients{7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                         1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
                         4.63033784615654529590e0, 1.42343711074968357734e0},
            Coefficients{1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
                         1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
                         2.05319162663775882187e0, 1.0});
  auto far =
      ratio(f.plus(r, -5),
            Coefficients{2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                         2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
                         5.46378491116411436990e0, 6.65790464350110377720e0},
            Coefficients{2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
                         7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
                         5.99832206555887937690e-1, 1.0});
  auto tail = b.select(f.below(r, 5), near, far);
  double infinity = std::numeric_limits<double>::infinity();
  tail = b.select(b.lessEqual(b.number(1, x), size), b.number(infinity, x), tail);
  tail = b.select(f.below(x, 0), b.negate(tail), tail);
  return b.cast(f.times(b.select(f.below(size, 0.85), middle, tail), std::numbers::sqrt2 / 2));
}

/// The modified Bessel function of the first kind of order 0 or 1; `scaled`: times exp(-|x|). Chebyshev
/// series of exp(-x) I0(x) and exp(-x) I1(x) / x up to 8, and of exp(-x) sqrt(x) I(x) beyond.
template <class Builder>
typename Builder::Value besselI(Builder &b, typename Builder::Value operand, int order, bool scaled) {
  static constexpr std::initializer_list<double> small0{
      0.676795274409476085,     -0.304682672343198399,    0.171620901522208775,    -0.0949010970480476444,
      0.0493052842396707085,    -0.0237374148058994688,   0.0105464603945949983,   -0.00432430999505057594,
      0.0016394756169413358,    -0.000576375574538582366, 0.000188502885095841656, -0.000057541950100821037,
      0.0000164484480707288971, -4.41673835845875056e-6,  1.11738753912010372e-6,  -2.67079385394061173e-7,
      6.04699502254191895e-8,   -1.30002500998624804e-8,  2.65982372468238665e-9,  -5.18979560163526291e-10,
      9.67580903537323691e-11,  -1.72682629144155571e-11, 2.95505266312963983e-12, -4.85644678311192946e-13,
      7.67618549860493562e-14,  -1.16853328779934517e-14, 1.71539128555513303e-15, -2.43127984654795469e-16,
      3.3307945188222381e-17};
  static constexpr std::initializer_list<double> large0{
      0.804490411014108832,     0.00336911647825569409,   0.0000688975834691682398, 2.89137052083475648e-6,
      2.04891858946906374e-7,   2.26666899049817806e-8,   3.39623202570838635e-9,   4.94060238822496959e-10,
      1.18891471078464383e-11,  -3.14991652796324136e-11, -1.32158118404477131e-11, -1.79417853150680612e-12,
      7.18012445138366623e-13,  3.8527783827421427e-13,   1.54008621752140983e-14,  -4.15056934728722209e-14,
      -9.55484669882830765e-15, 3.81168066935262242e-15,  1.77256013305652638e-15,  -3.42548561967721913e-16,
      -2.82762398051658348e-16, 3.46122286769746109e-17,  4.46562142029676e-17};
  static constexpr std::initializer_list<double> small1{
      0.252587186443633655,    -0.176416518357834055,    0.102643658689847095,     -0.0529459812080949914,
      0.0247264490306265168,   -0.0105640848946261982,   0.00415642294431288816,   -0.00151357245063125315,
      0.000512285956168575773, -0.000161760815825896746, 0.0000478156510755005423, -0.0000132731636560394358,
      3.47025130813767848e-6,  -8.56872026469545474e-7,  2.00329475355213526e-7,   -4.44505912879632808e-8,
      9.38153738649577178e-9,  -1.88724975172282929e-9,  3.62559028155211704e-10,  -6.66348972350202774e-11,
      1.17361862988909016e-11, -1.98397439776494372e-12, 3.22379336594557471e-13,  -5.04218550472791169e-14,
      7.60068429473540693e-15, -1.10559694773538631e-15, 1.55363195773620047e-16,  -2.11142121435816608e-17,
      2.77791411276104637e-18};
  static constexpr std::initializer_list<double> large1{
      0.77857623501828012,      -0.00976109749136146841,  -0.000110588938762623716, -3.88256480887769039e-6,
      -2.51223623787020893e-7,  -2.63146884688951951e-8,  -3.83538038596423702e-9,  -5.58974346219658381e-10,
      -1.89749581235054123e-11, 3.25260358301548824e-11,  1.41258074366137813e-11,  2.03562854414708951e-12,
      -7.19855177624590851e-13, -4.08355111109219732e-13, -2.10154184277266431e-14, 4.27244001671195135e-14,
      1.04202769841288028e-14,  -3.8144030724370078e-15,  -1.88035477551078245e-15, 3.30820231092092828e-16,
      2.96262899764595014e-16,  -3.20952592199342396e-17, -4.65030536848935833e-17};
  Formula<Builder> f(b);
  auto x = b.widen(operand), size = b.abs(x);
  auto small = f.chebyshev(f.plus(f.times(size, 0.25), -1), order == 0 ? small0 : small1);
  if (order == 1)
    small = b.multiply(small, size);
  auto large =
      b.divide(f.chebyshev(f.plus(f.over(16, size), -1), order == 0 ? large0 : large1), b.sqrt(size));
  auto value = b.select(b.lessEqual(size, b.number(8, x)), small, large);
  if (!scaled)
    value = b.multiply(value, b.exp(size));
  return b.cast(order == 1 ? b.select(f.below(x, 0), b.negate(value), value) : value);
}

} // namespace proa::pd::special
