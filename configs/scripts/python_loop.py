"""A small PyTorch training loop on the CPU: prints its mean time per step in ms.

python3 python_loop.py             bare
traceml run python_loop.py ... --args --traced     each step inside TraceML's trace_step
"""
import contextlib
import sys
import time

import torch

STEPS, WARM_UP = 3000, 300


def main():
    torch.manual_seed(7)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images, labels = torch.randn(16, 64), torch.randint(10, (16,))
    trace_step = contextlib.nullcontext
    if "--traced" in sys.argv:
        import traceml_ai
        traceml_ai.init(mode="auto")
        trace_step = traceml_ai.trace_step

    start = None
    for step in range(WARM_UP + STEPS):
        if step == WARM_UP:
            start = time.perf_counter()
        with trace_step(model):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
    print(f"step_ms: {1e3 * (time.perf_counter() - start) / STEPS:.5f}")


if __name__ == "__main__":
    main()
