/// Fourier transforms and frames: what the generated classes of the ops need.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
