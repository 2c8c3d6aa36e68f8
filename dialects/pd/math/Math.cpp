#include "dialects/pd/math/Math.h"
#include "dialects/pd/Families.h"

namespace proa::pd {

void registerMathOps(PdDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/math/Unary.cpp.inc"
      >();
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/math/Binary.cpp.inc"
      >();
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/math/Activation.cpp.inc"
      >();
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/math/Scale.cpp.inc"
      >();
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/math/Special.cpp.inc"
      >();
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/math/Complex.cpp.inc"
      >();
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/math/Closeness.cpp.inc"
      >();
}

} // namespace proa::pd
