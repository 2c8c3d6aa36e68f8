/// Ops related to control flow: tensor arrays and checks. Conditions and loops are scf.if and scf.while.
#pragma once

#include "dialects/pd/ir/ArrayReference.h"
#include "dialects/pd/ir/ArrayVjp.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"

namespace proa::pd {} // namespace proa::pd
