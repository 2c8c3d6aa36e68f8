#include "passes/fuse/AttentionPositions.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace proa {
namespace {

/// The least and the greatest element of a tensor.
struct Bounds {
  double least, greatest;

  static Bounds of(ArrayRef<double> numbers) {
    return {*llvm::min_element(numbers), *llvm::max_element(numbers)};
  }
};

/// The bounds of a tensor that is computed of constants, as the biases of ALiBi are. Empty if it is not, or
/// has numbers that are not finite.
std::optional<Bounds> boundsOf(Value value, unsigned depth = 0) {
  constexpr unsigned mostDepth = 16;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    SmallVector<double> numbers;
    if (isa<FloatType>(constant.getElementType()))
      for (const APFloat &own : constant.getValues<APFloat>())
        numbers.push_back(own.convertToDouble());
    else if (constant.getElementType().isSignlessInteger() && !constant.getElementType().isInteger(1))
      for (const APInt &own : constant.getValues<APInt>())
        numbers.push_back(static_cast<double>(own.getSExtValue()));
    bool areFinite = llvm::all_of(numbers, [](double own) { return std::isfinite(own); });
    return areFinite && !numbers.empty() ? std::optional(Bounds::of(numbers)) : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  if (!op || depth == mostDepth)
    return std::nullopt;
  SmallVector<Bounds> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Bounds> own = boundsOf(operand, depth + 1);
    if (!own)
      return std::nullopt;
    operands.push_back(*own);
  }
  if (isa<pd::CastOp, pd::ReshapeOp, pd::UnsqueezeOp, pd::ExpandOp, pd::TransposeOp, pd::AssignOp>(op))
    return operands[0];
  auto [least, greatest] = operands[0];
  if (auto scale = dyn_cast<pd::ScaleOp>(op); scale && operands.size() == 1) {
    double factor = scale.getScale().convertToDouble(), bias = scale.getBias().convertToDouble();
    double offset = scale.getBiasAfterScale() ? bias : factor * bias;
    return Bounds::of({factor * least + offset, factor * greatest + offset});
  }
  if (isa<pd::AbsOp>(op))
    return Bounds::of({least > 0 ? least : 0, std::max(std::abs(least), std::abs(greatest))});
  if (operands.size() != 2)
    return std::nullopt;
  Bounds other = operands[1];
  if (isa<pd::AddOp>(op))
    return Bounds{least + other.least, greatest + other.greatest};
  if (isa<pd::SubtractOp>(op))
    return Bounds{least - other.greatest, greatest - other.least};
  if (isa<pd::MinimumOp>(op))
    return Bounds{std::min(least, other.least), std::min(greatest, other.greatest)};
  if (isa<pd::MaximumOp>(op))
    return Bounds{std::max(least, other.least), std::max(greatest, other.greatest)};
  if (isa<pd::MultiplyOp>(op))
    return Bounds::of(
        {least * other.least, least * other.greatest, greatest * other.least, greatest * other.greatest});
  return std::nullopt;
}

/// A mask of `forward`, and which keys it excludes if it is of positions.
struct Candidate {
  AttentionMask mask;
  std::optional<KeyRange> range;
  double excluded = 0; ///< the number that it adds to scores or, a condition, selects for them
  bool isTaken = false;

  bool isWindow() const { return range && range->limits.empty(); }
  bool isLimit() const { return range && !range->left && !range->right && range->limits.size() == 1; }
  bool isInfinite() const { return excluded == -std::numeric_limits<double>::infinity(); }
};

class PositionTaker {
public:
  PositionTaker(AttentionForward &forward, ArrayRef<int64_t> scores, PositionKinds kinds)
      : forward(forward), scores(scores), kinds(kinds), offset(scores[3] - scores[2]) {}

  AttentionPositions take() {
    for (const AttentionMask &mask : forward.masks)
      add(mask);
    for (Candidate &own : candidates)
      takeWindow(own);
    for (Candidate &own : candidates)
      takeLimits(own);
    forward.masks.clear();
    for (const Candidate &own : candidates)
      if (!own.isTaken)
        forward.masks.push_back(own.mask);
    return positions;
  }

private:
  AttentionForward &forward;
  ArrayRef<int64_t> scores;
  PositionKinds kinds;
  int64_t offset; ///< of the position of a query among the keys
  SmallVector<Candidate> candidates;
  AttentionPositions positions;

  /// An addend that is a sum becomes several, if one of them is of positions.
  void add(AttentionMask mask) {
    while (auto expand = mask.value.getDefiningOp<pd::ExpandOp>()) // to the heads: masks broadcast
      mask.value = expand.getX();
    auto sum = mask.value.getDefiningOp<pd::AddOp>();
    if (sum && !mask.isCondition() && !positionMaskOf(mask.value) &&
        (hasPositions(sum.getX()) || hasPositions(sum.getY()))) {
      add({sum.getX(), mask.masked, mask.factor});
      add({sum.getY(), mask.masked, mask.factor});
      return;
    }
    candidates.push_back(candidateOf(mask));
  }

