// mbarriers, bulk copies of tensors and wgmma.
#include "lib/runtime/emulator/TensorMap.h"
#include "proa/Half.h"
#include "test/unit/emulator/EmulatedKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

using namespace proa;
using namespace proa::testing;
using emulator::Swizzle;
using emulator::TensorMap;
using ::testing::HasSubstr;

namespace {

/// Shared memory @s of `bytes` bytes, and the mbarrier @bar.
std::string sharedBytes(int bytes) {
  return "llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<" +
         std::to_string(bytes) +
         " x i8>\n"
         "llvm.mlir.global internal @bar() {addr_space = 3 : i32, alignment = 8 : i64} : i64\n";
}
const std::string addresses =
    "%s = llvm.mlir.addressof @s : !llvm.ptr<3>\n%bar = llvm.mlir.addressof @bar : !llvm.ptr<3>\n"
    "%first = llvm.icmp \"eq\" %tid, %c0 : i32\n%ticks = llvm.mlir.constant(1000 : i32) : i32\n";

std::string init(int count) {
  return constant("%count", count) +
         "nvvm.mbarrier.init %bar, %count, predicate = %first : !llvm.ptr<3>, i32, i1\n"
         "nvvm.fence.mbarrier.init\nnvvm.barrier0\n";
}
std::string expect(int bytes) {
  return constant("%bytes", bytes) +
         "nvvm.mbarrier.arrive.expect_tx %bar, %bytes, predicate = %first : !llvm.ptr<3>, i32, i1\n";
}
/// Between writes to shared memory and reads by bulk copies or wgmma.
const std::string fenceProxy =
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}\n";
const std::string fenceWgmma = "nvvm.wgmma.fence.aligned\n";
const std::string completeWgmma =
    "nvvm.wgmma.commit.group.sync.aligned\nnvvm.wgmma.wait.group.sync.aligned 0\n";
const std::string waitForPhase = "nvvm.mbarrier.try_wait.parity %bar, %c0, %ticks : !llvm.ptr<3>, i32, i32\n";

/// A copy of the box at (`x`, `y`) of the tensor map in `buffer` to `offset` in shared memory by thread 0.
std::string tensorLoad(const std::string &name, const std::string &buffer, int offset, int x, int y) {
  std::string p = "%" + name;
  return constant(p + "_x", x) + constant(p + "_y", y) + p + "_to = llvm.getelementptr %s[" +
         std::to_string(offset) + "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n" + p +
         "_cluster = llvm.addrspacecast " + p +
         "_to : !llvm.ptr<3> to !llvm.ptr<7>\nnvvm.cp.async.bulk.tensor.shared.cluster.global " + p +
         "_cluster, " + buffer + ", %bar, box[" + p + "_x, " + p +
         "_y] predicate = %first : !llvm.ptr<7>, !llvm.ptr\n";
}

/// Stores the i32 at index `%lane64` + `first` of shared memory to a buffer.
std::string dump(const std::string &buffer, int words, int threads) {
  std::string text;
  for (int i = 0; i < words / threads; ++i) {
    std::string p = "%dump" + std::to_string(i);
    text += constant(p + "_k", int64_t(i) * threads, "i64") + p + "_i = llvm.add %lane64, " + p +
            "_k : i64\n" + p + "_from = llvm.getelementptr %s[" + p +
            "_i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32\n" + p + " = llvm.load " + p +
            "_from : !llvm.ptr<3> -> i32\n" + storeAt(p, buffer, "i32", p + "_i");
  }
  return text;
}

template <class T> std::vector<T> counting(size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T(1));
  return values;
}

template <class T>
std::vector<TensorMap> mapOf(std::vector<T> &values, int64_t columns, int64_t rows, int boxColumns,
                             int boxRows, Swizzle swizzle) {
  return {{.base = reinterpret_cast<std::byte *>(values.data()),
           .rank = 2,
           .elementBytes = sizeof(T),
           .dims = {columns, rows},
           .strides = {columns * static_cast<int64_t>(sizeof(T))},
           .box = {boxColumns, boxRows},
           .swizzle = swizzle}};
}

} // namespace

TEST(Mbarrier, PhasesOrderProducersAndConsumers) {
  // Warp 0 writes, arrives; warp 1 waits, then reads.
  std::string body = addresses + init(32) + constant("%c32", 32) +
                     "%own = llvm.getelementptr %s[%lane64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32\n"
                     "%back = llvm.getelementptr %own[-32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32\n"
                     "%is_producer = llvm.icmp \"ult\" %tid, %c32 : i32\n"
                     "llvm.cond_br %is_producer, ^produce, ^consume\n^produce:\n"
                     "llvm.store %tid, %own : i32, !llvm.ptr<3>\n"
                     "%state = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\nllvm.br ^exit\n^consume:\n" +
                     waitForPhase + "%v = llvm.load %back : !llvm.ptr<3> -> i32\n" +
                     storeAt("%v", "%b0", "i32") + "llvm.br ^exit\n^exit:\n";
  EmulatedKernel kernel(warpKernel(1, body, 64, sharedBytes(128)));
  for (emulator::Schedule schedule : allSchedules) {
    std::vector<int32_t> result(64);
    ASSERT_EQ(kernel.run(schedule, {result}), "");
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(result[32 + i], i);
  }
}

