// Barriers and operations of the lanes of a warp, as the PTX ISA describes them.
#include "lib/runtime/emulator/Functions.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace proa::emulator {
namespace {

/// The values of mlir::NVVM::ShflKind, VoteSyncKind, ReduxKind and MatchSyncKind.
enum ShuffleKind : int32_t { butterfly, up, down, indexed };
enum VoteKind : int32_t { any, all, ballot, uniform };
enum ReduceKind : int32_t {
  addKind = 1,
  andKind,
  maxKind,
  minKind,
  orKind,
  unsignedMaxKind,
  unsignedMinKind,
  xorKind,
  floatMinKind,
  floatMaxKind
};
enum MatchKind : int32_t { matchAny, matchAll };

template <class Operands, class Visit> void forEachLane(const LaneOperands &lanes, const Visit &visit) {
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    if (lanes[lane])
      visit(lane, *static_cast<Operands *>(lanes[lane]));
}

struct ShuffleOperands {
  int32_t kind, value, offset, clamp;
  int32_t result = 0;
  bool isValid = false;
};

/// The source lane of a shuffle, and whether it is in the segment of `lane`.
std::pair<uint32_t, bool> sourceLane(uint32_t lane, const ShuffleOperands &operands) {
  auto clamp = static_cast<uint32_t>(operands.clamp), offset = static_cast<uint32_t>(operands.offset) & 31;
  uint32_t segment = clamp >> 8 & 31, last = (lane & segment) | (clamp & 31 & ~segment),
           first = lane & segment;
  int32_t source = 0;
  bool isValid = false;
  switch (operands.kind) {
  case up:
    source = static_cast<int32_t>(lane - offset);
    isValid = source >= static_cast<int32_t>(last);
    break;
  case down:
    source = static_cast<int32_t>(lane + offset);
    isValid = source <= static_cast<int32_t>(last);
    break;
  case butterfly:
    source = static_cast<int32_t>(lane ^ offset);
    isValid = source <= static_cast<int32_t>(last);
    break;
  default:
    source = static_cast<int32_t>(first | (offset & ~segment));
    isValid = source <= static_cast<int32_t>(last);
  }
  return {isValid ? static_cast<uint32_t>(source) : lane, isValid};
}

void performShuffle(Block &block, Thread &thread, const LaneOperands &lanes, uint32_t) {
  forEachLane<ShuffleOperands>(lanes, [&](uint32_t lane, ShuffleOperands &operands) {
    auto [source, isValid] = sourceLane(lane, operands);
    if (!lanes[source])
      block.fail(thread,
                 fmt::format("lane {} of the warp shuffles from lane {}, which is not in the member mask",
                             lane, source));
    operands.result = static_cast<ShuffleOperands *>(lanes[source])->value;
    operands.isValid = isValid;
  });
}

struct VoteOperands {
  int32_t kind, predicate;
  int32_t result = 0;
};

void performVote(Block &, Thread &, const LaneOperands &lanes, uint32_t members) {
  uint32_t votes = 0;
  forEachLane<VoteOperands>(lanes, [&](uint32_t lane, VoteOperands &operands) {
    votes |= static_cast<uint32_t>(operands.predicate != 0) << lane;
  });
  forEachLane<VoteOperands>(lanes, [&](uint32_t, VoteOperands &operands) {
    switch (operands.kind) {
    case any:
      operands.result = votes != 0;
      break;
    case all:
      operands.result = votes == members;
      break;
    case ballot:
      operands.result = static_cast<int32_t>(votes);
      break;
    default:
      operands.result = votes == 0 || votes == members;
    }
  });
}

struct ReduceOperands {
  int32_t kind, value, absolute, propagatesNan;
  int32_t result = 0;
};

float combineFloats(const ReduceOperands &form, float a, float b) {
  if (form.propagatesNan && (std::isnan(a) || std::isnan(b)))
    return NAN;
  return form.kind == floatMinKind ? std::fmin(a, b) : std::fmax(a, b);
}

uint32_t combine(const ReduceOperands &form, uint32_t a, uint32_t b) {
  auto isLess = static_cast<int32_t>(a) < static_cast<int32_t>(b);
  switch (form.kind) {
  case addKind:
    return a + b;
  case andKind:
    return a & b;
  case orKind:
    return a | b;
  case xorKind:
    return a ^ b;
  case maxKind:
    return isLess ? b : a;
  case minKind:
    return isLess ? a : b;
  case unsignedMaxKind:
    return std::max(a, b);
  case unsignedMinKind:
    return std::min(a, b);
  default:
    return std::bit_cast<uint32_t>(combineFloats(form, std::bit_cast<float>(a), std::bit_cast<float>(b)));
  }
}

void performReduce(Block &, Thread &, const LaneOperands &lanes, uint32_t) {
  bool isFirst = true;
  uint32_t result = 0;
  forEachLane<ReduceOperands>(lanes, [&](uint32_t, ReduceOperands &operands) {
    auto value = static_cast<uint32_t>(operands.value);
    if (operands.absolute)
      value &= 0x7fffffff;
    result = isFirst ? value : combine(operands, result, value);
    isFirst = false;
  });
  forEachLane<ReduceOperands>(
      lanes, [&](uint32_t, ReduceOperands &operands) { operands.result = static_cast<int32_t>(result); });
}

struct MatchOperands {
  int32_t kind;
  int64_t value;
  int32_t result = 0;
  bool predicate = false;
};

void performMatch(Block &, Thread &, const LaneOperands &lanes, uint32_t members) {
  forEachLane<MatchOperands>(lanes, [&](uint32_t, MatchOperands &operands) {
    uint32_t same = 0;
    forEachLane<MatchOperands>(lanes, [&](uint32_t lane, const MatchOperands &other) {
      same |= static_cast<uint32_t>(other.value == operands.value) << lane;
    });
    operands.predicate = same == members;
    bool isEmpty = operands.kind == matchAll && !operands.predicate;
    operands.result = isEmpty ? 0 : static_cast<int32_t>(same);
  });
}

struct ElectOperands {
  int32_t isLeader = 0;
};

void performElect(Block &, Thread &, const LaneOperands &lanes, uint32_t members) {
  auto leader = static_cast<size_t>(std::countr_zero(members));
  static_cast<ElectOperands *>(lanes[leader])->isLeader = 1;
}

void performNothing(Block &, Thread &, const LaneOperands &, uint32_t) {}

} // namespace