  static bool hasPositions(Value addend) {
    auto sum = addend.getDefiningOp<pd::AddOp>();
    return positionMaskOf(addend) || (sum && (hasPositions(sum.getX()) || hasPositions(sum.getY())));
  }

  Candidate candidateOf(const AttentionMask &mask) const {
    constexpr double greatest = -1e4; // whose weight is zero, and so are weights of larger negative numbers
    Candidate own{mask, {}};
    auto isRange = [&](const PositionMask &form) {
      return mask.isCondition() ? (form.inside != 0) == mask.kept && (form.outside != 0) != mask.kept
                                : form.inside * mask.factor == 0;
    };
    std::optional<PositionMask> form = positionMaskOf(mask.value);
    if (form && !isRange(*form))
      form = complementOf(*form);
    if (!form || !isRange(*form))
      return own;
    own.excluded = mask.isCondition() ? mask.fill : form->outside * mask.factor;
    const KeyRange &range = form->range;
    bool hasWindow = range.left || range.right;
    bool isOfScores =
        range.keyDim == 0 && (!hasWindow || range.queryDim == 1) &&
        llvm::all_of(range.limits, [&](const KeyLimit &limit) { return isOfBatches(mask, limit); });
    if (isOfScores && own.excluded <= greatest)
      own.range = range;
    return own;
  }

  /// Whether there is one length for each batch.
  bool isOfBatches(const AttentionMask &mask, const KeyLimit &limit) const {
    constexpr unsigned batchDim = 3;
    bool isWhole = pd::tensorType(mask.masked).getShape() == scores;
    return !limit.dim || (isWhole && *limit.dim == batchDim);
  }

  /// Whether a window has the position of each query, which has a key there.
  bool hasPosition(const KeyRange &range) const {
    return offset >= 0 && range.right.value_or(offset) >= offset && range.left.value_or(-offset) >= -offset;
  }

  /// Whether no number that other masks add is near to the one that this mask has for excluded keys. Windows
  /// have the key of each query's position, and lengths that are not zero have the first key.
  bool isLowest(const Candidate &own, bool hasFirstKey) const {
    return llvm::all_of(candidates, [&](const Candidate &other) {
      if (&other == &own || (other.isWindow() && hasPosition(*other.range)))
        return true;
      if (other.isLimit())
        return hasFirstKey && !own.mask.isCondition();
      std::optional<Bounds> bounds = other.mask.isCondition() ? std::nullopt : boundsOf(other.mask.value);
      if (!bounds)
        return false;
      double a = bounds->least * other.mask.factor, b = bounds->greatest * other.mask.factor;
      return std::min(a, b) >= own.excluded / 2 && std::abs(a - b) <= -own.excluded / 2;
    });
  }

  /// Whether the op has such a window, or lengths.
  bool hasKind(const KeyRange &range) const {
    return kinds == PositionKinds::All ||
           (offset == 0 && !range.left && range.right == 0 && range.limits.empty());
  }

  void takeWindow(Candidate &own) {
    if (!own.isWindow() || !hasPosition(*own.range) || !hasKind(*own.range) ||
        (!own.isInfinite() && !isLowest(own, /*hasFirstKey=*/!own.range->left)))
      return;
    own.isTaken = true;
    takeWindow(*own.range);
  }

  void takeWindow(const KeyRange &range) {
    auto bound = [](std::optional<int64_t> &to, std::optional<int64_t> own) {
      if (own)
        to = to ? std::min(*to, *own) : *own;
    };
    bound(positions.left, range.left ? std::optional(*range.left + offset) : std::nullopt);
    bound(positions.right, range.right ? std::optional(*range.right - offset) : std::nullopt);
  }

  /// With minus infinity a sequence without keys has no numbers either way. With another number its mask
  /// stays.
  void takeLimits(Candidate &own) {
    if (!own.range || own.isTaken || own.range->limits.size() != 1 || positions.lengths ||
        !hasKind(*own.range))
      return;
    bool hasWindow = own.range->left || own.range->right;
    if (own.isInfinite() && (!hasWindow || hasPosition(*own.range))) {
      own.isTaken = true;
      takeWindow(*own.range);
    } else if (hasWindow || !hasFirstKeys() || !isLowest(own, /*hasFirstKey=*/false)) {
      return;
    } else {
      positions.areLengthsPositive = true;
    }
    positions.lengths = own.range->limits[0];
  }

  /// Whether each query may use the first key.
  bool hasFirstKeys() const {
    return !positions.left && llvm::all_of(candidates, [](const Candidate &other) {
      return !other.isWindow() || !other.range->left;
    });
  }
};

} // namespace

AttentionPositions takePositions(AttentionForward &forward, ArrayRef<int64_t> scores, PositionKinds kinds) {
  if (ShapedType::isDynamicShape(scores))
    return {};
  return PositionTaker(forward, scores, kinds).take();
}

} // namespace proa
