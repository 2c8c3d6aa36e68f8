#include "lib/runtime/ranks/Communicator.h"

#include "lib/runtime/ranks/StartedOperation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace proa::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The head of a message.
struct Envelope {
  uint64_t hash;     ///< of the operation; of a note its kind
  uint64_t sequence; ///< number of the message between the two ranks on its channel
  uint64_t source;
  int64_t sentAt; ///< nanoseconds of the clock of the machine, for emulated links
  char text[MessageBuffer::envelopeBytes - MessageBuffer::transportBytes - 32]; ///< perhaps cut off
};
static_assert(sizeof(Envelope) == MessageBuffer::envelopeBytes - MessageBuffer::transportBytes);

/// An entry of a note about an end or a restart.
struct ChannelCount {
  int64_t channel;
  uint64_t count;
};

std::map<int64_t, uint64_t> readCounts(std::string_view text) {
  std::map<int64_t, uint64_t> counts;
  for (; text.size() >= sizeof(ChannelCount); text.remove_prefix(sizeof(ChannelCount))) {
    ChannelCount entry;
    std::memcpy(&entry, text.data(), sizeof(entry));
    counts[entry.channel] = entry.count;
  }
  return counts;
}

uint64_t hashOf(const Operation &operation) {
  return operation.hash ? operation.hash : runtime::hashOf(operation.text);
}

void writeEnvelope(MessageBuffer &buffer, const std::string &text, uint64_t hash, uint64_t sequence,
                   int64_t source) {
  Envelope envelope = {
      hash, sequence, static_cast<uint64_t>(source), Clock::now().time_since_epoch().count(), {}};
  text.copy(envelope.text, sizeof(envelope.text) - 1);
  std::memcpy(buffer.all().data(), &envelope, sizeof(envelope));
}

Envelope readEnvelope(const MessageBuffer &buffer) {
  Envelope envelope;
  std::memcpy(&envelope, buffer.all().data(), sizeof(envelope));
  return envelope;
}

/// "rank 1", "ranks 1, 2".
std::string ranksText(const std::vector<int64_t> &ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

std::string onOneLine(const Diagnostics &diagnostics) {
  std::string text;
  for (const Diagnostic &p : diagnostics)
    text += (text.empty() ? "" : "; ") + p.location + (p.location.empty() ? "" : ": ") + p.message;
  return text;
}

} // namespace

