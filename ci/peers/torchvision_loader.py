#!/usr/bin/env python3
"""Images/s of PyTorch's DataLoader with torchvision over a folder of class folders: decode, random
resized crop to 224, flip. No training.

Prints one line, `images_per_s 1489.2 ...`, for a command arm's `measure: {regex: ...}`. Needs torch
and torchvision; says so where they are missing.
"""
import argparse
import sys
import time

try:
    import torch
    from torch.utils.data import DataLoader
    from torchvision import datasets
    from torchvision.io import ImageReadMode, decode_jpeg, read_file
    from torchvision.transforms import v2
except ImportError as missing:
    sys.exit(f"{missing.name} is not installed; pip install torch torchvision")


def decoded(path):
    return decode_jpeg(read_file(path), mode=ImageReadMode.RGB)


def transforms_of(dtype):
    steps = [v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip()]
    if dtype == "float32":
        steps += [v2.ToDtype(torch.float32, scale=True),
                  v2.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))]
    return v2.Compose(steps)


def endless(loader):
    while True:
        yield from loader


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="of class folders: DATA/images of datagen")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--prefetch", type=int, default=2, help="batches for each worker")
    parser.add_argument("--dtype", choices=("uint8", "float32"), default="uint8")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--warmup", type=int, default=16, help="batches")
    parser.add_argument("--batches", type=int, default=64)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    dataset = datasets.ImageFolder(options.folder, transforms_of(options.dtype), loader=decoded)
    several = {"prefetch_factor": options.prefetch, "persistent_workers": True}
    loader = DataLoader(dataset, options.batch, shuffle=True, drop_last=True,
                        num_workers=options.workers, **(several if options.workers else {}))
    if len(loader) == 0:
        sys.exit(f"{len(dataset)} images are fewer than one batch of {options.batch}")
    batches = endless(loader)
    for _ in range(options.warmup):
        next(batches)
    start = time.perf_counter()
    for _ in range(options.batches):
        next(batches)
    rate = options.batch * options.batches / (time.perf_counter() - start)
    print(f"images_per_s {rate:.1f} torchvision; {vars(options)}", flush=True)


if __name__ == "__main__":
    main()
