//! Hooks of elementwise ops and reductions.
#include "translator/import/LegacyTable.h"
#include "translator/import/hooks/Formula.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {

/// Of a complex operand and another one: both complex, of the wider of the two. Null values where that
/// failed.
static void makeBothComplex(OpImporter &importer, Value &x, Value &y) {
  Type of[] = {pd::tensorType(x).getElementType(), pd::tensorType(y).getElementType()};
  auto isReal = [](Type type) { return type.isF32() || type.isF64(); };
  auto part = [](Type type) {
    return isa<ComplexType>(type) ? cast<ComplexType>(type).getElementType() : type;
  };
  if (of[0] == of[1] || !isReal(part(of[0])) || !isReal(part(of[1])) || (isReal(of[0]) && isReal(of[1])))
    return;
  Type wide = ComplexType::get(part(of[0]).isF64() ? part(of[0]) : part(of[1]));
  for (Value *value : {&x, &y})
    if (pd::tensorType(*value).getElementType() != wide)
      *value = importer.createOne("pd.cast", {{*value}}, {importer.named("dtype", TypeAttr::get(wide))});
}

/// X and Y; null, and a report, where one is missing or cannot be made complex.
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
  // The dimensions of the operand of lower rank stand at the other's from `axis` on: what is missing behind
  // them has extent 1.
  if (axis != -1 && xRank != yRank) {
    Value &lower = yRank < xRank ? y : x;
    int64_t rank = std::min(xRank, yRank), behind = std::max(xRank, yRank) - axis - rank;
    if (axis < 0 || behind < 0) {
      importer.report("axis " + llvm::Twine(axis) + " does not fit operands of rank " + llvm::Twine(xRank) +
                      " and " + llvm::Twine(yRank));
      return;
    }
    llvm::SmallVector<int64_t> shape(rank, 0);
    shape.append(behind, 1);
    if (behind > 0)
      lower =
          importer.createOne("pd.reshape", {{lower}, {}},
                             {importer.named("shape", importer.getBuilder().getDenseI64ArrayAttr(shape))});
  }
  if (!x || !y)
    return;
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
static Value meanOfIntegers(OpImporter &importer, Value x, llvm::SmallVector<NamedAttribute> attributes) {
  Builder &builder = importer.getBuilder();
  attributes.push_back(importer.named("dtype", TypeAttr::get(pd::tensorType(x).getElementType())));
  Value ones =
      importer.createOne("pd.full_like", {{x}, {}}, {importer.named("value", builder.getF64FloatAttr(1))});
  Value sum = importer.createOne("pd.sum", {{x}}, attributes);
  Value count = ones ? importer.createOne("pd.sum", {{ones}}, attributes) : Value();
  return sum && count ? importer.createOne("pd.divide", {{sum}, {count}}) : Value();
}

void importReduce(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<int64_t> axes = importer.intsAttribute("dim", {0});
  // What 2.x Python wrote for "all dimensions": reduce_all=true beside dim=[0].
  if (importer.boolAttribute("reduce_all", false) ||
      axes.size() == static_cast<size_t>(pd::tensorType(x).getRank()))
    axes.clear();
  llvm::SmallVector<NamedAttribute> attributes{
      importer.named("axis", builder.getDenseI64ArrayAttr(axes)),
      importer.named("keepdim", builder.getBoolAttr(importer.boolAttribute("keep_dim", false)))};
  // Of other elements than bools, those count that are not zero.
  if ((importer.target() == "pd.all" || importer.target() == "pd.any") &&
      !pd::tensorType(x).getElementType().isInteger(1))
    x = importer.createOne("pd.cast", {{x}}, {importer.named("dtype", TypeAttr::get(builder.getI1Type()))});
  if (!x)
    return;
  bool isSum = importer.legacyOp().type == "reduce_sum";
  if (isSum && importer.intAttribute("out_dtype", -1) >= 0) {
    Type dtype = importer.typeAttribute("out_dtype", -1);
    if (!dtype)
      return;
    attributes.push_back(importer.named("dtype", TypeAttr::get(dtype)));
  }
  bool isIntegerMean = importer.target() == "pd.mean" && pd::tensorType(x).getElementType().isInteger() &&
                       !pd::tensorType(x).getElementType().isInteger(1);
  importer.setOutput("Out", isIntegerMean ? meanOfIntegers(importer, x, attributes)
                                          : importer.createOne(importer.target(), {{x}}, attributes));
}

/// Of integers Paddle computes the angle in float64.
void importAtan2(OpImporter &importer) {
  for (const char *slot : {"X1", "X2"}) {
    Value operand = importer.input(slot);
    if (operand && pd::isIntegerTensor(operand.getType()))
      importer.overrideInput(
          slot,
          importer.createOne("pd.cast", {{operand}},
                             {importer.named("dtype", TypeAttr::get(importer.getBuilder().getF64Type()))}));
  }
  importer.importByTable();
}

void importCloseness(OpImporter &importer) {
  // The tolerances are texts: "1e-05".
  for (auto [name, otherwise] : {std::pair("rtol", "1e-5"), std::pair("atol", "1e-8")}) {
    double number = 0;
    std::string text = importer.stringAttribute(name, otherwise);
    if (llvm::StringRef(text).getAsDouble(number))
      return importer.report("attribute '" + llvm::StringRef(name) + "' must be a number, found '" + text +
                             "'");
    importer.overrideAttribute(name, importer.getBuilder().getF64FloatAttr(number));
  }
  importer.importByTable();
}

