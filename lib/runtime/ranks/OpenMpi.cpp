//! A rank among the processes that mpirun started. OpenMPI is loaded at run time, so that proa needs no MPI
//! to build or to run on one device. Declarations follow the ABI of OpenMPI 4 (libmpi.so.40).
#include "lib/base/support/LibrarySymbols.h"
#include "lib/runtime/ranks/Communicator.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>

namespace proa::runtime {
namespace {

using Handle = void *; ///< of communicators, datatypes, requests, messages, error handlers

struct Status {
  int source, tag, error, cancelled;
  size_t count;
};

/// Levels of MPI: with `serialized` any thread may call it, one at a time.
constexpr int anySource = -1, serialized = 2;

/// The functions of MPI that are used.
struct Mpi {
  int (*init)(int *argc, char ***argv, int required, int *provided);
  int (*initialized)(int *flag);
  int (*threadLevel)(int *provided);
  int (*finalize)();
  int (*abort)(Handle communicator, int code);
  int (*rank)(Handle communicator, int *rank);
  int (*size)(Handle communicator, int *size);
  int (*setErrorHandler)(Handle communicator, Handle handler);
  int (*send)(const void *data, int count, Handle type, int target, int tag, Handle communicator,
              Handle *request);
  int (*probe)(int source, int tag, Handle communicator, int *flag, Handle *message, Status *status);
  int (*receive)(void *data, int count, Handle type, Handle *message, Handle *request);
  int (*test)(Handle *request, int *flag, Status *status);
  int (*countOf)(const Status *status, Handle type, int *count);
  Handle world, byte, errorsReturn;
};

constexpr const char *packageHint = "install OpenMPI 4 (on Debian the packages libopenmpi3 and openmpi-bin)";

Result<Mpi> loadMpi() {
  void *library = nullptr;
  std::string reason;
  // Its plugins need its symbols.
  for (const char *name : {"libmpi.so.40", "libmpi.so"})
    if (!library) {
      library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
      if (!library && reason.empty())
        reason = dlerror();
    }
  if (!library)
    return errorAt("", fmt::format("cannot load MPI: {}; {}", reason, packageHint));
  Mpi mpi;
  LibrarySymbols symbols(library);
  symbols.load(mpi.init, "MPI_Init_thread");
  symbols.load(mpi.initialized, "MPI_Initialized");
  symbols.load(mpi.threadLevel, "MPI_Query_thread");
  symbols.load(mpi.finalize, "MPI_Finalize");
  symbols.load(mpi.abort, "MPI_Abort");
  symbols.load(mpi.rank, "MPI_Comm_rank");
  symbols.load(mpi.size, "MPI_Comm_size");
  symbols.load(mpi.setErrorHandler, "MPI_Comm_set_errhandler");
  symbols.load(mpi.send, "MPI_Isend");
  symbols.load(mpi.probe, "MPI_Improbe");
  symbols.load(mpi.receive, "MPI_Imrecv");
  symbols.load(mpi.test, "MPI_Test");
  symbols.load(mpi.countOf, "MPI_Get_count");
  symbols.load(mpi.world, "ompi_mpi_comm_world");
  symbols.load(mpi.byte, "ompi_mpi_byte");
  symbols.load(mpi.errorsReturn, "ompi_mpi_errors_return");
  if (!symbols.missing().empty())
    return errorAt("", fmt::format("the MPI library has no symbol '{}': it is not OpenMPI 4; {}",
                                   symbols.missing()[0], packageHint));
  return mpi;
}

/// Set by SIGTERM, which mpirun sends to all ranks when one has died.
std::atomic<bool> isTerminated = false;

class OpenMpiCommunicator final : public Communicator {
public:
  OpenMpiCommunicator(const Mpi &mpi, int rank, int size, const CommunicatorOptions &options)
      : Communicator(rank, size, options), mpi(mpi) {
    int level = 0;
    mpi.threadLevel(&level);
    isSerialized = level >= serialized;
  }

  ~OpenMpiCommunicator() override {
    endProgress();
    // mpirun ends all ranks; there is nobody to talk to.
    if (isTerminated)
      return;
    announceEnd();
    if (waitForEnd())
      mpi.finalize();
    else
      mpi.abort(mpi.world, 1);
  }

protected:
  void post(int64_t rank, int64_t tag, MessageBuffer buffer) override {
    // Large messages go in pieces, whose order MPI keeps: a count is an int, and each piece shows progress.
    // The first one tells the size of all.
    std::span<std::byte> rest = buffer.all();
    uint64_t total = rest.size();
    std::memcpy(rest.data() + sizeOffset, &total, sizeof(total));
    Outbox &entry = outbox.emplace_back();
    while (!rest.empty()) {
      size_t size = std::min(rest.size(), pieceBytes);
      mpi.send(rest.data(), static_cast<int>(size), mpi.byte, static_cast<int>(rank), tagOf(tag), mpi.world,
               &entry.requests.emplace_back());
      rest = rest.subspan(size);
    }
    entry.buffer = std::move(buffer);
  }

