#include "translator/import/legacy/gradient/DerivedGradients.h"

#include "translator/import/legacy/ProgramImporter.h"

#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/quantization/Quantization.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "translator/import/legacy/gradient/GradientSlots.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa::import {
namespace {

/// OpRole::kBackward of Paddle.
bool isBackward(const legacy::Operation &op) {
  const legacy::Attribute *role = op.attribute("op_role");
  const auto *scalar = role ? std::get_if<int32_t>(&role->value) : nullptr;
  return scalar && (*scalar & 1) != 0;
}

bool hasInput(const legacy::Operation &op, llvm::StringRef name) {
  return llvm::any_of(op.inputs,
                      [&](const legacy::Slot &slot) { return llvm::is_contained(slot.arguments, name); });
}

/// Whether an op computes a gradient, and does not clip, scale, reduce or accumulate one. Ops that are not
/// named X_grad (as_real, assign, scale) are identified by their role.
bool computesGradient(const legacy::Operation &op, llvm::StringRef gradient) {
  llvm::StringRef type = op.type;
  if (type.ends_with("_grad") || (isBackward(op) && !hasInput(op, gradient)))
    return true;
  // A sum of the terms of one gradient.
  return type == "sum" && llvm::all_of(op.inputs, [&](const legacy::Slot &slot) {
           return llvm::all_of(slot.arguments,
                               [&](llvm::StringRef name) { return name.starts_with(gradient); });
         });
}

} // namespace

void DerivedGradients::find() {
  if (program.options.derivedGradients.empty())
    return;
  llvm::StringMap<size_t> last;
  for (const auto &[index, op] : llvm::enumerate(program.legacyProgram.blocks[0].operations))
    for (const legacy::Slot &slot : op.outputs)
      for (llvm::StringRef name : slot.arguments) {
        if (!begin && op.type == "fill_constant" && name.ends_with(gradientSuffix)) {
          begin = index;
          lossName = name.drop_back(gradientSuffix.size()).str();
        }
        if (computesGradient(op, name))
          last[name] = index;
      }
  if (!begin)
    return program.diagnostics.add(
        program.options.source, "the program has no op that begins the gradient of a loss with a constant");
  for (const auto &[parameter, gradient] : program.options.derivedGradients) {
    auto found = last.find(gradient);
    if (found == last.end())
      program.diagnostics.add(program.options.source, "no gradient op of block 0 writes '" + gradient +
                                                          "', the gradient of '" + parameter + "'");
    else
      lastWrites[found->second].push_back(parameter);
  }
}

void DerivedGradients::afterOp() {
  if (program.currentBlock != 0 || !begin)
    return;
  if (program.currentIndex == *begin) {
    Value loss = program.lookup(lossName), seed = program.lookup(lossName + gradientSuffix.str());
    if (!loss || !seed)
      return program.report("the gradient of '" + lossName + "' begins before the variable is defined");
    return create(loss, seed);
  }
  auto writes = lastWrites.find(program.currentIndex);
  if (writes == lastWrites.end())
    return;
  for (const std::string &parameter : writes->second)
    if (Value gradient = gradients.lookup(parameter))
      program.scope.set(program.options.derivedGradients.at(parameter), gradient);
}

/// Maps each value whose gradient a gradient op computes to the value that gets the gradient. Quantization
/// passes rename the inputs of ops and gradient ops to their quantized values, but not the gradients:
/// training ignores the rounding.
llvm::DenseMap<Value, Value> DerivedGradients::straightThroughs() const {
  llvm::DenseMap<Value, Value> found;
  for (const legacy::Operation &op : program.legacyProgram.blocks[0].operations) {
    if (!llvm::StringRef(op.type).ends_with("_grad"))
      continue;
    for (const legacy::Slot &slot : op.inputs) {
      const legacy::Slot *gradients = op.output(slot.name + gradientSuffix.str());
      if (!gradients || gradients->arguments.size() != slot.arguments.size())
        continue;
      for (auto [name, gradient] : llvm::zip(slot.arguments, gradients->arguments)) {
        if (llvm::StringRef(gradient).starts_with(name + gradientSuffix.str()))
          continue; // of the input itself, which may be a gradient: "x@GRAD@GRAD"
        Value value = program.lookup(name),
              x = program.lookup(llvm::StringRef(gradient).split(gradientSuffix).first);
        if (value && x && value != x && value.getType() == x.getType())
          found[value] = x;
      }
    }
  }
  return found;
}

/// The values of variables that Paddle does not differentiate by, such as results of `detach`.
llvm::DenseSet<Value> DerivedGradients::withoutGradient() const {
  llvm::DenseSet<Value> found;
  for (const legacy::Variable &variable : program.legacyProgram.blocks[0].variables)
    if (variable.stopGradient && !variable.persistable)
      if (Value value = program.lookup(variable.name))
        found.insert(value);
  return found;
}

/// Clones all ops so far into the region of a pd.vjp, which reuses the results of random ops.
void DerivedGradients::create(Value loss, Value seed) {
  Location location = loss.getLoc();
  std::vector<std::string> names;
  llvm::SmallVector<Value> inputs, saved, yielded;
  for (auto [declared, argument] :
       llvm::zip(program.interface.arguments, program.interface.function.getArguments()))
    if (declared.parameter && program.options.derivedGradients.contains(declared.name)) {
      names.push_back(declared.name);
      inputs.push_back(argument);
    }
  auto lossType = cast<RankedTensorType>(loss.getType());
  if (cast<RankedTensorType>(seed.getType()).getRank() != lossType.getRank())
    seed = pd::ReshapeOp::create(
        program.builder, location, seed, Value(),
        program.builder.getDenseI64ArrayAttr(llvm::SmallVector<int64_t>(lossType.getRank(), 1)));
  llvm::SmallVector<Operation *> ran;
  for (Operation &inner : program.interface.function.getBody().front())
    ran.push_back(&inner);
  Region region;
  Block &body = region.emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), location));
  {
    OpBuilder::InsertionGuard guard(program.builder);
    program.builder.setInsertionPointToStart(&body);
    llvm::DenseMap<Value, Value> passedBy = straightThroughs();
    llvm::DenseSet<Value> constants = withoutGradient();
    for (Operation *op : ran) {
      program.builder.clone(*op, mapping);
      for (Value result : op->getResults()) {
        if (constants.contains(result))
          mapping.map(result, result);
        if (Value x = mapping.lookupOrNull(passedBy.lookup(result)))
          mapping.map(result,
                      pd::StraightThroughOp::create(program.builder, location, x, mapping.lookup(result)));
      }
    }
    yielded.push_back(mapping.lookupOrDefault(loss));
    for (Operation *op : ran)
      for (Value result : op->getResults())
        if (!isMemoryEffectFree(op) && isa<RankedTensorType>(result.getType())) {
          saved.push_back(result);
          yielded.push_back(mapping.lookup(result));
        }
    pd::YieldOp::create(program.builder, location, yielded);
  }
  auto values = llvm::to_vector(llvm::seq<int64_t>(1, static_cast<int64_t>(yielded.size())));
  auto vjp = pd::VjpOp::create(program.builder, location, inputs, saved, seed,
                               program.builder.getDenseI64ArrayAttr(values),
                               program.builder.getDenseI64ArrayAttr({0}));
  vjp.getBody().takeBody(region);
  for (auto [name, gradient] : llvm::zip(names, vjp.getGradients()))
    gradients[name] = gradient;
}

} // namespace proa::import
