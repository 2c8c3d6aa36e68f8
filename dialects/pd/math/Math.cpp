#include "dialects/pd/math/Math.h"
#include "dialects/pd/Families.h"
#include "dialects/pd/math/ActivationOps.h"
#include "dialects/pd/math/BinaryOps.h"
#include "dialects/pd/math/ClosenessOps.h"
#include "dialects/pd/math/ComplexOps.h"
#include "dialects/pd/math/ScaleOps.h"
#include "dialects/pd/math/SpecialOps.h"
#include "dialects/pd/math/UnaryOps.h"

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
