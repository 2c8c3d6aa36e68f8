/// The state of one import of a model of the new IR: the function being built and what each value of the file
/// stands for.
#pragma once

#include "translator/import/CreateOp.h"
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
  static bool hasHandler(llvm::StringRef name) { return handlers().contains(name); }

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Handler = void (ModelImporter::*)(const newir::Operation &);

  // The function, and what ops have in common.

  void makeFunction();
  void finishFunction();
  mlir::RankedTensorType tensorTypeOf(const newir::Type &type) const;
  /// Ops that no record describes.
  static const llvm::StringMap<Handler> &handlers();
  void importNothing(const newir::Operation &) {}
  void importOp(const newir::Operation &op);
  void importFetch(const newir::Operation &op);
  void importCombine(const newir::Operation &op);
  /// Elements of a list: all of them, or the one that the attribute names.
  void importElements(const newir::Operation &op);
  void importIntegers(const newir::Operation &op);
  void importValues(const newir::Operation &op);
  void importWideShape(const newir::Operation &op);
  mlir::Value make(llvm::StringRef name, llvm::ArrayRef<Values> operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
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

  void importByTable(const newir::Operation &op);
  void collectOperands(const newir::Operation &op, const NewIrOp &entry,
                       std::map<llvm::StringRef, Values> &operands,
                       llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  /// An operand that must be constant, as the attribute that it is here.
  mlir::Attribute constantAttribute(const LegacyAttribute &attribute, mlir::Value value);
  void collectAttributes(const newir::Operation &op, const NewIrOp &entry,
                         llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  mlir::Attribute convert(const LegacyAttribute &attribute, const newir::Literal &literal);
  void defineResults(const newir::Operation &op, const NewIrOp &entry, mlir::Operation *made);
  /// Integers are as wide as the file says: later versions of some ops give others.
  Values withDeclaredWidth(const newir::Type &declared, Values values);
  /// Slices say by an attribute which dimensions of extent 1 they lose.
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

  /// What an op in place changed has the new value from here on, and a persistable variable when the program
  /// ends.
  void updateStates(const newir::Operation &op);
  void importSetParameter(const newir::Operation &op);

  // Tensor arrays (Arrays.cpp).

  /// An array of the file is one thing that its writes change, in the blocks inside as well: all ids that
  /// stand for it lead to the id of the op that made it, and that one to the latest value.
  int64_t arrayOf(int64_t id) const;
  void importCreateArray(const newir::Operation &op);
  /// The rank and element type that the file says; it says the dims of the first element alone.
  mlir::Type arrayTypeOf(const newir::Type &type);
  void importArrayWrite(const newir::Operation &op);
  /// One element of an array, or those between two bounds.
  void importArraySlice(const newir::Operation &op);
  /// Takes the element that the attribute `index` names out of an array.
  void importArrayPop(const newir::Operation &op);
  /// The arrays and tensors from outside that ops of a block change in place: control flow has to carry them.
  void findWritten(const newir::Block &block, std::set<int64_t> &written) const;
  /// The type in which control flow carries one of them.
  mlir::Type writtenType(int64_t id);
  /// What they are behind the control flow.
  void defineWritten(const std::set<int64_t> &written, mlir::ValueRange results);

  // Ops that are formulas of ours (Formulas.cpp).

  /// Operands: x, y; out = x / y rounded towards zero.
  void importTruncDivide(const newir::Operation &op);
  /// With the mode min along one axis the second result is where the median stands.
  void importMedian(const newir::Operation &op);
  /// Operands: the new value, and the one whose memory it takes.
  void importAssignOut(const newir::Operation &op);
  /// Operands: start, end, step; the end is among the elements.
  void importRange(const newir::Operation &op);
  mlir::NamedAttribute typeNamed(llvm::StringRef name, mlir::Type type) {
    return builder.getNamedAttr(name, mlir::TypeAttr::get(type));
  }
  /// Null where an operand is.
  mlir::Value formula(llvm::StringRef name, llvm::ArrayRef<Values> operands,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

  // Slices and assignments to them (Slices.cpp).

  /// An operand of integers: its constant value as an attribute, or a tensor.
  void addBounds(const newir::Operation &op, size_t number, const char *name,
                 llvm::SmallVectorImpl<Values> &operands,
                 llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  mlir::Value backwardEnds(mlir::Value ends, llvm::ArrayRef<int64_t> strides);
  /// The attribute axes and the three operands of bounds, the first of which is operand number `first`, as
  /// pd.slice has them.
  void addSlice(const newir::Operation &op, mlir::Value x, size_t first, const char *strides,
                llvm::SmallVectorImpl<Values> &operands,
                llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  /// Operands: x, starts, ends, strides.
  void importStridedSlice(const newir::Operation &op);
  /// Operands: x, the values where they are a tensor, starts, ends, steps.
  void importSetValue(const newir::Operation &op);
  mlir::Value alignedValue(mlir::Value value, int64_t rank, llvm::ArrayRef<int64_t> decreased,
                           llvm::ArrayRef<int64_t> none);

  // Control flow (ControlFlow.cpp).

  /// A one-element tensor as the i1 that scf asks for.
  mlir::Value condition(mlir::Value tensor);
  /// The operands of the yield that ends a block, after importing the block at the insertion point.
  Values importBlock(const newir::Block &block);
  mlir::Value castTo(mlir::Value value, mlir::Type type);
  /// Operands: the condition, then the values that the loop carries; the block yields the same.
  void importWhile(const newir::Operation &op);
  /// Ends a block with these values as these types; false, with a problem of `what`, where their number
  /// differs.
  bool yieldAs(const char *what, mlir::TypeRange types, Values yielded);
  /// The first result is the condition, the last ones are the arrays from outside that the loop writes to.
  void defineLoopResults(const newir::Operation &op, mlir::ValueRange results,
                         const std::set<int64_t> &written);
  void importIf(const newir::Operation &op);

  mlir::MLIRContext &context;
  const newir::Model &model;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  Problems problems;
  std::string diagnostics;
  const newir::Operation *current = nullptr;
  /// The op that made each value, and those of a name, for their gradient ops.
  std::map<int64_t, const newir::Operation *> makers;
  std::map<std::string, std::vector<const newir::Operation *>> byName;
  /// Values that the file does not name get ids of their own; `originals` are the file's, where there are
  /// any.
  int64_t lastOwnId = std::numeric_limits<int64_t>::min() / 2;
  std::map<int64_t, int64_t> originals;
  /// Of a gradient op that is differentiated itself, the numbers of the operands by which it is: what else it
  /// is given of the forward op's results is computed once more from those.
  std::optional<std::set<size_t>> independent;
  /// The persistable variable whose memory a value has; and the new values of those that changed.
  std::map<int64_t, std::string> variableOf;
  std::map<std::string, mlir::Value> states;
  /// What each id of the file stands for; lists hold several values.
  std::map<int64_t, Values> values;
  /// By the id of an array the one that it began with; and its type as far as the file says it.
  std::map<int64_t, int64_t> arrays;
  std::map<int64_t, mlir::Type> arrayTypes;
  /// What the control flow around the op that is imported carries, as it is changed in there.
  std::set<int64_t> carried;
  /// Values of ops that could not be imported; an op that reads one is blocked, and reports nothing of its
  /// own.
  std::set<int64_t> poisoned;
  bool isBlocked = false;
  /// Results that no record has: what an op keeps for its gradient.
  std::set<int64_t> unused;
  std::multimap<int64_t, std::pair<std::string, mlir::Value>> fetches;
};

} // namespace proa::import
