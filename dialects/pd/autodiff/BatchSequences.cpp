//! Batching of kernels on sequences and samples: those of the examples become more sequences of one call.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/detection/Selection.h"
#include "dialects/pd/loss/Kernels.h"
#include "dialects/pd/math/BinaryOps.h"
#include "dialects/pd/nn/RecurrentOps.h"
#include "dialects/pd/search/Tables.h"
#include "dialects/pd/sequence/Attention.h"
#include "dialects/pd/sequence/Labels.h"
#include "dialects/pd/sequence/Recurrent.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// What becomes of an operand or result.
enum class Role : uint8_t {
  First,   ///< its first dimension counts samples or rows: the examples' stand one after the other
  Second,  ///< its second one does
  Shared,  ///< it must be, or is, the same for all examples
  Offsets, ///< where the sequences of the first operand begin
  Count,   ///< how many samples an example has
};

int64_t axisOf(Role role) { return role == Role::Second ? 1 : 0; }

/// [examples, ...] with the examples joined to a dimension of what is behind them.
Expression joinedAt(TensorBuilder &e, Expression x, int64_t axis) {
  SmallVector<int64_t> order;
  for (int64_t d = 1; d <= axis; ++d)
    order.push_back(d);
  order.push_back(0);
  for (int64_t d = axis + 1; d < x.rank(); ++d)
    order.push_back(d);
  Expression moved = axis == 0 ? x : e.transpose(x, order);
  SmallVector<Extent> shape = extentsOf(moved);
  shape[axis] = multiply(e, shape[axis], shape[axis + 1]);
  shape.erase(shape.begin() + axis + 1);
  return reshapeTo(moved, shape);
}

/// The reverse; `own` is the extent for one example.
Expression separatedAt(TensorBuilder &e, Expression x, int64_t axis, const Extent &examples,
                       const Extent &own) {
  SmallVector<Extent> shape = extentsOf(x);
  shape[axis] = own;
  shape.insert(shape.begin() + axis, examples);
  Expression parts = reshapeTo(x, shape);
  if (axis == 0)
    return parts;
  SmallVector<int64_t> order{axis};
  for (int64_t d = 0; d < parts.rank(); ++d)
    if (d != axis)
      order.push_back(d);
  return e.transpose(parts, order);
}

/// The offsets of the sequences of all examples, each of which has `rows` rows.
Expression joinedOffsets(TensorBuilder &e, Expression offsets, const Extent &examples, const Extent &rows) {
  Expression count = e.wrap(rows.getValue(e));
  Expression numbers = insertDim(iota(e, examples, e.getBuilder().getI64Type()), 1);
  Expression each = slice(offsets, offsets.rank() - 1, 0, -1) + numbers * count;
  Expression end = e.reshape(e.wrap(multiply(e, examples, rows).getValue(e)), {1});
  return concat({e.reshape(each, {-1}), end}, 0);
}

class SampleJoiner {
public:
  SampleJoiner(Batcher &batcher, Operation *op)
      : batcher(batcher), op(op), e(batcher.builder, op), examples(batcher.examples(e)) {}

  /// Failure where a shared operand differs from example to example, or how many rows there are is not known
  /// by any of the two extents.
  BatchedResults join(ArrayRef<Role> operands, ArrayRef<Role> results) {
    if (!canJoin(operands, results))
      return failure();
    SmallVector<Value> given;
    for (auto [operand, role] : llvm::zip(op->getOperands(), operands))
      given.push_back(joined(operand, role));
    Operation *made = batcher.builder.clone(*op);
    made->setOperands(given);
    SmallVector<Batched> all;
    for (auto [result, role] : llvm::zip(made->getResults(), results))
      all.push_back(separated(result, role));
    return all;
  }

private:
  bool canJoin(ArrayRef<Role> operands, ArrayRef<Role> results) {
    for (auto [operand, role] : llvm::zip(op->getOperands(), operands))
      if (role == Role::Shared && batcher.isBatched(operand))
        return false;
    return llvm::all_of(llvm::zip(op->getResults(), results), [&](auto entry) {
      auto [result, role] = entry;
      bool isSplit = role == Role::First || role == Role::Second;
      return !isSplit || examples.isKnown() ||
             !cast<RankedTensorType>(result.getType()).isDynamicDim(static_cast<unsigned>(axisOf(role)));
    });
  }

  Value joined(Value operand, Role role) {
    if (role == Role::Shared)
      return batcher.plain(operand);
    if (role != Role::Offsets)
      return joinedAt(e, e.wrap(batcher.batched(operand)), axisOf(role));
    Extent rows(e.wrap(batcher.batched(op->getOperand(0))), 1);
    return joinedOffsets(e, e.wrap(batcher.either(operand)), examples, rows);
  }

  Batched separated(Value result, Role role) {
    if (role == Role::Shared)
      return Batched(result, false);
    if (role == Role::Count) {
      Extent own(e.wrap(batcher.batched(op->getOperand(0))), 1);
      return Batched(e.reshape(e.wrap(own.getValue(e)), {1}), false);
    }
    auto type = cast<RankedTensorType>(result.getType());
    int64_t axis = axisOf(role), one = type.getDimSize(static_cast<unsigned>(axis));
    SmallVector<int64_t> shape(type.getShape());
    bool isKnown = examples.isKnown() && !ShapedType::isDynamic(one);
    shape[static_cast<size_t>(axis)] = isKnown ? one * examples.getNumber() : ShapedType::kDynamic;
    result.setType(type.clone(shape));
    Expression whole = e.wrap(result);
    Extent own =
        ShapedType::isDynamic(one) ? divide(e, Extent(whole, axis), examples.getNumber()) : Extent(one);
    return Batched(separatedAt(e, whole, axis, examples, own));
  }

  Batcher &batcher;
  Operation *op;
  TensorBuilder e;
  Extent examples;
};

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
