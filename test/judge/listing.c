/* SPDX-License-Identifier: BSD-3-Clause */
#include "listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mnemonics.h"

enum { LONGEST_PADDING = 63, CONSTANT = 1, TABLE = 2 };

const instruction_t *listing_at(const listing_t *listing, uint64_t offset)
{
    if (offset >= listing->code->size || listing->at[offset] == 0) {
        return NULL;
    }
    const instruction_t *instruction = &listing->instructions[listing->at[offset] - 1];
    return instruction->offset == offset ? instruction : NULL;
}

void listing_free(listing_t *listing)
{
    free(listing->instructions);
    free(listing->at);
    free(listing->work);
    free(listing->is_constant);
    memset(listing, 0, sizeof *listing);
}

/* ---- one instruction, from Zydis's words into ours ---- */

typedef struct decoded {
    ZydisDecodedInstruction z;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
} decoded_t;

static bool decode(const dame_machine_code_t *code, uint32_t offset, decoded_t *out)
{
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code->bytes + offset, code->size - offset,
                                               &out->z, out->operands));
}

static bool not_allowed(const decoded_t *d, uint32_t offset, verdict_t *verdict, const char *why)
{
    return verdict_fail(verdict, RULE_ALLOWED, offset, "%s: %s",
                        ZydisMnemonicGetString(d->z.mnemonic), why);
}

/* The number of a general register of any width, or NO_REGISTER. */
static int general_register(ZydisRegister name)
{
    if (name == ZYDIS_REGISTER_AH || name == ZYDIS_REGISTER_BH || name == ZYDIS_REGISTER_CH ||
        name == ZYDIS_REGISTER_DH) {
        return NO_REGISTER;
    }
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole)
                                                                : NO_REGISTER;
}

static bool take_register(const ZydisDecodedOperand *from, operand_t *to)
{
    const ZydisRegister name = from->reg.value;
    switch (ZydisRegisterGetClass(name)) {
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
        to->kind = OPERAND_VECTOR;
        to->number = (uint8_t) ZydisRegisterGetId(name);
        break;
    case ZYDIS_REGCLASS_MASK:
        to->kind = OPERAND_MASK;
        to->number = (uint8_t) ZydisRegisterGetId(name);
        break;
    default: {
        const int number = general_register(name);
        to->kind = OPERAND_GPR;
        to->number = (uint8_t) number;
        to->bytes = (uint16_t) (ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, name) / 8);
        return number != NO_REGISTER;
    }
    }
    to->bytes = (uint16_t) (ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, name) / 8);
    return true;
}

static bool take_memory(const decoded_t *d, const ZydisDecodedOperand *from, operand_t *to)
{
    const ZydisRegister base = from->mem.base;
    const ZydisRegister index = from->mem.index;
    to->kind = OPERAND_MEMORY;
    to->base = base == ZYDIS_REGISTER_NONE  ? NO_REGISTER
               : base == ZYDIS_REGISTER_RIP ? NEXT_INSTRUCTION
                                            : (int8_t) general_register(base);
    to->index = index == ZYDIS_REGISTER_NONE ? NO_REGISTER : (int8_t) general_register(index);
    to->scale = from->mem.scale;
    to->value = from->mem.disp.value;
    to->element = (uint8_t) (from->element_size / 8);
    if (d->z.avx.broadcast.mode && !d->z.avx.broadcast.is_static) {
        to->bytes = to->element;
    }
    return d->z.address_width == 64 && from->mem.type != ZYDIS_MEMOP_TYPE_VSIB &&
           (from->mem.segment == ZYDIS_REGISTER_DS || from->mem.segment == ZYDIS_REGISTER_SS ||
            from->mem.segment == ZYDIS_REGISTER_NONE);
}

