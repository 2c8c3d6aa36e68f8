//! The assembly format: readable in ops with optional operands.
#include "Records.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

bool proa::tblgen::printsSegmentSizes(const mlir::tblgen::Operator &op, const llvm::Record &record) {
  if (!op.getTrait("::mlir::OpTrait::AttrSizedOperandSegments") || !op.hasAssemblyFormat())
    return false;
  llvm::SmallVector<llvm::StringRef> directives;
  op.getAssemblyFormat().split(directives, ' ');
  if (!llvm::is_contained(directives, "operands"))
    return false;
  llvm::PrintError(
      record.getLoc(),
      "AttrSizedOperandSegments: the directive 'operands' prints operandSegmentSizes; expected an "
      "operandFormat that names optional operands: \"$x (`bias` `=` $bias^)?\"");
  return true;
}
