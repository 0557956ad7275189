// Every verb with outputs that are full, closed or no longer read, inputs that are closed, missing, empty, folders, too large or
// endless, options that it does not have, files that may not grow, and nonsense in the environment.
#include "cli/cli.h"
#include "sanitizer.h"

namespace Atoll {
namespace {

struct Streams : Cli {
  Streams() {
    object("k.co", "kernel void k(global int* a, global int* b) { b[ITEM] = a[ITEM]; }");
    put("a", std::string(256, 'a'));
    put("in.s", "v_add_f32 v0, v1, v2\ns_endpgm\n");
    put("code", std::string("\x00\x00\x80\xbf", 4));
    put("stream", std::string("\x00\x10\x00\x80", 4));
    put("lines", "{\"isa\":\"gfx1201\",\"asm\":[\"s_nop 0\"]}\n");
    put("empty", "");
  }
  // Runs a command by bash in the folder; ATOLL stands for the binary.
  Result shell(const std::string& command) {
    write_text(path("script"), fmt::format("atoll='{}'\n{}\n", ATOLL_BINARY, command));
    int status = std::system(fmt::format("cd '{}' && bash script > .out 2> .err", folder.path).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), get(".out"), get(".err")};
  }
  // Ends with `status` and one line that begins "atoll: VERB: " and has `part` in it.
  void one_line(int status, const std::string& verb, const std::string& part, const std::string& command) {
    Result r = shell(command);
    EXPECT_EQ(r.status, status) << command << "\n" << r.err;
    EXPECT_EQ(r.err.find("atoll: " + verb + ": "), 0u) << command << "\n" << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << command << "\n" << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << command << "\n" << r.err;
  }
};

struct Row {
  const char* verb;
  const char* call;        // that prints something
  const char* file = "";   // the same with FILE for its file
  const char* input = "";  // the same from standard input
};
constexpr Row rows[] = {
    {"gpus", "gpus"},
    {"fidelity", "fidelity --isa gfx1201"},
    {"fidelity", "fidelity --gpu bonaire --json"},
    {"reg", "reg --all"},
    {"reg", "reg CB_COLOR0_INFO --json"},
    {"enum", "enum --all"},
    {"asm", "asm --isa gfx1201 in.s", "asm --isa gfx1201 FILE", "asm --isa gfx1201"},
    {"asm", "asm --isa gfx1201 --batch in.s", "asm --isa gfx7 --batch FILE", "asm --isa r500-fs --batch"},
    {"disasm", "disasm --isa gfx7 code", "disasm --isa gfx7 FILE", "disasm --isa gfx1201"},
    {"disasm", "disasm k.co", "disasm FILE --isa gfx1200", "disasm --isa gfx1200 --batch"},
    {"eval", "eval --isa gfx1201 'v_mov_b32 v0, 1'"},
    {"eval", "eval --batch < lines", "", "eval --batch"},
    {"decode", "decode --gpu bonaire stream", "decode --gpu r580 FILE", "decode --gpu bonaire"},
    {"decode", "decode --gpu bonaire --json stream", "decode --gpu bonaire --hex FILE", "decode --gpu bonaire --hex"},
    {"launch", "launch k.co --grid 64 --group 64 --stats in=a out=o:256", "launch FILE --grid 64 --group 64 in=a out=o:256",
     "launch - --grid 64 --group 64 in=a out=o:256"},
    {"launch", "launch k.co --grid 64 --group 64 in=a out=-:256", "launch k.co --grid 64 --group 64 in=FILE out=o:256",
     "launch k.co --grid 64 --group 64 in=- out=o:256"},
    {"replay", "", "replay FILE"},
};

std::string with(std::string call, const std::string& file) { return call.replace(call.find("FILE"), 4, file); }

TEST_F(Streams, OutputsThatCannotBeWritten) {
  for (auto& row : rows) {
    if (!*row.call) continue;
    const std::string call = std::string("$atoll ") + row.call;
    EXPECT_EQ(shell(call).status, 0) << call;
    one_line(1, row.verb, "cannot write standard output", call + " > /dev/full");
    one_line(1, row.verb, "cannot write standard output", call + " >&-");
    // nobody reads, and nobody is killed for it
    one_line(1, row.verb, "cannot write standard output", "trap '' PIPE\nexec 3> >(true)\nwait $!\n" + call + " >&3");
  }
}

TEST_F(Streams, AReaderThatGoesAway) {
  for (auto& row : rows) {
    if (!*row.call) continue;
    Result r = shell(fmt::format("$atoll {} | head -n 1 > first; exit ${{PIPESTATUS[0]}}", row.call));
    EXPECT_TRUE(r.status == 0 || r.status == 128 + SIGPIPE) << row.call << ": " << r.status;
    EXPECT_EQ(r.err, "") << row.call;
  }
}

TEST_F(Streams, AClosedInput) {
  for (auto& row : rows)
    if (*row.input) one_line(1, row.verb, "cannot read standard input", fmt::format("$atoll {} <&-", row.input));
}

TEST_F(Streams, FilesThatAreNone) {
  for (auto& row : rows) {
    if (!*row.file) continue;
    one_line(1, row.verb, "missing", "$atoll " + with(row.file, "missing"));
    one_line(1, row.verb, "folder", "mkdir -p folder; $atoll " + with(row.file, "folder"));
    Result r = shell("$atoll " + with(row.file, "empty"));
    EXPECT_LE(r.status, 1) << row.file;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), r.status) << row.file << "\n" << r.err;
  }
}

// With a gigabyte of address space where GPU memory needs no more; AddressSanitizer wants all there is.
const std::string a_gigabyte = address_sanitizer ? "" : "ulimit -v 1000000; ";

