/// dist.schedule: the schedule of a pipeline in IR.
#pragma once

#include "dialects/dist/Dist.h"
#include "lib/base/pipeline/Schedule.h"

#define GET_OP_CLASSES
#include "dialects/dist/Schedule.h.inc"