uint64_t hashOf(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

MessageBuffer::MessageBuffer(size_t bytes)
    : memory(std::make_unique_for_overwrite<std::byte[]>(bytes + envelopeBytes)), bytes(bytes), room(bytes) {}

Communicator::Communicator(int64_t rank, int64_t size, const CommunicatorOptions &options)
    : self(rank), count(size), options(options) {}

Communicator::~Communicator() = default;

MessageBuffer Communicator::takeBuffer(size_t bytes) {
  std::lock_guard lock(bufferMutex);
  auto fits = [&](const MessageBuffer &buffer) {
    return buffer.capacity() >= bytes && buffer.capacity() / 2 <= bytes;
  };
  auto found = std::ranges::find_if(freeBuffers, fits);
  if (found == freeBuffers.end())
    return MessageBuffer(bytes);
  MessageBuffer buffer = std::move(*found);
  freeBuffers.erase(found);
  buffer.shrink(bytes);
  return buffer;
}

void Communicator::recycle(MessageBuffer buffer) {
  // Small ones cost nothing to allocate. Of large ones only the last are kept.
  constexpr size_t leastBytes = 1 << 16, mostBuffers = 16, mostBytes = size_t(256) << 20;
  if (!buffer.all().data() || buffer.capacity() < leastBytes)
    return;
  std::lock_guard lock(bufferMutex);
  freeBuffers.insert(freeBuffers.begin(), std::move(buffer));
  size_t count = 0, bytes = 0;
  while (count < std::min(freeBuffers.size(), mostBuffers) &&
         bytes + freeBuffers[count].capacity() <= mostBytes)
    bytes += freeBuffers[count++].capacity();
  freeBuffers.resize(count);
}

std::vector<int64_t> Communicator::Wait::missingRanks() const {
  std::vector<int64_t> ranks;
  for (size_t i = 0; i < incoming.size(); ++i)
    if (!arrived[i])
      ranks.push_back(incoming[i].rank);
  return ranks;
}

std::string Communicator::Wait::text(int64_t self) const {
  std::vector<int64_t> missing = missingRanks();
  std::string what = missing.empty() ? "sends its shard" : "waits for " + ranksText(missing);
  return fmt::format("rank {} {} in {}", self, what, operation.text);
}

Result<void> Communicator::exchange(const Operation &operation, std::vector<Outgoing> outgoing,
                                    std::span<Incoming> incoming) {
  return exchange(operation, std::move(outgoing), incoming, false);
}

Result<void> Communicator::exchange(const Operation &operation, std::vector<Outgoing> outgoing,
                                    std::span<Incoming> incoming, bool anySize) {
  Turn turn(*this);
  if (hasFailed())
    return failure;
  auto isWrong = [&](const auto &message) { return message.rank < 0 || message.rank >= count; };
  if (std::ranges::any_of(outgoing, isWrong) || std::ranges::any_of(incoming, isWrong))
    return errorAt("", fmt::format("{} needs more than the {} ranks of this run", operation.text, count));
  Wait wait{operation, incoming, anySize, std::vector<bool>(incoming.size())};
  // A late rank may find the messages that it needs, but the others have given up.
  readNotes();
  if (!notes.reports.empty())
    return failInWait(wait, "");
  bool mustFlush = postAll(operation, std::move(outgoing));
  return waitFor(wait, [&](std::string &reason) {
    reason = receive(wait);
    return wait.missingRanks().empty() && (!mustFlush || isFlushed());
  });
}

/// Returns whether messages of channel 0 are among them.
bool Communicator::postAll(const Operation &operation, std::vector<Outgoing> outgoing) {
  bool isOfChannel0 = false;
  for (Outgoing &message : outgoing) {
    writeEnvelope(message.buffer, operation.text, hashOf(operation), sent[{message.rank, message.channel}]++,
                  self);
    if (message.rank == self) {
      own[message.channel].push_back(std::move(message.buffer));
      continue;
    }
    isOfChannel0 |= message.channel == 0;
    post(message.rank, message.channel, std::move(message.buffer));
  }
  return isOfChannel0;
}

template <class Condition> Result<void> Communicator::waitFor(Wait &wait, const Condition &isDone) {
  double limit = wait.operation.isStart ? options.startTimeout : options.timeout;
  noteProgress();
  while (true) {
    progress();
    std::string reason;
    bool done = isDone(reason);
    if (!reason.empty())
      return failInWait(wait, reason);
    if (done)
      return {};
    if (reason = endedFromOutside(); !reason.empty())
      return failInWait(wait, reason);
    readNotes();
    if (!notes.reports.empty())
      return failInWait(wait, "");
    for (size_t i = 0; i < wait.incoming.size(); ++i)
      if (!wait.arrived[i] && sendsNoMoreOf(wait.incoming[i]))
        return failInWait(wait, fmt::format("rank {} has ended its run", wait.incoming[i].rank));
    if (secondsSince(lastProgress) > limit)
      return failInWait(wait, fmt::format("no message for {} s", limit));
    rest();
  }
}

Result<void> Communicator::run(const Operation &operation, Rounds &rounds) {
  std::vector<Incoming> received;
  while (true) {
    Result<std::optional<Rounds::Round>> round = rounds.next(received);
    if (!round)
      return round.diagnostics();
    if (!*round)
      return {};
    received = std::move((*round)->incoming);
    if (Result<void> done = exchange(operation, std::move((*round)->outgoing), received); !done)
      return done;
  }
}

Result<void> Communicator::wait(int64_t channel) {
  Turn turn(*this);
  if (hasFailed())
    return failure;
  auto found = started.find(channel);
  if (found == started.end())
    return errorAt("", fmt::format("no operation was started on channel {}", channel));
  Started &operation = *found->second;
  Result<void> done = waitFor(operation.wait, [&](std::string &reason) {
    reason = operation.reason;
    return operation.isDone;
  });
  if (done && !operation.diagnostics.empty())
    done = operation.diagnostics;
  started.erase(channel);
  return done;
}

/// Lets the caller wait a moment.
void Communicator::rest() {
  isFlushed(); // lets the implementation work
  limitRest(caller);
  idle(caller);
}

/// A thread waits at most until a delayed message is due.
void Communicator::limitRest(Idler &idler) const {
  idler.seconds = 20e-3;
  for (const auto &[from, messages] : delayed)
    if (!messages.empty())
      idler.seconds = std::min(idler.seconds, std::max(0.0, -secondsSince(messages.front().due)));
}

/// The next message of this rank to itself.
std::optional<MessageBuffer> Communicator::takeOwn(int64_t channel) {
  std::deque<MessageBuffer> &queue = own[channel];
  if (queue.empty())
    return std::nullopt;
  MessageBuffer buffer = std::move(queue.front());
  queue.pop_front();
  return buffer;
}

/// The next message of a rank on a channel, if it has arrived and its link is not slower.
std::optional<MessageBuffer> Communicator::take(int64_t rank, int64_t channel) {
  if (rank == self)
    return takeOwn(channel);
  if (options.link.bandwidth <= 0)
    return poll(rank, channel);
  std::deque<Delayed> &messages = delayed[{rank, channel}];
  while (std::optional<MessageBuffer> buffer = poll(rank, channel)) {
    auto after = [](Clock::time_point start, double seconds) {
      return start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    };
    Clock::time_point sentAt{Clock::duration(readEnvelope(*buffer).sentAt)};
    linkIsFree = after(std::max(linkIsFree, after(sentAt, options.link.latency)),
                       static_cast<double>(buffer->size()) / options.link.bandwidth);
    messages.push_back({std::move(*buffer), linkIsFree});
  }
  if (messages.empty() || messages.front().due > Clock::now())
    return std::nullopt;
  MessageBuffer buffer = std::move(messages.front().buffer);
  messages.pop_front();
  return buffer;
}

/// Takes what has arrived. Returns why a message is wrong, if one is.
std::string Communicator::receive(Wait &wait) {
  for (size_t i = 0; i < wait.incoming.size(); ++i) {
    if (wait.arrived[i])
      continue;
    Incoming &incoming = wait.incoming[i];
    std::optional<MessageBuffer> buffer = take(incoming.rank, incoming.channel);
    if (!buffer)
      continue;
    wait.arrived[i] = true;
    noteProgress();
    if (std::string reason = openEnvelope(wait, incoming, *buffer); !reason.empty())
      return reason;
    incoming.buffer = std::move(*buffer);
  }
  return {};
}

std::string Communicator::openEnvelope(const Wait &wait, const Incoming &incoming,
                                       const MessageBuffer &buffer) {
  Envelope envelope = readEnvelope(buffer);
  uint64_t expected = received[{incoming.rank, incoming.channel}]++;
  if (envelope.hash != hashOf(wait.operation))
    return fmt::format("rank {} is at {}, rank {} at {}: the ranks run different programs", incoming.rank,
                       envelope.text, self, wait.operation.text);
  if (envelope.sequence != expected)
    return fmt::format("message {} of rank {} came, expected message {}", envelope.sequence, incoming.rank,
                       expected);
  if (!wait.anySize && buffer.size() != incoming.bytes)
    return fmt::format("rank {} sent {} bytes, expected {}", incoming.rank, buffer.size(), incoming.bytes);
  return {};
}

/// Ends the run of all ranks. `reason` is empty if another rank has failed.
Result<void> Communicator::failInWait(Wait &wait, const std::string &reason) {
  std::string state = wait.text(self);
  postNote(Note::Failure, reason.empty() ? state : state + ": " + reason);
  // The others tell what they are doing.
  pollUntil(0.5, [&] {
    readNotes();
    for (int64_t rank = 0; rank < count; ++rank)
      if (rank != self && !notes.reports.contains(rank) && !hasLeft(rank))
        return false;
    return true;
  });
  std::string text = reason.empty() ? state : state + ": " + reason;
  for (int64_t rank = 0; rank < count && endedFromOutside().empty(); ++rank)
    if (auto report = notes.reports.find(rank); report != notes.reports.end())
      text += "; " + report->second;
    else if (rank != self)
      text += fmt::format("; rank {} {}", rank, hasLeft(rank) ? "has ended" : "does not answer");
  failure = errorAt("", text);
  return failure;
}

Result<void> Communicator::checkOthers(const std::string &what) {
  if (!failure.empty())
    return failure;
  readNotes();
  if (notes.reports.empty() && endedFromOutside().empty())
    return {};
  std::string text = fmt::format("rank {} waits for {}", self, what);
  postNote(Note::Failure, text);
  for (const auto &[rank, report] : notes.reports)
    text += "; " + report;
  if (std::string reason = endedFromOutside(); !reason.empty())
    text += "; " + reason;
  failure = errorAt("", text);
  return failure;
}

void Communicator::readNotes() {
  while (std::optional<MessageBuffer> note = poll(anyRank, noteTag)) {
    Envelope envelope = readEnvelope(*note);
    auto source = static_cast<int64_t>(envelope.source);
    std::string text(reinterpret_cast<const char *>(note->data()), note->size());
    Notes &target = notes.restarts.contains(source) ? nextNotes : notes;
    switch (static_cast<Note>(envelope.hash)) {
    case Note::End:
      ended[source] = readCounts(text);
      break;
    case Note::Failure:
      target.reports.try_emplace(source, std::move(text));
      break;
    case Note::Restart:
      target.restarts[source] = readCounts(text);
      break;
    }
  }
}

/// Whether a rank has ended or started again, and all that it had sent before on a channel was taken.
bool Communicator::sendsNoMoreOf(const Incoming &incoming) {
  auto restarted = notes.restarts.find(incoming.rank), end = ended.find(incoming.rank);
  if (restarted == notes.restarts.end() && end == ended.end())
    return false;
  Counts &counts = restarted == notes.restarts.end() ? end->second : restarted->second;
  return received[{incoming.rank, incoming.channel}] >= counts[incoming.channel];
}

void Communicator::postNote(Note note, const std::string &fullText) {
  constexpr size_t mostBytes = 1 << 16;
  for (int64_t rank = 0; rank < count; ++rank)
    if (rank != self)
      postNote(rank, note, fullText.substr(0, mostBytes));
}

void Communicator::postNote(int64_t rank, Note note, const std::string &text) {
  MessageBuffer buffer(text.size());
  text.copy(reinterpret_cast<char *>(buffer.data()), text.size());
  writeEnvelope(buffer, {}, static_cast<uint64_t>(note), 0, self);
  post(rank, noteTag, std::move(buffer));
}

/// Tells each rank how many messages it was sent.
void Communicator::postCounts(Note note) {
  for (int64_t rank = 0; rank < count; ++rank)
    if (rank != self)
      postNote(rank, note, countsTo(rank));
}

void Communicator::announceEnd() { postCounts(Note::End); }

/// The numbers of messages sent to a rank since the last start, as bytes of ChannelCount.
std::string Communicator::countsTo(int64_t rank) const {
  std::string text;
  for (const auto &[target, count] : sent)
    if (target.first == rank) {
      ChannelCount entry{target.second, count};
      text.append(reinterpret_cast<const char *>(&entry), sizeof(entry));
    }
  return text;
}

/// Takes the messages that a rank had sent before it called restart(). Whether all have arrived.
bool Communicator::dropMessagesOf(int64_t rank) {
  auto counts = notes.restarts.find(rank);
  if (counts == notes.restarts.end())
    return false;
  for (auto [channel, count] : counts->second)
    for (uint64_t &taken = received[{rank, channel}]; taken < count; ++taken) {
      std::optional<MessageBuffer> buffer = poll(rank, channel);
      if (!buffer)
        return false;
      recycle(std::move(*buffer));
    }
  return true;
}

Result<void> Communicator::restart(double seconds) {
  Turn turn(*this);
  started.clear();
  for (auto &[from, messages] : std::exchange(delayed, {}))
    received[from] += messages.size();
  postCounts(Note::Restart);
  std::vector<int64_t> missing;
  pollUntil(seconds, [&] {
    readNotes();
    missing.clear();
    bool waits = !isFlushed();
    for (int64_t rank = 0; rank < count; ++rank)
      if (rank != self && !dropMessagesOf(rank)) {
        missing.push_back(rank);
        waits |= notes.restarts.contains(rank) || !ended.contains(rank);
      }
    return !waits;
  });
  failure = {};
  if (!missing.empty() || !endedFromOutside().empty()) {
    std::string reason = endedFromOutside();
    failure = errorAt("", reason.empty() ? fmt::format("{} {} ended or not answered", ranksText(missing),
                                                       missing.size() == 1 ? "has" : "have")
                                         : reason);
    return failure;
  }
  notes = std::exchange(nextNotes, {});
  sent.clear();
  received.clear();
  own.clear();
  return {};
}

template <class Condition> bool Communicator::pollUntil(double seconds, const Condition &isDone) {
  Clock::time_point start = Clock::now();
  while (!isDone()) {
    if (secondsSince(start) > seconds || !endedFromOutside().empty())
      return false;
    rest();
  }
  return true;
}

/// `ranks` (empty: all) without this one.
std::vector<int64_t> Communicator::othersOf(std::span<const int64_t> ranks) const {
  std::vector<int64_t> others(ranks.begin(), ranks.end());
  for (int64_t rank = 0; ranks.empty() && rank < count; ++rank)
    others.push_back(rank);
  std::erase(others, self);
  return others;
}

Result<void> Communicator::barrier(const Operation &operation, std::span<const int64_t> ranks) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int64_t other : othersOf(ranks)) {
    outgoing.push_back({other, MessageBuffer(0)});
    incoming.push_back({other});
  }
  return exchange(operation, std::move(outgoing), incoming);
}

