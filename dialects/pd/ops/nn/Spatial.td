// Unpooling and spatial pyramid pooling.
#ifndef PROA_DIALECTS_PD_NN_SPATIAL
#define PROA_DIALECTS_PD_NN_SPATIAL

include "dialects/pd/ir/Base.td"

class IntList<string value> : DefaultValuedAttr<DenseI64ArrayAttr, value>;

def Pd_Unpool3dOp : Pd_Op<"unpool3d"> {
  let summary = "The inverse of max_pool3d_with_index: elements at their indices, zeros elsewhere";
  let description = [{
    As pd.unpool, for three spatial dimensions: `indices` are indices into the volume of the output. The dims are
    `output_size`, or if it is empty `(in - 1) * stride - 2 * padding + ksize`.
  }];
  let constraints = [
    "C1. x has rank 5, and indices has its dimensions",
    "C2. ksize, strides and padding have three entries; output_size has three positive entries or none"
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
  let summary = "Spatial pyramid pooling: poolings of an image to 1, 4, 16, ... cells, concatenated";
  let description = [{
    Level p of the pyramid, from 0 to pyramid_height - 1, has 2^p by 2^p windows of ceil(size / 2^p), padded by
    floor((window * 2^p - size + 1) / 2) on both sides. pooling_type is max or avg; a mean counts only elements of the
    image.
  }];
  let constraints = [
    "C1. x has rank 4 and static channels, height and width, the last two not 0",
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
