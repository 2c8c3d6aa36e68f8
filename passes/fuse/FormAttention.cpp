//! pd-form-attention: self-attention and its gradient as one op each.
#include "passes/fuse/Passes.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/ScaledAttention.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "passes/fuse/ConstantFactor.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_FORMATTENTION
#include "passes/fuse/Passes.h.inc"

namespace {

int64_t rankOf(Value value) { return pd::tensorType(value).getRank(); }

/// The product of x and y with these operands transposed; null if the op is another one.
pd::MatmulOp productOf(Operation *op, bool transposesX, bool transposesY) {
  auto product = dyn_cast_or_null<pd::MatmulOp>(op);
  bool isSame = product && product.getTransposeX() == transposesX && product.getTransposeY() == transposesY;
  return isSame ? product : pd::MatmulOp();
}

/// The operand of a cast from 16 bits to 32; null if the op is another one.
Value widened(Operation *op) {
  auto cast = dyn_cast_or_null<pd::CastOp>(op);
  if (!cast)
    return Value();
  Type from = pd::tensorType(cast.getX()).getElementType(),
       to = pd::tensorType(cast.getOut()).getElementType();
  return (from.isF16() || from.isBF16()) && to.isF32() ? cast.getX() : Value();
}

/// The only user of a value, in its block; null if there are others.
Operation *onlyUser(Value value) {
  Operation *user = value.hasOneUse() ? *value.getUsers().begin() : nullptr;
  return user && user->getBlock() == value.getParentBlock() ? user : nullptr;
}

/// softmax(f(q k^T)) v.
struct Forward {
  pd::SoftmaxOp softmax;
  pd::MatmulOp scores, product;
  double scale = 1;
  SmallVector<std::pair<Value, double>> biases; ///< with factors
  Value weights;                                ///< those of the product, perhaps rounded
};

/// The gradients, as the derivatives of the ops above.
struct Backward {
  pd::MatmulOp q, k, v;
  Value outGradient;
};

class Matcher {
public:
  explicit Matcher(pd::SoftmaxOp softmax) { forward.softmax = softmax; }

  /// The reason why the ops do not match; empty if they do.
  std::string match() {
    int64_t last = rankOf(forward.softmax.getX()) - 1;
    if (auto axis = static_cast<int64_t>(forward.softmax.getAxis()); axis != last && axis != -1)
      return "the softmax is not along the last dimension";
    if (!findScores(forward.softmax.getX(), 1))
      return "its operand is not a product q k^T with factors and biases, each used once";
    auto q = pd::tensorType(forward.scores.getX()), k = pd::tensorType(forward.scores.getY());
    if (q.getRank() != k.getRank() || !q.hasStaticShape() || !k.hasStaticShape() ||
        q.getShape().drop_back(1) != k.getShape().drop_back(1))
      return "queries and keys are not those of one sequence of a known length";
    return matchUsers();
  }

  Forward forward;
  std::optional<Backward> backward;

private:
  /// Follows the operand of the softmax to the product of queries and keys.
  bool findScores(Value value, double factor) {
    Operation *op = value.getDefiningOp();
    if (!op || !value.hasOneUse() || op->getBlock() != forward.softmax->getBlock())
      return false;
    if (std::optional<double> own = constantFactor(op))
      return findScores(op->getOperand(0), factor * *own);
    if (Value x = widened(op))
      return findScores(x, factor);
    if (pd::MatmulOp product = productOf(op, false, true)) {
      forward.scores = product;
      forward.scale = factor;
      return true;
    }
    auto add = dyn_cast<pd::AddOp>(op);
    for (unsigned i = 0; add && i < 2; ++i) {
      Value main = add->getOperand(i), bias = add->getOperand(1 - i);
      if (main.getType() == value.getType() && findScores(main, factor)) {
        forward.biases.push_back({bias, factor});
        return true;
      }
    }
    return false;
  }

