/// What the classes of index ops need.
#pragma once

#include "dialects/pd/autodiff/Broadcasting.h"
#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