TEST(Mbarrier, StatesAndParitiesOfSeveralPhases) {
  // Four phases with all threads: waits by state and by parity, tests of both.
  std::string body = addresses + init(32);
  for (int phase = 0; phase < 4; ++phase) {
    std::string p = std::to_string(phase);
    body += "%state" + p + " = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n";
    if (phase % 2 == 0)
      body += "%done" + p + " = nvvm.mbarrier.test.wait %bar, %state" + p + " : !llvm.ptr<3>, i64 -> i1\n";
    else
      body += "%done" + p + " = nvvm.mbarrier.try_wait %bar, %c1 : !llvm.ptr<3>, i32 -> i1\n";
    body += "%word" + p + " = llvm.zext %done" + p + " : i1 to i32\n" + storeAt("%word" + p, "%b" + p, "i32");
  }
  EmulatedKernel kernel(warpKernel(4, body, 32, sharedBytes(8)));
  for (emulator::Schedule schedule : allSchedules) {
    std::vector<int32_t> a(32), b(32), c(32), d(32), ones(32, 1);
    ASSERT_EQ(kernel.run(schedule, {a, b, c, d}), "");
    for (const auto &result : {a, b, c, d})
      EXPECT_EQ(result, ones);
  }
}

TEST(Mbarrier, WaitsThatNeverEndAreReported) {
  EmulatedKernel kernel(warpKernel(0,
                                   addresses + init(2) +
                                       "nvvm.mbarrier.arrive.expect_tx %bar, %c0, predicate = "
                                       "%first : !llvm.ptr<3>, i32, i1\n" +
                                       waitForPhase,
                                   32, sharedBytes(8)));
  for (emulator::Schedule schedule : allSchedules)
    EXPECT_THAT(
        kernel.run(schedule, {}),
        HasSubstr("threads wait for each other forever: threads 0-31 wait at an mbarrier for the phase of "
                  "parity 0"));
}

TEST(Mbarrier, MisuseIsReported) {
  EmulatedKernel uninitialized(warpKernel(0, addresses + waitForPhase, 32, sharedBytes(8)));
  EXPECT_THAT(uninitialized.run(emulator::Schedule::Forward, {}),
              HasSubstr("thread 0: uses an mbarrier that is not initialized"));
  EmulatedKernel tooMany(warpKernel(0,
                                    addresses + init(1) + constant("%two", 2) +
                                        "%st = nvvm.mbarrier.arrive %bar, %two : !llvm.ptr<3> -> i64\n",
                                    32, sharedBytes(8)));
  EXPECT_THAT(tooMany.run(emulator::Schedule::Forward, {}),
              HasSubstr("arrives 2 times at an mbarrier that waits for 1 arrivals"));
}

TEST(Tensor, LoadsBoxesWithAllSwizzles) {
  constexpr int rows = 16;
  for (Swizzle swizzle : {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128}) {
    int width = swizzle == Swizzle::None ? 48 : static_cast<int>(swizzle), columns = width / 4;
    EmulatedKernel kernel(warpKernel(2,
                                     addresses + init(1) + expect(rows * width) +
                                         tensorLoad("t", "%b0", 0, 3, 2) + waitForPhase +
                                         dump("%b1", rows * columns, 32),
                                     32, sharedBytes(rows * width)));
    std::vector<int32_t> tensor = counting<int32_t>(40 * 20);
    std::vector<TensorMap> map = mapOf(tensor, 40, 20, columns, rows, swizzle);
    for (emulator::Schedule schedule : allSchedules) {
      std::vector<int32_t> result(static_cast<size_t>(rows * columns));
      ASSERT_EQ(kernel.run(schedule, {map, result}), "");
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          // The pattern of the PTX ISA: 16-byte chunks are exchanged in each 128, 256 or 512 bytes of rows.
          int chunk = column / 4;
          chunk ^= swizzle == Swizzle::Bytes128  ? row % 8
                   : swizzle == Swizzle::Bytes64 ? row / 2 % 4
                   : swizzle == Swizzle::Bytes32 ? row / 4 % 2
                                                 : 0;
          int y = row + 2, x = column + 3;
          int32_t expected = x < 40 && y < 20 ? tensor[static_cast<size_t>(y * 40 + x)] : 0;
          EXPECT_EQ(result[static_cast<size_t>(row * columns + chunk * 4 + column % 4)], expected)
              << "row " << row << " column " << column;
        }
    }
  }
}

