// Checks of the elements of a tensor: NaNs, infinities, zeros.
#ifndef PROA_DIALECTS_PD_REDUCE_CHECK_NUMERICS
#define PROA_DIALECTS_PD_REDUCE_CHECK_NUMERICS

include "dialects/pd/ir/Base.td"

class Pd_NumericCheckOp<string mnemonic> : Pd_Op<mnemonic> {
  let decomposesInCode = 1;
  let lod = "none";
}

class Pd_HasOp<string mnemonic, string what, string type> : Pd_NumericCheckOp<mnemonic> {
  let summary = "Whether x contains " # what # ", as a bool vector of one element";
  let arguments = (ins Pd_NumberTensor:$x);
  let results = (outs Pd_BoolTensor:$out);
  let infer = "inferOneBool";
  let legacy = [Legacy<type, ["X"], ["Out"]>];
}

def Pd_HasNanOp : Pd_HasOp<"has_nan", "a NaN", "isnan">;
def Pd_HasInfOp : Pd_HasOp<"has_inf", "an infinity", "isinf">;

def Pd_CheckNumericsOp : Pd_NumericCheckOp<"check_numerics"> {
  let summary = "The numbers of NaN, infinite and zero elements of a tensor, and its maximum, minimum and mean";
  let description = [{
    `stats` has the three counts, `values` the three numbers in float32. Paddle also prints them, and may end the
    program if there is a NaN; this op does not.
  }];
  let arguments = (ins Pd_FloatTensor:$tensor);
  let results = (outs Pd_IntTensor:$stats, Pd_FloatTensor:$values);
  let infer = "inferCheckNumerics";
  let legacy = [Legacy<"check_numerics", ["tensor"], ["stats", "values"], [], ["op_type=any", "var_name=any",
    "check_nan_inf_level=any", "stack_height_limit=any", "output_dir=any"]>];
}

#endif
