#include "passes/autodiff/MixedPrecision.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ir/LibraryTypes.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/reference/HostScalar.h"
#include "passes/autodiff/BackwardRegion.h"
#include "passes/autodiff/PrecisionLists.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/BitVector.h"

#include "llvm/ADT/DenseSet.h"

#include <cmath>

using namespace mlir;

namespace proa::autodiff {
namespace {

bool isSingle(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}

/// The elementwise ops that compute a loop's condition, and the carried values that they depend on. In 16
/// bits a counter would stop at 2048 (f16) or 256 (bf16).
struct LoopControl {
  llvm::DenseSet<Operation *> ops;
  llvm::BitVector carried;

  explicit LoopControl(scf::WhileOp loop) : carried(loop.getInits().size()) {
    SmallVector<Value> pending{loop.getConditionOp().getCondition()};
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument && argument.getOwner() == loop.getBeforeBody()) {
        if (carried.test(argument.getArgNumber()))
          continue;
        carried.set(argument.getArgNumber());
        pending.push_back(loop.getYieldOp().getOperand(argument.getArgNumber()));
      } else if (argument && argument.getOwner() == loop.getAfterBody()) {
        pending.push_back(loop.getConditionOp().getArgs()[argument.getArgNumber()]);
      } else if (Operation *op = value.getDefiningOp();
                 op && op->getParentOp() == loop && isElementwise(op) && ops.insert(op).second) {
        llvm::append_range(pending, op->getOperands());
      }
    }
  }

private:
  static bool isElementwise(Operation *op) {
    return isa<pd::ScalarOpInterface, pd::IndexingMapOpInterface, tensor::ExtractOp, tensor::CastOp>(op);
  }
};

/// Whether the attribute contains a finite number that overflows in the format.
bool isBeyondRange(Attribute attribute, const llvm::fltSemantics &format) {
  auto overflows = [&](llvm::APFloat value) {
    if (!value.isFinite())
      return false;
    bool lossy = false;
    value.convert(format, llvm::APFloat::rmNearestTiesToEven, &lossy);
    return value.isInfinity();
  };
  if (auto floating = dyn_cast_if_present<FloatAttr>(attribute))
    return overflows(floating.getValue());
  auto elements = dyn_cast_if_present<DenseFPElementsAttr>(attribute);
  return elements && (elements.isSplat() ? overflows(elements.getSplatValue<llvm::APFloat>())
                                         : llvm::any_of(elements.getValues<llvm::APFloat>(), overflows));
}

/// Rewrites one block; a nested block uses the conversions of the blocks around it.
class MixedPrecision {
public:
  /// The lists and formats, the same for all blocks.
  struct Rules {
    Type low;
    const PrecisionLists &lists;
    bool isO2;
  };

  MixedPrecision(Block &block, const Rules &rules, const MixedPrecision *outer = nullptr)
      : block(block), rules(rules), outer(outer) {
    // Ops on which no gradient depends, such as parameter updates, are not rewritten.
    auto backward = findBackwardRegion(block);
    if (backward.gradients.empty())
      return;
    auto network = neededOps(block, backward.gradients.getArrayRef());
    for (Operation &op : block)
      if (!network.contains(&op))
        untouched.insert(&op);
  }

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (!outer || !op.hasTrait<OpTrait::IsTerminator>()) // control flow converts what its bodies yield
        visit(&op);
  }

