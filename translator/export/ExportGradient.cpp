//! pd.vjp of one op as the legacy gradient op that it may come from; any other one as the ops that compute
//! it.
#include "dialects/pd/autodiff/VjpOps.h"
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

bool ProgramExporter::addGradientOp(pd::VjpOp vjp) {
  Operation *inner = onlyOp(vjp);
  Block &body = vjp.getBody().front();
  if (!inner || llvm::none_of(inner->getOperands(), [&](Value value) { return isArgumentOf(body, value); }))
    return false;
  // Which operand is which input: one variable may be several of them.
  llvm::StringMap<size_t> arguments;
  for (auto [i, argument] : llvm::enumerate(vjp.getBody().getArguments())) {
    names[argument] = "@" + std::to_string(i);
    arguments[names[argument]] = i;
  }
  llvm::StringMap<std::pair<std::string, std::string>> given; // a result: its value, its cotangent
  ValueRange yielded = vjp.getBody().front().getTerminator()->getOperands();
  for (Value result : inner->getResults())
    given[names[result] = freshName()];
  for (auto [value, number] : llvm::zip(vjp.getSaved(), vjp.getSavedOf()))
    given[of(yielded[number])].first = of(value);
  for (auto [value, number] : llvm::zip(vjp.getCotangents(), vjp.getCotangentOf()))
    given[of(yielded[number])].second = of(value);
  askedLods.emplace();
  Result<legacy::Operation> forward = exportOp(inner, *this);
  llvm::StringMap<Value> offsets = *std::exchange(askedLods, std::nullopt);
  lods.clear();
  if (offsets.contains("")) // of a tensor that the op does not read
    return false;
  if (!forward || forward->output("XShape") || forward->type == "assign_value")
    return false;
  legacy::Operation out;
  out.type = forward->type + "_grad";
  out.attributes = forward->attributes;
  for (legacy::Attribute &attribute : out.attributes.own())
    if (attribute.name == "is_sparse") // gradients are dense here
      attribute.value = false;
  for (const char *flag : {"is_test", "is_sparse"}) // which gradient ops do not take for granted
    if (!forward->attribute(flag))
      out.attributes.push_back({flag, false});
  for (const legacy::Slot &slot : forward->inputs) {
    legacy::Slot values{slot.name, {}}, gradients{slot.name + "@GRAD", {}};
    for (const std::string &name : slot.arguments) {
      auto argument = arguments.find(name);
      bool isInput = argument != arguments.end();
      Value input = isInput ? vjp.getInputs()[argument->second] : Value();
      Value level = offsets.lookup(name);
      if (level && isArgumentOf(body, level))
        level = vjp.getInputs()[cast<BlockArgument>(level).getArgNumber()];
      values.arguments.push_back(input && level ? withLod(input, level) : input ? of(input) : name);
      gradients.arguments.push_back(isInput ? of(vjp.getGradients()[argument->second])
                                            : legacy::emptyVariable);
    }
    out.inputs.push_back(values);
    if (llvm::any_of(gradients.arguments,
                     [](const std::string &name) { return name != legacy::emptyVariable; }))
      out.outputs.push_back(gradients);
  }
  for (const legacy::Slot &slot : forward->outputs) {
    legacy::Slot values{slot.name, {}}, cotangents{slot.name + "@GRAD", {}};
    for (const std::string &name : slot.arguments) {
      auto &[value, cotangent] = given[name];
      if (!value.empty())
        values.arguments.push_back(value);
      if (!cotangent.empty())
        cotangents.arguments.push_back(cotangent);
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

void ProgramExporter::addGradient(pd::VjpOp vjp) {
  if (!addGradientOp(vjp) && !addDecomposition(*vjp))
    problems.add("pd.vjp -> " + of(vjp.getResult(0)),
                 "no legacy op stands for it, and it can't be taken apart");
}

} // namespace proa::exporter
