#include "dialects/pd/nn/Nn.h"
#include "dialects/pd/Families.h"
#include "dialects/pd/nn/AttentionOps.h"
#include "dialects/pd/nn/ConvOps.h"
#include "dialects/pd/nn/Deformable.h"
#include "dialects/pd/nn/EmbeddingOps.h"
#include "dialects/pd/nn/FoldOps.h"
#include "dialects/pd/nn/GridOps.h"
#include "dialects/pd/nn/InterpolateOps.h"
#include "dialects/pd/nn/NormOps.h"
#include "dialects/pd/nn/PoolFormulasOps.h"
#include "dialects/pd/nn/PoolOps.h"
#include "dialects/pd/nn/RecurrentOps.h"
#include "dialects/pd/nn/SoftmaxOps.h"
#include "dialects/pd/nn/Spatial.h"

namespace proa::pd {

void registerNnOps(PdDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/nn/Conv.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Pool.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/PoolFormulas.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Norm.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Softmax.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Embedding.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Interpolate.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Recurrent.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Grid.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Fold.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Deformable.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Spatial.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/pd/nn/Attention.cpp.inc"
      >();
}

} // namespace proa::pd
