/* SPDX-License-Identifier: BSD-3-Clause */
/* Bad arguments: each has its status, and a message that names function, argument and value. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "dame/datatype.h"
#include "test/unit/suites.h"

static dame_context_t *context;
static dame_datatype_t *real; /* float64 */
static dame_datatype_t *out;

static void setup(void)
{
    ck_assert_int_eq(dame_context_new(NULL, &context), DAME_OK);
    ck_assert_int_eq(dame_datatype_basic(context, "double", 0, &real), DAME_OK);
}

static void teardown(void)
{
    dame_datatype_free(real);
    dame_context_free(context);
}

/* The call fails so, and says so. */
#define REFUSED(status, text, ...)                                                                 \
    do {                                                                                           \
        out = NULL;                                                                                \
        ck_assert_int_eq((__VA_ARGS__), status);                                                   \
        ck_assert_str_eq(dame_error_message(), text);                                              \
        ck_assert_ptr_null(out);                                                                   \
    } while (0)
#define ARGUMENT(text, ...) REFUSED(DAME_ERR_ARGUMENT, text, __VA_ARGS__)
#define RANGE(text, ...)    REFUSED(DAME_ERR_RANGE, text, __VA_ARGS__)

TEST(missing_arguments_are_named)
{
    const int64_t one[] = {1};
    ARGUMENT("dame_context_new: out is NULL", dame_context_new(NULL, NULL));
    ARGUMENT("dame_datatype_basic: context is NULL", dame_datatype_basic(NULL, "int", 0, &out));
    ARGUMENT("dame_datatype_basic: name is NULL", dame_datatype_basic(context, NULL, 0, &out));
    ARGUMENT("dame_datatype_basic: out is NULL", dame_datatype_basic(context, "int", 0, NULL));
    ARGUMENT("dame_datatype_contiguous: old is NULL", dame_datatype_contiguous(1, NULL, &out));
    ARGUMENT("dame_datatype_contiguous: out is NULL", dame_datatype_contiguous(1, real, NULL));
    ARGUMENT("dame_datatype_vector: old is NULL", dame_datatype_vector(1, 1, 1, NULL, &out));
    ARGUMENT("dame_datatype_hvector: out is NULL", dame_datatype_hvector(1, 1, 1, real, NULL));
    ARGUMENT("dame_datatype_indexed: old is NULL", dame_datatype_indexed(1, one, one, NULL, &out));
    ARGUMENT("dame_datatype_hindexed_block: out is NULL",
             dame_datatype_hindexed_block(1, 1, one, real, NULL));
    ARGUMENT("dame_datatype_struct: context is NULL",
             dame_datatype_struct(NULL, 0, NULL, NULL, NULL, &out));
    ARGUMENT("dame_datatype_resized: old is NULL", dame_datatype_resized(0, 1, NULL, &out));
    ARGUMENT("dame_datatype_dup: old is NULL", dame_datatype_dup(NULL, &out));
    ARGUMENT("dame_datatype_subarray: sizes is NULL",
             dame_datatype_subarray(1, NULL, one, one, DAME_ORDER_C, real, &out));
    ARGUMENT("dame_datatype_parse: text is NULL",
             dame_datatype_parse(context, NULL, 0, NULL, &out));
    ARGUMENT("dame_datatype_commit: type is NULL", dame_datatype_commit(NULL));
    ARGUMENT("dame_datatype_size: size is NULL", dame_datatype_size(real, NULL));
    ARGUMENT("dame_datatype_extent: type is NULL", dame_datatype_extent(NULL, NULL, NULL));
    ARGUMENT("dame_datatype_true_extent: type is NULL",
             dame_datatype_true_extent(NULL, NULL, NULL));
    ARGUMENT("dame_datatype_print: text is NULL", dame_datatype_print(real, NULL));
    ARGUMENT("dame_datatype_explain: type is NULL", dame_datatype_explain(NULL, NULL));
    ARGUMENT("dame_packed_size: bytes is NULL", dame_packed_size(real, 1, NULL));
    ARGUMENT("dame_context_counter: name is NULL", dame_context_counter(context, NULL, NULL));
    dame_datatype_free(NULL);
    dame_context_free(NULL);
    dame_free(NULL);
}

