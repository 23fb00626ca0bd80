"""A strict reader of the Chrome traces that we write: what the format asks for, and what we promise
beside it (docs/explain.md). check(path) raises AssertionError with the event that is wrong."""
import gzip
import json
import re
from decimal import Decimal

KEYS = {
    "X": {"ph", "cat", "name", "pid", "tid", "ts", "dur"},
    "M": {"ph", "name", "pid", "tid", "args"},
    "C": {"ph", "name", "pid", "tid", "ts", "args"},
    "s": {"ph", "cat", "name", "id", "pid", "tid", "ts"},
    "f": {"ph", "bp", "cat", "name", "id", "pid", "tid", "ts"},
}
HOST = {"user_annotation", "cuda_runtime", "cuda_driver", "overhead", "loader", "cpu_op"}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
PRIVATE = re.compile(r"(^|[\s\"'(=])(/|~/|[A-Za-z]:\\)[\w.]")


def unique(pairs):
    """JSON objects as dictionaries; a key that is given twice is an error."""
    made = dict(pairs)
    assert len(made) == len(pairs), f"a key is given twice: {[key for key, _ in pairs]}"
    return made


def refuse(text):
    raise AssertionError(f"{text} is no number of JSON")


def load(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=unique, parse_float=Decimal,
                         parse_constant=refuse)


def in_ns(microseconds):
    ns = Decimal(microseconds) * 1000
    assert ns == ns.to_integral_value(), f"{microseconds} us are no whole nanoseconds"
    return int(ns)


def check_header(trace):
    assert list(trace)[-1] == "traceEvents", "the header stands before the events"
    assert trace["schemaVersion"] == 1 and trace["displayTimeUnit"] == "ms"
    assert isinstance(trace["baseTimeNanoseconds"], int)
    info = trace["distributedInfo"]
    assert 0 <= info["rank"] < info["world_size"]
    own = trace["traceml_bench"]
    assert own["version"] == 1 and own["arm"]
    for key, value in own.items():
        assert isinstance(value, (int, str)), f"{key} is neither a whole number nor a text"
    return info["rank"], own


def check_event(event, rank):
    kind = event["ph"]
    wanted = KEYS[kind]
    assert wanted <= set(event) <= wanted | {"args"}, f"keys of {event}"
    assert isinstance(event["pid"], int) and isinstance(event["tid"], int), event
    assert isinstance(event["name"], str) and event["name"], event
    assert not PRIVATE.search(json.dumps(event, default=str)), f"a path is in {event}"
    if kind != "M":
        assert in_ns(event["ts"]) >= 0, f"{event} lies before the base"
    if kind != "X":
        return
    assert in_ns(event["dur"]) >= 0, event
    assert event["cat"] in HOST | DEVICE, event
    if event["cat"] in DEVICE:
        args = event["args"]
        assert event["pid"] != rank and args["stream"] == event["tid"], event
        assert all(isinstance(number, int) for number in args.get("grid", [])), event
    else:
        assert event["pid"] == rank, event


def check_names(events):
    """Each row of the picture has a name, given once."""
    rows = {(event["pid"], event["tid"]) for event in events if event["ph"] == "X"}
    for what, places in (("thread_name", rows), ("process_name", {(pid, 0) for pid, _ in rows})):
        named = [(event["pid"], event["tid"]) for event in events
                 if event["ph"] == "M" and event["name"] == what]
        assert len(named) == len(set(named)), f"a {what} is given twice"
        assert places <= set(named), f"without a {what}: {places - set(named)}"


def check_flows(events):
    """Each arrow begins once, in the call of its correlation, and ends in work of the same."""
    calls, work, begun = {}, {}, set()
    for event in events:
        if event["ph"] != "X" or "correlation" not in event.get("args", {}):
            continue
        where = work if event["cat"] in DEVICE else calls
        where.setdefault(event["args"]["correlation"], []).append(event)

    def inside(arrow, slices):
        at = in_ns(arrow["ts"])
        return any((one["pid"], one["tid"]) == (arrow["pid"], arrow["tid"]) and
                   in_ns(one["ts"]) <= at <= in_ns(one["ts"]) + in_ns(one["dur"])
                   for one in slices)

    for event in events:
        if event["ph"] == "s":
            assert event["id"] not in begun, f"{event} begins twice"
            begun.add(event["id"])
            assert inside(event, calls[event["id"]]), f"{event} begins in no call"
        elif event["ph"] == "f":
            assert event["bp"] == "e" and event["id"] in begun, event
            assert inside(event, work[event["id"]]), f"{event} ends in no work"
    launched = {key for key in work if key in calls}
    assert launched == begun, "work without an arrow, or an arrow without work"


def check_steps(events, own):
    """Steps follow each other on one thread, and phases lie inside one."""
    steps = sorted((in_ns(event["ts"]), in_ns(event["dur"]), event["name"], event["tid"])
                   for event in events if event["name"].startswith("ProfilerStep#"))
    assert steps, "no step"
    assert len({tid for *_, tid in steps}) == 1
    assert [name for _, _, name, _ in steps] == [
        f"ProfilerStep#{own['first_step'] + i}" for i in range(len(steps))]
    for (begin, length, *_), (following, *_) in zip(steps, steps[1:]):
        assert begin + length <= following, "steps overlap"
    for event in events:
        if event.get("cat") != "user_annotation" or event["name"].startswith("ProfilerStep#"):
            continue
        begin, end = in_ns(event["ts"]), in_ns(event["ts"]) + in_ns(event["dur"])
        assert any(at <= begin and end <= at + length for at, length, *_ in steps), event


def check(path):
    trace = load(path)
    rank, own = check_header(trace)
    events = trace["traceEvents"]
    for event in events:
        check_event(event, rank)
    check_names(events)
    check_flows(events)
    check_steps(events, own)
    return trace
