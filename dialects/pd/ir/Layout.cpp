#include "dialects/pd/ir/Layout.h"

namespace proa::pd {

std::optional<ImageLayout> imageLayoutOf(llvm::StringRef dataFormat) {
  if (!dataFormat.starts_with("N"))
    return std::nullopt;
  return dataFormat.ends_with("C") ? ImageLayout::ChannelsLast : ImageLayout::ChannelsFirst;
}

llvm::StringRef imageFormat(ImageLayout layout) {
  return layout == ImageLayout::ChannelsLast ? "NHWC" : "NCHW";
}

} // namespace proa::pd

#include "dialects/pd/ir/Layout.cpp.inc"
