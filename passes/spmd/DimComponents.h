/// Dimensions of values that are split together: the connected components of the factors of sharding rules.
#pragma once

#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>
#include <vector>

namespace proa {

/// A dimension of a value.
struct ValueDim {
  mlir::Value value;
  int64_t dim = 0;
};

/// The components of a function: splitting one dimension of a component splits all of them, up to where a
/// factor is reduced. Of a dimension with several factors, the outermost one that no op needs whole belongs
/// to the component: of the columns of a fused projection, (3, heads, size), the heads. Then each block of
/// the dimension is split.
class DimComponents {
public:
  using Id = unsigned;

  /// A factor of an op, as a member of a component.
  struct Use {
    Id component = 0;
    pd::FactorKind kind = pd::FactorKind::PassThrough;
    int64_t size = 0;
    /// Bytes of the results without the factor: they become partial if it is reduced.
    int64_t bytes = 0;
    /// Whether the op can be split by the factor in its local form.
    bool hasLocalForm = false;
    /// Whether each dimension with the factor has this factor only, so that shards may be uneven.
    bool isOnlyFactor = true;
    /// Whether the op looks rows up in a parameter that has more rows than the result, or labels choose among
    /// scores.
    bool isVocabulary = false;
  };
  struct OpUses {
    mlir::Operation *op = nullptr;
    pd::ShardingRule rule;
    llvm::SmallVector<Use> uses;
    /// The product of all factor sizes, the size of the op's loop nest, in steps of a matmul of float32.
    double work = 1;
    bool isContraction = false;
  };
  struct Component {
    /// Arguments of the function with dimensions of the component.
    llvm::SmallVector<ValueDim> arguments;
    /// The sum of the work of ops with a factor of the component, and the bytes that splitting it over
    /// devices makes partial or requires whole.
    double work = 0, traffic = 0;
    /// Ops of `ops()`.
    llvm::SmallVector<unsigned> ops;
    /// Whether two factors of one op belong to the component, so that it cannot split the op.
    bool isAmbiguous = false;
    bool hasContraction = false;
    /// Whether rows are looked up in a parameter (an input embedding) that has more rows than are looked up,
    /// or labels choose among its scores (a cross entropy).
    bool isVocabulary = false;
  };

  explicit DimComponents(mlir::func::FuncOp function);

  llvm::ArrayRef<OpUses> ops() const { return opUses; }
  /// By id; in the order of their first dimension in the function.
  llvm::ArrayRef<Component> components() const { return list; }
  /// The component of a dimension, if the value is a tensor of the function.
  std::optional<Id> of(mlir::Value value, int64_t dim) const;
  /// The blocks that are each split if the component of the dimension is; empty: the dimension is one block.
  llvm::SmallVector<int64_t> blocksOf(mlir::Value value, int64_t dim) const;

private:
  /// Sets of nodes, which are dimensions of values.
  class Sets {
  public:
    void resize(size_t size);
    unsigned root(unsigned node) const;
    void unite(unsigned a, unsigned b);

  private:
    llvm::SmallVector<unsigned> parent;
  };
  /// A dimension that is several factors, or has a range of one, and a dimension of the factor that it is
  /// split by.
  struct Relation {
    unsigned whole, piece;
    /// `whole` is `outer` times `piece` times `inner` elements; or `piece` begins at `begin` of `whole`.
    int64_t outer = 1, inner = 1, begin = 0, size = 0;
  };

  void addNodes(mlir::Value value);
  void read(mlir::Operation *op);
  void findWholeDims(const OpUses &uses);
  void connect(OpUses &uses);
  std::optional<unsigned> splitFactorOf(const OpUses &uses, const pd::DimFactors &factors) const;
  void addRelation(const OpUses &uses, unsigned dim, const pd::DimFactors &factors, unsigned factor,
                   unsigned piece);
  void connectStates(mlir::func::FuncOp function);
  pd::FactorKind kindOf(const OpUses &uses, const pd::ShardingFactor &factor) const;
  bool isVocabulary(const OpUses &uses, unsigned factor, int64_t resultBytes) const;
  void findCuts();
  bool addCuts(unsigned node, llvm::ArrayRef<int64_t> cuts);
  void collect(mlir::func::FuncOp function);
  Use useOf(const OpUses &uses, unsigned factor, Id component) const;
  /// Calls `visit` with the node, the size and the factors of each dimension of an op.
  void forEachDim(const OpUses &uses,
                  llvm::function_ref<void(unsigned node, int64_t size, const pd::DimFactors &)> visit) const;

  int64_t dynamicDim; ///< replaces dynamic dims in the estimates
  llvm::DenseMap<mlir::Value, unsigned> firstNode;
  unsigned nodeCount = 0;
  /// Dimensions with the same indices, and dimensions that are split together.
  Sets spaces, splits;
  /// By root of a space: whether an op needs its dimensions whole, and the indices where blocks begin.
  llvm::DenseSet<unsigned> wholeSpaces;
  llvm::DenseMap<unsigned, std::set<int64_t>> cutsOfSpace;
  llvm::SmallVector<int64_t> sizeOfNode;
  std::vector<Relation> relations;
  llvm::SmallVector<Id> idOfRoot;
  std::vector<OpUses> opUses;
  /// Ops that compute new parameters.
  llvm::DenseSet<mlir::Operation *> updates;
  std::vector<Component> list;
};

} // namespace proa
