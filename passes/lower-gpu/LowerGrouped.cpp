// Kernels of grouped matmuls become kernels on memory: see Passes.td.
#include "passes/analysis/IndexChecks.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/KernelForm.h"
#include "passes/lower-gpu/GroupedForm.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/SingleOpKernel.h"

#include "dialects/pd/builders/ElementBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_LOWERGROUPED
#include "passes/lower-gpu/Passes.h.inc"

using pd::IndexValue;

namespace {

/// A kernel whose rows are tiles of the result.
class GroupedKernel : private SingleOpLowering {
public:
  GroupedKernel(func::FuncOp kernel, pd::DeviceKernelOpInterface op, OpBuilder &builder)
      : SingleOpLowering(kernel, op, builder), form(GroupedForm::of(op)) {}

  LogicalResult lower(ModuleOp module) {
    choice = contractionOf(op);
    if (!choice || choice.getTile().size() != GroupedForm::loops)
      return op->emitError() << "'" << contractionAttribute
                             << "' is missing or has no tile for m, n and k (--proa-choose-contraction)";
    // Several blocks that share sums would need the number of rows of a group before.
    if (choice.getSplitK().value_or(1) > 1)
      return op->emitError() << "`split_k` is " << *choice.getSplitK() << ", expected 1 for groups of rows";
    if (failed(verifyNotReferenced(kernel, module)))
      return failure();
    tileOfM = choice.getTile()[0];
    tileOfN = choice.getTile()[1];
    columnTiles = count(form.n, tileOfN);
    setWork(rowTiles() * columnTiles);
    addCheckWords();
    changeToMemory();
    replaceBody();
    return success();
  }

private:
  using Sizes = SmallVector<OpFoldResult>;

  GroupedForm form;
  ContractionAttr choice;
  int64_t tileOfM = 0, tileOfN = 0, columnTiles = 0;

  /// The rows of one group that a block has, or all of them if groups divide k; rows without a group, which
  /// are zeros.
  struct Position {
    Value group, first, count, firstZero, zeros;
  };

  static int64_t count(int64_t size, int64_t tile) {
    return static_cast<int64_t>(llvm::divideCeil(size, tile));
  }

  /// Groups, and the rows after them, end in the middle of a tile each; a tile has one row at least.
  int64_t rowTiles() const {
    if (form.dividesK)
      return form.groups * count(form.m, tileOfM);
    int64_t whole = (form.rows + (form.groups + 1) * (tileOfM - 1)) / tileOfM;
    return std::min(form.rows, whole);
  }

  void replaceBody() {
    SmallVector<Value> memory = llvm::map_to_vector(op->getOperands(), memoryOf);
    Value out = signature.destinations[0];
    pd::KernelChecks checks;
    checks.words = checkWords();
    pd::ElementBuilder code(b, op, memory, &checks);
    loop(signature.begin, signature.end, constant(1), [&](Value index) {
      IndexValue row(code, index), rowTile = row / columnTiles, columnTile = row % columnTiles;
      Value column = scaled(columnTile.value(), tileOfN);
      OpFoldResult columns = sizeOfTile(column, tileOfN, form.n);
      if (form.dividesK)
        multiplyColumns(memory, out, code, rowTile, column, columns);
      else
        multiplyRows(memory, out, findRows(code, rowTile, columnTile), column, columns);
    });
    describeChecks(kernel, checks);
    removeOp();
  }

  Value scaled(Value index, int64_t factor) {
    OpFoldResult product =
        affine::makeComposedFoldedAffineApply(b, loc, b.getAffineDimExpr(0) * factor, {OpFoldResult(index)});
    return toValue(product);
  }

  /// The elements of a tile from `first` on.
  OpFoldResult sizeOfTile(Value first, int64_t tile, int64_t size) {
    if (size % tile == 0)
      return b.getIndexAttr(tile);
    if (size < tile)
      return b.getIndexAttr(size);
    AffineExpr rest = b.getAffineConstantExpr(size) - b.getAffineDimExpr(0);
    auto map = AffineMap::get(1, 0, {b.getAffineConstantExpr(tile), rest}, b.getContext());
    return affine::makeComposedFoldedAffineMin(b, loc, map, {OpFoldResult(first)});
  }