private:
  /// For a trial in the same block, which is undone.
  explicit MixedPrecision(const MixedPrecision *outer)
      : block(outer->block), rules(outer->rules), outer(outer) {}

  bool isLow(Value value) const { return lowered.contains(value) || (outer && outer->isLow(value)); }
  /// Whether the value may have finite elements outside of the range of the format, as a mask does: it is
  /// such a constant, or an elementwise op computes it from one.
  bool isWide(Value value) {
    if (wide.contains(value) || (outer && outer->wide.contains(value)))
      return true;
    Attribute constant;
    if (!matchPattern(value, m_Constant(&constant)) || !isBeyondRange(constant, format()))
      return false;
    wide.insert(value);
    return true;
  }
  /// Whether the result has numbers that are computed from dims, and one is beyond the range or unknown.
  bool isWideNumber(Value result) const {
    constexpr int64_t mostNumbers = 16;
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() > mostNumbers || !isSingle(type) ||
        !isOfDims(result))
      return false;
    std::optional<Tensor> known = pd::knownTensor(result);
    double largest = llvm::APFloat::getLargest(format()).convertToDouble();
    for (int64_t i = 0; known && i < known->size(); ++i)
      if (double value = std::abs(pd::loadScalar(*known, i).real()); std::isfinite(value) && value > largest)
        return true;
    return !known;
  }
  /// Whether a value is computed from dims and constants alone.
  static bool isOfDims(Value value, unsigned depth = 0) {
    constexpr unsigned maxDepth = 16;
    Operation *op = value.getDefiningOp();
    if (!op || depth == maxDepth)
      return false;
    if (isa<pd::NumelOp>(op) || op->hasTrait<pd::SameForAllExamples>())
      return true;
    bool hasDims = false;
    for (Value operand : op->getOperands()) {
      bool isOwn = isOfDims(operand, depth + 1);
      if (!isOwn && !matchPattern(operand, m_Constant()) &&
          !isa_and_present<pd::FullOp>(operand.getDefiningOp()))
        return false;
      hasDims |= isOwn;
    }
    return hasDims && (worksByElement(op) || isa<pd::CastOp>(op));
  }
  bool hasWideAttribute(Operation *op) const {
    return llvm::any_of(op->getAttrs(), [&](NamedAttribute attribute) {
      return isBeyondRange(attribute.getValue(), format());
    });
  }
  const llvm::fltSemantics &format() const { return cast<FloatType>(rules.low).getFloatSemantics(); }

  bool isFull(Value value) const { return full.contains(value) || (outer && outer->isFull(value)); }

  void visit(Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return;
    if (!untouched.contains(op) && isa<scf::IfOp, scf::WhileOp, scf::ForOp>(op)) {
      lowerControlFlow(op);
      return;
    }
    // In 16 bits the lowest float of a mask would become -Inf, and a fully masked row NaN.
    bool readsWide = llvm::any_of(op->getOperands(), [&](Value v) { return isWide(v); });
    bool makesWide = hasWideAttribute(op) || (readsWide && worksByElement(op)) ||
                     llvm::any_of(op->getResults(), [&](Value v) { return isWideNumber(v); });
    Precision precision = readsWide || makesWide ? Precision::Full : precisionOf(op);
    if (precision == Precision::Low && lower(op))
      return;
    raise(op);
    if (makesWide)
      wide.insert(op->result_begin(), op->result_end());
    if (precision != Precision::Follow)
      full.insert(op->result_begin(), op->result_end());
    if (!untouched.contains(op))
      for (Region &region : op->getRegions())
        for (Block &body : region)
          MixedPrecision(body, rules).run();
  }

  static bool worksByElement(Operation *op) {
    return isa<pd::ScalarOpInterface, pd::IndexingMapOpInterface>(op) ||
           op->hasTrait<pd::ElementwiseTrait>() || op->hasTrait<pd::MovesElements>();
  }

  Precision precisionOf(Operation *op) {
    if (untouched.contains(op) || op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>())
      return Precision::Full;
    Precision precision = rules.lists.of(op);
    if (precision != Precision::Low && pd::hasOnlyFullKernel(op))
      return Precision::Full;
    if (precision == Precision::Unknown)
      return rules.isO2 && isa_and_present<pd::PdDialect>(op->getDialect()) ? Precision::Low
                                                                            : Precision::Full;
    if (precision != Precision::Follow)
      return precision;
    bool follows =
        llvm::any_of(op->getOperands(), [&](Value v) { return isLow(v); }) &&
        llvm::none_of(op->getOperands(), [&](Value v) { return isFull(v) && isSingle(v.getType()); });
    return follows ? Precision::Low : Precision::Follow;
  }

  /// Gives the op operands in 16 bits; false, without a change, if it does not accept them.
  bool lower(Operation *op) {
    if (!isa<InferTypeOpInterface>(op) ||
        llvm::none_of(op->getOperands(), [&](Value v) { return isSingle(v.getType()) || isLow(v); }))
      return false;
    SmallVector<Value> before(op->getOperands());
    SmallVector<Type> wideTypes(op->getResultTypes());
    for (OpOperand &operand : op->getOpOperands())
      give(operand, true);
    ScopedDiagnosticHandler silent(op->getContext(), [](mlir::Diagnostic &) { return success(); });
    FailureOr<SmallVector<Type>> types = pd::inferredTypes(op);
    if (succeeded(types) && llvm::all_of(*types, [](Type type) { return isa<RankedTensorType>(type); })) {
      for (auto [result, type] : llvm::zip(op->getResults(), *types))
        if (isSingle(result.getType()) && cast<RankedTensorType>(type).getElementType() == rules.low)
          setLow(result);
      if (succeeded(op->getName().verifyInvariants(op)))
        return true;
    }
    op->setOperands(before);
    for (auto [result, type] : llvm::zip(op->getResults(), wideTypes)) {
      result.setType(type);
      lowered.erase(result);
    }
    return false;
  }

  /// Restores the operands of the op and of the ops in it.
  void raise(Operation *op) {
    op->walk([&](Operation *reader) {
      for (OpOperand &operand : reader->getOpOperands())
        if (isLow(operand.get()))
          operand.set(converted(op, operand.get(), Float32Type::get(op->getContext()), raised));
    });
  }

  //===-- Control flow ----------------------------------------------------------------------------------===//

  void setLow(Value value) {
    value.setType(cast<RankedTensorType>(value.getType()).clone(rules.low));
    lowered.insert(value);
  }

  /// Converts an operand to 16 bits or back.
  void give(OpOperand &operand, bool wantsLow) {
    Operation *op = operand.getOwner();
    if (wantsLow && isSingle(operand.get().getType()))
      operand.set(converted(op, operand.get(), rules.low, casts));
    else if (!wantsLow && isLow(operand.get()))
      operand.set(converted(op, operand.get(), Float32Type::get(op->getContext()), raised));
  }

  /// Converts the values that a body yields to the requested formats.
  void finish(MutableArrayRef<OpOperand> given, const llvm::BitVector &requested) {
    for (unsigned i = 0; i < given.size(); ++i)
      give(given[i], requested.test(i));
  }

  llvm::BitVector areLow(ArrayRef<OpOperand> values) const {
    llvm::BitVector out(static_cast<unsigned>(values.size()));
    for (auto [i, operand] : llvm::enumerate(values))
      if (isLow(operand.get()))
        out.set(static_cast<unsigned>(i));
    return out;
  }

  void setLow(ValueRange values, const llvm::BitVector &which) {
    for (unsigned i : which.set_bits())
      setLow(values[i]);
  }

  /// Marks results of control flow: in 16 bits, or of ops that must not be.
  void setResults(Operation *op, const llvm::BitVector &low) {
    for (OpResult result : op->getResults())
      if (low.test(result.getResultNumber()))
        setLow(result);
      else
        full.insert(result);
  }

  void lowerControlFlow(Operation *op) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return lowerBranch(branch);
    auto loop = cast<LoopLikeOpInterface>(op);
    // A value is carried in 16 bits if its initial or its next value is in 16 bits and stays so.
    llvm::BitVector carried = areLow(loop.getInitsMutable());
    carried |= resultOfTrial(loop, carried);
    if (auto conditional = dyn_cast<scf::WhileOp>(op))
      carried.reset(LoopControl(conditional).carried);
    for (bool isStable = carried.none(); !isStable;) {
      llvm::BitVector left = carried;
      left &= resultOfTrial(loop, carried);
      isStable = left == carried;
      carried = left;
    }
    lowerLoop(op, carried);
  }

  /// The values that each iteration would yield in 16 bits.
  llvm::BitVector resultOfTrial(LoopLikeOpInterface loop, const llvm::BitVector &carried) {
    Operation *trial = loop->clone();
    OpBuilder(loop).insert(trial);
    Operation *before = trial->getPrevNode();
    llvm::BitVector out = MixedPrecision(this).lowerLoop(trial, carried);
    // Also erases the conversions of its initial values, which precede it.
    trial->erase();
    while (Operation *created = before ? before->getNextNode() : &block.front()) {
      if (created == loop)
        break;
      created->erase();
    }
    return out;
  }

  /// A result is in 16 bits if both branches yield it in 16 bits.
  void lowerBranch(scf::IfOp branch) {
    give(branch->getOpOperand(0), false);
    SmallVector<std::unique_ptr<MixedPrecision>> branches;
    llvm::BitVector low(branch.getNumResults(), true);
    for (Region *region : branch.getRegions())
      if (!region->empty()) {
        branches.push_back(std::make_unique<MixedPrecision>(region->front(), rules, this));
        branches.back()->run();
        low &= branches.back()->areLow(region->front().getTerminator()->getOpOperands());
      }
    for (auto &branch : branches)
      branch->finish(branch->block.getTerminator()->getOpOperands(), low);
    setResults(branch, low);
  }

  /// Rewrites a loop that carries the given values in 16 bits. Returns the values that an iteration computes
  /// in 16 bits.
  llvm::BitVector lowerLoop(Operation *op, const llvm::BitVector &carried) {
    auto loop = cast<LoopLikeOpInterface>(op);
    finish(loop.getInitsMutable(), carried);
    if (auto counted = dyn_cast<scf::ForOp>(op)) {
      llvm::BitVector low =
          lowerBody(*counted.getBody(), counted.getRegionIterArgs(), carried, nullptr, &carried);
      setResults(op, carried);
      return low;
    }
    auto conditional = cast<scf::WhileOp>(op);
    LoopControl control(conditional);
    llvm::BitVector given =
        lowerBody(*conditional.getBeforeBody(), conditional.getBeforeArguments(), carried, &control, nullptr);
    llvm::BitVector low =
        lowerBody(*conditional.getAfterBody(), conditional.getAfterArguments(), given, &control, &carried);
    setResults(op, given);
    return low;
  }

  /// Rewrites a body with these arguments in 16 bits. It yields the requested values in 16 bits; by default
  /// those that it computes in 16 bits. Returns the latter.
  llvm::BitVector lowerBody(Block &body, ValueRange arguments, const llvm::BitVector &which,
                            const LoopControl *control, const llvm::BitVector *requested) {
    MixedPrecision inner(body, rules, this);
    if (control)
      inner.untouched.insert(control->ops.begin(), control->ops.end());
    inner.setLow(arguments, which);
    inner.run();
    Operation *end = body.getTerminator();
    MutableArrayRef<OpOperand> handedOn = end->getOpOperands().drop_front(isa<scf::ConditionOp>(end) ? 1 : 0);
    llvm::BitVector low = inner.areLow(handedOn);
    inner.finish(handedOn, requested ? *requested : low);
    return low;
  }

  Value converted(Operation *reader, Value value, Type element, llvm::DenseMap<Value, Value> &known) {
    Value &cast = known[value];
    if (!cast) {
      OpBuilder builder(reader);
      cast = pd::CastOp::create(builder, reader->getLoc(), value, TypeAttr::get(element));
    }
    return cast;
  }

  Block &block;
  const Rules &rules;
  const MixedPrecision *outer;
  llvm::DenseSet<Operation *> untouched;
  llvm::DenseSet<Value> lowered; ///< values in 16 bits
  llvm::DenseSet<Value> full;    ///< results of ops that must not be computed in 16 bits
  llvm::DenseSet<Value> wide;    ///< see isWide
  llvm::DenseMap<Value, Value> casts, raised;
};

} // namespace

