/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <string.h>

#include "cpu_state.h"

const char *const gpr_names[GPRS] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                     "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* ---- operands ---- */

bool cpu_take(cpu_t *cpu, const operand_t *operand, value_t *value)
{
    uint64_t address;
    switch (operand->kind) {
    case OPERAND_CONSTANT:
        *value = (value_t){(uint64_t) operand->value, KNOWN, 0};
        return true;
    case OPERAND_GPR:
        *value = cpu->gpr[operand->number];
        value->bits = cpu_cut(value->bits, operand->bytes);
        value->knowledge = value->low >= operand->bytes ? KNOWN : value->knowledge;
        return value->knowledge != UNDEFINED || cpu->now->is_idiom ||
               cpu_fail(cpu, RULE_DEFINED, "%s was not set", gpr_names[operand->number]);
    case OPERAND_MASK:
        *value = cpu->mask[operand->number];
        return value->knowledge != UNDEFINED || cpu->now->is_idiom ||
               cpu_fail(cpu, RULE_DEFINED, "k%d was not set", operand->number);
    case OPERAND_MEMORY:
        return cpu_address(cpu, operand, &address) && cpu_read(cpu, address, operand->bytes, value);
    default:
        return cpu_fail(cpu, RULE_ALLOWED, "an operand of a kind that is not used");
    }
}

static void put_gpr(cpu_t *cpu, const operand_t *operand, value_t value)
{
    value_t *gpr = &cpu->gpr[operand->number];
    value.bits = cpu_cut(value.bits, operand->bytes);
    if (operand->bytes < 4) { /* the other bytes stay */
        value.bits |= gpr->bits & ~cpu_cut(UINT64_MAX, operand->bytes);
        value.low = value.knowledge != KNOWN    ? 0
                    : gpr->low > operand->bytes ? gpr->low
                                                : operand->bytes;
        value.knowledge = gpr->knowledge == KNOWN && value.knowledge == KNOWN ? KNOWN : MOVED;
    }
    *gpr = value;
}

bool cpu_put(cpu_t *cpu, const operand_t *operand, value_t value)
{
    uint64_t address;
    switch (operand->kind) {
    case OPERAND_GPR:
        put_gpr(cpu, operand, value);
        return operand->number != RSP || cpu_check_rsp(cpu);
    case OPERAND_MASK:
        cpu->mask[operand->number] = value;
        return true;
    case OPERAND_MEMORY:
        return cpu_address(cpu, operand, &address) &&
               cpu_write(cpu, address, operand->bytes, &value);
    default:
        return cpu_fail(cpu, RULE_ALLOWED, "a result of a kind that is not used");
    }
}

/* ---- arithmetic ---- */

static bool top_bit(uint64_t bits, int bytes)
{
    return (bits >> (8 * bytes - 1) & 1) != 0;
}

/* Flags of a result, except carry and overflow. */
static void set_flags(cpu_t *cpu, uint64_t result, int bytes, knowledge_t knowledge)
{
    cpu->flags.zero = result == 0;
    cpu->flags.sign = top_bit(result, bytes);
    cpu->flags.parity = __builtin_parity((unsigned) (result & 0xff)) == 0;
    cpu->flags.has_shifted = false;
    cpu->flags.knowledge = knowledge;
}

static uint64_t add(cpu_t *cpu, uint64_t a, uint64_t b, int bytes, knowledge_t knowledge)
{
    const uint64_t sum = cpu_cut(a + b, bytes);
    cpu->flags.carry = sum < a;
    cpu->flags.overflow = top_bit((a ^ sum) & (b ^ sum), bytes);
    set_flags(cpu, sum, bytes, knowledge);
    return sum;
}

static uint64_t subtract(cpu_t *cpu, uint64_t a, uint64_t b, int bytes, knowledge_t knowledge)
{
    const uint64_t difference = cpu_cut(a - b, bytes);
    cpu->flags.carry = a < b;
    cpu->flags.overflow = top_bit((a ^ b) & (a ^ difference), bytes);
    set_flags(cpu, difference, bytes, knowledge);
    return difference;
}

typedef uint64_t (*operation_t)(cpu_t *cpu, uint64_t a, uint64_t b, int bytes,
                                knowledge_t knowledge);

