// Boxes: prior boxes and anchors, coding and decoding, clipping, overlap.
#ifndef PROA_DIALECTS_PD_DETECTION_BOXES
#define PROA_DIALECTS_PD_DETECTION_BOXES

include "dialects/pd/ir/Base.td"
include "dialects/pd/ops/detection/Detection.td"

defvar FloatsDefault = DefaultValuedAttr<DenseF64ArrayAttr, "{}">;

def Pd_PriorBoxOp : Pd_Op<"prior_box"> {
  let summary = "The prior boxes of an SSD head: boxes of given sizes around each element of a feature map";
  let description = [{
    The center of an element is ((w + offset) * step_w, (h + offset) * step_h). Around it there are, for each of
    min_sizes, a box of width min_size * sqrt(r) and height min_size / sqrt(r) for each aspect ratio r, and with
    max_sizes a square of side sqrt(min_size * max_size). The ratios are 1, those given, and with `flip` their
    inverses, without repetitions. With `min_max_aspect_ratios_order` the squares come first. A step of 0 means the
    image size divided by the map size. `out` [H, W, boxes, 4] has the corners divided by the image size, with `clip`
    clamped to [0, 1]; `var` repeats variances.
  }];
  let constraints = [
    "C1. input and image have rank 4",
    "C2. min_sizes has at least one positive entry, and max_sizes the same number or none",
    "C3. variances has four entries"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$image, DenseF64ArrayAttr:$min_sizes,
    FloatsDefault:$max_sizes, FloatsDefault:$aspect_ratios, FloatsDefault:$variances, DefaultValuedAttr<BoolAttr,
    "true">:$flip, DefaultValuedAttr<BoolAttr, "true">:$clip, DefaultValuedAttr<F64Attr, "0.0">:$step_w,
    DefaultValuedAttr<F64Attr, "0.0">:$step_h, DefaultValuedAttr<F64Attr, "0.5">:$offset,
    DefaultValuedAttr<BoolAttr, "false">:$min_max_aspect_ratios_order);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$var);
  // Pixels do not fit in 16 bits.
  let precision = "always full";
  let infer = "inferPriorBox";
  let decomposesInCode = 1;
  let legacy = [Legacy<"prior_box", ["Input", "Image"], ["Boxes", "Variances"], ["min_sizes", "max_sizes",
    "aspect_ratios", "variances", "flip", "clip", "step_w", "step_h", "offset", "min_max_aspect_ratios_order"]>];
}

def Pd_AnchorGeneratorOp : Pd_Op<"anchor_generator"> {
  let summary = "The anchors of a region proposal head: boxes of given sizes around each element of a feature map";
  let description = [{
    The center of an element is (w * stride_w + offset * (stride_w - 1), h * stride_h + offset * (stride_h - 1)).
    Around it there is a box for each aspect ratio r and each anchor size s: a base of width b = round(sqrt(stride_w *
    stride_h / r)) and height round(b * r), scaled by s / stride. `anchors` [H, W, boxes, 4] has the corners, at half
    of (size - 1) from the center; `variances_out` repeats variances.
  }];
  let constraints = [
    "C1. input has rank 4",
    "C2. anchor_sizes and aspect_ratios have positive entries, stride has two of them",
    "C3. variances has four entries"
  ];
  let arguments = (ins Pd_FloatTensor:$input, FloatsDefault:$anchor_sizes, FloatsDefault:$aspect_ratios,
    FloatsDefault:$variances, FloatsDefault:$stride, DefaultValuedAttr<F64Attr, "0.5">:$offset);
  let results = (outs Pd_FloatTensor:$anchors, Pd_FloatTensor:$variances_out);
  // Pixels do not fit in 16 bits.
  let precision = "always full";
  let infer = "inferAnchorGenerator";
  let decomposesInCode = 1;
  let legacy = [Legacy<"anchor_generator", ["Input"], ["Anchors", "Variances"], ["anchor_sizes", "aspect_ratios",
    "variances", "stride", "offset"]>];
}