TEST_F(Streams, FilesThatAreTooLarge) {
  put("elf",
      "\x7f"
      "ELF");
  put("huge", "");
  for (const char* name : {"huge", "elf"}) ASSERT_EQ(::truncate(path(name).c_str(), off_t(5) << 30), 0);
  one_line(1, "disasm", "has 5368709120 bytes: at most 268435456", a_gigabyte + "$atoll disasm elf");
  one_line(1, "decode", "has 5368709120 bytes: at most 268435456", a_gigabyte + "$atoll decode --gpu bonaire huge");
  one_line(1, "launch", "has 5368709120 bytes: at most 268435456", a_gigabyte + "$atoll launch huge --grid 1 --group 1");
  one_line(1, "launch", "has 5368709120 bytes: at most 4294967296", "$atoll launch k.co --grid 64 --group 64 in=huge out=o:256");
  one_line(1, "asm", "a line of more than", a_gigabyte + "$atoll asm --isa gfx7 huge");
}

TEST_F(Streams, InputsWithoutAnEnd) {
  EXPECT_EQ(shell(a_gigabyte + "$atoll disasm --isa gfx7 < /dev/zero | head -c 20000000 | wc -c").out, "20000000\n");
  one_line(1, "decode", "standard input has more than", a_gigabyte + "$atoll decode --gpu bonaire < /dev/zero");
  one_line(1, "decode", "standard input has more than", a_gigabyte + "yes | $atoll decode --gpu bonaire --hex");
  one_line(1, "launch", "standard input has more than", a_gigabyte + "$atoll launch - --grid 1 --group 1 < /dev/zero");
  for (const char* call : {"asm --isa gfx7", "asm --isa gfx1201 --batch", "disasm --isa gfx7 --batch"})
    one_line(1, std::string(call).substr(0, std::string(call).find(' ')), "a line of more than",
             a_gigabyte + fmt::format("$atoll {} < /dev/zero", call));
  one_line(1, "eval", "a line of more than", "$atoll eval --batch < /dev/zero");
  one_line(1, "asm", "more than 268435456 bytes of text", a_gigabyte + "yes \"$(printf '//%09999d')\" | $atoll asm --isa gfx7");
}

TEST_F(Streams, FilesThatMayNotGrow) {
  one_line(1, "launch", "ulimit -f", "ulimit -f 1; $atoll launch k.co --grid 64 --group 64 in=a out=o:256");
  one_line(125, "run", "ulimit -f", "ulimit -f 1; $atoll run --display none -- true");
  put("long.s", [] {
    std::string text;
    for (unsigned n = 0; n < 2000; n++) text += "s_nop 0\n";
    return text;
  }());
  one_line(1, "asm", "File too large", "ulimit -f 1; $atoll asm --isa gfx7 -o out long.s");
  EXPECT_FALSE(exists("out"));
  // A program that a verb starts has the signal's own action again.
  EXPECT_EQ(shell("$atoll run --display none -- bash -c 'ulimit -f 0; echo x > more'").status, 128 + SIGXFSZ);
}

TEST_F(Streams, OptionsThatItDoesNotHave) {
  for (const char* verb :
       {"gpus", "run", "doctor", "launch", "asm", "disasm", "eval", "decode", "reg", "enum", "replay", "fidelity"})
    one_line(2, verb, "", fmt::format("$atoll {} --no-such-option", verb));
  one_line(2, "eval", "--words A,B", "$atoll eval --isa gfx1201 --words 0x7e000281 0x7e020282");
  EXPECT_EQ(shell("$atoll eval --isa gfx1201 --words 0x7e000281,0x7e020282").out, "v0 = 0x1\nv1 = 0x2\n");
}

TEST_F(Streams, NonsenseInTheEnvironment) {
  for (const char* set : {"ATOLL_THREADS=-1", "ATOLL_THREADS=100000", "ATOLL_THREADS=two", "ATOLL_THREADS=99999999999999999999",
                          "ATOLL_ENGINE=fast", "ATOLL_LEVEL=avx1024", "ATOLL_LOG=loud", "ATOLL_UAPI=nouveau"}) {
    one_line(2, "gpus", set, fmt::format("{} $atoll gpus", set));
    one_line(2, "run", set, fmt::format("{} $atoll run --display none -- true", set));
  }
  for (const char* set : {"ATOLL_THREADS=0", "ATOLL_THREADS=", "ATOLL_THREADS=1024", "ATOLL_ENGINE=jit", "ATOLL_LOG=info:cs,drm"})
    EXPECT_EQ(shell(fmt::format("{} $atoll gpus", set)).status, 0) << set;
  EXPECT_EQ(shell("ATOLL_THREADS=-1 $atoll gpus --help").status, 0);
}

// Somebody else's program is told, once, and goes on.
TEST_F(Streams, NonsenseInTheEnvironmentOfAProgram) {
  Result r = shell(
      "export LD_PRELOAD=$(dirname $atoll)/../lib/libatoll_drm.so ATOLL_GPU=bonaire\n"
      "ATOLL_THREADS=-1 ATOLL_ENGINE=fast " ATOLL_GEARS " --size 32x32 gears.png");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(exists("gears.png"));
  for (const char* part : {"atoll: environment: ATOLL_THREADS=-1 is not a number from 0 to 1024",
                           "atoll: environment: ATOLL_ENGINE=fast is not auto|interpreter|jit"}) {
    size_t first = r.err.find(part);
    EXPECT_NE(first, std::string::npos) << r.err;
    EXPECT_EQ(r.err.find(part, first + 1), std::string::npos) << r.err;
  }
}

}  // namespace
}  // namespace Atoll
