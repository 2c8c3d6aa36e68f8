//! Sharding of attention: batch, heads and the sequence, over which devices exchange keys and values.
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ops/attention/FusedAttentionFormula.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/sharding/LocalForm.h"

#include <limits>

using namespace mlir;

namespace proa::pd {
namespace {

constexpr int64_t dim = rowOfAttention;

/// The indices of the masks in the operands of an op.
using MaskIndices = SmallVector<unsigned, 2>;

/// The operands of both ops, on one device, and how the sequence is split.
class SequenceShards {
public:
  SequenceShards(LocalFormBuilder &form, MaskIndices masks, unsigned factor)
      : form(form), masks(std::move(masks)), factor(factor), size(form.globalDim(1, dim)) {}

  Value q() const { return form.operand(0); }
  Value k() const { return form.operand(1); }
  Value v() const { return form.operand(2); }
  int64_t shardCount() const { return form.shardCount(factor); }

  /// Whether a ring is possible: messages have one size, and all devices have the same types.
  bool isEven() const {
    return size % shardCount() == 0 && llvm::all_of(ArrayRef<Value>{q(), k(), v()}, [](Value value) {
             return tensorType(value).hasStaticShape();
           });
  }
  Value gathered(Value local) { return form.gather(local, dim, factor, size); }
  Value next(Value local) { return form.next(local, factor); }
  /// The device's shard of the sum of the values of all devices.
  Value scattered(Value whole) { return form.reduceScatter(whole, dim, factor, size); }

  /// The op, on the keys and values of another device in step `step` of the ring, from the shard `step`
  /// after its own. Null if inference refuses the types.
  Operation *onShard(Value k, Value v, int64_t step) {
    SmallVector<Value> operands;
    for (unsigned i = 0; i < form.op()->getNumOperands(); ++i)
      operands.push_back(i == 1                         ? k
                         : i == 2                       ? v
                         : llvm::is_contained(masks, i) ? maskOf(form.operand(i), step)
                                                        : form.operand(i));
    Operation *own = form.getBuilder().clone(*form.op());
    own->setOperands(operands);
    cast<RingOpInterface>(own).setUsesRing(false);
    return succeeded(inferAgain(own)) ? own : nullptr;
  }

private:
  /// A mask of the keys of the shard that is `step` shards after the device's own. Devices have masks of all
  /// keys, which one collective gathers for all layers: a shard that travels would be a message more a step.
  Value maskOf(Value whole, int64_t step) {
    SmallVector<int64_t> begins, ends, dims(tensorType(whole).getShape());
    if (dims.back() == 1)
      return whole;
    dims.back() = size / shardCount();
    for (int64_t shard = 0; shard < shardCount(); ++shard) {
      begins.push_back((shard + step) % shardCount() * dims.back());
      ends.push_back(begins.back() + dims.back());
    }
    OpBuilder &builder = form.getBuilder();
    TensorBuilder e(builder, form.op());
    Value first = e.reshape(e.wrap(form.byShard(factor, begins)), {1}),
          last = e.reshape(e.wrap(form.byShard(factor, ends)), {1});
    auto none = builder.getDenseI64ArrayAttr({});
    Value columns = SliceOp::create(builder, form.op()->getLoc(), whole, first, last, Value(),
                                    builder.getDenseI64ArrayAttr({elementOfAttention}), none, none, none);
    return e.reshape(e.wrap(columns), dims);
  }

  LocalFormBuilder &form;
  MaskIndices masks;
  unsigned factor;
  int64_t size;
};

/// Attention to the keys so far: the results of pd.fused_attention in the type of computations.
struct Partial {
  Expression out, maximum, sum;
};

/// Attention to the keys of two shards. Where all scores of a shard are -inf, it has no weight.
Partial combined(const Partial &a, const Partial &b) {
  TensorBuilder &e = a.out.owner();
  Expression maximum = e.maximum(a.maximum, b.maximum);
  auto isNothing = [](Expression value) { return value < -std::numeric_limits<float>::max(); };
  Expression shift = e.select(isNothing(maximum), 0.0, maximum);
  auto weight = [&](const Partial &term) {
    return e.select(isNothing(term.maximum), 0.0, term.sum * e.exp(term.maximum - shift));
  };
  auto column = [](Expression value) { return insertDim(value, elementOfAttention); };
  auto weighted = [&](const Partial &term, Expression own) {
    return e.select(column(isNothing(term.maximum)), 0.0, term.out) * column(own);
  };
  Expression ofA = weight(a), ofB = weight(b), sum = ofA + ofB;
  return {(weighted(a, ofA) + weighted(b, ofB)) / column(sum), maximum, sum};
}

SmallVector<Value> resultsOf(Operation *op) { return SmallVector<Value>(op->getResults()); }

/// The operands of an op with its own queries and the keys and values of all devices.
SmallVector<Value> withGathered(LocalFormBuilder &form, SequenceShards &sequence) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < form.op()->getNumOperands(); ++i)
    operands.push_back(i == 1 || i == 2 ? sequence.gathered(form.operand(i)) : form.operand(i));
  return operands;
}

