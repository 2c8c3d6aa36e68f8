// Layouts of the instructions against the figures of the PTX ISA 8.4, and their inverses.
#include "lib/base/target/MatrixInstruction.h"

#include <gtest/gtest.h>

#include <set>

using namespace proa;

namespace {

using Position = ThreadLayout::Position;

/// Each element of the matrix has one holder, and holderOf() finds it.
void expectBijective(const ThreadLayout &layout) {
  int64_t rows = layout.size(MatrixDim::Row), columns = layout.size(MatrixDim::Column);
  EXPECT_EQ(layout.threads() * layout.elements(), rows * columns);
  std::set<std::pair<int64_t, int64_t>> seen;
  for (int64_t thread = 0; thread < layout.threads(); ++thread)
    for (int64_t element = 0; element < layout.elements(); ++element) {
      Position position = layout.positionOf({thread, element});
      EXPECT_LT(position.row, rows);
      EXPECT_LT(position.column, columns);
      EXPECT_EQ(layout.holderOf(position), (ThreadLayout::Holder{thread, element}));
      seen.emplace(position.row, position.column);
    }
  EXPECT_EQ(static_cast<int64_t>(seen.size()), rows * columns);
}

/// elementAt() and offsetOf() agree with positionOf().
void expectGrid(const ThreadLayout &layout) {
  Position first = layout.positionOf({layout.threads() - 1, 0});
  for (int64_t row = 0; row < layout.sizeOfThread(MatrixDim::Row); ++row)
    for (int64_t column = 0; column < layout.sizeOfThread(MatrixDim::Column); ++column) {
      Position expected{first.row + layout.offsetOf(MatrixDim::Row, row),
                        first.column + layout.offsetOf(MatrixDim::Column, column)};
      EXPECT_EQ(layout.positionOf({layout.threads() - 1, layout.elementAt(row, column)}), expected);
    }
}

TEST(ThreadLayoutTest, AllInstructionsAreBijective) {
  for (const MatrixInstruction &instruction : {fmaInstruction, mmaInstruction, wgmmaInstruction}) {
    for (int64_t columns = instruction.columns; columns <= instruction.mostColumns;
         columns += instruction.columns) {
      expectBijective(instruction.sums(columns));
      expectGrid(instruction.sums(columns));
    }
    for (int64_t bits : {8, 16, 32}) {
      expectBijective(instruction.x(bits));
      expectBijective(instruction.y(bits));
      EXPECT_EQ(instruction.x(bits).size(MatrixDim::Row), instruction.rows);
      EXPECT_EQ(instruction.y(bits).size(MatrixDim::Row), instruction.columns);
    }
    EXPECT_EQ(instruction.sums(instruction.columns).threads(), instruction.threads);
  }
}

/// Section 9.7.14.5.8, m16n8k16 with 16-bit floats: groupID = lane >> 2, threadID_in_group = lane % 4.
TEST(ThreadLayoutTest, MmaOf16Bits) {
  ThreadLayout x = mmaInstruction.x(16), y = mmaInstruction.y(16), sums = mmaInstruction.sums(8);
  EXPECT_EQ(x.elements(), 8);
  EXPECT_EQ(y.elements(), 4);
  EXPECT_EQ(sums.elements(), 4);
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i < 8; ++i) {
      bool isUpper = (i >= 0 && i < 2) || (i >= 4 && i < 6);
      Position expected{isUpper ? group : group + 8, inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
      EXPECT_EQ(x.positionOf({lane, i}), expected) << lane << ", " << i;
    }
    for (int64_t i = 0; i < 4; ++i) {
      Position ofY{group, inGroup * 2 + (i & 1) + (i >= 2 ? 8 : 0)};
      EXPECT_EQ(y.positionOf({lane, i}), ofY);
      Position ofSums{i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
      EXPECT_EQ(sums.positionOf({lane, i}), ofSums);
    }
  }
}

/// Section 9.7.14.5.7, m16n8k8 with TF32: one element in a register.
TEST(ThreadLayoutTest, MmaOfTf32) {
  ThreadLayout x = mmaInstruction.x(32), y = mmaInstruction.y(32);
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i < 4; ++i) {
      Position expected{i % 2 == 0 ? group : group + 8, i < 2 ? inGroup : inGroup + 4};
      EXPECT_EQ(x.positionOf({lane, i}), expected);
    }
    for (int64_t i = 0; i < 2; ++i)
      EXPECT_EQ(y.positionOf({lane, i}), (Position{group, inGroup + (i == 1 ? 4 : 0)}));
  }
}

