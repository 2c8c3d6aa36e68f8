// Gradients of attention by wgmma: a warpgroup has 64 of the rows that the block owns. One more warp asks the
// tensor memory accelerator for these rows, and for tiles of columns, which go through a ring.
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/attention/GradientTile.h"
#include "passes/lower-gpu/attention/WgmmaRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
namespace {

class WgmmaGradient : public GradientTile {
public:
  /// The rows of both products.
  struct Tiles {
    GradientSide side;
    WgmmaRows scores, values;

    int64_t bytes() const { return scores.bytes() + values.bytes(); }
  };

  WgmmaGradient(const AttentionSite &site, Tiles own, Tiles other)
      : GradientTile(site), own(std::move(own)), other(std::move(other)), wgmma(site, fragments) {}

  void prepare() override;
  void tile(function_ref<void()> compute, function_ref<void()> copy) override {
    wgmma.assignRoles(compute, copy);
  }
  void copyOwn(const Place &place) override { fill(*ownRing, *ownPosition, own, place, place.first); }
  void copyColumns(const Place &place, Value firstColumn) override {
    fill(*ring, *position, other, place, firstColumn);
  }
  void begin(const Place &) override { ownRing->awaitFull(ownPosition->load()); }
  void end() override { release(*ownRing, *ownPosition); }
  Numbers multiply(const Place &place, Value firstColumn) override;
  Numbers accumulate(const Numbers &weights, const Numbers &sums) override;
  void endColumns() override { release(*ring, *position); }

private:
  Tiles own, other;
  WgmmaRowsCode wgmma;
  Value base; ///< address of the tile that the block owns, after which the stages follow
  std::optional<Ring> ring, ownRing; ///< the second one has one stage
  std::optional<RingVariable> position, ownPosition;

  /// The address of the rows of both products in the stage of a ring.
  Value addressIn(const Tiles &tiles, const Ring::Position &at) {
    return &tiles == &own ? base : add(base, add(IndexCode::multiply(at.stage, other.bytes()), own.bytes()));
  }
  void fill(const Ring &ring, RingVariable &position, const Tiles &tiles, const Place &place, Value first);
  void release(const Ring &ring, RingVariable &position) {
    wgmma.release(ring, position.load());
    position.save(ring.next(position.load()));
  }
};

void WgmmaGradient::prepare() {
  int64_t stages = site.choice.stages, tiles = own.bytes() + stages * other.bytes();
  int64_t barriers = Ring::barrierBytes(stages);
  base = wgmma.allocate(tiles + barriers + Ring::barrierBytes(1));
  int64_t readers = site.choice.storingThreads / warpSize; // one lane of each warp frees a stage
  ring.emplace(wgmma.code, add(base, tiles), stages, readers);
  ownRing.emplace(wgmma.code, add(base, tiles + barriers), 1, readers);
  for (WgmmaRows *rows : {&own.scores, &own.values, &other.scores, &other.values})
    wgmma.addMap(*rows);
  wgmma.initRings({&*ring, &*ownRing}, {&own.scores, &own.values, &other.scores, &other.values});
  position.emplace(b, loc, ring->first());
  ownPosition.emplace(b, loc, ownRing->first());
}

void WgmmaGradient::fill(const Ring &ring, RingVariable &position, const Tiles &tiles, const Place &place,
                         Value first) {
  Ring::Position at = position.load();
  ring.acquire(at, tiles.bytes());
  Value rowPlace[] = {place.batch, tiles.side.headOf(place), first};
  Value target = addressIn(tiles, at), full = ring.full(at.stage);
  wgmma.copy(tiles.scores, rowPlace, target, full);
  wgmma.copy(tiles.values, rowPlace, add(target, tiles.scores.bytes()), full);
  position.save(ring.next(at));
}

GradientTile::Numbers WgmmaGradient::multiply(const Place &, Value) {
  Ring::Position at = position->load();
  ring->awaitFull(at);
  Value columns = addressIn(other, at);
  wgmma.wgmma.begin();
  Value scores = wgmma.multiply(own.scores, base, other.scores, columns);
  Value values = wgmma.multiply(own.values, add(base, own.scores.bytes()), other.values,
                                add(columns, other.scores.bytes()));
  wgmma.wgmma.end();
  auto byRows = [&](Value sums) {
    return fragments.byRows(wgmma.wgmma.registersOf(sums, site.choice.columns()), site.choice.columns());
  };
  return {byRows(scores), byRows(values)};
}

GradientTile::Numbers WgmmaGradient::accumulate(const Numbers &weights, const Numbers &sums) {
  Ring::Position at = position->load();
  Value columns = addressIn(other, at);
  SmallVector<Values> ofValues, ofScores = wgmma.operandsOf(weights.scores, site.choice.columns());
  if (!weights.values.empty())
    ofValues = wgmma.operandsOf(weights.values, site.choice.columns());
  auto pack = [&](ValueRange own, int64_t elements) {
    return wgmma.wgmma.pack(fragments.byRegisters(own, elements));
  };
  wgmma.wgmma.begin();
  Value values, scores = wgmma.addWeighted(ofScores, other.scores, columns, pack(sums.scores, scoreElements));
  if (!ofValues.empty())
    values = wgmma.addWeighted(ofValues, other.values, add(columns, other.scores.bytes()),
                               pack(sums.values, valueElements));
  wgmma.wgmma.end();
  auto byRows = [&](Value packed, int64_t elements) {
    return fragments.byRows(wgmma.wgmma.registersOf(packed, elements), elements);
  };
  return {byRows(scores, scoreElements), values ? byRows(values, valueElements) : Values()};
}

} // namespace

FailureOr<std::unique_ptr<GradientTile>> makeWgmmaGradient(const AttentionSite &site,
                                                           const AttentionTensor &outGradient) {
  auto tilesOf = [&](bool isOwn) -> FailureOr<WgmmaGradient::Tiles> {
    GradientSide side(site, outGradient, isOwn);
    FailureOr<WgmmaRows> scores = WgmmaRows::of(site, side.scores, side.rows, side.areKeys ? "k" : "q"),
                         values =
                             WgmmaRows::of(site, side.values, side.rows, side.areKeys ? "v" : "out_grad");
    if (failed(scores) || failed(values))
      return failure();
    return WgmmaGradient::Tiles{side, *scores, *values};
  };
  FailureOr<WgmmaGradient::Tiles> own = tilesOf(true), other = tilesOf(false);
  if (failed(own) || failed(other))
    return failure();
  return std::unique_ptr<GradientTile>(std::make_unique<WgmmaGradient>(site, *own, *other));
}

} // namespace proa
