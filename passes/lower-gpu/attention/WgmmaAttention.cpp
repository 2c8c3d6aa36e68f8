// Attention by wgmma: a warpgroup has 64 rows. One more warp asks the tensor memory accelerator for the
// queries, and for tiles of keys and values, which alternate in one ring.
#include "passes/lower-gpu/attention/MmaFragments.h"
#include "passes/lower-gpu/hopper/TensorView.h"
#include "passes/lower-gpu/hopper/WgmmaCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
namespace {

constexpr int64_t warpSize = 32;
/// Elements of a line in shared memory.
constexpr int64_t lineElements = swizzleBytes / 2;

class WgmmaAttention : public AttentionTile {
public:
  struct Maps {
    TensorView q, k, v;
  };

  WgmmaAttention(const AttentionSite &site, Maps views)
      : AttentionTile(site), views(std::move(views)), code(b, loc), wgmma(b, loc, {site.element}),
        fragments(b, loc, site.thread), head(paddedElements(site.choice.kind, site.q.elements())),
        value(paddedElements(site.choice.kind, site.v.elements())) {
    rows = MmaFragments::rows;
    scoresOfRow = MmaFragments::columnsOfRow(site.choice.keys);
    outputsOfRow = MmaFragments::columnsOfRow(value);
    lanesOfRow = MmaFragments::lanesOfRow;
    adjacentOutputs = 2;
    lanesOfBlock = MmaFragments::lanesOfBlock(/*isByKeys=*/false);
  }

  Value rowOf(int64_t row) override { return fragments.rowOf(row); }
  Value keyOf(int64_t score) override { return fragments.columnOf(score); }
  Value outputOf(int64_t output) override { return fragments.columnOf(output); }

  void prepare() override;
  void tile(const Place &place, function_ref<void()> compute) override;
  void begin(const Place &place) override;
  Values scores(const Place &place, Value firstKey) override;
  Values accumulate(ValueRange weights, ValueRange outputs) override;

private:
  Maps views;
  HopperCode code;
  WgmmaCode wgmma;
  MmaFragments fragments;
  int64_t head, value; ///< elements of a row of keys and of values in shared memory
  Value queryMap, keyMap, valueMap;
  Value base;                          ///< address of the queries, after which the stages follow
  std::optional<Ring> ring, queryRing; ///< the second one has one stage
  std::optional<RingVariable> position, queryPosition;

  int64_t queryBytes() const { return site.choice.queries * head * 2; }
  int64_t stageBytes() const { return site.choice.keys * std::max(head, value) * 2; }

  Value addMap(const TensorView &view, const AttentionTensor &tensor, int64_t boxRows);
  Value stageAddress(const Ring::Position &at) {
    return add(base, add(multiply(at.stage, stageBytes()), queryBytes()));
  }
  void copyRows(const TensorView &view, const AttentionTensor &tensor, Value map, ValueRange place,
                int64_t boxRows, int64_t elements, Value target, Value barrier);
  void fill(const Place &place);
  void release(const Ring &freed, const Ring::Position &at);
};

Value WgmmaAttention::addMap(const TensorView &view, const AttentionTensor &tensor, int64_t boxRows) {
  SmallVector<int64_t> box(4, 1);
  box[static_cast<size_t>(tensor.dims[2])] = boxRows;
  box[static_cast<size_t>(tensor.dims[3])] = lineElements;
  return view.addTensorMap(site.kernel, box, swizzleBytes);
}

void WgmmaAttention::prepare() {
  const AttentionChoice &choice = site.choice;
  queryMap = addMap(views.q, site.q, choice.queries);
  keyMap = addMap(views.k, site.k, choice.keys);
  valueMap = addMap(views.v, site.v, choice.keys);
  int64_t tiles = queryBytes() + choice.stages * stageBytes();
  int64_t barriers = Ring::barrierBytes(choice.stages), bytes = tiles + barriers + Ring::barrierBytes(1);
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(), space);
  base = code.addressOf(
      memref::AllocOp::create(b, loc, type, ValueRange(), ValueRange(), b.getI64IntegerAttr(patternBytes)));
  int64_t readers = choice.storingThreads / warpSize; // one lane of each warp frees a stage
  ring.emplace(code, add(base, tiles), choice.stages, readers);
  queryRing.emplace(code, add(base, tiles + barriers), 1, readers);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, isEqual(site.thread, 0)).thenBlock());
    ring->init();
    queryRing->init();
    code.fenceBarriers();
    for (Value map : {queryMap, keyMap, valueMap})
      code.prefetchMap(map);
  }
  gpu::BarrierOp::create(b, loc);
  position.emplace(b, loc, ring->first());
  queryPosition.emplace(b, loc, queryRing->first());
}

