#include "passes/patterns/NativeFunctions.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "passes/analysis/ConstantNumber.h"
#include "passes/analysis/ParameterValue.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;

namespace proa {
namespace {

std::string textOf(double value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::format("%g", value);
  return text;
}

/// The reason why a constraint on a value fails.
LogicalResult refuse(PatternRewriter &rewriter, Value value, const Twine &reason) {
  return rewriter.notifyMatchFailure(value.getLoc(), reason);
}

/// Of an attribute, which has no location: the location of the pattern's root is used.
LogicalResult refuse(PatternRewriter &rewriter, const Twine &reason) {
  return rewriter.notifyMatchFailure(UnknownLoc::get(rewriter.getContext()), reason);
}

/// Constants of programs have six digits or more.
bool isNear(double a, double b) { return std::abs(a - b) <= 2e-6 * std::max(std::abs(b), 1e-3); }

std::optional<double> numberOf(Attribute attribute) {
  if (auto floating = dyn_cast<FloatAttr>(attribute))
    return floating.getValueAsDouble();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                          : integer.getValue().getSExtValue();
  return std::nullopt;
}

RankedTensorType typeOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

Type elementOf(Value value) {
  RankedTensorType type = typeOf(value);
  return type ? type.getElementType() : Type();
}

template <class T> std::string textOfIr(T element) {
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

//===-- Uses and constants ------------------------------------------------------------------------------===//

LogicalResult hasOneUse(PatternRewriter &rewriter, Value value) {
  size_t uses = std::distance(value.use_begin(), value.use_end());
  if (uses != 1)
    return refuse(rewriter, value, "it has " + Twine(uses) + " uses, expected one");
  if ((*value.user_begin())->getBlock() != value.getParentBlock())
    return refuse(rewriter, value, "its use is in another block");
  return success();
}

LogicalResult isSame(PatternRewriter &rewriter, Value a, Value b) {
  return a == b ? success() : refuse(rewriter, a, "it is not the other value");
}

LogicalResult isAbsent(PatternRewriter &rewriter, ValueRange operand) {
  return operand.empty() ? success() : refuse(rewriter, operand[0], "the op has this optional operand");
}

LogicalResult isConstant(PatternRewriter &rewriter, Value value) {
  return pd::knownTensor(value) ? success() : refuse(rewriter, value, "it is not constant");
}

LogicalResult isScalarIn(PatternRewriter &rewriter, Value value, Attribute low, Attribute high) {
  std::optional<double> scalar = constantNumber(value), least = numberOf(low), most = numberOf(high);
  if (!least || !most)
    return refuse(rewriter, "the bounds are not numbers");
  if (!scalar)
    return refuse(rewriter, value, "it is not a constant of equal elements");
  if (*scalar >= *least && *scalar <= *most)
    return success();
  return refuse(rewriter, value,
                "it is " + textOf(*scalar) + ", expected " + textOf(*least) + " to " + textOf(*most));
}

LogicalResult isScalar(PatternRewriter &rewriter, Value value, Attribute expected) {
  std::optional<double> scalar = constantNumber(value), other = numberOf(expected);
  if (!other)
    return refuse(rewriter, "the second argument is not a number");
  if (!scalar)
    return refuse(rewriter, value, "it is not a constant of equal elements");
  return isNear(*scalar, *other)
             ? success()
             : refuse(rewriter, value, "it is " + textOf(*scalar) + ", expected " + textOf(*other));
}

LogicalResult scalarAttribute(PatternRewriter &rewriter, PDLResultList &results,
                              ArrayRef<PDLValue> arguments) {
  auto value = arguments[0].cast<Value>();
  std::optional<double> scalar = constantNumber(value);
  if (!scalar)
    return refuse(rewriter, value, "it is not a constant of equal elements");
  results.push_back(rewriter.getF64FloatAttr(*scalar));
  return success();
}

LogicalResult isParameter(PatternRewriter &rewriter, Value value) {
  const char *reason = whyNotParameter(value);
  return reason ? refuse(rewriter, value, reason) : success();
}

LogicalResult isNumberIn(PatternRewriter &rewriter, Attribute attribute, Attribute low, Attribute high) {
  std::optional<double> value = numberOf(attribute), least = numberOf(low), most = numberOf(high);
  if (!value || !least || !most)
    return refuse(rewriter, "an argument is not a number");
  if (*value >= *least && *value <= *most)
    return success();
  return refuse(rewriter,
                "it is " + textOf(*value) + ", expected " + textOf(*least) + " to " + textOf(*most));
}

LogicalResult isNumber(PatternRewriter &rewriter, Attribute attribute, Attribute expected) {
  std::optional<double> value = numberOf(attribute), other = numberOf(expected);
  if (!value || !other)
    return refuse(rewriter, "an argument is not a number");
  return isNear(*value, *other)
             ? success()
             : refuse(rewriter, "it is " + textOf(*value) + ", expected " + textOf(*other));
}

//===-- Types and shapes --------------------------------------------------------------------------------===//

LogicalResult isFloat(PatternRewriter &rewriter, Value value) {
  Type element = elementOf(value);
  return isa_and_nonnull<FloatType>(element) ? success()
                                             : refuse(rewriter, value, "its elements are not floats");
}

LogicalResult isInteger(PatternRewriter &rewriter, Value value) {
  Type element = elementOf(value);
  return isa_and_nonnull<IntegerType>(element) ? success()
                                               : refuse(rewriter, value, "its elements are not integers");
}

LogicalResult hasElementType(PatternRewriter &rewriter, Value value, Attribute attribute) {
  auto type = dyn_cast<TypeAttr>(attribute);
  if (!type)
    return refuse(rewriter, "the second argument is not a type");
  if (elementOf(value) == type.getValue())
    return success();
  return refuse(rewriter, value,
                "its type is " + textOfIr(value.getType()) + ", expected elements of " +
                    textOfIr(type.getValue()));
}

LogicalResult refuseTypes(PatternRewriter &rewriter, Value a, Value b, StringRef what) {
  return refuse(rewriter, a,
                "the types " + textOfIr(a.getType()) + " and " + textOfIr(b.getType()) + " have different " +
                    what);
}

LogicalResult sameElementType(PatternRewriter &rewriter, Value a, Value b) {
  return elementOf(a) == elementOf(b) ? success() : refuseTypes(rewriter, a, b, "elements");
}

LogicalResult sameShape(PatternRewriter &rewriter, Value a, Value b) {
  RankedTensorType first = typeOf(a), second = typeOf(b);
  return first && second && first.getShape() == second.getShape() ? success()
                                                                  : refuseTypes(rewriter, a, b, "dims");
}

LogicalResult sameType(PatternRewriter &rewriter, Value a, Value b) {
  if (failed(sameElementType(rewriter, a, b)))
    return failure();
  return sameShape(rewriter, a, b);
}

LogicalResult refuseShape(PatternRewriter &rewriter, Value value, const Twine &expected) {
  return refuse(rewriter, value, "its type is " + textOfIr(value.getType()) + ", expected " + expected);
}

/// MLIR 22 cannot unpack arguments of PDL as IntegerAttr.
LogicalResult refuseArguments(PatternRewriter &rewriter) {
  return refuse(rewriter, "an argument is not an integer of the expected range");
}

LogicalResult isStatic(PatternRewriter &rewriter, Value value) {
  RankedTensorType type = typeOf(value);
  return type && type.hasStaticShape() ? success() : refuseShape(rewriter, value, "static dims");
}

LogicalResult hasRank(PatternRewriter &rewriter, Value value, Attribute attribute) {
  RankedTensorType type = typeOf(value);
  auto rank = dyn_cast<IntegerAttr>(attribute);
  if (!rank)
    return refuseArguments(rewriter);
  return type && type.getRank() == rank.getInt()
             ? success()
             : refuseShape(rewriter, value, Twine(rank.getInt()) + " dims");
}

/// The size of a dim, from the end if negative; dynamic if there is no such dim.
int64_t sizeOf(Value value, int64_t dim) {
  RankedTensorType type = typeOf(value);
  if (!type)
    return ShapedType::kDynamic;
  dim += dim < 0 ? type.getRank() : 0;
  return dim < 0 || dim >= type.getRank() ? ShapedType::kDynamic : type.getDimSize(dim);
}

LogicalResult hasDim(PatternRewriter &rewriter, Value value, Attribute first, Attribute second) {
  auto dim = dyn_cast<IntegerAttr>(first), size = dyn_cast<IntegerAttr>(second);
  if (!dim || !size)
    return refuseArguments(rewriter);
  return sizeOf(value, dim.getInt()) == size.getInt()
             ? success()
             : refuseShape(rewriter, value,
                           "the size " + Twine(size.getInt()) + " of dim " + Twine(dim.getInt()));
}

LogicalResult hasDimMultipleOf(PatternRewriter &rewriter, Value value, Attribute first, Attribute second) {
  auto dim = dyn_cast<IntegerAttr>(first), number = dyn_cast<IntegerAttr>(second);
  if (!dim || !number || number.getInt() <= 0)
    return refuseArguments(rewriter);
  int64_t size = sizeOf(value, dim.getInt());
  return !ShapedType::isDynamic(size) && size % number.getInt() == 0
             ? success()
             : refuseShape(rewriter, value,
                           "a multiple of " + Twine(number.getInt()) + " as dim " + Twine(dim.getInt()));
}

LogicalResult broadcastsTo(PatternRewriter &rewriter, Value value, Value to) {
  RankedTensorType type = typeOf(value), target = typeOf(to);
  bool fits = type && target && type.getRank() <= target.getRank();
  for (int64_t i = 1; fits && i <= type.getRank(); ++i) {
    int64_t size = sizeOf(value, -i);
    fits = size == 1 || (size == sizeOf(to, -i) && !ShapedType::isDynamic(size));
  }
  return fits || value.getType() == to.getType()
             ? success()
             : refuseShape(rewriter, value, "one that broadcasts to " + textOfIr(to.getType()));
}

LogicalResult isVectorOfLastDim(PatternRewriter &rewriter, Value value, Value of) {
  RankedTensorType type = typeOf(value);
  int64_t size = sizeOf(of, -1);
  return type && type.getRank() == 1 && !ShapedType::isDynamic(size) && type.getDimSize(0) == size
             ? success()
             : refuseShape(rewriter, value, "a vector of the last dim of " + textOfIr(of.getType()));
}

bool swapsLastTwo(ArrayRef<int64_t> permutation) {
  auto rank = static_cast<int64_t>(permutation.size());
  for (int64_t i = 0; i < rank; ++i) {
    int64_t source = permutation[i] + (permutation[i] < 0 ? rank : 0);
    if (source != (i < rank - 2 ? i : 2 * rank - 3 - i))
      return false;
  }
  return rank >= 2;
}

LogicalResult swapsLastDims(PatternRewriter &rewriter, Attribute attribute) {
  auto permutation = dyn_cast<DenseI64ArrayAttr>(attribute);
  return permutation && swapsLastTwo(permutation)
             ? success()
             : refuse(rewriter,
                      textOfIr(attribute) + " is not a permutation that swaps only the last two dims");
}

//===-- Variants of a formula ---------------------------------------------------------------------------===//

/// value = scale * source + bias.
struct AffineForm {
  Value source;
  double scale = 1, bias = 0;
};

/// One step from `form.source` to the value that it is computed from; false if no number is involved.
bool stepBack(AffineForm &form) {
  Operation *op = form.source.getDefiningOp();
  if (!op || typeOf(form.source) == nullptr)
    return false;
  double scale = 1, bias = 0;
  Value source;
  if (auto scaled = dyn_cast<pd::ScaleOp>(op)) {
    if (scaled.getScaleTensor() || scaled.getBiasTensor())
      return false;
    source = scaled.getX();
    scale = scaled.getScale().convertToDouble();
    bias = scaled.getBias().convertToDouble() * (scaled.getBiasAfterScale() ? 1 : scale);
  } else if (isa<pd::AddOp, pd::SubtractOp, pd::MultiplyOp, pd::DivideOp>(op)) {
    std::optional<double> left = constantNumber(op->getOperand(0)), right = constantNumber(op->getOperand(1));
    if (left.has_value() == right.has_value() || (left && isa<pd::DivideOp>(op)) ||
        (right && *right == 0 && isa<pd::DivideOp>(op)))
      return false;
    source = op->getOperand(left ? 1 : 0);
    double value = left ? *left : *right;
    if (isa<pd::AddOp>(op))
      bias = value;
    else if (isa<pd::SubtractOp>(op))
      scale = left ? -1 : 1, bias = left ? value : -value;
    else
      scale = isa<pd::MultiplyOp>(op) ? value : 1 / value;
  }
  if (!source || source.getType() != form.source.getType() || !isa<FloatType>(elementOf(source)))
    return false;
  form = {source, form.scale * scale, form.scale * bias + form.bias};
  return true;
}

/// The longest chain whose inner values have no other use.
AffineForm affineForm(Value value) {
  AffineForm form{value};
  while (stepBack(form) && form.source.hasOneUse())
    ;
  return form;
}

LogicalResult affine(PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
  AffineForm form = affineForm(arguments[0].cast<Value>());
  results.push_back(form.source);
  results.push_back(rewriter.getF64FloatAttr(form.scale));
  results.push_back(rewriter.getF64FloatAttr(form.bias));
  return success();
}

LogicalResult scaledUse(PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
  auto value = arguments[0].cast<Value>();
  double scale = 1;
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    AffineForm form{user->getNumResults() == 1 ? Value(user->getResult(0)) : Value()};
    if (!form.source || user->getBlock() != value.getParentBlock() || !stepBack(form) ||
        form.source != value || form.bias != 0)
      break;
    value = user->getResult(0);
    scale *= form.scale;
  }
  results.push_back(value);
  results.push_back(rewriter.getF64FloatAttr(scale));
  return success();
}

LogicalResult untransposed(PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
  auto value = arguments[0].cast<Value>();
  auto transpose = value.getDefiningOp<pd::TransposeOp>();
  bool isSwapped = transpose && swapsLastTwo(transpose.getPerm());
  results.push_back(isSwapped ? Value(transpose.getX()) : value);
  results.push_back(rewriter.getBoolAttr(isSwapped));
  return success();
}

LogicalResult operandOf(PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
  auto value = arguments[0].cast<Value>();
  auto name = dyn_cast<StringAttr>(arguments[1].cast<Attribute>());
  Operation *op = value.getDefiningOp();
  if (!name || !op || op->getName().getStringRef() != name.getValue() || op->getNumOperands() != 1)
    return refuse(rewriter, value,
                  "it is not the result of " +
                      (name ? name.getValue() : StringRef("an op, named by a text")));
  results.push_back(op->getOperand(0));
  return success();
}

//===-- Attributes for the result -----------------------------------------------------------------------===//

LogicalResult sizeAttribute(PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
  auto value = arguments[0].cast<Value>();
  auto dim = dyn_cast<IntegerAttr>(arguments[1].cast<Attribute>());
  if (!dim)
    return refuse(rewriter, "the second argument is not an integer");
  int64_t size = sizeOf(value, dim.getInt());
  if (ShapedType::isDynamic(size))
    return refuseShape(rewriter, value, "a static dim " + Twine(dim.getInt()));
  results.push_back(rewriter.getI64IntegerAttr(size));
  return success();
}

template <class Function> PDLConstraintFunction arithmetic(Function function) {
  return [function](PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
    std::optional<double> a = numberOf(arguments[0].cast<Attribute>()),
                          b = numberOf(arguments[1].cast<Attribute>());
    if (!a || !b)
      return refuse(rewriter, "an argument is not a number");
    double result = function(*a, *b);
    if (!std::isfinite(result))
      return refuse(rewriter, "the result is not finite");
    results.push_back(rewriter.getF64FloatAttr(result));
    return success();
  };
}

LogicalResult exclusiveOr(PatternRewriter &rewriter, PDLResultList &results, ArrayRef<PDLValue> arguments) {
  auto a = dyn_cast<BoolAttr>(arguments[0].cast<Attribute>()),
       b = dyn_cast<BoolAttr>(arguments[1].cast<Attribute>());
  if (!a || !b)
    return refuse(rewriter, "an argument is not a boolean");
  results.push_back(rewriter.getBoolAttr(a.getValue() != b.getValue()));
  return success();
}

//===-- Rewrites ----------------------------------------------------------------------------------------===//

/// A rewrite cannot fail: the error ends the pass.
void reportWrong(Value value, const Twine &message) {
  mlir::emitError(value.getLoc()) << message;
  rewriteFailed() = true;
}

Value scaled(PatternRewriter &rewriter, Value x, Attribute scale, Attribute bias) {
  std::optional<double> factor = numberOf(scale), offset = numberOf(bias);
  if (!factor || !offset)
    reportWrong(x, "rewrite Scaled: the scale or the bias is not a number");
  if (!factor || !offset || (*factor == 1 && *offset == 0))
    return x;
  return pd::ScaleOp::create(rewriter, x.getLoc(), x.getType(), x, Value(), Value(),
                             rewriter.getF64FloatAttr(*factor), rewriter.getF64FloatAttr(*offset),
                             rewriter.getBoolAttr(true));
}

/// `name` is the name of the rewrite, for errors.
Value permuted(PatternRewriter &rewriter, Value x, ArrayRef<int64_t> permutation, StringRef name) {
  SmallVector<bool> isUsed(permutation.size());
  for (int64_t entry : permutation) {
    int64_t dim = entry + (entry < 0 ? static_cast<int64_t>(permutation.size()) : 0);
    if (dim >= 0 && dim < static_cast<int64_t>(isUsed.size()))
      isUsed[dim] = true;
  }
  RankedTensorType type = typeOf(x);
  if (!type || type.getRank() != static_cast<int64_t>(permutation.size()) ||
      llvm::is_contained(isUsed, false)) {
    reportWrong(x, "rewrite " + name + ": expected a permutation of the dims of " + textOfIr(x.getType()));
    return x;
  }
  return pd::TransposeOp::create(rewriter, x.getLoc(), x, rewriter.getDenseI64ArrayAttr(permutation));
}

Value transposed(PatternRewriter &rewriter, Value x, Attribute permutation) {
  if (auto dims = dyn_cast<DenseI64ArrayAttr>(permutation))
    return permuted(rewriter, x, dims, "Transposed");
  reportWrong(x, "rewrite Transposed: expected an array of int64, found " + textOfIr(permutation));
  return x;
}

Value swapLastDims(PatternRewriter &rewriter, Value x, Attribute isSwapped) {
  auto swaps = dyn_cast<BoolAttr>(isSwapped);
  RankedTensorType type = typeOf(x);
  if (!swaps || !type || type.getRank() < 2) {
    reportWrong(x, "rewrite SwapLastDims: expected a tensor of two dims or more, and a boolean");
    return x;
  }
  if (!swaps.getValue())
    return x;
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(permutation[type.getRank() - 1], permutation[type.getRank() - 2]);
  return permuted(rewriter, x, permutation, "SwapLastDims");
}

void replaceValue(PatternRewriter &rewriter, Value value, Value by) {
  rewriter.replaceAllUsesWith(value, by);
}

Value castLike(PatternRewriter &rewriter, Value x, Value like) {
  if (elementOf(x) == elementOf(like))
    return x;
  return pd::CastOp::create(rewriter, x.getLoc(), x, TypeAttr::get(elementOf(like)));
}

Value constantLike(PatternRewriter &rewriter, Value like, Attribute literal) {
  Type element = elementOf(like);
  std::optional<double> value = numberOf(literal);
  if (!value || !isa_and_nonnull<FloatType, IntegerType>(element)) {
    reportWrong(like, "rewrite ConstantLike: expected a number, and a tensor of floats or integers");
    return like;
  }
  auto type = RankedTensorType::get({}, element);
  Attribute scalar = isa<FloatType>(element)
                         ? Attribute(rewriter.getFloatAttr(element, *value))
                         : Attribute(rewriter.getIntegerAttr(element, static_cast<int64_t>(*value)));
  return pd::ConstantOp::create(rewriter, like.getLoc(), type,
                                cast<ElementsAttr>(DenseElementsAttr::get(type, scalar)));
}

} // namespace

bool &rewriteFailed() {
  static thread_local bool failed = false;
  return failed;
}

void registerNativeFunctions(PDLPatternModule &patterns) {
  auto constraint = [&](StringRef name, auto function) {
    patterns.registerConstraintFunction(name, std::move(function));
  };
  constraint("HasOneUse", hasOneUse);
  constraint("IsSame", isSame);
  constraint("IsAbsent", isAbsent);
  constraint("IsConstant", isConstant);
  constraint("IsScalar", isScalar);
  constraint("IsScalarIn", isScalarIn);
  constraint("ScalarOf", scalarAttribute);
  constraint("IsParameter", isParameter);
  constraint("IsNumber", isNumber);
  constraint("IsNumberIn", isNumberIn);
  constraint("IsFloat", isFloat);
  constraint("IsInteger", isInteger);
  constraint("HasElementType", hasElementType);
  constraint("SameElementType", sameElementType);
  constraint("SameShape", sameShape);
  constraint("SameType", sameType);
  constraint("IsStatic", isStatic);
  constraint("HasRank", hasRank);
  constraint("HasDim", hasDim);
  constraint("HasDimMultipleOf", hasDimMultipleOf);
  constraint("BroadcastsTo", broadcastsTo);
  constraint("IsVectorOfLastDim", isVectorOfLastDim);
  constraint("SwapsLastDims", swapsLastDims);
  constraint("Affine", affine);
  constraint("ScaledUse", scaledUse);
  constraint("Untransposed", untransposed);
  constraint("OperandOf", operandOf);
  constraint("SizeOf", sizeAttribute);
  constraint("Sum", arithmetic([](double a, double b) { return a + b; }));
  constraint("Difference", arithmetic([](double a, double b) { return a - b; }));
  constraint("Product", arithmetic([](double a, double b) { return a * b; }));
  constraint("Quotient", arithmetic([](double a, double b) { return a / b; }));
  constraint("Xor", exclusiveOr);
  auto rewrite = [&](StringRef name, auto function) {
    patterns.registerRewriteFunction(name, std::move(function));
  };
  rewrite("ReplaceValue", replaceValue);
  rewrite("Scaled", scaled);
  rewrite("SwapLastDims", swapLastDims);
  rewrite("Transposed", transposed);
  rewrite("CastLike", castLike);
  rewrite("ConstantLike", constantLike);
}

} // namespace proa
