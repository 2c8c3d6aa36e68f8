#ifndef PROA_PASSES_LAYOUT_PASSES
#define PROA_PASSES_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def ChannelsLast : Pass<"pd-channels-last", "::mlir::func::FuncOp"> {
  let summary = "Keep images with channels last between convolutions";
  let description = [{
    Convolutions on the CPU are fastest if the channels of a pixel are contiguous. This pass converts each float32
    convolution from NCHW to NHWC, with a transpose of its input, and propagates the new order forward through ops that
    support it: ops with a `data_format`, elementwise ops, concatenations, slices, splits, reductions and indices of
    extremes. A transpose back is inserted only before an op that needs the old order. Images that consist of tokens, by
    a transpose and a reshape, have the new order already. At the end transposes on both sides of a reshape that move no
    element are removed. A convolution of few channels, or of a window of one pixel, that is alone between arguments and
    results of the function keeps channels first. Remarks say which ops changed and why the others did not
    (`--remarks=pd-channels-last`).

    ```mlir
    // before
    %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
    %1 = pd.relu %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    // after
    %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
    %0 = pd.conv2d %t, %w data_format = NHWC : (tensor<1x8x8x3xf32>, tensor<4x3x1x1xf32>) -> tensor<1x8x8x4xf32>
    %1 = pd.relu %0 : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
    %2 = pd.transpose %1 {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect", "::proa::rt::RtDialect"];
}

def DropTaps : Pass<"pd-drop-taps", "::mlir::func::FuncOp"> {
  let summary = "Drop taps of convolutions that lie in the padding for each window";
  let description = [{
    A dilation that reaches beyond the image, as in the context modules of segmentation networks for small images, puts
    the outer taps of a filter in the padding, wherever the window is. This pass cuts these taps off the filter and
    shortens the paddings. A convolution of which one tap is left is one of pixels, which has faster kernels. Values do
    not change, unless a dropped weight is infinite or NaN: its products with zeros are not computed.

    ```mlir
    // before
    %0 = pd.conv2d %x, %w {dilations = array<i64: 8, 8>, paddings = array<i64: 8, 8>}
      : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
    // after
    %s = pd.slice %w {axes = array<i64: 2, 3>, starts = array<i64: 1, 1>, ends = array<i64: 2, 2>}
      : (tensor<4x3x3x3xf32>) -> tensor<4x3x1x1xf32>
    %0 = pd.conv2d %x, %s {paddings = array<i64: 0, 0, 0, 0>}
      : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def ScaleChannels : Pass<"pd-scale-channels", "::mlir::func::FuncOp"> {
  let summary = "Replace convolutions that multiply each channel by a factor with elementwise ops";
  let description = [{
    A convolution, or a transposed one, whose windows are single elements at a distance of one, without padding, and
    whose groups have one channel each, multiplies each channel by a factor. As `pd.multiply` it becomes a part of the
    kernel beside it. Its gradient by the filter becomes the sum of products. Runs after `pd-drop-taps`, which may leave
    one tap.

    ```mlir
    // before
    %0 = pd.conv2d %x, %w {groups = 3 : i64} : (tensor<1x3x8x8xf32>, tensor<3x1x1x1xf32>) -> tensor<1x3x8x8xf32>
    // after
    %f = pd.reshape %w {shape = array<i64: 3, 1, 1>} : (tensor<3x1x1x1xf32>) -> tensor<3x1x1xf32>
    %0 = pd.multiply %x, %f : (tensor<1x3x8x8xf32>, tensor<3x1x1xf32>) -> tensor<1x3x8x8xf32>
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def ReadChannelsFirst : Pass<"pd-read-channels-first", "::mlir::func::FuncOp"> {
  let summary = "Let convolutions of few channels read images with channels first";
  let description = [{
    Runs after `pd-fuse-epilogues`. The runtime's kernels for images of up to 8 channels copy the image, or interleave
    its channels faster than a transpose: a fused convolution with channels last of a transposed image in f32 reads the
    image before the transpose. This is the first convolution of most networks.

    ```mlir
    // before
    %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
    %0 = rt.conv2d %t, %w, %b data_format = NHWC {post_ops = [#rt.post_op<bias>]} : ...
    // after
    %0 = rt.conv2d %x, %w, %b data_format = NHWC input_format = NCHW {post_ops = [#rt.post_op<bias>]} : ...
    ```
  }];
  let dependentDialects = ["::proa::rt::RtDialect"];
}

#endif