LogicalResult mixPrecision(func::FuncOp function, const AmpOptions &options) {
  MLIRContext *context = function.getContext();
  bool isO2 = options.level == AmpOptions::Level::O2;
  PrecisionLists lists(isO2);
  if (options.dtype != DType::Float16 && options.dtype != DType::BFloat16)
    return emitError(function.getLoc())
           << "mixed precision needs float16 or bfloat16, found " << nameOf(options.dtype);
  for (auto [names, precision] :
       {std::pair(&options.allow, Precision::Low), std::pair(&options.deny, Precision::Full),
        std::pair(&options.grey, Precision::Follow)})
    for (const std::string &name : *names)
      if (failed(lists.set(context, name, precision)))
        return emitError(function.getLoc())
               << "there is no op '" << name << "' to be put on a list of mixed precision";
  Block &block = function.getBody().front();
  MixedPrecision::Rules rules{pd::elementTypeOf(context, options.dtype), lists, isO2};
  MixedPrecision mixed(block, rules);
  // The gradient of an op that stays in float32 on both levels stays in float32 too.
  PrecisionLists onO2(/*isO2=*/true);
  auto isFull = [&](Operation &op) {
    return op.hasTrait<OpTrait::ConstantLike>() || onO2.of(&op) == Precision::Full;
  };
  auto isKept = [&](pd::VjpOp op) { return llvm::all_of(op.getBody().front().without_terminator(), isFull); };
  if (failed(expandGradients(function, isKept)))
    return failure();
  mixed.run();
  return success();
}

} // namespace proa::autodiff
