/// Helpers of the hooks of ai.onnx.ml.
#pragma once

#include "translator/import/onnx/NodeImporter.h"

namespace proa::import {

/// The functions of a model's scores.
enum class PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

/// The attribute `post_transform`, a name.
PostTransform readPostTransform(NodeImporter &node);
/// Scores [examples, classes] after the transform.
pd::Expression transformed(NodeImporter &node, pd::Expression scores, PostTransform transform);

/// A constant [rows, columns] of f32.
pd::Expression matrixOf(NodeImporter &node, llvm::ArrayRef<double> elements, int64_t rows, int64_t columns);
/// X in f32, or f64 if it has such elements.
pd::Expression floatInput(NodeImporter &node, llvm::StringRef name = "X");

/// The labels of classes: integers or strings.
struct Labels {
  llvm::SmallVector<int64_t> integers;
  std::vector<std::string> strings;

  int64_t size() const { return static_cast<int64_t>(std::max(integers.size(), strings.size())); }
};
/// The labels in these attributes.
Labels readLabels(NodeImporter &node, llvm::StringRef integers, llvm::StringRef strings);
/// Sets the output of labels: entry `index` of each example.
void setLabels(NodeImporter &node, llvm::StringRef output, pd::Expression index, const Labels &labels);
/// The index of the greatest score of each example, [examples].
pd::Expression greatestOf(NodeImporter &node, pd::Expression scores);

namespace onnxhooks {
/// The index of each element of x in a vector of keys, the first of equal ones; -1 if it is not a key.
pd::Expression positionsOf(NodeImporter &node, pd::Expression x, pd::Expression keys, bool areStrings);
} // namespace onnxhooks

} // namespace proa::import
