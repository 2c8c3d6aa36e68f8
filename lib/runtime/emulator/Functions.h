/// The functions that emulated kernels call. passes/emulate-gpu creates the calls by the names
/// in Symbols.cpp. Types are as in the LLVM dialect: i1 is passed as int32_t.
#pragma once

#include "lib/base/target/MatrixInstruction.h"
#include "lib/runtime/emulator/Block.h"
#include "lib/runtime/emulator/Codes.h"
#include "lib/runtime/emulator/TensorMap.h"

namespace proa::emulator {

// Launch.cpp: the body of an entry point.
void launch(const char *kernel, ThreadFunction function, int32_t blockX, int32_t blockY, int32_t blockZ,
            int64_t sharedBytes, int32_t traits, void *const *buffers, const int64_t *dims, int64_t begin,
            int64_t end);

int32_t readRegister(const Thread *thread, int32_t index);

// Access.cpp: checks before an access of `bytes` bytes at `address`. `kind` is an AccessKind.
void checkBuffer(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment, int32_t kind,
                 int32_t buffer);
/// `offset` and `size` describe the variable in shared memory.
void checkShared(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment, int32_t kind,
                 int64_t offset, int64_t size);
/// An access through an address whose variable the pass did not find: any buffer or variable, or the stack.
void checkAnywhere(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment, int32_t kind);
/// The elements of a vector whose bits are set in `mask`.
void checkMasked(Thread *thread, const std::byte *address, int64_t elementBytes, int64_t mask,
                 int64_t alignment, int32_t kind);
/// Shared memory as a whole.
void checkSharedAddress(Thread *thread, const std::byte *address, int64_t bytes, int64_t alignment,
                        int32_t kind);

void fence(Thread *thread, FenceKind kind);
/// A write of shared memory by the generic proxy. Reports one of what a wgmma still reads.
void recordSharedWrite(Thread *thread, const std::byte *address, int64_t bytes);
/// Of an access of shared memory by the async proxy, when the thread issues it. Reports generic writes that
/// no fence.proxy.async follows, and a write of what a wgmma still reads.
void checkAsyncAccess(Thread *thread, const std::byte *address, int64_t bytes, AccessKind kind);
/// Of an mbarrier that the async proxy completes.
void checkAsyncMbarrier(Thread *thread, const uint64_t *object);

// Warp.cpp
int32_t barrier(Thread *thread, int32_t id, int32_t count, int32_t reduction, int32_t predicate,
                int32_t site);
void barrierArrive(Thread *thread, int32_t id, int32_t count);
int32_t shuffle(Thread *thread, int32_t kind, int32_t mask, int32_t value, int32_t offset, int32_t clamp,
                int32_t *isValid);
int32_t vote(Thread *thread, int32_t kind, int32_t mask, int32_t predicate);
int32_t reduce(Thread *thread, int32_t kind, int32_t mask, int32_t value, int32_t absolute,
               int32_t propagatesNan);
int32_t match(Thread *thread, int32_t kind, int32_t mask, int64_t value, int32_t *predicate);
int32_t elect(Thread *thread, int32_t mask);
void syncWarp(Thread *thread, int32_t mask);

// Matrix.cpp
void loadMatrix(Thread *thread, const std::byte *row, int32_t count, int32_t isTransposed, uint32_t *result);
void storeMatrix(Thread *thread, std::byte *row, int32_t count, int32_t isTransposed, const uint32_t *values);
void multiplyMatrices(Thread *thread, int32_t m, int32_t k, MatrixElement typeA, MatrixElement typeB,
                      MatrixElement typeC, MatrixElement typeD, int32_t saturates, const void *a,
                      const void *b, const void *c, void *d);
int32_t roundToTensorFloat32(const Thread *thread, float value, int32_t tiesAway);

// Copy.cpp
void copyAsync(Thread *thread, std::byte *target, const std::byte *source, int32_t bytes,
               int32_t sourceBytes);
void commitCopies(Thread *thread);
void waitForCopies(Thread *thread, int32_t pendingGroups);

// Mbarrier.cpp. `predicate`: whether the thread executes the operation.
void mbarrierInit(Thread *thread, uint64_t *object, int32_t count, int32_t predicate);
void mbarrierInvalidate(Thread *thread, uint64_t *object);
void mbarrierExpect(Thread *thread, uint64_t *object, int32_t bytes);
void mbarrierComplete(Thread *thread, uint64_t *object, int32_t bytes);
/// Returns the state before, which mbarrierWait takes.
int64_t mbarrierArrive(Thread *thread, uint64_t *object, int32_t count, int32_t drops, int32_t expectedBytes,
                       int32_t predicate);
/// Waits for the end of the phase of `state`: a state of mbarrierArrive, or a parity. Tests wait too, because
/// threads that poll would never let others run.
int32_t mbarrierWait(Thread *thread, uint64_t *object, int64_t state, int32_t isParity);
/// Counts bytes that a copy has written. For copies, which no thread executes.
void completeBytes(Block &block, uint64_t *object, uint32_t bytes);
/// cp.async.mbarrier.arrive.
void mbarrierArriveByCopies(Thread *thread, uint64_t *object, int32_t keepsCount);

// BulkCopy.cpp: the tensor memory accelerator. Coordinates are innermost first.
/// Describes the contiguous tensor in a buffer, as the launch on a device does for a parameter of the kernel.
/// Sizes and boxes are outermost first; an empty tensor has one element, which no kernel may copy.
void makeTensorMap(Thread *thread, TensorMap *map, std::byte *base, int32_t buffer, int32_t elementBytes,
                   int32_t rank, const int64_t *sizes, const int64_t *box, int32_t swizzle);
void loadTensor(Thread *thread, std::byte *target, const TensorMap *map, uint64_t *object,
                const int32_t *coordinates, int32_t rank, int32_t predicate);
void storeTensor(Thread *thread, const TensorMap *map, const std::byte *source, const int32_t *coordinates,
                 int32_t rank, int32_t predicate);
void loadBulk(Thread *thread, std::byte *target, const std::byte *source, uint64_t *object, int32_t bytes);
void storeBulk(Thread *thread, std::byte *target, const std::byte *source, int32_t bytes);
void commitBulkCopies(Thread *thread);
void waitForBulkCopies(Thread *thread, int32_t pendingGroups);

// WarpgroupMma.cpp
void multiplyInWarpgroup(Thread *thread, int32_t n, int32_t k, MatrixElement typeA, MatrixElement typeB,
                         MatrixElement typeD, int32_t flags, int64_t descriptorA, int64_t descriptorB,
                         const void *c, void *d);
/// The same with A in four registers of each lane: two elements of k each of row lane / 4 and the row 8
/// below, then of the next 8 of k. 16-bit types only.
void multiplyRegistersInWarpgroup(Thread *thread, int32_t n, int32_t k, MatrixElement type, int32_t flags,
                                  const uint32_t *a, int64_t descriptorB, const void *c, void *d);
void fenceProducts(Thread *thread);
void commitProducts(Thread *thread);
void waitForProducts(Thread *thread, int32_t pendingGroups);
/// setmaxnreg: the registers of each thread of a warpgroup from now on.
void setRegisters(Thread *thread, int32_t registers, int32_t isIncrease);
/// The number of the last wgmma in its warp, from 1.
int64_t lastProduct(const Thread *thread);
/// Before a read of registers that wgmma `number` writes; 0: no wgmma does.
void checkProduct(Thread *thread, int64_t index);

} // namespace proa::emulator
