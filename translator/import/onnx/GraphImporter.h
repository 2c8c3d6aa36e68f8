/// The import of a model of ONNX: the function under construction, and the values of names.
#pragma once

#include "translator/import/common/CreateOp.h"
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

/// An optional tensor is an array of no element or one. An optional sequence without elements is one that
/// holds no sequence.
enum class ArrayKind : uint8_t { Sequence, Optional, OptionalSequence };

/// Errors of an import, and how many of them static dims or values of the feeds may avoid.
struct ImportFailure {
  Diagnostics errors;
  size_t open = 0;
};

/// Adds the names of the values that a node depends on, also in its graphs.
void addReadNames(const onnx::Node &node, llvm::StringSet<> &names);

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
  /// Whether a fetch or another node may need the value of a name.
  bool isNeeded(llvm::StringRef name) const { return scopes.size() > 1 || neededValues.contains(name); }
  /// The elements of a value that are known at import: the elements of constants and parameters, and what
  /// follows from them and from static dims.
  std::optional<Tensor> knownTensor(mlir::Value value);
  /// Imports the nodes of a graph at the insertion point, with these values of its inputs. The results are
  /// the values of its outputs; empty after an error, which is reported.
  Values importBody(const onnx::Graph &graph, llvm::ArrayRef<mlir::Value> inputs);
  /// Runs an import that something else may replace. After errors these are returned instead of reported; the
  /// ops that it has created remain.
  std::optional<ImportFailure> attempt(llvm::function_ref<void()> import);
  /// The same for a graph without inputs that may never run: instead of a report, `failures` gets its errors.
  /// Errors that static dims or values of the feeds may avoid are reported, unless the options defer them;
  /// they end the hook.
  Values importBranch(const onnx::Graph &graph, Diagnostics &failures);
  /// Imports again, at the insertion point, the nodes before the current one that compute `result` from
  /// the given values. Returns the new value of `result`; ends the hook, with a report, if it does not follow
  /// from them.
  mlir::Value importAgain(const llvm::StringMap<mlir::Value> &given, const std::string &result);
  /// Imports nodes of this graph in which names have other values. Returns the values that they define.
  llvm::StringMap<mlir::Value> importWith(const llvm::StringMap<mlir::Value> &given,
                                          llvm::function_ref<void()> import);
  /// Reports errors that importBranch or attempt have returned.
  void reportFailures(const Diagnostics &failures) { diagnostics.append(failures); }
  void reportFailures(const ImportFailure &failure) {
    diagnostics.append(failure.errors);
    openErrors += failure.open;
  }
  /// Whether that many iterations may still be imported one after the other.
  bool mayUnroll(int64_t iterations) const { return iterations <= mostUnrolled - unrolled; }
  /// Counts an iteration that is imported so.
  void countUnrolled() { ++unrolled; }
  /// Reports an error of the current node. `isOpen`: static dims or values of the feeds may avoid it.
  void report(const llvm::Twine &message, bool isOpen = false);
  /// Reports what MLIR has said about an op that could not be created.
  void reportRefused(bool isOpen);
  /// Whether the current node has an error.
  bool hasReported() const { return isBlocked || diagnostics.size() != reportedBefore; }
  /// The constant, or parameter of the program, that a tensor of the model is.
  mlir::Value importInitializer(const onnx::TensorValue &tensor);
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location location();
  const ImportOptions &getOptions() const { return options; }
  int64_t opsetOf(llvm::StringRef domain) const;
  /// The element type that ONNX gives a value whose type pd lacks (int4 in int8); Undefined for others.
  onnx::DataType storedType(mlir::Value value) const { return storedTypes.lookup(value); }
  void setStoredType(mlir::Value value, onnx::DataType type) { storedTypes[value] = type; }
  /// The type of ONNX that an array has.
  ArrayKind arrayKind(mlir::Value value) const { return arrayKinds.lookup(value); }
  void setArrayKind(mlir::Value value, ArrayKind kind) { arrayKinds[value] = kind; }
  /// Gives `to` what is known about `from` beyond its type: the element type of ONNX, and the kind of array.
  void keepKind(mlir::Value from, mlir::Value to);
  /// Forgets the values of a region that is not used.
  void forget(mlir::Region &region);

