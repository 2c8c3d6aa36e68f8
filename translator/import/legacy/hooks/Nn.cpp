//! Hooks of layers of neural networks.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/loss/LossOps.h"
#include "dialects/pd/ops/nn/DropoutOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

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
  importer.overrideInput("Ids", importer.tensors().create<pd::SqueezeOp>(ids, Value(), llvm::ArrayRef(last)));
  importer.importByTable();
}

/// Paddle's default is bilinear for all of the ops.
static void setDefaultMethod(OpImporter &importer) {
  if (!importer.hasAttribute("interp_method"))
    importer.overrideAttribute("interp_method", importer.getBuilder().getStringAttr("bilinear"));
}

/// Every layout but NCHW has its channels last; in Paddle this includes NCDHW.
void importInterpolate(OpImporter &importer) {
  setDefaultMethod(importer);
  if (importer.stringAttribute("data_layout", "NCHW") != "NCHW")
    importer.overrideAttribute("data_layout", importer.getBuilder().getStringAttr("NHWC"));
  importer.importByTable();
}

/// The first version has one scale, 0 for none. It only defines the output size: positions are computed from
/// the size and not from the scale.
void importInterpolateV1(OpImporter &importer) {
  setDefaultMethod(importer);
  Builder &builder = importer.getBuilder();
  Value x = importer.requiredInput("X"), scale = importer.input("Scale");
  double factor = importer.floatAttribute("scale", 0);
  importer.overrideAttribute("scale", builder.getDenseF64ArrayAttr({}));
  bool isSized = importer.input("OutSize") || !importer.inputs("SizeTensor").empty();
  if (!x || isSized || (!scale && factor <= 0))
    return importer.importByTable();
  TensorBuilder &e = importer.tensors();
  if (!scale) {
    auto type = RankedTensorType::get({1}, builder.getF32Type());
    scale = importer.constant(DenseElementsAttr::get(type, static_cast<float>(factor)));
  }
  bool channelsLast = importer.stringAttribute("data_layout", "NCHW").back() == 'C';
  int64_t first = channelsLast ? 1 : 2, rank = pd::tensorType(x).getRank();
  Expression dims = slice(apply<pd::ShapeOp>(e.wrap(x)), 0, first, first + rank - 2);
  Expression size = e.cast(e.cast(dims, builder.getF32Type()) * e.wrap(scale), builder.getI32Type());
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
    importer.report("attribute 'slot_dim' is above 0: columns normalized by slots cannot be imported");
  importer.importByTable();
}

/// Dropout with one random number for all elements along the dimensions that `axis` does not list.
void importDropoutNd(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  TensorBuilder &e = importer.tensors();
  double p = importer.floatAttribute("dropout_prob", 0.5);
  bool upscales =
      importer.stringAttribute("dropout_implementation", "downgrade_in_infer") == "upscale_in_train";
  Expression all = e.wrap(x), one = all;
  if (importer.boolAttribute("is_test", false))
    return importer.setOutput("Out", upscales ? all : scale(all, 1 - p));
  llvm::SmallVector<int64_t> axes = importer.intsAttribute("axis");
  for (int64_t d = 0; d < all.rank(); ++d)
    if (!llvm::is_contained(axes, d))
      one = slice(one, d, 0, 1);
  auto dropped = importer.createOp<pd::DropoutOp>(
      fullLike(one, 1), Value(), Value(), Value(), llvm::APFloat(p),
      /*is_test=*/false, pd::DropoutMode::DowngradeInInfer, importer.intAttribute("seed", 0),
      importer.boolAttribute("fix_seed", false));
  Expression mask = e.cast(e.wrap(dropped.getMask()), all.type().getElementType());
  if (upscales && p < 1)
    mask = scale(mask, 1 / (1 - p));
  importer.setOutput("Out", all * mask);
  importer.setOutput("Mask", dropped.getMask());
}

/// In Paddle 3 pos_weight scales the whole loss of positive labels.
void importSigmoidCrossEntropy(OpImporter &importer) {
  Value x = importer.requiredInput("X"), label = importer.requiredInput("Label");
  if (x && label)
    importer.setOutput("Out",
                       importer.tensors().create<pd::SigmoidCrossEntropyWithLogitsOp>(
                           x, label, importer.input("pos_weight"), importer.boolAttribute("normalize", false),
                           importer.intAttribute("ignore_index", -100), importer.isOfPaddle3()));
}

} // namespace proa::import::hooks
