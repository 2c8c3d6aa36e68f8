#include "passes/fuse/AttentionPositions.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimRoots.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "passes/analysis/ConstantNumber.h"
#include "passes/fuse/TensorBounds.h"

#include <cmath>

using namespace mlir;

namespace proa {
namespace {

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

pd::DimRoot queriesOf(const AttentionForward &forward) {
  return pd::dimRootOf(forward.first.x(), pd::tensorType(forward.first.x()).getRank() - 2);
}

pd::DimRoot keysOf(const AttentionForward &forward) {
  int64_t rank = pd::tensorType(forward.first.y()).getRank();
  return pd::dimRootOf(forward.first.y(), forward.first.isYTransposed ? rank - 2 : rank - 1);
}

class PositionTaker {
public:
  PositionTaker(AttentionForward &forward, ArrayRef<int64_t> scores, PositionKinds kinds)
      : forward(forward), scores(scores), kinds(kinds),
        offset(ShapedType::isDynamic(scores[2]) ? 0 : scores[3] - scores[2]) {
    for (const AttentionMask &mask : forward.masks)
      add(mask);
  }

  bool hasRanges() const {
    return llvm::any_of(candidates, [](const Candidate &own) { return own.range.has_value(); });
  }

  AttentionPositions take() {
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

  /// A mask becomes several, if one of them is of positions: the addends of a sum, or conditions that all
  /// must hold if minus infinity, added any number of times, excludes keys.
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
    std::optional<AttentionMask> condition = kinds == PositionKinds::All ? conditionOf(mask) : std::nullopt;
    Operation *both = condition ? conjunctionOf(condition->value) : nullptr;
    if (both && !positionMaskOf(condition->value) &&
        (std::isinf(condition->fill) ? hasPositionCondition(condition->value)
                                     : llvm::any_of(both->getOperands(), isTrueEverywhere))) {
      for (Value operand : both->getOperands())
        if (!isTrueEverywhere(operand))
          add({operand, mask.masked, 1, true, condition->fill, condition->isAdded});
      return;
    }
    candidates.push_back(candidateOf(mask));
  }

  static bool hasPositions(Value addend) {
    auto sum = addend.getDefiningOp<pd::AddOp>();
    return positionMaskOf(addend) || (sum && (hasPositions(sum.getX()) || hasPositions(sum.getY())));
  }

  /// A mask that selects or adds a number where a condition does not hold, as the condition; empty if it is
  /// another one. To add minus infinity is to select it.
  static std::optional<AttentionMask> conditionOf(const AttentionMask &mask) {
    if (mask.isCondition() || mask.isAdded)
      return mask.kept ? std::optional(mask) : std::nullopt;
    auto where = mask.value.getDefiningOp<pd::WhereOp>();
    std::optional<double> fill = where ? constantNumber(where.getY()) : std::nullopt;
    if (!fill || constantNumber(where.getX()) != 0.0)
      return std::nullopt;
    bool isInfinite = *fill * mask.factor == -std::numeric_limits<double>::infinity();
    return AttentionMask{where.getCondition(), mask.masked, 1, true, *fill * mask.factor, !isInfinite};
  }

  /// The op of two conditions that must both hold; null for another value.
  static Operation *conjunctionOf(Value condition) {
    while (auto expand = condition.getDefiningOp<pd::ExpandOp>())
      condition = expand.getX();
    Operation *op = condition.getDefiningOp();
    return isa_and_present<pd::LogicalAndOp, pd::BitwiseAndOp>(op) ? op : nullptr;
  }

  static bool hasPositionCondition(Value condition) {
    if (positionMaskOf(condition) || isTrueEverywhere(condition))
      return true;
    Operation *both = conjunctionOf(condition);
    return both && llvm::any_of(both->getOperands(), hasPositionCondition);
  }

  Candidate candidateOf(const AttentionMask &mask) const {
    constexpr double greatest = -1e4; // whose weight is zero, and so are weights of larger negative numbers
    Candidate own{mask, {}};
    if (mask.isAdded)
      return own;
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
        llvm::all_of(range.limits, [&](const KeyLimit &limit) { return isOfBatches(mask, limit); }) &&
        hasDims(mask.value, hasWindow);
    if (isOfScores && own.excluded <= greatest)
      own.range = range;
    return own;
  }

  /// Whether the mask is known to have as many keys as the scores and, with a window, as many queries.
  /// Queries with static dims broadcast.
  bool hasDims(Value mask, bool hasWindow) const {
    auto type = pd::tensorType(mask);
    auto isOf = [&](int64_t fromLast, const pd::DimRoot &root) {
      bool isStatic = !root.tensor && !type.isDynamicDim(type.getRank() - 1 - fromLast);
      return isStatic || pd::dimRootOf(mask, type.getRank() - 1 - fromLast) == root;
    };
    return isOf(0, keysOf(forward)) && (!hasWindow || isOf(1, queriesOf(forward)));
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

  /// Whether no other mask adds a number near to this mask's number for excluded keys. Windows
  /// have the key of each query's position, and lengths that are not zero have the first key.
  bool isLowest(const Candidate &own, bool hasFirstKey) const {
    return llvm::all_of(candidates, [&](const Candidate &other) {
      if (&other == &own || (other.isWindow() && hasPosition(*other.range)))
        return true;
      if (other.isLimit())
        return hasFirstKey && !own.mask.isCondition();
      std::optional<TensorBounds> bounds =
          other.mask.isCondition() || other.mask.isAdded ? std::nullopt : boundsOf(other.mask.value);
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
  bool isDynamic = ShapedType::isDynamicShape(scores.take_back(2));
  if (isDynamic && kinds != PositionKinds::All)
    return {};
  PositionTaker taker(forward, scores, kinds);
  if (isDynamic && (!taker.hasRanges() || queriesOf(forward) != keysOf(forward)))
    return {};
  return taker.take();
}

} // namespace proa
