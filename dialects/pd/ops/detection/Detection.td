// Classes that the records of this family share.
#ifndef PROA_DIALECTS_PD_DETECTION_DETECTION
#define PROA_DIALECTS_PD_DETECTION_DETECTION

include "dialects/pd/ir/Base.td"

class Flag<string value> : DefaultValuedAttr<BoolAttr, value>;
class Number<string value> : DefaultValuedAttr<F64Attr, value>;
class Count<string value> : DefaultValuedAttr<I64Attr, value>;

<<<<<<< HEAD
// A library op whose kernel has the op's name, and whose results have no LoD.
class Pd_DetectionOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let library = mnemonic;
||||||| 49116f18
def Pd_YoloBoxOp : Pd_Op<"yolo_box"> {
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

defvar nmsConstraints = [
  "C1. bboxes has the dimensions [N, M, 4 or more] and scores [N, classes, M]; with rois_num [M, classes, 4 or more] "
    "and "
    "[M, classes]",
  "C2. both have the same element type"
];

def Pd_MulticlassNms3Op : Pd_Op<"multiclass_nms3"> {
  let summary = "Non-maximum suppression by class";
  let description = [{
    For each image and each class except `background_label`: of the boxes with a score above `score_threshold`, the
    best `nms_top_k` (-1: all) are visited in descending order. A box is selected unless its overlap (intersection
    over union) with a selected one is above `nms_threshold`, which is multiplied by `nms_eta` after each selection
    while it is above 0.5. Over all classes the best `keep_top_k` are kept. Without `normalized` a box of equal
    corners has size 1.

    `out` has label, score and box for all images, by class; `index` the index of each box among all boxes of the
    batch, and `nms_rois_num` the number of boxes of each image. With `rois_num` the boxes of all images are one list,
    with `rois_num` boxes for each image. With `marks_none`, an empty result is one element, -1, of one image.
  }];
  let constraints = nmsConstraints;
  let arguments = (ins Pd_FloatTensor:$bboxes, Pd_FloatTensor:$scores, Optional<Pd_IntTensor>:$rois_num,
    F64Attr:$score_threshold, I64Attr:$nms_top_k, I64Attr:$keep_top_k, Number<"0.3">:$nms_threshold,
    Flag<"true">:$normalized, Number<"1.0">:$nms_eta, Count<"0">:$background_label, Flag<"false">:$marks_none);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$index, Pd_IntTensor:$nms_rois_num);
  let infer = "inferMulticlassNms";
  let library = "multiclass_nms3";
  let legacy = [Legacy<"multiclass_nms3", ["BBoxes", "Scores", "RoisNum"], ["Out", "Index", "NmsRoisNum"],
    ["score_threshold", "nms_top_k", "keep_top_k", "nms_threshold", "normalized", "nms_eta", "background_label"]>,
    Legacy<"multiclass_nms2", ["BBoxes", "Scores"], ["Out", "Index"], [], ["score_threshold", "nms_top_k", "keep_top_k",
      "nms_threshold", "normalized", "nms_eta", "background_label"], "importMulticlassNms">,
    Legacy<"multiclass_nms", ["BBoxes", "Scores"], ["Out"], [], ["score_threshold", "nms_top_k", "keep_top_k",
      "nms_threshold", "normalized", "nms_eta", "background_label"], "importMulticlassNms">];
=======
def Pd_YoloBoxOp : Pd_Op<"yolo_box"> {
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

defvar nmsConstraints = [
  "C1. bboxes has the dimensions [N, M, 4 or more] and scores [N, classes, M]; with rois_num [M, classes, 4 or more] "
    "and "
    "[M, classes]",
  "C2. both have the same element type"
];

def Pd_MulticlassNms3Op : Pd_Op<"multiclass_nms3"> {
  let summary = "Non-maximum suppression by class";
  let description = [{
    For each image and each class except `background_label`: of the boxes with a score above `score_threshold`, the
    best `nms_top_k` (-1: all) are visited in descending order. A box is selected unless its overlap (intersection
    over union) with a selected one is above `nms_threshold`, which is multiplied by `nms_eta` after each selection
    while it is above 0.5. Over all classes the best `keep_top_k` are kept. Without `normalized` a box of equal
    corners has size 1.

    `out` has label, score and box for all images, by class; `index` the index of each box among all boxes of the
    batch, and `nms_rois_num` the number of boxes of each image. With `rois_num` the boxes of all images are one list,
    with `rois_num` boxes for each image. With `marks_none`, an empty result is one element, -1, of one image.
  }];
  let constraints = nmsConstraints;
  let arguments = (ins Pd_FloatTensor:$bboxes, Pd_FloatTensor:$scores, Optional<Pd_IntTensor>:$rois_num,
    F64Attr:$score_threshold, I64Attr:$nms_top_k, I64Attr:$keep_top_k, Number<"0.3">:$nms_threshold,
    Flag<"true">:$normalized, Number<"1.0">:$nms_eta, Count<"0">:$background_label, Flag<"false">:$marks_none);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$index, Pd_IntTensor:$nms_rois_num);
  let infer = "inferMulticlassNms";
  let library = "multiclass_nms3";
  let legacy = [Legacy<"multiclass_nms3", ["BBoxes", "Scores", "RoisNum"], ["Out", "Index", "NmsRoisNum"],
    ["score_threshold", "nms_top_k", "keep_top_k", "nms_threshold", "normalized", "nms_eta", "background_label"]>,
    Legacy<"multiclass_nms2", ["BBoxes", "Scores"], ["Out", "Index"], [], ["score_threshold", "nms_top_k", "keep_top_k",
      "nms_threshold", "normalized", "nms_eta", "background_label"], "importMulticlassNms">,
    Legacy<"multiclass_nms", ["BBoxes", "Scores"], ["Out"], [], ["score_threshold", "nms_top_k", "keep_top_k",
      "nms_threshold", "normalized", "nms_eta", "background_label"], "importMulticlassNms">];
>>>>>>> sp-rules
  let lod = "none";
}

#endif
