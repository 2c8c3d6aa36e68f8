/// The enums of pd's attributes, generated from Enums.td, and their keywords as importers and the runtime see
/// them.
#pragma once

#include "dialects/pd/ir/Keywords.h"
#include "dialects/pd/ir/Pd.h"

#include "dialects/pd/ir/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/pd/ir/EnumAttrs.h.inc"

namespace proa::pd {

/// Whether the channels are the last dimension (NHWC, NDHWC, NLC, NWC). In other formats, also AnyLayout,
/// they are dimension 1.
bool channelsAreLast(DataFormat dataFormat);

} // namespace proa::pd
