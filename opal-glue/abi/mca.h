/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Components, frameworks, parameters and performance variables: the same in all series except where
 * datatypes.h differs (opal/mca/mca.h, opal/mca/base/, ompi/mca/hook/hook.h,
 * opal/runtime/opal_info_support.h, opal/util/proc.h). Included by abi.h.
 */
#ifndef DT_ABI_MCA_H
#define DT_ABI_MCA_H

/* ---- Components ----------------------------------------------------------------------------- */

typedef struct mca_base_module_2_0_0_t {
    int dummy_value;
} mca_base_module_t;

/* The version of this structure is 2.1.0. */
typedef struct mca_base_component_2_1_0_t {
    int mca_major_version;
    int mca_minor_version;
    int mca_release_version;
    char mca_project_name[16];
    int mca_project_major_version;
    int mca_project_minor_version;
    int mca_project_release_version;
    char mca_type_name[32];
    int mca_type_major_version;
    int mca_type_minor_version;
    int mca_type_release_version;
    char mca_component_name[64];
    int mca_component_major_version;
    int mca_component_minor_version;
    int mca_component_release_version;
    int (*mca_open_component)(void);
    int (*mca_close_component)(void);
    int (*mca_query_component)(mca_base_module_t **module, int *priority);
    int (*mca_register_component_params)(void);
    int32_t mca_component_flags;
    char reserved[28];
} mca_base_component_t;

typedef struct mca_base_component_data_2_0_0_t {
    uint32_t param_field;
    char reserved[32];
} mca_base_component_data_t;

/* Values of param_field. */
enum { MCA_BASE_METADATA_PARAM_NONE = 0x00, MCA_BASE_METADATA_PARAM_CHECKPOINT = 0x02 };

#define DT_ABI_VERSION(level, major, minor, release)                                               \
    .mca_##level##_major_version = (major), .mca_##level##_minor_version = (minor),                \
    .mca_##level##_release_version = (release)

/* The first fields of a component of this owner's framework `name`, with an interface of this
 * version. */
#define DT_ABI_COMPONENT(owner, name, major, minor, release)                                       \
    .mca_major_version = 2, .mca_minor_version = 1, .mca_release_version = 0,                      \
    .mca_project_name = (owner),                                                                   \
    DT_ABI_VERSION(project, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION),         \
    .mca_type_name = (name), DT_ABI_VERSION(type, major, minor, release)

typedef void (*dt_abi_flag_hook_t)(int *flag);
typedef void (*dt_abi_thread_hook_t)(int *argc, char ***argv, int required, int *provided);
typedef void (*dt_abi_init_hook_t)(int argc, char **argv, int requested, int *provided);
typedef void (*dt_abi_finalize_hook_t)(void);

/* Version 1.0.0 of the framework "hook". */
typedef struct ompi_hook_base_component_1_0_0_t {
    mca_base_component_t hookm_version;
    mca_base_component_data_t hookm_data;
    dt_abi_flag_hook_t hookm_mpi_initialized_top;
    dt_abi_flag_hook_t hookm_mpi_initialized_bottom;
    dt_abi_thread_hook_t hookm_mpi_init_thread_top;
    dt_abi_thread_hook_t hookm_mpi_init_thread_bottom;
    dt_abi_flag_hook_t hookm_mpi_finalized_top;
    dt_abi_flag_hook_t hookm_mpi_finalized_bottom;
    dt_abi_init_hook_t hookm_mpi_init_top;
    dt_abi_init_hook_t hookm_mpi_init_top_post_opal;
    dt_abi_init_hook_t hookm_mpi_init_bottom;
    dt_abi_init_hook_t hookm_mpi_init_error;
    dt_abi_finalize_hook_t hookm_mpi_finalize_top;
    dt_abi_finalize_hook_t hookm_mpi_finalize_bottom;
} ompi_hook_base_component_t;

/* ---- Frameworks ----------------------------------------------------------------------------- */

