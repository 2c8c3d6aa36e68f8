/// The interface of ops on images in a layout that an attribute names.
#pragma once

#include "dialects/pd/ir/Enums.h"

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace proa::pd {

/// Order of the dimensions of a batch of images.
enum class ImageLayout {
  ChannelsFirst, ///< batch, channels, spatial dimensions
  ChannelsLast,  ///< batch, spatial dimensions, channels
};

/// The layout that a `data_format` names; nothing for AnyLayout.
std::optional<ImageLayout> imageLayoutOf(DataFormat dataFormat);

/// The `data_format` of images with two spatial dimensions.
DataFormat imageFormat(ImageLayout layout);

} // namespace proa::pd

#include "dialects/pd/ir/Layout.h.inc"
