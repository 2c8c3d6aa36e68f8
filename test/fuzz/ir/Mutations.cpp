#include "test/fuzz/ir/Mutations.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/proa/Proa.h"
#include "test/fuzz/ir/MutateAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace proa::fuzz {
namespace {

func::FuncOp functionOf(Operation *op) { return op->getParentOfType<func::FuncOp>(); }

/// Whether the op is a function with a body, directly in the module.
bool isDefinition(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  return function && !function.isDeclaration() && isa<ModuleOp>(op->getParentOp());
}

SmallVector<func::FuncOp> definitionsIn(ModuleOp module) {
  return llvm::filter_to_vector(module.getOps<func::FuncOp>(), isDefinition);
}

/// Whether the op is in the body of a function and not a terminator.
bool isBodyOp(Operation *op) { return functionOf(op) && !op->hasTrait<OpTrait::IsTerminator>(); }

/// The values of type `type` that may be used by `user`.
SmallVector<Value> valuesBefore(Operation *user, Type type) {
  SmallVector<Value> values;
  for (Block *block = user->getBlock(); block; block = block->getParentOp()->getBlock()) {
    for (Value argument : block->getArguments())
      values.push_back(argument);
    Operation *end = block->findAncestorOpInBlock(*user);
    for (Operation &op : *block) {
      if (&op == end)
        break;
      values.append(op.result_begin(), op.result_end());
    }
    if (block->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
      break;
  }
  llvm::erase_if(values, [&](Value value) { return value.getType() != type; });
  return values;
}

/// The type of a function follows from its entry block and its return op.
void updateSignature(func::FuncOp function) {
  Operation *exit = nullptr;
  for (Block &block : function.getBody())
    if (block.mightHaveTerminator() && isa<func::ReturnOp>(block.getTerminator()))
      exit = block.getTerminator();
  if (exit)
    function.setType(FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(),
                                       exit->getOperandTypes()));
}

/// Infers the types of all results again.
void inferAll(func::FuncOp function) {
  function.getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
    FailureOr<SmallVector<Type>> types = pd::inferredTypes(op);
    if (succeeded(types) && !pd::compatibleTypes(*types, TypeRange(op->getResultTypes())))
      (void)pd::inferAgain(op);
  });
  updateSignature(function);
}

bool hasAttributes(Operation *op) {
  // MLIR 22 compares the low 32 bits of their positions with the number of members, and then reads the member
  // at the whole position.
  if (isa<LLVM::ExtractValueOp, LLVM::InsertValueOp>(op))
    return false;
  return !isa<ModuleOp>(op) && !op->getAttrDictionary().empty();
}

bool changeAttribute(Operation *op, Random &random) {
  NamedAttribute attribute = pickFrom(random, op->getAttrDictionary());
  Attribute changed = mutateAttribute(attribute.getValue(), random);
  // An empty name can be printed, but not parsed.
  if (!changed ||
      (attribute.getName() == SymbolTable::getSymbolAttrName() && cast<StringAttr>(changed).empty()))
    return false;
  op->setAttr(attribute.getName(), changed);
  if (func::FuncOp function = functionOf(op); function && pick(random, 4) > 0)
    inferAll(function);
  return true;
}

/// MLIR 22's verifier of nvvm.mma.sync reads types that are optional, and ends the process without them.
bool canLoseAttributes(Operation *op) { return hasAttributes(op) && !isa<NVVM::MmaOp>(op); }

bool removeAttribute(Operation *op, Random &random) {
  op->removeAttr(pickFrom(random, op->getAttrDictionary()).getName());
  return true;
}

