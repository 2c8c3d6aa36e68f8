#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/ir/Specialize.h"
#include "dialects/pd/reference/RandomStream.h"

#include "llvm/Support/MathExtras.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;

namespace proa::pd {
namespace {

/// The most elements of a constant created by folding.
constexpr int64_t maxFoldedElements = 4096;
/// The most elements of each value in the decomposition of a folded composite.
constexpr int64_t maxFoldedStep = 1 << 20;

/// Resources of an evaluation.
struct Limits {
  RandomState *random = nullptr;
  /// The most elements of each value. With a limit, ops with data-dependent result dims are not run.
  std::optional<int64_t> elements = std::nullopt;
};

Result<llvm::SmallVector<Tensor>> evaluateWithin(Operation *op, llvm::ArrayRef<Tensor> operands,
                                                 const Limits &limits);

llvm::SmallVector<int64_t> broadcastStrides(const Tensor &operand, llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> own = rowMajorStrides(operand.dims());
  llvm::SmallVector<int64_t> strides(dims.size(), 0);
  size_t offset = dims.size() - own.size();
  for (size_t i = 0; i < own.size(); ++i)
    strides[offset + i] = operand.dims()[i] == 1 ? 0 : own[i];
  return strides;
}

void evaluateElementwise(ScalarOpInterface op, llvm::ArrayRef<Tensor> operands, Tensor &result) {
  HostScalarBuilder builder(result.dtype());
  llvm::SmallVector<llvm::SmallVector<int64_t>> strides;
  for (const Tensor &operand : operands)
    strides.push_back(broadcastStrides(operand, result.dims()));
  llvm::SmallVector<HostScalar> scalars(operands.size());
  forEachIndex(result.dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    for (size_t k = 0; k < operands.size(); ++k) {
      int64_t at = 0;
      for (size_t d = 0; d < index.size(); ++d)
        at += index[d] * strides[k][d];
      scalars[k] = loadScalar(operands[k], at);
    }
    storeScalar(result, position, op.evaluateScalar(builder, scalars));
  });
}

/// Whether a static type has more than `elements` elements. The product of its dims may overflow.
bool exceeds(RankedTensorType type, int64_t elements) {
  int64_t product = 1;
  for (int64_t dim : type.getShape())
    if (dim == 0)
      return false;
  for (int64_t dim : type.getShape())
    if (llvm::MulOverflow(product, dim, product) || product > elements)
      return true;
  return false;
}

bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Runs one op of a decomposition. If it has dynamic dims, a clone with the operands' actual dims is run.
Result<llvm::SmallVector<Tensor>> evaluateStep(Operation *step, llvm::ArrayRef<Tensor> operands,
                                               const Limits &limits) {
  if (llvm::all_of(step->getOperandTypes(), isStaticTensor) &&
      llvm::all_of(step->getResultTypes(), isStaticTensor))
    return evaluateWithin(step, operands, limits);
  Block block;
  Operation *clone = cloneForValues(step, operands, block);
  if (!clone)
    return errorAt(step->getName().getStringRef().str(), "its operands have invalid shapes or values");
  return evaluateWithin(clone, operands, limits);
}

/// Replaces ops with regions, which may capture values, by their decompositions, also in `results`. Failure
/// if one has no decomposition.
LogicalResult flatten(Block &block, llvm::MutableArrayRef<Value> results) {
  for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
    if (op->getNumRegions() == 0) {
      op = op->getNextNode();
      continue;
    }
    auto composite = dyn_cast<DecomposableOpInterface>(op);
    OpBuilder builder(op);
    Operation *before = op->getPrevNode();
    auto values =
        composite ? composite.tryDecompose(builder) : FailureOr<llvm::SmallVector<Value>>(failure());
    if (failed(values))
      return failure();
    for (auto [result, value] : llvm::zip(op->getResults(), *values))
      llvm::replace(results, Value(result), value);
    op->replaceAllUsesWith(*values);
    op->erase();
    op = before ? before->getNextNode() : &block.front();
  }
  return success();
}

