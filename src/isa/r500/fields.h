// The words of an R5xx pixel shader instruction, field by field, as R5xx Acceleration v1.3, 10.10 gives them: names, bits and the
// word of the six that a register's value is (the order in which GA_US_VECTOR_INDEX takes them). A test compares this table with
// registers/r5xx/fragment_shader.json.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace Atoll::r500 {

inline constexpr uint32_t kWords = 6;
using Words = std::array<uint32_t, kWords>;

struct Field {
  std::string_view name;
  uint8_t word, high, low;
  constexpr uint32_t largest() const { return uint32_t((uint64_t(2) << (high - low)) - 1); }
  constexpr uint32_t bits() const { return largest() << low; }
  constexpr uint32_t get(const Words& words) const { return words[word] >> low & largest(); }
  constexpr void set(Words& words, uint32_t value) const { words[word] = (words[word] & ~bits()) | ((value << low) & bits()); }
};

namespace cmn {  // US_CMN_INST
inline constexpr Field TYPE{"TYPE", 0, 1, 0};
inline constexpr Field TEX_SEM_WAIT{"TEX_SEM_WAIT", 0, 2, 2};
inline constexpr Field RGB_PRED_SEL{"RGB_PRED_SEL", 0, 5, 3};
inline constexpr Field RGB_PRED_INV{"RGB_PRED_INV", 0, 6, 6};
inline constexpr Field WRITE_INACTIVE{"WRITE_INACTIVE", 0, 7, 7};
inline constexpr Field LAST{"LAST", 0, 8, 8};
inline constexpr Field NOP{"NOP", 0, 9, 9};
inline constexpr Field ALU_WAIT{"ALU_WAIT", 0, 10, 10};
inline constexpr Field RGB_WMASK{"RGB_WMASK", 0, 13, 11};
inline constexpr Field ALPHA_WMASK{"ALPHA_WMASK", 0, 14, 14};
inline constexpr Field RGB_OMASK{"RGB_OMASK", 0, 17, 15};
inline constexpr Field ALPHA_OMASK{"ALPHA_OMASK", 0, 18, 18};
inline constexpr Field RGB_CLAMP{"RGB_CLAMP", 0, 19, 19};
inline constexpr Field ALPHA_CLAMP{"ALPHA_CLAMP", 0, 20, 20};
inline constexpr Field ALU_RESULT_SEL{"ALU_RESULT_SEL", 0, 21, 21};
inline constexpr Field ALPHA_PRED_INV{"ALPHA_PRED_INV", 0, 22, 22};
inline constexpr Field ALU_RESULT_OP{"ALU_RESULT_OP", 0, 24, 23};
inline constexpr Field ALPHA_PRED_SEL{"ALPHA_PRED_SEL", 0, 27, 25};
inline constexpr Field STAT_WE{"STAT_WE", 0, 31, 28};
inline constexpr Field all[] = {TYPE,           TEX_SEM_WAIT,  RGB_PRED_SEL,   RGB_PRED_INV, WRITE_INACTIVE,
                                LAST,           NOP,           ALU_WAIT,       RGB_WMASK,    ALPHA_WMASK,
                                RGB_OMASK,      ALPHA_OMASK,   RGB_CLAMP,      ALPHA_CLAMP,  ALU_RESULT_SEL,
                                ALPHA_PRED_INV, ALU_RESULT_OP, ALPHA_PRED_SEL, STAT_WE};
}  // namespace cmn

namespace rgb_addr {  // US_ALU_RGB_ADDR
inline constexpr Field ADDR0{"ADDR0", 1, 7, 0};
inline constexpr Field ADDR0_CONST{"ADDR0_CONST", 1, 8, 8};
inline constexpr Field ADDR0_REL{"ADDR0_REL", 1, 9, 9};
inline constexpr Field ADDR1{"ADDR1", 1, 17, 10};
inline constexpr Field ADDR1_CONST{"ADDR1_CONST", 1, 18, 18};
inline constexpr Field ADDR1_REL{"ADDR1_REL", 1, 19, 19};
inline constexpr Field ADDR2{"ADDR2", 1, 27, 20};
inline constexpr Field ADDR2_CONST{"ADDR2_CONST", 1, 28, 28};
inline constexpr Field ADDR2_REL{"ADDR2_REL", 1, 29, 29};
inline constexpr Field SRCP_OP{"SRCP_OP", 1, 31, 30};
inline constexpr Field all[] = {ADDR0,     ADDR0_CONST, ADDR0_REL,   ADDR1,     ADDR1_CONST,
                                ADDR1_REL, ADDR2,       ADDR2_CONST, ADDR2_REL, SRCP_OP};
}  // namespace rgb_addr

