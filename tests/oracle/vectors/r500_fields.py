"""Where the fields of R5xx shader instructions stand. Pixel shader: R5xx Acceleration v1.3, 10.10. Vertex shader: Mesa's r300_reg.h (PVS_DST_*, PVS_SRC_*),
and for a math operation beside a vector operation docs/errata.md."""

_SOURCES = {f"ADDR{n}{what}": (10 * n + at, width) for n in range(3) for what, at, width in (("", 0, 8), ("_CONST", 8, 1), ("_REL", 9, 1))}
US = [
    ("US_CMN_INST", {"TYPE": (0, 2), "TEX_SEM_WAIT": (2, 1), "RGB_PRED_SEL": (3, 3), "RGB_PRED_INV": (6, 1), "WRITE_INACTIVE": (7, 1), "LAST": (8, 1), "NOP": (9, 1),
                     "ALU_WAIT": (10, 1), "RGB_WMASK": (11, 3), "ALPHA_WMASK": (14, 1), "RGB_OMASK": (15, 3), "ALPHA_OMASK": (18, 1), "RGB_CLAMP": (19, 1),
                     "ALPHA_CLAMP": (20, 1), "ALU_RESULT_SEL": (21, 1), "ALPHA_PRED_INV": (22, 1), "ALU_RESULT_OP": (23, 2), "ALPHA_PRED_SEL": (25, 3),
                     "STAT_WE": (28, 4)}),
    ("US_ALU_RGB_ADDR", {**_SOURCES, "SRCP_OP": (30, 2)}),
    ("US_ALU_ALPHA_ADDR", {**_SOURCES, "SRCP_OP": (30, 2)}),
    ("US_ALU_RGB_INST", {"RGB_SEL_A": (0, 2), "RED_SWIZ_A": (2, 3), "GREEN_SWIZ_A": (5, 3), "BLUE_SWIZ_A": (8, 3), "RGB_MOD_A": (11, 2), "RGB_SEL_B": (13, 2),
                         "RED_SWIZ_B": (15, 3), "GREEN_SWIZ_B": (18, 3), "BLUE_SWIZ_B": (21, 3), "RGB_MOD_B": (24, 2), "OMOD": (26, 3), "TARGET": (29, 2),
                         "ALU_WMASK": (31, 1)}),
    ("US_ALU_ALPHA_INST", {"ALPHA_OP": (0, 4), "ALPHA_ADDRD": (4, 7), "ALPHA_ADDRD_REL": (11, 1), "ALPHA_SEL_A": (12, 2), "ALPHA_SWIZ_A": (14, 3),
                           "ALPHA_MOD_A": (17, 2), "ALPHA_SEL_B": (19, 2), "ALPHA_SWIZ_B": (21, 3), "ALPHA_MOD_B": (24, 2), "OMOD": (26, 3), "TARGET": (29, 2),
                           "W_OMASK": (31, 1)}),
    ("US_ALU_RGBA_INST", {"RGB_OP": (0, 4), "RGB_ADDRD": (4, 7), "RGB_ADDRD_REL": (11, 1), "RGB_SEL_C": (12, 2), "RED_SWIZ_C": (14, 3), "GREEN_SWIZ_C": (17, 3),
                          "BLUE_SWIZ_C": (20, 3), "RGB_MOD_C": (23, 2), "ALPHA_SEL_C": (25, 2), "ALPHA_SWIZ_C": (27, 3), "ALPHA_MOD_C": (30, 2)}),
]
_CHANNELS = "XYZW"
DESTINATION = {"OPCODE": (0, 6), "MATH_INST": (6, 1), "MACRO_INST": (7, 1), "REG_TYPE": (8, 4), "ADDR_MODE_1": (12, 1), "OFFSET": (13, 7), "WE": (20, 4),
               "VE_SAT": (24, 1), "ME_SAT": (25, 1), "PRED_ENABLE": (26, 1), "PRED_SENSE": (27, 1), "DUAL_MATH_OP": (28, 1), "ADDR_SEL": (29, 2),
               "ADDR_MODE_0": (31, 1)}
SOURCE = {"REG_TYPE": (0, 2), "ABS": (3, 1), "ADDR_MODE_0": (4, 1), "OFFSET": (5, 8), **{f"SWIZZLE_{c}": (13 + 3 * n, 3) for n, c in enumerate(_CHANNELS)},
          "NEGATE": (25, 4), "ADDR_SEL": (29, 2), "ADDR_MODE_1": (31, 1)}
DUAL = {"REG_TYPE": (0, 2), "OPCODE_HIGH": (2, 1), "ABS": (3, 1), "ADDR_MODE_0": (4, 1), "OFFSET": (5, 8), "SWIZZLE_X": (13, 3), "SWIZZLE_Y": (16, 3),
        "DESTINATION": (19, 2), "OPCODE_LOW": (21, 4), "NEGATE": (25, 2), "CHANNEL": (27, 2), "ADDR_SEL": (29, 2), "ADDR_MODE_1": (31, 1)}


def word(layout, values):
    result = 0
    for name, value in values.items():
        at, width = layout[name]
        if value >> width:
            raise ValueError(f"{name} {value}")
        result |= value << at
    return result


def us_words(values):
    """{(register, field): value} as the six words of an instruction."""
    words = [word(layout, {field: value for (register, field), value in values.items() if register == name}) for name, layout in US]
    known = {(name, field) for name, layout in US for field in layout}
    assert not set(values) - known, set(values) - known
    return words


def text(name, words):
    return name + " " + " ".join(f"{w:08x}" for w in words)