static bool take_operand(const decoded_t *d, const ZydisDecodedOperand *from, operand_t *to)
{
    *to = (operand_t){.read = (from->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0,
                      .written = (from->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0,
                      .bytes = (uint16_t) (from->size / 8),
                      .base = NO_REGISTER,
                      .index = NO_REGISTER};
    switch (from->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        return take_register(from, to);
    case ZYDIS_OPERAND_TYPE_MEMORY:
        return take_memory(d, from, to);
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        to->kind = OPERAND_CONSTANT;
        to->value = from->imm.value.s;
        return true;
    default:
        return false;
    }
}

/* Its operands are one register, and what comes out does not depend on it. */
static bool is_idiom(const instruction_t *in, ZydisMnemonic mnemonic)
{
    bool any = in->action == ACTION_XOR || in->action == ACTION_SUB ||
               in->action == ACTION_MASK_XOR || in->action == ACTION_MASK_XNOR ||
               in->action == ACTION_MASK_ANDN;
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_VPXORD:
    case ZYDIS_MNEMONIC_VPXORQ:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_VXORPS:
        any = true;
        break;
    case ZYDIS_MNEMONIC_VPTERNLOGD:
        any = in->operands[in->noperands - 1].value == 0xff ||
              (in->operands[in->noperands - 1].value & 0xff) == 0;
        break;
    default:
        break;
    }
    const operand_t *first = &in->operands[in->noperands > 2 ? 1 : 0];
    const operand_t *second = first + 1;
    return any && in->noperands >= 2 && second->kind == first->kind &&
           second->number == first->number &&
           (first->kind == OPERAND_GPR || first->kind == OPERAND_VECTOR ||
            first->kind == OPERAND_MASK);
}

/* Intel's classes of exceptions that end in NF: masks do not suppress faults. */
static bool is_sparing(const decoded_t *d)
{
    switch (d->z.meta.exception_class) {
    case ZYDIS_EXCEPTION_CLASS_E1NF:
    case ZYDIS_EXCEPTION_CLASS_E2NF:
    case ZYDIS_EXCEPTION_CLASS_E3NF:
    case ZYDIS_EXCEPTION_CLASS_E4NF:
    case ZYDIS_EXCEPTION_CLASS_E5NF:
    case ZYDIS_EXCEPTION_CLASS_E6NF:
    case ZYDIS_EXCEPTION_CLASS_E9NF:
    case ZYDIS_EXCEPTION_CLASS_E10NF:
    case ZYDIS_EXCEPTION_CLASS_E11NF:
        return false;
    default:
        return true;
    }
}

static bool take_operands(const decoded_t *d, instruction_t *in, verdict_t *verdict)
{
    for (int i = 0; i < d->z.operand_count; i++) {
        const ZydisDecodedOperand *from = &d->operands[i];
        if (from->encoding == ZYDIS_OPERAND_ENCODING_MASK) {
            in->mask = (uint8_t) ZydisRegisterGetId(from->reg.value);
            continue;
        }
        if (from->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
            continue; /* flags; what push, call and their like use is known to cpu.c */
        }
        operand_t *to = &in->operands[in->noperands];
        if (in->noperands == MAX_OPERANDS || !take_operand(d, from, to)) {
            return not_allowed(d, in->offset, verdict, "an operand of a kind that is not used");
        }
        in->noperands++;
        if (to->kind == OPERAND_VECTOR) {
            in->vector = to->bytes > in->vector ? to->bytes : in->vector;
        }
    }
    in->sse = in->vector > 0 && d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    in->is_merged = d->z.avx.mask.mode == ZYDIS_MASK_MODE_MERGING;
    in->is_sparing = is_sparing(d);
    in->is_broadcast = d->z.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID;
    in->is_insert = strncmp(ZydisMnemonicGetString(d->z.mnemonic), "vinsert", 7) == 0;
    in->interleaves = strstr(ZydisMnemonicGetString(d->z.mnemonic), "unpck") != NULL;
    return true;
}

/* Before VEX, whole vectors in memory had to be aligned, except in these moves. */
static bool wants_aligned(const instruction_t *in, ZydisMnemonic mnemonic)
{
    if (in->action != ACTION_VECTOR || !in->sse || mnemonic == ZYDIS_MNEMONIC_MOVDQU ||
        mnemonic == ZYDIS_MNEMONIC_MOVUPS || mnemonic == ZYDIS_MNEMONIC_MOVUPD) {
        return false;
    }
    for (int i = 0; i < in->noperands; i++) {
        if (in->operands[i].kind == OPERAND_MEMORY && in->operands[i].bytes == 16) {
            return true;
        }
    }
    return false;
}

/* By the name of its set: AVX512BW_256, AVX512_VBMI_512, and so on. */
static cpu_model_t first_model(const decoded_t *d, const instruction_t *in)
{
    static const struct {
        const char *set; /* how names begin */
        cpu_model_t model;
    } models[] = {
        {"AVX512_VBMI_", CPU_VBMI}, {"AVX512F_", CPU_AVX512}, {"AVX512BW_", CPU_AVX512},
        {"AVX512", CPU_MODELS},     {"AVX2", CPU_AVX2},       {"AVX", CPU_AVX2},
        {"SSE3", CPU_AVX2},         {"SSSE3", CPU_AVX2},      {"SSE4", CPU_AVX2},
        {"SSE2", CPU_SSE2},         {"SSE", CPU_SSE2},        {"BMI", CPU_MODELS},
    };
    const char *set = ZydisISASetGetString(d->z.meta.isa_set);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        if (strncmp(set, models[i].set, strlen(models[i].set)) == 0) {
            return models[i].model;
        }
    }
    return in->vector > 0 ? CPU_MODELS : CPU_SSE2; /* x86-64 itself */
}

