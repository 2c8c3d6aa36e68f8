/// Ensembles of decision trees.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/PartialLibrary.h"
#include "dialects/pd/ir/Pd.h"

#define GET_OP_CLASSES
#include "dialects/pd/ops/search/Trees.h.inc"