  std::optional<MessageBuffer> poll(int64_t rank, int64_t tag) override {
    Inbox &box = inbox[{rank, tag}];
    while (true) {
      if (!box.isReceiving && !beginReceive(box, rank, tag))
        return std::nullopt;
      int isDone = 0;
      mpi.test(&box.request, &isDone, nullptr);
      if (!isDone)
        return std::nullopt;
      box.isReceiving = false;
      noteProgress();
      uint64_t total = 0;
      std::memcpy(&total, box.buffer.all().data() + sizeOffset, sizeof(total));
      if (box.received == total) {
        box.received = 0;
        return std::move(box.buffer);
      }
      if (box.buffer.all().size() < total) {
        MessageBuffer whole = takeBuffer(total - MessageBuffer::envelopeBytes);
        std::memcpy(whole.all().data(), box.buffer.all().data(), box.received);
        recycle(std::exchange(box.buffer, std::move(whole)));
      }
    }
  }

  void idle(Idler &idler) override {
    // Ranks may share cores: spinning takes them from the one that is waited for. Large messages move on only
    // in calls of MPI, so that the caller's sleep begins late. The other thread takes cores from kernels.
    int yields = idler.isCaller ? 20000 : 50;
    if (++idler.rounds < yields)
      sched_yield();
    else
      usleep(idler.isCaller ? 100 : 50);
  }

  bool isFlushed() override {
    std::erase_if(outbox, [&](Outbox &entry) {
      std::erase_if(entry.requests, [&](Handle &request) {
        int isDone = 0;
        mpi.test(&request, &isDone, nullptr);
        if (isDone)
          noteProgress();
        return isDone != 0;
      });
      if (entry.requests.empty())
        recycle(std::move(entry.buffer));
      return entry.requests.empty();
    });
    return outbox.empty();
  }

  bool mayUseThread() const override { return isSerialized; }

  std::string endedFromOutside() override {
    return isTerminated ? "this process got SIGTERM, as mpirun sends it when another rank has died" : "";
  }

private:
  static constexpr size_t pieceBytes = size_t(4) << 20;
  /// Of the bytes of the whole message.
  static constexpr size_t sizeOffset = MessageBuffer::envelopeBytes - MessageBuffer::transportBytes;

  struct Outbox {
    MessageBuffer buffer;
    std::vector<Handle> requests;
  };
  struct Inbox {
    MessageBuffer buffer;
    size_t received = 0; ///< bytes of the pieces that have arrived or are being received
    Handle request = nullptr;
    bool isReceiving = false;
  };

  /// MPI's tags are not negative.
  static int tagOf(int64_t tag) { return static_cast<int>(tag + 1); }

  /// Starts to receive the next message, or the next piece of it, if it is there.
  bool beginReceive(Inbox &box, int64_t rank, int64_t tag) {
    int isThere = 0, count = 0;
    Handle message = nullptr;
    Status status{};
    mpi.probe(rank == anyRank ? anySource : static_cast<int>(rank), tagOf(tag), mpi.world, &isThere, &message,
              &status);
    if (!isThere)
      return false;
    mpi.countOf(&status, mpi.byte, &count);
    auto bytes = static_cast<size_t>(count);
    if (box.received == 0)
      box.buffer = takeBuffer(bytes - MessageBuffer::envelopeBytes);
    mpi.receive(box.buffer.all().data() + box.received, count, mpi.byte, &message, &box.request);
    box.received += bytes;
    box.isReceiving = true;
    return true;
  }

  Mpi mpi;
  bool isSerialized = false;
  std::vector<Outbox> outbox;
  std::map<std::pair<int64_t, int64_t>, Inbox> inbox;
};

} // namespace

bool isStartedByMpi() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

StartedRank rankStartedByMpi() {
  auto integerIn = [](const char *name, int64_t otherwise) {
    const char *text = std::getenv(name);
    return text ? static_cast<int64_t>(std::strtoll(text, nullptr, 10)) : otherwise;
  };
  return {integerIn("OMPI_COMM_WORLD_RANK", 0), integerIn("OMPI_COMM_WORLD_SIZE", 1)};
}

Result<std::unique_ptr<Communicator>> openMpi(const CommunicatorOptions &options) {
  static bool isOpen = false;
  if (isOpen)
    return errorAt("", "MPI can be started once in a process");
  Result<Mpi> mpi = loadMpi();
  if (!mpi)
    return mpi.diagnostics();
  int isInitialized = 0, provided = 0, rank = 0, size = 0;
  mpi->initialized(&isInitialized);
  if (!isInitialized && mpi->init(nullptr, nullptr, serialized, &provided) != 0)
    return errorAt("", "MPI_Init_thread failed");
  isOpen = true;
  mpi->setErrorHandler(mpi->world, mpi->errorsReturn);
  mpi->rank(mpi->world, &rank);
  mpi->size(mpi->world, &size);
  std::signal(SIGTERM, [](int) { isTerminated = true; });
  return std::unique_ptr<Communicator>(std::make_unique<OpenMpiCommunicator>(*mpi, rank, size, options));
}

} // namespace proa::runtime