/* Is all that it reads and writes among its operands, with vectors of bytes or integers? */
static bool computes_with_vectors(const decoded_t *d, const instruction_t *in)
{
    for (int i = 0; i < d->z.operand_count; i++) {
        if (d->operands[i].visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
            return false; /* flags, addresses, how numbers are rounded */
        }
    }
    return in->vector > 0;
}

/* Of the mask that comes out, by the last letter: kmovd, kunpckwd. */
static uint8_t mask_bytes(ZydisMnemonic mnemonic)
{
    const char *name = ZydisMnemonicGetString(mnemonic);
    switch (name[strlen(name) - 1]) {
    case 'b':
        return 1;
    case 'w':
        return 2;
    case 'd':
        return 4;
    default:
        return 8;
    }
}

static bool take_instruction(const decoded_t *d, uint32_t offset, instruction_t *in,
                             verdict_t *verdict)
{
    *in = (instruction_t){.offset = offset,
                          .length = d->z.length,
                          .condition = d->z.opcode & 15,
                          .action = mnemonic_action(d->z.mnemonic)};
    if ((d->z.attributes & (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
                            ZYDIS_ATTRIB_HAS_REPNE)) != 0) {
        return not_allowed(d, offset, verdict, "a lock or repeat prefix");
    }
    if (!take_operands(d, in, verdict)) {
        return false;
    }
    if (in->action == ACTION_NONE && !computes_with_vectors(d, in)) {
        return not_allowed(d, offset, verdict, "not on the list");
    }
    in->action = in->action == ACTION_NONE ? ACTION_VECTOR : in->action;
    if (in->action == ACTION_RET && in->noperands > 0) {
        return not_allowed(d, offset, verdict, "with an operand");
    }
    in->since = first_model(d, in);
    in->mask_bytes = mask_bytes(d->z.mnemonic);
    in->is_idiom = is_idiom(in, d->z.mnemonic);
    if (wants_aligned(in, d->z.mnemonic)) {
        in->action = ACTION_VECTOR_ALIGNED;
    }
    if ((in->action == ACTION_JUMP || in->action == ACTION_JUMP_IF || in->action == ACTION_CALL) &&
        in->operands[0].kind == OPERAND_CONSTANT) {
        in->is_direct = true;
        in->target = (int64_t) offset + in->length + in->operands[0].value;
    }
    return true;
}

/* ---- all that is reached ---- */

static bool add_work(listing_t *listing, int64_t offset, uint32_t from, verdict_t *verdict)
{
    const size_t size = dame_instructions(listing->code->size, listing->code->unwind);
    if (offset < 0 || offset >= (int64_t) size) {
        return verdict_fail(verdict, RULE_INSIDE, from,
                            "control goes to offset %" PRId64 " of %zu bytes of code", offset,
                            size);
    }
    listing->work[listing->nwork++] = (uint32_t) offset;
    return true;
}

static instruction_t *new_instruction(listing_t *listing, verdict_t *verdict)
{
    if (listing->count == listing->room) {
        const uint32_t room = listing->room ? 2 * listing->room : 256;
        instruction_t *more = realloc(listing->instructions, room * sizeof *more);
        if (!more) {
            verdict_fail(verdict, RULE_DECODES, 0, "no memory for instructions");
            return NULL;
        }
        listing->instructions = more;
        listing->room = room;
    }
    return &listing->instructions[listing->count++];
}

/* Decodes the instruction at `offset`, and notes its successors. */
static bool reach(listing_t *listing, uint32_t offset, verdict_t *verdict)
{
    decoded_t d;
    if (listing_at(listing, offset)) {
        return true;
    }
    if (!decode(listing->code, offset, &d)) {
        return verdict_fail(verdict, RULE_DECODES, offset, "byte 0x%02x is not an instruction",
                            (unsigned char) listing->code->bytes[offset]);
    }
    instruction_t *in = new_instruction(listing, verdict);
    if (!in || !take_instruction(&d, offset, in, verdict)) {
        return false;
    }
    for (uint32_t i = offset; i < offset + in->length; i++) {
        if (listing->at[i]) {
            return verdict_fail(verdict, RULE_DECODES, offset,
                                "an instruction within another one, at offset %u", i);
        }
        listing->at[i] = listing->count;
    }
    if (in->is_direct && !add_work(listing, in->target, offset, verdict)) {
        return false;
    }
    const bool ends = in->action == ACTION_RET || in->action == ACTION_JUMP;
    return ends || add_work(listing, (int64_t) offset + in->length, offset, verdict);
}

