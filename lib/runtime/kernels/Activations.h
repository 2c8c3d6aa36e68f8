/// The activations that the attributes of recurrent kernels name.
#pragma once

#include "lib/runtime/kernels/Checks.h"

#include <cmath>
#include <cstdint>
#include <string>

namespace proa::runtime {

enum class Activation : uint8_t { Identity, Sigmoid, Tanh, Relu };

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

/// The activation that an attribute names. Error: it is not an activation.
inline Activation activationOf(Checks &checks, const char *name, const std::string &text) {
  if (text == "sigmoid")
    return Activation::Sigmoid;
  if (text == "tanh")
    return Activation::Tanh;
  if (text == "relu")
    return Activation::Relu;
  checks.expect(text == "identity" || text.empty(),
                fmt::format("attribute '{}' is '{}'; expected sigmoid, tanh, relu or identity", name, text));
  return Activation::Identity;
}

} // namespace proa::runtime