/* adc and sbb, of known operands. */
static uint64_t with_carry(cpu_t *cpu, operation_t operation, uint64_t a, uint64_t b, bool carry,
                           int bytes)
{
    const uint64_t first = operation(cpu, a, b, bytes, KNOWN);
    const flags_t flags = cpu->flags;
    const uint64_t result = operation(cpu, first, carry, bytes, KNOWN);
    cpu->flags.carry |= flags.carry;
    cpu->flags.overflow ^= flags.overflow;
    return result;
}

static uint64_t logic(cpu_t *cpu, uint64_t result, int bytes, knowledge_t knowledge)
{
    cpu->flags.carry = false;
    cpu->flags.overflow = false;
    set_flags(cpu, result, bytes, knowledge);
    return result;
}

/* By nothing, it leaves the flags as they are: those are known of a distance that is. */
static uint64_t shift(cpu_t *cpu, uint64_t a, const value_t *distance, int bytes,
                      knowledge_t knowledge)
{
    const action_t action = cpu->now->action;
    const int bits = 8 * bytes;
    const int by = (int) (distance->bits & (bytes == 8 ? 63 : 31));
    const int64_t extended = (int64_t) (a << (64 - bits)) >> (64 - bits);
    if (distance->knowledge != KNOWN) {
        cpu->flags.knowledge = UNDEFINED;
    }
    const uint64_t result = cpu_cut(action == ACTION_SHL   ? a << by
                                    : action == ACTION_SHR ? a >> by
                                                           : (uint64_t) (extended >> by),
                                    bytes);
    if (distance->knowledge == KNOWN && by > 0) {
        const int last = action != ACTION_SHL ? by - 1 : by > bits ? 0 : bits - by;
        set_flags(cpu, result, bytes, by <= bits ? knowledge : UNDEFINED);
        cpu->flags.carry = (extended >> last & 1) != 0;
        cpu->flags.has_shifted = true;
    }
    return result;
}

static bool known_flags(cpu_t *cpu)
{
    const value_t flags = {0, cpu->flags.knowledge, 0};
    return cpu_is_known(cpu, &flags, "the condition");
}

/* The same, of the flags that the instruction's condition needs. */
static bool known_condition(cpu_t *cpu)
{
    const int which = cpu->now->condition >> 1;
    const bool overflow = which == 0 || which >= 6;
    return known_flags(cpu) &&
           (!(overflow && cpu->flags.has_shifted) ||
            cpu_fail(cpu, RULE_DEFINED, "the overflow was not set: a shift came before"));
}

/* Two operands, the first of which takes the result. Flags that are not modelled must not be
 * used. */
static bool arithmetic(cpu_t *cpu)
{
    const instruction_t *in = cpu->now;
    const int bytes = in->operands[0].bytes;
    value_t a;
    value_t b = {1, KNOWN, 0};
    value_t result = {0, KNOWN, 0};
    if (!cpu_take(cpu, &in->operands[0], &a) ||
        (in->noperands > 1 && !cpu_take(cpu, &in->operands[1], &b))) {
        return false;
    }
    b.bits = cpu_cut(b.bits, bytes);
    result.knowledge = in->is_idiom ? KNOWN : a.knowledge < b.knowledge ? a.knowledge : b.knowledge;
    if (in->is_idiom) {
        a.bits = b.bits = 0;
    }
    const bool carry = cpu->flags.carry;
    if ((in->action == ACTION_ADC || in->action == ACTION_SBB) && !known_flags(cpu)) {
        return false;
    }
    switch (in->action) {
    case ACTION_ADC:
        result.bits = with_carry(cpu, add, a.bits, b.bits, carry, bytes);
        break;
    case ACTION_SBB:
        result.bits = with_carry(cpu, subtract, a.bits, b.bits, carry, bytes);
        break;
    case ACTION_ADD:
        result.bits = add(cpu, a.bits, b.bits, bytes, result.knowledge);
        break;
    case ACTION_SUB:
    case ACTION_CMP:
        result.bits = subtract(cpu, a.bits, b.bits, bytes, result.knowledge);
        break;
    case ACTION_INC:
        result.bits = add(cpu, a.bits, 1, bytes, result.knowledge);
        cpu->flags.carry = carry;
        break;
    case ACTION_DEC:
        result.bits = subtract(cpu, a.bits, 1, bytes, result.knowledge);
        cpu->flags.carry = carry;
        break;
    case ACTION_NEG:
        result.bits = subtract(cpu, 0, a.bits, bytes, result.knowledge);
        break;
    case ACTION_AND:
    case ACTION_TEST:
        result.bits = logic(cpu, a.bits & b.bits, bytes, result.knowledge);
        break;
    case ACTION_OR:
        result.bits = logic(cpu, a.bits | b.bits, bytes, result.knowledge);
        break;
    case ACTION_XOR:
        result.bits = logic(cpu, a.bits ^ b.bits, bytes, result.knowledge);
        break;
    default:
        result.bits = shift(cpu, a.bits, &b, bytes, result.knowledge);
        break;
    }
    return in->action == ACTION_CMP || in->action == ACTION_TEST ||
           cpu_put(cpu, &in->operands[0], result);
}

