/// Patterns that expand math functions of floats into operations that vectorize.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace proa {

/// A double of this size has no fraction: its lowest bits hold the integer that is added to it.
inline constexpr double integerInDouble = 0x1.8p52;

/// Builds arithmetic of scalars of one type, f32 or f64.
class FloatMath {
public:
  FloatMath(mlir::ImplicitLocOpBuilder &builder, mlir::FloatType type) : builder(builder), type(type) {}

  mlir::Value constant(double value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value subtract(mlir::Value x, mlir::Value y);
  mlir::Value multiply(mlir::Value x, mlir::Value y);
  mlir::Value divide(mlir::Value x, mlir::Value y);
  /// x y + z, rounded once.
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  /// False for NaN.
  mlir::Value less(mlir::Value x, double limit);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value absolute(mlir::Value x);
  /// Horner's scheme, with the constant coefficient first.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);

private:
  mlir::ImplicitLocOpBuilder &builder;
  mlir::FloatType type;
};

/// 2^n, where the lowest bits of `sum` hold n: of an f32 from -127 (zero) to 127, of an f64 from -1022 to
/// 1023.
mlir::Value powerOfInteger(mlir::ImplicitLocOpBuilder &builder, mlir::Value sum);

/// sin, cos and tan of f32.
void populateTrigonometricPatterns(mlir::RewritePatternSet &patterns);

/// exp, expm1, tanh and log of f64.
void populateDoubleExponentialPatterns(mlir::RewritePatternSet &patterns);

/// Expands remainders of floats into a quotient, with a call of libm where the quotient is long.
void expandRemainders(mlir::Operation *root);

} // namespace proa