/// The tensors of values: those in `known`, and constants. Failure if there is another one, which a region
/// of the op captures.
FailureOr<llvm::SmallVector<Tensor>> valuesOf(ValueRange values, const llvm::DenseMap<Value, Tensor> &known) {
  llvm::SmallVector<Tensor> tensors;
  for (Value value : values) {
    ElementsAttr constant;
    if (auto found = known.find(value); found != known.end())
      tensors.push_back(found->second);
    else if (matchPattern(value, m_Constant(&constant)))
      tensors.push_back(tensorFromAttribute(constant));
    else
      return failure();
  }
  return tensors;
}

Diagnostics capturesValue(llvm::StringRef name) {
  return errorAt(name.str(), "its region uses a value from outside of it that is not a constant");
}

/// Decomposes the op into a separate block and runs its ops.
Result<llvm::SmallVector<Tensor>> evaluateComposite(DecomposableOpInterface op,
                                                    llvm::ArrayRef<Tensor> operands, const Limits &limits) {
  std::string name = op->getName().getStringRef().str();
  Block block;
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  auto values = op.tryDecompose(builder);
  if (failed(values))
    return errorAt(name, "the op cannot be decomposed: a dim or operand value is not static");
  llvm::DenseMap<Value, Tensor> tensors;
  for (auto [value, tensor] : llvm::zip(op->getOperands(), operands))
    tensors[value] = tensor;
  if (failed(flatten(block, *values)))
    return errorAt(name, "the reference evaluator does not support control flow in a decomposition");
  for (Operation &step : block) {
    auto inputs = valuesOf(step.getOperands(), tensors);
    if (failed(inputs))
      return capturesValue(name);
    auto results = evaluateStep(&step, *inputs, limits);
    if (!results)
      return results;
    for (auto [value, tensor] : llvm::zip(step.getResults(), *results))
      tensors[value] = tensor;
  }
  auto out = valuesOf(*values, tensors);
  if (failed(out))
    return capturesValue(name);
  return std::move(*out);
}

/// The constant operands as host tensors; nullopt if one is not constant or too large to fold.
std::optional<llvm::SmallVector<Tensor>> constantOperands(llvm::ArrayRef<Attribute> operands) {
  llvm::SmallVector<Tensor> tensors;
  for (Attribute operand : operands) {
    auto elements = dyn_cast_if_present<ElementsAttr>(operand);
    if (!elements || elements.getNumElements() > maxFoldedElements)
      return std::nullopt;
    tensors.push_back(tensorFromAttribute(elements));
  }
  return tensors;
}

bool smallAndStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= maxFoldedElements;
}

} // namespace

llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * dims[i];
  return strides;
}

