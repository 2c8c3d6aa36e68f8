/// The orders that sorting ops give to equal elements: those of Paddle, whose kernels call the same
/// algorithms of the C++ standard library.
#pragma once

#include <algorithm>
#include <cstdint>

namespace proa {

enum class SortOrder {
  Stable, ///< equal elements keep their order
  Sort,   ///< as std::sort leaves them (argsort)
  Select, ///< as nth_element and then sort, or partial_sort for few of many elements, leave them (top_k_v2)
  SelectUnsorted, ///< the same without the sort
};

/// Brings the first `count` of the elements in [begin, end), which are at least as many, to the front, in
/// order of `before`.
template <class Iterator, class Before>
void sortFirst(Iterator begin, Iterator end, int64_t count, SortOrder order, Before before) {
  if (order == SortOrder::Stable)
    return std::stable_sort(begin, end, before);
  if (order == SortOrder::Sort)
    return std::sort(begin, end, before);
  if (count == 0)
    return;
  if (count * 64 < end - begin)
    return std::partial_sort(begin, begin + count, end, before);
  std::nth_element(begin, begin + (count - 1), end, before);
  if (order == SortOrder::Select)
    std::sort(begin, begin + (count - 1), before);
}

} // namespace proa
