#include "translator/export/onnx/GraphExporter.h"

#include "translator/export/onnx/ComplexPairs.h"
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ir/ResultNames.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace proa::exporter {
namespace {

/// "train.py:88"; empty for an op without a line.
std::string pythonLine(Location location) {
  if (auto line = location->findInstanceOf<FileLineColLoc>())
    return line.getFilename().str() + ":" + std::to_string(line.getLine());
  return "";
}

onnx::Type tensorOf(onnx::DataType element, llvm::ArrayRef<int64_t> shape) {
  onnx::Type type;
  type.kind = onnx::Type::Kind::Tensor;
  type.elementType = element;
  type.dims.emplace();
  for (int64_t dim : shape) {
    type.dims->emplace_back();
    if (!ShapedType::isDynamic(dim))
      type.dims->back().value = dim;
  }
  return type;
}

} // namespace

std::string GraphExporter::freshName() {
  std::string next;
  do
    next = "t" + std::to_string(counter++);
  while (!taken.insert(next).second);
  return next;
}

std::string GraphExporter::addConstant(const Tensor &elements) {
  Tensor tensor = asPairs(elements);
  std::string key = tensor.describe() + ":";
  key.append(static_cast<const char *>(tensor.data()), tensor.bytes());
  auto [known, isNew] = constants.try_emplace(key);
  if (!isNew)
    return known->second;
  onnx::TensorValue value;
  value.name = known->second = freshName();
  value.type = onnx::dataTypeOf(tensor.dtype());
  value.dims = tensor.dims();
  value.elements = tensor;
  model.graph.initializers.push_back(value);
  return value.name;
}

void GraphExporter::addNode(onnx::Node node) {
  if (current) {
    node.docString = pythonLine(current->getLoc());
    node.metadata.emplace_back("pd.op", current->getName().getStringRef().str());
  }
  for (const std::string &output : node.outputs)
    graphs.back().second.insert(output);
  graphs.back().first->nodes.push_back(std::move(node));
}

void GraphExporter::report(Operation *op, const llvm::Twine &message) {
  std::string line = pythonLine(op->getLoc()), where = op->getName().getStringRef().str();
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    where += " -> " + name.getName().str();
  if (!line.empty())
    where += " (" + line + ")";
  if (reported.insert(where + message.str()).second)
    diagnostics.add(where, message.str());
}

onnx::Type GraphExporter::typeOf(Type type, Operation *op) {
  if (auto array = dyn_cast<pd::ArrayType>(type)) {
    onnx::Type sequence;
    sequence.kind = onnx::Type::Kind::Sequence;
    RankedTensorType element = array.getElement();
    // An element that was never written has other dims (hooks/Control.cpp).
    if (element && element.getRank() > 0)
      element = element.clone(llvm::SmallVector<int64_t>(element.getRank(), ShapedType::kDynamic));
    sequence.element.push_back(element ? typeOf(element, op) : tensorOf(onnx::DataType::Float, {}));
    if (!element || element.getRank() == 0)
      sequence.element.front().dims.reset();
    return sequence;
  }
  if (type.isInteger(1))
    return tensorOf(onnx::DataType::Bool, {});
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (auto complexType = tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType()) {
    llvm::SmallVector<int64_t> dims(tensor.getShape());
    dims.push_back(2);
    tensor = RankedTensorType::get(dims, complexType.getElementType());
  }
  std::optional<DType> dtype = tensor ? pd::dtypeOf(tensor.getElementType()) : std::nullopt;
  if (!dtype) {
    report(op, "a value is not a tensor of an element type that ONNX has");
    return {};
  }
  if ((*dtype == DType::Float8E4M3FN || *dtype == DType::Float8E5M2) && getOpset() < 19)
    report(op, "a value has the element type " + llvm::Twine(proa::nameOf(*dtype)) +
                   ", which ONNX has from opset 19 on");
  return tensorOf(onnx::dataTypeOf(*dtype), tensor.getShape());
}

onnx::ValueInfo GraphExporter::infoOf(const std::string &name, Type type, Operation *op) {
  onnx::ValueInfo info;
  info.name = name;
  info.type = typeOf(type, op);
  return info;
}

void GraphExporter::writeBlock(Block &body) {
  for (Operation &op : body.without_terminator())
    write(op);
}

void GraphExporter::write(Operation &op) {
  Operation *around = current;
  if (depth == 0)
    current = &op;
  if (!writeStructure(op) && !writeFolded(op) && !writeComplex(op) && !writeMapped(op) &&
      !writeDecomposed(op))
    report(current, current == &op ? llvm::Twine("has no form in ONNX of opset ") + llvm::Twine(getOpset())
                                   : "needs " + op.getName().getStringRef() +
                                         ", which has no form in ONNX of opset " + llvm::Twine(getOpset()));
  if (depth == 0)
    keepVariableNames(op);
  current = around;
}

/// Shape arithmetic of decompositions, which is constant where dims are static.
bool GraphExporter::writeFolded(Operation &op) {
  llvm::SmallVector<OpFoldResult> folded;
  if (!isPure(&op) || failed(op.fold(folded)) || folded.size() != op.getNumResults())
    return false;
  for (auto [result, value] : llvm::zip(op.getResults(), folded)) {
    if (auto known = dyn_cast<Value>(value))
      bind(result, nameOf(known));
    else if (auto elements = dyn_cast<ElementsAttr>(cast<Attribute>(value)))
      bind(result, addConstant(pd::tensorFromAttribute(elements)));
    else
      return false;
  }
  return op.getNumResults() > 0;
}

bool GraphExporter::writeMapped(Operation &op) {
  for (const import::OnnxOp *entry : import::onnxOpsOf(op.getName().getStringRef()))
    if (isWritable(&op, *entry, getOpset())) {
      NodeExporter(*this, &op, *entry).run();
      return true;
    }
  return false;
}

std::vector<std::string> GraphExporter::writeCreated(Operation &op, Operation *before,
                                                     llvm::ArrayRef<Value> values) {
  ++depth;
  Block::iterator next = before ? std::next(before->getIterator()) : op.getBlock()->begin();
  while (&*next != &op)
    write(*next++);
  --depth;
  std::vector<std::string> written;
  for (Value value : values)
    written.push_back(value ? nameOf(value) : "");
  // The condition of a loop is written twice, and so are its ops.
  while (op.getPrevNode() != before)
    op.getPrevNode()->erase();
  return written;
}

bool GraphExporter::writeInstead(
    Operation &op, llvm::function_ref<FailureOr<llvm::SmallVector<Value>>(OpBuilder &)> create) {
  Operation *before = op.getPrevNode();
  OpBuilder builder(&op);
  FailureOr<llvm::SmallVector<Value>> values = create(builder);
  if (failed(values)) {
    while (op.getPrevNode() != before)
      op.getPrevNode()->erase();
    return false;
  }
  for (auto [result, name] : llvm::zip(op.getResults(), writeCreated(op, before, *values)))
    bind(result, name);
  return true;
}

bool GraphExporter::writeComplex(Operation &op) {
  if (!isOnComplex(&op))
    return false;
  if (isa<pd::AsRealOp, pd::AsComplexOp>(op)) { // a complex number is a pair
    bind(op.getResult(0), nameOf(op.getOperand(0)));
    return true;
  }
  // Mappings of composites are for real numbers.
  return writeInstead(op, [&](OpBuilder &builder) { return splitComplex(builder, &op); }) ||
         (isa<pd::DecomposableOpInterface>(op) ? writeDecomposed(op) : writeMapped(op));
}

bool GraphExporter::writeDecomposed(Operation &op) {
  auto composite = dyn_cast<pd::DecomposableOpInterface>(op);
  if (!composite)
    return false;
  Operation *before = op.getPrevNode();
  OpBuilder builder(&op);
  std::string messages;
  ScopedDiagnosticHandler handler(op.getContext(), [&](mlir::Diagnostic &message) {
    messages += (messages.empty() ? "" : "; ") + message.str();
    return success();
  });
  FailureOr<llvm::SmallVector<Value>> values = composite.tryDecompose(builder);
  if (failed(values)) {
    report(current, "cannot be decomposed: " + (messages.empty() ? "its types have dynamic dims" : messages));
    return true;
  }
  for (auto [result, name] : llvm::zip(op.getResults(), writeCreated(op, before, *values)))
    bind(result, name);
  return true;
}

void GraphExporter::keepVariableNames(Operation &op) {
  for (OpResult result : op.getResults()) {
    std::string name = nameOf(result), variable = pd::resultName(result).str();
    if (name.empty() || renamed.count(name) || !graphs.back().second.contains(name))
      continue;
    // The ops of a model of the new IR have their positions as names.
    bool isVariable = !variable.empty() && !llvm::StringRef(variable).contains("].ops[");
    if (isVariable && taken.insert(variable).second)
      renamed[name] = variable;
  }
}

Result<onnx::Model> GraphExporter::run() {
  graphs.push_back({&model.graph, {}});
  reserveNames();
  for (BlockArgument argument : main.getArguments())
    addArgument(argument);
  writeBlock(main.getBody().front());
  addFetches();
  if (!diagnostics.empty())
    return diagnostics;
  finish();
  return std::move(model);
}

onnx::Graph GraphExporter::subgraph(llvm::function_ref<llvm::SmallVector<Value>(onnx::Graph &)> body) {
  onnx::Graph graph;
  graph.name = freshName();
  graphs.push_back({&graph, {}});
  llvm::StringSet<> outputs;
  for (Value value : body(graph)) {
    std::string name = nameOf(value);
    // An output must be a value of this graph, and each of them another one.
    if (!graphs.back().second.contains(name) || !outputs.insert(name).second) {
      if (isa<pd::ArrayType>(value.getType()) && getOpset() < 14)
        report(current, "a branch or loop returns an array as it was, which ONNX has from opset 14 on");
      onnx::Node copy;
      copy.type = "Identity";
      copy.inputs = {name};
      name = freshName();
      copy.outputs = {name};
      addNode(std::move(copy));
    }
    outputs.insert(name);
    graph.outputs.push_back(infoOf(name, value.getType(), main));
  }
  graphs.pop_back();
  return graph;
}

} // namespace proa::exporter
