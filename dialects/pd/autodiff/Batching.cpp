#include "dialects/pd/autodiff/Batching.h"
#include "dialects/pd/ir/ReplaceResult.h"

#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/autodiff/DeferredVjp.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The most examples for which an op without a batched form is unrolled; more examples become a loop.
constexpr int64_t maxUnrolled = 16;

/// The op whose location new ops on the value get.
Operation *near(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op : cast<BlockArgument>(value).getOwner()->getParentOp();
}

/// Whether the op, or an op in its regions, has an operand that satisfies the predicate.
bool reads(Operation *op, llvm::function_ref<bool(Value)> predicate) {
  auto walk = op->walk([&](Operation *inner) {
    return llvm::any_of(inner->getOperands(), predicate) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// The element at `index`, or zeros: missing elements of an array of cotangents are zero.
Value elementOrZeros(OpBuilder &builder, Value array, Value index) {
  Location location = array.getLoc();
  auto type = cast<ArrayType>(array.getType()).getElement();
  if (!type.hasStaticShape())
    return ArrayReadOp::create(builder, location, array, index);
  auto zeros =
      ConstantOp::create(builder, location, type, cast<DenseElementsAttr>(builder.getZeroAttr(type)));
  return ArrayReadOrOp::create(builder, location, array, index, zeros);
}

} // namespace

void Batcher::map(Value original, Batched value) {
  if (value.isBatched) {
    lifted[original] = value.value;
    return;
  }
  lifted.erase(original);
  mapping.map(original, value.value);
}

Type Batcher::batchedType(Type type) const {
  if (auto array = dyn_cast<ArrayType>(type))
    return array.getElement()
               ? ArrayType::get(type.getContext(), cast<RankedTensorType>(batchedType(array.getElement())))
               : type;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) // a scalar condition of scf.if or scf.condition
    return RankedTensorType::get({exampleCount}, type);
  SmallVector<int64_t> shape{exampleCount};
  llvm::append_range(shape, tensor.getShape());
  return tensor.clone(shape);
}

DimSize Batcher::examples(TensorBuilder &e) const {
  return ShapedType::isDynamic(exampleCount) ? DimSize(e.wrap(source), 0) : DimSize(exampleCount);
}

Value Batcher::batched(Value original) {
  if (auto found = lifted.find(original); found != lifted.end())
    return found->second;
  Value value = plain(original);
  if (isa<ArrayType>(value.getType()))
    return liftArray(value);
  Location location = original.getLoc();
  if (!isa<RankedTensorType>(value.getType()))
    value =
        tensor::FromElementsOp::create(builder, location, RankedTensorType::get({}, value.getType()), value);
  TensorBuilder e(builder, near(value));
  SmallVector<DimSize> shape = dimSizesOf(e.wrap(value));
  shape.insert(shape.begin(), examples(e));
  return expandTo(e.wrap(value), shape);
}

Value Batcher::liftArray(Value array) {
  Location location = array.getLoc();
  Type type = batchedType(array.getType());
  Value empty = widened(builder, location, ArrayCreateOp::create(builder, location), type);
  bool hasNoWrites = !cast<ArrayType>(array.getType()).getElement();
  if (hasNoWrites || beforeWidening(array).getDefiningOp<ArrayCreateOp>())
    return empty;
  Value length = ArrayLengthOp::create(builder, location, array);
  return countedLoop(
      builder, location, length, {empty}, [&](OpBuilder &inside, Value index, ValueRange carried) {
        Value element = elementOrZeros(inside, array, index);
        TensorBuilder e(inside, element.getDefiningOp());
        SmallVector<DimSize> shape = dimSizesOf(e.wrap(element));
        shape.insert(shape.begin(), examples(e));
        Value longer =
            ArrayWriteOp::create(inside, location, carried[0], index, expandTo(e.wrap(element), shape));
        return SmallVector<Value>{widened(inside, location, longer, type)};
      })[0];
}

Value Batcher::aligned(Value original, int64_t rank) {
  Value value = batched(original);
  int64_t missing = rank + 1 - tensorType(value).getRank();
  if (missing <= 0)
    return value;
  TensorBuilder e(builder, near(value));
  SmallVector<DimSize> shape = dimSizesOf(e.wrap(value));
  shape.insert(shape.begin() + 1, missing, DimSize(1));
  return reshapeTo(e.wrap(value), shape);
}

Operation *Batcher::cloneOn(Operation *op, ValueRange operands) {
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  for (Value result : copy->getResults())
    result.setType(batchedType(result.getType()));
  return copy;
}

SmallVector<Batched> Batcher::allOf(Operation *op) const {
  return llvm::map_to_vector(op->getResults(), [](Value value) { return Batched(value); });
}

LogicalResult Batcher::write(Block &block) {
  return guarded([&] { return writeOps(block); });
}

LogicalResult Batcher::writeOps(Block &block) {
  for (Operation *op = &block.front(); op != block.getTerminator();) {
    Operation *next = op->getNextNode();
    if (!reads(op, [&](Value value) { return isBatched(value); })) {
      Operation *copy = builder.clone(*op, mapping);
      for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
        map(from, Batched(to, false));
    } else if (isa<scf::IfOp, scf::WhileOp>(op)) {
      if (failed(writeBatchedControlFlow(*this, op)))
        return failure();
    } else if (BatchedResults results = writeOp(op); succeeded(results)) {
      mapResults(op, *results);
    } else if (auto composite = dyn_cast<DecomposableOpInterface>(op)) {
      OpBuilder local(op);
      FailureOr<Operation *> first = replaceByDecomposition(local, composite);
      if (failed(first))
        return failure();
      if (!*first)
        return refuse(op, hasDynamicDims(op)
                              ? "its decomposition needs dims that are dynamic; make the types "
                                "of the function's arguments static before batching"
                              : "it has neither a batching rule nor a decomposition for these "
                                "operands");
      next = *first;
    } else {
      auto each = runPerExample(op);
      if (failed(each))
        return failure();
      mapResults(op, *each);
    }
    op = next;
  }
  return success();
}

void Batcher::mapResults(Operation *op, ArrayRef<Batched> values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    map(result, value);
}

/// Failure, without an error, if the op must be decomposed or run per example.
FailureOr<SmallVector<Batched>> Batcher::writeOp(Operation *op) {
  if (auto batchable = dyn_cast<BatchableOpInterface>(op))
    return batchable.batch(*this);
  // Ops of another dialect.
  if (isa<tensor::CastOp>(op))
    return batchFirstOperand(*this, op);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) // a condition: one element of each example
    return extract.getIndices().empty() ? one(batched(extract.getTensor())) : BatchedResults(failure());
  return elementwise(op);
}

