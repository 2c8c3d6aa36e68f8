/// The import of a model of ONNX: the function under construction, and the values of names.
#pragma once

#include "translator/import/CreateOp.h"
#include "translator/import/onnx/NodeImporter.h"
#include "translator/import/onnx/OnnxImporter.h"
#include "translator/onnx/Location.h"
#include "translator/onnx/Parameters.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>

namespace proa::import {

class GraphImporter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  GraphImporter(mlir::MLIRContext &context, const onnx::Model &model, const ImportOptions &options);

  Result<mlir::OwningOpRef<mlir::ModuleOp>> run();
  Result<Interface> declaredInterface();

  // For nodes.

  /// The value of a name in this graph or one around it; ends the hook if it has none. Values of nodes that
  /// could not be imported end it without a report.
  mlir::Value lookup(const std::string &name);
  /// The value of a name; null if it has none.
  mlir::Value find(llvm::StringRef name) const;
  void define(const std::string &name, mlir::Value value);
  /// The elements of a value that are known at import: those of constants and parameters, and what follows
  /// from them and from static dims.
  std::optional<Tensor> knownTensor(mlir::Value value);
  /// Imports the nodes of a graph at the insertion point, with these values of its inputs. The results are
  /// the values of its outputs; empty after an error, which is reported.
  Values importBody(const onnx::Graph &graph, llvm::ArrayRef<mlir::Value> inputs);
  /// Reports an error of the current node. `isOpen`: static dims or values of the feeds may avoid it.
  void report(const llvm::Twine &message, bool isOpen = false);
  /// Reports what MLIR has said about an op that could not be created.
  void reportRefused(bool isOpen);
  /// Whether the current node has an error.
  bool hasReported() const { return isBlocked || diagnostics.size() != reportedBefore; }
  /// The constant, or parameter of the program, that a tensor of the model is; null, and a report, for
  /// strings.
  mlir::Value importInitializer(const onnx::TensorValue &tensor);
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location location();
  const ImportOptions &getOptions() const { return options; }
  int64_t opsetOf(llvm::StringRef domain) const;
  /// The element type that ONNX gives a value whose type pd lacks (int4 in int8); Undefined for others.
  onnx::DataType storedType(mlir::Value value) const { return storedTypes.lookup(value); }
  void setStoredType(mlir::Value value, onnx::DataType type) { storedTypes[value] = type; }

private:
  // The interface (Interface.cpp).

  void makeFunction();
  void finishFunction();
  /// The type of a feed, with the dims that the options know; null, and an error, for maps and strings.
  mlir::Type feedType(const onnx::ValueInfo &input);
  /// The model's own feeds: inputs without initializers.
  std::vector<const onnx::ValueInfo *> ownFeeds() const;
  mlir::Value addArgument(llvm::StringRef role, const std::string &name, mlir::Type type);
  std::vector<std::pair<std::string, mlir::Value>> chooseFetches();
  void refuseName(const char *kind, const std::string &name);
  void eraseUnneeded(mlir::Block &body);

  // Graphs.

  void importNodes(const onnx::Graph &graph);
  void importNode(const onnx::Node &node);
  void replaceFed(const onnx::Node &node);
  /// Whether the schema allows the stored types of all inputs; reports one that it does not.
  bool takesStoredTypes(const onnx::Node &node, const onnx::Schema &schema);
  /// Outputs whose schema gives them the type of an input have its stored type.
  void keepStoredTypes(const onnx::Node &node, const onnx::Schema &schema);

  struct Scope {
    llvm::StringMap<mlir::Value> values;
    std::set<std::string> poisoned;
    const onnx::Graph *graph;
  };

  mlir::MLIRContext &context;
  const onnx::Model &model;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<mlir::NamedAttrList> argumentAttributes;
  /// The graphs around the current node, the main graph first.
  std::vector<Scope> scopes;
  /// Large tensors of initializers and constants, which are parameters of the program.
  onnx::Parameters parameters;
  llvm::DenseMap<mlir::Value, const Tensor *> parameterTensors;
  llvm::DenseMap<mlir::Value, onnx::DataType> storedTypes;
  /// Arguments for values that nodes of the model compute, by name.
  std::map<std::string, mlir::Value> fed;
  bool isPart = false;
  const onnx::Node *current = nullptr;
  size_t currentIndex = 0;
  bool isBlocked = false;
  size_t reportedBefore = 0;
  Diagnostics diagnostics, interfaceErrors;
  /// The number of errors that the dims or values of the feeds may avoid.
  size_t openErrors = 0;
  std::string mlirErrors;
};

} // namespace proa::import
