//! pd-form-composites: activations and normalizations that a program has as primitives, as one op each.
#include "passes/analysis/ConstantNumber.h"
#include "passes/fuse/ConstantFactor.h"
#include "passes/fuse/Passes.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/attention/PositionEncodingOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/nn/RmsNormOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/reference/HostScalar.h"
#include "passes/patterns/PatternSet.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h"

#include <array>
#include <cmath>
#include <numbers>

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_FORMCOMPOSITES
#include "passes/fuse/Passes.h.inc"

namespace {

/// Constants are written with six digits or more.
bool isNear(double a, double b) { return std::abs(a - b) <= 2e-6 * std::max(std::abs(b), 1e-3); }

/// The only user of a value, in its block; null if there are others.
Operation *onlyUserOf(Value value) {
  Operation *user = value.hasOneUse() ? *value.getUsers().begin() : nullptr;
  return user && user->getBlock() == value.getParentBlock() && user->getNumResults() == 1 ? user : nullptr;
}

//===-- Gated activations -------------------------------------------------------------------------------===//

constexpr size_t terms = 4;

/// plain(x) + gated(x) * gate, as coefficients of 1, x, x^2 and x^3.
struct Polynomial {
  std::array<double, terms> plain{}, gated{};

  friend Polynomial operator+(Polynomial a, const Polynomial &b) {
    for (size_t i = 0; i < terms; ++i) {
      a.plain[i] += b.plain[i];
      a.gated[i] += b.gated[i];
    }
    return a;
  }
  bool isNearTo(const Polynomial &other) const {
    for (size_t i = 0; i < terms; ++i)
      if (!isNear(plain[i], other.plain[i]) || !isNear(gated[i], other.gated[i]))
        return false;
    return true;
  }
};

Polynomial constant(double value) { return {{value}, {}}; }

/// None where the product has other terms.
std::optional<Polynomial> product(const Polynomial &a, const Polynomial &b) {
  Polynomial out;
  for (size_t i = 0; i < terms; ++i)
    for (size_t j = 0; j < terms; ++j) {
      double plain = a.plain[i] * b.plain[j], gated = a.plain[i] * b.gated[j] + a.gated[i] * b.plain[j];
      if (a.gated[i] * b.gated[j] != 0 || (i + j >= terms && (plain != 0 || gated != 0)))
        return std::nullopt;
      if (i + j < terms) {
        out.plain[i + j] += plain;
        out.gated[i + j] += gated;
      }
    }
  return out;
}

/// Reads values as polynomials of x and of a gate, which may be null.
class PolynomialReader {
public:
  PolynomialReader(Value x, Value gate) : x(x), gate(gate) {}

  std::optional<Polynomial> read(Value value, unsigned depth = 0) const {
    if (value == gate)
      return Polynomial{{}, {1}};
    if (value == x)
      return Polynomial{{0, 1}, {}};
    if (std::optional<double> scalar = constantNumber(value))
      return constant(*scalar);
    Operation *op = value.getDefiningOp();
    if (!op || depth > 8)
      return std::nullopt;
    auto operand = [&](unsigned i) { return read(op->getOperand(i), depth + 1); };
    if (auto scale = dyn_cast<pd::ScaleOp>(op))
      return scaled(scale, depth);
    if (isa<pd::AddOp, pd::SubtractOp, pd::MultiplyOp, pd::DivideOp>(op))
      return combined(op, operand(0), operand(1));
    if (isa<pd::SquareOp>(op))
      return power(operand(0), 2);
    auto pow = dyn_cast<pd::PowOp>(op);
    return pow && !pow.getFactorTensor() ? power(operand(0), pow.getFactor().convertToDouble())
                                         : std::nullopt;
  }

private:
  std::optional<Polynomial> scaled(pd::ScaleOp op, unsigned depth) const {
    auto valueOr = [](Value tensor, double otherwise) {
      return tensor ? constantNumber(tensor) : std::optional(otherwise);
    };
    std::optional<Polynomial> of = read(op.getX(), depth + 1);
    std::optional<double> factor = valueOr(op.getScaleTensor(), op.getScale().convertToDouble()),
                          bias = valueOr(op.getBiasTensor(), op.getBias().convertToDouble());
    if (!of || !factor || !bias)
      return std::nullopt;
    if (op.getBiasAfterScale())
      return *product(*of, constant(*factor)) + constant(*bias);
    return product(*of + constant(*bias), constant(*factor));
  }

