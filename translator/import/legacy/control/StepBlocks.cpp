//! Ops that run a block without a condition. `recurrent` (StaticRNN) runs its block once for each step of its
//! inputs and becomes scf.while. `pylayer` runs its forward block once; its gradient runs the backward block.
#include "translator/import/common/TensorOps.h"
#include "translator/import/common/UndefinedValues.h"
#include "translator/import/legacy/ProgramImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa::import {
namespace {

std::vector<std::string> names(const legacy::Slot *slot) {
  return slot ? slot->arguments : std::vector<std::string>();
}

/// The size of the first dimension, as a vector of one int64.
Value stepCount(OpImporter &importer, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  if (!type.isDynamicDim(0))
    return importer.constantInts({type.getDimSize(0)});
  return importer.build([&](pd::TensorBuilder &e) {
    pd::Expression dims = e.cast(e.wrap(e.create<pd::ShapeOp>(x)), e.getBuilder().getI64Type());
    return hooks::gather(dims, importer.integers({0}));
  });
}

} // namespace

/// A `recurrent` under construction. The loop carries the index of the step, the states and an array for each
/// output.
struct ControlFlowImporter::Recurrence {
  OpImporter &importer;
  int32_t block;
  std::vector<std::string> inputs, outputs, earlierStates, states;
  bool isReverse;
  llvm::SmallVector<Value> sequences;
  Value count;

  pd::Expression number(int64_t value) { return importer.integers({value}); }
  /// The step whose inputs an iteration reads.
  pd::Expression position(pd::Expression step) {
    return isReverse ? importer.wrap(count) - number(1) - step : step;
  }
};

/// Imports the block once with states of the given types; false after an error. `yielded` receives the values
/// of the next step: its index, the states, the arrays.
bool ControlFlowImporter::importStep(Recurrence &loop, Block &body, llvm::SmallVectorImpl<Value> &yielded) {
  OpImporter &importer = loop.importer;
  size_t before = program.diagnostics.size(), stateCount = loop.states.size();
  Value step = body.getArgument(0), position;
  BlockInputs inputs;
  importer.runGuarded([&] {
    position = loop.position(importer.wrap(step));
    pd::Expression scalar = importer.tensors().reshape(importer.wrap(position), {});
    for (auto [name, sequence] : llvm::zip(loop.inputs, loop.sequences))
      inputs.emplace_back(name, hooks::gather(importer.wrap(sequence), scalar));
  });
  for (auto [i, name] : llvm::enumerate(loop.earlierStates))
    inputs.emplace_back(name, body.getArgument(1 + i));
  if (program.diagnostics.size() != before)
    return false;
  Names results(loop.outputs.begin(), loop.outputs.end());
  results.insert(loop.states.begin(), loop.states.end());
  importBlock(loop.block, results, inputs);
  auto tensorOf = [&](const std::string &name) {
    Value value = program.lookup(name);
    if ((!value || !isa<RankedTensorType>(value.getType())) && program.diagnostics.size() == before)
      program.report("block " + llvm::Twine(loop.block) + " does not define the tensor '" + name + "'");
    return value;
  };
  llvm::SmallVector<Value> states, outputs;
  for (const std::string &name : loop.states)
    states.push_back(tensorOf(name));
  for (const std::string &name : loop.outputs)
    outputs.push_back(tensorOf(name));
  if (program.diagnostics.size() != before)
    return false;
  importer.runGuarded([&] {
    yielded.push_back(importer.wrap(step) + loop.number(1));
    llvm::append_range(yielded, states);
    for (auto [i, value] : llvm::enumerate(outputs))
      yielded.push_back(
          importer.tensors().create<pd::ArrayWriteOp>(body.getArgument(1 + stateCount + i), position, value));
  });
  return program.diagnostics.size() == before;
}

/// Imports the body of the loop. `types` are the types of the carried values, which become less specific
/// until an iteration keeps them.
bool ControlFlowImporter::importSteps(Recurrence &loop, Region &body, llvm::SmallVectorImpl<Value> &yielded,
                                      llvm::SmallVectorImpl<Type> &types) {
  size_t stateCount = loop.states.size();
  for (bool again = true; again;) {
    again = false;
    Region attempt;
    yielded.clear();
    Scope outer = program.scope;
    OpBuilder::InsertionGuard guard(program.builder);
    llvm::SmallVector<Location> locations(types.size(), loop.importer.getLocation());
    Block *block = program.builder.createBlock(&attempt, {}, types, locations);
    bool done = importStep(loop, *block, yielded);
    program.scope = std::move(outer);
    if (!done)
      return false;
    for (size_t i = 0; i < stateCount; ++i) {
      Type joined = pd::joinedTypes(types[1 + i], yielded[1 + i].getType());
      if (!joined) {
        program.report("state '" + loop.states[i] +
                       "' has another rank or element type after a step than before it");
        return false;
      }
      again |= std::exchange(types[1 + i], joined) != joined;
    }
    if (again)
      continue;
    for (size_t i = 1 + stateCount; i < types.size(); ++i) {
      types[i] = yielded[i].getType();
      block->getArgument(i).setType(types[i]);
    }
    body.takeBody(attempt);
  }
  return true;
}

