/// Dimensions of values that are split together: the connected components of the factors of sharding rules.
#pragma once

#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace proa {

/// A dimension of a value.
struct ValueDim {
  mlir::Value value;
  int64_t dim = 0;
};

/// The components of a function. The outermost factor of a dimension belongs to the component of the
/// dimension, so splitting one dimension of a component splits all of them, up to where a factor is reduced.
class DimComponents {
public:
  using Id = unsigned;

  /// A factor of an op, as part of a component.
  struct Use {
    Id component = 0;
    pd::FactorKind kind = pd::FactorKind::PassThrough;
    int64_t size = 0;
    /// Bytes of the results without the factor: they become partial if it is reduced.
    int64_t bytes = 0;
  };
  struct OpUses {
    mlir::Operation *op = nullptr;
    pd::ShardingRule rule;
    llvm::SmallVector<Use> uses;
    /// The product of all factor sizes: the size of the op's loop nest.
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
    /// Whether two factors of one op belong to it, so that the op cannot be split by it.
    bool isAmbiguous = false;
    bool hasContraction = false;
  };

  /// `dynamicDim` replaces dynamic dims in the estimates.
  explicit DimComponents(mlir::func::FuncOp function, int64_t dynamicDim = 64);

  llvm::ArrayRef<OpUses> ops() const { return opUses; }
  /// By id; in the order of their first dimension in the function.
  llvm::ArrayRef<Component> components() const { return list; }
  /// The component of a dimension, if the value is a tensor of the function.
  std::optional<Id> of(mlir::Value value, int64_t dim) const;

private:
  void number(mlir::Value value);
  void connect(mlir::Operation *op);
  void connectStates(mlir::func::FuncOp function);
  void collect(mlir::func::FuncOp function);
  Use useOf(const OpUses &uses, unsigned factor, Id component) const;

  int64_t dynamicDim;
  llvm::DenseMap<mlir::Value, unsigned> firstNode;
  llvm::SmallVector<unsigned> parent;
  llvm::SmallVector<Id> idOfRoot;
  std::vector<OpUses> opUses;
  std::vector<Component> list;

  unsigned root(unsigned node) const;
  void unite(unsigned a, unsigned b);
};

} // namespace proa
