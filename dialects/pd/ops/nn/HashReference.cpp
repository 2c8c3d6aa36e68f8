//! Reference kernels of hashes.
#include "dialects/pd/ops/nn/Hash.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <array>
#include <bit>
#include <cstdlib>

using namespace mlir;

namespace proa::pd {
namespace {

/// xxHash64, by its specification.
uint64_t hashOf(llvm::ArrayRef<uint8_t> bytes, uint64_t seed) {
  constexpr uint64_t p1 = 0x9E3779B185EBCA87ULL, p2 = 0xC2B2AE3D27D4EB4FULL, p3 = 0x165667B19E3779F9ULL,
                     p4 = 0x85EBCA77C2B2AE63ULL, p5 = 0x27D4EB2F165667C5ULL;
  auto round = [](uint64_t accumulator, uint64_t lane) {
    return std::rotl(accumulator + lane * p2, 31) * p1;
  };
  auto take = [&](size_t count) {
    uint64_t out = 0;
    for (size_t i = 0; i < count; ++i)
      out |= uint64_t(bytes[i]) << (8 * i);
    bytes = bytes.drop_front(count);
    return out;
  };
  uint64_t length = bytes.size(), hash = seed + p5;
  if (length >= 32) {
    std::array<uint64_t, 4> lanes{seed + p1 + p2, seed + p2, seed, seed - p1};
    while (bytes.size() >= 32)
      for (uint64_t &lane : lanes)
        lane = round(lane, take(8));
    hash =
        std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
    for (uint64_t lane : lanes)
      hash = (hash ^ round(0, lane)) * p1 + p4;
  }
  hash += length;
  while (bytes.size() >= 8)
    hash = std::rotl(hash ^ round(0, take(8)), 27) * p1 + p4;
  if (bytes.size() >= 4)
    hash = std::rotl(hash ^ (take(4) * p1), 23) * p2 + p3;
  while (!bytes.empty())
    hash = std::rotl(hash ^ (take(1) * p5), 11) * p1;
  hash = (hash ^ (hash >> 33)) * p2;
  hash = (hash ^ (hash >> 29)) * p3;
  return hash ^ (hash >> 32);
}

/// xxHash32, by its specification.
uint32_t shortHashOf(llvm::ArrayRef<uint8_t> bytes, uint32_t seed) {
  constexpr uint32_t p1 = 0x9E3779B1, p2 = 0x85EBCA77, p3 = 0xC2B2AE3D, p4 = 0x27D4EB2F, p5 = 0x165667B1;
  auto take = [&](size_t count) {
    uint32_t out = 0;
    for (size_t i = 0; i < count; ++i)
      out |= uint32_t(bytes[i]) << (8 * i);
    bytes = bytes.drop_front(count);
    return out;
  };
  auto length = static_cast<uint32_t>(bytes.size());
  uint32_t hash = seed + p5;
  if (length >= 16) {
    std::array<uint32_t, 4> lanes{seed + p1 + p2, seed + p2, seed, seed - p1};
    while (bytes.size() >= 16)
      for (uint32_t &lane : lanes)
        lane = std::rotl(lane + take(4) * p2, 13) * p1;
    hash =
        std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
  }
  hash += length;
  while (bytes.size() >= 4)
    hash = std::rotl(hash + take(4) * p3, 17) * p4;
  while (!bytes.empty())
    hash = std::rotl(hash + take(1) * p5, 11) * p1;
  hash = (hash ^ (hash >> 15)) * p2;
  hash = (hash ^ (hash >> 13)) * p3;
  return hash ^ (hash >> 16);
}

/// The row of a run of ids.
LogicalResult addRun(PyramidHashOp op, llvm::ArrayRef<float> ids, const Tensor &weights,
                     std::vector<double> &rows) {
  auto length = static_cast<int64_t>(op.getRandLen());
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(ids.data()), ids.size() * sizeof(float));
  for (int64_t j = 0; j < static_cast<int64_t>(op.getNumEmb()); j += length) {
    auto from = static_cast<int64_t>(shortHashOf(bytes, static_cast<uint32_t>(j)) %
                                     static_cast<uint64_t>(op.getSpaceLen()));
    if (from + length > weights.size())
      return failure();
    for (int64_t k = 0; k < length; ++k)
      rows.push_back(realAt(weights, from + k));
  }
  return success();
}

} // namespace

LogicalResult HashOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                       RandomState *) {
  int64_t rows = operands[0].dims()[0];
  size_t width = operands[0].bytes() / static_cast<size_t>(std::max<int64_t>(1, rows));
  std::vector<int64_t> out;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t seed = 0; seed < static_cast<int64_t>(getNumHash()); ++seed)
      out.push_back(
          static_cast<int64_t>(hashOf({operands[0].as<uint8_t>() + static_cast<size_t>(row) * width, width},
                                      static_cast<uint64_t>(seed)) %
                               static_cast<uint64_t>(getModBy())));
  results[0] = vectorOf(results[0].dtype(), out).reshaped({rows, static_cast<int64_t>(getNumHash()), 1});
  return success();
}

LogicalResult PyramidHashOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                              llvm::MutableArrayRef<Tensor> results, RandomState *) {
  std::vector<int64_t> ids = integersOf(operands[0]), offsets = integersOf(operands[2]), stays, rowEnds{0},
                       stayEnds{0};
  std::vector<float> numbers(ids.begin(), ids.end());
  auto width = static_cast<int64_t>(getNumEmb()), layers = static_cast<int64_t>(getPyramidLayer());
  auto rate = static_cast<float>(getDropOutPercent().convertToDouble());
  bool isTraining = getIsTraining() != 0;
  auto state = static_cast<unsigned>(getSeed());
  std::vector<double> rows;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    size_t before = rows.size();
    for (int64_t run = 2; run <= std::min(layers, offsets[i + 1] - offsets[i]); ++run)
      for (int64_t first = offsets[i]; first + run <= offsets[i + 1]; ++first) {
        stays.push_back(!isTraining ||
                        !(static_cast<float>(rand_r(&state)) / static_cast<float>(RAND_MAX) < rate));
        if (stays.back() &&
            failed(addRun(*this,
                          llvm::ArrayRef(numbers).slice(static_cast<size_t>(first), static_cast<size_t>(run)),
                          operands[1], rows)))
          return failure();
      }
    auto count = static_cast<int64_t>(rows.size() - before) / width;
    rows.resize(before + static_cast<size_t>(std::max<int64_t>(1, count) * width));
    rowEnds.push_back(static_cast<int64_t>(rows.size()) / width);
    stayEnds.push_back(stayEnds.back() + count);
  }
  stays.resize(ids.size() * static_cast<size_t>(layers));
  results[0] = Tensor(results[0].dtype(), {rowEnds.back(), width});
  for (auto [i, element] : llvm::enumerate(rows))
    setReal(results[0], static_cast<int64_t>(i), isTraining ? element : element * static_cast<double>(rate));
  results[1] = vectorOf(results[1].dtype(), stays).reshaped({static_cast<int64_t>(stays.size()), 1});
  results[2] = Tensor(results[2].dtype(), operands[0].dims());
  for (auto [i, index] : llvm::enumerate(numbers))
    setReal(results[2], static_cast<int64_t>(i), static_cast<double>(index));
  results[3] = vectorOf(results[3].dtype(), rowEnds);
  results[4] = vectorOf(results[4].dtype(), stayEnds);
  return success();
}

} // namespace proa::pd
