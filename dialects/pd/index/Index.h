/// What the classes of index ops need.
#pragma once

#include "dialects/pd/Infer.h"
#include "dialects/pd/autodiff/Broadcasting.h"
