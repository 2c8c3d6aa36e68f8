#include "passes/lower-gpu/attention/StagedAttention.h"

#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/SharedStages.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace proa {

StagedAttention::StagedAttention(const AttentionSite &site, int64_t pad)
    : AttentionTile(site), pad(pad), headElements(paddedElements(site.choice.kind, site.q.elements())),
      valueElements(paddedElements(site.choice.kind, site.v.elements())),
      queryCopy(site, site.q, site.choice.queries, headElements),
      keyCopy(site, site.k, site.choice.keys, headElements),
      valueCopy(site, site.v, site.choice.keys, valueElements) {}

Value StagedAttention::allocate(ArrayRef<int64_t> dims, Type element) {
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get(dims, element, MemRefLayoutAttrInterface(), space);
  return memref::AllocOp::create(b, loc, type, ValueRange(), ValueRange(), b.getI64IntegerAttr(accessBytes));
}

void StagedAttention::prepare() {
  const AttentionChoice &choice = site.choice;
  queries = allocate({choice.queries, headElements + pad}, site.element);
  allKeys = allocate({choice.stages, choice.keys, headElements + pad}, site.element);
  allValues = allocate({choice.stages, choice.keys, valueElements + pad}, site.element);
  prepareOwn();
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
  loadQueries(queries);
  if (site.choice.stages > 1)
    copyKeys(place, constant(0));
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
  return multiply(queries, stageView(b, loc, allKeys, stage));
}

} // namespace proa