/// Of bools (a Python number added to a mask) scale and bias are bools as well: any number but 0 is true, a
/// product is "and", a sum is "or".
void importScale(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  if (!pd::tensorType(x).getElementType().isInteger(1) || importer.input("ScaleTensor") ||
      importer.input("BiasTensor"))
    return importer.importByTable();
  bool factor = importer.floatAttribute("scale", 1.0) != 0,
       summand = importer.floatAttribute("bias", 0.0) != 0;
  bool isSumLast = importer.boolAttribute("bias_after_scale", true);
  auto all = [&](bool value) {
    double number = value ? 1 : 0;
    return importer.createOne("pd.full_like", {{x}, {}},
                              {importer.named("value", importer.getBuilder().getF64FloatAttr(number))});
  };
  if (summand && (isSumLast || factor))
    return importer.setOutput("Out", all(true));
  importer.setOutput("Out", factor ? importer.createOne("pd.assign", {{x}}) : all(false));
}

/// Integers are converted to float32.
void importUnaryOfReals(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  if (pd::tensorType(x).getElementType().isInteger()) {
    Type f32 = importer.getBuilder().getF32Type();
    importer.overrideInput(
        "X", importer.createOne("pd.cast", {{x}}, {importer.named("dtype", TypeAttr::get(f32))}));
  }
  importer.importByTable();
}

namespace {

/// Activations of complex numbers. Comparisons look at the real parts, as Paddle's do.
class ComplexActivation : public Formula {
public:
  ComplexActivation(OpImporter &importer, Value x)
      : Formula(importer), x(x), type(pd::tensorType(x).getElementType()) {}

  Value softsign() { return binary("pd.divide", x, scale(cast(make("pd.abs", {{x}}), type), 1, 1)); }
  /// log(1 / (1 + exp(-x))), where exp does not overflow: the exponent is that of x and -x whose real part is
  /// negative.
  Value logsigmoid() {
    Value isNegative = isBelow(x, 0);
    Value tail = make("pd.log1p", {{make("pd.exp", {{where(isNegative, x, scale(x, -1))}})}});
    return binary("pd.subtract", where(isNegative, x, number(0)), tail);
  }
  Value softplus(double beta, double threshold) {
    Value scaled = scale(x, beta),
          isInside = make("pd.logical_not", {{isBelow(scale(scaled, -1), -threshold)}});
    Value curve = make("pd.log1p", {{make("pd.exp", {{where(isInside, scaled, number(0))}})}});
    return where(isInside, scale(curve, 1 / beta), x);
  }
  /// x min(max(x + 3, 0), 6) / 6
  Value hardSwish() {
    Value factor = scale(x, 1, 3);
    factor = where(isBelow(factor, 0), number(0), factor);
    factor = where(isBelow(factor, 6), factor, number(6));
    return scale(multiply(x, factor), 1.0 / 6);
  }

private:
  Value isBelow(Value z, double bound) {
    Value real = z ? make("pd.real", {{z}}) : Value();
    return binary("pd.less_than", real,
                  real ? number(bound, pd::tensorType(real).getElementType()) : Value());
  }
  Value where(Value condition, Value onTrue, Value onFalse) {
    return make("pd.where", {{condition}, {onTrue}, {onFalse}});
  }
  Value number(double value, Type element) {
    return make("pd.full", {{}, {}},
                {integers("shape", {}), importer.named("dtype", TypeAttr::get(element)),
                 Formula::number("value", value)});
  }
  Value number(double value) { return number(value, type); }

  Value x;
  Type type;
};

} // namespace

/// Softsign and its like are functions of real numbers here; what they are of complex ones is made of other
/// ops.
void importActivation(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x || !isa<ComplexType>(pd::tensorType(x).getElementType()))
    return x ? importer.importByTable() : void();
  ComplexActivation activation(importer, x);
  llvm::StringRef op = importer.target();
  if (op == "pd.softsign")
    importer.setOutput("Out", activation.softsign());
  else if (op == "pd.logsigmoid")
    importer.setOutput("Out", activation.logsigmoid());
  else if (op == "pd.softplus")
    importer.setOutput("Out", activation.softplus(importer.floatAttribute("beta", 1),
                                                  importer.floatAttribute("threshold", 20)));
  else
    importer.setOutput("Out", activation.hardSwish());
}

/// Until Paddle 3 halves were rounded away from zero.
void importRound(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  Builder &builder = importer.getBuilder();
  importer.setOutput(
      "Out", importer.createOne(
                 "pd.round", {{x}},
                 {importer.named("decimals", builder.getI64IntegerAttr(importer.intAttribute("decimals", 0))),
                  importer.named("half_to_even", builder.getBoolAttr(importer.isOfPaddle3()))}));
}

/// Until Paddle 3 its CPU kernel cut off what 16 bits do not hold.
void importCast(OpImporter &importer) {
  if (!importer.hasAttribute("out_dtype"))
    return importer.importByTable();
  Value x = importer.requiredInput("X");
  Type to = importer.typeAttribute("out_dtype", 0);
  if (!x || !to)
    return;
  llvm::SmallVector<NamedAttribute> attributes{importer.named("dtype", TypeAttr::get(to))};
  if ((to.isF16() || to.isBF16()) && !importer.isOfPaddle3())
    attributes.push_back(importer.named("toward_zero", importer.getBuilder().getBoolAttr(true)));
  importer.setOutput("Out", importer.createOne("pd.cast", {{x}}, attributes));
}

} // namespace proa::import::hooks
