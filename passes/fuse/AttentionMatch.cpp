#include "passes/fuse/AttentionMatch.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/attention/AttentionOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "passes/analysis/ConstantNumber.h"
#include "passes/fuse/TensorBounds.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace proa {
namespace {

constexpr const char *otherScores = "its scores are not a matmul that is scaled and masked";

class ForwardMatcher {
public:
  /// The reason why the ops do not match; empty for an ordinary matmul, or if they do.
  std::string match(Operation *root) {
    std::optional<AttentionMatmul> second = AttentionMatmul::of(root, /*mayShareHead=*/true);
    if (!second || second->isXTransposed || second->isYTransposed)
      return "";
    forward.second = *second;
    if (!findWeights(second->x()))
      return "";
    if (hasOtherDropout)
      return "several dropouts, or one whose probability is a tensor, are between the softmax and the values";
    if (!matchSoftmax())
      return "the softmax is not along the last dim";
    if (std::string reason = matchScores(forward.scores); !reason.empty())
      return reason;
    if (forward.first.sharesHead != forward.second.sharesHead)
      return "only its keys or only its values have one head";
    isMatch = true;
    return "";
  }

  bool isMatch = false;
  AttentionForward forward;

private:
  bool hasOtherDropout = false;
  Value factored; ///< the scores after the factor of heads
  size_t firstFloored =
      std::numeric_limits<size_t>::max(); ///< the first mask before a least number of scores

  /// Finds the softmax that computes `value`, before ops that do not change the weights. False if
  /// there is none.
  bool findWeights(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      forward.between.push_back(value);
      if (isa<pd::SoftmaxOp, pd::FusedSoftmaxMaskUpperTriangleOp>(op)) {
        forward.weights = value;
        return true;
      }
      if (Value weights = beforeZeroRows(op)) {
        forward.hasZeroRows = true;
        forward.between.push_back(op->getOperand(0));
        value = weights;
        continue;
      }
      auto dropout = dyn_cast<pd::DropoutOp>(op);
      if (dropout)
        addDropout(dropout, value);
      if (!dropout && !isFloatCast(op) && !keepsMatrices(op))
        return false;
      value = op->getOperand(0);
    }
    return false;
  }

  /// The softmax whose weights a selection replaces by zero where they are not numbers, as PyTorch exports
  /// attention; null for another op. All weights of a query are numbers, or none.
  static Value beforeZeroRows(Operation *op) {
    auto where = dyn_cast<pd::WhereOp>(op);
    auto isNan = where ? where.getCondition().getDefiningOp<pd::IsnanOp>() : pd::IsnanOp();
    bool isReplaced = isNan && isNan.getX() == where.getY() && constantNumber(where.getX()) == 0.0 &&
                      isNan.getX().getDefiningOp<pd::SoftmaxOp>() &&
                      pd::tensorType(where.getY()).getShape() == pd::tensorType(where.getOut()).getShape();
    return isReplaced ? where.getY() : Value();
  }

  void addDropout(pd::DropoutOp dropout, Value result) {
    bool isScaled = dropout.getMode() == pd::DropoutMode::UpscaleInTrain;
    hasOtherDropout |=
        result != dropout.getOut() || dropout.getPTensor() || (!dropout.getIsTest() && forward.dropout);
    if (!dropout.getIsTest())
      forward.dropout = dropout;
    else if (!isScaled)
      forward.outFactor *= 1 - dropout.getP().convertToDouble();
  }

  bool matchSoftmax() {
    Operation *op = forward.weights.getDefiningOp();
    forward.scores = op->getOperand(0);
    auto softmax = dyn_cast<pd::SoftmaxOp>(op);
    forward.isCausal = !softmax;
    if (!softmax)
      return true;
    auto axis = static_cast<int64_t>(softmax.getAxis());
    return axis == -1 || axis == pd::tensorType(forward.weights).getRank() - 1;
  }

  /// Finds the matmul that `scores` is, before scalings and masks. Returns the reason if there is none.
  std::string matchScores(Value scores) {
    for (;;) {
      Operation *op = scores.getDefiningOp();
      if (!op)
        return otherScores;
      forward.between.push_back(scores);
      if (std::optional<AttentionMatmul> matmul = AttentionMatmul::of(op, /*mayShareHead=*/true)) {
        forward.first = *matmul;
        return matmul->isXTransposed ? otherScores : whyNotFactor();
      }
      if (std::optional<double> own = factorOf(op)) {
        forward.scoreFactor *= *own;
        scores = op->getOperand(0);
      } else if (isa<pd::TanhOp>(op)) {
        if (forward.capped || forward.scoreFactor == 0)
          return "several soft caps, or one of zero, bound its scores";
        if (forward.headFactor)
          return "a factor of heads multiplies its scores after a soft cap";
        forward.capped = scores;
        forward.softCap = std::abs(forward.scoreFactor);
        scores = op->getOperand(0);
      } else if (isFloatCast(op) || keepsMatrices(op)) {
        scores = op->getOperand(0);
      } else if (isFloor(op)) {
        firstFloored = std::min(firstFloored, forward.masks.size());
        scores = op->getOperand(0);
      } else if (Value factor = factorOfHeads(op); factor && !forward.headFactor) {
        forward.headFactor = factor;
        factored = scores;
        scores = op->getOperand(0);
      } else if (std::string reason = readMask(op, scores); !reason.empty()) {
        return reason;
      }
    }
  }

