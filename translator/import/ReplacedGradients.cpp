//! pd.vjp of a program's forward part in place of its gradient ops (ImportOptions::ownGradients).
#include "translator/import/ProgramImporter.h"

#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/quantization/Quantization.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa::import {
namespace {

const llvm::StringRef gradientSuffix = "@GRAD";

/// OpRole::kBackward of Paddle.
bool isBackward(const legacy::Operation &op) {
  const legacy::Attribute *role = op.attribute("op_role");
  const auto *number = role ? std::get_if<int32_t>(&role->value) : nullptr;
  return number && (*number & 1) != 0;
}

bool hasInput(const legacy::Operation &op, llvm::StringRef name) {
  return llvm::any_of(op.inputs,
                      [&](const legacy::Slot &slot) { return llvm::is_contained(slot.arguments, name); });
}

/// Whether the op is one of those that compute gradients: not one that clips, scales, reduces or accumulates
/// them afterwards. Some gradients are ops of another name (as_real, assign, scale), which tell by their
/// role.
bool computesGradient(const legacy::Operation &op, llvm::StringRef gradient) {
  llvm::StringRef type = op.type;
  if (type.ends_with("_grad") || (isBackward(op) && !hasInput(op, gradient)))
    return true;
  // The terms of a gradient that comes from several ops.
  return type == "sum" && llvm::all_of(op.inputs, [&](const legacy::Slot &slot) {
           return llvm::all_of(slot.arguments,
                               [&](llvm::StringRef name) { return name.starts_with(gradient); });
         });
}

} // namespace

void ProgramImporter::findReplacedGradients() {
  if (options.ownGradients.empty())
    return;
  llvm::StringMap<size_t> last;
  for (const auto &[index, op] : llvm::enumerate(legacyProgram.blocks[0].operations))
    for (const legacy::Slot &slot : op.outputs)
      for (llvm::StringRef name : slot.arguments) {
        if (!gradientsBegin && op.type == "fill_constant" && name.ends_with(gradientSuffix)) {
          gradientsBegin = index;
          lossName = name.drop_back(gradientSuffix.size()).str();
        }
        if (computesGradient(op, name))
          last[name] = index;
      }
  if (!gradientsBegin)
    return problems.add(options.source,
                        "the program has no op that begins the gradient of a loss with a constant");
  for (const auto &[parameter, gradient] : options.ownGradients) {
    auto found = last.find(gradient);
    if (found == last.end())
      problems.add(options.source, "no gradient op of block 0 writes '" + gradient + "', the gradient of '" +
                                       parameter + "'");
    else
      lastWrites[found->second].push_back(parameter);
  }
}

void ProgramImporter::replaceGradients(const legacy::Operation &op) {
  if (currentBlock != 0 || !gradientsBegin)
    return;
  if (currentIndex == *gradientsBegin) {
    Value loss = lookup(lossName), seed = lookup(lossName + gradientSuffix.str());
    if (!loss || !seed)
      return report("the gradient of '" + lossName + "' begins before the variable is defined");
    return createGradients(loss, seed);
  }
  auto writes = lastWrites.find(currentIndex);
  if (writes == lastWrites.end())
    return;
  for (const std::string &parameter : writes->second)
    if (Value gradient = replacedGradients.lookup(parameter))
      scope.set(options.ownGradients.at(parameter), gradient);
}

/// By the value that a gradient op takes the gradient of, the one that it gives the gradient to. Quantization
/// passes rename the inputs of ops to their quantized values, those of gradient ops too, and leave the names
/// of the gradients: they train through the rounding as if it was not there.
llvm::DenseMap<Value, Value> ProgramImporter::straightThroughs() const {
  llvm::DenseMap<Value, Value> found;
  for (const legacy::Operation &op : legacyProgram.blocks[0].operations) {
    if (!llvm::StringRef(op.type).ends_with("_grad"))
      continue;
    for (const legacy::Slot &slot : op.inputs) {
      const legacy::Slot *gradients = op.output(slot.name + gradientSuffix.str());
      if (!gradients || gradients->arguments.size() != slot.arguments.size())
        continue;
      for (auto [name, gradient] : llvm::zip(slot.arguments, gradients->arguments)) {
        llvm::StringRef owner = llvm::StringRef(gradient).split(gradientSuffix).first;
        Value value = lookup(name), x = owner == name ? Value() : lookup(owner);
        if (value && x && value != x && value.getType() == x.getType())
          found[value] = x;
      }
    }
  }
  return found;
}

/// Clones the ops so far into the region of a pd.vjp. Results of random ops are those of the first run.
void ProgramImporter::createGradients(Value loss, Value seed) {
  Location location = loss.getLoc();
  std::vector<std::string> names;
  llvm::SmallVector<Value> inputs, saved, yielded;
  for (auto [declared, argument] : llvm::zip(arguments, function.getArguments()))
    if (declared.parameter && options.ownGradients.contains(declared.name)) {
      names.push_back(declared.name);
      inputs.push_back(argument);
    }
  auto lossType = cast<RankedTensorType>(loss.getType());
  if (cast<RankedTensorType>(seed.getType()).getRank() != lossType.getRank())
    seed = pd::ReshapeOp::create(
        builder, location, seed, Value(),
        builder.getDenseI64ArrayAttr(llvm::SmallVector<int64_t>(lossType.getRank(), 1)));
  llvm::SmallVector<Operation *> ran;
  for (Operation &inner : function.getBody().front())
    ran.push_back(&inner);
  Region region;
  Block &body = region.emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), location));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&body);
    llvm::DenseMap<Value, Value> passedBy = straightThroughs();
    for (Operation *op : ran) {
      builder.clone(*op, mapping);
      for (Value result : op->getResults())
        if (Value x = mapping.lookupOrNull(passedBy.lookup(result)))
          mapping.map(result, pd::StraightThroughOp::create(builder, location, x, mapping.lookup(result)));
    }
    yielded.push_back(mapping.lookupOrDefault(loss));
    for (Operation *op : ran)
      for (Value result : op->getResults())
        if (!isMemoryEffectFree(op) && isa<RankedTensorType>(result.getType())) {
          saved.push_back(result);
          yielded.push_back(mapping.lookup(result));
        }
    pd::YieldOp::create(builder, location, yielded);
  }
  auto numbers = llvm::to_vector(llvm::seq<int64_t>(1, static_cast<int64_t>(yielded.size())));
  auto vjp = pd::VjpOp::create(builder, location, inputs, saved, seed, builder.getDenseI64ArrayAttr(numbers),
                               builder.getDenseI64ArrayAttr({0}));
  vjp.getBody().takeBody(region);
  for (auto [name, gradient] : llvm::zip(names, vjp.getGradients()))
    replacedGradients[name] = gradient;
}

} // namespace proa::import