FailureOr<SmallVector<Batched>> Batcher::elementwise(Operation *op) {
  if (op->getNumResults() != 1)
    return failure();
  bool onlyFirst = llvm::all_of(llvm::drop_begin(op->getOperands()), [&](Value v) { return !isBatched(v); });
  if (!isa<ScalarOpInterface>(op) && !(op->hasTrait<ElementwiseTrait>() && onlyFirst))
    return failure();
  int64_t rank = tensorType(op->getResult(0)).getRank();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isBatched(operand) ? aligned(operand, rank) : plain(operand));
  return allOf(cloneOn(op, operands));
}

/// The op on the example at `index`, a vector of one element.
SmallVector<Value> Batcher::exampleOf(Operation *op, OpBuilder &inside, Value index) {
  TensorBuilder e(inside, op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isBatched(operand)) {
      operands.push_back(plain(operand));
      continue;
    }
    Value slice =
        GatherOp::create(inside, op->getLoc(), batched(operand), index, Value(), inside.getI64IntegerAttr(0));
    operands.push_back(dropDim(e.wrap(slice), 0));
  }
  Operation *copy = inside.clone(*op);
  copy->setOperands(operands);
  return SmallVector<Value>(copy->getResults());
}

namespace {

/// Whether static operand dims imply static result dims: then the results of all examples have equal shapes.
/// Tests it by inference with candidate sizes for the dynamic dims, because a verifier may accept only some
/// sizes (channels, rows).
bool dimsFollowFromOperands(Operation *op) {
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    return false;
  SmallVector<int64_t> candidates{64, 1};
  for (Type type : op->getOperandTypes())
    for (int64_t dim : cast<RankedTensorType>(type).getShape())
      if (!ShapedType::isDynamic(dim) && !llvm::is_contained(candidates, dim))
        candidates.push_back(dim);
  return llvm::any_of(candidates, [&](int64_t dimSize) {
    Block operands;
    for (Type type : op->getOperandTypes()) {
      SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
      llvm::replace(shape, ShapedType::kDynamic, dimSize);
      operands.addArgument(cast<RankedTensorType>(type).clone(shape), op->getLoc());
    }
    SmallVector<Type> types;
    bool isInferred = succeeded(inference.inferReturnTypes(
        op->getContext(), std::nullopt, operands.getArguments(), op->getRawDictionaryAttrs(),
        op->getPropertiesStorage(), op->getRegions(), types));
    return isInferred && llvm::all_of(types, [](Type type) {
             auto tensor = dyn_cast<RankedTensorType>(type);
             return tensor && tensor.hasStaticShape();
           });
  });
}

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool allStatic(TypeRange types) {
  return llvm::all_of(types, [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); });
}

} // namespace

LogicalResult Batcher::refuse(Operation *op, const Twine &why) {
  // Not op->emitError(), which may print the op, whose function may still be incomplete.
  return emitError(op->getLoc()) << "'" << op->getName().getStringRef() << "' cannot be batched: " << why;
}

