//! Sharding of attention: batch, heads and the sequence, over which devices exchange keys and values.
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/nn/ScaledAttention.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/sharding/LocalForm.h"

#include <limits>

using namespace mlir;

namespace proa::pd {
namespace {

/// The operands of both ops, on one device, and how the sequence is split.
class SequenceParts {
public:
  SequenceParts(LocalFormBuilder &form, Value bias, unsigned factor)
      : form(form), bias(bias), factor(factor), dim(rankOf(form.operand(0)) - 2),
        size(form.globalDim(1, dim)) {}

  Value q() const { return form.operand(0); }
  Value k() const { return form.operand(1); }
  Value v() const { return form.operand(2); }
  int64_t parts() const { return form.partsOf(factor); }

  /// Whether a ring is possible: messages have one size, and the types are those of all devices.
  bool isEven() const {
    return size % parts() == 0 && llvm::all_of(ArrayRef<Value>{q(), k(), v()}, [](Value value) {
             return tensorType(value).hasStaticShape();
           });
  }
  Value gathered(Value local) { return form.gather(local, dim, factor, size); }
  Value next(Value local) { return form.next(local, factor); }
  /// The device's part of the sum of the values of all devices.
  Value scattered(Value whole) { return form.reduceScatter(whole, dim, factor, size); }

  /// The bias for the keys that the device has in a step of the ring: those of the part `step` after its own.
  Value biasOf(int64_t step) {
    if (!bias || tensorType(bias).getShape().back() == 1)
      return bias;
    SmallVector<int64_t> begins, ends, dims(tensorType(bias).getShape());
    dims.back() = size / parts();
    for (int64_t part = 0; part < parts(); ++part) {
      begins.push_back((part + step) % parts() * dims.back());
      ends.push_back(begins.back() + dims.back());
    }
    OpBuilder &builder = form.getBuilder();
    Location location = form.op()->getLoc();
    TensorBuilder e(builder, form.op());
    Value first = e.reshape(e.wrap(form.byPart(factor, begins)), {1}),
          last = e.reshape(e.wrap(form.byPart(factor, ends)), {1});
    auto none = builder.getDenseI64ArrayAttr({});
    Value columns = SliceOp::create(builder, location, bias, first, last, Value(),
                                    builder.getDenseI64ArrayAttr({rankOf(bias) - 1}), none, none, none);
    return e.reshape(e.wrap(columns), dims);
  }

private:
  static int64_t rankOf(Value value) { return tensorType(value).getRank(); }

  LocalFormBuilder &form;
  Value bias;
  unsigned factor;
  int64_t dim, size;
};

/// Attention to the keys so far: the results of pd.attention in the type of computations.
struct Partial {
  Expression out, maximum, sum;
};

/// Attention to the keys of two parts. Where all scores of a part are -inf, it has no weight.
Partial combined(const Partial &a, const Partial &b) {
  TensorBuilder &e = a.out.owner();
  Expression maximum = e.maximum(a.maximum, b.maximum);
  auto isNothing = [](Expression value) { return value < -std::numeric_limits<float>::max(); };
  Expression shift = e.select(isNothing(maximum), 0.0, maximum);
  auto weight = [&](const Partial &part) {
    return e.select(isNothing(part.maximum), 0.0, part.sum * e.exp(part.maximum - shift));
  };
  auto weighted = [&](const Partial &part, Expression own) {
    return e.select(isNothing(part.maximum), 0.0, part.out) * own;
  };
  Expression ofA = weight(a), ofB = weight(b), sum = ofA + ofB;
  return {(weighted(a, ofA) + weighted(b, ofB)) / sum, maximum, sum};
}

SmallVector<Value> resultsOf(Operation *op) { return SmallVector<Value>(op->getResults()); }

/// The operands of an op with its own queries and the keys and values of all devices.
SmallVector<Value> withGathered(LocalFormBuilder &form, SequenceParts &sequence) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < form.op()->getNumOperands(); ++i)
    operands.push_back(i == 1 || i == 2 ? sequence.gathered(form.operand(i)) : form.operand(i));
  return operands;
}

/// Each device computes the rows of its queries.
FailureOr<SmallVector<Value>> attentionOfPart(LocalFormBuilder &form) {
  auto op = cast<AttentionOp>(form.op());
  std::optional<unsigned> factor = form.splitFactor(0, tensorType(op.getQ()).getRank() - 2);
  if (!factor)
    return failure();
  SequenceParts sequence(form, op.getBias() ? form.operand(3) : Value(), *factor);
  if (!op.getRing() || !sequence.isEven()) {
    Operation *own = form.cloneOn(withGathered(form, sequence));
    if (!own)
      return failure();
    return resultsOf(own);
  }
  TensorBuilder e(form.getBuilder(), op);
  std::optional<Partial> sofar;
  Value k = sequence.k(), v = sequence.v();
  for (int64_t step = 0; step < sequence.parts(); ++step) {
    bool isLast = step + 1 == sequence.parts();
    // On their way while the device uses its own.
    Value nextKeys = isLast ? Value() : sequence.next(k), nextValues = isLast ? Value() : sequence.next(v);
    auto own = AttentionOp::create(form.getBuilder(), op.getLoc(), sequence.q(), k, v, sequence.biasOf(step),
                                   op.getScaleAttr(), /*ring=*/form.getBuilder().getBoolAttr(false));
    Partial part{e.computed(own.getOut()), e.wrap(own.getMaximum()), e.wrap(own.getSum())};
    sofar = sofar ? combined(*sofar, part) : part;
    k = nextKeys;
    v = nextValues;
  }
  return e.results({sofar->out, sofar->maximum, sofar->sum});
}

