#include "lib/runtime/cuda/CollectiveLibrary.h"
#include "lib/runtime/cuda/RecordingDriver.h"
#include "lib/runtime/ranks/Reduce.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

namespace proa::cuda {
namespace {

/// State that the members of a group share.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  bool isAborted = false;
  /// By sequence number and member: the bytes that a member brought to a reduction.
  std::map<int64_t, std::map<int, std::vector<std::byte>>> brought;
  std::map<int64_t, int> left; ///< by sequence number: the members that have taken the bytes
  /// By sender and receiver, in order.
  std::map<std::pair<int, int>, std::vector<std::vector<std::byte>>> messages;
};

/// All groups of this process.
struct Groups {
  std::mutex mutex;
  int64_t count = 0;
  std::map<CollectiveLibrary::Id, std::shared_ptr<Meeting>> meetings;

  static Groups &all() {
    static Groups groups;
    return groups;
  }
};

class RecordingGroup final : public CollectiveGroup {
public:
  RecordingGroup(std::shared_ptr<RecordingDriver> driver, std::shared_ptr<Meeting> meeting, int size,
                 int member, double seconds)
      : driver(std::move(driver)), meeting(std::move(meeting)), size(size), member(member),
        patience(std::chrono::duration<double>(seconds)), state(std::make_shared<State>()) {}

  Result<void> allReduce(spmd::Reduction reduction, DType dtype, DeviceAddress from, DeviceAddress to,
                         int64_t count, StreamHandle stream) override {
    return combine("all_reduce", reduction, dtype, from, to, count, {}, stream);
  }
  Result<void> reduce(spmd::Reduction reduction, DType dtype, DeviceAddress from, DeviceAddress to,
                      int64_t count, int root, StreamHandle stream) override {
    return combine("reduce", reduction, dtype, from, to, count, {.root = root}, stream);
  }
  Result<void> reduceScatter(spmd::Reduction reduction, DType dtype, DeviceAddress from, DeviceAddress to,
                             int64_t count, StreamHandle stream) override {
    return combine("reduce_scatter", reduction, dtype, from, to, count, {.shards = size}, stream);
  }
  Result<void> allGather(DeviceAddress from, DeviceAddress to, size_t bytes, StreamHandle stream) override {
    auto placeTerms = [=](const Terms &terms) {
      for (size_t other = 0; other < terms.size(); ++other)
        std::memcpy(reinterpret_cast<std::byte *>(to) + other * bytes, terms[other], bytes);
      return Result<void>();
    };
    return meet(fmt::format("all_gather {}", bytes), {from, bytes},
                {{from, bytes}, {to, bytes * static_cast<size_t>(size)}}, placeTerms, stream);
  }

  Result<void> send(DeviceAddress from, size_t bytes, int target, StreamHandle stream) override {
    return driver->request(stream, fmt::format("send {} to {}", bytes, target), {{from, bytes}},
                           [=, this, meeting = meeting] {
                             auto *begin = reinterpret_cast<const std::byte *>(from);
                             std::lock_guard lock(meeting->mutex);
                             meeting->messages[{member, target}].emplace_back(begin, begin + bytes);
                             meeting->changed.notify_all();
                           });
  }
  /// Receives after all sends of the operation, so that two members may send to each other.
  Result<void> receive(DeviceAddress to, size_t bytes, int source, StreamHandle stream) override {
    auto work = [=, this, meeting = meeting, state = state] {
      std::unique_lock lock(meeting->mutex);
      auto &queue = meeting->messages[{source, member}];
      if (!meeting->changed.wait_for(lock, patience, [&] { return !queue.empty() || meeting->isAborted; }) ||
          queue.empty())
        return state->fail(fmt::format("nothing arrives from member {}", source));
      if (queue.front().size() != bytes)
        state->fail(
            fmt::format("{} bytes arrive from member {}, expected {}", queue.front().size(), source, bytes));
      else if (bytes > 0)
        std::memcpy(reinterpret_cast<void *>(to), queue.front().data(), bytes);
      queue.erase(queue.begin());
    };
    auto request = [=, this] {
      return driver->request(stream, fmt::format("receive {} from {}", bytes, source), {{to, bytes}}, work);
    };
    if (depth == 0)
      return request();
    delayed.push_back(request);
    return {};
  }
  Result<void> begin() override {
    ++depth;
    return {};
  }
  Result<void> end() override {
    if (--depth > 0)
      return {};
    Diagnostics diagnostics;
    for (const auto &request : std::exchange(delayed, {}))
      diagnostics.append(request().diagnostics());
    return diagnostics;
  }

