//! Hooks of elementwise ops and reductions.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

using namespace mlir;

namespace proa::import::hooks {

/// Casts a real operand beside a complex one to complex, and both to the wider of the two types.
static void makeBothComplex(OpImporter &importer, Value &x, Value &y) {
  Type of[] = {pd::tensorType(x).getElementType(), pd::tensorType(y).getElementType()};
  auto isReal = [](Type type) { return type.isF32() || type.isF64(); };
  auto component = [](Type type) {
    return isa<ComplexType>(type) ? cast<ComplexType>(type).getElementType() : type;
  };
  if (of[0] == of[1] || !isReal(component(of[0])) || !isReal(component(of[1])) ||
      (isReal(of[0]) && isReal(of[1])))
    return;
  Type wide = ComplexType::get(component(of[0]).isF64() ? component(of[0]) : component(of[1]));
  for (Value *value : {&x, &y})
    *value = importer.tensors().cast(importer.wrap(*value), wide);
}

/// X and Y; null, and a report, where one is missing.
static std::pair<Value, Value> bothOperands(OpImporter &importer) {
  Value x = importer.requiredInput("X"), y = importer.requiredInput("Y");
  if (x && y)
    makeBothComplex(importer, x, y);
  return {x, y};
}

void importMatmul(OpImporter &importer) {
  auto [x, y] = bothOperands(importer);
  if (!x || !y)
    return;
  importer.overrideInput("X", x);
  importer.overrideInput("Y", y);
  importer.importByTable();
}

void importElementwise(OpImporter &importer) {
  int64_t axis = importer.intAttribute("axis", -1);
  auto [x, y] = bothOperands(importer);
  if (!x || !y)
    return;
  int64_t xRank = pd::tensorType(x).getRank(), yRank = pd::tensorType(y).getRank();
  // The dims of the operand of lower rank are aligned with the dims of the other one from `axis` on. Dims of
  // size 1 follow them.
  if (axis != -1 && xRank != yRank) {
    Value &lower = yRank < xRank ? y : x;
    int64_t rank = std::min(xRank, yRank), after = std::max(xRank, yRank) - axis - rank;
    if (axis < 0 || after < 0) {
      importer.report("axis " + llvm::Twine(axis) + " does not fit operands of rank " + llvm::Twine(xRank) +
                      " and " + llvm::Twine(yRank));
      return;
    }
    llvm::SmallVector<int64_t> shape(rank, 0);
    shape.append(after, 1);
    if (after > 0)
      lower = importer.tensors().reshape(importer.wrap(lower), shape);
  }
  importer.overrideInput("X", x);
  importer.overrideInput("Y", y);
  importer.importByTable();
}

/// Paddle 2.6.2 compares float32 and float64 within a tolerance, everything else exactly (EqualFunctor, whose
/// std::is_floating_point does not hold for its own float16 and bfloat16).
static void addTolerance(OpImporter &importer) {
  Value x = importer.input("X");
  Type element = x ? pd::tensorType(x).getElementType() : Type();
  if (element && (element.isF32() || element.isF64()))
    importer.addAttribute("tolerance", importer.getBuilder().getF64FloatAttr(1e-8));
}

void importEquality(OpImporter &importer) {
  addTolerance(importer);
  importElementwise(importer);
}

void importEqualAll(OpImporter &importer) {
  addTolerance(importer);
  importer.importByTable();
}

/// The sum divided by the number of elements, rounded towards zero, in the operand's type.
static Expression meanOfIntegers(Expression x, llvm::ArrayRef<int64_t> axes, bool keepdim) {
  auto dtype = TypeAttr::get(x.type().getElementType());
  Expression count = apply<pd::SumOp>(fullLike(x, 1), axes, keepdim, dtype);
  return apply<pd::SumOp>(x, axes, keepdim, dtype) / count;
}

void importReduce(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<int64_t> axes = importer.intsAttribute("dim", {0});
  bool keepdim = importer.boolAttribute("keep_dim", false);
  // Python 2.x writes reduce_all = true and dim = [0] for all dimensions.
  if (importer.boolAttribute("reduce_all", false) ||
      axes.size() == static_cast<size_t>(pd::tensorType(x).getRank()))
    axes.clear();
  // `all` and `any` test whether elements differ from zero.
  if (importer.targets<pd::AllOp>() || importer.targets<pd::AnyOp>())
    x = importer.tensors().cast(importer.wrap(x), builder.getI1Type());
  Type element = pd::tensorType(x).getElementType();
  if (importer.targets<pd::MeanOp>() && element.isInteger() && !element.isInteger(1))
    return importer.setOutput("Out", meanOfIntegers(importer.wrap(x), axes, keepdim));
  llvm::SmallVector<NamedAttribute> attributes{importer.named("axis", builder.getDenseI64ArrayAttr(axes)),
                                               importer.named("keepdim", builder.getBoolAttr(keepdim))};
  if (importer.intAttribute("out_dtype", -1) >= 0) {
    Type dtype = importer.typeAttribute("out_dtype", -1);
    bool isSum = importer.targets<pd::SumOp>();
    if (!dtype)
      return;
    if (!isSum && dtype != element)
      return importer.report(
          "attribute 'out_dtype' is not the element type of 'X', which is supported for sums only");
    if (isSum)
      attributes.push_back(importer.named("dtype", TypeAttr::get(dtype)));
  }
  // The records of all reductions have the same attributes.
  if (Operands result = importer.createByName(importer.target(), {{x}}, attributes); !result.empty())
    importer.setOutput("Out", result[0]);
}

/// Paddle computes the angle of integers in float64.
void importAtan2(OpImporter &importer) {
  for (const char *slot : {"X1", "X2"})
    if (Value operand = importer.input(slot); operand && pd::isIntegerTensor(operand.getType()))
      importer.overrideInput(
          slot, importer.tensors().cast(importer.wrap(operand), importer.getBuilder().getF64Type()));
  importer.importByTable();
}

void importCloseness(OpImporter &importer) {
  // The tolerances are texts: "1e-05".
  for (auto [name, otherwise] : {std::pair("rtol", "1e-5"), std::pair("atol", "1e-8")}) {
    double value = 0;
    std::string text = importer.stringAttribute(name, otherwise);
    if (llvm::StringRef(text).getAsDouble(value))
      return importer.report("attribute '" + llvm::StringRef(name) + "' must be a number, found '" + text +
                             "'");
    importer.overrideAttribute(name, importer.getBuilder().getF64FloatAttr(value));
  }
  importer.importByTable();
}

/// The scale and bias of bools (a Python number added to a mask) are bools: any number but 0 is true, a
/// product is "and", a sum is "or".
void importScale(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  if (!pd::tensorType(x).getElementType().isInteger(1) || importer.input("ScaleTensor") ||
      importer.input("BiasTensor"))
    return importer.importByTable();
  bool factor = importer.floatAttribute("scale", 1.0) != 0, bias = importer.floatAttribute("bias", 0.0) != 0;
  bool isBiasLast = importer.boolAttribute("bias_after_scale", true);
  Expression operand = importer.wrap(x);
  if (bias && (isBiasLast || factor))
    return importer.setOutput("Out", fullLike(operand, 1));
  importer.setOutput("Out", factor ? apply<pd::AssignOp>(operand) : fullLike(operand, 0));
}

/// Integers are converted to float32.
void importUnaryOfReals(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  if (pd::tensorType(x).getElementType().isInteger())
    importer.overrideInput("X",
                           importer.tensors().cast(importer.wrap(x), importer.getBuilder().getF32Type()));
  importer.importByTable();
}

namespace {

/// Activations of complex numbers. Comparisons compare the real components, as Paddle's do.
class ComplexActivation {
public:
  explicit ComplexActivation(Expression x) : e(x.owner()), x(x), type(x.type().getElementType()) {}

