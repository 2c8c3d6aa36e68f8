/// The elements of one dimension in a slice, as index arithmetic in IR.
#pragma once

#include "dialects/pd/builders/ElementBuilder.h"

namespace proa::pd {

struct SlicedAxis {
  IndexValue first, count;
  int64_t stride;
};

/// As sliceRange (DimSize.h), for a dim that may be known only at run time.
SlicedAxis slicedAxis(ElementBuilder &b, IndexValue size, int64_t start, int64_t end, int64_t stride);

} // namespace proa::pd
