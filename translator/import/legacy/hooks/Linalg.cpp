//! Hooks of matmuls.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {

void importMatmulV1(OpImporter &importer) {
  if (importer.intAttribute("head_number", 1) != 1)
    return importer.report("attribute 'head_number' belongs to fused kernels and must be 1");
  Value x = importer.requiredInput("X"), y = importer.requiredInput("Y");
  if (!x || !y)
    return;
  TensorBuilder &e = importer.tensors();
  bool isTransposed[] = {importer.boolAttribute("transpose_X", false),
                         importer.boolAttribute("transpose_Y", false)};
  // A vector is a row of X and a column of Y, and the other one if transposed: the result keeps the dims of
  // size 1 then.
  auto operand = [&](Value value, bool transposed, llvm::ArrayRef<int64_t> shape) {
    Expression tensor = e.wrap(value);
    return transposed && tensor.rank() == 1 ? e.reshape(tensor, shape) : tensor;
  };
  Expression out = e.matmul(operand(x, isTransposed[0], {1, -1}), operand(y, isTransposed[1], {-1, 1}),
                            isTransposed[0], isTransposed[1]);
  double alpha = importer.floatAttribute("alpha", 1);
  importer.setOutput("Out", alpha == 1 ? out : scale(out, alpha));
}

void importFusedMatmul(OpImporter &importer) {
  Value x = importer.requiredInput("X"), y = importer.requiredInput("Y");
  if (!x || !y)
    return;
  TensorBuilder &e = importer.tensors();
  Expression out = e.matmul(e.wrap(x), e.wrap(y), importer.boolAttribute("trans_x", false),
                            importer.boolAttribute("trans_y", false));
  double alpha = importer.floatAttribute("matmul_alpha", 1);
  importer.setOutput("Out", alpha == 1 ? out : scale(out, alpha));
}

} // namespace proa::import::hooks
