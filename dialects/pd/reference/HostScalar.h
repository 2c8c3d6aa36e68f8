/// Elementwise functions on host scalars: how the reference evaluator runs the field `scalar` of op records.
#pragma once

#include "proa/Tensor.h"

#include "llvm/ADT/ArrayRef.h"

#include <complex>
#include <cstdint>

namespace proa::pd {

enum class FloatFormat : uint32_t; // ir/Enums.td
enum class FloatRounding : uint32_t;

/// One element of a tensor, wide enough for every dtype: integers and bools in `integer`, floats in `value`
/// (real component), complex numbers in `value`. `Unsigned` is the kind of uint64, whose bits `integer` has.
struct HostScalar {
  enum class Kind : uint8_t { Bool, Integer, Unsigned, Real, Complex };
  Kind kind = Kind::Real;
  int64_t integer = 0;
  std::complex<double> value;

  static HostScalar of(bool value) { return {Kind::Bool, value, {}}; }
  static HostScalar of(int64_t value) { return {Kind::Integer, value, {}}; }
  static HostScalar of(uint64_t value) { return {Kind::Unsigned, static_cast<int64_t>(value), {}}; }
  static HostScalar of(double value) { return {Kind::Real, 0, value}; }
  static HostScalar of(std::complex<double> value) { return {Kind::Complex, 0, value}; }
  bool isInteger() const { return kind <= Kind::Unsigned; }
  bool isUnsigned() const { return kind == Kind::Unsigned; }
  double real() const {
    if (isUnsigned())
      return static_cast<double>(static_cast<uint64_t>(integer));
    return isInteger() ? static_cast<double>(integer) : value.real();
  }
  /// Whether an integer is less than another of the same dtype.
  bool isLessInteger(const HostScalar &other) const {
    return isUnsigned() ? static_cast<uint64_t>(integer) < static_cast<uint64_t>(other.integer)
                        : integer < other.integer;
  }
};

/// Reads element `index` of a tensor; writes it, rounded to the tensor's dtype.
HostScalar loadScalar(const Tensor &tensor, int64_t index);
void storeScalar(Tensor &tensor, int64_t index, const HostScalar &value);

/// The methods of ScalarBuilder on host values: floats in double precision, integers in 64 bits.
class HostScalarBuilder {
public:
  using Value = HostScalar;
  using Values = llvm::ArrayRef<HostScalar>;

  explicit HostScalarBuilder(DType resultType) : resultType(resultType) {}

#include "dialects/pd/builders/ScalarMethods.inc"

  Value number(double value, Value like);

private:
  DType resultType;
};

} // namespace proa::pd
