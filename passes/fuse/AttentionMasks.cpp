#include "passes/fuse/AttentionMasks.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "passes/fuse/AttentionMatmuls.h"
#include "passes/fuse/TensorBounds.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace proa {
namespace {

constexpr size_t rankOfScores = 4;

ArrayRef<int64_t> dimsOf(Value value) { return pd::tensorType(value).getShape(); }

int64_t productOf(ArrayRef<int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies<>());
}

} // namespace

AttentionMasks::AttentionMasks(const AttentionForward &forward, ArrayRef<int64_t> scores,
                               AttentionTarget target, bool hasGradient, bool isDynamic)
    : element(getElementTypeOrSelf(forward.scores)), scores(scores), target(target), hasGradient(hasGradient),
      isDynamic(isDynamic) {
  for (const AttentionMask &mask : llvm::reverse(forward.masks))
    add(mask);
}

/// A sum of a mask of keys and another one becomes both.
void AttentionMasks::add(const AttentionMask &mask) {
  auto sum = target == AttentionTarget::Onnx || mask.isCondition() ? pd::AddOp()
                                                                   : mask.value.getDefiningOp<pd::AddOp>();
  if (sum) {
    AttentionMask x{sum.getX(), mask.masked, mask.factor}, y{sum.getY(), mask.masked, mask.factor};
    if (fits(x) && fits(y) && isOfKeys(x) != isOfKeys(y)) {
      masks.append({x, y});
      return;
    }
  }
  masks.push_back(mask);
}

/// Empty if the mask does not broadcast.
std::optional<AttentionMasks::RaisedMask> AttentionMasks::raise(const AttentionMask &mask) const {
  ArrayRef<int64_t> masked = dimsOf(mask.masked), all = scores;
  SmallVector<int64_t> own(dimsOf(mask.value));
  if (own.size() > masked.size() || ShapedType::isDynamicShape(own))
    return std::nullopt;
  own.insert(own.begin(), masked.size() - own.size(), 1);
  SmallVector<int64_t> split;
  if (masked.size() == 3 && masked[0] == all[0] * all[1]) { // batch and heads in one dim
    split.assign({all[0], all[1], masked[1], masked[2]});
    own = own[0] == 1 ? SmallVector<int64_t>{1, 1, own[1], own[2]}
                      : SmallVector<int64_t>{all[0], all[1], own[1], own[2]};
    masked = split;
  }
  RaisedMask raised{own, {}};
  size_t index = 0, batches = masked.size() - 2;
  for (int64_t size : all.take_front(2)) {
    int64_t sofar = 1;
    size_t first = index;
    for (; index < batches && (sofar < size || masked[index] == 1); ++index)
      sofar *= masked[index];
    if (sofar != size)
      return std::nullopt;
    bool isSingle =
        llvm::all_of(ArrayRef(own).slice(first, index - first), [](int64_t dim) { return dim == 1; });
    for (size_t i = first; !isSingle && i < index; ++i)
      raised.expanded[i] = masked[i];
    raised.shape.push_back(isSingle ? 1 : size);
  }
  raised.shape.append(own.end() - 2, own.end());
  bool fits = index == batches && llvm::all_of(llvm::zip(raised.shape, scores), [](auto dims) {
                return std::get<0>(dims) == 1 || std::get<0>(dims) == std::get<1>(dims);
              });
  return fits ? std::optional(raised) : std::nullopt;
}

bool AttentionMasks::fits(const AttentionMask &mask) const {
  bool broadcasts = isDynamic ? dimsOf(mask.masked).size() == rankOfScores : raise(mask).has_value();
  return broadcasts &&
         (mask.isCondition() || mask.isAdded || isa<FloatType>(getElementTypeOrSelf(mask.value)));
}

bool AttentionMasks::fit() const {
  return llvm::all_of(masks, [&](const AttentionMask &mask) { return fits(mask); });
}

/// Whether a mask is equal for all heads and queries.
bool AttentionMasks::isOfKeys(const AttentionMask &mask) const {
  SmallVector<int64_t> dims(dimsOf(mask.value));
  if (!isDynamic)
    dims = raise(mask)->shape;
  else if (dims.size() < rankOfScores)
    dims.insert(dims.begin(), rankOfScores - dims.size(), 1);
  return dims[1] == 1 && dims[2] == 1;
}

/// Whether an addend cannot replace a mask. Weights beside minus infinity are zero, and so are their
/// gradients.
bool AttentionMasks::isOnlyCondition(const AttentionMask &mask) const {
  return mask.isCondition() && ((hasGradient && !std::isinf(mask.fill)) || !mask.isAddend());
}

/// Whether the last mask is a condition that the op reads, besides a sum of the others. Masks that are all of
/// keys have a small sum, if they have one.
bool AttentionMasks::isReadAsCondition() const {
  if (target == AttentionTarget::Onnx || masks.empty() || !masks.back().isCondition())
    return false;
  ArrayRef<AttentionMask> others = ArrayRef(masks).drop_back();
  auto areOfKeys = [&](ArrayRef<AttentionMask> own) {
    return llvm::all_of(own, [&](const AttentionMask &mask) { return isOfKeys(mask); });
  };
  if (!others.empty() && areOfKeys(masks) && !isOnlyCondition(masks.back()))
    return false;
  return (areOfKeys(masks.back()) || areOfKeys(others)) &&
         llvm::none_of(others, [&](const AttentionMask &mask) { return isOnlyCondition(mask); });
}

