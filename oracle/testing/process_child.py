"""A process (SUBJ-5) for oracle/process_subject_test.cc: answers rope.apply by y = x, and misbehaves where it is told to.

Usage: process_child.py [WHAT [FILE]]. A case is bad if its head_dim is 6; WHAT is done at the first bad case.
`always` exits at every case; `restart` dies, and then starts no more. Both add a letter to FILE, if it is there, at every start.
"""
import json
import os
import signal
import struct
import sys
import time

what = sys.argv[1] if len(sys.argv) > 1 else ""
out, inp = sys.stdout.buffer, sys.stdin.buffer
ran = 0


def send(kind, payload):
    out.write(kind + struct.pack("<Q", len(payload)) + payload)
    out.flush()


def tensors(data):
    size = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:8 + size])
    case = json.loads(header.pop("__metadata__")["gnomon.case"])
    return case, {name: (t["dtype"], t["shape"], data[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]])
                  for name, t in header.items()}


def safetensors(named):
    header, data = {}, b""
    for name, (dtype, shape, raw) in named.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def say(text):
    print(text, file=sys.stderr, flush=True)


def misbehave():
    """What ends the conversation."""
    if what == "signal":
        say("about to die")
        os.kill(os.getpid(), signal.SIGSEGV)
    elif what == "exit":
        say("giving up\non two lines")
        os._exit(7)
    elif what == "hang":
        time.sleep(1000)
    elif what == "close":
        os.close(1)
        time.sleep(1000)
    elif what == "garbage":
        print("loading checkpoint shards", flush=True)
    elif what == "type":
        send(b"HELO", b"{}")
        time.sleep(1000)
    elif what == "count":
        send(b"DONE", struct.pack("<IQ", 3, 0) * 100)
        time.sleep(1000)
    elif what == "none":
        send(b"DONE", b"")
        time.sleep(1000)
    elif what == "status":
        send(b"DONE", struct.pack("<IQ", 9, 0))
        time.sleep(1000)
    elif what == "length":
        send(b"DONE", struct.pack("<IQ", 0, 1 << 60) + b"x")
        time.sleep(1000)
    elif what == "huge":
        out.write(b"DONE" + struct.pack("<Q", 1 << 62))
        out.flush()
        time.sleep(1000)
    elif what == "truncated":
        out.write(b"DONE" + struct.pack("<Q", 1000) + b"abc")
        out.flush()
        os._exit(0)
    elif what == "more":
        send(b"DONE", struct.pack("<IQ", 3, 2) + b"no" + b"rest")
        time.sleep(1000)
    elif what == "restart":
        open(sys.argv[2], "a").close()
        os.abort()
    elif what == "once" and not os.path.exists(sys.argv[2]):
        open(sys.argv[2], "w").close()
        os.abort()


def answer(case, named):
    global ran
    ran += 1
    bad = case["parameters"]["head_dim"] == 6
    if what == "always":
        os._exit(7)
    if bad:
        misbehave()
    x = named["x"]
    y = {"y": x}
    if bad and what == "deaf":
        os.close(0)
    if bad and what == "file":
        return 0, b"no file"
    if bad and what == "missing":
        y = {"z": x}
    if bad and what == "shape":
        y = {"y": (x[0], x[1][::-1], x[2])}
    if bad and what == "dtype":
        y = {"y": ("F16", x[1], x[2][:len(x[2]) // 2])}
    if bad and what == "extra":
        y["z"] = x
    if bad and what == "different":
        y = {"y": (x[0], x[1], struct.pack("<I", ran) + x[2][4:])}
    if bad and what in ("unsupported", "rejected", "failed"):
        return ["", "unsupported", "rejected", "failed"].index(what), b"because\nof six"
    return 0, safetensors(y)


def receive():
    head = inp.read(12)
    if len(head) < 12:
        sys.exit(0)
    return head[:4], inp.read(struct.unpack("<Q", head[4:])[0])


def main():
    if what in ("always", "restart") and os.path.exists(sys.argv[2]):
        with open(sys.argv[2], "a") as starts:
            starts.write("x")
        if what == "restart":
            sys.exit(3)
    if what == "no hello":
        time.sleep(1000)
    if what == "chatty":
        print("Hello!", flush=True)
    while True:
        kind, payload = receive()
        if kind == b"HELO":
            name = "liar" if what == "lie" else "child"
            limits = {"elements": 1} if what == "nothing left" else {}  # x has two at least
            send(b"HELO", json.dumps({"name": name, "operations": {"rope.apply": {"formats": ["f32"], **limits}},
                                      **({"shoe size": 43} if what == "lie" else {})}).encode())
        elif kind == b"RUN_":
            count, at, done = struct.unpack_from("<I", payload)[0], 4, []
            if count > 65:
                sys.exit("more cases than SUBJ-5 allows")
            for _ in range(count):
                size = struct.unpack_from("<Q", payload, at)[0]
                status, body = answer(*tensors(payload[at + 8:at + 8 + size]))
                done.append(struct.pack("<IQ", status, len(body)) + body)
                at += 8 + size
            send(b"DONE", b"".join(done))
            if what == "deaf":
                time.sleep(1000)
        elif kind == b"BYE_":
            sys.exit(0)


main()
