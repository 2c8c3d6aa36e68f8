//! Ops that legacy programs do not have, as formulas of ops that they have.
#include "translator/export/ArrayFormula.h"
#include "translator/export/OpExporter.h"
#include "translator/export/ProgramExporter.h"
#include "translator/export/ShiftFormula.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/image/InterpolateOps.h"
#include "dialects/pd/ops/image/PoolOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/RowsOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/View.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace proa::exporter {
namespace {

using pd::Expression;
using pd::TensorBuilder;

/// One element of a vector, as a tensor of rank 0.
Expression elementOf(TensorBuilder &e, Expression vector, int64_t index) {
  int64_t end = index == -1 ? pd::toTheEnd : index + 1;
  Value element = pd::slice(vector, 0, index, end);
  return e.wrap(e.create<pd::SqueezeOp>(element, Value(), llvm::ArrayRef<int64_t>{0}));
}

Value formulaOf(pd::DimOp op, TensorBuilder &e) {
  int64_t rank = pd::tensorType(op.getX()).getRank(), index = static_cast<int64_t>(op.getIndex());
  Expression dimSize =
      elementOf(e, e.wrap(e.create<pd::ShapeOp>(op.getX())), index < 0 ? index + rank : index);
  return e.cast(dimSize, e.getBuilder().getI64Type());
}

Expression gather(TensorBuilder &e, Expression x, Expression index) {
  return e.wrap(e.create<pd::GatherOp>(x, index, Value(), uint64_t(0)));
}

/// For each of the numbers 0, 1, ... how many of the ascending `ends` are not above it: whose range it is in.
Expression rangesOf(TensorBuilder &e, Expression ends, Expression values) {
  return e.wrap(e.create<pd::SearchsortedOp>(ends, values, /*out_int32=*/false, /*right=*/true));
}

llvm::SmallVector<Value> formulaOf(pd::RowPositionsOp op, TensorBuilder &e) {
  Expression offsets = e.wrap(op.getOffsets()), x = e.wrap(op.getX());
  Expression rows = pd::iota(e, pd::DimSize(x, 0), e.getBuilder().getI64Type());
  Expression sequence = rangesOf(e, pd::slice(offsets, 0, 1, pd::toTheEnd), rows);
  return {sequence, rows - gather(e, offsets, sequence)};
}

llvm::SmallVector<Value> formulaOf(pd::RangesOp op, TensorBuilder &e) {
  Expression lengths = e.wrap(op.getLengths());
  Expression ends = e.wrap(e.create<pd::CumsumOp>(lengths, Value(), uint64_t(0), false, false, false));
  Expression zero = pd::insertDim(e.constant(0, e.getBuilder().getI64Type()), 0);
  Expression offsets = pd::concat({zero, ends}, 0);
  Type i64 = e.getBuilder().getI64Type();
  Expression indices = e.wrap(e.create<pd::ArangeOp>(e.constant(0, i64), elementOf(e, offsets, -1),
                                                     e.constant(1, i64), TypeAttr::get(i64)));
  Expression range = rangesOf(e, ends, indices);
  return {indices + gather(e, e.wrap(op.getStarts()) - pd::slice(offsets, 0, 0, -1), range), offsets};
}

/// Null where no legacy op puts the updates there in this way.
Value formulaOf(pd::ScatterNdOp op, TensorBuilder &e) {
  if (op.getReduce() == pd::ScatterReduce::Add)
    return e.create<pd::ScatterNdAddOp>(op.getX(), op.getIndex(), op.getUpdates());
  auto index = pd::tensorType(op.getIndex());
  int64_t last = index.getRank() - 1;
  if (op.getReduce() != pd::ScatterReduce::Assign || index.isDynamicDim(last))
    return {};
  llvm::SmallVector<Value> columns;
  for (int64_t i = 0; i < index.getDimSize(last); ++i)
    columns.push_back(pd::dropDim(pd::slice(e.wrap(op.getIndex()), last, i, i + 1), last));
  return e.create<pd::IndexPutOp>(op.getX(), columns, op.getUpdates(), false);
}

/// Legacy gathers take a vector of positions. Null where none of more dimensions is to be written as one.
Value formulaOf(pd::GatherOp op, TensorBuilder &e) {
  if (pd::tensorType(op.getIndex()).getRank() < 2 || op.getAxisTensor())
    return {};
  Expression x = e.wrap(op.getX()), index = e.wrap(op.getIndex());
  Expression flat = e.wrap(e.create<pd::ReshapeOp>(index, Value(), llvm::ArrayRef<int64_t>{-1}));
  Expression rows = e.wrap(e.create<pd::GatherOp>(x, flat, Value(), op.getAxis()));
  llvm::SmallVector<pd::DimSize> shape = pd::dimSizesOf(x);
  auto axis = static_cast<int64_t>(op.getAxis());
  auto *at = shape.erase(shape.begin() + (axis < 0 ? axis + x.rank() : axis));
  llvm::SmallVector<pd::DimSize> positions = pd::dimSizesOf(index);
  shape.insert(at, positions.begin(), positions.end());
  return pd::reshapeTo(rows, shape);
}

/// Paddle 2.6 computes exclusive sums in place where nothing else reads x, and loses them. They are inclusive
/// sums of elements moved by one. Null for other sums.
Value formulaOf(pd::CumsumOp op, TensorBuilder &e) {
  std::optional<std::vector<int32_t>> constant =
      op.getAxisTensor() ? constantIntegers(op.getAxisTensor()) : std::nullopt;
  if (!op.getExclusive() || (op.getAxisTensor() && !constant))
    return {};
  Expression x = e.operand(0);
  int64_t axis = constant ? constant->front() : op.getAxis();
  if (op.getFlatten()) {
    x = e.reshape(x, {-1});
    axis = 0;
  }
  Type element = x.type().getElementType();
  if (x.rank() == 0)
    return e.constant(0, element);
  axis = axis < 0 ? axis + x.rank() : axis;
  Expression zeros = pd::expandTo(e.constant(0, element), pd::dimSizesOf(pd::slice(x, axis, 0, 1)));
  Expression moved = op.getReverse() ? pd::concat({pd::slice(x, axis, 1, pd::toTheEnd), zeros}, axis)
                                     : pd::concat({zeros, pd::slice(x, axis, 0, -1)}, axis);
  return e.create<pd::CumsumOp>(moved, Value(), axis, false, false, op.getReverse());
}

/// Paddle 2.6 rounds halves away from zero, to whole numbers. Null where that is asked for.
Value formulaOf(pd::RoundOp op, TensorBuilder &e) {
  if (!op.getHalfToEven() && op.getDecimals() == 0)
    return {};
  double power = std::pow(10.0, static_cast<double>(op.getDecimals()));
  Expression x = e.operand(0) * power;
  Expression rounded = e.wrap(e.create<pd::RoundOp>(x));
  if (op.getHalfToEven()) {
    Expression even = e.wrap(e.create<pd::RoundOp>(x * 0.5)) * 2.0;
    rounded = e.select(e.equal(e.abs(x - e.wrap(e.create<pd::TruncOp>(x))), 0.5), even, rounded);
  }
  return e.results({rounded / power}).front();
}

/// A loop that writes one entry after the other.
Value formulaOf(pd::ArraySplitOp op, TensorBuilder &e) {
  OpBuilder &builder = e.getBuilder();
  Type i64 = builder.getI64Type();
  Expression sizes = e.cast(e.wrap(op.getSizes()), i64);
  Expression ends = e.wrap(e.create<pd::CumsumOp>(sizes, Value(), uint64_t(0), false, false, false));
  auto axis = static_cast<int64_t>(op.getAxis());
  axis += axis < 0 ? pd::tensorType(op.getX()).getRank() : 0;
  Value empty = pd::widened(builder, op.getLoc(), e.create<pd::ArrayCreateOp>(), op.getOut().getType());
  Expression count = e.cast(e.wrap(e.create<pd::ShapeOp>(sizes)), i64);
  auto body = [&](OpBuilder &inside, Value index, ValueRange arrays) {
    Expression end = gather(e, ends, e.wrap(index)), start = end - gather(e, sizes, e.wrap(index));
    Value entry = e.create<pd::SliceOp>(op.getX(), start, end, Value(), llvm::ArrayRef<int64_t>{axis},
                                        llvm::ArrayRef<int64_t>(), llvm::ArrayRef<int64_t>(),
                                        llvm::ArrayRef<int64_t>());
    if (op.getUseStack())
      entry = e.create<pd::SqueezeOp>(entry, Value(), llvm::ArrayRef<int64_t>{axis});
    Value array = e.create<pd::ArrayWriteOp>(arrays.front(), index, entry);
    return llvm::SmallVector<Value>{pd::widened(inside, op.getLoc(), array, op.getOut().getType())};
  };
  return pd::countedLoop(builder, op.getLoc(), count, {empty}, body).front();
}

/// Paddle 2.6 chooses real numbers only. Null for those.
Value formulaOf(pd::WhereOp op, TensorBuilder &e) {
  if (!isa<ComplexType>(pd::tensorType(op.getX()).getElementType()))
    return {};
  Expression condition = e.wrap(op.getCondition());
  auto component = [&]<class Op>(Op) {
    return e.select(condition, e.wrap(e.create<Op>(op.getX())), e.wrap(e.create<Op>(op.getY())));
  };
  return e.create<pd::ComplexOp>(component(pd::RealOp()), component(pd::ImagOp()));
}

/// Backwards, Paddle 2.6 leaves the first element out where an end lies before it; -1 alone takes it in. Null
/// where no end does.
Value formulaOf(pd::SliceOp op, TensorBuilder &e) {
  auto type = pd::tensorType(op.getX());
  llvm::SmallVector<int64_t> ends(op.getEnds()), axes(op.getAxes());
  bool isOpen = false, isChanged = false;
  for (auto [axis, end, stride] : llvm::zip(axes, ends, op.getStrides())) {
    axis += axis < 0 ? type.getRank() : 0;
    if (op.getEndsTensor() || stride >= 0 || end >= -1)
      continue;
    isOpen |= type.isDynamicDim(axis);
    isChanged |= isOpen || end + type.getDimSize(axis) < 0;
    if (!type.isDynamicDim(axis))
      end = std::max<int64_t>(end + type.getDimSize(axis), -1);
  }
  if (!isChanged)
    return {};
  Value endsTensor;
  if (isOpen) {
    Type i64 = e.getBuilder().getI64Type();
    llvm::SmallVector<Expression> openEnds;
    Expression shape = e.cast(e.wrap(e.create<pd::ShapeOp>(op.getX())), i64);
    for (auto [axis, end, stride] : llvm::zip(axes, ends, op.getStrides())) {
      Expression own = pd::insertDim(e.constant(static_cast<double>(end), i64), 0);
      bool isCounted = stride < 0 && end < -1;
      openEnds.push_back(isCounted ? e.maximum(pd::slice(shape, 0, axis, axis + 1) + own, -1.0) : own);
    }
    endsTensor = pd::concat(openEnds, 0);
    ends.assign(ends.size(), -1);
  }
  return e.create<pd::SliceOp>(op.getX(), op.getStartsTensor(), endsTensor, op.getStridesTensor(),
                               op.getAxes(), op.getStarts(), ends, op.getStrides());
}

/// Paddle 2.6 reads sizes as int32. Null where they are.
template <class Interpolation> Value interpolation(Interpolation op, TensorBuilder &e) {
  Type number = e.getBuilder().getI32Type();
  auto isWide = [&](Value size) { return pd::tensorType(size).getElementType() != number; };
  if (llvm::none_of(op.getSizeTensor(), isWide) && !(op.getOutSize() && isWide(op.getOutSize())))
    return {};
  Operation *copy = e.getBuilder().clone(*op);
  auto narrowed = cast<Interpolation>(copy);
  e.getBuilder().setInsertionPoint(copy);
  for (MutableOperandRange sizes : {narrowed.getOutSizeMutable(), narrowed.getSizeTensorMutable()})
    for (OpOperand &size : sizes)
      size.set(e.cast(e.wrap(size.get()), number));
  e.getBuilder().setInsertionPointAfter(copy);
  return copy->getResult(0);
}

/// A legacy range has the type of its bounds. Null where these have the type of the result.
Value formulaOf(pd::ArangeOp op, TensorBuilder &e) {
  Type bounds = pd::tensorType(op.getStart()).getElementType();
  if (bounds == op.getDtype())
    return {};
  Value range = e.create<pd::ArangeOp>(op.getStart(), op.getEnd(), op.getStep(), bounds);
  return e.cast(e.wrap(range), op.getDtype());
}

Value formulaOf(pd::CopysignOp op, TensorBuilder &e) {
  Expression x = e.abs(e.operand(0)), y = e.operand(1);
  // The inverse of a zero tells its sign.
  Expression isNegative = e.wrap(e.create<pd::LogicalOrOp>(y < 0.0, 1.0 / y < 0.0));
  return e.results({e.select(isNegative, -x, x)}).front();
}

/// Legacy selections give equal elements in any order. Empty where the op allows that.
llvm::SmallVector<Value> formulaOf(pd::TopkOp op, TensorBuilder &e) {
  if (!op.getStable())
    return {};
  auto sorted =
      pd::ArgsortOp::create(e.getBuilder(), op.getLoc(), op.getX(), op.getAxis(), op.getLargest(), true);
  Value count = op.getKTensor() ? Value(e.reshape(e.wrap(op.getKTensor()), {1})) : Value();
  llvm::SmallVector<Value> first;
  for (Value all : sorted->getResults())
    first.push_back(e.create<pd::SliceOp>(
        all, Value(), count, Value(), llvm::ArrayRef<int64_t>{int64_t(op.getAxis())},
        llvm::ArrayRef<int64_t>{0}, llvm::ArrayRef<int64_t>{int64_t(op.getK())}, llvm::ArrayRef<int64_t>()));
  return first;
}

/// Legacy `equal` compares float32 and float64 within 1e-8 and nothing else. NaN is neither below nor above
/// itself.
template <class Op> Value equality(Op op, TensorBuilder &e) {
  Expression x = e.operand(0), y = e.operand(1);
  Type element = x.type().getElementType();
  double tolerance = op.getTolerance().convertToDouble();
  if (tolerance == (element.isF32() || element.isF64() ? 1e-8 : 0) || !isa<FloatType>(element))
    return {};
  Value exact =
      e.create<pd::LogicalAndOp>(e.create<pd::LessEqualOp>(x, y), e.create<pd::GreaterEqualOp>(x, y));
  if (tolerance == 0)
    return exact;
  Value isNear = e.create<pd::LessThanOp>(e.abs(x - y), e.constant(tolerance, element));
  return e.create<pd::LogicalOrOp>(exact, isNear);
}

Value formulaOf(pd::EqualOp op, TensorBuilder &e) { return equality(op, e); }
Value formulaOf(pd::NotEqualOp op, TensorBuilder &e) {
  Value equal = equality(op, e);
  return equal ? e.create<pd::LogicalNotOp>(equal) : Value();
}

/// An assertion that never holds, and constants for the results.
llvm::SmallVector<Value> formulaOf(pd::FailOp op, TensorBuilder &e) {
  OpBuilder &builder = e.getBuilder();
  Value never = e.constant(0, builder.getI1Type());
  pd::AssertOp::create(builder, op.getLoc(), never, ValueRange(), uint64_t(0));
  llvm::SmallVector<Value> values;
  for (Type type : op.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    llvm::SmallVector<int64_t> shape(tensor.getShape());
    for (int64_t &dim : shape)
      dim = ShapedType::isDynamic(dim) ? 1 : dim;
    tensor = tensor.clone(shape);
    auto zero = DenseElementsAttr::get(
        tensor, llvm::ArrayRef<Attribute>(builder.getZeroAttr(tensor.getElementType())));
    values.push_back(pd::ConstantOp::create(builder, op.getLoc(), tensor, zero));
  }
  return values;
}

/// The gradient of the pooling itself.
template <class Pool> Value poolGradient(Operation *op, TensorBuilder &e) {
  return pd::vjpOfFormula(e.getBuilder(), op->getOperand(0), op->getOperand(1), [&](Value x) -> Value {
    llvm::SmallVector<Value> operands(op->getOperands());
    operands.erase(operands.begin() + 1);
    operands.front() = x;
    auto pool = OperationState(op->getLoc(), Pool::getOperationName(), operands,
                               {op->getOperand(1).getType()}, llvm::to_vector(op->getAttrs()));
    return e.getBuilder().create(pool)->getResult(0);
  });
}

Value formulaOf(pd::Pool2dGradientOp op, TensorBuilder &e) { return poolGradient<pd::Pool2dOp>(op, e); }
Value formulaOf(pd::Pool3dGradientOp op, TensorBuilder &e) { return poolGradient<pd::Pool3dOp>(op, e); }

} // namespace

