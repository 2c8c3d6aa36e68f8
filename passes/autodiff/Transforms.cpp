#include "passes/autodiff/Transforms.h"
#include "passes/autodiff/BatchSharded.h"
#include "passes/autodiff/NewFunction.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/Batching.h"
#include "dialects/pd/autodiff/ForLoop.h"
#include "dialects/pd/autodiff/ForwardControlFlow.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

/// The indices of the float and complex results.
SmallVector<int64_t> differentiableResults(ArrayRef<Value> returned) {
  SmallVector<int64_t> indices;
  for (auto [i, value] : llvm::enumerate(returned))
    if (pd::isDifferentiable(value.getType()))
      indices.push_back(static_cast<int64_t>(i));
  return indices;
}

LogicalResult checkScalar(Function function, int64_t result) {
  if (result < 0 || result >= function.getNumResults())
    return emitError(function.getLoc())
           << "result " << result << " is asked for, the function has " << function.getNumResults();
  Type type = function.getResultTypes()[result];
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isa<FloatType>(tensor.getElementType()))
    return emitError(function.getLoc())
           << "the gradient of result " << result << " is asked for: expected floats, found " << type;
  if (llvm::any_of(tensor.getShape(), [](int64_t dim) { return dim != 1; }))
    return emitError(function.getLoc())
           << "the gradient of result " << result << " is asked for: expected one element, found " << type;
  return success();
}

} // namespace

FailureOr<Function> grad(Function function, StringRef name, Numbers arguments, int64_t result, bool withValue,
                         int64_t snapshots, int64_t microBatches, Numbers batches) {
  if (failed(checkScalar(function, result)))
    return failure();
  NewFunction created(function, name);
  if (failed(created.setSnapshots(snapshots)) ||
      failed(created.differentiateBy(arguments, /*keepSnapshots=*/true)))
    return failure();
  Value loss = created.returned()[result];
  OpBuilder builder(created.block().getTerminator());
  auto type = cast<RankedTensorType>(loss.getType());
  Value one = pd::FullOp::create(
      builder, loss.getLoc(), Value(), Value(), builder.getDenseI64ArrayAttr(type.getShape()),
      TypeAttr::get(type.getElementType()), builder.getF64FloatAttr(1), IntegerAttr());
  FailureOr<SmallVector<Value>> gradients = SmallVector<Value>();
  if (microBatches != 1) {
    if (failed(accumulateGradients(created, loss, one, microBatches, batches, *gradients)))
      return failure();
  } else {
    gradients = pd::differentiate(created.block(), {result}, {one}, created.inputs());
  }
  if (failed(gradients))
    return failure();
  if (withValue)
    created.returnOriginal(result, created.returned()[result]);
  created.returnGradients(*gradients);
  return created.finish();
}

FailureOr<Function> vjp(Function function, StringRef name, Numbers arguments, int64_t snapshots) {
  NewFunction created(function, name);
  if (failed(created.setSnapshots(snapshots)) ||
      failed(created.differentiateBy(arguments, /*keepSnapshots=*/true)))
    return failure();
  SmallVector<Value> returned = created.returned();
  SmallVector<int64_t> outputs = differentiableResults(returned);
  SmallVector<Type> types;
  SmallVector<std::string> names;
  for (int64_t output : outputs) {
    types.push_back(returned[output].getType());
    names.push_back(created.nameOfResult(output) + "@GRAD");
  }
  unsigned first = created.addArguments(types, function.getLoc(), names);
  SmallVector<Value> cotangents(created.block().getArguments().drop_front(first));
  auto gradients = pd::differentiate(created.block(), outputs, cotangents, created.inputs());
  if (failed(gradients))
    return failure();
  for (auto [i, value] : llvm::enumerate(created.returned()))
    created.returnOriginal(static_cast<int64_t>(i), value);
  created.returnGradients(*gradients);
  return created.finish();
}