template <class Op> MaskIndices masksOf(Op op) {
  MaskIndices masks;
  for (MutableOperandRange mask : {op.getMaskMutable(), op.getKeyMaskMutable()})
    for (OpOperand &operand : mask)
      masks.push_back(operand.getOperandNumber());
  return masks;
}

/// Each device computes the rows of its queries.
FailureOr<SmallVector<Value>> attentionOfShard(LocalFormBuilder &form) {
  auto op = cast<FusedAttentionOp>(form.op());
  std::optional<unsigned> factor = form.splitFactor(0, dim);
  if (!factor)
    return failure();
  SequenceShards sequence(form, masksOf(op), *factor);
  if (!op.getRing() || !sequence.isEven()) {
    Operation *own = form.cloneOn(withGathered(form, sequence));
    if (!own)
      return failure();
    return resultsOf(own);
  }
  TensorBuilder e(form.getBuilder(), op);
  std::optional<Partial> sofar;
  Value k = sequence.k(), v = sequence.v();
  for (int64_t step = 0; step < sequence.shardCount(); ++step) {
    bool isLast = step + 1 == sequence.shardCount();
    // On their way while the device uses its own.
    Value nextKeys = isLast ? Value() : sequence.next(k), nextValues = isLast ? Value() : sequence.next(v);
    auto own = cast_or_null<FusedAttentionOp>(sequence.onShard(k, v, step));
    if (!own)
      return failure();
    Partial term{e.computed(own.getOut()), e.wrap(own.getMaximum()), e.wrap(own.getSum())};
    sofar = sofar ? combined(*sofar, term) : term;
    k = nextKeys;
    v = nextValues;
  }
  return e.results({sofar->out, sofar->maximum, sofar->sum});
}

/// Each device has the gradient of its queries, and adds to the gradients of keys and values, which follow.
FailureOr<SmallVector<Value>> gradientOfShard(LocalFormBuilder &form) {
  auto op = cast<FusedAttentionGradOp>(form.op());
  std::optional<unsigned> factor = form.splitFactor(0, dim);
  if (!factor)
    return failure();
  SequenceShards sequence(form, masksOf(op), *factor);
  if (!op.getRing() || !sequence.isEven()) {
    Operation *own = form.cloneOn(withGathered(form, sequence));
    if (!own)
      return failure();
    return SmallVector<Value>{own->getResult(0), sequence.scattered(own->getResult(1)),
                              sequence.scattered(own->getResult(2))};
  }
  TensorBuilder e(form.getBuilder(), op);
  Value k = sequence.k(), v = sequence.v();
  std::optional<Expression> ofQueries, ofKeys, ofValues;
  auto add = [&](std::optional<Expression> &sum, Value term) {
    sum = sum ? *sum + e.computed(term) : e.computed(term);
  };
  for (int64_t step = 0; step < sequence.shardCount(); ++step) {
    bool isLast = step + 1 == sequence.shardCount();
    Value nextKeys = isLast ? Value() : sequence.next(k), nextValues = isLast ? Value() : sequence.next(v);
    // With the statistics of all keys, the op computes the terms of these.
    auto own = cast_or_null<FusedAttentionGradOp>(sequence.onShard(k, v, step));
    if (!own)
      return failure();
    add(ofQueries, own.getQGrad());
    add(ofKeys, own.getKGrad());
    add(ofValues, own.getVGrad());
    // After the last step the sums of a shard are at the device before its own.
    ofKeys = e.wrap(sequence.next(*ofKeys));
    ofValues = e.wrap(sequence.next(*ofValues));
    k = nextKeys;
    v = nextValues;
  }
  return e.results({*ofQueries, *ofKeys, *ofValues});
}

/// Whether the dims of all tensors are in their order, and no attribute depends on where a query is in the
/// sequence. Other uses are split as their formula.
bool isPlain(FusedAttentionOpInterface op) {
  auto inOrder = [](ArrayRef<int64_t> permutation) { return permutation.empty(); };
  return llvm::all_of(ArrayRef<ArrayRef<int64_t>>{op.getQPermutation(), op.getKPermutation(),
                                                  op.getVPermutation(), op.getOutPermutation()},
                      inOrder) &&
         !op.getCausal() && !windowOf(op.getLeftWindow()) && !windowOf(op.getRightWindow()) &&
         !op.getKeyLengths() && !op.getDropoutCall() &&
         tensorType(op.getQ()).getDimSize(headOfAttention) ==
             tensorType(op.getK()).getDimSize(headOfAttention);
}