bool ProgramExporter::addFormula(Operation &op) {
  using Values = llvm::SmallVector<Value>;
  OpBuilder builder(&op);
  TensorBuilder e(builder, &op);
  Operation *before = op.getPrevNode();
  auto values =
      llvm::TypeSwitch<Operation *, Values>(&op)
          .Case<pd::DimOp, pd::ScatterNdOp, pd::GatherOp, pd::CumsumOp, pd::RoundOp, pd::WhereOp,
                pd::ArraySplitOp, pd::SliceOp, pd::CopysignOp, pd::BitwiseLeftShiftOp,
                pd::BitwiseRightShiftOp, pd::ArraySliceOp, pd::ArrayConcatOp, pd::EqualOp, pd::NotEqualOp,
                pd::ArangeOp, pd::Pool2dGradientOp, pd::Pool3dGradientOp>(
              [&](auto typed) { return Values{formulaOf(typed, e)}; })
          .Case<pd::RowPositionsOp, pd::RangesOp, pd::ArrayToTensorOp, pd::FailOp, pd::TopkOp>(
              [&](auto typed) { return formulaOf(typed, e); })
          .Case<pd::LinearInterpOp, pd::BilinearInterpOp, pd::TrilinearInterpOp, pd::BicubicInterpOp,
                pd::NearestInterpOp>([&](auto typed) { return Values{interpolation(typed, e)}; })
          .Case<pd::OptimizationBarrierOp>([](auto typed) { return Values{typed->getOperand(0)}; })
          .Default(Values());
  bool isFormula = values.empty() ? isa<pd::FailOp>(op) : values.front() != nullptr;
  if (!isFormula)
    return false;
  addInstead(op, before, values);
  return true;
}

bool ProgramExporter::addDecomposition(Operation &op) {
  auto composite = dyn_cast<pd::DecomposableOpInterface>(op);
  if (!composite)
    return false;
  Operation *before = op.getPrevNode();
  OpBuilder builder(&op);
  auto values = composite.tryDecompose(builder);
  if (failed(values))
    return false;
  addInstead(op, before, *values);
  return true;
}

void ProgramExporter::addCreated(Operation &op, Operation *before) {
  for (Operation *created = before ? before->getNextNode() : &op.getBlock()->front(); created != &op;
       created = created->getNextNode())
    addOp(*created);
}

void ProgramExporter::addInstead(Operation &op, Operation *before, llvm::ArrayRef<Value> values) {
  addCreated(op, before);
  for (auto [result, value] : llvm::zip(op.getResults(), values)) {
    declare(result, of(result));
    write(assign(of(value), of(result)));
  }
}

} // namespace proa::exporter
