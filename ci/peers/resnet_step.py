#!/usr/bin/env python3
"""Time of an input-free ResNet-50 training step in PyTorch, host wall between two device syncs.

Prints one line, `ms_per_step 42.190 ...`, for a command arm's `measure: {regex: ...}`: the mean over
the windows of the fastest of the optimizers that were asked for, whose windows alternate.
"""
import argparse
import contextlib
import time

import torch

from resnet50 import resnet50


def arguments_of(parser):
    parser.add_argument("--precision", choices=("tf32", "bf16"), default="tf32")
    parser.add_argument("--optimizer", choices=("fused", "foreach", "fastest"), default="fastest")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--classes", type=int, default=101)
    parser.add_argument("--size", type=int, default=224, help="pixels, square")
    parser.add_argument("--steps", type=int, default=48, help="of a window")
    parser.add_argument("--windows", type=int, default=2, help="of each optimizer")
    parser.add_argument("--warmup-s", type=float, default=5)
    return parser


def set_up(options, device):
    torch.cuda.set_device(device)
    torch.manual_seed(7)
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cuda.matmul.allow_tf32 = True
    shape = (options.batch, 3, options.size, options.size)
    images = torch.randn(shape, device=device).to(memory_format=torch.channels_last)
    labels = torch.randint(options.classes, (options.batch,), device=device)
    model = resnet50(options.classes).to(device, memory_format=torch.channels_last).train()
    return model, images, labels


def autocast(options, cached=True):
    if options.precision == "tf32":
        return contextlib.nullcontext()
    return torch.autocast("cuda", torch.bfloat16, cache_enabled=cached)


def sgd(model, name):
    return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, **{name: True})


def optimizer_names(options):
    return ("fused", "foreach") if options.optimizer == "fastest" else (options.optimizer,)


def make_step(model, images, labels, optimizer, options, cached=True):
    def step():
        optimizer.zero_grad(set_to_none=True)
        with autocast(options, cached):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    return step


def captured(step):
    """The step as one CUDA graph; it runs on a side stream first, as capture wants it."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(11):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def traced(step, model):
    """Each step inside TraceML's trace_step; run it as `traceml run resnet_step.py --args --traced`."""
    import traceml_ai
    traceml_ai.init(mode="auto")

    def traced_step():
        with traceml_ai.trace_step(model):
            step()
    return traced_step


def warm_up(steps, seconds):
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        for step in steps:
            for _ in range(8):
                step()
        torch.cuda.synchronize()


def window_s(step, count):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        step()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def print_fastest(times_s, steps, options):
    """times_s: optimizer -> seconds of each of its windows."""
    ms = {name: 1e3 * sum(windows) / len(windows) / steps for name, windows in times_s.items()}
    fastest = min(ms, key=ms.get)
    each = " ".join(f"{name}={value:.3f}" for name, value in ms.items())
    print(f"ms_per_step {ms[fastest]:.4f} of {fastest}; {each}; {vars(options)}", flush=True)


def main():
    parser = arguments_of(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("--graph", action="store_true", help="the whole step as one CUDA graph")
    parser.add_argument("--traced", action="store_true", help="inside TraceML's trace_step")
    parser.add_argument("--compile", action="store_true", help="torch.compile; needs triton")
    options = parser.parse_args()
    model, images, labels = set_up(options, torch.device("cuda", 0))
    network = torch.compile(model) if options.compile else model
    steps = {}
    for name in optimizer_names(options):
        step = make_step(network, images, labels, sgd(model, name), options, not options.graph)
        steps[name] = captured(step) if options.graph else step
        if options.traced:
            steps[name] = traced(steps[name], network)
    warm_up(steps.values(), options.warmup_s)
    times_s = {name: [] for name in steps}
    for _ in range(options.windows):
        for name, step in steps.items():
            times_s[name].append(window_s(step, options.steps))
    print_fastest(times_s, options.steps, options)


if __name__ == "__main__":
    main()
