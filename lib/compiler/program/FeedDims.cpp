#include "lib/compiler/program/FeedDims.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "lib/base/support/DiagnosticCollector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa {
namespace {

/// Calls `visit` with the name and the dims of a value of ONNX, which keeps those that `visit` changes.
template <class Visit> void visitValue(onnx::ValueInfo &value, const Visit &visit) {
  if (!value.type || !value.type->dims)
    return;
  std::vector<int64_t> dims;
  for (const onnx::Dim &dim : *value.type->dims) {
    const auto *size = std::get_if<int64_t>(&dim.value);
    dims.push_back(size ? *size : -1);
  }
  std::vector<int64_t> declared = dims;
  visit(value.name, dims);
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != declared[d])
      (*value.type->dims)[d].value = dims[d];
}

/// Calls `visit` with the name and the dims of each value that may be a feed.
template <class Visit> void forEachFeed(translator::SourceProgram &program, const Visit &visit) {
  if (legacy::Program *legacy = program.legacy()) {
    if (!legacy->blocks.empty())
      for (legacy::Variable &variable : legacy->blocks.front().variables)
        visit(variable.name, variable.dims);
    return;
  }
  if (onnx::Model *model = program.onnx())
    for (auto *values : {&model->graph.inputs, &model->graph.valueInfos})
      for (onnx::ValueInfo &value : *values)
        visitValue(value, visit);
  if (!program.newIr())
    return;
  for (newir::Operation &op : program.newIr()->operations)
    if (op.name == "1.data" && op.outputs.size() == 1)
      if (const newir::Literal *name = op.attribute("name"))
        if (const auto *text = std::get_if<std::string>(&name->value))
          visit(*text, op.outputs.front().type.dims);
}

bool agree(const std::vector<int64_t> &declared, const std::vector<int64_t> &requested) {
  for (size_t i = 0; i < declared.size(); ++i)
    if (declared[i] >= 0 && declared[i] != requested[i])
      return false;
  return true;
}

/// The size of the first dimension of a value; kDynamic if it has none or it is not static.
int64_t firstDim(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0 ? type.getDimSize(0) : ShapedType::kDynamic;
}

/// The first entry of the shape that an op gives its result, if it is known: an attribute, or a constant
/// operand (programs of the new IR).
std::optional<int64_t> firstOfShape(Operation *op) {
  if (auto reshape = dyn_cast<pd::ReshapeOp>(op); reshape && reshape.getShapeTensor()) {
    auto shape = pd::allKnownElements(reshape.getShapeTensor());
    return shape && !shape->empty() ? std::optional(shape->front()) : std::nullopt;
  }
  auto shape = op->getAttrOfType<DenseI64ArrayAttr>("shape");
  return shape && !shape.empty() ? std::optional(shape[0]) : std::nullopt;
}

/// The values that a feed is computed into.
llvm::DenseSet<Value> valuesFrom(Value feed) {
  llvm::DenseSet<Value> reached{feed};
  llvm::SmallVector<Value> next{feed};
  while (!next.empty())
    for (Operation *user : next.pop_back_val().getUsers())
      for (Value result : user->getResults())
        if (reached.insert(result).second)
          next.push_back(result);
  return reached;
}

} // namespace

Result<std::vector<ChangedFeed>>
changeFeedDims(translator::SourceProgram &program,
               const std::map<std::string, std::vector<int64_t>> &requested) {
  std::vector<ChangedFeed> changed;
  Diagnostics diagnostics;
  forEachFeed(program, [&](const std::string &name, std::vector<int64_t> &dims) {
    auto found = requested.find(name);
    if (found == requested.end())
      return;
    if (found->second.size() != dims.size())
      return diagnostics.add("feed '" + name + "'", fmt::format("is requested with rank {}, expected rank {}",
                                                                found->second.size(), dims.size()));
    if (agree(dims, found->second))
      return;
    changed.push_back({name, dims, found->second});
    dims = found->second;
  });
  if (!diagnostics.empty())
    return diagnostics;
  return changed;
}

std::map<std::string, std::vector<std::string>> dimNamesOf(ModuleOp module) {
  std::map<std::string, std::vector<std::string>> names;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto feed = main.getArgAttrOfType<StringAttr>(i, pd::feedAttribute);
    auto dims = main.getArgAttrOfType<ArrayAttr>(i, pd::dimNamesAttribute);
    auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[i]);
    if (!feed || !dims || !type || static_cast<int64_t>(dims.size()) != type.getRank())
      continue;
    for (Attribute dim : dims) {
      auto name = dyn_cast<StringAttr>(dim);
      names[feed.str()].push_back(name ? name.str() : "");
    }
  }
  return names;
}

Result<void> checkOldDims(ModuleOp module, const std::vector<ChangedFeed> &changed) {
  DiagnosticCollector errors(module.getContext());
  bool isFound = false;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (const ChangedFeed &feed : changed) {
    int64_t old = feed.declared.empty() ? -1 : feed.declared[0];
    if (old < 0 || old == feed.requested[0])
      continue;
    for (BlockArgument argument : main.getArguments()) {
      auto name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::feedAttribute);
      if (!name || name.getValue() != feed.name)
        continue;
      llvm::DenseSet<Value> reached = valuesFrom(argument);
      module.walk([&](Operation *op) {
        if (op->getNumOperands() > 0 && reached.contains(op->getOperand(0)) &&
            firstDim(op->getOperand(0)) == feed.requested[0] && firstOfShape(op) == old) {
          isFound = true;
          op->emitError() << "the shape keeps the size " << old << " of the first dimension of feed '"
                          << feed.name << "', which is requested as " << feed.requested[0];
        }
      });
    }
  }
  return isFound ? Result<void>(errors.take("")) : Result<void>();
}

} // namespace proa
