//! Ranks that fail, end, stay silent or do something else: all others end with an error that names rank and
//! operation.
#include "lib/runtime/ranks/Communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace proa::runtime {
namespace {

using testing::HasSubstr;

using Body = std::function<Result<void>(std::shared_ptr<Communicator>)>;

/// The messages of the ranks; the run must not take longer than `seconds`.
std::vector<std::string> messagesOf(int64_t size, const Body &body, double seconds,
                                    const CommunicatorOptions &options = {}) {
  auto start = std::chrono::steady_clock::now();
  std::vector<std::string> messages;
  for (const Diagnostics &diagnostics : runSimulated(size, body, options))
    messages.push_back(diagnostics.empty() ? "" : diagnostics[0].message);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), seconds);
  return messages;
}

TEST(CommunicatorTest, MessagesKeepTheirOrder) {
  auto messages = messagesOf(
      3,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        for (int i = 0; i < 200; ++i) {
          std::vector<Outgoing> outgoing;
          std::vector<Incoming> incoming;
          for (int64_t other = 0; other < 3; ++other)
            if (other != c->rank())
              for (int64_t channel : {0, 5}) {
                MessageBuffer buffer(sizeof(int));
                *reinterpret_cast<int *>(buffer.data()) =
                    static_cast<int>(i * 100 + c->rank() * 10 + channel);
                outgoing.push_back({other, std::move(buffer), channel});
                incoming.push_back({other, sizeof(int), channel});
              }
          if (auto done = c->exchange({"step"}, std::move(outgoing), incoming); !done)
            return done;
          for (Incoming &message : incoming)
            EXPECT_EQ(*reinterpret_cast<int *>(message.buffer.data()),
                      i * 100 + message.rank * 10 + message.channel);
        }
        return c->barrier({"the end"});
      },
      10);
  EXPECT_EQ(messages, std::vector<std::string>(3));
}

TEST(CommunicatorTest, ARankFails) {
  auto messages = messagesOf(
      3,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        if (c->rank() == 1)
          return errorAt("net.py:7: log", "the operand is negative");
        return c->barrier({"all_reduce 4"});
      },
      3);
  EXPECT_EQ(messages[1], "the operand is negative");
  EXPECT_THAT(messages[0], HasSubstr("rank 0 waits for rank"));
  EXPECT_THAT(messages[0], HasSubstr("in all_reduce 4"));
  EXPECT_THAT(messages[0], HasSubstr("rank 1 has failed: net.py:7: log: the operand is negative"));
  EXPECT_THAT(messages[2], HasSubstr("rank 1 has failed: net.py:7: log: the operand is negative"));
}

TEST(CommunicatorTest, ARankThrows) {
  auto messages = messagesOf(
      2,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        if (c->rank() == 1)
          throw std::runtime_error("no memory");
        return c->barrier({"all_gather 2"});
      },
      3);
  EXPECT_THAT(messages[0], HasSubstr("rank 1 has failed: no memory"));
}

TEST(CommunicatorTest, ARankEndsEarly) {
  auto messages = messagesOf(
      2,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        return c->rank() == 1 ? Result<void>() : c->barrier({"all_gather 2"});
      },
      3);
  EXPECT_THAT(messages[0], HasSubstr("rank 0 waits for rank 1 in all_gather 2: rank 1 has ended its run"));
}

