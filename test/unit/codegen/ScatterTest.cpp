// Scattering by blocks that own slices of the result (rt.scatter_owned), run by the emulator and compared
// with the definition.
#include "test/unit/codegen/KernelText.h"

#include "lib/runtime/emulator/Emulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace proa;
using namespace proa::testing;

namespace {

struct Scatter {
  const char *type = "f32", *reduce = "add", *strategy = "ordered";
  int64_t slices = 1, elements = 32, keys = 1;
  bool hasX = true;

  DType dtype() const {
    return std::string(type) == "f32"   ? DType::Float32
           : std::string(type) == "f64" ? DType::Float64
           : std::string(type) == "f16" ? DType::Float16
                                        : DType::Int32;
  }

  std::string text() const {
    std::string k = fmt::format("tensor<{}xi32>", keys),
                u = fmt::format("tensor<{}x{}x{}>", keys, elements, type),
                x = fmt::format("tensor<{}x{}x{}>", slices, elements, type);
    return fmt::format(
        "func.func private @scatter(%k: {0}, %u: {1}{2}) -> {3} attributes {{proa.kernel}} {{\n"
        "%0 = rt.scatter_owned %k, %u{4} {{depth = 1 : i64, reduce = #pd<scatter_reduce {5}>, "
        "start = 3.0 : f64, proa.strategy = #proa.strategy<{6}>}} : ({0}, {1}{7}) -> {3}\nreturn %0 : "
        "{3}\n}}\n",
        k, u, hasX ? ", %x: " + x : "", x, hasX ? ", %x" : "", reduce, strategy, hasX ? ", " + x : "");
  }

  /// Keys of few slices are equal often; some are left out.
  std::vector<Tensor> inputs() const {
    std::vector<Tensor> tensors{Tensor(DType::Int32, {keys}),
                                randomTensor(dtype(), {keys, elements}, -4, 4, 1)};
    std::mt19937 generator(5);
    for (int64_t i = 0; i < keys; ++i)
      tensors[0].as<int32_t>()[i] = static_cast<int32_t>(generator() % static_cast<unsigned>(slices + 1)) - 1;
    if (hasX)
      tensors.push_back(randomTensor(dtype(), {slices, elements}, -4, 4, 2));
    return tensors;
  }

  double combined(double held, double given) const {
    std::string name = reduce;
    return name == "assign"     ? given
           : name == "add"      ? held + given
           : name == "multiply" ? held * given
           : name == "amin"     ? std::min(held, given)
                                : std::max(held, given);
  }

  /// Runs the kernel in all schedules of its threads. Sums in order equal float32 sums, element by element.
  void check() const {
    TestKernel kernel(text(), {.emulatesGpu = true});
    ASSERT_TRUE(kernel.valid());
    std::vector<Tensor> given = inputs();
    Tensor expected(DType::Float64, {slices, elements});
    for (int64_t i = 0; i < expected.size(); ++i)
      setElement(expected, i, hasX ? element(given[2], i) : 3);
    for (int64_t i = 0; i < keys; ++i)
      for (int64_t e = 0, key = given[0].as<int32_t>()[i]; key >= 0 && e < elements; ++e) {
        double value = combined(element(expected, key * elements + e), element(given[1], i * elements + e));
        setElement(expected, key * elements + e,
                   dtype() == DType::Float32 ? static_cast<float>(value) : value);
      }
    bool isExact = std::string(strategy) == "ordered";
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      SCOPED_TRACE(fmt::format("{} {} {} slices {} x {} keys {} x {} schedule {}", type, reduce, strategy,
                               slices, elements, keys, hasX, rotation));
      emulator::setScheduling({.rotation = rotation});
      std::vector<Tensor> results = kernel.run(given, /*pieces=*/1);
      emulator::setScheduling({});
      ASSERT_EQ(results.size(), 1U);
      expectElements(
          results[0], [&](int64_t i) { return element(expected, i); }, isExact ? 0 : 1e-5,
          isExact ? 0 : 1e-4);
    }
  }
};

} // namespace

// Equal in all schedules: updates of one slice are combined in their order.
TEST(Scatter, Ordered) {
  for (const char *type : {"f32", "f64", "i32"})
    for (auto [slices, elements, keys] :
         {std::tuple(7, 32, 200), std::tuple(1, 33, 70), std::tuple(50, 300, 31), std::tuple(2000, 40, 500)})
      for (bool hasX : {true, false})
        Scatter{.type = type, .slices = slices, .elements = elements, .keys = keys, .hasX = hasX}.check();
}

TEST(Scatter, Reductions) {
  for (const char *reduce : {"assign", "multiply", "amin", "amax"})
    for (const char *type : {"f32", "i32"})
      Scatter{.type = type, .reduce = reduce, .slices = 5, .elements = 64, .keys = 90}.check();
  Scatter{.type = "f16", .reduce = "assign", .slices = 5, .elements = 64, .keys = 90}.check();
}

// Small slices, more of them than blocks, and many updates of one.
TEST(Scatter, Atomic) {
  for (const char *type : {"f32", "f64", "i32"})
    for (auto [slices, elements, keys] :
         {std::tuple(3, 1, 700), std::tuple(2500, 1, 600), std::tuple(40, 5, 257)})
      for (bool hasX : {true, false})
        Scatter{.type = type,
                .strategy = "atomic",
                .slices = slices,
                .elements = elements,
                .keys = keys,
                .hasX = hasX}
            .check();
}
