/// The state of one export to ONNX: the model under construction and the names of its values.
#pragma once

#include "translator/export/onnx/OnnxExport.h"
#include "translator/import/onnx/OnnxTable.h"
#include "translator/onnx/Schema.h"

#include "dialects/pd/builders/TensorBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace proa::pd {
class FailOp;
} // namespace proa::pd

namespace proa::exporter {

class GraphExporter {
public:
  GraphExporter(mlir::func::FuncOp main, const OnnxExportOptions &options) : main(main), options(options) {}

  Result<onnx::Model> run();

  // For nodes.

  int64_t getOpset() const { return options.opset; }
  /// The name of the value; ends with an error at a value that could not be written.
  std::string nameOf(mlir::Value value) const { return names.lookup(value); }
  /// From here on the value has this name.
  void bind(mlir::Value value, std::string name) { names[value] = std::move(name); }
  /// The integers that a quantization has as floats in `value`; "" if the value is another one.
  std::string integersOf(mlir::Value value) const { return integers.lookup(value); }
  void bindIntegers(mlir::Value value, std::string name) { integers[value] = std::move(name); }
  /// The value of a parameter that the program does not change; null for other values.
  const Tensor *parameterOf(mlir::Value value);
  std::string freshName();
  /// The name of a constant of the main graph. Equal constants share one.
  std::string addConstant(const Tensor &tensor);
  /// Notes the names of the components of a complex value, a tensor of pairs.
  void setComponents(const std::string &pairs, std::string re, std::string im) {
    components[pairs] = {std::move(re), std::move(im)};
  }
  /// The name of component 0 or 1 of a complex value; "" if it is not known.
  std::string componentOf(const std::string &pairs, int64_t index) const {
    auto found = components.find(pairs);
    return found == components.end() ? "" : index == 0 ? found->second.first : found->second.second;
  }
  /// Adds a node to the current graph, with the op and the line of Python that it computes.
  void addNode(onnx::Node node);
  /// Writes an op: by a mapping, or its decomposition.
  void write(mlir::Operation &op);
  /// Writes the decomposition of an op. False if it has none.
  bool writeDecomposed(mlir::Operation &op);
  /// Writes the ops between `before` (null: the start of the block) and `op`, and erases them. The result has
  /// the names of `values`; "" for null.
  std::vector<std::string> writeCreated(mlir::Operation &op, mlir::Operation *before,
                                        llvm::ArrayRef<mlir::Value> values);
  /// A graph of a node, with what `body` writes. Its outputs are the values that `body` returns.
  onnx::Graph subgraph(llvm::function_ref<llvm::SmallVector<mlir::Value>(onnx::Graph &)> body);
  /// Reports an error of the op, once for each message.
  void report(mlir::Operation *op, const llvm::Twine &message);
  /// The type of a value in ONNX; reports an element type that ONNX lacks.
  onnx::Type typeOf(mlir::Type type, mlir::Operation *op);
  onnx::ValueInfo infoOf(const std::string &name, mlir::Type type, mlir::Operation *op);

private:
  // The interface (Interface.cpp).

  void reserveNames();
  void addArgument(mlir::BlockArgument argument);
  void addFetches();
  /// Whether the next value of a parameter is its value. The parameter is then no input.
  bool dropUnchanged(mlir::Value value, llvm::StringRef state);
  /// Adds `value` as an output of this name.
  void addOutput(mlir::Value value, std::string name);
  mlir::StringAttr roleOf(mlir::BlockArgument argument, llvm::StringRef role);
  bool isState(llvm::StringRef parameter);
  bool isRead(llvm::StringRef state);
  /// Renames values and removes nodes and constants that no output needs.
  void finish();

  // Ops (GraphExporter.cpp).

  void writeBlock(mlir::Block &body);
  bool writeFolded(mlir::Operation &op);
  bool writeMapped(mlir::Operation &op);
  /// Writes an op on complex numbers by ops on their components. False for other ops.
  bool writeComplex(mlir::Operation &op);
  /// Writes ops that `create` creates before the op, and binds its results. False if `create` fails.
  bool
  writeInstead(mlir::Operation &op,
               llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::OpBuilder &)> create);
  /// Results of ops of the program get the names of its variables.
  void keepVariableNames(mlir::Operation &op);

  // Control flow and arrays (GraphControl.cpp). False for other ops.

  bool writeStructure(mlir::Operation &op);
  void writeIf(mlir::scf::IfOp op);
  void writeWhile(mlir::scf::WhileOp op);
  void writeFail(pd::FailOp op);

  mlir::func::FuncOp main;
  const OnnxExportOptions &options;
  onnx::Model model;
  Diagnostics diagnostics;
  llvm::DenseMap<mlir::Value, std::string> names, integers;
  llvm::StringSet<> taken, reported;
  /// Names of values by the names that nodes gave them.
  llvm::StringMap<std::string> renamed;
  llvm::StringSet<> outputNames;
  llvm::StringMap<std::string> constants;
  llvm::StringMap<std::pair<std::string, std::string>> components;
  /// The graphs that are being written, the main graph first, and the values that their nodes compute.
  std::vector<std::pair<onnx::Graph *, llvm::StringSet<>>> graphs;
  /// The op of the program that is being written, and the number of decompositions around the current op.
  mlir::Operation *current = nullptr;
  int64_t depth = 0;
  int64_t counter = 0;
};

/// Renames values in a graph and its subgraphs.
void renameValues(onnx::Graph &graph, const llvm::StringMap<std::string> &renamed);
/// Removes nodes and initializers that no output needs.
void removeUnused(onnx::Graph &graph);

} // namespace proa::exporter
