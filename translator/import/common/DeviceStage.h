/// Stages of a pipeline that a program gives its ops by their devices.
#pragma once

#include "dialects/dist/StageMark.h"

namespace proa::import {

/// Gives the ops that the builder creates while this object lives the stage N of a device "gpu:N"
/// (paddle.static.device_guard). Other devices give none.
class DeviceStage {
public:
  DeviceStage(mlir::OpBuilder &builder, llvm::StringRef device) : builder(builder) {
    int64_t index = 0;
    if (device.split(':').second.getAsInteger(10, index) || index < 0)
      return;
    stage = index;
    if (auto next = builder.getInsertionPoint(); next != builder.getInsertionBlock()->begin())
      before = &*std::prev(next);
  }
  DeviceStage(const DeviceStage &) = delete;
  DeviceStage &operator=(const DeviceStage &) = delete;
  ~DeviceStage() {
    if (!stage)
      return;
    auto first = before ? std::next(before->getIterator()) : builder.getInsertionBlock()->begin();
    for (mlir::Operation &created : llvm::make_range(first, builder.getInsertionPoint()))
      created.setAttr(dist::stageAttribute, builder.getI64IntegerAttr(*stage));
  }

private:
  mlir::OpBuilder &builder;
  std::optional<int64_t> stage;
  mlir::Operation *before = nullptr; ///< before the created ops; null: they are the first of the block
};

} // namespace proa::import