private:
  // The interface (Interface.cpp).

  void makeFunction();
  void finishFunction();
  void addFeed(const onnx::ValueInfo &info);
  bool isWanted(const std::string &feed) const;
  /// The type of a feed, with the dims that the options know; null, and an error, for maps.
  mlir::RankedTensorType feedType(const onnx::ValueInfo &input);
  /// The model's own feeds: inputs without initializers.
  std::vector<const onnx::ValueInfo *> ownFeeds() const;
  mlir::Value addArgument(llvm::StringRef role, const std::string &name, mlir::Type type,
                          llvm::ArrayRef<std::string> dimNames = {});
  // Feeds and fetches that are sequences (Sequences.cpp).

  /// The type of the elements of a sequence, an optional or an optional sequence of numbers; none for other
  /// values.
  static std::optional<DType> sequenceElementType(const onnx::ValueInfo &info);
  void addSequence(const onnx::ValueInfo &info, DType dtype);
  mlir::Value addElement(const std::string &sequence, size_t index, mlir::RankedTensorType type);
  /// The two tensors that a program returns for an array.
  std::pair<mlir::Value, mlir::Value> packSequence(mlir::Value array);
  void addResult(const std::string &name, mlir::Value value);
  /// Adds results for ImportOptions::fetchesAll.
  void addComputedValues();
  mlir::Attribute namesAttribute(llvm::ArrayRef<std::string> names);
  std::vector<std::string> dimNamesOfOutput(llvm::StringRef name) const;
  /// Adds the declared types of the fetches.
  void declareOutputs(Interface &interface);
  /// The given names of fetches, or the model's own.
  std::vector<std::string> fetchNames() const;
  /// Finds the nodes and values that the fetches need; the others are not imported.
  void findNeeded();
  std::vector<std::pair<std::string, mlir::Value>> chooseFetches();
  void refuseName(const char *kind, const std::string &name);

  // Graphs.

  void importInitializers(const onnx::Graph &graph);
  void importNodes(const onnx::Graph &graph);
  /// Imports a node: a call of a function that is an op too as the op, or by its nodes if that is an error.
  void importNode(const onnx::Node &node);
  void importOp(const onnx::Node &node);
  /// Reports an input or output of strings of a node that does not take them; false if there is none. The
  /// outputs that are strings are noted, so that each node that needs strings has an error.
  bool refusesStrings(const onnx::Node &node, const onnx::Schema &schema);
  bool isString(const std::string &name) const;
  /// Whether the schema allows the stored types of all inputs; reports one that it does not.
  bool takesStoredTypes(const onnx::Node &node, const onnx::Schema &schema);
  /// Outputs whose schema gives them the type of an input have its stored type.
  void keepStoredTypes(const onnx::Node &node, const onnx::Schema &schema);

  struct Scope {
    llvm::StringMap<mlir::Value> values;
    std::set<std::string> poisoned; ///< names of values that could not be imported
    std::set<std::string> strings;  ///< names of values that are strings
    const onnx::Graph *graph;
  };

  mlir::MLIRContext &context;
  const onnx::Model &model;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<mlir::NamedAttrList> argumentAttributes;
  Values results;
  llvm::SmallVector<mlir::DictionaryAttr> resultAttributes;
  /// The graphs around the current node, the main graph first.
  std::vector<Scope> scopes;
  /// Large tensors of initializers and constants, which are parameters of the program.
  onnx::Parameters parameters;
  llvm::DenseMap<mlir::Value, const Tensor *> parameterTensors;
  llvm::DenseMap<mlir::Value, onnx::DataType> storedTypes;
  llvm::DenseMap<mlir::Value, ArrayKind> arrayKinds;
  /// The arguments of parameters. A body that is imported again has the same ones.
  llvm::StringMap<mlir::Value> parameterArguments;
  /// Feeds that nodes of the model compute.
  std::set<std::string> fedInside;
  /// Whether the function has other feeds or fetches than the model.
  bool isSubgraph = false;
  /// By name and index, in the main graph: what the fetches need.
  llvm::StringSet<> neededValues;
  std::vector<bool> neededNodes;
  const onnx::Node *current = nullptr;
  size_t currentIndex = 0;
  bool isBlocked = false;
  size_t reportedBefore = 0;
  Diagnostics diagnostics;
  /// The number of errors that the dims or values of the feeds may avoid.
  size_t openErrors = 0;
  std::string mlirErrors;
  static constexpr int64_t mostUnrolled = 1024;
  int64_t unrolled = 0;
};

} // namespace proa::import
