#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace proa::pd {
namespace {

using Elements = llvm::SmallVector<int64_t>;
/// Tensors of shapes are short, and so are the chains of ops that compute them.
constexpr int64_t maxElements = 256;
constexpr unsigned maxDepth = 64;
constexpr unsigned maxFloatDepth = 16;

Elements elementsOfConstant(ElementsAttr constant) {
  Tensor values = tensorFromAttribute(constant);
  Elements out;
  for (int64_t i = 0; i < values.size(); ++i)
    out.push_back(loadScalar(values, i).integer);
  return out;
}

/// A data-movement op is evaluated on the indices of its operands' elements, which gives the source of each
/// element of the result.
FailureOr<Elements> throughMovement(OpResult result, llvm::ArrayRef<Elements> operands) {
  Operation *op = result.getOwner();
  Elements all;
  llvm::SmallVector<Tensor> values;
  for (auto [value, elements] : llvm::zip(op->getOperands(), operands)) {
    Tensor tensor(DType::Int64, std::vector<int64_t>(tensorType(value).getShape()));
    std::iota(tensor.as<int64_t>(), tensor.as<int64_t>() + tensor.size(), static_cast<int64_t>(all.size()));
    all.append(elements);
    values.push_back(std::move(tensor));
  }
  auto results = evaluateOp(op, values);
  if (!results)
    return failure();
  const Tensor &moved = (*results)[result.getResultNumber()];
  Elements out;
  for (int64_t i = 0; i < moved.size(); ++i)
    out.push_back(all[loadScalar(moved, i).integer]);
  return out;
}

/// An elementwise op on operands of one shape or one element.
FailureOr<Elements> throughScalar(ScalarOpInterface op, RankedTensorType type,
                                  llvm::ArrayRef<Elements> operands) {
  HostScalarBuilder builder(*dtypeOf(type.getElementType()));
  Elements out;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    llvm::SmallVector<HostScalar> scalars;
    bool known = true;
    for (const Elements &elements : operands) {
      if (elements.size() != 1 && static_cast<int64_t>(elements.size()) != type.getNumElements())
        return failure();
      int64_t element = elements[elements.size() == 1 ? 0 : i];
      known &= element != unknown;
      scalars.push_back(HostScalar::of(element));
    }
    out.push_back(known ? op.evaluateScalar(builder, scalars).integer : unknown);
  }
  return out;
}

/// Any op that the reference evaluator can run with known operands.
FailureOr<Elements> throughEvaluation(OpResult result, llvm::ArrayRef<Elements> operands) {
  Operation *op = result.getOwner();
  llvm::SmallVector<Tensor> tensors;
  for (auto [value, elements] : llvm::zip(op->getOperands(), operands)) {
    if (llvm::is_contained(elements, unknown))
      return failure();
    RankedTensorType type = tensorType(value);
    Tensor tensor(*dtypeOf(type.getElementType()), std::vector<int64_t>(type.getShape()));
    for (auto [i, element] : llvm::enumerate(elements))
      storeScalar(tensor, static_cast<int64_t>(i), HostScalar::of(element));
    tensors.push_back(std::move(tensor));
  }
  auto results = evaluateOp(op, tensors);
  if (!results)
    return failure();
  Elements out;
  const Tensor &values = (*results)[result.getResultNumber()];
  for (int64_t i = 0; i < values.size(); ++i)
    out.push_back(loadScalar(values, i).integer);
  return out;
}

bool isComputable(Operation *op) {
  return isa<ScalarOpInterface, DecomposableOpInterface, EvaluatableOpInterface>(op);
}

/// Known elements of values, for the time of a question: a value of several users is computed once.
class KnownValues {
public:
  FailureOr<Elements> elementsOf(Value tensor, unsigned depth = 0);
  /// The whole tensor, if all of its elements are known.
  std::optional<Tensor> tensorOf(Value value, unsigned depth = 0);

private:
  FailureOr<Elements> findElements(Value tensor, unsigned depth);
  std::optional<Tensor> findTensor(Value value, unsigned depth);
  FailureOr<llvm::SmallVector<Elements>> operandElements(Operation *op, unsigned depth);
  std::optional<Tensor> evaluate(OpResult result, unsigned depth);
  FailureOr<Elements> throughFloats(OpResult result, unsigned depth);
  FailureOr<Elements> throughGather(GatherOp op, unsigned depth);
  FailureOr<Elements> throughOp(OpResult result, RankedTensorType type, unsigned depth);

  // By depth too, since it limits what is known.
  llvm::DenseMap<std::pair<Value, unsigned>, FailureOr<Elements>> foundElements;
  llvm::DenseMap<std::pair<Value, unsigned>, std::optional<Tensor>> foundTensors;
};

FailureOr<Elements> KnownValues::elementsOf(Value tensor, unsigned depth) {
  if (auto found = foundElements.find({tensor, depth}); found != foundElements.end())
    return found->second;
  FailureOr<Elements> own = findElements(tensor, depth); // may add others
  foundElements[{tensor, depth}] = own;
  return own;
}

std::optional<Tensor> KnownValues::tensorOf(Value value, unsigned depth) {
  if (auto found = foundTensors.find({value, depth}); found != foundTensors.end())
    return found->second;
  std::optional<Tensor> own = findTensor(value, depth); // may add others
  foundTensors[{value, depth}] = own;
  return own;
}

