#include "passes/lower-gpu/attention/AttentionKernel.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {

AttentionTensor attentionTensorOf(IRRewriter &b, Location loc, Value memory, ArrayRef<int64_t> dims) {
  AttentionTensor tensor{memory, SmallVector<int64_t>(dims), {}};
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memory);
  for (int64_t dim : dims)
    tensor.sizes.push_back(sizes[static_cast<size_t>(dim)]);
  return tensor;
}

void overRows(IRRewriter &b, Location loc, const KernelSignature &signature,
              function_ref<void(Value row)> body) {
  Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
  Value first = arith::AddIOp::create(b, loc, signature.begin, block);
  auto loop = scf::ForOp::create(b, loc, first, signature.end, blocks);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void finishKernel(func::FuncOp kernel, Operation *op, const AttentionChoice &choice) {
  removeOp(kernel, op);
  LaunchAttr launch = LaunchAttr::orEmpty(kernel).withThreads(choice.threads);
  if (choice.kind == MatmulKind::Wgmma)
    launch = launch.withResidentBlocks(1);
  launch.setOn(kernel);
}

} // namespace proa
