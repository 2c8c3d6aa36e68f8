//! Exports pd.vjp of one op as a legacy gradient op, if it may come from one; any other pd.vjp as its
//! decomposition.
#include "dialects/pd/autodiff/PaddleGradient.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Keywords.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/nn/ClickThrough.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/View.h"
#include "translator/export/ProgramExporter.h"

using namespace mlir;

namespace proa::exporter {
namespace {

/// The one op that is differentiated; null where the region holds others beside it.
Operation *onlyOp(pd::VjpOp vjp) {
  Block &body = vjp.getBody().front();
  if (body.getOperations().size() != 2 || body.front().getNumRegions() > 0)
    return nullptr;
  return &body.front();
}

bool isArgumentOf(Block &block, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &block;
}

} // namespace

struct ProgramExporter::Forward {
  /// Its inputs are called "@0", "@1", ... where they are inputs of the pd.vjp.
  legacy::Operation op;
  /// Which of them.
  llvm::StringMap<size_t> arguments;
  /// A result's variable: its value (if the program holds it) and its cotangent (if it has one).
  struct Given {
    Value result;
    std::string value, cotangent;
  };
  llvm::StringMap<Given> given;
  /// The LoD that a variable must have.
  llvm::StringMap<Value> offsets;
};

std::optional<ProgramExporter::Forward> ProgramExporter::forwardOf(pd::VjpOp vjp) {
  Operation *inner = onlyOp(vjp);
  Block &body = vjp.getBody().front();
  if (!inner || pd::differsFromPaddleGradient(inner) ||
      llvm::none_of(inner->getOperands(), [&](Value value) { return isArgumentOf(body, value); }))
    return std::nullopt;
  Forward forward;
  // Which operand is which input: one variable may be several of them.
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    names[argument] = "@" + std::to_string(i);
    forward.arguments[names[argument]] = i;
  }
  ValueRange yielded = body.getTerminator()->getOperands();
  for (Value result : inner->getResults())
    forward.given[names[result] = freshName()].result = result;
  for (auto [value, index] : llvm::zip(vjp.getSaved(), vjp.getSavedOf()))
    forward.given[of(yielded[index])].value = of(value);
  for (auto [value, index] : llvm::zip(vjp.getCotangents(), vjp.getCotangentOf()))
    forward.given[of(yielded[index])].cotangent = of(value);
  asked.emplace();
  Result<legacy::Operation> op = exportOp(inner, *this);
  Asked found = *std::exchange(asked, std::nullopt);
  lods.clear();
  // The name "" is for offsets of a tensor that the op does not read.
  if (isa<pd::DataNormOp>(inner)) // whose gradient op changes what it is given
    return std::nullopt;
  if (!op || found.needsOps || found.lods.contains("") || op->output("XShape") || op->type == "assign_value")
    return std::nullopt;
  forward.op = std::move(*op);
  forward.offsets = std::move(found.lods);
  return forward;
}

bool ProgramExporter::completeResults(Forward &forward) {
  bool computes = import::findLegacyOp(forward.op.type)->scratch.size() > 0;
  for (const legacy::Slot &slot : forward.op.outputs) {
    auto isGiven = [&](const std::string &name) { return !forward.given[name].cotangent.empty(); };
    for (const std::string &name : slot.arguments) {
      Forward::Given &given = forward.given[name];
      if (given.result && computes) {
        declare(given.result, name);
        given.value = name;
      } else if (computes) {
        given.value = name;
      }
      // Paddle's op of a list asks for all its cotangents.
      if (given.cotangent.empty() && llvm::any_of(slot.arguments, isGiven)) {
        auto type = pd::tensorType(given.result);
        if (!type.hasStaticShape())
          return false;
        given.cotangent = zeros(type);
      }
    }
  }
  if (computes)
    write(forward.op);
  return true;
}

std::string ProgramExporter::zeros(RankedTensorType type) {
  legacy::Operation full;
  full.type = "fill_constant";
  full.attributes = {{"shape", std::vector<int64_t>(type.getShape())},
                     {"dtype", legacy::numberOf(*pd::dtypeOf(type.getElementType()))},
                     {"value", 0.0F}};
  return writeTensorOp(std::move(full), type.getElementType(), type.getShape());
}

