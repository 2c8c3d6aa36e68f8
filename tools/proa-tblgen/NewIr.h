/// Helpers of the generators for the new IR.
#pragma once

#include "Records.h"

namespace proa::tblgen {

/// An op of Paddle's new IR that maps to the op of a record: an entry of the field `newIr`, or the default.
struct NewIrSpelling {
  llvm::StringRef name;
  std::vector<llvm::StringRef> operands, results, attributes, ignored, set;
};

/// The names of "a, b, c".
std::vector<llvm::StringRef> namesIn(llvm::StringRef list);

/// Whether the operand of that name in a mapping is an attribute in Paddle that a value may replace.
bool isMutableAttribute(const mlir::tblgen::Operator &op, llvm::StringRef operand);

/// NewIrGradients.cpp: the gradient ops of a record's mappings, of first and higher order.
void emitNewIrGradients(const llvm::Record &record, const mlir::tblgen::Operator &op,
                        const std::vector<NewIrSpelling> &spellings, llvm::raw_ostream &os);

} // namespace proa::tblgen