FailureOr<Function> jvp(Function function, StringRef name, Numbers arguments) {
  NewFunction created(function, name);
  if (failed(created.differentiateBy(arguments, /*keepSnapshots=*/true)) ||
      failed(pd::expandLoopGradients(created.function)))
    return failure();
  SmallVector<Value> inputs = created.inputs();
  SmallVector<std::string> names;
  for (int64_t index : created.differentiated())
    names.push_back(created.nameOfArgument(index) + "@TANGENT");
  unsigned first = created.addArguments(ValueRange(inputs).getTypes(), function.getLoc(), names);
  pd::Tangents tangents;
  for (auto [input, tangent] : llvm::zip(inputs, created.block().getArguments().drop_front(first)))
    tangents[input] = tangent;
  if (failed(pd::pushForward(created.block(), tangents)))
    return failure();
  for (auto [i, value] : llvm::enumerate(created.returned()))
    created.returnOriginal(static_cast<int64_t>(i), value);
  OpBuilder builder(created.block().getTerminator());
  SmallVector<Value> returned = created.returned();
  for (int64_t output : differentiableResults(returned))
    created.returnNew(pd::tangentOrZero(builder, returned[output], tangents),
                      created.nameOfResult(output) + "@TANGENT");
  return created.finish();
}

namespace {

/// The type of a mapped argument: with an additional dimension at `place`.
FailureOr<Type> mappedType(Function function, Type type, int64_t position, int64_t size) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError(function.getLoc())
           << "an argument of type " << type << " has no batched form: expected a tensor";
  if (position > tensor.getRank())
    return emitError(function.getLoc())
           << "the examples' dimension " << position << " is asked for, an argument of type " << type
           << " has place for one up to " << tensor.getRank();
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin() + position, size);
  return Type(tensor.clone(shape));
}

/// The value with dimension `place` moved to the front.
Value examplesFirst(OpBuilder &builder, Value value, int64_t position) {
  if (position == 0)
    return value;
  SmallVector<int64_t> perm{position};
  for (int64_t d = 0; d < cast<RankedTensorType>(value.getType()).getRank(); ++d)
    if (d != position)
      perm.push_back(d);
  return pd::TransposeOp::create(builder, value.getLoc(), value, builder.getDenseI64ArrayAttr(perm));
}

LogicalResult checkMapped(Function function, Numbers mapped) {
  if (!mapped.empty() && mapped.size() != function.getNumArguments())
    return emitError(function.getLoc())
           << "expected one place of the examples' dimension, or -1, for each of the "
           << function.getNumArguments() << " arguments, found " << mapped.size();
  for (int64_t position : mapped)
    if (position < -1)
      return emitError(function.getLoc())
             << "the examples' dimension " << position
             << " is asked for: expected a place from 0 on, or -1 for an argument that all examples share";
  if (function.getNumArguments() == 0 ||
      (!mapped.empty() && llvm::all_of(mapped, [](int64_t position) { return position < 0; })))
    return emitError(function.getLoc()) << "no argument has a dimension for the examples";
  return success();
}

} // namespace

/// Whether values of the type have a form with a dimension for the examples.
static bool canRepeat(Type type) {
  return isa<pd::ArrayType>(type) || pd::dtypeOf(getElementTypeOrSelf(type)).has_value();
}