  /// The users of the weights: the product, and with gradients the ops of the derivative of softmax.
  std::string matchUsers() {
    Value weights = forward.softmax.getOut();
    forward.weights = weights;
    SmallVector<Operation *> products, others;
    for (Operation *user : weights.getUsers()) {
      if (user->getBlock() != forward.softmax->getBlock())
        return "its result is used in a region";
      auto cast = dyn_cast<pd::CastOp>(user);
      (cast || isa<pd::MatmulOp>(user) ? products : others).push_back(user);
    }
    if (!products.empty() && isa<pd::CastOp>(products[0])) {
      if (products.size() != 1 ||
          !pd::tensorType(products[0]->getResult(0)).getElementType().isIntOrFloat() ||
          pd::tensorType(products[0]->getResult(0)).getElementTypeBitWidth() != 16)
        return "its result is cast in several ways";
      forward.weights = products[0]->getResult(0);
      products.assign(forward.weights.user_begin(), forward.weights.user_end());
    }
    Backward found;
    for (Operation *user : products) {
      auto product = dyn_cast<pd::MatmulOp>(user);
      if (product && product.getX() == forward.weights && product.getY() != forward.weights) {
        bool isForward = productOf(user, false, false) != nullptr;
        pd::MatmulOp &place = isForward ? forward.product : found.v;
        if (!place && (isForward || productOf(user, true, false))) {
          place = product;
          continue;
        }
      }
      return "its result has another use than the product with the values";
    }
    if (!forward.product || rankOf(forward.product.getY()) != rankOf(forward.scores.getY()))
      return "its result is not multiplied by values";
    auto values = pd::tensorType(forward.product.getY()), keys = pd::tensorType(forward.scores.getY());
    if (values.getShape().drop_back(1) != keys.getShape().drop_back(1) ||
        values.getElementType() != keys.getElementType())
      return "keys and values have other dims";
    if (!found.v && others.empty())
      return "";
    std::string reason = found.v ? matchGradient(found, others) : "its result has other uses";
    if (reason.empty())
      backward = found;
    return reason;
  }

  /// The formula of the gradient of softmax: s_grad = (w - sum(w p)) p, with w = out_grad v^T. `users` are
  /// the other users of p.
  std::string matchGradient(Backward &found, ArrayRef<Operation *> users) {
    const std::string other = "its result has uses that are not those of its gradient";
    Value p = forward.softmax.getOut();
    found.outGradient = found.v.getY();
    Value gradient; // by the operand of softmax
    for (Operation *user : users)
      if (auto multiply = dyn_cast<pd::MultiplyOp>(user); multiply && users.size() == 2)
        for (Value factor : {multiply.getX(), multiply.getY()})
          if (auto subtract = dyn_cast_or_null<pd::SubtractOp>(factor.getDefiningOp());
              subtract && factor.hasOneUse() && isGradientOfWeights(subtract, p, users, found.outGradient))
            gradient = multiply.getOut();
    if (!gradient)
      return other;
    double factor = 1;
    Operation *user = onlyUser(gradient);
    while (user && (constantFactor(user) || isa<pd::CastOp>(user))) {
      factor *= constantFactor(user).value_or(1);
      gradient = user->getResult(0);
      user = onlyUser(gradient);
    }
    if (std::abs(factor - forward.scale) > 1e-6 * std::abs(forward.scale))
      return "its gradient has another factor";
    for (Operation *product : gradient.getUsers()) {
      if (auto q = productOf(product, false, false);
          q && q.getX() == gradient && q.getY() == forward.scores.getY())
        found.q = q;
      else if (auto k = productOf(product, true, false);
               k && k.getX() == gradient && k.getY() == forward.scores.getX())
        found.k = k;
      else
        return "the gradient of its operand has other uses than those of queries and keys";
    }
    return found.q && found.k ? "" : "the gradients of queries or keys are missing";
  }