TEST(Tensor, BoxesOutsideAreZero) {
  EmulatedKernel kernel(warpKernel(2,
                                   addresses + init(1) + expect(128) + tensorLoad("t", "%b0", 0, -2, 3) +
                                       waitForPhase + dump("%b1", 32, 32),
                                   32, sharedBytes(128)));
  std::vector<int32_t> tensor = counting<int32_t>(8 * 5), result(32);
  std::vector<TensorMap> map = mapOf(tensor, 8, 5, 8, 4, Swizzle::None);
  ASSERT_EQ(kernel.run(emulator::Schedule::Forward, {map, result}), "");
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 8; ++column) {
      int x = column - 2, y = row + 3;
      EXPECT_EQ(result[static_cast<size_t>(row * 8 + column)], x >= 0 && y < 5 ? y * 8 + x + 1 : 0);
    }
}

TEST(Tensor, AMissingWaitIsFound) {
  EmulatedKernel kernel(
      warpKernel(2, addresses + init(1) + expect(128) + tensorLoad("t", "%b0", 0, 0, 0) + dump("%b1", 32, 32),
                 32, sharedBytes(128)));
  std::vector<int32_t> tensor = counting<int32_t>(32), result(32);
  std::vector<TensorMap> map = mapOf(tensor, 8, 4, 8, 4, Swizzle::None);
  ASSERT_EQ(kernel.run(emulator::Schedule::Forward, {map, result}), "");
  for (int32_t value : result)
    EXPECT_EQ(value, -1);
}

TEST(Tensor, AWrongNumberOfBytesIsReported) {
  EmulatedKernel kernel(
      warpKernel(1, addresses + init(1) + expect(144) + tensorLoad("t", "%b0", 0, 0, 0) + waitForPhase, 32,
                 sharedBytes(128)));
  std::vector<int32_t> tensor = counting<int32_t>(32);
  std::vector<TensorMap> map = mapOf(tensor, 8, 4, 8, 4, Swizzle::None);
  for (emulator::Schedule schedule : allSchedules)
    EXPECT_THAT(kernel.run(schedule, {map}), HasSubstr("wait at an mbarrier for the phase of parity 0"));
}

TEST(Tensor, StoresBoxesAndBytes) {
  std::string body =
      addresses +
      "%own = llvm.getelementptr %s[%lane64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32\n"
      "llvm.store %tid, %own : i32, !llvm.ptr<3>\n" +
      fenceProxy + "nvvm.barrier0\n" + constant("%x", 4) + constant("%y", 1) + constant("%size", 64) +
      "nvvm.cp.async.bulk.tensor.global.shared.cta %b0, %s, box[%x, %y], predicate = %first : !llvm.ptr, "
      "!llvm.ptr<3>\n%out = llvm.addrspacecast %b1 : !llvm.ptr to !llvm.ptr<1>\n"
      "nvvm.cp.async.bulk.global.shared.cta %out, %s, %size : !llvm.ptr<1>, !llvm.ptr<3>\n"
      "nvvm.cp.async.bulk.commit.group\nnvvm.cp.async.bulk.wait_group 0\n";
  EmulatedKernel kernel(warpKernel(2, body, 32, sharedBytes(128)));
  std::vector<int32_t> tensor(8 * 4, -7), bytes(16);
  std::vector<TensorMap> map = mapOf(tensor, 8, 4, 8, 4, Swizzle::None);
  ASSERT_EQ(kernel.run(emulator::Schedule::Random, {map, bytes}), "");
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 8; ++x)
      EXPECT_EQ(tensor[static_cast<size_t>(y * 8 + x)], x >= 4 && y >= 1 ? (y - 1) * 8 + x - 4 : -7);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(bytes[static_cast<size_t>(i)], i);
}

TEST(Tensor, StoresOfBytesWithoutAFenceAreReported) {
  auto kernel = [](const std::string &beforeBarrier, const std::string &afterBarrier) {
    return EmulatedKernel(
        warpKernel(1,
                   addresses +
                       "%own = llvm.getelementptr %s[%lane64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32\n"
                       "llvm.store %tid, %own : i32, !llvm.ptr<3>\n" +
                       beforeBarrier + "nvvm.barrier0\n" + afterBarrier + constant("%size", 64) +
                       "%out = llvm.addrspacecast %b0 : !llvm.ptr to !llvm.ptr<1>\n"
                       "nvvm.cp.async.bulk.global.shared.cta %out, %s, %size : !llvm.ptr<1>, !llvm.ptr<3>\n"
                       "nvvm.cp.async.bulk.commit.group\nnvvm.cp.async.bulk.wait_group 0\n",
                   32, sharedBytes(128)));
  };
  EmulatedKernel none = kernel("", ""), ofWriter = kernel(fenceProxy, ""), ofReader = kernel("", fenceProxy);
  std::vector<int32_t> bytes(16);
  for (emulator::Schedule schedule : allSchedules) {
    EXPECT_THAT(none.run(schedule, {bytes}), HasSubstr("wrote before, with no fence.proxy.async in between"));
    EXPECT_EQ(ofWriter.run(schedule, {bytes}), "");
    EXPECT_EQ(ofReader.run(schedule, {bytes}), "");
  }
}

