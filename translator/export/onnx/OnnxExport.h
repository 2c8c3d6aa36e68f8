/// Export of a function of pd ops as an ONNX model.
#pragma once

#include "translator/onnx/Model.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace proa::exporter {

struct OnnxExportOptions {
  /// The opset of the model, from `oldestWrittenOpset` to onnx::newestOpsetVersion.
  int64_t opset = 20;
  /// The value of a parameter; null if there is none.
  std::function<const Tensor *(const std::string &)> parameter = [](const std::string &) { return nullptr; };
};

/// Sequences, which arrays become, can be carried by loops from this opset on.
inline constexpr int64_t oldestWrittenOpset = 13;

/// Writes the function `main`: feeds are inputs and fetches outputs, with their names; parameters are
/// initializers. A parameter that the program changes is an input that has an initializer; its next value is
/// the output "NAME@NEXT". A dynamic dim of a feed is the parameter "FEED_dimN". An op is written by the
/// first applicable mapping of its record (the field `onnx`), else by its decomposition. Nodes have the pd op
/// in `metadata_props` and the line of Python in `doc_string`. Checks (pd.assert) and prints are left out.
/// Errors, all at once, each with the op and its location: an op without ONNX form; a parameter without a
/// value; a type that ONNX lacks.
Result<onnx::Model> exportOnnx(mlir::ModuleOp module, const OnnxExportOptions &options);

} // namespace proa::exporter
