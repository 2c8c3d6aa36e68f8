// Attention by wgmma: a warpgroup has 64 rows. One more warp asks the tensor memory accelerator for the
// queries, and for tiles of keys and values, which alternate in one ring.
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/attention/WgmmaRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
namespace {

class WgmmaAttention : public AttentionTile {
public:
  struct Tiles {
    WgmmaRows q, k, v;
  };

  WgmmaAttention(const AttentionSite &site, Tiles given)
      : AttentionTile(site), tiles(std::move(given)), wgmma(site, fragments) {}

  void prepare() override;
  void tile(const Place &place, function_ref<void()> compute) override;
  void begin(const Place &) override { queryRing->awaitFull(queryPosition->load()); }
  Values scores(const Place &place, Value firstKey) override;
  Values accumulate(ValueRange weights, ValueRange outputs) override;

private:
  Tiles tiles;
  WgmmaRowsCode wgmma;
  Value base;                          ///< address of the queries, after which the stages follow
  std::optional<Ring> ring, queryRing; ///< the second one has one stage
  std::optional<RingVariable> position, queryPosition;

  int64_t stageBytes() const { return std::max(tiles.k.bytes(), tiles.v.bytes()); }
  Value stageAddress(const Ring::Position &at) {
    return add(base, add(multiply(at.stage, stageBytes()), tiles.q.bytes()));
  }
  void fill(const Place &place);
  Ring::Position awaitColumns();
  void releaseColumns(const Ring::Position &at);
};

void WgmmaAttention::prepare() {
  int64_t stages = site.choice.stages, bytes = tiles.q.bytes() + stages * stageBytes();
  int64_t barriers = Ring::barrierBytes(stages);
  base = wgmma.allocate(bytes + barriers + Ring::barrierBytes(1));
  int64_t readers = site.choice.storingThreads / warpSize; // one lane of each warp frees a stage
  ring.emplace(wgmma.code, add(base, bytes), stages, readers);
  queryRing.emplace(wgmma.code, add(base, bytes + barriers), 1, readers);
  for (WgmmaRows *rows : {&tiles.q, &tiles.k, &tiles.v})
    wgmma.addMap(*rows);
  wgmma.initRings({&*ring, &*queryRing}, {&tiles.q, &tiles.k, &tiles.v});
  position.emplace(b, loc, ring->first());
  queryPosition.emplace(b, loc, queryRing->first());
}

void WgmmaAttention::tile(const Place &place, function_ref<void()> compute) {
  auto computeAll = [&] {
    compute();
    wgmma.release(*queryRing, queryPosition->load());
    queryPosition->save(queryRing->next(queryPosition->load()));
  };
  wgmma.assignRoles(computeAll, [&] { fill(place); });
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

void WgmmaAttention::fill(const Place &place) {
  Ring::Position at = queryPosition->load();
  queryRing->acquire(at, tiles.q.bytes());
  wgmma.copy(tiles.q, {place.batch, place.head, place.firstQuery}, base, queryRing->full(at.stage));
  queryPosition->save(queryRing->next(at));
  auto loop = scf::ForOp::create(b, loc, place.firstKey, place.keyEnd, constant(site.choice.keys));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  at = position->load();
  Value rowPlace[] = {place.batch, place.keyHead, loop.getInductionVar()};
  for (const WgmmaRows *rows : {&tiles.k, &tiles.v}) {
    ring->acquire(at, rows->bytes());
    wgmma.copy(*rows, rowPlace, stageAddress(at), ring->full(at.stage));
    at = ring->next(at);
  }
  position->save(at);
}

//===----------------------------------------------------------------------===//
// The readers
//===----------------------------------------------------------------------===//

Ring::Position WgmmaAttention::awaitColumns() {
  Ring::Position at = position->load();
  ring->awaitFull(at);
  return at;
}

void WgmmaAttention::releaseColumns(const Ring::Position &at) {
  wgmma.release(*ring, at);
  position->save(ring->next(at));
}

AttentionTile::Values WgmmaAttention::scores(const Place &, Value) {
  Ring::Position at = awaitColumns();
  wgmma.wgmma.begin();
  Value sums = wgmma.multiply(tiles.q, base, tiles.k, stageAddress(at));
  wgmma.wgmma.end();
  releaseColumns(at);
  return fragments.byRows(wgmma.wgmma.registersOf(sums, site.choice.keys), site.choice.keys);
}

AttentionTile::Values WgmmaAttention::accumulate(ValueRange weights, ValueRange outputs) {
  Ring::Position at = awaitColumns();
  Values sums = fragments.byRegisters(outputs, outputElements);
  SmallVector<Values> operands = wgmma.operandsOf(weights, site.choice.keys);
  wgmma.wgmma.begin();
  Value packed = wgmma.addWeighted(operands, tiles.v, stageAddress(at), wgmma.wgmma.pack(sums));
  wgmma.wgmma.end();
  releaseColumns(at);
  return fragments.byRows(wgmma.wgmma.registersOf(packed, outputElements), outputElements);
}

} // namespace

FailureOr<std::unique_ptr<AttentionTile>> makeWgmmaAttention(const AttentionSite &site) {
  FailureOr<WgmmaRows> q = WgmmaRows::of(site, site.q, site.choice.queries, "q"),
                       k = WgmmaRows::of(site, site.k, site.choice.keys, "k"),
                       v = WgmmaRows::of(site, site.v, site.choice.keys, "v");
  if (failed(q) || failed(k) || failed(v))
    return failure();
  return std::unique_ptr<AttentionTile>(
      std::make_unique<WgmmaAttention>(site, WgmmaAttention::Tiles{*q, *k, *v}));
}

} // namespace proa
