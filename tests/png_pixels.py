"""The pixels of a PNG, for tests that look at pictures which other programs have written."""
import struct
import zlib


def pixels_of_png(file):
    """RGB triples of an 8-bit PNG (W3C PNG specification: chunks, and filters 0 to 4)."""
    data = file.read_bytes()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    step = {2: 3, 6: 4}[colour]
    raw, row, found = zlib.decompress(packed), bytearray(width * step), []
    for y in range(height):
        begin = y * (width * step + 1)
        kind, line = raw[begin], bytearray(raw[begin + 1:begin + 1 + width * step])
        for i in range(len(line)):
            left = line[i - step] if i >= step else 0
            up, corner = row[i], row[i - step] if i >= step else 0
            if kind == 4:
                guess = left + up - corner
                ways = (abs(guess - left), abs(guess - up), abs(guess - corner))
                line[i] = line[i] + (left, up, corner)[ways.index(min(ways))] & 255
            elif kind:
                line[i] = line[i] + (left, up, (left + up) // 2)[kind - 1] & 255
        row = line
        found += [tuple(line[i:i + 3]) for i in range(0, len(line), step)]
    return found
