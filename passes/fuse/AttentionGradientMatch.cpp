#include "passes/fuse/AttentionGradientMatch.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace proa {
namespace {

class GradientMatcher {
public:
  explicit GradientMatcher(const AttentionForward &forward) : forward(forward), dropout(forward.dropout) {
    values.insert(forward.between.begin(), forward.between.end());
    for (Value value : forward.between)
      known.insert(value.getDefiningOp());
    known.insert(forward.second.op);
    if (dropout)
      values.insert(dropout.getMask());
  }

  /// The reason why the ops do not match; empty if they do.
  std::string match() {
    if (haveOnlyKnownUsers())
      return "";
    if (!findValues())
      return isMaskUsedElsewhere() ? "the mask of its dropout is used elsewhere"
                                   : "its weights are used elsewhere";
    if (dropout && !findDropout())
      return "the gradient of its dropout is not the gradient of pd.dropout";
    if (isMaskUsedElsewhere())
      return "the mask of its dropout is used elsewhere";
    if (!findScores())
      return "its weights are used outside of their gradient";
    for (const AttentionMask &mask : forward.masks)
      if (mask.isCondition())
        condition = &mask;
    if (std::string reason =
            followScores(scoreGradient, 1, {.isSelected = !condition, .isCapped = !forward.capped});
        !reason.empty())
      return reason;
    return haveOnlyKnownUsers() ? "" : "values of its gradient are used elsewhere";
  }

  AttentionBackward backward;

private:
  const AttentionForward &forward;
  pd::DropoutOp dropout;         ///< the dropout of `forward`
  llvm::SetVector<Value> values; ///< all between the matmuls
  llvm::SmallPtrSet<Operation *, 32> known;
  Value weightGradient, scoreGradient;
  const AttentionMask *condition = nullptr; ///< that selects scores; null: none

  bool haveOnlyKnownUsers() {
    return llvm::all_of(values, [&](Value value) {
      return llvm::all_of(value.getUsers(), [&](Operation *user) { return known.contains(user); });
    });
  }

  bool isMaskUsedElsewhere() {
    return dropout &&
           llvm::any_of(dropout.getMask().getUsers(), [&](Operation *user) { return !known.contains(user); });
  }

  void add(Operation *op) {
    known.insert(op);
    values.insert(op->getResult(0));
  }

  static bool areBoth(Operation *op, Value a, Value b) {
    return (op->getOperand(0) == a && op->getOperand(1) == b) ||
           (op->getOperand(0) == b && op->getOperand(1) == a);
  }

  /// Whether an op gives a gradient the dims of the scores, which it has.
  bool isSumToScores(Operation *op, Value gradient) const {
    Value target = targetOfSum(op, gradient);
    return target && values.contains(target);
  }

  /// The only other user of `value`, if it is a cast, a reshape of batch and heads, a sum to the dims of the
  /// scores or, with `factor`, a multiplication by a constant; null if it is another one.
  Operation *nextOf(Value value, double *factor) {
    if (!value.hasOneUse())
      return nullptr;
    Operation *user = *value.user_begin();
    std::optional<double> own = factor ? factorOf(user) : std::nullopt;
    if (own && user->getOperand(0) == value) {
      *factor *= *own;
      return user;
    }
    return isFloatCast(user) || keepsMatrices(user) || isSumToScores(user, value) ? user : nullptr;
  }

  /// v_grad = p^T out_grad, and out_grad v^T, which gives the gradient of the weights.
  bool findValues() {
    Value weights = forward.second.x(), ofValues = forward.second.y();
    for (Operation *user : weights.getUsers())
      if (std::optional<AttentionMatmul> matmul = AttentionMatmul::of(user);
          matmul && matmul->isXTransposed && !matmul->isYTransposed && matmul->x() == weights &&
          matmul->y() != weights)
        backward.v = *matmul;
    if (!backward.v.op)
      return false;
    known.insert(backward.v.op);
    backward.outGradient = backward.v.y();
    for (Operation *user : backward.outGradient.getUsers())
      if (std::optional<AttentionMatmul> matmul = AttentionMatmul::of(user);
          matmul && !matmul->isXTransposed && matmul->isYTransposed && matmul->x() == backward.outGradient &&
          matmul->y() == ofValues)
        weightGradient = matmul->result();
    if (!weightGradient)
      return false;
    add(weightGradient.getDefiningOp());
    while (Operation *next = nextOf(weightGradient, nullptr)) {
      add(next);
      weightGradient = next->getResult(0);
    }
    return true;
  }

