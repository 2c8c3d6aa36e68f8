#include "dialects/pd/ir/LibraryTypes.h"

#include "dialects/pd/ir/PartialLibrary.h"
#include "dialects/pd/ir/Pd.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace proa::pd {

bool isHalf(Type element) { return element.isF16() || element.isBF16(); }

bool hasOnlyFullKernel(Operation *op) {
  static const llvm::StringSet<> half{
#include "dialects/pd/AllHalfKernels.inc"
  };
  auto library = dyn_cast<LibraryOpInterface>(op);
  return library && !half.contains(library.getLibraryKernel());
}

} // namespace proa::pd

#include "dialects/pd/ir/PartialLibrary.cpp.inc"
