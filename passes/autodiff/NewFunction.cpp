#include "passes/autodiff/NewFunction.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/ForLoop.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "passes/autodiff/BackwardRegion.h"
#include "passes/autodiff/BatchSharded.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace proa::autodiff {

NewFunction::NewFunction(Function original, StringRef name) : original(original) {
  OpBuilder builder(original);
  builder.setInsertionPointAfter(original);
  function = cast<Function>(builder.clone(*original));
  function.setName(name);
  for (unsigned i = 0; i < original.getNumArguments(); ++i)
    isProgram |= original.getArgAttr(i, pd::feedAttribute) != nullptr;
}

NewFunction::~NewFunction() {
  if (!isFinished)
    function.erase();
}

LogicalResult NewFunction::check(bool keepSnapshots) {
  if (!llvm::hasSingleElement(original.getBody()))
    return emitError(original.getLoc()) << "has no derivative: expected a function of one block, found "
                                        << original.getBody().getBlocks().size() << " blocks";
  if (Operation *last = original.getBody().front().getTerminator(); !isa<func::ReturnOp>(last))
    return emitError(last->getLoc())
           << "has no derivative: expected a function that ends with func.return, found '" << last->getName()
           << "'";
  for (Operation &other : *original->getBlock())
    if (auto symbol = dyn_cast<SymbolOpInterface>(other);
        symbol && symbol != function && symbol.getNameAttr() == function.getSymNameAttr())
      return emitError(original.getLoc()) << "the module already has a symbol '" << function.getName() << "'";
  return pd::lowerForLoops(function, keepSnapshots);
}

LogicalResult NewFunction::setSnapshots(int64_t count) {
  if (count < 0)
    return emitError(original.getLoc())
           << "the number of states of a loop to keep must not be below 0, found " << count;
  function.walk([&](scf::ForOp loop) {
    if (count > 0 && !loop->hasAttr(pd::snapshotsAttribute))
      loop->setAttr(pd::snapshotsAttribute, IntegerAttr::get(IntegerType::get(loop.getContext(), 64), count));
  });
  return success();
}

LogicalResult NewFunction::differentiateBy(Numbers arguments, bool keepSnapshots) {
  if (failed(check(keepSnapshots)))
    return failure();
  numbers.assign(arguments.begin(), arguments.end());
  if (numbers.empty())
    for (BlockArgument argument : block().getArguments())
      if (pd::isDifferentiable(argument.getType()))
        numbers.push_back(argument.getArgNumber());
  if (numbers.empty())
    return emitError(original.getLoc()) << "has no argument of floats or complex numbers to differentiate by";
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t index : numbers) {
    if (index < 0 || index >= block().getNumArguments())
      return emitError(original.getLoc())
             << "argument " << index << " is asked for, the function has " << block().getNumArguments();
    if (!pd::isDifferentiable(block().getArgument(index).getType()))
      return emitError(original.getLoc())
             << "argument " << index << " of type " << block().getArgument(index).getType()
             << " cannot be differentiated by: expected floats or complex numbers";
    if (!seen.insert(index).second)
      return emitError(original.getLoc()) << "argument " << index << " is asked for twice";
  }
  return success();
}

SmallVector<Value> NewFunction::inputs() {
  return llvm::map_to_vector(numbers, [&](int64_t index) { return Value(block().getArgument(index)); });
}

unsigned NewFunction::addArguments(TypeRange types, Location location, ArrayRef<std::string> names) {
  MLIRContext *context = function.getContext();
  unsigned first = function.getNumArguments();
  SmallVector<DictionaryAttr> given;
  for (const std::string &name : names)
    given.push_back(isProgram ? DictionaryAttr::get(context, {{StringAttr::get(context, pd::feedAttribute),
                                                               StringAttr::get(context, name)}})
                              : DictionaryAttr::get(context));
  (void)function.insertArguments(SmallVector<unsigned>(types.size(), first), types, given,
                                 SmallVector<Location>(types.size(), location));
  return first;
}

std::string NewFunction::nameOfArgument(int64_t index) {
  for (StringRef kind : {pd::feedAttribute, pd::parameterAttribute})
    if (auto name = function.getArgAttrOfType<StringAttr>(static_cast<unsigned>(index), kind))
      return name.str();
  return "argument" + std::to_string(index);
}

std::string NewFunction::nameOfResult(int64_t index) {
  auto name = original.getResultAttrOfType<StringAttr>(static_cast<unsigned>(index), pd::fetchAttribute);
  return name ? name.str() : "result" + std::to_string(index);
}

void NewFunction::returnNew(Value value, const std::string &name) {
  MLIRContext *context = function.getContext();
  results.push_back(value);
  attributes.push_back(isProgram
                           ? DictionaryAttr::get(context, {{StringAttr::get(context, pd::fetchAttribute),
                                                            StringAttr::get(context, name)}})
                           : DictionaryAttr::get(context));
}

void NewFunction::returnOriginal(int64_t index, Value value) {
  results.push_back(value);
  DictionaryAttr own = original.getResultAttrDict(static_cast<unsigned>(index));
  attributes.push_back(own ? own : DictionaryAttr::get(function.getContext()));
}

void NewFunction::returnBatched(int64_t index, Value value, bool openExamples) {
  returnOriginal(index, value);
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    attributes.back() = withExamples(attributes.back(), type.getDimSize(0), openExamples);
}

void NewFunction::returnGradients(ArrayRef<Value> gradients) {
  for (auto [index, gradient] : llvm::zip(numbers, gradients))
    returnNew(gradient, nameOfArgument(index) + "@GRAD");
}

FailureOr<Function> NewFunction::finish() {
  block().getTerminator()->setOperands(results);
  function.setFunctionType(
      FunctionType::get(function.getContext(), block().getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllResultAttrs(attributes);
  pd::eraseUnused(block());
  if (failed(expandGradients(function, pd::isLoopGradient)))
    return failure();
  isFinished = true;
  return function;
}

} // namespace proa::autodiff