FailureOr<Function> vmap(Function function, StringRef name, int64_t size, Numbers mapped, bool openExamples) {
  if (failed(checkMapped(function, mapped)) || failed(checkAnnotated(function)))
    return failure();
  // The body is moved into a scratch region, in which composites may be decomposed.
  NewFunction created(function, name);
  if (failed(created.check()))
    return failure();
  Region scratch;
  scratch.takeBody(created.function.getBody());
  constrainAnnotated(scratch);
  OpenExamples examples(created.function, openExamples);
  Block &block = created.function.getBody().emplaceBlock(), &original = scratch.front();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  Value source;
  SmallVector<Value> given;
  for (BlockArgument argument : original.getArguments()) {
    int64_t position = mapped.empty() ? 0 : mapped[argument.getArgNumber()];
    FailureOr<Type> type =
        position < 0 ? argument.getType() : mappedType(function, argument.getType(), position, size);
    if (failed(type))
      return failure();
    Value value = block.addArgument(*type, argument.getLoc());
    given.push_back(position < 0 ? value : examplesFirst(builder, value, position));
    if (position >= 0)
      addExamplesToArgument(created.function, argument.getArgNumber(), position, size, openExamples);
    if (position >= 0 && !source)
      source = given.back();
  }
  pd::Batcher batcher(builder, size, source);
  for (auto [argument, value] : llvm::zip(original.getArguments(), given))
    batcher.map(argument, pd::Batched(value, mapped.empty() || mapped[argument.getArgNumber()] >= 0));
  if (failed(batcher.write(original)))
    return failure();
  SmallVector<Value> results;
  Operation *exit = original.getTerminator();
  for (Value value : exit->getOperands()) {
    if (!batcher.isBatched(value) && !canRepeat(value.getType()))
      return emitError(exit->getLoc()) << "a result of type " << value.getType() << " has no batched form";
    results.push_back(batcher.batched(value));
  }
  func::ReturnOp::create(builder, exit->getLoc(), results);
  for (auto [i, value] : llvm::enumerate(results))
    created.returnBatched(static_cast<int64_t>(i), value, openExamples);
  return created.finish();
}

FailureOr<Function> hessian(Function function, StringRef name, int64_t argument, int64_t result) {
  if (argument < 0 || argument >= function.getNumArguments())
    return emitError(function.getLoc())
           << "argument " << argument << " is asked for, the function has " << function.getNumArguments();
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  if (!type || !type.hasStaticShape())
    return emitError(function.getLoc())
           << "the hessian by argument " << argument << " needs static dims, found "
           << function.getArgumentTypes()[argument];
  // The rows are the results of forward mode for unit vectors.
  auto gradient = grad(function, (name + "_gradient").str(), argument, result);
  if (failed(gradient))
    return failure();
  auto along = jvp(*gradient, (name + "_along").str(), argument);
  gradient->erase();
  if (failed(along))
    return failure();
  SmallVector<int64_t> mapped(along->getNumArguments(), -1);
  mapped.back() = 0;
  auto rows = vmap(*along, name, type.getNumElements(), mapped);
  along->erase();
  if (failed(rows))
    return failure();
  Block &block = rows->getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Location location = function.getLoc();
  int64_t count = type.getNumElements();
  SmallVector<int64_t> unitShape{count}, twice(type.getShape());
  llvm::append_range(unitShape, type.getShape());
  llvm::append_range(twice, type.getShape());
  Value units = pd::EyeOp::create(builder, location, builder.getI64IntegerAttr(count),
                                  builder.getI64IntegerAttr(count), TypeAttr::get(type.getElementType()));
  units = pd::ReshapeOp::create(builder, location, units, Value(), builder.getDenseI64ArrayAttr(unitShape));
  BlockArgument tangent = block.getArguments().back();
  tangent.replaceAllUsesWith(units);
  (void)rows->eraseArgument(tangent.getArgNumber());
  // Keeps only the last result, the tangents of the gradient.
  Operation *exit = block.getTerminator();
  builder.setInsertionPoint(exit);
  Value matrix = pd::ReshapeOp::create(builder, location, exit->getOperands().back(), Value(),
                                       builder.getDenseI64ArrayAttr(twice));
  DictionaryAttr attributes = rows->getResultAttrDict(rows->getNumResults() - 1);
  attributes = attributes ? attributes : DictionaryAttr::get(rows->getContext());
  exit->setOperands(matrix);
  rows->setFunctionType(FunctionType::get(rows->getContext(), block.getArgumentTypes(), matrix.getType()));
  rows->setAllResultAttrs(ArrayRef<DictionaryAttr>(attributes));
  pd::eraseUnused(block);
  return rows;
}

} // namespace proa::autodiff
