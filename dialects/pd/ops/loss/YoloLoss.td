// The loss of YOLOv3.
#ifndef PROA_DIALECTS_PD_LOSS_YOLO_LOSS
#define PROA_DIALECTS_PD_LOSS_YOLO_LOSS

include "dialects/pd/ops/loss/KernelLoss.td"

def Pd_YoloLossOp : Pd_KernelLossOp<"yolo_loss"> {
  let sharding = "b * * *, b * *, b *, b * -> b, b * * *, b *, b * * *";
  let summary = "The loss of a YOLOv3 head";
  let description = [{
    x [N, M * (5 + class_num), H, W] has t_x, t_y, t_w, t_h, an objectness logit and class logits for each cell and
    each of the M anchors in `anchor_mask` (indices of pairs width, height in `anchors`). gt_box [N, B, 4] has center
    and size of true boxes relative to the image, gt_label [N, B] their classes, gt_score [N, B] their weights
    (default 1). Boxes smaller than 1e-6 are ignored. The image size is downsample_ratio * H. With e(x, t) the cross
    entropy of sigmoid(x) and t, and s = scale_x_y, the loss is the sum of:

    - the objectness loss e(objectness, 1) * score at cells with a true box, e(objectness, 0) at others. A cell is left
      out if its box, with center (cell + sigmoid(t) * s - (s - 1) / 2) / H and size exp(t) * anchor / image, overlaps a
      true box by more than ignore_thresh (intersection over union);
    - for each true box whose best anchor, of all anchors with the same center, is one of the M, at its cell: (2 - w *
      h) * score * (e(t_x, x * W - column) + e(t_y, y * H - row) + |t_w - log(w * image / anchor)| + |t_h - ...|) +
      score * e(class logit, 1 for its class, else 0). With use_label_smooth, 1 - d and d with d = min(1 / class_num,
      1 / 40) instead of 1 and 0.

    `loss` is [N]; `objectness_mask` [N, M, H, W] is the score, 0, or -1 for cells that are left out; `gt_match_mask`
    [N, B] is the index of the anchor among the M, or -1. `x_derivative` is the derivative of each image's loss by x.
  }];
  let constraints = [
    "C1. x has rank 4, gt_box is [N, B, 4], gt_label and gt_score are [N, B]",
    "C2. anchors has pairs, and anchor_mask indices of pairs",
    "C3. x has the number of channels given by anchor_mask and class_num",
    "C4. downsample_ratio is positive"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$gt_box, Pd_IntTensor:$gt_label,
    Optional<Pd_FloatTensor>:$gt_score, LossInts:$anchors, LossInts:$anchor_mask, LossInt<"1">:$class_num,
    LossFloat<"0.7">:$ignore_thresh, LossInt<"32">:$downsample_ratio, DefaultValuedAttr<BoolAttr,
    "true">:$use_label_smooth,
      LossFloat<"1.0">:$scale_x_y);
  let newIr = [NewIr<["x", "gt_box", "gt_label", "gt_score"], ["loss", "objectness_mask", "gt_match_mask"]>];
  let results = (outs Pd_FloatTensor:$loss, Pd_FloatTensor:$objectness_mask, Pd_IntTensor:$gt_match_mask,
    Pd_FloatTensor:$x_derivative);
  let infer = "inferYoloLoss";
  let legacy = [Legacy<"yolov3_loss", ["X", "GTBox", "GTLabel", "GTScore"], ["Loss", "ObjectnessMask", "GTMatchMask",
    ""], ["anchors", "anchor_mask", "class_num", "ignore_thresh", "downsample_ratio", "use_label_smooth",
    "scale_x_y"]>];
  let newIrGradients = [
    "yolo_loss_grad(x, gt_box, gt_label, gt_score, objectness_mask, gt_match_mask) -> x, gt_box, gt_label, gt_score"
  ];
  let batching = "batchImageSamples";
}

#endif
