//! Loops and conditions of the new IR.
#include "translator/import/newir/ModelImporter.h"

#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "translator/import/common/UndefinedValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace proa::import {

Value ModelImporter::condition(Value tensor) {
  Value scalar =
      buildFormula(builder, location(), [&](pd::TensorBuilder &e) { return e.reshape(e.wrap(tensor), {}); });
  return scalar ? tensor::ExtractOp::create(builder, location(), scalar).getResult() : Value();
}

ModelImporter::Values ModelImporter::importBlock(const newir::Block &block) {
  Values yielded;
  const newir::Operation *outer = current;
  for (const newir::Operation &op : block.operations) {
    if (op.name != "2.yield") {
      importOp(op);
      continue;
    }
    current = &op;
    for (int64_t id : op.inputs)
      llvm::append_range(yielded, operand(id));
  }
  current = outer;
  return yielded;
}

Value ModelImporter::castTo(Value value, Type type) {
  if (isa<pd::ArrayType>(type))
    return pd::widened(builder, location(), value, type);
  auto from = dyn_cast<RankedTensorType>(value.getType()), to = dyn_cast<RankedTensorType>(type);
  if (from && to && failed(verifyCompatibleShape(from, to))) {
    // A variable of Python's without a value is a number, whatever type it gets in the loop.
    if (from.getRank() == 0 && from.getElementType() == to.getElementType() &&
        value.getDefiningOp<pd::FullOp>())
      return pd::widened(builder, location(), createPlaceholder(builder, location(), type), type);
    std::string text;
    llvm::raw_string_ostream(text) << "a value of type " << from << " cannot become one of type " << to;
    report(text);
    return value;
  }
  return value.getType() == type ? value : Value(tensor::CastOp::create(builder, location(), type, value));
}

void ModelImporter::importWhile(const newir::Operation &op) {
  if (op.inputs.empty() || op.regions.size() != 1 || op.regions[0].size() != 1 ||
      op.regions[0][0].arguments.size() + 1 != op.inputs.size())
    return report("expected one block with an argument for each operand after the condition");
  const newir::Block &block = op.regions[0][0];
  Values inits;
  llvm::SmallVector<Type> types;
  for (int64_t id : op.inputs)
    llvm::append_range(inits, operand(id));
  if (inits.size() != op.inputs.size() || isBlocked)
    return;
  types.push_back(inits[0].getType());
  for (const newir::Definition &argument : block.arguments) {
    bool isArray = argument.type.kind == newir::Type::Kind::Array;
    types.push_back(isArray ? arrayTypeOf(argument.type) : Type(tensorTypeOf(argument.type)));
    if (isArray)
      arrays[argument.id] = argument.id;
  }
  std::set<int64_t> written;
  findWritten(block, written);
  for (int64_t id : written) {
    llvm::append_range(inits, operand(id));
    types.push_back(writtenType(id));
  }
  for (auto [init, type] : llvm::zip(inits, types))
    init = castTo(init, type);
  auto loop = scf::WhileOp::create(builder, location(), types, inits);
  OpBuilder::InsertionGuard guard(builder);
  llvm::SmallVector<Location> locations(types.size(), location());
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  if (Value test = condition(before->getArgument(0)))
    scf::ConditionOp::create(builder, location(), test, before->getArguments());
  Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  for (auto [argument, value] : llvm::zip(block.arguments, after->getArguments().drop_front()))
    values[argument.id] = {value};
  size_t firstWritten = types.size() - written.size();
  for (auto [id, value] : llvm::zip(written, after->getArguments().drop_front(firstWritten)))
    values[id] = {value};
  size_t known = diagnostics.size();
  llvm::SaveAndRestore scope(carried);
  carried.insert(written.begin(), written.end());
  Values yielded = importBlock(block);
  for (int64_t id : written)
    llvm::append_range(yielded, operand(id));
  // The errors in the body are reported; the loop has no terminator and is never used.
  if (diagnostics.size() != known)
    return;
  if (!yieldAs("the block", types, std::move(yielded)))
    return;
  builder.setInsertionPointAfter(loop);
  defineLoopResults(op, loop.getResults(), written);
}

