#include "lib/base/target/ThreadLayout.h"

#include <algorithm>

namespace proa {
namespace {

int64_t countOf(const ThreadLayout::Digits &digits) {
  int64_t count = 1;
  for (const LayoutDigit &digit : digits)
    count *= digit.count;
  return count;
}

void addDigits(ThreadLayout::Position &position, const ThreadLayout::Digits &digits, int64_t index) {
  for (const LayoutDigit &digit : digits) {
    (digit.dim == MatrixDim::Row ? position.row : position.column) += index % digit.count * digit.stride;
    index /= digit.count;
  }
}

/// The number whose digits give the position, with digits of other numbers between them.
int64_t numberAt(const ThreadLayout::Position &position, const ThreadLayout::Digits &digits) {
  int64_t element = 0, unit = 1;
  for (const LayoutDigit &digit : digits) {
    int64_t index = digit.dim == MatrixDim::Row ? position.row : position.column;
    element += index / digit.stride % digit.count * unit;
    unit *= digit.count;
  }
  return element;
}

ThreadLayout::Digits withoutOnes(ThreadLayout::Digits digits) {
  std::erase_if(digits, [](const LayoutDigit &digit) { return digit.count == 1; });
  return digits;
}

} // namespace

ThreadLayout::ThreadLayout(Digits threads, Digits elements)
    : ofThreads(withoutOnes(std::move(threads))), ofElements(withoutOnes(std::move(elements))) {}

int64_t ThreadLayout::threads() const { return countOf(ofThreads); }

int64_t ThreadLayout::elements() const { return countOf(ofElements); }

int64_t ThreadLayout::size(MatrixDim dim) const {
  int64_t size = sizeOfThread(dim);
  for (const LayoutDigit &digit : ofThreads)
    if (digit.dim == dim)
      size *= digit.count;
  return size;
}

ThreadLayout::Position ThreadLayout::positionOf(const Holder &holder) const {
  Position position;
  addDigits(position, ofThreads, holder.thread);
  addDigits(position, ofElements, holder.element);
  return position;
}

std::vector<ThreadLayout::Position> ThreadLayout::positions() const {
  std::vector<Position> all;
  for (int64_t thread = 0; thread < threads(); ++thread)
    for (int64_t element = 0; element < elements(); ++element)
      all.push_back(positionOf({thread, element}));
  return all;
}

ThreadLayout::Holder ThreadLayout::holderOf(const Position &position) const {
  return {numberAt(position, ofThreads), numberAt(position, ofElements)};
}

int64_t ThreadLayout::sizeOfThread(MatrixDim dim) const {
  int64_t size = 1;
  for (const LayoutDigit &digit : ofElements)
    if (digit.dim == dim)
      size *= digit.count;
  return size;
}

int64_t ThreadLayout::offsetOf(MatrixDim dim, int64_t index) const {
  int64_t offset = 0;
  for (const LayoutDigit &digit : ofElements)
    if (digit.dim == dim) {
      offset += index % digit.count * digit.stride;
      index /= digit.count;
    }
  return offset;
}

int64_t ThreadLayout::elementAt(int64_t row, int64_t column) const {
  int64_t position = 0, unit = 1;
  for (const LayoutDigit &digit : ofElements) {
    int64_t &index = digit.dim == MatrixDim::Row ? row : column;
    position += index % digit.count * unit;
    index /= digit.count;
    unit *= digit.count;
  }
  return position;
}

int64_t ThreadLayout::adjacentColumns() const {
  for (const LayoutDigit &digit : ofElements)
    if (digit.dim == MatrixDim::Column)
      return digit.stride == 1 ? digit.count : 1;
  return 1;
}

int64_t ThreadLayout::lanesOfRow() const {
  int64_t lanes = 1;
  for (const LayoutDigit &digit : ofThreads) {
    if (digit.dim != MatrixDim::Column)
      break;
    lanes *= digit.count;
  }
  return lanes;
}

AdjacentLanes ThreadLayout::lanesOf(MatrixDim dim, int64_t count) const {
  int64_t ofLane = 1;
  for (const LayoutDigit &digit : ofElements)
    if (digit.dim == dim && digit.stride == ofLane)
      ofLane = std::min(ofLane * digit.count, count);
  AdjacentLanes lanes;
  for (int64_t unit = 1; const LayoutDigit &digit : ofThreads) {
    if (digit.dim == dim && digit.stride == ofLane && ofLane < count)
      lanes = {count / ofLane, unit};
    unit *= digit.count;
  }
  return lanes;
}

} // namespace proa
