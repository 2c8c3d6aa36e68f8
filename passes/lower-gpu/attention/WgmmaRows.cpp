#include "passes/lower-gpu/attention/WgmmaRows.h"
#include "passes/lower-gpu/LaunchForm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
namespace {

/// Elements of a line in shared memory.
constexpr int64_t lineElements = swizzleBytes / 2;
/// Weights of a row that an instruction multiplies.
constexpr int64_t columnsOfStep = 16;

} // namespace

FailureOr<WgmmaRows> WgmmaRows::of(const AttentionSite &site, const AttentionTensor &tensor, int64_t rows,
                                   StringRef name) {
  std::string reason;
  std::optional<TensorView> view = TensorView::of(tensor.memory, reason);
  if (!view)
    return emitError(site.loc) << "'wgmma' cannot read " << name << ": " << reason;
  return WgmmaRows{tensor, rows, paddedElements(MatmulKind::Wgmma, tensor.elements()), *view, {}};
}

Value WgmmaRowsCode::allocate(int64_t bytes) const {
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(), space);
  return code.addressOf(
      memref::AllocOp::create(b, loc, type, ValueRange(), ValueRange(), b.getI64IntegerAttr(patternBytes)));
}

void WgmmaRowsCode::initRings(ArrayRef<const Ring *> rings, ArrayRef<const WgmmaRows *> tiles) const {
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, isEqual(site.thread, 0)).thenBlock());
    for (const Ring *ring : rings)
      ring->init();
    code.fenceBarriers();
    for (const WgmmaRows *tile : tiles)
      code.prefetchMap(tile->map);
  }
  gpu::BarrierOp::create(b, loc);
}

void WgmmaRowsCode::addMap(WgmmaRows &tile) const {
  SmallVector<int64_t> box(4, 1);
  box[static_cast<size_t>(tile.tensor.dims[2])] = tile.rows;
  box[static_cast<size_t>(tile.tensor.dims[3])] = lineElements;
  tile.map = tile.view.addTensorMap(site.kernel, box, swizzleBytes);
}

void WgmmaRowsCode::copy(const WgmmaRows &tile, ValueRange place, Value target, Value barrier) const {
  for (int64_t first = 0; first < tile.elements; first += lineElements) {
    SmallVector<Value> coordinates = tile.tensor.indices({place[0], place[1], place[2], constant(first)});
    code.copyBox(add(target, first / lineElements * tile.rows * swizzleBytes), tile.map, coordinates,
                 barrier);
  }
}

void WgmmaRowsCode::assignRoles(function_ref<void()> compute, function_ref<void()> copy) const {
  Value isReader = isBelow(site.thread, constant(site.choice.storingThreads));
  auto roles = scf::IfOp::create(b, loc, isReader, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(roles.thenBlock());
  compute();
  b.setInsertionPointToStart(roles.elseBlock());
  Value isProducer = isEqual(site.thread, site.choice.storingThreads);
  b.setInsertionPointToStart(scf::IfOp::create(b, loc, isProducer).thenBlock());
  copy();
}

void WgmmaRowsCode::release(const Ring &ring, const Ring::Position &at) const {
  OpBuilder::InsertionGuard guard(b);
  Value isFirstLane = isEqual(remainder(site.thread, warpSize), 0);
  b.setInsertionPointToStart(scf::IfOp::create(b, loc, isFirstLane).thenBlock());
  ring.release(at);
}

Value WgmmaRowsCode::multiply(const WgmmaRows &x, Value xAddress, const WgmmaRows &y, Value yAddress) const {
  constexpr int64_t rowsOfGroup = warpgroupThreads / 2, stepBytes = 32; // 16 elements
  Value group = divide(site.thread, warpgroupThreads);
  Value ownRows = add(xAddress, IndexCode::multiply(group, rowsOfGroup * swizzleBytes));
  Value left = code.matrixDescriptor(ownRows, 0, patternBytes),
        right = code.matrixDescriptor(yAddress, 0, patternBytes);
  Value sums = wgmma.zeros(y.rows);
  for (int64_t line = 0; line < x.elements / lineElements; ++line)
    for (int64_t step = 0; step < swizzleBytes; step += stepBytes)
      sums = wgmma.multiply(code.advance(left, line * x.rows * swizzleBytes + step),
                            code.advance(right, line * y.rows * swizzleBytes + step), sums, y.rows,
                            {.addsSums = line + step > 0});
  return sums;
}

SmallVector<WgmmaRowsCode::Values> WgmmaRowsCode::operandsOf(ValueRange weights, int64_t columns) const {
  SmallVector<Values> operands;
  for (int64_t column = 0; column < columns; column += columnsOfStep)
    operands.push_back(fragments.operand(weights, column, site.element));
  return operands;
}

Value WgmmaRowsCode::addWeighted(ArrayRef<Values> weights, const WgmmaRows &y, Value yAddress,
                                 Value sums) const {
  // A line has the same elements of the rows; blocks of 64 elements follow each other.
  Value values = code.matrixDescriptor(yAddress, y.rows * swizzleBytes, patternBytes);
  for (auto [step, x] : llvm::enumerate(weights))
    sums = wgmma.multiplyRegisters(
        x, code.advance(values, static_cast<int64_t>(step) * columnsOfStep * swizzleBytes), sums,
        {.isYTransposed = true});
  return sums;
}

} // namespace proa
