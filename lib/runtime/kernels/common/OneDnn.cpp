#include "lib/runtime/kernels/common/OneDnn.h"

#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"

#include <cstring>
#include <mutex>
#include <new>

namespace proa::runtime {
namespace {

/// A memory object whose address comes later.
void *const noMemory = DNNL_MEMORY_NONE;

} // namespace

/// oneDNN reads its limit when it is used first.
static void limitInstructions() {
  static std::once_flag once;
  std::call_once(once, [] {
    auto limit = vectorLimit();
    if (limit == VectorIsa::Avx2)
      dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);
    else if (limit == VectorIsa::Generic)
      dnnl::set_max_cpu_isa(dnnl::cpu_isa::sse41);
  });
}

const dnnl::engine &dnnlEngine() {
  static const dnnl::engine engine = [] {
    limitInstructions();
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

dnnl::stream &dnnlStream() {
  thread_local dnnl::stream stream(dnnlEngine());
  return stream;
}

std::optional<dnnl::memory::data_type> dnnlType(DType dtype) {
  switch (dtype) {
  case DType::Float32:
    return dnnl::memory::data_type::f32;
  case DType::BFloat16:
    return dnnl::memory::data_type::bf16;
  case DType::Int32:
    return dnnl::memory::data_type::s32;
  case DType::Int8:
    return dnnl::memory::data_type::s8;
  case DType::UInt8:
    return dnnl::memory::data_type::u8;
  default:
    return std::nullopt;
  }
}

bool sumsBytesExactly() {
  // On processors with VNNI in 256 bits only, some of the code that oneDNN runs halves weights.
  static const bool isExact = [] {
    limitInstructions();
    auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    auto vnni = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_vnni);
    return (isa & vnni) == vnni;
  }();
  return isExact;
}

dnnl::primitive_attr userScratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

bool isSmallWork(double operations) {
  constexpr double operationsPerNanosecond = 100; // one core with AVX-512
  return operations / operationsPerNanosecond < minimalForkNanoseconds();
}

bool isReference(const char *implementation) { return std::strncmp(implementation, "ref", 3) == 0; }

bool packsMatrices() {
  static const bool packs = [] {
    using dnnl::memory;
    constexpr auto type = memory::data_type::f32;
    memory::dims dims{96, 96};
    memory::desc plain(dims, type, memory::format_tag::ab), any(dims, type, memory::format_tag::any);
    dnnl::matmul::primitive_desc matmul({plain, any, plain}, dnnlEngine());
    return matmul.weights_desc() != plain;
  }();
  return packs;
}

dnnl::memory::dims dnnlDims(std::span<const int64_t> dims) {
  return dims.empty() ? dnnl::memory::dims{1} : dnnl::memory::dims(dims.begin(), dims.end());
}

std::vector<int64_t> rowMajorStrides(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(1, dims[i]);
  return strides;
}

PackedTensor::PackedTensor(const dnnl::memory::desc &layout)
    : layout(layout), bytes(allocateAligned(layout.get_size())) {
  if (!bytes)
    throw std::bad_alloc();
  memory = dnnl::memory(layout, dnnlEngine(), bytes.get());
}

PackedTensor::PackedTensor(const dnnl::memory::desc &from, const void *source, const dnnl::memory::desc &to)
    : PackedTensor(to) {
  dnnl::memory input(from, dnnlEngine(), const_cast<void *>(source)); // only read
  dnnl::reorder(input, memory).execute(dnnlStream(), input, memory);
  dnnlStream().wait();
}

std::shared_ptr<const PackedTensor> PackedForms::get(const Key &key, const Make &make) {
  std::lock_guard lock(mutex);
  for (const auto &[known, form] : forms)
    if (known == key)
      return form;
  return forms.emplace_back(key, make()).second;
}

static const char *const reordered = "reorder";

std::vector<dnnl::memory::desc> PackedForms::layouts(const dnnl::memory::desc &from) const {
  std::lock_guard lock(mutex);
  std::vector<dnnl::memory::desc> found;
  for (const auto &[key, form] : forms)
    if (key.algorithm == reordered && key.from == from)
      found.push_back(key.to);
  return found;
}

void PackedCache::reset(const void *data, WeightStore &packed) {
  source = data;
  forms = data ? packed.formsOf(data) : nullptr;
  ++resets;
}

std::shared_ptr<const PackedTensor> PackedCache::get(const dnnl::memory::desc &from,
                                                     const dnnl::memory::desc &to) const {
  return get({reordered, from, to}, [&] { return std::make_shared<PackedTensor>(from, source, to); });
}

std::shared_ptr<const PackedTensor> PackedCache::get(const PackedForms::Key &key,
                                                     const PackedForms::Make &make) const {
  return forms->get(key, make);
}

std::vector<dnnl::memory::desc> PackedCache::layouts(const dnnl::memory::desc &from) const {
  return forms->layouts(from);
}

Execution::Execution(const dnnl::primitive &primitive, const dnnl::memory::desc &scratchpadDesc, bool small)
    : primitive(primitive), scratchSize(scratchpadDesc.get_size()), small(small),
      scratchpad(scratchpadDesc, dnnlEngine(), noMemory) {
  arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad.get()});
}

void Execution::add(int argument, const dnnl::memory::desc &desc) {
  memories.emplace_back(desc, dnnlEngine(), noMemory);
  arguments.push_back({argument, memories.back().get()});
}

void Execution::run(void *scratch) {
  SingleThreadScope scope(small);
  if (scratchSize != 0)
    scratchpad.set_data_handle(scratch);
  dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive.get(), dnnlStream().get(),
                                                 static_cast<int>(arguments.size()), arguments.data()),
                          "oneDNN could not run the primitive");
}

} // namespace proa::runtime
