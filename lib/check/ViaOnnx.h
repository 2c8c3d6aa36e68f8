/// Runs of a program that is exported to ONNX, in ONNX Runtime.
#pragma once

#include "lib/check/CaseResult.h"
#include "lib/check/OnnxRunner.h"

#include <functional>

namespace proa::check {

struct ViaOnnxOptions {
  int64_t opset = 20;
  std::function<void(Stage)> onStage;
  std::function<void(const Diagnostic &)> onDiagnostic;
};

/// The outputs of an exported program, with their LoDs, or the stage that failed and its errors.
struct ViaOnnxRun {
  Stage stage = Stage::Import;
  Result<std::vector<NamedTensor>> outputs;
};

/// Imports the program at `model`, exports it, checks the file by onnx.checker and runs it with these feeds.
/// A program that can only be imported for the dims and values of its feeds is imported for them.
ViaOnnxRun runViaOnnx(const std::string &model, const CaseMeta &meta, const Tensors &feeds,
                      const OnnxRunner &runner, const ViaOnnxOptions &options);

} // namespace proa::check