TEST(CommunicatorTest, RanksStartAgainAfterAFailure) {
  auto messages = messagesOf(
      3,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        for (int round = 0; round < 20; ++round) {
          // Messages on channel 5 that nobody takes; then one rank fails, or leaves without a word.
          std::vector<Outgoing> outgoing;
          for (int64_t other = 0; other < 3; ++other)
            if (other != c->rank())
              outgoing.push_back({other, MessageBuffer(100), 5});
          (void)c->exchange({"lost"}, std::move(outgoing), {});
          bool isCause = c->rank() == round % 3;
          if (isCause && round % 2 == 0)
            c->fail(errorAt("", "round " + std::to_string(round)));
          else if (!isCause && c->barrier({"round"}))
            return errorAt("", "the barrier without a rank must fail");
          if (Result<void> done = c->restart(10); !done)
            return done;
          std::vector<Incoming> incoming;
          outgoing.clear();
          for (int64_t other = 0; other < 3; ++other)
            if (other != c->rank()) {
              MessageBuffer buffer(sizeof(int));
              *reinterpret_cast<int *>(buffer.data()) = round;
              outgoing.push_back({other, std::move(buffer), 5});
              incoming.push_back({other, sizeof(int), 5});
            }
          if (Result<void> done = c->exchange({"current"}, std::move(outgoing), incoming); !done)
            return done;
          for (Incoming &message : incoming)
            EXPECT_EQ(*reinterpret_cast<int *>(message.buffer.data()), round);
          // A rank that is faster would end this round of the others with the failure of its next one.
          if (Result<void> done = c->restart(10); !done)
            return done;
        }
        return {};
      },
      20);
  EXPECT_EQ(messages, std::vector<std::string>(3));
}

// A rank may fail and start again while a slower one has not yet returned from the start before.
TEST(CommunicatorTest, StartsFollowEachOther) {
  auto messages = messagesOf(
      4,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        for (int round = 0; round < 500; ++round) {
          if (c->rank() == round % 4)
            c->fail(errorAt("", "round " + std::to_string(round)));
          if (Result<void> done = c->restart(5); !done)
            return done;
        }
        return c->barrier({"the end"});
      },
      60);
  EXPECT_EQ(messages, std::vector<std::string>(4));
}

TEST(CommunicatorTest, ARestartWithoutARankFails) {
  auto messages = messagesOf(
      2,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        return c->rank() == 1 ? Result<void>() : c->restart(0.3);
      },
      3);
  EXPECT_EQ(messages[0], "rank 1 has ended or not answered");
}

TEST(CommunicatorTest, ARankIsSilent) {
  auto messages = messagesOf(3,
                             [](const std::shared_ptr<Communicator> &c) -> Result<void> {
                               if (c->rank() == 2)
                                 std::this_thread::sleep_for(std::chrono::milliseconds(1500));
                               return c->barrier({"reduce_scatter 9"});
                             },
                             4, {.timeout = 0.3});
  EXPECT_THAT(messages[0], HasSubstr("rank 0 waits for rank 2 in reduce_scatter 9"));
  EXPECT_THAT(messages[0], HasSubstr("no message for 0.3 s"));
  EXPECT_THAT(messages[0], HasSubstr("rank 1 waits for rank 2 in reduce_scatter 9"));
  EXPECT_THAT(messages[0], HasSubstr("rank 2 does not answer"));
  // It learns of the failure when it arrives, and does not use the messages of the others.
  EXPECT_THAT(messages[2], HasSubstr("waits for rank 2 in reduce_scatter 9: no message for 0.3 s"));
}

TEST(CommunicatorTest, RanksMayMeetLate) {
  auto messages = messagesOf(2,
                             [](const std::shared_ptr<Communicator> &c) -> Result<void> {
                               if (c->rank() == 1)
                                 std::this_thread::sleep_for(std::chrono::milliseconds(600));
                               return c->barrier({.text = "the first run", .isStart = true});
                             },
                             4, {.timeout = 0.2});
  EXPECT_EQ(messages, std::vector<std::string>(2));
}

TEST(CommunicatorTest, RanksDisagree) {
  auto messages = messagesOf(
      2,
      [](const std::shared_ptr<Communicator> &c) {
        return c->barrier({c->rank() == 0 ? "all_reduce of float32[4], collective 1"
                                          : "all_gather of float32[4], collective 2"});
      },
      3);
  for (const std::string &message : messages) {
    EXPECT_THAT(message, HasSubstr("the ranks run different programs"));
    EXPECT_THAT(message, HasSubstr("all_reduce of float32[4], collective 1"));
    EXPECT_THAT(message, HasSubstr("all_gather of float32[4], collective 2"));
  }
}

