#include "TransformTesting.h"

#include <gmock/gmock.h>

#include <span>

namespace proa::transform {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TensorInfos floats(std::initializer_list<std::pair<const char *, std::vector<int64_t>>> tensors) {
  TensorInfos infos;
  for (const auto &[name, dims] : tensors)
    infos[name] = {DType::Float32, dims};
  return infos;
}

std::vector<std::string> namesOf(const Tensors &tensors) {
  std::vector<std::string> names;
  for (const auto &[name, tensor] : tensors)
    names.push_back(name);
  return names;
}

TEST(MappingTest, SplitsUnequally) {
  Tensors results = transformed("a -> b, c, axis=1, sizes=\"[1, 2]\"", {{"a", iota({2, 3})}});
  EXPECT_THAT(floatsOf(results.at("b")), ElementsAre(0, 3));
  EXPECT_THAT(floatsOf(results.at("c")), ElementsAre(1, 2, 4, 5));
}

TEST(MappingTest, TakesSizesOfTheResult) {
  TensorInfos targets = floats({{"b", {1, 3}}, {"c", {3, 3}}});
  MappingOptions options;
  options.targets = &targets;
  Tensors results = transformed("a -> b, c, axis=0", {{"a", iota({4, 3})}}, options);
  EXPECT_THAT(floatsOf(results.at("b")), ElementsAre(0, 1, 2));
}

TEST(MappingTest, CountsNegativeAxisFromTheEnd) {
  Tensors results = transformed("a, b -> c, axis=-1", {{"a", iota({2, 1})}, {"b", iota({2, 1}, 10)}});
  EXPECT_THAT(floatsOf(results.at("c")), ElementsAre(0, 10, 1, 11));
}

TEST(MappingTest, NamePlaceholderIsTheRest) {
  Tensors inputs{
      {"model.q", iota({1})}, {"model.k", iota({1})}, {"model.n.w", iota({2})}, {"head", iota({1})}};
  EXPECT_THAT(namesOf(transformed("model.$NAME -> net.$NAME\nmodel.q, model.k -> net.qk, axis=0", inputs)),
              ElementsAre("head", "net.n.w", "net.qk"));
}

TEST(MappingTest, PlaceholdersMatchAssignedNames) {
  Tensors inputs{{"l.0.w", iota({2, 1})}, {"l.1.w", iota({2, 1}, 2)}};
  Tensors results =
      transformed("l.$LAYER_ID.w^T -> t.$LAYER_ID\nt.$LAYER_ID -> n.$LAYER_ID\nn.* -> all, axis=0", inputs);
  EXPECT_THAT(floatsOf(results.at("all")), ElementsAre(0, 1, 2, 3));
}

TEST(MappingTest, CombinesIdsWithStarAndRange) {
  Tensors inputs{{"l.0.e.0", iota({1})},
                 {"l.0.e.1", iota({1}, 1)},
                 {"l.1.e.0", iota({1}, 2)},
                 {"m.0_0", iota({1})},
                 {"m.0_1", iota({1}, 1)}};
  Tensors results = transformed(
      "l.$LAYER_ID.e.* -> l.$LAYER_ID.all, axis=0\nm.$LAYER_ID[0:2] -> n.$LAYER_ID, axis=0", inputs);
  EXPECT_THAT(floatsOf(results.at("l.0.all")), ElementsAre(0, 1));
  EXPECT_THAT(floatsOf(results.at("l.1.all")), ElementsAre(2));
  EXPECT_THAT(floatsOf(results.at("n.0")), ElementsAre(0, 1));
}

TEST(MappingTest, AddsTensorsAndPads) {
  Tensors results = transformed(
      "_ -> p, shape=\"[1, 2]\", dtype=\"float32\", value=\"0.5\"\na, p -> b, axis=0", {{"a", iota({1, 2})}});
  EXPECT_THAT(floatsOf(results.at("b")), ElementsAre(0, 1, 0.5, 0.5));
}

TEST(MappingTest, TakesShardsOfFusedTensorsFromTheStatement) {
  Tensors inputs{{"w", iota({8})}};
  EXPECT_THAT(floatsOf(transformed("w -> f, fused_ffn, source_shards=2, axis=0", inputs).at("f")),
              ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  EXPECT_THAT(floatsOf(transformed("w -> g, u, fused_ffn, source_shards=2, axis=0", inputs).at("u")),
              ElementsAre(2, 3, 6, 7));
}

TEST(MappingTest, AveragesSeveralModels) {
  Tensors inputs{{"x.w", iota({2})}, {"y.w", iota({2}, 4)}};
  EXPECT_THAT(floatsOf(transformed("x.$NAME, y.$NAME -> $NAME, average", inputs).at("w")), ElementsAre(2, 3));
  Tensors weighted = transformed("x.w, y.w -> t, average=\"[3, 1]\"\nt -> a, b, axis=0", inputs);
  EXPECT_THAT(floatsOf(weighted.at("a")), ElementsAre(1));
  EXPECT_THAT(floatsOf(weighted.at("b")), ElementsAre(2));
}

TEST(MappingTest, ChangesRotaryStyle) {
  Tensors inputs{{"q", iota({12, 1})}};
  EXPECT_THAT(
      floatsOf(transformed("q -> q, rotary=\"half_to_interleaved\", num_heads=2, axis=0", inputs).at("q")),
      ElementsAre(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11));
  EXPECT_THAT(
      floatsOf(transformed("q -> q, rotary=\"interleaved_to_half\", num_heads=2, axis=0", inputs).at("q")),
      ElementsAre(0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11));
  EXPECT_THAT(
      floatsOf(
          transformed("q -> q, rotary=\"half_to_interleaved\", num_heads=2, rotary_dim=4, axis=0", inputs)
              .at("q")),
      ElementsAre(0, 2, 1, 3, 4, 5, 6, 8, 7, 9, 10, 11));
}

TEST(MappingTest, TransposesLargeTensors) {
  Tensors inputs{{"a", iota({70, 3, 90})}};
  Tensors results = transformed(
      "a -> b, permute=\"[2, 1, 0]\"\na -> c, permute=\"[2, 0, 1]\"\na -> d, permute=\"[1, 2, 0]\"", inputs);
  std::span<const float> a(inputs.at("a").as<float>(), 70 * 3 * 90);
  size_t i = 0;
  for (size_t x = 0; x < 70; ++x)
    for (size_t y = 0; y < 3; ++y)
      for (size_t z = 0; z < 90; ++z, ++i) {
        EXPECT_EQ(results.at("b").as<float>()[(z * 3 + y) * 70 + x], a[i]);
        EXPECT_EQ(results.at("c").as<float>()[(z * 70 + x) * 3 + y], a[i]);
        EXPECT_EQ(results.at("d").as<float>()[(y * 90 + z) * 70 + x], a[i]);
      }
}

TEST(MappingTest, EmptyTensors) {
  Tensors results =
      transformed("a -> a, rotary=\"half_to_interleaved\", num_heads=4, axis=0\na, b -> c, axis=0\n"
                  "d^T -> d",
                  {{"a", iota({0, 2})}, {"b", iota({1, 2})}, {"d", iota({0, 2})}});
  EXPECT_THAT(floatsOf(results.at("c")), ElementsAre(0, 1));
  EXPECT_EQ(results.at("d").dims(), (std::vector<int64_t>{2, 0}));
}

TEST(MappingTest, CastsRoundInOrder) {
  Tensor a(DType::Float32, {2});
  a.as<float>()[0] = 1 + 0x1p-8f; // a tie of bfloat16, rounds to even
  a.as<float>()[1] = 1 + 3 * 0x1p-8f;
  Tensors results = transformed("a -> t, dtype=\"bfloat16\"\nt -> b, dtype=\"float32\"", {{"a", a}});
  EXPECT_THAT(floatsOf(results.at("b")), ElementsAre(1.0f, 1 + 0x1p-6f));
}

TEST(MappingTest, OptimizerStatesFollowTheirParameter) {
  Tensors inputs{{"a", iota({1, 2})},
                 {"b", iota({1, 2}, 2)},
                 {"a.moment1_0", iota({1, 2}, 4)},
                 {"b.moment1_0", iota({1, 2}, 6)},
                 {"a.beta1_pow_acc_0", iota({1}, 8)},
                 {"b.beta1_pow_acc_0", iota({1}, 8)}};
  Tensors results =
      transformed("a -> t, dtype=\"float16\"\nb -> u, dtype=\"float16\"\nt, u -> c, axis=0", inputs);
  EXPECT_THAT(namesOf(results), ElementsAre("c", "c.beta1_pow_acc_0", "c.moment1_0"));
  EXPECT_EQ(results.at("c").dtype(), DType::Float16);
  EXPECT_THAT(floatsOf(results.at("c.moment1_0")), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(floatsOf(results.at("c.beta1_pow_acc_0")), ElementsAre(8));
}

TEST(MappingTest, NamesOfStaticProgramsHaveStates) {
  Tensors inputs{{"fc.w_0", iota({2, 1})},
                 {"fc.w_0_moment1_0", iota({2, 1}, 2)},
                 {"fc.b_0", iota({1})},
                 {"other_moment1_0", iota({1})},
                 {"fc.w_0_beta1_pow_acc_0", iota({1})}};
  EXPECT_THAT(namesOf(transformed("fc.w_0^T -> w\nfc.b_0 -> b", inputs)),
              ElementsAre("b", "other_moment1_0", "w", "w_beta1_pow_acc_0", "w_moment1_0"));
}

TEST(MappingTest, StatesMayBeInAFileOfTheirOwn) {
  Tensors inputs{{"a.w_0", iota({2})}, {"a.moment1_0", iota({2}, 2)}};
  EXPECT_THAT(namesOf(transformed("a -> b", inputs)), ElementsAre("b.moment1_0", "b.w_0"));
}

TEST(MappingTest, BoxesOfTargetsAreThoseOfTheWhole) {
  Tensors inputs{{"q", iota({8, 4})}, {"k", iota({4, 4}, 100)}, {"v", iota({4, 4}, 200)}};
  Result<Mapping> mapping = mapText(
      "q^T, k^T, v^T -> qkv, fused_qkv, num_heads=4, num_key_value_groups=2, axis=1", infosOf(inputs));
  ASSERT_TRUE(mapping) << mapping.diagnostics().text();
  const Target &target = *mapping->find("qkv");
  Tensor whole = *computeTarget(*mapping, target, readerOf(inputs));
  for (int64_t begin = 0; begin < 16; ++begin)
    for (int64_t end = begin + 1; end <= 16; ++end) {
      Tensor piece = *computeBox(*mapping, target, {{1, 3}, {begin, end}}, readerOf(inputs));
      for (int64_t row = 0; row < 2; ++row)
        for (int64_t column = begin; column < end; ++column)
          EXPECT_EQ(piece.as<float>()[row * (end - begin) + column - begin],
                    whole.as<float>()[(row + 1) * 16 + column]);
    }
}

TEST(MappingTest, JoinsNeighboringPieces) {
  Result<Mapping> mapping = mapText("a -> h[0:4], axis=0\nh[0:4] -> b, axis=0", floats({{"a", {8, 2}}}));
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->find("b")->composition->size(), 1u);
}

TEST(MappingTest, WarnsOfPatternsWithoutMatch) {
  Result<Mapping> mapping =
      mapText("l.$LAYER_ID.w -> m.$LAYER_ID.w\na -> b\nc -> b", floats({{"a", {1}}, {"c", {1}}}));
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->warnings.text(),
            "warning: t.aoa:1:1: no tensor has a name `l.$LAYER_ID.w`; the statement has no effect\n"
            "  statement: l.$LAYER_ID.w -> m.$LAYER_ID.w\n"
            "warning: t.aoa:3:1: `b` is assigned again, its value was not read\n"
            "  statement: c -> b\n");
}

TEST(MappingErrorTest, ShowsExpansions) {
  EXPECT_EQ(
      errorsOf("l.$LAYER_ID.q, l.$LAYER_ID.k, l.$LAYER_ID.v -> l.$LAYER_ID.qkv, fused_qkv, num_heads=4, "
               "num_key_value_groups=4, axis=0",
               floats({{"l.3.q", {6, 2}}, {"l.3.k", {4, 2}}, {"l.3.v", {4, 2}}})),
      "error: t.aoa:1:1: dim 0 of `l.3.q` is 6, expected a multiple of 4, the number of targets; `sizes` "
      "splits "
      "unequally\n"
      "  statement: l.$LAYER_ID.q, l.$LAYER_ID.k, l.$LAYER_ID.v -> l.$LAYER_ID.qkv, fused_qkv, num_heads=4, "
      "num_key_value_groups=4, axis=0\n"
      "  by $LAYER_ID, $EXPERT_ID, $NAME: l.3.q, l.3.k, l.3.v -> l.3.qkv, fused_qkv, num_heads=4, "
      "num_key_value_groups=4, axis=0\n"
      "  by fused_qkv: l.3.q -> \"l.3.q#0\", \"l.3.q#1\", \"l.3.q#2\", \"l.3.q#3\", axis=0\n");
}

struct ErrorCase {
  std::string_view statements, message;
};

void expectErrors(const TensorInfos &inputs, std::initializer_list<ErrorCase> cases) {
  for (const ErrorCase &each : cases)
    EXPECT_THAT(errorsOf(each.statements, inputs), HasSubstr(each.message));
}

TEST(MappingErrorTest, Macros) {
  expectErrors(floats({{"l.0.a", {2, 2}}, {"l.1.a", {2, 2}}, {"q", {4, 4}}, {"k", {4, 4}}}),
               {{"l.$LAYER_ID.a -> b",
                 "`l.$LAYER_ID.a` and `b` have different placeholders: only one has `$LAYER_ID`"},
                {"b -> l.$LAYER_ID.a", "no name on the side of the inputs has a placeholder"},
                {"l.$LAYER.a -> b", "has the unknown placeholder `$LAYER`"},
                {"l.$LAYER_ID_OFFSET.a -> m.$LAYER_ID_OFFSET.a", "layer 0 would become layer -1"},
                {"x.* -> b, axis=0", "no tensor of the input has a name `x.*`"},
                {"q -> x.*, axis=0", "`x.*` needs the names of the result, which are not known"},
                {"q -> b^T", "`b^T` is a target, expected `^T` on the left of `->` only"},
                {"q, k -> b, fused_qkv, num_heads=2, num_key_value_groups=2",
                 "`fused_qkv` has other numbers of names"},
                {"q, k, k -> b, fused_qkv, num_heads=2",
                 "`num_key_value_groups` is missing, expected a positive number"},
                {"q, k, k -> b, fused_qkv, num_heads=3, num_key_value_groups=2", "expected a multiple of"},
                {"q, k -> b, fused_ffn, num_heads=2", "`fused_ffn` does not take the attribute `num_heads`"},
                {"q[0:9999999] -> b, axis=0", "a range has more than 1048576 names"}});
}

TEST(MappingErrorTest, Attributes) {
  expectErrors(
      floats({{"a", {2, 2}}, {"b", {2, 2}}, {"c", {3}}}),
      {{"a, b -> c", "`axis` is missing"},
       {"a, b -> c, d, axis=0", "2 sources and 2 targets, expected one source or one target"},
       {"a -> c, c, axis=0", "the target `c` is repeated"},
       {"a, _ -> c, axis=0", "`_` is in a list of names"},
       {"_ -> _", "names no tensor"},
       {"a, b -> c, axes=0", "does not take the attribute `axes`, expected axis, sizes; did you mean 'axis'"},
       {"a, b -> c, axis=\"x\"", "`axis` is \"x\", expected an integer"},
       {"a -> d, permute=\"[0, 0]\"", "`permute` is [0, 0], expected each number from 0 to 1 once"},
       {"a -> d, permute=\"[1, 0]\", dtype=\"float32\"", "a transpose does not take the attribute `dtype`"},
       {"a -> d, dtype=\"int8\"", "`dtype` is \"int8\", expected float16, bfloat16, float32 or float64"},
       {"a -> d, src_dtype=\"float32\"", "only one of `src_dtype` and `dst_dtype`"},
       {"a -> d, e, axis=0, sizes=\"[1]\"", "`sizes` has 1 elements, expected 2"},
       {"a, b -> d, average=\"[1, -1]\"", "expected 2 weights of a positive sum"},
       {"a -> d, rotary=\"x\", num_heads=1", "expected half_to_interleaved or interleaved_to_half"},
       {"a -> d, rotary=\"half_to_interleaved\"", "`num_heads` is missing"},
       {"_ -> d, shape=\"[2]\"", "only one of `shape` and `dtype` is present"},
       {"_ -> d", "the dims of `d` are not known"}});
}

TEST(MappingErrorTest, Tensors) {
  TensorInfos inputs = floats({{"a", {2, 2}}, {"b", {2, 3}}, {"c", {3}}, {"s", {}}});
  inputs["h"] = {DType::Float16, {2, 2}};
  inputs["i"] = {DType::Int32, {2, 2}};
  expectErrors(
      inputs,
      {{"aa -> d", "no tensor has the name `aa`"},
       {"a -> d\na -> _\na -> e", "no tensor has the name `a`"},
       {"a, b -> d, axis=0", "`a` has dims [2, 2] and `b` has [2, 3], expected equal dims except dim 0"},
       {"a, c -> d, axis=0", "expected equal dims"},
       {"a, h -> d, axis=0", "`a` is float32 and `h` is float16, expected equal dtypes"},
       {"a -> d, e, axis=2", "`axis` is 2, but `a` has dims [2, 2], expected -2 to 1"},
       {"s -> d, e, axis=0", "expected a tensor with dimensions"},
       {"a -> d, e, axis=0, sizes=\"[1, 2]\"", "`sizes` are [1, 2], expected a sum of 2"},
       {"a, a -> d, axis=0, sizes=\"[1, 2]\"", "dim 0 of `a` is 2, expected 1 (`sizes`)"},
       {"a -> d, permute=\"[0]\"", "`permute` has 1 elements, but `a` has dims [2, 2]"},
       {"i -> d, dtype=\"float32\"", "`i` is int32, expected float16"},
       {"i, i -> d, average", "expected a floating-point tensor"},
       {"c -> d, rotary=\"half_to_interleaved\", num_heads=1, axis=0", "expected 1 heads of an even size"}});
}

TEST(MappingErrorTest, StatementsThatDoubleATensor) {
  std::string merges, averages;
  for (int i = 0; i < 64; ++i) {
    merges += "a, a -> a, axis=0\n";
    averages += "a, a -> a, average\n";
  }
  EXPECT_THAT(errorsOf(merges, floats({{"a", {2, 2}}})),
              HasSubstr("the result of the merge has 2097152 pieces, at most 1048576"));
  EXPECT_THAT(errorsOf(averages, floats({{"a", {2, 2}}})),
              HasSubstr("the average is of 8192 tensors, at most 4096"));
  EXPECT_THAT(errorsOf("a, a -> b, axis=0", floats({{"a", {int64_t(1) << 62}}})),
              HasSubstr("too many elements"));
}

TEST(MappingErrorTest, ReportsAllButNoConsequences) {
  std::string errors = errorsOf("x -> a\na -> b\nb, a -> c, axis=0\ny -> d", floats({{"e", {1}}}));
  EXPECT_THAT(errors, HasSubstr("`x`"));
  EXPECT_THAT(errors, HasSubstr("`y`"));
  EXPECT_THAT(errors, testing::Not(HasSubstr("`b`")));
}

TEST(MappingErrorTest, Results) {
  TensorInfos targets = floats({{"a", {3}}, {"b", {2}}, {"c", {2}}, {"d.moment1_0", {2}}, {"d", {2}}});
  MappingOptions options;
  options.targets = &targets;
  TensorInfos inputs = floats({{"a", {2}}, {"d", {2}}});
  inputs["c"] = {DType::Float16, {2}};
  EXPECT_EQ(
      errorsOf("", inputs, options),
      "error: a: is composed with dims [2], expected [3]\n"
      "error: b: the result needs this tensor, but the input does not have it and no statement assigns it\n"
      "error: c: is composed as float16, expected float32; add a cast\n"
      "error: d.moment1_0: the result needs this optimizer state, but the input has none for the tensors of "
      "which "
      "the parameter is composed\n");
}

TEST(MappingErrorTest, IncompleteOptimizerStates) {
  EXPECT_EQ(errorsOf("a, b -> c, axis=0", floats({{"a", {2}}, {"b", {2}}, {"a.moment1_0", {2}}})),
            "error: c.moment1_0: `a` has the optimizer state `.moment1_0`, but `b` does not, expected it for "
            "all tensors "
            "of which the parameter is composed\n");
}

TEST(MappingErrorTest, ParametersWithoutValues) {
  EXPECT_EQ(errorsOf("a, b -> c, axis=0", floats({{"a", {2}}, {"a.moment1_0", {2}}, {"b.moment1_0", {2}}})),
            "error: c: is composed of `b`, of which the input has optimizer states only\n");
}

TEST(MappingErrorTest, InverseOfOperationsThatLoseData) {
  MappingOptions options;
  options.isInverse = true;
  TensorInfos inputs = floats({{"b", {2}}, {"d", {2}}});
  EXPECT_THAT(
      errorsOf("a -> _\nc -> d, dtype=\"float32\"\ne, f -> b, average", inputs, options),
      testing::AllOf(HasSubstr("the removal of `a` has no inverse, expected `shape` and `dtype`"),
                     HasSubstr("a cast with `dtype` has no inverse, expected `src_dtype` and `dst_dtype`"),
                     HasSubstr("an average has no inverse")));
}

} // namespace
} // namespace proa::transform