void ControlFlowImporter::importRecurrent(const legacy::Operation &op) {
  std::optional<int32_t> block = blockOf(op);
  if (!block)
    return;
  recordRun(*block, op, Value());
  Location location = program.locationOf(program.currentIndex, op);
  OpImporter importer(program, op, program.builder, location);
  Recurrence loop{importer,
                  *block,
                  names(op.input("inputs")),
                  names(op.output("outputs")),
                  {},
                  {},
                  importer.boolAttribute("reverse", false),
                  importer.inputs("inputs"),
                  {}};
  for (const char *list : {"ex_states", "states"})
    for (std::string &name : importer.stringsAttribute(list))
      (list == llvm::StringRef("states") ? loop.states : loop.earlierStates).push_back(std::move(name));
  llvm::SmallVector<Value> initial = importer.inputs("initial_states");
  if (loop.sequences.size() != loop.inputs.size() || loop.sequences.empty())
    return program.report("expected a sequence in 'inputs'");
  if (initial.size() != loop.states.size() || loop.states.size() != loop.earlierStates.size())
    return program.report(
        "expected as many variables in 'initial_states' as in the attributes 'ex_states' and 'states'");
  for (Value sequence : loop.sequences)
    if (cast<RankedTensorType>(sequence.getType()).getRank() == 0)
      return program.report("an input has rank 0, expected a dimension of steps");
  if (!(loop.count = stepCount(importer, loop.sequences.front())))
    return;
  llvm::SmallVector<Value> inits{loop.number(0)}, yielded;
  llvm::append_range(inits, initial);
  for (size_t i = 0; i < loop.outputs.size(); ++i)
    inits.push_back(pd::ArrayCreateOp::create(program.builder, location));
  llvm::SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  Region body;
  if (importSteps(loop, body, yielded, types))
    finishRecurrent(loop, body, inits, yielded, types);
}

void ControlFlowImporter::finishRecurrent(Recurrence &loop, Region &body, llvm::SmallVectorImpl<Value> &inits,
                                          llvm::SmallVectorImpl<Value> &yielded, llvm::ArrayRef<Type> types) {
  OpImporter &importer = loop.importer;
  Location location = importer.getLocation();
  for (auto [init, type] : llvm::zip(inits, types))
    init = pd::widened(program.builder, location, init, type);
  auto whileOp = scf::WhileOp::create(program.builder, location, types, inits);
  {
    OpBuilder::InsertionGuard guard(program.builder);
    llvm::SmallVector<Location> locations(types.size(), location);
    Block *test = program.builder.createBlock(&whileOp.getBefore(), {}, types, locations);
    Value less = importer.build(
        [&](pd::TensorBuilder &e) { return e.wrap(test->getArgument(0)) < e.wrap(loop.count); });
    if (Value condition = less ? scalarCondition(less, location) : Value())
      scf::ConditionOp::create(program.builder, location, condition, test->getArguments());
    program.builder.setInsertionPointToEnd(&body.front());
    for (auto [value, type] : llvm::zip(yielded, types))
      value = pd::widened(program.builder, location, value, type);
    scf::YieldOp::create(program.builder, location, yielded);
    whileOp.getAfter().takeBody(body);
  }
  importer.runGuarded([&] {
    llvm::SmallVector<Value> outputs;
    for (Value array : whileOp.getResults().drop_front(1 + loop.states.size()))
      outputs.push_back(
          importer.createOp<pd::ArrayToTensorOp>(array, /*axis=*/0, /*use_stack=*/true)->getResult(0));
    importer.setOutputs("outputs", outputs);
  });
}

//===-- pylayer -----------------------------------------------------------------------------------------===//

void ControlFlowImporter::importLayerBlock(int32_t block, const legacy::Slot *results) {
  if (block <= 0 || static_cast<size_t>(block) >= program.legacyProgram.blocks.size() ||
      llvm::is_contained(openBlocks, block))
    return program.report("the op cannot run block " + llvm::Twine(block));
  Names written;
  for (const std::string &name : names(results))
    written.insert(name);
  // The backward block may read the variables of the forward block.
  BlockInputs inputs;
  int32_t forward = program.legacyProgram.blocks[static_cast<size_t>(block)].forwardBlock;
  if (auto found = layerVariables.find(forward); found != layerVariables.end())
    for (auto &variable : found->second)
      inputs.emplace_back(variable.first().str(), variable.second);
  importBlock(block, written, inputs);
  auto &left = layerVariables[block];
  left.clear();
  for (const legacy::Variable &variable : program.legacyProgram.blocks[static_cast<size_t>(block)].variables)
    if (Value value = program.lookup(variable.name)) {
      left[variable.name] = value;
      for (auto [i, level] : llvm::enumerate(program.lods.levels(variable.name)))
        left[lodName(variable.name, i)] = level;
    }
}

void ControlFlowImporter::importPyLayer(const legacy::Operation &op) {
  const legacy::Attribute *attribute = op.attribute("blocks");
  const auto *blocks = attribute ? std::get_if<legacy::BlockIndices>(&attribute->value) : nullptr;
  if (!blocks || blocks->indices.empty())
    return program.report("expected blocks in attribute 'blocks'");
  importLayerBlock(blocks->indices.front(), op.output("Out"));
}

void ControlFlowImporter::importPyLayerGradient(const legacy::Operation &op) {
  const legacy::Attribute *attribute = op.attribute("backward_block");
  const auto *block = attribute ? std::get_if<legacy::BlockIndex>(&attribute->value) : nullptr;
  if (!block)
    return program.report("expected a block in attribute 'backward_block'");
  importLayerBlock(block->index, op.output("Input@GRAD"));
}

} // namespace proa::import
