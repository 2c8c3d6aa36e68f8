/// A list to which threads add, and from which they take, without a lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace proa {

/// A list to which any thread adds and from which any thread takes. A thread of low priority may be stopped
/// for long at any place; if it held a mutex there, threads of higher priority would wait for it.
template <class T> class LockFreeList {
public:
  LockFreeList() = default;
  LockFreeList(const LockFreeList &) = delete;
  LockFreeList &operator=(const LockFreeList &) = delete;
  ~LockFreeList() { take(); }

  void put(T value) {
    auto *node = new Node{std::move(value), last.load(std::memory_order_relaxed)};
    while (
        !last.compare_exchange_weak(node->before, node, std::memory_order_release, std::memory_order_relaxed))
      ;
  }

  /// All values, in the order in which they were added.
  std::vector<T> take() {
    std::vector<T> values;
    for (Node *node = last.exchange(nullptr, std::memory_order_acquire); node;) {
      values.push_back(std::move(node->value));
      delete std::exchange(node, node->before);
    }
    std::ranges::reverse(values);
    return values;
  }

private:
  struct Node {
    T value;
    Node *before;
  };
  std::atomic<Node *> last = nullptr;
};

} // namespace proa
