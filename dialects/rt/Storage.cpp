#include "dialects/rt/Storage.h"

#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

using namespace mlir;

#include "dialects/rt/Storage.cpp.inc"

namespace proa::rt {
namespace {

template <class Op, ResultStorage storage>
struct StorageModel : StorageOpInterface::ExternalModel<StorageModel<Op, storage>, Op> {
  ResultStorage getResultStorage(Operation *) const { return storage; }
};

template <class Op, ResultStorage storage> void attach(MLIRContext &context) {
  Op::template attachInterface<StorageModel<Op, storage>>(context);
}

} // namespace

ResultStorage resultStorageOf(Operation *op) {
  auto stored = dyn_cast<StorageOpInterface>(op);
  return stored ? stored.getResultStorage() : ResultStorage::New;
}

void attachStorageInterfaces(MLIRContext &context) {
  attach<pd::OptimizationBarrierOp, ResultStorage::Forwarded>(context);
  attach<pd::ArrayCastOp, ResultStorage::Forwarded>(context);
  attach<pd::ReshapeOp, ResultStorage::Reshaped>(context);
  attach<pd::ArrayReadOp, ResultStorage::ArrayElement>(context);
  attach<pd::ArrayReadOrOp, ResultStorage::ArrayElement>(context);
  attach<pd::ArrayWriteOp, ResultStorage::Array>(context);
}

} // namespace proa::rt