  static std::optional<Polynomial> combined(Operation *op, std::optional<Polynomial> a,
                                            std::optional<Polynomial> b) {
    if (!a || !b)
      return std::nullopt;
    if (isa<pd::AddOp>(op))
      return *a + *b;
    if (isa<pd::SubtractOp>(op))
      return *a + *product(*b, constant(-1));
    if (isa<pd::MultiplyOp>(op))
      return product(*a, *b);
    bool isNumber = b->isNearTo(constant(b->plain[0])) && b->plain[0] != 0;
    return isNumber ? product(*a, constant(1 / b->plain[0])) : std::nullopt;
  }

  static std::optional<Polynomial> power(std::optional<Polynomial> of, double exponent) {
    if (!of || (exponent != 2 && exponent != 3))
      return std::nullopt;
    std::optional<Polynomial> square = product(*of, *of);
    return square && exponent == 3 ? product(*square, *of) : square;
  }

  Value x, gate;
};

/// The values that the polynomial `argument` may be one of: itself, and those from which it is computed.
SmallVector<Value> candidatesOf(Value argument) {
  constexpr size_t most = 12;
  SmallVector<Value> found{argument};
  for (size_t i = 0; i < found.size() && found.size() < most; ++i)
    if (Operation *op = found[i].getDefiningOp();
        op &&
        isa<pd::ScaleOp, pd::AddOp, pd::SubtractOp, pd::MultiplyOp, pd::DivideOp, pd::SquareOp, pd::PowOp>(
            op))
      for (Value operand : op->getOperands())
        if (operand.getType() == argument.getType() && !llvm::is_contained(found, operand))
          found.push_back(operand);
  return found;
}

/// The value that is the polynomial `result` of x and the gate, which no other op uses.
Value findResult(Value x, Value gate, const Polynomial &result) {
  constexpr unsigned mostOps = 6;
  PolynomialReader reader(x, gate);
  Value value = gate;
  for (unsigned i = 0; i < mostOps; ++i) {
    Operation *user = onlyUserOf(value);
    std::optional<Polynomial> read = user ? reader.read(user->getResult(0)) : std::nullopt;
    if (!read)
      return Value();
    value = user->getResult(0);
    if (value.getType() == x.getType() && read->isNearTo(result))
      return value;
  }
  return Value();
}

/// The activation f of a program that computes `result` of x and gate(argument(x)).
struct GatedActivation {
  Polynomial argument, result;
  llvm::function_ref<Value(OpBuilder &, Location, Value x)> create;
};

/// Replaces the gate and the ops after it; false if they are not this activation.
bool formActivation(PatternRewriter &rewriter, Operation *gate, const GatedActivation &activation) {
  Value argument = gate->getOperand(0);
  for (Value x : candidatesOf(argument)) {
    std::optional<Polynomial> read = PolynomialReader(x, Value()).read(argument);
    if (!read || !read->isNearTo(activation.argument))
      continue;
    Value result = findResult(x, gate->getResult(0), activation.result);
    if (!result)
      continue;
    rewriter.setInsertionPoint(result.getDefiningOp());
    rewriter.replaceOp(result.getDefiningOp(), activation.create(rewriter, result.getLoc(), x));
    return true;
  }
  return false;
}

Value createGelu(OpBuilder &builder, Location location, Value x, bool approximate) {
  return pd::GeluOp::create(builder, location, x.getType(), x, builder.getBoolAttr(approximate));
}

struct FormGeluOfErf : OpRewritePattern<pd::ErfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(pd::ErfOp op, PatternRewriter &rewriter) const override {
    auto create = [](OpBuilder &b, Location location, Value x) { return createGelu(b, location, x, false); };
    GatedActivation gelu{{{0, std::numbers::sqrt2 / 2}, {}}, {{0, 0.5}, {0, 0.5}}, create};
    return formActivation(rewriter, op, gelu)
               ? success()
               : rewriter.notifyMatchFailure(op, "expected 0.5 x (1 + erf(x / sqrt(2)))");
  }
};

struct FormGeluOfTanh : OpRewritePattern<pd::TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(pd::TanhOp op, PatternRewriter &rewriter) const override {
    auto create = [](OpBuilder &b, Location location, Value x) { return createGelu(b, location, x, true); };
    double factor = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    GatedActivation gelu{{{0, factor, 0, factor * 0.044715}, {}}, {{0, 0.5}, {0, 0.5}}, create};
    return formActivation(rewriter, op, gelu)
               ? success()
               : rewriter.notifyMatchFailure(op,
                                             "expected 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))");
  }
};

//===-- Normalizations ----------------------------------------------------------------------------------===//

/// v / sqrt(mean(v^2) + epsilon) along the last `count` dimensions.
struct Normalized {
  Value v;
  double epsilon = 0;
  int64_t count = 0;
  Operation *out = nullptr;
};

