//! Hooks of ops on boxes. A LoD or counts say which boxes belong to which image.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/detection/Nms.h"
#include "dialects/pd/ops/detection/Proposals.h"
#include "dialects/pd/ops/detection/Targets.h"
#include "dialects/pd/ops/sequence/RowsOps.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// The lengths of the sequences of a LoD level as int32, which Paddle's ops take.
Value countsOf(OpImporter &importer, Value offsets) {
  return importer.tensors().cast(lengthsOf(importer.wrap(offsets)), importer.getBuilder().getI32Type());
}

/// The offsets of lists of these lengths.
Value offsetsOf(OpImporter &importer, Value counts) {
  Expression lengths = importer.tensors().cast(importer.wrap(counts), importer.getBuilder().getI64Type());
  return pd::RangesOp::create(importer.getBuilder(), importer.getLocation(), fullLike(lengths, 0), lengths)
      .getOffsets();
}

llvm::APFloat floatNumber(OpImporter &importer, llvm::StringRef name, double otherwise) {
  return llvm::APFloat(importer.floatAttribute(name, otherwise));
}

} // namespace

/// Regions of interest: without RoisNum their LoD gives the number of regions of each image.
void importRoi(OpImporter &importer) {
  Operands levels = importer.lod("ROIs");
  if (!importer.input("RoisNum") && !levels.empty())
    importer.overrideInput("RoisNum", countsOf(importer, levels.back()));
  importer.importByTable();
}

/// The first version has the scale of the boxes in ImInfo, corners that are pixels, and a LoD on its results.
void importGenerateProposals(OpImporter &importer) {
  if (importer.legacyOp().type == "generate_proposals_v2")
    return importer.importByTable();
  Operands operands;
  for (llvm::StringRef slot : {"Scores", "BboxDeltas", "ImInfo", "Anchors", "Variances"})
    operands.push_back(importer.requiredInput(slot));
  if (llvm::is_contained(operands, Value()))
    return;
  auto proposals = pd::GenerateProposalsOp::create(
      importer.getBuilder(), importer.getLocation(), operands[0], operands[1], operands[2], operands[3],
      operands[4], importer.intAttribute("pre_nms_topN", 6000), importer.intAttribute("post_nms_topN", 1000),
      floatNumber(importer, "nms_thresh", 0.5), floatNumber(importer, "min_size", 0.1),
      floatNumber(importer, "eta", 1.0),
      /*pixel_offset=*/true, /*is_scaled=*/true);
  Value offsets = offsetsOf(importer, proposals.getRpnRoisNum());
  importer.setOutput("RpnRois", proposals.getRpnRois());
  importer.setOutput("RpnRoiProbs", proposals.getRpnRoiProbs());
  importer.setOutput("RpnRoisNum", proposals.getRpnRoisNum());
  importer.setOutputLod("RpnRois", {offsets});
  importer.setOutputLod("RpnRoiProbs", {offsets});
}

/// The first two versions give the boxes of the images by a LoD. The first one marks an empty result by a row
/// of -1.
void importMulticlassNms(OpImporter &importer) {
  Value boxes = importer.requiredInput("BBoxes"), scores = importer.requiredInput("Scores");
  if (!boxes || !scores)
    return;
  Value counts;
  if (Operands levels = importer.lod("BBoxes"); !levels.empty() && pd::tensorType(scores).getRank() == 2)
    counts = countsOf(importer, levels.back());
  bool marksNone = importer.legacyOp().type == "multiclass_nms";
  auto nms = pd::MulticlassNms3Op::create(
      importer.getBuilder(), importer.getLocation(), boxes, scores, counts,
      floatNumber(importer, "score_threshold", 0), importer.intAttribute("nms_top_k", -1),
      importer.intAttribute("keep_top_k", -1), floatNumber(importer, "nms_threshold", 0.3),
      importer.boolAttribute("normalized", true), floatNumber(importer, "nms_eta", 1.0),
      importer.intAttribute("background_label", 0), marksNone, /*class_keep_top_k=*/-1);
  Value offsets = offsetsOf(importer, nms->getResult(2));
  importer.setOutput("Out", nms->getResult(0));
  importer.setOutput("Index", nms->getResult(1));
  importer.setOutputLod("Out", {offsets});
  importer.setOutputLod("Index", {offsets});
}

