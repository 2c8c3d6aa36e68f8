// ldmatrix, stmatrix and mma.sync, with the fragments that the PTX ISA tabulates for each shape.
#include "proa/Half.h"
#include "test/unit/emulator/EmulatedKernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

using namespace proa;
using namespace proa::testing;

namespace {

struct Position {
  int row, column;
};

/// Where element i of the fragment of a lane is in the matrix.
using Fragment = std::function<Position(int group, int thread, int i)>;

struct Format {
  std::string name, registerType; ///< of nvvm.mma_type, and of the operands
  int bytes;
  std::function<void(void *, double)> encode;
  std::function<double(const void *)> decode;
};

template <class T> Format formatOf(const std::string &name, const std::string &registerType) {
  return {name, registerType, sizeof(T),
          [](void *to, double value) {
            T element = static_cast<T>(
                static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value));
            std::memcpy(to, &element, sizeof(T));
          },
          [](const void *from) {
            T element;
            std::memcpy(&element, from, sizeof(T));
            if constexpr (std::is_arithmetic_v<T>)
              return static_cast<double>(element);
            else
              return static_cast<double>(static_cast<float>(element));
          }};
}

const Format half = formatOf<Float16>("f16", "vector<2xf16>"), brain = formatOf<BFloat16>("bf16", "i32"),
             tensorFloat = formatOf<float>("tf32", "i32"), single = formatOf<float>("f32", "f32"),
             wide = formatOf<double>("f64", "f64"), signedByte = formatOf<int8_t>("s8", "i32"),
             unsignedByte = formatOf<uint8_t>("u8", "i32"), integer = formatOf<int32_t>("s32", "i32");

struct MmaCase {
  int m, k;
  Format a, b, accumulator;
  int countA, countB, countC; ///< elements of a lane
  Fragment fragmentA, fragmentB, fragmentC;
  std::string overflow;
};

Position rowPairs(int group, int thread, int i) { return {i < 2 ? group : group + 8, thread * 2 + (i & 1)}; }
Position oneRow(int group, int thread, int i) { return {group, thread * 2 + (i & 1)}; }