TEST(Tensor, AFenceBeforeTheWriteDoesNotOrderIt) {
  EmulatedKernel kernel(warpKernel(1,
                                   addresses + init(1) + fenceProxy +
                                       "llvm.store %tid, %s : i32, !llvm.ptr<3>\nnvvm.barrier0\n" +
                                       expect(128) + tensorLoad("t", "%b0", 0, 0, 0) + waitForPhase,
                                   32, sharedBytes(128)));
  std::vector<int32_t> tensor = counting<int32_t>(32);
  std::vector<TensorMap> map = mapOf(tensor, 8, 4, 8, 4, Swizzle::None);
  for (emulator::Schedule schedule : allSchedules)
    EXPECT_THAT(kernel.run(schedule, {map}),
                HasSubstr("writes offset 0 of shared memory by the async proxy"));
}

TEST(Tensor, LoadsBytes) {
  std::string body =
      addresses + init(32) + constant("%size", 16) + constant("%c4", 4, "i64") +
      "%word = llvm.mul %lane64, %c4 : i64\n"
      "%to = llvm.getelementptr %s[%word] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32\n"
      "%toCluster = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>\n"
      "%from = llvm.getelementptr %b0[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i32\n"
      "%global = llvm.addrspacecast %from : !llvm.ptr to !llvm.ptr<1>\n"
      "nvvm.mbarrier.expect_tx %bar, %size : !llvm.ptr<3>, i32\n"
      "nvvm.cp.async.bulk.shared.cluster.global %toCluster, %global, %bar, %size : !llvm.ptr<7>, "
      "!llvm.ptr<1>\n%st = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n" +
      waitForPhase + dump("%b1", 128, 32);
  EmulatedKernel kernel(warpKernel(2, body, 32, sharedBytes(512)));
  for (emulator::Schedule schedule : allSchedules) {
    std::vector<int32_t> input = counting<int32_t>(128), output(128);
    ASSERT_EQ(kernel.run(schedule, {input, output}), "");
    EXPECT_EQ(output, input);
  }
}