const char *AttentionMasks::whyNot() const {
  if (isReadAsCondition() ||
      llvm::none_of(masks, [&](const AttentionMask &mask) { return isOnlyCondition(mask); }))
    return nullptr;
  if (target == AttentionTarget::Onnx)
    return hasGradient ? "a condition selects its scores, and it has a gradient"
                       : "a condition selects a number for its scores that is not below -1e30";
  return "it has other masks than a condition that selects its scores and one mask of keys";
}

/// Whether the scores are those with the sum of the masks of keys and the sum of the others. A selection that
/// replaces masks of the other kind is an addend if their numbers are too small to change its number.
bool AttentionMasks::areSeparable() const {
  constexpr double mostChange = 0x1p-25; // of a float32 number
  double ofKeys = 0, ofScores = 0;       // the greatest absolute numbers so far
  for (const AttentionMask &mask : masks) {
    double &own = isOfKeys(mask) ? ofKeys : ofScores, others = isOfKeys(mask) ? ofScores : ofKeys;
    if (mask.isCondition() && !std::isinf(mask.fill) && !(others <= -mask.fill * mostChange))
      return false;
    own += greatestOf(mask);
  }
  return target != AttentionTarget::Onnx;
}

/// The greatest absolute number that a mask gives a score; infinity if it is not known.
double AttentionMasks::greatestOf(const AttentionMask &mask) {
  if (mask.isCondition() || mask.isAdded)
    return std::abs(mask.fill);
  std::optional<TensorBounds> bounds = boundsOf(mask.value);
  return bounds ? std::max(std::abs(bounds->least), std::abs(bounds->greatest)) * std::abs(mask.factor)
                : std::numeric_limits<double>::infinity();
}

/// With dynamic dims a mask is only given leading dims.
Value AttentionMasks::raised(const AttentionMask &mask, PatternRewriter &rewriter, Operation *root) const {
  if (isDynamic) {
    int64_t missing = static_cast<int64_t>(rankOfScores - dimsOf(mask.value).size());
    if (missing == 0)
      return mask.value;
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(missing));
    return pd::UnsqueezeOp::create(rewriter, root->getLoc(), mask.value, Value(),
                                   rewriter.getDenseI64ArrayAttr(axes));
  }
  RaisedMask raised = *raise(mask);
  Value value = mask.value;
  if (productOf(raised.expanded) != productOf(dimsOf(value))) {
    pd::TensorBuilder e(rewriter, root);
    SmallVector<pd::DimSize> dims(raised.expanded.begin(), raised.expanded.end());
    value = pd::expandTo(e.wrap(value), dims);
  }
  return reshaped(rewriter, value, raised.shape);
}

/// Null without addends.
Value AttentionMasks::sumOf(ArrayRef<AttentionMask> addends, PatternRewriter &rewriter,
                            Operation *root) const {
  pd::TensorBuilder e(rewriter, root);
  Value sum;
  for (const AttentionMask &mask : addends) {
    Value addend = raised(mask, rewriter, root);
    if (mask.isAdded)
      addend = e.select(e.wrap(addend), e.constant(0.0, element), e.constant(mask.fill, element));
    if (!mask.isCondition()) {
      addend = scaledBy(rewriter, root->getLoc(), addend, mask.factor);
      sum = sum ? Value(pd::AddOp::create(rewriter, root->getLoc(), sum, addend)) : addend;
      continue;
    }
    Type type = sum ? getElementTypeOrSelf(sum) : element;
    pd::Expression before = sum ? e.wrap(sum) : e.constant(0.0, type), fill = e.constant(mask.fill, type);
    sum = mask.kept ? e.select(e.wrap(addend), before, fill) : e.select(e.wrap(addend), fill, before);
  }
  return sum;
}

AttentionMasks::Operands AttentionMasks::create(PatternRewriter &rewriter, Operation *root) const {
  ArrayRef<AttentionMask> all = masks;
  if (isReadAsCondition()) {
    const AttentionMask &last = all.back();
    Value condition = raised(last, rewriter, root), others = sumOf(all.drop_back(), rewriter, root);
    if (!last.kept)
      condition = pd::TensorBuilder(rewriter, root).create<pd::LogicalNotOp>(condition);
    if (others && isOfKeys(last))
      return {others, condition, last.fill};
    return {condition, others, last.fill};
  }
  if (!areSeparable())
    return {sumOf(all, rewriter, root), {}};
  SmallVector<AttentionMask> ofScores, ofKeys;
  for (const AttentionMask &mask : all)
    (isOfKeys(mask) ? ofKeys : ofScores).push_back(mask);
  if (ofScores.empty())
    std::swap(ofScores, ofKeys);
  return {sumOf(ofScores, rewriter, root), sumOf(ofKeys, rewriter, root)};
}

} // namespace proa
