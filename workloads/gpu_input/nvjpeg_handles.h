#pragma once
// Things that nvJPEG makes, given back to it. The session outlives them.

#include <memory>
#include <type_traits>

#include "workloads/gpu_input/nvjpeg_session.h"

namespace traceml {

template <typename Thing>
struct DestroyNvjpeg {
  NvjpegLibrary::Status (*destroy)(Thing) = nullptr;
  void operator()(Thing thing) const noexcept { static_cast<void>(destroy(thing)); }
};

template <typename Thing>
using OwnedNvjpeg = std::unique_ptr<std::remove_pointer_t<Thing>, DestroyNvjpeg<Thing>>;

// create(arguments..., &thing). Throws RunError.
template <typename Thing, typename Create, typename... Arguments>
OwnedNvjpeg<Thing> make_nvjpeg(NvjpegLibrary::Status (*destroy)(Thing), Create create,
                               Arguments... arguments) {
  Thing thing = nullptr;
  check_nvjpeg(create(arguments..., &thing));
  return {thing, {destroy}};
}

}  // namespace traceml
