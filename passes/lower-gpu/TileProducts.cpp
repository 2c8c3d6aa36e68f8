#include "passes/lower-gpu/TileProducts.h"

#include "passes/lower-gpu/AccessWidth.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {

Value TileProducts::constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Value TileProducts::add(Value left, Value right) { return b.createOrFold<arith::AddIOp>(loc, left, right); }

Value TileProducts::multiply(Value left, int64_t right) {
  return b.createOrFold<arith::MulIOp>(loc, left, constant(right));
}

Value TileProducts::divide(Value left, int64_t right) {
  return b.createOrFold<arith::DivUIOp>(loc, left, constant(right));
}

Value TileProducts::remainder(Value left, int64_t right) {
  return b.createOrFold<arith::RemUIOp>(loc, left, constant(right));
}

void TileProducts::storeAdjacent(ValueRange elements, Value memory, ValueRange indices) {
  Type element = elements[0].getType();
  auto type = VectorType::get({static_cast<int64_t>(elements.size())}, element);
  Value chunk = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  for (auto [i, value] : llvm::enumerate(elements))
    chunk = vector::InsertOp::create(b, loc, value, chunk, static_cast<int64_t>(i));
  int64_t bytes = type.getNumElements() * element.getIntOrFloatBitWidth() / 8;
  vector::StoreOp::create(b, loc, chunk, memory, indices, /*nontemporal=*/false,
                          llvm::MaybeAlign(static_cast<uint64_t>(std::min(bytes, accessBytes))));
}

} // namespace proa
