//! scf.if as two conditional_blocks and a select_input for each result, as Paddle's `cond` writes it;
//! scf.while as `while`, whose block changes the variables that the loop carries.
#include "translator/export/ProgramExporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace proa::exporter {
namespace {

legacy::Operation simpleOp(const char *type, std::vector<std::string> x, std::string out) {
  legacy::Operation op;
  op.type = type;
  op.inputs.push_back({"X", std::move(x)});
  op.outputs.push_back({"Out", {std::move(out)}});
  return op;
}

} // namespace

int32_t ProgramExporter::addBlock(llvm::function_ref<void()> body) {
  auto index = static_cast<int32_t>(program.blocks.size());
  program.blocks.emplace_back();
  program.blocks.back().index = index;
  program.blocks.back().parent = currentBlock;
  int32_t outer = std::exchange(currentBlock, index);
  body();
  currentBlock = outer;
  return index;
}

std::vector<std::string> ProgramExporter::readFromOutside(int32_t index,
                                                          llvm::ArrayRef<std::string> written) {
  const legacy::Block &inner = program.blocks[static_cast<size_t>(index)];
  llvm::StringSet<> own;
  for (const legacy::Variable &variable : inner.variables)
    own.insert(variable.name);
  std::vector<std::string> read;
  for (const legacy::Operation &op : inner.operations)
    for (const legacy::Slot &slot : op.inputs)
      for (const std::string &name : slot.arguments)
        if (!own.contains(name) && !llvm::is_contained(written, name) && !llvm::is_contained(read, name))
          read.push_back(name);
  return read;
}

std::string ProgramExporter::scopes() {
  legacy::Variable variable;
  variable.name = freshName();
  variable.kind = legacy::VariableKind::StepScopes;
  block().variables.push_back(variable);
  return variable.name;
}

std::string ProgramExporter::variableFor(Value like) {
  std::string name = freshName(isa<pd::ArrayType>(like.getType()));
  declare(like, name);
  return name;
}

void ProgramExporter::addConditionalBlock(const std::string &condition, int32_t index,
                                          llvm::ArrayRef<std::string> written) {
  legacy::Operation op;
  op.type = "conditional_block";
  op.inputs = {{"Cond", {condition}}, {"Input", readFromOutside(index, written)}};
  op.outputs = {{"Out", written}, {"Scope", {scopes()}}};
  op.attributes = {{"sub_block", legacy::BlockIndex{index}},
                   {"is_scalar_condition", true},
                   {"skip_eager_deletion_vars", std::vector<std::string>()}};
  write(std::move(op));
}

void ProgramExporter::addIf(scf::IfOp op) {
  std::string condition = of(op.getCondition());
  Value holder = op.getCondition();
  if (Operation *extract = holder.getDefiningOp())
    holder = extract->getOperand(0);
  std::string negation = variableFor(holder), mask = freshName();
  std::vector<std::string> written[2];
  Region *regions[2] = {&op.getThenRegion(), &op.getElseRegion()};
  for (size_t region : {0, 1}) {
    for (Value result : op.getResults())
      written[region].push_back(variableFor(result));
    if (regions[region]->empty())
      continue;
    int32_t index = addBlock([&] {
      addOps(regions[region]->front());
      for (auto [value, name] :
           llvm::zip(regions[region]->front().getTerminator()->getOperands(), written[region]))
        write(assign(of(value), name));
    });
    if (region == 1)
      write(simpleOp("logical_not", {condition}, negation));
    addConditionalBlock(region == 0 ? condition : negation, index, written[region]);
  }
  if (op.getNumResults() == 0)
    return;
  legacy::Variable number;
  number.name = mask;
  number.dtype = DType::Int32;
  for (int64_t dim : cast<RankedTensorType>(holder.getType()).getShape())
    number.dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  block().variables.push_back(number);
  legacy::Operation cast = simpleOp("cast", {condition}, mask);
  cast.attributes = {{"in_dtype", legacy::numberOf(DType::Bool)},
                     {"out_dtype", legacy::numberOf(DType::Int32)}};
  write(std::move(cast));
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    declare(result, of(result));
    legacy::Operation select = simpleOp("select_input", {written[1][i], written[0][i]}, of(result));
    select.inputs.push_back({"Mask", {mask}});
    write(std::move(select));
  }
}

