/// Runs one library kernel through a plan of one step, as a program would.
#pragma once

#include "lib/runtime/run/Executable.h"

#include <gtest/gtest.h>

#include <random>

namespace proa::runtime {

/// Whether the dims of the tensors are static in the program.
enum class Dims { Static, Dynamic };

struct KernelCase {
  std::string name;
  nlohmann::json attributes = nlohmann::json::object();
  std::vector<Tensor> inputs; ///< without data: an absent operand
  /// Type and dims of each result; a result with dynamic dims has Dynamic storage.
  std::vector<std::pair<DType, std::vector<int64_t>>> outputs = {};
  std::vector<size_t> constantInputs = {};
  Dims dims = Dims::Static;
  std::vector<size_t> absentOutputs = {}; ///< indices of unused outputs of the step
};

/// A plan of the case's step: "in0", "in1" ... -> fetches.
inline Plan planOf(const KernelCase &c) {
  Plan plan;
  Step step;
  step.kind = StepKind::Library;
  step.symbol = c.name;
  step.attributes = c.attributes.is_null() ? nlohmann::json::object() : c.attributes;
  auto isConstant = [&](size_t i) {
    return std::find(c.constantInputs.begin(), c.constantInputs.end(), i) != c.constantInputs.end();
  };
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (!c.inputs[i].data()) {
      step.inputs.push_back(none);
      continue;
    }
    auto id = static_cast<ValueId>(plan.values.size());
    Value value{c.inputs[i].dtype(),
                c.inputs[i].dims(),
                isConstant(i) ? Storage::Parameter : Storage::Feed,
                0,
                none,
                "in" + std::to_string(i)};
    if (c.dims == Dims::Dynamic && !isConstant(i))
      std::fill(value.dims.begin(), value.dims.end(), dynamicDim);
    (isConstant(i) ? plan.parameters : plan.feeds).push_back(id);
    plan.values.push_back(std::move(value));
    step.inputs.push_back(id);
  }
  for (const auto &[dtype, dims] : c.outputs) {
    auto id = static_cast<ValueId>(plan.values.size());
    Value value{dtype, dims, Storage::Arena, plan.arenaBytes, none, "out"};
    if (c.dims == Dims::Dynamic)
      std::fill(value.dims.begin(), value.dims.end(), dynamicDim);
    if (std::find(value.dims.begin(), value.dims.end(), dynamicDim) != value.dims.end()) {
      value.storage = Storage::Dynamic;
      value.offset = 0;
    } else {
      int64_t bytes = *elementCount(dims) * static_cast<int64_t>(sizeOf(dtype));
      plan.arenaBytes += (bytes + addressAlignment - 1) / addressAlignment * addressAlignment;
    }
    plan.values.push_back(std::move(value));
    step.outputs.push_back(id);
    plan.fetches.push_back(id);
    plan.fetchNames.push_back("out");
  }
  for (size_t position : c.absentOutputs)
    step.outputs.insert(step.outputs.begin() + static_cast<ptrdiff_t>(position), none);
  plan.steps.push_back(std::move(step));
  return plan;
}

inline Result<std::vector<Tensor>> runCase(const KernelCase &c) {
  auto executable = Executable::create(planOf(c), "test", [](const std::string &) { return nullptr; });
  if (!executable)
    return executable.diagnostics();
  NamedTensors feeds, parameters;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (!c.inputs[i].data())
      continue;
    bool constant = std::find(c.constantInputs.begin(), c.constantInputs.end(), i) != c.constantInputs.end();
    (constant ? parameters : feeds)["in" + std::to_string(i)] = c.inputs[i];
  }
  if (Result<void> done = (*executable)->bindParameters(parameters); !done)
    return done.diagnostics();
  auto session = Session::create(*executable);
  if (!session)
    return session.diagnostics();
  Result<std::vector<Tensor>> first = (*session)->run(feeds);
  if (!first)
    return first;
  return (*session)->run(feeds); // a second run must not depend on the first
}

template <class T> Tensor tensorOf(DType dtype, std::vector<int64_t> dims, const std::vector<T> &values) {
  Tensor tensor(dtype, std::move(dims));
  EXPECT_EQ(tensor.size(), static_cast<int64_t>(values.size()));
  std::copy(values.begin(), values.end(), tensor.as<T>());
  return tensor;
}
inline Tensor floats(std::vector<int64_t> dims, const std::vector<float> &values) {
  return tensorOf(DType::Float32, std::move(dims), values);
}
inline Tensor longs(std::vector<int64_t> dims, const std::vector<int64_t> &values) {
  return tensorOf(DType::Int64, std::move(dims), values);
}

/// Floats in [-1, 1), the same for the same seed.
inline Tensor randomFloats(std::vector<int64_t> dims, unsigned seed) {
  Tensor tensor(DType::Float32, std::move(dims));
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<float>()[i] = distribution(generator);
  return tensor;
}

template <class T> std::vector<T> valuesOf(const Tensor &tensor) {
  return {tensor.as<T>(), tensor.as<T>() + tensor.size()};
}

inline void expectClose(const Tensor &found, const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(found.size(), static_cast<int64_t>(expected.size()));
  int wrong = 0;
  for (int64_t i = 0; i < found.size() && wrong < 5; ++i) {
    double value =
        found.dtype() == DType::Float64 ? found.as<double>()[i] : static_cast<double>(found.as<float>()[i]);
    double want = expected[static_cast<size_t>(i)];
    bool close = value == want || std::abs(value - want) <= tolerance * (1 + std::abs(want)) ||
                 (std::isnan(value) && std::isnan(want));
    EXPECT_TRUE(close) << "element " << i << ": " << value << ", expected " << want;
    wrong += close ? 0 : 1;
  }
}

} // namespace proa::runtime
