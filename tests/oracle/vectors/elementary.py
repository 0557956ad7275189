"""2^x, log2 x, sin and cos of turns, as fractions within 2^-150 of the true value, from decimal arithmetic of 60 digits."""
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 70
getcontext().Emax = 999999
getcontext().Emin = -999999


def _decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def _pi(digits=80):
    # Machin's formula in whole numbers.
    one = 10 ** digits

    def arctan(n):
        term = one // n
        total, k, square = term, 1, n * n
        while term:
            term //= -square
            k += 2
            total += term // k
        return total
    return Fraction(4 * (4 * arctan(5) - arctan(239)), one)


PI = _decimal(_pi())
LN2 = Decimal(2).ln()


def exp2(x):
    """2^x of a fraction with |x| < 2^15."""
    whole = x.numerator // x.denominator
    rest = x - whole
    if not rest:
        result = Fraction(1)
    else:
        result = Fraction((_decimal(rest) * LN2).exp())
    return result * (1 << whole) if whole >= 0 else result / (1 << -whole)


def log2(x):
    """Of a fraction above 0."""
    n, d = x.numerator, x.denominator
    if n & (n - 1) == 0 and d & (d - 1) == 0:
        return Fraction(n.bit_length() - d.bit_length())
    return Fraction(_decimal(x).ln() / LN2)


def _sine(turns):
    """sin(2 pi x) of a fraction 0 <= x <= 1/8, and cos."""
    angle = _decimal(turns) * 2 * PI
    square, sine, cosine = angle * angle, angle, Decimal(1)
    term_s, term_c, k = angle, Decimal(1), 1
    while abs(term_c) > Decimal(10) ** -66 and k < 200:
        term_c = -term_c * square / (k * (k + 1))
        term_s = -term_s * square / ((k + 1) * (k + 2))
        cosine += term_c
        sine += term_s
        k += 2
    return Fraction(sine), Fraction(cosine)


def sine(turns):
    x = turns % 1
    sign = 1
    if x >= Fraction(1, 2):
        x, sign = x - Fraction(1, 2), -1
    if x > Fraction(1, 4):
        x = Fraction(1, 2) - x
    result = _sine(x)[0] if x <= Fraction(1, 8) else _sine(Fraction(1, 4) - x)[1]
    return sign * result


def cosine(turns):
    return sine(turns + Fraction(1, 4))


def two_over_pi(bits):
    """2/pi to at least so many bits."""
    return 2 / _pi(bits * 302 // 1000 + 40)
