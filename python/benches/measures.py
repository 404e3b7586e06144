"""What the package costs beside the program: `python benches/measures.py PROGRAM`, with the wheel installed and pyarrow at hand.

Prints learning from an Arrow table against the program on the same data as JSON Lines, one frame at a time against many at once,
and the memory that is returned.
"""

from __future__ import annotations

import gc
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import oled


def best(of, times=3):
    """The shortest time of several runs, in seconds: what is longer is somebody else's work."""
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        of()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def resident():
    """Mebibytes of memory in use, where the system tells."""
    try:
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return float("nan")
    return pages * resource.getpagesize() / 2**20


def main(program: str) -> None:
    import pyarrow as pa

    task = oled.Task.load("lobby-listed")
    frames = oled.simulate("lobby", segments=20, length=1000)
    rows = [frame.to_dict() for frame in frames]
    table = pa.Table.from_pylist(rows)
    theory = task.theories["hand"]
    with tempfile.TemporaryDirectory() as folder:
        stream = pathlib.Path(folder) / "stream.jsonl"
        stream.write_text(oled.to_jsonl(frames), encoding="utf-8")
        rules = pathlib.Path(folder) / "rules.lp"

        def by_program(command, *more):
            arguments = [program, command, "lobby-listed", "--input", str(stream), "--quiet", *more]
            return lambda: subprocess.run(arguments, check=True, capture_output=True)

        print(f"{len(frames)} frames, {stream.stat().st_size / 2**20:.1f} MiB of JSON Lines")
        print(f"learn, program, JSON Lines      {best(by_program('learn', '--output', str(rules))):8.2f} s")
        print(f"learn, Python, Arrow table      {best(lambda: oled.Replay(task).fit(table)):8.2f} s")
        print(f"learn, Python, JSON Lines       {best(lambda: oled.Replay(task).fit(stream)):8.2f} s")
        print(f"learn, Python, oled.Frame       {best(lambda: oled.Replay(task).fit(frames)):8.2f} s")
        assert oled.Replay(task).fit(table).theory_.text == rules.read_text(encoding="utf-8")
        recogniser = oled.Recogniser(task, theory)
        print(f"recognise, program, JSON Lines  {best(by_program('recognise', '--theory', 'hand')):8.2f} s")
        print(f"recognise, Python, Arrow table  {best(lambda: recogniser.predict(table)):8.2f} s")
    model = oled.Replay(task)
    began = time.perf_counter()
    for frame in frames:
        model.learn_one(frame)
    one = (time.perf_counter() - began) / len(frames) * 1e6
    many = best(lambda: oled.Replay(task).learn_many(frames)) / len(frames) * 1e6
    print(f"learn_one                       {one:8.1f} µs a frame")
    print(f"learn_many of the same frames   {many:8.1f} µs a frame")
    del model
    gc.collect()
    before = resident()
    for _ in range(3):
        oled.Replay(task).fit(table)
        recogniser.predict(table)
    gc.collect()
    print(f"memory before and after three more runs: {before:.0f} MiB, {resident():.0f} MiB")


if __name__ == "__main__":
    main(sys.argv[1])