  Expression softsign() { return x / scale(e.cast(e.abs(x), type), 1, 1); }
  /// log(1 / (1 + exp(-x))) without overflow of exp: its argument is x or -x, the one with a negative real
  /// component.
  Expression logsigmoid() {
    Expression isNegative = isBelow(x, 0);
    Expression tail = e.log1p(e.exp(e.select(isNegative, x, scale(x, -1))));
    return e.select(isNegative, x, number(0)) - tail;
  }
  Expression softplus(double beta, double threshold) {
    Expression scaled = scale(x, beta),
               isInside = apply<pd::LogicalNotOp>(isBelow(scale(scaled, -1), -threshold));
    Expression curve = e.log1p(e.exp(e.select(isInside, scaled, number(0))));
    return e.select(isInside, scale(curve, 1 / beta), x);
  }
  /// x min(max(x + 3, 0), 6) / 6
  Expression hardSwish() {
    Expression factor = scale(x, 1, 3);
    factor = e.select(isBelow(factor, 0), number(0), factor);
    factor = e.select(isBelow(factor, 6), factor, number(6));
    return scale(x * factor, 1.0 / 6);
  }

private:
  Expression isBelow(Expression z, double bound) { return apply<pd::RealOp>(z) < bound; }
  Expression number(double value) { return e.constant(value, type); }

  TensorBuilder &e;
  Expression x;
  Type type;
};

} // namespace

/// Softsign and similar ops are functions of real numbers in pd. Of complex numbers they become formulas.
void importActivation(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x || !isa<ComplexType>(pd::tensorType(x).getElementType()))
    return x ? importer.importByTable() : void();
  ComplexActivation activation(importer.wrap(x));
  if (importer.targets<pd::SoftsignOp>())
    importer.setOutput("Out", activation.softsign());
  else if (importer.targets<pd::LogsigmoidOp>())
    importer.setOutput("Out", activation.logsigmoid());
  else if (importer.targets<pd::SoftplusOp>())
    importer.setOutput("Out", activation.softplus(importer.floatAttribute("beta", 1),
                                                  importer.floatAttribute("threshold", 20)));
  else
    importer.setOutput("Out", activation.hardSwish());
}

/// Paddle 2 rounds halves away from zero, Paddle 3 to even.
void importRound(OpImporter &importer) {
  if (Value x = importer.requiredInput("X"))
    importer.setOutput("Out", importer.tensors().create<pd::RoundOp>(x, importer.intAttribute("decimals", 0),
                                                                     importer.isOfPaddle3()));
}

/// The CPU kernel of Paddle 2 truncates to 16-bit floats.
void importCast(OpImporter &importer) {
  if (!importer.hasAttribute("out_dtype"))
    return importer.importByTable();
  Value x = importer.requiredInput("X");
  Type to = importer.typeAttribute("out_dtype", 0);
  if (!x || !to)
    return;
  bool towardZero = (to.isF16() || to.isBF16()) && !importer.isOfPaddle3();
  importer.setOutput("Out", importer.tensors().create<pd::CastOp>(x, to, towardZero));
}

} // namespace proa::import::hooks