/* No flag changes. */
static bool invert(cpu_t *cpu)
{
    const operand_t *operand = &cpu->now->operands[0];
    value_t value;
    if (!cpu_take(cpu, operand, &value)) {
        return false;
    }
    value.bits = cpu_cut(~value.bits, operand->bytes);
    return cpu_put(cpu, operand, value);
}

/* imul and bzhi: the last two operands make the first. */
static bool three_operands(cpu_t *cpu)
{
    const instruction_t *in = cpu->now;
    value_t a;
    value_t b;
    const int last = in->noperands - 1;
    if (last < 1 || last > 2) {
        return cpu_fail(cpu, RULE_ALLOWED, "a form that is not used");
    }
    if (!cpu_take(cpu, &in->operands[last - 1], &a) || !cpu_take(cpu, &in->operands[last], &b)) {
        return false;
    }
    const unsigned keep = (unsigned) (b.bits & 0xff);
    value_t result = {a.bits * b.bits, a.knowledge < b.knowledge ? a.knowledge : b.knowledge, 0};
    if (in->action == ACTION_BZHI) {
        result.bits = keep >= 64 ? a.bits : a.bits & ((UINT64_C(1) << keep) - 1);
    }
    cpu->flags.knowledge = UNDEFINED;
    return cpu_put(cpu, &in->operands[0], result);
}

/* shld and shrd of registers of 8 bytes: what leaves the second comes into the first. */
static bool double_shift(cpu_t *cpu)
{
    const instruction_t *in = cpu->now;
    value_t a, b, by;
    if (in->operands[0].bytes != 8) {
        return cpu_fail(cpu, RULE_ALLOWED, "a form that is not used");
    }
    if (!cpu_take(cpu, &in->operands[0], &a) || !cpu_take(cpu, &in->operands[1], &b) ||
        !cpu_take(cpu, &in->operands[2], &by) || !cpu_is_known(cpu, &by, "the distance")) {
        return false;
    }
    const int n = (int) (by.bits & 63);
    const unsigned __int128 both = in->action == ACTION_SHLD
                                       ? ((unsigned __int128) a.bits << 64 | b.bits) << n >> 64
                                       : ((unsigned __int128) b.bits << 64 | a.bits) >> n;
    cpu->flags.knowledge = UNDEFINED;
    return cpu_put(
        cpu, &in->operands[0],
        (value_t){(uint64_t) both, a.knowledge < b.knowledge ? a.knowledge : b.knowledge, 0});
}

/* mul and imul of rax and the only operand, into rdx:rax. */
static bool multiply(cpu_t *cpu)
{
    const instruction_t *in = cpu->now;
    const operand_t *operand = &in->operands[0];
    const value_t *rax = &cpu->gpr[RAX];
    value_t factor;
    if (operand->bytes != 8) {
        return cpu_fail(cpu, RULE_ALLOWED, "a form that is not used");
    }
    if (!cpu_take(cpu, operand, &factor) || !cpu_is_known(cpu, rax, "rax")) {
        return false;
    }
    const unsigned __int128 product =
        in->action == ACTION_MUL
            ? (unsigned __int128) rax->bits * factor.bits
            : (unsigned __int128) ((__int128) (int64_t) rax->bits * (int64_t) factor.bits);
    cpu->gpr[RAX] = (value_t){(uint64_t) product, factor.knowledge, 0};
    cpu->gpr[RDX] = (value_t){(uint64_t) (product >> 64), factor.knowledge, 0};
    cpu->flags.knowledge = UNDEFINED;
    return true;
}

