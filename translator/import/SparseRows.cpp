//! Sparse gradients (SELECTED_ROWS). A variable of that kind is the dense tensor that has zeros in its other
//! rows, and beside it, as the variable "x@ROWS", the numbers of the rows that it has: an int64 vector, in
//! which a row may stand twice.
#include "translator/import/ProgramImporter.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import {

Value ProgramImporter::rowsOf(llvm::StringRef name) const { return lookup((name + "@ROWS").str()); }

void ProgramImporter::setRows(llvm::StringRef name, Value rows) {
  if (rows)
    environment.set((name + "@ROWS").str(), rows);
  else
    environment.erase((name + "@ROWS").str());
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
  llvm::SmallVector<Value> all;
  llvm::ArrayRef<Value> listed;
  for (const auto &[slot, values] : inputs) {
    llvm::copy_if(values, std::back_inserter(all), [](Value rows) { return rows != nullptr; });
    if (slot == "X")
      listed = values;
  }
  for (const legacy::Slot &slot : op.outputs)
    for (auto [place, name] : llvm::enumerate(slot.arguments)) {
      if (!isSelectedRows(name) || !lookup(name) || rowsOf(name))
        continue;
      // An op on lists treats each variable by itself.
      bool isOfOne = slot.arguments.size() > 1 && place < listed.size();
      setRows(name, isOfOne ? listed[place] : importer.joinRows(all));
    }
}

Value OpImporter::joinRows(llvm::ArrayRef<Value> parts) {
  llvm::SmallVector<Value> vectors;
  for (Value part : parts) {
    Type int64Type = builder.getI64Type();
    if (cast<RankedTensorType>(part.getType()).getElementType() != int64Type)
      part = createOne("pd.cast", {{part}}, {named("dtype", TypeAttr::get(int64Type))});
    if (part && cast<RankedTensorType>(part.getType()).getRank() != 1)
      part = createOne("pd.reshape", {{part}, {}}, {named("shape", builder.getDenseI64ArrayAttr({-1}))});
    if (!part)
      return {};
    vectors.push_back(part);
  }
  if (vectors.size() < 2)
    return vectors.empty() ? Value() : vectors.front();
  return createOne("pd.concat", {vectors, {}}, {named("axis", builder.getI64IntegerAttr(0))});
}

Value OpImporter::rows(llvm::StringRef slot) const {
  const legacy::Slot *found = op.input(std::string_view(slot.data(), slot.size()));
  return found && found->arguments.size() == 1 ? program.rowsOf(found->arguments.front()) : Value();
}

void OpImporter::setOutputRows(llvm::StringRef slot, Value rows) {
  const legacy::Slot *found = op.output(std::string_view(slot.data(), slot.size()));
  if (found && found->arguments.size() == 1 && !capturedOutputs)
    program.setRows(found->arguments.front(), rows);
}

Value OpImporter::whereRows(Value rows, Value inside, Value outside) {
  auto type = cast<RankedTensorType>(outside.getType());
  auto number = [&](Value like, double value) {
    return createOne("pd.full_like", {{like}, {}},
                     {named("value", builder.getF64FloatAttr(value)),
                      named("dtype", TypeAttr::get(builder.getI64Type()))});
  };
  if (type.isDynamicDim(0)) {
    report("the parameter has an open number of rows");
    return {};
  }
  Value none = constantInts(llvm::SmallVector<int64_t>(static_cast<size_t>(type.getDimSize(0)), 0));
  Value ones = number(rows, 1);
  Value mask = ones ? createOne("pd.scatter", {{none}, {rows}, {ones}}) : Value();
  mask =
      mask ? createOne("pd.cast", {{mask}}, {named("dtype", TypeAttr::get(builder.getI1Type()))}) : Value();
  llvm::SmallVector<int64_t> shape(static_cast<size_t>(type.getRank()), 1);
  shape[0] = -1;
  mask = mask ? createOne("pd.reshape", {{mask}, {}}, {named("shape", builder.getDenseI64ArrayAttr(shape))})
              : Value();
  return mask ? createOne("pd.where", {{mask}, {inside}, {outside}}) : Value();
}

} // namespace proa::import
