#!/usr/bin/env python3
"""resnet_step.py over DistributedDataParallel and NCCL, one GPU a rank; the slowest rank's time.

Started by torchrun, or by mpirun with --port. Rank 0 prints the line `ms_per_step ...`.
"""
import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import resnet_step


def place(names, default=None):
    for name in names:
        if name in os.environ:
            return int(os.environ[name])
    if default is None:
        raise SystemExit(f"none of {', '.join(names)} is set; start this with torchrun or mpirun")
    return default


def join(port):
    rank = place(("RANK", "OMPI_COMM_WORLD_RANK"))
    world = place(("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE"))
    local = place(("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"))
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", str(port))
    device = torch.device("cuda", local)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", rank=rank, world_size=world, device_id=device)
    return rank, device


def slowest(seconds, device):
    value = torch.tensor([seconds], dtype=torch.float64, device=device)
    dist.all_reduce(value, op=dist.ReduceOp.MAX)
    return value.item()


def main():
    parser = resnet_step.arguments_of(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("--port", type=int, default=29511, help="of rank 0, under mpirun")
    parser.add_argument("--defaults", action="store_true",
                        help="without gradient_as_bucket_view and static_graph")
    options = parser.parse_args()
    rank, device = join(options.port)
    model, images, labels = resnet_step.set_up(options, device)
    fast = {} if options.defaults else {"gradient_as_bucket_view": True, "static_graph": True}
    network = DistributedDataParallel(model, device_ids=[device.index], **fast)
    steps = {
        name: resnet_step.make_step(network, images, labels, resnet_step.sgd(model, name), options)
        for name in resnet_step.optimizer_names(options)}
    warm = 0.0
    while warm < options.warmup_s:  # the same number of steps on every rank
        for step in steps.values():
            warm += slowest(resnet_step.window_s(step, 16), device)
    times_s = {name: [] for name in steps}
    for _ in range(options.windows):
        for name, step in steps.items():
            dist.barrier()
            times_s[name].append(slowest(resnet_step.window_s(step, options.steps), device))
    if rank == 0:
        resnet_step.print_fastest(times_s, options.steps, options)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
