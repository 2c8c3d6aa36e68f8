/// What an import hook of a legacy op sees: the legacy op, the values of its inputs, and a builder. Hooks
/// serve the ops that the table made of `legacy` fields (dialects/pd/ir/Base.td) can't describe.
#pragma once

#include "translator/legacy/Program.h"

#include "dialects/pd/builders/TensorBuilder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <optional>
#include <string>

namespace proa::import {

class ProgramImporter;

/// The LoD of a tensor array: for each level an array with the offsets of each element.
struct ArrayLod {
  llvm::SmallVector<mlir::Value> levels;
  bool isEmpty = false; ///< the array has no element yet
  bool isAmbiguous = false;
};

class OpImporter {
public:
  OpImporter(ProgramImporter &program, const legacy::Operation &op, mlir::OpBuilder &builder,
             mlir::Location location)
      : program(program), op(op), builder(builder), location(location) {}

  const legacy::Operation &legacyOp() const { return op; }
  /// The slot or attribute of the legacy op, or null. All accessors below go through these functions, which
  /// record what was asked for: reportUnread() refuses the rest.
  const legacy::Slot *inputSlot(llvm::StringRef name) const;
  const legacy::Slot *outputSlot(llvm::StringRef name) const;
  const legacy::Attribute *attribute(llvm::StringRef name) const;
  /// Whether Paddle 3 or a later one wrote the program: a few ops compute something else there.
  bool isOfPaddle3() const;
  mlir::OpBuilder &getBuilder() { return builder; }
  /// The pd op that the table names for this legacy op.
  llvm::StringRef target() const;
  mlir::Location getLocation() const { return location; }

  /// The tensor in an input slot; a null value where the slot is absent or empty. A name that nothing defines
  /// is reported.
  mlir::Value input(llvm::StringRef slot);
  /// The tensor or array that the variable in an output slot holds before this op; null where it has none.
  mlir::Value valueBefore(llvm::StringRef outputSlot) const;
  /// All tensors in an input slot.
  llvm::SmallVector<mlir::Value> inputs(llvm::StringRef slot);
  /// The tensors in a slot of the legacy op, without overrides. Does not count as reading the slot.
  llvm::SmallVector<mlir::Value> valuesOf(const legacy::Slot &slot);
  /// Whether the one variable in an input slot is declared as SELECTED_ROWS.
  bool isSelectedRows(llvm::StringRef slot) const;
  /// The tensor array in an input slot; null where there is none. The other functions take tensors alone,
  /// unless the op has an operand that is an array.
  mlir::Value array(llvm::StringRef slot);
  /// The tensor arrays in a list; empty where it holds anything else.
  llvm::SmallVector<mlir::Value> arrays(llvm::StringRef slot);
  /// The input, or a reported problem and a null value where it is absent.
  mlir::Value requiredInput(llvm::StringRef slot);
  /// The tensor that an attribute names instead of a literal (attribute types VAR and VARS), several stacked
  /// to 1-D.
  mlir::Value variableOfAttribute(llvm::StringRef name);
  /// Tensors of one element each as one 1-D int64 tensor (ShapeTensorList and the like).
  mlir::Value stackScalars(llvm::ArrayRef<mlir::Value> values);

  /// The LoD levels of a tensor in an input slot, the outermost first; empty where it has none.
  llvm::SmallVector<mlir::Value> lod(llvm::StringRef slot, size_t index = 0);
  /// Whether the number of levels of an input depends on control flow; lod() reports such an input.
  bool hasAmbiguousLod(llvm::StringRef slot) const;
  /// The innermost level of each tensor in a slot; one without a LoD is reported.
  llvm::SmallVector<mlir::Value> innermostLods(llvm::StringRef slot);
  /// Whether a value is a parameter as the program is given it.
  bool isParameter(mlir::Value value) const;
  /// The value that the one variable in an output slot has by now; null where it has none.
  mlir::Value output(llvm::StringRef slot);
  /// The LoD of the array that the variable in an output slot holds before this op.
  ArrayLod arrayLodBefore(llvm::StringRef outputSlot) const;
  /// The levels of an output depend on control flow.
  void setOutputLodAmbiguous(llvm::StringRef slot);
  /// Gives a variable in an output slot, which must have its value, a LoD.
  void setOutputLod(llvm::StringRef slot, llvm::ArrayRef<mlir::Value> levels, size_t index = 0);

  /// The rows that the one SELECTED_ROWS variable in an input slot has, as an int64 vector; null where that
  /// is not known.
  mlir::Value rows(llvm::StringRef slot) const;
  void setOutputRows(llvm::StringRef slot, mlir::Value rows);
  /// Numbers of rows, each a tensor of any shape, as one int64 vector; null where there are none.
  mlir::Value joinRows(llvm::ArrayRef<mlir::Value> parts);
  /// `inside` in these rows, `outside` in the others; null, and a report, where that failed.
  mlir::Value whereRows(mlir::Value rows, mlir::Value inside, mlir::Value outside);

