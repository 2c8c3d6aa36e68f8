#include "lib/compiler/numerics/Samples.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/reference/HostScalar.h"
#include "lib/base/tensors/RandomTensor.h"

#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;

namespace proa::numerics {

std::vector<int64_t> dimsOf(func::FuncOp function, unsigned argument, int64_t dynamicDim) {
  std::vector<int64_t> dims(cast<RankedTensorType>(function.getArgumentTypes()[argument]).getShape());
  bool isLod =
      function.getArgAttr(argument, pd::lodOwnerAttribute) != nullptr; // N sequences have N + 1 offsets
  std::replace_if(dims.begin(), dims.end(), ShapedType::isDynamic, dynamicDim + isLod);
  return dims;
}

namespace {

/// Sets the arguments that are LoD levels of feeds to offsets of sequences of equal length.
void setOffsets(func::FuncOp function, std::vector<Tensor> &arguments) {
  std::map<std::string, size_t> owners; // by name: the feed, then its levels from the innermost one
  for (size_t i = 0; i < arguments.size(); ++i)
    if (auto name = function.getArgAttrOfType<StringAttr>(i, pd::feedAttribute))
      owners[name.str()] = i;
  for (size_t i = arguments.size(); i-- > 0;) {
    auto owner = function.getArgAttrOfType<StringAttr>(i, pd::lodOwnerAttribute);
    if (!owner || !owners.contains(owner.str()))
      continue;
    const Tensor &counted = arguments[owners[owner.str()]];
    bool isInnermost = !function.getArgAttr(owners[owner.str()], pd::lodOwnerAttribute);
    int64_t segments = arguments[i].size() - 1, rows = counted.dims().empty() ? 0 : counted.dims()[0];
    int64_t total = isInnermost ? rows : rows - 1;
    for (int64_t segment = 0; segment <= segments; ++segment)
      arguments[i].as<int64_t>()[segment] = segments == 0 ? 0 : segment * total / segments;
    owners[owner.str()] = i;
  }
}

/// Calls `replace` with each float of a tensor and its index.
void replaceFloats(Tensor &tensor, llvm::function_ref<double(int64_t index, double old)> replace) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (pd::HostScalar element = pd::loadScalar(tensor, i); !element.isInteger()) {
      element.value = replace(i, element.value.real());
      pd::storeScalar(tensor, i, element);
    }
}

std::string nameOf(func::FuncOp function, unsigned argument) {
  for (llvm::StringRef role : {pd::feedAttribute, pd::parameterAttribute})
    if (auto name = function.getArgAttrOfType<StringAttr>(argument, role))
      return name.str();
  return "argument" + std::to_string(argument);
}

class SampleMaker {
public:
  SampleMaker(func::FuncOp function, const SampleOptions &options) : function(function), options(options) {}

  std::vector<Sample> make() {
    for (int64_t i = 0; i < std::max<int64_t>(options.count, 1); ++i)
      addRandom(options.seed + static_cast<uint64_t>(i));
    if (!options.isSingle && hasFloats() && !convertsToIntegers()) {
      // Zeros, small and large numbers of both signs, between random ones.
      addPattern("zeros, small and large numbers", {0, 1e-3, -100, 50, -1e-3, random, -5, 5.5});
      if (!options.isFinite)
        addPattern("NaN and infinities", {infinity, nan, random, -infinity, 1e4, 1e-20, 0, -1e4});
    }
    return std::move(samples);
  }

  std::string wrong;

private:
  static constexpr size_t patternSize = 8;
  using Pattern = std::array<double, patternSize>;
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /// In a pattern: the random number is kept.
  static constexpr double random = 1e300;

  bool isFloat(size_t i) {
    Type element = getElementTypeOrSelf(function.getArgumentTypes()[i]);
    return isa<FloatType>(element) && !function.getArgAttr(static_cast<unsigned>(i), pd::parameterAttribute);
  }
  bool hasFloats() {
    return llvm::any_of(llvm::seq<size_t>(0, function.getNumArguments()),
                        [&](size_t i) { return isFloat(i); });
  }