def Pd_BoxCoderOp : Pd_Op<"box_coder"> {
  let summary = "Encoding of boxes as offsets from prior boxes, and decoding";
  let description = [{
    With p the center and size of a prior box, and t the center and size of a target: `encode_center_size` gives for
    each target [N, 4] and each prior box [M, 4] ((t_x - p_x) / p_w, (t_y - p_y) / p_h, log(t_w / p_w), log(t_h / p_h))
    divided by the variances. `decode_center_size` is the inverse for targets [N, M, 4], whose prior box is given by the
    second index (`axis` 0) or the first (`axis` 1). The variances are the rows of `prior_box_var`, or `variance`, or 1.
    Without `box_normalized` a box of equal corners has size 1.
  }];
  let constraints = [
    "C1. prior_box is [M, 4], and so is prior_box_var",
    "C3. target_box is [N, 4] to encode, and [N, M, 4] (axis 1: [M, N, 4]) to decode",
    "C4. variance has four entries or none",
    "C5. axis is 0 or 1"
  ];
  let arguments = (ins Pd_FloatTensor:$prior_box, Optional<Pd_FloatTensor>:$prior_box_var, Pd_FloatTensor:$target_box,
    Pd_DefaultEnum<Pd_BoxCodeTypeAttr, "Encode">:$code_type, DefaultValuedAttr<BoolAttr, "true">:$box_normalized,
    DefaultValuedAttr<I64Attr, "0">:$axis, FloatsDefault:$variance);
  let results = (outs Pd_FloatTensor:$output_box);
  // Pixels do not fit in 16 bits.
  let precision = "always full";
  let infer = "inferBoxCoder";
  let decomposesInCode = 1;
  let legacy = [Legacy<"box_coder", ["PriorBox", "PriorBoxVar", "TargetBox"], ["OutputBox"], ["code_type",
    "box_normalized", "axis", "variance"]>];
}

def Pd_BoxClipOp : Pd_Op<"box_clip"> {
  let summary = "The corners of boxes clamped to their image";
  let description = [{
    `im_info` has height, width and scale of each image: a corner is clamped to 0 and round(size / scale) - 1. The
    boxes of an image are a sequence of rows by `offsets`; without `offsets` there is one image.
  }];
  let constraints = [
    "C1. the last dimension of input is a multiple of 4",
    "C2. im_info is [images, 3], without offsets [1, 3]"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$im_info, Optional<Pd_IntTensor>:$offsets);
  let results = (outs Pd_FloatTensor:$output);
  // Pixels do not fit in 16 bits.
  let precision = "always full";
  let infer = "inferBoxClip";
  let decomposesInCode = 1;
  let legacy = [Legacy<"box_clip", ["Input", "ImInfo", "Input@LOD?"], ["Output"]>];
}

def Pd_PolygonBoxTransformOp : Pd_Op<"polygon_box_transform"> {
  let summary = "Offsets of points on a grid of stride 4 to positions: 4 * w - x in even, 4 * h - x in odd channels";
  let constraints = ["C1. input has rank 4"];
  let arguments = (ins Pd_FloatTensor:$input);
  let results = (outs Pd_FloatTensor:$output);
  // Pixels do not fit in 16 bits.
  let precision = "always full";
  let infer = "inferPolygonBoxTransform";
  let decomposesInCode = 1;
  let legacy = [Legacy<"polygon_box_transform", ["Input"], ["Output"]>];
}

def Pd_YoloBoxOp : Pd_Op<"yolo_box"> {
  let onnx = [OnnxWritten<"exportYoloBox">];
  let sharding = "b * * *, b * -> b * *, b * *";
  let summary = "Boxes and class scores from a YOLOv3 head";
  let description = [{
    x [N, A * (5 + class_num), H, W] has 4 box values, an objectness and `class_num` class logits for each of the A
    anchors (pairs width, height in `anchors`) and each of the H x W cells; with `iou_aware` A IoU logits precede them.
    `img_size` has height and width of each image. With b = scale_x_y and c = -0.5 * (b - 1):

    - box center x = (cell column + sigmoid(t_x) * b + c) * image width / W, and the same for y;
    - width = exp(t_w) * anchor width * image width / (downsample_ratio * W), and the same for height;
    - confidence = sigmoid(t_o), with `iou_aware` confidence^(1 - iou_aware_factor) * sigmoid(iou)^iou_aware_factor;
    - score of a class = confidence * sigmoid(class logit).

    Boxes are given by their corners, with `clip_bbox` clamped to the image. Boxes with a confidence below conf_thresh
    are all 0. The boxes of an image are ordered by anchor, then by row.
  }];
  let constraints = [
    "C1. x has rank 4, img_size is [N, 2]",
    "C2. anchors has at least one pair of positive numbers, class_num is positive",
    "C3. x has the number of channels given by anchors and class_num"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$img_size, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$anchors,
    Count<"1">:$class_num, Number<"0.01">:$conf_thresh, Count<"32">:$downsample_ratio, Flag<"true">:$clip_bbox,
    Number<"1.0">:$scale_x_y, Flag<"false">:$iou_aware, Number<"0.5">:$iou_aware_factor);
  let results = (outs Pd_FloatTensor:$boxes, Pd_FloatTensor:$scores);
  let infer = "inferYoloBox";
  let library = "yolo_box";
  let legacy = [Legacy<"yolo_box", ["X", "ImgSize"], ["Boxes", "Scores"], ["anchors", "class_num", "conf_thresh",
    "downsample_ratio", "clip_bbox", "scale_x_y", "iou_aware", "iou_aware_factor"]>];
  let batching = "batchImageSamples";
  let referenceInCode = 1;
  let differentiable = 0;
}

