#include "TransformTesting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <random>

namespace proa::transform {
namespace {

/// Random lists of statements that keep all data.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random(seed) {
    for (int i = 0; i < 6; ++i) {
      std::vector<int64_t> dims;
      for (int64_t rank = pick(1, 3); rank > 0; --rank)
        dims.push_back(4 * pick(1, 4));
      DType dtype = pick(0, 3) == 0 ? DType::BFloat16 : DType::Float32;
      add(fmt::format("in.{}", i), dtype, dims);
      Tensor tensor(dtype, dims);
      for (size_t byte = 0; byte < tensor.bytes(); ++byte)
        tensor.as<uint8_t>()[byte] = static_cast<uint8_t>(pick(0, 119)); // no NaN
      inputs[live.back().name] = tensor;
    }
    for (int i = 0; i < 12; ++i)
      (this->*operations[pick(0, std::size(operations) - 1)])();
  }

  Tensors inputs;
  std::string text;

private:
  struct Live {
    std::string name;
    DType dtype;
    std::vector<int64_t> dims;
  };

  int64_t pick(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  }
  void add(std::string name, DType dtype, std::vector<int64_t> dims) {
    live.push_back({std::move(name), dtype, dims});
  }
  std::string fresh() { return fmt::format("t.{}", names++); }
  Live take() {
    auto at = live.begin() + pick(0, static_cast<int64_t>(live.size()) - 1);
    Live taken = *at;
    live.erase(at);
    return taken;
  }

  void rename() {
    Live a = take();
    std::string name = fresh();
    text += fmt::format("{} -> {}\n", a.name, name);
    add(name, a.dtype, a.dims);
  }
  void split() {
    Live a = take();
    auto axis = static_cast<size_t>(pick(0, static_cast<int64_t>(a.dims.size()) - 1));
    if (a.dims[axis] < 2)
      return live.push_back(a);
    int64_t first = pick(1, a.dims[axis] - 1);
    bool isEqual = a.dims[axis] % 2 == 0 && pick(0, 1) == 0;
    std::vector<int64_t> sizes{isEqual ? a.dims[axis] / 2 : first,
                               isEqual ? a.dims[axis] / 2 : a.dims[axis] - first};
    std::vector<std::string> targets{fresh(), fresh()};
    text += fmt::format("{} -> {}, axis={}", a.name, fmt::join(targets, ", "), axis);
    text += isEqual ? "\n" : fmt::format(", sizes=\"{}\"\n", sizes);
    for (size_t i = 0; i < 2; ++i) {
      a.dims[axis] = sizes[i];
      add(targets[i], a.dtype, a.dims);
    }
  }
  void merge() {
    // Pieces that fit: the results of a split.
    Live a = take();
    for (size_t i = 0; i < live.size(); ++i) {
      Live &b = live[i];
      if (b.dtype != a.dtype || b.dims.size() != a.dims.size())
        continue;
      size_t differences = 0, axis = 0;
      for (size_t dim = 0; dim < a.dims.size(); ++dim)
        if (a.dims[dim] != b.dims[dim]) {
          ++differences;
          axis = dim;
        }
      if (differences > 1)
        continue;
      std::string name = fresh();
      text += fmt::format("{}, {} -> {}, axis={}, sizes=\"[{}, {}]\"\n", a.name, b.name, name, axis,
                          a.dims[axis], b.dims[axis]);
      a.dims[axis] += b.dims[axis];
      live.erase(live.begin() + static_cast<int64_t>(i));
      add(name, a.dtype, a.dims);
      return;
    }
    live.push_back(a);
  }
  void transpose() {
    Live a = take();
    std::vector<int64_t> permutation(a.dims.size()), dims;
    std::iota(permutation.begin(), permutation.end(), int64_t(0));
    std::ranges::shuffle(permutation, random);
    for (int64_t dim : permutation)
      dims.push_back(a.dims[static_cast<size_t>(dim)]);
    std::string name = fresh();
    text += fmt::format("{} -> {}, permute=\"{}\"\n", a.name, name, permutation);
    add(name, a.dtype, dims);
  }
  void suffixTranspose() {
    Live a = take();
    text += fmt::format("{}^T -> {}\n", a.name, a.name);
    std::ranges::reverse(a.dims);
    live.push_back(a);
  }
  void widen() {
    Live a = take();
    if (a.dtype == DType::BFloat16) {
      text += fmt::format("{} -> {}, src_dtype=\"bfloat16\", dst_dtype=\"float32\"\n", a.name, a.name);
      a.dtype = DType::Float32;
    }
    live.push_back(a);
  }
  void rotary() {
    Live a = take();
    if (a.dims[0] % 4 == 0 && a.dims[0] > 0)
      text += fmt::format("{} -> {}, rotary=\"{}\", num_heads={}, axis=0\n", a.name, a.name,
                          pick(0, 1) ? "half_to_interleaved" : "interleaved_to_half", a.dims[0] / 4);
    live.push_back(a);
  }
  void fuse() {
    Live a = take();
    if (a.dims[0] % 8 != 0 || a.dims[0] == 0)
      return live.push_back(a);
    std::vector<std::string> pieces{fresh(), fresh(), fresh()};
    std::string name = fresh();
    std::string macro = pick(0, 1) ? "fused_qkv" : "fused_qkv_old";
    std::string heads = fmt::format("{}, num_heads=4, num_key_value_groups=2, axis=0", macro);
    text += fmt::format("{} -> {}, {}\n{} -> {}, {}\n", a.name, fmt::join(pieces, ", "), heads,
                        fmt::join(pieces, ", "), name, heads);
    add(name, a.dtype, a.dims);
  }