TEST(CommunicatorTest, SizesDisagree) {
  auto messages = messagesOf(
      2,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        std::vector<Outgoing> outgoing;
        outgoing.push_back({1 - c->rank(), MessageBuffer(c->rank() == 0 ? 8 : 16)});
        Incoming incoming{1 - c->rank(), 16};
        return c->exchange({"permute"}, std::move(outgoing), {&incoming, 1});
      },
      3);
  EXPECT_THAT(messages[1], HasSubstr("rank 0 sent 8 bytes, expected 16"));
}

/// Rounds that send the number of the round to all others, and check what comes.
class CountedRounds final : public Rounds {
public:
  CountedRounds(Communicator &c, int64_t channel, int count) : c(c), channel(channel), count(count) {}
  Result<std::optional<Round>> next(std::span<Incoming> received) override {
    for (Incoming &message : received)
      if (*reinterpret_cast<int *>(message.buffer.data()) != number - 1)
        return errorAt("", "a message of another round");
    if (number == count)
      return std::optional<Round>();
    Round round;
    for (int64_t other = 0; other < c.size(); ++other) {
      if (other == c.rank())
        continue;
      MessageBuffer buffer(sizeof(int));
      *reinterpret_cast<int *>(buffer.data()) = number;
      round.outgoing.push_back({other, std::move(buffer), channel});
      round.incoming.push_back({other, sizeof(int), channel});
    }
    ++number;
    return std::optional(std::move(round));
  }

private:
  Communicator &c;
  int64_t channel;
  int count, number = 0;
};

Result<void> startRounds(Communicator &c, int64_t channel, int count) {
  return c.start({"started " + std::to_string(channel)}, channel,
                 std::make_unique<CountedRounds>(c, channel, count));
}

TEST(CommunicatorTest, StartedOperationsEndInAnyOrder) {
  auto messages = messagesOf(
      3,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        for (int i = 0; i < 20; ++i) {
          // Ranks start and await them in other orders, with an operation that is not started in between.
          for (int64_t k = 0; k < 5; ++k)
            if (auto done = startRounds(*c, 10 + (k + c->rank()) % 5, 4); !done)
              return done;
          if (auto done = c->barrier({"between"}); !done)
            return done;
          for (int64_t k = 0; k < 5; ++k)
            if (auto done = c->wait(10 + (k * 2 + c->rank()) % 5); !done)
              return done;
        }
        return c->barrier({"the end"});
      },
      10);
  EXPECT_EQ(messages, std::vector<std::string>(3));
}

/// As CountedRounds; says when the last round has ended.
class ObservedRounds final : public Rounds {
public:
  ObservedRounds(Communicator &c, std::shared_ptr<std::atomic<bool>> hasEnded)
      : rounds(c, 10, 20), hasEnded(std::move(hasEnded)) {}
  Result<std::optional<Round>> next(std::span<Incoming> received) override {
    auto round = rounds.next(received);
    *hasEnded = round && !*round;
    return round;
  }

private:
  CountedRounds rounds;
  std::shared_ptr<std::atomic<bool>> hasEnded;
};

TEST(CommunicatorTest, StartedOperationsCommunicateWhileTheCallerWorks) {
  auto messages = messagesOf(
      2,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        auto hasEnded = std::make_shared<std::atomic<bool>>(false);
        if (auto done = c->start({"started"}, 10, std::make_unique<ObservedRounds>(*c, hasEnded)); !done)
          return done;
        for (int i = 0; i < 2000 && !*hasEnded; ++i) // without a call of the communicator
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return *hasEnded ? c->wait(10) : errorAt("", "it has not ended");
      },
      30, {.link = {1e-3, 1e9}});
  EXPECT_EQ(messages, std::vector<std::string>(2));
}

