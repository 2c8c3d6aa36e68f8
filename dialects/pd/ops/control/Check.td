// Checks and output of a program while it runs.
#ifndef PROA_DIALECTS_PD_CONTROL_CHECK
#define PROA_DIALECTS_PD_CONTROL_CHECK

include "dialects/pd/ir/Base.td"

def Pd_AssertOp : Pd_Op<"assert"> {
  let sharding = "whole: it acts on the whole value";
  let summary = "Ends the run with an error unless the condition is true";
  let description = [{
    The error begins with `message`, if that is not empty, and prints up to `summarize` elements of each tensor in
    `data`, all if it is negative. Paddle's op has no message: an export leaves it out.
  }];
  let constraints = ["C1. the condition has one element"];
  let arguments = (ins Pd_BoolTensor:$condition, Variadic<Pd_Tensor>:$data, DefaultValuedAttr<I64Attr,
    "-1">:$summarize, DefaultValuedAttr<StrAttr, "\"\"">:$message);
  let results = (outs);
  let traits = [Pd_DeclaredAttributesOnly, Pd_InferredTypes, MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<LibraryOpInterface>, DeclareOpInterfaceMethods<ReferenceOpInterface>];
  let library = "assert";
  let libraryHalf = 1;
  let legacy = [Legacy<"assert", ["Cond", "Data"], [], ["summarize:long"]>];
  let referenceInCode = 1;
  let batching = "refused";
}

def Pd_FailOp : Pd_Op<"fail"> {
  let sharding = "whole: it acts on the whole value";
  let summary = "Ends the run with an error";
  let description = [{
    A placeholder for computation that is invalid but may never run, in a region of control flow: ops that the
    importer refuses, or that do not fit the dims of the feeds. The run ends with `message` when it reaches the op.
    The results have the types that the program expects.
  }];
  let constraints = ["C1. message is not empty"];
  let arguments = (ins StrAttr:$message);
  let results = (outs Variadic<Pd_Tensor>:$results);
  let traits = [MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<LibraryOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>];
  let library = "fail";
  let libraryHalf = 1;
  let hasVerifier = 1;
  let extraClassDefinition = "";
  let referenceInCode = 1;
}

def Pd_PrintOp : Pd_Op<"print"> {
  let sharding = "whole: it acts on the whole value";
  let summary = "Prints a tensor on stderr as Paddle does: name, message, LoD, dims, element type and first elements";
  let description = [{
    `lod` has the levels of its LoD. Prints up to `summarize` elements (-1: all), in the first `first_n` runs (-1: in
    all).
  }];
  let arguments = (ins Pd_Tensor:$x, Variadic<Pd_IntTensor>:$lod, DefaultValuedAttr<StrAttr, "\"\"">:$name,
    DefaultValuedAttr<StrAttr, "\"\"">:$message, DefaultValuedAttr<I64Attr, "-1">:$first_n, DefaultValuedAttr<I64Attr,
      "-1">:$summarize,
    DefaultValuedAttr<BoolAttr, "true">:$print_tensor_type, DefaultValuedAttr<BoolAttr, "true">:$print_tensor_shape,
    DefaultValuedAttr<BoolAttr, "true">:$print_tensor_layout, DefaultValuedAttr<BoolAttr, "true">:$print_tensor_lod);
  let results = (outs);
  let traits = [Pd_DeclaredAttributesOnly, Pd_InferredTypes, MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<LibraryOpInterface>, DeclareOpInterfaceMethods<ReferenceOpInterface>];
  let library = "print";
  let libraryHalf = 1;
  let constraints = ["C1. each level of lod is a vector of i64"];
  let legacy = [Legacy<"print", ["In", ""], [], ["message", "first_n", "summarize", "print_tensor_type",
    "print_tensor_shape", "print_tensor_layout", "print_tensor_lod"], ["print_tensor_name=hook", "print_phase=hook",
    "is_forward=hook"], "importPrint",
      ["Out"]>];
  let referenceInCode = 1;
  let batching = "refused";
}

#endif
