/* Texts that are not access programs, and where the message points. */
#include <stdlib.h>
#include <string.h>

#include "suggest/access.h"
#include "suggest_test.h"

static void refused(const char *text, int line, int column, const char *message)
{
    access_text_error_t error;
    access_program_t *program = access_read(text, strlen(text), &error);
    check(program == NULL && error.line == line && error.column == column &&
              strstr(error.message, message) != NULL,
          "%s\n  wanted %d:%d: %s\n  got    %d:%d: %s", text, line, column, message,
          (int) error.line, (int) error.column, program == NULL ? error.message : "no error");
    access_free(program);
}

void texts_run(void)
{
    refused("", 1, 1, "expected 'recv', found the end");
    refused("send", 1, 5, "expected a number, a name or an expression");
    refused("send n MPI_INT", 1, 15, "expected '['");
    refused("send n MPI_INT[0]", 1, 18, "1 to 2^40");
    refused("send n MPI_INT[4] base a int[4]\nbase a int[4]", 2, 14, "a second base 'a'");
    refused("send n MPI_INT[4] copy next <- b, 4 MPI_INT[4]", 1, 32, "there is no base 'b'");
    refused("send n MPI_INT[4] base a int[4] copy next <- a, 6 MPI_INT[4]", 1, 61, "6 bytes");
    refused("send n MPI_INT[4] base a int[4] for i < n { copy next <- a, 4 MPI_INT[4]", 1, 73,
            "expected copy, for, if or '}', found the end");
    refused("send n MPI_INT[4] base a int[4] copy next <- a, 4 MPI_INT[4] }", 1, 62,
            "expected base, copy, for or if");
    refused("send n MPI_INT[4] base a int[4] for i < n { for i < n { copy next <- a", 1, 55,
            "a loop 'i' in a loop of that name");
    refused("send 9223372036854775808 MPI_INT[4]", 1, 6, "does not fit");
    refused("send 9223372036854775807*n + 9223372036854775807*n MPI_INT[4]", 1, 52, "does not fit");
    refused("send \"a\\n\" MPI_INT[4]", 1, 6, "stands before");
    refused("send \"a\n\" MPI_INT[4]", 1, 6, "no end in its line");
    refused("send 12x MPI_INT[4]", 1, 6, "not a number");
    refused("send n MPI_INT[4] base a int[4] [][n][] copy next <- a", 1, 41,
            "only the first dimension");
    refused("send n MPI_INT[4] base a \"struct s\"[8] field \"x\" 8 int[4] copy", 1, 59,
            "the element has 8 bytes");
    refused("send n MPI_INT[4]", 1, 18, "no copy");
    refused("send n MPI_INT[4] base a int[4] copy next <- a, 4 MPI_INT[0]", 1, 61, "1 to 2^40");
    char deep[400] = "send ";
    memset(deep + 5, '(', 300);
    refused(deep, 1, 56, "nested deeper");
}
