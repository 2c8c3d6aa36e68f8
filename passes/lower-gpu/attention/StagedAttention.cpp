// Attention and gradients whose threads copy tiles to shared memory, and multiply them as the choice says.
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/StagedMemory.h"
#include "passes/lower-gpu/TileCopy.h"
#include "passes/lower-gpu/TileMatmul.h"
#include "passes/lower-gpu/attention/AttentionTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace proa {
namespace {

/// With two stages, the next keys and values of a forward kernel are copied while these are used.
class StagedAttention : public AttentionTile {
public:
  explicit StagedAttention(const AttentionSite &site)
      : AttentionTile(site), matmul(makeMatmul(fragments.scoreLayout())),
        stages(own.hasValues() ? 1 : site.choice.stages), rows(sideOf(own, 1)),
        columns(sideOf(other, stages)) {}

  void prepare() override {
    if (site.choice.kind == MatmulKind::Fma)
      weightMemory = allocateShared(b, loc, {own.rows, other.rows + pad()}, b.getF32Type());
  }

  void assignRoles(function_ref<void()> compute, function_ref<void()>) override { compute(); }

  void begin(const Position &at) override {
    copy(rows, at, at.first, constant(0));
    x = {viewOf(rows.tiles[0], constant(0))};
    if (!own.hasValues())
      x = matmul->inRegisters(x, scoreElements);
    if (stages > 1)
      start(columns, at, at.firstKey, stageAt(at.firstKey));
  }

  Fragments multiply(const Position &at, Value firstColumn) override;
  Fragments accumulate(const Fragments &weights, const Fragments &sums) override;

private:
  /// Rows of a tensor in shared memory, [stage][row][element].
  struct Tile {
    const AttentionTensor &tensor;
    int64_t elements; ///< of a row, of which the tensor may have fewer
    TileCopy copy;
    bool isAsync;
    Value memory;
  };
  struct Side {
    const AttentionSide &tensors;
    std::vector<Tile> tiles; ///< of `scores`, and of `values` if there are any
  };

  std::unique_ptr<TileMatmul> matmul;
  int64_t stages; ///< of the columns
  Side rows, columns;
  TileMatmul::Operand x; ///< the scores of the rows
  Value stage;           ///< of the current columns
  Value weightMemory;    ///< of Fma

  std::unique_ptr<TileMatmul> makeMatmul(const ThreadLayout &sums) const;
  int64_t pad() const { return matmul->layoutOf(site.element, /*isAdjacentAlongK=*/true).pad; }
  Values addWeighted(ValueRange weights, const Tile &y, ValueRange sums);
  TileMatmul::Operand operandOf(ValueRange weights);

  Value stageAt(Value firstColumn) { return remainder(divide(firstColumn, other.rows), stages); }

  Side sideOf(const AttentionSide &tensors, int64_t count);
  CopySource sourceOf(const Tile &tile, Value batch, Value head, Value first, Value end);
  void start(Side &side, const Position &at, Value first, Value to);
  /// Waits for the copies of this thread, then for the other threads.
  void await() {
    NVVM::CpAsyncWaitGroupOp::create(b, loc, /*n=*/0);
    gpu::BarrierOp::create(b, loc);
  }
  void copy(Side &side, const Position &at, Value first, Value to) {
    gpu::BarrierOp::create(b, loc); // all threads have read the last tile
    start(side, at, first, to);
    await();
  }
  Value viewOf(const Tile &tile, Value at) { return stageView(b, loc, tile.memory, at); }
};

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

StagedAttention::Side StagedAttention::sideOf(const AttentionSide &tensors, int64_t count) {
  Side side{tensors, {}};
  int64_t most = accessBytes * 8 / site.element.getIntOrFloatBitWidth();
  auto addTile = [&](const AttentionTensor &tensor, int64_t elements) {
    auto type = cast<MemRefType>(tensor.memory.getType());
    // Buffers are contiguous: all rows are aligned if one has a multiple of 16 bytes.
    bool isAligned = tensor.dims[elementDim] == elementDim && type.getLayout().isIdentity() &&
                     tensor.elements() % most == 0;
    TileCopy::Shape shape{tensors.rows, elements, site.choice.threads, isAligned ? most : 1};
    side.tiles.push_back({tensor, elements, TileCopy(b, loc, site.element, shape, site.thread), isAligned,
                          allocateShared(b, loc, {count, tensors.rows, elements + pad()}, site.element)});
  };
  addTile(tensors.scores, scoreElements);
  if (tensors.hasValues())
    addTile(tensors.values, valueElements);
  return side;
}

/// Rows from `first` on, below `end`. An entry of a block table that is not a block of the cache, which the
/// kernel reports, reads the first one.
CopySource StagedAttention::sourceOf(const Tile &tile, Value batch, Value head, Value first, Value end) {
  const AttentionTensor &tensor = tile.tensor;
  CopySource source{tensor.memory, first, constant(0), {}, {}, {}, bool(tensor.blockTable)};
  source.indices = [=, this, &tensor](Value row, Value element) {
    if (!tensor.blockTable)
      return tensor.indices({batch, head, row, element});
    Value entry =
        memref::LoadOp::create(b, loc, tensor.blockTable, ValueRange{batch, divide(row, tensor.rowsOfBlock)});
    entry = arith::IndexCastOp::create(b, loc, b.getIndexType(), entry);
    // As unsigned values, negative ones are large.
    Value isBlock = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, entry, constant(tensor.blocks));
    return tensor.indices(
        {select(isBlock, entry, constant(0)), head, remainder(row, tensor.rowsOfBlock), element});
  };
  source.isInside = [=, this, &tensor, padded = tile.elements](Value row, Value element) {
    Value isRow = isBelow(row, end);
    if (tensor.elements() == padded)
      return isRow;
    return both(isRow, isBelow(element, constant(tensor.elements())));
  };
  return source;
}

