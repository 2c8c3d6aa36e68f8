#include "dialects/rt/Philox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace proa::rt {
namespace {

/// Integer arithmetic of words.
class Words {
public:
  Words(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(uint64_t value, unsigned bits) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(bits), APInt(bits, value)));
  }
  Value low(Value x) { return arith::TruncIOp::create(b, loc, b.getI32Type(), x); }
  Value high(Value x) { return low(arith::ShRUIOp::create(b, loc, x, constant(32, 64))); }
  /// The 64 bits of a product.
  Value product(Value x, uint64_t factor) {
    Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), x);
    return arith::MulIOp::create(b, loc, wide, constant(factor, 64));
  }
  Value exclusiveOr(Value x, Value y, Value z) {
    return arith::XOrIOp::create(b, loc, arith::XOrIOp::create(b, loc, x, y), z);
  }
  Value add(Value x, uint64_t value) { return arith::AddIOp::create(b, loc, x, constant(value, 32)); }

private:
  OpBuilder &b;
  Location loc;
};

} // namespace

std::array<Value, 4> philox(OpBuilder &b, Location loc, Value key, Value call, Value block) {
  Words w(b, loc);
  std::array<Value, 4> c{w.low(block), w.high(block), w.low(call), w.high(call)};
  Value k0 = w.low(key), k1 = w.high(key);
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    Value first = w.product(c[0], 0xD2511F53), second = w.product(c[2], 0xCD9E8D57);
    c = {w.exclusiveOr(w.high(second), c[1], k0), w.low(second), w.exclusiveOr(w.high(first), c[3], k1),
         w.low(first)};
    if (round + 1 == rounds)
      break;
    k0 = w.add(k0, 0x9E3779B9);
    k1 = w.add(k1, 0xBB67AE85);
  }
  return c;
}

} // namespace proa::rt