/* ---- moves and branches ---- */

static bool move(cpu_t *cpu)
{
    const instruction_t *in = cpu->now;
    value_t value;
    if (!cpu_take(cpu, &in->operands[1], &value)) {
        return false;
    }
    if (in->action == ACTION_MOVE_SIGNED) {
        const int unused = 64 - 8 * in->operands[1].bytes;
        value.bits = (uint64_t) ((int64_t) (value.bits << unused) >> unused);
    }
    if (in->action == ACTION_MASK_MOVE) {
        value.bits = cpu_cut(value.bits, in->mask_bytes);
        value.knowledge =
            value.low >= in->mask_bytes ? KNOWN : value.knowledge; /* all that it moves */
    }
    return cpu_put(cpu, &in->operands[0], value);
}

static bool lea(cpu_t *cpu)
{
    uint64_t address;
    return cpu_address(cpu, &cpu->now->operands[1], &address) &&
           cpu_put(cpu, &cpu->now->operands[0], (value_t){address, KNOWN, 0});
}

static bool holds(const flags_t *flags, int condition)
{
    bool is = false;
    switch (condition >> 1) {
    case 0:
        is = flags->overflow;
        break;
    case 1:
        is = flags->carry;
        break;
    case 2:
        is = flags->zero;
        break;
    case 3:
        is = flags->carry || flags->zero;
        break;
    case 4:
        is = flags->sign;
        break;
    case 5:
        is = flags->parity;
        break;
    case 6:
        is = flags->sign != flags->overflow;
        break;
    default:
        is = flags->zero || flags->sign != flags->overflow;
        break;
    }
    return is != ((condition & 1) != 0);
}

static bool jump_if(cpu_t *cpu)
{
    if (!known_condition(cpu)) {
        return false;
    }
    if (holds(&cpu->flags, cpu->now->condition)) {
        cpu->next = (uint32_t) cpu->now->target;
    }
    return true;
}

static bool move_if(cpu_t *cpu)
{
    value_t is;
    value_t other;
    if (!known_condition(cpu) || !cpu_take(cpu, &cpu->now->operands[0], &is) ||
        !cpu_take(cpu, &cpu->now->operands[1], &other)) {
        return false;
    }
    return cpu_put(cpu, &cpu->now->operands[0],
                   holds(&cpu->flags, cpu->now->condition) ? other : is);
}

static bool set_if(cpu_t *cpu)
{
    return known_condition(cpu) &&
           cpu_put(cpu, &cpu->now->operands[0],
                   (value_t){holds(&cpu->flags, cpu->now->condition), KNOWN, 0});
}

/* A register that was not set may also be saved. */
static bool push(cpu_t *cpu)
{
    const operand_t *operand = &cpu->now->operands[0];
    if (operand->kind != OPERAND_GPR || operand->bytes != 8) {
        return cpu_fail(cpu, RULE_ALLOWED, "a push of anything but a register");
    }
    return cpu_push(cpu, cpu->gpr[operand->number]);
}

static bool pop(cpu_t *cpu)
{
    const operand_t *operand = &cpu->now->operands[0];
    value_t value;
    if (operand->kind != OPERAND_GPR || operand->bytes != 8 || operand->number == RSP) {
        return cpu_fail(cpu, RULE_ALLOWED, "a pop to anything but a register");
    }
    return cpu_pop(cpu, &value) && cpu_put(cpu, operand, value);
}