void forEachIndex(llvm::ArrayRef<int64_t> dims,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>, int64_t)> f) {
  if (llvm::is_contained(dims, 0))
    return;
  llvm::SmallVector<int64_t> index(dims.size(), 0);
  for (int64_t position = 0;; ++position) {
    f(index, position);
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

Tensor tensorFromAttribute(ElementsAttr attribute) {
  auto type = cast<RankedTensorType>(attribute.getType());
  DType dtype = *dtypeOf(type.getElementType());
  Tensor tensor(dtype, std::vector<int64_t>(type.getShape()));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    llvm::ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    if (!data.empty())
      std::memcpy(tensor.data(), data.data(), std::min(data.size(), tensor.bytes()));
    return tensor;
  }
  auto dense = cast<DenseElementsAttr>(attribute);
  if (dtype == DType::Bool) {
    for (auto [i, value] : llvm::enumerate(dense.getValues<bool>()))
      tensor.as<uint8_t>()[i] = value;
    return tensor;
  }
  llvm::ArrayRef<char> raw = dense.getRawData();
  size_t size = sizeOf(dtype);
  if (dense.isSplat())
    for (int64_t i = 0; i < tensor.size(); ++i)
      std::memcpy(static_cast<char *>(tensor.data()) + i * size, raw.data(), size);
  else if (!raw.empty())
    std::memcpy(tensor.data(), raw.data(), tensor.bytes());
  return tensor;
}

DenseElementsAttr attributeFromTensor(MLIRContext *context, const Tensor &tensor) {
  auto type = RankedTensorType::get(tensor.dims(), elementTypeOf(context, tensor.dtype()));
  if (tensor.dtype() == DType::Bool) {
    llvm::SmallVector<bool> values(tensor.as<uint8_t>(), tensor.as<uint8_t>() + tensor.size());
    return DenseElementsAttr::get(type, llvm::ArrayRef<bool>(values));
  }
  return DenseElementsAttr::getFromRawBuffer(
      type, llvm::ArrayRef<char>(static_cast<const char *>(tensor.data()), tensor.bytes()));
}

Result<llvm::SmallVector<Tensor>> evaluateOp(Operation *op, llvm::ArrayRef<Tensor> operands,
                                             RandomState *random) {
  return evaluateWithin(op, operands, {random});
}

namespace {

Result<llvm::SmallVector<Tensor>> evaluateWithin(Operation *op, llvm::ArrayRef<Tensor> operands,
                                                 const Limits &limits) {
  llvm::SmallVector<Tensor> results;
  auto reference = dyn_cast<ReferenceOpInterface>(op);
  auto composite = dyn_cast<DecomposableOpInterface>(op);
  if (composite && !reference && !llvm::all_of(op->getResultTypes(), isStaticTensor))
    return evaluateComposite(composite, operands, limits);
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || (!tensor.hasStaticShape() && !reference))
      return errorAt(op->getName().getStringRef().str(), "the reference evaluator needs static result types");
    auto dtype = dtypeOf(tensor.getElementType());
    if (!dtype)
      return errorAt(op->getName().getStringRef().str(), "the element type has no host representation");
    if (limits.elements && (!tensor.hasStaticShape() || exceeds(tensor, *limits.elements)))
      return errorAt(op->getName().getStringRef().str(), "its results are too large to fold");
    std::vector<int64_t> dims(tensor.getShape());
    std::replace_if(dims.begin(), dims.end(), ShapedType::isDynamic, 0);
    results.emplace_back(*dtype, dims);
  }
  if (auto scalar = dyn_cast<ScalarOpInterface>(op)) {
    evaluateElementwise(scalar, operands, results[0]);
    return results;
  }
  if (auto primitive = dyn_cast<EvaluatableOpInterface>(op);
      primitive && succeeded(primitive.evaluate(operands, results)))
    return results;
  if (reference && succeeded(reference.computeReference(operands, results, limits.random)))
    return results;
  if (composite)
    return evaluateComposite(composite, operands, limits);
  if (ElementsAttr value; matchPattern(op, m_Constant(&value)))
    return llvm::SmallVector<Tensor>{tensorFromAttribute(value)};
  return errorAt(op->getName().getStringRef().str(), "the reference evaluator cannot run this op");
}

} // namespace

LogicalResult foldAllByEvaluation(Operation *op, llvm::ArrayRef<Attribute> operands,
                                  llvm::SmallVectorImpl<OpFoldResult> &out) {
  if (!llvm::all_of(op->getResultTypes(), smallAndStatic))
    return failure();
  auto tensors = constantOperands(operands);
  if (!tensors)
    return failure();
  auto results = evaluateWithin(op, *tensors, {nullptr, maxFoldedStep});
  if (!results)
    return failure();
  for (const Tensor &tensor : *results)
    out.push_back(attributeFromTensor(op->getContext(), tensor));
  return success();
}

OpFoldResult foldByEvaluation(Operation *op, llvm::ArrayRef<Attribute> operands) {
  llvm::SmallVector<OpFoldResult> results;
  if (op->getNumResults() != 1 || failed(foldAllByEvaluation(op, operands, results)))
    return {};
  return results[0];
}

} // namespace proa::pd
