/// Parts of the hooks of ai.onnx.ml.
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

/// The integer labels of classes; nothing, and a report if an output needs them, for strings.
std::optional<llvm::SmallVector<int64_t>> readLabels(NodeImporter &node, llvm::StringRef integers,
                                                     llvm::StringRef strings, llvm::StringRef output);
/// The number of classes by their labels, integers or strings.
int64_t countLabels(NodeImporter &node, llvm::StringRef integers, llvm::StringRef strings);
/// Sets the output of labels: entry `index` of each example.
void setLabels(NodeImporter &node, llvm::StringRef output, pd::Expression index,
               const std::optional<llvm::SmallVector<int64_t>> &labels);
/// The index of the greatest score of each example, [examples].
pd::Expression greatestOf(NodeImporter &node, pd::Expression scores);

} // namespace proa::import
