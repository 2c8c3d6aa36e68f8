#include "translator/import/legacy/SparseRows.h"

#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/ProgramImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/index/ScatterOps.h"

using namespace mlir;

namespace proa::import {

void SparseRows::scan(const legacy::Program &source) {
  for (const legacy::Block &block : source.blocks)
    hasVariables |= llvm::any_of(block.variables, [](const legacy::Variable &variable) {
      return variable.kind == legacy::VariableKind::SelectedRows;
    });
}

Value SparseRows::rowsOf(llvm::StringRef name) const { return program.lookup((name + "@ROWS").str()); }

void SparseRows::set(llvm::StringRef name, Value rows) {
  if (rows)
    program.scope.set((name + "@ROWS").str(), rows);
  else
    program.scope.erase((name + "@ROWS").str());
}

bool SparseRows::isSparse(llvm::StringRef name) const {
  const legacy::Variable *variable = program.variables.find(program.currentBlock, name);
  return variable && variable->kind == legacy::VariableKind::SelectedRows;
}

SlotValues SparseRows::inputRows(const legacy::Operation &op) const {
  auto isLookup = llvm::StringRef(op.type).starts_with("lookup_table") || op.type == "embedding_grad";
  SlotValues rows;
  for (const legacy::Slot &slot : op.inputs) {
    llvm::SmallVector<Value> values;
    for (const std::string &name : slot.arguments)
      values.push_back(!isLookup ? rowsOf(name) : slot.name == "Ids" ? program.lookup(name) : Value());
    rows.emplace_back(slot.name, std::move(values));
  }
  return rows;
}

void SparseRows::share(const legacy::Operation &op, const SlotValues &inputs) {
  OpImporter importer = program.importerOfCurrentOp();
  importer.runGuarded([&] { share(importer, inputs); });
}

void SparseRows::share(OpImporter &importer, const SlotValues &inputs) {
  llvm::SmallVector<Value> all;
  llvm::ArrayRef<Value> listed;
  for (const auto &[slot, values] : inputs) {
    llvm::copy_if(values, std::back_inserter(all), [](Value rows) { return rows != nullptr; });
    if (slot == "X")
      listed = values;
  }
  for (const legacy::Slot &slot : importer.legacyOp().outputs)
    for (auto [position, name] : llvm::enumerate(slot.arguments)) {
      if (!isSparse(name) || !program.lookup(name) || rowsOf(name))
        continue;
      // An op on lists treats each variable by itself.
      bool isOfOne = slot.arguments.size() > 1 && position < listed.size();
      set(name, isOfOne ? listed[position] : importer.joinRows(all));
    }
}

Value OpImporter::joinRows(llvm::ArrayRef<Value> pieces) {
  pd::TensorBuilder &e = tensors();
  llvm::SmallVector<Value> vectors;
  for (Value piece : pieces) {
    pd::Expression rows = e.cast(wrap(piece), builder.getI64Type());
    vectors.push_back(rows.rank() == 1 ? rows : e.reshape(rows, {-1}));
  }
  if (vectors.size() < 2)
    return vectors.empty() ? Value() : vectors.front();
  return hooks::concat(e, vectors, 0);
}

Value OpImporter::rows(llvm::StringRef slot) const {
  const legacy::Slot *found = inputSlot(slot);
  return found && found->arguments.size() == 1 ? program.sparseRows.rowsOf(found->arguments.front())
                                               : Value();
}

void OpImporter::setOutputRows(llvm::StringRef slot, Value rows) {
  const legacy::Slot *found = outputSlot(slot);
  if (found && found->arguments.size() == 1 && !capturedOutputs)
    program.sparseRows.set(found->arguments.front(), rows);
}

Value OpImporter::whereRows(Value rows, Value inside, Value outside) {
  auto type = cast<RankedTensorType>(outside.getType());
  if (type.isDynamicDim(0)) {
    report("the parameter has a dynamic number of rows");
    return {};
  }
  pd::TensorBuilder &e = tensors();
  pd::Expression none = integers(llvm::SmallVector<int64_t>(static_cast<size_t>(type.getDimSize(0)), 0));
  pd::Expression ones = hooks::fullLike(wrap(rows), 1, builder.getI64Type());
  pd::Expression mask = e.cast(hooks::apply<pd::ScatterOp>(none, rows, ones), builder.getI1Type());
  llvm::SmallVector<int64_t> shape(static_cast<size_t>(type.getRank()), 1);
  shape[0] = -1;
  return e.select(e.reshape(mask, shape), wrap(inside), wrap(outside));
}

} // namespace proa::import