TEST(numbers_of_constructors_are_checked)
{
    const int64_t lengths[] = {1, -5}, disps[] = {0, 1};
    ARGUMENT("dame_datatype_contiguous: count is -1; it must be 0 or more",
             dame_datatype_contiguous(-1, real, &out));
    ARGUMENT("dame_datatype_vector: blocklength is -3; it must be 0 or more",
             dame_datatype_vector(2, -3, 1, real, &out));
    ARGUMENT("dame_datatype_hvector: count is -9223372036854775808; it must be 0 or more",
             dame_datatype_hvector(INT64_MIN, 1, 1, real, &out));
    ARGUMENT("dame_datatype_indexed: blocklengths[1] is -5; it must be 0 or more",
             dame_datatype_indexed(2, lengths, disps, real, &out));
    ARGUMENT("dame_datatype_hindexed: displacements is NULL, but count is 1",
             dame_datatype_hindexed(1, lengths, NULL, real, &out));
    ARGUMENT("dame_datatype_indexed_block: count is -2; it must be 0 or more",
             dame_datatype_indexed_block(-2, 1, disps, real, &out));
    ARGUMENT("dame_datatype_struct: types is NULL, but count is 1",
             dame_datatype_struct(context, 1, lengths, disps, NULL, &out));
    REFUSED(DAME_ERR_NOMEM, "dame_datatype_indexed_block: out of memory",
            dame_datatype_indexed_block(INT64_MAX, 1, disps, real, &out));
    REFUSED(DAME_ERR_NOMEM, "dame_datatype_hindexed_block: out of memory",
            dame_datatype_hindexed_block(INT64_MAX / 8, 1, disps, real, &out));
}

TEST(sizes_and_bounds_beyond_64_bits_are_refused)
{
    const int64_t far[] = {INT64_MAX / 4};
    RANGE("dame_datatype_contiguous: the datatype's size or bounds do not fit in 64 bits",
          dame_datatype_contiguous(INT64_MAX, real, &out));
    RANGE("dame_datatype_vector: stride is 4611686018427387904, which times the extent 8 does not "
          "fit in 64 bits",
          dame_datatype_vector(2, 1, (int64_t) 1 << 62, real, &out));
    RANGE("dame_datatype_indexed_block: displacements[0] is 2305843009213693951, which times the "
          "extent 8 does not fit in 64 bits",
          dame_datatype_indexed_block(1, 1, far, real, &out));
    RANGE("dame_datatype_resized: the datatype's size or bounds do not fit in 64 bits",
          dame_datatype_resized(INT64_MAX, 1, real, &out));
    const int64_t sizes[] = {(int64_t) 1 << 40, (int64_t) 1 << 40}, zero[] = {0, 0},
                  part[] = {1, 1};
    RANGE("dame_datatype_subarray: the array's size does not fit in 64 bits",
          dame_datatype_subarray(2, sizes, part, zero, DAME_ORDER_C, real, &out));
}

TEST(names_and_sizes_of_basic_datatypes_are_checked)
{
    ARGUMENT("dame_datatype_basic: name must be 1 to 31 printable ASCII characters",
             dame_datatype_basic(context, "", 4, &out));
    ARGUMENT("dame_datatype_basic: name must be 1 to 31 printable ASCII characters",
             dame_datatype_basic(context, "a name of 32 characters, 1 too lo", 4, &out));
    ARGUMENT("dame_datatype_basic: name must be 1 to 31 printable ASCII characters",
             dame_datatype_basic(context, "tab\there", 4, &out));
    ARGUMENT("dame_datatype_basic: size is 4; \"double\" has 8 bytes (0 means that size)",
             dame_datatype_basic(context, "double", 4, &out));
    ARGUMENT(
        "dame_datatype_basic: size is 0, and \"mine\" is not a known name, so it needs 1 or more",
        dame_datatype_basic(context, "mine", 0, &out));
}