/// In another block than the main one a variable has the elements of the iteration before.
bool ProgramExporter::isEmptyArray(Value value) const {
  while (auto cast = value.getDefiningOp<pd::ArrayCastOp>())
    value = cast.getArray();
  return currentBlock == 0 && value.getDefiningOp<pd::ArrayCreateOp>();
}

ProgramExporter::LoopVariables ProgramExporter::loopVariables(scf::WhileOp op) {
  LoopVariables variables;
  scf::ConditionOp test = op.getConditionOp();
  for (auto [argument, init] : llvm::zip(op.getBeforeArguments(), op.getInits())) {
    variables.begins.push_back(variableFor(argument));
    if (!isEmptyArray(init))
      write(assign(of(init), variables.begins.back()));
    names[argument] = variables.begins.back();
  }
  Value holder = test.getCondition();
  if (Operation *extract = holder.getDefiningOp(); extract && isa<IntegerType>(holder.getType()))
    holder = extract->getOperand(0);
  variables.condition = variableFor(holder);
  for (auto [value, result] : llvm::zip(test.getArgs(), op.getResults())) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isBeginning = argument && argument.getOwner() == op.getBeforeBody();
    variables.given.push_back(isBeginning ? variables.begins[argument.getArgNumber()] : variableFor(result));
  }
  return variables;
}

void ProgramExporter::addLoopTest(scf::WhileOp op, const LoopVariables &variables) {
  scf::ConditionOp test = op.getConditionOp();
  // Each time its ops stand somewhere else, and their results need variables of that block.
  op.getBeforeBody()->walk([&](Operation *inner) {
    for (Value result : inner->getResults())
      names.erase(result);
  });
  addOps(*op.getBeforeBody());
  if (of(test.getCondition()) != variables.condition)
    write(assign(of(test.getCondition()), variables.condition));
  for (auto [value, name] : llvm::zip(test.getArgs(), variables.given))
    if (of(value) != name)
      write(assign(of(value), name));
}

void ProgramExporter::addIteration(scf::WhileOp op, const LoopVariables &variables) {
  addOps(*op.getAfterBody());
  // The new value of a variable may be the previous value of another one.
  std::vector<std::string> results;
  for (auto [value, name] : llvm::zip(op.getYieldOp().getOperands(), variables.begins)) {
    std::string result = of(value);
    bool changes = result != name && llvm::is_contained(variables.begins, result);
    results.push_back(changes ? variableFor(value) : result);
    if (changes)
      write(assign(result, results.back()));
  }
  for (auto [result, name] : llvm::zip(results, variables.begins))
    if (result != name)
      write(assign(result, name));
  addLoopTest(op, variables);
}

void ProgramExporter::addWhile(scf::WhileOp op) {
  LoopVariables variables = loopVariables(op);
  addLoopTest(op, variables);
  for (auto [argument, result, name] : llvm::zip(op.getAfterArguments(), op.getResults(), variables.given)) {
    names[argument] = name;
    names[result] = name;
  }
  int32_t index = addBlock([&] { addIteration(op, variables); });
  std::vector<std::string> written = variables.begins;
  for (const std::string &name : variables.given)
    if (!llvm::is_contained(written, name))
      written.push_back(name);
  std::vector<std::string> read = readFromOutside(index, {});
  for (const std::string &name : written)
    if (!llvm::is_contained(read, name))
      read.push_back(name);
  llvm::erase(read, variables.condition);
  written.push_back(variables.condition);
  legacy::Operation out;
  out.type = "while";
  out.inputs = {{"X", read}, {"Condition", {variables.condition}}};
  out.outputs = {{"Out", written}, {"StepScopes", {scopes()}}};
  out.attributes = {{"sub_block", legacy::BlockIndex{index}},
                    {"is_test", false},
                    {"skip_eager_deletion_vars", std::vector<std::string>()}};
  write(std::move(out));
}

} // namespace proa::exporter
