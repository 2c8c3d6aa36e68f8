/// Ops of a process group as collectives: what each process of the group does.
#pragma once

#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/IR/Builders.h"

namespace proa::pd {

/// A reduction over a process group; a mean is the sum divided by the number of processes.
struct GroupReduction {
  ReductionKind kind = ReductionKind::Sum;
  bool isMean = false;
};

/// Paddle's numbers (reduce_type): 0 sum, 1 maximum, 2 minimum, 3 product, 4 mean. None for others.
std::optional<GroupReduction> reductionOfKind(int64_t kind);

/// The collectives of a process group. All processes of the group run the same ops on tensors of equal types.
class ProcessGroupBuilder {
public:
  ProcessGroupBuilder(mlir::OpBuilder &builder, mlir::Operation *op) : builder(builder), original(op) {}
  virtual ~ProcessGroupBuilder() = default;

  mlir::OpBuilder &getBuilder() { return builder; }
  /// The op that is replaced.
  mlir::Operation *op() const { return original; }
  /// The number of processes.
  virtual int64_t size() const = 0;
  /// The number in the process group of the process whose program is being changed.
  virtual int64_t rank() const = 0;

  /// The elementwise combination of x of all processes.
  virtual mlir::Value reduce(mlir::Value x, ReductionKind kind) = 0;
  /// The shards of reduce() by sum along `dim`; the result is the shard of each process.
  virtual mlir::Value reduceScatter(mlir::Value x, int64_t dim) = 0;
  /// x of all processes, joined along `dim`.
  virtual mlir::Value gather(mlir::Value x, int64_t dim) = 0;
  /// The shard of each process along `dim` of x, which is equal on all processes.
  virtual mlir::Value shard(mlir::Value x, int64_t dim) = 0;
  /// x of one process.
  virtual mlir::Value broadcast(mlir::Value x, int64_t root) = 0;
  /// Of x [1, n, ...] on each of the n processes, the slices along dimension 1 for each process: [n, 1, ...].
  virtual mlir::Value exchange(mlir::Value x) = 0;
  /// The rows of x [rows, ...] in the order of the processes that get them, sent[i] to process i: received[i]
  /// rows from each process i, in this order. The numbers are int64 vectors.
  virtual mlir::Value exchangeRows(mlir::Value x, mlir::Value sent, mlir::Value received) = 0;
  /// A rank-0 int64 tensor: `values[i]` on process i.
  virtual mlir::Value byRank(llvm::ArrayRef<int64_t> values) = 0;
  /// Sends x to a process of the group. Failure after an error.
  virtual llvm::LogicalResult send(mlir::Value x, int64_t peer) = 0;
  virtual mlir::FailureOr<mlir::Value> receive(mlir::RankedTensorType type, int64_t peer) = 0;

private:
  mlir::OpBuilder &builder;
  mlir::Operation *original;
};

/// Whether the op communicates in a process group, or takes its shard of a value.
bool isProcessGroupOp(mlir::Operation *op);

/// Whether the op is several collectives (parallel cross entropy, an embedding in a split table), for which a
/// legacy program has one op.
bool isProcessGroupComposite(mlir::Operation *op);

/// Whether the op names its process group. One that does not holds values of this process only.
bool namesProcessGroup(mlir::Operation *op);

/// Whether the op is one of tensor parallelism: the processes of its process group have shards of one model.
bool isOfModelShards(mlir::Operation *op);

/// Whether the derivative of the op communicates in a process group.
bool hasProcessGroupDerivative(mlir::Operation *op);

/// The id of the process group: the attribute of the op, or of the op that adds the results of the processes;
/// for a gradient the group of the op with the same table. None, and no error, if it is not known.
std::optional<int64_t> processGroupOf(mlir::Operation *op);

/// The results of the op by collectives. Failure after an error: its rank or number of processes differs from
/// the rank or size of the process group, or it needs static dims.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> createInProcessGroup(ProcessGroupBuilder &group);

/// The legacy op of a reduction without a root.
mlir::Value createAllReduce(mlir::OpBuilder &builder, mlir::Location location, mlir::Value x,
                            ReductionKind kind, int64_t group);

} // namespace proa::pd