namespace alpha_addr {  // US_ALU_ALPHA_ADDR
inline constexpr Field ADDR0{"ADDR0", 2, 7, 0};
inline constexpr Field ADDR0_CONST{"ADDR0_CONST", 2, 8, 8};
inline constexpr Field ADDR0_REL{"ADDR0_REL", 2, 9, 9};
inline constexpr Field ADDR1{"ADDR1", 2, 17, 10};
inline constexpr Field ADDR1_CONST{"ADDR1_CONST", 2, 18, 18};
inline constexpr Field ADDR1_REL{"ADDR1_REL", 2, 19, 19};
inline constexpr Field ADDR2{"ADDR2", 2, 27, 20};
inline constexpr Field ADDR2_CONST{"ADDR2_CONST", 2, 28, 28};
inline constexpr Field ADDR2_REL{"ADDR2_REL", 2, 29, 29};
inline constexpr Field SRCP_OP{"SRCP_OP", 2, 31, 30};
inline constexpr Field all[] = {ADDR0,     ADDR0_CONST, ADDR0_REL,   ADDR1,     ADDR1_CONST,
                                ADDR1_REL, ADDR2,       ADDR2_CONST, ADDR2_REL, SRCP_OP};
}  // namespace alpha_addr

namespace rgb_inst {  // US_ALU_RGB_INST
inline constexpr Field RGB_SEL_A{"RGB_SEL_A", 3, 1, 0};
inline constexpr Field RED_SWIZ_A{"RED_SWIZ_A", 3, 4, 2};
inline constexpr Field GREEN_SWIZ_A{"GREEN_SWIZ_A", 3, 7, 5};
inline constexpr Field BLUE_SWIZ_A{"BLUE_SWIZ_A", 3, 10, 8};
inline constexpr Field RGB_MOD_A{"RGB_MOD_A", 3, 12, 11};
inline constexpr Field RGB_SEL_B{"RGB_SEL_B", 3, 14, 13};
inline constexpr Field RED_SWIZ_B{"RED_SWIZ_B", 3, 17, 15};
inline constexpr Field GREEN_SWIZ_B{"GREEN_SWIZ_B", 3, 20, 18};
inline constexpr Field BLUE_SWIZ_B{"BLUE_SWIZ_B", 3, 23, 21};
inline constexpr Field RGB_MOD_B{"RGB_MOD_B", 3, 25, 24};
inline constexpr Field OMOD{"OMOD", 3, 28, 26};
inline constexpr Field TARGET{"TARGET", 3, 30, 29};
inline constexpr Field ALU_WMASK{"ALU_WMASK", 3, 31, 31};
inline constexpr Field all[] = {RGB_SEL_A,    RED_SWIZ_A,  GREEN_SWIZ_A, BLUE_SWIZ_A, RGB_MOD_A, RGB_SEL_B, RED_SWIZ_B,
                                GREEN_SWIZ_B, BLUE_SWIZ_B, RGB_MOD_B,    OMOD,        TARGET,    ALU_WMASK};
}  // namespace rgb_inst

namespace alpha_inst {  // US_ALU_ALPHA_INST
inline constexpr Field ALPHA_OP{"ALPHA_OP", 4, 3, 0};
inline constexpr Field ALPHA_ADDRD{"ALPHA_ADDRD", 4, 10, 4};
inline constexpr Field ALPHA_ADDRD_REL{"ALPHA_ADDRD_REL", 4, 11, 11};
inline constexpr Field ALPHA_SEL_A{"ALPHA_SEL_A", 4, 13, 12};
inline constexpr Field ALPHA_SWIZ_A{"ALPHA_SWIZ_A", 4, 16, 14};
inline constexpr Field ALPHA_MOD_A{"ALPHA_MOD_A", 4, 18, 17};
inline constexpr Field ALPHA_SEL_B{"ALPHA_SEL_B", 4, 20, 19};
inline constexpr Field ALPHA_SWIZ_B{"ALPHA_SWIZ_B", 4, 23, 21};
inline constexpr Field ALPHA_MOD_B{"ALPHA_MOD_B", 4, 25, 24};
inline constexpr Field OMOD{"OMOD", 4, 28, 26};
inline constexpr Field TARGET{"TARGET", 4, 30, 29};
inline constexpr Field W_OMASK{"W_OMASK", 4, 31, 31};
inline constexpr Field all[] = {ALPHA_OP,    ALPHA_ADDRD,  ALPHA_ADDRD_REL, ALPHA_SEL_A, ALPHA_SWIZ_A, ALPHA_MOD_A,
                                ALPHA_SEL_B, ALPHA_SWIZ_B, ALPHA_MOD_B,     OMOD,        TARGET,       W_OMASK};
}  // namespace alpha_inst