static bool check_cpu(const listing_t *listing, const dame_jit_options_t *options,
                      cpu_model_t model, verdict_t *verdict)
{
    for (uint32_t i = 0; i < listing->count; i++) {
        const instruction_t *in = &listing->instructions[i];
        if (options->vector_bits && in->vector * 8 > options->vector_bits) {
            return verdict_fail(verdict, RULE_WIDTH, in->offset,
                                "vectors of %d bits where the options allow %" PRId32,
                                in->vector * 8, options->vector_bits);
        }
        if (in->since > model) {
            return verdict_fail(verdict, RULE_FEATURE, in->offset,
                                "an instruction that CPUs with %s do not have",
                                judge_cpu_name(model));
        }
    }
    return true;
}

/* ---- unreached bytes ---- */

static bool note_constants(listing_t *listing, verdict_t *verdict)
{
    for (uint32_t i = 0; i < listing->count; i++) {
        const instruction_t *in = &listing->instructions[i];
        for (int k = 0; k < in->noperands; k++) {
            const operand_t *operand = &in->operands[k];
            if (operand->kind != OPERAND_MEMORY || operand->base != NEXT_INSTRUCTION) {
                continue;
            }
            const int64_t begin = (int64_t) in->offset + in->length + operand->value;
            const int64_t bytes = in->action == ACTION_LEA ? 1 : operand->bytes;
            const uint8_t what = in->action == ACTION_LEA ? TABLE : CONSTANT;
            if (begin < 0 || begin + bytes > (int64_t) listing->code->size) {
                return verdict_fail(verdict, RULE_CONSTANT, in->offset,
                                    "a constant at offset %" PRId64 " of %zu bytes of code", begin,
                                    listing->code->size);
            }
            for (int64_t b = begin; b < begin + bytes; b++) {
                if (listing->at[b]) {
                    return verdict_fail(verdict, RULE_CONSTANT, in->offset,
                                        "the constant at offset %" PRId64 " is an instruction", b);
                }
                listing->is_constant[b] |= what;
            }
        }
    }
    return true;
}

/* Bytes of padding at the offset: of int3, nop, 0; or 0. */
static uint32_t padding(const listing_t *listing, uint32_t offset)
{
    decoded_t d;
    if (listing->code->bytes[offset] == 0) {
        return 1;
    }
    return decode(listing->code, offset, &d) &&
                   (d.z.mnemonic == ZYDIS_MNEMONIC_NOP || d.z.mnemonic == ZYDIS_MNEMONIC_INT3)
               ? d.z.length
               : 0;
}

/* The bytes from the first instruction on and up to the last. */
static void find_instructions(const listing_t *listing, uint32_t *begin, uint32_t *end)
{
    *begin = 0;
    *end = (uint32_t) dame_instructions(listing->code->size, listing->code->unwind);
    if (listing->has_unused_constants) {
        while (*begin < *end && !listing->at[*begin]) {
            ++*begin;
        }
        while (*begin < *end && !listing->at[*end - 1]) {
            --*end;
        }
    }
}

static bool check_rest(const listing_t *listing, verdict_t *verdict)
{
    uint32_t begin, end;
    bool table = false;
    uint32_t padded = 0;
    find_instructions(listing, &begin, &end);
    for (uint32_t i = begin, n = 1; i < end; i += n) {
        n = 1;
        if (listing->at[i]) {
            table = false;
            padded = 0;
            continue;
        }
        table |= (listing->is_constant[i] & TABLE) != 0;
        if (table || listing->is_constant[i]) {
            padded = 0;
            continue;
        }
        n = padding(listing, i);
        padded += n;
        if (n == 0 || padded > LONGEST_PADDING) {
            return verdict_fail(verdict, RULE_REACHED, i,
                                n ? "more than %d bytes of padding"
                                  : "not reached, constant or padding",
                                LONGEST_PADDING);
        }
    }
    return true;
}

/* ---- the whole ---- */

