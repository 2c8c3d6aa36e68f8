#include "passes/lower-gpu/attention/AttentionKernel.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace proa {

AttentionTensor AttentionLowering::tensorOf(Value memory, ArrayRef<int64_t> dims) {
  AttentionTensor tensor{memory, SmallVector<int64_t>(dims), {}};
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memory);
  for (int64_t dim : dims)
    tensor.sizes.push_back(sizes[static_cast<size_t>(dim)]);
  return tensor;
}

void AttentionLowering::overRows(function_ref<void(Value row)> body) {
  Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
  loop(add(signature.begin, block), signature.end, blocks, body);
}

void AttentionLowering::finish() {
  removeOp();
  LaunchAttr launch = LaunchAttr::orEmpty(kernel).withThreads(choice.threads);
  if (choice.kind == MatmulKind::Wgmma)
    launch = launch.withResidentBlocks(1);
  launch.setOn(kernel);
}

} // namespace proa
