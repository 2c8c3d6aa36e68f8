/// Kernels for tests: builds their MLIR text, compiles, loads and runs them.
#pragma once

#include "lib/compiler/codegen/CompileKernels.h"
#include "lib/compiler/codegen/LoadedObject.h"
#include "proa/Tensor.h"

#include <functional>
#include <string>
#include <vector>

namespace proa::testing {

/// An operand of an operation: its SSA name, its type, and how loops index it ("0 1", "1", "0 c0" for
/// constant 0).
struct Operand {
  std::string name, type, map;
};

/// Writes one kernel.
class KernelText {
public:
  /// `arguments` as MLIR text without parentheses: "%x: tensor<4xf32>".
  KernelText(std::string name, std::string arguments)
      : name(std::move(name)), arguments(std::move(arguments)) {}

  /// Any operations.
  KernelText &raw(const std::string &text) {
    body += text + "\n";
    return *this;
  }
  /// `result = linalg.generic`. `loops` has a letter for each loop: p(arallel) or r(eduction). The scalar
  /// code `code` uses %i0, %i1, ... for inputs, %o for the output, and its last definition is %y; empty:
  /// returns %i0. `fill` is the initial scalar of the output; empty: undefined. `sizes`: SSA values of the
  /// result's dynamic dims.
  KernelText &generic(const std::string &result, const std::vector<Operand> &inputs, const Operand &output,
                      const std::string &loops, const std::string &code, const std::string &fill = "",
                      const std::string &sizes = "");
  /// Ends the kernel: "%a, %b : tensor<..>, tensor<..>".
  std::string returns(const std::string &values, const std::string &types) const;

private:
  std::string name, arguments, body;
  int count = 0;
};

/// The strategy "fma", "mma" or "wgmma"; empty: the fastest.
MatmulStrategy matmulStrategy(const std::string &name);

/// Compiles the kernels of a module's text.
Result<CompiledKernels> compileText(const std::string &text, const CodegenOptions &options);

/// A compiled kernel with the types of its signature.
class TestKernel {
public:
  /// Compiles the only kernel of `text`; fails the test if that is not possible. The last kernel is not
  /// compiled again: tests run one in several orders of its threads.
  explicit TestKernel(const std::string &text, const CodegenOptions &options = {});

  bool valid() const { return entry != nullptr; }
  const CompiledKernel &description() const { return compiled.kernels[0]; }

  /// Runs all rows in `pieces` ranges; on the emulated GPU, fails the test if a thread does something wrong.
  /// Result dims come from the types or from the shape function.
  std::vector<Tensor> run(const std::vector<Tensor> &inputs, int pieces = 3) const;

private:
  void build(const std::string &text, const CodegenOptions &options);

  struct Type {
    DType dtype;
    std::vector<int64_t> dims;
  };
  using Entry = void(void *const *, const int64_t *, int64_t, int64_t);
  using Shape = void(const int64_t *, int64_t *);

  bool emulatesGpu = false;
  CompiledKernels compiled;
  LoadedObject loaded;
  std::vector<Type> inputTypes, outputTypes;
  Entry *entry = nullptr;
  Shape *shape = nullptr;
};

/// Deterministic values in [low, high); truncated for integers and bools.
Tensor randomTensor(DType dtype, std::vector<int64_t> dims, double low = -2, double high = 2, int seed = 1);

/// Element `index` as a double.
double element(const Tensor &tensor, int64_t index);
void setElement(Tensor &tensor, int64_t index, double value);

/// The sum of `count` elements from `first` on, with this stride.
double sumOf(const Tensor &tensor, int64_t first, int64_t count, int64_t stride = 1);

/// Expects each element to be `expected(flat index)` within `relative * |expected| + absolute`; NaN equals
/// NaN.
void expectElements(const Tensor &tensor, const std::function<double(int64_t)> &expected,
                    double relative = 1e-5, double absolute = 1e-6);

} // namespace proa::testing
