//! Batching rules of kernels on sequences: the sequences of all examples become sequences of one call.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/sequence/Attention.h"
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/sequence/Recurrent.h"
#include "dialects/pd/ops/sequence/SequenceOps.h"

using namespace mlir;

namespace proa::pd {

static void addIf(SmallVector<Role> &roles, Value operand, Role role) {
  if (operand)
    roles.push_back(role);
}

BatchedResults GruOp::batch(Batcher &batcher) {
  SmallVector<Role> roles{Role::First, Role::Shared, Role::Offsets};
  addIf(roles, getH0(), Role::First);
  addIf(roles, getBias(), Role::Shared);
  return joinedOrEach(batcher, *this, roles, {Role::First});
}

BatchedResults LstmOp::batch(Batcher &batcher) {
  SmallVector<Role> roles{Role::First, Role::Shared, Role::Shared, Role::Offsets};
  addIf(roles, getH0(), Role::First);
  addIf(roles, getC0(), Role::First);
  return joinedOrEach(batcher, *this, roles, {Role::First, Role::First});
}

/// Gradients of weights must be per example, so the kernel runs for each example.
BatchedResults batchKernelOfEach(Batcher &batcher, Operation *op) { return eachIfStatic(batcher, op); }

BatchedResults SequenceSoftmaxOp::batch(Batcher &batcher) {
  return SampleJoiner(batcher, *this).join({Role::First, Role::Offsets}, {Role::First});
}

BatchedResults AttentionLstmOp::batch(Batcher &batcher) {
  SmallVector<Role> roles{Role::First, Role::Offsets, Role::First, Role::Shared, Role::Shared, Role::Shared};
  addIf(roles, getH0(), Role::First);
  roles.resize(getOperation()->getNumOperands(), Role::Shared);
  return joinedOrEach(batcher, *this, roles, {Role::First, Role::First});
}

BatchedResults LinearChainCrfOp::batch(Batcher &batcher) {
  SmallVector<Role> roles{Role::First, Role::Shared, Role::First};
  addIf(roles, getLength(), Role::First);
  addIf(roles, getOffsets(), Role::Offsets);
  return joinedOrEach(batcher, *this, roles, {Role::First, Role::First, Role::Shared, Role::First});
}

BatchedResults CrfDecodingOp::batch(Batcher &batcher) {
  SmallVector<Role> roles{Role::First, Role::Shared};
  addIf(roles, getLabel(), Role::First);
  addIf(roles, getLength(), Role::First);
  addIf(roles, getOffsets(), Role::Offsets);
  return joinedOrEach(batcher, *this, roles, {Role::First});
}

BatchedResults WarpctcOp::batch(Batcher &batcher) {
  SmallVector<Role> roles{Role::Second};
  roles.resize(getOperation()->getNumOperands(), Role::First);
  return joinedOrEach(batcher, *this, roles, {Role::First, Role::Second});
}

/// Without offsets: the offsets of results differ from example to example.
BatchedResults CtcAlignOp::batch(Batcher &batcher) {
  if (getOffsets())
    return failure();
  SmallVector<Role> roles(getOperation()->getNumOperands(), Role::First);
  return joinedOrEach(batcher, *this, roles, {Role::First, Role::First});
}

BatchedResults EditDistanceOp::batch(Batcher &batcher) {
  if (getHypsOffsets() || getRefsOffsets())
    return failure();
  SmallVector<Role> roles(getOperation()->getNumOperands(), Role::First);
  return joinedOrEach(batcher, *this, roles, {Role::Count, Role::First});
}

BatchedResults GatherTreeOp::batch(Batcher &batcher) {
  return SampleJoiner(batcher, *this).join({Role::Second, Role::Second}, {Role::Second});
}

} // namespace proa::pd
