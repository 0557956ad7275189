"""Reads the manual's pseudocode into trees. A tree node is a tuple whose first element names it."""
import re

_TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*)
  | (?P<string>"[^"]*")
  | (?P<cast>\d+'(?:BF|[UIFB])(?![0-9A-Za-z]))
  | (?P<number>(?:\d+'-?)?(?:0x[0-9a-fA-F]+|\d+\.\d+|\d+)(?:ULL|LL|U|F|L)?)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<sign>\*\*|\+:|<<|>>|<=|>=|==|!=|<>|&&|\|\||\+=|-=|\*=|\|=|&=|[-+*/%<>=!~&|^?:;,.(){}\[\]])
""", re.X)

_LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!=", "<>"], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
_TYPE = re.compile(r"^(bf8|fp8|bf16|bf|[uifb]\d+)$")
_CLOSERS = {"endif", "endfor", "endwhile", "else", "elsif"}


class SyntaxProblem(Exception):
    pass


def tokens(text):
    result, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise SyntaxProblem(f"'{text[at:at + 20]}' is no token")
        at = found.end()
        if found.lastgroup != "space":
            result.append((found.lastgroup, found.group()))
    return result


class Parser:
    def __init__(self, text):
        self.tokens, self.at = tokens(text), 0

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at][1] if at < len(self.tokens) else None

    def kind(self):
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def take(self, text):
        if self.peek() == text:
            self.at += 1
            return True
        return False

    def need(self, text):
        if not self.take(text):
            raise SyntaxProblem(f"'{text}' expected, not '{' '.join(t[1] for t in self.tokens[self.at:self.at + 6])}'")

    # --- statements
    def program(self):
        body = self.block()
        if self.peek() is not None:
            raise SyntaxProblem(f"'{self.peek()}' ends nothing")
        return body

    def block(self, end=()):
        body = []
        while self.peek() is not None and self.peek() not in _CLOSERS and self.peek() not in end:
            if self.take(";"):
                continue
            body.append(self.statement())
        return body

    def closer(self, word):
        # A page's end may have lost the last closing words of a block.
        if self.peek() is not None:
            self.need(word)

    def statement(self):
        word = self.peek()
        if word == "if":
            self.next()
            arms = [(self.expression(), self.after_then())]
            other = []
            while self.take("elsif"):
                arms.append((self.expression(), self.after_then()))
            if self.take("else"):
                other = self.block()
            self.closer("endif")
            return ("if", arms, other)
        if word == "for":
            self.next()
            name = self.next()
            self.need("in")
            first = self.expression()
            self.need(":")
            last = self.expression()
            self.need("do")
            body = self.block()
            self.closer("endfor")
            return ("for", name, first, last, body)
        if word == "while":
            self.next()
            condition = self.expression()
            self.need("do")
            body = self.block()
            self.closer("endwhile")
            return ("while", condition, body)
        if word == "declare":
            self.next()
            name = self.next()
            self.need(":")
            cast = self.next()
            count = None
            if self.take("["):
                count = int(self.next())
                self.need("]")
            width, kind = cast.split("'")
            return ("declare", name, kind, int(width), count)
        if word == "break":
            self.next()
            return ("break",)
        if word == "return":
            self.next()
            return ("return", self.expression())
        if word == "eval":
            self.next()
            return ("eval", self.next())
        if self.kind() == "string":
            return ("text", self.next())
        target = self.expression()
        sign = self.peek()
        if sign in ("=", "+=", "-=", "*=", "|=", "&="):
            self.next()
            value = self.expression()
            if sign != "=":
                value = ("binary", sign[:-1], target, value)
            return ("assign", target, value)
        return ("do", target)

    def after_then(self):
        self.need("then")
        return self.block()

    # --- expressions
    def expression(self):
        if self.peek() == "lambda":
            return self.function()
        condition = self.level(0)
        if self.take("?"):
            yes = self.expression()
            self.need(":")
            return ("choice", condition, yes, self.expression())
        return condition

    def function(self):
        self.need("lambda")
        self.need("(")
        names = []
        while not self.take(")"):
            names.append(self.next())
            self.take(",")
        self.need("(")
        body = self.block(end=(")",))
        self.need(")")
        return ("lambda", names, body)

    def level(self, n):
        if n == len(_LEVELS):
            return self.power()
        left = self.level(n + 1)
        while self.peek() in _LEVELS[n]:
            sign = self.next()
            left = ("binary", sign, left, self.level(n + 1))
        return left

    def power(self):
        base = self.unary()
        if self.take("**"):
            return ("binary", "**", base, self.power())
        return base

    def unary(self):
        for sign in ("-", "~", "!", "+"):
            if self.take(sign):
                return ("unary", sign, self.unary())
        return self.postfix()

    def postfix(self):
        value = self.primary()
        while True:
            if self.peek() == "[":
                self.next()
                first = self.expression()
                if self.take(":"):
                    value = ("slice", value, first, self.expression())
                elif self.take("+:"):
                    value = ("part", value, first, self.expression())
                else:
                    value = ("index", value, first)
                self.need("]")
            elif self.peek() == ".":
                self.next()
                field = self.next()
                value = ("as", value, field) if _TYPE.match(field) else ("field", value, field)
            elif self.peek() == "(" and value[0] == "name":
                self.next()
                arguments = []
                while not self.take(")"):
                    arguments.append(self.expression())
                    self.take(",")
                value = ("call", value[1], arguments)
            else:
                return value

    def primary(self):
        kind, word = self.kind(), self.next()
        if word == "(":
            inner = self.expression()
            self.need(")")
            return inner
        if word == "{":
            parts = [self.expression()]
            while self.take(","):
                parts.append(self.expression())
            self.need("}")
            return ("join", parts)
        if kind == "cast":
            width, name = word.split("'")
            self.need("(")
            inner = self.expression()
            self.need(")")
            return ("cast", name, int(width), inner)
        if kind == "number":
            return ("number", word)
        if kind == "name":
            return ("name", word)
        raise SyntaxProblem(f"'{word}' begins no expression")


def parse(text):
    return Parser(text).program()
