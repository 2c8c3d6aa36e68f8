#include "lib/compiler/measure/MeasureTarget.h"
#include "lib/runtime/ranks/Communicator.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <span>
#include <tuple>
#include <vector>

namespace proa {
namespace {

using runtime::Communicator;

/// Seconds of an exchange of `bytes` between the ranks 0 and 1, with the copies from and to the memory of a
/// value: the median of `count`.
Result<double> exchangeSeconds(Communicator &communicator, size_t bytes, int count) {
  const runtime::Operation operation{.text = "measurement of links"};
  int64_t other = 1 - communicator.rank();
  std::vector<double> times;
  std::vector<std::byte> source(bytes), target(bytes);
  for (int i = 0; i <= count; ++i) {
    auto begin = std::chrono::steady_clock::now();
    std::vector<runtime::Outgoing> outgoing;
    outgoing.push_back({other, communicator.takeBuffer(bytes)});
    std::memcpy(outgoing.front().buffer.data(), source.data(), bytes);
    std::array<runtime::Incoming, 1> incoming{runtime::Incoming{.rank = other, .bytes = bytes}};
    if (auto done = communicator.exchange(operation, std::move(outgoing), incoming); !done)
      return done.diagnostics();
    std::memcpy(target.data(), incoming.front().buffer.data(), bytes);
    communicator.recycle(std::move(incoming.front().buffer));
    if (i > 0) // the first one waits for the other rank
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::nth_element(times, times.begin() + count / 2);
  return times[static_cast<size_t>(count) / 2];
}

/// Measures on the ranks 0 and 1 and tells the others, which wait.
Result<void> measure(Communicator &communicator, DeviceFacts &facts) {
  constexpr size_t small = 64, large = size_t(8) << 20;
  std::array<double, 2> seconds{};
  if (communicator.rank() < 2)
    for (auto [bytes, count, result] :
         {std::tuple{small, 200, &seconds[0]}, std::tuple{large, 10, &seconds[1]}}) {
      Result<double> measured = exchangeSeconds(communicator, bytes, count);
      if (!measured)
        return measured.diagnostics();
      *result = *measured;
    }
  auto all =
      communicator.gather({.text = "measured links", .isStart = true}, std::as_bytes(std::span(seconds)));
  if (!all)
    return all.diagnostics();
  std::memcpy(seconds.data(), all->at(0).data(), sizeof(seconds));
  double latency = seconds[0], perByte = std::max(seconds[1] - latency, 1e-9) / double(large - small);
  facts.linkNanoseconds = std::llround(latency * 1e9);
  facts.linkBandwidth = std::max<int64_t>(std::llround(1e-6 / perByte), 1);
  return {};
}

} // namespace

Result<void> measureLink(DeviceFacts &facts) {
  if (runtime::isStartedByMpi() && runtime::rankStartedByMpi().size > 1) {
    auto communicator = runtime::openMpi();
    return communicator ? measure(**communicator, facts) : Result<void>(communicator.diagnostics());
  }
  Diagnostics errors;
  std::array<DeviceFacts, 2> ofRank{facts, facts};
  for (const Diagnostics &own : runtime::runSimulated(2, [&](std::shared_ptr<Communicator> communicator) {
         return measure(*communicator, ofRank[static_cast<size_t>(communicator->rank())]);
       }))
    errors.append(own);
  if (!errors.empty())
    return errors;
  facts.linkNanoseconds = ofRank[0].linkNanoseconds;
  facts.linkBandwidth = ofRank[0].linkBandwidth;
  return {};
}

} // namespace proa
