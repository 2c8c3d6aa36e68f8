#include "dialects/pd/reference/Arrays.h"

#include "dialects/pd/ir/ArrayReference.h"
#include "dialects/pd/ir/Types.h"

using namespace mlir;

namespace proa::pd {

void HostValues::copy(Value from, Value to) {
  if (isa<ArrayType>(from.getType())) {
    HostArray array = arrays.at(from);
    arrays[to] = std::move(array);
  } else {
    Tensor tensor = tensors.at(from);
    tensors[to] = tensor;
  }
}

} // namespace proa::pd

#include "dialects/pd/ir/ArrayReference.cpp.inc"
