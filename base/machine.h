/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU that DAME is compiled for. Each CPU has one block, which defines the names listed here;
 * the instructions that DAME-X writes are in jit/x/cpu_NAME.h. Another CPU gets no machine code,
 * and Open MPI's functions cannot be replaced on it.
 *
 *   DAME_MACHINE_NAME      in the keys of the code cache
 *   DAME_MACHINE_OBJDUMP   objdump's name for it
 *   DAME_MACHINE_ELF       its number in ELF files
 *   DAME_MACHINE_JUMP_SLOT, DAME_MACHINE_GLOB_DAT
 *                          the relocations of entries of the GOT
 *   DAME_MACHINE_TRAP      4 bytes that trap at whichever of their instructions a call arrives
 *   DAME_MACHINE_MUST_SYNC may another CPU still execute instructions that were overwritten?
 *   DAME_MACHINE_RETURN, DAME_MACHINE_AT_ENTRY
 *                          DWARF's number of the register with the return address, and its
 *                          instructions for the state at a function's entry
 *   DAME_MACHINE_COUNTER   the name of the CPU's counter
 *   dame_machine_counter, dame_machine_counter_now
 *                          reads it, after all earlier instructions are done; without waiting
 *   dame_machine_counter_is_steady, dame_machine_counter_hz
 *                          does it run at one rate at all times? At which, 0: the CPU does not say
 *   dame_machine_pc        where a signal interrupted, by its handler's third argument
 *   dame_machine_model     maker, family and model, as virtual machines report them
 */
#ifndef DAME_MACHINE_H
#define DAME_MACHINE_H

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)

#include <cpuid.h>

#define DAME_MACHINE_NAME    "x86-64"
#define DAME_MACHINE_OBJDUMP "i386:x86-64"
#define DAME_MACHINE_COUNTER "tsc"
/* System V ABI, AMD64 supplement, figure 3.36: CFA = rsp + 8; the address is at CFA - 8. */
#define DAME_MACHINE_AT_ENTRY 0x0c, 7, 8, 0x90, 0x01
enum {
    DAME_MACHINE_ELF = EM_X86_64,
    DAME_MACHINE_JUMP_SLOT = R_X86_64_JUMP_SLOT,
    DAME_MACHINE_GLOB_DAT = R_X86_64_GLOB_DAT,
    DAME_MACHINE_TRAP = (int32_t) 0xcccccccc, /* int3, four times */
    DAME_MACHINE_MUST_SYNC = 0,
    DAME_MACHINE_RETURN = 16,
    DAME_MACHINE_RIP = 16 /* REG_RIP of <sys/ucontext.h>, which is an extension there */
};

static inline int64_t dame_machine_counter_now(void)
{
    return (int64_t) __builtin_ia32_rdtsc();
}

static inline int64_t dame_machine_counter(void)
{
    __builtin_ia32_lfence();
    return dame_machine_counter_now();
}

/* Intel's and AMD's manuals: CPUID 80000007H, EDX bit 8, "invariant TSC". */
static inline int dame_machine_counter_is_steady(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1) != 0;
}

/* CPUID 15H: TSC = crystal's Hz (ECX) * EBX / EAX, where all are given. */
static inline int64_t dame_machine_counter_hz(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x15, &a, &b, &c, &d) && a != 0 && b != 0 && c != 0
               ? (int64_t) ((uint64_t) c * b / a)
               : 0;
}

static inline uintptr_t dame_machine_pc(const void *context)
{
    return (uintptr_t) ((const ucontext_t *) context)->uc_mcontext.gregs[DAME_MACHINE_RIP];
}

static inline void dame_machine_model(char *name, size_t room)
{
    unsigned a, b, c, d;
    char maker[13] = "";
    __cpuid(0, a, b, c, d);
    memcpy(maker, &b, 4);
    memcpy(maker + 4, &d, 4);
    memcpy(maker + 8, &c, 4);
    __cpuid(1, a, b, c, d); /* the manuals: extended family and model add to these */
    unsigned family = a >> 8 & 15;
    const unsigned low = a >> 4 & 15;
    const unsigned high = family == 6 || family == 15 ? a >> 16 & 15 : 0;
    family += 15 == family ? a >> 20 & 255 : 0;
    (void) snprintf(name, room, "%s-%u-%u", maker, family, high << 4 | low);
}

#elif defined(__aarch64__)

#include <sys/auxv.h>

#define DAME_MACHINE_NAME     "aarch64"
#define DAME_MACHINE_OBJDUMP  "aarch64"
#define DAME_MACHINE_COUNTER  "cntvct"
/* DWARF for the Arm 64-bit Architecture, 4.1: CFA = sp. */
#define DAME_MACHINE_AT_ENTRY 0x0c, 31, 0
enum {
    DAME_MACHINE_ELF = EM_AARCH64,
    DAME_MACHINE_JUMP_SLOT = R_AARCH64_JUMP_SLOT,
    DAME_MACHINE_GLOB_DAT = R_AARCH64_GLOB_DAT,
    DAME_MACHINE_TRAP = (int32_t) 0xd4200000, /* brk #0 */
    DAME_MACHINE_MUST_SYNC = 1,
    DAME_MACHINE_RETURN = 30
};

static inline int64_t dame_machine_counter(void)
{
    int64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

#define dame_machine_counter_now dame_machine_counter

static inline int64_t dame_machine_counter_hz(void)
{
    int64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

/* The architecture's generic timer always runs at one rate; firmware may forget to say which. */
static inline int dame_machine_counter_is_steady(void)
{
    return dame_machine_counter_hz() > 0;
}

static inline uintptr_t dame_machine_pc(const void *context)
{
    return (uintptr_t) ((const ucontext_t *) context)->uc_mcontext.pc;
}

static inline void dame_machine_model(char *name, size_t room)
{
    uint64_t id = 0;
    if ((getauxval(AT_HWCAP) & 1 << 11) != 0) { /* HWCAP_CPUID: the system emulates the read */
        __asm__("mrs %0, midr_el1" : "=r"(id));
    }
    (void) snprintf(name, room, "arm-%x-%x", (unsigned) (id >> 24 & 255),
                    (unsigned) (id >> 4 & 0xfff));
}

#else

#define DAME_MACHINE_NAME     "unknown"
#define DAME_MACHINE_COUNTER  ""
#define DAME_MACHINE_AT_ENTRY 0
enum {
    DAME_MACHINE_ELF = EM_NONE,
    DAME_MACHINE_TRAP = 0, /* no valid instruction on most CPUs */
    DAME_MACHINE_MUST_SYNC = 1,
    DAME_MACHINE_RETURN = -1
};

static inline int64_t dame_machine_counter(void)
{
    return 0;
}

#define dame_machine_counter_now dame_machine_counter

static inline int dame_machine_counter_is_steady(void)
{
    return 0;
}

static inline int64_t dame_machine_counter_hz(void)
{
    return 0;
}

static inline uintptr_t dame_machine_pc(const void *context)
{
    (void) context;
    return 0;
}

static inline void dame_machine_model(char *name, size_t room)
{
    (void) snprintf(name, room, "cpu");
}

#endif

#endif
