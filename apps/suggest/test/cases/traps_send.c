/* What looks like a packing loop and is none. The comment at a call is the verdict. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, M = 16 };

static double a[N][M];
static int size;
extern double shared[N];
void change(void);
void look(const double *buffer);
int bound(void);
static void scale(void)
{
    a[1][1] *= 2.0;
}

void break_in_loop(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++) {
        buffer[i] = a[i][0];
        if (i == 5)
            break;
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void continue_in_loop(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++) {
        if (i == 5)
            continue;
        buffer[i] = a[i][0];
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void return_in_loop(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++) {
        if (a[i][1] < 0)
            return;
        buffer[i] = a[i][0];
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void changed_by_callee(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    scale();
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 50 */
}

void changed_before_wait(int n)
{
    double buffer[N];
    MPI_Request request;
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Isend(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* refused 51 */
    a[0][0] = 1.0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void changed_between_two_sends(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* decided */
    a[0][0] = 1.0;
    MPI_Send(buffer, n, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD); /* refused 51 */
}

double read_after_send(int n)
{
    double buffer[N], sum = 0;
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 52 */
    for (int i = 0; i < n; i++)
        sum += buffer[i];
    return sum;
}

void copied_after_send(int n, double *restrict keep)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 52 */
    for (int i = 0; i < n; i++)
        keep[i] = buffer[i];
}

void given_after_send(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* decided keeps */
    look(buffer);
}

/* The bound is another one in every iteration. */
void callee_with_global_bound(void)
{
    double buffer[N];
    for (int i = 0; i < size; i++) {
        buffer[i] = a[i][0];
        change();
    }
    MPI_Send(buffer, size, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 50 */
}

void callee_as_bound(void)
{
    double buffer[N];
    for (int i = 0; i < bound(); i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void source_changed_in_loop(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++) {
        buffer[i] = a[i][0];
        a[i][0] += 1.0;
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void source_written_before_in_loop(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++) {
        a[0][0] = i;
        buffer[i] = a[0][0];
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void source_is_the_loop_variable(int n)
{
    int buffer[N], i;
    for (i = 0; i < n; i++)
        buffer[i] = i;
    MPI_Send(buffer, n, MPI_INT, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void value_through_a_scalar(int n)
{
    double buffer[N], value;
    for (int i = 0; i < n; i++) {
        value = a[i][0];
        buffer[i] = value;
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void aliases(double *buffer, double *source, int n)
{
    for (int i = 0; i < n; i++)
        buffer[i] = source[i];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 55 */
}

void alias_of_one_array(int n)
{
    double *p = &a[0][0], *q = &a[2][0];
    for (int i = 0; i < n; i++)
        p[i] = q[i];
    MPI_Send(p, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 55 */
}

void escaped_buffer(double **out, int n)
{
    double *buffer = malloc(n * sizeof *buffer);
    *out = buffer;
    for (int i = 0; i < n; i++)
        buffer[i] = (*out)[i + 1];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 55 */
}

void volatile_source(volatile double *restrict v, int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = v[i];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void atomic_bound(atomic_int *n)
{
    double buffer[N];
    for (int i = 0; i < *n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void volatile_bound(volatile int *n)
{
    double buffer[N];
    for (int i = 0; i < *n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void int_to_double(const int *restrict from, int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = from[i];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 54 */
}

void double_to_float(int n)
{
    float buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, n, MPI_FLOAT, 1, 0, MPI_COMM_WORLD); /* refused 54 */
}

void float_through_cast(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = (float) a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 54 */
}

void scaled(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0] / 4.0;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 54 */
}

void summed(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    for (int i = 0; i < n; i++)
        buffer[i] += a[i][1];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 54 */
}

void one_changed_afterwards(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    buffer[3] = 0.0;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 54 */
}

void float_index(double x, int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[(int) (x * i)][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 58 */
}

void narrow_index(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = (&a[0][0])[(unsigned char) (i * 100)];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 58 */
}

void narrow_loop_variable(int n)
{
    double buffer[N];
    for (unsigned char i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void unsigned_wrap(unsigned n, unsigned first)
{
    double buffer[N];
    for (unsigned i = 0; i < n; i++)
        buffer[i] = (&a[0][0])[first - 3 + i];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 58 */
}

void unsigned_bound(unsigned n)
{
    double buffer[N];
    for (unsigned i = 1; i < n - 1; i++)
        buffer[i - 1] = a[i][0];
    MPI_Send(buffer, n - 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void signed_with_unsigned_bound(int first, size_t n)
{
    double buffer[N];
    for (int i = first; i < n; i++)
        buffer[i - first] = a[i + 1][0];
    MPI_Send(buffer, n - first, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

struct bits {
    unsigned low : 8, high : 24;
};

void bit_field(const struct bits *restrict from, int n)
{
    unsigned buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = from[i].high;
    MPI_Send(buffer, n, MPI_UNSIGNED, 1, 0, MPI_COMM_WORLD); /* refused any */
}

union either {
    double d;
    long l;
};

void punned(const union either *restrict from, int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = from[i].d;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 58 */
}

void address_of_loop_variable(int n)
{
    double buffer[N];
    int i, *p = &i;
    for (i = 0; i < n; i++) {
        buffer[i] = a[i][0];
        *p += 1;
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void bound_changes_in_loop(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++) {
        buffer[i] = a[i][0];
        n--;
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void step_changes_in_loop(int n)
{
    double buffer[N];
    int i, p = 0;
    for (i = 0; i < n; i++) {
        buffer[p++] = a[i][0];
        i += p;
    }
    MPI_Send(buffer, p, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void bound_in_memory(int *n)
{
    int buffer[N];
    for (int i = 0; i < *n; i++) {
        buffer[i] = n[i + 1];
        *n -= 1;
    }
    MPI_Send(buffer, *n, MPI_INT, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void bound_changed_later(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    n = 3;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 60 */
}

void index_list_changed_later(int n, int *restrict list)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[list[i]][0];
    list[0] = 7;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 60 */
}

void wrong_count(int n)
{
    double buffer[N * 5];
    for (int i = 0; i < n - 1; i++)
        for (int m = 0; m < 5; m++)
            buffer[5 * i + m] = a[i][m];
    MPI_Send(buffer, 5 * n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 6 */
}

void wrong_type(int n)
{
    float buffer[N];
    for (int i = 0; i < n; i++)
        ((double *) buffer)[i] = a[i][0];
    MPI_Send(buffer, n, MPI_FLOAT, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void gap(int n)
{
    double buffer[2 * N];
    for (int i = 0; i < n; i++)
        buffer[2 * i] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 2 */
}

void packed_twice(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[0] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 2 */
}

void two_paths(int n, int flag)
{
    double buffer[N];
    if (flag)
        for (int i = 0; i < n; i++)
            buffer[i] = a[i][0];
    else
        for (int i = 0; i < n; i++)
            buffer[i] = a[i][1];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 59 */
}

void only_sometimes(int n, int flag)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = 0.0;
    if (flag > 2)
        for (int i = 0; i < n; i++)
            buffer[i] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void guarded_by_data(int n)
{
    double buffer[N];
    int p = 0;
    for (int i = 0; i < n; i++)
        if (a[i][1] > 0.5)
            buffer[p++] = a[i][0];
    MPI_Send(buffer, p, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void short_circuit(int n, int flag)
{
    double buffer[N];
    int p = 0;
    for (int i = 0; i < n; i++) {
        buffer[i] = a[i][0];
        flag && p++;
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void in_a_switch(int n, int flag)
{
    double buffer[N];
    switch (flag) {
    case 1:
        for (int i = 0; i < n; i++)
            buffer[i] = a[i][0];
        MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
    }
}

void sent_in_the_loop(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++) {
        MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* none */
        buffer[i] = a[i][0];
    }
}

void packed_once_sent_often(int n, int steps)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    for (int s = 0; s < steps; s++) {
        MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* none */
        a[0][0] += 1.0;
    }
}

void received_into_source(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    MPI_Recv(a[0], n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void pending_receive_into_source(int n)
{
    double buffer[N];
    MPI_Request request;
    MPI_Irecv(a[0], n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request); /* refused 52 */
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void foreign_request(int n, MPI_Request *request)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void no_wait(int n, MPI_Request *request)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    MPI_Isend(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, request); /* refused 57 */
}

void collective_between(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    MPI_Bcast(a[0], n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void pragma_between(int n)
{
    double buffer[N];
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 64 */
}

void conditional_between(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
#ifdef SCALED
    a[0][0] = 3.0;
#endif
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 64 */
}

void const_cast_away(const double *restrict from, int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = from[i];
    *(double *) from = 1.0;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void memory_set_between(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    memset(a, 0, sizeof a);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 50 */
}

void through_a_pointer(int n)
{
    double buffer[N], *p = &a[0][3];
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    *p = 3.0;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void buffer_written_through_a_pointer(int n)
{
    double buffer[N], *p = buffer + 2;
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    *p = 3.0;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 54 */
}

void function_pointer(int n, void (*hook)(void))
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    hook();
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 50 */
}

void two_negative_trips(int n, const double *restrict from)
{
    double buffer[N], *b = buffer;
    const double *f = from;
    for (int i = 0; i < n; i++)
        *b++ = *f++;
    for (int i = 0; i < 3; i++)
        *b++ = *f++;
    MPI_Send(buffer, b - buffer, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 60 */
}

void do_loop(int n)
{
    double buffer[N];
    int i = 0;
    do {
        buffer[i] = a[0][i];
        i++;
    } while (i < n);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void condition_with_effect(int n)
{
    double buffer[N];
    int i = 0;
    while (i++ < n)
        buffer[i - 1] = a[0][i];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}

void shadowed_size(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    {
        int n = 3;
        MPI_Send(buffer, n + 9, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
    }
}

static double global_buffer[N];

double read_by_another_function(void)
{
    return global_buffer[2];
}

void static_buffer(int n)
{
    for (int i = 0; i < n; i++)
        global_buffer[i] = a[i][0];
    MPI_Send(global_buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* decided keeps */
}

void goto_around(int n)
{
    double buffer[N];
    int i = 0;
again: /* refused 63 */
    buffer[i] = a[i][0];
    if (++i < n)
        goto again;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
}

void array_parameters(double buffer[N], double from[N], int n)
{
    for (int i = 0; i < n; i++)
        buffer[i] = from[i];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 55 */
}

void variable_array_parameters(int n, double buffer[n][n], double from[n][n])
{
    for (int i = 0; i < n; i++)
        buffer[0][i] = from[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 55 */
}

void array_parameter_and_global(double from[N], int n)
{
    for (int i = 0; i < n; i++)
        global_buffer[i] = from[i];
    MPI_Send(global_buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* decided keeps */
}

double shared_buffer[N];

void array_parameter_and_extern(double from[N], int n)
{
    for (int i = 0; i < n; i++)
        shared_buffer[i] = from[i];
    MPI_Send(shared_buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 55 */
}

void persistent_receive(int n)
{
    double buffer[N];
    MPI_Request request;
    MPI_Recv_init(a[0], n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    for (int i = 0; i < n; i++)
        buffer[i] = a[0][i];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void effect_in_a_condition(int n)
{
    double buffer[N];
    int p = 0;
    if (p++ > n)
        p = 0;
    for (int i = 0; i < n; i++)
        buffer[i] = a[p][i];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void effect_in_a_subscript(int n)
{
    double buffer[N];
    int lengths[3] = {1, 2, 3}, p = 0, q;
    q = lengths[p++];
    for (int i = 0; i < n; i++)
        buffer[i] = a[p][i + q - q];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void chained(int n)
{
    double buffer[N], x = 0;
    for (int i = 0; i < n; i++)
        x = buffer[i] = a[0][i];
    a[0][0] = x;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void swapped_pointers(double *restrict from, int n)
{
    double b[N], c[N], *p = b, *q = c, *swap;
    for (int i = 0; i < n; i++)
        p[i] = from[i];
    swap = p;
    p = q;
    q = swap;
    MPI_Send(p, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* none */
    MPI_Send(q, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* decided keeps */
}

void variable_length_changed(int n, int m)
{
    double v[n][m], buffer[N];
    m = 3;
    for (int i = 0; i < n; i++)
        buffer[i] = v[i][1];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 60 */
}

void written_in_another_order(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++) {
        a[0][i + 1] = 1.0;
        buffer[i] = a[0][i];
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 51 */
}

void size_read_from_what_changes(struct bits *restrict b, int *restrict n)
{
    double buffer[N];
    for (int i = 0; i < n[0]; i++)
        buffer[i] = a[0][i];
    n[0] = 4;
    (void) b;
    MPI_Send(buffer, n[0], MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused any */
}

void shadowed_source(int n)
{
    double buffer[N];
    {
        double a[N] = {1.0};
        for (int i = 0; i < n; i++)
            buffer[i] = a[i];
    }
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 60 */
}

void moved_source(int n, double *from)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = from[i];
    from = from + 1;
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 60 */
}

double read_through_another_pointer(int n)
{
    double buffer[N], *q = buffer;
    for (int i = 0; i < n; i++)
        buffer[i] = a[i][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 52 */
    return q[2];
}

void condition_changed(int n, int flag)
{
    double buffer[N];
    if (flag)
        for (int i = 0; i < n; i++)
            buffer[i] = a[i][0];
    flag = 1;
    if (flag)
        MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 59 */
}

void remainder_in_a_subscript(int n)
{
    double buffer[N];
    for (int i = 0; i < n; i++)
        buffer[i] = a[i % 2][0];
    MPI_Send(buffer, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 58 */
}

void two_variables_meet(int n)
{
    double buffer[N];
    for (int i = 0, j = n; i < j; i++, j--)
        buffer[i] = a[i][0];
    MPI_Send(buffer, n / 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* refused 53 */
}
