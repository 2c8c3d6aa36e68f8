// The attribute data_format.
#ifndef PROA_DIALECTS_PD_NN_FORMATS
#define PROA_DIALECTS_PD_NN_FORMATS

include "dialects/pd/ir/Base.td"

// The attribute `data_format` is the layout of operand 0 and of the results. In gradient ops it is the layout of
// operand 1 too; the gradient of a filter has no layout.
def Pd_SecondIsImage : NativeOpTrait<"SecondIsImage"> { let cppNamespace = "::proa::pd"; }
def Pd_ResultIsNoImage : NativeOpTrait<"ResultIsNoImage"> { let cppNamespace = "::proa::pd"; }

#endif