static bool execute(cpu_t *cpu)
{
    switch (cpu->now->action) {
    case ACTION_NOTHING:
        return true;
    case ACTION_MOVE:
    case ACTION_MOVE_SIGNED:
    case ACTION_MASK_MOVE:
        return move(cpu);
    case ACTION_LEA:
        return lea(cpu);
    case ACTION_IMUL:
    case ACTION_BZHI:
        return cpu->now->noperands == 1 ? multiply(cpu) : three_operands(cpu);
    case ACTION_MUL:
        return multiply(cpu);
    case ACTION_SHLD:
    case ACTION_SHRD:
        return double_shift(cpu);
    case ACTION_NOT:
        return invert(cpu);
    case ACTION_CMOV:
        return move_if(cpu);
    case ACTION_SET:
        return set_if(cpu);
    case ACTION_JUMP_IF:
        return jump_if(cpu);
    case ACTION_JUMP:
        return cpu_jump(cpu);
    case ACTION_CALL:
        return cpu_call(cpu);
    case ACTION_RET:
        return cpu_ret(cpu);
    case ACTION_PUSH:
        return push(cpu);
    case ACTION_POP:
        return pop(cpu);
    case ACTION_MASK_AND:
    case ACTION_MASK_ANDN:
    case ACTION_MASK_OR:
    case ACTION_MASK_XOR:
    case ACTION_MASK_XNOR:
    case ACTION_MASK_ADD:
    case ACTION_MASK_NOT:
    case ACTION_MASK_SHL:
    case ACTION_MASK_SHR:
    case ACTION_MASK_UNPACK:
    case ACTION_MASK_TEST:
    case ACTION_MASK_OR_TEST:
        return cpu_mask(cpu);
    case ACTION_VECTOR:
    case ACTION_VECTOR_ALIGNED:
    case ACTION_VECTOR_PACKED:
        return cpu_vector(cpu);
    case ACTION_CLEAN:
        cpu->wide = false;
        return true;
    default:
        return arithmetic(cpu);
    }
}

/* ---- the whole ---- */

static void set_up(cpu_t *cpu, uint32_t entry, rng_t *rng)
{
    const judge_run_t *run = &cpu->footprint->run;
    memset(cpu->gpr, 0, sizeof cpu->gpr);
    memset(cpu->mask, 0, sizeof cpu->mask);
    cpu->flags = (flags_t){.knowledge = UNDEFINED};
    cpu->code = UINT64_C(0x100000000000) + (uint64_t) rng_range(rng, 0, 1 << 24) * 64;
    for (int i = 0; i < GPRS; i++) { /* what the caller has there */
        const bool saved = i == RBX || i == RBP || i >= R12;
        cpu->gpr[i] = (value_t){saved ? rng_next(rng) : 0, saved ? KNOWN : UNDEFINED, 0};
    }
    cpu->gpr[RDI] = (value_t){(uintptr_t) run->prim, KNOWN, 0};
    cpu->gpr[RSI] = (value_t){run->origin, KNOWN, 0};
    cpu->gpr[RDX] = (value_t){run->packed, KNOWN, 0};
    cpu->gpr[RCX] = (value_t){(uint64_t) run->first, KNOWN, 0};
    cpu->gpr[R8] = (value_t){(uint64_t) run->n, KNOWN, 0};
    cpu_reset_stack(cpu);
    cpu->depth = 1;
    cpu->frames[0].rsp = cpu->gpr[RSP].bits;
    memcpy(cpu->frames[0].saved, cpu->gpr, sizeof cpu->gpr);
    cpu->vectors = 0;
    cpu->wide = false;
    cpu->next = entry;
    cpu->done = false;
}

bool cpu_run(const listing_t *listing, footprint_t *footprint, uint32_t entry, rng_t *rng,
             int64_t *steps, verdict_t *verdict)
{
    static cpu_t cpu;
    const int64_t most =
        10000 + 1000 * footprint->run.n + 100 * (footprint->bytes + footprint->blocks);
    cpu.listing = listing;
    cpu.footprint = footprint;
    cpu.verdict = verdict;
    set_up(&cpu, entry, rng);
    for (int64_t step = 0; !cpu.done; step++) {
        const instruction_t *in = listing_at(listing, cpu.next);
        if (!in) {
            return verdict_fail(verdict, RULE_INSIDE, cpu.next, "control comes here");
        }
        cpu.now = in;
        cpu.next = in->offset + in->length;
        if (step > most) {
            return cpu_fail(&cpu, RULE_ENDS, "no end after %" PRId64 " instructions", most);
        }
        if (!execute(&cpu)) {
            return false;
        }
        ++*steps;
    }
    return footprint_is_complete(footprint, cpu.now->offset, verdict);
}