  /// Whether `condition` is the mask of dropout, cast to i1.
  bool isMask(Value condition) {
    while (Operation *op = condition.getDefiningOp()) {
      if (op == dropout)
        return condition == dropout.getMask();
      if (!isa<pd::CastOp>(op) && !keepsMatrices(op))
        return false;
      add(op);
      condition = op->getOperand(0);
    }
    return false;
  }

  /// The gradient of the weights before dropout: zero where the mask is, in mode upscale_in_train over 1 - p.
  bool findDropout() {
    double factor = 1, dropped = dropout.getP().convertToDouble();
    auto skip = [&] {
      while (Operation *next = nextOf(weightGradient, &factor)) {
        add(next);
        weightGradient = next->getResult(0);
      }
    };
    skip();
    auto where =
        weightGradient.hasOneUse() ? dyn_cast<pd::WhereOp>(*weightGradient.user_begin()) : pd::WhereOp();
    if (!where || where.getX() != weightGradient || !matchPattern(where.getY(), m_AnyZeroFloat()) ||
        !isMask(where.getCondition()))
      return false;
    add(where);
    weightGradient = where.getOut();
    skip();
    double expected = dropout.getMode() == pd::DropoutMode::UpscaleInTrain ? 1 / (1 - dropped) : 1;
    double rounding = 1e-6 * expected; // of 1 - p in float32
    return std::abs(factor / expected - 1) <= rounding;
  }

  /// The formula of the gradient of softmax, in the type of the weights or after a cast of them.
  bool findScores() {
    SmallVector<Value> weights{forward.weights};
    for (Operation *user : forward.weights.getUsers())
      if (isFloatCast(user) && !known.contains(user))
        weights.push_back(user->getResult(0));
    for (Value own : weights)
      if (findScores(own)) {
        if (own != forward.weights)
          add(own.getDefiningOp());
        return true;
      }
    return false;
  }

  /// p (w - sum(w p)).
  bool findScores(Value p) {
    Value w = weightGradient;
    for (Operation *user : p.getUsers()) {
      auto multiply = dyn_cast<pd::MultiplyOp>(user);
      if (!multiply)
        continue;
      if (areBoth(user, p, w)) {
        add(user); // the operand of the sum
        continue;
      }
      Value other = multiply.getX() == p ? multiply.getY() : multiply.getX();
      auto subtract = other.getDefiningOp<pd::SubtractOp>();
      if (!subtract || subtract.getX() != w || !isSumOfProduct(subtract.getY(), p, w))
        continue;
      add(subtract.getY().getDefiningOp());
      add(subtract);
      add(user);
      scoreGradient = multiply.getOut();
    }
    return scoreGradient != nullptr;
  }

  static bool isSumOfProduct(Value value, Value p, Value w) {
    auto sum = value.getDefiningOp<pd::SumOp>();
    int64_t last = pd::tensorType(w).getRank() - 1;
    if (!sum || !sum.getKeepdim() || sum.getAxis().size() != 1 ||
        (sum.getAxis()[0] != last && sum.getAxis()[0] != -1))
      return false;
    auto multiply = sum.getX().getDefiningOp<pd::MultiplyOp>();
    return multiply && areBoth(multiply, p, w);
  }

  /// Whether an op gives the gradient where the condition selects the scores, and zero elsewhere.
  bool isSelection(Operation *user, Value gradient) const {
    auto where = dyn_cast<pd::WhereOp>(user);
    if (!where || !condition || where.getCondition() != condition->value)
      return false;
    Value kept = condition->kept ? where.getX() : where.getY(),
          filled = condition->kept ? where.getY() : where.getX();
    return kept == gradient && matchPattern(filled, m_AnyZeroFloat());
  }

  /// Whether a user of the gradient is the derivative of the soft cap, g (1 - t^2).
  bool isDerivativeOfCap(Operation *user, Value gradient) {
    auto multiply = dyn_cast<pd::MultiplyOp>(user);
    if (!multiply || !forward.capped)
      return false;
    Value other = multiply.getX() == gradient ? multiply.getY() : multiply.getX();
    auto subtract = other.getDefiningOp<pd::SubtractOp>();
    auto square = subtract ? subtract.getY().getDefiningOp<pd::MultiplyOp>() : pd::MultiplyOp();
    if (!square || !matchPattern(subtract.getX(), m_OneFloat()) || square.getX() != forward.capped ||
        square.getY() != forward.capped)
      return false;
    add(square);
    add(subtract);
    return true;
  }