/// Attributes that passes read on functions, their arguments and loops.
bool addAttribute(Operation *op, Random &random) {
  auto function = cast<func::FuncOp>(op);
  Builder b(op->getContext());
  switch (pick(random, 6)) {
  case 0:
    function->setAttr("proa.kernel", b.getUnitAttr());
    function.setPrivate();
    return true;
  case 1:
    op->getContext()->getOrLoadDialect<ProaDialect>();
    RowsAttr::orEmpty(function).withTiles({std::max<int64_t>(randomInteger(random), 1)}, {}).setOn(function);
    return true;
  case 2:
    if (function.getNumResults() == 0)
      return false;
    function.setResultAttr(pick(random, function.getNumResults()), pick(random, 2) ? "pd.fetch" : "pd.state",
                           b.getStringAttr("w"));
    return true;
  default:
    if (function.getNumArguments() == 0)
      return false;
    static const char *const names[] = {"pd.feed", "pd.param", "pd.lod_of"};
    function.setArgAttr(pick(random, function.getNumArguments()), pickFrom(random, names),
                        b.getStringAttr("w"));
    return true;
  }
}

bool changeArgumentType(Operation *op, Random &random) {
  auto function = cast<func::FuncOp>(op);
  if (function.getNumArguments() == 0)
    return false;
  BlockArgument argument = function.getArgument(pick(random, function.getNumArguments()));
  argument.setType(mutateType(argument.getType(), random));
  inferAll(function);
  return true;
}

/// The type of a constant is the type of its value.
bool hasOwnResultTypes(Operation *op) {
  return isBodyOp(op) && op->getNumResults() > 0 && !op->hasTrait<OpTrait::ConstantLike>();
}

bool changeResultType(Operation *op, Random &random) {
  Value result = op->getResult(pick(random, op->getNumResults()));
  auto tensor = dyn_cast<RankedTensorType>(result.getType());
  if (tensor && tensor.getRank() > 0 && pick(random, 2)) { // fewer static dims are valid
    SmallVector<int64_t> shape(tensor.getShape());
    shape[pick(random, shape.size())] = ShapedType::kDynamic;
    result.setType(tensor.clone(shape));
  } else {
    result.setType(mutateType(result.getType(), random));
  }
  inferAll(functionOf(op));
  return true;
}

/// Replaces the uses of `op` by other values; false if a result has no replacement of its type.
bool replaceUses(Operation *op, Random &random) {
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    SmallVector<Value> others = valuesBefore(op, result.getType());
    if (others.empty())
      return false;
    result.replaceAllUsesWith(pickFrom(random, others));
  }
  return true;
}

bool dropOp(Operation *op, Random &random) {
  if (!replaceUses(op, random))
    return false;
  op->erase();
  return true;
}

/// Duplicates an op with its regions; the copy takes some uses.
bool duplicateOp(Operation *op, Random &random) {
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  for (auto [result, other] : llvm::zip(op->getResults(), copy->getResults()))
    result.replaceUsesWithIf(other, [&](OpOperand &) { return pick(random, 2) == 0; });
  return true;
}

bool hasOperands(Operation *op) { return functionOf(op) && op->getNumOperands() > 0; }

/// Replaces an operand, also of a terminator, by another value of the same type.
bool changeOperand(Operation *op, Random &random) {
  OpOperand &operand = op->getOpOperand(pick(random, op->getNumOperands()));
  if (op->getNumOperands() > 1 && pick(random, 3) == 0) {
    OpOperand &other = op->getOpOperand(pick(random, op->getNumOperands()));
    Value value = operand.get();
    operand.set(other.get());
    other.set(value);
  } else {
    SmallVector<Value> values = valuesBefore(op, operand.get().getType());
    if (values.empty())
      return false;
    operand.set(pickFrom(random, values));
  }
  inferAll(functionOf(op));
  return true;
}

/// Adds, drops or repeats results of a function.
bool changeResults(Operation *op, Random &random) {
  auto function = cast<func::FuncOp>(op);
  if (!function.getBody().hasOneBlock())
    return false;
  Operation *exit = function.getBody().front().getTerminator();
  SmallVector<Value> values(exit->getOperands());
  switch (pick(random, 3)) {
  case 0:
    values.clear();
    break;
  case 1:
    if (values.empty())
      return false;
    values.erase(values.begin() + static_cast<ptrdiff_t>(pick(random, values.size())));
    break;
  default:
    SmallVector<Value> all(function.getArguments());
    for (Operation &op : function.getBody().front())
      all.append(op.result_begin(), op.result_end());
    if (all.empty())
      return false;
    values.push_back(pickFrom(random, all));
  }
  exit->setOperands(values);
  function.setResAttrsAttr(ArrayAttr());
  updateSignature(function);
  return true;
}

