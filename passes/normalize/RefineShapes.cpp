//! pd-refine-shapes: refines types from the function's arguments on, and folds constants.
#include "passes/normalize/Passes.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringSet.h"

#include <thread>

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_REFINESHAPES
#include "passes/normalize/Passes.h.inc"

namespace {

/// Composites on constants above this many elements are not folded.
constexpr int64_t maxFoldedElements = 4096;

bool isSmall(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= maxFoldedElements;
}

bool isSmallConstant(Value value) { return isSmall(value.getType()) && matchPattern(value, m_Constant()); }

bool isEmptyTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
}

/// Whether the user of an operand accepts more static dims: ops of other dialects may tie the types of
/// operands to the types of results (linalg) or to a symbol (func.call).
bool followsTypes(OpOperand &use) {
  Operation *user = use.getOwner();
  return user->hasTrait<OpTrait::IsTerminator>() || isa_and_present<pd::PdDialect>(user->getDialect()) ||
         isa<scf::IfOp, scf::WhileOp, scf::ForOp, tensor::CastOp, tensor::ExtractOp, tensor::DimOp>(user);
}

/// Widens `value` to `type` for the users that `type` is fixed for.
void keepTypeForOthers(Value value, Type type) {
  if (value.getType() == type || llvm::all_of(value.getUses(), followsTypes))
    return;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value widened = pd::widened(builder, value.getLoc(), value, type);
  value.replaceUsesWithIf(widened, [&](OpOperand &use) {
    return use.getOwner() != widened.getDefiningOp() && !followsTypes(use);
  });
}

void setType(Value value, Type type) {
  Type before = value.getType();
  value.setType(type);
  keepTypeForOthers(value, before);
}

/// Replaces values by others whose types may have more static dims.
void replaceValues(ValueRange values, ValueRange replacements) {
  for (auto [value, replacement] : llvm::zip_equal(values, replacements)) {
    Type type = value.getType();
    value.replaceAllUsesWith(replacement);
    keepTypeForOthers(replacement, type);
  }
}

class FunctionRefiner {
public:
  /// `isCalled` says whether calls of the module refer to the function.
  FunctionRefiner(func::FuncOp function, bool isCalled) : function(function), isCalled(isCalled) {}

  LogicalResult run(PassRemarks remarks) {
    for (Block &block : function.getBody())
      visitBlock(block);
    if (hasFailed)
      return failure();
    eraseUnusedConstants();
    updateFunctionType();
    remarks.analysis(function) << "refined the types of " << std::to_string(refinedCount)
                               << " results and folded " << std::to_string(foldedCount) << " ops";
    if (PassRemarks::areEnabled(function.getContext()))
      function.walk([&](Operation *op) { reportLeft(op, remarks); });
    return success();
  }

private:
  func::FuncOp function;
  bool isCalled;
  size_t refinedCount = 0, foldedCount = 0;
  bool hasFailed = false;
  bool isInBranch = false;
  /// Why the branch that is being visited is invalid for the refined types; its other ops are not visited.
  std::string invalid;
  std::optional<Location> invalidAt;

  /// Says why an op still has dynamic dims or was not folded. Reported at the end, because loops are refined
  /// on copies.
  static void reportLeft(Operation *op, PassRemarks remarks) {
    StringRef name = op->getName().getStringRef();
    if (isa<scf::IfOp>(op)) {
      remarks.missed(op) << name << " is not replaced by a branch: its condition is not a constant";
    } else if (isa_and_present<pd::PdDialect>(op->getDialect()) && !op->hasTrait<OpTrait::ConstantLike>()) {
      if (llvm::any_of(op->getResultTypes(), hasDynamicDims))
        remarks.missed(op) << name << " keeps dynamic dims: " << whyDynamic(op);
      else if (isa<pd::DecomposableOpInterface>(op) && op->getNumOperands() > 0 &&
               areConstants(op->getOperands()))
        remarks.missed(op) << name << " of constants is not folded: " << whyNotFolded(op);
    }
  }

  static bool hasDynamicDims(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  }

  static bool areConstants(OperandRange operands) {
    return llvm::all_of(operands, [](Value operand) { return matchPattern(operand, m_Constant()); });
  }

  static std::string whyDynamic(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (hasDynamicDims(operand.get().getType())) {
        std::string reason = "operand " + std::to_string(operand.getOperandNumber()) + " has dynamic dims: '";
        llvm::raw_string_ostream(reason) << operand.get().getType() << "'";
        return reason;
      }
    for (OpOperand &operand : op->getOpOperands())
      if (!matchPattern(operand.get(), m_Constant()))
        return "they may depend on elements of operand " + std::to_string(operand.getOperandNumber()) +
               ", which is not a constant";
    return "its type inference does not determine them";
  }