MmaCase k16OfHalves(const Format &type, const Format &accumulator) {
  return {16,
          16,
          type,
          type,
          accumulator,
          8,
          4,
          4,
          [](int g, int t, int i) {
            return Position{(0 <= i && i < 2) || (4 <= i && i < 6) ? g : g + 8,
                            i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
          },
          [](int g, int t, int i) { return Position{i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g}; },
          rowPairs,
          ""};
}

MmaCase k8OfHalves(const Format &type, const Format &accumulator) {
  return {16,
          8,
          type,
          type,
          accumulator,
          4,
          2,
          4,
          [](int g, int t, int i) { return Position{i < 2 ? g : g + 8, t * 2 + (i & 1)}; },
          [](int g, int t, int i) { return Position{t * 2 + (i & 1), g}; },
          rowPairs,
          ""};
}

MmaCase k8OfTensorFloats() {
  return {16,
          8,
          tensorFloat,
          tensorFloat,
          single,
          4,
          2,
          4,
          [](int g, int t, int i) { return Position{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4}; },
          [](int g, int t, int i) { return Position{i == 0 ? t : t + 4, g}; },
          rowPairs,
          ""};
}

MmaCase k4OfTensorFloats() {
  return {16,
          4,
          tensorFloat,
          tensorFloat,
          single,
          2,
          1,
          4,
          [](int g, int t, int i) { return Position{i == 0 ? g : g + 8, t}; },
          [](int g, int t, int) { return Position{t, g}; },
          rowPairs,
          ""};
}

MmaCase k32OfBytes(const Format &a, const Format &b, const std::string &overflow) {
  return {16,
          32,
          a,
          b,
          integer,
          16,
          8,
          4,
          [](int g, int t, int i) {
            return Position{(0 <= i && i < 4) || (8 <= i && i < 12) ? g : g + 8,
                            i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
          },
          [](int g, int t, int i) { return Position{i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g}; },
          rowPairs,
          overflow};
}

MmaCase k16OfBytes(int m) {
  return {m,
          16,
          signedByte,
          signedByte,
          integer,
          m == 8 ? 4 : 8,
          4,
          m / 4,
          [](int g, int t, int i) { return Position{i < 4 ? g : g + 8, t * 4 + (i & 3)}; },
          [](int g, int t, int i) { return Position{t * 4 + (i & 3), g}; },
          m == 8 ? Fragment(oneRow) : rowPairs,
          "satfinite"};
}

MmaCase k4OfDoubles() {
  return {8,
          4,
          wide,
          wide,
          wide,
          1,
          1,
          2,
          [](int g, int t, int) { return Position{g, t}; },
          [](int g, int t, int) { return Position{t, g}; },
          oneRow,
          ""};
}

int registerBytes(const Format &format) { return format.name == "f64" ? 8 : 4; }
/// bf16 and integers have i32 registers as accumulators too.
std::string list(const std::string &prefix, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(i);
  return text;
}

std::string loadRegisters(const std::string &prefix, const std::string &buffer, const std::string &type,
                          int count) {
  std::string text = prefix + "n = llvm.mlir.constant(" + std::to_string(count) + " : i64) : i64\n" + prefix +
                     "base = llvm.mul %lane64, " + prefix + "n : i64\n";
  for (int i = 0; i < count; ++i) {
    std::string name = prefix + std::to_string(i);
    text += name + "_k = llvm.mlir.constant(" + std::to_string(i) + " : i64) : i64\n" + name +
            "_i = llvm.add " + prefix + "base, " + name + "_k : i64\n" +
            loadAt(name, buffer, type, name + "_i");
  }
  return text;
}

std::string mmaKernel(const MmaCase &form) {
  auto registers = [](const Format &format, int count) {
    return count * format.bytes / registerBytes(format);
  };
  int a = registers(form.a, form.countA), b = registers(form.b, form.countB),
      c = registers(form.accumulator, form.countC);
  std::string result = "!llvm.struct<(";
  for (int i = 0; i < c; ++i)
    result += (i ? ", " : "") + form.accumulator.registerType;
  result += ")>";
  std::string attributes =
      "layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = "
      "#nvvm.mma_type<" +
      form.a.name + ">, multiplicandBPtxType = #nvvm.mma_type<" + form.b.name +
      ">, shape = #nvvm.shape<m = " + std::to_string(form.m) + ", n = 8, k = " + std::to_string(form.k) + ">";
  if (!form.overflow.empty())
    attributes += ", intOverflowBehavior = #nvvm.mma_int_overflow<" + form.overflow + ">";
  std::string body = loadRegisters("%a", "%b0", form.a.registerType, a) +
                     loadRegisters("%bb", "%b1", form.b.registerType, b) +
                     loadRegisters("%cc", "%b2", form.accumulator.registerType, c) + "%d = nvvm.mma.sync A[" +
                     list("%a", a) + "] B[" + list("%bb", b) + "] C[" + list("%cc", c) + "] {" + attributes +
                     "} : (" + form.a.registerType + ", " + form.b.registerType + ", " +
                     form.accumulator.registerType + ") -> " + result + "\n";
  for (int i = 0; i < c; ++i) {
    std::string name = "%d" + std::to_string(i);
    body += name + " = llvm.extractvalue %d[" + std::to_string(i) + "] : " + result + "\n" +
            storeAt(name, "%b3", form.accumulator.registerType, "%cc" + std::to_string(i) + "_i");
  }
  return body;
}

struct Matrix {
  int rows, columns;
  std::vector<double> values;
  double &at(Position p) { return values[static_cast<size_t>(p.row * columns + p.column)]; }
};

Matrix randomMatrix(int rows, int columns, double low, double high, const Format &format, unsigned seed) {
  Matrix matrix{rows, columns, std::vector<double>(static_cast<size_t>(rows * columns))};
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> distribution(low, high);
  for (double &value : matrix.values) {
    std::byte element[8];
    value = distribution(random);
    if (format.name == "tf32") // exact in 10 bits of mantissa
      value = std::round(value * 256) / 256;
    format.encode(element, value);
    value = format.decode(element);
  }
  return matrix;
}

std::vector<std::byte> pack(Matrix &matrix, const Format &format, const Fragment &fragment, int count) {
  std::vector<std::byte> bytes(static_cast<size_t>(32 * count * format.bytes));
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < count; ++i)
      format.encode(&bytes[static_cast<size_t>((lane * count + i) * format.bytes)],
                    matrix.at(fragment(lane >> 2, lane % 4, i)));
  return bytes;
}

void checkMma(const MmaCase &form, double low, double high, double startLow, double startHigh,
              double tolerance) {
  EmulatedKernel kernel(warpKernel(4, mmaKernel(form)));
  Matrix a = randomMatrix(form.m, form.k, form.a.name == "u8" ? 0 : low, high, form.a, 1),
         b = randomMatrix(form.k, 8, form.b.name == "u8" ? 0 : low, high, form.b, 2),
         c = randomMatrix(form.m, 8, startLow, startHigh, form.accumulator, 3);
  auto packedA = pack(a, form.a, form.fragmentA, form.countA),
       packedB = pack(b, form.b, form.fragmentB, form.countB),
       packedC = pack(c, form.accumulator, form.fragmentC, form.countC);
  for (emulator::Schedule schedule : allSchedules) {
    std::vector<std::byte> result(packedC.size());
    ASSERT_EQ(kernel.run(schedule, {packedA, packedB, packedC, result}), "") << form.a.name;
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < form.countC; ++i) {
        Position p = form.fragmentC(lane >> 2, lane % 4, i);
        double expected = c.at(p);
        for (int k = 0; k < form.k; ++k)
          expected += a.at({p.row, k}) * b.at({k, p.column});
        if (form.overflow == "satfinite")
          expected = std::clamp(expected, -2147483648.0, 2147483647.0);
        if (form.overflow == "wrapped")
          expected = static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(expected)));
        double actual = form.accumulator.decode(
            &result[static_cast<size_t>((lane * form.countC + i) * form.accumulator.bytes)]);
        EXPECT_NEAR(actual, expected, tolerance) << form.a.name << " k=" << form.k << " lane " << lane;
      }
  }
}

} // namespace

