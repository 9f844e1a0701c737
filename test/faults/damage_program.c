/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's text, read and run as the fuzzer does, which ends the process at anything wrong. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "damage.h"
#include "test/fuzz/harness.h"

static int read_program(int same, char *why, size_t room)
{
    static uint8_t text[1 << 20];
    const int fd = open(damage_path, O_RDONLY);
    const ssize_t size = read(fd, text, sizeof(text));
    close(fd);
    const int moved = size >= 0 ? fuzz_one(text, (size_t) size) : -1;
    snprintf(why, room, "it is refused");
    return same ? moved == 1 : 0 <= moved;
}

const damage_kind_t damage_program = {.name = "program", .read = read_program};