bool ModelImporter::yieldAs(const char *what, TypeRange types, Values yielded) {
  if (yielded.size() != types.size()) {
    report(what + llvm::Twine(" yields ") + llvm::Twine(yielded.size()) + " values, expected " +
           llvm::Twine(types.size()));
    return false;
  }
  for (auto [value, type] : llvm::zip(yielded, types))
    value = castTo(value, type);
  scf::YieldOp::create(builder, location(), yielded);
  return true;
}

void ModelImporter::defineLoopResults(const newir::Operation &op, ValueRange results,
                                      const std::set<int64_t> &written) {
  for (size_t i = 0; i < op.outputs.size(); ++i)
    define(op, i, {results[i + 1]});
  defineWritten(written, results.take_back(written.size()));
  // An array that the loop carries is the one from before it, changed.
  for (auto [i, output] : llvm::enumerate(op.outputs))
    if (i + 1 < op.inputs.size() && output.type.kind == newir::Type::Kind::Array) {
      int64_t array = arrays[output.id] = arrayOf(op.inputs[i + 1]);
      values[array] = {results[i + 1]};
      arrayTypes[array] = results[i + 1].getType();
    }
}

void ModelImporter::importIf(const newir::Operation &op) {
  Values given = op.inputs.size() == 1 ? operand(op.inputs[0]) : Values();
  Value test = given.size() == 1 ? condition(given[0]) : Value();
  if (isBlocked)
    return;
  if (!test || op.regions.size() != 2 || op.regions[0].size() != 1 || op.regions[1].size() != 1)
    return report("expected a condition and two regions of one block");
  llvm::SmallVector<Type> types;
  for (const newir::Definition &output : op.outputs)
    types.push_back(output.type.kind == newir::Type::Kind::Array ? arrayTypeOf(output.type)
                                                                 : Type(tensorTypeOf(output.type)));
  std::set<int64_t> written;
  for (const std::vector<newir::Block> &region : op.regions)
    findWritten(region[0], written);
  std::vector<Values> outside;
  for (int64_t id : written) {
    types.push_back(writtenType(id));
    outside.push_back(values[id]);
  }
  llvm::SaveAndRestore scope(carried);
  carried.insert(written.begin(), written.end());
  auto branch = scf::IfOp::create(builder, location(), types, test, /*withElseRegion=*/true);
  for (int side = 0; side < 2; ++side) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&(side == 0 ? branch.getThenRegion() : branch.getElseRegion()).front());
    size_t before = diagnostics.size();
    Values yielded = importBlock(op.regions[side][0]);
    for (auto [id, value] : llvm::zip(written, outside)) {
      llvm::append_range(yielded, values[id]);
      values[id] = value;
    }
    if (diagnostics.size() != before)
      return;
    if (!yieldAs("a branch", types, std::move(yielded)))
      return;
  }
  for (size_t i = 0; i < op.outputs.size(); ++i)
    define(op, i, {branch.getResult(i)});
  defineWritten(written, branch.getResults().drop_front(op.outputs.size()));
  defineBranchArrays(op, branch.getResults());
}

void ModelImporter::defineBranchArrays(const newir::Operation &op, ValueRange results) {
  auto yielded = [&](size_t side, size_t result) {
    llvm::ArrayRef<int64_t> ids = op.regions[side][0].operations.back().inputs;
    return result < ids.size() ? arrayOf(ids[result]) : op.outputs[result].id;
  };
  for (auto [i, output] : llvm::enumerate(op.outputs)) {
    if (output.type.kind != newir::Type::Kind::Array)
      continue;
    int64_t array = yielded(0, i) == yielded(1, i) ? yielded(0, i) : output.id;
    arrays[output.id] = array;
    values[array] = {results[i]};
    arrayTypes[array] = results[i].getType();
  }
}

} // namespace proa::import
