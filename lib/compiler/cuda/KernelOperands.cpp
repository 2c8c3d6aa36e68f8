#include "lib/compiler/cuda/KernelOperands.h"

#include "lib/runtime/run/KernelServices.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/KernelForm.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

using namespace mlir;

namespace proa {
namespace {

/// The types of the operands and results, without the words of index checks.
SmallVector<Type> tensorTypesOf(func::FuncOp kernel) {
  SmallVector<Type> types(kernel.getArgumentTypes().drop_back(hasIndexChecks(kernel) ? 1 : 0));
  llvm::append_range(types, kernel.getResultTypes());
  return types;
}

/// The integers of a tensor are below `end`; if it has sizes of groups, they share `end` equally.
struct Integers {
  int64_t end;
  bool areSizes = false;
};

/// The bits of a random number of a type: floats with 1/2 <= |x| < 1, integers, booleans.
uint64_t randomElement(Type type, int64_t end, std::mt19937_64 &random) {
  uint64_t bits = random();
  auto floating = dyn_cast<FloatType>(type);
  if (!floating)
    return type.isInteger(1) ? bits & 1 : bits % static_cast<uint64_t>(end);
  constexpr double steps = 1024;
  llvm::APFloat number(0.5 + static_cast<double>(bits % 512) / steps);
  bool losesInfo = false;
  number.convert(floating.getFloatSemantics(), llvm::APFloat::rmTowardZero, &losesInfo);
  if (bits >> 63 != 0)
    number.changeSign();
  return number.bitcastToAPInt().getZExtValue();
}

/// Random content of a tensor. Power depends on the data, and so do the clock of a device and the choice.
std::vector<std::byte> randomBytes(RankedTensorType type, Integers integers) {
  constexpr size_t mostDifferent = 4099; // a prime; the numbers repeat, as they take time to make
  Type element = type.getElementType();
  size_t components = isa<ComplexType>(element) ? 2 : 1;
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  size_t bytes = (element.isIndex() ? 64 : element.getIntOrFloatBitWidth() + 7) / 8;
  size_t count = static_cast<size_t>(type.getNumElements()) * components;
  // Small integers of few bits stay positive.
  int64_t most = bytes == 1 ? 127 : bytes == 2 ? 32767 : std::numeric_limits<int32_t>::max();
  std::mt19937_64 random(1);
  std::vector<uint64_t> values(std::min(count, mostDifferent));
  for (uint64_t &value : values)
    value = integers.areSizes ? static_cast<uint64_t>(integers.end) / count
                              : randomElement(element, std::min(integers.end, most), random);
  std::vector<std::byte> content(count * bytes);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&content[i * bytes], &values[i % values.size()], bytes);
  return content;
}

/// The smallest dim of more than one element: indices below it are valid along any axis.
int64_t leastDim(ArrayRef<Type> types) {
  int64_t least = 32767;
  for (Type type : types)
    for (int64_t dim : cast<RankedTensorType>(type).getShape())
      if (dim > 1)
        least = std::min(least, dim);
  return least;
}

/// The integers of operand `operand`, by the checks of the kernel.
Integers integersOf(size_t operand, ArrayRef<Type> types, const planner::KernelFacts &facts) {
  for (const runtime::IndexCheck &check : facts.checks) {
    if (check.indices < 0 || static_cast<size_t>(check.indices) != operand)
      continue;
    int64_t bound = check.size;
    if (check.bound >= 0)
      bound = cast<RankedTensorType>(types[static_cast<size_t>(check.bound)]).getDimSize(check.axis);
    return {std::max<int64_t>(bound, 1), check.kind == CheckedNumber::GroupSize};
  }
  return {leastDim(types)};
}

} // namespace

bool hasStaticDims(func::FuncOp kernel) {
  return llvm::all_of(tensorTypesOf(kernel), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  });
}

std::vector<std::vector<std::byte>> kernelOperands(func::FuncOp kernel, const planner::KernelFacts &facts) {
  SmallVector<Type> types = tensorTypesOf(kernel);
  std::vector<std::vector<std::byte>> contents;
  for (size_t i = 0; i < types.size(); ++i)
    contents.push_back(randomBytes(cast<RankedTensorType>(types[i]), integersOf(i, types, facts)));
  for (const std::vector<int64_t> &dims : facts.scratch)
    contents.emplace_back(static_cast<size_t>(elementCount(dims).value_or(0)), std::byte(0));
  if (facts.hasCounters)
    contents.emplace_back(runtime::kernelCounters * sizeof(uint32_t), std::byte(0));
  if (!facts.checks.empty())
    contents.emplace_back(facts.checks.size() * sizeof(uint64_t), std::byte(0xff));
  return contents;
}

} // namespace proa
