/// Helpers of the index ops.
#pragma once

#include "dialects/pd/autodiff/Broadcasting.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
