/// Which elements of a matrix each thread holds.
#pragma once

#include <cstdint>
#include <vector>

namespace proa {

/// A dim of a matrix.
enum class MatrixDim : uint8_t { Row, Column };

/// A digit of the number of a thread or of an element: each of its `count` values adds `stride` to the index
/// of a dim.
struct LayoutDigit {
  int64_t count = 1;
  MatrixDim dim = MatrixDim::Row;
  int64_t stride = 1;

  bool operator==(const LayoutDigit &) const = default;
};

inline LayoutDigit rowDigit(int64_t count, int64_t stride) { return {count, MatrixDim::Row, stride}; }
inline LayoutDigit columnDigit(int64_t count, int64_t stride) { return {count, MatrixDim::Column, stride}; }

/// Which lanes hold adjacent elements: `count` lanes with ids `stride` apart.
struct AdjacentLanes {
  int64_t count = 1, stride = 1;

  bool operator==(const AdjacentLanes &) const = default;
};

/// An assignment of the elements of a matrix to threads, each of which holds the same number of elements.
///
/// The index of a thread, and the index of an element within a thread, are written with digits, the
/// fastest one first. The row and the column of an element are sums over the digits of both. So each thread
/// holds all combinations of some rows and some columns. CuTe calls this a thread-value layout.
///
/// Example, the sums of `mma.sync` with 16 rows and 8 columns: lane l has rows l / 4 and l / 4 + 8 and
/// columns 2 (l % 4) and 2 (l % 4) + 1:
///
///     threads: {columnDigit(4, 2), rowDigit(8, 1)}, elements: {columnDigit(2, 1), rowDigit(2, 8)}
class ThreadLayout {
public:
  using Digits = std::vector<LayoutDigit>;

  ThreadLayout() = default;
  /// Digits with one value are dropped.
  ThreadLayout(Digits threads, Digits elements);

  struct Position {
    int64_t row = 0, column = 0;

    bool operator==(const Position &) const = default;
  };
  struct Holder {
    int64_t thread = 0, element = 0;

    bool operator==(const Holder &) const = default;
  };

  const Digits &threadDigits() const { return ofThreads; }
  const Digits &elementDigits() const { return ofElements; }
  int64_t threads() const;
  int64_t elements() const;
  /// The size of the matrix.
  int64_t size(MatrixDim dim) const;

  Position positionOf(const Holder &holder) const;
  /// The positions of all elements of thread 0, then of thread 1, and so on.
  std::vector<Position> positions() const;
  /// The inverse of positionOf().
  Holder holderOf(const Position &position) const;

  /// The number of rows or columns of a thread, and the distance of one of them from the first.
  int64_t sizeOfThread(MatrixDim dim) const;
  int64_t offsetOf(MatrixDim dim, int64_t index) const;
  /// The number of the element at a row and a column of a thread, which are counted from 0.
  int64_t elementAt(int64_t row, int64_t column) const;

  /// Adjacent columns of a thread: from a multiple of this number on, columns of a thread are adjacent.
  int64_t adjacentColumns() const;
  /// Lanes that share the rows of a thread. They are adjacent, and their number is a power of two.
  int64_t lanesOfRow() const;
  /// The lanes that hold `count` adjacent rows or columns, from a multiple of `count` on.
  AdjacentLanes lanesOf(MatrixDim dim, int64_t count) const;

  bool operator==(const ThreadLayout &) const = default;

private:
  Digits ofThreads, ofElements;
};

} // namespace proa
