/// The order of equal elements in sorting ops. It is Paddle's, whose kernels use the same algorithms of the
/// C++ standard library.
#pragma once

#include <algorithm>
#include <cstdint>

namespace proa {

enum class SortOrder {
  Stable,         ///< equal elements keep their order
  Sort,           ///< order of std::sort (argsort)
  Select,         ///< order of nth_element and sort, or of partial_sort for few of many elements (top_k_v2)
  SelectUnsorted, ///< order of nth_element or partial_sort
  SelectStable,   ///< the first elements of Stable
};

/// The order of pd.topk.
inline SortOrder orderOfSelection(bool sorted, bool stable) {
  return stable ? SortOrder::SelectStable : sorted ? SortOrder::Select : SortOrder::SelectUnsorted;
}

/// Moves the `count` smallest elements of [begin, end) by `before` to the front, ordered as `order` says.
template <class Iterator, class Before>
void sortFirst(Iterator begin, Iterator end, int64_t count, SortOrder order, Before before) {
  if (order == SortOrder::Stable || order == SortOrder::SelectStable)
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
