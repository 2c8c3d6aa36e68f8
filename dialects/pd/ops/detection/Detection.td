// Boxes: decoding, selection, pooling of regions.
#ifndef PROA_DIALECTS_PD_DETECTION_DETECTION
#define PROA_DIALECTS_PD_DETECTION_DETECTION

include "dialects/pd/ir/Base.td"

class Flag<string value> : DefaultValuedAttr<BoolAttr, value>;
class Number<string value> : DefaultValuedAttr<F64Attr, value>;
class Count<string value> : DefaultValuedAttr<I64Attr, value>;

def Pd_YoloBoxOp : Pd_Op<"yolo_box"> {
  let summary = "Boxes and class scores from a YOLOv3 head";
  let description = [{
    x holds for each of the A anchors (pairs width, height in `anchors`) and each of the H x W cells 4 box numbers, an
    objectness and `class_num` class logits, [N, A * (5 + class_num), H, W]; with `iou_aware` A IoU logits come before.
    `img_size` holds height and width of each image. With b = scale_x_y, c = -0.5 * (b - 1):
      box centre x = (cell column + sigmoid(t_x) * b + c) * image width / W, so for y; width = exp(t_w) * anchor width *
      image width / (downsample_ratio * W), so for height; corners, with `clip_bbox` inside of the image.
      confidence = sigmoid(t_o), with `iou_aware` confidence^(1 - iou_aware_factor) * sigmoid(iou)^iou_aware_factor;
      score of a class = confidence * sigmoid(class logit). Where the confidence is below conf_thresh all are 0.
    The boxes of one image stand anchor by anchor, row by row.
  }];
  let constraints = [
    "C1. x has rank 4, img_size is [N, 2]",
    "C2. anchors holds at least one pair of positive numbers, class_num is positive",
    "C3. x has as many channels as anchors and class_num ask for"
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
}

defvar nmsConstraints = [
  "C1. bboxes has the dimensions [N, M, 4 or more] and scores [N, classes, M]; with rois_num [M, classes, 4 or more] and "
    "[M, classes]",
  "C2. both have one element type"
];

def Pd_MulticlassNms3Op : Pd_Op<"multiclass_nms3"> {
  let summary = "Boxes selected class by class by score and overlap";
  let description = [{
    For each image and each class but `background_label`: the boxes with a score above `score_threshold`, the best
    `nms_top_k` of them (-1: all), one after the other from the best one on, unless the overlap (intersection over union)
    with one taken before is above `nms_threshold`, which is multiplied by `nms_eta` after each box taken while above 0.5.
    Of all classes together the best `keep_top_k` stay. Without `normalized` a box of equal corners has extent 1.

    `out` lists label, score and box of all images one after the other, by class; `index` the position of each box among all
    boxes of the batch, and `nms_rois_num` how many boxes each image has. With `rois_num` the boxes of all images
    stand in one list, `rois_num` of each image. With `marks_none`, where nothing is found, out is one element, -1, of one image.
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
    Legacy<"multiclass_nms", ["BBoxes", "Scores"], ["Out"], [], ["score_threshold", "nms_top_k", "keep_top_k", "nms_threshold",
      "normalized", "nms_eta", "background_label"], "importMulticlassNms">];
  let lod = "none";
  let referenceInCode = 1;
}

def Pd_MatrixNmsOp : Pd_Op<"matrix_nms"> {
  let summary = "Boxes with scores decayed by their overlaps with better ones";
  let description = [{
    For each image and each class but `background_label`, of the `nms_top_k` best boxes with a score above
    `score_threshold`: each score is multiplied by the least, over the better boxes j, of (1 - iou) / (1 - the greatest
    overlap of j with a better one), or with `use_gaussian` of exp((greatest^2 - iou^2) * gaussian_sigma). Boxes whose score then
    is above `post_threshold` stay, the best `keep_top_k` of an image.
  }];
  let constraints = nmsConstraints;
  let arguments = (ins Pd_FloatTensor:$bboxes, Pd_FloatTensor:$scores, F64Attr:$score_threshold, I64Attr:$nms_top_k,
    I64Attr:$keep_top_k, Number<"0.0">:$post_threshold, Flag<"false">:$use_gaussian, Number<"2.0">:$gaussian_sigma,
    Count<"0">:$background_label, Flag<"true">:$normalized);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$index, Pd_IntTensor:$roisnum);
  let infer = "inferMatrixNms";
  let library = "matrix_nms";
  let legacy = [Legacy<"matrix_nms", ["BBoxes", "Scores"], ["Out", "Index", "RoisNum"], ["score_threshold", "nms_top_k",
    "keep_top_k", "post_threshold", "use_gaussian", "gaussian_sigma", "background_label", "normalized"]>];
  let referenceInCode = 1;
}

#endif