TEST(CommunicatorTest, AnEmulatedLinkDelaysMessages) {
  auto start = std::chrono::steady_clock::now(); // a rank may have sent before the other one begins to wait
  auto messages = messagesOf(
      2,
      [start](const std::shared_ptr<Communicator> &c) -> Result<void> {
        std::vector<Outgoing> outgoing;
        outgoing.push_back({1 - c->rank(), MessageBuffer(1 << 20)});
        Incoming incoming{1 - c->rank(), 1 << 20};
        if (auto done = c->exchange({"large"}, std::move(outgoing), std::span(&incoming, 1)); !done)
          return done;
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        return seconds.count() > 0.11 ? Result<void>() : errorAt("", "it took less than 110 ms");
      },
      10, {.link = {0.01, (1 << 20) / 0.1}});
  EXPECT_EQ(messages, std::vector<std::string>(2));
}

TEST(CommunicatorTest, AFailureEndsStartedOperations) {
  auto messages = messagesOf(
      3,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        if (auto done = startRounds(*c, 10, c->rank() == 1 ? 1 : 2); !done)
          return done;
        if (c->rank() == 1)
          return errorAt("net.py:7: log", "the operand is negative");
        return c->wait(10);
      },
      3);
  EXPECT_THAT(messages[0], HasSubstr("in started 10"));
  EXPECT_THAT(messages[0], HasSubstr("rank 1 has failed: net.py:7: log: the operand is negative"));
}

TEST(CommunicatorTest, ARankDoesNotStart) {
  auto messages = messagesOf(2,
                             [](const std::shared_ptr<Communicator> &c) -> Result<void> {
                               if (c->rank() == 1)
                                 return c->barrier({"all_reduce 4"});
                               if (auto done = startRounds(*c, 10, 1); !done)
                                 return done;
                               return c->wait(10);
                             },
                             4, {.timeout = 1});
  EXPECT_THAT(messages[0], HasSubstr("rank 0 waits for rank 1 in started 10"));
}

TEST(CommunicatorTest, ErrorsOfRoundsAndChannels) {
  auto messages = messagesOf(
      2,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        EXPECT_THAT(c->wait(10).diagnostics()[0].message,
                    HasSubstr("no operation was started on channel 10"));
        if (auto done = startRounds(*c, 10, 1); !done)
          return done;
        EXPECT_THAT(startRounds(*c, 10, 1).diagnostics()[0].message, HasSubstr("is under way"));
        if (auto done = c->wait(10); !done)
          return done;
        struct Wrong final : Rounds {
          Result<std::optional<Round>> next(std::span<Incoming>) override {
            return errorAt("", "no sum of f8");
          }
        };
        if (auto done = c->start({"wrong"}, 11, std::make_unique<Wrong>()); !done)
          return done;
        return c->wait(11);
      },
      4);
  EXPECT_EQ(messages, std::vector<std::string>(2, "no sum of f8"));
}

TEST(CommunicatorTest, TextsAreComparedByLine) {
  auto messages = messagesOf(
      3,
      [](const std::shared_ptr<Communicator> &c) {
        return c->compare({"the comparison"}, c->rank() == 2 ? "a\nb\nd\n" : "a\nb\nc\n", {});
      },
      3);
  EXPECT_THAT(messages[0], HasSubstr("rank 0 has 'c', rank 2 has 'd'"));
  EXPECT_THAT(messages[2], HasSubstr("rank 2 has 'd', rank 0 has 'c'"));
}

TEST(CommunicatorTest, BytesAreGathered) {
  auto messages = messagesOf(
      3,
      [](const std::shared_ptr<Communicator> &c) -> Result<void> {
        std::string own(static_cast<size_t>(c->rank()), 'a');
        auto all = c->gather({"the names"}, std::as_bytes(std::span(own)));
        if (!all)
          return all.diagnostics();
        EXPECT_EQ(all->size(), 3U);
        for (const auto &[rank, bytes] : *all)
          EXPECT_EQ(bytes.size(), static_cast<size_t>(rank));
        return {};
      },
      3);
  EXPECT_EQ(messages, std::vector<std::string>(3));
}

} // namespace
} // namespace proa::runtime
