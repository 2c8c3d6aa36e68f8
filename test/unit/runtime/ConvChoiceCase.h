/// The choice of the kernel of a two-dimensional convolution in float32.
#pragma once

#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/kernels/conv/ConvChoice.h"

#include "dialects/pd/ops/conv/Conv.kernels.inc"

#include <gtest/gtest.h>

#include <optional>

namespace proa::runtime {

struct ConvChoiceCase {
  Conv2dAttributes attributes; ///< NHWC, unless they say otherwise
  std::vector<int64_t> x, filter;
  bool isConstant = true;
  std::optional<bool> readsLast = {}; ///< the order of the image, if it is another one
  bool isTransposed = false;
};

inline ConvMachine machineNamed(const char *name) {
  ConvMachine machine{*knownFacts<CpuFacts>(name)};
  machine.keepsTiles = true;
  return machine;
}
/// As a program without a target.
inline ConvMachine thisMachine() { return {*knownFacts<CpuFacts>(nameOf(vectorIsa()))}; }

inline std::vector<OperandType> operandsOf(size_t count) {
  return std::vector<OperandType>(count, OperandType{true, true, DType::Float32, {}});
}

inline ConvConfig configOf(const ConvChoiceCase &c) {
  std::vector<OperandType> inputs = operandsOf(2), outputs = operandsOf(1);
  auto parsed = ConvConfig::create(c.attributes, {inputs, outputs}, 2, c.isTransposed);
  EXPECT_TRUE(parsed) << parsed.diagnostics().text();
  parsed->inputLast = c.readsLast.value_or(parsed->channelLast);
  return std::move(*parsed);
}

inline ConvGeometry geometryOf(const ConvChoiceCase &c) {
  auto geometry = ConvGeometry::compute(configOf(c), c.x, c.filter, {});
  EXPECT_TRUE(geometry) << geometry.diagnostics().text();
  return std::move(*geometry);
}

inline ConvChoice choiceOf(const ConvChoiceCase &c, const ConvMachine &machine,
                           LibraryForm form = LibraryForm::Direct) {
  ConvConfig config = configOf(c);
  ConvGeometry geometry = geometryOf(c);
  std::vector<OperandType> inputs = operandsOf(2);
  return chooseConv({config, geometry, inputs, c.isConstant}, machine, form);
}

} // namespace proa::runtime
