/// The export of one op to ONNX. Hooks (`exportHook` in dialects/pd/ir/Onnx.td) see it as import hooks see
/// NodeImporter.
#pragma once

#include "translator/export/onnx/GraphExporter.h"

#include "dialects/pd/ir/Infer.h"

namespace proa::exporter {

class NodeExporter {
public:
  using Name = std::string;
  /// An attribute, or an input that must be constant in this opset.
  struct Named {
    llvm::StringRef name;
    onnx::AttributeValue value;
  };

  NodeExporter(GraphExporter &graph, mlir::Operation *op, const import::OnnxOp &entry)
      : graph(graph), op(op), entry(entry) {}

  mlir::Operation *getOp() const { return op; }
  template <class Op> Op get() const { return mlir::cast<Op>(op); }
  GraphExporter &getGraph() { return graph; }
  int64_t getOpset() const { return graph.getOpset(); }

  // Names of values. An absent operand has the empty name.

  Name of(mlir::Value value) const { return value ? graph.nameOf(value) : ""; }
  std::vector<Name> of(mlir::ValueRange values) const;

  // Constants.

  Name ints(llvm::ArrayRef<int64_t> values);
  Name scalar(double value, mlir::Type element);
  Name numbers(llvm::ArrayRef<double> values, mlir::Type element);

  // Nodes. What the schema of this opset has as an input becomes a constant there.

  Name node(llvm::StringRef type, std::vector<Name> inputs, std::vector<Named> attributes = {});
  std::vector<Name> nodes(llvm::StringRef type, std::vector<Name> inputs, std::vector<Named> attributes,
                          size_t outputs);
  Name cast(Name value, mlir::Type element);
  Name reshape(Name value, llvm::ArrayRef<int64_t> shape);
  Name unsqueeze(Name value, llvm::ArrayRef<int64_t> axes);
  Name squeeze(Name value, llvm::ArrayRef<int64_t> axes);
  /// The shape of a value as a vector of int64.
  Name shapeOf(Name value) { return node("Shape", {std::move(value)}); }

  // Results.

  void setResult(unsigned index, Name name) { graph.bind(op->getResult(index), std::move(name)); }

  /// Writes the decomposition of the op.
  void decompose() { graph.writeDecomposed(*op); }
  /// Writes the node that the table describes.
  void exportByTable();
  using Formula = llvm::function_ref<llvm::SmallVector<mlir::Value>(pd::TensorBuilder &)>;
  /// Writes the ops of pd that `formula` creates. The result has the names of the values that it returns.
  std::vector<Name> compute(Formula formula);
  /// The same, for a formula that returns the results.
  void exportAs(Formula formula);
  /// exportAs with the op in another element type, which the op's ONNX form takes: operands of one of the
  /// types `from` are cast before and results of that type after it. False if there are none.
  bool widen(llvm::ArrayRef<DType> from, DType to);

  void report(const llvm::Twine &message) { graph.report(op, message); }

  /// Writes the op: the hook, or exportByTable.
  void run();

private:
  bool castUnsupported(const onnx::Schema &schema);
  void addOperands(const onnx::Schema &schema, std::vector<Name> &inputs, std::vector<Named> &attributes);
  void addAttributes(const onnx::Schema &schema, std::vector<Named> &attributes);

  GraphExporter &graph;
  mlir::Operation *op;
  const import::OnnxOp &entry;
};

using OnnxExportHook = void (*)(NodeExporter &);

/// The export hook of a mapping, or null.
OnnxExportHook findOnnxExportHook(mlir::Operation *op, const import::OnnxOp &entry);
/// Whether the condition of a mapping holds (`writtenIf`).
bool isExpressibleInOnnx(mlir::Operation *op, const import::OnnxOp &entry, int64_t opset);
/// Whether the mapping can express the op in this opset.
bool isWritable(mlir::Operation *op, const import::OnnxOp &entry, int64_t opset);

} // namespace proa::exporter