  /// The tensor by which an op multiplies scores, if it is equal for all queries and keys of a head; null for
  /// another op.
  static Value factorOfHeads(Operation *op) {
    auto multiply = dyn_cast<pd::MultiplyOp>(op);
    if (!multiply || !keepsShape(multiply.getX(), multiply.getOut()))
      return {};
    ArrayRef<int64_t> shape = pd::tensorType(multiply.getY()).getShape();
    bool isOfHeads = shape.size() >= 3 && shape.take_back(2) == ArrayRef<int64_t>{1, 1};
    return isOfHeads ? multiply.getY() : Value();
  }

  /// Whether an op replaces scores below a number that scores of finite operands and masks are not below.
  static bool isFloor(Operation *op) {
    constexpr double greatestFloor = -1e30;
    auto maximum = dyn_cast<pd::MaximumOp>(op);
    std::optional<double> floor = maximum ? constantNumber(maximum.getY()) : std::nullopt;
    return floor && *floor <= greatestFloor && keepsShape(maximum.getX(), maximum.getOut());
  }

  /// Why queries cannot be multiplied by the factor of heads, or a floor changes the scores; empty if
  /// neither.
  std::string whyNotFactor() const {
    auto batchesOf = [](Value value) { return pd::tensorType(value).getShape().drop_back(2); };
    if (factored && batchesOf(factored) != batchesOf(forward.first.x()))
      return "a factor of heads has other batches than its queries";
    bool hasInfinite = firstFloored < forward.masks.size() &&
                       !llvm::all_of(ArrayRef(forward.masks).drop_front(firstFloored), isFinite);
    return hasInfinite ? "its scores have a least number, and a mask before it may be minus infinity" : "";
  }

  /// Whether the numbers of a mask are known to be finite in float32.
  static bool isFinite(const AttentionMask &mask) {
    constexpr double least = std::numeric_limits<float>::lowest();
    if (mask.isCondition())
      return mask.fill >= least;
    std::optional<TensorBounds> bounds = boundsOf(mask.value);
    return bounds && std::min(bounds->least * mask.factor, bounds->greatest * mask.factor) >= least;
  }

  /// Reads an op that adds a mask to `scores` or selects by one. Returns the reason if it is another op.
  std::string readMask(Operation *op, Value &scores) {
    if (forward.capped)
      return "a mask is added to its scores before a soft cap";
    if (forward.headFactor)
      return "a mask is added to its scores before a factor of heads";
    if (auto add = dyn_cast<pd::AddOp>(op))
      return readAddition(add, scores);
    if (auto where = dyn_cast<pd::WhereOp>(op))
      return readSelection(where, scores);
    return otherScores;
  }

  std::string readAddition(pd::AddOp add, Value &scores) {
    bool isFirst = leadsToMatmul(add.getX());
    if (!isFirst && !leadsToMatmul(add.getY()))
      return otherScores;
    forward.masks.push_back({isFirst ? add.getY() : add.getX(), add.getOut(), forward.scoreFactor});
    scores = isFirst ? add.getX() : add.getY();
    return keepsShape(scores, add.getOut()) ? "" : otherScores;
  }

  /// A selection between the scores and a number.
  std::string readSelection(pd::WhereOp where, Value &scores) {
    bool isKept = leadsToMatmul(where.getX());
    Value fill = isKept ? where.getY() : where.getX();
    scores = isKept ? where.getX() : where.getY();
    DenseFPElementsAttr constant;
    if ((!isKept && !leadsToMatmul(scores)) || !keepsShape(scores, where.getOut()))
      return otherScores;
    if (!matchPattern(fill, m_Constant(&constant)) || !constant.isSplat())
      return "a condition selects between its scores and a tensor";
    double value = constant.getSplatValue<APFloat>().convertToDouble();
    forward.masks.push_back({where.getCondition(), where.getOut(), 1, isKept, value * forward.scoreFactor});
    return "";
  }

  static bool keepsShape(Value from, Value to) {
    return pd::tensorType(from).getShape() == pd::tensorType(to).getShape();
  }

  static bool leadsToMatmul(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (AttentionMatmul::of(op, /*mayShareHead=*/true))
        return true;
      if (isa<pd::AddOp>(op))
        return leadsToMatmul(op->getOperand(0)) || leadsToMatmul(op->getOperand(1));
      if (isa<pd::WhereOp>(op))
        return leadsToMatmul(op->getOperand(1)) || leadsToMatmul(op->getOperand(2));
      if (!factorOf(op) && !isFloatCast(op) && !keepsMatrices(op) && !isa<pd::TanhOp>(op) && !isFloor(op) &&
          !factorOfHeads(op))
        return false;
      value = op->getOperand(0);
    }
    return false;
  }
};

} // namespace

bool AttentionMask::isCondition() const {
  return pd::tensorType(value).getElementType().isInteger(1) && !isAdded;
}

bool AttentionMask::isAddend() const {
  constexpr double greatestFill = -1e30;
  return !isCondition() || fill <= greatestFill;
}

std::optional<AttentionForward> matchAttention(Operation *op, std::string &reason) {
  ForwardMatcher matcher;
  reason = matcher.match(op);
  return matcher.isMatch ? std::optional(matcher.forward) : std::nullopt;
}

} // namespace proa