/// The elements of the operands, concatenated; failure if one is unknown.
FailureOr<llvm::SmallVector<Elements>> KnownValues::operandElements(Operation *op, unsigned depth) {
  llvm::SmallVector<Elements> out;
  for (Value operand : op->getOperands()) {
    auto elements = elementsOf(operand, depth + 1);
    if (failed(elements))
      return failure();
    out.push_back(std::move(*elements));
  }
  return out;
}

std::optional<Tensor> KnownValues::findTensor(Value value, unsigned depth) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > maxElements)
    return std::nullopt;
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return tensorFromAttribute(constant);
  if (auto result = dyn_cast<OpResult>(value); result && !type.getElementType().isIntOrIndex())
    return depth < maxFloatDepth ? evaluate(result, depth) : std::nullopt;
  auto elements = elementsOf(value, depth);
  if (failed(elements) || llvm::is_contained(*elements, unknown))
    return std::nullopt;
  Tensor tensor(*dtypeOf(type.getElementType()), std::vector<int64_t>(type.getShape()));
  for (auto [i, element] : llvm::enumerate(*elements))
    storeScalar(tensor, static_cast<int64_t>(i), HostScalar::of(element));
  return tensor;
}

/// Evaluates an op with known operands; nothing if one is unknown.
std::optional<Tensor> KnownValues::evaluate(OpResult result, unsigned depth) {
  llvm::SmallVector<Tensor> operands;
  for (Value operand : result.getOwner()->getOperands())
    if (std::optional<Tensor> tensor = tensorOf(operand, depth + 1))
      operands.push_back(std::move(*tensor));
    else
      return std::nullopt;
  if (!isComputable(result.getOwner()))
    return std::nullopt;
  auto results = evaluateOp(result.getOwner(), operands);
  return results ? std::optional((*results)[result.getResultNumber()]) : std::nullopt;
}

/// Integers computed through floats: ceil(n / 4).
FailureOr<Elements> KnownValues::throughFloats(OpResult result, unsigned depth) {
  std::optional<Tensor> values = evaluate(result, depth);
  if (!values)
    return failure();
  Elements out;
  for (int64_t i = 0; i < values->size(); ++i)
    out.push_back(loadScalar(*values, i).integer);
  return out;
}

/// Known elements of a vector, of which others may be unknown.
FailureOr<Elements> KnownValues::throughGather(GatherOp op, unsigned depth) {
  if (tensorType(op.getX()).getRank() != 1 || op.getAxisTensor())
    return failure();
  auto elements = elementsOf(op.getX(), depth + 1), indices = elementsOf(op.getIndex(), depth + 1);
  if (failed(elements) || failed(indices))
    return failure();
  Elements out;
  auto size = static_cast<int64_t>(elements->size());
  for (int64_t index : *indices) {
    if (index == unknown || index < -size || index >= size)
      return failure();
    out.push_back((*elements)[static_cast<size_t>(index < 0 ? index + size : index)]);
  }
  return out;
}

FailureOr<Elements> KnownValues::throughOp(OpResult result, RankedTensorType type, unsigned depth) {
  Operation *op = result.getOwner();
  if (auto gather = dyn_cast<GatherOp>(op))
    if (auto elements = throughGather(gather, depth); succeeded(elements))
      return elements;
  if (auto shape = dyn_cast<ShapeOp>(op))
    return Elements(tensorType(shape.getX()).getShape());
  if (auto dim = dyn_cast<DimOp>(op))
    return Elements{dim.getStaticSize()};
  if (auto count = dyn_cast<NumelOp>(op); count && tensorType(count.getX()).hasStaticShape())
    return Elements{tensorType(count.getX()).getNumElements()};
  if (!isComputable(op))
    return failure();
  auto operands = operandElements(op, depth);
  if (failed(operands))
    return throughFloats(result, depth);
  if (op->hasTrait<MovesElements>())
    return throughMovement(result, *operands);
  if (auto scalar = dyn_cast<ScalarOpInterface>(op))
    return throughScalar(scalar, type, *operands);
  return throughEvaluation(result, *operands);
}

FailureOr<Elements> KnownValues::findElements(Value tensor, unsigned depth) {
  auto type = tensorType(tensor);
  if (!type.hasStaticShape() || type.getNumElements() > maxElements || !type.getElementType().isIntOrIndex())
    return failure();
  ElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)))
    return elementsOfConstant(constant);
  if (auto result = dyn_cast<OpResult>(tensor); result && depth < maxDepth)
    if (auto elements = throughOp(result, type, depth); succeeded(elements))
      return elements;
  return Elements(type.getNumElements(), unknown);
}

} // namespace

FailureOr<Elements> knownElements(Value tensor) { return KnownValues().elementsOf(tensor); }

std::optional<Elements> allKnownElements(Value tensor) {
  auto elements = KnownValues().elementsOf(tensor);
  if (failed(elements) || llvm::is_contained(*elements, unknown))
    return std::nullopt;
  return *elements;
}

std::optional<Tensor> knownTensor(Value value) { return KnownValues().tensorOf(value); }

LogicalResult absorbOperand(PatternRewriter &rewriter, Operation *op, MutableOperandRange operand,
                            llvm::function_ref<void(llvm::ArrayRef<int64_t>)> set) {
  if (operand.empty())
    return failure();
  auto elements = allKnownElements(OperandRange(operand)[0]);
  if (!elements)
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    set(*elements);
    operand.clear();
  });
  return success();
}

} // namespace proa::pd
