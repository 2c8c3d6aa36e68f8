// The inverse of max pooling with indices.
#ifndef PROA_DIALECTS_PD_NN_UNPOOL
#define PROA_DIALECTS_PD_NN_UNPOOL

include "dialects/pd/ir/Base.td"

class IntList<string value> : DefaultValuedAttr<DenseI64ArrayAttr, value>;

def Pd_UnpoolOp : Pd_Op<"unpool"> {
  let summary = "The inverse of max_pool2d_with_index: elements at their indices, zeros elsewhere";
  let description = [{
    `indices` has for each element of x its row-major index in the plane of the output. The output dims are
    `output_size`, or if it is empty `(in - 1) * stride - 2 * padding + ksize`. `padding` has no other effect.
  }];
  let constraints = [
    "C1. x has rank 4, and indices has its dimensions",
    "C2. ksize, strides and padding have two entries; output_size has two positive entries or none"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$indices, IntList<"{}">:$ksize,
    IntList<"{}">:$strides, IntList<"{}">:$padding,
    IntList<"{}">:$output_size, Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format);
  let newIr = [NewIr<["x", "indices", "#output_size"]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferUnpool";
  let decomposesInCode = 1;
  let legacy = [Legacy<"unpool", ["X", "Indices"], ["Out"], ["ksize", "strides", "padding=paddings", "output_size",
    "data_format"], constants_=["unpooling_type=max"]>];
  let newIrGradients = ["unpool_grad(x, indices, out)"];
}

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

def : OnnxFormula<"MaxUnpool", "importMaxUnpool">;

#endif