  Result<void> check() override { return state->check(); }
  void abort() override {
    std::lock_guard lock(meeting->mutex);
    meeting->isAborted = true;
    meeting->changed.notify_all();
  }

private:
  /// The first error of the requests.
  struct State {
    std::mutex mutex;
    std::string error;
    void fail(const std::string &text) {
      std::lock_guard lock(mutex);
      if (error.empty())
        error = text;
    }
    Result<void> check() {
      std::lock_guard lock(mutex);
      return error.empty() ? Result<void>() : Result<void>(errorAt("", "recording collectives: " + error));
    }
  };

  std::shared_ptr<RecordingDriver> driver;
  std::shared_ptr<Meeting> meeting;
  int size, member, depth = 0;
  int64_t sequence = 0;
  std::chrono::duration<double> patience;
  std::shared_ptr<State> state;
  std::vector<std::function<Result<void>()>> delayed;

  using Region = std::pair<DeviceAddress, size_t>;
  using Terms = std::vector<const void *>;

  /// Which member has the result of a reduction (none: all), and of how many shards each member has its own.
  struct Form {
    std::optional<int> root = {};
    int shards = 1;
  };

  Result<void> combine(const char *name, spmd::Reduction reduction, DType dtype, DeviceAddress from,
                       DeviceAddress to, int64_t count, Form form, StreamHandle stream) {
    if (!hasReduction(reduction, dtype))
      return errorAt("", fmt::format("{} of {} is not supported", spmd::keywordOf(reduction), nameOf(dtype)));
    size_t bytes = static_cast<size_t>(count) * sizeOf(dtype);
    Region own{from, bytes * static_cast<size_t>(form.shards)};
    std::vector<Region> regions{own};
    bool hasResult = !form.root || *form.root == member;
    if (hasResult)
      regions.emplace_back(to, bytes);
    size_t first = form.shards > 1 ? static_cast<size_t>(member) * bytes : 0;
    auto reduceAll = [=](const Terms &terms) {
      Terms ownTerms;
      for (const void *term : terms)
        ownTerms.push_back(static_cast<const std::byte *>(term) + first);
      return hasResult ? runtime::reduceTerms(reduction, dtype, ownTerms, count, reinterpret_cast<void *>(to))
                       : Result<void>();
    };
    return meet(fmt::format("{} {} {} {}", name, spmd::keywordOf(reduction), nameOf(dtype), count), own,
                std::move(regions), reduceAll, stream);
  }

  /// A request in which each member brings bytes, and gets the bytes of all members.
  Result<void> meet(const std::string &text, Region own, std::vector<Region> regions,
                    std::function<Result<void>(const Terms &)> use, StreamHandle stream) {
    auto work = [=, this, index = sequence++, meeting = meeting, state = state] {
      std::unique_lock lock(meeting->mutex);
      auto *begin = reinterpret_cast<const std::byte *>(own.first);
      meeting->brought[index][member].assign(begin, begin + own.second);
      meeting->changed.notify_all();
      bool met = meeting->changed.wait_for(lock, patience, [&] {
        return static_cast<int>(meeting->brought[index].size()) == size || meeting->isAborted;
      });
      if (!met || static_cast<int>(meeting->brought[index].size()) != size)
        return state->fail("the other members do not come");
      Terms terms;
      for (auto &[other, term] : meeting->brought[index])
        terms.push_back(term.data());
      if (Result<void> done = use(terms); !done)
        state->fail(done.diagnostics()[0].message);
      if (++meeting->left[index] == size)
        meeting->brought.erase(index);
    };
    return driver->request(stream, text, std::move(regions), work);
  }
};

class RecordingCollectives final : public CollectiveLibrary {
public:
  RecordingCollectives(std::shared_ptr<RecordingDriver> driver, double seconds)
      : driver(std::move(driver)), seconds(seconds) {}

  Result<Id> newId() override {
    Groups &groups = Groups::all();
    std::lock_guard lock(groups.mutex);
    Id id{};
    fmt::format_to_n(id.data(), id.size() - 1, "group {}", groups.count++);
    return id;
  }
  Result<std::shared_ptr<CollectiveGroup>> join(const Id &id, int size, int member) override {
    if (member < 0 || member >= size)
      return errorAt("", fmt::format("member {} of {}", member, size));
    Groups &groups = Groups::all();
    std::lock_guard lock(groups.mutex);
    std::shared_ptr<Meeting> &meeting = groups.meetings[id];
    if (!meeting)
      meeting = std::make_shared<Meeting>();
    return std::shared_ptr<CollectiveGroup>(
        std::make_shared<RecordingGroup>(driver, meeting, size, member, seconds));
  }

private:
  std::shared_ptr<RecordingDriver> driver;
  double seconds;
};

} // namespace

std::shared_ptr<CollectiveLibrary> recordingCollectives(std::shared_ptr<RecordingDriver> driver,
                                                        double seconds) {
  return std::make_shared<RecordingCollectives>(std::move(driver), seconds);
}

} // namespace proa::cuda
