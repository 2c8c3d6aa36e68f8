#include "lib/runtime/Library.h"

#include "lib/runtime/kernels/ArrayGradient.h"
#include "lib/runtime/kernels/Families.h"
#include "lib/runtime/kernels/Losses.h"
#include "lib/runtime/kernels/Metrics.h"
#include "lib/runtime/kernels/Schedule.h"
#include "lib/runtime/kernels/Selection.h"
#include "lib/runtime/kernels/Targets.h"

#include <algorithm>
#include <map>

namespace proa::runtime {
namespace {

// A table, not self-registering objects: those vanish when a static library is linked.
const std::map<std::string, KernelFactory> &kernels() {
  static const std::map<std::string, KernelFactory> table{
      {"arange", makeArange},
      {"argmax", makeArgmax},
      {"argmin", makeArgmin},
      {"argsort", makeArgsort},
      {"array_add", makeArrayAdd},
      {"array_beam_search_decode", makeBeamSearchDecode},
      {"array_concat", makeArrayConcat},
      {"array_create", makeArrayCreate},
      {"array_length", makeArrayLength},
      {"array_read", makeArrayRead},
      {"array_read_or", makeArrayReadOr},
      {"array_slice", makeArraySlice},
      {"array_split", makeArraySplit},
      {"array_to_tensor", makeArrayToTensor},
      {"array_write", makeArrayWrite},
      {"array_zeros_like", makeArrayZerosLike},
      {"assert", makeAssert},
      {"attention_lstm", makeAttentionLstm},
      {"auc", makeAuc},
      {"beam_search", makeBeamSearch},
      {"bincount", makeBincount},
      {"binomial", makeBinomial},
      {"binomial_schedule", makeBinomialSchedule},
      {"bipartite_match", makeBipartiteMatch},
      {"box_decoder_and_assign", makeBoxDecoderAndAssign},
      {"cholesky", makeCholesky},
      {"cholesky_solve", makeCholeskySolve},
      {"chunk_eval", makeChunkEval},
      {"class_center_sample", makeClassCenterSample},
      {"collect_fpn_proposals", makeCollectFpnProposals},
      {"concat", makeConcat},
      {"conv2d", makeConv2d},
      {"conv2d_transpose", makeConv2dTranspose},
      {"conv2d_weight_gradient", makeConv2dWeightGradient},
      {"conv3d", makeConv3d},
      {"conv3d_transpose", makeConv3dTranspose},
      {"conv3d_weight_gradient", makeConv3dWeightGradient},
      {"crf_decoding", makeCrfDecoding},
      {"ctc_align", makeCtcAlign},
      {"cummax", makeCummax},
      {"cummin", makeCummin},
      {"cumprod", makeCumprod},
      {"cumsum", makeCumsum},
      {"deformable_psroi_pooling", makeDeformablePsroiPooling},
      {"deformable_psroi_pooling_grad", makeDeformablePsroiPoolingGrad},
      {"det", makeDet},
      {"detection_map", makeDetectionMap},
      {"dim", makeDim},
      {"distribute_fpn_proposals", makeDistributeFpnProposals},
      {"edit_distance", makeEditDistance},
      {"eig", makeEig},
      {"eigh", makeEigh},
      {"eigvals", makeEigvals},
      {"embedding", makeEmbedding},
      {"expand", makeExpand},
      {"fail", makeFail},
      {"fft_c2c", makeFftC2c},
      {"fft_c2r", makeFftC2r},
      {"fft_r2c", makeFftR2c},
      {"gammaincc", makeGammaincc},
      {"gather", makeGather},
      {"gather_nd", makeGatherNd},
      {"gather_tree", makeGatherTree},
      {"gaussian", makeGaussian},
      {"generate_mask_labels", makeGenerateMaskLabels},
      {"generate_proposal_labels", makeGenerateProposalLabels},
      {"generate_proposals", makeGenerateProposals},
      {"graph_khop_sampler", makeGraphKhopSampler},
      {"graph_sample_neighbors", makeGraphSampleNeighbors},
      {"gru", makeGru},
      {"gru_grad", makeGruGrad},
      {"hash", makeHash},
      {"interpolate", makeInterpolate},
      {"interpolate_gradient", makeInterpolateGradient},
      {"inverse", makeInverse},
      {"linear_chain_crf", makeLinearChainCrf},
      {"linear_chain_crf_grad", makeLinearChainCrfGrad},
      {"linear_recurrence", makeLinearRecurrence},
      {"locality_aware_nms", makeLocalityAwareNms},
      {"logcumsumexp", makeLogcumsumexp},
      {"lookup_table_dequant", makeLookupTableDequant},
      {"lstm", makeLstm},
      {"lstm_grad", makeLstmGrad},
      {"lstsq", makeLstsq},
      {"lu", makeLu},
      {"lu_permutation", makeLuPermutation},
      {"matmul", makeMatmul},
      {"matrix_nms", makeMatrixNms},
      {"max_pool2d_with_index", makeMaxPool2dWithIndex},
      {"max_pool3d_with_index", makeMaxPool3dWithIndex},
      {"mine_hard_examples", makeMineHardExamples},
      {"multiclass_nms3", makeMulticlassNms3},
      {"multinomial", makeMultinomial},
      {"nms", makeNms},
      {"nonzero", makeNonzero},
      {"pad", makePad},
      {"poisson", makePoisson},
      {"pool2d", makePool2d},
      {"pool2d_gradient", makePool2dGradient},
      {"pool3d", makePool3d},
      {"pool3d_gradient", makePool3dGradient},
      {"precision_recall", makePrecisionRecall},
      {"print", makePrint},
      {"psroi_pool", makePsroiPool},
      {"psroi_pool_grad", makePsroiPoolGrad},
      {"put_along_axis", makePutAlongAxis},
      {"pyramid_hash", makePyramidHash},
      {"qr", makeQr},
      {"randint", makeRandint},
      {"randperm", makeRandperm},
      {"ranges", makeRanges},
      {"reindex_graph", makeReindexGraph},
      {"repeat_interleave", makeRepeatInterleave},
      {"reshape", makeReshape},
      {"retinanet_detection_output", makeRetinanetDetectionOutput},
      {"retinanet_target_assign", makeRetinanetTargetAssign},
      {"rnn", makeRnn},
      {"rnn_gradient", makeRnnGradient},
      {"roi_align", makeRoiAlign},
      {"roi_align_grad", makeRoiAlignGrad},
      {"roi_pool", makeRoiPool},
      {"roi_pool_grad", makeRoiPoolGrad},
      {"roll", makeRoll},
      {"row_positions", makeRowPositions},
      {"rpn_target_assign", makeRpnTargetAssign},
      {"sampling_id", makeSamplingId},
      {"scatter_nd", makeScatterNd},
      {"searchsorted", makeSearchsorted},
      {"set_value", makeSetValue},
      {"shape", makeShape},
      {"shuffle_batch", makeShuffleBatch},
      {"similarity_focus", makeSimilarityFocus},
      {"slice", makeSlice},
      {"slogdet", makeSlogdet},
      {"solve", makeSolve},
      {"split", makeSplit},
      {"standard_gamma", makeStandardGamma},
      {"svd", makeSvd},
      {"take_along_axis", makeTakeAlongAxis},
      {"tdm_sampler", makeTdmSampler},
      {"tile", makeTile},
      {"topk", makeTopk},
      {"transpose", makeTranspose},
      {"triangular_solve", makeTriangularSolve},
      {"truncated_gaussian_random", makeTruncatedGaussianRandom},
      {"uniform", makeUniform},
      {"unique", makeUnique},
      {"unique_consecutive", makeUniqueConsecutive},
      {"unique_with_counts", makeUniqueWithCounts},
      {"view_dtype", makeViewDtype},
      {"viterbi_decode", makeViterbiDecode},
      {"warpctc", makeWarpctc},
      {"warprnnt", makeWarprnnt},
      {"weighted_sample_neighbors", makeWeightedSampleNeighbors},
      {"yolo_box", makeYoloBox},
      {"yolo_loss", makeYoloLoss},
  };
  return table;
}

bool allStatic(std::span<const OperandType> operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [](const OperandType &operand) { return !operand.present || operand.isStatic(); });
}

} // namespace

bool OperandType::isStatic() const { return std::find(dims.begin(), dims.end(), dynamicDim) == dims.end(); }

bool KernelRequest::isStatic() const { return allStatic(inputs) && allStatic(outputs); }

KernelFactory findLibraryKernel(const std::string &name) {
  auto found = kernels().find(name);
  return found == kernels().end() ? nullptr : found->second;
}

std::vector<std::string> libraryKernelNames() {
  std::vector<std::string> names;
  for (const auto &[name, factory] : kernels())
    names.push_back(name);
  return names;
}

} // namespace proa::runtime
