// What a program wants to hold while it runs.
#ifndef PROA_DIALECTS_PD_CONTROL_CHECK
#define PROA_DIALECTS_PD_CONTROL_CHECK

include "dialects/pd/Base.td"

def Pd_AssertOp : Pd_Op<"assert"> {
  let summary = "Ends the run with an error unless the condition holds";
  let description = [{
    The error shows up to `summarize` elements of each tensor in `data`, all where it is negative. Constraints: C1 the condition has one element.
  }];
  let arguments = (ins Pd_BoolTensor:$condition, Variadic<Pd_Tensor>:$data, DefaultValuedAttr<I64Attr, "-1">:$summarize);
  let results = (outs);
  let traits = [InferTypeOpAdaptorWithIsCompatible, MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<LibraryOpInterface>];
  let library = "assert";
  let legacy = [Legacy<"assert", ["Cond", "Data"], [], ["summarize"]>];
}

#endif
