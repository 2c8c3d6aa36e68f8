// What update rules share.
#ifndef PROA_DIALECTS_PD_OPTIMIZER_UPDATE
#define PROA_DIALECTS_PD_OPTIMIZER_UPDATE

include "dialects/pd/ir/Base.td"

// An update rule: from a parameter, its gradient and the optimizer's state to the new parameter and state. Legacy programs
// write them under the names of the old ones; here they are new values, which the function returns as states.
//
// `updated` lists the operands that have a new value among the results, in the results' order, as calls on the adaptor; an
// absent optional one has no result. Computed in f32 where the parameter is f16 or bf16; with `multi_precision` the update
// starts from `master_param`, an f32 copy, and param_out is that rounded.
defvar UpdateConstraints = [
  "C1. grad and all states but the beta powers have the dimensions of param",
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