namespace {

/// Element types of wgmma: some values and their bytes.
struct Type {
  std::string name;
  size_t bytes;
  int k;
  std::function<std::pair<double, uint32_t>(int)> value; ///< the i-th value and its bits
};

std::pair<double, uint32_t> chosen(int i, std::initializer_list<std::pair<double, uint32_t>> values) {
  return values.begin()[i % static_cast<int>(values.size())];
}

const Type types[] = {{"f16", 2, 16,
                       [](int i) {
                         float value = static_cast<float>(i * 7 % 23 - 11) / 8;
                         return std::pair<double, uint32_t>(value, Float16(value).bits);
                       }},
                      {"bf16", 2, 16,
                       [](int i) {
                         float value = static_cast<float>(i * 5 % 19 - 9) / 4;
                         return std::pair<double, uint32_t>(value, BFloat16(value).bits);
                       }},
                      {"tf32", 4, 8,
                       [](int i) {
                         float value = static_cast<float>(i * 11 % 37 - 18) / 16;
                         return std::pair<double, uint32_t>(value, std::bit_cast<uint32_t>(value) |
                                                                       0x1000); // low bits are ignored
                       }},
                      {"s8", 1, 32,
                       [](int i) {
                         int value = i * 13 % 256 - 128;
                         return std::pair<double, uint32_t>(value, static_cast<uint8_t>(value));
                       }},
                      {"u8", 1, 32,
                       [](int i) {
                         int value = i * 13 % 256;
                         return std::pair<double, uint32_t>(value, static_cast<uint8_t>(value));
                       }},
                      {"e4m3", 1, 32,
                       [](int i) {
                         return chosen(i, {{1, 0x38},
                                           {2, 0x40},
                                           {1.5, 0x3c},
                                           {-1, 0xb8},
                                           {0.5, 0x30},
                                           {448, 0x7e},
                                           {0x1p-9, 0x01},
                                           {0, 0x80},
                                           {-4, 0xc8}});
                       }},
                      {"e5m2", 1, 32, [](int i) {
                         return chosen(i, {{1, 0x3c},
                                           {2, 0x40},
                                           {1.5, 0x3e},
                                           {-1, 0xbc},
                                           {0.5, 0x38},
                                           {57344, 0x7b},
                                           {0x1p-16, 0x01},
                                           {0, 0x80},
                                           {-4, 0xc4}});
                       }}};

/// A matrix operand in shared memory: `outer` rows (of A, or columns of B) and one step of k.
struct Operand {
  std::vector<double> values;    ///< [outer][k]
  std::vector<std::byte> memory; ///< as it is in shared memory
  uint64_t fields = 0;           ///< of the descriptor, but for the start
};

uint64_t fieldsOf(int leading, int stride, Swizzle swizzle) {
  uint64_t mode = swizzle == Swizzle::Bytes128  ? 1
                  : swizzle == Swizzle::Bytes64 ? 2
                  : swizzle == Swizzle::Bytes32 ? 3
                                                : 0;
  return static_cast<uint64_t>(leading >> 4) << 16 | static_cast<uint64_t>(stride >> 4) << 32 | mode << 62;
}

/// Chunk `chunk` (16 bytes) of row `row` of rows of `width` bytes, in the pattern of a swizzle of `width`
/// bytes.
int chunkOffset(int row, int chunk, int width) {
  int pattern = width == 128 ? row % 8 : width == 64 ? row / 2 % 4 : width == 32 ? row / 4 % 2 : 0;
  return row * width + (chunk ^ pattern) * 16;
}

Operand makeOperand(const Type &type, int outer, Swizzle swizzle, bool isTransposed, int seed) {
  Operand operand;
  int width = static_cast<int>(swizzle), bytes = static_cast<int>(type.bytes);
  std::function<int(int, int)> offsetOf;
  if (!isTransposed && swizzle == Swizzle::None) {
    // Core matrices of 8 rows of 16 bytes: the two along k follow each other.
    operand.fields = fieldsOf(128, 256, swizzle);
    offsetOf = [=](int o, int k) { return o / 8 * 256 + k * bytes / 16 * 128 + o % 8 * 16 + k * bytes % 16; };
    operand.memory.resize(static_cast<size_t>(outer * 32));
  } else if (!isTransposed) {
    // Rows of `width` bytes along k.
    operand.fields = fieldsOf(16, 8 * width, swizzle);
    offsetOf = [=](int o, int k) { return chunkOffset(o, k * bytes / 16, width) + k * bytes % 16; };
    operand.memory.resize(static_cast<size_t>(outer * width));
  } else if (swizzle == Swizzle::None) {
    // Core matrices of 8 steps of k by 16 bytes along the other dimension: those along k follow each other.
    operand.fields = fieldsOf(128, 256, swizzle);
    offsetOf = [=](int o, int k) { return o * bytes / 16 * 256 + k / 8 * 128 + k % 8 * 16 + o * bytes % 16; };
    operand.memory.resize(static_cast<size_t>(outer * bytes * type.k));
  } else {
    // Slabs of `width` bytes along the other dimension; in each, rows along k.
    int slab = type.k * width;
    operand.fields = fieldsOf(slab, 8 * width, swizzle);
    offsetOf = [=](int o, int k) {
      int along = o * bytes;
      return along / width * slab + chunkOffset(k, along % width / 16, width) + along % 16;
    };
    operand.memory.resize(static_cast<size_t>(outer * bytes * type.k));
  }
  for (int o = 0; o < outer; ++o)
    for (int k = 0; k < type.k; ++k) {
      auto [value, bits] = type.value(o * 31 + k * 3 + seed);
      operand.values.push_back(value);
      std::memcpy(&operand.memory[static_cast<size_t>(offsetOf(o, k))], &bits, type.bytes);
    }
  return operand;
}

/// Copies %b0 to shared memory, and multiplies by the descriptors in %b1.
std::string wgmmaKernel(const Type &a, const Type &b, const std::string &d, int n, size_t words,
                        bool isATransposed, bool isBTransposed, const std::string &scales = "one one one") {
  int registers = d == "f16" ? n / 4 : n / 2;
  std::string type = d == "s32" || d == "f16" ? "i32" : "f32", result = "!llvm.struct<(", body = addresses,
              tail;
  for (int i = 0; i < registers; ++i)
    result += (i ? ", " : "") + type;
  result += ")>";
  for (size_t i = 0; i < words / 128; ++i) {
    std::string p = "%in" + std::to_string(i);
    body += constant(p + "_k", static_cast<int64_t>(i) * 128, "i64") + p + "_i = llvm.add %lane64, " + p +
            "_k : i64\n" + loadAt(p, "%b0", "i32", p + "_i") + p + "_to = llvm.getelementptr %s[" + p +
            "_i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32\nllvm.store " + p + ", " + p +
            "_to : i32, !llvm.ptr<3>\n";
  }
  std::string scaleD = scales.substr(0, scales.find(' ')), rest = scales.substr(scales.find(' ') + 1),
              scaleA = rest.substr(0, rest.find(' ')), scaleB = rest.substr(rest.find(' ') + 1);
  body += fenceProxy + "nvvm.barrier0\n" + constant("%zero64", 0, "i64") + constant("%one64", 1, "i64") +
          loadAt("%da", "%b1", "i64", "%zero64") + loadAt("%db", "%b1", "i64", "%one64") +
          constant("%registers", registers, "i64") +
          "%base = llvm.mul %lane64, %registers : i64\n%start0 = llvm.mlir.zero : " + result + "\n";
  for (int i = 0; i < registers; ++i) {
    std::string p = "%c_" + std::to_string(i), r = "%r_" + std::to_string(i);
    body += constant(p + "k", i, "i64") + p + "i = llvm.add %base, " + p + "k : i64\n" +
            loadAt(p, "%b2", type, p + "i") + "%start" + std::to_string(i + 1) + " = llvm.insertvalue " + p +
            ", %start" + std::to_string(i) + "[" + std::to_string(i) + "] : " + result + "\n";
    tail += r + " = llvm.extractvalue %r[" + std::to_string(i) + "] : " + result + "\n" +
            storeAt(r, "%b3", type, p + "i");
  }
  return body + fenceWgmma + "%r = nvvm.wgmma.mma_async %da, %db, %start" + std::to_string(registers) +
         ", <m = 64, n = " + std::to_string(n) + ", k = " + std::to_string(a.k) + ">, D [<" + d + ">, <" +
         scaleD + ">], A [<" + a.name + ">, <" + scaleA + ">, <" + (isATransposed ? "col" : "row") +
         ">], B [<" + b.name + ">, <" + scaleB + ">, <" + (isBTransposed ? "row" : "col") + ">] : " + result +
         " -> " + result + "\n" + completeWgmma + tail;
}

void checkWgmma(const Type &a, const Type &b, const std::string &d, int n, Swizzle swizzle,
                bool isATransposed, bool isBTransposed, double tolerance) {
  Operand left = makeOperand(a, 64, swizzle, isATransposed, 1),
          right = makeOperand(b, n, swizzle, isBTransposed, 2);
  // The second matrix begins at a multiple of 1024 bytes.
  size_t offset = (left.memory.size() + 1023) / 1024 * 1024,
         total = (offset + right.memory.size() + 1023) / 1024 * 1024;
  std::vector<std::byte> memory(total);
  std::memcpy(memory.data(), left.memory.data(), left.memory.size());
  std::memcpy(memory.data() + offset, right.memory.data(), right.memory.size());
  std::vector<uint64_t> descriptors{left.fields, right.fields | offset >> 4};
  EmulatedKernel kernel(warpKernel(4, wgmmaKernel(a, b, d, n, total / 4, isATransposed, isBTransposed), 128,
                                   sharedBytes(static_cast<int>(total))));
  size_t count = static_cast<size_t>(128 * n / 2);
  auto run = [&](auto start) {
    using T = typename decltype(start)::value_type;
    for (size_t i = 0; i < count; ++i)
      start[i] = T(static_cast<float>(static_cast<int>(i % 7) - 3));
    std::vector<T> result(count);
    ASSERT_EQ(kernel.run(emulator::Schedule::Random, {memory, descriptors, start, result}), "");
    for (int thread = 0; thread < 128; ++thread)
      for (int i = 0; i < n / 2; ++i) {
        int row = 16 * (thread / 32) + thread % 32 / 4 + 8 * (i / 2 % 2),
            column = 8 * (i / 4) + thread % 4 * 2 + i % 2;
        auto index = static_cast<size_t>(thread * n / 2 + i);
        double expected = static_cast<float>(start[index]);
        for (int k = 0; k < a.k; ++k)
          expected += left.values[static_cast<size_t>(row * a.k + k)] *
                      right.values[static_cast<size_t>(column * b.k + k)];
        EXPECT_NEAR(static_cast<double>(static_cast<float>(result[index])), expected,
                    tolerance * (1 + std::abs(expected)))
            << a.name << " thread " << thread << " element " << i;
      }
  };
  if (d == "s32")
    run(std::vector<int32_t>(count));
  else if (d == "f16")
    run(std::vector<Float16>(count));
  else
    run(std::vector<float>(count));
}

} // namespace

