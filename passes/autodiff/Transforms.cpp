#include "passes/autodiff/Transforms.h"

#include "dialects/pd/Guarded.h"
#include "dialects/pd/Infer.h"
#include "dialects/pd/Types.h"
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/Batching.h"
#include "dialects/pd/autodiff/ForwardControlFlow.h"
#include "dialects/pd/creation/Creation.h"
#include "dialects/pd/shape/Shape.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

/// A copy of a function that gets further arguments and other results.
class NewFunction {
public:
  NewFunction(Function original, StringRef name) : original(original) {
    OpBuilder builder(original);
    builder.setInsertionPointAfter(original);
    function = cast<Function>(builder.clone(*original));
    function.setName(name);
    for (unsigned i = 0; i < original.getNumArguments(); ++i)
      isProgram |= original.getArgAttr(i, "pd.feed") != nullptr;
  }

  /// Checks that it has one block and that its name is free.
  LogicalResult check() {
    if (!llvm::hasSingleElement(original.getBody()))
      return original.emitError() << "has no derivative: expected a function of one block, found "
                                  << original.getBody().getBlocks().size() << " blocks";
    unsigned ofName = 0;
    for (auto other : original->getParentOfType<ModuleOp>().getOps<Function>())
      ofName += other.getName() == function.getName();
    if (ofName > 1)
      return original.emitError() << "the module already has a function '" << function.getName() << "'";
    return success();
  }

  /// The numbered arguments, or all that can be differentiated by.
  FailureOr<SmallVector<int64_t>> differentiated(Numbers numbers) {
    SmallVector<int64_t> list(numbers);
    if (list.empty())
      for (BlockArgument argument : block().getArguments())
        if (pd::isDifferentiable(argument.getType()))
          list.push_back(argument.getArgNumber());
    if (list.empty())
      return original.emitError() << "has no argument of floats or complex numbers to differentiate by";
    llvm::SmallDenseSet<int64_t> seen;
    for (int64_t number : list) {
      if (number < 0 || number >= block().getNumArguments())
        return original.emitError() << "argument " << number << " is asked for, the function has "
                                    << block().getNumArguments();
      if (!pd::isDifferentiable(block().getArgument(number).getType()))
        return original.emitError() << "argument " << number << " of type "
                                    << block().getArgument(number).getType()
                                    << " can not be differentiated by: expected floats or complex numbers";
      if (!seen.insert(number).second)
        return original.emitError() << "argument " << number << " is asked for twice";
    }
    return list;
  }

  Block &block() { return function.getBody().front(); }
  SmallVector<Value> returned() { return SmallVector<Value>(block().getTerminator()->getOperands()); }

  SmallVector<Value> argumentsAt(Numbers numbers) {
    return llvm::map_to_vector(numbers, [&](int64_t number) { return Value(block().getArgument(number)); });
  }

  /// Further arguments; the first one's number.
  unsigned addArguments(TypeRange types, Location location, ArrayRef<std::string> names) {
    MLIRContext *context = function.getContext();
    unsigned first = function.getNumArguments();
    SmallVector<DictionaryAttr> attributes;
    for (const std::string &name : names)
      attributes.push_back(isProgram ? DictionaryAttr::get(context, {{StringAttr::get(context, "pd.feed"),
                                                                      StringAttr::get(context, name)}})
                                     : DictionaryAttr::get(context));
    (void)function.insertArguments(SmallVector<unsigned>(types.size(), first), types, attributes,
                                   SmallVector<Location>(types.size(), location));
    return first;
  }

  /// The name of an argument or of a result in the program, for those that belong to it.
  std::string nameOfArgument(int64_t number) {
    for (const char *kind : {"pd.feed", "pd.param"})
      if (auto name = function.getArgAttrOfType<StringAttr>(number, kind))
        return name.str();
    return "argument" + std::to_string(number);
  }
  std::string nameOfResult(int64_t number) {
    auto name = original.getResultAttrOfType<StringAttr>(number, "pd.fetch");
    return name ? name.str() : "result" + std::to_string(number);
  }

  /// A result that is no result of the original one.
  void returnNew(Value value, std::string name) {
    results.push_back(value);
    attributes.push_back(isProgram ? DictionaryAttr::get(function.getContext(),
                                                         {{StringAttr::get(function.getContext(), "pd.fetch"),
                                                           StringAttr::get(function.getContext(), name)}})
                                   : DictionaryAttr::get(function.getContext()));
  }
  void returnOriginal(int64_t number, Value value) {
    results.push_back(value);
    DictionaryAttr own = original.getResultAttrDict(number);
    attributes.push_back(own ? own : DictionaryAttr::get(function.getContext()));
  }

