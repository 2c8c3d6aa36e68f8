/// ONNX's convolutions.
#pragma once

#include "translator/import/onnx/NodeImporter.h"

namespace proa::import {

/// The convolution of an image with a filter by the attributes of the node, without a bias.
pd::Expression convolve(NodeImporter &node, pd::Expression x, pd::Expression filter);

} // namespace proa::import
