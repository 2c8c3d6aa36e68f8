/// Automatic mixed precision: what is computed in 16 bits.
#pragma once

#include "proa/Tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace proa {

struct AmpOptions {
  /// O1: ops on the allow list in 16 bits, those on the grey list where their operands are. O2: all but the
  /// ops on the deny list. On both parameters stay in float32, and so does their update: they are the master
  /// weights.
  enum class Level { O1, O2 };
  Level level = Level::O1;
  /// Float16 or BFloat16.
  DType dtype = DType::Float16;
  /// Ops, "matmul" or "pd.matmul", that are put on these lists in place of Paddle's.
  std::vector<std::string> allow, deny, grey;

  /// Small gradients vanish in float16: the loss is multiplied by a scale, gradients are divided by it.
  enum class Scaling {
    None,
    /// Always by lossScale.
    Static,
    /// From lossScale on: after increaseEvery good steps it is multiplied by increaseRatio; after
    /// decreaseEvery steps with a gradient that is infinite or NaN, which do not count, by decreaseRatio.
    /// State "loss_scaling", "loss_scaling.good_steps", "loss_scaling.bad_steps".
    Dynamic
  };
  Scaling scaling = Scaling::None;
  double lossScale = 32768;
  int64_t increaseEvery = 1000, decreaseEvery = 2;
  double increaseRatio = 2, decreaseRatio = 0.8;
};

} // namespace proa
