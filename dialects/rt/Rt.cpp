#include "dialects/rt/Rt.h"

using namespace mlir;

#include "dialects/rt/RtDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/rt/Rt.cpp.inc"

namespace proa::rt {

void RtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/rt/Rt.cpp.inc"
      >();
}

} // namespace proa::rt
