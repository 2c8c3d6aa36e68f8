#include "passes/lower-gpu/TileProducts.h"

#include "passes/lower-gpu/AccessWidth.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {

void TileSums::storeAdjacent(ValueRange elements, Value memory, ValueRange indices) {
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
