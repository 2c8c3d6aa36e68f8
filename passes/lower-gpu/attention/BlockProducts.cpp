#include "passes/lower-gpu/attention/BlockProducts.h"

#include "passes/lower-gpu/AccessWidth.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {

Value BlockProducts::zero() const { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0)); }

std::unique_ptr<BlockProducts> makeProducts(const AttentionSite &site) {
  return site.choice.kind == MatmulKind::Fma ? makeFmaProducts(site) : makeMmaProducts(site);
}

Value allocateShared(const AttentionSite &site, ArrayRef<int64_t> dims, Type element) {
  auto space = gpu::AddressSpaceAttr::get(site.b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get(dims, element, MemRefLayoutAttrInterface(), space);
  return memref::AllocOp::create(site.b, site.loc, type, ValueRange(), ValueRange(),
                                 site.b.getI64IntegerAttr(accessBytes));
}

} // namespace proa
