#include "gnomon/oracle/plugin_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <type_traits>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/child.h"
#include "gnomon/oracle/text.h"

namespace gnomon::oracle {
namespace {

constexpr size_t kLongestMessage = 200;

template <class T>
T* Allocate(size_t count, std::pmr::memory_resource* memory) {
  static_assert(std::is_trivially_copyable_v<T>);
  return static_cast<T*>(memory->allocate(std::max<size_t>(count, 1) * sizeof(T), alignof(T)));
}
template <class T>
const T* Copy(std::span<const T> from, std::pmr::memory_resource* memory) {
  T* const to = Allocate<T>(from.size(), memory);
  std::copy(from.begin(), from.end(), to);
  return to;
}
const char* Copy(std::string_view text, std::pmr::memory_resource* memory) {
  char* const to = Allocate<char>(text.size() + 1, memory);
  std::copy(text.begin(), text.end(), to);
  to[text.size()] = 0;
  return to;
}

const gnomon_tensor* Tensors(const std::map<std::string, TensorView>& views,
                             std::pmr::memory_resource* memory) {
  gnomon_tensor* const tensors = Allocate<gnomon_tensor>(views.size(), memory);
  size_t i = 0;
  for (const auto& [role, view] : views)
    tensors[i++] = {Copy(role, memory),
                    static_cast<int32_t>(view.dtype),
                    static_cast<int32_t>(view.rank()),
                    Copy(std::span<const int64_t>(view.shape), memory),
                    Copy(std::span<const int64_t>(view.strides), memory),
                    view.data};
  return tensors;
}

static_assert(GNOMON_F64 == static_cast<int>(DType::kF64) &&
              GNOMON_F32 == static_cast<int>(DType::kF32) &&
              GNOMON_BF16 == static_cast<int>(DType::kBf16) &&
              GNOMON_F16 == static_cast<int>(DType::kF16) &&
              GNOMON_I64 == static_cast<int>(DType::kI64) &&
              GNOMON_I32 == static_cast<int>(DType::kI32));

}  // namespace

PluginLibrary::PluginLibrary(const std::string& path) {
  const auto fail = [&](const std::string& why) { throw BadFile(path, why, "SUBJ-4"); };
  std::error_code error;
  if (!std::filesystem::exists(path, error)) fail("no such file");
  OfferCoverageHooks();
  // With a slash, else the loader looks in its own folders.
  void* const library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail("cannot be loaded: " + Excerpt(dlerror(), kLongestMessage));
  void* const symbol = dlsym(library, "gnomon_plugin_get");
  if (symbol == nullptr) fail("does not export gnomon_plugin_get");
  decltype(&gnomon_plugin_get) get = nullptr;
  std::memcpy(&get, &symbol, sizeof get);
  plugin_ = get();
  if (plugin_ == nullptr) fail("gnomon_plugin_get returned NULL");
  if (plugin_->abi != GNOMON_PLUGIN_ABI)
    fail("abi " + std::to_string(plugin_->abi) + ", must be " + std::to_string(GNOMON_PLUGIN_ABI));
  if (plugin_->run == nullptr) fail("run is NULL");
  if (plugin_->description == nullptr) fail("description is NULL");
  text_ = plugin_->description;
  description_ = ParseDescription(text_, path);
}

const gnomon_call* MakeCall(const Case& c, const std::map<std::string, TensorView>& inputs,
                            const properties::OutputViews& outputs, std::span<char> message,
                            std::pmr::memory_resource* memory) {
  const gnomon_call call = {
      sizeof(gnomon_call),
      Copy(c.operation, memory),
      Copy(ParametersJson(c.parameters), memory),
      Copy(Traits(c.format).name, memory),
      c.in_place.empty() ? nullptr : Copy(c.in_place, memory),
      Tensors(inputs, memory),
      inputs.size(),
      Tensors(outputs, memory),
      outputs.size(),
      message.data(),
      message.size(),
  };
  return Copy(std::span(&call, 1), memory);
}

properties::Outcome ToOutcome(int status, std::string_view message) {
  using properties::Outcome;
  std::string said = Excerpt(message.substr(0, message.find('\0')), kLongestMessage);
  if (said.empty()) said = kNoMessage;
  switch (status) {
    case GNOMON_OK:
      return {};
    case GNOMON_UNSUPPORTED:
      return {Outcome::kUnsupported, said};
    case GNOMON_REJECTED:
      return {Outcome::kRejected, said};
    case GNOMON_FAILED:
      return {Outcome::kFailed, said};
    default:
      return {Outcome::kFailed, "run returned " + std::to_string(status) + ", no status (SUBJ-2)"};
  }
}

properties::Outcome RunPlugin(const PluginLibrary& library, const Case& c,
                              const properties::OutputViews& outputs) {
  std::map<std::string, TensorView> inputs;
  for (const auto& [role, tensor] : c.inputs) {
    const ConstTensorView view = tensor.view();
    inputs[role] = {view.dtype, const_cast<std::byte*>(view.data), view.shape, view.strides};
  }
  if (!c.in_place.empty()) inputs[c.in_place] = outputs.begin()->second;
  std::pmr::monotonic_buffer_resource memory;
  std::array<char, 256> message{};
  const gnomon_call* const call = MakeCall(c, inputs, outputs, message, &memory);
  const int status = library.Run(*call);
  return ToOutcome(status, {message.data(), message.size()});
}

}  // namespace gnomon::oracle
