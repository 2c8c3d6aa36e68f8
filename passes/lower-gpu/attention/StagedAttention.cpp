#include "passes/lower-gpu/attention/StagedAttention.h"

#include "passes/lower-gpu/SharedStages.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace proa {

StagedAttention::StagedAttention(const AttentionSite &site)
    : AttentionTile(site), products(makeProducts(site)),
      headElements(paddedElements(site.choice.kind, site.q.elements())),
      queryCopy(site, site.q, site.choice.queries, headElements),
      keyCopy(site, site.k, site.choice.keys, headElements),
      valueCopy(site, site.v, site.choice.keys, outputElements) {}

void StagedAttention::prepare() {
  const AttentionChoice &choice = site.choice;
  int64_t pad = products->pad;
  queries = allocateShared(site, {choice.queries, headElements + pad}, site.element);
  allKeys = allocateShared(site, {choice.stages, choice.keys, headElements + pad}, site.element);
  allValues = allocateShared(site, {choice.stages, choice.keys, outputElements + pad}, site.element);
  products->prepare();
}

Value StagedAttention::stageAt(Value firstKey) {
  return remainder(divide(firstKey, site.choice.keys), site.choice.stages);
}

void StagedAttention::copyKeys(const Place &place, Value firstKey) {
  Value stage = stageAt(firstKey);
  keyCopy.copy(place.batch, place.keyHead, firstKey, place.keyEnd, stageView(b, loc, allKeys, stage));
  valueCopy.copy(place.batch, place.keyHead, firstKey, place.keyEnd, stageView(b, loc, allValues, stage));
  commitCopies(site);
}

void StagedAttention::begin(const Place &place) {
  gpu::BarrierOp::create(b, loc); // the last tile is no longer read
  Value end = getValueOrCreateConstantIndexOp(b, loc, site.q.sizes[2]);
  queryCopy.copy(place.batch, place.head, place.firstQuery, end, queries);
  commitCopies(site);
  awaitCopies(site, 0);
  products->keepRows(queries, headElements);
  if (site.choice.stages > 1)
    copyKeys(place, place.firstKey);
}

AttentionTile::Values StagedAttention::scores(const Place &place, Value firstKey) {
  if (site.choice.stages > 1) {
    awaitCopies(site, 0); // and no thread reads the other stage any more
    copyKeys(place, add(firstKey, site.choice.keys));
  } else {
    gpu::BarrierOp::create(b, loc); // the last keys are no longer read
    copyKeys(place, firstKey);
    awaitCopies(site, 0);
  }
  Value stage = stageAt(firstKey);
  values = stageView(b, loc, allValues, stage);
  return products->multiply(queries, stageView(b, loc, allKeys, stage), headElements);
}

std::unique_ptr<AttentionTile> makeStagedAttention(const AttentionSite &site) {
  return std::make_unique<StagedAttention>(site);
}

} // namespace proa
