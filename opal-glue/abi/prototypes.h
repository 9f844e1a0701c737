/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions and variables of libopen-pal and libmpi (libopen_mpi in 6.0) that DAME uses: the same
 * in all series except where datatypes.h differs. Included by abi.h; facts_internal.c after
 * Open MPI's own headers, so that the compiler compares the two.
 */
#ifndef DT_ABI_PROTOTYPES_H
#define DT_ABI_PROTOTYPES_H

/* ---- MPI ------------------------------------------------------------------------------------ */

/*
 * How components call MPI: DT_ABI_MPI(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank). From 6.0 on a program
 * may be linked with the standard's libmpi_abi. Its functions come first and do not understand
 * mpi.h's handles; those of libmpi do.
 */
#if OMPI_MAJOR_VERSION >= 6
void *dt_abi_mpi_function(const char *name);
#define DT_ABI_MPI(function) ((__typeof__(&function)) dt_abi_mpi_function(#function))
#else
#define DT_ABI_MPI(function) function
#endif

/* ---- Objects (opal/class/) ------------------------------------------------------------------ */

extern opal_class_t opal_object_t_class;
extern opal_class_t opal_list_t_class;
extern opal_class_t opal_list_item_t_class;
extern opal_class_t opal_datatype_t_class;
extern opal_class_t ompi_datatype_t_class;
extern opal_class_t opal_convertor_t_class;
extern opal_class_t mca_base_var_t_class;
extern opal_class_t mca_base_var_enum_t_class;
extern opal_class_t opal_info_component_map_t_class;

void opal_class_initialize(opal_class_t *class);
int opal_pointer_array_add(opal_pointer_array_t *array, void *item);

/* ---- Datatypes and convertors (opal/datatype/, ompi/datatype/) ------------------------------ */

extern const opal_datatype_t *opal_datatype_basicDatatypes[];
extern uint32_t opal_local_arch;
extern opal_convertor_t *ompi_mpi_local_convertor; /* NULL before MPI_Init has come to it */

opal_datatype_t *opal_datatype_create(dt_abi_desc_count_t items);
int32_t opal_datatype_add(opal_datatype_t *to, const opal_datatype_t *type, size_t count,
                          ptrdiff_t disp, ptrdiff_t extent);
int32_t opal_datatype_resize(opal_datatype_t *type, ptrdiff_t lb, ptrdiff_t extent);
int32_t opal_datatype_commit(opal_datatype_t *type);
int32_t opal_datatype_destroy(opal_datatype_t **type);
int32_t opal_datatype_copy_content_same_ddt(const opal_datatype_t *type, int32_t count, char *to,
                                            char *from);
int32_t ompi_datatype_get_args(DT_ABI_GET_ARGS_ARGUMENTS);

opal_convertor_t *opal_convertor_create(int32_t remote_arch, int32_t mode);
int32_t opal_convertor_prepare_for_send(opal_convertor_t *convertor,
                                        const struct opal_datatype_t *type, size_t count,
                                        const void *buffer);
int32_t opal_convertor_prepare_for_recv(opal_convertor_t *convertor,
                                        const struct opal_datatype_t *type, size_t count,
                                        const void *buffer);
int32_t opal_convertor_pack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                            size_t *max_data);
int32_t opal_convertor_unpack(opal_convertor_t *convertor, struct iovec *iov, uint32_t *out_size,
                              size_t *max_data);
int32_t opal_convertor_raw(opal_convertor_t *convertor, struct iovec *iov, uint32_t *iov_count,
                           size_t *length);
int opal_convertor_clone(const opal_convertor_t *source, opal_convertor_t *destination,
                         int32_t copy_stack);

/* ---- Callbacks of MPI_Init and MPI_Finalize (ompi/mca/hook/base/base.h) ---------------------- */

extern mca_base_framework_t ompi_hook_base_framework;
int ompi_hook_base_register_callbacks(ompi_hook_base_component_t *callbacks);
int ompi_hook_base_deregister_callbacks(ompi_hook_base_component_t *callbacks);

