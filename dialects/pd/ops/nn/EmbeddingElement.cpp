//! Elements of the rows of a table.
#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"

using namespace mlir;

namespace proa::pd {

const char *EmbeddingOp::whyNoElement() { return nullptr; }

Value EmbeddingOp::buildDim(ElementBuilder &b, int64_t dim) {
  return dim < int64_t(b.rank(0)) ? b.dim(0, dim) : b.dim(1, 1);
}

Value EmbeddingOp::buildElement(ElementBuilder &b, ValueRange at) {
  ElementBuilder::Indices all = b.indices(at);
  IndexValue column = all.pop_back_val();
  Type element = tensorType(getWeight()).getElementType();
  auto zero = [&] { return b.constant(0, element); };
  auto read = [&] {
    CheckedIndex row = b.loadIndex(0, all, 1, 0, /*wraps=*/false);
    return b.choose(row.isInside, [&] { return b.load(1, {row.index, column}); }, zero);
  };
  int64_t padding = getPaddingIdx();
  if (padding == -1)
    return read();
  IndexValue row = padding < 0 ? b.dim(1, 0) + padding : b.index(padding);
  return b.choose(b.isEqual(b.loadInteger(0, all), row), zero, read);
}

} // namespace proa::pd
