//! The gradients of conditional_block, while and recurrent. Paddle gives them blocks of gradient ops, which
//! read what the forward blocks left in scopes; here the forward op is imported once more into a pd.vjp, as
//! for any other gradient op.
#include "translator/import/ProgramImporter.h"

#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/PaddleGradient.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

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

void ProgramImporter::recordRun(int32_t block, const legacy::Operation &op, Value condition) {
  if (hasGradients && !isInGradient)
    ran[block] = Run{&op, condition, environment};
}

const ProgramImporter::Run *ProgramImporter::findRun(const legacy::Operation &op) {
  std::optional<int32_t> block = blockOf(op);
  if (!block)
    return nullptr;
  auto found = ran.find(program.blocks[*block].forwardBlock);
  if (found != ran.end())
    return &found->second;
  report("nothing ran block " + llvm::Twine(program.blocks[*block].forwardBlock) + ", of which block " +
         llvm::Twine(*block) + " is the gradient");
  return nullptr;
}

/// Imports the forward op with the block's arguments for the variables `names`; returns the values of
/// `outputs`.
llvm::SmallVector<Value> ProgramImporter::importRunAgain(const Run &run, Block &body,
                                                         llvm::ArrayRef<std::string> names,
                                                         llvm::ArrayRef<std::string> outputs,
                                                         llvm::ArrayRef<Value> cotangents) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  Environment outer = std::exchange(environment, run.environment);
  bool outerGradient = std::exchange(isInGradient, true);
  for (auto [name, argument] : llvm::zip(names, body.getArguments()))
    environment.set(name, argument);
  llvm::SmallVector<Value> results;
  if (!isConditionalBlock(*run.op)) {
    run.op->type == "while" ? importWhile(*run.op) : importRecurrent(*run.op);
    for (const std::string &name : outputs)
      results.push_back(lookup(name));
  } else if (std::optional<int32_t> block = blockOf(*run.op)) {
    Branch branch;
    branch.names.assign(outputs.begin(), outputs.end());
    Arm arm{run.op, *block, run.condition, effectsOf(program, *block).written, environment};
    importArm(&arm, branch, 0);
    importArm(nullptr, branch, 1);
    // What the block leaves undefined where it does not run is zeros of the cotangent's dims: others would
    // open the dims of both arms.
    OpImporter importer(*this, *run.op, builder, locationOf(currentIndex, *run.op));
    for (auto [value, cotangent] : llvm::zip(branch.values[1], cotangents)) {
      if (value || !isa<RankedTensorType>(cotangent.getType()))
        continue;
      OpBuilder::InsertionGuard inArm(builder);
      builder.setInsertionPointToEnd(&branch.regions[1].front());
      value = importer.createOne("pd.full_like", {{cotangent}, {}},
                                 {importer.named("value", builder.getF64FloatAttr(0))});
    }
    if (!branch.failures[0].empty() || !llvm::is_contained(branch.values[0], Value()))
      results = makeBranch(branch, run.condition,
                           body.getParentOp() ? body.getParentOp()->getLoc() : builder.getUnknownLoc());
  }
  environment = std::move(outer);
  isInGradient = outerGradient;
  return results;
}

void ProgramImporter::importBlockGradient(const legacy::Operation &op) {
  const Run *run = findRun(op);
  if (!run)
    return;
  const legacy::Slot *given = cotangentsOf(op);
  std::vector<std::string> names, outputs, gradients;
  llvm::SmallVector<Value> values, cotangents;
  for (const std::string &slot : inputSlots(*run->op)) {
    const legacy::Slot *inputs = op.input(slot), *wanted = op.output(slot + "@GRAD");
    if (!wanted && run->op->type == "recurrent")
      continue;
    if (!wanted || !inputs || inputs->arguments.size() != wanted->arguments.size())
      return report("expected as many variables in '" + slot + "@GRAD' as in '" + slot + "'");
    for (auto [name, gradient] : llvm::zip(inputs->arguments, wanted->arguments))
      if (Value value = run->environment.lookup(name);
          gradient != legacy::emptyVariable && value && pd::hasTangent(value.getType())) {
        names.push_back(name);
        gradients.push_back(gradient);
        values.push_back(value);
      }
  }
  llvm::SmallVector<std::string> owners = cotangentOwners(op);
  for (auto [i, owner] : llvm::enumerate(owners))
    if (Value cotangent = lookup(given->arguments[i])) {
      outputs.push_back(owner);
      cotangents.push_back(cotangent);
    }
  if (names.empty())
    return;
  size_t before = problems.size();
  Location location = locationOf(currentIndex, op);
  Region region;
  Block &body = region.emplaceBlock();
  for (Value value : values)
    body.addArgument(value.getType(), location);
  llvm::SmallVector<Value> results = importRunAgain(*run, body, names, outputs, cotangents);
  if (problems.size() == before && (results.size() != outputs.size() || llvm::is_contained(results, Value())))
    report("the forward op does not define all variables that have a cotangent");
  if (problems.size() != before)
    return;
  llvm::SmallVector<int64_t> numbers;
  for (size_t i = 0; i < outputs.size(); ++i)
    numbers.push_back(static_cast<int64_t>(i));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    pd::YieldOp::create(builder, location, results);
  }
  auto vjp = pd::VjpOp::create(builder, location, values, ValueRange(), cotangents,
                               builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr(numbers));
  vjp.getBody().takeBody(region);
  pd::usePaddleGradients(vjp);
  if (failed(vjp.verifyRegions()))
    return report(takeDiagnostics());
  for (auto [name, value] : llvm::zip(gradients, vjp.getGradients()))
    define(name, value);
}

/// The counterpart of select_input: the gradient goes to the value that was selected, zeros to the others.
void ProgramImporter::importSelectOutput(const legacy::Operation &op) {
  const legacy::Slot *outputs = op.output("Out");
  OpImporter importer(*this, op, builder, locationOf(currentIndex, op));
  Value mask = importer.requiredInput("Mask"), x = importer.requiredInput("X");
  if (!mask || !x)
    return;
  if (!outputs || outputs->arguments.empty())
    return report("expected variables in 'Out'");
  Value zeros =
      importer.createOne("pd.full_like", {{x}, {}}, {importer.named("value", builder.getF64FloatAttr(0))});
  Type type = cast<RankedTensorType>(mask.getType()).getElementType();
  for (auto [i, name] : llvm::enumerate(outputs->arguments)) {
    Value number = importer.constant(DenseElementsAttr::get(
        RankedTensorType::get({}, type), Attribute(builder.getIntegerAttr(type, static_cast<int64_t>(i)))));
    Value isThis = importer.createOne("pd.equal", {{mask}, {number}});
    if (isThis) // the mask has one element and must not change the rank
      isThis = importer.createOne("pd.reshape", {{isThis}, {}},
                                  {importer.named("shape", builder.getDenseI64ArrayAttr({}))});
    if (!isThis || !zeros)
      return;
    if (Value value = importer.createOne("pd.where", {{isThis}, {x}, {zeros}}))
      define(name, value);
  }
}

} // namespace proa::import
