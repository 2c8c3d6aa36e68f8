/// A map of bounded size.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <utility>

namespace proa {

/// Keeps the `limit` entries that were used last. Pointers to values are valid until the entry is dropped.
template <class Key, class Value> class RecentlyUsed {
public:
  explicit RecentlyUsed(size_t limit) : limit(limit) {}

  size_t size() const { return entries.size(); }
  /// Whether put() of another key would drop an entry.
  bool isFull() const { return entries.size() >= limit; }

  /// The value of a key, which counts as a use; null: none.
  Value *find(const Key &key) {
    auto found = positions.find(key);
    if (found == positions.end())
      return nullptr;
    entries.splice(entries.begin(), entries, found->second);
    return &found->second->second;
  }
  /// Adds or replaces an entry, and drops the one whose last use is the longest ago if there are too many.
  Value &put(const Key &key, Value value) {
    if (Value *found = find(key))
      return *found = std::move(value);
    while (!entries.empty() && isFull()) {
      positions.erase(entries.back().first);
      entries.pop_back();
    }
    entries.emplace_front(key, std::move(value));
    positions[key] = entries.begin();
    return entries.front().second;
  }
  void clear() {
    positions.clear();
    entries.clear();
  }
  /// From the last used entry to the first.
  auto begin() { return entries.begin(); }
  auto end() { return entries.end(); }

private:
  size_t limit;
  std::list<std::pair<Key, Value>> entries;
  std::map<Key, typename std::list<std::pair<Key, Value>>::iterator> positions;
};

} // namespace proa
