//! Hooks of ops that read or set a LoD in ways that the table does not describe.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/sequence/SequenceOps.h"

using namespace mlir;

namespace proa::import::hooks {

/// Repeats each sequence of X by the lengths in level `ref_level` of Y's LoD.
void importSequenceExpand(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  llvm::SmallVector<Value> levels = importer.lod("Y"), own = importer.lod("X");
  int64_t level = importer.intAttribute("ref_level", -1);
  if (level == -1)
    level = static_cast<int64_t>(levels.size()) - 1;
  if (!x)
    return;
  if (level < 0 || level >= static_cast<int64_t>(levels.size()))
    return importer.report("attribute 'ref_level' is " + llvm::Twine(level) + ", Y has " +
                           llvm::Twine(levels.size()) + " LoD levels");
  if (own.size() > 1)
    return importer.report("input X has " + llvm::Twine(own.size()) + " LoD levels, expected one or none");
  auto expand = pd::SequenceExpandOp::create(importer.getBuilder(), importer.getLocation(), x, levels[level],
                                             own.empty() ? Value() : own.front());
  importer.setOutput("Out", expand->getResult(0));
  if (!own.empty())
    importer.setOutputLod("Out", expand->getResult(1));
}

/// Paddle reads PaddingData only where it is trainable.
void importSequenceConv(OpImporter &importer) {
  if (!importer.boolAttribute("paddingTrainable", false))
    importer.overrideInput("PaddingData", Value());
  importer.importByTable();
}

void importSequenceExpandAs(OpImporter &importer) {
  importer.importByTable();
  importer.setOutputLod("Out", importer.lod("Y"));
}

/// Sets the LoD of Y, or Y's elements as offsets, or the offsets in target_lod: in place of X's LoD, or with
/// `append` as its new innermost level.
void importLodReset(OpImporter &importer) {
  Value x = importer.requiredInput("X"), y = importer.input("Y");
  if (!x)
    return;
  llvm::SmallVector<Value> levels = importer.lod("Y");
  bool isGiven = !levels.empty();
  if (!isGiven && y) {
    levels = {importer.tensors().cast(importer.wrap(y), importer.getBuilder().getI64Type())};
  } else if (!isGiven) {
    llvm::SmallVector<int64_t> offsets = importer.intsAttribute("target_lod");
    if (offsets.size() < 2 || offsets.front() != 0 || !llvm::is_sorted(offsets))
      return importer.report("attribute 'target_lod' must ascend from 0, with two offsets or more");
    levels = {importer.constantInts(offsets)};
  }
  if (!isGiven && importer.boolAttribute("append", false)) { // the LoD of Y replaces all levels
    llvm::SmallVector<Value> all = importer.lod("X");
    all.append(levels);
    levels = all;
  }
  importer.setOutput("Out", x);
  importer.setOutputLod("Out", levels);
}

/// Without lengths the logits and labels are sequences by their LoDs.
void importWarpctc(OpImporter &importer) {
  if (importer.input("LogitsLength"))
    return importer.importByTable();
  Value logits = importer.requiredInput("Logits"), label = importer.requiredInput("Label");
  if (!logits || !label)
    return;
  llvm::SmallVector<Value> logitsLod = importer.innermostLods("Logits"),
                           labelLod = importer.innermostLods("Label");
  if (logitsLod.empty() || labelLod.empty())
    return;
  TensorBuilder &e = importer.tensors();
  for (Value x : {logits, label})
    if (!pd::tensorType(x).getElementType().isIntOrFloat())
      return importer.report("expected logits and labels of real numbers, found complex ones");
  auto padded = [&](Value x, Value offsets) {
    Expression zero = e.constant(0, pd::tensorType(x).getElementType());
    return pd::SequencePadOp::create(importer.getBuilder(), importer.getLocation(), x, offsets, zero);
  };
  auto rows = padded(logits, logitsLod[0]), labels = padded(label, labelLod[0]);
  Expression steps = e.transpose(e.wrap(rows->getResult(0)), {1, 0, 2});
  Expression matrix = e.reshape(e.wrap(labels->getResult(0)), {0, -1});
  importer.overrideInput("Logits", steps);
  importer.overrideInput("Label", matrix);
  importer.overrideInput("LogitsLength", rows->getResult(1));
  importer.overrideInput("LabelLength", labels->getResult(1));
  importer.importByTable();
}

void importCtcAlign(OpImporter &importer) {
  importer.importByTable();
  // By offsets the second result is a LoD level, not the counts.
  if (importer.lod("Input").empty())
    return;
  Value out = importer.output("Output");
  if (out)
    importer.setOutputLod("Output", {out.getDefiningOp()->getResult(1)});
}

} // namespace proa::import::hooks
