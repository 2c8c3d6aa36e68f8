// Attention and gradients by wgmma: a warpgroup has 64 of the rows that the block owns. One more warp asks
// the tensor memory accelerator for these rows, and for tiles of columns, in the stages of a pipeline.
#include "passes/lower-gpu/attention/AttentionTile.h"
#include "passes/lower-gpu/hopper/WgmmaMatmul.h"

using namespace mlir;

namespace proa {
namespace {

/// Weights of a row that an instruction multiplies.
constexpr int64_t columnsOfStep = wgmmaInstruction.k(16);

class WgmmaAttention : public AttentionTile {
public:
  struct Tile : MappedTile {
    const AttentionTensor *tensor;
  };
  /// Tiles of a side: of `scores`, and of `values` if the side has them.
  using Tiles = SmallVector<Tile, 2>;

  WgmmaAttention(const AttentionSite &site, Tiles ownTiles, Tiles otherTiles)
      : AttentionTile(site), rows(std::move(ownTiles)), columns(std::move(otherTiles)),
        areSeparate(!own.hasValues()), threads(b, loc, site.thread, site.choice.storingThreads,
                                               site.choice.threads - site.choice.storingThreads),
        matmul(b, loc, {site.element, site.element}, wgmmaInstruction.rows, site.thread) {}

  void prepare() override;
  void assignRoles(function_ref<void()> compute, function_ref<void()> copy) override {
    threads.assignRoles(compute, copy);
  }
  void copyOwn(const Position &at) override { fill(*ownBuffer, *ownPosition, rows, own, at, at.first); }
  void copyColumns(const Position &at, Value firstColumn) override;
  void begin(const Position &) override { ownBuffer->awaitFull(ownPosition->load()); }
  void end() override { release(*ownBuffer, *ownPosition); }
  Fragments multiply(const Position &at, Value firstColumn) override;
  Fragments accumulate(const Fragments &weights, const Fragments &sums) override;
  void endColumns() override {
    if (!areSeparate)
      release(*buffer, *position);
  }

private:
  Tiles rows, columns;
  bool areSeparate; ///< `scores` and `values` of the columns are in stages of their own, one after the other
  StageThreads threads;
  WgmmaMatmul matmul;
  Value base; ///< address of the tile that the block owns, after which the stages follow
  std::optional<StageBuffer> buffer, ownBuffer; ///< the second one has one stage
  std::optional<StageVariable> position, ownPosition;

  static int64_t bytesOf(ArrayRef<Tile> tiles) {
    int64_t bytes = 0;
    for (const Tile &tile : tiles)
      bytes += tile.shared.bytes();
    return bytes;
  }
  int64_t stageBytes() const {
    return areSeparate ? std::max(bytesOf(columns[0]), bytesOf(columns[1])) : bytesOf(columns);
  }
  Value stageAddress(const StageBuffer::Position &at) {
    return add(base, add(CodeBuilder::multiply(at.stage, stageBytes()), bytesOf(rows)));
  }
  /// Where the values of the columns are, if their stage is at `address`.
  Value valuesAt(Value address) const { return areSeparate ? address : add(address, bytesOf(columns[0])); }

