#include "lib/runtime/kernels/common/RowPostOps.h"

#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>

namespace proa::runtime {
namespace {

PROA_VECTOR_INLINE Vector clamped(const Vector &x, float low, float high) {
  Vector out = x < low ? Vector{} + low : x; // NaN stays NaN
  return out > high ? Vector{} + high : out;
}

/// Rows of `count` values, `stride` elements apart.
struct ValueRows {
  float *values;
  int64_t count, rows = 1, stride = 0;
};

template <class Function> PROA_VECTOR_INLINE void map(const ValueRows &at, Function function) {
  for (int64_t row = 0; row < at.rows; ++row) {
    float *values = at.values + row * at.stride;
    for (int64_t i = 0; i < at.count; i += vectorSize) {
      Vector x;
      load(values + i, at.count - i, x);
      function(x);
      replace(x, at.count - i, values + i);
    }
  }
}

/// x * tanh(log(1 + e^x)) = x * (w + 2 e^x) / (w + 2 e^x + 2) with w = e^2x; above 20 it is x.
PROA_VECTOR_INLINE Vector mish(const Vector &x) {
  constexpr float linear = 20.0f;
  Vector e = exponential(x > linear ? Vector{} + linear : x), w = e * (e + 2.0f);
  Vector curved = x * (w / (w + 2.0f));
  return x > linear ? x : curved;
}

/// x / 2 (1 + tanh(u)) = x / (1 + e^(-2u)), which loses no digits on the negative side.
PROA_VECTOR_INLINE Vector geluTanh(const Vector &x) {
  constexpr float scale = 1.59576912f;                 // 2 sqrt(2 / pi)
  constexpr float lowest = -14.0f;                     // whose result is zero
  Vector clamped = x < lowest ? Vector{} + lowest : x; // NaN stays NaN
  Vector factor = (-0.044715f * scale) * (clamped * clamped) - scale;
  return clamped / (1.0f + exponential(clamped * factor));
}

/// 2 to the power of factor * x, for powers from -126 to 0: the polynomial of Cephes' exp2f.
PROA_VECTOR_INLINE Vector powerOfTwo(const Vector &x, float factor) {
  constexpr float roundToInteger = 12582912.0f; // 1.5 * 2^23
  Vector shifted = x * factor + roundToInteger, rest = x * factor - (shifted - roundToInteger);
  IntVector bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + 127) << 23;
  Vector scale;
  std::memcpy(&scale, &bits, sizeof(scale));
  Vector square = rest * rest, low = rest * 6.931472028550421e-1f + 1.0f,
         middle = rest * 5.550332471162809e-2f + 2.402264791363012e-1f,
         high = rest * 1.339887440266574e-3f + 9.618437357674640e-3f;
  high = square * 1.535336188319500e-4f + high;
  return (low + square * (middle + square * high)) * scale;
}

/// max(x, 0) - |x| / 2 erfc(|x| / sqrt(2)), which loses no digits on the negative side. erfc(t) e^(t^2) is
/// k times a polynomial in k = 1 / (1 + 0.3 t), fitted for t up to 9.9 with a relative error of 2e-8. Powers
/// of k and pairs of its terms do not wait for each other.
PROA_VECTOR_INLINE Vector geluErf(const Vector &x) {
  constexpr float largest = 13.2f; // below, erfc is zero in float32
  Vector magnitude = x < 0.0f ? -x : x;
  magnitude = magnitude > largest ? Vector{} + largest : magnitude; // NaN stays NaN
  Vector k = 1.0f / (1.0f + (0.3f * 0.70710678f) * magnitude), k2 = k * k, k4 = k2 * k2;
  Vector terms0 = k * 0.170712076f + 0.169188223f, terms2 = k * 0.214859708f + 0.148358565f,
         terms4 = k * 0.547540375f - 0.0945125489f, terms6 = k * 0.485499888f - 0.512135454f;
  Vector low = terms2 * k2 + terms0, high = terms6 * k2 + terms4;
  high = k4 * -0.129510852f + high;
  Vector sum = high * k4 + low, tail = (-0.5f * k) * magnitude;
  return (x > 0.0f ? x : Vector{}) + (sum * tail) * powerOfTwo(magnitude * magnitude, -0.72134752f);
}

} // namespace

#define PROA_MAP(expression) map(rows, [&](Vector &x) __attribute__((always_inline)) { x = expression; })

PROA_VECTOR_INLINE static void activateInline(RowActivation kind, const ValueRows &rows, float alpha,
                                              float beta) {
  switch (kind) {
  case RowActivation::None:
    return;
  case RowActivation::Relu:
    return PROA_MAP((x < 0.0f ? Vector{} : x));
  case RowActivation::Relu6:
    return PROA_MAP(clamped(x, 0.0f, alpha));
  case RowActivation::LeakyRelu:
    return PROA_MAP((x < 0.0f ? alpha * x : x));
  case RowActivation::Clip:
    return PROA_MAP(clamped(x, alpha, beta));
  case RowActivation::Linear:
    return PROA_MAP(alpha * x + beta);
  case RowActivation::Abs:
    return PROA_MAP((x < 0.0f ? -x : x));
  case RowActivation::Square:
    return PROA_MAP(x * x);
  case RowActivation::HardSwish:
    return PROA_MAP(x * clamped(x + 3.0f, 0.0f, 6.0f) * (1.0f / 6));
  case RowActivation::HardSigmoid:
    return PROA_MAP(clamped(alpha * x + beta, 0.0f, 1.0f));
  case RowActivation::Sigmoid:
    return PROA_MAP(sigmoid(x));
  case RowActivation::Swish:
    return PROA_MAP(x * sigmoid(alpha * x));
  case RowActivation::Tanh:
    return PROA_MAP(tangent(x));
  case RowActivation::Mish:
    return PROA_MAP(mish(x));
  case RowActivation::GeluTanh:
    return PROA_MAP(geluTanh(x));
  case RowActivation::GeluErf:
    return PROA_MAP(geluErf(x));
  }
}
#undef PROA_MAP

