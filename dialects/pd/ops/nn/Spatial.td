// Ops on space that are made of poolings and of moves.
#ifndef PROA_DIALECTS_PD_NN_SPATIAL
#define PROA_DIALECTS_PD_NN_SPATIAL

include "dialects/pd/ir/Base.td"

class IntList<string value> : DefaultValuedAttr<DenseI64ArrayAttr, value>;

def Pd_Unpool3dOp : Pd_Op<"unpool3d"> {
  let summary = "Elements put back where max_pool3d_with_index found them, zeros elsewhere";
  let description = [{
    As unpool, for three spatial dimensions: `indices` holds places in the output's volume. The extents are `output_size`, or
    where it is empty `(in - 1) * stride - 2 * padding + ksize`.
  }];
  let constraints = [
    "C1. x has rank 5 and indices its dimensions",
    "C2. ksize, strides and padding hold three numbers; output_size holds three positive numbers or none"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$indices, IntList<"{}">:$ksize, IntList<"{1, 1, 1}">:$strides,
    IntList<"{0, 0, 0}">:$padding, IntList<"{}">:$output_size, Pd_DefaultEnum<Pd_DataFormatAttr, "NCDHW">:$data_format);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferUnpool3d";
  let decomposesInCode = 1;
  let legacy = [Legacy<"unpool3d", ["X", "Indices"], ["Out"], ["ksize", "strides", "padding=paddings", "output_size",
    "data_format"]>];
  let newIrGradients = ["unpool3d_grad(x, indices, out)"];
}

def Pd_SppOp : Pd_Op<"spp"> {
  let summary = "Poolings of an image into 1, 4, 16, ... cells, side by side";
  let description = [{
    Level p of the pyramid, from 0 to pyramid_height - 1, has 2^p by 2^p windows of ceil(extent / 2^p), padded by
    floor((window * 2^p - extent + 1) / 2) on both sides. pooling_type is max or avg; a mean counts elements inside of the image alone.
  }];
  let constraints = [
    "C1. x has rank 4 and known channels, height and width, the last two not 0",
    "C2. pyramid_height is positive"
  ];
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<I64Attr, "1">:$pyramid_height,
    Pd_DefaultEnum<Pd_PoolingTypeAttr, "Max">:$pooling_type);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSpp";
  let decomposesInCode = 1;
  let legacy = [Legacy<"spp", ["X"], ["Out"], ["pyramid_height", "pooling_type"]>];
}

#endif
