/// Copies of tiles from global to shared memory by the threads of a block.
#pragma once

#include "passes/lower-gpu/CodeBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <functional>

namespace proa {

/// A matrix in global memory, and the first line and element of a tile of it. Elements of a line are adjacent
/// where several of them are copied at once.
struct CopySource {
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::Value memory;
  mlir::Value firstLine, firstElement;
  /// The indices of the memref at a line and an element of the matrix.
  std::function<Values(mlir::Value line, mlir::Value element)> indices;
  /// Whether the matrix has these elements. Elements outside of it are zeros.
  std::function<mlir::Value(mlir::Value line, mlir::Value element)> isInside;
  /// Computes the elements, where they are not loaded.
  std::function<Values(mlir::ValueRange indices)> compute = {};
  bool readsTable = false; ///< for `indices`, so that they are computed before the copies
};

/// A thread copies chunks of adjacent elements: through registers, so that the loads of the next tile overlap
/// with the matmuls of this one, or asynchronously.
class TileCopy : public CodeBuilder {
public:
  struct Shape {
    int64_t lines = 0, elements = 0; ///< of the tile
    int64_t threads = 0;
    int64_t vector = 1; ///< elements of a chunk
  };

  TileCopy(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element, Shape shape, mlir::Value thread)
      : CodeBuilder(b, loc), element(element), shape(shape), thread(thread) {}

  /// Whether all threads have the same number of chunks.
  bool isEven() const { return isExact(1); }
  int64_t chunksOfThread() const { return llvm::divideCeil(chunks(), shape.threads); }

  /// The chunks of this thread in registers.
  Values load(const CopySource &from);
  /// Stores the chunks of load() to memory [line][element], or [element][line] if `isTransposed`.
  void store(mlir::ValueRange loaded, mlir::Value memory, bool isTransposed);
  /// As load() and store(), a few chunks at a time.
  void copy(const CopySource &from, mlir::Value memory, bool isTransposed);
  /// Starts copies to memory [line][element]. They are complete after a wait for copies of this thread, and a
  /// barrier. A loop has at most `unrolled` chunks of a thread.
  void copyAsync(const CopySource &from, mlir::Value memory, int64_t unrolled);

private:
  /// The first element of a chunk in the tile.
  struct Chunk {
    mlir::Value line, element, isInTile; ///< isInTile is null if all threads have a chunk
  };

  int64_t chunks() const { return shape.lines * shape.elements / shape.vector; }
  bool isExact(int64_t unrolled) const { return chunks() % (unrolled * shape.threads) == 0; }
  Chunk chunkAt(mlir::Value first, int64_t chunk, bool isKnownInTile) const;
  llvm::SmallVector<Chunk> chunksOfAll() const;
  void overChunks(int64_t unrolled, llvm::function_ref<void(llvm::ArrayRef<Chunk>)> body);
  mlir::Type chunkType() const;
  mlir::Value loadChunk(const CopySource &from, mlir::ValueRange indices);
  mlir::Value loadGuarded(const CopySource &from, const Chunk &chunk);
  void storeChunk(const Chunk &chunk, mlir::Value value, mlir::Value memory, bool isTransposed);

  mlir::Type element;
  Shape shape;
  mlir::Value thread;
};

} // namespace proa
