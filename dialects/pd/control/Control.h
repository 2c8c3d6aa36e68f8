/// Ops that go with control flow: tensor arrays and checks. Conditions and loops are scf.if and scf.while.
#pragma once

#include "dialects/pd/Infer.h"
#include "dialects/pd/Pd.h"
#include "dialects/pd/Types.h"

namespace proa::pd {
void registerControlOps(PdDialect &dialect);

} // namespace proa::pd
