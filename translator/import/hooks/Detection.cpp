//! Hooks of ops on boxes: boxes of several images are told apart by a LoD or by counts.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"

#include <array>

using namespace mlir;

namespace proa::import::hooks {
namespace {

using Operands = llvm::SmallVector<Value>;

/// The lengths of the sequences of a LoD level as int32, which Paddle's ops take.
Value lengthsOf(OpImporter &importer, Value offsets) {
  Builder &builder = importer.getBuilder();
  auto part = [&](int64_t begin, int64_t end) {
    return importer.createOne("pd.slice", {{offsets}, {}, {}, {}},
                              {importer.named("axes", builder.getDenseI64ArrayAttr({0})),
                               importer.named("starts", builder.getDenseI64ArrayAttr({begin})),
                               importer.named("ends", builder.getDenseI64ArrayAttr({end})),
                               importer.named("strides", builder.getDenseI64ArrayAttr({1}))});
  };
  Value ends = part(1, std::numeric_limits<int64_t>::max()), starts = part(0, -1);
  Value lengths = ends && starts ? importer.createOne("pd.subtract", {{ends}, {starts}}) : Value();
  return lengths ? importer.createOne("pd.cast", {{lengths}},
                                      {importer.named("dtype", TypeAttr::get(builder.getI32Type()))})
                 : Value();
}

/// The offsets of lists of so many rows each.
Value offsetsOf(OpImporter &importer, Value counts) {
  Type int64 = importer.getBuilder().getI64Type();
  Value lengths = importer.createOne("pd.cast", {{counts}}, {importer.named("dtype", TypeAttr::get(int64))});
  if (!lengths)
    return {};
  Value zeros = importer.createOne("pd.full_like", {{lengths}, {}});
  Operands ranges = zeros ? importer.create("pd.ranges", {{zeros}, {lengths}}) : Operands();
  return ranges.empty() ? Value() : ranges[1];
}

} // namespace

/// Regions of interest: without RoisNum their LoD says how many each image has.
void importRoi(OpImporter &importer) {
  Operands levels = importer.lod("ROIs");
  if (!importer.input("RoisNum") && !levels.empty())
    if (Value lengths = lengthsOf(importer, levels.back()))
      importer.overrideInput("RoisNum", lengths);
  importer.importByTable();
}

/// The first version has the boxes' scale in ImInfo and corners that are pixels, and gives its boxes a LoD.
void importGenerateProposals(OpImporter &importer) {
  if (importer.legacyOp().type == "generate_proposals_v2")
    return importer.importByTable();
  Builder &builder = importer.getBuilder();
  Operands operands;
  for (llvm::StringRef slot : {"Scores", "BboxDeltas", "ImInfo", "Anchors", "Variances"})
    operands.push_back(importer.requiredInput(slot));
  if (llvm::is_contained(operands, Value()))
    return;
  Operands results = importer.create(
      "pd.generate_proposals", {{operands[0]}, {operands[1]}, {operands[2]}, {operands[3]}, {operands[4]}},
      {importer.named("pre_nms_top_n",
                      builder.getI64IntegerAttr(importer.intAttribute("pre_nms_topN", 6000))),
       importer.named("post_nms_top_n",
                      builder.getI64IntegerAttr(importer.intAttribute("post_nms_topN", 1000))),
       importer.named("nms_thresh", builder.getF64FloatAttr(importer.floatAttribute("nms_thresh", 0.5))),
       importer.named("min_size", builder.getF64FloatAttr(importer.floatAttribute("min_size", 0.1))),
       importer.named("eta", builder.getF64FloatAttr(importer.floatAttribute("eta", 1.0))),
       importer.named("pixel_offset", builder.getBoolAttr(true)),
       importer.named("is_scaled", builder.getBoolAttr(true))});
  Value offsets = results.empty() ? Value() : offsetsOf(importer, results[2]);
  if (!offsets)
    return;
  importer.setOutput("RpnRois", results[0]);
  importer.setOutput("RpnRoiProbs", results[1]);
  importer.setOutput("RpnRoisNum", results[2]);
  importer.setOutputLod("RpnRois", {offsets});
  importer.setOutputLod("RpnRoiProbs", {offsets});
}

/// The first two versions tell the boxes of the images apart by a LoD; the first one says that there are none
/// by a row of -1.
void importMulticlassNms(OpImporter &importer) {
  Builder &builder = importer.getBuilder();
  Value boxes = importer.requiredInput("BBoxes"), scores = importer.requiredInput("Scores");
  if (!boxes || !scores)
    return;
  Operands counts;
  if (Operands levels = importer.lod("BBoxes"); !levels.empty() && pd::tensorType(scores).getRank() == 2)
    counts = {lengthsOf(importer, levels.back())};
  auto integer = [&](llvm::StringRef name, int64_t otherwise) {
    return importer.named(name, builder.getI64IntegerAttr(importer.intAttribute(name, otherwise)));
  };
  auto number = [&](llvm::StringRef name, double otherwise) {
    return importer.named(name, builder.getF64FloatAttr(importer.floatAttribute(name, otherwise)));
  };
  bool marksNone = importer.legacyOp().type == "multiclass_nms";
  Operands results = importer.create(
      "pd.multiclass_nms3", {{boxes}, {scores}, counts},
      {number("score_threshold", 0), integer("nms_top_k", -1), integer("keep_top_k", -1),
       number("nms_threshold", 0.3),
       importer.named("normalized", builder.getBoolAttr(importer.boolAttribute("normalized", true))),
       number("nms_eta", 1.0), integer("background_label", 0),
       importer.named("marks_none", builder.getBoolAttr(marksNone))});
  Value offsets = results.empty() ? Value() : offsetsOf(importer, results[2]);
  if (!offsets)
    return;
  importer.setOutput("Out", results[0]);
  importer.setOutput("Index", results[1]);
  importer.setOutputLod("Out", {offsets});
  importer.setOutputLod("Index", {offsets});
}

/// The boxes of each level, restore_index, then the counts. Without RoisNum the images are told apart by
/// LoDs.
void importDistributeFpnProposals(OpImporter &importer) {
  Value boxes = importer.requiredInput("FpnRois"), counts = importer.input("RoisNum");
  Operands levels = importer.lod("FpnRois");
  if (!boxes)
    return;
  if (!counts && !levels.empty() && !(counts = lengthsOf(importer, levels.back())))
    return;
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<NamedAttribute> attributes;
  for (llvm::StringRef name : {"min_level", "max_level", "refer_level", "refer_scale"})
    attributes.push_back(importer.named(name, builder.getI64IntegerAttr(importer.intAttribute(name, 0))));
  attributes.push_back(
      importer.named("pixel_offset", builder.getBoolAttr(importer.boolAttribute("pixel_offset", true))));
  Operands results = importer.create("pd.distribute_fpn_proposals",
                                     {{boxes}, counts ? Operands{counts} : Operands{}}, attributes);
  if (results.empty())
    return;
  size_t count = results.size() / 2;
  llvm::ArrayRef<Value> all(results);
  importer.setOutputs("MultiFpnRois", all.take_front(count));
  importer.setOutput("RestoreIndex", all[count]);
  importer.setOutputs("MultiLevelRoIsNum", all.drop_front(count + 1));
  for (size_t i = 0; i < count; ++i)
    if (Value offsets = offsetsOf(importer, all[count + 1 + i]))
      importer.setOutputLod("MultiFpnRois", {offsets}, i);
}

void importCollectFpnProposals(OpImporter &importer) {
  Operands boxes = importer.inputs("MultiLevelRois"), scores = importer.inputs("MultiLevelScores");
  Operands counts = importer.inputs("MultiLevelRoIsNum"), all = boxes;
  for (size_t i = 0; counts.empty() && i < boxes.size(); ++i)
    if (Operands levels = importer.lod("MultiLevelRois", i); !levels.empty())
      counts.push_back(lengthsOf(importer, levels.back()));
  all.append(scores);
  all.append(counts);
  Builder &builder = importer.getBuilder();
  Operands results = importer.create(
      "pd.collect_fpn_proposals", {all},
      {importer.named("levels", builder.getI64IntegerAttr(static_cast<int64_t>(boxes.size()))),
       importer.named("post_nms_topn",
                      builder.getI64IntegerAttr(importer.intAttribute("post_nms_topN", 0)))});
  if (results.empty())
    return;
  importer.setOutput("FpnRois", results[0]);
  importer.setOutput("RoisNum", results[1]);
  if (Value offsets = offsetsOf(importer, results[1]))
    importer.setOutputLod("FpnRois", {offsets});
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
  operands.push_back(regions[0]);
  operands.append(levels);
  llvm::SmallVector<Operands> groups;
  for (Value operand : operands)
    groups.push_back({operand});
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<NamedAttribute> attributes;
  for (llvm::StringRef name : {"num_classes", "resolution"})
    attributes.push_back(importer.named(name, builder.getI64IntegerAttr(importer.intAttribute(name, 0))));
  Operands results = importer.create("pd.generate_mask_labels", groups, attributes);
  if (results.empty())
    return;
  const std::array slots{"MaskRois", "RoiHasMaskInt32", "MaskInt32"};
  for (auto [i, slot] : llvm::enumerate(slots)) {
    importer.setOutput(slot, results[i]);
    importer.setOutputLod(slot, {results[3]});
  }
}

} // namespace proa::import::hooks