TEST(subarrays_lie_inside_their_array)
{
    const int64_t sizes[] = {4, 5}, sub[] = {2, 3}, starts[] = {0, 3}, zero[] = {0, 0};
    const int64_t large[] = {2, 6}, negative[] = {-1, 5};
    ARGUMENT("dame_datatype_subarray: ndims is 0; it must be 1 or more",
             dame_datatype_subarray(0, sizes, sub, zero, DAME_ORDER_C, real, &out));
    ARGUMENT("dame_datatype_subarray: starts[1] is 3; it must be 0 to sizes[1] - subsizes[1], 2",
             dame_datatype_subarray(2, sizes, sub, starts, DAME_ORDER_C, real, &out));
    ARGUMENT("dame_datatype_subarray: subsizes[1] is 6; it must be 0 to sizes[1], 5",
             dame_datatype_subarray(2, sizes, large, zero, DAME_ORDER_C, real, &out));
    ARGUMENT("dame_datatype_subarray: sizes[0] is -1; it must be 0 or more",
             dame_datatype_subarray(2, negative, sub, zero, DAME_ORDER_C, real, &out));
    ARGUMENT("dame_datatype_subarray: order is 7; it must be DAME_ORDER_C or DAME_ORDER_FORTRAN",
             dame_datatype_subarray(2, sizes, sub, zero, (dame_array_order_t) 7, real, &out));
}

TEST(contexts_do_not_mix)
{
    dame_context_t *other;
    dame_datatype_t *foreign;
    ck_assert_int_eq(dame_context_new(NULL, &other), DAME_OK);
    ck_assert_int_eq(dame_datatype_basic(other, "double", 0, &foreign), DAME_OK);
    const int64_t one[] = {1, 1}, disps[] = {0, 8};
    const dame_datatype_t *both[] = {real, foreign}, *hole[] = {real, NULL};
    double a = 1, b = 2;
    ARGUMENT("dame_datatype_struct: types[1] belongs to another context",
             dame_datatype_struct(context, 2, one, disps, both, &out));
    ARGUMENT("dame_datatype_struct: types[1] is NULL",
             dame_datatype_struct(context, 2, one, disps, hole, &out));
    ARGUMENT("dame_copy: from_type and to_type are of two contexts",
             dame_copy(real, 1, &a, foreign, 1, &b));
    ARGUMENT("dame_datatype_parse: element is of another context",
             dame_datatype_parse(context, "", 0, foreign, &out));
    dame_datatype_free(foreign);
    dame_context_free(other);
}

TEST(messages_are_checked)
{
    double from[4] = {1, 2, 3, 4};
    char packed[32];
    int64_t n = -1, position = 0;
    struct iovec block;
    dame_datatype_t *pair;
    ck_assert_int_eq(dame_datatype_contiguous(2, real, &pair), DAME_OK);
    ARGUMENT("dame_pack: type is not committed; call dame_datatype_commit()",
             dame_pack(pair, 1, from, 0, packed, 16, &n));
    ck_assert_int_eq(dame_datatype_commit(pair), DAME_OK);
    ARGUMENT("dame_pack: type is NULL", dame_pack(NULL, 1, from, 0, packed, 16, &n));
    ARGUMENT("dame_pack: count is -1; it must be 0 or more",
             dame_pack(pair, -1, from, 0, packed, 16, &n));
    RANGE(
        "dame_pack: count is 9223372036854775807, which times the size 16 does not fit in 64 bits",
        dame_pack(pair, INT64_MAX, from, 0, packed, 16, &n));
    ARGUMENT("dame_unpack: position is 17; it must be 0 to the message's 16 bytes",
             dame_unpack(pair, 1, from, 17, packed, 16, &n));
    ARGUMENT("dame_unpack: position is -1; it must be 0 to the message's 16 bytes",
             dame_unpack(pair, 1, from, -1, packed, 16, &n));
    ARGUMENT("dame_pack: length is -8; it must be 0 or more",
             dame_pack(pair, 1, from, 0, packed, -8, &n));
    ARGUMENT("dame_pack: packed is NULL, but 16 bytes are to move",
             dame_pack(pair, 1, from, 0, NULL, 16, &n));
    ARGUMENT("dame_pack_on: neither the message nor packed is in the memory of a device",
             dame_pack_on(pair, 1, from, 0, packed, 16, &n, NULL, NULL));
    ARGUMENT("dame_unpack_on: position is 17; it must be 0 to the message's 16 bytes",
             dame_unpack_on(pair, 1, from, 17, packed, 16, &n, NULL, NULL));
    ARGUMENT("dame_blocks: n is 0; it must be 1 or more",
             dame_blocks(pair, 1, from, &position, &block, 0, &n));
    ARGUMENT("dame_blocks: blocks is NULL", dame_blocks(pair, 1, from, &position, NULL, 1, &n));
    position = 20;
    ARGUMENT("dame_blocks: *position is 20; it must be 0 to the message's 16 bytes",
             dame_blocks(pair, 1, from, &position, &block, 1, &n));
    dame_typemap_entry_t entry;
    position = 3;
    ARGUMENT(
        "dame_datatype_typemap: *position is 3; it must be 0 to the datatype's 2 basic elements",
        dame_datatype_typemap(pair, &position, &entry, 1, &n));
    ARGUMENT("dame_datatype_typemap: entries is NULL",
             dame_datatype_typemap(pair, &position, NULL, 1, &n));
    ck_assert_int_eq(n, -1);
    dame_datatype_free(pair);
}

