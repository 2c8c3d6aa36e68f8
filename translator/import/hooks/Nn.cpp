//! Hooks of layers of neural networks.
#include "translator/import/LegacyTable.h"
#include "translator/import/hooks/Formula.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {

/// The first version takes ids with a last dimension of 1, which the result does not have.
void importLookupTableV1(OpImporter &importer) {
  Value ids = importer.requiredInput("Ids");
  if (!ids)
    return;
  RankedTensorType type = pd::tensorType(ids);
  if (type.getRank() == 0 || (type.getShape().back() != 1 && !type.isDynamicDim(type.getRank() - 1)))
    return importer.report("input Ids must have a last dimension of 1");
  int64_t last = type.getRank() - 1;
  ids = importer.createOne("pd.squeeze", {{ids}, {}},
                           {importer.named("axis", importer.getBuilder().getDenseI64ArrayAttr({last}))});
  if (!ids)
    return;
  importer.overrideInput("Ids", ids);
  importer.importByTable();
}

/// Every layout but NCHW has its channels last, as in Paddle also NCDHW.
void importInterpolate(OpImporter &importer) {
  if (importer.stringAttribute("data_layout", "NCHW") != "NCHW")
    importer.overrideAttribute("data_layout", importer.getBuilder().getStringAttr("NHWC"));
  importer.importByTable();
}

/// The first version has one scale, 0 where there is none. It gives the size alone: positions are those of a
/// size that was given, not those of a scale.
void importInterpolateV1(OpImporter &importer) {
  Builder &builder = importer.getBuilder();
  Value x = importer.requiredInput("X"), scale = importer.input("Scale");
  double factor = importer.floatAttribute("scale", 0);
  importer.overrideAttribute("scale", builder.getDenseF64ArrayAttr({}));
  bool isSized = importer.input("OutSize") || !importer.inputs("SizeTensor").empty();
  if (!x || isSized || (!scale && factor <= 0))
    return importer.importByTable();
  auto cast = [&](Value value, Type type) {
    return value ? importer.createOne("pd.cast", {{value}}, {importer.named("dtype", TypeAttr::get(type))})
                 : Value();
  };
  if (!scale) {
    auto type = RankedTensorType::get({1}, builder.getF32Type());
    scale = importer.constant(DenseElementsAttr::get(type, static_cast<float>(factor)));
  }
  bool channelsLast = importer.stringAttribute("data_layout", "NCHW").back() == 'C';
  int64_t first = channelsLast ? 1 : 2, rank = pd::tensorType(x).getRank();
  Value shape = importer.createOne("pd.shape", {{x}});
  Value extents =
      shape ? importer.createOne("pd.slice", {{shape}, {}, {}, {}},
                                 {importer.named("axes", builder.getDenseI64ArrayAttr({0})),
                                  importer.named("starts", builder.getDenseI64ArrayAttr({first})),
                                  importer.named("ends", builder.getDenseI64ArrayAttr({first + rank - 2})),
                                  importer.named("strides", builder.getDenseI64ArrayAttr({1}))})
            : Value();
  Value reals = cast(extents, builder.getF32Type());
  Value size =
      reals ? cast(importer.createOne("pd.multiply", {{reals}, {scale}}), builder.getI32Type()) : Value();
  if (!size)
    return;
  importer.overrideInput("OutSize", size);
  importer.overrideInput("Scale", Value());
  importer.importByTable();
}

/// With a LoD there is one row of shows and clicks for each sequence.
void importCvm(OpImporter &importer) {
  if (!importer.lod("X").empty())
    importer.overrideInput("CVM", Value());
  importer.importByTable();
}

void importDataNorm(OpImporter &importer) {
  if (importer.intAttribute("slot_dim", -1) > 0)
    importer.report("attribute 'slot_dim' is above 0: columns normalized by slots can't be imported");
  importer.importByTable();
}

/// As dropout, with one draw for all elements along the dimensions that `axis` does not name.
void importDropoutNd(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  Formula f(importer);
  double p = importer.floatAttribute("dropout_prob", 0.5);
  bool upscales =
      importer.stringAttribute("dropout_implementation", "downgrade_in_infer") == "upscale_in_train";
  if (importer.boolAttribute("is_test", false))
    return importer.setOutput("Out", upscales ? x : f.scale(x, 1 - p));
  Value one = x;
  llvm::SmallVector<int64_t> axes = importer.intsAttribute("axis");
  for (int64_t d = 0; d < pd::tensorType(x).getRank(); ++d)
    if (!llvm::is_contained(axes, d))
      one = f.slice(one, d, 0, 1);
  Value ones = f.make("pd.full_like", {{one}, {}}, {f.number("value", 1)});
  if (!ones)
    return;
  Operands drawn = importer.create(
      "pd.dropout", {{ones}, {}, {}},
      {f.number("p", p),
       importer.named("seed", f.builder.getI64IntegerAttr(importer.intAttribute("seed", 0))),
       importer.named("fix_seed", f.builder.getBoolAttr(importer.boolAttribute("fix_seed", false)))});
  if (drawn.size() < 2)
    return;
  Value mask = f.cast(drawn[1], pd::tensorType(x).getElementType());
  if (upscales && p < 1)
    mask = f.scale(mask, 1 / (1 - p));
  importer.setOutput("Out", f.multiply(x, mask));
  importer.setOutput("Mask", drawn[1]);
}

/// Since Paddle 3 pos_weight weighs the whole loss of positive labels.
void importSigmoidCrossEntropy(OpImporter &importer) {
  Value x = importer.requiredInput("X"), label = importer.requiredInput("Label"),
        weight = importer.input("pos_weight");
  if (!x || !label)
    return;
  Builder &builder = importer.getBuilder();
  auto weights = weight ? llvm::SmallVector<Value>{weight} : llvm::SmallVector<Value>();
  importer.setOutput(
      "Out",
      importer.createOne(
          "pd.sigmoid_cross_entropy_with_logits", {{x}, {label}, weights},
          {importer.named("normalize", builder.getBoolAttr(importer.boolAttribute("normalize", false))),
           importer.named("ignore_index",
                          builder.getI64IntegerAttr(importer.intAttribute("ignore_index", -100))),
           importer.named("weighs_linear_part", builder.getBoolAttr(importer.isOfPaddle3()))}));
}

} // namespace proa::import::hooks