/* ---- Components, parameters, performance variables (opal/mca/base/) ------------------------- */

int mca_base_framework_register(struct mca_base_framework_t *framework,
                                mca_base_register_flag_t flags);
int mca_base_framework_open(struct mca_base_framework_t *framework, mca_base_open_flag_t flags);
int mca_base_framework_close(struct mca_base_framework_t *framework);
bool mca_base_framework_is_registered(struct mca_base_framework_t *framework);
int mca_base_select(const char *type_name, int output_id, opal_list_t *components_available,
                    mca_base_module_t **best_module, mca_base_component_t **best_component,
                    int *priority_out);

extern mca_base_framework_t opal_dl_base_framework;
extern mca_base_var_enum_t mca_base_var_enum_bool;

int mca_base_component_var_register(const mca_base_component_t *component, const char *name,
                                    const char *description, mca_base_var_type_t type,
                                    mca_base_var_enum_t *enumerator, int bind,
                                    mca_base_var_flag_t flags, mca_base_var_info_lvl_t level,
                                    mca_base_var_scope_t scope, void *storage);
int mca_base_var_find(const char *project, const char *framework, const char *component,
                      const char *name);
int mca_base_var_register(const char *project, const char *framework, const char *component,
                          const char *name, const char *description, mca_base_var_type_t type,
                          mca_base_var_enum_t *enumerator, int bind, mca_base_var_flag_t flags,
                          mca_base_var_info_lvl_t level, mca_base_var_scope_t scope, void *storage);
int mca_base_var_find_by_name(const char *full_name, int *index);
int mca_base_var_get_count(void);
int mca_base_var_get(int index, const mca_base_var_t **variable);
int mca_base_var_get_value(int index, const void *value, mca_base_var_source_t *source,
                           const char **source_file);
int mca_base_var_set_value(int index, const void *value, size_t size, mca_base_var_source_t source,
                           const char *source_file);
int mca_base_var_set_flag(int index, mca_base_var_flag_t flag, bool set);

int mca_base_component_pvar_register(const mca_base_component_t *component, const char *name,
                                     const char *description, mca_base_var_info_lvl_t level,
                                     int var_class, mca_base_var_type_t type,
                                     mca_base_var_enum_t *enumerator, int bind,
                                     mca_base_pvar_flag_t flags, mca_base_get_value_fn_t get,
                                     mca_base_set_value_fn_t set, mca_base_notify_fn_t notify,
                                     void *ctx);
int mca_base_pvar_get(int index, const mca_base_pvar_t **pvar);

/* ---- ompi_info (opal/runtime/opal_info_support.h) ------------------------------------------- */

void opal_info_do_params(bool want_all, bool want_internal, opal_pointer_array_t *types,
                         opal_pointer_array_t *component_map, opal_cmd_line_t *cmd_line);
void opal_info_show_component_version(opal_pointer_array_t *types,
                                      opal_pointer_array_t *component_map, const char *type_name,
                                      const char *component_name, const char *scope,
                                      const char *ver_type);

/* ---- Messages, and the process (opal/util/) ------------------------------------------------- */

struct opal_output_stream_t;
int opal_output_open(struct opal_output_stream_t *stream); /* NULL: standard error */
void opal_output_close(int stream);
void opal_output_set_verbosity(int stream, int level);
int opal_output_get_verbosity(int stream); /* -1: no such stream */
void opal_output(int stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

opal_proc_t *opal_proc_local_get(void);

/* ---- MPI_Init (ompi/runtime/) --------------------------------------------------------------- */

/* From 5.0 on it is declared as atomic, which the compiler takes for another type. */
#if !defined(DT_ABI_INTERNAL) || OMPI_MAJOR_VERSION < 5
extern volatile int32_t ompi_mpi_state __attribute__((weak));
#endif
int ompi_info_register_framework_params(opal_pointer_array_t *component_map) __attribute__((weak));

#endif
