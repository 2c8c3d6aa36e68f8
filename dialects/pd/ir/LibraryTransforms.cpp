#include "dialects/pd/ir/LibraryTransforms.h"

#include "lib/base/support/TableByName.h"

namespace proa::pd {

static constexpr LibraryTransforms table[] = {
#include "dialects/pd/AllTransforms.inc"
};

llvm::ArrayRef<LibraryTransforms> libraryTransforms() { return table; }

const LibraryTransforms *libraryTransformsOf(llvm::StringRef op) {
  static const auto byName = tableByName(table, &LibraryTransforms::op);
  return byName.lookup(op);
}

} // namespace proa::pd
