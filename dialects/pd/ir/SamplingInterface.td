// Ops that take numbers of the sequence of the model's seed.
#ifndef PROA_DIALECTS_PD_SAMPLING_INTERFACE
#define PROA_DIALECTS_PD_SAMPLING_INTERFACE

include "mlir/IR/OpBase.td"

def SamplingOpInterface : OpInterface<"SamplingOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op whose kernel samples. Unless it has a seed of its own, an execution takes the next place in the sequence of
    the model's seed (lib/runtime/host/Random.h), so that the numbers of later ops depend on it.
  }];
  let methods = [
    InterfaceMethod<"Places that one execution takes; no number if a tensor decides that is known at run time only.",
      "std::optional<int64_t>", "getSequencePlaces">,
  ];
}

#endif
