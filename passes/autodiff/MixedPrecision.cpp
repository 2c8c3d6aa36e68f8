#include "passes/autodiff/MixedPrecision.h"

#include "dialects/pd/Types.h"
#include "dialects/pd/math/UnaryOps.h"
#include "passes/autodiff/BackwardPart.h"
#include "passes/autodiff/PrecisionLists.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

bool isSingle(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}

class MixedPrecision {
public:
  MixedPrecision(Block &block, Type low, const PrecisionLists &lists, bool isO2)
      : block(block), low(low), lists(lists), isO2(isO2) {
    // What the gradients do not need, and what comes after them, is no part of the network.
    auto part = findBackwardPart(block);
    if (part.gradients.empty())
      return;
    auto network = neededOps(block, part.gradients.getArrayRef());
    for (Operation &op : block)
      if (!network.contains(&op))
        untouched.insert(&op);
  }

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
    // What control flow hands on keeps its type; within each body the same rules hold.
    for (Operation &op : block)
      if (!untouched.contains(&op))
        for (Region &region : op.getRegions())
          for (Block &body : region)
            MixedPrecision(body, low, lists, isO2).run();
  }

private:
  void visit(Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return;
    Precision precision = precisionOf(op);
    if (precision == Precision::Low && lower(op))
      return;
    raise(op);
    if (precision != Precision::Follow)
      full.insert(op->result_begin(), op->result_end());
  }

  Precision precisionOf(Operation *op) {
    if (untouched.contains(op) || op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>())
      return Precision::Full;
    Precision precision = lists.of(op);
    if (precision == Precision::Unknown)
      return isO2 && isa_and_present<pd::PdDialect>(op->getDialect()) ? Precision::Low : Precision::Full;
    if (precision != Precision::Follow)
      return precision;
    bool follows =
        llvm::any_of(op->getOperands(), [&](Value v) { return lowered.contains(v); }) &&
        llvm::none_of(op->getOperands(), [&](Value v) { return full.contains(v) && isSingle(v.getType()); });
    return follows ? Precision::Low : Precision::Follow;
  }

  /// Gives the op operands in 16 bits; false, with nothing changed, where it does not take them.
  bool lower(Operation *op) {
    auto inferable = dyn_cast<InferTypeOpInterface>(op);
    if (!inferable || llvm::none_of(op->getOperands(),
                                    [&](Value v) { return isSingle(v.getType()) || lowered.contains(v); }))
      return false;
    SmallVector<Value> before(op->getOperands());
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isSingle(operand.get().getType()))
        operand.set(converted(builder, op->getLoc(), operand.get(), low, casts));
    SmallVector<Type> types;
    bool fits;
    {
      ScopedDiagnosticHandler silent(op->getContext(), [](Diagnostic &) { return success(); });
      fits = succeeded(inferable.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                                  op->getDiscardableAttrDictionary(),
                                                  op->getPropertiesStorage(), op->getRegions(), types)) &&
             types.size() == op->getNumResults() &&
             llvm::all_of(types, [](Type type) { return isa<RankedTensorType>(type); });
    }
    if (!fits) {
      op->setOperands(before);
      return false;
    }
    for (auto [result, type] : llvm::zip(op->getResults(), types)) {
      auto given = dyn_cast<RankedTensorType>(result.getType());
      Type element = cast<RankedTensorType>(type).getElementType();
      if (given && isSingle(given) && element == low) {
        result.setType(given.clone(element));
        lowered.insert(result);
      }
    }
    return true;
  }

  /// Gives the op, and what is in it, the operands that it had.
  void raise(Operation *op) {
    OpBuilder builder(op);
    op->walk([&](Operation *reader) {
      for (OpOperand &operand : reader->getOpOperands())
        if (lowered.contains(operand.get()))
          operand.set(converted(builder, op->getLoc(), operand.get(), builder.getF32Type(), raised));
    });
  }

  static Value converted(OpBuilder &builder, Location location, Value value, Type element,
                         llvm::DenseMap<Value, Value> &known) {
    Value &cast = known[value];
    if (!cast)
      cast = pd::CastOp::create(builder, location, value, TypeAttr::get(element));
    return cast;
  }

  Block &block;
  Type low;
  const PrecisionLists &lists;
  bool isO2;
  llvm::DenseSet<Operation *> untouched;
  llvm::DenseSet<Value> lowered; ///< in 16 bits now
  llvm::DenseSet<Value> full;    ///< from ops that must not be in 16 bits
  llvm::DenseMap<Value, Value> casts, raised;
};

} // namespace

LogicalResult mixPrecision(func::FuncOp function, const AmpOptions &options) {
  MLIRContext *context = function.getContext();
  bool isO2 = options.level == AmpOptions::Level::O2;
  PrecisionLists lists(isO2);
  if (options.dtype != DType::Float16 && options.dtype != DType::BFloat16)
    return function.emitError() << "mixed precision needs float16 or bfloat16, found "
                                << nameOf(options.dtype);
  for (auto [names, precision] :
       {std::pair(&options.allow, Precision::Low), std::pair(&options.deny, Precision::Full),
        std::pair(&options.grey, Precision::Follow)})
    for (const std::string &name : *names)
      if (failed(lists.set(context, name, precision)))
        return function.emitError() << "there is no op '" << name
                                    << "' to be put on a list of mixed precision";
  Block &block = function.getBody().front();
  MixedPrecision mixed(block, pd::elementTypeOf(context, options.dtype), lists, isO2);
  if (failed(expandGradients(function)))
    return failure();
  mixed.run();
  return success();
}

} // namespace proa::autodiff
