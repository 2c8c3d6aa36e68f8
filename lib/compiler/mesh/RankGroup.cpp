#include "lib/compiler/mesh/RankGroup.h"

#include "lib/runtime/host/ThreadPool.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <set>
#include <span>
#include <string_view>

namespace proa {
namespace {

/// This process as a rank of MPI; null before it is opened. A process enters and leaves MPI once, so all
/// models share it.
std::shared_ptr<runtime::Communicator> &sharedRank() {
  static std::shared_ptr<runtime::Communicator> shared;
  return shared;
}

Result<std::shared_ptr<runtime::Communicator>> processRank() {
  std::shared_ptr<runtime::Communicator> &shared = sharedRank();
  if (shared)
    return shared;
  auto opened = runtime::openMpi();
  if (!opened)
    return opened.diagnostics();
  shared = std::move(*opened);
  return shared;
}

/// The errors without repetitions.
Diagnostics uniqueOf(const std::vector<const Diagnostics *> &lists) {
  Diagnostics unique;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Diagnostics *list : lists)
    for (const Diagnostic &diagnostic : *list)
      if (seen.emplace(diagnostic.location, diagnostic.message).second)
        unique.add(diagnostic.location, diagnostic.message);
  return unique;
}

} // namespace

RankGroup::RankGroup(bool simulates, size_t count)
    : simulates(simulates), communicators(count), diagnostics(count), isFirst(count) {}

Result<std::unique_ptr<RankGroup>> RankGroup::openProcesses() {
  auto rank = processRank();
  if (!rank)
    return rank.diagnostics();
  std::unique_ptr<RankGroup> group(new RankGroup(false, 1));
  group->communicators[0] = *rank;
  return group;
}

bool RankGroup::hasProcesses() { return sharedRank() != nullptr; }

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
  setLink(link);
}

void RankGroup::setLink(const runtime::EmulatedLink &emulated) {
  link = emulated;
  for (const auto &communicator : communicators)
    communicator->setLink(link);
}

void RankGroup::call(size_t index) {
  runtime::Communicator &communicator = *communicators[index];
  runtime::ThreadScope threads(threadsOfRank);
  Diagnostics found;
  try {
    found = (*body)(index).diagnostics();
  } catch (const std::exception &error) {
    found = errorAt("", error.what());
  }
  isFirst[index] = !communicator.hasFailed();
  if (!found.empty() && isFirst[index])
    communicator.fail(found);
  diagnostics[index] = std::move(found);
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
  std::vector<const Diagnostics *> first, all;
  for (size_t index = 0; index < count(); ++index) {
    all.push_back(&diagnostics[index]);
    if (isFirst[index])
      first.push_back(&diagnostics[index]);
  }
  Diagnostics causes = uniqueOf(first);
  return causes.empty() ? uniqueOf(all) : causes;
}

Result<void> RankGroup::agree(const std::string &what, const Result<void> &outcome, uint64_t hash) {
  if (simulates)
    return outcome;
  std::string text(reinterpret_cast<const char *>(&hash), sizeof hash);
  text += bytesOf(outcome.diagnostics());
  auto gathered = gather({what, 0, true}, text);
  if (!gathered)
    return outcome ? Result<void>(gathered.diagnostics()) : outcome;
  std::vector<Diagnostics> byRank;
  bool isEqual = true;
  for (std::string_view other : *gathered) {
    isEqual &= other.size() > sizeof hash || other.starts_with(text.substr(0, sizeof hash));
    byRank.push_back(diagnosticsOf(other.substr(sizeof hash)));
  }
  Diagnostics all = diagnosticsOfRanks(byRank);
  if (all.empty() && !isEqual)
    return errorAt(what, "the ranks have different programs, expected equal ones");
  return all;
}

Result<std::vector<std::string>> RankGroup::gather(const runtime::Operation &operation,
                                                   std::string_view text) {
  if (simulates)
    return std::vector{std::string(text)};
  auto gathered = communicators[0]->gather(operation, std::as_bytes(std::span(text)));
  if (!gathered)
    return gathered.diagnostics();
  std::vector<std::string> texts;
  for (const auto &[rank, bytes] : *gathered)
    texts.emplace_back(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return texts;
}

Result<std::vector<std::string>> RankGroup::meet(const std::string &what, const std::string &text,
                                                 double seconds) {
  if (simulates)
    return std::vector{text};
  if (Result<void> met = communicators[0]->restart(seconds); !met)
    return met.diagnostics();
  return gather({what}, text);
}

Diagnostics diagnosticsOfRanks(const std::vector<Diagnostics> &byRank) {
  auto isOf = [](const Diagnostic &diagnostic, const Diagnostics &diagnostics) {
    return std::ranges::any_of(diagnostics, [&](const Diagnostic &other) {
      return other.location == diagnostic.location && other.message == diagnostic.message;
    });
  };
  Diagnostics all;
  for (size_t rank = 0; rank < byRank.size(); ++rank)
    for (const Diagnostic &diagnostic : byRank[rank]) {
      bool isOfAll =
          std::ranges::all_of(byRank, [&](const Diagnostics &other) { return isOf(diagnostic, other); });
      bool namesRank = diagnostic.location.starts_with("rank ") ||
                       (diagnostic.location.empty() && diagnostic.message.starts_with("rank "));
      Diagnostic named = diagnostic;
      if (!isOfAll && !namesRank)
        named.location =
            "rank " + std::to_string(rank) + (named.location.empty() ? "" : ": " + named.location);
      if (!isOf(named, all))
        all.add(std::move(named));
    }
  return all;
}

std::string bytesOf(const Diagnostics &diagnostics) {
  std::string bytes;
  for (const Diagnostic &diagnostic : diagnostics)
    bytes += diagnostic.location + '\0' + diagnostic.message + '\0';
  return bytes;
}

Diagnostics diagnosticsOf(std::string_view bytes) {
  Diagnostics diagnostics;
  while (!bytes.empty()) {
    std::string where(bytes.substr(0, bytes.find('\0')));
    bytes.remove_prefix(std::min(where.size() + 1, bytes.size()));
    std::string message(bytes.substr(0, bytes.find('\0')));
    bytes.remove_prefix(std::min(message.size() + 1, bytes.size()));
    diagnostics.add(where, message);
  }
  return diagnostics;
}

} // namespace proa