  /// Whether integers, which may be indices, are computed from floats.
  bool convertsToIntegers() {
    auto isOfFloats = [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); };
    auto isOfIntegers = [](Type type) {
      Type element = getElementTypeOrSelf(type);
      return element.isIndex() || (isa<IntegerType>(element) && !element.isInteger(1));
    };
    auto converts = [&](Operation *op) {
      bool does =
          llvm::any_of(op->getOperandTypes(), isOfFloats) && llvm::any_of(op->getResultTypes(), isOfIntegers);
      return does ? WalkResult::interrupt() : WalkResult::advance();
    };
    return function->getParentOp()->walk(converts).wasInterrupted();
  }

  void addRandom(uint64_t seed) {
    Sample sample{fmt::format("random numbers of seed {}", seed),
                  {},
                  !options.range && options.inputs.empty(),
                  options.range.has_value()};
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      unsigned index = static_cast<unsigned>(i);
      DType dtype = *pd::dtypeOf(getElementTypeOrSelf(type));
      bool isParameter = function.getArgAttr(index, pd::parameterAttribute) != nullptr;
      auto create = isParameter ? randomWeight : randomTensor;
      Tensor tensor = create(std::to_string(i), dtype, dimsOf(function, index, options.dynamicDim), seed);
      if (options.range && !isParameter)
        moveToRange(tensor, std::to_string(i), seed);
      sample.arguments.push_back(std::move(tensor));
    }
    setOffsets(function, sample.arguments);
    useInputs(sample);
    samples.push_back(std::move(sample));
  }

  void moveToRange(Tensor &tensor, const std::string &name, uint64_t seed) {
    auto [low, high] = *options.range;
    Tensor units = randomTensor(name, DType::Float64, tensor.dims(), seed);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      pd::HostScalar element = pd::loadScalar(tensor, i);
      double value = low + (high - low) * (units.as<double>()[i] + 1) / 2;
      if (element.isInteger())
        element.integer = static_cast<int64_t>(std::floor(value));
      else
        element.value = value;
      pd::storeScalar(tensor, i, element);
    }
  }

  void useInputs(Sample &sample) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto given = options.inputs.find(nameOf(function, i));
      if (given == options.inputs.end())
        continue;
      Tensor &argument = sample.arguments[i];
      auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
      if (given->second.dtype() != argument.dtype() ||
          failed(verifyCompatibleShape(type.getShape(), given->second.dims())))
        wrong = fmt::format("input '{}' is {}, expected {}", given->first, given->second.describe(),
                            argument.describe());
      else
        argument = given->second;
      sample.description = "the given inputs";
      sample.isScaled = true;
    }
  }

  /// Adds samples until even the smallest argument has had each value of the pattern.
  void addPattern(const std::string &description, const Pattern &pattern) {
    int64_t smallest = patternSize;
    for (size_t i = 0; i < samples.front().arguments.size(); ++i)
      if (int64_t size = samples.front().arguments[i].size(); isFloat(i) && size > 0)
        smallest = std::min(smallest, size);
    for (int64_t begin = 0; begin < static_cast<int64_t>(patternSize); begin += smallest) {
      Sample sample{description, {}, false, true};
      for (size_t i = 0; i < samples.front().arguments.size(); ++i)
        sample.arguments.push_back(copyOf(samples.front().arguments[i]));
      for (size_t i = 0; i < sample.arguments.size(); ++i)
        if (isFloat(i))
          replaceFloats(sample.arguments[i], [&](int64_t index, double old) {
            // Arguments of equal dims differ.
            double value =
                pattern[static_cast<size_t>(index + begin + 3 * static_cast<int64_t>(i)) % patternSize];
            return value == random ? old : value;
          });
      samples.push_back(std::move(sample));
    }
  }

  static Tensor copyOf(const Tensor &tensor) {
    Tensor copy(tensor.dtype(), tensor.dims());
    std::copy_n(static_cast<const std::byte *>(tensor.data()), tensor.bytes(),
                static_cast<std::byte *>(copy.data()));
    copy.setLod(tensor.lod());
    return copy;
  }

  func::FuncOp function;
  const SampleOptions &options;
  std::vector<Sample> samples;
};

} // namespace

std::vector<Sample> samplesOf(func::FuncOp function, const SampleOptions &options, std::string &wrong) {
  SampleMaker maker(function, options);
  std::vector<Sample> samples = maker.make();
  wrong = maker.wrong;
  return samples;
}

void mapToPositive(std::vector<Tensor> &arguments) {
  for (Tensor &tensor : arguments)
    replaceFloats(tensor, [](int64_t, double old) { return 0.1 + 0.9 * std::abs(old); });
}

} // namespace proa::numerics