TEST(Wgmma, TypesOfElements) {
  for (const Type &type : types) {
    bool isInteger = type.name == "s8" || type.name == "u8";
    checkWgmma(type, type, isInteger ? "s32" : "f32", 16, Swizzle::Bytes128, false, false, 1e-6);
  }
  checkWgmma(types[0], types[0], "f16", 8, Swizzle::Bytes128, false, false, 1e-3);
  checkWgmma(types[3], types[4], "s32", 8, Swizzle::Bytes128, false, false, 0);
  checkWgmma(types[5], types[6], "f32", 8, Swizzle::Bytes128, false, false, 1e-6);
}

TEST(Wgmma, LayoutsOfMatrices) {
  for (Swizzle swizzle : {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128})
    for (bool isATransposed : {false, true})
      for (bool isBTransposed : {false, true})
        checkWgmma(types[0], types[0], "f32", 128, swizzle, isATransposed, isBTransposed, 1e-6);
}

TEST(Wgmma, AWarpThatSkipsOneIsReported) {
  std::string result = "!llvm.struct<(f32, f32, f32, f32)>";
  EmulatedKernel kernel(warpKernel(
      1,
      constant("%c96", 96) + constant("%d", 0, "i64") + "%start = llvm.mlir.zero : " + result + "\n" +
          addresses + "%in = llvm.icmp \"ult\" %tid, %c96 : i32\nllvm.cond_br %in, ^then, ^exit\n^then:\n" +
          fenceWgmma +
          "%r = nvvm.wgmma.mma_async %d, %d, %start, <m = 64, n = 8, k = 16>, D [<f32>, <zero>], "
          "A [<f16>, <one>, "
          "<row>], B [<f16>, <one>, <col>] : " +
          result + " -> " + result + "\n" + completeWgmma + "%x = llvm.extractvalue %r[0] : " + result +
          "\n" + storeAt("%x", "%b0", "f32") + "llvm.br ^exit\n^exit:\n",
      128, sharedBytes(4096)));
  std::vector<float> output(128);
  EXPECT_THAT(kernel.run(emulator::Schedule::Forward, {output}),
              HasSubstr("block 0: warp 0 executed 1 wgmma and warp 3 of the same warpgroup 0"));
}

