/// Stable sorting and selection of the elements of a line by integers that have their order.
#pragma once

#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

namespace proa::runtime {

/// The type of the keys of elements of type T.
template <class T> using SortKey = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;

/// A key for each element, in the order of the elements: NaN above all numbers, equal zeros.
template <class T> PROA_VECTOR_INLINE SortKey<T> keyOf(T element) {
  using Key = SortKey<T>;
  constexpr Key highest = std::numeric_limits<Key>::max();
  if constexpr (std::is_floating_point_v<Wide<T>>) {
    Wide<T> value = static_cast<Wide<T>>(element) + Wide<T>(0); // -0 is 0
    auto bits = std::bit_cast<Key>(value);
    Key key = bits ^ ((bits >> std::numeric_limits<Key>::digits) & highest);
    return value == value ? key : highest;
  } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(Key)) {
    return static_cast<Key>(element ^ (T(1) << std::numeric_limits<Key>::digits));
  } else {
    return element;
  }
}

/// A key and the position of its element. Entries with equal keys are ordered by position.
template <class Key> struct SortEntry {
  using Bits = std::make_unsigned_t<Key>;
  Bits bits;
  Bits place;

  SortEntry() = default;
  SortEntry(Key key, int64_t position)
      : bits(static_cast<Bits>(key) ^ (Bits(1) << std::numeric_limits<Key>::digits)),
        place(static_cast<Bits>(position)) {}
  int64_t position() const { return static_cast<int64_t>(place); }
  Key key() const { return static_cast<Key>(bits ^ (Bits(1) << std::numeric_limits<Key>::digits)); }
  Bits order() const { return bits; }
  bool operator<(const SortEntry &other) const {
    return bits < other.bits || (bits == other.bits && place < other.place);
  }
};
/// Both in one integer.
template <> struct SortEntry<int32_t> {
  uint64_t packed;

  SortEntry() = default;
  SortEntry(int32_t key, int64_t position)
      : packed(uint64_t{static_cast<uint32_t>(key) ^ 0x80000000U} << 32U | static_cast<uint32_t>(position)) {}
  int64_t position() const { return static_cast<int64_t>(static_cast<uint32_t>(packed)); }
  int32_t key() const { return static_cast<int32_t>(order() ^ 0x80000000U); }
  uint32_t order() const { return static_cast<uint32_t>(packed >> 32U); }
  bool operator<(const SortEntry &other) const { return packed < other.packed; }
};

/// Sets `found` to the first group of keys, from `begin` on, that has one below `bound`; or to the end.
inline constexpr int64_t keyGroup = 32;
template <class Key>
PROA_VECTOR_INLINE void findBelow(const Key *keys, int64_t begin, int64_t end, Key bound, int64_t &found) {
  for (; begin + keyGroup <= end; begin += keyGroup) {
    Key any = 0;
    for (int64_t i = 0; i < keyGroup; ++i)
      any |= keys[begin + i] < bound;
    if (any)
      break;
  }
  found = begin;
}

