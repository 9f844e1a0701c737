/* SPDX-License-Identifier: BSD-3-Clause */
#include "counted.h"

#include "engine/run.h"
#include "move.h"
#include "sample.h"

static bool opens(dame_begin_t *it, dame_thread_t *base, dame_tally_t *tally, int64_t use)
{
    dt_thread_t *thread = (dt_thread_t *) base;
    if (dt_sample_probe_due(tally, it->work, use)) {
        dt_sample_open_probe(thread, tally, it->work, use);
    }
    return thread->has_probe;
}

/* ---- Messages ------------------------------------------------------------------------------- */

typedef struct message {
    dame_begin_t it; /* first */
    opal_convertor_t *convertor;
    dt_entry_t *entry;
    struct iovec *iov;
    uint32_t *out_size;
} message_t;

static bool is_native(const dame_begin_t *it)
{
    const message_t *message = (const message_t *) it;
    return dt_move_is_native(message->entry, (dame_dir_t) it->work, message->convertor,
                             message->iov, message->out_size);
}

static int64_t move_counted(dame_begin_t *it, dame_thread_t *thread)
{
    const message_t *message = (const message_t *) it;
    const bool begins = message->convertor->bConverted == 0;
    return (int64_t) dt_move((dt_thread_t *) thread, message->convertor, (dame_dir_t) it->work,
                             begins ? message->entry : NULL, message->iov, message->out_size);
}

static void repeat_fragment(dame_begin_t *it, dame_thread_t *thread, int times)
{
    opal_convertor_t *convertor = ((const message_t *) it)->convertor;
    const dame_dir_t dir = (dame_dir_t) it->work;
    const uint32_t flags = convertor->flags;
    for (int i = 0; i < times; i++) {
        if (it->is_native) {
            struct iovec iov = {.iov_base = it->packed, .iov_len = convertor->local_size};
            convertor->flags &= ~(uint32_t) CONVERTOR_COMPLETED;
            convertor->bConverted = 0;
            (void) dt_native_move(convertor, dir, &iov);
        } else {
            dt_move_directly((dt_thread_t *) thread, convertor, dir, it->use->layout->program,
                             it->packed);
        }
    }
    convertor->flags = flags;
    convertor->bConverted = 0;
}

static int64_t sample(dame_begin_t *it, dame_thread_t *thread)
{
    const message_t *message = (const message_t *) it;
    size_t moved;
    return dt_sample_by_native((dt_thread_t *) thread, message->entry, message->convertor,
                               (dame_dir_t) it->work, message->iov, *message->out_size, &moved)
               ? (int64_t) moved
               : -1;
}

static message_t message_of_convertor(const dt_thread_t *thread, opal_convertor_t *convertor,
                                      dame_dir_t dir, dt_entry_t *entry, struct iovec *iov,
                                      uint32_t *out_size)
{
    static const dame_begin_ops_t ops = {move_counted, repeat_fragment, is_native, opens, sample};
    message_t message = {dame_begin(&ops, &entry->use, (dame_work_t) dir,
                                    (int64_t) convertor->local_size, (int64_t) convertor->count,
                                    (uintptr_t) convertor->pBaseBuf,
                                    *out_size > 0 ? iov[0].iov_base : NULL,
                                    dt_move_is_whole(convertor, iov, out_size)),
                         convertor, entry, iov, out_size};
    message.it.in_probe = dt_sample_has_probe(thread);
    return message;
}

int32_t dt_counted_begin(opal_convertor_t *convertor, dame_dir_t dir, dt_entry_t *entry,
                         struct iovec *iov, uint32_t *out_size, size_t *max_data)
{
    dt_thread_t *thread = dt_thread();
    message_t message = message_of_convertor(thread, convertor, dir, entry, iov, out_size);
    const int64_t moved = dame_run_begin(&dt_engine, &thread->base, &message.it);
    return dt_move_end(convertor, (size_t) moved, max_data);
}

int32_t dt_counted_continue(opal_convertor_t *convertor, dame_dir_t dir, struct iovec *iov,
                            uint32_t *out_size, size_t *max_data)
{
    dt_entry_t *entry = dt_table_get(convertor->pDesc);
    dt_thread_t *thread = dt_thread();
    message_t message = message_of_convertor(thread, convertor, dir, entry, iov, out_size);
    const int64_t moved = dame_run_continue(&dt_engine, &thread->base, &message.it);
    return dt_move_end(convertor, (size_t) moved, max_data);
}

/* ---- Local copies --------------------------------------------------------------------------- */

typedef struct copy {
    dame_begin_t it; /* first */
    const opal_datatype_t *datatype;
} copy_t;

static int64_t sample_copy(dame_begin_t *it, dame_thread_t *thread)
{
    return dt_sample_copy_by_native((dt_thread_t *) thread, dame_tally_of(it->use),
                                    ((const copy_t *) it)->datatype, (int32_t) it->count,
                                    it->packed, it->base)
               ? it->bytes
               : -1;
}

void dt_counted_copy(const dt_entry_t *entry, const opal_datatype_t *datatype, int32_t count,
                     char *to, const char *from)
{
    static const dame_begin_ops_t ops = {
        .move = dame_run_copied, .opens = opens, .sample = sample_copy};
    dt_thread_t *thread = dt_thread();
    copy_t copy = {dame_begin(&ops, &entry->use, DAME_WORK_COPY,
                              count * entry->use.layout->program->size, count, (uintptr_t) from, to,
                              false),
                   datatype};
    copy.it.in_probe = dt_sample_has_probe(thread);
    (void) dame_run_begin(&dt_engine, &thread->base, &copy.it);
}
