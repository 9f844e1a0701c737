/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

#include "base/heap.h"
#include "jit/g/image.h"
#include "jit/g/launch.h"

/* ---- Code ----------------------------------------------------------------------------------- */

static dame_status_t load(const dame_kernel_source_t *source, const dame_program_t *program,
                          dame_dir_t dir, cu_module_t *module, cu_result_t *error)
{
    const dame_driver_t *driver = source->driver;
    const bool is_host = driver->load_host_code != NULL;
    const dame_candidate_t candidate = {
        source->provider, DAME_GRID_VARIANT + (is_host ? DAME_GRID_HOST : DAME_GRID_PTX)};
    char *bytes;
    size_t size;
    uint32_t entry;
    const dame_status_t status =
        dame_jit_copy(source->jit, program, dir, &candidate, &bytes, &size, &entry);
    if (status != DAME_OK) {
        return status == DAME_ERR_NOMEM ? status : DAME_ERR_UNSUPPORTED;
    }
    *error =
        is_host ? driver->load_host_code(module, bytes, size, entry) : driver->load(module, bytes);
    dame_heap_free(bytes);
    return *error == 0 ? DAME_OK : DAME_ERR_DEVICE;
}

/* Gives a kernel its function for a direction. */
static dame_status_t open_function(const dame_kernel_source_t *source,
                                   const dame_program_t *program, dame_dir_t dir,
                                   dame_kernel_t *kernel, cu_result_t *error)
{
    dame_status_t status = DAME_OK;
    if (kernel->modules[dir] == NULL) {
        status = load(source, program, dir, &kernel->modules[dir], error);
    }
    if (status == DAME_OK) {
        *error = source->driver->function(&kernel->functions[dir], kernel->modules[dir],
                                          DAME_GRID_FUNCTION);
        status = *error == 0 ? DAME_OK : DAME_ERR_DEVICE;
    }
    return status;
}

/* ---- Images --------------------------------------------------------------------------------- */

static dame_status_t put_image(const dame_driver_t *driver, const dame_program_t *program,
                               dame_kernel_t *kernel, cu_result_t *error)
{
    const size_t size = dame_grid_image_size(program);
    void *image = dame_heap_alloc(size);
    if (image == NULL) {
        return DAME_ERR_NOMEM;
    }
    dame_grid_image_write(program, image);
    *error = driver->alloc(&kernel->image, size);
    if (*error == 0) {
        *error = driver->copy(kernel->image, (uintptr_t) image, size, NULL);
    }
    if (*error == 0) {
        *error = driver->wait(NULL);
    }
    dame_heap_free(image);
    return *error == 0 ? DAME_OK : DAME_ERR_DEVICE;
}

/* ---- Both ----------------------------------------------------------------------------------- */

static void end_kernel(const dame_driver_t *driver, dame_kernel_t *kernel)
{
    cu_context_t before;
    if (driver->push(kernel->context) == 0) { /* else the context has ended, and all of it */
        for (int dir = 0; dir < 2; dir++) {
            if (kernel->modules[dir] != NULL) {
                (void) driver->unload(kernel->modules[dir]);
            }
        }
        if (kernel->image != 0) {
            (void) driver->free(kernel->image);
        }
        (void) driver->pop(&before);
    }
    dame_heap_free(kernel);
}

static dame_status_t new_kernel(const dame_kernel_source_t *source, dame_kernels_t *kernels,
                                const dame_program_t *program, cu_context_t context,
                                dame_kernel_t **out, cu_result_t *error)
{
    dame_kernel_t *kernel = dame_heap_zalloc(sizeof(*kernel));
    if (kernel == NULL) {
        return DAME_ERR_NOMEM;
    }
    kernel->context = context;
    const dame_status_t status = put_image(source->driver, program, kernel, error);
    if (status != DAME_OK) {
        end_kernel(source->driver, kernel);
        return status;
    }
    kernels->grain = dame_grid_grain(program);
    kernel->next = kernels->first;
    kernels->first = kernel;
    *out = kernel;
    return DAME_OK;
}

static dame_kernel_t *find_kernel(const dame_kernels_t *kernels, cu_context_t context)
{
    dame_kernel_t *kernel = kernels->first;
    while (kernel != NULL && context != kernel->context) {
        kernel = kernel->next;
    }
    return kernel;
}

bool dame_kernel_is_there(const dame_kernels_t *kernels, dame_dir_t dir, cu_context_t context)
{
    const dame_kernel_t *kernel = find_kernel(kernels, context);
    return kernel != NULL && kernel->functions[dir] != NULL;
}

dame_kernel_t *dame_kernel_get(const dame_kernel_source_t *source, dame_kernels_t *kernels,
                               const dame_program_t *program, dame_dir_t dir, cu_context_t context)
{
    dame_kernel_t *kernel = find_kernel(kernels, context);
    cu_result_t error = 0;
    if (kernels->is_hopeless || (kernel == NULL && new_kernel(source, kernels, program, context,
                                                              &kernel, &error) != DAME_OK)) {
        return NULL;
    }
    const dame_status_t status = kernel->functions[dir] == NULL
                                     ? open_function(source, program, dir, kernel, &error)
                                     : DAME_OK;
    kernels->is_hopeless = status != DAME_OK && status != DAME_ERR_NOMEM;
    return status == DAME_OK ? kernel : NULL;
}

cu_result_t dame_kernel_launch(const dame_driver_t *driver, const dame_kernels_t *kernels,
                               const dame_kernel_t *kernel, dame_dir_t dir, uint64_t base,
                               uint64_t packed, int64_t first, int64_t last, cu_stream_t stream)
{
    dame_grid_arguments_t a = {base, packed, first, last, kernel->image, 0};
    const int64_t pieces =
        dame_grid_pieces(kernels->grain, base, packed, first, last, &a.log2_width);
    const int64_t blocks = (pieces + DAME_GRID_BLOCK - 1) / DAME_GRID_BLOCK;
    void *arguments[] = {&a.base, &a.packed, &a.first, &a.last, &a.image, &a.log2_width};
    return driver->launch(kernel->functions[dir], (unsigned) blocks, 1, 1, DAME_GRID_BLOCK, 1, 1, 0,
                          stream, arguments, NULL);
}

void dame_kernels_end(const dame_driver_t *driver, dame_kernels_t *kernels)
{
    while (kernels->first != NULL) {
        dame_kernel_t *kernel = kernels->first;
        kernels->first = kernel->next;
        end_kernel(driver, kernel);
    }
}
