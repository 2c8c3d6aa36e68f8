// Shifts of channels along time.
#ifndef PROA_DIALECTS_PD_NN_TEMPORAL_SHIFT
#define PROA_DIALECTS_PD_NN_TEMPORAL_SHIFT

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Layout.td"

def Pd_TemporalShiftOp : Pd_Op<"temporal_shift", [LayoutOpInterface]> {
  let summary = "Temporal shift: the first channels from the previous step, the next ones from the following step, "
    "the others unchanged";
  let description = [{
    x is [N * seg_num, C, H, W]: seg_num steps of each sample. Of the C channels the first floor(C * shift_ratio) come
    from the previous step, those up to floor(2 * C * shift_ratio) from the following step, with zeros beyond the
    ends.
  }];
  let constraints = [
    "C1. x has rank 4",
    "C2. seg_num is above 0 and divides the first dim; shift_ratio is in (0, 0.5)"
  ];
  let arguments = (ins Pd_FloatTensor:$x, I64Attr:$seg_num, DefaultValuedAttr<F64Attr, "0.25">:$shift_ratio,
    Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferTemporalShift";
  let decomposesInCode = 1;
  let legacy = [Legacy<"temporal_shift", ["X"], ["Out"], ["seg_num", "shift_ratio", "data_format"]>];
  let newIrGradients = ["temporal_shift_grad(dout)"];
}

#endif
