#include "translator/import/LegacyTable.h"

#include "lib/support/TableByName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

namespace proa::import {

namespace hooks {
#include "dialects/pd/AllHooks.inc"
// Of ops that are several ops of the dialect.
void importMergeSelectedRows(OpImporter &);
void importTensorOfSelectedRows(OpImporter &);
void importLodRankTable(OpImporter &);
void importMaxSequenceLength(OpImporter &);
void importLodTensorToArray(OpImporter &);
void importArrayToLodTensor(OpImporter &);
void importShrinkRnnMemory(OpImporter &);
void importReorderByRank(OpImporter &);
void importReorderByRankGradient(OpImporter &);
void importSplitLodTensor(OpImporter &);
void importMergeLodTensor(OpImporter &);
void importNce(OpImporter &);
void importFusedEmbeddingFcLstm(OpImporter &);
void importDropoutNd(OpImporter &);
void importMatchMatrixTensor(OpImporter &);
void importPositiveNegativePair(OpImporter &);
void importFusedAdam(OpImporter &);
void importVarConv2d(OpImporter &);
} // namespace hooks

namespace {

// const and not constexpr, which g++ 12 refuses; clang has nothing to construct either way.
const LegacyOp fromRecords[] = {
#include "dialects/pd/AllLegacy.inc"
};

constexpr LegacySlot x{"X", Arity::Required}, table{"RankTable", Arity::Required},
    mask{"Mask", Arity::Required}, out{"Out", Arity::Required}, onTrue{"InTrue", Arity::Required},
    onFalse{"InFalse", Arity::Required};

/// Ops that no single op of the dialect stands for. The target is the op that each comes nearest to.
const LegacyOp composed[] = {
    {"merge_selected_rows", "pd.unique", {x}, {out}, {}, {}, LodRule::None, &hooks::importMergeSelectedRows},
    {"get_tensor_from_selected_rows",
     "pd.gather",
     {x},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importTensorOfSelectedRows},
    {"nce",
     "pd.sigmoid",
     {{"Input", Arity::Required}, {"Label", Arity::Required}, {"Weight", Arity::Required}},
     {{"Cost", Arity::Required}},
     {},
     {},
     LodRule::None,
     &hooks::importNce},
    {"positive_negative_pair",
     "pd.greater_than",
     {{"Score", Arity::Required}, {"Label", Arity::Required}, {"QueryID", Arity::Required}},
     {{"PositivePair", Arity::Required}},
     {},
     {},
     LodRule::None,
     &hooks::importPositiveNegativePair},
    {"fused_adam",
     "pd.adam",
     {{"Params*", Arity::Variadic}, {"Grads*", Arity::Variadic}},
     {{"ParamsOut*", Arity::Variadic}},
     {},
     {},
     LodRule::None,
     &hooks::importFusedAdam},
    {"fusion_seqpool_cvm_concat",
     "pd.cvm",
     {{"X*", Arity::Variadic}},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importFusionSeqpoolConcat},
    {"fused_embedding_fc_lstm",
     "pd.lstm",
     {{"Ids", Arity::Required}, {"Embeddings", Arity::Required}, {"WeightH", Arity::Required}},
     {{"Hidden", Arity::Required}, {"Cell", Arity::Required}},
     {},
     {},
     LodRule::None,
     &hooks::importFusedEmbeddingFcLstm},
    {"dropout_nd", "pd.dropout", {x}, {out}, {}, {}, LodRule::None, &hooks::importDropoutNd},
    {"match_matrix_tensor",
     "pd.matmul",
     {x, {"Y", Arity::Required}, {"W", Arity::Required}},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importMatchMatrixTensor},
    {"var_conv_2d",
     "pd.matmul",
     {x, {"ROW", Arity::Required}, {"COLUMN", Arity::Required}, {"W", Arity::Required}},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importVarConv2d},
    {"lod_rank_table", "pd.argsort", {x}, {out}, {}, {}, LodRule::None, &hooks::importLodRankTable},
    {"max_sequence_len", "pd.slice", {table}, {out}, {}, {}, LodRule::None, &hooks::importMaxSequenceLength},
    {"lod_tensor_to_array",
     "pd.array_split",
     {x, table},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importLodTensorToArray},
    {"array_to_lod_tensor",
     "pd.array_to_tensor",
     {x, table},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importArrayToLodTensor},
    {"shrink_rnn_memory",
     "pd.gather",
     {x, table, {"I", Arity::Required}},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importShrinkRnnMemory},
    {"reorder_lod_tensor_by_rank",
     "pd.gather",
     {x, table},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importReorderByRank},
    {"reorder_lod_tensor_by_rank_grad",
     "pd.gather",
     {x, table},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importReorderByRankGradient},
    {"split_lod_tensor",
     "pd.gather",
     {x, mask},
     {{"OutTrue", Arity::Required}, {"OutFalse", Arity::Required}},
     {},
     {},
     LodRule::None,
     &hooks::importSplitLodTensor},
    {"merge_lod_tensor",
     "pd.gather",
     {x, mask, onTrue, onFalse},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importMergeLodTensor},
    {"merge_lod_tensor_infer",
     "pd.gather",
     {x, mask, onTrue, onFalse},
     {out},
     {},
     {},
     LodRule::None,
     &hooks::importMergeLodTensor},
};

} // namespace

llvm::ArrayRef<LegacyOp> legacyOps() {
  static const std::vector<LegacyOp> sorted = [] {
    std::vector<LegacyOp> entries(std::begin(fromRecords), std::end(fromRecords));
    entries.insert(entries.end(), std::begin(composed), std::end(composed));
    llvm::sort(entries, [](const LegacyOp &a, const LegacyOp &b) { return a.type < b.type; });
    return entries;
  }();
  return sorted;
}

const LegacyOp *findLegacyOp(llvm::StringRef type) {
  static const auto byType = tableByName(legacyOps(), &LegacyOp::type);
  return byType.lookup(type);
}

const LegacyOp *findForwardOp(llvm::StringRef gradientType) {
  if (gradientType == "cross_entropy_grad2") // the one whose name is made in another way
    return findLegacyOp("cross_entropy2");
  if (!gradientType.consume_back("_triple_grad") && !gradientType.consume_back("_double_grad") &&
      !gradientType.consume_back("_grad"))
    return nullptr;
  const LegacyOp *forward = findLegacyOp(gradientType);
  return forward ? forward : findForwardOp(gradientType);
}

bool isImported(llvm::StringRef type) {
  llvm::StringRef forward = type;
  return structuralOps().contains(type) ||
         (forward.consume_back("_grad") && structuralOps().contains(forward)) || findLegacyOp(type) ||
         findForwardOp(type);
}

/// What paddle.quantization notes of the ranges of an op's tensors, by slot and index ("Filter0_threshold"),
/// or of its result. No kernel reads it; quantizing ops hold the scales that count.
static bool isQuantizationRecord(llvm::StringRef name) {
  static const llvm::StringSet<> ofResult = {"out_threshold", "in_threshold", "out_min", "out_max"};
  if (ofResult.contains(name))
    return true;
  for (llvm::StringRef suffix : {"_threshold", "_min", "_max"})
    if (llvm::StringRef place = name; place.consume_back(suffix))
      return place.rtrim("0123456789").size() < place.size() && !llvm::isDigit(place.front());
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
  // Kernel choices, roles, names; `force_fp32_output` is what every op does here, and the data formats of
  // elementwise operands have not been read since Paddle 2.0.
  static const llvm::StringSet<> hints = {
      "op_role",           "op_role_var",          "op_namescope",   "op_callstack",
      "op_device",         "with_quant_attr",      "use_mkldnn",     "use_onednn",
      "mkldnn_data_type",  "onednn_data_type",     "use_cudnn",      "use_quantizer",
      "workspace_size_MB", "exhaustive_search",    "is_test",        "force_fp32_output",
      "use_addto",         "skip_quant",           "x_data_format",  "y_data_format",
      "use_cudnn_on_gpu",  "quantization_type",    "bit_length",     "deterministic",
      "is_distributed",    "remote_prefetch",      "trainer_id",     "slot",
      "height_sections",   "table_names",          "epmap",          "name",
      "execution_stream",  "grad_merge_cond_name", "activation_bits"};
  return hints.contains(name) || name.starts_with("__") || name.starts_with("@ALL_KERNELS") ||
         isQuantizationRecord(name);
}

} // namespace proa::import
