/// Types of ops that match anchors, regions and masks with true boxes.
#pragma once

#include "dialects/pd/ir/SamplingInterface.h"
#include "dialects/pd/ops/detection/Detection.h"
#include "dialects/pd/ops/sequence/Labels.h"

namespace proa::pd {

/// A tensor of int32 (int64) elements.
mlir::RankedTensorType intTensor(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                 unsigned bits = 32);

template <class Adaptor>
mlir::LogicalResult inferTargetAssign(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  bool fits = hasDims(adaptor.getAnchor(), 2, 1, 4) && hasDims(adaptor.getGtBoxes(), 2, 1, 4) &&
              hasDims(adaptor.getImInfo(), 2, 1, 3);
  if (failed(require(location, fits, "C1: anchor and gt_boxes must be [n, 4], im_info [images, 3]",
                     adaptor.getOperands())))
    return mlir::failure();
  auto anchor = tensorType(adaptor.getAnchor());
  mlir::MLIRContext *context = anchor.getContext();
  int64_t open = mlir::ShapedType::kDynamic;
  auto offsets = tensorType(adaptor.getGtOffsets());
  results.append(2, intTensor(context, {open}));
  results.push_back(anchor.clone({open, 4}));
  results.push_back(intTensor(context, {open, 1}));
  results.push_back(anchor.clone({open, 4}));
  results.append(2, intTensor(context, offsets.getShape(), 64));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferRetinanetTargetAssign(std::optional<mlir::Location> location, Adaptor adaptor,
                                               Results &results) {
  if (failed(inferTargetAssign(location, adaptor, results)))
    return mlir::failure();
  mlir::MLIRContext *context = adaptor.getAnchor().getContext();
  results.push_back(intTensor(context, {sequenceCount(adaptor.getGtOffsets()), 1}));
  results.push_back(intTensor(context, tensorType(adaptor.getGtOffsets()).getShape(), 64));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferGenerateProposalLabels(std::optional<mlir::Location> location, Adaptor adaptor,
                                                Results &results) {
  bool fits = hasDims(adaptor.getRpnRois(), 2, 1, 4) && hasDims(adaptor.getGtBoxes(), 2, 1, 4) &&
              hasDims(adaptor.getImInfo(), 2, 1, 3);
  if (failed(require(location, fits, "C1: rpn_rois and gt_boxes must be [n, 4], im_info [images, 3]",
                     adaptor.getOperands())))
    return mlir::failure();
  auto classes = static_cast<int64_t>(adaptor.getClassNums());
  if (classes < 1 || adaptor.getBboxRegWeights().size() != 4)
    return inferenceError(
        location, "C2: class_nums must be positive and bbox_reg_weights four numbers, found " +
                      llvm::Twine(classes) + " and " + llvm::Twine(adaptor.getBboxRegWeights().size()));
  if (adaptor.getIsCascadeRcnn() && !adaptor.getMaxOverlap())
    return inferenceError(location, "C3: with is_cascade_rcnn there must be max_overlap");
  auto rois = tensorType(adaptor.getRpnRois());
  int64_t open = mlir::ShapedType::kDynamic;
  results.push_back(rois.clone({open, 4}));
  results.push_back(intTensor(rois.getContext(), {open, 1}));
  results.append(3, rois.clone({open, 4 * classes}));
  results.push_back(rois.clone({open}));
  results.push_back(intTensor(rois.getContext(), tensorType(adaptor.getRoiOffsets()).getShape(), 64));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferGenerateMaskLabels(std::optional<mlir::Location> location, Adaptor adaptor,
                                            Results &results) {
  bool fits = hasDims(adaptor.getRois(), 2, 1, 4) && hasDims(adaptor.getGtSegms(), 2, 1, 2) &&
              hasDims(adaptor.getImInfo(), 2, 1, 3);
  if (failed(require(location, fits, "C1: rois must be [n, 4], gt_segms [points, 2], im_info [images, 3]",
                     adaptor.getOperands())))
    return mlir::failure();
  auto classes = static_cast<int64_t>(adaptor.getNumClasses()),
       resolution = static_cast<int64_t>(adaptor.getResolution());
  if (classes < 1 || resolution < 1)
    return inferenceError(location, "C2: num_classes and resolution must be positive, found " +
                                        llvm::Twine(classes) + " and " + llvm::Twine(resolution));
  auto rois = tensorType(adaptor.getRois());
  int64_t open = mlir::ShapedType::kDynamic;
  results.push_back(rois.clone({open, 4}));
  results.push_back(intTensor(rois.getContext(), {open, 1}));
  results.push_back(intTensor(rois.getContext(), {open, classes * resolution * resolution}));
  results.push_back(intTensor(rois.getContext(), tensorType(adaptor.getRoiOffsets()).getShape(), 64));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Targets.h.inc"
