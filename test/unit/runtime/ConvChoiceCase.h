/// The choice of the kernel of a two-dimensional convolution in float32.
#pragma once

#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/kernels/conv/ConvChoice.h"
#include "lib/runtime/kernels/matmul/PanelGemm.h"

#include "dialects/pd/ops/conv/Conv.kernels.inc"

#include <gtest/gtest.h>

namespace proa::runtime {

struct ConvChoiceCase {
  Conv2dAttributes attributes; ///< NHWC, unless they say otherwise
  std::vector<int64_t> x, filter;
  bool isConstant = true;
};

inline ConvMachine machineNamed(const char *name) {
  ConvMachine machine{*knownFacts<CpuFacts>(name)};
  machine.prefersPanels = machine.cpu.vectorBits < 512;
  return machine;
}
/// As a program without a target.
inline ConvMachine thisMachine() { return {*knownFacts<CpuFacts>(nameOf(vectorIsa())), prefersPanels()}; }

inline ConvChoice choiceOf(const ConvChoiceCase &c, const ConvMachine &machine,
                           LibraryForm form = LibraryForm::Direct) {
  OperandType operand{true, true, DType::Float32, {}};
  std::vector<OperandType> inputs(2, operand), outputs(1, operand);
  auto parsed = ConvConfig::create(c.attributes, {inputs, outputs}, 2, false);
  EXPECT_TRUE(parsed) << parsed.diagnostics().text();
  auto geometry = ConvGeometry::compute(*parsed, c.x, c.filter, {});
  EXPECT_TRUE(geometry) << geometry.diagnostics().text();
  return chooseConv({*parsed, *geometry, inputs, c.isConstant}, machine, form);
}

} // namespace proa::runtime
