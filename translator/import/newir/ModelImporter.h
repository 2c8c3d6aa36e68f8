/// The import of a model of the new IR: the function under construction, and the values of the ids of the
/// file.
#pragma once

#include "translator/import/common/CreateOp.h"
#include "translator/import/newir/GradientTable.h"
#include "translator/import/newir/NewIrImporter.h"
#include "translator/import/newir/NewIrTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringMap.h"

#include <limits>
#include <map>
#include <optional>
#include <set>

namespace proa::import {

class ModelImporter {
public:
  ModelImporter(mlir::MLIRContext &context, const newir::Model &model, const ImportOptions &options);

  Result<mlir::OwningOpRef<mlir::ModuleOp>> run();
  Result<Interface> declaredInterface();
  static bool hasHandler(llvm::StringRef name) { return handlers().contains(name); }

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// The import of an op that no record describes. It reads `attributes`; other attributes are refused,
  /// unless the table of records lists them.
  struct Handler {
    void (ModelImporter::*run)(const newir::Operation &);
    std::vector<llvm::StringRef> attributes;
    bool isByTable = false;
  };
  static Handler byTable(void (ModelImporter::*run)(const newir::Operation &)) { return {run, {}, true}; }

  // The interface (Interface.cpp).

  void makeFunction();
  /// The fed values among the results of an op take the place of what it computes.
  void replaceFed(const newir::Operation &op);
  void finishFunction();
  /// The fetches in their order, with their names.
  std::vector<std::pair<std::string, mlir::Value>> chooseFetches();
  /// Adds values for ImportOptions::fetchesAll.
  void addComputedValues(std::vector<std::pair<std::string, mlir::Value>> &chosen);
  /// The fetches of a model without fetch ops, with a warning.
  std::vector<std::pair<std::string, mlir::Value>> unreadResults();
  /// A fetch, feed or parameter of the model, or a value by its id, "%12"; else null.
  mlir::Value valueNamed(const std::string &name);
  void refuseName(const char *kind, const std::string &name);
  /// A subgraph of the model does not change state, with a warning.
  void dropStates();
  /// Erases the ops whose results no fetch needs. Error: a fetch needs a feed that is not among the named
  /// ones.
  void eraseUnneeded();
  bool isAskedFor(mlir::BlockArgument argument);

  // Functions for all ops.

  mlir::RankedTensorType tensorTypeOf(const newir::Type &type) const;
  /// Ops that no record describes.
  static const llvm::StringMap<Handler> &handlers();
  void importByHandler(const newir::Operation &op, const Handler &handler);
  void importNothing(const newir::Operation &) {}
  void importOp(const newir::Operation &op);
  void importFetch(const newir::Operation &op);
  void importCombine(const newir::Operation &op);
  /// Elements of a list: all of them, or the one that the attribute names.
  void importElements(const newir::Operation &op);
  void importIntegers(const newir::Operation &op);
  void importValues(const newir::Operation &op);
  void importWideShape(const newir::Operation &op);
  /// The value of a formula; null, and a report, after an error. Null if the current op is blocked.
  mlir::Value build(llvm::function_ref<mlir::Value(pd::TensorBuilder &)> formula);
  mlir::Value castElements(mlir::Value value, mlir::Type element);
  /// A constant vector in int64.
  mlir::Value integers(llvm::ArrayRef<int64_t> values);
  /// The literal values as a tensor of an element type.
  mlir::Value literalValues(const newir::Operation &op, mlir::Type element);
  Values operand(int64_t id);
  void define(const newir::Operation &op, size_t output, Values value);
  std::string text(const newir::Operation &op, const char *name);
  int64_t integer(const newir::Operation &op, const char *name, int64_t otherwise);
  mlir::Attribute typeAttribute(llvm::StringRef name);
  mlir::Type elementType(const newir::Operation &op, const char *name);
  mlir::Location location();
  void report(const llvm::Twine &message);

  // Ops that a record describes (TableImport.cpp).