/// Batch and heads, and the sequence: of queries and keys together if they may be the same one.
class AttentionRule {
public:
  AttentionRule(ShardingRuleBuilder &rule, MaskIndices masks, bool isGradient)
      : rule(rule), masks(std::move(masks)), isGradient(isGradient) {}

  void describe(LocalForm form) {
    RankedTensorType q = rule.operandType(0), k = rule.operandType(1);
    split(batchOfAttention, FactorKind::PassThrough);
    split(headOfAttention, FactorKind::PassThrough);
    bool isSelfAttention = !q.isDynamicDim(dim) && q.getDimSize(dim) == k.getDimSize(dim);
    if (isSelfAttention) {
      split(dim, FactorKind::Replicated);
      rule.splitByLocalForm(0, dim, form);
    } else if (!isGradient) {
      split(dim, FactorKind::PassThrough);
    }
  }

private:
  /// Gives a factor to the dimension of the scores, and to the same dimension of all tensors.
  void split(int64_t position, FactorKind kind) {
    int64_t size = rule.operandType(0).getDimSize(static_cast<unsigned>(position));
    bool isOfAll = position < dim || kind == FactorKind::Replicated; // queries, keys and values
    unsigned factor = kind == FactorKind::Replicated
                          ? rule.addWholeFactor(size, "each query attends to all keys")
                          : rule.addFactor(size, kind);
    for (unsigned operand = 0; operand < rule.op()->getNumOperands(); ++operand) {
      bool isOfKeys = operand == 1 || operand == 2;
      bool isShared = llvm::is_contained(masks, operand)
                          ? rule.operandType(operand).getDimSize(static_cast<unsigned>(position)) != 1
                          : isOfAll || !isOfKeys;
      if (isShared)
        rule.setOperand(operand, position, factor);
    }
    for (unsigned result = 0; result < rule.op()->getNumResults(); ++result)
      if (isOfAll || !isGradient || result == 0)
        rule.setResult(result, position, factor);
  }

  ShardingRuleBuilder &rule;
  MaskIndices masks;
  bool isGradient;
};

/// The number of scores; 0 if a dim is not known.
double scoresOf(const AttentionOperands &operands) {
  SmallVector<int64_t> q = operands.q.shape(), k = operands.k.shape();
  if (ShapedType::isDynamicShape(q) || ShapedType::isDynamicShape(k))
    return 0;
  double scores = 1;
  for (int64_t size : {q[batchOfAttention], q[headOfAttention], q[rowOfAttention], k[rowOfAttention]})
    scores *= static_cast<double>(size);
  return scores;
}

/// Multiplications and additions of products with rows of the heads and of the values.
double productsOf(const AttentionOperands &operands, double ofHeads, double ofValues) {
  return scoresOf(operands) * 2 *
         (ofHeads * static_cast<double>(operands.q.shape()[elementOfAttention]) +
          ofValues * static_cast<double>(operands.v.shape()[elementOfAttention]));
}

} // namespace

SmallVector<unsigned> FusedAttentionOp::getTravellingOperands() { return {1, 2}; }
SmallVector<unsigned> FusedAttentionOp::getTravellingResults() { return {}; }
double FusedAttentionOp::getOperations() { return productsOf(AttentionOperands::of(*this), 1, 1); }
double FusedAttentionOp::getInnerElements() { return scoresOf(AttentionOperands::of(*this)); }
void FusedAttentionOp::setUsesRing(bool ring) { setRingAttr(BoolAttr::get(getContext(), ring)); }

SmallVector<unsigned> FusedAttentionGradOp::getTravellingOperands() { return {1, 2}; }
SmallVector<unsigned> FusedAttentionGradOp::getTravellingResults() { return {1, 2}; }
double FusedAttentionGradOp::getOperations() { return productsOf(AttentionOperands::of(*this), 3, 2); }
double FusedAttentionGradOp::getInnerElements() { return scoresOf(AttentionOperands::of(*this)); }
void FusedAttentionGradOp::setUsesRing(bool ring) { setRingAttr(BoolAttr::get(getContext(), ring)); }

bool FusedAttentionOp::describeSharding(ShardingRuleBuilder &rule) {
  if (!isPlain(*this))
    return false;
  AttentionRule(rule, masksOf(*this), /*isGradient=*/false).describe(attentionOfShard);
  return true;
}

bool FusedAttentionGradOp::describeSharding(ShardingRuleBuilder &rule) {
  if (!isPlain(*this))
    return false;
  AttentionRule(rule, masksOf(*this), /*isGradient=*/true).describe(gradientOfShard);
  return true;
}

} // namespace proa::pd
