#include "dialects/pd/ir/Layout.h"

namespace proa::pd {

std::optional<ImageLayout> imageLayoutOf(DataFormat dataFormat) {
  if (dataFormat == DataFormat::AnyLayout)
    return std::nullopt;
  return channelsAreLast(dataFormat) ? ImageLayout::ChannelsLast : ImageLayout::ChannelsFirst;
}

DataFormat imageFormat(ImageLayout layout) {
  return layout == ImageLayout::ChannelsLast ? DataFormat::NHWC : DataFormat::NCHW;
}

} // namespace proa::pd

#include "dialects/pd/ir/Layout.cpp.inc"