TEST(Mma, HalfPrecision) {
  checkMma(k16OfHalves(half, single), -2, 2, -3, 3, 1e-5);
  checkMma(k16OfHalves(half, half), -2, 2, -3, 3, 0.03);
  checkMma(k16OfHalves(brain, single), -2, 2, -3, 3, 1e-5);
  checkMma(k8OfHalves(half, single), -2, 2, -3, 3, 1e-5);
  checkMma(k8OfHalves(brain, single), -2, 2, -3, 3, 1e-5);
}

TEST(Mma, TensorFloats) {
  checkMma(k8OfTensorFloats(), -2, 2, -3, 3, 1e-5);
  checkMma(k4OfTensorFloats(), -2, 2, -3, 3, 1e-5);
}

TEST(Mma, TensorFloatsIgnoreLowBits) {
  MmaCase form = k4OfTensorFloats();
  EmulatedKernel kernel(warpKernel(4, mmaKernel(form)));
  // 1 + 2^-10 has 10 bits of mantissa, 2^-11 more is ignored.
  std::vector<float> a(64, 1 + 0x1p-10f + 0x1p-11f), b(32, 1), c(128, 0), result(128);
  ASSERT_EQ(kernel.run(emulator::Schedule::Forward, {a, b, c, result}), "");
  for (float value : result)
    EXPECT_EQ(value, 4 * (1 + 0x1p-10f));
}

TEST(Mma, Integers) {
  checkMma(k32OfBytes(signedByte, signedByte, "satfinite"), -128, 127, -1000, 1000, 0);
  checkMma(k32OfBytes(unsignedByte, unsignedByte, "satfinite"), 0, 255, -1000, 1000, 0);
  checkMma(k16OfBytes(16), -128, 127, -1000, 1000, 0);
  checkMma(k16OfBytes(8), -128, 127, -1000, 1000, 0);
}

TEST(Mma, IntegersOverflow) {
  checkMma(k32OfBytes(unsignedByte, unsignedByte, "satfinite"), 0, 255, 2147480000, 2147483000, 0);
  checkMma(k32OfBytes(unsignedByte, unsignedByte, "wrapped"), 0, 255, 2147480000, 2147483000, 0);
}

TEST(Mma, Doubles) { checkMma(k4OfDoubles(), -2, 2, -3, 3, 1e-12); }

namespace {

/// Tiles of 8 rows of 8 elements of 16 bits in shared memory; lane l has the address of row l.
std::string tileKernel(const std::string &operation) {
  return "%shared = llvm.mlir.addressof @s : !llvm.ptr<3>\n%c8 = llvm.mlir.constant(8 : i64) : i64\n"
         "%offset = llvm.mul %lane64, %c8 : i64\n"
         "%row = llvm.getelementptr %shared[%offset] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i16\n" +
         operation;
}
const std::string tiles = "llvm.mlir.global internal @s() {addr_space = 3 : i32} : !llvm.array<256 x i16>\n";

/// Element of a tile that half `j` of the register of a lane holds.
Position tileElement(int lane, int j, bool isTransposed) {
  Position p{lane / 4, lane % 4 * 2 + j};
  return isTransposed ? Position{p.column, p.row} : p;
}

} // namespace

