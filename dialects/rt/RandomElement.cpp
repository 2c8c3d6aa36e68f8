//! Elements of random tensors: the numbers of lib/runtime/host/Random.h and
//! lib/runtime/kernels/random/Random.cpp.
#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/RandomShard.h"
#include "dialects/rt/Philox.h"
#include "dialects/rt/Rt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <array>
#include <cmath>
#include <limits>

using namespace mlir;

namespace proa::rt {
namespace {

using pd::ElementBuilder;
using pd::IndexValue;
using RandomWords = std::array<Value, 4>;

/// Integer and float arithmetic of a kernel's body.
class Numbers {
public:
  explicit Numbers(ElementBuilder &e)
      : e(e), b(e.getBuilder()), loc(e.getLoc()), i32(b.getI32Type()), i64(b.getI64Type()),
        f32(b.getF32Type()), f64(b.getF64Type()) {}

  ElementBuilder &e;
  OpBuilder &b;
  Location loc;
  Type i32, i64, f32, f64;

  Value word(uint32_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(i32, APInt(32, value)));
  }
  Value longWord(uint64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(i64, APInt(64, value)));
  }
  Value number(double value, Type type) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value low(Value x) { return arith::TruncIOp::create(b, loc, i32, x); }
  Value high(Value x) { return low(arith::ShRUIOp::create(b, loc, x, longWord(32))); }
  Value extended(Value x) { return arith::ExtUIOp::create(b, loc, i64, x); }
  Value asLong(IndexValue x) { return arith::IndexCastOp::create(b, loc, i64, x.value()); }

  /// 64 bits of two words.
  Value joined(Value lowWord, Value highWord) {
    Value shifted = arith::ShLIOp::create(b, loc, extended(highWord), longWord(32));
    return arith::OrIOp::create(b, loc, shifted, extended(lowWord));
  }

  /// Philox4x32-10 of a block of the execution in operand 0.
  RandomWords philox(IndexValue block) {
    Value key = e.load(0, {e.index(0)}), call = e.load(0, {e.index(1)}), number = asLong(block);
    return rt::philox(b, loc, key, call, number);
  }

  /// In [0, 1), of 24 bits.
  Value unitFloat(Value x) {
    Value bits = arith::ShRUIOp::create(b, loc, x, word(8));
    return arith::MulFOp::create(b, loc, arith::UIToFPOp::create(b, loc, f32, bits), number(0x1p-24, f32));
  }

  /// In [0, 1), of 53 bits.
  Value unitDouble(Value lowWord, Value highWord) {
    Value bits = arith::ShRUIOp::create(b, loc, joined(lowWord, highWord), longWord(11));
    return arith::MulFOp::create(b, loc, arith::UIToFPOp::create(b, loc, f64, bits), number(0x1p-53, f64));
  }

  /// One of values, by an index.
  Value pick(IndexValue i, ArrayRef<Value> values) {
    Value picked = values[0];
    for (size_t k = 1; k < values.size(); ++k)
      picked = arith::SelectOp::create(b, loc, e.isEqual(i, e.index(int64_t(k))), values[k], picked);
    return picked;
  }

  /// A float of the elements' type.
  Value element(Value x, Type type) { return x.getType() == type ? x : e.scalar(type).cast(x); }

  /// x * y, rounded before something is added: f32 products are exact in f64.
  Value rounded(Value x, Value y) {
    Value product = arith::MulFOp::create(b, loc, arith::ExtFOp::create(b, loc, f64, x),
                                          arith::ExtFOp::create(b, loc, f64, y));
    return arith::TruncFOp::create(b, loc, f32, product);
  }
};

/// The row-major index of an element in the whole tensor. The result is a shard that begins at operand 1.
template <class Op> IndexValue flatten(ElementBuilder &e, ValueRange at, Op op) {
  llvm::ArrayRef<int64_t> whole = op.getWholeShape();
  bool isShard = !whole.empty();
  IndexValue flat = e.index(0);
  for (auto [dim, i] : llvm::enumerate(e.indices(at))) {
    flat = flat * (isShard ? whole[dim] : pd::tensorType(op.getOut()).getDimSize(dim)) + i;
    if (isShard)
      flat = flat + e.loadInteger(1, {e.index(static_cast<int64_t>(dim))});
  }
  return flat;
}