typedef enum mca_base_register_flag_t { MCA_BASE_REGISTER_DEFAULT = 0 } mca_base_register_flag_t;
typedef enum mca_base_open_flag_t { MCA_BASE_OPEN_DEFAULT = 0 } mca_base_open_flag_t;
enum { MCA_BASE_FRAMEWORK_FLAG_REGISTERED = 2, MCA_BASE_FRAMEWORK_FLAG_OPEN = 8 };

typedef struct mca_base_framework_t {
    char *framework_project;
    char *framework_name;
    const char *framework_description;
    int (*framework_register)(mca_base_register_flag_t flags);
    int (*framework_open)(mca_base_open_flag_t flags);
    int (*framework_close)(void);
    unsigned int framework_flags;
    int framework_refcnt;
    dt_abi_static_components_t framework_static_components;
    char *framework_selection;
    int framework_verbose;
    int framework_output;
    opal_list_t framework_components;
    opal_list_t framework_failed_components;
} mca_base_framework_t;

typedef struct mca_base_component_list_item_t {
    opal_list_item_t super;
    const mca_base_component_t *cli_component;
} mca_base_component_list_item_t;

/* ---- Parameters ----------------------------------------------------------------------------- */

typedef enum {
    MCA_BASE_VAR_TYPE_INT,
    MCA_BASE_VAR_TYPE_UNSIGNED_INT,
    MCA_BASE_VAR_TYPE_UNSIGNED_LONG,
    MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG,
    MCA_BASE_VAR_TYPE_SIZE_T,
    MCA_BASE_VAR_TYPE_STRING,
    MCA_BASE_VAR_TYPE_VERSION_STRING,
    MCA_BASE_VAR_TYPE_BOOL,
    MCA_BASE_VAR_TYPE_DOUBLE,
    MCA_BASE_VAR_TYPE_LONG,
    MCA_BASE_VAR_TYPE_INT32_T,
    MCA_BASE_VAR_TYPE_UINT32_T,
    MCA_BASE_VAR_TYPE_INT64_T,
    MCA_BASE_VAR_TYPE_UINT64_T,
} mca_base_var_type_t;

typedef enum {
    MCA_BASE_VAR_SOURCE_DEFAULT,
    MCA_BASE_VAR_SOURCE_COMMAND_LINE,
    MCA_BASE_VAR_SOURCE_ENV,
    MCA_BASE_VAR_SOURCE_FILE,
    MCA_BASE_VAR_SOURCE_SET,
    MCA_BASE_VAR_SOURCE_OVERRIDE,
} mca_base_var_source_t;

typedef enum {
    MCA_BASE_VAR_SCOPE_CONSTANT,
    MCA_BASE_VAR_SCOPE_READONLY,
    MCA_BASE_VAR_SCOPE_LOCAL,
    MCA_BASE_VAR_SCOPE_ALL_EQ = 6,
} mca_base_var_scope_t;

/* Level n of ompi_info has the value n - 1. */
typedef enum {
    OPAL_INFO_LVL_1,
    OPAL_INFO_LVL_2,
    OPAL_INFO_LVL_3,
    OPAL_INFO_LVL_4,
    OPAL_INFO_LVL_5,
    OPAL_INFO_LVL_6,
    OPAL_INFO_LVL_7,
    OPAL_INFO_LVL_8,
    OPAL_INFO_LVL_9,
} mca_base_var_info_lvl_t;

typedef enum {
    MCA_BASE_VAR_FLAG_INTERNAL = 0x0001,
    MCA_BASE_VAR_FLAG_DEFAULT_ONLY = 0x0002,
    MCA_BASE_VAR_FLAG_SETTABLE = 0x0004,
    MCA_BASE_VAR_FLAG_DEPRECATED = 0x0008,
    MCA_BASE_VAR_FLAG_DWG = 0x0040,
} mca_base_var_flag_t;

enum { MCA_BASE_VAR_BIND_NO_OBJECT = 0, MCA_BASE_VAR_BIND_MPI_DATATYPE = 2 };