  /// Gradients of bodies of control flow are still pd.vjp: what is wrong with them is to be said now.
  FailureOr<Function> finish() {
    block().getTerminator()->setOperands(results);
    function.setFunctionType(
        FunctionType::get(function.getContext(), block().getArgumentTypes(), ValueRange(results).getTypes()));
    function.setAllResultAttrs(attributes);
    pd::eraseUnused(block());
    if (failed(expandGradients()))
      return fail();
    return function;
  }

  FailureOr<Function> fail() {
    function.erase();
    return failure();
  }

  Function function;

private:
  LogicalResult expandGradients() {
    SmallVector<pd::VjpOp> left;
    auto collect = [&](Operation *root) {
      root->walk<WalkOrder::PreOrder>([&](pd::VjpOp op) {
        left.push_back(op);
        return WalkResult::skip();
      });
    };
    collect(function);
    while (!left.empty()) {
      pd::VjpOp op = left.pop_back_val();
      OpBuilder builder(op);
      Operation *before = op->getPrevNode();
      Block *block = op->getBlock();
      auto values = pd::guarded([&] { return op.decompose(builder); });
      if (failed(values))
        return failure();
      for (Operation *made = before ? before->getNextNode() : &block->front(); made != op;
           made = made->getNextNode())
        collect(made);
      op->replaceAllUsesWith(*values);
      op->erase();
    }
    return success();
  }

  Function original;
  bool isProgram = false; ///< its arguments have names
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
};

/// The float and complex results.
SmallVector<int64_t> differentiableResults(ArrayRef<Value> returned) {
  SmallVector<int64_t> numbers;
  for (auto [i, value] : llvm::enumerate(returned))
    if (pd::isDifferentiable(value.getType()))
      numbers.push_back(static_cast<int64_t>(i));
  return numbers;
}

LogicalResult checkScalar(Function function, int64_t result) {
  if (result < 0 || result >= function.getNumResults())
    return function.emitError() << "result " << result << " is asked for, the function has "
                                << function.getNumResults();
  Type type = function.getResultTypes()[result];
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isa<FloatType>(tensor.getElementType()))
    return function.emitError() << "the gradient of result " << result
                                << " is asked for: expected floats, found " << type;
  if (llvm::any_of(tensor.getShape(), [](int64_t extent) { return extent != 1; }))
    return function.emitError() << "the gradient of result " << result
                                << " is asked for: expected one element, found " << type;
  return success();
}

} // namespace

FailureOr<Function> grad(Function function, StringRef name, Numbers arguments, int64_t result,
                         bool withValue) {
  if (failed(checkScalar(function, result)))
    return failure();
  NewFunction made(function, name);
  if (failed(made.check()))
    return made.fail();
  auto numbers = made.differentiated(arguments);
  if (failed(numbers))
    return made.fail();
  Value loss = made.returned()[result];
  OpBuilder builder(made.block().getTerminator());
  auto type = cast<RankedTensorType>(loss.getType());
  Value one = pd::FullOp::create(
      builder, loss.getLoc(), Value(), Value(), builder.getDenseI64ArrayAttr(type.getShape()),
      TypeAttr::get(type.getElementType()), builder.getF64FloatAttr(1), IntegerAttr());
  auto gradients = pd::differentiate(made.block(), {result}, {one}, made.argumentsAt(*numbers));
  if (failed(gradients))
    return made.fail();
  if (withValue)
    made.returnOriginal(result, made.returned()[result]);
  for (auto [number, gradient] : llvm::zip(*numbers, *gradients))
    made.returnNew(gradient, made.nameOfArgument(number) + "@GRAD");
  return made.finish();
}

FailureOr<Function> vjp(Function function, StringRef name, Numbers arguments) {
  NewFunction made(function, name);
  if (failed(made.check()))
    return made.fail();
  auto numbers = made.differentiated(arguments);
  if (failed(numbers))
    return made.fail();
  SmallVector<Value> returned = made.returned();
  SmallVector<int64_t> outputs = differentiableResults(returned);
  SmallVector<Type> types;
  SmallVector<std::string> names;
  for (int64_t output : outputs) {
    types.push_back(returned[output].getType());
    names.push_back(made.nameOfResult(output) + "@GRAD");
  }
  unsigned first = made.addArguments(types, function.getLoc(), names);
  SmallVector<Value> cotangents(made.block().getArguments().drop_front(first));
  auto gradients = pd::differentiate(made.block(), outputs, cotangents, made.argumentsAt(*numbers));
  if (failed(gradients))
    return made.fail();
  for (auto [i, value] : llvm::enumerate(made.returned()))
    made.returnOriginal(static_cast<int64_t>(i), value);
  for (auto [number, gradient] : llvm::zip(*numbers, *gradients))
    made.returnNew(gradient, made.nameOfArgument(number) + "@GRAD");
  return made.finish();
}

