//! Elementwise functions of complex numbers, with the branch cuts of C99. The inverse functions are Kahan's,
//! which are accurate on the whole plane.
#include "dialects/pd/builders/ScalarBuilder.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace proa::pd {

Value ScalarBuilder::real(Value x) {
  return isComplex(x) ? complex::ReOp::create(builder, location, x).getResult() : x;
}

Value ScalarBuilder::imag(Value x) {
  return isComplex(x) ? complex::ImOp::create(builder, location, x).getResult() : constant(0, x.getType());
}

Value ScalarBuilder::complex(Value re, Value im) {
  return complex::CreateOp::create(builder, location, ComplexType::get(re.getType()), re, im);
}

Value ScalarBuilder::conj(Value x) { return isComplex(x) ? complex(real(x), negate(imag(x))) : x; }

Value ScalarBuilder::angle(Value x) {
  if (isComplex(x))
    return atan2(imag(x), real(x));
  Value zero = constant(0, x.getType());
  return select(lessThan(x, zero), constant(std::numbers::pi, x.getType()), zero);
}

Value ScalarBuilder::throughImaginary(Value x, Value (ScalarBuilder::*f)(Value)) {
  Value y = (this->*f)(complex(negate(imag(x)), real(x)));
  return complex(imag(y), negate(real(y)));
}

Value ScalarBuilder::complexLog(Value x, double base) {
  Value y = log(x), factor = number(1 / std::log(base), real(y));
  return complex(multiply(real(y), factor), multiply(imag(y), factor));
}

Value ScalarBuilder::complexSinh(Value x) {
  return complex(multiply(sinh(real(x)), cos(imag(x))), multiply(cosh(real(x)), sin(imag(x))));
}

Value ScalarBuilder::complexCosh(Value x) {
  return complex(multiply(cosh(real(x)), cos(imag(x))), multiply(sinh(real(x)), sin(imag(x))));
}

// With s = sqrt(1 - x) and t = sqrt(1 + x): the real component is a ratio of real components, the imaginary
// one an asinh.
Value ScalarBuilder::complexAsin(Value x) {
  Value one = number(1, x), s = sqrt(subtract(one, x)), t = sqrt(add(one, x));
  return complex(atan2(real(x), real(multiply(s, t))), asinh(imag(multiply(conj(s), t))));
}

Value ScalarBuilder::complexAcos(Value x) {
  Value one = number(1, x), s = sqrt(subtract(one, x)), t = sqrt(add(one, x));
  Value half = atan2(real(s), real(t));
  return complex(add(half, half), asinh(imag(multiply(conj(t), s))));
}

Value ScalarBuilder::complexAcosh(Value x) {
  Value one = number(1, x), s = sqrt(subtract(x, one)), t = sqrt(add(x, one));
  Value half = atan2(imag(s), real(t));
  return complex(asinh(real(multiply(conj(s), t))), add(half, half));
}

// log1p(4 re / ((1 - re)^2 + im^2)) / 4, and half of the angle of (1 - re) (1 + re) - im^2 + 2 im i.
Value ScalarBuilder::complexAtanh(Value x) {
  Value re = real(x), im = imag(x), one = number(1, re), square = multiply(im, im);
  Value below = subtract(one, re);
  Value ratio = divide(multiply(number(4, re), re), add(multiply(below, below), square));
  Value angle = atan2(add(im, im), subtract(multiply(below, add(one, re)), square));
  return complex(multiply(number(0.25, re), log1p(ratio)), multiply(number(0.5, re), angle));
}

Value ScalarBuilder::complexSign(Value x) {
  Value zero = number(0, x), size = abs(x);
  Value unit = complex(divide(real(x), size), divide(imag(x), size));
  return select(equal(x, zero), zero, unit);
}

} // namespace proa::pd