  /// Loops over the groups before `end`: `body(group, size, rows before it, state)` computes the next state.
  /// Returns the last one, which begins with the number of rows of the groups.
  SmallVector<Value>
  overGroups(pd::ElementBuilder &code, IndexValue end, ArrayRef<IndexValue> start,
             function_ref<SmallVector<Value>(IndexValue, IndexValue, IndexValue, ValueRange)> body) {
    SmallVector<Value> state{code.index(0).value()};
    for (IndexValue value : start)
      state.push_back(value.value());
    return code.loops({{code.index(0), end}}, state, [&](ArrayRef<IndexValue> at, ValueRange own) {
      IndexValue before(code, own[0]), size = code.loadGroupSize(2, at[0], before, 0, 0);
      SmallVector<Value> next{(before + size).value()};
      next.append(body(at[0], size, before, own.drop_front()));
      return next;
    });
  }

  /// The rows of tile number `tile`: tiles of one group follow the tiles of the group before.
  Position findRows(pd::ElementBuilder &code, IndexValue tile, IndexValue columnTile) {
    IndexValue zero = code.index(0);
    auto rowsOfTile = [&](IndexValue index, IndexValue size) {
      // Tiles of other groups have none.
      IndexValue rest = min(size - index * tileOfM, code.index(tileOfM));
      return code.select(isLess(index, zero), zero, max(rest, 0));
    };
    // The tiles before the group; then group, first row and number of rows of the tile.
    SmallVector<Value> found = overGroups(
        code, code.index(form.groups), {zero, zero, zero, zero},
        [&](IndexValue group, IndexValue size, IndexValue before, ValueRange state) -> SmallVector<Value> {
          IndexValue tilesBefore(code, state[0]), number = tile - tilesBefore, own = rowsOfTile(number, size);
          Value isHere = isLess(zero, own);
          auto here = [&](IndexValue value, Value otherwise) {
            return code.select(isHere, value, IndexValue(code, otherwise)).value();
          };
          return {(tilesBefore + ceilDivide(size, tileOfM)).value(), here(group, state[1]),
                  here(before + number * tileOfM, state[2]), here(own, state[3])};
        });
    IndexValue used(code, found[0]), number = tile - IndexValue(code, found[1]);
    // The block with the first columns has all of these rows: their number of columns is known.
    Value isFirst = code.isEqual(columnTile, zero);
    IndexValue zeros = code.select(isFirst, rowsOfTile(number, code.index(form.rows) - used), zero);
    IndexValue firstZero = code.select(isLess(zero, zeros), used + number * tileOfM, zero);
    return {found[2], found[3], found[4], firstZero.value(), zeros.value()};
  }

  void multiplyRows(ArrayRef<Value> memory, Value out, const Position &position, Value column,
                    OpFoldResult columns) {
    OpFoldResult zero = b.getIndexAttr(0), inner = b.getIndexAttr(form.k), one = b.getIndexAttr(1);
    // First, so that no register holds its place while the block multiplies.
    Value rest = viewOf(out, {position.firstZero, zero}, {position.zeros, b.getIndexAttr(form.n)});
    Value value = arith::ConstantOp::create(b, loc, b.getZeroAttr(form.element));
    linalg::FillOp::create(b, loc, value, rest);
    Value x = viewOf(memory[0], {position.first, zero}, {position.count, inner});
    Value y = form.transposesY ? viewOf(memory[1], {position.group, column, zero}, {one, columns, inner})
                               : viewOf(memory[1], {position.group, zero, column}, {one, inner, columns});
    multiply(x, y, viewOf(out, {position.first, column}, {position.count, columns}),
             {position.count, columns});
  }

