#include "workloads/gpu_input/host_decoder.h"

namespace traceml {

DevicePixels HostDecoder::decode(const Crop& crop, GpuArena& pixels) {
  const ImageView view = decoder_.decode(crop);
  const NvjpegImage image = image_in(pixels, crop);
  check_cuda(cudaMemcpy2DAsync(image.channel[0], image.pitch[0], view.pixels, view.stride,
                               static_cast<std::size_t>(view.width) * 3,
                               static_cast<std::size_t>(view.height), cudaMemcpyHostToDevice,
                               stream_));
  check_cuda(cudaStreamSynchronize(stream_));
  return {image.channel[0], static_cast<std::int32_t>(image.pitch[0]), crop.width, crop.height};
}

}  // namespace traceml
