//! Sparse gradients (SELECTED_ROWS). A variable of that kind is the dense tensor with zeros in its other
//! rows, and a second variable, "x@ROWS", the indices of its rows: an int64 vector with possible duplicates.
#include "translator/import/ProgramImporter.h"
#include "translator/import/hooks/TensorOps.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/index/ScatterOps.h"

using namespace mlir;

namespace proa::import {

Value ProgramImporter::rowsOf(llvm::StringRef name) const { return lookup((name + "@ROWS").str()); }

void ProgramImporter::setRows(llvm::StringRef name, Value rows) {
  if (rows)
    scope.set((name + "@ROWS").str(), rows);
  else
    scope.erase((name + "@ROWS").str());
}

bool ProgramImporter::isSelectedRows(llvm::StringRef name) const {
  const legacy::Variable *variable = variables.find(currentBlock, name);
  return variable && variable->kind == legacy::VariableKind::SelectedRows;
}

/// The rows that an op's inputs touch, by slot; an op that writes what it reads forgets them.
ProgramImporter::SlotValues ProgramImporter::inputRows(const legacy::Operation &op) const {
  auto isLookup = llvm::StringRef(op.type).starts_with("lookup_table") || op.type == "embedding_grad";
  SlotValues rows;
  for (const legacy::Slot &slot : op.inputs) {
    llvm::SmallVector<Value> values;
    for (const std::string &name : slot.arguments)
      values.push_back(!isLookup ? rowsOf(name) : slot.name == "Ids" ? lookup(name) : Value());
    rows.emplace_back(slot.name, std::move(values));
  }
  return rows;
}

/// The rows that the gradient of a lookup touches; those of what an op makes of sparse variables are theirs.
void ProgramImporter::shareRows(const legacy::Operation &op, const SlotValues &inputs) {
  OpImporter importer(*this, op, builder, locationOf(currentIndex, op));
  importer.runGuarded([&] { shareRows(importer, inputs); });
}

void ProgramImporter::shareRows(OpImporter &importer, const SlotValues &inputs) {
  llvm::SmallVector<Value> all;
  llvm::ArrayRef<Value> listed;
  for (const auto &[slot, values] : inputs) {
    llvm::copy_if(values, std::back_inserter(all), [](Value rows) { return rows != nullptr; });
    if (slot == "X")
      listed = values;
  }
  for (const legacy::Slot &slot : importer.legacyOp().outputs)
    for (auto [place, name] : llvm::enumerate(slot.arguments)) {
      if (!isSelectedRows(name) || !lookup(name) || rowsOf(name))
        continue;
      // An op on lists treats each variable by itself.
      bool isOfOne = slot.arguments.size() > 1 && place < listed.size();
      setRows(name, isOfOne ? listed[place] : importer.joinRows(all));
    }
}

Value OpImporter::joinRows(llvm::ArrayRef<Value> parts) {
  pd::TensorBuilder &e = tensors();
  llvm::SmallVector<Value> vectors;
  for (Value part : parts) {
    pd::Expression rows = e.cast(wrap(part), builder.getI64Type());
    vectors.push_back(rows.rank() == 1 ? rows : e.reshape(rows, {-1}));
  }
  if (vectors.size() < 2)
    return vectors.empty() ? Value() : vectors.front();
  return hooks::concat(e, vectors, 0);
}

Value OpImporter::rows(llvm::StringRef slot) const {
  const legacy::Slot *found = inputSlot(slot);
  return found && found->arguments.size() == 1 ? program.rowsOf(found->arguments.front()) : Value();
}

void OpImporter::setOutputRows(llvm::StringRef slot, Value rows) {
  const legacy::Slot *found = outputSlot(slot);
  if (found && found->arguments.size() == 1 && !capturedOutputs)
    program.setRows(found->arguments.front(), rows);
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
