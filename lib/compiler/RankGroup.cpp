#include "lib/compiler/RankGroup.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <set>
#include <span>
#include <string_view>

namespace proa {
namespace {

/// This process as a rank of MPI. A process enters and leaves MPI once, so all models share it.
Result<std::shared_ptr<runtime::Communicator>> processRank() {
  static std::shared_ptr<runtime::Communicator> shared;
  if (shared)
    return shared;
  auto opened = runtime::openMpi();
  if (!opened)
    return opened.problems();
  shared = std::move(*opened);
  return shared;
}

/// The problems without repetitions.
Problems uniqueOf(const std::vector<const Problems *> &lists) {
  Problems unique;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Problems *list : lists)
    for (const Problem &problem : *list)
      if (seen.emplace(problem.where, problem.message).second)
        unique.add(problem.where, problem.message);
  return unique;
}

} // namespace

RankGroup::RankGroup(bool simulates, size_t count)
    : simulates(simulates), communicators(count), problems(count), isFirst(count) {}

Result<std::unique_ptr<RankGroup>> RankGroup::openProcesses() {
  auto rank = processRank();
  if (!rank)
    return rank.problems();
  std::unique_ptr<RankGroup> group(new RankGroup(false, 1));
  group->communicators[0] = *rank;
  return group;
}

std::unique_ptr<RankGroup> RankGroup::simulate(int64_t size) {
  std::unique_ptr<RankGroup> group(new RankGroup(true, static_cast<size_t>(size)));
  group->connect();
  for (size_t index = 0; size > 1 && index < group->count(); ++index)
    group->threads.emplace_back([group = group.get(), index] { group->serve(index); });
  return group;
}

RankGroup::~RankGroup() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

/// Connects simulated ranks, again after a failure.
void RankGroup::connect() {
  runtime::SimulatedMesh mesh(static_cast<int64_t>(count()));
  for (size_t index = 0; index < count(); ++index)
    communicators[index] = mesh.take(static_cast<int64_t>(index));
}

void RankGroup::call(size_t index) {
  runtime::Communicator &communicator = *communicators[index];
  Problems found;
  try {
    found = (*body)(index).problems();
  } catch (const std::exception &error) {
    found = problem("", error.what());
  }
  isFirst[index] = !communicator.hasFailed();
  if (!found.empty() && isFirst[index])
    communicator.fail(found);
  problems[index] = std::move(found);
}

void RankGroup::serve(size_t index) {
  for (uint64_t done = 0;; ++done) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return isEnding || round > done; });
      if (isEnding)
        return;
    }
    call(index);
    std::lock_guard lock(mutex);
    if (--running == 0)
      changed.notify_all();
  }
}

Result<void> RankGroup::forEach(const Body &work) {
  if (simulates && std::ranges::any_of(communicators, [](const auto &c) { return c->hasFailed(); }))
    connect();
  body = &work;
  if (threads.empty()) {
    call(0);
  } else {
    std::unique_lock lock(mutex);
    ++round;
    running = count();
    changed.notify_all();
    changed.wait(lock, [&] { return running == 0; });
  }
  std::vector<const Problems *> first, all;
  for (size_t index = 0; index < count(); ++index) {
    all.push_back(&problems[index]);
    if (isFirst[index])
      first.push_back(&problems[index]);
  }
  Problems causes = uniqueOf(first);
  return causes.empty() ? uniqueOf(all) : causes;
}

Result<void> RankGroup::agree(const std::string &what, const Result<void> &outcome, uint64_t hash) {
  if (simulates)
    return outcome;
  std::string text(reinterpret_cast<const char *>(&hash), sizeof hash);
  for (const Problem &problem : outcome.problems())
    text += problem.where + '\0' + problem.message + '\0';
  auto gathered =
      communicators[0]->gather({what, 0, true}, std::as_bytes(std::span(text.data(), text.size())));
  if (!gathered)
    return outcome ? Result<void>(gathered.problems()) : outcome;
  Problems found;
  bool isEqual = true;
  for (const auto &[rank, bytes] : *gathered) {
    std::string_view given(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    isEqual &= given.size() > sizeof hash || given.starts_with(text.substr(0, sizeof hash));
    for (given.remove_prefix(sizeof hash); !given.empty();) {
      std::string where(given.data()), message(given.data() + where.size() + 1);
      given.remove_prefix(where.size() + message.size() + 2);
      found.add("rank " + std::to_string(rank) + (where.empty() ? "" : ": " + where), message);
    }
  }
  if (found.empty() && !isEqual)
    return problem(what, "the ranks have different programs, expected equal ones");
  return found;
}

} // namespace proa
