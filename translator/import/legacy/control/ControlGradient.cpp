//! The gradients of conditional_block, while and recurrent. Paddle gives them blocks of gradient ops, which
//! read the scopes of the forward blocks. Here the forward op is imported again into a pd.vjp, as
//! for any other gradient op.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/ProgramImporter.h"

#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/PaddleGradient.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/control/ArrayOps.h"

using namespace mlir;

namespace proa::import {
namespace {

llvm::StringRef withoutSuffix(llvm::StringRef name) { return name.substr(0, name.find("@GRAD")); }

const legacy::Slot *cotangentsOf(const legacy::Operation &op) {
  return op.input(op.type == "recurrent_grad" ? "outputs@GRAD" : "Out@GRAD");
}

/// The input slots whose variables may have gradients.
llvm::SmallVector<std::string> inputSlots(const legacy::Operation &op) {
  if (op.type == "recurrent")
    return {"inputs", "initial_states", "parameters"};
  return {op.type == "while" ? "X" : "Input"};
}

/// The variable that each name in Out@GRAD is the cotangent of.
llvm::SmallVector<std::string> cotangentOwners(const legacy::Operation &op) {
  const legacy::Slot *cotangents = cotangentsOf(op),
                     *outputs = op.input(op.type == "recurrent_grad" ? "outputs" : "Out");
  const legacy::Attribute *original = op.attribute("original_output_grad");
  const auto *names = original ? std::get_if<std::vector<std::string>>(&original->value) : nullptr;
  llvm::SmallVector<std::string> owners;
  for (size_t i = 0; cotangents && i < cotangents->arguments.size(); ++i)
    if (names && names->size() == cotangents->arguments.size())
      owners.push_back(withoutSuffix((*names)[i]).str());
    else if (!names && outputs && outputs->arguments.size() == cotangents->arguments.size())
      owners.push_back(outputs->arguments[i]);
    else
      owners.push_back(withoutSuffix(cotangents->arguments[i]).str());
  return owners;
}

} // namespace

void ControlFlowImporter::recordRun(int32_t block, const legacy::Operation &op, Value condition) {
  if (program.gradients.isActive() && !isInGradient)
    ran[block] = Run{&op, condition, program.scope};
}

const ControlFlowImporter::Run *ControlFlowImporter::findRun(const legacy::Operation &op) {
  std::optional<int32_t> block = blockOf(op);
  if (!block)
    return nullptr;
  auto found = ran.find(program.legacyProgram.blocks[*block].forwardBlock);
  if (found != ran.end())
    return &found->second;
  program.report("nothing ran block " + llvm::Twine(program.legacyProgram.blocks[*block].forwardBlock) +
                 ", of which block " + llvm::Twine(*block) + " is the gradient");
  return nullptr;
}

/// Imports the forward op with the block's arguments for the variables `names`; returns the values of
/// `outputs`.
llvm::SmallVector<Value> ControlFlowImporter::importRunAgain(const Run &run, Block &body,
                                                             llvm::ArrayRef<std::string> names,
                                                             llvm::ArrayRef<std::string> outputs,
                                                             llvm::ArrayRef<Value> cotangents) {
  OpBuilder::InsertionGuard guard(program.builder);
  program.builder.setInsertionPointToStart(&body);
  Scope outer = std::exchange(program.scope, run.scope);
  bool outerGradient = std::exchange(isInGradient, true);
  for (auto [name, argument] : llvm::zip(names, body.getArguments()))
    program.scope.set(name, argument);
  llvm::SmallVector<Value> results;
  if (!isConditionalBlock(*run.op)) {
    run.op->type == "while" ? importWhile(*run.op) : importRecurrent(*run.op);
    for (const std::string &name : outputs)
      results.push_back(program.lookup(name));
  } else if (std::optional<int32_t> block = blockOf(*run.op)) {
    Branch branch;
    branch.names.assign(outputs.begin(), outputs.end());
    PendingBlock conditional{run.op, *block, run.condition, effectsOf(program.legacyProgram, *block).written,
                             program.scope};
    importRegion(&conditional, branch, 0);
    importRegion(nullptr, branch, 1);
    // Variables that are undefined if the block does not run are zeros with the dims of the cotangent: other
    // dims would make the dims of both regions dynamic.
    OpImporter importer(program, *run.op, program.builder, program.locationOf(program.currentIndex, *run.op));
    for (auto [value, cotangent] : llvm::zip(branch.values[1], cotangents)) {
      if (value || !isa<RankedTensorType>(cotangent.getType()))
        continue;
      OpBuilder::InsertionGuard inRegion(program.builder);
      program.builder.setInsertionPointToEnd(&branch.regions[1].front());
      value = importer.build([&](pd::TensorBuilder &e) { return hooks::fullLike(e.wrap(cotangent), 0); });
    }
    if (!branch.failures[0].empty() || !llvm::is_contained(branch.values[0], Value()))
      results =
          makeBranch(branch, run.condition,
                     body.getParentOp() ? body.getParentOp()->getLoc() : program.builder.getUnknownLoc());
  }
  program.scope = std::move(outer);
  isInGradient = outerGradient;
  return results;
}

/// The gradient ops of in-place ops, such as the increment of a loop's counter, undo these: the ops that
/// follow read the variable as it was before the forward op.
void ControlFlowImporter::undoInPlaceOps(const legacy::Operation &op, const Run &run) {
  Names written = effectsOf(program.legacyProgram, *run.op).written;
  for (llvm::StringRef name : effectsOf(program.legacyProgram, op).written)
    if (Value before = written.contains(name) ? run.scope.lookup(name) : Value())
      program.define(name.str(), before);
}

void ControlFlowImporter::importBlockGradient(const legacy::Operation &op) {
  const Run *run = findRun(op);
  if (!run)
    return;
  size_t before = program.diagnostics.size();
  importGradientOfRun(op, *run);
  if (program.diagnostics.size() == before)
    undoInPlaceOps(op, *run);
}

void ControlFlowImporter::importGradientOfRun(const legacy::Operation &op, const Run &run) {
  const legacy::Slot *given = cotangentsOf(op);
  std::vector<std::string> names, outputs, gradients;
  llvm::SmallVector<Value> values, cotangents;
  for (const std::string &slot : inputSlots(*run.op)) {
    const legacy::Slot *inputs = op.input(slot), *gradientSlot = op.output(slot + "@GRAD");
    if (!gradientSlot && run.op->type == "recurrent")
      continue;
    if (!gradientSlot || !inputs || inputs->arguments.size() != gradientSlot->arguments.size())
      return program.report("expected as many variables in '" + slot + "@GRAD' as in '" + slot + "'");
    for (auto [name, gradient] : llvm::zip(inputs->arguments, gradientSlot->arguments))
      if (Value value = run.scope.lookup(name);
          gradient != legacy::emptyVariable && value && pd::hasTangent(value.getType())) {
        names.push_back(name);
        gradients.push_back(gradient);
        values.push_back(value);
      }
  }
  llvm::SmallVector<std::string> owners = cotangentOwners(op);
  for (auto [i, owner] : llvm::enumerate(owners))
    if (Value cotangent = program.lookup(given->arguments[i])) {
      outputs.push_back(owner);
      cotangents.push_back(cotangent);
    }
  if (names.empty())
    return;
  size_t before = program.diagnostics.size();
  Location location = program.locationOf(program.currentIndex, op);
  Region region;
  Block &body = region.emplaceBlock();
  for (Value value : values)
    body.addArgument(value.getType(), location);
  llvm::SmallVector<Value> results = importRunAgain(run, body, names, outputs, cotangents);
  if (program.diagnostics.size() == before &&
      (results.size() != outputs.size() || llvm::is_contained(results, Value())))
    program.report("the forward op does not define all variables that have a cotangent");
  if (program.diagnostics.size() != before)
    return;
  llvm::SmallVector<int64_t> indices;
  for (size_t i = 0; i < outputs.size(); ++i)
    indices.push_back(static_cast<int64_t>(i));
  {
    OpBuilder::InsertionGuard guard(program.builder);
    program.builder.setInsertionPointToEnd(&body);
    pd::YieldOp::create(program.builder, location, results);
  }
  auto vjp = pd::VjpOp::create(program.builder, location, values, ValueRange(), cotangents,
                               program.builder.getDenseI64ArrayAttr({}),
                               program.builder.getDenseI64ArrayAttr(indices));
  vjp.getBody().takeBody(region);
  pd::usePaddleGradients(vjp);
  if (failed(vjp.verifyRegions()))
    return program.report(program.takeMlirErrors());
  for (auto [name, value] : llvm::zip(gradients, vjp.getGradients()))
    program.define(name, value);
}

/// The op copies X to the output whose index is the mask. As the gradient of select_input it gives zeros to
/// the other outputs; of an array, empty arrays.
void ControlFlowImporter::importSelectOutput(const legacy::Operation &op) {
  const legacy::Slot *outputs = op.output("Out");
  OpImporter importer(program, op, program.builder, program.locationOf(program.currentIndex, op));
  Value mask = importer.requiredInput("Mask");
  importer.takesArrays = true;
  Value x = importer.requiredInput("X");
  if (!mask || !x)
    return;
  if (!outputs || outputs->arguments.empty())
    return program.report("expected variables in 'Out'");
  bool isArray = isa<pd::ArrayType>(x.getType());
  auto zerosLikeX = [&](pd::TensorBuilder &e) { return hooks::fullLike(e.wrap(x), 0); };
  Value zeros = isArray ? Value() : importer.build(zerosLikeX);
  if (!isArray && !zeros)
    return;
  for (auto [i, name] : llvm::enumerate(outputs->arguments)) {
    Value isThis = maskEquals(importer, mask, static_cast<int64_t>(i)), value;
    if (isThis && isArray)
      value = selectOrEmpty(isThis, x, importer.getLocation());
    else if (isThis) // the mask has one element and must not change the rank
      value = importer.build([&](pd::TensorBuilder &e) {
        return e.select(e.reshape(e.wrap(isThis), {}), e.wrap(x), e.wrap(zeros));
      });
    if (!value)
      return;
    program.define(name, value);
  }
}

/// The array if the condition holds, else an empty array.
Value ControlFlowImporter::selectOrEmpty(Value condition, Value array, Location location) {
  Branch branch;
  branch.names = {"X"};
  branch.declared = {Type()};
  for (size_t region : {0, 1}) {
    OpBuilder::InsertionGuard guard(program.builder);
    program.builder.createBlock(&branch.regions[region]);
    branch.values[region].push_back(
        region == 0 ? array : Value(pd::ArrayCreateOp::create(program.builder, location)));
    branch.lods[region].push_back(VariableLod{{}, false, true});
  }
  llvm::SmallVector<Value> results = makeBranch(branch, condition, location);
  return results.empty() ? Value() : results.front();
}

} // namespace proa::import
