/// The interface of import hooks: a legacy op, the values of its inputs, and a builder. A hook imports an op
/// that the field `legacy` of its record (dialects/pd/ir/Base.td) cannot describe alone.
#pragma once

#include "translator/legacy/Program.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Enums.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <optional>
#include <string>

namespace proa::import {

class ProgramImporter;

/// Slots of a legacy op with the values of their variables, null for a variable without one.
using SlotValues = std::vector<std::pair<std::string, llvm::SmallVector<mlir::Value>>>;
/// Results of an op by output slot.
using SlotResults = std::map<std::string, llvm::SmallVector<mlir::Value>>;

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
  /// The slot or attribute of the legacy op, or null. All accessors below use these functions, which record
  /// the reads: reportUnread() refuses the rest.
  const legacy::Slot *inputSlot(llvm::StringRef name) const;
  const legacy::Slot *outputSlot(llvm::StringRef name) const;
  const legacy::Attribute *attribute(llvm::StringRef name) const;
  /// Whether Paddle 3 or a later one wrote the program: a few ops compute something else there.
  bool isOfPaddle3() const;
  mlir::OpBuilder &getBuilder() { return builder; }
  /// The pd op that the table names for this legacy op.
  llvm::StringRef target() const;
  template <class Op> bool targets() const { return target() == Op::getOperationName(); }
  mlir::Location getLocation() const { return location; }

  /// The tensor in an input slot; null if the slot is absent or empty. Reports an undefined variable.
  mlir::Value input(llvm::StringRef slot);
  /// The tensor or array that the variable in an output slot holds before this op; null if it has none.
  mlir::Value valueBefore(llvm::StringRef outputSlot) const;
  /// All tensors in an input slot.
  llvm::SmallVector<mlir::Value> inputs(llvm::StringRef slot);
  /// The tensors in a slot of the legacy op, without overrides. Does not count as reading the slot.
  llvm::SmallVector<mlir::Value> valuesOf(const legacy::Slot &slot);
  /// The value of a variable, or an empty array if it is a declared array that no op wrote. Null without a
  /// value.
  mlir::Value valueOrEmptyArray(const std::string &name);
  /// Whether the one variable in an input slot is declared as SELECTED_ROWS.
  bool isSelectedRows(llvm::StringRef slot) const;
  /// The tensor array in an input slot; null if there is none. The other functions accept only tensors,
  /// unless the op has an operand that is an array.
  mlir::Value array(llvm::StringRef slot);
  /// The tensor arrays in a list; empty if it has other elements.
  llvm::SmallVector<mlir::Value> arrays(llvm::StringRef slot);
  /// The input; null, and a report, if it is absent.
  mlir::Value requiredInput(llvm::StringRef slot);
  /// The tensor of an attribute that is a variable (attribute type VAR); several (VARS) are stacked to 1-D.
  mlir::Value variableOfAttribute(llvm::StringRef name);
  /// Tensors of one element each as one 1-D int64 tensor (ShapeTensorList and the like).
  mlir::Value stackScalars(llvm::ArrayRef<mlir::Value> values);

  /// The LoD levels of a tensor in an input slot, the outermost first; empty if it has none.
  llvm::SmallVector<mlir::Value> lod(llvm::StringRef slot, size_t index = 0);
  /// Whether the number of levels of an input depends on control flow; lod() reports such an input.
  bool hasAmbiguousLod(llvm::StringRef slot) const;
  /// The innermost level of each tensor in a slot. Reports a tensor without a LoD.
  llvm::SmallVector<mlir::Value> innermostLods(llvm::StringRef slot);
  /// Whether a value is a parameter before any op changes it.
  bool isParameter(mlir::Value value) const;
  /// The current value of the one variable in an output slot; null if it has none.
  mlir::Value output(llvm::StringRef slot);
  /// The LoD of the array that the variable in an output slot holds before this op.
  ArrayLod arrayLodBefore(llvm::StringRef outputSlot) const;
  /// The levels of an output depend on control flow.
  void setOutputLodAmbiguous(llvm::StringRef slot);
  /// Sets the LoD of a variable in an output slot, which must be defined.
  void setOutputLod(llvm::StringRef slot, llvm::ArrayRef<mlir::Value> levels, size_t index = 0);

  /// The rows that the one SELECTED_ROWS variable in an input slot has, as an int64 vector; null if they
  /// are unknown.
  mlir::Value rows(llvm::StringRef slot) const;
  void setOutputRows(llvm::StringRef slot, mlir::Value rows);
  /// Concatenates row indices, tensors of any shape, to one int64 vector; null without pieces.
  mlir::Value joinRows(llvm::ArrayRef<mlir::Value> pieces);
  /// `inside` in these rows, `outside` in the others; null, and a report, after an error.
  mlir::Value whereRows(mlir::Value rows, mlir::Value inside, mlir::Value outside);

