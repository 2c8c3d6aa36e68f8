/// The activations of recurrent kernels.
#pragma once

#include "dialects/pd/ir/Enums.kernels.inc"

#include <cmath>

namespace proa::runtime {

template <class T> T activate(Activation kind, T x) {
  switch (kind) {
  case Activation::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Activation::Tanh:
    return std::tanh(x);
  case Activation::Relu:
    return x > 0 ? x : T(0);
  case Activation::Identity:
    return x;
  }
  return x;
}

} // namespace proa::runtime
