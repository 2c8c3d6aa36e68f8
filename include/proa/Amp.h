/// Options of automatic mixed precision: which ops are computed in 16 bits, and how the loss is scaled.
#pragma once

#include "proa/Tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace proa {

/// Options of mixed precision (docs/training.md).
struct AmpOptions {
  /// O1: ops on the allow list are computed in 16 bits, ops on the grey list if their operands are. O2: all
  /// ops but those on the deny list. Parameters and their update stay in float32 on both levels (master
  /// weights).
  enum class Level { O1, O2 };
  Level level = Level::O1;
  /// The 16-bit format: DType::Float16 or DType::BFloat16.
  DType dtype = DType::Float16;
  /// Ops that are moved to these lists, by name: "matmul" or "pd.matmul". All others are on Paddle's list.
  std::vector<std::string> allow, deny, grey;

  /// Loss scaling: the loss is multiplied by a scale and the gradients are divided by it, because small
  /// gradients vanish in float16.
  enum class Scaling {
    /// No scaling.
    None,
    /// The scale is always `lossScale`.
    Static,
    /// The scale starts at `lossScale`. After `increaseEvery` steps with finite gradients it is multiplied by
    /// `increaseRatio`, after `decreaseEvery` steps with an infinite or NaN gradient by `decreaseRatio`. Such
    /// steps do not update parameters. Adds the state variables "loss_scaling", "loss_scaling.good_steps" and
    /// "loss_scaling.bad_steps".
    Dynamic
  };
  Scaling scaling = Scaling::None;
  /// The constant or initial scale.
  double lossScale = 32768;
  /// Dynamic scaling, in steps.
  int64_t increaseEvery = 1000, decreaseEvery = 2;
  /// Dynamic scaling, factors.
  double increaseRatio = 2, decreaseRatio = 0.8;
};

} // namespace proa
