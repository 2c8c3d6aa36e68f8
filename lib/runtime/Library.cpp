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
      {"array_create", makeArrayCreate},
      {"array_length", makeArrayLength},
      {"array_read", makeArrayRead},
      {"array_slice", makeArraySlice},
      {"array_to_tensor", makeArrayToTensor},
      {"array_write", makeArrayWrite},
      {"assert", makeAssert},
      {"bincount", makeBincount},
      {"concat", makeConcat},
      {"conv2d", makeConv2d},
      {"conv2d_transpose", makeConv2dTranspose},
      {"conv2d_weight_gradient", makeConv2dWeightGradient},
      {"conv3d", makeConv3d},
      {"conv3d_transpose", makeConv3dTranspose},
      {"conv3d_weight_gradient", makeConv3dWeightGradient},
      {"cummax", makeCummax},
      {"cummin", makeCummin},
      {"cumprod", makeCumprod},
      {"cumsum", makeCumsum},
      {"dim", makeDim},
      {"embedding", makeEmbedding},
      {"expand", makeExpand},
      {"gather", makeGather},
      {"gather_nd", makeGatherNd},
      {"interpolate", makeInterpolate},
      {"interpolate_gradient", makeInterpolateGradient},
      {"logcumsumexp", makeLogcumsumexp},
      {"matmul", makeMatmul},
      {"matrix_nms", makeMatrixNms},
      {"max_pool2d_with_index", makeMaxPool2dWithIndex},
      {"max_pool3d_with_index", makeMaxPool3dWithIndex},
      {"multiclass_nms3", makeMulticlassNms3},
      {"nonzero", makeNonzero},
      {"pad", makePad},
      {"pool2d", makePool2d},
      {"pool2d_gradient", makePool2dGradient},
      {"pool3d", makePool3d},
      {"pool3d_gradient", makePool3dGradient},
      {"put_along_axis", makePutAlongAxis},
      {"repeat_interleave", makeRepeatInterleave},
      {"reshape", makeReshape},
      {"rnn", makeRnn},
      {"rnn_gradient", makeRnnGradient},
      {"roll", makeRoll},
      {"scatter_nd", makeScatterNd},
      {"set_value", makeSetValue},
      {"shape", makeShape},
      {"slice", makeSlice},
      {"split", makeSplit},
      {"take_along_axis", makeTakeAlongAxis},
      {"tile", makeTile},
      {"topk", makeTopk},
      {"transpose", makeTranspose},
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
