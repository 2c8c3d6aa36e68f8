//! pd.vjp of a program's forward part in place of its own gradient ops: ImportOptions::ownGradients.
#include "translator/import/ProgramImporter.h"

#include "dialects/pd/autodiff/VjpOps.h"
#include "dialects/pd/shape/ShapeOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa::import {
namespace {

const llvm::StringRef gradientSuffix = "@GRAD";

/// Whether the op is one of those that compute gradients: not one that clips, scales or accumulates them
/// afterwards.
bool computesGradient(const legacy::Operation &op, llvm::StringRef gradient) {
  llvm::StringRef type = op.type;
  if (type.ends_with("_grad"))
    return true;
  // The terms of a gradient that comes from several ops.
  return type == "sum" && llvm::all_of(op.inputs, [&](const legacy::Slot &slot) {
           return llvm::all_of(slot.arguments,
                               [&](llvm::StringRef name) { return name.starts_with(gradient); });
         });
}

} // namespace

void ProgramImporter::findOwnGradients() {
  if (options.ownGradients.empty())
    return;
  llvm::StringMap<size_t> last;
  for (const auto &[index, op] : llvm::enumerate(program.blocks[0].operations))
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

void ProgramImporter::takeOwnGradients(const legacy::Operation &op) {
  if (currentBlock != 0 || !gradientsBegin)
    return;
  if (currentIndex == *gradientsBegin) {
    Value loss = lookup(lossName), seed = lookup(lossName + gradientSuffix.str());
    if (!loss || !seed)
      return report("the gradient of '" + lossName + "' begins before the variable is defined");
    return makeOwnGradients(loss, seed);
  }
  auto writes = lastWrites.find(currentIndex);
  if (writes == lastWrites.end())
    return;
  for (const std::string &parameter : writes->second)
    if (Value gradient = ownGradients.lookup(parameter))
      environment.set(options.ownGradients.at(parameter), gradient);
}

/// What ran so far, once more as the region of a pd.vjp. Results of random ops are taken from their first
/// run.
void ProgramImporter::makeOwnGradients(Value loss, Value seed) {
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
    for (Operation *op : ran)
      builder.clone(*op, mapping);
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
    ownGradients[name] = gradient;
}

} // namespace proa::import
