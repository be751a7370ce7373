#include "option/config_file.h"

#include "option/pasted.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The items of a value: blanks and commas separate, quotes join, # comments. */
static int config_value(const char *text, struct buf *out)
{
    const char *comma = "";
    while (*text) {
        text += strspn(text, " \t,\r\n");
        if (*text == '#' || *text == '\0')
            break;
        buf_puts(out, comma);
        comma = ",";
        while (*text && !strchr(" \t,\r\n", *text)) {
            char quote = *text;
            if (quote != '"' && quote != '\'') {
                buf_putc(out, *text++);
                continue;
            }
            const char *end = strchr(++text, quote);
            if (!end)
                return -1;
            buf_add(out, text, (size_t)(end - text));
            text = end + 1;
        }
    }
    return 0;
}

static int config_line(struct cmdline *c, const char *path, unsigned number, const char *line,
                       struct err *e)
{
    char shown[600];
    const char *name = line + strspn(line, " \t\r\n");
    const char *equals = strchr(name, '=');
    struct buf value = {0};
    if (*name == '#' || *name == '\0')
        return 0;
    name += strspn(name, "-");
    if (!equals)
        return err_set(e, "%s:%u: '%.*s' is not NAME=VALUE%s", path, number,
                       (int)strcspn(name, "\r\n"), name,
                       isalpha((unsigned char)*name) ? "; a switch is on with NAME=on" : "");
    size_t size = (size_t)(equals - name);
    while (size > 0 && isspace((unsigned char)name[size - 1]))
        size--;
    snprintf(shown, sizeof shown, "%s:%u: %.*s", path, number, (int)size, name);
    int rc = config_value(equals + 1, &value);
    if (rc != 0)
        err_set(e, "%s: the value has a quote that is not closed", shown);
    else if (value.failed)
        rc = err_set(e, "%s: out of memory for the value", shown);
    else
        rc = cmdline_add(c, name, size, buf_text(&value), shown, e);
    buf_release(&value);
    return rc;
}

/* A line as the user sees it: what a web page put into it mended, and nothing
 * behind a byte that ends texts. */
static int typed_line(struct cmdline *c, const char *path, unsigned number, const char *line,
                      size_t size, struct err *e)
{
    struct buf plain = {0};
    size_t mark = number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    bool mended = pasted_line(line + mark, &plain);
    int rc;
    if (plain.failed)
        rc = err_set(e, "%s:%u: out of memory", path, number);
    else if (strlen(line) != size)
        rc = err_set(e, "%s:%u: there is a zero byte; this is no file of options", path, number);
    else
        rc = config_line(c, path, number, buf_text(&plain), e);
    if (mended)
        buf_printf(&c->notes,
                   "%s:%u: typographic dashes, blanks or quotes were read as plain ones\n", path,
                   number);
    buf_release(&plain);
    return rc;
}

int config_file_read(struct cmdline *c, const char *path, struct err *e)
{
    char *line = NULL;
    size_t room = 0;
    int rc = 0;
    if (!path || !*path)
        return err_set(e, "option --config-file needs the name of a file: --config-file=FILE");
    FILE *f = fopen(path, "re");
    if (!f)
        return err_sys(e, errno, "option --config-file: '%s' cannot be read.", path);
    ssize_t size;
    for (unsigned n = 1; rc == 0 && (size = getline(&line, &room, f)) >= 0; n++)
        rc = typed_line(c, path, n, line, (size_t)size, e);
    if (rc == 0 && !feof(f)) /* an error of reading, or no memory for a line */
        rc = err_sys(e, errno, "option --config-file: '%s' cannot be read.", path);
    free(line);
    fclose(f);
    return rc;
}
