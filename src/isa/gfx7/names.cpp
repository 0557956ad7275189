#include "isa/gfx7/names.h"

namespace Atoll::gfx7 {
namespace {

constexpr Name hardware_register_names[] = {
    {1, "HW_REG_MODE"},      {2, "HW_REG_STATUS"},    {3, "HW_REG_TRAPSTS"}, {4, "HW_REG_HW_ID"},
    {5, "HW_REG_GPR_ALLOC"}, {6, "HW_REG_LDS_ALLOC"}, {7, "HW_REG_IB_STS"},
};
constexpr Name message_names[] = {
    {1, "MSG_INTERRUPT"}, {MSG_GS, "MSG_GS"}, {MSG_GS_DONE, "MSG_GS_DONE"}, {MSG_SYSMSG, "MSG_SYSMSG"}};
constexpr Name gs_operation_names[] = {{0, "GS_OP_NOP"}, {1, "GS_OP_CUT"}, {2, "GS_OP_EMIT"}, {3, "GS_OP_EMIT_CUT"}};
constexpr Name system_operation_names[] = {
    {1, "SYSMSG_OP_ECC_ERR_INTERRUPT"}, {2, "SYSMSG_OP_REG_RD"}, {3, "SYSMSG_OP_HOST_TRAP_ACK"}, {4, "SYSMSG_OP_TTRACE_PC"}};
constexpr Name data_format_names[] = {
    {0, "BUF_DATA_FORMAT_INVALID"},      {1, "BUF_DATA_FORMAT_8"},         {2, "BUF_DATA_FORMAT_16"},
    {3, "BUF_DATA_FORMAT_8_8"},          {4, "BUF_DATA_FORMAT_32"},        {5, "BUF_DATA_FORMAT_16_16"},
    {6, "BUF_DATA_FORMAT_10_11_11"},     {7, "BUF_DATA_FORMAT_11_11_10"},  {8, "BUF_DATA_FORMAT_10_10_10_2"},
    {9, "BUF_DATA_FORMAT_2_10_10_10"},   {10, "BUF_DATA_FORMAT_8_8_8_8"},  {11, "BUF_DATA_FORMAT_32_32"},
    {12, "BUF_DATA_FORMAT_16_16_16_16"}, {13, "BUF_DATA_FORMAT_32_32_32"}, {14, "BUF_DATA_FORMAT_32_32_32_32"},
    {15, "BUF_DATA_FORMAT_RESERVED_15"},
};
constexpr Name number_format_names[] = {
    {0, "BUF_NUM_FORMAT_UNORM"}, {1, "BUF_NUM_FORMAT_SNORM"}, {2, "BUF_NUM_FORMAT_USCALED"},   {3, "BUF_NUM_FORMAT_SSCALED"},
    {4, "BUF_NUM_FORMAT_UINT"},  {5, "BUF_NUM_FORMAT_SINT"},  {6, "BUF_NUM_FORMAT_SNORM_OGL"}, {7, "BUF_NUM_FORMAT_FLOAT"},
};
constexpr Name export_target_names[] = {
    {0, "mrt0"},     {1, "mrt1"},     {2, "mrt2"},     {3, "mrt3"},     {4, "mrt4"},     {5, "mrt5"},     {6, "mrt6"},
    {7, "mrt7"},     {8, "mrtz"},     {9, "null"},     {12, "pos0"},    {13, "pos1"},    {14, "pos2"},    {15, "pos3"},
    {32, "param0"},  {33, "param1"},  {34, "param2"},  {35, "param3"},  {36, "param4"},  {37, "param5"},  {38, "param6"},
    {39, "param7"},  {40, "param8"},  {41, "param9"},  {42, "param10"}, {43, "param11"}, {44, "param12"}, {45, "param13"},
    {46, "param14"}, {47, "param15"}, {48, "param16"}, {49, "param17"}, {50, "param18"}, {51, "param19"}, {52, "param20"},
    {53, "param21"}, {54, "param22"}, {55, "param23"}, {56, "param24"}, {57, "param25"}, {58, "param26"}, {59, "param27"},
    {60, "param28"}, {61, "param29"}, {62, "param30"}, {63, "param31"},
};
constexpr CounterField wait_counter_fields[] = {{"vmcnt", 0, 4}, {"expcnt", 4, 3}, {"lgkmcnt", 8, 4}};

}  // namespace

const amd::ImmediateNames immediate_names{hardware_register_names, wait_counter_fields, wait_counter_bits};
const std::span<const Name> messages = message_names;
const std::span<const Name> gs_operations = gs_operation_names;
const std::span<const Name> system_operations = system_operation_names;
const std::span<const Name> data_formats = data_format_names;
const std::span<const Name> number_formats = number_format_names;
const std::span<const Name> export_targets = export_target_names;

}  // namespace Atoll::gfx7