TEST(a_copy_says_how_the_signatures_differ)
{
    const int64_t one[] = {1, 3}, disps[] = {0, 8};
    dame_datatype_t *number, *particle;
    double from[4] = {0}, to[4];
    ck_assert_int_eq(dame_datatype_basic(context, "int", 0, &number), DAME_OK);
    const dame_datatype_t *types[] = {number, real};
    ck_assert_int_eq(dame_datatype_struct(context, 2, one, disps, types, &particle), DAME_OK);
    ck_assert_int_eq(dame_datatype_commit(particle), DAME_OK);
    REFUSED(DAME_ERR_SIGNATURE,
            "dame_copy: from_type holds 5 x (int32, 3 float64); to_type holds 4 float64",
            dame_copy(particle, 5, from, real, 4, to));
    REFUSED(DAME_ERR_SIGNATURE, "dame_copy: from_type holds 4 float64; to_type holds 8 int32",
            dame_copy(real, 4, from, number, 8, to));
    REFUSED(DAME_ERR_SIGNATURE, "dame_copy: from_type holds 4 float64; to_type holds nothing",
            dame_copy(real, 4, from, number, 0, to));
    dame_datatype_free(number);
    dame_datatype_free(particle);
}

TEST(texts_are_checked)
{
    const char *wrong = "EXIT\n  CONTIGFINAL(x)\nBOTTOM";
    const char *bytes = "EXIT CONTIGFINAL(12) BOTTOM";
    ck_assert_int_eq(dame_datatype_parse(context, wrong, strlen(wrong), NULL, &out), DAME_ERR_TEXT);
    ck_assert_ptr_nonnull(strstr(dame_error_message(), "dame_datatype_parse: line 2, column 15: "));
    int64_t line, column;
    const char *reason = dame_error_reason(&line, &column);
    ck_assert(line == 2 && column == 15);
    ck_assert_str_eq(reason,
                     dame_error_message() + strlen("dame_datatype_parse: line 2, column 15: "));
    ARGUMENT("dame_datatype_parse: a block has 12 bytes, which is not a whole number of float64, 8 "
             "bytes each",
             dame_datatype_parse(context, bytes, strlen(bytes), real, &out));
    reason = dame_error_reason(&line, &column);
    ck_assert(line == 0 && column == 0);
    ck_assert_str_eq(reason,
                     "a block has 12 bytes, which is not a whole number of float64, 8 bytes each");
    ck_assert_str_eq(dame_error_reason(NULL, NULL), reason);
    dame_datatype_t *two;
    ck_assert_int_eq(dame_datatype_contiguous(2, real, &two), DAME_OK);
    ARGUMENT("dame_datatype_parse: element is not a basic datatype",
             dame_datatype_parse(context, bytes, strlen(bytes), two, &out));
    dame_datatype_free(two);
}