  bool hasAttribute(llvm::StringRef name) const;
  /// Attributes as literals of any legacy kind, or as variables with constant elements; `otherwise` if
  /// absent. Reports another kind, and a variable that is not constant.
  int64_t intAttribute(llvm::StringRef name, int64_t otherwise);
  double floatAttribute(llvm::StringRef name, double otherwise);
  bool boolAttribute(llvm::StringRef name, bool otherwise);
  std::string stringAttribute(llvm::StringRef name, llvm::StringRef otherwise);
  llvm::SmallVector<int64_t> intsAttribute(llvm::StringRef name, llvm::ArrayRef<int64_t> otherwise = {});
  llvm::SmallVector<double> floatsAttribute(llvm::StringRef name, llvm::ArrayRef<double> otherwise = {});
  llvm::SmallVector<std::string> stringsAttribute(llvm::StringRef name);
  /// The enumerator of a keyword; none, and a report that lists the keywords, for an unknown one.
  template <class Enum> std::optional<Enum> enumAttribute(llvm::StringRef name, llvm::StringRef otherwise) {
    std::string keyword = stringAttribute(name, otherwise);
    std::optional<Enum> value = pd::symbolizeEnum<Enum>(keyword);
    if (!value)
      reportKeyword(name, keyword, [](uint32_t i) { return stringifyEnum(static_cast<Enum>(i)); });
    return value;
  }
  /// The element type of a dtype number (5 = float32); null, and a report, for an unknown one.
  mlir::Type typeAttribute(llvm::StringRef name, int64_t otherwise);

  /// Builds ops with inferred result types at the insertion point, with the location of the legacy op. An op
  /// whose result types cannot be inferred ends the hook (runGuarded).
  pd::TensorBuilder &tensors();
  pd::Expression wrap(mlir::Value value) { return tensors().wrap(value); }
  /// A constant vector in int64.
  pd::Expression integers(llvm::ArrayRef<int64_t> values) { return wrap(constantInts(values)); }
  /// Runs a function that builds ops; reports an op that cannot be built.
  void runGuarded(llvm::function_ref<void()> build);
  /// The value of a formula; null, and a report, if an op of it cannot be built.
  mlir::Value build(llvm::function_ref<mlir::Value(pd::TensorBuilder &)> formula);
  /// Builds an op with several results: createOp<pd::LstmOp>(x, weight, ...). As tensors().
  template <class Op, class... Args> Op createOp(Args &&...args) {
    tensors();
    return Op::create(builder, location, std::forward<Args>(args)...);
  }
  /// Creates the op that a table names, from one group of values for each of its operands (an empty group: an
  /// absent optional operand) and its attributes; result types are inferred. After an error, which is
  /// reported, the result is empty.
  llvm::SmallVector<mlir::Value> createByName(llvm::StringRef name,
                                              llvm::ArrayRef<llvm::SmallVector<mlir::Value>> operands,
                                              llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value constantInts(llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }

  /// Defines the variable(s) in an output slot. Does nothing if the slot is absent or the value null.
  void setOutput(llvm::StringRef slot, mlir::Value value);
  void setOutputs(llvm::StringRef slot, llvm::ArrayRef<mlir::Value> values);

  /// Reports an error of this op. The import continues, to find others, and fails at the end.
  void report(const llvm::Twine &message);
  /// The same, if static dims or values of the feeds may help.
  void reportOpen(const llvm::Twine &message);

  /// Imports the op by its table entry, for hooks that only adjust inputs or attributes.
  void importByTable();
  /// Reports inputs, attributes and outputs of the legacy op that neither its table entry names nor its
  /// hook has read. Dropping them silently could change results.
  void reportUnread();
  /// Replaces the values of a slot for `input(slot)` and importByTable.
  void overrideInput(llvm::StringRef slot, mlir::Value value);
  void overrideInputs(llvm::StringRef slot, llvm::ArrayRef<mlir::Value> values);
  /// Replaces a literal attribute, by its legacy name, for importByTable.
  void overrideAttribute(llvm::StringRef name, mlir::Attribute value);
  /// Adds an attribute to the pd op that importByTable creates.
  void addAttribute(llvm::StringRef name, mlir::Attribute value) {
    addedAttributes.push_back(named(name, value));
  }

private:
  friend class ProgramImporter;
  friend class ControlFlowImporter;
  friend class GradientImporter;
  void reportKeyword(llvm::StringRef name, llvm::StringRef keyword,
                     llvm::function_ref<llvm::StringRef(uint32_t)> keywordOf);
  /// The attribute that intAttribute and similar functions read; null if it is absent or an operand.
  const legacy::Attribute *literal(llvm::StringRef name);
  bool isOperand(llvm::StringRef attribute) const;
  /// Whether the number of LoD levels of a variable is known. Reports an ambiguous one.
  bool hasKnownLod(llvm::StringRef slot, llvm::StringRef variable);

  ProgramImporter &program;
  const legacy::Operation &op;
  mlir::OpBuilder &builder;
  mlir::Location location;
  const struct LegacyOp *entry = nullptr;
  bool takesArrays = false;
  /// Whether the hook has read previous values of outputs: the op then depends on more than its inputs.
  mutable bool dependsOnOutputs = false;
  /// The builder of tensors(), and the detached op that gives it its location.
  mlir::OwningOpRef<mlir::Operation *> anchor;
  std::optional<pd::TensorBuilder> tensorBuilder;
  /// Slots and attributes of `op` that were read.
  mutable llvm::SmallPtrSet<const void *, 8> asked;
  llvm::SmallVector<std::pair<std::string, llvm::SmallVector<mlir::Value>>> inputOverrides;
  llvm::SmallVector<std::pair<std::string, mlir::Attribute>> attributeOverrides;
  llvm::SmallVector<mlir::NamedAttribute> addedAttributes;
  /// Attributes given by variables, with their elements; no value if these are not constant.
  std::map<std::string, std::optional<legacy::Attribute>> resolved;
  /// Receives the outputs instead of their variables; null: the variables do.
  SlotResults *capturedOutputs = nullptr;
};

} // namespace proa::import