  /// `implied`: attributes that are not in the file.
  void importByTable(const newir::Operation &op, llvm::ArrayRef<mlir::NamedAttribute> implied = {});
  void collectOperands(const newir::Operation &op, const NewIrOp &entry,
                       std::map<llvm::StringRef, Values> &operands,
                       llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  /// An operand that must be constant, as the attribute that it is here.
  mlir::Attribute constantAttribute(const MappedAttribute &attribute, mlir::Value value);
  void collectAttributes(const newir::Operation &op, const NewIrOp &entry,
                         llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  /// Of an attribute that the record lacks: whether it says that all axes are reduced. Reports a value that
  /// the table does not allow.
  bool reducesAllAxes(const newir::Attribute &given, const NewIrOp &entry);
  mlir::Attribute convert(const MappedAttribute &attribute, const newir::Literal &literal);
  void defineResults(const newir::Operation &op, const NewIrOp &entry, mlir::Operation *created);
  /// Integers are as wide as the file says: later versions of some ops give others.
  Values withDeclaredWidth(const newir::Type &declared, Values values);
  /// Removes the dims of size 1 that an attribute of slices lists.
  void dropDims(const newir::Operation &op);

  // Gradient ops (Gradient.cpp).

  struct GradientImport;
  void importGradient(const newir::Operation &op, const NewIrGradient &entry);
  const newir::Operation *makerOf(int64_t id, llvm::StringRef name) const;
  bool isForwardOf(const newir::Operation &candidate, const newir::Operation &op,
                   const NewIrGradient &entry) const;
  const newir::Operation *forwardOf(const newir::Operation &op, const NewIrGradient &entry) const;
  void collectForward(GradientImport &gradient);
  void importForward(GradientImport &gradient, mlir::Block &body);
  void collectCotangents(GradientImport &gradient, const std::optional<std::set<size_t>> &differentiatedBy);

  // State (State.cpp).

  /// Gives the operands that an op changes in place their new values. Persistable variables keep them after
  /// the run.
  void updateStates(const newir::Operation &op);
  void importSetParameter(const newir::Operation &op);
  /// The persistable variables that ops of a list and of their blocks change in place. `variables`: by id.
  static void findChanged(const std::vector<newir::Operation> &operations,
                          std::map<int64_t, std::string> &variables, std::set<std::string> &changed);

  // Tensor arrays (Arrays.cpp).

  /// An array of the file is one object, which writes change, also in inner blocks. All its ids map to the id
  /// of the op that creates it, and that id to the latest value.
  int64_t arrayOf(int64_t id) const;
  void importCreateArray(const newir::Operation &op);
  /// The declared rank and element type. Only the first element has the declared dims.
  mlir::Type arrayTypeOf(const newir::Type &type);
  void importArrayWrite(const newir::Operation &op);
  /// One element of an array, or those between two bounds.
  void importArraySlice(const newir::Operation &op);
  /// Removes the element with the index `index` from an array.
  void importArrayPop(const newir::Operation &op);
  /// The arrays and tensors from outside of a block that its ops change in place. Control flow carries them.
  void findWritten(const newir::Block &block, std::set<int64_t> &written) const;
  /// The type in which control flow carries one of them.
  mlir::Type writtenType(int64_t id);
  /// Defines their values after the control flow.
  void defineWritten(const std::set<int64_t> &written, mlir::ValueRange results);

  // Ops that are formulas of pd ops (Formulas.cpp).

  /// equal, not_equal, equal_all: Paddle 3.3.1 compares floats within a tolerance.
  void importEquality(const newir::Operation &op);
  /// Operands: x, y; out = x / y rounded towards zero.
  void importTruncDivide(const newir::Operation &op);
  /// With the mode min along one axis, the second result is the index of the median.
  void importMedian(const newir::Operation &op);
  /// Operands: x, y, and a bias or 0; activation(scale x y + bias) of 8-bit floats, in `output_dtype`.
  void importFloat8Product(const newir::Operation &op);
  /// Operands: the new value, and the value whose memory it overwrites.
  void importAssignOut(const newir::Operation &op);
  /// Operands: x, the indices or masks, the new elements.
  void importIndexPut(const newir::Operation &op);
  /// Operands: x, indices, values. Means, and reductions without the elements of x, are formulas.
  void importPutAlongAxis(const newir::Operation &op);
  /// Operands: start, end, step; the end is one of the elements.
  void importRange(const newir::Operation &op);

  // Slices and assignments to them (Slices.cpp).

  struct SliceOperands;
  /// The axes and the three operands of bounds, the first of which has the index `first`.
  SliceOperands sliceOperands(const newir::Operation &op, mlir::Value x, size_t first);
  mlir::Value backwardEnds(mlir::Value ends, llvm::ArrayRef<int64_t> strides);
  /// Operands: x, starts, ends, strides.
  void importStridedSlice(const newir::Operation &op);
  /// Operands: x, the values where they are a tensor, starts, ends, steps.
  void importSetValue(const newir::Operation &op);
  mlir::Value alignedValue(mlir::Value value, int64_t rank, llvm::ArrayRef<int64_t> decreased,
                           llvm::ArrayRef<int64_t> none);

  // Control flow (ControlFlow.cpp).

  /// The i1 of a tensor with one element.
  mlir::Value condition(mlir::Value tensor);
  /// The operands of the yield that ends a block, after importing the block at the insertion point.
  Values importBlock(const newir::Block &block);
  mlir::Value castTo(mlir::Value value, mlir::Type type);
  /// Operands: the condition, then the values that the loop carries; the block yields the same.
  void importWhile(const newir::Operation &op);
  /// Ends a block with these values, cast to these types. False, and an error about `what`, if their numbers
  /// differ.
  bool yieldAs(const char *what, mlir::TypeRange types, Values yielded);
  /// The first result is the condition, the last ones are the arrays from outside that the loop writes to.
  void defineLoopResults(const newir::Operation &op, mlir::ValueRange results,
                         const std::set<int64_t> &written);
  void importIf(const newir::Operation &op);
  /// Defines the arrays among the results of a condition. One that both branches yield is the array from
  /// before the condition, changed.
  void defineBranchArrays(const newir::Operation &op, mlir::ValueRange results);

  mlir::MLIRContext &context;
  const newir::Model &model;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  /// By argument.
  std::vector<std::string> argumentNames;
  /// Arguments for values that ops of the model compute, by id.
  std::map<int64_t, Values> fed;
  /// Whether other values are fed or fetched than the model declares.
  bool isSubgraph = false;
  Diagnostics diagnostics, interfaceErrors;
  /// The number of errors that the dims or values of the feeds may avoid.
  size_t openErrors = 0;
  std::string mlirErrors;
  const newir::Operation *current = nullptr;
  /// The op that computes each value, and the ops of each name, for gradient ops.
  std::map<int64_t, const newir::Operation *> makers;
  std::map<std::string, std::vector<const newir::Operation *>> byName;
  /// Values that are not in the file get new ids; `originals` maps them to ids of the file, if there are any.
  int64_t lastOwnId = std::numeric_limits<int64_t>::min() / 2;
  std::map<int64_t, int64_t> originals;
  /// Indices of the operands by which a gradient op is differentiated. The other results of the forward op
  /// that it receives are computed again from these.
  std::optional<std::set<size_t>> independent;
  /// The persistable variable whose memory a value has; and the new values of variables that changed.
  std::map<int64_t, std::string> variableOf;
  std::map<std::string, mlir::Value> states;
  /// The values of each id of the file; lists have several.
  std::map<int64_t, Values> values;
  /// By the id of an array, the id of the op that creates it, and its declared type.
  std::map<int64_t, int64_t> arrays;
  std::map<int64_t, mlir::Type> arrayTypes;
  /// Ids that the control flow around the current op carries, because an op in it changes them.
  std::set<int64_t> carried;
  /// Ids of ops that could not be imported. An op that reads one is blocked, and reports nothing.
  std::set<int64_t> poisoned;
  bool isBlocked = false;
  /// Results that the record does not have: values that an op keeps for its gradient.
  std::set<int64_t> unused;
  std::multimap<int64_t, std::pair<std::string, mlir::Value>> fetches;
};

} // namespace proa::import
