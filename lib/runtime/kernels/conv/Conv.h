/// Declarations of the library kernels for convolutions.
#pragma once

#include "lib/runtime/kernels/conv/ConvGeometry.h"

namespace proa::runtime {

/// The convolution as GEMMs of the filter and the windows that the input has, by BLAS: for dtypes that
/// oneDNN does not convolve (float64, float16). 16-bit floats are multiplied as float32. Post-ops are left to
/// applyPostOps.
Result<void> blasConv(DType dtype, const ConvGeometry &geometry, bool transposed, const void *input,
                      const void *filter, void *output);

/// The filter's gradient in the same way, [O, I/groups, k...]; `outGradient` lies as the geometry's output.
Result<void> blasWeightGradient(DType dtype, const ConvGeometry &geometry, const void *input,
                                const void *outGradient, void *filterGradient);

/// A convolution planned by oneDNN for one set of dims. It works on a dense layout of its own choice; tensors
/// that lie otherwise are copied.
class ConvPlan {
public:
  /// A tensor of the caller, and the layout that oneDNN requires.
  struct Port {
    int argument = 0;             ///< oneDNN's name
    size_t input = 0;             ///< index of the step's input; not used for the output
    StridedOperand stored;        ///< as the caller has it
    std::vector<int64_t> planned; ///< strides of the layout that oneDNN requires
    dnnl::memory::desc desc;      ///< of the planned layout
    bool copied = false;

    /// The elements of `view` in the planned layout: its own memory, or a copy in `scratch`.
    void *provide(const View &view, std::byte *scratch) const;
  };

  /// With `inPlace` the first "add" of full size lies where the output does; `prefersLoop`: see
  /// ConvChoice.h. Null where oneDNN has nothing.
  static std::shared_ptr<const ConvPlan> create(ProductTypes types, const ConvConfig &attributes,
                                                const ConvGeometry &geometry,
                                                std::span<const OperandType> inputs, bool inPlace,
                                                bool prefersLoop = false);

  /// Whether an image of float32 with channels first is copied by interleaving its few channels.
  static bool interleaves(const StridedOperand &image);

  const Port &input() const { return inputPort; }
  const Port &output() const { return outputPort; }
  std::span<const Port> extras() const { return extraPorts; }
  size_t fusedCount() const { return fused; }
  const dnnl::memory::desc &plainFilter() const { return filterPlain; }
  const dnnl::memory::desc &wantedFilter() const { return filterWanted; }
  /// Slots: input, filter, output, then the extras.
  std::unique_ptr<Execution> execution() const;
  /// Runs an execution on the tensors of a call. Without `packedFilter` the filter is packed first.
  void run(Call &call, Execution &execution, const PackedTensor *packedFilter, const View &out) const;
  const char *implementation() const { return name.c_str(); }
  /// Whether oneDNN writes the windows to memory and multiplies them.
  bool isGemm() const { return name.find("gemm") != std::string::npos; }

private:
  bool build(const ConvConfig &attributes, const ConvGeometry &geometry, std::span<const OperandType> inputs,
             size_t count, bool inPlace);
  bool isUsable() const;
  void makePrimitive(const ConvConfig &attributes, const ConvGeometry &geometry,
                     const dnnl::memory::desc &bias, const dnnl::primitive_attr &primitiveAttributes);

  ProductTypes types = DType::Float32;
  bool small = false, prefersLoop = false;
  bool channelLast = true; ///< of the layout that oneDNN gets
  Port inputPort, outputPort;
  std::vector<Port> extraPorts;
  size_t fused = 0;
  dnnl::memory::desc filterPlain, filterWanted, scratchpad;
  dnnl::primitive primitive;
  std::string name;
};

/// How oneDNN gets a tensor that the caller has as `stored`.
ConvPlan::Port convPort(const StridedOperand &stored, dnnl::memory::data_type dtype, bool channelLast);
/// The filter as oneDNN sees it, [O, I, k...] or [groups, O/groups, I/groups, k...], in Paddle's memory.
dnnl::memory::desc plainFilterDesc(const ConvConfig &attributes, const ConvGeometry &geometry,
                                   dnnl::memory::data_type type);
/// oneDNN's strides, dilations and paddings; the padding after an axis gives exactly the output's dim.
struct ConvSteps {
  dnnl::memory::dims strides, dilations, before, after;
  ConvSteps(const ConvGeometry &geometry, bool transposed);
};
/// Whether a convolution is too little work for a second thread.
bool isSmallConv(const ConvGeometry &geometry, bool transposed);

} // namespace proa::runtime