def Pd_BoxDecoderAndAssignOp : Pd_DetectionOp<"box_decoder_and_assign"> {
  let sharding = "r *, *, r *, r * -> r *, r *";
  let summary = "Boxes of all classes decoded from one prior box each, and the box of the best class";
  let description = [{
    The boxes of a row are decoded from its prior box, whose corners are pixels, by offsets and logarithms of sizes
    times the four variances; logarithms are at most `box_clip`. The best class has the largest score above
    -1, except class 0; if there is none, the prior box is assigned.
  }];
  let constraints = [
    "C1. prior_box is [R, 4], prior_box_var has 4 elements, target_box is [R, 4 * classes] and box_score [R, classes]"
  ];
  let arguments = (ins Pd_FloatTensor:$prior_box, Pd_FloatTensor:$prior_box_var, Pd_FloatTensor:$target_box,
    Pd_FloatTensor:$box_score, Number<"4.135">:$box_clip);
  let results = (outs Pd_FloatTensor:$output_box, Pd_FloatTensor:$output_assign_box);
  let infer = "inferBoxDecoderAndAssign";
  let decomposesInCode = 1;
  let legacy = [Legacy<"box_decoder_and_assign", ["PriorBox", "PriorBoxVar", "TargetBox", "BoxScore"],
    ["DecodeBox", "OutputAssignBox"], ["box_clip"]>];
  let batching = "inCode";
  let referenceInCode = 1;
  let differentiable = 0;
}

def Pd_IouSimilarityOp : Pd_Op<"iou_similarity"> {
  let summary = "The overlap (intersection over union) of each box of x with each box of y";
  let constraints = ["C1. x is [N, 4] and y [M, 4]"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y, Flag<"true">:$box_normalized);
  let results = (outs Pd_FloatTensor:$out);
  // Pixels do not fit in 16 bits.
  let precision = "always full";
  let infer = "inferIouSimilarity";
  let decomposesInCode = 1;
  let legacy = [Legacy<"iou_similarity", ["X", "Y"], ["Out"], ["box_normalized"]>];
}

def Pd_DensityPriorBoxOp : Pd_Op<"density_prior_box"> {
  let summary = "Density prior boxes: boxes of fixed sizes, several around each element of a feature map";
  let description = [{
    The center of an element is ((w + offset) * step_w, (h + offset) * step_h); a step of 0 means the image size
    divided by the map size. For each size s with density d and each ratio r there are d * d boxes of width s *
    sqrt(r) and height s / sqrt(r), on a grid of d x d centers in a square of side (step_w + step_h) / 2 (rounded
    down). `boxes` has the corners divided by the image size: the first one at least 0, the second one at most 1, and
    with `clip` both in [0, 1].
  }];
  let constraints = [
    "C1. input and image have rank 4",
    "C2. densities has one positive entry for each of fixed_sizes, which are positive, as fixed_ratios are",
    "C3. variances has four entries"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$image, DefaultValuedAttr<DenseF64ArrayAttr,
    "{}">:$variances, Flag<"true">:$clip, Flag<"false">:$flatten_to_2d, Number<"0.0">:$step_w, Number<"0.0">:$step_h,
      Number<"0.5">:$offset,
    DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$fixed_sizes, DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$fixed_ratios,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$densities);
  let results = (outs Pd_FloatTensor:$boxes, Pd_FloatTensor:$variances_out);
  // Pixels do not fit in 16 bits.
  let precision = "always full";
  let infer = "inferDensityPriorBox";
  let decomposesInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"density_prior_box", ["Input", "Image"], ["Boxes", "Variances"], ["variances", "clip",
    "flatten_to_2d", "step_w", "step_h", "offset", "fixed_sizes", "fixed_ratios", "densities"]>];
}

#endif