/// The keys of `count` elements, `stride` apart; inverted for the descending order.
template <class T, bool descending>
PROA_VECTOR_INLINE void computeKeys(const T *x, int64_t stride, int64_t count, SortKey<T> *keys) {
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i)
      keys[i] = descending ? ~keyOf(x[i]) : keyOf(x[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      keys[i] = descending ? ~keyOf(x[i * stride]) : keyOf(x[i * stride]);
}

inline constexpr int64_t keyBlock = 1024;

/// The `count` smallest entries of a line in order, where these are few: each is inserted where it belongs.
template <class T, bool descending>
PROA_VECTOR_INLINE void selectFew(const T *x, int64_t stride, int64_t length, int64_t count,
                                  SortEntry<SortKey<T>> *entries) {
  using Key = SortKey<T>;
  Key keys[keyBlock], bound = 0; // of the last entry, once there are `count`
  int64_t size = 0;
  for (int64_t base = 0; base < length; base += keyBlock) {
    int64_t block = length - base < keyBlock ? length - base : keyBlock;
    computeKeys<T, descending>(x + base * stride, stride, block, keys);
    for (int64_t i = 0; i < block;) {
      if (size == count)
        findBelow(keys, i, block, bound, i);
      for (int64_t end = i + keyGroup < block ? i + keyGroup : block; i < end; ++i) {
        if (size == count && keys[i] >= bound)
          continue;
        SortEntry<Key> entry(keys[i], base + i);
        int64_t at = size < count ? size++ : count - 1;
        for (; at > 0 && entry < entries[at - 1]; --at)
          entries[at] = entries[at - 1];
        entries[at] = entry;
        bound = entries[size - 1].key();
      }
    }
  }
}

/// Sorts lines of elements of one type; has the memory for that.
template <class T, bool descending> class LineSorter {
public:
  using Key = SortKey<T>;
  using Entry = SortEntry<Key>;

  /// Positions of longer lines do not fit into entries.
  static bool fits(int64_t length) {
    return sizeof(Key) == 8 || length <= int64_t{std::numeric_limits<uint32_t>::max()};
  }

  LineSorter(int64_t length, int64_t count)
      : length(length), count(count), sortsAll(count > mostInserted && count > length / 4),
        capacity(sortsAll ? length : count + std::max<int64_t>(count, leastSpare)),
        entries(std::make_unique_for_overwrite<Entry[]>(static_cast<size_t>(capacity))),
        spare(std::make_unique_for_overwrite<Entry[]>(static_cast<size_t>(capacity))) {}

  /// The `count` smallest entries of a line in order, the largest elements first if `descending`.
  const Entry *run(const T *x, int64_t stride) {
    if (count <= mostInserted) {
      runVectors<selectFew<T, descending>>(x, stride, length, count, entries.get());
      return entries.get();
    }
    sortsAll ? takeAll(x, stride) : select(x, stride);
    sort();
    return entries.get();
  }

private:
  static constexpr int64_t mostInserted = 32, leastSpare = 64, leastForRadix = 192;

  void takeAll(const T *x, int64_t stride) {
    size = length;
    for (int64_t i = 0; i < length; ++i)
      entries[i] = Entry(descending ? ~keyOf(x[i * stride]) : keyOf(x[i * stride]), i);
    if (count < length / 2)
      shrink();
  }

  /// Keeps entries below the `count`-th smallest so far, in the order of their positions.
  void select(const T *x, int64_t stride) {
    size = 0;
    bound = std::numeric_limits<Key>::max();
    isBounded = false;
    std::array<Key, keyBlock> keys;
    for (int64_t base = 0; base < length; base += keyBlock) {
      int64_t block = std::min(keyBlock, length - base);
      runVectors<computeKeys<T, descending>>(x + base * stride, stride, block, keys.data());
      for (int64_t i = 0; i < block;) {
        if (isBounded)
          runVectors<findBelow<Key>>(keys.data(), i, block, bound, i);
        for (int64_t end = std::min(block, i + keyGroup); i < end; ++i)
          keep(keys[static_cast<size_t>(i)], base + i);
      }
    }
    if (size > count)
      shrink();
  }

  /// A later element with the key of the bound comes after `count` others.
  void keep(Key key, int64_t position) {
    if (isBounded && key >= bound)
      return;
    entries[size++] = Entry(key, position);
    if (size == capacity)
      shrink();
  }

  /// Removes all but the `count` smallest.
  void shrink() {
    std::copy_n(entries.get(), size, spare.get());
    Entry *last = spare.get() + (count - 1);
    std::nth_element(spare.get(), last, spare.get() + size);
    Entry largest = *last;
    int64_t kept = 0;
    for (int64_t i = 0; i < size; ++i) {
      entries[kept] = entries[i];
      kept += !(largest < entries[i]);
    }
    size = kept;
    bound = largest.key();
    isBounded = true;
  }

  /// Sorts the entries, which have the order of their positions.
  void sort() {
    if (size < leastForRadix)
      std::sort(entries.get(), entries.get() + size);
    else
      sortByDigits();
  }

  /// Radix sort from the lowest digit on; a digit that all keys share costs its count only.
  void sortByDigits() {
    constexpr size_t digits = sizeof(Key), radix = 256;
    std::array<std::array<uint32_t, radix>, digits> counts{};
    auto digitOf = [](const Entry &entry, size_t digit) {
      return static_cast<size_t>(entry.order() >> (8 * digit)) & (radix - 1);
    };
    for (int64_t i = 0; i < size; ++i)
      for (size_t digit = 0; digit < digits; ++digit)
        ++counts[digit][digitOf(entries[i], digit)];
    for (size_t digit = 0; digit < digits; ++digit) {
      std::array<uint32_t, radix> &begins = counts[digit];
      if (begins[digitOf(entries[0], digit)] == size)
        continue;
      uint32_t begin = 0;
      for (uint32_t &entry : begins)
        begin += std::exchange(entry, begin);
      for (int64_t i = 0; i < size; ++i)
        spare[begins[digitOf(entries[i], digit)]++] = entries[i];
      std::swap(entries, spare);
    }
  }

  int64_t length, count;
  bool sortsAll;
  int64_t capacity;
  std::unique_ptr<Entry[]> entries, spare;
  int64_t size = 0;
  Key bound = 0;
  bool isBounded = false;
};

} // namespace proa::runtime
