#!/usr/bin/env python3
"""Writes a Chrome trace as torch.profiler writes it, of a made-up training job: for measurements.

  make_trace.py FILE [EVENTS]     EVENTS: 2,000,000 unless given (about 450 MB); gzipped where FILE
                                  ends with .gz

A step is: a batch from the loader, its copy, forward and backward on two threads, gradients
exchanged on a stream of their own. Every 50th step the batch comes 20 ms late. Each operator is an
event with shapes, a launch, a kernel and the two ends of the arrow between them.
"""

import gzip
import random
import sys
from typing import Iterator

OPS = ["aten::conv2d", "aten::batch_norm", "aten::relu_", "aten::add_", "aten::linear", "aten::mm"]
KERNELS = [
    "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x32x16",
    "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(bnFwArgs)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
]
MAIN, AUTOGRAD = 4242, 4377


class Trace:
    def __init__(self) -> None:
        self.random = random.Random(7)
        self.host_ns = 6_698_991_931_628_010  # of the thread that is at work
        self.device_ns = self.host_ns
        self.correlation = 1000

    def us(self, nanos: int) -> str:
        return f"{nanos // 1000}.{nanos % 1000:03d}"

    def host(
        self, category: str, name: str, thread: int, begin: int, nanos: int, args: str
    ) -> str:
        return (
            '  {\n    "ph": "X", "cat": "%s", "name": "%s", "pid": 4242, "tid": %d,\n'
            '    "ts": %s, "dur": %s,\n    "args": {\n      %s\n    }\n  }'
            % (category, name, thread, self.us(begin), self.us(nanos), args)
        )

    def launch(
        self, thread: int, stream: int, name: str, nanos: int, more: str = ""
    ) -> Iterator[str]:
        """A launch, its kernel and the arrow between them."""
        self.correlation += 1
        ident = self.correlation
        begin = self.host_ns
        self.host_ns += 6_000 + self.random.randrange(2_000)
        call = f'"cbid": 211, "correlation": {ident}, "External id": {ident}'
        yield self.host("cuda_runtime", "cudaLaunchKernel", thread, begin, 5_200, call)
        self.device_ns = max(self.device_ns + 900, begin + 4_000)
        start = self.device_ns
        self.device_ns += nanos
        args = (
            f'"External id": {ident}, "queued": 0, "device": 0, "context": 1,\n'
            f'      "stream": {stream}, "correlation": {ident},\n'
            f'      "registers per thread": 32, "shared memory": 0, "blocks per SM": 12.5,\n'
            f'      "warps per SM": 50, "grid": [{nanos % 16}, 1, 1], "block": [128, 1, 1]{more}'
        )
        yield (
            '  {\n    "ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": %d,\n'
            '    "ts": %s, "dur": %s,\n    "args": {\n      %s\n    }\n  }'
            % (name, stream, self.us(start), self.us(nanos), args)
        )
        for end, pid, tid, at in (("s", MAIN, thread, begin), ("f", 0, stream, start)):
            bind = ', "bp": "e"' if end == "f" else ""
            yield (
                '  {\n    "ph": "%s", "id": %d, "pid": %d, "tid": %d, "ts": %s,\n'
                '    "cat": "ac2g", "name": "ac2g"%s\n  }'
                % (end, ident, pid, tid, self.us(at), bind)
            )

    def operator(self, thread: int, index: int) -> Iterator[str]:
        begin = self.host_ns
        self.host_ns += 9_000
        kernel = KERNELS[index % len(KERNELS)]
        yield from self.launch(thread, 7, kernel, 30_000 + self.random.randrange(40_000))
        self.host_ns += 6_000
        args = (
            f'"External id": {self.correlation}, "Sequence number": 7, "Fwd thread id": 0, '
            f'"Input Dims": [[128, {index % 512}, 56, 56], []], "Ev Idx": {self.correlation}'
        )
        name = OPS[index % len(OPS)]
        yield self.host("cpu_op", name, thread, begin, self.host_ns - begin, args)

    def step(self, number: int) -> Iterator[str]:
        begin = self.host_ns
        wait = 20_000_000 if number % 50 == 49 else 200_000
        name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
        yield self.host("user_annotation", name, MAIN, begin, wait, '"External id": 1')
        self.host_ns += wait
        for index in range(160):
            yield from self.operator(MAIN, index)
        for index in range(320):
            yield from self.operator(AUTOGRAD, index)
            if index % 80 == 79:
                more = (
                    ',\n      "Collective name": "allreduce", "In msg nelems": 6553600, '
                    '"Out msg nelems": 6553600, "Group size": 8, "dtype": "Float", '
                    '"Process Group Name": "0", "Process Group Description": "default_pg", '
                    f'"Seq": {number * 4 + index // 80}'
                )
                name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
                yield from self.launch(AUTOGRAD, 20, name, 400_000, more)
        # The host may run ahead, but not without end.
        self.host_ns = max(self.host_ns, self.device_ns - 30_000_000)
        yield self.host("user_annotation", f"ProfilerStep#{number}", MAIN, begin,
                        self.host_ns - begin, '"External id": 2')
        self.host_ns += 1_000


def events(trace: Trace, count: int) -> Iterator[str]:
    made, number = 0, 3
    while made < count:
        for event in trace.step(number):
            yield event
            made += 1
            if made == count:
                return
        number += 1


def main() -> None:
    path = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2_000_000
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.write('{\n  "schemaVersion": 1,\n'
                   '  "deviceProperties": [\n    {"id": 0, "name": "NVIDIA H200"}\n  ],\n'
                   '  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8},\n'
                   '  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": 1758067458000000000,\n'
                   '  "traceEvents": [\n')
        for index, event in enumerate(events(Trace(), count)):
            file.write((",\n" if index else "") + event)
        file.write('\n  ],\n  "traceName": "job.pt.trace.json"\n}\n')


if __name__ == "__main__":
    main()
