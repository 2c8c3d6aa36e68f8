// Composites of reshape: dimensions added, removed and merged.
#ifndef PROA_DIALECTS_PD_SHAPE_VIEW
#define PROA_DIALECTS_PD_SHAPE_VIEW

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Layout.td"

// Axes refer to the result.
def : OnnxFormula<"Unsqueeze", "importUnsqueeze", strings_="moved">;
def : OnnxFormula<"ExpandDims", "importExpandDims", 1, 0, "com.microsoft">;
def : OnnxFormula<"Squeeze", "importSqueeze", strings_="moved">;
// A negative axis counts from the end.
def : OnnxFormula<"Flatten", "importFlatten", strings_="moved">;
def : OnnxFormula<"DepthToSpace", "importDepthToSpace">;
def : OnnxFormula<"SpaceToDepth", "importSpaceToDepth">;

// Constraints of ops that move channels of images.
defvar imageConstraints = [
  "C1. x has rank 4",
  "C2. data_format is NCHW or NHWC",
  "C3. the factor is positive and divides the dims that are split"
];

class Pd_ViewOp<string mnemonic, dag attributes, list<Trait> traits = []>
    : Pd_Op<mnemonic, [Pd_MovesElements] # traits> {
  let arguments = !con((ins Pd_Tensor:$x), attributes);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
}

def Pd_SqueezeOp : Pd_ViewOp<"squeeze", (ins Optional<Pd_IntTensor>:$axis_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis)> {
  let lod = "rows";
  let summary = "Dimensions of size 1 removed";
  let description = [{
    Of the dimensions in `axis`, the ones with size 1 (and dynamic ones, which must be 1) are removed; an empty list
    means all dimensions of size 1, and the program then cannot be compiled for dynamic dims. `axis_tensor` must be
    constant and overrides the attribute.
  }];
  let constraints = ["C1. the axes are in [-rank, rank) of x, where rank 0 takes 0 and -1; axis_tensor is constant"];
  let precision = "follow";
  let legacy = [Legacy<"squeeze2", ["X", "@axes"], ["Out"], ["axis=axes"], ["slot XShape"]>,
                Legacy<"squeeze", ["X", "@axes"], ["Out"], ["axis=axes"]>];
  let newIrGradients = ["squeeze_double_grad() -> dout"];
  let sharding = "inCode";
}

def Pd_UnsqueezeOp : Pd_ViewOp<"unsqueeze", (ins Optional<Pd_IntTensor>:$axis_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis)> {
  let lod = "rows";
  let summary = "Dimensions of size 1 inserted";
  let description = [{
    The dimensions are inserted one after another; each entry of `axis` is an index into the shape at that point, up
    to its rank. `axis_tensor` must be constant and overrides the attribute.
  }];
  let constraints = ["C1. each axis is in [-rank - 1, rank] of the shape at that point; axis_tensor is constant"];
  let precision = "follow";
  let legacy = [Legacy<"unsqueeze2", ["X",
    "AxesTensorList*|AxesTensor|@axes"], ["Out"], ["axis=axes"], ["slot XShape"]>,
                Legacy<"unsqueeze", ["X", "AxesTensorList*|AxesTensor|@axes"], ["Out"], ["axis=axes"]>];
  let newIrGradients = ["unsqueeze_double_grad() -> dout"];
  let sharding = "inCode";
}

def Pd_FlattenOp : Pd_ViewOp<"flatten", (ins DefaultValuedAttr<I64Attr, "1">:$start_axis,
    DefaultValuedAttr<I64Attr, "1">:$stop_axis)> {
  let lod = "none";
  let summary = "Dimensions start_axis to stop_axis merged into one";
  let constraints = [
    "C1. the axes are in [-rank, rank) of x",
    "C2. start_axis is not above stop_axis"
  ];
  let precision = "follow";
  let legacy = [Legacy<"flatten_contiguous_range", ["X"], ["Out"], ["start_axis", "stop_axis"], ["slot XShape"]>];
}

def Pd_FlattenToMatrixOp : Pd_ViewOp<"flatten_to_matrix", (ins DefaultValuedAttr<I64Attr, "1">:$axis)> {
  let lod = "none";
  let summary = "x flattened to a matrix: the dimensions before `axis` are its rows, the others its columns";
  let constraints = ["C1. axis is in [-rank - 1, rank] of x"];
  let legacy = [Legacy<"flatten2", ["X"], ["Out"], ["axis"], ["slot XShape"]>,
                Legacy<"flatten", ["X"], ["Out"], ["axis"]>];
}

def Pd_PixelShuffleOp : Pd_ViewOp<"pixel_shuffle", (ins DefaultValuedAttr<I64Attr, "1">:$upscale_factor,
    Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format), [LayoutOpInterface]> {
  let summary = "Channels moved to space: [n, c*r*r, h, w] becomes [n, c, h*r, w*r] with r = upscale_factor";
  let constraints = imageConstraints;
  let legacy = [Legacy<"pixel_shuffle", ["X"], ["Out"], ["upscale_factor", "data_format"]>];
  let newIrGradients = ["pixel_shuffle_grad(dout)"];
}

def Pd_PixelUnshuffleOp : Pd_ViewOp<"pixel_unshuffle", (ins DefaultValuedAttr<I64Attr, "1">:$downscale_factor,
    Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format), [LayoutOpInterface]> {
  let summary = "The inverse of pixel_shuffle: [n, c, h*r, w*r] becomes [n, c*r*r, h, w] with r = downscale_factor";
  let constraints = imageConstraints;
  let legacy = [Legacy<"pixel_unshuffle", ["X"], ["Out"], ["downscale_factor", "data_format"]>];
  let newIrGradients = ["pixel_unshuffle_grad(dout)"];
}

def Pd_ChannelShuffleOp : Pd_ViewOp<"channel_shuffle", (ins I64Attr:$groups,
    Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format), [LayoutOpInterface]> {
  let summary = "Channels, as a matrix with `groups` rows, transposed";
  let constraints = imageConstraints;
  let legacy = [Legacy<"channel_shuffle", ["X"], ["Out"], ["groups", "data_format"]>,
                Legacy<"shuffle_channel", ["X"], ["Out"], ["groups=group"]>];
  let newIrGradients = ["channel_shuffle_grad(dout)"];
}

#endif
