//! The field `batching`: the function with the batching rule of an op (BatchableOpInterface).
#include "Records.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

namespace proa::tblgen {

void emitBatching(const llvm::Record &record, const std::string &name, llvm::raw_ostream &os) {
  llvm::StringRef function = record.getValueAsString("batching");
  if (function.empty() || function == "inCode" || !hasBatchingRule(record))
    return;
  if (!llvm::all_of(function, [](char c) { return llvm::isAlnum(c); }))
    llvm::PrintFatalError(
        record.getLoc(),
        "batching: expected the name of a function, 'inCode', 'unbatched' or 'refused', found '" + function +
            "'");
  constexpr const char *results = "::llvm::FailureOr<::llvm::SmallVector<Batched>> ";
  os << results << function << "(Batcher &batcher, ::mlir::Operation *op);\n"
     << results << name << "::batch(Batcher &batcher) { return proa::pd::" << function
     << "(batcher, getOperation()); }\n";
}

} // namespace proa::tblgen
