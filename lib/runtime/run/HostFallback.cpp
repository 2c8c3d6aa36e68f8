//! Library steps of a device that its library refuses: they run on the host, between copies.
#include "lib/runtime/memory/WeightStore.h"
#include "lib/runtime/run/Frame.h"

namespace proa::runtime {

/// One execution of a host kernel on copies of the operands.
class HostCall final : public Call {
public:
  HostCall(const Step &step, std::vector<Tensor> operands, RandomGenerator &random)
      : operands(std::move(operands)), results(step.outputs.size()) {
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      inputIds.push_back(step.inputs[i] == none ? none : static_cast<ValueId>(i));
      Tensor &operand = this->operands[i];
      operandViews.push_back(step.inputs[i] == none ? View()
                                                    : View{operand.dtype(), operand.dims(), operand.data()});
    }
    views = operandViews;
    inputs = inputIds;
    outputs = step.outputs;
    stateSlot = &slot;
    generator = &random;
  }

  Result<View> output(size_t i, std::span<const int64_t> dims) override {
    results[i] = Tensor(dtypes[i], std::vector<int64_t>(dims.begin(), dims.end()));
    return View{dtypes[i], results[i].dims(), results[i].data()};
  }
  // Libraries of devices take no arrays, and no aliases.
  const TensorArray &array(size_t) const override { return noArray; }
  TensorArray &outputArray(size_t, std::optional<size_t>) override { return noArray; }
  Result<ArrayElement> share(size_t) override { return failure("a library of a device takes no arrays"); }
  Result<void> setOutput(size_t, const ArrayElement &) override {
    return failure("a library of a device makes no arrays");
  }
  bool outputIsAlias(size_t) const override { return false; }
  void *scratch(size_t bytes) override {
    temporary.resize((bytes + addressAlignment) / sizeof(Aligned) + 1);
    return temporary.data();
  }

  std::vector<DType> dtypes; ///< of the results
  std::vector<Tensor> operands, results;

private:
  struct alignas(addressAlignment) Aligned {
    std::byte bytes[addressAlignment];
  };
  std::vector<View> operandViews;
  std::vector<ValueId> inputIds;
  std::vector<Aligned> temporary;
  std::unique_ptr<KernelState> slot;
  TensorArray noArray;
};

Result<void> Frame::runOnHost(const BoundStep &bound) {
  const Step &step = *bound.step;
  std::unique_ptr<LibraryKernel> &kernel = refused[bound.index];
  if (!kernel) {
    Result<std::unique_ptr<LibraryKernel>> created = bound.createOnHost();
    if (!created)
      return created.diagnostics();
    kernel = std::move(*created);
    std::vector<View> unbound(step.inputs.size());
    WeightStore unused; // no input is constant
    if (Result<void> done = kernel->bind(unbound, unused); !done)
      return done;
  }
  std::vector<Tensor> operands;
  for (ValueId id : step.inputs) {
    Result<Tensor> copy = id == none ? Tensor() : hostCopy(id);
    if (!copy)
      return copy.diagnostics();
    operands.push_back(std::move(*copy));
  }
  HostCall call(step, std::move(operands), *generator);
  for (ValueId id : step.outputs)
    call.dtypes.push_back(id == none ? DType::Float32 : plan.values[static_cast<size_t>(id)].dtype);
  if (Result<void> done = kernel->run(call); !done)
    return done;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] == none)
      continue;
    Result<View> result = provide(step.outputs[i], call.results[i].dims());
    if (!result)
      return result.diagnostics();
    if (call.results[i].bytes() == 0)
      continue;
    if (Result<void> done =
            queue->copyToDevice(result->data, call.results[i].data(), call.results[i].bytes());
        !done)
      return done;
  }
  // The copies read the memory of the results.
  return queue->wait();
}

} // namespace proa::runtime
