/// The interface of import hooks of ONNX: a node, the values of its inputs, and a builder. A hook imports an
/// op that the field `onnx` of a record (dialects/pd/ir/Onnx.td) cannot describe alone.
#pragma once

#include "translator/import/onnx/OnnxTable.h"
#include "translator/onnx/Model.h"
#include "translator/onnx/Schema.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Enums.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>

namespace proa::import {

class GraphImporter;

/// Names of inputs, outputs and attributes follow the op's schema; "A|B" lists alternatives. What a
/// hook does not ask for is refused by reportUnread(), so that nothing is dropped silently.
class NodeImporter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  NodeImporter(GraphImporter &graph, const onnx::Node &node, const onnx::Schema &schema, int64_t opset,
               const OnnxOp &entry, mlir::OpBuilder &builder, mlir::Location location)
      : graph(graph), node(node), schema(schema), opset(opset), entry(entry), builder(builder),
        location(location) {}

  const onnx::Node &getNode() const { return node; }
  /// The opset of the node's domain that the model imports.
  int64_t getOpset() const { return opset; }
  /// The first opset that has the op in this version: `since() >= 13`.
  int64_t since() const { return schema.since; }
  GraphImporter &getGraph() { return graph; }
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLocation() const { return location; }

  // Inputs.

  /// The tensor of an input; null if it is absent. Reports an array.
  mlir::Value input(llvm::StringRef name);
  /// The tensor of an input; null, and a report, if it is absent.
  mlir::Value requiredInput(llvm::StringRef name);
  /// The tensors of a variadic input; null for one that is absent. Reports an array.
  Values inputs(llvm::StringRef name);
  /// The same, tensors and arrays.
  Values values(llvm::StringRef name);
  /// The tensor array of an input (a sequence or an optional); null, and a report, for a tensor.
  mlir::Value array(llvm::StringRef name);
  /// The value of an input, a tensor or an array; null if it is absent.
  mlir::Value value(llvm::StringRef name);
  bool hasInput(llvm::StringRef name);
  /// The elements of an input that must be known at import; nothing, and a report, if they are not. An absent
  /// input has no elements, without a report.
  std::optional<Tensor> known(llvm::StringRef name);

  // Attributes, or inputs whose elements are known. Defaults follow the schema; `otherwise` is for an
  // attribute that has none. Reports another kind.

  /// Whether the node has the attribute, or the input of this name.
  bool hasAttribute(llvm::StringRef name);
  int64_t intAttribute(llvm::StringRef name, int64_t otherwise = 0);
  bool boolAttribute(llvm::StringRef name) { return intAttribute(name) != 0; }
  double floatAttribute(llvm::StringRef name, double otherwise = 0);
  std::string stringAttribute(llvm::StringRef name, llvm::StringRef otherwise = "");
  /// Nothing: the attribute or input is absent and has no default.
  std::optional<llvm::SmallVector<int64_t>> optionalInts(llvm::StringRef name);
  llvm::SmallVector<int64_t> intsAttribute(llvm::StringRef name, llvm::ArrayRef<int64_t> otherwise = {});
  llvm::SmallVector<double> floatsAttribute(llvm::StringRef name, llvm::ArrayRef<double> otherwise = {});
  std::vector<std::string> stringsAttribute(llvm::StringRef name);
  /// The element type of a number of TensorProto.DataType; null if it is absent, and for an unknown one,
  /// which is reported.
  mlir::Type typeAttribute(llvm::StringRef name, std::optional<onnx::DataType> otherwise = std::nullopt);
  /// The tensor of an attribute; null if it is absent.
  const onnx::TensorValue *tensorAttribute(llvm::StringRef name);
  /// The graph of an attribute; null if it is absent.
  const onnx::Graph *graphAttribute(llvm::StringRef name);

  // Results.