  /// Whether the op is w - sum(w p), with the w of the values.
  bool isGradientOfWeights(pd::SubtractOp subtract, Value p, ArrayRef<Operation *> users, Value outGradient) {
    Value w = subtract.getX();
    auto sum = dyn_cast_or_null<pd::SumOp>(subtract.getY().getDefiningOp());
    if (!sum || !subtract.getY().hasOneUse() || !sum.getKeepdim() || sum.getAxis().size() != 1 ||
        (sum.getAxis()[0] != rankOf(w) - 1 && sum.getAxis()[0] != -1))
      return false;
    auto multiply = dyn_cast_or_null<pd::MultiplyOp>(sum.getX().getDefiningOp());
    bool isProduct =
        multiply && sum.getX().hasOneUse() && llvm::is_contained(users, multiply.getOperation()) &&
        ((multiply.getX() == w && multiply.getY() == p) || (multiply.getY() == w && multiply.getX() == p));
    if (!isProduct || !w.hasNUses(2))
      return false;
    Value narrow = widened(w.getDefiningOp());
    auto product = productOf((narrow ? narrow : w).getDefiningOp(), false, true);
    return product && (!narrow || narrow.hasOneUse()) && product.getX() == outGradient &&
           product.getY() == forward.product.getY();
  }
};

class FormAttentionPass : public impl::FormAttentionBase<FormAttentionPass> {
public:
  using FormAttentionBase::FormAttentionBase;

  void runOnOperation() override {
    SmallVector<pd::SoftmaxOp> ops;
    getOperation().walk([&](pd::SoftmaxOp op) { ops.push_back(op); });
    for (pd::SoftmaxOp op : ops) {
      Matcher matcher(op);
      std::string reason = matcher.match();
      if (reason.empty())
        rewrite(matcher);
      else
        remarks.missed(op) << "pd.softmax is not part of an attention: " << reason;
    }
  }

private:
  /// The sum of the biases; null if there is none.
  static Value biasOf(OpBuilder &builder, Location location, const Forward &forward) {
    Value sum;
    for (auto [value, factor] : forward.biases) {
      Value bias = value;
      if (factor != 1)
        bias =
            pd::ScaleOp::create(builder, location, value, Value(), Value(), builder.getF64FloatAttr(factor),
                                builder.getF64FloatAttr(0), builder.getBoolAttr(true));
      sum = sum ? pd::AddOp::create(builder, location, sum, bias).getResult() : bias;
    }
    return sum;
  }

  void rewrite(Matcher &matcher) {
    Forward &forward = matcher.forward;
    OpBuilder builder(forward.product);
    Location location = forward.product.getLoc();
    Value bias = biasOf(builder, location, forward);
    Value q = forward.scores.getX(), k = forward.scores.getY(), v = forward.product.getY();
    FloatAttr scale = builder.getF64FloatAttr(forward.scale);
    BoolAttr ring = builder.getBoolAttr(false);
    auto attention = pd::AttentionOp::create(builder, location, q, k, v, bias, scale, ring);
    Value out = forward.product.getOut();
    remarks.done(forward.softmax) << (matcher.backward ? "an attention and its gradient become one op each"
                                                       : "an attention becomes pd.attention");
    if (matcher.backward) {
      Backward &backward = *matcher.backward;
      setAfter(builder, {attention.getOut(), backward.outGradient});
      auto gradient = pd::AttentionGradOp::create(builder, backward.v.getLoc(), q, k, v, bias,
                                                  attention.getOut(), attention.getMaximum(),
                                                  attention.getSum(), backward.outGradient, scale, ring);
      replace(backward.q, gradient.getQGrad());
      replace(backward.k, gradient.getKGrad());
      replace(backward.v, gradient.getVGrad());
    }
    out.replaceAllUsesWith(attention.getOut());
    eraseDead(forward.product);
  }

  /// Sets the place after the last of the values, which are in one block.
  static void setAfter(OpBuilder &builder, ArrayRef<Value> values) {
    Operation *last = nullptr;
    for (Value value : values)
      if (Operation *op = value.getDefiningOp(); op && (!last || last->isBeforeInBlock(op)))
        last = op;
    builder.setInsertionPointAfter(last);
  }

  static void replace(pd::MatmulOp op, Value by) {
    op.getOut().replaceAllUsesWith(by);
    eraseDead(op);
  }

  /// Erases an op without uses, and the ops that only it used.
  static void eraseDead(Operation *op) {
    llvm::SetVector<Operation *> dead;
    dead.insert(op);
    while (!dead.empty()) {
      Operation *next = dead.pop_back_val();
      if (!isOpTriviallyDead(next))
        continue;
      for (Value operand : next->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          dead.insert(definition);
      dead.remove(next);
      next->erase();
    }
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
