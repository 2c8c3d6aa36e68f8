#include "translator/import/legacy/LegacyTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

namespace proa::import {

namespace hooks {
#define IMPORT_HOOK(function) void function(OpImporter &importer);
#include "dialects/pd/AllHooks.inc"
#undef IMPORT_HOOK
} // namespace hooks

namespace {

// const and not constexpr, which g++ 12 refuses; clang has nothing to construct either way.
const LegacyOp fromRecords[] = {
#include "dialects/pd/AllLegacy.inc"
};

bool hasConstants(const legacy::Operation &op, const LegacyOp &entry) {
  return llvm::all_of(entry.constants, [&](const LegacyConstant &constant) {
    const legacy::Attribute *attribute = op.attribute(std::string_view(constant.name));
    return !attribute || constant.isEqual(attribute->value);
  });
}

/// Of the entries of the type of `first`, the first one whose constants `op` has; `first` if none fits.
const LegacyOp *entryOf(const legacy::Operation &op, const LegacyOp *first) {
  if (!first)
    return nullptr;
  for (const LegacyOp *entry = first; entry != legacyOps().end() && entry->type == first->type; ++entry)
    if (hasConstants(op, *entry))
      return entry;
  return first;
}

} // namespace

legacy::AttributeValue LegacyConstant::value() const {
  switch (kind) {
  case ConstantKind::Bool:
    return integer != 0;
  case ConstantKind::Int:
    return static_cast<int32_t>(integer);
  case ConstantKind::String:
    return text.str();
  }
  llvm_unreachable("unknown kind of constant");
}

bool LegacyConstant::isEqual(const legacy::AttributeValue &other) const {
  if (const auto *wide = std::get_if<int64_t>(&other); wide && kind == ConstantKind::Int)
    return *wide == integer;
  return other == value();
}

bool LegacyIgnored::hasNeutral() const {
  return neutral != anyValue && neutral != byHook && neutral != fusedAttribute && neutral != slot;
}

bool LegacyIgnored::isNeutral(const legacy::AttributeValue &value) const {
  auto isNumber = [&](double scalar) {
    double expected = 0;
    return !neutral.getAsDouble(expected) && scalar == expected;
  };
  return std::visit(
      [&](const auto &given) {
        using T = std::remove_cvref_t<decltype(given)>;
        if constexpr (std::is_same_v<T, bool>)
          return neutral == (given ? "true" : "false");
        else if constexpr (std::is_arithmetic_v<T>)
          return isNumber(static_cast<double>(given));
        else if constexpr (std::is_same_v<T, std::string>)
          return neutral == given;
        else if constexpr (requires { given.empty(); })
          return neutral == "[]" && given.empty();
        else
          return false;
      },
      value);
}

llvm::ArrayRef<LegacyOp> legacyOps() {
  static const std::vector<LegacyOp> sorted = [] {
    std::vector<LegacyOp> entries(std::begin(fromRecords), std::end(fromRecords));
    llvm::stable_sort(entries, [](const LegacyOp &a, const LegacyOp &b) { return a.type < b.type; });
    return entries;
  }();
  return sorted;
}

const LegacyOp *findLegacyOp(llvm::StringRef type) {
  static const llvm::StringMap<const LegacyOp *> firstByType = [] {
    llvm::StringMap<const LegacyOp *> first;
    for (const LegacyOp &entry : legacyOps())
      first.try_emplace(entry.type, &entry);
    return first;
  }();
  return firstByType.lookup(type);
}

const LegacyOp *findLegacyOp(const legacy::Operation &op) { return entryOf(op, findLegacyOp(op.type)); }

const LegacyOp *findForwardOp(llvm::StringRef gradientType) {
  if (gradientType == "cross_entropy_grad2") // irregular
    return findLegacyOp("cross_entropy2");
  if (!gradientType.consume_back("_triple_grad") && !gradientType.consume_back("_double_grad") &&
      !gradientType.consume_back("_grad"))
    return nullptr;
  const LegacyOp *forward = findLegacyOp(gradientType);
  return forward ? forward : findForwardOp(gradientType);
}

const LegacyOp *findForwardOp(const legacy::Operation &gradient) {
  return entryOf(gradient, findForwardOp(gradient.type));
}

bool isImported(llvm::StringRef type) {
  llvm::StringRef forward = type;
  return structuralOps().contains(type) ||
         (forward.consume_back("_grad") && structuralOps().contains(forward)) || findLegacyOp(type) ||
         findForwardOp(type);
}

/// Whether an attribute holds the range of a tensor of the op that paddle.quantization observed: by slot and
/// index ("Filter0_threshold"), by variable ("conv2d_0.w_0.max"), or of its result. No kernel reads it:
/// quantizing ops have their own scales.
static bool isQuantizationRecord(llvm::StringRef name) {
  static const llvm::StringSet<> ofResult = {"out_threshold", "in_threshold", "out_min", "out_max"};
  if (ofResult.contains(name))
    return true;
  for (llvm::StringRef suffix : {".min", ".max", "_quant_scale"})
    if (name.ends_with(suffix) && name.size() > suffix.size())
      return true;
  for (llvm::StringRef suffix : {"_threshold", "_min", "_max"})
    if (llvm::StringRef slot = name; slot.consume_back(suffix))
      return slot.rtrim("0123456789").size() < slot.size() && !llvm::isDigit(slot.front());
  return false;
}

const llvm::StringMap<std::string> &structuralOps() {
  static const llvm::StringMap<std::string> ops = {{"feed", "argument of main"},
                                                   {"fetch", "result of main"},
                                                   {"fetch_v2", "result of main"},
                                                   {"conditional_block", "scf.if"},
                                                   {"conditional_block_infer", "scf.if"},
                                                   {"select_input", "scf.if"},
                                                   {"select_output", "scf.if"},
                                                   {"while", "scf.while"},
                                                   {"recurrent", "scf.while"},
                                                   {"pylayer", "the ops of its blocks"}};
  return ops;
}

bool isHintAttribute(llvm::StringRef name) {
  // Kernel choices, roles, names. Every op behaves as with `force_fp32_output`. Paddle has not read the data
  // formats of elementwise operands since 2.0. Only TensorRT's converters read `support_int8`, which Paddle
  // Inference writes on each fused fc, and `enable_int8`.
  static const llvm::StringSet<> hints = {
      "op_role",           "op_role_var",          "op_namescope",    "op_callstack",
      "op_device",         "with_quant_attr",      "use_mkldnn",      "use_onednn",
      "mkldnn_data_type",  "onednn_data_type",     "use_cudnn",       "use_quantizer",
      "workspace_size_MB", "exhaustive_search",    "is_test",         "force_fp32_output",
      "use_addto",         "skip_quant",           "x_data_format",   "y_data_format",
      "use_cudnn_on_gpu",  "quantization_type",    "bit_length",      "deterministic",
      "is_distributed",    "remote_prefetch",      "trainer_id",      "slot",
      "height_sections",   "table_names",          "epmap",           "name",
      "execution_stream",  "grad_merge_cond_name", "activation_bits", "quantize_weight_bits",
      "support_int8",      "enable_int8"};
  return hints.contains(name) || name.starts_with("__") || name.starts_with("@ALL_KERNELS") ||
         isQuantizationRecord(name);
}

} // namespace proa::import
