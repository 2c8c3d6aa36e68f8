// The base of losses with a library kernel that also computes their derivative.
#ifndef PROA_DIALECTS_PD_LOSS_KERNEL_LOSS
#define PROA_DIALECTS_PD_LOSS_KERNEL_LOSS

include "dialects/pd/ir/Base.td"
include "dialects/pd/autodiff/KeepsDerivative.td"

class LossInt<string value> : DefaultValuedAttr<I64Attr, value>;
class LossFloat<string value> : DefaultValuedAttr<F64Attr, value>;
def LossInts : DefaultValuedAttr<DenseI64ArrayAttr, "{}">;

class Pd_KernelLossOp<string mnemonic> : Pd_Op<mnemonic, [Pd_KeepsDerivative]> {
  let library = mnemonic;
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let lod = "none";
}

#endif
