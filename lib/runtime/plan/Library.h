/// The library of the runtime: kernels that are not compiled from primitives (matmuls, convolutions,
/// sorting).
///
/// A kernel is created once when a program is loaded, from the op's attributes and the types of its operands,
/// and then run any number of times, by several sessions at once. The kernels are in lib/runtime/kernels/.
/// Each belongs to the op record that names it in its field `library`; the kernel "arange" is created by
/// makeArange.
#pragma once

#include "lib/runtime/host/Random.h"
#include "lib/runtime/memory/BufferPool.h"
#include "lib/runtime/plan/Plan.h"
#include "proa/Result.h"
#include "proa/Tensor.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proa::runtime {

/// A dense row-major tensor of a run: its bytes belong to the session. An absent optional operand has no
/// data.
struct View {
  DType dtype = DType::Float32;
  std::span<const int64_t> dims;
  void *data = nullptr;

  explicit operator bool() const { return data != nullptr; }
  size_t rank() const { return dims.size(); }
  int64_t size() const {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    return count;
  }
  template <class T> T *as() const { return static_cast<T *>(data); }
};

/// A tensor in a tensor array: the bytes of a value, which both own.
struct ArrayElement {
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  void *data = nullptr;      ///< null: no tensor was written here
  BufferPool::Buffer buffer; ///< without memory where the bytes live longer than the run

  View view() const { return {dtype, dims, data}; }
};
using TensorArray = std::vector<ArrayElement>;

/// The type of an operand when the program is loaded. dims may hold dynamicDim.
struct OperandType {
  bool present = false;
  bool constant = false; ///< its bytes are the same in every run and are there at `bind`
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  bool array = false; ///< a tensor array; dtype and dims describe its elements

  bool isStatic() const;
};

/// The operands that a kernel is created for. Its attributes are an argument of their own: a struct that is
/// generated from the op's record.
struct KernelRequest {
  std::span<const OperandType> inputs;
  std::span<const OperandType> outputs;
  const CpuFacts *cpu = nullptr; ///< Plan::cpu; null: the program has the known facts

  /// Whether all dims are known before the run.
  bool isStatic() const;
};

class Communicator;
class OffloadQueue;
class WeightStore;

/// State of a kernel for one step of one session, such as oneDNN memory objects.
class KernelState {
public:
  virtual ~KernelState() = default;
};

/// Work that continues while other steps run. Destroyed without `wait` if the run fails; then it must not
/// touch the values of the step any more.
class StartedWork {
public:
  virtual ~StartedWork() = default;
  virtual Result<void> wait() = 0;
};

/// One execution of a kernel.
class Call {
public:
  virtual ~Call() = default;

  size_t inputCount() const { return inputs.size(); }
  /// Input i; without data where it is absent or the step lists fewer.
  const View &input(size_t i) const {
    static const View absent;
    return i < inputs.size() && inputs[i] != none ? views[static_cast<size_t>(inputs[i])] : absent;
  }
  size_t outputCount() const { return outputs.size(); }
  bool hasOutput(size_t i) const { return i < outputs.size() && outputs[i] != none; }
  /// Memory for output i, which the step must list. Error: the dims are not those that the program declares.
  virtual Result<View> output(size_t i, std::span<const int64_t> dims) = 0;
  /// Input i, a tensor array.
  virtual const TensorArray &array(size_t i) const = 0;
  /// Makes output i an array, at first equal to the array in input j: the same one where nobody reads input j
  /// after this step. nothing: an empty one.
  virtual TensorArray &outputArray(size_t i, std::optional<size_t> j) = 0;
  /// Input i as the element of an array: its bytes are shared if nothing writes to them any more, else
  /// copied.
  virtual Result<ArrayElement> share(size_t i) = 0;
  /// Makes output i the same tensor as an element of an array, without a copy.
  virtual Result<void> setOutput(size_t i, const ArrayElement &element) = 0;
  /// Makes output i, an Alias of input 0, the same bytes under other dims; true where the step wants that.
  virtual bool outputIsAlias(size_t i) const = 0;
  /// Memory for this call only, aligned to 64 bytes; each call of `scratch` invalidates the one before.
  virtual void *scratch(size_t bytes) = 0;
  /// Where draws without a seed of their own take their numbers from.
  RandomGenerator &random() { return *generator; }
  /// The other ranks of a distributed run; null where the run is not distributed.
  Communicator *communicator() const { return network; }
  /// State variables outside of the program; null if the run has none.
  OffloadQueue *offload() const { return variables; }
  /// Whether the kernel returns before output 0 is complete (Step::isStart): it calls setStarted then.
  virtual bool isStart() const { return false; }
  /// Output 0 is complete when this work has ended.
  virtual void setStarted(std::unique_ptr<StartedWork> work) {}
  /// The work that completes input 0, once; null if it is complete.
  virtual std::unique_ptr<StartedWork> takeStarted() { return nullptr; }
  /// The slot for this step's state in this session.
  std::unique_ptr<KernelState> &state() { return *stateSlot; }

protected:
  std::span<const View> views; ///< by ValueId
  std::span<const ValueId> inputs, outputs;
  std::unique_ptr<KernelState> *stateSlot = nullptr;
  RandomGenerator *generator = nullptr;
  Communicator *network = nullptr;
  OffloadQueue *variables = nullptr;
};

/// Communication of several ranks of a distributed run.
struct Agreement {
  std::vector<int64_t> ranks;
  std::string text;  ///< equal on all of them
  int64_t index = 0; ///< of the operation in its program
};

/// Errors of a kernel carry no place; whoever runs it knows the op and the user's line.
class LibraryKernel {
public:
  virtual ~LibraryKernel() = default;
  /// Called once when all constant inputs have their bytes (the others have no data), before the first run:
  /// packs weights. Called again when the parameters of the program are replaced. Executables of one model
  /// share `packed`.
  virtual Result<void> bind(std::span<const View> inputs, WeightStore &packed) { return {}; }
  virtual Result<void> run(Call &call) const = 0;
  /// Of a kernel that communicates: what must be equal on all ranks, which is compared before the first run.
  virtual std::optional<Agreement> agreement() const { return std::nullopt; }
};

enum class Arity : uint8_t { Required, Optional, Variadic };

/// An operand or a result of a library kernel, as the op's record declares it.
struct KernelOperand {
  const char *name;
  Arity arity;
  bool takesArrays;          ///< may be a tensor array
  std::vector<DType> dtypes; ///< the element types that a tensor may have
};

/// A row of the table of library kernels, which proa-tblgen generates from the records' field `library`.
struct KernelEntry {
  /// Creates the kernel from the stored attributes of a step. Error: attributes or operands that it does not
  /// take.
  Result<std::unique_ptr<LibraryKernel>> (*create)(const nlohmann::json &attributes,
                                                   const KernelRequest &request);
  std::vector<KernelOperand> inputs, outputs;
  /// The library of CUDA that computes the op on a device: the record's field of that name; may be empty.
  const char *cudaLibrary = "";

  /// Compares operands with the signature. Messages begin with `kernel`, the kernel's name.
  Diagnostics checkOperands(const std::string &kernel, const KernelRequest &request) const;
};

/// The kernel of that name, or null.
const KernelEntry *findLibraryKernel(const std::string &name);
/// All names, sorted.
std::vector<std::string> libraryKernelNames();

/// An error of a kernel, with fmt's format string.
template <class... Args> Diagnostics failure(fmt::format_string<Args...> format, Args &&...args) {
  return errorAt("", fmt::format(format, std::forward<Args>(args)...));
}

} // namespace proa::runtime