namespace rgba_inst {  // US_ALU_RGBA_INST
inline constexpr Field RGB_OP{"RGB_OP", 5, 3, 0};
inline constexpr Field RGB_ADDRD{"RGB_ADDRD", 5, 10, 4};
inline constexpr Field RGB_ADDRD_REL{"RGB_ADDRD_REL", 5, 11, 11};
inline constexpr Field RGB_SEL_C{"RGB_SEL_C", 5, 13, 12};
inline constexpr Field RED_SWIZ_C{"RED_SWIZ_C", 5, 16, 14};
inline constexpr Field GREEN_SWIZ_C{"GREEN_SWIZ_C", 5, 19, 17};
inline constexpr Field BLUE_SWIZ_C{"BLUE_SWIZ_C", 5, 22, 20};
inline constexpr Field RGB_MOD_C{"RGB_MOD_C", 5, 24, 23};
inline constexpr Field ALPHA_SEL_C{"ALPHA_SEL_C", 5, 26, 25};
inline constexpr Field ALPHA_SWIZ_C{"ALPHA_SWIZ_C", 5, 29, 27};
inline constexpr Field ALPHA_MOD_C{"ALPHA_MOD_C", 5, 31, 30};
inline constexpr Field all[] = {RGB_OP,      RGB_ADDRD, RGB_ADDRD_REL, RGB_SEL_C,    RED_SWIZ_C, GREEN_SWIZ_C,
                                BLUE_SWIZ_C, RGB_MOD_C, ALPHA_SEL_C,   ALPHA_SWIZ_C, ALPHA_MOD_C};
}  // namespace rgba_inst

namespace tex_inst {  // US_TEX_INST
inline constexpr Field TEX_ID{"TEX_ID", 1, 19, 16};
inline constexpr Field INST{"INST", 1, 24, 22};
inline constexpr Field TEX_SEM_ACQUIRE{"TEX_SEM_ACQUIRE", 1, 25, 25};
inline constexpr Field IGNORE_UNCOVERED{"IGNORE_UNCOVERED", 1, 26, 26};
inline constexpr Field UNSCALED{"UNSCALED", 1, 27, 27};
inline constexpr Field all[] = {TEX_ID, INST, TEX_SEM_ACQUIRE, IGNORE_UNCOVERED, UNSCALED};
}  // namespace tex_inst

namespace tex_addr {  // US_TEX_ADDR
inline constexpr Field SRC_ADDR{"SRC_ADDR", 2, 6, 0};
inline constexpr Field SRC_ADDR_REL{"SRC_ADDR_REL", 2, 7, 7};
inline constexpr Field SRC_S_SWIZ{"SRC_S_SWIZ", 2, 9, 8};
inline constexpr Field SRC_T_SWIZ{"SRC_T_SWIZ", 2, 11, 10};
inline constexpr Field SRC_R_SWIZ{"SRC_R_SWIZ", 2, 13, 12};
inline constexpr Field SRC_Q_SWIZ{"SRC_Q_SWIZ", 2, 15, 14};
inline constexpr Field DST_ADDR{"DST_ADDR", 2, 22, 16};
inline constexpr Field DST_ADDR_REL{"DST_ADDR_REL", 2, 23, 23};
inline constexpr Field DST_R_SWIZ{"DST_R_SWIZ", 2, 25, 24};
inline constexpr Field DST_G_SWIZ{"DST_G_SWIZ", 2, 27, 26};
inline constexpr Field DST_B_SWIZ{"DST_B_SWIZ", 2, 29, 28};
inline constexpr Field DST_A_SWIZ{"DST_A_SWIZ", 2, 31, 30};
inline constexpr Field all[] = {SRC_ADDR, SRC_ADDR_REL, SRC_S_SWIZ, SRC_T_SWIZ, SRC_R_SWIZ, SRC_Q_SWIZ,
                                DST_ADDR, DST_ADDR_REL, DST_R_SWIZ, DST_G_SWIZ, DST_B_SWIZ, DST_A_SWIZ};
}  // namespace tex_addr