  static std::string whyNotFolded(Operation *op) {
    bool areSmall =
        llvm::all_of(op->getOperands(), isSmallConstant) && llvm::all_of(op->getResultTypes(), isSmall);
    return areSmall ? "its decomposition does not support it"
                    : "an operand or result has more than " + std::to_string(maxFoldedElements) + " elements";
  }

  void visitBlock(Block &block) {
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    for (BlockArgument argument : block.getArguments())
      if (isEmptyTensor(argument.getType()) && !argument.use_empty())
        argument.replaceAllUsesWith(emptyConstant(builder, argument.getLoc(), argument.getType()));
    for (Operation *op = block.empty() ? nullptr : &block.front(); op && !hasFailed && invalid.empty();)
      op = visit(op);
  }

  /// A branch that never runs for the dims of the feeds may have ops that contradict them.
  void visitBranchBlock(Block &block) {
    std::string outer = std::exchange(invalid, {});
    bool wasInBranch = std::exchange(isInBranch, true);
    visitBlock(block);
    isInBranch = wasInBranch;
    std::string message = std::exchange(invalid, std::move(outer));
    if (!message.empty())
      replaceByFailure(block, message);
  }

  /// Replaces the ops of a branch by one that ends the run.
  void replaceByFailure(Block &block, StringRef message) {
    Operation *end = block.getTerminator();
    OpBuilder builder(end);
    SmallVector<Type> types;
    for (Value value : end->getOperands())
      if (isa<RankedTensorType>(value.getType()))
        types.push_back(value.getType());
      else if (!isa<pd::ArrayType>(value.getType())) {
        hasFailed = true;
        end->emitError() << message;
        return;
      }
    auto fail = pd::FailOp::create(builder, *invalidAt, types, message);
    auto next = fail.getResults().begin();
    for (OpOperand &operand : end->getOpOperands()) {
      if (isa<RankedTensorType>(operand.get().getType()))
        operand.set(*next++);
      else
        operand.set(pd::widened(builder, end->getLoc(), pd::ArrayCreateOp::create(builder, end->getLoc()),
                                operand.get().getType()));
    }
    for (Operation *op = fail->getPrevNode(); op;) {
      Operation *previous = op->getPrevNode();
      op->erase();
      op = previous;
    }
  }

  static bool neverEnds(Block &block) {
    return llvm::any_of(block, [](Operation &op) { return isa<pd::FailOp>(op); });
  }