/// The number of last dimensions that a mean reduces and keeps as 1; 0 if it reduces others.
int64_t lastDimsOf(pd::MeanOp mean) {
  int64_t rank = pd::tensorType(mean.getX()).getRank(), count = static_cast<int64_t>(mean.getAxis().size());
  llvm::SmallVector<int64_t> axes(mean.getAxis());
  for (int64_t &axis : axes)
    axis += axis < 0 ? rank : 0;
  llvm::sort(axes);
  for (int64_t i = 0; i < count; ++i)
    if (axes[i] != rank - count + i)
      return 0;
  return mean.getKeepdim() ? count : 0;
}

/// The operand of which the op computes the square.
Value squaredBy(Operation *op) {
  if (auto multiply = dyn_cast_or_null<pd::MultiplyOp>(op))
    return multiply.getX() == multiply.getY() ? multiply.getX() : Value();
  if (auto pow = dyn_cast_or_null<pd::PowOp>(op))
    return !pow.getFactorTensor() && pow.getFactor().isExactlyValue(2.0) ? pow.getX() : Value();
  auto square = dyn_cast_or_null<pd::SquareOp>(op);
  return square ? square->getOperand(0) : Value();
}

/// Matches the op that computes the root; the reason if it is another one.
std::string matchNormalized(Operation *root, Normalized &found) {
  Value inner = root->getOperand(0);
  Operation *sum = inner.getDefiningOp();
  if (!isa_and_nonnull<pd::AddOp, pd::ScaleOp>(sum))
    return "expected the root of a mean and a constant";
  for (Value operand : sum->getOperands()) {
    auto mean = operand.getDefiningOp<pd::MeanOp>();
    std::optional<Polynomial> read = PolynomialReader(operand, Value()).read(inner);
    if (!mean || !read || !read->isNearTo({{read->plain[0], 1}, {}}))
      continue;
    found.v = squaredBy(mean.getX().getDefiningOp());
    found.epsilon = read->plain[0];
    found.count = lastDimsOf(mean);
  }
  if (!found.v || found.count == 0)
    return "expected the mean of squares along the last dimensions, which it keeps";
  found.out = onlyUserOf(root->getResult(0));
  bool isQuotient = isa<pd::SqrtOp>(root);
  if (isQuotient ? !isa_and_nonnull<pd::DivideOp>(found.out) : !isa_and_nonnull<pd::MultiplyOp>(found.out))
    return "expected a product or quotient by it";
  bool isFirst = found.out->getOperand(0) == found.v && found.out->getOperand(1) == root->getResult(0),
       isSecond = found.out->getOperand(1) == found.v && found.out->getOperand(0) == root->getResult(0);
  return isFirst || (isSecond && !isQuotient) ? "" : "expected the product or quotient of the squared value";
}

/// A vector of one dimension that an Op multiplies or adds to the last dimension of `value`, which nothing
/// else uses. Sets `value` to the result.
template <class Op> Value takeVector(Operation *&value) {
  auto user = dyn_cast_or_null<Op>(onlyUserOf(value->getResult(0)));
  if (!user || user->getResult(0).getType() != value->getResult(0).getType())
    return Value();
  Value vector = user->getOperand(0) == value->getResult(0) ? user->getOperand(1) : user->getOperand(0);
  auto type = pd::tensorType(vector), whole = pd::tensorType(user->getResult(0));
  if (type.getRank() != 1 || type.isDynamicDim(0) || type.getDimSize(0) != whole.getShape().back() ||
      type.getElementType() != whole.getElementType())
    return Value();
  value = user;
  return vector;
}

/// The x of which v is x - mean(x) along the last `count` dimensions.
Value centeredBy(Value v, int64_t count) {
  auto subtract = v.getDefiningOp<pd::SubtractOp>();
  auto mean = subtract ? subtract.getY().getDefiningOp<pd::MeanOp>() : pd::MeanOp();
  return mean && mean.getX() == subtract.getX() && lastDimsOf(mean) == count ? subtract.getX() : Value();
}

