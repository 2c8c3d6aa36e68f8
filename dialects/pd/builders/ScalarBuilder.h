/// Elementwise functions on scalars in IR: the builder for the field `scalar` of records.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace proa::pd {

enum class FloatFormat : uint32_t; // ir/Enums.td
enum class FloatRounding : uint32_t;

/// Emits arith, math and complex ops for one element. The operand types select the op: signed integers,
/// unsigned integers (ui8 is passed as i8 with `operandUnsigned`), floats or complex numbers. Bools are i1.
/// `resultUnsigned` says the same of the result, which a conversion from floats must know.
class ScalarBuilder {
public:
  using Value = mlir::Value;
  using Values = mlir::ValueRange;

  /// `resultType` is the element type of the op's result.
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location location, mlir::Type resultType,
                bool operandUnsigned, bool resultUnsigned = false)
      : builder(builder), location(location), resultType(resultType), operandUnsigned(operandUnsigned),
        resultUnsigned(resultUnsigned) {}

#include "dialects/pd/builders/ScalarMethods.inc"

  /// A constant of the type of `like`.
  Value number(double value, Value like) { return constant(value, like.getType()); }
  Value constant(double value, mlir::Type type);

private:
  static bool isComplex(mlir::Value x);
  // Functions of complex numbers that the complex dialect does not have (ScalarComplex.cpp).
  Value complexLog(Value x, double base);
  Value complexSinh(Value x);
  Value complexCosh(Value x);
  Value complexAsin(Value x);
  Value complexAcos(Value x);
  Value complexAcosh(Value x);
  Value complexAtanh(Value x);
  Value complexSign(Value x);
  /// f(ix) / i.
  Value throughImaginary(Value x, Value (ScalarBuilder::*f)(Value));

  /// E8M0, which has neither sign nor mantissa (ScalarFloatFormat.cpp).
  Value decodeExponent(Value code);
  Value encodeExponent(Value x, FloatRounding rounding, bool saturates);
  Value bitcast(Value x, mlir::Type type);

  Value compare(Value x, Value y, int floatPredicate, int signedPredicate, int unsignedPredicate);
  template <class Float, class Complex = void> Value unary(Value x);

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Type resultType;
  bool operandUnsigned, resultUnsigned;
};

} // namespace proa::pd