/// Each device has the gradient of its queries, and adds to those of keys and values, which follow these.
FailureOr<SmallVector<Value>> gradientOfPart(LocalFormBuilder &form) {
  auto op = cast<AttentionGradOp>(form.op());
  std::optional<unsigned> factor = form.splitFactor(0, tensorType(op.getQ()).getRank() - 2);
  if (!factor)
    return failure();
  unsigned next = op.getBias() ? 4 : 3;
  SequenceParts sequence(form, op.getBias() ? form.operand(3) : Value(), *factor);
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
  for (int64_t step = 0; step < sequence.parts(); ++step) {
    bool isLast = step + 1 == sequence.parts();
    Value nextKeys = isLast ? Value() : sequence.next(k), nextValues = isLast ? Value() : sequence.next(v);
    // With the statistics of all keys, the op computes the terms of these.
    auto own = AttentionGradOp::create(form.getBuilder(), op.getLoc(), sequence.q(), k, v,
                                       sequence.biasOf(step), form.operand(next), form.operand(next + 1),
                                       form.operand(next + 2), form.operand(next + 3), op.getScaleAttr(),
                                       /*ring=*/form.getBuilder().getBoolAttr(false));
    add(ofQueries, own.getQGrad());
    add(ofKeys, own.getKGrad());
    add(ofValues, own.getVGrad());
    // After the last step the sums of a part are at the device before its own.
    ofKeys = e.wrap(sequence.next(*ofKeys));
    ofValues = e.wrap(sequence.next(*ofValues));
    k = nextKeys;
    v = nextValues;
  }
  return e.results({*ofQueries, *ofKeys, *ofValues});
}

double lastDim(Value value) { return static_cast<double>(tensorType(value).getShape().back()); }

/// The number of scores; 0 if a dim is not known.
double innerElements(Value q, Value k) {
  RankedTensorType queries = tensorType(q), keys = tensorType(k);
  if (!queries.hasStaticShape() || !keys.hasStaticShape())
    return 0;
  return static_cast<double>(queries.getNumElements()) / lastDim(q) *
         static_cast<double>(keys.getDimSize(keys.getRank() - 2));
}

/// Batch dimensions, and the sequence: of queries and keys together if they may be the same one.
void describe(ShardingRuleBuilder &rule, bool hasBias, bool isGradient, LocalForm form) {
  RankedTensorType q = rule.operandType(0), k = rule.operandType(1);
  int64_t rank = q.getRank();
  auto operands = static_cast<unsigned>(rule.op()->getNumOperands());
  auto results = static_cast<unsigned>(rule.op()->getNumResults());
  /// Gives the dimension of the scores, and those of the same place in all tensors, a factor.
  auto split = [&](int64_t dim, FactorKind kind) {
    unsigned factor = kind == FactorKind::Replicated
                          ? rule.addWholeFactor(q.getDimSize(dim), "each query attends to all keys")
                          : rule.addFactor(q.getDimSize(dim), kind);
    for (unsigned operand = 0; operand < operands; ++operand) {
      bool isBias = hasBias && operand == 3, isOfKeys = operand == 1 || operand == 2;
      int64_t own = isBias ? dim - (rank - rule.operandType(3).getRank()) : dim;
      bool isShared = isBias ? own >= 0 && rule.operandType(3).getDimSize(own) != 1
                             : dim < rank - 2 || kind == FactorKind::Replicated || !isOfKeys;
      if (isShared)
        rule.setOperand(operand, own, factor);
    }
    for (unsigned result = 0; result < results; ++result)
      if (dim < rank - 2 || kind == FactorKind::Replicated || !isGradient || result == 0)
        rule.setResult(result, dim, factor);
    return factor;
  };
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    split(dim, FactorKind::PassThrough);
  bool isSelfAttention = !q.isDynamicDim(rank - 2) && q.getDimSize(rank - 2) == k.getDimSize(rank - 2);
  if (isSelfAttention) {
    split(rank - 2, FactorKind::Replicated);
    rule.splitByLocalForm(0, rank - 2, form);
  } else if (!isGradient) {
    split(rank - 2, FactorKind::PassThrough);
  }
}

} // namespace

SmallVector<unsigned> AttentionOp::getTravellingOperands() { return {1, 2}; }
SmallVector<unsigned> AttentionOp::getTravellingResults() { return {}; }
double AttentionOp::getOperations() {
  return innerElements(getQ(), getK()) * (2.0 * lastDim(getQ()) + 2.0 * lastDim(getV()));
}
double AttentionOp::getInnerElements() { return innerElements(getQ(), getK()); }
void AttentionOp::setUsesRing(bool ring) { setRingAttr(BoolAttr::get(getContext(), ring)); }

SmallVector<unsigned> AttentionGradOp::getTravellingOperands() { return {1, 2}; }
SmallVector<unsigned> AttentionGradOp::getTravellingResults() { return {1, 2}; }
double AttentionGradOp::getOperations() {
  return innerElements(getQ(), getK()) * (6.0 * lastDim(getQ()) + 4.0 * lastDim(getV()));
}
double AttentionGradOp::getInnerElements() { return innerElements(getQ(), getK()); }
void AttentionGradOp::setUsesRing(bool ring) { setRingAttr(BoolAttr::get(getContext(), ring)); }

bool AttentionOp::describeSharding(ShardingRuleBuilder &rule) {
  describe(rule, getBias() != nullptr, /*isGradient=*/false, attentionOfPart);
  return true;
}

bool AttentionGradOp::describeSharding(ShardingRuleBuilder &rule) {
  describe(rule, getBias() != nullptr, /*isGradient=*/true, gradientOfPart);
  return true;
}

} // namespace proa::pd
