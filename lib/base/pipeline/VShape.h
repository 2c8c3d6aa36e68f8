/// Schedules of two chunks in V shape: the first rank has the first and the last stage.
#pragma once

#include "lib/base/pipeline/Builders.h"

namespace proa::pipeline {

/// `kind` is ZeroBubbleV, VHalf or VMin; the shape has two chunks in V shape.
Schedule buildVShape(ScheduleKind kind, const Shape &shape);

} // namespace proa::pipeline
