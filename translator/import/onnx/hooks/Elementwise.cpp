//! Hooks of elementwise ops of ONNX.
#include "translator/import/onnx/hooks/Dims.h"
#include "translator/import/onnx/hooks/Strings.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::import::onnxhooks {

/// Before opset 7 `axis` is the dimension of A at which the dimensions of B begin.
void importBinary(NodeImporter &node) {
  if (node.since() < 7 && node.boolAttribute("broadcast") && node.hasAttribute("axis")) {
    Expression a = node.operand("A"), b = node.operand("B");
    int64_t after = a.rank() - axisOf(node, a) - b.rank();
    if (after < 0) {
      node.report("has an operand B of rank " + llvm::Twine(b.rank()) + ", expected at most " +
                  llvm::Twine(b.rank() + after) + ", the dimensions of A from the axis on");
      node.stop();
    }
    Dims dims = pd::dimSizesOf(b);
    dims.append(after, DimSize(1));
    node.overrideInput("B", pd::reshapeTo(b, dims));
  }
  node.importByTable();
}

void importEqual(NodeImporter &node) {
  Value a = node.input("A"), b = node.input("B");
  if (!isString(node, a))
    return importBinary(node);
  node.setOutput("C", areEqualStrings(node, node.wrap(a), node.wrap(b)));
}

/// The operands of a variadic op, of which there is at least one, in the types in which formulas compute.
static llvm::SmallVector<Expression> addendsOf(NodeImporter &node) {
  llvm::SmallVector<Expression> operands;
  for (Value value : node.inputs("data_0"))
    if (value)
      operands.push_back(node.tensors().computed(value));
  if (!operands.empty())
    return operands;
  node.report("has no inputs, expected at least one");
  node.stop();
}

void importExtremes(NodeImporter &node) {
  bool isMax = node.getNode().type == "Max";
  NodeImporter::Values operands = node.inputs("data_0");
  if (operands.empty())
    return node.report("has no inputs, expected at least one");
  Value result = operands[0];
  for (Value operand : llvm::drop_begin(operands))
    result = isMax ? Value(node.create<pd::MaximumOp>(result, operand, /*propagate_nan=*/true))
                   : Value(node.create<pd::MinimumOp>(result, operand, /*propagate_nan=*/true));
  node.setOutput(isMax ? "max" : "min", result);
}

/// The sum of all operands.
static Expression sumOf(llvm::ArrayRef<Expression> addends) {
  Expression total = addends[0];
  for (Expression addend : addends.drop_front())
    total = total + addend;
  return total;
}

void importSum(NodeImporter &node) {
  Type element = pd::tensorType(node.inputs("data_0")[0]).getElementType();
  node.setOutput("sum", node.tensors().cast(sumOf(addendsOf(node)), element));
}

void importMean(NodeImporter &node) {
  llvm::SmallVector<Expression> addends = addendsOf(node);
  Type element = pd::tensorType(node.inputs("data_0")[0]).getElementType();
  node.setOutput("mean", node.tensors().cast(sumOf(addends) / static_cast<double>(addends.size()), element));
}

/// The only element of a tensor that does not widen the dims of x; nothing if it is not known.
static std::optional<double> knownScalar(NodeImporter &node, Expression value, Expression x) {
  std::optional<Tensor> known = node.getGraph().knownTensor(value);
  if (!known || known->size() != 1 || value.rank() > x.rank())
    return std::nullopt;
  return pd::loadScalar(*known, 0).real();
}

/// The type in which a power of operands of different types is computed.
static Type typeOfPower(Type base, Type exponent) {
  MLIRContext *context = base.getContext();
  if (!isa<FloatType>(base) && !isa<FloatType>(exponent))
    return IntegerType::get(context, 64);
  auto isDouble = [](Type type) { return type.isF64() || type.isInteger(32) || type.isInteger(64); };
  bool isNarrow = isa<FloatType>(base) ? !base.isF64() : !isDouble(base) && !isDouble(exponent);
  return isNarrow ? Type(Float32Type::get(context)) : Type(Float64Type::get(context));
}

void importPow(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression x = node.operand("X"), y = node.operand("Y");
  Type base = x.type().getElementType(), exponent = y.type().getElementType();
  std::optional<double> known = isa<FloatType>(base) ? knownScalar(node, y, x) : std::nullopt;
  if (known)
    return node.setOutput("Z", node.create<pd::PowOp>(x, Value(), llvm::APFloat(*known)));
  if (base == exponent)
    return node.setOutput("Z", node.create<pd::ElementwisePowOp>(x, y));
  Type type = typeOfPower(base, exponent);
  Expression power = node.create<pd::ElementwisePowOp>(e.cast(x, type), e.cast(y, type));
  node.setOutput("Z", e.cast(power, base));
}

void importMod(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression a = node.operand("A"), b = node.operand("B");
  if (!node.boolAttribute("fmod"))
    return node.setOutput("C", node.create<pd::RemainderOp>(a, b));
  if (!isa<FloatType>(a.type().getElementType()))
    return node.setOutput("C", a - (a / b) * b); // the quotient is rounded towards zero
  node.setOutput("C", node.create<pd::CopysignOp>(node.create<pd::RemainderOp>(e.abs(a), e.abs(b)), a));
}

void importBitShift(NodeImporter &node) {
  std::string direction = node.stringAttribute("direction");
  Expression x = node.operand("X"), y = node.operand("Y");
  if (direction == "LEFT")
    return node.setOutput("Z", node.create<pd::BitwiseLeftShiftOp>(x, y));
  if (direction == "RIGHT")
    return node.setOutput("Z", node.create<pd::BitwiseRightShiftOp>(x, y));
  node.report("has direction '" + direction + "', expected LEFT or RIGHT");
}

void importIsInf(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  bool negative = node.boolAttribute("detect_negative"), positive = node.boolAttribute("detect_positive");
  Expression isInfinite = node.create<pd::IsinfOp>(x);
  if (negative && positive)
    return node.setOutput("Y", isInfinite);
  if (!negative && !positive)
    return node.setOutput("Y",
                          node.create<pd::FullLikeOp>(isInfinite, Value(), llvm::APFloat(0.0), TypeAttr()));
  Expression zero = e.constant(0, x.type().getElementType());
  node.setOutput("Y", node.create<pd::LogicalAndOp>(isInfinite, negative ? x < zero : x > zero));
}

/// A bound of Clip as a tensor of rank 0; null if it is absent.
static Value boundOf(NodeImporter &node, llvm::StringRef name, Type element) {
  if (node.since() >= 11) {
    Value bound = node.input(name);
    return bound ? Value(asScalar(node.wrap(bound))) : Value();
  }
  return node.hasAttribute(name) ? Value(node.scalar(node.floatAttribute(name), element)) : Value();
}

void importClip(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression x = node.operand("input");
  Type element = x.type().getElementType();
  Value low = boundOf(node, "min", element), high = boundOf(node, "max", element);
  if (low && high && isa<FloatType>(element)) {
    std::optional<double> min = knownScalar(node, e.wrap(low), x), max = knownScalar(node, e.wrap(high), x);
    if (min && max && *min == 0 && *max == 6)
      return node.setOutput("output", node.create<pd::Relu6Op>(x));
    if (min && max)
      return node.setOutput(
          "output", node.create<pd::ClipOp>(x, Value(), Value(), llvm::APFloat(*min), llvm::APFloat(*max)));
  }
  // A NaN in x is kept.
  if (low)
    x = e.maximum(e.wrap(low), x);
  if (high)
    x = e.minimum(e.wrap(high), x);
  node.setOutput("output", x);
}

} // namespace proa::import::onnxhooks
