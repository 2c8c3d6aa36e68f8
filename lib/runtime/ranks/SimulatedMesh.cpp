//! All ranks as threads of one process: messages move from one mailbox to another.
#include "lib/runtime/ranks/Communicator.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace proa::runtime {
namespace {

/// A thread that waits for a time runs again so much later, without the slack of Linux' timers.
constexpr double latenessOfTimers = 60e-6;

/// Linux ends a timed wait up to 50 us late (timer slack), which would add to the delay of an emulated link.
class ExactTimers {
public:
  explicit ExactTimers(bool isOn) : before(isOn ? prctl(PR_GET_TIMERSLACK) : -1) {
    if (before > 0)
      prctl(PR_SET_TIMERSLACK, 1UL);
  }
  ~ExactTimers() {
    if (before > 0)
      prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before));
  }
  ExactTimers(const ExactTimers &) = delete;
  ExactTimers &operator=(const ExactTimers &) = delete;

private:
  int before; ///< nanoseconds
};

struct Mailbox {
  struct Letter {
    int64_t source, tag;
    MessageBuffer buffer;
  };
  std::mutex mutex;
  std::condition_variable arrival;
  uint64_t arrivals = 0;
  std::deque<Letter> letters;
};

} // namespace

struct SimulatedMesh::State {
  State(int64_t size, const CommunicatorOptions &options)
      : options(options), mailboxes(static_cast<size_t>(size)) {}
  CommunicatorOptions options;
  std::vector<Mailbox> mailboxes;
};

class SimulatedCommunicator final : public Communicator {
public:
  SimulatedCommunicator(std::shared_ptr<SimulatedMesh::State> mesh, int64_t rank)
      : Communicator(rank, static_cast<int64_t>(mesh->mailboxes.size()), mesh->options),
        state(std::move(mesh)), own(state->mailboxes[static_cast<size_t>(rank)]) {}
  ~SimulatedCommunicator() override {
    endProgress();
    announceEnd();
  }

protected:
  void post(int64_t rank, int64_t tag, MessageBuffer buffer) override {
    Mailbox &mailbox = state->mailboxes[static_cast<size_t>(rank)];
    {
      std::lock_guard lock(mailbox.mutex);
      mailbox.letters.push_back({this->rank(), tag, std::move(buffer)});
      ++mailbox.arrivals;
    }
    mailbox.arrival.notify_all();
  }

  std::optional<MessageBuffer> poll(int64_t rank, int64_t tag) override {
    std::lock_guard lock(own.mutex);
    auto found = std::ranges::find_if(own.letters, [&](const Mailbox::Letter &letter) {
      return letter.tag == tag && (rank == anyRank || letter.source == rank);
    });
    if (found == own.letters.end())
      return std::nullopt;
    MessageBuffer buffer = std::move(found->buffer);
    own.letters.erase(found);
    return buffer;
  }

  void idle(Idler &idler) override {
    // The time limits of the callers are checked this often. A message that an emulated link delays is polled
    // for at the end, so that it does not arrive later than its link says.
    double blocked = idler.seconds - latenessOfTimers;
    if (blocked <= 0)
      return std::this_thread::yield();
    ExactTimers exact(state->options.link.bandwidth > 0);
    std::unique_lock lock(own.mutex);
    own.arrival.wait_for(lock, std::chrono::duration<double>(blocked),
                         [&] { return own.arrivals != idler.seen; });
    idler.seen = own.arrivals;
  }

private:
  std::shared_ptr<SimulatedMesh::State> state;
  Mailbox &own;
};

SimulatedMesh::SimulatedMesh(int64_t size, const CommunicatorOptions &options)
    : state(std::make_shared<State>(size, options)) {}

SimulatedMesh::~SimulatedMesh() = default;

std::unique_ptr<Communicator> SimulatedMesh::take(int64_t rank) {
  return std::make_unique<SimulatedCommunicator>(state, rank);
}

std::vector<Diagnostics> runSimulated(int64_t size,
                                      const std::function<Result<void>(std::shared_ptr<Communicator>)> &body,
                                      const CommunicatorOptions &options) {
  SimulatedMesh mesh(size, options);
  std::vector<Diagnostics> diagnostics(static_cast<size_t>(size));
  std::vector<std::shared_ptr<Communicator>> communicators;
  for (int64_t rank = 0; rank < size; ++rank)
    communicators.push_back(mesh.take(rank));
  auto runRank = [&](size_t rank) {
    std::shared_ptr<Communicator> communicator = std::move(communicators[rank]);
    try {
      diagnostics[rank] = body(communicator).diagnostics();
    } catch (const std::exception &error) {
      diagnostics[rank] = errorAt("", error.what());
    }
    communicator->fail(diagnostics[rank]);
  };
  std::vector<std::jthread> threads;
  for (size_t rank = 0; rank < diagnostics.size(); ++rank)
    threads.emplace_back(runRank, rank);
  threads.clear();
  return diagnostics;
}

} // namespace proa::runtime