  void (RandomProgram::*operations[8])() = {&RandomProgram::rename,          &RandomProgram::split,
                                            &RandomProgram::merge,           &RandomProgram::transpose,
                                            &RandomProgram::suffixTranspose, &RandomProgram::widen,
                                            &RandomProgram::rotary,          &RandomProgram::fuse};
  std::mt19937 random;
  std::vector<Live> live;
  int names = 0;
};

TEST(InverseTest, RandomProgramsRoundTrip) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    RandomProgram program(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, program.text));
    Tensors results = transformed(program.text, program.inputs);
    MappingOptions options;
    options.isInverse = true;
    Tensors restored = transformed(program.text, results, options);
    ASSERT_EQ(restored.size(), program.inputs.size());
    for (const auto &[name, tensor] : program.inputs) {
      ASSERT_TRUE(restored.contains(name)) << name;
      EXPECT_TRUE(areEqual(tensor, restored.at(name))) << name;
    }
  }
}

Tensors restoredBy(std::string_view text, const Tensors &results) {
  MappingOptions options;
  options.isInverse = true;
  return transformed(text, results, options);
}

TEST(InverseTest, MatchesPlaceholdersOnTheRight) {
  std::string_view text =
      "l.$LAYER_ID.a^T -> t.$LAYER_ID\nt.$LAYER_ID, l.$LAYER_ID.b -> m.$LAYER_ID, axis=0\n"
      "x.$LAYER_ID_OFFSET -> y.$LAYER_ID_OFFSET\nz.$NAME -> w.$NAME";
  Tensors inputs{{"l.0.a", iota({2, 1})}, {"l.0.b", iota({1, 2})}, {"l.7.a", iota({2, 1})},
                 {"l.7.b", iota({1, 2})}, {"x.1", iota({1})},      {"x.2", iota({1}, 1)},
                 {"z.u.v", iota({1}, 2)}};
  Tensors restored = restoredBy(text, transformed(text, inputs));
  ASSERT_EQ(restored.size(), inputs.size());
  for (const auto &[name, tensor] : inputs)
    EXPECT_TRUE(restored.contains(name) && areEqual(tensor, restored.at(name))) << name;
}

TEST(InverseTest, RemovalWithShapeIsRestored) {
  std::string_view text =
      "a -> _, shape=\"[2]\", dtype=\"float32\", value=\"1\"\n_ -> b, shape=\"[1]\", dtype=\"float32\"";
  Tensors inputs{{"a", iota({2}, 1)}, {"c", iota({1})}};
  Tensors results = transformed(text, inputs);
  EXPECT_EQ(results.size(), 2u);
  Tensors restored = restoredBy(text, results);
  ASSERT_EQ(restored.size(), 2u);
  EXPECT_EQ(floatsOf(restored.at("a")), (std::vector<float>{1, 1}));
}

TEST(InverseTest, StarOnTheLeftNeedsNamesOfTheResult) {
  TensorInfos inputs{{"all", {DType::Float32, {4}}}}, targets;
  MappingOptions options;
  options.isInverse = true;
  EXPECT_THAT(errorsOf("e.* -> all, axis=0", inputs, options),
              testing::HasSubstr("needs the names of the result"));
  targets = {{"e.0", {DType::Float32, {2}}}, {"e.1", {DType::Float32, {2}}}};
  options.targets = &targets;
  Tensors restored = transformed("e.* -> all, axis=0", {{"all", iota({4})}}, options);
  EXPECT_EQ(floatsOf(restored.at("e.1")), (std::vector<float>{2, 3}));
}

} // namespace
} // namespace proa::transform
