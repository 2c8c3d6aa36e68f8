/// The export of one op by an entry of the legacy table. Export hooks see it as import hooks see OpImporter.
#pragma once

#include "translator/export/ExportOp.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace proa::exporter {

class OpExporter;
using ExportHook = void (*)(OpExporter &);

/// The hook of the mapping of an op to a legacy type (`exportHook` in dialects/pd/ir/Base.td), or null.
ExportHook findExportHook(mlir::Operation *op, llvm::StringRef legacyType);
/// Whether the condition of that mapping holds (`writtenIf`).
bool isExpressible(mlir::Operation *op, llvm::StringRef legacyType);

int32_t dtypeCode(mlir::Type elementType);
/// Positions in the range of int32: "to the end" is the greatest number of either width. Dynamic dims are -1.
std::vector<int64_t> clamped(llvm::ArrayRef<int64_t> values);
template <class To, class From> std::vector<To> vectorOf(const From &list) {
  return {list.begin(), list.end()};
}

using Groups = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;
/// The operands of an op in each input slot of an entry, in the record's order.
Groups operandGroups(mlir::Operation *op, const import::LegacyOp &entry);
/// The results in each output slot.
Groups resultGroups(mlir::Operation *op, const import::LegacyOp &entry);
/// The integers that a value always holds; nothing if the program computes them.
std::optional<std::vector<int32_t>> constantIntegers(mlir::Value value);

class OpExporter {
public:
  OpExporter(mlir::Operation *op, const import::LegacyOp &entry, Names &names)
      : op(op), entry(entry), names(names) {
    out.type = entry.type;
  }

  Result<legacy::Operation> run();

  // For hooks.

  /// Slots, attributes and constants as the table has them.
  void exportByTable();
  void exportInputs();
  void exportOutputs();
  void exportAttributes();
  mlir::Operation *getOp() const { return op; }
  template <class Op> Op get() const { return mlir::cast<Op>(op); }
  Names &getNames() { return names; }
  legacy::Operation &legacyOp() { return out; }
  /// The values in an input slot that exportByTable wrote.
  llvm::ArrayRef<mlir::Value> valuesIn(llvm::StringRef inputSlot) const;
  /// Adds or replaces a legacy attribute.
  void setAttribute(llvm::StringRef name, legacy::AttributeValue value);
  /// The slots of exportByTable take lists also for operands that are one tensor.
  void useLists() { usesLists = true; }
  /// The legacy op writes an output slot over the variables of an input slot. Slots "MeanOut" and "Mean" need
  /// no such call.
  void shareVariables(llvm::StringRef outputSlot, llvm::StringRef inputSlot) {
    shared[outputSlot] = inputSlot.str();
  }

private:
  bool addElements(const import::MappedSlot &slot, llvm::ArrayRef<mlir::Value> group);
  bool addLod(const import::MappedSlot &slot, llvm::ArrayRef<mlir::Value> offsets);
  bool addConstantAttribute(const import::MappedSlot &slot, llvm::ArrayRef<mlir::Value> group);
  std::string sharedVariable(llvm::StringRef outputSlot, size_t index);
  mlir::RankedTensorType scratchType();
  void addAttribute(const import::MappedAttribute &attribute);
  void addInteger(const import::MappedAttribute &attribute, int64_t value);

  mlir::Operation *op;
  const import::LegacyOp &entry;
  Names &names;
  legacy::Operation out;
  /// The values in each input slot.
  llvm::StringMap<llvm::SmallVector<mlir::Value>> tensors;
  /// The levels of the LoD of a slot that has several.
  llvm::SmallVector<mlir::Value> levels;
  /// Attributes that constant operands gave.
  llvm::StringSet<> constantAttributes;
  /// Input slots by the output slots that are written over them.
  llvm::StringMap<std::string> shared;
  bool usesLists = false;
  Diagnostics diagnostics;
};

} // namespace proa::exporter