namespace {

/// The kernel of wgmmaKernel for 16-bit floats after a change of its text, which is reported in all
/// schedules.
void expectWgmmaFault(const std::string &text, const std::string &replacement, const std::string &message) {
  std::string kernel = wgmmaKernel(types[0], types[0], "f32", 8, 768, false, false);
  size_t position = kernel.find(text);
  ASSERT_NE(position, std::string::npos);
  kernel.replace(position, text.size(), replacement);
  EmulatedKernel emulated(warpKernel(4, kernel, 128, sharedBytes(3072)));
  Operand left = makeOperand(types[0], 64, Swizzle::Bytes32, false, 1),
          right = makeOperand(types[0], 8, Swizzle::Bytes32, false, 2);
  std::vector<std::byte> memory(3072);
  std::vector<uint64_t> descriptors{left.fields, right.fields | 2048 >> 4};
  std::vector<float> start(512), result(512);
  for (emulator::Schedule schedule : allSchedules)
    EXPECT_THAT(emulated.run(schedule, {memory, descriptors, start, result}), HasSubstr(message));
}

} // namespace

TEST(Wgmma, MatricesWithoutAFenceAreReported) {
  expectWgmmaFault(fenceProxy, "", "wrote before, with no fence.proxy.async in between");
}

TEST(Wgmma, MatricesThatAreWrittenBeforeTheWaitAreReported) {
  std::string store = "llvm.store %in0, %in0_to : i32, !llvm.ptr<3>\n";
  expectWgmmaFault(completeWgmma, store + fenceProxy + completeWgmma, "reads until its wgmma.wait_group");
}

TEST(Wgmma, AWaitForOlderGroupsIsNotEnough) {
  std::string commit = "nvvm.wgmma.commit.group.sync.aligned\n";
  expectWgmmaFault(completeWgmma, commit + "nvvm.wgmma.wait.group.sync.aligned 1\n",
                   "reads the result of a wgmma before wgmma.wait_group completes its group");
}

TEST(Wgmma, PendingReadsEndWithTheirBlock) {
  std::string commit = "nvvm.wgmma.commit.group.sync.aligned\n";
  expectWgmmaFault(completeWgmma, commit, "reads the result of a wgmma before wgmma.wait_group");
  // A block of one warp after blocks of four, whose last wgmma nobody has waited for.
  EmulatedKernel kernel(
      warpKernel(1, addresses + init(1) + expect(128) + tensorLoad("t", "%b0", 2048, 0, 0) + waitForPhase, 32,
                 sharedBytes(3072)));
  std::vector<int32_t> tensor = counting<int32_t>(32);
  std::vector<TensorMap> map = mapOf(tensor, 8, 4, 8, 4, Swizzle::None);
  for (emulator::Schedule schedule : allSchedules)
    EXPECT_EQ(kernel.run(schedule, {map}), "");
}

TEST(Wgmma, ScalesOfOperands) {
  Operand left = makeOperand(types[0], 64, Swizzle::Bytes32, false, 1),
          right = makeOperand(types[0], 8, Swizzle::Bytes32, false, 2);
  std::vector<std::byte> memory(3072);
  std::memcpy(memory.data(), left.memory.data(), left.memory.size());
  std::memcpy(memory.data() + 2048, right.memory.data(), right.memory.size());
  std::vector<uint64_t> descriptors{left.fields, right.fields | 2048 >> 4};
  std::vector<float> start(512, 5);
  auto resultOf = [&](const std::string &scales) {
    EmulatedKernel kernel(warpKernel(4, wgmmaKernel(types[0], types[0], "f32", 8, 768, false, false, scales),
                                     128, sharedBytes(3072)));
    std::vector<float> result(512);
    EXPECT_EQ(kernel.run(emulator::Schedule::Forward, {memory, descriptors, start, result}), "");
    return result;
  };
  std::vector<float> plain = resultOf("zero one one"), added = resultOf("one one one"),
                     negated = resultOf("zero neg one"), twice = resultOf("zero neg neg");
  for (size_t i = 0; i < 512; ++i) {
    EXPECT_FLOAT_EQ(added[i], plain[i] + 5);
    EXPECT_FLOAT_EQ(negated[i], -plain[i]);
    EXPECT_FLOAT_EQ(twice[i], plain[i]);
  }
}