template <class Root> struct FormNormalization : OpRewritePattern<Root> {
  using OpRewritePattern<Root>::OpRewritePattern;
  LogicalResult matchAndRewrite(Root op, PatternRewriter &rewriter) const override {
    Normalized found;
    if (std::string reason = matchNormalized(op, found); !reason.empty())
      return rewriter.notifyMatchFailure(op, reason);
    auto type = pd::tensorType(found.v);
    if (found.count != 1 || type.getRank() < 2 || type.isDynamicDim(type.getRank() - 1))
      return rewriter.notifyMatchFailure(op, "expected one normalized dimension of a static size");
    Value x = centeredBy(found.v, found.count);
    Value scale = takeVector<pd::MultiplyOp>(found.out);
    if (!x && !scale)
      return rewriter.notifyMatchFailure(op, "expected a vector of factors after it");
    Value bias = x && scale ? takeVector<pd::AddOp>(found.out) : Value();
    rewriter.setInsertionPoint(found.out);
    FloatAttr epsilon = rewriter.getF64FloatAttr(found.epsilon);
    Location location = found.out->getLoc();
    Value out;
    if (x)
      out = pd::LayerNormOp::create(rewriter, location, x, scale, bias, epsilon,
                                    rewriter.getI64IntegerAttr(type.getRank() - 1))
                .getOut();
    else
      out = pd::RmsNormOp::create(rewriter, location, found.v, scale,
                                  rewriter.getDenseI64ArrayAttr({type.getShape().back()}), epsilon)
                .getY();
    if (out.getType() != found.out->getResult(0).getType())
      return rewriter.notifyMatchFailure(op, "its type cannot be inferred");
    rewriter.replaceOp(found.out, out);
    return success();
  }
};

//===-- Rotary embeddings -------------------------------------------------------------------------------===//

/// The tensor of which `value` is half `number` of the last dimension; null if it is another value.
Value wholeOfHalf(Value value, int64_t index) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 1)
    return Value();
  auto whole = pd::tensorType(op->getOperand(0)), own = pd::tensorType(value);
  int64_t last = whole.getRank() - 1, size = whole.getRank() < 1 ? 0 : whole.getDimSize(last);
  if (size <= 0 || own.getRank() != whole.getRank() || own.getDimSize(last) * 2 != size)
    return Value();
  auto isLast = [&](int64_t axis) { return axis == last || axis == -1; };
  if (auto split = dyn_cast<pd::SplitOp>(op))
    return isLast(static_cast<int64_t>(split.getAxis())) && split.getOut()[index] == value ? split.getX()
                                                                                           : Value();
  auto slice = dyn_cast<pd::SliceOp>(op);
  bool isLastHalf = slice && slice.getAxes().size() == 1 && isLast(slice.getAxes()[0]) &&
                    (slice.getStrides().empty() || slice.getStrides()[0] == 1);
  if (!isLastHalf)
    return Value();
  int64_t start = slice.getStarts()[0];
  return (start < 0 ? start + size : start) == index * size / 2 ? slice.getX() : Value();
}

/// The x of which `value` is concat(-b, a) with its halves a and b.
Value turnedBy(Value value) {
  auto concat = value.getDefiningOp<pd::ConcatOp>();
  if (!concat || concat.getX().size() != 2 || concat.getAxisTensor())
    return Value();
  auto axis = static_cast<int64_t>(concat.getAxis());
  Operation *negative = concat.getX()[0].getDefiningOp();
  if ((axis != -1 && axis != pd::tensorType(value).getRank() - 1) || constantFactor(negative) != -1.0)
    return Value();
  Value x = wholeOfHalf(concat.getX()[1], 0);
  return x && x == wholeOfHalf(negative->getOperand(0), 1) ? x : Value();
}

struct FormRotaryEmbedding : OpRewritePattern<pd::AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(pd::AddOp op, PatternRewriter &rewriter) const override {
    for (unsigned turned : {0, 1}) {
      auto sine = op->getOperand(turned).getDefiningOp<pd::MultiplyOp>(),
           cosine = op->getOperand(1 - turned).getDefiningOp<pd::MultiplyOp>();
      if (!sine || !cosine || !sine->hasOneUse() || !cosine->hasOneUse())
        continue;
      for (unsigned i : {0, 1})
        for (unsigned j : {0, 1}) {
          Value x = cosine->getOperand(j), other = sine->getOperand(i);
          if (x.getType() == op.getType() && other.hasOneUse() && turnedBy(other) == x) {
            rewriter.replaceOpWithNewOp<pd::RotaryEmbeddingOp>(op, x, cosine->getOperand(1 - j),
                                                               sine->getOperand(1 - i));
            return success();
          }
        }
    }
    return rewriter.notifyMatchFailure(op, "expected x cosines + concat(-b, a) sines");
  }
};

namespace activations {
#include "passes/fuse/Activations.pdll.inc"
} // namespace activations

class FormCompositesPass : public impl::FormCompositesBase<FormCompositesPass> {
public:
  using FormCompositesBase::FormCompositesBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<FormGeluOfErf, FormGeluOfTanh, FormNormalization<pd::SqrtOp>, FormNormalization<pd::RsqrtOp>,
            FormRotaryEmbedding>(context);
    activations::populateGeneratedPDLLPatterns(set);
    return PatternSet::compile(std::move(set), PassRemarks(getArgument()), patterns);
  }

  void runOnOperation() override {
    if (failed(patterns.apply(getOperation())))
      signalPassFailure();
  }

private:
  PatternSet patterns;
};

} // namespace
} // namespace proa