  /// Handles one op and returns the next one to visit.
  Operation *visit(Operation *op) {
    Operation *next = op->getNextNode();
    if (op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::ConstantLike>())
      return next;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visitBranch(branch, next);
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      refineLoop(loop, loop.getBeforeArguments(), loop.getInits());
      return next;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      refineLoop(loop, loop.getRegionIterArgs(), loop.getInitArgs());
      return next;
    }
    // A cast only makes dims dynamic, so its users may use its operand.
    if (Value source = op->getNumResults() == 1 ? pd::beforeWidening(op->getResult(0)) : Value();
        source && source.getDefiningOp() != op) {
      op->getResult(0).replaceUsesWithIf(source, followsTypes);
      if (op->use_empty())
        op->erase();
      return next;
    }
    refine(op);
    if (!invalid.empty())
      return next;
    if (replaceEmpty(op))
      return next;
    if (auto gradient = dyn_cast<pd::VjpOp>(op)) {
      refineBody(gradient);
      return next;
    }
    if (fold(op))
      return next;
    return decomposeConstant(op, next);
  }

  /// Replaces tensors without elements by constants, so that kernels do not see them. A reduction of such a
  /// tensor to one with elements is its neutral element; a maximum does not have one and is left unchanged.
  bool replaceEmpty(Operation *op) {
    if (hasFailed || op->getNumResults() == 0 || op->getNumRegions() > 0 || !isMemoryEffectFree(op) ||
        !isa_and_present<pd::PdDialect>(op->getDialect()))
      return false;
    OpBuilder builder(op);
    SmallVector<Value> values;
    if (auto reduction = dyn_cast<pd::ReductionOpInterface>(op);
        reduction && isEmptyTensor(op->getOperand(0).getType())) {
      if (Value value = neutralTensor(builder, reduction))
        values.push_back(value);
    } else if (llvm::all_of(op->getResultTypes(), isEmptyTensor)) {
      for (Type type : op->getResultTypes())
        values.push_back(emptyConstant(builder, op->getLoc(), type));
    }
    if (values.empty())
      return false;
    op->replaceAllUsesWith(values);
    op->erase();
    ++foldedCount;
    return true;
  }

  static Value emptyConstant(OpBuilder &builder, Location location, Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return pd::ConstantOp::create(builder, location, tensor,
                                  DenseElementsAttr::get(tensor, ArrayRef<Attribute>()));
  }

  static Value neutralTensor(OpBuilder &builder, pd::ReductionOpInterface op) {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    pd::ReductionKind kind = op.getReductionKind();
    if (!type || !type.hasStaticShape() || kind == pd::ReductionKind::Maximum ||
        kind == pd::ReductionKind::Minimum)
      return {};
    bool one = kind == pd::ReductionKind::Product || kind == pd::ReductionKind::And;
    Type element = type.getElementType();
    DenseElementsAttr value;
    if (auto complex = dyn_cast<ComplexType>(element)) {
      const llvm::fltSemantics &format = cast<FloatType>(complex.getElementType()).getFloatSemantics();
      value = DenseElementsAttr::get(type,
                                     std::complex<APFloat>(APFloat(format, one ? 1 : 0), APFloat(format, 0)));
    } else if (isa<FloatType>(element)) {
      value = DenseElementsAttr::get(type, builder.getFloatAttr(element, one ? 1.0 : 0.0));
    } else {
      value = DenseElementsAttr::get(type, builder.getIntegerAttr(element, one ? 1 : 0));
    }
    return pd::ConstantOp::create(builder, op.getLoc(), type, value);
  }

  /// Refines the types of the region's arguments by the types of the inputs.
  void refineBody(pd::VjpOp gradient) {
    Block &body = gradient.getBody().front();
    for (auto [argument, input] : llvm::zip(body.getArguments(), gradient.getInputs()))
      setType(argument, pd::moreSpecific(argument.getType(), input.getType()));
    visitBlock(body);
  }

  Operation *visitBranch(scf::IfOp branch, Operation *next) {
    APInt condition;
    if (matchPattern(branch.getCondition(), m_ConstantInt(&condition)))
      return inlineKnownBranch(branch, condition, next);
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      for (Block &block : *region)
        visitBranchBlock(block);
    for (auto [i, result] : llvm::enumerate(branch.getResults())) {
      OpOperand &then = branch.thenYield()->getOpOperand(i), &otherwise = branch.elseYield()->getOpOperand(i);
      takeTypeOfOther(then, otherwise);
      takeTypeOfOther(otherwise, then);
      Type both = pd::joinedTypes(pd::beforeWidening(then.get()).getType(),
                                  pd::beforeWidening(otherwise.get()).getType());
      setType(result, refined(result.getType(), both));
      widen(then, result.getType());
      widen(otherwise, result.getType());
    }
    return next;
  }

  /// A branch that ends the run yields values of the other branch's types.
  static void takeTypeOfOther(OpOperand &operand, OpOperand &other) {
    Value value = pd::beforeWidening(operand.get());
    Type type = pd::beforeWidening(other.get()).getType();
    bool isUnread = value.getDefiningOp<pd::FailOp>() && !other.get().getDefiningOp<pd::FailOp>() &&
                    llvm::all_of(value.getUsers(), [&](Operation *user) {
                      return user == operand.getOwner() || isa<tensor::CastOp>(user);
                    });
    if (isUnread && isa<RankedTensorType>(type) && neverEnds(*operand.getOwner()->getBlock())) {
      operand.set(value);
      setType(value, type);
    }
  }

  /// Casts an operand to the type that control flow expects, which has the same dims or more dynamic ones.
  static void widen(OpOperand &operand, Type type) {
    OpBuilder builder(operand.getOwner());
    operand.set(pd::widened(builder, operand.getOwner()->getLoc(), pd::beforeWidening(operand.get()), type));
  }

  Type refined(Type given, Type inferred) {
    Type type = inferred ? pd::moreSpecific(given, inferred) : given;
    refinedCount += type != given;
    return type;
  }

  /// Gives the values that a loop carries the narrowest types that are valid before and after each iteration:
  /// a fixpoint that begins with the types of the initial values and widens them while a copy of the loop,
  /// refined with them, yields wider ones. The loop's own types are valid, so it terminates.
  template <class Loop> void refineLoop(Loop loop, ArrayRef<BlockArgument> arguments, ValueRange inits) {
    SmallVector<Type> types, own;
    for (auto [init, argument] : llvm::zip(inits, arguments)) {
      own.push_back(argument.getType());
      types.push_back(refined(argument.getType(), pd::beforeWidening(init).getType()));
    }
    OpBuilder builder(loop);
    Loop trial;
    for (bool stable = false; !stable;) {
      if (trial)
        trial.erase();
      trial = cast<Loop>(builder.clone(*loop));
      refineBody(trial, types);
      if (!invalid.empty()) // the whole branch around the loop is removed
        return trial.erase();
      stable = true;
      for (auto [type, back, given] : llvm::zip(types, trial.getYieldedValues(), own)) {
        Type both = pd::joinedTypes(type, pd::beforeWidening(back).getType());
        both = both ? pd::moreSpecific(given, both) : given;
        stable &= both == type;
        type = both;
      }
    }
    for (auto [i, type] : llvm::enumerate(types)) {
      widen(trial.getInitsMutable()[i], type);
      widen((*trial.getYieldedValuesMutable())[i], type);
    }
    replaceValues(loop.getResults(), trial.getResults());
    loop.erase();
  }

  void refineBody(scf::ForOp loop, ArrayRef<Type> types) {
    for (auto [argument, result, type] : llvm::zip(loop.getRegionIterArgs(), loop.getResults(), types)) {
      setType(argument, type);
      setType(result, type);
    }
    visitBlock(*loop.getBody());
  }

  void refineBody(scf::WhileOp loop, ArrayRef<Type> types) {
    for (auto [argument, type] : llvm::zip(loop.getBeforeArguments(), types))
      setType(argument, type);
    visitBlock(*loop.getBeforeBody());
    scf::ConditionOp condition = loop.getConditionOp();
    for (auto [i, argument, result] : llvm::enumerate(loop.getAfterArguments(), loop.getResults())) {
      OpOperand &flowing = condition.getArgsMutable()[i];
      flowing.set(pd::beforeWidening(flowing.get()));
      setType(argument, flowing.get().getType());
      setType(result, flowing.get().getType());
    }
    visitBlock(*loop.getAfterBody());
  }

  /// Replaces an scf.if with a constant condition by the ops of its branch; returns the first of them, or
  /// `next`.
  Operation *inlineKnownBranch(scf::IfOp branch, const APInt &condition, Operation *next) {
    Region &region = condition.isZero() ? branch.getElseRegion() : branch.getThenRegion();
    if (region.empty()) {
      branch.erase();
      return next;
    }
    Block &body = region.front();
    SmallVector<Value> values(body.getTerminator()->getOperands());
    body.getTerminator()->erase();
    Operation *first = body.empty() ? next : &body.front();
    branch->getBlock()->getOperations().splice(branch->getIterator(), body.getOperations());
    replaceValues(branch.getResults(), values);
    branch.erase();
    ++foldedCount;
    return first;
  }

  /// The inferred types. Operands that contradict the op are an error; in a branch, the reason is noted.
  FailureOr<SmallVector<Type>> inferredTypes(Operation *op) {
    if (!isa<InferTypeOpInterface>(op))
      return pd::inferredTypes(op);
    if (!isInBranch) {
      FailureOr<SmallVector<Type>> types = pd::inferredTypes(op, op->getLoc());
      hasFailed |= failed(types);
      return types;
    }
    std::string reasons;
    ScopedDiagnosticHandler handler(function.getContext(),
                                    [&, own = std::this_thread::get_id()](mlir::Diagnostic &diagnostic) {
                                      if (std::this_thread::get_id() != own) // of another function
                                        return failure();
                                      reasons += (reasons.empty() ? "" : "; ") + diagnostic.str();
                                      return success();
                                    });
    FailureOr<SmallVector<Type>> types = pd::inferredTypes(op, op->getLoc());
    if (failed(types)) {
      invalid = op->getName().getStringRef().str() + (reasons.empty() ? " is invalid" : ": " + reasons);
      invalidAt = op->getLoc();
    }
    return types;
  }

  void refine(Operation *op) {
    FailureOr<SmallVector<Type>> types = inferredTypes(op);
    if (failed(types))
      return;
    for (auto [result, type] : llvm::zip(op->getResults(), *types)) {
      auto given = dyn_cast<RankedTensorType>(result.getType()),
           inferred = dyn_cast_if_present<RankedTensorType>(type);
      if (given && inferred && contradict(op, given, inferred))
        return refuse(op, given, inferred);
      setType(result, refined(result.getType(), type));
    }
  }

  /// Whether an op cannot have the type that it has. For example a squeeze of a dynamic dim is assumed to be
  /// of a dim of 1, or an operand with the dims has become a constant.
  static bool contradict(Operation *op, RankedTensorType given, RankedTensorType inferred) {
    if (given.getRank() != inferred.getRank())
      return true;
    return isa<InferTypeOpInterface>(op) &&
           llvm::any_of(llvm::zip(given.getShape(), inferred.getShape()), [](auto dims) {
             auto [a, b] = dims;
             return a != b && !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b);
           });
  }

  /// An error or, in a branch, the reason why that is invalid.
  void refuse(Operation *op, RankedTensorType given, RankedTensorType inferred) {
    std::string reason;
    llvm::raw_string_ostream(reason) << "has the result '" << given << "' for dynamic dims, but '" << inferred
                                     << "' for the static dims of its operands";
    if (isInBranch) {
      invalid = op->getName().getStringRef().str() + " " + reason;
      invalidAt = op->getLoc();
      return;
    }
    op->emitOpError() << reason;
    hasFailed = true;
  }

  bool fold(Operation *op) {
    SmallVector<OpFoldResult> folded;
    if (failed(op->fold(folded)) || folded.empty())
      return false;
    OpBuilder builder(op);
    SmallVector<Value> values;
    SmallVector<Operation *> created;
    for (auto [fold, result] : llvm::zip(folded, op->getResults())) {
      Value value = dyn_cast_if_present<Value>(fold);
      if (auto attribute = dyn_cast_if_present<Attribute>(fold)) {
        Operation *constant =
            op->getDialect()->materializeConstant(builder, attribute, result.getType(), op->getLoc());
        if (constant) {
          created.push_back(constant);
          value = constant->getResult(0);
        }
      }
      if (!value || value.getType() != result.getType()) {
        for (Operation *constant : created)
          constant->erase();
        return false;
      }
      values.push_back(value);
    }
    op->replaceAllUsesWith(values);
    op->erase();
    ++foldedCount;
    return true;
  }

  /// Decomposes a composite on constants, so that its ops fold; returns the first of them, or `next`.
  Operation *decomposeConstant(Operation *op, Operation *next) {
    auto composite = dyn_cast<pd::DecomposableOpInterface>(op);
    bool constant = op->getNumOperands() > 0 && llvm::all_of(op->getOperands(), isSmallConstant);
    if (!composite || !constant || !llvm::all_of(op->getResultTypes(), isSmall))
      return next;
    Operation *before = op->getPrevNode();
    OpBuilder builder(op);
    auto values = composite.tryDecompose(builder);
    if (failed(values))
      return next;
    Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
    op->replaceAllUsesWith(*values);
    if (first == op)
      first = next;
    op->erase();
    return first;
  }

  void eraseUnusedConstants() {
    function.walk([](Operation *op) {
      if (op->hasTrait<OpTrait::ConstantLike>() && op->use_empty())
        op->erase();
    });
  }

  void keepResultTypes() {
    function.walk([&](func::ReturnOp op) {
      OpBuilder builder(op);
      for (auto [operand, type] : llvm::zip(op->getOpOperands(), function.getResultTypes()))
        operand.set(pd::widened(builder, op.getLoc(), operand.get(), type));
    });
  }

  void updateFunctionType() {
    if (function.isExternal())
      return;
    if (isCalled || function.isPrivate())
      return keepResultTypes();
    SmallVector<Type> results(function.getFunctionType().getResults());
    function.walk(
        [&](func::ReturnOp op) { results.assign(op.getOperandTypes().begin(), op.getOperandTypes().end()); });
    function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(), results));
  }
};

class RefineShapesPass : public impl::RefineShapesBase<RefineShapesPass> {
public:
  void runOnOperation() override {
    Operation *root = getOperation();
    llvm::StringSet<> called;
    root->walk([&](func::CallOp call) { called.insert(call.getCallee()); });
    SmallVector<func::FuncOp> functions;
    root->walk<WalkOrder::PreOrder>([&](func::FuncOp function) {
      functions.push_back(function);
      return WalkResult::skip();
    });
    PassRemarks remarks(getArgumentName());
    for (func::FuncOp function : functions)
      if (failed(FunctionRefiner(function, called.contains(function.getSymName())).run(remarks)))
        signalPassFailure();
  }
};

} // namespace
} // namespace proa
