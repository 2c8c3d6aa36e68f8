#include "translator/import/LegacyTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace proa::import {

namespace hooks {
#include "dialects/pd/AllHooks.inc"
} // namespace hooks

llvm::ArrayRef<LegacyOp> legacyOps() {
  static const std::vector<LegacyOp> table = [] {
    std::vector<LegacyOp> entries = {
#include "dialects/pd/AllLegacy.inc"
    };
    llvm::sort(entries, [](const LegacyOp &a, const LegacyOp &b) { return a.type < b.type; });
    return entries;
  }();
  return table;
}

const LegacyOp *findLegacyOp(llvm::StringRef type) {
  static const llvm::StringMap<const LegacyOp *> byType = [] {
    llvm::StringMap<const LegacyOp *> map;
    for (const LegacyOp &entry : legacyOps())
      map[entry.type] = &entry;
    return map;
  }();
  return byType.lookup(type);
}

const LegacyOp *findForwardOp(llvm::StringRef gradientType) {
  if (gradientType == "cross_entropy_grad2") // the one whose name is made in another way
    return findLegacyOp("cross_entropy2");
  return gradientType.consume_back("_grad") ? findLegacyOp(gradientType) : nullptr;
}

bool isImported(llvm::StringRef type) {
  llvm::StringRef forward = type;
  return structuralOps().contains(type) || (forward.consume_back("_grad") && structuralOps().contains(forward)) ||
         findLegacyOp(type) || findForwardOp(type);
}

const llvm::StringMap<std::string> &structuralOps() {
  static const llvm::StringMap<std::string> ops = {{"feed", "argument of main"},
                                                   {"fetch", "result of main"},
                                                   {"fetch_v2", "result of main"},
                                                   {"conditional_block", "scf.if"},
                                                   {"select_input", "scf.if"},
                                                   {"select_output", "scf.if"},
                                                   {"while", "scf.while"}};
  return ops;
}

bool isHintAttribute(llvm::StringRef name) {
  static const llvm::StringSet<> hints = {
      "op_role", "op_role_var", "op_namescope", "op_callstack", "op_device", "with_quant_attr", "use_mkldnn",
      "use_onednn", "mkldnn_data_type", "onednn_data_type", "use_cudnn", "use_quantizer", "workspace_size_MB",
      "exhaustive_search", "is_test", "force_fp32_output", "use_addto", "fuse_relu", "fuse_relu_before_depthwise_conv",
      "fuse_residual_connection", "fuse_activation", "fuse_alpha", "fuse_beta", "Scale_in", "Scale_out", "Scale_x",
      "Scale_y", "Scale_weights", "Scale_in_eltwise", "scale_x", "scale_y", "scale_out", "skip_quant",
      "fused_reshape_X", "fused_reshape_Y", "fused_reshape_Out", "fused_transpose_X", "fused_transpose_Y",
      "fused_transpose_Out", "fuse_with_relu", "x_data_format", "y_data_format", "use_cudnn_on_gpu", "quantization_type",
      "bit_length", "out_threshold", "deterministic", "is_distributed", "remote_prefetch", "trainer_id", "slot",
      "height_sections", "table_names", "epmap", "name", "execution_stream", "grad_merge_cond_name"};
  return hints.contains(name) || name.starts_with("__") || name.starts_with("@ALL_KERNELS");
}

} // namespace proa::import