/// Numbers below `high`: rounding may reach it.
Value below(Numbers &n, Value x, double low, double high, Type type) {
  bool isDouble = type.isF64();
  double largest =
      isDouble ? std::nextafter(high, low)
               : static_cast<double>(std::nextafter(static_cast<float>(high), static_cast<float>(low)));
  Value isInside = arith::CmpFOp::create(n.b, n.loc, arith::CmpFPredicate::OLT, x, n.number(high, type));
  return arith::SelectOp::create(n.b, n.loc, isInside, x, n.number(largest, type));
}

template <class Op> LogicalResult verifyRandom(Op op) {
  RankedTensorType call = op.getCall().getType();
  if (call.getRank() != 1 || call.getDimSize(0) != 2)
    return op->emitOpError() << "C1: an execution has two words, expected tensor<2xi64>, found " << call;
  int64_t rank = pd::tensorType(op.getOut()).getRank();
  if (pd::isShard(op.getPartBegin(), op.getWholeShape(), rank))
    return success();
  return op->emitOpError() << "C2: " << pd::expectedShard(rank);
}

} // namespace

LogicalResult UniformOp::verify() { return verifyRandom(*this); }
LogicalResult GaussianOp::verify() { return verifyRandom(*this); }
LogicalResult RandintOp::verify() { return verifyRandom(*this); }

//===-- uniform -----------------------------------------------------------------------------------------===//

const char *UniformOp::whyNoElement() { return nullptr; }
Value UniformOp::buildDim(ElementBuilder &, int64_t) { return {}; }

Value UniformOp::buildElement(ElementBuilder &e, ValueRange at) {
  Type type = getElementTypeOrSelf(getOut());
  IndexValue i = flatten(e, at, *this);
  Numbers n(e);
  double low = getMin().convertToDouble(), high = getMax().convertToDouble();
  Value x;
  if (type.isF64()) {
    RandomWords words = n.philox(i / 2);
    Value first = n.unitDouble(words[0], words[1]), second = n.unitDouble(words[2], words[3]);
    Value unit = n.pick(i % e.index(2), {first, second});
    Value scaled = arith::MulFOp::create(n.b, n.loc, n.number(high - low, n.f64), unit);
    x = below(n, arith::AddFOp::create(n.b, n.loc, n.number(low, n.f64), scaled), low, high, n.f64);
  } else {
    RandomWords words = n.philox(i / 4);
    auto range = static_cast<double>(static_cast<float>(high) - static_cast<float>(low));
    Value unit = n.unitFloat(n.pick(i % e.index(4), words));
    Value scaled = n.rounded(n.number(range, n.f32), unit);
    low = static_cast<double>(static_cast<float>(low));
    high = static_cast<double>(static_cast<float>(high));
    x = below(n, arith::AddFOp::create(n.b, n.loc, n.number(low, n.f32), scaled), low, high, n.f32);
  }
  x = n.element(x, type);
  if (int64_t count = getDiagNum(); count > 0) {
    IndexValue step = e.index(int64_t(getDiagStep()) + 1);
    Value isOwn = e.logicalAnd(e.isEqual(i % step, e.index(0)), pd::isLess(i / step, e.index(count)));
    x = arith::SelectOp::create(n.b, n.loc, isOwn, e.constant(getDiagVal().convertToDouble(), type), x);
  }
  return x;
}

//===-- gaussian ----------------------------------------------------------------------------------------===//

const char *GaussianOp::whyNoElement() { return nullptr; }
Value GaussianOp::buildDim(ElementBuilder &, int64_t) { return {}; }