Result<std::map<int64_t, std::vector<std::byte>>> Communicator::gather(const Operation &operation,
                                                                       std::span<const std::byte> bytes,
                                                                       std::span<const int64_t> ranks) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int64_t other : othersOf(ranks)) {
    MessageBuffer buffer(bytes.size());
    std::ranges::copy(bytes, buffer.data());
    outgoing.push_back({other, std::move(buffer)});
    incoming.push_back({other});
  }
  if (Result<void> done = exchange(operation, std::move(outgoing), incoming, /*anySize=*/true); !done)
    return done.diagnostics();
  std::map<int64_t, std::vector<std::byte>> all;
  all[self].assign(bytes.begin(), bytes.end());
  for (const Incoming &message : incoming)
    all[message.rank].assign(message.buffer.data(), message.buffer.data() + message.buffer.size());
  return all;
}

/// The next line of a text, which loses it.
static std::string_view takeLine(std::string_view &text) {
  size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

Result<void> Communicator::compare(const Operation &operation, std::string_view text,
                                   std::span<const int64_t> ranks) {
  auto texts = gather(operation, std::as_bytes(std::span(text)), ranks);
  if (!texts)
    return texts.diagnostics();
  for (const auto &[other, bytes] : *texts) {
    std::string_view theirs(reinterpret_cast<const char *>(bytes.data()), bytes.size()), own = text;
    while (!own.empty() || !theirs.empty()) {
      std::string_view ownLine = takeLine(own), theirLine = takeLine(theirs);
      if (ownLine != theirLine)
        return errorAt("", fmt::format("the ranks run different programs: rank {} has '{}', rank {} has '{}'",
                                       self, ownLine, other, theirLine));
    }
  }
  return {};
}

void Communicator::fail(const Diagnostics &diagnostics) {
  Turn turn(*this);
  if (diagnostics.empty())
    return;
  started.clear();
  if (hasFailed())
    return;
  failure = errorAt("", fmt::format("rank {} has failed: {}", self, onOneLine(diagnostics)));
  postNote(Note::Failure, failure[0].message);
  pollUntil(1, [&] { return isFlushed(); });
}

bool Communicator::waitForEnd() {
  if (!hasFailed())
    return pollUntil(options.timeout, [&] { return isFlushed(); });
  return pollUntil(1.5, [&] {
    readNotes();
    return isFlushed() && static_cast<int64_t>(ended.size()) == count - 1;
  });
}

} // namespace proa::runtime
