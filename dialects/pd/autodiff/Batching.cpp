#include "dialects/pd/autodiff/Batching.h"
#include "dialects/pd/Guarded.h"
#include "dialects/pd/ReplaceResult.h"

#include "dialects/pd/Types.h"
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/control/ArrayOps.h"
#include "dialects/pd/creation/CreationOps.h"
#include "dialects/pd/index/GatherOps.h"
#include "dialects/pd/index/ScatterOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Up to so many examples are written out one after another where an op has no batched form; more become a
/// loop.
constexpr int64_t mostWrittenOut = 16;

/// An op with the location of what is made of a value.
Operation *near(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op : cast<BlockArgument>(value).getOwner()->getParentOp();
}

bool reads(Operation *op, llvm::function_ref<bool(Value)> holds) {
  auto found = op->walk([&](Operation *inner) {
    return llvm::any_of(inner->getOperands(), holds) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// An array of cotangents may lack elements, which are zero.
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

const BatchingRules &BatchingRules::get() {
  static const BatchingRules rules = [] {
    BatchingRules all;
    addMoveBatching(all);
    addAxisBatching(all);
    addIndexBatching(all);
    addProductBatching(all);
    addImageBatching(all);
    addArrayBatching(all);
    addSequenceBatching(all);
    return all;
  }();
  return rules;
}

FailureOr<SmallVector<Value>> firstBatched(Batcher &batcher, Operation *op) {
  SmallVector<Value> operands{batcher.batched(op->getOperand(0))};
  for (Value operand : llvm::drop_begin(op->getOperands())) {
    if (batcher.isBatched(operand))
      return failure();
    operands.push_back(batcher.plain(operand));
  }
  return operands;
}

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
  if (!tensor) // what scf.if and scf.condition read
    return RankedTensorType::get({extent}, type);
  SmallVector<int64_t> shape{extent};
  llvm::append_range(shape, tensor.getShape());
  return tensor.clone(shape);
}

Extent Batcher::examples(TensorBuilder &e) const {
  return ShapedType::isDynamic(extent) ? Extent(e.wrap(source), 0) : Extent(extent);
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
  SmallVector<Extent> shape = extentsOf(e.wrap(value));
  shape.insert(shape.begin(), examples(e));
  return expandTo(e.wrap(value), shape);
}

Value Batcher::liftArray(Value array) {
  Location location = array.getLoc();
  Type type = batchedType(array.getType());
  Value empty = widened(builder, location, ArrayCreateOp::create(builder, location), type);
  if (beforeWidening(array).getDefiningOp<ArrayCreateOp>())
    return empty;
  Value length = ArrayLengthOp::create(builder, location, array);
  return countedLoop(
      builder, location, length, {empty}, [&](OpBuilder &inside, Value index, ValueRange carried) {
        Value element = elementOrZeros(inside, array, index);
        TensorBuilder e(inside, element.getDefiningOp());
        SmallVector<Extent> shape = extentsOf(e.wrap(element));
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
  SmallVector<Extent> shape = extentsOf(e.wrap(value));
  shape.insert(shape.begin() + 1, missing, Extent(1));
  return reshapeTo(e.wrap(value), shape);
}

Operation *Batcher::cloneOn(Operation *op, ValueRange operands) {
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  for (Value result : copy->getResults())
    result.setType(batchedType(result.getType()));
  return copy;
}

SmallVector<Batched> Batcher::allOf(Operation *made) const {
  return llvm::map_to_vector(made->getResults(), [](Value value) { return Batched(value); });
}

LogicalResult Batcher::write(Block &block) {
  for (Operation *op = &block.front(); op != block.getTerminator();) {
    Operation *next = op->getNextNode(), *before = op->getPrevNode();
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
      auto values = guarded([&] { return composite.decompose(local); });
      if (failed(values))
        return op->emitError() << "'" << op->getName().getStringRef()
                               << "' can not be batched: it has no decomposition here";
      replaceResults(op, *values);
      Operation *first = before ? before->getNextNode() : &block.front();
      next = first == op ? next : first;
      op->erase();
    } else {
      auto each = oneByOne(op);
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

/// Failure, without an error, where the op is to be taken apart or run for each example.
FailureOr<SmallVector<Batched>> Batcher::writeOp(Operation *op) {
  if (BatchingRules::Rule rule = BatchingRules::get().find(op))
    return rule(*this, op);
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

/// The op on one example; `index` is its number, a vector of one element.
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

FailureOr<SmallVector<Batched>> Batcher::oneByOne(Operation *op) {
  auto refuse = [&](const Twine &why) {
    return op->emitError() << "'" << op->getName().getStringRef() << "' can not be batched: " << why;
  };
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return refuse("it has no rule, and running it for each example would change what it does");
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                            SmallVector<Type>(op->getResultTypes())))
    if (!isa<RankedTensorType>(type))
      return refuse("it has no rule, and reads or gives something else than tensors");
  for (Type type : op->getResultTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return refuse("the extents of its results may differ from example to example");
  Location location = op->getLoc();
  TensorBuilder e(builder, op);
  if (!ShapedType::isDynamic(extent) && extent <= mostWrittenOut) {
    SmallVector<SmallVector<Expression>> parts(op->getNumResults());
    for (int64_t i = 0; i < extent; ++i)
      for (auto [part, value] : llvm::zip(parts, exampleOf(op, builder, oneInt(builder, location, i))))
        part.push_back(insertDim(e.wrap(value), 0));
    return llvm::map_to_vector(parts, [](ArrayRef<Expression> part) { return Batched(concat(part, 0)); });
  }
  SmallVector<Value> inits;
  for (Type type : op->getResultTypes()) {
    SmallVector<Extent> shape{examples(e)};
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
        Value place = in.reshape(in.wrap(index), {1, 1});
        for (auto [value, whole] : llvm::zip(exampleOf(op, inside, index), carried)) {
          Value put = ScatterNdOp::create(inside, location, whole, place, insertDim(in.wrap(value), 0),
                                          inside.getStringAttr("assign"));
          next.push_back(widened(inside, location, put, whole.getType()));
        }
        return next;
      });
  return llvm::map_to_vector(values, [](Value value) { return Batched(value); });
}

} // namespace proa::pd
