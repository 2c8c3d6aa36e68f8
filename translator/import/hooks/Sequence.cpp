//! Hooks of ops that read or give a LoD in ways that the table can't say.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {

/// The level of Y that `ref_level` names says how often each sequence of X is repeated.
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
  llvm::SmallVector<Value> results = importer.create("pd.sequence_expand", {{x}, {levels[level]}, own});
  if (results.empty())
    return;
  importer.setOutput("Out", results[0]);
  if (!own.empty())
    importer.setOutputLod("Out", results[1]);
}

void importSequenceExpandAs(OpImporter &importer) {
  importer.importByTable();
  importer.setOutputLod("Out", importer.lod("Y"));
}

/// The LoD of Y, or Y's elements as offsets, or the offsets in target_lod; instead of X's LoD or as a level
/// below it.
void importLodReset(OpImporter &importer) {
  Value x = importer.requiredInput("X"), y = importer.input("Y");
  if (!x)
    return;
  llvm::SmallVector<Value> levels = importer.lod("Y");
  bool isGiven = !levels.empty();
  if (!isGiven && y) {
    levels = {importer.createOne(
        "pd.cast", {{y}}, {importer.named("dtype", TypeAttr::get(importer.getBuilder().getI64Type()))})};
  } else if (!isGiven) {
    llvm::SmallVector<int64_t> offsets = importer.intsAttribute("target_lod");
    if (offsets.size() < 2 || offsets.front() != 0 || !llvm::is_sorted(offsets))
      return importer.report("attribute 'target_lod' must ascend from 0, with two offsets or more");
    levels = {importer.constantInts(offsets)};
  }
  if (!levels.front())
    return;
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
  Builder &builder = importer.getBuilder();
  auto padded = [&](Value x, Value offsets) {
    auto element = pd::tensorType(x).getElementType();
    auto type = RankedTensorType::get({}, element);
    if (!element.isIntOrFloat()) {
      importer.report("expected logits and labels of real numbers, found complex ones");
      return llvm::SmallVector<Value>();
    }
    Value zero = importer.constant(cast<ElementsAttr>(builder.getZeroAttr(type)));
    return importer.create("pd.sequence_pad", {{x}, {offsets}, {zero}}, {});
  };
  llvm::SmallVector<Value> rows = padded(logits, logitsLod[0]), labels = padded(label, labelLod[0]);
  if (rows.empty() || labels.empty())
    return;
  Value steps = importer.createOne("pd.transpose", {{rows[0]}},
                                   {importer.named("perm", builder.getDenseI64ArrayAttr({1, 0, 2}))});
  Value matrix = importer.createOne("pd.reshape", {{labels[0]}, {}},
                                    {importer.named("shape", builder.getDenseI64ArrayAttr({0, -1}))});
  if (!steps || !matrix)
    return;
  importer.overrideInput("Logits", steps);
  importer.overrideInput("Label", matrix);
  importer.overrideInput("LogitsLength", rows[1]);
  importer.overrideInput("LabelLength", labels[1]);
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