  void fill(const StageBuffer &stages, StageVariable &variable, ArrayRef<Tile> tiles,
            const AttentionSide &side, const Position &at, Value first);
  SmallVector<Values> operandsOf(ValueRange weights) const;
  void release(const StageBuffer &stages, StageVariable &variable) {
    threads.release(stages, variable.load());
    variable.save(stages.next(variable.load()));
  }
  Values byRows(Value sums, int64_t elements) const {
    return fragments.byRows(matmul.registersOf(sums, elements), elements);
  }
};

void WgmmaAttention::prepare() {
  int64_t stages = site.choice.stages, tiles = bytesOf(rows) + stages * stageBytes();
  int64_t barriers = StageBuffer::barrierBytes(stages);
  base = threads.addressOf(threads.allocate(tiles + barriers + StageBuffer::barrierBytes(1)));
  buffer.emplace(threads, add(base, tiles), stages, threads.arrivals());
  ownBuffer.emplace(threads, add(base, tiles + barriers), 1, threads.arrivals());
  Values maps;
  for (Tiles *side : {&rows, &columns})
    for (Tile &tile : *side) {
      tile.addMap(site.kernel);
      maps.push_back(tile.map);
    }
  threads.start({&*buffer, &*ownBuffer}, maps);
  position.emplace(b, loc, buffer->first());
  ownPosition.emplace(b, loc, ownBuffer->first());
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

void WgmmaAttention::fill(const StageBuffer &stages, StageVariable &variable, ArrayRef<Tile> tiles,
                          const AttentionSide &side, const Position &at, Value first) {
  StageBuffer::Position to = variable.load();
  stages.acquire(to, bytesOf(tiles));
  Value target = &stages == &*ownBuffer ? base : stageAddress(to), full = stages.full(to.stage);
  Value indices[] = {at.batch, headOf(side, at), first, constant(0)};
  for (const Tile &tile : tiles) {
    tile.copy(threads, tile.tensor->indices(indices), target, full);
    target = add(target, tile.shared.bytes());
  }
  variable.save(stages.next(to));
}

void WgmmaAttention::copyColumns(const Position &at, Value firstColumn) {
  if (!areSeparate)
    return fill(*buffer, *position, columns, other, at, firstColumn);
  for (const Tile &tile : columns)
    fill(*buffer, *position, tile, other, at, firstColumn);
}

//===----------------------------------------------------------------------===//
// The readers
//===----------------------------------------------------------------------===//

AttentionTile::Fragments WgmmaAttention::multiply(const Position &, Value) {
  StageBuffer::Position at = position->load();
  buffer->awaitFull(at);
  Value address = stageAddress(at);
  auto products = [&](const Tile &x, Value xAddress, const Tile &y, Value yAddress) {
    return matmul.multiply({x.shared, xAddress}, {y.shared, yAddress}, matmul.start(other.rows), other.rows,
                           /*addsSums=*/false)[0];
  };
  matmul.begin();
  Value scores = products(rows[0], base, columns[0], address), values;
  if (own.hasValues())
    values = products(rows[1], add(base, bytesOf(rows[0])), columns[1], valuesAt(address));
  matmul.end();
  if (areSeparate)
    release(*buffer, *position);
  return {byRows(scores, other.rows), values ? byRows(values, other.rows) : Values()};
}

AttentionTile::Fragments WgmmaAttention::accumulate(const Fragments &weights, const Fragments &sums) {
  StageBuffer::Position at = position->load();
  if (areSeparate)
    buffer->awaitFull(at);
  Value address = stageAddress(at);
  SmallVector<Values> ofScores = operandsOf(weights.scores), ofValues = operandsOf(weights.values);
  auto addTo = [&](ArrayRef<Values> x, const Tile &y, Value memory, ValueRange to, int64_t elements) {
    return x.empty() ? Value()
                     : matmul.multiply(x, {y.shared, memory, /*alongK=*/false},
                                       matmul.pack(fragments.byRegisters(to, elements)));
  };
  matmul.begin();
  Value scores = addTo(ofScores, columns[0], address, sums.scores, scoreElements);
  Value values = addTo(ofValues, columns[1], valuesAt(address), sums.values, valueElements);
  matmul.end();
  if (areSeparate)
    release(*buffer, *position);
  return {scores ? byRows(scores, scoreElements) : Values(),
          values ? byRows(values, valueElements) : Values()};
}

/// Weights as operand x.
SmallVector<AttentionTile::Values> WgmmaAttention::operandsOf(ValueRange weights) const {
  SmallVector<Values> operands;
  for (int64_t column = 0; column < other.rows && !weights.empty(); column += columnsOfStep)
    operands.push_back(fragments.operand(weights, column, site.element));
  return operands;
}

/// The tiles of a side. Error: the accelerator cannot address one.
FailureOr<WgmmaAttention::Tiles> tilesOf(const AttentionSite &site, bool isOwn) {
  AttentionSide side(site, isOwn);
  WgmmaAttention::Tiles tiles;
  std::pair<const AttentionTensor *, StringRef> tensors[] = {{&side.scores, side.areKeys ? "k" : "q"},
                                                             {&side.values, side.areKeys ? "v" : "out_grad"}};
  for (auto [tensor, name] : tensors) {
    if (!tensor->memory)
      continue;
    std::string reason;
    std::optional<TensorView> view = TensorView::of(tensor->memory, reason);
    if (!view)
      return emitError(site.loc) << "'wgmma' cannot read " << name << ": " << reason;
    SwizzledTile shared{site.element, side.rows, paddedElements(MatmulKind::Wgmma, tensor->elements())};
    tiles.push_back({{shared, *view, static_cast<unsigned>(tensor->dims[rowDim]),
                      static_cast<unsigned>(tensor->dims[elementDim])},
                     tensor});
  }
  return tiles;
}

} // namespace

FailureOr<std::unique_ptr<AttentionTile>> makeWgmmaAttention(const AttentionSite &site) {
  FailureOr<WgmmaAttention::Tiles> own = tilesOf(site, true), other = tilesOf(site, false);
  if (failed(own) || failed(other))
    return failure();
  return std::unique_ptr<AttentionTile>(std::make_unique<WgmmaAttention>(site, *own, *other));
}

} // namespace proa