bool ProgramExporter::addGradientOp(pd::VjpOp vjp) {
  std::optional<Forward> forward = forwardOf(vjp);
  if (!forward)
    return false;
  legacy::Operation out;
  out.type = forward->op.type + "_grad";
  out.attributes = forward->op.attributes;
  for (legacy::Attribute &attribute : out.attributes.own())
    if (attribute.name == "is_sparse") // gradients are dense here
      attribute.value = false;
  for (const char *flag : {"is_test", "is_sparse"}) // which gradient ops do not take for granted
    if (!forward->op.attribute(flag))
      out.attributes.push_back({flag, false});
  for (legacy::Slot &slot : forward->op.inputs) {
    legacy::Slot gradients{slot.name + "@GRAD", {}};
    for (std::string &name : slot.arguments) {
      auto argument = forward->arguments.find(name);
      bool isInput = argument != forward->arguments.end();
      gradients.arguments.push_back(isInput ? of(vjp.getGradients()[argument->second])
                                            : legacy::emptyVariable);
      if (isInput)
        name = inputOf(vjp, argument->second, forward->offsets.lookup(name));
    }
    out.inputs.push_back(slot);
    if (llvm::any_of(gradients.arguments,
                     [](const std::string &name) { return name != legacy::emptyVariable; }))
      out.outputs.push_back(gradients);
  }
  if (!completeResults(*forward))
    return false;
  for (const legacy::Slot &slot : forward->op.outputs) {
    bool isMeshgrid = forward->op.type == "meshgrid"; // whose gradient op calls it otherwise
    legacy::Slot values{slot.name, {}}, cotangents{(isMeshgrid ? "outputs" : slot.name) + "@GRAD", {}};
    for (const std::string &name : slot.arguments) {
      const Forward::Given &given = forward->given[name];
      if (!given.value.empty())
        values.arguments.push_back(given.value);
      if (!given.cotangent.empty())
        cotangents.arguments.push_back(given.cotangent);
    }
    for (const legacy::Slot &known : {values, cotangents})
      if (known.arguments.size() == slot.arguments.size())
        out.inputs.push_back(known);
  }
  for (Value gradient : vjp.getGradients())
    declare(gradient, of(gradient));
  write(std::move(out));
  return true;
}

std::string ProgramExporter::inputOf(pd::VjpOp vjp, size_t index, Value offsets) {
  Value input = vjp.getInputs()[index];
  if (!offsets)
    return of(input);
  if (isArgumentOf(vjp.getBody().front(), offsets))
    offsets = vjp.getInputs()[cast<BlockArgument>(offsets).getArgNumber()];
  return withLod(input, offsets);
}

/// The cotangent with the dims of x. The decomposition is refused where the rank depends on dynamic dims.
bool ProgramExporter::addSqueezeGradient(pd::VjpOp vjp) {
  auto squeeze = dyn_cast_or_null<pd::SqueezeOp>(onlyOp(vjp));
  if (!squeeze || vjp.getInputs().size() != 1 || vjp.getCotangents().size() != 1)
    return false;
  Operation *before = vjp->getPrevNode();
  OpBuilder builder(vjp);
  pd::TensorBuilder e(builder, vjp);
  addInstead(*vjp, before,
             {pd::reshapeTo(e.wrap(vjp.getCotangents()[0]), pd::dimSizesOf(e.wrap(vjp.getInputs()[0])))});
  return true;
}

void ProgramExporter::addGradient(pd::VjpOp vjp) {
  if (!addGradientOp(vjp) && !addSqueezeGradient(vjp) && !addDecomposition(*vjp))
    diagnostics.add("pd.vjp -> " + of(vjp.getResult(0)),
                    "no legacy op is equivalent to it, and it cannot be decomposed");
}

/// The gradient op of the convolution, with a filter of the right dims that it does not read.
bool ProgramExporter::addWeightGradient(Operation &op) {
  bool isPlane = isa<pd::Conv2dWeightGradientOp>(op);
  if (!isPlane && !isa<pd::Conv3dWeightGradientOp>(op))
    return false;
  auto type = pd::tensorType(op.getResult(0));
  if (!type.hasStaticShape())
    return false;
  auto values = [&](const char *name) {
    llvm::ArrayRef<int64_t> list = cast<DenseI64ArrayAttr>(*op.getInherentAttr(name)).asArrayRef();
    return std::vector<int32_t>(list.begin(), list.end());
  };
  auto text = [&](const char *name) { return pd::keywordOf(*op.getInherentAttr(name))->str(); };
  legacy::Operation out;
  out.type = isPlane ? "conv2d_grad" : "conv3d_grad";
  out.inputs = {
      {"Input", {of(op.getOperand(0))}}, {"Filter", {zeros(type)}}, {"Output@GRAD", {of(op.getOperand(1))}}};
  out.outputs = {{"Filter@GRAD", {of(op.getResult(0))}}};
  auto groups = cast<IntegerAttr>(*op.getInherentAttr("groups")).getInt();
  out.attributes = {{"strides", values("strides")},
                    {"paddings", values("paddings")},
                    {"dilations", values("dilations")},
                    {"groups", static_cast<int32_t>(groups)},
                    {"padding_algorithm", text("padding_algorithm")},
                    {"data_format", text("data_format")}};
  declare(op.getResult(0), of(op.getResult(0)));
  write(std::move(out));
  return true;
}

} // namespace proa::exporter
