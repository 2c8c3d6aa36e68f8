//! Batching of kernels on sequences and samples: those of the examples become more sequences of one call.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/detection/Selection.h"
#include "dialects/pd/ops/loss/Kernels.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/RecurrentOps.h"
#include "dialects/pd/ops/search/Tables.h"
#include "dialects/pd/ops/sequence/Attention.h"
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/sequence/Recurrent.h"
#include "dialects/pd/ops/sequence/SequenceOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Where the samples can't be joined: the kernel for each example, if the extents allow it, rather than the
/// formula, in which examples with offsets of their own would have numbers of steps of their own.
BatchedResults orEach(Batcher &batcher, Operation *op, BatchedResults found) {
  bool isStatic = llvm::all_of(op->getResultTypes(),
                               [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); });
  return succeeded(found) || !isStatic ? found : batcher.oneByOne(op);
}

void addIf(SmallVector<Role> &roles, Value operand, Role role) {
  if (operand)
    roles.push_back(role);
}

BatchedResults gru(Batcher &batcher, Operation *op) {
  auto layer = cast<GruOp>(op);
  SmallVector<Role> roles{Role::First, Role::Shared, Role::Offsets};
  addIf(roles, layer.getH0(), Role::First);
  addIf(roles, layer.getBias(), Role::Shared);
  return orEach(batcher, op, SampleJoiner(batcher, op).join(roles, {Role::First}));
}

BatchedResults lstm(Batcher &batcher, Operation *op) {
  auto layer = cast<LstmOp>(op);
  SmallVector<Role> roles{Role::First, Role::Shared, Role::Shared, Role::Offsets};
  addIf(roles, layer.getH0(), Role::First);
  addIf(roles, layer.getC0(), Role::First);
  return orEach(batcher, op, SampleJoiner(batcher, op).join(roles, {Role::First, Role::First}));
}

BatchedResults rnn(Batcher &batcher, Operation *op) {
  auto layers = cast<RnnOp>(op);
  SmallVector<Role> roles(1 + layers.getPreState().size(), Role::Second);
  roles.append(layers.getWeightList().size(), Role::Shared);
  addIf(roles, layers.getSequenceLength(), Role::First);
  return SampleJoiner(batcher, op).join(roles, SmallVector<Role>(op->getNumResults(), Role::Second));
}

BatchedResults softmaxes(Batcher &batcher, Operation *op) {
  return SampleJoiner(batcher, op).join({Role::First, Role::Offsets}, {Role::First});
}

BatchedResults attentionLstm(Batcher &batcher, Operation *op) {
  auto layer = cast<AttentionLstmOp>(op);
  SmallVector<Role> roles{Role::First, Role::Offsets, Role::First, Role::Shared, Role::Shared, Role::Shared};
  addIf(roles, layer.getH0(), Role::First);
  roles.resize(op->getNumOperands(), Role::Shared);
  return SampleJoiner(batcher, op).join(roles, {Role::First, Role::First});
}

/// Gradients of weights are those of an example.
BatchedResults kernelForEach(Batcher &batcher, Operation *op) { return orEach(batcher, op, failure()); }

BatchedResults chain(Batcher &batcher, Operation *op) {
  auto crf = cast<LinearChainCrfOp>(op);
  SmallVector<Role> roles{Role::First, Role::Shared, Role::First};
  addIf(roles, crf.getLength(), Role::First);
  addIf(roles, crf.getOffsets(), Role::Offsets);
  return orEach(batcher, op,
                SampleJoiner(batcher, op).join(roles, {Role::First, Role::First, Role::Shared, Role::First}));
}

BatchedResults decoding(Batcher &batcher, Operation *op) {
  auto crf = cast<CrfDecodingOp>(op);
  SmallVector<Role> roles{Role::First, Role::Shared};
  addIf(roles, crf.getLabel(), Role::First);
  addIf(roles, crf.getLength(), Role::First);
  addIf(roles, crf.getOffsets(), Role::Offsets);
  return SampleJoiner(batcher, op).join(roles, {Role::First});
}

BatchedResults ctc(Batcher &batcher, Operation *op) {
  SmallVector<Role> roles{Role::Second};
  roles.resize(op->getNumOperands(), Role::First);
  return orEach(batcher, op, SampleJoiner(batcher, op).join(roles, {Role::First, Role::Second}));
}

BatchedResults transducer(Batcher &batcher, Operation *op) {
  SmallVector<Role> roles(op->getNumOperands(), Role::First);
  return orEach(batcher, op, SampleJoiner(batcher, op).join(roles, {Role::First, Role::First}));
}

/// Without offsets: those of results differ from example to example.
BatchedResults align(Batcher &batcher, Operation *op) {
  SmallVector<Role> roles(op->getNumOperands(), Role::First);
  return cast<CtcAlignOp>(op).getOffsets()
             ? BatchedResults(failure())
             : SampleJoiner(batcher, op).join(roles, {Role::First, Role::First});
}

BatchedResults distance(Batcher &batcher, Operation *op) {
  auto edit = cast<EditDistanceOp>(op);
  SmallVector<Role> roles(op->getNumOperands(), Role::First);
  return edit.getHypsOffsets() || edit.getRefsOffsets()
             ? BatchedResults(failure())
             : SampleJoiner(batcher, op).join(roles, {Role::Count, Role::First});
}

BatchedResults tree(Batcher &batcher, Operation *op) {
  return SampleJoiner(batcher, op).join({Role::Second, Role::Second}, {Role::Second});
}

BatchedResults hashes(Batcher &batcher, Operation *op) {
  return SampleJoiner(batcher, op).join({Role::First}, {Role::First});
}

BatchedResults tableRows(Batcher &batcher, Operation *op) {
  return SampleJoiner(batcher, op).join({Role::Shared, Role::First}, {Role::First});
}

BatchedResults decodedBoxes(Batcher &batcher, Operation *op) {
  return SampleJoiner(batcher, op)
      .join({Role::First, Role::Shared, Role::First, Role::First}, {Role::First, Role::First});
}

} // namespace

void addSequenceBatching(BatchingRules &rules) {
  rules.add<GruOp>(gru);
  rules.add<LstmOp>(lstm);
  rules.add<RnnOp>(rnn);
  rules.add<SequenceSoftmaxOp>(softmaxes);
  rules.add<AttentionLstmOp>(attentionLstm);
  rules.add<GruGradOp, LstmGradOp, LinearChainCrfGradOp>(kernelForEach);
  rules.add<LinearChainCrfOp>(chain);
  rules.add<CrfDecodingOp>(decoding);
  rules.add<WarpctcOp>(ctc);
  rules.add<WarprnntOp>(transducer);
  rules.add<CtcAlignOp>(align);
  rules.add<EditDistanceOp>(distance);
  rules.add<GatherTreeOp>(tree);
  rules.add<HashOp>(hashes);
  rules.add<LookupTableDequantOp>(tableRows);
  rules.add<BoxDecoderAndAssignOp>(decodedBoxes);
}

} // namespace proa::pd