  void multiplyColumns(ArrayRef<Value> memory, Value out, pd::ElementBuilder &code, IndexValue tile,
                       Value column, OpFoldResult columns) {
    int64_t tilesOfGroup = count(form.m, tileOfM);
    IndexValue group = tile / tilesOfGroup;
    Value row = scaled((tile % tilesOfGroup).value(), tileOfM);
    OpFoldResult rows = sizeOfTile(row, tileOfM, form.m), one = b.getIndexAttr(1);
    // The first row of the last group of the loop, and its number of rows. Without rows it may begin after
    // the tensor, where copies of no bytes must not read either.
    SmallVector<Value> found =
        overGroups(code, group + 1, {code.index(0), code.index(0)},
                   [&](IndexValue, IndexValue size, IndexValue before, ValueRange) -> SmallVector<Value> {
                     IndexValue zero = code.index(0);
                     return {code.select(isLess(zero, size), before, zero).value(), size.value()};
                   });
    OpFoldResult first = found[1], size = found[2];
    Value x = viewOf(memory[0], {first, row}, {size, rows}),
          y = viewOf(memory[1], {first, column}, {size, columns});
    multiply(x, y, viewOf(out, {group.value(), row, column}, {one, rows, columns}), {rows, columns});
  }

  /// A view of some elements of a tensor, without the dim of the group.
  Value viewOf(Value memory, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
    auto source = cast<MemRefType>(memory.getType());
    Sizes strides(offsets.size(), b.getIndexAttr(1));
    auto [dims, dynamicDims] = decomposeMixedValues(Sizes(sizes.take_back(2)));
    MemRefType type = memref::SubViewOp::inferRankReducedResultType(dims, source, offsets, sizes, strides);
    return memref::SubViewOp::create(b, loc, type, memory, offsets, sizes, strides);
  }

  /// out = x y by a contraction as other kernels have it, with the strategy of the op.
  void multiply(Value x, Value y, Value out, ArrayRef<OpFoldResult> dims) {
    Type sum = form.sum();
    Value sums = out;
    if (sum != form.element) { // the epilogue rounds the sums
      auto [shape, dynamicDims] = decomposeMixedValues(Sizes(dims));
      sums = memref::AllocOp::create(b, loc, MemRefType::get(shape, sum), dynamicDims);
    }
    SmallVector<utils::IteratorType> iterators(GroupedForm::loops, utils::IteratorType::parallel);
    iterators.back() = utils::IteratorType::reduction;
    auto product = linalg::GenericOp::create(
        b, loc, TypeRange(), {x, y}, {sums}, {form.mapOfX(), form.mapOfY(), form.mapOfResult()}, iterators,
        [&](OpBuilder &body, Location at, ValueRange elements) {
          auto wide = [&](Value element) -> Value {
            return sum == form.element ? element : arith::ExtFOp::create(body, at, sum, element).getResult();
          };
          Value term = arith::MulFOp::create(body, at, wide(elements[0]), wide(elements[1]));
          linalg::YieldOp::create(body, at, arith::AddFOp::create(body, at, elements[2], term).getResult());
        });
    product->setAttr(contractionAttribute, choice.withSplitK(1));
    LoopsAttr::of(product).withStarts(b.getArrayAttr({b.getZeroAttr(sum)})).setOn(product);
    if (sums == out)
      return;
    AffineMap identity = b.getMultiDimIdentityMap(2);
    SmallVector<utils::IteratorType> parallel(2, utils::IteratorType::parallel);
    auto rounding =
        linalg::GenericOp::create(b, loc, TypeRange(), {sums}, {out}, {identity, identity}, parallel,
                                  [&](OpBuilder &body, Location at, ValueRange elements) {
                                    Value rounded =
                                        arith::TruncFOp::create(body, at, form.element, elements[0]);
                                    linalg::YieldOp::create(body, at, rounded);
                                  });
    LoopsAttr::of(rounding).withFusedWith(FusedWith::Result).setOn(rounding);
  }
};

struct LowerGrouped : impl::LowerGroupedBase<LowerGrouped> {
  using LowerGroupedBase::LowerGroupedBase;

  void runOnOperation() override {
    SmallVector<std::pair<func::FuncOp, Operation *>> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (Operation *op = groupedProductOf(function))
        kernels.emplace_back(function, op);
    OpBuilder builder(&getContext());
    for (auto [kernel, op] : kernels)
      if (failed(GroupedKernel(kernel, cast<pd::DeviceKernelOpInterface>(op), builder).lower(getOperation())))
        signalPassFailure();
  }
};

} // namespace
} // namespace proa
