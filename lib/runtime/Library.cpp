#include "lib/runtime/Library.h"

#include "lib/runtime/library/Families.h"

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
      {"bincount", makeBincount},
      {"class_center_sample", makeClassCenterSample},
      {"concat", makeConcat},
      {"conv2d", makeConv2d},
      {"conv2d_transpose", makeConv2dTranspose},
      {"conv3d", makeConv3d},
      {"conv3d_transpose", makeConv3dTranspose},
      {"cummax", makeCummax},
      {"cummin", makeCummin},
      {"cumprod", makeCumprod},
      {"cumsum", makeCumsum},
      {"dim", makeDim},
      {"embedding", makeEmbedding},
      {"expand", makeExpand},
      {"gather", makeGather},
      {"gather_nd", makeGatherNd},
      {"gaussian", makeGaussian},
      {"interpolate", makeInterpolate},
      {"logcumsumexp", makeLogcumsumexp},
      {"matmul", makeMatmul},
      {"matrix_nms", makeMatrixNms},
      {"max_pool2d_with_index", makeMaxPool2dWithIndex},
      {"max_pool3d_with_index", makeMaxPool3dWithIndex},
      {"multiclass_nms3", makeMulticlassNms3},
      {"multinomial", makeMultinomial},
      {"nonzero", makeNonzero},
      {"pad", makePad},
      {"poisson", makePoisson},
      {"pool2d", makePool2d},
      {"pool3d", makePool3d},
      {"put_along_axis", makePutAlongAxis},
      {"randint", makeRandint},
      {"randperm", makeRandperm},
      {"repeat_interleave", makeRepeatInterleave},
      {"reshape", makeReshape},
      {"rnn", makeRnn},
      {"roll", makeRoll},
      {"sampling_id", makeSamplingId},
      {"scatter_nd", makeScatterNd},
      {"set_value", makeSetValue},
      {"shape", makeShape},
      {"shuffle_batch", makeShuffleBatch},
      {"slice", makeSlice},
      {"split", makeSplit},
      {"standard_gamma", makeStandardGamma},
      {"take_along_axis", makeTakeAlongAxis},
      {"tile", makeTile},
      {"topk", makeTopk},
      {"transpose", makeTranspose},
      {"truncated_gaussian_random", makeTruncatedGaussianRandom},
      {"uniform", makeUniform},
      {"unique", makeUnique},
      {"unique_consecutive", makeUniqueConsecutive},
      {"unique_with_counts", makeUniqueWithCounts},
      {"yolo_box", makeYoloBox},
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
