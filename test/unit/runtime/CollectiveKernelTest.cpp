//! Attributes of the kernels of collectives in a plan that is not valid.
#include "lib/runtime/plan/Library.h"

#include <gtest/gtest.h>

namespace proa::runtime {
namespace {

using nlohmann::json;

json meshOf(std::vector<std::string> names, std::vector<int64_t> sizes, std::vector<int64_t> devices = {}) {
  return {{"names", names}, {"sizes", sizes}, {"devices", devices}};
}

json axis(const std::string &name, int64_t pre = 0, int64_t size = 0) {
  return {{"name", name}, {"pre", pre}, {"size", size}};
}

json dim(std::vector<json> axes = {}, std::vector<int64_t> blocks = {}) {
  return {{"axes", axes}, {"isClosed", true}, {"priority", 0}, {"blocks", blocks}};
}

json sharding(std::vector<json> dims, std::vector<json> partial = {}) {
  return {{"mesh", "m"}, {"dims", dims}, {"replicated", json::array()}, {"partial", partial}};
}

/// The first error of a kernel with one operand and one result.
std::string errorOf(const std::string &kernel, const json &attributes) {
  const KernelEntry *entry = findLibraryKernel(kernel);
  if (!entry)
    return "there is no such kernel";
  std::vector<OperandType> operands = {{true, false, DType::Float32, {dynamicDim}}};
  auto created = entry->create(attributes, {operands, operands});
  return created ? "" : created.diagnostics()[0].message;
}

json gatherAttributes() {
  return {{"global", {8}},
          {"mesh", meshOf({"x"}, {4})},
          {"from", sharding({dim({axis("x")})})},
          {"to", sharding({dim()})},
          {"number", 0}};
}

std::string errorWith(const char *attribute, const json &value) {
  json attributes = gatherAttributes();
  attributes[attribute] = value;
  return errorOf("dist_all_gather", attributes);
}

TEST(CollectiveKernelTest, WrongAttributesAreRefusedAtLoad) {
  EXPECT_EQ(errorOf("dist_all_gather", gatherAttributes()), "");
  EXPECT_EQ(errorWith("mesh", meshOf({"x", "y"}, {4})), "the mesh has 2 names and 1 sizes");
  EXPECT_EQ(errorWith("mesh", meshOf({"y"}, {4})), "the mesh has no axis 'x'");
  EXPECT_EQ(errorWith("mesh", meshOf({"x"}, {-4})),
            "axis 'x' of the mesh has size -4; expected a positive one, and at most 16777216 devices");
  EXPECT_EQ(errorWith("mesh", meshOf({"x"}, {4}, {0, 1, 2})), "the mesh lists 3 devices, expected 4");
  EXPECT_EQ(errorWith("mesh", 5), "mesh: the attributes are 5; expected an object");
  EXPECT_EQ(errorWith("from", sharding({dim({axis("x", 3, 2)})})),
            "'x:(3)2' is not a sub-axis of an axis of size 4");
  EXPECT_EQ(errorWith("from", sharding({dim({axis("x")}), dim()})),
            "the placement has 2 dimensions, the tensor 1");
  EXPECT_EQ(errorWith("from", sharding({dim({axis("x")}, {3, 6})})),
            "the blocks of dimension 0 do not add up to 8");
  EXPECT_EQ(errorWith("to", sharding({dim({axis("x"), axis("x")})})), "the placement uses axis 'x' twice");
  EXPECT_EQ(errorWith("to", sharding({dim({axis("x")})})),
            "all_gather from [{x}] to [{x}]: minor axes must be removed from dimensions");
  EXPECT_EQ(errorWith("global", {-8}), "the value has a negative dim");
  EXPECT_EQ(
      errorWith("from", sharding({dim()}, {{{"reduction", "median"}, {"axes", json::array()}}})),
      "from: partial[0]: attribute 'reduction' is \"median\"; expected one of sum, max, min, prod, avg, any, "
      "all");
}

TEST(CollectiveKernelTest, RootsAreCoordinatesOfTheGroup) {
  auto errorWithRoot = [](std::vector<int64_t> root) {
    return errorOf("dist_broadcast", {{"mesh", meshOf({"x"}, {4})},
                                      {"group", {{"mesh", "m"}, {"axes", {axis("x")}}}},
                                      {"root", root},
                                      {"number", 0}});
  };
  EXPECT_EQ(errorWithRoot({3}), "");
  EXPECT_EQ(errorWithRoot({4}), "the root has the coordinate 4 on an axis of size 4");
  EXPECT_EQ(errorWithRoot({0, 0}), "the group has 1 axes, the root 2 coordinates");
}

TEST(CollectiveKernelTest, RowsAreExchangedByInt64Counts) {
  const KernelEntry *entry = findLibraryKernel("dist_exchange_rows");
  ASSERT_TRUE(entry);
  auto errorWithTypes = [&](std::vector<int64_t> dims, DType countType, const char *axisName) {
    OperandType counts{true, false, countType, {4}}, x{true, false, DType::Float32, dims};
    std::vector<OperandType> inputs{x, counts, counts}, outputs{x};
    auto created = entry->create(
        {{"mesh", meshOf({"x"}, {4})}, {"group", {{"mesh", "m"}, {"axes", {axis(axisName)}}}}, {"number", 0}},
        {inputs, outputs});
    return created ? "" : created.diagnostics()[0].message;
  };
  EXPECT_EQ(errorWithTypes({dynamicDim, 3}, DType::Int64, "x"), "");
  EXPECT_EQ(errorWithTypes({dynamicDim, 3}, DType::Int32, "x"), "counts are vectors of int64");
  EXPECT_EQ(errorWithTypes({}, DType::Int64, "x"), "the tensor has no rows");
  EXPECT_EQ(errorWithTypes({dynamicDim, 3}, DType::Int64, "y"), "the mesh has no axis 'y'");
}

} // namespace
} // namespace proa::runtime
