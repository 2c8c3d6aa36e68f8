//! Eight threads with changing dims on one model: memory after warm-up, and the longest time that a run
//! waits. PROA_STRESS_SECONDS is the time of the test; without it waits are printed, but not checked.
#include "test/unit/session/Programs.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <optional>
#include <random>
#include <thread>

using namespace proa;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t stressWidth = 256;
constexpr int threadCount = 8, lengthCount = 24; // more lengths than programs are kept for
constexpr double boundMilliseconds = 250; // a compilation takes longer on a machine as busy as this test

/// Empty in a short test, whose waits depend on what else the machine does.
std::optional<double> givenSeconds() {
  const char *text = std::getenv("PROA_STRESS_SECONDS");
  return text ? std::optional(std::atof(text)) : std::nullopt;
}

/// Anonymous memory of the process, without what the allocator could give back.
int64_t residentBytes() {
  ::malloc_trim(0);
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("RssAnon:"))
      return std::stoll(line.substr(8)) << 10;
  return 0;
}

/// Milliseconds in which this thread neither ran nor waited for a processor, since it began.
double waitedMilliseconds(Clock::time_point begin) {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0, delayed = 0;
  file >> ran >> delayed;
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count() - (ran + delayed) * 1e-6;
}

/// The runs of one thread.
class Worker {
public:
  Worker(const Model &model, int index, Clock::time_point end)
      : session(std::move(*model.session())), random(static_cast<unsigned>(index)), end(end) {}

  void run(const std::map<int64_t, Tensor> &expected, std::atomic<bool> &isWarm) {
    Clock::time_point begin = Clock::now();
    while (Clock::now() < end) {
      int64_t rows = 1 + 7 * static_cast<int64_t>(random() % lengthCount);
      double before = waitedMilliseconds(begin);
      auto outputs = session.run({{"x", numbers({rows, stressWidth}, rows)}});
      double waited = waitedMilliseconds(begin) - before;
      ASSERT_TRUE(outputs) << outputs.diagnostics().text();
      const Tensor &y = outputs->front().tensor, &other = expected.at(rows);
      for (int64_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(y.as<float>()[i], other.as<float>()[i], 1e-5f);
      ++runs;
      if (!isWarm)
        continue;
      longest = std::max(longest, waited);
      longWaits += waited > boundMilliseconds;
    }
  }

  int64_t runs = 0, longWaits = 0;
  double longest = 0;

private:
  Session session;
  std::mt19937 random;
  Clock::time_point end;
};

TEST(Stress, ChangingDimsKeepMemoryAndDoNotWait) {
  auto model = openLayers(4, stressWidth, {.threads = 1});
  ASSERT_TRUE(model) << model.diagnostics().text();
  std::map<int64_t, Tensor> expected;
  {
    auto always = openLayers(4, stressWidth, {.threads = 1, .specialization = Specialization::Never});
    auto session = always->session();
    for (int64_t i = 0; i < lengthCount; ++i)
      expected[1 + 7 * i] =
          session->run({{"x", numbers({1 + 7 * i, stressWidth}, 1 + 7 * i)}})->front().tensor;
  }
  auto time = std::chrono::duration<double>(givenSeconds().value_or(6));
  Clock::time_point begin = Clock::now(), end = begin + std::chrono::duration_cast<Clock::duration>(time),
                    warm = begin + std::chrono::duration_cast<Clock::duration>(time / 2);
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < threadCount; ++i)
    workers.push_back(std::make_unique<Worker>(*model, i, end));
  std::atomic<bool> isWarm = false;
  std::vector<std::jthread> threads;
  for (auto &worker : workers)
    threads.emplace_back([&] { worker->run(expected, isWarm); });
  std::this_thread::sleep_until(warm);
  isWarm = true;
  int64_t before = residentBytes();
  std::this_thread::sleep_until(end - std::chrono::milliseconds(100)); // the sessions are there
  int64_t grown = residentBytes() - before;
  threads.clear();
  double longest = 0;
  int64_t runs = 0, longWaits = 0;
  for (auto &worker : workers) {
    longest = std::max(longest, worker->longest);
    runs += worker->runs;
    longWaits += worker->longWaits;
  }
  fmt::print("{} runs; the longest wait of a run {:.2f} ms; memory {:.1f} MB, grown by {:.1f} MB\n", runs,
             longest, static_cast<double>(before) * 1e-6, static_cast<double>(grown) * 1e-6);
  // A thread that has a lock may itself wait for a processor: other processes can cause single waits.
  if (givenSeconds())
    EXPECT_LE(longWaits, 1 + runs / 10000);
  EXPECT_LT(grown, int64_t(16) << 20);
}

} // namespace