namespace tex_addr_dxdy {  // US_TEX_ADDR_DXDY
inline constexpr Field DX_ADDR{"DX_ADDR", 3, 6, 0};
inline constexpr Field DX_ADDR_REL{"DX_ADDR_REL", 3, 7, 7};
inline constexpr Field DX_S_SWIZ{"DX_S_SWIZ", 3, 9, 8};
inline constexpr Field DX_T_SWIZ{"DX_T_SWIZ", 3, 11, 10};
inline constexpr Field DX_R_SWIZ{"DX_R_SWIZ", 3, 13, 12};
inline constexpr Field DX_Q_SWIZ{"DX_Q_SWIZ", 3, 15, 14};
inline constexpr Field DY_ADDR{"DY_ADDR", 3, 22, 16};
inline constexpr Field DY_ADDR_REL{"DY_ADDR_REL", 3, 23, 23};
inline constexpr Field DY_S_SWIZ{"DY_S_SWIZ", 3, 25, 24};
inline constexpr Field DY_T_SWIZ{"DY_T_SWIZ", 3, 27, 26};
inline constexpr Field DY_R_SWIZ{"DY_R_SWIZ", 3, 29, 28};
inline constexpr Field DY_Q_SWIZ{"DY_Q_SWIZ", 3, 31, 30};
inline constexpr Field all[] = {DX_ADDR, DX_ADDR_REL, DX_S_SWIZ, DX_T_SWIZ, DX_R_SWIZ, DX_Q_SWIZ,
                                DY_ADDR, DY_ADDR_REL, DY_S_SWIZ, DY_T_SWIZ, DY_R_SWIZ, DY_Q_SWIZ};
}  // namespace tex_addr_dxdy

namespace fc_inst {  // US_FC_INST
inline constexpr Field OP{"OP", 2, 2, 0};
inline constexpr Field B_ELSE{"B_ELSE", 2, 4, 4};
inline constexpr Field JUMP_ANY{"JUMP_ANY", 2, 5, 5};
inline constexpr Field A_OP{"A_OP", 2, 7, 6};
inline constexpr Field JUMP_FUNC{"JUMP_FUNC", 2, 15, 8};
inline constexpr Field B_POP_CNT{"B_POP_CNT", 2, 20, 16};
inline constexpr Field B_OP0{"B_OP0", 2, 25, 24};
inline constexpr Field B_OP1{"B_OP1", 2, 27, 26};
inline constexpr Field IGNORE_UNCOVERED{"IGNORE_UNCOVERED", 2, 28, 28};
inline constexpr Field all[] = {OP, B_ELSE, JUMP_ANY, A_OP, JUMP_FUNC, B_POP_CNT, B_OP0, B_OP1, IGNORE_UNCOVERED};
}  // namespace fc_inst

namespace fc_addr {  // US_FC_ADDR
inline constexpr Field BOOL_ADDR{"BOOL_ADDR", 3, 4, 0};
inline constexpr Field INT_ADDR{"INT_ADDR", 3, 12, 8};
inline constexpr Field JUMP_ADDR{"JUMP_ADDR", 3, 24, 16};
inline constexpr Field JUMP_GLOBAL{"JUMP_GLOBAL", 3, 31, 31};
inline constexpr Field all[] = {BOOL_ADDR, INT_ADDR, JUMP_ADDR, JUMP_GLOBAL};
}  // namespace fc_addr

// A word of an instruction: the register that describes it, and its fields.
struct Layout {
  std::string_view name;
  uint8_t word;
  std::span<const Field> fields;
};
inline constexpr Layout alu_layout[] = {
    {"US_CMN_INST", 0, cmn::all},          {"US_ALU_RGB_ADDR", 1, rgb_addr::all},     {"US_ALU_ALPHA_ADDR", 2, alpha_addr::all},
    {"US_ALU_RGB_INST", 3, rgb_inst::all}, {"US_ALU_ALPHA_INST", 4, alpha_inst::all}, {"US_ALU_RGBA_INST", 5, rgba_inst::all}};
inline constexpr Layout tex_layout[] = {{"US_CMN_INST", 0, cmn::all},
                                        {"US_TEX_INST", 1, tex_inst::all},
                                        {"US_TEX_ADDR", 2, tex_addr::all},
                                        {"US_TEX_ADDR_DXDY", 3, tex_addr_dxdy::all}};
inline constexpr Layout fc_layout[] = {
    {"US_CMN_INST", 0, cmn::all}, {"US_FC_INST", 2, fc_inst::all}, {"US_FC_ADDR", 3, fc_addr::all}};

// Values of US_CMN_INST.TYPE.
enum class Type : uint8_t { Alu, Out, Fc, Tex };
constexpr Type type_of(const Words& words) { return Type(cmn::TYPE.get(words)); }
constexpr std::span<const Layout> layout_of(Type type) {
  if (type == Type::Fc) return fc_layout;
  if (type == Type::Tex) return tex_layout;
  return alu_layout;
}

}  // namespace Atoll::r500
