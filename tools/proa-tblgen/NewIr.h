/// What the generators of the new IR's tables share.
#pragma once

#include "Records.h"

namespace proa::tblgen {

/// An op of Paddle's new IR that becomes the op of a record: the field `newIr`, or what follows without it.
struct NewIrSpelling {
  llvm::StringRef name;
  std::vector<llvm::StringRef> operands, results, attributes, ignored, set;
};

/// The names of "a, b, c".
std::vector<llvm::StringRef> namesIn(llvm::StringRef list);

/// Whether the operand of that name in a spelling is an attribute in Paddle that a value may give instead.
bool isMutableAttribute(const mlir::tblgen::Operator &op, llvm::StringRef operand);

/// NewIrGradients.cpp: the gradient ops of a record's spellings, of first and of higher orders.
void emitNewIrGradients(const llvm::Record &record, const mlir::tblgen::Operator &op,
                        const std::vector<NewIrSpelling> &spellings, llvm::raw_ostream &os);

} // namespace proa::tblgen
