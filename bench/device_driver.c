/* SPDX-License-Identifier: BSD-3-Clause */
#include "device_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

driver_t cu;

static int has_driver(void)
{
    static const char *const names[] = {"cuInit",
                                        "cuDeviceGet",
                                        "cuDeviceGetName",
                                        "cuDevicePrimaryCtxRetain",
                                        "cuCtxSetCurrent",
                                        "cuMemAlloc_v2",
                                        "cuMemHostAlloc",
                                        "cuMemcpyHtoD_v2",
                                        "cuMemcpyDtoH_v2",
                                        "cuMemcpyAsync",
                                        "cuMemcpy2DAsync_v2",
                                        "cuModuleLoadData",
                                        "cuModuleGetFunction",
                                        "cuLaunchKernel",
                                        "cuStreamSynchronize",
                                        "cuEventCreate",
                                        "cuEventRecord",
                                        "cuEventElapsedTime"};
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    for (size_t i = 0; library != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        void *found = dlsym(library, names[i]);
        if (found == NULL) {
            fprintf(stderr, "libcuda.so.1 has no %s\n", names[i]);
            return 0;
        }
        memcpy((char *) &cu + i * sizeof(found), &found, sizeof(found));
    }
    return library != NULL;
}

void need(int result, const char *what)
{
    if (result != 0) {
        fprintf(stderr, "%s: the driver reports error %d\n", what, result);
        exit(1);
    }
}

address_t on_device(size_t bytes)
{
    address_t address;
    need(cu.alloc(&address, bytes), "memory");
    return address;
}

void *address_of(address_t address)
{
    return (void *) (uintptr_t) address;
}

/* ---- Kernels by hand: a thread moves 8 bytes ------------------------------------------------- */

#define START                                                                                      \
    ".reg .pred %p; .reg .b32 %r<12>; .reg .b64 %d<16>;\n"                                         \
    "ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"   \
    "mad.lo.u32 %r5, %r2, %r3, %r4; setp.ge.u32 %p, %r5, %r1; @%p ret;\n"                          \
    "ld.param.u64 %d1, [user]; ld.param.u64 %d2, [packed]; ld.param.u32 %r6, [width];\n"           \
    "div.u32 %r7, %r5, %r6; mul.lo.u32 %r8, %r7, %r6; sub.u32 %r8, %r5, %r8;\n"                    \
    "mul.wide.u32 %d3, %r8, 8; add.u64 %d1, %d1, %d3;\n"
#define PLACE                                                                                      \
    "ld.param.u32 %r9, [rows]; div.u32 %r10, %r7, %r9; mul.lo.u32 %r11, %r10, %r9;\n"              \
    "sub.u32 %r11, %r7, %r11; ld.param.u64 %d4, [row]; ld.param.u64 %d5, [plane];\n"               \
    "cvt.u64.u32 %d6, %r11; mad.lo.u64 %d1, %d6, %d4, %d1;\n"                                      \
    "cvt.u64.u32 %d7, %r10; mad.lo.u64 %d1, %d7, %d5, %d1;\n"
#define STREAM "mul.wide.u32 %d9, %r5, 8; add.u64 %d2, %d2, %d9;\n"
#define TO     "ld.global.b64 %d10, [%d1]; st.global.b64 [%d2], %d10; ret;\n"
#define BACK   "ld.global.b64 %d10, [%d2]; st.global.b64 [%d1], %d10; ret;\n"
#define BOX(name)                                                                                  \
    ".visible .entry " name "(.param .u64 user, .param .u64 packed, .param .u32 n,\n"              \
    ".param .u32 width, .param .u32 rows, .param .u64 row, .param .u64 plane)\n{\n" START PLACE    \
        STREAM

static const char by_hand[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n" BOX("box") TO "}\n" BOX("box_back") BACK
    "}\n"
    ".visible .entry list(.param .u64 user, .param .u64 packed, .param .u32 n, .param .u32 width,\n"
    ".param .u64 disps)\n{\n" START
    "ld.param.u64 %d4, [disps]; mul.wide.u32 %d5, %r7, 8; add.u64 %d4, %d4, %d5;\n"
    "ld.global.b64 %d6, [%d4]; add.u64 %d1, %d1, %d6;\n" STREAM TO "}\n";

void *box, *box_back, *list;

static void load_hand(void)
{
    void *module;
    if (cu.load(&module, by_hand) != 0 || cu.function(&box, module, "box") != 0 ||
        cu.function(&box_back, module, "box_back") != 0 ||
        cu.function(&list, module, "list") != 0) {
        box = box_back = list = NULL;
    }
}

int device_open(const char *title)
{
    int device;
    char name[100] = "";
    void *context;
    if (!has_driver() || cu.init(0) != 0 || cu.get(&device, 0) != 0) {
        return 0;
    }
    need(cu.name(name, sizeof(name), device), "its name");
    need(cu.retain(&context, device), "a context");
    need(cu.current(context), "a context");
    load_hand();
    if (title != NULL) {
        printf("%s%s\n", title, name);
    }
    return 1;
}