  /// Whether something may read the output.
  bool needsOutput(llvm::StringRef name) const;
  /// Defines an output. Does nothing if the output is absent or the value null.
  void setOutput(llvm::StringRef name, mlir::Value value);
  /// Defines the values of a variadic output.
  void setOutputs(llvm::StringRef name, llvm::ArrayRef<mlir::Value> values);
  /// Number of the node's outputs.
  size_t outputCount() const { return node.outputs.size(); }

  // Ops.

  /// Builds ops with inferred result types at the insertion point. An op whose result types cannot be
  /// inferred ends the hook, with a report.
  pd::TensorBuilder &tensors();
  pd::Expression wrap(mlir::Value value) { return tensors().wrap(value); }
  /// An input as an expression; ends the hook, with a report, if it is absent.
  pd::Expression operand(llvm::StringRef name);
  pd::Expression integers(llvm::ArrayRef<int64_t> values);
  /// A constant with one element for each value.
  pd::Expression numbers(llvm::ArrayRef<double> values, mlir::Type element);
  pd::Expression scalar(double value, mlir::Type element) { return tensors().constant(value, element); }
  mlir::Value constant(const Tensor &tensor);
  /// Builds an op with several results: createOp<pd::LstmOp>(x, weight, ...).
  template <class Op, class... Args> Op createOp(Args &&...args) {
    tensors();
    return Op::create(builder, location, std::forward<Args>(args)...);
  }
  /// Builds an op and returns its first result.
  template <class Op, class... Args> pd::Expression create(Args &&...args) {
    return wrap(createOp<Op>(std::forward<Args>(args)...)->getResult(0));
  }
  /// Creates an op by its name, from one group of values for each operand. After an error, which is reported,
  /// the result is empty.
  Values createByName(llvm::StringRef name, llvm::ArrayRef<Values> operands,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }

  /// Imports the node by its table entry, for hooks that only adjust inputs or attributes.
  void importByTable();
  /// Replaces the value of an input for importByTable.
  void overrideInput(llvm::StringRef name, mlir::Value value) { overriddenInputs[name] = value; }
  /// Sets an attribute of the pd op that importByTable creates.
  void addAttribute(llvm::StringRef name, mlir::Attribute value) { added.push_back(named(name, value)); }

  // Errors.

  /// Reports an error of this node. The import continues, to find others, and fails at the end.
  void report(const llvm::Twine &message);
  /// The same, if static dims or values of the feeds may help.
  void reportOpen(const llvm::Twine &message);
  /// Ends the hook; the reason is reported.
  [[noreturn]] void stop();

  /// Imports the node: the hook, or importByTable.
  void run();

private:
  /// The indices of the node's inputs that belong to a parameter of the schema; empty if it has none.
  std::pair<size_t, size_t> inputRange(llvm::StringRef name) const;
  std::pair<size_t, size_t> outputRange(llvm::StringRef name) const;
  /// The attribute or its default; monostate if there is none.
  onnx::AttributeValue attributeValue(llvm::StringRef name);
  bool isInput(llvm::StringRef name) const;
  mlir::Attribute convert(const MappedAttribute &attribute);
  void reportUnread();
  void reportIgnored();
  void defineResults(mlir::Operation *created);
  void askFor(llvm::StringRef name);

  GraphImporter &graph;
  const onnx::Node &node;
  const onnx::Schema &schema;
  int64_t opset;
  const OnnxOp &entry;
  mlir::OpBuilder &builder;
  mlir::Location location;
  /// The builder of tensors(), and the detached op that gives it its location.
  mlir::OwningOpRef<mlir::Operation *> anchor;
  std::optional<pd::TensorBuilder> tensorBuilder;
  llvm::StringSet<> asked;
  llvm::StringMap<mlir::Value> overriddenInputs;
  llvm::SmallVector<mlir::NamedAttribute> added;
};

/// The alternative of "A|B" that `has` accepts; the first one if there is none.
llvm::StringRef alternativeIn(llvm::StringRef names, llvm::function_ref<bool(llvm::StringRef)> has);

} // namespace proa::import