  /// Which steps of the derivative of the scores a gradient is after.
  struct Steps {
    bool isSelected, isCapped;
  };

  /// The matmuls of the gradient of the scores with queries and keys, and other uses of it, after casts,
  /// reshapes, sums to their dims, constant factors, the selection of the condition and the derivative of the
  /// soft cap.
  std::string followScores(Value gradient, double factor, Steps steps) {
    for (OpOperand &use : gradient.getUses()) {
      Operation *user = use.getOwner();
      std::optional<double> own = factorOf(user);
      bool isFactor = own && use.getOperandNumber() == 0;
      if (known.contains(user))
        continue;
      bool selects = isSelection(user, gradient), caps = isDerivativeOfCap(user, gradient);
      if (selects || caps || isFactor || isFloatCast(user) || keepsMatrices(user) ||
          isSumToScores(user, gradient)) {
        if (caps && steps.isCapped)
          return "the derivative of its soft cap multiplies its gradient twice";
        add(user);
        if (std::string reason = followScores(user->getResult(0), isFactor ? factor * *own : factor,
                                              {steps.isSelected || selects, steps.isCapped || caps});
            !reason.empty())
          return reason;
      } else if (!steps.isSelected) {
        return "a condition selects its scores, but not their gradient";
      } else if (AttentionMatmul::of(user)) {
        if (!steps.isCapped)
          return "a soft cap bounds its scores, and the gradient does not have its derivative";
        if (!isMatmulGradient(user, gradient, factor))
          return "the gradient of its scores has other matmuls than with queries and keys";
      } else if (forward.capped && steps.isCapped) {
        return "the gradient before its soft cap has other uses than matmuls";
      } else {
        known.insert(user);
        backward.scores.push_back(useOf(use, factor));
      }
    }
    return "";
  }

  /// Whether an op is the matmul of the gradient with keys or queries; all have one factor.
  bool isMatmulGradient(Operation *user, Value gradient, double factor) {
    Value queries = forward.first.x(), keys = forward.first.y();
    bool areKeysTransposed = !forward.first.isYTransposed;
    AttentionMatmul matmul = *AttentionMatmul::of(user);
    bool isQuery = matmul.x() == gradient && !matmul.isXTransposed && matmul.y() == keys &&
                   matmul.isYTransposed == areKeysTransposed;
    bool isKey = matmul.isXTransposed && !matmul.isYTransposed &&
                 (areKeysTransposed ? matmul.x() == queries && matmul.y() == gradient
                                    : matmul.x() == gradient && matmul.y() == queries);
    bool isFirst = !backward.q.op && !backward.k.op;
    AttentionMatmul &position = isQuery ? backward.q : backward.k;
    if ((!isQuery && !isKey) || position.op || (!isFirst && factor != backward.factor))
      return false;
    backward.factor = factor;
    position = matmul;
    known.insert(user);
    return true;
  }

  /// A use of the gradient, and over which dims of the scores it is a sum.
  ScoreGradientUse useOf(OpOperand &use, double factor) const {
    ScoreGradientUse found{&use, factor};
    auto sum = dyn_cast<pd::SumOp>(use.getOwner());
    ArrayRef<int64_t> shape = pd::tensorType(use.get()).getShape();
    auto rank = static_cast<int64_t>(shape.size());
    if (!sum || shape != pd::tensorType(forward.weights).getShape() || (rank != 3 && rank != 4))
      return found;
    for (int64_t axis : sum.getAxis()) {
      int64_t dim = (axis < 0 ? axis + rank : axis) + 4 - rank; // in batch, heads, rows and elements
      if (dim > 1)
        return {&use, factor};
      (dim == 0 ? found.sumsBatches : found.sumsHeads) = true;
    }
    return found;
  }
};

} // namespace

std::optional<AttentionBackward> matchAttentionGradient(const AttentionForward &forward,
                                                        std::string &reason) {
  GradientMatcher matcher(forward);
  reason = matcher.match();
  return reason.empty() ? std::optional(matcher.backward) : std::nullopt;
}

} // namespace proa
