/// The largest elements around the samples of regions.
#pragma once

#include "translator/import/onnx/NodeImporter.h"

namespace proa::import {

/// The result of RoiAlign in mode max. A sampling ratio of 0 or less gives each region its own number of
/// samples.
pd::Expression roiAlignMax(NodeImporter &node, bool isAligned, int64_t ratio);

} // namespace proa::import
