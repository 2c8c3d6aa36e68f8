//! One rank of the test mpi_test.py, which starts several with mpirun: MODE says what it does.
#include "test/unit/runtime/CollectiveCases.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace proa;
using namespace proa::runtime;

namespace {

/// All steps between placements on a mesh of these ranks.
Result<void> runSteps(Communicator &communicator) {
  spmd::Mesh mesh =
      communicator.size() == 4 ? spmd::Mesh{{{"x", 2}, {"y", 2}}} : spmd::Mesh{{{"x", communicator.size()}}};
  const spmd::Reduction sum[] = {spmd::Reduction::Sum};
  std::vector<CollectiveCase> cases = allCases(DType::Float32, mesh, {5, 6}, sum);
  if (Result<void> done = runCases(communicator, cases); !done)
    return done;
  return startCases(communicator, cases);
}

/// Sums of 8 MiB that are started while others are under way.
Result<void> runStarted(Communicator &communicator) {
  constexpr int64_t count = 1 << 21, sums = 4;
  spmd::Mesh mesh = {{{"x", communicator.size()}}};
  std::vector<Tensor> tensors, results;
  std::vector<std::unique_ptr<StepExecution>> executions;
  for (int64_t k = 0; k < sums; ++k) {
    PlacementStep step{
        spmd::StepKind::AllReduce, mesh, {{{}}, {{mesh.full(0), spmd::Reduction::Sum}}}, {{{}}}, {count}, k};
    executions.push_back(std::make_unique<StepExecution>(step, DType::Float32));
    tensors.emplace_back(DType::Float32, std::vector{count});
    results.emplace_back(DType::Float32, std::vector{count});
    for (int64_t i = 0; i < count; ++i)
      tensors.back().as<float>()[i] = static_cast<float>(i % 1000 + k + communicator.rank());
  }
  std::vector<std::unique_ptr<StartedWork>> works(sums);
  for (int round = 0; round < 5; ++round) {
    for (size_t k = 0; k < sums; ++k) {
      if (auto planned = executions[k]->plan(&communicator, tensors[k].dims()); !planned)
        return planned.diagnostics();
      auto started = executions[k]->start(communicator, tensors[k].data(), results[k].data());
      if (!started)
        return started.diagnostics();
      works[k] = std::move(*started);
    }
    if (communicator.rank() == round % communicator.size())
      usleep(200000);
    int64_t size = communicator.size();
    for (int64_t k = sums - 1; k >= 0; --k) {
      if (Result<void> done = works[static_cast<size_t>(k)]->wait(); !done)
        return done;
      for (int64_t i = 0; i < count; ++i)
        if (results[static_cast<size_t>(k)].as<float>()[i] !=
            static_cast<float>((i % 1000 + k) * size + size * (size - 1) / 2))
          return errorAt("", fmt::format("element {} of sum {} is wrong", i, k));
    }
  }
  return {};
}

/// A sum of 16 MiB on each rank, which MPI does not send at once.
Result<void> runLarge(Communicator &communicator) {
  constexpr int64_t count = 1 << 22;
  spmd::Mesh mesh = {{{"x", communicator.size()}}};
  PlacementStep step{
      spmd::StepKind::AllReduce, mesh, {{{}}, {{mesh.full(0), spmd::Reduction::Sum}}}, {{{}}}, {count}};
  Tensor tensor(DType::Float32, {count});
  for (int64_t i = 0; i < count; ++i)
    tensor.as<float>()[i] = static_cast<float>(i % 1000 + communicator.rank());
  double seconds = 1e9;
  Result<Tensor> result = Diagnostics();
  for (int i = 0; i < 10; ++i) {
    auto start = std::chrono::steady_clock::now();
    result = applyStep(&communicator, step, tensor);
    if (!result)
      return result.diagnostics();
    seconds =
        std::min(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  int64_t size = communicator.size();
  for (int64_t i = 0; i < count; ++i)
    if (result->as<float>()[i] != static_cast<float>(i % 1000 * size + size * (size - 1) / 2))
      return errorAt("", fmt::format("element {} is wrong", i));
  if (communicator.rank() == 0)
    fmt::print("all_reduce of 16 MiB: {:.1f} ms\n", seconds * 1e3);
  return {};
}

/// The time of a sum of one number.
Result<void> runSmall(Communicator &communicator) {
  spmd::Mesh mesh = {{{"x", communicator.size()}}};
  PlacementStep step{spmd::StepKind::AllReduce, mesh, {{}, {{mesh.full(0), spmd::Reduction::Sum}}}, {}, {}};
  StepExecution execution(step, DType::Float32);
  constexpr int count = 2000;
  float value = 1, sum = 0;
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    if (auto planned = execution.plan(&communicator, {}); !planned)
      return planned.diagnostics();
    if (Result<void> done = execution.run(&communicator, &value, &sum); !done)
      return done;
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (communicator.rank() == 0)
    fmt::print("all_reduce of 4 bytes: {:.1f} us\n", seconds * 1e6 / count);
  return sum == static_cast<float>(communicator.size()) ? Result<void>() : errorAt("", "the sum is wrong");
}

/// Ranks fail with messages under way, large ones too, and start again.
Result<void> runRestarts(Communicator &communicator) {
  // A failure in the first round must not end the start of a slower rank.
  if (Result<void> done = communicator.restart(10); !done)
    return done;
  for (int round = 0; round < 10; ++round) {
    bool isCause = communicator.rank() == round % communicator.size();
    std::vector<Outgoing> outgoing;
    for (int64_t other = 0; other < communicator.size(); ++other)
      if (other != communicator.rank())
        outgoing.push_back({other, MessageBuffer(size_t(9) << 20), 3});
    (void)communicator.exchange({"lost"}, std::move(outgoing), {});
    if (isCause && round % 2 == 0)
      communicator.fail(errorAt("", "the operand is negative"));
    else if (!isCause && communicator.barrier({"all_reduce"}))
      return errorAt("", "the barrier without a rank must fail");
    if (Result<void> done = communicator.restart(10); !done)
      return done;
    if (Result<void> done = runSteps(communicator); !done)
      return done;
    // The next failure must not end these steps on a slower rank.
    if (Result<void> done = communicator.restart(10); !done)
      return done;
  }
  return {};
}

Result<void> runMode(const std::string &mode, Communicator &communicator) {
  bool isOther = communicator.rank() == 1;
  if (Result<void> met = communicator.barrier({.text = "the start", .isStart = true}); !met)
    return met;
  if (mode == "steps")
    return runSteps(communicator);
  if (mode == "started")
    return runStarted(communicator);
  if (mode == "restart")
    return runRestarts(communicator);
  if (mode == "small")
    return runSmall(communicator);
  if (mode == "large")
    return runLarge(communicator);
  if (mode == "fail" && isOther)
    return errorAt("net.py:7: log", "the operand is negative");
  if (mode == "kill" && isOther)
    raise(SIGKILL);
  if (mode == "exit" && isOther)
    _exit(0);
  if (mode == "end" && isOther)
    return {};
  if (mode == "hang" && isOther)
    sleep(60);
  for (volatile bool spins = mode == "spin" && isOther; spins;) {
  }
  if (mode == "delay" && isOther)
    sleep(3);
  return communicator.barrier(
      {mode == "other" && isOther ? "all_gather, collective 5" : "all_reduce, collective 4"});
}

} // namespace

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  Result<std::unique_ptr<Communicator>> communicator =
      openMpi(mode == "hang" ? CommunicatorOptions() : CommunicatorOptions{.timeout = 2});
  if (!communicator) {
    fmt::print(stderr, "{}", communicator.diagnostics().text());
    return 1;
  }
  int64_t rank = (*communicator)->rank();
  Result<void> done = runMode(mode, **communicator);
  (*communicator)->fail(done.diagnostics());
  fmt::print(stderr, "rank {}: {}", rank, done ? "done\n" : done.diagnostics().text());
  fflush(stderr);
  return done ? 0 : 1;
}
