/// Index arithmetic, conditions and loops in IR: the builder for methods of ElementOpInterface.
#pragma once

#include "dialects/pd/builders/ScalarBuilder.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "lib/base/support/CheckedNumber.h"

#include "mlir/IR/TypeUtilities.h"

namespace proa::pd {

class ElementBuilder;

/// A value of type `index`, with arithmetic that folds constants. Quotients and remainders are for
/// numbers that are not negative.
class IndexValue {
public:
  IndexValue(ElementBuilder &owner, mlir::Value value) : owner(&owner), own(value) {}

  ElementBuilder &getOwner() const { return *owner; }
  mlir::Value value() const { return own; }
  operator mlir::Value() const { return own; }

private:
  ElementBuilder *owner;
  mlir::Value own;
};

IndexValue operator+(IndexValue a, IndexValue b);
IndexValue operator-(IndexValue a, IndexValue b);
IndexValue operator*(IndexValue a, IndexValue b);
IndexValue operator/(IndexValue a, IndexValue b);
IndexValue operator%(IndexValue a, IndexValue b);
IndexValue operator+(IndexValue a, int64_t b);
IndexValue operator-(IndexValue a, int64_t b);
IndexValue operator*(IndexValue a, int64_t b);
IndexValue operator/(IndexValue a, int64_t b);
IndexValue operator%(IndexValue a, int64_t b);
IndexValue min(IndexValue a, IndexValue b);
IndexValue max(IndexValue a, IndexValue b);
IndexValue max(IndexValue a, int64_t b);
/// a / b rounded up, or 0 if a is negative.
IndexValue ceilDivide(IndexValue a, int64_t b);
IndexValue ceilDivide(IndexValue a, IndexValue b);
/// Comparisons, as i1.
mlir::Value isLess(IndexValue a, IndexValue b);

/// The indices begin, begin + 1, ... before end.
struct IndexRange {
  IndexValue begin, end;
};

/// The checks of a kernel that elements of its inputs are indices or sizes (runtime::IndexCheck). A wrong one
/// is stored in the check's word, as lib/runtime/run/KernelServices.h describes.
struct KernelChecks {
  struct Check {
    int64_t indices = -1; ///< number of the kernel's argument; -1: a constant
    int64_t bound = -1;   ///< number of the argument with the bound; -1: `size` is the bound
    int64_t axis = 0, size = 0;
    CheckedNumber kind = CheckedNumber::Index;
  };
  mlir::Value words; ///< memref<?xi64>
  llvm::SmallVector<Check> list;
};

/// An element of an operand that is an index.
struct CheckedIndex {
  IndexValue index; ///< not negative, and inside of its dimension if `isInside`
  mlir::Value isInside;
};

/// Emits the code for the elements of one op.
class ElementBuilder {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;
  using Indices = llvm::SmallVector<IndexValue>;

  /// `operands` are tensors with signless elements for the operands of `op`, or memrefs, with bytes for
  /// i1. `builder` now inserts code before the loop over elements; after enterBody it inserts
  /// inside.
  ElementBuilder(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands,
                 KernelChecks *checks = nullptr);
  /// Only the dynamic dims of the operands, in their order: the builder cannot load elements.
  struct DynamicDims {
    mlir::ValueRange values;
  };
  ElementBuilder(mlir::OpBuilder &builder, mlir::Operation *op, DynamicDims dynamicDims);
  ElementBuilder(const ElementBuilder &) = delete;
  ElementBuilder &operator=(const ElementBuilder &) = delete;
  void enterBody(mlir::OpBuilder &body) { builder = &body; }

  mlir::OpBuilder &getBuilder() { return *builder; }
  mlir::Location getLoc() const { return op->getLoc(); }
  mlir::Operation *getOp() const { return op; }

  // Indices.
  IndexValue index(int64_t value);
  Indices indices(mlir::ValueRange values);
  /// The size of a dimension of an operand.
  IndexValue dim(unsigned operand, int64_t d) const { return dims[operand][d]; }
  unsigned rank(unsigned operand) const { return dims[operand].size(); }
  IndexValue select(Value condition, IndexValue x, IndexValue y);

  // Elements.
  /// The element of an operand; all indices must be within its dims.
  Value load(unsigned operand, llvm::ArrayRef<IndexValue> at);
  /// The element of an operand of integers, as an index of dimension `axis` of operand `bound`; with `wraps`
  /// a negative one counts from the end. An index that is outside is reported.
  CheckedIndex loadIndex(unsigned operand, llvm::ArrayRef<IndexValue> at, unsigned bound, int64_t axis,
                         bool wraps);
  /// The element of a vector of integers as the size of a group of rows; the groups before have
  /// `before` rows; `bound` has all groups' rows along `axis`. A wrong size is reported, and counts as 0.
  IndexValue loadGroupSize(unsigned operand, IndexValue group, IndexValue before, unsigned bound,
                           int64_t axis);
  /// The element of an operand of integers, of any value.
  IndexValue loadInteger(unsigned operand, llvm::ArrayRef<IndexValue> at);
  /// The constant in an element type, by the rules of casts.
  Value constant(double value, mlir::Type type);
  /// Functions on elements of an operand, with a result of this type.
  ScalarBuilder scalar(mlir::Type result);
  /// A number as an element of this type.
  Value toElement(IndexValue position, mlir::Type type);
  /// A float of a small absolute value without its fraction.
  IndexValue toIndex(Value element);
  /// The type in which sums of such elements are computed: f32 for 16 bits.
  static mlir::Type sumType(mlir::Type element);

  // Control flow.
  Value logicalAnd(Value x, Value y);
  Value isEqual(IndexValue x, IndexValue y);
  Value choose(Value condition, llvm::function_ref<Value()> ifTrue, llvm::function_ref<Value()> ifFalse);
  /// Nested loops over `ranges`, the last one innermost: `body` computes the next state from the indices and
  /// the state. The results are the last state.
  Values loops(llvm::ArrayRef<IndexRange> ranges, Values state,
               llvm::function_ref<Values(llvm::ArrayRef<IndexValue>, mlir::ValueRange)> body);

private:
  /// Reports `number`, of the element `at` of an operand, where `isWrong` holds.
  void addCheck(CheckedNumber kind, unsigned operand, llvm::ArrayRef<IndexValue> at, unsigned bound,
                int64_t axis, Value isWrong, IndexValue position);
  void report(unsigned check, IndexValue position, IndexValue wrong);
  /// The number of the kernel's argument that an operand is; -1: none.
  int64_t argumentOf(unsigned operand) const;

  mlir::OpBuilder *builder;
  mlir::Operation *op;
  mlir::ValueRange operands;
  KernelChecks *checks = nullptr;
  llvm::SmallVector<Indices> dims;
};

} // namespace proa::pd