  bool hasAttribute(llvm::StringRef name) const;
  /// Literal attributes, of whichever legacy kind holds them, and those given by a variable whose elements
  /// are known; `otherwise` where absent. A wrong kind is reported, and so is a variable that is not known.
  int64_t intAttribute(llvm::StringRef name, int64_t otherwise);
  double floatAttribute(llvm::StringRef name, double otherwise);
  bool boolAttribute(llvm::StringRef name, bool otherwise);
  std::string stringAttribute(llvm::StringRef name, llvm::StringRef otherwise);
  llvm::SmallVector<int64_t> intsAttribute(llvm::StringRef name, llvm::ArrayRef<int64_t> otherwise = {});
  llvm::SmallVector<double> floatsAttribute(llvm::StringRef name, llvm::ArrayRef<double> otherwise = {});
  llvm::SmallVector<std::string> stringsAttribute(llvm::StringRef name);
  /// The element type of a dtype number (5 = float32); null, and a report, where there is none.
  mlir::Type typeAttribute(llvm::StringRef name, int64_t otherwise);

  /// Builds ops with inferred result types at the insertion point, with the location of the legacy op. An op
  /// whose result types cannot be inferred ends the hook (runGuarded).
  pd::TensorBuilder &tensors();
  pd::Expression wrap(mlir::Value value) { return tensors().wrap(value); }
  /// A constant vector in int64.
  pd::Expression integers(llvm::ArrayRef<int64_t> values) { return wrap(constantInts(values)); }
  /// Runs a function that builds ops; reports an op that cannot be built.
  void runGuarded(llvm::function_ref<void()> build);
  /// Makes an op of the pd dialect from one group of values for each of its operands (an empty group: an
  /// absent optional operand) and its attributes; result types are inferred. A failed inference is reported,
  /// and the result is empty.
  llvm::SmallVector<mlir::Value> create(llvm::StringRef name,
                                        llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands,
                                        llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// The same for ops with one result; null where it failed.
  mlir::Value createOne(llvm::StringRef name, llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value constantInts(llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }

  /// Defines the variable(s) in an output slot. Nothing happens where the slot is absent or the value null.
  void setOutput(llvm::StringRef slot, mlir::Value value);
  void setOutputs(llvm::StringRef slot, llvm::ArrayRef<mlir::Value> values);

  /// Reports a problem of this op; the import goes on to find others and fails in the end.
  void report(const llvm::Twine &message);
  /// The same, where feeds of known dims or elements may help.
  void reportOpen(const llvm::Twine &message);

  /// Imports the op as the table says, as if it had no hook; for hooks that only adjust something.
  void importByTable();
  /// Reports inputs, attributes and outputs of the legacy op that its table entry does not name and its hook
  /// did not ask for. Dropping them silently could change results.
  void reportUnread();
  /// Replaces what `input(slot)` and importByTable see in a slot.
  void overrideInput(llvm::StringRef slot, mlir::Value value);
  void overrideInputs(llvm::StringRef slot, llvm::ArrayRef<mlir::Value> values);
  /// Replaces a literal attribute, by its legacy name, in what importByTable sees.
  void overrideAttribute(llvm::StringRef name, mlir::Attribute value);
  /// Adds an attribute of the pd op that no legacy attribute gives to what importByTable makes.
  void addAttribute(llvm::StringRef name, mlir::Attribute value) {
    addedAttributes.push_back(named(name, value));
  }

private:
  friend class ProgramImporter;
  friend class ControlFlowImporter;
  /// What intAttribute and its like read; null where the attribute is absent or an operand.
  const legacy::Attribute *literal(llvm::StringRef name);
  bool isOperand(llvm::StringRef attribute) const;
  /// Whether the number of LoD levels of a variable is known; else it is reported.
  bool hasKnownLod(llvm::StringRef slot, llvm::StringRef variable);

  ProgramImporter &program;
  const legacy::Operation &op;
  mlir::OpBuilder &builder;
  mlir::Location location;
  const struct LegacyOp *entry = nullptr;
  bool takesArrays = false;
  /// Whether what variables of output slots held was asked for: the op is then more than its inputs tell.
  mutable bool dependsOnOutputs = false;
  /// What `tensors()` returns, and the detached op that gives it its location.
  mlir::OwningOpRef<mlir::Operation *> anchor;
  std::optional<pd::TensorBuilder> tensorBuilder;
  /// Slots and attributes of `op` that were asked for.
  mutable llvm::SmallPtrSet<const void *, 8> asked;
  llvm::SmallVector<std::pair<std::string, llvm::SmallVector<mlir::Value>>> inputOverrides;
  llvm::SmallVector<std::pair<std::string, mlir::Attribute>> attributeOverrides;
  llvm::SmallVector<mlir::NamedAttribute> addedAttributes;
  /// Attributes given by variables, with the elements of those; without a value where they are not known.
  std::map<std::string, std::optional<legacy::Attribute>> resolved;
  /// Where outputs go instead of the variables' names, by slot; null: to the names.
  std::map<std::string, llvm::SmallVector<mlir::Value>> *capturedOutputs = nullptr;
};

} // namespace proa::import