/// The boxes of each level, restore_index, then the counts. Without RoisNum a LoD gives the images.
void importDistributeFpnProposals(OpImporter &importer) {
  Value boxes = importer.requiredInput("FpnRois"), counts = importer.input("RoisNum");
  Operands levels = importer.lod("FpnRois");
  if (!boxes)
    return;
  if (!counts && !levels.empty())
    counts = countsOf(importer, levels.back());
  auto integer = [&](llvm::StringRef name) { return importer.intAttribute(name, 0); };
  auto distribute = pd::DistributeFpnProposalsOp::create(importer.getBuilder(), importer.getLocation(), boxes,
                                                         counts, integer("min_level"), integer("max_level"),
                                                         integer("refer_level"), integer("refer_scale"),
                                                         importer.boolAttribute("pixel_offset", true));
  Operands all(distribute->getResults());
  llvm::ArrayRef<Value> results(all);
  size_t count = results.size() / 2;
  importer.setOutputs("MultiFpnRois", results.take_front(count));
  importer.setOutput("RestoreIndex", results[count]);
  importer.setOutputs("MultiLevelRoIsNum", results.drop_front(count + 1));
  for (size_t i = 0; i < count; ++i)
    importer.setOutputLod("MultiFpnRois", {offsetsOf(importer, results[count + 1 + i])}, i);
}

void importCollectFpnProposals(OpImporter &importer) {
  Operands boxes = importer.inputs("MultiLevelRois"), scores = importer.inputs("MultiLevelScores");
  Operands counts = importer.inputs("MultiLevelRoIsNum"), all = boxes;
  bool hasCounts = !counts.empty();
  for (size_t i = 0; !hasCounts && i < boxes.size(); ++i)
    if (Operands levels = importer.lod("MultiLevelRois", i); !levels.empty())
      counts.push_back(countsOf(importer, levels.back()));
  all.append(scores);
  all.append(counts);
  auto collect = pd::CollectFpnProposalsOp::create(importer.getBuilder(), importer.getLocation(), all,
                                                   boxes.size(), importer.intAttribute("post_nms_topN", 0));
  importer.setOutput("FpnRois", collect.getFpnRois());
  importer.setOutput("RoisNum", collect.getRoisNum());
  importer.setOutputLod("FpnRois", {offsetsOf(importer, collect.getRoisNum())});
}

/// The points have three LoD levels: objects, polygons, points.
void importGenerateMaskLabels(OpImporter &importer) {
  Operands levels = importer.lod("GtSegms"), regions = importer.innermostLods("Rois"), operands;
  for (llvm::StringRef slot : {"Rois", "ImInfo", "GtClasses", "IsCrowd", "GtSegms", "LabelsInt32"})
    operands.push_back(importer.requiredInput(slot));
  if (regions.empty() || llvm::is_contained(operands, Value()))
    return;
  if (levels.size() != 3)
    return importer.report("input 'GtSegms' has " + llvm::Twine(levels.size()) + " LoD levels, expected 3");
  auto labels = pd::GenerateMaskLabelsOp::create(
      importer.getBuilder(), importer.getLocation(), operands[0], operands[1], operands[2], operands[3],
      operands[4], operands[5], regions[0], levels[0], levels[1], levels[2],
      importer.intAttribute("num_classes", 0), importer.intAttribute("resolution", 0));
  for (auto [slot, value] :
       {std::pair("MaskRois", labels.getMaskRois()), std::pair("RoiHasMaskInt32", labels.getRoiHasMask()),
        std::pair("MaskInt32", labels.getMask())}) {
    importer.setOutput(slot, value);
    importer.setOutputLod(slot, {labels.getOffsets()});
  }
}

} // namespace proa::import::hooks