LogicalResult Batcher::checkPerExample(Operation *op) {
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return refuse(op, "it has no batching rule, and running it for each example would repeat its effects");
  auto isForeign = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !dtypeOf(tensor.getElementType());
  };
  if (llvm::any_of(op->getOperandTypes(), isForeign) || llvm::any_of(op->getResultTypes(), isForeign))
    return refuse(op, "it has an element type that the dialect pd lacks");
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                            SmallVector<Type>(op->getResultTypes())))
    if (!isa<RankedTensorType, ArrayType>(type))
      return refuse(op, "it has no batching rule, and a value of type " + typeText(type) +
                            " has no batched form");
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(op->getOperandTypes(), isTensor) || !llvm::all_of(op->getResultTypes(), isTensor))
    return refuse(op,
                  "an index of a tensor array differs from example to example, and it has no batching rule "
                  "for that");
  if (allStatic(op->getResultTypes()) || dimsFollowFromOperands(op))
    return success();
  if (allStatic(op->getOperandTypes()))
    return refuse(op, "the dims of its results depend on data and may differ from example to example");
  return refuse(op, "its operands have dynamic dims, and the dims of its results may depend on data; make "
                    "the types of the function's arguments static before batching");
}

FailureOr<SmallVector<Batched>> Batcher::runPerExample(Operation *op) {
  if (failed(checkPerExample(op)))
    return failure();
  Location location = op->getLoc();
  TensorBuilder e(builder, op);
  if (!ShapedType::isDynamic(exampleCount) && exampleCount > 0 && exampleCount <= maxUnrolled) {
    SmallVector<SmallVector<Expression>> pieces(op->getNumResults());
    for (int64_t i = 0; i < exampleCount; ++i)
      for (auto [piece, value] : llvm::zip(pieces, exampleOf(op, builder, oneInt(builder, location, i))))
        piece.push_back(insertDim(e.wrap(value), 0));
    return llvm::map_to_vector(pieces, [](ArrayRef<Expression> piece) { return Batched(concat(piece, 0)); });
  }
  return allStatic(op->getResultTypes()) ? loopOverRows(op) : loopOverArrays(op);
}

/// A loop over the examples; iteration i writes its results to row i of tensors for all examples.
SmallVector<Batched> Batcher::loopOverRows(Operation *op) {
  Location location = op->getLoc();
  TensorBuilder e(builder, op);
  SmallVector<Value> inits;
  for (Type type : op->getResultTypes()) {
    SmallVector<DimSize> shape{examples(e)};
    for (int64_t dim : cast<RankedTensorType>(type).getShape())
      shape.push_back(dim);
    inits.push_back(expandTo(e.constant(0, cast<RankedTensorType>(type).getElementType()), shape));
  }
  Value count = e.reshape(e.wrap(examples(e).getValue(e)), {1});
  auto values =
      countedLoop(builder, location, count, inits, [&](OpBuilder &inside, Value index, ValueRange carried) {
        TensorBuilder in(inside, op);
        SmallVector<Value> next;
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(inside.getInsertionBlock(), inside.getInsertionPoint());
        Value rowIndex = in.reshape(in.wrap(index), {1, 1});
        for (auto [value, whole] : llvm::zip(exampleOf(op, inside, index), carried)) {
          Value updated = ScatterNdOp::create(inside, location, whole, rowIndex, insertDim(in.wrap(value), 0),
                                              ScatterReduce::Assign);
          next.push_back(widened(inside, location, updated, whole.getType()));
        }
        return next;
      });
  return llvm::map_to_vector(values, [](Value value) { return Batched(value); });
}

/// A loop over the examples that appends results with dynamic dims to tensor arrays, stacked after the loop.
SmallVector<Batched> Batcher::loopOverArrays(Operation *op) {
  Location location = op->getLoc();
  TensorBuilder e(builder, op);
  SmallVector<Value> inits;
  for (Type type : op->getResultTypes())
    inits.push_back(widened(builder, location, ArrayCreateOp::create(builder, location),
                            ArrayType::get(type.getContext(), cast<RankedTensorType>(type))));
  Value count = e.reshape(e.wrap(examples(e).getValue(e)), {1});
  auto arrays =
      countedLoop(builder, location, count, inits, [&](OpBuilder &inside, Value index, ValueRange carried) {
        SmallVector<Value> next;
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(inside.getInsertionBlock(), inside.getInsertionPoint());
        for (auto [value, array] : llvm::zip(exampleOf(op, inside, index), carried)) {
          Value longer = ArrayWriteOp::create(inside, location, array, index, value);
          next.push_back(widened(inside, location, longer, array.getType()));
        }
        return next;
      });
  Type sizes = RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
  return llvm::map_to_vector(llvm::zip(arrays, op->getResultTypes()), [&](auto entry) {
    auto [array, type] = entry;
    auto all = ArrayToTensorOp::create(builder, location, TypeRange{batchedType(type), sizes}, array,
                                       builder.getI64IntegerAttr(0), builder.getBoolAttr(true));
    return Batched(all.getOut());
  });
}

} // namespace proa::pd
