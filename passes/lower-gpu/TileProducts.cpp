#include "passes/lower-gpu/TileProducts.h"

#include "passes/lower-gpu/AccessWidth.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {

void TileSums::store(int64_t pass, ValueRange sums, Value memory) {
  const ThreadLayout &own = divided.layout();
  LayoutCode code(b, loc, own, thread);
  Value firstRow = code.rowOf(0), firstColumn = code.columnOf(0);
  int64_t adjacent = own.adjacentColumns();
  for (int64_t first = 0; first < own.elements(); first += adjacent) {
    Values elements;
    for (int64_t i = first; i < first + adjacent; ++i)
      elements.push_back(sumAt(sums, divided.elementOf(pass, i)));
    ThreadLayout::Position offset = own.positionOf({0, first});
    storeAdjacent(elements, memory, {add(firstRow, offset.row), add(firstColumn, offset.column)});
  }
}

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