void activateRow(RowActivation kind, float *values, int64_t count, float alpha, float beta) {
  runVectors<activateInline>(kind, ValueRows{values, count}, alpha, beta);
}

namespace {

PROA_VECTOR_INLINE void combine(bool multiply, float *values, const float *operand, int64_t count) {
  for (int64_t i = 0; i < count; i += vectorSize) {
    Vector x, y;
    load(values + i, count - i, x);
    load(operand + i, count - i, y);
    x = multiply ? x * y : x + y;
    store(x, count - i, values + i);
  }
}

} // namespace

/// `values` and an operand of `period` elements, which repeats.
PROA_VECTOR_INLINE static void combineRow(bool multiply, float *values, const float *operand, int64_t period,
                                          int64_t count) {
  for (int64_t i = 0; i < count; i += period)
    combine(multiply, values + i, operand, std::min(period, count - i));
}
PROA_VECTOR_INLINE static void combineRows(bool multiply, const ValueRows &at, const float *operand,
                                           int64_t operandStride) {
  for (int64_t row = 0; row < at.rows; ++row)
    combine(multiply, at.values + row * at.stride, operand + row * operandStride, at.count);
}

namespace {

/// The operand's elements for `rows` begin at `offset`; activations have none.
void applyOp(const PostOp &op, const ValueRows &rows, const float *operand, int64_t offset,
             int64_t operandStride = 0) {
  if (op.hasOperand())
    runVectors<combineRows>(op.kind == PostOp::Kind::Multiply, rows, operand + offset, operandStride);
  else
    runVectors<activateInline>(rowActivation(op), rows, op.alpha, op.beta);
}

} // namespace

size_t leadingRowOps(std::span<const PostOp> ops) {
  size_t count = 0, most = leadingWithoutTensors(ops);
  while (count < most && ((count == 0 && ops[0].kind == PostOp::Kind::Bias) ||
                          (!ops[count].hasOperand() && rowActivation(ops[count]) != RowActivation::None)))
    ++count;
  return count;
}

RowBounds::RowBounds(std::span<const PostOp> all) {
  ops = !all.empty() && all[0].kind == PostOp::Kind::Bias;
  if (ops == all.size())
    return;
  const PostOp &op = all[ops];
  switch (rowActivation(op)) {
  case RowActivation::Relu:
    low = 0;
    break;
  case RowActivation::Relu6:
    low = 0;
    high = op.alpha;
    break;
  case RowActivation::Clip:
    low = op.alpha;
    high = op.beta;
    break;
  default:
    return;
  }
  ++ops;
}

std::optional<RowPostOps> RowPostOps::create(std::span<const PostOp> ops, const StridedOperand &result,
                                             std::span<const StridedOperand> layouts,
                                             std::span<const OperandType> inputs) {
  auto areEqual = [&](const StridedOperand &operand) {
    for (size_t axis = 0; axis < operand.dims.size(); ++axis)
      if (operand.dims[axis] != result.dims[axis] ||
          (operand.dims[axis] != 1 && operand.strides[axis] != result.strides[axis]))
        return false;
    return true;
  };
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!ops[i].hasOperand()) {
      if (rowActivation(ops[i]) == RowActivation::None)
        return std::nullopt;
      continue;
    }
    if (inputs[ops[i].input].dtype != DType::Float32 ||
        (ops[i].kind != PostOp::Kind::Bias && !areEqual(layouts[i])))
      return std::nullopt;
  }
  RowPostOps out;
  out.ops.assign(ops.begin(), ops.end());
  out.channels = result.dims[1];
  return out;
}

std::vector<const float *> RowPostOps::operands(const Call &call) const {
  std::vector<const float *> out;
  for (const PostOp &op : ops)
    out.push_back(op.hasOperand() ? call.input(op.input).as<float>() : nullptr);
  return out;
}

void RowPostOps::apply(float *values, int64_t positions, int64_t offset,
                       std::span<const float *const> operands) const {
  int64_t count = positions * channels;
  for (size_t i = 0; i < ops.size(); ++i)
    if (ops[i].kind == PostOp::Kind::Bias)
      runVectors<combineRow>(false, values, operands[i], channels, count);
    else
      applyOp(ops[i], {values, count}, operands[i], offset);
}

void RowPostOps::applyChannels(float *values, int64_t first, int64_t count, int64_t offset,
                               std::span<const float *const> operands) const {
  for (size_t i = 0; i < ops.size(); ++i)
    applyOp(ops[i], {values, count}, operands[i], ops[i].kind == PostOp::Kind::Bias ? first : offset);
}

void RowPostOps::applyBlock(float *result, int64_t offset, const Block &block,
                            std::span<const float *const> operands) const {
  ValueRows rows{result + offset, block.count, block.rows, block.stride};
  for (size_t i = 0; i < ops.size(); ++i)
    if (ops[i].kind == PostOp::Kind::Bias)
      applyOp(ops[i], rows, operands[i], block.first);
    else
      applyOp(ops[i], rows, operands[i], offset, block.stride);
}

} // namespace proa::runtime
