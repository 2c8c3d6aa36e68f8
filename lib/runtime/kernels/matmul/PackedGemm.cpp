#include "lib/runtime/kernels/matmul/PackedGemm.h"

namespace proa::runtime {
namespace {

std::shared_ptr<const PackedTensor> pack(const PackedGemm::Form &form, const PanelLayout &layout,
                                         const PackedCache &cache) {
  dnnl::memory::desc desc({layout.panels(), layout.inner, PanelLayout::panelWidth},
                          dnnl::memory::data_type::f32, dnnl::memory::format_tag::abc);
  dnnl::memory::desc matrix({form.inner, form.columns}, dnnl::memory::data_type::f32,
                            {form.innerStride, form.columnStride});
  return cache.get({"panels", matrix, desc}, [&] {
    auto filled = std::make_shared<PackedTensor>(desc);
    layout.pack(form.matrix, form.innerStride, form.columnStride, static_cast<float *>(filled->data()));
    return filled;
  });
}

/// Whether adding to what is in the result before all post-ops is the same as adding at `inPlace`.
bool isSumFirst(std::span<const PostOp> ops, size_t inPlace) {
  return std::ranges::all_of(ops.first(inPlace), [](const PostOp &op) {
    return op.kind == PostOp::Kind::Bias || op.kind == PostOp::Kind::Add;
  });
}

} // namespace

std::unique_ptr<PackedGemm> PackedGemm::create(const Form &form, std::span<const PostOp> ops,
                                               const StridedOperand &result,
                                               std::span<const StridedOperand> layouts,
                                               std::span<const OperandType> inputs,
                                               std::optional<size_t> inPlace, const PackedCache &cache) {
  if (inPlace && !isSumFirst(ops, *inPlace))
    return nullptr;
  std::vector<PostOp> after(ops.begin(), ops.end());
  std::vector<StridedOperand> afterLayouts(layouts.begin(), layouts.end());
  if (inPlace) {
    after.erase(after.begin() + static_cast<ptrdiff_t>(*inPlace));
    afterLayouts.erase(afterLayouts.begin() + static_cast<ptrdiff_t>(*inPlace));
  }
  auto packed = std::make_unique<PackedGemm>();
  if (!after.empty() && after.front().kind == PostOp::Kind::Bias &&
      inputs[after.front().input].dtype == DType::Float32) {
    packed->bias = after.front().input;
    after.erase(after.begin());
    afterLayouts.erase(afterLayouts.begin());
  }
  std::optional<RowPostOps> postOps = RowPostOps::create(after, result, afterLayouts, inputs);
  if (!postOps)
    return nullptr;
  PanelGemm &gemm = packed->gemm;
  gemm.layout = {form.inner, form.columns};
  gemm.rows = form.rows;
  gemm.xStride = form.xStride;
  gemm.outStride = form.outStride;
  gemm.accumulates = inPlace.has_value();
  packed->postOps = std::move(*postOps);
  packed->panels = pack(form, gemm.layout, cache);
  gemm.panels = static_cast<const float *>(packed->panels->data());
  return packed;
}

void PackedGemm::run(Call &call, const float *x, float *out) const {
  PanelGemm bound = gemm;
  bound.x = x;
  bound.out = out;
  if (bias)
    bound.bias = call.input(*bias).as<float>();
  if (postOps.empty())
    return bound.run();
  std::vector<const float *> operands = postOps.operands(call);
  PanelGemm::Finish finish = [&](const PanelGemm::Block &block) {
    RowPostOps::Block values{bound.outStride, block.rows, block.column, block.columns};
    postOps.applyBlock(out, block.row * bound.outStride + block.column, values, operands);
  };
  bound.run(&finish);
}

} // namespace proa::runtime