FailureOr<Function> jvp(Function function, StringRef name, Numbers arguments) {
  NewFunction made(function, name);
  if (failed(made.check()))
    return made.fail();
  auto numbers = made.differentiated(arguments);
  if (failed(numbers))
    return made.fail();
  SmallVector<Value> inputs = made.argumentsAt(*numbers);
  SmallVector<std::string> names;
  for (int64_t number : *numbers)
    names.push_back(made.nameOfArgument(number) + "@TANGENT");
  unsigned first = made.addArguments(ValueRange(inputs).getTypes(), function.getLoc(), names);
  pd::Tangents tangents;
  for (auto [input, tangent] : llvm::zip(inputs, made.block().getArguments().drop_front(first)))
    tangents[input] = tangent;
  if (failed(pd::pushForward(made.block(), tangents)))
    return made.fail();
  for (auto [i, value] : llvm::enumerate(made.returned()))
    made.returnOriginal(static_cast<int64_t>(i), value);
  OpBuilder builder(made.block().getTerminator());
  SmallVector<Value> returned = made.returned();
  for (int64_t output : differentiableResults(returned))
    made.returnNew(pd::tangentOrZero(builder, returned[output], tangents),
                   made.nameOfResult(output) + "@TANGENT");
  return made.finish();
}

namespace {

/// The type of a mapped argument: one dimension more, at `place`.
FailureOr<Type> mappedType(Function function, Type type, int64_t place, int64_t size) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return function.emitError() << "an argument of type " << type
                                << " has no batched form: expected a tensor";
  if (place > tensor.getRank())
    return function.emitError() << "the examples' dimension " << place
                                << " is asked for, an argument of type " << type
                                << " has place for one up to " << tensor.getRank();
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin() + place, size);
  return Type(tensor.clone(shape));
}

/// The value with dimension `place` moved to the front.
Value examplesFirst(OpBuilder &builder, Value value, int64_t place) {
  if (place == 0)
    return value;
  SmallVector<int64_t> perm{place};
  for (int64_t d = 0; d < cast<RankedTensorType>(value.getType()).getRank(); ++d)
    if (d != place)
      perm.push_back(d);
  return pd::TransposeOp::create(builder, value.getLoc(), value, builder.getDenseI64ArrayAttr(perm));
}

LogicalResult checkMapped(Function function, Numbers mapped) {
  if (!mapped.empty() && mapped.size() != function.getNumArguments())
    return function.emitError() << "expected one place of the examples' dimension, or -1, for each of the "
                                << function.getNumArguments() << " arguments, found " << mapped.size();
  if (function.getNumArguments() == 0 ||
      (!mapped.empty() && llvm::all_of(mapped, [](int64_t place) { return place < 0; })))
    return function.emitError() << "no argument has a dimension for the examples";
  return success();
}

} // namespace

FailureOr<Function> vmap(Function function, StringRef name, int64_t size, Numbers mapped) {
  if (failed(checkMapped(function, mapped)))
    return failure();
  // The body is moved into a scratch function, whose composites may be taken apart.
  NewFunction made(function, name);
  if (failed(made.check()))
    return made.fail();
  Region scratch;
  scratch.takeBody(made.function.getBody());
  Block &block = made.function.getBody().emplaceBlock(), &original = scratch.front();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  Value source;
  SmallVector<Value> given;
  for (BlockArgument argument : original.getArguments()) {
    int64_t place = mapped.empty() ? 0 : mapped[argument.getArgNumber()];
    FailureOr<Type> type =
        place < 0 ? argument.getType() : mappedType(function, argument.getType(), place, size);
    if (failed(type))
      return made.fail();
    Value value = block.addArgument(*type, argument.getLoc());
    given.push_back(place < 0 ? value : examplesFirst(builder, value, place));
    if (place >= 0 && !source)
      source = given.back();
  }
  pd::Batcher batcher(builder, size, source);
  for (auto [argument, value] : llvm::zip(original.getArguments(), given))
    batcher.map(argument, pd::Batched(value, mapped.empty() || mapped[argument.getArgNumber()] >= 0));
  if (failed(batcher.write(original)))
    return made.fail();
  SmallVector<Value> results;
  for (Value value : original.getTerminator()->getOperands())
    results.push_back(batcher.batched(value));
  func::ReturnOp::create(builder, original.getTerminator()->getLoc(), results);
  for (auto [i, value] : llvm::enumerate(results))
    made.returnOriginal(static_cast<int64_t>(i), value);
  return made.finish();
}

FailureOr<Function> hessian(Function function, StringRef name, int64_t argument, int64_t result) {
  if (argument < 0 || argument >= function.getNumArguments())
    return function.emitError() << "argument " << argument << " is asked for, the function has "
                                << function.getNumArguments();
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  if (!type || !type.hasStaticShape())
    return function.emitError() << "the hessian by argument " << argument
                                << " is asked for: expected known extents, found "
                                << function.getArgumentTypes()[argument];
  // Rows are what forward mode makes of unit vectors.
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
  // Of the results (gradient, its tangents) only the last is wanted.
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
