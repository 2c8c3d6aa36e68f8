#include "dialects/pd/ir/OpKind.h"

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

OpKind kindOf(mlir::RegisteredOperationName op) {
  if (op.hasInterface<DecomposableOpInterface>())
    return OpKind::Composite;
  bool isPrimitive = op.hasInterface<ScalarOpInterface>() || op.hasInterface<ReductionOpInterface>() ||
                     op.hasInterface<IndexingMapOpInterface>() || op.hasInterface<EvaluatableOpInterface>();
  return isPrimitive ? OpKind::Primitive : OpKind::Library;
}

} // namespace proa::pd