TEST(options_of_other_versions_are_told_apart)
{
    struct {
        dame_context_options_t options;
        char later[16];
    } newer = {.options = {.size = sizeof newer}};
    dame_context_t *made;
    ck_assert_int_eq(dame_context_new(&newer.options, &made), DAME_OK);
    dame_context_free(made);
    newer.later[3] = 1;
    ck_assert_int_eq(dame_context_new(&newer.options, &made), DAME_ERR_ARGUMENT);
    char wanted[80];
    snprintf(wanted, sizeof wanted, "options has a field at byte %zu that libdame ",
             sizeof newer.options + 3);
    ck_assert_ptr_nonnull(strstr(dame_error_message(), wanted));
    dame_context_options_t options = {.size = 4};
    ck_assert_int_eq(dame_context_new(&options, &made), DAME_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(dame_error_message(), "options->size is 4; it must be "));
    options = (dame_context_options_t){.size = sizeof options, .fragment = -1};
    ARGUMENT("dame_context_new: options->fragment is -1; it must be 0 or more",
             dame_context_new(&options, &made));
    options = (dame_context_options_t){.size = sizeof options, .passes = "merge,fast"};
    ARGUMENT(
        "dame_context_new: options->passes has \"fast\"; allowed are normalise, merge, pattern, "
        "order, sort, buffer, separated by commas, or all or none alone",
        dame_context_new(&options, &made));
    options.passes = "merge,normalise";
    ck_assert_int_eq(dame_context_new(&options, &made), DAME_OK);
    dame_context_free(made);
}

TEST(options_of_codes_are_checked)
{
    dame_context_t *made;
    dame_context_options_t options = {.size = sizeof options, .threshold = -2};
    ARGUMENT("dame_context_new: options->threshold is -2; it must be -1 to 2147483647",
             dame_context_new(&options, &made));
    options.threshold = INT64_C(1) << 31;
    ARGUMENT("dame_context_new: options->threshold is 2147483648; it must be -1 to 2147483647",
             dame_context_new(&options, &made));
    static const char *const bad[] = {"y", "", "interp,", "x,,l", "interpreter", "X"};
    static const char *const named[] = {"y", "", "", "", "interpreter", "X"};
    for (int i = 0; i < 6; i++) {
        char wanted[160];
        options = (dame_context_options_t){.size = sizeof options, .tiers = bad[i]};
        snprintf(wanted, sizeof wanted,
                 "dame_context_new: options->tiers has \"%s\"; allowed are interp, x and l, "
                 "separated by commas",
                 named[i]);
        ARGUMENT(wanted, dame_context_new(&options, &made));
    }
    options = (dame_context_options_t){.size = sizeof options, .code_dir = "here"};
    ARGUMENT("dame_context_new: options->code_dir is \"here\"; it must be auto, or absolute "
             "directories",
             dame_context_new(&options, &made));
    options = (dame_context_options_t){.size = sizeof options, .tiers = "x,interp,l"};
    ck_assert_int_eq(dame_context_new(&options, &made), DAME_OK);
    dame_context_free(made);
}

TEST(nesting_has_a_limit)
{
    dame_datatype_t *type = real, *next;
    int depth = 0;
    dame_status_t status;
    while ((status = dame_datatype_hvector(1, 1, 1, type, &next)) == DAME_OK) {
        if (depth++ > 0) {
            dame_datatype_free(type);
        }
        type = next;
        ck_assert_int_lt(depth, 1000);
    }
    ck_assert_int_eq(status, DAME_ERR_LIMIT);
    ck_assert_str_eq(dame_error_message(),
                     "dame_datatype_hvector: 901 constructors inside each other, at most 900 are "
                     "allowed");
    ck_assert_int_eq(dame_datatype_commit(type), DAME_OK);
    dame_datatype_free(type);
}

SUITE_OF(arguments, 1, setup, teardown)
