//! The fields `precision`, the lists of mixed precision (passes/autodiff/PrecisionLists.h), and
//! `libraryHalf`, the library kernels that compute in 16 bits (dialects/pd/ir/LibraryTypes.h).
#include "Records.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TableGen/Error.h"

using namespace proa::tblgen;

namespace {

/// The Precision on levels O1 and O2.
std::pair<const char *, const char *> levelsOf(const llvm::Record &record) {
  llvm::StringRef precision = record.getValueAsString("precision");
  auto levels = llvm::StringSwitch<std::pair<const char *, const char *>>(precision)
                    .Case("low", {"Low", "Low"})
                    .Case("full", {"Full", "Unknown"})
                    .Case("always full", {"Full", "Full"})
                    .Case("follow", {"Follow", "Unknown"})
                    .Default({nullptr, nullptr});
  if (!levels.first)
    llvm::PrintFatalError(record.getLoc(),
                          "precision: expected 'low', 'full', 'always full' or 'follow', found '" +
                              precision + "'");
  return levels;
}

bool emitPrecision(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records)) {
    if (record->getValueAsString("precision").empty())
      continue;
    auto [onO1, onO2] = levelsOf(*record);
    os << "{" << quoted(mlir::tblgen::Operator(*record).getOperationName()) << ", Precision::" << onO1
       << ", Precision::" << onO2 << "},\n";
  }
  return false;
}

bool emitHalfKernels(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records))
    if (record->getValueAsBit("libraryHalf") && record->getValueAsString("library").empty())
      llvm::PrintFatalError(record->getLoc(), "libraryHalf: the op has no library kernel");
  for (const llvm::Record *record : libraryOpsOfMainFile(records))
    if (record->getValueAsBit("libraryHalf"))
      os << quoted(record->getValueAsString("library")) << ",\n";
  return false;
}

mlir::GenRegistration halfKernels("gen-half-kernels", "The library kernels that compute in 16 bits",
                                  emitHalfKernels);
mlir::GenRegistration precisionGenerator("gen-precision", "The lists of mixed precision", emitPrecision);

} // namespace