typedef struct mca_base_var_enum_t {
    opal_object_t super;
    bool enum_is_static;
    char *enum_name;
    int (*get_count)(struct mca_base_var_enum_t *self, int *count);
    int (*get_value)(struct mca_base_var_enum_t *self, int index, int *value, const char **string);
    int (*value_from_string)(struct mca_base_var_enum_t *self, const char *string, int *value);
    int (*string_from_value)(struct mca_base_var_enum_t *self, const int value, char **string);
    int (*dump)(DT_ABI_DUMP_ARGUMENTS);
    int enum_value_count;
    struct mca_base_var_enum_value_t *enum_values;
} mca_base_var_enum_t;

typedef struct mca_base_var_t {
    opal_object_t super;
    int mbv_index;
    int mbv_group_index;
    mca_base_var_info_lvl_t mbv_info_lvl;
    mca_base_var_type_t mbv_type;
    char *mbv_variable_name;
    char *mbv_full_name;
    char *mbv_long_name;
    opal_value_array_t mbv_synonyms;
    mca_base_var_flag_t mbv_flags;
    mca_base_var_scope_t mbv_scope;
    mca_base_var_source_t mbv_source;
    int mbv_synonym_for;
    char *mbv_description;
    char *mbv_source_file;
    mca_base_var_enum_t *mbv_enumerator;
    int mbv_bind;
    void *mbv_storage;
    void *mbv_file_value;
} mca_base_var_t;

/* ---- Performance variables ------------------------------------------------------------------ */

enum {
    MCA_BASE_PVAR_CLASS_LEVEL = 1,
    MCA_BASE_PVAR_CLASS_COUNTER = 6,
};

typedef enum {
    MCA_BASE_PVAR_FLAG_READONLY = 0x080,
    MCA_BASE_PVAR_FLAG_CONTINUOUS = 0x100,
} mca_base_pvar_flag_t;

typedef enum { MCA_BASE_PVAR_HANDLE_BIND } mca_base_pvar_event_t;

struct mca_base_pvar_t;
typedef int (*mca_base_get_value_fn_t)(const struct mca_base_pvar_t *pvar, void *value, void *obj);
typedef int (*mca_base_set_value_fn_t)(struct mca_base_pvar_t *pvar, const void *value, void *obj);
typedef int (*mca_base_notify_fn_t)(struct mca_base_pvar_t *pvar, mca_base_pvar_event_t event,
                                    void *obj, int *count);

typedef struct mca_base_pvar_t {
    opal_object_t super;
    int pvar_index;
    char *name;
    char *description;
    int group_index;
    mca_base_var_info_lvl_t verbosity;
    int var_class;
    mca_base_var_type_t type;
    mca_base_var_enum_t *enumerator;
    int bind;
    mca_base_pvar_flag_t flags;
    mca_base_get_value_fn_t get_value;
    mca_base_set_value_fn_t set_value;
    mca_base_notify_fn_t notify;
    void *ctx;
    opal_list_t bound_handles;
} mca_base_pvar_t;

/* ---- ompi_info ------------------------------------------------------------------------------ */

typedef struct opal_cmd_line_t opal_cmd_line_t;

typedef struct {
    opal_list_item_t super;
    char *type;
    opal_list_t *components;
    opal_list_t *failed_components;
} opal_info_component_map_t;

/* ---- The process ---------------------------------------------------------------------------- */

typedef struct opal_process_name_t {
    uint32_t jobid;
    uint32_t vpid; /* rank in MPI_COMM_WORLD */
} opal_process_name_t;

/* Only its beginning. */
typedef struct opal_proc_t {
    opal_list_item_t super;
    opal_process_name_t proc_name;
} opal_proc_t;

/* ---- How far MPI_Init is -------------------------------------------------------------------- */

enum { OMPI_MPI_STATE_INIT_STARTED = 1, OMPI_MPI_STATE_INIT_COMPLETED = 2 };

#endif