namespace {

/// C = A * B, 64 by 64 by 64, with both operands by the tensor memory accelerator.
std::string tileOfGemm(const std::string &waiting) {
  std::string result = "!llvm.struct<(f32", body, tail;
  for (int i = 1; i < 32; ++i)
    result += ", f32";
  result += ")>";
  body = addresses + init(1) + expect(16384) + tensorLoad("a", "%b0", 0, 0, 0) +
         tensorLoad("b", "%b1", 8192, 0, 0) + waiting + fenceWgmma + "%r0 = llvm.mlir.zero : " + result +
         "\n" + constant("%rest", 32, "i64") + "%base = llvm.mul %lane64, %rest : i64\n";
  // A: rows of 128 bytes along k, so a step of k is 32 bytes. B: rows of 128 bytes along n, a step is 16
  // rows.
  for (int step = 0; step < 4; ++step) {
    std::string p = std::to_string(step), next = std::to_string(step + 1);
    uint64_t a = fieldsOf(16, 1024, Swizzle::Bytes128) | static_cast<uint64_t>(step * 32) >> 4,
             b = fieldsOf(8192, 1024, Swizzle::Bytes128) | static_cast<uint64_t>(8192 + step * 2048) >> 4;
    body += constant("%da" + p, static_cast<int64_t>(a), "i64") +
            constant("%db" + p, static_cast<int64_t>(b), "i64") + "%r" + next +
            " = nvvm.wgmma.mma_async %da" + p + ", %db" + p + ", %r" + p +
            ", <m = 64, n = 64, k = 16>, D [<f32>, <" + (step ? "one" : "zero") +
            ">], A [<f16>, <one>, <row>], B [<f16>, <one>, <row>] : " + result + " -> " + result + "\n";
  }
  body += completeWgmma;
  for (int i = 0; i < 32; ++i) {
    std::string p = "%v" + std::to_string(i);
    body += p + " = llvm.extractvalue %r4[" + std::to_string(i) + "] : " + result + "\n" +
            constant(p + "k", i, "i64") + p + "i = llvm.add %base, " + p + "k : i64\n" +
            storeAt(p, "%b2", "f32", p + "i");
  }
  return warpKernel(3, body, 128, sharedBytes(16384));
}

double errorOfGemm(const EmulatedKernel &kernel, emulator::Schedule schedule) {
  std::vector<Float16> a, b;
  for (int i = 0; i < 4096; ++i) {
    a.emplace_back(std::sin(static_cast<float>(i) * 0.3f));
    b.emplace_back(std::cos(static_cast<float>(i) * 0.17f));
  }
  std::vector<TensorMap> mapA = mapOf(a, 64, 64, 64, 64, Swizzle::Bytes128),
                         mapB = mapOf(b, 64, 64, 64, 64, Swizzle::Bytes128);
  std::vector<float> c(4096);
  EXPECT_EQ(kernel.run(schedule, {mapA, mapB, c}), "");
  double error = 0;
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < 32; ++i) {
      int row = 16 * (thread / 32) + thread % 32 / 4 + 8 * (i / 2 % 2),
          column = 8 * (i / 4) + thread % 4 * 2 + i % 2;
      double expected = 0;
      for (int k = 0; k < 64; ++k)
        expected += static_cast<double>(static_cast<float>(a[static_cast<size_t>(row * 64 + k)])) *
                    static_cast<double>(static_cast<float>(b[static_cast<size_t>(k * 64 + column)]));
      double difference = std::abs(expected - c[static_cast<size_t>(thread * 32 + i)]);
      error = std::isnan(difference) ? INFINITY : std::max(error, difference);
    }
  return error;
}

} // namespace

TEST(Wgmma, TileOfAMatmulByTensorCopies) {
  EmulatedKernel kernel(tileOfGemm(waitForPhase));
  for (emulator::Schedule schedule : allSchedules)
    EXPECT_LT(errorOfGemm(kernel, schedule), 1e-5);
  // Without the wait the copies are not there in the schedules that carry them out late.
  EmulatedKernel missing(tileOfGemm(""));
  EXPECT_GT(errorOfGemm(missing, emulator::Schedule::Forward), 1);
}