int32_t barrier(Thread *thread, int32_t id, int32_t count, int32_t reduction, int32_t predicate,
                int32_t site) {
  return thread->block->synchronize(*thread, static_cast<uint32_t>(id), static_cast<uint32_t>(count),
                                    reduction, predicate, site);
}

void barrierArrive(Thread *thread, int32_t id, int32_t count) {
  thread->block->arrive(*thread, static_cast<uint32_t>(id), static_cast<uint32_t>(count));
}

int32_t shuffle(Thread *thread, int32_t kind, int32_t mask, int32_t value, int32_t offset, int32_t clamp,
                int32_t *isValid) {
  ShuffleOperands operands{kind, value, offset, clamp};
  thread->block->collect(*thread, static_cast<uint32_t>(mask), WarpOperation::Shuffle,
                         static_cast<uint32_t>(kind), &operands, performShuffle);
  *isValid = operands.isValid;
  return operands.result;
}

int32_t vote(Thread *thread, int32_t kind, int32_t mask, int32_t predicate) {
  VoteOperands operands{kind, predicate};
  thread->block->collect(*thread, static_cast<uint32_t>(mask), WarpOperation::Vote,
                         static_cast<uint32_t>(kind), &operands, performVote);
  return operands.result;
}

int32_t reduce(Thread *thread, int32_t kind, int32_t mask, int32_t value, int32_t absolute,
               int32_t propagatesNan) {
  ReduceOperands operands{kind, value, absolute, propagatesNan};
  thread->block->collect(*thread, static_cast<uint32_t>(mask), WarpOperation::Reduce,
                         static_cast<uint32_t>(kind | absolute << 8 | propagatesNan << 9), &operands,
                         performReduce);
  return operands.result;
}

int32_t match(Thread *thread, int32_t kind, int32_t mask, int64_t value, int32_t *predicate) {
  MatchOperands operands{kind, value};
  thread->block->collect(*thread, static_cast<uint32_t>(mask), WarpOperation::Match,
                         static_cast<uint32_t>(kind), &operands, performMatch);
  *predicate = operands.predicate;
  return operands.result;
}

int32_t elect(Thread *thread, int32_t mask) {
  ElectOperands operands;
  thread->block->collect(*thread, static_cast<uint32_t>(mask), WarpOperation::Elect, 0, &operands,
                         performElect);
  return operands.isLeader;
}

void syncWarp(Thread *thread, int32_t mask) {
  thread->block->collect(*thread, static_cast<uint32_t>(mask), WarpOperation::Sync, 0, nullptr,
                         performNothing);
}

} // namespace proa::emulator
