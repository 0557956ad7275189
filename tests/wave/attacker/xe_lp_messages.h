// Messages of Xe-LP's threads with descriptors, addresses, surfaces, samplers and binding tables of any value, and what single ones
// must do.
#pragma once
#include "attack.h"
#include "isa/xe_lp/instruction.h"

namespace Atoll::attacker {

// Adds messages to shared functions, with what they need before them, or one alone whose outcome judge_message() knows.
void add_messages(Code& code, Random& random);
void add_message_of_model(Code& code, Random& random);
// The words of an instruction that the encoder takes.
void add_instruction(Code& code, const xe_lp::Instruction& instruction);

// Fills the registers that messages take addresses and parameters from, the thread's context, and in the ground's memory binding
// table, surface states and sampler states.
void arm_messages(wave::Wave& wave, AddressSpace& space, const Attack& attack, Random& random, bool hostile);

// The fault in the state that the program's one message left; `before`: the registers behind the general ones as they were.
std::string judge_message(wave::Wave& wave, AddressSpace& space, const Attack& attack, const std::vector<uint8_t>& before);

}  // namespace Atoll::attacker