static bool make_room(listing_t *listing, const dame_machine_code_t *code)
{
    if (code->size > listing->code_room) {
        free(listing->at);
        free(listing->work);
        free(listing->is_constant);
        listing->at = malloc(code->size * sizeof *listing->at);
        /* Every instruction adds at most two, and every entry one. */
        listing->work = malloc((3 * code->size + 16) * sizeof *listing->work);
        listing->is_constant = malloc(code->size);
        listing->code_room = code->size;
    }
    if (!listing->at || !listing->work || !listing->is_constant) {
        listing->code_room = 0;
        return false;
    }
    memset(listing->at, 0, code->size * sizeof *listing->at);
    memset(listing->is_constant, 0, code->size);
    listing->count = 0;
    listing->nwork = 0;
    listing->code = code;
    return true;
}

static bool check_entries(const listing_t *listing, const dame_program_t *program,
                          verdict_t *verdict)
{
    const dame_machine_code_t *code = listing->code;
    for (int32_t i = 0; i < code->nentries; i++) {
        const dame_entry_point_t *entry = &code->entries[i];
        bool again = false;
        for (int32_t k = 0; k < i; k++) {
            again |= code->entries[k].prim == entry->prim;
        }
        if (again || entry->prim < 0 || entry->prim >= program->nprims ||
            !dame_prim_run(&program->prims[entry->prim], DAME_PACK)) {
            return verdict_fail(verdict, RULE_ENTRY, entry->offset,
                                "entry %d is for primitive %d%s", i, entry->prim,
                                again ? " again" : ", which is not a loop level");
        }
        static const char endbr64[] = {'\xf3', '\x0f', '\x1e', '\xfa'};
        if (entry->offset >= code->size || code->size - entry->offset < sizeof endbr64 ||
            memcmp(code->bytes + entry->offset, endbr64, sizeof endbr64) != 0) {
            return verdict_fail(verdict, RULE_ENTRY, entry->offset,
                                "entry %d does not start with endbr64", i);
        }
    }
    return true;
}

bool listing_make(listing_t *listing, const dame_machine_code_t *code,
                  const dame_program_t *program, const dame_jit_options_t *options,
                  cpu_model_t model, verdict_t *verdict)
{
    if (code->size > UINT32_MAX / 4 || !make_room(listing, code)) {
        return verdict_fail(verdict, RULE_DECODES, 0, "no memory for %zu bytes of code",
                            code->size);
    }
    if (!check_entries(listing, program, verdict)) {
        return false;
    }
    for (int32_t i = 0; i < code->nentries; i++) {
        listing->work[listing->nwork++] = code->entries[i].offset;
        while (listing->nwork > 0) {
            if (!reach(listing, listing->work[--listing->nwork], verdict)) {
                return false;
            }
        }
    }
    return check_cpu(listing, options, model, verdict) && note_constants(listing, verdict) &&
           check_rest(listing, verdict);
}

/* ---- printing ---- */

/* Instructions before the one at `offset` are found by decoding from the entry before it. */
static uint32_t some_before(const dame_machine_code_t *code, uint32_t offset)
{
    enum { BEFORE = 24 };
    uint32_t starts[BEFORE];
    uint32_t n = 0;
    uint32_t at = 0;
    decoded_t d;
    for (int32_t i = 0; i < code->nentries; i++) {
        const uint32_t entry = code->entries[i].offset;
        at = entry <= offset && entry > at ? entry : at;
    }
    while (at < offset && decode(code, at, &d)) {
        starts[n++ % BEFORE] = at;
        at += d.z.length;
    }
    return n == 0 ? offset : n <= BEFORE ? starts[0] : starts[n % BEFORE];
}

void listing_print(FILE *out, const dame_machine_code_t *code, uint32_t offset)
{
    enum { AFTER = 8 };
    uint32_t at = offset < code->size ? some_before(code, offset) : (uint32_t) code->size;
    for (int after = 0; at < code->size && after < AFTER;) {
        ZydisDisassembledInstruction text;
        uint32_t length = 1;
        const char *words = "(no instruction)";
        if (ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, at, code->bytes + at,
                                               code->size - at, &text))) {
            words = text.text;
            length = text.info.length;
        }
        fprintf(out, "  %s %6u ", at == offset ? ">" : " ", at);
        for (uint32_t i = 0; i < 12; i++) {
            fprintf(out, i < length ? " %02x" : "   ",
                    (unsigned char) code->bytes[at + (i < length ? i : 0)]);
        }
        fprintf(out, " %s\n", words);
        after += at >= offset;
        at += length;
    }
}