/// A normal number by the method of Box and Muller.
static Value normal(Numbers &n, IndexValue i) {
  RandomWords words = n.philox(i / 2);
  Value unit = n.unitDouble(words[0], words[1]);
  Value logarithm = math::Log1pOp::create(n.b, n.loc, arith::NegFOp::create(n.b, n.loc, unit));
  Value radius =
      math::SqrtOp::create(n.b, n.loc, arith::MulFOp::create(n.b, n.loc, n.number(-2, n.f64), logarithm));
  constexpr double turn = 2 * 3.14159265358979323846;
  Value angle = arith::MulFOp::create(n.b, n.loc, n.number(turn, n.f64), n.unitDouble(words[2], words[3]));
  Value cosine = math::CosOp::create(n.b, n.loc, angle), sine = math::SinOp::create(n.b, n.loc, angle);
  return arith::MulFOp::create(n.b, n.loc, radius, n.pick(i % n.e.index(2), {cosine, sine}));
}

Value GaussianOp::buildElement(ElementBuilder &e, ValueRange at) {
  Type type = getElementTypeOrSelf(getOut());
  IndexValue i = flatten(e, at, *this);
  Numbers n(e);
  auto complexType = dyn_cast<ComplexType>(type);
  // The components of a complex number share the variance.
  constexpr double half = 0.70710678118654752440;
  double deviation = getStd().convertToDouble() * (complexType ? half : 1);
  auto sample = [&](IndexValue index, Type component) {
    Value scaled = arith::MulFOp::create(n.b, n.loc, n.number(deviation, n.f64), normal(n, index));
    return n.element(arith::AddFOp::create(n.b, n.loc, n.number(getMean().convertToDouble(), n.f64), scaled),
                     component);
  };
  if (!complexType)
    return sample(i, type);
  Type component = complexType.getElementType();
  return complex::CreateOp::create(n.b, n.loc, type, sample(i * 2, component), sample(i * 2 + 1, component));
}

//===-- randint -----------------------------------------------------------------------------------------===//

const char *RandintOp::whyNoElement() { return nullptr; }
Value RandintOp::buildDim(ElementBuilder &, int64_t) { return {}; }

/// low + the upper 64 bits of the product of 64 random bits and the range.
Value RandintOp::buildElement(ElementBuilder &e, ValueRange at) {
  Type type = getElementTypeOrSelf(getOut());
  IndexValue i = flatten(e, at, *this);
  Numbers n(e);
  RandomWords words = n.philox(i / 2);
  IndexValue second = i % e.index(2);
  Value lowWord = n.extended(n.pick(second, {words[0], words[2]}));
  Value highWord = n.extended(n.pick(second, {words[1], words[3]}));
  auto range = static_cast<uint64_t>(getHigh()) - static_cast<uint64_t>(getLow());
  Value rangeLow = n.longWord(range & 0xFFFFFFFF), rangeHigh = n.longWord(range >> 32);
  auto multiply = [&](Value x, Value y) -> Value { return arith::MulIOp::create(n.b, n.loc, x, y); };
  auto add = [&](Value x, Value y) -> Value { return arith::AddIOp::create(n.b, n.loc, x, y); };
  auto upper = [&](Value x) -> Value { return arith::ShRUIOp::create(n.b, n.loc, x, n.longWord(32)); };
  auto lower = [&](Value x) -> Value { return arith::AndIOp::create(n.b, n.loc, x, n.longWord(0xFFFFFFFF)); };
  // Products of halves, each below 2^64.
  Value ll = multiply(lowWord, rangeLow), lh = multiply(lowWord, rangeHigh);
  Value hl = multiply(highWord, rangeLow), hh = multiply(highWord, rangeHigh);
  Value middle = add(add(upper(ll), lower(lh)), lower(hl));
  Value product = add(add(hh, upper(lh)), add(upper(hl), upper(middle)));
  Value whole = add(product, n.longWord(static_cast<uint64_t>(getLow())));
  return type.isInteger(64) ? whole : Value(arith::TruncIOp::create(n.b, n.loc, type, whole));
}

} // namespace proa::rt
