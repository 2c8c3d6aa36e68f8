/// Ops of one thread that only chips from sm_90 on have: mbarriers, copies by the tensor memory accelerator,
/// and wgmma.
#pragma once

#include "lib/base/target/MatrixInstruction.h"
#include "passes/lower-gpu/CodeBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace proa {

inline constexpr int64_t warpgroupThreads = wgmmaInstruction.threads;
/// Bytes and alignment of a swizzled line and of its pattern of 8 lines, in shared memory.
inline constexpr int64_t swizzleBytes = 128, patternBytes = 8 * swizzleBytes;
/// Bytes of an mbarrier.
inline constexpr int64_t mbarrierBytes = 8;

/// Addresses are in shared memory, as indices.
class HopperCode : public CodeBuilder {
public:
  using CodeBuilder::CodeBuilder;

  /// The same index in a register of its own. What is computed of it stays where it is: moved out of the
  /// loops around it, it would occupy registers in all of them.
  mlir::Value pinned(mlir::Value index) const;

  /// The address of a memref in shared memory.
  mlir::Value addressOf(mlir::Value memory) const;

  void initBarrier(mlir::Value barrier, int64_t arrivals) const;
  /// Arrives, and makes the phase wait for as many bytes of copies.
  void expectBytes(mlir::Value barrier, int64_t bytes) const;
  void arrive(mlir::Value barrier) const;
  /// Waits until the phase with this parity (i32) has ended.
  void wait(mlir::Value barrier, mlir::Value parity) const;

  /// Copies a box to shared memory. `coordinates` are outermost first.
  void copyBox(mlir::Value target, mlir::Value map, mlir::ValueRange coordinates, mlir::Value barrier) const;

  /// A matrix in shared memory, for wgmma: `leading` and `stride` are bytes as the PTX ISA defines them; its
  /// lines of 128 bytes are swizzled.
  mlir::Value matrixDescriptor(mlir::Value address, int64_t leading, int64_t stride) const;
  /// The descriptor of a matrix that starts `bytes` later.
  mlir::Value advance(mlir::Value descriptor, int64_t bytes) const;

  /// The other parity.
  mlir::Value flip(mlir::Value parity) const;

private:
  mlir::Value toI32(mlir::Value index) const;
  mlir::Value toPointer(mlir::Value address) const;
};

/// Stages in shared memory that one thread fills and other warps read. Each stage has two barriers: "full",
/// at which copies complete, and "empty", at which the readers arrive.
class StageBuffer {
public:
  /// A stage and the parity of its phase. Each thread counts for itself.
  struct Position {
    mlir::Value stage;  ///< index
    mlir::Value parity; ///< i32
  };

  /// `base` is the address of the barriers, after which `barrierBytes()` bytes are used; `readers` the number
  /// of arrivals that free a stage.
  StageBuffer(const HopperCode &code, mlir::Value base, int64_t stages, int64_t readers)
      : code(code), base(base), stages(stages), readers(readers) {}

  static int64_t barrierBytes(int64_t stages) { return 2 * stages * mbarrierBytes; }

  /// Initializes the barriers; one thread does.
  void init() const;
  mlir::Value full(mlir::Value stage) const;
  mlir::Value empty(mlir::Value stage) const;

  /// Waits until the producer may fill the stage, and makes it expect `bytes`.
  void acquire(const Position &position, int64_t bytes) const;
  /// Waits until the copies of the stage are complete.
  void awaitFull(const Position &position) const { code.wait(full(position.stage), position.parity); }
  /// Frees the stage, as one of the readers.
  void release(const Position &position) const { code.arrive(empty(position.stage)); }

  Position first() const;
  Position next(const Position &position) const;

private:
  const HopperCode &code;
  mlir::Value base;
  int64_t stages, readers;
};

/// The threads of a block that share buffers: the first `readers` threads read, and the thread after them
/// fills the stages. Where the others are a warpgroup (`fillers`), they give the readers their registers.
class StageThreads : public HopperCode {
public:
  StageThreads(mlir::OpBuilder &b, mlir::Location loc, mlir::Value thread, int64_t readers, int64_t fillers)
      : HopperCode(b, loc), thread(thread), readers(readers), fillers(fillers) {}

  /// Arrivals that free a stage: one lane of each warp does.
  int64_t arrivals() const;
  /// Shared memory for tiles, as bytes.
  mlir::Value allocate(int64_t bytes) const;
  /// Initializes the barriers of buffers, as one thread of the block, and waits for that.
  void start(llvm::ArrayRef<const StageBuffer *> buffers, mlir::ValueRange maps) const;
  /// Code of the threads with each role. It must have all loops if the threads exchange registers.
  void assignRoles(llvm::function_ref<void()> read, llvm::function_ref<void()> fill) const;
  /// Frees a stage, as one of the readers.
  void release(const StageBuffer &buffer, const StageBuffer::Position &at) const;

private:
  mlir::Value thread;
  int64_t readers, fillers;
};

/// The position of a thread in a buffer, as a variable that outlives loops. It becomes registers.
class StageVariable {
public:
  /// Creates the variable, with the position `first`.
  StageVariable(mlir::OpBuilder &b, mlir::Location loc, const StageBuffer::Position &first);

  StageBuffer::Position load() const;
  void save(const StageBuffer::Position &position) const;

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value stage, parity; ///< memrefs
};

} // namespace proa
