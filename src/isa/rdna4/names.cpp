#include "isa/rdna4/names.h"

namespace Atoll::rdna4 {
namespace {

constexpr Name hardware_register_names[] = {
    {1, "HW_REG_MODE"},
    {2, "HW_REG_STATUS"},
    {4, "HW_REG_STATE_PRIV"},
    {5, "HW_REG_GPR_ALLOC"},
    {6, "HW_REG_LDS_ALLOC"},
    {7, "HW_REG_IB_STS"},
    {10, "HW_REG_PERF_SNAPSHOT_DATA"},
    {11, "HW_REG_PERF_SNAPSHOT_PC_LO"},
    {12, "HW_REG_PERF_SNAPSHOT_PC_HI"},
    {15, "HW_REG_PERF_SNAPSHOT_DATA1"},
    {16, "HW_REG_PERF_SNAPSHOT_DATA2"},
    {17, "HW_REG_EXCP_FLAG_PRIV"},
    {18, "HW_REG_EXCP_FLAG_USER"},
    {19, "HW_REG_TRAP_CTRL"},
    {20, "HW_REG_SCRATCH_BASE_LO"},
    {21, "HW_REG_SCRATCH_BASE_HI"},
    {23, "HW_REG_HW_ID1"},
    {24, "HW_REG_HW_ID2"},
    {29, "HW_REG_SHADER_CYCLES_LO"},
    {30, "HW_REG_SHADER_CYCLES_HI"},
    {31, "HW_REG_DVGPR_ALLOC_LO"},
    {32, "HW_REG_DVGPR_ALLOC_HI"},
    // Only read by the assembler: the names of earlier GPUs for the same numbers.
    {23, "HW_REG_HW_ID"},
    {29, "HW_REG_SHADER_CYCLES"},
};

constexpr Name message_names[] = {
    {1, "MSG_INTERRUPT"},          {2, "MSG_HS_TESSFACTOR"},  {3, "MSG_DEALLOC_VGPRS"},       {9, "MSG_GS_ALLOC_REQ"},
    {128, "MSG_RTN_GET_DOORBELL"}, {129, "MSG_RTN_GET_DDID"}, {130, "MSG_RTN_GET_TMA"},       {131, "MSG_RTN_GET_REALTIME"},
    {132, "MSG_RTN_SAVE_WAVE"},    {133, "MSG_RTN_GET_TBA"},  {134, "MSG_RTN_GET_TBA_TO_PC"}, {135, "MSG_RTN_GET_SE_AID_ID"},
};

constexpr Name delay_instruction_names[] = {
    {0, "NO_DEP"},        {1, "VALU_DEP_1"},    {2, "VALU_DEP_2"},    {3, "VALU_DEP_3"},        {4, "VALU_DEP_4"},
    {5, "TRANS32_DEP_1"}, {6, "TRANS32_DEP_2"}, {7, "TRANS32_DEP_3"}, {8, "FMA_ACCUM_CYCLE_1"}, {9, "SALU_CYCLE_1"},
    {10, "SALU_CYCLE_2"}, {11, "SALU_CYCLE_3"},
};
constexpr Name delay_skip_names[] = {{0, "SAME"}, {1, "NEXT"}, {2, "SKIP_1"}, {3, "SKIP_2"}, {4, "SKIP_3"}, {5, "SKIP_4"}};

constexpr Name scope_names[] = {{0, "SCOPE_CU"}, {1, "SCOPE_SE"}, {2, "SCOPE_DEV"}, {3, "SCOPE_SYS"}};

constexpr Name load_hint_names[] = {
    {0, "TH_LOAD_RT"},    {1, "TH_LOAD_NT"},    {2, "TH_LOAD_HT"},    {3, "TH_LOAD_LU"},
    {4, "TH_LOAD_NT_RT"}, {5, "TH_LOAD_RT_NT"}, {6, "TH_LOAD_NT_HT"}, {3, "TH_LOAD_BYPASS"},
};
constexpr Name store_hint_names[] = {
    {0, "TH_STORE_RT"},    {1, "TH_STORE_NT"},    {2, "TH_STORE_HT"},    {3, "TH_STORE_RT_WB"},  {4, "TH_STORE_NT_RT"},
    {5, "TH_STORE_RT_NT"}, {6, "TH_STORE_NT_HT"}, {7, "TH_STORE_NT_WB"}, {3, "TH_STORE_BYPASS"},
};
// Bit 0 return, bit 1 non-temporal, bit 2 cascade (device and system scope).
constexpr Name atomic_hint_names[] = {
    {0, "TH_ATOMIC_RT"},        {1, "TH_ATOMIC_RT_RETURN"},  {1, "TH_ATOMIC_RETURN"},     {2, "TH_ATOMIC_NT"},
    {3, "TH_ATOMIC_NT_RETURN"}, {4, "TH_ATOMIC_CASCADE_RT"}, {6, "TH_ATOMIC_CASCADE_NT"},
};

constexpr Name buffer_format_names[] = {
    {0, "BUF_FMT_INVALID"},
    {1, "BUF_FMT_8_UNORM"},
    {2, "BUF_FMT_8_SNORM"},
    {3, "BUF_FMT_8_USCALED"},
    {4, "BUF_FMT_8_SSCALED"},
    {5, "BUF_FMT_8_UINT"},
    {6, "BUF_FMT_8_SINT"},
    {7, "BUF_FMT_16_UNORM"},
    {8, "BUF_FMT_16_SNORM"},
    {9, "BUF_FMT_16_USCALED"},
    {10, "BUF_FMT_16_SSCALED"},
    {11, "BUF_FMT_16_UINT"},
    {12, "BUF_FMT_16_SINT"},
    {13, "BUF_FMT_16_FLOAT"},
    {14, "BUF_FMT_8_8_UNORM"},
    {15, "BUF_FMT_8_8_SNORM"},
    {16, "BUF_FMT_8_8_USCALED"},
    {17, "BUF_FMT_8_8_SSCALED"},
    {18, "BUF_FMT_8_8_UINT"},
    {19, "BUF_FMT_8_8_SINT"},
    {20, "BUF_FMT_32_UINT"},
    {21, "BUF_FMT_32_SINT"},
    {22, "BUF_FMT_32_FLOAT"},
    {23, "BUF_FMT_16_16_UNORM"},
    {24, "BUF_FMT_16_16_SNORM"},
    {25, "BUF_FMT_16_16_USCALED"},
    {26, "BUF_FMT_16_16_SSCALED"},
    {27, "BUF_FMT_16_16_UINT"},
    {28, "BUF_FMT_16_16_SINT"},
    {29, "BUF_FMT_16_16_FLOAT"},
    {30, "BUF_FMT_10_11_11_FLOAT"},
    {31, "BUF_FMT_11_11_10_FLOAT"},
    {32, "BUF_FMT_10_10_10_2_UNORM"},
    {33, "BUF_FMT_10_10_10_2_SNORM"},
    {34, "BUF_FMT_10_10_10_2_UINT"},
    {35, "BUF_FMT_10_10_10_2_SINT"},
    {36, "BUF_FMT_2_10_10_10_UNORM"},
    {37, "BUF_FMT_2_10_10_10_SNORM"},
    {38, "BUF_FMT_2_10_10_10_USCALED"},
    {39, "BUF_FMT_2_10_10_10_SSCALED"},
    {40, "BUF_FMT_2_10_10_10_UINT"},
    {41, "BUF_FMT_2_10_10_10_SINT"},
    {42, "BUF_FMT_8_8_8_8_UNORM"},
    {43, "BUF_FMT_8_8_8_8_SNORM"},
    {44, "BUF_FMT_8_8_8_8_USCALED"},
    {45, "BUF_FMT_8_8_8_8_SSCALED"},
    {46, "BUF_FMT_8_8_8_8_UINT"},
    {47, "BUF_FMT_8_8_8_8_SINT"},
    {48, "BUF_FMT_32_32_UINT"},
    {49, "BUF_FMT_32_32_SINT"},
    {50, "BUF_FMT_32_32_FLOAT"},
    {51, "BUF_FMT_16_16_16_16_UNORM"},
    {52, "BUF_FMT_16_16_16_16_SNORM"},
    {53, "BUF_FMT_16_16_16_16_USCALED"},
    {54, "BUF_FMT_16_16_16_16_SSCALED"},
    {55, "BUF_FMT_16_16_16_16_UINT"},
    {56, "BUF_FMT_16_16_16_16_SINT"},
    {57, "BUF_FMT_16_16_16_16_FLOAT"},
    {58, "BUF_FMT_32_32_32_UINT"},
    {59, "BUF_FMT_32_32_32_SINT"},
    {60, "BUF_FMT_32_32_32_FLOAT"},
    {61, "BUF_FMT_32_32_32_32_UINT"},
    {62, "BUF_FMT_32_32_32_32_SINT"},
    {63, "BUF_FMT_32_32_32_32_FLOAT"},
};

constexpr Name image_dimension_names[] = {
    {0, "SQ_RSRC_IMG_1D"},       {1, "SQ_RSRC_IMG_2D"},       {2, "SQ_RSRC_IMG_3D"},      {3, "SQ_RSRC_IMG_CUBE"},
    {4, "SQ_RSRC_IMG_1D_ARRAY"}, {5, "SQ_RSRC_IMG_2D_ARRAY"}, {6, "SQ_RSRC_IMG_2D_MSAA"}, {7, "SQ_RSRC_IMG_2D_MSAA_ARRAY"},
};

constexpr Name export_target_names[] = {
    {0, "mrt0"},
    {1, "mrt1"},
    {2, "mrt2"},
    {3, "mrt3"},
    {4, "mrt4"},
    {5, "mrt5"},
    {6, "mrt6"},
    {7, "mrt7"},
    {8, "mrtz"},
    {12, "pos0"},
    {13, "pos1"},
    {14, "pos2"},
    {15, "pos3"},
    {16, "pos4"},
    {20, "prim"},
    {21, "dual_src_blend0"},
    {22, "dual_src_blend1"},
};

constexpr CounterField alu_counter_fields[] = {
    {"depctr_hold_cnt", 7, 1}, {"depctr_sa_sdst", 0, 1}, {"depctr_va_vdst", 12, 4}, {"depctr_va_sdst", 9, 3},
    {"depctr_va_ssrc", 8, 1},  {"depctr_va_vcc", 1, 1},  {"depctr_vm_vsrc", 2, 3},
};

constexpr CounterField wait_counter_fields[] = {{"vmcnt", 10, 6}, {"expcnt", 0, 3}, {"lgkmcnt", 4, 6}};

constexpr Name version_names[] = {
    {0, "UC_VERSION_GFX7"}, {4, "UC_VERSION_GFX10"}, {6, "UC_VERSION_GFX11"}, {9, "UC_VERSION_GFX12"}};
constexpr Name version_flag_names[] = {
    {0x2000, "UC_VERSION_W64_BIT"}, {0x4000, "UC_VERSION_W32_BIT"}, {0x8000, "UC_VERSION_MDP_BIT"}};

}  // namespace

const amd::ImmediateNames immediate_names{hardware_register_names, wait_counter_fields, wait_counter_bits};
const std::span<const Name> messages = message_names;
const std::span<const Name> delay_instructions = delay_instruction_names;
const std::span<const Name> delay_skips = delay_skip_names;
const std::span<const Name> scopes = scope_names;
const std::span<const Name> load_hints = load_hint_names;
const std::span<const Name> store_hints = store_hint_names;
const std::span<const Name> atomic_hints = atomic_hint_names;
const std::span<const Name> buffer_formats = buffer_format_names;
const std::span<const Name> image_dimensions = image_dimension_names;
const std::span<const Name> export_targets = export_target_names;
const std::span<const CounterField> alu_counters = alu_counter_fields;
const std::span<const Name> versions = version_names;
const std::span<const Name> version_flags = version_flag_names;

}  // namespace Atoll::rdna4
