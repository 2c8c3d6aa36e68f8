/// Coverage of the ops of ONNX by import and export.
#pragma once

#include <string>
#include <vector>

namespace proa::tools {

/// One op of ONNX.
struct OnnxCoverage {
  std::string name;                  ///< "Gemm", "ai.onnx.ml.Scaler"
  std::vector<int> versions;         ///< the opsets that changed the op
  std::string imported;              ///< the pd op, "formula", or empty: it is not imported
  std::vector<std::string> exported; ///< the pd ops that are written as this op
};

/// A row for each op with a schema, sorted by domain and name.
std::vector<OnnxCoverage> coverageOfOnnx();

/// The rows as a Markdown table with a summary, as plain columns, and as JSON.
std::string coverageMarkdown(const std::vector<OnnxCoverage> &rows);
std::string coverageTable(const std::vector<OnnxCoverage> &rows);
std::string coverageJson(const std::vector<OnnxCoverage> &rows);

} // namespace proa::tools
