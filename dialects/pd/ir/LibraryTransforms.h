/// The statement of the record of a library op: how each transform handles the op.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace proa::pd {

/// proa-tblgen derives it from the fields of the record (tools/proa-tblgen/Transforms.cpp).
struct LibraryTransforms {
  const char *op;
  const char *evaluation; ///< "reference kernel", "constant" or "none"
  const char *derivative; ///< in forward and reverse mode: "rule", "zero" or "none" (an error)
  const char
      *batching; ///< "rule", "unbatched" (one example at a time), "refused" (an error) or "no operands"
  const char *sharding; ///< "rule" or "replicated"
  const char *lowering; ///< "kernel `name`", "constant" or "none"
};

/// The statements of all library ops.
llvm::ArrayRef<LibraryTransforms> libraryTransforms();
/// The statement of one op, "pd.nms"; null for ops that are not library ops.
const LibraryTransforms *libraryTransformsOf(llvm::StringRef op);

} // namespace proa::pd
