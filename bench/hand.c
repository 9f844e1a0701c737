/* SPDX-License-Identifier: BSD-3-Clause */
/* Pack and unpack by the loops of hand_loops.h. */
#include "hand.h"

#include <string.h>

#define WAY(name) hand_##name##_pack(const void *plan, void *packed)
#define USER      const
#define PACKED
#define ROWS                            pack_rows
#define MOVE(stream, user)              ((stream) = (user))
#define MOVE_BYTES(stream, user, bytes) memcpy(stream, user, bytes)
/* A loop: gcc makes slower code of memcpy here. */
#define MOVE_THREE(stream, user)                                                                   \
    for (size_t c = 0; c < 3; c++) {                                                               \
        (stream)[c] = (user)[c];                                                                   \
    }
#include "hand_loops.h"

#undef WAY
#undef USER
#undef PACKED
#undef ROWS
#undef MOVE
#undef MOVE_BYTES
#undef MOVE_THREE
#define WAY(name) hand_##name##_unpack(const void *plan, const void *packed)
#define USER
#define PACKED                          const
#define ROWS                            unpack_rows
#define MOVE(stream, user)              ((user) = (stream))
#define MOVE_BYTES(stream, user, bytes) memcpy(user, stream, bytes)
#define MOVE_THREE(stream, user)        memcpy(user, stream, 3 * sizeof(*(user)))
#include "hand_loops.h"
