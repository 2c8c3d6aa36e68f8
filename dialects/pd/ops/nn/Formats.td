// What `data_format` speaks of.
#ifndef PROA_DIALECTS_PD_NN_FORMATS
#define PROA_DIALECTS_PD_NN_FORMATS

include "dialects/pd/ir/Base.td"

// The attribute `data_format` says where operand 0 and the results have their channels. In gradients it speaks of operand 1
// too; the gradient of a filter has no such format.
def Pd_SecondIsImage : NativeOpTrait<"SecondIsImage"> { let cppNamespace = "::proa::pd"; }
def Pd_ResultIsNoImage : NativeOpTrait<"ResultIsNoImage"> { let cppNamespace = "::proa::pd"; }

#endif
