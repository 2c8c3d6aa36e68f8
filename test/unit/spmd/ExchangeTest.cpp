//! Transfers between meshes, roots of broadcasts, checks of meshes and placements. Steps on one mesh are
//! tested by test/unit/runtime/CollectiveTest.cpp.
#include "lib/base/spmd/Exchange.h"
#include "lib/base/spmd/Validity.h"
#include "test/unit/spmd/SimulatedMesh.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace proa::spmd {
namespace {

/// Copies the elements of a transfer from one local tensor to another. Returns how many of the target were
/// set before.
int64_t apply(const Transfer &transfer, const std::vector<double> &source, Dims sourceDims,
              std::vector<double> &target, Dims targetDims) {
  std::vector<std::pair<int64_t, int64_t>> offsets = {{0, 0}};
  for (size_t d = 0; d < transfer.dims.size(); ++d) {
    std::vector<std::pair<int64_t, int64_t>> next;
    for (auto [from, to] : offsets)
      for (const Segment &segment : transfer.dims[d])
        for (int64_t i = 0; i < segment.size; ++i)
          next.emplace_back(from * sourceDims[d] + segment.source + i,
                            to * targetDims[d] + segment.target + i);
    offsets = std::move(next);
  }
  int64_t again = 0;
  for (auto [from, to] : offsets) {
    again += target.at(static_cast<size_t>(to)) != 0;
    target[static_cast<size_t>(to)] = source.at(static_cast<size_t>(from));
  }
  return again;
}

/// A local tensor whose elements are their index in the value, from 1.
std::vector<double> indicesOf(const Mesh &mesh, const Placement &placement, const std::vector<int64_t> &dims,
                              int64_t position) {
  std::vector<double> values = {0};
  for (size_t d = 0; d < dims.size(); ++d) {
    std::vector<double> next;
    for (double outer : values)
      for (const Range &range : localRanges(mesh, placement.dims[d], dims[d], position))
        for (int64_t i = range.begin; i < range.end; ++i)
          next.push_back(outer * static_cast<double>(dims[d]) + static_cast<double>(i));
    values = std::move(next);
  }
  for (double &value : values)
    ++value;
  return values;
}

void checkMove(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
               const std::vector<int64_t> &dims) {
  for (int64_t position = 0; position < target.size(); ++position) {
    int64_t device = target.deviceAt(position);
    Exchange own = planMove(source, from, target, to, dims, device);
    std::vector<double> expected = indicesOf(target, to, dims, position), found(expected.size());
    for (const Transfer &transfer : own.receives) {
      int64_t giver = *positionOf(source, transfer.position);
      std::vector<double> held = indicesOf(source, from, dims, giver);
      std::vector<int64_t> heldDims = localDims(source, from, dims, giver);
      ASSERT_EQ(apply(transfer, held, heldDims, found, own.targetDims), 0);
      // The giver sends the same.
      Exchange other = planMove(source, from, target, to, dims, transfer.position);
      auto sent = std::ranges::find(other.sends, device, &Transfer::position);
      ASSERT_NE(sent, other.sends.end());
      ASSERT_EQ(sent->dims, transfer.dims);
    }
    ASSERT_EQ(found, expected) << toText(source, from) << " -> " << toText(target, to);
  }
}

TEST(ExchangeTest, MovesBetweenMeshesGiveEachElementOnce) {
  Mesh source = {{{"x", 2}, {"y", 2}}}, disjoint = {{{"z", 3}}, {6, 5, 4}},
       overlapping = {{{"z", 3}}, {0, 3, 7}};
  int count = 0;
  for (const Mesh &target : {disjoint, overlapping})
    for (const Placement &from : allPlacements(source, 2, {}))
      for (const Placement &to : allPlacements(target, 2, {})) {
        checkMove(source, from, target, to, {5, 4});
        checkMove(target, to, source, from, {5, 4});
        ++count;
      }
  EXPECT_EQ(count, 66);
}

/// Copies of a shard share the work of sending.
TEST(ExchangeTest, ReplicatedShardsAreSentByDifferentDevices) {
  Mesh source = {{{"x", 2}}}, target = {{{"y", 2}}, {2, 3}};
  Placement whole = {{{}}};
  for (int64_t device : {0, 1}) {
    Exchange exchange = planMove(source, whole, target, whole, std::vector<int64_t>{6}, device);
    ASSERT_EQ(exchange.sends.size(), 1U);
    EXPECT_EQ(exchange.sends[0].position, device + 2);
  }
}

/// Rows on two devices, each twice; two devices take each half. All four devices send.
TEST(ExchangeTest, HoldersOfAPartSendInTurn) {
  Mesh source = {{{"x", 2}, {"y", 2}}}, target = {{{"y", 2}, {"x", 2}}, {4, 5, 6, 7}};
  Placement from = {{{{source.full(0)}}}}, to = {{{{target.full(1)}}}};
  for (int64_t device = 0; device < 4; ++device)
    EXPECT_EQ(planMove(source, from, target, to, std::vector<int64_t>{6}, device).sends.size(), 1U) << device;
}

TEST(ExchangeTest, RootsHaveTheCoordinatesOfTheGroup) {
  Mesh mesh = {{{"x", 4}, {"y", 3}}};
  const AxisRef x = mesh.full(0), y = mesh.full(1), major = {0, 1, 2}, minor = {0, 2, 2};
  const int64_t zero[] = {0}, one[] = {1}, both[] = {3, 2};
  const AxisRef xy[] = {x, y};
  EXPECT_EQ(rootOf(mesh, {&y, 1}, zero, 7), 6);
  EXPECT_EQ(rootOf(mesh, {&x, 1}, one, 8), 5);
  EXPECT_EQ(rootOf(mesh, {&major, 1}, zero, 11), 5); // x = 3 becomes x = 1
  EXPECT_EQ(rootOf(mesh, {&minor, 1}, zero, 11), 8); // x = 2
  EXPECT_EQ(rootOf(mesh, xy, both, 0), 11);
}

TEST(ExchangeTest, InvalidMeshesAndPlacementsAreExplained) {
  Mesh mesh = {{{"x", 4}, {"y", 2}}};
  EXPECT_EQ(invalidity(mesh), "");
  EXPECT_EQ(invalidity(Mesh{{{"x", 0}}}),
            "axis 'x' of the mesh has size 0; expected a positive one, and at most 16777216 devices");
  EXPECT_NE(invalidity(Mesh{{{"x", int64_t(1) << 40}, {"y", int64_t(1) << 40}}}), "");
  EXPECT_EQ(invalidity(Mesh{{{"x", 2}}, {0}}), "the mesh lists 1 devices, expected 2");
  EXPECT_EQ(invalidity(Mesh{{{"x", 2}}, {1, 1}}), "the devices of the mesh are not distinct indices from 0");
  EXPECT_EQ(invalidity(mesh, AxisRef{2, 1, 1}), "the mesh has 2 axes, expected axis 2");
  EXPECT_EQ(invalidity(mesh, AxisRef{0, 1, 3}), "'x:(1)3' is not a sub-axis of an axis of size 4");
  const std::vector<int64_t> dims = {8, 6};
  AxisRef x = mesh.full(0), y = mesh.full(1), major = {0, 1, 2}, minor = {0, 2, 2};
  EXPECT_EQ(invalidity(mesh, {{{{major}}, {{minor, y}}}}, dims), "");
  EXPECT_EQ(invalidity(mesh, {{{{x}, {3, 5}}, {}}}, dims), "");
  EXPECT_EQ(invalidity(mesh, {{{{x}}}}, dims), "the placement has 1 dimensions, the tensor 2");
  EXPECT_EQ(invalidity(mesh, {{{{x}}, {{minor}}}}, dims), "the placement uses axis 'x' twice");
  EXPECT_EQ(invalidity(mesh, {{{{x}}, {}}, {{x, Reduction::Sum}}}, dims),
            "the placement uses axis 'x' twice");
  EXPECT_EQ(invalidity(mesh, {{{{x}, {3, 4}}, {}}}, dims), "the blocks of dimension 0 do not add up to 8");
  EXPECT_EQ(invalidity(mesh, {{{{x}, {3, -3, 8}}, {}}}, dims),
            "the blocks of dimension 0 do not add up to 8");
}

} // namespace
} // namespace proa::spmd