/// Section 9.7.14.5.10, m16n8k32 with bytes.
TEST(ThreadLayoutTest, MmaOfBytes) {
  ThreadLayout x = mmaInstruction.x(8), y = mmaInstruction.y(8);
  EXPECT_EQ(x.elements(), 16);
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i < 16; ++i) {
      bool isUpper = (i < 4) || (i >= 8 && i < 12);
      Position expected{isUpper ? group : group + 8, inGroup * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
      EXPECT_EQ(x.positionOf({lane, i}), expected);
    }
    for (int64_t i = 0; i < 8; ++i)
      EXPECT_EQ(y.positionOf({lane, i}), (Position{group, inGroup * 4 + (i & 3) + (i >= 4 ? 16 : 0)}));
  }
}

/// Section 9.7.15.5.1, m64nNk16: row (warp % 4) * 16 + lane / 4 + 8 * (i / 2 % 2).
TEST(ThreadLayoutTest, WgmmaSums) {
  for (int64_t columns : {8, 64, 192, 256}) {
    ThreadLayout sums = wgmmaInstruction.sums(columns);
    EXPECT_EQ(sums.elements(), columns / 2);
    for (int64_t thread = 0; thread < 128; ++thread)
      for (int64_t i = 0; i < columns / 2; ++i) {
        Position expected{thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2),
                          i / 4 * 8 + thread % 4 * 2 + i % 2};
        EXPECT_EQ(sums.positionOf({thread, i}), expected);
      }
  }
}

TEST(ThreadLayoutTest, AdjacentElements) {
  ThreadLayout sums = mmaInstruction.sums(64);
  EXPECT_EQ(sums.adjacentColumns(), 2);
  EXPECT_EQ(sums.lanesOfRow(), 4);
  EXPECT_EQ(sums.lanesOf(MatrixDim::Column, 4), (AdjacentLanes{2, 1}));
  EXPECT_EQ(sums.lanesOf(MatrixDim::Row, 4), (AdjacentLanes{4, 4}));
  // 16 lanes with four rows and two columns, 16 apart, each.
  ThreadLayout rows{{columnDigit(16, 1), rowDigit(2, 4)}, {columnDigit(2, 16), rowDigit(4, 1)}};
  expectBijective(rows);
  EXPECT_EQ(rows.adjacentColumns(), 1);
  EXPECT_EQ(rows.lanesOfRow(), 16);
  EXPECT_EQ(rows.lanesOf(MatrixDim::Column, 4), (AdjacentLanes{4, 1}));
  EXPECT_EQ(rows.lanesOf(MatrixDim::Row, 4), (AdjacentLanes{1, 1}));
}

TEST(ThreadLayoutTest, DigitsWithOneValueAreDropped) {
  ThreadLayout layout({rowDigit(1, 5), columnDigit(4, 1)}, {columnDigit(1, 4), rowDigit(2, 1)});
  EXPECT_EQ(layout, ThreadLayout({columnDigit(4, 1)}, {rowDigit(2, 1)}));
}

TEST(MatrixElementTest, NamesOfPtx) {
  for (MatrixElement element :
       {MatrixElement::F16, MatrixElement::BF16, MatrixElement::TF32, MatrixElement::F32, MatrixElement::F64,
        MatrixElement::S8, MatrixElement::U8, MatrixElement::S32, MatrixElement::E4M3, MatrixElement::E5M2})
    EXPECT_EQ(matrixElementNamed(ptxName(element)), element);
  EXPECT_EQ(ptxName(MatrixElement::E4M3), "e4m3");
  EXPECT_EQ(matrixElementNamed("b1"), std::nullopt);
}

} // namespace