bool hasOneResultInFunction(Operation *op) {
  return isBodyOp(op) && op->getNumResults() == 1 && isa<func::FuncOp>(op->getParentOp());
}

/// Replaces the result of an op by a new argument.
bool makeArgument(Operation *op, Random &) {
  func::FuncOp function = functionOf(op);
  Type type = op->getResult(0).getType();
  if (failed(function.insertArgument(function.getNumArguments(), type, {}, op->getLoc())))
    return false;
  op->getResult(0).replaceAllUsesWith(function.getArguments().back());
  op->erase();
  return true;
}

/// Moves an op into both regions of a condition.
bool wrapInIf(Operation *op, Random &random) {
  OpBuilder builder(op);
  SmallVector<Value> conditions = valuesBefore(op, builder.getI1Type());
  Value condition =
      conditions.empty() || pick(random, 2)
          ? arith::ConstantOp::create(builder, op->getLoc(), builder.getBoolAttr(pick(random, 2)))
          : pickFrom(random, conditions);
  auto branch =
      scf::IfOp::create(builder, op->getLoc(), op->getResultTypes(), condition, /*withElseRegion=*/true);
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
    Block &block = region->front();
    block.clear();
    OpBuilder inner = OpBuilder::atBlockEnd(&block);
    Operation *copy = inner.clone(*op);
    scf::YieldOp::create(inner, op->getLoc(), copy->getResults());
  }
  op->replaceAllUsesWith(branch.getResults());
  op->erase();
  return true;
}

/// Renames, removes or empties a function, or replaces an op by a call.
bool changeFunction(Operation *op, Random &random) {
  auto function = cast<func::FuncOp>(op);
  switch (pick(random, 4)) {
  case 0:
    function.setName(pick(random, 2) ? "main" : "other");
    return true;
  case 1:
    function.erase();
    return true;
  case 2:
    function.eraseBody();
    function.setPrivate();
    return true;
  default:
    break;
  }
  func::FuncOp caller = pickFrom(random, definitionsIn(op->getParentOfType<ModuleOp>()));
  auto ops = llvm::to_vector(llvm::make_pointer_range(caller.getBody().front()));
  Operation *before = pickFrom(random, ops);
  SmallVector<Value> operands;
  for (Type type : function.getArgumentTypes()) {
    SmallVector<Value> values = valuesBefore(before, type);
    if (values.empty())
      return false;
    operands.push_back(pickFrom(random, values));
  }
  OpBuilder builder(before);
  auto call = func::CallOp::create(builder, before->getLoc(), function, operands);
  for (auto [operand, i] : llvm::zip(before->getOpOperands(), llvm::seq<size_t>(0, before->getNumOperands())))
    for (Value result : call.getResults())
      if (result.getType() == operand.get().getType())
        operand.set(result);
  return true;
}

struct Mutation {
  /// Whether the op has what the mutation changes.
  bool (*applies)(Operation *op);
  /// False if this op cannot be changed so.
  bool (*apply)(Operation *op, Random &random);
};

} // namespace

bool mutate(ModuleOp module, Random &random) {
  // Those that are listed twice leave most modules valid.
  static const Mutation mutations[] = {
      {hasAttributes, changeAttribute},
      {hasAttributes, changeAttribute},
      {canLoseAttributes, removeAttribute},
      {isDefinition, addAttribute},
      {isDefinition, changeArgumentType},
      {isDefinition, changeArgumentType},
      {hasOwnResultTypes, changeResultType},
      {isBodyOp, dropOp},
      {isBodyOp, duplicateOp},
      {hasOperands, changeOperand},
      {hasOperands, changeOperand},
      {isDefinition, changeResults},
      {hasOneResultInFunction, makeArgument},
      {isBodyOp, wrapInIf},
      {isDefinition, changeFunction},
  };
  Mutation mutation = pickFrom(random, mutations);
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (mutation.applies(op))
      ops.push_back(op);
  });
  return !ops.empty() && mutation.apply(pickFrom(random, ops), random);
}

} // namespace proa::fuzz