TEST(Matrix, LoadsTiles) {
  for (int count : {1, 2, 4})
    for (bool isTransposed : {false, true}) {
      std::string result = count == 1   ? "i32"
                           : count == 2 ? "!llvm.struct<(i32, i32)>"
                                        : "!llvm.struct<(i32, i32, i32, i32)>";
      std::string body =
          "%v = llvm.load %from {alignment = 16 : i64} : !llvm.ptr -> vector<8xi16>\n"
          "llvm.store %v, %row {alignment = 16 : i64} : vector<8xi16>, !llvm.ptr<3>\nnvvm.barrier0\n"
          "%r = nvvm.ldmatrix %row {num = " +
          std::to_string(count) + " : i32, layout = #nvvm.mma_layout<" + (isTransposed ? "col" : "row") +
          ">, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = "
          "#nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> " +
          result + "\n";
      body = "%from = llvm.getelementptr %b0[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i16\n" + body;
      for (int i = 0; i < count; ++i) {
        std::string name = "%x" + std::to_string(i), index = name + "_i";
        body +=
            (count == 1 ? name + " = llvm.add %r, %c0 : i32\n"
                        : name + " = llvm.extractvalue %r[" + std::to_string(i) + "] : " + result + "\n") +
            name + "_k = llvm.mlir.constant(" + std::to_string(32 * i) + " : i64) : i64\n" + index +
            " = llvm.add %lane64, " + name + "_k : i64\n" + storeAt(name, "%b1", "i32", index);
      }
      EmulatedKernel kernel(warpKernel(2, tileKernel(body), 32, tiles));
      std::vector<uint16_t> input(256);
      for (size_t i = 0; i < input.size(); ++i)
        input[i] = static_cast<uint16_t>(i * 7 + 3);
      for (emulator::Schedule schedule : allSchedules) {
        std::vector<uint16_t> output(static_cast<size_t>(64 * count));
        ASSERT_EQ(kernel.run(schedule, {input, output}), "");
        for (int tile = 0; tile < count; ++tile)
          for (int lane = 0; lane < 32; ++lane)
            for (int j = 0; j < 2; ++j) {
              Position p = tileElement(lane, j, isTransposed);
              EXPECT_EQ(output[static_cast<size_t>((tile * 32 + lane) * 2 + j)],
                        input[static_cast<size_t>((tile * 8 + p.row) * 8 + p.column)])
                  << count << isTransposed << " lane " << lane;
            }
      }
    }
}

TEST(Matrix, StoresTiles) {
  for (int count : {1, 2, 4})
    for (bool isTransposed : {false, true}) {
      std::string body, types;
      for (int i = 0; i < count; ++i) {
        std::string name = "%x" + std::to_string(i), index = name + "_i";
        body += name + "_k = llvm.mlir.constant(" + std::to_string(32 * i) + " : i64) : i64\n" + index +
                " = llvm.add %lane64, " + name + "_k : i64\n" + loadAt(name, "%b0", "i32", index);
        types += ", i32";
      }
      body +=
          "nvvm.stmatrix %row, " + list("%x", count) + " {layout = #nvvm.mma_layout<" +
          (isTransposed ? "col" : "row") +
          ">, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : "
          "!llvm.ptr<3>" +
          types +
          "\nnvvm.barrier0\n"
          "%v = llvm.load %row {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>\n"
          "%to = llvm.getelementptr %b1[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i16\n"
          "llvm.store %v, %to {alignment = 2 : i64} : vector<8xi16>, !llvm.ptr\n";
      EmulatedKernel kernel(warpKernel(2, tileKernel(body), 32, tiles));
      std::vector<uint16_t> input(static_cast<size_t>(64 * count)), output(256);
      for (size_t i = 0; i < input.size(); ++i)
        input[i] = static_cast<uint16_t>(i * 5 + 1);
      ASSERT_EQ(kernel.run(emulator::Schedule::Random, {input, output}), "");
      for (int tile = 0; tile < count; ++tile)
        for (int lane = 0; lane < 32; ++lane)
          for (int j = 0; j < 2; ++j) {
            Position p = tileElement(lane, j, isTransposed);
            EXPECT_EQ(output[static_cast<size_t>((tile * 8 + p.row) * 8 + p.column)],
                      input[static_cast<size_t>((tile * 32 + lane) * 2 + j)]);
          }
    }
}