/// Starts the copies of a tile to a stage.
void StagedAttention::start(Side &side, const Position &at, Value first, Value to) {
  constexpr int64_t mostUnrolled = 8, mostOfTable = 4;
  Value end = at.keyEnd;
  if (!side.tensors.areKeys)
    end = toValue(site.q.sizes[rowDim]);
  for (Tile &tile : side.tiles) {
    CopySource source = sourceOf(tile, at.batch, headOf(side.tensors, at), first, end);
    int64_t chunks = tile.copy.chunksOfThread();
    int64_t unrolled = source.readsTable        ? std::gcd(chunks, mostOfTable)
                       : chunks <= mostUnrolled ? chunks
                                                : 1;
    if (tile.isAsync)
      tile.copy.copyAsync(source, viewOf(tile, to), tile.copy.isEven() ? unrolled : 1);
    else
      tile.copy.copy(source, viewOf(tile, to), /*isTransposed=*/false);
  }
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

//===----------------------------------------------------------------------===//
// Matmuls
//===----------------------------------------------------------------------===//

AttentionTile::Fragments StagedAttention::multiply(const Position &at, Value firstColumn) {
  stage = stageAt(firstColumn);
  if (stages > 1) {
    await(); // and no thread reads the other stage any more
    Value next = add(firstColumn, other.rows);
    start(columns, at, next, stageAt(next));
  } else {
    copy(columns, at, firstColumn, stage);
  }
  auto multiplyAll = [&](const TileMatmul::Operand &left, const Tile &right) {
    Values sums = matmul->accumulate(left, {viewOf(right, stage)}, right.elements, matmul->start());
    return fragments.byRows(sums, other.rows);
  };
  Fragments found;
  found.scores = multiplyAll(x, columns.tiles[0]);
  if (own.hasValues())
    found.values = multiplyAll({viewOf(rows.tiles[1], constant(0))}, columns.tiles[1]);
  return found;
}

std::unique_ptr<TileMatmul> StagedAttention::makeMatmul(const ThreadLayout &sums) const {
  if (site.choice.kind == MatmulKind::Mma)
    return makeMmaMatmul(b, loc, sums, site.thread, {site.element, site.element});
  auto body = [this](Value left, Value right, Value sum) -> Value {
    return math::FmaOp::create(b, loc, left, right, sum);
  };
  return makeFmaMatmul(b, loc, sums, site.thread, b.getF32Type(), body);
}

/// Weights as operand x. Lanes that share rows exchange them in shared memory, or hold the registers of the
/// instruction.
TileMatmul::Operand StagedAttention::operandOf(ValueRange weights) {
  if (site.choice.kind == MatmulKind::Mma)
    return {{}, false, [this, weights](int64_t, int64_t k) {
              return fragments.operand(weights, k, site.element);
            }};
  Value allLanes = i32(-1);
  NVVM::SyncWarpOp::create(b, loc, allLanes); // the last weights are no longer read
  for (auto [i, weight] : llvm::enumerate(weights)) {
    int64_t ofRow = fragments.columns(), number = static_cast<int64_t>(i);
    memref::StoreOp::create(b, loc, weight, weightMemory,
                            ValueRange{fragments.rowOf(number / ofRow), fragments.columnOf(number % ofRow)});
  }
  NVVM::SyncWarpOp::create(b, loc, allLanes); // the lanes of a warp read what they wrote
  return {weightMemory};
}

AttentionTile::Values StagedAttention::addWeighted(ValueRange weights, const Tile &y, ValueRange sums) {
  if (weights.empty())
    return {};
  std::unique_ptr<TileMatmul> ofOutputs = makeMatmul(fragments.outputLayout(y.elements));
  Values next = ofOutputs->accumulate(operandOf(weights), {viewOf(y, stage), /*kFirst=*/true}, other.rows,
                                      fragments.byRegisters(sums, y.elements));
  return fragments.byRows(next, y.elements);
}

AttentionTile::Fragments StagedAttention::accumulate(const Fragments &weights, const Fragments &sums) {
  Values values = addWeighted(weights.values, columns.tiles[1], sums.values);
  return {addWeighted(weights.scores, columns.tiles[0], sums.scores), values};
}

} // namespace

std::unique_ptr<AttentionTile> makeStagedAttention(const AttentionSite &site) {
  return std::make_unique<StagedAttention>(site);
}

} // namespace proa
