#include "lib/runtime/kernels/common/DescribedKernel.h"

namespace proa::runtime {
namespace {

OperandType operandOf(const Plan &plan, ValueId id) {
  if (id == none)
    return {};
  const Value &value = plan.values[static_cast<size_t>(id)];
  Storage storage = value.storage;
  for (ValueId base = value.base; storage == Storage::Alias;) {
    storage = plan.values[static_cast<size_t>(base)].storage;
    base = plan.values[static_cast<size_t>(base)].base;
  }
  bool isConstant =
      storage == Storage::Parameter || storage == Storage::Constant || storage == Storage::Prepared;
  return {true, isConstant, value.dtype, value.dims, value.storage == Storage::Array};
}

std::string describe(const Plan &plan, const Step &step) {
  const KernelEntry *entry = step.isOnDevice() ? nullptr : findLibraryKernel(step.symbol);
  if (!entry)
    return "";
  std::vector<OperandType> inputs, outputs;
  for (ValueId id : step.inputs)
    inputs.push_back(operandOf(plan, id));
  for (ValueId id : step.outputs)
    outputs.push_back(operandOf(plan, id));
  auto kernel = entry->create(step.attributes, {inputs, outputs, plan.cpu ? &*plan.cpu : nullptr});
  const auto *described = kernel ? dynamic_cast<const DescribedKernel *>(kernel->get()) : nullptr;
  return described ? described->describeChoice() : "";
}

} // namespace

Diagnostics describeChoices(const Plan &plan) {
  Diagnostics remarks;
  for (const auto *steps : {&plan.prepare, &plan.steps})
    for (const Step &step : *steps)
      if (step.kind == StepKind::Library)
        if (std::string text = describe(plan, step); !text.empty())
          remarks.add(step.location, std::move(text));
  return remarks;
}

} // namespace proa::runtime
