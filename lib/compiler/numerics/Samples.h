/// Inputs on which a function is run before and after a pass.
#pragma once

#include "proa/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proa::numerics {

/// How the arguments of a function are chosen.
struct SampleOptions {
  /// Seed of the random arguments.
  uint64_t seed = 0;
  /// Size of dynamic dims.
  int64_t dynamicDim = 2;
  /// Number of random samples, of seeds `seed`, `seed` + 1, ...
  int64_t count = 1;
  /// Bounds of random numbers, also of integers; none: floats in [-1, 1), integers 0 or 1.
  std::optional<std::pair<double, double>> range;
  /// Leaves out the samples with NaN and infinities.
  bool isFinite = false;
  /// Leaves out all samples but the first random one, for `inputs` of a real run.
  bool isSingle = false;
  /// Arguments by the names of feeds and parameters, or "argument0", ...; the others are random.
  std::map<std::string, Tensor> inputs;
};

/// Arguments of a function.
struct Sample {
  std::string description; ///< "random numbers of seed 0"
  std::vector<Tensor> arguments;
  /// Whether the arguments may be replaced by positive ones if a result is not finite.
  bool mayBePositive = false;
  /// Whether numbers are large, so that tolerances are relative to the largest result.
  bool isScaled = false;
};

/// Dims of an argument, with `dynamicDim` for dynamic ones.
std::vector<int64_t> dimsOf(mlir::func::FuncOp function, unsigned argument, int64_t dynamicDim);

/// Random samples; then samples whose floats are zeros, small and large numbers of both signs, and samples
/// with NaN and infinities. The last two are left out if the function converts floats to integers, which is
/// not defined for such numbers, or if an argument given by name has other dims (an error in `wrong`).
std::vector<Sample> samplesOf(mlir::func::FuncOp function, const SampleOptions &options, std::string &wrong);

/// Maps floats to [0.1, 1], where logarithms and roots are defined.
void mapToPositive(std::vector<Tensor> &arguments);

} // namespace proa::numerics
