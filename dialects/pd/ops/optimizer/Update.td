// The base of all optimizers.
#ifndef PROA_DIALECTS_PD_OPTIMIZER_UPDATE
#define PROA_DIALECTS_PD_OPTIMIZER_UPDATE

include "dialects/pd/ir/Base.td"

// An optimizer: from a parameter, its gradient and the state of the optimizer to the new parameter and state. Legacy
// programs overwrite the old variables; here the function returns the new values as states.
//
// `updated` lists the operands with a new value among the results, in the order of the results, as calls on the
// adaptor; a missing optional one has no result. Computed in f32 for an f16 or bf16 parameter; with `multi_precision`
// the update starts from `master_param`, an f32 copy, and param_out is the rounded result.
defvar UpdateConstraints = [
  "C1. grad and all states except the beta powers have the dimensions of param",
  "C2. learning_rate has one element"
];
class Pd_UpdateOp<string mnemonic, string updated, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let infer = "[](auto location, Adaptor adaptor, auto &results) { return inferUpdate(location, adaptor.getParam(), "
    # "adaptor.getGrad(), adaptor.getLearningRate(), {" # updated # "}, results); }";
  let constraints = UpdateConstraints;
  let decomposesInCode = 1;
}

class UpdateFloat<string value> : DefaultValuedAttr<F64Attr, value>;
class UpdateFlag<string value> : DefaultValuedAttr<BoolAttr, value>;

#endif
