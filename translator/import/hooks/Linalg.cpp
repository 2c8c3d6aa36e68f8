//! Hooks of matrix products.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {

void importMatmulV1(OpImporter &importer) {
  Builder &builder = importer.getBuilder();
  if (importer.intAttribute("head_number", 1) != 1)
    return importer.report("attribute 'head_number' belongs to fused kernels and must be 1");
  Value x = importer.requiredInput("X"), y = importer.requiredInput("Y");
  if (!x || !y)
    return;
  auto flag = [&](llvm::StringRef name, llvm::StringRef legacyName) {
    return importer.named(name, builder.getBoolAttr(importer.boolAttribute(legacyName, false)));
  };
  // A vector is a row of X and a column of Y, and transposed the other: the extents of 1 that the result
  // would have are not dropped then.
  auto transposedVector = [&](Value operand, llvm::StringRef attribute, llvm::ArrayRef<int64_t> shape) {
    if (pd::tensorType(operand).getRank() != 1 || !importer.boolAttribute(attribute, false))
      return operand;
    return importer.createOne("pd.reshape", {{operand}, {}},
                              {importer.named("shape", builder.getDenseI64ArrayAttr(shape))});
  };
  x = transposedVector(x, "transpose_X", {1, -1});
  y = transposedVector(y, "transpose_Y", {-1, 1});
  if (!x || !y)
    return;
  Value out = importer.createOne("pd.matmul", {{x}, {y}},
                                 {flag("transpose_x", "transpose_X"), flag("transpose_y", "transpose_Y")});
  double alpha = importer.floatAttribute("alpha", 1);
  if (out && alpha != 1)
    out = importer.createOne("pd.scale", {{out}, {}, {}},
                             {importer.named("scale", builder.getF64FloatAttr(alpha))});
  importer.setOutput("Out", out);
}

} // namespace proa::import::hooks
