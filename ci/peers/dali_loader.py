#!/usr/bin/env python3
"""Images/s of NVIDIA DALI over a folder of class folders: decode, random resized crop to 224, flip,
on the CPU or on a GPU. No training.

Prints one line, `images_per_s 4458.0 ...`, for a command arm's `measure: {regex: ...}`. Needs DALI;
says so where it is missing.
"""
import argparse
import sys
import time

try:
    from nvidia.dali import fn, pipeline_def, types
except ImportError as missing:
    sys.exit(f"NVIDIA DALI is not installed ({missing}); pip install nvidia-dali-cuda130")

MEAN = [255 * value for value in (0.485, 0.456, 0.406)]
DEVIATION = [255 * value for value in (0.229, 0.224, 0.225)]


@pipeline_def
def images(options):
    files, labels = fn.readers.file(file_root=options.folder, random_shuffle=True, name="files")
    on_gpu = options.device == "gpu"
    pixels = fn.decoders.image_random_crop(
        files, device="mixed" if on_gpu else "cpu", random_area=[0.08, 1],
        random_aspect_ratio=[3 / 4, 4 / 3], **({"hw_decoder_load": options.hardware} if on_gpu else {}))
    pixels = fn.resize(pixels, size=[224, 224], interp_type=types.INTERP_LINEAR, antialias=True)
    float32 = options.dtype == "float32"
    pixels = fn.crop_mirror_normalize(
        pixels, mirror=fn.random.coin_flip(), output_layout="HWC",
        dtype=types.FLOAT if float32 else types.UINT8,
        mean=MEAN if float32 else [0.0], std=DEVIATION if float32 else [1.0])
    return pixels, labels


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="of class folders: DATA/images of datagen")
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--hardware", type=float, default=0.65, help="share of the JPEG engines")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--prefetch", type=int, default=2, help="batches")
    parser.add_argument("--dtype", choices=("uint8", "float32"), default="uint8")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--warmup", type=int, default=16, help="batches")
    parser.add_argument("--batches", type=int, default=64)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    pipeline = images(options, batch_size=options.batch, num_threads=options.threads,
                      device_id=0 if options.device == "gpu" else None, seed=options.seed,
                      prefetch_queue_depth=options.prefetch)
    pipeline.build()
    for _ in range(options.warmup):
        pipeline.run()
    start = time.perf_counter()
    for _ in range(options.batches):
        pipeline.run()
    rate = options.batch * options.batches / (time.perf_counter() - start)
    print(f"images_per_s {rate:.1f} DALI; {vars(options)}", flush=True)


if __name__ == "__main__":
    main()
