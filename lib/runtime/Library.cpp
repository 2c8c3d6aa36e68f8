#include "lib/runtime/Library.h"

#include "lib/runtime/library/ArrayGradient.h"
#include "lib/runtime/library/Families.h"
#include "lib/runtime/library/Losses.h"
#include "lib/runtime/library/Metrics.h"

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
      {"array_create", makeArrayCreate},
      {"array_length", makeArrayLength},
      {"array_read", makeArrayRead},
      {"array_read_or", makeArrayReadOr},
      {"array_slice", makeArraySlice},
      {"array_split", makeArraySplit},
      {"array_to_tensor", makeArrayToTensor},
      {"array_write", makeArrayWrite},
      {"assert", makeAssert},
      {"auc", makeAuc},
      {"bincount", makeBincount},
      {"bipartite_match", makeBipartiteMatch},
      {"chunk_eval", makeChunkEval},
      {"collect_fpn_proposals", makeCollectFpnProposals},
      {"class_center_sample", makeClassCenterSample},
      {"cholesky", makeCholesky},
      {"cholesky_solve", makeCholeskySolve},
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
      {"det", makeDet},
      {"dim", makeDim},
      {"distribute_fpn_proposals", makeDistributeFpnProposals},
      {"edit_distance", makeEditDistance},
      {"eig", makeEig},
      {"eigh", makeEigh},
      {"eigvals", makeEigvals},
      {"embedding", makeEmbedding},
      {"expand", makeExpand},
      {"fft_c2c", makeFftC2c},
      {"fft_c2r", makeFftC2r},
      {"fft_r2c", makeFftR2c},
      {"gather", makeGather},
      {"gather_nd", makeGatherNd},
      {"gather_tree", makeGatherTree},
      {"generate_proposals", makeGenerateProposals},
      {"gru", makeGru},
      {"gru_grad", makeGruGrad},
      {"gaussian", makeGaussian},
      {"graph_sample_neighbors", makeGraphSampleNeighbors},
      {"interpolate", makeInterpolate},
      {"interpolate_gradient", makeInterpolateGradient},
      {"linear_chain_crf", makeLinearChainCrf},
      {"linear_chain_crf_grad", makeLinearChainCrfGrad},
      {"logcumsumexp", makeLogcumsumexp},
      {"lstm", makeLstm},
      {"lstm_grad", makeLstmGrad},
      {"inverse", makeInverse},
      {"lstsq", makeLstsq},
      {"lu", makeLu},
      {"lu_permutation", makeLuPermutation},
      {"matmul", makeMatmul},
      {"matrix_nms", makeMatrixNms},
      {"max_pool2d_with_index", makeMaxPool2dWithIndex},
      {"max_pool3d_with_index", makeMaxPool3dWithIndex},
      {"multiclass_nms3", makeMulticlassNms3},
      {"nms", makeNms},
      {"multinomial", makeMultinomial},
      {"nonzero", makeNonzero},
      {"pad", makePad},
      {"poisson", makePoisson},
      {"pool2d", makePool2d},
      {"pool2d_gradient", makePool2dGradient},
      {"pool3d", makePool3d},
      {"pool3d_gradient", makePool3dGradient},
      {"precision_recall", makePrecisionRecall},
      {"psroi_pool", makePsroiPool},
      {"psroi_pool_grad", makePsroiPoolGrad},
      {"put_along_axis", makePutAlongAxis},
      {"ranges", makeRanges},
      {"reindex_graph", makeReindexGraph},
      {"randint", makeRandint},
      {"randperm", makeRandperm},
      {"qr", makeQr},
      {"repeat_interleave", makeRepeatInterleave},
      {"reshape", makeReshape},
      {"rnn", makeRnn},
      {"rnn_gradient", makeRnnGradient},
      {"roi_align", makeRoiAlign},
      {"roi_align_grad", makeRoiAlignGrad},
      {"roi_pool", makeRoiPool},
      {"roi_pool_grad", makeRoiPoolGrad},
      {"roll", makeRoll},
      {"row_positions", makeRowPositions},
      {"sampling_id", makeSamplingId},
      {"scatter_nd", makeScatterNd},
      {"set_value", makeSetValue},
      {"shape", makeShape},
      {"shuffle_batch", makeShuffleBatch},
      {"slice", makeSlice},
      {"slogdet", makeSlogdet},
      {"solve", makeSolve},
      {"split", makeSplit},
      {"standard_gamma", makeStandardGamma},
      {"svd", makeSvd},
      {"take_along_axis", makeTakeAlongAxis},
      {"tile", makeTile},
      {"topk", makeTopk},
      {"transpose", makeTranspose},
      {"truncated_gaussian_random", makeTruncatedGaussianRandom},
      {"uniform", makeUniform},
      {"triangular_solve", makeTriangularSolve},
      {"unique", makeUnique},
      {"unique_consecutive", makeUniqueConsecutive},
      {"unique_with_counts", makeUniqueWithCounts},
      {"viterbi_decode", makeViterbiDecode},
      {"warpctc", makeWarpctc},
      {"warprnnt", makeWarprnnt},
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