void WgmmaAttention::tile(const Place &place, function_ref<void()> compute) {
  Value isReader = isBelow(site.thread, constant(site.choice.storingThreads));
  auto roles = scf::IfOp::create(b, loc, isReader, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(roles.thenBlock());
  compute();
  release(*queryRing, queryPosition->load());
  queryPosition->save(queryRing->next(queryPosition->load()));
  b.setInsertionPointToStart(roles.elseBlock());
  Value isProducer = isEqual(site.thread, site.choice.storingThreads);
  b.setInsertionPointToStart(scf::IfOp::create(b, loc, isProducer).thenBlock());
  fill(place);
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// Copies rows as blocks of 64 elements of each of them. `place` is batch, head and first row.
void WgmmaAttention::copyRows(const TensorView &view, const AttentionTensor &tensor, Value map,
                              ValueRange place, int64_t boxRows, int64_t elements, Value target,
                              Value barrier) {
  for (int64_t first = 0; first < elements; first += lineElements) {
    SmallVector<Value> coordinates = tensor.indices({place[0], place[1], place[2], constant(first)});
    code.copyBox(add(target, first / lineElements * boxRows * swizzleBytes), map, coordinates, barrier);
  }
}

void WgmmaAttention::fill(const Place &place) {
  const AttentionChoice &choice = site.choice;
  Ring::Position at = queryPosition->load();
  queryRing->acquire(at, queryBytes());
  copyRows(views.q, site.q, queryMap, {place.batch, place.head, place.firstQuery}, choice.queries, head, base,
           queryRing->full(at.stage));
  queryPosition->save(queryRing->next(at));
  auto loop = scf::ForOp::create(b, loc, place.firstKey, place.keyEnd, constant(choice.keys));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  at = position->load();
  Value rowPlace[] = {place.batch, place.keyHead, loop.getInductionVar()};
  ring->acquire(at, choice.keys * head * 2);
  copyRows(views.k, site.k, keyMap, rowPlace, choice.keys, head, stageAddress(at), ring->full(at.stage));
  at = ring->next(at);
  ring->acquire(at, choice.keys * value * 2);
  copyRows(views.v, site.v, valueMap, rowPlace, choice.keys, value, stageAddress(at), ring->full(at.stage));
  position->save(ring->next(at));
}

//===----------------------------------------------------------------------===//
// The readers
//===----------------------------------------------------------------------===//

/// Frees a stage as one of the readers; one lane of each warp does.
void WgmmaAttention::release(const Ring &freed, const Ring::Position &at) {
  OpBuilder::InsertionGuard guard(b);
  Value isFirstLane = isEqual(remainder(site.thread, warpSize), 0);
  b.setInsertionPointToStart(scf::IfOp::create(b, loc, isFirstLane).thenBlock());
  freed.release(at);
}

void WgmmaAttention::begin(const Place &) { queryRing->awaitFull(queryPosition->load()); }

AttentionTile::Values WgmmaAttention::scores(const Place &, Value) {
  const AttentionChoice &choice = site.choice;
  Ring::Position at = position->load();
  ring->awaitFull(at);
  Value group = divide(site.thread, warpgroupThreads);
  Value ownQueries = add(base, multiply(group, warpgroupThreads / 2 * swizzleBytes));
  Value queries = code.matrixDescriptor(ownQueries, 0, patternBytes),
        keys = code.matrixDescriptor(stageAddress(at), 0, patternBytes);
  wgmma.begin();
  Value sums = wgmma.zeros(choice.keys);
  constexpr int64_t stepBytes = 32; // 16 elements
  for (int64_t line = 0; line < head / lineElements; ++line)
    for (int64_t step = 0; step < swizzleBytes / stepBytes; ++step) {
      Value x = code.advance(queries, line * choice.queries * swizzleBytes + step * stepBytes),
            y = code.advance(keys, line * choice.keys * swizzleBytes + step * stepBytes);
      sums = wgmma.multiply(x, y, sums, choice.keys, {.addsSums = line + step > 0});
    }
  wgmma.end();
  release(*ring, at);
  position->save(ring->next(at));
  return MmaFragments::byRows(wgmma.registersOf(sums, choice.keys));
}

AttentionTile::Values WgmmaAttention::accumulate(ValueRange weights, ValueRange outputs) {
  const AttentionChoice &choice = site.choice;
  Ring::Position at = position->load();
  ring->awaitFull(at);
  // A line has the same elements of the keys; blocks of 64 elements follow each other.
  Value values = code.matrixDescriptor(stageAddress(at), choice.keys * swizzleBytes, patternBytes);
  Values sums = MmaFragments::byRegisters(outputs);
  constexpr int64_t keysOfStep = 16;
  SmallVector<Values> operands;
  for (int64_t key = 0; key < choice.keys; key += keysOfStep)
    operands.push_back(fragments.operand(weights, key, site.element));
  wgmma.begin();
  Value packed = wgmma.pack(sums);
  for (auto [step, x] : llvm::enumerate(operands)) {
    Value y = code.advance(values, static_cast<int64_t>(step) * keysOfStep * swizzleBytes);
    packed = wgmma.multiplyRegisters(x, y, packed, value, {.isYTransposed = true});
  }
  wgmma.end();
  release(*ring, at);
  position->save(ring->next(at));
  return MmaFragments::byRows(wgmma.registersOf(packed, value));
}

} // namespace

FailureOr<std::unique_ptr<AttentionTile>> makeWgmmaAttention(const AttentionSite &site) {
  WgmmaAttention::Maps views;
  for (auto [tensor, view, name] : {std::tuple(&site.q, &views.q, "q"), std::tuple(&site.k, &views.k, "k"),
                                    std::tuple(&site.v, &views.v, "v")}) {
    std::string reason;
    std::optional<TensorView> found = TensorView::of(tensor->memory, reason);
    if (!found)
      return emitError(site.loc) << "'wgmma' cannot read " << name << ": " << reason;
    *view = *found;
  }
  return std::unique_ptr<AttentionTile>(std::make_unique<WgmmaAttention>(site, std::move(views)));
}

} // namespace proa
