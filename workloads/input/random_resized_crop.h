#pragma once

#include "workloads/input/image.h"
#include "workloads/input/random.h"

namespace traceml {

// RandomResizedCrop of torchvision (transforms.RandomResizedCrop.get_params) with scale 0.08 to 1
// of the area and ratio 3/4 to 4/3, log-uniform: ten tries, then the centre crop nearest in ratio.
Crop random_resized_crop(ImageSize image, Random& random);

}  // namespace traceml
